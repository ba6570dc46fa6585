//! Why a call changed nothing.

use std::fmt;

use rustix::io::Errno;

use crate::errno;

/// The word that a refusal is known by; the same in Rust and in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// No new item answers to the id.
    NotClaimable,
    /// No new or claimed item answers to the id.
    NotDeferrable,
    /// No claimed item answers to the id.
    NotInFlight,
    /// The item was answered: it can only be retired or marked done.
    AlreadyReplied,
    /// A file with the name that the item would get exists; both are left.
    Conflict,
    /// The claim is somebody else's by now.
    ClaimLost,
    /// With the block behind it the item could no longer be read as YAML.
    Unstampable,
    /// Somebody is at work on the item in this very moment.
    Busy,
    /// An argument is of no use; the message says which.
    InvalidArgument,
    /// A time is neither milliseconds nor a valid date.
    InvalidTime,
    /// The system refused; `code` holds the errno name.
    Io,
}

impl Refused {
    /// The word itself.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotClaimable => "not-claimable",
            Self::NotDeferrable => "not-deferrable",
            Self::NotInFlight => "not-in-flight",
            Self::AlreadyReplied => "already-replied",
            Self::Conflict => "conflict",
            Self::ClaimLost => "claim-lost",
            Self::Unstampable => "unstampable",
            Self::Busy => "busy",
            Self::InvalidArgument => "invalid-argument",
            Self::InvalidTime => "invalid-time",
            Self::Io => "io",
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refused call: what kind, and a sentence that a person can act on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}: {message}")]
pub struct Refusal {
    /// The word to branch on.
    pub error: Refused,
    /// The errno name, such as `ENOSPC`, where `error` is `io`.
    pub code: Option<&'static str>,
    /// What happened and to which file.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(error: Refused, message: impl Into<String>) -> Self {
        Self {
            error,
            code: None,
            message: message.into(),
        }
    }

    /// A system call failed: `doing` says what it was to do, as in "open /a/b".
    pub(crate) fn io(errno: Errno, doing: impl fmt::Display) -> Self {
        let code = errno::name(errno);
        let message = format!("could not {doing}: {} ({code})", errno::describe(errno));
        Self {
            error: Refused::Io,
            code: Some(code),
            message,
        }
    }
}
