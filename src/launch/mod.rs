//! The argv of a session under tmux or screen, and what its exit file says.
//!
//! Nothing here touches the system: the commands are run by the caller, and [`detect_mux`] asks it
//! whether a file exists. [`crate::mux`] builds the same commands with guards.

mod claude;
mod commands;
mod detect;
mod exit_file;
mod screen_list;

pub use claude::{
    BOOTSTRAP_PROMPT, ClaudeSession, InvalidSessionId, SessionId, SessionMode, build_claude_args,
    main_session_name,
};
pub(crate) use commands::SESSION_LABEL;
pub use commands::{Command, Launch, MuxCommands, SESSION_EXIT_SCRIPT, build_mux_commands};
pub use detect::{
    FoundMux, MUX_CANDIDATES, Mux, MuxCandidates, MuxKind, MuxPreference, choose_mux, detect_mux,
};
pub use exit_file::parse_exit_file;
pub(crate) use screen_list::is_dead;
pub use screen_list::parse_screen_list;
