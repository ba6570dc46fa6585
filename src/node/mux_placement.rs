//! The surface of `seatkit/mux-placement`, but for the launch preconditions.

use napi::bindgen_prelude::Env;
use napi_derive::napi;

use super::js::{ErrorClass, Js, JsResult, Thrown, Value};
use super::mux::string_array;
use super::read;
use super::tmux_run::{given_run, throw_run_error, tmux_options};
use crate::tmux::{
    self, Caller, IdKind, Placement, PlacementError, PlacementRejectReason, TmuxPaneId,
    TmuxSessionId, TmuxWindowId, is_decimal_utf16,
};

/// The format of a placement query: native ids and numbers joined by `|`.
#[napi]
#[allow(unreachable_pub, reason = "napi takes public constants only")]
pub const INSPECT_FORMAT: &str = tmux::INSPECT_FORMAT;

/// The format of what `new-window -P` prints: native ids and numbers joined by `|`.
#[napi]
#[allow(unreachable_pub, reason = "napi takes public constants only")]
pub const APPEND_FORMAT: &str = tmux::APPEND_FORMAT;

/// `PLACEMENT_FIELDS`, frozen.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn placement_fields(env: &Env) -> napi::Result<Value<'_>> {
    Ok(frozen(Js::new(env), &tmux::PLACEMENT_FIELDS)?)
}

/// `WINDOW_FIELDS`, frozen.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn window_fields(env: &Env) -> napi::Result<Value<'_>> {
    Ok(frozen(Js::new(env), &tmux::WINDOW_FIELDS)?)
}

fn frozen<'js>(js: Js<'js>, texts: &[&str]) -> JsResult<Value<'js>> {
    js.freeze(string_array(js, texts)?)
}

/// Whether `String(value)` is a native pane id, `%3`.
#[napi(
    catch_unwind,
    ts_args_type = "value: string",
    ts_return_type = "boolean"
)]
pub(super) fn is_pane_id(env: &Env, value: Value<'_>) -> napi::Result<bool> {
    Ok(is_text(Js::new(env), value, |text| {
        IdKind::Pane.matches_utf16(text)
    })?)
}

/// Whether `String(value)` is a native session id, `$3`.
#[napi(
    catch_unwind,
    ts_args_type = "value: string",
    ts_return_type = "boolean"
)]
pub(super) fn is_session_id(env: &Env, value: Value<'_>) -> napi::Result<bool> {
    Ok(is_text(Js::new(env), value, |text| {
        IdKind::Session.matches_utf16(text)
    })?)
}

/// Whether `String(value)` is a native window id, `@3`.
#[napi(
    catch_unwind,
    ts_args_type = "value: string",
    ts_return_type = "boolean"
)]
pub(super) fn is_window_id(env: &Env, value: Value<'_>) -> napi::Result<bool> {
    Ok(is_text(Js::new(env), value, |text| {
        IdKind::Window.matches_utf16(text)
    })?)
}

/// Whether `String(value)` is ASCII digits alone, as tmux prints process ids and indices.
#[napi(
    catch_unwind,
    ts_args_type = "value: string",
    ts_return_type = "boolean"
)]
pub(super) fn is_decimal(env: &Env, value: Value<'_>) -> napi::Result<bool> {
    Ok(is_text(Js::new(env), value, is_decimal_utf16)?)
}

fn is_text<'js>(
    js: Js<'js>,
    value: Value<'js>,
    test: impl FnOnce(&[u16]) -> bool,
) -> JsResult<bool> {
    js.with_utf16(js.to_string(value)?, test)
}

/// Throws an `Error` unless `value` is a native id of this kind. tmux reads much more into a target
/// than a name, so nothing else may reach it.
///
/// ```js
/// assertSelector("window", "@3");
/// assertSelector("window", "@1; kill-server"); // throws
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "kind: \"pane\" | \"session\" | \"window\", value: string",
    ts_return_type = "void"
)]
pub(super) fn assert_selector<'js>(
    env: &'js Env,
    kind: Value<'js>,
    value: Value<'js>,
) -> napi::Result<()> {
    let js = Js::new(env);
    let kind = read::string(js, kind, "kind")?;
    let Some(kind) = IdKind::from_word(&kind) else {
        let text = "kind must be \"pane\", \"session\" or \"window\"";
        return Err(read::wrong_value(js, text).into());
    };
    Ok(selector(js, kind, value)?)
}

/// Passes a native id of this kind and nothing else.
fn selector<'js>(js: Js<'js>, kind: IdKind, value: Value<'js>) -> JsResult<()> {
    if js.if_string(value, |text| kind.matches_utf16(text))? == Some(true) {
        return Ok(());
    }
    let head = format!(
        "mux-placement: refusing a non-native {} selector ",
        kind.as_str()
    );
    let json = js.to_string(js.json_stringify(value)?)?;
    let message = js.joined(&head, json, "")?;
    let error = js.error(ErrorClass::Error, message, Some("selector-not-native"))?;
    Err(js.throw(error))
}

macro_rules! read_id {
    ($name:ident, $id:ty, $kind:expr) => {
        pub(super) fn $name<'js>(js: Js<'js>, value: Value<'js>) -> JsResult<$id> {
            selector(js, $kind, value)?;
            let text = js.utf8(value)?;
            // Passed above, so the error is never made.
            text.parse()
                .map_err(|error: tmux::NotNative| read::wrong_value(js, &error.to_string()))
        }
    };
}

read_id!(pane_id, TmuxPaneId, IdKind::Pane);
read_id!(session_id, TmuxSessionId, IdKind::Session);
read_id!(window_id, TmuxWindowId, IdKind::Window);

/// The caller's pane: `{ ok: true, anchor }`, or `{ ok: false, reason }` with `no-tmux-context`
/// (`TMUX` or `TMUX_PANE` is missing or empty) or `anchor-malformed` (`TMUX_PANE` is no pane id).
///
/// ```js
/// readAnchor({ TMUX: "/tmp/tmux-501/default,1,0", TMUX_PANE: "%4" }); // { ok: true, anchor: "%4" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "env: Record<string, string | undefined>",
    ts_return_type = "AnchorResult"
)]
pub(super) fn read_anchor<'js>(env: &'js Env, variables: Value<'js>) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let variables = read::object(js, variables, "env")?;
    let server = read::variable(js, variables, c"TMUX")?;
    let pane = read::variable(js, variables, c"TMUX_PANE")?;
    match tmux::read_anchor(server.as_deref(), pane.as_deref()) {
        Ok(anchor) => Ok(js.object([
            (c"ok", js.boolean(true)?),
            (c"anchor", js.string(anchor.as_str())?),
        ])?),
        Err(reason) => Ok(rejected(js, reason)?),
    }
}

fn rejected(js: Js<'_>, reason: PlacementRejectReason) -> JsResult<Value<'_>> {
    js.object([
        (c"ok", js.boolean(false)?),
        (c"reason", js.string(reason.as_str())?),
    ])
}

/// The arguments that ask tmux about one pane. Throws for anything but a native pane id.
#[napi(
    catch_unwind,
    ts_args_type = "anchor: string",
    ts_return_type = "string[]"
)]
pub(super) fn build_inspect_args<'js>(
    env: &'js Env,
    anchor: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let anchor = pane_id(js, anchor)?;
    Ok(string_array(js, &tmux::build_inspect_args(&anchor))?)
}

/// The arguments that open one window with the default shell at the end of a session, without
/// moving anybody's focus. Throws for anything but a native session id.
#[napi(
    catch_unwind,
    ts_args_type = "sessionId: string",
    ts_return_type = "string[]"
)]
pub(super) fn build_append_args<'js>(
    env: &'js Env,
    session: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let session = session_id(js, session)?;
    Ok(string_array(js, &tmux::build_append_args(&session))?)
}

/// The arguments that close one window. Throws for anything but a native window id.
#[napi(
    catch_unwind,
    ts_args_type = "windowId: string",
    ts_return_type = "string[]"
)]
pub(super) fn build_close_args<'js>(env: &'js Env, window: Value<'js>) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let window = window_id(js, window)?;
    Ok(string_array(js, &tmux::build_close_args(&window))?)
}

/// The arguments that list the window ids of the whole server.
#[napi(catch_unwind, ts_return_type = "string[]")]
pub(super) fn build_list_window_ids_args(env: &Env) -> napi::Result<Value<'_>> {
    Ok(string_array(
        Js::new(env),
        &tmux::build_list_window_ids_args(),
    )?)
}

/// Reads the answer to `buildInspectArgs(anchor)`, whose status proves nothing: `{ ok: true,
/// placement }`, or `{ ok: false, reason }` with `anchor-mismatch` where it is about another pane
/// and `anchor-unresolved` for anything but one whole row.
///
/// ```js
/// parsePlacement("%14", "8150|$11|@14|2|%14|74235\n");
/// // { ok: true, placement: { serverPid: "8150", sessionId: "$11", windowId: "@14", ... } }
/// parsePlacement("%14", "8150|||||\n"); // { ok: false, reason: "anchor-unresolved" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "anchor: string, stdout: string",
    ts_return_type = "InspectResult"
)]
pub(super) fn parse_placement<'js>(
    env: &'js Env,
    anchor: Value<'js>,
    stdout: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let anchor = pane_id(js, anchor)?;
    let stdout = read::string(js, stdout, "stdout")?;
    Ok(inspected(js, tmux::parse_placement(&anchor, &stdout))?)
}

fn inspected(js: Js<'_>, answer: Result<Placement, PlacementRejectReason>) -> JsResult<Value<'_>> {
    match answer {
        Ok(found) => js.object([
            (c"ok", js.boolean(true)?),
            (c"placement", placement(js, &found)?),
        ]),
        Err(reason) => rejected(js, reason),
    }
}

fn placement<'js>(js: Js<'js>, found: &Placement) -> JsResult<Value<'js>> {
    js.object([
        (c"serverPid", js.string(&found.server_pid)?),
        (c"sessionId", js.string(found.session_id.as_str())?),
        (c"windowId", js.string(found.window_id.as_str())?),
        (c"windowIndex", js.string(&found.window_index)?),
        (c"paneId", js.string(found.pane_id.as_str())?),
        (c"panePid", js.string(&found.pane_pid)?),
    ])
}

fn given_placement<'js>(js: Js<'js>, given: Value<'js>, what: &str) -> JsResult<Placement> {
    let given = read::object(js, given, what)?;
    let text = |name: &std::ffi::CStr| {
        let what = format!("{what}.{}", name.to_string_lossy());
        read::string(js, js.get(given, name)?, &what)
    };
    Ok(Placement {
        server_pid: text(c"serverPid")?,
        session_id: session_id(js, js.get(given, c"sessionId")?)?,
        window_id: window_id(js, js.get(given, c"windowId")?)?,
        window_index: text(c"windowIndex")?,
        pane_id: pane_id(js, js.get(given, c"paneId")?)?,
        pane_pid: text(c"panePid")?,
    })
}

/// Reads what `new-window -P -F` printed with `APPEND_FORMAT`. Throws an `Error` where that is no
/// handle: a window may be open then that nobody can name.
///
/// ```js
/// parseWindowFields("@2|3|%2|76957\n");
/// // { windowId: "@2", windowIndex: "3", paneId: "%2", panePid: "76957" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "stdout: string",
    ts_return_type = "WindowFields"
)]
pub(super) fn parse_window_fields<'js>(
    env: &'js Env,
    stdout: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let stdout = read::string(js, stdout, "stdout")?;
    match tmux::parse_window_fields(&stdout) {
        Ok(fields) => Ok(js.object([
            (c"windowId", js.string(fields.window_id.as_str())?),
            (c"windowIndex", js.string(&fields.window_index)?),
            (c"paneId", js.string(fields.pane_id.as_str())?),
            (c"panePid", js.string(&fields.pane_pid)?),
        ])?),
        Err(error) => {
            let code = Some("handle-unreadable");
            Err(js
                .throw_error(ErrorClass::Error, &error.to_string(), code)
                .into())
        }
    }
}

/// What a fresh output of `buildListWindowIdsArgs` says about a window that could not be closed:
/// `already-gone` if it is not listed, `null` (no outcome at all) if it is.
///
/// ```js
/// classifyCloseFailure("@3", "@0\n@30\n"); // "already-gone"
/// classifyCloseFailure("@3", "@0\n@3\n"); // null
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "windowId: string, listStdout: string",
    ts_return_type = "\"already-gone\" | null"
)]
pub(super) fn classify_close_failure<'js>(
    env: &'js Env,
    window: Value<'js>,
    list: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let window = read::string(js, window, "windowId")?;
    let list = read::string(js, list, "listStdout")?;
    match tmux::classify_close_failure(&window, &list) {
        Some(outcome) => Ok(js.string(outcome.as_str())?),
        None => Ok(js.null()?),
    }
}

/// Whether two placements are of one server *and* one session: a window is only ever appended to
/// the session that its caller stands in.
#[napi(
    catch_unwind,
    ts_args_type = "origin: PlacementContext, now: PlacementContext",
    ts_return_type = "boolean"
)]
pub(super) fn is_same_context<'js>(
    env: &'js Env,
    origin: Value<'js>,
    now: Value<'js>,
) -> napi::Result<bool> {
    let js = Js::new(env);
    let (origin, now) = (context(js, origin, "origin")?, context(js, now, "now")?);
    Ok(tmux::is_same_context(
        (&origin.0, &origin.1),
        (&now.0, &now.1),
    ))
}

fn context<'js>(js: Js<'js>, given: Value<'js>, what: &str) -> JsResult<(String, String)> {
    let pid = server_pid(js, given, what)?;
    let session = js.get(given, c"sessionId")?;
    Ok((
        pid,
        read::string(js, session, &format!("{what}.sessionId"))?,
    ))
}

fn server_pid<'js>(js: Js<'js>, given: Value<'js>, what: &str) -> JsResult<String> {
    let given = read::object(js, given, what)?;
    let pid = js.get(given, c"serverPid")?;
    read::string(js, pid, &format!("{what}.serverPid"))
}

/// Whether two placements are of one server. A close needs no more: within one server's life a
/// window id names one window, in whatever session it is.
#[napi(
    catch_unwind,
    ts_args_type = "origin: Pick<PlacementContext, \"serverPid\">, now: Pick<PlacementContext, \"serverPid\">",
    ts_return_type = "boolean"
)]
pub(super) fn is_same_server<'js>(
    env: &'js Env,
    origin: Value<'js>,
    now: Value<'js>,
) -> napi::Result<bool> {
    let js = Js::new(env);
    let (origin, now) = (
        server_pid(js, origin, "origin")?,
        server_pid(js, now, "now")?,
    );
    Ok(tmux::is_same_server(&origin, &now))
}

/// Passes a run with status 0, the only kind whose output means anything; throws an `Error` that
/// says how it failed and what tmux complained of for any other.
///
/// ```js
/// assertTmuxOk("list-windows", runTmux(["list-windows", "-a"]));
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "label: string, run: TmuxRun",
    ts_return_type = "void"
)]
pub(super) fn assert_tmux_ok<'js>(
    env: &'js Env,
    label: Value<'js>,
    run: Value<'js>,
) -> napi::Result<()> {
    let js = Js::new(env);
    let label = read::string(js, label, "label")?;
    let run = given_run(js, run)?;
    tmux::assert_tmux_ok(&label, &run)
        .map_err(|error| throw_placement_error(js, &PlacementError::from(error)).into())
}

/// Who asks: `env` as given or `process.env`, and the options.
fn caller<'js>(
    js: Js<'js>,
    env: Value<'js>,
    options: Value<'js>,
    process_env: Value<'js>,
) -> JsResult<Caller> {
    let env = read::options(js, env, "env")?.unwrap_or(process_env);
    let options = match read::options(js, options, "options")? {
        Some(given) => js.object([
            (c"timeoutMs", js.get(given, c"timeoutMs")?),
            (c"bin", js.get(given, c"bin")?),
        ])?,
        None => js.undefined()?,
    };
    let options = tmux_options(js, options, env)?;
    Ok(Caller {
        env: options.env,
        timeout: options.timeout,
        bin: options.bin,
    })
}

/// The caller's own place in tmux: `{ ok: true, placement }`, or `{ ok: false, reason }` with
/// `no-tmux-context`, `anchor-malformed`, `anchor-unresolved` or `anchor-mismatch`. `env`
/// (`process.env` where there is none) alone says which server is meant.
///
/// The answer is believed only where it echoes the pane that was asked for. Throws an `Error` where
/// tmux cannot be run or fails, such as without a server.
///
/// ```js
/// const inspected = inspectPlacement();
/// if (inspected.ok) appendWindow(inspected.placement);
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "env?: Record<string, string | undefined> | null, options?: PlacementOptions | null",
    ts_return_type = "InspectResult"
)]
pub(super) fn inspect_placement<'js>(
    env: &'js Env,
    variables: Value<'js>,
    options: Value<'js>,
    process_env: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let caller = caller(js, variables, options, process_env)?;
    match tmux::inspect_placement(&caller) {
        Ok(answer) => Ok(inspected(js, answer)?),
        Err(error) => Err(throw_placement_error(js, &error).into()),
    }
}

/// Opens one window with the default shell at the end of the caller's own session, without moving
/// anybody's focus, and gives its handle.
///
/// Throws an `Error`, with nothing opened, whose `code` is `context-changed` unless the caller
/// still stands on the server and in the session of `placement`, `caller-unresolved` where its
/// place cannot be told, or `tmux-failed`; and one with `handle-unreadable` where a window was
/// opened that cannot be named.
///
/// ```js
/// const handle = appendWindow(placement);
/// closeWindow(handle); // "closed"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "placement: Placement, env?: Record<string, string | undefined> | null, options?: PlacementOptions | null",
    ts_return_type = "WindowHandle"
)]
pub(super) fn append_window<'js>(
    env: &'js Env,
    origin: Value<'js>,
    variables: Value<'js>,
    options: Value<'js>,
    process_env: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let origin = given_placement(js, origin, "placement")?;
    let caller = caller(js, variables, options, process_env)?;
    match tmux::append_window(&origin, &caller) {
        Ok(handle) => Ok(placement(js, &handle)?),
        Err(error) => Err(throw_placement_error(js, &error).into()),
    }
}

/// Closes one window of the caller's server, in whatever session it is: `closed`, or `already-gone`
/// on proof alone (a fresh list of all windows does not have it, or the server has no sessions).
///
/// Throws an `Error`, with nothing closed, whose `code` is `server-changed` for a window of another
/// server or of an earlier life of this one, `caller-unresolved`, `window-still-listed` or
/// `tmux-failed`.
///
/// ```js
/// closeWindow(handle); // "closed", and "already-gone" the next time
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "handle: WindowHandle, env?: Record<string, string | undefined> | null, options?: PlacementOptions | null",
    ts_return_type = "CloseOutcome"
)]
pub(super) fn close_window<'js>(
    env: &'js Env,
    handle: Value<'js>,
    variables: Value<'js>,
    options: Value<'js>,
    process_env: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let handle = given_placement(js, handle, "handle")?;
    let caller = caller(js, variables, options, process_env)?;
    match tmux::close_window(&handle, &caller) {
        Ok(outcome) => Ok(js.string(outcome.as_str())?),
        Err(error) => Err(throw_placement_error(js, &error).into()),
    }
}

fn throw_placement_error(js: Js<'_>, error: &PlacementError) -> Thrown {
    match error {
        PlacementError::Run(error) => throw_run_error(js, error),
        error => js.throw_error(ErrorClass::Error, &error.to_string(), Some(error.code())),
    }
}
