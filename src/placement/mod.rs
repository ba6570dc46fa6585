//! Where a caller stands in tmux, and the windows it opens beside itself, by native ids alone.
//!
//! The environment that a process in a pane inherits *is* the address: `TMUX` names the server and
//! `TMUX_PANE` the pane. No socket and no session name is ever taken from a caller.

mod answers;
mod fresh_window;
mod precondition;
mod verbs;

pub use answers::{
    APPEND_FORMAT, CloseOutcome, INSPECT_FORMAT, NoHandle, PLACEMENT_FIELDS, Placement,
    PlacementRejectReason, Server, TmuxFailed, WINDOW_FIELDS, WindowFields, WindowHandle,
    assert_selector, assert_tmux_ok, build_append_args, build_close_args, build_inspect_args,
    build_list_window_ids_args, classify_close_failure, is_same_context, is_same_server,
    parse_placement, parse_window_fields, read_anchor,
};
pub use fresh_window::{FreshWindow, FreshWindowError, build_fresh_window_args};
pub use precondition::{
    LaunchPreconditionError, LaunchRejectReason, assert_launch_target, resolve_runtime_on_path,
};
pub use verbs::{
    Caller, PlacementError, append_window, close_window, inspect_placement, require_same_context,
    require_same_server,
};
