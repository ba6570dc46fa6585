//! The surface of `seatkit/mux`.

use std::ffi::OsString;
use std::result::Result as StdResult;
use std::time::Duration;

use napi::bindgen_prelude::{
    Either, Env, Error, FromNapiValue, JsValue, Null, Object, Result, ToNapiValue, TypeName,
    Unknown, ValidateNapiValue, sys,
};
use napi::{JsError, Status, ValueType};
use napi_derive::napi;

use super::convert::{
    Arg, Known, Word, either_a, error, exports, objects, options, rows, shapes, whole, wrong_value,
};
use super::job::{Job, jobs, named_jobs};
use super::launch_args::{Command, GivenMux, MuxCandidates, MuxCommands, borrowed};
use super::resolve_tmux_session::TmuxSessionLookupResult as ExactResult;
use crate::launch::{Launch, Mux, MuxKind};
use crate::mux::{
    self, CandidateEnv, MuxCommandError, Prompt, SafeCommand, SafeOptions, TmuxSessionExactError,
    TmuxUnavailable,
};
use crate::tmux::{self, RunTmuxError, TmuxCwdRejectReason, TmuxOptions, TmuxServer};

#[napi]
#[expect(clippy::cast_possible_truncation, reason = "a small constant, in the type napi takes")]
pub const TMUX_MESSAGE_LIMIT: u32 = mux::TMUX_MESSAGE_LIMIT as u32;

rows! {
    /// One row of `screen -ls`.
    ScreenSession of session => &mux::ScreenSession<'_> {
        pid: [u32] = session.pid, name: [String] = session.name.to_owned(),
        state: [String] = session.state.to_owned(), live: [bool] = session.live,
    }

    /// How a session ended.
    SessionOutcome of (kind, code, signal) => (&'static str, Option<u8>, Option<u8>) {
        kind: [&'static str] = kind, code: [Option<u8>] = code, signal: [Option<u8>] = signal,
    }
}

shapes! {
    /// The variables that say where a process stands and where programs are.
    (object_to_js = false) Environment {
        #[napi(js_name = "HOME")] home: [Option<Option<String>>],
        #[napi(js_name = "USER")] user: [Option<Option<String>>],
        #[napi(js_name = "PATH")] path: [Option<Option<String>>],
        #[napi(js_name = "TMUX")] tmux: [Option<Option<String>>],
        #[napi(js_name = "TMUX_PANE")] tmux_pane: [Option<Option<String>>],
    }

    /// What an error of this package's own classes is made of; JavaScript makes it.
    (object_from_js = false) Refusal {
        class: [&'static str], message: [String], code: [&'static str], size: [Option<f64>],
        limit: [Option<f64>], errno: [Option<&'static str>],
    }

    /// An answer that JavaScript throws.
    (object_from_js = false) Refused { refused: [Refusal], }

    /// What a run of tmux answered, as a caller hands it on. What it printed is of no matter to any
    /// judgement; `spawnSync` has `null` for the texts of a program that could not be started.
    (object_to_js = false) GivenRun {
        status: [Either<f64, Null>], stderr: [Option<Option<String>>],
    }

    /// What a run of `screen -ls` answered, as a caller hands it on.
    (object_to_js = false) GivenListing {
        status: [Either<f64, Null>], stdout: [Option<Option<String>>],
    }

    /// What one run of tmux answered.
    (object_from_js = false, use_nullable = true) TmuxRun {
        status: [Option<i32>], stdout: [String], stderr: [String],
    }
}

options! {
    /// What `sessionOutcome` is told.
    struct SessionEnd { exit_text: String, stop_requested: bool, }

    /// What `buildSafeMuxCommands` is told.
    struct SafeMuxLaunch {
        [mux: GivenMux, mux_name: String, claude_bin: String, claude_args: Vec<String>, exit_file: String,]
        cwd: String, socket: String, config: String, utf8: bool, scrub_env: Vec<String>,
        env: Changes, size: Known<Size>, prompt: Either<bool, String>, terminator: bool,
    }

    /// The columns and rows of a session that nobody looks at yet.
    struct Size { [columns: f64, rows: f64,] }

    /// How `runTmux` runs tmux.
    struct RunTmuxOptions {
        socket: String, config: String, env: Variables, timeout_ms: f64, bin: String,
    }
}

exports! {
    fn escape_tmux_arg(js, s: String) -> String { Ok(mux::escape_tmux_arg(&s).into_owned()) }
    fn escape_tmux_format(js, s: String) -> String { Ok(mux::escape_tmux_format(&s).into_owned()) }
    fn packed_size(js, args: Vec<String>) -> f64 { Ok(size(mux::packed_size(&args))) }

    fn parse_screen_sessions(js, out: Either<String, Unknown<'_>>) -> Vec<ScreenSession> {
        Ok(mux::parse_screen_sessions(&either_a(out).unwrap_or_default()).iter().map(ScreenSession::from).collect())
    }

    fn screen_stop_args(js, out: Either<String, Unknown<'_>>, name: String) -> Option<Vec<String>> {
        Ok(mux::screen_stop_args(&either_a(out).unwrap_or_default(), &name).map(Vec::from))
    }

    fn session_outcome(js, end: Known<SessionEnd>) -> SessionOutcome {
        let text = end.0.exit_text.flatten();
        let stopped = end.0.stop_requested.flatten().unwrap_or_default();
        Ok(mux::session_outcome(text.as_deref(), stopped).into())
    }

    fn mux_candidates(js, platform: String, env: Environment) -> MuxCandidates {
        let (home, user, path) = (env.home.flatten(), env.user.flatten(), env.path.flatten());
        let places = CandidateEnv {
            home: home.as_deref(),
            user: user.as_deref(),
            path: path.as_deref(),
        };
        let found = mux::mux_candidates(&platform, &places);
        Ok(MuxCandidates { tmux: found.tmux, screen: found.screen })
    }

    fn build_safe_mux_commands(js, a: Known<SafeMuxLaunch>) -> Either<MuxCommands<'_>, Refused> {
        let a = a.0;
        let Word::Text(kind) = a.mux.kind.unwrap_or_default() else {
            return Err(wrong_value(js, "a.mux.kind is missing"));
        };
        let Ok(kind) = kind.parse::<MuxKind>() else {
            return Ok(refuse("mux-kind-unknown", format!("unknown mux kind {kind:?}")));
        };
        let Some(cwd) = a.cwd.flatten() else {
            let code = TmuxCwdRejectReason::Missing.as_str();
            return Ok(refuse(code, "cwd is missing".to_owned()));
        };
        let scrub_env = a.scrub_env.flatten().unwrap_or_default();
        let launch = Launch {
            mux: Mux { kind, bin: &a.mux.bin },
            mux_name: &a.mux_name,
            cwd: &cwd,
            claude_bin: &a.claude_bin,
            claude_args: &borrowed(&a.claude_args),
            exit_file: &a.exit_file,
        };
        let env = a.env.flatten().unwrap_or_default();
        let prompt = a.prompt.flatten();
        let options = SafeOptions {
            env: &env.borrowed(),
            size: a.size.flatten().map(|Known(size)| whole_size(js, "a.size", &size)).transpose()?,
            prompt: match &prompt {
                Some(Either::A(true)) => Prompt::Last,
                Some(Either::B(text)) => Prompt::Text(text),
                Some(Either::A(false)) | None => Prompt::None,
            },
            socket: a.socket.as_ref().and_then(Option::as_deref),
            config: a.config.as_ref().and_then(Option::as_deref),
            utf8: a.utf8.flatten().unwrap_or_default(),
            scrub_env: &borrowed(&scrub_env),
            terminator: a.terminator.flatten().unwrap_or(true),
        };
        match mux::build_safe_mux_commands(&launch, &options) {
            Ok(built) => commands(js, built).map(Either::A),
            Err(error) => Ok(Either::B(Refused::from(&error))),
        }
    }

    fn classify_tmux_run(js, run: GivenRun) -> &'static str {
        Ok(mux::classify_tmux_run(&given_run(js, run)?).as_str())
    }

    fn classify_screen_run(js, run: GivenListing) -> &'static str {
        let status = given_status(js, run.status)?;
        let stdout = given_text(js, "run.stdout", run.stdout, status)?;
        let run = tmux::TmuxRun { status, stdout, stderr: String::new() };
        Ok(mux::classify_screen_run(&run).as_str())
    }
}

named_jobs! {
    fn run_tmux(js, args: Vec<String>, options: Option<Known<RunTmuxOptions>>, env: Variables) -> TmuxRun {
        let options = tmux_options(js, options, env)?;
        Ok(Job::new(move || tmux::run_tmux(&args, &options), tmux_run))
    }

    fn resolve_tmux_session_exact(
        js, name: String, options: Option<Known<RunTmuxOptions>>, env: Variables
    ) -> ExactResult {
        let options = tmux_options(js, options, env)?;
        let work = move || mux::resolve_tmux_session_exact(&name, &options);
        Ok(Job::new(work, |js, found| match found {
            Err(TmuxSessionExactError::Unavailable(TmuxUnavailable::NotRun(
                error @ RunTmuxError::Nul { .. },
            ))) => Err(run_error(js, &error)?),
            found => Ok(found.map_err(|error| error.as_str()).into()),
        }))
    }
}

#[expect(clippy::cast_precision_loss, reason = "no argv has 2^53 bytes")]
fn size(bytes: usize) -> f64 {
    bytes as f64
}

impl From<mux::SessionOutcome> for SessionOutcome {
    fn from(outcome: mux::SessionOutcome) -> Self {
        Self::from(match outcome {
            mux::SessionOutcome::Exited { code } => ("exited", Some(code), None),
            mux::SessionOutcome::Signalled { signal } => ("signalled", None, Some(signal)),
            mux::SessionOutcome::Stopped => ("stopped", None, None),
            mux::SessionOutcome::Unknown => ("unknown", None, None),
        })
    }
}

impl Refused {
    pub(super) fn new(class: &'static str, code: &'static str, message: String) -> Self {
        Self { refused: Refusal { class, message, code, size: None, limit: None, errno: None } }
    }
}

impl From<&MuxCommandError> for Refused {
    fn from(error: &MuxCommandError) -> Self {
        let mut answer = Self::new("MuxCommandError", error.code(), error.to_string());
        answer.refused.errno = error.errno();
        if let Some((bytes, limit)) = error.sizes() {
            answer.refused.size = Some(size(bytes));
            answer.refused.limit = Some(size(limit));
        }
        answer
    }
}

fn refuse<T>(code: &'static str, message: String) -> Either<T, Refused> {
    Either::B(Refused::new("MuxCommandError", code, message))
}

fn commands(env: &Env, built: mux::SafeMuxCommands) -> Result<MuxCommands<'_>> {
    let file = built.start.file.clone().into_unknown(env)?;
    let command = |built: SafeCommand| {
        let command = Command {
            file,
            args: built.args,
            cwd: built.cwd,
            env: (!built.env.is_empty()).then(|| built.env.into_iter().collect()),
        };
        command.into_unknown(env)
    };
    let exists = command(built.exists)?;
    Ok(MuxCommands {
        blocking: built.blocking,
        start: command(built.start)?,
        wait_probe: built.wait_probe.map(|_| exists),
        exists,
        wipe: Some(command(built.wipe)?),
        stop: built.stop.map(command).transpose()?,
    })
}

/// Reads a run that JavaScript made.
pub(super) fn given_run(env: &Env, run: GivenRun) -> Result<tmux::TmuxRun> {
    let status = given_status(env, run.status)?;
    let stderr = given_text(env, "run.stderr", run.stderr, status)?;
    Ok(tmux::TmuxRun { status, stdout: String::new(), stderr })
}

fn given_status(env: &Env, status: Either<f64, Null>) -> Result<Option<i32>> {
    either_a(status).map(|status| whole(env, "run.status", status)).transpose()
}

/// What a run said. Of a program that did not start, Node 20 says `null` and Node 24 `undefined`.
fn given_text(
    env: &Env,
    name: &str,
    text: Option<Option<String>>,
    status: Option<i32>,
) -> Result<String> {
    if text.is_none() && status.is_some() {
        return Err(wrong_value(env, &format!("{name} is missing")));
    }
    Ok(text.flatten().unwrap_or_default())
}

/// A size of whole numbers; whether there is such a terminal the core says.
pub(super) fn whole_size(env: &Env, name: &str, size: &Size) -> Result<mux::Size> {
    Ok(mux::Size {
        columns: whole(env, &format!("{name}.columns"), size.columns)?,
        rows: whole(env, &format!("{name}.rows"), size.rows)?,
    })
}

/// The enumerable properties of an object, but for those that are `undefined`.
fn entries<T: FromNapiValue>(env: sys::napi_env, of: sys::napi_value) -> Result<Vec<(String, T)>> {
    // SAFETY: the environment and the handle are those of the conversion that asks.
    let object = unsafe { Unknown::from_napi_value(env, of) }?;
    if object.get_type()? != ValueType::Object {
        return Err(Error::from_status(Status::ObjectExpected));
    }
    let object = object.coerce_to_object()?;
    let entry = |name: String| Ok(object.get::<T>(&name)?.map(|value| (name, value)));
    Object::keys(&object)?.into_iter().filter_map(|name| entry(name).transpose()).collect()
}

objects! { Variables, Changes }

/// The variables of an environment, as `child_process` takes them: each value is made a string.
pub(super) struct Variables(pub(super) Vec<(OsString, OsString)>);

impl FromNapiValue for Variables {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        let text = |(name, value): (String, Unknown<'_>)| {
            let value = value.coerce_to_string()?.into_utf8()?.into_owned()?;
            Ok((name.into(), value.into()))
        };
        entries(env, value)?.into_iter().map(text).collect::<Result<_>>().map(Self)
    }
}

/// What is to be changed about an environment: a string is set, `null` taken out.
#[derive(Default)]
pub(super) struct Changes(pub(super) Vec<(String, Option<String>)>);

impl Changes {
    pub(super) fn borrowed(&self) -> Vec<(&str, Option<&str>)> {
        let changes = self.0.iter();
        changes.map(|(name, value)| (name.as_str(), value.as_deref())).collect()
    }
}

impl FromNapiValue for Changes {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        entries(env, value).map(Self)
    }
}

fn tmux_options(
    env: &Env,
    options: Option<Known<RunTmuxOptions>>,
    Variables(own): Variables,
) -> Result<TmuxOptions> {
    let mut read = TmuxOptions { env: Some(own), ..TmuxOptions::default() };
    if let Some(Known(options)) = options {
        read.server = TmuxServer {
            socket: non_empty(env, "options.socket", options.socket.flatten())?,
            config: non_empty(env, "options.config", options.config.flatten())?,
            utf8: false,
        };
        if let Some(Variables(variables)) = options.env.flatten() {
            read.env = Some(variables);
        }
        read.timeout = timeout(env, options.timeout_ms.flatten())?;
        read.bin = non_empty(env, "options.bin", options.bin.flatten())?.map(OsString::from);
    }
    Ok(read)
}

pub(super) fn non_empty(env: &Env, what: &str, text: Option<String>) -> Result<Option<String>> {
    if text.as_deref() == Some("") {
        return Err(wrong_value(env, &format!("{what} must not be empty")));
    }
    Ok(text)
}

pub(super) fn timeout(env: &Env, ms: Option<f64>) -> Result<Option<Duration>> {
    if ms.is_some_and(|ms| !(ms > 0.0 && ms.is_finite())) {
        return Err(wrong_value(env, "options.timeoutMs must be a positive, finite number"));
    }
    // More than a `Duration` holds is as good as for ever.
    Ok(ms.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok()))
}

pub(super) fn tmux_run(env: &Env, run: StdResult<tmux::TmuxRun, RunTmuxError>) -> Result<TmuxRun> {
    let run = run.map_err(|error| run_error(env, &error).unwrap_or_else(|error| error))?;
    Ok(TmuxRun { status: run.status, stdout: run.stdout, stderr: run.stderr })
}

/// What `child_process` would throw for the same.
pub(super) fn run_error(env: &Env, error: &RunTmuxError) -> Result<Error> {
    let (call, bin, errno) = match error {
        RunTmuxError::Spawn { bin, errno } => ("spawn", bin, *errno),
        RunTmuxError::Wait { bin, errno } => ("wait", bin, *errno),
        nul @ RunTmuxError::Nul { .. } => return Ok(wrong_value(env, &nul.to_string())),
        more @ RunTmuxError::TooMuch { .. } => {
            return Ok(self::error(env, more.code(), &more.to_string()));
        }
    };
    let thrown = JsError::from(Error::new(error.code(), error.to_string())).into_unknown(*env);
    let mut object = thrown.coerce_to_object()?;
    object.set("errno", -errno)?;
    object.set("syscall", format!("{call} {bin}"))?;
    object.set("path", bin.as_str())?;
    Ok(thrown.into())
}
