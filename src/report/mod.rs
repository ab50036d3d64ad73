//! Floor 4: what people read. Explanations as text and as pages that stand alone, from their data. Must not know how a decision
//! comes about, nor where what it writes goes.

mod chart;
mod page;
mod text;

pub use page::page;
pub use text::{Listing, evidence, explanation};

use crate::words::money::{Currency, Money};

fn money(currency: &Currency, minor: i64) -> String {
    format!("{} {}", currency.alphabetic(), Money::from_minor(minor).display(currency))
}

fn points(points: f64) -> String {
    let text = format!("{points:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
