//! [`build_safe_mux_commands`]: the commands of one session's life, guarded.

use super::refusal::{refuse_nul, refuse_nul_in, refuse_oversize, scrub_words};
use super::{MuxCommandError, escape_tmux_arg, escape_tmux_format};
use crate::launch::{Launch, MuxKind, SESSION_EXIT_SCRIPT, SESSION_LABEL};
use crate::tmux::{TmuxServer, classify_folder, classify_tmux_session_name};

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
/// [`build_mux_commands`](crate::launch::build_mux_commands) lacks.
///
/// Refused are a name outside the grammar, one that a tmux client may have (a target finds a client
/// too) and for screen one over 80 bytes or too long for a socket in its folder; a `cwd` that is relative, missing or no folder (tmux would
/// start in the home folder); a NUL; and for tmux a command over
/// [`TMUX_MESSAGE_LIMIT`](super::TMUX_MESSAGE_LIMIT). For tmux each argument is escaped and targets
/// are `=NAME:`, because `=NAME` finds another session where the name has a dot. `claude_args` are
/// as [`build_claude_args`](crate::launch::build_claude_args) gives them: `--` is put before the last, the
/// prompt, unless it is there, so that neither a variadic option swallows it nor a leading `-`
/// makes it an option.
///
/// # Errors
///
/// [`MuxCommandError`].
///
/// ```
/// use seatkit::launch::{Launch, Mux, MuxKind};
/// use seatkit::mux::{SafeOptions, build_safe_mux_commands};
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
/// # Ok::<(), seatkit::mux::MuxCommandError>(())
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
#[path = "safe_tests.rs"]
mod tests;
