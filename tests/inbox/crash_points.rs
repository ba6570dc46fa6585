//! A process may die between any two system calls: whatever it leaves, a sweep brings back.
#![cfg(target_os = "linux")]

use super::operation::{OPERATIONS, Operation};
use super::seat::{FILE, Seat, in_minutes, later_still, say};
use super::step::Step;
use super::strace::{Fault, can_trace, for_each, trace};

const KILL: &str = "signal=KILL";

/// The calls that change something, and may fail in doing so.
const CHANGES: [&str; 5] = ["utimensat", "renameat2", "write", "pwrite64", "ftruncate"];

#[test]
fn a_process_killed_before_any_system_call_leaves_an_item_that_comes_back() {
    if !can_trace() {
        return;
    }
    let points = for_each(OPERATIONS, |operation| {
        let calls = trace(&operation.seat(), operation.call, &[]).calls;
        for (at, call) in calls.iter().enumerate() {
            let seat = operation.seat();
            let killed = trace(&seat, operation.call, &[Fault::at(call, KILL)]);
            let told = format!("{}, killed before {}", operation.name, call.text);
            assert_eq!((killed.answer, killed.calls.len()), (None, at + 1), "{told}");
            comes_back(operation, &seat, &told);
        }
        calls.len()
    });
    say(&format!(
        "crash points: {} operations, killed before each of their {points} system calls on the inbox",
        OPERATIONS.len()
    ));
}

#[test]
fn a_process_killed_where_the_file_system_lacks_the_rename_flag_leaves_an_item_that_comes_back() {
    if !can_trace() {
        return;
    }
    let lacking = Fault::always("renameat2", "error=EINVAL");
    let points = for_each(OPERATIONS, |operation| {
        let faults = [lacking.clone()];
        let calls = trace(&operation.seat(), operation.call, &faults).calls;
        let renamed = calls.iter().skip_while(|call| call.name != "renameat2");
        let mut points = 0;
        for call in renamed.filter(|call| call.name != "renameat2") {
            let seat = operation.seat();
            let faults = [lacking.clone(), Fault::at(call, KILL)];
            let told = format!("{}, killed before {}", operation.name, call.text);
            assert_eq!(trace(&seat, operation.call, &faults).answer, None, "{told}");
            comes_back(operation, &seat, &told);
            points += 1;
        }
        points
    });
    say(&format!("crash points without the rename flag: {points}"));
}

#[test]
fn a_process_killed_while_it_undoes_a_failed_call_leaves_an_item_that_comes_back() {
    if !can_trace() {
        return;
    }
    let points = for_each(OPERATIONS, |operation| {
        let mut points = 0;
        let calls = trace(&operation.seat(), operation.call, &[]).calls;
        for change in calls.iter().filter(|call| CHANGES.contains(&&*call.name)) {
            let fails = Fault::at(change, "error=EIO");
            let failed =
                trace(&operation.seat(), operation.call, std::slice::from_ref(&fails)).calls;
            let failed_at =
                failed.iter().position(|call| call.name == change.name && call.nth == change.nth);
            for call in &failed[failed_at.unwrap()..] {
                // `strace` takes one fault a name; between two calls of one name there is another.
                if call.name == change.name {
                    continue;
                }
                let seat = operation.seat();
                let killed = trace(&seat, operation.call, &[fails.clone(), Fault::at(call, KILL)]);
                let told = format!(
                    "{}, failed at {}, killed before {}",
                    operation.name, change.text, call.text
                );
                assert_eq!(killed.answer, None, "{told}");
                comes_back(operation, &seat, &told);
                points += 1;
            }
        }
        points
    });
    say(&format!("crash points after a failed call: {points}"));
}

/// A process that is killed while it writes stops at the end of a page, and so may a disk that loses its
/// power. Items of every size that puts the end of a page somewhere into their block.
#[test]
fn a_block_half_written_to_the_end_of_a_page_leaves_an_item_that_comes_back() {
    const PAGE: usize = 4096;
    if !can_trace() {
        return;
    }
    let names = [
        "claim",
        "claim of an unended item",
        "deferral",
        "deferral of a claim",
        "deferral of an unended claim",
        "short deferral of a long claim",
        "reply",
        "second reply",
        "renewal",
        "renewal of a claim with a token",
        "failure",
        "failure of an unended item",
        "failure for good",
        "failure for good of an unended item",
        "sweep that gives a claim up",
    ];
    let operations = OPERATIONS.iter().filter(|operation| names.contains(&operation.name));
    let sized: Vec<_> = operations
        .flat_map(|operation| {
            (1..130).step_by(4).map(move |into_the_block| (operation, PAGE - into_the_block))
        })
        .collect();
    let torn = for_each(&sized, |(operation, size)| {
        let operation = operation.sized(*size);
        let seat = operation.seat();
        let before = seat.only().bytes;
        let calls = trace(&seat, operation.call, &[]).calls;
        let after = seat.only().bytes;
        let over = calls.iter().any(|call| call.name == "pwrite64");
        let cut = calls.iter().any(|call| call.name == "ftruncate");
        let rest = if cut { &[][..] } else { before.get(PAGE..).unwrap_or_default() };
        let written_from = if over || cut { *size } else { before.len() };
        // Up to its first whole key, what is left of a block is the item's own text (see `truncation`).
        let told_apart_from = written_from + "\ndeferred_until:  ".len();
        if after.len() <= PAGE || told_apart_from > PAGE {
            return 0;
        }
        let torn = Seat::new();
        let left = [&after[..PAGE], rest].concat();
        std::fs::write(torn.path(&format!("{FILE}.dispatched")), left).unwrap();
        comes_back(&operation, &torn, &format!("{} of {size} bytes, torn", operation.name));
        1
    });
    say(&format!("blocks torn at the end of a page: {torn}"));
}

/// Asserts that the item has one name and all its bytes, is in nobody's way for now, and is new again in
/// the end, or processed if it was answered.
fn comes_back(operation: &Operation, seat: &Seat, told: &str) {
    let left = seat.only();
    let answered = operation.was_replied() || operation.call == Step::Reply && left.replied();
    let finished = operation.call == Step::Done && left.name.ends_with(".processed");
    let dead = operation.is_of_the_dead() && left.name.ends_with(".yaml.dead");

    if operation.past.is_empty() {
        let swept = seat.sweep(in_minutes(19.0));
        assert_eq!((swept.reopened, swept.failed), (vec![], vec![]), "no orphan yet: {told}");
        assert_eq!(seat.only(), left, "{told}");
    }
    let swept = seat.sweep(later_still());
    assert_eq!(swept.failed, [], "{told}");
    let kept = seat.only();
    if answered || finished {
        assert_eq!(kept.name, format!("{FILE}.processed"), "{told}");
        assert_eq!(kept.replied(), answered, "{told}");
        assert_eq!(kept.own_bytes(), operation.item, "{told}");
    } else if dead {
        // Nobody waits for it, and it can be taken up again.
        assert_eq!(kept, left, "{told}");
        assert_eq!(kept.own_bytes(), operation.item, "{told}");
        assert_eq!(Step::Revive.take(seat.root()).word, "ok", "{told}");
        let revived = seat.only();
        assert_eq!((&*revived.name, &*revived.bytes), (FILE, operation.item), "{told}");
    } else {
        assert_eq!(kept.name, FILE, "{told}");
        assert!(
            kept.bytes == operation.item
                || kept.bytes == [operation.item, operation.left_over].concat(),
            "{told}: {}",
            String::from_utf8_lossy(&kept.bytes)
        );
    }
}
