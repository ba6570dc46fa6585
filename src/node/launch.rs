//! The surface of `seatkit/launch-args`.

use napi::bindgen_prelude::Env;
use napi_derive::napi;

use super::js::{Js, JsResult, Value};
use crate::launch::parse_exit_file_utf16;

/// The exit code that a session's exit file records, or `null` when there is none to read.
///
/// The file is what `SESSION_EXIT_SCRIPT` writes: one to three digits, white space around them
/// allowed. Anything else, a value that is no string included, is `null`.
///
/// ```js
/// parseExitFile(" 137 "); // 137
/// parseExitFile("killed"); // null
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "text: string | null | undefined",
    ts_return_type = "number | null"
)]
pub(super) fn parse_exit_file<'js>(env: &'js Env, text: Value<'js>) -> napi::Result<Value<'js>> {
    Ok(exit_file(Js::new(env), text)?)
}

fn exit_file<'js>(js: Js<'js>, text: Value<'js>) -> JsResult<Value<'js>> {
    let code = if js.is_string(text)? {
        js.with_utf16(text, parse_exit_file_utf16)?
    } else {
        None
    };
    match code {
        Some(code) => js.uint(code.into()),
        None => js.null(),
    }
}
