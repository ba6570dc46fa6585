//! What is on record of a run: one file, always whole, that outlives whoever wrote it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::SessionError;
use super::ticket::{Ticket, beside};
use crate::launch::MuxKind;
use crate::process::ProcessId;
use crate::words::words;

words! {
    /// How the end of a run is noticed.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum EndToldBy {
        /// The kernel says so: a pidfd on Linux, `kqueue` on macOS.
        Kernel = "kernel",
        /// It is looked for once a second, where the kernel says nothing.
        Looking = "looking",
    }
}

words! {
    /// A signal that asks a program to end.
    #[derive(Default, Serialize, Deserialize)]
    pub enum StopSignal {
        /// The usual one.
        #[default]
        #[serde(rename = "SIGTERM")]
        Term = "SIGTERM",
        /// As a `C-c` in its terminal.
        #[serde(rename = "SIGINT")]
        Int = "SIGINT",
        /// As when its terminal goes.
        #[serde(rename = "SIGHUP")]
        Hup = "SIGHUP",
        /// As a `C-\` in its terminal.
        #[serde(rename = "SIGQUIT")]
        Quit = "SIGQUIT",
        /// Whatever the program takes it for.
        #[serde(rename = "SIGUSR1")]
        Usr1 = "SIGUSR1",
        /// Whatever the program takes it for.
        #[serde(rename = "SIGUSR2")]
        Usr2 = "SIGUSR2",
    }
}

/// The server that shows a run: its process, which alone says that it is the same one, and where it was
/// reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerRecord {
    /// See [`ProcessId`].
    #[serde(flatten)]
    pub process: ProcessId,
    /// tmux: the path of its socket. screen: its folder of sockets, `null` for the user's usual one.
    pub socket: Option<String>,
}

/// One run of a session, as it stands in its file in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionRecord {
    /// The run: a UUID. Everything that comes of it inherits it as `SEATKIT_RUN`.
    pub run: String,
    /// What the session was called when it was started.
    pub name: String,
    /// What shows it.
    pub kind: MuxKind,
    /// The multiplexer's program.
    pub bin: String,
    /// tmux: the server that was asked for, a name or a path. screen: its folder of sockets. `null` is the
    /// user's usual one.
    pub socket: Option<String>,
    /// When it was started, in milliseconds since the epoch.
    pub started: u64,
    /// The agent. `null` until it runs, and where it never did.
    pub process: Option<ProcessId>,
    /// The shell that waits for it and records its code.
    pub shell: Option<ProcessId>,
    /// The server that shows it.
    pub server: Option<ServerRecord>,
    /// tmux: the session that it was started in, `$3`. screen: `PID.NAME`.
    pub session_id: Option<String>,
    /// tmux: its pane, `%7`, the same wherever it is moved. screen: its window's title.
    pub pane_id: Option<String>,
    /// Where its exit code is recorded, with the run after it.
    pub exit_file: String,
    /// What asks it to end.
    pub stop_signal: StopSignal,
    /// Whether somebody asked it to end. On record before anything is sent.
    pub stop_requested: bool,
    /// How its end is noticed.
    pub end_told_by: EndToldBy,
}

impl SessionRecord {
    /// The record as its file has it.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Every field of it can be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads what [`to_json`](Self::to_json) wrote; fields that it does not know are passed over.
    ///
    /// # Errors
    ///
    /// What is the matter with the text.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    pub(super) fn ticket(&self, file: &Path) -> Ticket {
        Ticket::of(&self.run, file, Path::new(&self.exit_file))
    }

    /// The record of a file; `None` where there is none.
    ///
    /// # Errors
    ///
    /// [`SessionError::NoRecord`] where there is something else, [`SessionError::Io`].
    pub(super) fn read(file: &Path) -> Result<Option<Self>, SessionError> {
        let text = match read_file(file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(SessionError::io(file, &error)),
        };
        let no_record = |error: serde_json::Error| SessionError::NoRecord {
            file: file.to_owned(),
            why: Some(error.to_string()),
        };
        serde_json::from_slice(&text).map(Some).map_err(no_record)
    }

    /// Puts the record in its place in one step: a reader sees the one before it or this one.
    pub(super) fn write(&self, file: &Path) -> Result<(), SessionError> {
        let new = beside(file, "new");
        let write = || {
            let mut out = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(&new)?;
            out.write_all(self.to_json().as_bytes())?;
            // After a power cut an empty file in its place would be no record.
            out.sync_all()?;
            fs::rename(&new, file)
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&new);
            SessionError::io(file, &error)
        })
    }
}

/// The longest file that is read, in bytes: a record and an exit file have some hundred.
const READ_LIMIT: u64 = 1 << 20;

/// A small regular file. Nothing else is waited for, and no more of it held.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(Errno::INVAL.into());
    }
    let mut text = Vec::new();
    file.take(READ_LIMIT).read_to_end(&mut text)?;
    Ok(text)
}

/// A record that nobody else starts, adopts or stops at the same time. The lock goes with its holder.
pub(super) struct Held(#[expect(dead_code, reason = "its lock ends with it")] File);

/// How often a lock that is held is tried.
const TRY_EVERY: Duration = Duration::from_millis(5);

pub(super) fn hold(file: &Path, deadline: Instant) -> Result<Held, SessionError> {
    let path = beside(file, "lock");
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(&path)
        .map_err(|error| SessionError::io(&path, &error))?;
    loop {
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Held(lock)),
            Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < deadline => {
                std::thread::sleep(TRY_EVERY);
            }
            Err(Errno::WOULDBLOCK | Errno::INTR) => {
                return Err(SessionError::Busy { file: file.to_owned() });
            }
            Err(errno) => return Err(SessionError::Io { path, errno }),
        }
    }
}
