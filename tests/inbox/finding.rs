//! Reading a folder while others rename in it is no snapshot; the answers are honest all the same.

use seatkit::inbox::{FindOptions, Inbox, ListOptions};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::process::{answer, command};
use super::seat::{ITEM, Seat, say};

/// So many, and with such long names, that the system shows their folder in several parts.
const OTHERS: usize = 700;
const FLIPPED: [&str; 3] = ["flip-a", "flip-b", "flip-c"];

/// Renames items to and fro, without a pause and without a lock, until it is killed.
pub(crate) fn flip(root: &str) {
    let path =
        |name: &str| format!("{root}/state/inbox/cohort/2026-09-08T09-59-00-000Z-{name}.yaml");
    answer("flipping");
    loop {
        for name in FLIPPED {
            fs::rename(path(name), path(name) + ".dispatched").unwrap();
        }
        for name in FLIPPED {
            fs::rename(path(name) + ".dispatched", path(name)).unwrap();
        }
    }
}

/// Runs `look` beside a process that flips the names of some items of a large folder.
fn beside_a_flipper(parent: &Path, look: impl FnOnce(&Seat)) {
    let seat = Seat::below(parent);
    for name in FLIPPED {
        fs::write(seat.path(&format!("2026-09-08T09-59-00-000Z-{name}.yaml")), ITEM).unwrap();
    }
    for number in 0..OTHERS {
        let name = format!("{}-{number}.yaml.processed", "other".repeat(40));
        fs::write(seat.path(&name), ITEM).unwrap();
    }
    let mut flipper = command(&["flip", seat.root()]).spawn().unwrap();
    let mut said = [0];
    std::io::Read::read_exact(flipper.stderr.as_mut().unwrap(), &mut said).unwrap();
    let looked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| look(&seat)));
    assert!(flipper.try_wait().unwrap().is_none(), "it flips to the end");
    flipper.kill().unwrap();
    flipper.wait().unwrap();
    if let Err(panic) = looked {
        std::panic::resume_unwind(panic);
    }
}

/// Both on the file system that `parent` is on.
#[cfg(target_os = "linux")]
pub(crate) fn beside_renames(parent: &Path, looks: usize) {
    beside_a_flipper(parent, |seat| {
        search(seat, looks);
        list(seat, looks);
    });
}

fn search(seat: &Seat, looks: usize) {
    for look in 0..looks {
        // By its id, and by a part of it.
        for id in [FLIPPED[look % 3], &FLIPPED[look % 3][1..]] {
            let found = seat.inbox().find(id, &FindOptions::default()).unwrap();
            assert!(found.is_some(), "{id} was not found at look {look}");
        }
    }
}

fn list(seat: &Seat, looks: usize) {
    for look in 0..looks {
        let items = seat.inbox().list(&ListOptions::default()).items;
        let ids: BTreeSet<_> = items.iter().map(|item| &item.found.id).collect();
        assert_eq!((ids.len(), items.len()), (OTHERS + 3, OTHERS + 3), "look {look}");
    }
}

#[test]
fn an_item_that_exists_the_whole_time_is_found_every_time() {
    beside_a_flipper(&std::env::temp_dir(), |seat| search(seat, 100));
    say("200 searches beside renames: found every time");
}

#[test]
fn a_listing_shows_every_item_once_whatever_is_renamed() {
    beside_a_flipper(&std::env::temp_dir(), |seat| list(seat, 10));
    say("10 listings beside renames: every item once");
}

#[test]
fn an_id_that_says_nothing_and_a_root_that_is_none_find_nothing() {
    let seat = Seat::new();
    fs::write(seat.path("m1.yaml"), ITEM).unwrap();
    assert_eq!(seat.inbox().find("", &FindOptions::default()), Ok(None));
    assert_eq!(Inbox::at("/nowhere\0").find("m1", &FindOptions::default()), Ok(None));
}
