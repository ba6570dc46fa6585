//! tmux itself: session names, native ids, lookups, and running it.

mod child;
mod cwd;
mod lookup;
mod name;
mod native_id;
mod run;
mod server;
mod spawn;

pub use cwd::{TmuxCwdRejectReason, classify_tmux_cwd};
pub use lookup::{
    LookupError, TmuxSessionLookup, TmuxSessionRejectReason, build_tmux_session_lookup_args,
    resolve_tmux_session_id,
};
pub use name::{TmuxSessionName, TmuxSessionNameInvalid, classify_tmux_session_name};
pub use native_id::{IdKind, NotNative, TmuxPaneId, TmuxSessionId, TmuxWindowId, is_decimal};
pub use run::{DEFAULT_TIMEOUT, RunTmuxError, TmuxOptions, run_tmux};
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
