//! tmux session names, lookups and placement.

mod child;
mod classify;
mod run;
mod server;

pub use classify::{TmuxAnswer, classify_tmux_run};
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
