//! The command that opens a fresh program in a window of an existing session.

use super::precondition::assert_program;
use super::{APPEND_FORMAT, LaunchPreconditionError};
use crate::mux::{
    ENV, MuxCommandError, env_words, escape_tmux_arg, refuse_nul_in, refuse_oversize,
};
use crate::tmux::{TmuxSessionId, classify_tmux_cwd};

/// What [`build_fresh_window_args`] may be told beside the program.
#[derive(Clone, Copy, Debug, Default)]
pub struct FreshWindow<'a> {
    /// Where the window starts. Without it that is the folder of the process that runs tmux, not
    /// the session's.
    pub cwd: Option<&'a str>,
    /// Variables to take out of the program's environment, such as `CLAUDECODE`.
    pub scrub_env: &'a [&'a str],
    /// Variables to set in the program's environment or, with `None`, to take out of it.
    pub env: &'a [(&'a str, Option<&'a str>)],
}

/// Why no argument list was built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FreshWindowError {
    /// The program cannot be launched.
    #[error(transparent)]
    Runtime(#[from] LaunchPreconditionError),
    /// Something else cannot be given to tmux.
    #[error(transparent)]
    Command(#[from] MuxCommandError),
}

/// The arguments that open a window at the end of a session and run a program in it, without a
/// shell and without moving anybody's focus; tmux prints the handle that
/// [`parse_window_fields`](super::parse_window_fields) reads.
///
/// The target is a native id: a name is resolved once, before, and never again. The program and
/// the folder are checked first, because tmux exits with 0 for both; what then fails in the window
/// it does not say either. A program without arguments is run by `env`, because a command of one
/// word goes through the user's shell, which reads more into a path than its name. Variables are set
/// by `env` too: the server's own would be those of whoever started it, and of what a client sets
/// tmux overrides some.
///
/// # Errors
///
/// [`FreshWindowError`].
///
/// ```
/// use seatkit::placement::{FreshWindow, build_fresh_window_args};
///
/// let args = build_fresh_window_args(&"$3".parse()?, "/bin/sh", &["-c", "ls;"], &FreshWindow::default())?;
/// assert_eq!(args[..5], ["new-window", "-d", "-a", "-t", "$3:{end}"]);
/// assert_eq!(args[args.len() - 4..], ["--", "/bin/sh", "-c", r"ls\;"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build_fresh_window_args(
    target: &TmuxSessionId,
    runtime: &str,
    args: &[&str],
    window: &FreshWindow<'_>,
) -> Result<Vec<String>, FreshWindowError> {
    assert_program(runtime)?;
    refuse_nul_in("args", args)?;
    if let Some(cwd) = window.cwd
        && let Some(reason) = classify_tmux_cwd(cwd)
    {
        let (cwd, errno) = (cwd.to_owned(), None);
        return Err(MuxCommandError::Cwd { reason, cwd, errno }.into());
    }
    let target = format!("{target}:{{end}}");
    let mut command = ["new-window", "-d", "-a", "-t", &target].map(String::from).to_vec();
    if let Some(cwd) = window.cwd {
        command.extend(["-c".to_owned(), cwd.to_owned()]);
    }
    command.extend(["-P", "-F", APPEND_FORMAT, "--"].map(String::from));
    command.extend(words(runtime, args, window)?);
    for word in &mut command {
        *word = escape_tmux_arg(word).into_owned();
    }
    refuse_oversize(&command)?;
    Ok(command)
}

fn words(
    runtime: &str,
    args: &[&str],
    window: &FreshWindow<'_>,
) -> Result<Vec<String>, MuxCommandError> {
    let mut words = env_words(window.scrub_env, window.env)?;
    if words.is_empty() && args.is_empty() {
        words.push(ENV.to_owned());
    }
    if !words.is_empty() && runtime.contains('=') {
        // `env` would take it for an assignment.
        words.extend(["/bin/sh", "-c", r#"exec "$@""#, "sh"].map(String::from));
    }
    words.push(runtime.to_owned());
    words.extend(args.iter().map(|arg| (*arg).to_owned()));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn build(
        runtime: &str,
        args: &[&str],
        window: &FreshWindow<'_>,
    ) -> Result<Vec<String>, FreshWindowError> {
        build_fresh_window_args(&"$3".parse().unwrap(), runtime, args, window)
    }

    fn tail(command: &[String]) -> Vec<&str> {
        let start = command.iter().position(|word| word == "--").unwrap() + 1;
        command[start..].iter().map(String::as_str).collect()
    }

    #[test]
    fn the_window_is_appended_without_focus_and_prints_its_handle() {
        let command = build("/bin/sh", &["-c", "a;"], &FreshWindow::default()).unwrap();
        assert_eq!(
            command,
            [
                "new-window",
                "-d",
                "-a",
                "-t",
                "$3:{end}",
                "-P",
                "-F",
                APPEND_FORMAT,
                "--",
                "/bin/sh",
                "-c",
                r"a\;",
            ]
        );
        let window = FreshWindow {
            cwd: Some("/"),
            scrub_env: &["CLAUDECODE"],
            env: &[("KEY", Some("a=b;")), ("GONE", None)],
        };
        let command = build("/bin/sh", &["-l"], &window).unwrap();
        assert_eq!(command[5..7], ["-c", "/"]);
        assert_eq!(
            tail(&command),
            ["/usr/bin/env", "-u", "CLAUDECODE", "-u", "GONE", r"KEY=a=b\;", "/bin/sh", "-l"]
        );
    }

    #[test]
    fn a_program_alone_does_not_go_through_a_shell() {
        let command = build("/bin/sh", &[], &FreshWindow::default()).unwrap();
        assert_eq!(tail(&command), ["/usr/bin/env", "/bin/sh"]);
    }

    #[test]
    fn a_blank_in_the_path_does_no_harm_where_no_shell_runs() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("my tool");
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = path.to_str().unwrap();
        let command = build(path, &[], &FreshWindow::default()).unwrap();
        assert_eq!(tail(&command), ["/usr/bin/env", path]);
    }

    #[test]
    fn a_path_that_looks_like_an_assignment_is_none() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("a=b");
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = path.to_str().unwrap();
        let command = build(path, &[], &FreshWindow::default()).unwrap();
        assert_eq!(tail(&command), ["/usr/bin/env", "/bin/sh", "-c", r#"exec "$@""#, "sh", path]);
        let command = build(path, &["x"], &FreshWindow::default()).unwrap();
        assert_eq!(tail(&command), [path, "x"]);
    }

    #[test]
    fn what_tmux_would_not_report_is_refused_before() {
        let none = FreshWindow::default();
        let code = |runtime: &str, args: &[&str], window: &FreshWindow<'_>| match build(
            runtime, args, window,
        ) {
            Ok(_) => "none",
            Err(FreshWindowError::Runtime(error)) => error.reason.as_str(),
            Err(FreshWindowError::Command(error)) => error.code(),
        };
        let cwd = |cwd| FreshWindow { cwd: Some(cwd), ..FreshWindow::default() };
        assert_eq!(code("sh", &[], &none), "runtime-not-absolute");
        assert_eq!(code("/nope/x", &[], &none), "runtime-missing");
        assert_eq!(code("/bin/sh", &[], &cwd("/x#")), "cwd-format-token");
        assert_eq!(code("/bin/sh", &[], &cwd("x")), "cwd-not-absolute");
        assert_eq!(code("/bin/sh", &[], &cwd("/nope/x")), "cwd-missing");
        assert_eq!(code("/bin/sh", &[], &cwd("/dev/null")), "cwd-not-directory");
        assert_eq!(code("/bin/sh", &["a", "b\0"], &none), "nul");
        assert_eq!(code("/bin/sh", &[&"é".repeat(8200)], &none), "message-too-long");
        let scrub = FreshWindow { scrub_env: &[""], ..FreshWindow::default() };
        let set = FreshWindow { env: &[("A B", None)], ..FreshWindow::default() };
        assert_eq!(code("/bin/sh", &[], &set), "env-name-invalid");
        assert_eq!(code("/bin/sh", &[], &scrub), "env-name-invalid");
    }
}
