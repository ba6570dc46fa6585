//! The surface of `seatkit/mux-placement`.

use std::result::Result as StdResult;
use std::str::FromStr;

use napi::bindgen_prelude::{Either, Env, Error, Result};
use napi_derive::napi;

use super::convert::{Arg, Known, Word, error, exports, options, rows, shapes, wrong_value};
use super::job::{Job, jobs, named_jobs};
use super::launch_args::borrowed;
use super::mux::{
    Changes, Environment, GivenRun, Refused, TmuxRun, Variables, given_run, non_empty, run_error,
    timeout, tmux_run,
};
use crate::placement::{
    self, Caller, CloseOutcome, FreshWindow, FreshWindowError, LaunchPreconditionError,
    PlacementError, PlacementRejectReason, Server,
};
use crate::tmux::{self, IdKind, NotNative, TmuxCwdRejectReason};

#[napi]
pub const INSPECT_FORMAT: &str = placement::INSPECT_FORMAT;

#[napi]
pub const APPEND_FORMAT: &str = placement::APPEND_FORMAT;

shapes! {
    /// Where a process stands in tmux, or a window that was opened.
    () Placement {
        server_pid: [String], server_start: [Option<String>], session_id: [String],
        window_id: [String], window_index: [String], pane_id: [String], pane_pid: [String],
    }
}

rows! {
    /// The caller's pane, or why there is none.
    AnchorResult of found => StdResult<tmux::TmuxPaneId, PlacementRejectReason> {
        ok: [bool] = found.is_ok(),
        reason: [Option<&'static str>] = found.as_ref().err().map(|reason| reason.as_str()),
        anchor: [Option<String>] = found.ok().map(|anchor| anchor.to_string()),
    }

    /// The caller's place, or why it cannot be told.
    InspectResult of found => StdResult<placement::Placement, PlacementRejectReason> {
        ok: [bool] = found.is_ok(),
        reason: [Option<&'static str>] = found.as_ref().err().map(|reason| reason.as_str()),
        placement: [Option<Placement>] = found.ok().map(Placement::from),
    }

    /// What tmux reports of a window that it opened.
    WindowFields of fields => placement::WindowFields {
        window_id: [String] = fields.window_id.to_string(),
        window_index: [String] = fields.window_index,
        pane_id: [String] = fields.pane_id.to_string(), pane_pid: [String] = fields.pane_pid,
    }
}

shapes! {
    /// What identifies where a placement is.
    (object_to_js = false) PlacementContext {
        server_pid: [String], server_start: [Option<Option<String>>], session_id: [String],
    }

    /// What identifies a server.
    (object_to_js = false) ServerContext {
        server_pid: [String], server_start: [Option<Option<String>>],
    }
}

options! {
    /// How the verbs of placement run tmux.
    struct PlacementOptions { timeout_ms: f64, bin: String, }
    /// What `buildFreshWindowArgs` may be told beside the program.
    #[derive(Default)]
    struct FreshWindowOptions { cwd: String, scrub_env: Vec<String>, env: Changes, }
}

exports! {
    fn placement_fields(_js) -> Vec<&'static str> { Ok(placement::PLACEMENT_FIELDS.into()) }
    fn window_fields(_js) -> Vec<&'static str> { Ok(placement::WINDOW_FIELDS.into()) }
    fn is_pane_id(js, value: Word) -> bool { Ok(IdKind::Pane.matches(value.as_str())) }
    fn is_session_id(js, value: Word) -> bool { Ok(IdKind::Session.matches(value.as_str())) }
    fn is_window_id(js, value: Word) -> bool { Ok(IdKind::Window.matches(value.as_str())) }
    fn is_decimal(js, value: Word) -> bool { Ok(tmux::is_decimal(value.as_str())) }

    fn assert_selector(js, kind: String, value: Word) -> () {
        let Ok(kind) = kind.parse::<IdKind>() else {
            let text = "kind must be \"pane\", \"session\" or \"window\"";
            return Err(wrong_value(js, text));
        };
        let native = placement::assert_selector(kind, value.as_str());
        native.map_err(|refused| not_native(js, &refused, &value))
    }

    fn read_anchor(js, env: Environment) -> AnchorResult {
        let (tmux, tmux_pane) = (env.tmux.flatten(), env.tmux_pane.flatten());
        Ok(placement::read_anchor(tmux.as_deref(), tmux_pane.as_deref()).into())
    }

    fn build_inspect_args(js, anchor: Word) -> Vec<String> {
        Ok(placement::build_inspect_args(&id(js, &anchor)?).into())
    }

    fn build_append_args(js, session_id: Word) -> Vec<String> {
        Ok(placement::build_append_args(&id(js, &session_id)?).into())
    }

    fn build_close_args(js, window_id: Word) -> Vec<String> {
        Ok(placement::build_close_args(&id(js, &window_id)?).into())
    }

    fn build_list_window_ids_args(_js) -> Vec<String> { Ok(placement::build_list_window_ids_args().into()) }

    fn parse_placement(js, anchor: Word, stdout: String) -> InspectResult {
        Ok(placement::parse_placement(anchor.as_str(), &stdout).into())
    }

    fn parse_window_fields(js, stdout: String) -> WindowFields {
        let fields = placement::parse_window_fields(&stdout)
            .map_err(|none| error(js, "handle-unreadable", &none.to_string()))?;
        Ok(fields.into())
    }

    fn classify_close_failure(js, window_id: String, list_stdout: String) -> Option<&'static str> {
        let outcome = placement::classify_close_failure(&window_id, &list_stdout);
        Ok(outcome.map(CloseOutcome::as_str))
    }

    fn is_same_context(js, origin: PlacementContext, now: PlacementContext) -> bool {
        let (here, there) = (server(&now.server_pid, now.server_start.as_ref()), origin);
        let origin = server(&there.server_pid, there.server_start.as_ref());
        Ok(placement::is_same_context((origin, &there.session_id), (here, &now.session_id)))
    }

    fn is_same_server(js, origin: ServerContext, now: ServerContext) -> bool {
        let origin = server(&origin.server_pid, origin.server_start.as_ref());
        Ok(placement::is_same_server(origin, server(&now.server_pid, now.server_start.as_ref())))
    }

    fn assert_tmux_ok(js, label: String, run: GivenRun) -> () {
        let passed = placement::assert_tmux_ok(&label, &given_run(js, run)?);
        passed.map_err(|failed| placement_error(js, &failed.into()))
    }

    fn classify_tmux_cwd(js, cwd: String) -> Option<&'static str> {
        Ok(tmux::classify_tmux_cwd(&cwd).map(TmuxCwdRejectReason::as_str))
    }

    fn assert_launch_target(js, runtime_path: String) -> Option<Refused> {
        let refused = placement::assert_launch_target(&runtime_path).err();
        Ok(refused.as_ref().map(Refused::from))
    }

    fn resolve_runtime_on_path(js, command: String, env: Environment) -> Either<String, Refused> {
        match placement::resolve_runtime_on_path(&command, env.path.flatten().as_deref()) {
            Ok(found) => Ok(Either::A(found)),
            Err(error) => Ok(Either::B(Refused::from(&error))),
        }
    }

    fn build_fresh_window_args(
        js, target_session_id: Word, runtime_path: String, args: Vec<String>,
        options: Option<Known<FreshWindowOptions>>
    ) -> Either<Vec<String>, Refused> {
        let target = id(js, &target_session_id)?;
        let options = options.unwrap_or_default().0;
        let (cwd, env) = (options.cwd.flatten(), options.env.flatten().unwrap_or_default());
        let scrub_env = options.scrub_env.flatten().unwrap_or_default();
        let window = FreshWindow {
            cwd: cwd.as_deref(),
            scrub_env: &borrowed(&scrub_env),
            env: &env.borrowed(),
        };
        let args = borrowed(&args);
        match placement::build_fresh_window_args(&target, &runtime_path, &args, &window) {
            Ok(command) => Ok(Either::A(command)),
            Err(FreshWindowError::Runtime(error)) => Ok(Either::B(Refused::from(&error))),
            Err(FreshWindowError::Command(error)) => Ok(Either::B(Refused::from(&error))),
        }
    }
}

named_jobs! {
    fn inspect_placement(js, env: Variables, options: Option<Known<PlacementOptions>>) -> InspectResult {
        let caller = caller(js, env, options)?;
        Ok(verb(move || placement::inspect_placement(&caller), InspectResult::from))
    }

    fn append_window(js, placement: Placement, env: Variables, options: Option<Known<PlacementOptions>>) -> Placement {
        let (origin, caller) = (given(js, placement)?, caller(js, env, options)?);
        Ok(verb(move || placement::append_window(&origin, &caller), Placement::from))
    }

    fn close_window(js, handle: Placement, env: Variables, options: Option<Known<PlacementOptions>>) -> String {
        let (handle, caller) = (given(js, handle)?, caller(js, env, options)?);
        Ok(verb(move || placement::close_window(&handle, &caller), |closed| closed.to_string()))
    }

    fn require_same_context(
        js, label: String, origin: PlacementContext, env: Variables,
        options: Option<Known<PlacementOptions>>
    ) -> () {
        let caller = caller(js, env, options)?;
        let work = move || {
            let server = server(&origin.server_pid, origin.server_start.as_ref());
            placement::require_same_context(&label, server, &origin.session_id, &caller)
        };
        Ok(verb(work, |_| ()))
    }

    fn require_same_server(
        js, label: String, origin: ServerContext, env: Variables,
        options: Option<Known<PlacementOptions>>
    ) -> () {
        let caller = caller(js, env, options)?;
        let work = move || {
            let server = server(&origin.server_pid, origin.server_start.as_ref());
            placement::require_same_server(&label, server, &caller)
        };
        Ok(verb(work, |_| ()))
    }

    fn run_tmux_in(js, args: Vec<String>, env: Variables, options: Option<Known<PlacementOptions>>) -> TmuxRun {
        let caller = caller(js, env, options)?;
        Ok(Job::new(move || caller.run(&args), tmux_run))
    }
}

fn server<'a>(pid: &'a str, start: Option<&'a Option<String>>) -> Server<'a> {
    Server { pid, start: start.and_then(Option::as_deref) }
}

fn verb<T: Send + 'static, R: 'static>(
    work: impl FnOnce() -> StdResult<T, PlacementError> + Send + 'static,
    answer: fn(T) -> R,
) -> Job<R> {
    Job::new(work, move |env, outcome| {
        outcome.map(answer).map_err(|failed| placement_error(env, &failed))
    })
}

fn placement_error(env: &Env, failed: &PlacementError) -> Error {
    match failed {
        PlacementError::Run(failed) => run_error(env, failed).unwrap_or_else(|error| error),
        failed => error(env, failed.code(), &failed.to_string()),
    }
}

/// The refusal of a selector, with the value as it was given.
fn not_native(env: &Env, refused: &NotNative, value: &Word) -> Error {
    let quoted = Word::Text(value.as_str().to_owned()).to_string();
    let text = refused.to_string().replace(&quoted, &value.to_string());
    error(env, "selector-not-native", &text)
}

/// An argument that has to be a native id.
fn id<T: FromStr<Err = NotNative>>(env: &Env, value: &Word) -> Result<T> {
    let id = value.as_str().parse();
    id.map_err(|refused| not_native(env, &refused, value))
}

/// A placement of the caller's, its ids proven to be such.
fn given(env: &Env, given: Placement) -> Result<placement::Placement> {
    Ok(placement::Placement {
        server_pid: given.server_pid,
        server_start: given.server_start,
        session_id: id(env, &Word::Text(given.session_id))?,
        window_id: id(env, &Word::Text(given.window_id))?,
        window_index: given.window_index,
        pane_id: id(env, &Word::Text(given.pane_id))?,
        pane_pid: given.pane_pid,
    })
}

impl From<placement::Placement> for Placement {
    fn from(found: placement::Placement) -> Self {
        Self {
            server_pid: found.server_pid,
            server_start: found.server_start,
            session_id: found.session_id.to_string(),
            window_id: found.window_id.to_string(),
            window_index: found.window_index,
            pane_id: found.pane_id.to_string(),
            pane_pid: found.pane_pid,
        }
    }
}

impl From<&LaunchPreconditionError> for Refused {
    fn from(error: &LaunchPreconditionError) -> Self {
        Self::new("LaunchPreconditionError", error.reason.as_str(), error.to_string())
    }
}

/// Who asks.
fn caller(
    env: &Env,
    Variables(variables): Variables,
    options: Option<Known<PlacementOptions>>,
) -> Result<Caller> {
    let mut caller = Caller { env: Some(variables), ..Caller::default() };
    if let Some(Known(options)) = options {
        caller.timeout = timeout(env, options.timeout_ms.flatten())?;
        caller.bin = non_empty(env, "options.bin", options.bin.flatten())?.map(Into::into);
    }
    Ok(caller)
}
