//! Calls into JavaScript, and what comes of them.

use napi::bindgen_prelude::{FromNapiValue, Unknown};
use napi::sys;

use super::{ErrorClass, Js, JsResult, Thrown, Type, Value};

impl<'js> Js<'js> {
    /// `function.call(this, ...args)`; what it throws stays pending. `what` names the function
    /// in the `TypeError` for a value that cannot be called.
    pub(crate) fn call(
        self,
        what: &str,
        function: Value<'js>,
        this: Value<'js>,
        args: &[Value<'js>],
    ) -> JsResult<Value<'js>> {
        if self.type_of(function)? != Type::Function {
            let text = format!("{what} is not a function");
            return Err(self.throw_error(ErrorClass::TypeError, &text, None));
        }
        let (count, start) = (args.len(), args.as_ptr().cast());
        // SAFETY: `env` and the handles belong to the current call; a `Value` is laid out as the
        // raw handle it wraps, and `start` and `count` describe `args`.
        self.value(|env, out| unsafe {
            sys::napi_call_function(env, this.raw, function.raw, count, start, out)
        })
    }

    /// `catch (error)`: clears the pending exception and gives what was thrown.
    ///
    /// Not for what a caller's function throws: the end of a worker looks the same from here, and
    /// once cleared it is lost, and the worker runs on. Such calls are caught in index.js.
    pub(crate) fn catch(self, _: Thrown) -> JsResult<Value<'js>> {
        // SAFETY: `env` belongs to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_get_and_clear_last_exception(env, out) })
    }

    /// What was thrown, as an error that a promise is rejected with. In a callback of the event loop a
    /// pending exception would be nobody's, and end the process.
    pub(crate) fn rejection(self, thrown: Thrown) -> napi::Error {
        let thrown = match self.catch(thrown) {
            Ok(thrown) => thrown,
            Err(thrown) => return thrown.into(),
        };
        // SAFETY: `env` and the handle belong to the current call.
        match unsafe { Unknown::from_napi_value(self.env, thrown.raw) } {
            Ok(thrown) => thrown.into(),
            Err(error) => error,
        }
    }
}
