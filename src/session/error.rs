//! Why a call about a session did nothing, or not all of it.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::errno;
use crate::mux::MuxCommandError;
use crate::tmux::RunTmuxError;

/// Why a session was not started, or not reached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// What was asked for cannot be started. Nothing was run, and nothing is changed.
    #[error(transparent)]
    Command(#[from] MuxCommandError),
    /// A run needs a file of its own to be known by.
    #[error("recordFile or exitFile has to be given")]
    RecordFileMissing,
    /// The run that is on record lives, whatever became of its name, its socket or its server.
    #[error("run {run} of this record is still there; adopt it by its record")]
    AlreadyRunning {
        /// The run.
        run: String,
    },
    /// Another start or stop of this record is under way.
    #[error("the record {} is held by another process", file.display())]
    Busy {
        /// The record.
        file: PathBuf,
    },
    /// There is nothing to show a session in.
    #[error("neither tmux nor screen was found")]
    MuxMissing,
    /// The program is not there, or this user may not run it.
    #[error("{program:?} cannot be run ({}: {})", errno::name(*.errno), errno::describe(*.errno))]
    ProgramMissing {
        /// The program.
        program: String,
        /// What the system says of it.
        errno: Errno,
    },
    /// The kernel gives no program such an argument or variable.
    #[error("{what} has {size} bytes, the kernel takes {limit}")]
    TooLong {
        /// What is too long, such as `claudeArgs[2]`.
        what: String,
        /// Its bytes.
        size: usize,
        /// The most that the kernel takes.
        limit: usize,
    },
    /// A shell keeps this variable for itself, and would end over it.
    #[error("the shell keeps the variable {name} for itself")]
    EnvReserved {
        /// The variable.
        name: String,
    },
    /// A session of this name is there, and is no run of this record.
    #[error("tmux has a session {name:?} already, which is not of this record")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The multiplexer refused.
    #[error("{mux} refused: {said}")]
    MuxFailed {
        /// Which one.
        mux: &'static str,
        /// What it said.
        said: String,
    },
    /// The multiplexer did not answer in time: it is stopped or busy, and nothing is known.
    #[error("{mux} did not answer within {seconds} s")]
    MuxUnavailable {
        /// Which one.
        mux: &'static str,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The multiplexer took the command, and the program did not come up.
    #[error("the program did not start: {how}")]
    NotStarted {
        /// How it ended.
        how: String,
    },
    /// The session is shown nowhere that could be typed into or read.
    #[error("run {run} is shown in no pane")]
    NoPane {
        /// The run.
        run: String,
    },
    /// No run has this record, or it cannot be read as one.
    #[error("{} is no record of a session{}", file.display(), why.as_deref().map(|why| format!(": {why}")).unwrap_or_default())]
    NoRecord {
        /// The file.
        file: PathBuf,
        /// What is the matter with it; `None` where it is not there.
        why: Option<String>,
    },
    /// The system failed.
    #[error("{}: {} ({})", path.display(), errno::name(*.errno), errno::describe(*.errno))]
    Io {
        /// What it was about.
        path: PathBuf,
        /// What the system says.
        errno: Errno,
    },
    /// The multiplexer could not be run.
    #[error(transparent)]
    Run(#[from] RunTmuxError),
}

impl SessionError {
    /// A stable word for the error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Command(error) => error.code(),
            Self::RecordFileMissing => "record-file-missing",
            Self::AlreadyRunning { .. } => "already-running",
            Self::Busy { .. } => "busy",
            Self::MuxMissing => "mux-missing",
            Self::ProgramMissing { .. } => "program-missing",
            Self::TooLong { .. } => "too-long",
            Self::EnvReserved { .. } => "env-name-reserved",
            Self::NameTaken { .. } => "name-taken",
            Self::MuxFailed { .. } => "mux-failed",
            Self::MuxUnavailable { .. } => "mux-unavailable",
            Self::NotStarted { .. } => "not-started",
            Self::NoPane { .. } => "no-pane",
            Self::NoRecord { .. } => "no-record",
            Self::Io { .. } => "io",
            Self::Run(_) => "mux-not-run",
        }
    }

    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Io { path: path.to_owned(), errno: Errno::from_io_error(error).unwrap_or(Errno::IO) }
    }
}
