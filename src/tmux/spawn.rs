//! Starting a program by `posix_spawn`.
//!
//! std's `Command` uses it too, but resets SIGPIPE alone: what else the parent ignores stays ignored
//! in the child, and Node ignores SIGXFSZ. A tmux server started so would hand that on to every
//! program in its panes. Resetting more by `pre_exec` makes `Command` fork, and a fork inside Node
//! first copies the page tables of the whole process.

use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

use rustix::process::Pid;

/// A started program whose outputs are read from here. It has to be waited for.
pub(super) struct Spawned {
    pub(super) pid: Pid,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// Starts the program at the path `argv[0]` at the head of a process group of its own, with an empty
/// stdin, no signal blocked and none ignored, and no descriptor of this process but the three.
/// `env` is its whole environment; `None` is this process's own.
///
/// A tmux server that is started so keeps every descriptor it was given for as long as it lives: a
/// lock or a listening socket of the caller's, opened without close-on-exec, would never be free.
pub(super) fn spawn(argv: &[CString], env: Option<&[CString]>) -> io::Result<Spawned> {
    let Some(program) = argv.first() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let (stdout, child_stdout) = pipe()?;
    let (stderr, child_stderr) = pipe()?;
    let mut actions = FileActions::new()?;
    actions.open(0, c"/dev/null")?;
    actions.dup2(&child_stdout, 1)?;
    actions.dup2(&child_stderr, 2)?;
    #[cfg(not(target_vendor = "apple"))]
    actions.close_above(2)?;
    let attributes = Attributes::new()?;

    let argv = pointers(argv);
    let env = env.map(pointers);
    let env = env.as_ref().map_or_else(own_environment, Vec::as_ptr);
    let mut pid = 0;
    // SAFETY: `program`, the entries of `argv` and those of a given `env` are NUL-terminated, the
    // two lists end in a null pointer, and all of them and both structures outlive the call. Our own
    // environment is only read, which races with nothing but a `setenv` of another thread, as every
    // `getenv` does.
    let errno = unsafe {
        libc::posix_spawn(
            &raw mut pid,
            program.as_ptr(),
            &raw const actions.0,
            &raw const attributes.0,
            argv.as_ptr(),
            env,
        )
    };
    check(errno)?;
    match Pid::from_raw(pid) {
        Some(pid) => Ok(Spawned { pid, stdout, stderr }),
        None => Err(io::ErrorKind::Other.into()),
    }
}

fn check(errno: c_int) -> io::Result<()> {
    if errno == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(errno)) }
}

/// The list of pointers that C takes, a null pointer at its end.
fn pointers(texts: &[CString]) -> Vec<*mut c_char> {
    let texts = texts.iter().map(|text| text.as_ptr().cast_mut());
    texts.chain([ptr::null_mut()]).collect()
}

/// The environment of this process as C has it.
fn own_environment() -> *const *mut c_char {
    #[cfg(target_vendor = "apple")]
    {
        // SAFETY: takes nothing and gives the address of a live pointer. A library on macOS has no
        // `environ` of its own to link to.
        let environment = unsafe { libc::_NSGetEnviron() };
        // SAFETY: the address is valid for the life of the process.
        unsafe { *environment }.cast_const()
    }
    #[cfg(not(target_vendor = "apple"))]
    {
        unsafe extern "C" {
            static environ: *const *mut c_char;
        }
        // SAFETY: the C library defines it and keeps it valid.
        unsafe { environ }
    }
}

/// Both ends of a pipe that no child inherits. Neither is one of the first three descriptors, which
/// are free in a process that closed them and which the child's own go to.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    #[cfg(target_vendor = "apple")]
    let (read, write) = rustix::pipe::pipe()?;
    #[cfg(not(target_vendor = "apple"))]
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    Ok((above_stdio(read)?, above_stdio(write)?))
}

fn above_stdio(end: OwnedFd) -> io::Result<OwnedFd> {
    if cfg!(target_vendor = "apple") || end.as_raw_fd() < 3 {
        return Ok(rustix::io::fcntl_dupfd_cloexec(&end, 3)?);
    }
    Ok(end)
}

/// What happens to descriptors between fork and exec.
struct FileActions(libc::posix_spawn_file_actions_t);

impl FileActions {
    fn new() -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the call initialises what it is given.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        // SAFETY: it succeeded.
        Ok(Self(unsafe { actions.assume_init() }))
    }

    /// Opens `path` for reading as `descriptor`.
    fn open(&mut self, descriptor: c_int, path: &'static CStr) -> io::Result<()> {
        let actions = &raw mut self.0;
        // SAFETY: `actions` is initialised; `path` is NUL-terminated and lives for ever, although
        // the call copies it.
        check(unsafe {
            libc::posix_spawn_file_actions_addopen(
                actions,
                descriptor,
                path.as_ptr(),
                libc::O_RDONLY,
                0,
            )
        })
    }

    /// Makes `descriptor` another name of `end`.
    fn dup2(&mut self, end: &OwnedFd, descriptor: c_int) -> io::Result<()> {
        let actions = &raw mut self.0;
        // SAFETY: `actions` is initialised.
        check(unsafe {
            libc::posix_spawn_file_actions_adddup2(actions, end.as_raw_fd(), descriptor)
        })
    }
}

/// `posix_spawn_file_actions_addclosefrom_np`, looked for at run time: glibc has it since 2.34, and
/// this library runs with older ones too.
#[cfg(not(target_vendor = "apple"))]
type CloseFrom = unsafe extern "C" fn(*mut libc::posix_spawn_file_actions_t, c_int) -> c_int;

#[cfg(not(target_vendor = "apple"))]
fn close_from() -> Option<CloseFrom> {
    static FOUND: std::sync::LazyLock<Option<CloseFrom>> = std::sync::LazyLock::new(|| {
        let name = c"posix_spawn_file_actions_addclosefrom_np";
        // SAFETY: the name is NUL-terminated.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        if found.is_null() {
            return None;
        }
        // SAFETY: a function of this name has this signature in every C library that has it.
        Some(unsafe { std::mem::transmute::<*mut libc::c_void, CloseFrom>(found) })
    });
    *FOUND
}

#[cfg(not(target_vendor = "apple"))]
impl FileActions {
    /// Closes every descriptor above `last`. Elsewhere a flag does so.
    fn close_above(&mut self, last: c_int) -> io::Result<()> {
        let actions = &raw mut self.0;
        if let Some(close_from) = close_from() {
            // SAFETY: `actions` is initialised.
            return check(unsafe { close_from(actions, last + 1) });
        }
        // Another thread's descriptor that is opened after this look is inherited.
        for entry in std::fs::read_dir("/proc/self/fd")?.flatten() {
            let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
            if let Some(descriptor) = number.filter(|&number: &c_int| number > last) {
                // SAFETY: as above. Closing one that is not open any more does no harm.
                check(unsafe { libc::posix_spawn_file_actions_addclose(actions, descriptor) })?;
            }
        }
        Ok(())
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: initialised, and not used any more.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

/// What the child is given: no signal blocked and none ignored, and a process group of its own.
struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new() -> io::Result<Self> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the call initialises what it is given.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        // SAFETY: it succeeded.
        let mut attributes = Self(unsafe { attributes.assume_init() });

        let mut set = MaybeUninit::uninit();
        // SAFETY: the call initialises what it is given.
        unsafe { libc::sigemptyset(set.as_mut_ptr()) };
        // SAFETY: it cannot fail for a valid pointer.
        let none: libc::sigset_t = unsafe { set.assume_init() };
        let mut all = none;
        // SAFETY: `all` is an initialised set.
        unsafe { libc::sigfillset(&raw mut all) };
        for fixed in [libc::SIGKILL, libc::SIGSTOP] {
            // SAFETY: `all` is an initialised set.
            unsafe { libc::sigdelset(&raw mut all, fixed) };
        }

        let raw = &raw mut attributes.0;
        // SAFETY: `raw` and `none` are initialised.
        check(unsafe { libc::posix_spawnattr_setsigmask(raw, &raw const none) })?;
        // SAFETY: `raw` and `all` are initialised.
        check(unsafe { libc::posix_spawnattr_setsigdefault(raw, &raw const all) })?;
        // SAFETY: `raw` is initialised.
        check(unsafe { libc::posix_spawnattr_setpgroup(raw, 0) })?;
        let flags = libc::POSIX_SPAWN_SETSIGDEF
            | libc::POSIX_SPAWN_SETSIGMASK
            | libc::POSIX_SPAWN_SETPGROUP;
        // Descriptors that the file actions do not make are closed: another thread's may be open
        // without close-on-exec, because there is no `pipe2` here.
        #[cfg(target_vendor = "apple")]
        let flags = flags | libc::POSIX_SPAWN_CLOEXEC_DEFAULT;
        let flags = flags.try_into().map_err(|_| io::ErrorKind::InvalidInput)?;
        // SAFETY: `raw` is initialised.
        check(unsafe { libc::posix_spawnattr_setflags(raw, flags) })?;
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised, and not used any more.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}
