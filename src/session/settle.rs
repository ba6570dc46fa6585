//! What became of the run that is on record: whether it lives, comes up, or is over.

use std::path::Path;
use std::time::{Duration, Instant};

use super::record::SessionRecord;
use super::ticket::{Revoked, Said, Ticket};
use super::{EndToldBy, ServerRecord, SessionError};
use crate::launch::MuxKind;
use crate::process::{self, End, ProcessId};

/// How often a run that comes up is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// What a run is, once that is certain.
pub(super) enum Settled {
    /// Its process lives; the record has it.
    Lives,
    /// Nothing of it runs, and nothing will.
    Over,
    /// A shell of it is there and has not come to its agent yet.
    ComingUp,
}

/// Settles a run whose start was cut short. Whoever calls holds the record, so that nobody starts it
/// meanwhile; what it finds is in `record` afterwards.
pub(super) fn settle(
    record: &mut SessionRecord,
    file: &Path,
    deadline: Instant,
) -> Result<Settled, SessionError> {
    if let Some(process) = &record.process {
        return Ok(if process.look().is_some() { Settled::Lives } else { Settled::Over });
    }
    let ticket = record.ticket(file);
    // From here on no shell can begin; one that has begun shows itself.
    let revoked = ticket.revoke().map_err(|error| SessionError::io(file, &error))?;
    if revoked == Revoked::Yes || record.code().is_some() {
        return Ok(Settled::Over);
    }
    loop {
        if take_agent(record, &ticket) {
            return Ok(Settled::Lives);
        }
        if !is_coming_up(&ticket) {
            // It may have named itself between the two looks.
            return Ok(if take_agent(record, &ticket) { Settled::Lives } else { Settled::Over });
        }
        if Instant::now() >= deadline {
            return Ok(Settled::ComingUp);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Takes into the record where the run is shown and, while it lives, its agent; says whether it does.
fn take_agent(record: &mut SessionRecord, ticket: &Ticket) -> bool {
    let Some(said) = ticket.said() else {
        return false;
    };
    fill_place(record, &said, ticket);
    match ticket.agent(&said) {
        Some(agent) => {
            fill_agent(record, &agent);
            true
        }
        None => false,
    }
}

/// Whether a shell of the run is there. What else carries its id came of its agent.
pub(super) fn is_coming_up(ticket: &Ticket) -> bool {
    process::all().iter().any(|one| ticket.is_shell(&process::words(one.pid)))
}

/// Takes in the agent.
pub(super) fn fill_agent(record: &mut SessionRecord, agent: &ProcessId) {
    record.end_told_by = match End::of(agent) {
        End::Past | End::Told(_) => EndToldBy::Kernel,
        End::Untold => EndToldBy::Looking,
    };
    record.process = Some(agent.clone());
}

/// Takes in the agent's shell, and where the run is shown.
pub(super) fn fill_place(record: &mut SessionRecord, said: &Said, ticket: &Ticket) {
    if record.shell.is_none() {
        record.shell = ticket.shell(said);
    }
    match record.kind {
        MuxKind::Tmux => {
            // `SOCKET,PID,SESSION`
            let mut fields = said.tmux.rsplitn(3, ',');
            record.session_id = fields.next().map(|id| format!("${id}"));
            let server = fields.next().and_then(|pid| pid.parse().ok()).and_then(ProcessId::of);
            let socket = fields.next().map(str::to_owned);
            record.server = server.map(|process| ServerRecord { process, socket });
            record.pane_id = Some(said.tmux_pane.clone()).filter(|pane| !pane.is_empty());
        }
        MuxKind::Screen => {
            let pid = said.screen.split('.').next().and_then(|pid| pid.parse().ok());
            let socket = record.socket.clone();
            record.server =
                pid.and_then(ProcessId::of).map(|process| ServerRecord { process, socket });
            record.session_id = Some(said.screen.clone()).filter(|id| !id.is_empty());
            record.pane_id = Some(super::mux::title(&record.run));
        }
    }
}
