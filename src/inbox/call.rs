//! One call on one item: which file is meant, taken hold of, and asked whose it is.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::io::Errno;

use super::block::Key;
use super::file::FileEnd;
use super::find::{Picks, Query};
use super::folder::{Folder, Probed};
use super::held::{Held, NotHeld, open_to_read};
use super::mark::Marked;
use super::name::{ItemName, Service, State, file_name};
use super::refusal::{Refusal, Refused};
use super::rule::Verb;

/// Which item a call is about.
///
/// ```
/// use seatkit::inbox::Item;
///
/// let by_id = Item::id("m1");
/// let as_claimed = Item { token: Some("b7f6".to_owned()), ..Item::from("m1") };
/// assert_eq!(by_id.id, as_claimed.id);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Its id, its stem or its file name. The calls of a session (claim, defer, reply) also take a whole part of an id
    /// that no other item has: `abc123` of `cohort-abc123`.
    pub id: String,
    /// Its bare file name, as found or listed. With it no folder is scanned; the state in the name
    /// may be an older one.
    pub file: Option<String>,
    /// The token of the caller's claim; where the claim is over, the call is refused as `claim-lost`.
    pub token: Option<String>,
}

impl Item {
    /// The item with this id.
    #[must_use]
    pub fn id(id: impl Into<String>) -> Self {
        Self { id: id.into(), file: None, token: None }
    }
}

impl From<&str> for Item {
    fn from(id: &str) -> Self {
        Self::id(id)
    }
}

/// How long a call of an owner waits for whoever holds the item, in milliseconds, one wait after the
/// other. A claim does not wait: whoever holds a new item is claiming it.
const WAITS_MS: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// How often a call follows an item that is renamed under its hands.
const ATTEMPTS: usize = 16;

pub(crate) struct Call<'a> {
    pub(crate) root: &'a Path,
    pub(crate) service: &'a Service,
    pub(crate) item: &'a Item,
    pub(crate) verb: Verb,
}

/// A file that a call is about.
struct Target {
    stem: String,
    state: State,
    /// The names that come near, as the end of a sentence.
    near: String,
}

impl Call<'_> {
    /// Picks the item, takes hold of it, and lets `act` decide on what is true under the lock.
    pub(crate) fn on_item(
        &self,
        act: &dyn Fn(&mut Held<'_>) -> Result<Marked, Refusal>,
    ) -> Result<Marked, Refusal> {
        let failed = |errno| {
            Refusal::io(
                errno,
                format_args!(
                    "read the folder {} of the inbox of {}",
                    self.service,
                    self.root.display()
                ),
            )
        };
        let named = self.named()?;
        if named.is_none() && self.item.id.is_empty() {
            return Err(self.absent("an empty id means no item".to_owned()));
        }
        let Some(folder) = Folder::open(self.root, self.service).map_err(failed)? else {
            let (service, root) = (self.service, self.root.display());
            return Err(self.absent(if Folder::is_link(self.root, service) {
                format!("the service {service} of {root} is a link, and is not entered")
            } else {
                format!("there is no service {service} in the inbox of {root}")
            }));
        };
        let mut waits = WAITS_MS.iter().filter(|_| self.verb != Verb::Claim);
        let mut attempts = 0;
        let mut held = loop {
            let target = self.target(&folder, named, failed)?;
            if !self.verb.from().contains(&target.state) {
                return Err(self.in_another_state(&folder, &target));
            }
            let name = ItemName { stem: &target.stem, state: target.state };
            let path = || folder.path_of(&file_name(name.stem, name.state));
            match Held::open(&folder, name) {
                Ok(held) => break held,
                Err(NotHeld::Gone) if attempts < ATTEMPTS => attempts += 1,
                Err(NotHeld::Foreign) => {
                    return Err(self.absent(format!("{} is no regular file", path().display())));
                }
                Err(NotHeld::Linked) => {
                    return Err(self.absent(format!(
                        "{} has a second link, and would be an item under two names",
                        path().display()
                    )));
                }
                Err(NotHeld::Failed(refusal)) => return Err(refusal),
                Err(NotHeld::Busy | NotHeld::Gone) => match waits.next() {
                    Some(millis) => sleep(Duration::from_millis(*millis)),
                    None => {
                        return Err(Refusal::new(
                            Refused::Busy,
                            format!("another process is at work on {}", path().display()),
                        ));
                    }
                },
            }
        };
        self.check_owner(&held)?;
        act(&mut held)
    }

    /// A refusal because the item is not there, or not as the call needs it: for whoever shows a token that is a
    /// claim that is over, whatever became of the item.
    fn absent(&self, message: String) -> Refusal {
        let word = if self.item.token.is_some() { Refused::ClaimLost } else { self.verb.absent() };
        Refusal::new(word, message)
    }

    fn in_another_state(&self, folder: &Folder, target: &Target) -> Refusal {
        let path = folder.path_of(&file_name(&target.stem, target.state));
        let message = format!("{} is {}{}", path.display(), target.state, target.near);
        let word =
            if self.item.token.is_some() { Refused::ClaimLost } else { self.verb.elsewhere() };
        Refusal::new(word, message)
    }

    /// The name that the caller gave beside the id.
    fn named(&self) -> Result<Option<ItemName<'_>>, Refusal> {
        let Some(file) = self.item.file.as_deref() else {
            return Ok(None);
        };
        let id = self.item.id.as_str();
        let is_meant = |name: &ItemName<'_>| {
            id.is_empty()
                || id == name.id()
                || id == name.stem
                || ItemName::parse(id.as_bytes()).is_some_and(|same| same.stem == name.stem)
                || (self.verb.picks() == Picks::Parts && super::find::is_whole_part(name.id(), id))
        };
        match ItemName::parse(file.as_bytes()).filter(is_meant) {
            Some(name) => Ok(Some(name)),
            None => Err(Refusal::argument(format!(
                "file must be the bare file name of the item {id:?}, not {file:?}"
            ))),
        }
    }

    /// The file that is meant.
    fn target(
        &self,
        folder: &Folder,
        named: Option<ItemName<'_>>,
        failed: impl Fn(Errno) -> Refusal,
    ) -> Result<Target, Refusal> {
        let from = self.verb.from();
        if let Some(name) = named {
            for state in from.iter().copied().chain([name.state]) {
                let stem = name.stem;
                let probed = folder.probe(&file_name(stem, state)).map_err(&failed)?;
                if matches!(probed, Probed::Item | Probed::Linked) {
                    return Ok(Target { stem: stem.to_owned(), state, near: String::new() });
                }
            }
            return Err(self.absent(format!(
                "there is no {}",
                folder.path_of(&file_name(name.stem, name.state)).display()
            )));
        }
        let picks = if self.item.token.is_some() { Picks::Exact } else { self.verb.picks() };
        let found =
            Query::new(&self.item.id, from).pick_unproven(folder, picks).map_err(&failed)?;
        let mut hits = found.hits.iter();
        let hit = match &self.item.token {
            None => hits.next(),
            Some(token) => {
                let mut with_token = None;
                for hit in hits {
                    if carries(folder, hit.name(), token).map_err(&failed)? {
                        with_token = Some(hit);
                        break;
                    }
                }
                // Where none carries it the sentence tells of the one that would have been meant.
                with_token.or(found.hits.first())
            }
        };
        match hit {
            Some(hit) => {
                Ok(Target { stem: hit.stem.clone(), state: hit.state, near: found.near() })
            }
            None => Err(self.absent(found.sentence(&self.item.id, folder))),
        }
    }

    /// What only the markers can say: whose claim this is, and whether the item was answered.
    fn check_owner(&self, held: &Held<'_>) -> Result<(), Refusal> {
        let facts = held.end().facts();
        if let Some(token) = &self.item.token
            && facts.text(Key::ClaimToken).as_deref() != Some(token)
        {
            return Err(held.refused(Refused::ClaimLost, "is not claimed with this token"));
        }
        if held.state() == State::Claimed
            && self.verb.ends_with_reply()
            && facts.has(Key::RepliedAt)
        {
            return Err(held.refused(Refused::AlreadyReplied, "was answered"));
        }
        Ok(())
    }
}

/// Whether the item is in flight and carries this token.
fn carries(folder: &Folder, name: ItemName<'_>, token: &str) -> Result<bool, Errno> {
    if !name.state.in_flight() {
        return Ok(false);
    }
    // Whoever cannot read it will be told when it is opened to be changed.
    let Ok(file) = open_to_read(folder, &&*file_name(name.stem, name.state)) else {
        return Ok(false);
    };
    let mut end = FileEnd::default();
    end.read_in_flight(&file)?;
    Ok(end.facts().text(Key::ClaimToken).as_deref() == Some(token))
}
