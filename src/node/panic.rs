//! The proof that a panic in an export is an error in JavaScript, and not the end of Node.

use napi_derive::napi;

#[napi(catch_unwind)]
pub(super) fn panic_on_purpose() {
    panic_now();
}

#[expect(clippy::panic, reason = "a panic is what the test asks for")]
fn panic_now() {
    panic!("panicked on purpose");
}
