//! Text as a marker line holds it: a JSON string that no reader can take for a second line.

use std::fmt::Write;

/// A text, quoted as a JSON string that is also a YAML one.
///
/// Everything that some YAML or JavaScript reader takes for a line break, and everything that YAML
/// does not allow raw, is escaped: controls, DEL, U+0085, U+2028, U+2029, U+FEFF and lone surrogates.
///
/// ```
/// use seatkit::inbox::JsonText;
///
/// assert_eq!(JsonText::new("waiting\non \"finance\"").as_json(), r#""waiting\non \"finance\"""#);
/// assert_eq!(JsonText::from_utf16(&[0xD800, 0x61]).as_json(), r#""\ud800a""#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText(String);

impl JsonText {
    /// Quotes a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut json = Quoting::with_capacity(text.len());
        text.chars().for_each(|char| json.push(char));
        json.finish()
    }

    /// Quotes a text of UTF-16 units, as JavaScript has them, lone surrogates included.
    #[must_use]
    pub fn from_utf16(units: &[u16]) -> Self {
        let mut json = Quoting::with_capacity(units.len());
        for unit in char::decode_utf16(units.iter().copied()) {
            match unit {
                Ok(char) => json.push(char),
                Err(lone) => json.escape(u32::from(lone.unpaired_surrogate())),
            }
        }
        json.finish()
    }

    /// A value that is JSON already and fits a line.
    #[cfg(feature = "node")]
    pub(crate) fn from_json(json: String) -> Self {
        Self(json)
    }

    /// The JSON string, quotes included.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

struct Quoting(String);

impl Quoting {
    fn with_capacity(length: usize) -> Self {
        let mut json = String::with_capacity(length + 2);
        json.push('"');
        Self(json)
    }

    fn push(&mut self, char: char) {
        let short = match char {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\u{8}' => "\\b",
            '\t' => "\\t",
            '\n' => "\\n",
            '\u{c}' => "\\f",
            '\r' => "\\r",
            '\0'..' '
            | '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => return self.escape(char.into()),
            _ => return self.0.push(char),
        };
        self.0.push_str(short);
    }

    fn escape(&mut self, unit: u32) {
        // Writing to a String cannot fail.
        let _ = write!(self.0, "\\u{unit:04x}");
    }

    fn finish(mut self) -> JsonText {
        self.0.push('"');
        JsonText(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_short_escape_is_given_it() {
        assert_eq!(
            JsonText::new("\"\\\u{8}\t\n\u{c}\r\u{b}").as_json(),
            r#""\"\\\b\t\n\f\r\u000b""#
        );
    }

    #[test]
    fn no_break_and_no_control_stays_raw() {
        let text: String = (0..=0x9f)
            .chain([0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff])
            .filter_map(char::from_u32)
            .collect();
        let json = JsonText::new(&text);
        assert!(
            json.as_json()
                .bytes()
                .all(|byte| (b' '..0x7f).contains(&byte)),
            "{json:?}"
        );
        assert_eq!(
            serde_json::from_str::<String>(json.as_json()).unwrap(),
            text
        );
        assert_eq!(
            serde_yaml::from_str::<String>(json.as_json()).unwrap(),
            text
        );
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for text in ["", "plain", "é日本 🦀", "a/b: #c"] {
            assert_eq!(JsonText::new(text).as_json(), format!("\"{text}\""));
            assert_eq!(
                JsonText::from_utf16(&text.encode_utf16().collect::<Vec<_>>()),
                JsonText::new(text)
            );
        }
    }
}
