//! Times in words: as a mail has them (RFC 2822), as `Date` writes them, and as people do.

use chrono::{NaiveDate, TimeDelta};

use super::time::{clock_of, local, offset};

const DAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The zones that RFC 2822 has by name, in hours (4.3, "Obsolete Date and Time").
const ZONES: [(&str, i64); 12] = [
    ("z", 0),
    ("ut", 0),
    ("utc", 0),
    ("gmt", 0),
    ("edt", -4),
    ("est", -5),
    ("cdt", -5),
    ("cst", -6),
    ("mdt", -6),
    ("mst", -7),
    ("pdt", -7),
    ("pst", -8),
];

/// What the words of a time say, as far as they were read.
#[derive(Default)]
struct Said {
    day: Option<u32>,
    month: Option<u32>,
    year: Option<i32>,
    clock: Option<TimeDelta>,
    /// In minutes.
    offset: Option<i64>,
}

/// The milliseconds that a time in words says. Without a zone it is the local clock's, a day alone its midnight. The name of
/// the day says nothing: a wrong one is no reason to read another time.
pub(super) fn parse(text: &str) -> Option<i64> {
    let text = match text.split_once('(') {
        Some((text, note)) if note.ends_with(')') => text,
        Some(_) => return None,
        None => text,
    };
    let text = text.to_ascii_lowercase();
    let words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    let mut said = Said::default();
    for (at, word) in words.enumerate() {
        if !(at == 0 && named(word, &DAYS).is_some()) {
            said.take(word)?;
        }
    }
    let date = NaiveDate::from_ymd_opt(said.year?, said.month?, said.day?)?;
    let moment = date.and_hms_opt(0, 0, 0)?.checked_add_signed(said.clock.unwrap_or_default())?;
    match said.offset {
        Some(offset) => Some(moment.and_utc().timestamp_millis() - offset * 60_000),
        None => local(moment),
    }
}

impl Said {
    /// Takes in a word; `None` where it is none of a time, or the second of its kind.
    fn take(&mut self, word: &str) -> Option<()> {
        if word.contains(':') && word.starts_with(|char: char| char.is_ascii_digit()) {
            return put(&mut self.clock, clock_of(word)?);
        }
        if let Some(month) = named(word, &MONTHS) {
            return put(&mut self.month, u32::try_from(month + 1).ok()?);
        }
        if let Some(offset) = zone(word) {
            // A zone is one of a time of day.
            self.clock.as_ref()?;
            return put(&mut self.offset, offset);
        }
        if !word.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let number = word.parse().ok()?;
        match (word.len(), self.day, number) {
            (1..=2, None, _) => put(&mut self.day, u32::try_from(number).ok()?),
            (2, Some(_), 0..=49) => put(&mut self.year, 2000 + number),
            (2, Some(_), _) => put(&mut self.year, 1900 + number),
            (4, _, _) => put(&mut self.year, number),
            _ => None,
        }
    }
}

fn put<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

/// Which of `names` a word is, spelled out or by its first three letters.
fn named(word: &str, names: &[&str]) -> Option<usize> {
    names.iter().position(|name| word == *name || (word.len() == 3 && name.starts_with(word)))
}

/// The minutes that a zone is ahead: a name, `+0100`, or `GMT+0100`.
fn zone(word: &str) -> Option<i64> {
    let by_name = |word: &str| Some(ZONES.iter().find(|(name, _)| *name == word)?.1 * 60);
    let after_name = word.strip_prefix("gmt").or_else(|| word.strip_prefix("utc"));
    by_name(word).or_else(|| offset(after_name.unwrap_or(word)))
}
