//! A call that waits for another process: done at once, or on libuv's pool with a promise.

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{Env, Error, Result, ToNapiValue, TypeName};
use napi::{Status, Task};

/// Makes JavaScript's answer of an outcome.
type Answer<T, R> = Box<dyn Fn(&Env, T) -> Result<R> + Send>;

/// What is to be done, and what becomes of its outcome in JavaScript.
pub(super) struct Job<T, R> {
    work: Option<Box<dyn FnOnce() -> T + Send>>,
    answer: Answer<T, R>,
}

impl<T, R> Job<T, R> {
    pub(super) fn new(
        work: impl FnOnce() -> T + Send + 'static,
        answer: impl Fn(&Env, T) -> Result<R> + Send + 'static,
    ) -> Self {
        Self {
            work: Some(Box::new(work)),
            answer: Box::new(answer),
        }
    }

    /// Does it now.
    pub(super) fn now(mut self, env: &Env) -> Result<R> {
        let outcome = self.run()?;
        (self.answer)(env, outcome)
    }

    /// A panic on the pool would end the process: no frame there catches it.
    fn run(&mut self) -> Result<T> {
        let work = self.work.take();
        let work = work.ok_or_else(|| Error::from_status(Status::GenericFailure))?;
        catch_unwind(AssertUnwindSafe(work))
            .map_err(|panic| Error::from_reason(format!("panicked: {}", said(&*panic))))
    }
}

fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or_default()
}

impl<T: Send + 'static, R: ToNapiValue + TypeName> Task for Job<T, R> {
    type Output = T;
    type JsValue = R;

    fn compute(&mut self) -> Result<T> {
        self.run()
    }

    fn resolve(&mut self, env: Env, outcome: T) -> Result<R> {
        (self.answer)(&env, outcome)
    }
}

/// Declares a function of JavaScript that does a job at once, and one that promises it.
macro_rules! jobs {
    ($($(#[$meta:meta])*
    fn $name:ident, $promised:ident, $job:ident(
        $env:ident $(, $arg:ident: $type:ty)*
    ) -> $outcome:ty => $answer:ty $body:block)+) => {$(
        $(#[$meta])*
        fn $job(
            $env: &napi::Env
            $(, $arg: $crate::node::convert::Arg<$type>)*
        ) -> napi::Result<$crate::node::job::Job<$outcome, $answer>> {
            $(let $arg = $arg.named($env, stringify!($arg))?;)*
            $body
        }

        #[napi_derive::napi(catch_unwind)]
        pub(super) fn $name(
            $env: &napi::Env
            $(, $arg: $crate::node::convert::Arg<$type>)*
        ) -> napi::Result<$answer> {
            $job($env $(, $arg)*)?.now($env)
        }

        #[napi_derive::napi(catch_unwind)]
        pub(super) fn $promised(
            $env: &napi::Env
            $(, $arg: $crate::node::convert::Arg<$type>)*
        ) -> napi::Result<napi::bindgen_prelude::AsyncTask<$crate::node::job::Job<$outcome, $answer>>> {
            $job($env $(, $arg)*).map(napi::bindgen_prelude::AsyncTask::new)
        }
    )+};
}

pub(super) use jobs;
