//! Any text that a YAML parser can read: what it is at its top level is what the outline says, and a block can
//! follow it where, and only where, the outline allows it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use seatkit::inbox::fuzzing;
use seatkit_fuzz::reader::{KEYS, could_carry_a_block, is_readable, read};
use serde_yaml::Value;

fuzz_target!(|text: &[u8]| {
    let (obstacle, markers) = fuzzing::outline(text);
    if !is_readable(text) {
        return;
    }
    let Ok(Value::Mapping(item)) = read(text) else {
        return;
    };
    let is_of_a_block = |key: &Value| {
        let key = match key {
            Value::Tagged(tagged) => &tagged.value,
            key => key,
        };
        key.as_str().is_some_and(|key| KEYS.contains(&key))
    };
    let of_a_block = item.keys().filter(|key| is_of_a_block(key)).count();
    // Only where it can be told which lines those are.
    if obstacle.is_none() {
        assert_eq!(markers, of_a_block, "{item:?}");
    }
    if of_a_block == 0 {
        let line_break: &[u8] = if text.ends_with(b"\n") { b"" } else { b"\n" };
        let stamped = [text, line_break, b"claimed_by: \"session\"\n"].concat();
        assert!(obstacle.is_some() || is_readable(&stamped), "{item:?}");
        // Which key an alias is, is not looked into.
        let has_alias = text.contains(&b'*');
        assert!(
            has_alias || obstacle.is_none() || !could_carry_a_block(text),
            "{obstacle:?}, {item:?}"
        );
    }
});
