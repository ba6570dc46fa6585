//! Tests of the engine as a whole, on real folders.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime};

use super::file::MAX_ITEM;
use super::folder::Folder;
use super::time::Time;
use super::*;

pub(super) const ITEM: &str = "id: \"m1\"\ncontent: |\n  can you send me the deck?\n";

/// A seat of its own for one test.
pub(super) struct Seat(tempfile::TempDir);

impl Seat {
    pub(super) fn new() -> Self {
        let seat = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(seat.folder("cohort")).unwrap();
        seat
    }

    pub(super) fn root(&self) -> &str {
        self.0.path().to_str().unwrap()
    }

    pub(super) fn folder(&self, service: &str) -> PathBuf {
        self.0.path().join("state/inbox").join(service)
    }

    /// The folder of the service `cohort`, as the engine opens it.
    pub(super) fn open(&self) -> Folder {
        Folder::open(self.0.path(), &service()).unwrap().unwrap()
    }

    pub(super) fn inbox(&self) -> Inbox {
        Inbox::at(self.root())
    }

    pub(super) fn deliver(&self, service: &str, file: &str) -> PathBuf {
        self.write(service, file, ITEM.as_bytes())
    }

    pub(super) fn write(&self, service: &str, file: &str, bytes: &[u8]) -> PathBuf {
        fs::create_dir_all(self.folder(service)).unwrap();
        let path = self.folder(service).join(file);
        fs::write(&path, bytes).unwrap();
        path
    }
}

const T0: f64 = 1_788_868_800_000.0;
const FILE: &str = "2026-09-08T09-59-00-000Z-m1.yaml";

fn at(age: f64) -> SystemTime {
    Time::from_millis(T0 + age).unwrap().into()
}

/// A moment as a block has it.
fn iso(moment: SystemTime) -> String {
    Time::from(moment).to_string()
}

fn minutes(count: f64) -> SystemTime {
    at(count * 60_000.0)
}

impl Seat {
    fn ls(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.folder("cohort"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.folder("cohort").join(file)).unwrap()
    }

    fn markers(&self, file: &str) -> Markers {
        parse_markers(&self.read(file))
    }

    fn claim(&self) -> Result<Marked, Refusal> {
        self.inbox().claim(&service(), &Item::id("m1"), &Claim::at(at(0.0)))
    }

    fn defer(&self) -> Result<Marked, Refusal> {
        let deferral =
            Deferral { now: at(0.0), until: minutes(30.0), reason: Some("waiting".to_owned()) };
        self.inbox().defer(&service(), &Item::id("m1"), &deferral)
    }

    fn reply(&self) -> Result<Marked, Refusal> {
        self.inbox().reply(&service(), &Item::id("m1"), minutes(1.0))
    }

    fn sweep(&self, now: SystemTime) -> Vec<Reason> {
        let swept = self.inbox().sweep(&all_live(now));
        assert_eq!(swept.failed, []);
        swept.reopened.into_iter().map(|item| item.reason).collect()
    }

    /// The one file there is.
    fn only(&self) -> String {
        let names = self.ls();
        assert_eq!(names.len(), 1, "{names:?}");
        names.concat()
    }
}

fn service() -> Service {
    "cohort".parse().unwrap()
}

/// A sweep while a session lives.
fn all_live(now: SystemTime) -> SweepOptions {
    let session_live = true;
    SweepOptions {
        rules: SweepRules { session_live, ..SweepRules::default() },
        ..SweepOptions::at(now)
    }
}

fn word<T>(answer: Result<T, Refusal>) -> &'static str {
    answer.err().map_or("ok", |refusal| refusal.error.as_str())
}

#[test]
fn a_claim_adds_its_block_and_a_sweep_gives_back_the_bytes() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    let claimed = seat.claim().unwrap();
    assert_eq!(claimed.path, seat.folder("cohort").join(format!("{FILE}.dispatched")));
    let body = String::from_utf8(seat.read(&format!("{FILE}.dispatched"))).unwrap();
    assert_eq!(body, format!("{ITEM}claimed_by: \"session\"\nclaimed_at: \"{}\"\n", iso(at(0.0))));
    assert_eq!(word(seat.claim()), "not-claimable");
    assert_eq!(seat.sweep(minutes(20.0)), []);
    assert_eq!(seat.sweep(at(20.0 * 60_000.0 + 1.0)), [Reason::ClaimStale]);
    assert_eq!((seat.only().as_str(), seat.read(FILE)), (FILE, ITEM.as_bytes().to_vec()));
}

#[test]
fn a_deferral_replaces_a_claim_and_comes_back_in_time() {
    for claimed in [false, true] {
        let seat = Seat::new();
        seat.deliver("cohort", FILE);
        if claimed {
            seat.claim().unwrap();
        }
        seat.defer().unwrap();
        let file = format!("{FILE}.deferred");
        assert_eq!(seat.only(), file);
        let markers = seat.markers(&file);
        assert_eq!(markers.deferred_until, Some(iso(minutes(30.0))));
        assert_eq!(markers.deferred_reason.as_deref(), Some("waiting"));
        assert_eq!(markers.claimed_by, None);
        assert_eq!(word(seat.defer()), "not-deferrable");
        assert_eq!(seat.sweep(at(30.0 * 60_000.0 - 1.0)), []);
        assert_eq!(seat.sweep(minutes(30.0)), [Reason::DeferralDue]);
        assert_eq!((seat.only().as_str(), seat.read(FILE)), (FILE, ITEM.as_bytes().to_vec()));
    }
}

#[test]
fn a_shorter_block_takes_a_longer_ones_place_in_one_write() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    let claim = Claim { token: true, ..Claim::at(at(0.0)) };
    seat.inbox().claim(&service(), &Item::id("m1"), &claim).unwrap();
    let deferral = Deferral { now: at(0.0), until: minutes(30.0), reason: None };
    let length = |file: &str| seat.read(file).len();
    let claimed = length(&format!("{FILE}.dispatched"));
    seat.inbox().defer(&service(), &Item::id("m1"), &deferral).unwrap();
    let markers = seat.markers(&format!("{FILE}.deferred"));
    assert_eq!(length(&format!("{FILE}.deferred")), claimed, "padded");
    assert_eq!(markers, Markers { deferred_until: Some(iso(minutes(30.0))), ..Markers::default() });
    seat.sweep(minutes(30.0));
    assert_eq!(seat.read(FILE), ITEM.as_bytes());
}

/// The first page ends in the key of the block's first line.
#[test]
fn a_block_that_could_be_torn_apart_is_cut_before_the_next_is_written() {
    let seat = Seat::new();
    let item = format!("id: m1\n# {}\n", "x".repeat(4096 - 5 - 10));
    seat.write("cohort", FILE, item.as_bytes());
    seat.claim().unwrap();
    let deferral = Deferral { now: at(0.0), until: minutes(30.0), reason: None };
    seat.inbox().defer(&service(), &Item::id("m1"), &deferral).unwrap();
    let until = format!("deferred_until: \"{}\"\n", iso(minutes(30.0)));
    assert_eq!(
        String::from_utf8_lossy(&seat.read(&format!("{FILE}.deferred"))),
        format!("{item}{until}"),
        "not padded"
    );
}

#[test]
fn a_replied_item_is_never_given_back_and_is_retired() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    assert_eq!(word(seat.reply()), "not-in-flight");
    seat.claim().unwrap();
    seat.reply().unwrap();
    let file = format!("{FILE}.dispatched");
    let markers = seat.markers(&file);
    assert_eq!(
        (markers.claimed_by.as_deref(), markers.replied_at),
        (Some("session"), Some(iso(minutes(1.0))))
    );
    assert_eq!(word(seat.defer()), "already-replied");
    assert_eq!(word(seat.inbox().release(&service(), &Item::id("m1"))), "already-replied");
    assert_eq!(word(seat.inbox().renew(&service(), &Item::id("m1"), at(0.0))), "already-replied");
    assert_eq!(seat.sweep(minutes(61.0)), []);
    let body = seat.read(&file);
    assert_eq!(seat.sweep(at(61.0 * 60_000.0 + 1.0)), [Reason::RepliedRetired]);
    assert_eq!(
        (seat.only(), seat.read(&format!("{FILE}.processed"))),
        (format!("{FILE}.processed"), body)
    );
    assert_eq!(word(seat.reply()), "not-in-flight");
}

#[test]
fn a_second_reply_moves_the_time_on_and_adds_no_line() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    seat.claim().unwrap();
    seat.reply().unwrap();
    seat.inbox().reply(&service(), &Item::id("m1"), minutes(5.0)).unwrap();
    let body = String::from_utf8(seat.read(&format!("{FILE}.dispatched"))).unwrap();
    assert_eq!(body.matches("replied_at").count(), 1);
    assert_eq!(parse_markers(body.as_bytes()).replied_at, Some(iso(minutes(5.0))));
}

#[test]
fn an_item_that_a_daemon_dispatched_can_be_replied_to() {
    let seat = Seat::new();
    seat.deliver("cohort", &format!("{FILE}.dispatched"));
    assert_eq!(word(seat.inbox().renew(&service(), &Item::id("m1"), at(0.0))), "not-in-flight");
    seat.reply().unwrap();
    assert_eq!(seat.sweep(at(61.0 * 60_000.0 + 1.0)), [Reason::RepliedRetired]);
}

#[test]
fn an_item_keeps_its_missing_line_break() {
    for body in
        ["id: m1\nsubject: hi", "# note", "content: |\n  hi", "id: m1\r\nsubject: hi\r", "\0opaque"]
    {
        for deferred in [false, true] {
            let seat = Seat::new();
            seat.write("cohort", FILE, body.as_bytes());
            if deferred {
                seat.claim().unwrap();
                seat.defer().unwrap();
                seat.sweep(minutes(30.0));
            } else {
                seat.claim().unwrap();
                assert_eq!(
                    seat.markers(&format!("{FILE}.dispatched")).claimed_by.as_deref(),
                    Some("session")
                );
                seat.sweep(minutes(21.0));
            }
            assert_eq!(String::from_utf8(seat.read(FILE)).unwrap(), body);
        }
    }
}

#[test]
fn a_whole_life_ends_in_done_or_release() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    assert_eq!(word(seat.inbox().done(&service(), &Item::id("m1"), at(0.0))), "not-in-flight");
    seat.claim().unwrap();
    seat.inbox().release(&service(), &Item::id("m1")).unwrap();
    assert_eq!(seat.read(FILE), ITEM.as_bytes());
    seat.claim().unwrap();
    seat.inbox().renew(&service(), &Item::id("m1"), minutes(15.0)).unwrap();
    assert_eq!(seat.sweep(minutes(35.0)), []);
    assert_eq!(seat.markers(&format!("{FILE}.dispatched")).claimed_at, Some(iso(minutes(15.0))));
    seat.inbox().done(&service(), &Item::id("m1"), minutes(36.0)).unwrap();
    assert_eq!(seat.only(), format!("{FILE}.processed"));
}

#[test]
fn a_token_tells_one_claim_from_the_next() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    let claim = || {
        seat.inbox().claim(
            &service(),
            &Item::id("m1"),
            &Claim { token: true, ..Claim::at(at(0.0)) },
        )
    };
    let first = claim().unwrap().token.unwrap();
    seat.inbox()
        .renew(&service(), &Item { token: Some(first.clone()), ..Item::id("m1") }, minutes(1.0))
        .unwrap();
    assert_eq!(
        seat.markers(&format!("{FILE}.dispatched")).claim_token.as_ref(),
        Some(&first),
        "a renewed claim keeps its token"
    );
    seat.sweep(minutes(22.0));
    let second = claim().unwrap().token.unwrap();
    let late = Item { token: Some(first.clone()), ..Item::id("m1") };
    let before = seat.read(&format!("{FILE}.dispatched"));
    assert_eq!(word(seat.inbox().reply(&service(), &late, at(0.0))), "claim-lost");
    assert_eq!(word(seat.inbox().done(&service(), &late, at(0.0))), "claim-lost");
    assert_eq!(word(seat.inbox().release(&service(), &late)), "claim-lost");
    assert_eq!(word(seat.inbox().renew(&service(), &late, at(0.0))), "claim-lost");
    let deferral = Deferral { now: at(0.0), until: minutes(1.0), reason: None };
    assert_eq!(word(seat.inbox().defer(&service(), &late, &deferral)), "claim-lost");
    assert_eq!(seat.read(&format!("{FILE}.dispatched")), before);
    seat.inbox()
        .reply(&service(), &Item { token: Some(second.clone()), ..Item::id("m1") }, at(0.0))
        .unwrap();
}

#[test]
fn a_file_name_spares_the_scan_and_may_be_an_older_one() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    let named = Item { file: Some(FILE.to_owned()), ..Item::id("m1") };
    seat.inbox().claim(&service(), &named, &Claim::at(at(0.0))).unwrap();
    seat.inbox().reply(&service(), &named, at(0.0)).unwrap();
    assert_eq!(word(seat.inbox().claim(&service(), &named, &Claim::at(at(0.0)))), "not-claimable");
    for file in ["../m1.yaml", "cohort/m1.yaml", "m1", "", ".m1.yaml", "other.yaml"] {
        let item = Item { file: Some(file.to_owned()), ..Item::id("m1") };
        assert_eq!(
            word(seat.inbox().reply(&service(), &item, at(0.0))),
            "invalid-argument",
            "{file}"
        );
    }
}

#[test]
fn no_transition_replaces_a_file() {
    type Act = fn(&Seat) -> &'static str;
    let acts: [(&str, Act); 4] = [
        ("claim", |seat| word(seat.claim())),
        ("defer", |seat| word(seat.defer())),
        ("done", |seat| word(seat.inbox().done(&service(), &Item::id("m1"), at(0.0)))),
        ("release", |seat| word(seat.inbox().release(&service(), &Item::id("m1")))),
    ];
    for (name, act) in acts {
        for taken in State::ALL {
            let seat = Seat::new();
            seat.deliver("cohort", FILE);
            if name != "claim" && name != "defer" {
                seat.claim().unwrap();
            }
            let stem = FILE.strip_suffix(".yaml").unwrap();
            let target = format!("{stem}{}", taken.suffix());
            if seat.ls().contains(&target) {
                continue;
            }
            seat.write("cohort", &target, b"another\n");
            let before: Vec<_> =
                seat.ls().into_iter().map(|file| (seat.read(&file), file)).collect();
            let answer = act(&seat);
            assert!(
                ["ok", "conflict", "not-claimable", "not-in-flight", "not-deferrable"]
                    .contains(&answer),
                "{name} {taken}: {answer}"
            );
            assert_eq!(seat.read(&target), b"another\n", "{name} onto {taken}");
            assert_eq!(seat.ls().len(), 2);
            if answer == "conflict" {
                let after: Vec<_> =
                    seat.ls().into_iter().map(|file| (seat.read(&file), file)).collect();
                assert_eq!(after, before, "{name} onto {taken}");
            }
        }
    }
}

#[test]
fn a_sweep_reports_a_conflict_and_leaves_both_files() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    seat.claim().unwrap();
    let body = seat.read(&format!("{FILE}.dispatched"));
    seat.write("cohort", FILE, b"delivered again\n");
    let swept = seat.inbox().sweep(&SweepOptions::at(minutes(21.0)));
    assert_eq!(swept.reopened, []);
    assert_eq!(
        swept
            .failed
            .iter()
            .map(|failed| (failed.refusal.error, failed.file.as_deref()))
            .collect::<Vec<_>>(),
        [(Refused::Conflict, Some("2026-09-08T09-59-00-000Z-m1.yaml.dispatched"))]
    );
    assert_eq!(
        (seat.read(FILE), seat.read(&format!("{FILE}.dispatched"))),
        (b"delivered again\n".to_vec(), body)
    );
}

#[test]
fn an_item_that_yaml_could_not_read_any_more_is_refused_and_untouched() {
    // What makes the last one unreadable is far before the end of the file that is read at first.
    let large = format!("- a\n{}", "\n".repeat(20_000));
    for body in ["id: 1\nclaimed_by: me\nb: 2\n", "{\"id\": 1}\n", "- a\n", &*large] {
        let seat = Seat::new();
        let path = seat.write("cohort", FILE, body.as_bytes());
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(word(seat.claim()), "unstampable");
        assert_eq!(word(seat.defer()).replace("ok", "unstampable"), "unstampable");
        if body.starts_with(['{', '-']) {
            assert_eq!((seat.only().as_str(), seat.read(FILE)), (FILE, body.as_bytes().to_vec()));
            assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
        }
    }
}

#[test]
fn a_claim_freshens_the_file_so_that_it_is_no_orphan() {
    let seat = Seat::new();
    let path = seat.deliver("cohort", FILE);
    let long_ago = std::time::UNIX_EPOCH;
    fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    seat.claim().unwrap();
    let modified = fs::metadata(seat.folder("cohort").join(format!("{FILE}.dispatched")))
        .unwrap()
        .modified()
        .unwrap();
    assert!(modified > long_ago);
}

#[test]
fn a_block_on_a_new_item_is_left_over_and_replaced() {
    let forged = format!("claimed_by: \"session\"\nreplied_at: \"{}\"\n", iso(at(0.0)));
    // The second and third are how the claim's own block begins.
    for left_over in [&*forged, "claimed_by: \"session\"\n", "claimed_by: \"ses"] {
        let seat = Seat::new();
        let item = format!("{ITEM}{left_over}");
        seat.write("cohort", FILE, item.as_bytes());
        seat.claim().unwrap();
        let claim = format!("claimed_by: \"session\"\nclaimed_at: \"{}\"\n", iso(at(0.0)));
        assert_eq!(
            String::from_utf8_lossy(&seat.read(&format!("{FILE}.dispatched"))),
            format!("{ITEM}{claim}"),
            "a sender can forge no reply"
        );
        seat.sweep(minutes(21.0));
        assert_eq!(seat.read(FILE), ITEM.as_bytes());
    }
}

#[test]
fn a_dry_run_answers_the_same_and_changes_nothing() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    seat.claim().unwrap();
    let before = seat.read(&format!("{FILE}.dispatched"));
    let options = SweepOptions::at(minutes(21.0));
    let dry = seat.inbox().sweep(&SweepOptions { dry_run: true, ..options.clone() });
    assert_eq!(seat.read(&format!("{FILE}.dispatched")), before);
    assert_eq!(seat.inbox().sweep(&options), dry);
}

#[test]
fn a_dry_run_says_too_what_would_fail_or_be_skipped() {
    let seat = Seat::new();
    let stale = format!("{ITEM}claimed_by: \"session\"\nclaimed_at: \"{}\"\n", iso(at(0.0)));
    let due = format!("{ITEM}deferred_until: \"{}\"\n", iso(at(0.0)));
    seat.write("cohort", "taken.yaml.dispatched", stale.as_bytes());
    seat.deliver("cohort", "taken.yaml");
    seat.write("cohort", "twice.yaml.dispatched", stale.as_bytes());
    seat.write("cohort", "twice.yaml.deferred", due.as_bytes());
    let held = seat.write("cohort", "held.yaml.dispatched", stale.as_bytes());
    let holder = fs::File::open(held).unwrap();
    holder.lock().unwrap();
    let options = SweepOptions::at(minutes(21.0));
    let before = seat.ls();
    let dry = seat.inbox().sweep(&SweepOptions { dry_run: true, ..options.clone() });
    assert_eq!(seat.ls(), before);
    let words: Vec<_> = dry
        .failed
        .iter()
        .map(|failed| (failed.file.as_deref(), failed.refusal.error.as_str()))
        .collect();
    assert_eq!(
        words,
        [
            (Some("held.yaml.dispatched"), "busy"),
            (Some("taken.yaml.dispatched"), "conflict"),
            (Some("twice.yaml.deferred"), "conflict")
        ]
    );
    assert_eq!(dry.reopened.len(), 1);
    assert_eq!(seat.inbox().sweep(&options), dry);
}

#[test]
fn a_claim_by_nobody_is_not_renewed() {
    let seat = Seat::new();
    for by in ["", "~", "null"] {
        let bytes = format!("{ITEM}claimed_by: {by}\nclaimed_at: \"{}\"\n", iso(at(0.0)));
        seat.write("cohort", &format!("{FILE}.dispatched"), bytes.as_bytes());
        let renewed = seat.inbox().renew(&service(), &Item::id("m1"), at(1.0));
        assert_eq!(word(renewed), "not-in-flight", "{by}");
        assert_eq!(seat.read(&format!("{FILE}.dispatched")), bytes.as_bytes());
    }
}

#[test]
fn what_is_no_item_is_not_touched_and_not_counted() {
    let seat = Seat::new();
    let folder = seat.folder("cohort");
    let name = format!("{FILE}.dispatched");
    fs::create_dir(folder.join(format!("dir-{name}"))).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.join(format!("link-{name}"))).unwrap();
    let made =
        std::process::Command::new("mkfifo").arg(folder.join(format!("fifo-{name}"))).status();
    assert!(made.unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("s.yaml.dispatched")).unwrap();
    let swept = seat.inbox().sweep(&all_live(minutes(1e6)));
    assert_eq!(swept, Swept::default());
    assert_eq!(seat.ls().len(), 4);
}

#[test]
fn a_hard_link_is_no_item() {
    let seat = Seat::new();
    let path = seat.deliver("cohort", FILE);
    fs::hard_link(&path, seat.folder("cohort").join("second-m1-name.txt")).unwrap();
    assert_eq!(word(seat.claim()), "not-claimable");
    assert_eq!(seat.read(FILE), ITEM.as_bytes());
}

#[test]
fn a_held_item_is_refused_skipped_or_waited_for_briefly() {
    let seat = Seat::new();
    let path = seat.deliver("cohort", FILE);
    let holder = fs::File::open(&path).unwrap();
    holder.lock().unwrap();
    assert_eq!(word(seat.claim()), "busy");
    drop(holder);
    seat.claim().unwrap();
    let holder = fs::File::open(seat.folder("cohort").join(format!("{FILE}.dispatched"))).unwrap();
    holder.lock().unwrap();
    assert_eq!(word(seat.reply()), "busy");
    assert_eq!(
        seat.inbox().sweep(&all_live(minutes(20.0))),
        Swept { scanned: 1, ..Swept::default() }
    );
    let swept = seat.inbox().sweep(&all_live(minutes(21.0)));
    assert_eq!(swept.reopened, []);
    assert_eq!(swept.failed[0].refusal.error, Refused::Busy, "due, and held by another");
    drop(holder);
    seat.reply().unwrap();
}

#[test]
fn a_refusal_says_its_word_and_why() {
    let seat = Seat::new();
    let refusal = seat.claim().unwrap_err().to_string();
    let why = format!("not-claimable: no item is \"m1\" in {}", seat.folder("cohort").display());
    assert_eq!(refusal, why);
}

#[test]
fn an_answer_waits_for_a_holder_who_lets_go_soon() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    seat.claim().unwrap();
    // A machine at its limit may be late to let go.
    let answered = (0..20).any(|_| {
        let path = seat.folder("cohort").join(format!("{FILE}.dispatched"));
        let holder = fs::File::open(path).unwrap();
        holder.lock().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(10));
                drop(holder);
            });
            seat.reply().is_ok()
        })
    });
    assert!(answered);
}

#[test]
fn an_item_of_up_to_sixteen_mebibytes_can_be_claimed() {
    for (length, answer) in [(MAX_ITEM, "ok"), (MAX_ITEM + 1, "unstampable")] {
        let seat = Seat::new();
        let item = format!("id: m1\n# {}\n", "x".repeat(length - 10));
        assert_eq!(item.len(), length);
        seat.write("cohort", FILE, item.as_bytes());
        assert_eq!(word(seat.claim()), answer);
    }
}

#[test]
fn a_listing_shows_every_item_with_its_markers() {
    let seat = Seat::new();
    seat.deliver("cohort", FILE);
    seat.deliver("slack", "a.yaml.processed");
    seat.deliver("cohort", ".hidden.yaml");
    seat.claim().unwrap();
    let list = |service: Option<&str>, states: &[State]| {
        let listed = seat.inbox().list(&ListOptions {
            service: service.map(|name| name.parse().unwrap()),
            states: (!states.is_empty()).then(|| states.to_vec()),
            ..ListOptions::default()
        });
        assert_eq!(listed.failed, []);
        listed.items
    };
    let items = list(None, &[]);
    let rows: Vec<_> = items
        .iter()
        .map(|item| {
            (
                item.found.service.as_str(),
                item.found.id.as_str(),
                item.found.state,
                item.markers.claimed_by.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [("cohort", "m1", State::Claimed, Some("session")), ("slack", "a", State::Processed, None)]
    );
    assert_eq!(list(Some("slack"), &[]).len(), 1);
    assert_eq!(list(None, &[State::Processed, State::New]).len(), 1);
    assert_eq!(list(Some("slack"), &[State::New]), []);
    assert_eq!(list(Some("none"), &[]), []);
    assert_eq!(Inbox::at("/nowhere/at/all").list(&ListOptions::default()), Listed::default());
}

#[test]
fn many_items_are_read_in_parallel_and_answered_in_order() {
    let seat = Seat::new();
    let block = format!("{ITEM}claimed_by: \"session\"\nclaimed_at: \"{}\"\n", iso(at(0.0)));
    for number in 0..2000 {
        let age = if number % 7 == 0 {
            block.clone()
        } else {
            block.replace(&iso(at(0.0)), &iso(minutes(15.0)))
        };
        seat.write("cohort", &format!("m{number:04}.yaml.dispatched"), age.as_bytes());
    }
    let swept = seat.inbox().sweep(&SweepOptions::at(minutes(21.0)));
    let ids: Vec<_> = swept.reopened.iter().map(|item| item.id.clone()).collect();
    let expected: Vec<_> = (0..2000).step_by(7).map(|number| format!("m{number:04}")).collect();
    assert_eq!((swept.scanned, ids), (2000, expected));
}

#[test]
fn a_large_item_is_read_from_its_end() {
    let seat = Seat::new();
    let path = seat.folder("cohort").join(format!("{FILE}.dispatched"));
    let file = fs::File::create(&path).unwrap();
    file.set_len(1 << 30).unwrap();
    std::os::unix::fs::FileExt::write_all_at(
        &file,
        format!("\nclaimed_by: \"session\"\nclaimed_at: \"{}\"\n", iso(at(0.0))).as_bytes(),
        (1 << 30) - 1,
    )
    .unwrap();
    assert_eq!(seat.sweep(minutes(21.0)), [Reason::ClaimStale]);
    assert_eq!(fs::metadata(seat.folder("cohort").join(FILE)).unwrap().len(), 1 << 30);
    assert_eq!(word(seat.claim()), "unstampable");
}

#[test]
fn a_long_reason_is_read_back_and_one_too_long_is_refused() {
    for (length, answer) in [(100_000, "ok"), (1 << 20, "invalid-argument")] {
        let seat = Seat::new();
        seat.deliver("cohort", FILE);
        let reason = "x".repeat(length);
        let deferral = Deferral { now: at(0.0), until: minutes(1.0), reason: Some(reason.clone()) };
        assert_eq!(word(seat.inbox().defer(&service(), &Item::id("m1"), &deferral)), answer);
        if answer == "ok" {
            assert_eq!(seat.markers(&format!("{FILE}.deferred")).deferred_reason, Some(reason));
            assert_eq!(seat.sweep(minutes(1.0)), [Reason::DeferralDue]);
        }
        assert_eq!(seat.read(FILE), ITEM.as_bytes());
    }
}

#[test]
fn of_an_items_own_marker_keys_only_those_of_every_claim_keep_it_from_being_claimed() {
    for (key, problem) in [
        ("claimed_by", Some(Refused::Unstampable)),
        ("claimed_at", Some(Refused::Unstampable)),
        ("claim_token", None),
        ("deferred_until", None),
        ("deferred_reason", None),
        ("failed_at", None),
        ("failed_reason", None),
        ("replied_at", None),
    ] {
        let seat = Seat::new();
        let text = format!("{key}: mine\nid: m1\n");
        fs::write(seat.folder("cohort").join(FILE), text).unwrap();
        let listed = seat.inbox().list(&ListOptions::default()).items;
        let said = listed[0].problem.as_ref().map(|problem| problem.error);
        assert_eq!(said, problem, "{key}");
        assert_eq!(seat.claim().is_err(), problem.is_some(), "{key}");
    }
}
