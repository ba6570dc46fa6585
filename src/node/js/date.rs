//! Times as JavaScript has them.

use napi::sys;

use super::{ErrorClass, Js, JsResult, Value};
use crate::inbox::Time;

impl<'js> Js<'js> {
    /// Whether the value is a `Date`, of whatever realm.
    pub(crate) fn is_date(self, value: Value<'js>) -> JsResult<bool> {
        read!(self, false, |out| sys::napi_is_date(
            self.env, value.raw, out
        ))
    }

    /// The time value of a `Date` in ms since the epoch, `NaN` for an invalid one.
    pub(crate) fn date_of(self, value: Value<'js>) -> JsResult<f64> {
        read!(self, 0.0, |out| sys::napi_get_date_value(
            self.env, value.raw, out
        ))
    }

    /// `new Date(value)`.
    pub(crate) fn new_date(self, value: Value<'js>) -> JsResult<Value<'js>> {
        let date = self.get(self.global()?, c"Date")?;
        let args = [value.raw];
        let start = args.as_ptr();
        // SAFETY: `env` and the handles belong to the current call, and `start` points to one handle.
        self.value(|env, out| unsafe { sys::napi_new_instance(env, date.raw, 1, start, out) })
    }

    /// `Date.now()`, so that a clock which a test put in its place counts.
    pub(crate) fn now(self) -> JsResult<Time> {
        let date = self.get(self.global()?, c"Date")?;
        let now = self.get(date, c"now")?;
        let now = self.call("Date.now", now, date, &[])?;
        let millis = self.number_of(now)?;
        Time::from_millis(millis)
            .ok_or_else(|| self.throw_error(ErrorClass::RangeError, "Invalid time value", None))
    }
}
