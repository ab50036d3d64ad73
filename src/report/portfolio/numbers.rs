//! Numbers of portfolios as people read them: thousands apart, shares in percent, money with its currency.

use crate::base::money::{Currency, Money};
use crate::base::text::group_thousands;

/// A count with its thousands apart.
pub(super) fn format_count(number: u64) -> String {
    group_thousands(&number.to_string(), ',')
}

/// A share in percent.
pub(super) fn format_percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// A share in percent, or `-` where there is none.
pub(super) fn percent_or_none(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), format_percent)
}

/// A rate of customers with an outcome, and in brackets what it may be of all; `-` without outcomes.
pub(super) fn rate_with_range(rate: Option<f64>, bounds: Option<(f64, f64)>) -> String {
    let range = bounds.filter(|(low, high)| low < high);
    let range =
        range.map_or(String::new(), |(low, high)| format!(" ({} to {})", format_percent(low), format_percent(high)));
    percent_or_none(rate) + &range
}

/// A p value; no test says that something is impossible.
pub(super) fn format_p(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// A p value in a sentence: `p = 0.042`.
pub(super) fn p_in_words(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

/// An amount in minor units.
pub(super) fn format_portfolio_money(currency: &(String, u32), minor: i128) -> String {
    let known = Currency::from_numeric(&currency.0);
    match (known, i64::try_from(minor)) {
        (Some(known), Ok(minor)) => {
            format!("{} {}", known.alphabetic(), Money::from_minor(minor).display(&known))
        }
        (known, _) => {
            // A sum of a whole portfolio may be greater than any one amount.
            let scale = 10_i128.pow(currency.1);
            let code = known.map_or(currency.0.clone(), |known| known.alphabetic().to_owned());
            let sign = if minor < 0 { "-" } else { "" };
            format!("{code} {sign}{}", group_thousands(&(minor.abs() / scale).to_string(), ','))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let naira = ("566".to_owned(), 2);
        assert_eq!(format_count(0), "0");
        assert_eq!(format_count(999), "999");
        assert_eq!(format_count(1_234_567), "1,234,567");
        assert_eq!(format_percent(0.1234), "12.3%");
        assert_eq!((format_p(0.000_4), p_in_words(0.042)), ("< 0.001".to_owned(), "p = 0.042".to_owned()));
        assert_eq!(rate_with_range(Some(0.1), Some((0.05, 0.5))), "10.0% (5.0% to 50.0%)");
        assert_eq!(rate_with_range(Some(0.1), Some((0.1, 0.1))), "10.0%");
        assert_eq!(rate_with_range(None, Some((0.0, 1.0))), "- (0.0% to 100.0%)");
        assert_eq!(format_portfolio_money(&naira, 1_234_567), "NGN 12,345.67");
        assert_eq!(format_portfolio_money(&naira, i128::from(i64::MAX) * 100), "NGN 9,223,372,036,854,775,807");
        assert_eq!(format_portfolio_money(&("999".to_owned(), 2), -250_000), "999 -2,500");
    }
}
