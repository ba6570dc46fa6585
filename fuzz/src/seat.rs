//! An inbox with one item, whatever its bytes, and the calls on it.

use std::fs;
use std::path::PathBuf;

use seatkit::inbox::{
    Claim, Deferral, Item, JsonText, ListedItem, Marked, Refusal, Service, State, SweepOptions,
    Swept, Time, list_inbox, mark_session_claim, mark_session_deferral, mark_session_replied,
    release_session_claim, sweep_session_inbox,
};
use tempfile::TempDir;

const SERVICE: &str = "fuzz";
const ID: &str = "m1";

/// When everything here happens.
pub const NOW: f64 = 1_788_868_800_000.0;

/// A day in milliseconds: longer than every limit of a sweep.
pub const DAY: f64 = 86_400_000.0;

pub fn time(millis: f64) -> Time {
    Time::from_millis(millis).expect("within range")
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

    fn root(&self) -> &str {
        self.folder.path().to_str().expect("a plain path")
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
        mark_session_claim(self.root(), Self::known(), Item::id(ID), &claim)
    }

    pub fn defer(&self, reason: &str) -> Result<Marked, Refusal> {
        let deferral = Deferral {
            now: time(NOW),
            until: time(NOW + DAY),
            reason: Some(JsonText::new(reason)),
        };
        mark_session_deferral(self.root(), Self::known(), Item::id(ID), &deferral)
    }

    pub fn reply(&self) -> Result<Marked, Refusal> {
        mark_session_replied(self.root(), Self::known(), Item::id(ID), time(NOW))
    }

    pub fn release(&self) -> Result<Marked, Refusal> {
        release_session_claim(self.root(), Self::known(), Item::id(ID))
    }

    /// A sweep when every time is over.
    pub fn sweep(&self) -> Swept {
        let swept = sweep_session_inbox(
            self.root(),
            &SweepOptions {
                session_live: true,
                ..SweepOptions::at(time(NOW + DAY))
            },
        );
        assert!(swept.failed.is_empty(), "{:?}", swept.failed);
        swept
    }

    /// The item as a listing shows it.
    pub fn listed(&self) -> ListedItem {
        let mut items = list_inbox(self.root(), None, None).expect("a readable inbox");
        assert_eq!(items.len(), 1);
        items.remove(0)
    }

    fn known() -> Service<'static> {
        Service::new(SERVICE).expect("a plain name")
    }
}
