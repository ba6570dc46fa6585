//! Text as a marker line holds it: a JSON string that no reader can take for a second line.

use std::fmt::Write;

/// A text, quoted as a JSON string that is also a YAML one.
///
/// Everything that some YAML or JavaScript reader takes for a line break, and everything that YAML
/// does not allow raw, is escaped: controls, DEL, U+0085, U+2028, U+2029 and U+FEFF.
pub(crate) fn json_text(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for char in text.chars() {
        let short = match char {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\u{8}' => "\\b",
            '\t' => "\\t",
            '\n' => "\\n",
            '\u{c}' => "\\f",
            '\r' => "\\r",
            _ if is_unsafe(char) => {
                // Writing to a String cannot fail.
                let _ = write!(json, "\\u{:04x}", u32::from(char));
                continue;
            }
            _ => {
                json.push(char);
                continue;
            }
        };
        json.push_str(short);
    }
    json.push('"');
    json
}

/// Whether a reader may take `char` for a line break, or refuse it.
pub(crate) fn is_unsafe(char: char) -> bool {
    matches!(
        char,
        '\0'..' ' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_short_escape_is_given_it() {
        assert_eq!(json_text("\"\\\u{8}\t\n\u{c}\r\u{b}"), r#""\"\\\b\t\n\f\r\u000b""#);
    }

    #[test]
    fn no_break_and_no_control_stays_raw() {
        let text: String = (0..=0x9f)
            .chain([0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff])
            .filter_map(char::from_u32)
            .collect();
        let json = json_text(&text);
        assert!(json.bytes().all(|byte| (b' '..0x7f).contains(&byte)), "{json:?}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        assert_eq!(serde_yaml::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for text in ["", "plain", "é日本 🦀", "a/b: #c"] {
            assert_eq!(json_text(text), format!("\"{text}\""));
        }
    }
}
