//! What a folder is to tmux, which exits with 0 for one that is not there.

use crate::words::words;

words! {
    /// Why a folder cannot be a window's start.
    pub enum TmuxCwdRejectReason {
        /// It would be taken from wherever tmux runs.
        NotAbsolute = "cwd-not-absolute",
        /// It holds a `#`: tmux takes the value for a format, which leads elsewhere or runs a
        /// command.
        FormatToken = "cwd-format-token",
        /// There is nothing there: tmux would start in the home folder and exit with 0.
        Missing = "cwd-missing",
        /// It is no folder; the same happens.
        NotDirectory = "cwd-not-directory",
    }
}

/// What is wrong with a start folder, if anything is. It is taken as it is: not trimmed, and a
/// link to a folder is one.
///
/// ```
/// use seatkit::tmux::{TmuxCwdRejectReason, classify_tmux_cwd};
///
/// assert_eq!(classify_tmux_cwd("/"), None);
/// assert_eq!(classify_tmux_cwd("/x/C#Projects"), Some(TmuxCwdRejectReason::FormatToken));
/// ```
#[must_use]
pub fn classify_tmux_cwd(cwd: &str) -> Option<TmuxCwdRejectReason> {
    if !cwd.starts_with('/') {
        return Some(TmuxCwdRejectReason::NotAbsolute);
    }
    if cwd.contains('#') {
        return Some(TmuxCwdRejectReason::FormatToken);
    }
    match std::fs::metadata(cwd) {
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some(TmuxCwdRejectReason::NotDirectory),
        Err(_) => Some(TmuxCwdRejectReason::Missing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_folder_is_classified_as_it_is() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
        let reason = |cwd: &str| classify_tmux_cwd(cwd).map(TmuxCwdRejectReason::as_str);
        fs::create_dir(at("with space;")).unwrap();
        fs::write(at("file"), "").unwrap();
        std::os::unix::fs::symlink(at("with space;"), at("link")).unwrap();

        assert_eq!(reason(&at("with space;")), None);
        assert_eq!(reason(&at("link")), None);
        assert_eq!(reason(&at("nope")), Some("cwd-missing"));
        assert_eq!(reason(&at("file")), Some("cwd-not-directory"));
        assert_eq!(reason(&at("nope#")), Some("cwd-format-token"));
        assert_eq!(reason("/\0"), Some("cwd-missing"));
        for relative in ["", ".", "a#b", "~", " /"] {
            assert_eq!(reason(relative), Some("cwd-not-absolute"), "{relative:?}");
        }
    }
}
