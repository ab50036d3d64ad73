//! What the balances of a statement say, in the same words as text and on a page.

use super::format_report_money;
use crate::base::money::Currency;
use crate::statement::{BalanceDiscrepancy, BalanceVerdict, Quality};

/// In a sentence, what the balances say.
pub(super) fn describe_balances(quality: &Quality, currency: &Currency) -> String {
    let (verdict, word) = (quality.balance_verdict, quality.balance_verdict.word());
    match (&quality.balance_discrepancy, verdict) {
        (Some(first), _) => format!(
            "balances: {word}, first on {}: {}",
            discrepancy_place(first),
            describe_discrepancy(first, currency)
        ),
        (None, BalanceVerdict::Unverifiable | BalanceVerdict::Failed) => {
            format!("balances: {word} ({})", verdict_meaning(verdict))
        }
        (None, BalanceVerdict::Verified | BalanceVerdict::Discrepancy) => format!("balances: {word}"),
    }
}

/// What a verdict means.
pub(super) fn verdict_meaning(verdict: BalanceVerdict) -> &'static str {
    match verdict {
        BalanceVerdict::Verified => "every balance follows from the one before and the records between",
        BalanceVerdict::Discrepancy => "a balance does not follow from the one before and the records between",
        BalanceVerdict::Unverifiable => "none, or too few to cover every record",
        BalanceVerdict::Failed => "an opening or closing balance cannot be read",
    }
}

/// The day of a discrepancy, and the record where it has an identifier.
pub(super) fn discrepancy_place(first: &BalanceDiscrepancy) -> String {
    let record = first.record.as_ref().map(|id| format!(", record {id}")).unwrap_or_default();
    format!("{}{record}", first.day)
}

/// What the source states, what follows from the records, and how far they are apart.
pub(super) fn describe_discrepancy(first: &BalanceDiscrepancy, currency: &Currency) -> String {
    let [stated, computed, off] = [first.found, first.expected, first.difference.saturating_abs()]
        .map(|minor| format_report_money(currency, minor));
    format!("stated {stated}, computed {computed}, off by {off}")
}
