//! The Node-API surface: conversions and nothing else, one file a module.
#![cfg_attr(
    test,
    allow(dead_code, reason = "napi registers no exports in a test build")
)]

#[expect(dead_code, reason = "the modules that come use the rest of it")]
mod js;
mod launch;
mod panic;
mod version;
