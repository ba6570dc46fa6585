//! Reads that wait for no other machine: macOS takes the bytes of a file away that a synced folder keeps elsewhere, and
//! downloads them again when somebody reads it, however long that lasts.

/// While it lives, such a read of this thread fails (`EDEADLK`) at once. What the thread's own program does before and
/// after it is as it was.
#[derive(Debug)]
pub(super) struct OnlyHere {
    #[cfg(target_vendor = "apple")]
    before: std::ffi::c_int,
}

#[cfg(not(target_vendor = "apple"))]
impl OnlyHere {
    pub(super) fn new() -> Self {
        Self {}
    }
}

#[cfg(target_vendor = "apple")]
mod policy {
    use std::ffi::c_int;

    // sys/resource.h
    const DATALESS_FILES: c_int = 3;
    const OF_THREAD: c_int = 1;
    pub(super) const OFF: c_int = 1;

    unsafe extern "C" {
        fn getiopolicy_np(kind: c_int, scope: c_int) -> c_int;
        fn setiopolicy_np(kind: c_int, scope: c_int, policy: c_int) -> c_int;
    }

    pub(super) fn get() -> c_int {
        // SAFETY: takes numbers and gives one.
        unsafe { getiopolicy_np(DATALESS_FILES, OF_THREAD) }
    }

    /// A system without the policy (before 10.15) takes no file's bytes away so.
    pub(super) fn set(policy: c_int) {
        // SAFETY: takes numbers and gives one.
        unsafe { setiopolicy_np(DATALESS_FILES, OF_THREAD, policy) };
    }
}

#[cfg(target_vendor = "apple")]
impl OnlyHere {
    pub(super) fn new() -> Self {
        let before = policy::get();
        policy::set(policy::OFF);
        Self { before }
    }
}

#[cfg(target_vendor = "apple")]
impl Drop for OnlyHere {
    fn drop(&mut self) {
        if self.before >= 0 {
            policy::set(self.before);
        }
    }
}
