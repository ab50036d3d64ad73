//! The records of a statement as the reference sees them, and the months they make. Calendar by `chrono`.

use chrono::{Datelike, Days, Months, NaiveDate};
use lendwright::statement::{Statements, flag};

use crate::statement::{numbers, texts};

#[derive(Clone, Debug)]
pub struct Row {
    pub date: i64,
    pub cleared: Option<i64>,
    pub credit: Option<i64>,
    pub debit: Option<i64>,
    pub balance: Option<i64>,
    pub texts: Vec<(&'static str, Option<String>)>,
    pub repaired: bool,
    pub conflict: bool,
}

#[derive(Clone, Debug)]
pub struct Month {
    pub start: NaiveDate,
    pub rows: Vec<usize>,
    pub full: bool,
    pub full_months_ago: Option<i64>,
    pub number: i64,
}

/// A statement up to a day.
#[derive(Clone, Debug)]
pub struct Statement {
    pub rows: Vec<Row>,
    pub months: Vec<Month>,
    pub as_of: Option<i64>,
    pub duplicates: i64,
}

const TEXTS: [&str; 6] = ["id", "code", "desc", "topics", "people", "reference"];

pub fn date(days: i64) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(1970, 1, 1)?.checked_add_signed(chrono::Duration::try_days(days)?)
}

pub fn days(date: NaiveDate) -> i64 {
    i64::from(date.num_days_from_ce()) - 719_163
}

/// The days that may stand in a statement or come out of an expression.
pub fn is_day(days_: i64) -> bool {
    date(days_).is_some_and(|date| (1900..=2200).contains(&date.year()))
}

/// Every statement of a frame up to a day, or up to its last record.
pub fn statements(read: &Statements, as_of: Option<i64>) -> Vec<Statement> {
    let frame = read.frame();
    let day = |name: &str| -> Vec<Option<i64>> {
        let column = frame.column(name).unwrap().date().unwrap().physical().clone();
        column.iter().map(|day| day.map(i64::from)).collect()
    };
    let (dates, cleared) = (day("trans_date"), day("cleared_date"));
    let (credit, debit, balance) = (numbers(read, "credit"), numbers(read, "debit"), numbers(read, "balance"));
    let words: Vec<_> = TEXTS.iter().map(|name| (*name, texts(read, name))).collect();
    let flags: Vec<u32> = frame.column("flags").unwrap().u32().unwrap().into_no_null_iter().collect();
    let row = |index: usize| Row {
        date: dates[index].unwrap(),
        cleared: cleared[index],
        credit: credit[index],
        debit: debit[index],
        balance: balance[index],
        texts: words.iter().map(|(name, column)| (*name, column[index].clone())).collect(),
        repaired: flags[index] & flag::DATE_REPAIRED != 0,
        conflict: flags[index] & flag::DATE_CONFLICT != 0,
    };
    read.heads()
        .iter()
        .map(|head| {
            let rows = head.rows.clone().map(row).filter(|row| as_of.is_none_or(|day| row.date <= day)).collect();
            statement(rows, as_of, head.quality.duplicates as i64)
        })
        .collect()
}

fn statement(rows: Vec<Row>, as_of: Option<i64>, duplicates: i64) -> Statement {
    let first = rows.iter().map(|row| row.date).min();
    let last = rows.iter().map(|row| row.date).max();
    let mut months = Vec::new();
    if let (Some(first), Some(last)) = (first, last) {
        let mut start = date(first).unwrap().with_day(1).unwrap();
        while days(start) <= last {
            let next = start + Months::new(1);
            let end = next - Days::new(1);
            let inside = |row: &Row| row.date >= days(start) && row.date <= days(end);
            months.push(Month {
                start,
                rows: (0..rows.len()).filter(|index| inside(&rows[*index])).collect(),
                full: first <= days(start) && last >= days(end),
                full_months_ago: None,
                number: months.len() as i64,
            });
            start = next;
        }
    }
    let full = months.iter().filter(|month| month.full).count() as i64;
    for (index, month) in months.iter_mut().filter(|month| month.full).enumerate() {
        month.full_months_ago = Some(full - 1 - index as i64);
    }
    Statement { rows, months, as_of: as_of.or(last), duplicates }
}
