//! What lets the JavaScript side notice a binary that is not its own.

use napi_derive::napi;

/// The version of this binary, which `native.js` compares with the package's.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn native_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
