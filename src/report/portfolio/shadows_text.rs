//! What shadows would have decided, as text.

use super::numbers::{format_count, format_percent, percent_or_none};
use crate::base::money::Currency;
use crate::portfolio::decision_table::{LoanCounts, OUTCOME_WORDS, ShadowComparison};
use crate::report::aligned::format_aligned_table;
use crate::report::format_report_money;

/// The most reasons that are shown.
const REASONS_MAX: usize = 12;
/// The most days that are shown, the latest.
const DAYS_MAX: usize = 31;

/// Every shadow, compared with the answers.
pub fn render_shadows_text(compared: &[ShadowComparison]) -> String {
    compared.iter().map(text_of_one).collect::<Vec<_>>().join("\n")
}

fn text_of_one(one: &ShadowComparison) -> String {
    let mut text = format!("shadow {}: {} applications\n", one.shadow, format_count(one.compared));
    for [name, version, digest] in &one.policies {
        text += &format!("policy {name} {version} ({})\n", digest.get(..12).unwrap_or(digest));
    }
    if one.failed > 0 {
        text += &format!("{} without a decision, because it failed; the log says why\n", format_count(one.failed));
    }
    if one.missed > 0 {
        text += &format!("{} that it did not see: too many waited, or it was not running\n", format_count(one.missed));
    }
    if one.compared == 0 {
        return text;
    }
    text += &format!("\n{}\n{}", outcomes_text(one), amounts_text(one));
    text += &reasons_text(one);
    text += &loans_text(one);
    text += &days_text(one);
    let [[middle, slow], [shadow_middle, shadow_slow]] = one.took_us;
    text += &format!(
        "\nDeciding took {middle} µs (99th percentile {slow}), by the shadow {shadow_middle} ({shadow_slow}).\n"
    );
    text
}

fn outcomes_text(one: &ShadowComparison) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (before, word) in OUTCOME_WORDS.iter().enumerate() {
        let counts = one.outcomes[before];
        let mut row = vec![(*word).to_owned()];
        row.extend(counts.iter().map(|count| format_count(*count)));
        row.push(format_count(counts.iter().sum()));
        rows.push(row);
    }
    let sums = [0, 1, 2].map(|after| one.outcomes.iter().map(|row| row[after]).sum::<u64>());
    let shares = sums.iter().map(|sum| format_percent(*sum as f64 / one.compared as f64));
    let mut last = vec!["all".to_owned()];
    last.extend(sums.iter().zip(shares).map(|(sum, share)| format!("{} ({share})", format_count(*sum))));
    last.push(format_count(one.compared));
    rows.push(last);
    format_aligned_table(&["answered", ">shadow: offer", ">refer", ">decline", ">all"], &rows)
}

fn amounts_text(one: &ShadowComparison) -> String {
    let mut text = String::new();
    for (code, amounts) in &one.amounts {
        let money = |minor: i64| match Currency::from_numeric(code) {
            Some(currency) => format_report_money(&currency, minor),
            None => format!("{minor} (minor units of {code})"),
        };
        text += &format!(
            "Offered {}, by the shadow {}. Of {} with two offers, {} get more by the shadow and {} less.\n",
            money(amounts.answered),
            money(amounts.shadow),
            format_count(amounts.both),
            format_count(amounts.more),
            format_count(amounts.less),
        );
    }
    text
}

fn reasons_text(one: &ShadowComparison) -> String {
    let mut reasons: Vec<_> = one.reasons.iter().collect();
    reasons.sort_by_key(|(id, [before, after])| (std::cmp::Reverse(before.abs_diff(*after)), (*id).clone()));
    let rows: Vec<Vec<String>> = reasons
        .into_iter()
        .take(REASONS_MAX)
        .map(|(id, [before, after])| {
            let flips = one.flips.get(id);
            let count = |count: Option<u64>| count.filter(|count| *count > 0).map_or("-".to_owned(), format_count);
            vec![
                id.clone(),
                format_count(*before),
                format_count(*after),
                count(flips.map(|flips| flips.tightened)),
                count(flips.map(|flips| flips.loosened)),
            ]
        })
        .collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!(
            "\n{}",
            format_aligned_table(&["reason", ">answered", ">shadow", ">less by shadow", ">more by shadow"], &rows)
        ),
    }
}

fn loans_text(one: &ShadowComparison) -> String {
    let rate = |counts: &LoanCounts| match counts.bad_rate() {
        None => "none".to_owned(),
        Some((rate, low, high)) => format!(
            "{} of {} bad, {} ({} to {})",
            format_count(counts.bad),
            format_count(counts.known),
            percent_or_none(Some(rate)),
            format_percent(low),
            format_percent(high)
        ),
    };
    if one.loans.kept.known + one.loans.given_up.known == 0 {
        return String::new();
    }
    format!(
        "\nLoans to whom the shadow offers too: {}.\nLoans that it would not have made: {}.\nNothing is known of \
         customers to whom only the shadow offers.\n",
        rate(&one.loans.kept),
        rate(&one.loans.given_up)
    )
}

fn days_text(one: &ShadowComparison) -> String {
    let rows = one.days.iter().skip(one.days.len().saturating_sub(DAYS_MAX)).map(|day| {
        let share = |count: u64| format!("{} ({})", format_count(count), percent_of(count, day.compared));
        vec![
            day.day.clone(),
            format_count(day.compared),
            share(day.answered_offers),
            share(day.shadow_offers),
            share(day.changed),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    format!("\n{}", format_aligned_table(&["day", ">decided", ">offers", ">offers by shadow", ">changed"], &rows))
}

fn percent_of(count: u64, all: u64) -> String {
    percent_or_none((all > 0).then(|| count as f64 / all as f64))
}
