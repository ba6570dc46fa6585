//! tmux's native ids: the only targets that name one thing for the whole life of a server.

use std::fmt;
use std::str::FromStr;

use crate::text::Quoted;
use crate::words::words;

words! {
    /// Which kind of thing an id names.
    pub enum IdKind {
        /// `%3`
        Pane = "pane",
        /// `$3`
        Session = "session",
        /// `@3`
        Window = "window",
    }
}

impl IdKind {
    /// Whether `text` is an id of this kind: its sign and ASCII digits, and nothing else.
    ///
    /// ```
    /// use seatkit::tmux::IdKind;
    ///
    /// assert!(IdKind::Pane.matches("%14"));
    /// assert!(!IdKind::Pane.matches("%1; kill-server"));
    /// ```
    #[must_use]
    pub fn matches(self, text: &str) -> bool {
        text.strip_prefix(self.sign()).is_some_and(is_decimal)
    }

    fn sign(self) -> char {
        match self {
            Self::Pane => '%',
            Self::Session => '$',
            Self::Window => '@',
        }
    }
}

/// Whether `text` is ASCII digits and nothing else, as tmux prints process ids and indices.
#[must_use]
pub fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text that is no native id of the kind that was asked for.
///
/// tmux reads much more into a target than a name: a final `;` ends the command, `#{...}` expands,
/// and an empty target is whatever is current. So nothing but a native id reaches it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("mux-placement: refusing a non-native {} selector {}", kind.as_str(), Quoted(value))]
pub struct NotNative {
    /// What it should have been.
    pub kind: IdKind,
    /// What it is.
    pub value: String,
}

macro_rules! native_id {
    ($(#[$doc:meta])* $name:ident, $kind:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// The id as tmux writes it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NotNative;

            fn from_str(text: &str) -> Result<Self, NotNative> {
                if $kind.matches(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(NotNative { kind: $kind, value: text.to_owned() })
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

native_id!(
    /// A pane's id, `%3`.
    TmuxPaneId,
    IdKind::Pane
);
native_id!(
    /// A session's id, `$3`.
    TmuxSessionId,
    IdKind::Session
);
native_id!(
    /// A window's id, `@3`.
    TmuxWindowId,
    IdKind::Window
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_and_digits_are_the_whole_vocabulary() {
        for (kind, id) in [(IdKind::Pane, "%14"), (IdKind::Session, "$0"), (IdKind::Window, "@7")] {
            for other in [IdKind::Pane, IdKind::Session, IdKind::Window] {
                assert_eq!(other.matches(id), other == kind, "{other:?} {id}");
            }
        }
        for odd in [
            "",
            "%",
            "1",
            "%1\n",
            "%1;",
            " %1",
            "%1 ",
            "%+1",
            "%-1",
            "%١",
            "%1.0",
            "%%1",
            "#{pane_id}",
            "%1; kill-server",
        ] {
            assert!(!IdKind::Pane.matches(odd), "{odd:?}");
        }
    }

    #[test]
    fn an_id_is_made_of_nothing_else() {
        assert_eq!("@3".parse::<TmuxWindowId>().unwrap().as_str(), "@3");
        assert_eq!(
            "3\"".parse::<TmuxPaneId>().unwrap_err().to_string(),
            "mux-placement: refusing a non-native pane selector \"3\\\"\""
        );
    }
}
