//! The paths of a session's commands, looked at before anything is started: a multiplexer exits with
//! 0 for most that is wrong with them.

use std::fs::metadata;
use std::io;
use std::path::Path;

use rustix::fs::{Access, access};

use super::MuxCommandError;
use crate::launch::MuxKind;
use crate::tmux::TmuxCwdRejectReason;

/// The longest path of a socket, in bytes. Over it screen exits with 1 and says nothing.
pub(super) const SOCKET_PATH_LIMIT: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

fn errno_of(error: &io::Error) -> Option<i32> {
    error.raw_os_error()
}

/// Passes a folder that this user may enter.
pub(super) fn check_cwd(cwd: &str) -> Result<(), MuxCommandError> {
    let refuse = |reason, errno| {
        let cwd = cwd.to_owned();
        Err(MuxCommandError::Cwd { reason, cwd, errno })
    };
    if !cwd.starts_with('/') {
        return refuse(TmuxCwdRejectReason::NotAbsolute, None);
    }
    let errno = match metadata(cwd) {
        Ok(found) if !found.is_dir() => return refuse(TmuxCwdRejectReason::NotDirectory, None),
        Ok(_) => match access(cwd, Access::EXEC_OK) {
            Ok(()) => return Ok(()),
            Err(errno) => errno.raw_os_error(),
        },
        Err(error) => {
            let errno = errno_of(&error);
            match (error.kind(), errno) {
                (io::ErrorKind::NotADirectory, _) => {
                    return refuse(TmuxCwdRejectReason::NotDirectory, errno);
                }
                (io::ErrorKind::NotFound, _) | (_, None) => {
                    return refuse(TmuxCwdRejectReason::Missing, errno);
                }
                (_, Some(errno)) => errno,
            }
        }
    };
    let cwd = cwd.to_owned();
    Err(MuxCommandError::CwdInaccessible { cwd, errno })
}

fn invalid(
    what: &'static str,
    path: &str,
    expected: &'static str,
    errno: Option<i32>,
) -> MuxCommandError {
    MuxCommandError::PathInvalid { what, path: path.to_owned(), expected, errno }
}

/// Passes the name of a server, or an absolute path that a socket can have.
pub(super) fn check_socket(kind: MuxKind, socket: &str) -> Result<(), MuxCommandError> {
    let refuse = |expected| Err(invalid("socket", socket, expected, None));
    let is_name = !matches!(socket, "" | "." | "..") && !socket.contains('/');
    match kind {
        MuxKind::Screen if !socket.starts_with('/') => {
            refuse("the absolute path of screen's folder")
        }
        MuxKind::Tmux if !socket.starts_with('/') && !is_name => {
            refuse("a name or an absolute path")
        }
        // tmux cuts a longer one off, or fails without a server.
        MuxKind::Tmux if socket.len() > SOCKET_PATH_LIMIT => {
            refuse("no longer than the path of a socket")
        }
        _ => Ok(()),
    }
}

/// Passes the absolute path of a file that can be read: tmux starts without one that is missing.
pub(super) fn check_config(config: &str) -> Result<(), MuxCommandError> {
    let refuse = |expected, errno| Err(invalid("config", config, expected, errno));
    if !config.starts_with('/') {
        return refuse("an absolute path", None);
    }
    match metadata(config) {
        Err(error) => refuse("a file that is there", errno_of(&error)),
        Ok(found) if found.is_dir() => refuse("a file and no folder", None),
        Ok(_) => match access(config, Access::READ_OK) {
            Ok(()) => Ok(()),
            Err(errno) => refuse("a file that may be read", Some(errno.raw_os_error())),
        },
    }
}

/// Passes an absolute path in a folder that is there, of a regular file or of none yet: what the
/// shell cannot write it does not record, and nobody is told.
pub(crate) fn check_own_file(what: &'static str, file: &str) -> Result<(), MuxCommandError> {
    let refuse = |expected, errno| Err(invalid(what, file, expected, errno));
    if !file.starts_with('/') {
        return refuse("an absolute path", None);
    }
    let folder = match Path::new(file).parent() {
        Some(folder) if !file.ends_with('/') => folder,
        _ => return refuse("a file and no folder", None),
    };
    match metadata(folder) {
        Err(error) => return refuse("in a folder that is there", errno_of(&error)),
        Ok(found) if !found.is_dir() => return refuse("in a folder", None),
        Ok(_) => {}
    }
    match metadata(file) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => refuse("a regular file, or none yet", None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => refuse("a file that can be looked at", errno_of(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn said(result: Result<(), MuxCommandError>) -> (&'static str, Option<&'static str>) {
        result.map_or_else(|error| (error.code(), error.errno()), |()| ("none", None))
    }

    #[test]
    fn a_folder_is_refused_by_what_the_system_says_of_it() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
        fs::create_dir(at("C#;")).unwrap();
        fs::write(at("file"), "").unwrap();
        symlink("loop", at("loop")).unwrap();
        for (cwd, code, errno) in [
            (at("C#;"), "none", None),
            ("here".to_owned(), "cwd-not-absolute", None),
            (at("gone"), "cwd-missing", Some("ENOENT")),
            (at("file"), "cwd-not-directory", None),
            (at("file/x"), "cwd-not-directory", Some("ENOTDIR")),
            (at("loop"), "cwd-inaccessible", Some("ELOOP")),
            (at(&"n".repeat(300)), "cwd-inaccessible", Some("ENAMETOOLONG")),
        ] {
            assert_eq!(said(check_cwd(&cwd)), (code, errno), "{cwd}");
        }
        let text = check_cwd(&at("loop")).unwrap_err().to_string();
        // In the words of the C library.
        let said = format!(
            "cannot be entered (ELOOP: {})",
            crate::errno::describe(rustix::io::Errno::LOOP)
        );
        assert!(text.contains(&said), "{text}");
    }

    #[test]
    fn a_configuration_has_to_be_there() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
        fs::write(at("conf"), "").unwrap();
        assert_eq!(said(check_config(&at("conf"))), ("none", None));
        assert_eq!(said(check_config("/dev/null")), ("none", None));
        assert_eq!(said(check_config("tmux.conf")), ("path-invalid", None));
        assert_eq!(said(check_config(&at("gone"))), ("path-invalid", Some("ENOENT")));
        assert_eq!(said(check_config(&at(""))), ("path-invalid", None));
    }

    #[test]
    fn an_exit_code_has_to_have_a_place() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
        fs::write(at("old"), "7\n").unwrap();
        symlink("old", at("link")).unwrap();
        for good in [at("old"), at("new"), at("link"), "/last-exit".to_owned()] {
            assert_eq!(said(check_own_file("exitFile", &good)), ("none", None), "{good}");
        }
        for (bad, errno) in [
            ("last-exit".to_owned(), None),
            (at("gone/exit"), Some("ENOENT")),
            (at("old/exit"), None),
            (at("new/"), None),
            (at("."), None),
            ("/dev/null".to_owned(), None),
            ("/".to_owned(), None),
        ] {
            assert_eq!(said(check_own_file("exitFile", &bad)), ("path-invalid", errno), "{bad}");
        }
    }

    #[test]
    fn a_socket_is_a_name_or_an_absolute_path_of_a_possible_length() {
        let path = |length: usize| format!("/{}", "s".repeat(length - 1));
        for (kind, socket, code) in [
            (MuxKind::Tmux, "seat".to_owned(), "none"),
            (MuxKind::Tmux, path(SOCKET_PATH_LIMIT), "none"),
            (MuxKind::Tmux, path(SOCKET_PATH_LIMIT + 1), "path-invalid"),
            (MuxKind::Tmux, "./s".to_owned(), "path-invalid"),
            (MuxKind::Tmux, String::new(), "path-invalid"),
            (MuxKind::Screen, "seat".to_owned(), "path-invalid"),
            (MuxKind::Screen, path(200), "none"),
        ] {
            assert_eq!(said(check_socket(kind, &socket)).0, code, "{socket}");
        }
    }
}
