//! What lets the JavaScript side notice a binary that is not its own.

use napi_derive::napi;

#[napi(catch_unwind)]
pub(super) fn native_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
