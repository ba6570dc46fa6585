//! The few JavaScript operations the binding needs, each a Node-API call wrapped once.
//!
//! `napi`'s own conversions cannot be used where the language's semantics are the contract: they
//! replace lone surrogates, turn a thrown string into another error, and read a property of
//! `undefined` as a missing field. Here every operation behaves as the JavaScript expression
//! named in its comment, and what user code throws stays pending, so that the very same value
//! comes out of the export.

use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

use napi::bindgen_prelude::{Env, FromNapiValue, ToNapiValue, TypeName, ValidateNapiValue};
use napi::sys;

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

/// The built-in classes an error is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorClass {
    Error,
    TypeError,
    RangeError,
}

/// The length of the buffers that short strings are read into, in code units.
const SHORT: usize = 256;

/// The environment of the current call.
#[derive(Clone, Copy)]
pub(crate) struct Js<'js> {
    env: sys::napi_env,
    call: PhantomData<&'js ()>,
}

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

    // ---- questions

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

    /// `!!value`.
    pub(crate) fn truthy(self, value: Value<'js>) -> JsResult<bool> {
        let raw = read!(self, ptr::null_mut(), |out| sys::napi_coerce_to_bool(
            self.env, value.raw, out
        ))?;
        self.bool_of(Value::new(raw))
    }

    /// `a === b`.
    pub(crate) fn strict_equals(self, a: Value<'js>, b: Value<'js>) -> JsResult<bool> {
        read!(self, false, |out| sys::napi_strict_equals(
            self.env, a.raw, b.raw, out
        ))
    }

    /// `Array.isArray(value)`, but for proxies of arrays, which are none here.
    pub(crate) fn is_array(self, value: Value<'js>) -> JsResult<bool> {
        read!(self, false, |out| sys::napi_is_array(
            self.env, value.raw, out
        ))
    }

    /// Whether the value is a `Date`, of whatever realm.
    pub(crate) fn is_date(self, value: Value<'js>) -> JsResult<bool> {
        read!(self, false, |out| sys::napi_is_date(
            self.env, value.raw, out
        ))
    }

    /// Whether the value is a promise.
    pub(crate) fn is_promise(self, value: Value<'js>) -> JsResult<bool> {
        read!(self, false, |out| sys::napi_is_promise(
            self.env, value.raw, out
        ))
    }

    // ---- primitive values

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

    /// `Number(value)` without the `BigInt` case: `ToNumber`, running `valueOf` and the like.
    pub(crate) fn to_number(self, value: Value<'js>) -> JsResult<f64> {
        // SAFETY: `env` and the handle belong to the current call and `out` is a live local.
        let number =
            self.value(|env, out| unsafe { sys::napi_coerce_to_number(env, value.raw, out) })?;
        self.number_of(number)
    }

    /// The time value of a `Date` in ms since the epoch, `NaN` for an invalid one.
    pub(crate) fn date_of(self, value: Value<'js>) -> JsResult<f64> {
        read!(self, 0.0, |out| sys::napi_get_date_value(
            self.env, value.raw, out
        ))
    }

    // ---- strings

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

    /// Lends the code units of a string, exactly as they are. Short strings stay on the stack.
    pub(crate) fn with_utf16<R>(
        self,
        string: Value<'js>,
        use_it: impl FnOnce(&[u16]) -> R,
    ) -> JsResult<R> {
        let mut short = [MaybeUninit::<u16>::uninit(); SHORT];
        let start = short.as_mut_ptr().cast();
        let length = read!(self, 0, |out| sys::napi_get_value_string_utf16(
            self.env, string.raw, start, SHORT, out
        ))?;
        if length < SHORT - 1 {
            // SAFETY: the call above wrote `length` units from `start` on.
            return Ok(use_it(unsafe { std::slice::from_raw_parts(start, length) }));
        }
        let none = ptr::null_mut();
        let length = read!(self, 0, |out| sys::napi_get_value_string_utf16(
            self.env, string.raw, none, 0, out
        ))?;
        // Node-API ends what it writes with a NUL of its own.
        let mut long = vec![0_u16; length + 1];
        let start = long.as_mut_ptr();
        let length = read!(self, 0, |out| sys::napi_get_value_string_utf16(
            self.env,
            string.raw,
            start,
            length + 1,
            out
        ))?;
        Ok(use_it(long.get(..length).unwrap_or_default()))
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
            return Ok(use_it(&String::from_utf8_lossy(bytes)));
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

    /// `JSON.stringify(value)` with whatever `JSON.stringify` is at the time: a string, or
    /// `undefined` for what JSON cannot hold.
    pub(crate) fn json_stringify(self, value: Value<'js>) -> JsResult<Value<'js>> {
        let json = self.get(self.global()?, c"JSON")?;
        let stringify = self.get(json, c"stringify")?;
        self.call("JSON.stringify", stringify, json, &[value])
    }

    // ---- objects

    /// `object.name`, with the engine's own `TypeError` on `undefined` and `null`, and a getter
    /// on a primitive's prototype seeing that very primitive.
    pub(crate) fn get(self, object: Value<'js>, name: &CStr) -> JsResult<Value<'js>> {
        let kind = self.type_of(object)?;
        if kind.is_object() {
            let name = name.as_ptr();
            // SAFETY: `env` and the handle belong to the current call, `name` is NUL-terminated.
            return self.value(|env, out| unsafe {
                sys::napi_get_named_property(env, object.raw, name, out)
            });
        }
        let name = name.to_string_lossy();
        if kind.is_nullish() {
            let what = if kind == Type::Null {
                "null"
            } else {
                "undefined"
            };
            let text = format!("Cannot read properties of {what} (reading '{name}')");
            return Err(self.throw_error(ErrorClass::TypeError, &text, None));
        }
        // Node-API would hand the getter a boxed copy; `Reflect.get` takes the receiver apart.
        // SAFETY: `env` and the handle belong to the current call and `out` is a live local.
        let boxed =
            self.value(|env, out| unsafe { sys::napi_coerce_to_object(env, object.raw, out) })?;
        let reflect = self.get(self.global()?, c"Reflect")?;
        let get = self.get(reflect, c"get")?;
        let name = self.string(&name)?;
        self.call("Reflect.get", get, reflect, &[boxed, name, object])
    }

    /// `object[key]` of an object.
    pub(crate) fn get_key(self, object: Value<'js>, key: Value<'js>) -> JsResult<Value<'js>> {
        // SAFETY: `env` and the handles belong to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_get_property(env, object.raw, key.raw, out) })
    }

    /// `array[index]`.
    pub(crate) fn element(self, array: Value<'js>, index: u32) -> JsResult<Value<'js>> {
        // SAFETY: `env` and the handle belong to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_get_element(env, array.raw, index, out) })
    }

    /// `array.length` of a real array.
    pub(crate) fn length(self, array: Value<'js>) -> JsResult<u32> {
        read!(self, 0, |out| sys::napi_get_array_length(
            self.env, array.raw, out
        ))
    }

    /// `[...items]` of handles: a plain array.
    pub(crate) fn array(self, items: &[Value<'js>]) -> JsResult<Value<'js>> {
        let length = items.len();
        // SAFETY: `env` belongs to the current call and `out` is a live local.
        let array =
            self.value(|env, out| unsafe { sys::napi_create_array_with_length(env, length, out) })?;
        for (index, item) in (0_u32..).zip(items) {
            // SAFETY: `env` and both handles belong to the current call.
            let status = unsafe { sys::napi_set_element(self.env, array.raw, index, item.raw) };
            self.check(status)?;
        }
        Ok(array)
    }

    /// An object literal: plain prototype, the keys in the order given, each an own property
    /// whatever setters `Object.prototype` may have got.
    pub(crate) fn object<const N: usize>(
        self,
        entries: [(&CStr, Value<'js>); N],
    ) -> JsResult<Value<'js>> {
        // SAFETY: `env` belongs to the current call and `out` is a live local.
        let object = self.value(|env, out| unsafe { sys::napi_create_object(env, out) })?;
        self.define(object, entries)?;
        Ok(object)
    }

    /// Adds own properties to an object, as a literal does.
    pub(crate) fn define<const N: usize>(
        self,
        object: Value<'js>,
        entries: [(&CStr, Value<'js>); N],
    ) -> JsResult<()> {
        let properties = entries.map(|(name, value)| sys::napi_property_descriptor {
            utf8name: name.as_ptr(),
            name: ptr::null_mut(),
            method: None,
            getter: None,
            setter: None,
            value: value.raw,
            attributes: sys::PropertyAttributes::writable
                | sys::PropertyAttributes::enumerable
                | sys::PropertyAttributes::configurable,
            data: ptr::null_mut(),
        });
        let start = properties.as_ptr();
        // SAFETY: `env` and the handles belong to the current call; `start` and `N` describe
        // `properties`, whose names are NUL-terminated and outlive the call.
        let status = unsafe { sys::napi_define_properties(self.env, object.raw, N, start) };
        self.check(status)
    }

    /// `Object.freeze(object)`.
    pub(crate) fn freeze(self, object: Value<'js>) -> JsResult<Value<'js>> {
        // SAFETY: `env` and the handle belong to the current call.
        let status = unsafe { sys::napi_object_freeze(self.env, object.raw) };
        self.check(status).map(|()| object)
    }

    // ---- calls

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
    pub(crate) fn catch(self, _: Thrown) -> JsResult<Value<'js>> {
        // SAFETY: `env` belongs to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_get_and_clear_last_exception(env, out) })
    }

    /// `[...iterable]` as handles, by the iteration protocol itself: a string gives code points,
    /// a hole gives `undefined`, and each step is as visible to user code as the spread's are.
    pub(crate) fn spread(self, iterable: Value<'js>) -> JsResult<Vec<Value<'js>>> {
        if self.type_of(iterable)?.is_nullish() {
            return Err(self.not_iterable());
        }
        let symbol = self.get(self.get(self.global()?, c"Symbol")?, c"iterator")?;
        let method = self.get_key(iterable, symbol)?;
        if self.type_of(method)? != Type::Function {
            return Err(self.not_iterable());
        }
        let iterator = self.call("iterator", method, iterable, &[])?;
        if !self.type_of(iterator)?.is_object() {
            let text = "Result of the Symbol.iterator method is not an object";
            return Err(self.throw_error(ErrorClass::TypeError, text, None));
        }
        let next = self.get(iterator, c"next")?;
        let mut items = Vec::new();
        loop {
            let step = self.call("iterator.next", next, iterator, &[])?;
            if !self.type_of(step)?.is_object() {
                let text = "Iterator result is not an object";
                return Err(self.throw_error(ErrorClass::TypeError, text, None));
            }
            let done = self.get(step, c"done")?;
            if self.truthy(done)? {
                return Ok(items);
            }
            items.push(self.get(step, c"value")?);
        }
    }

    fn not_iterable(self) -> Thrown {
        let text = "Spread syntax requires ...iterable[Symbol.iterator] to be a function";
        self.throw_error(ErrorClass::TypeError, text, None)
    }

    // ---- errors

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

    /// `throw new Error(text)` or another built-in class.
    pub(crate) fn throw_error(self, class: ErrorClass, text: &str, code: Option<&str>) -> Thrown {
        let error = self
            .string(text)
            .and_then(|message| self.error(class, message, code));
        match error {
            Ok(error) => self.throw(error),
            Err(thrown) => thrown,
        }
    }

    /// `throw new Error(message)` with a message of any UTF-16 code units.
    pub(crate) fn throw_utf16(self, class: ErrorClass, message: &[u16]) -> Thrown {
        let error = self
            .utf16(message)
            .and_then(|message| self.error(class, message, None));
        match error {
            Ok(error) => self.throw(error),
            Err(thrown) => thrown,
        }
    }
}
