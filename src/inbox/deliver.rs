//! Delivery: a new item, whole or not at all, and once however often it is repeated.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use serde::Serialize;
use serde_yaml::{Mapping, Value};
use uuid::Uuid;

use super::archive::make_folder;
use super::block::{NOT_FOUND_AGAIN, claim_is_found_after};
use super::change::{OWN_PREFIX, rename_noreplace, write_all};
use super::file::{FLAGS, MAX_ITEM, sync};
use super::find::{Hit, find_exact};
use super::folder::{Folder, inbox_path};
use super::held::Lock;
use super::name::{ItemName, Service, State, file_name, id_of};
use super::outline::Outline;
use super::refusal::{Refusal, Refused};
use super::time::Time;
use super::within::Within;
use super::{Inbox, archived, next, no_nul, render};

/// How to deliver.
///
/// An id is 1 to 200 of the characters `A-Z a-z 0-9 _ . : + - @ = ~ ,`, begins with a letter, a digit or `_`, and does
/// not end as a file name of an item does: it becomes a part of a file name, and an argument of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The time of the delivery, which orders the items.
    pub now: SystemTime,
    /// The id; a fresh UUID where `None`. An id that is there already, in any state or in the archive, is not delivered
    /// again.
    pub id: Option<String>,
    /// Whether the item is on the disk when the call returns.
    pub durable: bool,
}

impl Delivery {
    /// A durable delivery under an id of its own.
    #[must_use]
    pub fn at(now: SystemTime) -> Self {
        Self { now, id: None, durable: true }
    }
}

/// What a delivery came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Whether the item was written by this call; else the id was there already.
    pub created: bool,
    /// Its id.
    pub id: String,
    /// Its service.
    pub service: String,
    /// Where it stands.
    pub state: State,
    /// Its bare file name.
    pub file: String,
    /// Its path.
    pub path: PathBuf,
}

/// The longest id: with a delivery time and the longest ending it still makes a file name.
const MAX_ID: usize = 200;

/// How long a delivery waits for others to the same service, in milliseconds: each holds it for a moment.
const WAITS_MS: [u64; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

impl Inbox {
    /// Delivers a mapping as a new item. `id`, `service` and `timestamp` are put before what it says, where it does not
    /// say them.
    ///
    /// The item appears whole or not at all. What is written can be claimed, and every usual YAML parser reads it back
    /// equal, also under a claim.
    ///
    /// # Errors
    ///
    /// `invalid-argument` (an invalid id; a value that is no mapping or cannot be written as YAML), `invalid-time` (a time
    /// beyond the year 9999), `unstampable` (it has a key of the marker block), `busy` (others deliver to the service all
    /// the time), `linked` (the service is a link), `conflict` (something that is no item has its name) or `io`; there is
    /// no such item then. Where the message says that the item is delivered, only its way to the
    /// disk failed, and the call may be repeated with the same id.
    ///
    /// ```
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// use std::collections::BTreeMap;
    /// use std::time::SystemTime;
    /// use seatkit::inbox::{Delivery, Inbox};
    ///
    /// let (inbox, cohort) = (Inbox::at(root), "cohort".parse()?);
    /// let mail = BTreeMap::from([("content", "can you send me the deck?")]);
    /// let delivery = Delivery { id: Some("m1".to_owned()), ..Delivery::at(SystemTime::now()) };
    /// assert!(inbox.deliver(&cohort, &mail, &delivery)?.created);
    /// assert!(!inbox.deliver(&cohort, &mail, &delivery)?.created, "a delivery may be repeated");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deliver(
        &self,
        service: &Service,
        item: &impl Serialize,
        delivery: &Delivery,
    ) -> Result<Delivered, Refusal> {
        let value = serde_yaml::to_value(item).map_err(|error| {
            Refusal::argument(format!("the item cannot be written as YAML: {error}"))
        })?;
        let Value::Mapping(said) = value else {
            return Err(Refusal::argument("an item must be a mapping, or a text"));
        };
        let own_id = match said.get("id") {
            None => None,
            Some(Value::String(id)) => Some(id.clone()),
            Some(_) => return Err(Refusal::argument("the id of an item must be a text")),
        };
        if let (Some(given), Some(own)) = (&delivery.id, &own_id)
            && given != own
        {
            return Err(Refusal::argument(format!(
                "the item says the id {own:?}, and the delivery {given:?}"
            )));
        }
        let given = delivery.id.clone().or(own_id);
        let repeatable = given.is_some();
        let id = checked_id(given)?;
        let now = Time::from(delivery.now);
        let mut item = Mapping::new();
        for (key, value) in
            [("id", id.clone()), ("service", service.to_string()), ("timestamp", now.to_string())]
        {
            if !said.contains_key(key) {
                item.insert(key.into(), value.into());
            }
        }
        item.extend(said);
        let text = render::mapping(&item).map_err(Refusal::argument)?;
        self.write(service, &text, &id, repeatable, delivery)
    }

    /// Delivers a text as a new item, as it is.
    ///
    /// # Errors
    ///
    /// As [`Inbox::deliver`]; `unstampable` also for a text that could not be claimed.
    pub fn deliver_text(
        &self,
        service: &Service,
        text: &str,
        delivery: &Delivery,
    ) -> Result<Delivered, Refusal> {
        let repeatable = delivery.id.is_some();
        let id = checked_id(delivery.id.clone())?;
        self.write(service, text, &id, repeatable, delivery)
    }

    fn write(
        &self,
        service: &Service,
        text: &str,
        id: &str,
        repeatable: bool,
        delivery: &Delivery,
    ) -> Result<Delivered, Refusal> {
        no_nul(self.root())?;
        check_text(text)?;
        let path = inbox_path(self.root()).join(service.as_str());
        let failed =
            |errno, what: &str| Refusal::io(errno, format_args!("{what} {}", path.display()));
        let folder = make_folder(self.root(), &path)
            .map_err(|errno| failed(errno, "make the folder"))?
            .ok_or_else(|| {
                Refusal::new(Refused::Linked, format!("{} is a link, or no folder", path.display()))
            })?;
        let _alone = if repeatable {
            let alone = Alone::with(&folder).map_err(|errno| failed(errno, "lock"))?;
            let Some(alone) = alone else {
                let why = format!("others deliver to {} all the time", path.display());
                return Err(Refusal::new(Refused::Busy, why));
            };
            let there =
                self.there(service, id, &folder).map_err(|errno| failed(errno, "search"))?;
            if let Some(there) = there {
                if delivery.durable {
                    sync_item(&folder, &there.file)
                        .map_err(|errno| failed(errno, "put on the disk what is there in"))?;
                }
                return Ok(there);
            }
            Some(alone)
        } else {
            None
        };
        let stem = format!("{}-{id}", Time::from(delivery.now).as_delivery_time());
        if id_of(&stem) != id {
            let why = "the time of a delivery must be in the years 0 to 9999";
            return Err(Refusal::new(Refused::InvalidTime, why.to_owned()));
        }
        let file = file_name(&stem, State::New);
        put(&folder, &file, text, delivery.durable).map_err(|errno| match errno {
            Errno::EXIST => {
                let why = format!("{} exists, and is no item", folder.path_of(&file).display());
                Refusal::new(Refused::Conflict, why)
            }
            errno => failed(errno, &format!("deliver {file} to")),
        })?;
        next::forget(self.root());
        if delivery.durable {
            sync(&folder.dir).map_err(|errno| {
                let mut refusal = failed(errno, "put on the disk");
                refusal.message = format!(
                    "{file} is delivered, but it may not outlive a power cut: {}",
                    refusal.message
                );
                refusal
            })?;
        }
        Ok(Delivered {
            created: true,
            id: id.to_owned(),
            service: service.to_string(),
            state: State::New,
            path: folder.path_of(&file),
            file,
        })
    }

    /// The item of this id that is there already, in any state or in the archive.
    fn there(
        &self,
        service: &Service,
        id: &str,
        live: &Folder,
    ) -> Result<Option<Delivered>, Errno> {
        let there = |folder: &Folder, hit: &Hit| {
            let file = file_name(&hit.stem, hit.state);
            Delivered {
                created: false,
                id: id.to_owned(),
                service: service.to_string(),
                state: hit.state,
                path: folder.path_of(&file),
                file,
            }
        };
        if let Some(hit) = find_exact(live, id)? {
            return Ok(Some(there(live, &hit)));
        }
        let archived = archived::find_id(self.root(), service, id)?;
        Ok(archived.map(|(month, hit)| there(&month, &hit)))
    }
}

fn checked_id(given: Option<String>) -> Result<String, Refusal> {
    let Some(id) = given else {
        return Ok(Uuid::new_v4().to_string());
    };
    let starts_well = |first: u8| first.is_ascii_alphanumeric() || first == b'_';
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:+-@=~,".contains(&byte);
    let is_id = id.len() <= MAX_ID
        && id.bytes().next().is_some_and(starts_well)
        && id.bytes().all(is_fit)
        && ItemName::parse(id.as_bytes()).is_none();
    if is_id {
        return Ok(id);
    }
    Err(Refusal::argument(format!(
        "an id has 1 to {MAX_ID} letters, digits and _ . : + - @ = ~ , begins with a letter, a digit or _ and does not \
         end as an item's file does, unlike {id:?}"
    )))
}

/// Refuses a text that no claim would ever take.
fn check_text(text: &str) -> Result<(), Refusal> {
    if text.is_empty() {
        return Err(Refusal::argument("an item must not be empty"));
    }
    if text.len() > MAX_ITEM {
        let why =
            format!("an item of {} bytes could not be claimed; {MAX_ITEM} are allowed", text.len());
        return Err(Refusal::new(Refused::Unstampable, why));
    }
    let why = match Outline::of(text.as_bytes()).obstacle_to(|_| true) {
        Some(obstacle) => obstacle.sentence(),
        None if claim_is_found_after(text.as_bytes()) => return Ok(()),
        None => NOT_FOUND_AGAIN.to_owned(),
    };
    Err(Refusal::new(Refused::Unstampable, format!("the item could not be claimed: it {why}")))
}

/// Writes a new file whole, under a name that is no item's, and gives it its own only then.
fn put(folder: &Folder, file: &str, text: &str, durable: bool) -> Result<(), Errno> {
    let spare = format!("{OWN_PREFIX}{}", Uuid::new_v4());
    let flags = FLAGS | OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
    let new = retry_on_intr(|| {
        rustix::fs::openat(&folder.dir, &*spare, flags, Mode::from_raw_mode(0o666))
    })?;
    let written = || {
        // Held until it has its name: a sweep takes such files away that nobody holds.
        let _held = Lock::on(&new)?;
        write_all(&new, text.as_bytes())?;
        if durable {
            sync(&new)?;
        }
        rename_noreplace(&folder.dir, &spare, &folder.dir, file, || false)
    };
    let put = written();
    if put.is_err() {
        let _ = rustix::fs::unlinkat(&folder.dir, &*spare, AtFlags::empty());
    }
    put
}

/// Puts on the disk what an earlier delivery may have left to the system. Where the item moved on meanwhile, somebody has
/// it.
fn sync_item(folder: &Folder, file: &str) -> Result<(), Errno> {
    let flags = FLAGS | OFlags::RDONLY;
    match retry_on_intr(|| rustix::fs::openat(&folder.dir, file, flags, Mode::empty())) {
        Ok(file) => sync(&file)?,
        Err(Errno::NOENT | Errno::ACCESS) => {}
        Err(errno) => return Err(errno),
    }
    sync(&folder.dir)
}

/// The right to look for an id in a service's folder and to deliver it, the lock freed first.
struct Alone<'f> {
    _lock: Lock<'f>,
    _within: Within,
}

impl<'f> Alone<'f> {
    /// `Ok(None)`: others had it all the time.
    fn with(folder: &'f Folder) -> Result<Option<Self>, Errno> {
        for wait in WAITS_MS {
            for _ in 0..4 {
                // No item has an empty stem.
                if let Some(within) = Within::take(&folder.dir, "")?
                    && let Some(lock) = Lock::on(&folder.dir)?
                {
                    return Ok(Some(Self { _lock: lock, _within: within }));
                }
                sleep(Duration::from_millis(wait));
            }
        }
        Ok(None)
    }
}
