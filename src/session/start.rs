//! Starting: on record before anything runs, whole before the answer, once whatever happens.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::launch::Checked;
use super::mux::{Asked, PATIENCE, remove_pane, title};
use super::record::{SessionRecord, hold};
use super::settle::{Settled, fill_agent, fill_place, is_coming_up, settle};
use super::ticket::{NAME_VARIABLE, RECORD_VARIABLE, RUN_VARIABLE, Revoked, Task, Ticket};
use super::{EndToldBy, Environment, Session, SessionError, SessionLaunch};
use crate::launch::MuxKind;
use crate::mux::{escape_tmux_arg, escape_tmux_format};
use crate::process;
use crate::tmux::TmuxRun;

/// How long another start of the same record is waited for: a little longer than one can take.
const HELD_FOR: Duration = Duration::from_secs(15);

/// How long the leftovers of the run before may hold up the next one.
const CLEANING: Duration = Duration::from_secs(2);

/// The pause before a server that was leaving, or a name that is about to be free, is tried again.
const PAUSE: Duration = Duration::from_millis(20);

/// How long a name may be taken by a session that is about to end.
const NAME_TAKEN_FOR: Duration = Duration::from_millis(500);

/// How long the usual signs of a start are awaited before every process is looked at.
const SURELY_SEEN: Duration = Duration::from_millis(100);

/// What the pane's shell ends with where it cannot run the program (POSIX, 2.8.2).
const CANNOT_RUN: [u16; 2] = [126, 127];

impl Session {
    /// Starts a session and proves that its program lives.
    ///
    /// The run is on record, under a lock, before anything starts: of any number of starts of one record
    /// one wins, and where a starter was killed the next one finds what runs or starts afresh.
    ///
    /// # Errors
    ///
    /// [`SessionError::AlreadyRunning`] while the run on record lives, whatever became of its name, its
    /// socket or its server; what [`check_launch`](crate::mux::build_safe_mux_commands) refuses; and how
    /// the multiplexer or the program failed.
    pub fn start(launch: &SessionLaunch, env: &Environment) -> Result<Self, SessionError> {
        let checked = launch.check(env)?;
        let file = checked.record_file.clone();
        let _held = hold(&file, Instant::now() + HELD_FOR)?;
        let before = settle_before(&file)?;
        if let Some(before) = &before {
            before.ticket(&file).clear();
            remove_pane(before, env, CLEANING);
        }

        let mut start = Start::new(launch, &checked, env);
        remove_exit_file(&checked.exit_file)?;
        start.record.write(&file)?;
        match start.run(before.as_ref()) {
            Ok(()) => Ok(Self { record: start.record, file, env: env.clone() }),
            Err(error) => {
                // Where nothing runs, nor will, the record says so: it has no process.
                let is_over = matches!(error, SessionError::NotStarted { .. });
                if is_over || matches!(start.ticket.revoke(), Ok(Revoked::Yes)) {
                    start.ticket.clear();
                }
                Err(error)
            }
        }
    }

    /// The session of a record, running or ended alike.
    ///
    /// # Errors
    ///
    /// [`SessionError::NoRecord`] where there is none, or something else.
    pub fn adopt(file: impl AsRef<Path>, env: &Environment) -> Result<Self, SessionError> {
        let file = file.as_ref();
        let missing = || SessionError::NoRecord { file: file.to_owned(), why: None };
        let mut record = SessionRecord::read(file)?.ok_or_else(missing)?;
        if record.process.is_none() {
            // Its start is under way, or was cut short.
            let _held = hold(file, Instant::now() + HELD_FOR)?;
            record = SessionRecord::read(file)?.ok_or_else(missing)?;
            if record.process.is_none() {
                let settled = settle(&mut record, file, Instant::now() + PATIENCE)?;
                match settled {
                    Settled::Lives => record.ticket(file).clear_start(),
                    Settled::Over => record.ticket(file).clear(),
                    Settled::ComingUp => {}
                }
                record.write(file)?;
            }
        }
        Ok(Self { record, file: file.to_owned(), env: env.clone() })
    }
}

/// The record of the run before, once nothing of it runs.
fn settle_before(file: &Path) -> Result<Option<SessionRecord>, SessionError> {
    let Some(mut before) = SessionRecord::read(file)? else {
        return Ok(None);
    };
    match settle(&mut before, file, Instant::now() + PATIENCE)? {
        Settled::Over => Ok(Some(before)),
        Settled::Lives => {
            // Its starter may have been killed before it could say so.
            before.write(file)?;
            before.ticket(file).clear_start();
            Err(SessionError::AlreadyRunning { run: before.run })
        }
        Settled::ComingUp => Err(SessionError::AlreadyRunning { run: before.run }),
    }
}

/// What the run before recorded is none of this one's.
fn remove_exit_file(file: &Path) -> Result<(), SessionError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(SessionError::io(file, &error))
        }
        _ => Ok(()),
    }
}

struct Start<'a> {
    launch: &'a SessionLaunch,
    checked: &'a Checked,
    env: &'a Environment,
    record: SessionRecord,
    ticket: Ticket,
    deadline: Instant,
}

impl<'a> Start<'a> {
    fn new(launch: &'a SessionLaunch, checked: &'a Checked, env: &'a Environment) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let record = SessionRecord {
            run: uuid::Uuid::new_v4().to_string(),
            name: launch.mux_name.clone(),
            kind: checked.mux.kind,
            bin: checked.mux.bin.clone(),
            socket: launch.socket.clone().or_else(|| folder_of_screen(checked.mux.kind, env)),
            started: u64::try_from(now.as_millis()).unwrap_or_default(),
            process: None,
            shell: None,
            server: None,
            session_id: None,
            pane_id: None,
            exit_file: checked.exit_file.to_string_lossy().into_owned(),
            stop_signal: launch.stop_signal,
            stop_requested: false,
            end_told_by: EndToldBy::Kernel,
        };
        let ticket = record.ticket(&checked.record_file);
        Self { launch, checked, env, record, ticket, deadline: Instant::now() + PATIENCE }
    }

    fn asked(&self) -> Asked<'a> {
        Asked {
            kind: self.record.kind,
            bin: &self.checked.mux.bin,
            socket: self.launch.socket.clone(),
            config: self.launch.config.clone(),
            utf8: self.launch.utf8,
            env: self.env,
        }
    }

    fn run(&mut self, before: Option<&SessionRecord>) -> Result<(), SessionError> {
        self.write_ticket()?;
        let asked = match self.record.kind {
            MuxKind::Tmux => self.start_tmux(before),
            MuxKind::Screen => self.start_screen(),
        };
        if let Err(error) = asked {
            // What it said is believed only where its shell can no longer begin.
            let path = &self.checked.record_file;
            match self.ticket.revoke().map_err(|error| SessionError::io(path, &error))? {
                Revoked::Yes => return Err(error),
                Revoked::Gone => {}
            }
        }
        self.await_agent()?;
        self.record.write(&self.checked.record_file)?;
        self.ticket.clear_start();
        Ok(())
    }

    fn write_ticket(&self) -> Result<(), SessionError> {
        let own = [
            (RUN_VARIABLE, self.record.run.clone()),
            (NAME_VARIABLE, self.record.name.clone()),
            (RECORD_VARIABLE, self.checked.record_file.to_string_lossy().into_owned()),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), Some(value)));
        let env = [&self.launch.env[..], &own].concat();
        let task = Task {
            cwd: &self.launch.cwd,
            env: &env,
            words: &self.checked.words,
            exit_file: &self.checked.exit_file,
        };
        self.ticket
            .write(&task)
            .map_err(|error| SessionError::io(&self.checked.record_file, &error))
    }

    fn start_tmux(&self, before: Option<&SessionRecord>) -> Result<(), SessionError> {
        let asked = self.asked();
        let began = Instant::now();
        let mut window_of = None;
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let run = asked.ask(&self.tmux_words(window_of.as_deref()), left.max(PAUSE))?;
            // A folder of sockets that cannot be made is a status of 0, and a sentence.
            if run.status == Some(0) && !run.stderr.contains("error creating") {
                return Ok(());
            }
            let is_duplicate = run.stderr.starts_with("duplicate session");
            let is_last = Instant::now() >= self.deadline;
            if is_duplicate && (is_last || began.elapsed() > NAME_TAKEN_FOR) {
                if window_of.is_some() {
                    return Err(asked.failed(&run));
                }
                window_of = Some(self.own_session(before, &asked)?);
            } else if is_last || !(is_duplicate || is_leaving(&run)) {
                return Err(asked.failed(&run));
            } else {
                std::thread::sleep(PAUSE);
            }
        }
    }

    /// The words that start the run in a session of its own or, where that is left from the run before by
    /// a window of somebody's, in a window of it.
    fn tmux_words(&self, window_of: Option<&str>) -> Vec<String> {
        let cwd = escape_tmux_format(&self.launch.cwd);
        let mut words: Vec<String> = match window_of {
            None => {
                ["new-session", "-d", "-s", &self.record.name, "-c", &cwd].map(str::to_owned).into()
            }
            Some(session) => {
                let target = format!("{session}:{{end}}");
                ["new-window", "-d", "-a", "-t", &target, "-c", &cwd].map(str::to_owned).into()
            }
        };
        if let Some(size) = self.launch.size.filter(|_| window_of.is_none()) {
            let (columns, rows) = (size.columns.to_string(), size.rows.to_string());
            words.extend(["-x".to_owned(), columns, "-y".to_owned(), rows]);
        }
        words.extend(self.ticket.command());
        words.into_iter().map(|word| escape_tmux_arg(&word).into_owned()).collect()
    }

    /// The session of this name, where it is the one in which the run before was started.
    fn own_session(
        &self,
        before: Option<&SessionRecord>,
        asked: &Asked<'_>,
    ) -> Result<String, SessionError> {
        let name = &self.record.name;
        let run = asked
            .ask(&["list-sessions", "-F", "#{pid}|#{session_id}|#{session_name}"], PATIENCE)?;
        let own = before.and_then(|before| {
            let server = before.server.as_ref().filter(|server| server.process.look().is_some())?;
            let id = before.session_id.as_deref()?;
            let own = format!("{}|{id}|{name}", server.process.pid);
            run.stdout.lines().any(|line| line == own).then(|| id.to_owned())
        });
        own.ok_or_else(|| SessionError::NameTaken { name: name.clone() })
    }

    fn start_screen(&self) -> Result<(), SessionError> {
        let asked = self.asked();
        let mut words = Vec::new();
        if let Some(config) = &self.launch.config {
            words.extend(["-c".to_owned(), config.clone()]);
        }
        if self.launch.utf8 {
            words.push("-U".to_owned());
        }
        let title = title(&self.record.run);
        words.extend(["-d", "-m", "-S", &self.record.name, "-t", &title].map(str::to_owned));
        words.extend(self.ticket.command());
        let run = asked.ask(&words, PATIENCE)?;
        if run.status == Some(0) { Ok(()) } else { Err(asked.failed(&run)) }
    }

    /// Waits until the shell has become the agent, or has ended.
    fn await_agent(&mut self) -> Result<(), SessionError> {
        let began = Instant::now();
        let mut pause = Duration::from_micros(500);
        loop {
            let said = self.ticket.said();
            let agent = said.as_ref().and_then(|said| self.ticket.agent(said));
            if let Some(said) = &said {
                fill_place(&mut self.record, said, &self.ticket);
            }
            if let Some(agent) = &agent {
                if Ticket::is_past_exec(&process::words(agent.pid)) {
                    fill_agent(&mut self.record, agent);
                    return Ok(());
                }
            } else if let Some(code) = self.record.code() {
                // It has ended already: by its own code, or because it could not be run.
                if said.is_some() && !CANNOT_RUN.contains(&code) {
                    return Ok(());
                }
                return Err(SessionError::NotStarted { how: how_it_ended(code) });
            } else if began.elapsed() > SURELY_SEEN
                && self.ticket.is_taken()
                && !is_coming_up(&self.ticket)
                && self.ticket.said() == said
                && self.record.code().is_none()
            {
                let how = "its shell ended and recorded nothing".to_owned();
                return Err(SessionError::NotStarted { how });
            }
            if Instant::now() >= self.deadline {
                let (mux, seconds) = (self.record.kind.as_str(), PATIENCE.as_secs());
                return Err(SessionError::MuxUnavailable { mux, seconds });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSE);
        }
    }
}

/// The folder of sockets that screen takes without being told: whoever asks later may have another.
fn folder_of_screen(kind: MuxKind, env: &Environment) -> Option<String> {
    let folder = env.iter().rfind(|(name, _)| kind == MuxKind::Screen && name == "SCREENDIR");
    folder.map(|(_, folder)| folder.to_string_lossy().into_owned())
}

/// Whether tmux says that the server it found was just leaving, or has left.
fn is_leaving(run: &TmuxRun) -> bool {
    let said = run.stderr.as_str();
    ["server exited unexpectedly", "lost server", "no server running on"]
        .iter()
        .any(|start| said.starts_with(start))
        || (said.starts_with("error connecting to") && said.contains("(Connection refused)"))
}

fn how_it_ended(code: u16) -> String {
    match code {
        127 => "the shell ended with 127: there is no such program on its PATH".to_owned(),
        126 => {
            "the shell ended with 126: it may not run the program, or its arguments are too long"
                .to_owned()
        }
        code => format!("the shell ended with {code}"),
    }
}
