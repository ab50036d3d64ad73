//! Periods that the lines around a table state, and which reading of the rows' dates lies within them. A single date
//! there proves nothing: a program prints its own day as it likes.

use super::dates::{DateReading, readings_of_one};
use super::grid::Line;

/// A date with the pattern and the day of each of its readings.
type Date = Vec<(String, i32)>;

/// A longer time between two dates is no statement's period.
const PERIOD_MAX: i32 = 400;

/// The only reading whose days are all within a stated period, if no other period says otherwise.
pub(crate) fn only_within<'r>(lines: &[Line], readings: &'r [DateReading]) -> Option<&'r DateReading> {
    let mut found: Option<&DateReading> = None;
    for period in find_stated_periods(lines) {
        let fits = |reading: &&DateReading| {
            let is_within = |(from, to): &(i32, i32)| {
                // Entries of the last day may be booked on the next one.
                reading.days.iter().flatten().all(|day| (from - 1..=to + 1).contains(day))
            };
            period.iter().any(is_within)
        };
        if let [one] = readings.iter().filter(fits).collect::<Vec<_>>().as_slice() {
            if found.is_some_and(|other| other != *one) {
                return None;
            }
            found = Some(one);
        }
    }
    found
}

/// Each stated period with every reading of its two dates.
fn find_stated_periods(lines: &[Line]) -> Vec<Vec<(i32, i32)>> {
    let dates: Vec<(bool, Vec<Date>)> =
        lines.iter().map(|line| (label_begins_period(line), read_line_dates(line))).collect();
    let within = dates.iter().filter_map(|(_, dates)| match dates.as_slice() {
        [from, to] => Some((from, to)),
        _ => None,
    });
    let across = dates.windows(2).filter_map(|pair| match pair {
        [(true, from), (_, to)] => match (from.as_slice(), to.as_slice()) {
            ([from], [to]) => Some((from, to)),
            _ => None,
        },
        _ => None,
    });
    within.chain(across).map(|(from, to)| spans_between_dates(from, to)).filter(|spans| !spans.is_empty()).collect()
}

/// The spans between two dates that are written alike.
fn spans_between_dates(from: &[(String, i32)], to: &[(String, i32)]) -> Vec<(i32, i32)> {
    let mut spans = Vec::new();
    for (pattern, first) in from {
        // A name of a month has one reading, however long it is.
        let is_like = |other: &str| other == pattern || from.len() == 1 && to.len() == 1;
        let lasts = to.iter().filter(|(other, _)| is_like(other)).map(|(_, last)| *last);
        spans.extend(lasts.filter(|last| (*first..=first + PERIOD_MAX).contains(last)).map(|last| (*first, last)));
    }
    spans
}

/// Whether a label says that a period begins.
fn label_begins_period(line: &Line) -> bool {
    const WORDS: [&str; 10] = ["from", "start", "begin", "beginning", "von", "du", "desde", "vanaf", "od", "since"];
    let text: Vec<&str> = line.cells.iter().map(|cell| cell.trimmed()).collect();
    let label = super::words::normalize_header_name(&text.join(" "));
    label.split(' ').any(|word| WORDS.contains(&word))
}

/// The dates of a line, each with its pattern and its day in every reading.
fn read_line_dates(line: &Line) -> Vec<Date> {
    let text: Vec<&str> = line.cells.iter().map(|cell| cell.text.as_str()).collect();
    let text = text.join(" ");
    let edges = |edge: char| !edge.is_alphanumeric();
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(edges)).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        // `31 March 2026` is three words.
        let taken = [1, 3].into_iter().find_map(|count| {
            let readings = readings_of_one(&words.get(at..at + count)?.join(" "));
            (!readings.is_empty()).then_some((count, readings))
        });
        let (count, readings) = taken.unwrap_or((1, Vec::new()));
        if !readings.is_empty() {
            found.push(readings);
        }
        at += count;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::dates::{DateContext, DateOrder, possible_date_readings};
    use super::super::grid::FileCell;
    use super::*;

    #[test]
    fn a_period_proves_the_order_of_the_rows_and_a_single_date_does_not() {
        let order = |rows: &[&str], around: &[&str]| {
            let cells: Vec<FileCell> = rows.iter().map(|text| FileCell::text(*text)).collect();
            let readings = possible_date_readings(&cells.iter().collect::<Vec<_>>(), true, DateContext::default());
            let lines: Vec<Line> =
                around.iter().map(|text| Line { number: 1, cells: vec![FileCell::text(*text)] }).collect();
            only_within(&lines, &readings).map(|reading| reading.order)
        };
        let rows = ["02/03/2026", "09/03/2026"];
        for (around, wanted) in [
            (&["Period: 01/03/2026 to 31/03/2026"][..], Some(DateOrder::Day)),
            (&["1 March 2026 - 31 March 2026"], Some(DateOrder::Day)),
            (&["From 2026-03-01", "To 2026-03-31"], Some(DateOrder::Day)),
            (&["02/01/2026 - 09/30/2026"], None),
            // Written the other way round than the rows.
            (&["03/01/2026 - 03/31/2026"], Some(DateOrder::Day)),
            (&["printed 03/31/2026"], None),
            (&["opened 15/01/2019"], None),
            (&["01/01/2026 - 31/12/2026"], None),
            (&["01/03/2026 - 12/03/2026"], None),
            (&["01/03/2026 - 31/03/2026", "opened 15/01/2019"], Some(DateOrder::Day)),
        ] {
            assert_eq!(order(&rows, around), wanted, "{around:?}");
        }
        assert_eq!(order(&["03/02/2026", "03/09/2026"], &["03/01/2026 - 03/31/2026"]), Some(DateOrder::Month));
    }
}
