//! The names of system errors, as Node and the manual pages write them.

use rustix::io::Errno;

/// Names each constant of `Errno` by its manual page's spelling.
macro_rules! names {
    ($errno:expr, $unknown:expr, $($constant:ident $name:literal),* $(,)?) => {
        match $errno {
            $(Errno::$constant => $name,)*
            _ => $unknown,
        }
    };
}

/// The symbolic name of a system error; `UNKNOWN`, as in libuv, for one outside the list.
pub(crate) fn name(errno: Errno) -> &'static str {
    names!(
        errno, elsewhere(errno),
        TOOBIG "E2BIG", ACCESS "EACCES", AGAIN "EAGAIN", BADF "EBADF", BUSY "EBUSY", DEADLK "EDEADLK", DQUOT "EDQUOT",
        EXIST "EEXIST", FAULT "EFAULT", FBIG "EFBIG", HOSTDOWN "EHOSTDOWN", ILSEQ "EILSEQ", INTR "EINTR", INVAL "EINVAL", IO "EIO", ISDIR "EISDIR", LOOP "ELOOP",
        MFILE "EMFILE", MLINK "EMLINK", NAMETOOLONG "ENAMETOOLONG", NFILE "ENFILE", NODEV "ENODEV", NOENT "ENOENT",
        NOEXEC "ENOEXEC", NOLCK "ENOLCK", NOMEM "ENOMEM", NOSPC "ENOSPC", NOSYS "ENOSYS", NOTDIR "ENOTDIR",
        NOTEMPTY "ENOTEMPTY", NOTSUP "ENOTSUP", NOTTY "ENOTTY", NXIO "ENXIO", OVERFLOW "EOVERFLOW", PERM "EPERM", PIPE "EPIPE",
        ROFS "EROFS", SPIPE "ESPIPE", STALE "ESTALE", TIMEDOUT "ETIMEDOUT", TXTBSY "ETXTBSY", XDEV "EXDEV",
    )
}

/// The names of those that macOS alone has; on Linux two of the names are one number.
#[cfg(target_vendor = "apple")]
fn elsewhere(errno: Errno) -> &'static str {
    match errno.raw_os_error() {
        libc::EBADARCH => "EBADARCH",
        libc::EBADEXEC => "EBADEXEC",
        libc::EBADMACHO => "EBADMACHO",
        libc::ENOATTR => "ENOATTR",
        libc::EOPNOTSUPP => "EOPNOTSUPP",
        _ => "UNKNOWN",
    }
}

#[cfg(not(target_vendor = "apple"))]
fn elsewhere(_: Errno) -> &'static str {
    "UNKNOWN"
}

/// What the system says of an error, without Rust's own number after it.
pub(crate) fn describe(errno: Errno) -> String {
    let text = std::io::Error::from(errno).to_string();
    match text.split_once(" (os error") {
        Some((plain, _)) => plain.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_name_and_its_sentence() {
        assert_eq!(name(Errno::NOSPC), "ENOSPC");
        assert_eq!(describe(Errno::NOSPC), "No space left on device");
        assert_eq!(name(Errno::ILSEQ), "EILSEQ");
        assert_eq!(name(Errno::from_raw_os_error(4095)), "UNKNOWN");
        if cfg!(target_vendor = "apple") {
            assert_eq!(
                [86, 93, 102].map(|n| name(Errno::from_raw_os_error(n))),
                ["EBADARCH", "ENOATTR", "EOPNOTSUPP"]
            );
        }
    }
}
