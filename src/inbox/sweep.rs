//! The sweep: items whose time is over are given back, retired or given up.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::change::{Edit, OWN_PREFIX};
use super::file::{FLAGS, is_regular, modified, says_no_item};
use super::folder::{Folder, Services, services};
use super::held::{Held, NotHeld, lock};
use super::mark::exhausted;
use super::name::{ItemName, Service, State, file_name};
use super::refusal::{Refusal, Refused};
use super::rule::{InFlight, Reason, SweepRules, Wait};
use super::survey::{Seen, survey};
use super::time::Time;
use super::{Inbox, archive, no_nul};

/// How to sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepOptions {
    /// The time against which everything is judged.
    pub now: SystemTime,
    /// Answer what would be done, and do nothing. Each item is held for the moment of its decision,
    /// as in any sweep.
    pub dry_run: bool,
    /// When an item's time is over, and what becomes of it then.
    pub rules: SweepRules,
}

impl SweepOptions {
    /// A sweep at `now` by the usual rules.
    #[must_use]
    pub fn at(now: SystemTime) -> Self {
        Self { now, dry_run: false, rules: SweepRules::default() }
    }
}

/// An item that a sweep moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reopened {
    /// Its id.
    pub id: String,
    /// Its service.
    pub service: String,
    /// Why it was moved; [`Reason::to`] says to which state.
    pub reason: Reason,
    /// Where it is now.
    pub path: PathBuf,
}

/// Something that could not be handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The service it is in; `None` for the inbox itself.
    pub service: Option<String>,
    /// The bare name of the file; `None` for the folder itself.
    pub file: Option<String>,
    /// What went wrong: `busy` for an item that is due and held by another process, `linked` for a file with a second
    /// link and a service that is a link, `disturbed`, `conflict`, `no-attempts` or `io`.
    pub refusal: Refusal,
}

/// What a sweep did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// The items moved, in the order of services and names.
    pub reopened: Vec<Reopened>,
    /// How many items were in flight.
    pub scanned: usize,
    /// What could not be handled; the rest was.
    pub failed: Vec<Failed>,
}

/// What a look at one item in flight came to.
enum Due {
    Over { stem: String, state: State },
    Unreadable { file: String, errno: Errno },
}

impl Inbox {
    /// Gives back claims that went stale, deferrals that are due and items that a daemon lost, and retires
    /// items replied to long ago.
    ///
    /// Every decision is taken again under the item's lock, on what is true then. One bad item or folder does not keep
    /// the others from being swept; what could not be handled is named in `failed`.
    ///
    /// ```
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// use std::time::{Duration, SystemTime};
    /// use seatkit::inbox::{Claim, Inbox, Reason, SweepOptions};
    ///
    /// std::fs::create_dir_all(root.join("state/inbox/cohort"))?;
    /// std::fs::write(root.join("state/inbox/cohort/m1.yaml"), "id: m1\n")?;
    /// let (inbox, now) = (Inbox::at(root), SystemTime::now());
    /// inbox.claim(&"cohort".parse()?, &"m1".into(), &Claim::at(now))?;
    /// let swept = inbox.sweep(&SweepOptions::at(now + Duration::from_secs(21 * 60)));
    /// assert_eq!((swept.scanned, swept.reopened[0].reason), (1, Reason::ClaimStale));
    /// assert_eq!(std::fs::read_to_string(&swept.reopened[0].path)?, "id: m1\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn sweep(&self, options: &SweepOptions) -> Swept {
        let mut swept = Swept::default();
        for service in walk(self, None, &mut swept.failed) {
            let folder = match open(self, &service) {
                Ok(Some(folder)) => folder,
                Ok(None) => continue,
                Err(failed) => {
                    swept.failed.push(failed);
                    continue;
                }
            };
            if let Err(errno) = sweep_folder(&folder, &service, options, &mut swept) {
                swept.failed.push(unreadable(self, &service, errno));
            }
        }
        swept
    }
}

/// The services to go through, or the one that was asked for; what cannot be entered is noted in `failed`.
pub(crate) fn walk(
    inbox: &Inbox,
    service: Option<&Service>,
    failed: &mut Vec<Failed>,
) -> Vec<Service> {
    if let Err(refusal) = no_nul(inbox.root()) {
        failed.push(Failed { service: None, file: None, refusal });
        return Vec::new();
    }
    if let Some(service) = service {
        return vec![service.clone()];
    }
    entered(inbox, "the inbox", services(inbox.root()), failed)
}

/// The services of which something was archived, likewise.
pub(crate) fn walk_archive(inbox: &Inbox, failed: &mut Vec<Failed>) -> Vec<Service> {
    entered(inbox, "the archive", archive::services(inbox.root()), failed)
}

fn entered(
    inbox: &Inbox,
    what: &str,
    services: Result<Option<Services>, Errno>,
    failed: &mut Vec<Failed>,
) -> Vec<Service> {
    let root = inbox.root().display();
    let services = match services {
        Ok(services) => services.unwrap_or_default(),
        Err(errno) => {
            let refusal = Refusal::io(errno, format_args!("read {what} of {root}"));
            failed.push(Failed { service: None, file: None, refusal });
            return Vec::new();
        }
    };
    failed.extend(services.links.iter().map(|name| linked(inbox, what, name)));
    services.folders
}

/// Opens the folder of a service, or says why it could not.
pub(crate) fn open(inbox: &Inbox, service: &Service) -> Result<Option<Folder>, Failed> {
    match Folder::open(inbox.root(), service) {
        Ok(None) if Folder::is_link(inbox.root(), service) => {
            Err(linked(inbox, "the inbox", service.as_str()))
        }
        opened => opened.map_err(|errno| unreadable(inbox, service, errno)),
    }
}

fn linked(inbox: &Inbox, what: &str, service: &str) -> Failed {
    let message = format!(
        "the service {service} in {what} of {} is a link, and is not entered",
        inbox.root().display()
    );
    Failed {
        service: Some(service.to_owned()),
        file: None,
        refusal: Refusal::new(Refused::Linked, message),
    }
}

pub(crate) fn unreadable(inbox: &Inbox, service: &Service, errno: Errno) -> Failed {
    Failed {
        service: Some(service.to_string()),
        file: None,
        refusal: Refusal::io(
            errno,
            format_args!("read the service {service} of {}", inbox.root().display()),
        ),
    }
}

fn sweep_folder(
    folder: &Folder,
    service: &Service,
    options: &SweepOptions,
    swept: &mut Swept,
) -> Result<(), Errno> {
    let mut due = Vec::new();
    let mut leftovers = Vec::new();
    swept.scanned += survey(
        folder,
        State::in_flight,
        |_| true,
        |other| {
            if other.starts_with(OWN_PREFIX.as_bytes()) {
                leftovers.push(String::from_utf8_lossy(other).into_owned());
            }
        },
        |seen| look(seen, options),
        |name, errno| {
            let file = file_name(name.stem, name.state);
            (!says_no_item(errno)).then_some(Due::Unreadable { file, errno })
        },
        &mut due,
    )?;
    due.sort_by_cached_key(|item| match item {
        Due::Over { stem, state } => file_name(stem, *state),
        Due::Unreadable { file, .. } => file.clone(),
    });
    for item in due {
        let (file, outcome) = match item {
            Due::Over { stem, state } => {
                let name = ItemName { stem: &stem, state };
                let mut note = |refusal| {
                    swept.failed.push(Failed {
                        service: Some(service.to_string()),
                        file: Some(file_name(&stem, state)),
                        refusal,
                    });
                };
                let moved = reopen(folder, name, options, &mut note).map(|moved| {
                    moved.map(|(reason, path)| Reopened {
                        id: name.id().to_owned(),
                        service: service.to_string(),
                        reason,
                        path,
                    })
                });
                (file_name(&stem, state), moved)
            }
            Due::Unreadable { file, errno } => {
                let path = folder.path_of(&file);
                let refusal = Refusal::io(errno, format_args!("read {}", path.display()));
                (file, Err(refusal))
            }
        };
        match outcome {
            Ok(moved) => swept.reopened.extend(moved),
            Err(refusal) => swept.failed.push(Failed {
                service: Some(service.to_string()),
                file: Some(file),
                refusal,
            }),
        }
    }
    if !options.dry_run {
        for file in leftovers {
            tidy(folder, &file, options.now.into());
        }
    }
    Ok(())
}

/// A first look, without a lock: whether the item's time seems to be over.
fn look(seen: &Seen<'_>, options: &SweepOptions) -> Result<Option<Due>, Errno> {
    let facts = seen.end.facts();
    let state = seen.name.state;
    let claiming = state == State::Claimed
        && facts.is_empty()
        && seen.attempts().is_some_and(|attempts| attempts.claiming);
    let item = InFlight { state, facts: &facts, claiming };
    let Some(wait) = Wait::of(item, &options.rules) else {
        return Ok(None);
    };
    let now = options.now.into();
    let modified = if wait.needs_file_time() {
        let stat = seen.stat()?;
        if !is_regular(&stat) {
            return Ok(None);
        }
        modified(&stat)
    } else {
        now
    };
    Ok(wait.is_over(now, modified).then(|| Due::Over { stem: seen.name.stem.to_owned(), state }))
}

/// Decides again under the lock, and moves the item, or says where it would go. `Ok(None)`: it is not
/// due (any more).
fn reopen(
    folder: &Folder,
    name: ItemName<'_>,
    options: &SweepOptions,
    note: &mut dyn FnMut(Refusal),
) -> Result<Option<(Reason, PathBuf)>, Refusal> {
    let path = || folder.path_of(&file_name(name.stem, name.state));
    let mut held = match Held::open(folder, name) {
        Ok(held) => held,
        Err(NotHeld::Gone | NotHeld::Foreign) => return Ok(None),
        Err(NotHeld::Busy) => {
            let message =
                format!("{} is due, and another process is at work on it", path().display());
            return Err(Refusal::new(Refused::Busy, message));
        }
        Err(NotHeld::Linked) => {
            let message = format!(
                "{} is due and has a second link, so that it is left alone",
                path().display()
            );
            return Err(Refusal::new(Refused::Linked, message));
        }
        Err(NotHeld::Failed(refusal)) => return Err(refusal),
    };
    let (now, modified) = (Time::from(options.now), held.modified());
    let facts = held.end().facts();
    let counted = facts.is_empty() || options.rules.max_attempts.is_some();
    let attempts = if counted { held.attempts() } else { None };
    let item = InFlight {
        state: held.state(),
        facts: &facts,
        claiming: attempts.is_some_and(|attempts| attempts.claiming),
    };
    let Some(wait) = Wait::of(item, &options.rules) else {
        return Ok(None);
    };
    if !wait.is_over(now, modified) {
        return Ok(None);
    }
    if options.rules.max_attempts.is_some() && attempts.is_none() && wait.reason.to() == State::New
    {
        note(held.refused(
            Refused::NoAttempts,
            "is given back however often it was claimed: this file system cannot keep that",
        ));
    }
    let reason = options.rules.outcome(wait.reason, attempts);
    let edit = match reason.to() {
        State::New => Edit::Cut,
        State::Dead => {
            Edit::Set(exhausted(&held, now, attempts.map_or(0, |attempts| attempts.count))?)
        }
        _ => Edit::Keep,
    };
    let to = reason.to();
    let moved =
        if options.dry_run { held.refuse_taken_way(to, &edit) } else { held.apply(to, edit, now) };
    match moved {
        Ok(()) => Ok(Some((reason, folder.path_of(&file_name(name.stem, to))))),
        // Somebody who does not lock was faster.
        Err(refusal) if refusal.error == Refused::ClaimLost => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// A file of ours that is no item is done with within moments; one this old was left by a process that died.
const LEFT_OVER: Duration = Duration::from_secs(3600);

/// Takes away what a process that died left half-made; nothing in it is not in an item as well.
fn tidy(folder: &Folder, file: &str, now: Time) {
    let flags = FLAGS | OFlags::RDWR;
    let Ok(open) = rustix::fs::openat(&folder.dir, file, flags, Mode::empty()) else {
        return;
    };
    // A clock that was ahead must not keep it for ever.
    let is_old = rustix::fs::fstat(&open).is_ok_and(|stat| {
        let age = now.millis() - modified(&stat).millis();
        is_regular(&stat) && age.abs() > LEFT_OVER.as_secs_f64() * 1e3
    });
    if is_old && lock(&open) == Ok(true) {
        let _ = rustix::fs::unlinkat(&folder.dir, file, AtFlags::empty());
    }
}
