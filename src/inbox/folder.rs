//! The folders of an inbox: opened once, everything below them by `*at` calls, no link followed.

use std::path::{Component, Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::file::{is_gone, is_item, is_regular, nanos_of, sync};
use super::name::{Service, State, file_name};

pub(crate) const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

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
    kind: FileType,
}

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probed {
    Nothing,
    Item,
    /// A regular file with a second link.
    Linked,
    Foreign,
}

/// A folder as it is until something in it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AtRest {
    /// Its device and its number there.
    pub(crate) number: (u64, u64),
    /// When it or something in it was last changed: seconds and nanoseconds since the epoch.
    changed: (i64, i64),
}

/// The services of an inbox.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Services {
    /// Those that are folders, sorted.
    pub(crate) folders: Vec<Service>,
    /// Names of links, which are not entered.
    pub(crate) links: Vec<String>,
}

/// `Ok(None)`: there is no such folder, or something else in its place.
pub(crate) fn open_dir(
    at: impl AsFd,
    name: impl rustix::path::Arg + Copy,
    flags: OFlags,
) -> Result<Option<OwnedFd>, Errno> {
    match retry_on_intr(|| rustix::fs::openat(&at, name, flags, Mode::empty())) {
        Ok(dir) => Ok(Some(dir)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// The folder of all services below `root`.
pub(crate) fn inbox_path(root: &Path) -> PathBuf {
    plain(&root.join("state/inbox"))
}

/// The services of the inbox below `root`; `Ok(None)` where there is no inbox.
///
/// `root`, `state` and `inbox` may be links, for the owner of the seat laid them; a service may not.
pub(crate) fn services(root: &Path) -> Result<Option<Services>, Errno> {
    services_in(&inbox_path(root))
}

/// The services that have a folder in this one; `Ok(None)` where it is not there.
pub(crate) fn services_in(path: &Path) -> Result<Option<Services>, Errno> {
    let Some(inbox) = open_dir(CWD, path, FOLDER)? else {
        return Ok(None);
    };
    let mut services = Services::default();
    scan(&inbox, |entry| {
        let Some(service) =
            std::str::from_utf8(entry.name).ok().and_then(|name| name.parse::<Service>().ok())
        else {
            return;
        };
        match entry.kind_in(&inbox) {
            Some(FileType::Directory | FileType::Unknown) => services.folders.push(service),
            Some(FileType::Symlink) => services.links.push(service.to_string()),
            _ => {}
        }
    })?;
    services.folders.sort_unstable();
    services.links.sort_unstable();
    Ok(Some(services))
}

impl Folder {
    /// Opens the folder of a service below `root`; `Ok(None)` where there is none. Only the folder itself needs to be
    /// readable: those above it may be ones that this process can enter and no more.
    pub(crate) fn open(root: &Path, service: &Service) -> Result<Option<Self>, Errno> {
        Self::open_at(inbox_path(root).join(service.as_str()))
    }

    /// Opens the folder at `path`, which is no link.
    pub(crate) fn open_at(path: PathBuf) -> Result<Option<Self>, Errno> {
        let dir = open_dir(CWD, path.as_path(), FOLDER.union(OFlags::NOFOLLOW))?;
        Ok(dir.map(|dir| Self { dir, path }))
    }

    /// Opens the folder `name` in this one, which is no link.
    pub(crate) fn below(&self, name: &str) -> Result<Option<Self>, Errno> {
        let dir = open_dir(&self.dir, name, FOLDER.union(OFlags::NOFOLLOW))?;
        Ok(dir.map(|dir| Self { dir, path: self.path.join(name) }))
    }

    /// The same, made where it is not there; a new one is on the disk.
    pub(crate) fn make_below(&self, name: &str) -> Result<Option<Self>, Errno> {
        match rustix::fs::mkdirat(&self.dir, name, Mode::from_raw_mode(0o777)) {
            Ok(()) => sync(&self.dir)?,
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
        self.below(name)
    }

    /// Whether a service that could not be opened is there, and is a link.
    pub(crate) fn is_link(root: &Path, service: &Service) -> bool {
        let path = inbox_path(root).join(service.as_str());
        rustix::fs::lstat(&path)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in this folder.
    pub(crate) fn path_of(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    /// Shows every name in the folder once, in no order.
    pub(crate) fn scan(&self, visit: impl FnMut(Entry<'_>)) -> Result<(), Errno> {
        scan(&self.dir, visit)
    }

    /// Whether `entry` is a regular file; the system is asked only where the folder does not say. What it will not tell
    /// either may be one, and opening it will.
    pub(crate) fn is_file(&self, entry: &Entry<'_>) -> bool {
        matches!(entry.kind_in(&self.dir), Some(FileType::RegularFile | FileType::Unknown))
    }

    /// What `file` is now.
    pub(crate) fn probe(&self, file: &str) -> Result<Probed, Errno> {
        match rustix::fs::statat(&self.dir, file, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if is_item(&stat) => Ok(Probed::Item),
            Ok(stat) if is_regular(&stat) => Ok(Probed::Linked),
            Ok(_) => Ok(Probed::Foreign),
            Err(errno) if is_gone(errno) => Ok(Probed::Nothing),
            // A name too long for any file is one that no file has.
            Err(Errno::NAMETOOLONG) => Ok(Probed::Nothing),
            Err(errno) => Err(errno),
        }
    }

    /// The states in which an item of this stem is there now, `hints` being where it was seen: what a scan of a folder
    /// in which others rename met twice, or missed, is found by its names alone.
    pub(crate) fn states(
        &self,
        stem: &str,
        hints: &[State],
        is_meant: impl Fn(Probed) -> bool,
    ) -> Result<Vec<State>, Errno> {
        let there = |states: &[State]| {
            let mut found = Vec::new();
            for state in states {
                if is_meant(self.probe(&file_name(stem, *state))?) {
                    found.push(*state);
                }
            }
            Ok::<_, Errno>(found)
        };
        let mut found = there(hints)?;
        for _ in 0..LOOKS {
            found = match found.len() {
                0 => there(State::ALL)?,
                1 => break,
                // Renamed between two looks, it was seen in both places.
                _ => there(&found)?,
            };
        }
        Ok(found)
    }

    /// Scans until a scan says `done`, or one saw no change of the folder, or `RESCANS_MS` are used up.
    ///
    /// Reading a folder while others rename in it can miss a name or show one twice, so what was not
    /// seen counts as absent only in a scan of a folder at rest.
    pub(crate) fn scan_honestly(
        &self,
        mut attempt: impl FnMut(&Self) -> Result<bool, Errno>,
    ) -> Result<(), Errno> {
        for wait in RESCANS_MS {
            let before = self.change_time()?;
            if attempt(self)? || (self.change_time()? == before && !recent(before)) {
                break;
            }
            // A file system of another machine may show the very same listing again at once.
            if knows_seconds_alone(before) {
                sleep(Duration::from_millis(wait));
            }
        }
        Ok(())
    }

    fn change_time(&self) -> Result<(i64, i64), Errno> {
        let stat = rustix::fs::fstat(&self.dir)?;
        Ok((stat.st_mtime, nanos_of(&stat)))
    }

    /// What the folder is as long as nothing in it changes; `Ok(None)` where something just did, so that the next change
    /// may have the same time.
    pub(crate) fn at_rest(&self) -> Result<Option<AtRest>, Errno> {
        let stat = rustix::fs::fstat(&self.dir)?;
        // Not the time of its contents, which anybody may set: a backup that is brought back does.
        #[allow(
            clippy::cast_possible_wrap,
            clippy::cast_sign_loss,
            clippy::unnecessary_cast,
            reason = "numbers of other types on other systems"
        )]
        let (number, changed) = (
            (stat.st_dev as u64, stat.st_ino as u64),
            (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        );
        Ok((!recent(changed)).then_some(AtRest { number, changed }))
    }
}

/// Each scan misses a name that is being renamed with a chance of some percent (measured 1 to 5), so
/// this many in a row do not. The waits after them are for the few file systems that need any.
const RESCANS_MS: [u64; 12] = [1, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0];

/// How often an item is looked for under all its names before it counts as gone: where a process serves the file system,
/// a name whose file is replaced this moment may lead nowhere a few times in a row.
const LOOKS: usize = 16;

/// File systems date a change by the tick of a coarse clock: two changes in one tick look like one.
const CLOCK_TICK_NANOS: i64 = 20_000_000;

/// Some (FAT, SFTP) know seconds alone, some of them even ones, by a clock that may not be this machine's.
const SECONDS_ALONE_NANOS: i64 = 3_000_000_000;

fn knows_seconds_alone((_, nanos): (i64, i64)) -> bool {
    nanos == 0
}

fn recent((seconds, nanos): (i64, i64)) -> bool {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    let age =
        (now.tv_sec - seconds).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec - nanos);
    if knows_seconds_alone((seconds, nanos)) {
        return age.saturating_abs() < SECONDS_ALONE_NANOS;
    }
    (0..CLOCK_TICK_NANOS).contains(&age)
}

impl Entry<'_> {
    /// `None`: it is gone; `Unknown`: the system will not tell.
    fn kind_in(&self, dir: &OwnedFd) -> Option<FileType> {
        if self.kind != FileType::Unknown {
            return Some(self.kind);
        }
        match rustix::fs::statat(dir, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(FileType::from_raw_mode(stat.st_mode)),
            Err(errno) if is_gone(errno) => None,
            Err(_) => Some(FileType::Unknown),
        }
    }
}

#[cfg(target_os = "linux")]
fn scan(dir: &OwnedFd, mut visit: impl FnMut(Entry<'_>)) -> Result<(), Errno> {
    // Large enough that a folder of ten thousand takes some ten calls; only pages that are filled are touched.
    #[expect(clippy::large_stack_arrays, reason = "every thread that scans has megabytes of stack")]
    let mut buffer = [std::mem::MaybeUninit::<u8>::uninit(); 64 * 1024];
    rustix::fs::seek(dir, rustix::fs::SeekFrom::Start(0))?;
    let mut entries = rustix::fs::RawDir::new(dir, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(errno),
        };
        visit(Entry { name: entry.file_name().to_bytes(), kind: entry.file_type() });
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn scan(dir: &OwnedFd, mut visit: impl FnMut(Entry<'_>)) -> Result<(), Errno> {
    let mut entries = rustix::fs::Dir::read_from(dir)?;
    entries.rewind();
    for entry in entries {
        let entry = entry?;
        visit(Entry { name: entry.file_name().to_bytes(), kind: entry.file_type() });
    }
    Ok(())
}

/// A path with `.`, `..` and doubled slashes resolved by the text alone, as `path.join` resolves them:
/// the path that is opened is the path that is answered.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::with_capacity(path.as_os_str().len());
    for part in path.components() {
        match (part, out.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                out.pop();
            }
            (Component::ParentDir, Some(Component::RootDir)) | (Component::CurDir, _) => {}
            _ => out.push(part),
        }
    }
    if out.as_os_str().is_empty() { PathBuf::from(".") } else { out }
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
        let folder = Folder::open(root.path(), &"cohort".parse().unwrap());
        let folder = folder.unwrap().unwrap();
        let an_hour_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
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
        // A machine that is busy may take longer than a moment, but not each time.
        let is_scanned_again = |count| {
            change(count);
            scans(&nothing, false) > 1
        };
        assert!((100..200).any(is_scanned_again), "changed a moment ago");
        age();
        assert_eq!(scans(&nothing, false), 1, "at rest");
        assert_eq!(scans(&change, false), RESCANS_MS.len(), "changed all the time");
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
        assert!(recent((now.tv_sec - 1, 0)), "a clock of seconds");
        assert!(recent((now.tv_sec + 2, 0)), "another machine's");
        assert!(!recent((now.tv_sec - 10, 0)));
    }

    #[test]
    fn services_are_the_plain_folders_of_the_inbox() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(services(root.path()), Ok(None));
        let inbox = root.path().join("state/inbox");
        std::fs::create_dir_all(inbox.join("b")).unwrap();
        std::fs::create_dir(inbox.join("a")).unwrap();
        std::fs::create_dir(inbox.join(".hidden")).unwrap();
        std::fs::write(inbox.join("file"), "").unwrap();
        std::os::unix::fs::symlink(inbox.join("a"), inbox.join("link")).unwrap();
        let found = services(root.path()).unwrap().unwrap();
        assert_eq!(found.folders, ["a", "b"].map(|name| name.parse().unwrap()));
        assert_eq!(found.links, ["link"]);
        for name in ["link", "file", "none"] {
            assert!(Folder::open(root.path(), &name.parse().unwrap()).unwrap().is_none(), "{name}");
        }
    }

    #[test]
    fn everything_above_a_service_may_be_a_link() {
        let base = tempfile::tempdir().unwrap();
        let real = base.path().join("real");
        std::fs::create_dir_all(real.join("state/inbox/cohort")).unwrap();
        let cohort = "cohort".parse().unwrap();
        for (link, target) in [
            ("root", "real"),
            ("other/state", "real/state"),
            ("third/state/inbox", "real/state/inbox"),
        ] {
            let link = base.path().join(link);
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(base.path().join(target), &link).unwrap();
        }
        for root in ["root", "other", "third"] {
            let root = base.path().join(root);
            assert!(Folder::open(&root, &cohort).unwrap().is_some(), "{}", root.display());
            assert_eq!(services(&root).unwrap().unwrap().folders, std::slice::from_ref(&cohort));
        }
    }

    #[test]
    fn where_a_stem_was_met_twice_what_is_there_decides() {
        use State::{Claimed, Deferred, New};
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("state/inbox/cohort");
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("m1.yaml.dispatched"), "id: m1\n").unwrap();
        let folder = Folder::open(root.path(), &"cohort".parse().unwrap()).unwrap().unwrap();
        let states =
            |stem: &str, hints: &[State]| folder.states(stem, hints, |is| is == Probed::Item);
        assert_eq!(states("m1", &[New, Claimed]), Ok(vec![Claimed]));
        assert_eq!(states("m1", &[Deferred]), Ok(vec![Claimed]), "renamed since");
        assert_eq!(states("m2", &[New]), Ok(vec![]));
        std::fs::write(path.join("m1.yaml"), "id: m1\n").unwrap();
        assert_eq!(states("m1", &[New, Claimed]), Ok(vec![New, Claimed]), "two files");
        std::fs::hard_link(path.join("m1.yaml"), path.join("copy")).unwrap();
        assert_eq!(states("m1", &[New]), Ok(vec![Claimed]), "one with a second name is no item");
        let named = folder.states("m1", &[New], |is| is != Probed::Nothing);
        assert_eq!(named, Ok(vec![New]));
    }
}
