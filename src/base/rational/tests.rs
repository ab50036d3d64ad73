//! Compares exact numbers with those of another library, which shares no code with them.

use std::hash::BuildHasher;

use dashu_ratio::RBig;
use proptest::prelude::*;

use super::{Rational, Rounding};

fn other(number: &Rational) -> RBig {
    format!("{number:?}").parse().unwrap()
}

/// A number of any length, divided by another one.
fn fractions() -> impl Strategy<Value = Rational> {
    let small = (any::<i64>(), 1_i64..=1_000_000).prop_map(|(a, b)| Rational::ratio(a, b).unwrap());
    let near = (-20_i64..=20, 1_i64..=12).prop_map(|(a, b)| Rational::ratio(a, b).unwrap());
    let decimal = "-?[0-9]{1,30}(\\.[0-9]{1,30})?".prop_map(|text| Rational::parse(&text).unwrap());
    let any = prop_oneof![small, near, decimal];
    (any.clone(), any).prop_map(|(over, under)| over.divided_by(&under).unwrap_or(over))
}

#[test]
fn a_number_takes_16_bytes() {
    assert_eq!(size_of::<Rational>(), 16);
}

#[test]
fn text_is_read_by_its_digits() {
    for (text, numerator, denominator) in [
        ("0.35", 35, 100),
        ("-12", -12, 1),
        (".5", 1, 2),
        ("5.", 5, 1),
        ("+1.50", 3, 2),
        ("1.5e-3", 15, 10_000),
        ("1.5E3", 1_500, 1),
        ("0.000", 0, 1),
        ("-0", 0, 1),
    ] {
        assert_eq!(Rational::parse(text), Rational::ratio(numerator, denominator), "{text}");
    }
    for text in ["", "-", ".", "1,5", "0x1", "1e", "e5", "1e401", "NaN", "inf", "1 ", "--1", "1_000", "½"] {
        assert_eq!(Rational::parse(text), None, "{text}");
    }
    let long = format!("0.{}1", "0".repeat(998));
    assert_eq!(Rational::parse(&long).unwrap().inverted(), None, "beyond the doubles");
    assert_eq!(Rational::parse(&format!("0{long}")), None);
}

#[test]
fn doubles_are_the_shortest_decimals_that_read_back_as_them() {
    for (double, text) in [
        (0.1, "0.1"),
        (0.35, "0.35"),
        (-2.5, "-2.5"),
        (1e-7, "0.0000001"),
        (123_456_789.123_456_78, "123456789.12345678"),
        (9_007_199_254_740_993.0, "9007199254740992"),
        (1e22, "10000000000000000000000"),
        (-0.0, "0"),
        // As near to ...313. JSON writes the even one.
        (793.700_012_207_031_3, "793.7000122070312"),
        (-793.700_012_207_031_3, "-793.7000122070312"),
    ] {
        let number = Rational::from_f64(double).unwrap();
        assert_eq!(number, Rational::parse(text).unwrap(), "{text}");
        assert_eq!(number.to_f64(), double, "{text}");
        assert_eq!(number.to_string(), text);
    }
    let written = |text: &str| Rational::parse(text).unwrap().as_written_double();
    for text in ["793.7000122070312", "793.7000122070313"] {
        assert_eq!(written(text), Some(793.700_012_207_031_3), "{text}");
    }
    for text in ["793.70001220703125", "0.10000000000000001", "9007199254740993"] {
        assert_eq!(written(text), None, "{text}");
    }
    assert_eq!(crate::base::rational::write_shortest_decimal(793.700_012_207_031_3), "793.7000122070312");
    assert_eq!(Rational::from_f64(f64::NAN), None);
    assert_eq!(Rational::from_f64(f64::INFINITY), None);
}

#[test]
fn what_is_too_large_is_none() {
    let most = Rational::from_f64(f64::MAX).unwrap();
    assert_eq!(most.to_f64(), f64::MAX);
    assert_eq!(most.plus(&most), None);
    assert_eq!(most.times(&Rational::from(2)), None);
    assert_eq!(Rational::from(2).power(1024), None);
    assert_eq!(Rational::from(10).power(i64::MAX), None);
    assert_eq!(Rational::ONE.power(i64::MIN), Some(Rational::ONE));
    assert_eq!(Rational::ZERO.power(i64::MAX), Some(Rational::ZERO));
    assert_eq!(Rational::ZERO.power(-1), None);
    assert_eq!(Rational::from(-1).power(i64::MAX), Some(Rational::from(-1)));
}

#[test]
fn how_often_a_step_goes_into_a_number_may_be_more_than_a_number_holds() {
    let (value, step) = (Rational::from(7_198_457), Rational::from_f64(5e-324).unwrap());
    assert_eq!(value.divided_by(&step), None);
    let down = value.rounded_to(Rounding::Down, &step).unwrap();
    assert!(down <= value && down.plus(&step).unwrap() > value);
    let rest = value.negated().remainder(&step).unwrap();
    assert!(rest.signum() <= 0 && rest.absolute() < step);
    assert_eq!(value.remainder(&Rational::ZERO), None);
}

#[test]
fn decimals_are_rounded_halves_away_from_zero() {
    let text = |text: &str, decimals| Rational::parse(text).unwrap().to_decimals(decimals);
    assert_eq!(text("0.125", 2), "0.13");
    assert_eq!(text("-0.125", 2), "-0.13");
    assert_eq!(text("0.004", 2), "0.00");
    assert_eq!(text("-0.004", 2), "0.00");
    assert_eq!(text("12345.5", 0), "12346");
    assert_eq!(Rational::ratio(1, 3).unwrap().to_decimals(5), "0.33333");
    assert_eq!(Rational::ratio(1, 3).unwrap().to_string(), "0.3333333333333333");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn arithmetic_is_that_of_the_other_library(one in fractions(), two in fractions()) {
        let (left, right) = (other(&one), other(&two));
        prop_assert_eq!(other(&one.plus(&two).unwrap()), &left + &right);
        prop_assert_eq!(other(&one.minus(&two).unwrap()), &left - &right);
        prop_assert_eq!(other(&one.times(&two).unwrap()), &left * &right);
        prop_assert_eq!(one.cmp(&two), left.cmp(&right));
        prop_assert_eq!(other(&one.negated()), -&left);
        prop_assert_eq!(i32::from(left > RBig::ZERO) - i32::from(left < RBig::ZERO), one.signum());
        if right != RBig::ZERO {
            let quotient = &left / &right;
            prop_assert_eq!(other(&one.divided_by(&two).unwrap()), quotient.clone());
            let rest = &left - &right * RBig::from(quotient.trunc());
            prop_assert_eq!(other(&one.remainder(&two).unwrap()), rest);
        }
    }

    #[test]
    fn rounding_is_that_of_the_other_library(one in fractions()) {
        let exact = other(&one);
        prop_assert_eq!(other(&one.rounded(Rounding::Down)), RBig::from(exact.floor()));
        prop_assert_eq!(other(&one.rounded(Rounding::Up)), RBig::from(exact.ceil()));
        let half: RBig = "1/2".parse().unwrap();
        let nearest = if exact < RBig::ZERO { (&exact - half).ceil() } else { (&exact + half).floor() };
        prop_assert_eq!(other(&one.rounded(Rounding::HalfAway)), RBig::from(nearest.clone()));
        let even = other(&one.rounded(Rounding::HalfEven));
        let is_tie = (&exact * RBig::from(2)).is_int() && !exact.is_int();
        let wanted = if is_tie { RBig::from((&exact / RBig::from(2)).round() * 2) } else { RBig::from(nearest) };
        prop_assert_eq!(even, wanted);
        prop_assert_eq!(one.is_whole(), exact.is_int());
    }

    #[test]
    fn one_value_is_one_value_however_it_came_about(one in fractions(), by in 1_i64..1_000_000) {
        let by = Rational::from(by);
        let same = one.times(&by).unwrap().divided_by(&by).unwrap();
        let state = std::hash::RandomState::new();
        prop_assert_eq!(&same, &one);
        prop_assert_eq!(state.hash_one(&same), state.hash_one(&one));
        prop_assert_eq!(same.to_f64().to_bits(), one.to_f64().to_bits());
        prop_assert_eq!(same.to_string(), one.to_string());
        let long = Rational::from_fraction(one.fraction());
        prop_assert_eq!(&long, &one);
        prop_assert_eq!(long.to_f64().to_bits(), one.to_f64().to_bits());
    }

    #[test]
    fn the_nearest_double_is_what_the_digits_read_as(digits in "-?[0-9]{1,25}\\.[0-9]{1,25}", power in -330_i32..300) {
        let text = format!("{digits}e{power}");
        let double: f64 = text.parse().unwrap();
        let nearest = Rational::parse(&text).map(|number| number.to_f64() + 0.0);
        prop_assert_eq!(nearest, Some(double + 0.0).filter(|double| double.is_finite()));
    }

    #[test]
    fn any_double_comes_back(bits in any::<u64>()) {
        let double = f64::from_bits(bits);
        let back = Rational::from_f64(double).map(|number| number.to_f64());
        prop_assert_eq!(back, Some(double + 0.0).filter(|double| double.is_finite()));
    }

    #[test]
    fn sums_do_not_depend_on_order(numbers in prop::collection::vec(fractions(), 0..40)) {
        let sum = Rational::sum(&numbers).unwrap();
        let plain = numbers.iter().fold(RBig::ZERO, |sum, number| sum + other(number));
        prop_assert_eq!(other(&sum), plain);
        prop_assert_eq!(Rational::sum(numbers.iter().rev()), Some(sum));
    }
}
