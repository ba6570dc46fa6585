//! What a name in an inbox folder says: whose item it is and in which state.

use std::fmt;
use std::str::FromStr;

use crate::words::words;

words! {
    /// Where an item stands. The file name alone decides; ordered from the most alive.
    pub enum State {
        /// `.yaml`: delivered, nobody's yet.
        New = "new",
        /// `.yaml.dispatched`: somebody works on it.
        Claimed = "claimed",
        /// `.yaml.deferred`: parked until a time, or by the daemon.
        Deferred = "deferred",
        /// `.yaml.processed`: done with.
        Processed = "processed",
        /// `.yaml.dead`: given up.
        Dead = "dead",
    }
}

impl State {
    /// The ending of a file name in this state.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::New => ".yaml",
            Self::Claimed => ".yaml.dispatched",
            Self::Deferred => ".yaml.deferred",
            Self::Processed => ".yaml.processed",
            Self::Dead => ".yaml.dead",
        }
    }

    /// Whether a sweep looks at items in this state.
    pub(crate) const fn in_flight(self) -> bool {
        matches!(self, Self::Claimed | Self::Deferred)
    }

    /// Whether what becomes of an item in this state hangs on its marker lines, so that they are looked for wherever they
    /// stand.
    pub(crate) const fn goes_by_markers(self) -> bool {
        self.in_flight() || matches!(self, Self::Dead)
    }

    /// The state that the ending of a file name says, without looking at the rest of it.
    pub(crate) fn of_file(name: &[u8]) -> Option<Self> {
        // Two letters tell which one it can be, and thousands of names are asked.
        let state = match name {
            [.., b'm', b'l'] => Self::New,
            [.., b'e', b'd'] => match name.get(name.len().checked_sub(4)?)? {
                b'c' => Self::Claimed,
                b's' => Self::Processed,
                _ => Self::Deferred,
            },
            [.., b'a', b'd'] => Self::Dead,
            _ => return None,
        };
        name.ends_with(state.suffix().as_bytes()).then_some(state)
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
    /// `None` for a foreign name: another ending, a leading dot, a slash, or not UTF-8, which no
    /// caller could say back.
    pub(crate) fn parse(name: &'a [u8]) -> Option<Self> {
        let state = State::of_file(name)?;
        let stem = name.get(..name.len() - state.suffix().len())?;
        if matches!(stem, [] | [b'.', ..]) || memchr::memchr2(b'/', 0, stem).is_some() {
            return None;
        }
        Some(Self { stem: std::str::from_utf8(stem).ok()?, state })
    }

    /// The stem without its delivery time, or the whole stem where it has none.
    pub(crate) fn id(self) -> &'a str {
        id_of(self.stem)
    }
}

/// The id of a stem: what follows its delivery time, or all of it.
pub(crate) fn id_of(stem: &str) -> &str {
    let is_time = |prefix: &[u8]| {
        prefix.iter().zip(TIME_SHAPE).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            _ => byte == shape,
        })
    };
    match stem.split_at_checked(TIME_SHAPE.len()) {
        Some((prefix, id)) if is_time(prefix.as_bytes()) => id,
        _ => stem,
    }
}

/// A delivery time at the head of a stem; `0` stands for any digit.
const TIME_SHAPE: &[u8] = b"0000-00-00T00-00-00-000Z-";

/// The name of an item's file in a state.
pub(crate) fn file_name(stem: &str, state: State) -> String {
    [stem, state.suffix()].concat()
}

/// A service: one plain path component that does not begin with a dot, the name of a folder in the inbox.
///
/// ```
/// use seatkit::inbox::Service;
///
/// let service: Service = "cohort".parse()?;
/// assert_eq!(service.as_str(), "cohort");
/// assert!(["", ".", "..", ".git", "a/b", "a\0"].iter().all(|name| name.parse::<Service>().is_err()));
/// # Ok::<(), seatkit::inbox::InvalidService>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Service(String);

/// A text that is no [`Service`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("service must be one plain folder name that does not begin with a dot, not {0:?}")]
pub struct InvalidService(String);

impl Service {
    /// The folder's name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Service {
    type Err = InvalidService;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        name.to_owned().try_into()
    }
}

impl TryFrom<String> for Service {
    type Error = InvalidService;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\0']) {
            return Err(InvalidService(name));
        }
        Ok(Self(name))
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
            ("yaml.dead", State::Dead),
        ] {
            assert_eq!(id(&format!("a.{ending}")), Some(("a", state)));
            assert_eq!(file_name("a", state), format!("a.{ending}"));
            assert_eq!(state.to_string().parse(), Ok(state));
        }
    }

    #[test]
    fn the_id_is_the_stem_without_its_delivery_time() {
        assert_eq!(id("2026-09-08T09-59-00-000Z-cohort-m1.yaml"), Some(("cohort-m1", State::New)));
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
            "b/a.yaml",
        ] {
            assert_eq!(id(name), None, "{name:?}");
        }
        assert_eq!(ItemName::parse(b"a\xff.yaml"), None);
    }
}
