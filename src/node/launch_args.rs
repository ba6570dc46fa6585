//! The surface of `seatkit/launch-args`.

use std::collections::HashMap;

use napi::bindgen_prelude::{Either, FnArgs, Function, ToNapiValue, Unknown};
use napi_derive::napi;

use super::convert::{Word, either_a, exports, plain_error, shapes, wrong_value};
use crate::launch::{self, MUX_CANDIDATES, MuxKind, SessionId, SessionMode};

#[napi]
pub const BOOTSTRAP_PROMPT: &str = launch::BOOTSTRAP_PROMPT;

#[napi]
pub const SESSION_EXIT_SCRIPT: &str = launch::SESSION_EXIT_SCRIPT;

shapes! {
    /// Where tmux and screen may be, each in order.
    (object_from_js = false) MuxCandidates { tmux: [Vec<String>], screen: [Vec<String>], }

    /// What `buildClaudeArgs` is told.
    (object_to_js = false) ClaudeSession {
        first: [Option<Word>], session_id: [Option<Word>], mode: [Option<Word>],
        permission_args: [Option<Option<Vec<String>>>], extra_args: [Option<Option<Vec<String>>>],
        prompt: [Option<Option<String>>],
    }

    /// Which multiplexers were found.
    (object_from_js = false, use_nullable = true) FoundMux {
        tmux: [Option<&'static str>], screen: [Option<&'static str>],
    }

    /// Which multiplexers a caller found.
    (object_to_js = false) GivenFoundMux {
        tmux: [Option<Option<String>>], screen: [Option<Option<String>>],
    }

    /// A multiplexer and its binary.
    (object_from_js = false) Mux { kind: [&'static str], bin: [String], }

    /// A multiplexer as a caller names it.
    (object_to_js = false) GivenMux { kind: [Option<Word>], bin: [String], }

    /// What `buildMuxCommands` is told.
    (object_to_js = false) MuxLaunch {
        mux: [GivenMux], mux_name: [String], cwd: [Option<Option<String>>], claude_bin: [String],
        claude_args: [Vec<String>], exit_file: [String],
    }

    /// A program, its arguments, and what its process has to be given.
    (object_from_js = false) Command<'env> {
        file: [Unknown<'env>], args: [Vec<String>], cwd: [Option<String>],
        env: [Option<HashMap<String, String>>],
    }

    /// The commands of one session's life; what does not apply is `null`. They are handles, so that one
    /// command can stand in two places.
    (object_from_js = false, use_nullable = true) MuxCommands<'env> {
        blocking: [bool], start: [Unknown<'env>], wait_probe: [Option<Unknown<'env>>],
        exists: [Unknown<'env>], wipe: [Option<Unknown<'env>>], stop: [Option<Unknown<'env>>],
    }
}

/// What says whether there is a file.
type Exists<'env> = Function<'env, FnArgs<(String,)>, bool>;

exports! {
    fn fixed_mux_candidates(_js) -> MuxCandidates {
        Ok(MuxCandidates {
            tmux: MUX_CANDIDATES.tmux.map(String::from).into(),
            screen: MUX_CANDIDATES.screen.map(String::from).into(),
        })
    }

    fn main_session_name(js, first: Word) -> String { Ok(launch::main_session_name(first.as_str())) }

    fn build_claude_args(js, a: ClaudeSession) -> Vec<String> {
        let refuse = |text: String| plain_error(js, &format!("buildClaudeArgs: {text}"));
        let id = a.session_id.unwrap_or_default();
        let Ok(session_id) = id.as_str().parse::<SessionId>() else {
            return Err(refuse(format!("session id must be a uuid, got {id}"))?);
        };
        let mode = a.mode.unwrap_or_default();
        let Ok(session_mode) = mode.as_str().parse::<SessionMode>() else {
            return Err(refuse(format!("unknown mode {mode}"))?);
        };
        Ok(launch::build_claude_args(&launch::ClaudeSession {
            first: a.first.unwrap_or_default().as_str(),
            session_id: &session_id,
            mode: session_mode,
            permission_args: &borrowed(&a.permission_args.flatten().unwrap_or_default()),
            extra_args: &borrowed(&a.extra_args.flatten().unwrap_or_default()),
            prompt: a.prompt.flatten().as_deref(),
        }))
    }

    fn detect_mux(js, exists_sync: Exists<'_>) -> FoundMux {
        let mut ended = None;
        let found = launch::detect_mux(|path| {
            // What a probe throws is caught in JavaScript; what comes here all the same ends it.
            let answer = match ended {
                Some(_) => Ok(true),
                None => exists_sync.apply((), FnArgs::from((path.to_owned(),))),
            };
            answer.unwrap_or_else(|error| {
                ended = Some(error);
                true
            })
        });
        ended.map_or(Ok(FoundMux { tmux: found.tmux, screen: found.screen }), Err)
    }

    fn choose_mux(js, pref: Word, found: GivenFoundMux) -> Option<Mux> {
        let (tmux, screen) = (found.tmux.flatten(), found.screen.flatten());
        let found = launch::FoundMux { tmux: tmux.as_deref(), screen: screen.as_deref() };
        let chosen = launch::choose_mux(pref.as_str().parse().unwrap_or_default(), found);
        Ok(chosen.map(|mux| Mux { kind: mux.kind.as_str(), bin: mux.bin.to_owned() }))
    }

    fn build_mux_commands(js, a: MuxLaunch) -> MuxCommands<'_> {
        let kind = a.mux.kind.unwrap_or_default();
        let Ok(kind) = kind.as_str().parse::<MuxKind>() else {
            return Err(plain_error(js, &format!("buildMuxCommands: unknown mux kind {kind}"))?);
        };
        let cwd = a.cwd.flatten();
        if kind == MuxKind::Tmux && cwd.is_none() {
            return Err(wrong_value(js, "a.cwd is missing"));
        }
        let built = launch::build_mux_commands(&launch::Launch {
            mux: launch::Mux { kind, bin: &a.mux.bin },
            mux_name: &a.mux_name,
            cwd: cwd.as_deref().unwrap_or_default(),
            claude_bin: &a.claude_bin,
            claude_args: &borrowed(&a.claude_args),
            exit_file: &a.exit_file,
        });
        let file = a.mux.bin.into_unknown(js)?;
        let command = |command: launch::Command| {
            Command { file, args: command.args, cwd: None, env: None }.into_unknown(js)
        };
        let exists = command(built.exists)?;
        Ok(MuxCommands {
            blocking: built.blocking,
            start: command(built.start)?,
            wait_probe: built.wait_probe.map(|_| exists),
            exists,
            wipe: built.wipe.map(command).transpose()?,
            stop: Some(command(built.stop)?),
        })
    }

    fn parse_screen_list(js, out: Either<String, Unknown<'_>>, name: Either<String, Unknown<'_>>) -> bool {
        match (out, name) {
            (Either::B(_), _) => Ok(false),
            (Either::A(out), Either::A(name)) => Ok(launch::parse_screen_list(&out, &name)),
            (Either::A(_), Either::B(_)) => Err(wrong_value(js, "name must be a string")),
        }
    }

    fn parse_exit_file(js, text: Either<String, Unknown<'_>>) -> Option<u16> {
        Ok(either_a(text).and_then(|text| launch::parse_exit_file(&text)))
    }
}

/// What the core borrows of a list that JavaScript owned.
pub(super) fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
