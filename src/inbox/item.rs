//! One item, held: opened once, locked, and changed through that one descriptor.
//!
//! Everything that changes an item is here, each step with the reason for its place. A process may
//! die between any two of them; [`Held::apply`] orders them so that a sweep brings every such file back.

use rustix::buffer::spare_capacity;
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, RenameFlags, SeekFrom, Stat, Timespec,
    Timestamps,
};
use rustix::io::{Errno, retry_on_intr};

use super::block::{self, Block, Key, MAX_BLOCK, Split};
use super::folder::{Folder, nanos_of};
use super::name::{ItemName, State, file_name};
use super::refusal::{Refusal, Refused};
use super::time::Time;

/// How much of a file's end is read at first: an item with its block, in nearly all cases.
pub(crate) const WINDOW: usize = 16 * 1024;

/// A block and as much of the line before it as tells that this is no marker's always fit here.
const MAX_WINDOW: usize = 2 * MAX_BLOCK + WINDOW;

/// `NONBLOCK` and `NOFOLLOW`: whatever took the item's place since it was listed, nothing hangs and
/// nothing is followed.
const FLAGS: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// The end of a file: all of it, or at least its block and a byte before that.
#[derive(Debug, Default)]
pub(crate) struct FileEnd {
    bytes: Vec<u8>,
    /// How many bytes of the file come before `bytes`.
    offset: u64,
    /// Whether the block was cut since: what looks like one in the rest is the item's own.
    cut: bool,
}

impl FileEnd {
    /// Reads the end of `file`: one call where the file is smaller than the window.
    pub(crate) fn read(&mut self, file: &OwnedFd) -> Result<(), Errno> {
        if self.fill(file, 0, WINDOW)? {
            return Ok(());
        }
        let size = rustix::fs::seek(file, SeekFrom::End(0))?;
        let mut window = WINDOW;
        loop {
            self.fill(file, size.saturating_sub(window as u64), window)?;
            if self.offset == 0
                || window >= MAX_WINDOW
                || block::split(&self.bytes, false) != Split::NeedsMore
            {
                return Ok(());
            }
            window = (window * 8).min(MAX_WINDOW);
        }
    }

    /// Reads up to `window` bytes from `offset`; true where the file ends before that many.
    fn fill(&mut self, file: &OwnedFd, offset: u64, window: usize) -> Result<bool, Errno> {
        self.offset = offset;
        self.cut = false;
        self.bytes.clear();
        self.bytes.reserve_exact(window);
        retry_on_intr(|| rustix::io::pread(file, spare_capacity(&mut self.bytes), offset))?;
        Ok(self.bytes.len() < self.bytes.capacity())
    }

    pub(crate) fn block(&self) -> Block<'_> {
        match block::split(&self.bytes, self.offset == 0) {
            Split::Found(block) if !self.cut => block,
            _ => Block::none(self.bytes.len()),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The end of the item's own bytes.
    pub(crate) fn item(&self) -> &[u8] {
        self.bytes.get(..self.block().start).unwrap_or_default()
    }

    /// The block as it stands, with the line break that came with it and any torn line.
    fn tail(&self) -> &[u8] {
        self.bytes.get(self.block().start..).unwrap_or_default()
    }

    /// Whether `block`, put behind the item's own bytes, is found there again: as it is, and alone.
    pub(crate) fn takes(&self, block: &[u8]) -> bool {
        let item = self.item();
        match block::split(&[item, block].concat(), self.offset == 0) {
            Split::Found(found) => found.start == item.len(),
            Split::NeedsMore => false,
        }
    }

    /// Forgets the block, as the file does.
    fn cut(&mut self) {
        self.bytes.truncate(self.block().start);
        self.cut = true;
    }

    fn item_length(&self) -> u64 {
        self.offset + self.block().start as u64
    }

    fn file_length(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

/// Opens an item for a look, without a lock.
pub(crate) fn open_to_read(
    folder: &Folder,
    file: &(impl rustix::path::Arg + Copy),
) -> Result<OwnedFd, Errno> {
    retry_on_intr(|| rustix::fs::openat(&folder.dir, *file, FLAGS | OFlags::RDONLY, Mode::empty()))
}

/// Whether an error of opening a name says that no item is there (any more): nothing, a link or
/// something that is no regular file.
pub(crate) fn says_no_item(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::NOENT | Errno::LOOP | Errno::NXIO | Errno::ISDIR | Errno::NODEV
    )
}

/// A regular file with one link: all else is foreign, and a second link would be a second name.
pub(crate) fn is_item(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_nlink == 1
}

pub(crate) fn modified(stat: &Stat) -> Time {
    Time::from_file(stat.st_mtime, nanos_of(stat))
}

/// Why an item could not be taken hold of.
#[derive(Debug)]
pub(crate) enum NotHeld {
    /// The name leads nowhere, or to another file by now.
    Gone,
    /// The name leads to something that is no item.
    Foreign,
    /// Somebody else holds it.
    Busy,
    /// The system refused.
    Failed(Refusal),
}

/// What becomes of a block.
#[derive(Debug)]
pub(crate) enum Edit {
    /// It stays.
    Keep,
    /// It goes, and the item has its own bytes again.
    Cut,
    /// These bytes take its place (see [`block::Tail::after`]).
    Set(Vec<u8>),
}

/// An item under its lock.
#[derive(Debug)]
pub(crate) struct Held<'f> {
    folder: &'f Folder,
    file: OwnedFd,
    stem: String,
    state: State,
    stat: Stat,
    end: FileEnd,
    /// What to take back if a later step fails, the last one first.
    done: Vec<Undo>,
}

#[derive(Debug)]
enum Undo {
    Freshened,
    Renamed {
        from: State,
    },
    /// The block was cut; these bytes were it.
    Cut(Vec<u8>),
    /// A block was written where these bytes, or none, were.
    Written(Vec<u8>),
}

impl<'f> Held<'f> {
    /// Takes hold of the item that `name` leads to.
    pub(crate) fn open(folder: &'f Folder, name: ItemName<'_>) -> Result<Self, NotHeld> {
        let path = || folder.path_of(&file_name(name.stem, name.state));
        let failed = |errno, what: &str| {
            NotHeld::Failed(Refusal::io(errno, format_args!("{what} {}", path())))
        };
        let file = file_name(name.stem, name.state);

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
        match retry_on_intr(|| rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(NotHeld::Busy),
            Err(errno) => return Err(failed(errno, "lock")),
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
            done: Vec::new(),
        };
        if !is_item(&stat) {
            return Err(NotHeld::Foreign);
        }
        if !held
            .is_named(name.state)
            .map_err(|errno| failed(errno, "look at"))?
        {
            return Err(NotHeld::Gone);
        }
        // 4. Read what the decision rests on. A file that grows or shrinks meanwhile is in the hands of
        //    somebody who does not lock: what was read of it is no ground to cut or add anything.
        held.end
            .read(&held.file)
            .map_err(|errno| failed(errno, "read"))?;
        if held.end.file_length() != held.size() {
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

    pub(crate) fn modified(&self) -> Time {
        modified(&self.stat)
    }

    /// The size of the file when it was opened, in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.stat.st_size.cast_unsigned()
    }

    pub(crate) fn path(&self) -> String {
        self.folder.path_of(&file_name(&self.stem, self.state))
    }

    /// All of the item's own bytes; what was read at the end serves where that is all.
    pub(crate) fn read_item(&self) -> Result<Vec<u8>, Refusal> {
        if self.end.offset == 0 {
            return Ok(self.end.item().to_vec());
        }
        let length = usize::try_from(self.end.item_length()).unwrap_or(usize::MAX);
        let mut whole = FileEnd::default();
        whole
            .fill(&self.file, 0, length)
            .map_err(|errno| self.io(errno, "read"))?;
        whole.bytes.truncate(length);
        Ok(whole.bytes)
    }

    /// Moves the item to `to` and edits its block: the one way in which an item changes.
    ///
    /// A block is only ever edited under the name `.dispatched`. A file that lost its owner there, with
    /// any block, a torn one or none, is brought back by a sweep; a `.deferred` without a block is the
    /// daemon's, and a `.yaml` with one would be handed out with foreign bytes. So:
    ///
    /// 1. if the item was new, cut a block that it came with: under the next name it would be believed, and
    ///    a forged reply there would retire an item that nobody answered;
    /// 2. and freshen the file's time: one that waited long would look like an orphan between the next two
    ///    steps;
    /// 3. rename to `.dispatched`, unless it has that name;
    /// 4. edit the block, in one call (see [`Self::set_block`]);
    /// 5. rename to the final name.
    ///
    /// When a step fails, what was done is undone, the last step first.
    pub(crate) fn apply(&mut self, to: State, edit: Edit, now: Time) -> Result<(), Refusal> {
        let result = self.try_apply(to, edit, now);
        if result.is_err() {
            self.undo();
        }
        result
    }

    fn try_apply(&mut self, to: State, edit: Edit, now: Time) -> Result<(), Refusal> {
        let edits = !matches!(edit, Edit::Keep);
        // A last name that is taken would undo the edit: look before it.
        if edits && to != State::Claimed {
            self.refuse_taken(to)?;
        }
        if self.state == State::New {
            self.edit(Edit::Cut)?;
            self.freshen(now)?;
        }
        if edits {
            self.rename(State::Claimed)?;
            self.edit(edit)?;
        }
        self.rename(to)
    }

    /// Refuses what [`Self::apply`] would refuse for a name on its way that is taken, and changes nothing.
    pub(crate) fn refuse_taken_way(&self, to: State, edit: &Edit) -> Result<(), Refusal> {
        let over_claimed = !matches!(edit, Edit::Keep);
        for step in [Some(to), over_claimed.then_some(State::Claimed)] {
            if let Some(name) = step.filter(|name| *name != self.state) {
                self.refuse_taken(name)?;
            }
        }
        Ok(())
    }

    /// Puts file and folder on the disk. The file first: a name must not outlive a crash without its bytes.
    pub(crate) fn sync(&self) -> Result<(), Errno> {
        full_sync(&self.file)?;
        full_sync(&self.folder.dir)
    }

    fn freshen(&mut self, now: Time) -> Result<(), Refusal> {
        let (seconds, nanos) = now.to_file();
        self.set_modified(Timespec {
            tv_sec: seconds,
            tv_nsec: nanos,
        })
        .map_err(|errno| self.io(errno, "set the time of"))?;
        self.done.push(Undo::Freshened);
        Ok(())
    }

    fn set_modified(&self, time: Timespec) -> Result<(), Errno> {
        let omit = Timespec {
            tv_sec: 0,
            tv_nsec: rustix::fs::UTIME_OMIT,
        };
        rustix::fs::futimens(
            &self.file,
            &Timestamps {
                last_access: omit,
                last_modification: time,
            },
        )
    }

    fn rename(&mut self, to: State) -> Result<(), Refusal> {
        let from = self.state;
        if to == from {
            return Ok(());
        }
        match self.rename_without_replacing(from, to) {
            Ok(()) => {}
            Err(Errno::NOENT) => {
                return Err(self.refused(Refused::ClaimLost, "was taken away by another process"));
            }
            Err(Errno::EXIST) => return Err(self.conflict(to)),
            Err(errno) => return Err(self.io(errno, "rename")),
        }
        // An editor may have put another file in the item's place between the look and the rename: that
        // one goes back.
        match self.is_named(to) {
            Ok(true) => {
                self.state = to;
                self.done.push(Undo::Renamed { from });
                Ok(())
            }
            answer => {
                let _ = self.rename_without_replacing(to, from);
                Err(match answer {
                    Err(errno) => self.io(errno, "look at"),
                    Ok(_) => self.refused(Refused::ClaimLost, "was replaced by another file"),
                })
            }
        }
    }

    fn rename_without_replacing(&self, from: State, to: State) -> Result<(), Errno> {
        let dir = &self.folder.dir;
        let [old, new] = [from, to].map(|state| file_name(&self.stem, state));
        match retry_on_intr(|| {
            rustix::fs::renameat_with(dir, &*old, dir, &*new, RenameFlags::NOREPLACE)
        }) {
            // A file system without the flag (NFS, some FUSE and ZFS): the item's lock keeps others
            // of us away between the look and the rename. Never link and unlink: two names at once.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                match rustix::fs::statat(dir, &*new, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(_) => Err(Errno::EXIST),
                    Err(Errno::NOENT) => {
                        match retry_on_intr(|| rustix::fs::renameat(dir, &*old, dir, &*new)) {
                            // NFS may answer so to a rename that it did and was asked for again. With the
                            // flag it means that somebody who does not lock was faster, and won.
                            Err(Errno::NOENT) if self.is_named(to) == Ok(true) => Ok(()),
                            answer => answer,
                        }
                    }
                    Err(errno) => Err(errno),
                }
            }
            answer => answer,
        }
    }

    fn refuse_taken(&self, to: State) -> Result<(), Refusal> {
        match rustix::fs::statat(
            &self.folder.dir,
            &*file_name(&self.stem, to),
            AtFlags::SYMLINK_NOFOLLOW,
        ) {
            Ok(_) => Err(self.conflict(to)),
            Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(Refusal::io(
                errno,
                format_args!(
                    "look at {}",
                    self.folder.path_of(&file_name(&self.stem, to))
                ),
            )),
        }
    }

    /// Whether the item's name in `state` leads to the very file that is held.
    fn is_named(&self, state: State) -> Result<bool, Errno> {
        match rustix::fs::statat(
            &self.folder.dir,
            &*file_name(&self.stem, state),
            AtFlags::SYMLINK_NOFOLLOW,
        ) {
            Ok(stat) => Ok((stat.st_dev, stat.st_ino) == (self.stat.st_dev, self.stat.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    fn edit(&mut self, edit: Edit) -> Result<(), Refusal> {
        match edit {
            Edit::Keep => Ok(()),
            Edit::Cut => self.cut_block(),
            Edit::Set(new) => self.set_block(&new),
        }
    }

    fn cut_block(&mut self) -> Result<(), Refusal> {
        let tail = self.end.tail().to_vec();
        if tail.is_empty() {
            return Ok(());
        }
        self.truncate(self.end.item_length())
            .map_err(|errno| self.io(errno, "cut the block of"))?;
        self.end.cut();
        self.done.push(Undo::Cut(tail));
        Ok(())
    }

    /// Writes a block: behind what is there, where that is how the new one begins, else over the old one,
    /// padded so that at no moment the item is without one or has a rest of the old one behind it.
    ///
    /// A process that is killed while it writes stops at the end of a page. Where old and new would not
    /// make a block together there, the old one is cut first.
    fn set_block(&mut self, new: &[u8]) -> Result<(), Refusal> {
        let start = self.end.item_length();
        let tail = self.end.tail();
        let over = (!new.starts_with(tail)).then(|| block::pad(new.to_vec(), tail.len()));
        let over = match over {
            // Not with a reply in it, which must never be gone.
            Some(over)
                if !block::is_safe_to_tear(tail, &over, start)
                    && !self.end.block().has(Key::RepliedAt) =>
            {
                self.cut_block()?;
                None
            }
            over => over,
        };
        let tail = self.end.tail().to_vec();
        let written = match over {
            Some(over) => self.write(&over, Some(start)),
            None => self.write(new.get(tail.len()..).unwrap_or_default(), None),
        };
        self.done.push(Undo::Written(tail));
        written.map_err(|errno| self.io(errno, "write the block of"))
    }

    /// Writes all of `bytes` in one call, behind the file's end or over what stands at `offset`.
    fn write(&self, bytes: &[u8], offset: Option<u64>) -> Result<(), Errno> {
        let written = match offset {
            None => retry_on_intr(|| rustix::io::write(&self.file, bytes)),
            Some(offset) => {
                // Linux would append in spite of the offset (pwrite(2), "BUGS").
                rustix::fs::fcntl_setfl(&self.file, OFlags::NONBLOCK)?;
                retry_on_intr(|| rustix::io::pwrite(&self.file, bytes, offset))
            }
        }?;
        // A regular file takes less than it was given only when the space, or the size allowed, is used up.
        if written == bytes.len() {
            Ok(())
        } else {
            Err(Errno::NOSPC)
        }
    }

    fn truncate(&self, length: u64) -> Result<(), Errno> {
        retry_on_intr(|| rustix::fs::ftruncate(&self.file, length))
    }

    /// Takes back what was done, up to a step that cannot be taken back: that leaves a file that a sweep
    /// brings back, as long as the steps before it stay.
    fn undo(&mut self) {
        if self.done.is_empty() {
            return;
        }
        while let Some(step) = self.done.pop() {
            if self.undo_one(step).is_err() {
                break;
            }
        }
        let _ = self.set_modified(Timespec {
            tv_sec: self.stat.st_mtime,
            tv_nsec: nanos_of(&self.stat),
        });
    }

    fn undo_one(&mut self, step: Undo) -> Result<(), Errno> {
        let start = self.end.item_length();
        match step {
            Undo::Freshened => Ok(()),
            Undo::Renamed { from } => {
                self.rename_without_replacing(self.state, from)?;
                self.state = from;
                Ok(())
            }
            Undo::Cut(tail) => self.write(&tail, Some(start)),
            // Shorter first: what is left of a longer block reads as a torn one, but a rest behind the
            // old one would make it the item's own text.
            Undo::Written(tail) => {
                self.truncate(start + tail.len() as u64)?;
                if tail.is_empty() {
                    return Ok(());
                }
                self.write(&tail, Some(start))
            }
        }
    }

    fn io(&self, errno: Errno, what: &str) -> Refusal {
        Refusal::io(errno, format_args!("{what} {}", self.path()))
    }

    fn refused(&self, error: Refused, what: &str) -> Refusal {
        Refusal::new(error, format!("{} {what}", self.path()))
    }

    fn conflict(&self, to: State) -> Refusal {
        self.refused(
            Refused::Conflict,
            &format!("cannot become {to}: {} exists", file_name(&self.stem, to)),
        )
    }
}

impl Drop for Held<'_> {
    /// Closing frees the lock too, but not while a child that was just forked still has a copy.
    fn drop(&mut self) {
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

#[cfg(target_vendor = "apple")]
fn full_sync(file: &OwnedFd) -> Result<(), Errno> {
    // fsync(2) on macOS leaves the bytes in the drive's cache.
    match rustix::fs::fcntl_fullfsync(file) {
        Err(Errno::NOTSUP | Errno::INVAL | Errno::NOTTY) => rustix::fs::fsync(file),
        answer => answer,
    }
}

#[cfg(not(target_vendor = "apple"))]
fn full_sync(file: &OwnedFd) -> Result<(), Errno> {
    retry_on_intr(|| rustix::fs::fsync(file))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{FileExt, symlink};
    use std::process::Command;

    use super::super::tests::{ITEM, Seat};
    use super::*;

    /// How opening an item goes that a listing took for a regular file a moment ago.
    #[test]
    fn what_took_an_items_place_is_told_from_what_fails() {
        let seat = Seat::new();
        let at = |name: &str| seat.folder("cohort").join(name);
        std::fs::create_dir(at("dir.yaml")).unwrap();
        symlink("/etc/passwd", at("link.yaml")).unwrap();
        let made = Command::new("mkfifo").arg(at("pipe.yaml")).status();
        assert!(made.unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket.yaml")).unwrap();
        let folder = seat.open();
        let hold = |stem: &str| {
            let state = State::New;
            Held::open(&folder, ItemName { stem, state }).unwrap_err()
        };
        for stem in ["none", "dir", "link", "socket"] {
            assert!(matches!(hold(stem), NotHeld::Gone), "{stem}");
        }
        assert!(matches!(hold("pipe"), NotHeld::Foreign));
        assert!(matches!(hold(&"x".repeat(300)), NotHeld::Failed(_)));

        let look = |name: &str| open_to_read(&folder, &name);
        for name in ["none.yaml", "link.yaml", "socket.yaml"] {
            assert!(says_no_item(look(name).unwrap_err()), "{name}");
        }
        assert!(!says_no_item(look(&"x".repeat(300)).unwrap_err()));
        assert!(look("pipe.yaml").is_ok(), "without waiting for a writer");
    }

    #[test]
    fn a_new_item_that_moves_is_freshened() {
        let seat = Seat::new();
        seat.deliver("cohort", "m1.yaml");
        let folder = seat.open();
        let state = State::New;
        let mut held = Held::open(&folder, ItemName { stem: "m1", state }).unwrap();
        let now = Time::from_millis(1e12).unwrap();
        held.apply(State::Claimed, Edit::Keep, now).unwrap();
        let looked_at = rustix::fs::fstat(&held.file).unwrap();
        assert_eq!(modified(&looked_at), now);
    }

    #[test]
    fn a_name_that_leads_to_another_file_is_not_the_items() {
        let seat = Seat::new();
        let path = seat.deliver("cohort", "m1.yaml");
        let folder = seat.open();
        let state = State::New;
        let held = Held::open(&folder, ItemName { stem: "m1", state }).unwrap();
        assert_eq!(held.is_named(State::New), Ok(true));
        assert_eq!(held.is_named(State::Claimed), Ok(false));
        std::fs::rename(&path, path.with_extension("old")).unwrap();
        std::fs::write(&path, ITEM).unwrap();
        assert_eq!(held.is_named(State::New), Ok(false));
    }

    #[test]
    fn the_end_of_a_large_file_is_enough() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 30).unwrap();
        let rest = b"\nid: m1\nclaimed_by: \"session\"\n";
        file.write_all_at(rest, (1 << 30) - 1).unwrap();
        let mut end = FileEnd::default();
        end.read(&file.into()).unwrap();
        assert_eq!(end.item_length(), (1 << 30) + 7);
        assert!(end.bytes().len() <= WINDOW);
    }
}
