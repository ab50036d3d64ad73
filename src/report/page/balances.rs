//! What the balances of a statement say, on the page.

use maud::{Markup, html};

use super::plain;
use crate::base::money::Currency;
use crate::report::balances::{difference, meaning, place};
use crate::statement::Quality;

/// The verdict, and what it means or where it first fails.
pub(super) fn balances(quality: &Quality, currency: &Currency) -> Markup {
    html! {
        (verdict(quality)) " "
        @match &quality.balance_discrepancy {
            Some(first) => { "first on " b { (plain(&place(first))) } ": " (difference(first, currency)) }
            None => (meaning(quality.balance_verdict)),
        }
    }
}

/// The verdict as a badge.
pub(super) fn verdict(quality: &Quality) -> Markup {
    let word = quality.balance_verdict.word();
    html! { span.badge.(word) { (word) } }
}
