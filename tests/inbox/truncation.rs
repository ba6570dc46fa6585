//! A block may be torn anywhere by a crash or a power cut: what is complete of it is read, and the item's
//! own bytes come back.

use seatkit::inbox::{Markers, parse_markers, strip_markers};

use super::operation::{OPERATIONS, Operation};
use super::seat::{FILE, Seat, later_still, say};

/// The file of an operation with its block, cut at every byte of its block.
fn for_every_cut(check: impl Fn(&Operation, &[u8], usize) -> bool) -> usize {
    let mut cuts = 0;
    for operation in OPERATIONS {
        let seat = operation.seat();
        operation.call.take(seat.root());
        let bytes = seat.only().bytes;
        for cut in operation.item.len()..=bytes.len() {
            cuts += usize::from(check(operation, &bytes, cut));
        }
    }
    cuts
}

/// What the complete lines of a block say, read without the engine's help.
fn said_by(block: &str) -> Markers {
    let mut markers = Markers::default();
    let complete = block.rfind('\n').map_or("", |end| &block[..end]);
    for line in complete.lines().filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(':').unwrap();
        let value = serde_json::from_str(value.trim()).unwrap();
        match key {
            "claimed_by" => markers.claimed_by = value,
            "claimed_at" => markers.claimed_at = value,
            "claim_token" => markers.claim_token = value,
            "deferred_until" => markers.deferred_until = value,
            "deferred_reason" => markers.deferred_reason = value,
            "replied_at" => markers.replied_at = value,
            "failed_at" => markers.failed_at = value,
            "failed_reason" => markers.failed_reason = value,
            other => panic!("{other} is no key"),
        }
    }
    markers
}

#[test]
fn a_torn_block_reads_as_what_is_complete_of_it() {
    let cuts = for_every_cut(|operation, bytes, cut| {
        let block = std::str::from_utf8(&bytes[operation.item.len()..cut]).unwrap();
        assert_eq!(parse_markers(&bytes[..cut]), said_by(block), "{}: {block:?}", operation.name);
        true
    });
    say(&format!("blocks cut at every byte: {cuts}"));
}

#[test]
fn an_item_under_a_torn_block_has_its_own_bytes() {
    for_every_cut(|operation, bytes, cut| {
        let block = std::str::from_utf8(&bytes[operation.item.len()..cut]).unwrap();
        let own = strip_markers(&bytes[..cut]);
        match what_tells_a_block(operation, block) {
            Told::Whole => assert_eq!(own, operation.item, "{}: {block:?}", operation.name),
            Told::ButForTheBreak => {
                assert_eq!(own, [operation.item, b"\n"].concat(), "{block:?}");
            }
            Told::Not => assert_eq!(own, &bytes[..cut], "{block:?}"),
        }
        true
    });
}

#[test]
fn a_sweep_gives_back_an_item_under_a_torn_block() {
    let came_back = for_every_cut(|operation, bytes, cut| {
        let block = std::str::from_utf8(&bytes[operation.item.len()..cut]).unwrap();
        let replied = said_by(block).replied_at.is_some();
        if !matches!(what_tells_a_block(operation, block), Told::Whole) || replied || cut % 3 != 0 {
            return false;
        }
        let seat = Seat::new();
        seat.deliver(&format!("{FILE}.dispatched"), &bytes[..cut]);
        assert_eq!(seat.sweep(later_still()).failed, []);
        let kept = seat.only();
        assert_eq!(
            (&*kept.name, &*kept.bytes),
            (FILE, operation.item),
            "{}: {block:?}",
            operation.name
        );
        true
    });
    say(&format!("items given back from under a torn block: {came_back}"));
}

/// What is left of a block that could be distinguished from an item's own text.
enum Told {
    /// All of it.
    Whole,
    /// Not yet that the line break before it came with it: this stands after the first colon.
    ButForTheBreak,
    /// Nothing: text without a whole key and its colon is the item's own.
    Not,
}

fn what_tells_a_block(operation: &Operation, block: &str) -> Told {
    let ended = operation.item.ends_with(b"\n");
    if block.is_empty() || ended && block.contains(':') || block.contains(":  ") {
        Told::Whole
    } else if block.contains(':') {
        Told::ButForTheBreak
    } else {
        Told::Not
    }
}
