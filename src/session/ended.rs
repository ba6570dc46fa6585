//! How a run ended, and when: told by the kernel.

use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::record::read_file;
use super::{Session, SessionError, SessionRecord};
use crate::launch::parse_exit_file;
use crate::mux::{SessionOutcome, session_outcome};
use crate::process::{Waited, on_end, on_next_end};

/// How long the shell may take to record the code of an agent that has ended.
const RECORDED_WITHIN: Duration = Duration::from_secs(10);

/// What a wait for the end of a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It has ended.
    Ended(SessionOutcome),
    /// It has not, in the time given.
    TimedOut,
    /// Nobody wanted to know any more.
    Cancelled,
}

impl Wait {
    pub(crate) fn outcome(self) -> Option<SessionOutcome> {
        match self {
            Self::Ended(outcome) => Some(outcome),
            Self::TimedOut | Self::Cancelled => None,
        }
    }
}

impl SessionRecord {
    /// The code that this run recorded. One of another run is not believed.
    pub(super) fn code(&self) -> Option<u16> {
        let text = String::from_utf8(read_file(Path::new(&self.exit_file)).ok()?).ok()?;
        let (code, run) = text.split_once('\n')?;
        parse_exit_file(code).filter(|_| run.trim_end() == self.run)
    }
}

impl Session {
    /// How it ended, for a session that has.
    pub(super) fn outcome(&self) -> SessionOutcome {
        let code = self.record.code().map(|code| code.to_string());
        // Another process may have asked it to stop since this one read the record.
        let on_file = SessionRecord::read(&self.file).ok().flatten();
        let on_file = on_file.filter(|record| record.run == self.record.run);
        let stop_requested =
            self.record.stop_requested || on_file.is_some_and(|record| record.stop_requested);
        match session_outcome(code.as_deref(), stop_requested) {
            // The signal was the one that was asked for, or what followed it.
            SessionOutcome::Signalled { .. } if stop_requested => SessionOutcome::Stopped,
            outcome => outcome,
        }
    }

    /// Waits until it has ended, at most `timeout`, and says how; `None` where it has not by then. It ends
    /// with its own process, whatever else lives in that session.
    ///
    /// # Errors
    ///
    /// [`SessionError::Io`] where the thread that waits cannot be started.
    pub fn ended(&self, timeout: Option<Duration>) -> Result<Option<SessionOutcome>, SessionError> {
        let (sender, receiver) = mpsc::channel();
        self.clone().on_ended(timeout, move |wait| {
            // Whoever waits is there: it holds the other end.
            let _ = sender.send(wait);
        })?;
        Ok(receiver.recv().ok().and_then(Wait::outcome))
    }

    /// Calls `then` once, when it has ended or the time has passed; gives the id by which the wait can be
    /// cancelled, 0 where it is over already.
    pub(crate) fn on_ended(
        self,
        timeout: Option<Duration>,
        then: impl FnOnce(Wait) + Send + 'static,
    ) -> Result<u32, SessionError> {
        let Some(process) = self.record.process.clone() else {
            then(Wait::Ended(self.outcome()));
            return Ok(0);
        };
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let file = self.file.clone();
        let waited = move |id, waited| match waited {
            Waited::TimedOut => then(Wait::TimedOut),
            Waited::Cancelled => then(Wait::Cancelled),
            Waited::Ended => self.once_recorded(id, deadline, then),
        };
        on_end(&process, deadline, waited).map_err(|error| SessionError::io(&file, &error))
    }

    /// Calls `then` when the shell of an agent that has ended has recorded its code.
    fn once_recorded(
        self,
        id: u32,
        deadline: Option<Instant>,
        then: impl FnOnce(Wait) + Send + 'static,
    ) {
        let recorded = self.record.code().is_some();
        let Some(shell) = self.record.shell.clone().filter(|_| !recorded) else {
            return then(Wait::Ended(self.outcome()));
        };
        let recorded_by = Instant::now() + RECORDED_WITHIN;
        let until = deadline.map_or(recorded_by, |deadline| deadline.min(recorded_by));
        // This is the thread that waits: it starts no other, and nothing can fail.
        let _ = on_next_end(id, &shell, Some(until), move |_, waited| match waited {
            Waited::Cancelled => then(Wait::Cancelled),
            // A shell that is stopped or slow may record it still.
            Waited::TimedOut if until < recorded_by && self.record.code().is_none() => {
                then(Wait::TimedOut);
            }
            Waited::TimedOut | Waited::Ended => then(Wait::Ended(self.outcome())),
        });
    }
}
