//! The surface of `seatkit/launch-args`, but for `buildMuxCommands`.

use napi::bindgen_prelude::Env;
use napi_derive::napi;

use super::js::{ErrorClass, Js, JsResult, Thrown, Value};
use crate::launch::{
    self, ClaudeWords, MAIN_SUFFIX, MUX_CANDIDATES, MuxKind, MuxPreference, SessionMode,
};
use crate::text::equals;

/// The prompt that every launch of a main session starts with, unless another is given.
#[napi]
#[allow(unreachable_pub, reason = "napi takes public constants only")]
pub const BOOTSTRAP_PROMPT: &str = launch::BOOTSTRAP_PROMPT;

/// The `sh -c` text that runs a command and records its exit code. `$0` is a label, `$1` the exit
/// file (its folder must exist), the rest the command; nothing is read as shell text.
#[napi]
#[allow(unreachable_pub, reason = "napi takes public constants only")]
pub const SESSION_EXIT_SCRIPT: &str = launch::SESSION_EXIT_SCRIPT;

/// `MUX_CANDIDATES`, frozen through and through.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn fixed_mux_candidates(env: &Env) -> napi::Result<Value<'_>> {
    let js = Js::new(env);
    let list = |paths: [&str; 3]| {
        let paths = paths
            .iter()
            .map(|path| js.string(path))
            .collect::<JsResult<Vec<_>>>()?;
        js.freeze(js.array(&paths)?)
    };
    let tmux = list(MUX_CANDIDATES.tmux)?;
    let screen = list(MUX_CANDIDATES.screen)?;
    Ok(js.freeze(js.object([(c"tmux", tmux), (c"screen", screen)])?)?)
}

/// The name of the main session of a seat whose agent is called `first`: `<first>-main`.
///
/// ```js
/// mainSessionName("olivia"); // "olivia-main"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "first: string",
    ts_return_type = "string"
)]
pub(super) fn main_session_name<'js>(env: &'js Env, first: Value<'js>) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    Ok(js.joined("", js.to_string(first)?, MAIN_SUFFIX)?)
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
#[napi(
    catch_unwind,
    ts_args_type = "a: ClaudeSession",
    ts_return_type = "string[]"
)]
pub(super) fn build_claude_args<'js>(
    env: &'js Env,
    a: Value<'js>,
    spread: Value<'js>,
    array: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    check_session_id(js, a)?;
    check_mode(js, a)?;
    let argv = launch::claude_args(&mut ClaudeReader { js, a, spread })?;
    Ok(js.array_by(array, &argv)?)
}

fn check_session_id<'js>(js: Js<'js>, a: Value<'js>) -> JsResult<()> {
    const WRONG: &str = "buildClaudeArgs: session id must be a uuid, got ";
    let id = js.get(a, c"sessionId")?;
    // A symbol has a text of its own here (`String(symbol)`), which is never an id.
    if js.truthy(id)? && !js.is_symbol(id)? {
        let text = js.to_string(id)?;
        if js.with_utf16(text, launch::is_session_id_utf16)? {
            return Ok(());
        }
    }
    Err(throw_with_json(js, WRONG, js.get(a, c"sessionId")?))
}

fn check_mode<'js>(js: Js<'js>, a: Value<'js>) -> JsResult<()> {
    for mode in [SessionMode::SessionId, SessionMode::Resume] {
        if is_word(js, js.get(a, c"mode")?, mode.as_str())? {
            return Ok(());
        }
    }
    Err(throw_with_json(
        js,
        "buildClaudeArgs: unknown mode ",
        js.get(a, c"mode")?,
    ))
}

/// `value === word`.
pub(super) fn is_word<'js>(js: Js<'js>, value: Value<'js>, word: &str) -> JsResult<bool> {
    Ok(js.if_string(value, |text| equals(text, word))? == Some(true))
}

/// `` throw new Error(`${text}${JSON.stringify(value)}`) ``
pub(super) fn throw_with_json<'js>(js: Js<'js>, text: &str, value: Value<'js>) -> Thrown {
    let message = js
        .json_stringify(value)
        .and_then(|json| js.to_string(json))
        .and_then(|json| js.joined(text, json, ""));
    match message {
        Ok(message) => js.throw_new(ErrorClass::Error, message),
        Err(thrown) => thrown,
    }
}

/// Reads the argument of `buildClaudeArgs`, in the order in which the argv asks.
struct ClaudeReader<'js> {
    js: Js<'js>,
    a: Value<'js>,
    spread: Value<'js>,
}

impl<'js> ClaudeReader<'js> {
    /// `...(list || [])`
    fn extend(&self, argv: &mut Vec<Value<'js>>, list: Value<'js>) -> JsResult<()> {
        let js = self.js;
        if js.truthy(list)? {
            let items = js.call("spread", self.spread, js.undefined()?, &[list])?;
            js.elements(items, argv)?;
        }
        Ok(())
    }
}

impl<'js> ClaudeWords for ClaudeReader<'js> {
    type Word = Value<'js>;
    type Error = Thrown;

    fn fixed(&mut self, word: &'static str) -> JsResult<Value<'js>> {
        self.js.string(word)
    }

    fn name(&mut self) -> JsResult<Value<'js>> {
        let first = self.js.get(self.a, c"first")?;
        self.js.joined("", self.js.to_string(first)?, MAIN_SUFFIX)
    }

    fn mode(&mut self) -> JsResult<SessionMode> {
        let mode = self.js.get(self.a, c"mode")?;
        let resumes = is_word(self.js, mode, SessionMode::Resume.as_str())?;
        Ok(if resumes {
            SessionMode::Resume
        } else {
            SessionMode::SessionId
        })
    }

    fn session_id(&mut self) -> JsResult<Value<'js>> {
        self.js.get(self.a, c"sessionId")
    }

    fn permission_args(&mut self, argv: &mut Vec<Value<'js>>) -> JsResult<()> {
        self.extend(argv, self.js.get(self.a, c"permissionArgs")?)
    }

    fn extra_args(&mut self, argv: &mut Vec<Value<'js>>) -> JsResult<()> {
        self.extend(argv, self.js.get(self.a, c"extraArgs")?)
    }

    fn prompt(&mut self) -> JsResult<Option<Value<'js>>> {
        let prompt = self.js.get(self.a, c"prompt")?;
        Ok(self.js.truthy(prompt)?.then_some(prompt))
    }
}

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
    ts_args_type = "deps: { existsSync: (path: string) => boolean }",
    ts_return_type = "FoundMux"
)]
pub(super) fn detect_mux<'js>(
    env: &'js Env,
    exists: Value<'js>,
    literal: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let this = js.undefined()?;
    let mut ended = None;
    let found = launch::detect_mux(|path| {
        // What a probe throws is caught in index.js; what still comes here ends the call.
        let answer = match ended {
            Some(_) => return true,
            None => js
                .string(path)
                .and_then(|path| js.call("existsSync", exists, this, &[path]))
                .and_then(|answer| js.truthy(answer)),
        };
        answer.unwrap_or_else(|thrown| {
            ended = Some(thrown);
            true
        })
    });
    if let Some(thrown) = ended {
        return Err(thrown.into());
    }
    let path = |path: Option<&str>| path.map_or_else(|| js.null(), |path| js.string(path));
    let paths = [path(found.tmux)?, path(found.screen)?];
    Ok(js.call("foundMux", literal, this, &paths)?)
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
pub(super) fn choose_mux<'js>(
    env: &'js Env,
    pref: Value<'js>,
    found: Value<'js>,
    literal: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let screen = is_word(js, pref, MuxKind::Screen.as_str())?;
    let preference = if screen {
        MuxPreference::Screen
    } else {
        MuxPreference::Auto
    };
    for kind in preference.order() {
        let key = match kind {
            MuxKind::Tmux => c"tmux",
            MuxKind::Screen => c"screen",
        };
        if js.truthy(js.get(found, key)?)? {
            let mux = [js.string(kind.as_str())?, js.get(found, key)?];
            return Ok(js.call("mux", literal, js.undefined()?, &mux)?);
        }
    }
    Ok(js.null()?)
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
    ts_args_type = "out: string | null | undefined, name: string",
    ts_return_type = "boolean"
)]
pub(super) fn parse_screen_list<'js>(
    env: &'js Env,
    out: Value<'js>,
    name: Value<'js>,
    foreign: Value<'js>,
) -> napi::Result<bool> {
    let js = Js::new(env);
    if !js.is_string(out)? {
        return Ok(false);
    }
    let parsed = js.if_string(name, |name| {
        js.with_utf16(out, |out| launch::parse_screen_list_utf16(out, name))
    })?;
    match parsed {
        Some(parsed) => Ok(parsed?),
        None => Ok(foreign_screen_list(js, out, name, foreign)?),
    }
}

/// A name that is no string has a `replace` of its own or none; what that gives is a pattern, and
/// `foreign` makes it a test of one line.
fn foreign_screen_list<'js>(
    js: Js<'js>,
    out: Value<'js>,
    name: Value<'js>,
    foreign: Value<'js>,
) -> JsResult<bool> {
    let this = js.undefined()?;
    let is_row = js.call("foreign", foreign, this, &[name])?;
    let out = js.with_utf16(out, <[u16]>::to_vec)?;
    for line in launch::lines(&out) {
        let text = js.utf16(line)?;
        let row = js.call("isRow", is_row, this, &[text])?;
        if js.truthy(row)? && !launch::is_dead(line) {
            return Ok(true);
        }
    }
    Ok(false)
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
#[napi(
    catch_unwind,
    ts_args_type = "text: string | null | undefined",
    ts_return_type = "number | null"
)]
pub(super) fn parse_exit_file<'js>(env: &'js Env, text: Value<'js>) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    if let Some(Some(code)) = js.if_string(text, launch::parse_exit_file_utf16)? {
        return Ok(js.uint(code.into())?);
    }
    Ok(js.null()?)
}
