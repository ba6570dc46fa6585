//! Of any number of processes and threads that want an item at once, one gets it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::SystemTime;

use seatkit::inbox::{Claim, Inbox, Item, Refused, parse_markers};

use super::process::{answer, command, lines_of};
use super::seat::{ITEM, Seat, say, service};

const ROUNDS: usize = 3000;

fn stem(round: usize) -> String {
    format!("2026-09-08T09-59-00-000Z-m{round:04}")
}

/// Delivers all items, and lets the children go for them in one order, all at once: whoever falls back
/// skips what is taken and is at the front again.
fn race(seat: &Seat, rounds: usize, tasks: &[[&str; 2]]) -> Race {
    for round in 0..rounds {
        fs::write(seat.path(&format!("{}.yaml", stem(round))), ITEM).unwrap();
    }
    let children: Vec<_> = tasks
        .iter()
        .map(|[task, count]| {
            command(&[task, seat.root(), count, &rounds.to_string()]).spawn().unwrap()
        })
        .collect();
    fs::write(format!("{}/go", seat.root()), "").unwrap();
    let mut race = Race::default();
    for line in children.into_iter().flat_map(lines_of) {
        match line.split_once(' ').unwrap() {
            ("refused", times) => race.refused += times.parse::<usize>().unwrap(),
            (round, token) => {
                let tokens = race.winners.entry(round.parse().unwrap()).or_default();
                tokens.push(token.to_owned());
            }
        }
    }
    race
}

fn wait_for_the_start(root: &str) {
    while !Path::new(&format!("{root}/go")).exists() {
        thread::yield_now();
    }
}

/// What a claiming process does: asks for every item that nobody has, until somebody has it.
pub(crate) fn claim_rounds(root: &str, threads: usize, rounds: usize) {
    let ask = || {
        let mut refused = 0;
        for round in 0..rounds {
            let id = format!("m{round:04}");
            let file = format!("{}.yaml", stem(round));
            let item = Item { file: Some(file.clone()), ..Item::id(&id) };
            let claim = Claim { token: true, ..Claim::at(SystemTime::now()) };
            while is_open(root, round) {
                match Inbox::at(root).claim(&service(), &item, &claim) {
                    Ok(marked) => answer(&format!("{round} {}", marked.token.unwrap())),
                    Err(refusal) => {
                        refused += 1;
                        assert!(
                            matches!(
                                refusal.error,
                                Refused::NotClaimable | Refused::Busy | Refused::ClaimLost
                            ),
                            "{refusal}"
                        );
                    }
                }
            }
        }
        answer(&format!("refused {refused}"));
    };
    wait_for_the_start(root);
    thread::scope(|scope| {
        (1..threads).for_each(|_| {
            scope.spawn(ask);
        });
        ask();
    });
}

/// What a daemon without locks does: it renames, and has the item where that worked.
pub(crate) fn rename_rounds(root: &str, rounds: usize) {
    wait_for_the_start(root);
    for round in 0..rounds {
        let new = format!("{root}/state/inbox/cohort/{}.yaml", stem(round));
        while is_open(root, round) {
            if fs::rename(&new, format!("{new}.dispatched")).is_ok() {
                answer(&format!("{round} plain"));
            }
        }
    }
}

fn is_open(root: &str, round: usize) -> bool {
    !Path::new(&format!("{root}/state/inbox/cohort/{}.yaml.dispatched", stem(round))).exists()
}

/// What came of a race.
#[derive(Default)]
struct Race {
    /// Who won each round, as the winners say.
    winners: BTreeMap<usize, Vec<String>>,
    /// How often somebody came too late for an item that was there when it was asked for.
    refused: usize,
}

/// Every round has one winner, whose item is whole and carries the token that it was told.
fn one_winner_each(seat: &Seat, rounds: usize, winners: &BTreeMap<usize, Vec<String>>) {
    let files = seat.files();
    assert_eq!((files.len(), winners.len()), (rounds, rounds));
    for (file, (round, tokens)) in files.iter().zip(winners) {
        assert_eq!(tokens.len(), 1, "round {round}: {tokens:?}");
        assert_eq!(file.name, format!("{}.yaml.dispatched", stem(*round)));
        assert_eq!(file.own_bytes(), ITEM);
        let token = parse_markers(&file.bytes).claim_token;
        assert_eq!(token.as_deref().unwrap_or("plain"), tokens[0], "round {round}");
    }
}

/// The same on the file system that `parent` is on.
#[cfg(target_os = "linux")]
pub(crate) fn one_wins_below(parent: &Path, rounds: usize) {
    let seat = Seat::below(parent);
    let race = race(&seat, rounds, &[["claim-rounds", "2"]; 3]);
    one_winner_each(&seat, rounds, &race.winners);
}

#[test]
fn of_many_claimers_in_many_processes_and_threads_one_wins() {
    let seat = Seat::new();
    let race = race(&seat, ROUNDS, &[["claim-rounds", "2"]; 6]);
    one_winner_each(&seat, ROUNDS, &race.winners);
    say(&format!(
        "rounds with one winner among 6 processes of 2 threads: {ROUNDS}, {} came second",
        race.refused
    ));
}

#[test]
fn beside_processes_that_rename_without_a_lock_one_wins_too() {
    let seat = Seat::new();
    let race = race(
        &seat,
        ROUNDS,
        &[
            ["claim-rounds", "1"],
            ["rename-rounds", "1"],
            ["claim-rounds", "1"],
            ["rename-rounds", "1"],
        ],
    );
    one_winner_each(&seat, ROUNDS, &race.winners);
    let plain = race.winners.values().filter(|tokens| tokens[0] == "plain").count();
    say(&format!(
        "rounds beside plain renames: {ROUNDS}, {plain} won by those, {} came second",
        race.refused
    ));
}
