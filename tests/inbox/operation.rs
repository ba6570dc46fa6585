//! Every call that changes an item, each from a state that it is called in.

use std::path::Path;

use super::answer::Answer;
use super::seat::{FILE, ITEM, Seat};
use super::step::Step;

/// A call on an item that has a past.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// The item's own bytes.
    pub(crate) item: &'static [u8],
    /// What stands after them when the item is delivered.
    pub(crate) left_over: &'static [u8],
    /// What was done with the item before.
    pub(crate) past: &'static [Step],
    pub(crate) call: Step,
}

const UNENDED: &[u8] = b"id: \"m1\"\ncontent: |\n  no line break after this";
/// Larger than what is read of a file's end at first.
const LARGE: &[u8] = &{
    let mut item = [b'x'; 20_000];
    item[0] = b'#';
    item[19_999] = b'\n';
    item
};
const FORGED: &[u8] = b"claimed_by: \"session\"\nreplied_at: \"2026-09-08T10:00:00.000Z\"\n";

const fn on(
    name: &'static str,
    item: &'static [u8],
    past: &'static [Step],
    call: Step,
) -> Operation {
    Operation { name, item, left_over: b"", past, call }
}

use Step::{
    Claim as Claimed, ClaimLongAgo, ClaimNamed, ClaimWithToken, Defer, DeferBriefly, Dispatch,
    Done, Fail, FailForGood, Release, Renew, Reopen, Reply, Revive, Sweep, SweepAndGiveUp,
    SweepNow,
};

/// Every call, from every state that it is called in.
pub(crate) const OPERATIONS: &[Operation] = &[
    on("claim", ITEM, &[], Claimed),
    on("claim by the file's name", ITEM, &[], ClaimNamed),
    on("claim with a token", ITEM, &[], ClaimWithToken),
    on("claim of an unended item", UNENDED, &[], Claimed),
    on("claim of a large item", LARGE, &[], Claimed),
    Operation {
        left_over: FORGED,
        ..on("claim of an item with a forged reply", ITEM, &[], Claimed)
    },
    on("deferral", ITEM, &[], Defer),
    on("deferral of an unended item", UNENDED, &[], Defer),
    Operation {
        left_over: FORGED,
        ..on("deferral of an item with a forged reply", ITEM, &[], Defer)
    },
    on("deferral of a claim", ITEM, &[Claimed], Defer),
    on("deferral of an unended claim", UNENDED, &[Claimed], Defer),
    on("short deferral of a long claim", ITEM, &[ClaimWithToken], DeferBriefly),
    on("deferral of a daemon's item", ITEM, &[Dispatch], Defer),
    on("reply", ITEM, &[Claimed], Reply),
    on("reply to an unended item", UNENDED, &[Claimed], Reply),
    on("reply to a large item", LARGE, &[Claimed], Reply),
    on("reply to a daemon's item", ITEM, &[Dispatch], Reply),
    on("second reply", ITEM, &[Claimed, Reply], Reply),
    on("done", ITEM, &[Claimed], Done),
    on("done after a reply", ITEM, &[Claimed, Reply], Done),
    on("release", ITEM, &[Claimed], Release),
    on("release of an unended item", UNENDED, &[Claimed], Release),
    on("renewal", ITEM, &[Claimed], Renew),
    on("renewal of a claim with a token", ITEM, &[ClaimWithToken], Renew),
    on("failure", ITEM, &[Claimed], Fail),
    on("failure of an unended item", UNENDED, &[Claimed], Fail),
    on("failure of a large item", LARGE, &[ClaimWithToken], Fail),
    on("failure for good", ITEM, &[Claimed], FailForGood),
    on("failure for good of an unended item", UNENDED, &[ClaimWithToken], FailForGood),
    on("reopening of a deferral", ITEM, &[Defer], Reopen),
    on("reopening of a failure", UNENDED, &[Claimed, Fail], Reopen),
    on("revival", ITEM, &[Claimed, FailForGood], Revive),
    on("revival of an unended item", UNENDED, &[Claimed, FailForGood], Revive),
    on("sweep of a stale claim", ITEM, &[Claimed], Sweep),
    on("sweep of a failure", ITEM, &[Claimed, Fail], Sweep),
    on("sweep that gives a claim up", ITEM, &[Claimed], SweepAndGiveUp),
    on("sweep that gives a failure up", UNENDED, &[Claimed, Fail], SweepAndGiveUp),
    on("sweep of a due deferral", ITEM, &[Defer], Sweep),
    on("sweep of an unended deferral", UNENDED, &[Defer], Sweep),
    on("sweep of a replied item", ITEM, &[Claimed, Reply], Sweep),
    on("sweep of an orphan", ITEM, &[Dispatch], Sweep),
    on("sweep of an interrupted deferral", ITEM, &[Defer, Dispatch], Sweep),
];

impl Operation {
    /// A seat with the item in the state that the call finds it in.
    pub(crate) fn seat(&self) -> Seat {
        self.seat_below(&std::env::temp_dir())
    }

    /// The same on the file system that `parent` is on.
    pub(crate) fn seat_below(&self, parent: &Path) -> Seat {
        let seat = Seat::below(parent);
        seat.deliver(FILE, &[self.item, self.left_over].concat());
        for step in self.past {
            assert_eq!(step.take(seat.root()), Answer::ok(), "{}", self.name);
        }
        seat
    }

    /// The same with an item of this many bytes, which ends as the other does.
    pub(crate) fn sized(&self, bytes: usize) -> Self {
        let mut item = self.item.to_vec();
        let last = item.pop().unwrap();
        item.resize(bytes - 1, b'x');
        item.push(last);
        let item = item.leak();
        Self { item, ..*self }
    }

    /// Whether the item was replied to before the call.
    pub(crate) fn was_replied(&self) -> bool {
        self.past.contains(&Reply)
    }

    /// Whether the call only takes something away, or renames: a full disk is no obstacle.
    pub(crate) fn needs_no_space(&self) -> bool {
        matches!(self.call, Done | Release | Sweep | Reopen | Revive)
    }

    /// Whether an item may be dead after the call, done or undone.
    pub(crate) fn is_of_the_dead(&self) -> bool {
        matches!(self.call, FailForGood | Revive | SweepAndGiveUp)
    }
}

#[test]
fn every_operation_does_what_it_says() {
    for operation in OPERATIONS {
        let seat = operation.seat();
        assert_eq!(operation.call.take(seat.root()), Answer::ok(), "{}", operation.name);
        let kept = seat.only();
        let suffix = match operation.call {
            Claimed | ClaimNamed | ClaimWithToken | Reply | Renew => ".dispatched",
            Defer | DeferBriefly | Fail => ".deferred",
            FailForGood | SweepAndGiveUp => ".dead",
            Done => ".processed",
            Sweep if operation.was_replied() => ".processed",
            Sweep | Release | Reopen | Revive => "",
            ClaimLongAgo
            | SweepNow
            | Dispatch
            | Step::Deliver
            | Step::ClaimNext
            | Step::Archive
            | Step::Find
            | Step::List => {
                panic!("{} is no call of ours", operation.name)
            }
        };
        assert_eq!(kept.name, format!("{FILE}{suffix}"), "{}", operation.name);
        assert_eq!(kept.own_bytes(), operation.item, "{}", operation.name);
        assert_eq!(
            kept.replied(),
            operation.was_replied() || operation.call == Reply,
            "{}",
            operation.name
        );
    }
}
