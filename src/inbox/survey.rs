//! Looking through a folder at the speed of its system calls: names in large strides, files in parallel.

use std::ffi::CStr;
use std::mem;
use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use rustix::fd::OwnedFd;
use rustix::fs::Stat;
use rustix::io::Errno;

use super::attempts::Attempts;
use super::file::{FileEnd, is_gone, says_no_item};
use super::folder::{Entry, Folder};
use super::held::open_to_read;
use super::name::{ItemName, State};

/// How many names are handed over at once: reading their files takes a thousand times as long as that.
const BATCH: usize = 32;

/// Fewer files than this are read sooner than a thread starts.
const WORTH_A_THREAD: usize = 4 * BATCH;

/// More names than this do not wait to be read: what bounds the memory of a survey.
const MOST_WAITING: usize = 16 * 1024;

/// More readers than this wait for each other in the kernel.
const MAX_READERS: usize = 8;

/// How often a name that was just met is opened before it counts as gone.
const LOOKS: usize = 4;

/// Some names of a folder, in one buffer.
#[derive(Debug, Default)]
struct Names {
    text: Vec<u8>,
    /// Where each name ends, a NUL after it included.
    ends: Vec<usize>,
}

impl Names {
    fn push(&mut self, entry: &Entry<'_>) {
        self.text.extend_from_slice(entry.name);
        self.text.push(0);
        self.ends.push(self.text.len());
    }

    /// The names as C strings.
    fn iter(&self) -> impl Iterator<Item = &CStr> {
        let mut start = 0;
        self.ends.iter().filter_map(move |end| {
            let name = self.text.get(start..*end)?;
            start = *end;
            CStr::from_bytes_with_nul(name).ok()
        })
    }
}

/// The names on their way from the thread that scans to those that read.
#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    batches: Vec<Names>,
    /// Whether no more are to come.
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing here is ever half done, whoever panicked.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds names; about how many wait now.
    fn put(&self, names: Names) -> usize {
        let mut waiting = self.lock();
        waiting.batches.push(names);
        let count = waiting.batches.len() * BATCH;
        drop(waiting);
        self.changed.notify_one();
        count
    }

    fn take(&self) -> Option<Names> {
        self.lock().batches.pop()
    }

    /// Takes names as soon as there are some; `None` when no more are to come.
    fn wait(&self) -> Option<Names> {
        let mut waiting = self.lock();
        loop {
            match waiting.batches.pop() {
                Some(names) => return Some(names),
                None if waiting.closed => return None,
                None => {
                    waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

/// Closes the queue when it goes, in a panic too: a reader that waits must not wait for ever.
struct Closing<'q>(&'q Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
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
    pub(super) end: &'a FileEnd,
    pub(super) file: OwnedFd,
}

impl Seen<'_> {
    /// The stat of the file; it costs a system call, which most looks do without.
    pub(super) fn stat(&self) -> Result<Stat, Errno> {
        rustix::fs::fstat(&self.file)
    }

    /// How often the item was claimed, as kept beside it.
    pub(super) fn attempts(&self) -> Option<Attempts> {
        Attempts::read(&self.file)
    }
}

/// Reads the end of every item in `folder` whose state `of_state` takes and whose name `wanted` does, and gathers what
/// `look` makes of it, in no order; `other` is shown the names that are no item's, and `missed` those that could not be
/// read, because they led nowhere by then (see [`says_no_item`]) or failed. Returns how many items there were. What
/// vanished meanwhile does not count.
///
/// While this thread scans, others read already; once it is through, it reads too.
pub(super) fn survey<T: Send>(
    folder: &Folder,
    of_state: impl Fn(State) -> bool,
    wanted: impl Fn(ItemName<'_>) -> bool,
    mut other: impl FnMut(&[u8]),
    look: impl Fn(&Seen<'_>) -> Result<Option<T>, Errno> + Sync,
    missed: impl Fn(ItemName<'_>, Errno) -> Option<T> + Sync,
    found: &mut Vec<T>,
) -> Result<usize, Errno> {
    let queue = Queue::default();
    let read = |names: &Names, end: &mut FileEnd, found: &mut Vec<T>| {
        let mut count = 0;
        for file in names.iter() {
            let Some(name) = ItemName::parse(file.to_bytes()) else {
                continue;
            };
            let seen = read_one(folder, name, file, end);
            let one = seen.and_then(|seen| look(&seen));
            count += usize::from(!one.as_ref().is_err_and(|errno| says_no_item(*errno)));
            found.extend(one.unwrap_or_else(|errno| missed(name, errno)));
        }
        count
    };
    let help = || {
        let (mut end, mut found, mut count) = (FileEnd::default(), Vec::new(), 0);
        while let Some(names) = queue.wait() {
            count += read(&names, &mut end, &mut found);
        }
        (count, found)
    };
    thread::scope(|scope| {
        let closing = Closing(&queue);
        let mut most_helpers = cores().min(MAX_READERS) - 1;
        let mut helpers = Vec::new();
        let (mut names, mut count) = (Names::default(), 0);
        let mut end = FileEnd::default();
        let mut read_here = |names: &Names| count += read(names, &mut end, found);
        folder.scan(|entry| {
            // Most names are of items that are done with, and cost no more than this.
            if State::of_file(entry.name).is_some_and(|state| !of_state(state)) {
                return;
            }
            match ItemName::parse(entry.name) {
                Some(name) if wanted(name) && folder.is_file(&entry) => {}
                Some(_) => return,
                None => return other(entry.name),
            }
            names.push(&entry);
            if names.ends.len() < BATCH {
                return;
            }
            let waiting = queue.put(mem::take(&mut names));
            if waiting >= WORTH_A_THREAD && helpers.len() < most_helpers {
                match thread::Builder::new().spawn_scoped(scope, help) {
                    Ok(helper) => helpers.push(helper),
                    // A process out of threads reads alone.
                    Err(_) => most_helpers = 0,
                }
            }
            if waiting >= MOST_WAITING
                && let Some(names) = queue.take()
            {
                read_here(&names);
            }
        })?;
        drop(closing);
        read_here(&names);
        while let Some(names) = queue.take() {
            read_here(&names);
        }
        for helper in helpers {
            match helper.join() {
                Ok((theirs, of_them)) => {
                    count += theirs;
                    found.extend(of_them);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(count)
    })
}

/// Opens a file and reads its end; an error that [`says_no_item`] for one that is gone, or not an item's by now.
pub(super) fn read_one<'a>(
    folder: &Folder,
    name: ItemName<'a>,
    file: &CStr,
    end: &'a mut FileEnd,
) -> Result<Seen<'a>, Errno> {
    // Where a process serves the file system, a name whose file is replaced this moment may lead nowhere.
    let mut opened = open_to_read(folder, &file);
    for _ in 1..LOOKS {
        if opened.as_ref().is_err_and(|errno| is_gone(*errno)) {
            opened = open_to_read(folder, &file);
        }
    }
    let file = opened?;
    if name.state.goes_by_markers() {
        end.read_in_flight(&file)?;
    } else {
        end.read(&file)?;
    }
    Ok(Seen { name, end, file })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::CString;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::super::tests::Seat;
    use super::*;

    const COUNT: usize = 3 * WORTH_A_THREAD + 5;

    fn seat() -> Seat {
        let seat = Seat::new();
        for number in 0..COUNT {
            seat.deliver("cohort", &format!("{number}.yaml.dispatched"));
            seat.deliver("cohort", &format!("{number}.yaml.processed"));
        }
        seat
    }

    #[test]
    fn every_wanted_item_is_looked_at_once() {
        let seat = seat();
        let mut stems = Vec::new();
        let met = survey(
            &seat.open(),
            State::in_flight,
            |_| true,
            |_| (),
            |seen| Ok(Some(seen.name.stem.to_owned())),
            |name, errno| panic!("{}: {errno}", name.stem),
            &mut stems,
        );
        assert_eq!(met, Ok(COUNT));
        assert_eq!(stems.len(), COUNT);
        let expected: BTreeSet<_> = (0..COUNT).map(|number| number.to_string()).collect();
        assert_eq!(stems.into_iter().collect::<BTreeSet<_>>(), expected);
    }

    #[test]
    fn a_file_that_vanished_is_distinguished_from_one_that_cannot_be_opened() {
        let seat = Seat::new();
        seat.deliver("cohort", "m1.yaml");
        let (folder, mut end) = (seat.open(), FileEnd::default());
        let mut read = |file: &str| {
            let name = ItemName::parse(file.as_bytes()).unwrap();
            read_one(&folder, name, &CString::new(file).unwrap(), &mut end).map(|_| ())
        };
        assert!(says_no_item(read("gone.yaml.dispatched").unwrap_err()));
        assert_eq!(read("m1.yaml"), Ok(()));
        let long = read(&format!("{}.yaml.dispatched", "x".repeat(300))).unwrap_err();
        assert!((long, says_no_item(long)) == (Errno::NAMETOOLONG, false));
    }

    #[test]
    fn a_panic_comes_out_wherever_it_happens() {
        let seat = seat();
        let folder = seat.open();
        for one in [0, COUNT / 2, COUNT - 1] {
            let looked = catch_unwind(AssertUnwindSafe(|| {
                survey(
                    &folder,
                    State::in_flight,
                    |_| true,
                    |_| (),
                    |seen| {
                        assert_ne!(seen.name.stem, one.to_string(), "the one that panics");
                        Ok(None::<()>)
                    },
                    |_, _| None,
                    &mut Vec::new(),
                )
            }));
            assert!(looked.is_err());
        }
        let scanned = catch_unwind(AssertUnwindSafe(|| {
            let seen = std::cell::Cell::new(0);
            let wanted = |_: ItemName<'_>| {
                seen.set(seen.get() + 1);
                assert!(seen.get() < 2 * COUNT, "the scan panics while others read");
                true
            };
            let (any, one) = (|_| true, |_: &Seen<'_>| Ok(Some(())));
            survey(&folder, any, wanted, |_| (), one, |_, _| None, &mut Vec::new())
        }));
        assert!(scanned.is_err());
    }
}
