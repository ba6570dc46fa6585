//! Whether `screen -ls` lists a live session.

use crate::text::{is_white_space, lines};

/// Whether the output of `screen -ls` lists a live session of exactly this name.
///
/// A row is white space, a process id, a dot, the name, and white space or the end of the line;
/// lines end in `\n` or `\r\n`. A session whose process was killed stays listed, as `(Dead ???)`,
/// `(Remote or dead)` (screen 5) or `(Removed)`: none of these is live, and who took one for it
/// would wait for ever for its end.
///
/// ```
/// use seatkit::launch::parse_screen_list;
///
/// let out = "There is a screen on:\n\t48213.maestro-olivia\t(Detached)\n1 Socket in /run/screen.\n";
/// assert!(parse_screen_list(out, "maestro-olivia"));
/// assert!(!parse_screen_list(out, "maestro-oliv"));
/// assert!(!parse_screen_list("\t48213.maestro-olivia\t(Dead ???)\n", "maestro-olivia"));
/// ```
#[must_use]
pub fn parse_screen_list(out: &str, name: &str) -> bool {
    lines(out).any(|line| is_row_of(line, name) && !is_dead(line))
}

/// Whether the line is `PID.NAME` with white space before it, and white space or nothing after.
fn is_row_of(line: &str, name: &str) -> bool {
    let row = line.trim_start_matches(is_white_space);
    let after_pid = row.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = after_pid
        .strip_prefix('.')
        .filter(|_| after_pid.len() < row.len())
        .and_then(|rest| rest.strip_prefix(name));
    after.is_some_and(|after| after.chars().next().is_none_or(is_white_space))
}

/// Whether the line says that no process is left of the session.
pub(crate) fn is_dead(line: &str) -> bool {
    // Any state that begins with the word, and not a longer word.
    let says_dead = line.match_indices("(Dead").any(|(at, saying)| {
        let after = line.get(at + saying.len()..).unwrap_or_default();
        !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    });
    says_dead || line.contains("(Remote or dead)") || line.contains("(Removed)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_whole_and_exactly() {
        let out = "There are screens on:\n\t1.a.b\t(Detached)\n\t2.ab-c\t(Attached)\n2 Sockets.\n";
        for name in ["a.b", "ab-c"] {
            assert!(parse_screen_list(out, name), "{name}");
        }
        for name in ["a", "b", "aXb", "ab", "ab-", "b-c", "1.a.b", ".*", "", "A.B"] {
            assert!(!parse_screen_list(out, name), "{name}");
        }
    }

    #[test]
    fn a_name_is_text_whatever_signs_it_has() {
        let name = r"a.*+?^${}()|[]\-/ b";
        assert!(parse_screen_list(&format!("\t7.{name} (Detached)"), name));
        assert!(parse_screen_list("7.", ""));
        assert!(!parse_screen_list("7.x", ""));
    }

    #[test]
    fn a_row_begins_with_white_space_and_a_decimal_pid() {
        for row in ["7.x", " \t\u{FEFF}\u{2028}123456.x", "007.x\u{A0}(Detached)", "7.x\r"] {
            assert!(parse_screen_list(row, "x"), "{row:?}");
        }
        for row in [".x", "a7.x", "7x", "7 .x", "-7.x", "٧.x", "\u{85}7.x", "7.x\u{85}", "7.xy"] {
            assert!(!parse_screen_list(row, "x"), "{row:?}");
        }
    }

    #[test]
    fn only_a_newline_ends_a_line_with_or_without_a_return() {
        assert!(parse_screen_list("head\r\n7.x\r\ntail", "x"));
        assert!(parse_screen_list("head\n\r7.x", "x"), "a return begins the line as white space");
        assert!(!parse_screen_list("head\r7.x", "x"));
        assert!(!parse_screen_list("head\u{2028}7.x", "x"));
    }

    #[test]
    fn a_dead_session_is_not_live_in_any_screens_words() {
        for state in ["(Dead ???)", "(Dead)", "(Dead", "(Remote or dead)", "(Removed)"] {
            assert!(
                !parse_screen_list(&format!("\t7.x\t(01/02/26 10:00:00)\t{state}"), "x"),
                "{state}"
            );
        }
        for state in [
            "(Detached)",
            "(Attached)",
            "(Multi, attached)",
            "(Deadline)",
            "(Dead_)",
            "(dead)",
            "Dead",
        ] {
            assert!(parse_screen_list(&format!("\t7.x\t{state}"), "x"), "{state}");
        }
    }

    #[test]
    fn a_dead_row_does_not_hide_a_live_one() {
        assert!(parse_screen_list("\t7.x\t(Dead ???)\n\t8.x\t(Detached)\n", "x"));
    }
}
