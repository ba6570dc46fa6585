//! The surface of `seatkit/mux-placement`.

use napi::bindgen_prelude::{Either, Env, Error, Result};
use napi_derive::napi;

use super::convert::{Arg, Known, Word, error, options, wrong_value};
use super::job::Job;
use super::launch_args::borrowed;
use super::mux::{
    GivenRun, PlacementOptions, Refusal, Refused, Variables, given_run, non_empty, run_error,
    timeout,
};
use crate::placement::{
    self, Caller, CloseOutcome, FreshWindowError, LaunchPreconditionError, PlacementError,
    PlacementRejectReason,
};
use crate::tmux::{self, IdKind, NotNative, TmuxCwdRejectReason, TmuxPaneId, TmuxSessionId};

/// The format of a placement query: native ids and numbers joined by `|`.
#[napi]
pub const INSPECT_FORMAT: &str = placement::INSPECT_FORMAT;

/// The format of what `new-window -P` prints: native ids and numbers joined by `|`.
#[napi]
pub const APPEND_FORMAT: &str = placement::APPEND_FORMAT;

/// What `PLACEMENT_FIELDS` is made of.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn placement_fields() -> Vec<&'static str> {
    placement::PLACEMENT_FIELDS.into()
}

/// What `WINDOW_FIELDS` is made of.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn window_fields() -> Vec<&'static str> {
    placement::WINDOW_FIELDS.into()
}

/// Whether a text is a native pane id, `%3`.
#[napi(catch_unwind, ts_args_type = "value: string")]
pub(super) fn is_pane_id(env: &Env, value: Arg<Word>) -> Result<bool> {
    Ok(IdKind::Pane.matches(value.named(env, "value")?.as_str()))
}

/// Whether a text is a native session id, `$3`.
#[napi(catch_unwind, ts_args_type = "value: string")]
pub(super) fn is_session_id(env: &Env, value: Arg<Word>) -> Result<bool> {
    Ok(IdKind::Session.matches(value.named(env, "value")?.as_str()))
}

/// Whether a text is a native window id, `@3`.
#[napi(catch_unwind, ts_args_type = "value: string")]
pub(super) fn is_window_id(env: &Env, value: Arg<Word>) -> Result<bool> {
    Ok(IdKind::Window.matches(value.named(env, "value")?.as_str()))
}

/// Whether a text is ASCII digits alone, as tmux prints process ids and indices.
#[napi(catch_unwind, ts_args_type = "value: string")]
pub(super) fn is_decimal(env: &Env, value: Arg<Word>) -> Result<bool> {
    Ok(tmux::is_decimal(value.named(env, "value")?.as_str()))
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
pub(super) fn assert_selector(env: &Env, kind: Arg<String>, value: Arg<Word>) -> Result<()> {
    let Ok(kind) = kind.named(env, "kind")?.parse::<IdKind>() else {
        let text = "kind must be \"pane\", \"session\" or \"window\"";
        return Err(wrong_value(env, text));
    };
    let value = value.named(env, "value")?;
    placement::assert_selector(kind, value.as_str())
        .map_err(|error| not_native(env, &error, &value))
}

/// The refusal of a selector, with the value as it was given.
fn not_native(env: &Env, refused: &NotNative, value: &Word) -> Error {
    let text = match value {
        Word::Text(_) => refused.to_string(),
        _ => refused
            .to_string()
            .replace(&format!("\"{}\"", value.as_str()), value.as_str()),
    };
    error(env, "selector-not-native", &text)
}

/// An argument that has to be a native id.
fn id<T: std::str::FromStr<Err = NotNative>>(env: &Env, name: &str, value: Arg<Word>) -> Result<T> {
    let value = value.named(env, name)?;
    value
        .as_str()
        .parse()
        .map_err(|error| not_native(env, &error, &value))
}

/// The variables that say where a process stands in tmux.
#[napi(object, object_to_js = false)]
pub struct Inherited {
    #[napi(js_name = "TMUX")]
    pub tmux: Option<Option<String>>,
    #[napi(js_name = "TMUX_PANE")]
    pub tmux_pane: Option<Option<String>>,
}

/// The caller's pane, or why there is none.
#[napi(object, object_from_js = false)]
pub struct AnchorResult {
    pub ok: bool,
    pub anchor: Option<String>,
    pub reason: Option<&'static str>,
}

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
pub(super) fn read_anchor(env: &Env, variables: Arg<Inherited>) -> Result<AnchorResult> {
    let Inherited { tmux, tmux_pane } = variables.named(env, "env")?;
    let (tmux, tmux_pane) = (tmux.flatten(), tmux_pane.flatten());
    let anchor = placement::read_anchor(tmux.as_deref(), tmux_pane.as_deref());
    Ok(AnchorResult {
        ok: anchor.is_ok(),
        reason: anchor.as_ref().err().map(|reason| reason.as_str()),
        anchor: anchor.ok().map(|anchor| anchor.to_string()),
    })
}

/// The arguments that ask tmux about one pane. Throws for anything but a native pane id.
#[napi(
    catch_unwind,
    ts_args_type = "anchor: string",
    ts_return_type = "string[]"
)]
pub(super) fn build_inspect_args(env: &Env, anchor: Arg<Word>) -> Result<Vec<String>> {
    Ok(placement::build_inspect_args(&id(env, "anchor", anchor)?).into())
}

/// The arguments that open one window with the default shell at the end of a session, without
/// moving anybody's focus. Throws for anything but a native session id.
#[napi(
    catch_unwind,
    ts_args_type = "sessionId: string",
    ts_return_type = "string[]"
)]
pub(super) fn build_append_args(env: &Env, session: Arg<Word>) -> Result<Vec<String>> {
    Ok(placement::build_append_args(&id(env, "sessionId", session)?).into())
}

/// The arguments that close one window. Throws for anything but a native window id.
#[napi(
    catch_unwind,
    ts_args_type = "windowId: string",
    ts_return_type = "string[]"
)]
pub(super) fn build_close_args(env: &Env, window: Arg<Word>) -> Result<Vec<String>> {
    Ok(placement::build_close_args(&id(env, "windowId", window)?).into())
}

/// The arguments that list the window ids of the whole server.
#[napi(catch_unwind)]
pub(super) fn build_list_window_ids_args() -> Vec<String> {
    placement::build_list_window_ids_args().into()
}

/// Where a process stands in tmux, or a window that was opened.
#[napi(object)]
pub struct Placement {
    pub server_pid: String,
    pub session_id: String,
    pub window_id: String,
    pub window_index: String,
    pub pane_id: String,
    pub pane_pid: String,
}

impl From<placement::Placement> for Placement {
    fn from(found: placement::Placement) -> Self {
        Self {
            server_pid: found.server_pid,
            session_id: found.session_id.to_string(),
            window_id: found.window_id.to_string(),
            window_index: found.window_index,
            pane_id: found.pane_id.to_string(),
            pane_pid: found.pane_pid,
        }
    }
}

/// A placement of the caller's, its ids proven to be such.
fn given_placement(env: &Env, name: &str, given: Arg<Placement>) -> Result<placement::Placement> {
    let given = given.named(env, name)?;
    let read = || {
        Ok(placement::Placement {
            server_pid: given.server_pid,
            session_id: given.session_id.parse()?,
            window_id: given.window_id.parse()?,
            window_index: given.window_index,
            pane_id: given.pane_id.parse()?,
            pane_pid: given.pane_pid,
        })
    };
    read().map_err(|refused: NotNative| error(env, "selector-not-native", &refused.to_string()))
}

/// The caller's place, or why it cannot be told.
#[napi(object, object_from_js = false)]
pub struct InspectResult {
    pub ok: bool,
    pub placement: Option<Placement>,
    pub reason: Option<&'static str>,
}

fn inspected(
    answer: std::result::Result<placement::Placement, PlacementRejectReason>,
) -> InspectResult {
    InspectResult {
        ok: answer.is_ok(),
        reason: answer.as_ref().err().map(|reason| reason.as_str()),
        placement: answer.ok().map(Placement::from),
    }
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
pub(super) fn parse_placement(
    env: &Env,
    anchor: Arg<Word>,
    stdout: Arg<String>,
) -> Result<InspectResult> {
    let anchor: TmuxPaneId = id(env, "anchor", anchor)?;
    let stdout = stdout.named(env, "stdout")?;
    Ok(inspected(placement::parse_placement(&anchor, &stdout)))
}

/// What tmux reports of a window that it opened.
#[napi(object, object_from_js = false)]
pub struct WindowFields {
    pub window_id: String,
    pub window_index: String,
    pub pane_id: String,
    pub pane_pid: String,
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
pub(super) fn parse_window_fields(env: &Env, stdout: Arg<String>) -> Result<WindowFields> {
    match placement::parse_window_fields(&stdout.named(env, "stdout")?) {
        Ok(fields) => Ok(WindowFields {
            window_id: fields.window_id.to_string(),
            window_index: fields.window_index,
            pane_id: fields.pane_id.to_string(),
            pane_pid: fields.pane_pid,
        }),
        Err(no_handle) => Err(error(env, "handle-unreadable", &no_handle.to_string())),
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
pub(super) fn classify_close_failure(
    env: &Env,
    window: Arg<String>,
    list: Arg<String>,
) -> Result<Option<&'static str>> {
    let window = window.named(env, "windowId")?;
    let list = list.named(env, "listStdout")?;
    Ok(placement::classify_close_failure(&window, &list).map(CloseOutcome::as_str))
}

/// What identifies where a placement is.
#[napi(object, object_to_js = false)]
pub struct PlacementContext {
    pub server_pid: String,
    pub session_id: String,
}

/// What identifies a server.
#[napi(object, object_to_js = false)]
pub struct ServerContext {
    pub server_pid: String,
}

/// Whether two placements are of one server *and* one session: a window is only ever appended to
/// the session that its caller stands in.
#[napi(
    catch_unwind,
    ts_args_type = "origin: PlacementContext, now: PlacementContext",
    ts_return_type = "boolean"
)]
pub(super) fn is_same_context(
    env: &Env,
    origin: Arg<PlacementContext>,
    now: Arg<PlacementContext>,
) -> Result<bool> {
    let (origin, now) = (origin.named(env, "origin")?, now.named(env, "now")?);
    Ok(placement::is_same_context(
        (&origin.server_pid, &origin.session_id),
        (&now.server_pid, &now.session_id),
    ))
}

/// Whether two placements are of one server. A close needs no more: within one server's life a
/// window id names one window, in whatever session it is.
#[napi(
    catch_unwind,
    ts_args_type = "origin: Pick<PlacementContext, \"serverPid\">, now: Pick<PlacementContext, \"serverPid\">",
    ts_return_type = "boolean"
)]
pub(super) fn is_same_server(
    env: &Env,
    origin: Arg<ServerContext>,
    now: Arg<ServerContext>,
) -> Result<bool> {
    let (origin, now) = (origin.named(env, "origin")?, now.named(env, "now")?);
    Ok(placement::is_same_server(
        &origin.server_pid,
        &now.server_pid,
    ))
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
pub(super) fn assert_tmux_ok(env: &Env, label: Arg<String>, run: Arg<GivenRun>) -> Result<()> {
    let label = label.named(env, "label")?;
    match placement::assert_tmux_ok(&label, &given_run(env, run)?) {
        Ok(()) => Ok(()),
        Err(failed) => Err(placement_error(env, &failed.into())?),
    }
}

/// Who asks: `env` as given or the caller's own, and the options.
fn caller(
    env: &Env,
    variables: Arg<Variables>,
    options: Arg<Option<Known<PlacementOptions>>>,
) -> Result<Caller> {
    let Variables(variables) = variables.named(env, "env")?;
    let mut caller = Caller {
        env: Some(variables),
        ..Caller::default()
    };
    if let Some(Known(options)) = options.named(env, "options")? {
        caller.timeout = timeout(env, options.timeout_ms.flatten())?;
        caller.bin = non_empty(env, "options.bin", options.bin.flatten())?.map(Into::into);
    }
    Ok(caller)
}

/// What a verb of placement does, and what it answers.
type Verb<T, R> = Job<std::result::Result<T, PlacementError>, R>;

fn verb<T: 'static, R: 'static>(
    work: impl FnOnce() -> std::result::Result<T, PlacementError> + Send + 'static,
    answer: fn(T) -> R,
) -> Verb<T, R> {
    Job::new(work, move |env, outcome| match outcome {
        Ok(outcome) => Ok(answer(outcome)),
        Err(failed) => Err(placement_error(env, &failed)?),
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
pub(super) fn inspect_placement(
    env: &Env,
    variables: Arg<Variables>,
    options: Arg<Option<Known<PlacementOptions>>>,
) -> Result<InspectResult> {
    let caller = caller(env, variables, options)?;
    verb(move || placement::inspect_placement(&caller), inspected).now(env)
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
pub(super) fn append_window(
    env: &Env,
    origin: Arg<Placement>,
    variables: Arg<Variables>,
    options: Arg<Option<Known<PlacementOptions>>>,
) -> Result<Placement> {
    let origin = given_placement(env, "placement", origin)?;
    let caller = caller(env, variables, options)?;
    verb(
        move || placement::append_window(&origin, &caller),
        Placement::from,
    )
    .now(env)
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
pub(super) fn close_window(
    env: &Env,
    handle: Arg<Placement>,
    variables: Arg<Variables>,
    options: Arg<Option<Known<PlacementOptions>>>,
) -> Result<&'static str> {
    let handle = given_placement(env, "handle", handle)?;
    let caller = caller(env, variables, options)?;
    verb(
        move || placement::close_window(&handle, &caller),
        CloseOutcome::as_str,
    )
    .now(env)
}

fn placement_error(env: &Env, failed: &PlacementError) -> Result<Error> {
    match failed {
        PlacementError::Run(failed) => run_error(env, failed),
        failed => Ok(error(env, failed.code(), &failed.to_string())),
    }
}

/// What is wrong with a folder that a window is to start in, or `null`: `cwd-not-absolute`,
/// `cwd-format-token` (it holds a `#`, which tmux would expand), `cwd-missing` or
/// `cwd-not-directory` (tmux would start in the home folder and exit with 0).
///
/// ```js
/// classifyTmuxCwd("/"); // null
/// classifyTmuxCwd("/x/C#Projects"); // "cwd-format-token"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "cwd: string",
    ts_return_type = "TmuxCwdRejectReason | null"
)]
pub(super) fn classify_tmux_cwd(env: &Env, cwd: Arg<String>) -> Result<Option<&'static str>> {
    let reason = tmux::classify_tmux_cwd(&cwd.named(env, "cwd")?);
    Ok(reason.map(TmuxCwdRejectReason::as_str))
}

impl From<&LaunchPreconditionError> for Refused {
    fn from(error: &LaunchPreconditionError) -> Self {
        Self {
            refused: Refusal {
                class: "LaunchPreconditionError",
                message: error.to_string(),
                code: error.reason.as_str(),
                size: None,
                limit: None,
            },
        }
    }
}

/// Passes the absolute path, without white space, of a regular file that may be executed; throws a
/// `LaunchPreconditionError` with a `reason` for anything else. It has to be known before: tmux
/// exits with 0 for a program that cannot start.
///
/// ```js
/// assertLaunchTarget("/bin/sh");
/// assertLaunchTarget("bin/sh"); // throws, reason "runtime-not-absolute"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "runtimePath: string",
    ts_return_type = "void"
)]
pub(super) fn assert_launch_target(env: &Env, runtime: Arg<String>) -> Result<Option<Refused>> {
    let runtime = runtime.named(env, "runtimePath")?;
    let refused = placement::assert_launch_target(&runtime).err();
    Ok(refused.as_ref().map(Refused::from))
}

/// The variable that programs are found by.
#[napi(object, object_to_js = false)]
pub struct SearchPath {
    #[napi(js_name = "PATH")]
    pub path: Option<Option<String>>,
}

/// The absolute path of a program, as the absolute folders of `env.PATH` (`process.env` where there
/// is none) have it. A file that may not be executed is passed over; the first that may be is the
/// answer or, where it cannot be launched otherwise, the refusal.
///
/// Throws a `LaunchPreconditionError`, with the reason `runtime-unresolved` where there is none.
///
/// ```js
/// resolveRuntimeOnPath("claude"); // "/usr/local/bin/claude" for example
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "command: string, env?: Record<string, string | undefined> | null",
    ts_return_type = "string"
)]
pub(super) fn resolve_runtime_on_path(
    env: &Env,
    command: Arg<String>,
    variables: Arg<SearchPath>,
) -> Result<Either<String, Refused>> {
    let command = command.named(env, "command")?;
    let path = variables.named(env, "env")?.path.flatten();
    match placement::resolve_runtime_on_path(&command, path.as_deref()) {
        Ok(found) => Ok(Either::A(found)),
        Err(error) => Ok(Either::B(Refused::from(&error))),
    }
}

options! {
    /// What `buildFreshWindowArgs` may be told beside the program.
    struct FreshWindowOptions {
        cwd: String,
        scrub_env: Vec<String>,
    }
}

/// The arguments that open a window at the end of a session and run a program in it, without a
/// shell and without moving anybody's focus; tmux prints the handle that `parseWindowFields` reads.
///
/// The target is a native session id and nothing else. `cwd` is where the window starts; without it
/// that is the folder of the process that runs tmux, not the session's. `scrubEnv` names variables
/// that the program must not inherit.
///
/// Throws a `LaunchPreconditionError` for a program that cannot be launched, a `MuxCommandError`
/// for a folder, a NUL, a variable's name or a size that cannot be, and an `Error` for another
/// target.
///
/// ```js
/// runTmux(buildFreshWindowArgs("$3", resolveRuntimeOnPath("claude"), ["--", "hello;"], {
///   cwd: "/agent",
///   scrubEnv: ["CLAUDECODE"],
/// }));
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "targetSessionId: string, runtimePath: string, args: readonly string[], options?: FreshWindowOptions | null",
    ts_return_type = "string[]"
)]
pub(super) fn build_fresh_window_args(
    env: &Env,
    target: Arg<Word>,
    runtime: Arg<String>,
    args: Arg<Vec<String>>,
    options: Arg<Option<Known<FreshWindowOptions>>>,
) -> Result<Either<Vec<String>, Refused>> {
    let target: TmuxSessionId = id(env, "targetSessionId", target)?;
    let runtime = runtime.named(env, "runtimePath")?;
    let args = args.named(env, "args")?;
    let (cwd, scrub_env) = match options.named(env, "options")? {
        Some(Known(options)) => (options.cwd.flatten(), options.scrub_env.flatten()),
        None => (None, None),
    };
    let scrub_env = scrub_env.unwrap_or_default();
    let window = placement::FreshWindow {
        cwd: cwd.as_deref(),
        scrub_env: &borrowed(&scrub_env),
    };
    match placement::build_fresh_window_args(&target, &runtime, &borrowed(&args), &window) {
        Ok(command) => Ok(Either::A(command)),
        Err(FreshWindowError::Runtime(error)) => Ok(Either::B(Refused::from(&error))),
        Err(FreshWindowError::Command(error)) => Ok(Either::B(Refused::from(&error))),
    }
}
