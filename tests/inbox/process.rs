//! Processes of a test: this very binary, run again to do one thing.

use std::process::{Child, Command, Stdio};

use rustix::io::IoSlice;

use super::step::Step;
use super::{delivery, finding, growth, hostile, next, races, storm};
#[cfg(target_os = "linux")]
use super::{memory, other_users, small_disks};

const TASK: &str = "SEATKIT_TEST_TASK";

/// A command that runs `task` in a process of its own. What it says is on its stderr.
pub(crate) fn command(task: &[&str]) -> Command {
    let [program, arguments @ ..] = command_line();
    let mut command = Command::new(program);
    command.args(arguments);
    prepared(command, task)
}

#[cfg(target_os = "linux")]
/// A command that runs `task` in a process of its own under another program, such as `strace`, whose last
/// arguments are a command line. What the task says is on the command's stderr.
pub(crate) fn command_under(program: &str, options: &[String], task: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(options).args(command_line());
    prepared(command, task)
}

fn command_line() -> [String; 6] {
    let this = std::env::current_exe().unwrap();
    [
        this.to_str().unwrap(),
        "--exact",
        "process::task",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]
    .map(str::to_owned)
}

fn prepared(mut command: Command, task: &[&str]) -> Command {
    command
        .env(TASK, task.join("\n"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Says one line with `writev`, which the inbox never calls: no fault meant for the inbox hits it.
pub(crate) fn answer(line: &str) {
    let line = format!("{line}\n");
    let said = rustix::io::writev(std::io::stderr(), &[IoSlice::new(line.as_bytes())]).unwrap();
    assert_eq!(said, line.len());
}

/// All that a process says until it ends, which it must do well.
pub(crate) fn lines_of(child: Child) -> Vec<String> {
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{}: {said}", output.status);
    said.lines().map(str::to_owned).collect()
}

/// Makes the calls that a process makes when it starts so often that no later one has the number of any of those:
/// `strace` counts for each thread by itself, and what is meant for this one would hit the one that started it.
#[cfg(target_os = "linux")]
fn count_past_the_start() {
    for _ in 0..100 {
        let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null").unwrap();
        rustix::fs::fstat(&null).unwrap();
        rustix::fs::statat(&null, "", rustix::fs::AtFlags::EMPTY_PATH).unwrap();
        rustix::fs::fcntl_getfl(&null).unwrap();
        rustix::fs::seek(&null, rustix::fs::SeekFrom::Start(0)).unwrap();
        rustix::io::pread(&null, &mut [0; 1], 0).unwrap();
        rustix::io::write(&null, b"x").unwrap();
    }
}

/// The other side of [`command`]: no test, but what a process of a test does.
#[test]
#[ignore = "a process of other tests"]
fn task() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let task: Vec<&str> = task.split('\n').collect();
    match task[..] {
        ["act", root, seed] => storm::act(root, seed.parse().unwrap()),
        ["claim-rounds", root, threads, rounds] => {
            races::claim_rounds(root, threads.parse().unwrap(), rounds.parse().unwrap());
        }
        ["deliver-rounds", root, who] => delivery::deliver_rounds(root, who.parse().unwrap()),
        ["deliver-all", root] => next::deliver_all(root),
        ["take-all", root] => next::take_all(root),
        ["flip", root] => finding::flip(root),
        ["rename-rounds", root, _, rounds] => races::rename_rounds(root, rounds.parse().unwrap()),
        #[cfg(target_os = "linux")]
        ["other-user", task, root, arguments] => other_users::act(task, root, arguments),
        #[cfg(target_os = "linux")]
        ["small-disk", task, place] => small_disks::on_small_disk(task, place),
        ["grow"] => growth::grow(),
        #[cfg(target_os = "linux")]
        ["list-all", root] => memory::list_all(root),
        #[cfg(target_os = "linux")]
        ["rename-all", root] => memory::rename_all(root),
        ["hostile", root] => hostile::meet(root),
        #[cfg(target_os = "linux")]
        ["step-apart", step, root] => {
            count_past_the_start();
            answer(&Step::from_name(step).unwrap().take(root).to_line());
        }
        ["step", step, root] => answer(&Step::from_name(step).unwrap().take(root).to_line()),
        _ => panic!("{task:?}"),
    }
}
