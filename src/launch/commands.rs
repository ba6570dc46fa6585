//! The commands that run one session under a multiplexer.

use super::{Mux, MuxKind};

/// The `sh -c` text that runs a command and records its exit code, because neither multiplexer
/// hands the code on.
///
/// Everything a caller says is a positional parameter (`$0` a label, `$1` the exit file, the rest
/// the command), so nothing of it is ever read as shell text. The folder of the exit file must
/// exist.
pub const SESSION_EXIT_SCRIPT: &str = r#"exit_file="$1"; shift; "$@"; rc=$?; printf '%s\n' "$rc" > "$exit_file" 2>/dev/null; exit "$rc""#;

/// What `$0` is in [`SESSION_EXIT_SCRIPT`].
pub(crate) const SESSION_LABEL: &str = "maestro-session";

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The path of the program.
    pub file: String,
    /// Its arguments, without the program itself.
    pub args: Vec<String>,
}

/// The commands of one session's life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MuxCommands {
    /// Whether `start` runs until the session ends (screen) or returns at once (tmux).
    pub blocking: bool,
    /// Launches the session.
    pub start: Command,
    /// Exits 0 while the session exists; `None` where `start` blocks.
    pub wait_probe: Option<Command>,
    /// Finds a session that is left over from before. For screen it is a listing, to be read by
    /// [`parse_screen_list`](super::parse_screen_list).
    pub exists: Command,
    /// Removes the sockets of dead sessions; `None` for tmux, whose server owns its socket.
    pub wipe: Option<Command>,
    /// Ends the session.
    pub stop: Command,
}

/// What [`build_mux_commands`] is told.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The multiplexer.
    pub mux: Mux<'a>,
    /// The name of the session in it.
    pub mux_name: &'a str,
    /// The working directory. tmux is told; screen takes that of the process that starts it.
    pub cwd: &'a str,
    /// The binary of `claude`.
    pub claude_bin: &'a str,
    /// Its arguments.
    pub claude_args: &'a [&'a str],
    /// Where the exit code is recorded.
    pub exit_file: &'a str,
}

/// The commands that run one session of `claude` under a multiplexer.
///
/// ```
/// use seatkit::launch::{Launch, Mux, MuxKind, build_mux_commands};
///
/// let commands = build_mux_commands(&Launch {
///     mux: Mux { kind: MuxKind::Tmux, bin: "/usr/bin/tmux" },
///     mux_name: "maestro-olivia",
///     cwd: "/agent",
///     claude_bin: "claude",
///     claude_args: &["--resume", "11111111-2222-4333-8444-555555555555"],
///     exit_file: "/agent/state/session/last-exit",
/// });
/// assert!(!commands.blocking);
/// assert_eq!(commands.start.args[..4], ["new-session", "-d", "-s", "maestro-olivia"]);
/// assert_eq!(commands.exists.args, ["has-session", "-t", "=maestro-olivia"]);
/// assert_eq!(commands.wipe, None);
/// ```
#[must_use]
pub fn build_mux_commands(launch: &Launch<'_>) -> MuxCommands {
    match launch.mux.kind {
        MuxKind::Screen => screen_commands(launch),
        MuxKind::Tmux => tmux_commands(launch),
    }
}

/// The commands under screen. `-D -m` keeps the starter in the foreground until the session ends.
fn screen_commands(launch: &Launch<'_>) -> MuxCommands {
    let name = launch.mux_name;
    MuxCommands {
        blocking: true,
        start: launch.session(&["-D", "-m", "-S", name]),
        wait_probe: None,
        exists: launch.command(&["-ls"]),
        wipe: Some(launch.command(&["-wipe"])),
        stop: launch.command(&["-S", name, "-X", "quit"]),
    }
}

/// The commands under tmux, whose `new-session -d` returns at once: the caller polls the probe.
fn tmux_commands(launch: &Launch<'_>) -> MuxCommands {
    let target = format!("={}", launch.mux_name);
    let probe = launch.command(&["has-session", "-t", &target]);
    MuxCommands {
        blocking: false,
        start: launch.session(&["new-session", "-d", "-s", launch.mux_name, "-c", launch.cwd]),
        wait_probe: Some(probe.clone()),
        exists: probe,
        wipe: None,
        stop: launch.command(&["kill-session", "-t", &target]),
    }
}

impl Launch<'_> {
    fn command(&self, args: &[&str]) -> Command {
        Command {
            file: self.mux.bin.to_owned(),
            args: args.iter().copied().map(str::to_owned).collect(),
        }
    }

    /// A command that goes on with the program that it runs.
    fn session(&self, args: &[&str]) -> Command {
        let script = ["/bin/sh", "-c", SESSION_EXIT_SCRIPT, SESSION_LABEL];
        let program = [self.exit_file, self.claude_bin];
        self.command(&[args, &script, &program, self.claude_args].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(kind: MuxKind) -> Launch<'static> {
        Launch {
            mux: Mux { kind, bin: "/bin/mux" },
            mux_name: "maestro-olivia",
            cwd: "/agent",
            claude_bin: "claude",
            claude_args: &["--name", "$HOME; `id`"],
            exit_file: "/agent/last exit",
        }
    }

    fn wrapped() -> [&'static str; 8] {
        let script = SESSION_EXIT_SCRIPT;
        let label = "maestro-session";
        ["/bin/sh", "-c", script, label, "/agent/last exit", "claude", "--name", "$HOME; `id`"]
    }

    #[test]
    fn screen_runs_the_session_in_the_foreground_and_cleans_up_after_dead_ones() {
        let commands = build_mux_commands(&launch(MuxKind::Screen));
        assert!(commands.blocking);
        assert_eq!(commands.start.args[..4], ["-D", "-m", "-S", "maestro-olivia"]);
        assert_eq!(commands.start.args[4..], wrapped());
        assert_eq!(commands.wait_probe, None);
        assert_eq!(commands.exists.args, ["-ls"]);
        assert_eq!(commands.wipe.unwrap().args, ["-wipe"]);
        assert_eq!(commands.stop.args, ["-S", "maestro-olivia", "-X", "quit"]);
    }

    #[test]
    fn tmux_detaches_and_is_probed_by_the_exact_name() {
        let commands = build_mux_commands(&launch(MuxKind::Tmux));
        assert!(!commands.blocking);
        let head = ["new-session", "-d", "-s", "maestro-olivia", "-c", "/agent"];
        assert_eq!(commands.start.args[..6], head);
        assert_eq!(commands.start.args[6..], wrapped());
        assert_eq!(commands.exists.args, ["has-session", "-t", "=maestro-olivia"]);
        assert_eq!(commands.wait_probe.unwrap(), commands.exists);
        assert_eq!(commands.wipe, None);
        assert_eq!(commands.stop.args, ["kill-session", "-t", "=maestro-olivia"]);
    }

    #[test]
    fn every_command_runs_the_same_binary() {
        for kind in [MuxKind::Screen, MuxKind::Tmux] {
            let MuxCommands { start, wait_probe, exists, wipe, stop, .. } =
                build_mux_commands(&launch(kind));
            let all = [Some(start), wait_probe, Some(exists), wipe, Some(stop)];
            assert!(all.into_iter().flatten().all(|command| command.file == "/bin/mux"));
        }
    }

    #[test]
    fn the_script_records_the_code_and_hands_it_on() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("last exit");
        let status = std::process::Command::new("/bin/sh")
            .args(["-c", SESSION_EXIT_SCRIPT, SESSION_LABEL])
            .arg(&file)
            .args(["/bin/sh", "-c", "exit \"$1\"", "child", "37"])
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(37));
        assert_eq!(std::fs::read_to_string(file).unwrap(), "37\n");
    }
}
