//! What the balances of a statement say, and what else a person should look at in it, as a section of the page. Must
//! not know how a verdict is found.

use maud::{Markup, html};

use super::plain;
use crate::report::balances::{difference, meaning, place};
use crate::statement::Quality;
use crate::words::money::Currency;

/// The section of the balances.
pub(super) fn balances(quality: &Quality, currency: &Currency) -> Markup {
    html! {
        section {
            h2 { "Balances " (verdict(quality)) }
            @match &quality.balance_discrepancy {
                Some(first) => p { "First on " b { (plain(&place(first))) } ": " (difference(first, currency)) },
                None => p.note { (meaning(quality.balance_verdict)) },
            }
            @if !quality.warnings.is_empty() {
                ul.warnings { @for warning in &quality.warnings { li { (plain(warning)) } } }
            }
        }
    }
}

/// The verdict as a badge.
pub(super) fn verdict(quality: &Quality) -> Markup {
    let word = quality.balance_verdict.word();
    html! { span.badge.(word) { (word) } }
}
