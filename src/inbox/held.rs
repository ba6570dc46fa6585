//! One item, held: opened once, locked, and looked at under its lock. Everything that is done to it goes through
//! the descriptor that was locked (`change.rs`).

use std::path::PathBuf;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};

use super::attempts::Attempts;
use super::change::Undo;
use super::file::{
    FLAGS, FileEnd, MAX_ITEM, is_gone, is_item, is_regular, modified, read_whole, says_no_item,
    sync,
};
use super::folder::Folder;
use super::name::{ItemName, State, file_name, id_of};
use super::refusal::{Refusal, Refused};
use super::time::Time;
use super::within::Within;

/// Opens an item for a look, without a lock.
pub(crate) fn open_to_read(
    folder: &Folder,
    file: &(impl rustix::path::Arg + Copy),
) -> Result<OwnedFd, Errno> {
    retry_on_intr(|| rustix::fs::openat(&folder.dir, *file, FLAGS | OFlags::RDONLY, Mode::empty()))
}

/// Why an item could not be taken hold of.
#[derive(Debug)]
pub(crate) enum NotHeld {
    /// The name leads nowhere, or to another file by now.
    Gone,
    /// The name leads to something that is no item.
    Foreign,
    /// The file has a second link.
    Linked,
    /// Another process holds it.
    Busy,
    /// The system refused.
    Failed(Refusal),
}

/// An item under its lock.
#[derive(Debug)]
pub(crate) struct Held<'f> {
    pub(super) folder: &'f Folder,
    pub(super) file: OwnedFd,
    pub(super) stem: String,
    pub(super) state: State,
    pub(super) stat: Stat,
    pub(super) end: FileEnd,
    /// The same file, opened to write over a part of it: `file` appends alone.
    pub(super) over: Option<OwnedFd>,
    /// What to take back if a later step fails, the last one first.
    pub(super) done: Vec<Undo>,
    /// Freed after the lock, as the last field.
    _within: Within,
}

impl<'f> Held<'f> {
    /// Takes hold of the item that `name` leads to.
    pub(crate) fn open(folder: &'f Folder, name: ItemName<'_>) -> Result<Self, NotHeld> {
        let path = || folder.path_of(&file_name(name.stem, name.state));
        let failed = |errno, what: &str| {
            if is_gone(errno) {
                return NotHeld::Gone;
            }
            NotHeld::Failed(Refusal::io(errno, format_args!("{what} {}", path().display())))
        };
        let file = file_name(name.stem, name.state);

        let within = match Within::take(&folder.dir, name.stem) {
            Ok(Some(within)) => within,
            Ok(None) => return Err(NotHeld::Busy),
            Err(errno) => return Err(failed(errno, "look at the folder of")),
        };
        // 1. Open once: every later step goes through this descriptor. APPEND, so that what is added
        //    never lands on bytes that somebody else added; never CREATE, so that no ghost appears.
        let file = match retry_on_intr(|| {
            rustix::fs::openat(
                &folder.dir,
                &*file,
                FLAGS | OFlags::RDWR | OFlags::APPEND,
                Mode::empty(),
            )
        }) {
            Ok(file) => file,
            Err(errno) if says_no_item(errno) => return Err(NotHeld::Gone),
            Err(errno) => return Err(failed(errno, "open")),
        };
        // 2. Lock, without waiting: the kernel frees the lock when its holder dies.
        match lock(&file) {
            Ok(true) => {}
            Ok(false) => return Err(NotHeld::Busy),
            // macOS has no locks on pipes and devices, which are no items anyway.
            Err(errno) => {
                return Err(match rustix::fs::fstat(&file) {
                    Ok(stat) if !is_regular(&stat) => NotHeld::Foreign,
                    _ => failed(errno, "lock"),
                });
            }
        }
        // 3. Only now look: what was true before the lock may be over.
        let stat = rustix::fs::fstat(&file).map_err(|errno| failed(errno, "look at"))?;
        let mut held = Self {
            folder,
            file,
            stem: name.stem.to_owned(),
            state: name.state,
            stat,
            end: FileEnd::default(),
            over: None,
            done: Vec::new(),
            _within: within,
        };
        if !is_item(&stat) {
            return Err(if is_regular(&stat) && stat.st_nlink > 1 {
                NotHeld::Linked
            } else if is_regular(&stat) {
                NotHeld::Gone
            } else {
                NotHeld::Foreign
            });
        }
        if !held.is_named(name.state).map_err(|errno| failed(errno, "look at"))? {
            return Err(NotHeld::Gone);
        }
        // 4. Read what the decision rests on. A file that grows or shrinks meanwhile is held by somebody
        //    who does not lock: what was read of it is no ground to cut or add anything.
        let read = if name.state.goes_by_markers() {
            held.end.read_in_flight(&held.file)
        } else {
            held.end.read(&held.file)
        };
        read.map_err(|errno| failed(errno, "read"))?;
        if held.end.length() != held.size() {
            return Err(NotHeld::Busy);
        }
        Ok(held)
    }

    pub(crate) fn state(&self) -> State {
        self.state
    }

    pub(crate) fn end(&self) -> &FileEnd {
        &self.end
    }

    pub(crate) fn id(&self) -> &str {
        id_of(&self.stem)
    }

    pub(crate) fn stem(&self) -> &str {
        &self.stem
    }

    /// Its bare name.
    pub(crate) fn file_name(&self) -> String {
        file_name(&self.stem, self.state)
    }

    pub(crate) fn modified(&self) -> Time {
        modified(&self.stat)
    }

    /// How often it was claimed; `None` where that cannot be kept.
    pub(crate) fn attempts(&self) -> Option<Attempts> {
        Attempts::read(&self.file)
    }

    /// The size of the file when it was opened, in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.stat.st_size.cast_unsigned()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path_of(&self.file_name())
    }

    /// Takes what looks like a block for the item's own text, where YAML says that it is.
    pub(crate) fn disown_block(&mut self) {
        self.end.disown_block();
    }

    /// All of the file; what was read at the end serves where that is all.
    pub(crate) fn read_all(&self) -> Result<Vec<u8>, Refusal> {
        if self.end.is_whole() {
            return Ok(self.end.bytes().to_vec());
        }
        read_whole(&self.file, 2 * MAX_ITEM).map_err(|errno| self.io(errno, "read"))
    }

    /// Puts file and folder on the disk. The file first: a name must not outlive a crash without its bytes.
    pub(crate) fn sync(&self) -> Result<(), Errno> {
        // Some file systems keep what was written by the descriptor that it was written to.
        if let Some(over) = &self.over {
            sync(over)?;
        }
        sync(&self.file)?;
        sync(&self.folder.dir)
    }

    /// Whether the item's name in `state` leads to the very file that is held.
    pub(super) fn is_named(&self, state: State) -> Result<bool, Errno> {
        let name = file_name(&self.stem, state);
        Ok(self.leads_here(&name)? && self.is_spelled(&name)?)
    }

    /// Whether the folder has the file under this very name: a volume that folds case or normal forms leads there by
    /// others too, which are other ids.
    #[cfg(target_vendor = "apple")]
    fn is_spelled(&self, name: &str) -> Result<bool, Errno> {
        let path = rustix::fs::getpath(&self.file)?;
        Ok(path.to_bytes().rsplit(|&byte| byte == b'/').next() == Some(name.as_bytes()))
    }

    #[cfg(not(target_vendor = "apple"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the system does not tell")]
    fn is_spelled(&self, _: &str) -> Result<bool, Errno> {
        Ok(true)
    }

    /// Whether `file` leads to the very file that is held.
    pub(super) fn leads_here(&self, file: &str) -> Result<bool, Errno> {
        match rustix::fs::statat(&self.folder.dir, file, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(self.is_same(&stat)),
            Err(errno) if is_gone(errno) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    /// Whether this is the stat of the very file that is held.
    pub(super) fn is_same(&self, stat: &Stat) -> bool {
        (stat.st_dev, stat.st_ino) == (self.stat.st_dev, self.stat.st_ino)
    }

    pub(super) fn io(&self, errno: Errno, what: &str) -> Refusal {
        Refusal::io(errno, format_args!("{what} {}", self.path().display()))
    }

    pub(crate) fn refused(&self, error: Refused, what: &str) -> Refusal {
        Refusal::new(error, format!("{} {what}", self.path().display()))
    }
}

/// A lock that ends with the value.
pub(crate) struct Lock<'f>(&'f OwnedFd);

impl<'f> Lock<'f> {
    /// `Ok(None)`: another process has it.
    pub(crate) fn on(file: &'f OwnedFd) -> Result<Option<Self>, Errno> {
        Ok(lock(file)?.then_some(Self(file)))
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        unlock(self.0);
    }
}

/// Closing frees a lock too, but not while a child that was just forked still has a copy.
fn unlock(file: &OwnedFd) {
    let _ = rustix::fs::flock(file, FlockOperation::Unlock);
}

/// Locks `file` without waiting; false where another process has it.
pub(crate) fn lock(file: &OwnedFd) -> Result<bool, Errno> {
    match retry_on_intr(|| rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(errno) => Err(errno),
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        unlock(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::super::tests::{ITEM, Seat};
    use super::*;

    fn named(stem: &str) -> ItemName<'_> {
        let state = State::New;
        ItemName { stem, state }
    }

    /// How opening an item goes that a listing took for a regular file a moment ago.
    #[test]
    fn what_took_an_items_place_is_distinguished_from_what_fails() {
        let seat = Seat::new();
        let at = |name: &str| seat.folder("cohort").join(name);
        std::fs::create_dir(at("dir.yaml")).unwrap();
        symlink("/etc/passwd", at("link.yaml")).unwrap();
        let made = Command::new("mkfifo").arg(at("pipe.yaml")).status();
        assert!(made.unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket.yaml")).unwrap();
        seat.deliver("cohort", "twice.yaml");
        std::fs::hard_link(at("twice.yaml"), at("copy")).unwrap();
        let folder = seat.open();
        let hold = |stem: &str| Held::open(&folder, named(stem)).unwrap_err();
        for stem in ["none", "dir", "link", "socket"] {
            assert!(matches!(hold(stem), NotHeld::Gone), "{stem}");
        }
        assert!(matches!(hold("pipe"), NotHeld::Foreign));
        assert!(matches!(hold("twice"), NotHeld::Linked));
        assert!(matches!(hold(&"x".repeat(300)), NotHeld::Failed(_)));

        let look = |name: &str| open_to_read(&folder, &name);
        for name in ["none.yaml", "link.yaml", "socket.yaml"] {
            assert!(says_no_item(look(name).unwrap_err()), "{name}");
        }
        assert!(!says_no_item(look(&"x".repeat(300)).unwrap_err()));
        assert!(look("pipe.yaml").is_ok(), "without waiting for a writer");
    }

    #[test]
    fn a_name_that_leads_to_another_file_is_not_the_items() {
        let seat = Seat::new();
        let path = seat.deliver("cohort", "m1.yaml");
        let folder = seat.open();
        let held = Held::open(&folder, named("m1")).unwrap();
        assert_eq!(held.is_named(State::New), Ok(true));
        assert_eq!(held.is_named(State::Claimed), Ok(false));
        std::fs::rename(&path, path.with_extension("old")).unwrap();
        std::fs::write(&path, ITEM).unwrap();
        assert_eq!(held.is_named(State::New), Ok(false));
    }
}
