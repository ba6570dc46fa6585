//! Where a caller stands in tmux, and the windows it opens beside itself.
//!
//! The environment that a process in a pane inherits *is* the address: `TMUX` names the server and
//! `TMUX_PANE` the pane. No socket and no session name is ever taken from a caller, and every
//! target is a native id. This file holds the grammar, the argument lists and what tmux's answers
//! mean; [`super::verbs`] runs tmux.

use crate::text::{Quoted, trim};
use crate::tmux::{
    IdKind, NotNative, TmuxPaneId, TmuxRun, TmuxSessionId, TmuxWindowId, is_decimal,
};
use crate::words::words;

words! {
    /// Why a caller's place could not be told. Each is a refusal; there is no fallback session.
    pub enum PlacementRejectReason {
        /// `TMUX` or `TMUX_PANE` is missing or empty: the caller is not in tmux. `TMUX_PANE` alone
        /// would lead to the default server.
        NoTmuxContext = "no-tmux-context",
        /// `TMUX_PANE` is no native pane id.
        AnchorMalformed = "anchor-malformed",
        /// tmux knows no such pane.
        AnchorUnresolved = "anchor-unresolved",
        /// tmux answered about another pane than the one asked for.
        AnchorMismatch = "anchor-mismatch",
    }
}

/// A window of a server, with the pane that it was opened with.
///
/// The server binds it: ids are never used twice in one server's life, but the next server starts
/// again at `$0`, `@0` and `%0`, and in a container it has the same process id too. The session is
/// where the window was put, the index what a person sees; neither identifies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The server's process id, in decimal.
    pub server_pid: String,
    /// When the server started, where that is known: seconds since the epoch as tmux has them and,
    /// after a `/`, the start of its process as the system has it.
    pub server_start: Option<String>,
    /// The session.
    pub session_id: TmuxSessionId,
    /// The window.
    pub window_id: TmuxWindowId,
    /// The window's index when it was asked for, in decimal; it changes as others close.
    pub window_index: String,
    /// The pane.
    pub pane_id: TmuxPaneId,
    /// The process in the pane, in decimal.
    pub pane_pid: String,
}

impl Placement {
    /// The server that it is on.
    #[must_use]
    pub fn server(&self) -> Server<'_> {
        Server { pid: &self.server_pid, start: self.server_start.as_deref() }
    }
}

/// A tmux server: its process, and when that started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server<'a> {
    /// Its process id, in decimal.
    pub pid: &'a str,
    /// Its start as [`Placement::server_start`] has it.
    pub start: Option<&'a str>,
}

/// The handle of a window that was opened: the same facts as a placement.
pub type WindowHandle = Placement;

/// What tmux reports of a window that it opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowFields {
    /// The window.
    pub window_id: TmuxWindowId,
    /// Its index, in decimal.
    pub window_index: String,
    /// Its pane.
    pub pane_id: TmuxPaneId,
    /// The process in the pane, in decimal.
    pub pane_pid: String,
}

words! {
    /// How a close ended.
    pub enum CloseOutcome {
        /// The window was there and is closed.
        Closed = "closed",
        /// The window is proven to be gone: its program ended, or somebody else closed it.
        AlreadyGone = "already-gone",
    }
}

/// What [`INSPECT_FORMAT`] asks for, in order. Ids and numbers only: a name could hold the `|`.
pub const PLACEMENT_FIELDS: [&str; 6] =
    ["pid", "session_id", "window_id", "window_index", "pane_id", "pane_pid"];

/// The format of a placement query.
pub const INSPECT_FORMAT: &str =
    "#{pid}|#{session_id}|#{window_id}|#{window_index}|#{pane_id}|#{pane_pid}";

/// What [`APPEND_FORMAT`] asks for, in order.
pub const WINDOW_FIELDS: [&str; 4] = ["window_id", "window_index", "pane_id", "pane_pid"];

/// The format of what `new-window -P` prints.
pub const APPEND_FORMAT: &str = "#{window_id}|#{window_index}|#{pane_id}|#{pane_pid}";

/// The caller's pane, from its `TMUX` and `TMUX_PANE`. `TMUX` is not taken apart: that it is there
/// is what makes a plain `tmux` reach the caller's own server.
///
/// # Errors
///
/// [`PlacementRejectReason::NoTmuxContext`] and [`PlacementRejectReason::AnchorMalformed`].
///
/// ```
/// use seatkit::placement::{PlacementRejectReason, read_anchor};
///
/// assert_eq!(read_anchor(Some("/tmp/s,1,0"), Some("%4")).unwrap().as_str(), "%4");
/// assert_eq!(read_anchor(None, Some("%4")), Err(PlacementRejectReason::NoTmuxContext));
/// ```
pub fn read_anchor(
    tmux: Option<&str>,
    tmux_pane: Option<&str>,
) -> Result<TmuxPaneId, PlacementRejectReason> {
    let given = |value: Option<&str>| value.is_some_and(|value| !value.is_empty());
    match tmux_pane {
        Some(pane) if given(tmux) && given(tmux_pane) => {
            pane.parse().map_err(|_| PlacementRejectReason::AnchorMalformed)
        }
        _ => Err(PlacementRejectReason::NoTmuxContext),
    }
}

/// The arguments that ask about one pane.
#[must_use]
pub fn build_inspect_args(anchor: &TmuxPaneId) -> [String; 5] {
    ["display-message", "-p", "-t", anchor.as_str(), INSPECT_FORMAT].map(String::from)
}

/// The arguments that open one window with the default shell at the end of a session.
///
/// `-d` keeps the focus of whoever looks at that session. `{end}` is the end: without it `-a`
/// inserts after the window that is current.
#[must_use]
pub fn build_append_args(session: &TmuxSessionId) -> [String; 8] {
    let target = format!("{session}:{{end}}");
    ["new-window", "-d", "-a", "-t", &target, "-P", "-F", APPEND_FORMAT].map(String::from)
}

/// The arguments that close one window.
#[must_use]
pub fn build_close_args(window: &TmuxWindowId) -> [String; 3] {
    ["kill-window", "-t", window.as_str()].map(String::from)
}

/// The arguments that list the window ids of the whole server.
#[must_use]
pub fn build_list_window_ids_args() -> [String; 4] {
    ["list-windows", "-a", "-F", "#{window_id}"].map(String::from)
}

/// Reads the answer to [`build_inspect_args`], which says nothing by its status: tmux from 3.2 on
/// exits with 0 for a pane that does not exist, with the fields of the server alone.
///
/// # Errors
///
/// [`PlacementRejectReason::AnchorMismatch`] when the answer is about another pane than `anchor`, and
/// [`PlacementRejectReason::AnchorUnresolved`] for anything that is not one whole row.
///
/// ```
/// use seatkit::placement::{PlacementRejectReason, parse_placement};
///
/// let placement = parse_placement("%14", "8150|$11|@14|2|%14|74235\n").unwrap();
/// assert_eq!(placement.session_id.as_str(), "$11");
/// assert_eq!(parse_placement("%14", "8150|||||"), Err(PlacementRejectReason::AnchorUnresolved));
/// ```
pub fn parse_placement(anchor: &str, stdout: &str) -> Result<Placement, PlacementRejectReason> {
    let unresolved = PlacementRejectReason::AnchorUnresolved;
    let fields: Vec<&str> = first_line(stdout).split('|').collect();
    let [server_pid, session, window, index, pane, pane_pid] = fields[..] else {
        return Err(unresolved);
    };
    if pane.is_empty() {
        return Err(unresolved);
    }
    if pane != anchor {
        return Err(PlacementRejectReason::AnchorMismatch);
    }
    if ![server_pid, index, pane_pid].into_iter().all(is_decimal) {
        return Err(unresolved);
    }
    Ok(Placement {
        server_pid: server_pid.to_owned(),
        server_start: None,
        session_id: session.parse().map_err(|_| unresolved)?,
        window_id: window.parse().map_err(|_| unresolved)?,
        window_index: index.to_owned(),
        pane_id: pane.parse().map_err(|_| unresolved)?,
        pane_pid: pane_pid.to_owned(),
    })
}

/// Why what `new-window` printed is no handle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoHandle {
    /// It printed nothing, or not one row.
    #[error("mux-placement: new-window did not report a window handle (got {})", Quoted(line))]
    Missing {
        /// Its first line, trimmed.
        line: String,
    },
    /// It printed something else than native ids and numbers.
    #[error("mux-placement: new-window reported a non-native handle (got {})", Quoted(line))]
    NotNative {
        /// Its first line, trimmed.
        line: String,
    },
}

/// Reads what `new-window -P -F` printed with [`APPEND_FORMAT`].
///
/// # Errors
///
/// [`NoHandle`]: a window may be open then that nobody can name.
pub fn parse_window_fields(stdout: &str) -> Result<WindowFields, NoHandle> {
    let line = first_line(stdout);
    let fields: Vec<&str> = line.split('|').collect();
    let [window, index, pane, pane_pid] = fields[..] else {
        return Err(NoHandle::Missing { line: line.to_owned() });
    };
    let read = || -> Result<Option<WindowFields>, NotNative> {
        if !is_decimal(index) || !is_decimal(pane_pid) {
            return Ok(None);
        }
        Ok(Some(WindowFields {
            window_id: window.parse()?,
            window_index: index.to_owned(),
            pane_id: pane.parse()?,
            pane_pid: pane_pid.to_owned(),
        }))
    };
    match read() {
        Ok(Some(fields)) => Ok(fields),
        Ok(None) | Err(_) => Err(NoHandle::NotNative { line: line.to_owned() }),
    }
}

/// What a fresh list of all window ids says about a window that could not be closed: gone if it is
/// not listed, and no outcome at all (`None`) if it is. Blank lines list nothing.
#[must_use]
pub fn classify_close_failure(window: &str, list_stdout: &str) -> Option<CloseOutcome> {
    let mut ids = list_stdout.split('\n').map(trim).filter(|id| !id.is_empty());
    let listed = ids.any(|id| id == window);
    (!listed).then_some(CloseOutcome::AlreadyGone)
}

/// Whether two placements, each a server and a session, are of one session. A window may only be
/// appended to the session that the caller still stands in.
#[must_use]
pub fn is_same_context(origin: (Server<'_>, &str), now: (Server<'_>, &str)) -> bool {
    is_same_server(origin.0, now.0) && origin.1 == now.1
}

/// Whether two placements are of one server: its process id, and its start where both know it. That
/// is all a close has to know: within one server's life a window id names one window, in whatever
/// session it is.
///
/// ```
/// use seatkit::placement::{Server, is_same_server};
///
/// let server = |start| Server { pid: "4", start };
/// assert!(is_same_server(server(Some("1796121678/1028553")), server(Some("1796121678"))));
/// assert!(is_same_server(server(None), server(Some("1796121678"))));
/// // The next server of a container, started within the same second.
/// assert!(!is_same_server(server(Some("1796121678/1028553")), server(Some("1796121678/1028557"))));
/// ```
#[must_use]
pub fn is_same_server(origin: Server<'_>, now: Server<'_>) -> bool {
    let start = |server: Server<'_>| -> [Option<String>; 2] {
        let mut parts = server.start.unwrap_or_default().split('/').map(str::to_owned);
        [parts.next(), parts.next()].map(|part| part.filter(|part| !part.is_empty()))
    };
    let known = start(origin).into_iter().zip(start(now));
    origin.pid == now.pid && known.into_iter().all(|(a, b)| a.is_none() || b.is_none() || a == b)
}

/// tmux failed, so its output must not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("mux-placement: tmux {label} failed ({}){}", how(*.status), because(stderr))]
pub struct TmuxFailed {
    /// What was asked of tmux.
    pub label: String,
    /// Its status; `None` where a signal or the time limit ended it.
    pub status: Option<i32>,
    /// What it complained of, trimmed.
    pub stderr: String,
}

fn how(status: Option<i32>) -> String {
    status.map_or_else(|| "terminated by signal".to_owned(), |status| format!("exit {status}"))
}

fn because(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}

/// Passes a run with status 0, the only kind whose output means anything.
///
/// # Errors
///
/// [`TmuxFailed`] for any other status and for none.
pub fn assert_tmux_ok(label: &str, run: &TmuxRun) -> Result<(), TmuxFailed> {
    if run.status == Some(0) {
        return Ok(());
    }
    Err(TmuxFailed {
        label: label.to_owned(),
        status: run.status,
        stderr: trim(&run.stderr).to_owned(),
    })
}

/// Whether a failed run says that the pane asked for does not exist: tmux up to 3.1 answers a
/// missing pane with status 1.
pub(super) fn says_no_pane(run: &TmuxRun) -> bool {
    let line = first_line(&run.stderr);
    run.status.is_some_and(|status| status != 0)
        && (line.starts_with("can't find pane") || says_no_sessions(run))
}

/// Whether a failed run says that its server has no sessions, and so no windows.
pub(super) fn says_no_sessions(run: &TmuxRun) -> bool {
    let line = first_line(&run.stderr);
    run.status.is_some_and(|status| status != 0)
        && ["no current target", "no current session", "no sessions"]
            .iter()
            .any(|saying| line.starts_with(saying))
}

fn first_line(text: &str) -> &str {
    trim(text.split('\n').next().unwrap_or_default())
}

/// Refuses a text that is no native id of this kind.
///
/// # Errors
///
/// [`NotNative`].
pub fn assert_selector(kind: IdKind, value: &str) -> Result<(), NotNative> {
    if kind.matches(value) { Ok(()) } else { Err(NotNative { kind, value: value.to_owned() }) }
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
