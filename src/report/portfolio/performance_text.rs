//! What became of loans month by month, as text for a terminal.

use super::numbers::{format_count, percent_or_none};
use crate::base::date::format_month;
use crate::portfolio::performance::PerformanceSummary;
use crate::portfolio::statistics::transitions::roll_rate;
use crate::report::aligned::format_aligned_table;

/// How many months are shown.
const MONTHS: usize = 24;

/// The moves of all months, roll rates month by month, and how many loans went bad.
pub fn render_performance_text(summary: &PerformanceSummary) -> String {
    let days = summary.days.as_ref().map_or(String::new(), |(first, last)| format!(", from {first} to {last}"));
    let mut text = format!("{} loans{days}\n", format_count(summary.loans as u64));
    let rate = (summary.known > 0).then(|| summary.bad as f64 / summary.known as f64);
    text += &format!(
        "{} have an outcome, {} of them are bad ({})\n",
        format_count(summary.known as u64),
        format_count(summary.bad as u64),
        percent_or_none(rate)
    );
    text + &transitions(summary) + &rolls(summary)
}

fn transitions(summary: &PerformanceSummary) -> String {
    let all = summary.transitions.all();
    let row = |(from, (counts, gone)): (usize, (&Vec<u64>, &u64))| {
        let moved: u64 = counts.iter().sum();
        let share = |count: &u64| percent_or_none((moved > 0).then(|| *count as f64 / moved as f64));
        let cells = counts.iter().map(share).chain([format_count(moved), format_count(*gone)]);
        [summary.bands[from].clone()].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let rows: Vec<_> = all.iter().zip(&summary.transitions.gone).enumerate().map(row).collect();
    let bands = summary.bands.iter().map(|band| format!(">{band}"));
    let titles = ["from, days past due".to_owned()].into_iter().chain(bands);
    let titles: Vec<String> = titles.chain([">loan months".to_owned(), ">gone".to_owned()]).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    format!(
        "\nTo, a month later\n{}gone: without a row in the next month, though others have one\n",
        format_aligned_table(&titles, &rows)
    )
}

fn rolls(summary: &PerformanceSummary) -> String {
    let bands = summary.bands.len().saturating_sub(1);
    let row = |(month, counts): &(i32, Vec<Vec<u64>>)| {
        let loans: u64 = counts.iter().flatten().sum();
        let rates = (0..bands).map(|band| percent_or_none(roll_rate(counts, band)));
        [format_month(*month), format_count(loans)].into_iter().chain(rates).collect::<Vec<_>>()
    };
    let months = &summary.transitions.months;
    let rows: Vec<_> = months.iter().skip(months.len().saturating_sub(MONTHS)).map(row).collect();
    if rows.is_empty() {
        return "No loan has rows of two months in a row, so how loans move is unknown.\n".to_owned();
    }
    let bands = summary.bands.iter().take(bands).map(|band| format!(">{band}"));
    let titles: Vec<String> = ["month".to_owned(), ">loans".to_owned()].into_iter().chain(bands).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let cut =
        if months.len() > MONTHS { format!("the last {MONTHS} of {} months\n", months.len()) } else { String::new() };
    format!(
        "\nRoll rates: the share of a band that is in a worse one a month later\n{}{cut}",
        format_aligned_table(&titles, &rows)
    )
}
