//! How often an item was claimed, kept beside its bytes in an extended attribute of its file.
//!
//! A claim counts itself before it renames, with a mark that says that its block does not stand yet. So a claim that
//! died between the two is distinguished from an item that a daemon dispatched, which has no block either.

use rustix::fd::AsFd;
use rustix::fs::XattrFlags;
use rustix::io::Errno;

/// The attribute; any user may set one of this kind where it may write the file (xattr(7)).
const NAME: &str = "user.seatkit.attempts";

/// What follows the count while a claim is under way.
const CLAIMING: &str = " claiming";

/// What the attribute says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attempts {
    /// How often the item was claimed.
    pub(crate) count: u32,
    /// Whether the last claim's block may not stand yet.
    pub(crate) claiming: bool,
}

impl Attempts {
    /// Reads the attribute: where there is none there were no attempts, and `None` is what cannot be known. That is
    /// never a reason not to do what was asked.
    pub(crate) fn read(file: impl AsFd) -> Option<Self> {
        let mut buffer = [0_u8; 32];
        match rustix::fs::fgetxattr(file, NAME, &mut buffer) {
            Ok(length) => Some(Self::parse(buffer.get(..length).unwrap_or_default())),
            Err(ABSENT | Errno::RANGE) => Some(Self::default()),
            Err(_) => None,
        }
    }

    /// Whether it could be kept; a file system that has no room or no attributes is no reason not to claim.
    pub(crate) fn write(self, file: impl AsFd) -> bool {
        if self == Self::default() {
            return matches!(rustix::fs::fremovexattr(file, NAME), Ok(()) | Err(ABSENT));
        }
        let claiming = if self.claiming { CLAIMING } else { "" };
        let value = format!("{}{claiming}", self.count);
        rustix::fs::fsetxattr(file, NAME, value.as_bytes(), XattrFlags::empty()).is_ok()
    }

    /// A value that somebody else made counts as none.
    fn parse(value: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(value) else {
            return Self::default();
        };
        let (count, claiming) = match text.strip_suffix(CLAIMING) {
            Some(count) => (count, true),
            None => (text, false),
        };
        match count.parse() {
            Ok(count) => Self { count, claiming },
            Err(_) => Self::default(),
        }
    }
}

#[cfg(target_vendor = "apple")]
const ABSENT: Errno = Errno::from_raw_os_error(93);
#[cfg(not(target_vendor = "apple"))]
const ABSENT: Errno = Errno::NODATA;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_back() {
        let file = tempfile::NamedTempFile::new_in(".").unwrap();
        assert_eq!(Attempts::read(&file), Some(Attempts::default()));
        for claiming in [true, false] {
            let attempts = Attempts { count: 3, claiming };
            assert!(attempts.write(&file));
            assert_eq!(Attempts::read(&file), Some(attempts));
        }
        assert!(Attempts::default().write(&file));
        assert_eq!(Attempts::read(&file), Some(Attempts::default()));
    }

    #[test]
    fn what_somebody_else_wrote_counts_as_none() {
        for value in [&b""[..], b"x", b"-1", b"99999999999", b"3 clai", b"\xff"] {
            assert_eq!(Attempts::parse(value), Attempts::default());
        }
    }
}
