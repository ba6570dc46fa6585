//! Marker blocks as JavaScript has them: UTF-16 text, dates, and the five keys.

use super::js::{ErrorClass, Js, JsResult, Type, Value};
use crate::inbox::block::{Block, Key, split_text};
use crate::inbox::{JsonText, MarkerLines, Markers, Time, session_marker_lines};

/// `sessionMarkerLines({ claimedBy, deferredUntil, deferredReason, repliedAt, now } = {})`, its
/// properties as index.js has read them.
pub(super) fn lines<'js>(
    js: Js<'js>,
    claimed_by: Value<'js>,
    deferred_until: Value<'js>,
    deferred_reason: Value<'js>,
    replied_at: Value<'js>,
    now: Value<'js>,
) -> JsResult<Value<'js>> {
    let some = |value| Ok((!js.type_of(value)?.is_nullish()).then_some(value));
    let claim = if js.truthy(claimed_by)? {
        let by = json_text(js, claimed_by)?;
        let at = if js.type_of(now)? == Type::Undefined {
            js.now()?
        } else {
            time_as_date(js, now)?
        };
        Some((by, at))
    } else {
        None
    };
    let lines = MarkerLines {
        claim,
        deferred_until: some(deferred_until)?
            .map(|value| time_as_date(js, value))
            .transpose()?,
        deferred_reason: some(deferred_reason)?
            .map(|value| json_text(js, value))
            .transpose()?,
        replied_at: some(replied_at)?
            .map(|value| time_as_date(js, value))
            .transpose()?,
    };
    js.string(&session_marker_lines(&lines))
}

/// `JSON.stringify(value)`, with what could end a line escaped.
fn json_text<'js>(js: Js<'js>, value: Value<'js>) -> JsResult<JsonText> {
    if js.is_string(value)? {
        return js.with_utf16(value, JsonText::from_utf16);
    }
    let json = js.json_stringify(value)?;
    let json = js.to_string(json)?;
    js.utf8(json).map(JsonText::from_json)
}

/// `new Date(value)`, whose time must be valid.
fn time_as_date<'js>(js: Js<'js>, value: Value<'js>) -> JsResult<Time> {
    let millis = match js.type_of(value)? {
        Type::Number => js.number_of(value)?,
        _ if js.is_date(value)? => js.date_of(value)?,
        _ => js.date_of(js.new_date(value)?)?,
    };
    // The text of `toISOString`, which is what would throw here in JavaScript.
    Time::from_millis(millis)
        .ok_or_else(|| js.throw_error(ErrorClass::RangeError, "Invalid time value", None))
}

fn text_of<'js, R>(js: Js<'js>, body: Value<'js>, use_it: impl FnOnce(&str) -> R) -> JsResult<R> {
    if !js.is_string(body)? {
        return Err(js.throw_error(
            ErrorClass::TypeError,
            "body must be a string",
            Some("invalid-argument"),
        ));
    }
    js.with_utf8(body, use_it)
}

/// `parseSessionMarkers(body)`; `literal` makes the object of its five values.
pub(super) fn parse<'js>(
    js: Js<'js>,
    body: Value<'js>,
    literal: Value<'js>,
) -> JsResult<Value<'js>> {
    text_of(js, body, |text| {
        let block = split_text(text.as_bytes());
        let values = or_null(js, |key| value(js, &block, key))?;
        let markers = js.call("sessionMarkers", literal, js.undefined()?, &values)?;
        with_token(js, markers, value(js, &block, Key::ClaimToken)?)
    })?
}

/// `stripSessionMarkers(body)`: the very text where there is no block.
pub(super) fn strip<'js>(js: Js<'js>, body: Value<'js>) -> JsResult<Value<'js>> {
    // A lone surrogate and its stand-in are one unit each, so the block has as many in both.
    let units = text_of(js, body, |text| {
        text.get(split_text(text.as_bytes()).start..)
            .unwrap_or_default()
            .encode_utf16()
            .count()
    })?;
    if units == 0 {
        return Ok(body);
    }
    js.with_utf16(body, |text| {
        js.utf16(text.get(..text.len() - units).unwrap_or_default())
    })?
}

/// One value of a block; a JSON string with the escape of a lone surrogate is the engine's to decode.
fn value<'js>(js: Js<'js>, block: &Block<'_>, key: Key) -> JsResult<Option<Value<'js>>> {
    if let Some(raw @ [b'"', ..]) = block.raw(key)
        && memchr::memchr(b'\\', raw).is_some()
        && raw
            .windows(3)
            .any(|escape| escape.eq_ignore_ascii_case(b"\\ud"))
    {
        let json = js.string(&String::from_utf8_lossy(raw))?;
        match js.json_parse(json) {
            Ok(text) => return Ok(Some(text)),
            Err(thrown) => drop(js.catch(thrown)?),
        }
    }
    block.text(key).map(|text| js.string(&text)).transpose()
}

/// The markers of a listed item.
pub(super) fn of_item<'js>(js: Js<'js>, markers: &Markers) -> JsResult<Value<'js>> {
    let value = |key| {
        let text = match key {
            Key::ClaimedBy => &markers.claimed_by,
            Key::ClaimedAt => &markers.claimed_at,
            Key::ClaimToken => &markers.claim_token,
            Key::DeferredUntil => &markers.deferred_until,
            Key::DeferredReason => &markers.deferred_reason,
            Key::RepliedAt => &markers.replied_at,
        };
        text.as_deref().map(|text| js.string(text)).transpose()
    };
    let [by, at, until, reason, replied] = or_null(js, value)?;
    let markers = js.object([
        (c"claimedBy", by),
        (c"claimedAt", at),
        (c"deferredUntil", until),
        (c"deferredReason", reason),
        (c"repliedAt", replied),
    ])?;
    with_token(js, markers, value(Key::ClaimToken)?)
}

/// The keys that are always there, in their order.
const KEYS: [Key; 5] = [
    Key::ClaimedBy,
    Key::ClaimedAt,
    Key::DeferredUntil,
    Key::DeferredReason,
    Key::RepliedAt,
];

/// The values of these keys, `null` for one that has none.
fn or_null<'js>(
    js: Js<'js>,
    value: impl Fn(Key) -> JsResult<Option<Value<'js>>>,
) -> JsResult<[Value<'js>; KEYS.len()]> {
    let mut values = [js.null()?; KEYS.len()];
    for (slot, key) in values.iter_mut().zip(KEYS) {
        if let Some(value) = value(key)? {
            *slot = value;
        }
    }
    Ok(values)
}

fn with_token<'js>(
    js: Js<'js>,
    markers: Value<'js>,
    token: Option<Value<'js>>,
) -> JsResult<Value<'js>> {
    if let Some(token) = token {
        js.define(markers, [(c"claimToken", token)])?;
    }
    Ok(markers)
}
