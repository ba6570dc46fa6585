//! What a process is, its relatives, its end, and signals that reach it and no other.
//!
//! The id of a process is used again after its end, within moments in a container; its id and its start together
//! are not.

mod end;
mod signal;
mod tree;
mod wait;

#[cfg_attr(any(target_os = "linux", target_os = "android"), path = "linux.rs")]
#[cfg_attr(target_vendor = "apple", path = "apple.rs")]
#[cfg_attr(
    not(any(target_os = "linux", target_os = "android", target_vendor = "apple")),
    path = "other.rs"
)]
mod system;

use serde::{Deserialize, Serialize};

pub(crate) use end::{End, wait_for_all};
pub(crate) use signal::send;
pub(crate) use tree::{family, runs};
#[cfg(feature = "node")]
pub(crate) use wait::cancel;
pub(crate) use wait::{Waited, on_end, on_next_end};

/// A process, distinguished from any other that has its id before or after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessId {
    /// Its id while it lives.
    pub pid: u32,
    /// When it started, in its system's own unit: ticks since the boot on Linux, microseconds since
    /// the epoch on macOS. The same for as long as it lives; only ever compared.
    pub started_at: u64,
    /// Which boot of the machine that was: the kernel's own name for it.
    pub boot: String,
}

impl ProcessId {
    /// The process that has this id now.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        system::look(pid).map(|seen| seen.id())
    }

    /// What the system tells of it, `None` once it has ended. One that has ended and is not reaped by
    /// its parent has ended.
    pub(crate) fn look(&self) -> Option<Seen> {
        system::look(self.pid).filter(|seen| seen.is(self))
    }
}

/// What the system tells of a running process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    pub(crate) session: u32,
    pub(crate) suspended: bool,
    /// See [`ProcessId::started_at`].
    pub(crate) started: u64,
    /// What its program calls itself, cut to 15 bytes.
    pub(crate) command: String,
}

impl Seen {
    pub(crate) fn id(&self) -> ProcessId {
        ProcessId { pid: self.pid, started_at: self.started, boot: system::boot() }
    }

    pub(crate) fn is(&self, process: &ProcessId) -> bool {
        (self.pid, self.started) == (process.pid, process.started_at)
            && process.boot == system::boot()
    }
}

/// The words of a process as it was started.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<String>,
}

impl Words {
    /// The value of a variable; the first of several, as the C library reads it.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.env.iter().find_map(|variable| variable.strip_prefix(name)?.strip_prefix('='))
    }
}

/// Looks at a process; `None` where there is none, or none that this process may see.
pub(crate) fn look(pid: u32) -> Option<Seen> {
    system::look(pid)
}

/// Every process of this user that runs.
pub(crate) fn all() -> Vec<Seen> {
    system::all()
}

/// How a process was started, as far as the system shows it: nothing in the moment in which a program takes
/// another's place.
pub(crate) fn words(pid: u32) -> Words {
    system::words(pid)
}

/// The texts of a block in which each ends in a NUL.
fn texts(block: &[u8]) -> impl Iterator<Item = String> {
    let block = block.strip_suffix(b"\0").unwrap_or(block);
    let texts = (!block.is_empty()).then(|| block.split(|byte| *byte == 0));
    texts.into_iter().flatten().map(|text| String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_one_start_and_another_one_another() {
        let own = look(std::process::id()).unwrap();
        assert_eq!(look(std::process::id()), Some(own.clone()));
        std::thread::sleep(std::time::Duration::from_millis(30));
        let mut child = std::process::Command::new("/bin/sleep").arg("600").spawn().unwrap();
        let seen = look(child.id()).unwrap();
        assert!(seen.started > own.started, "{seen:?} {own:?}");
        assert_eq!(seen.parent, own.pid);
        let id = seen.id();
        assert_eq!(id.look(), Some(seen));
        child.kill().unwrap();
        while id.look().is_some() {
            std::thread::yield_now();
        }
        assert_eq!(look(child.id()), None, "ended, although nobody has reaped it");
        child.wait().unwrap();
        assert_eq!(look(child.id()), None);
    }

    #[test]
    fn a_process_of_another_start_or_boot_is_another_one() {
        let own = ProcessId::of(std::process::id()).unwrap();
        assert!(own.look().is_some());
        assert_eq!(ProcessId { started_at: own.started_at - 1, ..own.clone() }.look(), None);
        assert_eq!(ProcessId { boot: "another".to_owned(), ..own }.look(), None);
    }

    #[test]
    fn the_words_of_a_process_are_those_it_was_started_with() {
        let mut child = std::process::Command::new("/bin/sleep")
            .args(["600", "0.0"])
            .env("SEAT", "olivia=é")
            .spawn()
            .unwrap();
        // While a program takes another's place it has none.
        let mut words = words(child.id());
        while words.args.is_empty() {
            words = super::words(child.id());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(words.args, ["/bin/sleep", "600", "0.0"]);
        assert_eq!(words.variable("SEAT"), Some("olivia=é"));
        assert_eq!(words.variable("SEA"), None);
        assert_eq!(super::words(child.id()), Words::default());
    }

    #[test]
    fn this_process_is_among_all() {
        let own = look(std::process::id()).unwrap();
        assert!(all().contains(&own));
    }
}
