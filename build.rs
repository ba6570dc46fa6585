//! Sets the linker flags that a Node addon needs; does nothing for the bare crate.

fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
}
