//! Entries of interim reports that the statement of the same account lists again, in another source: they count once.

use super::accounts::Export;
use crate::base::date::Day;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::columns::frame::Head;
use crate::statement::columns::interim_reports::{UNLISTED_ADVICE, is_same_entry};
use crate::statement::columns::record_columns::{RecordColumns, View};

/// The rows of an account's reports that a statement in another of its exports lists, in ascending order.
///
/// # Errors
/// If such a statement covers the day of a row, but does not list it.
pub(super) fn find_listed_rows(
    exports: &[&Export],
    heads: &[Head],
    columns: &RecordColumns,
    view: &View<'_>,
) -> Result<Vec<u32>, Error> {
    let mut listed = Vec::new();
    for (at, report) in exports.iter().enumerate() {
        let Some(head) = heads.get(report.head) else { continue };
        let others = || exports.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| *other);
        for day in &head.report_days {
            let statements =
                others().filter_map(|other| heads.get(other.head)).filter(|other| covers(other, *day, columns));
            let statements: Vec<&Head> = statements.collect();
            let Some(first) = statements.first() else { continue };
            for row in rows_of_day(head, *day, columns) {
                let mut entries = statements.iter().flat_map(|statement| rows_of_day(statement, *day, columns));
                if !entries.any(|entry| is_same_entry(view, row, entry)) {
                    return Err(refuse_unlisted(head, first, *day));
                }
                listed.push(row as u32);
            }
        }
    }
    listed.sort_unstable();
    Ok(listed)
}

/// Whether a statement has entries of a day, or balances before and after it.
fn covers(statement: &Head, day: i32, columns: &RecordColumns) -> bool {
    let is_between = |(opening, closing): (i32, i32)| (opening.saturating_add(1)..closing).contains(&day);
    let mut sections = statement.stated.sections.iter().map(|section| (section.opening.day, section.closing.day));
    let has_entries = !rows_of_day(statement, day, columns).is_empty() && !statement.report_days.contains(&day);
    has_entries || sections.any(is_between)
}

/// The rows of one day. Those of a statement are in the order of their days.
fn rows_of_day(head: &Head, day: i32, columns: &RecordColumns) -> std::ops::Range<usize> {
    let days = columns.days.get(head.rows.clone()).unwrap_or_default();
    let from = days.partition_point(|of_row| *of_row < day);
    let to = days.partition_point(|of_row| *of_row <= day);
    head.rows.start + from..head.rows.start + to
}

fn refuse_unlisted(report: &Head, statement: &Head, day: i32) -> Error {
    Error::Merge {
        what: format!(
            "{} has an entry of an interim report on {}, and the statement of that day ({}) does not list it: \
             {UNLISTED_ADVICE}",
            show_source_text(&report.label),
            Day::from_days(day),
            show_source_text(&statement.label),
        ),
    }
}
