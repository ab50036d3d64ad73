//! Which days a statement covers: as it states, or else as the rhythm of its records makes likely. Computes no metric.

use crate::base::date::Day;
use crate::statement::{PeriodSource, StatementPeriod};

/// The longest silence at the edge of a month, in days, that the rhythm of the records can explain.
const SILENCE_MAX_DAYS: i32 = 7;

/// A silence is usual for an account if one day in so many begins one that is as long, or longer.
const ONE_DAY_IN: i64 = 50;

/// The days that a statement covers up to the day of the decision, in days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CoveredPeriod {
    pub(crate) from: i32,
    pub(crate) to: i32,
    /// The day up to which months and weeks without a record are known to be empty.
    pub(crate) known_to: i32,
    pub(crate) source: PeriodSource,
}

impl CoveredPeriod {
    /// The period of a statement. `dates` are the days of the records that count, in order. Records after `as_of` say
    /// nothing: on that day they were not there.
    pub(crate) fn find(stated: Option<StatementPeriod>, dates: &[i32], as_of: Option<Day>) -> Option<CoveredPeriod> {
        let as_of = as_of.map(Day::days);
        let last = dates.last().copied();
        let Some(stated) = stated else {
            let (first, last) = (*dates.first()?, last?);
            let (from, to) = (covered_from(dates, first), covered_to(dates, last, as_of));
            return Some(CoveredPeriod { from, to, known_to: last, source: PeriodSource::Records });
        };
        // Without a day, nothing is known of the months after the last record's: they may not have come yet.
        let until = as_of.or_else(|| last.map(month_end));
        let to = until.map_or(stated.to.days(), |until| until.min(stated.to.days()));
        let known_to = if as_of.is_some() { to } else { last.unwrap_or(to) };
        let mut from = stated.from.days();
        if stated.source == PeriodSource::Balances
            && let (Some(first), Some(last)) = (dates.first(), last)
        {
            // A balance of the first record's day says no more than the record does.
            from = from.min(covered_from(dates, *first));
            return Some(CoveredPeriod {
                from,
                to: to.max(covered_to(dates, last, as_of)),
                known_to,
                source: stated.source,
            });
        }
        (from <= to).then_some(CoveredPeriod { from, to, known_to, source: stated.source })
    }

    /// The period as a decision shows it.
    pub(crate) fn shown(self) -> StatementPeriod {
        StatementPeriod::new(Day::from_days(self.from), Day::from_days(self.to), self.source)
    }
}

/// The beginning of the first record's month if the silence before that record is usual for the account, else the
/// record's day.
fn covered_from(dates: &[i32], first: i32) -> i32 {
    let start = Day::from_days(first).month_start().days();
    if is_usual_silence(dates, first - start) { start } else { first }
}

/// The end of the last record's month if the silence after that record is usual for the account and the month is over,
/// else the record's day.
fn covered_to(dates: &[i32], last: i32, as_of: Option<i32>) -> i32 {
    let end = month_end(last);
    let is_over = as_of.is_none_or(|day| day >= end);
    if is_over && is_usual_silence(dates, end - last) { end } else { last }
}

fn month_end(day: i32) -> i32 {
    Day::from_days(day).plus_months(1).map_or(day, |next| next.month_start().days() - 1)
}

/// Whether so many days without a record are nothing unusual for an account: if the export covers the edge of the
/// month, a silence from there on is at least as long with this chance. The chance is the share of days, from the
/// first record to the last, that begin a silence of this length.
fn is_usual_silence(dates: &[i32], days: i32) -> bool {
    if days <= 0 {
        return true;
    }
    let (Some(first), Some(last)) = (dates.first(), dates.last()) else { return false };
    if days > SILENCE_MAX_DAYS {
        return false;
    }
    let begin: i64 = dates.windows(2).map(|pair| i64::from((pair[1] - pair[0] - days).max(0))).sum();
    begin > 0 && begin * ONE_DAY_IN >= i64::from(last - first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> i32 {
        Day::parse_iso(text).expect("a day").days()
    }

    fn found(stated: Option<(&str, &str)>, dates: &[i32], as_of: Option<&str>) -> Option<(String, String)> {
        let of = |text: &str| Day::parse_iso(text).expect("a day");
        let stated = stated.map(|(from, to)| StatementPeriod::new(of(from), of(to), PeriodSource::File));
        let as_of = as_of.map(of);
        let count = as_of.map_or(dates.len(), |day| dates.partition_point(|date| *date <= day.days()));
        let period = CoveredPeriod::find(stated, &dates[..count], as_of)?.shown();
        Some((period.from.to_string(), period.to.to_string()))
    }

    fn pair(from: &str, to: &str) -> Option<(String, String)> {
        Some((from.to_owned(), to.to_owned()))
    }

    /// Every day of a range, without some.
    fn days(from: &str, to: &str, is_silent: impl Fn(i32) -> bool) -> Vec<i32> {
        (day(from)..=day(to)).filter(|date| !is_silent(*date)).collect()
    }

    #[test]
    fn a_month_of_an_account_that_is_often_silent_is_covered_to_its_edges() {
        // Nothing on three days of seven.
        let dates = days("2026-08-03", "2026-10-30", |date| date.rem_euclid(7) < 3);
        assert_eq!(found(None, &dates, None), pair("2026-08-01", "2026-10-31"));
        assert_eq!(found(None, &dates, Some("2026-11-02")), pair("2026-08-01", "2026-10-31"));
        assert_eq!(found(None, &dates, Some("2026-10-30")), pair("2026-08-01", "2026-10-28"), "it is not over");
    }

    #[test]
    fn a_month_of_an_account_that_is_never_silent_is_not() {
        let dates = days("2026-08-03", "2026-10-30", |_| false);
        assert_eq!(found(None, &dates, None), pair("2026-08-03", "2026-10-30"));
        // One silence of two days in three months: of 88 days, two begin one silent day, and one begins two.
        let dates = days("2026-08-03", "2026-10-30", |date| (day("2026-09-10")..day("2026-09-12")).contains(&date));
        assert_eq!(found(None, &dates, None), pair("2026-08-03", "2026-10-31"));
        // However often it is silent, not for longer than a week.
        let dates: Vec<i32> = (day("2026-08-09")..=day("2026-10-30")).step_by(12).collect();
        assert_eq!(found(None, &dates, None).map(|found| found.0), Some("2026-08-09".to_owned()));
    }

    #[test]
    fn records_after_the_day_say_nothing() {
        let dates = days("2026-08-01", "2026-12-20", |date| (day("2026-10-24")..day("2026-11-09")).contains(&date));
        assert_eq!(found(None, &dates, Some("2026-10-31")), pair("2026-08-01", "2026-10-23"));
    }

    #[test]
    fn a_stated_period_counts_up_to_the_day_of_the_decision() {
        let stated = Some(("2026-08-01", "2026-10-31"));
        let dates = [day("2026-08-20"), day("2026-08-25")];
        assert_eq!(found(stated, &dates, Some("2026-11-05")), pair("2026-08-01", "2026-10-31"));
        assert_eq!(found(stated, &dates, Some("2026-10-10")), pair("2026-08-01", "2026-10-10"));
        assert_eq!(found(stated, &dates, None), pair("2026-08-01", "2026-08-31"), "the rest may not have come yet");
        assert_eq!(found(stated, &[], Some("2026-07-10")), None);
        assert_eq!(found(stated, &[], Some("2026-11-05")), pair("2026-08-01", "2026-10-31"));
        assert_eq!(found(None, &[], Some("2026-11-05")), None);
    }
}
