//! The statement in a few figures, at the top of its explanation: period, money, who paid, gaps, data quality,
//! balances.

use maud::{Markup, html};

use super::balances::balances_markup;
use super::{ExplanationPage, visible_text};
use crate::base::date::Day;
use crate::engine::decision::DayTotals;
use crate::report::format_report_money;
use crate::statement::Quality;

/// Most months named one by one.
const MONTHS_NAMED: usize = 12;

impl ExplanationPage<'_> {
    pub(super) fn summary(&self) -> Markup {
        let (explanation, decision) = (self.explanation, &self.explanation.decision);
        let (summary, quality, currency) = (&explanation.summary, &decision.quality, &explanation.currency);
        let payers = match summary.payers {
            None => "unknown: the policy asks for no names".to_owned(),
            Some(1) => "1 counterparty".to_owned(),
            Some(count) => format!("{count} counterparties"),
        };
        let outflow = match summary.outflow {
            Some(minor) => format_report_money(currency, minor),
            None => "unknown: the statement shows no debits".to_owned(),
        };
        html! {
            section {
                h3 { "Statement" }
                dl.facts {
                    (fact("Period", &self.period()))
                    (fact("Records", &records(summary.records, summary.later_records)))
                    @if summary.records > 0 {
                        (fact("Money in", &format_report_money(currency, summary.inflow)))
                        (fact("Money out", &outflow))
                        (fact("Paid in by", &payers))
                        (fact("Gaps", &gaps(&explanation.days, &summary.months_without_records)))
                    }
                    div.row { dt { "Balances" } dd { (balances_markup(quality, currency)) } }
                    div.row {
                        dt { "Data quality" }
                        dd {
                            @let odd = odd_records(quality);
                            @match odd.as_slice() {
                                [] => "nothing repaired, dropped or odd",
                                [one] => (one),
                                many => ul { @for one in many { li { (one) } } },
                            }
                        }
                    }
                    @if !quality.warnings.is_empty() {
                        div.row {
                            dt { "Warnings" }
                            dd { ul { @for warning in &quality.warnings { li { (visible_text(warning)) } } } }
                        }
                    }
                }
            }
        }
    }

    fn period(&self) -> String {
        let (summary, decision) = (&self.explanation.summary, &self.explanation.decision);
        let (Some(first), Some(last)) = (summary.first_day, summary.last_day) else { return "no records".to_owned() };
        let days = counted(i64::from(last.days() - first.days()) + 1, "day");
        let after = decision.as_of.filter(|day| decision.as_of_given && *day > last).map(|day| {
            let days = counted(i64::from(day.days() - last.days()), "day");
            format!("; ends {days} before the decision")
        });
        format!("{first} to {last}, {days}{}", after.unwrap_or_default())
    }
}

fn fact(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

fn counted(count: i64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn records(count: u64, later: u64) -> String {
    match later {
        0 => count.to_string(),
        later => format!("{count}; {later} after the day of the decision do not count"),
    }
}

/// The months without records, else the longest time between two records.
fn gaps(days: &[DayTotals], months: &[Day]) -> String {
    if months.is_empty() {
        let between = days.windows(2).map(|pair| pair[1].day.days() - pair[0].day.days() - 1).max().unwrap_or(0);
        return match between {
            0 => "none".to_owned(),
            days => format!("no month without records; at most {} in a row", counted(i64::from(days), "day")),
        };
    }
    let names: Vec<String> = months.iter().take(MONTHS_NAMED).map(|month| month_name(*month)).collect();
    let more = months.len() - names.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("no records in {}{more}", names.join(", "))
}

/// A month as `2026-03`.
pub(super) fn month_name(day: Day) -> String {
    let (year, month, _) = day.ymd();
    format!("{year}-{month:02}")
}

/// What was repaired, dropped or odd, each with its count.
fn odd_records(quality: &Quality) -> Vec<String> {
    let counts = [
        ("records dropped because they came twice", quality.duplicates),
        ("records dropped because they have no amount", quality.dropped_empty),
        ("rows that only state a balance or a total", quality.balance_rows),
        ("rows skipped because they are no records", quality.skipped_rows),
        ("repaired dates", quality.date_repaired),
        ("records with two dates that disagree", quality.date_conflicts),
        ("repaired dates of clearing", quality.cleared_repaired),
        ("records with two dates of clearing that disagree", quality.cleared_conflicts),
        ("records against the declared order", quality.out_of_order.unwrap_or(0)),
        ("negative amounts read as the other side", quality.negative_swapped),
        ("records with money in and money out", quality.both_amounts),
        ("records that move no money", quality.zero_amounts),
        ("records without a narration", quality.missing_desc),
        ("texts such as N/A, read as missing", quality.placeholder_text),
        ("replaced characters", quality.text_repaired),
        ("unknown fields", quality.unknown_fields),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut odd: Vec<String> = counts.map(|(what, count)| format!("{what}: {count}")).collect();
    if let Some(merged) = &quality.merged {
        odd.push(format!("statements merged: {}, of {} accounts", merged.inputs, merged.accounts));
        if merged.overlapping > 0 {
            odd.push(format!("records dropped because another export has them: {}", merged.overlapping));
        }
    }
    odd
}
