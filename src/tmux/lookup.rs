//! Which native id a session name means.

use super::{TmuxRun, TmuxSessionId, TmuxSessionName};
use crate::text::{Quoted, trim};
use crate::words::words;

/// What a lookup found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TmuxSessionLookup {
    /// The session's native id, `$0` and the like.
    Found(TmuxSessionId),
    /// There is nothing to target.
    Rejected(TmuxSessionRejectReason),
}

words! {
    /// Why a session name did not become a target.
    pub enum TmuxSessionRejectReason {
        /// The name is outside the grammar of [`TmuxSessionName`].
        NameInvalid = "tmux-session-name-invalid",
        /// tmux exited with a status other than 0: no such session, or no server.
        SessionMissing = "tmux-session-missing",
    }
}

/// Nothing is known of the session: this must not be read as its absence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError<E> {
    /// tmux was not run.
    #[error("{0}")]
    Run(E),
    /// A signal ended the run.
    #[error("the lookup for session \"{name}\" was killed by a signal: {stderr}")]
    Killed {
        /// The name that was looked up.
        name: TmuxSessionName,
        /// What tmux wrote to standard error, trimmed.
        stderr: String,
    },
    /// The status is 0 and the output is not one id.
    #[error(
        "tmux answered rc=0 for session \"{name}\" with something that is not one native session \
         id: {}",
        Quoted(stdout)
    )]
    NotOneId {
        /// The name that was looked up.
        name: TmuxSessionName,
        /// The whole output.
        stdout: String,
    },
}

/// The arguments of tmux that look a session up. `=NAME` is the target that matches exactly.
///
/// ```
/// use seatkit::tmux::build_tmux_session_lookup_args;
///
/// let args = build_tmux_session_lookup_args(&"work".parse()?);
/// assert_eq!(args, ["list-windows", "-t", "=work", "-F", "#{session_id}"]);
/// # Ok::<(), seatkit::tmux::TmuxSessionNameInvalid>(())
/// ```
#[must_use]
pub fn build_tmux_session_lookup_args(name: &TmuxSessionName) -> [String; 5] {
    // The engine, because absence is its exit code: `display-message` exits with 0 for a session
    // that does not exist.
    ["list-windows", "-t", &format!("={name}"), "-F", "#{session_id}"].map(String::from)
}

/// Resolves a session name to the native id that everything after it should target, on whatever
/// server `run` asks. A name outside the grammar is refused without a run.
///
/// # Errors
///
/// [`LookupError`]: what `run` failed with, or a run that was killed, or one that succeeded and did
/// not print one id.
///
/// ```no_run
/// use seatkit::tmux::{TmuxOptions, TmuxSessionLookup, resolve_tmux_session_id, run_tmux};
///
/// let options = TmuxOptions::default();
/// match resolve_tmux_session_id("work", |args| run_tmux(args, &options))? {
///     TmuxSessionLookup::Found(id) => println!("{id}"),
///     TmuxSessionLookup::Rejected(reason) => println!("{reason}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn resolve_tmux_session_id<E>(
    name: &str,
    run: impl FnOnce(&[String]) -> Result<TmuxRun, E>,
) -> Result<TmuxSessionLookup, LookupError<E>> {
    let Ok(name) = name.parse::<TmuxSessionName>() else {
        return Ok(TmuxSessionLookup::Rejected(TmuxSessionRejectReason::NameInvalid));
    };
    let TmuxRun { status, stdout, stderr } =
        run(&build_tmux_session_lookup_args(&name)).map_err(LookupError::Run)?;
    match status {
        None => Err(LookupError::Killed { name, stderr: trim(&stderr).to_owned() }),
        Some(0) => match sole_session_id(&stdout) {
            Some(id) => Ok(TmuxSessionLookup::Found(id)),
            None => Err(LookupError::NotOneId { name, stdout }),
        },
        Some(_) => Ok(TmuxSessionLookup::Rejected(TmuxSessionRejectReason::SessionMissing)),
    }
}

/// The one id that every line of the output holds; blank lines do not count.
fn sole_session_id(stdout: &str) -> Option<TmuxSessionId> {
    let mut lines = stdout.split('\n').map(trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let id = first.parse().ok()?;
    lines.all(|line| line == first).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Answer = Result<TmuxSessionLookup, LookupError<&'static str>>;

    fn resolve(status: Option<i32>, stdout: &str) -> Answer {
        let (stdout, stderr) = (stdout.to_owned(), " lost server \n".to_owned());
        resolve_tmux_session_id("work", |_| Ok(TmuxRun { status, stdout, stderr }))
    }

    #[test]
    fn a_name_outside_the_grammar_is_refused_without_a_run() {
        let answer: Answer = resolve_tmux_session_id("a.b", |_| panic!("tmux was run"));
        let reason = TmuxSessionRejectReason::NameInvalid;
        assert_eq!(answer, Ok(TmuxSessionLookup::Rejected(reason)));
        assert_eq!(reason.as_str(), crate::tmux::TmuxSessionNameInvalid.to_string());
    }

    #[test]
    fn the_exact_name_is_asked_for_and_what_the_run_fails_with_comes_back() {
        let mut asked = Vec::new();
        let answer: Answer = resolve_tmux_session_id("work", |args| {
            asked = args.to_vec();
            Err("no tmux")
        });
        assert_eq!(asked, ["list-windows", "-t", "=work", "-F", "#{session_id}"]);
        assert_eq!(answer, Err(LookupError::Run("no tmux")));
    }

    #[test]
    fn one_id_on_every_line_is_the_answer() {
        for stdout in ["$0\n", "$12\n$12\n", " $12 \r\n\n$12", "\u{FEFF}$7"] {
            let id = stdout.replace('\u{FEFF}', "");
            let id = id.split_whitespace().next().unwrap();
            assert_eq!(resolve(Some(0), stdout), Ok(TmuxSessionLookup::Found(id.parse().unwrap())));
        }
    }

    #[test]
    fn a_failed_run_means_a_missing_session() {
        let missing = TmuxSessionLookup::Rejected(TmuxSessionRejectReason::SessionMissing);
        for status in [1, -1, 127] {
            assert_eq!(resolve(Some(status), "$1\n"), Ok(missing.clone()));
        }
    }

    #[test]
    fn a_killed_run_is_no_answer() {
        let error = resolve(None, "$1\n").unwrap_err();
        let text = "the lookup for session \"work\" was killed by a signal: lost server";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn anything_but_one_id_is_an_anomaly() {
        for stdout in
            ["", "\n \n", "0\n", "$\n", "$1x\n", "$1\n$2\n", "$1 $1\n", "$１\n", "\u{85}$1"]
        {
            let error = resolve(Some(0), stdout).unwrap_err();
            assert_eq!(
                error,
                LookupError::NotOneId { name: "work".parse().unwrap(), stdout: stdout.into() }
            );
        }
    }
}
