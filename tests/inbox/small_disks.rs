//! Disks that are full, read-only or laid over each other, mounted in a mount namespace of their own.
#![cfg(target_os = "linux")]

use seatkit::inbox::ListOptions;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::operation::OPERATIONS;
use super::process::{answer, command_under};
use super::seat::{Seat, say};

/// Runs `task` where it may mount, or says aloud that nothing here may.
pub(crate) fn where_mounts_are_allowed(task: &str) {
    let place = tempfile::tempdir().unwrap();
    let place = place.path().to_str().unwrap();
    let as_root: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    for options in as_root {
        let may = Command::new("unshare")
            .args(options)
            .args(["mount", "-t", "tmpfs", "none", place])
            .output()
            .is_ok_and(|output| output.status.success());
        if may {
            let options: Vec<_> = options.iter().map(|&option| option.to_owned()).collect();
            let output =
                command_under("unshare", &options, &["small-disk", task, place]).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{said}");
            return say(said.trim_end());
        }
    }
    say(&format!("SKIPPED: {task}: mounting is not allowed here"));
}

/// What a process in its own mount namespace does.
pub(crate) fn on_small_disk(task: &str, place: &str) {
    let place = Path::new(place);
    match task {
        "full" => on_a_full_disk(place),
        "read-only" => on_a_read_only_disk(place),
        "overlay" => on_an_overlay(place),
        other => super::file_systems::on_file_system(other, place),
    }
}

pub(crate) fn mount(arguments: &[&str]) {
    let output = Command::new("mount").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_full_disk_refuses_a_block_and_keeps_the_item() {
    where_mounts_are_allowed("full");
}

/// Items that end right before the end of a page, so that their block needs another, which is not there.
fn on_a_full_disk(place: &Path) {
    mount(&["-t", "tmpfs", "-o", "size=128k", "none", text(place)]);
    let mut refused = 0;
    for operation in OPERATIONS {
        for into_the_page in (0..220).step_by(9) {
            let operation = operation.sized(4096 - into_the_page);
            let seat = operation.seat_below(place);
            let before = seat.only();
            let filler = place.join("filler");
            let _ = fs::write(&filler, vec![0; 256 * 1024]);
            let answer = operation.call.take(seat.root());
            let told = format!("{} of {} bytes: {answer:?}", operation.name, operation.item.len());
            if answer.word != "ok" {
                refused += 1;
                assert!(!operation.needs_no_space(), "{told}");
                assert_eq!((&*answer.word, &*answer.code), ("io", "ENOSPC"), "{told}");
                assert_eq!(seat.only(), before, "{told}");
                fs::remove_file(&filler).unwrap();
                assert_eq!(operation.call.take(seat.root()).word, "ok", "{told}");
            }
            assert_eq!(seat.only().own_bytes(), operation.item, "{told}");
            let _ = fs::remove_file(&filler);
        }
    }
    assert!(refused > 100, "the disk was full: {refused}");
    answer(&format!("calls refused by a full disk: {refused}"));
}

#[test]
fn a_read_only_disk_is_said_to_be_one() {
    where_mounts_are_allowed("read-only");
}

fn on_a_read_only_disk(place: &Path) {
    mount(&["-t", "tmpfs", "none", text(place)]);
    for operation in OPERATIONS {
        let seat = operation.seat_below(place);
        let before = seat.only();
        mount(&["--bind", seat.root(), seat.root()]);
        mount(&["-o", "remount,bind,ro", seat.root()]);
        let answer = operation.call.take(seat.root());
        assert_eq!((&*answer.word, &*answer.code), ("io", "EROFS"), "{}", operation.name);
        assert_eq!(seat.only(), before, "{}", operation.name);
        let listed = seat.inbox().list(&ListOptions::default()).items;
        assert_eq!(listed.len(), 1, "what cannot be changed can be read");
        let output = Command::new("umount").arg(seat.root()).output().unwrap();
        assert!(output.status.success());
    }
    answer(&format!("calls refused by a read-only disk: {}", OPERATIONS.len()));
}

#[test]
fn an_item_of_a_lower_layer_lives_a_whole_life_on_an_overlay() {
    where_mounts_are_allowed("overlay");
}

/// The items come from the lower layer, on the same file system as the upper one and on another.
fn on_an_overlay(place: &Path) {
    let elsewhere = tempfile::tempdir().unwrap();
    mount(&["-t", "tmpfs", "none", text(place)]);
    let mut calls = 0;
    for lower in [place, elsewhere.path()] {
        for (number, operation) in OPERATIONS.iter().enumerate() {
            let below = operation.seat_below(lower);
            let before = below.only();
            let [upper, work]: [PathBuf; 2] =
                ["upper", "work"].map(|name| place.join(format!("{name}-{number}")));
            fs::create_dir_all(&upper).unwrap();
            fs::create_dir_all(&work).unwrap();
            let merged = Seat::below(place);
            let layers = format!(
                "lowerdir={},upperdir={},workdir={}",
                below.root(),
                text(&upper),
                text(&work)
            );
            mount(&["-t", "overlay", "overlay", "-o", &layers, merged.root()]);

            let answer = operation.call.take(merged.root());
            assert_eq!(answer.word, "ok", "{}: {answer:?}", operation.name);
            assert_eq!(merged.only().own_bytes(), operation.item, "{}", operation.name);
            assert_eq!(below.only(), before, "the lower layer stays: {}", operation.name);
            merged.sweep(super::seat::much_later());
            assert_eq!(merged.only().own_bytes(), operation.item, "{}", operation.name);

            let output = Command::new("umount").arg(merged.root()).output().unwrap();
            assert!(output.status.success());
            fs::remove_dir_all(&upper).unwrap();
            fs::remove_dir_all(&work).unwrap();
            calls += 1;
        }
    }
    answer(&format!("calls on an overlay: {calls}"));
}
