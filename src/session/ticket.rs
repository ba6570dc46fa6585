//! The file that a run's own shell reads what it is to do from, and the right to do it once.
//!
//! It is taken by a rename, which one shell alone can win, and a start that gives up takes it back in the
//! same way: what a slow or stopped server does later then finds nothing to run.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::record::read_file;
use crate::process::{self, ProcessId, Words};

/// What the shell is given: the ticket's path is all that its arguments say.
const LOADER: &str = r#"mv -f "$1" "$1.taken" && . "$1.taken""#;

/// The end of every ticket.
const RUN: &str = include_str!("run.sh");

/// What marks the shells of a run: on macOS their variables cannot be seen, their arguments can.
const LABEL: &str = "seatkit-run-";

/// The variables by which all that comes of a run is known.
pub(super) const RUN_VARIABLE: &str = "SEATKIT_RUN";
pub(super) const NAME_VARIABLE: &str = "SEATKIT_SESSION";
pub(super) const RECORD_VARIABLE: &str = "SEATKIT_RECORD";

/// The beginning of every variable of the run's own shell.
pub(super) const OWN_VARIABLES: &str = "seatkit_";

/// Variables that a shell keeps for itself: dash or bash end over an assignment to them.
pub(super) const RESERVED: [&str; 7] =
    ["BASHOPTS", "BASH_VERSINFO", "EUID", "OPTIND", "PPID", "SHELLOPTS", "UID"];

/// The files of one run beside its record. All begin with a dot.
#[derive(Clone, Debug)]
pub(super) struct Ticket {
    pub(super) run: String,
    path: PathBuf,
    exit_new: PathBuf,
}

/// What the shell of a run is to do.
pub(super) struct Task<'a> {
    pub(super) cwd: &'a str,
    pub(super) env: &'a [(String, Option<String>)],
    /// The program and its arguments.
    pub(super) words: &'a [String],
    pub(super) exit_file: &'a Path,
}

/// What the agent's process said of itself before it became the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// It may have ended since, and another may have its id.
    pub(super) pid: u32,
    /// The shell that started it, likewise.
    pub(super) shell: u32,
    pub(super) tmux: String,
    pub(super) tmux_pane: String,
    pub(super) screen: String,
}

/// Who has a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Revoked {
    /// Nobody, and nobody will.
    Yes,
    /// The run's shell took it, or it was never written.
    Gone,
}

impl Ticket {
    pub(super) fn of(run: &str, record_file: &Path, exit_file: &Path) -> Self {
        Self {
            run: run.to_owned(),
            path: beside(record_file, &format!("{run}.start")),
            exit_new: beside(exit_file, run),
        }
    }

    fn taken(&self) -> PathBuf {
        self.path.with_extension("start.taken")
    }

    fn pid_file(&self) -> PathBuf {
        self.path.with_extension("pid")
    }

    pub(super) fn label(&self) -> String {
        format!("{LABEL}{}", self.run)
    }

    /// The words that the multiplexer runs.
    pub(super) fn command(&self) -> Vec<String> {
        let path = self.path.to_string_lossy().into_owned();
        vec!["/bin/sh".to_owned(), "-c".to_owned(), LOADER.to_owned(), self.label(), path]
    }

    /// Writes the ticket, readable by this user alone.
    pub(super) fn write(&self, task: &Task<'_>) -> io::Result<()> {
        let text = self.script(task);
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.path)?;
        file.write_all(text.as_bytes())
    }

    fn script(&self, task: &Task<'_>) -> String {
        let mut text = String::new();
        let own = [
            ("seatkit_run", self.run.clone()),
            ("seatkit_label", self.label()),
            ("seatkit_pid_file", self.pid_file().to_string_lossy().into_owned()),
            ("seatkit_exit_new", self.exit_new.to_string_lossy().into_owned()),
            ("seatkit_exit_file", task.exit_file.to_string_lossy().into_owned()),
        ];
        let mut line = |words: std::fmt::Arguments<'_>| {
            // A string takes whatever is written to it.
            let _ = writeln!(text, "{words}");
        };
        let taken = self.taken();
        line(format_args!("rm -f {}", Quoted(&taken.to_string_lossy())));
        // As the terminal has them: the agent's own may be others, or none.
        line(format_args!(
            "seatkit_path=$PATH seatkit_tmux=$TMUX seatkit_pane=$TMUX_PANE seatkit_screen=$STY"
        ));
        line(format_args!("cd {} || exit 126", Quoted(task.cwd)));
        for (name, value) in task.env {
            match value {
                Some(value) => line(format_args!("export {name}={}", Quoted(value))),
                None => line(format_args!("unset {name}")),
            }
        }
        for (name, value) in &own {
            line(format_args!("{name}={}", Quoted(value)));
        }
        let words: Vec<String> = task.words.iter().map(|word| Quoted(word).to_string()).collect();
        line(format_args!("set -- {}", words.join(" ")));
        text.push_str(RUN);
        text
    }

    /// Takes the ticket back, so that no shell can take it any more.
    pub(super) fn revoke(&self) -> io::Result<Revoked> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(Revoked::Yes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Revoked::Gone),
            Err(error) => Err(error),
        }
    }

    /// Whether a shell has taken the ticket.
    pub(super) fn is_taken(&self) -> bool {
        !self.path.exists()
    }

    /// What the agent's process said, once it has said all of it.
    pub(super) fn said(&self) -> Option<Said> {
        let text = String::from_utf8(read_file(&self.pid_file()).ok()?).ok()?;
        let lines: Vec<&str> = text.split('\n').collect();
        let [pid, shell, tmux, tmux_pane, screen, label, ""] = lines[..] else {
            return None;
        };
        let pid = pid.parse().ok().filter(|_| label == self.label())?;
        let shell = shell.parse().ok()?;
        let [tmux, tmux_pane, screen] = [tmux, tmux_pane, screen].map(str::to_owned);
        Some(Said { pid, shell, tmux, tmux_pane, screen })
    }

    /// The process that said so, while it lives.
    pub(super) fn agent(&self, said: &Said) -> Option<ProcessId> {
        // A program may keep its variables from others; its shell never does.
        ProcessId::of(said.pid).filter(|process| {
            let parent = process.look().map(|seen| seen.parent);
            let pids = [Some(process.pid), parent].into_iter().flatten();
            pids.map(process::words).any(|words| self.is_of(&words))
        })
    }

    /// The shell that started it, while it lives.
    pub(super) fn shell(&self, said: &Said) -> Option<ProcessId> {
        ProcessId::of(said.shell).filter(|shell| self.is_of(&process::words(shell.pid)))
    }

    /// Whether a process is a shell of this run, or carries its id.
    pub(super) fn is_of(&self, words: &Words) -> bool {
        run_of(words).as_deref() == Some(&self.run)
    }

    /// Whether a process is a shell of this run, which has not come to its agent yet or waits for it.
    pub(super) fn is_shell(&self, words: &Words) -> bool {
        shell_label(words) == Some(&*self.run)
    }

    /// Whether the shell has become the agent.
    pub(super) fn is_past_exec(words: &Words) -> bool {
        // One that has just ended has no words.
        !words.args.is_empty() && shell_label(words).is_none()
    }

    /// Takes away what a start leaves, once its agent runs.
    pub(super) fn clear_start(&self) {
        for path in [&self.path, &self.taken(), &self.pid_file()] {
            // One that is not there is as it should be; one that stays is found by the next start.
            let _ = fs::remove_file(path);
        }
    }

    /// Takes away every file of a run that is over, but its exit file.
    pub(super) fn clear(&self) {
        self.clear_start();
        // A shell that lives would be about to put it in its place.
        let _ = fs::remove_file(&self.exit_new);
    }
}

/// The label of a run's shell: the word that stands for its name, after the script.
fn shell_label(words: &Words) -> Option<&str> {
    match &*words.args {
        [_, option, _, label, ..] if option == "-c" => label.strip_prefix(LABEL),
        _ => None,
    }
}

/// The run that a process is of. What it was started with decides: a shell of a run by its label, all else
/// by the variable it inherited.
pub(super) fn run_of(words: &Words) -> Option<String> {
    shell_label(words).or_else(|| words.variable(RUN_VARIABLE)).map(str::to_owned)
}

/// A dotted name in the folder of `file`.
pub(super) fn beside(file: &Path, what: &str) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!(".{name}.{what}"))
}

/// A text as one word of a shell, whatever it holds.
struct Quoted<'a>(&'a str);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "'{}'", self.0.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn shells() -> Vec<&'static str> {
        let all = ["/bin/sh", "/bin/bash", "/bin/dash", "/usr/bin/busybox"];
        all.into_iter().filter(|shell| Path::new(shell).exists()).collect()
    }

    fn sh(shell: &str) -> Command {
        let mut command = Command::new(shell);
        if shell.ends_with("busybox") {
            command.arg("sh");
        }
        command
    }

    #[test]
    fn every_text_reaches_the_agent_as_it_is() {
        let odd: String =
            ('\u{1}'..='\u{ff}').chain(['\u{2028}', '\u{1f98a}', '\u{feff}']).collect();
        let texts = ["", "'", "''", "-n", "$HOME `id` \\", "a\nb\n", "\\'\\''", &odd];
        for shell in shells() {
            for text in texts {
                let folder = tempfile::tempdir().unwrap();
                let at = |name: &str| folder.path().join(name);
                let ticket = Ticket::of("r-1", &at("it's a record"), &at("exit"));
                let out = at("out").to_string_lossy().into_owned();
                let script = "printf '%s' \"$1\" >\"$2\"; printf '%s' \"$ODD\" >\"$2.env\"; exit 7";
                let words = ["/bin/sh", "-c", script, "agent", text, &out].map(str::to_owned);
                ticket
                    .write(&Task {
                        cwd: "/",
                        env: &[
                            ("ODD".to_owned(), Some(text.to_owned())),
                            ("PATH".to_owned(), None),
                        ],
                        words: &words,
                        exit_file: &at("exit"),
                    })
                    .unwrap();
                let [_, rest @ ..] = &*ticket.command() else { panic!() };
                let status = sh(shell).args(rest).status().unwrap();
                assert_eq!(status.code(), Some(7), "{shell} {text:?}");
                assert_eq!(fs::read_to_string(&out).unwrap(), text, "{shell}");
                assert_eq!(fs::read_to_string(format!("{out}.env")).unwrap(), text, "{shell}");
                assert_eq!(fs::read_to_string(at("exit")).unwrap(), "7\nr-1\n");
                assert!(ticket.said().is_some());
                ticket.clear();
                let mut left: Vec<_> = fs::read_dir(folder.path())
                    .unwrap()
                    .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                    .collect();
                left.sort();
                assert_eq!(left, ["exit", "out", "out.env"]);
            }
        }
    }

    #[test]
    fn a_ticket_is_used_once_or_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let ticket = Ticket::of("r-1", &at("record"), &at("exit"));
        let words = ["/bin/sh".to_owned(), "-c".to_owned(), "echo >>ran".to_owned()];
        let cwd = folder.path().to_string_lossy().into_owned();
        let task = Task { cwd: &cwd, env: &[], words: &words, exit_file: &at("exit") };
        let run = || {
            let command = ticket.command();
            let (shell, rest) = command.split_first().unwrap();
            let output = Command::new(shell).args(rest).output().unwrap();
            (output.status.success(), fs::read_to_string(at("ran")).unwrap_or_default().len())
        };
        ticket.write(&task).unwrap();
        assert_eq!(run(), (true, 1));
        assert_eq!(run(), (false, 1), "it is used");
        assert_eq!(ticket.revoke().unwrap(), Revoked::Gone);
        ticket.write(&task).unwrap();
        assert_eq!(ticket.revoke().unwrap(), Revoked::Yes);
        assert_eq!(run(), (false, 1), "it was taken back");
    }

    #[test]
    fn a_ticket_is_for_its_user_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let ticket = Ticket::of("r-1", &folder.path().join("record"), &folder.path().join("exit"));
        let task = Task { cwd: "/", env: &[], words: &[], exit_file: Path::new("/exit") };
        ticket.write(&task).unwrap();
        assert_eq!(fs::metadata(&ticket.path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(ticket.write(&task).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn a_process_is_of_the_run_that_it_was_started_with() {
        let words = |args: &[&str], env: &[&str]| Words {
            args: args.iter().map(ToString::to_string).collect(),
            env: env.iter().map(ToString::to_string).collect(),
        };
        let of = |args: &[&str], env: &[&str]| run_of(&words(args, env));
        assert_eq!(of(&["sleep", "9"], &["A=1", "SEATKIT_RUN=r"]).as_deref(), Some("r"));
        assert_eq!(of(&["/bin/sh", "-c", "x", "seatkit-run-r", "f"], &[]).as_deref(), Some("r"));
        // The multiplexer's server keeps the words of whoever started it first.
        assert_eq!(
            of(&["tmux", "new-session", "/bin/sh", "-c", "x", "seatkit-run-r", "f"], &[]),
            None
        );
        assert_eq!(of(&["cat", "seatkit-run-r"], &[]), None);
    }

    #[test]
    fn a_variable_that_a_shell_keeps_is_known() {
        for shell in shells() {
            for name in RESERVED {
                let script = format!("export {name}='x'; echo on");
                let output = sh(shell).args(["-c", &script]).output().unwrap();
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(matches!(text.as_str(), "" | "on\n"), "{shell} {name} {text}");
            }
            // Others that a caller passes along with the whole of its environment do no harm.
            let others = [
                "PWD", "OLDPWD", "SHLVL", "_", "IFS", "PS1", "ENV", "BASH_ENV", "LINENO", "RANDOM",
            ];
            for name in others {
                let script = format!("export {name}='x'; echo on");
                let output = sh(shell).args(["-c", &script]).output().unwrap();
                assert_eq!(output.stdout, b"on\n", "{shell} {name}");
            }
        }
    }
}
