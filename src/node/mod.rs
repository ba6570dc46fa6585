//! The Node-API surface: conversions and nothing else, one file a module.
