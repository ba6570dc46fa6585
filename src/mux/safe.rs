//! [`build_safe_mux_commands`]: the commands of one session's life, guarded.

use std::path::Path;

use super::paths::{SOCKET_PATH_LIMIT, check_config, check_cwd, check_own_file, check_socket};
use super::refusal::{env_words, refuse_nul, refuse_nul_in, refuse_oversize};
use super::{MuxCommandError, escape_tmux_arg, escape_tmux_format};
use crate::launch::{Launch, MuxKind, SESSION_EXIT_SCRIPT, SESSION_LABEL};
use crate::tmux::{TmuxServer, classify_tmux_session_name};

/// The columns and rows of a terminal that nobody looks at yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How wide it is; 1 to 65535.
    pub columns: u32,
    /// How high it is; 1 to 65535.
    pub rows: u32,
}

/// Which argument of the program is its prompt. It has to be told: the last one may as well be the
/// value of an option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prompt<'a> {
    /// None of them.
    #[default]
    None,
    /// The last of `claude_args`, as [`build_claude_args`](crate::launch::build_claude_args) gives
    /// them.
    Last,
    /// This text, after all of them.
    Text(&'a str),
}

/// What [`build_safe_mux_commands`] may be told beside the launch itself.
#[derive(Clone, Copy, Debug)]
pub struct SafeOptions<'a> {
    /// A server of one's own. For tmux a name (`-L`) or an absolute path (`-S`), in every command;
    /// for screen the absolute path of its folder, as `SCREENDIR` in every command's `env`.
    pub socket: Option<&'a str>,
    /// The absolute path of the configuration, which has to be there; `/dev/null` keeps the user's
    /// own out.
    pub config: Option<&'a str>,
    /// Whether the multiplexer is to take the terminal for UTF-8 whatever the locale.
    pub utf8: bool,
    /// Variables to take out of the session's environment, such as `CLAUDECODE`.
    pub scrub_env: &'a [&'a str],
    /// Variables to set in the session's environment or, with `None`, to take out of it. They hold
    /// on whatever server it lands; who lists processes sees them.
    pub env: &'a [(&'a str, Option<&'a str>)],
    /// The size of the session until somebody looks at it; tmux alone takes one.
    pub size: Option<Size>,
    /// Which argument is the prompt.
    pub prompt: Prompt<'a>,
    /// Whether `--` is put before the prompt, so that neither an option that takes several values
    /// swallows it nor a leading `-` makes it an option. Not every program takes it.
    pub terminator: bool,
}

impl Default for SafeOptions<'_> {
    fn default() -> Self {
        Self {
            socket: None,
            config: None,
            utf8: false,
            scrub_env: &[],
            env: &[],
            size: None,
            prompt: Prompt::None,
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

/// The most words of a command that macOS's own screen takes: it copies them into a table of 68,
/// unchecked, after some of its own.
const APPLE_SCREEN_WORDS: usize = 64;

/// macOS's own screen, whose sockets are pipes: a path's length does not bound them.
const APPLE_SCREEN: &str = "/usr/bin/screen";

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
/// too) and for screen one over 80 bytes or too long for a socket in its folder; a `cwd` that is
/// relative, missing, no folder or one that this user may not enter (tmux would start in the home
/// folder); a configuration that is missing; an exit file that nothing could be recorded in; a NUL;
/// and for tmux a command over [`TMUX_MESSAGE_LIMIT`](super::TMUX_MESSAGE_LIMIT). For tmux each
/// argument is escaped and targets are `=NAME:`, because `=NAME` finds another session where the
/// name has a dot.
///
/// # Errors
///
/// [`MuxCommandError`].
///
/// ```
/// use seatkit::launch::{Launch, Mux, MuxKind};
/// use seatkit::mux::{Prompt, SafeOptions, build_safe_mux_commands};
///
/// let launch = Launch {
///     mux: Mux { kind: MuxKind::Tmux, bin: "/usr/bin/tmux" },
///     mux_name: "maestro-olivia",
///     cwd: "/tmp",
///     claude_bin: "/usr/local/bin/claude",
///     claude_args: &["--allowedTools", "Read"],
///     exit_file: "/tmp/last-exit",
/// };
/// let options = SafeOptions { prompt: Prompt::Text("fix it;"), ..SafeOptions::default() };
/// let commands = build_safe_mux_commands(&launch, &options)?;
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
    check_launch(launch, options)?;
    let mut words = env_words(options.scrub_env, options.env)?;
    words.extend(["/bin/sh", "-c", SESSION_EXIT_SCRIPT, SESSION_LABEL].map(String::from));
    words.extend([launch.exit_file, launch.claude_bin].map(String::from));
    words.extend(claude_words(launch.claude_args, options)?);
    match launch.mux.kind {
        MuxKind::Tmux => tmux_commands(launch, options, &words),
        MuxKind::Screen => screen_commands(launch, options, words),
    }
}

/// Refuses whatever a session cannot be started with, however it is started.
pub(crate) fn check_launch(
    launch: &Launch<'_>,
    options: &SafeOptions<'_>,
) -> Result<(), MuxCommandError> {
    check_texts(launch, options)?;
    check_name(launch, options.socket)?;
    check_cwd(launch.cwd)?;
    check_program(launch.claude_bin)?;
    if let Some(socket) = options.socket {
        check_socket(launch.mux.kind, socket)?;
    }
    if let Some(config) = options.config {
        check_config(config)?;
    }
    check_own_file("exitFile", launch.exit_file)?;
    check_size(launch.mux.kind, options.size)?;
    // What they would be is another matter.
    env_words(options.scrub_env, options.env)?;
    Ok(())
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
    let size = options.size.map(|size| {
        let (columns, rows) = (size.columns.to_string(), size.rows.to_string());
        ["-x".to_owned(), columns, "-y".to_owned(), rows]
    });
    let head = ["new-session", "-d", "-s", name, "-c", &cwd];
    let start: Vec<String> = head
        .into_iter()
        .chain(size.iter().flatten().map(String::as_str))
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
) -> Result<SafeMuxCommands, MuxCommandError> {
    let folder = options.socket.map(|folder| ("SCREENDIR".to_owned(), folder.to_owned()));
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
    if cfg!(target_os = "macos") {
        check_words(start.len() + 1)?;
    }
    Ok(SafeMuxCommands {
        blocking: true,
        start: command(start, Some(launch.cwd)),
        wait_probe: None,
        exists: command(vec!["-ls".to_owned()], None),
        // By name, or screen 5 keeps the socket; it wipes the dead alone.
        wipe: command(vec!["-wipe".to_owned(), launch.mux_name.to_owned()], None),
        stop: None,
    })
}

fn check_words(size: usize) -> Result<(), MuxCommandError> {
    let limit = APPLE_SCREEN_WORDS;
    if size > limit {
        return Err(MuxCommandError::TooManyWords { size, limit });
    }
    Ok(())
}

/// The arguments of `claude`, the prompt last and after a `--` where one is wanted.
pub(crate) fn claude_words(
    args: &[&str],
    options: &SafeOptions<'_>,
) -> Result<Vec<String>, MuxCommandError> {
    let (before, prompt) = match (options.prompt, args) {
        (Prompt::None, _) => (args, None),
        (Prompt::Text(prompt), _) => (args, Some(prompt)),
        (Prompt::Last, [before @ .., prompt]) => (before, Some(*prompt)),
        (Prompt::Last, []) => return Err(MuxCommandError::PromptMissing),
    };
    let needed = options.terminator && prompt.is_some() && before.last() != Some(&"--");
    let terminator = needed.then_some("--");
    let words = before.iter().copied().chain(terminator).chain(prompt);
    Ok(words.map(str::to_owned).collect())
}

fn check_size(kind: MuxKind, size: Option<Size>) -> Result<(), MuxCommandError> {
    let possible = 1..=u32::from(u16::MAX);
    match (kind, size) {
        (_, None) => Ok(()),
        (MuxKind::Screen, Some(_)) => Err(MuxCommandError::SizeUnsupported),
        (MuxKind::Tmux, Some(Size { columns, rows })) => {
            if possible.contains(&columns) && possible.contains(&rows) {
                return Ok(());
            }
            Err(MuxCommandError::SizeInvalid { columns, rows })
        }
    }
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
    if let Prompt::Text(prompt) = options.prompt {
        refuse_nul("prompt", prompt)?;
    }
    refuse_nul_in("claudeArgs", launch.claude_args)
}

fn check_name(launch: &Launch<'_>, socket: Option<&str>) -> Result<(), MuxCommandError> {
    let name = launch.mux_name;
    let owned = || name.to_owned();
    let bounded = socket.filter(|_| !cfg!(target_os = "macos") || launch.mux.bin != APPLE_SCREEN);
    let limit = bounded.map_or(SCREEN_NAME_LIMIT, |folder| {
        let before = folder.len() + "/".len() + PID_AND_DOT;
        SCREEN_NAME_LIMIT.min(SOCKET_PATH_LIMIT.saturating_sub(before))
    });
    if classify_tmux_session_name(name).is_some() {
        return Err(MuxCommandError::NameInvalid { name: owned() });
    }
    match launch.mux.kind {
        MuxKind::Tmux if is_client_name(name) => {
            Err(MuxCommandError::NameReserved { name: owned() })
        }
        MuxKind::Screen if name.len() > limit => {
            Err(MuxCommandError::NameTooLong { size: name.len(), limit })
        }
        _ => Ok(()),
    }
}

/// Whether tmux may call a client so: `client-PID` where it has no terminal, or else the
/// terminal's device without `/dev/` (`ttys001` on macOS, `tty1`, `console` or `hvc0` on a Linux
/// console). Every target matches such a name too, `=NAME:` included.
fn is_client_name(name: &str) -> bool {
    let numbered = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(rest) = name.strip_prefix("client-") {
        return numbered(rest);
    }
    let device = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_terminal = match device {
        "console" | "cons" | "hvc" | "hvsi" | "xvc" => true,
        device => {
            device.starts_with("tty") && device.bytes().all(|byte| byte.is_ascii_alphabetic())
        }
    };
    if is_terminal && (device == "console" || device.len() < name.len()) {
        return true;
    }
    // Whatever else Linux calls its terminals, but for the one that is nobody's in particular.
    name != "tty" && Path::new("/sys/class/tty").join(name).exists()
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
        return Err(MuxCommandError::ProgramBuiltin { program: program.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
#[path = "safe_tests.rs"]
mod tests;
