//! The engine beside its floor, the bare system calls of the same job: `cargo bench --bench inbox`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark that cannot measure has nothing else to do"
)]

mod bare;

use std::fmt;
use std::sync::Mutex;
use std::thread::available_parallelism;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use divan::{Bencher, black_box};
use seatkit::inbox::{
    Claim, FindOptions, Inbox, Item, MarkerLines, Reason, SweepOptions, marker_lines,
};
use tempfile::TempDir;

const ITEM: &str = "id: m1\nfrom: olivia\ncontent: |\n  can you send me the deck?\n";

/// What a folder holds.
#[derive(Clone, Copy, PartialEq)]
struct Held {
    in_flight: usize,
    processed: usize,
}

const FOLDERS: [Held; 6] = [
    held(20, 0),
    held(1_000, 0),
    held(10_000, 0),
    held(100_000, 0),
    held(100, 100_000),
    held(1_000, 100_000),
];

const fn held(in_flight: usize, processed: usize) -> Held {
    Held { in_flight, processed }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in flight", self.in_flight)?;
        if self.processed > 0 {
            write!(f, ", {} processed", self.processed)?;
        }
        Ok(())
    }
}

/// The seat of the benchmark at hand; the next one with other contents takes its place.
static SEAT: Mutex<Option<(Held, TempDir)>> = Mutex::new(None);

fn main() {
    divan::main();
    drop(SEAT.lock().unwrap().take());
}

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_788_861_600)
}

fn stem(number: usize) -> String {
    format!("2026-09-08T09-59-00-{:03}Z-cohort-{number:08}", number % 1000)
}

/// The root of a seat that holds this.
fn seat(held: Held) -> String {
    let mut at_hand = SEAT.lock().unwrap();
    let reusable = at_hand.take().filter(|(found, _)| *found == held);
    let (_, seat) = at_hand.insert(reusable.unwrap_or_else(|| (held, lay(held))));
    seat.path().to_str().unwrap().to_owned()
}

fn lay(held: Held) -> TempDir {
    let seat = tempfile::tempdir().unwrap();
    let folder = seat.path().join("state/inbox/cohort");
    std::fs::create_dir_all(&folder).unwrap();
    let claim = marker_lines(&MarkerLines {
        claim: Some(("session".to_owned(), now())),
        ..MarkerLines::default()
    });
    for number in 0..held.in_flight + held.processed {
        let state = if number < held.in_flight { "dispatched" } else { "processed" };
        let file = folder.join(format!("{}.yaml.{state}", stem(number)));
        std::fs::write(file, format!("{ITEM}{claim}")).unwrap();
    }
    seat
}

/// A look at all that is in flight; nothing is due.
#[divan::bench_group(sample_size = 1, sample_count = 20)]
mod sweep {
    use super::{
        Bencher, FOLDERS, Held, Inbox, SweepOptions, available_parallelism, bare, black_box, now,
        seat,
    };

    #[divan::bench(args = FOLDERS)]
    fn engine(bencher: Bencher<'_, '_>, held: Held) {
        let (root, options) = (seat(held), SweepOptions::at(now()));
        bencher.bench(|| Inbox::at(black_box(&root)).sweep(&options));
    }

    #[divan::bench(args = FOLDERS)]
    fn floor(bencher: Bencher<'_, '_>, held: Held) {
        let root = seat(held);
        // So few files are read sooner than a second thread starts.
        let alone = held.in_flight < 128;
        let readers = if alone { 1 } else { available_parallelism().map_or(1, usize::from) };
        bencher.bench(|| bare::sweep(black_box(&root), readers));
    }
}

#[divan::bench_group(sample_size = 1, sample_count = 20)]
mod find {
    use super::{Bencher, FOLDERS, FindOptions, Held, Inbox, bare, black_box, seat};

    #[divan::bench(args = FOLDERS)]
    fn engine(bencher: Bencher<'_, '_>, held: Held) {
        let (root, id) = (seat(held), format!("cohort-{:08}", held.in_flight / 2));
        bencher.bench(|| {
            Inbox::at(black_box(&root)).find(&id, &FindOptions::default()).unwrap().unwrap()
        });
    }

    #[divan::bench(args = FOLDERS)]
    fn floor(bencher: Bencher<'_, '_>, held: Held) {
        let root = seat(held);
        bencher.bench(|| bare::find(black_box(&root)));
    }
}

/// A claim, and the sweep that finds it stale.
#[divan::bench_group(sample_size = 1, sample_count = 200)]
mod claim_and_reopen {
    use super::{
        Bencher, Claim, Duration, ITEM, Inbox, Item, Reason, SweepOptions, TempDir, bare, now,
    };

    fn seat_of_one() -> TempDir {
        let seat = tempfile::tempdir().unwrap();
        let folder = seat.path().join("state/inbox/cohort");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("m1.yaml"), ITEM).unwrap();
        seat
    }

    #[divan::bench]
    fn engine(bencher: Bencher<'_, '_>) {
        let seat = seat_of_one();
        let root = seat.path().to_str().unwrap();
        let service = "cohort".parse().unwrap();
        let later = now() + Duration::from_secs(21 * 60);
        bencher.bench(|| {
            Inbox::at(root).claim(&service, &Item::id("m1"), &Claim::at(now())).unwrap();
            let swept = Inbox::at(root).sweep(&SweepOptions::at(later));
            assert_eq!(swept.reopened.first().map(|item| item.reason), Some(Reason::ClaimStale));
        });
    }

    #[divan::bench]
    fn floor(bencher: Bencher<'_, '_>) {
        let seat = seat_of_one();
        let root = seat.path().to_str().unwrap();
        bencher.bench(|| bare::claim_and_reopen(root, "cohort", "m1.yaml"));
    }
}
