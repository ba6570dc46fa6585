//! What a name in an inbox folder says: whose item it is and in which state.

use std::fmt;

/// Where an item stands. The file name alone decides; ordered from the most alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// `.yaml`: delivered, nobody's yet.
    New,
    /// `.yaml.dispatched`: somebody works on it.
    Claimed,
    /// `.yaml.deferred`: parked until a time, or by the daemon.
    Deferred,
    /// `.yaml.processed`: done with.
    Processed,
}

impl State {
    /// All states, the most alive first.
    pub const ALL: [Self; 4] = [Self::New, Self::Claimed, Self::Deferred, Self::Processed];

    /// The ending of a file name in this state.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::New => ".yaml",
            Self::Claimed => ".yaml.dispatched",
            Self::Deferred => ".yaml.deferred",
            Self::Processed => ".yaml.processed",
        }
    }

    /// The state's own name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Claimed => "claimed",
            Self::Deferred => "deferred",
            Self::Processed => "processed",
        }
    }

    /// The state with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether a sweep looks at items in this state.
    pub(crate) const fn in_flight(self) -> bool {
        matches!(self, Self::Claimed | Self::Deferred)
    }

    /// The state that the ending of a file name says, without looking at the rest of it.
    pub(crate) fn of_file(name: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|state| name.ends_with(state.suffix().as_bytes()))
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The name of an item's file, taken apart. Everything that does not parse is foreign: never
/// touched, never counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ItemName<'a> {
    pub(crate) stem: &'a str,
    pub(crate) state: State,
}

impl<'a> ItemName<'a> {
    /// `None` for a foreign name: another ending, a leading dot, or not UTF-8 (JavaScript could
    /// not say that name back).
    pub(crate) fn parse(name: &'a [u8]) -> Option<Self> {
        let state = State::of_file(name)?;
        let stem = name.get(..name.len() - state.suffix().len())?;
        let stem = std::str::from_utf8(stem).ok()?;
        (!stem.is_empty() && !stem.starts_with('.')).then_some(Self { stem, state })
    }

    /// The stem without its timestamp, or the whole stem where it has none.
    pub(crate) fn id(self) -> &'a str {
        let is_stamp = |prefix: &[u8]| {
            prefix
                .iter()
                .zip(STAMP_SHAPE)
                .all(|(byte, shape)| match shape {
                    b'0' => byte.is_ascii_digit(),
                    _ => byte == shape,
                })
        };
        match self.stem.split_at_checked(STAMP_SHAPE.len()) {
            Some((prefix, id)) if is_stamp(prefix.as_bytes()) => id,
            _ => self.stem,
        }
    }
}

/// A delivery stamp at the head of a stem; `0` stands for any digit.
const STAMP_SHAPE: &[u8] = b"0000-00-00T00-00-00-000Z-";

/// The name of an item's file in a state.
pub(crate) fn file_name(stem: &str, state: State) -> String {
    [stem, state.suffix()].concat()
}

/// A service: one plain path component, the name of a folder in the inbox.
///
/// ```
/// use seatkit::inbox::Service;
///
/// assert!(Service::new("cohort").is_some());
/// assert!(["", ".", "..", "a/b", "a\0"].into_iter().all(|name| Service::new(name).is_none()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service<'a>(&'a str);

impl<'a> Service<'a> {
    /// `None` unless `name` is one plain path component.
    #[must_use]
    pub fn new(name: &'a str) -> Option<Self> {
        (!matches!(name, "" | "." | "..") && !name.contains(['/', '\0'])).then_some(Self(name))
    }

    /// The folder's name.
    #[must_use]
    pub const fn as_str(self) -> &'a str {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> Option<(&str, State)> {
        ItemName::parse(name.as_bytes()).map(|item| (item.id(), item.state))
    }

    #[test]
    fn the_ending_is_the_state() {
        for (ending, state) in [
            ("yaml", State::New),
            ("yaml.dispatched", State::Claimed),
            ("yaml.deferred", State::Deferred),
            ("yaml.processed", State::Processed),
        ] {
            assert_eq!(id(&format!("a.{ending}")), Some(("a", state)));
            assert_eq!(file_name("a", state), format!("a.{ending}"));
            assert_eq!(State::from_name(&state.to_string()), Some(state));
        }
    }

    #[test]
    fn the_id_is_the_stem_without_its_stamp() {
        assert_eq!(
            id("2026-09-08T09-59-00-000Z-cohort-m1.yaml"),
            Some(("cohort-m1", State::New))
        );
        for whole in [
            "cohort-m1",
            "2026-09-08T09-59-00-00xZ-m1",
            "2026-09-08T09-59-00-000Z",
            "2026-09-08T09-59-00-000é-m1",
        ] {
            assert_eq!(id(&format!("{whole}.yaml")), Some((whole, State::New)));
        }
    }

    #[test]
    fn everything_else_is_foreign() {
        for name in [
            ".yaml",
            "..yaml",
            "._a.yaml",
            ".a.yaml.swp",
            "a.yaml~",
            "a.yaml.bak",
            "a.YAML",
            "a.yaml ",
            "a.yaml.dispatched.dispatched",
            "yaml",
            "",
            ".yaml.dispatched",
            "#a.yaml#",
            ".DS_Store",
            ".a.yaml.icloud",
        ] {
            assert_eq!(id(name), None, "{name:?}");
        }
        assert_eq!(ItemName::parse(b"a\xff.yaml"), None);
    }
}
