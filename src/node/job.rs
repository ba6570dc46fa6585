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
        Self { work: Some(Box::new(work)), answer: Box::new(answer) }
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
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default()
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

/// Declares functions of JavaScript that do a job at once and, under the same names in the namespace
/// `promises`, that promise it.
macro_rules! jobs {
    ($(fn $name:ident(
        $env:ident $(, $arg:ident: $type:ty)*
    ) -> $outcome:ty => $answer:ty $body:block)+) => {
        mod made {
            #[allow(clippy::wildcard_imports, reason = "the rows of the same table")]
            use super::*;
            $(pub(super) fn $name(
                $env: &Env $(, $arg: Arg<$type>)*
            ) -> Result<Job<$outcome, $answer>> {
                $(let $arg = $arg.named($env, stringify!($arg))?;)*
                $body
            })+
        }

        $(#[napi_derive::napi(catch_unwind)]
        pub(super) fn $name($env: &Env $(, $arg: Arg<$type>)*) -> Result<$answer> {
            made::$name($env $(, $arg)*)?.now($env)
        })+

        pub(super) mod promises {
            #[allow(clippy::wildcard_imports, reason = "the same names, once more")]
            use super::*;
            $(#[napi_derive::napi(catch_unwind, namespace = "promises")]
            pub fn $name(
                $env: &Env $(, $arg: Arg<$type>)*
            ) -> Result<napi::bindgen_prelude::AsyncTask<Job<$outcome, $answer>>> {
                made::$name($env $(, $arg)*).map(napi::bindgen_prelude::AsyncTask::new)
            })+
        }
    };
}

pub(super) use jobs;
