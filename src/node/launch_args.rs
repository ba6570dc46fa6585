//! The surface of `seatkit/launch-args`.

use napi::bindgen_prelude::{Either, Env, FnArgs, Function, Object, Result, Unknown};
use napi_derive::napi;

use super::convert::{Arg, Word, plain_error, wrong_value};
use crate::launch::{self, MUX_CANDIDATES, MuxKind, SessionId, SessionMode};

/// The prompt that every launch of a main session starts with, unless another is given.
#[napi]
pub const BOOTSTRAP_PROMPT: &str = launch::BOOTSTRAP_PROMPT;

/// The `sh -c` text that runs a command and records its exit code. `$0` is a label, `$1` the exit
/// file (its folder must exist), the rest the command; nothing is read as shell text.
#[napi]
pub const SESSION_EXIT_SCRIPT: &str = launch::SESSION_EXIT_SCRIPT;

/// Where tmux and screen may be, each in order.
#[napi(object, object_from_js = false)]
#[derive(Clone)]
pub struct MuxCandidates {
    pub tmux: Vec<String>,
    pub screen: Vec<String>,
}

/// What `MUX_CANDIDATES` is made of.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn fixed_mux_candidates() -> MuxCandidates {
    MuxCandidates {
        tmux: MUX_CANDIDATES.tmux.map(String::from).into(),
        screen: MUX_CANDIDATES.screen.map(String::from).into(),
    }
}

/// The name of the main session of a seat whose agent is called `first`: `<first>-main`.
///
/// ```js
/// mainSessionName("olivia"); // "olivia-main"
/// ```
#[napi(catch_unwind, ts_args_type = "first: string")]
pub(super) fn main_session_name(env: &Env, first: Arg<Word>) -> Result<String> {
    Ok(launch::main_session_name(
        first.named(env, "first")?.as_str(),
    ))
}

/// What `buildClaudeArgs` is told.
#[napi(object, object_to_js = false)]
pub struct ClaudeSession {
    pub first: Option<Word>,
    pub session_id: Option<Word>,
    pub mode: Option<Word>,
    pub permission_args: Option<Option<Vec<String>>>,
    pub extra_args: Option<Option<Vec<String>>>,
    pub prompt: Option<Option<String>>,
}

/// The argv of `claude`, without the binary; the prompt is the last argument.
///
/// Throws an `Error` for a session id that is no UUID and for an unknown mode.
///
/// ```js
/// buildClaudeArgs({
///   first: "olivia",
///   sessionId: "11111111-2222-4333-8444-555555555555",
///   mode: "resume",
///   permissionArgs: ["--allowedTools", "Read"],
/// });
/// // ["--name", "olivia-main", "--resume", "11111111-2222-4333-8444-555555555555",
/// //  "--allowedTools", "Read", BOOTSTRAP_PROMPT]
/// ```
#[napi(catch_unwind, ts_args_type = "a: ClaudeSession")]
pub(super) fn build_claude_args(env: &Env, a: Arg<ClaudeSession>) -> Result<Vec<String>> {
    let a = a.named(env, "a")?;
    let refuse = |text: String| plain_error(env, &format!("buildClaudeArgs: {text}"));
    let id = a.session_id.unwrap_or_default();
    let Ok(session_id) = id.as_str().parse::<SessionId>() else {
        return Err(refuse(format!("session id must be a uuid, got {id}"))?);
    };
    let mode = a.mode.unwrap_or_default();
    let Ok(session_mode) = mode.as_str().parse::<SessionMode>() else {
        return Err(refuse(format!("unknown mode {mode}"))?);
    };
    let (permission_args, extra_args) = (
        a.permission_args.flatten().unwrap_or_default(),
        a.extra_args.flatten().unwrap_or_default(),
    );
    Ok(launch::build_claude_args(&launch::ClaudeSession {
        first: a.first.unwrap_or_default().as_str(),
        session_id: &session_id,
        mode: session_mode,
        permission_args: &borrowed(&permission_args),
        extra_args: &borrowed(&extra_args),
        prompt: a.prompt.flatten().as_deref(),
    }))
}

/// What the core borrows of a list that JavaScript owned.
pub(super) fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Which multiplexers were found.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct FoundMux {
    pub tmux: Option<&'static str>,
    pub screen: Option<&'static str>,
}

/// What says whether there is a file.
type Exists<'env> = Function<'env, FnArgs<(String,)>, bool>;

/// Which multiplexers are installed, by the fixed paths of `MUX_CANDIDATES`. `existsSync` is asked
/// until it affirms one; where it throws, the path counts as absent.
///
/// ```js
/// import { existsSync } from "node:fs";
///
/// detectMux({ existsSync }); // { tmux: "/usr/bin/tmux", screen: null } for example
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "deps: { existsSync: (path: string) => boolean }"
)]
pub(super) fn detect_mux(env: &Env, exists: Arg<Exists<'_>>) -> Result<FoundMux> {
    let exists = exists.named(env, "existsSync")?;
    let mut ended = None;
    let found = launch::detect_mux(|path| {
        // What a probe throws is caught in JavaScript; what comes here all the same ends the call.
        let answer = match ended {
            Some(_) => Ok(true),
            None => exists.apply((), FnArgs::from((path.to_owned(),))),
        };
        answer.unwrap_or_else(|error| {
            ended = Some(error);
            true
        })
    });
    match ended {
        Some(error) => Err(error),
        None => Ok(FoundMux {
            tmux: found.tmux,
            screen: found.screen,
        }),
    }
}

/// Which multiplexers a caller found.
#[napi(object, object_to_js = false)]
pub struct Found {
    pub tmux: Option<Option<String>>,
    pub screen: Option<Option<String>>,
}

/// A multiplexer and its binary.
#[napi(object, object_from_js = false)]
pub struct Mux {
    pub kind: &'static str,
    pub bin: String,
}

/// Takes the preferred multiplexer (`auto` is tmux), or the other one when that is not installed:
/// a seat with a wrong preference should still come up. `null` when there is neither.
///
/// ```js
/// chooseMux("tmux", { tmux: null, screen: "/usr/bin/screen" });
/// // { kind: "screen", bin: "/usr/bin/screen" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "pref: MuxPreference, found: FoundMux",
    ts_return_type = "Mux | null"
)]
pub(super) fn choose_mux(env: &Env, pref: Arg<Word>, found: Arg<Found>) -> Result<Option<Mux>> {
    let preference = pref
        .named(env, "pref")?
        .as_str()
        .parse()
        .unwrap_or_default();
    let found = found.named(env, "found")?;
    let (tmux, screen) = (found.tmux.flatten(), found.screen.flatten());
    let found = launch::FoundMux {
        tmux: tmux.as_deref(),
        screen: screen.as_deref(),
    };
    Ok(launch::choose_mux(preference, found).map(|mux| Mux {
        kind: mux.kind.as_str(),
        bin: mux.bin.to_owned(),
    }))
}

/// A multiplexer as a caller names it.
#[napi(object, object_to_js = false)]
pub struct GivenMux {
    pub kind: Option<Word>,
    pub bin: String,
}

/// What `buildMuxCommands` is told.
#[napi(object, object_to_js = false)]
pub struct MuxLaunch {
    pub mux: GivenMux,
    pub mux_name: String,
    pub cwd: Option<Option<String>>,
    pub claude_bin: String,
    pub claude_args: Vec<String>,
    pub exit_file: String,
}

/// The commands of one session's life; what does not apply is `null`.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct MuxCommands<'env> {
    pub blocking: bool,
    pub start: Object<'env>,
    pub wait_probe: Option<Object<'env>>,
    pub exists: Object<'env>,
    pub wipe: Option<Object<'env>>,
    pub stop: Option<Object<'env>>,
}

/// The commands that run one session of `claude` under a multiplexer.
///
/// `start` launches the session and, under screen, runs until it ends; under tmux it returns at
/// once, and `waitProbe` exits 0 while the session exists. `exists` finds a session left over from
/// before (for screen: a listing for `parseScreenList`), `wipe` removes the sockets of dead screen
/// sessions, `stop` ends the session. What does not apply is `null`.
///
/// Throws an `Error` for an unknown `mux.kind`.
///
/// ```js
/// const { start, exists } = buildMuxCommands({
///   mux: { kind: "tmux", bin: "/usr/bin/tmux" },
///   muxName: "maestro-olivia",
///   cwd: "/agent",
///   claudeBin: "claude",
///   claudeArgs: ["--resume", "11111111-2222-4333-8444-555555555555"],
///   exitFile: "/agent/state/session/last-exit",
/// });
/// exists.args; // ["has-session", "-t", "=maestro-olivia"]
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "a: MuxLaunch",
    ts_return_type = "MuxCommands"
)]
pub(super) fn build_mux_commands(env: &Env, a: Arg<MuxLaunch>) -> Result<MuxCommands<'_>> {
    let a = a.named(env, "a")?;
    let kind = a.mux.kind.unwrap_or_default();
    let Ok(kind) = kind.as_str().parse::<MuxKind>() else {
        let text = format!("buildMuxCommands: unknown mux kind {kind}");
        return Err(plain_error(env, &text)?);
    };
    let cwd = a.cwd.flatten();
    if kind == MuxKind::Tmux && cwd.is_none() {
        return Err(wrong_value(env, "a.cwd is missing"));
    }
    let launch::MuxCommands {
        blocking,
        start,
        wait_probe,
        exists,
        wipe,
        stop,
    } = launch::build_mux_commands(&launch::Launch {
        mux: launch::Mux {
            kind,
            bin: &a.mux.bin,
        },
        mux_name: &a.mux_name,
        cwd: cwd.as_deref().unwrap_or_default(),
        claude_bin: &a.claude_bin,
        claude_args: &borrowed(&a.claude_args),
        exit_file: &a.exit_file,
    });
    let exists = command(env, exists)?;
    Ok(MuxCommands {
        blocking,
        start: command(env, start)?,
        // The same object, as the published function gives it.
        wait_probe: wait_probe.map(|_| exists),
        exists,
        wipe: wipe.map(|wipe| command(env, wipe)).transpose()?,
        stop: Some(command(env, stop)?),
    })
}

fn command(env: &Env, command: launch::Command) -> Result<Object<'_>> {
    let mut object = Object::new(env)?;
    object.set("file", command.file)?;
    object.set("args", command.args)?;
    Ok(object)
}

/// Whether the output of `screen -ls` lists a live session of exactly this name. A session whose
/// process was killed stays listed, as `(Dead ???)`, `(Remote or dead)` or `(Removed)`, and is not
/// live. Anything but a string as output is `false`.
///
/// ```js
/// parseScreenList(" 48213.maestro-olivia (Detached)", "maestro-olivia"); // true
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "out: string | null | undefined, name: string"
)]
pub(super) fn parse_screen_list(
    env: &Env,
    out: Either<String, Unknown<'_>>,
    name: Arg<String>,
) -> Result<bool> {
    match out {
        Either::A(out) => Ok(launch::parse_screen_list(&out, &name.named(env, "name")?)),
        Either::B(_) => Ok(false),
    }
}

/// The exit code that a session's exit file records, or `null` when there is none to read.
///
/// The file is what `SESSION_EXIT_SCRIPT` writes: one to three digits, white space around them
/// allowed. Anything else, a value that is no string included, is `null`.
///
/// ```js
/// parseExitFile(" 137 "); // 137
/// parseExitFile("killed"); // null
/// ```
#[napi(catch_unwind, ts_args_type = "text: string | null | undefined")]
pub(super) fn parse_exit_file(text: Either<String, Unknown<'_>>) -> Option<u16> {
    match text {
        Either::A(text) => launch::parse_exit_file(&text),
        Either::B(_) => None,
    }
}
