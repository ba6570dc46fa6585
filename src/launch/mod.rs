//! The argv of a session under tmux or screen, and how its end is read.

mod exit_file;

pub use exit_file::{parse_exit_file, parse_exit_file_utf16};
