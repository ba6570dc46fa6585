//! What a session is started with, and what is refused before anything is.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::ticket::{OWN_VARIABLES, RESERVED};
use super::{Environment, SessionError, StopSignal};
use crate::launch::{Launch, Mux, MuxKind};
use crate::mux::{
    CandidateEnv, Prompt, SafeOptions, Size, check_launch, claude_words, mux_candidates,
};

/// A multiplexer and the path of its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionMux {
    /// Which one it is.
    pub kind: MuxKind,
    /// The path of its program.
    pub bin: String,
}

/// Which argument of the program is its prompt; see [`Prompt`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PromptOf {
    /// None of them.
    #[default]
    None,
    /// The last of `claude_args`.
    Last,
    /// This text, after all of them.
    Text(String),
}

/// What a session is started with. [`SafeOptions`] says more of the fields that it has too.
#[derive(Clone, Debug)]
pub struct SessionLaunch {
    /// The multiplexer; `None` is the first of [`mux_candidates`] that is there, tmux before screen.
    pub mux: Option<SessionMux>,
    /// What the session is called. It is how a person finds it, and nothing else.
    pub mux_name: String,
    /// The working directory.
    pub cwd: String,
    /// The program: a path, or a name that is looked for on its own `PATH`.
    pub claude_bin: String,
    /// Its arguments.
    pub claude_args: Vec<String>,
    /// Which of them is the prompt. Of any length that the kernel takes.
    pub prompt: PromptOf,
    /// Whether `--` is put before the prompt.
    pub terminator: bool,
    /// A server of one's own.
    pub socket: Option<String>,
    /// The configuration of a server that is started by this.
    pub config: Option<String>,
    /// Whether the multiplexer is to take the terminal for UTF-8.
    pub utf8: bool,
    /// Variables to set or, with `None`, to take out. No value of them is seen by who lists processes.
    pub env: Vec<(String, Option<String>)>,
    /// The size of a session that nobody looks at; tmux alone takes one.
    pub size: Option<Size>,
    /// Where the run is put on record; `EXIT_FILE.session` where only an exit file is given.
    pub record_file: Option<PathBuf>,
    /// Where its exit code is recorded; `RECORD_FILE.exit` where only a record is given.
    pub exit_file: Option<PathBuf>,
    /// What asks it to end.
    pub stop_signal: StopSignal,
}

impl Default for SessionLaunch {
    fn default() -> Self {
        Self {
            mux: None,
            mux_name: String::new(),
            cwd: String::new(),
            claude_bin: String::new(),
            claude_args: Vec::new(),
            prompt: PromptOf::None,
            terminator: true,
            socket: None,
            config: None,
            utf8: false,
            env: Vec::new(),
            size: None,
            record_file: None,
            exit_file: None,
            stop_signal: StopSignal::Term,
        }
    }
}

/// A launch that was checked.
#[derive(Clone, Debug)]
pub(super) struct Checked {
    pub(super) mux: SessionMux,
    pub(super) words: Vec<String>,
    pub(super) record_file: PathBuf,
    pub(super) exit_file: PathBuf,
}

/// The longest text that Linux gives a program, its end included (`MAX_ARG_STRLEN`, execve(2)); macOS
/// bounds only all of them together.
const TEXT_LIMIT: usize = if cfg!(target_vendor = "apple") { 1 << 20 } else { 32 * 4096 };

impl SessionLaunch {
    /// The files of the run: the record's and the exit code's.
    fn files(&self) -> Result<(PathBuf, PathBuf), SessionError> {
        let with = |file: &Path, end: &str| {
            let mut name = file.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        match (&self.record_file, &self.exit_file) {
            (Some(record), Some(exit)) => Ok((record.clone(), exit.clone())),
            (Some(record), None) => Ok((record.clone(), with(record, ".exit"))),
            (None, Some(exit)) => Ok((with(exit, ".session"), exit.clone())),
            (None, None) => Err(SessionError::RecordFileMissing),
        }
    }

    pub(super) fn check(&self, env: &Environment) -> Result<Checked, SessionError> {
        let (record_file, exit_file) = self.files()?;
        let mux = match &self.mux {
            Some(mux) => mux.clone(),
            None => find_mux(env).ok_or(SessionError::MuxMissing)?,
        };
        // Both are words of a shell and of a record, which is text.
        let text = |path: &Path| match path.to_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(SessionError::Io { path: path.to_owned(), errno: Errno::ILSEQ }),
        };
        let (record, exit) = (text(&record_file)?, text(&exit_file)?);
        let claude_args: Vec<&str> = self.claude_args.iter().map(String::as_str).collect();
        let changes: Vec<(&str, Option<&str>)> =
            self.env.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
        let launch = Launch {
            mux: Mux { kind: mux.kind, bin: &mux.bin },
            mux_name: &self.mux_name,
            cwd: &self.cwd,
            claude_bin: &self.claude_bin,
            claude_args: &claude_args,
            exit_file: &exit,
        };
        let options = SafeOptions {
            socket: self.socket.as_deref(),
            config: self.config.as_deref(),
            utf8: self.utf8,
            env: &changes,
            size: self.size,
            prompt: match &self.prompt {
                PromptOf::None => Prompt::None,
                PromptOf::Last => Prompt::Last,
                PromptOf::Text(text) => Prompt::Text(text),
            },
            terminator: self.terminator,
            ..SafeOptions::default()
        };
        check_launch(&launch, &options)?;
        crate::mux::check_own_file("recordFile", &record)?;
        if record_file == exit_file {
            return Err(SessionError::Io { path: exit_file, errno: Errno::EXIST });
        }
        let is_reserved = |name: &str| RESERVED.contains(&name) || name.starts_with(OWN_VARIABLES);
        if let Some((name, _)) = self.env.iter().find(|(name, _)| is_reserved(name)) {
            return Err(SessionError::EnvReserved { name: name.clone() });
        }
        let mut words = vec![self.claude_bin.clone()];
        words.extend(claude_words(&claude_args, &options)?);
        self.check_sizes(&words)?;
        check_program(&self.claude_bin, &self.cwd)?;
        Ok(Checked { mux, words, record_file, exit_file })
    }

    fn check_sizes(&self, words: &[String]) -> Result<(), SessionError> {
        let limit = TEXT_LIMIT;
        let words = words.iter().zip(0_usize..).map(|(word, index)| {
            let what = match (index, &self.prompt) {
                (0, _) => "claudeBin".to_owned(),
                (index, _) if index <= self.claude_args.len() => {
                    format!("claudeArgs[{}]", index - 1)
                }
                _ => "prompt".to_owned(),
            };
            (what, word.len() + 1)
        });
        let variables = self.env.iter().filter_map(|(name, value)| {
            let size = name.len() + value.as_ref()?.len() + 2;
            Some((format!("env.{name}"), size))
        });
        match words.chain(variables).find(|(_, size)| *size > limit) {
            Some((what, size)) => Err(SessionError::TooLong { what, size, limit }),
            None => Ok(()),
        }
    }
}

/// A program given by its path has to be one; a name is looked for by the session itself.
fn check_program(program: &str, cwd: &str) -> Result<(), SessionError> {
    if !program.contains('/') {
        return Ok(());
    }
    let path = Path::new(cwd).join(program);
    let refuse = |errno| Err(SessionError::ProgramMissing { program: program.to_owned(), errno });
    match std::fs::metadata(&path) {
        Err(error) => refuse(Errno::from_io_error(&error).unwrap_or(Errno::NOENT)),
        Ok(found) if found.is_dir() => refuse(Errno::ISDIR),
        Ok(_) => access(&path, Access::EXEC_OK).or_else(refuse),
    }
}

fn find_mux(env: &Environment) -> Option<SessionMux> {
    let variable = |name: &str| {
        let found = env.iter().rfind(|(variable, _)| variable == name);
        found.map(|(_, value)| value.to_string_lossy().into_owned())
    };
    let (home, user, path) = (variable("HOME"), variable("USER"), variable("PATH"));
    let places =
        CandidateEnv { home: home.as_deref(), user: user.as_deref(), path: path.as_deref() };
    let platform = if cfg!(target_vendor = "apple") { "darwin" } else { "linux" };
    let found = mux_candidates(platform, &places);
    let is_there = |bin: &String| Path::new(bin).is_file() && access(bin, Access::EXEC_OK).is_ok();
    let tmux = found.tmux.into_iter().map(|bin| SessionMux { kind: MuxKind::Tmux, bin });
    let screen = found.screen.into_iter().map(|bin| SessionMux { kind: MuxKind::Screen, bin });
    tmux.chain(screen).find(|mux| is_there(&mux.bin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::ticket::beside;

    #[test]
    fn a_run_has_two_files_of_which_one_need_be_named() {
        let files = |record: Option<&str>, exit: Option<&str>| {
            let launch = SessionLaunch {
                record_file: record.map(PathBuf::from),
                exit_file: exit.map(PathBuf::from),
                ..SessionLaunch::default()
            };
            launch.files().map_err(|error| error.code())
        };
        let both = |record: &str, exit: &str| Ok((PathBuf::from(record), PathBuf::from(exit)));
        assert_eq!(files(Some("/a/r"), None), both("/a/r", "/a/r.exit"));
        assert_eq!(files(None, Some("/a/e")), both("/a/e.session", "/a/e"));
        assert_eq!(files(Some("/a/r"), Some("/b/e")), both("/a/r", "/b/e"));
        assert_eq!(files(None, None), Err("record-file-missing"));
        assert_eq!(beside(Path::new("/a/r"), "x"), Path::new("/a/.r.x"));
    }
}
