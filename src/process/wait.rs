//! One thread that waits for the ends of all processes that anybody here waits for. It is there while
//! one is waited for, and costs nothing until something happens.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::end::{LOOK_EVERY, wait_readable};
use super::{End, ProcessId};

/// Why a wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// The process has ended.
    Ended,
    /// The deadline has passed.
    TimedOut,
    /// Nobody wants to know any more.
    Cancelled,
}

type Then = Box<dyn FnOnce(u32, Waited) + Send>;

struct Wait {
    process: ProcessId,
    end: Arc<End>,
    deadline: Option<Instant>,
    cancelled: bool,
    then: Then,
}

#[derive(Default)]
struct Waits {
    by_id: HashMap<u32, Wait>,
    last_id: u32,
    /// What wakes the thread; `None` where there is none.
    bell: Option<OwnedFd>,
}

static WAITS: Mutex<Option<Waits>> = Mutex::new(None);

/// A panic of another thread leaves nothing half done here.
fn lock() -> MutexGuard<'static, Option<Waits>> {
    WAITS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ring(bell: Option<&OwnedFd>) {
    if let Some(bell) = bell {
        // A full pipe has woken it already.
        let _ = rustix::io::write(bell, b"!");
    }
}

/// Calls `then` once, from the thread that waits, when the process has ended or the deadline has
/// passed; gives the id by which the wait can be cancelled, and `then` too.
///
/// # Errors
///
/// The thread or its pipe could not be made; `then` is not called.
pub(crate) fn on_end(
    process: &ProcessId,
    deadline: Option<Instant>,
    then: impl FnOnce(u32, Waited) + Send + 'static,
) -> io::Result<u32> {
    begin(None, process, deadline, Box::new(then))
}

/// The same for a wait that goes on with another process, under the id that it had.
pub(crate) fn on_next_end(
    id: u32,
    process: &ProcessId,
    deadline: Option<Instant>,
    then: impl FnOnce(u32, Waited) + Send + 'static,
) -> io::Result<u32> {
    begin(Some(id), process, deadline, Box::new(then))
}

fn begin(
    id: Option<u32>,
    process: &ProcessId,
    deadline: Option<Instant>,
    then: Then,
) -> io::Result<u32> {
    let end = Arc::new(End::of(process));
    let mut state = lock();
    let waits = state.get_or_insert_default();
    if waits.bell.is_none() {
        let (listener, bell) = pipe()?;
        std::thread::Builder::new()
            .name("seatkit-wait".to_owned())
            .spawn(move || run(&listener))?;
        waits.bell = Some(bell);
    }
    // Never 0, and never that of a wait that has lasted for four billion others.
    let id = id.unwrap_or_else(|| {
        let mut id = waits.last_id;
        while id == 0 || waits.by_id.contains_key(&id) {
            id = id.wrapping_add(1);
        }
        waits.last_id = id.wrapping_add(1);
        id
    });
    let wait = Wait { process: process.clone(), end, deadline, cancelled: false, then };
    waits.by_id.insert(id, wait);
    ring(waits.bell.as_ref());
    Ok(id)
}

#[cfg_attr(
    not(feature = "node"),
    allow(dead_code, reason = "Rust's own callers wait for one thing")
)]
/// Ends a wait that nobody wants any more; one that is over already stays as it ended.
pub(crate) fn cancel(id: u32) {
    let mut state = lock();
    if let Some(waits) = state.as_mut()
        && let Some(wait) = waits.by_id.get_mut(&id)
    {
        wait.cancelled = true;
        ring(waits.bell.as_ref());
    }
}

#[cfg(not(target_vendor = "apple"))]
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::pipe::PipeFlags;

    Ok(rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?)
}

#[cfg(target_vendor = "apple")]
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::io::{FdFlags, fcntl_setfd};

    let (read, write) = rustix::pipe::pipe()?;
    for end in [&read, &write] {
        fcntl_setfd(end, FdFlags::CLOEXEC)?;
        fcntl_setfl(end, OFlags::NONBLOCK)?;
    }
    Ok((read, write))
}

fn run(listener: &OwnedFd) {
    loop {
        let (ids, ends, most) = {
            let state = lock();
            let waits = state.iter().flat_map(|waits| &waits.by_id);
            let (ids, ends): (Vec<u32>, Vec<Arc<End>>) =
                waits.map(|(id, wait)| (*id, Arc::clone(&wait.end))).unzip();
            let waits = state.iter().flat_map(|waits| waits.by_id.values());
            let most = waits.map(Wait::patience).min();
            (ids, ends, most.unwrap_or(Duration::MAX))
        };
        let told = ids.iter().zip(&ends).filter_map(|(id, end)| match &**end {
            End::Told(descriptor) => Some((*id, descriptor.as_fd())),
            End::Past | End::Untold => None,
        });
        let (told, mut descriptors): (Vec<u32>, Vec<BorrowedFd<'_>>) = told.unzip();
        descriptors.push(listener.as_fd());
        let readable = wait_readable(&descriptors, most);
        let ended: Vec<u32> =
            told.into_iter().zip(readable).filter(|(_, ended)| *ended).map(|(id, _)| id).collect();
        let mut heard = [0; 64];
        while rustix::io::read(listener, &mut heard).is_ok_and(|length| length == heard.len()) {}

        for (id, then, waited) in over(&ended) {
            then(id, waited);
        }
        let mut state = lock();
        if state.as_ref().is_none_or(|waits| waits.by_id.is_empty()) {
            // The next wait starts another thread.
            if let Some(waits) = state.as_mut() {
                waits.bell = None;
            }
            return;
        }
    }
}

/// Takes away the waits that are over.
fn over(ended: &[u32]) -> Vec<(u32, Then, Waited)> {
    let mut state = lock();
    let Some(waits) = state.as_mut() else {
        return Vec::new();
    };
    let now = Instant::now();
    let over: Vec<(u32, Waited)> = waits
        .by_id
        .iter()
        .filter_map(|(id, wait)| Some((*id, wait.over(now, ended.contains(id))?)))
        .collect();
    over.into_iter()
        .filter_map(|(id, waited)| Some((id, waits.by_id.remove(&id)?.then, waited)))
        .collect()
}

impl Wait {
    /// How long nothing need be done for it unless its descriptor tells.
    fn patience(&self) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let look = match *self.end {
            End::Past => Duration::ZERO,
            End::Told(_) => Duration::MAX,
            End::Untold => LOOK_EVERY,
        };
        left.unwrap_or(Duration::MAX).min(look)
    }

    fn over(&self, now: Instant, told: bool) -> Option<Waited> {
        let ended = match *self.end {
            End::Past => true,
            End::Told(_) => told,
            End::Untold => self.process.look().is_none(),
        };
        if ended {
            Some(Waited::Ended)
        } else if self.cancelled {
            Some(Waited::Cancelled)
        } else {
            self.deadline.filter(|deadline| *deadline <= now).map(|_| Waited::TimedOut)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    fn sleeper() -> (Child, ProcessId) {
        let child = Command::new("/bin/sleep").arg("600").spawn().unwrap();
        let id = ProcessId::of(child.id()).unwrap();
        (child, id)
    }

    fn wait(process: &ProcessId, deadline: Option<Instant>) -> (u32, Receiver<Waited>) {
        let (sender, receiver) = channel();
        let id = on_end(process, deadline, move |_, waited| sender.send(waited).unwrap()).unwrap();
        (id, receiver)
    }

    #[test]
    fn many_ends_are_told_each_to_its_own_waiters() {
        let mut all: Vec<(Child, ProcessId)> = (0..20).map(|_| sleeper()).collect();
        let waits: Vec<_> =
            all.iter().flat_map(|(_, id)| [wait(id, None), wait(id, None)]).collect();
        let (ending, staying) = all.split_at_mut(10);
        for (child, _) in ending {
            child.kill().unwrap();
        }
        for (_, receiver) in waits.iter().take(20) {
            assert_eq!(receiver.recv().unwrap(), Waited::Ended);
        }
        for (id, receiver) in waits.iter().skip(20) {
            assert!(receiver.try_recv().is_err());
            cancel(*id);
            assert_eq!(receiver.recv().unwrap(), Waited::Cancelled);
        }
        for (child, _) in staying {
            child.kill().unwrap();
        }
        for (child, _) in &mut all {
            child.wait().unwrap();
        }
    }

    #[test]
    fn a_deadline_ends_a_wait_and_not_the_process() {
        let (mut child, id) = sleeper();
        let (_, receiver) = wait(&id, Some(Instant::now() + Duration::from_millis(30)));
        assert_eq!(receiver.recv().unwrap(), Waited::TimedOut);
        let (_, receiver) = wait(&id, Some(Instant::now()));
        assert_eq!(receiver.recv().unwrap(), Waited::TimedOut);
        assert!(id.look().is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        let (_, receiver) = wait(&id, None);
        assert_eq!(receiver.recv().unwrap(), Waited::Ended, "it was over before");
    }

    #[test]
    fn a_wait_may_begin_another_one_when_it_is_over() {
        let (mut first, first_id) = sleeper();
        let (mut second, second_id) = sleeper();
        let (sender, receiver) = channel();
        let (told, begun) = channel();
        let id = on_end(&first_id, None, move |id, _| {
            let then = move |_, waited| sender.send(waited).unwrap();
            told.send(on_next_end(id, &second_id, None, then).unwrap()).unwrap();
        })
        .unwrap();
        first.kill().unwrap();
        assert_eq!(begun.recv().unwrap(), id, "by which it is cancelled still");
        second.kill().unwrap();
        assert_eq!(receiver.recv().unwrap(), Waited::Ended);
        first.wait().unwrap();
        second.wait().unwrap();
    }
}
