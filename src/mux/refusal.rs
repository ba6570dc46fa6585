//! Why the safe layer builds no command, and the checks that more than one command needs.

use super::{TMUX_MESSAGE_LIMIT, packed_size};
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
    #[error("cwd {cwd:?}: {reason}")]
    Cwd {
        /// Why.
        reason: TmuxCwdRejectReason,
        /// The directory.
        cwd: String,
    },
    /// The shell would run a command of its own by this name instead of a program.
    #[error("{program:?} is a shell builtin; give the path of the program")]
    ProgramBuiltin {
        /// The program.
        program: String,
    },
    /// A relative path would mean another file in each place it is used from.
    #[error("{what} {path:?} must be {expected}")]
    PathInvalid {
        /// `socket` or `config`.
        what: &'static str,
        /// What it is.
        path: String,
        /// What it should be.
        expected: &'static str,
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
            Self::ProgramBuiltin { .. } => "program-builtin",
            Self::PathInvalid { .. } => "path-invalid",
            Self::EnvNameInvalid { .. } => "env-name-invalid",
            Self::MessageTooLong { .. } => "message-too-long",
        }
    }

    /// The size that was too much and the most that is taken, where it is about sizes.
    #[must_use]
    pub const fn sizes(&self) -> Option<(usize, usize)> {
        match self {
            Self::NameTooLong { size, limit } | Self::MessageTooLong { size, limit } => {
                Some((*size, *limit))
            }
            _ => None,
        }
    }
}

/// Refuses text that no process can be given.
pub(crate) fn refuse_nul(what: &str, text: &str) -> Result<(), MuxCommandError> {
    if text.contains('\0') {
        return Err(MuxCommandError::Nul {
            what: what.to_owned(),
        });
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
        return Err(MuxCommandError::MessageTooLong {
            size,
            limit: TMUX_MESSAGE_LIMIT,
        });
    }
    Ok(())
}

/// The words before a command that take variables out of its environment.
///
/// It has to happen in the child: a pane gets its variables from the tmux *server*, which keeps
/// those of whoever started it, and unsetting them in the session's own environment leaves them.
pub(crate) fn scrub_words(names: &[&str]) -> Result<Vec<String>, MuxCommandError> {
    let mut words = Vec::new();
    if !names.is_empty() {
        words.push(ENV.to_owned());
    }
    for name in names {
        if !is_env_name(name) {
            return Err(MuxCommandError::EnvNameInvalid {
                name: (*name).to_owned(),
            });
        }
        words.extend(["-u".to_owned(), (*name).to_owned()]);
    }
    Ok(words)
}

/// Where `env` is on every system here, NixOS included.
pub(crate) const ENV: &str = "/usr/bin/env";

fn is_env_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrubbing_names_each_variable_and_nothing_else() {
        assert_eq!(scrub_words(&[]).unwrap(), Vec::<String>::new());
        assert_eq!(
            scrub_words(&["CLAUDECODE", "_a1"]).unwrap(),
            ["/usr/bin/env", "-u", "CLAUDECODE", "-u", "_a1"]
        );
        for name in ["", "1A", "A=B", "A B", "-u", "É", "A\0", "A;"] {
            assert_eq!(
                scrub_words(&["A", name]).unwrap_err().code(),
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
