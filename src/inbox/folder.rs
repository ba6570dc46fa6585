//! The folders of an inbox: opened once, everything below them by `*at` calls, no link followed.

use std::path::{Component, Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};

use super::item::is_item;
use super::name::Service;

/// Without `NOFOLLOW`: the root is the caller's word, and may be reached through links.
const ROOT: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);
const BELOW: OFlags = ROOT.union(OFlags::NOFOLLOW);

/// `<root>/state/inbox`, opened.
#[derive(Debug)]
pub(crate) struct Inbox {
    dir: OwnedFd,
    path: PathBuf,
}

/// One service's folder, opened.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) dir: OwnedFd,
    path: PathBuf,
}

/// One name met in a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) inode: u64,
    kind: FileType,
}

/// `Ok(None)`: there is no such folder, a link or a file in its place included.
fn open_dir(
    at: impl rustix::fd::AsFd,
    name: impl rustix::path::Arg + Copy,
    flags: OFlags,
) -> Result<Option<OwnedFd>, Errno> {
    match retry_on_intr(|| rustix::fs::openat(&at, name, flags, Mode::empty())) {
        Ok(dir) => Ok(Some(dir)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        Err(errno) => Err(errno),
    }
}

impl Inbox {
    /// Opens the inbox below `root`; `Ok(None)` where there is none.
    pub(crate) fn open(root: &str) -> Result<Option<Self>, Errno> {
        let root = plain(Path::new(root));
        let Some(dir) = open_dir(CWD, root.as_path(), ROOT)? else {
            return Ok(None);
        };
        let Some(dir) = open_dir(&dir, "state", BELOW)? else {
            return Ok(None);
        };
        let Some(dir) = open_dir(&dir, "inbox", BELOW)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            dir,
            path: plain(&root.join("state/inbox")),
        }))
    }

    /// Opens a service's folder; `Ok(None)` where there is none.
    pub(crate) fn folder(&self, service: Service<'_>) -> Result<Option<Folder>, Errno> {
        let dir = open_dir(&self.dir, service.as_str(), BELOW)?;
        Ok(dir.map(|dir| Folder {
            dir,
            path: self.path.join(service.as_str()),
        }))
    }

    /// The names of all service folders, sorted.
    pub(crate) fn services(&self) -> Result<Vec<String>, Errno> {
        let mut services = Vec::new();
        scan(&self.dir, |entry| {
            if let Ok(name) = std::str::from_utf8(entry.name)
                && Service::new(name).is_some()
                && entry.kind_in(&self.dir) == FileType::Directory
            {
                services.push(name.to_owned());
            }
        })?;
        services.sort_unstable();
        Ok(services)
    }
}

impl Folder {
    /// The path of a file in this folder, as `path.join` writes it.
    pub(crate) fn path_of(&self, file: &str) -> String {
        self.path.join(file).to_string_lossy().into_owned()
    }

    /// Shows every name in the folder once, in no order.
    pub(crate) fn scan(&self, visit: impl FnMut(Entry<'_>)) -> Result<(), Errno> {
        scan(&self.dir, visit)
    }

    /// Whether `entry` is a regular file; the system is asked only where the folder does not say.
    pub(crate) fn is_file(&self, entry: &Entry<'_>) -> bool {
        entry.kind_in(&self.dir) == FileType::RegularFile
    }

    /// Whether `file`, a regular file when it was met, may be an item: one that is gone by now may.
    pub(crate) fn may_be_item(&self, file: &str) -> Result<bool, Errno> {
        match rustix::fs::statat(&self.dir, file, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(is_item(&stat)),
            Err(Errno::NOENT) => Ok(true),
            Err(errno) => Err(errno),
        }
    }

    /// Whether `file` is a regular file of this folder.
    pub(crate) fn has_file(&self, file: &str) -> Result<bool, Errno> {
        match rustix::fs::statat(&self.dir, file, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile),
            // A name too long for any file is one that no file has.
            Err(Errno::NOENT | Errno::NAMETOOLONG) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    /// Scans until a scan says `done`, or one saw no change of the folder, or `RESCANS` are used up.
    ///
    /// Reading a folder while others rename in it can miss a name or show one twice, so what was not
    /// seen counts as absent only in a scan of a folder at rest.
    pub(crate) fn scan_honestly(
        &self,
        mut attempt: impl FnMut(&Self) -> Result<bool, Errno>,
    ) -> Result<(), Errno> {
        for _ in 0..RESCANS {
            let before = self.change_time()?;
            if attempt(self)? || (self.change_time()? == before && !recent(before)) {
                break;
            }
        }
        Ok(())
    }

    fn change_time(&self) -> Result<(i64, i64), Errno> {
        let stat = rustix::fs::fstat(&self.dir)?;
        Ok((stat.st_mtime, nanos_of(&stat)))
    }
}

/// The nanoseconds of a file's time, whose type differs between systems.
pub(super) fn nanos_of(stat: &Stat) -> i64 {
    #[allow(
        clippy::cast_possible_wrap,
        clippy::unnecessary_cast,
        reason = "below 10^9 on every system"
    )]
    let nanos = stat.st_mtime_nsec as i64;
    nanos
}

/// Each scan misses a name that is being renamed with a chance of some percent (measured 1 to 5), so
/// this many in a row do not.
const RESCANS: usize = 12;

/// File systems stamp a change with the tick of a coarse clock: two changes in one tick look like one.
const CLOCK_TICK_NANOS: i64 = 20_000_000;

fn recent((seconds, nanos): (i64, i64)) -> bool {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    let age = (now.tv_sec - seconds)
        .saturating_mul(1_000_000_000)
        .saturating_add(now.tv_nsec - nanos);
    (0..CLOCK_TICK_NANOS).contains(&age)
}

impl Entry<'_> {
    fn kind_in(&self, dir: &OwnedFd) -> FileType {
        if self.kind != FileType::Unknown {
            return self.kind;
        }
        match rustix::fs::statat(dir, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => FileType::from_raw_mode(stat.st_mode),
            Err(_) => FileType::Unknown,
        }
    }
}

#[cfg(target_os = "linux")]
fn scan(dir: &OwnedFd, mut visit: impl FnMut(Entry<'_>)) -> Result<(), Errno> {
    // Large enough that a folder of ten thousand takes some ten calls; only pages that are filled are touched.
    #[expect(
        clippy::large_stack_arrays,
        reason = "every thread that scans has megabytes of stack"
    )]
    let mut buffer = [std::mem::MaybeUninit::<u8>::uninit(); 64 * 1024];
    rustix::fs::seek(dir, rustix::fs::SeekFrom::Start(0))?;
    let mut entries = rustix::fs::RawDir::new(dir, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(errno),
        };
        visit(Entry {
            name: entry.file_name().to_bytes(),
            inode: entry.ino(),
            kind: entry.file_type(),
        });
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn scan(dir: &OwnedFd, mut visit: impl FnMut(Entry<'_>)) -> Result<(), Errno> {
    let mut entries = rustix::fs::Dir::read_from(dir)?;
    entries.rewind();
    for entry in entries {
        let entry = entry?;
        visit(Entry {
            name: entry.file_name().to_bytes(),
            inode: entry.ino(),
            kind: entry.file_type(),
        });
    }
    Ok(())
}

/// A path with `.`, `..` and doubled slashes resolved by the text alone, as `path.join` resolves them:
/// the path that is opened is the path that is answered.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match (part, out.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                out.pop();
            }
            (Component::ParentDir, Some(Component::RootDir)) | (Component::CurDir, _) => {}
            _ => out.push(part),
        }
    }
    if out.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_normalised_as_path_join_does() {
        for (given, expected) in [
            ("/tmp/x", "/tmp/x"),
            ("/tmp//x/", "/tmp/x"),
            ("/a/../b/./c", "/b/c"),
            ("/..", "/"),
            ("../a", "../a"),
            ("a/../..", ".."),
            ("", "."),
            ("./a", "a"),
        ] {
            assert_eq!(plain(Path::new(given)), Path::new(expected), "{given}");
        }
    }

    #[test]
    fn a_folder_that_was_changed_a_moment_ago_is_scanned_again() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("state/inbox/cohort");
        std::fs::create_dir_all(&path).unwrap();
        let inbox = Inbox::open(root.path().to_str().unwrap()).unwrap().unwrap();
        let folder = inbox.folder(Service::new("cohort").unwrap());
        let folder = folder.unwrap().unwrap();
        let an_hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        let age = || {
            let dir = std::fs::File::open(&path).unwrap();
            dir.set_modified(an_hour_ago).unwrap();
        };
        let scans = |change: &dyn Fn(usize), done: bool| {
            let mut count = 0;
            let scanned = folder.scan_honestly(|_| {
                count += 1;
                change(count);
                Ok(done)
            });
            scanned.unwrap();
            count
        };
        let nothing = |_: usize| ();
        let change = |count: usize| std::fs::write(path.join(count.to_string()), "").unwrap();
        change(0);
        assert!(scans(&nothing, false) > 1, "changed a moment ago");
        age();
        assert_eq!(scans(&nothing, false), 1, "at rest");
        assert_eq!(scans(&change, false), RESCANS, "changed all the time");
        assert_eq!(scans(&change, true), 1, "nothing more to see");
        let once = |count: usize| {
            if count == 1 {
                age();
            }
        };
        assert_eq!(scans(&once, false), 2, "changed during the first scan");
    }

    #[test]
    fn only_a_time_just_gone_by_is_recent() {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        assert!(recent((now.tv_sec, now.tv_nsec)));
        assert!(!recent((now.tv_sec - 1, now.tv_nsec)));
        assert!(!recent((now.tv_sec + 1, now.tv_nsec)));
        assert!(!recent((0, 0)));
    }

    #[test]
    fn services_are_the_plain_folders_of_the_inbox() {
        let root = tempfile::tempdir().unwrap();
        let inbox = root.path().join("state/inbox");
        std::fs::create_dir_all(inbox.join("b")).unwrap();
        std::fs::create_dir(inbox.join("a")).unwrap();
        std::fs::write(inbox.join("file"), "").unwrap();
        std::os::unix::fs::symlink(inbox.join("a"), inbox.join("link")).unwrap();
        let inbox = Inbox::open(root.path().to_str().unwrap()).unwrap().unwrap();
        assert_eq!(inbox.services(), Ok(vec!["a".to_owned(), "b".to_owned()]));
        assert!(
            inbox
                .folder(Service::new("link").unwrap())
                .unwrap()
                .is_none()
        );
        assert!(
            inbox
                .folder(Service::new("file").unwrap())
                .unwrap()
                .is_none()
        );
        assert!(
            inbox
                .folder(Service::new("none").unwrap())
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn only_the_root_may_be_reached_through_a_link() {
        let base = tempfile::tempdir().unwrap();
        let real = base.path().join("real");
        std::fs::create_dir_all(real.join("state/inbox")).unwrap();
        let linked = base.path().join("linked");
        std::os::unix::fs::symlink(&real, &linked).unwrap();
        assert!(Inbox::open(linked.to_str().unwrap()).unwrap().is_some());

        let swapped = base.path().join("swapped");
        std::fs::create_dir(&swapped).unwrap();
        std::os::unix::fs::symlink(real.join("state"), swapped.join("state")).unwrap();
        assert!(Inbox::open(swapped.to_str().unwrap()).unwrap().is_none());
    }
}
