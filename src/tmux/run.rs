//! Running tmux.

use std::ffi::{CString, NulError, OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::child::{self, Lost, OUTPUT_LIMIT};
use super::{TmuxRun, TmuxServer};
use crate::errno;

/// Where a program given without a `/` is looked for when there is no `PATH`, as `execvp` does.
const DEFAULT_PATH: &str = "/usr/bin:/bin";

/// How long a run may take where nothing is said. A server that is stopped answers nobody, and
/// tmux itself waits for it for ever.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// How [`run_tmux`] runs tmux.
#[derive(Clone, Debug, Default)]
pub struct TmuxOptions {
    /// Which server.
    pub server: TmuxServer,
    /// The whole environment of the child; `None` is this process's own. The `PATH` in it is also
    /// where `bin` is looked for.
    pub env: Option<Vec<(OsString, OsString)>>,
    /// How long the child may take before it is killed, with everything that it started and that
    /// stayed in its process group; `None` is [`DEFAULT_TIMEOUT`].
    pub timeout: Option<Duration>,
    /// The program, `tmux` where there is none; a name is looked for on `PATH`.
    pub bin: Option<OsString>,
}

/// Why tmux could not be run. Whatever tmux itself answers is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunTmuxError {
    /// Something that no process can be given. Nothing was started.
    #[error("{what} must not contain a NUL")]
    Nul {
        /// What holds it, such as `args[1]`.
        what: String,
    },
    /// The program could not be started.
    #[error("spawn {bin} {}", errno_words(*.errno))]
    Spawn {
        /// The program as it was asked for.
        bin: String,
        /// The system's error number.
        errno: i32,
    },
    /// The program printed more than anybody could be given; it was killed.
    #[error("{bin} ENOBUFS: it printed more than {limit} bytes")]
    TooMuch {
        /// The program as it was asked for.
        bin: String,
        /// The most that is taken.
        limit: usize,
    },
    /// The program was started and could not be followed to its end; it was killed.
    #[error("wait {bin} {}", errno_words(*.errno))]
    Wait {
        /// The program as it was asked for.
        bin: String,
        /// The system's error number.
        errno: i32,
    },
}

impl RunTmuxError {
    /// A stable word for the error: the errno name, or `invalid-argument`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Nul { .. } => "invalid-argument",
            Self::TooMuch { .. } => "ENOBUFS",
            Self::Spawn { errno, .. } | Self::Wait { errno, .. } => errno_name(*errno),
        }
    }
}

fn errno_name(errno: i32) -> &'static str {
    errno::name(Errno::from_raw_os_error(errno))
}

fn errno_words(errno: i32) -> String {
    let words = errno::describe(Errno::from_raw_os_error(errno));
    format!("{}: {words}", errno_name(errno))
}

fn errno_of(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error())
}

/// Runs tmux once, with an empty stdin, and gives what it answered.
///
/// Both outputs are read at the same time, whatever their size. The call ends when tmux does: a
/// process that tmux leaves behind and that still holds the outputs is not waited for. Past the
/// time limit tmux is killed with its process group and the status is `None`, with what it had
/// written until then; the server, which left that group, is not touched. A server that is started
/// so gets no descriptor of this process. No signal handler, no thread and no descriptor is left.
///
/// The arguments are passed as they are: see
/// [`escape_tmux_arg`](crate::mux::escape_tmux_arg) for what tmux makes of them.
///
/// # Errors
///
/// [`RunTmuxError::Nul`] for what no process can be given, [`RunTmuxError::Spawn`] when the program
/// is missing (`ENOENT`), not executable (`EACCES`) or its arguments are too long (`E2BIG`),
/// [`RunTmuxError::TooMuch`] (`ENOBUFS`) when it prints more than 512 MiB.
///
/// ```no_run
/// use std::time::Duration;
/// use seatkit::tmux::{TmuxOptions, run_tmux};
///
/// let options = TmuxOptions { timeout: Some(Duration::from_secs(5)), ..TmuxOptions::default() };
/// let run = run_tmux(&["list-sessions", "-F", "#{session_id}"], &options)?;
/// println!("{:?} {}", run.status, run.stdout);
/// # Ok::<(), seatkit::tmux::RunTmuxError>(())
/// ```
pub fn run_tmux<S: AsRef<OsStr>>(
    args: &[S],
    options: &TmuxOptions,
) -> Result<TmuxRun, RunTmuxError> {
    let bin = options.bin.as_deref().unwrap_or(OsStr::new("tmux"));
    // Before the program is looked for: with a NUL nothing is done at all.
    c_string(bin, || "bin".to_owned())?;
    let mut words = vec![CString::default()];
    for flag in options.server.flags() {
        words.push(c_string(flag, || "a server flag".to_owned())?);
    }
    for (index, arg) in args.iter().enumerate() {
        words.push(c_string(arg, || format!("args[{index}]"))?);
    }
    let env = options.env.as_deref().map(env_strings).transpose()?;

    let bin_text = || bin.to_string_lossy().into_owned();
    let spawn_error = |errno| RunTmuxError::Spawn { bin: bin_text(), errno };
    let program = find(bin, options).map_err(|errno| spawn_error(errno.raw_os_error()))?;
    if let Some(first) = words.first_mut() {
        *first = c_string(program, || "bin".to_owned())?;
    }
    let ended = child::start(&words, env.as_deref())
        .map_err(|error| spawn_error(errno_of(&error)))?
        .follow(options.timeout.unwrap_or(DEFAULT_TIMEOUT))
        .map_err(|lost| match lost {
            Lost::TooMuch => RunTmuxError::TooMuch { bin: bin_text(), limit: OUTPUT_LIMIT },
            Lost::System(error) => RunTmuxError::Wait { bin: bin_text(), errno: errno_of(&error) },
        })?;
    Ok(TmuxRun {
        status: ended.code,
        stdout: into_text(ended.stdout),
        stderr: into_text(ended.stderr),
    })
}

fn env_strings(env: &[(OsString, OsString)]) -> Result<Vec<CString>, RunTmuxError> {
    env.iter()
        .map(|(name, value)| {
            let variable = [name.as_bytes(), b"=", value.as_bytes()].concat();
            c_string(OsString::from_vec(variable), || format!("env.{}", name.to_string_lossy()))
        })
        .collect()
}

fn c_string(
    text: impl AsRef<OsStr>,
    what: impl FnOnce() -> String,
) -> Result<CString, RunTmuxError> {
    CString::new(text.as_ref().as_bytes()).map_err(|_: NulError| RunTmuxError::Nul { what: what() })
}

/// The path of the program, as `execvp` would find it. Looking for it here keeps the child on
/// `posix_spawn`, which `Command` leaves when it has to search another environment's `PATH`.
fn find(bin: &OsStr, options: &TmuxOptions) -> Result<PathBuf, Errno> {
    if bin.is_empty() {
        return Err(Errno::NOENT);
    }
    if bin.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(bin));
    }
    let path = match &options.env {
        Some(env) => env.iter().rfind(|(name, _)| name == "PATH").map(|(_, value)| value.clone()),
        None => std::env::var_os("PATH"),
    };
    let path = path.unwrap_or_else(|| DEFAULT_PATH.into());
    let mut refused = Errno::NOENT;
    for folder in path.as_bytes().split(|&byte| byte == b':') {
        let folder = if folder.is_empty() { b".".as_slice() } else { folder };
        let candidate = Path::new(OsStr::from_bytes(folder)).join(bin);
        if !candidate.is_file() {
            continue;
        }
        match access(&candidate, Access::EXEC_OK) {
            Ok(()) => return Ok(candidate),
            Err(errno) => refused = errno,
        }
    }
    Err(refused)
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_bin(bin: &str) -> TmuxOptions {
        TmuxOptions { bin: Some(bin.into()), ..TmuxOptions::default() }
    }

    #[test]
    fn the_server_flags_stand_before_the_arguments() {
        let options = TmuxOptions {
            server: TmuxServer {
                socket: Some("seat".into()),
                config: Some("/dev/null".into()),
                utf8: true,
            },
            ..with_bin("echo")
        };
        let run = run_tmux(&["has-session", "-t", "=a;"], &options).unwrap();
        assert_eq!(run.stdout, "-L seat -f /dev/null -u has-session -t =a;\n");
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    }

    #[test]
    fn the_environment_is_the_given_one_and_nothing_else() {
        let env =
            vec![("PATH".into(), std::env::var_os("PATH").unwrap()), ("SEAT".into(), "é".into())];
        let options = TmuxOptions { env: Some(env), ..with_bin("env") };
        let run = run_tmux::<&str>(&[], &options).unwrap();
        let mut lines: Vec<&str> = run.stdout.lines().collect();
        lines.sort_unstable();
        let names: Vec<&str> = lines.iter().filter_map(|line| line.split('=').next()).collect();
        assert_eq!(names, ["PATH", "SEAT"]);
        assert!(lines.contains(&"SEAT=é"));
    }

    #[test]
    fn without_one_it_is_this_process_own() {
        let run = run_tmux(&["-c", "echo $PATH"], &with_bin("sh")).unwrap();
        assert_eq!(run.stdout.trim_end(), std::env::var("PATH").unwrap());
    }

    #[test]
    fn a_program_is_looked_for_on_the_path_it_will_have() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| TmuxOptions {
            env: Some(vec![("PATH".into(), path.into())]),
            ..with_bin("only-here")
        };
        let path = format!("/nope:{}", folder.path().display());
        let refused = |path| run_tmux::<&str>(&[], &at(path)).unwrap_err().code();
        assert_eq!(refused(&path), "ENOENT");

        let program = folder.path().join("only-here");
        std::fs::write(&program, "#!/bin/sh\necho found\n").unwrap();
        let mode = |mode| {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(0o644);
        assert_eq!(refused(&path), "EACCES");
        mode(0o755);
        assert_eq!(run_tmux::<&str>(&[], &at(&path)).unwrap().stdout, "found\n");
        assert_eq!(refused("/nope"), "ENOENT");
    }

    #[test]
    fn what_cannot_be_started_is_an_error_with_its_errno_name() {
        for (bin, code) in [("/nope/tmux", "ENOENT"), ("/dev/null", "EACCES"), ("", "ENOENT")] {
            let error = run_tmux(&["-V"], &with_bin(bin)).unwrap_err();
            assert_eq!(error.code(), code);
            assert!(error.to_string().starts_with(&format!("spawn {bin} {code}: ")));
        }
        let long = "x".repeat(4 << 20);
        assert_eq!(run_tmux(&[&long], &with_bin("true")).unwrap_err().code(), "E2BIG");
    }

    #[test]
    fn a_nul_is_refused_before_anything_starts() {
        let folder = tempfile::tempdir().unwrap();
        let witness = folder.path().join("started");
        let script = format!("touch '{}'", witness.display());
        let mut all = vec![with_bin("sh"), with_bin("s\0h")];
        all[0].server.socket = Some("a\0b".into());
        all.push(TmuxOptions { env: Some(vec![("A".into(), "a\0b".into())]), ..with_bin("sh") });
        for options in all {
            let error = run_tmux(&["-c", &script], &options).unwrap_err();
            assert!(matches!(error, RunTmuxError::Nul { .. }), "{error}");
        }
        let error = run_tmux(&["-c", &script, "a\0"], &with_bin("sh")).unwrap_err();
        assert_eq!(error.to_string(), "args[2] must not contain a NUL");
        assert!(!witness.exists());
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let run = run_tmux(&["-c", r"printf 'a\377b'"], &with_bin("sh")).unwrap();
        assert_eq!(run.stdout, "a\u{FFFD}b");
    }
}
