//! The verbs of placement: find the caller's own place, open a window beside it, close one.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use super::answers::{says_no_pane, says_no_sessions};
use super::{
    CloseOutcome, NoHandle, Placement, PlacementRejectReason, TmuxFailed, WindowFields,
    WindowHandle, assert_tmux_ok, build_append_args, build_close_args, build_inspect_args,
    build_list_window_ids_args, classify_close_failure, is_same_context, is_same_server,
    parse_placement, parse_window_fields, read_anchor,
};
use crate::text::trim;
use crate::tmux::{RunTmuxError, TmuxOptions, TmuxRun, run_tmux};

/// Who asks: the environment of a process in a pane. It alone says which server is meant.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The whole environment; `None` is this process's own.
    pub env: Option<Vec<(OsString, OsString)>>,
    /// How long each run of tmux may take; `None` is for ever.
    pub timeout: Option<Duration>,
    /// The program, `tmux` where there is none.
    pub bin: Option<OsString>,
}

/// Why a verb did not do what it was asked. Where nothing else is said, nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// The caller's own place cannot be told.
    #[error(
        "mux-placement: {verb} refused — the caller's placement is not resolvable ({})",
        reason.as_str()
    )]
    CallerUnresolved {
        /// What was to be done.
        verb: &'static str,
        /// Why.
        reason: PlacementRejectReason,
    },
    /// The caller stands on another server, or in another session of it, than the placement says.
    #[error(
        "mux-placement: {verb} refused — context changed (expected server {} session {}, now \
         server {} session {})",
        expected.0, expected.1, now.0, now.1
    )]
    ContextChanged {
        /// What was to be done.
        verb: &'static str,
        /// The server's process id and the session of the placement.
        expected: (String, String),
        /// Those of the caller.
        now: (String, String),
    },
    /// The window belongs to another server than the caller's, or to an earlier life of it.
    #[error(
        "mux-placement: {verb} refused — server changed (handle was born on server {expected}, \
         this environment names server {now})"
    )]
    ServerChanged {
        /// What was to be done.
        verb: &'static str,
        /// The process id of the window's server.
        expected: String,
        /// The one of the caller's.
        now: String,
    },
    /// tmux failed.
    #[error(transparent)]
    Tmux(#[from] TmuxFailed),
    /// The window is still there although it was to be closed.
    #[error(
        "mux-placement: kill-window {window_id} failed (exit {status}) and the window is still \
         listed: {stderr}"
    )]
    StillListed {
        /// The window.
        window_id: String,
        /// The status of the failed command.
        status: i32,
        /// What it complained of, trimmed.
        stderr: String,
    },
    /// A window was opened whose handle could not be read: it cannot be named, nor closed.
    #[error("{source}; a window may be open in session {session_id} that cannot be identified")]
    Orphan {
        /// The session it is in.
        session_id: String,
        /// What tmux printed.
        source: NoHandle,
    },
    /// tmux could not be run.
    #[error(transparent)]
    Run(#[from] RunTmuxError),
}

impl PlacementError {
    /// A stable word for the error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::CallerUnresolved { .. } => "caller-unresolved",
            Self::ContextChanged { .. } => "context-changed",
            Self::ServerChanged { .. } => "server-changed",
            Self::Tmux(_) => "tmux-failed",
            Self::StillListed { .. } => "window-still-listed",
            Self::Orphan { .. } => "handle-unreadable",
            Self::Run(error) => error.code(),
        }
    }
}

/// The caller's own place: its server, session, window and pane.
///
/// The answer is believed only where it echoes the pane that was asked for. A pane that does not
/// exist is [`PlacementRejectReason::AnchorUnresolved`] on every tmux, also on those before 3.2,
/// which answer it with status 1.
///
/// # Errors
///
/// The outer error: tmux could not be run ([`PlacementError::Run`]) or failed otherwise, such as
/// without a server ([`PlacementError::Tmux`]). The inner one: the named refusal.
///
/// ```no_run
/// use seatkit::placement::{Caller, inspect_placement};
///
/// match inspect_placement(&Caller::default())? {
///     Ok(placement) => println!("in {}", placement.session_id),
///     Err(reason) => println!("not in tmux: {}", reason.as_str()),
/// }
/// # Ok::<(), seatkit::placement::PlacementError>(())
/// ```
pub fn inspect_placement(
    caller: &Caller,
) -> Result<Result<Placement, PlacementRejectReason>, PlacementError> {
    let anchor = match read_anchor(
        caller.variable("TMUX").as_deref(),
        caller.variable("TMUX_PANE").as_deref(),
    ) {
        Ok(anchor) => anchor,
        Err(reason) => return Ok(Err(reason)),
    };
    let run = caller.run(&build_inspect_args(&anchor))?;
    if says_no_pane(&run) {
        return Ok(Err(PlacementRejectReason::AnchorUnresolved));
    }
    assert_tmux_ok("display-message", &run)?;
    Ok(parse_placement(&anchor, &run.stdout))
}

/// Opens one window with the default shell at the end of the caller's own session, without moving
/// anybody's focus.
///
/// # Errors
///
/// [`PlacementError::ContextChanged`] unless the caller still stands on the server and in the
/// session of `placement`.
pub fn append_window(
    placement: &Placement,
    caller: &Caller,
) -> Result<WindowHandle, PlacementError> {
    require_same_context(
        "appendWindow",
        &placement.server_pid,
        placement.session_id.as_str(),
        caller,
    )?;
    let run = caller.run(&build_append_args(&placement.session_id))?;
    assert_tmux_ok("new-window", &run)?;
    let WindowFields {
        window_id,
        window_index,
        pane_id,
        pane_pid,
    } = parse_window_fields(&run.stdout).map_err(|source| PlacementError::Orphan {
        session_id: placement.session_id.to_string(),
        source,
    })?;
    Ok(WindowHandle {
        server_pid: placement.server_pid.clone(),
        session_id: placement.session_id.clone(),
        window_id,
        window_index,
        pane_id,
        pane_pid,
    })
}

/// Closes one window of the caller's server, in whatever session it is.
///
/// [`CloseOutcome::AlreadyGone`] is answered on proof alone: a fresh list of the server's windows
/// does not have it, or the server has no sessions at all.
///
/// # Errors
///
/// [`PlacementError::ServerChanged`] for a window of another server or of an earlier life of this
/// one, whose id means another window now; [`PlacementError::StillListed`] when the window could
/// not be closed.
pub fn close_window(
    handle: &WindowHandle,
    caller: &Caller,
) -> Result<CloseOutcome, PlacementError> {
    const VERB: &str = "closeWindow";
    match inspect_placement(caller)? {
        Ok(now) => require_server(VERB, &handle.server_pid, &now.server_pid)?,
        // The caller's own session is gone too when there are none left.
        Err(PlacementRejectReason::AnchorUnresolved)
            if is_empty_server(&handle.server_pid, caller)? =>
        {
            return Ok(CloseOutcome::AlreadyGone);
        }
        Err(reason) => return Err(PlacementError::CallerUnresolved { verb: VERB, reason }),
    }
    let run = caller.run(&build_close_args(&handle.window_id))?;
    let status = match run.status {
        Some(0) => return Ok(CloseOutcome::Closed),
        Some(status) => status,
        None => return Err(failed("kill-window", &run)),
    };
    let list = caller.run(&build_list_window_ids_args())?;
    if says_no_sessions(&list) {
        return Ok(CloseOutcome::AlreadyGone);
    }
    assert_tmux_ok("list-windows", &list)?;
    classify_close_failure(handle.window_id.as_str(), &list.stdout).ok_or_else(|| {
        PlacementError::StillListed {
            window_id: handle.window_id.to_string(),
            status,
            stderr: trim(&run.stderr).to_owned(),
        }
    })
}

/// Refuses unless the caller stands on this server and in this session.
fn require_same_context(
    verb: &'static str,
    server_pid: &str,
    session_id: &str,
    caller: &Caller,
) -> Result<(), PlacementError> {
    let now = inspect_placement(caller)?
        .map_err(|reason| PlacementError::CallerUnresolved { verb, reason })?;
    let now = (now.server_pid, now.session_id.to_string());
    if is_same_context((server_pid, session_id), (&now.0, &now.1)) {
        return Ok(());
    }
    Err(PlacementError::ContextChanged {
        verb,
        expected: (server_pid.to_owned(), session_id.to_owned()),
        now,
    })
}

fn require_server(verb: &'static str, expected: &str, now: &str) -> Result<(), PlacementError> {
    if is_same_server(expected, now) {
        return Ok(());
    }
    Err(PlacementError::ServerChanged {
        verb,
        expected: expected.to_owned(),
        now: now.to_owned(),
    })
}

/// Whether the caller's server is this one and has no sessions. The process id is asked for after
/// the list, so that it is the one that gave the list.
fn is_empty_server(server_pid: &str, caller: &Caller) -> Result<bool, PlacementError> {
    if !says_no_sessions(&caller.run(&build_list_window_ids_args())?) {
        return Ok(false);
    }
    let run = caller.run(&["display-message", "-p", "#{pid}"])?;
    Ok(run.status == Some(0) && is_same_server(server_pid, trim(&run.stdout)))
}

fn failed(label: &str, run: &TmuxRun) -> PlacementError {
    PlacementError::Tmux(TmuxFailed {
        label: label.to_owned(),
        status: run.status,
        stderr: trim(&run.stderr).to_owned(),
    })
}

impl Caller {
    fn variable(&self, name: &str) -> Option<String> {
        let value = match &self.env {
            Some(env) => env
                .iter()
                .rfind(|(variable, _)| variable == name)
                .map(|(_, value)| value.clone()),
            None => std::env::var_os(name),
        };
        value.map(|value| value.to_string_lossy().into_owned())
    }

    fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<TmuxRun, RunTmuxError> {
        let options = TmuxOptions {
            env: self.env.clone(),
            timeout: self.timeout,
            bin: self.bin.clone(),
            ..TmuxOptions::default()
        };
        run_tmux(args, &options)
    }
}
