//! The archive: where items go that have been processed for long, so that a sweep costs what is in flight.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Mode};
use rustix::io::Errno;

use super::change::rename_noreplace;
use super::file::{is_gone, is_item, is_regular, modified, sync};
use super::folder::{FOLDER, Folder, Probed, Services, open_dir, plain, services_in};
use super::name::{ItemName, Service, State, file_name, id_of};
use super::refusal::{Refusal, Refused};
use super::sweep::{Failed, open, unreadable, walk};
use super::time::Time;
use super::{Found, Inbox};

/// What to move to the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveOptions {
    /// The time against which age is judged.
    pub now: SystemTime,
    /// Items that have been processed for longer than this.
    pub older_than: Duration,
    /// Only those with these ids.
    pub ids: Option<Vec<String>>,
    /// Answer what would be moved, and move nothing.
    pub dry_run: bool,
}

/// What was moved to the archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archived {
    /// The items, where they are now, in the order of services and names.
    pub archived: Vec<Found>,
    /// What could not be moved; the rest was.
    pub failed: Vec<Failed>,
}

/// `<root>/state/inbox-archive/<service>`.
pub(crate) fn path(root: &Path, service: &Service) -> PathBuf {
    archive_path(root).join(service.as_str())
}

/// `<root>/state/inbox-archive`, which may be a link as the inbox may.
fn archive_path(root: &Path) -> PathBuf {
    plain(&root.join("state/inbox-archive"))
}

/// The services of which something was archived, those without an inbox by now among them.
pub(crate) fn services(root: &Path) -> Result<Option<Services>, Errno> {
    services_in(&archive_path(root))
}

/// The folders of a service's archive, a month each, the oldest first.
///
/// Items go from the inbox to the archive and never back: whoever looks for one in both looks here last, and has to
/// ask for these folders only then.
pub(crate) fn months(root: &Path, service: &Service) -> Result<Vec<Folder>, Errno> {
    let Some(archive) = Folder::open_at(path(root, service))? else {
        return Ok(Vec::new());
    };
    let mut names = Vec::new();
    archive.scan(|entry| {
        if let Ok(name) = std::str::from_utf8(entry.name)
            && is_month(name)
        {
            names.push(name.to_owned());
        }
    })?;
    names.sort_unstable();
    names.iter().filter_map(|name| archive.below(name).transpose()).collect()
}

/// Of items that were met in the inbox and then in the archive, keeps those of the inbox that are there still.
pub(crate) fn settle<T>(
    live: Option<&Folder>,
    items: &mut Vec<T>,
    found: impl Fn(&T) -> &Found,
) -> Result<(), Errno> {
    let Some(live) = live else { return Ok(()) };
    let is_live = |item: &Found| item.path.parent() == Some(live.path());
    let archived: HashSet<_> = items
        .iter()
        .map(&found)
        .filter(|item| !is_live(item))
        .map(|item| item.file.clone())
        .collect();
    let mut moved = HashSet::new();
    for item in items.iter().map(&found).filter(|item| is_live(item)) {
        if archived.contains(&item.file) && live.probe(&item.file)? == Probed::Nothing {
            moved.insert(item.path.clone());
        }
    }
    items.retain(|item| !moved.contains(&found(item).path));
    Ok(())
}

/// Whether this is a month as [`Time::month`] says it: years before the first and after the 9999th have a sign and six
/// digits.
fn is_month(name: &str) -> bool {
    let are_digits =
        |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once('-').is_some_and(|(year, month)| {
        let long = year.strip_prefix(['+', '-']);
        are_digits(month, 2) && long.map_or(are_digits(year, 4), |year| are_digits(year, 6))
    })
}

/// The archived file of this stem, if there is one.
pub(crate) fn find_stem(
    root: &Path,
    service: &Service,
    stem: &str,
) -> Result<Option<PathBuf>, Errno> {
    let file = file_name(stem, State::Processed);
    for month in months(root, service)? {
        if month.probe(&file)? != Probed::Nothing {
            return Ok(Some(month.path_of(&file)));
        }
    }
    Ok(None)
}

impl Inbox {
    /// Moves items that have been processed for long to `<root>/state/inbox-archive/<service>/<YYYY-MM>/`, the month in
    /// which they were. Nothing is ever replaced there.
    ///
    /// ```
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// use std::time::{Duration, SystemTime};
    /// use seatkit::inbox::{ArchiveOptions, Inbox};
    ///
    /// std::fs::create_dir_all(root.join("state/inbox/cohort"))?;
    /// std::fs::write(root.join("state/inbox/cohort/m1.yaml.processed"), "id: m1\n")?;
    /// let week = Duration::from_secs(7 * 86_400);
    /// let now = SystemTime::now() + 2 * week;
    /// let options = ArchiveOptions { now, older_than: week, ids: None, dry_run: false };
    /// assert_eq!(Inbox::at(root).archive(&options).archived[0].id, "m1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn archive(&self, options: &ArchiveOptions) -> Archived {
        let mut archived = Archived::default();
        for service in walk(self, None, &mut archived.failed) {
            let result = open(self, &service).and_then(|folder| {
                folder.map_or(Ok(()), |folder| {
                    self.archive_service(&service, &folder, options, &mut archived)
                        .map_err(|errno| unreadable(self, &service, errno))
                })
            });
            archived.failed.extend(result.err());
        }
        archived
    }

    fn archive_service(
        &self,
        service: &Service,
        folder: &Folder,
        options: &ArchiveOptions,
        archived: &mut Archived,
    ) -> Result<(), Errno> {
        let is_meant = |stem: &str| {
            options
                .ids
                .as_ref()
                .is_none_or(|ids| ids.iter().any(|id| id == id_of(stem) || id == stem))
        };
        let mut stems = Vec::new();
        folder.scan(|entry| {
            if let Some(name) = ItemName::parse(entry.name)
                && name.state == State::Processed
                && is_meant(name.stem)
            {
                stems.push(name.stem.to_owned());
            }
        })?;
        stems.sort_unstable();
        let mut months = BTreeMap::new();
        for stem in stems {
            let file = file_name(&stem, State::Processed);
            match self.archive_one(service, folder, &file, options, &mut months) {
                Ok(None) => {}
                Ok(Some(path)) => archived.archived.push(Found {
                    id: id_of(&stem).to_owned(),
                    service: service.to_string(),
                    state: State::Processed,
                    file,
                    path,
                }),
                Err(refusal) => archived.failed.push(Failed {
                    service: Some(service.to_string()),
                    file: Some(file),
                    refusal,
                }),
            }
        }
        // The new names first: of two names that a power cut leaves, none is better than none of two.
        for month in months.values() {
            sync(&month.dir)?;
        }
        if months.is_empty() { Ok(()) } else { sync(&folder.dir) }
    }

    /// `Ok(None)`: it is not old enough, gone, or no item.
    fn archive_one(
        &self,
        service: &Service,
        folder: &Folder,
        file: &str,
        options: &ArchiveOptions,
        months: &mut BTreeMap<String, Folder>,
    ) -> Result<Option<PathBuf>, Refusal> {
        let from = folder.path_of(file);
        let failed =
            |errno, what: &str| Refusal::io(errno, format_args!("{what} {}", from.display()));
        let stat = match rustix::fs::statat(&folder.dir, file, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(errno) if is_gone(errno) => return Ok(None),
            Err(errno) => return Err(failed(errno, "look at")),
        };
        let processed_at = modified(&stat);
        let age = Time::from(options.now).millis() - processed_at.millis();
        // Clocks are set back: what seems to come from the future is not left there until then.
        if age.abs() <= options.older_than.as_secs_f64() * 1e3 || !is_regular(&stat) {
            return Ok(None);
        }
        if !is_item(&stat) {
            let why = format!(
                "{} has a second link, and would be an item under two names",
                from.display()
            );
            return Err(Refusal::new(Refused::Linked, why));
        }
        let month = processed_at.month();
        let to = path(self.root(), service).join(&month).join(file);
        let taken = || Refusal::new(Refused::Conflict, format!("{} exists", to.display()));
        if options.dry_run {
            return if std::fs::symlink_metadata(&to).is_ok() {
                Err(taken())
            } else {
                Ok(Some(to))
            };
        }
        let target = match months.entry(month.clone()) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                let in_the_way = |path: &Path| {
                    let why = format!("{} is a link, or no folder", path.display());
                    Refusal::new(Refused::Linked, why)
                };
                let make = |errno| failed(errno, "make an archive for");
                let parent = path(self.root(), service);
                let archive = make_folder(self.root(), &parent)
                    .map_err(make)?
                    .ok_or_else(|| in_the_way(&parent))?;
                let folder = archive.make_below(entry.key()).map_err(make)?;
                entry.insert(folder.ok_or_else(|| in_the_way(&parent.join(&month)))?)
            }
        };
        match rename_noreplace(&folder.dir, file, &target.dir, file, || false) {
            Ok(()) => Ok(Some(to)),
            Err(Errno::EXIST) => Err(taken()),
            Err(errno) if is_gone(errno) => Ok(None),
            Err(errno) => Err(failed(errno, "archive")),
        }
    }
}

/// Makes the folder at `path` and those above it, up to `root`, which must be there, and opens it; each new one is on
/// the disk. `Ok(None)`: something that is no folder has the name.
pub(crate) fn make_folder(root: &Path, path: &Path) -> Result<Option<Folder>, Errno> {
    if let Some(folder) = Folder::open_at(path.to_owned())? {
        return Ok(Some(folder));
    }
    let root = plain(root);
    let above: Vec<_> = path
        .ancestors()
        .take_while(|above| *above != root && !above.as_os_str().is_empty())
        .collect();
    for one in above.into_iter().rev() {
        match rustix::fs::mkdir(one, Mode::from_raw_mode(0o777)) {
            Ok(()) => {
                let parent = plain(one.parent().unwrap_or(one));
                match open_dir(CWD, parent.as_path(), FOLDER) {
                    Ok(Some(parent)) => sync(&parent)?,
                    // One that may be written and not read cannot be synced.
                    Ok(None) | Err(Errno::ACCESS) => {}
                    Err(errno) => return Err(errno),
                }
            }
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
    }
    Folder::open_at(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::Seat;
    use super::*;

    #[test]
    fn every_month_that_is_written_is_read() {
        for millis in [-6.3e13, -1.0, 0.0, 1.788e12, 2.6e14, 8.64e15, -8.64e15] {
            let month = Time::from_millis(millis).unwrap().month();
            assert!(is_month(&month), "{month}");
        }
        for other in ["2026-9", "2026-09-08", "26-09", "+2026-09", "x026-09", "-09", "2026", ""] {
            assert!(!is_month(other), "{other}");
        }
    }

    #[test]
    fn what_was_archived_between_two_looks_is_met_once() {
        let seat = Seat::new();
        let service = "cohort".parse().unwrap();
        let root = Path::new(seat.root());
        std::fs::create_dir_all(seat.folder("cohort")).unwrap();
        let live = Folder::open(root, &service).unwrap().unwrap();
        let found = |path: PathBuf| Found {
            id: "m1".to_owned(),
            service: "cohort".to_owned(),
            state: State::Processed,
            file: "m1.yaml.processed".to_owned(),
            path,
        };
        let both = || {
            let month = path(root, &service).join("2026-09/m1.yaml.processed");
            vec![found(live.path_of("m1.yaml.processed")), found(month)]
        };
        let mut items = both();
        settle(Some(&live), &mut items, |item| item).unwrap();
        assert_eq!(items, both()[1..], "it is in the archive by now");
        seat.deliver("cohort", "m1.yaml.processed");
        let mut items = both();
        settle(Some(&live), &mut items, |item| item).unwrap();
        assert_eq!(items, both(), "two files");
    }
}
