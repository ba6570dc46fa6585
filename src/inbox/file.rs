//! One file: its end, where the marker block is, and its stat.

use std::cell::OnceCell;
use std::ops::Range;

use rustix::buffer::spare_capacity;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{FileType, OFlags, SeekFrom, Stat};
use rustix::io::{Errno, retry_on_intr};

use super::block::{self, Block, Key, MAX_BLOCK, Places, Split};
use super::local::OnlyHere;
use super::outline::{MarkerLine, Outline};
use super::time::Time;

/// The largest item that may carry a block, in bytes: what bounds memory and time.
pub(crate) const MAX_ITEM: usize = 16 << 20;

/// How much of a file's end is read at first: an item with its block, in nearly all cases.
pub(crate) const WINDOW: usize = 16 * 1024;

/// A block and as much of the line before it as shows that this is no marker's always fit here.
const MAX_WINDOW: usize = 2 * MAX_BLOCK + WINDOW;

/// `NONBLOCK` and `NOFOLLOW`: whatever took the item's place since it was listed, nothing hangs and
/// nothing is followed.
pub(crate) const FLAGS: OFlags =
    OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// The end of a file: all of it, or at least its block and a byte before that.
#[derive(Debug, Default)]
pub(crate) struct FileEnd {
    bytes: Vec<u8>,
    /// How many bytes of the file come before `bytes`.
    offset: u64,
    /// Whether what looks like a block at the end is the item's own.
    blockless: bool,
    /// Where the block is, once somebody asked: one decision asks several times.
    places: OnceCell<Places>,
    /// Marker lines that stand elsewhere, because something was added after them.
    disturbed: Vec<Entry>,
}

/// A marker line that is not in the block: its value and its lines, as ranges of what was read.
#[derive(Clone, Debug)]
struct Entry {
    key: Key,
    value: Option<Range<usize>>,
    lines: Range<usize>,
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

    /// The same of an item in flight or given up, whose marker lines may have been disturbed: where its block says neither who
    /// claimed nor until when it is deferred, YAML is asked whether such keys stand anywhere else at the top level.
    pub(crate) fn read_in_flight(&mut self, file: &OwnedFd) -> Result<(), Errno> {
        self.read(file)?;
        let block = self.block();
        if block.has(Key::ClaimedBy) || block.has(Key::DeferredUntil) || block.has(Key::FailedAt) {
            return Ok(());
        }
        if self.offset > 0 {
            let size = usize::try_from(self.length()).unwrap_or(usize::MAX);
            if size > MAX_ITEM + MAX_BLOCK {
                return Ok(());
            }
            self.fill(file, 0, size)?;
        }
        let item = self.bytes.get(..self.block().start).unwrap_or_default();
        // A look that costs less than an outline.
        if !Key::is_named_in(item) {
            return Ok(());
        }
        let outline = Outline::of(item);
        let markers = [outline.earlier, outline.markers].concat();
        let first = first_of_block(item, &markers);
        self.disturbed = markers
            .into_iter()
            .skip(first)
            .map(|marker| Entry { key: marker.key, value: marker.value, lines: marker.lines })
            .collect();
        Ok(())
    }

    /// Reads up to `window` bytes from `offset`; true where the file ends before that many.
    fn fill(&mut self, file: &OwnedFd, offset: u64, window: usize) -> Result<bool, Errno> {
        self.offset = offset;
        self.blockless = false;
        self.places.take();
        self.disturbed.clear();
        self.bytes.clear();
        self.bytes.reserve_exact(window);
        let _here = OnlyHere::new();
        loop {
            let read = retry_on_intr(|| {
                let at = offset + self.bytes.len() as u64;
                rustix::io::pread(file, spare_capacity(&mut self.bytes), at)
            })?;
            // One call takes it all but for the largest files.
            if read == 0 || self.bytes.len() < window.min(WINDOW) {
                return Ok(true);
            }
            if self.bytes.len() >= window {
                return Ok(false);
            }
        }
    }

    /// The block that ends the file.
    pub(crate) fn block(&self) -> Block<'_> {
        let places = self.places.get_or_init(|| {
            let block = match block::split(&self.bytes, self.offset == 0) {
                Split::Found(block) if !self.blockless => block,
                _ => Block::none(self.bytes.len()),
            };
            Places::of(&block, &self.bytes)
        });
        places.block(&self.bytes)
    }

    /// What the markers say, wherever they stand: those of the block, and then any that something was added after.
    pub(crate) fn facts(&self) -> Block<'_> {
        let mut facts = self.block();
        for entry in &self.disturbed {
            let value = entry.value.clone().and_then(|value| self.bytes.get(value));
            facts.add(entry.key, value.unwrap_or_default());
        }
        facts
    }

    /// Whether something was added after the marker lines.
    pub(crate) fn is_disturbed(&self) -> bool {
        !self.disturbed.is_empty()
    }

    /// The item's own bytes and what was added to them, without any marker line; all of the file must have been read.
    pub(crate) fn without_markers(&self) -> Vec<u8> {
        let mut kept = Vec::with_capacity(self.bytes.len());
        let mut from = 0;
        for entry in &self.disturbed {
            kept.extend_from_slice(self.bytes.get(from..entry.lines.start).unwrap_or_default());
            from = entry.lines.end;
        }
        kept.extend_from_slice(self.bytes.get(from..self.block().start).unwrap_or_default());
        kept
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether `bytes` is all of the file.
    pub(crate) fn is_whole(&self) -> bool {
        self.offset == 0
    }

    /// The end of the item's own bytes.
    pub(crate) fn item(&self) -> &[u8] {
        self.bytes.get(..self.block().start).unwrap_or_default()
    }

    /// The block as it stands, with the line break that came with it and any torn line.
    pub(crate) fn written(&self) -> &[u8] {
        self.bytes.get(self.block().start..).unwrap_or_default()
    }

    /// Whether `block`, put after the item's own bytes, is found there again: as it is, and alone.
    pub(crate) fn takes(&self, block: &[u8]) -> bool {
        block::is_found_after(self.item(), block, self.offset == 0)
    }

    /// Takes what looks like a block for the item's own text.
    pub(crate) fn disown_block(&mut self) {
        self.blockless = true;
        self.places.take();
    }

    /// Forgets the block, as the file does.
    pub(crate) fn cut(&mut self) {
        self.bytes.truncate(self.block().start);
        self.disown_block();
    }

    pub(crate) fn item_length(&self) -> u64 {
        self.offset + self.block().start as u64
    }

    /// The length of the file when it was read.
    pub(crate) fn length(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

/// Which of these markers is the first of a block that something was added after: what comes before it is the sender's.
fn first_of_block(item: &[u8], markers: &[MarkerLine]) -> usize {
    let first = markers.iter().rposition(|marker| {
        matches!(marker.key, Key::ClaimedBy | Key::DeferredUntil | Key::FailedAt)
    });
    let mut first = first.unwrap_or(0);
    // A failure that is tried again says first until when. The other lines come before these only where a tool that
    // sorts its keys wrote the item anew: no item has a `claimed_at` when it is claimed.
    while let Some([before, this]) = markers.get(first.saturating_sub(1)..=first) {
        let as_written = this
            .value
            .as_ref()
            .and_then(|value| item.get(value.start))
            .is_some_and(|byte| *byte == b'"');
        let ours = match (before.key, this.key) {
            (Key::DeferredUntil, Key::FailedAt)
            | (Key::ClaimedAt, Key::ClaimedBy)
            | (Key::ClaimToken, Key::ClaimedAt) => true,
            (Key::DeferredReason, Key::DeferredUntil) => !as_written,
            _ => false,
        };
        if !ours || before.lines.end != this.lines.start {
            break;
        }
        first -= 1;
    }
    first
}

/// All of `file`, up to `most` bytes.
pub(crate) fn read_whole(file: impl AsFd, most: usize) -> Result<Vec<u8>, Errno> {
    let size = usize::try_from(rustix::fs::fstat(&file)?.st_size).unwrap_or(usize::MAX);
    let mut bytes = Vec::with_capacity(size.min(most) + 1);
    let _here = OnlyHere::new();
    loop {
        let at = bytes.len() as u64;
        if bytes.len() > most
            || retry_on_intr(|| rustix::io::pread(&file, spare_capacity(&mut bytes), at))? == 0
        {
            return Ok(bytes);
        }
        bytes.reserve(WINDOW);
    }
}

/// Whether an error of opening a name says that no item is there (any more): nothing, a link or
/// something that is no regular file. A socket is `EOPNOTSUPP` on macOS.
pub(crate) fn says_no_item(errno: Errno) -> bool {
    is_gone(errno)
        || matches!(
            errno,
            Errno::LOOP | Errno::NXIO | Errno::ISDIR | Errno::NODEV | Errno::OPNOTSUPP
        )
}

/// Whether an error says that a name leads nowhere. NFS says it otherwise of one that it remembers, and whose file another
/// machine renamed or took away.
pub(crate) fn is_gone(errno: Errno) -> bool {
    matches!(errno, Errno::NOENT | Errno::STALE)
}

pub(crate) fn is_regular(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

/// A regular file with one link: all else is foreign, and a second link would be a second name.
pub(crate) fn is_item(stat: &Stat) -> bool {
    is_regular(stat) && stat.st_nlink == 1
}

pub(crate) fn modified(stat: &Stat) -> Time {
    Time::from_file(stat.st_mtime, nanos_of(stat))
}

/// The nanoseconds of a file's time, whose type differs between systems.
pub(crate) fn nanos_of(stat: &Stat) -> i64 {
    #[allow(
        clippy::cast_possible_wrap,
        clippy::unnecessary_cast,
        reason = "below 10^9 on every system"
    )]
    let nanos = stat.st_mtime_nsec as i64;
    nanos
}

/// Puts a file or a folder on the disk, where its file system can: one that does not do that loses no more for it
/// (`EINVAL` and `ENOTSUP`, <https://github.com/syncthing/syncthing/issues/4432>). That it failed is another matter.
pub(crate) fn sync(file: impl AsFd) -> Result<(), Errno> {
    #[cfg(target_vendor = "apple")]
    {
        // fsync(2) on macOS leaves the bytes in the drive's cache.
        match retry_on_intr(|| rustix::fs::fcntl_fullfsync(&file)) {
            Err(Errno::NOTSUP | Errno::INVAL | Errno::NOTTY) => {}
            answer => return answer,
        }
    }
    match retry_on_intr(|| rustix::fs::fsync(&file)) {
        Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

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

    #[test]
    fn markers_that_something_was_added_after_are_found_however_far_up() {
        for added in ["draft: x\n".to_owned(), format!("draft: |\n{}", "  x\n".repeat(WINDOW))] {
            let file = tempfile::tempfile().unwrap();
            let text = format!("id: m1\nclaimed_by: \"session\"\n{added}");
            file.write_all_at(text.as_bytes(), 0).unwrap();
            let mut end = FileEnd::default();
            end.read_in_flight(&file.into()).unwrap();
            assert_eq!(end.facts().text(Key::ClaimedBy).as_deref(), Some("session"));
            assert!(end.is_disturbed());
            assert_eq!(end.without_markers(), format!("id: m1\n{added}").into_bytes());
        }
    }
}
