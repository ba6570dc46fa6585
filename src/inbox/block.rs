//! The marker block: the lines at the very end of an item's file that say who owns it.
//!
//! One grammar for files and for text: [`split`] finds the block, [`NewBlock`] writes one. The bytes
//! before it are the item's own and opaque here.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memrchr;

use super::scalar;
use super::text::json_text;
use super::time::Time;
use crate::words::words;

/// The most a block may measure, in bytes: what bounds the work on a file made of marker lines.
pub(crate) const MAX_BLOCK: usize = 1 << 20;

/// The longest block of a claim or a deferral: there is room for the lines of a reply after it.
pub(crate) const MAX_CLAIM_BLOCK: usize = MAX_BLOCK - 1024;

words! {
    /// The keys of a block, in the order in which they are written.
    pub(crate) enum Key {
        ClaimedBy = "claimed_by",
        ClaimedAt = "claimed_at",
        ClaimToken = "claim_token",
        DeferredUntil = "deferred_until",
        DeferredReason = "deferred_reason",
        FailedAt = "failed_at",
        FailedReason = "failed_reason",
        RepliedAt = "replied_at",
    }
}

impl Key {
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// Whether the block of every claim has it; a token is there only where one was asked for.
    pub(crate) fn is_of_every_claim(self) -> bool {
        matches!(self, Self::ClaimedBy | Self::ClaimedAt)
    }

    /// The key that starts `line`, and what follows its colon. YAML wants white space there.
    fn of(line: &[u8]) -> Option<(Self, &[u8])> {
        let key = match line {
            [b'c' | b'd' | b'f' | b'r', ..] => {
                *Self::ALL.iter().find(|key| line.starts_with(key.as_str().as_bytes()))?
            }
            _ => return None,
        };
        match line.get(key.as_str().len()..)? {
            [b':'] => Some((key, &[])),
            [b':', value @ ..] if matches!(value, [b' ' | b'\t', ..]) => Some((key, value)),
            _ => None,
        }
    }

    /// The same of a complete line, its `\n` taken off: a marker's where its value is one whole scalar.
    fn of_line(line: &[u8]) -> Option<(Self, &[u8])> {
        Self::of(line.strip_suffix(b"\r").unwrap_or(line))
            .filter(|(_, value)| scalar::is_whole(value.trim_ascii()))
    }

    /// The same of a line that was not written to its end.
    fn of_torn(line: &[u8]) -> Option<(Self, &[u8])> {
        Self::of(line).filter(|(_, value)| scalar::is_torn(value.trim_ascii()))
    }

    /// Whether any key's name stands anywhere in `text`.
    pub(crate) fn is_named_in(text: &[u8]) -> bool {
        Self::ALL.iter().any(|key| memchr::memmem::find(text, key.as_str().as_bytes()).is_some())
    }
}

/// The block at the end of some text, its values still as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// Where the item's own bytes end: everything from here on is the block.
    pub(crate) start: usize,
    /// Where the complete lines end; a torn line, if any, goes on from here to the end.
    pub(crate) complete: usize,
    values: [Option<&'a [u8]>; Key::COUNT],
}

/// What the end of a file tells about its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split<'a> {
    Found(Block<'a>),
    /// The block, or the line before it, begins before this part of the file.
    NeedsMore,
}

/// Stands for a line of which no more matters than that it is not empty and begins no key.
const TOO_LONG: &[u8] = b"...";

/// Two blanks after the first colon say that the line break before the block came with it.
const ADDED_BREAK: &[u8] = b"  ";

/// Finds the block that ends `text`: the longest run of complete marker lines, and a torn line
/// after them. `whole` says whether `text` is all there is.
///
/// Only `\n` ends a line; a `\r` before it is dropped. An unfinished last line counts as torn if it
/// holds a whole key with its colon, or is the beginning of a key right after a complete marker
/// line; else it is the item's own, and there is no block. Neither is there one where the run is
/// longer than [`MAX_BLOCK`]; a line longer than that is no marker's.
///
/// What comes before a block never ends in complete marker lines: those are cut off once. It may end in what looks like
/// a torn one, and is somebody's text.
pub(crate) fn split(text: &[u8], whole: bool) -> Split<'_> {
    let none = Split::Found(Block::none(text.len()));
    let Some((torn_at, torn)) = last_line(text, text.len(), whole) else {
        return if text.len() > MAX_BLOCK { none } else { Split::NeedsMore };
    };
    let mut block = Block::none(text.len());
    let mut first_value = None;
    if !torn.is_empty() {
        block.complete = torn_at;
        first_value = Key::of_torn(torn).map(|(_, value)| value);
    }

    let mut start = torn_at;
    // The line before the block, if there is one that could be seen.
    let mut before: &[u8] = &[];
    while start > 0 {
        // `start` follows a `\n`.
        let end = start - 1;
        let line = last_line(text, end, whole);
        // Too long to be a marker's, wherever it begins.
        if end - line.map_or(0, |(at, _)| at) > MAX_BLOCK {
            before = TOO_LONG;
            break;
        }
        let Some((at, line)) = line else {
            return Split::NeedsMore;
        };
        let Some((key, value)) = Key::of_line(line) else {
            before = line;
            break;
        };
        if text.len() - at > MAX_BLOCK {
            return none;
        }
        if let Some(slot) = block.values.get_mut(key as usize) {
            slot.get_or_insert(value);
        }
        first_value = Some(value);
        start = at;
    }

    let lines_found = start < torn_at;
    let torn_counts =
        torn.is_empty() || Key::of_torn(torn).is_some() || (lines_found && begins_a_key(torn));
    if !torn_counts || text.len() - start > MAX_BLOCK {
        return none;
    }
    block.start = start;
    // The break is the item's own where no item would have been given one: after a line that is
    // empty, or that would be a torn one of a block.
    if first_value.is_some_and(|value| value.starts_with(ADDED_BREAK)) && !before.is_empty() {
        let torn_before = if begins_a_key(before) {
            match last_line(text, (start - 1 - before.len()).saturating_sub(1), whole) {
                Some((_, line)) => Key::of_line(line).is_some(),
                None => return Split::NeedsMore,
            }
        } else {
            false
        };
        if !torn_before {
            block.start = start - 1;
        }
    }
    Split::Found(block)
}

/// Whether `block`, put after `item`, is found there again: as it is, and alone. `whole` says whether `item` is all of
/// the item, and not only its end.
pub(crate) fn is_found_after(item: &[u8], block: &[u8], whole: bool) -> bool {
    match split(&[item, block].concat(), whole) {
        Split::Found(found) => found.start == item.len(),
        Split::NeedsMore => false,
    }
}

/// Why a block that is not found again cannot follow an item.
pub(crate) const NOT_FOUND_AGAIN: &str =
    "ends in lines that could not be distinguished from a marker block after them";

/// Whether the block of a claim, put after a whole item, is found there again.
pub(crate) fn claim_is_found_after(item: &[u8]) -> bool {
    let block = NewBlock::default().text(Key::ClaimedBy, "session");
    is_found_after(item, &block.after(item), true)
}

/// The line that ends at `end`, and where it starts; `None` where that is before `text`.
fn last_line(text: &[u8], end: usize, whole: bool) -> Option<(usize, &[u8])> {
    let before = text.get(..end).unwrap_or_default();
    let start = match memrchr(b'\n', before) {
        Some(at) => at + 1,
        None if whole => 0,
        None => return None,
    };
    Some((start, before.get(start..).unwrap_or_default()))
}

/// Whether a whole text ends in a block, and where.
pub(crate) fn split_text(text: &[u8]) -> Block<'_> {
    match split(text, true) {
        Split::Found(block) => block,
        Split::NeedsMore => Block::none(text.len()),
    }
}

fn begins_a_key(fragment: &[u8]) -> bool {
    Key::ALL.iter().any(|key| key.as_str().as_bytes().starts_with(fragment))
}

/// Where a block stands in its text, and where its values do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    start: usize,
    complete: usize,
    values: [Option<Range<usize>>; Key::COUNT],
}

impl Places {
    /// Of a `block` that was found in `text`.
    pub(crate) fn of(block: &Block<'_>, text: &[u8]) -> Self {
        let place = |value: &[u8]| {
            // An empty one may stand nowhere.
            let start = value.as_ptr().addr().saturating_sub(text.as_ptr().addr());
            if value.is_empty() { 0..0 } else { start..start + value.len() }
        };
        let values = block.values.map(|value| value.map(place));
        Self { start: block.start, complete: block.complete, values }
    }

    /// The block again, in the same text.
    pub(crate) fn block<'a>(&self, text: &'a [u8]) -> Block<'a> {
        let values = self.values.each_ref().map(|place| text.get(place.clone()?));
        Block { start: self.start, complete: self.complete, values }
    }
}

impl<'a> Block<'a> {
    /// No block at the end of `length` bytes.
    pub(crate) fn none(length: usize) -> Self {
        Self { start: length, complete: length, ..Self::default() }
    }

    /// A value as it stands in its line, white space around it dropped.
    pub(crate) fn raw(&self, key: Key) -> Option<&'a [u8]> {
        self.values.get(key as usize).copied().flatten().map(<[u8]>::trim_ascii)
    }

    /// A value, decoded as the YAML scalar that it is; `None` for a missing or a null one.
    pub(crate) fn text(&self, key: Key) -> Option<Cow<'a, str>> {
        scalar::decode(self.raw(key)?)
    }

    /// A value as a moment; `None` too where it says no time.
    pub(crate) fn time(&self, key: Key) -> Option<Time> {
        Time::parse(&self.text(key)?)
    }

    /// Takes in a value from elsewhere, unless the block has one itself.
    pub(crate) fn add(&mut self, key: Key, value: &'a [u8]) {
        if let Some(slot) = self.values.get_mut(key as usize) {
            slot.get_or_insert(value);
        }
    }

    /// Whether it says nothing at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none)
    }

    /// Whether a line with this key is there, whatever its value.
    pub(crate) fn has(&self, key: Key) -> bool {
        self.raw(key).is_some()
    }
}

/// A block to be written: rendered lines, ready to follow an item.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewBlock(Vec<u8>);

impl NewBlock {
    pub(crate) fn line(mut self, key: Key, value: &str) -> Self {
        for part in [key.as_str(), ": ", value, "\n"] {
            self.0.extend_from_slice(part.as_bytes());
        }
        self
    }

    pub(crate) fn time(self, key: Key, time: Time) -> Self {
        self.line(key, &format!("\"{time}\""))
    }

    pub(crate) fn text(self, key: Key, text: &str) -> Self {
        self.line(key, &json_text(text))
    }

    /// The complete lines of a block as they stand, those of `key` dropped.
    pub(crate) fn keep(mut self, text: &[u8], block: &Block<'_>, key: Key) -> Self {
        let lines = text.get(block.start..block.complete).unwrap_or_default();
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            if line != b"\n" && Key::of(line).is_none_or(|(found, _)| found != key) {
                self.0.extend_from_slice(line);
            }
        }
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has a line with this key.
    pub(crate) fn has(&self, key: Key) -> bool {
        split_text(&self.0).has(key)
    }

    /// The bytes that put this block after `item`, an item's own bytes (or their end).
    ///
    /// An item that does not end its last line is given a line break, and the block remembers that
    /// it came with it: an item gets back exactly the bytes it had.
    pub(crate) fn after(self, item: &[u8]) -> Vec<u8> {
        if item.last().is_none_or(|last| *last == b'\n') || self.0.is_empty() {
            return self.0;
        }
        let mut bytes = vec![b'\n'];
        if let Some(colon) = memchr::memchr(b':', &self.0) {
            let (key, value) = self.0.split_at(colon + 1);
            bytes.extend_from_slice(key);
            if !value.starts_with(ADDED_BREAK) {
                bytes.push(b' ');
            }
            bytes.extend_from_slice(value);
        }
        bytes
    }

    pub(crate) fn into_string(self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

/// `block`, made at least `length` bytes long by blanks at the end of its last line, so that it can
/// take the place of a longer one in a single write.
pub(crate) fn pad(mut block: Vec<u8>, length: usize) -> Vec<u8> {
    if block.pop_if(|last| *last == b'\n').is_some() {
        let blanks = length.saturating_sub(block.len() + 1);
        block.resize(block.len() + blanks, b' ');
        block.push(b'\n');
    }
    block
}

/// How much of a write is done at once: a process that is killed while it writes stops at the end of a page.
const PAGE: usize = 4096;

/// Whether `new`, written over `old` at this offset of a file, makes a block with what is left of `old`
/// wherever the write stops.
pub(crate) fn is_safe_to_tear(old: &[u8], new: &[u8], offset: u64) -> bool {
    let page = PAGE as u64;
    let to_the_first_end = usize::try_from(page - offset % page).unwrap_or(PAGE);
    // A break comes with a block only after an item.
    let item: &[u8] = if new.starts_with(b"\n") { b"x" } else { b"" };
    // An old block of several pages is not worth the look.
    old.len() <= to_the_first_end + PAGE
        && (to_the_first_end..old.len()).step_by(PAGE).all(|end| {
            match (new.get(..end), old.get(end..)) {
                (Some(new), Some(old)) => {
                    split_text(&[item, new, old].concat()).start == item.len()
                }
                _ => true,
            }
        })
}

/// Whether each end of `text` tells the block that the whole tells, or that more of it is needed.
#[cfg(any(test, fuzzing))]
pub(crate) fn any_end_tells_the_same(text: &[u8]) -> bool {
    let whole = split_text(text);
    (0..=text.len()).all(|from| match split(text.get(from..).unwrap_or_default(), false) {
        Split::NeedsMore => true,
        Split::Found(found) => {
            let found =
                Block { start: found.start + from, complete: found.complete + from, ..found };
            found == whole
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CLAIM: &str = "claimed_by: \"session\"\nclaimed_at: \"2026-09-08T10:00:00.000Z\"\n";

    /// Where the block of a text starts, and who claimed by it.
    fn read(text: &str) -> (usize, Option<String>) {
        let block = split_text(text.as_bytes());
        (block.start, block.text(Key::ClaimedBy).map(Cow::into_owned))
    }

    fn value(line: &str) -> Option<String> {
        split_text(line.as_bytes()).text(Key::DeferredReason).map(Cow::into_owned)
    }

    #[test]
    fn only_the_run_that_ends_the_text_is_the_block() {
        let session = Some("session".to_owned());
        assert_eq!(read(CLAIM), (0, session.clone()));
        assert_eq!(read(&format!("id: 1\n{CLAIM}")), (6, session.clone()));
        assert_eq!(
            read(&format!("{CLAIM}id: 1\n")).1,
            None,
            "lines before the item's end are the item's"
        );
        assert_eq!(read(&format!("{CLAIM}\n")).1, None, "an empty line ends the run");
        assert_eq!(
            read(&format!(
                "id: 1
  {CLAIM}"
            ))
            .1,
            None,
            "an indented line is text"
        );
        assert_eq!(read(&format!("id: 1\n{}", CLAIM.replace('\n', "\r\n"))), (6, session));
        assert_eq!(read(""), (0, None));
    }

    #[test]
    fn the_last_of_a_repeated_key_counts() {
        assert_eq!(read("claimed_by: \"a\"\nclaimed_by: \"b\"\n"), (0, Some("b".to_owned())));
    }

    #[test]
    fn only_a_whole_key_and_a_line_feed_make_a_line() {
        for text in [
            "claimed_byx: 1\n",
            "xclaimed_by: 1\n",
            "claimed_by:1\n",
            "Claimed_by: 1\n",
            "claimed_by : 1\n",
            "claimed_by: 1\u{2028}",
            "claimed\n",
        ] {
            let start = split_text(format!("id: 1\n{text}").as_bytes()).start;
            assert!(start == 6 + text.len() || text.contains('\u{2028}'), "{text:?}");
        }
    }

    #[test]
    fn a_torn_line_belongs_to_the_block_and_says_nothing() {
        assert_eq!(
            read("id: 1\nclaimed_by: \"session\"\nclaimed_at: \"2026"),
            (6, Some("session".to_owned()))
        );
        assert_eq!(
            read("id: 1\nclaimed_by: \"session\"\nclaim"),
            (6, Some("session".to_owned())),
            "the head of a key after a line"
        );
        assert_eq!(read("id: 1\nclaimed_by: \"sess"), (6, None));
        assert_eq!(read("id: 1\nclaimed_by:"), (6, None));
        assert_eq!(read("id: 1\nclaimed_by"), (16, None), "without its colon it may be text");
        assert_eq!(
            read("id: 1\nclaimed_by: \"session\"\nother"),
            (33, None),
            "not the head of a key"
        );
    }

    #[test]
    fn values_are_yaml_scalars() {
        for (line, expected) in [
            ("\"a\\nb \\\"c\\\" \\u2028\"", Some("a\nb \"c\" \u{2028}")),
            ("\"\\nb\"", Some("\nb")),
            ("\"\\\\\"", Some("\\")),
            ("'it''s'", Some("it's")),
            ("2026-09-08", Some("2026-09-08")),
            ("12", Some("12")),
            ("null", None),
            ("", None),
        ] {
            assert_eq!(value(&format!("deferred_reason: {line}\n")).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_hostile_value_costs_little() {
        for raw in [
            "[".repeat(100_000),
            "- ".repeat(100_000),
            "? ".repeat(100_000),
            format!("!!seq {}", "[".repeat(100_000)),
        ] {
            assert_eq!(value(&format!("deferred_reason: {raw}\n")), None);
        }
    }

    #[test]
    fn a_window_answers_as_the_whole_or_asks_for_more() {
        let text = format!("{}\nid: 1\n{CLAIM}", "x".repeat(200));
        assert!(any_end_tells_the_same(text.as_bytes()));
        let told = |from: usize| split(text.as_bytes().get(from..).unwrap(), false);
        assert_eq!(told(200), Split::Found(split_text(&text.as_bytes()[200..])));
        assert_eq!(told(201), Split::NeedsMore, "the line before it");
        assert_eq!(told(text.len() - 1), Split::NeedsMore, "the only line");
    }

    /// The start of the block that ends a line of so many bytes, and `rest` after it; found by the whole
    /// and, where one can tell, by the end that lacks the first byte.
    fn start_behind(line: &str, length: usize, rest: &str) -> (usize, Option<usize>) {
        let text = format!("{line}{}{rest}", "x".repeat(length - line.len()));
        let end = match split(&text.as_bytes()[1..], false) {
            Split::Found(block) => Some(block.start + 1),
            Split::NeedsMore => None,
        };
        (split_text(text.as_bytes()).start, end)
    }

    #[test]
    fn a_block_longer_than_allowed_is_none() {
        for (length, start, end) in [
            (MAX_BLOCK - 1, 0, None),
            (MAX_BLOCK, 0, None),
            (MAX_BLOCK + 1, MAX_BLOCK + 1, None),
            (MAX_BLOCK + 2, MAX_BLOCK + 2, Some(MAX_BLOCK + 2)),
        ] {
            let told = start_behind("claimed_by: ", length, "");
            assert_eq!(told, (start, end), "a torn line of {length}");
        }
        for (length, start, end) in [
            (MAX_BLOCK - CLAIM.len() - 1, 0, None),
            (MAX_BLOCK - CLAIM.len(), MAX_BLOCK + 1, None),
            (MAX_BLOCK, MAX_BLOCK + 1 + CLAIM.len(), None),
            (MAX_BLOCK + 1, MAX_BLOCK + 2, None),
            (MAX_BLOCK + 2, MAX_BLOCK + 3, Some(MAX_BLOCK + 3)),
        ] {
            let told = start_behind("claimed_by: ", length, &format!("\n{CLAIM}"));
            assert_eq!(told, (start, end), "a line of {length} before a claim");
        }
    }

    /// Once the lines that are seen are too many, what comes before them cannot matter.
    #[test]
    fn too_many_lines_are_none_however_they_begin() {
        let lines = CLAIM.repeat(MAX_BLOCK / CLAIM.len() + 2);
        assert_eq!(
            split(&lines.as_bytes()[1..], false),
            Split::Found(Block::none(lines.len() - 1))
        );
    }

    #[test]
    fn an_added_line_break_is_remembered() {
        let tail = || NewBlock::default().text(Key::ClaimedBy, "session");
        for (item, expected) in [
            ("id: 1", "\nclaimed_by:  \"session\"\n"),
            ("id: 1\n", "claimed_by: \"session\"\n"),
            ("", "claimed_by: \"session\"\n"),
        ] {
            let block = tail().after(item.as_bytes());
            assert_eq!(String::from_utf8_lossy(&block), expected);
            let text = [item.as_bytes(), &block].concat();
            assert_eq!(split_text(&text).start, item.len());
        }
    }

    /// A line break counts as added where an item that lacked one would have been given it.
    #[test]
    fn a_line_break_that_was_not_added_stays_with_the_item() {
        for (item, block) in [
            ("id: 1\n\n", "claimed_by:  a\n"),
            ("claimed_at: x\ncla\n", "claimed_by:  a\n"),
            ("id: 1\nclaimed_at: x\nreplied_a\n", "claimed_by:  a\n"),
            ("id: 1\ncla", "\nclaimed_by:  a\n"),
            ("cla", "\nclaimed_by:  a\n"),
            ("claimed_at: x\nid: 1\ncla", "\nclaimed_by:  a\n"),
            ("claimed_at: x\nother", "\nclaimed_by:  a\n"),
        ] {
            let text = [item, block].concat();
            assert_eq!(split_text(text.as_bytes()).start, item.len(), "{text:?}");
        }
    }

    #[test]
    fn padding_only_ever_lengthens() {
        assert_eq!(pad(b"a: 1\n".to_vec(), 8), b"a: 1   \n");
        assert_eq!(pad(b"a: 1\n".to_vec(), 3), b"a: 1\n");
        assert_eq!(pad(Vec::new(), 8), b"");
    }

    /// A write stops at the end of a page, so it matters where in its page a block begins.
    #[test]
    fn a_write_is_safe_to_tear_where_every_part_of_it_makes_a_block_with_the_rest() {
        let until = "deferred_until: \"2026-09-08T10:00:00.000Z\"\n";
        let safe = |old: &str, torn_at: u64| {
            let new = pad(until.as_bytes().to_vec(), old.len());
            is_safe_to_tear(old.as_bytes(), &new, 3 * 4096 - torn_at)
        };
        assert!(!safe(CLAIM, 5), "the head of one key and the rest of another");
        assert!(safe(CLAIM, 20), "in a value");
        assert!(safe(CLAIM, CLAIM.len() as u64), "after it all");
        assert!(safe(CLAIM, 0), "a page has room for it all");

        let long = |length: usize| {
            let line = format!("deferred_reason: \"{}\"\n", "x".repeat(length - 20));
            assert_eq!(line.len(), length);
            line
        };
        assert!(!safe(&long(8192), 0), "blanks, and the rest of a value after a quote");
        assert!(safe(&long(4096), 0), "a page has room for it all");
    }

    proptest! {
        #[test]
        fn any_end_of_a_text_tells_what_the_whole_tells(
            pieces in prop::collection::vec(prop::sample::select(&[
                "\n", "\r", " ", "  ", ":", "x", "id: 1", "cla", "claimed_by", "claimed_by: a",
                "claimed_at:  b", "replied_at: c", "deferred_until: d\n", "claim_token: e\r\n",
            ][..]), 0..12),
        ) {
            prop_assert!(any_end_tells_the_same(pieces.concat().as_bytes()));
        }

        #[test]
        fn what_is_cut_off_an_item_is_cut_off_once(
            pieces in prop::collection::vec(prop::sample::select(&[
                "\n", " ", "id: 1\n", "cla", "claimed_by: a", "claimed_at:  b\n", "claimed_at: \"b",
                "replied_at: c\n", "deferred_until:  \"d\"\n",
            ][..]), 0..8),
        ) {
            let text = pieces.concat();
            let (item, _) = text.as_bytes().split_at(split_text(text.as_bytes()).start);
            if item.is_empty() || item.ends_with(b"\n") {
                prop_assert_eq!(split_text(item).start, item.len(), "{:?}", item);
            }
        }
    }
}
