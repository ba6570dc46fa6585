//! `buildMuxCommands` of `seatkit/launch-args`.
//!
//! index.js reads the properties, because one read through Node-API costs as much as a whole call;
//! it hands over the values, and functions that write a literal.

use napi::bindgen_prelude::Env;
use napi_derive::napi;

use super::js::{Js, JsResult, Thrown, Value};
use super::launch::{is_word, throw_with_json};
use crate::launch::{self, Arg, Launcher, MuxCommands, MuxKind};

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
#[allow(
    clippy::too_many_arguments,
    reason = "an argument of its own is the cheapest way for a value to cross"
)]
pub(super) fn build_mux_commands<'js>(
    env: &'js Env,
    screen: bool,
    command: Value<'js>,
    session: Value<'js>,
    commands: Value<'js>,
    tail: Value<'js>,
    word_0: Value<'js>,
    word_1: Value<'js>,
    word_2: Value<'js>,
    word_3: Value<'js>,
    word_4: Value<'js>,
    word_5: Value<'js>,
    word_6: Value<'js>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let this = js.undefined()?;
    let words = [word_0, word_1, word_2, word_3, word_4, word_5, word_6].into_iter();
    let mut writer = CommandWriter {
        js,
        this,
        command,
        session,
        tail,
        words,
    };
    let built = if screen {
        launch::screen_commands(&mut writer)?
    } else {
        launch::tmux_commands(&mut writer)?
    };
    let MuxCommands {
        blocking,
        start,
        wait_probe,
        exists,
        wipe,
        stop,
    } = built;
    let null = js.null()?;
    let values = [
        js.boolean(blocking)?,
        start,
        wait_probe.unwrap_or(null),
        exists,
        wipe.unwrap_or(null),
        stop,
    ];
    Ok(js.call("commands", commands, this, &values)?)
}

/// Whether a `mux.kind` is screen's word.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn is_screen<'js>(env: &'js Env, kind: Value<'js>) -> napi::Result<bool> {
    Ok(is_word(Js::new(env), kind, MuxKind::Screen.as_str())?)
}

/// Whether a `mux.kind` is tmux's word.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn is_tmux<'js>(env: &'js Env, kind: Value<'js>) -> napi::Result<bool> {
    Ok(is_word(Js::new(env), kind, MuxKind::Tmux.as_str())?)
}

/// Throws what `buildMuxCommands` has to say of a `mux.kind` that is neither.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn refuse_mux_kind<'js>(env: &'js Env, kind: Value<'js>) -> napi::Result<()> {
    Err(throw_with_json(Js::new(env), "buildMuxCommands: unknown mux kind ", kind).into())
}

/// Writes the commands of `buildMuxCommands`. `words` are the caller's, as index.js has read them:
/// in the order in which the commands ask.
struct CommandWriter<'js> {
    js: Js<'js>,
    this: Value<'js>,
    /// `(file, ...args) => ({ file, args })`
    command: Value<'js>,
    /// `(file, tail, ...args) => ({ file, args: [...args, ...tail] })`
    session: Value<'js>,
    /// `[exitFile, claudeBin, ...claudeArgs]`
    tail: Value<'js>,
    words: std::array::IntoIter<Value<'js>, 7>,
}

impl<'js> CommandWriter<'js> {
    fn next(&mut self) -> JsResult<Value<'js>> {
        self.words.next().map_or_else(|| self.js.undefined(), Ok)
    }

    fn arg(&self, arg: Arg<Value<'js>>) -> JsResult<Value<'js>> {
        match arg {
            Arg::Fixed(word) => self.js.string(word),
            Arg::Given(word) => Ok(word),
            Arg::Exact(name) => self.js.joined("=", name, ""),
        }
    }
}

impl<'js> Launcher for CommandWriter<'js> {
    type Word = Value<'js>;
    type Command = Value<'js>;
    type Error = Thrown;

    fn bin(&mut self) -> JsResult<Value<'js>> {
        self.next()
    }

    fn name(&mut self) -> JsResult<Value<'js>> {
        self.next()
    }

    fn cwd(&mut self) -> JsResult<Value<'js>> {
        self.next()
    }

    fn command<const N: usize>(
        &mut self,
        file: Value<'js>,
        args: [Arg<Value<'js>>; N],
    ) -> JsResult<Value<'js>> {
        let mut values = vec![file];
        for arg in args {
            values.push(self.arg(arg)?);
        }
        self.js.call("command", self.command, self.this, &values)
    }

    fn session<const N: usize>(
        &mut self,
        file: Value<'js>,
        args: [Arg<Value<'js>>; N],
    ) -> JsResult<Value<'js>> {
        let mut values = vec![file, self.tail];
        for arg in args {
            values.push(self.arg(arg)?);
        }
        self.js.call("session", self.session, self.this, &values)
    }
}
