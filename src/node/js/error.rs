//! Errors of JavaScript's own classes.

use std::ptr;

use napi::sys;

use super::{Js, JsResult, Thrown, Value};

/// The built-in classes an error is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorClass {
    Error,
    TypeError,
    RangeError,
}

impl<'js> Js<'js> {
    /// `throw value`.
    pub(crate) fn throw(self, value: Value<'js>) -> Thrown {
        // SAFETY: `env` and the handle belong to the current call.
        let status = unsafe { sys::napi_throw(self.env, value.raw) };
        match self.check(status) {
            Ok(()) => Thrown(()),
            Err(thrown) => thrown,
        }
    }

    /// `new Error(message)` or another built-in class, with an own `code` where one is given.
    /// The message is a string handle, so that it can hold what UTF-8 cannot.
    pub(crate) fn error(
        self,
        class: ErrorClass,
        message: Value<'js>,
        code: Option<&str>,
    ) -> JsResult<Value<'js>> {
        let code = match code {
            Some(code) => self.string(code)?.raw,
            None => ptr::null_mut(),
        };
        let create = match class {
            ErrorClass::Error => sys::napi_create_error,
            ErrorClass::TypeError => sys::napi_create_type_error,
            ErrorClass::RangeError => sys::napi_create_range_error,
        };
        // SAFETY: `env` and the handles belong to the current call; a null code means none.
        self.value(|env, out| unsafe { create(env, code, message.raw, out) })
    }

    /// `throw new Error(message)` or another built-in class.
    pub(crate) fn throw_new(self, class: ErrorClass, message: Value<'js>) -> Thrown {
        match self.error(class, message, None) {
            Ok(error) => self.throw(error),
            Err(thrown) => thrown,
        }
    }

    /// `throw new Error(text)` or another built-in class, with an own `code` where one is given.
    pub(crate) fn throw_error(self, class: ErrorClass, text: &str, code: Option<&str>) -> Thrown {
        let error = self
            .string(text)
            .and_then(|message| self.error(class, message, code));
        match error {
            Ok(error) => self.throw(error),
            Err(thrown) => thrown,
        }
    }
}
