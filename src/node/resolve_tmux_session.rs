//! The surface of `seatkit/resolve-tmux-session`, but for what runs tmux by itself.

use napi::bindgen_prelude::{Env, FnArgs, Function, Result};
use napi_derive::napi;

use super::convert::{Arg, Word, plain_error, wrong_value};
use crate::tmux::{
    self, LookupError, TmuxRun, TmuxSessionLookup, TmuxSessionName, TmuxSessionRejectReason,
};

/// What the published messages begin with.
const WHO: &str = "resolve-tmux-session: ";

/// What is wrong with a tmux session name, or `null`: it has to be an ASCII letter or digit, then
/// letters, digits, `_` and `-`. tmux cannot address names with `.`, `:` or `#`; the rest is
/// refused so that one grammar holds for creating a session and for finding it.
///
/// ```js
/// classifyTmuxSessionName("work"); // null
/// classifyTmuxSessionName("my.project"); // "tmux-session-name-invalid"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "name: string",
    ts_return_type = "\"tmux-session-name-invalid\" | null"
)]
pub(super) fn classify_tmux_session_name(
    env: &Env,
    name: Arg<Word>,
) -> Result<Option<&'static str>> {
    let invalid = tmux::classify_tmux_session_name(name.named(env, "name")?.as_str());
    Ok(invalid.map(|_| TmuxSessionRejectReason::NameInvalid.as_str()))
}

/// The arguments of tmux that look a session up: `=NAME` is the target that matches exactly. Throws
/// an `Error` for a name that cannot be looked up.
///
/// ```js
/// buildTmuxSessionLookupArgs("work"); // ["list-windows", "-t", "=work", "-F", "#{session_id}"]
/// ```
#[napi(catch_unwind, ts_args_type = "name: string")]
pub(super) fn build_tmux_session_lookup_args(env: &Env, name: Arg<Word>) -> Result<Vec<String>> {
    let name = name.named(env, "name")?;
    let Ok(name) = name.as_str().parse::<TmuxSessionName>() else {
        let name = name.as_str();
        let text = "refusing to build a lookup for an unresolvable session name";
        return Err(plain_error(env, &format!("{WHO}{text}: {name}"))?);
    };
    Ok(tmux::build_tmux_session_lookup_args(&name).into())
}

/// What a caller's `run` answered. A missing status is none of tmux's, and no reason to throw.
#[napi(object, object_to_js = false)]
pub struct TmuxSessionLookupRun {
    pub status: Option<Option<f64>>,
    pub stdout: Option<Option<String>>,
    pub stderr: Option<Option<String>>,
}

/// The session, or why there is none.
#[napi(object, object_from_js = false)]
pub struct TmuxSessionLookupResult {
    pub ok: bool,
    pub session_id: Option<String>,
    pub reason: Option<&'static str>,
}

impl TmuxSessionLookupResult {
    pub(super) fn found(id: &tmux::TmuxSessionId) -> Self {
        Self {
            ok: true,
            session_id: Some(id.to_string()),
            reason: None,
        }
    }

    pub(super) fn rejected(reason: &'static str) -> Self {
        Self {
            ok: false,
            session_id: None,
            reason: Some(reason),
        }
    }
}

/// A function of the caller's that runs tmux.
type Run<'env> = Function<'env, FnArgs<(Vec<String>,)>, Arg<TmuxSessionLookupRun>>;

/// Resolves a tmux session name to its native id (`$0` and the like), the only thing that later
/// commands should target. `run` runs tmux with the given arguments.
///
/// Gives `{ ok: true, sessionId }`, or `{ ok: false, reason }`: `tmux-session-name-invalid` without
/// a run, `tmux-session-missing` for any exit status but 0. What `run` throws comes out as it is.
/// Throws an `Error` when the run was killed (`status: null`) or printed anything but one id.
///
/// ```js
/// resolveTmuxSessionId("work", (args) => spawnSync("tmux", args, { encoding: "utf8" }));
/// // { ok: true, sessionId: "$3" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "name: string, run: (args: string[]) => TmuxSessionLookupRun",
    ts_return_type = "TmuxSessionLookupResult"
)]
pub(super) fn resolve_tmux_session_id(
    env: &Env,
    name: Arg<Word>,
    run: Arg<Run<'_>>,
) -> Result<TmuxSessionLookupResult> {
    let name = name.named(env, "name")?;
    let found = tmux::resolve_tmux_session_id(name.as_str(), |args| {
        let run = run.named(env, "run")?;
        // `apply` leaves what the function throws pending, so that the very same value comes out.
        let answer = run.apply((), FnArgs::from((args.to_vec(),)))?;
        given_run(env, answer.named(env, "run()")?)
    });
    match found {
        Ok(TmuxSessionLookup::Found(id)) => Ok(TmuxSessionLookupResult::found(&id)),
        Ok(TmuxSessionLookup::Rejected(reason)) => {
            Ok(TmuxSessionLookupResult::rejected(reason.as_str()))
        }
        Err(LookupError::Run(error)) => Err(error),
        Err(error) => Err(plain_error(env, &format!("{WHO}{error}"))?),
    }
}

/// A run as the core takes it, where only what its status makes relevant has to be there.
fn given_run(env: &Env, run: TmuxSessionLookupRun) -> Result<TmuxRun> {
    let (stdout, stderr) = (run.stdout.flatten(), run.stderr.flatten());
    let missing = |what| wrong_value(env, &format!("run().{what} is missing"));
    let status = match run.status {
        Some(None) if stderr.is_none() => return Err(missing("stderr")),
        Some(Some(0.0)) if stdout.is_none() => return Err(missing("stdout")),
        Some(None) => None,
        Some(Some(0.0)) => Some(0),
        // Which status it was does not matter: it is not 0.
        Some(Some(_)) | None => Some(-1),
    };
    Ok(TmuxRun {
        status,
        stdout: stdout.unwrap_or_default(),
        stderr: stderr.unwrap_or_default(),
    })
}
