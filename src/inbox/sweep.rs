//! The sweep: items whose time is over are given back or retired.

use rustix::io::Errno;

use super::folder::{Folder, Inbox};
use super::item::{Edit, Held, NotHeld};
use super::name::{ItemName, Service, State, file_name};
use super::refusal::{Refusal, Refused};
use super::rule::{Limits, Reason, Wait};
use super::survey::{Seen, survey};
use super::time::Time;

/// How to sweep.
#[derive(Clone, Copy, Debug)]
pub struct SweepOptions {
    /// The time against which everything is judged.
    pub now: Time,
    /// Whether a session lives, so that items a daemon lost are given back here.
    pub session_live: bool,
    /// Answer what would be done, and do nothing. Each item is held for the moment of its decision,
    /// as in any sweep.
    pub dry_run: bool,
    /// When an item's time is over.
    pub limits: Limits,
}

impl SweepOptions {
    /// A sweep at `now` with the usual limits, no session alive.
    #[must_use]
    pub fn at(now: Time) -> Self {
        Self {
            now,
            session_live: false,
            dry_run: false,
            limits: Limits::default(),
        }
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
    pub path: String,
}

/// Something that a sweep could not handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The service it is in; `None` for the inbox itself.
    pub service: Option<String>,
    /// The bare name of the file; `None` for the folder itself.
    pub file: Option<String>,
    /// What went wrong.
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

/// Gives back claims that went stale, deferrals that are due and items that a daemon lost, and retires
/// items replied to long ago.
///
/// Every decision is taken again under the item's lock, on what is true then. An item that somebody
/// holds is skipped. One bad item or folder does not keep the others from being swept.
///
/// ```
/// # let root = tempfile::tempdir()?;
/// # let root = root.path().to_str().expect("a plain path");
/// use seatkit::inbox::{Claim, Item, Reason, Service, SweepOptions, Time, mark_session_claim, sweep_session_inbox};
///
/// std::fs::create_dir_all(format!("{root}/state/inbox/cohort"))?;
/// std::fs::write(format!("{root}/state/inbox/cohort/m1.yaml"), "id: m1\n")?;
/// let service = Service::new("cohort").expect("a plain name");
/// let now = Time::now();
/// mark_session_claim(root, service, Item::id("m1"), &Claim::at(now))?;
/// let later = Time::from_millis(now.millis() + 21.0 * 60_000.0).expect("within range");
/// let swept = sweep_session_inbox(root, &SweepOptions::at(later));
/// assert_eq!((swept.scanned, swept.reopened[0].reason), (1, Reason::ClaimStale));
/// assert_eq!(std::fs::read_to_string(&swept.reopened[0].path)?, "id: m1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn sweep_session_inbox(root: &str, options: &SweepOptions) -> Swept {
    let mut swept = Swept::default();
    let unreadable = |errno, what: &str| Refusal::io(errno, format_args!("read {what} of {root}"));
    let inbox = match Inbox::open(root).and_then(|inbox| {
        inbox
            .map(|inbox| inbox.services().map(|services| (inbox, services)))
            .transpose()
    }) {
        Ok(Some((inbox, services))) => Some((inbox, services)),
        Ok(None) => None,
        Err(errno) => {
            swept.failed.push(Failed {
                service: None,
                file: None,
                refusal: unreadable(errno, "the inbox"),
            });
            None
        }
    };
    let Some((inbox, services)) = inbox else {
        return swept;
    };
    for name in &services {
        let Some(service) = Service::new(name) else {
            continue;
        };
        let result = inbox.folder(service).and_then(|folder| {
            folder.map_or(Ok(()), |folder| {
                sweep_folder(&folder, name, options, &mut swept)
            })
        });
        if let Err(errno) = result {
            let refusal = unreadable(errno, &format!("the folder {name} of the inbox"));
            swept.failed.push(Failed {
                service: Some(name.clone()),
                file: None,
                refusal,
            });
        }
    }
    swept
}

fn sweep_folder(
    folder: &Folder,
    service: &str,
    options: &SweepOptions,
    swept: &mut Swept,
) -> Result<(), Errno> {
    let mut due = Vec::new();
    swept.scanned += survey(
        folder,
        State::in_flight,
        |seen| look(seen, options),
        |_, file, errno| Due::Unreadable {
            file: file.to_owned(),
            errno,
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
                let moved = reopen(folder, name, options).map(|moved| {
                    moved.map(|(reason, path)| Reopened {
                        id: name.id().to_owned(),
                        service: service.to_owned(),
                        reason,
                        path,
                    })
                });
                (file_name(&stem, state), moved)
            }
            Due::Unreadable { file, errno } => {
                let refusal = Refusal::io(errno, format_args!("read {}", folder.path_of(&file)));
                (file, Err(refusal))
            }
        };
        match outcome {
            Ok(moved) => swept.reopened.extend(moved),
            Err(refusal) => swept.failed.push(Failed {
                service: Some(service.to_owned()),
                file: Some(file),
                refusal,
            }),
        }
    }
    Ok(())
}

/// A first look, without a lock: whether the item's time seems to be over.
fn look(seen: &Seen<'_>, options: &SweepOptions) -> Result<Option<Due>, Errno> {
    let Some(wait) = Wait::of(
        seen.name.state,
        &seen.end.block(),
        options.session_live,
        &options.limits,
    ) else {
        return Ok(None);
    };
    let modified = if wait.needs_file_time() {
        seen.modified()?
    } else {
        Some(options.now)
    };
    let over = modified.is_some_and(|modified| wait.is_over(options.now, modified));
    Ok(over.then(|| Due::Over {
        stem: seen.name.stem.to_owned(),
        state: seen.name.state,
    }))
}

/// Decides again under the lock, and moves the item, or says where it would go. `Ok(None)`: it is not
/// due (any more), or in hands.
fn reopen(
    folder: &Folder,
    name: ItemName<'_>,
    options: &SweepOptions,
) -> Result<Option<(Reason, String)>, Refusal> {
    let mut held = match Held::open(folder, name) {
        Ok(held) => held,
        Err(NotHeld::Gone | NotHeld::Foreign | NotHeld::Busy) => return Ok(None),
        Err(NotHeld::Failed(refusal)) => return Err(refusal),
    };
    let modified = held.modified();
    let Some(wait) = Wait::of(
        held.state(),
        &held.end().block(),
        options.session_live,
        &options.limits,
    ) else {
        return Ok(None);
    };
    if !wait.is_over(options.now, modified) {
        return Ok(None);
    }
    let to = wait.reason.to();
    let edit = if to == State::New {
        Edit::Cut
    } else {
        Edit::Keep
    };
    let moved = if options.dry_run {
        held.refuse_taken_way(to, &edit)
    } else {
        held.apply(to, edit, options.now)
    };
    match moved {
        Ok(()) => Ok(Some((
            wait.reason,
            folder.path_of(&file_name(name.stem, to)),
        ))),
        // Somebody who does not lock was faster.
        Err(refusal) if refusal.error == Refused::ClaimLost => Ok(None),
        Err(refusal) => Err(refusal),
    }
}
