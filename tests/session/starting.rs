//! One start, whatever is asked, and however often.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use seatkit::launch::MuxKind;
use seatkit::mux::{SessionOutcome, Size};
use seatkit::session::{PromptOf, Session, SessionError, SessionState, list_runs};

use crate::place::{Place, both, eventually, start, try_start};
use crate::{LONG, stop};

#[test]
fn of_any_number_of_starts_of_one_record_one_wins() {
    both(|place| {
        let launch = place.sh("sleep 600");
        let all: Vec<Result<Session, SessionError>> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..8).map(|_| scope.spawn(|| try_start(&launch))).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        let lost = all.iter().filter_map(|one| one.as_ref().err()).map(SessionError::code);
        assert_eq!(lost.collect::<Vec<_>>(), ["already-running"; 7]);
        let mut won: Vec<&Session> = all.iter().filter_map(|one| one.as_ref().ok()).collect();
        let mut session = won.pop().unwrap().clone();
        let runs: HashSet<String> = list_runs()
            .into_iter()
            .filter(|run| run.record_file.as_deref() == Some(session.record_file()))
            .map(|run| run.run)
            .collect();
        assert_eq!(runs, HashSet::from([session.record().run.clone()]));
        session.stop(&stop(5000)).unwrap();
    });
}

#[test]
fn stops_and_starts_on_one_socket_follow_each_other_without_a_pause() {
    both(|place| {
        let launch = place.sh("sleep 600");
        for round in 0..200 {
            let mut session = try_start(&launch).unwrap_or_else(|error| panic!("{round}: {error}"));
            assert_eq!(session.state(), SessionState::Running);
            let stopped = session.stop(&stop(5000)).unwrap();
            assert_eq!(stopped.outcome, SessionOutcome::Stopped, "{round}");
        }
        assert_eq!(place.files(), [".seat.json.lock", "seat.json", "seat.json.exit"]);
    });
}

#[test]
fn a_prompt_of_100_kilobytes_arrives_whole() {
    both(|place| {
        let prompt: String = "it's a 'quote' \\\n".repeat(100 * 1024 / 17);
        let mut launch = place.sh("printf '%s' \"$1\" >prompt; exit 4");
        launch.claude_args.push("agent".to_owned());
        launch.terminator = false;
        launch.prompt = PromptOf::Text(prompt.clone());
        let session = start(&launch);
        let outcome = session.ended(LONG).unwrap();
        assert_eq!(outcome, Some(SessionOutcome::Exited { code: 4 }), "{session:?}");
        assert_eq!(fs::read_to_string(place.at("seat/prompt")).unwrap(), prompt);

        launch.prompt = PromptOf::Text("x".repeat(128 * 1024));
        let refused = try_start(&launch).unwrap_err();
        assert_eq!(refused.code(), "too-long");
        assert!(refused.to_string().starts_with("prompt has 131073 bytes"), "{refused}");
    });
}

#[test]
fn a_secret_is_in_no_arguments_and_is_left_on_no_disk() {
    both(|place| {
        let secret = "correct horse battery staple";
        let mut launch = place.sh("printf '%s' \"$KEY\" | tr a-z n-za-m >seen; sleep 600");
        launch.env = vec![("KEY".to_owned(), Some(secret.to_owned())), ("HOME".to_owned(), None)];
        let mut session = start(&launch);
        let seen = || fs::read_to_string(place.at("seat/seen")).unwrap_or_default();
        assert!(eventually(|| seen() == "pbeerpg ubefr onggrel fgncyr"), "{}", seen());
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&words).contains(secret), "{entry:?}");
        }
        for name in place.files() {
            let text = fs::read(place.at("seat").join(&name)).unwrap();
            assert!(!String::from_utf8_lossy(&text).contains(secret), "{name}");
        }
        session.stop(&stop(5000)).unwrap();
    });
}

#[test]
fn what_cannot_be_started_is_said_and_leaves_nothing() {
    both(|place| {
        let launch = |change: &dyn Fn(&mut seatkit::session::SessionLaunch)| {
            let mut launch = place.sh("sleep 600");
            change(&mut launch);
            try_start(&launch).unwrap_err().code()
        };
        assert_eq!(launch(&|it| it.claude_bin = "/nope/agent".to_owned()), "program-missing");
        assert_eq!(launch(&|it| it.claude_bin = "/dev/null".to_owned()), "program-missing");
        assert_eq!(launch(&|it| it.cwd = "/nope".to_owned()), "cwd-missing");
        assert_eq!(launch(&|it| it.mux_name = "a.b".to_owned()), "name-invalid");
        assert_eq!(launch(&|it| it.record_file = Some("seat.json".into())), "path-invalid");
        assert_eq!(launch(&|it| it.record_file = None), "record-file-missing");
        assert_eq!(launch(&|it| it.exit_file.clone_from(&it.record_file)), "io");
        assert_eq!(launch(&|it| it.config = Some("/nope".to_owned())), "path-invalid");
        let reserved = ("PPID".to_owned(), Some("1".to_owned()));
        assert_eq!(launch(&|it| it.env = vec![reserved.clone()]), "env-name-reserved");
        assert_eq!(place.files(), [""; 0], "nothing was tried");
        // What only the shell can find out.
        assert_eq!(launch(&|it| it.claude_bin = "no-such-agent".to_owned()), "not-started");
        assert_eq!(place.files(), [".seat.json.lock", "seat.json", "seat.json.exit"]);
        let ended = Session::adopt(place.at("seat/seat.json"), &Place::env()).unwrap();
        assert_eq!(ended.state(), SessionState::Ended);
        let mut session = start(&place.sh("sleep 600"));
        session.stop(&stop(5000)).unwrap();
    });
}

#[test]
fn what_is_no_record_is_left_as_it_is() {
    both(|place| {
        let launch = place.sh("sleep 600");
        let file = place.at("seat/seat.json");
        assert_eq!(Session::adopt(&file, &Place::env()).unwrap_err().code(), "no-record");
        for text in ["", "{}", "my notes"] {
            fs::write(&file, text).unwrap();
            assert_eq!(Session::adopt(&file, &Place::env()).unwrap_err().code(), "no-record");
            assert_eq!(try_start(&launch).unwrap_err().code(), "no-record");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
    });
}

#[test]
fn a_size_is_what_the_agent_sees() {
    let Some(place) = Place::new(MuxKind::Tmux) else { return };
    let mut launch = place.sh("stty size >size; exit 0");
    launch.size = Some(Size { columns: 200, rows: 55 });
    start(&launch).ended(LONG).unwrap();
    assert_eq!(fs::read_to_string(place.at("seat/size")).unwrap(), "55 200\n");
}

#[test]
fn a_text_is_typed_as_it_is() {
    both(|place| {
        let mut session = start(&place.sh("stty raw -echo; echo up; exec cat >typed"));
        assert!(eventually(|| session.read(None).unwrap().trim() == "up"));
        let text = "é\u{1f98a} $HOME `id` ^C \\n '\"; #{pid}\n\tend;";
        session.send(text, true).unwrap();
        let long = "x".repeat(40_000);
        session.send(&long, false).unwrap();
        let typed = || fs::read_to_string(place.at("seat/typed")).unwrap_or_default();
        // screen makes of a line break what the key makes.
        let text = if place.mux.kind == MuxKind::Screen {
            text.replace('\n', "\r")
        } else {
            text.to_owned()
        };
        let expected = format!("{text}\r{long}");
        assert!(eventually(|| typed() == expected), "{:?} {}", typed().get(..80), typed().len());
        session.stop(&stop(200)).unwrap();
        assert_eq!(session.send("x", true).unwrap_err().code(), "no-pane");
    });
}

#[test]
fn a_program_that_asks_for_it_gets_its_text_bracketed() {
    let Some(place) = Place::new(MuxKind::Tmux) else { return };
    let script = "stty raw -echo; printf '\\033[?2004hup'; exec cat >typed";
    let mut session = start(&place.sh(script));
    assert!(eventually(|| session.read(None).unwrap().trim() == "up"));
    session.send("a\nb", true).unwrap();
    let typed = || fs::read_to_string(place.at("seat/typed")).unwrap_or_default();
    assert!(eventually(|| typed() == "\u{1b}[200~a\nb\u{1b}[201~\r"), "{:?}", typed());
    // Also while a person scrolls in it.
    place.tmux(&["copy-mode", "-t", "=olivia:"]);
    session.send("c", true).unwrap();
    assert!(eventually(|| typed().ends_with("\u{1b}[200~c\u{1b}[201~\r")), "{:?}", typed());
    session.stop(&stop(200)).unwrap();
}

#[test]
fn what_a_pane_shows_is_read_from_its_end() {
    both(|place| {
        let script = "i=0; while [ $i -lt 60 ]; do echo line $i; i=$((i+1)); done; echo; read x";
        let mut session = start(&place.sh(script));
        assert!(eventually(|| session.read(None).unwrap().contains("line 59")));
        assert_eq!(session.read(Some(2)).unwrap(), "line 58\nline 59");
        assert_eq!(session.read(Some(50)).unwrap().lines().next(), Some("line 10"));
        assert_eq!(session.read(Some(0)).unwrap(), "");
        session.stop(&stop(5000)).unwrap();
    });
}

#[test]
fn the_end_is_told_to_everybody_who_waits() {
    both(|place| {
        let session = start(&place.sh("read line; exit 6"));
        let adopted = Session::adopt(session.record_file(), &Place::env()).unwrap();
        std::thread::scope(|scope| {
            let waits =
                [&session, &adopted, &session].map(|one| scope.spawn(|| one.ended(None).unwrap()));
            std::thread::sleep(Duration::from_millis(50));
            session.send("", true).unwrap();
            for wait in waits {
                assert_eq!(wait.join().unwrap(), Some(SessionOutcome::Exited { code: 6 }));
            }
        });
    });
}

#[test]
fn any_variable_may_be_set_or_taken_out_also_those_of_the_terminal() {
    both(|place| {
        let mut launch = place.sh("env >env; exec sleep 600");
        let set = ["run", "label", "file", "code", "exit_file", "pid_file", "PWD", "IFS", "_"];
        launch.env = set.iter().map(|name| ((*name).to_owned(), Some("mine".to_owned()))).collect();
        launch.env.extend(["TMUX", "TMUX_PANE", "STY"].map(|name| (name.to_owned(), None)));
        let mut session = start(&launch);
        let seen = || fs::read_to_string(place.at("seat/env")).unwrap_or_default();
        assert!(eventually(|| seen().contains("SEATKIT_RUN=")));
        for name in ["run", "label", "file", "code", "exit_file", "pid_file"] {
            assert!(seen().contains(&format!("\n{name}=mine\n")), "{name}: {}", seen());
        }
        assert!(!seen().contains("\nTMUX") && !seen().contains("\nSTY"));
        assert!(session.place().unwrap().is_some(), "where it is shown is known all the same");
        session.stop(&stop(5000)).unwrap();
        launch.env = vec![("seatkit_run".to_owned(), None)];
        assert_eq!(try_start(&launch).unwrap_err().code(), "env-name-reserved");
    });
}

#[test]
fn a_record_that_is_no_file_is_waited_for_by_nobody() {
    let Some(place) = Place::new(MuxKind::Tmux) else { return };
    let launch = place.sh("sleep 600");
    let file = launch.record_file.clone().unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    assert_eq!(Session::adopt(&file, &Place::env()).unwrap_err().code(), "io");
    assert_eq!(try_start(&launch).unwrap_err().code(), "path-invalid");
}
