//! What a person may do to what they see, without the agent ending or a second one being wanted.

use std::fs;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use seatkit::launch::MuxKind;
use seatkit::mux::SessionOutcome;
use seatkit::session::{Session, SessionState};

use crate::place::{Place, both, eventually, lives, start, try_start};
use crate::{LONG, stop};

fn tmux() -> Option<Place> {
    Place::new(MuxKind::Tmux)
}

/// The session lives, is the one on record, and ends when it is told to.
fn is_the_same(place: &Place, session: &mut Session) {
    assert_eq!(session.state(), SessionState::Running);
    assert_eq!(try_start(&place.sh("sleep 600")).unwrap_err().code(), "already-running");
    let adopted = Session::adopt(session.record_file(), &Place::env()).unwrap();
    assert_eq!(adopted.state(), SessionState::Running);
    let pid = session.record().process.as_ref().unwrap().pid;
    let stopped = session.stop(&stop(5000)).unwrap();
    assert_eq!(stopped.outcome, SessionOutcome::Stopped);
    assert!(!lives(pid));
    assert_eq!(adopted.ended(LONG).unwrap(), Some(SessionOutcome::Stopped));
}

#[test]
fn a_renamed_session_is_the_same() {
    both(|place| {
        let mut session = start(&place.sh("sleep 600"));
        match place.mux.kind {
            MuxKind::Tmux => drop(place.tmux(&["rename-session", "-t", "=olivia:", "her's"])),
            MuxKind::Screen => place.screen(&["-S", "olivia", "-X", "sessionname", "hers"]),
        }
        // screen answers before it has done anything.
        let renamed = || session.place().unwrap().unwrap().session_name.starts_with("her");
        assert!(eventually(renamed), "{:?}", session.place());
        is_the_same(place, &mut session);
    });
}

#[test]
fn a_session_that_another_one_shows_too_is_the_same() {
    let Some(place) = tmux() else { return };
    let mut session = start(&place.sh("sleep 600"));
    place.tmux(&["new-session", "-d", "-t", "=olivia", "-s", "viewer"]);
    assert_eq!(session.place().unwrap().unwrap().session_name, "olivia");
    place.tmux(&["kill-session", "-t", "=olivia:"]);
    assert_eq!(session.place().unwrap().unwrap().session_name, "viewer");
    is_the_same(&place, &mut session);
}

#[test]
fn a_linked_window_and_a_moved_pane_are_the_same() {
    let Some(place) = tmux() else { return };
    let mut session = start(&place.sh("sleep 600"));
    place.tmux(&["new-session", "-d", "-s", "other", "sleep 600"]);
    place.tmux(&["link-window", "-s", "=olivia:0", "-t", "=other:5"]);
    place.tmux(&["kill-session", "-t", "=olivia:"]);
    let there = session.place().unwrap().unwrap();
    assert_eq!(there.session_name, "other");
    place.tmux(&["break-pane", "-d", "-s", &there.pane_id, "-t", "=other:9"]);
    let moved = session.place().unwrap().unwrap();
    assert_eq!(moved.pane_id, there.pane_id);
    place.tmux(&["join-pane", "-d", "-s", &there.pane_id, "-t", "=other:0"]);
    assert_ne!(session.place().unwrap().unwrap().window_id, moved.window_id);
    is_the_same(&place, &mut session);
    assert_eq!(
        place.tmux(&["list-panes", "-a", "-F", "#{session_name}"]),
        "other\n",
        "theirs lives"
    );
}

#[test]
fn a_session_ends_with_its_agent_and_what_a_person_opened_beside_it_lives_on() {
    let Some(place) = tmux() else { return };
    let session = start(&place.sh("read line; exit 5"));
    place.tmux(&["split-window", "-d", "-t", "=olivia:", "sleep 601"]);
    place.tmux(&["new-window", "-d", "-t", "=olivia:", "sleep 602"]);
    session.send("", true).unwrap();
    assert_eq!(session.ended(LONG).unwrap(), Some(SessionOutcome::Exited { code: 5 }));
    // The next run comes beside them.
    let mut next = start(&place.sh("sleep 600"));
    let shown = next.place().unwrap().unwrap();
    assert_eq!(
        (shown.session_name.as_str(), &shown.session_id),
        ("olivia", &session.record().session_id.clone().unwrap())
    );
    let stopped = next.stop(&stop(5000)).unwrap();
    assert_eq!(stopped.left, []);
    let theirs = place.tmux(&["list-panes", "-a", "-F", "#{pane_current_command}"]);
    assert_eq!(theirs, "sleep\nsleep\n");
}

#[test]
fn the_name_of_somebody_elses_session_is_refused() {
    let Some(place) = tmux() else { return };
    let launch = place.sh("sleep 600");
    place.tmux(&["-f", "/dev/null", "new-session", "-d", "-s", "olivia", "sleep 600"]);
    assert_eq!(try_start(&launch).unwrap_err().code(), "name-taken");
    assert_eq!(place.tmux(&["list-panes", "-a", "-F", "#{session_name}"]), "olivia\n");
    assert_eq!(place.files(), [".seat.json.lock", "seat.json"], "and nothing is left");
}

#[test]
fn a_socket_that_somebody_swept_away_is_laid_anew() {
    let Some(place) = tmux() else { return };
    let mut session = start(&place.sh("sleep 600"));
    fs::remove_file(place.socket()).unwrap();
    assert_eq!(session.state(), SessionState::Running);
    assert_eq!(try_start(&place.sh("sleep 600")).unwrap_err().code(), "already-running");
    assert_eq!(session.place().unwrap().unwrap().session_name, "olivia");
    fs::remove_file(place.socket()).unwrap();
    is_the_same(&place, &mut session);
}

#[test]
fn a_server_that_is_stopped_holds_nobody_up_for_long() {
    let Some(place) = tmux() else { return };
    let mut session = start(&place.sh("sleep 600"));
    let server = session.record().server.clone().unwrap().process;
    let server = Pid::from_raw(server.pid.try_into().unwrap()).unwrap();
    kill_process(server, Signal::STOP).unwrap();
    assert_eq!(session.state(), SessionState::Running);
    let mut other = place.sh("sleep 600");
    other.mux_name = "other".to_owned();
    other.record_file = Some(place.at("seat/other.json"));
    std::thread::scope(|scope| {
        let place_of = scope.spawn(|| session.clone().place().unwrap_err().code());
        let started = scope.spawn(|| try_start(&other).unwrap_err().code());
        assert_eq!(place_of.join().unwrap(), "mux-unavailable");
        assert_eq!(started.join().unwrap(), "mux-unavailable");
    });
    // It ends all the same, and what it was asked for late comes to nothing.
    let stopped = session.stop(&stop(5000)).unwrap();
    assert_eq!(stopped.outcome, SessionOutcome::Stopped);
    kill_process(server, Signal::CONT).unwrap();
    assert!(eventually(|| {
        let panes = Command::new("tmux")
            .args(["-S", &place.socket(), "list-panes", "-a"])
            .output()
            .unwrap();
        panes.stdout.is_empty()
    }));
    let other = Session::adopt(place.at("seat/other.json"), &Place::env()).unwrap();
    assert_eq!(other.state(), SessionState::Ended);
}

#[test]
fn an_agent_outlives_its_server_or_ends_with_it() {
    both(|place| {
        let session = start(&place.sh("sleep 600"));
        place.kill_server();
        assert_eq!(
            session.ended(LONG).unwrap(),
            Some(SessionOutcome::Unknown),
            "nobody recorded it"
        );

        let mut session = start(&place.sh("trap '' HUP; while :; do sleep 0.1; done"));
        assert!(eventually(|| session.read(None).is_ok()));
        std::thread::sleep(Duration::from_millis(100));
        place.kill_server();
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(session.place().unwrap(), None);
        is_the_same(place, &mut session);
    });
}

#[test]
fn dead_panes_that_a_configuration_keeps_are_taken_away() {
    let Some(place) = tmux() else { return };
    fs::write(place.at("conf"), "set -g remain-on-exit on\n").unwrap();
    let mut launch = place.sh("exit 3");
    launch.config = Some(place.at("conf").to_str().unwrap().to_owned());
    for _ in 0..2 {
        let session = start(&launch);
        assert_eq!(session.ended(LONG).unwrap(), Some(SessionOutcome::Exited { code: 3 }));
    }
    launch.claude_args = vec!["-c".to_owned(), "sleep 600".to_owned()];
    let mut session = start(&launch);
    session.stop(&stop(5000)).unwrap();
    let left =
        Command::new("tmux").args(["-S", &place.socket(), "list-panes", "-a"]).output().unwrap();
    assert_eq!(left.stdout, b"");
}

#[test]
fn a_pane_that_a_person_started_something_else_in_is_another() {
    let Some(place) = tmux() else { return };
    let mut session = start(&place.sh("sleep 600"));
    place.tmux(&["respawn-pane", "-k", "-t", "=olivia:", "exec sleep 601"]);
    assert_eq!(session.ended(LONG).unwrap(), Some(SessionOutcome::Unknown));
    assert_eq!(session.place().unwrap(), None);
    assert_eq!(session.send("rm -rf", true).unwrap_err().code(), "no-pane");
    session.stop(&stop(100)).unwrap();
    assert_eq!(place.tmux(&["list-panes", "-a", "-F", "#{pane_current_command}"]), "sleep\n");
}
