//! What holds of the marker block of any text.

use seatkit::inbox::{
    JsonText, MarkerLines, Markers, Time, fuzzing, parse_session_markers, session_marker_lines,
    strip_session_markers,
};

/// Finds, reads, takes off and writes a block at the end of `text`, in work that is linear in its length.
pub fn check(text: &[u8]) {
    let own = strip_session_markers(text);
    let said = parse_session_markers(text);
    assert!(text.starts_with(own));
    assert_eq!(strip_session_markers(own), own);
    assert_eq!(parse_session_markers(own), Markers::default());

    for time in [&said.claimed_at, &said.deferred_until, &said.replied_at]
        .into_iter()
        .flatten()
    {
        if let Some(time) = Time::parse(time) {
            assert_eq!(Time::parse(&time.to_string()), Some(time));
        }
    }

    // What is written behind the text is what is read there, and nothing of the text with it.
    let now = Time::from_millis(0.0).expect("within range");
    let by = said
        .claimed_by
        .unwrap_or_else(|| String::from_utf8_lossy(text).into_owned());
    let lines = MarkerLines {
        claim: Some((JsonText::new(&by), now)),
        deferred_reason: said.deferred_reason.as_deref().map(JsonText::new),
        ..MarkerLines::default()
    };
    if own.is_empty() || own.ends_with(b"\n") {
        let marked = [own, session_marker_lines(&lines).as_bytes()].concat();
        if marked.len() - own.len() <= fuzzing::MAX_BLOCK {
            assert_eq!(strip_session_markers(&marked), own);
            let read = parse_session_markers(&marked);
            assert_eq!(read.claimed_by.as_deref(), Some(&*by));
            assert_eq!(read.claimed_at, Some(now.to_string()));
            assert_eq!(read.deferred_reason, said.deferred_reason);
            assert_eq!((read.replied_at, read.claim_token), (None, None));
        }
    }
}
