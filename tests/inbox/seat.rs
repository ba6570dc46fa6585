//! A seat with one item in its inbox.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use seatkit::inbox::{
    Inbox, MarkerLines, Service, SweepOptions, SweepRules, Swept, marker_lines, parse_markers,
    strip_markers,
};

pub(crate) const SERVICE: &str = "cohort";
pub(crate) const ID: &str = "m1";
pub(crate) const STEM: &str = "2026-09-08T09-59-00-000Z-m1";
pub(crate) const FILE: &str = "2026-09-08T09-59-00-000Z-m1.yaml";
pub(crate) const ITEM: &[u8] = b"id: \"m1\"\ncontent: |\n  can you send me the deck?\n";

const MINUTE: f64 = 60.0;

pub(crate) fn service() -> Service {
    SERVICE.parse().unwrap()
}

/// The clock of the files, `minutes` from now: the system dates a changed file by its own clock.
pub(crate) fn in_minutes(minutes: f64) -> SystemTime {
    let distance = Duration::from_secs_f64(minutes.abs() * MINUTE);
    if minutes < 0.0 { SystemTime::now() - distance } else { SystemTime::now() + distance }
}

/// A moment as a block has it.
pub(crate) fn iso(time: SystemTime) -> String {
    let lines = MarkerLines { replied_at: Some(time), ..MarkerLines::default() };
    parse_markers(marker_lines(&lines).as_bytes()).replied_at.unwrap()
}

/// A sweep at this time, while a session lives.
pub(crate) fn all_live(now: SystemTime) -> SweepOptions {
    let session_live = true;
    SweepOptions {
        rules: SweepRules { session_live, ..SweepRules::default() },
        ..SweepOptions::at(now)
    }
}

/// Later than any limit of a sweep.
pub(crate) fn much_later() -> SystemTime {
    in_minutes(1e6)
}

/// Later than any limit after that: what a sweep at that time wrote is over too.
pub(crate) fn later_still() -> SystemTime {
    in_minutes(2e6)
}

/// Tells something that must not get lost, past the capturing of the test's output.
pub(crate) fn say(text: &str) {
    std::io::stderr().write_all(format!("{text}\n").as_bytes()).unwrap();
}

fn age(path: &Path) {
    let ten_hours_ago = SystemTime::now() - Duration::from_secs(36_000);
    let file = fs::File::open(path).unwrap();
    file.set_modified(ten_hours_ago).unwrap();
}

/// A seat's root of its own, gone with the value.
pub(crate) struct Seat {
    dir: tempfile::TempDir,
}

impl Seat {
    pub(crate) fn new() -> Self {
        Self::below(&std::env::temp_dir())
    }

    /// A seat on the file system that `parent` is on.
    pub(crate) fn below(parent: &Path) -> Self {
        let seat = Self { dir: tempfile::tempdir_in(parent).unwrap() };
        fs::create_dir_all(seat.folder()).unwrap();
        seat
    }

    pub(crate) fn root(&self) -> &str {
        self.dir.path().to_str().unwrap()
    }

    pub(crate) fn inbox(&self) -> Inbox {
        Inbox::at(self.root())
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.dir.path().join("state/inbox").join(SERVICE)
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder().join(file)
    }

    /// Puts a file into the inbox that has waited there for ten hours.
    pub(crate) fn deliver(&self, file: &str, bytes: &[u8]) {
        fs::write(self.path(file), bytes).unwrap();
        age(&self.path(file));
    }

    /// Makes the folder look as if nobody had changed it for ten hours: one scan of it is enough.
    pub(crate) fn rest(&self) {
        if self.folder().exists() {
            age(&self.folder());
        }
    }

    /// Every name in the inbox, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.folder())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn files(&self) -> Vec<Kept> {
        self.names()
            .into_iter()
            .map(|name| Kept {
                bytes: fs::read(self.path(&name)).unwrap(),
                modified: fs::metadata(self.path(&name)).unwrap().modified().unwrap(),
                name,
            })
            .collect()
    }

    /// The one file there is.
    pub(crate) fn only(&self) -> Kept {
        let mut files = self.files();
        assert_eq!(files.len(), 1, "one item, one name: {files:?}");
        files.remove(0)
    }

    /// The one item there is, whatever else was left beside it: a file that is no item yet, or any more.
    pub(crate) fn only_item(&self) -> Kept {
        let mut files = self.files();
        files.retain(|file| !file.name.starts_with(".seatkit-"));
        assert_eq!(files.len(), 1, "one item, one name: {files:?}");
        files.remove(0)
    }

    pub(crate) fn sweep(&self, now: SystemTime) -> Swept {
        self.inbox().sweep(&all_live(now))
    }
}

/// A file as it was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) modified: SystemTime,
}

impl Kept {
    pub(crate) fn own_bytes(&self) -> &[u8] {
        strip_markers(&self.bytes)
    }

    pub(crate) fn replied(&self) -> bool {
        parse_markers(&self.bytes).replied_at.is_some()
    }
}
