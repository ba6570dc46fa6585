//! A group's inbox, and one in which not everything is everybody's to read, met by processes of other users.
#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use seatkit::inbox::{
    ArchiveOptions, Claim, Delivery, FindOptions, Inbox, Item, ListOptions, Refused, SweepOptions,
};

use super::process::{answer, command, lines_of};
use super::seat::{FILE, ID, ITEM, SERVICE, Seat, in_minutes, much_later, say, service};
use super::step::Step;

/// Nobody's numbers on any system.
const OWNER: u32 = 54_321;
const OTHER: u32 = 54_322;
const GROUP: u32 = 54_323;

/// Whether tests may speak for other users; says aloud when not.
fn may_be_others(test: &str) -> bool {
    let may = rustix::process::geteuid().is_root();
    if !may {
        say(&format!("SKIPPED: {test}: only root can be somebody else"));
    }
    may
}

/// A seat whose root anybody may enter.
fn seat() -> Seat {
    let seat = Seat::new();
    set_mode(Path::new(seat.root()), 0o755);
    seat
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn give(path: &Path, user: u32, mode: u32) {
    chown(path, Some(user), Some(GROUP)).unwrap();
    set_mode(path, mode);
}

/// Whether anybody may run this program: it may be below a folder that is root's alone.
fn is_anybodys(program: &Path) -> bool {
    program
        .ancestors()
        .all(|path| fs::metadata(path).is_ok_and(|meta| meta.mode() & 0o001 == 0o001))
}

/// Runs `task` as a user who is in the group and nothing else; what it says.
fn as_user(user: u32, task: &[&str]) -> Vec<String> {
    let ours = command(task);
    let there = tempfile::Builder::new().prefix("seatkit-test-").tempdir().unwrap();
    let mut program = Path::new(ours.get_program()).to_owned();
    if !is_anybodys(&program) {
        set_mode(there.path(), 0o755);
        let copy = there.path().join("test");
        fs::copy(&program, &copy).unwrap();
        program = copy;
    }
    let mut theirs = Command::new(program);
    theirs.args(ours.get_args()).current_dir("/").uid(user).gid(GROUP);
    theirs.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    theirs.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    lines_of(theirs.spawn().unwrap())
}

/// The steps, one after the other, as that user; their words.
fn steps(user: u32, seat: &Seat, steps: &[Step]) -> Vec<String> {
    let names: Vec<_> = steps.iter().map(|step| step.name()).collect();
    as_user(user, &["other-user", "steps", seat.root(), &names.join(",")])
}

/// What a process of another user does.
pub(crate) fn act(task: &str, root: &str, arguments: &str) {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o007));
    match task {
        "steps" => {
            for name in arguments.split(',') {
                let answered = Step::from_name(name).unwrap().take(root);
                answer(&format!("{} {}", answered.word, answered.code));
            }
        }
        "whole-day" => whole_day(root),
        "look" => look(root),
        "closed-root" => closed_root(root),
        other => panic!("{other}"),
    }
}

/// A group's inbox: folders 2770, an item of its owner's that the group may write.
fn group_seat(mode: u32) -> Seat {
    let seat = seat();
    for path in ["", "/state", "/state/inbox", "/state/inbox/cohort"] {
        give(Path::new(&format!("{}{path}", seat.root())), OWNER, 0o2770);
    }
    seat.deliver(FILE, ITEM);
    give(&seat.path(FILE), OWNER, mode);
    seat
}

/// Path-Tiny#174: who may write a file and does not own it may not set its time to any but now.
#[test]
fn whoever_may_write_an_item_and_does_not_own_it_can_do_everything() {
    if !may_be_others("a group's inbox") {
        return;
    }
    let ways: &[(&[Step], &str)] = &[
        (&[Step::Claim, Step::Release], ""),
        (&[Step::ClaimWithToken, Step::Renew, Step::Reply, Step::Sweep], ".processed"),
        (&[Step::Claim, Step::Done], ".processed"),
        (&[Step::Defer, Step::Reopen], ""),
        (&[Step::Claim, Step::Defer, Step::Sweep], ""),
        (&[Step::Claim, Step::Sweep], ""),
        (&[Step::Claim, Step::Fail, Step::Sweep], ""),
        (&[Step::Claim, Step::FailForGood, Step::Revive], ""),
        (&[Step::Claim, Step::SweepAndGiveUp], ".dead"),
    ];
    for mode in [0o660, 0o664, 0o666] {
        for (way, suffix) in ways {
            let seat = group_seat(mode);
            let before = fs::metadata(seat.path(FILE)).unwrap();
            // One user takes over from the other at every step.
            for (step, user) in way.iter().zip([OTHER, OWNER].into_iter().cycle()) {
                assert_eq!(steps(user, &seat, &[*step]), ["ok "], "{way:?}, {step:?}");
            }
            let kept = seat.only();
            assert_eq!(kept.name, format!("{FILE}{suffix}"), "{way:?}");
            assert_eq!(kept.own_bytes(), ITEM, "{way:?}");
            let after = fs::metadata(seat.path(&kept.name)).unwrap();
            let same = |meta: &fs::Metadata| (meta.uid(), meta.gid(), meta.mode(), meta.ino());
            assert_eq!(same(&after), same(&before), "{way:?}");
        }
    }
}

/// Something was added after the block: the new file is whoever's put it there, and still the group's.
#[test]
fn a_disturbed_item_of_a_group_stays_the_groups() {
    if !may_be_others("a disturbed item of a group") {
        return;
    }
    let seat = group_seat(0o660);
    assert_eq!(steps(OWNER, &seat, &[Step::Claim]), ["ok "]);
    let path = seat.path(&format!("{FILE}.dispatched"));
    let text = [&*fs::read(&path).unwrap(), b"draft: thanks\n"].concat();
    fs::write(&path, text).unwrap();
    assert_eq!(steps(OTHER, &seat, &[Step::Release]), ["ok "]);
    let meta = fs::metadata(seat.path(FILE)).unwrap();
    assert_eq!((meta.gid(), meta.mode() & 0o777), (GROUP, 0o660));
    assert_eq!(steps(OWNER, &seat, &[Step::Claim, Step::Reply]), ["ok ", "ok "]);
    assert!(seat.only().own_bytes().ends_with(b"draft: thanks\n"));
}

#[test]
fn two_users_of_a_group_do_each_others_work_for_a_day() {
    if !may_be_others("a day of a group") {
        return;
    }
    let seat = group_seat(0o660);
    fs::remove_file(seat.path(FILE)).unwrap();
    for user in [OWNER, OTHER, OWNER] {
        assert_eq!(as_user(user, &["other-user", "whole-day", seat.root(), "-"]), ["a day"]);
    }
}

/// Takes what the other left, and leaves something for it.
fn whole_day(root: &str) {
    let (inbox, now) = (Inbox::at(root), SystemTime::now());
    let claim = Claim { token: true, ..Claim::at(now) };
    while let Some(taken) = inbox.claim_next(None, &claim).taken {
        let item = taken.claim.item();
        inbox.reply(&service(), &item, now).unwrap();
        inbox.done(&service(), &item, now).unwrap();
    }
    let next = inbox.claim_next(None, &claim);
    assert_eq!((next.taken, next.skipped), (None, vec![]));
    let archive = ArchiveOptions {
        now: much_later(),
        older_than: Duration::from_secs(60),
        ids: None,
        dry_run: false,
    };
    assert_eq!(inbox.archive(&archive).failed, []);
    assert_eq!(inbox.sweep(&SweepOptions::at(much_later())).failed, []);
    inbox.deliver_text(&service(), "id: x\n", &Delivery::at(now)).unwrap();
    answer("a day");
}

/// nextcloud#29514, ClickHouse#90027: what is root's alone, among what is not.
#[test]
fn what_a_user_may_not_read_is_named_and_hides_nothing_else() {
    if !may_be_others("what may not be read") {
        return;
    }
    let seat = seat();
    seat.deliver(FILE, ITEM);
    seat.deliver("closed.yaml", ITEM);
    seat.deliver("closed.yaml.dispatched", ITEM);
    let inbox = format!("{}/state/inbox", seat.root());
    for folder in ["lost+found", "zoo"] {
        fs::create_dir(format!("{inbox}/{folder}")).unwrap();
    }
    // Its names may be read, and nothing in it.
    fs::write(format!("{inbox}/zoo/z1.yaml.dispatched"), ITEM).unwrap();
    set_mode(Path::new(&format!("{inbox}/zoo")), 0o744);
    set_mode(Path::new(&format!("{inbox}/lost+found")), 0o700);
    set_mode(&seat.path("closed.yaml"), 0o600);
    set_mode(&seat.path("closed.yaml.dispatched"), 0o600);
    set_mode(&seat.folder(), 0o777);
    set_mode(&seat.path(FILE), 0o666);
    assert_eq!(as_user(OTHER, &["other-user", "look", seat.root(), "-"]), ["looked"]);
    assert!(seat.path(&format!("{FILE}.dispatched")).exists());
}

fn look(root: &str) {
    let inbox = Inbox::at(root);
    let listed = inbox.list(&ListOptions::default());
    let items: Vec<_> = listed
        .items
        .iter()
        .map(|item| {
            let problem = item.problem.as_ref().map(|problem| problem.code.unwrap());
            (&*item.found.file, problem)
        })
        .collect();
    assert_eq!(
        items,
        [
            (FILE, None),
            ("closed.yaml", Some("EACCES")),
            ("closed.yaml.dispatched", Some("EACCES")),
            ("z1.yaml.dispatched", Some("EACCES")),
        ]
    );
    let unread = |failed: &[seatkit::inbox::Failed]| -> Vec<_> {
        failed
            .iter()
            .map(|failed| {
                assert_eq!(
                    (failed.refusal.error, failed.refusal.code),
                    (Refused::Io, Some("EACCES"))
                );
                (failed.service.clone().unwrap(), failed.file.clone().unwrap_or_default())
            })
            .collect()
    };
    let [cohort, closed] = [SERVICE, "lost+found"].map(str::to_owned);
    let zoo = "zoo".to_owned();
    assert_eq!(unread(&listed.failed), [(closed.clone(), String::new())]);
    let swept = inbox.sweep(&SweepOptions::at(much_later()));
    assert_eq!(
        unread(&swept.failed),
        [
            (cohort.clone(), "closed.yaml.dispatched".to_owned()),
            (closed.clone(), String::new()),
            (zoo, "z1.yaml.dispatched".to_owned()),
        ]
    );
    let in_closed =
        FindOptions { service: Some(closed.parse().unwrap()), ..FindOptions::default() };
    for options in [FindOptions::default(), in_closed] {
        assert_eq!(inbox.find("nobody", &options), Ok(None));
    }
    assert!(inbox.find(ID, &FindOptions::default()).unwrap().is_some());
    let claim = Claim { token: true, ..Claim::at(SystemTime::now()) };
    let closed_item = Item::id("closed");
    let refused = inbox.claim(&service(), &closed_item, &claim).unwrap_err();
    assert_eq!((refused.error, refused.code), (Refused::Io, Some("EACCES")));
    let next = inbox.claim_next(None, &claim);
    assert_eq!(next.taken.unwrap().claim.id, ID);
    let rest = inbox.claim_next(None, &claim);
    assert_eq!(
        (rest.taken, unread(&rest.skipped)),
        (None, vec![(closed, String::new()), (cohort, "closed.yaml".to_owned())])
    );
    answer("looked");
}

#[test]
fn a_root_that_may_be_entered_and_not_read_will_do() {
    if !may_be_others("a root that may be entered and not read") {
        return;
    }
    for closed in [&[""][..], &["", "/state"]] {
        let seat = seat();
        seat.deliver(FILE, ITEM);
        for below in ["/state", "/state/inbox", "/state/inbox/cohort"] {
            give(Path::new(&format!("{}{below}", seat.root())), OTHER, 0o755);
        }
        give(&seat.path(FILE), OTHER, 0o644);
        for below in closed {
            give(Path::new(&format!("{}{below}", seat.root())), 0, 0o711);
        }
        assert_eq!(as_user(OTHER, &["other-user", "closed-root", seat.root(), "-"]), ["ok"]);
    }
}

fn closed_root(root: &str) {
    assert!(fs::read_dir(root).is_err());
    let inbox = Inbox::at(root);
    assert_eq!(inbox.list(&ListOptions::default()).items.len(), 1);
    assert!(inbox.find(ID, &FindOptions::default()).unwrap().is_some());
    for step in [Step::Claim, Step::Release, Step::ClaimLongAgo, Step::SweepNow, Step::Defer] {
        assert_eq!(step.take(root).word, "ok", "{step:?}");
    }
    let new =
        inbox.deliver_text(&"other".parse().unwrap(), "id: x\n", &Delivery::at(in_minutes(0.0)));
    assert!(new.unwrap().created, "a service that was not there");
    answer("ok");
}

/// A folder in which only owners may rename (`1777`), and a file that may only be read.
#[test]
fn what_may_not_be_changed_is_refused_with_its_code_and_stays() {
    if !may_be_others("what may not be changed") {
        return;
    }
    for (folder, file, code) in
        [(0o1777, 0o666, "EPERM"), (0o777, 0o644, "EACCES"), (0o755, 0o666, "EACCES")]
    {
        let seat = seat();
        seat.deliver(FILE, ITEM);
        set_mode(&seat.path(FILE), file);
        set_mode(&seat.folder(), folder);
        let before = seat.only();
        for step in [Step::Claim, Step::ClaimNamed, Step::Defer] {
            assert_eq!(steps(OTHER, &seat, &[step]), [format!("io {code}")], "{folder:o} {step:?}");
        }
        let after = seat.only();
        assert_eq!((after.name, after.bytes), (before.name, before.bytes));
        assert_eq!(steps(OTHER, &seat, &[Step::Find, Step::List]), ["ok ", "ok "]);
    }
}
