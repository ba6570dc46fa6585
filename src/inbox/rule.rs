//! The state table: which call takes an item from which state, and when a sweep gives one back.

use std::time::{Duration, SystemTime};

use super::attempts::Attempts;
use super::block::{Block, Key};
use super::find::Picks;
use super::name::State;
use super::refusal::Refused;
use super::time::Time;
use crate::words::words;

/// A session's claim is given back after 20 minutes.
pub const SESSION_CLAIM_STALE: Duration = Duration::from_secs(20 * 60);
/// An item that a daemon dispatched and lost is given back after 30 minutes.
pub const DAEMON_ORPHAN_RECLAIM: Duration = Duration::from_secs(30 * 60);
/// A replied item is retired after 60 minutes.
pub const REPLIED_RETIRE: Duration = Duration::from_secs(60 * 60);

/// Who claims where the caller does not say: the one owner whose claims every sweep gives back.
pub const SESSION: &str = "session";

/// What is done with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Claim,
    Defer,
    Reply,
    Done,
    Release,
    Renew,
    Fail,
    ReopenDeferred,
    ReopenDead,
}

/// A row of the table: where a call takes an item from, which items it means by an id, and how it is refused.
struct Row {
    /// The most alive first.
    from: &'static [State],
    picks: Picks,
    /// The word where no item has the id.
    absent: Refused,
    /// The word for an item in any other state.
    elsewhere: Refused,
    /// Whether an answered item is past this: an answer must not be given twice.
    ends_with_reply: bool,
}

impl Verb {
    const fn row(self) -> Row {
        use Refused::{NotClaimable, NotClaimed, NotDeferrable, NotFound, NotInFlight};
        use State::{Claimed, Dead, Deferred, New};
        let (from, picks, absent, elsewhere, ends_with_reply): (&[State], _, _, _, _) = match self {
            Self::Claim => (&[New], Picks::Parts, NotClaimable, NotClaimable, false),
            Self::Defer => (&[New, Claimed], Picks::Parts, NotDeferrable, NotDeferrable, true),
            Self::Reply => (&[Claimed], Picks::Parts, NotInFlight, NotInFlight, false),
            Self::Done => (&[Claimed], Picks::Exact, NotFound, NotInFlight, false),
            Self::Release | Self::Renew => (&[Claimed], Picks::Exact, NotFound, NotInFlight, true),
            Self::Fail => (&[Claimed], Picks::Exact, NotFound, NotClaimed, true),
            Self::ReopenDeferred => (&[Deferred], Picks::Exact, NotFound, NotFound, true),
            Self::ReopenDead => (&[Dead], Picks::Exact, NotFound, NotFound, false),
        };
        Row { from, picks, absent, elsewhere, ends_with_reply }
    }

    pub(crate) const fn from(self) -> &'static [State] {
        self.row().from
    }

    pub(crate) const fn picks(self) -> Picks {
        self.row().picks
    }

    pub(crate) const fn absent(self) -> Refused {
        self.row().absent
    }

    pub(crate) const fn elsewhere(self) -> Refused {
        self.row().elsewhere
    }

    pub(crate) const fn ends_with_reply(self) -> bool {
        self.row().ends_with_reply
    }
}

words! {
    /// Why a sweep moved an item.
    pub enum Reason {
        /// A session's claim, not replied to, older than the stale limit: new again.
        ClaimStale = "claim-stale",
        /// A deferral whose time has come: new again.
        DeferralDue = "deferral-due",
        /// Replied longer ago than the retire limit: processed.
        RepliedRetired = "replied-retired",
        /// Claimed without a block, untouched for longer than the orphan limit, while a session lives: new again.
        DaemonOrphan = "daemon-orphan",
        /// To be given back, and claimed as often as the sweep allows: dead.
        AttemptsExhausted = "attempts-exhausted",
    }
}

impl Reason {
    /// The state that the item goes to.
    #[must_use]
    pub const fn to(self) -> State {
        match self {
            Self::RepliedRetired => State::Processed,
            Self::ClaimStale | Self::DeferralDue | Self::DaemonOrphan => State::New,
            Self::AttemptsExhausted => State::Dead,
        }
    }
}

/// What a sweep goes by.
///
/// ```
/// use std::time::Duration;
/// use seatkit::inbox::SweepRules;
///
/// let patient = SweepRules { stale: Duration::from_secs(3600), ..SweepRules::default() };
/// assert!(patient.stale > SweepRules::default().stale);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepRules {
    /// Whether a session lives, so that items a daemon lost are given back.
    pub session_live: bool,
    /// See [`SESSION_CLAIM_STALE`].
    pub stale: Duration,
    /// See [`DAEMON_ORPHAN_RECLAIM`].
    pub orphan: Duration,
    /// See [`REPLIED_RETIRE`].
    pub retire: Duration,
    /// Whose claims are given back, beside those of [`SESSION`].
    pub owners: Vec<String>,
    /// An item that was claimed this often is given up where it would be given back; `None` for no limit.
    pub max_attempts: Option<u32>,
}

impl Default for SweepRules {
    fn default() -> Self {
        Self {
            session_live: false,
            stale: SESSION_CLAIM_STALE,
            orphan: DAEMON_ORPHAN_RECLAIM,
            retire: REPLIED_RETIRE,
            owners: Vec::new(),
            max_attempts: None,
        }
    }
}

impl SweepRules {
    /// What the item goes to when its wait is over: an item that was claimed too often is given up instead.
    pub(crate) fn outcome(&self, reason: Reason, attempts: Option<Attempts>) -> Reason {
        let exhausted = self
            .max_attempts
            .is_some_and(|most| attempts.is_some_and(|attempts| attempts.count >= most));
        if exhausted && reason.to() == State::New { Reason::AttemptsExhausted } else { reason }
    }
}

/// What becomes of an item in flight if nobody does anything but sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// Why a sweep will move it; [`Reason::to`] says to which state.
    pub reason: Reason,
    /// The first whole millisecond at which a sweep moves it. May be long past.
    pub at: SystemTime,
}

/// What an item in flight waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wait {
    pub(crate) reason: Reason,
    /// The moment from which the item is due; `None` where the file's own time decides.
    since: Option<Time>,
    limit_ms: f64,
    /// Whether the item is due at the limit itself, not only past it.
    inclusive: bool,
}

/// What is known of an item in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InFlight<'a> {
    pub(crate) state: State,
    /// What its markers say.
    pub(crate) facts: &'a Block<'a>,
    /// Whether a claim of it died before its block stood.
    pub(crate) claiming: bool,
}

impl Wait {
    /// What the item waits for, by its name and markers alone; `None` for one that no sweep moves.
    ///
    /// A reply comes before all else: a replied item is never given back. A file that an interrupted
    /// call left under another name is read by its block; where a block says two things, the name decides.
    pub(crate) fn of(item: InFlight<'_>, rules: &SweepRules) -> Option<Self> {
        let InFlight { state, facts, claiming } = item;
        if !state.in_flight() {
            return None;
        }
        let past = |reason, since, limit: Duration| Self {
            reason,
            since,
            limit_ms: limit.as_secs_f64() * 1e3,
            inclusive: false,
        };
        if facts.has(Key::RepliedAt) {
            return Some(past(Reason::RepliedRetired, facts.time(Key::RepliedAt), rules.retire));
        }
        let claimed = facts.text(Key::ClaimedBy);
        let deferred = facts.has(Key::DeferredUntil) || facts.has(Key::DeferredReason);
        match claimed.as_deref() {
            Some(by) if !(deferred && state == State::Deferred) => {
                let ours = by == SESSION || rules.owners.iter().any(|owner| owner == by);
                ours.then(|| past(Reason::ClaimStale, facts.time(Key::ClaimedAt), rules.stale))
            }
            _ if deferred => Some(match facts.time(Key::DeferredUntil) {
                Some(until) => Self {
                    inclusive: true,
                    ..past(Reason::DeferralDue, Some(until), Duration::ZERO)
                },
                None => past(Reason::DeferralDue, None, rules.stale),
            }),
            // A failure that died on its way to the dead, or a claim before its block.
            _ if facts.has(Key::FailedAt) => {
                Some(past(Reason::ClaimStale, facts.time(Key::FailedAt), rules.stale))
            }
            _ if claiming => Some(past(Reason::ClaimStale, None, rules.stale)),
            // A deferral without a block is the daemon's own.
            _ => (state == State::Claimed && rules.session_live)
                .then(|| past(Reason::DaemonOrphan, None, rules.orphan)),
        }
    }

    /// Whether the time of the file itself is needed to decide.
    pub(crate) fn needs_file_time(&self) -> bool {
        self.since.is_none()
    }

    /// Whether the wait of an item whose file was changed at `modified` is over at `now`.
    ///
    /// Clocks are set back: what was written further in the future than its own limit is over too.
    pub(crate) fn is_over(&self, now: Time, modified: Time) -> bool {
        let age = now.millis() - self.since.unwrap_or(modified).millis();
        if self.inclusive {
            age >= self.limit_ms
        } else {
            age > self.limit_ms || age < -self.limit_ms
        }
    }

    /// When that wait is over; `None` where no clock comes so far.
    pub(crate) fn next(&self, now: Time, modified: Time) -> Option<(Reason, Time)> {
        if self.is_over(now, modified) && !self.inclusive {
            let since = self.since.unwrap_or(modified).millis();
            let end = (since + self.limit_ms).floor() + 1.0;
            return Time::from_millis(end.min(now.millis())).map(|at| (self.reason, at));
        }
        let end = self.since.unwrap_or(modified).millis() + self.limit_ms;
        let at = if self.inclusive { end.ceil() } else { end.floor() + 1.0 };
        Time::from_millis(at).map(|at| (self.reason, at))
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::split_text;
    use super::*;

    const T0: f64 = 1_788_868_800_000.0;

    fn at(millis: f64) -> Time {
        Time::from_millis(millis).unwrap()
    }

    fn live() -> SweepRules {
        SweepRules { session_live: true, ..SweepRules::default() }
    }

    fn wait(state: State, block: &str, rules: &SweepRules) -> Option<Wait> {
        let facts = &split_text(block.as_bytes());
        Wait::of(InFlight { state, facts, claiming: false }, rules)
    }

    const SESSION_CLAIM_STALE_MS: f64 = 20.0 * 60_000.0;
    const DAEMON_ORPHAN_RECLAIM_MS: f64 = 30.0 * 60_000.0;
    const REPLIED_RETIRE_MS: f64 = 60.0 * 60_000.0;

    /// The reason for which an item with this block is due, `age` after T0; its file is of T0.
    fn due(state: State, block: &str, age: f64) -> Option<Reason> {
        let wait = wait(state, block, &live())?;
        wait.is_over(at(T0 + age), at(T0)).then_some(wait.reason)
    }

    fn claim() -> String {
        format!("claimed_by: \"session\"\nclaimed_at: \"{}\"\n", at(T0))
    }

    fn deferral() -> String {
        format!("deferred_until: \"{}\"\ndeferred_reason: \"later\"\n", at(T0))
    }

    #[test]
    fn the_limits_are_the_published_ones() {
        assert_eq!(
            [SESSION_CLAIM_STALE, DAEMON_ORPHAN_RECLAIM, REPLIED_RETIRE]
                .map(|limit| limit.as_millis()),
            [1_200_000, 1_800_000, 3_600_000]
        );
    }

    #[test]
    fn a_clock_that_was_ahead_by_more_than_the_limit_makes_due() {
        let years_ahead = format!("claimed_by: \"session\"\nclaimed_at: \"{}\"\n", at(T0 + 3e11));
        assert_eq!(due(State::Claimed, &years_ahead, 0.0), Some(Reason::ClaimStale));
        let ahead = |by: f64| due(State::Claimed, &claim(), -by);
        assert_eq!(ahead(SESSION_CLAIM_STALE_MS), None);
        assert_eq!(ahead(SESSION_CLAIM_STALE_MS + 1.0), Some(Reason::ClaimStale));
        let replied = format!("replied_at: \"{}\"\n", at(T0 + 3e11));
        assert_eq!(due(State::Claimed, &replied, 0.0), Some(Reason::RepliedRetired));
        assert_eq!(
            due(State::Claimed, "", -3e11),
            Some(Reason::DaemonOrphan),
            "the file's own time"
        );
        assert_eq!(
            due(State::Deferred, &deferral(), -3e11),
            None,
            "the future is what a deferral is for"
        );
    }

    #[test]
    fn the_claims_of_named_owners_are_given_back_too() {
        let rules = SweepRules { owners: vec!["worker".to_owned()], ..live() };
        let of = |by: &str| wait(State::Claimed, &claim().replace("session", by), &rules);
        assert_eq!(of("worker").map(|wait| wait.reason), Some(Reason::ClaimStale));
        assert_eq!(of("somebody"), None);
        assert!(of("session").is_some());
    }

    #[test]
    fn a_claim_that_died_before_its_block_is_stale_whoever_lives() {
        let facts = &Block::none(0);
        let state = State::Claimed;
        let dead = Wait::of(InFlight { state, facts, claiming: true }, &SweepRules::default());
        assert_eq!(dead.map(|wait| wait.reason), Some(Reason::ClaimStale));
        let daemon = Wait::of(InFlight { state, facts, claiming: false }, &SweepRules::default());
        assert_eq!(daemon, None);
    }

    #[test]
    fn what_was_claimed_too_often_is_given_up_where_it_would_be_given_back() {
        let rules = SweepRules { max_attempts: Some(3), ..live() };
        let after = |count, reason| {
            let claiming = false;
            rules.outcome(reason, Some(Attempts { count, claiming }))
        };
        assert_eq!(after(2, Reason::ClaimStale), Reason::ClaimStale);
        assert_eq!(after(3, Reason::ClaimStale), Reason::AttemptsExhausted);
        assert_eq!(after(3, Reason::DeferralDue), Reason::AttemptsExhausted);
        assert_eq!(after(9, Reason::RepliedRetired), Reason::RepliedRetired);
        assert_eq!(rules.outcome(Reason::ClaimStale, None), Reason::ClaimStale);
    }

    #[test]
    fn a_claim_is_stale_only_past_the_limit() {
        assert_eq!(due(State::Claimed, &claim(), SESSION_CLAIM_STALE_MS), None);
        assert_eq!(
            due(State::Claimed, &claim(), SESSION_CLAIM_STALE_MS + 0.5),
            Some(Reason::ClaimStale)
        );
        assert_eq!(due(State::Claimed, &claim().replace("session", "somebody"), 1e12), None);
    }

    #[test]
    fn a_deferral_is_due_at_its_very_time() {
        assert_eq!(due(State::Deferred, &deferral(), -1.0), None);
        assert_eq!(due(State::Deferred, &deferral(), 0.0), Some(Reason::DeferralDue));
    }

    #[test]
    fn a_reply_wins_over_everything() {
        let replied = format!("replied_at: \"{}\"\n", at(T0));
        for block in [claim() + &replied, replied.clone() + &deferral(), replied] {
            for state in [State::Claimed, State::Deferred] {
                assert_eq!(due(state, &block, REPLIED_RETIRE_MS), None);
                assert_eq!(
                    due(state, &block, REPLIED_RETIRE_MS + 1.0),
                    Some(Reason::RepliedRetired)
                );
            }
        }
    }

    #[test]
    fn an_orphan_is_due_by_the_time_of_its_file() {
        assert_eq!(due(State::Claimed, "", DAEMON_ORPHAN_RECLAIM_MS), None);
        assert_eq!(
            due(State::Claimed, "", DAEMON_ORPHAN_RECLAIM_MS + 1.0),
            Some(Reason::DaemonOrphan)
        );
        assert_eq!(due(State::Deferred, "", 1e12), None, "the daemon's own deferral");
        assert_eq!(wait(State::Claimed, "", &SweepRules::default()), None, "no live session");
    }

    #[test]
    fn a_time_that_says_nothing_falls_back_to_the_file() {
        for claimed_at in
            ["", "claimed_at: \"garbage\"\n", "claimed_at:\n", "claimed_at: \"2026-09-"]
        {
            let block = format!("claimed_by: \"session\"\n{claimed_at}");
            assert_eq!(due(State::Claimed, &block, SESSION_CLAIM_STALE_MS), None);
            assert_eq!(
                due(State::Claimed, &block, SESSION_CLAIM_STALE_MS + 1.0),
                Some(Reason::ClaimStale)
            );
        }
        for block in ["deferred_until: \"soon\"\n", "deferred_reason: \"x\"\n"] {
            assert_eq!(due(State::Deferred, block, SESSION_CLAIM_STALE_MS), None);
            assert_eq!(
                due(State::Deferred, block, SESSION_CLAIM_STALE_MS + 1.0),
                Some(Reason::DeferralDue)
            );
        }
        assert_eq!(
            due(State::Claimed, "replied_at: \"x\"\n", REPLIED_RETIRE_MS + 1.0),
            Some(Reason::RepliedRetired)
        );
    }

    #[test]
    fn an_interrupted_call_is_read_by_its_block() {
        assert_eq!(due(State::Claimed, &deferral(), 0.0), Some(Reason::DeferralDue));
        assert_eq!(
            due(State::Deferred, &claim(), SESSION_CLAIM_STALE_MS + 1.0),
            Some(Reason::ClaimStale)
        );
        let both = claim() + &deferral();
        assert_eq!(due(State::Claimed, &both, 0.0), None, "the claim counts under a claim's name");
        assert_eq!(due(State::Deferred, &both, 0.0), Some(Reason::DeferralDue));
    }

    #[test]
    fn the_next_sweep_to_act_is_named_to_the_millisecond() {
        let torn = "claimed_by: \"session\"\n";
        let replied = format!("replied_at: \"{}\"\n", at(T0));
        for (state, block) in [
            (State::Claimed, claim().as_str()),
            (State::Claimed, torn),
            (State::Claimed, ""),
            (State::Claimed, replied.as_str()),
            (State::Deferred, deferral().as_str()),
            (State::Deferred, "deferred_until: \"soon\"\n"),
        ] {
            let wait = wait(state, block, &live()).unwrap();
            // A file's time has parts of a millisecond, a clock has not.
            for modified in [at(T0), at(T0 + 0.25)] {
                let (reason, moment) = wait.next(at(T0), modified).unwrap();
                let over = |now: f64| wait.is_over(at(now), modified);
                assert_eq!(reason, wait.reason);
                assert!(over(moment.millis()), "{block:?}");
                assert!(!over(moment.millis() - 1.0), "{block:?}");
            }
        }
    }

    #[test]
    fn what_is_over_was_so_when_its_time_ended_and_never_after_now() {
        let wait = wait(State::Claimed, &claim(), &live()).unwrap();
        let ended = wait.next(at(T0 + 86.4e6), at(T0)).unwrap().1;
        assert_eq!(wait.next(ended, at(T0)), Some((Reason::ClaimStale, ended)));
        assert!(ended < at(T0 + 86.4e6));
        let set_back = at(T0 - 86.4e6);
        assert_eq!(wait.next(set_back, at(T0)), Some((Reason::ClaimStale, set_back)));
    }

    #[test]
    fn what_no_clock_reaches_has_no_next() {
        let never = SweepRules { stale: Duration::MAX, ..live() };
        let wait = wait(State::Claimed, &claim(), &never);
        assert_eq!(wait.unwrap().next(at(T0), at(T0)), None);
    }

    #[test]
    fn nothing_is_due_outside_of_flight() {
        for state in [State::New, State::Processed] {
            assert_eq!(due(state, &claim(), 1e12), None);
        }
    }
}
