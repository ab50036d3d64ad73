//! What all balances of a statement together say: those of its records and those that the source states beside them.

use crate::base::date::Day;
use crate::statement::base::quality::{BalanceDiscrepancy, BalanceVerdict};
use crate::statement::columns::balance_breaks::Chain;
use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::columns::stated_balances::{self, StatedBreak};
use crate::statement::rows::stated::{Contradicted, Stated, balance_difference};

/// The verdict, and what a person should know about stated balances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) verdict: BalanceVerdict,
    pub(crate) first: Option<Box<BalanceDiscrepancy>>,
    /// About stated balances only; the chain of records has a warning of its own.
    pub(crate) warnings: Vec<String>,
}

impl Finding {
    /// The verdict on one account.
    pub(crate) fn new(chain: &Chain, stated: &Stated, columns: &RecordColumns, major: u128) -> Finding {
        let stated_breaks = stated_balances::find_stated_breaks(&stated.sections, major);
        let contradicted: Vec<&Contradicted> = stated
            .contradicted
            .iter()
            .filter(|found| balance_difference(found.by_records, found.stated.minor) >= major)
            .collect();
        let of_record = chain.first.map(|found| BalanceDiscrepancy {
            day: Day::from_days(found.day),
            record: found.row.and_then(|row| columns.view().id(row as usize)).map(str::to_owned),
            ..balance_discrepancy_of(found.day, found.expected, found.found)
        });
        let of_stated = stated_breaks.iter().min_by_key(|found| found.day);
        let of_stated = of_stated.map(|found| balance_discrepancy_of(found.day, found.expected, found.found));
        let of_both = contradicted.iter().min_by_key(|found| found.stated.day);
        let of_both =
            of_both.map(|found| balance_discrepancy_of(found.stated.day, found.by_records, found.stated.minor));
        let first = [of_record, of_stated, of_both].into_iter().flatten().min_by_key(|found| found.day);
        let verdict = if !stated.unreadable.is_empty() {
            BalanceVerdict::Failed
        } else if first.is_some() {
            BalanceVerdict::Discrepancy
        } else if chain.is_covering || stated.is_covering {
            BalanceVerdict::Verified
        } else {
            BalanceVerdict::Unverifiable
        };
        Finding {
            verdict,
            first: first.map(Box::new),
            warnings: warn_of_stated_balances(stated, &stated_breaks, &contradicted),
        }
    }

    /// Joins the verdicts on two parts of one statement: the worse one, and the earlier discrepancy.
    pub(crate) fn join(&mut self, other: Finding) {
        self.verdict = self.verdict.worse(other.verdict);
        self.first = self.first.take().into_iter().chain(other.first).min_by_key(|found| found.day);
        self.warnings.extend(other.warnings);
    }
}

fn balance_discrepancy_of(day: i32, expected: i128, found: i64) -> BalanceDiscrepancy {
    // Only sums of balances near the limits of what can be held leave them.
    let held = |amount: i128| i64::try_from(amount).unwrap_or(if amount < 0 { i64::MIN } else { i64::MAX });
    let difference = held(i128::from(found) - expected);
    BalanceDiscrepancy { day: Day::from_days(day), record: None, expected: held(expected), found, difference }
}

fn warn_of_stated_balances(stated: &Stated, breaks: &[StatedBreak], contradicted: &[&Contradicted]) -> Vec<String> {
    let first = |is_opening: bool| {
        let mut of_kind = breaks.iter().filter(move |found| found.is_opening == is_opening);
        let day = of_kind.clone().map(|found| found.day).min()?;
        Some((of_kind.by_ref().count(), Day::from_days(day)))
    };
    let balances = |count: usize, which: &str| match count {
        1 => format!("1 {which} balance"),
        _ => format!("{count} {which} balances"),
    };
    let closing = first(false).map(|(count, day)| {
        let does = if count == 1 { "does" } else { "do" };
        let closing = balances(count, "closing");
        format!("{closing} {does} not follow from the opening balance and the records, first on {day}")
    });
    let opening = first(true).map(|(count, day)| {
        let (opening, is) = (balances(count, "opening"), if count == 1 { "is" } else { "are" });
        format!("{opening} {is} not the closing balance before, first on {day}: a statement may be missing")
    });
    let unreadable = stated.unreadable.first().map(|first| {
        let unreadable = balances(stated.unreadable.len(), "opening or closing");
        let first = if stated.unreadable.len() == 1 { first.clone() } else { format!("first {first}") };
        format!("{unreadable} cannot be read: {first}")
    });
    let first_contradicted = contradicted.iter().map(|found| found.stated.day).min();
    let contradicted = first_contradicted.map(|day| {
        let (stated, day) = (balances(contradicted.len(), "stated"), Day::from_days(day));
        let is = if contradicted.len() == 1 { "is" } else { "are" };
        format!("{stated} {is} not as the balances of the records beside say, first on {day}")
    });
    [closing, opening, contradicted, unreadable].into_iter().flatten().collect()
}
