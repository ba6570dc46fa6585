//! What a process is. Its id is used again after its end, within moments in a container; its id and
//! its start together are not.

/// What the system tells of a running process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// When it started, in its system's own unit: the same for as long as it lives, and for no other
    /// process of its id.
    pub(crate) started: u64,
    /// What its program calls itself, cut to 15 bytes.
    pub(crate) command: String,
}

/// Looks at a process; `None` where there is none, or none that this process may see.
pub(crate) fn look(pid: u32) -> Option<Seen> {
    imp::look(pid)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod imp {
    use super::Seen;

    pub(super) fn look(pid: u32) -> Option<Seen> {
        parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Reads a line of `/proc/PID/stat`, whose second field may hold blanks and parentheses.
    fn parse(stat: &str) -> Option<Seen> {
        let (before, after) = stat.rsplit_once(')')?;
        let (_, command) = before.split_once('(')?;
        // The 22nd field: ticks since the boot. What comes after the command is the third.
        let started = after.split_ascii_whitespace().nth(22 - 3)?;
        Some(Seen { started: started.parse().ok()?, command: command.to_owned() })
    }

    #[cfg(test)]
    mod tests {
        use super::parse;

        #[test]
        fn a_command_may_hold_what_parts_the_fields() {
            let rest = "S 1 4 4 0 -1 1077936192 121 0 0 0 0 0 0 0 20 0 1 0 1028553 9 9";
            let seen = parse(&format!("4 (a) (b 7) {rest}\n")).unwrap();
            assert_eq!((seen.command.as_str(), seen.started), ("a) (b 7", 1_028_553));
            assert_eq!(parse("4 (a) S 1"), None);
            assert_eq!(parse(""), None);
        }
    }
}

#[cfg(target_vendor = "apple")]
mod imp {
    use std::ffi::CStr;
    use std::mem::{MaybeUninit, size_of};

    use super::Seen;

    pub(super) fn look(pid: u32) -> Option<Seen> {
        let pid = pid.try_into().ok()?;
        let size = size_of::<libc::proc_bsdinfo>().try_into().ok()?;
        let mut info = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
        let buffer = info.as_mut_ptr().cast();
        // SAFETY: the buffer has the size that is told.
        let read = unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, buffer, size) };
        if read != size {
            return None;
        }
        // SAFETY: all of it was written.
        let info = unsafe { info.assume_init() };
        // SAFETY: the kernel ends the name with a NUL within the array.
        let command = unsafe { CStr::from_ptr(info.pbi_comm.as_ptr()) };
        Some(Seen {
            // Microseconds of the wall clock.
            started: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
            command: command.to_string_lossy().into_owned(),
        })
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod imp {
    pub(super) fn look(_: u32) -> Option<super::Seen> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::look;

    #[test]
    fn a_process_has_one_start_and_another_one_another() {
        let own = look(std::process::id()).unwrap();
        assert_eq!(look(std::process::id()), Some(own.clone()));
        std::thread::sleep(std::time::Duration::from_millis(30));
        let mut child = std::process::Command::new("/bin/sleep").arg("600").spawn().unwrap();
        let seen = look(child.id()).unwrap();
        assert!(seen.started > own.started, "{seen:?} {own:?}");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(look(child.id()), None);
    }
}
