//! The argv of a session under tmux or screen, and how its end is read.
