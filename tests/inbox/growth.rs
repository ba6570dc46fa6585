//! Whatever an item is made of, sixteen times as much of it costs about sixteen times as much, and never 256 times.
//!
//! What is compared is the processor's time of one thread, at two sizes, the best of several: how fast the machine is,
//! and who else uses it, makes no difference to how it grows.

use std::fs;
use std::time::{Duration, SystemTime};

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use seatkit::inbox::{Claim, ListOptions, parse_markers, strip_markers};

use super::process::{answer, command, lines_of};
use super::seat::{FILE, STEM, Seat, all_live, much_later, say};

/// What stands before, what is repeated, and what stands after it.
type Recipe = (&'static str, &'static str, &'static str);

/// Kinds of text that some reader took quadratic or exponential time for, and what our own grammar could stumble over.
const RECIPES: &[Recipe] = &[
    // Scalars.
    ("content: \"", "x", "\"\n"),
    ("content: \"", "\\n", "\"\n"),
    ("content: \"", "\\", "\n"),
    ("content: '", "''", "'\n"),
    ("content: \"", "a\n", "\"\n"),
    ("content: |\n", "  x\n", ""),
    ("content: |\n", " \n", ""),
    ("content: ", "a b ", "\n"),
    ("content:\n", "  a: ", "\n"),
    ("", "a: |\n", ""),
    // Nests.
    ("x: ", "[", "\n"),
    ("x: [", "[],", "]\n"),
    ("x: ", "{a: ", "\n"),
    ("x: {", "a: {},", "}\n"),
    ("x: [", "\"[\", ", "]\n"),
    ("", "- ", "x\n"),
    ("", "? ", "x\n"),
    ("", ": ", "x\n"),
    ("x:\n", "- - - a\n", ""),
    // Anchors, aliases, merges, tags.
    ("x: [", "&a b, ", "]\n"),
    ("a: &a b\nx: [", "*a, ", "]\n"),
    ("a: &a b\n", "*a : c\n", ""),
    ("a: &a {b: c}\nx:\n", "- <<: *a\n", ""),
    ("a: &a {b: c}\n", "<<: *a\n", ""),
    ("x: [", "!t a, ", "]\n"),
    ("x: ", "!t ", "a\n"),
    ("x: ", "&a ", "a\n"),
    // Documents, comments, breaks.
    ("", "---\n", "id: 1\n"),
    ("", "...\n", "id: 1\n"),
    ("id: 1\n", "#", "\n"),
    ("id: 1\n", "# \n", ""),
    ("id: 1 ", "# ", "\n"),
    ("id: 1\n", "\n", ""),
    ("id: 1\n", " ", ""),
    ("id: 1\n", "\t", "\n"),
    ("id: 1\n", "\r", ""),
    ("\u{feff}id: 1\n", "\r\n", ""),
    ("id: \"", "\u{2028}", "\"\n"),
    // Keys of the block, and almost.
    ("id: 1\n", "claimed_by: \"session\"\n", ""),
    ("id: 1\n", "claimed_by: me and you\n", ""),
    ("id: 1\n", "claimed_by: me # and you\n", "x: y\n"),
    ("id: 1\n", "claimed_by: \"me\n", ""),
    ("id: 1\n", "claimed_by: 'a': [\n", ""),
    ("id: 1\nclaimed_by: 'a': ", "[", "\n"),
    ("id: 1\nclaimed_by: \"", "\\", ""),
    ("id: 1\nclaimed_by: '", "''", "'\nx: y\n"),
    ("id: 1\nclaimed_by: ", "a", "\n"),
    ("id: 1\nclaimed_by: ", "a #", "\nx: y\n"),
    ("id: 1\n", "claimed_by", ": me\n"),
    ("id: 1\n", "claim\n", ""),
    ("id: 1\n", "replied_at: \"", ""),
    ("id: 1\n", "? claimed_by\n", ""),
    ("? ", "# x\n", "claimed_by\n: me\n"),
    ("? ", "\n", "claimed_by\n: me\n"),
    ("? \"", "\\\n", "claimed_by\"\n: me\n"),
    ("", "'claimed_by' : me\n", "x: y\n"),
    ("claim_token: a\n", "claimed_at: a\nclaimed_by: a\n", "x: y\n"),
];

const SIZES: [usize; 2] = [32 << 10, 512 << 10];

/// Between linear growth, which is 16, and quadratic, which is 256.
const MOST_GROWTH: f64 = 64.0;

/// More memory than this is not linear in an item of half a mebibyte, all that the process has for itself included.
const MEMORY: u64 = 400 << 20;

fn cook((before, repeated, after): Recipe, size: usize) -> Vec<u8> {
    [before, &repeated.repeat(size / repeated.len()), after].concat().into_bytes()
}

fn cost(work: &dyn Fn()) -> Duration {
    let clock = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
    let started = clock();
    work();
    clock().saturating_sub(started)
}

/// Fails where a larger text costs more than its size can tell.
fn compare(told: &str, work: &dyn Fn(usize)) {
    let mut best = [Duration::MAX; 2];
    for _ in 0..5 {
        for (at, best) in best.iter_mut().enumerate() {
            *best = (*best).min(cost(&|| work(at)));
        }
        if best[1].as_secs_f64() < MOST_GROWTH * best[0].as_secs_f64() {
            return;
        }
    }
    panic!("{told}: {SIZES:?} bytes cost {best:?}");
}

/// What a process does that has little memory.
pub(crate) fn grow() {
    let limit = Some(MEMORY);
    setrlimit(Resource::As, Rlimit { current: limit, maximum: limit }).unwrap();
    for recipe in RECIPES {
        let items = SIZES.map(|size| cook(*recipe, size));
        compare(&format!("the block of {recipe:?}"), &|at| {
            let _ = (parse_markers(&items[at]), strip_markers(&items[at]));
        });
        for suffix in ["", ".dispatched"] {
            let seats = items.each_ref().map(|item| {
                let seat = Seat::new();
                seat.deliver(&format!("{FILE}{suffix}"), item);
                seat
            });
            compare(&format!("a life of {recipe:?} as {STEM}{suffix}"), &|at| live(&seats[at]));
        }
    }
    answer(&format!("recipes: {}", RECIPES.len()));
}

/// Everything that may happen to an item, and back to where it was.
fn live(seat: &Seat) {
    let (inbox, now) = (seat.inbox(), SystemTime::now());
    let next = Some((now, all_live(now).rules));
    assert_eq!(inbox.list(&ListOptions { next, ..ListOptions::default() }).items.len(), 1);
    let claim = Claim { token: true, ..Claim::at(now) };
    if let Some(taken) = inbox.claim_next(None, &claim).taken {
        drop(taken.mapping());
        inbox.release(&super::seat::service(), &taken.claim.item()).unwrap();
    }
    let before = seat.only();
    seat.sweep(much_later());
    fs::rename(seat.path(&seat.only().name), seat.path(&before.name)).unwrap();
    fs::write(seat.path(&before.name), before.bytes).unwrap();
}

#[test]
fn an_item_costs_what_its_size_costs_whatever_it_is_made_of() {
    say(&lines_of(command(&["grow"]).spawn().unwrap()).concat());
}
