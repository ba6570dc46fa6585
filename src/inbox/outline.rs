//! What YAML makes of an item at its top level: whether a block can follow it, and where marker keys stand.
//!
//! One pass, one byte after the other, with no memory but for the marker lines found: whatever brackets, quotes,
//! anchors, aliases or depth an item has, the work is linear. The pass does not judge whether an item is YAML at
//! all. It tells what a text is *if* it is YAML; one that is not may carry any block, for no reader is the worse
//! for it (YAML 1.2.2, chapters 6 to 9).

use std::ops::Range;

use super::block::Key;
use super::scalar;

/// Why no block can follow an item that YAML can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// It is UTF-16, and a block is UTF-8.
    Utf16,
    /// It is a list, a single value or a mapping in braces.
    NotMapping,
    /// Its mapping is indented, or begins in a line with the document's marker.
    Indented,
    /// Its last document was ended by `...`.
    DocumentEnd,
    /// It has a key of the block itself.
    HasKey(Key),
    /// It has an alias for a key, which could be one of the block's.
    AliasKey,
}

impl Obstacle {
    /// The end of a sentence that begins with the item's path.
    pub(crate) fn sentence(self) -> String {
        match self {
            Self::Utf16 => "is UTF-16, and a marker block is UTF-8".to_owned(),
            Self::NotMapping => {
                "is no YAML mapping of lines, so that lines at its end would make it unreadable".to_owned()
            }
            Self::Indented => {
                "is a YAML mapping that is indented, so that lines at its end would make it unreadable".to_owned()
            }
            Self::DocumentEnd => {
                "ends its YAML document (\"...\"), so that lines at its end would make it unreadable".to_owned()
            }
            Self::HasKey(key) => {
                format!("has a key {key} of its own, and YAML allows a key once")
            }
            Self::AliasKey => {
                "has an alias for a key, which may stand for a key of the marker block".to_owned()
            }
        }
    }
}

/// A marker key at the top level of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkerLine {
    pub(crate) key: Key,
    /// What follows the key's colon, where that is a scalar in the key's own line.
    pub(crate) value: Option<Range<usize>>,
    /// The lines of the entry, their line breaks included.
    pub(crate) lines: Range<usize>,
}

/// An item as YAML sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// What keeps a block from following it, but for its own keys.
    pub(crate) obstacle: Option<Obstacle>,
    /// The marker keys of the last document, in their order.
    pub(crate) markers: Vec<MarkerLine>,
    /// Those of the documents before it: a document may have been added after a block.
    pub(crate) earlier: Vec<MarkerLine>,
    /// How deep brackets are nested.
    pub(crate) depth: usize,
    /// How many aliases there are.
    pub(crate) aliases: usize,
}

impl Outline {
    /// What keeps a block with these keys from following the item.
    pub(crate) fn obstacle_to(&self, has: impl Fn(Key) -> bool) -> Option<Obstacle> {
        let own = self.markers.iter().find(|marker| has(marker.key));
        self.obstacle.or(own.map(|marker| Obstacle::HasKey(marker.key)))
    }

    pub(crate) fn of(text: &[u8]) -> Self {
        match text {
            [0xfe, 0xff, ..] | [0xff, 0xfe, ..] => {
                Self { obstacle: Some(Obstacle::Utf16), ..Self::default() }
            }
            _ => Scanner::new(text).run(),
        }
    }
}

/// What the root of a document is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Nothing,
    Mapping { indented: bool },
    Other,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a thing of its own that the next line depends on"
)]
struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    line_start: usize,
    /// Where a line was found to end: it is looked for once, however many keys are looked for in it.
    line_end: usize,
    root: Root,
    /// Whether the document was ended by `...`, and no other begun by `---`.
    ended: bool,
    /// The indentation of the innermost block collection, -1 for none.
    parent: isize,
    /// Whether the next deeper lines continue a plain scalar.
    in_plain: bool,
    markers: Vec<MarkerLine>,
    earlier: Vec<MarkerLine>,
    /// Whether the last of `markers` goes on until the next top-level entry.
    open: bool,
    /// The lines of an entry whose key follows a `?`, as far as that.
    question: Option<Range<usize>>,
    /// Whether a top-level key is an alias.
    alias_key: bool,
    /// Whether no parser can read this.
    broken: bool,
    depth: usize,
    aliases: usize,
}

const BLANKS: &[u8] = b" \t";

fn is_blank(byte: Option<u8>) -> bool {
    matches!(byte, None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

impl<'t> Scanner<'t> {
    fn new(text: &'t [u8]) -> Self {
        let at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self {
            text,
            at,
            line_start: at,
            line_end: memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len()),
            root: Root::Nothing,
            ended: false,
            parent: -1,
            in_plain: false,
            markers: Vec::new(),
            earlier: Vec::new(),
            open: false,
            question: None,
            alias_key: false,
            // Characters that YAML has not (YAML 1.2.2, 5.1).
            broken: text.iter().any(|byte| matches!(byte, 0..=8 | 0xb | 0xc | 0xe..=0x1f | 0x7f)),
            depth: 0,
            aliases: 0,
        }
    }

    fn run(mut self) -> Outline {
        while self.at < self.text.len() {
            self.line_start = self.at;
            self.line();
        }
        self.close_entry(self.text.len());
        let obstacle = match self.root {
            _ if self.broken => None,
            _ if self.ended => Some(Obstacle::DocumentEnd),
            // An escape may spell a key without its letters.
            _ if self.alias_key && (Key::is_named_in(self.text) || self.text.contains(&b'\\')) => {
                Some(Obstacle::AliasKey)
            }
            Root::Nothing | Root::Mapping { indented: false } => None,
            Root::Mapping { indented: true } => Some(Obstacle::Indented),
            Root::Other => Some(Obstacle::NotMapping),
        };
        let Self { markers, earlier, depth, aliases, .. } = self;
        Outline { obstacle, markers, earlier, depth, aliases }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn column(&self) -> isize {
        (self.at - self.line_start).cast_signed()
    }

    fn skip(&mut self, any_of: &[u8]) {
        let count = self.rest().iter().take_while(|byte| any_of.contains(byte)).count();
        self.at += count;
    }

    /// What is left of the line, its break not included.
    fn rest_of_line(&mut self) -> &'t [u8] {
        if self.line_end < self.at {
            let length = memchr::memchr2(b'\n', b'\r', self.rest());
            self.line_end = self.at + length.unwrap_or(self.rest().len());
        }
        self.text.get(self.at..self.line_end).unwrap_or_default()
    }

    /// Goes to the end of the line, its break not included.
    fn end_line(&mut self) {
        self.at += self.rest_of_line().len();
    }

    /// Where the next line begins.
    fn after_line(&mut self) -> usize {
        let end = self.at + self.rest_of_line().len();
        match self.text.get(end..).unwrap_or_default() {
            [b'\r', b'\n', ..] => end + 2,
            [_, ..] => end + 1,
            [] => end,
        }
    }

    /// Goes to the beginning of the next line.
    fn next_line(&mut self) {
        self.at = self.after_line();
    }

    fn close_marker(&mut self, end: usize) {
        if self.open
            && let Some(marker) = self.markers.last_mut()
        {
            marker.lines.end = end;
            // A value that goes on in the next line is not the one in its own.
            marker.value.take_if(|value| {
                let rest = self.text.get(value.end..end).unwrap_or_default();
                rest.split(|byte| matches!(byte, b'\n' | b'\r'))
                    .skip(1)
                    .any(|line| !matches!(line.trim_ascii(), [] | [b'#', ..]))
            });
        }
        self.open = false;
    }

    /// A top-level entry ends, or at least its key.
    fn close_entry(&mut self, end: usize) {
        if let Some(entry) = self.question.take() {
            match explicit_key(self.text.get(entry.end..end).unwrap_or_default()) {
                ExplicitKey::Marker(key) => {
                    self.markers.push(MarkerLine {
                        key,
                        value: None,
                        lines: entry.start..self.text.len(),
                    });
                    self.open = true;
                }
                ExplicitKey::Alias => self.alias_key = true,
                ExplicitKey::Other => {}
            }
            // Its value may follow.
            if self.text.get(end) == Some(&b':') {
                return;
            }
        }
        self.close_marker(end);
    }

    /// One line at block level: not within quotes, brackets or a block scalar.
    fn line(&mut self) {
        self.skip(b" ");
        let indent = self.column();
        let first = self.peek(0);
        if first == Some(b'\t') {
            self.skip(BLANKS);
        }
        match self.peek(0) {
            None => return,
            Some(b'\n' | b'\r') => return self.next_line(),
            Some(b'#') => {
                self.in_plain = false;
                return self.next_line();
            }
            _ => {}
        }
        if indent == 0 && is_blank(self.peek(3)) {
            if self.rest().starts_with(b"---") {
                return self.document();
            }
            if self.rest().starts_with(b"...") {
                self.close_entry(self.line_start);
                (self.ended, self.in_plain) = (true, false);
                return self.next_line();
            }
        }
        if indent == 0 && first == Some(b'%') && self.root == Root::Nothing {
            return self.next_line();
        }
        if self.in_plain && indent > self.parent {
            let start = self.at;
            self.next_line();
            let line = self.text.get(start..self.at).unwrap_or_default().trim_ascii_end();
            // A key within a plain scalar is no YAML.
            self.broken |= self.parent < 0
                && (line.ends_with(b":") || memchr::memmem::find(line, b": ").is_some());
            return;
        }
        self.in_plain = false;
        // After a value, or between the entries of a list, nothing else can stand.
        self.broken |= indent == 0
            && self.root == Root::Other
            && !(self.peek(0) == Some(b'-') && is_blank(self.peek(1)) && self.parent >= 0);
        if indent == 0 {
            self.close_entry(self.line_start);
        }
        self.nodes();
    }

    /// `---`, and what may follow it in its line.
    fn document(&mut self) {
        (self.root, self.ended, self.in_plain, self.parent) = (Root::Nothing, false, false, -1);
        self.close_entry(self.line_start);
        self.earlier.append(&mut self.markers);
        (self.open, self.question) = (false, None);
        self.alias_key = false;
        self.at += 3;
        self.nodes();
    }

    /// What stands in a line from here on: indicators, properties, keys, and a value that may go on.
    fn nodes(&mut self) {
        // Where the node at hand begins, its anchor and tag included.
        let mut node = None;
        loop {
            self.skip(BLANKS);
            let column = self.column();
            match self.peek(0) {
                None => return,
                Some(b'\n' | b'\r' | b'#') => return self.next_line(),
                Some(b'-') if is_blank(self.peek(1)) => {
                    self.take_root(Root::Other);
                    self.parent = column;
                    self.at += 1;
                    node = None;
                }
                Some(b'?') if is_blank(self.peek(1)) => {
                    self.take_root(Root::Mapping { indented: column > 0 });
                    self.parent = column;
                    self.at += 1;
                    if column == 0 {
                        self.question = Some(self.line_start..self.at);
                    }
                    node = None;
                }
                // The value of a key after a `?`, of an alias or of no name at all.
                Some(b':') if is_blank(self.peek(1)) => {
                    let start = node.take().unwrap_or(column);
                    self.take_root(Root::Mapping { indented: start > 0 });
                    self.alias_key |= start == 0 && self.text.get(self.line_start) == Some(&b'*');
                    self.parent = start;
                    self.at += 1;
                }
                Some(first @ (b'&' | b'!' | b'*')) => {
                    self.aliases += usize::from(first == b'*');
                    node.get_or_insert(column);
                    let length =
                        self.rest().iter().take_while(|byte| !is_blank(Some(**byte))).count();
                    self.at += length;
                    // `*alias :` is a key, and needs the blank.
                }
                Some(b'|' | b'>') => {
                    self.take_root(Root::Other);
                    return self.block_scalar();
                }
                Some(first) => {
                    let start = *node.get_or_insert(column);
                    if !self.scalar_or_flow(first, start) {
                        return;
                    }
                    node = None;
                }
            }
        }
    }

    /// The root of the document, where nothing was met before this.
    fn take_root(&mut self, root: Root) {
        if self.root == Root::Nothing {
            self.root = root;
        }
    }

    /// A scalar or a flow collection; true where it was a key, and its value may follow in the line.
    fn scalar_or_flow(&mut self, first: u8, column: isize) -> bool {
        let (from, line) = (self.at, self.line_start);
        match first {
            b'"' | b'\'' => self.quoted(first),
            b'[' | b'{' => self.flow(),
            _ => return self.plain(column),
        }
        let to = self.at;
        let one_line = line == self.line_start
            && memchr::memchr2(b'\n', b'\r', self.text.get(from..to).unwrap_or_default()).is_none();
        self.skip(BLANKS);
        if one_line && self.peek(0) == Some(b':') && is_blank(self.peek(1)) {
            self.key(column, from..to);
            return true;
        }
        self.take_root(Root::Other);
        self.next_line();
        false
    }

    /// A plain scalar, as far as its line goes; true where it was a key.
    fn plain(&mut self, column: isize) -> bool {
        let from = self.at;
        let line = self.rest_of_line();
        let mut search = 0;
        while let Some(found) = memchr::memchr2(b':', b'#', line.get(search..).unwrap_or_default())
        {
            let at = search + found;
            search = at + 1;
            if line.get(at) == Some(&b'#') {
                if at > 0 && is_blank(line.get(at - 1).copied()) {
                    break;
                }
            } else if is_blank(line.get(at + 1).copied()) {
                self.at = from + at;
                self.key(column, from..from + at);
                return true;
            }
        }
        self.take_root(Root::Other);
        self.in_plain = true;
        self.next_line();
        false
    }

    /// A key was met; this stands on its colon.
    fn key(&mut self, column: isize, name: Range<usize>) {
        self.take_root(Root::Mapping { indented: column > 0 });
        self.parent = column;
        self.at += 1;
        if column == 0 {
            self.marker(name);
        }
    }

    /// Keeps a top-level key that is a marker's; its value follows.
    fn marker(&mut self, name: Range<usize>) {
        let written = self.text.get(name).unwrap_or_default().trim_ascii();
        let Some(name) = scalar::decode(written) else {
            return;
        };
        let Ok(key) = name.parse::<Key>() else {
            return;
        };
        let line = self.rest_of_line();
        let value = line.trim_ascii();
        let blanks = line.len() - line.trim_ascii_start().len();
        let whole = !value.is_empty()
            && scalar::is_whole(value)
            && (matches!(value, [b'"' | b'\'', ..]) || !self.is_continued());
        let said = if whole { Some(value) } else { scalar::of_line(value) };
        self.markers.push(MarkerLine {
            key,
            value: said.map(|said| self.at + blanks..self.at + blanks + said.len()),
            lines: self.line_start..self.text.len(),
        });
        self.open = true;
        if whole {
            let end = self.after_line();
            self.close_marker(end);
        }
    }

    /// Whether a plain scalar goes on in the next line.
    fn is_continued(&mut self) -> bool {
        let next = self.text.get(self.after_line()..).unwrap_or_default();
        let word = next.iter().position(|byte| !BLANKS.contains(byte));
        word.is_some_and(|at| at > 0 && !matches!(next.get(at), None | Some(b'\n' | b'\r' | b'#')))
    }

    /// A quoted scalar, over as many lines as it has.
    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        loop {
            let found = if quote == b'"' {
                memchr::memchr2(b'"', b'\\', self.rest())
            } else {
                memchr::memchr(b'\'', self.rest())
            };
            let Some(found) = found else {
                self.at = self.text.len();
                self.broken = true;
                return;
            };
            self.at += found;
            match (self.peek(0), self.peek(1)) {
                (Some(b'\\'), _) | (Some(b'\''), Some(b'\'')) => {
                    self.at = (self.at + 2).min(self.text.len());
                }
                _ => {
                    self.at += 1;
                    return;
                }
            }
        }
    }

    /// A flow collection, over as many lines as it has; its depth is a number, not a stack.
    fn flow(&mut self) {
        let mut depth = 0_usize;
        let mut in_plain = false;
        while let Some(byte) = self.peek(0) {
            let after_blank = self.at == 0 || is_blank(self.text.get(self.at - 1).copied());
            let ends = is_blank(self.peek(1))
                || matches!(self.peek(1), Some(b',' | b'[' | b']' | b'{' | b'}'));
            match byte {
                b'[' | b'{' => {
                    (depth, in_plain) = (depth + 1, false);
                    self.depth = self.depth.max(depth);
                }
                b']' | b'}' => {
                    (depth, in_plain) = (depth.saturating_sub(1), false);
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                b',' => in_plain = false,
                // After a quote or a bracket, as in JSON, no blank need follow.
                b':' if ends || !in_plain => in_plain = false,
                // After a bracket, a comma or a quote, libyaml and PyYAML want no blank before it.
                b'#' if after_blank || !in_plain => {
                    in_plain = false;
                    self.end_line();
                    continue;
                }
                b' ' | b'\t' | b'\n' | b'\r' => {}
                b'"' | b'\'' if !in_plain => {
                    self.quoted(byte);
                    continue;
                }
                b'&' | b'!' | b'*' if !in_plain => {
                    self.aliases += usize::from(byte == b'*');
                    let length = self
                        .rest()
                        .iter()
                        .take_while(|byte| !is_blank(Some(**byte)) && !b",[]{}".contains(byte))
                        .count();
                    self.at += length;
                    continue;
                }
                // Within brackets, libyaml and PyYAML want no blank after it.
                b'?' if !in_plain => {}
                _ => in_plain = true,
            }
            self.at += 1;
        }
        self.broken = true;
    }

    /// A block scalar: its header, and all lines that are deeper than what it belongs to, or empty.
    fn block_scalar(&mut self) {
        let header = self.rest();
        let header = header.get(..header.len().min(3)).unwrap_or_default();
        let digit = header.iter().skip(1).find(|byte| byte.is_ascii_digit());
        self.next_line();
        let parent = self.parent.max(-1);
        let mut indent =
            digit.map(|digit| parent.max(0) + isize::from((digit - b'0').cast_signed()));
        while self.at < self.text.len() {
            self.line_start = self.at;
            self.skip(b" ");
            let column = self.column();
            if matches!(self.peek(0), None | Some(b'\n' | b'\r')) {
                self.next_line();
                continue;
            }
            let least = *indent.get_or_insert(if column > parent { column } else { isize::MAX });
            let marker = column == 0
                && is_blank(self.peek(3))
                && (self.rest().starts_with(b"---") || self.rest().starts_with(b"..."));
            if column < least || marker {
                self.at = self.line_start;
                return;
            }
            self.next_line();
        }
    }
}

/// What the key after a `?` is.
#[derive(Debug, PartialEq)]
enum ExplicitKey {
    Marker(Key),
    Alias,
    Other,
}

/// What the node after a `?` is, over all its lines, with its comments, its tag and its anchor.
fn explicit_key(node: &[u8]) -> ExplicitKey {
    let mut node = skip_comments(node);
    while let [b'&' | b'!', ..] = node {
        let end = node.iter().position(|byte| is_blank(Some(*byte)));
        node = skip_comments(node.get(end.unwrap_or(node.len())..).unwrap_or_default());
    }
    let line = |text: &[u8]| memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len());
    let text = match node {
        [b'*', ..] => return ExplicitKey::Alias,
        [b'"' | b'\'', ..] => {
            let joined = join_lines(node);
            let (value, rest) = joined.split_at(scalar::quoted_length(&joined));
            match scalar::decode(value) {
                Some(text) if skip_comments(rest).is_empty() => text.into_owned(),
                _ => return ExplicitKey::Other,
            }
        }
        [b'|' | b'>', ..] => {
            let (header, lines) = node.split_at(line(node));
            let indicators = header.split(u8::is_ascii_whitespace).next();
            // Without a dash its last line break is part of it, and no key has one.
            if !indicators.is_some_and(|indicators| indicators.contains(&b'-')) {
                return ExplicitKey::Other;
            }
            String::from_utf8_lossy(lines.trim_ascii()).into_owned()
        }
        _ => {
            let end = node.iter().position(|byte| is_blank(Some(*byte)));
            let (word, rest) = node.split_at(end.unwrap_or(node.len()));
            if !skip_comments(rest).is_empty() {
                return ExplicitKey::Other;
            }
            String::from_utf8_lossy(word).into_owned()
        }
    };
    text.parse().map_or(ExplicitKey::Other, ExplicitKey::Marker)
}

/// `text` from its first byte that is no white space and no comment.
fn skip_comments(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        if !text.starts_with(b"#") {
            return text;
        }
        let end = memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len());
        text = text.get(end..).unwrap_or_default();
    }
}

/// A quoted scalar without the line breaks that are escaped, and the blanks after them.
fn join_lines(quoted: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            (b'\\', [b'\n' | b'\r', ..]) if quoted.starts_with(b"\"") => {
                rest = after.trim_ascii_start();
            }
            (b'\\', [escaped, after @ ..]) => {
                joined.extend([*byte, *escaped]);
                rest = after;
            }
            _ => joined.push(*byte),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn obstacle(text: &str) -> Option<Obstacle> {
        Outline::of(text.as_bytes()).obstacle
    }

    /// The marker keys at the top level, and their values.
    fn markers(text: &str) -> Vec<(Key, Option<&str>)> {
        Outline::of(text.as_bytes())
            .markers
            .into_iter()
            .map(|marker| (marker.key, marker.value.map(|value| &text[value])))
            .collect()
    }

    #[test]
    fn a_mapping_of_lines_can_carry_a_block() {
        for text in [
            "",
            "# only a note\n",
            "id: 1\n",
            "id: 1",
            "id:\n",
            "---\nid: 1\n",
            "--- # a note\nid: 1\n",
            "%YAML 1.2\n---\nid: 1\n",
            "\u{feff}id: 1\n",
            "\u{feff}---\nid: 1\r\ncontent: x\r\n",
            "id: 1\rcontent: x\r",
            "\"id\": 1\n'b': 2\n? c\n: d\n",
            "? a\n: b\n",
            "&a id: !!str 1\nb: *a\n<<: {c: d}\n",
            "content: |\n  text: here\n\n  ...\n",
            "content: |2\n    deep\n  less\nid: 1\n",
            "content: >-\n\n  folded\n",
            "content: |\n",
            "list:\n- a\n- b: c\n  d: |\n    e\n- - |\n    f\n",
            "content: \"over\n\nclaimed_by: me\n---\nlines\"\n",
            "content: 'it''s\n- a list'\n",
            "content: plain\n  over 'lines \"\n",
            "flow: [a, \"]\", b'c, {d: 'e}'}, # ]\n f]\n",
            "flow: {a: [\n1\n]\n}\n",
            "flow: [&a b, *a, !!str c, {&d e: f}]\n",
            "url: http://a#b\n",
            "a: b\n...\n---\nc: d\n",
            "!!map\nid: 1\n",
            "a: &a b\n*a : c\n",
            "--- !!map\nid: 1\n",
        ] {
            assert_eq!(obstacle(text), None, "{text:?}");
            assert_eq!(markers(text), [], "{text:?}");
        }
    }

    #[test]
    fn what_is_no_mapping_of_lines_cannot() {
        for (text, expected) in [
            ("- a\n", Obstacle::NotMapping),
            ("hello\nworld\n", Obstacle::NotMapping),
            ("\"quoted\"\n", Obstacle::NotMapping),
            ("{id: 1}\n", Obstacle::NotMapping),
            ("{\"id\":\"as: json\"}\n", Obstacle::NotMapping),
            ("{?\"id: \" }\n", Obstacle::NotMapping),
            ("{a: {b: c\n}# [\n}# [\n", Obstacle::NotMapping),
            ("[a,# ]\n\"b\"# [\n]\n", Obstacle::NotMapping),
            ("[1]\n", Obstacle::NotMapping),
            ("--- |\n  text\n", Obstacle::NotMapping),
            ("--- |\ntext\nid: 1\n", Obstacle::NotMapping),
            ("--- text\n", Obstacle::NotMapping),
            ("| \n text\n", Obstacle::NotMapping),
            ("  id: 1\n  b: 2\n", Obstacle::Indented),
            ("id: 1\n...\n", Obstacle::DocumentEnd),
            ("id: 1\n... # over\n\n", Obstacle::DocumentEnd),
            ("\u{fffe}", Obstacle::NotMapping),
            ("- a\n-\n  - b\n# note\n- c\n", Obstacle::NotMapping),
            ("-\n\t\n- b\n", Obstacle::NotMapping),
            ("  ? a\n  : b\n", Obstacle::Indented),
            ("text # note: x\n", Obstacle::NotMapping),
            ("  : x\n", Obstacle::Indented),
            ("a: &a claimed_by\n*a : x\n", Obstacle::AliasKey),
            ("a: &a claimed_by\n? *a\n: x\n", Obstacle::AliasKey),
        ] {
            assert_eq!(obstacle(text), Some(expected), "{text:?}");
        }
        assert_eq!(Outline::of(b"\xff\xfei\0d\0").obstacle, Some(Obstacle::Utf16));
    }

    #[test]
    fn what_no_parser_can_read_may_carry_any_block() {
        for text in [
            "{open: [\n",
            "\"open\n",
            "- a\nb: c\n",
            "some prose\nthat says: this\n",
            "{a: b}\nc: d\n",
            "\0opaque",
        ] {
            assert_eq!(obstacle(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_marker_key_is_found_where_yaml_sees_one() {
        use Key::{ClaimedBy, DeferredUntil, RepliedAt};
        for (text, expected) in [
            ("id: 1\nclaimed_by: \"me\"\ndraft: x\n", vec![(ClaimedBy, Some("\"me\""))]),
            ("id: 1\n\t\nclaimed_by: me\n", vec![(ClaimedBy, Some("me"))]),
            ("id: 1\n\t# note\nclaimed_by: me\n", vec![(ClaimedBy, Some("me"))]),
            ("\"claimed\\u005fby\": me\n", vec![(ClaimedBy, Some("me"))]),
            ("'claimed_by' : me\n", vec![(ClaimedBy, Some("me"))]),
            ("? claimed_by\n: me\n", vec![(ClaimedBy, None)]),
            ("a:\n  b: |1\n   text\n  c: \"\nclaimed_by: me\n\"\n", vec![]),
            ("? claimed_by # note\n# more\n: me\n", vec![(ClaimedBy, None)]),
            ("?\n  !!str claimed_by\n: me\n", vec![(ClaimedBy, None)]),
            ("? &a \"claimed_\\\n  by\"\n", vec![(ClaimedBy, None)]),
            ("? |-\n  claimed_by\n: me\n", vec![(ClaimedBy, None)]),
            ("? |\n  claimed_by\n: me\n", vec![]),
            ("? claimed_by\n  and more\n: me\n", vec![]),
            ("? claimed_by: x\n", vec![]),
            ("? - claimed_by\n", vec![]),
            ("claimed_by: \"a\nb\"\n", vec![(ClaimedBy, None)]),
            ("claimed_by: Jane Doe # me\n\n# note\nx: y\n", vec![(ClaimedBy, Some("Jane Doe"))]),
            ("claimed_by: Jane\n  Doe\n", vec![(ClaimedBy, None)]),
            ("claimed_by: [Jane]\n", vec![(ClaimedBy, None)]),
            ("deferred_until: 2027-03-01 09:00\n", vec![(DeferredUntil, Some("2027-03-01 09:00"))]),
            (
                "claimed_by:\n  me\nreplied_at: 2026\n",
                vec![(ClaimedBy, None), (RepliedAt, Some("2026"))],
            ),
            ("a: 1\n---\ndeferred_until: x\n", vec![(DeferredUntil, Some("x"))]),
            ("claimed_by: x\n---\na: 1\n", vec![]),
            ("a:\n  claimed_by: x\n", vec![]),
            ("- claimed_by: x\n", vec![]),
            ("a: [\nclaimed_by: x\n]\n", vec![]),
            ("a: 'b\n\nclaimed_by: x\n'\n", vec![]),
        ] {
            assert_eq!(markers(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_lines_of_an_entry_are_its_own() {
        for (text, left) in [
            ("id: 1\nclaimed_by: \"me\"\n\ndraft: x\n", "id: 1\n\ndraft: x\n"),
            ("id: 1\r\nclaimed_by: \"me\"\r\ndraft: x\r\n", "id: 1\r\ndraft: x\r\n"),
            ("id: 1\nclaimed_by: \"a\n  b\"\ndraft: x\n", "id: 1\ndraft: x\n"),
            ("id: 1\nclaimed_by:\n  b\ndraft: x", "id: 1\ndraft: x"),
            ("id: 1\nclaimed_by: x", "id: 1\n"),
            ("? claimed_by\n: x\n# note\ndraft: y\n", "draft: y\n"),
        ] {
            let outline = Outline::of(text.as_bytes());
            let [marker] = &*outline.markers else {
                panic!("{text:?}: {outline:?}");
            };
            let kept = [&text[..marker.lines.start], &text[marker.lines.end..]].concat();
            assert_eq!(kept, left, "{text:?}");
        }
    }
}
