//! Which native id a session name means, where `=NAME` is not exact enough.

use super::{MuxAnswer, classify_tmux_run};
use crate::tmux::{
    RunTmuxError, TmuxOptions, TmuxRun, TmuxSessionId, classify_tmux_session_name, run_tmux,
};

/// The arguments that list every session with its id. A name may hold a `|`; an id never does, so
/// the first one parts them.
const LIST: [&str; 3] = ["list-sessions", "-F", "#{session_id}|#{session_name}"];

/// Why an exact lookup gave no id.
#[derive(Debug, thiserror::Error)]
pub enum TmuxSessionExactError {
    /// The name is outside the grammar of [`TmuxSessionName`](crate::tmux::TmuxSessionName); tmux was
    /// not asked.
    #[error("tmux-session-name-invalid")]
    NameInvalid,
    /// The server has no session of this name, or there is no server.
    #[error("tmux-session-missing")]
    SessionMissing,
    /// The server could not be asked, so nothing is known of the session.
    #[error("tmux-unavailable")]
    Unavailable(TmuxUnavailable),
}

/// What came instead of an answer.
#[derive(Debug)]
pub enum TmuxUnavailable {
    /// tmux could not be run.
    NotRun(RunTmuxError),
    /// tmux was killed, or could not reach or understand the server.
    NoAnswer(TmuxRun),
}

impl TmuxSessionExactError {
    /// The word for it, which is part of the contract.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::NameInvalid => "tmux-session-name-invalid",
            Self::SessionMissing => "tmux-session-missing",
            Self::Unavailable(_) => "tmux-unavailable",
        }
    }
}

/// Resolves a session name to its native id by comparing text.
///
/// [`resolve_tmux_session_id`](crate::tmux::resolve_tmux_session_id) asks for `=NAME`, which also matches
/// an attached *client* of that name (`client-497`, `ttys001`) and gives the id of the session that
/// client looks at; and it takes a server that could not answer for a missing session. This lists
/// the sessions and compares.
///
/// # Errors
///
/// [`TmuxSessionExactError`].
///
/// ```no_run
/// use seatkit::mux::{TmuxSessionExactError, resolve_tmux_session_exact};
/// use seatkit::tmux::TmuxOptions;
///
/// match resolve_tmux_session_exact("work", &TmuxOptions::default()) {
///     Ok(id) => println!("{id}"),
///     Err(TmuxSessionExactError::SessionMissing) => println!("start it"),
///     Err(reason) => println!("do nothing: {reason}"),
/// }
/// ```
pub fn resolve_tmux_session_exact(
    name: &str,
    options: &TmuxOptions,
) -> Result<TmuxSessionId, TmuxSessionExactError> {
    if classify_tmux_session_name(name).is_some() {
        return Err(TmuxSessionExactError::NameInvalid);
    }
    let mut options = options.clone();
    // In another locale tmux would print `_` for what it cannot, and two names could look alike.
    options.server.utf8 = true;
    let run = run_tmux(&LIST, &options)
        .map_err(|error| TmuxSessionExactError::Unavailable(TmuxUnavailable::NotRun(error)))?;
    read_list(name, run)
}

fn read_list(name: &str, run: TmuxRun) -> Result<TmuxSessionId, TmuxSessionExactError> {
    match classify_tmux_run(&run) {
        MuxAnswer::Present => {}
        MuxAnswer::Absent => return Err(TmuxSessionExactError::SessionMissing),
        MuxAnswer::Unknown => return Err(unavailable(run)),
    }
    let mut found = run
        .stdout
        .split('\n')
        .filter_map(|line| line.split_once('|'))
        .filter(|(_, listed)| *listed == name)
        .map(|(id, _)| id.parse::<TmuxSessionId>());
    match (found.next(), found.next()) {
        (None, _) => Err(TmuxSessionExactError::SessionMissing),
        (Some(Ok(id)), None) => Ok(id),
        // No server has two sessions of one name, nor one without an id: this is no list of tmux's.
        _ => Err(unavailable(run)),
    }
}

fn unavailable(run: TmuxRun) -> TmuxSessionExactError {
    TmuxSessionExactError::Unavailable(TmuxUnavailable::NoAnswer(run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn read(status: Option<i32>, stdout: &str, stderr: &str) -> Result<String, &'static str> {
        let run = TmuxRun { status, stdout: stdout.to_owned(), stderr: stderr.to_owned() };
        match read_list("work", run) {
            Ok(id) => Ok(id.to_string()),
            Err(error) => Err(error.as_str()),
        }
    }

    #[test]
    fn a_name_is_compared_as_text() {
        let list = "$0|work-old\n$1|Work\n$12|work\n$3|a|work\n$4|$12|work\n";
        assert_eq!(read(Some(0), list, ""), Ok("$12".to_owned()));
        for list in ["", "$0|work-old\n", "$0|a|work\n", "$0|work \n", "$0|work\r\n", "work\n"] {
            assert_eq!(read(Some(0), list, ""), Err("tmux-session-missing"), "{list:?}");
        }
    }

    #[test]
    fn no_server_is_a_missing_session_and_no_answer_is_not() {
        for stderr in [
            "no server running on /tmp/s\n",
            "error connecting to /tmp/s (No such file or directory)\n",
        ] {
            assert_eq!(read(Some(1), "", stderr), Err("tmux-session-missing"));
        }
        for (status, stderr) in [
            (None, ""),
            (Some(1), "server exited unexpectedly\n"),
            (Some(1), "protocol version mismatch (client 8, server 7)\n"),
            (Some(1), "error connecting to /tmp/s (Permission denied)\n"),
        ] {
            assert_eq!(read(status, "$1|work\n", stderr), Err("tmux-unavailable"));
        }
        for list in ["0|work\n", "$1|work\n$2|work\n"] {
            assert_eq!(read(Some(0), list, ""), Err("tmux-unavailable"), "{list:?}");
        }
    }

    #[test]
    fn tmux_is_asked_for_its_list_under_utf8_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("tmux");
        let options = TmuxOptions { bin: Some(bin.clone().into()), ..TmuxOptions::default() };
        let reason = |name| resolve_tmux_session_exact(name, &options).unwrap_err().as_str();
        assert_eq!(reason("a.b"), "tmux-session-name-invalid");
        assert_eq!(reason("work"), "tmux-unavailable", "the program is missing");
        let script = "#!/bin/sh\n[ \"$*\" = '-u list-sessions -F #{session_id}|#{session_name}' ] && echo '$7|work'\n";
        std::fs::write(&bin, script).unwrap();
        std::fs::set_permissions(&bin, std::fs::Permissions::from_mode(0o755)).unwrap();
        let found = resolve_tmux_session_exact("work", &options).unwrap();
        assert_eq!(found.as_str(), "$7");
    }
}
