//! An item that goes to the archive is in one place at every moment, and never takes another's.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use seatkit::inbox::{
    ArchiveOptions, Archived, FindOptions, ListOptions, Refused, State, strip_markers,
};

use super::seat::{FILE, ID, ITEM, Seat, in_minutes, later_still, say};
use super::step::Step;
use super::strace::{Fault, can_trace, for_each, trace, trace_everything};

/// A seat whose item is processed.
fn processed() -> Seat {
    let seat = Seat::new();
    seat.deliver(FILE, ITEM);
    for step in [Step::Claim, Step::Done] {
        assert_eq!(step.take(seat.root()).word, "ok");
    }
    seat
}

/// Every file below the seat's `state`.
fn everything(seat: &Seat) -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from(seat.root()).join("state")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files
}

/// The item, wherever it is; its own bytes are whole.
fn one_place(seat: &Seat, told: &str) -> PathBuf {
    let mut files = everything(seat);
    assert_eq!(files.len(), 1, "{told}: {files:?}");
    let path = files.remove(0);
    assert!(path.ends_with(format!("{FILE}.processed")), "{told}");
    let bytes = fs::read(&path).unwrap();
    assert_eq!(strip_markers(&bytes), ITEM, "{told}");
    path
}

fn is_archived(path: &std::path::Path) -> bool {
    path.to_str().unwrap().contains("/state/inbox-archive/cohort/")
}

#[test]
fn a_process_killed_while_it_archives_leaves_the_item_in_one_place() {
    if !can_trace() {
        return;
    }
    let calls = trace_everything(&processed(), Step::Archive).calls;
    let points = for_each(&calls, |call| {
        let seat = processed();
        let killed = trace(&seat, Step::Archive, &[Fault::at(call, "signal=KILL")]);
        let told = format!("killed before {}", call.text);
        assert_eq!(killed.answer, None, "{told}");
        let left = one_place(&seat, &told);
        // It is found where it is, and the next one goes on.
        let options = FindOptions { archived: true, ..FindOptions::default() };
        let found = seat.inbox().find(ID, &options).unwrap();
        assert_eq!(found.unwrap().path, left, "{told}");
        let again = if is_archived(&left) { "nothing" } else { "ok" };
        assert_eq!(Step::Archive.take(seat.root()).word, again, "{told}");
        assert!(is_archived(&one_place(&seat, &told)), "{told}");
        1
    });
    say(&format!("crash points of an archiving: {points}"));
}

#[test]
fn an_archiving_that_fails_is_said_and_leaves_the_item_in_one_place() {
    if !can_trace() {
        return;
    }
    let calls = trace_everything(&processed(), Step::Archive).calls;
    let failures = for_each(&calls, |call| {
        if call.name == "close" {
            return 0;
        }
        for error in ["EIO", "ENOSPC", "EXDEV"] {
            let seat = processed();
            let fault = Fault::at(call, &format!("error={error}"));
            let answer = trace(&seat, Step::Archive, &[fault]).answer.unwrap();
            let told = format!("{error} at {}: {answer:?}", call.text);
            assert_eq!((&*answer.word, &*answer.code), ("io", error), "{told}");
            let left = one_place(&seat, &told);
            if call.name != "fsync" {
                assert!(!is_archived(&left), "{told}");
            }
            Step::Archive.take(seat.root());
            assert!(is_archived(&one_place(&seat, &told)), "{told}");
        }
        3
    });
    say(&format!("failures of an archiving: {failures}"));
}

#[test]
fn a_file_system_that_can_do_less_will_do_for_the_archive() {
    if !can_trace() {
        return;
    }
    let calls = trace_everything(&processed(), Step::Archive).calls;
    for call in calls {
        let errors: &[&str] = match &*call.name {
            "fsync" => &["EINVAL", "EOPNOTSUPP"],
            "renameat2" => &["EINVAL", "ENOSYS"],
            _ => &[],
        };
        for error in errors {
            let seat = processed();
            let fault = Fault::at(&call, &format!("error={error}"));
            let answer = trace(&seat, Step::Archive, &[fault]).answer.unwrap();
            assert_eq!(answer.word, "ok", "{error} at {}: {answer:?}", call.text);
            assert!(is_archived(&one_place(&seat, error)));
        }
    }
}

fn archive(seat: &Seat, older_than: Duration, ids: Option<&str>, dry_run: bool) -> Archived {
    let options = ArchiveOptions {
        now: in_minutes(60.0),
        older_than,
        ids: ids.map(|id| vec![id.to_owned()]),
        dry_run,
    };
    seat.inbox().archive(&options)
}

#[test]
fn a_name_that_is_taken_in_the_archive_is_a_conflict_and_both_stay() {
    let seat = processed();
    assert_eq!(Step::Archive.take(seat.root()).word, "ok");
    let first = everything(&seat);
    seat.deliver(&format!("{FILE}.processed"), b"another\n");
    fs::File::open(seat.path(&format!("{FILE}.processed")))
        .unwrap()
        .set_modified(SystemTime::now())
        .unwrap();
    let archived = archive(&seat, Duration::ZERO, None, false);
    assert_eq!(archived.archived, []);
    assert_eq!(archived.failed[0].refusal.error, Refused::Conflict);
    assert_eq!(seat.only().bytes, b"another\n");
    assert_eq!(strip_markers(&fs::read(&first[0]).unwrap()), ITEM);
    // Nor is the stem claimed or deferred again when it is delivered again.
    fs::rename(seat.path(&format!("{FILE}.processed")), seat.path(FILE)).unwrap();
    for step in [Step::Claim, Step::Defer, Step::ClaimNext] {
        let answer = step.take(seat.root());
        assert_eq!(answer.word, "conflict", "{step:?}: {answer:?}");
    }
    assert_eq!(seat.sweep(later_still()).failed, []);
    assert_eq!(seat.only().name, FILE);
    let listed = seat.inbox().list(&ListOptions::default()).items.remove(0);
    assert_eq!(listed.problem.unwrap().error, Refused::Conflict);
}

#[test]
fn only_what_is_old_enough_and_asked_for_goes_and_a_dry_run_says_it_beforehand() {
    let hour = Duration::from_secs(3600);
    let seat = processed();
    seat.deliver("m2.yaml", ITEM);
    seat.deliver("m3.yaml.dead", ITEM);
    seat.deliver("m4.yaml.deferred", ITEM);
    assert_eq!(archive(&seat, 2 * hour, None, false), Archived::default());
    assert_eq!(archive(&seat, Duration::ZERO, Some("m2"), false), Archived::default());
    let before = seat.files();
    let told = archive(&seat, Duration::ZERO, Some(ID), true);
    assert_eq!(seat.files(), before);
    assert!(!told.archived[0].path.exists());
    let done = archive(&seat, Duration::ZERO, Some(ID), false);
    assert_eq!(done, told);
    assert!(done.archived[0].path.exists());
    assert_eq!(seat.names(), ["m2.yaml", "m3.yaml.dead", "m4.yaml.deferred"]);
    let listed = |archived| {
        let options = ListOptions {
            archived,
            states: Some(vec![State::Processed]),
            ..ListOptions::default()
        };
        seat.inbox().list(&options).items.len()
    };
    assert_eq!((listed(false), listed(true)), (0, 1));
}

/// Nobody looks into a link, so nothing is put there either; nor does a link in the way stop the rest.
#[test]
fn an_archive_that_is_a_link_gets_nothing() {
    let archive = |seat: &Seat| PathBuf::from(seat.root()).join("state/inbox-archive");
    for link in ["cohort", "cohort/2026-09"] {
        let seat = Seat::new();
        let elsewhere = tempfile::tempdir().unwrap();
        seat.deliver(&format!("{FILE}.processed"), ITEM);
        let september = SystemTime::UNIX_EPOCH + Duration::from_secs(1_788_861_540);
        let file = fs::File::open(seat.path(&format!("{FILE}.processed"))).unwrap();
        file.set_modified(september).unwrap();
        let link = archive(&seat).join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        let told = archive_all(&seat);
        assert_eq!(told.archived, [], "{}", link.display());
        assert_eq!(told.failed[0].refusal.error, Refused::Linked);
        assert!(told.failed[0].refusal.message.contains(link.to_str().unwrap()));
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        assert_eq!(seat.only().bytes, ITEM);
    }
    // The owner of the seat may lay the archive itself elsewhere.
    let seat = processed();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), archive(&seat)).unwrap();
    assert_eq!(archive_all(&seat).archived.len(), 1);
    assert_eq!(shown(&seat), [ID]);
}

fn archive_all(seat: &Seat) -> Archived {
    archive(seat, Duration::ZERO, None, false)
}

/// The ids that a listing shows where the archive is asked for.
fn shown(seat: &Seat) -> Vec<String> {
    let options = ListOptions { archived: true, ..ListOptions::default() };
    let listed = seat.inbox().list(&options);
    assert_eq!(listed.failed, []);
    listed.items.into_iter().map(|item| item.found.id).collect()
}

#[test]
fn what_was_archived_is_shown_when_its_service_is_gone() {
    let seat = processed();
    assert_eq!(archive_all(&seat).archived.len(), 1);
    fs::remove_dir(seat.folder()).unwrap();
    assert_eq!(shown(&seat), [ID]);
    let options = FindOptions { archived: true, ..FindOptions::default() };
    assert_eq!(seat.inbox().find(ID, &options).unwrap().unwrap().id, ID);
}

#[test]
fn a_dry_run_says_of_a_name_that_is_taken_what_the_run_would_say() {
    let seat = processed();
    assert_eq!(archive_all(&seat).archived.len(), 1);
    seat.deliver(&format!("{FILE}.processed"), b"another\n");
    let file = fs::File::open(seat.path(&format!("{FILE}.processed"))).unwrap();
    file.set_modified(SystemTime::now()).unwrap();
    let told = archive(&seat, Duration::ZERO, None, true);
    assert_eq!((&*told.archived, told.failed.len()), (&[][..], 1));
    assert_eq!(told, archive_all(&seat));
}

/// A clock that was ahead for a while: the item does not wait for that day.
#[test]
fn what_seems_to_come_from_the_future_is_archived() {
    let day = Duration::from_secs(86_400);
    let seat = processed();
    let file = fs::File::open(seat.path(&format!("{FILE}.processed"))).unwrap();
    file.set_modified(SystemTime::now() + 365 * day).unwrap();
    assert_eq!(archive(&seat, 400 * day, None, false), Archived::default());
    assert_eq!(archive(&seat, day, None, false).archived.len(), 1);
    assert_eq!(shown(&seat), [ID]);
}
