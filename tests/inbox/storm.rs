//! Sessions and sweeps at work on one inbox, some of them killed at any moment: nothing is lost, doubled,
//! changed, or given back once it was answered.

use std::collections::{BTreeMap, BTreeSet};
use std::thread::{scope, sleep};
use std::time::{Duration, SystemTime};

use rustix::time::{ClockId, clock_gettime};
use seatkit::inbox::{
    Claim, Deferral, Failed, Inbox, Item, Reason, Refusal, Refused, SweepOptions, SweepRules,
};

use super::process::{answer, command};
use super::seat::{Seat, much_later, say, service};

const ITEMS: u64 = 60;
const CALLS: u64 = 500;

/// A plain xorshift: the same calls for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// Items of all sizes around a page, some without a last line break.
fn body(number: u64) -> Vec<u8> {
    let text = "x".repeat(usize::try_from(number * 97 % 8200).unwrap());
    let end = if number.is_multiple_of(3) { "" } else { "\n" };
    format!("id: m{number:02}\ncontent: \"{text}\"{end}").into_bytes()
}

/// A clock that all processes share.
fn ticks() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// What an actor does: calls at random, and tells those that changed something, with when they began and
/// ended.
pub(crate) fn act(root: &str, seed: u64) {
    let mut dice = Dice(seed);
    let mut tokens: BTreeMap<u64, String> = BTreeMap::new();
    let mut last_claimed = 0;
    for _ in 0..CALLS {
        let number = if dice.roll(2) == 0 { last_claimed } else { dice.roll(ITEMS) };
        let id = format!("m{number:02}");
        let token = tokens.get(&number).cloned();
        let item = Item { token: token.clone(), ..Item::id(&id) };
        let now = SystemTime::now();
        let begun = ticks();
        let tell = |what: &str, id: &str, token: Option<&str>| {
            answer(&format!("{what} {id} {} {begun} {}", token.unwrap_or("-"), ticks()));
        };
        match dice.roll(20) {
            0..=7 => {
                let claim = Claim { token: true, ..Claim::at(now) };
                if let Ok(marked) =
                    expected(Inbox::at(root).claim(&service(), &Item::id(&id), &claim))
                {
                    tell("claimed", &id, marked.token.as_deref());
                    tokens.extend(marked.token.map(|token| (number, token)));
                    last_claimed = number;
                }
            }
            8..=10 => {
                let reason = Some("later ".repeat(usize::try_from(dice.roll(30)).unwrap()));
                let deferral = Deferral { now, until: now, reason };
                if expected(Inbox::at(root).defer(&service(), &item, &deferral)).is_ok() {
                    tell("deferred", &id, token.as_deref());
                }
            }
            11 => drop(expected(Inbox::at(root).release(&service(), &item))),
            12 => drop(expected(Inbox::at(root).renew(&service(), &item, now))),
            // Only who holds a claim answers, and no answer is given without it.
            13 if token.is_some() => {
                if expected(Inbox::at(root).reply(&service(), &item, now)).is_ok() {
                    tell("replied", &id, token.as_deref());
                }
            }
            14 if token.is_some() && dice.roll(4) == 0 => {
                if expected(Inbox::at(root).done(&service(), &item, now)).is_ok() {
                    tell("finished", &id, token.as_deref());
                }
            }
            _ => {
                let stale = if dice.roll(4) == 0 { 3 } else { 60 };
                let rules = SweepRules {
                    session_live: true,
                    stale: Duration::from_millis(stale),
                    orphan: Duration::from_millis(3),
                    retire: Duration::from_millis(200),
                    ..SweepRules::default()
                };
                let options = SweepOptions { rules, ..SweepOptions::at(now) };
                let swept = Inbox::at(root).sweep(&options);
                let is_busy = |failed: &Failed| failed.refusal.error == Refused::Busy;
                assert!(swept.failed.iter().all(is_busy), "{:?}", swept.failed);
                for moved in swept.reopened {
                    if moved.reason != Reason::RepliedRetired {
                        tell("reopened", &moved.id, None);
                    }
                }
            }
        }
    }
}

/// Every answer but a failure of the system is one that a race may bring.
fn expected<T>(answer: Result<T, Refusal>) -> Result<T, Refusal> {
    if let Err(refusal) = &answer {
        assert!(refusal.code.is_none() && refusal.error.as_str() != "conflict", "{refusal}");
    }
    answer
}

/// Actors in six processes at a time; `kills` of each in turn are killed. What they told.
fn storm(seat: &Seat, kills: u64) -> Vec<String> {
    let told = std::sync::Mutex::new(Vec::new());
    scope(|scope| {
        for place in 0..6 {
            let told = &told;
            scope.spawn(move || {
                let mut dice = Dice(0x9E37_79B9 + place);
                for turn in 0..=kills {
                    let seed = (1 + place) * 1_000_003 + turn;
                    let mut child =
                        command(&["act", seat.root(), &seed.to_string()]).spawn().unwrap();
                    if turn < kills {
                        sleep(Duration::from_micros(5_000 + dice.roll(40_000)));
                        child.kill().unwrap();
                    }
                    let output = child.wait_with_output().unwrap();
                    let said = String::from_utf8(output.stderr).unwrap();
                    assert!(output.status.success() || turn < kills, "{said}");
                    told.lock().unwrap().extend(said.lines().map(str::to_owned));
                }
            });
        }
    });
    told.into_inner().unwrap()
}

#[derive(Default)]
struct Story {
    /// The claims under which it was answered.
    replies: BTreeSet<String>,
    /// When the first answer was on record.
    over: Option<i64>,
    /// When each call began that would have had no right to it after that.
    touched: Vec<i64>,
}

fn weather(kills: u64) {
    let seat = Seat::new();
    for number in 0..ITEMS {
        seat.deliver(&format!("2026-09-08T09-59-00-000Z-m{number:02}.yaml"), &body(number));
    }
    let told = storm(&seat, kills);

    let mut stories: BTreeMap<String, Story> = BTreeMap::new();
    for line in &told {
        let [what, id, token, begun, ended] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let story = stories.entry(id.to_owned()).or_default();
        match what {
            "replied" | "finished" => {
                let ended = ended.parse().unwrap();
                story.over = Some(story.over.map_or(ended, |over| over.min(ended)));
                story.replies.insert(token.to_owned());
            }
            _ => story.touched.push(begun.parse().unwrap()),
        }
    }
    for (id, story) in &stories {
        assert!(story.replies.len() <= 1, "{id} was answered under {:?}", story.replies);
        if let Some(over) = story.over {
            assert!(
                story.touched.iter().all(|begun| *begun < over),
                "{id} was given back after its answer"
            );
        }
    }

    assert_eq!(seat.sweep(much_later()).failed, []);
    let files = seat.files();
    assert_eq!(files.len(), usize::try_from(ITEMS).unwrap(), "one name for every item");
    for (file, number) in files.iter().zip(0..) {
        let name = format!("2026-09-08T09-59-00-000Z-m{number:02}.yaml");
        let state = file.name.strip_prefix(&name).unwrap();
        assert_eq!(file.own_bytes(), body(number), "{}", file.name);
        let answered =
            stories.get(&format!("m{number:02}")).is_some_and(|story| story.over.is_some());
        match state {
            "" => assert!(!answered && file.bytes == body(number), "{}", file.name),
            // A killed process may have answered and not have lived to tell.
            ".processed" => assert!(answered || kills > 0, "{}", file.name),
            other => panic!("{other} after the last sweep"),
        }
    }
    let count = |what: &str| told.iter().filter(|line| line.starts_with(what)).count();
    say(&format!(
        "storm with {} processes killed: {} claims, {} deferrals, {} answers, {} given back, nothing lost",
        kills * 6,
        count("claimed"),
        count("deferred"),
        count("replied") + count("finished"),
        count("reopened"),
    ));
}

#[test]
fn sessions_and_sweeps_on_one_inbox_lose_double_change_and_reanswer_nothing() {
    weather(0);
}

#[test]
fn nor_do_they_when_some_are_killed() {
    weather(25);
}
