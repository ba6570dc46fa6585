//! Which file an id means.

use memchr::memmem::Finder;
use rustix::io::Errno;

use super::folder::{Entry, Folder, Inbox};
use super::name::{ItemName, Service, State, file_name};
use super::refusal::Refusal;

/// An item's file, as it was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxItem {
    /// The folder it is in.
    pub service: String,
    /// The state that its name says.
    pub state: State,
    /// Its bare name.
    pub file: String,
    /// Its path, below the root that was given.
    pub path: String,
}

/// Finds the file of the item `id` below `<root>/state/inbox`, in one service or in all.
///
/// An exact id beats any substring of a stem; a substring must be unique among all files. Several
/// files with the id: in one service the most alive wins (then the oldest name), in two services
/// the answer is `None`, for the caller would act on a guess.
///
/// Folders in which others rename meanwhile are scanned again: an item that exists the whole time
/// is not reported absent.
///
/// # Errors
///
/// A folder that exists and cannot be read, where nothing was found elsewhere: that is not "absent".
///
/// ```
/// # let root = tempfile::tempdir()?;
/// # let root = root.path().to_str().expect("a plain path");
/// use seatkit::inbox::{State, find_inbox_file};
///
/// std::fs::create_dir_all(format!("{root}/state/inbox/cohort"))?;
/// std::fs::write(format!("{root}/state/inbox/cohort/2026-09-08T09-59-00-000Z-m1.yaml"), "id: m1\n")?;
/// let found = find_inbox_file(root, "m1", None)?.expect("it was just delivered");
/// assert_eq!((found.service.as_str(), found.state), ("cohort", State::New));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find_inbox_file(
    root: &str,
    id: &str,
    service: Option<Service<'_>>,
) -> Result<Option<InboxItem>, Refusal> {
    let failed = |errno| Refusal::io(errno, format_args!("read the inbox of {root}"));
    if id.is_empty() || root.contains('\0') {
        return Ok(None);
    }
    let Some(inbox) = Inbox::open(root).map_err(failed)? else {
        return Ok(None);
    };
    let services = match service {
        Some(service) => vec![service.as_str().to_owned()],
        None => inbox.services().map_err(failed)?,
    };
    let query = Query::new(id, &State::ALL);
    let mut exact = Vec::new();
    let mut partial = Vec::new();
    let mut unreadable = None;
    for name in &services {
        let Some(service) = Service::new(name) else {
            continue;
        };
        let hits = inbox.folder(service).and_then(|folder| {
            folder
                .map(|folder| query.items(&folder).map(|hits| (folder, hits)))
                .transpose()
        });
        match hits {
            Ok(None) => {}
            Ok(Some((folder, hits))) => {
                let item = |hit: Hit| InboxItem {
                    service: name.clone(),
                    state: hit.state,
                    path: folder.path_of(&hit.file()),
                    file: hit.file(),
                };
                exact.extend(hits.exact.map(item));
                partial.extend(hits.partial.into_iter().map(|(_, hit)| item(hit)));
            }
            Err(errno) => {
                unreadable = Some(Refusal::io(
                    errno,
                    format_args!("read the folder {name} of the inbox of {root}"),
                ));
            }
        }
    }
    let mut candidates = if exact.is_empty() { partial } else { exact };
    match (candidates.pop(), candidates.is_empty(), unreadable) {
        (Some(item), true, _) => Ok(Some(item)),
        (None, _, Some(refusal)) => Err(refusal),
        _ => Ok(None),
    }
}

/// One file that answers to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) stem: String,
    pub(super) state: State,
}

impl Hit {
    fn file(&self) -> String {
        file_name(&self.stem, self.state)
    }

    pub(super) fn name(&self) -> ItemName<'_> {
        ItemName {
            stem: &self.stem,
            state: self.state,
        }
    }
}

/// What one folder has for a query.
#[derive(Debug, Default)]
struct Hits {
    exact: Option<Hit>,
    /// Files with the id somewhere in their stem, by inode; two are as good as many.
    partial: Vec<(u64, Hit)>,
}

/// A search for an id.
pub(super) struct Query<'q> {
    id: &'q str,
    finder: Finder<'q>,
    /// Which states the caller can use, the best first; others count after them.
    wanted: &'q [State],
}

impl<'q> Query<'q> {
    pub(super) fn new(id: &'q str, wanted: &'q [State]) -> Self {
        Self {
            id,
            finder: Finder::new(id),
            wanted,
        }
    }

    /// The one file in `folder` that the id means.
    pub(super) fn pick(&self, folder: &Folder) -> Result<Option<Hit>, Errno> {
        let mut hits = self.search(folder)?;
        let single = hits
            .partial
            .pop()
            .filter(|_| hits.partial.is_empty())
            .map(|(_, hit)| hit);
        Ok(hits.exact.or(single))
    }

    /// What is found, but for files that are no items.
    fn items(&self, folder: &Folder) -> Result<Hits, Errno> {
        let found = self.search(folder)?;
        let mut items = Hits::default();
        if let Some(hit) = found.exact
            && folder.may_be_item(&hit.file())?
        {
            items.exact = Some(hit);
        }
        for (inode, hit) in found.partial {
            if folder.may_be_item(&hit.file())? {
                items.partial.push((inode, hit));
            }
        }
        Ok(items)
    }

    fn search(&self, folder: &Folder) -> Result<Hits, Errno> {
        let mut hits = Hits::default();
        folder.scan_honestly(|folder| {
            // What one scan misses another one sees; the last that saw a file is right about its name.
            let earlier = hits.exact.take();
            folder.scan(|entry| self.visit(folder, &entry, &mut hits))?;
            hits.exact = hits.exact.take().or(earlier);
            Ok(hits
                .exact
                .as_ref()
                .is_some_and(|hit| self.wanted.contains(&hit.state)))
        })?;
        Ok(hits)
    }

    fn visit(&self, folder: &Folder, entry: &Entry<'_>, hits: &mut Hits) {
        if self.finder.find(entry.name).is_none() {
            return;
        }
        let Some(name) = ItemName::parse(entry.name) else {
            return;
        };
        let is_exact = name.id() == self.id;
        if !(is_exact || name.stem.contains(self.id)) || !folder.is_file(entry) {
            return;
        }
        let hit = || Hit {
            stem: name.stem.to_owned(),
            state: name.state,
        };
        if is_exact {
            let rank = |state, stem: &str| (self.rank(state), stem.to_owned());
            if hits
                .exact
                .as_ref()
                .is_none_or(|best| rank(name.state, name.stem) < rank(best.state, &best.stem))
            {
                hits.exact = Some(hit());
            }
        } else {
            // A file renamed meanwhile shows up under both names, and is one file all the same.
            hits.partial.retain(|(inode, _)| *inode != entry.inode);
            if hits.partial.len() < 2 {
                hits.partial.push((entry.inode, hit()));
            }
        }
    }

    fn rank(&self, state: State) -> usize {
        self.wanted
            .iter()
            .position(|wanted| *wanted == state)
            .unwrap_or(self.wanted.len() + state as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Seat;
    use super::*;

    fn file(seat: &Seat, id: &str) -> Option<String> {
        find_inbox_file(seat.root(), id, None)
            .unwrap()
            .map(|item| item.file)
    }

    #[test]
    fn an_exact_id_beats_a_substring_and_a_substring_must_be_unique() {
        let seat = Seat::new();
        for id in ["m1", "m10", "m11"] {
            seat.deliver("cohort", &format!("2026-09-08T09-59-00-000Z-{id}.yaml"));
        }
        assert_eq!(
            file(&seat, "m1").as_deref(),
            Some("2026-09-08T09-59-00-000Z-m1.yaml")
        );
        assert_eq!(
            file(&seat, "11").as_deref(),
            Some("2026-09-08T09-59-00-000Z-m11.yaml")
        );
        assert_eq!(file(&seat, "m"), None);
        assert_eq!(file(&seat, "nope"), None);
        assert_eq!(file(&seat, ""), None);
        assert_eq!(file(&seat, ".yaml"), None, "an ending is no part of a stem");
    }

    #[test]
    fn the_most_alive_of_one_id_wins_then_the_oldest() {
        let seat = Seat::new();
        seat.deliver("cohort", "2026-09-08T09-59-00-000Z-m1.yaml.processed");
        assert_eq!(
            file(&seat, "m1").as_deref(),
            Some("2026-09-08T09-59-00-000Z-m1.yaml.processed")
        );
        seat.deliver("cohort", "2026-09-09T09-59-00-000Z-m1.yaml.dispatched");
        assert_eq!(
            file(&seat, "m1").as_deref(),
            Some("2026-09-09T09-59-00-000Z-m1.yaml.dispatched")
        );
        seat.deliver("cohort", "2026-09-11T09-59-00-000Z-m1.yaml");
        seat.deliver("cohort", "2026-09-10T09-59-00-000Z-m1.yaml");
        assert_eq!(
            file(&seat, "m1").as_deref(),
            Some("2026-09-10T09-59-00-000Z-m1.yaml")
        );
    }

    #[test]
    fn one_id_in_two_services_is_a_guess() {
        let seat = Seat::new();
        seat.deliver("cohort", "m1.yaml");
        seat.deliver("slack", "m1.yaml.processed");
        assert_eq!(file(&seat, "m1"), None);
        let found = find_inbox_file(seat.root(), "m1", Service::new("slack"))
            .unwrap()
            .unwrap();
        assert_eq!(
            (found.service.as_str(), found.state),
            ("slack", State::Processed)
        );
        assert_eq!(
            find_inbox_file(seat.root(), "m1", Service::new("none")),
            Ok(None)
        );
    }

    #[test]
    fn what_the_caller_can_use_comes_before_what_is_more_alive() {
        let seat = Seat::new();
        seat.deliver("cohort", "2026-09-08T09-59-00-000Z-m1.yaml");
        seat.deliver("cohort", "2026-09-09T09-59-00-000Z-m1.yaml.processed");
        let folder = seat.open();
        for (wanted, state) in [
            (&[State::Processed][..], State::Processed),
            (&[State::Claimed, State::Deferred], State::New),
        ] {
            let hit = Query::new("m1", wanted).pick(&folder).unwrap().unwrap();
            assert_eq!(hit.state, state, "{wanted:?}");
        }
    }

    #[test]
    fn only_regular_files_are_met() {
        let seat = Seat::new();
        std::fs::create_dir(seat.folder("cohort").join("dir.yaml")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", seat.folder("cohort").join("link.yaml")).unwrap();
        for id in ["dir", "link"] {
            assert_eq!(file(&seat, id), None);
        }
    }

    #[test]
    fn a_file_with_a_second_name_is_not_found() {
        let seat = Seat::new();
        let path = seat.deliver("cohort", "m1.yaml");
        assert_eq!(file(&seat, "m1").as_deref(), Some("m1.yaml"));
        std::fs::hard_link(path, seat.folder("cohort").join("backup")).unwrap();
        assert_eq!((file(&seat, "m1"), file(&seat, "1")), (None, None));
    }

    #[test]
    fn an_id_is_never_a_path() {
        let seat = Seat::new();
        seat.deliver("cohort", "m1.yaml");
        for id in ["../cohort/m1", "/", ".", "..", "m1\0", "m1.yaml"] {
            assert_eq!(file(&seat, id), None, "{id:?}");
        }
    }
}
