//! What an answer of a multiplexer says about the session it was asked for.

use crate::tmux::TmuxRun;
use crate::words::words;

words! {
    /// What one run of a multiplexer proves about its target.
    pub enum MuxAnswer {
        /// It did what it was asked: the target is there.
        Present = "present",
        /// It looked and there is no such session, or no server that could hold one.
        Absent = "absent",
        /// It could not say: it was killed, the server is busy, speaks another protocol or may not
        /// be reached. A session taken for gone on such an answer is started twice.
        Unknown = "unknown",
    }
}

/// Reads a run of tmux (`has-session`, `list-windows`, ... with a session as its target).
///
/// The status alone cannot tell: a missing session, a busy server and a mismatched protocol all
/// give 1. What tmux wrote last on stderr decides, by how it *begins*, because the rest holds names
/// and paths of others. tmux's messages are English in every locale. A 0 with `error creating`
/// (tmux 3.3a to 3.7b, where the socket's folder is missing) is no proof of anything.
///
/// ```
/// use seatkit::mux::{MuxAnswer, classify_tmux_run};
/// use seatkit::tmux::TmuxRun;
///
/// let run = |stderr: &str| TmuxRun { status: Some(1), stdout: String::new(), stderr: stderr.into() };
/// assert_eq!(classify_tmux_run(&run("can't find session: a\n")), MuxAnswer::Absent);
/// assert_eq!(classify_tmux_run(&run("server exited unexpectedly\n")), MuxAnswer::Unknown);
/// ```
#[must_use]
pub fn classify_tmux_run(run: &TmuxRun) -> MuxAnswer {
    let last = run
        .stderr
        .lines()
        .map(str::trim_end)
        .rfind(|line| !line.is_empty());
    match (run.status, last) {
        (Some(0), Some(line)) if line.starts_with("error creating ") => MuxAnswer::Unknown,
        (Some(0), _) => MuxAnswer::Present,
        (Some(_), Some(line)) if says_absent(line) => MuxAnswer::Absent,
        _ => MuxAnswer::Unknown,
    }
}

fn says_absent(line: &str) -> bool {
    // tmux 2.6 writes no colon after `session`.
    const SAYINGS: [&str; 5] = [
        "can't find session",
        "no server running on ",
        "no current target",
        "no current session",
        "no sessions",
    ];
    const NO_SERVER: [&str; 2] = ["(No such file or directory)", "(Connection refused)"];
    SAYINGS.iter().any(|saying| line.starts_with(saying))
        || (line.starts_with("error connecting to ")
            && NO_SERVER.iter().any(|why| line.ends_with(why)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: Option<i32>, stderr: &str) -> MuxAnswer {
        classify_tmux_run(&TmuxRun {
            status,
            stdout: String::new(),
            stderr: stderr.to_owned(),
        })
    }

    #[test]
    fn a_zero_is_present_unless_the_socket_could_not_be_made() {
        assert_eq!(answer(Some(0), ""), MuxAnswer::Present);
        assert_eq!(answer(Some(0), "a warning\n"), MuxAnswer::Present);
        assert_eq!(
            answer(Some(0), "error creating /x/s (No such file or directory)\n"),
            MuxAnswer::Unknown,
        );
    }

    #[test]
    fn absence_is_what_tmux_says_it_is() {
        for stderr in [
            "can't find session: keep\n",
            "can't find session keep\n",
            "can't find session: protocol version mismatch\n",
            "no server running on /tmp/s\n",
            "error connecting to /tmp/s (No such file or directory)\n",
            "error connecting to /tmp/s (Connection refused)\n",
            "no current target\n",
            "no current session\n",
            "no sessions\r\n",
            "ERROR: ld.so: object 'x' cannot be preloaded: ignored.\ncan't find session: keep\n",
        ] {
            assert_eq!(answer(Some(1), stderr), MuxAnswer::Absent, "{stderr:?}");
        }
    }

    #[test]
    fn everything_else_is_unknown() {
        for (status, stderr) in [
            (None, ""),
            (None, "can't find session: keep\n"),
            (Some(1), ""),
            (Some(1), "server exited unexpectedly\n"),
            (Some(1), "lost server\n"),
            (Some(1), "protocol version mismatch (client 8, server 7)\n"),
            (Some(1), "error connecting to /tmp/s (Permission denied)\n"),
            (
                Some(1),
                "error connecting to /tmp/s (Resource temporarily unavailable)\n",
            ),
            (
                Some(1),
                "error connecting to /x (No such file or directory) (File name too long)\n",
            ),
            (Some(1), "command too long\n"),
            (Some(1), "can't find pane: x\n"),
            (Some(1), "my can't find session: x\n"),
            (Some(127), "sh: tmux: not found\n"),
        ] {
            assert_eq!(answer(status, stderr), MuxAnswer::Unknown, "{stderr:?}");
        }
    }
}
