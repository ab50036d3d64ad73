//! Renders explanations and dictionaries for people, as text and as self-contained pages. Must not know how a
//! decision is made, nor where the output goes.

pub mod aligned;
mod axis;
mod balances;
mod chart;
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only commands use it"))]
mod corrections;
mod dictionary;
mod page;
pub mod portfolio;
mod records;
mod text;

pub use corrections::render_correction_effects;
pub use dictionary::{dictionary_markdown, list_dictionary_entries, render_dictionary_entry};
pub use page::render_explanation_page;
pub use records::render_record_verdicts;
pub use text::{Listing, render_evidence_text, render_explanation_text};

use crate::base::money::{Currency, Money};
use crate::engine::decision::{CounterOffer, Explanation, Number, NumberKind};
use crate::statement::OwnTransfer;

fn format_report_money(currency: &Currency, minor: i64) -> String {
    format!("{} {}", currency.alphabetic(), Money::from_minor(minor).display(currency))
}

/// An id or a name, with its title if it has one.
pub(crate) fn name_with_title(name: &str, title: Option<&str>) -> String {
    title.map_or_else(|| name.to_owned(), |title| format!("{name} ({title})"))
}

/// The plural of a noun.
fn plural_of_noun(what: &str) -> String {
    what.strip_suffix('y')
        .filter(|stem| !stem.ends_with('a'))
        .map_or_else(|| format!("{what}s"), |stem| format!("{stem}ies"))
}

/// Points to four decimals, like the figures beside them.
fn format_points(points: f64) -> String {
    let text = format!("{points:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A counter-offer in a sentence.
fn counter_offer(counter: &CounterOffer, explanation: &Explanation) -> String {
    let currency = &explanation.currency;
    let unit = explanation.offers.first().map(|offer| offer.tenure_unit.as_str()).unwrap_or_default();
    let mut asked = Vec::new();
    asked.extend(counter.asked_amount.map(|minor| format_report_money(currency, minor)));
    asked.extend(counter.asked_tenure.map(|tenure| format!("over {tenure} {unit}")));
    let limit = |bound: &String| match bound.as_str() {
        "amount" => "the offer's own amount".to_owned(),
        "exposure" => "the exposure limit".to_owned(),
        "step" => "the offer's step".to_owned(),
        "tenure" => "no offer of that tenure".to_owned(),
        other => other.to_owned(),
    };
    let limited_by: Vec<String> = counter.limited_by.iter().map(limit).collect();
    format!(
        "counter-offer: {} over {} {unit} instead of {}; limited by: {}",
        format_report_money(currency, counter.amount),
        counter.tenure,
        asked.join(" "),
        limited_by.join(", "),
    )
}

/// In a sentence, what was excluded as moved between the customer's own accounts.
fn excluded_transfers(transfers: &[OwnTransfer], currency: &Currency) -> Option<String> {
    let sum = transfers.iter().fold(0, |sum: i64, transfer| sum.saturating_add(transfer.amount));
    let count = match transfers.len() {
        0 => return None,
        1 => "1 transfer".to_owned(),
        several => format!("{several} transfers"),
    };
    Some(format!(
        "excluded: {count} between the customer's own accounts, {} in total",
        format_report_money(currency, sum)
    ))
}

/// Whether a number does not unfold where it is named. Scores and table outputs have sections of their own. Inputs and
/// facts are made of nothing.
fn has_own_place(number: &Number) -> bool {
    matches!(number.kind, NumberKind::Score | NumberKind::Output | NumberKind::Input | NumberKind::Fact)
}

/// Picks `count` items: first those that alone decide the value, then the last of the others.
fn decisive_first<T>(all: &[T], count: usize, decides: impl Fn(&T) -> bool) -> Vec<&T> {
    let (mut first, others): (Vec<&T>, Vec<&T>) = all.iter().partition(|one| decides(one));
    first.truncate(count);
    let room = count - first.len();
    first.extend(&others[others.len().saturating_sub(room)..]);
    first
}
