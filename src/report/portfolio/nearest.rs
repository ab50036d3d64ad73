//! Nearest offers as text for a terminal.

use super::numbers::{format_count, format_portfolio_money};
use crate::base::rational::write_shortest_decimal;
use crate::engine::decision::Outcome;
use crate::portfolio::nearest::{BookSummary, MetricChange, Nearest};
use crate::report::aligned::{format_aligned_table, one_line};

/// How many customers of a portfolio are shown.
const SHOWN: usize = 30;

/// The answers, with reasons if there are few, then the sum over all.
pub fn render_nearest_offers(
    found: &[Nearest],
    summary: &BookSummary,
    currency: &(String, u32),
    with_reasons: bool,
) -> String {
    let mut text = String::new();
    if with_reasons {
        found.iter().for_each(|one| text += &whole(one, currency));
        return text;
    }
    let rows: Vec<Vec<String>> = found.iter().take(SHOWN).map(|one| row(one, currency)).collect();
    if !rows.is_empty() {
        text +=
            &format_aligned_table(&["customer", "now", "what would have to change", ">offer then", ">distance"], &rows);
    }
    if found.len() > SHOWN {
        text += &format!("and {} more: --format json has all\n", format_count((found.len() - SHOWN) as u64));
    }
    text += &format!("\n{}", sum(summary));
    text
}

fn changes(one: &Nearest) -> String {
    let change = |change: &MetricChange| {
        format!("{} {} -> {}", change.metric, value(change, change.from), value(change, Some(change.to)))
    };
    if one.outcome == Outcome::Offer {
        return "none is needed".to_owned();
    }
    match one.answer.as_str() {
        "found" => one.changes.iter().map(change).collect::<Vec<_>>().join(", "),
        "impossible" => "nothing within the bounds makes an offer".to_owned(),
        _ => format!("none found in {} tries", format_count(one.tries as u64)),
    }
}

fn value(change: &MetricChange, value: Option<f64>) -> String {
    match value {
        None => "unknown".to_owned(),
        Some(value) if change.is_truth => (value == 1.0).to_string(),
        Some(value) => write_shortest_decimal(value),
    }
}

fn offer(one: &Nearest, currency: &(String, u32)) -> String {
    one.offer.as_ref().map_or(String::new(), |offer| {
        format!("{} over {}", format_portfolio_money(currency, offer.amount_minor.into()), offer.tenure)
    })
}

fn row(one: &Nearest, currency: &(String, u32)) -> Vec<String> {
    vec![
        one_line(&one.customer),
        one.outcome.word().to_owned(),
        changes(one),
        offer(one, currency),
        one.distance.map_or(String::new(), |distance| format!("{distance:.3}")),
    ]
}

fn whole(one: &Nearest, currency: &(String, u32)) -> String {
    let mut text = format!("{}: {}\n", one_line(&one.customer), one.outcome.word());
    for (id, reason) in &one.reasons {
        text += &format!("  {id}: {}\n", one_line(reason));
    }
    if one.outcome == Outcome::Offer {
        return text + &format!("  it has an offer: {}\n", offer(one, currency));
    }
    text += &format!("nearest offer: {}\n", changes(one));
    if one.answer == "found" {
        text += &format!("  then: {}; decided by the engine", offer(one, currency));
        text += match one.is_minimal.as_deref() {
            Some("enumerated") => "; the smallest of all steps that were declared\n",
            _ => "; the smallest of the values around the rules' own bounds\n",
        };
    }
    text
}

fn sum(summary: &BookSummary) -> String {
    let mut text = format!(
        "{} without an offer: {} have a nearest offer, {} have none within the bounds, for {} none was found in time\n",
        format_count(summary.customers as u64),
        format_count(summary.found as u64),
        format_count(summary.impossible as u64),
        format_count(summary.not_found as u64)
    );
    let by: Vec<String> = summary
        .by_changes
        .iter()
        .enumerate()
        .filter(|(_, customers)| **customers > 0)
        .map(|(at, customers)| format!("{} of them change {}", format_count(*customers as u64), at + 1))
        .collect();
    if !by.is_empty() {
        text += &format!("{} of the declared metrics\n", by.join(", "));
    }
    let rows: Vec<_> =
        summary.blocked_by.iter().map(|(id, customers)| vec![id.clone(), format_count(*customers as u64)]).collect();
    if !rows.is_empty() {
        text += &format!("\n{}", format_aligned_table(&["the only reason of near misses", ">customers"], &rows));
    }
    text
}
