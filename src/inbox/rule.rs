//! The state table: which call takes an item from which state, and when a sweep gives one back.

use super::block::{Block, Key};
use super::name::State;
use super::refusal::Refused;
use super::time::Time;

/// A session's claim is given back after 20 minutes, in milliseconds.
pub const SESSION_CLAIM_STALE_MS: f64 = 20.0 * 60_000.0;
/// An item that a daemon dispatched and lost is given back after 30 minutes, in milliseconds.
pub const DAEMON_ORPHAN_RECLAIM_MS: f64 = 30.0 * 60_000.0;
/// A replied item is retired after 60 minutes, in milliseconds.
pub const REPLIED_RETIRE_MS: f64 = 60.0 * 60_000.0;

/// Who claims where the caller does not say: the one owner whose claims a sweep gives back.
pub const SESSION: &str = "session";

/// What a session does with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Claim,
    Defer,
    Reply,
    Done,
    Release,
    Renew,
}

impl Verb {
    /// The states it takes an item from, the most alive first.
    pub(crate) const fn from(self) -> &'static [State] {
        match self {
            Self::Claim => &[State::New],
            Self::Defer => &[State::New, State::Claimed],
            Self::Reply | Self::Done | Self::Release | Self::Renew => &[State::Claimed],
        }
    }

    /// The word for an item in any other state, or for none.
    pub(crate) const fn refused(self) -> Refused {
        match self {
            Self::Claim => Refused::NotClaimable,
            Self::Defer => Refused::NotDeferrable,
            Self::Reply | Self::Done | Self::Release | Self::Renew => Refused::NotInFlight,
        }
    }

    /// Whether an answered item is past this: an answer must not be given twice.
    pub(crate) const fn ends_with_reply(self) -> bool {
        matches!(self, Self::Defer | Self::Release | Self::Renew)
    }
}

/// Why a sweep moved an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A session's claim, not replied to, older than the stale limit: new again.
    ClaimStale,
    /// A deferral whose time has come: new again.
    DeferralDue,
    /// Replied longer ago than the retire limit: processed.
    RepliedRetired,
    /// Claimed without a block, untouched for longer than the orphan limit, while a session lives: new again.
    DaemonOrphan,
}

impl Reason {
    /// The reason's own name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaimStale => "claim-stale",
            Self::DeferralDue => "deferral-due",
            Self::RepliedRetired => "replied-retired",
            Self::DaemonOrphan => "daemon-orphan",
        }
    }

    /// The state that the item goes to.
    #[must_use]
    pub const fn to(self) -> State {
        match self {
            Self::RepliedRetired => State::Processed,
            Self::ClaimStale | Self::DeferralDue | Self::DaemonOrphan => State::New,
        }
    }
}

/// When a sweep gives items back; all limits in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// See [`SESSION_CLAIM_STALE_MS`].
    pub stale_ms: f64,
    /// See [`DAEMON_ORPHAN_RECLAIM_MS`].
    pub orphan_ms: f64,
    /// See [`REPLIED_RETIRE_MS`].
    pub retire_ms: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            stale_ms: SESSION_CLAIM_STALE_MS,
            orphan_ms: DAEMON_ORPHAN_RECLAIM_MS,
            retire_ms: REPLIED_RETIRE_MS,
        }
    }
}

/// What becomes of an item in flight if nobody does anything but sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Next {
    /// Why a sweep will move it; [`Reason::to`] says to which state.
    pub reason: Reason,
    /// The first whole millisecond at which a sweep moves it. May be long past.
    pub at: Time,
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

impl Wait {
    /// What the item waits for, told by its name and block alone; `None` for one that is not a sweep's.
    ///
    /// A reply comes before all else: a replied item is never given back. A file that an interrupted
    /// call left under another name is read by its block; where a block says two things, the name decides.
    pub(crate) fn of(
        state: State,
        block: &Block<'_>,
        session_live: bool,
        limits: &Limits,
    ) -> Option<Self> {
        if !state.in_flight() {
            return None;
        }
        if block.has(Key::RepliedAt) {
            return Some(Self {
                reason: Reason::RepliedRetired,
                since: block.time(Key::RepliedAt),
                limit_ms: limits.retire_ms,
                inclusive: false,
            });
        }
        let claimed = block.text(Key::ClaimedBy);
        let deferred = block.has(Key::DeferredUntil) || block.has(Key::DeferredReason);
        match claimed.as_deref() {
            Some(by) if !(deferred && state == State::Deferred) => {
                let since = block.time(Key::ClaimedAt);
                (by == SESSION).then_some(Self {
                    reason: Reason::ClaimStale,
                    since,
                    limit_ms: limits.stale_ms,
                    inclusive: false,
                })
            }
            _ if deferred => Some(match block.time(Key::DeferredUntil) {
                Some(until) => Self {
                    reason: Reason::DeferralDue,
                    since: Some(until),
                    limit_ms: 0.0,
                    inclusive: true,
                },
                None => Self {
                    reason: Reason::DeferralDue,
                    since: None,
                    limit_ms: limits.stale_ms,
                    inclusive: false,
                },
            }),
            // A deferral without a block is the daemon's own.
            _ => (state == State::Claimed && session_live).then_some(Self {
                reason: Reason::DaemonOrphan,
                since: None,
                limit_ms: limits.orphan_ms,
                inclusive: false,
            }),
        }
    }

    /// Whether the time of the file itself is needed to decide.
    pub(crate) fn needs_file_time(&self) -> bool {
        self.since.is_none()
    }

    /// Whether the wait of an item whose file was changed at `modified` is over at `now`.
    pub(crate) fn is_over(&self, now: Time, modified: Time) -> bool {
        let age = now.millis() - self.since.unwrap_or(modified).millis();
        if self.inclusive {
            age >= self.limit_ms
        } else {
            age > self.limit_ms
        }
    }

    /// When that wait is over; `None` where no clock comes so far.
    pub(crate) fn next(&self, modified: Time) -> Option<Next> {
        let end = self.since.unwrap_or(modified).millis() + self.limit_ms;
        let at = if self.inclusive {
            end.ceil()
        } else {
            end.floor() + 1.0
        };
        Time::from_millis(at).map(|at| Next {
            reason: self.reason,
            at,
        })
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

    /// The reason for which an item with this block is due, `age` after T0; its file is of T0.
    fn due(state: State, block: &str, age: f64) -> Option<Reason> {
        let wait = Wait::of(
            state,
            &split_text(block.as_bytes()),
            true,
            &Limits::default(),
        )?;
        wait.is_over(at(T0 + age), at(T0)).then_some(wait.reason)
    }

    fn claim() -> String {
        format!("claimed_by: \"session\"\nclaimed_at: \"{}\"\n", at(T0))
    }

    fn deferral() -> String {
        format!(
            "deferred_until: \"{}\"\ndeferred_reason: \"later\"\n",
            at(T0)
        )
    }

    #[test]
    fn the_limits_and_the_reasons_are_the_published_ones() {
        assert_eq!(
            [
                SESSION_CLAIM_STALE_MS,
                DAEMON_ORPHAN_RECLAIM_MS,
                REPLIED_RETIRE_MS
            ]
            .map(|limit| limit.to_string()),
            ["1200000", "1800000", "3600000"]
        );
        assert_eq!(
            [
                Reason::ClaimStale,
                Reason::DeferralDue,
                Reason::RepliedRetired,
                Reason::DaemonOrphan
            ]
            .map(Reason::as_str),
            [
                "claim-stale",
                "deferral-due",
                "replied-retired",
                "daemon-orphan"
            ]
        );
    }

    #[test]
    fn a_claim_is_stale_only_past_the_limit() {
        assert_eq!(due(State::Claimed, &claim(), SESSION_CLAIM_STALE_MS), None);
        assert_eq!(
            due(State::Claimed, &claim(), SESSION_CLAIM_STALE_MS + 0.5),
            Some(Reason::ClaimStale)
        );
        assert_eq!(
            due(
                State::Claimed,
                &claim().replace("session", "somebody"),
                1e12
            ),
            None
        );
    }

    #[test]
    fn a_deferral_is_due_at_its_very_time() {
        assert_eq!(due(State::Deferred, &deferral(), -1.0), None);
        assert_eq!(
            due(State::Deferred, &deferral(), 0.0),
            Some(Reason::DeferralDue)
        );
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
        assert_eq!(
            due(State::Deferred, "", 1e12),
            None,
            "the daemon's own deferral"
        );
        assert!(
            Wait::of(State::Claimed, &split_text(b""), false, &Limits::default()).is_none(),
            "no live session"
        );
    }

    #[test]
    fn a_time_that_says_nothing_falls_back_to_the_file() {
        for claimed_at in [
            "",
            "claimed_at: \"garbage\"\n",
            "claimed_at:\n",
            "claimed_at: \"2026-09-",
        ] {
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
            due(
                State::Claimed,
                "replied_at: \"x\"\n",
                REPLIED_RETIRE_MS + 1.0
            ),
            Some(Reason::RepliedRetired)
        );
    }

    #[test]
    fn an_interrupted_call_is_read_by_its_block() {
        assert_eq!(
            due(State::Claimed, &deferral(), 0.0),
            Some(Reason::DeferralDue)
        );
        assert_eq!(
            due(State::Deferred, &claim(), SESSION_CLAIM_STALE_MS + 1.0),
            Some(Reason::ClaimStale)
        );
        let both = claim() + &deferral();
        assert_eq!(
            due(State::Claimed, &both, 0.0),
            None,
            "the claim counts under a claim's name"
        );
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
            let wait = Wait::of(
                state,
                &split_text(block.as_bytes()),
                true,
                &Limits::default(),
            )
            .unwrap();
            // A file's time has parts of a millisecond, a clock has not.
            for modified in [at(T0), at(T0 + 0.25)] {
                let next = wait.next(modified).unwrap();
                let over = |now: f64| wait.is_over(at(now), modified);
                assert_eq!(next.reason, wait.reason);
                assert!(over(next.at.millis()), "{block:?}");
                assert!(!over(next.at.millis() - 1.0), "{block:?}");
            }
        }
    }

    #[test]
    fn what_no_clock_reaches_has_no_next() {
        let never = Limits {
            stale_ms: f64::INFINITY,
            ..Limits::default()
        };
        let claim = claim();
        let wait = Wait::of(State::Claimed, &split_text(claim.as_bytes()), true, &never);
        assert_eq!(wait.unwrap().next(at(T0)), None);
    }

    #[test]
    fn nothing_is_due_outside_of_flight() {
        for state in [State::New, State::Processed] {
            assert_eq!(due(state, &claim(), 1e12), None);
        }
    }
}
