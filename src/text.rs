//! White space and quoting as the published contract has them, where Rust's own idea differs.

use std::fmt;

/// Whether a character is white space to the contract: U+FEFF is, U+0085 is not.
pub(crate) fn is_white_space(c: char) -> bool {
    c == '\u{FEFF}' || (c.is_whitespace() && c != '\u{85}')
}

/// A text without the white space around it.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_white_space)
}

/// The lines of a text: each ends in `\n` or `\r\n`, and what follows the last is a line too.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.split('\n').peekable();
    std::iter::from_fn(move || {
        let line = rest.next()?;
        // The last line has no end, so a return there is its own.
        let ended = rest.peek().is_some();
        Some(line.strip_suffix('\r').filter(|_| ended).unwrap_or(line))
    })
}

/// A text as a JSON string, for error messages that must show exactly what was given.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\u{8}' => f.write_str("\\b")?,
                '\u{C}' => f.write_str("\\f")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                '\0'..=' ' if c != ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
                _ => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_the_contracts_own_set() {
        let set: Vec<char> = ('\0'..=char::MAX).filter(|&c| is_white_space(c)).collect();
        assert_eq!(set.len(), 25);
        assert!(set.contains(&'\u{FEFF}') && set.contains(&'\u{2028}') && set.contains(&'\u{A0}'));
        for none in ['\u{85}', '\u{180E}', '\u{200B}'] {
            assert!(!set.contains(&none), "{none:?}");
        }
    }

    #[test]
    fn white_space_is_taken_off_both_ends_only() {
        assert_eq!(trim("\u{FEFF}\t a b \r\n"), "a b");
        assert_eq!(trim("\u{85}a\u{85}"), "\u{85}a\u{85}");
        assert_eq!(trim(" \n "), "");
    }

    #[test]
    fn only_a_newline_ends_a_line_with_or_without_a_return() {
        assert_eq!(
            lines("a\r\r\nb\n\nc\u{2028}\r").collect::<Vec<_>>(),
            ["a\r", "b", "", "c\u{2028}\r"]
        );
        assert_eq!(lines("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn a_quoted_text_reads_back_as_json() {
        let text: String = ('\0'..='\u{FF}').chain("é日😀\u{2028}".chars()).collect();
        let quoted = Quoted(&text).to_string();
        assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
        assert_eq!(quoted, serde_json::to_string(&text).unwrap());
    }
}
