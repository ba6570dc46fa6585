//! What ends with a session, what is left, and what is never touched.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use seatkit::launch::MuxKind;
use seatkit::mux::SessionOutcome;
use seatkit::session::{Session, SessionRecord, SessionState, StopOptions, list_runs, stop_run};

use crate::place::{Place, both, eventually, lives, start, try_start};
use crate::{LONG, stop};

/// Waits until the run has so many processes.
fn await_processes(session: &Session, count: usize) {
    let run = &session.record().run;
    let has =
        || list_runs().iter().any(|found| found.run == *run && found.processes.len() >= count);
    assert!(eventually(has), "{:?}", list_runs());
}

#[test]
fn what_ignores_signals_and_hides_ends_with_the_agent() {
    both(|place| {
        let script = "trap '' TERM HUP INT; setsid sleep 600 & \
                      setsid sh -c 'trap \"\" TERM HUP; sleep 600' & \
                      while :; do sleep 0.1; done";
        let mut session = start(&place.sh(script));
        await_processes(&session, 5);
        let stopped = session.stop(&stop(200)).unwrap();
        assert_eq!(stopped.outcome, SessionOutcome::Stopped);
        assert!(stopped.ended.len() >= 4, "{stopped:?}");
        assert_eq!(stopped.ended[0].by, "SIGKILL");
        assert_eq!(stopped.left, []);
        assert!(!list_runs().iter().any(|run| run.run == session.record().run));
    });
}

#[test]
fn what_forked_away_is_left_and_named() {
    both(|place| {
        // Its parent ends at once, so that it descends from nobody.
        let mut session = start(&place.sh("(setsid sleep 601 &) ; exec sleep 600"));
        await_processes(&session, 3);
        let run = session.record().run.clone();
        let stopped = session.stop(&stop(5000)).unwrap();
        let left: Vec<&str> = stopped.left.iter().map(|left| left.command.as_str()).collect();
        assert_eq!(left, ["sleep 601"]);
        assert_eq!(stopped.ended[0].by, "SIGTERM");
        let (ended, left) = stop_run(&run, Some(Duration::from_secs(5)), &Place::env()).unwrap();
        assert_eq!((ended.len(), left.len()), (1, 0), "{ended:?}");
        let session = start(&place.sh("(setsid sleep 602 &) ; exec sleep 600"));
        await_processes(&session, 3);
        let everything = StopOptions { everything: true, ..stop(5000) };
        let stopped = session.clone().stop(&everything).unwrap();
        assert_eq!((stopped.left.len(), stopped.ended.len()), (0, 2), "{stopped:?}");
    });
}

#[test]
fn a_server_that_the_agent_started_is_left_and_a_run_in_it_is_never_touched() {
    let Some(place) = Place::new(MuxKind::Tmux) else { return };
    let theirs = place.at("theirs").to_str().unwrap().to_owned();
    let script =
        format!("tmux -f /dev/null -S {theirs} new-session -d -s s 'sleep 603'; sleep 600");
    let mut session = start(&place.sh(&script));
    await_processes(&session, 4);
    // A stranger's run lives in that server by now.
    let mut launch = place.sh("sleep 604");
    launch.socket = Some(theirs.clone());
    launch.record_file = Some(place.at("seat/stranger.json"));
    launch.mux_name = "stranger".to_owned();
    let mut stranger = start(&launch);

    let stopped = session.stop(&stop(5000)).unwrap();
    assert_eq!(stopped.left.len(), 2, "the server and its first pane: {stopped:?}");
    assert!(stopped.left.iter().any(|left| left.command.starts_with("tmux")), "{stopped:?}");
    assert_eq!(stranger.state(), SessionState::Running);
    let pid = stranger.record().process.clone().unwrap().pid;
    assert!(lives(pid));
    stranger.stop(&stop(5000)).unwrap();
    stop_run(&session.record().run, Some(Duration::from_secs(5)), &Place::env()).unwrap();
    assert!(!list_runs().iter().any(|run| run.run == session.record().run));
}

#[test]
fn a_suspended_agent_is_told_from_a_busy_one_and_ends_too() {
    both(|place| {
        let mut session = start(&place.sh("sleep 600"));
        let pid = session.record().process.clone().unwrap().pid;
        kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), Signal::STOP).unwrap();
        assert!(eventually(|| session.state() == SessionState::Suspended));
        assert_eq!(try_start(&place.sh("sleep 600")).unwrap_err().code(), "already-running");
        let stopped = session.stop(&stop(5000)).unwrap();
        assert_eq!(stopped.outcome, SessionOutcome::Stopped);
        assert_eq!(stopped.ended[0].by, "SIGTERM");
    });
}

#[test]
fn an_agent_that_ends_by_itself_when_it_is_asked_keeps_its_code() {
    both(|place| {
        let script = "trap 'exit 9' TERM; trap 'exit 8' INT; echo up; while :; do sleep 0.05; done";
        let mut launch = place.sh(script);
        let mut session = start(&launch);
        assert!(eventually(|| session.read(None).unwrap() == "up"));
        let stopped = session.stop(&stop(5000)).unwrap();
        assert_eq!(stopped.outcome, SessionOutcome::Exited { code: 9 });
        launch.stop_signal = seatkit::session::StopSignal::Int;
        let mut session = start(&launch);
        assert!(eventually(|| session.read(None).unwrap() == "up"));
        assert_eq!(session.stop(&stop(5000)).unwrap().outcome, SessionOutcome::Exited { code: 8 });
    });
}

#[test]
fn an_interrupt_in_the_pane_is_recorded() {
    both(|place| {
        let script = "trap 'exit 5' INT; echo up; while :; do sleep 0.05; done";
        let session = start(&place.sh(script));
        assert!(eventually(|| session.read(None).unwrap() == "up"));
        // Whoever types it is a terminal: it reaches the agent and its shell.
        session.send("\u{3}", false).unwrap();
        assert_eq!(session.ended(LONG).unwrap(), Some(SessionOutcome::Exited { code: 5 }));
    });
}

#[test]
fn a_code_of_another_run_is_not_believed() {
    both(|place| {
        let session = start(&place.sh("exit 0"));
        assert_eq!(session.ended(LONG).unwrap(), Some(SessionOutcome::Exited { code: 0 }));
        let exit_file = session.record().exit_file.clone();
        let text = std::fs::read_to_string(&exit_file).unwrap();
        let session = start(&place.sh("sleep 600"));
        assert!(std::fs::metadata(&exit_file).is_err(), "it is gone");
        std::fs::write(&exit_file, text).unwrap();
        // Nobody is left to record anything.
        let record = session.record();
        for process in [&record.shell, &record.process] {
            let pid = process.as_ref().unwrap().pid.try_into().unwrap();
            let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
        }
        assert_eq!(session.ended(LONG).unwrap(), Some(SessionOutcome::Unknown));
    });
}

#[test]
fn a_record_that_names_a_living_stranger_is_of_nobody() {
    both(|place| {
        let mut sleep = std::process::Command::new("/bin/sleep");
        let mut stranger =
            sleep.arg("605").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let file = place.at("seat/seat.json");
        let session = start(&place.sh("exit 0"));
        session.ended(LONG).unwrap();
        let record = session.record().clone();
        let living = start(&place.sh("sleep 600"));
        let process = living.record().process.clone().unwrap();
        let stale = |change: &dyn Fn(&mut SessionRecord)| {
            let mut stale = living.record().clone();
            change(&mut stale);
            std::fs::write(&file, stale.to_json()).unwrap();
            let mut adopted = Session::adopt(&file, &Place::env()).unwrap();
            assert_eq!(adopted.state(), SessionState::Ended);
            let stopped = adopted.stop(&stop(100)).unwrap();
            assert_eq!(stopped.ended, [], "{record:?}");
        };
        stale(&|record| {
            record.run = "another".to_owned();
            record.shell = None;
            record.process.as_mut().unwrap().pid = stranger.id();
        });
        stale(&|record| {
            record.run = "another".to_owned();
            record.shell = None;
            record.process.as_mut().unwrap().boot = "before".to_owned();
        });
        assert!(lives(stranger.id()) && lives(process.pid));
        stranger.kill().unwrap();
        stranger.wait().unwrap();
        std::fs::write(&file, living.record().to_json()).unwrap();
        Session::adopt(&file, &Place::env()).unwrap().stop(&stop(5000)).unwrap();
    });
}
