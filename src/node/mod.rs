//! The Node-API surface: conversions and nothing else, one file a module.
#![cfg_attr(test, allow(dead_code, reason = "napi registers no exports in a test build"))]
#![allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the borrow of the environment is what binds the handles to the call"
)]
#![allow(unreachable_pub, reason = "napi takes public structs and constants only")]
#![allow(clippy::option_option, reason = "napi takes a missing field and `null` for two things")]

mod convert;
mod inbox;
mod job;
mod launch_args;
mod mux;
mod mux_placement;
mod resolve_tmux_session;
mod session;
mod yaml;

use napi_derive::napi;

/// What lets the JavaScript side notice a binary that is not its own.
#[napi(catch_unwind)]
pub fn native_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The proof that a panic in an export is an error in JavaScript, and not the end of Node.
#[napi(catch_unwind)]
pub fn panic_on_purpose() {
    panic_now();
}

#[expect(clippy::panic, reason = "a panic is what the test asks for")]
fn panic_now() {
    panic!("panicked on purpose");
}
