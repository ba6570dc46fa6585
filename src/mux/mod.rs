//! Guarded commands under tmux or screen, and what a multiplexer's answers prove.
//!
//! Everything here is past the plain argv of [`crate::launch`]: what tmux would misread is escaped,
//! what would fail in silence is refused before.

mod candidates;
mod classify;
mod escape;
mod exact;
mod outcome;
mod paths;
mod refusal;
mod safe;
mod screen_sessions;

pub use candidates::{CandidateEnv, mux_candidates};
pub use classify::{MuxAnswer, classify_screen_run, classify_tmux_run};
pub use escape::{TMUX_MESSAGE_LIMIT, escape_tmux_arg, escape_tmux_format, packed_size};
pub use exact::{TmuxSessionExactError, TmuxUnavailable, resolve_tmux_session_exact};
pub use outcome::{SessionOutcome, session_outcome};
pub(crate) use paths::check_own_file;
pub use refusal::MuxCommandError;
pub(crate) use refusal::{ENV, env_words, refuse_nul_in, refuse_oversize};
pub use safe::{Prompt, SafeCommand, SafeMuxCommands, SafeOptions, Size, build_safe_mux_commands};
pub(crate) use safe::{check_launch, claude_words};
pub use screen_sessions::{ScreenSession, parse_screen_sessions, screen_stop_args};
