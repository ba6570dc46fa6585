//! A process may stop in the middle of a call, for as long as it likes: nobody waits for it, nobody takes
//! from it what it holds, and what it decided on before it held the item it decides again.
#![cfg(target_os = "linux")]

use std::fs;

use seatkit::inbox::{Failed, Refused};

use super::operation::{OPERATIONS, Operation};
use super::seat::{FILE, much_later, say};
use super::step::Step;
use super::strace::{SystemCall, can_trace, for_each, stop_behind, trace};

/// The calls after which a stopped process leaves something half done.
const HALFWAY: [&str; 6] = ["flock", "renameat2", "write", "pwrite64", "ftruncate", "fsync"];

#[test]
fn nobody_waits_for_a_stopped_process_and_nobody_takes_its_item() {
    if !can_trace() {
        return;
    }
    let stops = for_each(OPERATIONS, |operation| {
        let usual = operation.seat();
        let calls = trace(&usual, operation.call, &[]).calls;
        let usual = usual.only();
        let points = calls
            .iter()
            .filter(|call| HALFWAY.contains(&&*call.name) && !call.text.contains("LOCK_UN"));
        points
            .map(|call| {
                let seat = operation.seat();
                let stopped = stop_behind(&seat, operation.call, call);
                let before = seat.only();
                let told = format!("{}, stopped after {}", operation.name, call.text);
                for step in [Step::Claim, Step::ClaimNamed, Step::Reply, Step::Release] {
                    let word = step.take(seat.root()).word;
                    assert!(
                        ["busy", "not-claimable", "not-in-flight"].contains(&&*word),
                        "{step:?}: {word}; {told}"
                    );
                }
                let swept = seat.sweep(much_later());
                assert_eq!(swept.reopened, [], "{told}");
                // What is due and held is said, and nothing else is.
                let held = |failed: &Failed| failed.refusal.error == Refused::Busy;
                assert!(swept.failed.iter().all(held), "{:?}; {told}", swept.failed);
                assert_eq!(seat.only(), before, "{told}");

                assert_eq!(stopped.go_on().word, "ok", "{told}");
                let kept = seat.only();
                assert_eq!((&kept.name, kept.replied()), (&usual.name, usual.replied()), "{told}");
                assert_eq!(kept.own_bytes(), operation.item, "{told}");
            })
            .count()
    });
    say(&format!("processes stopped while they held an item: {stops}"));
}

/// An operation that was stopped right before it locked the item, and what it did after `meanwhile`.
fn overtaken(operation: &Operation, meanwhile: &[Step]) -> (String, String) {
    let calls = trace(&operation.seat(), operation.call, &[]).calls;
    let locks = |call: &SystemCall| call.name == "flock";
    let before = calls.iter().position(locks).unwrap() - 1;
    let seat = operation.seat();
    let stopped = stop_behind(&seat, operation.call, &calls[before]);
    for step in meanwhile {
        assert_eq!(step.take(seat.root()).word, "ok", "{step:?} beside {}", operation.name);
    }
    let left = seat.only();
    let answer = stopped.go_on();
    let kept = seat.only();
    assert_eq!(kept.own_bytes(), operation.item);
    if answer.word != "ok" {
        assert_eq!(kept, left, "{} after {meanwhile:?}: {answer:?}", operation.name);
    }
    (answer.word, kept.name.strip_prefix(FILE).unwrap().to_owned())
}

#[test]
fn what_was_decided_before_the_lock_is_decided_again_under_it() {
    if !can_trace() {
        return;
    }
    let on = |past, call| Operation { name: "a call", past, call, ..OPERATIONS[0] };
    let stale = on(&[Step::ClaimLongAgo], Step::SweepNow);
    for (operation, meanwhile, word, suffix) in [
        // A sweep that found a stale claim gives back neither a renewed one, nor a new one, nor an answered item.
        (stale, &[][..], "ok", ""),
        (stale, &[Step::Renew], "nothing", ".dispatched"),
        (stale, &[Step::Release, Step::Claim], "nothing", ".dispatched"),
        (stale, &[Step::Reply], "nothing", ".dispatched"),
        (stale, &[Step::Defer], "nothing", ".deferred"),
        (stale, &[Step::SweepNow], "nothing", ""),
        // A call goes after its item where that is still what it wants, and says so where it is not.
        (on(&[], Step::Claim), &[Step::Claim], "not-claimable", ".dispatched"),
        (on(&[], Step::Claim), &[Step::Claim, Step::Release], "ok", ".dispatched"),
        (on(&[], Step::Claim), &[Step::Defer], "not-claimable", ".deferred"),
        (on(&[], Step::Defer), &[Step::Claim], "ok", ".deferred"),
        (on(&[], Step::Defer), &[Step::Claim, Step::Reply], "already-replied", ".dispatched"),
        (on(&[Step::Claim], Step::Release), &[Step::Reply], "already-replied", ".dispatched"),
        (on(&[Step::Claim], Step::Reply), &[Step::Release], "not-in-flight", ""),
        (on(&[Step::Claim], Step::Done), &[Step::Defer], "not-in-flight", ".deferred"),
    ] {
        let came_of_it = overtaken(&operation, meanwhile);
        assert_eq!(
            came_of_it,
            (word.to_owned(), suffix.to_owned()),
            "{:?} after {meanwhile:?}",
            operation.call
        );
    }
}

/// An editor saves by putting a new file in the old one's place; a cleaner removes it. Neither locks.
#[test]
fn a_block_goes_to_the_file_that_was_locked_and_creates_none() {
    if !can_trace() {
        return;
    }
    let saved = b"id: m1\nsaved: by an editor\n";
    let points = for_each(OPERATIONS, |operation| {
        let calls = trace(&operation.seat(), operation.call, &[]).calls;
        // From the look on that tells whether the name still leads to the locked file.
        let held = calls
            .iter()
            .skip_while(|call| call.name != "flock")
            .skip_while(|call| call.name != "newfstatat")
            .take_while(|call| !call.text.contains("LOCK_UN"));
        held.map(|call| {
            for replaced in [true, false] {
                let seat = operation.seat();
                let stopped = stop_behind(&seat, operation.call, call);
                let left = seat.only();
                if replaced {
                    fs::write(seat.path(".saved"), saved).unwrap();
                    fs::rename(seat.path(".saved"), seat.path(&left.name)).unwrap();
                } else {
                    fs::remove_file(seat.path(&left.name)).unwrap();
                }
                let answer = stopped.go_on();
                let told = format!("{}, stopped after {}: {answer:?}", operation.name, call.text);
                let files = seat.files();
                if replaced {
                    assert_eq!(files.len(), 1, "{told}: {files:?}");
                    assert_eq!(files[0].bytes, saved, "{told}");
                } else {
                    assert_eq!(files, [], "{told}");
                }
            }
        })
        .count()
    });
    say(&format!("items replaced and removed under a call's hands: {points} each"));
}
