//! Floor 4: what people read. Explanations and dictionaries as text and as pages that stand alone, from their data. Must not know how a decision
//! comes about, nor where what it writes goes.

mod chart;
mod dictionary;
mod page;
mod text;

pub use dictionary::{described, dictionary_markdown, listed};
pub use page::page;
pub use text::{Listing, evidence, explanation};

use crate::decision::{CounterOffer, Explanation, Number, NumberKind};
use crate::statement::OwnTransfer;
use crate::words::money::{Currency, Money};

fn money(currency: &Currency, minor: i64) -> String {
    format!("{} {}", currency.alphabetic(), Money::from_minor(minor).display(currency))
}

/// More than one of what is counted.
fn plural(what: &str) -> String {
    what.strip_suffix('y')
        .filter(|stem| !stem.ends_with('a'))
        .map_or_else(|| format!("{what}s"), |stem| format!("{stem}ies"))
}

/// As closely as the figures beside them.
fn points(points: f64) -> String {
    let text = format!("{points:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What can be had instead of what was asked for, in a sentence.
fn counter_offer(counter: &CounterOffer, told: &Explanation) -> String {
    let unit = told.offers.first().map(|offer| offer.tenure_unit.as_str()).unwrap_or_default();
    let mut asked = Vec::new();
    asked.extend(counter.asked_amount.map(|minor| money(&told.currency, minor)));
    asked.extend(counter.asked_tenure.map(|tenure| format!("over {tenure} {unit}")));
    let in_the_way = |bound: &String| match bound.as_str() {
        "amount" => "the offer's own amount".to_owned(),
        "exposure" => "the exposure limit".to_owned(),
        "step" => "the offer's step".to_owned(),
        "tenure" => "no offer of that tenure".to_owned(),
        other => other.to_owned(),
    };
    let limited_by: Vec<String> = counter.limited_by.iter().map(in_the_way).collect();
    format!(
        "counter-offer: {} over {} {unit} instead of {}; what stands in the way: {}",
        money(&told.currency, counter.amount),
        counter.tenure,
        asked.join(" "),
        limited_by.join(", "),
    )
}

/// What was left out as moved between the customer's own accounts, in a sentence.
fn left_out(transfers: &[OwnTransfer], currency: &Currency) -> Option<String> {
    let sum = transfers.iter().fold(0, |sum: i64, transfer| sum.saturating_add(transfer.amount));
    let count = match transfers.len() {
        0 => return None,
        1 => "1 transfer".to_owned(),
        several => format!("{several} transfers"),
    };
    Some(format!("left out: {count} between the customer's own accounts, {} in all", money(currency, sum)))
}

/// The score and the tables have their own places, and what is given is given: none of them unfolds where it is named.
fn has_own_place(number: &Number) -> bool {
    matches!(number.kind, NumberKind::Score | NumberKind::Output | NumberKind::Input | NumberKind::Fact)
}

/// Those that alone give a value, then the last of the others: so many of all.
fn decisive_first<T>(all: &[T], count: usize, decides: impl Fn(&T) -> bool) -> Vec<&T> {
    let (mut first, others): (Vec<&T>, Vec<&T>) = all.iter().partition(|one| decides(one));
    first.truncate(count);
    let room = count - first.len();
    first.extend(&others[others.len().saturating_sub(room)..]);
    first
}
