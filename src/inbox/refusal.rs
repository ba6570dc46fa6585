//! Why a call changed nothing.

use std::fmt;

use rustix::io::Errno;

use crate::errno;
use crate::words::words;

words! {
    /// The word that a refusal is known by.
    #[non_exhaustive]
    pub enum Refused {
        /// No new item has the id.
        NotClaimable = "not-claimable",
        /// No new or claimed item has the id.
        NotDeferrable = "not-deferrable",
        /// No claimed item has the id.
        NotInFlight = "not-in-flight",
        /// The item is not claimed, and only a claim will do.
        NotClaimed = "not-claimed",
        /// No item has the id, or none in the state that was asked for.
        NotFound = "not-found",
        /// The item was answered: it can only be retired or marked done.
        AlreadyReplied = "already-replied",
        /// A file with the name that the item would get exists, or the same stem was processed before; both are left.
        Conflict = "conflict",
        /// The claim is over: the item carries another token, or none, or is gone.
        ClaimLost = "claim-lost",
        /// With a block at its end the item could no longer be read as YAML.
        Unstampable = "unstampable",
        /// Lines were added after the block, and the file system cannot put a whole new file in its place.
        Disturbed = "disturbed",
        /// The file has a second link, or the folder is one.
        Linked = "linked",
        /// Somebody is at work on the item this moment; try again.
        Busy = "busy",
        /// How often items are claimed cannot be kept on this file system.
        NoAttempts = "no-attempts",
        /// An argument is invalid; the message says which.
        InvalidArgument = "invalid-argument",
        /// A time is neither milliseconds nor a valid date.
        InvalidTime = "invalid-time",
        /// The system refused; `code` holds the errno name.
        Io = "io",
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
        Self { error, code: None, message: message.into() }
    }

    /// An argument that no call takes.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(Refused::InvalidArgument, message)
    }

    /// A system call failed: `doing` says what it was to do, as in "open /a/b".
    pub(crate) fn io(errno: Errno, doing: impl fmt::Display) -> Self {
        let code = errno::name(errno);
        // What reading such a file answers (`local.rs`).
        let elsewhere = if cfg!(target_vendor = "apple") && errno == Errno::DEADLK {
            "; its bytes are not on this disk but where the folder is synced to"
        } else {
            ""
        };
        let message = format!("could not {doing}: {} ({code}){elsewhere}", errno::describe(errno));
        Self { error: Refused::Io, code: Some(code), message }
    }
}
