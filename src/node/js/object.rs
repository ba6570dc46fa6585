//! Objects and arrays: properties read as JavaScript reads them, literals made as it makes them.

use std::ffi::CStr;
use std::ptr;

use napi::sys;

use super::{ErrorClass, Js, JsResult, Type, Value};

impl<'js> Js<'js> {
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

    /// The names that `for (const name in object)` goes through, as an array.
    pub(crate) fn keys(self, object: Value<'js>) -> JsResult<Value<'js>> {
        // SAFETY: `env` and the handle belong to the current call and `out` is a live local.
        self.value(|env, out| unsafe { sys::napi_get_property_names(env, object.raw, out) })
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

    /// The same array, made by `(...items) => items`: a call costs what one element does
    /// otherwise. Longer ones than the engine takes as arguments are made element by element.
    pub(crate) fn array_by(self, rest: Value<'js>, items: &[Value<'js>]) -> JsResult<Value<'js>> {
        if items.len() > 1000 {
            return self.array(items);
        }
        self.call("rest", rest, self.undefined()?, items)
    }

    /// Appends the elements of a plain array that no user code has seen.
    pub(crate) fn elements(self, array: Value<'js>, to: &mut Vec<Value<'js>>) -> JsResult<()> {
        for index in 0..self.length(array)? {
            to.push(self.element(array, index)?);
        }
        Ok(())
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
}
