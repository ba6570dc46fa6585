//! The rows of `screen -ls`, of every version and locale.
//!
//! A row is a tab, `PID.NAME`, on Debian a tab and a date in the locale's own form, then a tab and
//! the state; date and state stand in parentheses. A name may hold anything but `/` and a newline,
//! tabs and parentheses included, so a row is read from the right. The exit status says nothing:
//! the screen of macOS exits with 1 from `-ls` while sessions are live.

use crate::launch::is_dead;

/// One row of `screen -ls`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenSession<'a> {
    /// The process id of the session's screen.
    pub pid: u32,
    /// The name that the session was started with.
    pub name: &'a str,
    /// The words of the last parentheses, such as `Detached`, `Multi, attached` or `Dead ???`.
    pub state: &'a str,
    /// Whether a screen still answers at the socket.
    pub live: bool,
}

/// Every session in the output of `screen -ls`, in its order.
///
/// Anything that is not a row (headings, `No Sockets found in ...`, messages about the folder's
/// mode) gives no session. State words are the same in every locale; `Dead ???`, `Remote or dead`
/// (what screen 5 says of a killed session) and `Removed` are not live.
///
/// ```
/// use seatkit::mux::parse_screen_sessions;
///
/// let out = "There is a screen on:\r\n\t848.maestro-olivia\t(11/30/26 20:43:58)\t(Detached)\r\n1 Socket in /run/screen/S-o.\r\n";
/// let [session] = parse_screen_sessions(out)[..] else { panic!() };
/// assert_eq!((session.pid, session.name), (848, "maestro-olivia"));
/// assert_eq!((session.state, session.live), ("Detached", true));
/// ```
#[must_use]
pub fn parse_screen_sessions(out: &str) -> Vec<ScreenSession<'_>> {
    out.lines().filter_map(parse_row).collect()
}

/// The arguments that stop exactly the session called `name`, or `None` where the listing does not
/// say which that is: no live session has the name, or several have.
///
/// `screen -S NAME -X quit` stops the first session whose name *starts* with `NAME`, on every
/// version, so `PID.NAME` is the only address that is safe; it takes a fresh `screen -ls` to know
/// it.
///
/// ```
/// use seatkit::mux::screen_stop_args;
///
/// let out = "\t773.alpha-old\t(Detached)\n\t801.alpha\t(Attached)\n";
/// assert_eq!(
///     screen_stop_args(out, "alpha"),
///     Some(["-S", "801.alpha", "-X", "quit"].map(String::from)),
/// );
/// assert_eq!(screen_stop_args(out, "alph"), None);
/// ```
#[must_use]
pub fn screen_stop_args(out: &str, name: &str) -> Option<[String; 4]> {
    let mut matching = parse_screen_sessions(out)
        .into_iter()
        .filter(|session| session.live && session.name == name);
    let session = matching.next()?;
    if matching.next().is_some() {
        return None;
    }
    let address = format!("{}.{name}", session.pid);
    Some(["-S", &address, "-X", "quit"].map(String::from))
}

fn parse_row(line: &str) -> Option<ScreenSession<'_>> {
    let line = line.trim_end_matches('\r').trim_start();
    let (digits, rest) = line.split_once('.')?;
    if digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let pid = digits.parse().ok()?;
    let split = if rest.contains('\t') { split_at_tab } else { split_at_space };
    let (rest, state) = split(rest)?;
    let name = match split(rest) {
        Some((name, date)) if is_date(date) => name,
        _ => rest,
    };
    Some(ScreenSession { pid, name, state, live: is_live(state) })
}

/// Takes the last column off a row as screen prints it: a tab and words in parentheses.
fn split_at_tab(row: &str) -> Option<(&str, &str)> {
    let (rest, column) = row.rsplit_once('\t')?;
    let words = column.strip_prefix('(')?.strip_suffix(')')?;
    Some((rest, words))
}

/// Takes the last column off a row whose tabs became blanks where it was pasted.
fn split_at_space(row: &str) -> Option<(&str, &str)> {
    let (rest, words) = row.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let name = rest.trim_end();
    (name.len() < rest.len()).then_some((name, words))
}

/// Whether a column is Debian's date. Its form is the locale's, but every date and time has the
/// digits of a day, an hour, a minute and a second, in whatever script.
fn is_date(column: &str) -> bool {
    column.chars().filter(|c| c.is_numeric()).count() >= 6
}

/// What the older question calls dead is dead here too.
fn is_live(state: &str) -> bool {
    !is_dead(&format!("({state})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(row: &str) -> (u32, &str, &str, bool) {
        let sessions = parse_screen_sessions(row);
        let [session] = sessions[..] else {
            panic!("{row:?} gave {sessions:?}");
        };
        (session.pid, session.name, session.state, session.live)
    }

    #[test]
    fn the_date_column_is_no_part_of_the_name_in_any_locale() {
        for date in [
            "11/30/26 20:43:58",
            "22.09.2025 08:31:45",
            "08/25/2017 10:50:37 AM",
            "2018年11月20日 10时40分51秒",
            "۱۴۰۴/۰۹/۰۹ ۲۰:۴۳:۵۸",
        ] {
            let row = format!("\t848.alpha\t({date})\t(Detached)\r");
            assert_eq!(one(&row), (848, "alpha", "Detached", true));
        }
    }

    #[test]
    fn a_name_keeps_blanks_tabs_parentheses_and_dots() {
        for name in [
            "a b",
            "a\tb",
            "x (Dead ???)",
            "x\t(Dead ???)",
            "foo (123456)",
            "v2.0",
            "-x",
            "9.9",
            "é日本",
            "",
            ")(",
        ] {
            let bare = format!("\t7.{name}\t(Attached)");
            let dated = format!("\t7.{name}\t(11/30/26 20:43:58)\t(Attached)");
            assert_eq!(one(&bare), (7, name, "Attached", true));
            assert_eq!(one(&dated), (7, name, "Attached", true));
        }
    }

    #[test]
    fn states_that_have_no_screen_behind_them_are_not_live() {
        for (state, live) in [
            ("Attached", true),
            ("Detached", true),
            ("Multi, attached", true),
            ("Multi, detached", true),
            ("Private", true),
            ("Unknown", true),
            ("Dead ???", false),
            ("Remote or dead", false),
            ("Removed", false),
        ] {
            assert_eq!(one(&format!("\t7.n\t({state})")), (7, "n", state, live));
        }
    }

    #[test]
    fn what_is_no_row_is_no_session() {
        for line in [
            "",
            "There are screens on:",
            "No Sockets found in /run/screen/S-root.",
            "1 Socket in /run/screen/S-root.",
            "Directory /run/screen must have mode 777.",
            "Remove dead screens with 'screen -wipe'.",
            "\t848.alpha",
            "\t848alpha\t(Detached)",
            "\tx.alpha\t(Detached)",
            "\t.alpha\t(Detached)",
            "\t007.alpha\t(Detached)",
            "\t99999999999.alpha\t(Detached)",
            "\t-1.alpha\t(Detached)",
            "b\t(Detached)",
        ] {
            assert_eq!(parse_screen_sessions(line), [], "{line:?}");
        }
    }

    #[test]
    fn a_pasted_row_with_blanks_for_tabs_still_reads() {
        assert_eq!(one("   773.a b   (Detached)  "), (773, "a b", "Detached", true));
        assert_eq!(
            one("  848.alpha (11/30/26 20:43:58) (Dead ???)"),
            (848, "alpha", "Dead ???", false),
        );
    }

    #[test]
    fn a_stop_is_addressed_by_pid_or_refused() {
        let out = "\t1.a\t(Detached)\n\t2.a-old\t(Detached)\n\t3.b\t(Dead ???)\n\
                   \t4.b\t(Detached)\n\t5.c\t(Detached)\n\t6.c\t(Attached)\n\t7.d\t(Removed)\n";
        let address = |name| screen_stop_args(out, name).map(|[_, address, ..]| address);
        assert_eq!(address("a").as_deref(), Some("1.a"));
        assert_eq!(address("b").as_deref(), Some("4.b"), "the dead one does not count");
        assert_eq!(address("c"), None, "two live sessions have the name");
        assert_eq!(address("d"), None, "nothing to stop");
        assert_eq!(address("a-o"), None);
        assert_eq!(address(""), None);
        assert_eq!(screen_stop_args("No Sockets found in /x.\n", "a"), None);
    }
}
