//! The surface of `seatkit/resolve-tmux-session`, but for what runs tmux by itself.

use napi::bindgen_prelude::{Env, FnArgs, Function, Result};

use super::convert::{Arg, Word, exports, plain_error, rows, shapes, wrong_value};
use crate::tmux::{
    self, LookupError, TmuxRun, TmuxSessionLookup, TmuxSessionName, TmuxSessionRejectReason,
};

/// What the published messages begin with.
const WHO: &str = "resolve-tmux-session: ";

shapes! {
    /// What a caller's `run` answered. A missing status is none of tmux's, and no reason to throw.
    (object_to_js = false) TmuxSessionLookupRun {
        status: [Option<Option<f64>>], stdout: [Option<Option<String>>],
        stderr: [Option<Option<String>>],
    }
}

rows! {
    /// The session, or why there is none.
    TmuxSessionLookupResult of found => std::result::Result<tmux::TmuxSessionId, &'static str> {
        ok: [bool] = found.is_ok(), reason: [Option<&'static str>] = found.as_ref().err().copied(),
        session_id: [Option<String>] = found.ok().map(|id| id.to_string()),
    }
}

/// A function of the caller's that runs tmux.
type Run<'env> = Function<'env, FnArgs<(Vec<String>,)>, Arg<TmuxSessionLookupRun>>;

exports! {
    fn classify_tmux_session_name(js, name: Word) -> Option<&'static str> {
        let invalid = tmux::classify_tmux_session_name(name.as_str());
        Ok(invalid.map(|_| TmuxSessionRejectReason::NameInvalid.as_str()))
    }

    fn build_tmux_session_lookup_args(js, name: Word) -> Vec<String> {
        let name = name.as_str();
        let Ok(name) = name.parse::<TmuxSessionName>() else {
            let text = "refusing to build a lookup for an unresolvable session name";
            return Err(plain_error(js, &format!("{WHO}{text}: {name}"))?);
        };
        Ok(tmux::build_tmux_session_lookup_args(&name).into())
    }

    fn resolve_tmux_session_id(js, name: Word, run: Option<Run<'_>>) -> TmuxSessionLookupResult {
        let found = tmux::resolve_tmux_session_id(name.as_str(), |args| {
            let run = run.ok_or_else(|| wrong_value(js, "run is missing"))?;
            // `apply` leaves what the function throws pending, so that the very same value comes out.
            let answer = run.apply((), FnArgs::from((args.to_vec(),)))?;
            given_run(js, answer.named(js, "run()")?)
        });
        match found {
            Ok(TmuxSessionLookup::Found(id)) => Ok(Ok(id).into()),
            Ok(TmuxSessionLookup::Rejected(reason)) => Ok(Err(reason.as_str()).into()),
            Err(LookupError::Run(error)) => Err(error),
            Err(error) => Err(plain_error(js, &format!("{WHO}{error}"))?),
        }
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
    Ok(TmuxRun { status, stdout: stdout.unwrap_or_default(), stderr: stderr.unwrap_or_default() })
}
