//! The values of an item, between JavaScript and YAML.

use napi::bindgen_prelude::{
    Env, FromNapiValue, JsObjectValue, Null, Object, ToNapiValue, TypeName, Unknown,
    ValidateNapiValue,
};
use napi::{
    Error, JsValue, KeyCollectionMode, KeyConversion, KeyFilter, Property, PropertyAttributes,
    Status, ValueType, sys,
};
use serde_yaml::{Mapping, Value};

use crate::inbox::{Refusal, Refused, Taken};

/// The deepest value that is read: objects may go round in circles.
const MAX_DEPTH: usize = 64;

/// What an item says, or is to say: a mapping, `null`, or why a value cannot be written.
pub struct YamlItem(Result<Value, String>);

impl YamlItem {
    /// What a claimed item says.
    pub(super) fn of(taken: &Taken) -> Self {
        Self(Ok(taken.mapping().map_or(Value::Null, Value::Mapping)))
    }

    pub(super) fn into_value(self) -> Result<Value, Refusal> {
        self.0.map_err(|message| Refusal { error: Refused::InvalidArgument, code: None, message })
    }
}

impl TypeName for YamlItem {
    fn type_name() -> &'static str {
        "object"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ValidateNapiValue for YamlItem {}

impl FromNapiValue for YamlItem {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        // SAFETY: both are what this was called with.
        let value = unsafe { Unknown::from_napi_value(env, value) }?;
        if value.get_type()? != ValueType::Object || value.is_array()? {
            let text = "an item must be an object or a text";
            return Err(Error::new(Status::ObjectExpected, text));
        }
        Ok(Self(read(&value, 0).map_err(|error| error.reason.clone())))
    }
}

impl ToNapiValue for YamlItem {
    unsafe fn to_napi_value(env: sys::napi_env, item: Self) -> napi::Result<sys::napi_value> {
        let value = item.0.unwrap_or_default();
        write(&Env::from_raw(env), &value).map(|value| value.raw())
    }
}

/// A value of JavaScript as YAML has it; what is `undefined` in an object is left out.
fn read(value: &Unknown<'_>, depth: usize) -> napi::Result<Value> {
    let refuse = |why: String| Err(Error::from_reason(why));
    if depth > MAX_DEPTH {
        return refuse(format!(
            "the item is nested deeper than {MAX_DEPTH} values, or in a circle"
        ));
    }
    match value.get_type()? {
        ValueType::Null | ValueType::Undefined => Ok(Value::Null),
        ValueType::Boolean => bool::from_unknown(*value).map(Value::Bool),
        ValueType::Number => f64::from_unknown(*value).map(|number| Value::Number(number.into())),
        ValueType::String => String::from_unknown(*value).map(Value::String),
        ValueType::Object if value.is_array()? => {
            let items = Vec::<Unknown<'_>>::from_unknown(*value)?;
            let items = items.iter().map(|item| read(item, depth + 1));
            items.collect::<napi::Result<_>>().map(Value::Sequence)
        }
        ValueType::Object if value.is_date()? => {
            refuse("a Date is not written: give the text or the number that is meant".to_owned())
        }
        ValueType::Object => {
            let object = Object::from_unknown(*value)?;
            let mut mapping = Mapping::new();
            let names = names(&object)?;
            for at in 0..names.get_array_length()? {
                let key: Unknown<'_> = names.get_element(at)?;
                if key.get_type()? == ValueType::Symbol {
                    continue;
                }
                let item: Unknown<'_> = object.get_property(key)?;
                if item.get_type()? != ValueType::Undefined {
                    let key = String::from_unknown(key)?;
                    mapping.insert(key.into(), read(&item, depth + 1)?);
                }
            }
            Ok(Value::Mapping(mapping))
        }
        other => refuse(format!("a {other} cannot be written as YAML")),
    }
}

/// The object's own keys. They are never made C strings of: a key may have a NUL.
fn names<'o>(object: &Object<'o>) -> napi::Result<Object<'o>> {
    object.get_all_property_names(
        KeyCollectionMode::OwnOnly,
        KeyFilter::Enumerable,
        KeyConversion::NumbersToStrings,
    )
}

/// A value of YAML as JavaScript has it; a key that is no text becomes one.
fn write<'env>(env: &'env Env, value: &Value) -> napi::Result<Unknown<'env>> {
    match value {
        Value::Null => Null.into_unknown(env),
        Value::Bool(bool) => bool.into_unknown(env),
        Value::Number(number) => number.as_f64().unwrap_or(f64::NAN).into_unknown(env),
        Value::String(text) => text.as_str().into_unknown(env),
        Value::Sequence(items) => {
            let items = items.iter().map(|item| write(env, item));
            items.collect::<napi::Result<Vec<_>>>()?.into_unknown(env)
        }
        Value::Mapping(entries) => {
            // Defined and not set: of an item's keys `__proto__` is one like any other.
            let attributes = PropertyAttributes::Writable
                | PropertyAttributes::Enumerable
                | PropertyAttributes::Configurable;
            let properties = entries.iter().map(|(key, value)| {
                let key = match key {
                    Value::String(text) => text.clone(),
                    other => serde_yaml::to_string(other).unwrap_or_default().trim_end().to_owned(),
                };
                let property = Property::new().with_property_attributes(attributes);
                Ok(property.with_name(env, key)?.with_value(&write(env, value)?))
            });
            let mut object = Object::new(env)?;
            object.define_properties(&properties.collect::<napi::Result<Vec<_>>>()?)?;
            object.into_unknown(env)
        }
        Value::Tagged(tagged) => write(env, &tagged.value),
    }
}
