//! Why the safe layer builds no command, and the checks that more than one command needs.

use std::fmt;

use rustix::io::Errno;

use super::{TMUX_MESSAGE_LIMIT, packed_size};
use crate::errno;
use crate::tmux::TmuxCwdRejectReason;

/// Why no commands were built. Nothing was run, and nothing is changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MuxCommandError {
    /// No argument of a process can hold a NUL.
    #[error("{what} must not contain a NUL")]
    Nul {
        /// What holds it, such as `claudeArgs[2]`.
        what: String,
    },
    /// It is empty, and nothing sensible would come of that.
    #[error("{what} must not be empty")]
    Empty {
        /// What is empty.
        what: &'static str,
    },
    /// The name is outside the grammar of [`TmuxSessionName`](crate::tmux::TmuxSessionName): the
    /// multiplexer would store another one, or take it for something else in a target.
    #[error(
        "the session name {name:?} must be a letter or digit, then letters, digits, '_' and '-'"
    )]
    NameInvalid {
        /// The name.
        name: String,
    },
    /// tmux calls its clients so, and a target finds a client's session by the client's name.
    #[error("the session name {name:?} is one that a tmux client may have")]
    NameReserved {
        /// The name.
        name: String,
    },
    /// screen's limit: 80 bytes, or what the path of a socket in its folder leaves.
    #[error("the session name has {size} bytes, screen takes {limit} of it here")]
    NameTooLong {
        /// Its bytes.
        size: usize,
        /// The most that screen takes.
        limit: usize,
    },
    /// The working directory cannot be one.
    #[error("cwd {cwd:?}: {reason}{}", SaidErrno(*.errno))]
    Cwd {
        /// Why.
        reason: TmuxCwdRejectReason,
        /// The directory.
        cwd: String,
        /// The system's error number, where the system says so.
        errno: Option<i32>,
    },
    /// This user may not enter the working directory, or the system does not say what it is. tmux
    /// would start in the home folder.
    #[error("cwd {cwd:?} cannot be entered{}", SaidErrno(Some(*.errno)))]
    CwdInaccessible {
        /// The directory.
        cwd: String,
        /// The system's error number.
        errno: i32,
    },
    /// The shell would run a command of its own by this name instead of a program.
    #[error("{program:?} is a shell builtin; give the path of the program")]
    ProgramBuiltin {
        /// The program.
        program: String,
    },
    /// A path that leads nowhere or elsewhere: the multiplexer would not say so.
    #[error("{what} {path:?} must be {expected}{}", SaidErrno(*.errno))]
    PathInvalid {
        /// `socket`, `config` or `exitFile`.
        what: &'static str,
        /// What it is.
        path: String,
        /// What it should be.
        expected: &'static str,
        /// The system's error number, where the system says so.
        errno: Option<i32>,
    },
    /// screen gives a session that nobody looks at 80 columns and 24 rows, whatever it is told.
    #[error("screen has no size for a session that nobody looks at")]
    SizeUnsupported,
    /// A size that no terminal has.
    #[error("a size must be 1 to 65535 columns and rows, not {columns} and {rows}")]
    SizeInvalid {
        /// Its columns.
        columns: u32,
        /// Its rows.
        rows: u32,
    },
    /// There is no last argument that could be the prompt.
    #[error("claudeArgs is empty, so that its last cannot be the prompt")]
    PromptMissing,
    /// macOS's screen copies its arguments into a table of so many, unchecked.
    #[error("screen takes {limit} words here, this command has {size}")]
    TooManyWords {
        /// The words of the command.
        size: usize,
        /// The most that screen takes.
        limit: usize,
    },
    /// No environment variable can be called so.
    #[error("{name:?} cannot be the name of an environment variable")]
    EnvNameInvalid {
        /// The name.
        name: String,
    },
    /// tmux would refuse it and create nothing. A long prompt belongs in a file.
    #[error("tmux takes a command of {limit} bytes, this one has {size}")]
    MessageTooLong {
        /// The bytes of the command, as [`packed_size`] counts them.
        size: usize,
        /// [`TMUX_MESSAGE_LIMIT`].
        limit: usize,
    },
}

impl MuxCommandError {
    /// A stable word for the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Nul { .. } => "nul",
            Self::Empty { .. } => "empty",
            Self::NameInvalid { .. } => "name-invalid",
            Self::NameReserved { .. } => "name-reserved",
            Self::NameTooLong { .. } => "name-too-long",
            Self::Cwd { reason, .. } => reason.as_str(),
            Self::CwdInaccessible { .. } => "cwd-inaccessible",
            Self::SizeUnsupported => "size-unsupported",
            Self::SizeInvalid { .. } => "size-invalid",
            Self::PromptMissing => "prompt-missing",
            Self::TooManyWords { .. } => "too-many-words",
            Self::ProgramBuiltin { .. } => "program-builtin",
            Self::PathInvalid { .. } => "path-invalid",
            Self::EnvNameInvalid { .. } => "env-name-invalid",
            Self::MessageTooLong { .. } => "message-too-long",
        }
    }

    /// The size that was too large and the largest that is taken, where it is about sizes.
    #[must_use]
    pub const fn sizes(&self) -> Option<(usize, usize)> {
        match self {
            Self::NameTooLong { size, limit }
            | Self::MessageTooLong { size, limit }
            | Self::TooManyWords { size, limit } => Some((*size, *limit)),
            _ => None,
        }
    }

    /// The name of the system's error, such as `EACCES`, where it is the system that says so.
    #[must_use]
    pub fn errno(&self) -> Option<&'static str> {
        let errno = match self {
            Self::Cwd { errno, .. } | Self::PathInvalid { errno, .. } => (*errno)?,
            Self::CwdInaccessible { errno, .. } => *errno,
            _ => return None,
        };
        Some(errno::name(Errno::from_raw_os_error(errno)))
    }
}

/// What the system says, after the rest of a sentence.
struct SaidErrno(Option<i32>);

impl fmt::Display for SaidErrno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(errno) = self.0.map(Errno::from_raw_os_error) else {
            return Ok(());
        };
        write!(f, " ({}: {})", errno::name(errno), errno::describe(errno))?;
        if cfg!(target_os = "macos") && errno == Errno::PERM {
            // A terminal that may look does not speak for the multiplexer, which is asked by itself.
            f.write_str("; macOS lets only programs with Full Disk Access look there")?;
        }
        Ok(())
    }
}

/// Refuses text that no process can be given.
pub(crate) fn refuse_nul(what: &str, text: &str) -> Result<(), MuxCommandError> {
    if text.contains('\0') {
        return Err(MuxCommandError::Nul { what: what.to_owned() });
    }
    Ok(())
}

/// [`refuse_nul`] for each of a list.
pub(crate) fn refuse_nul_in(what: &str, texts: &[&str]) -> Result<(), MuxCommandError> {
    (0..)
        .zip(texts)
        .try_for_each(|(index, text): (usize, _)| refuse_nul(&format!("{what}[{index}]"), text))
}

/// Refuses a tmux command, without tmux's own flags, that is too large for one message.
pub(crate) fn refuse_oversize(command: &[String]) -> Result<(), MuxCommandError> {
    let size = packed_size(command);
    if size > TMUX_MESSAGE_LIMIT {
        return Err(MuxCommandError::MessageTooLong { size, limit: TMUX_MESSAGE_LIMIT });
    }
    Ok(())
}

/// The words before a command that take variables out of its environment and set others in it;
/// none where there is nothing to do.
///
/// It has to happen in the child: a pane gets its variables from the tmux *server*, which keeps
/// those of whoever started it, and unsetting them in the session's own environment leaves them.
pub(crate) fn env_words(
    scrub: &[&str],
    env: &[(&str, Option<&str>)],
) -> Result<Vec<String>, MuxCommandError> {
    let (mut gone, mut set) = (Vec::new(), Vec::new());
    let scrubbed = scrub.iter().map(|name| (*name, None));
    for (name, value) in scrubbed.chain(env.iter().copied()) {
        if !is_env_name(name) {
            return Err(MuxCommandError::EnvNameInvalid { name: name.to_owned() });
        }
        match value {
            Some(value) => {
                refuse_nul(&format!("env.{name}"), value)?;
                set.push(format!("{name}={value}"));
            }
            None => gone.extend(["-u".to_owned(), name.to_owned()]),
        }
    }
    if gone.is_empty() && set.is_empty() {
        return Ok(Vec::new());
    }
    Ok([vec![ENV.to_owned()], gone, set].concat())
}

/// Where `env` is on every system here, NixOS included.
pub(crate) const ENV: &str = "/usr/bin/env";

fn is_env_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variable_is_named_and_nothing_else() {
        assert_eq!(env_words(&[], &[]).unwrap(), Vec::<String>::new());
        assert_eq!(
            env_words(&["CLAUDECODE", "_a1"], &[]).unwrap(),
            ["/usr/bin/env", "-u", "CLAUDECODE", "-u", "_a1"]
        );
        let env = [("A", Some("1 = 2")), ("B", None), ("C", Some(""))];
        assert_eq!(
            env_words(&["X"], &env).unwrap(),
            ["/usr/bin/env", "-u", "X", "-u", "B", "A=1 = 2", "C="]
        );
        assert_eq!(
            env_words(&[], &[("A", Some("\0"))]).unwrap_err().to_string(),
            "env.A must not contain a NUL"
        );
        for name in ["", "1A", "A=B", "A B", "-u", "É", "A\0", "A;"] {
            assert_eq!(
                env_words(&["A", name], &[]).unwrap_err().code(),
                "env-name-invalid",
                "{name:?}"
            );
        }
    }

    #[test]
    fn the_limit_itself_is_taken_and_one_byte_more_is_not() {
        let command = |length: usize| ["x".repeat(length), String::new()];
        assert_eq!(refuse_oversize(&command(TMUX_MESSAGE_LIMIT - 2)), Ok(()));
        let error = refuse_oversize(&command(TMUX_MESSAGE_LIMIT - 1)).unwrap_err();
        assert_eq!(error.sizes(), Some((16_365, 16_364)));
        assert_eq!(error.code(), "message-too-long");
    }
}
