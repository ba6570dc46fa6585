//! The Node-API surface: conversions and nothing else, one file a module.
#![cfg_attr(
    test,
    allow(dead_code, reason = "napi registers no exports in a test build")
)]
#![allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the borrow of the environment is what binds the handles to the call"
)]

mod inbox;
mod inbox_async;
mod inbox_call;
mod inbox_markers;
mod js;
mod launch;
mod launch_precondition;
mod mux;
mod mux_commands;
mod mux_placement;
mod panic;
mod read;
mod tmux;
mod tmux_run;
mod version;
