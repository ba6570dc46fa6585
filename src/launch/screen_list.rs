//! Whether `screen -ls` lists a live session.

use crate::text::{is_white_space, starts_with, strip_prefix};

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
    let out: Vec<u16> = out.encode_utf16().collect();
    let name: Vec<u16> = name.encode_utf16().collect();
    parse_screen_list_utf16(&out, &name)
}

/// [`parse_screen_list`] for text that is UTF-16 already, as JavaScript strings are.
#[must_use]
pub fn parse_screen_list_utf16(out: &[u16], name: &[u16]) -> bool {
    lines(out).any(|line| is_row_of(line, name) && !is_dead(line))
}

/// The lines of a text, as a split at `\r?\n` gives them.
pub(crate) fn lines(text: &[u16]) -> impl Iterator<Item = &[u16]> {
    const NEWLINE: u16 = 0x0A;
    const RETURN: u16 = 0x0D;
    let mut rest = text.split(|&unit| unit == NEWLINE).peekable();
    std::iter::from_fn(move || {
        let line = rest.next()?;
        // The last line has no end, so a return there is its own.
        let ended = rest.peek().is_some();
        Some(
            line.strip_suffix(&[RETURN])
                .filter(|_| ended)
                .unwrap_or(line),
        )
    })
}

/// Whether the line is `PID.NAME` with white space before it, and white space or nothing after.
fn is_row_of(line: &[u16], name: &[u16]) -> bool {
    let mut row = line;
    while let [first, rest @ ..] = row
        && is_white_space(*first)
    {
        row = rest;
    }
    let digits = row
        .iter()
        .take_while(|unit| (0x30..=0x39).contains(*unit))
        .count();
    let after = row
        .get(digits..)
        .filter(|_| digits > 0)
        .and_then(|rest| strip_prefix(rest, "."))
        .and_then(|rest| rest.strip_prefix(name));
    match after {
        Some([]) => true,
        Some([next, ..]) => is_white_space(*next),
        None => false,
    }
}

/// Whether the line says that nothing runs behind the socket.
pub(crate) fn is_dead(line: &[u16]) -> bool {
    (0..line.len())
        .filter_map(|start| line.get(start..))
        .any(|rest| {
            if let Some(after) = strip_prefix(rest, "(Dead") {
                // Any state that begins with the word, and not a longer word.
                return !after.first().is_some_and(|&unit| is_word(unit));
            }
            starts_with(rest, "(Remote or dead)") || starts_with(rest, "(Removed)")
        })
}

/// `\w`.
fn is_word(unit: u16) -> bool {
    u8::try_from(unit).is_ok_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
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
        for name in [
            "a", "b", "aXb", "ab", "ab-", "b-c", "1.a.b", ".*", "", "A.B",
        ] {
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
        for row in [
            "7.x",
            " \t\u{FEFF}\u{2028}123456.x",
            "007.x\u{A0}(Detached)",
            "7.x\r",
        ] {
            assert!(parse_screen_list(row, "x"), "{row:?}");
        }
        for row in [
            ".x",
            "a7.x",
            "7x",
            "7 .x",
            "-7.x",
            "٧.x",
            "\u{85}7.x",
            "7.x\u{85}",
            "7.xy",
        ] {
            assert!(!parse_screen_list(row, "x"), "{row:?}");
        }
    }

    #[test]
    fn only_a_newline_ends_a_line_with_or_without_a_return() {
        assert!(parse_screen_list("head\r\n7.x\r\ntail", "x"));
        assert!(
            parse_screen_list("head\n\r7.x", "x"),
            "a return begins the line as white space"
        );
        assert!(!parse_screen_list("head\r7.x", "x"));
        assert!(!parse_screen_list("head\u{2028}7.x", "x"));
        let text: Vec<u16> = "a\r\r\nb\n\nc\r".encode_utf16().collect();
        let lines: Vec<String> = lines(&text).map(String::from_utf16_lossy).collect();
        assert_eq!(lines, ["a\r", "b", "", "c\r"]);
    }

    #[test]
    fn a_dead_session_is_not_live_in_any_screens_words() {
        for state in [
            "(Dead ???)",
            "(Dead)",
            "(Dead",
            "(Remote or dead)",
            "(Removed)",
        ] {
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
            assert!(
                parse_screen_list(&format!("\t7.x\t{state}"), "x"),
                "{state}"
            );
        }
    }

    #[test]
    fn a_dead_row_does_not_hide_a_live_one() {
        assert!(parse_screen_list(
            "\t7.x\t(Dead ???)\n\t8.x\t(Detached)\n",
            "x"
        ));
    }

    #[test]
    fn lone_surrogates_are_compared_as_they_are() {
        let mut row: Vec<u16> = "7.".encode_utf16().collect();
        row.push(0xD800);
        assert!(parse_screen_list_utf16(&row, &[0xD800]));
        assert!(!parse_screen_list_utf16(&row, &[0xD801]));
    }
}
