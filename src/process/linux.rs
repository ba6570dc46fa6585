//! `/proc` (proc(5)).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

use super::{Seen, Words, texts};

pub(super) fn look(pid: u32) -> Option<Seen> {
    parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads a line of `/proc/PID/stat`, whose second field may hold blanks and parentheses.
fn parse(stat: &[u8]) -> Option<Seen> {
    let stat = String::from_utf8_lossy(stat);
    let (before, after) = stat.rsplit_once(')')?;
    let (pid, command) = before.split_once('(')?;
    // What comes after the command is the third field.
    let mut fields = after.split_ascii_whitespace();
    let state = fields.next()?;
    let mut number = |skipped| fields.nth(skipped)?.parse::<u64>().ok();
    let [parent, group, session] = [number(0)?, number(0)?, number(0)?].map(u32::try_from);
    let threads = number(20 - 7)?;
    // Ticks since the boot.
    let started = number(22 - 21)?;
    // A process whose first thread has ended lives on in the others.
    if matches!(state, "Z" | "X" | "x") && threads <= 1 {
        return None;
    }
    Some(Seen {
        pid: pid.trim_ascii_end().parse().ok()?,
        parent: parent.ok()?,
        group: group.ok()?,
        session: session.ok()?,
        // A debugger's stop ("t") is another thing: the debugger ends it.
        suspended: state == "T",
        started,
        command: command.to_owned(),
    })
}

pub(super) fn all() -> Vec<Seen> {
    let user = rustix::process::geteuid().as_raw();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse::<u32>().ok()?;
        (entry.metadata().ok()?.uid() == user).then_some(pid)
    });
    pids.filter_map(look).collect()
}

pub(super) fn words(pid: u32) -> Words {
    let read = |file| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    Words { args: texts(&read("cmdline")).collect(), env: texts(&read("environ")).collect() }
}

/// The kernel's own name for this boot.
pub(super) fn boot() -> String {
    static BOOT: OnceLock<String> = OnceLock::new();
    BOOT.get_or_init(|| {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        id.trim_ascii().to_owned()
    })
    .clone()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_command_may_hold_what_parts_the_fields() {
        let rest = "S 1 4 5 0 -1 1077936192 121 0 0 0 0 0 0 0 20 0 1 0 1028553 9 9";
        let seen = parse(format!("4 (a) (b 7) {rest}\n").as_bytes()).unwrap();
        assert_eq!((seen.command.as_str(), seen.started), ("a) (b 7", 1_028_553));
        assert_eq!((seen.pid, seen.parent, seen.group, seen.session), (4, 1, 4, 5));
        assert!(!seen.suspended);
        assert!(
            parse(format!("4 (a) {}", rest.replacen('S', "T", 1)).as_bytes()).unwrap().suspended
        );
        assert_eq!(parse(format!("4 (a) {}", rest.replacen('S', "Z", 1)).as_bytes()), None);
        let others = rest.replacen('S', "Z", 1).replacen("20 0 1 0", "20 0 2 0", 1);
        assert!(parse(format!("4 (a) {others}").as_bytes()).is_some(), "its other threads live");
        assert_eq!(parse(b"4 (a) S 1"), None);
        assert_eq!(parse(b""), None);
        assert_eq!(parse(format!("4 (\u{e9}) {rest}").as_bytes()).unwrap().command, "\u{e9}");
    }
}
