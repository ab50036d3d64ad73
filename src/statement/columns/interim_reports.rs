//! Entries of interim reports (MT942, camt.052) that a statement of the same account lists again: they count once.

use std::collections::HashMap;

use crate::statement::columns::record_columns::{RecordColumns, View};
use crate::statement::rows::builder::{Group, INTERIM};
use crate::statement::rows::stated::StatedBalance;

/// A row of a report that no statement lists, although one covers its day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnlistedRow {
    pub(crate) of_report: usize,
    /// A row of the statement on the same day, if there is one.
    pub(crate) of_statement: Option<usize>,
}

/// The rows of reports, in ascending order.
#[derive(Debug, Default)]
pub(crate) struct ReportRows {
    /// Those that a statement lists too.
    pub(crate) repeated: Vec<u32>,
    /// Those that no statement lists yet.
    pub(crate) left: Vec<u32>,
}

/// What to do about an entry of a report that the statement of its day lacks.
pub(crate) const UNLISTED_ADVICE: &str = "a statement has every entry of its days, so leave the report out, or all \
     reports by skip = \"interim = 'report'\" of a columns file";

/// The rows of reports. Their marks are removed.
///
/// A statement has every entry of its days, so an entry of a report on such a day that is not in it is refused. Its
/// days are those of its entries, and those between its opening and its closing balance.
pub(crate) fn take_repeated_reports(columns: &mut RecordColumns, groups: &[Group]) -> Result<ReportRows, UnlistedRow> {
    if !columns.flags.iter().any(|flags| flags & INTERIM != 0) {
        return Ok(ReportRows::default());
    }
    let marks: Vec<bool> = columns.flags.iter().map(|flags| flags & INTERIM != 0).collect();
    columns.flags.iter_mut().for_each(|flags| *flags &= !INTERIM);
    let columns = &*columns;
    let view = columns.view();
    let place = |row: usize| (columns.group(row), columns.day(row));
    let mut listed: HashMap<(u32, i32), Vec<usize>> = HashMap::new();
    for (row, _) in marks.iter().enumerate().filter(|(_, is_report)| !**is_report) {
        listed.entry(place(row)).or_default().push(row);
    }
    let mut rows = ReportRows::default();
    for (row, _) in marks.iter().enumerate().filter(|(_, is_report)| **is_report) {
        match listed.get(&place(row)) {
            Some(of_day) if of_day.iter().any(|listed| is_same_entry(&view, row, *listed)) => {
                rows.repeated.push(row as u32);
            }
            Some(of_day) => return Err(UnlistedRow { of_report: row, of_statement: of_day.first().copied() }),
            None if groups.get(place(row).0 as usize).is_some_and(|group| is_within_statement(group, place(row).1)) => {
                return Err(UnlistedRow { of_report: row, of_statement: None });
            }
            None => rows.left.push(row as u32),
        }
    }
    Ok(rows)
}

/// Whether an entry of a report and one of a statement are the same: by their ids, or else by their amounts and texts.
pub(crate) fn is_same_entry(view: &View<'_>, of_report: usize, of_statement: usize) -> bool {
    let differing = view.differing_column(of_report, of_statement);
    match (view.id(of_report), view.id(of_statement)) {
        // Banks shorten texts in one of them.
        (Some(one), Some(other)) => one == other && matches!(differing, "code" | "reference" | "desc" | "balance"),
        // A balance that one of them lacks was worked out from others.
        _ => differing == "balance",
    }
}

/// Whether a day lies between the opening and the closing balance of a statement. The days of the balances themselves
/// may be those before or after its entries.
fn is_within_statement(group: &Group, day: i32) -> bool {
    let encloses = |from: &StatedBalance, to: &StatedBalance| {
        from.is_opening && !to.is_opening && (from.day + 1..to.day).contains(&day)
    };
    group.stated_rows.windows(2).any(|pair| matches!(pair, [from, to] if encloses(from, to)))
}
