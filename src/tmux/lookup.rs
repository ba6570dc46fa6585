//! Which native id a session name means.

use super::{IdKind, TmuxRun, TmuxSessionName};
use crate::text::trim;

/// What a lookup found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TmuxSessionLookup {
    /// The session's native id, `$0` and the like.
    Found(String),
    /// There is nothing to target.
    Rejected(TmuxSessionRejectReason),
}

/// Why a session name did not become a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TmuxSessionRejectReason {
    /// The name is outside the grammar of [`TmuxSessionName`].
    NameInvalid,
    /// tmux exited with a status other than 0: no such session, or no server.
    SessionMissing,
}

impl TmuxSessionRejectReason {
    /// The word for it, which is part of the contract.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NameInvalid => "tmux-session-name-invalid",
            Self::SessionMissing => "tmux-session-missing",
        }
    }
}

/// tmux's answer says nothing about the session, so it must not be read as its absence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupAnomaly {
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
         id: {stdout:?}"
    )]
    NotOneId {
        /// The name that was looked up.
        name: TmuxSessionName,
        /// The whole output.
        stdout: String,
    },
}

/// What comes before the target. `list-windows` is the engine because absence is its exit code,
/// where `display-message` exits 0 for a session that does not exist.
pub(crate) const LOOKUP_HEAD: [&str; 2] = ["list-windows", "-t"];
/// What comes after the target: one line a window, all with the session's id.
pub(crate) const LOOKUP_FORMAT: [&str; 2] = ["-F", "#{session_id}"];

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
    let [command, target] = LOOKUP_HEAD;
    let [format, id] = LOOKUP_FORMAT;
    [
        command.into(),
        target.into(),
        format!("={name}"),
        format.into(),
        id.into(),
    ]
}

/// Resolves a session name to the native id that everything after it should target, on whatever
/// server `run` asks. A name outside the grammar is refused without a run.
///
/// # Errors
///
/// [`LookupAnomaly`] when the run was killed, or succeeded and did not print one id.
///
/// ```
/// use seatkit::tmux::{TmuxRun, TmuxSessionLookup, resolve_tmux_session_id};
///
/// let run = |_: &[String]| TmuxRun {
///     status: Some(0),
///     stdout: "$3\n$3\n".into(),
///     stderr: String::new(),
/// };
/// assert_eq!(resolve_tmux_session_id("work", run)?, TmuxSessionLookup::Found("$3".into()));
/// # Ok::<(), seatkit::tmux::LookupAnomaly>(())
/// ```
pub fn resolve_tmux_session_id(
    name: &str,
    run: impl FnOnce(&[String]) -> TmuxRun,
) -> Result<TmuxSessionLookup, LookupAnomaly> {
    let Ok(name) = name.parse::<TmuxSessionName>() else {
        return Ok(TmuxSessionLookup::Rejected(
            TmuxSessionRejectReason::NameInvalid,
        ));
    };
    let TmuxRun {
        status,
        stdout,
        stderr,
    } = run(&build_tmux_session_lookup_args(&name));
    match status {
        None => Err(LookupAnomaly::Killed {
            name,
            stderr: stderr.trim().to_owned(),
        }),
        Some(0) => {
            let units: Vec<u16> = stdout.encode_utf16().collect();
            match sole_session_id(&units) {
                Some(id) => Ok(TmuxSessionLookup::Found(String::from_utf16_lossy(id))),
                None => Err(LookupAnomaly::NotOneId { name, stdout }),
            }
        }
        Some(_) => Ok(TmuxSessionLookup::Rejected(
            TmuxSessionRejectReason::SessionMissing,
        )),
    }
}

/// The one id that every line of the output holds; blank lines do not count.
pub(crate) fn sole_session_id(stdout: &[u16]) -> Option<&[u16]> {
    let mut lines = stdout
        .split(|&unit| unit == u16::from(b'\n'))
        .map(trim)
        .filter(|line| !line.is_empty());
    let first = lines
        .next()
        .filter(|id| IdKind::Session.matches_utf16(id))?;
    lines.all(|line| line == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(status: Option<i32>, stdout: &str) -> Result<TmuxSessionLookup, LookupAnomaly> {
        let (stdout, stderr) = (stdout.to_owned(), " lost server \n".to_owned());
        resolve_tmux_session_id("work", |_| TmuxRun {
            status,
            stdout,
            stderr,
        })
    }

    #[test]
    fn a_name_outside_the_grammar_is_refused_without_a_run() {
        let answer = resolve_tmux_session_id("a.b", |_| panic!("tmux was run"));
        let reason = TmuxSessionRejectReason::NameInvalid;
        assert_eq!(answer, Ok(TmuxSessionLookup::Rejected(reason)));
        assert_eq!(
            reason.as_str(),
            crate::tmux::TmuxSessionNameInvalid.to_string()
        );
    }

    #[test]
    fn the_exact_name_is_asked_for() {
        let mut asked = Vec::new();
        let _ = resolve_tmux_session_id("work", |args| {
            asked = args.to_vec();
            TmuxRun {
                status: Some(1),
                stdout: String::new(),
                stderr: String::new(),
            }
        });
        assert_eq!(
            asked,
            ["list-windows", "-t", "=work", "-F", "#{session_id}"]
        );
    }

    #[test]
    fn one_id_on_every_line_is_the_answer() {
        for stdout in ["$0\n", "$12\n$12\n", " $12 \r\n\n$12", "\u{FEFF}$7"] {
            let id = stdout.replace('\u{FEFF}', "");
            let id = id.split_whitespace().next().unwrap();
            assert_eq!(
                resolve(Some(0), stdout),
                Ok(TmuxSessionLookup::Found(id.into()))
            );
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
        for stdout in [
            "", "\n \n", "0\n", "$\n", "$1x\n", "$1\n$2\n", "$1 $1\n", "$１\n", "\u{85}$1",
        ] {
            let error = resolve(Some(0), stdout).unwrap_err();
            assert_eq!(
                error,
                LookupAnomaly::NotOneId {
                    name: "work".parse().unwrap(),
                    stdout: stdout.into()
                }
            );
        }
    }
}
