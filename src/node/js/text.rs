//! Strings, read and made without losing a code unit.

use std::borrow::Cow;
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr;

use napi::sys;

use super::{ErrorClass, Js, JsResult, Value};

/// The length of the buffers that short strings are read into, in code units.
const SHORT: usize = 256;

impl<'js> Js<'js> {
    /// A string of UTF-8 text.
    pub(crate) fn string(self, text: &str) -> JsResult<Value<'js>> {
        if text.is_ascii() {
            return self.latin1(text.as_bytes());
        }
        let (start, length) = (text.as_ptr().cast(), text.len().cast_signed());
        // SAFETY: `start` and `length` describe `text`, which outlives the call.
        self.value(|env, out| unsafe { sys::napi_create_string_utf8(env, start, length, out) })
    }

    /// A string of code points below 256, one a byte.
    pub(crate) fn latin1(self, bytes: &[u8]) -> JsResult<Value<'js>> {
        let (start, length) = (bytes.as_ptr().cast(), bytes.len().cast_signed());
        // SAFETY: `start` and `length` describe `bytes`, which outlives the call.
        self.value(|env, out| unsafe { sys::napi_create_string_latin1(env, start, length, out) })
    }

    /// A string of UTF-16 code units, lone surrogates and NUL included.
    pub(crate) fn utf16(self, units: &[u16]) -> JsResult<Value<'js>> {
        let (start, length) = (units.as_ptr(), units.len().cast_signed());
        // SAFETY: `start` and `length` describe `units`, which outlives the call.
        self.value(|env, out| unsafe { sys::napi_create_string_utf16(env, start, length, out) })
    }

    /// `` `${value}` ``: `ToString`, which runs user code and throws on a symbol.
    pub(crate) fn to_string(self, value: Value<'js>) -> JsResult<Value<'js>> {
        // SAFETY: `env` and the handle belong to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_coerce_to_string(env, value.raw, out) })
    }

    /// Lends the code units of a string, exactly as they are; anything else throws. Short strings
    /// stay on the stack.
    pub(crate) fn with_utf16<R>(
        self,
        string: Value<'js>,
        use_it: impl FnOnce(&[u16]) -> R,
    ) -> JsResult<R> {
        match self.if_string(string, use_it)? {
            Some(result) => Ok(result),
            None => Err(self.throw_error(ErrorClass::TypeError, "a string was expected", None)),
        }
    }

    /// The same where `typeof value === "string"`, and `None` where it is not: cheaper than asking
    /// first, because Node-API looks again anyway.
    pub(crate) fn if_string<R>(
        self,
        value: Value<'js>,
        use_it: impl FnOnce(&[u16]) -> R,
    ) -> JsResult<Option<R>> {
        let mut short = [MaybeUninit::<u16>::uninit(); SHORT];
        let start = short.as_mut_ptr().cast();
        let mut length = 0;
        let out = &raw mut length;
        // SAFETY: `env` and the handle belong to the current call, `start` has room for `SHORT`
        // units and `out` points to a live local.
        let status =
            unsafe { sys::napi_get_value_string_utf16(self.env, value.raw, start, SHORT, out) };
        if status == sys::Status::napi_string_expected {
            return Ok(None);
        }
        self.check(status)?;
        if length < SHORT - 1 {
            // SAFETY: the call above wrote `length` units from `start` on.
            return Ok(Some(use_it(unsafe {
                std::slice::from_raw_parts(start, length)
            })));
        }
        self.long_utf16(value).map(|long| Some(use_it(&long)))
    }

    fn long_utf16(self, string: Value<'js>) -> JsResult<Vec<u16>> {
        let none = ptr::null_mut();
        let length = read!(self, 0, |out| sys::napi_get_value_string_utf16(
            self.env, string.raw, none, 0, out
        ))?;
        // Node-API ends what it writes with a NUL of its own.
        let mut units = vec![0_u16; length + 1];
        let start = units.as_mut_ptr();
        let length = read!(self, 0, |out| sys::napi_get_value_string_utf16(
            self.env,
            string.raw,
            start,
            length + 1,
            out
        ))?;
        units.truncate(length);
        Ok(units)
    }

    /// Lends a string as UTF-8, each lone surrogate replaced by U+FFFD, as Node does for paths
    /// and arguments. Short strings stay on the stack.
    pub(crate) fn with_utf8<R>(
        self,
        string: Value<'js>,
        use_it: impl FnOnce(&str) -> R,
    ) -> JsResult<R> {
        let mut short = [MaybeUninit::<u8>::uninit(); SHORT];
        let start: *mut u8 = short.as_mut_ptr().cast();
        let length = read!(self, 0, |out| sys::napi_get_value_string_utf8(
            self.env,
            string.raw,
            start.cast::<c_char>(),
            SHORT,
            out
        ))?;
        // Only whole characters are written, so a cut shows up to three bytes before the end.
        if length + 4 < SHORT {
            // SAFETY: the call above wrote `length` bytes from `start` on.
            let bytes = unsafe { std::slice::from_raw_parts(start, length) };
            // What Node-API wrote is UTF-8, and `from_utf8_lossy` takes ten times as long to see that.
            let text = std::str::from_utf8(bytes)
                .map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
            return Ok(use_it(&text));
        }
        Ok(use_it(&self.long_utf8(string)?))
    }

    fn long_utf8(self, string: Value<'js>) -> JsResult<String> {
        let none = ptr::null_mut();
        let length = read!(self, 0, |out| sys::napi_get_value_string_utf8(
            self.env, string.raw, none, 0, out
        ))?;
        let mut bytes = vec![0_u8; length + 1];
        let start = bytes.as_mut_ptr();
        let length = read!(self, 0, |out| sys::napi_get_value_string_utf8(
            self.env,
            string.raw,
            start.cast::<c_char>(),
            length + 1,
            out
        ))?;
        bytes.truncate(length);
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    /// A string as UTF-8 of its own, each lone surrogate replaced by U+FFFD.
    pub(crate) fn utf8(self, string: Value<'js>) -> JsResult<String> {
        self.with_utf8(string, str::to_owned)
    }

    /// `` `${before}${string}${after}` `` around a string handle.
    pub(crate) fn joined(
        self,
        before: &str,
        string: Value<'js>,
        after: &str,
    ) -> JsResult<Value<'js>> {
        let units = self.with_utf16(string, |text| {
            let mut units = Vec::with_capacity(before.len() + text.len() + after.len());
            units.extend(before.encode_utf16());
            units.extend_from_slice(text);
            units.extend(after.encode_utf16());
            units
        })?;
        self.utf16(&units)
    }

    /// `` `${first}${second}` `` of two string handles.
    pub(crate) fn concat(self, first: Value<'js>, second: Value<'js>) -> JsResult<Value<'js>> {
        let mut units = self.with_utf16(first, <[u16]>::to_vec)?;
        self.with_utf16(second, |text| units.extend_from_slice(text))?;
        self.utf16(&units)
    }

    /// `JSON.stringify(value)` with whatever `JSON.stringify` is at the time: a string, or
    /// `undefined` for what JSON cannot hold.
    pub(crate) fn json_stringify(self, value: Value<'js>) -> JsResult<Value<'js>> {
        let json = self.get(self.global()?, c"JSON")?;
        let stringify = self.get(json, c"stringify")?;
        self.call("JSON.stringify", stringify, json, &[value])
    }

    /// `JSON.parse(text)` with whatever `JSON.parse` is at the time.
    pub(crate) fn json_parse(self, text: Value<'js>) -> JsResult<Value<'js>> {
        let json = self.get(self.global()?, c"JSON")?;
        let parse = self.get(json, c"parse")?;
        self.call("JSON.parse", parse, json, &[text])
    }
}
