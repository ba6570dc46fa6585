//! The surface of `seatkit/resolve-tmux-session`.

use napi::bindgen_prelude::Env;
use napi_derive::napi;

use super::js::{ErrorClass, Js, JsResult, Thrown, Value};
use crate::tmux::{
    IdKind, LOOKUP_FORMAT, LOOKUP_HEAD, TmuxSessionRejectReason, is_session_name, sole_session_id,
};

/// What is wrong with a tmux session name, or `null`: it has to be an ASCII letter or digit, then
/// letters, digits, `_` and `-`. tmux cannot address names with `.`, `:` or `#`; the rest is
/// refused so that one grammar holds for creating a session and for finding it.
///
/// ```js
/// classifyTmuxSessionName("work"); // null
/// classifyTmuxSessionName("my.project"); // "tmux-session-name-invalid"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "name: string",
    ts_return_type = "\"tmux-session-name-invalid\" | null"
)]
pub(super) fn classify_tmux_session_name<'js>(
    env: &'js Env,
    name: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    if is_name(js, name)? {
        return Ok(js.null()?);
    }
    Ok(js.string(TmuxSessionRejectReason::NameInvalid.as_str())?)
}

/// The grammar applied to `String(name)`.
fn is_name<'js>(js: Js<'js>, name: Value<'js>) -> JsResult<bool> {
    let text = js.to_string(name)?;
    js.with_utf16(text, is_session_name)
}

/// The arguments of tmux that look a session up. `=NAME` is the target that matches exactly, and
/// `list-windows` answers with an exit code for absence.
///
/// Throws an `Error` for a name that `classifyTmuxSessionName` refuses.
///
/// ```js
/// buildTmuxSessionLookupArgs("work"); // ["list-windows", "-t", "=work", "-F", "#{session_id}"]
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "name: string",
    ts_return_type = "string[]"
)]
pub(super) fn build_tmux_session_lookup_args<'js>(
    env: &'js Env,
    name: Value<'js>,
    array: Value<'js>,
) -> napi::Result<Value<'js>> {
    Ok(lookup_args(Js::new(env), name, array)?)
}

fn lookup_args<'js>(js: Js<'js>, name: Value<'js>, array: Value<'js>) -> JsResult<Value<'js>> {
    if !is_name(js, name)? {
        const WRONG: &str =
            "resolve-tmux-session: refusing to build a lookup for an unresolvable session name: ";
        let message = js.joined(WRONG, js.to_string(name)?, "")?;
        return Err(js.throw_new(ErrorClass::Error, message));
    }
    let [command, target] = LOOKUP_HEAD;
    let exact = js.joined("=", js.to_string(name)?, "")?;
    let [format, id] = LOOKUP_FORMAT;
    let words = [
        js.string(command)?,
        js.string(target)?,
        exact,
        js.string(format)?,
        js.string(id)?,
    ];
    js.array_by(array, &words)
}

/// Resolves a tmux session name to its native id (`$0` and the like), the only thing that later
/// commands should target. `run` runs tmux with the given arguments.
///
/// Gives `{ ok: true, sessionId }`, or `{ ok: false, reason }`: `tmux-session-name-invalid` without
/// a run, `tmux-session-missing` for any exit status but 0. What `run` throws comes out as it is.
/// Throws an `Error` when the run was killed (`status: null`) or printed anything but one id.
///
/// ```js
/// resolveTmuxSessionId("work", (args) => spawnSync("tmux", args, { encoding: "utf8" }));
/// // { ok: true, sessionId: "$3" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "name: string, run: (args: string[]) => TmuxSessionLookupRun",
    ts_return_type = "TmuxSessionLookupResult"
)]
pub(super) fn resolve_tmux_session_id<'js>(
    env: &'js Env,
    name: Value<'js>,
    run: Value<'js>,
    array: Value<'js>,
    foreign_lines: Value<'js>,
    some_other: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    if !is_name(js, name)? {
        return Ok(rejected(js, TmuxSessionRejectReason::NameInvalid)?);
    }
    let args = lookup_args(js, name, array)?;
    let result = js.call("run", run, js.undefined()?, &[args])?;
    if js.is_null(js.get(result, c"status")?)? {
        return Err(killed(js, name, result).into());
    }
    let status = js.get(result, c"status")?;
    if !js.is_number(status)? || js.number_of(status)? != 0.0 {
        return Ok(rejected(js, TmuxSessionRejectReason::SessionMissing)?);
    }
    let stdout = js.get(result, c"stdout")?;
    let own = js.if_string(stdout, |text| sole_session_id(text).map(|id| js.utf16(id)))?;
    let id = match own {
        Some(id) => id.transpose()?,
        None => foreign_id(js, stdout, foreign_lines, some_other)?,
    };
    match id {
        Some(id) => Ok(js.object([(c"ok", js.boolean(true)?), (c"sessionId", id)])?),
        None => Err(not_one_id(js, name, result).into()),
    }
}

fn rejected(js: Js<'_>, reason: TmuxSessionRejectReason) -> JsResult<Value<'_>> {
    js.object([
        (c"ok", js.boolean(false)?),
        (c"reason", js.string(reason.as_str())?),
    ])
}

/// An output that is no string brings methods of its own: `lines` runs them, `some_other` says
/// whether a line differs from the first.
fn foreign_id<'js>(
    js: Js<'js>,
    stdout: Value<'js>,
    lines: Value<'js>,
    some_other: Value<'js>,
) -> JsResult<Option<Value<'js>>> {
    let this = js.undefined()?;
    let lines = js.call("lines", lines, this, &[stdout])?;
    let first = js.get(lines, c"0")?;
    if js.is_undefined(first)? {
        return Ok(None);
    }
    let text = js.to_string(first)?;
    if !js.with_utf16(text, |text| IdKind::Session.matches_utf16(text))? {
        return Ok(None);
    }
    let differs = js.call("someOther", some_other, this, &[lines, first])?;
    Ok((!js.truthy(differs)?).then_some(first))
}

fn killed<'js>(js: Js<'js>, name: Value<'js>, result: Value<'js>) -> Thrown {
    let message = || {
        let text = js.joined(
            "resolve-tmux-session: the lookup for session \"",
            js.to_string(name)?,
            "\" was killed by a signal: ",
        )?;
        let stderr = js.get(result, c"stderr")?;
        let trim = js.get(stderr, c"trim")?;
        let stderr = js.call("result.stderr.trim", trim, stderr, &[])?;
        js.concat(text, js.to_string(stderr)?)
    };
    match message() {
        Ok(message) => js.throw_new(ErrorClass::Error, message),
        Err(thrown) => thrown,
    }
}

fn not_one_id<'js>(js: Js<'js>, name: Value<'js>, result: Value<'js>) -> Thrown {
    let message = || {
        let text = js.joined(
            "resolve-tmux-session: tmux answered rc=0 for session \"",
            js.to_string(name)?,
            "\" with something that is not one native session id: ",
        )?;
        let json = js.json_stringify(js.get(result, c"stdout")?)?;
        js.concat(text, js.to_string(json)?)
    };
    match message() {
        Ok(message) => js.throw_new(ErrorClass::Error, message),
        Err(thrown) => thrown,
    }
}
