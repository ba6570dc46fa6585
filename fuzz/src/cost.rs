//! What a piece of work costs: the processor's time, and the most memory held at once.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub time: Duration,
    /// Bytes, beyond what was held before.
    pub memory: usize,
}

impl Cost {
    pub fn of(work: impl FnOnce()) -> Self {
        // Every thread counts: a listing may share its work among several.
        let clock = || {
            Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).expect("no time before 0")
        };
        let (before, started) = (HELD.load(Relaxed), clock());
        MOST.store(before, Relaxed);
        work();
        Self { time: clock() - started, memory: MOST.load(Relaxed) - before }
    }
}

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, and a note of how much it has given away.
pub struct Counting;

// SAFETY: every call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(held, Relaxed);
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promises are the same.
        unsafe { System.dealloc(at, layout) }
    }
}
