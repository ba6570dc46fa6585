//! A call that waits for another process: done at once, or on libuv's pool with a promise.

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{Env, Error, Object, Result, ToNapiValue, TypeName, panic_to_error};
use napi::{Status, Task};

/// Makes JavaScript's answer, on its thread.
pub(super) type Answer<R> = Box<dyn FnOnce(&Env) -> Result<R> + Send>;

/// Settles a promise, from any thread.
pub(super) type Settle<R> = Box<dyn FnOnce(Answer<R>) + Send>;

/// A promise, and what settles it.
pub(super) fn deferred<R: ToNapiValue + 'static>(env: &Env) -> Result<(Settle<R>, Object<'_>)> {
    type Resolver<R> = Box<dyn FnOnce(Env) -> Result<R>>;

    let (deferred, promise) = env.create_deferred::<R, Resolver<R>>()?;
    let settle = move |answer: Answer<R>| deferred.resolve(Box::new(move |env| answer(&env)));
    Ok((Box::new(settle), promise))
}

/// What is to be done, and what becomes of its outcome in JavaScript.
pub(super) struct Job<R>(Option<Box<dyn FnOnce() -> Answer<R> + Send>>);

impl<R: 'static> Job<R> {
    pub(super) fn new<T: Send + 'static>(
        work: impl FnOnce() -> T + Send + 'static,
        answer: impl FnOnce(&Env, T) -> Result<R> + Send + 'static,
    ) -> Self {
        Self(Some(Box::new(move || {
            let outcome = work();
            Box::new(move |env| answer(env, outcome))
        })))
    }

    /// Does it now.
    pub(super) fn now(mut self, env: &Env) -> Result<R> {
        self.run()?(env)
    }

    /// Does it on a thread of its own, for what may take minutes: the pool has four threads, and all that
    /// the process does with files and names waits for them.
    pub(super) fn apart(mut self, env: &Env) -> Result<Object<'_>>
    where
        R: ToNapiValue,
    {
        let (sender, receiver) = std::sync::mpsc::channel();
        let work = move || {
            let answer = self.run();
            if let Ok(settle) = receiver.recv() {
                let settle: Settle<R> = settle;
                settle(Box::new(move |env| answer?(env)));
            }
        };
        // First the thread: a promise that nobody settles would keep the process from its end.
        std::thread::Builder::new()
            .name("seatkit-call".to_owned())
            .spawn(work)
            .map_err(|error| Error::from_reason(error.to_string()))?;
        let (settle, promise) = deferred(env)?;
        // The thread holds the other end until it has it.
        let _ = sender.send(settle);
        Ok(promise)
    }

    /// A panic on the pool would end the process: no frame there catches it.
    fn run(&mut self) -> Result<Answer<R>> {
        let work = self.0.take().ok_or_else(|| Error::from_status(Status::GenericFailure))?;
        catch_unwind(AssertUnwindSafe(work)).map_err(panic_to_error)
    }
}

impl<R: ToNapiValue + TypeName + 'static> Task for Job<R> {
    type Output = Answer<R>;
    type JsValue = R;

    fn compute(&mut self) -> Result<Answer<R>> {
        self.run()
    }

    fn resolve(&mut self, env: Env, answer: Answer<R>) -> Result<R> {
        answer(&env)
    }
}

/// Declares functions of JavaScript that do a job at once and, under the same names in the namespace
/// `promises`, that promise it. Each body makes the job of the arguments.
macro_rules! jobs {
    ($(fn $name:ident($env:ident $(, $arg:ident: $type:ty)*) -> $answer:ty $body:block)+) => {
        mod made {
            #[allow(clippy::wildcard_imports, reason = "the rows of the same table")]
            use super::*;
            $(
                #[allow(clippy::unnecessary_wraps, reason = "one shape for all of them")]
                pub(super) fn $name($env: &Env $(, $arg: $type)*) -> napi::Result<Job<$answer>> $body
            )+
        }

        $(#[napi_derive::napi(catch_unwind)]
        pub fn $name(env: &Env $(, $arg: $type)*) -> napi::Result<$answer> {
            made::$name(env $(, $arg)*)?.now(env)
        })+

        pub mod promises {
            #[allow(clippy::wildcard_imports, reason = "the same names, once more")]
            use super::*;
            $(#[napi_derive::napi(catch_unwind, namespace = "promises")]
            pub fn $name(env: &Env $(, $arg: $type)*) -> napi::Result<napi::bindgen_prelude::AsyncTask<Job<$answer>>> {
                made::$name(env $(, $arg)*).map(napi::bindgen_prelude::AsyncTask::new)
            })+
        }
    };
}

/// The same, each wrong argument thrown by its name.
macro_rules! named_jobs {
    ($(fn $name:ident($env:ident $(, $arg:ident: $type:ty)*) -> $answer:ty $body:block)+) => {
        jobs! {$(
            fn $name($env $(, $arg: Arg<$type>)*) -> $answer {
                $(let $arg = $arg.named($env, stringify!($arg))?;)*
                $body
            }
        )+}
    };
}

pub(super) use {jobs, named_jobs};
