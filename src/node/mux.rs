//! The surface of `seatkit/mux`.

use std::ffi::OsString;
use std::time::Duration;

use napi::bindgen_prelude::{
    Either, Env, Error, FromNapiValue, JsValue, Null, Object, Result, TypeName, Unknown,
    ValidateNapiValue, sys,
};
use napi::{JsError, Status, ValueType};
use napi_derive::napi;

use super::convert::{Arg, Known, Word, error, options, wrong_value};
use super::job::Job;
use super::launch_args::{GivenMux, MuxCandidates, MuxCommands, borrowed};
use super::resolve_tmux_session::TmuxSessionLookupResult as ExactResult;
use crate::launch::{Launch, Mux, MuxKind};
use crate::mux::{
    self, CandidateEnv, MuxCommandError, SafeCommand, SafeOptions, TmuxSessionExactError,
    TmuxUnavailable,
};
use crate::tmux::{self, RunTmuxError, TmuxCwdRejectReason, TmuxOptions, TmuxServer};

/// The largest `packedSize` that tmux takes, in bytes. One more and `tmux` exits with 1, having
/// created nothing. The same in tmux 2.6 to 3.8.
#[napi]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a small constant, in the type that napi takes"
)]
pub const TMUX_MESSAGE_LIMIT: u32 = mux::TMUX_MESSAGE_LIMIT as u32;

/// Escapes one argument so that tmux takes it as it is: a final `;` becomes `\;`.
///
/// tmux ends a command at an argument that ends in `;`, even where the argument came alone in an
/// argv element. screen does not: there it must not be escaped.
///
/// ```js
/// escapeTmuxArg("be brief;"); // "be brief\\;"
/// escapeTmuxArg("a;b"); // "a;b"
/// ```
#[napi(catch_unwind, ts_args_type = "s: string")]
pub(super) fn escape_tmux_arg(env: &Env, s: Arg<String>) -> Result<String> {
    Ok(mux::escape_tmux_arg(&s.named(env, "s")?).into_owned())
}

/// Escapes text where tmux expects a format, such as the value of `-c` and `-s`: each run of `#` is
/// doubled, unless a `[` follows it. `#{...}` would be expanded there, and `#(...)` *run*.
///
/// This escapes the format alone: the value is still an argument and goes through `escapeTmuxArg`
/// after it. Up to tmux 3.1c a `##[` is not kept.
///
/// ```js
/// escapeTmuxFormat("/x/C#Projects"); // "/x/C##Projects"
/// escapeTmuxFormat("/x/a#[b"); // "/x/a#[b"
/// ```
#[napi(catch_unwind, ts_args_type = "s: string")]
pub(super) fn escape_tmux_format(env: &Env, s: Arg<String>) -> Result<String> {
    Ok(mux::escape_tmux_format(&s.named(env, "s")?).into_owned())
}

/// The bytes that an argv takes in tmux's message: the UTF-8 of each argument, and one more each.
///
/// Count everything after tmux's own flags (`-S`, `-L`, `-f`, `-u`), escaped as it is passed. More
/// than `TMUX_MESSAGE_LIMIT` is refused by tmux.
///
/// ```js
/// packedSize(["has-session", "-t", "=é:"]); // 12 + 3 + 5
/// ```
#[napi(catch_unwind, ts_args_type = "args: readonly string[]")]
pub(super) fn packed_size(env: &Env, args: Arg<Vec<String>>) -> Result<f64> {
    Ok(size(mux::packed_size(&args.named(env, "args")?)))
}

#[expect(clippy::cast_precision_loss, reason = "no argv has 2^53 bytes")]
fn size(bytes: usize) -> f64 {
    bytes as f64
}

/// One row of `screen -ls`.
#[napi(object, object_from_js = false)]
pub struct ScreenSession {
    pub pid: u32,
    pub name: String,
    pub state: String,
    pub live: bool,
}

/// Every session in the output of `screen -ls`, of any version and locale, in its order: what is
/// no row gives none, and what is no string gives `[]`.
///
/// A row is read from the right, so names may hold blanks, tabs and parentheses. `live` is false
/// for `Dead ???`, `Remote or dead` (what screen 5 says of a killed session) and `Removed`. Do not
/// look at the exit status: macOS's screen exits with 1 while sessions are live.
///
/// ```js
/// parseScreenSessions("\t848.olivia\t(11/30/26 20:43:58)\t(Detached)\n");
/// // [{ pid: 848, name: "olivia", state: "Detached", live: true }]
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "out: string | null | undefined",
    ts_return_type = "ScreenSession[]"
)]
pub(super) fn parse_screen_sessions(out: Either<String, Unknown<'_>>) -> Vec<ScreenSession> {
    mux::parse_screen_sessions(&listing(out))
        .into_iter()
        .map(|session| ScreenSession {
            pid: session.pid,
            name: session.name.to_owned(),
            state: session.state.to_owned(),
            live: session.live,
        })
        .collect()
}

fn listing(out: Either<String, Unknown<'_>>) -> String {
    match out {
        Either::A(out) => out,
        Either::B(_) => String::new(),
    }
}

/// The arguments that stop exactly the session called `name`, `["-S", "PID.NAME", "-X", "quit"]`,
/// or `null` where a fresh output of `screen -ls` does not say which that is: no live session has
/// the name, or several have.
///
/// By name alone screen stops the first session whose name *starts* so, on every version.
///
/// ```js
/// screenStopArgs("\t773.alpha-old\t(Detached)\n", "alpha"); // null
/// screenStopArgs("\t801.alpha\t(Attached)\n", "alpha"); // ["-S", "801.alpha", "-X", "quit"]
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "out: string | null | undefined, name: string",
    ts_return_type = "string[] | null"
)]
pub(super) fn screen_stop_args(
    env: &Env,
    out: Either<String, Unknown<'_>>,
    name: Arg<String>,
) -> Result<Option<Vec<String>>> {
    let name = name.named(env, "name")?;
    Ok(mux::screen_stop_args(&listing(out), &name).map(Vec::from))
}

options! {
    /// What `sessionOutcome` is told.
    struct SessionEnd {
        exit_text: String,
        stop_requested: bool,
    }
}

/// How a session ended.
#[napi(object, object_from_js = false)]
pub struct SessionOutcome {
    pub kind: &'static str,
    pub code: Option<u8>,
    pub signal: Option<u8>,
}

/// How a session ended: `{ kind: "exited", code }`, `{ kind: "signalled", signal }` with the
/// signal's number, `{ kind: "stopped" }` or `{ kind: "unknown" }`.
///
/// `exitText` is the text of the exit file, `null` where there is none. What was recorded decides,
/// also after a stop was asked for; what cannot be a recorded code is none, and never a zero. A
/// session that was stopped never records one. The file does not say which run wrote it: remove it
/// before each start.
///
/// ```js
/// sessionOutcome({ exitText: "137\n", stopRequested: false }); // { kind: "signalled", signal: 9 }
/// sessionOutcome({ exitText: null, stopRequested: true }); // { kind: "stopped" }
/// sessionOutcome({ exitText: "", stopRequested: false }); // { kind: "unknown" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "end: SessionEnd",
    ts_return_type = "SessionOutcome"
)]
pub(super) fn session_outcome(env: &Env, end: Arg<Known<SessionEnd>>) -> Result<SessionOutcome> {
    let Known(end) = end.named(env, "end")?;
    let text = end.exit_text.flatten();
    let stop_requested = end.stop_requested.flatten().unwrap_or_default();
    let (kind, code, signal) = match mux::session_outcome(text.as_deref(), stop_requested) {
        mux::SessionOutcome::Exited { code } => ("exited", Some(code), None),
        mux::SessionOutcome::Signalled { signal } => ("signalled", None, Some(signal)),
        mux::SessionOutcome::Stopped => ("stopped", None, None),
        mux::SessionOutcome::Unknown => ("unknown", None, None),
    };
    Ok(SessionOutcome { kind, code, signal })
}

/// The variables that say where programs are.
#[napi(object, object_to_js = false)]
pub struct Places {
    #[napi(js_name = "HOME")]
    pub home: Option<Option<String>>,
    #[napi(js_name = "USER")]
    pub user: Option<Option<String>>,
    #[napi(js_name = "PATH")]
    pub path: Option<Option<String>>,
}

/// Where tmux and screen may be, in order and none twice: the fixed paths of `MUX_CANDIDATES`, then
/// what `MacPorts`, Linuxbrew, Nix and snap use, then each absolute folder of `PATH`.
///
/// `platform` is `process.platform` and `env` is `process.env` where nothing else is given; of the
/// latter `HOME`, `USER` and `PATH` are read.
///
/// ```js
/// muxCandidates().tmux.find((path) => existsSync(path)); // "/opt/local/bin/tmux" for example
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "platform?: string, env?: Record<string, string | undefined>",
    ts_return_type = "MuxCandidates"
)]
pub(super) fn mux_candidates(
    env: &Env,
    platform: Arg<String>,
    variables: Arg<Places>,
) -> Result<MuxCandidates> {
    let platform = platform.named(env, "platform")?;
    let Places { home, user, path } = variables.named(env, "env")?;
    let (home, user, path) = (home.flatten(), user.flatten(), path.flatten());
    let found = mux::mux_candidates(
        &platform,
        &CandidateEnv {
            home: home.as_deref(),
            user: user.as_deref(),
            path: path.as_deref(),
        },
    );
    Ok(MuxCandidates {
        tmux: found.tmux,
        screen: found.screen,
    })
}

/// What an error of this package's own classes is made of; JavaScript makes it.
#[napi(object, object_from_js = false)]
pub struct Refusal {
    /// The name of its class.
    pub class: &'static str,
    pub message: String,
    pub code: &'static str,
    pub size: Option<f64>,
    pub limit: Option<f64>,
}

/// An answer that JavaScript throws.
#[napi(object, object_from_js = false)]
pub struct Refused {
    pub refused: Refusal,
}

impl From<&MuxCommandError> for Refused {
    fn from(error: &MuxCommandError) -> Self {
        let sizes = error.sizes();
        Self {
            refused: Refusal {
                class: "MuxCommandError",
                message: error.to_string(),
                code: error.code(),
                size: sizes.map(|(bytes, _)| size(bytes)),
                limit: sizes.map(|(_, limit)| size(limit)),
            },
        }
    }
}

options! {
    /// What `buildSafeMuxCommands` is told.
    struct SafeMuxLaunch {
        [mux: GivenMux, mux_name: String, claude_bin: String, claude_args: Vec<String>, exit_file: String,]
        cwd: String,
        socket: String,
        config: String,
        utf8: bool,
        scrub_env: Vec<String>,
        terminator: bool,
    }
}

/// The commands that run one session of `claude` under a multiplexer, with every guard that
/// `buildMuxCommands` lacks. It takes the same, and `socket`, `config`, `utf8`, `scrubEnv` and
/// `terminator`.
///
/// For tmux every argument is escaped and targets are `=NAME:`; `waitProbe` (and `exists`) exits 0
/// while a pane of the session lives, also where a user's `remain-on-exit` keeps the dead ones;
/// `wipe` removes such a session of dead panes. For screen spawn each command with its `env`, and
/// `start` in its `cwd`; `exists` is a listing for `parseScreenSessions`, and `stop` is `null`:
/// make it with `screenStopArgs`. `--` is put before the prompt, the last of `claudeArgs`, unless
/// it is there. A status of 0 from tmux's `start` does not prove that the session lives: ask
/// `exists`.
///
/// Throws a `MuxCommandError` whose `code` is `name-invalid`, `name-reserved` (tmux may call a
/// client so), `name-too-long` (screen: over 80 bytes, or too long for a socket in its folder; with
/// `size` and `limit`), `cwd-not-absolute`, `cwd-missing`,
/// `cwd-not-directory`, `message-too-long` (with `size` and `limit` in bytes), `nul`, `empty`,
/// `program-builtin`, `path-invalid` (`socket` or `config`), `env-name-invalid` or
/// `mux-kind-unknown`, and a `TypeError` for a value of another type.
///
/// ```js
/// const { start, waitProbe, stop } = buildSafeMuxCommands({
///   mux: { kind: "tmux", bin: "/usr/bin/tmux" },
///   muxName: "maestro-olivia",
///   cwd: "/agent",
///   claudeBin: "/usr/local/bin/claude",
///   claudeArgs: buildClaudeArgs({ first: "olivia", sessionId, mode: "resume" }),
///   exitFile: "/agent/state/session/last-exit",
///   socket: "seat",
///   scrubEnv: ["CLAUDECODE"],
/// });
/// spawnSync(start.file, start.args, { cwd: start.cwd, env: { ...process.env, ...start.env } });
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "a: SafeMuxLaunch",
    ts_return_type = "SafeMuxCommands"
)]
pub(super) fn build_safe_mux_commands(
    env: &Env,
    a: Arg<Known<SafeMuxLaunch>>,
) -> Result<Either<MuxCommands<'_>, Refused>> {
    let Known(a) = a.named(env, "a")?;
    let Word::Text(kind) = a.mux.kind.unwrap_or_default() else {
        return Err(wrong_value(env, "a.mux.kind is missing"));
    };
    let Ok(kind) = kind.parse::<MuxKind>() else {
        return Ok(refuse(
            "mux-kind-unknown",
            format!("unknown mux kind {kind:?}"),
        ));
    };
    let Some(cwd) = a.cwd.flatten() else {
        let code = TmuxCwdRejectReason::Missing.as_str();
        return Ok(refuse(code, "cwd is missing".to_owned()));
    };
    let scrub_env = a.scrub_env.flatten().unwrap_or_default();
    let launch = Launch {
        mux: Mux {
            kind,
            bin: &a.mux.bin,
        },
        mux_name: &a.mux_name,
        cwd: &cwd,
        claude_bin: &a.claude_bin,
        claude_args: &borrowed(&a.claude_args),
        exit_file: &a.exit_file,
    };
    let options = SafeOptions {
        socket: a.socket.as_ref().and_then(Option::as_deref),
        config: a.config.as_ref().and_then(Option::as_deref),
        utf8: a.utf8.flatten().unwrap_or_default(),
        scrub_env: &borrowed(&scrub_env),
        terminator: a.terminator.flatten().unwrap_or(true),
    };
    match mux::build_safe_mux_commands(&launch, &options) {
        Ok(built) => commands(env, built).map(Either::A),
        Err(error) => Ok(Either::B(Refused::from(&error))),
    }
}

fn refuse<T>(code: &'static str, message: String) -> Either<T, Refused> {
    Either::B(Refused {
        refused: Refusal {
            class: "MuxCommandError",
            message,
            code,
            size: None,
            limit: None,
        },
    })
}

fn commands(env: &Env, built: mux::SafeMuxCommands) -> Result<MuxCommands<'_>> {
    let exists = command(env, built.exists)?;
    Ok(MuxCommands {
        blocking: built.blocking,
        start: command(env, built.start)?,
        // The same object.
        wait_probe: built.wait_probe.map(|_| exists),
        exists,
        wipe: Some(command(env, built.wipe)?),
        stop: built.stop.map(|stop| command(env, stop)).transpose()?,
    })
}

fn command(env: &Env, built: SafeCommand) -> Result<Object<'_>> {
    let mut command = Object::new(env)?;
    command.set("file", built.file)?;
    command.set("args", built.args)?;
    if let Some(cwd) = built.cwd {
        command.set("cwd", cwd)?;
    }
    if !built.env.is_empty() {
        let mut variables = Object::new(env)?;
        for (name, value) in built.env {
            variables.set(name, value)?;
        }
        command.set("env", variables)?;
    }
    Ok(command)
}

/// What a run of tmux answered, as a caller hands it on. What it printed is of no matter to any
/// judgement; `spawnSync` has `null` for the texts of a program that could not be started.
#[napi(object, object_to_js = false)]
pub struct GivenRun {
    pub status: Either<f64, Null>,
    pub stderr: Either<String, Null>,
}

/// Reads a run that JavaScript made.
pub(super) fn given_run(env: &Env, run: Arg<GivenRun>) -> Result<tmux::TmuxRun> {
    let run = run.named(env, "run")?;
    let status = match run.status {
        Either::B(_) => None,
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number below 65,536"
        )]
        Either::A(status) if status.fract() == 0.0 && status.abs() < 65_536.0 => {
            Some(status as i32)
        }
        Either::A(_) => {
            return Err(wrong_value(
                env,
                "run.status must be a whole number or null",
            ));
        }
    };
    Ok(tmux::TmuxRun {
        status,
        stdout: String::new(),
        stderr: match run.stderr {
            Either::A(text) => text,
            Either::B(_) => String::new(),
        },
    })
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
    ts_args_type = "run: TmuxRun",
    ts_return_type = "TmuxAnswer"
)]
pub(super) fn classify_tmux_run(env: &Env, run: Arg<GivenRun>) -> Result<&'static str> {
    Ok(mux::classify_tmux_run(&given_run(env, run)?).as_str())
}

/// The variables of an environment, as `child_process` takes them: every enumerable property but
/// those that are `undefined`, each value made a string.
pub(super) struct Variables(pub(super) Vec<(OsString, OsString)>);

impl FromNapiValue for Variables {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: the environment and the handle are the caller's.
        let object = unsafe { Unknown::from_napi_value(env, value) }?;
        if object.get_type()? != ValueType::Object {
            return Err(Error::from_status(Status::ObjectExpected));
        }
        let object = object.coerce_to_object()?;
        let mut variables = Vec::new();
        for name in Object::keys(&object)? {
            if let Some(value) = object.get::<Unknown<'_>>(&name)? {
                let value = value.coerce_to_string()?.into_utf8()?.into_owned()?;
                variables.push((name.into(), value.into()));
            }
        }
        Ok(Self(variables))
    }
}

impl TypeName for Variables {
    fn type_name() -> &'static str {
        "Record"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ValidateNapiValue for Variables {}

options! {
    /// How `runTmux` runs tmux.
    struct RunTmuxOptions {
        socket: String,
        config: String,
        env: Variables,
        timeout_ms: f64,
        bin: String,
    }

    /// How the verbs of placement run tmux.
    struct PlacementOptions {
        timeout_ms: f64,
        bin: String,
    }
}

type GivenOptions = Arg<Option<Known<RunTmuxOptions>>>;

fn tmux_options(env: &Env, options: GivenOptions, own: Arg<Variables>) -> Result<TmuxOptions> {
    let Some(Known(options)) = options.named(env, "options")? else {
        let Variables(variables) = own.named(env, "env")?;
        return Ok(TmuxOptions {
            env: Some(variables),
            ..TmuxOptions::default()
        });
    };
    let Variables(variables) = match options.env.flatten() {
        Some(variables) => variables,
        None => own.named(env, "env")?,
    };
    Ok(TmuxOptions {
        server: TmuxServer {
            socket: non_empty(env, "options.socket", options.socket.flatten())?,
            config: non_empty(env, "options.config", options.config.flatten())?,
            utf8: false,
        },
        env: Some(variables),
        timeout: timeout(env, options.timeout_ms.flatten())?,
        bin: non_empty(env, "options.bin", options.bin.flatten())?.map(OsString::from),
    })
}

pub(super) fn non_empty(env: &Env, what: &str, text: Option<String>) -> Result<Option<String>> {
    match text {
        Some(text) if text.is_empty() => {
            Err(wrong_value(env, &format!("{what} must not be empty")))
        }
        text => Ok(text),
    }
}

pub(super) fn timeout(env: &Env, ms: Option<f64>) -> Result<Option<Duration>> {
    match ms {
        Some(ms) if !(ms > 0.0 && ms.is_finite()) => {
            let text = "options.timeoutMs must be a positive, finite number";
            Err(wrong_value(env, text))
        }
        // More than a `Duration` holds is as good as for ever.
        ms => Ok(ms.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok())),
    }
}

/// What one run of tmux answered.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct TmuxRun {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

type RunJob = Job<std::result::Result<tmux::TmuxRun, RunTmuxError>, TmuxRun>;

/// `runTmux`, at once or not.
fn run_job(
    env: &Env,
    args: Arg<Vec<String>>,
    options: GivenOptions,
    own: Arg<Variables>,
) -> Result<RunJob> {
    let args = args.named(env, "args")?;
    let options = tmux_options(env, options, own)?;
    Ok(Job::new(
        move || tmux::run_tmux(&args, &options),
        |env, run| match run {
            Ok(run) => tmux_run(env, run),
            Err(error) => Err(run_error(env, &error)?),
        },
    ))
}

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
pub(super) fn run_tmux(
    env: &Env,
    args: Arg<Vec<String>>,
    options: GivenOptions,
    own: Arg<Variables>,
) -> Result<TmuxRun> {
    run_job(env, args, options, own)?.now(env)
}

/// The most UTF-16 units that a string of JavaScript holds.
const LONGEST_STRING: usize = (1 << 29) - 24;

fn tmux_run(env: &Env, run: tmux::TmuxRun) -> Result<TmuxRun> {
    let tmux::TmuxRun {
        status,
        stdout,
        stderr,
    } = run;
    for (what, text) in [("stdout", &stdout), ("stderr", &stderr)] {
        if text.len() > LONGEST_STRING && text.encode_utf16().count() > LONGEST_STRING {
            let text = format!("{what} has {} bytes, more than a string holds", text.len());
            return Err(error(env, "ERR_STRING_TOO_LONG", &text));
        }
    }
    Ok(TmuxRun {
        status,
        stdout,
        stderr,
    })
}

type ExactJob = Job<std::result::Result<tmux::TmuxSessionId, TmuxSessionExactError>, ExactResult>;

/// `resolveTmuxSessionExact`, at once or not.
fn exact_job(
    env: &Env,
    name: Arg<String>,
    options: GivenOptions,
    own: Arg<Variables>,
) -> Result<ExactJob> {
    let name = name.named(env, "name")?;
    let options = tmux_options(env, options, own)?;
    Ok(Job::new(
        move || mux::resolve_tmux_session_exact(&name, &options),
        |env, found| match found {
            Ok(id) => Ok(ExactResult::found(&id)),
            Err(TmuxSessionExactError::Unavailable(TmuxUnavailable::NotRun(
                error @ RunTmuxError::Nul { .. },
            ))) => Err(run_error(env, &error)?),
            Err(error) => Ok(ExactResult::rejected(error.as_str())),
        },
    ))
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
    ts_args_type = "name: string, options?: RunTmuxOptions | null",
    ts_return_type = "TmuxSessionExactResult"
)]
pub(super) fn resolve_tmux_session_exact(
    env: &Env,
    name: Arg<String>,
    options: GivenOptions,
    own: Arg<Variables>,
) -> Result<ExactResult> {
    exact_job(env, name, options, own)?.now(env)
}

/// What `child_process` would throw for the same.
pub(super) fn run_error(env: &Env, error: &RunTmuxError) -> Result<Error> {
    let (call, bin, errno) = match error {
        RunTmuxError::Spawn { bin, errno } => ("spawn", bin, *errno),
        RunTmuxError::Wait { bin, errno } => ("wait", bin, *errno),
        nul @ RunTmuxError::Nul { .. } => return Ok(wrong_value(env, &nul.to_string())),
    };
    let thrown = JsError::from(Error::new(error.code(), error.to_string())).into_unknown(*env);
    let mut object = thrown.coerce_to_object()?;
    object.set("errno", -errno)?;
    object.set("syscall", format!("{call} {bin}"))?;
    object.set("path", bin.as_str())?;
    Ok(thrown.into())
}
