//! How the recorded end of a session is read.

use crate::text::trim;

/// The exit code that a session's exit file records, or `None` when there is none to read.
///
/// The file is what [`SESSION_EXIT_SCRIPT`](super::SESSION_EXIT_SCRIPT) writes: one to three
/// ASCII digits, white space around them allowed. White space is JavaScript's: U+FEFF is, U+0085
/// is not.
///
/// ```
/// use seatkit::launch::parse_exit_file;
///
/// assert_eq!(parse_exit_file("137\n"), Some(137));
/// assert_eq!(parse_exit_file("killed"), None);
/// assert_eq!(parse_exit_file("1000"), None);
/// ```
#[must_use]
pub fn parse_exit_file(text: &str) -> Option<u16> {
    let units: Vec<u16> = text.encode_utf16().collect();
    parse_exit_file_utf16(&units)
}

/// [`parse_exit_file`] for text that is UTF-16 already, as JavaScript strings are.
#[must_use]
pub fn parse_exit_file_utf16(text: &[u16]) -> Option<u16> {
    let digits = trim(text);
    if !matches!(digits.len(), 1..=3) {
        return None;
    }
    digits.iter().try_fold(0, |code, &unit| match unit {
        0x30..=0x39 => Some(code * 10 + (unit - 0x30)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::parse_exit_file;

    #[test]
    fn one_to_three_digits_are_a_code() {
        for (text, code) in [
            ("0\n", 0),
            (" 1 ", 1),
            ("137", 137),
            ("007", 7),
            ("999\r\n", 999),
        ] {
            assert_eq!(parse_exit_file(text), Some(code), "{text:?}");
        }
    }

    #[test]
    fn anything_else_is_none() {
        for text in [
            "", " ", "abc", "1000", "-1", "+1", "1.0", "1 2", "1\n2", "0x1", "١", "１",
        ] {
            assert_eq!(parse_exit_file(text), None, "{text:?}");
        }
    }

    #[test]
    fn white_space_is_javascripts() {
        assert_eq!(parse_exit_file("\u{FEFF}5\u{2028}"), Some(5));
        assert_eq!(parse_exit_file("\u{85}5"), None);
    }
}
