//! A delivery is whole or not at all, is made once, and says what it was given.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use seatkit::inbox::{
    ArchiveOptions, Claim, Delivery, Inbox, Item, ListOptions, Refused, State, strip_markers,
};
use serde_json::Value;

use super::process::{answer, command, lines_of};
#[cfg(target_os = "linux")]
use super::seat::later_still;
use super::seat::{FILE, ID, ITEM, Seat, say, service};
use super::step::Step;
#[cfg(target_os = "linux")]
use super::strace::{Fault, SystemCall, can_trace, for_each, trace, trace_everything};

/// What [`Step::Deliver`] makes.
fn delivered() -> Vec<u8> {
    let seat = Seat::new();
    assert_eq!(Step::Deliver.take(seat.root()).word, "ok");
    let kept = seat.only();
    assert_eq!(kept.name, FILE);
    kept.bytes
}

/// A seat with a folder for the service, and one that has only its root.
#[cfg(target_os = "linux")]
fn seats() -> [fn() -> Seat; 2] {
    let bare = || {
        let seat = Seat::new();
        fs::remove_dir_all(format!("{}/state", seat.root())).unwrap();
        seat
    };
    [Seat::new, bare]
}

/// The names of the items, where there is a folder at all.
#[cfg(target_os = "linux")]
fn items(seat: &Seat) -> Vec<String> {
    if !seat.folder().exists() {
        return Vec::new();
    }
    let mut names = seat.names();
    names.retain(|name| !name.starts_with(".seatkit-"));
    names
}

/// Asserts that what was delivered, now or before, is there once and whole, and that nothing else is in the end.
#[cfg(target_os = "linux")]
fn is_there_once(seat: &Seat, told: &str) {
    let again = Step::Deliver.take(seat.root()).word;
    assert!(["ok", "nothing"].contains(&&*again), "{told}: {again}");
    assert_eq!(Step::Deliver.take(seat.root()).word, "nothing", "{told}");
    assert_eq!(items(seat), [FILE], "{told}");
    assert_eq!(seat.sweep(later_still()).failed, [], "{told}");
    let kept = seat.only();
    assert_eq!((&*kept.name, kept.bytes), (FILE, delivered()), "{told}");
    assert_eq!(Step::ClaimNext.take(seat.root()).word, "ok", "{told}");
}

/// What is done again and again with a folder that the delivery made, until it is at rest: not as often each time.
#[cfg(target_os = "linux")]
const REPEATED: [&str; 3] = ["fstat", "lseek", "getdents64"];

#[cfg(target_os = "linux")]
#[test]
fn a_process_killed_while_it_delivers_leaves_a_whole_item_or_none() {
    if !can_trace() {
        return;
    }
    let points = for_each(&seats(), |seat| {
        let calls = trace_everything(&seat(), Step::Deliver).calls;
        for call in &calls {
            let seat = seat();
            let killed = trace(&seat, Step::Deliver, &[Fault::at(call, "signal=KILL")]);
            let told = format!("killed before {}", call.text);
            let is_repeated = REPEATED.contains(&&*call.name);
            assert!(killed.answer.is_none() || is_repeated, "{told}");
            for item in items(&seat) {
                let bytes = fs::read(seat.path(&item)).unwrap();
                assert_eq!((&*item, bytes), (FILE, delivered()), "{told}");
            }
            is_there_once(&seat, &told);
        }
        calls.len()
    });
    say(&format!("crash points of a delivery: {points}"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_delivery_that_fails_half_way_was_none_or_says_that_it_was_made() {
    if !can_trace() {
        return;
    }
    let failures = for_each(&seats(), |new_seat| {
        let calls = trace_everything(&new_seat(), Step::Deliver).calls;
        let mut failures = 0;
        for call in &calls {
            for error in ["EIO", "ENOSPC"] {
                let seat = new_seat();
                let fault = Fault::at(call, &format!("error={error}"));
                let traced = trace(&seat, Step::Deliver, &[fault]);
                let Some([before @ .., failed]) = traced.until_the_fault() else {
                    continue;
                };
                if failed.name == "close" || failed.text.contains("LOCK_UN") {
                    continue;
                }
                let answer = traced.answer.as_ref().unwrap();
                let told = format!("{}: {answer:?}", failed.text);
                assert_eq!((&*answer.word, &*answer.code), ("io", error), "{told}");
                let made = answer.message.contains("is delivered");
                let renamed = before.iter().any(|call| call.name == "renameat2");
                assert_eq!(made, renamed, "{told}");
                assert_eq!(items(&seat), [FILE][usize::from(!made)..], "{told}");
                if seat.folder().exists() {
                    assert_eq!(seat.names(), items(&seat), "nothing is left over: {told}");
                }
                is_there_once(&seat, &told);
                failures += 1;
            }
        }
        let is_sure = |call: &&SystemCall| {
            !REPEATED.contains(&&*call.name)
                && call.name != "close"
                && !call.text.contains("LOCK_UN")
        };
        assert!(failures >= 2 * calls.iter().filter(is_sure).count(), "{failures} of {calls:?}");
        failures
    });
    say(&format!("failures of a delivery: {failures}"));
}

/// Some file systems do not sync a folder, and some know no rename that never replaces.
#[cfg(target_os = "linux")]
#[test]
fn a_file_system_that_can_do_less_will_do_for_a_delivery() {
    if !can_trace() {
        return;
    }
    let calls = trace_everything(&Seat::new(), Step::Deliver).calls;
    let last_sync = calls.iter().rfind(|call| call.name == "fsync").unwrap();
    assert!(last_sync.text.contains("cohort>"), "{last_sync:?}");
    let rename = calls.iter().find(|call| call.name == "renameat2").unwrap();
    for (call, error) in
        [(last_sync, "EINVAL"), (last_sync, "EOPNOTSUPP"), (rename, "EINVAL"), (rename, "ENOSYS")]
    {
        let seat = Seat::new();
        let fault = Fault::at(call, &format!("error={error}"));
        let answer = trace(&seat, Step::Deliver, &[fault]).answer.unwrap();
        assert_eq!(answer.word, "ok", "{error} at {}: {answer:?}", call.text);
        is_there_once(&seat, &format!("{error} at {}", call.text));
    }
}

const ROUNDS: usize = 120;

/// Long enough that it is not written in one page.
fn body(round: usize, who: usize) -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("by", who.to_string()),
        ("content", format!("{round} ").repeat(3000)),
        ("end", "whole".to_owned()),
    ])
}

/// What a delivering process does: all items, each under the id that the others use too.
pub(crate) fn deliver_rounds(root: &str, who: usize) {
    for round in 0..ROUNDS {
        let delivery = Delivery {
            id: Some(format!("m{round:04}")),
            durable: false,
            ..Delivery::at(SystemTime::now())
        };
        match Inbox::at(root).deliver(&service(), &body(round, who), &delivery) {
            Ok(delivered) if delivered.created => answer(&format!("{} {who}", delivered.id)),
            Ok(_) => {}
            Err(refusal) => assert_eq!(refusal.error, Refused::Busy, "{refusal}"),
        }
    }
}

#[test]
fn of_many_deliveries_of_one_id_one_is_made_and_none_is_seen_half() {
    let seat = Seat::new();
    let over = AtomicBool::new(false);
    let told: Vec<String> = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut read = 0;
            while !over.load(Ordering::Relaxed) {
                let items = seat.names();
                for name in items.iter().filter(|name| !name.starts_with('.')) {
                    let bytes = fs::read(seat.path(name)).unwrap();
                    let item: Value = serde_yaml::from_slice(&bytes).unwrap();
                    assert_eq!(item["end"], "whole", "{name}");
                    read += 1;
                }
            }
            read
        });
        let children: Vec<_> = (0..5)
            .map(|who| {
                let who = who.to_string();
                command(&["deliver-rounds", seat.root(), &who]).spawn().unwrap()
            })
            .collect();
        let told = children.into_iter().flat_map(lines_of).collect();
        over.store(true, Ordering::Relaxed);
        say(&format!("items read beside their deliveries: {}", reader.join().unwrap()));
        told
    });
    let made: BTreeMap<_, _> = told.iter().map(|line| line.split_once(' ').unwrap()).collect();
    assert_eq!((told.len(), made.len()), (ROUNDS, ROUNDS), "one each");
    let files = seat.files();
    assert_eq!(files.len(), ROUNDS, "and nothing beside them");
    for file in files {
        let item: Value = serde_yaml::from_slice(&file.bytes).unwrap();
        let id = item["id"].as_str().unwrap();
        assert!(file.name.ends_with(&format!("-{id}.yaml")), "{}", file.name);
        assert_eq!(item["by"], made[id], "the maker's own words");
    }
}

/// An id that is there in any state, or archived, is not delivered again; its bytes stay.
#[test]
fn a_delivery_that_is_repeated_changes_nothing_wherever_the_item_is() {
    for past in [
        &[][..],
        &[Step::Claim],
        &[Step::Defer],
        &[Step::Claim, Step::Done],
        &[Step::Claim, Step::FailForGood],
        &[Step::Claim, Step::Done, Step::Archive],
    ] {
        let seat = Seat::new();
        for step in [Step::Deliver].iter().chain(past) {
            assert_eq!(step.take(seat.root()).word, "ok", "{past:?}");
        }
        let before = seat.files();
        assert_eq!(Step::Deliver.take(seat.root()).word, "nothing", "{past:?}");
        let delivery = Delivery { id: Some(ID.to_owned()), ..Delivery::at(SystemTime::now()) };
        let again = seat.inbox().deliver_text(&service(), "id: other\n", &delivery);
        assert!(again.unwrap().path.exists(), "{past:?}");
        assert_eq!(seat.files(), before, "{past:?}");
    }
}

/// An id is known by the ids of the items alone: neither the stem of another item nor a part of its id is one.
#[test]
fn an_id_that_another_item_has_for_a_stem_is_delivered_once() {
    let seat = Seat::new();
    seat.deliver(FILE, ITEM);
    let stem = FILE.strip_suffix(".yaml").unwrap();
    let delivery = |minutes| Delivery {
        id: Some(stem.to_owned()),
        ..Delivery::at(super::seat::in_minutes(minutes))
    };
    let created: Vec<_> = [0.0, 1.0]
        .map(|minutes| seat.inbox().deliver_text(&service(), "a: b\n", &delivery(minutes)))
        .map(|delivered| delivered.unwrap().created)
        .into();
    assert_eq!((created, seat.names().len()), (vec![true, false], 2));
}

/// While items go to the archive, a delivery that is repeated meets each in one place or the other.
#[test]
fn what_is_archived_this_moment_is_not_delivered_again() {
    let seat = Seat::new();
    let inbox = seat.inbox();
    for round in 0..150 {
        let id = format!("m{round}");
        seat.deliver(&format!("{id}.yaml.processed"), ITEM);
        let options = ArchiveOptions {
            now: SystemTime::now(),
            older_than: Duration::ZERO,
            ids: None,
            dry_run: false,
        };
        let delivery = Delivery { id: Some(id), durable: false, ..Delivery::at(SystemTime::now()) };
        let again = std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(inbox.archive(&options).failed, []));
            inbox.deliver_text(&service(), "a: b\n", &delivery)
        });
        assert!(!again.unwrap().created, "{round}");
    }
}

#[test]
fn a_delivery_from_a_year_that_no_name_has_is_refused() {
    let seat = Seat::new();
    let late = SystemTime::UNIX_EPOCH + Duration::from_secs(300_000_000_000);
    let refusal = seat.inbox().deliver_text(&service(), "a: b\n", &Delivery::at(late));
    assert_eq!(refusal.unwrap_err().error, Refused::InvalidTime);
    assert_eq!(seat.names(), [""; 0]);
}

/// `ok` says that it is on the disk, whoever wrote it: a first try may have failed at just that.
#[cfg(target_os = "linux")]
#[test]
fn a_delivery_that_is_repeated_puts_on_the_disk_what_is_there() {
    if !can_trace() {
        return;
    }
    let seat = Seat::new();
    assert_eq!(Step::Deliver.take(seat.root()).word, "ok");
    let calls = trace(&seat, Step::Deliver, &[]).calls;
    let synced: Vec<_> = calls.iter().filter(|call| call.name == "fsync").collect();
    assert_eq!(synced.len(), 2, "{calls:?}");
    assert!(synced[0].text.contains(FILE) && synced[1].text.contains("cohort>"), "{synced:?}");
}

#[test]
fn keys_that_some_parser_reads_alike_are_refused() {
    let seat = Seat::new();
    for text in ["1: a\n\"1\": b\n", "x: {true: a, \"true\": b}\n", "null: a\n\"null\": b\n"] {
        let item: serde_yaml::Value = serde_yaml::from_str(text).unwrap();
        let refusal = seat.inbox().deliver(&service(), &item, &Delivery::at(SystemTime::now()));
        assert_eq!(refusal.unwrap_err().error, Refused::InvalidArgument, "{text}");
    }
    assert_eq!(seat.names(), [""; 0]);
}

/// What stands in the way of a claim is said beforehand.
#[test]
fn a_name_that_is_too_long_for_a_claim_is_listed_with_why() {
    let seat = Seat::new();
    let names = [239, 240].map(|length| format!("{}.yaml", "x".repeat(length)));
    for name in &names {
        seat.deliver(name, ITEM);
    }
    let claimed = |name: &String| {
        let item = Item { file: Some(name.clone()), ..Item::id("") };
        let answer = seat.inbox().claim(&service(), &item, &Claim::at(SystemTime::now()));
        answer.err().map(|refusal| (refusal.error, refusal.code))
    };
    let listed = seat.inbox().list(&ListOptions::default()).items;
    for (item, name) in listed.into_iter().zip(&names) {
        assert_eq!(item.found.file, *name);
        assert_eq!(item.problem.map(|why| (why.error, why.code)), claimed(name), "{}", name.len());
    }
    assert_eq!(claimed(&names[1]), Some((Refused::Io, Some("ENAMETOOLONG"))));
}

fn any_text() -> impl Strategy<Value = String> {
    let near = prop::sample::select(vec![
        "\n",
        "\r\n",
        "\t",
        " ",
        ": ",
        "- ",
        "#",
        " #",
        "'",
        "\"",
        "\\",
        "---",
        "...",
        "|",
        ">",
        "{",
        "[",
        "&a",
        "*a",
        "!",
        "%",
        "'",
        "no",
        "null",
        "~",
        "1e3",
        "0x1f",
        "08",
        "2026-09-08",
        "=",
        "<<",
        "claimed_by: \"session\"",
        "replied_at: 1",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\0",
        "\u{7f}",
        "é",
        "🦀",
        "text",
    ]);
    let part =
        prop_oneof![4 => near.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            // A whole number is written as one, whatever type it came in.
            .prop_filter("whole", |float| float.fract() != 0.0 || float.abs() > 1e16)
            .prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any_text(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// What is delivered as values is read back equal: new, claimed, and given back.
    #[test]
    fn whatever_is_said_in_values_is_read_back_equal(said in prop::collection::btree_map(any_text(), any_value(), 0..6)) {
        let seat = Seat::new();
        let delivery = Delivery { id: Some(ID.to_owned()), durable: false, ..Delivery::at(SystemTime::now()) };
        let result = seat.inbox().deliver(&service(), &said, &delivery);
        if said.contains_key("id") {
            prop_assert_eq!(result.unwrap_err().error, Refused::InvalidArgument);
            prop_assert!(seat.names().is_empty());
            return Ok(());
        }
        prop_assert!(result.unwrap().created);
        let all_said = |bytes: &[u8]| {
            let item: BTreeMap<String, Value> = serde_yaml::from_slice(bytes).unwrap();
            let own: BTreeSet<_> = ["id", "service", "timestamp"].into();
            for (key, value) in &said {
                assert_eq!(item.get(key), Some(value), "{key:?}");
            }
            item.keys().filter(|key| !said.contains_key(*key) && !own.contains(key.as_str())).cloned().collect::<Vec<_>>()
        };
        let new = seat.only();
        prop_assert_eq!(all_said(&new.bytes), [""; 0]);
        let taken = seat.inbox().claim_next(None, &Claim::at(SystemTime::now())).taken;
        let taken = taken.expect("what is delivered can be claimed");
        prop_assert_eq!(&taken.bytes, &new.bytes);
        prop_assert_eq!(taken.mapping().map(|item| item.len()), Some(said.len() + 3 - ["service", "timestamp"].iter().filter(|key| said.contains_key(**key)).count()));
        prop_assert_eq!(all_said(&seat.only().bytes), ["claimed_at", "claimed_by"]);
        seat.inbox().release(&service(), &Item::id(ID)).unwrap();
        prop_assert_eq!(seat.only().bytes, new.bytes);
    }

    /// A text is delivered as it is, or refused because no claim would take it; then nothing is there.
    #[test]
    fn a_text_that_is_delivered_can_be_claimed_and_comes_back(line in prop::sample::select(vec!["", "id: m1\n", "a:\n  b\n"]), text in any_text()) {
        comes_back(&(line.to_owned() + &text));
    }

    /// Of a file that somebody else put there the listing says beforehand whether it can be claimed.
    #[test]
    fn the_listing_says_of_any_text_whether_it_can_be_claimed(line in prop::sample::select(vec!["", "id: m1\n", "'", "- a\n"]), text in any_text()) {
        let (seat, text) = (Seat::new(), line.to_owned() + &text);
        prop_assume!(!text.is_empty());
        seat.deliver(FILE, text.as_bytes());
        let listed = seat.inbox().list(&ListOptions::default()).items.remove(0);
        let next = seat.inbox().claim_next(None, &Claim::at(SystemTime::now()));
        prop_assert_eq!(listed.problem.as_ref(), next.skipped.first().map(|skipped| &skipped.refusal));
    }
}

#[test]
fn a_text_that_looks_like_a_directive_or_a_document_can_be_claimed_or_is_refused() {
    for line in [
        "%",
        "%\u{202e}: ",
        "%YAML 1.2",
        "%TAG ! tag:x,2026:",
        "---",
        "--- a",
        "...",
        "? ",
        "\t%",
        "&a",
        "!",
        "# c",
        "\u{feff}",
    ] {
        for before in [
            "",
            "\n",
            "id: m1\n",
            "# c\n",
            "--- \n",
            "%YAML 1.1\n",
            "...\n",
            "a: |\n",
            "a:\n  b\n",
            "a:\n- b\n",
            "- a\n",
            "a\n",
            "replied_at: \"x\"\n",
        ] {
            for after in [
                "",
                "\n",
                "\nb: c\n",
                "\n---\nb: c\n",
                "\r\n...\r\n",
                "\nclaimed_by: \"x\"",
                "\nclaimed_by: \"x\"\n",
            ] {
                comes_back(&format!("{before}{line}{after}"));
            }
        }
    }
}

/// Delivers a text, and where that is done claims it and gives it back.
fn comes_back(text: &str) {
    let seat = Seat::new();
    let delivery =
        Delivery { id: Some(ID.to_owned()), durable: false, ..Delivery::at(SystemTime::now()) };
    match seat.inbox().deliver_text(&service(), text, &delivery) {
        Ok(delivered) => {
            assert_eq!(delivered.state, State::New);
            assert_eq!(seat.only().bytes, text.as_bytes());
            let next = seat.inbox().claim_next(None, &Claim::at(SystemTime::now()));
            let Some(taken) = next.taken else {
                panic!("{text:?}: {:?}", next.skipped);
            };
            let own = taken.bytes;
            assert!(own == text.as_bytes() || own == strip_markers(text.as_bytes()), "{text:?}");
            seat.inbox().release(&service(), &Item::id(ID)).unwrap();
            assert_eq!(seat.only().bytes, own, "{text:?}");
        }
        Err(refusal) => {
            let word =
                if text.is_empty() { Refused::InvalidArgument } else { Refused::Unstampable };
            assert_eq!(refusal.error, word, "{text:?}");
            assert!(seat.names().is_empty(), "{text:?}");
        }
    }
}
