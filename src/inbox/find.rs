//! Which file an id means.

use std::collections::BTreeMap;
use std::path::PathBuf;

use memchr::memmem::Finder;
use rustix::io::Errno;

use super::archive;
use super::folder::{Entry, Folder, Probed, services};
use super::name::{ItemName, Service, State, file_name, id_of};
use super::refusal::Refusal;
use super::{Inbox, no_nul};

/// An item's file, as it was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its id.
    pub id: String,
    /// The folder it is in.
    pub service: String,
    /// The state that its name says.
    pub state: State,
    /// Its bare name.
    pub file: String,
    /// Its path, below the root that was given.
    pub path: PathBuf,
}

impl Found {
    pub(crate) fn new(folder: &Folder, service: &Service, name: ItemName<'_>) -> Self {
        let file = file_name(name.stem, name.state);
        Self {
            id: name.id().to_owned(),
            service: service.to_string(),
            state: name.state,
            path: folder.path_of(&file),
            file,
        }
    }
}

/// Where to look for an id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindOptions {
    /// In this service alone.
    pub service: Option<Service>,
    /// In the archive too.
    pub archived: bool,
}

impl Inbox {
    /// Finds the file of the item `id`, in one service or in all.
    ///
    /// An exact id beats any substring of a stem; a substring must be unique among all files. Several
    /// files with the id: in one service the most alive wins (then the oldest name), in two services
    /// the answer is `None`, for the caller would act on a guess.
    ///
    /// Folders in which others rename meanwhile are scanned again: an item that exists the whole time
    /// is not reported absent. A service that this process may not read has nothing that it could find.
    ///
    /// # Errors
    ///
    /// A folder that exists and cannot be read for another reason, where nothing was found elsewhere: that is not
    /// "absent".
    ///
    /// ```
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// use seatkit::inbox::{FindOptions, Inbox, State};
    ///
    /// let cohort = root.join("state/inbox/cohort");
    /// std::fs::create_dir_all(&cohort)?;
    /// std::fs::write(cohort.join("2026-09-08T09-59-00-000Z-m1.yaml"), "id: m1\n")?;
    /// let found = Inbox::at(root).find("m1", &FindOptions::default())?.expect("it was just delivered");
    /// assert_eq!((found.service.as_str(), found.state), ("cohort", State::New));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(&self, id: &str, options: &FindOptions) -> Result<Option<Found>, Refusal> {
        if id.is_empty() || no_nul(self.root()).is_err() {
            return Ok(None);
        }
        let failed = |errno, what: &dyn std::fmt::Display| {
            Refusal::io(errno, format_args!("read {what} of {}", self.root().display()))
        };
        let services = if let Some(service) = &options.service {
            vec![service.clone()]
        } else {
            let live = services(self.root()).map_err(|errno| failed(errno, &"the inbox"))?;
            let mut all = live.unwrap_or_default().folders;
            if options.archived {
                let archived = archive::services(self.root());
                let archived = archived.map_err(|errno| failed(errno, &"the archive"))?;
                all.extend(archived.unwrap_or_default().folders);
                all.sort_unstable();
                all.dedup();
            }
            all
        };
        let (mut exact, mut partial, mut unreadable) = (Vec::new(), Vec::new(), None);
        for service in &services {
            match self.find_in(service, id, options.archived) {
                Ok((found, is_exact)) if is_exact => exact.extend(found.into_iter().next()),
                Ok((found, _)) => partial.extend(found),
                Err(Errno::ACCESS | Errno::PERM) => {}
                Err(errno) => {
                    unreadable = Some(failed(errno, &format_args!("the service {service}")));
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

    /// What one service has for an id, the best first, and whether that is by the exact id.
    fn find_in(
        &self,
        service: &Service,
        id: &str,
        archived: bool,
    ) -> Result<(Vec<Found>, bool), Errno> {
        let live = Folder::open(self.root(), service)?;
        let query = Query::new(id, State::ALL);
        let (mut exact, mut partial) = (Vec::new(), Vec::new());
        let mut pick = |folder: &Folder| {
            let picked = query.pick(folder, Picks::Any)?;
            let found = picked.hits.iter().map(|hit| Found::new(folder, service, hit.name()));
            if picked.exact { &mut exact } else { &mut partial }.extend(found);
            Ok::<_, Errno>(())
        };
        if let Some(live) = &live {
            pick(live)?;
        }
        if archived {
            for month in archive::months(self.root(), service)? {
                pick(&month)?;
            }
            archive::settle(live.as_ref(), &mut exact, |found| found)?;
            archive::settle(live.as_ref(), &mut partial, |found| found)?;
        }
        let is_exact = !exact.is_empty();
        Ok((if is_exact { exact } else { partial }, is_exact))
    }
}

/// Which items an id means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Picks {
    /// Those with this very id.
    Id,
    /// Or with this very stem or file name.
    Exact,
    /// Or the one item that has it as a whole part of its id.
    Parts,
    /// Or every file that has it anywhere in its stem.
    Any,
}

/// Whether `part` stands in `id` between its ends, or what is no letter or digit.
pub(crate) fn is_whole_part(id: &str, part: &str) -> bool {
    !part.is_empty()
        && id.match_indices(part).any(|(at, _)| {
            let before = id.get(..at).unwrap_or_default().chars().next_back();
            let after = id.get(at + part.len()..).unwrap_or_default().chars().next();
            ![before, after].into_iter().flatten().any(char::is_alphanumeric)
        })
}

/// One file that answers to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) stem: String,
    pub(crate) state: State,
}

impl Hit {
    pub(crate) fn name(&self) -> ItemName<'_> {
        ItemName { stem: &self.stem, state: self.state }
    }
}

/// What a query came to.
#[derive(Debug, Default)]
pub(crate) struct Picked {
    /// The files that are meant, the best first.
    pub(crate) hits: Vec<Hit>,
    /// Whether they are meant exactly.
    pub(crate) exact: bool,
    /// Names that come near, for a person.
    near: Vec<String>,
}

impl Picked {
    /// Why nothing is meant.
    pub(crate) fn sentence(&self, id: &str, folder: &Folder) -> String {
        let near = self.near();
        format!("no item is {id:?} in {}{near}", folder.path().display())
    }

    /// The names that come near, as the end of a sentence.
    pub(crate) fn near(&self) -> String {
        match &*self.near {
            [] => String::new(),
            near => format!("; near it: {}", near.join(", ")),
        }
    }
}

/// How near an item's id comes to the one that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nearness {
    Exact,
    /// It is a whole part of the item's.
    Part,
    /// Its letters are in the item's stem.
    Letters,
}

/// An item met in a scan, under one name or several.
struct Met {
    states: Vec<State>,
    nearness: Nearness,
}

/// The items met by their stems.
#[derive(Default)]
struct AllMet {
    by_stem: BTreeMap<String, Met>,
    /// How many only came near in a scan, and how.
    parts: usize,
    letters: usize,
}

/// So many items that come near are enough to see that an id means none of them.
const MOST_MET: usize = 64;

/// So many names are enough for a person.
const MOST_NEAR: usize = 3;

/// A search for an id.
pub(crate) struct Query<'q> {
    id: &'q str,
    /// The stem that the id says where it is a file name.
    stem: Option<&'q str>,
    finder: Finder<'q>,
    /// Which states the caller can use, the best first; others count after them.
    wanted: &'q [State],
}

impl<'q> Query<'q> {
    pub(crate) fn new(id: &'q str, wanted: &'q [State]) -> Self {
        let stem = ItemName::parse(id.as_bytes()).map(|name| name.stem);
        Self { id, stem, finder: Finder::new(stem.unwrap_or(id)), wanted }
    }

    /// The files in `folder` that the id means.
    pub(crate) fn pick(&self, folder: &Folder, picks: Picks) -> Result<Picked, Errno> {
        self.choose(folder, picks, &self.search(folder, picks)?)
    }

    /// The same for a call that opens the file next, and sees by that whether it is there.
    pub(crate) fn pick_unproven(&self, folder: &Folder, picks: Picks) -> Result<Picked, Errno> {
        let met = self.search(folder, picks)?;
        if let Some((stem, Met { states, nearness: Nearness::Exact })) =
            met.by_stem.first_key_value()
            && met.by_stem.len() == 1
            && let [state] = **states
        {
            let hits = vec![Hit { stem: stem.clone(), state }];
            return Ok(Picked { hits, exact: true, near: Vec::new() });
        }
        self.choose(folder, picks, &met)
    }

    fn choose(&self, folder: &Folder, picks: Picks, met: &AllMet) -> Result<Picked, Errno> {
        let there = |nearness: Nearness| {
            let near = met.by_stem.iter().filter(|(_, met)| met.nearness == nearness);
            there(folder, picks, near)
        };
        let mut hits = there(Nearness::Exact)?;
        let near = met.by_stem.iter().filter(|(_, met)| met.nearness != Nearness::Exact);
        let near = near.take(MOST_NEAR).map(|(stem, _)| id_of(stem).to_owned()).collect();
        if !hits.is_empty() {
            hits.sort_by_cached_key(|hit| (self.rank(hit.state), hit.stem.clone()));
            return Ok(Picked { hits, exact: true, near });
        }
        let hits = match picks {
            Picks::Id | Picks::Exact => Vec::new(),
            Picks::Any => there(Nearness::Letters)?,
            Picks::Parts => there(Nearness::Part)?,
        };
        let unique = match (picks, &*hits) {
            (Picks::Any, _) => true,
            (_, [first, rest @ ..]) => rest.iter().all(|hit| hit.stem == first.stem),
            (_, []) => false,
        };
        let mut picked = Picked { near, hits, exact: false };
        if !unique {
            picked.hits.clear();
        }
        picked.hits.sort_by_key(|hit| self.rank(hit.state));
        Ok(picked)
    }

    fn search(&self, folder: &Folder, picks: Picks) -> Result<AllMet, Errno> {
        let mut met = AllMet::default();
        folder.scan_honestly(|folder| {
            (met.parts, met.letters) = (0, 0);
            folder.scan(|entry| self.visit(folder, &entry, picks, &mut met))?;
            Ok(met.by_stem.values().any(|met| {
                met.nearness == Nearness::Exact
                    && met.states.iter().any(|state| self.wanted.contains(state))
            }))
        })?;
        Ok(met)
    }

    fn visit(&self, folder: &Folder, entry: &Entry<'_>, picks: Picks, met: &mut AllMet) {
        if self.finder.find(entry.name).is_none() {
            return;
        }
        let Some(name) = ItemName::parse(entry.name) else {
            return;
        };
        let exact = name.id() == self.id
            || (picks != Picks::Id && name.stem == self.id)
            || (matches!(picks, Picks::Exact | Picks::Parts) && self.stem == Some(name.stem));
        let contains = name.stem.contains(self.id);
        if !(exact || contains) || !folder.is_file(entry) {
            return;
        }
        if let Some(same) = met.by_stem.get_mut(name.stem) {
            if !same.states.contains(&name.state) {
                same.states.push(name.state);
            }
            return;
        }
        let nearness = match picks {
            _ if exact => Nearness::Exact,
            Picks::Parts if is_whole_part(name.id(), self.id) => Nearness::Part,
            _ => Nearness::Letters,
        };
        // Many that merely contain it must not hide the one that is meant.
        let count = match nearness {
            Nearness::Exact => None,
            Nearness::Part => Some(&mut met.parts),
            Nearness::Letters => Some(&mut met.letters),
        };
        if let Some(count) = count {
            *count += 1;
            if *count > MOST_MET {
                return;
            }
        }
        let one = Met { states: vec![name.state], nearness };
        met.by_stem.insert(name.stem.to_owned(), one);
    }

    fn rank(&self, state: State) -> usize {
        self.wanted
            .iter()
            .position(|wanted| *wanted == state)
            .unwrap_or(self.wanted.len() + state as usize)
    }
}

/// The files that there are of these items now. A call is told why it gets none that has a second link; a search finds
/// none.
fn there<'m>(
    folder: &Folder,
    picks: Picks,
    met: impl Iterator<Item = (&'m String, &'m Met)>,
) -> Result<Vec<Hit>, Errno> {
    let is_meant = |is| is == Probed::Item || (is == Probed::Linked && picks != Picks::Any);
    let mut hits = Vec::new();
    for (stem, met) in met {
        let states = folder.states(stem, &met.states, is_meant)?;
        hits.extend(states.into_iter().map(|state| Hit { stem: stem.clone(), state }));
    }
    Ok(hits)
}

/// Whether an item with this very id is in `folder`, and where it is then.
pub(crate) fn find_exact(folder: &Folder, id: &str) -> Result<Option<Hit>, Errno> {
    let query = Query::new(id, State::ALL);
    Ok(query.pick(folder, Picks::Id)?.hits.into_iter().next())
}

#[cfg(test)]
mod tests {
    use super::super::tests::Seat;
    use super::*;

    fn file(seat: &Seat, id: &str) -> Option<String> {
        seat.inbox().find(id, &FindOptions::default()).unwrap().map(|item| item.file)
    }

    #[test]
    fn an_exact_id_beats_a_substring_and_a_substring_must_be_unique() {
        let seat = Seat::new();
        for id in ["m1", "m10", "m11"] {
            seat.deliver("cohort", &format!("2026-09-08T09-59-00-000Z-{id}.yaml"));
        }
        assert_eq!(file(&seat, "m1").as_deref(), Some("2026-09-08T09-59-00-000Z-m1.yaml"));
        assert_eq!(file(&seat, "11").as_deref(), Some("2026-09-08T09-59-00-000Z-m11.yaml"));
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
        assert_eq!(file(&seat, "m1").as_deref(), Some("2026-09-10T09-59-00-000Z-m1.yaml"));
    }

    #[test]
    fn one_id_in_two_services_is_a_guess() {
        let seat = Seat::new();
        seat.deliver("cohort", "m1.yaml");
        seat.deliver("slack", "m1.yaml.processed");
        assert_eq!(file(&seat, "m1"), None);
        let within = |service: &str| {
            let service = Some(service.parse().unwrap());
            let options = FindOptions { service, ..FindOptions::default() };
            seat.inbox().find("m1", &options).unwrap()
        };
        let found = within("slack").unwrap();
        assert_eq!((found.service.as_str(), found.state), ("slack", State::Processed));
        assert_eq!(within("none"), None);
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
            let picked = Query::new("m1", wanted).pick(&folder, Picks::Exact).unwrap();
            assert_eq!(picked.hits[0].state, state, "{wanted:?}");
        }
    }

    #[test]
    fn a_call_means_an_item_by_a_whole_word_or_not_at_all() {
        let seat = Seat::new();
        for stem in [
            "2026-09-08T09-59-00-000Z-cohort-abc123",
            "2026-09-08T09-59-00-001Z-cohort-abc1234",
            "m10",
        ] {
            seat.deliver("cohort", &format!("{stem}.yaml"));
        }
        let folder = seat.open();
        let pick = |id: &str, picks| {
            let picked = Query::new(id, &[State::New]).pick(&folder, picks).unwrap();
            let stems: Vec<_> = picked.hits.iter().map(|hit| hit.stem.clone()).collect();
            (stems, picked.sentence(id, &folder))
        };
        let meant = |id: &str, picks| pick(id, picks).0.len();
        for exact in [
            "cohort-abc123",
            "2026-09-08T09-59-00-000Z-cohort-abc123",
            "m10",
            "m10.yaml",
            "m10.yaml.dispatched",
        ] {
            assert_eq!((meant(exact, Picks::Exact), meant(exact, Picks::Parts)), (1, 1), "{exact}");
        }
        assert_eq!((meant("abc123", Picks::Exact), meant("abc123", Picks::Parts)), (0, 1));
        for half in ["m1", "abc12", "cohort", "bc123", "ohort-abc123", "000Z", "2026"] {
            assert_eq!(meant(half, Picks::Parts), 0, "{half}");
        }
        assert!(pick("m1", Picks::Parts).1.contains("near it: m10"));
    }

    #[test]
    fn a_refusal_names_the_near_ones_beside_the_one_that_is_over() {
        let seat = Seat::new();
        seat.deliver("cohort", "m1.yaml.processed");
        seat.deliver("cohort", "m10.yaml.dispatched");
        let service = "cohort".parse().unwrap();
        let refusal =
            seat.inbox().reply(&service, &"m1".into(), std::time::SystemTime::now()).unwrap_err();
        assert!(
            refusal.message.ends_with("m1.yaml.processed is processed; near it: m10"),
            "{}",
            refusal.message
        );
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
