//! Running tmux, for `seatkit/mux` and `seatkit/resolve-tmux-session`.

use std::ffi::OsString;
use std::time::Duration;

use napi::bindgen_prelude::Env;
use napi_derive::napi;

use super::js::{ErrorClass, Js, JsResult, Thrown, Type, Value};
use super::read;
use crate::tmux::{
    RunTmuxError, TmuxOptions, TmuxRun, TmuxSessionExactError, TmuxUnavailable, classify_tmux_run,
    resolve_tmux_session_exact, run_tmux as run,
};

/// Runs tmux once and gives what it answered: `{ status, stdout, stderr }`, the texts decoded as
/// UTF-8. `status` is `null` where a signal or the time limit ended it: no answer at all.
///
/// stdin is empty. Both outputs are read at the same time, whatever their size; the call ends when
/// tmux does, whoever else may hold the outputs. Past `timeoutMs` (no default) tmux is killed, with
/// what it had written until then; its server is not touched.
///
/// The environment is `process.env` as it is at the time of the call, or `options.env` as the whole
/// of it; the `PATH` in it is where `tmux` is looked for. The arguments are passed as they are: see
/// `escapeTmuxArg` for what tmux makes of them.
///
/// Throws an `Error` with `code` (`ENOENT`, `EACCES`, `E2BIG`, ...), `errno`, `syscall` and `path`
/// where the program cannot be started, and a `TypeError`, with nothing started, for an argument of
/// the wrong type or one with a NUL.
///
/// ```js
/// runTmux(["list-sessions", "-F", "#{session_id}"], { socket: "seat", timeoutMs: 5000 });
/// // { status: 0, stdout: "$0\n", stderr: "" }
/// resolveTmuxSessionId("work", runTmux); // { ok: true, sessionId: "$0" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "args: readonly string[], options?: RunTmuxOptions | null",
    ts_return_type = "TmuxRun"
)]
pub(super) fn run_tmux<'js>(
    env: &'js Env,
    args: Value<'js>,
    options: Value<'js>,
    process_env: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let args = read::strings(js, args, "args")?;
    let options = tmux_options(js, options, process_env)?;
    match run(&args, &options) {
        Ok(run) => Ok(tmux_run(js, &run)?),
        Err(error) => Err(throw_run_error(js, &error).into()),
    }
}

/// What an answer of tmux says about the session that it was asked for: `present`, `absent`, or
/// `unknown` where the server could not say (it is busy, speaks another protocol, may not be
/// reached, or tmux was killed). A session taken for gone on such an answer is started twice.
///
/// `run` is what `runTmux` gives, or the like of `spawnSync` with `encoding: "utf8"`. A missing
/// server is an absent session.
///
/// Throws a `TypeError` for anything else, a promise included.
///
/// ```js
/// classifyTmuxRun({ status: 1, stdout: "", stderr: "can't find session: a\n" }); // "absent"
/// classifyTmuxRun({ status: 1, stdout: "", stderr: "server exited unexpectedly\n" }); // "unknown"
/// ```
#[napi(
    catch_unwind,
    js_name = "classifyTmuxRun",
    ts_args_type = "run: TmuxRun",
    ts_return_type = "TmuxAnswer"
)]
pub(super) fn classify_run<'js>(env: &'js Env, run: Value<'js>) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let run = given_run(js, run)?;
    Ok(js.string(classify_tmux_run(&run).as_str())?)
}

/// Resolves a tmux session name to its native id by comparing text: `{ ok: true, sessionId }`, or
/// `{ ok: false, reason }` with `tmux-session-name-invalid` (tmux was not asked),
/// `tmux-session-missing` (no such session, or no server) or `tmux-unavailable` (the server could
/// not be asked, or tmux not be run, so nothing is known of the session).
///
/// `resolveTmuxSessionId` asks for `=NAME`, which also matches an attached client of that name
/// (`client-497`, `ttys001`) and gives the id of whatever session that client looks at.
///
/// Throws a `TypeError` for options of the wrong type.
///
/// ```js
/// resolveTmuxSessionExact("work", { socket: "seat", timeoutMs: 5000 });
/// // { ok: true, sessionId: "$3" }
/// ```
#[napi(
    catch_unwind,
    js_name = "resolveTmuxSessionExact",
    ts_args_type = "name: string, options?: RunTmuxOptions | null",
    ts_return_type = "TmuxSessionExactResult"
)]
pub(super) fn resolve_exact<'js>(
    env: &'js Env,
    name: Value<'js>,
    options: Value<'js>,
    process_env: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let name = read::string(js, name, "name")?;
    let options = tmux_options(js, options, process_env)?;
    match resolve_tmux_session_exact(&name, &options) {
        Ok(id) => Ok(js.object([
            (c"ok", js.boolean(true)?),
            (c"sessionId", js.string(id.as_str())?),
        ])?),
        Err(TmuxSessionExactError::Unavailable(TmuxUnavailable::NotRun(
            error @ RunTmuxError::Nul { .. },
        ))) => Err(throw_run_error(js, &error).into()),
        Err(error) => Ok(js.object([
            (c"ok", js.boolean(false)?),
            (c"reason", js.string(error.as_str())?),
        ])?),
    }
}

/// Reads a run that JavaScript made. Its stdout is of no matter to any judgement.
pub(super) fn given_run<'js>(js: Js<'js>, run: Value<'js>) -> JsResult<TmuxRun> {
    let run = read::object(js, run, "run")?;
    let status = js.get(run, c"status")?;
    let status = match js.type_of(status)? {
        Type::Null => None,
        Type::Number => Some(exit_code(js, status)?),
        _ => return Err(read::wrong_type(js, "run.status", "a whole number or null")),
    };
    let stderr = js.get(run, c"stderr")?;
    let stderr = read::string(js, stderr, "run.stderr")?;
    Ok(TmuxRun {
        status,
        stderr,
        stdout: String::new(),
    })
}

fn exit_code<'js>(js: Js<'js>, status: Value<'js>) -> JsResult<i32> {
    let number = js.number_of(status)?;
    // Exit codes are small, so nothing is cut off here that was one.
    if number.fract() == 0.0 && number.abs() < 65_536.0 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number below 65,536"
        )]
        return Ok(number as i32);
    }
    Err(read::wrong_type(js, "run.status", "a whole number or null"))
}

/// Reads `RunTmuxOptions`.
pub(super) fn tmux_options<'js>(
    js: Js<'js>,
    options: Value<'js>,
    process_env: Value<'js>,
) -> JsResult<TmuxOptions> {
    let mut read = TmuxOptions::default();
    let mut env = process_env;
    if let Some(options) = read::options(js, options, "options")? {
        read.server.socket = non_empty(js, options, "options.socket", c"socket")?;
        read.server.config = non_empty(js, options, "options.config", c"config")?;
        read.bin = non_empty(js, options, "options.bin", c"bin")?.map(OsString::from);
        read.timeout = timeout(js, js.get(options, c"timeoutMs")?)?;
        let own = js.get(options, c"env")?;
        if let Some(own) = read::options(js, own, "options.env")? {
            env = own;
        }
    }
    read.env = Some(environment(js, env)?);
    Ok(read)
}

fn non_empty<'js>(
    js: Js<'js>,
    options: Value<'js>,
    what: &str,
    name: &std::ffi::CStr,
) -> JsResult<Option<String>> {
    let text = read::optional_string(js, js.get(options, name)?, what)?;
    if text.as_ref().is_some_and(String::is_empty) {
        return Err(read::wrong_value(js, &format!("{what} must not be empty")));
    }
    Ok(text)
}

fn timeout<'js>(js: Js<'js>, value: Value<'js>) -> JsResult<Option<Duration>> {
    let wrong = || read::wrong_type(js, "options.timeoutMs", "a positive, finite number");
    match js.type_of(value)? {
        Type::Undefined | Type::Null => Ok(None),
        Type::Number => {
            let ms = js.number_of(value)?;
            if ms > 0.0 && ms.is_finite() {
                // More than a `Duration` holds is as good as for ever.
                Ok(Duration::try_from_secs_f64(ms / 1000.0).ok())
            } else {
                Err(wrong())
            }
        }
        _ => Err(wrong()),
    }
}

/// The variables of an environment, as `child_process` takes them: every enumerable property but
/// those that are `undefined`, each value made a string.
pub(super) fn environment<'js>(
    js: Js<'js>,
    env: Value<'js>,
) -> JsResult<Vec<(OsString, OsString)>> {
    let names = js.keys(env)?;
    let count = js.length(names)?;
    let mut variables = Vec::with_capacity(count as usize);
    for index in 0..count {
        let name = js.element(names, index)?;
        let value = js.get_key(env, name)?;
        if js.type_of(value)? == Type::Undefined {
            continue;
        }
        let value = js.utf8(js.to_string(value)?)?;
        variables.push((js.utf8(name)?.into(), value.into()));
    }
    Ok(variables)
}

/// `{ status, stdout, stderr }`
fn tmux_run<'js>(js: Js<'js>, run: &TmuxRun) -> JsResult<Value<'js>> {
    let status = match run.status {
        Some(status) => js.number(status.into())?,
        None => js.null()?,
    };
    js.object([
        (c"status", status),
        (c"stdout", js.string(&run.stdout)?),
        (c"stderr", js.string(&run.stderr)?),
    ])
}

/// Throws what `child_process` would throw for the same.
pub(super) fn throw_run_error(js: Js<'_>, error: &RunTmuxError) -> Thrown {
    let (call, bin, errno) = match error {
        RunTmuxError::Spawn { bin, errno } => ("spawn", bin, *errno),
        RunTmuxError::Wait { bin, errno } => ("wait", bin, *errno),
        nul @ RunTmuxError::Nul { .. } => return read::wrong_value(js, &nul.to_string()),
    };
    let thrown = || {
        let message = js.string(&error.to_string())?;
        let value = js.error(ErrorClass::Error, message, Some(error.code()))?;
        js.define(
            value,
            [
                (c"errno", js.number(f64::from(-errno))?),
                (c"syscall", js.string(&format!("{call} {bin}"))?),
                (c"path", js.string(bin)?),
            ],
        )?;
        Ok(value)
    };
    match thrown() {
        Ok(value) => js.throw(value),
        Err(thrown) => thrown,
    }
}
