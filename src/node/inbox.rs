//! The surface of `seatkit/inbox-claims`: every call on the calling thread.
#![expect(unreachable_pub, reason = "napi takes public constants only")]

use napi::bindgen_prelude::Env;
use napi_derive::napi;

use super::inbox_call::{self as call, Answer};
use super::inbox_markers as markers;
use super::js::{Js, JsResult, Value};

/// A session's claim that was not replied to is given back after 20 minutes, in milliseconds.
#[napi(js_name = "SESSION_CLAIM_STALE_MS")]
pub const SESSION_CLAIM_STALE_MS: f64 = crate::inbox::SESSION_CLAIM_STALE_MS;

/// An item that a daemon dispatched and lost is given back after 30 minutes, in milliseconds.
#[napi(js_name = "DAEMON_ORPHAN_RECLAIM_MS")]
pub const DAEMON_ORPHAN_RECLAIM_MS: f64 = crate::inbox::DAEMON_ORPHAN_RECLAIM_MS;

/// A replied item is retired to `processed` after 60 minutes, in milliseconds.
#[napi(js_name = "REPLIED_RETIRE_MS")]
pub const REPLIED_RETIRE_MS: f64 = crate::inbox::REPLIED_RETIRE_MS;

fn run<'js>(
    env: &'js Env,
    job: impl FnOnce(Js<'js>) -> JsResult<call::Job>,
) -> napi::Result<Value<'js>> {
    let js = Js::new(env);
    let answer: Answer = job(js)?.run();
    Ok(answer.into_js(js)?)
}

/// Renders a marker block. Times are milliseconds since the epoch or a `Date`, and come out exactly as
/// `toISOString` writes them; an invalid one throws a `RangeError`, as it does.
///
/// ```js
/// sessionMarkerLines({ claimedBy: "session", now: 0 });
/// // claimed_by: "session"
/// // claimed_at: "1970-01-01T00:00:00.000Z"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "lines?: MarkerLines",
    ts_return_type = "string"
)]
pub(super) fn session_marker_lines<'js>(
    env: &'js Env,
    claimed_by: Value<'js>,
    deferred_until: Value<'js>,
    deferred_reason: Value<'js>,
    replied_at: Value<'js>,
    now: Value<'js>,
) -> napi::Result<Value<'js>> {
    Ok(markers::lines(
        Js::new(env),
        claimed_by,
        deferred_until,
        deferred_reason,
        replied_at,
        now,
    )?)
}

/// Reads the marker block that ends `body`: always the five keys, each a string or `null`, and
/// `claimToken` where there is one. Marker-looking lines anywhere else belong to the item.
///
/// ```js
/// parseSessionMarkers('id: m1\nclaimed_by: "session"\n').claimedBy; // "session"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "body: string",
    ts_return_type = "SessionMarkers"
)]
pub(super) fn parse_session_markers<'js>(
    env: &'js Env,
    body: Value<'js>,
    literal: Value<'js>,
) -> napi::Result<Value<'js>> {
    Ok(markers::parse(Js::new(env), body, literal)?)
}

/// `body` without the marker block that ends it: the item's own text.
///
/// ```js
/// stripSessionMarkers('id: m1\nclaimed_by: "session"\n'); // "id: m1\n"
/// ```
#[napi(catch_unwind, ts_args_type = "body: string", ts_return_type = "string")]
pub(super) fn strip_session_markers<'js>(
    env: &'js Env,
    body: Value<'js>,
) -> napi::Result<Value<'js>> {
    Ok(markers::strip(Js::new(env), body)?)
}

/// Finds the file of an item by its id, in one service or in all; `null` when there is none.
///
/// An exact id beats any part of a stem, a part must be unique. Of several files with the id in one
/// service the most alive wins; an id in two services is `null` unless `service` narrows the search.
/// Throws only what is no answer: a folder that exists and cannot be read (`code` is the errno name).
///
/// ```js
/// findInboxFile("/seat", "cohort-abc123", { service: "cohort" })?.state; // "new"
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "root: string, id: string, options?: FindOptions",
    ts_return_type = "InboxFile | null"
)]
pub(super) fn find_inbox_file<'js>(
    env: &'js Env,
    root: Value<'js>,
    id: Value<'js>,
    options: Value<'js>,
) -> napi::Result<Value<'js>> {
    run(env, |js| call::find(js, root, id, options))
}

/// Lists every item with its state and markers, in the order of services and names, and with
/// `next: true` what a sweep will do with it and when.
///
/// ```js
/// listInbox("/seat", { state: "claimed" }).map((item) => item.id);
/// listInbox("/seat", { next: true })[0]?.next; // { reason: "claim-stale", at: 1788863400001 }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "root: string, options?: ListOptions",
    ts_return_type = "InboxItem[]"
)]
pub(super) fn list_inbox<'js>(
    env: &'js Env,
    root: Value<'js>,
    options: Value<'js>,
) -> napi::Result<Value<'js>> {
    run(env, |js| call::list(js, root, options))
}

/// Claims a new item: `claimed`, with a block that says by whom and since when. Of any number of
/// callers one wins. Refused as `not-claimable`, `busy`, `conflict`, `unstampable`, `claim-lost`,
/// `invalid-argument`, `invalid-time` or `io`; the item is then as it was.
///
/// ```js
/// const claim = markSessionClaim("/seat", "cohort", { id: "m1" }, { token: true });
/// if (claim.ok) markSessionReplied("/seat", "cohort", { id: "m1" }, { token: claim.token });
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options?: ClaimOptions",
    ts_return_type = "ClaimResult"
)]
pub(super) fn mark_session_claim<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<Value<'js>> {
    run(env, |js| call::claim(js, root, service, item, options))
}

/// Parks a new or claimed item until a time. Refused as `not-deferrable`, `already-replied`,
/// `claim-lost`, `busy`, `conflict`, `unstampable`, `invalid-argument`, `invalid-time` or `io`.
///
/// ```js
/// markSessionDeferral("/seat", "cohort", { id: "m1" }, { until: Date.now() + 60_000, reason: "waiting" });
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options: DeferralOptions",
    ts_return_type = "MarkResult"
)]
pub(super) fn mark_session_deferral<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<Value<'js>> {
    run(env, |js| call::deferral(js, root, service, item, options))
}

/// Notes that a claimed item was answered; no sweep gives it back any more. When this returns, the
/// reply is on the disk. Refused as `not-in-flight`, `claim-lost`, `busy`, `invalid-argument`,
/// `invalid-time` or `io`.
///
/// ```js
/// markSessionReplied("/seat", "cohort", { id: "m1" }); // { ok: true, path: "…/m1.yaml.dispatched" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options?: MarkOptions",
    ts_return_type = "MarkResult"
)]
pub(super) fn mark_session_replied<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<Value<'js>> {
    run(env, |js| call::replied(js, root, service, item, options))
}

/// Finishes a claimed item: `processed`, its bytes unchanged. Refused as `not-in-flight`,
/// `claim-lost`, `busy`, `conflict`, `invalid-argument`, `invalid-time` or `io`.
///
/// ```js
/// markSessionDone("/seat", "cohort", { id: "m1" }); // { ok: true, path: "…/m1.yaml.processed" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options?: MarkOptions",
    ts_return_type = "MarkResult"
)]
pub(super) fn mark_session_done<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<Value<'js>> {
    run(env, |js| call::done(js, root, service, item, options))
}

/// Gives a claimed item back at once: `new`, its block cut. Refused as `not-in-flight`,
/// `already-replied`, `claim-lost`, `busy`, `conflict`, `invalid-argument` or `io`.
///
/// ```js
/// releaseSessionClaim("/seat", "cohort", { id: "m1" }); // { ok: true, path: "…/m1.yaml" }
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options?: OwnerOptions",
    ts_return_type = "MarkResult"
)]
pub(super) fn release_session_claim<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<Value<'js>> {
    run(env, |js| call::release(js, root, service, item, options))
}

/// Starts a claim's time anew, for work that takes longer than 20 minutes. Refused as
/// `not-in-flight`, `already-replied`, `claim-lost`, `busy`, `invalid-argument`, `invalid-time` or `io`.
///
/// ```js
/// setInterval(() => renewSessionClaim("/seat", "cohort", { id: "m1" }, { token }), 10 * 60_000);
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options?: MarkOptions",
    ts_return_type = "MarkResult"
)]
pub(super) fn renew_session_claim<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<Value<'js>> {
    run(env, |js| call::renew(js, root, service, item, options))
}

/// Gives back what is stale, due or orphaned, and retires what was replied to long ago. `failed` is
/// there only when something could not be handled; the rest was.
///
/// ```js
/// for (const { id, reason } of sweepSessionInbox("/seat").reopened) console.log(id, reason);
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "root: string, options?: SweepOptions",
    ts_return_type = "SweepResult"
)]
pub(super) fn sweep_session_inbox<'js>(
    env: &'js Env,
    root: Value<'js>,
    options: Value<'js>,
) -> napi::Result<Value<'js>> {
    run(env, |js| call::sweep(js, root, options))
}

/// The same sweep for a daemon: `readState(root)` says whether a session lives, so that items the
/// daemon lost are given back to it. Live means an object with `frontDoor: "session"` and
/// `sessionLive: true`; no reader, one that throws, or a promise means not live.
///
/// ```js
/// sweepSessionInboxForDaemon("/seat", { readState: (root) => readFrontDoorState(root) }).sessionLive;
/// ```
#[napi(
    catch_unwind,
    ts_args_type = "root: string, options?: DaemonSweepOptions",
    ts_return_type = "DaemonSweepResult"
)]
pub(super) fn sweep_session_inbox_for_daemon<'js>(
    env: &'js Env,
    root: Value<'js>,
    options: Value<'js>,
    live: Value<'js>,
) -> napi::Result<Value<'js>> {
    run(env, |js| call::daemon_sweep(js, root, options, live))
}

/// Whether a front door's reader says that a session lives; what it throws comes out.
#[napi(catch_unwind, skip_typescript)]
pub(super) fn is_session_live<'js>(
    env: &'js Env,
    reader: Value<'js>,
    root: Value<'js>,
) -> napi::Result<bool> {
    Ok(call::is_live(Js::new(env), reader, root)?)
}
