//! One day from two forms: the ISO timestamp and the bank's own date, reconciled through the time zone.

use crate::base::date::{Day, IsoMoment, Zone};
use crate::statement::base::reading::DateConflict;

/// The day of both forms, the order within the day, and whether the two forms agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedDate {
    pub(crate) day: Day,
    /// Second of the local day, or 0 where no time of day is known.
    pub(crate) second: i64,
    pub(crate) agreement: DateAgreement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateAgreement {
    Plain,
    Repaired,
    Conflict,
}

impl DateAgreement {
    /// The flag for it: that of a repaired date, that of a conflict, or none.
    pub(crate) fn flag(self, repaired: u32, conflict: u32) -> u32 {
        match self {
            DateAgreement::Plain => 0,
            DateAgreement::Repaired => repaired,
            DateAgreement::Conflict => conflict,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateFault {
    /// The ISO form is not a moment.
    Iso,
    /// The bank's own form is not a day.
    Unformatted,
    /// They name different days, and the declared rule refuses that. Holds the day of the ISO form.
    Conflict(Day),
}

/// The ISO form of a date, before it is compared with the bank's own form: the day as written, and the day in the zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrittenDate {
    pub(crate) written: Day,
    pub(crate) written_second: i64,
    pub(crate) local: Day,
    pub(crate) local_second: i64,
}

impl WrittenDate {
    /// A day, or a moment in local time.
    pub(crate) fn plain(day: Day, second: i64) -> WrittenDate {
        WrittenDate { written: day, written_second: second, local: day, local_second: second }
    }

    /// An ISO 8601 text.
    pub(crate) fn iso(text: &str, zone: &Zone) -> Option<WrittenDate> {
        let moment = IsoMoment::parse(text)?;
        let plain = WrittenDate::plain(moment.written, i64::from(moment.time.map_or(0, |(second, _)| second)));
        Some(match moment.utc_seconds() {
            Some(seconds) => {
                let (local, local_second) = zone.local_day_and_second(seconds);
                WrittenDate { local, local_second, ..plain }
            }
            None => plain,
        })
    }
}

/// Caches recently reconciled pairs of forms, in the most common formats. Days repeat, and advance by one.
#[derive(Debug, Default)]
pub(crate) struct DateCache([Option<RememberedDate>; 8]);

#[derive(Clone, Copy, Debug)]
struct RememberedDate {
    iso: [u8; 24],
    unformatted: [u8; 10],
    when: ResolvedDate,
}

impl DateCache {
    /// Like [`reconcile_dates`], with a cache. Every call must have the same zone and the same rule.
    #[inline]
    pub(crate) fn reconcile(
        &mut self,
        iso: Option<&str>,
        unformatted: Option<&str>,
        zone: &Zone,
        rule: DateConflict,
    ) -> Result<Option<ResolvedDate>, DateFault> {
        let forms = || -> Option<(&[u8; 24], &[u8; 10])> {
            Some((iso?.as_bytes().try_into().ok()?, unformatted?.as_bytes().try_into().ok()?))
        };
        let Some((iso_form, bank_form)) = forms() else { return reconcile_dates(iso, unformatted, zone, rule) };
        // The slot is chosen by the day of the month: the two digits after `YYYY-MM-`.
        let place = usize::from(iso_form[8]) * 10 + usize::from(iso_form[9]);
        let known = &mut self.0[place % 8];
        match known {
            Some(known) if known.iso == *iso_form && known.unformatted == *bank_form => Ok(Some(known.when)),
            _ => {
                let resolved = reconcile_dates(iso, unformatted, zone, rule)?;
                *known = resolved.map(|when| RememberedDate { iso: *iso_form, unformatted: *bank_form, when });
                Ok(resolved)
            }
        }
    }
}

/// Reads both forms and reconciles them. A record with neither form has no day.
pub(crate) fn reconcile_dates(
    iso: Option<&str>,
    unformatted: Option<&str>,
    zone: &Zone,
    rule: DateConflict,
) -> Result<Option<ResolvedDate>, DateFault> {
    let written = match iso {
        Some(text) => Some(WrittenDate::iso(text, zone).ok_or(DateFault::Iso)?),
        None => None,
    };
    reconcile_written(written, unformatted, rule)
}

/// Like [`reconcile_dates`], after the ISO form has been read.
pub(crate) fn reconcile_written(
    written: Option<WrittenDate>,
    unformatted: Option<&str>,
    rule: DateConflict,
) -> Result<Option<ResolvedDate>, DateFault> {
    let bank = match unformatted {
        Some(text) => Some(Day::parse_day_first(text).ok_or(DateFault::Unformatted)?),
        None => None,
    };
    let when = |day, second, agreement| Ok(Some(ResolvedDate { day, second, agreement }));
    match (written, bank) {
        (None, None) => Ok(None),
        (None, Some(bank)) => when(bank, 0, DateAgreement::Plain),
        (Some(date), None) => when(date.local, date.local_second, DateAgreement::Plain),
        (Some(date), Some(bank)) if bank == date.local => {
            let agreement = if date.written == bank { DateAgreement::Plain } else { DateAgreement::Repaired };
            when(bank, date.local_second, agreement)
        }
        // The source wrote local time and called it UTC: both forms are written with the same day.
        (Some(date), Some(bank)) if bank == date.written => when(bank, date.written_second, DateAgreement::Plain),
        (Some(date), Some(bank)) => match rule {
            DateConflict::Error => Err(DateFault::Conflict(date.local)),
            DateConflict::PreferIso => when(date.local, date.local_second, DateAgreement::Conflict),
            DateConflict::PreferUnformatted => when(bank, 0, DateAgreement::Conflict),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Days in two orders, some of them invalid, with the bank's day on the same day, before or after.
    #[test]
    fn a_cached_pair_is_the_same_as_an_uncached_one() {
        let zone = Zone::parse("Africa/Lagos").expect("Lagos");
        let ends = ["T00:00:00.000Z", "T23:30:00.000Z", "T23:30:00.000+", "T25:00:00.000Z", ""];
        for rule in [DateConflict::Error, DateConflict::PreferIso, DateConflict::PreferUnformatted] {
            let (mut recent, mut again) = (DateCache::default(), 0);
            for step in 0..4_000_usize {
                let day = if step % 400 < 200 { step % 35 } else { 34 - step * 3 % 35 };
                let iso = format!("2026-03-{day:02}{}", ends[step / 40 % ends.len()]);
                let bank = format!("{:02}-03-202{}", day + step / 20 % 3, step / 700 % 2 + 6);
                let iso = Some(&*iso).filter(|_| step % 97 > 0);
                let bank = Some(&*bank).filter(|_| step % 89 > 0);
                for _ in 0..2 {
                    again += 1;
                    let alone = reconcile_dates(iso, bank, &zone, rule);
                    assert_eq!(recent.reconcile(iso, bank, &zone, rule), alone, "{iso:?} {bank:?}");
                }
            }
            assert_eq!(again, 8_000);
        }
    }
}
