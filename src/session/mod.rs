//! One session, followed by what it *is*: the process that was started.
//!
//! tmux or screen only shows an agent. A person may rename, group, link, split, move or detach what they
//! see, unlink the socket or restart the server, without the agent ending or a second one being wanted. So
//! a session is known by its process, id and start together, and by the id of its run, which everything
//! that comes of it inherits.
//!
//! ```no_run
//! use seatkit::session::{SessionLaunch, Session};
//!
//! let environment: Vec<_> = std::env::vars_os().collect();
//! let launch = SessionLaunch {
//!     mux_name: "maestro-olivia".to_owned(),
//!     cwd: "/agent".to_owned(),
//!     claude_bin: "claude".to_owned(),
//!     record_file: Some("/agent/session.json".into()),
//!     ..SessionLaunch::default()
//! };
//! let session = Session::start(&launch, &environment)?;
//! let outcome = session.ended(None)?;
//! println!("{outcome:?}");
//! # Ok::<(), seatkit::session::SessionError>(())
//! ```

mod ended;
mod error;
mod launch;
mod mux;
mod record;
mod runs;
mod settle;
mod start;
mod stop;
mod ticket;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use error::SessionError;
pub use launch::{PromptOf, SessionLaunch, SessionMux};
pub use mux::Place;
pub use record::{EndToldBy, ServerRecord, SessionRecord, StopSignal};
pub use runs::{Run, list_runs, stop_run};
pub use stop::{EndedProcess, LeftProcess, StopOptions, Stopped};

pub use crate::process::ProcessId;
#[cfg(feature = "node")]
pub(crate) use crate::process::cancel;
use crate::words::words;

/// The environment in which multiplexers are asked: where programs are, which server is one's own.
pub type Environment = Vec<(OsString, OsString)>;

words! {
    /// What a session's process does.
    pub enum SessionState {
        /// It runs.
        Running = "running",
        /// A signal stopped it; one can make it go on.
        Suspended = "suspended",
        /// It has ended, or never ran.
        Ended = "ended",
    }
}

/// A session that was started or adopted. It ends nothing when it is dropped.
#[derive(Clone, Debug)]
pub struct Session {
    record: SessionRecord,
    file: PathBuf,
    env: Environment,
}

impl Session {
    /// The session of a record that was read from `file`.
    #[must_use]
    pub fn of(record: SessionRecord, file: impl AsRef<Path>, env: &Environment) -> Self {
        Self { record, file: file.as_ref().to_owned(), env: env.clone() }
    }

    /// What is known of it, as it stands in its file.
    #[must_use]
    pub fn record(&self) -> &SessionRecord {
        &self.record
    }

    /// Where its record stands.
    #[must_use]
    pub fn record_file(&self) -> &Path {
        &self.file
    }

    /// What its process does, by the process alone: nobody is asked and nothing waited for.
    #[must_use]
    pub fn state(&self) -> SessionState {
        match self.record.process.as_ref().and_then(ProcessId::look) {
            Some(seen) if seen.suspended => SessionState::Suspended,
            Some(_) => SessionState::Running,
            None => SessionState::Ended,
        }
    }

    /// Where it is shown now; `None` where no pane shows it, be it running or not.
    ///
    /// # Errors
    ///
    /// [`SessionError::MuxUnavailable`] where the server does not answer within 10 s.
    pub fn place(&self) -> Result<Option<Place>, SessionError> {
        mux::find(&self.record, &self.env, mux::PATIENCE)
    }

    /// Types `text` into its pane as it is, bracketed where its program asks for that (tmux), and then
    /// Enter where that is wanted.
    ///
    /// # Errors
    ///
    /// [`SessionError::NoPane`], and what the multiplexer refuses.
    pub fn send(&self, text: &str, enter: bool) -> Result<(), SessionError> {
        mux::send(&self.record, &self.file, text, enter, &self.env)
    }

    /// What its pane shows, or the last `lines` of it, with what has scrolled away where there are more;
    /// blank lines at the end are left out.
    ///
    /// # Errors
    ///
    /// [`SessionError::NoPane`], and what the multiplexer refuses.
    pub fn read(&self, lines: Option<usize>) -> Result<String, SessionError> {
        mux::read(&self.record, &self.file, lines, &self.env)
    }
}
