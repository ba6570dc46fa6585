//! What the targets share: what holds of any text, a reader of YAML, an inbox of one item on a real disk, and
//! the cost of a piece of work.

pub mod block;
pub mod cost;
pub mod reader;
pub mod seat;
