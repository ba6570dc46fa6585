//! Marker blocks as JavaScript has them: UTF-16 text, dates, and the five keys.

use super::js::{ErrorClass, Js, JsResult, Type, Value};
use crate::inbox::block::{Block, Key, split_text};
use crate::inbox::{JsonText, MarkerLines, Markers, Time, session_marker_lines};

/// `sessionMarkerLines({ claimedBy, deferredUntil, deferredReason, repliedAt, now } = {})`.
pub(super) fn lines<'js>(js: Js<'js>, lines: Value<'js>) -> JsResult<Value<'js>> {
    if js.type_of(lines)? == Type::Undefined {
        return js.string("");
    }
    let claimed_by = js.get(lines, c"claimedBy")?;
    let deferred_until = js.get(lines, c"deferredUntil")?;
    let deferred_reason = js.get(lines, c"deferredReason")?;
    let replied_at = js.get(lines, c"repliedAt")?;
    let now = js.get(lines, c"now")?;

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

/// `parseSessionMarkers(body)`.
pub(super) fn parse<'js>(js: Js<'js>, body: Value<'js>) -> JsResult<Value<'js>> {
    text_of(js, body, |text| {
        let block = split_text(text.as_bytes());
        object(js, |key| value(js, &block, key))
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
    object(js, |key| {
        let text = match key {
            Key::ClaimedBy => &markers.claimed_by,
            Key::ClaimedAt => &markers.claimed_at,
            Key::ClaimToken => &markers.claim_token,
            Key::DeferredUntil => &markers.deferred_until,
            Key::DeferredReason => &markers.deferred_reason,
            Key::RepliedAt => &markers.replied_at,
        };
        text.as_deref().map(|text| js.string(text)).transpose()
    })
}

fn object<'js>(
    js: Js<'js>,
    value: impl Fn(Key) -> JsResult<Option<Value<'js>>>,
) -> JsResult<Value<'js>> {
    let or_null = |key| value(key)?.map_or_else(|| js.null(), Ok);
    let markers = js.object([
        (c"claimedBy", or_null(Key::ClaimedBy)?),
        (c"claimedAt", or_null(Key::ClaimedAt)?),
        (c"deferredUntil", or_null(Key::DeferredUntil)?),
        (c"deferredReason", or_null(Key::DeferredReason)?),
        (c"repliedAt", or_null(Key::RepliedAt)?),
    ])?;
    if let Some(token) = value(Key::ClaimToken)? {
        js.define(markers, [(c"claimToken", token)])?;
    }
    Ok(markers)
}
