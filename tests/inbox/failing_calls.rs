//! Any system call may fail: the answer says so, and the item is as it was.
#![cfg(target_os = "linux")]

use std::slice;

use super::operation::{OPERATIONS, Operation};
use super::seat::{FILE, Kept, Seat, later_still, much_later, say};
use super::step::Step;
use super::strace::{Fault, SystemCall, can_trace, for_each, trace};

/// How a system call of this name may fail.
fn errors_of(call: &SystemCall) -> &'static [&'static str] {
    match &*call.name {
        "openat" => &["EACCES", "EIO", "EMFILE", "EPERM", "EROFS"],
        "flock" => &["ENOLCK", "ENOSYS", "EIO"],
        "fstat" | "newfstatat" => &["EACCES", "EIO"],
        "lseek" | "getdents64" | "pread64" | "fcntl" | "close" => &["EIO"],
        "utimensat" => &["EACCES", "EROFS", "EIO"],
        // How often an item was claimed: what cannot be kept is no reason not to claim.
        "fgetxattr" | "fsetxattr" | "fremovexattr" => &["EOPNOTSUPP", "ENOSPC", "EIO"],
        "renameat2" | "renameat" => &["ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "EIO"],
        "write" | "pwrite64" => &["ENOSPC", "EDQUOT", "EIO"],
        "ftruncate" => &["ENOSPC", "EDQUOT", "EPERM", "EROFS", "EIO"],
        "fsync" => &["ENOSPC", "EDQUOT", "EIO", "EROFS"],
        other => panic!("nobody thought of a failing {other}"),
    }
}

/// Whether a call can do without this: the kernel closes and unlocks whatever it answers, and attempts are kept where
/// they can be.
fn is_dispensable(call: &SystemCall) -> bool {
    call.name == "close" || call.name.ends_with("xattr") || call.text.contains("LOCK_UN")
}

/// What the operation answers without this: a sweep that goes by the attempts says where they cannot be known.
fn without(operation: &Operation, call: &SystemCall) -> &'static str {
    if operation.call == Step::SweepAndGiveUp && call.name == "fgetxattr" {
        "no-attempts"
    } else {
        "ok"
    }
}

/// One of the errors that the system call may fail with, another one for each operation.
fn error_for(operation: &Operation, call: &SystemCall) -> &'static str {
    let errors = errors_of(call);
    let number = OPERATIONS.iter().position(|other| other.name == operation.name);
    errors[number.unwrap() % errors.len()]
}

/// Runs `check` for every system call of every operation, and says how many failures that were.
fn for_every_system_call(what: &str, check: impl Fn(&Operation, &SystemCall) -> usize + Sync) {
    if !can_trace() {
        return;
    }
    let calls = for_each(OPERATIONS, |operation| {
        let calls = trace(&operation.seat(), operation.call, &[]).calls;
        calls.iter().map(|call| check(operation, call)).sum()
    });
    say(&format!("system calls {what}: {calls}"));
}

#[test]
fn a_system_call_that_fails_is_answered_with_its_errno_and_what_was_done_is_undone() {
    for_every_system_call("failed once", |operation, call| {
        let error = error_for(operation, call);
        let seat = operation.seat();
        let before = seat.only();
        let fault = Fault::at(call, &format!("error={error}"));
        let answer = trace(&seat, operation.call, &[fault]).answer.unwrap();
        let told = format!("{}, {error} at {}: {answer:?}", operation.name, call.text);
        let after = seat.only();
        assert_eq!(after.own_bytes(), before.own_bytes(), "{told}");
        if is_dispensable(call) {
            assert_eq!(answer.word, without(operation, call), "{told}");
            return 1;
        }
        assert_eq!((&*answer.word, &*answer.code), ("io", error), "{told}");
        if call.name == "fsync" {
            assert!(answer.message.contains("may not outlive a power cut"), "{told}");
            is_kept(operation, &seat, &told);
        } else {
            assert_eq!(after, before, "{told}");
        }
        1
    });
}

#[test]
fn a_system_that_fails_from_some_call_on_neither_loses_nor_doubles_an_item() {
    for_every_system_call("failed for good", |operation, call| {
        let error = error_for(operation, call);
        let seat = operation.seat();
        let before = seat.only();
        let fault = Fault::from(call, &format!("error={error}"));
        let answer = trace(&seat, operation.call, &[fault]).answer.unwrap();
        let told = format!("{}, {error} from {} on: {answer:?}", operation.name, call.text);
        assert_eq!(seat.only().own_bytes(), before.own_bytes(), "{told}");
        if is_dispensable(call) {
            assert_eq!(answer.word, without(operation, call), "{told}");
            return 1;
        }
        assert_eq!((&*answer.word, &*answer.code), ("io", error), "{told}");
        if operation.was_replied() || call.name == "fsync" {
            is_kept(operation, &seat, &told);
        } else {
            let dead = operation.is_of_the_dead() && seat.only().name.ends_with(".yaml.dead");
            seat.sweep(later_still());
            let kept = seat.only();
            let name = if dead { format!("{FILE}.dead") } else { FILE.to_owned() };
            assert_eq!((&*kept.name, kept.own_bytes()), (&*name, operation.item), "{told}");
        }
        1
    });
}

/// Asserts that what was finished or replied to is never given back.
fn is_kept(operation: &Operation, seat: &Seat, told: &str) {
    let left = seat.only();
    assert!(left.replied() || left.name.ends_with(".processed"), "{told}: {left:?}");
    seat.sweep(much_later());
    let kept = seat.only();
    assert_eq!(kept.name, format!("{FILE}.processed"), "{told}");
    assert_eq!((kept.own_bytes(), kept.bytes.len()), (operation.item, left.bytes.len()), "{told}");
}

/// A system call that is interrupted is called again; one that is answered so for ever is no system's.
#[test]
fn an_interrupted_system_call_is_made_again() {
    let interrupted = [
        "openat",
        "flock",
        "getdents64",
        "pread64",
        "renameat2",
        "write",
        "pwrite64",
        "ftruncate",
        "fsync",
    ];
    for_every_system_call("interrupted", |operation, call| {
        if !interrupted.contains(&&*call.name) {
            return 0;
        }
        let seat = operation.seat();
        let answer =
            trace(&seat, operation.call, &[Fault::at(call, "error=EINTR")]).answer.unwrap();
        assert_eq!(answer.word, "ok", "{}, EINTR at {}: {answer:?}", operation.name, call.text);
        1
    });
}

/// A write that takes less than it was given means that there is no more space.
#[test]
fn a_short_write_is_taken_back() {
    for_every_system_call("written short", |operation, call| {
        if !matches!(&*call.name, "write" | "pwrite64") {
            return 0;
        }
        for written in ["retval=0", "retval=10"] {
            let seat = operation.seat();
            let before = seat.only();
            let answer = trace(&seat, operation.call, &[Fault::at(call, written)]).answer.unwrap();
            let told = format!("{}, {written} at {}: {answer:?}", operation.name, call.text);
            assert_eq!((&*answer.word, &*answer.code), ("io", "ENOSPC"), "{told}");
            assert_eq!(seat.only(), before, "{told}");
        }
        2
    });
}

#[test]
fn an_inbox_that_cannot_be_read_is_not_an_empty_one() {
    if !can_trace() {
        return;
    }
    for call in [Step::Find, Step::List] {
        let seat = OPERATIONS[0].seat();
        for at in trace(&seat, call, &[]).calls {
            for error in errors_of(&at) {
                let fault = Fault::at(&at, &format!("error={error}"));
                let answer = trace(&seat, call, &[fault]).answer.unwrap();
                let told = format!("{call:?}, {error} at {}: {answer:?}", at.text);
                // A search goes by what this user may read: of a service it may not, nothing.
                let unseen = call == Step::Find
                    && ["EACCES", "EPERM"].contains(error)
                    && answer.word == "nothing";
                if is_dispensable(&at) {
                    assert_eq!(answer.word, "ok", "{told}");
                } else if !unseen {
                    assert_eq!((&*answer.word, &*answer.code), ("io", *error), "{told}");
                }
            }
        }
    }
}

/// NFS, some FUSE and ZFS know no `RENAME_NOREPLACE`: every call works without it, and replaces nothing.
#[test]
fn a_file_system_without_the_rename_flag_will_do() {
    if !can_trace() {
        return;
    }
    for_each(OPERATIONS, |operation| {
        for error in ["EINVAL", "ENOSYS", "EOPNOTSUPP"] {
            let refused = Fault::always("renameat2", &format!("error={error}"));
            let (with, without) = (operation.seat(), operation.seat());
            assert_eq!(operation.call.take(with.root()).word, "ok");
            let traced = trace(&without, operation.call, slice::from_ref(&refused));
            let told = format!("{}, {error} at renameat2: {:?}", operation.name, traced.answer);
            assert_eq!(traced.answer.unwrap().word, "ok", "{told}");
            assert_eq!(shape(&without.only()), shape(&with.only()), "{told}");

            // And when the rename that takes its place fails too.
            for call in traced.calls.iter().filter(|call| call.name == "renameat") {
                let seat = operation.seat();
                let before = seat.only();
                let faults = [refused.clone(), Fault::at(call, "error=EACCES")];
                let answer = trace(&seat, operation.call, &faults).answer.unwrap();
                assert_eq!((&*answer.word, &*answer.code), ("io", "EACCES"), "{told}");
                assert_eq!(seat.only(), before, "{told}");
            }
        }
        1
    });
}

/// NFS without its lock server, and systems that know no locks: nothing is done without one, and each call says why.
#[test]
fn a_file_system_without_locks_is_said_to_have_none_and_nothing_changes() {
    if !can_trace() {
        return;
    }
    for_each(OPERATIONS, |operation| {
        for error in ["ENOLCK", "ENOSYS"] {
            let seat = operation.seat();
            let before = seat.only();
            let refused = Fault::always("flock", &format!("error={error}"));
            let answer = trace(&seat, operation.call, slice::from_ref(&refused)).answer.unwrap();
            let told = format!("{}, {error} at flock: {answer:?}", operation.name);
            assert_eq!((&*answer.word, &*answer.code), ("io", error), "{told}");
            assert!(answer.message.contains("could not lock"), "{told}");
            assert!(answer.message.contains(FILE), "{told}");
            assert_eq!(seat.only(), before, "{told}");
            for look in [Step::Find, Step::List] {
                let answer = trace(&seat, look, slice::from_ref(&refused)).answer.unwrap();
                assert_eq!(answer.word, "ok", "{told}: looks take no lock");
            }
        }
        1
    });
}

/// tox-dev/filelock#669: NFS says `ESTALE` of a name that it remembers, and whose file another machine took away. That is no
/// fault of the item's: whoever meets it once looks again, and whoever meets it always is told that it is not there.
#[test]
fn a_handle_that_went_stale_is_a_name_that_leads_nowhere() {
    if !can_trace() {
        return;
    }
    for_each(OPERATIONS, |operation| {
        let named = |call: &&SystemCall| {
            let looks = ["openat", "newfstatat", "flock", "pread64", "fstat"];
            looks.contains(&&*call.name) && call.text.contains(".yaml")
        };
        let calls = trace(&operation.seat(), operation.call, &[]).calls;
        let first_change =
            calls.iter().position(|call| call.name == "utimensat" || call.name == "renameat2");
        let before = &calls[..first_change.unwrap_or(calls.len())];
        for call in before.iter().filter(named).take(3) {
            let seat = operation.seat();
            let once = trace(&seat, operation.call, &[Fault::at(call, "error=ESTALE")]);
            let answer = once.answer.unwrap();
            let told = format!("{}, ESTALE at {}: {answer:?}", operation.name, call.text);
            assert!(["ok", "nothing"].contains(&&*answer.word), "{told}");
            assert_eq!(seat.only().own_bytes(), operation.item, "{told}");
        }
        let seat = operation.seat();
        let before = seat.only();
        let always = Fault::always("openat", "error=ESTALE");
        let answer = trace(&seat, Step::List, slice::from_ref(&always)).answer.unwrap();
        assert_ne!(answer.word, "ok", "{}: {answer:?}", operation.name);
        assert_eq!(seat.only(), before, "{}", operation.name);
        1
    });
}

/// Where an item's attributes cannot be kept, all goes on without them, and the listing says that they are not known.
#[test]
fn a_file_system_without_attributes_will_do() {
    if !can_trace() {
        return;
    }
    for_each(OPERATIONS, |operation| {
        for error in ["EOPNOTSUPP", "ENOSYS", "EPERM"] {
            let faults = ["fgetxattr", "fsetxattr", "fremovexattr"]
                .map(|call| Fault::always(call, &format!("error={error}")));
            let (with, without) = (operation.seat(), operation.seat());
            let gives_up = operation.call == Step::SweepAndGiveUp;
            assert_eq!(operation.call.take(with.root()).word, "ok");
            let answer = trace(&without, operation.call, &faults).answer.unwrap();
            let told = format!("{}, {error}: {answer:?}", operation.name);
            assert_eq!(answer.word, if gives_up { "no-attempts" } else { "ok" }, "{told}");
            if !gives_up {
                assert_eq!(shape(&without.only()), shape(&with.only()), "{told}");
            }
        }
        1
    });
}

/// FUSE and SMB may know no `fsync`: a call that did all there is to do has not failed.
#[test]
fn a_file_system_that_cannot_sync_will_do() {
    if !can_trace() {
        return;
    }
    for_each(OPERATIONS, |operation| {
        for error in ["EINVAL", "EOPNOTSUPP"] {
            let refused = Fault::always("fsync", &format!("error={error}"));
            let (with, without) = (operation.seat(), operation.seat());
            assert_eq!(operation.call.take(with.root()).word, "ok");
            let answer = trace(&without, operation.call, slice::from_ref(&refused)).answer;
            let told = format!("{}, {error} at fsync: {answer:?}", operation.name);
            assert_eq!(answer.unwrap().word, "ok", "{told}");
            assert_eq!(shape(&without.only()), shape(&with.only()), "{told}");
        }
        1
    });
}

/// All of a file but what its clock says.
fn shape(kept: &Kept) -> (&str, &[u8], usize, bool) {
    (&kept.name, kept.own_bytes(), kept.bytes.len(), kept.replied())
}

#[test]
fn without_the_rename_flag_a_taken_name_is_a_conflict_all_the_same() {
    if !can_trace() {
        return;
    }
    for (past, call, taken) in [
        (&[][..], Step::Claim, ".dispatched"),
        (&[], Step::Defer, ".dispatched"),
        (&[], Step::Defer, ".deferred"),
        (&[Step::Claim], Step::Defer, ".deferred"),
        (&[Step::Claim], Step::Done, ".processed"),
        (&[Step::Claim], Step::Release, ""),
        (&[Step::Claim], Step::Sweep, ""),
    ] {
        for fault in ["error=EINVAL", "error=EEXIST"] {
            let operation = Operation { past, call, ..OPERATIONS[0] };
            let seat = operation.seat();
            seat.deliver(&format!("{FILE}{taken}"), b"another\n");
            let before = seat.files();
            let fault = Fault::always("renameat2", fault);
            let answer = trace(&seat, call, &[fault]).answer.unwrap();
            assert_eq!(answer.word, "conflict", "{call:?} onto {taken}");
            assert_eq!(seat.files(), before, "{call:?} onto {taken}");
        }
    }
}
