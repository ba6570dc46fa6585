//! The items that this process is at work on. A lock is between processes: where the file system makes it of one that
//! belongs to a process (NFS, SMB), two threads of one would both have it.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

use rustix::fd::AsFd;
use rustix::io::Errno;

/// An item by its folder and its stem, which it keeps from state to state.
type Key = (u64, u64, String);

static AT_WORK: LazyLock<Mutex<HashSet<Key>>> = LazyLock::new(Mutex::default);

/// The right of one thread to work on an item; it ends with the value.
#[derive(Debug)]
pub(super) struct Within(Key);

impl Within {
    /// `Ok(None)`: another thread has it.
    pub(super) fn take(dir: impl AsFd, stem: &str) -> Result<Option<Self>, Errno> {
        let stat = rustix::fs::fstat(dir)?;
        #[allow(
            clippy::unnecessary_cast,
            clippy::cast_sign_loss,
            reason = "a device has another type on macOS"
        )]
        let key = (stat.st_dev as u64, stat.st_ino as u64, stem.to_owned());
        let free = with(|at_work| at_work.insert(key.clone()));
        Ok(free.then_some(Self(key)))
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        with(|at_work| at_work.remove(&self.0));
    }
}

/// A thread that panicked left the set whole.
fn with<T>(work: impl FnOnce(&mut HashSet<Key>) -> T) -> T {
    work(&mut AT_WORK.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_of_a_folder_is_worked_on_once_at_a_time() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [one, other] =
            folders.each_ref().map(|folder| std::fs::File::open(folder.path()).unwrap());
        let first = Within::take(&one, "m1").unwrap();
        assert!(first.is_some());
        assert!(Within::take(&one, "m1").unwrap().is_none());
        assert!(Within::take(&one, "m10").unwrap().is_some());
        assert!(Within::take(&other, "m1").unwrap().is_some());
        drop(first);
        assert!(Within::take(&one, "m1").unwrap().is_some());
    }
}
