//! The surface of `seatkit/mux`, but for what runs tmux.

use std::borrow::Cow;
use std::ffi::CString;

use napi::bindgen_prelude::Env;
use napi_derive::napi;

use super::js::{Js, JsResult, Thrown, Value};
use super::read;
use crate::launch::{
    self, CandidateEnv, Launch, Mux, MuxCommandError, MuxKind, SafeCommand, SafeMuxCommands,
    SafeOptions, ScreenSession, SessionOutcome, TmuxCwdRejectReason,
};

/// The largest `packedSize` that tmux takes, in bytes. One more and `tmux` exits with 1, having
/// created nothing. The same in tmux 2.6 to 3.8.
#[napi]
#[allow(unreachable_pub, reason = "napi takes public constants only")]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a small constant, in the type that napi takes"
)]
pub const TMUX_MESSAGE_LIMIT: u32 = launch::TMUX_MESSAGE_LIMIT as u32;

/// Escapes one argument so that tmux takes it as it is: a final `;` becomes `\;`.
///
/// tmux ends a command at an argument that ends in `;`, even where the argument came alone in an
/// argv element. screen does not: there it must not be escaped.
///
/// ```js
/// escapeTmuxArg("be brief;"); // "be brief\\;"
/// escapeTmuxArg("a;b"); // "a;b"
/// ```
#[napi(catch_unwind, ts_args_type = "s: string", ts_return_type = "string")]
pub(super) fn escape_tmux_arg<'js>(env: &'js Env, s: Value<'js>) -> napi::Result<Value<'js>> {
    Ok(escaped(Js::new(env), s, launch::escape_tmux_arg_utf16)?)
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
#[napi(catch_unwind, ts_args_type = "s: string", ts_return_type = "string")]
pub(super) fn escape_tmux_format<'js>(env: &'js Env, s: Value<'js>) -> napi::Result<Value<'js>> {
    Ok(escaped(Js::new(env), s, launch::escape_tmux_format_utf16)?)
}

/// Applies an escape; what needs none is the very same handle.
fn escaped<'js>(
    js: Js<'js>,
    text: Value<'js>,
    escape: fn(&[u16]) -> Cow<'_, [u16]>,
) -> JsResult<Value<'js>> {
    let changed = js.if_string(text, |units| match escape(units) {
        Cow::Borrowed(_) => None,
        Cow::Owned(units) => Some(units),
    })?;
    match changed {
        Some(Some(units)) => js.utf16(&units),
        Some(None) => Ok(text),
        None => Err(read::wrong_type(js, "s", "a string")),
    }
}

/// The bytes that an argv takes in tmux's message: the UTF-8 of each argument, and one more each.
///
/// Count everything after tmux's own flags (`-S`, `-L`, `-f`, `-u`), escaped as it is passed. More
/// than `TMUX_MESSAGE_LIMIT` is refused by tmux.
///
/// ```js
/// packedSize(["has-session", "-t", "=é:"]); // 12 + 3 + 5
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "args: readonly string[]",
    ts_return_type = "number"
)]
pub(super) fn packed_size<'js>(env: &'js Env, args: Value<'js>) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    Ok(js.number(size(launch::packed_size(&read::strings(js, args, "args")?)))?)
}

#[expect(clippy::cast_precision_loss, reason = "no argv has 2^53 bytes")]
fn size(bytes: usize) -> f64 {
    bytes as f64
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
pub(super) fn parse_screen_sessions<'js>(
    env: &'js Env,
    out: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let out = listing(js, out)?;
    let sessions = launch::parse_screen_sessions(&out)
        .iter()
        .map(|session| screen_session(js, session))
        .collect::<JsResult<Vec<_>>>()?;
    Ok(js.array(&sessions)?)
}

fn screen_session<'js>(js: Js<'js>, session: &ScreenSession<'_>) -> JsResult<Value<'js>> {
    js.object([
        (c"pid", js.uint(session.pid)?),
        (c"name", js.string(session.name)?),
        (c"state", js.string(session.state)?),
        (c"live", js.boolean(session.live)?),
    ])
}

fn listing<'js>(js: Js<'js>, out: Value<'js>) -> JsResult<String> {
    if js.is_string(out)? {
        js.utf8(out)
    } else {
        Ok(String::new())
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
pub(super) fn screen_stop_args<'js>(
    env: &'js Env,
    out: Value<'js>,
    name: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let name = read::string(js, name, "name")?;
    match launch::screen_stop_args(&listing(js, out)?, &name) {
        Some(args) => Ok(string_array(js, &args)?),
        None => Ok(js.null()?),
    }
}

/// An array of strings.
pub(super) fn string_array<'js, S: AsRef<str>>(js: Js<'js>, texts: &[S]) -> JsResult<Value<'js>> {
    let texts = texts
        .iter()
        .map(|text| js.string(text.as_ref()))
        .collect::<JsResult<Vec<_>>>()?;
    js.array(&texts)
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
pub(super) fn session_outcome<'js>(env: &'js Env, end: Value<'js>) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let end = read::object(js, end, "end")?;
    let text = read::variable(js, end, c"exitText")?;
    let stop_requested = js.truthy(js.get(end, c"stopRequested")?)?;
    let outcome = launch::session_outcome(text.as_deref(), stop_requested);
    Ok(outcome_object(js, outcome)?)
}

fn outcome_object(js: Js<'_>, outcome: SessionOutcome) -> JsResult<Value<'_>> {
    let kind = |kind| js.string(kind);
    match outcome {
        SessionOutcome::Exited { code } => {
            js.object([(c"kind", kind("exited")?), (c"code", js.uint(code.into())?)])
        }
        SessionOutcome::Signalled { signal } => js.object([
            (c"kind", kind("signalled")?),
            (c"signal", js.uint(signal.into())?),
        ]),
        SessionOutcome::Stopped => js.object([(c"kind", kind("stopped")?)]),
        SessionOutcome::Unknown => js.object([(c"kind", kind("unknown")?)]),
    }
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
pub(super) fn mux_candidates<'js>(
    env: &'js Env,
    platform: Value<'js>,
    variables: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let platform = read::string(js, platform, "platform")?;
    let variables = read::object(js, variables, "env")?;
    let home = read::variable(js, variables, c"HOME")?;
    let user = read::variable(js, variables, c"USER")?;
    let path = read::variable(js, variables, c"PATH")?;
    let found = launch::mux_candidates(
        &platform,
        &CandidateEnv {
            home: home.as_deref(),
            user: user.as_deref(),
            path: path.as_deref(),
        },
    );
    Ok(js.object([
        (c"tmux", string_array(js, &found.tmux)?),
        (c"screen", string_array(js, &found.screen)?),
    ])?)
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
pub(super) fn build_safe_mux_commands<'js>(
    env: &'js Env,
    a: Value<'js>,
    spread: Value<'js>,
    refusal: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let a = read::object(js, a, "a")?;
    let text = |what: &str, name| read::string(js, js.get(a, name)?, what);
    let mux = read::object(js, js.get(a, c"mux")?, "mux")?;
    let kind = read::string(js, js.get(mux, c"kind")?, "mux.kind")?;
    let Ok(kind) = kind.parse::<MuxKind>() else {
        let message = format!("unknown mux kind {kind:?}");
        return Err(refuse(js, refusal, &message, "mux-kind-unknown", None).into());
    };
    let bin = read::string(js, js.get(mux, c"bin")?, "mux.bin")?;
    let mux_name = text("muxName", c"muxName")?;
    let cwd = js.get(a, c"cwd")?;
    if js.type_of(cwd)?.is_nullish() {
        let code = TmuxCwdRejectReason::Missing.as_str();
        return Err(refuse(js, refusal, "cwd is missing", code, None).into());
    }
    let cwd = read::string(js, cwd, "cwd")?;
    let claude_bin = text("claudeBin", c"claudeBin")?;
    let claude_args = read::iterable(js, js.get(a, c"claudeArgs")?, "claudeArgs", spread)?;
    let exit_file = text("exitFile", c"exitFile")?;
    let socket = read::optional_string(js, js.get(a, c"socket")?, "socket")?;
    let config = read::optional_string(js, js.get(a, c"config")?, "config")?;
    let utf8 = js.truthy(js.get(a, c"utf8")?)?;
    let scrub_env = read::optional_strings(js, js.get(a, c"scrubEnv")?, "scrubEnv")?;
    let terminator = js.get(a, c"terminator")?;
    let terminator = js.type_of(terminator)?.is_nullish() || js.truthy(terminator)?;

    let claude_args = borrowed(&claude_args);
    let scrub_env = borrowed(&scrub_env);
    let launch = Launch {
        mux: Mux { kind, bin: &bin },
        mux_name: &mux_name,
        cwd: &cwd,
        claude_bin: &claude_bin,
        claude_args: &claude_args,
        exit_file: &exit_file,
    };
    let options = SafeOptions {
        socket: socket.as_deref(),
        config: config.as_deref(),
        utf8,
        scrub_env: &scrub_env,
        terminator,
    };
    match launch::build_safe_mux_commands(&launch, &options) {
        Ok(built) => Ok(commands(js, &built)?),
        Err(error) => Err(refuse_command(js, refusal, &error).into()),
    }
}

/// What the core borrows of a list that JavaScript owned.
pub(super) fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

fn commands<'js>(js: Js<'js>, built: &SafeMuxCommands) -> JsResult<Value<'js>> {
    let optional = |built: &Option<SafeCommand>| match built {
        Some(built) => command(js, built),
        None => js.null(),
    };
    let wait_probe = optional(&built.wait_probe)?;
    let exists = if built.wait_probe.is_some() {
        wait_probe
    } else {
        command(js, &built.exists)?
    };
    js.object([
        (c"blocking", js.boolean(built.blocking)?),
        (c"start", command(js, &built.start)?),
        (c"waitProbe", wait_probe),
        (c"exists", exists),
        (c"wipe", command(js, &built.wipe)?),
        (c"stop", optional(&built.stop)?),
    ])
}

fn command<'js>(js: Js<'js>, built: &SafeCommand) -> JsResult<Value<'js>> {
    let command = js.object([
        (c"file", js.string(&built.file)?),
        (c"args", string_array(js, &built.args)?),
    ])?;
    if let Some(cwd) = &built.cwd {
        js.define(command, [(c"cwd", js.string(cwd)?)])?;
    }
    if !built.env.is_empty() {
        let env = js.object([])?;
        for (name, value) in &built.env {
            // The names are ours, without a NUL.
            let name = CString::new(name.as_str()).unwrap_or_default();
            js.define(env, [(&name, js.string(value)?)])?;
        }
        js.define(command, [(c"env", env)])?;
    }
    Ok(command)
}

/// Throws a `MuxCommandError` of the core.
pub(super) fn refuse_command<'js>(
    js: Js<'js>,
    refusal: Value<'js>,
    error: &MuxCommandError,
) -> Thrown {
    refuse(js, refusal, &error.to_string(), error.code(), error.sizes())
}

/// Throws what `refusal(message, code, size, limit)` makes: an error of a class of index.js.
pub(super) fn refuse<'js>(
    js: Js<'js>,
    refusal: Value<'js>,
    message: &str,
    code: &str,
    sizes: Option<(usize, usize)>,
) -> Thrown {
    let error = || {
        let mut args = vec![js.string(message)?, js.string(code)?];
        if let Some((actual, limit)) = sizes {
            args.extend([js.number(size(actual))?, js.number(size(limit))?]);
        }
        js.call("refusal", refusal, js.undefined()?, &args)
    };
    match error() {
        Ok(error) => js.throw(error),
        Err(thrown) => thrown,
    }
}
