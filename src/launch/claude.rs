//! The argv of `claude` itself.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::text::Quoted;
use crate::words::words;

/// The prompt that every launch of a main session starts with, unless another is given.
pub const BOOTSTRAP_PROMPT: &str = "You are resuming as the main session for this seat. Load the \
    maestro main-session skill (~/.claude/skills/maestro-main-session/SKILL.md or \
    /maestro:main-session) and follow it.";

/// The name of the main session of a seat whose agent is called `first`.
///
/// ```
/// assert_eq!(seatkit::launch::main_session_name("olivia"), "olivia-main");
/// ```
#[must_use]
pub fn main_session_name(first: &str) -> String {
    format!("{first}-main")
}

/// The id of a session: a UUID in the 8-4-4-4-12 form, kept as it was written.
///
/// `claude` is given the id back letter by letter, so the case is never changed.
///
/// ```
/// use seatkit::launch::SessionId;
///
/// let id: SessionId = "11111111-2222-4333-8444-55555555555A".parse()?;
/// assert_eq!(id.to_string(), "11111111-2222-4333-8444-55555555555A");
/// assert!("nope".parse::<SessionId>().is_err());
/// # Ok::<(), seatkit::launch::InvalidSessionId>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(String);

impl SessionId {
    /// A fresh random id.
    #[must_use]
    pub fn random() -> Self {
        Self(Uuid::new_v4().to_string())
    }

    /// The id as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_session_id(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSessionId(text.to_owned()))
        }
    }
}

/// Whether a text is a session id: hexadecimal digits of either case in groups of 8, 4, 4, 4 and
/// 12, with a `-` between the groups. Version and variant are not looked at.
fn is_session_id(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A text that is no session id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("session id must be a uuid, got {}", Quoted(.0))]
pub struct InvalidSessionId(String);

words! {
    /// How a session is launched.
    pub enum SessionMode {
        /// The first launch of an id.
        SessionId = "session-id",
        /// Every later one.
        Resume = "resume",
    }
}

impl SessionMode {
    const fn flag(self) -> &'static str {
        match self {
            Self::SessionId => "--session-id",
            Self::Resume => "--resume",
        }
    }
}

/// What [`build_claude_args`] is told.
#[derive(Clone, Copy, Debug)]
pub struct ClaudeSession<'a> {
    /// The agent's first name; the session is called `<first>-main`.
    pub first: &'a str,
    /// The stable id of the session.
    pub session_id: &'a SessionId,
    /// Whether this is the first launch of the id.
    pub mode: SessionMode,
    /// The permission posture, as arguments of `claude`.
    pub permission_args: &'a [&'a str],
    /// Any further arguments of `claude`.
    pub extra_args: &'a [&'a str],
    /// The prompt; an empty one, like none, is [`BOOTSTRAP_PROMPT`].
    pub prompt: Option<&'a str>,
}

/// The argv of `claude`, without the binary. The prompt is the last argument.
///
/// ```
/// use seatkit::launch::{BOOTSTRAP_PROMPT, ClaudeSession, SessionMode, build_claude_args};
///
/// let id = "11111111-2222-4333-8444-555555555555";
/// let args = build_claude_args(&ClaudeSession {
///     first: "olivia",
///     session_id: &id.parse()?,
///     mode: SessionMode::Resume,
///     permission_args: &["--allowedTools", "Read"],
///     extra_args: &[],
///     prompt: None,
/// });
/// let expected =
///     ["--name", "olivia-main", "--resume", id, "--allowedTools", "Read", BOOTSTRAP_PROMPT];
/// assert_eq!(args, expected);
/// # Ok::<(), seatkit::launch::InvalidSessionId>(())
/// ```
#[must_use]
pub fn build_claude_args(session: &ClaudeSession<'_>) -> Vec<String> {
    let name = main_session_name(session.first);
    let prompt = session.prompt.filter(|prompt| !prompt.is_empty());
    ["--name", &name, session.mode.flag(), session.session_id.as_str()]
        .into_iter()
        .chain(session.permission_args.iter().copied())
        .chain(session.extra_args.iter().copied())
        .chain([prompt.unwrap_or(BOOTSTRAP_PROMPT)])
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0a1B2c3D-4e5F-6071-8293-a4B5c6D7e8F9";

    fn session(id: &SessionId, mode: SessionMode) -> ClaudeSession<'_> {
        ClaudeSession {
            first: "olivia",
            session_id: id,
            mode,
            permission_args: &["--permission-mode", "plan"],
            extra_args: &["--model", "opus"],
            prompt: Some("go on"),
        }
    }

    #[test]
    fn a_session_id_is_a_uuid_of_either_case_and_any_version() {
        assert!(is_session_id(ID));
        assert!(is_session_id("00000000-0000-0000-0000-000000000000"));
        let wrong = [
            "",
            "nope",
            "0a1B2c3D4e5F60718293a4B5c6D7e8F9",
            "0a1B2c3D-4e5F-6071-8293-a4B5c6D7e8F",
            "0a1B2c3D-4e5F-6071-8293-a4B5c6D7e8F90",
            "0a1B2c3D-4e5F-6071-8293-a4B5c6D7e8Fg",
            "0a1B2c3D-4e5F-6071-8293_a4B5c6D7e8F9",
            "0a1B2c3-D4e5F-6071-8293-a4B5c6D7e8F9",
            "{0a1B2c3D-4e5F-6071-8293-a4B5c6D7e8}",
            "0a1B2c3D-4e5F-6071-8293-a4B5c6D7e8F\n",
            "\u{FF10}a1B2c3D-4e5F-6071-8293-a4B5c6D7e8F9",
        ];
        for text in wrong {
            assert!(!is_session_id(text), "{text:?}");
        }
    }

    #[test]
    fn an_id_keeps_its_case() {
        assert_eq!(ID.parse::<SessionId>().unwrap().as_str(), ID);
    }

    #[test]
    fn a_wrong_id_and_a_wrong_mode_are_named_in_the_error() {
        let error = "no\npe".parse::<SessionId>().unwrap_err();
        assert_eq!(error.to_string(), r#"session id must be a uuid, got "no\npe""#);
        assert_eq!(
            "attach".parse::<SessionMode>().unwrap_err().to_string(),
            r#""attach" is not one of session-id, resume"#
        );
    }

    #[test]
    fn random_ids_are_ids_and_differ() {
        let (a, b) = (SessionId::random(), SessionId::random());
        assert!(is_session_id(a.as_str()));
        assert_ne!(a, b);
    }

    #[test]
    fn the_first_launch_names_the_id_and_a_later_one_resumes_it() {
        let id = ID.parse().unwrap();
        for (word, flag) in [("session-id", "--session-id"), ("resume", "--resume")] {
            let args = build_claude_args(&session(&id, word.parse().unwrap()));
            assert_eq!(args[2..4], [flag, ID]);
        }
    }

    #[test]
    fn permissions_come_before_the_rest_and_the_prompt_last() {
        let id = ID.parse().unwrap();
        let args = build_claude_args(&session(&id, SessionMode::Resume));
        let tail = ["--permission-mode", "plan", "--model", "opus", "go on"];
        assert_eq!(args[..2], ["--name", "olivia-main"]);
        assert_eq!(args[4..], tail);
    }

    #[test]
    fn without_a_prompt_the_session_bootstraps() {
        let id = ID.parse().unwrap();
        for prompt in [None, Some("")] {
            let session = ClaudeSession { prompt, ..session(&id, SessionMode::Resume) };
            assert_eq!(build_claude_args(&session).last().unwrap(), BOOTSTRAP_PROMPT);
        }
    }
}
