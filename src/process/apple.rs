//! `proc_pidinfo` and `sysctl`, which tell of this user's processes alone.

use std::ffi::{CStr, c_int, c_void};
use std::mem::{MaybeUninit, size_of};
use std::ptr;
use std::sync::OnceLock;

use super::{Seen, Words, texts};

/// What `pbi_status` is of a process that was stopped by a signal, and of one that has ended
/// (`sys/proc.h`).
const SSTOP: u32 = 4;
const SZOMB: u32 = 5;

/// Which processes are listed: those of one effective user (`sys/proc_info.h`).
const PROC_UID_ONLY: u32 = 4;

pub(super) fn look(pid: u32) -> Option<Seen> {
    let raw = c_int::try_from(pid).ok()?;
    let size = c_int::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    let mut info = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let buffer = info.as_mut_ptr().cast();
    // SAFETY: the buffer has the size that is told.
    let read = unsafe { libc::proc_pidinfo(raw, libc::PROC_PIDTBSDINFO, 0, buffer, size) };
    if read != size {
        return None;
    }
    // SAFETY: all of it was written.
    let info = unsafe { info.assume_init() };
    if info.pbi_status == SZOMB {
        return None;
    }
    // SAFETY: takes a number and gives one.
    let session = unsafe { libc::getsid(raw) };
    // SAFETY: the kernel ends the name with a NUL within the array.
    let command = unsafe { CStr::from_ptr(info.pbi_comm.as_ptr()) };
    Some(Seen {
        pid,
        parent: info.pbi_ppid,
        group: info.pbi_pgid,
        session: u32::try_from(session).ok()?,
        suspended: info.pbi_status == SSTOP,
        // Microseconds of the wall clock, taken at the fork and kept.
        started: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
        command: command.to_string_lossy().into_owned(),
    })
}

pub(super) fn all() -> Vec<Seen> {
    let user = rustix::process::geteuid().as_raw();
    let list = |buffer: *mut c_void, size| {
        // SAFETY: the buffer is null, which asks for the size, or has the size that is told.
        unsafe { libc::proc_listpids(PROC_UID_ONLY, user, buffer, size) }
    };
    // Some may come between the two calls.
    let room =
        usize::try_from(list(ptr::null_mut(), 0)).unwrap_or_default() / size_of::<c_int>() + 64;
    let mut pids = vec![0_u32; room];
    let size = c_int::try_from(room * size_of::<c_int>()).unwrap_or_default();
    let filled = usize::try_from(list(pids.as_mut_ptr().cast(), size)).unwrap_or_default();
    pids.truncate(filled / size_of::<c_int>());
    pids.into_iter().filter(|pid| *pid != 0).filter_map(look).collect()
}

/// The environment of Apple's own restricted programs (`/bin/sh`, `env`, `login`) is left out; their
/// arguments are there.
pub(super) fn words(pid: u32) -> Words {
    read_words(pid).unwrap_or_default()
}

fn read_words(pid: u32) -> Option<Words> {
    let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, c_int::try_from(pid).ok()?];
    // As much as all arguments and variables may have together (ARG_MAX).
    let mut block = vec![0_u8; 1 << 20];
    let mut size = block.len();
    // SAFETY: the name has the length that is told, and so has the buffer.
    let failed = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            3,
            block.as_mut_ptr().cast(),
            &raw mut size,
            ptr::null_mut(),
            0,
        )
    };
    if failed != 0 {
        return None;
    }
    block.truncate(size);
    // A count; the path of the program and NULs; as many arguments; the variables.
    let (count, rest) = block.split_first_chunk::<4>()?;
    let count = usize::try_from(c_int::from_ne_bytes(*count)).ok()?;
    let path = rest.iter().position(|byte| *byte == 0)?;
    let rest = rest.get(path..)?;
    let start = rest.iter().position(|byte| *byte != 0)?;
    let mut texts = texts(rest.get(start..)?);
    Some(Words {
        args: texts.by_ref().take(count).collect(),
        env: texts.take_while(|text| !text.is_empty()).collect(),
    })
}

/// The kernel's own name for this boot.
pub(super) fn boot() -> String {
    static BOOT: OnceLock<String> = OnceLock::new();
    BOOT.get_or_init(|| read_boot().unwrap_or_default()).clone()
}

fn read_boot() -> Option<String> {
    let mut text = [0_u8; 64];
    let mut size = text.len();
    let name = c"kern.bootsessionuuid";
    // SAFETY: the name is NUL-terminated, and the buffer has the size that is told.
    let failed = unsafe {
        libc::sysctlbyname(
            name.as_ptr(),
            text.as_mut_ptr().cast(),
            &raw mut size,
            ptr::null_mut(),
            0,
        )
    };
    let text = text.get(..size).filter(|_| failed == 0)?;
    Some(CStr::from_bytes_until_nul(text).ok()?.to_str().ok()?.to_owned())
}
