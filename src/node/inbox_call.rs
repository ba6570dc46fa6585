//! An inbox call between JavaScript and the engine: its arguments read into a job that needs no
//! JavaScript, the job's answer turned back into values. What runs here and now and what runs on
//! another thread differ only in who runs the job.

use super::inbox_markers as markers;
use super::js::{ErrorClass, Js, JsResult, Type, Value};
use crate::inbox::{
    Claim, Deferral, Failed, InboxItem, Item, JsonText, Limits, ListedItem, Marked, Refusal,
    Refused, Service, State, SweepOptions, Swept, Time, find_inbox_file, list_inbox,
    mark_session_claim, mark_session_deferral, mark_session_done, mark_session_replied,
    release_session_claim, renew_session_claim, sweep_session_inbox,
};

/// A call whose arguments are read.
pub(super) struct Job(Box<dyn FnOnce() -> Answer + Send>);

impl Job {
    fn new(job: impl FnOnce() -> Answer + Send + 'static) -> Self {
        Self(Box::new(job))
    }

    pub(super) fn run(self) -> Answer {
        (self.0)()
    }
}

/// What a call came to.
pub(crate) enum Answer {
    Found(Result<Option<InboxItem>, Refusal>),
    Listed {
        items: Result<Vec<ListedItem>, Refusal>,
        /// Whether each item says what a sweep will do with it.
        next: bool,
    },
    Marked(Result<Marked, Refusal>),
    Swept {
        swept: Swept,
        session_live: Option<bool>,
    },
}

// ---- arguments

/// An argument of no use, in a call that throws.
fn throw_invalid(js: Js<'_>, class: ErrorClass, refusal: &Refusal) -> super::js::Thrown {
    js.throw_error(class, &refusal.message, Some(refusal.error.as_str()))
}

fn invalid(error: Refused, message: &str) -> Refusal {
    Refusal {
        error,
        code: None,
        message: message.to_owned(),
    }
}

/// A root folder, or the message for a value that is none.
fn root_of<'js>(js: Js<'js>, root: Value<'js>) -> JsResult<Result<String, Refusal>> {
    Ok(if js.is_string(root)? {
        Ok(js.utf8(root)?)
    } else {
        Err(invalid(Refused::InvalidArgument, "root must be a string"))
    })
}

fn root_or_throw<'js>(js: Js<'js>, root: Value<'js>) -> JsResult<String> {
    root_of(js, root)?.map_err(|refusal| throw_invalid(js, ErrorClass::TypeError, &refusal))
}

/// `options.name`, where missing options have no properties.
fn option<'js>(
    js: Js<'js>,
    options: Value<'js>,
    name: &std::ffi::CStr,
) -> JsResult<Option<Value<'js>>> {
    if js.type_of(options)?.is_nullish() {
        return Ok(None);
    }
    let value = js.get(options, name)?;
    Ok((js.type_of(value)? != Type::Undefined).then_some(value))
}

fn flag<'js>(js: Js<'js>, options: Value<'js>, name: &std::ffi::CStr) -> JsResult<bool> {
    option(js, options, name)?.map_or(Ok(false), |value| js.truthy(value))
}

/// A string option; what is null counts as missing.
fn text<'js>(
    js: Js<'js>,
    options: Value<'js>,
    name: &std::ffi::CStr,
) -> JsResult<Result<Option<String>, Refusal>> {
    let Some(value) = option(js, options, name)? else {
        return Ok(Ok(None));
    };
    Ok(match js.type_of(value)? {
        Type::Null => Ok(None),
        Type::String => Ok(Some(js.utf8(value)?)),
        _ => Err(invalid(
            Refused::InvalidArgument,
            &format!("{} must be a string", name.to_string_lossy()),
        )),
    })
}

/// A time: milliseconds since the epoch or a `Date`, valid in either case.
fn time_of<'js>(js: Js<'js>, value: Value<'js>, name: &str) -> JsResult<Result<Time, Refusal>> {
    let millis = match js.type_of(value)? {
        Type::Number => js.number_of(value)?,
        Type::Object if js.is_date(value)? => js.date_of(value)?,
        _ => f64::NAN,
    };
    let refusal = || {
        invalid(
            Refused::InvalidTime,
            &format!("{name} must be a valid time: milliseconds since the epoch or a Date"),
        )
    };
    Ok(Time::from_millis(millis).ok_or_else(refusal))
}

fn now<'js>(js: Js<'js>, options: Value<'js>) -> JsResult<Result<Time, Refusal>> {
    match option(js, options, c"now")? {
        Some(value) => time_of(js, value, "now"),
        None => Ok(Ok(js.now()?)),
    }
}

/// The item of a mark call, its strings owned.
struct Target {
    root: String,
    service: String,
    id: String,
    file: Option<String>,
    token: Option<String>,
}

impl Target {
    /// Reads `root`, `service` and `{ id, file, token }`. A token may come with the options too.
    fn read<'js>(
        js: Js<'js>,
        root: Value<'js>,
        service: Value<'js>,
        item: Value<'js>,
        options: Option<Value<'js>>,
    ) -> JsResult<Result<Self, Refusal>> {
        let argument = |message: &str| Ok(Err(invalid(Refused::InvalidArgument, message)));
        let root = match root_of(js, root)? {
            Ok(root) => root,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if !js.is_string(service)? {
            return argument("service must be a string");
        }
        let service = js.utf8(service)?;
        if Service::new(&service).is_none() {
            return argument(&format!(
                "service must be one plain folder name, not {service:?}"
            ));
        }
        if !js.type_of(item)?.is_object() {
            return argument("item must be an object with an id");
        }
        let id = js.get(item, c"id")?;
        // An id that is no string means no item, as an empty one does.
        let id = if js.is_string(id)? {
            js.utf8(id)?
        } else {
            String::new()
        };
        let (file, mut token) = match (text(js, item, c"file")?, text(js, item, c"token")?) {
            (Ok(file), Ok(token)) => (file, token),
            (Err(refusal), _) | (_, Err(refusal)) => return Ok(Err(refusal)),
        };
        if let Some(options) = options {
            match text(js, options, c"token")? {
                Ok(given) => token = given.or(token),
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        Ok(Ok(Self {
            root,
            service,
            id,
            file,
            token,
        }))
    }

    /// Calls the engine with what was read.
    fn mark(
        &self,
        mark: impl FnOnce(&str, Service<'_>, Item<'_>) -> Result<Marked, Refusal>,
    ) -> Result<Marked, Refusal> {
        let Some(service) = Service::new(&self.service) else {
            return Err(invalid(
                Refused::InvalidArgument,
                "service must be one plain folder name",
            ));
        };
        mark(
            &self.root,
            service,
            Item {
                id: &self.id,
                file: self.file.as_deref(),
                token: self.token.as_deref(),
            },
        )
    }
}

fn refused(refusal: Refusal) -> Job {
    Job::new(|| Answer::Marked(Err(refusal)))
}

/// A mark call once its target and its further arguments are read.
fn mark<T: Send + 'static>(
    target: Result<Target, Refusal>,
    arguments: Result<T, Refusal>,
    mark: impl FnOnce(&str, Service<'_>, Item<'_>, T) -> Result<Marked, Refusal> + Send + 'static,
) -> Job {
    match (target, arguments) {
        (Ok(target), Ok(arguments)) => Job::new(move || {
            Answer::Marked(target.mark(|root, service, item| mark(root, service, item, arguments)))
        }),
        (Err(refusal), _) | (_, Err(refusal)) => refused(refusal),
    }
}

// ---- calls

pub(super) fn find<'js>(
    js: Js<'js>,
    root: Value<'js>,
    id: Value<'js>,
    options: Value<'js>,
) -> JsResult<Job> {
    let root = root_or_throw(js, root)?;
    let service = option(js, options, c"service")?;
    let narrowed = service.map_or(Ok(false), |service| js.truthy(service))?;
    let service = match service.filter(|_| narrowed) {
        Some(service) if js.is_string(service)? => Some(js.utf8(service)?),
        Some(_) => Some(String::new()),
        None => None,
    };
    if !js.is_string(id)?
        || service
            .as_deref()
            .is_some_and(|name| Service::new(name).is_none())
    {
        return Ok(Job::new(|| Answer::Found(Ok(None))));
    }
    let id = js.utf8(id)?;
    Ok(Job::new(move || {
        Answer::Found(find_inbox_file(
            &root,
            &id,
            service.as_deref().and_then(Service::new),
        ))
    }))
}

pub(super) fn list<'js>(js: Js<'js>, root: Value<'js>, options: Value<'js>) -> JsResult<Job> {
    let root = root_or_throw(js, root)?;
    let invalid_option = |message: &str| {
        throw_invalid(
            js,
            ErrorClass::TypeError,
            &invalid(Refused::InvalidArgument, message),
        )
    };
    let given = |name| {
        text(js, options, name)?
            .map_err(|refusal| throw_invalid(js, ErrorClass::TypeError, &refusal))
    };
    let service = given(c"service")?;
    if service
        .as_deref()
        .is_some_and(|name| Service::new(name).is_none())
    {
        return Err(invalid_option("service must be one plain folder name"));
    }
    let state =
        match given(c"state")? {
            Some(name) => Some(State::from_name(&name).ok_or_else(|| {
                invalid_option("state must be new, claimed, deferred or processed")
            })?),
            None => None,
        };
    let next = flag(js, options, c"next")?;
    Ok(Job::new(move || Answer::Listed {
        items: list_inbox(&root, service.as_deref().and_then(Service::new), state),
        next,
    }))
}

pub(super) fn claim<'js>(
    js: Js<'js>,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> JsResult<Job> {
    let target = Target::read(js, root, service, item, None)?;
    let now = now(js, options)?;
    let token = match option(js, options, c"token")? {
        Some(token) => match js.type_of(token)? {
            Type::Null => false,
            Type::Boolean => js.bool_of(token)?,
            _ => {
                return Ok(refused(invalid(
                    Refused::InvalidArgument,
                    "token must be true for a claim with a token",
                )));
            }
        },
        None => false,
    };
    let claimed_by = match option(js, options, c"claimedBy")? {
        Some(by) if js.is_string(by)? && js.truthy(by)? => {
            js.with_utf16(by, JsonText::from_utf16)?
        }
        Some(_) => {
            return Ok(refused(invalid(
                Refused::InvalidArgument,
                "claimedBy must be a string with something in it",
            )));
        }
        None => JsonText::new(crate::inbox::SESSION),
    };
    Ok(mark(target, now, move |root, service, item, now| {
        mark_session_claim(
            root,
            service,
            item,
            &Claim {
                now,
                claimed_by,
                token,
            },
        )
    }))
}

pub(super) fn deferral<'js>(
    js: Js<'js>,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> JsResult<Job> {
    let target = Target::read(js, root, service, item, Some(options))?;
    let until = match option(js, options, c"until")? {
        Some(until) => time_of(js, until, "until")?,
        None => Err(invalid(
            Refused::InvalidTime,
            "until is missing: when is the item to come back?",
        )),
    };
    let reason = match option(js, options, c"reason")? {
        None => Ok(Some(JsonText::new(""))),
        Some(reason) => match js.type_of(reason)? {
            Type::Null => Ok(None),
            Type::String => Ok(Some(js.with_utf16(reason, JsonText::from_utf16)?)),
            _ => Err(invalid(Refused::InvalidArgument, "reason must be a string")),
        },
    };
    let now = now(js, options)?;
    let deferral = until.and_then(|until| {
        Ok(Deferral {
            until,
            reason: reason?,
            now: now?,
        })
    });
    Ok(mark(target, deferral, |root, service, item, deferral| {
        mark_session_deferral(root, service, item, &deferral)
    }))
}

pub(super) fn replied<'js>(
    js: Js<'js>,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> JsResult<Job> {
    Ok(mark(
        Target::read(js, root, service, item, Some(options))?,
        now(js, options)?,
        mark_session_replied,
    ))
}

pub(super) fn done<'js>(
    js: Js<'js>,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> JsResult<Job> {
    Ok(mark(
        Target::read(js, root, service, item, Some(options))?,
        now(js, options)?,
        mark_session_done,
    ))
}

pub(super) fn renew<'js>(
    js: Js<'js>,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> JsResult<Job> {
    Ok(mark(
        Target::read(js, root, service, item, Some(options))?,
        now(js, options)?,
        renew_session_claim,
    ))
}

pub(super) fn release<'js>(
    js: Js<'js>,
    root: Value<'js>,
    service: Value<'js>,
    item: Value<'js>,
    options: Value<'js>,
) -> JsResult<Job> {
    let target = Target::read(js, root, service, item, Some(options))?;
    Ok(mark(target, Ok(()), |root, service, item, ()| {
        release_session_claim(root, service, item)
    }))
}

pub(super) fn sweep<'js>(js: Js<'js>, root: Value<'js>, options: Value<'js>) -> JsResult<Job> {
    let root = root_or_throw(js, root)?;
    let options = sweep_options(js, options)?;
    Ok(Job::new(move || Answer::Swept {
        swept: sweep_session_inbox(&root, &options),
        session_live: None,
    }))
}

/// `live(reader, root)` is [`is_live`] with everything caught in index.js: Node-API cannot tell what a
/// reader throws from the end of the thread, and who clears that keeps a worker alive for ever.
pub(super) fn daemon_sweep<'js>(
    js: Js<'js>,
    root: Value<'js>,
    options: Value<'js>,
    live: Value<'js>,
) -> JsResult<Job> {
    let path = root_or_throw(js, root)?;
    let mut read = sweep_options(js, options)?;
    // Whatever goes wrong in a reader: the session is not live, and the daemon keeps its own items.
    let live = match option(js, options, c"readState")? {
        Some(reader) => {
            let answer = js.call("live", live, js.undefined()?, &[reader, root])?;
            js.truthy(answer)?
        }
        None => false,
    };
    read.session_live = live;
    Ok(Job::new(move || Answer::Swept {
        swept: sweep_session_inbox(&path, &read),
        session_live: Some(live),
    }))
}

/// Whether `reader(root)` is an object with `frontDoor: "session"` and a true `sessionLive`.
pub(super) fn is_live<'js>(js: Js<'js>, reader: Value<'js>, root: Value<'js>) -> JsResult<bool> {
    let state = js.call("readState", reader, js.undefined()?, &[root])?;
    if js.is_promise(state)? {
        // Nobody waits for it, so its rejection would end the process where a throw does not.
        let nothing = js.get(js.get(js.global()?, c"Function")?, c"prototype")?;
        js.call("catch", js.get(state, c"catch")?, state, &[nothing])?;
        return Ok(false);
    }
    if !js.type_of(state)?.is_object() {
        return Ok(false);
    }
    let door = js.get(state, c"frontDoor")?;
    if !js.is_string(door)? || js.with_utf8(door, |door| door != "session")? {
        return Ok(false);
    }
    let live = js.get(state, c"sessionLive")?;
    Ok(js.type_of(live)? == Type::Boolean && js.bool_of(live)?)
}

fn sweep_options<'js>(js: Js<'js>, options: Value<'js>) -> JsResult<SweepOptions> {
    let now =
        now(js, options)?.map_err(|refusal| throw_invalid(js, ErrorClass::RangeError, &refusal))?;
    let limit = |name: &std::ffi::CStr, usual: f64| {
        let Some(value) = option(js, options, name)? else {
            return Ok(usual);
        };
        let millis = if js.type_of(value)? == Type::Number {
            js.number_of(value)?
        } else {
            f64::NAN
        };
        if millis >= 0.0 {
            return Ok(millis);
        }
        let message = format!(
            "{} must be a number of milliseconds, zero or more",
            name.to_string_lossy()
        );
        Err(throw_invalid(
            js,
            ErrorClass::RangeError,
            &invalid(Refused::InvalidArgument, &message),
        ))
    };
    let usual = Limits::default();
    Ok(SweepOptions {
        now,
        session_live: flag(js, options, c"sessionLive")?,
        dry_run: flag(js, options, c"dryRun")?,
        limits: Limits {
            stale_ms: limit(c"staleMs", usual.stale_ms)?,
            orphan_ms: limit(c"orphanMs", usual.orphan_ms)?,
            retire_ms: limit(c"retireMs", usual.retire_ms)?,
        },
    })
}

// ---- answers

impl Answer {
    pub(super) fn into_js(self, js: Js<'_>) -> JsResult<Value<'_>> {
        match self {
            Self::Found(found) => match found.map_err(|refusal| throw_io(js, &refusal))? {
                Some(item) => js.object([
                    (c"service", js.string(&item.service)?),
                    (c"state", js.string(item.state.as_str())?),
                    (c"file", js.string(&item.file)?),
                    (c"path", js.string(&item.path)?),
                ]),
                None => js.null(),
            },
            Self::Listed { items, next } => {
                let items = items.map_err(|refusal| throw_io(js, &refusal))?;
                js.array(
                    &items
                        .iter()
                        .map(|listed| {
                            let item = listed_item(js, listed)?;
                            if next {
                                js.define(item, [(c"next", next_of(js, listed)?)])?;
                            }
                            Ok(item)
                        })
                        .collect::<JsResult<Vec<_>>>()?,
                )
            }
            Self::Marked(Ok(marked)) => {
                let answer = js.object([
                    (c"ok", js.boolean(true)?),
                    (c"path", js.string(&marked.path)?),
                ])?;
                if let Some(token) = marked.token {
                    js.define(answer, [(c"token", js.string(&token)?)])?;
                }
                Ok(answer)
            }
            Self::Marked(Err(refusal)) => {
                let answer = js.object([(c"ok", js.boolean(false)?)])?;
                refusal_into(js, answer, &refusal)?;
                Ok(answer)
            }
            Self::Swept {
                swept,
                session_live,
            } => swept_object(js, &swept, session_live),
        }
    }
}

/// A folder that cannot be read is no answer.
fn throw_io(js: Js<'_>, refusal: &Refusal) -> super::js::Thrown {
    js.throw_error(ErrorClass::Error, &refusal.message, refusal.code)
}

fn refusal_into<'js>(js: Js<'js>, object: Value<'js>, refusal: &Refusal) -> JsResult<()> {
    js.define(object, [(c"error", js.string(refusal.error.as_str())?)])?;
    if let Some(code) = refusal.code {
        js.define(object, [(c"code", js.string(code)?)])?;
    }
    js.define(object, [(c"message", js.string(&refusal.message)?)])
}

fn listed_item<'js>(js: Js<'js>, listed: &ListedItem) -> JsResult<Value<'js>> {
    js.object([
        (c"id", js.string(&listed.id)?),
        (c"service", js.string(&listed.item.service)?),
        (c"state", js.string(listed.item.state.as_str())?),
        (c"file", js.string(&listed.item.file)?),
        (c"path", js.string(&listed.item.path)?),
        (c"markers", markers::of_item(js, &listed.markers)?),
    ])
}

fn next_of<'js>(js: Js<'js>, listed: &ListedItem) -> JsResult<Value<'js>> {
    match listed.next {
        Some(next) => js.object([
            (c"reason", js.string(next.reason.as_str())?),
            (c"at", js.number(next.at.millis())?),
        ]),
        None => js.null(),
    }
}

fn swept_object<'js>(
    js: Js<'js>,
    swept: &Swept,
    session_live: Option<bool>,
) -> JsResult<Value<'js>> {
    let reopened = swept.reopened.iter().map(|item| {
        js.object([
            (c"id", js.string(&item.id)?),
            (c"service", js.string(&item.service)?),
            (c"reason", js.string(item.reason.as_str())?),
            (c"path", js.string(&item.path)?),
        ])
    });
    let reopened = js.array(&reopened.collect::<JsResult<Vec<_>>>()?)?;
    #[expect(clippy::cast_precision_loss, reason = "no folder holds 2^53 files")]
    let scanned = js.number(swept.scanned as f64)?;
    let answer = match session_live {
        Some(live) => js.object([
            (c"sessionLive", js.boolean(live)?),
            (c"reopened", reopened),
            (c"scanned", scanned),
        ])?,
        None => js.object([(c"reopened", reopened), (c"scanned", scanned)])?,
    };
    if !swept.failed.is_empty() {
        let failed = swept.failed.iter().map(|failed| failed_object(js, failed));
        js.define(
            answer,
            [(c"failed", js.array(&failed.collect::<JsResult<Vec<_>>>()?)?)],
        )?;
    }
    Ok(answer)
}

fn failed_object<'js>(js: Js<'js>, failed: &Failed) -> JsResult<Value<'js>> {
    let or_null = |text: &Option<String>| {
        text.as_deref()
            .map_or_else(|| js.null(), |text| js.string(text))
    };
    let object = js.object([
        (c"service", or_null(&failed.service)?),
        (c"file", or_null(&failed.file)?),
    ])?;
    refusal_into(js, object, &failed.refusal)?;
    Ok(object)
}
