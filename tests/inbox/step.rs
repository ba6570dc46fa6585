//! The calls that change an item, by a name that passes from one process to another.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use seatkit::inbox::{
    ArchiveOptions, Claim, Deferral, Delivered, Delivery, Failed, Failure, FindOptions, Inbox,
    Item, ListOptions, ReopenFrom, SweepOptions,
};

use super::answer::Answer;
use super::seat::{FILE, ID, all_live, in_minutes, much_later, service};

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
    /// To be tried again in 90 minutes.
    Fail,
    FailForGood,
    /// From a deferral.
    Reopen,
    /// From the dead.
    Revive,
    /// When everything is due, a session alive.
    Sweep,
    /// The same, where an item may be claimed once.
    SweepAndGiveUp,
    /// When it is what it is.
    SweepNow,
    /// Of an item as [`mail`], under the name that all others have.
    Deliver,
    /// Of whatever is the next.
    ClaimNext,
    /// Of all that is processed.
    Archive,
    /// A daemon's own rename to `.dispatched`.
    Dispatch,
    /// These two change nothing.
    Find,
    List,
}

impl Step {
    const ALL: [(&str, Self); 23] = [
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
        ("fail", Self::Fail),
        ("fail-for-good", Self::FailForGood),
        ("reopen", Self::Reopen),
        ("revive", Self::Revive),
        ("sweep", Self::Sweep),
        ("sweep-and-give-up", Self::SweepAndGiveUp),
        ("sweep-now", Self::SweepNow),
        ("deliver", Self::Deliver),
        ("claim-next", Self::ClaimNext),
        ("archive", Self::Archive),
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
        let named = Item { file: Some(FILE.to_owned()), ..item.clone() };
        let now = SystemTime::now();
        let claim = Claim::at(now);
        match self {
            Self::Claim => Answer::of(Inbox::at(root).claim(&service(), &item, &claim)),
            Self::ClaimNamed => Answer::of(Inbox::at(root).claim(&service(), &named, &claim)),
            Self::ClaimWithToken => {
                let claim = Claim { token: true, ..claim };
                Answer::of(Inbox::at(root).claim(&service(), &item, &claim))
            }
            Self::Defer | Self::DeferBriefly => {
                let reason = (self == Self::Defer)
                    .then(|| "waiting for the finance team to send the numbers".to_owned());
                let deferral = Deferral { now, until: in_minutes(90.0), reason };
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
            Self::Fail | Self::FailForGood => {
                let failure = Failure {
                    now,
                    reason: "the mail server did not answer".to_owned(),
                    retry_at: (self == Self::Fail).then(|| in_minutes(90.0)),
                    max_attempts: None,
                };
                Answer::of(Inbox::at(root).fail(&service(), &item, &failure))
            }
            Self::Reopen => {
                Answer::of(Inbox::at(root).reopen(&service(), &item, ReopenFrom::Deferred))
            }
            Self::Revive => Answer::of(Inbox::at(root).reopen(&service(), &item, ReopenFrom::Dead)),
            Self::Sweep => sweep(root, &all_live(much_later())),
            Self::SweepAndGiveUp => {
                let mut options = all_live(much_later());
                options.rules.max_attempts = Some(1);
                sweep(root, &options)
            }
            Self::SweepNow => sweep(root, &all_live(now)),
            Self::Deliver => deliver(root),
            Self::ClaimNext => claim_next(root, claim),
            Self::Archive => archive(root),
            Self::Dispatch => dispatch(root),
            Self::Find => match Inbox::at(root).find(ID, &FindOptions::default()) {
                Ok(None) => nothing(),
                found => Answer::of(found),
            },
            Self::List => list(root),
        }
    }
}

fn sweep(root: &str, options: &SweepOptions) -> Answer {
    let swept = Inbox::at(root).sweep(options);
    first_of(swept.failed, swept.reopened.is_empty())
}

fn deliver(root: &str) -> Answer {
    let delivery = Delivery { id: Some(ID.to_owned()), ..Delivery::at(delivered_at()) };
    match Inbox::at(root).deliver(&service(), &mail(), &delivery) {
        Ok(Delivered { created: false, .. }) => nothing(),
        delivered => Answer::of(delivered),
    }
}

fn claim_next(root: &str, claim: Claim) -> Answer {
    let claim = Claim { token: true, ..claim };
    let next = Inbox::at(root).claim_next(None, &claim);
    match next.taken {
        // What was passed over on the way is no failure of the call.
        Some(_) => Answer::ok(),
        None => first_of(next.skipped, true),
    }
}

fn archive(root: &str) -> Answer {
    let options =
        ArchiveOptions { now: much_later(), older_than: Duration::ZERO, ids: None, dry_run: false };
    let archived = Inbox::at(root).archive(&options);
    first_of(archived.failed, archived.archived.is_empty())
}

fn list(root: &str) -> Answer {
    let listed = Inbox::at(root).list(&ListOptions::default());
    let problem = listed.items.first().map(|item| item.problem.clone().map_or(Ok(()), Err));
    match (listed.failed.into_iter().next(), problem) {
        (Some(failed), _) => Answer::of(Err::<(), _>(failed.refusal)),
        (None, Some(problem)) => Answer::of(problem),
        (None, None) => nothing(),
    }
}

/// What a call on many items answers: the first failure, if there is any.
fn first_of(failed: Vec<Failed>, nothing_done: bool) -> Answer {
    match failed.into_iter().next() {
        Some(failed) => Answer::of(Err::<(), _>(failed.refusal)),
        None if nothing_done => nothing(),
        None => Answer::ok(),
    }
}

/// When [`FILE`] says that it was delivered.
fn delivered_at() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_788_861_540)
}

/// What is delivered.
pub(crate) fn mail() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([("content", "can you send me the deck?\nand the notes\n")])
}

fn nothing() -> Answer {
    Answer { word: "nothing".to_owned(), ..Answer::ok() }
}

fn dispatch(root: &str) -> Answer {
    let found = Inbox::at(root).find(ID, &FindOptions::default()).unwrap().unwrap();
    std::fs::rename(&found.path, found.path.with_file_name(format!("{FILE}.dispatched"))).unwrap();
    Answer::ok()
}
