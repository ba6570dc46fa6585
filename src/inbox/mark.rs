//! What is done with one item: claim, defer, reply, finish, give back, keep for longer, fail, reopen.

use std::path::PathBuf;
use std::time::SystemTime;

use uuid::Uuid;

use super::block::{
    Key, MAX_CLAIM_BLOCK, NOT_FOUND_AGAIN, NewBlock, claim_is_found_after, split_text,
};
use super::call::{Call, Item};
use super::change::Edit;
use super::file::MAX_ITEM;
use super::held::Held;
use super::name::{Service, State};
use super::outline::{Obstacle, Outline};
use super::refusal::{Refusal, Refused};
use super::rule::{SESSION, Verb};
use super::scalar;
use super::time::Time;
use super::{Inbox, archive, no_nul};

/// A call that did what it was asked, and where the item is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Its id.
    pub id: String,
    /// Its service.
    pub service: String,
    /// The state it is in.
    pub state: State,
    /// Its bare file name.
    pub file: String,
    /// Its path.
    pub path: PathBuf,
    /// The token of a new claim, where one was asked for.
    pub token: Option<String>,
    /// How often it was claimed, with this claim; `None` for calls that do not claim, and where that cannot be kept.
    pub attempts: Option<u32>,
}

impl Marked {
    pub(crate) fn of(held: &Held<'_>, service: &Service) -> Self {
        Self {
            id: held.id().to_owned(),
            service: service.to_string(),
            state: held.state(),
            file: held.file_name(),
            path: held.path(),
            token: None,
            attempts: None,
        }
    }

    /// The item that this is about, with the token of its claim: for the calls to come.
    #[must_use]
    pub fn item(&self) -> Item {
        Item { id: self.id.clone(), file: Some(self.file.clone()), token: self.token.clone() }
    }
}

/// Options of [`Inbox::claim`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The time of the claim.
    pub now: SystemTime,
    /// Who claims. A sweep gives back the claims of [`SESSION`], and those of owners that it is told.
    pub claimed_by: String,
    /// Whether the claim gets a token of its own, which later calls can show.
    pub token: bool,
}

impl Claim {
    /// A session's claim, without a token.
    #[must_use]
    pub fn at(now: SystemTime) -> Self {
        Self { now, claimed_by: SESSION.to_owned(), token: false }
    }

    /// Claims the item that is held.
    pub(crate) fn apply(
        &self,
        inbox: &Inbox,
        held: &mut Held<'_>,
        service: &Service,
    ) -> Result<Marked, Refusal> {
        inbox.refuse_finished(held, service)?;
        let token = self.token.then(|| Uuid::new_v4().to_string());
        let mut block = NewBlock::default()
            .text(Key::ClaimedBy, &self.claimed_by)
            .time(Key::ClaimedAt, self.now.into());
        if let Some(token) = &token {
            block = block.text(Key::ClaimToken, token);
        }
        fits("name of the owner", &block)?;
        let block = to_follow(held, block)?;
        let attempts = held.claim(block, self.now.into())?;
        Ok(Marked { token, attempts, ..Marked::of(held, service) })
    }
}

/// Options of [`Inbox::defer`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deferral {
    /// The time of the call.
    pub now: SystemTime,
    /// When the item is new again.
    pub until: SystemTime,
    /// Why; `None` writes no line for it.
    pub reason: Option<String>,
}

/// Options of [`Inbox::fail`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The time of the failure.
    pub now: SystemTime,
    /// What went wrong.
    pub reason: String,
    /// When to try again; never where `None`.
    pub retry_at: Option<SystemTime>,
    /// How many attempts there are: an item that was claimed so often is dead, whatever `retry_at` says.
    pub max_attempts: Option<u32>,
}

/// Where [`Inbox::reopen`] takes an item from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReopenFrom {
    /// A deferral, before its time.
    Deferred,
    /// The dead; how often it was claimed is forgotten.
    Dead,
}

impl Inbox {
    /// Claims a new item: it becomes `claimed`, and its block says by whom and since when.
    ///
    /// Of any number of callers, in any number of processes, one wins.
    ///
    /// # Errors
    ///
    /// `not-claimable`, `busy` (also for an empty file, whose writer is not done), `conflict`, `unstampable`,
    /// `claim-lost`, `invalid-argument` or `io`; the item is as it was.
    ///
    /// ```
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// use std::time::SystemTime;
    /// use seatkit::inbox::{Claim, Inbox, Refused};
    ///
    /// std::fs::create_dir_all(root.join("state/inbox/cohort"))?;
    /// std::fs::write(root.join("state/inbox/cohort/m1.yaml"), "id: m1\n")?;
    /// let (inbox, cohort) = (Inbox::at(root), "cohort".parse()?);
    /// let claimed = inbox.claim(&cohort, &"m1".into(), &Claim::at(SystemTime::now()))?;
    /// assert!(claimed.path.ends_with("cohort/m1.yaml.dispatched"));
    /// let again = inbox.claim(&cohort, &"m1".into(), &Claim::at(SystemTime::now()));
    /// assert_eq!(again.unwrap_err().error, Refused::NotClaimable);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn claim(&self, service: &Service, item: &Item, claim: &Claim) -> Result<Marked, Refusal> {
        self.on_item(service, item, Verb::Claim, &|held| claim.apply(self, held, service))
    }

    /// Parks a new or claimed item until a time; a claim's block is replaced by the deferral's.
    ///
    /// # Errors
    ///
    /// `not-deferrable`, `already-replied`, `claim-lost`, `busy`, `conflict`, `unstampable`, `disturbed`,
    /// `invalid-argument` (a reason too long for a block) or `io`; the item is as it was.
    pub fn defer(
        &self,
        service: &Service,
        item: &Item,
        deferral: &Deferral,
    ) -> Result<Marked, Refusal> {
        let mut block = NewBlock::default().time(Key::DeferredUntil, deferral.until.into());
        if let Some(reason) = &deferral.reason {
            block = block.text(Key::DeferredReason, reason);
        }
        fits("reason", &block)?;
        self.on_item(service, item, Verb::Defer, &|held| {
            if held.state() == State::New {
                self.refuse_finished(held, service)?;
            }
            let edit = Edit::Set(to_follow(held, block.clone())?);
            held.apply(State::Deferred, edit, deferral.now.into())?;
            Ok(Marked::of(held, service))
        })
    }

    /// Notes that a claimed item was answered. The claim stays; no sweep gives the item back any more.
    ///
    /// When this returns the reply is on the disk, file and folder. A second reply only moves the time on.
    ///
    /// # Errors
    ///
    /// `not-in-flight`, `claim-lost`, `busy`, `unstampable` (only where a mebibyte of marker lines ends the
    /// file), `invalid-argument` or `io`. Where the message says that the
    /// reply is recorded, only its way to the disk failed: the item will not be given back, and the call
    /// may be repeated.
    pub fn reply(
        &self,
        service: &Service,
        item: &Item,
        now: SystemTime,
    ) -> Result<Marked, Refusal> {
        self.on_item(service, item, Verb::Reply, &|held| {
            let end = held.end();
            let block = NewBlock::default()
                .keep(end.bytes(), &end.block(), Key::RepliedAt)
                .time(Key::RepliedAt, now.into());
            // Whatever the item looks like to a parser then: an answer that was given must be on record.
            let edit = Edit::Extend(legible(held, block)?);
            held.apply(State::Claimed, edit, now.into())?;
            on_disk(held, service, "the reply is recorded")
        })
    }

    /// Finishes a claimed item: it becomes `processed`, its bytes and block unchanged. On the disk when this returns.
    ///
    /// # Errors
    ///
    /// `not-found`, `not-in-flight` (for an item in another state), `claim-lost`, `busy`, `conflict`,
    /// `invalid-argument` or `io`.
    pub fn done(&self, service: &Service, item: &Item, now: SystemTime) -> Result<Marked, Refusal> {
        self.on_item(service, item, Verb::Done, &|held| {
            held.apply(State::Processed, Edit::Keep, now.into())?;
            on_disk(held, service, "the item is processed")
        })
    }

    /// Gives a claimed item back at once: it is `new` again, its block cut.
    ///
    /// # Errors
    ///
    /// `not-found`, `not-in-flight`, `already-replied`, `claim-lost`, `busy`, `conflict`, `disturbed`,
    /// `invalid-argument` or `io`.
    pub fn release(&self, service: &Service, item: &Item) -> Result<Marked, Refusal> {
        self.on_item(service, item, Verb::Release, &|held| {
            held.apply(State::New, Edit::Cut, SystemTime::now().into())?;
            Ok(Marked::of(held, service))
        })
    }

    /// Starts the time of a claim anew, for work that takes longer than the stale limit.
    ///
    /// # Errors
    ///
    /// `not-found`, `not-in-flight` (also for an item that was dispatched without a claim), `already-replied`,
    /// `claim-lost`, `busy`, `disturbed`, `invalid-argument` or `io`.
    pub fn renew(
        &self,
        service: &Service,
        item: &Item,
        now: SystemTime,
    ) -> Result<Marked, Refusal> {
        self.on_item(service, item, Verb::Renew, &|held| {
            let facts = held.end().facts();
            let Some(by) = facts.text(Key::ClaimedBy) else {
                return Err(held.refused(Refused::NotInFlight, "carries no claim"));
            };
            // As it stands there, where that is how a block has it.
            let raw = facts.raw(Key::ClaimedBy).filter(|raw| scalar::is_whole(raw));
            let block = match raw.and_then(|raw| std::str::from_utf8(raw).ok()) {
                Some(raw) => NewBlock::default().line(Key::ClaimedBy, raw),
                None => NewBlock::default().text(Key::ClaimedBy, &by),
            };
            let mut block = block.time(Key::ClaimedAt, now.into());
            if let Some(token) = facts.text(Key::ClaimToken) {
                block = block.text(Key::ClaimToken, &token);
            }
            let edit = Edit::Set(legible(held, block)?);
            held.apply(State::Claimed, edit, now.into())?;
            Ok(Marked::of(held, service))
        })
    }

    /// Says that the work on a claimed item failed: it is deferred until `retry_at`, or given up (`dead`) without one or
    /// after `max_attempts`. When and why stands in its block.
    ///
    /// # Errors
    ///
    /// `not-found`, `not-claimed`, `already-replied`, `claim-lost`, `busy`, `conflict`, `unstampable`, `disturbed`,
    /// `invalid-argument` (a reason too long for a block) or `io`; the item is as it was.
    pub fn fail(
        &self,
        service: &Service,
        item: &Item,
        failure: &Failure,
    ) -> Result<Marked, Refusal> {
        let failed = |block: NewBlock| {
            let block = block.time(Key::FailedAt, failure.now.into());
            block.text(Key::FailedReason, &failure.reason)
        };
        fits("reason", &failed(NewBlock::default()))?;
        self.on_item(service, item, Verb::Fail, &|held| {
            let attempts = held.attempts();
            let exhausted = failure
                .max_attempts
                .is_some_and(|most| attempts.is_some_and(|attempts| attempts.count >= most));
            let (to, block) = match failure.retry_at.filter(|_| !exhausted) {
                Some(at) => {
                    (State::Deferred, NewBlock::default().time(Key::DeferredUntil, at.into()))
                }
                None => (State::Dead, NewBlock::default()),
            };
            let edit = Edit::Set(to_follow(held, failed(block))?);
            held.apply(to, edit, failure.now.into())?;
            Ok(Marked::of(held, service))
        })
    }

    /// Gives a deferred or dead item back at once: it is `new` again, its block cut.
    ///
    /// # Errors
    ///
    /// `not-found` (also for an item in another state), `claim-lost`, `busy`, `conflict`, `disturbed`,
    /// `invalid-argument` or `io`; the item is as it was.
    pub fn reopen(
        &self,
        service: &Service,
        item: &Item,
        from: ReopenFrom,
    ) -> Result<Marked, Refusal> {
        let verb = match from {
            ReopenFrom::Deferred => Verb::ReopenDeferred,
            ReopenFrom::Dead => Verb::ReopenDead,
        };
        self.on_item(service, item, verb, &|held| {
            if from == ReopenFrom::Dead {
                held.forget_attempts();
            }
            held.apply(State::New, Edit::Cut, SystemTime::now().into())?;
            Ok(Marked::of(held, service))
        })
    }

    /// Refuses a stem that was done with before: whoever answered it would be answered for again.
    fn refuse_finished(&self, held: &Held<'_>, service: &Service) -> Result<(), Refusal> {
        held.refuse_finished()?;
        match archive::find_stem(self.root(), service, held.stem()) {
            Ok(None) => Ok(()),
            Ok(Some(archived)) => {
                let why =
                    format!("was done with before: it is in the archive as {}", archived.display());
                Err(held.refused(Refused::Conflict, &why))
            }
            Err(errno) => Err(Refusal::io(
                errno,
                format_args!("read the archive of {service} in {}", self.root().display()),
            )),
        }
    }

    fn on_item(
        &self,
        service: &Service,
        item: &Item,
        verb: Verb,
        act: &dyn Fn(&mut Held<'_>) -> Result<Marked, Refusal>,
    ) -> Result<Marked, Refusal> {
        no_nul(self.root())?;
        let root = self.root();
        Call { root, service, item, verb }.on_item(act)
    }
}

fn fits(what: &str, block: &NewBlock) -> Result<(), Refusal> {
    if block.len() <= MAX_CLAIM_BLOCK {
        return Ok(());
    }
    Err(Refusal::argument(format!(
        "the {what} makes a block of {} bytes; {MAX_CLAIM_BLOCK} are allowed",
        block.len()
    )))
}

/// The bytes that put `block` after the item, if the item stays readable under it.
fn to_follow(held: &mut Held<'_>, block: NewBlock) -> Result<Vec<u8>, Refusal> {
    if held.state() == State::New && held.size() == 0 {
        return Err(held.refused(Refused::Busy, "is empty: its writer is not done"));
    }
    if let Some(why) = obstacle(held, &block)? {
        return Err(held.refused(Refused::Unstampable, &why));
    }
    legible(held, block)
}

/// Why a block cannot follow the item, as a YAML parser sees the item that lies there.
fn obstacle(held: &mut Held<'_>, block: &NewBlock) -> Result<Option<String>, Refusal> {
    if held.size() > MAX_ITEM as u64 {
        return Ok(Some(format!(
            "has {} bytes; an item of up to {MAX_ITEM} can carry a block",
            held.size()
        )));
    }
    let text =
        if held.end().is_disturbed() { held.end().without_markers() } else { own_text(held)? };
    Ok(Outline::of(&text).obstacle_to(|key| block.has(key)).map(Obstacle::sentence))
}

/// The item's own bytes. What only looks like a block at the end of a new item, and stands within quotes, is its own.
fn own_text(held: &mut Held<'_>) -> Result<Vec<u8>, Refusal> {
    let mut text = held.read_all()?;
    let length = usize::try_from(held.end().item_length()).unwrap_or(usize::MAX);
    if held.state() == State::New && is_own_text(&text, length) {
        held.disown_block();
        return Ok(text);
    }
    text.truncate(length);
    Ok(text)
}

/// Whether YAML takes what looks like a block, from `start` on, for something else.
fn is_own_text(text: &[u8], start: usize) -> bool {
    start < text.len()
        && !Outline::of(text).markers.iter().any(|marker| marker.lines.start >= start)
}

/// Why no claim will ever take a new item that says `text`, all of it, as the end of a sentence.
pub(crate) fn unclaimable(text: &[u8]) -> Option<String> {
    let start = split_text(text).start;
    let own = match text.get(..start) {
        Some(own) if !is_own_text(text, start) => own,
        _ => text,
    };
    match Outline::of(own).obstacle_to(Key::is_of_every_claim) {
        Some(obstacle) => Some(obstacle.sentence()),
        None if claim_is_found_after(own) => None,
        None => Some(NOT_FOUND_AGAIN.to_owned()),
    }
}

/// The bytes that put `block` after the item, if it can be distinguished from the item there.
fn legible(held: &Held<'_>, block: NewBlock) -> Result<Vec<u8>, Refusal> {
    let block = block.after(held.end().item());
    if held.end().takes(&block) {
        Ok(block)
    } else {
        Err(held.refused(Refused::Unstampable, NOT_FOUND_AGAIN))
    }
}

fn on_disk(held: &Held<'_>, service: &Service, done: &str) -> Result<Marked, Refusal> {
    match held.sync() {
        Ok(()) => Ok(Marked::of(held, service)),
        Err(errno) => {
            let mut refusal =
                Refusal::io(errno, format_args!("put {} on the disk", held.path().display()));
            refusal.message =
                format!("{done}, but it may not outlive a power cut: {}", refusal.message);
            Err(refusal)
        }
    }
}

/// The block of an item that is given up because it was claimed too often.
pub(crate) fn exhausted(held: &Held<'_>, now: Time, attempts: u32) -> Result<Vec<u8>, Refusal> {
    let block = NewBlock::default()
        .time(Key::FailedAt, now)
        .text(Key::FailedReason, &format!("claimed {attempts} times and never finished"));
    legible(held, block)
}
