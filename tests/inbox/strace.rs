//! A call under `strace`: which system calls it makes on the inbox, and what it does when one of them
//! fails, or when the process ends or stops right before it.

use std::collections::HashMap;
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use seatkit::inbox::State;

use super::answer::Answer;
use super::process::command_under;
use super::seat::{STEM, Seat, say};
use super::step::Step;

/// Whether calls can be traced here; says aloud when not.
pub(crate) fn can_trace() -> bool {
    let traced = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !traced {
        say("SKIPPED: strace is not here, or may not trace");
    }
    traced
}

/// Which files are traced, counted and tampered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// The folders of the inbox, and the item under all its names.
    Item,
    /// All, for a call that makes files whose names nobody knows before.
    Everything,
}

/// A system call, as it was made on the inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SystemCall {
    pub(crate) name: String,
    /// Which of the calls of this name it is, the first being 1: what `strace` counts by.
    pub(crate) nth: usize,
    /// The whole line, descriptors with their paths.
    pub(crate) text: String,
    scope: Scope,
}

/// What is to happen at a system call instead of it.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) call: String,
    /// As `strace` takes it: `3` or `3+`.
    pub(crate) when: String,
    /// As `strace` takes it: `error=EIO`, `retval=10`, `signal=KILL`.
    pub(crate) what: String,
    scope: Scope,
}

impl Fault {
    pub(crate) fn at(call: &SystemCall, what: &str) -> Self {
        Self {
            call: call.name.clone(),
            when: call.nth.to_string(),
            what: what.to_owned(),
            scope: call.scope,
        }
    }

    /// At every call of this name on the inbox and the item.
    pub(crate) fn always(call: &str, what: &str) -> Self {
        Self {
            call: call.to_owned(),
            when: "1+".to_owned(),
            what: what.to_owned(),
            scope: Scope::Item,
        }
    }

    pub(crate) fn from(call: &SystemCall, what: &str) -> Self {
        Self { when: format!("{}+", call.nth), ..Self::at(call, what) }
    }
}

/// What came of a traced call.
#[derive(Debug)]
pub(crate) struct Traced {
    /// Those on the inbox, the opening of the root first.
    pub(crate) calls: Vec<SystemCall>,
    /// `None` where the process did not live to answer.
    pub(crate) answer: Option<Answer>,
}

impl Traced {
    /// The calls up to the one that failed instead of what it is; `None` where none did. A folder that was just made is
    /// scanned until it is at rest, so that the calls of one run are not always those of the next.
    pub(crate) fn until_the_fault(&self) -> Option<&[SystemCall]> {
        let injected = |call: &SystemCall| call.text.ends_with("(INJECTED)");
        let at = self.calls.iter().position(injected)?;
        self.calls.get(..=at)
    }
}

/// Takes `step` on the seat, in a process of its own.
pub(crate) fn trace(seat: &Seat, step: Step, faults: &[Fault]) -> Traced {
    let scope = faults.first().map_or(Scope::Item, |fault| fault.scope);
    traced(scope, seat, step, faults)
}

/// The same with all that the step does beside the item. A fault at one of these calls is counted among all of them.
pub(crate) fn trace_everything(seat: &Seat, step: Step) -> Traced {
    traced(Scope::Everything, seat, step, &[])
}

fn traced(scope: Scope, seat: &Seat, step: Step, faults: &[Fault]) -> Traced {
    seat.rest();
    let log = tempfile::NamedTempFile::new().unwrap();
    let output = command(scope, seat, step, faults, log.path()).output().unwrap();
    let mut calls = calls_of(&std::fs::read_to_string(log.path()).unwrap(), scope);
    calls.retain(|call| call.text.contains(seat.root()));
    Traced { calls, answer: answer_of(&output) }
}

fn command(scope: Scope, seat: &Seat, step: Step, faults: &[Fault], log: &Path) -> Command {
    let mut options = words(["-f", "-y", "-s", "4096", "-o", log.to_str().unwrap()]);
    if faults.iter().all(|fault| !fault.what.starts_with("signal")) {
        // Faster; but then signals come after the call, if at all.
        options.extend(words(["--seccomp-bpf", "-e", "trace=%file,%desc"]));
    }
    // Only what is called on the inbox is traced, counted and tampered with.
    let folders = ["", "/state", "/state/inbox"].map(|below| format!("{}{below}", seat.root()));
    let folder = seat.folder().to_str().unwrap().to_owned();
    let files = State::ALL
        .iter()
        .map(|state| format!("{folder}/{STEM}{}", state.suffix()))
        .collect::<Vec<_>>();
    let paths = folders.iter().chain([&folder]).chain(&files);
    for path in paths.filter(|_| scope == Scope::Item) {
        options.extend(words(["-P", path]));
    }
    for fault in faults {
        let Fault { call, what, when, .. } = fault;
        options.extend(words(["-e", &format!("inject={call}:{what}:when={when}")]));
    }
    let task = match scope {
        Scope::Item => "step",
        Scope::Everything => "step-apart",
    };
    command_under("strace", &options, &[task, step.name(), seat.root()])
}

/// A process that was stopped in the middle of a call.
pub(crate) struct Stopped {
    /// Until it has answered.
    strace: Option<Child>,
    process: Pid,
    _log: tempfile::NamedTempFile,
}

/// Takes `step` on the seat and stops its process right after the system call `at`.
pub(crate) fn stop_behind(seat: &Seat, step: Step, at: &SystemCall) -> Stopped {
    let log = tempfile::NamedTempFile::new().unwrap();
    let fault = Fault::at(at, "signal=STOP");
    let mut strace = command(at.scope, seat, step, &[fault], log.path()).spawn().unwrap();
    let process = loop {
        let said = std::fs::read_to_string(log.path()).unwrap();
        let stopped = said.lines().find(|line| line.ends_with("stopped by SIGSTOP ---"));
        if let Some(thread) = stopped.and_then(|line| line.split(' ').next()) {
            break process_of(thread);
        }
        assert!(strace.try_wait().unwrap().is_none(), "it did not stop: {said}");
        sleep(Duration::from_millis(1));
    };
    Stopped { strace: Some(strace), process, _log: log }
}

/// The process that a thread belongs to.
fn process_of(thread: &str) -> Pid {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).unwrap();
    let number = status.lines().find_map(|line| line.strip_prefix("Tgid:")).unwrap();
    Pid::from_raw(number.trim().parse().unwrap()).unwrap()
}

impl Stopped {
    /// Lets the process go on to the end of its call.
    pub(crate) fn go_on(mut self) -> Answer {
        kill_process(self.process, Signal::CONT).unwrap();
        let strace = self.strace.take().unwrap();
        answer_of(&strace.wait_with_output().unwrap()).unwrap()
    }
}

impl Drop for Stopped {
    /// A failed test leaves no stopped process behind.
    fn drop(&mut self) {
        if let Some(mut strace) = self.strace.take() {
            let _ = kill_process(self.process, Signal::KILL);
            let _ = strace.wait();
        }
    }
}

fn answer_of(output: &Output) -> Option<Answer> {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    let answer = said.lines().find_map(Answer::from_line);
    assert!(
        answer.is_some()
            || std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(9),
        "{} {said}",
        output.status
    );
    answer
}

/// The system calls of a log, whose lines are `THREAD NAME(ARGUMENTS) = RESULT`.
fn calls_of(log: &str, scope: Scope) -> Vec<SystemCall> {
    // Each thread's calls are counted by themselves.
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    let mut calls = Vec::new();
    for line in log.lines() {
        let (thread, text) = line.split_once(' ').unwrap_or_default();
        let text = text.trim_start();
        let Some((name, _)) = text.split_once('(') else {
            continue;
        };
        if name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_') {
            let nth = counts.entry((thread, name)).or_default();
            *nth += 1;
            // What the standard library asserts in a debug build alone.
            if text.contains("F_GETFD") {
                continue;
            }
            calls.push(SystemCall {
                name: name.to_owned(),
                nth: *nth,
                text: text.to_owned(),
                scope,
            });
        }
    }
    calls
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// Runs `work` on every one of `items`, as many at once as there are processors; the sum of the answers.
pub(crate) fn for_each<T: Sync>(items: &[T], work: impl Fn(&T) -> usize + Sync) -> usize {
    let next = AtomicUsize::new(0);
    let sum = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    sum.fetch_add(work(item), Ordering::Relaxed);
                }
            });
        }
    });
    sum.into_inner()
}
