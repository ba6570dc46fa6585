//! What other people's tools, editors and clocks did to queues of files, by their public reports, and what is like it.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use seatkit::inbox::{
    Claim, Delivery, FindOptions, Inbox, Item, ListOptions, ListedItem, Reason, Refused, State,
    SweepOptions, SweepRules,
};

use super::seat::{FILE, ID, ITEM, STEM, Seat, all_live, in_minutes, much_later, say, service};
use super::step::Step;

const MINUTE: Duration = Duration::from_secs(60);

/// The one item, with what the next sweep at this time will do with it.
fn listed(seat: &Seat, now: SystemTime) -> ListedItem {
    let next = Some((now, all_live(now).rules));
    let listed = seat.inbox().list(&ListOptions { next, ..ListOptions::default() });
    assert_eq!(listed.failed, []);
    let [item] = <[_; 1]>::try_from(listed.items).unwrap();
    item
}

fn reasons(seat: &Seat, options: &SweepOptions) -> Vec<Reason> {
    let swept = seat.inbox().sweep(options);
    assert_eq!(swept.failed, []);
    swept.reopened.iter().map(|item| item.reason).collect()
}

fn owned(now: SystemTime, owner: &str) -> SweepOptions {
    let mut options = all_live(now);
    options.rules.owners = vec![owner.to_owned()];
    options
}

fn claim(now: SystemTime) -> Claim {
    Claim { token: true, ..Claim::at(now) }
}

/// mymove PR#6665, where the first delivery has gone to the archive since.
#[test]
fn a_stem_that_is_in_the_archive_is_listed_as_what_no_call_takes() {
    let seat = Seat::new();
    seat.deliver(FILE, ITEM);
    let month = format!("{}/state/inbox-archive/cohort/2026-09", seat.root());
    fs::create_dir_all(&month).unwrap();
    let archived = format!("{month}/{FILE}.processed");
    fs::write(&archived, ITEM).unwrap();
    let problem = listed(&seat, SystemTime::now()).problem.unwrap();
    assert_eq!(problem.error, Refused::Conflict);
    assert!(problem.message.contains(&archived), "{problem}");
    assert_eq!(Step::Claim.take(seat.root()).word, "conflict");
    fs::remove_file(&archived).unwrap();
    assert_eq!(listed(&seat, SystemTime::now()).problem, None);
}

/// The same, where a sweep meets it.
#[test]
fn what_stands_in_a_sweeps_way_is_listed_instead_of_a_time_that_never_comes() {
    for (past, taken) in [
        (&[Step::Claim][..], FILE.to_owned()),
        (&[Step::Defer], FILE.to_owned()),
        (&[Step::Claim, Step::Reply], format!("{FILE}.processed")),
    ] {
        let seat = Seat::new();
        seat.deliver(FILE, ITEM);
        for step in past {
            assert_eq!(step.take(seat.root()).word, "ok");
        }
        assert!(listed(&seat, SystemTime::now()).next.is_some());
        seat.deliver(&taken, ITEM);
        let now = much_later();
        let next = Some((now, all_live(now).rules));
        let listed = seat.inbox().list(&ListOptions { next, ..ListOptions::default() }).items;
        let item = listed.iter().find(|item| item.found.state.suffix() != &taken[STEM.len()..]);
        let item = item.unwrap();
        let problem = item.problem.clone().unwrap();
        assert_eq!((problem.error, item.next), (Refused::Conflict, None), "{past:?}");
        assert!(problem.message.contains(&taken), "{problem}");
        let [failed] = <[_; 1]>::try_from(seat.sweep(now).failed).unwrap();
        assert_eq!(failed.refusal.error, Refused::Conflict);
    }
}

/// rsync#357, logrotate PR#407.
#[test]
fn a_second_link_is_said_by_every_call_and_no_second_delivery_is_made() {
    let seat = Seat::new();
    seat.deliver(FILE, ITEM);
    let (copy, inbox) = (format!("{}/copy", seat.root()), seat.inbox());
    fs::hard_link(seat.path(FILE), &copy).unwrap();
    let answer = Step::Claim.take(seat.root());
    assert_eq!(answer.word, "not-claimable");
    assert!(answer.message.contains("second link"), "{answer:?}");
    assert_eq!(inbox.find(ID, &FindOptions::default()), Ok(None), "it is no item");
    let delivery = Delivery { id: Some(ID.to_owned()), ..Delivery::at(SystemTime::now()) };
    assert!(!inbox.deliver_text(&service(), "id: m1\n", &delivery).unwrap().created);
    fs::remove_file(&copy).unwrap();

    assert_eq!(Step::ClaimLongAgo.take(seat.root()).word, "ok");
    fs::hard_link(seat.path(&format!("{FILE}.dispatched")), &copy).unwrap();
    for step in [Step::Reply, Step::Done, Step::Release, Step::Renew, Step::Fail] {
        let answer = step.take(seat.root());
        assert_ne!(answer.word, "ok", "{step:?}");
        assert!(answer.message.contains("second link"), "{answer:?}");
    }
    let item = listed(&seat, SystemTime::now());
    assert_eq!((item.problem.unwrap().error, item.next), (Refused::Linked, None));
    assert_eq!(Step::SweepNow.take(seat.root()).word, "linked");
}

#[test]
fn a_service_that_is_a_link_is_named_by_whoever_asks_for_it() {
    let (seat, outside) = (Seat::new(), Seat::new());
    outside.deliver(FILE, ITEM);
    fs::remove_dir(seat.folder()).unwrap();
    symlink(outside.folder(), seat.folder()).unwrap();
    let (inbox, cohort) = (seat.inbox(), service());
    let alone = ListOptions { service: Some(cohort.clone()), ..ListOptions::default() };
    let next = inbox.claim_next(Some(&cohort), &claim(SystemTime::now()));
    for failed in [inbox.list(&alone).failed, next.skipped] {
        let [failed] = <[_; 1]>::try_from(failed).unwrap();
        assert_eq!((failed.refusal.error, &*failed.service.unwrap()), (Refused::Linked, "cohort"));
    }
    assert!(Step::Claim.take(seat.root()).message.contains("is a link"));
}

/// A claim is killed between its rename and its block, and its item given back; later a daemon takes it.
#[test]
fn a_claim_that_died_is_forgotten_once_its_item_is_new_again() {
    let seat = Seat::new();
    let (dispatched, name) = (format!("{FILE}.dispatched"), "user.seatkit.attempts");
    seat.deliver(&dispatched, ITEM);
    let mark = |value: &[u8]| {
        let flags = rustix::fs::XattrFlags::empty();
        rustix::fs::setxattr(seat.path(&dispatched), name, value, flags).is_ok()
    };
    if !mark(b"1 claiming") {
        return say("SKIPPED: the file system for temporary files has no attributes");
    }
    let without_a_session = SweepOptions::at(in_minutes(30.0));
    assert_eq!(reasons(&seat, &without_a_session), [Reason::ClaimStale]);
    assert_eq!(Step::Dispatch.take(seat.root()).word, "ok");
    assert_eq!(reasons(&seat, &without_a_session), [], "the daemon is at work on it");
    assert_eq!(reasons(&seat, &all_live(in_minutes(31.0))), [Reason::DaemonOrphan]);
    assert_eq!(Step::Claim.take(seat.root()).word, "ok");
    assert_eq!(listed(&seat, SystemTime::now()).attempts, Some(2));
}

/// td-cli PR#59, the other way round: what is meant must be found among any number that come near.
#[test]
fn a_whole_part_of_an_id_is_found_among_many_that_only_have_its_letters() {
    let seat = Seat::new();
    for number in 0..300 {
        seat.deliver(&format!("2026-09-08T09-59-00-000Z-a{ID}{number}.yaml"), ITEM);
    }
    assert_eq!(Step::Claim.take(seat.root()).word, "not-claimable");
    seat.deliver(&format!("2026-09-08T09-59-00-000Z-z-{ID}.yaml"), ITEM);
    assert_eq!(Step::Claim.take(seat.root()).word, "ok");
    assert!(seat.path(&format!("2026-09-08T09-59-00-000Z-z-{ID}.yaml.dispatched")).exists());
}

/// Many deliveries of one id are many hits, and none is compared with each other.
#[test]
fn an_id_that_was_delivered_many_times_is_found_and_the_oldest_is_meant() {
    let seat = Seat::new();
    for number in (0..3000).rev() {
        fs::write(
            seat.path(&format!(
                "2026-09-08T09-{:02}-{:02}-000Z-{ID}.yaml",
                number / 60,
                number % 60
            )),
            ITEM,
        )
        .unwrap();
    }
    assert_eq!(Step::Claim.take(seat.root()).word, "ok");
    assert!(seat.path(&format!("2026-09-08T09-00-00-000Z-{ID}.yaml.dispatched")).exists());
}

/// A person sets another time by hand, and writes no quotes.
#[test]
fn a_deferral_that_a_person_edits_comes_back_at_the_new_time() {
    for written in [
        "2030-03-01 09:00:00Z",
        "2030-03-01 09:00:00+00:00",
        "2030-03-01T09:00:00Z # not before",
        "\"2030-03-01T09:00:00Z\"   # not before",
        "Fri, 01 Mar 2030 09:00:00 GMT",
    ] {
        for after in ["", "deferred_reason: \"later\"\n", "deferred_reason: by hand\n", "# x\n"] {
            let seat = Seat::new();
            let text = format!("id: m1\ndeferred_until: {written}\n{after}");
            seat.deliver(&format!("{FILE}.deferred"), text.as_bytes());
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_898_586_000);
            let next = listed(&seat, SystemTime::now()).next.unwrap();
            assert_eq!((next.reason, next.at), (Reason::DeferralDue, at), "{text:?}");
            assert_eq!(reasons(&seat, &all_live(at - MINUTE)), [], "{text:?}");
            assert_eq!(reasons(&seat, &all_live(at + MINUTE)), [Reason::DeferralDue], "{text:?}");
            let kept = seat.only();
            assert!(kept.bytes.starts_with(b"id: m1\n"), "{kept:?}");
            assert!(!String::from_utf8(kept.bytes).unwrap().contains("deferred"), "{text:?}");
        }
    }
}

/// What a tool writes that reads the item as YAML and writes it anew.
#[test]
fn an_item_that_a_tool_wrote_anew_keeps_its_owner() {
    for text in [
        // In the order that it had, quotes only where they must be.
        "id: m1\nclaimed_by: Jane Doe\nclaimed_at: '2026-09-08T10:00:00.000Z'\n",
        "id: m1\nclaimed_by: Jane Doe\nclaimed_at: 2026-09-08 10:00:00+00:00\ndraft: x\n",
        // Its keys sorted.
        "claimed_at: '2026-09-08T10:00:00.000Z'\nclaimed_by: Jane Doe\nid: m1\n",
        "claim_token: t\nclaimed_at: '2026-09-08T10:00:00.000Z'\nclaimed_by: Jane Doe\nid: m1\n",
    ] {
        let seat = Seat::new();
        seat.deliver(&format!("{FILE}.dispatched"), text.as_bytes());
        let markers = listed(&seat, SystemTime::now()).markers;
        assert_eq!(markers.claimed_by.as_deref(), Some("Jane Doe"), "{text:?}");
        assert!(markers.claimed_at.is_some(), "{text:?}");
        assert_eq!(reasons(&seat, &all_live(in_minutes(60.0))), [], "nobody else's: {text:?}");
        let token = markers.claim_token.clone();
        let item = Item { token, ..Item::id(ID) };
        seat.inbox().renew(&service(), &item, SystemTime::now()).unwrap();
        let renewed = listed(&seat, SystemTime::now()).markers;
        assert_eq!(renewed.claimed_by, markers.claimed_by, "{text:?}");
        assert_eq!(renewed.claim_token, markers.claim_token, "{text:?}");
        let back = reasons(&seat, &owned(in_minutes(21.0), "Jane Doe"));
        assert_eq!(back, [Reason::ClaimStale], "{text:?}");
        let kept = String::from_utf8(seat.only().bytes).unwrap();
        assert_eq!(kept.replace("draft: x\n", ""), "id: m1\n", "{text:?}");
        assert_eq!(Step::ClaimWithToken.take(seat.root()).word, "ok", "{text:?}");
    }
}

/// Agents answer in the file itself, as if it were a page with its facts in front.
#[test]
fn whatever_an_agent_adds_to_an_item_in_flight_neither_strands_it_nor_is_lost() {
    for added in [
        "---\n\nThanks, I will send the deck.\n",
        "---\n- a\n- b\n",
        "Thanks, I will send the deck.\n",
        "# Reply\n\n* one: *two*\n",
        "...\n",
        "---\n",
        "- [ ] to do\n",
        "{\"done\": true}\n",
        "```yaml\nclaim: x\n```\n",
        "\t\n",
        "\u{feff}x: y\n",
        "claimed: yes\n",
        "note: no line end",
    ] {
        for past in [&[Step::ClaimLongAgo][..], &[Step::Defer], &[Step::Claim, Step::Fail]] {
            let seat = Seat::new();
            seat.deliver(FILE, ITEM);
            for step in past {
                assert_eq!(step.take(seat.root()).word, "ok");
            }
            let path = seat.path(&seat.only().name);
            let text = [&*fs::read(&path).unwrap(), added.as_bytes()].concat();
            fs::write(&path, text).unwrap();
            let item = listed(&seat, SystemTime::now());
            assert!(item.next.is_some(), "{added:?} {past:?}: {item:?}");
            assert_eq!(reasons(&seat, &all_live(much_later())).len(), 1, "{added:?} {past:?}");
            let kept = seat.only();
            let expected = [ITEM, added.as_bytes()].concat();
            assert_eq!((&*kept.name, kept.bytes), (FILE, expected), "{added:?} {past:?}");
        }
    }
}

/// A sender's own words before a block are the sender's, also once something was added after it.
#[test]
fn what_stands_before_a_disturbed_block_is_the_senders() {
    let seat = Seat::new();
    let item = "id: m1\nreplied_at: \"2026-09-08T10:00:00.000Z\"\nclaim_token: mine\nx: y\n";
    seat.deliver(FILE, item.as_bytes());
    assert_eq!(Step::ClaimLongAgo.take(seat.root()).word, "ok");
    let path = seat.path(&format!("{FILE}.dispatched"));
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("draft: z\n");
    fs::write(&path, text).unwrap();
    let markers = listed(&seat, SystemTime::now()).markers;
    assert_eq!((markers.replied_at, markers.claim_token), (None, None));
    assert_eq!(reasons(&seat, &all_live(SystemTime::now())), [Reason::ClaimStale]);
    assert_eq!(seat.only().bytes, format!("{item}draft: z\n").as_bytes());
}

/// maho#1314: a backup or an indexer locks what it reads, in its own way.
#[test]
fn an_item_that_is_due_and_locked_by_another_tool_is_said_to_be_busy() {
    use rustix::fs::{FlockOperation, flock};
    for (past, is_new) in [(&[Step::ClaimLongAgo][..], false), (&[], true)] {
        for lock in [FlockOperation::LockShared, FlockOperation::LockExclusive] {
            let seat = Seat::new();
            seat.deliver(FILE, ITEM);
            for step in past {
                assert_eq!(step.take(seat.root()).word, "ok");
            }
            let before = seat.only();
            let reader = fs::File::open(seat.path(&before.name)).unwrap();
            flock(&reader, lock).unwrap();
            if is_new {
                assert_eq!(Step::Claim.take(seat.root()).word, "busy");
                let next = seat.inbox().claim_next(None, &claim(SystemTime::now()));
                assert_eq!(next.skipped[0].refusal.error, Refused::Busy);
            } else {
                for dry_run in [true, false] {
                    let options = SweepOptions { dry_run, ..all_live(SystemTime::now()) };
                    let [failed] = <[_; 1]>::try_from(seat.inbox().sweep(&options).failed).unwrap();
                    assert_eq!(failed.refusal.error, Refused::Busy);
                    assert_eq!(failed.file.as_deref(), Some(&*before.name));
                }
                assert_eq!(Step::Release.take(seat.root()).word, "busy");
            }
            assert_eq!(seat.only(), before);
            drop(reader);
            let step = if is_new { Step::Claim } else { Step::SweepNow };
            assert_eq!(step.take(seat.root()).word, "ok");
        }
    }
}

/// librefang#5114: each time that a sweep goes by, written by a clock ten years ahead.
#[test]
fn what_a_clock_that_was_ahead_wrote_is_due() {
    let (now, ahead) = (SystemTime::now(), in_minutes(60.0 * 24.0 * 3650.0));
    let live = all_live(now);
    for (reason, past, touched) in [
        (Reason::ClaimStale, "claimed", false),
        (Reason::RepliedRetired, "replied", false),
        (Reason::DaemonOrphan, "dispatched", true),
        (Reason::ClaimStale, "claimed without a time", true),
        (Reason::RepliedRetired, "replied without a time", true),
        (Reason::DeferralDue, "deferred without a time", true),
    ] {
        let seat = Seat::new();
        seat.deliver(FILE, ITEM);
        let (inbox, service, item) = (seat.inbox(), service(), Item::id(ID));
        let dispatched = format!("{FILE}.dispatched");
        match past {
            "claimed" => drop(inbox.claim(&service, &item, &Claim::at(ahead)).unwrap()),
            "replied" => {
                inbox.claim(&service, &item, &Claim::at(now)).unwrap();
                inbox.reply(&service, &item, ahead).unwrap();
            }
            "dispatched" => assert_eq!(Step::Dispatch.take(seat.root()).word, "ok"),
            other => {
                fs::remove_file(seat.path(FILE)).unwrap();
                let (name, block) = match other {
                    "claimed without a time" => (&*dispatched, "claimed_by: session\n"),
                    "replied without a time" => (&*dispatched, "replied_at: soon\n"),
                    _ => (&*format!("{FILE}.deferred"), "deferred_until: soon\n"),
                };
                seat.deliver(name, &[ITEM, block.as_bytes()].concat());
            }
        }
        if touched {
            fs::File::open(seat.path(&seat.only().name)).unwrap().set_modified(ahead).unwrap();
        }
        let next = listed(&seat, now).next.unwrap();
        let due = next.at <= now + Duration::from_millis(1);
        assert_eq!((next.reason, due), (reason, true), "{past}");
        assert_eq!(reasons(&seat, &live), [reason], "{past}");
    }
}

/// What a process that died left beside the items goes, whatever its clock said.
#[test]
fn a_leftover_of_a_clock_that_was_ahead_is_taken_away() {
    let seat = Seat::new();
    let left = seat.path(".seatkit-left");
    for (minutes, stays) in [(0.0, true), (-90.0, false), (1e6, false)] {
        fs::write(&left, "").unwrap();
        fs::File::open(&left).unwrap().set_modified(in_minutes(minutes)).unwrap();
        seat.sweep(SystemTime::now());
        assert_eq!(left.exists(), stays, "{minutes}");
    }
}

/// A listing says what the very sweep that is asked about will do, and not what another one would.
#[test]
fn the_next_of_a_listing_is_what_that_sweep_does() {
    let (now, rules) = (in_minutes(60.0), SweepRules::default());
    let seat = Seat::new();
    seat.deliver(&format!("{FILE}.dispatched"), ITEM);
    for (session_live, expected) in [(false, None), (true, Some(Reason::DaemonOrphan))] {
        let rules = SweepRules { session_live, ..rules.clone() };
        let next = Some((now, rules.clone()));
        let listed = seat.inbox().list(&ListOptions { next, ..ListOptions::default() }).items;
        let swept = seat.inbox().sweep(&SweepOptions { now, dry_run: true, rules });
        assert_eq!(listed[0].next.map(|next| next.reason), expected);
        assert_eq!(swept.reopened.first().map(|item| item.reason), expected);
    }
}

/// Every state can be asked for alone, and an unknown root is an empty inbox.
#[test]
fn an_inbox_that_is_not_there_yet_is_an_empty_one() {
    let inbox = Inbox::at("/nowhere/at/all");
    let states = Some(vec![State::New]);
    let listed = inbox.list(&ListOptions { states, ..ListOptions::default() });
    assert_eq!((listed.items, listed.failed), (vec![], vec![]));
}
