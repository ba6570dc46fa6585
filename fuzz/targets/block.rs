//! Any text: its marker block is found, read and taken off without a panic, once and for all, whether the
//! text is seen as a whole or from its end.

#![no_main]

use libfuzzer_sys::fuzz_target;
use seatkit::inbox::fuzzing;
use seatkit_fuzz::block;

fuzz_target!(|text: &[u8]| {
    block::check(text);
    assert!(fuzzing::any_end_tells_the_same(text));
});
