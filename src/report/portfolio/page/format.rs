//! How numbers and differences are put into words.

use super::table::PageCell;
use crate::base::text::group_thousands;
use crate::portfolio::summary::GroupNumbers;
use crate::report::axis::abbreviate_amount;
use crate::report::portfolio::numbers::{format_count, format_percent};

/// A number with as many decimals as it needs, at most `decimals`.
pub(super) fn format_number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A value on an axis.
pub(super) fn format_axis_tick(value: f64) -> String {
    if value.abs() >= 1e7 { abbreviate_amount(value, 0) } else { group_thousands(&format_number(value, 4), ',') }
}

/// A share on an axis.
pub(super) fn share_tick(share: f64) -> String {
    format!("{}%", format_number(share * 100.0, 2))
}

/// A noun with its number: `1 customer`, `1,234 customers`.
pub(super) fn count_with_noun(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", format_count(number), if number == 1 { "" } else { "s" })
}

/// The difference of two shares in words: `1.3 points more`.
pub(super) fn points_in_words(before: f64, after: f64) -> String {
    in_words((after - before) * 100.0, 0.05, &|size| format!("{size:.1} points"))
}

/// A difference in words, as `show` writes its size. Differences below `least` count as none.
pub(super) fn in_words(difference: f64, least: f64, show: &dyn Fn(f64) -> String) -> String {
    match difference {
        size if size >= least => format!("▲ {} more", show(size)),
        size if size <= -least => format!("▼ {} less", show(-size)),
        _ => "= the same".to_owned(),
    }
}

/// A p value: `p = 0.042`, `p < 0.001`.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {}", format_number(p, 3)) }
}

/// The same; without one, no test was possible.
pub(super) fn p_value_or_none(p: Option<f64>) -> String {
    p.map_or_else(|| "no p value".to_owned(), p_value)
}

/// A bad rate with what it could be if all outcomes were known.
pub(super) fn bad_rate(group: &GroupNumbers) -> PageCell {
    let between = group
        .bad_rate_bounds
        .map(|(low, high)| format!("between {} and {}", format_percent(low), format_percent(high)));
    match (group.bad_rate, between) {
        (Some(rate), Some(between)) if group.known < group.customers => {
            PageCell::words(&format!("{} ({between})", format_percent(rate)), rate)
        }
        (Some(rate), _) => PageCell::number(&format_percent(rate), rate),
        (None, Some(between)) => PageCell::words(&format!("unknown: {between}"), -1.0),
        (None, None) => PageCell::none(),
    }
}

/// The first digits of a digest, which are enough to tell two apart.
pub(super) fn short_digest(digest: &str) -> String {
    digest.chars().take(12).collect()
}

/// An argument of a command as a shell reads it.
pub(super) fn shell_quoted(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:@,+=".contains(letter);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_decimals_they_need() {
        assert_eq!(format_number(0.5, 4), "0.5");
        assert_eq!(format_number(12.0, 0), "12");
        assert_eq!(format_number(100.0, 2), "100");
        assert_eq!(format_number(-0.000_01, 2), "0");
        assert_eq!(share_tick(0.125), "12.5%");
        assert_eq!([1_000_000.0, -1_234.5, 999.0].map(format_axis_tick), ["1,000,000", "-1,234.5", "999"]);
    }

    #[test]
    fn differences_say_their_direction() {
        assert_eq!(points_in_words(0.50, 0.513), "▲ 1.3 points more");
        assert_eq!(points_in_words(0.50, 0.45), "▼ 5.0 points less");
        assert_eq!(points_in_words(0.50, 0.5001), "= the same");
        assert_eq!((p_value(0.000_2), p_value(0.042)), ("p < 0.001".to_owned(), "p = 0.042".to_owned()));
        assert_eq!(count_with_noun(1, "customer"), "1 customer");
        assert_eq!(count_with_noun(1_200, "customer"), "1,200 customers");
    }

    #[test]
    fn a_shell_reads_the_customer_as_one_argument() {
        assert_eq!(shell_quoted("C-001"), "C-001");
        assert_eq!(shell_quoted("O'Neil $(rm)"), r"'O'\''Neil $(rm)'");
        assert_eq!(shell_quoted(""), "''");
    }
}
