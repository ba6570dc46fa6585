//! The YAML scalars that a marker line may hold: whole ones, on one line.
//!
//! Three forms are known: `"..."` with YAML's escapes (JSON's among them), `'...'` with its quotes doubled,
//! and a plain word of letters, digits and `_ . : + - / @`. Nothing at all is null. Whatever else stands after
//! a key's colon (an open bracket, text after a quote) is the end of somebody's text, and its line no marker's.

use std::borrow::Cow;

/// Whether `value`, white space around it taken off, is one whole scalar of a known form.
pub(crate) fn is_whole(value: &[u8]) -> bool {
    match value {
        [] => true,
        [b'"', rest @ ..] => closing_quote(rest) == Some(rest.len().saturating_sub(1)),
        [b'\'', rest @ ..] => closing_apostrophe(rest) == Some(rest.len().saturating_sub(1)),
        [first, ..] => {
            // YAML reserves `@` at the beginning, and takes what ends in a colon for a key.
            *first != b'@'
                && value.last() != Some(&b':')
                && std::str::from_utf8(value).is_ok_and(|text| text.chars().all(is_plain))
        }
    }
}

/// Whether `value` may be the beginning of a whole scalar as a marker block writes it, the rest not written yet.
pub(crate) fn is_torn(value: &[u8]) -> bool {
    match value {
        [b'"', rest @ ..] => closing_quote(rest).is_none_or(|at| at + 1 == rest.len()),
        _ => is_whole(value),
    }
}

/// The scalar that a line of YAML has after a key, in any form that fits the line: what people and other tools write
/// instead of the forms above. A comment after it is left out. `None` where there is none, or it may be something else.
pub(crate) fn of_line(value: &[u8]) -> Option<&[u8]> {
    let is_comment = |rest: &[u8]| match rest.trim_ascii_start() {
        [] => true,
        [b'#', ..] => rest.first().is_some_and(u8::is_ascii_whitespace),
        _ => false,
    };
    match value {
        [] | [b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'[' | b'{' | b'%' | b'@' | b'`', ..] => {
            None
        }
        [b'"' | b'\'', ..] => {
            let (scalar, rest) = value.split_at(quoted_length(value));
            (is_whole(scalar) && is_comment(rest)).then_some(scalar)
        }
        [b'-' | b'?' | b':', b' ' | b'\t', ..] => None,
        _ => {
            let comment = memchr::memchr_iter(b'#', value)
                .find(|at| value.get(..*at).is_some_and(|before| before.ends_with(b" ")));
            let text = value.get(..comment.unwrap_or(value.len()))?.trim_ascii_end();
            let is_key = text.ends_with(b":") || memchr::memmem::find(text, b": ").is_some();
            (!is_key && std::str::from_utf8(text).is_ok()).then_some(text)
        }
    }
}

/// The length of the quoted scalar that `text` begins with; of all of it where that is never closed.
pub(crate) fn quoted_length(text: &[u8]) -> usize {
    let closed = match text {
        [b'"', rest @ ..] => closing_quote(rest),
        [_, rest @ ..] => closing_apostrophe(rest),
        [] => None,
    };
    closed.map_or(text.len(), |at| at + 2)
}

fn is_plain(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '.' | ':' | '+' | '-' | '/' | '@')
}

/// Where the quote that closes `rest` stands; `None` where there is none.
fn closing_quote(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', rest.get(at..)?)?;
        if rest.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// The same for apostrophes, of which two make one.
fn closing_apostrophe(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'\'', rest.get(at..)?)?;
        if rest.get(at + 1) != Some(&b'\'') {
            return Some(at);
        }
        at += 2;
    }
}

/// The text of a whole scalar; `None` for null. What is no whole scalar comes out as it is written.
pub(crate) fn decode(value: &[u8]) -> Option<Cow<'_, str>> {
    match value {
        [] | b"null" | b"Null" | b"NULL" | b"~" => None,
        [b'"', inner @ .., b'"'] => Some(unescape(inner)),
        [b'\'', inner @ .., b'\''] => {
            let text = lossy(inner);
            Some(match memchr::memchr(b'\'', inner) {
                Some(_) => Cow::Owned(text.replace("''", "'")),
                None => text,
            })
        }
        _ => Some(lossy(value)),
    }
}

/// As `String::from_utf8_lossy`, which goes through a text in pieces even where it is whole.
fn lossy(text: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed)
}

fn unescape(inner: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\\', inner).is_none() {
        return lossy(inner);
    }
    let text = lossy(inner);
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        let Some(escape) = chars.next() else { break };
        let plain = match escape {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' => scalar_value(hex(&mut chars, 2)),
            'u' => {
                let high = hex(&mut chars, 4);
                surrogates(high, &mut chars)
            }
            'U' => scalar_value(hex(&mut chars, 8)),
            other => other,
        };
        out.push(plain);
    }
    Cow::Owned(out)
}

/// The number that the next `count` hexadecimal digits say; `None` where they are not all there.
fn hex(chars: &mut std::str::Chars<'_>, count: usize) -> Option<u32> {
    let digits = chars.as_str().get(..count)?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    *chars = chars.as_str().get(count..)?.chars();
    Some(number)
}

fn scalar_value(number: Option<u32>) -> char {
    number.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// JSON writes what lies beyond the first 65,536 characters as two escapes.
fn surrogates(high: Option<u32>, chars: &mut std::str::Chars<'_>) -> char {
    let Some(high @ 0xd800..0xdc00) = high else {
        return scalar_value(high);
    };
    let mut ahead = chars.clone();
    if (ahead.next(), ahead.next()) == (Some('\\'), Some('u'))
        && let Some(low @ 0xdc00..0xe000) = hex(&mut ahead, 4)
    {
        *chars = ahead;
        return scalar_value(Some(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)));
    }
    char::REPLACEMENT_CHARACTER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_scalars_are_read() {
        for (written, text) in [
            ("session", Some("session")),
            ("2026-09-08T10:00:00.000Z", Some("2026-09-08T10:00:00.000Z")),
            ("a@b/c+d", Some("a@b/c+d")),
            ("'it''s'", Some("it's")),
            ("''", Some("")),
            ("''''", Some("'")),
            (r#""""#, Some("")),
            (r#""a\"b\\""#, Some("a\"b\\")),
            (r#""\u2028\x41\U0001f980\ud83e\udd80\ud800""#, Some("\u{2028}A🦀🦀\u{fffd}")),
            (r#""\uzz""#, Some("\u{fffd}zz")),
            ("", None),
            ("null", None),
        ] {
            assert!(is_whole(written.as_bytes()), "{written}");
            assert_eq!(decode(written.as_bytes()).as_deref(), text, "{written}");
        }
    }

    #[test]
    fn anything_else_is_the_end_of_somebodys_text() {
        for written in [
            "me\"", "\"", "'", "\"a\" b", "'a' b", "\"a\\\"", "'a''", "[", "[a]", "{a}",
            "'a': [[[", "a b", "a # b", "@a", "a:", "*a", "&a", "!a", "|", ">", "a\"b", "a, b",
        ] {
            assert!(!is_whole(written.as_bytes()), "{written}");
        }
    }

    #[test]
    fn a_line_of_yaml_may_say_it_in_other_forms() {
        for (written, text) in [
            ("2026-09-08 10:00", Some("2026-09-08 10:00")),
            ("Jane Doe", Some("Jane Doe")),
            ("Jane Doe  # by hand", Some("Jane Doe")),
            ("a#b", Some("a#b")),
            ("\"2026\" # by hand", Some("\"2026\"")),
            ("'it''s'", Some("'it''s'")),
            ("-1", Some("-1")),
            ("", None),
            ("# nothing", None),
            ("[a]", None),
            ("{a: b}", None),
            ("*alias", None),
            ("|", None),
            ("- a", None),
            ("a: b", None),
            ("\"a\" b", None),
            ("\"a\"#b", None),
            ("\"a", None),
        ] {
            assert_eq!(of_line(written.as_bytes()), text.map(str::as_bytes), "{written}");
        }
    }

    #[test]
    fn a_torn_scalar_is_the_beginning_of_one_that_a_block_writes() {
        for written in ["", "\"", "\"ses", "\"a\\", "\"a\"", "'a'", "2026-09"] {
            assert!(is_torn(written.as_bytes()), "{written}");
        }
        for written in ["me\"", "\"a\" ", "'a", "[", "a b"] {
            assert!(!is_torn(written.as_bytes()), "{written}");
        }
    }
}
