//! What no honest sender delivers: nothing hangs, grows, ends the process or leaves the inbox, and the
//! other items are served.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::process::{Resource, Rlimit, setrlimit};
use seatkit::inbox::{Claim, FindOptions, Inbox, Item, ListOptions, State};

use super::process::{answer, command, lines_of};
use super::seat::{FILE, ID, ITEM, STEM, Seat, much_later, say, service};
use super::step::Step;

const CALLS: [Step; 9] = [
    Step::Claim,
    Step::ClaimNamed,
    Step::ClaimWithToken,
    Step::Defer,
    Step::Reply,
    Step::Done,
    Step::Release,
    Step::Renew,
    Step::Sweep,
];

/// Puts something at a path; false where this system does not allow it.
type Put = fn(&Path) -> bool;

/// Things that are no item, each put under the name that it is given; those that this system allows.
fn things() -> Vec<(&'static str, Put)> {
    vec![
        ("a folder", |path| fs::create_dir(path).is_ok()),
        ("a pipe", |path| run("mkfifo", &[path.to_str().unwrap()])),
        ("a socket", |path| {
            // Longer paths than a hundred bytes do not fit a socket's address.
            let short = tempfile::tempdir().unwrap();
            std::os::unix::net::UnixListener::bind(short.path().join("s")).unwrap();
            fs::rename(short.path().join("s"), path).is_ok()
        }),
        ("a device", |path| run("mknod", &[path.to_str().unwrap(), "c", "1", "5"])),
        ("a link to a file", |path| {
            let target = path.with_file_name("target");
            fs::write(&target, ITEM).unwrap();
            symlink(&target, path).is_ok()
        }),
        ("a link to nothing", |path| symlink("/nowhere/at/all", path).is_ok()),
        ("a second name of a file", |path| {
            let first = path.with_file_name("first");
            fs::write(&first, ITEM).unwrap();
            fs::hard_link(&first, path).is_ok()
        }),
    ]
}

fn run(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
fn what_is_no_regular_file_with_one_name_is_never_touched() {
    for (thing, put) in things() {
        for state in State::ALL {
            let seat = Seat::new();
            let path = seat.path(&format!("{STEM}{}", state.suffix()));
            if !put(&path) {
                say(&format!("SKIPPED: {thing} cannot be made here"));
                continue;
            }
            let before = (seat.names(), fs::symlink_metadata(&path).unwrap().modified().unwrap());
            for step in CALLS {
                let word = step.take(seat.root()).word;
                assert!(
                    [
                        "not-claimable",
                        "not-deferrable",
                        "not-in-flight",
                        "not-found",
                        "linked",
                        "nothing"
                    ]
                    .contains(&&*word),
                    "{step:?} of {thing}: {word}"
                );
            }
            let after = (seat.names(), fs::symlink_metadata(&path).unwrap().modified().unwrap());
            assert_eq!(after, before, "{thing}");
        }
    }
}

/// Items that are large, deep or wide, and one like any other.
fn deliver_hostile_items(seat: &Seat) -> usize {
    let sparse = |name: &str, end: &str| {
        let file = fs::File::create(seat.path(name)).unwrap();
        file.set_len(1 << 30).unwrap();
        file.write_all_at(end.as_bytes(), (1 << 30) - 1).unwrap();
    };
    let claim = "\nclaimed_by: \"session\"\nclaimed_at: \"2026-09-08T10:00:00.000Z\"\n";
    sparse("h-sparse.yaml", "\n");
    sparse("h-sparse-claimed.yaml.dispatched", claim);
    sparse("h-sparse-unended.yaml.dispatched", "x");
    let laugh = |(this, last): (char, char)| {
        let lasts = format!("*{last}, ").repeat(10);
        format!("{this}: &{this} [{lasts}]\n")
    };
    let laughs: Vec<_> = ('b'..='z').zip('a'..).map(laugh).collect();
    let laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned() + &laughs.concat();
    let texts = [
        ("deep-flow", "[".repeat(100_000)),
        ("deep-mapping", "{a: ".repeat(100_000)),
        ("deep-sequence", "- ".repeat(100_000)),
        ("deep-keys", "? ".repeat(100_000)),
        ("deep-blocks", (0..2000).map(|depth| " ".repeat(depth) + "a:\n").collect()),
        ("laughs", laughs),
        ("long-line", format!("content: \"{}\"\n", "x".repeat(50_000_000))),
        ("markers", claim.repeat(400_000)),
        ("empty", String::new()),
        ("nothing", "\0".repeat(10_000_000)),
    ];
    for (name, text) in &texts {
        for suffix in ["yaml", "yaml.dispatched", "yaml.deferred"] {
            fs::write(seat.path(&format!("h-{name}-{suffix}.{suffix}")), text).unwrap();
        }
    }
    seat.deliver(FILE, ITEM);
    3 + 3 * texts.len()
}

/// Meets all of them in little memory.
pub(crate) fn meet(root: &str) {
    let limit = Some(400 << 20);
    // macOS does not limit the address space.
    match setrlimit(Resource::As, Rlimit { current: limit, maximum: limit }) {
        Err(errno) if cfg!(target_vendor = "apple") => {
            say(&format!("memory is not limited here: {errno}"));
        }
        answer => answer.unwrap(),
    }
    for listed in Inbox::at(root).list(&ListOptions::default()).items {
        let id = &listed.found.id;
        Inbox::at(root).find(id, &FindOptions::default()).unwrap().unwrap();
        if listed.found.state == State::New {
            let item = Item { file: Some(listed.found.file.clone()), ..Item::id(id) };
            if let Err(refusal) =
                Inbox::at(root).claim(&service(), &item, &Claim::at(SystemTime::now()))
            {
                let word = refusal.error.as_str();
                assert!(["unstampable", "busy"].contains(&word), "{refusal}");
            }
        }
    }
    assert_eq!(Step::Sweep.take(root).word, "ok");
    assert_eq!(Step::Claim.take(root).word, "ok", "the item like any other");
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: not known here");
    answer(&format!("most memory in use at once, {}", peak.replace('\t', " ")));
}

#[test]
fn large_deep_and_wide_items_are_met_in_little_memory_and_stop_nobody() {
    let seat = Seat::new();
    let count = deliver_hostile_items(&seat);
    let said = lines_of(command(&["hostile", seat.root()]).spawn().unwrap());
    assert_eq!(seat.names().len(), count + 1);
    assert!(seat.path(&format!("{FILE}.dispatched")).exists());
    say(&format!("{count} hostile items: {}", said.join(" ")));
}

#[test]
fn names_that_are_no_text_are_foreign() {
    let seat = Seat::new();
    for suffix in [".yaml", ".yaml.dispatched", ".yaml.deferred"] {
        let name = [b"m1-\xff", suffix.as_bytes()].concat();
        match fs::write(seat.folder().join(OsStr::from_bytes(&name)), ITEM) {
            // APFS takes only text.
            Err(error) if cfg!(target_vendor = "apple") => {
                return say(&format!("SKIPPED: names that are no text: {error}"));
            }
            answer => answer.unwrap(),
        }
    }
    let swept = seat.sweep(much_later());
    assert_eq!((swept.scanned, swept.failed), (0, vec![]));
    assert_eq!(seat.inbox().list(&ListOptions::default()).items, []);
    assert_eq!(Step::Claim.take(seat.root()).word, "not-claimable");
    assert_eq!(fs::read_dir(seat.folder()).unwrap().count(), 3);
}

/// A name may have 255 bytes, `.yaml.dispatched` after the stem included.
#[test]
fn a_stem_too_long_for_its_next_name_is_refused_and_stays() {
    for (length, claim, done) in
        [(239, "ok", "ok"), (240, "io", "not-in-flight"), (250, "io", "not-in-flight")]
    {
        let seat = Seat::new();
        let name = format!("{}-{ID}.yaml", "x".repeat(length - 1 - ID.len()));
        seat.deliver(&name, ITEM);
        let before = seat.only();
        for step in [Step::Defer, Step::Claim] {
            let answer = step.take(seat.root());
            assert_eq!(answer.word, claim, "{answer:?}");
            if claim == "io" {
                assert_eq!(answer.code, "ENAMETOOLONG");
                assert_eq!(seat.only(), before);
            } else if step == Step::Defer {
                assert_eq!(Step::Sweep.take(seat.root()).word, "ok");
            }
        }
        let item = Item { file: Some(name.clone()), ..Item::default() };
        let answered = seat.inbox().done(&service(), &item, SystemTime::now());
        assert_eq!(
            answered.map_or_else(|refusal| refusal.error.to_string(), |_| "ok".to_owned()),
            done
        );
        assert_eq!(seat.only().own_bytes(), ITEM);
    }
}

#[test]
fn a_service_that_is_a_link_is_not_entered_and_a_root_that_is_one_is() {
    let (seat, outside) = (Seat::new(), Seat::new());
    outside.deliver(FILE, ITEM);
    let before = outside.only();
    fs::remove_dir(seat.folder()).unwrap();
    symlink(outside.folder(), seat.folder()).unwrap();
    for step in CALLS {
        assert_ne!(step.take(seat.root()).word, "ok", "{step:?}");
    }
    assert_eq!(seat.inbox().list(&ListOptions::default()).items, []);
    assert_eq!(seat.inbox().list(&ListOptions::default()).items, []);
    assert_eq!(seat.inbox().find(ID, &FindOptions::default()), Ok(None));
    assert_eq!(outside.only(), before);

    let linked = format!("{}/root", seat.root());
    symlink(outside.root(), &linked).unwrap();
    assert_eq!(Step::Claim.take(&linked).word, "ok");
    assert_eq!(Step::Sweep.take(&linked).word, "ok");
}

/// Somebody swaps a folder for a link to one outside, again and again, while calls are under way.
#[test]
fn a_folder_swapped_for_a_link_in_mid_call_leads_nowhere_else() {
    for swapped in ["state", "state/inbox", "state/inbox/cohort"] {
        let (seat, outside) = (Seat::new(), Seat::new());
        seat.deliver(FILE, ITEM);
        for state in State::ALL {
            outside.deliver(&format!("{STEM}{}", state.suffix()), b"canary\n");
        }
        let before = outside.files();
        let link = format!("{}/link", seat.root());
        symlink(Path::new(outside.root()).join(swapped), &link).unwrap();
        let folder = format!("{}/{swapped}", seat.root());
        let swap = || renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE);
        if swap().is_err() {
            return say("SKIPPED: names cannot be exchanged here");
        }
        swap().unwrap();

        let over = AtomicBool::new(false);
        let mut counts = [0; 2];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    swap().unwrap();
                    swap().unwrap();
                }
            });
            for _ in 0..600 {
                for step in [Step::Claim, Step::Release, Step::Defer, Step::Sweep] {
                    let is_ok = step.take(seat.root()).word == "ok";
                    counts[usize::from(is_ok)] += 1;
                }
            }
            over.store(true, Ordering::Relaxed);
        });
        assert_eq!(outside.files(), before, "{swapped}");
        let _ = seat.inbox().release(&service(), &Item::id(ID));
        seat.sweep(much_later());
        let kept = seat.only();
        assert_eq!((&*kept.name, &*kept.bytes), (FILE, ITEM), "{swapped}");
        say(&format!(
            "calls beside a swapped {swapped}: {} done, {} refused, nothing outside",
            counts[1], counts[0]
        ));
    }
}
