//! What has to hold before a window is opened, because tmux would not say that it does not: it
//! exits with 0 for a program that cannot start and for a folder that is not there.

use std::path::Path;

use rustix::fs::{Access, access};

use crate::text::is_white_space;
use crate::words::words;

words! {
    /// Why a program cannot be launched.
    pub enum LaunchRejectReason {
        /// No folder of `PATH` has it.
        Unresolved = "runtime-unresolved",
        /// Which program it is would depend on where the window opens.
        NotAbsolute = "runtime-not-absolute",
        /// tmux hands a command of one word to a shell, which splits it at white space.
        PathWhitespace = "runtime-path-whitespace",
        /// There is nothing there.
        Missing = "runtime-missing",
        /// It is a folder or a device.
        NotRegularFile = "runtime-not-regular-file",
        /// It may not be executed.
        NotExecutable = "runtime-not-executable",
    }
}

impl LaunchRejectReason {
    const fn says(self) -> &'static str {
        match self {
            Self::Unresolved => "is not on PATH",
            Self::NotAbsolute => "is not an absolute path",
            Self::PathWhitespace => "has white space in its path, where a shell would split it",
            Self::Missing => "does not exist",
            Self::NotRegularFile => "is not a regular file",
            Self::NotExecutable => "is not executable",
        }
    }
}

/// A program that must not be launched; no window was opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the runtime {runtime:?} {}", reason.says())]
pub struct LaunchPreconditionError {
    /// Why.
    pub reason: LaunchRejectReason,
    /// The program as it was asked for.
    pub runtime: String,
}

/// Passes a program that can be launched: an absolute path without white space, of a regular file
/// that this process may execute.
///
/// It has to be known before: `new-window` exits with 0 for a program that cannot start, prints a
/// handle, and the window is gone a moment later.
///
/// # Errors
///
/// [`LaunchPreconditionError`] with the first reason that applies, in the order of
/// [`LaunchRejectReason`].
///
/// ```
/// use seatkit::placement::{LaunchRejectReason, assert_launch_target};
///
/// assert!(assert_launch_target("/bin/sh").is_ok());
/// let refused = assert_launch_target("bin/sh").unwrap_err();
/// assert_eq!(refused.reason, LaunchRejectReason::NotAbsolute);
/// ```
pub fn assert_launch_target(runtime: &str) -> Result<(), LaunchPreconditionError> {
    if runtime.starts_with('/') && runtime.contains(is_white_space) {
        return Err(LaunchPreconditionError {
            reason: LaunchRejectReason::PathWhitespace,
            runtime: runtime.to_owned(),
        });
    }
    assert_program(runtime)
}

/// [`assert_launch_target`] for a program that no shell will see: a blank in its path does no harm.
pub(super) fn assert_program(runtime: &str) -> Result<(), LaunchPreconditionError> {
    let reason = if runtime.starts_with('/') {
        match std::fs::metadata(runtime) {
            Err(_) => LaunchRejectReason::Missing,
            Ok(found) if !found.is_file() => LaunchRejectReason::NotRegularFile,
            Ok(_) if access(runtime, Access::EXEC_OK).is_err() => LaunchRejectReason::NotExecutable,
            Ok(_) => return Ok(()),
        }
    } else {
        LaunchRejectReason::NotAbsolute
    };
    Err(LaunchPreconditionError { reason, runtime: runtime.to_owned() })
}

/// The absolute path of a program, as the absolute folders of `path` (the value of `PATH`) have it:
/// folder and `command` joined, and `.`, `..` and doubled `/` taken out by their text.
///
/// A file that may not be executed is passed over, as a shell does. The first that may be is the
/// answer, or the refusal where it cannot be launched otherwise: falling through to a later one
/// would launch another program than the caller's shell. Empty and relative entries do not count,
/// because what they find depends on where the caller stands.
///
/// # Errors
///
/// [`LaunchPreconditionError`], [`LaunchRejectReason::Unresolved`] where there is none.
///
/// ```
/// use seatkit::placement::resolve_runtime_on_path;
///
/// let sh = resolve_runtime_on_path("sh", Some("relative:/nope:/usr/..//bin"))?;
/// assert_eq!(sh, "/bin/sh");
/// # Ok::<(), seatkit::placement::LaunchPreconditionError>(())
/// ```
pub fn resolve_runtime_on_path(
    command: &str,
    path: Option<&str>,
) -> Result<String, LaunchPreconditionError> {
    let folders = path.unwrap_or_default().split(':');
    for folder in folders.filter(|folder| folder.starts_with('/')) {
        let candidate = join(folder, command);
        if Path::new(&candidate).is_file() && access(&candidate, Access::EXEC_OK).is_ok() {
            assert_launch_target(&candidate)?;
            return Ok(candidate);
        }
    }
    Err(LaunchPreconditionError {
        reason: LaunchRejectReason::Unresolved,
        runtime: command.to_owned(),
    })
}

/// Joins an absolute folder and what is below it, and normalises by the text alone.
fn join(folder: &str, below: &str) -> String {
    let joined = format!("{folder}/{below}");
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    // What asks for a folder goes on asking for one.
    let end = if below.ends_with('/') { "/" } else { "" };
    format!("/{}{end}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn program(folder: &Path, name: &str, mode: u32) -> String {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join(name);
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn refusal<T>(result: Result<T, LaunchPreconditionError>) -> &'static str {
        result.err().map_or("none", |error| error.reason.as_str())
    }

    #[test]
    fn what_cannot_be_launched_is_refused_by_name() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let good = program(folder, "good", 0o755);
        let spaced = program(&folder.join("a b"), "good", 0o755);
        assert_eq!(refusal(assert_launch_target(&good)), "none");
        for (runtime, reason) in [
            ("good", "runtime-not-absolute"),
            ("./good", "runtime-not-absolute"),
            ("", "runtime-not-absolute"),
            (&spaced, "runtime-path-whitespace"),
            (&format!("{good}\u{FEFF}"), "runtime-path-whitespace"),
            (&format!("{good}\n"), "runtime-path-whitespace"),
            (&format!("{good}-not"), "runtime-missing"),
            (folder.to_str().unwrap(), "runtime-not-regular-file"),
            (&program(folder, "plain", 0o644), "runtime-not-executable"),
        ] {
            assert_eq!(refusal(assert_launch_target(runtime)), reason, "{runtime:?}");
        }
    }

    #[test]
    fn the_first_executable_on_the_path_is_the_answer_or_the_refusal() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        let good = program(&at("good"), "run", 0o755);
        program(&at("plain"), "run", 0o644);
        program(&at("a b"), "run", 0o755);
        fs::create_dir_all(at("folder/run")).unwrap();
        let resolve = |entries: &[&str], command: &str| {
            let path = entries
                .iter()
                .map(|entry| match entry.strip_prefix('/') {
                    Some(name) => at(name).to_str().unwrap().to_owned(),
                    None => (*entry).to_owned(),
                })
                .collect::<Vec<_>>()
                .join(":");
            resolve_runtime_on_path(command, Some(&path))
        };
        for before in ["", ".", "good", "/nope", "/plain", "/folder"] {
            assert_eq!(resolve(&[before, "/good"], "run").unwrap(), good, "{before}");
        }
        assert_eq!(resolve(&["/good/"], "run").unwrap(), good);
        assert_eq!(refusal(resolve(&["/a b", "/good"], "run")), "runtime-path-whitespace");
        assert_eq!(refusal(resolve(&["/plain"], "run")), "runtime-unresolved");
        assert_eq!(refusal(resolve(&["good"], "run")), "runtime-unresolved");
        for folder in ["", ".", "..", "run/"] {
            assert_eq!(refusal(resolve(&["/good"], folder)), "runtime-unresolved", "{folder:?}");
        }
        assert_eq!(resolve(&["/folder"], "../good/run").unwrap(), good);
        assert_eq!(resolve(&["/"], "good/./run").unwrap(), good);
        assert_eq!(resolve(&["/folder/..//good/."], "run").unwrap(), good);
        assert_eq!(refusal(resolve_runtime_on_path("run", None)), "runtime-unresolved");
    }
}
