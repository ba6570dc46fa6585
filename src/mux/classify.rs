//! What an answer of a multiplexer says about the session it was asked for.

use super::parse_screen_sessions;
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
/// (tmux 3.3a to 3.7b, where the socket's folder is missing) is no proof of anything. Nor is a
/// socket that is not there while a server still listens on it, which somebody unlinked: that is
/// looked for where the system tells of it (Linux), and `SIGUSR1` makes the server bring the socket
/// back.
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
    let last = run.stderr.lines().map(str::trim_end).rfind(|line| !line.is_empty());
    match (run.status, last) {
        (Some(0), Some(line)) if line.starts_with("error creating ") => MuxAnswer::Unknown,
        (Some(0), _) => MuxAnswer::Present,
        (Some(_), Some(line)) if says_absent(line) => MuxAnswer::Absent,
        (Some(_), Some(line)) => match unreached_socket(line) {
            Some(socket) if !has_listener(socket) => MuxAnswer::Absent,
            _ => MuxAnswer::Unknown,
        },
        _ => MuxAnswer::Unknown,
    }
}

/// Reads a run of `screen -ls`, whose status says nothing: present where it lists a session that
/// lives, absent where it lists none that does or says that there are none.
///
/// Anything else is unknown, above all a folder that screen refuses to look into, for its mode, its
/// owner or a parent that is missing: the sessions in it may well live.
///
/// ```
/// use seatkit::mux::{MuxAnswer, classify_screen_run};
/// use seatkit::tmux::TmuxRun;
///
/// let run = |stdout: &str| TmuxRun { status: Some(1), stdout: stdout.into(), stderr: String::new() };
/// assert_eq!(classify_screen_run(&run("No Sockets found in /run/screen/S-o.\n")), MuxAnswer::Absent);
/// assert_eq!(classify_screen_run(&run("Directory '/x' must have mode 700.\n")), MuxAnswer::Unknown);
/// ```
#[must_use]
pub fn classify_screen_run(run: &TmuxRun) -> MuxAnswer {
    // With `NETHACKOPTIONS` set screen speaks in other words.
    const NONE: [&str; 2] = ["No Sockets found in ", "This room is empty ("];
    if run.status.is_none() {
        return MuxAnswer::Unknown;
    }
    let sessions = parse_screen_sessions(&run.stdout);
    if sessions.iter().any(|session| session.live) {
        return MuxAnswer::Present;
    }
    let says_none = |line: &str| NONE.iter().any(|saying| line.starts_with(saying));
    if !sessions.is_empty() || run.stdout.lines().any(says_none) {
        return MuxAnswer::Absent;
    }
    MuxAnswer::Unknown
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
    SAYINGS.iter().any(|saying| line.starts_with(saying))
}

/// The socket that a line says could not be reached because it is not there, or nobody listens.
fn unreached_socket(line: &str) -> Option<&str> {
    let socket = line.strip_prefix("error connecting to ")?;
    ["(No such file or directory)", "(Connection refused)"]
        .iter()
        .find_map(|why| socket.strip_suffix(why))
        .map(str::trim_end)
}

/// Whether some process listens on a socket of this path, be the path there or not.
fn has_listener(socket: &str) -> bool {
    let sockets = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
    lists_listener(&sockets, socket)
}

/// Reads `/proc/net/unix`: seven fields and the path that was bound, whatever became of it.
fn lists_listener(sockets: &str, socket: &str) -> bool {
    const LISTENING: &str = "00010000";
    sockets.lines().any(|line| {
        let mut fields = line.splitn(8, ' ').filter(|field| !field.is_empty());
        fields.nth(3) == Some(LISTENING) && line.ends_with(&format!(" {socket}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: Option<i32>, stderr: &str) -> MuxAnswer {
        classify_tmux_run(&TmuxRun { status, stdout: String::new(), stderr: stderr.to_owned() })
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
    fn a_socket_that_was_bound_is_listed_whatever_became_of_its_path() {
        let sockets = "Num       RefCount Protocol Flags    Type St Inode Path\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 30123 /tmp/a b/s\n\
            0000000000000000: 00000003 00000000 00000000 0001 03 30124 /tmp/s\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 30125\n";
        assert!(lists_listener(sockets, "/tmp/a b/s"));
        assert!(!lists_listener(sockets, "/tmp/s"), "connected, not listening");
        assert!(!lists_listener(sockets, "b/s/"));
        assert!(!lists_listener("", "/tmp/s"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_unlinked_socket_of_a_living_server_is_no_absence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let stderr =
            format!("error connecting to {} (No such file or directory)\n", path.display());
        assert_eq!(answer(Some(1), &stderr), MuxAnswer::Unknown);
        drop(listener);
        assert_eq!(answer(Some(1), &stderr), MuxAnswer::Absent);
    }

    #[test]
    fn a_listing_of_screen_shows_who_lives_or_says_that_nobody_is_there() {
        let screen = |status, stdout: &str| {
            classify_screen_run(&TmuxRun {
                status,
                stdout: stdout.to_owned(),
                stderr: String::new(),
            })
        };
        for (stdout, expected) in [
            (
                "There is a screen on:\r\n\t7.a\t(Detached)\r\n1 Socket in /x.\r\n",
                MuxAnswer::Present,
            ),
            ("There is a screen on:\n\t7.a\t(Dead ???)\n1 Socket in /x.\n", MuxAnswer::Absent),
            ("No Sockets found in /run/screen/S-o.\n\r\n", MuxAnswer::Absent),
            ("This room is empty (/run/screen/S-o).\n", MuxAnswer::Absent),
            ("Directory '/x' must have mode 700.\r\n", MuxAnswer::Unknown),
            ("You are not the owner of /x.\r\n", MuxAnswer::Unknown),
            ("Cannot make directory '/a/b': No such file or directory\r\n", MuxAnswer::Unknown),
            ("", MuxAnswer::Unknown),
        ] {
            for status in [0, 1] {
                assert_eq!(screen(Some(status), stdout), expected, "{stdout:?}");
            }
            assert_eq!(screen(None, stdout), MuxAnswer::Unknown, "{stdout:?}");
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
            (Some(1), "error connecting to /tmp/s (Resource temporarily unavailable)\n"),
            (Some(1), "error connecting to /x (No such file or directory) (File name too long)\n"),
            (Some(1), "command too long\n"),
            (Some(1), "can't find pane: x\n"),
            (Some(1), "my can't find session: x\n"),
            (Some(127), "sh: tmux: not found\n"),
        ] {
            assert_eq!(answer(status, stderr), MuxAnswer::Unknown, "{stderr:?}");
        }
    }
}
