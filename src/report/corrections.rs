//! The effects of corrections, for a terminal.

use std::fmt::Write;

use super::format_report_money;
use crate::base::money::Currency;
use crate::base::text::escape_terminal;
use crate::engine::decision::Outcome;
use crate::portfolio::{ChangedDecision, CorrectionEffect};

/// Most changed decisions that are shown of a correction.
const DECISIONS_SHOWN: usize = 5;

/// Each correction with what it is about, what it changes, and what is wrong with it.
pub fn render_correction_effects(effects: &[CorrectionEffect], currency: &Currency) -> String {
    if effects.is_empty() {
        return "no corrections\n".to_owned();
    }
    let mut text = String::new();
    for effect in effects {
        write_effect(&mut text, effect, currency);
    }
    text
}

// Writing to a text never fails.
fn write_effect(text: &mut String, effect: &CorrectionEffect, currency: &Currency) {
    let customer = effect.customer.as_ref().map(|customer| format!(" of customer {customer}")).unwrap_or_default();
    let said: Vec<String> = [
        effect.kind.as_ref().map(|kind| format!("is {kind}")),
        effect.counterparty.as_ref().map(|name| format!("is of {name}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let head = format!(
        "{}. {} `{}`{customer} {} ({} on {}: {})",
        effect.correction,
        effect.about,
        effect.text,
        said.join(" and "),
        effect.by,
        effect.on,
        effect.why
    );
    let _ = writeln!(text, "{}", escape_terminal(&head));
    let kinds = effect.kinds_before.iter().map(|(kind, count)| format!("{count} {kind}"));
    let before: Vec<String> = kinds.collect();
    let amount = format_report_money(currency, effect.changed_amount);
    let changed = match effect.changed {
        0 => "none changed".to_owned(),
        count => format!("{count} changed, {amount}: before {}", before.join(", ")),
    };
    let records = if effect.records == 1 { "record" } else { "records" };
    let _ = writeln!(text, "   {} {records}, {changed}", effect.records);
    for changed in effect.decisions.iter().take(DECISIONS_SHOWN) {
        let _ = writeln!(text, "   {}", escape_terminal(&decision(changed, currency)));
    }
    if effect.decisions.len() > DECISIONS_SHOWN {
        let _ = writeln!(text, "   and {} more decisions", effect.decisions.len() - DECISIONS_SHOWN);
    }
    for finding in effect.findings() {
        let _ = writeln!(text, "   warning: {}", escape_terminal(&finding));
    }
}

fn decision(changed: &ChangedDecision, currency: &Currency) -> String {
    let of = changed.customer.as_deref().unwrap_or(&changed.statement);
    let side = |(outcome, amount): (Outcome, i64)| match amount {
        0 => outcome.word().to_owned(),
        amount => format!("{} up to {}", outcome.word(), format_report_money(currency, amount)),
    };
    format!("{of}: {}, without it {}", side(changed.with), side(changed.without))
}
