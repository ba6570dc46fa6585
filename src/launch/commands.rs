//! The commands that run one session under a multiplexer.

use std::convert::Infallible;

use super::{Mux, MuxKind};

/// The `sh -c` text that runs a command and records its exit code, because neither multiplexer
/// hands the code on.
///
/// Everything a caller says is a positional parameter (`$0` a label, `$1` the exit file, the rest
/// the command), so nothing of it is ever read as shell text. The folder of the exit file must
/// exist.
pub const SESSION_EXIT_SCRIPT: &str = r#"exit_file="$1"; shift; "$@"; rc=$?; printf '%s\n' "$rc" > "$exit_file" 2>/dev/null; exit "$rc""#;

/// What `$0` is in [`SESSION_EXIT_SCRIPT`].
pub(super) const SESSION_LABEL: &str = "maestro-session";

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
pub struct MuxCommands<C = Command> {
    /// Whether `start` runs until the session ends (screen) or returns at once (tmux).
    pub blocking: bool,
    /// Launches the session.
    pub start: C,
    /// Exits 0 while the session exists; `None` where `start` blocks.
    pub wait_probe: Option<C>,
    /// Finds a session that is left over from before. For screen it is a listing, to be read by
    /// [`parse_screen_list`](super::parse_screen_list).
    pub exists: C,
    /// Removes the sockets of dead sessions; `None` for tmux, whose server owns its socket.
    pub wipe: Option<C>,
    /// Ends the session.
    pub stop: C,
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
    let Ok(commands) = match launch.mux.kind {
        MuxKind::Screen => screen_commands(&mut &*launch),
        MuxKind::Tmux => tmux_commands(&mut &*launch),
    };
    commands
}

/// One argument of a command.
#[derive(Clone, Copy)]
pub(crate) enum Arg<W> {
    /// A word of ours.
    Fixed(&'static str),
    /// A word of the caller's.
    Given(W),
    /// A session's name as tmux finds exactly that one: `=NAME`.
    Exact(W),
}

use Arg::{Exact, Fixed, Given};

/// Where the words of the commands come from, and what the commands become. Each word is asked for
/// where a command needs it and in the order of the commands, because asking can run a caller's
/// code, and two answers may differ.
pub(crate) trait Launcher {
    type Word;
    type Command: Clone;
    type Error;

    /// The multiplexer's binary.
    fn bin(&mut self) -> Result<Self::Word, Self::Error>;
    /// The session's name.
    fn name(&mut self) -> Result<Self::Word, Self::Error>;
    /// The working directory.
    fn cwd(&mut self) -> Result<Self::Word, Self::Error>;
    /// A finished command.
    fn command<const N: usize>(
        &mut self,
        file: Self::Word,
        args: [Arg<Self::Word>; N],
    ) -> Result<Self::Command, Self::Error>;
    /// A finished command that goes on with the exit file, the binary of `claude` and its
    /// arguments.
    fn session<const N: usize>(
        &mut self,
        file: Self::Word,
        args: [Arg<Self::Word>; N],
    ) -> Result<Self::Command, Self::Error>;
}

/// The commands under screen. `-D -m` keeps the starter in the foreground until the session ends.
pub(crate) fn screen_commands<L: Launcher>(
    launch: &mut L,
) -> Result<MuxCommands<L::Command>, L::Error> {
    let (bin, name) = (launch.bin()?, launch.name()?);
    let start = [
        Fixed("-D"),
        Fixed("-m"),
        Fixed("-S"),
        Given(name),
        Fixed("/bin/sh"),
        Fixed("-c"),
        Fixed(SESSION_EXIT_SCRIPT),
        Fixed(SESSION_LABEL),
    ];
    let start = launch.session(bin, start)?;
    let bin = launch.bin()?;
    let exists = launch.command(bin, [Fixed("-ls")])?;
    let bin = launch.bin()?;
    let wipe = launch.command(bin, [Fixed("-wipe")])?;
    let (bin, name) = (launch.bin()?, launch.name()?);
    let stop = launch.command(bin, [Fixed("-S"), Given(name), Fixed("-X"), Fixed("quit")])?;
    Ok(MuxCommands {
        blocking: true,
        start,
        wait_probe: None,
        exists,
        wipe: Some(wipe),
        stop,
    })
}

/// The commands under tmux, whose `new-session -d` returns at once: the caller polls the probe.
pub(crate) fn tmux_commands<L: Launcher>(
    launch: &mut L,
) -> Result<MuxCommands<L::Command>, L::Error> {
    let (bin, name) = (launch.bin()?, launch.name()?);
    let probe = launch.command(bin, [Fixed("has-session"), Fixed("-t"), Exact(name)])?;
    let (bin, name, cwd) = (launch.bin()?, launch.name()?, launch.cwd()?);
    let start = [
        Fixed("new-session"),
        Fixed("-d"),
        Fixed("-s"),
        Given(name),
        Fixed("-c"),
        Given(cwd),
        Fixed("/bin/sh"),
        Fixed("-c"),
        Fixed(SESSION_EXIT_SCRIPT),
        Fixed(SESSION_LABEL),
    ];
    let start = launch.session(bin, start)?;
    let (bin, name) = (launch.bin()?, launch.name()?);
    let stop = launch.command(bin, [Fixed("kill-session"), Fixed("-t"), Exact(name)])?;
    Ok(MuxCommands {
        blocking: false,
        start,
        wait_probe: Some(probe.clone()),
        exists: probe,
        wipe: None,
        stop,
    })
}

impl<'a> Launcher for &Launch<'a> {
    type Word = &'a str;
    type Command = Command;
    type Error = Infallible;

    fn bin(&mut self) -> Result<&'a str, Infallible> {
        Ok(self.mux.bin)
    }

    fn name(&mut self) -> Result<&'a str, Infallible> {
        Ok(self.mux_name)
    }

    fn cwd(&mut self) -> Result<&'a str, Infallible> {
        Ok(self.cwd)
    }

    fn command<const N: usize>(
        &mut self,
        file: &'a str,
        args: [Arg<&'a str>; N],
    ) -> Result<Command, Infallible> {
        let args = args.map(|arg| match arg {
            Fixed(word) | Given(word) => word.to_owned(),
            Exact(name) => format!("={name}"),
        });
        Ok(Command {
            file: file.to_owned(),
            args: args.into(),
        })
    }

    fn session<const N: usize>(
        &mut self,
        file: &'a str,
        args: [Arg<&'a str>; N],
    ) -> Result<Command, Infallible> {
        let mut command = self.command(file, args)?;
        command
            .args
            .extend([self.exit_file.to_owned(), self.claude_bin.to_owned()]);
        command
            .args
            .extend(self.claude_args.iter().map(ToString::to_string));
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(kind: MuxKind) -> Launch<'static> {
        Launch {
            mux: Mux {
                kind,
                bin: "/bin/mux",
            },
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
        [
            "/bin/sh",
            "-c",
            script,
            label,
            "/agent/last exit",
            "claude",
            "--name",
            "$HOME; `id`",
        ]
    }

    #[test]
    fn screen_runs_the_session_in_the_foreground_and_cleans_up_after_dead_ones() {
        let commands = build_mux_commands(&launch(MuxKind::Screen));
        assert!(commands.blocking);
        assert_eq!(
            commands.start.args[..4],
            ["-D", "-m", "-S", "maestro-olivia"]
        );
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
        assert_eq!(
            commands.exists.args,
            ["has-session", "-t", "=maestro-olivia"]
        );
        assert_eq!(commands.wait_probe.unwrap(), commands.exists);
        assert_eq!(commands.wipe, None);
        assert_eq!(
            commands.stop.args,
            ["kill-session", "-t", "=maestro-olivia"]
        );
    }

    #[test]
    fn every_command_runs_the_same_binary() {
        for kind in [MuxKind::Screen, MuxKind::Tmux] {
            let MuxCommands {
                start,
                wait_probe,
                exists,
                wipe,
                stop,
                ..
            } = build_mux_commands(&launch(kind));
            let all = [Some(start), wait_probe, Some(exists), wipe, Some(stop)];
            assert!(
                all.into_iter()
                    .flatten()
                    .all(|command| command.file == "/bin/mux")
            );
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
