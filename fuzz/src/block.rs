//! What holds of the marker block of any text.

use std::time::UNIX_EPOCH;

use seatkit::inbox::{MarkerLines, Markers, fuzzing, marker_lines, parse_markers, strip_markers};

/// Finds, reads, takes off and writes a block at the end of `text`, in work that is linear in its length.
pub fn check(text: &[u8]) {
    let own = strip_markers(text);
    let said = parse_markers(text);
    assert!(text.starts_with(own));
    // What is left may end in somebody's own text that looks like the beginning of a marker line.
    if own.is_empty() || own.ends_with(b"\n") {
        assert_eq!(strip_markers(own), own);
        assert_eq!(parse_markers(own), Markers::default());
    }

    // What is written behind the text is what is read there, and nothing of the text with it.
    let by = said.claimed_by.unwrap_or_else(|| String::from_utf8_lossy(text).into_owned());
    let lines = MarkerLines {
        claim: Some((by.clone(), UNIX_EPOCH)),
        deferred_reason: said.deferred_reason.clone(),
        ..MarkerLines::default()
    };
    if own.is_empty() || own.ends_with(b"\n") {
        let marked = [own, marker_lines(&lines).as_bytes()].concat();
        if marked.len() - own.len() <= fuzzing::MAX_BLOCK {
            assert_eq!(strip_markers(&marked), own);
            let read = parse_markers(&marked);
            assert_eq!(read.claimed_by, Some(by));
            assert_eq!(read.claimed_at, Some("1970-01-01T00:00:00.000Z".to_owned()));
            assert_eq!(read.deferred_reason, said.deferred_reason);
            assert_eq!((read.replied_at, read.claim_token), (None, None));
        }
    }
}
