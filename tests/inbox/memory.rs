//! A listing holds what it answers and no more, also beside a process that renames what is listed.
#![cfg(target_os = "linux")]

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use seatkit::inbox::{Inbox, ListOptions};

use super::process::{answer, command, lines_of};
use super::seat::{ITEM, Seat, say};

const ITEMS: usize = 4000;

fn stem(number: usize) -> String {
    format!("2026-09-08T09-59-00-000Z-item-{number:05}")
}

/// Claims and gives back all items in their order, with plain renames, until it is killed.
pub(crate) fn rename_all(root: &str) {
    answer("renaming");
    let path = |number| format!("{root}/state/inbox/cohort/{}.yaml", stem(number));
    loop {
        for number in 0..ITEMS {
            fs::rename(path(number), path(number) + ".dispatched").unwrap();
        }
        for number in 0..ITEMS {
            fs::rename(path(number) + ".dispatched", path(number)).unwrap();
        }
    }
}

/// How much memory a process has held at most when it has listed the inbox a few times, in kibibytes.
pub(crate) fn list_all(root: &str) {
    for _ in 0..3 {
        let listed = Inbox::at(root).list(&ListOptions::default());
        assert_eq!((listed.items.len(), listed.failed), (ITEMS, vec![]));
    }
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    answer(peak.trim().trim_end_matches(" kB"));
}

#[test]
fn a_listing_beside_renames_holds_no_more_than_one_at_rest() {
    let seat = Seat::new();
    for number in 0..ITEMS {
        fs::write(seat.path(&format!("{}.yaml", stem(number))), ITEM).unwrap();
    }
    seat.rest();
    let list = || {
        let said = lines_of(command(&["list-all", seat.root()]).spawn().unwrap());
        said.last().unwrap().parse::<usize>().unwrap()
    };
    let at_rest = list();
    let mut busy = command(&["rename-all", seat.root()]).spawn().unwrap();
    sleep(Duration::from_millis(50));
    let beside = std::panic::catch_unwind(list);
    busy.kill().unwrap();
    busy.wait().unwrap();
    let beside = beside.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    assert!(2 * beside < 3 * at_rest, "{beside} kB beside renames, {at_rest} kB at rest");
    say(&format!(
        "memory of a listing of {ITEMS}: {beside} kB beside renames, {at_rest} kB at rest"
    ));
}
