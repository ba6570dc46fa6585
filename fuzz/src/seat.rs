//! An inbox with one item, whatever its bytes, and the calls on it.

use std::fs;
use std::path::PathBuf;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use seatkit::inbox::{
    Claim, Deferral, Inbox, Item, ListOptions, ListedItem, Marked, MarkerLines, Refusal, Service,
    State, SweepOptions, SweepRules, Swept, marker_lines, parse_markers,
};
use tempfile::TempDir;

const SERVICE: &str = "fuzz";
const ID: &str = "m1";

/// When everything here happens, after the epoch.
pub const NOW: Duration = Duration::from_millis(1_788_868_800_000);

/// Longer than every limit of a sweep.
pub const DAY: Duration = Duration::from_secs(86_400);

pub fn time(since: Duration) -> SystemTime {
    UNIX_EPOCH + since
}

/// A moment as a block has it.
pub fn iso(time: SystemTime) -> String {
    let replied_at = Some(time);
    let lines = marker_lines(&MarkerLines {
        replied_at,
        ..MarkerLines::default()
    });
    parse_markers(lines.as_bytes()).replied_at.expect("a reply")
}

pub struct Seat {
    folder: TempDir,
}

impl Seat {
    /// An inbox whose one item, new, has these bytes.
    pub fn with(item: &[u8]) -> Self {
        let seat = Self {
            folder: tempfile::tempdir().expect("a folder for temporary files"),
        };
        fs::create_dir_all(seat.service()).expect("a new folder");
        fs::write(seat.file(State::New), item).expect("a new file");
        seat
    }

    fn inbox(&self) -> Inbox {
        Inbox::at(self.folder.path())
    }

    fn service(&self) -> PathBuf {
        self.folder.path().join("state/inbox").join(SERVICE)
    }

    fn file(&self, state: State) -> PathBuf {
        self.service().join(format!("{ID}{}", state.suffix()))
    }

    /// The item's bytes; it must be the only file there, and its name must say this state.
    pub fn read(&self, state: State) -> Vec<u8> {
        let names: Vec<_> = fs::read_dir(self.service())
            .expect("the service's folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        assert_eq!(names, [self.file(state)]);
        fs::read(self.file(state)).expect("the item")
    }

    /// What somebody who takes no lock does to the item.
    pub fn write(&self, state: State, bytes: &[u8]) {
        fs::write(self.file(state), bytes).expect("the item");
    }

    pub fn claim(&self) -> Result<Marked, Refusal> {
        let claim = Claim {
            token: true,
            ..Claim::at(time(NOW))
        };
        self.inbox().claim(&Self::known(), &Item::id(ID), &claim)
    }

    pub fn defer(&self, reason: &str) -> Result<Marked, Refusal> {
        let deferral = Deferral {
            now: time(NOW),
            until: time(NOW + DAY),
            reason: Some(reason.to_owned()),
        };
        self.inbox().defer(&Self::known(), &Item::id(ID), &deferral)
    }

    pub fn reply(&self) -> Result<Marked, Refusal> {
        self.inbox().reply(&Self::known(), &Item::id(ID), time(NOW))
    }

    pub fn release(&self) -> Result<Marked, Refusal> {
        self.inbox().release(&Self::known(), &Item::id(ID))
    }

    /// A sweep when every time is over.
    pub fn sweep(&self) -> Swept {
        let session_live = true;
        let swept = self.inbox().sweep(&SweepOptions {
            rules: SweepRules {
                session_live,
                ..SweepRules::default()
            },
            ..SweepOptions::at(time(NOW + DAY))
        });
        assert!(swept.failed.is_empty(), "{:?}", swept.failed);
        swept
    }

    /// The item as a listing shows it.
    pub fn listed(&self) -> ListedItem {
        let mut items = self.inbox().list(&ListOptions::default()).items;
        assert_eq!(items.len(), 1);
        items.remove(0)
    }

    fn known() -> Service {
        SERVICE.parse().expect("a plain name")
    }
}
