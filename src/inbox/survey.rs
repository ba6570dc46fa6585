//! Looking through a folder at the speed of its system calls: names in large strides, files in parallel.

use std::ffi::CStr;
use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

use rustix::io::Errno;

use super::folder::{Entry, Folder};
use super::item::{FileEnd, is_item, modified, open_to_read, says_no_item};
use super::name::{ItemName, State};
use super::time::Time;

/// How many names are gathered before their files are read: what bounds the memory of a survey.
const STRIDE: usize = 16 * 1024;

/// Fewer files than this are read sooner than a thread starts.
const WORTH_A_THREAD: usize = 192;

/// More readers than this wait for each other in the kernel.
const MAX_READERS: usize = 8;

/// The names met so far, in one buffer.
#[derive(Debug, Default)]
struct Names {
    text: Vec<u8>,
    /// Where each name ends, a NUL behind it included, and its inode.
    ends: Vec<(usize, u64)>,
}

impl Names {
    fn push(&mut self, entry: &Entry<'_>) {
        self.text.extend_from_slice(entry.name);
        self.text.push(0);
        self.ends.push((self.text.len(), entry.inode));
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// The names from the `from`th on, as C strings, each with its inode.
    fn iter(&self, from: usize) -> impl Iterator<Item = (&CStr, u64)> {
        let before = from.checked_sub(1).and_then(|before| self.ends.get(before));
        let mut start = before.map_or(0, |(end, _)| *end);
        self.ends.iter().skip(from).filter_map(move |(end, inode)| {
            let name = self.text.get(start..*end)?;
            start = *end;
            Some((CStr::from_bytes_with_nul(name).ok()?, *inode))
        })
    }
}

/// The processors this process may use; asked once, for the answer is read from a dozen files.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// One file of a survey, opened and its end read.
pub(super) struct Seen<'a> {
    pub(super) name: ItemName<'a>,
    pub(super) inode: u64,
    pub(super) end: &'a FileEnd,
    file: &'a rustix::fd::OwnedFd,
}

impl Seen<'_> {
    /// The time of the file; `Ok(None)` for something that is no item after all.
    pub(super) fn modified(&self) -> Result<Option<Time>, Errno> {
        let stat = rustix::fs::fstat(self.file)?;
        Ok(is_item(&stat).then(|| modified(&stat)))
    }
}

/// Reads the end of every item in `folder` whose state `wanted` takes, and gathers what `look` makes of
/// it, in no order. Returns how many items there were. A file that vanished meanwhile is none.
pub(super) fn survey<T: Send>(
    folder: &Folder,
    wanted: impl Fn(State) -> bool,
    look: impl Fn(&Seen<'_>) -> Result<Option<T>, Errno> + Sync,
    failed: impl Fn(u64, &str, Errno) -> T + Sync,
    found: &mut Vec<T>,
) -> Result<usize, Errno> {
    let mut names = Names::default();
    let mut met = 0;
    folder.scan(|entry| {
        let is_wanted = State::of_file(entry.name).is_some_and(&wanted)
            && ItemName::parse(entry.name).is_some();
        if is_wanted && folder.is_file(&entry) {
            met += 1;
            names.push(&entry);
            if names.ends.len() >= STRIDE {
                read_all(folder, &names, &look, &failed, found);
                names.clear();
            }
        }
    })?;
    read_all(folder, &names, &look, &failed, found);
    Ok(met)
}

fn read_all<T: Send>(
    folder: &Folder,
    names: &Names,
    look: &(impl Fn(&Seen<'_>) -> Result<Option<T>, Errno> + Sync),
    failed: &(impl Fn(u64, &str, Errno) -> T + Sync),
    found: &mut Vec<T>,
) {
    let count = names.ends.len();
    let readers = match count / WORTH_A_THREAD {
        0 | 1 => 1,
        worth => worth.min(cores()).min(MAX_READERS),
    };
    let share = count.div_ceil(readers);
    let read_share = |number: usize, found: &mut Vec<T>| {
        let mut end = FileEnd::default();
        for (file, inode) in names.iter(number * share).take(share) {
            let Some(name) = ItemName::parse(file.to_bytes()) else {
                continue;
            };
            match open_to_read(folder, &file) {
                Ok(opened) => match end.read(&opened).and_then(|()| {
                    look(&Seen {
                        name,
                        inode,
                        end: &end,
                        file: &opened,
                    })
                }) {
                    Ok(item) => found.extend(item),
                    Err(errno) => found.push(failed(inode, &file.to_string_lossy(), errno)),
                },
                Err(errno) if says_no_item(errno) => {}
                Err(errno) => found.push(failed(inode, &file.to_string_lossy(), errno)),
            }
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..readers)
            .map_while(|number| {
                let read_share = &read_share;
                // A process out of threads reads alone.
                thread::Builder::new()
                    .spawn_scoped(scope, move || {
                        let mut found = Vec::new();
                        read_share(number, &mut found);
                        found
                    })
                    .ok()
            })
            .collect();
        read_share(0, found);
        for number in others.len() + 1..readers {
            read_share(number, found);
        }
        for other in others {
            match other.join() {
                Ok(theirs) => found.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
}
