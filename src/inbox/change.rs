//! Everything that changes an item, each step with the reason for its place. A process may die between any two of
//! them; [`Held::apply`] orders them so that a sweep brings every such file back.

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT,
};
use rustix::io::{Errno, retry_on_intr};
use uuid::Uuid;

use super::attempts::Attempts;
use super::block::{self, Key};
use super::file::{FLAGS, FileEnd, is_gone, nanos_of, says_no_item, sync};
use super::folder::Probed;
use super::held::{Held, lock};
use super::name::{State, file_name};
use super::refusal::{Refusal, Refused};
use super::time::Time;

/// How every file of ours begins that is not an item yet, or any more. What died before it took such a file away leaves
/// it to a sweep.
pub(crate) const OWN_PREFIX: &str = ".seatkit-";

/// What becomes of a block.
#[derive(Debug)]
pub(crate) enum Edit {
    /// It stays.
    Keep,
    /// It goes, and the item has its own bytes again.
    Cut,
    /// These bytes take its place (see [`block::NewBlock::after`]).
    Set(Vec<u8>),
    /// The same, by one append to what stands there: whatever was added after the marker lines stays where it is.
    Extend(Vec<u8>),
}

#[derive(Debug)]
pub(super) enum Undo {
    Freshened,
    Counted(Attempts),
    Renamed {
        from: State,
    },
    /// The block was cut; these bytes were it.
    Cut(Vec<u8>),
    /// A block was written after these bytes, or none, or over them.
    Written {
        before: Vec<u8>,
        over: bool,
    },
    /// The file that was held before, under this name.
    Replaced(Box<(String, Replaced)>),
}

/// A file that another took the place of.
#[derive(Debug)]
pub(super) struct Replaced {
    file: rustix::fd::OwnedFd,
    stat: rustix::fs::Stat,
    end: FileEnd,
}

impl Held<'_> {
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
    /// 4. edit the block, in one call (see [`Self::set_block`]), or put a whole new file in the old one's place where
    ///    something was added after the block (see [`Self::replace`]);
    /// 5. rename to the final name.
    ///
    /// When a step fails, what was done is undone, the last step first.
    pub(crate) fn apply(&mut self, to: State, edit: Edit, now: Time) -> Result<(), Refusal> {
        let result = self.try_apply(to, edit, now);
        if result.is_err() {
            self.undo();
        } else {
            self.drop_replaced();
            self.forget_dead_claim();
        }
        result
    }

    /// The mark of a claim that died goes when its item is given back: else a daemon's dispatch after it would be taken
    /// for that claim.
    fn forget_dead_claim(&self) {
        if self.state == State::New
            && let Some(attempts) = self.attempts()
            && attempts.claiming
        {
            let claiming = false;
            Attempts { claiming, ..attempts }.write(&self.file);
        }
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
        if matches!(to, State::Processed | State::Dead) {
            // When it was done with: what the archive goes by.
            self.freshen(now)?;
        }
        self.rename(to)
    }

    /// Claims the item, which counts the attempt: first with the mark that the block does not stand yet.
    pub(crate) fn claim(&mut self, block: Vec<u8>, now: Time) -> Result<Option<u32>, Refusal> {
        let counted = self.count();
        self.apply(State::Claimed, Edit::Set(block), now)?;
        if let Some(count) = counted {
            let claiming = false;
            Attempts { count, claiming }.write(&self.file);
        }
        Ok(counted)
    }

    /// Counts a claim; `None` where that cannot be kept.
    fn count(&mut self) -> Option<u32> {
        let before = self.attempts()?;
        // A claim that died before it renamed was none.
        let count = before.count.saturating_add(u32::from(!before.claiming)).max(1);
        let claiming = true;
        if !(Attempts { count, claiming }.write(&self.file)) {
            return None;
        }
        self.done.push(Undo::Counted(before));
        Some(count)
    }

    /// Forgets how often the item was claimed.
    pub(crate) fn forget_attempts(&mut self) {
        if let Some(before) = self.attempts() {
            self.done.push(Undo::Counted(before));
            Attempts::default().write(&self.file);
        }
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

    /// Refuses a stem that was done with before: whoever answered it would be answered for again.
    pub(crate) fn refuse_finished(&self) -> Result<(), Refusal> {
        self.refuse_taken(State::Processed)?;
        self.refuse_taken(State::Dead)
    }

    fn freshen(&mut self, now: Time) -> Result<(), Refusal> {
        self.set_modified(now).map_err(|errno| self.io(errno, "set the time of"))?;
        self.done.push(Undo::Freshened);
        Ok(())
    }

    /// Sets the file's time; a process that may write the file and does not own it can set the clock's alone.
    pub(crate) fn set_modified(&self, time: Time) -> Result<(), Errno> {
        let (seconds, nanos) = time.to_file();
        self.set_times(timespec(seconds, nanos))
    }

    fn set_times(&self, modified: Timespec) -> Result<(), Errno> {
        let special = |what| timespec(0, what);
        let times = |last_access, last_modification| Timestamps { last_access, last_modification };
        match rustix::fs::futimens(&self.file, &times(special(UTIME_OMIT), modified)) {
            Err(Errno::PERM) => {
                rustix::fs::futimens(&self.file, &times(special(UTIME_NOW), special(UTIME_NOW)))
            }
            answer => answer,
        }
    }

    fn rename(&mut self, to: State) -> Result<(), Refusal> {
        let from = self.state;
        if to == from {
            return Ok(());
        }
        match self.rename_without_replacing(from, to) {
            Ok(()) => {}
            Err(errno) if is_gone(errno) => {
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
        rename_noreplace(dir, &old, dir, &new, || self.is_named(to) == Ok(true))
    }

    fn refuse_taken(&self, to: State) -> Result<(), Refusal> {
        let name = file_name(&self.stem, to);
        match self.folder.probe(&name) {
            Ok(Probed::Nothing) => Ok(()),
            Ok(_) => Err(self.conflict(to)),
            Err(errno) => Err(Refusal::io(
                errno,
                format_args!("look at {}", self.folder.path_of(&name).display()),
            )),
        }
    }

    fn edit(&mut self, edit: Edit) -> Result<(), Refusal> {
        match edit {
            Edit::Keep => Ok(()),
            Edit::Cut if self.end.is_disturbed() => self.replace(&[]),
            Edit::Set(new) if self.end.is_disturbed() => self.replace(&new),
            Edit::Cut => self.cut_block(),
            Edit::Set(new) | Edit::Extend(new) => self.set_block(&new),
        }
    }

    fn cut_block(&mut self) -> Result<(), Refusal> {
        let written = self.end.written().to_vec();
        if written.is_empty() {
            return Ok(());
        }
        self.truncate(self.end.item_length())
            .map_err(|errno| self.io(errno, "cut the block of"))?;
        self.end.cut();
        self.done.push(Undo::Cut(written));
        Ok(())
    }

    /// Writes a block: after what is there, where that is how the new one begins, else over the old one,
    /// padded so that at no moment the item is without one or has a rest of the old one after it.
    ///
    /// A process that is killed while it writes stops at the end of a page. Where old and new would not
    /// make a block together there, the old one is cut first.
    fn set_block(&mut self, new: &[u8]) -> Result<(), Refusal> {
        let start = self.end.item_length();
        let written = self.end.written();
        let over = (!new.starts_with(written)).then(|| block::pad(new.to_vec(), written.len()));
        let over = match over {
            // Not with a reply in it, which must never be gone.
            Some(over)
                if !block::is_safe_to_tear(written, &over, start)
                    && !self.end.block().has(Key::RepliedAt) =>
            {
                self.cut_block()?;
                None
            }
            over => over,
        };
        let before = self.end.written().to_vec();
        let result = if let Some(over) = &over {
            self.open_to_write_over()?;
            self.write_over(over, start)
        } else {
            self.append(new.get(before.len()..).unwrap_or_default())
        };
        self.done.push(Undo::Written { before, over: over.is_some() });
        result.map_err(|errno| self.io(errno, "write the block of"))
    }

    /// A descriptor that appends does so in spite of an offset on Linux (pwrite(2), "BUGS"), and on a file system that a
    /// process serves even after it was told not to: that process has opened the file too.
    fn open_to_write_over(&mut self) -> Result<(), Refusal> {
        if self.over.is_some() {
            return Ok(());
        }
        let (dir, file, flags) = (&self.folder.dir, self.file_name(), FLAGS | OFlags::RDWR);
        let opened = retry_on_intr(|| rustix::fs::openat(dir, &*file, flags, Mode::empty()))
            .and_then(|over| Ok((rustix::fs::fstat(&over)?, over)));
        match opened {
            Ok((stat, over)) if self.is_same(&stat) => self.over = Some(over),
            Err(errno) if !says_no_item(errno) => return Err(self.io(errno, "open")),
            _ => return Err(self.refused(Refused::ClaimLost, "was replaced by another file")),
        }
        Ok(())
    }

    /// Puts a whole new file in the place of one whose marker lines something was added after: what was added stays,
    /// the marker lines go, and `block` follows.
    ///
    /// The new file is on the disk, locked and marked as a claim under way before it takes the name, in one step in
    /// which both files keep one: whenever this process dies, a sweep finds one of the two and brings it back. Where the
    /// file that came back is not the one that was held, or was written to meanwhile, they change places again.
    fn replace(&mut self, block: &[u8]) -> Result<(), Refusal> {
        let text = [&self.end.without_markers(), block].concat();
        let spare = format!("{OWN_PREFIX}{}", Uuid::new_v4());
        let name = self.file_name();
        // All that could fail about the new file comes before the exchange.
        let (new, stat, end) = self
            .write_beside(&spare, &text)
            .map_err(|errno| self.io(errno, "write a new file beside"))?;
        let dir = &self.folder.dir;
        let exchange = || {
            retry_on_intr(|| {
                rustix::fs::renameat_with(dir, &*spare, dir, &*name, RenameFlags::EXCHANGE)
            })
        };
        let remove = || {
            let _ = rustix::fs::unlinkat(dir, &*spare, AtFlags::empty());
        };
        if let Err(errno) = exchange() {
            remove();
            return Err(match errno {
                Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => self.refused(
                    Refused::Disturbed,
                    "has lines after its marker lines, and this file system cannot exchange two files",
                ),
                errno if is_gone(errno) => self.refused(Refused::ClaimLost, "was taken away by another process"),
                errno => self.io(errno, "exchange"),
            });
        }
        let unchanged = self.leads_here(&spare).and_then(|same| {
            let now = rustix::fs::fstat(&self.file)?;
            Ok(same && now.st_size == self.stat.st_size)
        });
        if unchanged != Ok(true) {
            let back = exchange();
            if back.is_ok() {
                remove();
            }
            return Err(match unchanged {
                Err(errno) => self.io(errno, "look at"),
                Ok(_) => self.refused(Refused::Busy, "was changed by another process this moment"),
            });
        }
        self.over = None;
        let old = Replaced {
            file: std::mem::replace(&mut self.file, new),
            stat: std::mem::replace(&mut self.stat, stat),
            end: std::mem::replace(&mut self.end, end),
        };
        self.done.push(Undo::Replaced(Box::new((spare, old))));
        Ok(())
    }

    /// A new file `spare` that holds `text`, as readable and writable as the item, on the disk and locked.
    fn write_beside(
        &self,
        spare: &str,
        text: &[u8],
    ) -> Result<(rustix::fd::OwnedFd, rustix::fs::Stat, FileEnd), Errno> {
        let mode = Mode::from_raw_mode(self.stat.st_mode & 0o7777);
        let flags = FLAGS | OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
        let new = retry_on_intr(|| {
            rustix::fs::openat(&self.folder.dir, spare, flags, Mode::from_raw_mode(0o600))
        })?;
        let fill = || {
            // The group of a folder's files is its own where the system lets us say so.
            let _ = rustix::fs::fchown(&new, None, Some(Gid::from_raw(self.stat.st_gid)));
            rustix::fs::fchmod(&new, mode)?;
            lock(&new)?;
            write_all(&new, text)?;
            let attempts = self.attempts().unwrap_or_default();
            let claiming = true;
            Attempts { claiming, ..attempts }.write(&new);
            sync(&new)?;
            let mut end = FileEnd::default();
            end.read(&new)?;
            Ok((rustix::fs::fstat(&new)?, end))
        };
        match fill() {
            Ok((stat, end)) => Ok((new, stat, end)),
            Err(errno) => {
                let _ = rustix::fs::unlinkat(&self.folder.dir, spare, AtFlags::empty());
                Err(errno)
            }
        }
    }

    /// Takes away the file that another took the place of, once that one is where it should be.
    fn drop_replaced(&mut self) {
        for step in std::mem::take(&mut self.done) {
            if let Undo::Replaced(replaced) = step {
                let attempts = self.attempts().unwrap_or_default();
                let claiming = false;
                Attempts { claiming, ..attempts }.write(&self.file);
                let _ = rustix::fs::unlinkat(&self.folder.dir, &*replaced.0, AtFlags::empty());
            }
        }
    }

    /// Writes all of `bytes` in one call, after the file's end.
    fn append(&self, bytes: &[u8]) -> Result<(), Errno> {
        all_of(bytes, retry_on_intr(|| rustix::io::write(&self.file, bytes)))
    }

    /// The same over what stands at `offset`.
    fn write_over(&self, bytes: &[u8], offset: u64) -> Result<(), Errno> {
        let over = self.over.as_ref().ok_or(Errno::BADF)?;
        all_of(bytes, retry_on_intr(|| rustix::io::pwrite(over, bytes, offset)))
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
        let _ = self.set_times(timespec(self.stat.st_mtime, nanos_of(&self.stat)));
    }

    fn undo_one(&mut self, step: Undo) -> Result<(), Errno> {
        let start = self.end.item_length();
        match step {
            Undo::Freshened => Ok(()),
            Undo::Counted(before) => {
                before.write(&self.file);
                Ok(())
            }
            Undo::Renamed { from } => {
                self.rename_without_replacing(self.state, from)?;
                self.state = from;
                Ok(())
            }
            Undo::Cut(written) => self.append(&written),
            // Shorter first: what is left of a longer block reads as a torn one, but a rest after the
            // old one would make it the item's own text.
            Undo::Written { before, over } => {
                self.truncate(start + before.len() as u64)?;
                if over { self.write_over(&before, start) } else { Ok(()) }
            }
            Undo::Replaced(replaced) => {
                let (spare, old) = *replaced;
                let (dir, name) = (&self.folder.dir, self.file_name());
                rustix::fs::renameat_with(dir, &*spare, dir, &*name, RenameFlags::EXCHANGE)?;
                (self.file, self.stat, self.end) = (old.file, old.stat, old.end);
                rustix::fs::unlinkat(dir, &*spare, AtFlags::empty())
            }
        }
    }

    fn conflict(&self, to: State) -> Refusal {
        let taken = file_name(&self.stem, to);
        let what = if matches!(to, State::Processed | State::Dead) {
            format!("was done with before: {taken} exists")
        } else {
            format!("cannot become {to}: {taken} exists")
        };
        self.refused(Refused::Conflict, &what)
    }
}

/// A regular file takes less than it was given only when the space, or the size allowed, is used up.
fn all_of(bytes: &[u8], written: Result<usize, Errno>) -> Result<(), Errno> {
    if written? == bytes.len() { Ok(()) } else { Err(Errno::NOSPC) }
}

fn timespec(seconds: i64, nanos: i64) -> Timespec {
    Timespec { tv_sec: seconds, tv_nsec: nanos }
}

/// Renames without ever replacing a file; `was_done` says whether the new name leads to the file already.
pub(crate) fn rename_noreplace(
    from: impl rustix::fd::AsFd,
    old: &str,
    to: impl rustix::fd::AsFd,
    new: &str,
    was_done: impl Fn() -> bool,
) -> Result<(), Errno> {
    match retry_on_intr(|| rustix::fs::renameat_with(&from, old, &to, new, RenameFlags::NOREPLACE))
    {
        // A file system without the flag (NFS, some FUSE and ZFS): the item's lock keeps others
        // of us away between the look and the rename. Never link and unlink: two names at once.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            match rustix::fs::statat(&to, new, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(_) => Err(Errno::EXIST),
                Err(Errno::NOENT) => {
                    match retry_on_intr(|| rustix::fs::renameat(&from, old, &to, new)) {
                        // NFS may answer so to a rename that it did and was asked for again. With the flag it means that
                        // somebody who does not lock was faster, and won.
                        Err(errno) if is_gone(errno) && was_done() => Ok(()),
                        answer => answer,
                    }
                }
                Err(errno) => Err(errno),
            }
        }
        answer => answer,
    }
}

/// Writes all of `bytes` to a new file.
pub(crate) fn write_all(file: &rustix::fd::OwnedFd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let written = retry_on_intr(|| rustix::io::write(file, bytes))?;
        if written == 0 {
            return Err(Errno::NOSPC);
        }
        bytes = bytes.get(written..).unwrap_or_default();
    }
    Ok(())
}
