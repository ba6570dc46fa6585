//! The inbox engine: claims on the items in `<root>/state/inbox/<service>/`.
//!
//! An item is a file `<stem>.yaml`; a further ending says its state ([`State`]), and nothing else
//! does. Who owns it stands in a block of lines at its very end, behind its own bytes, which nothing
//! here ever changes. Several processes may work on one inbox, and any may die at any instant: every
//! call either happens or does not, and a [sweep](sweep_session_inbox) brings back what a dead
//! process left half-way.

pub(crate) mod block;
mod find;
mod folder;
mod item;
mod list;
mod mark;
mod markers;
mod name;
mod readable;
mod refusal;
mod rule;
mod survey;
mod sweep;
mod text;
mod time;

pub use find::{InboxItem, find_inbox_file};
pub use list::{ListedItem, list_inbox};
pub use mark::{
    Claim, Deferral, Item, Marked, mark_session_claim, mark_session_deferral, mark_session_done,
    mark_session_replied, release_session_claim, renew_session_claim,
};
pub use markers::{
    MarkerLines, Markers, parse_session_markers, session_marker_lines, strip_session_markers,
};
pub use name::{Service, State};
pub use refusal::{Refusal, Refused};
pub use rule::{
    DAEMON_ORPHAN_RECLAIM_MS, Limits, Next, REPLIED_RETIRE_MS, Reason, SESSION,
    SESSION_CLAIM_STALE_MS,
};
pub use sweep::{Failed, Reopened, SweepOptions, Swept, sweep_session_inbox};
pub use text::JsonText;
pub use time::Time;

/// What the fuzz targets reach beside the public calls; not there in any other build.
#[cfg(fuzzing)]
pub mod fuzzing {
    use super::name::{ItemName, State};

    /// See the grammar.
    pub const MAX_BLOCK: usize = super::block::MAX_BLOCK;

    /// Whether each end of `text` tells the block that the whole tells, or that more of it is needed.
    #[must_use]
    pub fn any_end_tells_the_same(text: &[u8]) -> bool {
        super::block::any_end_tells_the_same(text)
    }

    /// The stem, the id and the state that a file name says; `None` for a foreign one.
    #[must_use]
    pub fn read_name(name: &[u8]) -> Option<(&str, &str, State)> {
        ItemName::parse(name).map(|name| (name.stem, name.id(), name.state))
    }
}

#[cfg(test)]
mod tests;
