//! The verbs of placement: find the caller's own place, open a window beside it, close one.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use super::answers::{says_no_pane, says_no_sessions};
use super::{
    CloseOutcome, NoHandle, PLACEMENT_FIELDS, Placement, PlacementRejectReason, Server, TmuxFailed,
    WindowFields, WindowHandle, assert_tmux_ok, build_append_args, build_close_args,
    build_inspect_args, build_list_window_ids_args, classify_close_failure, is_same_context,
    is_same_server, parse_placement, parse_window_fields, read_anchor,
};
use crate::process;
use crate::text::trim;
use crate::tmux::{RunTmuxError, TmuxOptions, TmuxRun, is_decimal, run_tmux};

/// Who asks: the environment of a process in a pane. It alone says which server is meant.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The whole environment; `None` is this process's own.
    pub env: Option<Vec<(OsString, OsString)>>,
    /// How long each run of tmux may take; `None` is
    /// [`DEFAULT_TIMEOUT`](crate::tmux::DEFAULT_TIMEOUT).
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
        verb: String,
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
        verb: String,
        /// The server's process id and the session of the placement.
        expected: (String, String),
        /// Those of the caller.
        now: (String, String),
    },
    /// The window belongs to another server than the caller's, or to an earlier life of it.
    #[error(
        "mux-placement: {verb} refused — server changed (handle was born on server {expected}, \
         this environment names server {now}){}",
        if expected == now { ", which is another one of the same process id" } else { "" }
    )]
    ServerChanged {
        /// What was to be done.
        verb: String,
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
/// which answer it with status 1. Where `TMUX` names the process of a server and another server
/// answers on its socket, the pane that is meant went with the first:
/// [`PlacementRejectReason::AnchorMismatch`].
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
///     Err(reason) => println!("not in tmux: {reason}"),
/// }
/// # Ok::<(), seatkit::placement::PlacementError>(())
/// ```
pub fn inspect_placement(
    caller: &Caller,
) -> Result<Result<Placement, PlacementRejectReason>, PlacementError> {
    let tmux = caller.variable("TMUX");
    let anchor = match read_anchor(tmux.as_deref(), caller.variable("TMUX_PANE").as_deref()) {
        Ok(anchor) => anchor,
        Err(reason) => return Ok(Err(reason)),
    };
    let [command, print, target, pane, format] = build_inspect_args(&anchor);
    // What is past the published row says when the server started.
    let run = caller.run(&[command, print, target, pane, format + "|#{start_time}"])?;
    if says_no_pane(&run) {
        return Ok(Err(PlacementRejectReason::AnchorUnresolved));
    }
    assert_tmux_ok("display-message", &run)?;
    let (row, start_time) = split_start(&run.stdout);
    let mut placement = match parse_placement(anchor.as_str(), row) {
        Ok(placement) => placement,
        Err(reason) => return Ok(Err(reason)),
    };
    if named_server(tmux.as_deref()).is_some_and(|pid| pid != placement.server_pid) {
        return Ok(Err(PlacementRejectReason::AnchorMismatch));
    }
    placement.server_start = start_time.map(|time| server_start(&placement.server_pid, time));
    Ok(Ok(placement))
}

/// The published row and, where tmux gave one more field, that.
fn split_start(stdout: &str) -> (&str, Option<&str>) {
    let line = trim(stdout.split('\n').next().unwrap_or_default());
    match line.rsplit_once('|') {
        Some((row, time)) if row.split('|').count() == PLACEMENT_FIELDS.len() => {
            (row, Some(time).filter(|time| is_decimal(time)))
        }
        _ => (line, None),
    }
}

/// The process id of the server that a value of `TMUX` names: `SOCKET,PID,SESSION`. Where it is no
/// process id, or the 0 that some tools write, nothing is told.
fn named_server(tmux: Option<&str>) -> Option<&str> {
    let mut fields = tmux?.rsplit(',');
    let (_session, pid) = (fields.next()?, fields.next()?);
    // What is left is the socket.
    fields.next()?;
    Some(pid).filter(|pid| is_decimal(pid) && pid.bytes().any(|digit| digit != b'0'))
}

/// When a server started. tmux tells the second; the next server of a container may come within it,
/// with the same process id, and only the system tells the two apart. It is asked only where it sees
/// the server: in another process namespace the id is another process's.
fn server_start(pid: &str, time: &str) -> String {
    let seen = pid.parse().ok().and_then(process::look);
    match seen.filter(|seen| seen.command.starts_with("tmux")) {
        Some(seen) => format!("{time}/{}", seen.started),
        None => time.to_owned(),
    }
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
    let session = placement.session_id.as_str();
    let now = require_same_context("appendWindow", placement.server(), session, caller)?;
    let run = caller.run(&build_append_args(&placement.session_id))?;
    assert_tmux_ok("new-window", &run)?;
    let WindowFields { window_id, window_index, pane_id, pane_pid } =
        parse_window_fields(&run.stdout).map_err(|source| PlacementError::Orphan {
            session_id: placement.session_id.to_string(),
            source,
        })?;
    Ok(WindowHandle {
        server_pid: now.server_pid,
        server_start: now.server_start,
        session_id: now.session_id,
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
    match require_same_server("closeWindow", handle.server(), caller) {
        Ok(_) => {}
        // The caller's own session is gone too when there are none left.
        Err(PlacementError::CallerUnresolved {
            reason: PlacementRejectReason::AnchorUnresolved,
            ..
        }) if is_empty_server(handle.server(), caller)? => return Ok(CloseOutcome::AlreadyGone),
        Err(error) => return Err(error),
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

/// The caller's place, refused unless it stands on this server and in this session. `verb` is what
/// is to be done, for the error.
///
/// # Errors
///
/// [`PlacementError::CallerUnresolved`] and [`PlacementError::ContextChanged`], beside those of
/// [`inspect_placement`].
pub fn require_same_context(
    verb: &str,
    server: Server<'_>,
    session_id: &str,
    caller: &Caller,
) -> Result<Placement, PlacementError> {
    let now = caller_place(verb, caller)?;
    let here = (now.server(), now.session_id.as_str());
    if is_same_context((server, session_id), here) {
        return Ok(now);
    }
    Err(PlacementError::ContextChanged {
        verb: verb.to_owned(),
        expected: (server.pid.to_owned(), session_id.to_owned()),
        now: (now.server_pid, now.session_id.to_string()),
    })
}

/// The caller's place, refused unless it stands on this server.
///
/// # Errors
///
/// [`PlacementError::CallerUnresolved`] and [`PlacementError::ServerChanged`], beside those of
/// [`inspect_placement`].
pub fn require_same_server(
    verb: &str,
    server: Server<'_>,
    caller: &Caller,
) -> Result<Placement, PlacementError> {
    let now = caller_place(verb, caller)?;
    if is_same_server(server, now.server()) {
        return Ok(now);
    }
    Err(PlacementError::ServerChanged {
        verb: verb.to_owned(),
        expected: server.pid.to_owned(),
        now: now.server_pid,
    })
}

fn caller_place(verb: &str, caller: &Caller) -> Result<Placement, PlacementError> {
    inspect_placement(caller)?
        .map_err(|reason| PlacementError::CallerUnresolved { verb: verb.to_owned(), reason })
}

/// Whether the caller's server is this one and has no sessions. The server is asked who it is after
/// the list, so that it is the one that gave the list.
fn is_empty_server(server: Server<'_>, caller: &Caller) -> Result<bool, PlacementError> {
    if !says_no_sessions(&caller.run(&build_list_window_ids_args())?) {
        return Ok(false);
    }
    let run = caller.run(&["display-message", "-p", "#{pid}|#{start_time}"])?;
    let Some((pid, time)) = trim(&run.stdout).split_once('|').filter(|_| run.status == Some(0))
    else {
        return Ok(false);
    };
    let start = server_start(pid, time);
    let now = Server { pid, start: Some(&start) };
    Ok(is_same_server(server, now))
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
            Some(env) => {
                env.iter().rfind(|(variable, _)| variable == name).map(|(_, value)| value.clone())
            }
            None => std::env::var_os(name),
        };
        value.map(|value| value.to_string_lossy().into_owned())
    }

    /// Runs tmux on the caller's own server, which its environment names.
    ///
    /// # Errors
    ///
    /// Those of [`run_tmux`].
    pub fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<TmuxRun, RunTmuxError> {
        let options = TmuxOptions {
            env: self.env.clone(),
            timeout: self.timeout,
            bin: self.bin.clone(),
            ..TmuxOptions::default()
        };
        run_tmux(args, &options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_tmux_names_a_server_only_by_a_process_id() {
        for (tmux, server) in [
            ("/tmp/tmux-1000/default,8150,11", Some("8150")),
            ("/tmp/a,b/s,8150,0", Some("8150")),
            ("/tmp/s,0,0", None),
            ("/tmp/s,000,0", None),
            ("/tmp/s,,0", None),
            ("/tmp/s,x,0", None),
            ("/tmp/s,7", None),
            ("/tmp/s", None),
            ("", None),
        ] {
            assert_eq!(named_server(Some(tmux)), server, "{tmux:?}");
        }
        assert_eq!(named_server(None), None);
    }

    #[test]
    fn the_start_is_past_the_published_row_or_not_there() {
        let row = "8150|$11|@14|2|%14|74235";
        assert_eq!(split_start(&format!("{row}|1796121678\n")), (row, Some("1796121678")));
        assert_eq!(split_start(&format!("{row}|\n")), (row, None));
        assert_eq!(split_start(&format!("{row}\n")), (row, None));
        assert_eq!(split_start("8150|||||||\n"), ("8150|||||||", None));
        assert_eq!(split_start(""), ("", None));
    }

    #[test]
    fn a_process_that_is_no_tmux_does_not_tell_when_the_server_started() {
        let own = std::process::id().to_string();
        assert_eq!(server_start(&own, "17"), "17");
        assert_eq!(server_start("99999999999", "17"), "17");
    }
}
