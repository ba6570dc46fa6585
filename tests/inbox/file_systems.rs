//! The same calls on other file systems: layers of the kernel's and of a process, a mirror of a folder, a folder of
//! another machine. Each lacks something else: exchanging names, attributes, inode numbers that stay.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use seatkit::inbox::{FindOptions, ListOptions, State};

use super::operation::OPERATIONS;
use super::process::answer;
use super::seat::{FILE, ITEM, Seat, much_later};
use super::small_disks::{mount, text, where_mounts_are_allowed};
use super::step::Step;
use super::{finding, races};

#[test]
fn on_an_overlay_everything_is_as_it_should_be() {
    where_mounts_are_allowed("overlayfs");
}

#[test]
fn on_an_overlay_that_a_process_makes_everything_is_as_it_should_be() {
    where_mounts_are_allowed("fuse-overlayfs");
}

#[test]
fn in_a_mirror_of_a_folder_everything_is_as_it_should_be() {
    where_mounts_are_allowed("bindfs");
}

#[test]
fn in_a_folder_of_another_machine_everything_is_as_it_should_be() {
    where_mounts_are_allowed("sshfs");
}

/// The server of SFTP, which `sshfs` talks to as if there were a network between them.
const SFTP_SERVERS: [&str; 3] = [
    "/usr/lib/openssh/sftp-server",
    "/usr/lib/ssh/sftp-server",
    "/usr/libexec/openssh/sftp-server",
];

/// What a process in its own mount namespace does.
pub(crate) fn on_file_system(kind: &str, place: &Path) {
    let [lower, upper, work, here] =
        ["lower", "upper", "work", "here"].map(|name| place.join(name));
    let other = tempfile::tempdir().unwrap();
    mount(&["-t", "tmpfs", "none", text(place)]);
    mount(&["-t", "tmpfs", "none", text(other.path())]);
    // The layers are on two file systems: numbers of one are not the other's.
    let below = Seat::below(other.path());
    for (number, state) in State::ALL.iter().enumerate() {
        below.deliver(&format!("below-{number}{}", state.suffix()), ITEM);
    }
    for folder in [&lower, &upper, &work, &here] {
        fs::create_dir(folder).unwrap();
    }
    let layers = format!(
        "lowerdir={},upperdir={},workdir={}",
        text(other.path()),
        text(&upper),
        text(&work)
    );
    let script = place.join("server");
    let (program, arguments): (&str, Vec<&str>) = match kind {
        "overlayfs" => {
            mount(&["-t", "overlay", "overlay", "-o", &layers, text(&here)]);
            return everything(kind, &here, &below);
        }
        "fuse-overlayfs" => (kind, vec!["-f", "-o", &layers, text(&here)]),
        "bindfs" => (kind, vec!["-f", text(other.path()), text(&here)]),
        "sshfs" => {
            let Some(server) = SFTP_SERVERS.iter().find(|path| Path::new(path).exists()) else {
                return answer("SKIPPED: sshfs: there is no SFTP server here");
            };
            fs::write(&script, format!("#!/bin/sh\nexec {server}\n")).unwrap();
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
            let (command, from) = (
                format!("ssh_command={}", text(&script)).leak(),
                format!("machine:{}", text(other.path())).leak(),
            );
            (kind, vec!["-f", "-o", command, from, text(&here)])
        }
        other => panic!("{other}"),
    };
    match Served::by(program, &arguments, &here) {
        Ok(_served) => everything(kind, &here, &below),
        Err(why) => answer(&format!("SKIPPED: {kind}: {why}")),
    }
}

/// A file system that a process serves, for as long as this lives.
struct Served {
    server: Child,
    place: PathBuf,
}

impl Served {
    fn by(program: &str, arguments: &[&str], place: &Path) -> Result<Self, String> {
        if !Path::new("/dev/fuse").exists() {
            return Err("no process can serve a file system here".to_owned());
        }
        let before = fs::metadata(place).unwrap().dev();
        // It must not outlive this process, whatever becomes of it.
        let server = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", program])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut this = Self { server, place: place.to_owned() };
        loop {
            if fs::metadata(place).is_ok_and(|meta| meta.dev() != before) {
                return Ok(this);
            }
            if let Some(status) = this.server.try_wait().unwrap() {
                return Err(format!("it is not here, or may not mount ({status})"));
            }
            sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["-l", text(&self.place)]).output();
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn everything(kind: &str, here: &Path, below: &Seat) {
    listing_of_what_is_below(kind, here, below);
    operations(kind, here);
    disturbed(kind, here);
    editors(kind, here);
    finding::beside_renames(here, 3);
    races::one_wins_below(here, 60);
    answer(&format!("{kind}: {} calls, and races, as on any disk", OPERATIONS.len()));
}

/// Whether the file system can do something that the calls use where it can.
fn can(here: &Path, what: fn(&Path, &Path) -> bool) -> bool {
    let dir = tempfile::tempdir_in(here).unwrap();
    let [one, other] = ["one", "other"].map(|name| dir.path().join(name));
    fs::write(&one, "").unwrap();
    fs::write(&other, "").unwrap();
    what(&one, &other)
}

fn exchange(one: &Path, other: &Path) -> bool {
    let at = rustix::fs::CWD;
    rustix::fs::renameat_with(at, one, at, other, rustix::fs::RenameFlags::EXCHANGE).is_ok()
}

fn attribute(one: &Path, _: &Path) -> bool {
    rustix::fs::setxattr(one, "user.test", b"x", rustix::fs::XattrFlags::empty()).is_ok()
}

/// What was there before it was laid over or mirrored is there once, and nobody's call hides it.
fn listing_of_what_is_below(kind: &str, here: &Path, below: &Seat) {
    let name = Path::new(below.root()).file_name().unwrap();
    let inbox = seatkit::inbox::Inbox::at(here.join(name));
    let files = || {
        let listed = inbox.list(&ListOptions::default());
        assert_eq!(listed.failed, [], "{kind}");
        listed.items.into_iter().map(|item| item.found.id).collect::<Vec<_>>()
    };
    let expected: Vec<_> = (0..5).map(|number| format!("below-{number}")).collect();
    assert_eq!(files(), expected, "{kind}");
    let claim = seatkit::inbox::Claim::at(std::time::SystemTime::now());
    let service = super::seat::service();
    inbox.claim(&service, &"below-0".into(), &claim).unwrap();
    inbox.release(&service, &"below-1".into()).unwrap();
    assert_eq!(files(), expected, "{kind}");
    let found = inbox.find("low-1", &FindOptions::default()).unwrap().unwrap();
    assert_eq!(found.state, State::New, "{kind}");
}

fn operations(kind: &str, here: &Path) {
    let attempts = can(here, attribute);
    for operation in OPERATIONS {
        let seat = operation.seat_below(here);
        let answered = operation.call.take(seat.root());
        let expected =
            if operation.call == Step::SweepAndGiveUp && !attempts { "no-attempts" } else { "ok" };
        let told = format!("{kind}: {}: {answered:?}", operation.name);
        assert_eq!(answered.word, expected, "{told}");
        assert_eq!(seat.only().own_bytes(), operation.item, "{told}");
        let listed = seat.inbox().list(&ListOptions::default());
        assert_eq!((listed.items.len(), listed.failed), (1, vec![]), "{told}");
        assert_eq!(listed.items[0].problem, None, "{told}");
        assert_eq!(listed.items[0].attempts.is_some(), attempts, "{told}");
        seat.sweep(much_later());
        assert_eq!(seat.only().own_bytes(), operation.item, "{told}");
    }
}

/// An item that something was added to is brought back, or said to stay.
fn disturbed(kind: &str, here: &Path) {
    let exchanges = can(here, exchange);
    let seat = Seat::below(here);
    seat.deliver(FILE, ITEM);
    assert_eq!(Step::ClaimLongAgo.take(seat.root()).word, "ok", "{kind}");
    let claimed = seat.path(&format!("{FILE}.dispatched"));
    let mut file = OpenOptions::new().append(true).open(&claimed).unwrap();
    file.write_all(b"draft: thanks\n").unwrap();
    drop(file);
    let before = seat.only();
    let listed = seat.inbox().list(&ListOptions::default()).items;
    assert_eq!(listed[0].markers.claimed_by.as_deref(), Some("session"), "{kind}");
    let swept = Step::SweepNow.take(seat.root());
    if exchanges {
        assert_eq!(swept.word, "ok", "{kind}: {swept:?}");
        let kept = seat.only();
        assert_eq!(
            (&*kept.name, kept.bytes),
            (FILE, [ITEM, b"draft: thanks\n"].concat()),
            "{kind}"
        );
    } else {
        for answered in [swept, Step::Release.take(seat.root()), Step::Defer.take(seat.root())] {
            assert_eq!(answered.word, "disturbed", "{kind}: {answered:?}");
            assert_eq!(seat.only().bytes, before.bytes, "{kind}");
        }
        assert_eq!(Step::Reply.take(seat.root()).word, "ok", "{kind}");
        assert_eq!(Step::Sweep.take(seat.root()).word, "ok", "{kind}");
        let kept = seat.only();
        assert_eq!(kept.name, format!("{FILE}.processed"), "{kind}");
        assert!(kept.bytes.starts_with(&before.bytes), "{kind}");
    }
}

/// What `sed -i` does to an item: a new file in its place, with another number. It is there all the time.
fn editors(kind: &str, here: &Path) {
    let seat = Seat::below(here);
    let names: Vec<_> = (0..30).map(|number| format!("item-{number:02}.yaml")).collect();
    for name in &names {
        seat.deliver(name, ITEM);
    }
    let edited = seat.path("item-07.yaml");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let mut count = 0_usize;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let spare = seat.path(&format!("sed{count}"));
                fs::write(&spare, ITEM).unwrap();
                fs::rename(&spare, &edited).unwrap();
                count += 1;
            }
            count
        });
        let looks = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for look in 0..20 {
                let listed = seat.inbox().list(&ListOptions::default());
                let files: BTreeSet<_> =
                    listed.items.iter().map(|item| item.found.file.clone()).collect();
                assert_eq!(listed.items.len(), names.len(), "{kind}, look {look}: {files:?}");
                assert_eq!((files.len(), listed.failed), (names.len(), vec![]), "{kind}");
                let found = seat.inbox().find("em-07", &FindOptions::default()).unwrap();
                assert!(found.is_some(), "{kind}, search {look}");
            }
        }));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(editor.join().unwrap() > 0);
        if let Err(panic) = looks {
            std::panic::resume_unwind(panic);
        }
    });
}
