//! [`build_safe_mux_commands`]: the commands of one session's life, guarded.

use super::precondition::classify_folder;
use super::refusal::{refuse_nul, refuse_nul_in, refuse_oversize, scrub_words};
use super::{
    Launch, MuxCommandError, MuxKind, SESSION_EXIT_SCRIPT, SESSION_LABEL, escape_tmux_arg,
    escape_tmux_format,
};
use crate::tmux::{TmuxServer, classify_tmux_session_name};

/// What [`build_safe_mux_commands`] may be told beside the launch itself.
#[derive(Clone, Copy, Debug)]
pub struct SafeOptions<'a> {
    /// A server of one's own. For tmux a name (`-L`) or an absolute path (`-S`), in every command;
    /// for screen the absolute path of its folder, as `SCREENDIR` in every command's `env`.
    pub socket: Option<&'a str>,
    /// The absolute path of the configuration; `/dev/null` keeps the user's own out.
    pub config: Option<&'a str>,
    /// Whether the multiplexer is to take the terminal for UTF-8 whatever the locale.
    pub utf8: bool,
    /// Variables to take out of the session's environment, such as `CLAUDECODE`.
    pub scrub_env: &'a [&'a str],
    /// Whether `--` is put before the last argument, the prompt. Not every program takes it.
    pub terminator: bool,
}

impl Default for SafeOptions<'_> {
    fn default() -> Self {
        Self {
            socket: None,
            config: None,
            utf8: false,
            scrub_env: &[],
            terminator: true,
        }
    }
}

/// A command and what its process has to be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeCommand {
    /// The program.
    pub file: String,
    /// Its arguments, without the program itself.
    pub args: Vec<String>,
    /// The working directory to spawn it in; `None` where it makes no difference.
    pub cwd: Option<String>,
    /// Variables to add to its environment.
    pub env: Vec<(String, String)>,
}

/// The commands of one session's life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeMuxCommands {
    /// Whether `start` runs until the session ends (screen) or returns at once (tmux).
    pub blocking: bool,
    /// Launches the session. Status 0 does not prove that it lives: ask `exists`.
    pub start: SafeCommand,
    /// tmux only: exits 0 while the session lives, also where a user's `remain-on-exit` keeps its
    /// dead panes.
    pub wait_probe: Option<SafeCommand>,
    /// Finds a session left over from before. For tmux the same as `wait_probe`; for screen a
    /// listing for [`parse_screen_sessions`](super::parse_screen_sessions), whatever its status.
    pub exists: SafeCommand,
    /// Removes what a dead session of this name left: screen's socket, tmux's session of dead
    /// panes. A living one stays. Its status says nothing.
    pub wipe: SafeCommand,
    /// Ends the session. `None` for screen, which takes no exact name: put the output of `exists`
    /// through [`screen_stop_args`](super::screen_stop_args).
    pub stop: Option<SafeCommand>,
}

/// The longest name that every screen takes, in bytes.
const SCREEN_NAME_LIMIT: usize = 80;

/// The longest path of a socket, in bytes. Over it screen exits with 1 and says nothing.
const SOCKET_PATH_LIMIT: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// What stands before the name in a socket's own name: the longest process id and a dot.
const PID_AND_DOT: usize = "4194304.".len();

/// A format that is 1 where every pane of a session is dead. Loops came after tmux 2.6; there it
/// tells for a session of one pane, and says 0, as for a living one, of any other.
const ALL_DEAD: &str = "#{?#{W:#{P:#{?pane_dead,,A}}},0,#{?#{W:x},1,\
                        #{?#{==:#{session_windows}#{window_panes},11},#{pane_dead},0}}}";

/// The largest id a session could have, which none has: asking for it fails as a session that is
/// missing does.
const NO_SESSION: &str = "has-session -t '$4294967295'";

/// The commands that run one session of `claude` under a multiplexer, with every guard that
/// [`build_mux_commands`](super::build_mux_commands) lacks.
///
/// Refused are a name outside the grammar, one that a tmux client may have (a target finds a client
/// too) and for screen one over 80 bytes or too long for a socket in its folder; a `cwd` that is relative, missing or no folder (tmux would
/// start in the home folder); a NUL; and for tmux a command over
/// [`TMUX_MESSAGE_LIMIT`](super::TMUX_MESSAGE_LIMIT). For tmux each argument is escaped and targets
/// are `=NAME:`, because `=NAME` finds another session where the name has a dot. `claude_args` are
/// as [`build_claude_args`](super::build_claude_args) gives them: `--` is put before the last, the
/// prompt, unless it is there, so that neither a variadic option swallows it nor a leading `-`
/// makes it an option.
///
/// # Errors
///
/// [`MuxCommandError`].
///
/// ```
/// use seatkit::launch::{Launch, Mux, MuxKind, SafeOptions, build_safe_mux_commands};
///
/// let launch = Launch {
///     mux: Mux { kind: MuxKind::Tmux, bin: "/usr/bin/tmux" },
///     mux_name: "maestro-olivia",
///     cwd: "/tmp",
///     claude_bin: "/usr/local/bin/claude",
///     claude_args: &["--allowedTools", "Read", "fix it;"],
///     exit_file: "/tmp/last-exit",
/// };
/// let commands = build_safe_mux_commands(&launch, &SafeOptions::default())?;
/// let [.., terminator, prompt] = &commands.start.args[..] else { panic!() };
/// assert_eq!((terminator.as_str(), prompt.as_str()), ("--", r"fix it\;"));
/// assert_eq!(commands.stop.unwrap().args, ["kill-session", "-t", "=maestro-olivia:"]);
///
/// let refused = build_safe_mux_commands(&Launch { mux_name: "a.b", ..launch }, &SafeOptions::default());
/// assert_eq!(refused.unwrap_err().code(), "name-invalid");
/// # Ok::<(), seatkit::launch::MuxCommandError>(())
/// ```
pub fn build_safe_mux_commands(
    launch: &Launch<'_>,
    options: &SafeOptions<'_>,
) -> Result<SafeMuxCommands, MuxCommandError> {
    check_texts(launch, options)?;
    check_name(launch.mux_name, launch.mux.kind, options.socket)?;
    if let Some(reason) = classify_folder(launch.cwd) {
        let cwd = launch.cwd.to_owned();
        return Err(MuxCommandError::Cwd { reason, cwd });
    }
    check_program(launch.claude_bin)?;
    check_paths(launch.mux.kind, options)?;

    let mut words = scrub_words(options.scrub_env)?;
    words.extend(["/bin/sh", "-c", SESSION_EXIT_SCRIPT, SESSION_LABEL].map(String::from));
    words.extend([launch.exit_file, launch.claude_bin].map(String::from));
    words.extend(with_terminator(launch.claude_args, options.terminator).map(String::from));
    match launch.mux.kind {
        MuxKind::Tmux => tmux_commands(launch, options, &words),
        MuxKind::Screen => Ok(screen_commands(launch, options, words)),
    }
}

fn tmux_commands(
    launch: &Launch<'_>,
    options: &SafeOptions<'_>,
    words: &[String],
) -> Result<SafeMuxCommands, MuxCommandError> {
    let server = TmuxServer {
        socket: options.socket.map(str::to_owned),
        config: options.config.map(str::to_owned),
        utf8: options.utf8,
    };
    let command = |args: &[&str]| {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        SafeCommand {
            file: launch.mux.bin.to_owned(),
            args: [server.flags(), args].concat(),
            cwd: None,
            env: Vec::new(),
        }
    };
    let name = launch.mux_name;
    let cwd = escape_tmux_format(launch.cwd);
    let head = ["new-session", "-d", "-s", name, "-c", &cwd];
    let start: Vec<String> = head
        .into_iter()
        .chain(words.iter().map(String::as_str))
        .map(|word| escape_tmux_arg(word).into_owned())
        .collect();
    refuse_oversize(&start)?;
    let start: Vec<&str> = start.iter().map(String::as_str).collect();

    let target = format!("={name}:");
    let kill = format!("kill-session -t {target}");
    let probe = command(&[
        "has-session",
        "-t",
        &target,
        ";",
        "if-shell",
        "-F",
        "-t",
        &target,
        ALL_DEAD,
        NO_SESSION,
    ]);
    Ok(SafeMuxCommands {
        blocking: false,
        start: command(&start),
        wait_probe: Some(probe.clone()),
        exists: probe,
        wipe: command(&["if-shell", "-F", "-t", &target, ALL_DEAD, &kill]),
        stop: Some(command(&["kill-session", "-t", &target])),
    })
}

fn screen_commands(
    launch: &Launch<'_>,
    options: &SafeOptions<'_>,
    words: Vec<String>,
) -> SafeMuxCommands {
    let folder = options
        .socket
        .map(|folder| ("SCREENDIR".to_owned(), folder.to_owned()));
    let command = |args: Vec<String>, cwd: Option<&str>| SafeCommand {
        file: launch.mux.bin.to_owned(),
        args,
        cwd: cwd.map(str::to_owned),
        env: folder.iter().cloned().collect(),
    };
    let mut start = Vec::new();
    if let Some(config) = options.config {
        start.extend(["-c".to_owned(), config.to_owned()]);
    }
    if options.utf8 {
        start.push("-U".to_owned());
    }
    start.extend(["-D", "-m", "-S", launch.mux_name].map(String::from));
    start.extend(words);
    SafeMuxCommands {
        blocking: true,
        start: command(start, Some(launch.cwd)),
        wait_probe: None,
        exists: command(vec!["-ls".to_owned()], None),
        // By name, or screen 5 keeps the socket; it wipes the dead alone.
        wipe: command(vec!["-wipe".to_owned(), launch.mux_name.to_owned()], None),
        stop: None,
    }
}

/// The arguments of `claude` with `--` before the last one.
fn with_terminator<'a>(args: &[&'a str], wanted: bool) -> impl Iterator<Item = &'a str> {
    let (before, prompt) = match args {
        [before @ .., prompt] => (before, Some(*prompt)),
        [] => (args, None),
    };
    let needed = wanted && prompt.is_some() && before.last() != Some(&"--");
    let terminator = needed.then_some("--");
    before.iter().copied().chain(terminator).chain(prompt)
}

fn check_texts(launch: &Launch<'_>, options: &SafeOptions<'_>) -> Result<(), MuxCommandError> {
    let needed = [
        ("mux.bin", launch.mux.bin),
        ("claudeBin", launch.claude_bin),
        ("exitFile", launch.exit_file),
    ];
    for (what, text) in needed {
        if text.is_empty() {
            return Err(MuxCommandError::Empty { what });
        }
    }
    let further = [
        ("muxName", launch.mux_name),
        ("cwd", launch.cwd),
        ("socket", options.socket.unwrap_or_default()),
        ("config", options.config.unwrap_or_default()),
    ];
    for (what, text) in needed.into_iter().chain(further) {
        refuse_nul(what, text)?;
    }
    refuse_nul_in("claudeArgs", launch.claude_args)
}

fn check_name(name: &str, kind: MuxKind, socket: Option<&str>) -> Result<(), MuxCommandError> {
    let owned = || name.to_owned();
    let limit = socket.map_or(SCREEN_NAME_LIMIT, |folder| {
        let before = folder.len() + "/".len() + PID_AND_DOT;
        SCREEN_NAME_LIMIT.min(SOCKET_PATH_LIMIT.saturating_sub(before))
    });
    if classify_tmux_session_name(name).is_some() {
        return Err(MuxCommandError::NameInvalid { name: owned() });
    }
    match kind {
        MuxKind::Tmux if is_client_name(name) => {
            Err(MuxCommandError::NameReserved { name: owned() })
        }
        MuxKind::Screen if name.len() > limit => Err(MuxCommandError::NameTooLong {
            size: name.len(),
            limit,
        }),
        _ => Ok(()),
    }
}

/// Whether tmux may call a client so: `client-PID` where it has no terminal, or else the
/// terminal's device without `/dev/` (`ttys001` on macOS, `tty1` on a Linux console). Every target
/// matches such a name too, `=NAME:` included.
fn is_client_name(name: &str) -> bool {
    let numbered = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(rest) = name.strip_prefix("client-") {
        return numbered(rest);
    }
    name.strip_prefix("tty").is_some_and(|device| {
        let digits = device.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        numbered(digits)
    })
}

/// Names that `sh` takes for its own before it looks for a program. With these `"$@"` would end or
/// change the very shell that is to record the exit code.
const SHELL_BUILTINS: [&str; 27] = [
    ".", ":", "alias", "bg", "break", "builtin", "cd", "command", "continue", "eval", "exec",
    "exit", "export", "fg", "hash", "jobs", "local", "readonly", "return", "set", "shift",
    "source", "times", "trap", "umask", "unset", "wait",
];

fn check_program(program: &str) -> Result<(), MuxCommandError> {
    if SHELL_BUILTINS.contains(&program) {
        return Err(MuxCommandError::ProgramBuiltin {
            program: program.to_owned(),
        });
    }
    Ok(())
}

fn check_paths(kind: MuxKind, options: &SafeOptions<'_>) -> Result<(), MuxCommandError> {
    let refuse = |what, path: &str, expected| {
        Err(MuxCommandError::PathInvalid {
            what,
            path: path.to_owned(),
            expected,
        })
    };
    if let Some(socket) = options.socket {
        let is_name = !matches!(socket, "" | "." | "..") && !socket.contains('/');
        match kind {
            MuxKind::Tmux if !socket.starts_with('/') && !is_name => {
                return refuse("socket", socket, "a name or an absolute path");
            }
            MuxKind::Screen if !socket.starts_with('/') => {
                return refuse("socket", socket, "the absolute path of screen's folder");
            }
            _ => {}
        }
    }
    match options.config {
        Some(config) if !config.starts_with('/') => refuse("config", config, "an absolute path"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{Mux, TMUX_MESSAGE_LIMIT, packed_size};

    const TMUX: Launch<'static> = Launch {
        mux: Mux {
            kind: MuxKind::Tmux,
            bin: "/bin/mux",
        },
        mux_name: "maestro-olivia",
        cwd: "/",
        claude_bin: "claude",
        claude_args: &["--name", "x", "prompt"],
        exit_file: "/last-exit",
    };
    const SCREEN: Launch<'static> = Launch {
        mux: Mux {
            kind: MuxKind::Screen,
            ..TMUX.mux
        },
        ..TMUX
    };

    fn build(launch: &Launch<'_>) -> Result<SafeMuxCommands, MuxCommandError> {
        build_safe_mux_commands(launch, &SafeOptions::default())
    }

    fn refusal(launch: &Launch<'_>, options: &SafeOptions<'_>) -> &'static str {
        build_safe_mux_commands(launch, options).map_or_else(|error| error.code(), |_| "none")
    }

    #[test]
    fn tmux_is_addressed_exactly_and_every_argument_is_escaped() {
        let launch = Launch {
            cwd: "/tmp",
            claude_args: &["--append-system-prompt", "be brief;", "a;b;"],
            exit_file: "/last-exit;",
            ..TMUX
        };
        let commands = build(&launch).unwrap();
        let start: Vec<&str> = commands.start.args.iter().map(String::as_str).collect();
        assert_eq!(
            start,
            [
                "new-session",
                "-d",
                "-s",
                "maestro-olivia",
                "-c",
                "/tmp",
                "/bin/sh",
                "-c",
                SESSION_EXIT_SCRIPT,
                "maestro-session",
                r"/last-exit\;",
                "claude",
                "--append-system-prompt",
                r"be brief\;",
                "--",
                r"a;b\;",
            ]
        );
        assert!(!commands.blocking);
        assert_eq!(commands.start.cwd, None);
        let probe = commands.wait_probe.unwrap();
        assert_eq!(probe, commands.exists);
        assert_eq!(
            probe.args[..4],
            ["has-session", "-t", "=maestro-olivia:", ";"]
        );
        assert_eq!(
            commands.stop.unwrap().args,
            ["kill-session", "-t", "=maestro-olivia:"]
        );
        assert_eq!(
            commands.wipe.args[..4],
            ["if-shell", "-F", "-t", "=maestro-olivia:"]
        );
    }

    #[test]
    fn screen_gets_its_folder_and_its_directory_by_the_spawn() {
        let options = SafeOptions {
            socket: Some("/run/seat"),
            config: Some("/dev/null"),
            utf8: true,
            ..SafeOptions::default()
        };
        let launch = Launch {
            claude_args: &["fix;"],
            ..SCREEN
        };
        let commands = build_safe_mux_commands(&launch, &options).unwrap();
        let env = vec![("SCREENDIR".to_owned(), "/run/seat".to_owned())];
        assert!(commands.blocking);
        assert_eq!(commands.start.cwd.as_deref(), Some("/"));
        assert_eq!(
            commands.start.args[..7],
            ["-c", "/dev/null", "-U", "-D", "-m", "-S", "maestro-olivia"]
        );
        assert_eq!(
            commands.start.args[commands.start.args.len() - 2..],
            ["--", "fix;"]
        );
        assert_eq!((commands.wait_probe, commands.stop), (None, None));
        assert_eq!(commands.exists.args, ["-ls"]);
        assert_eq!(commands.wipe.args, ["-wipe", "maestro-olivia"]);
        for command in [commands.start, commands.exists, commands.wipe] {
            assert_eq!(command.env, env);
        }
    }

    #[test]
    fn every_tmux_command_goes_to_the_same_server() {
        let options = SafeOptions {
            socket: Some("seat"),
            config: Some("/dev/null"),
            utf8: true,
            ..SafeOptions::default()
        };
        let commands = build_safe_mux_commands(&TMUX, &options).unwrap();
        let SafeMuxCommands {
            start,
            wait_probe,
            exists,
            wipe,
            stop,
            ..
        } = commands;
        for command in [Some(start), wait_probe, Some(exists), Some(wipe), stop] {
            let command = command.unwrap();
            assert_eq!(command.args[..5], ["-L", "seat", "-f", "/dev/null", "-u"]);
            assert_eq!((command.file.as_str(), command.cwd), ("/bin/mux", None));
        }
    }

    #[test]
    fn the_prompt_is_terminated_once_and_only_where_it_is_wanted() {
        let tail = |args: &'static [&'static str], terminator: bool| {
            let launch = Launch {
                claude_args: args,
                ..SCREEN
            };
            let options = SafeOptions {
                terminator,
                ..SafeOptions::default()
            };
            let args = build_safe_mux_commands(&launch, &options)
                .unwrap()
                .start
                .args;
            let start = args.iter().position(|arg| arg == "claude").unwrap() + 1;
            args[start..].join(" ")
        };
        assert_eq!(
            tail(&["--allowedTools", "Read", "go"], true),
            "--allowedTools Read -- go"
        );
        assert_eq!(tail(&["-x"], true), "-- -x");
        assert_eq!(tail(&["--", "go"], true), "-- go");
        assert_eq!(tail(&["--"], true), "-- --");
        assert_eq!(tail(&[], true), "");
        assert_eq!(tail(&["a", "go"], false), "a go");
    }

    #[test]
    fn a_format_in_the_folder_is_escaped_for_tmux_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("C#(x)#[y");
        std::fs::create_dir(&folder).unwrap();
        let cwd = folder.to_str().unwrap();
        let tmux = build(&Launch { cwd, ..TMUX }).unwrap();
        assert_eq!(tmux.start.args[5], cwd.replace("C#", "C##"));
        let screen = build(&Launch { cwd, ..SCREEN }).unwrap();
        assert_eq!(screen.start.cwd.as_deref(), Some(cwd));
    }

    #[test]
    fn variables_are_taken_out_in_the_child() {
        let options = SafeOptions {
            scrub_env: &["CLAUDECODE"],
            ..SafeOptions::default()
        };
        let start = build_safe_mux_commands(&TMUX, &options).unwrap().start.args;
        assert_eq!(
            start[6..10],
            ["/usr/bin/env", "-u", "CLAUDECODE", "/bin/sh"]
        );
    }

    #[test]
    fn a_name_that_would_mean_something_else_is_refused() {
        let none = SafeOptions::default();
        for name in [
            "", "a.b", "a:b", "a b", "-a", "=a", "$0", "a;", "q#(id)q", "é", "a\n", "_a",
        ] {
            for launch in [TMUX, SCREEN] {
                let launch = Launch {
                    mux_name: name,
                    ..launch
                };
                assert_eq!(refusal(&launch, &none), "name-invalid", "{name:?}");
            }
        }
        for name in ["client-497", "ttys001", "tty1", "ttyUSB0"] {
            assert_eq!(
                refusal(
                    &Launch {
                        mux_name: name,
                        ..TMUX
                    },
                    &none
                ),
                "name-reserved"
            );
            assert_eq!(
                refusal(
                    &Launch {
                        mux_name: name,
                        ..SCREEN
                    },
                    &none
                ),
                "none"
            );
        }
        for name in ["client-a", "client-", "tty", "ttyd", "client", "a-client-1"] {
            assert_eq!(
                refusal(
                    &Launch {
                        mux_name: name,
                        ..TMUX
                    },
                    &none
                ),
                "none",
                "{name}"
            );
        }
        let (fits, over) = ("n".repeat(80), "n".repeat(81));
        assert_eq!(
            refusal(
                &Launch {
                    mux_name: &fits,
                    ..SCREEN
                },
                &none
            ),
            "none"
        );
        assert_eq!(
            refusal(
                &Launch {
                    mux_name: &over,
                    ..TMUX
                },
                &none
            ),
            "none"
        );
        let error = build(&Launch {
            mux_name: &over,
            ..SCREEN
        })
        .unwrap_err();
        assert_eq!(
            (error.code(), error.sizes()),
            ("name-too-long", Some((81, 80)))
        );
        let folder = format!("/{}", "d".repeat(SOCKET_PATH_LIMIT - 20));
        let options = SafeOptions {
            socket: Some(&folder),
            ..none
        };
        let error = build_safe_mux_commands(&SCREEN, &options).unwrap_err();
        assert_eq!(
            error.sizes(),
            Some(("maestro-olivia".len(), 20 - 1 - 1 - PID_AND_DOT))
        );
    }

    #[test]
    fn a_folder_that_tmux_would_not_start_in_is_refused() {
        let none = SafeOptions::default();
        for (cwd, code) in [
            ("", "cwd-not-absolute"),
            ("here", "cwd-not-absolute"),
            ("~", "cwd-not-absolute"),
            ("/nope/nowhere", "cwd-missing"),
            ("/nope/#(touch x)", "cwd-missing"),
            ("/dev/null", "cwd-not-directory"),
        ] {
            for launch in [TMUX, SCREEN] {
                assert_eq!(refusal(&Launch { cwd, ..launch }, &none), code, "{cwd:?}");
            }
        }
    }

    #[test]
    fn a_nul_is_refused_wherever_it_is() {
        let none = SafeOptions::default();
        let nul = "a\0b";
        for launch in [
            Launch {
                mux_name: nul,
                ..TMUX
            },
            Launch { cwd: "/\0", ..TMUX },
            Launch {
                claude_bin: nul,
                ..TMUX
            },
            Launch {
                exit_file: nul,
                ..TMUX
            },
            Launch {
                claude_args: &["a", "\0"],
                ..TMUX
            },
            Launch {
                mux: Mux {
                    bin: nul,
                    ..TMUX.mux
                },
                ..TMUX
            },
        ] {
            assert_eq!(refusal(&launch, &none), "nul");
        }
        for options in [
            SafeOptions {
                socket: Some(nul),
                ..none
            },
            SafeOptions {
                config: Some("/\0"),
                ..none
            },
        ] {
            assert_eq!(refusal(&TMUX, &options), "nul");
        }
        let error = build(&Launch {
            claude_args: &["a", "\0"],
            ..TMUX
        })
        .unwrap_err();
        assert_eq!(error.to_string(), "claudeArgs[1] must not contain a NUL");
    }

    #[test]
    fn paths_and_programs_that_depend_on_the_place_are_refused() {
        let none = SafeOptions::default();
        let socket = |socket| SafeOptions {
            socket: Some(socket),
            ..none
        };
        for name in ["", ".", "..", "./s", "a/s"] {
            assert_eq!(refusal(&TMUX, &socket(name)), "path-invalid", "{name:?}");
        }
        for name in ["seat", "/run/s", "a.b"] {
            assert_eq!(refusal(&TMUX, &socket(name)), "none", "{name:?}");
        }
        assert_eq!(refusal(&SCREEN, &socket("seat")), "path-invalid");
        let config = SafeOptions {
            config: Some("tmux.conf"),
            ..none
        };
        assert_eq!(refusal(&TMUX, &config), "path-invalid");
        for (program, code) in [
            ("", "empty"),
            ("exec", "program-builtin"),
            ("./exec", "none"),
        ] {
            let launch = Launch {
                claude_bin: program,
                ..TMUX
            };
            assert_eq!(refusal(&launch, &none), code);
        }
        assert_eq!(
            refusal(
                &Launch {
                    exit_file: "",
                    ..TMUX
                },
                &none
            ),
            "empty"
        );
        let scrub = SafeOptions {
            scrub_env: &["A=B"],
            ..none
        };
        assert_eq!(refusal(&TMUX, &scrub), "env-name-invalid");
    }

    #[test]
    fn a_message_is_refused_by_its_bytes_after_escaping_and_for_tmux_alone() {
        let bare = build(&Launch {
            claude_args: &[""],
            ..TMUX
        })
        .unwrap();
        let room = TMUX_MESSAGE_LIMIT - packed_size(&bare.start.args);
        let with_prompt = |prompt: &str, launch| {
            build(&Launch {
                claude_args: &[prompt],
                ..launch
            })
        };
        let longest = "é".repeat(room / 2) + &"x".repeat(room % 2);
        let start = with_prompt(&longest, TMUX).unwrap().start;
        assert_eq!(packed_size(&start.args), TMUX_MESSAGE_LIMIT);
        let error = with_prompt(&(longest.clone() + "x"), TMUX).unwrap_err();
        assert_eq!(
            error.sizes(),
            Some((TMUX_MESSAGE_LIMIT + 1, TMUX_MESSAGE_LIMIT))
        );
        let escaped = "x".repeat(room - 1) + ";";
        assert_eq!(
            with_prompt(&escaped, TMUX).unwrap_err().code(),
            "message-too-long"
        );
        assert!(with_prompt(&"x".repeat(100_000), SCREEN).is_ok());
    }
}
