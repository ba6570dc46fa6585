//! An inbox with one item, whatever its bytes, and the calls on it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use seatkit::inbox::{
    Claim, Deferral, Inbox, Item, ListOptions, ListedItem, Marked, Refusal, Service, State,
    SweepOptions, SweepRules, Swept,
};
use tempfile::TempDir;

const ID: &str = "m1";

/// When everything here happens.
pub fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_788_868_800)
}

/// The same as it is written.
pub const NOW: &str = "2026-09-08T12:00:00.000Z";

/// Longer than every limit of a sweep.
const DAY: Duration = Duration::from_secs(86_400);

pub struct Seat {
    folder: TempDir,
    inbox: Inbox,
    service: Service,
}

impl Seat {
    /// An inbox whose one item, new, has these bytes.
    pub fn with(item: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let seat = Self {
            inbox: Inbox::at(folder.path()),
            service: "fuzz".parse().expect("a plain name"),
            folder,
        };
        fs::create_dir_all(seat.files()).expect("a new folder");
        fs::write(seat.file(State::New), item).expect("a new file");
        seat
    }

    fn files(&self) -> PathBuf {
        self.folder.path().join("state/inbox/fuzz")
    }

    fn file(&self, state: State) -> PathBuf {
        self.files().join(format!("{ID}{}", state.suffix()))
    }

    /// The item's bytes; it must be the only file there, and its name must say this state.
    pub fn read(&self, state: State) -> Vec<u8> {
        let names: Vec<_> = fs::read_dir(self.files())
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
        let claim = Claim { token: true, ..Claim::at(now()) };
        self.inbox.claim(&self.service, &Item::id(ID), &claim)
    }

    pub fn defer(&self, reason: &str) -> Result<Marked, Refusal> {
        let deferral = Deferral { now: now(), until: now() + DAY, reason: Some(reason.to_owned()) };
        self.inbox.defer(&self.service, &Item::id(ID), &deferral)
    }

    pub fn reply(&self) -> Result<Marked, Refusal> {
        self.inbox.reply(&self.service, &Item::id(ID), now())
    }

    pub fn release(&self) -> Result<Marked, Refusal> {
        self.inbox.release(&self.service, &Item::id(ID))
    }

    /// A sweep when every time is over.
    pub fn sweep(&self) -> Swept {
        let swept = self.inbox.sweep(&SweepOptions {
            rules: SweepRules { session_live: true, ..SweepRules::default() },
            ..SweepOptions::at(now() + DAY)
        });
        assert!(swept.failed.is_empty(), "{:?}", swept.failed);
        swept
    }

    /// The item as a listing shows it.
    pub fn listed(&self) -> ListedItem {
        let mut listed = self.inbox.list(&ListOptions::default());
        assert!(listed.failed.is_empty(), "{:?}", listed.failed);
        assert_eq!(listed.items.len(), 1);
        listed.items.remove(0)
    }
}
