//! The period that a source states and the days of the records: a record outside of it contradicts it.

use std::collections::BTreeSet;

use polars::prelude::PolarsResult;

use crate::base::date::Day;
use crate::statement::base::error::Error;
use crate::statement::base::period::{PeriodSource, StatementPeriod};
use crate::statement::columns::frame::Statements;
use crate::statement::rows::builder::{Group, NO_DAY};

/// A period that can be used, and what a person should see.
pub(crate) struct JudgedPeriod {
    pub(crate) used: Option<StatementPeriod>,
    pub(crate) warning: Option<String>,
}

/// The period of a statement with records on these days, which are in order. One that its records contradict is not
/// used.
pub(crate) fn judge_stated_period(days: &[i32], group: &Group, duplicates: u64) -> JudgedPeriod {
    let Some(stated) = group.period.whole(days.len() as u64 + duplicates) else {
        return JudgedPeriod { used: period_of_balances(group), warning: None };
    };
    let outside = days.iter().filter(|day| !stated.covers(**day)).count();
    if outside == 0 {
        return JudgedPeriod { used: Some(stated), warning: None };
    }
    let warning = format!(
        "{outside} records lie outside of the period {} that the file states, so it was not used",
        stated.name()
    );
    JudgedPeriod { used: None, warning: Some(warning) }
}

/// The days between the stated balances, if they enclose every movement.
fn period_of_balances(group: &Group) -> Option<StatementPeriod> {
    let sections = &group.stated.sections;
    let is_dated = sections.iter().all(|section| section.opening.day != NO_DAY && section.closing.day != NO_DAY);
    if !group.stated.is_covering || !is_dated {
        return None;
    }
    StatementPeriod::of_balances(sections.iter().map(|section| (section.opening.day, section.closing.day)))
}

impl Statements {
    /// The same statements, each of which covers this period: an export that lists every record from the first day to
    /// the last. `docs/explanation/period.md` says what depends on it.
    ///
    /// ```
    /// use lendwright::base::{date::{Day, Zone}, money::Currency};
    /// use lendwright::statement::{Reading, read_json};
    /// let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("Africa/Lagos").unwrap());
    /// let body = br#"[{"id": "1", "credit": 2500, "trans_date": "2026-08-03"}]"#;
    /// let day = |text| Day::parse_iso(text).unwrap();
    /// let statements = read_json(body, "reference 1", &reading)?;
    /// let statements = statements.with_period(day("2026-08-01"), day("2026-10-31"))?;
    /// assert!(statements.heads()[0].quality.period.is_some());
    /// assert!(statements.with_period(day("2026-08-04"), day("2026-10-31")).is_err());
    /// # Ok::<(), lendwright::statement::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Period`] if the period ends before it begins, or if a record lies outside of it.
    pub fn with_period(self, from: Day, to: Day) -> Result<Statements, Error> {
        if to < from {
            return Err(Error::Period { what: format!("{from} to {to} ends before it begins") });
        }
        let period = StatementPeriod::new(from, to, PeriodSource::Stated);
        let outside = days_outside(&self, period).map_err(Error::table)?;
        if let (Some(first), Some(last)) = (outside.first(), outside.last()) {
            let days = if first == last { format!("on {first}") } else { format!("from {first} to {last}") };
            let what = format!(
                "records lie {days}, outside of the stated period {}; state the days that the export covers, or leave \
                 the period out",
                period.name()
            );
            return Err(Error::Period { what });
        }
        let mut heads = self.heads;
        for head in &mut heads {
            let of_file = head.quality.period.filter(|other| other.source == PeriodSource::File);
            if let Some(other) = of_file.filter(|other| (other.from, other.to) != (from, to)) {
                let what = "the file states the period";
                head.quality.warnings.push(format!("{what} {}, and the caller {}", other.name(), period.name()));
            }
            head.quality.period = Some(period);
        }
        Ok(Statements::new(self.frame, heads))
    }
}

/// The days outside of a period on which there are records.
fn days_outside(statements: &Statements, period: StatementPeriod) -> PolarsResult<BTreeSet<Day>> {
    let days = statements.frame.column("trans_date")?.date()?.physical().clone();
    Ok(days.iter().flatten().filter(|day| !period.covers(*day)).map(Day::from_days).collect())
}
