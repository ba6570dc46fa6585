//! The next item: the oldest new one that can be claimed.
//!
//! To find the oldest a folder has to be read whole, which for each of thousands of items would cost seconds. So what
//! was read is kept for a moment, in proportion to what reading it took: at most a third of the time goes into it,
//! and in a small folder every call reads anew.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::AtFlags;
use serde_yaml::Mapping;

use super::Inbox;
use super::file::modified;
use super::folder::Folder;
use super::held::{Held, NotHeld};
use super::mark::{Claim, Marked};
use super::name::{ItemName, Service, State, file_name, id_of};
use super::outline::Outline;
use super::refusal::{Refusal, Refused};
use super::sweep::{Failed, open, unreadable, walk};

/// What [`Inbox::claim_next`] came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NextClaim {
    /// The item; `None` where there is none that can be claimed.
    pub taken: Option<Taken>,
    /// What could not be claimed and was passed over.
    pub skipped: Vec<Failed>,
}

/// An item claimed by [`Inbox::claim_next`].
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The claim.
    pub claim: Marked,
    /// The item's own bytes.
    pub bytes: Vec<u8>,
}

/// Items whose brackets are nested deeper are not parsed.
const MAX_DEPTH: usize = 128;

/// Nor those whose aliases could make more of them than this many bytes.
const MAX_EXPANDED: usize = 64 << 20;

impl Taken {
    /// What the item says; `None` where it is no mapping, or one that takes more to read than it is long.
    #[must_use]
    pub fn mapping(&self) -> Option<Mapping> {
        let outline = Outline::of(&self.bytes);
        if outline.depth > MAX_DEPTH
            || outline.aliases.saturating_mul(self.bytes.len()) > MAX_EXPANDED
        {
            return None;
        }
        serde_yaml::from_slice(&self.bytes).ok()
    }
}

/// New items as they were met, the oldest first.
struct Line {
    waiting: VecDeque<Place>,
    read_at: Instant,
    cost: Duration,
    /// How often something had been delivered from here when it was read.
    deliveries: u64,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// What orders it: its delivery time, or that of its file where its name has none.
    time: String,
    stem: String,
    service: Service,
}

type Key = (PathBuf, Option<Service>);

/// The lines that no call is using now.
#[derive(Default)]
struct Lines {
    by_inbox: HashMap<Key, Vec<Line>>,
    /// How often something was delivered from here.
    deliveries: u64,
}

static LINES: Mutex<Option<Lines>> = Mutex::new(None);

/// More inboxes than this in one process start over.
const MOST_INBOXES: usize = 64;

fn with_lines<T>(act: impl FnOnce(&mut Lines) -> T) -> T {
    // Nothing here is ever half done, whoever panicked.
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    act(lines.get_or_insert_default())
}

/// Reads anew at the next call: something was delivered here that may be older than what was read.
pub(crate) fn forget(root: &Path) {
    with_lines(|lines| {
        lines.deliveries += 1;
        lines.by_inbox.retain(|(of, _), _| of != root);
    });
}

/// A line that is not too old to be believed, for one call alone: no other takes from it or lets it go.
fn take_line(key: &Key) -> Option<Line> {
    with_lines(|lines| {
        let of_inbox = lines.by_inbox.get_mut(key)?;
        of_inbox.retain(|line| line.read_at.elapsed() <= 2 * line.cost);
        of_inbox.pop()
    })
}

/// Keeps what is left of a line for the next call.
fn keep(key: Key, line: Line) {
    with_lines(|lines| {
        if line.deliveries != lines.deliveries || line.waiting.is_empty() {
            return;
        }
        if lines.by_inbox.len() >= MOST_INBOXES {
            lines.by_inbox.clear();
        }
        lines.by_inbox.entry(key).or_default().push(line);
    });
}

impl Inbox {
    /// Claims the oldest new item that can be claimed, of one service or of all. Of any number of callers, in any number
    /// of processes, each gets another one. It does not sweep: somebody has to.
    ///
    /// ```
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// use std::collections::BTreeMap;
    /// use std::time::SystemTime;
    /// use seatkit::inbox::{Claim, Delivery, Inbox};
    ///
    /// let (inbox, cohort, now) = (Inbox::at(root), "cohort".parse()?, SystemTime::now());
    /// inbox.deliver(&cohort, &BTreeMap::from([("content", "hello")]), &Delivery::at(now))?;
    /// let claim = Claim { token: true, ..Claim::at(now) };
    /// let taken = inbox.claim_next(None, &claim).taken.expect("it was just delivered");
    /// assert_eq!(taken.mapping().expect("a mapping")["content"], "hello");
    /// inbox.reply(&cohort, &taken.claim.item(), now)?;
    /// assert!(inbox.claim_next(None, &claim).taken.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn claim_next(&self, service: Option<&Service>, claim: &Claim) -> NextClaim {
        let mut next = NextClaim::default();
        let key = (self.root().to_owned(), service.cloned());
        let mut folders = HashMap::new();
        let kept = take_line(&key);
        let mut is_fresh = kept.is_none();
        let mut line = kept.unwrap_or_else(|| self.line_up(&key, &mut next.skipped));
        loop {
            let Some(place) = line.waiting.pop_front() else {
                if is_fresh {
                    return next;
                }
                is_fresh = true;
                // What was passed over is met again.
                next.skipped.clear();
                line = self.line_up(&key, &mut next.skipped);
                continue;
            };
            let service = place.service.clone();
            let folder = match folders.entry(service.clone()) {
                std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::hash_map::Entry::Vacant(entry) => match open(self, &service) {
                    Ok(Some(folder)) => entry.insert(folder),
                    Ok(None) => continue,
                    Err(failed) => {
                        next.skipped.push(failed);
                        continue;
                    }
                },
            };
            match take_one(self, folder, &place, claim) {
                Ok(Some(taken)) => {
                    next.taken = Some(taken);
                    keep(key, line);
                    return next;
                }
                Ok(None) => {}
                Err(refusal) => next.skipped.push(Failed {
                    service: Some(service.to_string()),
                    file: Some(file_name(&place.stem, State::New)),
                    refusal,
                }),
            }
        }
    }

    /// Reads what is new, the oldest first.
    fn line_up(&self, key: &Key, skipped: &mut Vec<Failed>) -> Line {
        let started = Instant::now();
        let deliveries = with_lines(|lines| lines.deliveries);
        let mut waiting = Vec::new();
        for service in walk(self, key.1.as_ref(), skipped) {
            let folder = match open(self, &service) {
                Ok(Some(folder)) => folder,
                Ok(None) => continue,
                Err(failed) => {
                    skipped.push(failed);
                    continue;
                }
            };
            let first = waiting.len();
            let scanned = folder.scan_honestly(|folder| {
                folder.scan(|entry| {
                    if let Some(name) = ItemName::parse(entry.name)
                        && name.state == State::New
                        && folder.is_file(&entry)
                    {
                        waiting.push(place(folder, &service, name.stem));
                    }
                })?;
                // One that was missed is met by the next call; only "none" has to be sure.
                Ok(waiting.len() > first)
            });
            if let Err(errno) = scanned {
                skipped.push(unreadable(self, &service, errno));
            }
        }
        waiting.sort_unstable();
        waiting.dedup();
        Line {
            waiting: waiting.into(),
            cost: started.elapsed(),
            read_at: Instant::now(),
            deliveries,
        }
    }
}

fn place(folder: &Folder, service: &Service, stem: &str) -> Place {
    let time = match stem.strip_suffix(id_of(stem)) {
        Some(time) if !time.is_empty() => time.trim_end_matches('-').to_owned(),
        _ => {
            let file = file_name(stem, State::New);
            rustix::fs::statat(&folder.dir, file, AtFlags::SYMLINK_NOFOLLOW)
                .map(|stat| modified(&stat).as_delivery_time())
                .unwrap_or_default()
        }
    };
    Place { time, stem: stem.to_owned(), service: service.clone() }
}

/// `Ok(None)`: somebody else was faster.
fn take_one(
    inbox: &Inbox,
    folder: &Folder,
    place: &Place,
    claim: &Claim,
) -> Result<Option<Taken>, Refusal> {
    let name = ItemName { stem: &place.stem, state: State::New };
    let path = || folder.path_of(&file_name(name.stem, name.state));
    let mut held = match Held::open(folder, name) {
        Ok(held) => held,
        Err(NotHeld::Gone | NotHeld::Foreign) => return Ok(None),
        Err(NotHeld::Busy) => {
            let why = format!("another process is at work on {}", path().display());
            return Err(Refusal::new(Refused::Busy, why));
        }
        Err(NotHeld::Linked) => {
            let why = format!(
                "{} has a second link, and would be an item under two names",
                path().display()
            );
            return Err(Refusal::new(Refused::Linked, why));
        }
        Err(NotHeld::Failed(refusal)) => return Err(refusal),
    };
    // Read before the claim: nobody would know of one that is made and not answered.
    let mut bytes = held.read_all()?;
    match claim.apply(inbox, &mut held, &place.service) {
        Ok(marked) => {
            bytes.truncate(usize::try_from(held.end().item_length()).unwrap_or(usize::MAX));
            Ok(Some(Taken { claim: marked, bytes }))
        }
        Err(refusal) if refusal.error == Refused::ClaimLost => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::tests::Seat;
    use super::*;

    fn drain(inbox: &Inbox) -> Vec<String> {
        let claim = Claim::at(std::time::SystemTime::now());
        let next = || inbox.claim_next(None, &claim).taken;
        std::iter::from_fn(next).map(|taken| taken.claim.id).collect()
    }

    #[test]
    fn nobody_hears_that_nothing_is_left_while_there_is() {
        let seat = Seat::new();
        // Passing over one takes longer than a line of so few is believed.
        std::fs::write(
            seat.folder("cohort").join("0.yaml"),
            format!("id: 0\nx: |\n{}...\n", "  y\n".repeat(1 << 20)),
        )
        .unwrap();
        for id in 1..=40 {
            seat.deliver("cohort", &format!("m{id}.yaml"));
        }
        let inbox = seat.inbox();
        let taken = std::thread::scope(|scope| {
            let workers = [(); 4].map(|()| scope.spawn(|| drain(&inbox)));
            workers.map(|worker| worker.join().unwrap()).concat()
        });
        let ids: HashSet<_> = taken.iter().collect();
        assert_eq!((taken.len(), ids.len()), (40, 40));
    }
}
