//! The few JavaScript operations the binding needs, each a Node-API call wrapped once.
//!
//! `napi`'s own conversions cannot be used where the language's semantics are the contract: they
//! replace lone surrogates, turn a thrown string into another error, and read a property of
//! `undefined` as a missing field. Here every operation behaves as the JavaScript expression
//! named in its comment, and what user code throws stays pending, so that the very same value
//! comes out of the export.

/// Makes a method of one Node-API call that fills one out-parameter.
macro_rules! read {
    ($self:ident, $start:expr, |$out:ident| $call:expr) => {{
        let mut result = $start;
        let $out = &raw mut result;
        // SAFETY: `env` and every handle belong to the current call, and `$out` points to a live
        // local of the type that this function fills.
        let status = unsafe { $call };
        $self.check(status).map(|()| result)
    }};
}

mod call;
mod date;
mod error;
mod object;
mod text;

use std::marker::PhantomData;
use std::ptr;

use napi::bindgen_prelude::{Env, FromNapiValue, ToNapiValue, TypeName, ValidateNapiValue};
use napi::sys;

pub(crate) use error::ErrorClass;

/// A JavaScript exception is pending in the environment; the caller has to return.
///
/// Nothing but [`Js`] makes one, so holding it proves that there is a value to come out.
#[derive(Debug)]
#[must_use = "a pending exception has to be returned or caught"]
pub(crate) struct Thrown(());

impl From<Thrown> for napi::Error {
    fn from(_: Thrown) -> Self {
        // This status tells napi to leave the pending exception alone.
        Self::new(napi::Status::PendingException, String::new())
    }
}

/// What a JavaScript operation gives, or the mark that it threw.
pub(crate) type JsResult<T> = Result<T, Thrown>;

/// A handle on a JavaScript value, good for the current call only.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Value<'js> {
    raw: sys::napi_value,
    call: PhantomData<&'js ()>,
}

impl Value<'_> {
    fn new(raw: sys::napi_value) -> Self {
        Self {
            raw,
            call: PhantomData,
        }
    }
}

impl Value<'_> {
    /// The handle as the result of a call that has no borrow to show: good until its caller has it.
    pub(crate) fn for_the_caller(self) -> Value<'static> {
        Value::new(self.raw)
    }
}

impl TypeName for Value<'_> {
    fn type_name() -> &'static str {
        "unknown"
    }

    fn value_type() -> napi::ValueType {
        napi::ValueType::Unknown
    }
}

impl ValidateNapiValue for Value<'_> {}

impl FromNapiValue for Value<'_> {
    unsafe fn from_napi_value(_: sys::napi_env, raw: sys::napi_value) -> napi::Result<Self> {
        Ok(Self::new(raw))
    }
}

impl ToNapiValue for Value<'_> {
    unsafe fn to_napi_value(_: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        Ok(value.raw)
    }
}

/// What `typeof` says, with `null` told apart from the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Undefined,
    Null,
    Boolean,
    Number,
    String,
    Symbol,
    BigInt,
    Function,
    Object,
}

impl Type {
    /// `value == null`.
    pub(crate) fn is_nullish(self) -> bool {
        matches!(self, Self::Undefined | Self::Null)
    }

    /// Whether the language calls it an object, functions included.
    pub(crate) fn is_object(self) -> bool {
        matches!(self, Self::Object | Self::Function)
    }
}

/// The environment of the current call.
#[derive(Clone, Copy)]
pub(crate) struct Js<'js> {
    env: sys::napi_env,
    call: PhantomData<&'js ()>,
}

impl<'js> Js<'js> {
    /// The environment that called the export.
    pub(crate) fn new(env: &'js Env) -> Self {
        Self {
            env: env.raw(),
            call: PhantomData,
        }
    }

    fn check(self, status: sys::napi_status) -> JsResult<()> {
        if status == sys::Status::napi_ok {
            Ok(())
        } else {
            Err(self.failed(status))
        }
    }

    /// Makes sure that a failed call leaves an exception behind.
    #[cold]
    fn failed(self, status: sys::napi_status) -> Thrown {
        let mut pending = false;
        // SAFETY: `env` belongs to the current call and `pending` is a live local.
        unsafe { sys::napi_is_exception_pending(self.env, &raw mut pending) };
        // A terminating worker answers `napi_pending_exception` with nothing pending: no
        // JavaScript runs any more, and none could see an error.
        if !pending && status != sys::Status::napi_pending_exception {
            let text = format!("Node-API status {status}\0");
            // SAFETY: `text` is a NUL-terminated string that outlives the call.
            unsafe { sys::napi_throw_error(self.env, ptr::null(), text.as_ptr().cast()) };
        }
        Thrown(())
    }

    fn value(
        self,
        call: impl FnOnce(sys::napi_env, *mut sys::napi_value) -> sys::napi_status,
    ) -> JsResult<Value<'js>> {
        let mut raw = ptr::null_mut();
        let status = call(self.env, &raw mut raw);
        self.check(status).map(|()| Value::new(raw))
    }

    /// `typeof value`.
    pub(crate) fn type_of(self, value: Value<'js>) -> JsResult<Type> {
        let kind = read!(self, 0, |out| sys::napi_typeof(self.env, value.raw, out))?;
        Ok(match kind {
            sys::ValueType::napi_undefined => Type::Undefined,
            sys::ValueType::napi_null => Type::Null,
            sys::ValueType::napi_boolean => Type::Boolean,
            sys::ValueType::napi_number => Type::Number,
            sys::ValueType::napi_string => Type::String,
            sys::ValueType::napi_symbol => Type::Symbol,
            sys::ValueType::napi_bigint => Type::BigInt,
            sys::ValueType::napi_function => Type::Function,
            _ => Type::Object,
        })
    }

    /// `typeof value === "string"`.
    pub(crate) fn is_string(self, value: Value<'js>) -> JsResult<bool> {
        Ok(self.type_of(value)? == Type::String)
    }

    /// `value === undefined`.
    pub(crate) fn is_undefined(self, value: Value<'js>) -> JsResult<bool> {
        Ok(self.type_of(value)? == Type::Undefined)
    }

    /// `value === null`.
    pub(crate) fn is_null(self, value: Value<'js>) -> JsResult<bool> {
        Ok(self.type_of(value)? == Type::Null)
    }

    /// `typeof value === "number"`.
    pub(crate) fn is_number(self, value: Value<'js>) -> JsResult<bool> {
        Ok(self.type_of(value)? == Type::Number)
    }

    /// `typeof value === "symbol"`.
    pub(crate) fn is_symbol(self, value: Value<'js>) -> JsResult<bool> {
        Ok(self.type_of(value)? == Type::Symbol)
    }

    /// `!!value`.
    pub(crate) fn truthy(self, value: Value<'js>) -> JsResult<bool> {
        let raw = read!(self, ptr::null_mut(), |out| sys::napi_coerce_to_bool(
            self.env, value.raw, out
        ))?;
        self.bool_of(Value::new(raw))
    }

    /// `Array.isArray(value)`, but for proxies of arrays, which are none here.
    pub(crate) fn is_array(self, value: Value<'js>) -> JsResult<bool> {
        read!(self, false, |out| sys::napi_is_array(
            self.env, value.raw, out
        ))
    }

    /// Whether the value is a promise.
    pub(crate) fn is_promise(self, value: Value<'js>) -> JsResult<bool> {
        read!(self, false, |out| sys::napi_is_promise(
            self.env, value.raw, out
        ))
    }

    /// `undefined`.
    pub(crate) fn undefined(self) -> JsResult<Value<'js>> {
        // SAFETY: `env` belongs to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_get_undefined(env, out) })
    }

    /// `null`.
    pub(crate) fn null(self) -> JsResult<Value<'js>> {
        // SAFETY: `env` belongs to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_get_null(env, out) })
    }

    /// `globalThis`.
    pub(crate) fn global(self) -> JsResult<Value<'js>> {
        // SAFETY: `env` belongs to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_get_global(env, out) })
    }

    /// A boolean.
    pub(crate) fn boolean(self, value: bool) -> JsResult<Value<'js>> {
        // SAFETY: `env` belongs to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_get_boolean(env, value, out) })
    }

    /// A number.
    pub(crate) fn number(self, value: f64) -> JsResult<Value<'js>> {
        // SAFETY: `env` belongs to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_create_double(env, value, out) })
    }

    /// A small whole number.
    pub(crate) fn uint(self, value: u32) -> JsResult<Value<'js>> {
        // SAFETY: `env` belongs to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_create_uint32(env, value, out) })
    }

    /// The value of a boolean; anything else throws.
    pub(crate) fn bool_of(self, value: Value<'js>) -> JsResult<bool> {
        read!(self, false, |out| sys::napi_get_value_bool(
            self.env, value.raw, out
        ))
    }

    /// The value of a number; anything else throws, boxed numbers too.
    pub(crate) fn number_of(self, value: Value<'js>) -> JsResult<f64> {
        read!(self, 0.0, |out| sys::napi_get_value_double(
            self.env, value.raw, out
        ))
    }
}
