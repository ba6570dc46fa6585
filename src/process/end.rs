//! A process's end, told by the kernel.

use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Pid;

use super::ProcessId;

/// How often a process is looked at where the kernel tells nothing.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How the end of a process is to be noticed.
#[derive(Debug)]
pub(crate) enum End {
    /// It has ended already.
    Past,
    /// The descriptor can be read once it has.
    Told(OwnedFd),
    /// Only by looking.
    Untold,
}

impl End {
    pub(crate) fn of(process: &ProcessId) -> Self {
        let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else {
            return Self::Past;
        };
        // First the descriptor, then the look: it is of the process that is seen, or of none.
        let told = subscribe(pid);
        match (process.look(), told) {
            (None, _) | (_, Err(Errno::SRCH)) => Self::Past,
            (Some(_), Ok(descriptor)) => Self::Told(descriptor),
            (Some(_), Err(_)) => Self::Untold,
        }
    }
}

/// A descriptor that can be read once the process that has this id now has ended.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn subscribe(pid: Pid) -> rustix::io::Result<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())
}

#[cfg(target_vendor = "apple")]
fn subscribe(pid: Pid) -> rustix::io::Result<OwnedFd> {
    use rustix::event::kqueue::{Event, EventFilter, EventFlags, ProcessEvents, kevent, kqueue};

    let queue = kqueue()?;
    rustix::io::fcntl_setfd(&queue, rustix::io::FdFlags::CLOEXEC)?;
    let filter = EventFilter::Proc { pid, flags: ProcessEvents::EXIT };
    let event = Event::new(filter, EventFlags::ADD, std::ptr::null_mut());
    let mut none: [Event; 0] = [];
    // SAFETY: the event names no descriptor that could be closed before its time.
    unsafe { kevent(&queue, &[event], &mut none, None) }?;
    Ok(queue)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn subscribe(_: Pid) -> rustix::io::Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// Waits until one of the descriptors can be read, `most` at the longest. Which, the caller asks.
pub(super) fn wait_readable<Fd: AsFd>(descriptors: &[Fd], most: Duration) -> Vec<bool> {
    let mut watched: Vec<PollFd<'_>> =
        descriptors.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
    // Longer than any timeout that poll can be given is waited for in parts.
    let most = Timespec::try_from(most.min(Duration::from_secs(3600))).unwrap_or_default();
    // An interruption or a failure is as no event: the caller looks again.
    let _ = poll(&mut watched, Some(&most));
    watched.iter().map(|fd| !fd.revents().is_empty()).collect()
}

/// Waits until all of them have ended, or the deadline has passed.
pub(crate) fn wait_for_all<'a>(
    processes: impl IntoIterator<Item = &'a ProcessId>,
    deadline: Instant,
) -> bool {
    for process in processes {
        let end = End::of(process);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let ended = match &end {
                End::Past => true,
                End::Told(descriptor) => wait_readable(&[descriptor], left) == [true],
                End::Untold => {
                    std::thread::sleep(left.min(Duration::from_millis(20)));
                    process.look().is_none()
                }
            };
            if ended {
                break;
            }
            if Instant::now() >= deadline {
                return false;
            }
        }
    }
    true
}
