//! What tmux or screen is asked about a run: to start it, where it is, to type, to show. Each question is
//! bounded in time, and none decides whether the run lives.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::ticket::{NAME_VARIABLE, RECORD_VARIABLE, RUN_VARIABLE, beside};
use super::{Environment, SessionError, SessionRecord};
use crate::launch::MuxKind;
use crate::mux::{escape_tmux_arg, parse_screen_sessions};
use crate::process::{self, ProcessId, wait_for_all};
use crate::tmux::{TmuxOptions, TmuxRun, TmuxServer, run_tmux};

/// How long a server may take for an answer, where nothing else is said.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How long a server may take to lay its socket anew.
const SOCKET_PATIENCE: Duration = Duration::from_secs(2);

/// How long screen may take to lay down what a window shows.
const COPIED_WITHIN: Duration = Duration::from_secs(5);

/// How long it is waited for where the agent has ended: its window goes with it, as a rule.
const GONE_WITHIN: Duration = Duration::from_millis(500);

/// Where a run is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// tmux: the session's id, `$3`; of several that show the pane, the one it was started in where that
    /// still does. screen: `PID.NAME`.
    pub session_id: String,
    /// What the session is called now.
    pub session_name: String,
    /// tmux: the window's id, `@3`. `None` under screen, which has none.
    pub window_id: Option<String>,
    /// tmux: the pane's id, `%3`. screen: the window's title, by which it is addressed.
    pub pane_id: String,
}

/// A multiplexer that can be asked.
pub(super) struct Asked<'a> {
    pub(super) kind: MuxKind,
    pub(super) bin: &'a str,
    /// See [`TmuxServer`] for tmux; a folder for screen.
    pub(super) socket: Option<String>,
    pub(super) config: Option<String>,
    pub(super) utf8: bool,
    pub(super) env: &'a Environment,
}

impl Asked<'_> {
    /// The server that shows a run.
    pub(super) fn of<'a>(record: &'a SessionRecord, env: &'a Environment) -> Asked<'a> {
        Asked {
            kind: record.kind,
            bin: &record.bin,
            socket: record.server.as_ref().and_then(|server| server.socket.clone()),
            config: None,
            utf8: true,
            env,
        }
    }

    /// Asks, and waits `most` for the answer.
    pub(super) fn ask<S: AsRef<str>>(
        &self,
        args: &[S],
        most: Duration,
    ) -> Result<TmuxRun, SessionError> {
        let mut env: Environment = self.env.clone();
        // A server that this starts is nobody's own, whatever run its starter is of.
        env.retain(|(name, _)| {
            ![RUN_VARIABLE, NAME_VARIABLE, RECORD_VARIABLE].iter().any(|own| name == own)
        });
        let mut server = TmuxServer::default();
        match (self.kind, &self.socket) {
            (MuxKind::Tmux, socket) => {
                server.socket.clone_from(socket);
                server.config.clone_from(&self.config);
                server.utf8 = self.utf8;
            }
            (MuxKind::Screen, Some(folder)) => {
                env.retain(|(name, _)| name != "SCREENDIR");
                env.push(("SCREENDIR".into(), folder.into()));
            }
            (MuxKind::Screen, None) => {}
        }
        let options =
            TmuxOptions { server, env: Some(env), timeout: Some(most), bin: Some(self.bin.into()) };
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
        let run = run_tmux(&args, &options)?;
        if run.status.is_none() {
            return Err(SessionError::MuxUnavailable {
                mux: self.kind.as_str(),
                seconds: most.as_secs(),
            });
        }
        Ok(run)
    }

    pub(super) fn failed(&self, run: &TmuxRun) -> SessionError {
        let said = format!("{}{}", run.stderr, run.stdout);
        let said = match said.trim() {
            "" => format!("it exited with {} and said nothing", run.status.unwrap_or_default()),
            said => said.to_owned(),
        };
        SessionError::MuxFailed { mux: self.kind.as_str(), said }
    }

    /// Tells a window of screen's something. That it answers does not say that it has done it.
    fn tell(&self, place: &Place, command: &[&str]) -> Result<(), SessionError> {
        let window = ["-S", &place.session_id, "-p", &place.pane_id, "-X"];
        self.done(self.ask(&[&window[..], command].concat(), PATIENCE)?).map(drop)
    }

    fn done(&self, run: TmuxRun) -> Result<TmuxRun, SessionError> {
        if run.status == Some(0) { Ok(run) } else { Err(self.failed(&run)) }
    }
}

/// What screen's window of a run is titled: what it is addressed by, whatever else is opened there.
pub(super) fn title(run: &str) -> String {
    format!("run-{}", run.split('-').next().unwrap_or_default())
}

/// What lists every pane of a server, in every session that shows it. What may hold anything is last.
const PANES: [&str; 4] = [
    "list-panes",
    "-a",
    "-F",
    "#{pane_id}|#{pane_pid}|#{pane_dead}|#{session_id}|#{window_id}|#{session_name}",
];

/// Where the run is shown now, wherever a person moved it.
pub(super) fn find(
    record: &SessionRecord,
    env: &Environment,
    most: Duration,
) -> Result<Option<Place>, SessionError> {
    let asked = Asked::of(record, env);
    // A server that has ended shows nothing; the next one of its socket is asked nothing.
    let Some(server) = record.server.as_ref().filter(|server| server.process.look().is_some())
    else {
        return Ok(None);
    };
    match record.kind {
        MuxKind::Tmux => {
            if let Some(socket) = &server.socket {
                restore_socket(Path::new(socket), server);
            }
            let run = asked.ask(&PANES, most)?;
            if run.status != Some(0) {
                return match crate::mux::classify_tmux_run(&run) {
                    crate::mux::MuxAnswer::Absent => Ok(None),
                    // It was leaving, with the last that it showed.
                    _ if wait_for_all([&server.process], Instant::now() + GONE_WITHIN) => Ok(None),
                    _ => Err(asked.failed(&run)),
                };
            }
            Ok(find_pane(record, &run.stdout))
        }
        MuxKind::Screen => {
            let run = asked.ask(&["-ls"], most)?;
            let pid = server.process.pid;
            let row = parse_screen_sessions(&run.stdout)
                .into_iter()
                .find(|row| row.pid == pid && row.live);
            Ok(row.map(|row| Place {
                session_id: format!("{pid}.{}", row.name),
                session_name: row.name.to_owned(),
                window_id: None,
                pane_id: title(&record.run),
            }))
        }
    }
}

fn find_pane(record: &SessionRecord, list: &str) -> Option<Place> {
    let own = record.pane_id.as_deref()?;
    let places = list.lines().filter_map(|line| {
        let mut fields = line.splitn(6, '|');
        let pane_id = fields.next().filter(|pane| *pane == own)?;
        // A pane that somebody started something else in is another's.
        let pid = fields.next()?.parse::<u32>().ok()?;
        let is_own = record.shell.as_ref().is_none_or(|shell| shell.pid == pid);
        let _dead = fields.next().filter(|_| is_own)?;
        Some(Place {
            pane_id: pane_id.to_owned(),
            session_id: fields.next()?.to_owned(),
            window_id: Some(fields.next()?.to_owned()),
            session_name: fields.next()?.to_owned(),
        })
    });
    let places: Vec<Place> = places.collect();
    let first = record.session_id.as_deref();
    let started_in = places.iter().find(|place| Some(place.session_id.as_str()) == first);
    started_in.or(places.first()).cloned()
}

/// A server whose socket somebody unlinked lays it anew when it gets a `USR1` (tmux(1)).
fn restore_socket(socket: &Path, server: &super::ServerRecord) {
    let is_there = || fs::symlink_metadata(socket).is_ok();
    let is_tmux = server.process.look().is_some_and(|seen| seen.command.starts_with("tmux"));
    if is_there() || !is_tmux {
        return;
    }
    if let Some(folder) = socket.parent() {
        use std::os::unix::fs::DirBuilderExt;
        // Who sweeps /tmp takes the folder too. A failure shows when the server is asked.
        let _ = fs::DirBuilder::new().mode(0o700).create(folder);
    }
    if !process::send(&server.process, Signal::USR1) {
        return;
    }
    let deadline = Instant::now() + SOCKET_PATIENCE;
    while !is_there() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Takes away the pane that the run left, where the user's configuration keeps dead ones. What else is
/// shown beside it stays.
pub(super) fn remove_pane(record: &SessionRecord, env: &Environment, most: Duration) {
    let Ok(Some(place)) = find(record, env, most) else {
        // A server that does not answer keeps nobody: nothing of the run is left in it.
        return;
    };
    let asked = Asked::of(record, env);
    let _ = match record.kind {
        MuxKind::Tmux => {
            let pane = place.pane_id;
            let kill = format!("kill-pane -t {pane}");
            asked.ask(&["if-shell", "-F", "-t", &pane, "#{pane_dead}", &kill], most)
        }
        MuxKind::Screen => {
            asked.ask(&["-S", &place.session_id, "-p", &title(&record.run), "-X", "kill"], most)
        }
    };
}

/// A file of this moment's, for what is too long or too private for an argument.
struct Passed(PathBuf);

impl Passed {
    fn new(record_file: &Path, text: &[u8]) -> Result<Self, SessionError> {
        let path = beside(record_file, &uuid::Uuid::new_v4().to_string());
        let write = || {
            let mut file =
                OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            file.write_all(text)
        };
        let written = write();
        let passed = Self(path);
        written.map_err(|error| SessionError::io(&passed.0, &error))?;
        Ok(passed)
    }

    fn path(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }
}

impl Drop for Passed {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Types a text into the run's pane, and then Enter where it is wanted.
pub(super) fn send(
    record: &SessionRecord,
    record_file: &Path,
    text: &str,
    enter: bool,
    env: &Environment,
) -> Result<(), SessionError> {
    let place = place(record, env)?;
    let asked = Asked::of(record, env);
    // As bytes to the terminal, past whatever mode the pane is in and whatever panes are typed into with it.
    let parts = [(text, true), ("\r", false)];
    let parts = parts.into_iter().filter(|(part, is_text)| !part.is_empty() && (*is_text || enter));
    for (part, is_text) in parts {
        let passed = Passed::new(record_file, part.as_bytes())?;
        match record.kind {
            MuxKind::Tmux => {
                let leave = format!("copy-mode -q -t {}", place.pane_id);
                let buffer = format!("seatkit-{}", uuid::Uuid::new_v4());
                let path = passed.path();
                let path = escape_tmux_arg(&path);
                // A pane that a person scrolls in does not tell whether its program wants brackets.
                let pane = place.pane_id.as_str();
                let mut args = vec!["if-shell", "-F", "-t", pane, "#{pane_in_mode}", &leave, ";"];
                args.extend(["load-buffer", "-b", &buffer, &path, ";", "paste-buffer", "-d", "-r"]);
                // Bracketed where the program asked for it.
                args.extend(is_text.then_some("-p"));
                args.extend(["-b", &buffer, "-t", pane]);
                asked.done(asked.ask(&args, PATIENCE)?)?;
            }
            MuxKind::Screen => {
                let path = passed.path();
                asked.tell(&place, &["readreg", SCREEN_REGISTER, &path])?;
                asked.tell(&place, &["paste", SCREEN_REGISTER])?;
                // screen answers before it has done anything: the file is needed until then. A program
                // that ends of what was typed takes its window with it.
                let done = hardcopy(&asked, record.process.as_ref(), &place, record_file, false);
                let lives = record.process.as_ref().is_some_and(|agent| agent.look().is_some());
                done.map(drop).or_else(|error| if lives { Err(error) } else { Ok(()) })?;
            }
        }
    }
    Ok(())
}

/// The register of screen's that is used for typing; its own buffer is left alone.
const SCREEN_REGISTER: &str = "s";

/// What the run's pane shows, its last lines where so many are wanted; blank lines at its end left out.
pub(super) fn read(
    record: &SessionRecord,
    record_file: &Path,
    lines: Option<usize>,
    env: &Environment,
) -> Result<String, SessionError> {
    let place = place(record, env)?;
    let asked = Asked::of(record, env);
    let shown = match record.kind {
        MuxKind::Tmux => {
            // What has scrolled away counts where more lines are wanted than the pane has.
            let start = lines.map(|lines| format!("-{lines}"));
            let mut args = vec!["capture-pane", "-p", "-J", "-t", &place.pane_id];
            args.extend(start.iter().flat_map(|start| ["-S", start.as_str()]));
            asked.done(asked.ask(&args, PATIENCE)?)?.stdout
        }
        MuxKind::Screen => {
            hardcopy(&asked, record.process.as_ref(), &place, record_file, lines.is_some())?
        }
    };
    let shown: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let end = shown.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let first = end.saturating_sub(lines.unwrap_or(usize::MAX));
    Ok(shown.get(first..end).unwrap_or_default().join("\n"))
}

/// What a window of screen's shows, what has scrolled away included where it is wanted. Once it is there,
/// all that screen was told before it is done.
fn hardcopy(
    asked: &Asked<'_>,
    agent: Option<&ProcessId>,
    place: &Place,
    record_file: &Path,
    scrolled: bool,
) -> Result<String, SessionError> {
    let copy = Passed::new(record_file, b"")?;
    let path = copy.path();
    let mut command = vec!["hardcopy"];
    command.extend(scrolled.then_some("-h"));
    command.push(&path);
    let (soon, deadline) = (Instant::now() + GONE_WITHIN, Instant::now() + COPIED_WITHIN);
    asked.tell(place, &command)?;
    let mut before = Vec::new();
    loop {
        let text = fs::read(&copy.0).map_err(|error| SessionError::io(&copy.0, &error))?;
        if !text.is_empty() && text == before {
            return Ok(String::from_utf8_lossy(&text).into_owned());
        }
        // What has ended since is shown no more.
        let ended = agent.is_some_and(|agent| agent.look().is_none());
        if Instant::now() >= if ended { soon } else { deadline } {
            let (mux, seconds) = (asked.kind.as_str(), COPIED_WITHIN.as_secs());
            return Err(SessionError::MuxUnavailable { mux, seconds });
        }
        before = text;
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn place(record: &SessionRecord, env: &Environment) -> Result<Place, SessionError> {
    find(record, env, PATIENCE)?.ok_or_else(|| SessionError::NoPane { run: record.run.clone() })
}
