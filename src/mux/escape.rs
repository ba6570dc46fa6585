//! What has to be done to a string before tmux may see it, and how much of it tmux takes.
//!
//! tmux parses its own argv: it splits commands at an element that ends in `;`, and expands
//! formats in some values. None of this concerns screen, which passes its arguments on untouched.

use std::borrow::Cow;
use std::ffi::OsStr;

/// The largest [`packed_size`] that tmux takes, in bytes.
///
/// The client sends its whole argv in one message to the server, and the server's message size
/// (16,384) leaves this much after two headers. The number is the same in tmux 2.6 to 3.8. One
/// byte more and the client fails with status 1, having created nothing.
pub const TMUX_MESSAGE_LIMIT: usize = 16_364;

/// Escapes one argument so that tmux takes it as it is: a final `;` becomes `\;`.
///
/// tmux ends a command at an argument that ends in `;`, even where the argument came alone in an
/// argv element, so that `be brief;` loses its last byte and starts a second command. A `;`
/// elsewhere is text, and so is a backslash: `a\;` has to be given as `a\\;` to arrive.
///
/// ```
/// use seatkit::mux::escape_tmux_arg;
///
/// assert_eq!(escape_tmux_arg("be brief;"), r"be brief\;");
/// assert_eq!(escape_tmux_arg("a;b"), "a;b");
/// ```
#[must_use]
pub fn escape_tmux_arg(arg: &str) -> Cow<'_, str> {
    match arg.strip_suffix(';') {
        Some(head) => Cow::Owned(format!("{head}\\;")),
        None => Cow::Borrowed(arg),
    }
}

/// Escapes text where tmux expects a format, such as the value of `-c` and `-s`: each run of `#`
/// is doubled, unless a `[` follows it.
///
/// In a format `#{...}` is expanded and `#(...)` *runs a command*, so that a folder called
/// `C#Projects` leads elsewhere and one called `#(...)` executes. `##` is a literal `#`, but a run
/// before `[` is kept as it is, because tmux leaves style markers to whoever draws them. Up to
/// tmux 3.1c a doubled run before `[` is halved too; there a text with `##[` is not kept.
///
/// This escapes the format alone: the value is still an argument and goes through
/// [`escape_tmux_arg`] after it.
///
/// ```
/// use seatkit::mux::escape_tmux_format;
///
/// assert_eq!(escape_tmux_format("/x/C#Projects"), "/x/C##Projects");
/// assert_eq!(escape_tmux_format("/x/#(touch p)"), "/x/##(touch p)");
/// assert_eq!(escape_tmux_format("/x/a#[b"), "/x/a#[b");
/// ```
#[must_use]
pub fn escape_tmux_format(text: &str) -> Cow<'_, str> {
    if !text.contains('#') {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 1);
    let mut rest = text;
    while let Some(start) = rest.find('#') {
        let (before, marked) = rest.split_at(start);
        let after = marked.trim_start_matches('#');
        let (run, _) = marked.split_at(marked.len() - after.len());
        escaped.push_str(before);
        escaped.push_str(run);
        if !after.starts_with('[') {
            escaped.push_str(run);
        }
        rest = after;
    }
    escaped.push_str(rest);
    Cow::Owned(escaped)
}

/// The bytes that an argv takes in tmux's message: each argument and a NUL after it.
///
/// Count everything after tmux's own flags (`-S`, `-L`, `-f`, `-u`), as it is passed, that is
/// escaped. More than [`TMUX_MESSAGE_LIMIT`] is refused by tmux.
///
/// ```
/// use seatkit::mux::packed_size;
///
/// assert_eq!(packed_size(&["has-session", "-t", "=a:"]), 12 + 3 + 4);
/// assert_eq!(packed_size(&["é"]), 3);
/// ```
#[must_use]
pub fn packed_size<S: AsRef<OsStr>>(args: &[S]) -> usize {
    args.iter().map(|arg| arg.as_ref().len() + 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_final_semicolon_is_escaped() {
        for (given, escaped) in [
            ("", ""),
            (";", r"\;"),
            (";;", r";\;"),
            ("a; b", "a; b"),
            (r"a\;", r"a\\;"),
            ("; ", "; "),
            ("é;", r"é\;"),
        ] {
            assert_eq!(escape_tmux_arg(given), escaped, "{given:?}");
        }
    }

    #[test]
    fn a_run_of_hashes_is_doubled_unless_a_bracket_follows() {
        for (given, escaped) in [
            ("", ""),
            ("abc", "abc"),
            ("#", "##"),
            ("a###b", "a######b"),
            ("#[", "#["),
            ("##[x", "##[x"),
            ("#{pane_id}#[", "##{pane_id}#["),
            ("[#", "[##"),
            ("é#é", "é##é"),
        ] {
            assert_eq!(escape_tmux_format(given), escaped, "{given:?}");
        }
    }

    #[test]
    fn what_needs_no_escape_is_not_copied() {
        assert!(matches!(escape_tmux_arg("a;b"), Cow::Borrowed(_)));
        assert!(matches!(escape_tmux_format("a[b"), Cow::Borrowed(_)));
    }

    #[test]
    fn the_packed_size_counts_bytes_and_a_nul_each() {
        assert_eq!(packed_size::<&str>(&[]), 0);
        assert_eq!(packed_size(&[""]), 1);
        assert_eq!(packed_size(&["日本", "a"]), 7 + 2);
    }
}
