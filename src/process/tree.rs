//! Relatives: who descends from whom, and who carries the id of a run.

use std::collections::{BTreeMap, HashSet};

use super::{Seen, Words, words};

/// All of `table` that stand in one of the groups or sessions, are one of `known`, or descend from any
/// of these. What `is_foreign` is left out, with all that descends from it alone.
pub(crate) fn family<'t>(
    table: &'t [Seen],
    is_root: impl Fn(&Seen) -> bool,
    is_foreign: impl Fn(&Seen) -> bool,
) -> Vec<&'t Seen> {
    let mut found: Vec<&Seen> = Vec::new();
    let mut pids = HashSet::new();
    let mut take = |one: &'t Seen, found: &mut Vec<&'t Seen>| {
        if !is_foreign(one) && pids.insert(one.pid) {
            found.push(one);
        }
    };
    for one in table.iter().filter(|one| is_root(one)) {
        take(one, &mut found);
    }
    let mut children = BTreeMap::<u32, Vec<&Seen>>::new();
    for one in table {
        children.entry(one.parent).or_default().push(one);
    }
    let mut next = 0;
    while let Some(one) = found.get(next) {
        next += 1;
        for child in children.get(&one.pid).into_iter().flatten() {
            take(child, &mut found);
        }
    }
    found
}

/// The processes of `table` by the run that `run_of` finds in how they were started.
pub(crate) fn runs(
    table: &[Seen],
    run_of: impl Fn(&Words) -> Option<String>,
) -> BTreeMap<String, Vec<(Seen, Words)>> {
    let mut runs = BTreeMap::<String, Vec<(Seen, Words)>>::new();
    for one in table {
        let words = words(one.pid);
        // Another process may have its id since the table was made.
        if let Some(run) = run_of(&words).filter(|_| one.id().look().is_some()) {
            runs.entry(run).or_default().push((one.clone(), words));
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, parent: u32, group: u32, session: u32) -> Seen {
        let command = format!("p{pid}");
        Seen { pid, parent, group, session, suspended: false, started: 1, command }
    }

    #[test]
    fn a_family_is_its_roots_and_all_that_descends_from_them() {
        let table = [
            process(1, 0, 1, 1),
            process(10, 1, 10, 10),
            process(11, 10, 10, 10),
            process(12, 11, 12, 12),
            process(13, 12, 13, 13),
            // Left by its parent, in the session still.
            process(14, 1, 14, 10),
            // Forked away.
            process(15, 1, 15, 15),
            process(20, 11, 20, 20),
            process(21, 20, 20, 20),
        ];
        let found = family(&table, |one| one.session == 10, |one| one.pid == 20);
        let mut pids: Vec<u32> = found.iter().map(|one| one.pid).collect();
        pids.sort_unstable();
        assert_eq!(pids, [10, 11, 12, 13, 14]);
    }

    #[test]
    fn a_circle_of_parents_is_walked_once() {
        let table = [process(5, 6, 5, 5), process(6, 5, 5, 5)];
        assert_eq!(family(&table, |one| one.pid == 5, |_| false).len(), 2);
    }
}
