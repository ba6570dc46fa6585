//! A supervisor that is killed at any moment: never two agents, never one that nobody knows.

use std::collections::HashSet;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use seatkit::launch::MuxKind;
use seatkit::mux::SessionOutcome;
use seatkit::session::{Session, SessionLaunch, SessionMux, SessionState, StopOptions, list_runs};

use crate::place::{Place, both, eventually, lives, start, try_start};
use crate::{LONG, stop};

const TASK: &str = "SEATKIT_TEST_TASK";

/// What the agents of these tests say of themselves: one line each, with its process.
const AGENT: &str = "echo $$ >>agents; exec sleep 600";

/// Not a test: what a supervisor does that is killed.
#[test]
#[ignore = "a process of other tests"]
fn supervise() {
    let Ok(task) = std::env::var(TASK) else { return };
    let [what, kind, folder] = task.split('\n').collect::<Vec<_>>()[..] else { panic!("{task}") };
    let kind: MuxKind = kind.parse().unwrap();
    let launch = launch(kind, folder, AGENT);
    match what {
        "start" => drop(try_start(&launch)),
        "stop" => {
            let file = launch.record_file.as_ref().unwrap();
            let grace = Some(Duration::from_secs(600));
            let options = StopOptions { grace, ..StopOptions::default() };
            Session::adopt(file, &Place::env()).unwrap().stop(&options).unwrap();
        }
        other => panic!("{other}"),
    }
}

fn launch(kind: MuxKind, folder: &str, script: &str) -> SessionLaunch {
    SessionLaunch {
        mux: Some(SessionMux { kind, bin: format!("/usr/bin/{kind}") }),
        mux_name: "olivia".to_owned(),
        cwd: format!("{folder}/seat"),
        claude_bin: "/bin/sh".to_owned(),
        claude_args: vec!["-c".to_owned(), script.to_owned()],
        env: vec![("KEY".to_owned(), Some("a secret".to_owned()))],
        socket: Some(format!("{folder}/s")),
        config: Some("/dev/null".to_owned()),
        record_file: Some(format!("{folder}/seat/seat.json").into()),
        ..SessionLaunch::default()
    }
}

fn supervisor(place: &Place, what: &str, under: &[String]) -> Child {
    let this = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    let arguments = ["--exact", "killed::supervise", "--ignored", "--test-threads=1"];
    let mut words: Vec<String> = under.to_vec();
    words.push(this);
    words.extend(arguments.map(str::to_owned));
    let folder = place.folder.path().to_str().unwrap();
    Command::new(&words[0])
        .args(&words[1..])
        .env(TASK, [what, place.mux.kind.as_str(), folder].join("\n"))
        .env_remove("TMUX")
        .env_remove("STY")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The agents that live, as they said themselves.
fn agents(place: &Place) -> HashSet<u32> {
    let said = fs::read_to_string(place.at("seat/agents")).unwrap_or_default();
    said.lines().map(|pid| pid.parse().unwrap()).filter(|pid| lives(*pid)).collect()
}

/// The runs of this place that still have processes.
fn runs(place: &Place) -> HashSet<String> {
    let file = place.at("seat/seat.json");
    let own = list_runs().into_iter().filter(|run| run.record_file.as_deref() == Some(&file));
    own.map(|run| run.run).collect()
}

/// What has to hold after a starter was killed: whatever lives is on record, and the next start gives one
/// agent and no more.
fn is_settled(place: &Place, told: &str) {
    let launch = launch(place.mux.kind, place.folder.path().to_str().unwrap(), AGENT);
    let mut session = match try_start(&launch) {
        Ok(session) => session,
        Err(error) => {
            assert_eq!(error.code(), "already-running", "{told}: {error}");
            Session::adopt(launch.record_file.as_ref().unwrap(), &Place::env()).unwrap()
        }
    };
    assert_eq!(session.state(), SessionState::Running, "{told}: {session:?}");
    let pid = session.record().process.as_ref().unwrap().pid;
    assert!(eventually(|| agents(place).contains(&pid)), "{told}: {:?}", agents(place));
    // What comes up late has had its time.
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(agents(place), HashSet::from([pid]), "{told}");
    assert_eq!(runs(place), HashSet::from([session.record().run.clone()]), "{told}");
    let stopped = session.stop(&stop(5000)).unwrap();
    assert_eq!((stopped.outcome, stopped.left.len()), (SessionOutcome::Stopped, 0), "{told}");
    assert_eq!(agents(place), HashSet::new(), "{told}");
    for name in place.files() {
        let text = fs::read_to_string(place.at("seat").join(&name)).unwrap();
        assert!(!text.contains("a secret"), "{told}: {name}");
    }
}

#[test]
fn a_starter_that_is_killed_at_any_moment_leaves_one_agent_or_none() {
    both(|place| {
        // How long a start takes here, and then as many moments within it.
        drop(fs::create_dir_all(place.at("seat")));
        let began = Instant::now();
        assert!(supervisor(place, "start", &[]).wait().unwrap().success());
        let whole = began.elapsed();
        is_settled(place, "not killed");
        for moment in 0..60 {
            let mut child = supervisor(place, "start", &[]);
            std::thread::sleep(whole * moment / 50);
            child.kill().unwrap();
            child.wait().unwrap();
            is_settled(place, &format!("killed after {moment}/50 of {whole:?}"));
        }
    });
}

/// The system calls after which something is different: of files, processes and locks.
const CALLS: &str = "openat,write,rename,unlink,flock,clone,clone3,wait4,fsync,poll";

#[test]
fn a_starter_that_is_killed_before_any_system_call_leaves_one_agent_or_none() {
    let has_strace = Command::new("strace").args(["-e", "trace=none", "true"]).output();
    if !has_strace.is_ok_and(|output| output.status.success()) {
        return eprintln!("SKIPPED: strace is not here, or may not trace");
    }
    both(|place| {
        drop(fs::create_dir_all(place.at("seat")));
        for call in CALLS.split(',') {
            for when in 1.. {
                let inject = format!("inject={call}:signal=KILL:when={when}");
                // All its threads, and not what it starts.
                let options =
                    ["strace", "-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e", &inject];
                let options = options.map(str::to_owned);
                let mut child = supervisor(place, "start", &options);
                let killed = !child.wait().unwrap().success();
                is_settled(place, &format!("killed at {call} {when}"));
                if !killed || when == 25 {
                    break;
                }
            }
        }
    });
}

#[test]
fn a_stop_whose_supervisor_was_killed_is_no_crash() {
    both(|place| {
        let folder = place.folder.path().to_str().unwrap().to_owned();
        drop(fs::create_dir_all(place.at("seat")));
        let script = "trap '' TERM; echo $$ >>agents; while :; do sleep 0.05; done";
        let session = start(&launch(place.mux.kind, &folder, script));
        assert!(eventually(|| !agents(place).is_empty()));
        let mut child = supervisor(place, "stop", &[]);
        let adopt = || Session::adopt(session.record_file(), &Place::env()).unwrap();
        assert!(eventually(|| adopt().record().stop_requested));
        std::thread::sleep(Duration::from_millis(50));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut successor = adopt();
        assert_eq!(successor.state(), SessionState::Running);
        // Whatever ends it now.
        let stopped = successor.stop(&stop(100)).unwrap();
        assert_eq!(stopped.outcome, SessionOutcome::Stopped);
        assert_eq!(session.ended(LONG).unwrap(), Some(SessionOutcome::Stopped));
    });
}
