//! How a session ended, distinguished from not knowing it.

use crate::launch::parse_exit_file;

/// A shell records 128 and the signal's number; 64 is Linux's last real-time signal.
const FIRST_SIGNAL_CODE: u8 = 128 + 1;
const LAST_SIGNAL_CODE: u8 = 128 + 64;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionOutcome {
    /// The program ended by itself with this code.
    Exited {
        /// 0 to 255.
        code: u8,
    },
    /// A signal ended the program: the shell recorded 128 and the signal's number.
    Signalled {
        /// The number of the signal on the system that recorded it.
        signal: u8,
    },
    /// Nothing was recorded and a stop was asked for: tmux and screen hang up the shell that would
    /// have written, so a stopped session never records anything.
    Stopped,
    /// Nothing readable was recorded and nobody asked for a stop.
    Unknown,
}

/// How a session ended, from the text of its exit file (`None` where there is no file) and whether
/// somebody asked it to stop.
///
/// What was recorded decides, also after a stop was asked for. What cannot be a recorded exit code
/// (an empty file, other text, a number over 255) is no record, and never a zero. The file carries
/// no trace of which run wrote it: remove it before each start, or an older run's code is read.
///
/// A program that itself exits with 129 to 192 cannot be distinguished from one ended by a signal; the
/// shell's convention is followed.
///
/// ```
/// use seatkit::mux::{SessionOutcome, session_outcome};
///
/// assert_eq!(session_outcome(Some("0\n"), false), SessionOutcome::Exited { code: 0 });
/// assert_eq!(session_outcome(Some("137\n"), false), SessionOutcome::Signalled { signal: 9 });
/// assert_eq!(session_outcome(None, true), SessionOutcome::Stopped);
/// assert_eq!(session_outcome(Some(""), false), SessionOutcome::Unknown);
/// ```
#[must_use]
pub fn session_outcome(exit_text: Option<&str>, stop_requested: bool) -> SessionOutcome {
    let recorded = exit_text.and_then(code_of).and_then(|code| u8::try_from(code).ok());
    match recorded {
        Some(code @ FIRST_SIGNAL_CODE..=LAST_SIGNAL_CODE) => {
            SessionOutcome::Signalled { signal: code - 128 }
        }
        Some(code) => SessionOutcome::Exited { code },
        None if stop_requested => SessionOutcome::Stopped,
        None => SessionOutcome::Unknown,
    }
}

/// The code alone, or the code of a run of [`session`](crate::session), whose id is in the second line.
fn code_of(text: &str) -> Option<u16> {
    let of_a_run = || {
        let (code, run) = text.split_once('\n')?;
        uuid::Uuid::try_parse(run.trim_end()).ok()?;
        parse_exit_file(code)
    };
    parse_exit_file(text).or_else(of_a_run)
}

#[cfg(test)]
mod tests {
    use super::{SessionOutcome, session_outcome};

    #[test]
    fn a_run_beside_the_code_is_no_part_of_it() {
        let run = "11111111-2222-4333-8444-555555555555";
        for (text, outcome) in [
            (format!("7\n{run}\n"), SessionOutcome::Exited { code: 7 }),
            (format!("137\n{run}"), SessionOutcome::Signalled { signal: 9 }),
            (format!("{run}\n7\n"), SessionOutcome::Unknown),
            (format!("7\n{run}\n8\n"), SessionOutcome::Unknown),
            ("7\nrun\n".to_owned(), SessionOutcome::Unknown),
        ] {
            assert_eq!(session_outcome(Some(&text), false), outcome, "{text:?}");
        }
    }

    #[test]
    fn a_recorded_code_is_the_outcome_even_after_a_stop() {
        for stop_requested in [false, true] {
            for code in [0, 1, 127, 128, 193, 255] {
                assert_eq!(
                    session_outcome(Some(&format!("{code}\n")), stop_requested),
                    SessionOutcome::Exited { code },
                );
            }
            for signal in [1, 9, 15, 64] {
                assert_eq!(
                    session_outcome(Some(&format!("{}\n", 128 + signal)), stop_requested),
                    SessionOutcome::Signalled { signal },
                );
            }
        }
    }

    #[test]
    fn what_is_no_record_is_never_a_zero() {
        for text in [None, Some(""), Some("\n"), Some("abc"), Some("256"), Some("-1"), Some("00x")]
        {
            assert_eq!(session_outcome(text, false), SessionOutcome::Unknown, "{text:?}");
            assert_eq!(session_outcome(text, true), SessionOutcome::Stopped, "{text:?}");
        }
    }
}
