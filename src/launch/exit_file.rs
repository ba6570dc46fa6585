//! How the recorded end of a session is read.

use crate::text::trim;

/// The exit code that a session's exit file records, or `None` when there is none to read.
///
/// The file is what [`SESSION_EXIT_SCRIPT`](super::SESSION_EXIT_SCRIPT) writes: one to three
/// ASCII digits, white space around them allowed, to which U+FEFF counts and U+0085 does not.
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
    let digits = trim(text);
    let is_code = matches!(digits.len(), 1..=3) && digits.bytes().all(|byte| byte.is_ascii_digit());
    // A sign would parse as well.
    digits.parse().ok().filter(|_| is_code)
}

#[cfg(test)]
mod tests {
    use super::parse_exit_file;

    #[test]
    fn one_to_three_digits_are_a_code() {
        for (text, code) in [("0\n", 0), (" 1 ", 1), ("137", 137), ("007", 7), ("999\r\n", 999)] {
            assert_eq!(parse_exit_file(text), Some(code), "{text:?}");
        }
    }

    #[test]
    fn anything_else_is_none() {
        for text in ["", " ", "abc", "1000", "-1", "+1", "1.0", "1 2", "1\n2", "0x1", "١", "１"] {
            assert_eq!(parse_exit_file(text), None, "{text:?}");
        }
    }

    #[test]
    fn white_space_is_the_contracts() {
        assert_eq!(parse_exit_file("\u{FEFF}5\u{2028}"), Some(5));
        assert_eq!(parse_exit_file("\u{85}5"), None);
    }
}
