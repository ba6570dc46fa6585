//! What must never happen to an inbox, proved on real folders with real processes: killed, stopped,
//! refused by the system and racing with each other.
//!
//! A test that needs a process of its own runs this very binary again (see `process`). What cannot be
//! tried on a machine, for want of `strace` or of the right to mount, is skipped and said so on stderr.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed assertion is how a test speaks"
)]
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "some of it serves the tests under strace alone")
)]

mod answer;
mod archive;
mod crash_points;
mod delivery;
mod disturbed;
mod durable;
mod failing_calls;
#[cfg(target_os = "linux")]
mod file_systems;
mod finding;
mod forgery;
mod growth;
mod hostile;
#[cfg(target_os = "linux")]
mod memory;
mod next;
mod operation;
#[cfg(target_os = "linux")]
mod other_users;
mod process;
mod properties;
mod races;
mod reported;
mod seat;
mod small_disks;
mod step;
mod stopped;
mod storm;
#[cfg(target_os = "linux")]
mod strace;
mod truncation;
