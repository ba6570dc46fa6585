//! Whether an item can still be read as YAML once its block stands behind it.

use memchr::memmem;
use serde_yaml::Value;

/// The largest item that may be stamped, in bytes: what bounds memory and time.
pub(crate) const MAX_ITEM: usize = 16 << 20;

/// What is parsed at all. The parser takes up to a second for a mebibyte of nested indicators, and
/// ten microseconds for each open bracket, before it gives up (measured).
const MAX_PARSED: usize = 512 << 10;
const MAX_BRACKETS: usize = 4096;

/// Whether `block`, written behind `item`, leaves the item as readable as it was.
///
/// An item that is no YAML to begin with stays opaque and may carry any block. One that is must
/// stay a mapping, and hold the block's keys: not a second time (parsers refuse that), and not as
/// text that an open scalar swallows. What cannot be checked in bounded time counts as no.
pub(crate) fn stays_readable(item: &[u8], block: &[u8]) -> bool {
    if item.is_empty() || is_plain(item, block) {
        return true;
    }
    let brackets = || {
        item.iter()
            .filter(|byte| matches!(byte, b'[' | b'{'))
            .count()
    };
    if item.len() > MAX_PARSED || brackets() > MAX_BRACKETS {
        return false;
    }
    let parse = |yaml: &[u8]| serde_yaml::from_slice::<Value>(yaml).ok();
    match parse(&[item, block].concat()) {
        Some(Value::Mapping(_)) => true,
        Some(_) => false,
        None => parse(item).is_none(),
    }
}

/// Whether `item` is so plain that no parser is needed: a block mapping from the first byte on, one
/// document, no other spelling of a key, and none of the block's keys anywhere in it.
fn is_plain(item: &[u8], block: &[u8]) -> bool {
    let starts_a_mapping = {
        let line = item.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let key = line
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        key > 0 && matches!(line.get(key..), Some([b':'] | [b':', b' ', ..]))
    };
    starts_a_mapping
        && item.split(|byte| *byte == b'\n').all(|line| match line {
            // Document markers, and every way to spell a key but plainly.
            [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..] => false,
            [first, ..] => first.is_ascii_alphanumeric() || matches!(first, b'_' | b' ' | b'-' | b'#' | b'.'),
            [] => true,
        })
        // The other line breaks of YAML 1.1: CR, NEL, LS, PS.
        && memchr::memchr(b'\r', item).is_none()
        && [&b"\xc2\x85"[..], b"\xe2\x80\xa8", b"\xe2\x80\xa9"].iter().all(|other| memmem::find(item, other).is_none())
        && block.split(|byte| *byte == b'\n').filter_map(|line| line.split(|byte| *byte == b':').next()).all(|key| key.is_empty() || memmem::find(item, key).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &[u8] = b"claimed_by: \"session\"\nclaimed_at: \"2026-09-08T10:00:00.000Z\"\n";

    fn ok(item: &str) -> bool {
        stays_readable(item.as_bytes(), BLOCK)
    }

    #[test]
    fn a_plain_mapping_takes_a_block() {
        for item in [
            "",
            "id: 1\n",
            "id: 1\ncontent: |\n  hi\n\n  there\nlist:\n- a\n- b\n# note\n",
            "a:\n  b: c\n",
        ] {
            assert!(ok(item), "{item:?}");
        }
        assert!(is_plain(b"id: 1\ncontent: |\n  [{\n", BLOCK));
    }

    #[test]
    fn what_would_no_longer_parse_is_refused() {
        for item in [
            "id: 1\nclaimed_by: me\nb: 2\n",
            "\"claimed\\x5fby\": me\n",
            "id: 1\n? claimed_at\n: now\nb: 2\n",
            "{\"id\": 1}\n",
            "- a\n",
            "plain text\n",
            "--- a\n",
            "  id: 1\n",
            "|\n text\n",
            "id: 1\n...\n",
            "id: 1\n--- \nid: 2\n...\n---\n",
        ] {
            assert_eq!(
                ok(item),
                serde_yaml::from_str::<Value>(item).is_err(),
                "{item:?}"
            );
        }
    }

    #[test]
    fn what_is_no_yaml_stays_opaque() {
        for item in ["id: \"open\n", "a: [\n", "\tx: y\n", "a: b: c\n", "\0\0"] {
            assert!(ok(item), "{item:?}");
        }
        assert!(stays_readable(b"id: \"\xff\"\n", BLOCK));
    }

    #[test]
    fn a_key_in_the_text_of_an_item_is_no_key() {
        for item in [
            "content: |\n  claimed_by: x\n",
            "content: \"claimed_by: x\"\n",
            "claimed_by_whom: x\n",
        ] {
            assert!(ok(item), "{item:?}");
        }
    }

    #[test]
    fn what_is_just_short_enough_is_checked() {
        let quoted = "'id': 1\n# ";
        let long = |length: usize| format!("{quoted}{}\n", "x".repeat(length - quoted.len() - 1));
        assert!(ok(&long(MAX_PARSED)));
        assert!(!ok(&long(MAX_PARSED + 1)));
        let open = |brackets: usize| format!("{quoted}{}\n", "[".repeat(brackets));
        assert!(ok(&open(MAX_BRACKETS)));
        assert!(!ok(&open(MAX_BRACKETS + 1)));
    }

    #[test]
    fn what_takes_too_long_to_check_is_refused() {
        assert!(!ok(&"[".repeat(100_000)));
        assert!(!ok(&"- ".repeat(MAX_PARSED)));
        assert!(
            ok(&format!("content: |\n{}", "  [{\n".repeat(MAX_PARSED))),
            "plain items may be large"
        );
    }
}
