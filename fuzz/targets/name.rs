//! Any file name: it is foreign, or says a stem, an id and a state that make up the same name again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use seatkit::inbox::fuzzing;

fuzz_target!(|name: &[u8]| {
    let Some((stem, id, state)) = fuzzing::read_name(name) else {
        return;
    };
    assert_eq!([stem, state.suffix()].concat().as_bytes(), name);
    assert!(!stem.is_empty() && !stem.starts_with('.'));
    assert!(stem.ends_with(id));
    let stamp = &stem[..stem.len() - id.len()];
    assert!(stamp.is_empty() || stamp.len() == "2026-09-08T09-59-00-000Z-".len());
    if !stamp.is_empty() {
        assert!(stamp.ends_with("Z-"));
        assert!(stamp.bytes().all(|byte| byte.is_ascii_digit() || b"-TZ".contains(&byte)));
    }
});
