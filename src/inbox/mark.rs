//! What a session does with an item: claim, defer, reply, finish, give back, keep for longer.

use std::thread::sleep;
use std::time::Duration;

use rustix::io::Errno;
use uuid::Uuid;

use super::block::{Key, MAX_STAMP, Tail};
use super::find::{Hit, Query};
use super::folder::{Folder, Inbox};
use super::item::{Edit, Held, NotHeld};
use super::name::{ItemName, Service, State};
use super::readable::{MAX_ITEM, stays_readable};
use super::refusal::{Refusal, Refused};
use super::rule::{SESSION, Verb};
use super::text::JsonText;
use super::time::Time;

/// Which item a call is about.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Its id, or a part of its stem that no other has.
    pub id: &'a str,
    /// Its bare file name, as found or listed. With it no folder is scanned; the state in the name
    /// may be an older one.
    pub file: Option<&'a str>,
    /// The token of the caller's claim; a claim with another, or none, is refused as `claim-lost`.
    pub token: Option<&'a str>,
}

impl<'a> Item<'a> {
    /// The item with this id.
    #[must_use]
    pub const fn id(id: &'a str) -> Self {
        Self {
            id,
            file: None,
            token: None,
        }
    }
}

/// A call that did what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Where the item is now.
    pub path: String,
    /// The token of a new claim, where one was asked for.
    pub token: Option<String>,
}

/// Options of [`mark_session_claim`].
#[derive(Clone, Debug)]
pub struct Claim {
    /// The time of the claim.
    pub now: Time,
    /// Who claims. Only the claims of `session` are given back by a sweep.
    pub claimed_by: JsonText,
    /// Whether the claim gets a token of its own, which later calls can show.
    pub token: bool,
}

impl Claim {
    /// A session's claim, without a token.
    #[must_use]
    pub fn at(now: Time) -> Self {
        Self {
            now,
            claimed_by: JsonText::new(SESSION),
            token: false,
        }
    }
}

/// Options of [`mark_session_deferral`].
#[derive(Clone, Debug)]
pub struct Deferral {
    /// The time of the call.
    pub now: Time,
    /// When the item is new again.
    pub until: Time,
    /// Why; `None` writes no line for it.
    pub reason: Option<JsonText>,
}

/// Claims a new item: it becomes `claimed`, and its block says by whom and since when.
///
/// Of any number of callers, in any number of processes, one wins.
///
/// # Errors
///
/// `not-claimable`, `busy`, `conflict`, `unstampable`, `claim-lost`, `invalid-argument` or `io`; the
/// item is as it was.
///
/// ```
/// # let root = tempfile::tempdir()?;
/// # let root = root.path().to_str().expect("a plain path");
/// use seatkit::inbox::{Claim, Item, Refused, Service, Time, mark_session_claim};
///
/// std::fs::create_dir_all(format!("{root}/state/inbox/cohort"))?;
/// std::fs::write(format!("{root}/state/inbox/cohort/m1.yaml"), "id: m1\n")?;
/// let service = Service::new("cohort").expect("a plain name");
/// let claimed = mark_session_claim(root, service, Item::id("m1"), &Claim::at(Time::now()))?;
/// assert!(claimed.path.ends_with("cohort/m1.yaml.dispatched"));
/// let again = mark_session_claim(root, service, Item::id("m1"), &Claim::at(Time::now()));
/// assert_eq!(again.unwrap_err().error, Refused::NotClaimable);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mark_session_claim(
    root: &str,
    service: Service<'_>,
    item: Item<'_>,
    claim: &Claim,
) -> Result<Marked, Refusal> {
    Call {
        root,
        service,
        item,
        verb: Verb::Claim,
    }
    .on_item(&|held| {
        let token = claim.token.then(|| Uuid::new_v4().to_string());
        let mut tail = Tail::default()
            .text(Key::ClaimedBy, &claim.claimed_by)
            .time(Key::ClaimedAt, claim.now);
        if let Some(token) = &token {
            tail = tail.text(Key::ClaimToken, &JsonText::new(token));
        }
        fits("name of the owner", &tail)?;
        let edit = stamp(held, tail)?;
        held.apply(State::Claimed, edit, claim.now)?;
        Ok(Marked {
            path: held.path(),
            token,
        })
    })
}

/// Parks a new or claimed item until a time; a claim's block is replaced by the deferral's.
///
/// # Errors
///
/// `not-deferrable`, `already-replied`, `claim-lost`, `busy`, `conflict`, `unstampable`,
/// `invalid-argument` (a reason too long for a block) or `io`; the item is as it was.
pub fn mark_session_deferral(
    root: &str,
    service: Service<'_>,
    item: Item<'_>,
    deferral: &Deferral,
) -> Result<Marked, Refusal> {
    let mut tail = Tail::default().time(Key::DeferredUntil, deferral.until);
    if let Some(reason) = &deferral.reason {
        tail = tail.text(Key::DeferredReason, reason);
    }
    fits("reason", &tail)?;
    Call {
        root,
        service,
        item,
        verb: Verb::Defer,
    }
    .on_item(&|held| {
        let edit = stamp(held, tail.clone())?;
        held.apply(State::Deferred, edit, deferral.now)?;
        Ok(Marked {
            path: held.path(),
            token: None,
        })
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
pub fn mark_session_replied(
    root: &str,
    service: Service<'_>,
    item: Item<'_>,
    now: Time,
) -> Result<Marked, Refusal> {
    Call {
        root,
        service,
        item,
        verb: Verb::Reply,
    }
    .on_item(&|held| {
        let end = held.end();
        let tail = Tail::default()
            .keep(end.bytes(), &end.block(), Key::RepliedAt)
            .time(Key::RepliedAt, now);
        // Whatever the item looks like to a parser then: an answer that was given must be on record.
        let edit = Edit::Set(legible(held, tail)?);
        held.apply(State::Claimed, edit, now)?;
        on_disk(held, "the reply is recorded")
    })
}

/// Finishes a claimed item: it becomes `processed`, its bytes and block unchanged.
///
/// # Errors
///
/// `not-in-flight`, `claim-lost`, `busy`, `conflict`, `invalid-argument` or `io`.
pub fn mark_session_done(
    root: &str,
    service: Service<'_>,
    item: Item<'_>,
    now: Time,
) -> Result<Marked, Refusal> {
    Call {
        root,
        service,
        item,
        verb: Verb::Done,
    }
    .on_item(&|held| {
        held.apply(State::Processed, Edit::Keep, now)?;
        on_disk(held, "the item is processed")
    })
}

/// Gives a claimed item back at once: it is `new` again, its block cut.
///
/// # Errors
///
/// `not-in-flight`, `already-replied`, `claim-lost`, `busy`, `conflict`, `invalid-argument` or `io`.
pub fn release_session_claim(
    root: &str,
    service: Service<'_>,
    item: Item<'_>,
) -> Result<Marked, Refusal> {
    Call {
        root,
        service,
        item,
        verb: Verb::Release,
    }
    .on_item(&|held| {
        held.apply(State::New, Edit::Cut, Time::now())?;
        Ok(Marked {
            path: held.path(),
            token: None,
        })
    })
}

/// Starts the time of a claim anew, for work that takes longer than the stale limit.
///
/// # Errors
///
/// `not-in-flight` (also for an item that was dispatched without a claim), `already-replied`,
/// `claim-lost`, `busy`, `invalid-argument` or `io`.
pub fn renew_session_claim(
    root: &str,
    service: Service<'_>,
    item: Item<'_>,
    now: Time,
) -> Result<Marked, Refusal> {
    Call {
        root,
        service,
        item,
        verb: Verb::Renew,
    }
    .on_item(&|held| {
        let end = held.end();
        let block = end.block();
        let Some(by) = block
            .text(Key::ClaimedBy)
            .and(block.raw(Key::ClaimedBy))
            .and_then(|raw| std::str::from_utf8(raw).ok())
        else {
            return Err(Refusal::new(
                Refused::NotInFlight,
                format!("{} carries no claim", held.path()),
            ));
        };
        let mut tail = Tail::default()
            .line(Key::ClaimedBy, by)
            .time(Key::ClaimedAt, now);
        if let Some(token) = block.text(Key::ClaimToken) {
            tail = tail.text(Key::ClaimToken, &JsonText::new(&token));
        }
        let edit = Edit::Set(legible(held, tail)?);
        held.apply(State::Claimed, edit, now)?;
        Ok(Marked {
            path: held.path(),
            token: None,
        })
    })
}

fn fits(what: &str, tail: &Tail) -> Result<(), Refusal> {
    if tail.len() <= MAX_STAMP {
        return Ok(());
    }
    Err(Refusal::new(
        Refused::InvalidArgument,
        format!(
            "the {what} makes a block of {} bytes; {MAX_STAMP} are allowed",
            tail.len()
        ),
    ))
}

/// The edit that puts `tail` behind the item, if the item stays readable under it.
fn stamp(held: &Held<'_>, tail: Tail) -> Result<Edit, Refusal> {
    if held.size() > MAX_ITEM as u64 {
        return Err(unstampable(
            held,
            &format!(
                "has {} bytes; up to {MAX_ITEM} can be checked and stamped",
                held.size()
            ),
        ));
    }
    let block = legible(held, tail)?;
    if !stays_readable(&held.read_item()?, &block) {
        return Err(unstampable(
            held,
            "could not be read as YAML any more with a marker block at its end",
        ));
    }
    Ok(Edit::Set(block))
}

/// The bytes that put `tail` behind the item, if it is told from the item there.
fn legible(held: &Held<'_>, tail: Tail) -> Result<Vec<u8>, Refusal> {
    let block = tail.after(held.end().item());
    if held.end().takes(&block) {
        Ok(block)
    } else {
        Err(unstampable(
            held,
            "ends in lines that could not be told from a marker block behind them",
        ))
    }
}

fn unstampable(held: &Held<'_>, why: &str) -> Refusal {
    Refusal::new(Refused::Unstampable, format!("{} {why}", held.path()))
}

fn on_disk(held: &Held<'_>, done: &str) -> Result<Marked, Refusal> {
    match held.sync() {
        Ok(()) => Ok(Marked {
            path: held.path(),
            token: None,
        }),
        Err(errno) => {
            let mut refusal = Refusal::io(errno, format_args!("put {} on the disk", held.path()));
            refusal.message = format!(
                "{done}, but it may not outlive a power cut: {}",
                refusal.message
            );
            Err(refusal)
        }
    }
}

/// One call on one item.
struct Call<'a> {
    root: &'a str,
    service: Service<'a>,
    item: Item<'a>,
    verb: Verb,
}

/// How long a call of an owner waits for whoever holds the item, in milliseconds, one wait after the
/// other. A claim does not wait: whoever holds a new item is claiming it.
const WAITS_MS: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// How often a call follows an item that is renamed under its hands.
const ATTEMPTS: usize = 16;

impl Call<'_> {
    /// Picks the item, takes hold of it, and lets `act` decide on what is true under the lock.
    fn on_item(
        &self,
        act: &dyn Fn(&mut Held<'_>) -> Result<Marked, Refusal>,
    ) -> Result<Marked, Refusal> {
        let failed = |errno| {
            Refusal::io(
                errno,
                format_args!(
                    "read the folder {} of the inbox of {}",
                    self.service.as_str(),
                    self.root
                ),
            )
        };
        if self.root.contains('\0') {
            return Err(Refusal::new(
                Refused::InvalidArgument,
                "the root holds a NUL",
            ));
        }
        let named = self.named()?;
        if named.is_none() && self.item.id.is_empty() {
            return Err(self.refused("an empty id means no item".to_owned()));
        }
        let folder = match Inbox::open(self.root).map_err(failed)? {
            Some(inbox) => inbox.folder(self.service).map_err(failed)?,
            None => None,
        };
        let Some(folder) = folder else {
            return Err(self.refused(format!(
                "there is no service {} in the inbox of {}",
                self.service.as_str(),
                self.root
            )));
        };
        let mut waits = WAITS_MS.iter().filter(|_| self.verb != Verb::Claim);
        let mut attempts = 0;
        let mut held = loop {
            let hit = match named {
                Some(name) => self.probe(&folder, name),
                None => Query::new(self.item.id, self.verb.from()).pick(&folder),
            }
            .map_err(failed)?;
            let Some(hit) = hit else {
                return Err(self.refused(format!(
                    "no item {:?} in {}",
                    self.item.id,
                    folder.path_of("")
                )));
            };
            if !self.verb.from().contains(&hit.state) {
                return Err(self.refused(format!(
                    "{} is {}",
                    folder.path_of(&super::name::file_name(&hit.stem, hit.state)),
                    hit.state
                )));
            }
            match Held::open(&folder, hit.name()) {
                Ok(held) => break held,
                Err(NotHeld::Gone) if attempts < ATTEMPTS => attempts += 1,
                Err(NotHeld::Foreign) => {
                    return Err(
                        self.refused(format!("{} is no regular file with one name", hit.stem))
                    );
                }
                Err(NotHeld::Failed(refusal)) => return Err(refusal),
                Err(NotHeld::Busy | NotHeld::Gone) => match waits.next() {
                    Some(millis) => sleep(Duration::from_millis(*millis)),
                    None => {
                        return Err(Refusal::new(
                            Refused::Busy,
                            format!("another process is at work on {}", hit.stem),
                        ));
                    }
                },
            }
        };
        self.check_owner(&held)?;
        act(&mut held)
    }

    fn refused(&self, message: String) -> Refusal {
        Refusal::new(self.verb.refused(), message)
    }

    fn named(&self) -> Result<Option<ItemName<'_>>, Refusal> {
        let Some(file) = self.item.file else {
            return Ok(None);
        };
        let name = ItemName::parse(file.as_bytes()).filter(|_| !file.contains(['/', '\0']));
        match name {
            Some(name) if name.stem.contains(self.item.id) => Ok(Some(name)),
            _ => Err(Refusal::new(
                Refused::InvalidArgument,
                format!(
                    "{file:?} is not the bare file name of the item {:?}",
                    self.item.id
                ),
            )),
        }
    }

    /// The hinted item in a state that this call can use, or else as it was hinted.
    fn probe(&self, folder: &Folder, name: ItemName<'_>) -> Result<Option<Hit>, Errno> {
        for state in self.verb.from().iter().copied().chain([name.state]) {
            if folder.has_file(&super::name::file_name(name.stem, state))? {
                let stem = name.stem.to_owned();
                return Ok(Some(Hit { stem, state }));
            }
        }
        Ok(None)
    }

    /// What only the block can say: whose claim this is, and whether the item was answered.
    fn check_owner(&self, held: &Held<'_>) -> Result<(), Refusal> {
        let block = held.end().block();
        if let Some(token) = self.item.token
            && block.text(Key::ClaimToken).as_deref() != Some(token)
        {
            return Err(Refusal::new(
                Refused::ClaimLost,
                format!("{} is not claimed with this token", held.path()),
            ));
        }
        if held.state() == State::Claimed
            && self.verb.ends_with_reply()
            && block.has(Key::RepliedAt)
        {
            return Err(Refusal::new(
                Refused::AlreadyReplied,
                format!("{} was answered", held.path()),
            ));
        }
        Ok(())
    }
}
