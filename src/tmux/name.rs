//! The session names that a lookup may address.

use std::fmt;
use std::str::FromStr;

/// A session name that can be created and looked up safely: an ASCII letter or digit, then
/// letters, digits, `_` and `-`.
///
/// The grammar is narrower than tmux's own. `.` and `:` separate session, window and pane in a
/// target, and `#` is expanded, so such names cannot be addressed at all; others (`a b`, `a,b`,
/// `_a`) tmux would find, but they are refused as well, so that one grammar holds for creating a
/// session and for finding it.
///
/// ```
/// use seatkit::tmux::TmuxSessionName;
///
/// assert!("maestro-olivia".parse::<TmuxSessionName>().is_ok());
/// assert!("my.project".parse::<TmuxSessionName>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TmuxSessionName(String);

impl TmuxSessionName {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TmuxSessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for TmuxSessionName {
    type Err = TmuxSessionNameInvalid;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match classify_tmux_session_name(text) {
            None => Ok(Self(text.to_owned())),
            Some(invalid) => Err(invalid),
        }
    }
}

/// The name is outside the grammar of [`TmuxSessionName`]; whether there is such a session is not
/// known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tmux-session-name-invalid")]
pub struct TmuxSessionNameInvalid;

/// What is wrong with a session name, if anything is.
///
/// ```
/// use seatkit::tmux::{TmuxSessionNameInvalid, classify_tmux_session_name};
///
/// assert_eq!(classify_tmux_session_name("work"), None);
/// assert_eq!(classify_tmux_session_name("=work"), Some(TmuxSessionNameInvalid));
/// ```
#[must_use]
pub fn classify_tmux_session_name(name: &str) -> Option<TmuxSessionNameInvalid> {
    let in_grammar = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    (!in_grammar).then_some(TmuxSessionNameInvalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_and_inner_marks_make_a_name() {
        for name in ["a", "Z", "0", "maestro-olivia", "a_b-C9", "0-", "a__"] {
            assert_eq!(classify_tmux_session_name(name), None, "{name}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let names = [
            "",
            "_a",
            "-a",
            "a.b",
            "a:b",
            "a b",
            "a#b",
            "$0",
            "=a",
            "@1",
            "%1",
            "a\n",
            "\na",
            "é",
            "a\u{0}",
            "a*",
            "Ａ",
            "a\u{FEFF}",
        ];
        for name in names {
            assert_eq!(classify_tmux_session_name(name), Some(TmuxSessionNameInvalid), "{name:?}");
            assert!(name.parse::<TmuxSessionName>().is_err());
        }
    }
}
