//! Somebody who reads items with a YAML parser.

use memchr::memmem;
use serde_yaml::Value;

/// The keys of a block.
pub const KEYS: [&str; 8] = [
    "claimed_by",
    "claimed_at",
    "claim_token",
    "deferred_until",
    "deferred_reason",
    "replied_at",
    "failed_at",
    "failed_reason",
];

/// What a reader is asked about at most: an alias takes as much memory as what it stands for.
const MAX_READ: usize = 4096;

/// Whether `text` has none of a block's keys, spelled out or with escapes.
pub fn has_no_key(text: &[u8]) -> bool {
    !text.contains(&b'\\') && KEYS.iter().all(|key| memmem::find(text, key.as_bytes()).is_none())
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What `item` says.
pub fn read(item: &[u8]) -> Result<Value, serde_yaml::Error> {
    // To this reader, what follows a byte order mark and one line is a second document.
    serde_yaml::from_slice(item.strip_prefix(BYTE_ORDER_MARK).unwrap_or(item))
}

/// Whether `item` is one mapping, to any reader of YAML.
pub fn is_readable(item: &[u8]) -> bool {
    item.len() <= MAX_READ && is_one_to_all(item) && matches!(read(item), Ok(Value::Mapping(_)))
}

/// Whether all readers see the same: they differ over the line breaks that YAML 1.1 had besides, over a byte order
/// mark in the middle, and over what ends the name of an anchor.
fn is_one_to_all(text: &[u8]) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    [&b"\xc2\x85"[..], b"\xe2\x80\xa8", b"\xe2\x80\xa9", BYTE_ORDER_MARK]
        .iter()
        .all(|special| memmem::find(text, special).is_none())
        && text.split(u8::is_ascii_whitespace).all(|word| {
            let has = |any_of: &[u8]| word.iter().any(|byte| any_of.contains(byte));
            !(has(b"&*!") && has(b":?%@`"))
        })
}

/// Whether an item of plain characters is read under a block as it is without one.
pub fn could_carry_a_block(item: &[u8]) -> bool {
    let plain = item.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~')) && is_one_to_all(item);
    let line_break: &[u8] = if item.ends_with(b"\n") { b"" } else { b"\n" };
    let under_a_block = [item, line_break, b"claimed_by: \"session\"\n"].concat();
    match (serde_yaml::from_slice(item), serde_yaml::from_slice(&under_a_block)) {
        (Ok(Value::Mapping(before)), Ok(Value::Mapping(mut after)))
            if plain && item.len() <= MAX_READ =>
        {
            after.remove("claimed_by") == Some("session".into()) && after == before
        }
        _ => false,
    }
}
