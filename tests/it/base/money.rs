//! Money as text: what was written is read back, for every currency.

use lendwright::base::money::{AmountError, AmountUnit, Currency, Money, parse_amount};
use proptest::prelude::*;

fn currencies() -> Vec<Currency> {
    (0..1_000).filter_map(|code| Currency::from_numeric(&format!("{code:03}"))).collect()
}

/// A decimal text by its digits: where the point is moved to, what stands behind it, and whether the rest fits.
fn by_digits(whole: &str, fraction: &str, power: i32, decimals: u32) -> Result<i128, AmountError> {
    let digits = format!("{whole}{fraction}");
    let point = whole.len() as i32 + power + decimals as i32;
    let before: String = match point {
        ..=0 => String::new(),
        point => digits.chars().chain(std::iter::repeat('0')).take(point as usize).collect(),
    };
    let after: String = digits.chars().skip(point.max(0) as usize).collect();
    if after.chars().any(|digit| digit != '0') {
        return Err(AmountError::TooPrecise { allowed: decimals });
    }
    let before = before.trim_start_matches('0');
    match before.len() {
        0 => Ok(0),
        1..=30 => Ok(before.parse::<i128>().unwrap())
            .and_then(|value| if value > i128::from(i64::MAX) { Err(AmountError::TooLarge) } else { Ok(value) }),
        _ => Err(AmountError::TooLarge),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn money_as_shown_is_money_as_read(
        minor in prop_oneof![any::<i64>(), -200_000_i64..200_000, Just(i64::MAX), Just(-i64::MAX)],
        which in any::<prop::sample::Index>(),
    ) {
        let currencies = currencies();
        let currency = currencies[which.index(currencies.len())];
        let shown = Money::from_minor(minor).display(&currency).to_string();
        let plain = shown.replace(',', "");
        let read = |text: &str| parse_amount(text.as_bytes(), AmountUnit::Major, currency.exponent());
        // One more negative number than positive ones fits; no amount needs it.
        let wanted = if minor == i64::MIN { Err(AmountError::TooLarge) } else { Ok(minor) };
        prop_assert_eq!(read(&plain), wanted, "{} {}", plain, currency.alphabetic());
        if shown != plain {
            prop_assert_eq!(read(&shown), Err(AmountError::NotANumber), "{}", shown);
        }
        // Thousands are groups of three, and the decimals are the currency's.
        let unsigned = shown.trim_start_matches('-');
        let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        prop_assert_eq!(decimals.len(), currency.exponent() as usize);
        let groups: Vec<&str> = whole.split(',').collect();
        prop_assert!((1..=3).contains(&groups[0].len()), "{}", shown);
        prop_assert!(groups[1..].iter().all(|group| group.len() == 3), "{}", shown);
    }

    #[test]
    fn amounts_are_read_by_their_digits(
        negative: bool, whole in "[0-9]{1,22}", fraction in "[0-9]{0,6}0{0,20}",
        power in proptest::option::of(-25_i32..25), sign in 0..3_usize, decimals in 0_u32..=4,
    ) {
        let mut text = format!("{}{whole}", if negative { "-" } else { "" });
        if !fraction.is_empty() {
            text += &format!(".{fraction}");
        }
        if let Some(power) = power {
            text += &match (power < 0, sign) {
                (true, _) => format!("e{power}"),
                (false, 0) => format!("e{power}"),
                (false, 1) => format!("E+{power}"),
                (false, _) => format!("E{power:03}"),
            };
        }
        let wanted = by_digits(&whole, &fraction, power.unwrap_or(0), decimals);
        let wanted = wanted.map(|value| if negative { -value } else { value }).map(|value| value as i64);
        prop_assert_eq!(parse_amount(text.as_bytes(), AmountUnit::Major, decimals), wanted, "{}", text);
        if decimals == 0 {
            prop_assert_eq!(parse_amount(text.as_bytes(), AmountUnit::Minor, 2), wanted, "{}", text);
        }
    }
}
