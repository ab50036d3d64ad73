//! The values of cells, and the numbers in them.

/// What a cell of an exported sheet holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SheetValue {
    /// Nothing.
    Empty,
    /// A text.
    Text(String),
    /// A number, in decimal digits.
    Number(String),
    /// True or false.
    Truth(bool),
}

impl SheetValue {
    /// A number as a double, if that double is this number to every digit that a spreadsheet keeps.
    pub(super) fn number(digits: &str) -> Option<SheetValue> {
        let plain = normalize_decimal(digits)?;
        let shown = of_double(plain.parse().ok()?)?;
        (shown == plain).then(|| SheetValue::Number(digits.replace('_', "").trim_start_matches('+').to_owned()))
    }
}

/// A decimal number without underscores, a plus sign, and zeros that say nothing. `None` if the text is none.
pub(super) fn normalize_decimal(text: &str) -> Option<String> {
    let text = text.trim();
    let digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    if !text.match_indices('_').all(|(at, _)| at > 0 && digit(at - 1) && digit(at + 1)) {
        return None;
    }
    let plain = text.replace('_', "");
    let (sign, rest) = match plain.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = fraction.trim_end_matches('0');
    Some(match (whole, fraction) {
        ("0", "") => "0".to_owned(),
        (whole, "") => format!("{sign}{whole}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    })
}

/// A double as the decimal number that a spreadsheet shows for it: 15 significant digits. `None` if it is not finite,
/// or too large or too small to be written out.
pub(super) fn of_double(number: f64) -> Option<String> {
    const EXPONENTS: std::ops::RangeInclusive<i32> = -15..=15;
    if number == 0.0 {
        return Some("0".to_owned());
    }
    let shown = format!("{number:.14e}");
    let (mantissa, exponent) = shown.split_once('e')?;
    let exponent: i32 = exponent.parse().ok().filter(|exponent| EXPONENTS.contains(exponent))?;
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    let text = match exponent {
        negative @ ..0 => format!("0.{}{digits}", "0".repeat(negative.unsigned_abs() as usize - 1)),
        exponent => {
            let (whole, fraction) = digits.split_at((exponent as usize + 1).min(digits.len()));
            let zeros = "0".repeat((exponent as usize + 1).saturating_sub(digits.len()));
            format!("{whole}{zeros}.{}", if fraction.is_empty() { "0" } else { fraction })
        }
    };
    normalize_decimal(&format!("{sign}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_has_one_text() {
        for (text, wanted) in [
            ("3", Some("3")),
            ("3.0", Some("3")),
            ("0.50", Some("0.5")),
            ("250_000", Some("250000")),
            ("+1.5", Some("1.5")),
            ("-0", Some("0")),
            ("-0.250", Some("-0.25")),
            ("007", Some("7")),
            (" 5 ", Some("5")),
            ("", None),
            ("-", None),
            ("1.", None),
            (".5", None),
            ("1,5", None),
            ("1e3", None),
            ("1__0", None),
            ("_1", None),
            ("$x", None),
        ] {
            assert_eq!(normalize_decimal(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn a_double_is_what_a_spreadsheet_shows() {
        for (number, wanted) in [
            (0.1 + 0.2, Some("0.3")),
            (3.0, Some("3")),
            (-2.5, Some("-2.5")),
            (250_000.0, Some("250000")),
            (1_234_567.89, Some("1234567.89")),
            (0.000_123, Some("0.000123")),
            (0.0, Some("0")),
            (999_999_999_999_999.0, Some("999999999999999")),
            (1e15, Some("1000000000000000")),
            (1e20, None),
            (1e-20, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(of_double(number).as_deref(), wanted, "{number}");
        }
        assert_eq!(SheetValue::number("0.50"), Some(SheetValue::Number("0.50".into())));
        assert_eq!(SheetValue::number("12345678901234567"), None);
    }
}
