//! tmux session names, lookups and placement.

mod child;
mod classify;
mod exact;
mod lookup;
mod name;
mod native_id;
mod placement;
mod placement_verbs;
mod run;
mod server;
mod spawn;

pub use classify::{TmuxAnswer, classify_tmux_run};
pub use exact::{TmuxSessionExactError, TmuxUnavailable, resolve_tmux_session_exact};
#[cfg(feature = "node")]
pub(crate) use lookup::{LOOKUP_FORMAT, LOOKUP_HEAD, sole_session_id};
pub use lookup::{
    LookupAnomaly, TmuxSessionLookup, TmuxSessionRejectReason, build_tmux_session_lookup_args,
    resolve_tmux_session_id,
};
#[cfg(feature = "node")]
pub(crate) use name::is_session_name;
pub use name::{TmuxSessionName, TmuxSessionNameInvalid, classify_tmux_session_name};
pub use native_id::{
    IdKind, NotNative, TmuxPaneId, TmuxSessionId, TmuxWindowId, is_decimal, is_decimal_utf16,
};
pub use placement::{
    APPEND_FORMAT, CloseOutcome, INSPECT_FORMAT, NoHandle, PLACEMENT_FIELDS, Placement,
    PlacementRejectReason, TmuxFailed, WINDOW_FIELDS, WindowFields, WindowHandle, assert_selector,
    assert_tmux_ok, build_append_args, build_close_args, build_inspect_args,
    build_list_window_ids_args, classify_close_failure, is_same_context, is_same_server,
    parse_placement, parse_window_fields, read_anchor,
};
pub use placement_verbs::{Caller, PlacementError, append_window, close_window, inspect_placement};
pub use run::{RunTmuxError, TmuxOptions, run_tmux};
pub use server::TmuxServer;

/// What one run of tmux answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TmuxRun {
    /// The exit code; `None` where a signal or the time limit ended it, which is no answer at all.
    pub status: Option<i32>,
    /// What it printed, bytes that are no UTF-8 replaced by U+FFFD.
    pub stdout: String,
    /// What it complained of, likewise.
    pub stderr: String,
}
