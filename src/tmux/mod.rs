//! tmux session names, lookups and placement.

mod child;
mod classify;
mod lookup;
mod name;
mod run;
mod server;

pub use classify::{TmuxAnswer, classify_tmux_run};
#[cfg(feature = "node")]
pub(crate) use lookup::{LOOKUP_FORMAT, LOOKUP_HEAD, is_native_session_id, sole_session_id};
pub use lookup::{
    LookupAnomaly, TmuxSessionLookup, TmuxSessionRejectReason, build_tmux_session_lookup_args,
    resolve_tmux_session_id,
};
#[cfg(feature = "node")]
pub(crate) use name::is_session_name;
pub use name::{TmuxSessionName, TmuxSessionNameInvalid, classify_tmux_session_name};
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
