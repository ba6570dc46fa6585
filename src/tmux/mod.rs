//! tmux session names, lookups and placement.
