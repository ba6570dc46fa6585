//! Whatever an item holds and whatever is written after it, its own bytes come back.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use seatkit::inbox::{
    Claim, Deferral, Item, ListOptions, MarkerLines, Markers, Refused, marker_lines, parse_markers,
    strip_markers,
};

use super::seat::{FILE, ID, Kept, Seat, iso, service};

/// Pieces of which texts are made that come near a block.
const PIECES: [&str; 26] = [
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "  ",
    "\t",
    ":",
    "id: 1",
    "text",
    "---",
    "- a",
    "|",
    "\"",
    "é",
    "\u{2028}",
    "\u{85}",
    "\0",
    "claimed_by: \"session\"",
    "claimed_by:",
    "claimed_b",
    "cla",
    "replied_at: \"2026-09-08T10:00:00.000Z\"",
    "deferred_until:  ",
    "deferred_reason: 'x'",
    "claim_token: [",
];

fn near_a_block() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12)
        .prop_map(|pieces| pieces.concat().into_bytes())
}

/// Any bytes; and such as are likely to be taken for something else.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        near_a_block(),
        // Around the size of what is read of a file's end at once.
        (16_000_usize..17_000, near_a_block())
            .prop_map(|(length, end)| [vec![b'#'; length], end].concat()),
    ]
}

fn any_time() -> impl Strategy<Value = SystemTime> {
    (-8_640_000_000_000_000_i64..=8_640_000_000_000_000).prop_map(|millis| {
        let distance = Duration::from_millis(millis.unsigned_abs());
        if millis < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
    })
}

/// Lines of which YAML of all kinds is made: nested, quoted, folded, broken, of several documents.
const LINES: [&str; 30] = [
    "id: m1",
    "content: |",
    "content: >-",
    "  indented",
    "    deeper: x",
    "  - a",
    "- a",
    "list:",
    "- - b",
    "? key",
    ": value",
    "\"quoted\": x",
    "'it''s': y",
    "open: \"a",
    "b\"",
    "{a: 1}",
    "[1, 2]",
    "---",
    "...",
    "# note",
    "plain",
    "a: &x 1",
    "b: *x",
    "<<: {c: 1}",
    "claimed_by: me",
    "\"claimed_by\": me",
    "\tx: y",
    "",
    "key:",
    "!!map {}",
];

fn any_yaml() -> impl Strategy<Value = String> {
    (
        prop::collection::vec(prop::sample::select(&LINES[..]), 1..6),
        prop::sample::select(&["", "\n", "\r\n"][..]),
    )
        .prop_map(|(lines, end)| lines.join("\n") + end)
}

/// The item's own bytes under its block, which are all that it came with, or that without the block it came with: where
/// what looks like a torn block can be no such thing, YAML decides that it is the item's own text.
fn own_of<'b>(bytes: &'b [u8], with_block: &Kept) -> Option<&'b [u8]> {
    [strip_markers(bytes), bytes].into_iter().find(|own| with_block.own_bytes() == *own)
}

fn read_yaml(bytes: &[u8]) -> Option<serde_yaml::Value> {
    serde_yaml::from_slice(bytes).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// An item that is YAML keeps all it says, and says by whom it is claimed; or it is not claimed.
    #[test]
    fn an_item_that_could_be_read_can_be_read_when_it_is_claimed(text in any_yaml()) {
        let seat = Seat::new();
        seat.deliver(FILE, text.as_bytes());
        let own = strip_markers(text.as_bytes());
        let now = UNIX_EPOCH;
        if seat.inbox().claim(&service(), &Item::id(ID), &Claim::at(now)).is_err() {
            prop_assert_eq!(seat.only().bytes, text.as_bytes());
        } else if let Some(before) = read_yaml(own) {
            let after = read_yaml(&seat.only().bytes);
            prop_assert!(after.is_some(), "{text:?} could be read");
            let after = after.unwrap();
            prop_assert_eq!(after.get("claimed_by").and_then(|by| by.as_str()), Some("session"));
            for (key, value) in before.as_mapping().into_iter().flatten() {
                prop_assert!(after.get(key).is_some(), "{key:?}: {value:?} of {text:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn a_claim_and_its_release_are_the_identity(bytes in any_bytes(), by in any::<String>(), now in any_time(), token: bool) {
        let seat = Seat::new();
        seat.deliver(FILE, &bytes);
        let claim = Claim { now, claimed_by: by.clone(), token };
        match seat.inbox().claim(&service(), &Item::id(ID), &claim) {
            Ok(marked) => {
                let claimed = seat.only();
                let own = own_of(&bytes, &claimed);
                prop_assert!(own.is_some(), "{claimed:?}");
                let said = Markers {
                    claimed_by: Some(by),
                    claimed_at: Some(iso(now)),
                    claim_token: marked.token,
                    ..Markers::default()
                };
                prop_assert_eq!(parse_markers(&claimed.bytes), said);
                seat.inbox().release(&service(), &Item::id(ID)).unwrap();
                let released = seat.only();
                prop_assert_eq!((&*released.name, Some(&*released.bytes)), (FILE, own));
            }
            Err(refusal) => {
                let empty = if bytes.is_empty() { Refused::Busy } else { Refused::Unstampable };
                prop_assert_eq!(refusal.error, empty);
                prop_assert_eq!(seat.only().bytes, bytes);
            }
        }
    }

    #[test]
    fn a_deferral_of_a_claim_and_its_end_are_the_identity(bytes in any_bytes(), reason in any::<Option<String>>(), until in any_time(), claimed: bool) {
        let seat = Seat::new();
        seat.deliver(FILE, &bytes);
        let now = UNIX_EPOCH;
        if claimed && seat.inbox().claim(&service(), &Item::id(ID), &Claim::at(now)).is_err() {
            return Ok(());
        }
        let deferral = Deferral { now, until, reason: reason.clone() };
        if seat.inbox().defer(&service(), &Item::id(ID), &deferral).is_ok() {
            let deferred = seat.only();
            let own = own_of(&bytes, &deferred);
            prop_assert!(own.is_some(), "{deferred:?}");
            let said = Markers { deferred_until: Some(iso(until)), deferred_reason: reason, ..Markers::default() };
            prop_assert_eq!(parse_markers(&deferred.bytes), said);
            seat.sweep(until);
            let kept = seat.only();
            prop_assert_eq!((&*kept.name, Some(&*kept.bytes)), (FILE, own));
        }
    }

    #[test]
    fn what_is_rendered_is_what_is_parsed(item in "[a-z: \n]{0,40}\n", by in any::<Option<String>>(), reason in any::<Option<String>>(), until in any::<bool>(), now in any_time()) {
        let lines = MarkerLines {
            claim: by.clone().map(|by| (by, now)),
            deferred_until: until.then_some(now),
            deferred_reason: reason.clone(),
            replied_at: None,
        };
        let block = marker_lines(&lines);
        let said = Markers {
            claimed_at: by.as_ref().map(|_| iso(now)),
            claimed_by: by,
            deferred_until: until.then(|| iso(now)),
            deferred_reason: reason,
            ..Markers::default()
        };
        let text = item.clone() + &block;
        prop_assert_eq!(parse_markers(text.as_bytes()), said);
        prop_assert_eq!(strip_markers(text.as_bytes()), item.as_bytes());
    }

    #[test]
    fn what_is_no_block_is_the_items_own(bytes in any_bytes()) {
        let own = strip_markers(&bytes);
        prop_assert!(bytes.starts_with(own));
        if own.len() == bytes.len() {
            prop_assert_eq!(parse_markers(&bytes), Markers::default());
        }
        prop_assert_eq!(strip_markers(own), own);
        prop_assert_eq!(parse_markers(own), Markers::default());
    }

    #[test]
    fn the_end_of_a_file_tells_what_the_whole_file_tells(bytes in any_bytes()) {
        let seat = Seat::new();
        seat.deliver(FILE, &bytes);
        let listed = seat.inbox().list(&ListOptions::default()).items;
        prop_assert_eq!(&listed[0].markers, &parse_markers(&bytes));
    }
}

proptest! {
    // Every reply waits for the disk.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_reply_adds_to_a_claim_and_to_nothing_else(bytes in any_bytes(), times in prop::collection::vec(any_time(), 1..4)) {
        let seat = Seat::new();
        seat.deliver(FILE, &bytes);
        let now = UNIX_EPOCH;
        if seat.inbox().claim(&service(), &Item::id(ID), &Claim::at(now)).is_ok() {
            let claimed = seat.only();
            let own = own_of(&bytes, &claimed);
            prop_assert!(own.is_some(), "{claimed:?}");
            let claimed = parse_markers(&claimed.bytes);
            for time in times {
                seat.inbox().reply(&service(), &Item::id(ID), time).unwrap();
                let replied = seat.only();
                prop_assert_eq!(Some(replied.own_bytes()), own);
                let said = Markers { replied_at: Some(iso(time)), ..claimed.clone() };
                prop_assert_eq!(parse_markers(&replied.bytes), said);
            }
        }
    }
}
