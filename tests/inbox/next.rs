//! Whoever asks for the next item gets one that nobody else has, the oldest first, and nothing is claimed unsaid.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::SystemTime;

use seatkit::inbox::{Claim, Delivery, Inbox, ListOptions, Refused, Service, State};
#[cfg(target_os = "linux")]
use seatkit::inbox::{parse_markers, strip_markers};

use super::process::{answer, command, lines_of};
use super::seat::{ITEM, Seat, say, service};
#[cfg(target_os = "linux")]
use super::{
    operation::OPERATIONS,
    seat::{FILE, later_still},
    step::Step,
    strace::{Fault, can_trace, for_each, trace},
};

const ITEMS: usize = 900;
const SERVICES: [&str; 3] = ["accounts", "cohort", "zoo"];

fn claim() -> Claim {
    Claim { token: true, ..Claim::at(SystemTime::now()) }
}

/// What a process does that delivers to all services in turn, while others take.
pub(crate) fn deliver_all(root: &str) {
    for number in 0..ITEMS {
        let service: Service = SERVICES[number % SERVICES.len()].parse().unwrap();
        let delivery = Delivery {
            id: Some(format!("m{number}")),
            durable: false,
            ..Delivery::at(SystemTime::now())
        };
        let item = BTreeMap::from([("number", number)]);
        Inbox::at(root).deliver(&service, &item, &delivery).unwrap();
    }
    fs::write(format!("{root}/delivered"), "").unwrap();
}

/// What a taking process does, with two threads: it takes until all is delivered and nothing is left.
pub(crate) fn take_all(root: &str) {
    let take = || {
        loop {
            let all = fs::exists(format!("{root}/delivered")).unwrap();
            let next = Inbox::at(root).claim_next(None, &claim());
            for skipped in &next.skipped {
                assert_eq!(skipped.refusal.error, Refused::Busy, "{skipped:?}");
            }
            if let Some(taken) = next.taken {
                let number = &taken.mapping().unwrap()["number"];
                assert_eq!(taken.claim.id, format!("m{}", number.as_u64().unwrap()));
                assert_eq!(taken.claim.attempts, Some(1));
                let token = taken.claim.token.unwrap();
                answer(&format!("{} {} {token}", taken.claim.service, taken.claim.file));
            } else if all && next.skipped.is_empty() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(take);
        take();
    });
}

#[test]
fn of_many_takers_beside_a_deliverer_each_gets_another_item_and_all_are_taken() {
    let seat = Seat::new();
    let mut children: Vec<_> =
        (0..4).map(|_| command(&["take-all", seat.root()]).spawn().unwrap()).collect();
    children.push(command(&["deliver-all", seat.root()]).spawn().unwrap());
    let told: Vec<_> = children.into_iter().flat_map(lines_of).collect();
    let taken: BTreeMap<_, _> = told.iter().map(|line| line.rsplit_once(' ').unwrap()).collect();
    assert_eq!((told.len(), taken.len()), (ITEMS, ITEMS), "one each");
    let listed = seat.inbox().list(&ListOptions::default()).items;
    assert_eq!(listed.len(), ITEMS);
    for item in listed {
        assert_eq!(item.found.state, State::Claimed, "{item:?}");
        let told = format!("{} {}", item.found.service, item.found.file);
        assert_eq!(item.markers.claim_token.as_deref(), Some(taken[&*told]));
    }
    say(&format!("items taken by 4 processes of 2 threads: {ITEMS}"));
}

#[test]
fn the_oldest_of_all_services_comes_first_and_what_cannot_be_claimed_is_named() {
    let seat = Seat::new();
    let at = |service: &str, file: &str, text: &[u8]| {
        let folder = format!("{}/state/inbox/{service}", seat.root());
        fs::create_dir_all(&folder).unwrap();
        fs::write(format!("{folder}/{file}"), text).unwrap();
    };
    at("cohort", "2026-09-08T09-59-00-000Z-b.yaml", ITEM);
    at("zoo", "2026-09-08T09-58-00-000Z-a.yaml", ITEM);
    at("accounts", "2026-09-08T10-00-00-000Z-c.yaml", ITEM);
    // Its name has no time: that of its file is later than all of theirs.
    at("accounts", "0.yaml", ITEM);
    at("cohort", "2026-09-07T00-00-00-000Z-ended.yaml", b"id: m1\n...\n");
    at("cohort", "2026-09-07T00-00-01-000Z-list.yaml", b"- a\n- b\n");
    at("cohort", "2026-09-07T00-00-02-000Z-empty.yaml", b"");
    at("cohort", "2026-09-07T00-00-03-000Z-again.yaml", ITEM);
    at("cohort", "2026-09-07T00-00-03-000Z-again.yaml.processed", ITEM);
    at("cohort", "2026-09-07T00-00-04-000Z-twice.yaml", ITEM);
    fs::hard_link(
        seat.path("2026-09-07T00-00-04-000Z-twice.yaml"),
        format!("{}/copy", seat.root()),
    )
    .unwrap();

    let mut order = Vec::new();
    let last = loop {
        let next = seat.inbox().claim_next(None, &claim());
        match next.taken {
            Some(taken) => {
                assert_eq!(taken.bytes, ITEM);
                order.push(taken.claim.id);
            }
            None => break next,
        }
    };
    assert_eq!(order, ["a", "b", "c", "0"]);
    let skipped: Vec<_> = last
        .skipped
        .iter()
        .map(|failed| {
            let file = failed.file.as_deref().unwrap();
            let id = file.trim_end_matches(".yaml").rsplit('-').next().unwrap();
            (id, failed.refusal.error)
        })
        .collect();
    assert_eq!(
        skipped,
        [
            ("ended", Refused::Unstampable),
            ("list", Refused::Unstampable),
            ("empty", Refused::Busy),
            ("again", Refused::Conflict),
            ("twice", Refused::Linked),
        ]
    );
    // The listing says the same beforehand, of what no waiting will change.
    let options = ListOptions { states: Some(vec![State::New]), ..ListOptions::default() };
    for item in seat.inbox().list(&options).items {
        let said = item.problem.map(|problem| problem.error);
        let skipped = skipped.iter().find(|(id, _)| *id == item.found.id);
        let lasting = skipped.map(|(_, word)| *word).filter(|word| *word != Refused::Busy);
        assert_eq!(said, lasting, "{}", item.found.id);
    }
}

#[test]
fn one_service_alone_is_asked_for_and_one_that_is_not_there_has_nothing() {
    let seat = Seat::new();
    fs::write(seat.path("m1.yaml"), ITEM).unwrap();
    for other in ["zoo", "accounts"] {
        let next = seat.inbox().claim_next(Some(&other.parse().unwrap()), &claim());
        assert!(next.taken.is_none());
        assert_eq!(next.skipped, []);
    }
    let next = seat.inbox().claim_next(Some(&service()), &claim());
    assert_eq!(next.taken.unwrap().claim.id, "m1");
}

/// The calls of [`OPERATIONS`] on new items, made on whatever is the next.
#[cfg(target_os = "linux")]
fn for_every_new_item(check: impl Fn(&super::operation::Operation) -> usize + Sync) -> usize {
    let claims: Vec<_> = OPERATIONS
        .iter()
        .filter(|operation| operation.call == Step::Claim)
        .map(|operation| super::operation::Operation { call: Step::ClaimNext, ..*operation })
        .collect();
    assert!(claims.len() > 3);
    for_each(&claims, check)
}

#[cfg(target_os = "linux")]
#[test]
fn a_taker_that_fails_half_way_has_claimed_nothing() {
    if !can_trace() {
        return;
    }
    let failures = for_every_new_item(|operation| {
        let calls = trace(&operation.seat(), operation.call, &[]).calls;
        for call in &calls {
            for what in ["error=EIO", "error=EMFILE"] {
                let seat = operation.seat();
                let before = seat.only();
                let answer = trace(&seat, operation.call, &[Fault::at(call, what)]).answer;
                let told = format!("{}, {what} at {}: {answer:?}", operation.name, call.text);
                let after = seat.only();
                // It is told exactly where it is done.
                let claimed = parse_markers(&after.bytes).claim_token.is_some();
                assert_eq!(answer.unwrap().word == "ok", claimed, "{told}");
                assert_eq!(after.name != FILE, claimed, "{told}");
                if !claimed {
                    assert_eq!(after, before, "{told}");
                }
            }
        }
        2 * calls.len()
    });
    say(&format!("failures of taking the next item: {failures}"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_taker_that_is_killed_leaves_an_item_that_comes_back() {
    if !can_trace() {
        return;
    }
    let points = for_every_new_item(|operation| {
        let calls = trace(&operation.seat(), operation.call, &[]).calls;
        for call in &calls {
            let seat = operation.seat();
            let killed = trace(&seat, operation.call, &[Fault::at(call, "signal=KILL")]);
            let told = format!("{}, killed before {}", operation.name, call.text);
            assert_eq!(killed.answer, None, "{told}");
            assert_eq!(seat.sweep(later_still()).failed, [], "{told}");
            let kept = seat.only();
            assert_eq!(kept.name, FILE, "{told}");
            assert_eq!(strip_markers(&kept.bytes), operation.item, "{told}");
            // Once claimed, twice tried at most: a claim that died before its rename was none.
            let taken = seat.inbox().claim_next(None, &claim()).taken.unwrap();
            assert!(matches!(taken.claim.attempts, Some(1 | 2)), "{told}");
            assert_eq!(taken.bytes, operation.item, "{told}");
        }
        calls.len()
    });
    say(&format!("crash points of taking the next item: {points}"));
}
