//! The marker block of a text: what it says, the text without it, and a new one.

use std::borrow::Cow;
use std::time::SystemTime;

use super::block::{Block, Key, NewBlock, split_text};

/// What a block says, decoded; `None` for a line that is not there or holds null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markers {
    /// Who claimed.
    pub claimed_by: Option<String>,
    /// Since when, as written.
    pub claimed_at: Option<String>,
    /// Until when it is deferred, as written.
    pub deferred_until: Option<String>,
    /// Why it is deferred.
    pub deferred_reason: Option<String>,
    /// When it was replied to, as written.
    pub replied_at: Option<String>,
    /// When the work on it failed, as written.
    pub failed_at: Option<String>,
    /// Why it failed.
    pub failed_reason: Option<String>,
    /// The claim's token.
    pub claim_token: Option<String>,
}

impl Markers {
    pub(crate) fn of(block: &Block<'_>) -> Self {
        let text = |key| block.text(key).map(Cow::into_owned);
        Self {
            claimed_by: text(Key::ClaimedBy),
            claimed_at: text(Key::ClaimedAt),
            deferred_until: text(Key::DeferredUntil),
            deferred_reason: text(Key::DeferredReason),
            replied_at: text(Key::RepliedAt),
            failed_at: text(Key::FailedAt),
            failed_reason: text(Key::FailedReason),
            claim_token: text(Key::ClaimToken),
        }
    }
}

/// The lines of a block to be rendered; what is `None` gets no line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkerLines {
    /// Who claimed, and when.
    pub claim: Option<(String, SystemTime)>,
    /// Until when the item is deferred.
    pub deferred_until: Option<SystemTime>,
    /// Why.
    pub deferred_reason: Option<String>,
    /// When it was replied to.
    pub replied_at: Option<SystemTime>,
}

/// Renders a marker block. Times have milliseconds, those beyond the range of ISO 8601's six-digit years its end.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use seatkit::inbox::{MarkerLines, marker_lines, parse_markers};
///
/// let claim = Some(("session".to_owned(), UNIX_EPOCH + Duration::from_secs(1_788_861_600)));
/// let lines = marker_lines(&MarkerLines { claim, ..MarkerLines::default() });
/// assert_eq!(lines, "claimed_by: \"session\"\nclaimed_at: \"2026-09-08T10:00:00.000Z\"\n");
/// assert_eq!(parse_markers(lines.as_bytes()).claimed_by.as_deref(), Some("session"));
/// ```
#[must_use]
pub fn marker_lines(lines: &MarkerLines) -> String {
    let mut block = NewBlock::default();
    if let Some((by, at)) = &lines.claim {
        block = block.text(Key::ClaimedBy, by).time(Key::ClaimedAt, (*at).into());
    }
    if let Some(until) = lines.deferred_until {
        block = block.time(Key::DeferredUntil, until.into());
    }
    if let Some(reason) = &lines.deferred_reason {
        block = block.text(Key::DeferredReason, reason);
    }
    if let Some(at) = lines.replied_at {
        block = block.time(Key::RepliedAt, at.into());
    }
    block.into_string()
}

/// Reads the marker block that ends `body`; marker-looking lines anywhere else are the item's own.
///
/// ```
/// use seatkit::inbox::parse_markers;
///
/// let forged = b"claimed_by: \"session\"\nid: m1\n";
/// assert_eq!(parse_markers(forged).claimed_by, None);
/// ```
#[must_use]
pub fn parse_markers(body: &[u8]) -> Markers {
    Markers::of(&split_text(body))
}

/// `body` without the marker block that ends it: the item's own bytes.
///
/// ```
/// use seatkit::inbox::strip_markers;
///
/// assert_eq!(strip_markers(b"id: m1\nreplied_at: \"2026-09-08T10:00:00.000Z\"\n"), b"id: m1\n");
/// ```
#[must_use]
pub fn strip_markers(body: &[u8]) -> &[u8] {
    body.get(..split_text(body).start).unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use super::super::time::Time;
    use super::*;

    #[test]
    fn what_is_rendered_is_read_and_taken_off() {
        let time = |minute: u32| Time::parse(&format!("2026-09-08T10:0{minute}:00.000Z")).unwrap();
        let lines = marker_lines(&MarkerLines {
            claim: Some(("session".to_owned(), time(0).into())),
            deferred_until: Some(time(1).into()),
            deferred_reason: Some("why".to_owned()),
            replied_at: Some(time(2).into()),
        });
        assert_eq!(
            lines,
            "claimed_by: \"session\"\nclaimed_at: \"2026-09-08T10:00:00.000Z\"\n\
             deferred_until: \"2026-09-08T10:01:00.000Z\"\ndeferred_reason: \"why\"\n\
             replied_at: \"2026-09-08T10:02:00.000Z\"\n"
        );
        let body = format!("id: m1\n{lines}");
        assert_eq!(strip_markers(body.as_bytes()), b"id: m1\n");
        assert_eq!(
            parse_markers(body.as_bytes()),
            Markers {
                claimed_by: Some("session".to_owned()),
                claimed_at: Some(time(0).to_string()),
                deferred_until: Some(time(1).to_string()),
                deferred_reason: Some("why".to_owned()),
                replied_at: Some(time(2).to_string()),
                ..Markers::default()
            }
        );
    }
}
