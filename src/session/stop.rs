//! Stopping: the request on record, then the question, then the end of what is the agent's own, and of
//! nothing else.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::mux::remove_pane;
use super::record::{StopSignal, hold};
use super::ticket::run_of;
use super::{Session, SessionError, SessionRecord, SessionState};
use crate::mux::SessionOutcome;
use crate::process::{self, ProcessId, Seen, family, send, wait_for_all, words};

/// How long a program may take to end by itself, where nothing else is said.
pub(super) const GRACE: Duration = Duration::from_secs(10);

/// How often new relatives are looked for while a program ends.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long the kernel may take over a `KILL`, and the shell over its last words.
const KILLED_WITHIN: Duration = Duration::from_secs(5);
const RECORDED_WITHIN: Duration = Duration::from_secs(10);

/// How long a server may take to let the pane go.
const CLEANING: Duration = Duration::from_secs(2);

/// How long another stop or start of the same record is waited for.
const HELD_FOR: Duration = Duration::from_secs(15);

/// The longest that a process is shown by, in characters.
const SHOWN: usize = 120;

/// How a session is stopped.
#[derive(Clone, Copy, Debug, Default)]
pub struct StopOptions {
    /// How long its program may take to end by itself; `None` is 10 s.
    pub grace: Option<Duration>,
    /// Whether what it left for others, but no process of another run, ends too.
    pub everything: bool,
    /// What asks it to end; `None` is what is on record.
    pub signal: Option<StopSignal>,
}

/// What is said of a process that was killed, and of one that was sent nothing.
const KILLED: &str = "SIGKILL";
const ITSELF: &str = "itself";

/// A process that a stop ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedProcess {
    /// Its id while it lived.
    pub pid: u32,
    /// What it was, at most 120 characters of its words.
    pub command: String,
    /// `SIGTERM` or what else it was asked by, `SIGKILL`, or `itself` where it was sent nothing.
    pub by: &'static str,
}

/// A process of the run that a stop left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftProcess {
    /// Its id.
    pub pid: u32,
    /// What it is, at most 120 characters of its words.
    pub command: String,
}

/// What a stop did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// How the session ended.
    pub outcome: SessionOutcome,
    /// The processes that ended, the agent first.
    pub ended: Vec<EndedProcess>,
    /// What carries the run's id and lives on: what the agent left for others.
    pub left: Vec<LeftProcess>,
}

impl Session {
    /// Ends the session: puts the request on record, asks the agent's process group, waits, and kills
    /// what is left of the agent's group, its session and all that descends from it, as seen before the
    /// first signal and since. What forked away before is left and named.
    ///
    /// A session that has ended already is not put on record as stopped; what it left in its own group and
    /// session ends all the same.
    ///
    /// # Errors
    ///
    /// [`SessionError::Io`] where the request cannot be put on record; nothing was sent then.
    /// [`SessionError::Busy`] while another start or stop has the record.
    pub fn stop(&mut self, options: &StopOptions) -> Result<Stopped, SessionError> {
        if self.state() != SessionState::Ended {
            self.request_stop()?;
        }
        let signal = options.signal.unwrap_or(self.record.stop_signal);
        let grace = options.grace.unwrap_or(GRACE);
        let mut ending =
            Ending::of(&self.record.run, self.record.process.clone(), self.record.shell.clone());
        ending.end(signal, grace);
        if options.everything {
            ending.end_carriers(signal, grace);
        }
        let outcome = match self.ended(Some(RECORDED_WITHIN))? {
            Some(outcome) => outcome,
            None if self.state() == SessionState::Ended => self.outcome(),
            None => SessionOutcome::Unknown,
        };
        ending.end_shell();
        remove_pane(&self.record, &self.env, CLEANING);
        Ok(Stopped { outcome, ended: ending.ended(), left: left_of(&self.record.run) })
    }

    /// Whoever comes after this process knows that the end was asked for.
    fn request_stop(&mut self) -> Result<(), SessionError> {
        let _held = hold(&self.file, Instant::now() + HELD_FOR)?;
        // The file may be of the next run by now; then nobody needs to be told of this one.
        let on_file = SessionRecord::read(&self.file)?;
        self.record.stop_requested = true;
        match on_file {
            Some(record) if record.run != self.record.run => Ok(()),
            _ => self.record.write(&self.file),
        }
    }
}

/// The processes of this user that carry a run's id, but for the one that asks.
pub(super) fn carriers(run: &str) -> Vec<Seen> {
    let own = std::process::id();
    let all = process::all().into_iter().filter(|one| one.pid != own);
    all.filter(|one| run_of(&words(one.pid)).as_deref() == Some(run) && one.id().look().is_some())
        .collect()
}

pub(super) fn left_of(run: &str) -> Vec<LeftProcess> {
    let left = |one: &Seen| LeftProcess { pid: one.pid, command: shown(one) };
    carriers(run).iter().map(left).collect()
}

/// A process as a person knows it again: its words, on one line.
pub(super) fn shown(one: &Seen) -> String {
    let text = words(one.pid).args.join(" ");
    let text = if text.is_empty() { one.command.clone() } else { text };
    let mut shown: String =
        text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('\u{2026}');
    }
    shown
}

/// What is being ended.
pub(super) struct Ending<'a> {
    run: &'a str,
    agent: Option<ProcessId>,
    shell: Option<ProcessId>,
    /// The process groups and sessions of the agent and of its shell.
    groups: Vec<u32>,
    sessions: Vec<u32>,
    known: HashMap<ProcessId, Known>,
    /// The order in which they became known, the agent first.
    order: Vec<ProcessId>,
}

struct Known {
    command: String,
    by: Option<&'static str>,
}

impl<'a> Ending<'a> {
    /// What is the agent's own, as it is now. Without an agent and a shell that is nothing.
    pub(super) fn of(run: &'a str, agent: Option<ProcessId>, shell: Option<ProcessId>) -> Self {
        let seen = agent.as_ref().and_then(ProcessId::look);
        // Nobody else has the shell's number while its group or session has a process.
        let number = shell.as_ref().map(|shell| shell.pid);
        let groups = seen.iter().map(|seen| seen.group).chain(number).collect();
        let sessions = seen.iter().map(|seen| seen.session).chain(number).collect();
        let (known, order) = (HashMap::new(), Vec::new());
        let mut ending = Self { run, agent, shell, groups, sessions, known, order };
        ending.look();
        ending
    }

    /// Takes in every relative that there is now.
    fn look(&mut self) {
        let own = std::process::id();
        let table = process::all();
        let anchored = lives(self.agent.as_ref()) || lives(self.shell.as_ref());
        let is_root = |one: &Seen| {
            let stands_with =
                self.groups.contains(&one.group) || self.sessions.contains(&one.session);
            self.agent.as_ref().is_some_and(|agent| one.is(agent))
                || self.known.contains_key(&one.id())
                // Once all of a group have ended, another may have its number.
                || (stands_with && (anchored || self.carries(one)))
        };
        let is_foreign = |one: &Seen| {
            one.pid == own
                || self.is_shell(one)
                || run_of(&words(one.pid)).is_some_and(|run| run != self.run)
        };
        let found: Vec<Seen> = family(&table, is_root, is_foreign).into_iter().cloned().collect();
        for one in &found {
            self.take(one);
        }
    }

    /// Whether a process is the run's shell, or one that the shell records the code with.
    fn is_shell(&self, one: &Seen) -> bool {
        let is_agent = self.agent.as_ref().is_some_and(|agent| one.is(agent));
        let is_shell = |shell: &ProcessId| one.is(shell) || (one.parent == shell.pid && !is_agent);
        self.shell.as_ref().is_some_and(is_shell)
    }

    fn take(&mut self, one: &Seen) {
        let id = one.id();
        if !self.known.contains_key(&id) {
            self.known.insert(id.clone(), Known { command: shown(one), by: None });
            self.order.push(id);
        }
    }

    fn carries(&self, one: &Seen) -> bool {
        run_of(&words(one.pid)).as_deref() == Some(self.run)
    }

    fn living(&self) -> Vec<ProcessId> {
        self.order.iter().filter(|id| id.look().is_some()).cloned().collect()
    }

    fn send(&mut self, id: &ProcessId, signal: Signal, by: &'static str) {
        if send(id, signal)
            && let Some(known) = self.known.get_mut(id)
        {
            known.by = Some(by);
        }
    }

    fn ask(&mut self, id: &ProcessId, signal: StopSignal) {
        self.send(id, signal.into(), signal.as_str());
        // One that was stopped hears it only when it goes on.
        send(id, Signal::CONT);
    }

    /// Asks, waits, kills.
    fn end(&mut self, signal: StopSignal, grace: Duration) {
        for id in self.living() {
            if id.look().is_some_and(|one| self.groups.contains(&one.group)) {
                self.ask(&id, signal);
            }
        }
        if let Some(shell) = &self.shell {
            send(shell, Signal::CONT);
        }
        self.await_ends(Instant::now().checked_add(grace));
        self.kill();
    }

    /// Waits until all that is known has ended, and what comes of it meanwhile is known too.
    fn await_ends(&mut self, deadline: Option<Instant>) {
        loop {
            self.look();
            let living = self.living();
            let now = Instant::now();
            if living.is_empty() || deadline.is_some_and(|deadline| now >= deadline) {
                return;
            }
            let next = deadline.unwrap_or(now + LOOK_EVERY).min(now + LOOK_EVERY);
            wait_for_all(&living, next);
        }
    }

    /// Kills until nothing is left: what is forked meanwhile is found the next time.
    fn kill(&mut self) {
        let deadline = Instant::now() + KILLED_WITHIN;
        loop {
            self.look();
            let living = self.living();
            if living.is_empty() || Instant::now() >= deadline {
                return;
            }
            for id in &living {
                self.send(id, Signal::KILL, KILLED);
            }
            wait_for_all(&living, deadline.min(Instant::now() + LOOK_EVERY));
        }
    }

    /// Ends what carries the run's id and is no relative.
    pub(super) fn end_carriers(&mut self, signal: StopSignal, grace: Duration) {
        for one in carriers(self.run) {
            if !self.is_shell(&one) {
                self.take(&one);
                self.ask(&one.id(), signal);
            }
        }
        self.await_ends(Instant::now().checked_add(grace));
        self.kill();
    }

    /// The shell ends by itself once the agent has; one that does not is not waited for.
    fn end_shell(&self) {
        if let Some(shell) = &self.shell
            && !wait_for_all([shell], Instant::now() + RECORDED_WITHIN)
        {
            send(shell, Signal::KILL);
        }
    }

    pub(super) fn ended(&self) -> Vec<EndedProcess> {
        let gone = self.order.iter().filter(|id| id.look().is_none());
        gone.filter_map(|id| {
            let known = self.known.get(id)?;
            let by = known.by.unwrap_or(ITSELF);
            Some(EndedProcess { pid: id.pid, command: known.command.clone(), by })
        })
        .collect()
    }
}

fn lives(process: Option<&ProcessId>) -> bool {
    process.is_some_and(|process| process.look().is_some())
}

impl From<StopSignal> for Signal {
    fn from(signal: StopSignal) -> Self {
        match signal {
            StopSignal::Term => Self::TERM,
            StopSignal::Int => Self::INT,
            StopSignal::Hup => Self::HUP,
            StopSignal::Quit => Self::QUIT,
            StopSignal::Usr1 => Self::USR1,
            StopSignal::Usr2 => Self::USR2,
        }
    }
}
