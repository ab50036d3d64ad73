//! Annual rates of loans: a plain reference in integers of 400 bits, rates at a rounding boundary, and loans that have
//! no rate. The worked examples are in `pricing.rs`.

use lendwright::Day;
use lendwright::base::pricing::{
    FeeMode, MAX_INSTALMENTS, Method, NoAnnualCost, Price, Rate, Tenure, TenureUnit, Terms, price,
};
use num_bigint::BigUint;
use proptest::prelude::*;

const METHODS: [Method; 3] = [Method::Flat, Method::Reducing, Method::Bullet];
const UNITS: [TenureUnit; 3] = [TenureUnit::Days, TenureUnit::Weeks, TenureUnit::Months];

/// A loan without a fee.
fn loan(principal_minor: i64, rate: &str, instalments: u32, method: Method) -> Price {
    let rate = Rate::parse(rate).expect("a rate");
    let terms = Terms { principal_minor, rate, instalments, fee_minor: 0, fee_mode: FeeMode::Added, method };
    price(&terms).expect("a price")
}

/// APR and effective rate as text with two decimals.
fn rates(price: &Price, length: u32, unit: TenureUnit) -> (String, String) {
    let cost = price.annual_cost(length, unit).expect("a rate");
    (format!("{:.2}", cost.apr()), format!("{:.2}", cost.effective()))
}

#[test]
fn a_rate_at_a_boundary_is_rounded_up_and_a_kobo_less_down() {
    // After a year the effective rate is the interest: 10.005 % is a boundary.
    for (rate, effective) in [("10.005", "10.01"), ("10.00499", "10.00"), ("0.005", "0.01"), ("0.00499", "0.00")] {
        let price = loan(1_000_000_000_000, rate, 1, Method::Flat);
        assert_eq!(rates(&price, 365, TenureUnit::Days).1, effective, "{rate} in 365 days");
        assert_eq!(rates(&price, 12, TenureUnit::Months).1, effective, "{rate} in 12 months");
    }
    // In a fifth of a year, 1.5 ^ 5 = 7.59375.
    for principal in [1_000, 10_000_000, 1_000_000_000_000_000_000] {
        assert_eq!(rates(&loan(principal, "50", 1, Method::Flat), 73, TenureUnit::Days).1, "659.38", "{principal}");
    }
    let below = loan(1_000_000_000_000_000_000, "49.999999999", 1, Method::Flat);
    assert_eq!(rates(&below, 73, TenureUnit::Days).1, "659.37");
}

#[test]
fn a_loan_that_costs_nothing_has_a_rate_of_zero() {
    for unit in UNITS {
        assert_eq!(rates(&loan(10_000, "0", 3, Method::Flat), 3, unit), ("0.00".into(), "0.00".into()));
    }
    // Less than half a hundredth of a percent.
    let little = loan(9_000_000_000_000_000, "0.000000001", 1, Method::Flat);
    assert_eq!(rates(&little, 30, TenureUnit::Days), ("0.00".into(), "0.00".into()));
}

#[test]
fn loans_without_a_rate_say_why() {
    let thousandfold = loan(100, "1000", 1, Method::Flat);
    assert_eq!(thousandfold.annual_cost(1, TenureUnit::Days), Err(NoAnnualCost::TooHigh));
    assert_eq!(thousandfold.annual_cost(0, TenureUnit::Days), Err(NoAnnualCost::DueAtOnce));
    // 100 days in 300 instalments: the first is due on day 0.33.
    let many = loan(1_000_000, "1", 300, Method::Flat);
    assert_eq!(many.annual_cost(100, TenureUnit::Days), Err(NoAnnualCost::DueAtOnce));
    assert!(many.annual_cost(100, TenureUnit::Months).is_ok());
}

#[test]
fn extreme_loans_neither_panic_nor_take_long() {
    for method in METHODS {
        for (principal, rate) in [(1, "0"), (1, "1000"), (i64::MAX / 4000, "0.000000001"), (i64::MAX / 4000, "100")] {
            for (instalments, length) in [(1, 1), (1, u32::MAX), (2, 7), (MAX_INSTALMENTS, u32::MAX)] {
                let terms = Terms {
                    principal_minor: principal,
                    rate: Rate::parse(rate).expect("a rate"),
                    instalments,
                    fee_minor: 1,
                    fee_mode: FeeMode::Added,
                    method,
                };
                let Ok(priced) = price(&terms) else { continue };
                for unit in UNITS {
                    if let Ok(cost) = priced.annual_cost(length, unit) {
                        assert!(cost.effective() >= cost.apr() && cost.apr() >= 0.0, "{terms:?} {length} {unit:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn due_dates_keep_the_day_or_take_the_last_of_a_shorter_month() {
    let due = |start: &str, length, unit, instalments| {
        let tenure = Tenure { length, unit, instalments };
        let start = Day::parse_iso(start).expect("a day");
        let days = (1..=instalments).map(|number| tenure.due(start, number).map(|day| day.to_string()));
        (tenure.period(), tenure.period_in_words(), days.collect::<Option<Vec<_>>>().map(|days| days.join(" ")))
    };
    for (start, length, unit, instalments, period, words, days) in [
        ("2026-06-30", 90, TenureUnit::Days, 3, Some("P30D"), "30 days", Some("2026-07-30 2026-08-29 2026-09-28")),
        ("2026-06-30", 1, TenureUnit::Days, 1, Some("P1D"), "1 day", Some("2026-07-01")),
        // 33.33 and 66.67 days.
        ("2026-06-30", 100, TenureUnit::Days, 3, None, "100/3 days", Some("2026-08-02 2026-09-05 2026-10-08")),
        // Half a day goes up.
        ("2026-06-30", 15, TenureUnit::Days, 2, None, "15/2 days", Some("2026-07-08 2026-07-15")),
        ("2026-06-30", 2, TenureUnit::Weeks, 2, Some("P1W"), "1 week", Some("2026-07-07 2026-07-14")),
        ("2026-12-31", 3, TenureUnit::Months, 3, Some("P1M"), "1 month", Some("2027-01-31 2027-02-28 2027-03-31")),
        ("2027-10-30", 8, TenureUnit::Months, 2, Some("P4M"), "4 months", Some("2028-02-29 2028-06-30")),
        ("2026-06-30", 3, TenureUnit::Months, 12, None, "3/12 months", None),
        ("2200-12-31", 1, TenureUnit::Months, 1, Some("P1M"), "1 month", None),
        ("2200-12-31", 1, TenureUnit::Days, 1, Some("P1D"), "1 day", None),
    ] {
        let expected = (period.map(str::to_owned), words.to_owned(), days.map(str::to_owned));
        assert_eq!(due(start, length, unit, instalments), expected, "{start} {length} {unit:?} {instalments}");
    }
}

proptest! {
    #[test]
    fn annual_rates_agree_with_a_plain_reference(
        principal_minor in prop_oneof![100i64..10_000, 1_000_000i64..1_000_000_000],
        thousandths in 0u32..60_000, instalments in 1u32..=12, length in 1u32..200, unit in 0usize..3,
        fee_share in 0i64..200, deducted in any::<bool>(), method in 0usize..3,
    ) {
        let terms = Terms {
            principal_minor,
            rate: Rate::parse(&format!("{}.{:03}", thousandths / 1000, thousandths % 1000)).expect("a rate"),
            instalments,
            fee_minor: principal_minor * fee_share / 1000,
            fee_mode: if deducted { FeeMode::Deducted } else { FeeMode::Added },
            method: METHODS[method],
        };
        let priced = price(&terms).expect("a price");
        let Ok(cost) = priced.annual_cost(length, UNITS[unit]) else { return Ok(()) };
        let found = [cost.apr(), cost.effective()].map(|percent| (percent * 100.0).round() as u128);
        prop_assert_eq!(found, reference(&priced, length, UNITS[unit]));
    }
}

/// The bits after the point of a fixed-point number.
const BITS: u64 = 400;

/// `docs/reference/pricing.md` word by word and slowly: the discount of one part of a month by bisection, the monthly
/// rate from it. In hundredths of a percent.
fn reference(price: &Price, length: u32, unit: TenureUnit) -> [u128; 2] {
    let terms = price.terms();
    let periods = u64::from(terms.instalments);
    let mut payments: Vec<(u64, i64)> = price.schedule().map(|due| (due.number.into(), due.payment_minor)).collect();
    if terms.fee_mode == FeeMode::Added {
        payments[0].1 += terms.fee_minor;
    }
    // Twelfths of a day, 365 in a month; or n-ths of a month.
    let (unit_days, per_month) = match unit {
        TenureUnit::Days => (1, 365),
        TenureUnit::Weeks => (7, 365),
        TenureUnit::Months => (0, u32::try_from(periods).expect("small")),
    };
    let parts = |number: u64| match unit_days {
        0 => number * u64::from(length),
        days => 12 * ((2 * number * days * u64::from(length) + periods) / (2 * periods)),
    };
    let one = BigUint::from(1u8) << BITS;
    let worth = |discount: &BigUint| -> BigUint {
        payments.iter().map(|(number, amount)| fixed_power(discount, parts(*number)) * amount.unsigned_abs()).sum()
    };
    let paid_out = BigUint::from(price.disbursed_minor().unsigned_abs()) << BITS;
    if worth(&one) == paid_out {
        return [0, 0];
    }
    let (mut low, mut high) = (BigUint::ZERO, one.clone());
    while &high - &low > BigUint::from(1u8) {
        let middle: BigUint = (&low + &high) >> 1;
        if worth(&middle) < paid_out { low = middle } else { high = middle }
    }
    let growth = (&one << BITS) / fixed_power(&low, per_month.into());
    let hundredths = |gain: BigUint, times: u32| -> u128 {
        let half = BigUint::from(1u8) << (BITS - 1);
        ((gain * times + half) >> BITS).try_into().expect("small")
    };
    [hundredths(&growth - &one, 120_000), hundredths(fixed_power(&growth, 12) - &one, 10_000)]
}

fn fixed_power(base: &BigUint, exponent: u64) -> BigUint {
    let mut power = BigUint::from(1u8) << BITS;
    for bit in (0..64 - exponent.leading_zeros()).rev() {
        power = (&power * &power) >> BITS;
        if exponent >> bit & 1 == 1 {
            power = (&power * base) >> BITS;
        }
    }
    power
}
