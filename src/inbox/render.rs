//! An item written as YAML that every usual parser reads back equal, alone and with a marker block after it.
//!
//! One entry a line, at the left margin. Texts are JSON strings (which YAML takes over), or `|` blocks where they have
//! several plain lines; nested values are JSON on one line. YAML 1.1 and 1.2 parsers differ over plain words (`no`,
//! `1e3`, `2026-09-08`), so only numbers, `true`, `false` and `null` are written without quotes.

use std::collections::HashSet;
use std::fmt::Write;

use serde_yaml::{Mapping, Number, Value};

use super::text::{is_unsafe, json_text};

/// Deeper values are refused: `PyYAML` and others read with a stack.
const MAX_DEPTH: usize = 64;

/// Longer keys are written after a `?`: parsers look for the colon of a plain entry within 1,024 characters, and `PyYAML`
/// within fewer where it writes itself.
const MAX_SIMPLE_KEY: usize = 120;

/// The lines of a mapping, or why it cannot be written.
pub(crate) fn mapping(mapping: &Mapping) -> Result<String, String> {
    let mut out = String::new();
    distinct(mapping)?;
    for (key, value) in mapping {
        let key = plain_key(key)?;
        if key.len() > MAX_SIMPLE_KEY {
            out.push_str("? ");
            out.push_str(&key);
            out.push_str("\n: ");
        } else {
            out.push_str(&key);
            out.push_str(": ");
        }
        match value {
            Value::String(text) if is_block_text(text) => block_text(&mut out, text),
            value => flow(&mut out, value, 0)?,
        }
        out.push('\n');
    }
    Ok(out)
}

/// A key as it stands before its colon: plain where it is a word that no parser takes for anything else.
fn plain_key(key: &Value) -> Result<String, String> {
    match key {
        Value::String(text) if is_plain_word(text) => Ok(text.clone()),
        key => scalar(key),
    }
}

fn is_plain_word(text: &str) -> bool {
    const RESERVED: [&str; 10] =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan"];
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && !RESERVED.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a text reads better, and as exactly, in a `|` block: several lines of plain characters.
fn is_block_text(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.ends_with('\n')
        && !body.starts_with([' ', '\n', '\t'])
        && !text.chars().any(|char| char != '\n' && is_unsafe(char))
        && !body.lines().any(|line| !line.is_empty() && line.trim_matches([' ', '\t']).is_empty())
}

fn block_text(out: &mut String, text: &str) {
    let (body, indicator) = match text.strip_suffix('\n') {
        Some(body) => (body, "|"),
        None => (text, "|-"),
    };
    out.push_str(indicator);
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str("  ");
            out.push_str(line);
        }
    }
}

/// Some parsers make a text of every key: `1` and `"1"` would be one key twice.
fn distinct(mapping: &Mapping) -> Result<(), String> {
    let is_text = |key: &Value| matches!(key, Value::String(_));
    if mapping.keys().all(is_text) {
        return Ok(());
    }
    let mut read = HashSet::new();
    for key in mapping.keys() {
        let text = match key {
            Value::String(text) => text.clone(),
            key => scalar(key)?,
        };
        if !read.insert(text.clone()) {
            return Err(format!("two keys would both be read as {text:?}"));
        }
    }
    Ok(())
}

fn scalar(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(json_text(text)),
        Value::Null => Ok("null".to_owned()),
        Value::Bool(bool) => Ok(bool.to_string()),
        Value::Number(number) => Ok(number_text(number)),
        Value::Sequence(_) | Value::Mapping(_) | Value::Tagged(_) => {
            Err("a key must be a text, a number, true, false or null".to_owned())
        }
    }
}

fn flow(out: &mut String, value: &Value, depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("values nested deeper than {MAX_DEPTH} are not written"));
    }
    match value {
        Value::Sequence(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                flow(out, item, depth + 1)?;
            }
            out.push(']');
        }
        Value::Mapping(entries) => {
            distinct(entries)?;
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                let key = scalar(key)?;
                if key.len() > MAX_SIMPLE_KEY {
                    out.push_str("? ");
                }
                out.push_str(&key);
                out.push_str(" : ");
                flow(out, value, depth + 1)?;
            }
            out.push('}');
        }
        Value::Tagged(_) => return Err("a value with a tag is not written".to_owned()),
        scalar_value => out.push_str(&scalar(scalar_value)?),
    }
    Ok(())
}

/// A number in the one form that YAML 1.1, YAML 1.2 and JSON readers share.
fn number_text(number: &Number) -> String {
    /// Whole numbers up to here are exact in every reader.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let Some(float) = number.as_f64().filter(|_| !(number.is_i64() || number.is_u64())) else {
        return number.to_string();
    };
    if float.is_nan() {
        return ".nan".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let is_negative_zero = float == 0.0 && float.is_sign_negative();
    if float.fract() == 0.0 && float.abs() < EXACT && !is_negative_zero {
        return format!("{float:.0}");
    }
    let shortest = format!("{float:?}");
    // YAML 1.1 wants a point and a sign: `1.0e+21`, not `1e21`.
    let Some((digits, exponent)) = shortest.split_once('e') else {
        return shortest;
    };
    let mut text = digits.to_owned();
    if !digits.contains('.') {
        text.push_str(".0");
    }
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    // Writing to a String cannot fail.
    let _ = write!(text, "e{sign}{exponent}");
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::outline::Outline;
    use super::*;

    fn write(value: &Value) -> String {
        mapping(value.as_mapping().unwrap()).unwrap()
    }

    #[test]
    fn an_item_is_written_as_a_person_would() {
        let value: Value = serde_yaml::from_str(
            "id: m1\nnumber: 3\nlines: \"one\\n\\ntwo\\n\"\nopen: \"a\\nb\"\nlist: [1, {a: b}]\nno: ~\nf: 1.5e300\n\"\": false\n",
        )
        .unwrap();
        assert_eq!(
            write(&value),
            "id: \"m1\"\nnumber: 3\nlines: |\n  one\n\n  two\nopen: |-\n  a\n  b\nlist: [1, {\"a\" : \"b\"}]\n\"no\": null\nf: 1.5e+300\n\"\": false\n"
        );
    }

    #[test]
    fn numbers_have_one_form() {
        for (number, text) in [
            (1e21, "1.0e+21"),
            (1e-7, "1.0e-7"),
            (-0.0, "-0.0"),
            (3.0, "3"),
            (0.1, "0.1"),
            (f64::NAN, ".nan"),
            (f64::NEG_INFINITY, "-.inf"),
        ] {
            assert_eq!(number_text(&Number::from(number)), text);
        }
        assert_eq!(number_text(&Number::from(u64::MAX)), "18446744073709551615");
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let mut deep = Value::Null;
        for _ in 0..100 {
            deep = Value::Sequence(vec![deep]);
        }
        let item = Mapping::from_iter([(Value::from("a"), deep)]);
        assert!(mapping(&item).unwrap_err().contains("deeper"));
    }

    fn any_text() -> impl Strategy<Value = String> {
        let odd = prop::sample::select(vec![
            "\n",
            "\r",
            "\t",
            "\u{85}",
            "\u{2028}",
            "\u{2029}",
            "\u{feff}",
            "\0",
            "\u{7f}",
            "\"",
            "'",
            "\\",
            "#",
            " #",
            ": ",
            "-",
            "- ",
            "? ",
            "|",
            ">",
            "&a",
            "*a",
            "!t",
            "%",
            "@",
            "`",
            "{",
            "}",
            "[",
            "]",
            ",",
            "---",
            "...",
            "claimed_by: \"x\"",
            "replied_at: 1",
            "no",
            "1e3",
            "0x1f",
            "2026-09-08",
            "~",
            "null",
            " ",
            "é",
            "🦀",
            "a",
        ]);
        prop::collection::vec(prop_oneof![3 => odd.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)], 0..12)
            .prop_map(|parts| parts.concat())
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any_text().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((any_text(), inner), 0..4).prop_map(
                    |entries| Value::Mapping(
                        entries.into_iter().map(|(key, value)| (key.into(), value)).collect()
                    )
                ),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_is_written_reads_back_equal_and_can_carry_a_block(
            entries in prop::collection::vec((any_text(), any_value()), 1..6)
        ) {
            let item: Mapping = entries.into_iter().map(|(key, value)| (Value::from(key), value)).collect();
            let text = mapping(&item).unwrap();
            prop_assert_eq!(serde_yaml::from_str::<Mapping>(&text).unwrap(), item);
            let outline = Outline::of(text.as_bytes());
            prop_assert_eq!((outline.obstacle, outline.markers.len()), (None, 0), "{}", text);
        }
    }
}
