//! The ids of what was archived, remembered for as long as their folder stays as it is: a delivery asks for its own
//! among all that ever were.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;

use super::archive::months;
use super::find::{Hit, find_exact};
use super::folder::{AtRest, Folder};
use super::name::{ItemName, Service};

/// Finds an archived item of this very id, and the folder that it is in.
pub(crate) fn find_id(
    root: &std::path::Path,
    service: &Service,
    id: &str,
) -> Result<Option<(Folder, Hit)>, Errno> {
    for month in months(root, service)? {
        if may_hold(&month, id)?
            && let Some(hit) = find_exact(&month, id)?
        {
            return Ok(Some((month, hit)));
        }
    }
    Ok(None)
}

/// More ids than this in one process start over: some ten megabytes.
const MOST_IDS: usize = 1 << 20;

/// What was read of folders that were at rest.
#[derive(Default)]
struct Read {
    hasher: RandomState,
    folders: HashMap<AtRest, HashSet<u64>>,
}

static READ: Mutex<Option<Read>> = Mutex::new(None);

/// Whether a folder may hold an item of this id; it does not where the answer is `false`.
fn may_hold(folder: &Folder, id: &str) -> Result<bool, Errno> {
    let Some(rest) = folder.at_rest()? else {
        return Ok(true);
    };
    let known = with_read(|read| {
        let ids = read.folders.get(&rest)?;
        Some(ids.contains(&read.hasher.hash_one(id)))
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let mut ids = Vec::new();
    folder.scan(|entry| {
        if let Some(name) = ItemName::parse(entry.name) {
            ids.push(name.id().to_owned());
        }
    })?;
    if folder.at_rest()? != Some(rest) {
        return Ok(true);
    }
    with_read(|read| {
        if ids.len() + read.folders.values().map(HashSet::len).sum::<usize>() > MOST_IDS {
            read.folders.clear();
        }
        read.folders.retain(|known, _| known.number != rest.number);
        let hashes = ids.iter().map(|id| read.hasher.hash_one(id.as_str())).collect();
        read.folders.insert(rest, hashes);
    });
    Ok(ids.iter().any(|held| held == id))
}

fn with_read<T>(act: impl FnOnce(&mut Read) -> T) -> T {
    // Nothing here is ever half done, whoever panicked.
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    act(read.get_or_insert_default())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::tests::Seat;
    use super::*;

    #[test]
    fn what_is_remembered_of_a_folder_is_forgotten_when_it_changes() {
        let seat = Seat::new();
        let service = "cohort".parse().unwrap();
        let month = std::path::Path::new(seat.root()).join("state/inbox-archive/cohort/2026-09");
        std::fs::create_dir_all(&month).unwrap();
        let found = |id: &str| {
            let found = find_id(std::path::Path::new(seat.root()), &service, id).unwrap();
            found.map(|(_, hit)| hit.stem)
        };
        // Longer than two changes may have one time.
        let rest = || std::thread::sleep(Duration::from_millis(50));
        rest();
        assert_eq!(found("m1"), None);
        std::fs::write(month.join("2026-09-08T09-59-00-000Z-m1.yaml.processed"), "a").unwrap();
        // Changed this moment, and at rest again.
        for _ in 0..2 {
            assert_eq!(found("m1").as_deref(), Some("2026-09-08T09-59-00-000Z-m1"));
            assert_eq!(found("m"), None);
            rest();
        }
        std::fs::remove_file(month.join("2026-09-08T09-59-00-000Z-m1.yaml.processed")).unwrap();
        assert_eq!(found("m1"), None);
        rest();
        assert_eq!(found("m1"), None);
    }
}
