//! One day out of two forms: the ISO timestamp and the date as the bank wrote it, reconciled through the time zone.
//! Must not know where the texts came from.

use crate::statement::reading::DateConflict;
use crate::words::date::{Day, IsoMoment, Zone};

/// The day that both forms give, its order within the day, and how the two stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct When {
    pub(crate) day: Day,
    /// Second of the local day, or 0 where no time of day is known.
    pub(crate) second: i64,
    pub(crate) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Plain,
    Repaired,
    Conflict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhenFault {
    /// The ISO form is no moment.
    Iso,
    /// The form as the bank wrote it is no day.
    Unformatted,
    /// They name different days, and the declared rule is to refuse that. The day that the ISO form names is said.
    Conflict(Day),
}

/// Reads and reconciles. At least one form is present; a record with neither has no day.
pub(crate) fn reconcile(
    iso: Option<&str>,
    unformatted: Option<&str>,
    zone: &Zone,
    rule: DateConflict,
) -> Result<Option<When>, WhenFault> {
    let bank = match unformatted {
        Some(text) => Some(Day::parse_day_first(text).ok_or(WhenFault::Unformatted)?),
        None => None,
    };
    let plain = |day, second| Ok(Some(When { day, second, verdict: Verdict::Plain }));
    let Some(iso) = iso else {
        return bank.map_or(Ok(None), |day| plain(day, 0));
    };
    let moment = IsoMoment::parse(iso).ok_or(WhenFault::Iso)?;
    let written_second = i64::from(moment.time.map_or(0, |(second, _)| second));
    let (local, local_second) = match moment.utc_seconds() {
        Some(seconds) => zone.local_day_and_second(seconds),
        None => (moment.written, written_second),
    };
    match bank {
        None => plain(local, local_second),
        Some(bank) if bank == local => {
            let verdict = if moment.written == bank { Verdict::Plain } else { Verdict::Repaired };
            Ok(Some(When { day: bank, second: local_second, verdict }))
        }
        // The source wrote local time and called it UTC: both forms say the same day in so many words.
        Some(bank) if bank == moment.written => plain(bank, written_second),
        Some(bank) => match rule {
            DateConflict::Error => Err(WhenFault::Conflict(local)),
            DateConflict::PreferIso => Ok(Some(When { day: local, second: local_second, verdict: Verdict::Conflict })),
            DateConflict::PreferUnformatted => Ok(Some(When { day: bank, second: 0, verdict: Verdict::Conflict })),
        },
    }
}

/// Remembers the last pair of texts: in a statement many records share a day.
#[derive(Debug, Default)]
pub(crate) struct LastWhen {
    iso: String,
    unformatted: String,
    present: (bool, bool),
    when: Option<When>,
}

impl LastWhen {
    pub(crate) fn reconcile(
        &mut self,
        iso: Option<&str>,
        unformatted: Option<&str>,
        zone: &Zone,
        rule: DateConflict,
    ) -> Result<Option<When>, WhenFault> {
        let present = (iso.is_some(), unformatted.is_some());
        let same = self.present == present
            && iso.unwrap_or_default() == self.iso
            && unformatted.unwrap_or_default() == self.unformatted
            && self.when.is_some();
        if same {
            return Ok(self.when);
        }
        let when = reconcile(iso, unformatted, zone, rule)?;
        self.iso.clear();
        self.iso.push_str(iso.unwrap_or_default());
        self.unformatted.clear();
        self.unformatted.push_str(unformatted.unwrap_or_default());
        self.present = present;
        self.when = when;
        Ok(when)
    }
}
