//! The floor of each job: its system calls and nothing else. No name is taken apart, no block is read,
//! nothing is decided, and no time is spent on what may go wrong.

use std::ffi::CStr;
use std::mem::{MaybeUninit, take};
use std::sync::{Mutex, mpsc};
use std::thread;

use rustix::fd::OwnedFd;
use rustix::fs::{
    CWD, FlockOperation, Mode, OFlags, RenameFlags, Timespec, Timestamps, UTIME_NOW, flock,
    ftruncate, futimens, openat, renameat_with,
};

const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const FILE: OFlags =
    OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// How many names go to a reader at once.
const BATCH: usize = 32;

fn open(at: impl rustix::fd::AsFd, name: impl rustix::path::Arg, flags: OFlags) -> OwnedFd {
    openat(at, name, flags, Mode::empty()).unwrap()
}

fn open_inbox(root: &str) -> OwnedFd {
    let root = open(CWD, root, FOLDER);
    let state = open(&root, "state", FOLDER);
    open(&state, "inbox", FOLDER)
}

#[cfg(target_os = "linux")]
fn names(dir: &OwnedFd, mut visit: impl FnMut(&CStr)) {
    let mut buffer = vec![MaybeUninit::uninit(); 64 * 1024];
    let mut entries = rustix::fs::RawDir::new(dir, &mut buffer);
    while let Some(entry) = entries.next() {
        visit(entry.unwrap().file_name());
    }
}

#[cfg(not(target_os = "linux"))]
fn names(dir: &OwnedFd, mut visit: impl FnMut(&CStr)) {
    for entry in rustix::fs::Dir::read_from(dir).unwrap() {
        visit(entry.unwrap().file_name());
    }
}

fn services(root: &str) -> Vec<OwnedFd> {
    let inbox = open_inbox(root);
    let mut services = Vec::new();
    names(&inbox, |name| {
        if !name.to_bytes().starts_with(b".") {
            services.push(open(&inbox, name, FOLDER));
        }
    });
    services
}

/// Names, each with the NUL after it, and where each ends.
type Batch = (Vec<u8>, Vec<usize>);

fn read_files(dir: &OwnedFd, (text, ends): &Batch) {
    let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
    let mut start = 0;
    for end in ends {
        let name = CStr::from_bytes_with_nul(&text[start..*end]).unwrap();
        let file = open(dir, name, FILE | OFlags::RDONLY);
        rustix::io::read(&file, &mut buffer).unwrap();
        start = *end;
    }
}

/// A look at everything in flight below `root`: one pass over the names, each file opened, read and
/// closed, by `readers` threads of which one scans first.
pub(crate) fn sweep(root: &str, readers: usize) {
    for service in services(root) {
        let (sender, receiver) = mpsc::channel::<Batch>();
        let receiver = Mutex::new(receiver);
        let help = || {
            loop {
                let batch = receiver.lock().unwrap().recv();
                let Ok(batch) = batch else { break };
                read_files(&service, &batch);
            }
        };
        thread::scope(|scope| {
            for _ in 1..readers {
                scope.spawn(help);
            }
            let mut batch = Batch::default();
            names(&service, |name| {
                let bytes = name.to_bytes();
                if bytes.ends_with(b".dispatched") || bytes.ends_with(b".deferred") {
                    batch.0.extend_from_slice(name.to_bytes_with_nul());
                    batch.1.push(batch.0.len());
                    if batch.1.len() == BATCH {
                        sender.send(take(&mut batch)).unwrap();
                    }
                }
            });
            drop(sender);
            read_files(&service, &batch);
            help();
        });
    }
}

/// A search: one pass over the names.
pub(crate) fn find(root: &str) -> usize {
    let mut count = 0;
    for service in services(root) {
        names(&service, |_| count += 1);
    }
    count
}

/// The block of a claim.
const BLOCK: &[u8] = b"claimed_by: \"session\"\nclaimed_at: \"2026-09-08T10:00:00.000Z\"\n";

/// A claim of `file`, the one item of the one service, and the sweep that gives it back.
pub(crate) fn claim_and_reopen(root: &str, service: &str, file: &str) {
    let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
    let claimed = format!("{file}.dispatched");
    let hold = |dir: &OwnedFd, name: &str| {
        let file = open(dir, name, FILE | OFlags::RDWR | OFlags::APPEND);
        flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        file
    };
    let rename = |dir: &OwnedFd, from: &str, to: &str| {
        renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE).unwrap();
    };

    let folder = open(open_inbox(root), service, FOLDER);
    names(&folder, |_| {});
    let item = hold(&folder, file);
    rustix::io::read(&item, &mut buffer).unwrap();
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now, last_modification: now };
    futimens(&item, &times).unwrap();
    rename(&folder, file, &claimed);
    rustix::io::write(&item, BLOCK).unwrap();
    drop((item, folder));

    for folder in services(root) {
        names(&folder, |_| {});
        let look = open(&folder, &*claimed, FILE | OFlags::RDONLY);
        rustix::io::read(&look, &mut buffer).unwrap();
        drop(look);
        let item = hold(&folder, &claimed);
        let (read, _) = rustix::io::read(&item, &mut buffer).unwrap();
        ftruncate(&item, (read.len() - BLOCK.len()) as u64).unwrap();
        rename(&folder, &claimed, file);
    }
}
