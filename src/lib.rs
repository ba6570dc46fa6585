//! The three primitives of an agent seat: claim inbox items, build the exact command that runs
//! `claude` under tmux or screen, and find which native id a tmux session name means.
//!
//! - [`inbox`] decides who owns an inbox item, and when it is given back.
//! - [`launch`] builds the argv of a session and reads its exit file.
//! - [`mux`] builds the same commands with guards, and reads what a multiplexer's answers prove.
//! - [`tmux`] resolves session names and runs tmux.
//! - [`session`] starts one session, and follows, ends and adopts it by what it is.
//! - [`placement`] finds a caller's own window and opens others beside it.
//!
//! The crate knows nothing of Node; the feature `node` adds the addon's surface, which only
//! converts.

pub mod inbox;
pub mod launch;
pub mod mux;
pub mod placement;
pub mod session;
pub mod tmux;

mod errno;
mod process;
mod text;
mod words;

#[cfg(feature = "node")]
mod node;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
