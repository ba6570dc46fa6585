//! Whatever an item is made of, sixteen times as much of it costs about sixteen times as much: never 256.
//!
//! An input is a recipe of pieces with the byte 0xFF between them: every second piece is repeated until
//! the item is as large as is asked for. So a few bytes say a mebibyte, and the fuzzer finds them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use seatkit::inbox::State;
use seatkit_fuzz::block;
use seatkit_fuzz::cost::{Cost, Counting};
use seatkit_fuzz::seat::Seat;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The sizes of the items, in bytes. The larger ones are made of what is costly already, and of one recipe
/// in eight.
const SIZES: [usize; 3] = [64 << 10, 256 << 10, 1 << 20];

/// Between linear growth and quadratic, from the first size to the last.
const MOST_GROWTH: f64 = 64.0;

fuzz_target!(|recipe: &[u8]| {
    let sum = recipe.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    let thorough = sum % 8 == 0;
    let mut costs = Vec::new();
    for size in SIZES {
        let item = cook(recipe, size);
        let cost = Cost::of(|| work(&item));
        // What is linear never comes near; and the next size could take minutes, or all the memory there is.
        assert!(cost.time.as_secs() < 10 && cost.memory < 2 << 30, "{size} bytes cost {cost:?}");
        costs.push(cost);
        if !thorough && !is_slow(cost, size) && !is_large(cost, size) {
            return;
        }
    }
    let ([first, .., last], [.., size]) = (&*costs, SIZES) else {
        return;
    };
    let time = last.time.as_secs_f64() / first.time.as_secs_f64();
    let memory = last.memory as f64 / first.memory as f64;
    assert!(
        (time < MOST_GROWTH || !is_slow(*last, size))
            && (memory < MOST_GROWTH || !is_large(*last, size)),
        "{SIZES:?} bytes cost {costs:?}"
    );
});

/// More than linear work usually costs, and enough to be compared.
fn is_slow(cost: Cost, size: usize) -> bool {
    cost.time.as_nanos() > 300 * size as u128
}

fn is_large(cost: Cost, size: usize) -> bool {
    cost.memory > 256 * size
}

fn cook(recipe: &[u8], size: usize) -> Vec<u8> {
    let pieces: Vec<_> = recipe.split(|byte| *byte == 0xff).collect();
    let repeated = |at: usize| at % 2 == 1 && !pieces[at].is_empty();
    let shares = (0..pieces.len()).filter(|at| repeated(*at)).count().max(1);
    pieces
        .iter()
        .enumerate()
        .flat_map(|(at, piece)| {
            piece.repeat(if repeated(at) { (size / shares / piece.len()).max(1) } else { 1 })
        })
        .collect()
}

/// Everything that a text and an item may meet.
fn work(item: &[u8]) {
    block::check(item);
    let seat = Seat::with(item);
    if seat.claim().is_ok() {
        seat.listed();
        seat.sweep();
    } else {
        seat.listed();
        assert_eq!(seat.read(State::New), item);
    }
}
