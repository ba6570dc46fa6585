//! The argv of a session under tmux or screen, and how its end is read.

mod candidates;
mod escape;
mod exit_file;
mod outcome;
mod screen_sessions;

pub use candidates::{CandidateEnv, MuxCandidates, mux_candidates};
pub use escape::{
    TMUX_MESSAGE_LIMIT, escape_tmux_arg, escape_tmux_arg_utf16, escape_tmux_format,
    escape_tmux_format_utf16, packed_size,
};
pub use exit_file::{parse_exit_file, parse_exit_file_utf16};
pub use outcome::{SessionOutcome, session_outcome};
pub use screen_sessions::{ScreenSession, parse_screen_sessions, screen_stop_args};
