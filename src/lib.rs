//! The three primitives of an agent seat: claim inbox items, build the exact command that runs
//! `claude` under tmux or screen, and find which native id a tmux session name means.
//!
//! - [`inbox`] decides who owns an inbox item, and when it is given back.
//! - [`launch`] builds the argv of a session and reads how it ended.
//! - [`tmux`] resolves session names and runs tmux.
//!
//! The crate knows nothing of Node; the default feature `node` adds the addon's surface, which
//! only converts.

mod errno;
pub mod inbox;
pub mod launch;
pub mod tmux;

mod text;

#[cfg(feature = "node")]
mod node;
