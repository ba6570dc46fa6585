//! The inbox engine: claims on the items in `<root>/state/inbox/<service>/`.
//!
//! An item is a file `<stem>.yaml`; a further ending says its state ([`State`]), and nothing else
//! does. Who owns it stands in a block of lines at its very end, after its own bytes, which nothing
//! here ever changes. Several processes may work on one inbox, and any may die at any instant: every
//! call either happens or does not, and a [sweep](Inbox::sweep) brings back what a dead
//! process left half-way.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

mod archive;
mod archived;
mod attempts;
mod block;
mod call;
mod change;
mod deliver;
mod file;
mod find;
mod folder;
mod held;
mod list;
mod local;
mod mail_time;
mod mark;
mod markers;
mod name;
mod next;
mod outline;
mod refusal;
mod render;
mod rule;
mod scalar;
mod survey;
mod sweep;
mod text;
pub(crate) mod time;
mod within;

pub use archive::{ArchiveOptions, Archived};
pub use call::Item;
pub use deliver::{Delivered, Delivery};
pub use find::{FindOptions, Found};
pub use list::{ListOptions, Listed, ListedItem};
pub use mark::{Claim, Deferral, Failure, Marked, ReopenFrom};
pub use markers::{MarkerLines, Markers, marker_lines, parse_markers, strip_markers};
pub use name::{InvalidService, Service, State};
pub use next::{NextClaim, Taken};
pub use refusal::{Refusal, Refused};
pub use rule::{
    DAEMON_ORPHAN_RECLAIM, Next, REPLIED_RETIRE, Reason, SESSION, SESSION_CLAIM_STALE, SweepRules,
};
pub use sweep::{Failed, Reopened, SweepOptions, Swept};

/// The inbox of one seat, by its root folder. Nothing is opened or kept: a handle costs nothing, and may be made for
/// each call.
///
/// ```
/// use seatkit::inbox::Inbox;
///
/// let inbox = Inbox::at("/seat");
/// assert_eq!(inbox.root(), std::path::Path::new("/seat"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inbox {
    root: PathBuf,
}

impl Inbox {
    /// The inbox below `root`, at `<root>/state/inbox`; it need not be there yet.
    #[must_use]
    pub fn at(root: impl AsRef<Path>) -> Self {
        Self { root: root.as_ref().to_owned() }
    }

    /// The root folder that was given.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// No path of the system has a NUL in it.
fn no_nul(root: &Path) -> Result<(), Refusal> {
    if root.as_os_str().as_bytes().contains(&0) {
        return Err(Refusal::argument("the root holds a NUL"));
    }
    Ok(())
}

/// What the fuzz targets reach beside the public calls; not there in any other build.
#[cfg(fuzzing)]
pub mod fuzzing {
    use super::name::{ItemName, State};

    /// See the grammar.
    pub const MAX_BLOCK: usize = super::block::MAX_BLOCK;

    /// Whether each end of `text` shows the block that the whole shows, or that more of it is needed.
    #[must_use]
    pub fn any_end_tells_the_same(text: &[u8]) -> bool {
        super::block::any_end_tells_the_same(text)
    }

    /// The stem, the id and the state that a file name says; `None` for a foreign one.
    #[must_use]
    pub fn read_name(name: &[u8]) -> Option<(&str, &str, State)> {
        ItemName::parse(name).map(|name| (name.stem, name.id(), name.state))
    }

    /// Whether a time that can be read is read back as it is written.
    pub fn reads_back(text: &str) {
        if let Some(time) = super::time::Time::parse(text) {
            assert_eq!(super::time::Time::parse(&time.to_string()), Some(time));
        }
    }

    /// Why no block can follow an item, and how many marker keys stand at its top level.
    #[must_use]
    pub fn outline(text: &[u8]) -> (Option<String>, usize) {
        let outline = super::outline::Outline::of(text);
        (outline.obstacle.map(super::outline::Obstacle::sentence), outline.markers.len())
    }
}

#[cfg(test)]
mod tests;
