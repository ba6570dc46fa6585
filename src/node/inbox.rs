//! The surface of `seatkit/inbox-claims` and, in the namespace `promises`, the same calls off the main thread.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use napi::bindgen_prelude::{Either, Env, Error, FromNapiValue, Unknown};
use napi::{JsRangeError, ValueType};
use napi_derive::napi;

use super::convert::{
    Arg, Known, Moment, OrNull, each, either_a, error, millis_of, not_a_time, options, or_null,
    rows, shapes, type_error,
};
use super::job::{Job, jobs};
use super::yaml::YamlItem;
use crate::inbox::{
    self, ArchiveOptions, Archived, Claim, DAEMON_ORPHAN_RECLAIM, Deferral, Delivered, Delivery,
    Failed, FindOptions, Found, Inbox, Item, ListOptions, Listed, ListedItem, Marked, MarkerLines,
    Markers, NextClaim, REPLIED_RETIRE, Refusal, Refused, ReopenFrom, SESSION, SESSION_CLAIM_STALE,
    Service, State, SweepOptions, SweepRules, Swept,
};

#[allow(clippy::cast_precision_loss, reason = "minutes, in milliseconds")]
const fn millis(duration: Duration) -> f64 {
    duration.as_millis() as f64
}

#[napi]
pub const SESSION_CLAIM_STALE_MS: f64 = millis(SESSION_CLAIM_STALE);
#[napi]
pub const DAEMON_ORPHAN_RECLAIM_MS: f64 = millis(DAEMON_ORPHAN_RECLAIM);
#[napi]
pub const REPLIED_RETIRE_MS: f64 = millis(REPLIED_RETIRE);

// ---- what is given

shapes! {
    /// Which item: `{ id, file?, token? }`, or the answer of an earlier call.
    (object_to_js = false) ItemRef<'env> {
        id: [Option<Either<String, Unknown<'env>>>], file: [Option<Option<String>>],
        token: [Option<Option<String>>],
    }
}

options! {
    #[derive(Default)] struct ClaimOptions { now: Moment, claimed_by: String, token: bool, }
    #[derive(Default)] struct OwnerOptions { now: Moment, token: String, }
    #[derive(Default)] struct DeferralOptions { now: Moment, until: Moment, reason: String, token: String, }
    #[derive(Default)] struct FailOptions {
        now: Moment, reason: String, retry_at: Moment, max_attempts: u32, token: String,
    }
    #[derive(Default)] struct ReopenOptions { from: String, token: String, }
    #[derive(Default)] struct FindBy { service: String, archived: bool, }
    #[derive(Default)] struct DeliveryOptions { id: String, now: Moment, durable: bool, }
    #[derive(Default)] struct NextOptions { service: String, now: Moment, claimed_by: String, token: bool, }
    #[derive(Default)] struct Archiving { older_than_ms: f64, ids: Vec<String>, now: Moment, dry_run: bool, }
    #[derive(Default)] struct Lines {
        claimed_by: String, now: Moment, deferred_until: Moment, deferred_reason: String,
        replied_at: Moment,
    }
    #[derive(Default)] struct Rules {
        now: Moment, session_live: bool, dry_run: bool, stale_ms: f64, orphan_ms: f64,
        retire_ms: f64, owners: Vec<String>, max_attempts: u32,
    }
    #[derive(Default)] struct Listing {
        service: String, state: Either<String, Vec<String>>, next: Either<bool, Rules>,
        archived: bool,
    }
}

shapes! {
    /// What a daemon's front door says of its session.
    (object_to_js = false) FrontDoor { front_door: [String], session_live: [bool], }
}

/// The clock where no time is given; `null` does not count as one.
fn now(given: Option<Option<Moment>>) -> Result<SystemTime, Refusal> {
    match given {
        None => Ok(SystemTime::now()),
        Some(Some(moment)) => Ok(moment.0),
        Some(None) => Err(invalid(not_a_time("now"))),
    }
}

fn invalid(message: impl Into<String>) -> Refusal {
    let message = message.into();
    let is_time = message.contains("must be a valid time");
    let error = if is_time { Refused::InvalidTime } else { Refused::InvalidArgument };
    Refusal { error, code: None, message }
}

/// A `TypeError` with the word that a call on one item would answer.
fn refuse(env: &Env, why: &str) -> Error {
    thrown(env, &invalid(why))
}

/// A `RangeError` for a time, a `TypeError` for all else, likewise.
fn thrown(env: &Env, refusal: &Refusal) -> Error {
    if refusal.error == Refused::InvalidTime {
        return out_of_range(env, refusal);
    }
    type_error(env, refusal.error.as_str(), &refusal.message)
}

fn out_of_range(env: &Env, refusal: &Refusal) -> Error {
    JsRangeError::from(Error::new(refusal.error.as_str(), &refusal.message))
        .into_unknown(*env)
        .into()
}

type Marking = Result<Marked, Refusal>;

/// The arguments of a call on one item.
struct Target {
    inbox: Inbox,
    service: Service,
    item: Item,
}

impl Target {
    fn read(
        root: Arg<String>,
        service: Arg<String>,
        item: Arg<ItemRef<'_>>,
    ) -> Result<Self, Refusal> {
        let root = root.say("root").map_err(invalid)?;
        let service = service.say("service").map_err(invalid)?;
        let item = item.say("item").map_err(invalid)?;
        // What is no string means no item, as an empty id does.
        let id = item.id.and_then(either_a).unwrap_or_default();
        let item = Item { id, file: item.file.flatten(), token: item.token.flatten() };
        Ok(Self { inbox: Inbox::at(root), service: service_of(service)?, item })
    }

    /// The same, shown this token.
    fn of(mut self, token: Option<Option<String>>) -> Self {
        self.item.token = token.flatten().or(self.item.token);
        self
    }

    fn call(&self, call: impl FnOnce(&Inbox, &Service, &Item) -> Marking) -> Marking {
        call(&self.inbox, &self.service, &self.item)
    }
}

fn service_of(name: String) -> Result<Service, Refusal> {
    Service::try_from(name).map_err(|error| invalid(error.to_string()))
}

fn duration(given: Option<Option<f64>>, usual: Duration, name: &str) -> Result<Duration, Refusal> {
    match given {
        None => Ok(usual),
        // What no clock can count comes to the same as for ever.
        Some(Some(millis)) if millis >= 0.0 => {
            Ok(Duration::try_from_secs_f64(millis / 1e3).unwrap_or(Duration::MAX))
        }
        Some(_) => Err(invalid(not_a_limit(name))),
    }
}

fn not_a_limit(name: &str) -> String {
    format!("{name} must be a number of milliseconds, zero or more")
}

impl Rules {
    fn read(self) -> Result<SweepOptions, Refusal> {
        let usual = SweepRules::default();
        Ok(SweepOptions {
            now: now(self.now)?,
            dry_run: self.dry_run.flatten().unwrap_or(false),
            rules: SweepRules {
                session_live: self.session_live.flatten().unwrap_or(false),
                stale: duration(self.stale_ms, usual.stale, "staleMs")?,
                orphan: duration(self.orphan_ms, usual.orphan, "orphanMs")?,
                retire: duration(self.retire_ms, usual.retire, "retireMs")?,
                owners: self.owners.flatten().unwrap_or_default(),
                max_attempts: self.max_attempts.flatten(),
            },
        })
    }
}

// ---- what is answered

fn text(path: PathBuf) -> String {
    let text = path.into_os_string().into_string();
    text.unwrap_or_else(|foreign| foreign.to_string_lossy().into_owned())
}

shapes! {
    /// A call on one item that did what it was asked, or `{ ok: false, error, code?, message }`.
    #[derive(Default)]
    (object_from_js = false) Answer {
        ok: [bool], created: [Option<bool>], id: [Option<String>], service: [Option<String>],
        state: [Option<&'static str>], file: [Option<String>], path: [Option<String>],
        token: [Option<String>], attempts: [Option<OrNull<u32>>], text: [Option<String>],
        item: [Option<YamlItem>], error: [Option<&'static str>], code: [Option<&'static str>],
        message: [Option<String>], skipped: [Option<Vec<FailedRow>>],
    }
}

impl Answer {
    fn refused(refusal: Refusal) -> Self {
        let (error, message) = (Some(refusal.error.as_str()), Some(refusal.message));
        Self { error, code: refusal.code, message, ..Self::default() }
    }

    /// Of a call that moved the item or changed its block.
    fn moved(marked: Marked) -> Self {
        Self { ok: true, path: Some(text(marked.path)), ..Self::default() }
    }

    /// The same, with the state that it was moved to.
    fn moved_to(marked: Marked) -> Self {
        Self { state: Some(marked.state.as_str()), ..Self::moved(marked) }
    }

    /// Of a claim: an item for the calls to come.
    fn claimed(marked: Marked) -> Self {
        let (id, service, file) = (Some(marked.id), Some(marked.service), Some(marked.file));
        let path = Some(text(marked.path));
        Self { ok: true, id, service, file, path, token: marked.token, ..Self::default() }
    }

    fn delivered(done: Delivered) -> Self {
        let (id, service, file) = (Some(done.id), Some(done.service), Some(done.file));
        let (state, path) = (Some(done.state.as_str()), Some(text(done.path)));
        let created = Some(done.created);
        Self { ok: true, created, id, service, state, file, path, ..Self::default() }
    }

    fn next(next: NextClaim) -> Self {
        let skipped = failed_rows(next.skipped);
        match next.taken {
            Some(taken) => Self {
                skipped,
                attempts: Some(or_null(taken.claim.attempts)),
                item: Some(YamlItem::of(&taken)),
                text: Some(String::from_utf8_lossy(&taken.bytes).into_owned()),
                ..Self::claimed(taken.claim)
            },
            None => Self {
                error: Some("empty"),
                message: Some("there is no new item that can be claimed".to_owned()),
                skipped,
                ..Self::default()
            },
        }
    }
}

rows! {
    /// Something that could not be handled.
    FailedRow of failed => Failed {
        service: [OrNull<String>] = or_null(failed.service),
        file: [OrNull<String>] = or_null(failed.file),
        error: [&'static str] = failed.refusal.error.as_str(),
        code: [Option<&'static str>] = failed.refusal.code,
        message: [String] = failed.refusal.message,
    }

    FoundRow of found => Found {
        id: [String] = found.id, service: [String] = found.service,
        state: [&'static str] = found.state.as_str(), file: [String] = found.file,
        path: [String] = text(found.path),
    }

    MarkersRow of markers => Markers {
        claimed_by: [OrNull<String>] = or_null(markers.claimed_by),
        claimed_at: [OrNull<String>] = or_null(markers.claimed_at),
        deferred_until: [OrNull<String>] = or_null(markers.deferred_until),
        deferred_reason: [OrNull<String>] = or_null(markers.deferred_reason),
        replied_at: [OrNull<String>] = or_null(markers.replied_at),
        claim_token: [Option<String>] = markers.claim_token,
        failed_at: [Option<String>] = markers.failed_at,
        failed_reason: [Option<String>] = markers.failed_reason,
    }

    NextRow of next => inbox::Next {
        reason: [&'static str] = next.reason.as_str(), at: [f64] = millis_of(next.at),
    }

    /// `next` is there only where it was asked for.
    ItemRow of (item, asked_next) => (ListedItem, bool) {
        id: [String] = item.found.id, service: [String] = item.found.service,
        state: [&'static str] = item.found.state.as_str(), file: [String] = item.found.file,
        path: [String] = text(item.found.path), markers: [MarkersRow] = item.markers.into(),
        attempts: [OrNull<u32>] = or_null(item.attempts),
        next: [Option<OrNull<NextRow>>] = asked_next.then(|| or_null(item.next.map(NextRow::from))),
        error: [Option<&'static str>] = item.problem.as_ref().map(|problem| problem.error.as_str()),
        code: [Option<&'static str>] = item.problem.as_ref().and_then(|problem| problem.code),
        message: [Option<String>] = item.problem.map(|problem| problem.message),
    }

    ListAnswer of (listed, asked_next) => (Listed, bool) {
        items: [Vec<ItemRow>] = each(listed.items.into_iter().map(|item| (item, asked_next))),
        failed: [Option<Vec<FailedRow>>] = failed_rows(listed.failed),
    }

    ReopenedRow of item => inbox::Reopened {
        id: [String] = item.id, service: [String] = item.service,
        reason: [&'static str] = item.reason.as_str(), path: [String] = text(item.path),
    }

    SweepAnswer of (swept, session_live) => (Swept, Option<bool>) {
        session_live: [Option<bool>] = session_live,
        reopened: [Vec<ReopenedRow>] = each(swept.reopened),
        scanned: [i64] = swept.scanned.try_into().unwrap_or(i64::MAX),
        failed: [Option<Vec<FailedRow>>] = failed_rows(swept.failed),
    }

    ArchiveAnswer of answer => Archived {
        archived: [Vec<FoundRow>] = each(answer.archived),
        failed: [Option<Vec<FailedRow>>] = failed_rows(answer.failed),
    }
}

/// `failed` is there only where there is any.
fn failed_rows(failed: Vec<Failed>) -> Option<Vec<FailedRow>> {
    (!failed.is_empty()).then(|| each(failed))
}

// ---- the calls, each with its promise

/// What throws its refusal, the errno name as the `code`.
fn throwing<T: Send + 'static>(
    run: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Job<T> {
    Job::new(run, |env, outcome| {
        outcome.map_err(|refusal| {
            let code = refusal.code.unwrap_or(refusal.error.as_str());
            error(env, code, &refusal.message)
        })
    })
}

/// Calls on one item, a row each: what is made of the item and the options.
macro_rules! marks {
    ($(fn $name:ident($options:ty) = $act:expr;)+) => {
        jobs! {$(
            fn $name(_env, root: Arg<String>, service: Arg<String>, item: Arg<ItemRef<'_>>, options: Arg<Option<$options>>) -> Answer {
                Ok(marking(root, service, item, options, $act))
            }
        )+}
    };
}

mod marked {
    #[allow(clippy::wildcard_imports, reason = "the rows of the same table")]
    use super::*;

    marks! {
        fn mark_session_claim(ClaimOptions) = |mut target: Target, given: ClaimOptions| {
            // A claim has no token yet to show.
            target.item.token = None;
            let claim = claim_of(given.now, given.claimed_by, given.token.flatten().unwrap_or(false))?;
            target.call(|inbox, service, item| inbox.claim(service, item, &claim)).map(Answer::claimed)
        };
        fn mark_session_deferral(DeferralOptions) = |target: Target, given: DeferralOptions| {
            let until = given.until.flatten().ok_or_else(|| invalid(not_a_time("until")))?.0;
            let reason = given.reason.unwrap_or_else(|| Some(String::new()));
            let deferral = Deferral { now: now(given.now)?, until, reason };
            target.of(given.token).call(|inbox, service, item| inbox.defer(service, item, &deferral)).map(Answer::moved)
        };
        fn mark_session_replied(OwnerOptions) = |target: Target, given: OwnerOptions| {
            let now = now(given.now)?;
            target.of(given.token).call(|inbox, service, item| inbox.reply(service, item, now)).map(Answer::moved)
        };
        fn mark_session_done(Known<OwnerOptions>) = |target: Target, Known(given): Known<OwnerOptions>| {
            let now = now(given.now)?;
            target.of(given.token).call(|inbox, service, item| inbox.done(service, item, now)).map(Answer::moved)
        };
        fn release_session_claim(Known<OwnerOptions>) = |target: Target, Known(given): Known<OwnerOptions>| {
            target.of(given.token).call(Inbox::release).map(Answer::moved)
        };
        fn renew_session_claim(Known<OwnerOptions>) = |target: Target, Known(given): Known<OwnerOptions>| {
            let now = now(given.now)?;
            target.of(given.token).call(|inbox, service, item| inbox.renew(service, item, now)).map(Answer::moved)
        };
        fn fail_inbox_item(Known<FailOptions>) = |target: Target, Known(given): Known<FailOptions>| {
            let failure = inbox::Failure {
                now: now(given.now)?,
                reason: given.reason.flatten().unwrap_or_default(),
                retry_at: given.retry_at.flatten().map(|moment| moment.0),
                max_attempts: given.max_attempts.flatten(),
            };
            target.of(given.token).call(|inbox, service, item| inbox.fail(service, item, &failure)).map(Answer::moved_to)
        };
        fn reopen_inbox_item(Known<ReopenOptions>) = |target: Target, Known(given): Known<ReopenOptions>| {
            let from = match given.from.flatten().as_deref() {
                Some("deferred") => ReopenFrom::Deferred,
                Some("dead") => ReopenFrom::Dead,
                _ => return Err(invalid("from must be \"deferred\" or \"dead\"")),
            };
            target.of(given.token).call(|inbox, service, item| inbox.reopen(service, item, from)).map(Answer::moved)
        };
    }
}

/// A call on one item, which answers and never throws.
fn marking<O: Default + Send + 'static>(
    root: Arg<String>,
    service: Arg<String>,
    item: Arg<ItemRef<'_>>,
    options: Arg<Option<O>>,
    act: impl FnOnce(Target, O) -> Result<Answer, Refusal> + Send + 'static,
) -> Job<Answer> {
    let target = Target::read(root, service, item);
    let given = options.say("options").map_err(invalid);
    throwing(move || {
        let answer = target.and_then(|target| act(target, given?.unwrap_or_default()));
        Ok(answer.unwrap_or_else(Answer::refused))
    })
}

fn claim_of(
    at: Option<Option<Moment>>,
    by: Option<Option<String>>,
    token: bool,
) -> Result<Claim, Refusal> {
    let claimed_by = match by {
        None => SESSION.to_owned(),
        Some(Some(by)) if !by.is_empty() => by,
        Some(_) => {
            return Err(invalid("claimedBy must be a string with something in it"));
        }
    };
    Ok(Claim { now: now(at)?, claimed_by, token })
}

/// The options; missing ones are the usual ones.
fn given<O: Default>(env: &Env, options: Arg<Option<O>>) -> napi::Result<O> {
    let options = options.say("options").map_err(|why| refuse(env, &why))?;
    Ok(options.unwrap_or_default())
}

fn root_of(env: &Env, root: Arg<String>) -> napi::Result<Inbox> {
    let root = root.say("root").map_err(|why| refuse(env, &why))?;
    Ok(Inbox::at(root))
}

fn one_service(env: &Env, name: Option<Option<String>>) -> napi::Result<Option<Service>> {
    let service = name.flatten().map(service_of).transpose();
    service.map_err(|refusal| thrown(env, &refusal))
}

fn rules(env: &Env, rules: Rules) -> napi::Result<SweepOptions> {
    rules.read().map_err(|refusal| out_of_range(env, &refusal))
}

jobs! {
    fn find_inbox_file(env, root: Arg<String>, id: Either<String, Unknown<'_>>, options: Arg<Option<FindBy>>) -> OrNull<FoundRow> {
        let inbox = root_of(env, root)?;
        // What is no service has nothing that could be found.
        let (Either::A(id), Ok(by)) = (id, options.say("options")) else {
            return Ok(throwing(|| Ok(or_null(None))));
        };
        let by = by.unwrap_or_default();
        let service = by.service.flatten().filter(|name| !name.is_empty());
        let archived = by.archived.flatten().unwrap_or(false);
        Ok(throwing(move || {
            let Ok(service) = service.map(Service::try_from).transpose() else {
                return Ok(or_null(None));
            };
            let found = inbox.find(&id, &FindOptions { service, archived })?;
            Ok(or_null(found.map(FoundRow::from)))
        }))
    }

    fn list_inbox(env, root: Arg<String>, options: Arg<Option<Known<Listing>>>) -> ListAnswer {
        let inbox = root_of(env, root)?;
        let Known(listing) = given(env, options)?;
        let words = listing.state.flatten().map(|state| match state {
            Either::A(one) => vec![one],
            Either::B(several) => several,
        });
        let state = |word: String| {
            word.parse::<State>().map_err(|error| refuse(env, &format!("state: {error}")))
        };
        let next = match listing.next.flatten() {
            None | Some(Either::A(false)) => None,
            Some(Either::A(true)) => Some(Rules::default()),
            Some(Either::B(rules)) => Some(rules),
        };
        let next = next.map(|next| rules(env, next)).transpose()?;
        let options = ListOptions {
            service: one_service(env, listing.service)?,
            states: words.map(|words| words.into_iter().map(state).collect::<napi::Result<_>>()).transpose()?,
            next: next.map(|options| (options.now, options.rules)),
            archived: listing.archived.flatten().unwrap_or(false),
        };
        Ok(throwing(move || {
            Ok(ListAnswer::from((inbox.list(&options), options.next.is_some())))
        }))
    }

    fn sweep_session_inbox(env, root: Arg<String>, options: Arg<Option<Rules>>) -> SweepAnswer {
        let inbox = root_of(env, root)?;
        let options = rules(env, given(env, options)?)?;
        Ok(throwing(move || Ok(SweepAnswer::from((inbox.sweep(&options), None)))))
    }

    fn sweep_session_inbox_for_daemon(env, root: Arg<String>, options: Arg<Option<Rules>>, door: Arg<FrontDoor>) -> SweepAnswer {
        let inbox = root_of(env, root)?;
        let mut options = rules(env, given(env, options)?)?;
        // Whatever else a reader says: the session is not live, and the daemon keeps its own items.
        let live = door.say("door").is_ok_and(|door| door.front_door == SESSION && door.session_live);
        options.rules.session_live = live;
        Ok(throwing(move || Ok(SweepAnswer::from((inbox.sweep(&options), Some(live))))))
    }

    fn archive_processed(env, root: Arg<String>, options: Arg<Option<Known<Archiving>>>) -> ArchiveAnswer {
        let inbox = root_of(env, root)?;
        let Known(given) = given(env, options)?;
        if given.older_than_ms.flatten().is_none() {
            return Err(refuse(env, &not_a_limit("olderThanMs")));
        }
        let options = now(given.now).and_then(|now| Ok(ArchiveOptions {
            now,
            older_than: duration(given.older_than_ms, Duration::ZERO, "olderThanMs")?,
            ids: given.ids.flatten(),
            dry_run: given.dry_run.flatten().unwrap_or(false),
        }));
        let options = options.map_err(|refusal| out_of_range(env, &refusal))?;
        Ok(throwing(move || Ok(inbox.archive(&options).into())))
    }

    fn deliver_inbox_item(_env, root: Arg<String>, service: Arg<String>, item: Arg<Either<String, YamlItem>>, options: Arg<Option<Known<DeliveryOptions>>>) -> Answer {
        let read = || {
            let inbox = Inbox::at(root.say("root").map_err(invalid)?);
            let service = service_of(service.say("service").map_err(invalid)?)?;
            let item = item.say("item").map_err(invalid)?;
            let Known(given) = options.say("options").map_err(invalid)?.unwrap_or_default();
            let (id, durable) = (given.id.flatten(), given.durable.flatten().unwrap_or(true));
            Ok((inbox, service, item, Delivery { now: now(given.now)?, id, durable }))
        };
        let read = read();
        Ok(throwing(move || {
            let answer = read.and_then(|(inbox, service, item, delivery)| match item {
                Either::A(text) => inbox.deliver_text(&service, &text, &delivery),
                Either::B(item) => inbox.deliver(&service, &item.into_value()?, &delivery),
            });
            Ok(answer.map_or_else(Answer::refused, Answer::delivered))
        }))
    }

    fn claim_next_item(env, root: Arg<String>, options: Arg<Option<Known<NextOptions>>>) -> Answer {
        let inbox = root_of(env, root)?;
        let Known(given) = given(env, options)?;
        let service = one_service(env, given.service)?;
        let token = given.token.flatten().unwrap_or(true);
        let claim = claim_of(given.now, given.claimed_by, token).map_err(|refusal| thrown(env, &refusal))?;
        Ok(throwing(move || Ok(Answer::next(inbox.claim_next(service.as_ref(), &claim)))))
    }
}

// ---- blocks as text

#[napi(catch_unwind)]
pub fn session_marker_lines(env: &Env, lines: Unknown<'_>) -> napi::Result<String> {
    // A default stands in for what is missing, and `null` is not.
    if lines.get_type()? == ValueType::Null {
        return Err(refuse(env, "lines must be an object"));
    }
    let lines = Arg::<Option<Lines>>::from_unknown(lines)?.say("lines").map_err(invalid);
    let lines = lines.and_then(|lines| lines.unwrap_or_default().read());
    let lines = lines.map_err(|refusal| thrown(env, &refusal))?;
    Ok(inbox::marker_lines(&lines))
}

impl Lines {
    fn read(self) -> Result<MarkerLines, Refusal> {
        let by = self.claimed_by.flatten().filter(|by| !by.is_empty());
        let time = |given: Option<Option<Moment>>| given.flatten().map(|moment| moment.0);
        Ok(MarkerLines {
            claim: by.map(|by| now(self.now).map(|now| (by, now))).transpose()?,
            deferred_until: time(self.deferred_until),
            deferred_reason: self.deferred_reason.flatten(),
            replied_at: time(self.replied_at),
        })
    }
}

fn text_of(env: &Env, body: Arg<String>) -> napi::Result<String> {
    body.say("body").map_err(|why| refuse(env, &why))
}

#[napi(catch_unwind)]
pub fn parse_session_markers(env: &Env, body: Arg<String>) -> napi::Result<MarkersRow> {
    Ok(inbox::parse_markers(text_of(env, body)?.as_bytes()).into())
}

#[napi(catch_unwind)]
pub fn strip_session_markers(env: &Env, body: Arg<String>) -> napi::Result<String> {
    let mut body = text_of(env, body)?;
    body.truncate(inbox::strip_markers(body.as_bytes()).len());
    Ok(body)
}
