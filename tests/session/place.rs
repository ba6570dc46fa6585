//! A folder with servers of its own, both ended with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use seatkit::launch::MuxKind;
use seatkit::session::{Environment, Session, SessionError, SessionLaunch, SessionMux};

pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) mux: SessionMux,
}

/// Runs a test under tmux and under screen, as far as they are there.
pub(crate) fn both(test: impl Fn(&Place)) {
    for kind in [MuxKind::Tmux, MuxKind::Screen] {
        if let Some(place) = Place::new(kind) {
            test(&place);
        }
    }
}

impl Place {
    pub(crate) fn new(kind: MuxKind) -> Option<Self> {
        let bin = format!("/usr/bin/{kind}");
        if !Path::new(&bin).exists() {
            eprintln!("SKIPPED: {kind} is not installed");
            return None;
        }
        let folder = tempfile::Builder::new().prefix("seatkit").tempdir().unwrap();
        let place = Self { folder, mux: SessionMux { kind, bin } };
        if kind == MuxKind::Screen {
            use std::os::unix::fs::DirBuilderExt;
            std::fs::DirBuilder::new().mode(0o700).create(place.socket()).unwrap();
        }
        Some(place)
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn socket(&self) -> String {
        self.at("s").to_str().unwrap().to_owned()
    }

    pub(crate) fn env() -> Environment {
        let own = |(name, _): &(OsString, OsString)| name != "TMUX" && name != "STY";
        std::env::vars_os().filter(own).collect()
    }

    /// A launch of a shell that runs `script`.
    pub(crate) fn sh(&self, script: &str) -> SessionLaunch {
        std::fs::create_dir_all(self.at("seat")).unwrap();
        SessionLaunch {
            mux: Some(self.mux.clone()),
            mux_name: "olivia".to_owned(),
            cwd: self.at("seat").to_str().unwrap().to_owned(),
            claude_bin: "/bin/sh".to_owned(),
            claude_args: vec!["-c".to_owned(), script.to_owned()],
            socket: Some(self.socket()),
            config: Some("/dev/null".to_owned()),
            record_file: Some(self.at("seat/seat.json")),
            ..SessionLaunch::default()
        }
    }

    pub(crate) fn tmux(&self, args: &[&str]) -> String {
        let output = Command::new("tmux").args(["-S", &self.socket()]).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn screen(&self, args: &[&str]) {
        let mut screen = Command::new("screen");
        let output = screen.env("SCREENDIR", self.socket()).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
    }

    /// Ends the server at once, and with it every terminal that it gave.
    pub(crate) fn kill_server(&self) {
        let file = self.at("seat/seat.json");
        let server = Session::adopt(file, &Self::env()).unwrap().record().server.clone().unwrap();
        let pid = Pid::from_raw(server.process.pid.try_into().unwrap()).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
        assert!(eventually(|| !lives(server.process.pid)));
    }

    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.at("seat")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

pub(crate) fn try_start(launch: &SessionLaunch) -> Result<Session, SessionError> {
    Session::start(launch, &Place::env())
}

pub(crate) fn start(launch: &SessionLaunch) -> Session {
    try_start(launch).unwrap()
}

/// Whether a process is there that has not ended.
pub(crate) fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits until something is so, 20 s at the longest.
pub(crate) fn eventually(mut is_so: impl FnMut() -> bool) -> bool {
    (0..2000).any(|_| {
        let so = is_so();
        if !so {
            std::thread::sleep(Duration::from_millis(10));
        }
        so
    })
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut kill = Command::new(&self.mux.bin);
        match self.mux.kind {
            MuxKind::Tmux => kill.args(["-S", &self.socket(), "kill-server"]),
            MuxKind::Screen => {
                kill.env("SCREENDIR", self.socket()).args(["-S", "olivia", "-X", "quit"])
            }
        };
        let _ = kill.output();
    }
}
