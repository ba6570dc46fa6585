//! Text as JavaScript sees it, where Rust's own idea differs.
//!
//! JavaScript's white space (`\s`, `trim`) has U+FEFF and not U+0085; `\d` is ASCII. The functions
//! work on UTF-16 code units, because a JavaScript string may hold what UTF-8 cannot.

/// Whether `\s` matches the code unit: the language's `WhiteSpace` and `LineTerminator`.
///
/// All of them are in the Basic Multilingual Plane, so one code unit is enough.
pub(crate) fn is_white_space(unit: u16) -> bool {
    matches!(
        unit,
        0x09..=0x0D
            | 0x20
            | 0xA0
            | 0x1680
            | 0x2000..=0x200A
            | 0x2028
            | 0x2029
            | 0x202F
            | 0x205F
            | 0x3000
            | 0xFEFF
    )
}

/// `String.prototype.trim`.
pub(crate) fn trim(mut text: &[u16]) -> &[u16] {
    while let [first, rest @ ..] = text
        && is_white_space(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && is_white_space(*last)
    {
        text = rest;
    }
    text
}

/// `String.prototype.trim` for text that is UTF-8.
pub(crate) fn trim_str(text: &str) -> &str {
    text.trim_matches(is_white_space_char)
}

/// Whether `\s` matches the character.
pub(crate) fn is_white_space_char(c: char) -> bool {
    u16::try_from(u32::from(c)).is_ok_and(is_white_space)
}

/// What follows an ASCII prefix, if the text has it.
pub(crate) fn strip_prefix<'t>(text: &'t [u16], prefix: &str) -> Option<&'t [u16]> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    equals(head, prefix).then_some(rest)
}

/// Whether the text begins with an ASCII prefix.
pub(crate) fn starts_with(text: &[u16], prefix: &str) -> bool {
    strip_prefix(text, prefix).is_some()
}

/// Whether the text is an ASCII one.
pub(crate) fn equals(text: &[u16], ascii: &str) -> bool {
    text.len() == ascii.len()
        && text
            .iter()
            .zip(ascii.bytes())
            .all(|(&unit, byte)| unit == u16::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn white_space_is_javascripts_own_set() {
        let set: Vec<u16> = (0..=u16::MAX)
            .filter(|&unit| is_white_space(unit))
            .collect();
        assert_eq!(set.len(), 25);
        assert!(
            is_white_space(0xFEFF),
            "the byte order mark is white space in JavaScript"
        );
        assert!(
            !is_white_space(0x85),
            "U+0085 is white space in Unicode but not in JavaScript"
        );
        assert!(
            !is_white_space(0x180E),
            "U+180E has not been white space since Unicode 6.3"
        );
        assert!(!is_white_space(0x200B));
    }

    #[test]
    fn a_prefix_is_compared_unit_by_unit() {
        assert_eq!(strip_prefix(&utf16("=a b"), "="), Some(&utf16("a b")[..]));
        assert_eq!(strip_prefix(&utf16("ab"), "abc"), None);
        assert_eq!(strip_prefix(&utf16("ab"), ""), Some(&utf16("ab")[..]));
        assert!(
            !starts_with(&[0x161], "a"),
            "the low byte alone is not the unit"
        );
        assert!(equals(&utf16("tmux"), "tmux") && !equals(&utf16("tmux "), "tmux"));
    }

    #[test]
    fn trim_takes_white_space_off_both_ends_only() {
        assert_eq!(trim(&utf16("\u{FEFF}\t a b \r\n")), utf16("a b"));
        assert_eq!(trim(&utf16("\u{85}a\u{85}")), utf16("\u{85}a\u{85}"));
        assert_eq!(trim(&utf16(" \n ")), utf16(""));
        assert_eq!(trim(&[0xD800, 0x20]), [0xD800]);
        for text in ["\u{FEFF}\t a b \r\n", "\u{85}a\u{85}", " \n ", "\u{1F600} "] {
            assert_eq!(utf16(trim_str(text)), trim(&utf16(text)));
        }
    }
}
