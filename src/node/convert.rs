//! What napi's own conversions do not do: say which argument is wrong, in a `TypeError`; take `null`
//! for a missing value; refuse options that nobody knows.

use std::fmt;
use std::time::SystemTime;

use napi::bindgen_prelude::{
    Either, Env, Error, FromNapiValue, JsError, JsObjectValue, JsTypeError, JsValue, Null, Object,
    Result, Status, TypeName, Unknown, ValidateNapiValue, sys,
};
use napi::{JsDate, ValueType};

use crate::inbox::time::Time;
use crate::text::Quoted;

/// An argument. What is wrong with it is said once it is asked for by its name.
pub(super) struct Arg<T>(Result<T>, ValueType);

impl<T: FromNapiValue + ValidateNapiValue> FromNapiValue for Arg<T> {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: the environment and the handle are the caller's.
        let valid = unsafe { T::validate(env, value) };
        // SAFETY: as above.
        let read = valid.and_then(|_| unsafe { T::from_napi_value(env, value) });
        Ok(Self(read, T::value_type()))
    }
}

impl<T> Arg<T> {
    /// The value, or a sentence that names the argument: for calls that answer instead of throwing.
    pub(super) fn say(self, name: &str) -> std::result::Result<T, String> {
        let Self(read, kind) = self;
        read.map_err(|error| complaint(&error, name, kind))
    }

    /// The value, or a `TypeError` that names the argument, which Rust spells in its own way.
    pub(super) fn named(self, env: &Env, name: &str) -> Result<T> {
        let Self(read, kind) = self;
        // What a getter threw is pending, and comes out as it is.
        read.map_err(|error| match error.status {
            Status::PendingException | Status::GenericFailure => error,
            _ => type_error(env, "ERR_INVALID_ARG_TYPE", &complaint(&error, &camel(name), kind)),
        })
    }
}

/// napi's error as a sentence about `name`. napi appends ` on Struct.field` for each struct that it
/// was in.
fn complaint(error: &Error, name: &str, kind: ValueType) -> String {
    let mut reason = error.reason.as_str();
    let mut path = String::new();
    while let Some((before, place)) = reason.rsplit_once(" on ")
        && let Some((_, field)) = place.split_once('.')
        && field.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        path = format!("{path}.{field}");
        reason = before;
    }
    let within = |start| Some(reason.strip_prefix(start)?.trim_matches('`'));
    if error.status == Status::DateExpected {
        let field = path.rsplit('.').next().unwrap_or_default();
        return not_a_time(if field.is_empty() { name } else { field });
    }
    if let Some(field) = within("Missing field ") {
        return format!("{name}{path}.{field} is missing");
    }
    if let Some(field) = within(UNKNOWN_OPTION) {
        return format!("{name}{path}.{field} is not an option");
    }
    // What is wrong with the argument itself, and not with something in it.
    let own = path.is_empty() && error.status == Status::InvalidArg;
    let expected = match (error.status, kind) {
        (Status::StringExpected, _) => "a string",
        (Status::NumberExpected, _) => "a number",
        (Status::BooleanExpected, _) => "a boolean",
        (Status::ArrayExpected, _) => "an array",
        (Status::ObjectExpected, _) => "an object",
        _ if own && reason == "Expected an array" => "an array",
        (_, ValueType::String) if own => "a string",
        (_, ValueType::Function) if own => "a function",
        (_, ValueType::Object) if own => "an object",
        _ => "another type of value",
    };
    format!("{name}{path} must be {expected}")
}

/// A `TypeError`, its code one of Node's own or of ours.
pub(super) fn type_error(env: &Env, code: &'static str, text: &str) -> Error {
    JsTypeError::from(Error::new(code, text)).into_unknown(*env).into()
}

/// A whole number, refused where it is not one, or not one that the core has.
pub(super) fn whole<T: TryFrom<i64>>(env: &Env, what: &str, number: f64) -> Result<T> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and exact")]
    let whole = (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64);
    let whole = whole.ok_or_else(|| wrong_value(env, &format!("{what} must be a whole number")))?;
    whole.try_into().map_err(|_| wrong_value(env, &format!("{what} is out of range: {number}")))
}

/// A `TypeError` for an argument of the right type that cannot be used.
pub(super) fn wrong_value(env: &Env, text: &str) -> Error {
    type_error(env, "ERR_INVALID_ARG_VALUE", text)
}

/// An `Error` with a code to branch on.
pub(super) fn error(env: &Env, code: &str, text: &str) -> Error {
    JsError::from(Error::new(code, text)).into_unknown(*env).into()
}

/// An `Error` as JavaScript code throws it: napi's always have a `code`.
pub(super) fn plain_error(env: &Env, text: &str) -> Result<Error> {
    let mut error = JsError::from(Error::new("", text)).into_unknown(*env).coerce_to_object()?;
    error.delete_named_property("code")?;
    Ok(error.to_unknown().into())
}

/// A string where the published functions also take `undefined` and `null`, as the words that
/// JavaScript has for them.
#[derive(Default)]
pub(super) enum Word {
    #[default]
    Undefined,
    Null,
    Text(String),
}

impl FromNapiValue for Word {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: the environment and the handle are the caller's.
        match unsafe { Unknown::from_napi_value(env, value) }?.get_type()? {
            ValueType::Undefined => Ok(Self::Undefined),
            ValueType::Null => Ok(Self::Null),
            // SAFETY: as above.
            _ => unsafe { String::from_napi_value(env, value) }.map(Self::Text),
        }
    }
}

impl TypeName for Word {
    fn type_name() -> &'static str {
        "String"
    }

    fn value_type() -> ValueType {
        ValueType::String
    }
}

impl ValidateNapiValue for Word {
    unsafe fn validate(_: sys::napi_env, _: sys::napi_value) -> Result<sys::napi_value> {
        Ok(std::ptr::null_mut())
    }
}

impl Word {
    /// Its text, as `String(word)` gives it.
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Undefined => "undefined",
            Self::Null => "null",
            Self::Text(text) => text,
        }
    }
}

/// The word as `JSON.stringify` gives it.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => Quoted(text).fmt(f),
            Self::Undefined | Self::Null => f.write_str(self.as_str()),
        }
    }
}

/// A time: milliseconds since the epoch, or a `Date`; within the range of a `Date` in either case.
#[derive(Clone, Copy)]
pub(super) struct Moment(pub(super) SystemTime);

impl FromNapiValue for Moment {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: the environment and the handle are the caller's.
        let millis = match unsafe { Either::<f64, JsDate<'_>>::from_napi_value(env, value) } {
            Ok(Either::A(millis)) => millis,
            Ok(Either::B(date)) => date.value_of()?,
            Err(_) => f64::NAN,
        };
        let time = Time::from_millis(millis)
            .ok_or_else(|| Error::new(Status::DateExpected, "not a time"))?;
        Ok(Self(time.into()))
    }
}

/// What is said of an invalid time.
pub(super) fn not_a_time(name: &str) -> String {
    format!("{name} must be a valid time: milliseconds since the epoch or a Date")
}

/// Milliseconds since the epoch.
pub(super) fn millis_of(time: SystemTime) -> f64 {
    Time::from(time).millis()
}

/// A value that may be null, where a missing property would say something else.
pub(super) type OrNull<T> = Either<T, Null>;

/// The one type of value that is looked at, where any other counts as nothing.
pub(super) fn either_a<T, U>(value: Either<T, U>) -> Option<T> {
    match value {
        Either::A(value) => Some(value),
        Either::B(_) => None,
    }
}

pub(super) fn each<T, R: From<T>>(items: impl IntoIterator<Item = T>) -> Vec<R> {
    items.into_iter().map(R::from).collect()
}

pub(super) fn or_null<T>(value: Option<T>) -> OrNull<T> {
    value.map_or(Either::B(Null), Either::A)
}

const UNKNOWN_OPTION: &str = "Unknown option ";

/// A struct of options, and the names of its fields as Rust spells them.
pub(super) trait Options: FromNapiValue + TypeName {
    const FIELDS: &'static [&'static str];
}

/// Options with no other key than their own.
#[derive(Default)]
pub(super) struct Known<T>(pub(super) T);

impl<T: Options> FromNapiValue for Known<T> {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: the environment and the handle are the caller's.
        let object = unsafe { Object::from_napi_value(env, value) }?;
        let known = |key: &str| T::FIELDS.iter().any(|field| camel(field) == key);
        if let Some(key) = Object::keys(&object)?.iter().find(|key| !known(key)) {
            let text = format!("{UNKNOWN_OPTION}`{key}`");
            return Err(Error::new(Status::InvalidArg, text));
        }
        // SAFETY: as above.
        unsafe { T::from_napi_value(env, value) }.map(Self)
    }
}

impl<T: Options> TypeName for Known<T> {
    fn type_name() -> &'static str {
        T::type_name()
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl<T: Options> ValidateNapiValue for Known<T> {}

/// Tells napi that types which are read from JavaScript are objects there.
macro_rules! objects {
    ($($name:ident),+) => {$(
        impl TypeName for $name {
            fn type_name() -> &'static str { stringify!($name) }
            fn value_type() -> ValueType { ValueType::Object }
        }

        impl ValidateNapiValue for $name {}
    )+};
}

/// A name as JavaScript spells it.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        name + &initial.to_ascii_uppercase() + rest
    })
}

/// Declares functions of JavaScript whose arguments are named in what is said of them.
macro_rules! exports {
    ($($(#[$meta:meta])*
    fn $name:ident($env:ident $(, $arg:ident: $type:ty)*) -> $answer:ty $body:block)+) => {$(
        $(#[$meta])*
        #[napi_derive::napi(catch_unwind)]
        #[allow(clippy::unnecessary_wraps, unused_braces, reason = "one shape for all of them")]
        pub(super) fn $name(
            $env: &napi::Env $(, $arg: $crate::node::convert::Arg<$type>)*
        ) -> napi::Result<$answer> {
            $(let $arg = $arg.named($env, stringify!($arg))?;)*
            $body
        }
    )+};
}

/// Declares an object that is answered, and how each of its fields is made of what the core says.
/// The types are in brackets since napi has to see which are an `Option`.
macro_rules! rows {
    ($($(#[$meta:meta])* $name:ident of $core:pat => $from:ty { $($field:ident: [$($type:tt)+] = $value:expr,)+ })+) => {$(
        $(#[$meta])*
        #[napi_derive::napi(object, object_from_js = false)]
        pub struct $name { $(pub $field: $($type)+,)+ }

        impl From<$from> for $name {
            fn from($core: $from) -> Self {
                Self { $($field: $value,)+ }
            }
        }
    )+};
}

/// Declares objects as napi reads and makes them, with what its attribute is to say of each.
macro_rules! shapes {
    ($($(#[$meta:meta])* ($($how:tt)*) $name:ident $(<$life:lifetime>)? { $($(#[$of:meta])* $field:ident: [$($type:tt)+],)+ })+) => {$(
        $(#[$meta])*
        #[napi_derive::napi(object, $($how)*)]
        pub struct $name $(<$life>)? { $($(#[$of])* pub $field: $($type)+,)+ }
    )+};
}

/// Declares structs of options that take no other key. Fields in brackets have to be there, all
/// others may be missing or `null`.
macro_rules! options {
    ($($(#[$meta:meta])* struct $name:ident { $([$($must:ident: $of:ty,)*])? $($field:ident: $type:ty,)* })+) => {$(
        $(#[$meta])*
        #[napi_derive::napi(object, object_to_js = false)]
        pub struct $name { $($(pub $must: $of,)*)? $(pub $field: Option<Option<$type>>,)* }

        impl $crate::node::convert::Options for $name {
            const FIELDS: &'static [&'static str] = &[$($(stringify!($must),)*)? $(stringify!($field),)*];
        }
    )+};
}

pub(super) use {exports, objects, options, rows, shapes};
