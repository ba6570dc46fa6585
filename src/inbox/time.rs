//! A moment as a marker holds it: exactly what a JavaScript `Date` can say, no more.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "times up to 8.64e15 are whole in an i64 and exact in an f64"
)]

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Datelike, Timelike};

/// A moment, in milliseconds since the epoch, within the range of a JavaScript `Date`
/// (100,000,000 days to either side). Fractions are kept for comparisons and dropped, towards
/// zero, when the moment is written.
///
/// ```
/// use seatkit::inbox::Time;
///
/// let time = Time::from_millis(1_788_868_800_000.9).expect("within range");
/// assert_eq!(time.to_string(), "2026-09-08T12:00:00.000Z");
/// assert_eq!(Time::parse("2026-09-08T14:00:00+02:00"), Time::from_millis(1_788_868_800_000.0));
/// assert_eq!(Time::from_millis(f64::NAN), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Time(f64);

/// The Gregorian calendar repeats after 400 years. `chrono` ends at the year 262,142 and a `Date`
/// at 275,760, so dates are computed within one cycle and moved by whole ones.
const CYCLE_YEARS: i64 = 400;
const CYCLE_MS: i64 = 146_097 * 86_400_000;

impl Time {
    /// The largest distance from the epoch, in milliseconds (ECMA-262, "Time Values and Time Range").
    pub const MAX_MILLIS: f64 = 8.64e15;

    /// The moment `millis` after the epoch; `None` for what no `Date` can hold (NaN, out of range).
    #[must_use]
    pub fn from_millis(millis: f64) -> Option<Self> {
        (millis.abs() <= Self::MAX_MILLIS).then_some(Self(millis))
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub fn millis(self) -> f64 {
        self.0
    }

    /// The system clock, in whole milliseconds.
    #[must_use]
    pub fn now() -> Self {
        let millis = |age: std::time::Duration| age.as_millis() as f64;
        Self(match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => millis(after),
            Err(before) => -millis(before.duration()),
        })
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

    /// Reads an ISO 8601 date and time with its zone, also with the signed six-digit years that
    /// `toISOString` writes outside 0000 to 9999. Anything else is `None`: a date without a zone
    /// could mean two moments.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let millis = if text.starts_with(['+', '-']) {
            let (year, rest) = text.split_at_checked(7)?;
            let year: i64 = year.parse().ok()?;
            // 2000 is the start of a cycle with four-digit years.
            let within = format!("{}{rest}", 2000 + year.rem_euclid(CYCLE_YEARS));
            let cycles = year.div_euclid(CYCLE_YEARS) - 2000 / CYCLE_YEARS;
            DateTime::parse_from_rfc3339(&within)
                .ok()?
                .timestamp_millis()
                + cycles * CYCLE_MS
        } else {
            DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis()
        };
        Self::from_millis(millis as f64)
    }
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
        for millis in [
            0.0,
            1.0,
            -1.0,
            8.64e15,
            -8.64e15,
            1_788_868_800_123.0,
            -62_167_219_200_001.0,
        ] {
            let time = Time::from_millis(millis).unwrap();
            assert_eq!(Time::parse(&time.to_string()), Some(time), "{time}");
        }
    }

    #[test]
    fn a_zone_is_needed_and_its_offset_counts() {
        assert_eq!(
            Time::parse("2026-09-08T10:00:00Z"),
            Time::parse("2026-09-08 12:00:00.000+02:00")
        );
        for text in [
            "",
            "1",
            "garbage",
            "yesterday",
            "2026-09-08",
            "2026-09-08T10:00:00",
            "2026-02-30T00:00:00Z",
            "+",
            "-1",
            "+é2345678",
        ] {
            assert_eq!(Time::parse(text), None, "{text:?}");
        }
    }
}
