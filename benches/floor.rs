//! Answers how long the floor of a job takes, so that another program can measure its own way of doing
//! it in turn with this one. One job a line: `sweep READERS ROOT`, `find ROOT` or
//! `claim SERVICE FILE ROOT`; one answer a line: nanoseconds.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a benchmark that cannot measure has nothing else to do"
)]

mod bare;

use std::hint::black_box;
use std::time::Instant;

fn main() {
    // `cargo bench` and `cargo test` ask for other things, with arguments.
    if std::env::args().nth(1).is_some() {
        return;
    }
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (job, rest) = line.split_once(' ').unwrap();
        let start = Instant::now();
        match job {
            "sweep" => {
                let (readers, root) = rest.split_once(' ').unwrap();
                bare::sweep(root, readers.parse().unwrap());
            }
            "find" => {
                black_box(bare::find(rest));
            }
            "claim" => {
                let (service, rest) = rest.split_once(' ').unwrap();
                let (file, root) = rest.split_once(' ').unwrap();
                bare::claim_and_reopen(root, service, file);
            }
            other => panic!("no job {other}"),
        }
        println!("{}", start.elapsed().as_nanos());
    }
}
