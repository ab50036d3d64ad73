//! What the balances of a statement say, on the page.

use maud::{Markup, html};

use super::visible_text;
use crate::base::money::Currency;
use crate::report::balances::{describe_discrepancy, discrepancy_place, verdict_meaning};
use crate::statement::Quality;

/// The verdict, and what it means or where it first fails.
pub(super) fn balances_markup(quality: &Quality, currency: &Currency) -> Markup {
    html! {
        (verdict_badge(quality)) " "
        @match &quality.balance_discrepancy {
            Some(first) => {
                "first on " b { (visible_text(&discrepancy_place(first))) } ": " (describe_discrepancy(first, currency))
            }
            None => (verdict_meaning(quality.balance_verdict)),
        }
    }
}

/// The verdict as a badge.
pub(super) fn verdict_badge(quality: &Quality) -> Markup {
    let word = quality.balance_verdict.word();
    html! { span.badge.(word) { (word) } }
}
