//! One run of a program: started, read to its end, within a time limit, and always reaped.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, waitpid};

use super::spawn::{Spawned, spawn};

/// How often a child is looked at while its outputs stay open: another process may hold them.
const TICK: Duration = Duration::from_millis(5);

/// The first pause before a child that has closed its outputs is looked at again; it is nearly
/// always gone by then.
const FIRST_PAUSE: Duration = Duration::from_micros(50);

/// The most that either output may hold, in bytes: what a text of JavaScript can hold too.
pub(super) const OUTPUT_LIMIT: usize = (1 << 29) - 24;

/// Why a child was not followed to its end; it was killed.
#[derive(Debug)]
pub(super) enum Lost {
    /// The system failed.
    System(io::Error),
    /// An output passed [`OUTPUT_LIMIT`].
    TooMuch,
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<Errno> for Lost {
    fn from(errno: Errno) -> Self {
        Self::System(errno.into())
    }
}

/// How a child ended and what it wrote.
#[derive(Debug)]
pub(super) struct Ended {
    /// `None` where a signal ended it, ours at the time limit included.
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Starts the program at the path `argv[0]`. `env` is its whole environment; `None` is this
/// process's own.
pub(super) fn start(argv: &[CString], env: Option<&[CString]>) -> io::Result<Running> {
    let Spawned { pid, stdout, stderr } = spawn(argv, env)?;
    Ok(Running {
        child: Child { pid, status: None },
        stdout: Output::new(stdout),
        stderr: Output::new(stderr),
    })
}

/// A started program.
pub(super) struct Running {
    child: Child,
    stdout: Output,
    stderr: Output,
}

impl Running {
    /// Reads both outputs until the child ends, or until `limit` has passed; then it is killed, with
    /// everything that it started and that stayed in its process group.
    ///
    /// The end of the child is what counts, not the end of its outputs: another process that
    /// inherited them and lives on holds nobody up. All that the child itself wrote is read either
    /// way.
    pub(super) fn follow(mut self, limit: Duration) -> Result<Ended, Lost> {
        // A limit too far away to be expressed does not count.
        self.read_until_end(Instant::now().checked_add(limit))?;
        let status = self.child.wait()?;
        self.stdout.read_rest()?;
        self.stderr.read_rest()?;
        Ok(Ended {
            code: status.exit_status(),
            stdout: std::mem::take(&mut self.stdout.bytes),
            stderr: std::mem::take(&mut self.stderr.bytes),
        })
    }

    /// Reads until the child has ended; kills it at the deadline.
    fn read_until_end(&mut self, deadline: Option<Instant>) -> Result<(), Lost> {
        let mut next_look = Instant::now() + TICK;
        let mut pause = FIRST_PAUSE;
        loop {
            let now = Instant::now();
            let left = deadline.map(|deadline| deadline.saturating_duration_since(now));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(self.child.kill()?);
            }
            let most = left.map_or(TICK, |left| left.min(TICK));
            if self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
                self.read_ready(most)?;
                if Instant::now() < next_look {
                    continue;
                }
                next_look = Instant::now() + TICK;
            } else if deadline.is_none() {
                return Ok(());
            }
            if self.child.has_ended()? {
                return Ok(());
            }
            if self.stdout.pipe.is_none() && self.stderr.pipe.is_none() {
                std::thread::sleep(pause.min(most));
                pause = (pause * 2).min(TICK);
            }
        }
    }

    /// Waits up to `most` for either output and reads what is there.
    fn read_ready(&mut self, most: Duration) -> Result<(), Lost> {
        // A `TICK` at most, so it always fits.
        let timeout = Timespec::try_from(most).unwrap_or_default();
        let out = self.stdout.pipe.as_ref().map(AsFd::as_fd);
        let err = self.stderr.pipe.as_ref().map(AsFd::as_fd);
        let mut watched: Vec<PollFd<'_>> = [out, err]
            .into_iter()
            .flatten()
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        match poll(&mut watched, Some(&timeout)) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(()),
            Err(errno) => return Err(errno.into()),
        }
        let mut events = watched.iter().map(|fd| !fd.revents().is_empty());
        let out_ready = out.is_some() && events.next() == Some(true);
        let err_ready = err.is_some() && events.next() == Some(true);
        if out_ready {
            self.stdout.read_some()?;
        }
        if err_ready {
            self.stderr.read_some()?;
        }
        Ok(())
    }
}

/// A process that is killed and reaped when it goes out of scope, so that no error leaves a zombie.
struct Child {
    pid: Pid,
    /// Known once it is reaped; from then on its id may be another's.
    status: Option<WaitStatus>,
}

impl Child {
    fn has_ended(&mut self) -> io::Result<bool> {
        if self.status.is_none() {
            self.status = self.reap(WaitOptions::NOHANG)?;
        }
        Ok(self.status.is_some())
    }

    fn wait(&mut self) -> io::Result<WaitStatus> {
        loop {
            if let Some(status) = self.status {
                return Ok(status);
            }
            self.status = self.reap(WaitOptions::empty())?;
        }
    }

    fn reap(&self, options: WaitOptions) -> io::Result<Option<WaitStatus>> {
        let ended = rustix::io::retry_on_intr(|| waitpid(Some(self.pid), options))?;
        Ok(ended.map(|(_, status)| status))
    }

    /// Kills it with all of its process group, whose id is its own until it is reaped.
    fn kill(&mut self) -> io::Result<()> {
        if self.status.is_none() {
            kill_process_group(self.pid, Signal::KILL)?;
        }
        Ok(())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // An error here means that there is nothing of ours to kill any more.
        if matches!(self.has_ended(), Ok(false)) && self.kill().is_ok() {
            let _ = self.wait();
        }
    }
}

/// One of a child's outputs and what came out of it.
struct Output {
    /// `None` once it has ended.
    pipe: Option<File>,
    bytes: Vec<u8>,
}

impl Output {
    fn new(pipe: OwnedFd) -> Self {
        Self { pipe: Some(pipe.into()), bytes: Vec::new() }
    }

    /// Reads once; the caller knows that there is something to read.
    fn read_some(&mut self) -> Result<(), Lost> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(());
        };
        let mut chunk = [0; 16 * 1024];
        match pipe.read(&mut chunk) {
            Ok(0) => self.pipe = None,
            Ok(length) => {
                let (read, _) = chunk.split_at_checked(length).unwrap_or_default();
                self.bytes.extend_from_slice(read);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
        if self.bytes.len() > OUTPUT_LIMIT {
            return Err(Lost::TooMuch);
        }
        Ok(())
    }

    /// Reads what is in the pipe at this moment and nothing that comes later: once the child has
    /// ended that holds all of its own words, and whoever else writes there cannot keep us.
    fn read_rest(&mut self) -> io::Result<()> {
        if let Some(pipe) = self.pipe.take() {
            let waiting = ioctl_fionread(&pipe)?;
            pipe.take(waiting).read_to_end(&mut self.bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{kill_process, test_kill_process};

    const LONG: Duration = Duration::from_secs(60);

    fn run(argv: &[&str], limit: Duration) -> Result<Ended, Lost> {
        let argv: Vec<CString> = argv.iter().map(|arg| CString::new(*arg).unwrap()).collect();
        start(&argv, None)?.follow(limit)
    }

    fn sh(script: &str, limit: Duration) -> Ended {
        run(&["/bin/sh", "-c", script], limit).unwrap()
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    #[test]
    fn status_and_both_outputs_come_back() {
        let ended = sh("echo out; echo err >&2; exit 3", LONG);
        assert_eq!(ended.code, Some(3));
        assert_eq!(text(&ended.stdout), "out\n");
        assert_eq!(text(&ended.stderr), "err\n");
    }

    #[test]
    fn outputs_larger_than_a_pipe_do_not_lock_up() {
        // Written one after the other: a reader of one alone would never see the second.
        let script =
            "head -c 3000000 /dev/zero >&2; head -c 5000000 /dev/zero; head -c 7 /dev/zero >&2";
        let ended = sh(script, LONG);
        assert_eq!(ended.code, Some(0));
        assert_eq!((ended.stdout.len(), ended.stderr.len()), (5_000_000, 3_000_007));
    }

    #[test]
    fn stdin_is_empty() {
        let ended = run(&["/bin/cat"], LONG).unwrap();
        assert_eq!((ended.code, ended.stdout.len()), (Some(0), 0));
    }

    #[test]
    fn a_signal_gives_no_code() {
        let ended = sh("echo before; kill -TERM $$", LONG);
        assert_eq!(ended.code, None);
        assert_eq!(text(&ended.stdout), "before\n");
    }

    #[test]
    fn the_limit_kills_the_child_and_keeps_what_it_wrote() {
        let limit = Duration::from_millis(200);
        let ended = sh("echo $$; exec sleep 600", limit);
        assert_eq!(ended.code, None);
        let pid = text(&ended.stdout).trim().parse().unwrap();
        let pid = Pid::from_raw(pid).unwrap();
        assert_eq!(test_kill_process(pid), Err(Errno::SRCH), "neither alive nor a zombie");
    }

    #[test]
    fn the_limit_holds_for_a_child_that_closed_its_outputs() {
        let limit = Duration::from_millis(200);
        let ended = sh("exec >&- 2>&-; exec sleep 600", limit);
        assert_eq!(ended.code, None);
    }

    #[test]
    fn a_child_that_closed_its_outputs_is_waited_for() {
        for limit in [LONG, Duration::MAX] {
            let ended = sh("exec >&- 2>&-; sleep 0.1; exit 4", limit);
            assert_eq!(ended.code, Some(4));
        }
    }

    #[test]
    fn a_grandchild_that_holds_the_outputs_holds_nobody_up() {
        let ended = sh("sleep 600 & echo $!; exit 5", Duration::MAX);
        assert_eq!(ended.code, Some(5));
        let pid = text(&ended.stdout).trim().parse().unwrap();
        let pid = Pid::from_raw(pid).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
    }

    #[test]
    fn a_grandchild_that_never_stops_writing_holds_nobody_up() {
        let ended = sh("yes & echo $! >&2; exit 6", LONG);
        assert_eq!(ended.code, Some(6));
        let pid = text(&ended.stderr).lines().next().unwrap().parse().unwrap();
        let pid = Pid::from_raw(pid).unwrap();
        // It dies by itself of the closed pipe; the kill may come too late.
        let _ = kill_process(pid, Signal::KILL);
    }

    #[test]
    fn a_limit_beyond_the_clock_is_none() {
        let ended = sh("exit 7", Duration::MAX);
        assert_eq!(ended.code, Some(7));
    }

    #[test]
    fn what_the_child_started_goes_with_it_at_the_limit() {
        let script = "sleep 600 & echo $!; (sleep 600 & echo $!; wait) & echo $!; exec sleep 600";
        let ended = sh(script, Duration::from_millis(300));
        assert_eq!(ended.code, None);
        let pids = text(&ended.stdout);
        let pids: Vec<Pid> =
            pids.lines().map(|pid| Pid::from_raw(pid.parse().unwrap()).unwrap()).collect();
        assert_eq!(pids.len(), 3);
        for pid in pids {
            // The kernel ends them after our child, whom alone we wait for.
            let gone = (0..500).any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                has_ended(pid)
            });
            assert!(gone, "{pid:?}");
        }
    }

    /// Whether a process of another parent has ended; whoever adopted it may not have reaped it.
    fn has_ended(pid: Pid) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        test_kill_process(pid).is_err() || stat.is_ok_and(|stat| stat.contains(") Z "))
    }

    #[test]
    fn a_descriptor_of_this_process_does_not_reach_the_child() {
        let (read, _write) = rustix::pipe::pipe().unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&read);
        assert!(rustix::io::fcntl_getfd(&read).unwrap().is_empty(), "it would be inherited");
        let ended = sh(&format!("if true <&{number}; then echo open; fi 2>/dev/null"), LONG);
        assert_eq!(text(&ended.stdout), "");
    }

    #[test]
    fn an_output_without_end_is_cut_off() {
        let lost = run(&["/usr/bin/yes"], LONG).unwrap_err();
        assert!(matches!(lost, Lost::TooMuch), "{lost:?}");
    }
}
