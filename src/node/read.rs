//! Reading the arguments of the calls that have no reference to be faithful to: what has the wrong
//! type is a `TypeError` that names it, and nothing is done.

use std::ffi::CStr;

use super::js::{ErrorClass, Js, JsResult, Thrown, Value};

/// Node's own code for a value of the wrong type.
const WRONG_TYPE: &str = "ERR_INVALID_ARG_TYPE";
/// Node's own code for a value that has the right type and cannot be used.
const WRONG_VALUE: &str = "ERR_INVALID_ARG_VALUE";

/// `throw new TypeError(`${what} must be ${expected}`)`
pub(super) fn wrong_type(js: Js<'_>, what: &str, expected: &str) -> Thrown {
    let text = format!("{what} must be {expected}");
    js.throw_error(ErrorClass::TypeError, &text, Some(WRONG_TYPE))
}

/// `throw new TypeError(text)` for a value that cannot be used.
pub(super) fn wrong_value(js: Js<'_>, text: &str) -> Thrown {
    js.throw_error(ErrorClass::TypeError, text, Some(WRONG_VALUE))
}

/// A string, each lone surrogate replaced by U+FFFD, as Node does for arguments and paths.
pub(super) fn string<'js>(js: Js<'js>, value: Value<'js>, what: &str) -> JsResult<String> {
    if js.is_string(value)? {
        js.utf8(value)
    } else {
        Err(wrong_type(js, what, "a string"))
    }
}

/// An array of strings.
pub(super) fn strings<'js>(js: Js<'js>, value: Value<'js>, what: &str) -> JsResult<Vec<String>> {
    if !js.is_array(value)? {
        return Err(wrong_type(js, what, "an array of strings"));
    }
    (0..js.length(value)?)
        .map(|index| string(js, js.element(value, index)?, &format!("{what}[{index}]")))
        .collect()
}

/// An options object, where `undefined` and `null` stand for an empty one.
pub(super) fn options<'js>(
    js: Js<'js>,
    value: Value<'js>,
    what: &str,
) -> JsResult<Option<Value<'js>>> {
    let kind = js.type_of(value)?;
    if kind.is_nullish() {
        Ok(None)
    } else if kind.is_object() {
        Ok(Some(value))
    } else {
        Err(wrong_type(js, what, "an object"))
    }
}

/// An object, or a function for that matter.
pub(super) fn object<'js>(js: Js<'js>, value: Value<'js>, what: &str) -> JsResult<Value<'js>> {
    if js.type_of(value)?.is_object() {
        Ok(value)
    } else {
        Err(wrong_type(js, what, "an object"))
    }
}

/// A string, or nothing.
pub(super) fn optional_string<'js>(
    js: Js<'js>,
    value: Value<'js>,
    what: &str,
) -> JsResult<Option<String>> {
    if js.type_of(value)?.is_nullish() {
        return Ok(None);
    }
    string(js, value, what).map(Some)
}

/// An array of strings, where `undefined` and `null` stand for an empty one.
pub(super) fn optional_strings<'js>(
    js: Js<'js>,
    value: Value<'js>,
    what: &str,
) -> JsResult<Vec<String>> {
    if js.type_of(value)?.is_nullish() {
        return Ok(Vec::new());
    }
    strings(js, value, what)
}

/// An iterable of strings, which a string itself is not meant to be. `spread` is
/// `(iterable) => [...iterable]`.
pub(super) fn iterable<'js>(
    js: Js<'js>,
    value: Value<'js>,
    what: &str,
    spread: Value<'js>,
) -> JsResult<Vec<String>> {
    if js.is_array(value)? {
        return strings(js, value, what);
    }
    object(js, value, what)?;
    let list = js.call("spread", spread, js.undefined()?, &[value])?;
    strings(js, list, what)
}

/// A property that may be a string, and is nothing where it is none.
pub(super) fn variable<'js>(
    js: Js<'js>,
    object: Value<'js>,
    name: &CStr,
) -> JsResult<Option<String>> {
    let value = js.get(object, name)?;
    if js.is_string(value)? {
        js.utf8(value).map(Some)
    } else {
        Ok(None)
    }
}
