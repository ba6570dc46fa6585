//! Every run of this user, whatever became of its record.

use std::path::PathBuf;
use std::time::Duration;

use super::stop::{EndedProcess, Ending, GRACE, LeftProcess, left_of, shown};
use super::ticket::{NAME_VARIABLE, RECORD_VARIABLE, run_of};
use super::{Environment, Session, SessionError, StopOptions, StopSignal};
use crate::process;

/// A run that still has processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its id.
    pub run: String,
    /// What its session was called when it was started; `None` where its processes do not show it.
    pub name: Option<String>,
    /// Where it was put on record.
    pub record_file: Option<PathBuf>,
    /// What carries its id, the oldest first.
    pub processes: Vec<LeftProcess>,
}

/// Every run of this user that still has processes, with or without a record.
///
/// A process belongs to the run whose id it was started with, wherever it forked away to.
#[must_use]
pub fn list_runs() -> Vec<Run> {
    let found = process::runs(&process::all(), run_of);
    let runs = found.into_iter().map(|(run, mut processes)| {
        processes.sort_by_key(|(seen, _)| seen.started);
        let variable = |name| processes.iter().find_map(|(_, words)| words.variable(name));
        Run {
            run,
            name: variable(NAME_VARIABLE).map(str::to_owned),
            record_file: variable(RECORD_VARIABLE).map(PathBuf::from),
            processes: processes
                .iter()
                .map(|(seen, _)| LeftProcess { pid: seen.pid, command: shown(seen) })
                .collect(),
        }
    });
    runs.collect()
}

/// Ends what is left of a run: asks each process that carries its id, waits, and kills. A run on record is
/// stopped by it, so that nobody takes its end for a crash. No process of another run is touched.
///
/// # Errors
///
/// Those of [`Session::stop`].
pub fn stop_run(
    run: &str,
    grace: Option<Duration>,
    env: &Environment,
) -> Result<(Vec<EndedProcess>, Vec<LeftProcess>), SessionError> {
    let found = list_runs().into_iter().find(|found| found.run == run);
    let file = found.and_then(|found| found.record_file);
    if let Some(mut session) = file.and_then(|file| Session::adopt(file, env).ok())
        && session.record().run == run
    {
        let options = StopOptions { grace, everything: true, signal: None };
        return session.stop(&options).map(|stopped| (stopped.ended, stopped.left));
    }
    let mut ending = Ending::of(run, None, None);
    ending.end_carriers(StopSignal::Term, grace.unwrap_or(GRACE));
    Ok((ending.ended(), left_of(run)))
}
