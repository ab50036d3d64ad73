//! Watched decisions as text for a terminal.

use super::numbers::{format_count, format_percent};
use crate::portfolio::decision_table::{CountedKind, Monitoring, WatchedShare};
use crate::report::aligned::format_aligned_table;

/// The most shares of a kind, values and weeks that are shown.
const SHARES_MAX: usize = 12;
const VALUES_MAX: usize = 12;
const WEEKS_MAX: usize = 8;

/// The weeks, what moved, the loans, and what to look into.
pub fn render_monitor_text(found: &Monitoring) -> String {
    let mut text = format!(
        "{} applications are watched, and compared with {} before\n",
        format_count(found.watched),
        format_count(found.before)
    );
    text += &format!("\n{}", shares_text(found));
    text += &moved_text(found);
    text += &loans_text(found);
    match found.alarms.is_empty() {
        true => text += "\nNothing left its limits.\n",
        false => {
            text += "\nLook into:\n";
            found.alarms.iter().for_each(|alarm| text += &format!("  {alarm}\n"));
        }
    }
    text
}

fn shares_text(found: &Monitoring) -> String {
    let skipped = found.weeks.len().saturating_sub(WEEKS_MAX);
    let weeks = || found.weeks.iter().skip(skipped);
    let titles: Vec<String> = ["".to_owned(), ">before".to_owned()]
        .into_iter()
        .chain(weeks().map(|week| format!(">{}", week.from.get(5..).unwrap_or(&week.from))))
        .collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut rows = vec![
        row_of("applications", found.before, weeks().map(|week| format_count(week.applications))),
        row_of("ms, 99th percentile", "", weeks().map(|week| format!("{:.1}", week.took_us[1] as f64 / 1000.0))),
    ];
    let mut hidden = 0;
    for kind in [CountedKind::Outcome, CountedKind::Arm, CountedKind::Reason, CountedKind::Unknown] {
        let all: Vec<&WatchedShare> = found.shares.iter().filter(|share| share.kind == kind).collect();
        // What left its limits is always shown.
        let is_shown =
            |place: usize, share: &WatchedShare| place < SHARES_MAX || share.weeks.iter().any(|week| week.is_outside);
        let shown = all.iter().enumerate().filter(|(place, share)| is_shown(*place, share));
        let before = rows.len();
        for (_, share) in shown {
            let marked = share
                .weeks
                .iter()
                .skip(skipped)
                .map(|week| format!("{}{}", format_percent(week.share), if week.is_outside { " !" } else { "" }));
            rows.push(row_of(&format!("{} {}", kind.word(), share.name), format_percent(share.before), marked));
        }
        hidden += all.len() - (rows.len() - before);
    }
    let mut text = format_aligned_table(&titles, &rows);
    if hidden > 0 {
        text += &format!("{hidden} shares within their limits are not shown; --format json has all.\n");
    }
    text += "! left the limits of chance. Weeks begin on Monday, in UTC.\n";
    text
}

fn row_of(name: &str, before: impl ToString, weeks: impl Iterator<Item = String>) -> Vec<String> {
    [name.to_owned(), before.to_string()].into_iter().chain(weeks).collect()
}

fn moved_text(found: &Monitoring) -> String {
    let rows: Vec<Vec<String>> = found
        .moved
        .iter()
        .take(VALUES_MAX)
        .map(|value| {
            let mark = if value.is_reported { "!" } else { "" };
            let index = |index: f64| format!("{index:.3}");
            let word = value.stability.word().to_owned();
            vec![value.name.clone(), index(value.psi), index(value.by_chance), word, mark.to_owned()]
        })
        .collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!("\n{}", format_aligned_table(&["value", ">PSI", ">by chance", "", ""], &rows)),
    }
}

fn loans_text(found: &Monitoring) -> String {
    let rows: Vec<Vec<String>> = found
        .loans
        .iter()
        .filter(|month| month.known > 0)
        .map(|month| {
            let rate = month.bad_rate.map_or("-".to_owned(), |[rate, low, high]| {
                format!("{} ({} to {})", format_percent(rate), format_percent(low), format_percent(high))
            });
            let counts = [month.offers, month.known, month.bad].map(format_count);
            [month.month.clone()].into_iter().chain(counts).chain([rate]).collect()
        })
        .collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!(
            "\n{}",
            format_aligned_table(&["decided in", ">offers", ">loans known", ">bad", ">bad rate (95%)"], &rows)
        ),
    }
}
