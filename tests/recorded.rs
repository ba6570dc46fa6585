//! What screen and tmux of many versions printed, replayed: no multiplexer is needed here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a failed assertion is how a test speaks"
)]

use seatkit::launch::parse_screen_list;
use seatkit::mux::{classify_tmux_run, parse_screen_sessions, screen_stop_args};
use seatkit::tmux::TmuxRun;
use serde_json::{Value, json};

fn recorded(text: &str) -> Vec<Value> {
    let records: Vec<Value> = serde_json::from_str(text).expect("the fixture is a list");
    assert!(records.len() > 10);
    records
}

fn text<'a>(record: &'a Value, key: &str) -> &'a str {
    record[key].as_str().expect(key)
}

#[test]
fn every_listing_of_screen_gives_its_sessions() {
    for record in recorded(include_str!("fixtures/screen-listings.json")) {
        let case = format!("{}: {}", text(&record, "screen"), text(&record, "case"));
        let listing = text(&record, "stdout");
        let sessions: Vec<Value> = parse_screen_sessions(listing)
            .iter()
            .map(|s| json!({ "pid": s.pid, "name": s.name, "state": s.state, "live": s.live }))
            .collect();
        assert_eq!(Value::from(sessions), record["sessions"], "{case}");
    }
}

#[test]
fn what_is_live_can_be_stopped_and_what_is_not_cannot() {
    for record in recorded(include_str!("fixtures/screen-listings.json")) {
        let listing = text(&record, "stdout");
        for session in parse_screen_sessions(listing) {
            let address = format!("{}.{}", session.pid, session.name);
            let args = session.live.then(|| ["-S", &address, "-X", "quit"].map(String::from));
            assert_eq!(screen_stop_args(listing, session.name), args, "{address}");
            // The older question agrees wherever the name is of the grammar.
            if seatkit::tmux::classify_tmux_session_name(session.name).is_none() {
                assert_eq!(parse_screen_list(listing, session.name), session.live, "{address}");
            }
        }
    }
}

#[test]
fn every_answer_of_tmux_is_present_absent_or_unknown() {
    for record in recorded(include_str!("fixtures/tmux-answers.json")) {
        let run = TmuxRun {
            status: record["status"].as_i64().map(|status| i32::try_from(status).unwrap()),
            stdout: text(&record, "stdout").to_owned(),
            stderr: text(&record, "stderr").to_owned(),
        };
        assert_eq!(classify_tmux_run(&run).as_str(), text(&record, "answer"), "{record}");
    }
}
