//! The surface of `seatkit/session`. A session is its record and where that stands; JavaScript holds both.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use napi::bindgen_prelude::{Either, Env, Error, Object, Result};

use super::convert::{
    Known, OrNull, Word, each, error, exports, options, or_null, rows, shapes, whole, wrong_value,
};
use super::job::{Job, deferred};
use super::launch_args::GivenMux;
use super::mux::{Changes, SessionOutcome, Size, Variables, whole_size};
use crate::launch::MuxKind;
use crate::session::{
    self, PromptOf, Session, SessionError, SessionLaunch, SessionMux, SessionRecord, StopOptions,
};

shapes! {
    /// A session as JavaScript holds it.
    () Held { record: [String], file: [String], }
}

rows! {
    /// A session, or why there is none.
    Found of found => std::result::Result<Session, SessionError> {
        ok: [bool] = found.is_ok(),
        error: [Option<&'static str>] = found.as_ref().err().map(SessionError::code),
        message: [Option<String>] = found.as_ref().err().map(ToString::to_string),
        session: [Option<Held>] = found.ok().map(|session| Held {
            record: session.record().to_json(),
            file: session.record_file().to_string_lossy().into_owned(),
        }),
    }

    /// Where a session is shown.
    Place of place => session::Place {
        session_id: [String] = place.session_id, session_name: [String] = place.session_name,
        window_id: [OrNull<String>] = or_null(place.window_id), pane_id: [String] = place.pane_id,
    }

    /// A process that was ended.
    EndedProcess of one => session::EndedProcess {
        pid: [u32] = one.pid, command: [String] = one.command, by: [&'static str] = one.by,
    }

    /// A process that lives.
    LeftProcess of one => session::LeftProcess {
        pid: [u32] = one.pid, command: [String] = one.command,
    }

    /// What a stop did, and the record as it is since.
    Stopped of (new_record, stopped) => (String, session::Stopped) {
        record: [String] = new_record, outcome: [SessionOutcome] = stopped.outcome.into(),
        ended: [Vec<EndedProcess>] = each(stopped.ended),
        left: [Vec<LeftProcess>] = each(stopped.left),
    }

    /// What a stop of a run did.
    StoppedRun of (gone, rest) => (Vec<session::EndedProcess>, Vec<session::LeftProcess>) {
        ended: [Vec<EndedProcess>] = each(gone), left: [Vec<LeftProcess>] = each(rest),
    }

    /// A run that still has processes.
    ListedRun of listed => session::Run {
        run: [String] = listed.run, name: [OrNull<String>] = or_null(listed.name),
        record_file: [OrNull<String>] = or_null(listed.record_file.map(|file| file.to_string_lossy().into_owned())),
        processes: [Vec<LeftProcess>] = each(listed.processes),
    }
}

shapes! {
    /// A wait for the end of a session.
    (object_from_js = false) Wait<'env> { id: [u32], outcome: [Object<'env>], }
}

options! {
    /// What `startSession` is told.
    struct Launch {
        [mux_name: String, cwd: String, claude_bin: String,] claude_args: Vec<String>,
        prompt: Either<bool, String>, terminator: bool, mux: GivenMux, socket: String,
        config: String, utf8: bool, scrub_env: Vec<String>, env: Changes, size: Known<Size>,
        record_file: String, exit_file: String, stop_signal: String,
    }

    /// What `session.ended` is told, but for its signal.
    struct GivenWait { timeout_ms: f64, }

    /// What `session.send` is told.
    struct GivenSend { enter: bool, }

    /// What `session.read` is told.
    struct GivenRead { lines: f64, }

    /// What `session.stop` and `stopRun` are told.
    struct GivenStop { grace_ms: f64, everything: bool, stop_signal: String, }
}

thread_local! {
    /// The waits of this thread's JavaScript; `None` before the first.
    static WAITS: RefCell<Option<HashSet<u32>>> = const { RefCell::new(None) };
}

/// A worker that is terminated waits for nothing any more, and never says so.
fn keep_wait(env: &Env, id: u32) -> Result<()> {
    if WAITS.with_borrow(Option::is_none) {
        env.add_env_cleanup_hook((), |()| {
            WAITS.take().into_iter().flatten().for_each(session::cancel);
        })?;
    }
    WAITS.with_borrow_mut(|waits| waits.get_or_insert_default().insert(id));
    Ok(())
}

exports! {
    fn start_session(js, options: Known<Launch>, env: Variables) -> Object<'_> {
        let (launch, env) = (launch(js, options.0)?, env.0);
        Job::new(move || Session::start(&launch, &env), |_, found| Ok(Found::from(found))).apart(js)
    }

    fn adopt_session(js, record_file: String, env: Variables) -> Object<'_> {
        Job::new(move || Session::adopt(record_file, &env.0), |_, found| Ok(Found::from(found))).apart(js)
    }

    fn session_state(js, session: Held) -> &'static str {
        Ok(given(js, session, Variables(Vec::new()))?.state().as_str())
    }

    fn session_place(js, session: Held, env: Variables) -> Object<'_> {
        let session = given(js, session, env)?;
        Job::new(move || session.place(), |js, place| {
            Ok(or_null(place.map_err(|reason| thrown(js, &reason))?.map(Place::from)))
        })
        .apart(js)
    }

    fn session_ended(js, session: Held, options: Option<Known<GivenWait>>, env: Variables) -> Wait<'_> {
        let session = given(js, session, env)?;
        let timeout = options.and_then(|Known(options)| options.timeout_ms.flatten());
        let timeout = millis(js, "options.timeoutMs", timeout)?;
        let (settle, promise) = deferred(js)?;
        let id = session.on_ended(timeout, move |wait| {
            settle(Box::new(move |_| Ok(or_null(wait.outcome().map(SessionOutcome::from)))));
        });
        let id = id.map_err(|reason| thrown(js, &reason))?;
        keep_wait(js, id)?;
        Ok(Wait { id, outcome: promise })
    }

    fn let_go_of_wait(js, id: u32) -> () {
        WAITS.with_borrow_mut(|waits| waits.as_mut().map(|waits| waits.remove(&id)));
        session::cancel(id);
        Ok(())
    }

    fn stop_session(js, session: Held, options: Option<Known<GivenStop>>, env: Variables) -> Object<'_> {
        let mut session = given(js, session, env)?;
        let options = stop_options(js, options)?;
        let stop = move || session.stop(&options).map(|stopped| (session.record().to_json(), stopped));
        let answer = |js: &Env, stopped| answer(js, stopped).map(Stopped::from);
        Job::new(stop, answer).apart(js)
    }

    fn send_to_session(
        js, session: Held, text: String, options: Option<Known<GivenSend>>, env: Variables
    ) -> Object<'_> {
        let session = given(js, session, env)?;
        let enter = options.and_then(|Known(options)| options.enter.flatten()).unwrap_or(true);
        let send = move || session.send(&text, enter);
        Job::new(send, answer).apart(js)
    }

    fn read_session(js, session: Held, options: Option<Known<GivenRead>>, env: Variables) -> Object<'_> {
        let session = given(js, session, env)?;
        let lines = options.and_then(|Known(options)| options.lines.flatten());
        let lines = lines.map(|lines| whole(js, "options.lines", lines)).transpose()?;
        let read = move || session.read(lines);
        Job::new(read, answer).apart(js)
    }

    fn list_runs(js) -> Object<'_> { Job::new(session::list_runs, |_, runs| Ok(each::<_, ListedRun>(runs))).apart(js) }

    fn stop_run(js, run: String, options: Option<Known<GivenStop>>, env: Variables) -> Object<'_> {
        let grace = stop_options(js, options)?.grace;
        let answer = |js: &Env, stopped| answer(js, stopped).map(StoppedRun::from);
        Job::new(move || session::stop_run(&run, grace, &env.0), answer).apart(js)
    }
}

fn launch(env: &Env, start: Launch) -> Result<SessionLaunch> {
    let mux = start.mux.flatten().map(|mux| {
        let kind = match mux.kind.unwrap_or_default() {
            Word::Text(kind) => kind.parse::<MuxKind>().ok(),
            Word::Undefined | Word::Null => None,
        };
        let kind =
            kind.ok_or_else(|| wrong_value(env, "options.mux.kind must be tmux or screen"))?;
        Ok::<_, Error>(SessionMux { kind, bin: mux.bin })
    });
    let size = start.size.flatten().map(|Known(size)| whole_size(env, "options.size", &size));
    let gone = start.scrub_env.flatten().unwrap_or_default().into_iter().map(|name| (name, None));
    let changes = start.env.flatten().unwrap_or_default().0;
    Ok(SessionLaunch {
        mux: mux.transpose()?,
        mux_name: start.mux_name,
        cwd: start.cwd,
        claude_bin: start.claude_bin,
        claude_args: start.claude_args.flatten().unwrap_or_default(),
        prompt: match start.prompt.flatten() {
            Some(Either::A(true)) => PromptOf::Last,
            Some(Either::B(text)) => PromptOf::Text(text),
            Some(Either::A(false)) | None => PromptOf::None,
        },
        terminator: start.terminator.flatten().unwrap_or(true),
        socket: start.socket.flatten(),
        config: start.config.flatten(),
        utf8: start.utf8.flatten().unwrap_or_default(),
        env: gone.chain(changes).collect(),
        size: size.transpose()?,
        record_file: start.record_file.flatten().map(PathBuf::from),
        exit_file: start.exit_file.flatten().map(PathBuf::from),
        stop_signal: signal(env, start.stop_signal.flatten())?.unwrap_or_default(),
    })
}

fn signal(env: &Env, word: Option<String>) -> Result<Option<session::StopSignal>> {
    let parse = |word: String| {
        word.parse().map_err(|unknown| wrong_value(env, &format!("options.stopSignal: {unknown}")))
    };
    word.map(parse).transpose()
}

fn stop_options(env: &Env, options: Option<Known<GivenStop>>) -> Result<StopOptions> {
    let Some(Known(options)) = options else {
        return Ok(StopOptions::default());
    };
    Ok(StopOptions {
        grace: millis(env, "options.graceMs", options.grace_ms.flatten())?,
        everything: options.everything.flatten().unwrap_or_default(),
        signal: signal(env, options.stop_signal.flatten())?,
    })
}

fn millis(env: &Env, what: &str, ms: Option<f64>) -> Result<Option<Duration>> {
    if ms.is_some_and(|ms| !(ms >= 0.0 && ms.is_finite())) {
        return Err(wrong_value(env, &format!("{what} must be a finite number, 0 or more")));
    }
    Ok(ms.map(|ms| Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX)))
}

fn given(env: &Env, held: Held, Variables(variables): Variables) -> Result<Session> {
    let record = SessionRecord::from_json(&held.record);
    let record = record.map_err(|reason| wrong_value(env, &reason.to_string()))?;
    Ok(Session::of(record, held.file, &variables))
}

fn thrown(env: &Env, reason: &SessionError) -> Error {
    error(env, reason.code(), &reason.to_string())
}

/// The outcome of a call, or its error, thrown with its word.
fn answer<T>(env: &Env, outcome: std::result::Result<T, SessionError>) -> Result<T> {
    outcome.map_err(|reason| thrown(env, &reason))
}
