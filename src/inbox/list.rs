//! Everything that is in an inbox.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::CString;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use rustix::io::Errno;

use super::file::{FileEnd, MAX_ITEM, is_regular, modified, read_whole, says_no_item};
use super::folder::{Folder, Probed};
use super::name::{ItemName, Service, State, file_name};
use super::refusal::{Refusal, Refused};
use super::rule::{InFlight, Next, SweepRules, Wait};
use super::survey::{Seen, read_one, survey};
use super::sweep::{Failed, open, unreadable, walk, walk_archive};
use super::{Found, Inbox, Markers, archive, mark};

/// What to list; everything where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// This service alone.
    pub service: Option<Service>,
    /// These states alone.
    pub states: Option<Vec<State>>,
    /// Say of each item what a sweep by these rules, at this time, will do with it.
    pub next: Option<(SystemTime, SweepRules)>,
    /// What was archived, too.
    pub archived: bool,
}

impl ListOptions {
    fn wants(&self, state: State) -> bool {
        self.states.as_ref().is_none_or(|states| states.contains(&state))
    }
}

/// An item of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedItem {
    /// Where it is.
    pub found: Found,
    /// What its markers say, in a block or disturbed.
    pub markers: Markers,
    /// How often it was claimed; `None` where that cannot be kept.
    pub attempts: Option<u32>,
    /// What the next sweep to move it will do; `None` for what no sweep moves, or its `problem` keeps where it is, and
    /// where it was not asked for.
    pub next: Option<Next>,
    /// Why it cannot be read (`io`), or why no call will ever take it, nor a sweep where it is due: `linked`,
    /// `unstampable`, `conflict`.
    pub problem: Option<Refusal>,
}

/// What an inbox holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Its items, in the order of services and names; those of the archive after the others of a service.
    pub items: Vec<ListedItem>,
    /// What could not be listed; the rest is.
    pub failed: Vec<Failed>,
}

impl Inbox {
    /// Lists the items of one service or of all, in some states or in all.
    ///
    /// One item or folder that cannot be read hides nothing else: it is listed with its `problem`, or named in
    /// `failed`.
    ///
    /// ```
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// use seatkit::inbox::{Inbox, ListOptions};
    ///
    /// std::fs::create_dir_all(root.join("state/inbox/cohort"))?;
    /// std::fs::write(root.join("state/inbox/cohort/m1.yaml"), "id: m1\n")?;
    /// let listed = Inbox::at(root).list(&ListOptions::default());
    /// assert_eq!(listed.items[0].found.id, "m1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn list(&self, options: &ListOptions) -> Listed {
        let mut listed = Listed::default();
        let mut services = walk(self, options.service.as_ref(), &mut listed.failed);
        if options.archived && options.service.is_none() {
            services.extend(walk_archive(self, &mut listed.failed));
            services.sort_unstable();
            services.dedup();
        }
        for service in services {
            let items = open(self, &service).and_then(|live| {
                list_service(self, &service, live.as_ref(), options, &mut listed.failed)
                    .map_err(|errno| unreadable(self, &service, errno))
            });
            match items {
                Ok(items) => listed.items.extend(items),
                Err(failed) => listed.failed.push(failed),
            }
        }
        listed
    }
}

/// What is in the inbox of a service, and then in its archive where that was asked for.
fn list_service(
    inbox: &Inbox,
    service: &Service,
    live: Option<&Folder>,
    options: &ListOptions,
    failed: &mut Vec<Failed>,
) -> Result<Vec<ListedItem>, Errno> {
    let mut items = Vec::new();
    if let Some(live) = live {
        // What was archived cannot be claimed again.
        let months = archive::months(inbox.root(), service).unwrap_or_else(|errno| {
            if !options.archived {
                failed.push(unreadable(inbox, service, errno));
            }
            Vec::new()
        });
        items = list_folder(live, &months, service, options)?;
    }
    if !options.archived {
        return Ok(items);
    }
    let months = archive::months(inbox.root(), service).and_then(|months| {
        for month in &months {
            items.extend(list_folder(month, &[], service, options)?);
        }
        archive::settle(live, &mut items, |item| &item.found)
    });
    failed.extend(months.err().map(|errno| unreadable(inbox, service, errno)));
    Ok(items)
}

fn list_folder(
    folder: &Folder,
    months: &[Folder],
    service: &Service,
    options: &ListOptions,
) -> Result<Vec<ListedItem>, Errno> {
    // Stems of items that were renamed or taken away before they could be read.
    let gone = Mutex::new(BTreeSet::new());
    let (hasher, finished) = (RandomState::new(), RefCell::new(HashSet::new()));
    // What one scan misses another one sees; each item is read once, however often the folder is.
    let mut items: Vec<ListedItem> = Vec::new();
    folder.scan_honestly(|folder| {
        let met: HashSet<_> = items.iter().map(|item| item.found.file.clone()).collect();
        survey(
            folder,
            |state| {
                options.wants(state) || (options.wants(State::New) && FINISHED.contains(&state))
            },
            |name| {
                if FINISHED.contains(&name.state) {
                    finished.borrow_mut().insert(hasher.hash_one(name.stem));
                }
                options.wants(name.state)
                    && (met.is_empty() || !met.contains(&file_name(name.stem, name.state)))
            },
            |_| (),
            |seen| listed(folder, service, seen, options),
            |name, errno| {
                if says_no_item(errno) {
                    let mut gone = gone.lock().unwrap_or_else(PoisonError::into_inner);
                    gone.insert(name.stem.to_owned());
                    return None;
                }
                Some(unlisted(folder, service, name, errno))
            },
            &mut items,
        )?;
        Ok(false)
    })?;
    let mut gone = gone.into_inner().unwrap_or_else(PoisonError::into_inner);
    if !gone.is_empty() {
        let met: HashSet<_> = items.iter().map(stem).collect();
        gone.retain(|stem| !met.contains(stem.as_str()));
    }
    for stem in gone {
        items.extend(look_for(folder, service, &stem, options)?);
    }
    items.sort_unstable_by(|a, b| a.found.file.cmp(&b.found.file));
    items.dedup_by(|a, b| a.found.file == b.found.file);
    settle(folder, &mut items)?;
    let finished = finished.into_inner();
    for item in &mut items {
        if item.found.state == State::New {
            let is_here = finished.contains(&hasher.hash_one(stem(item)));
            refuse_finished(is_here.then_some(folder), months, item)?;
        }
    }
    Ok(items)
}

/// How often an item is followed that is renamed under a listing's hands.
const CHASES: usize = 8;

/// An item that had another name whenever it was to be read: looked for by all its names.
fn look_for(
    folder: &Folder,
    service: &Service,
    stem: &str,
    options: &ListOptions,
) -> Result<Option<ListedItem>, Errno> {
    for _ in 0..CHASES {
        let states = folder.states(stem, &[], |is| is != Probed::Nothing)?;
        if states.is_empty() {
            break;
        }
        for state in states.into_iter().filter(|state| options.wants(*state)) {
            let (name, mut end) = (ItemName { stem, state }, FileEnd::default());
            let Ok(file) = CString::new(file_name(stem, state)) else {
                continue;
            };
            let seen = read_one(folder, name, &file, &mut end);
            match seen.and_then(|seen| listed(folder, service, &seen, options)) {
                Ok(None) => {}
                Ok(item) => return Ok(item),
                Err(errno) if says_no_item(errno) => {}
                Err(errno) => return Ok(Some(unlisted(folder, service, name, errno))),
            }
        }
    }
    Ok(None)
}

/// Where an item of the same stem was done with before.
const FINISHED: [State; 2] = [State::Processed, State::Dead];

fn stem(item: &ListedItem) -> &str {
    let file = item.found.file.as_str();
    file.strip_suffix(item.found.state.suffix()).unwrap_or(file)
}

/// Notes of a new item that its like was done with before, where it still is.
fn refuse_finished(
    folder: Option<&Folder>,
    months: &[Folder],
    item: &mut ListedItem,
) -> Result<(), Errno> {
    if item.problem.as_ref().is_some_and(|problem| problem.error != Refused::Unstampable) {
        return Ok(());
    }
    let here = folder.into_iter().flat_map(|folder| FINISHED.map(|state| (folder, state)));
    for (folder, state) in here.chain(months.iter().map(|month| (month, State::Processed))) {
        let taken = file_name(stem(item), state);
        if folder.probe(&taken)? != Probed::Nothing {
            let (item_path, taken) = (item.found.path.display(), folder.path_of(&taken));
            let why = format!("{item_path} was done with before: {} exists", taken.display());
            item.problem = Some(Refusal::new(Refused::Conflict, why));
            break;
        }
    }
    Ok(())
}

/// Of an item that was renamed while it was listed, the name that it has now is kept.
fn settle(folder: &Folder, items: &mut Vec<ListedItem>) -> Result<(), Errno> {
    let mut met = HashSet::new();
    let twice = items.iter().map(stem).filter(|stem| !met.insert(*stem));
    let mut states: HashMap<_, _> = twice.map(|stem| (stem.to_owned(), Vec::new())).collect();
    if states.is_empty() {
        return Ok(());
    }
    for item in items.iter() {
        if let Some(states) = states.get_mut(stem(item)) {
            states.push(item.found.state);
        }
    }
    for (stem, states) in &mut states {
        let there = folder.states(stem, states, |is| is != Probed::Nothing)?;
        // Gone again from all of them, it is shown as it was met last.
        if there.iter().any(|state| states.contains(state)) {
            *states = there;
        } else {
            states.truncate(1);
        }
    }
    items.retain(|item| {
        states.get(stem(item)).is_none_or(|states| states.contains(&item.found.state))
    });
    Ok(())
}

fn unlisted(folder: &Folder, service: &Service, name: ItemName<'_>, errno: Errno) -> ListedItem {
    let found = Found::new(folder, service, name);
    let problem = Refusal::io(errno, format_args!("read {}", found.path.display()));
    ListedItem {
        found,
        markers: Markers::default(),
        attempts: None,
        next: None,
        problem: Some(problem),
    }
}

/// `Ok(None)`: it is no item after all.
fn listed(
    folder: &Folder,
    service: &Service,
    seen: &Seen<'_>,
    options: &ListOptions,
) -> Result<Option<ListedItem>, Errno> {
    let stat = seen.stat()?;
    if !is_regular(&stat) {
        return Ok(None);
    }
    // An editor put another file in its place this moment: the item is there, and this is what it was.
    if stat.st_nlink == 0 {
        let file = file_name(seen.name.stem, seen.name.state);
        if folder.probe(&file)? != Probed::Item {
            return Err(Errno::NOENT);
        }
    }
    let (facts, state) = (seen.end.facts(), seen.name.state);
    let attempts = seen.attempts();
    let next = options.next.as_ref().and_then(|(now, rules)| {
        let item = InFlight {
            state,
            facts: &facts,
            claiming: attempts.is_some_and(|attempts| attempts.claiming),
        };
        let (wait, now, modified) = (Wait::of(item, rules)?, (*now).into(), modified(&stat));
        let (reason, at) = wait.next(now, modified)?;
        let next = Next { reason: rules.outcome(reason, attempts), at: at.into() };
        Some((next, wait.is_over(now, modified)))
    });
    let refused = |word, why: &str| {
        let file = file_name(seen.name.stem, state);
        Refusal::new(word, format!("{} {why}", folder.path_of(&file).display()))
    };
    let problem = if stat.st_nlink > 1 {
        Some(refused(Refused::Linked, "has a second link, and would be an item under two names"))
    } else if state == State::New {
        match unclaimable(folder, seen)? {
            Some(Unclaimable::Unstampable(why)) => Some(refused(Refused::Unstampable, &why)),
            Some(Unclaimable::NameTooLong) => {
                let path = folder.path_of(&file_name(seen.name.stem, state));
                let doing = format_args!("claim {}: its next name is longer", path.display());
                Some(Refusal::io(Errno::NAMETOOLONG, doing))
            }
            None => None,
        }
    } else if let Some((next, true)) = next {
        // What a sweep would be refused for.
        let (to, taken) = (next.reason.to(), file_name(seen.name.stem, next.reason.to()));
        let is_taken = folder.probe(&taken)? != Probed::Nothing;
        is_taken.then(|| refused(Refused::Conflict, &format!("cannot become {to}: {taken} exists")))
    } else {
        None
    };
    let found = Found::new(folder, service, seen.name);
    Ok(Some(ListedItem {
        found,
        markers: Markers::of(&facts),
        attempts: attempts.map(|attempts| attempts.count),
        // What stands in a sweep's way does so until somebody takes it away.
        next: next.map(|(next, _)| next).filter(|_| problem.is_none()),
        problem,
    }))
}

enum Unclaimable {
    /// The item cannot carry a block; the end of a sentence.
    Unstampable(String),
    /// The name of a claimed item would be longer than the file system allows.
    NameTooLong,
}

/// Why no claim will ever take a new item as it lies there.
fn unclaimable(folder: &Folder, seen: &Seen<'_>) -> Result<Option<Unclaimable>, Errno> {
    let whole;
    let text = if seen.end.is_whole() {
        seen.end.bytes()
    } else if seen.end.length() > MAX_ITEM as u64 {
        let why = format!(
            "has {} bytes; an item of up to {MAX_ITEM} can carry a block",
            seen.end.length()
        );
        return Ok(Some(Unclaimable::Unstampable(why)));
    } else {
        whole = read_whole(&seen.file, MAX_ITEM)?;
        &whole
    };
    if let Some(why) = mark::unclaimable(text) {
        return Ok(Some(Unclaimable::Unstampable(why)));
    }
    let length = file_name(seen.name.stem, State::Claimed).len();
    let is_too_long =
        length > SHORT_NAME && length as u64 > rustix::fs::fstatvfs(&folder.dir)?.f_namemax;
    Ok(is_too_long.then_some(Unclaimable::NameTooLong))
}

/// Every file system has names of this many bytes.
const SHORT_NAME: usize = 128;
