//! An answer that was given is on the disk before the call says so.
#![cfg(target_os = "linux")]

use super::operation::OPERATIONS;
use super::step::Step;
use super::strace::{can_trace, trace};

#[test]
fn a_reply_and_an_end_sync_the_file_and_then_its_folder_before_they_answer() {
    if !can_trace() {
        return;
    }
    for operation in OPERATIONS {
        if !matches!(operation.call, Step::Reply | Step::Done) {
            continue;
        }
        let traced = trace(&operation.seat(), operation.call, &[]);
        assert_eq!(traced.answer.unwrap().word, "ok");
        let changes = ["write", "pwrite64", "ftruncate", "renameat2"];
        let last = traced.calls.iter().rposition(|call| changes.contains(&&*call.name));
        let mut synced: Vec<_> = traced.calls[last.unwrap()..]
            .iter()
            .filter(|call| call.name == "fsync")
            .map(|call| call.text.contains(".yaml"))
            .collect();
        // Twice where it was written by two descriptors.
        synced.dedup();
        assert_eq!(synced, [true, false], "{}: the item's file, then the folder", operation.name);
    }
}
