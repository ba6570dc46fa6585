//! Every call that changes an item, each from a state that it is called in.

use std::path::Path;
use std::time::SystemTime;

use seatkit::inbox::{Claim, Deferral, FindOptions, Inbox, Item, ListOptions};

use super::answer::Answer;
use super::seat::{FILE, ID, ITEM, Seat, all_live, in_minutes, much_later, service};

/// One call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Claim,
    /// With the file's name, which spares the scan.
    ClaimNamed,
    ClaimWithToken,
    /// As it would have been made 21 minutes ago.
    ClaimLongAgo,
    Defer,
    /// Without a reason, so that the block is a short one.
    DeferBriefly,
    Reply,
    Done,
    Release,
    Renew,
    /// When everything is due, a session alive.
    Sweep,
    /// When it is what it is.
    SweepNow,
    /// A daemon's own rename to `.dispatched`.
    Dispatch,
    /// These two change nothing.
    Find,
    List,
}

impl Step {
    const ALL: [(&str, Self); 15] = [
        ("claim", Self::Claim),
        ("claim-named", Self::ClaimNamed),
        ("claim-with-token", Self::ClaimWithToken),
        ("claim-long-ago", Self::ClaimLongAgo),
        ("defer", Self::Defer),
        ("defer-briefly", Self::DeferBriefly),
        ("reply", Self::Reply),
        ("done", Self::Done),
        ("release", Self::Release),
        ("renew", Self::Renew),
        ("sweep", Self::Sweep),
        ("sweep-now", Self::SweepNow),
        ("dispatch", Self::Dispatch),
        ("find", Self::Find),
        ("list", Self::List),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, step)| *step == self).unwrap().0
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(Self::ALL.iter().find(|(found, _)| *found == name)?.1)
    }

    pub(crate) fn take(self, root: &str) -> Answer {
        let item = Item::id(ID);
        let named = Item {
            file: Some(FILE.to_owned()),
            ..item.clone()
        };
        let now = SystemTime::now();
        let claim = Claim::at(now);
        match self {
            Self::Claim => Answer::of(Inbox::at(root).claim(&service(), &item, &claim)),
            Self::ClaimNamed => Answer::of(Inbox::at(root).claim(&service(), &named, &claim)),
            Self::ClaimWithToken => {
                let claim = Claim {
                    token: true,
                    ..claim
                };
                Answer::of(Inbox::at(root).claim(&service(), &item, &claim))
            }
            Self::Defer | Self::DeferBriefly => {
                let reason = (self == Self::Defer)
                    .then(|| "waiting for the finance team to send the numbers".to_owned());
                let deferral = Deferral {
                    now,
                    until: in_minutes(90.0),
                    reason,
                };
                Answer::of(Inbox::at(root).defer(&service(), &item, &deferral))
            }
            Self::Reply => Answer::of(Inbox::at(root).reply(&service(), &item, now)),
            Self::Done => Answer::of(Inbox::at(root).done(&service(), &item, now)),
            Self::Release => Answer::of(Inbox::at(root).release(&service(), &item)),
            Self::Renew => Answer::of(Inbox::at(root).renew(&service(), &item, now)),
            Self::ClaimLongAgo => {
                let claim = Claim::at(in_minutes(-21.0));
                Answer::of(Inbox::at(root).claim(&service(), &item, &claim))
            }
            Self::Sweep => sweep(root, much_later()),
            Self::SweepNow => sweep(root, now),
            Self::Dispatch => dispatch(root),
            Self::Find => match Inbox::at(root).find(ID, &FindOptions::default()) {
                Ok(None) => nothing(),
                found => Answer::of(found),
            },
            Self::List => match Inbox::at(root).list(&ListOptions::default()) {
                listed if listed.items.is_empty() && listed.failed.is_empty() => nothing(),
                listed => Answer::of(
                    match (
                        listed.failed.into_iter().next(),
                        listed.items.into_iter().next(),
                    ) {
                        (Some(failed), _) => Err(failed.refusal),
                        (None, Some(item)) => item.problem.map_or(Ok(()), Err),
                        (None, None) => Ok(()),
                    },
                ),
            },
        }
    }
}

fn sweep(root: &str, now: SystemTime) -> Answer {
    let swept = Inbox::at(root).sweep(&all_live(now));
    match (swept.failed.into_iter().next(), swept.reopened.len()) {
        (Some(failed), _) => Answer::of(Err::<(), _>(failed.refusal)),
        (None, 0) => nothing(),
        (None, _) => Answer::ok(),
    }
}

fn nothing() -> Answer {
    Answer {
        word: "nothing".to_owned(),
        ..Answer::ok()
    }
}

fn dispatch(root: &str) -> Answer {
    let found = Inbox::at(root)
        .find(ID, &FindOptions::default())
        .unwrap()
        .unwrap();
    std::fs::rename(
        &found.path,
        found.path.with_file_name(format!("{FILE}.dispatched")),
    )
    .unwrap();
    Answer::ok()
}

/// A call on an item that has a past.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// The item's own bytes.
    pub(crate) item: &'static [u8],
    /// What stands behind them when the item is delivered.
    pub(crate) left_over: &'static [u8],
    /// What was done with the item before.
    pub(crate) past: &'static [Step],
    pub(crate) call: Step,
}

const UNENDED: &[u8] = b"id: \"m1\"\ncontent: |\n  no line break behind this";
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
    Operation {
        name,
        item,
        left_over: b"",
        past,
        call,
    }
}

use Step::{
    Claim as Claimed, ClaimLongAgo, ClaimNamed, ClaimWithToken, Defer, DeferBriefly, Dispatch,
    Done, Release, Renew, Reply, Sweep, SweepNow,
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
    on(
        "short deferral of a long claim",
        ITEM,
        &[ClaimWithToken],
        DeferBriefly,
    ),
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
    on(
        "renewal of a claim with a token",
        ITEM,
        &[ClaimWithToken],
        Renew,
    ),
    on("sweep of a stale claim", ITEM, &[Claimed], Sweep),
    on("sweep of a due deferral", ITEM, &[Defer], Sweep),
    on("sweep of an unended deferral", UNENDED, &[Defer], Sweep),
    on("sweep of a replied item", ITEM, &[Claimed, Reply], Sweep),
    on("sweep of an orphan", ITEM, &[Dispatch], Sweep),
    on(
        "sweep of an interrupted deferral",
        ITEM,
        &[Defer, Dispatch],
        Sweep,
    ),
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
}

#[test]
fn every_operation_does_what_it_says() {
    for operation in OPERATIONS {
        let seat = operation.seat();
        assert_eq!(
            operation.call.take(seat.root()),
            Answer::ok(),
            "{}",
            operation.name
        );
        let kept = seat.only();
        let suffix = match operation.call {
            Claimed | ClaimNamed | ClaimWithToken | Reply | Renew => ".dispatched",
            Defer | DeferBriefly => ".deferred",
            Done => ".processed",
            Sweep if operation.was_replied() => ".processed",
            Sweep | Release => "",
            ClaimLongAgo | SweepNow | Dispatch | Step::Find | Step::List => {
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
