//! The inbox engine.
