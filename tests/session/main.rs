//! Sessions on real servers of tmux and screen, private ones.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says what it skips"
)]

mod killed;
mod people;
mod place;
mod starting;
mod stopping;

use std::time::Duration;

use place::{Place, both, start, try_start};
use seatkit::mux::SessionOutcome;
use seatkit::session::{Session, SessionState, StopOptions};

const LONG: Option<Duration> = Some(Duration::from_secs(20));

fn stop(grace: u64) -> StopOptions {
    StopOptions { grace: Some(Duration::from_millis(grace)), ..StopOptions::default() }
}

#[test]
fn a_session_is_started_followed_and_its_outcome_is_its_own() {
    both(|place| {
        let session = start(&place.sh("read line; exit 5"));
        assert_eq!(session.state(), SessionState::Running);
        assert_eq!(session.ended(Some(Duration::from_millis(20))).unwrap(), None);
        let record = session.record();
        assert!(record.process.is_some() && record.shell.is_some(), "{record:?}");
        assert!(session.place().unwrap().is_some());
        session.send("go", true).unwrap();
        assert_eq!(session.ended(LONG).unwrap(), Some(SessionOutcome::Exited { code: 5 }));
        assert_eq!(session.state(), SessionState::Ended);
        assert_eq!(
            std::fs::read_to_string(&record.exit_file).unwrap(),
            format!("5\n{}\n", record.run)
        );
        assert_eq!(place.files(), [".seat.json.lock", "seat.json", "seat.json.exit"]);
    });
}

#[test]
fn a_record_is_started_once() {
    both(|place| {
        let mut first = start(&place.sh("sleep 600"));
        let again = try_start(&place.sh("sleep 600")).unwrap_err();
        assert_eq!(again.code(), "already-running");
        let adopted = Session::adopt(first.record_file(), &Place::env()).unwrap();
        assert_eq!(adopted.record(), first.record());
        let stopped = first.stop(&stop(5000)).unwrap();
        assert_eq!(stopped.outcome, SessionOutcome::Stopped, "{stopped:?}");
        assert_eq!(stopped.left, []);
        let second = start(&place.sh("exit 0"));
        assert_ne!(second.record().run, first.record().run);
        assert_eq!(second.ended(LONG).unwrap(), Some(SessionOutcome::Exited { code: 0 }));
    });
}
