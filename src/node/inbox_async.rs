//! The surface of `seatkit/inbox-claims/promises`: the same calls on libuv's thread pool.

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{AsyncTask, Env};
use napi::{Error, Status, Task};
use napi_derive::napi;

use super::inbox_call::{self as call, Answer, Job};
use super::js::{Js, JsResult, Value};

/// A job on its way through the pool.
pub(super) struct Work(Option<Job>);

/// A panic on another thread, or in a callback of the loop, would end Node: it becomes a rejection.
fn caught<T>(work: impl FnOnce() -> napi::Result<T>) -> napi::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(Error::new(
            Status::GenericFailure,
            text.unwrap_or("panic").to_owned(),
        ))
    })
}

impl Task for Work {
    type Output = Answer;
    type JsValue = Value<'static>;

    fn compute(&mut self) -> napi::Result<Answer> {
        let job = self.0.take();
        caught(|| {
            job.map(Job::run)
                .ok_or_else(|| Error::new(Status::GenericFailure, "a job runs once"))
        })
    }

    fn resolve(&mut self, env: Env, answer: Answer) -> napi::Result<Value<'static>> {
        let js = Js::new(&env);
        caught(|| match answer.into_js(js) {
            Ok(answer) => Ok(answer.for_the_caller()),
            Err(thrown) => Err(js.rejection(thrown)),
        })
    }
}

fn start<'js>(
    env: &'js Env,
    job: impl FnOnce(Js<'js>) -> JsResult<Job>,
) -> napi::Result<AsyncTask<Work>> {
    Ok(AsyncTask::new(Work(Some(job(Js::new(env))?))))
}

/// As `findInboxFile` of `seatkit/inbox-claims`, off the calling thread.
#[napi(
    catch_unwind,
    ts_args_type = "root: string, id: string, options?: FindOptions",
    ts_return_type = "Promise<InboxFile | null>"
)]
pub(super) fn find_inbox_file_async<'js>(
    env: &'js Env,
    root: Value<'js>,
    id: Value<'js>,
    options: Value<'js>,
) -> napi::Result<AsyncTask<Work>> {
    start(env, |js| call::find(js, root, id, options))
}

/// As `listInbox` of `seatkit/inbox-claims`, off the calling thread.
#[napi(
    catch_unwind,
    ts_args_type = "root: string, options?: ListOptions",
    ts_return_type = "Promise<InboxItem[]>"
)]
pub(super) fn list_inbox_async<'js>(
    env: &'js Env,
    root: Value<'js>,
    options: Value<'js>,
) -> napi::Result<AsyncTask<Work>> {
    start(env, |js| call::list(js, root, options))
}

/// As `markSessionClaim` of `seatkit/inbox-claims`, off the calling thread.
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options?: ClaimOptions",
    ts_return_type = "Promise<ClaimResult>"
)]
pub(super) fn mark_session_claim_async<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<AsyncTask<Work>> {
    start(env, |js| call::claim(js, root, service, item, options))
}

/// As `markSessionDeferral` of `seatkit/inbox-claims`, off the calling thread.
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options: DeferralOptions",
    ts_return_type = "Promise<MarkResult>"
)]
pub(super) fn mark_session_deferral_async<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<AsyncTask<Work>> {
    start(env, |js| call::deferral(js, root, service, item, options))
}

/// As `markSessionReplied` of `seatkit/inbox-claims`, off the calling thread.
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options?: MarkOptions",
    ts_return_type = "Promise<MarkResult>"
)]
pub(super) fn mark_session_replied_async<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<AsyncTask<Work>> {
    start(env, |js| call::replied(js, root, service, item, options))
}

/// As `markSessionDone` of `seatkit/inbox-claims`, off the calling thread.
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options?: MarkOptions",
    ts_return_type = "Promise<MarkResult>"
)]
pub(super) fn mark_session_done_async<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<AsyncTask<Work>> {
    start(env, |js| call::done(js, root, service, item, options))
}

/// As `releaseSessionClaim` of `seatkit/inbox-claims`, off the calling thread.
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options?: OwnerOptions",
    ts_return_type = "Promise<MarkResult>"
)]
pub(super) fn release_session_claim_async<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<AsyncTask<Work>> {
    start(env, |js| call::release(js, root, service, item, options))
}

/// As `renewSessionClaim` of `seatkit/inbox-claims`, off the calling thread.
#[napi(
    catch_unwind,
    ts_args_type = "root: string, service: string, item: ItemRef, options?: MarkOptions",
    ts_return_type = "Promise<MarkResult>"
)]
pub(super) fn renew_session_claim_async<'js>(
    env: &'js Env,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> napi::Result<AsyncTask<Work>> {
    start(env, |js| call::renew(js, root, service, item, options))
}

/// As `sweepSessionInbox` of `seatkit/inbox-claims`, off the calling thread.
#[napi(
    catch_unwind,
    ts_args_type = "root: string, options?: SweepOptions",
    ts_return_type = "Promise<SweepResult>"
)]
pub(super) fn sweep_session_inbox_async<'js>(
    env: &'js Env,
    root: Value<'js>,
    options: Value<'js>,
) -> napi::Result<AsyncTask<Work>> {
    start(env, |js| call::sweep(js, root, options))
}

/// As `sweepSessionInboxForDaemon` of `seatkit/inbox-claims`, off the calling thread.
#[napi(
    catch_unwind,
    ts_args_type = "root: string, options?: DaemonSweepOptions",
    ts_return_type = "Promise<DaemonSweepResult>"
)]
pub(super) fn sweep_session_inbox_for_daemon_async<'js>(
    env: &'js Env,
    root: Value<'js>,
    options: Value<'js>,
    live: Value<'js>,
) -> napi::Result<AsyncTask<Work>> {
    start(env, |js| call::daemon_sweep(js, root, options, live))
}
