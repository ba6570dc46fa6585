//! Any item: it is claimed, answered, put off and given back with every byte that it had, and whoever could
//! read it can read it still; or it is refused, and nothing has changed.
//!
//! After a byte 0xFF stands what somebody adds to the item while it is claimed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use memchr::memmem;
use seatkit::inbox::{Refused, State, parse_markers, strip_markers};
use seatkit_fuzz::seat::{NOW, Seat, iso, time};
use serde_yaml::Value;

const KEYS: [&str; 6] = [
    "claimed_by",
    "claimed_at",
    "claim_token",
    "deferred_until",
    "deferred_reason",
    "replied_at",
];

/// What a reader is asked about at most: an alias takes as much memory as what it stands for.
const MAX_READ: usize = 4096;

fuzz_target!(|input: &[u8]| {
    let (item, added) = match input.iter().rposition(|byte| *byte == 0xff) {
        Some(at) => (&input[..at], Some(&input[at + 1..])),
        None => (input, None),
    };
    let own = strip_markers(item);
    let seat = Seat::with(item);
    if let Err(refusal) = seat.claim() {
        assert!(
            refusal.error == Refused::Unstampable
                || item.is_empty() && refusal.error == Refused::Busy,
            "{refusal}"
        );
        assert_eq!(seat.read(State::New), item);
        assert!(
            !(has_no_key(item) && could_carry_a_block(item)),
            "{refusal}"
        );
        return;
    }

    let claimed = seat.read(State::Claimed);
    assert!(claimed.starts_with(own));
    assert_eq!(strip_markers(&claimed), own);
    let said = parse_markers(&claimed);
    assert_eq!(said.claimed_by.as_deref(), Some("session"));
    assert_eq!(said.claimed_at, Some(iso(time(NOW))));
    assert!(said.claim_token.is_some());
    assert_eq!(seat.listed().markers, said);
    if is_readable(item) {
        assert!(is_readable(&claimed), "claimed, it cannot be read any more");
        // What was nothing but a block is nothing then.
        let left = serde_yaml::from_slice(own);
        assert!(
            matches!(left, Ok(Value::Mapping(_) | Value::Null)),
            "given back, it could not be read any more"
        );
    }
    assert!(seat.claim().is_err());

    // Answered, and then the same from the start: put off, and given back.
    seat.reply().expect("a claimed item is answered");
    assert_eq!(strip_markers(&seat.read(State::Claimed)), own);
    seat.sweep();
    assert_eq!(strip_markers(&seat.read(State::Processed)), own);

    let seat = Seat::with(item);
    seat.claim().expect("it was claimed before");
    let reason = String::from_utf8_lossy(item);
    let before = seat.read(State::Claimed);
    match seat.defer(&reason) {
        Ok(_) => {
            let parked = seat.read(State::Deferred);
            assert_eq!(strip_markers(&parked), own);
            assert_eq!(
                parse_markers(&parked).deferred_reason.as_deref(),
                Some(&*reason)
            );
        }
        // It has a key of its own that a deferral's block has, and a claim's has not.
        Err(refusal) => {
            assert_eq!(refusal.error, Refused::Unstampable, "{refusal}");
            assert_eq!(seat.read(State::Claimed), before);
        }
    }
    seat.sweep();
    assert_eq!(seat.read(State::New), own);

    seat.write(State::New, item);
    seat.claim().expect("it was claimed before");
    seat.release().expect("a claimed item is given back");
    assert_eq!(seat.read(State::New), own);

    if let Some(added) = added.filter(|added| has_no_key(added) && !begins_a_key(added)) {
        disturb(item, own, added);
    }
});

/// What was added to an item in flight outlives whatever becomes of it, and so does the item.
fn disturb(item: &[u8], own: &[u8], added: &[u8]) {
    let seat = Seat::with(item);
    seat.claim().expect("it was claimed before");
    seat.write(
        State::Claimed,
        &[&seat.read(State::Claimed), added].concat(),
    );
    let state = if seat.release().is_ok() {
        State::New
    } else {
        State::Claimed
    };
    let left = seat.read(state);
    assert!(left.starts_with(own) && left.ends_with(added));
    let listed = seat.listed();
    seat.sweep();
    let state = seat.listed().found.state;
    let left = seat.read(state);
    assert!(left.starts_with(own) && left.ends_with(added), "{listed:?}");
}

fn has_no_key(text: &[u8]) -> bool {
    KEYS.iter()
        .all(|key| memmem::find(text, key.as_bytes()).is_none())
}

/// After a block this is taken for a line that was being written when its writer died.
fn begins_a_key(text: &[u8]) -> bool {
    KEYS.iter().any(|key| key.as_bytes().starts_with(text))
}

/// Whether `item` is one mapping, to a reader of YAML.
fn is_readable(item: &[u8]) -> bool {
    // Readers differ over the line breaks that YAML 1.1 had besides.
    let one_yaml = |text: &[u8]| {
        [&b"\xc2\x85"[..], b"\xe2\x80\xa8", b"\xe2\x80\xa9"]
            .iter()
            .all(|line_break| memmem::find(text, line_break).is_none())
    };
    item.len() <= MAX_READ
        && one_yaml(item)
        && matches!(serde_yaml::from_slice(item), Ok(Value::Mapping(_)))
}

/// Whether an item of plain characters is read under a block as it is without one.
fn could_carry_a_block(item: &[u8]) -> bool {
    let plain = item.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~'));
    let line_break: &[u8] = if item.ends_with(b"\n") { b"" } else { b"\n" };
    let under_a_block = [item, line_break, b"claimed_by: \"session\"\n"].concat();
    match (
        serde_yaml::from_slice(item),
        serde_yaml::from_slice(&under_a_block),
    ) {
        (Ok(Value::Mapping(before)), Ok(Value::Mapping(mut after)))
            if plain && item.len() <= MAX_READ =>
        {
            after.remove("claimed_by") == Some("session".into()) && after == before
        }
        _ => false,
    }
}
