//! A moment as a marker holds it: exactly what a JavaScript `Date` can say, no more.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "times up to 8.64e15 are whole in an i64 and exact in an f64"
)]

use std::fmt;
use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::mail_time;
use chrono::{DateTime, Datelike, Local, NaiveDate, NaiveDateTime, TimeDelta, TimeZone, Timelike};

/// A moment, in milliseconds since the epoch, within the range of a JavaScript `Date`
/// (100,000,000 days to either side). Fractions are kept for comparisons and dropped, towards
/// zero, when the moment is written.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Time(f64);

/// The Gregorian calendar repeats after 400 years. `chrono` ends at the year 262,142 and a `Date`
/// at 275,760, so dates are computed within one cycle and moved by whole ones.
const CYCLE_YEARS: i64 = 400;
const CYCLE_MS: i64 = 146_097 * 86_400_000;

impl Time {
    /// The largest distance from the epoch, in milliseconds (ECMA-262, "Time Values and Time Range").
    const MAX_MILLIS: f64 = 8.64e15;

    /// The moment `millis` after the epoch; `None` for what no `Date` can hold (NaN, out of range).
    pub(crate) fn from_millis(millis: f64) -> Option<Self> {
        (millis.abs() <= Self::MAX_MILLIS).then_some(Self(millis))
    }

    /// Milliseconds since the epoch.
    pub(crate) fn millis(self) -> f64 {
        self.0
    }

    /// Whole seconds and nanoseconds, as a file time.
    pub(crate) fn to_file(self) -> (i64, i64) {
        let seconds = (self.0 / 1e3).floor();
        (seconds as i64, ((self.0 - seconds * 1e3) * 1e6) as i64)
    }

    /// A file time of whole seconds and nanoseconds.
    pub(crate) fn from_file(seconds: i64, nanos: i64) -> Self {
        Self(seconds as f64 * 1e3 + nanos as f64 / 1e6)
    }

    /// Reads a time in every form that `Date.parse` reads alike everywhere: ISO 8601 with or without time, zone,
    /// seconds and fractions (a date alone is UTC, a time without a zone local), with the signed six-digit years of
    /// `toISOString` too; RFC 2822; what `Date.prototype.toString` writes; and a day and a time in words.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let millis = iso(text).or_else(|| mail_time::parse(text))?;
        Self::from_millis(millis as f64)
    }

    /// The name that this moment gives a delivered item: ISO 8601 with dashes for what a file name should not have.
    pub(crate) fn as_delivery_time(self) -> String {
        self.to_string().replace([':', '.'], "-")
    }

    /// The month, as `2026-09`.
    pub(crate) fn month(self) -> String {
        self.to_string()
            .chars()
            .take_while(|char| *char != 'T')
            .collect::<String>()
            .rsplit_once('-')
            .map_or_else(String::new, |(month, _)| month.to_owned())
    }
}

impl From<SystemTime> for Time {
    /// What lies beyond the range of a `Date` becomes its nearest end.
    fn from(time: SystemTime) -> Self {
        let millis =
            |age: Duration| age.as_secs() as f64 * 1e3 + f64::from(age.subsec_nanos()) / 1e6;
        let millis = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => millis(after),
            Err(before) => -millis(before.duration()),
        };
        Self(millis.clamp(-Self::MAX_MILLIS, Self::MAX_MILLIS))
    }
}

impl From<Time> for SystemTime {
    fn from(time: Time) -> Self {
        let (seconds, nanos) = time.to_file();
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let nanos = Duration::from_nanos(nanos.unsigned_abs());
        if seconds < 0 { UNIX_EPOCH - whole + nanos } else { UNIX_EPOCH + whole + nanos }
    }
}

/// A text taken apart from its front.
struct Reader<'t>(&'t str);

impl Reader<'_> {
    /// Takes as many digits as `count` allows; their number and how many there were.
    fn digits(&mut self, count: RangeInclusive<usize>) -> Option<(i64, usize)> {
        let digits = self.0.bytes().take(*count.end()).take_while(u8::is_ascii_digit);
        // Of 18 digits at most, so that none is lost.
        let (number, length) = digits.fold((0, 0), |(number, length), digit| {
            (number * 10 + i64::from(digit - b'0'), length + 1)
        });
        self.0 = self.0.get(length..)?;
        count.contains(&length).then_some((number, length))
    }

    fn take(&mut self, expected: &str) -> bool {
        let rest = self.0.strip_prefix(expected);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }
}

/// ISO 8601 as ECMA-262 has it ("Date Time String Format"), a blank for the `T` and before the zone allowed, and `+0100` or
/// `+01` for `+01:00`.
fn iso(text: &str) -> Option<i64> {
    let mut rest = Reader(text);
    let year = match text.as_bytes().first()? {
        sign @ (b'+' | b'-') => {
            rest.0 = text.get(1..)?;
            let (year, _) = rest.digits(6..=6)?;
            // ECMA-262: there is no year -000000.
            match sign {
                b'-' if year == 0 => return None,
                b'-' => -year,
                _ => year,
            }
        }
        _ => rest.digits(4..=4)?.0,
    };
    let mut part = |before: &str| {
        if rest.0.is_empty() || !rest.take(before) {
            return Some(None);
        }
        rest.digits(2..=2).map(|(number, _)| Some(number))
    };
    let (month, day) = (part("-")?, part("-")?);
    // 2000 is the start of a cycle with four-digit years.
    let within = 2000 + year.rem_euclid(CYCLE_YEARS);
    let cycles = (year - within).div_euclid(CYCLE_YEARS);
    let date = NaiveDate::from_ymd_opt(
        i32::try_from(within).ok()?,
        u32::try_from(month.unwrap_or(1)).ok()?,
        u32::try_from(day.unwrap_or(1)).ok()?,
    )?;
    if rest.0.is_empty() {
        let midnight = date.and_hms_opt(0, 0, 0)?;
        return Some(midnight.and_utc().timestamp_millis() + cycles * CYCLE_MS);
    }
    if day.is_none() || !(rest.take("T") || rest.take("t") || rest.take(" ")) {
        return None;
    }
    let time = clock(&mut rest, 2..=2)?;
    let moment = date.and_hms_opt(0, 0, 0)?.checked_add_signed(time)?;
    let at = match rest.0.trim_start() {
        "" if cycles == 0 || (1..=9999).contains(&year) => {
            let years = i32::try_from(year - within).ok()?;
            return local(moment.with_year(moment.year().checked_add(years)?)?);
        }
        "" => return None,
        "Z" | "z" => moment.and_utc().timestamp_millis(),
        zone => moment.and_utc().timestamp_millis() - offset(zone)? * 60_000,
    };
    Some(at + cycles * CYCLE_MS)
}

/// A time of day, its seconds and their fraction allowed; 24:00 is the end of the day.
fn clock(rest: &mut Reader<'_>, hour_digits: RangeInclusive<usize>) -> Option<TimeDelta> {
    let (hours, _) = rest.digits(hour_digits)?;
    if !rest.take(":") {
        return None;
    }
    let (minutes, _) = rest.digits(2..=2)?;
    let (mut seconds, mut millis) = (0, 0);
    if rest.take(":") {
        seconds = rest.digits(2..=2)?.0;
        if rest.take(".") || rest.take(",") {
            let digits = rest.0;
            rest.digits(1..=18)?;
            let digits = digits.bytes().take_while(u8::is_ascii_digit).chain(*b"000");
            millis = digits.take(3).fold(0, |millis, digit| millis * 10 + i64::from(digit - b'0'));
        }
    }
    let whole_day = hours == 24 && minutes == 0 && seconds == 0 && millis == 0;
    if !(hours < 24 || whole_day) || minutes > 59 || seconds > 59 {
        return None;
    }
    Some(TimeDelta::milliseconds(((hours * 60 + minutes) * 60 + seconds) * 1000 + millis))
}

/// The same of a word that says nothing else.
pub(super) fn clock_of(word: &str) -> Option<TimeDelta> {
    let mut rest = Reader(word);
    let clock = clock(&mut rest, 1..=2)?;
    rest.0.is_empty().then_some(clock)
}

/// The minutes that `+01:00`, `+0100` or `+01` says.
pub(super) fn offset(zone: &str) -> Option<i64> {
    let mut rest = Reader(zone);
    let sign = if rest.take("+") {
        1
    } else if rest.take("-") {
        -1
    } else {
        return None;
    };
    let (hours, _) = rest.digits(2..=2)?;
    if rest.0.is_empty() {
        return (hours < 24).then_some(sign * hours * 60);
    }
    rest.take(":");
    let (minutes, _) = rest.digits(2..=2)?;
    (rest.0.is_empty() && hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

/// A local time as a `Date` takes it (ECMA-262, "LocalTime"): of two moments the first, and one that the clock leaves
/// out by the offset from before.
pub(super) fn local(moment: NaiveDateTime) -> Option<i64> {
    let moments = Local.from_local_datetime(&moment);
    // Which of two `chrono` calls the earliest differs between zones.
    let both = [moments.earliest(), moments.latest()];
    if let Some(at) = both.into_iter().flatten().map(|at| at.timestamp_millis()).min() {
        return Some(at);
    }
    let before = moment.checked_sub_signed(TimeDelta::hours(24))?;
    let offset = Local.from_local_datetime(&before).earliest()?.offset().local_minus_utc();
    Some(moment.and_utc().timestamp_millis() - i64::from(offset) * 1000)
}

/// As `Date.prototype.toISOString` writes it.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0 as i64;
        let within =
            DateTime::from_timestamp_millis(millis.rem_euclid(CYCLE_MS)).ok_or(fmt::Error)?;
        let year = i64::from(within.year()) + millis.div_euclid(CYCLE_MS) * CYCLE_YEARS;
        if (0..=9999).contains(&year) {
            write!(f, "{year:04}")?;
        } else {
            write!(f, "{year:+07}")?;
        }
        write!(
            f,
            "-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            within.month(),
            within.day(),
            within.hour(),
            within.minute(),
            within.second(),
            within.timestamp_subsec_millis(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_time_is_seconds_and_nanoseconds_after_them() {
        for (millis, file) in [(1500.25, (1, 500_250_000)), (-1.0, (-1, 999_000_000))] {
            let time = Time::from_file(file.0, file.1);
            assert_eq!(time.millis().to_string(), millis.to_string());
            assert_eq!(time.to_file(), file);
        }
    }

    fn iso(millis: f64) -> String {
        Time::from_millis(millis).unwrap().to_string()
    }

    #[test]
    fn the_whole_range_of_a_date_is_written_as_toisostring_does() {
        assert_eq!(iso(0.0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(-1.0), "1969-12-31T23:59:59.999Z");
        assert_eq!(iso(8.64e15), "+275760-09-13T00:00:00.000Z");
        assert_eq!(iso(-8.64e15), "-271821-04-20T00:00:00.000Z");
        assert_eq!(iso(-62_167_219_200_000.0), "0000-01-01T00:00:00.000Z");
        assert_eq!(iso(-62_167_219_200_001.0), "-000001-12-31T23:59:59.999Z");
        assert_eq!(iso(253_402_300_800_000.0), "+010000-01-01T00:00:00.000Z");
    }

    #[test]
    fn fractions_go_towards_zero() {
        assert_eq!(iso(1.9), "1970-01-01T00:00:00.001Z");
        assert_eq!(iso(-0.9), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(-1.9), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn what_no_date_can_hold_is_no_time() {
        for millis in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 8.64e15 + 1.0] {
            assert_eq!(Time::from_millis(millis), None);
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for millis in
            [0.0, 1.0, -1.0, 8.64e15, -8.64e15, 1_788_868_800_123.0, -62_167_219_200_001.0]
        {
            let time = Time::from_millis(millis).unwrap();
            assert_eq!(Time::parse(&time.to_string()), Some(time), "{time}");
        }
    }

    #[test]
    fn the_usual_forms_of_one_moment_are_read_alike() {
        let moment = Time::parse("2026-09-08T10:00:00Z");
        assert_eq!(moment.map(Time::millis), Some(1_788_861_600_000.0));
        for text in [
            "2026-09-08 12:00:00.000+02:00",
            "2026-09-08T12:00+0200",
            "2026-09-08T10:00Z",
            "2026-09-08T10:00:00.000999Z",
            "+002026-09-08T10:00:00.000Z",
            "Tue, 08 Sep 2026 10:00:00 GMT",
            "Tue, 08 Sep 2026 12:00:00 +0200",
            "8 Sep 2026 10:00:00 +0000",
            "Tue Sep 08 2026 12:00:00 GMT+0200 (Central European Summer Time)",
            "2026-09-08 10:00:00 Z",
            "2026-09-08 12:00:00 +0200",
            "2026-09-08 10:00:00+00",
            "2026-09-08T12:00+02",
            "2026-09-08T22:00:00.0+12:00",
            "Tue, 8 Sep 2026 10:00 UTC",
            "tue, 8 SEP 26 10:00 UT",
            "8 September 2026 06:00:00 EDT",
            "Sep 8, 2026 10:00 GMT",
        ] {
            assert_eq!(Time::parse(text), moment, "{text}");
        }
        assert_eq!(Time::parse("2026-09-08"), Time::parse("2026-09-08T00:00:00Z"));
        assert_eq!(Time::parse("2026-09"), Time::parse("2026-09-01"));
        assert_eq!(Time::parse("2026-09-07T24:00:00Z"), Time::parse("2026-09-08"));
        let local = Time::parse("2026-09-08T10:00:00");
        assert!(local.is_some(), "the local clock's");
        assert_eq!(Time::parse("Tue Sep 08 2026 10:00:00"), local);
        assert_eq!(Time::parse("8 Sep 2026"), Time::parse("2026-09-08T00:00"));
        assert_eq!(Time::parse("2026-12-31T24:00:00"), Time::parse("2027-01-01T00:00:00"));
        let early = Time::parse("-000001-12-31T23:59:59.999Z").unwrap();
        assert_eq!(early.to_string(), "-000001-12-31T23:59:59.999Z");
    }

    #[test]
    fn a_moment_of_the_system_clock_is_kept() {
        for millis in [0.0, 1.0, -1.0, 8.64e15, -8.64e15, 1_788_868_800_123.25] {
            let time = Time::from_millis(millis).unwrap();
            assert_eq!(Time::from(SystemTime::from(time)), time, "{millis}");
        }
    }

    #[test]
    fn a_delivery_time_is_fit_for_a_file_name() {
        let time = Time::parse("2026-09-08T10:00:00.123Z").unwrap();
        assert_eq!(time.as_delivery_time(), "2026-09-08T10-00-00-123Z");
        assert_eq!(time.month(), "2026-09");
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "1",
            "garbage",
            "yesterday",
            "2026-02-30",
            "2026-13-01",
            "2026-09-08T",
            "2026-09T10:00",
            "2026-09-08T25:00:00Z",
            "2026-09-08T10:60:00Z",
            "2026-09-08T10:00:00 or so",
            "2026-02-30T00:00:00Z",
            "-000000-01-01",
            "+",
            "-1",
            "+é2345678",
            "8 Sep",
            "Sep 2026",
            "8 Sep 2026 2027",
            "8 8 Sep 2026",
            "30 Feb 2026",
            "8 Sep 2026 GMT",
            "8 Sep 2026 10:00 or so",
            "8 Sep 2026 (unclosed",
            "Tue",
        ] {
            assert_eq!(Time::parse(text), None, "{text:?}");
        }
    }
}
