//! Money as it is written in rule files: exact, in major units, and never a slip for another amount. Knows no expression.

use crate::words::money::{AmountUnit, Currency, parse_amount};

/// The minor units of an amount, or why it is none.
pub(super) fn minor(currency: Currency, text: &str) -> Result<i64, String> {
    // In statements zeros beyond the currency's decimals change nothing; somebody who writes them parts thousands by a point.
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let most = currency.exponent() as usize;
    if decimals > most && text.parse::<f64>().is_ok() {
        let (has, without) = (currency.alphabetic(), mantissa.replace('.', ""));
        let advice = format!("{has} has {most}; where the point parts thousands, write {without}");
        return Err(format!("not an amount: `{text}` has {decimals} decimals, {advice}"));
    }
    parse_amount(text.as_bytes(), AmountUnit::Major, currency.exponent())
        .map_err(|error| format!("not an amount: `{text}` {error}"))
}
