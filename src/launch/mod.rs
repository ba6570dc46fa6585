//! The argv of a session under tmux or screen, and how its end is read.
//!
//! The commands are run by the caller, and [`detect_mux`] asks it whether a file exists; only the
//! preconditions of a launch look at the system themselves. Texts that come from JavaScript may hold lone surrogates, so
//! the functions that read text have a twin for UTF-16.

mod candidates;
mod claude;
mod commands;
mod detect;
mod escape;
mod exit_file;
mod fresh_window;
mod outcome;
mod precondition;
mod refusal;
mod safe;
mod screen_list;
mod screen_sessions;

pub use candidates::{CandidateEnv, MUX_CANDIDATES, MuxCandidates, mux_candidates};
pub use claude::{
    BOOTSTRAP_PROMPT, ClaudeSession, InvalidSessionId, SessionId, SessionMode, UnknownSessionMode,
    build_claude_args, is_session_id_utf16, main_session_name,
};
#[cfg(feature = "node")]
pub(crate) use claude::{ClaudeWords, MAIN_SUFFIX, claude_args};
use commands::SESSION_LABEL;
#[cfg(feature = "node")]
pub(crate) use commands::{Arg, Launcher, screen_commands, tmux_commands};
pub use commands::{Command, Launch, MuxCommands, SESSION_EXIT_SCRIPT, build_mux_commands};
pub use detect::{FoundMux, Mux, MuxKind, MuxPreference, UnknownMuxKind, choose_mux, detect_mux};
pub use escape::{
    TMUX_MESSAGE_LIMIT, escape_tmux_arg, escape_tmux_arg_utf16, escape_tmux_format,
    escape_tmux_format_utf16, packed_size,
};
pub use exit_file::{parse_exit_file, parse_exit_file_utf16};
pub use fresh_window::{FreshWindow, FreshWindowError, build_fresh_window_args};
pub use outcome::{SessionOutcome, session_outcome};
pub use precondition::{
    LaunchPreconditionError, LaunchRejectReason, TmuxCwdRejectReason, assert_launch_target,
    classify_tmux_cwd, resolve_runtime_on_path,
};
pub use refusal::MuxCommandError;
pub use safe::{SafeCommand, SafeMuxCommands, SafeOptions, build_safe_mux_commands};
#[cfg(feature = "node")]
pub(crate) use screen_list::{is_dead, lines};
pub use screen_list::{parse_screen_list, parse_screen_list_utf16};
pub use screen_sessions::{ScreenSession, parse_screen_sessions, screen_stop_args};
