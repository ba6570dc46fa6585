//! The argv of `claude` itself.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

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
    format!("{first}{MAIN_SUFFIX}")
}

/// What [`main_session_name`] appends.
pub(crate) const MAIN_SUFFIX: &str = "-main";

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
        let units: Vec<u16> = text.encode_utf16().collect();
        if is_session_id_utf16(&units) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSessionId(text.to_owned()))
        }
    }
}

/// Whether a text is a session id: hexadecimal digits of either case in groups of 8, 4, 4, 4 and
/// 12, with a `-` between the groups. Version and variant are not looked at.
#[must_use]
pub fn is_session_id_utf16(text: &[u16]) -> bool {
    text.len() == 36
        && text
            .iter()
            .enumerate()
            .all(|(index, &unit)| match (index, u8::try_from(unit)) {
                (8 | 13 | 18 | 23, Ok(byte)) => byte == b'-',
                (_, Ok(byte)) => byte.is_ascii_hexdigit(),
                (_, Err(_)) => false,
            })
}

/// A text that is no session id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("session id must be a uuid, got {0:?}")]
pub struct InvalidSessionId(String);

/// How a session is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SessionMode {
    /// `session-id`: the first launch of an id.
    SessionId,
    /// `resume`: every later one.
    Resume,
}

impl SessionMode {
    /// The word for the mode.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SessionId => "session-id",
            Self::Resume => "resume",
        }
    }

    const fn flag(self) -> &'static str {
        match self {
            Self::SessionId => "--session-id",
            Self::Resume => "--resume",
        }
    }
}

impl FromStr for SessionMode {
    type Err = UnknownSessionMode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::SessionId, Self::Resume]
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| UnknownSessionMode(text.to_owned()))
    }
}

/// A text that is no [`SessionMode`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode {0:?}")]
pub struct UnknownSessionMode(String);

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
    let Ok(args) = claude_args(&mut &*session);
    args
}

/// Where the words of the argv come from. Each is asked for where the argv needs it and in the
/// order of the argv, because asking can run a caller's code.
pub(crate) trait ClaudeWords {
    type Word;
    type Error;

    fn fixed(&mut self, word: &'static str) -> Result<Self::Word, Self::Error>;
    fn name(&mut self) -> Result<Self::Word, Self::Error>;
    fn mode(&mut self) -> Result<SessionMode, Self::Error>;
    fn session_id(&mut self) -> Result<Self::Word, Self::Error>;
    fn permission_args(&mut self, argv: &mut Vec<Self::Word>) -> Result<(), Self::Error>;
    fn extra_args(&mut self, argv: &mut Vec<Self::Word>) -> Result<(), Self::Error>;
    fn prompt(&mut self) -> Result<Option<Self::Word>, Self::Error>;
}

/// [`build_claude_args`] over words of any kind.
pub(crate) fn claude_args<W: ClaudeWords>(words: &mut W) -> Result<Vec<W::Word>, W::Error> {
    let mut argv = vec![words.fixed("--name")?, words.name()?];
    let flag = words.mode()?.flag();
    argv.push(words.fixed(flag)?);
    argv.push(words.session_id()?);
    words.permission_args(&mut argv)?;
    words.extra_args(&mut argv)?;
    argv.push(match words.prompt()? {
        Some(prompt) => prompt,
        None => words.fixed(BOOTSTRAP_PROMPT)?,
    });
    Ok(argv)
}

impl ClaudeWords for &ClaudeSession<'_> {
    type Word = String;
    type Error = Infallible;

    fn fixed(&mut self, word: &'static str) -> Result<String, Infallible> {
        Ok(word.to_owned())
    }

    fn name(&mut self) -> Result<String, Infallible> {
        Ok(main_session_name(self.first))
    }

    fn mode(&mut self) -> Result<SessionMode, Infallible> {
        Ok(self.mode)
    }

    fn session_id(&mut self) -> Result<String, Infallible> {
        Ok(self.session_id.to_string())
    }

    fn permission_args(&mut self, argv: &mut Vec<String>) -> Result<(), Infallible> {
        argv.extend(self.permission_args.iter().map(ToString::to_string));
        Ok(())
    }

    fn extra_args(&mut self, argv: &mut Vec<String>) -> Result<(), Infallible> {
        argv.extend(self.extra_args.iter().map(ToString::to_string));
        Ok(())
    }

    fn prompt(&mut self) -> Result<Option<String>, Infallible> {
        Ok(self
            .prompt
            .filter(|prompt| !prompt.is_empty())
            .map(str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0a1B2c3D-4e5F-6071-8293-a4B5c6D7e8F9";

    fn is_session_id(text: &str) -> bool {
        is_session_id_utf16(&text.encode_utf16().collect::<Vec<_>>())
    }

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
        assert_eq!(
            error.to_string(),
            r#"session id must be a uuid, got "no\npe""#
        );
        let error = "attach".parse::<SessionMode>().unwrap_err();
        assert_eq!(error.to_string(), r#"unknown mode "attach""#);
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
            let session = ClaudeSession {
                prompt,
                ..session(&id, SessionMode::Resume)
            };
            assert_eq!(
                build_claude_args(&session).last().unwrap(),
                BOOTSTRAP_PROMPT
            );
        }
    }
}
