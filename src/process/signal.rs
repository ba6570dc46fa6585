//! Signals that reach the process that is meant, or none.

use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use super::ProcessId;

/// Sends a signal; `false` where the process has ended, or is none that this user may signal.
///
/// On Linux through a descriptor of the process, so that one which gets its id this moment is never
/// hit. Elsewhere, and where there are no such descriptors, it is looked at just before.
pub(crate) fn send(process: &ProcessId, signal: Signal) -> bool {
    let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else {
        return false;
    };
    match through_descriptor(process, pid, signal) {
        Ok(()) => true,
        Err(Errno::SRCH | Errno::PERM) => false,
        Err(_) => process.look().is_some() && rustix::process::kill_process(pid, signal).is_ok(),
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn through_descriptor(process: &ProcessId, pid: Pid, signal: Signal) -> rustix::io::Result<()> {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

    let descriptor = pidfd_open(pid, PidfdFlags::empty())?;
    // It is of this process, or of none that lives.
    process.look().ok_or(Errno::SRCH)?;
    pidfd_send_signal(descriptor, signal)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn through_descriptor(_: &ProcessId, _: Pid, _: Signal) -> rustix::io::Result<()> {
    Err(Errno::NOSYS)
}
