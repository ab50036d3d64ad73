//! When things are done and given up: the lender's settings of a loan's life. Knows nothing of files.

use crate::base::date::{Day, Zone};
use crate::base::time::{DAY, TimeOfDay, Timestamp};

/// The settings of a loan's life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The time zone in which payments are due.
    pub(crate) zone: Zone,
    /// The local time at which a payment is collected on its due day.
    pub(crate) collect_at: TimeOfDay,
    /// Waits between the tries of a call that did not go out.
    pub(crate) backoff: Backoff,
    /// After this long without success a call is given up, in milliseconds.
    pub(crate) give_up_after_ms: i64,
    /// How long after the reply to an acceptance the customer is credited, in milliseconds.
    pub(crate) fund_after_ms: i64,
    /// Waits between the queries of a transaction with an unknown outcome.
    pub(crate) requery: Backoff,
    /// How long after sending "not found" is not believed, in milliseconds.
    pub(crate) settling_ms: i64,
    /// After this long a transaction with an unknown outcome goes to a person, in milliseconds.
    pub(crate) unknown_ms: i64,
    /// What follows if the provider does not know a transaction after the settling time.
    pub(crate) after_not_found: AfterNotFound,
    /// How long a payment that equals a debit may be its notification, in milliseconds.
    pub(crate) own_debit_ms: i64,
    /// The further tries to collect a payment.
    pub(crate) retries: Vec<Retry>,
}

/// The moment of a step, and the settings it goes by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'p> {
    /// The moment.
    pub(crate) now: Timestamp,
    /// The settings.
    pub(crate) plan: &'p Plan,
}

/// What follows if the provider does not know a transaction after the settling time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AfterNotFound {
    /// A person decides.
    #[default]
    Review,
    /// It is sent again under the same id. Only for providers that carry out each id at most once.
    SendAgain,
}

/// A further try to collect a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Retry {
    /// How long after the failed try, in milliseconds.
    pub(crate) after_ms: i64,
    /// How much of what is owed of the payment, in percent, from 1 to 100. Below 100 only where part payment is
    /// allowed.
    pub(crate) percent: u32,
}

/// Waits that double up to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    /// The first wait, in milliseconds.
    pub(crate) first_ms: i64,
    /// The longest wait, in milliseconds.
    pub(crate) longest_ms: i64,
}

impl Backoff {
    /// The wait after this many tries in vain, from 0.
    pub(crate) fn after(&self, tries: u32) -> i64 {
        let doubled = self.first_ms.saturating_mul(1_i64.checked_shl(tries.min(40)).unwrap_or(i64::MAX));
        doubled.min(self.longest_ms)
    }
}

impl Plan {
    /// This moment, by these settings.
    pub(crate) fn at(&self, now: Timestamp) -> At<'_> {
        At { now, plan: self }
    }

    /// The moment this long after another, at most the end of the calendar.
    pub(crate) fn later(&self, moment: Timestamp, milliseconds: i64) -> Timestamp {
        moment_after(moment, milliseconds)
    }

    /// The further try that follows this many tries to collect a payment.
    pub(crate) fn retry_after(&self, tries: u32) -> Option<&Retry> {
        let at = usize::try_from(tries).ok()?.checked_sub(1)?;
        self.retries.get(at)
    }

    /// The moment at which a payment of this day is collected.
    pub(crate) fn collect_on(&self, day: Day) -> Timestamp {
        let local = i64::from(day.days()) * DAY + self.collect_at.milliseconds();
        within_calendar(utc_milliseconds(&self.zone, local))
    }

    /// The local day of a moment.
    pub(crate) fn day(&self, moment: Timestamp) -> Day {
        self.zone.local_day(moment.milliseconds().div_euclid(1_000))
    }

    /// How much to ask for at the next try, of what is owed: whole minor units, rounded up.
    pub(crate) fn share(owed_minor: i64, percent: u32) -> i64 {
        let share = (i128::from(owed_minor) * i128::from(percent) + 99) / 100;
        i64::try_from(share).unwrap_or(owed_minor).clamp(1.min(owed_minor), owed_minor)
    }
}

/// The moment at which clocks of a zone show a local time; both are milliseconds since 1970-01-01. A time that clocks
/// leave out, because they are set forward, is as long after the change as it is into the gap: on the same day.
pub(crate) fn utc_milliseconds(zone: &Zone, local: i64) -> i64 {
    let offset = |utc: i64| i64::from(zone.offset_seconds(utc.div_euclid(1_000))) * 1_000;
    // The offset at the moment itself: the first guess is off by the offset, which is less than a day.
    let moment = local - offset(local - offset(local));
    match moment + offset(moment) == local {
        true => moment,
        // The offset from before the change gives the later one of two moments.
        false => local - offset(moment - DAY).min(offset(moment + DAY)),
    }
}

/// A moment this long after another. The last moment of the calendar if it is beyond.
pub(super) fn moment_after(moment: Timestamp, milliseconds: i64) -> Timestamp {
    within_calendar(moment.milliseconds().saturating_add(milliseconds))
}

fn within_calendar(milliseconds: i64) -> Timestamp {
    let end = i64::from(Day::from_days(i32::MAX).days()) * DAY;
    Timestamp::from_milliseconds(milliseconds.min(end)).expect("INVARIANT: at most the last day of the calendar")
}
