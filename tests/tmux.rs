//! The core on a real tmux, on a private server: a session's life, an exact lookup, placement.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a failed assertion is how a test speaks"
)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use seatkit::launch::{Launch, Mux, MuxKind};
use seatkit::mux::{
    MuxAnswer, SafeCommand, SafeOptions, SessionOutcome, build_safe_mux_commands,
    classify_tmux_run, resolve_tmux_session_exact, session_outcome,
};
use seatkit::placement::{
    Caller, CloseOutcome, PlacementError, PlacementRejectReason, append_window, close_window,
    inspect_placement,
};
use seatkit::tmux::{TmuxOptions, TmuxRun, TmuxServer, run_tmux};
use tempfile::TempDir;

/// A server of the test's own; ended with it.
struct Server {
    folder: TempDir,
    options: TmuxOptions,
}

impl Server {
    /// `None`, said aloud, where there is no tmux; in CI there has to be one.
    fn start() -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("seatkit-").tempdir_in("/tmp").unwrap();
        let options = TmuxOptions {
            server: TmuxServer {
                socket: Some(folder.path().join("s").to_str().unwrap().to_owned()),
                config: Some("/dev/null".to_owned()),
                utf8: false,
            },
            env: Some(clean_env()),
            timeout: Some(Duration::from_secs(60)),
            bin: std::env::var_os("SEATKIT_TEST_TMUX"),
        };
        let server = Self { folder, options };
        match run_tmux(&["new-session", "-d", "-s", "keeper", "sleep", "600"], &server.options) {
            Ok(run) => assert_eq!(run.status, Some(0), "{}", run.stderr),
            Err(error) => {
                assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{error}");
                println!("SKIPPED: {error}");
                return None;
            }
        }
        Some(server)
    }

    fn tmux(&self, args: &[&str]) -> TmuxRun {
        run_tmux(args, &self.options).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A caller that inherited what the pane of a new session has.
    fn caller_in(&self, session: &str) -> Caller {
        let told = self.path(&format!("env-{session}"));
        let script = format!(
            "printf '%s\\n%s\\n' \"$TMUX\" \"$TMUX_PANE\" > '{0}.part'; mv '{0}.part' '{0}'; exec sleep 600",
            told.display()
        );
        let run = self.tmux(&["new-session", "-d", "-s", session, "/bin/sh", "-c", &script]);
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        let told = read_when_there(&told);
        let mut lines = told.lines().map(OsString::from);
        let mut env = clean_env();
        env.push(("TMUX".into(), lines.next().unwrap()));
        env.push(("TMUX_PANE".into(), lines.next().unwrap()));
        Caller { env: Some(env), timeout: self.options.timeout, bin: self.options.bin.clone() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = run_tmux(&["kill-server"], &self.options);
    }
}

fn clean_env() -> Vec<(OsString, OsString)> {
    std::env::vars_os()
        .filter(|(name, _)| !["TMUX", "TMUX_PANE"].iter().any(|own| name == own))
        .collect()
}

fn until<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    for _ in 0..2000 {
        if let Some(answer) = probe() {
            return answer;
        }
        sleep(Duration::from_millis(10));
    }
    panic!("{what} did not happen")
}

fn read_when_there(path: &Path) -> String {
    until(&path.display().to_string(), || {
        std::fs::read_to_string(path).ok().filter(|text| !text.is_empty())
    })
}

fn run(command: &SafeCommand) -> TmuxRun {
    let output = Command::new(&command.file)
        .args(&command.args)
        .envs(command.env.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    TmuxRun {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_session_is_started_found_exactly_awaited_and_stopped() {
    let Some(server) = Server::start() else {
        return;
    };
    let exit_file = server.path("last-exit");
    let bin = server.options.bin.clone().unwrap_or_else(|| "tmux".into());
    let launch = Launch {
        mux: Mux { kind: MuxKind::Tmux, bin: bin.to_str().unwrap() },
        mux_name: "maestro-olivia",
        cwd: server.folder.path().to_str().unwrap(),
        claude_bin: "/bin/sh",
        claude_args: &["-c", "sleep 600;"],
        exit_file: exit_file.to_str().unwrap(),
    };
    let options = SafeOptions {
        socket: server.options.server.socket.as_deref(),
        config: Some("/dev/null"),
        terminator: false,
        ..SafeOptions::default()
    };
    let commands = build_safe_mux_commands(&launch, &options).unwrap();
    assert_eq!(classify_tmux_run(&run(&commands.exists)), MuxAnswer::Absent);
    assert_eq!(run(&commands.start).status, Some(0));
    assert_eq!(classify_tmux_run(&run(&commands.exists)), MuxAnswer::Present);

    let found = resolve_tmux_session_exact("maestro-olivia", &server.options).unwrap();
    let listed = server.tmux(&["list-panes", "-t", "=maestro-olivia:", "-F", "#{session_id}"]);
    assert_eq!(found.as_str(), listed.stdout.trim_end());
    let missing = resolve_tmux_session_exact("maestro", &server.options).unwrap_err();
    assert_eq!(missing.as_str(), "tmux-session-missing");

    assert_eq!(run(&commands.stop.unwrap()).status, Some(0));
    until("the session's end", || {
        (classify_tmux_run(&run(&commands.exists)) == MuxAnswer::Absent).then_some(())
    });
    let recorded = std::fs::read_to_string(&exit_file).ok();
    assert_eq!(session_outcome(recorded.as_deref(), true), SessionOutcome::Stopped);

    let ending = Launch { claude_args: &["-c", "exit 42"], ..launch };
    let commands = build_safe_mux_commands(&ending, &options).unwrap();
    assert_eq!(run(&commands.start).status, Some(0));
    let recorded = read_when_there(&exit_file);
    assert_eq!(session_outcome(Some(&recorded), false), SessionOutcome::Exited { code: 42 });
}

#[test]
fn a_window_is_bound_to_its_server_and_to_no_session() {
    let Some(server) = Server::start() else {
        return;
    };
    let (a, b) = (server.caller_in("a"), server.caller_in("b"));
    let in_a = inspect_placement(&a).unwrap().unwrap();
    let in_b = inspect_placement(&b).unwrap().unwrap();
    assert_eq!(in_a.server_pid, in_b.server_pid);
    assert_ne!(in_a.session_id, in_b.session_id);

    let error = append_window(&in_b, &a).unwrap_err();
    assert!(matches!(error, PlacementError::ContextChanged { .. }), "{error}");
    let handle = append_window(&in_b, &b).unwrap();
    assert_eq!(handle.session_id, in_b.session_id);
    assert_eq!(close_window(&handle, &a).unwrap(), CloseOutcome::Closed);
    assert_eq!(close_window(&handle, &a).unwrap(), CloseOutcome::AlreadyGone);

    let foreign = seatkit::placement::WindowHandle { server_pid: "1".to_owned(), ..in_b };
    let error = close_window(&foreign, &a).unwrap_err();
    assert_eq!(error.code(), "server-changed");
    assert_eq!(server.tmux(&["has-session", "-t", "=b:"]).status, Some(0));

    let mut gone = a.clone();
    let env = gone.env.as_mut().unwrap();
    env.retain(|(name, _)| name != "TMUX_PANE");
    env.push(("TMUX_PANE".into(), "%999999".into()));
    let answer = inspect_placement(&gone).unwrap();
    assert_eq!(answer, Err(PlacementRejectReason::AnchorUnresolved));
}
