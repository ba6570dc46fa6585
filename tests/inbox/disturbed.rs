//! People and agents edit files: what was added after the marker lines of an item stays in it, and is in nobody's way.
#![cfg(target_os = "linux")]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use seatkit::inbox::{ListOptions, Refused, parse_markers};

use super::seat::{FILE, ITEM, Kept, Seat, later_still, much_later, say};
use super::step::Step;
use super::strace::{Fault, SystemCall, can_trace, for_each, stop_behind, trace, trace_everything};

const ADDED: &str = "draft: thanks\n";

/// An item with a past, to which somebody added something before a call.
#[derive(Clone, Copy, Debug)]
struct Disturbed {
    past: &'static [Step],
    call: Step,
    /// How its file's name ends after the call.
    to: &'static str,
}

const fn after(past: &'static [Step], call: Step, to: &'static str) -> Disturbed {
    Disturbed { past, call, to }
}

/// The calls that put a new file in the item's place.
const REPLACING: &[Disturbed] = &[
    after(&[Step::Claim], Step::Release, ""),
    after(&[Step::ClaimWithToken], Step::Renew, ".dispatched"),
    after(&[Step::Claim], Step::Defer, ".deferred"),
    after(&[Step::Claim], Step::Fail, ".deferred"),
    after(&[Step::ClaimWithToken], Step::FailForGood, ".dead"),
    after(&[Step::Claim], Step::Sweep, ""),
    after(&[Step::Claim], Step::SweepAndGiveUp, ".dead"),
    after(&[Step::Defer], Step::Sweep, ""),
    after(&[Step::Defer], Step::Reopen, ""),
    after(&[Step::Claim, Step::Fail], Step::Sweep, ""),
    after(&[Step::Claim, Step::FailForGood], Step::Revive, ""),
];

impl Disturbed {
    fn seat(&self) -> Seat {
        self.seat_with(ITEM, ADDED)
    }

    fn seat_with(&self, item: &[u8], added: &str) -> Seat {
        let seat = Seat::new();
        seat.deliver(FILE, item);
        fs::set_permissions(seat.path(FILE), fs::Permissions::from_mode(0o640)).unwrap();
        for step in self.past {
            assert_eq!(step.take(seat.root()).word, "ok", "{self:?}");
        }
        let mut file = OpenOptions::new().append(true).open(seat.path(&seat.only().name)).unwrap();
        file.write_all(added.as_bytes()).unwrap();
        seat
    }
}

/// The item's text without its marker lines, read without the engine's help.
fn without_markers(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).unwrap();
    let is_marker = |line: &&str| {
        ["claimed_", "claim_token", "deferred_", "failed_"].iter().any(|key| line.starts_with(key))
    };
    text.split_inclusive('\n').filter(|line| !is_marker(line)).collect()
}

#[test]
fn what_was_added_stays_and_the_marker_lines_go() {
    for disturbed in REPLACING {
        for added in [
            ADDED,
            "# seen\n",
            "\n",
            "\n\n# by the editor\nnote: |\n  x\n",
            "---\nnote: x\n",
            "...\n---\nnote: x\n",
        ] {
            for item in [ITEM, &ITEM[..ITEM.len() - 1]] {
                let seat = disturbed.seat_with(item, added);
                let listed = seat.inbox().list(&ListOptions::default()).items;
                let told = format!("{disturbed:?}, {added:?}");
                let answer = disturbed.call.take(seat.root());
                assert_eq!(answer.word, "ok", "{told}: {answer:?}");
                let kept = seat.only();
                assert_eq!(kept.name, format!("{FILE}{}", disturbed.to), "{told}");
                let expected = String::from_utf8(ITEM.to_vec()).unwrap() + added;
                assert_eq!(without_markers(&kept.bytes), expected, "{told}");
                if disturbed.to.is_empty() {
                    assert_eq!(kept.bytes, expected.as_bytes(), "{told}");
                } else {
                    assert_eq!(kept.own_bytes(), expected.as_bytes(), "{told}");
                }
                let mode = fs::metadata(seat.path(&kept.name)).unwrap().permissions();
                assert_eq!(mode.mode() & 0o7777, 0o640, "{told}");
                let attempts = seat.inbox().list(&ListOptions::default()).items[0].attempts;
                let forgotten = disturbed.call == Step::Revive;
                let before = listed[0].attempts;
                assert_eq!(attempts, if forgotten { Some(0) } else { before }, "{told}");
                if disturbed.call == Step::Renew {
                    let token = parse_markers(&kept.bytes).claim_token;
                    assert_eq!(token, listed[0].markers.claim_token);
                    assert!(token.is_some());
                }
            }
        }
    }
}

/// A reply is one append, whatever stands before it; what has been replied to is retired as it is.
#[test]
fn a_reply_and_an_end_leave_every_byte_where_it_was() {
    for (past, call, to) in [
        (&[Step::Claim][..], Step::Reply, ".dispatched"),
        (&[Step::Claim], Step::Done, ".processed"),
        (&[Step::Claim, Step::Reply], Step::Done, ".processed"),
        (&[Step::Claim, Step::Reply], Step::Sweep, ".processed"),
    ] {
        let disturbed = Disturbed { past, call, to };
        let seat = disturbed.seat();
        let before = seat.only();
        assert_eq!(call.take(seat.root()).word, "ok", "{disturbed:?}");
        let kept = seat.only();
        assert_eq!(kept.name, format!("{FILE}{to}"), "{disturbed:?}");
        assert!(kept.bytes.starts_with(&before.bytes), "{disturbed:?}");
        assert_eq!(kept.bytes != before.bytes, call == Step::Reply);
    }
    let replied = after(&[Step::Claim, Step::Reply], Step::Release, ".dispatched");
    for call in [Step::Release, Step::Defer, Step::Fail, Step::Renew] {
        assert_eq!(call.take(replied.seat().root()).word, "already-replied");
    }
}

#[test]
fn a_process_killed_while_it_replaces_an_item_leaves_one_that_comes_back() {
    if !can_trace() {
        return;
    }
    let points = for_each(REPLACING, |disturbed| {
        let calls = trace_everything(&disturbed.seat(), disturbed.call).calls;
        for call in &calls {
            let seat = disturbed.seat();
            let killed = trace(&seat, disturbed.call, &[Fault::at(call, "signal=KILL")]);
            let told = format!("{disturbed:?}, killed before {}", call.text);
            assert_eq!(killed.answer, None, "{told}");
            seat.only_item();
            let swept = seat.sweep(later_still());
            assert_eq!(swept.failed, [], "{told}");
            // One file: what the dead process left beside it was taken away.
            let mut kept = seat.only();
            if kept.name.ends_with(".yaml.dead") {
                assert_eq!(Step::Revive.take(seat.root()).word, "ok", "{told}");
                kept = seat.only();
            }
            let expected = [ITEM, ADDED.as_bytes()].concat();
            assert_eq!((&*kept.name, kept.bytes), (FILE, expected), "{told}");
        }
        calls.len()
    });
    say(&format!("crash points while an item is replaced: {points}"));
}

/// How a system call of this name may fail, once it is about this seat.
fn error_of(call: &SystemCall) -> Option<&'static str> {
    match &*call.name {
        "openat" | "fchmod" => Some("EACCES"),
        "write" | "pwrite64" | "fsync" => Some("ENOSPC"),
        "ftruncate" | "renameat2" | "pread64" | "fstat" | "newfstatat" | "flock" | "utimensat" => {
            Some("EIO")
        }
        // Nothing hangs on these: who owns the group, how often it was claimed, what is closed or taken away in the end.
        "fchown" | "close" | "unlinkat" | "lseek" | "getdents64" => None,
        xattr if xattr.ends_with("xattr") => None,
        other => panic!("nobody thought of a failing {other}"),
    }
}

#[test]
fn a_replacement_that_fails_half_way_is_taken_back() {
    if !can_trace() {
        return;
    }
    let failures = for_each(REPLACING, |disturbed| {
        let calls = trace_everything(&disturbed.seat(), disturbed.call).calls;
        let failing = calls.iter().filter(|call| !call.text.contains("LOCK_UN"));
        failing
            .filter_map(|call| Some((call, error_of(call)?)))
            .map(|(call, error)| {
                let seat = disturbed.seat();
                let before = seat.only();
                let fault = Fault::at(call, &format!("error={error}"));
                let answer = trace(&seat, disturbed.call, &[fault]).answer.unwrap();
                let told = format!("{disturbed:?}, {error} at {}: {answer:?}", call.text);
                assert_eq!((&*answer.word, &*answer.code), ("io", error), "{told}");
                assert_eq!(seat.only(), before, "{told}");
            })
            .count()
    });
    say(&format!("failures while an item is replaced: {failures}"));
}

fn exchange_of(disturbed: &Disturbed) -> SystemCall {
    let calls = trace_everything(&disturbed.seat(), disturbed.call).calls;
    let exchange = calls.into_iter().find(|call| call.text.contains("RENAME_EXCHANGE"));
    exchange.unwrap()
}

#[test]
fn where_files_cannot_be_exchanged_the_item_stays_and_is_said_to_be_disturbed() {
    if !can_trace() {
        return;
    }
    for disturbed in REPLACING {
        let exchange = exchange_of(disturbed);
        for error in ["EINVAL", "ENOSYS", "EOPNOTSUPP"] {
            let seat = disturbed.seat();
            let before = seat.only();
            let fault = Fault::at(&exchange, &format!("error={error}"));
            let answer = trace(&seat, disturbed.call, &[fault]).answer.unwrap();
            assert_eq!(answer.word, "disturbed", "{disturbed:?}: {answer:?}");
            assert!(answer.message.contains(FILE), "{answer:?}");
            assert_eq!(seat.only(), before, "{disturbed:?}");
        }
    }
}

/// Whoever has the file open writes into what is held right before the exchange, or puts another file in its place.
#[test]
fn what_another_writes_before_the_exchange_is_not_lost() {
    if !can_trace() {
        return;
    }
    for_each(REPLACING, |disturbed| {
        let exchange = exchange_of(disturbed);
        let calls = trace_everything(&disturbed.seat(), disturbed.call).calls;
        let before = calls
            .iter()
            .rfind(|call| call.name == "fsync" && call.text.contains(".seatkit-"))
            .unwrap();
        assert_ne!(before, &exchange);
        for replaced in [false, true] {
            let seat = disturbed.seat();
            let name = seat.only().name;
            let mut open = OpenOptions::new().append(true).open(seat.path(&name)).unwrap();
            let stopped = stop_behind(&seat, disturbed.call, before);
            let held = seat.only_item();
            let expected: Kept = if replaced {
                fs::write(seat.path(".saved"), "saved: by an editor\n").unwrap();
                fs::rename(seat.path(".saved"), seat.path(&held.name)).unwrap();
                seat.only_item()
            } else {
                open.write_all(b"more: text\n").unwrap();
                seat.only_item()
            };
            let answer = stopped.go_on();
            let told = format!("{disturbed:?}, replaced: {replaced}: {answer:?}");
            assert!(["busy", "claim-lost", "nothing"].contains(&&*answer.word), "{told}");
            assert_eq!(seat.only().bytes, expected.bytes, "{told}");
            if !replaced {
                seat.sweep(much_later());
                let kept = seat.only();
                assert!(without_markers(&kept.bytes).ends_with("draft: thanks\nmore: text\n"));
            }
        }
        1
    });
}

/// A search, a listing and a token see the markers of a disturbed item as those of any other.
#[test]
fn a_disturbed_item_tells_its_state_and_its_token_proves_the_claim() {
    let claim = after(&[Step::ClaimWithToken], Step::Release, "");
    let seat = claim.seat();
    let listed = seat.inbox().list(&ListOptions::default()).items;
    let markers = &listed[0].markers;
    assert_eq!(markers.claimed_by.as_deref(), Some("session"));
    let with = |token: &str| seatkit::inbox::Item {
        token: Some(token.to_owned()),
        ..seatkit::inbox::Item::id(super::seat::ID)
    };
    let service = super::seat::service();
    let wrong = seat.inbox().release(&service, &with("another"));
    assert_eq!(wrong.unwrap_err().error, Refused::ClaimLost);
    let token = markers.claim_token.as_deref().unwrap();
    seat.inbox().release(&service, &with(token)).unwrap();
    assert_eq!(seat.only().name, FILE);
}
