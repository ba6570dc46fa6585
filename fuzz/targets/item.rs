//! Any item: it is claimed, answered, put off and given back with every byte that it had, and whoever could
//! read it can read it still; or it is refused, and nothing has changed.
//!
//! Behind a byte 0xFF stands what somebody adds to the item while it is claimed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use seatkit::inbox::{Refused, State, parse_markers, strip_markers};
use seatkit_fuzz::reader::{KEYS, could_carry_a_block, has_no_key, is_readable, read};
use seatkit_fuzz::seat::{NOW, Seat};
use serde_yaml::Value;

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
        assert!(!(has_no_key(item) && could_carry_a_block(item)), "{refusal}");
        return;
    }

    let claimed = seat.read(State::Claimed);
    // What only looks like a block, and is no keys to YAML, is the item's own.
    let own = if strip_markers(&claimed) == item { item } else { own };
    assert!(claimed.starts_with(own));
    assert_eq!(strip_markers(&claimed), own);
    let said = parse_markers(&claimed);
    assert_eq!(said.claimed_by.as_deref(), Some("session"));
    assert_eq!(said.claimed_at, Some(NOW.to_owned()));
    assert!(said.claim_token.is_some());
    assert_eq!(seat.listed().markers, said);
    if is_readable(item) {
        assert!(is_readable(&claimed), "claimed, it cannot be read any more");
        // What was nothing but a block is nothing then.
        let left = read(own);
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
            assert_eq!(parse_markers(&parked).deferred_reason.as_deref(), Some(&*reason));
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

    // What is no YAML and has keys of a block itself could mean anything then.
    let certain = is_readable(item) || has_no_key(item);
    if let Some(added) = added.filter(|added| certain && has_no_key(added) && !begins_a_key(added))
    {
        disturb(item, own, added);
    }
});

/// What was added to an item in flight outlives whatever becomes of it, and so does the item; where YAML can
/// read it all, no marker line is left when it is given back.
fn disturb(item: &[u8], own: &[u8], added: &[u8]) {
    for give_back in [|seat: &Seat| drop(seat.release()), |seat: &Seat| drop(seat.sweep())] {
        let seat = Seat::with(item);
        seat.claim().expect("it was claimed before");
        let disturbed = [&seat.read(State::Claimed), added].concat();
        seat.write(State::Claimed, &disturbed);
        give_back(&seat);
        let state = seat.listed().found.state;
        let left = seat.read(state);
        assert!(left.starts_with(own) && left.ends_with(added));
        if is_readable(&disturbed) && has_no_key(item) {
            assert!(state == State::New && has_no_key(&left));
        }
    }
}

/// Behind a block this is taken for a line that was being written when its writer died.
fn begins_a_key(text: &[u8]) -> bool {
    KEYS.iter().any(|key| key.as_bytes().starts_with(text))
}
