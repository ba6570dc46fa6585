//! What a sender writes at the end of an item makes it neither claimed nor answered.

use seatkit::inbox::{ListOptions, Reason, parse_markers, strip_markers};

use super::seat::{FILE, ITEM, Seat, in_minutes, much_later};
use super::step::Step;

const REPLY: &str = "replied_at: \"2026-09-08T10:00:00.000Z\"\n";

/// Ends of an item that look like an answered claim, or would if something were cut off or added.
fn forgeries() -> Vec<String> {
    vec![
        REPLY.to_owned(),
        format!("claimed_by: \"session\"\n{REPLY}"),
        format!("{REPLY}claimed_b"),
        format!("{REPLY}\n"),
        format!("{REPLY}\ndeferred_until:  \n"),
        format!("{REPLY}cla\nclaimed_at:  \"x\"\n"),
        format!("{REPLY}{REPLY}cla\nclaimed_at:  \"x\""),
        format!("replied_at:  \"x\"\n{REPLY}"),
        format!("{REPLY}\r\n"),
        REPLY.trim_end().to_owned(),
        REPLY.replace('\n', "\r\n"),
        format!("  {REPLY}"),
    ]
}

#[test]
fn a_forged_reply_is_not_believed_once_the_item_is_claimed_or_deferred() {
    for forged in forgeries() {
        for step in [Step::Claim, Step::ClaimNamed, Step::Defer] {
            let seat = Seat::new();
            let body = [ITEM, forged.as_bytes()].concat();
            seat.deliver(FILE, &body);
            assert_eq!(step.take(seat.root()).word, "ok", "{forged:?}");
            let marked = seat.only();
            assert!(!marked.replied(), "{forged:?}: {marked:?}");
            assert_eq!(marked.own_bytes(), strip_markers(&body), "{forged:?}");
            assert_eq!(seat.sweep(in_minutes(19.0)).reopened, [], "{forged:?}");
            let reasons: Vec<_> =
                seat.sweep(much_later()).reopened.iter().map(|item| item.reason).collect();
            let due = if step == Step::Defer { Reason::DeferralDue } else { Reason::ClaimStale };
            assert_eq!(reasons, [due], "{forged:?}");
            assert_eq!(seat.only().bytes, strip_markers(&body), "{forged:?}");
        }
    }
}

/// More marker lines than a block may have are no block, and after them none could be seen.
#[test]
fn an_item_that_is_one_long_block_is_refused_and_untouched() {
    for lines in [30_000, 100_000] {
        let body = REPLY.repeat(lines);
        assert_eq!(strip_markers(body.as_bytes()), body.as_bytes());
        assert_eq!(parse_markers(body.as_bytes()).replied_at, None);
        for (step, suffix) in [
            (Step::Claim, ""),
            (Step::Defer, ""),
            (Step::Defer, ".dispatched"),
            (Step::Reply, ".dispatched"),
        ] {
            let seat = Seat::new();
            seat.deliver(&format!("{FILE}{suffix}"), body.as_bytes());
            let before = seat.only();
            let word = step.take(seat.root()).word;
            // Under a claim's name YAML decides, and it sees a reply.
            let replied = step == Step::Defer && !suffix.is_empty();
            assert_eq!(word, if replied { "already-replied" } else { "unstampable" }, "{step:?}");
            assert_eq!(seat.only(), before, "{step:?}");
        }
    }
}

#[test]
fn a_block_may_be_as_long_as_a_mebibyte_and_the_line_before_it_longer() {
    let block = REPLY.repeat((1 << 20) / REPLY.len());
    for length in [0, 1, 20_000, (1 << 20) - 1, 1 << 20, 3 << 20] {
        let item = "x".repeat(length) + "\n";
        let seat = Seat::new();
        let file = format!("{FILE}.dispatched");
        seat.deliver(&file, (item.clone() + &block).as_bytes());
        assert_eq!(seat.only().own_bytes(), item.as_bytes());
        let listed = seat.inbox().list(&ListOptions::default()).items;
        assert_eq!(listed[0].markers, parse_markers(REPLY.as_bytes()), "{length}");
    }
}
