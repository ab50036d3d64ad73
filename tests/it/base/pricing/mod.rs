//! Prices: the worked examples of `docs/reference/pricing.md`, the properties that every price has, and a plain
//! reference.

mod annual_cost;

use lendwright::base::pricing::{
    FeeMode, Instalment, MAX_INSTALMENTS, Method, Price, PricingError, Rate, TenureUnit, Terms, has_price, price,
    principal_for,
};
use lendwright::base::rational::Rational;
use proptest::prelude::*;

const UNITS: [TenureUnit; 3] = [TenureUnit::Days, TenureUnit::Weeks, TenureUnit::Months];
const METHODS: [Method; 3] = [Method::Flat, Method::Reducing, Method::Bullet];

fn terms(principal_minor: i64, rate: &str, instalments: u32, method: Method) -> Terms {
    let rate = Rate::parse(rate).expect("a rate");
    Terms { principal_minor, rate, instalments, fee_minor: 0, fee_mode: FeeMode::Added, method }
}

fn rows(price: &Price) -> Vec<Instalment> {
    price.schedule().collect()
}

#[test]
fn the_worked_examples_of_the_documentation_hold() {
    let page = include_str!("../../../../docs/reference/pricing.md");
    let examples: Vec<&str> = page.split("```text\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
    for example in &examples {
        check_example(example);
    }
    for method in METHODS {
        let line = format!("example      {}\n", method.name());
        assert!(examples.iter().any(|example| example.starts_with(&line)), "no worked example of {}", method.name());
    }
}

fn check_example(example: &str) {
    let value = |key: &str| {
        let line = example.lines().find(|line| line.starts_with(&format!("{key}  ")));
        line.unwrap_or_else(|| panic!("no line `{key}` in\n{example}"))[key.len()..].trim()
    };
    let priced = price(&Terms {
        principal_minor: minor(value("principal")),
        rate: Rate::parse(value("rate")).expect("a rate"),
        instalments: value("instalments").parse().expect("a count"),
        fee_minor: minor(value("fee")),
        fee_mode: FeeMode::from_name(value("fee mode")).expect("a fee mode"),
        method: Method::from_name(value("example")).expect("a method"),
    })
    .expect("a price");
    let figures = [
        ("interest", priced.interest_minor()),
        ("instalment", priced.instalment_minor()),
        ("payable", priced.amount_payable_minor()),
        ("disbursed", priced.disbursed_minor()),
    ];
    for (key, actual) in figures {
        assert_eq!(actual, minor(value(key)), "{key} of\n{example}");
    }
    check_annual_cost(example, &priced);
    let expected: Vec<Vec<i64>> = example
        .lines()
        .skip_while(|line| !line.starts_with("due "))
        .skip(1)
        .map(|line| line.split_whitespace().map(minor).collect())
        .collect();
    let actual: Vec<Vec<i64>> = rows(&priced)
        .iter()
        .map(|due| {
            let amounts = [due.interest_minor, due.principal_minor, due.payment_minor, due.balance_minor];
            std::iter::once(i64::from(due.number)).chain(amounts).collect()
        })
        .collect();
    assert_eq!(actual, expected, "the schedule of\n{example}");
}

/// The annual rates of an example that states them.
fn check_annual_cost(example: &str, priced: &Price) {
    let value = |key: &str| example.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let Some(tenure) = value("tenure  ") else { return };
    let (length, unit) = tenure.split_once(' ').expect("a length and a unit");
    let unit = UNITS.into_iter().find(|known| known.name() == unit).expect("a unit");
    let cost = priced.annual_cost(length.parse().expect("a length"), unit).expect("a rate");
    let shown = (format!("{:.2}", cost.apr()), format!("{:.2}", cost.effective()));
    assert_eq!(Some(shown.0.as_str()), value("apr  "), "apr of\n{example}");
    assert_eq!(Some(shown.1.as_str()), value("effective  "), "effective of\n{example}");
}

/// `1,234.50` as 123450; a whole number, such as an instalment's number, as it is.
fn minor(text: &str) -> i64 {
    text.replace([',', '.'], "").parse().unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

#[test]
fn a_rate_is_read_by_its_digits() {
    for (text, shown) in
        [("3", "3"), ("4.50", "4.5"), ("0.000000001", "0.000000001"), ("1000.000", "1000"), ("007", "7"), ("0", "0")]
    {
        assert_eq!(Rate::parse(text).expect(text).to_string(), shown);
    }
    for text in [
        "",
        ".",
        "1.",
        ".5",
        "-1",
        "+1",
        "1e2",
        "NaN",
        "1,5",
        " 1",
        "1000.000000001",
        "99999999999999999999999",
        "1.5.5",
        "٣",
    ] {
        assert_eq!(Rate::parse(text), Err(PricingError::RateOutOfRange), "{text}");
    }
    assert_eq!(Rate::parse("0.0000000001"), Err(PricingError::RateTooPrecise));
}

#[test]
fn a_rate_from_a_float_is_its_shortest_decimal() {
    assert_eq!(Rate::from_f64(4.35), Rate::parse("4.35"));
    assert_eq!(Rate::from_f64(-0.0), Ok(Rate::ZERO));
    assert_eq!(Rate::from_f64(1e-9), Rate::parse("0.000000001"));
    assert_eq!(Rate::from_f64(0.1 + 0.2), Err(PricingError::RateTooPrecise));
    for wrong in [f64::NAN, f64::INFINITY, -1e-12, 1000.000001, f64::MAX] {
        assert_eq!(Rate::from_f64(wrong), Err(PricingError::RateOutOfRange), "{wrong}");
    }
}

#[test]
fn a_rate_that_was_worked_out_is_rounded_to_nine_decimals() {
    let rounded = |percent: &str| Rate::rounded(&Rational::parse(percent).expect("a number"));
    for (percent, rate) in [
        ("0.3", "0.3"),
        ("1000", "1000"),
        ("0.3757528125", "0.375752813"),
        ("0.0000000005", "0.000000001"),
        ("0.00000000049999999999999999999999", "0"),
    ] {
        assert_eq!(rounded(percent), Rate::parse(rate), "{percent}");
    }
    assert_eq!(Rate::rounded(&Rational::ratio(10, 3).expect("a third")), Rate::parse("3.333333333"));
    for wrong in ["-0.000000000001", "1000.00000000000001", "1e300"] {
        assert_eq!(rounded(wrong), Err(PricingError::RateOutOfRange), "{wrong}");
    }
}

#[test]
fn terms_without_a_price_say_why() {
    let good = terms(10_000, "5", 3, Method::Flat);
    let because = |terms: Terms| price(&terms).expect_err("no price");
    for principal_minor in [0, -1, i64::MIN] {
        assert_eq!(because(Terms { principal_minor, ..good }), PricingError::PrincipalNotPositive);
    }
    for instalments in [0, MAX_INSTALMENTS + 1, u32::MAX] {
        assert_eq!(because(Terms { instalments, ..good }), PricingError::InstalmentsOutOfRange);
        assert_eq!(principal_for(1, good.rate, instalments, Method::Bullet), Err(PricingError::InstalmentsOutOfRange));
    }
    assert_eq!(because(Terms { fee_minor: -1, ..good }), PricingError::FeeNegative);
    assert_eq!(because(Terms { fee_minor: 10_000, fee_mode: FeeMode::Deducted, ..good }), PricingError::FeeTakesAll);
    assert_eq!(because(Terms { fee_minor: i64::MAX, ..good }), PricingError::Overflow);
}

#[test]
fn amounts_beyond_64_bits_are_an_error_and_never_wrap() {
    for method in METHODS {
        let extreme = |instalments| price(&terms(i64::MAX, "1000", instalments, method));
        for instalments in [1, 2, MAX_INSTALMENTS] {
            assert_eq!(extreme(instalments), Err(PricingError::Overflow), "{method:?} {instalments}");
        }
        let free = price(&terms(i64::MAX, "0", 1, method)).expect("no interest, no overflow");
        assert_eq!(free.amount_payable_minor(), i64::MAX);
        assert_eq!(principal_for(i64::MAX, Rate::ZERO, 1, method), Ok(i64::MAX));
    }
    assert_eq!(price(&terms(100_000, "1000", MAX_INSTALMENTS, Method::Bullet)), Err(PricingError::Overflow));
    assert_eq!(principal_for(i64::MAX, Rate::ZERO, 2, Method::Flat), Err(PricingError::Overflow));
}

#[test]
fn interest_at_half_a_kobo_goes_away_from_zero() {
    for method in METHODS {
        // 0.50 kobo, then just below it.
        assert_eq!(price(&terms(50, "1", 1, method)).expect("a price").interest_minor(), 1);
        assert_eq!(price(&terms(49, "1", 1, method)).expect("a price").interest_minor(), 0);
    }
}

#[test]
fn no_principal_fits_an_instalment_below_its_interest() {
    // One kobo at 1000 percent owes 11 kobo after a period, and can never be repaid by 10 a period.
    let rate = Rate::parse("1000").expect("a rate");
    for method in METHODS {
        assert_eq!(principal_for(10, rate, 12, method), Ok(0), "{method:?}");
        assert_eq!(principal_for(-5, rate, 12, method), Ok(0), "{method:?}");
    }
    assert_eq!(principal_for(11, rate, 1, Method::Reducing), Ok(1));
}

fn any_method() -> impl Strategy<Value = Method> {
    prop::sample::select(METHODS.to_vec())
}

/// Rates as lenders write them, and odd ones.
fn any_rate() -> impl Strategy<Value = Rate> {
    let text = prop_oneof![
        (0u32..3000).prop_map(|hundredths| format!("{}.{:02}", hundredths / 100, hundredths % 100)),
        (0u32..=1000, 0u32..1_000_000_000).prop_map(|(whole, part)| if whole == 1000 {
            "1000".into()
        } else {
            format!("{whole}.{part:09}")
        }),
        Just("0".to_string()),
        Just("0.000000001".to_string()),
    ];
    text.prop_map(|text| Rate::parse(&text).expect("a rate"))
}

fn any_principal() -> impl Strategy<Value = i64> {
    prop_oneof![1i64..200, 1i64..1_000_000_000, 1i64..=i64::MAX]
}

fn any_instalments() -> impl Strategy<Value = u32> {
    prop_oneof![3 => 1u32..=24, 1 => 25u32..=MAX_INSTALMENTS]
}

prop_compose! {
    fn any_terms()(
        principal_minor in any_principal(), rate in any_rate(), instalments in any_instalments(),
        fee_minor in 0i64..10_000_000, deducted in any::<bool>(), method in any_method(),
    ) -> Terms {
        let deducted = deducted && fee_minor < principal_minor;
        let fee_mode = if deducted { FeeMode::Deducted } else { FeeMode::Added };
        Terms { principal_minor, rate, instalments, fee_minor, fee_mode, method }
    }
}

proptest! {
    #[test]
    fn a_schedule_repays_exactly_what_is_payable(terms in any_terms()) {
        let Ok(priced) = price(&terms) else { return Ok(()) };
        let fee = if terms.fee_mode == FeeMode::Added { terms.fee_minor } else { 0 };
        let due = rows(&priced);
        prop_assert_eq!(due.len(), priced.schedule().len());
        prop_assert_eq!(due.len(), if terms.method == Method::Bullet { 1 } else { terms.instalments as usize });
        prop_assert_eq!(due.last().map(|last| last.number), Some(terms.instalments));
        prop_assert_eq!(due.iter().map(|due| due.payment_minor).sum::<i64>(), priced.amount_payable_minor() - fee);
        prop_assert_eq!(due.iter().map(|due| due.interest_minor).sum::<i64>(), priced.interest_minor());
        prop_assert_eq!(due.iter().map(|due| due.principal_minor).sum::<i64>(), terms.principal_minor);
        let mut balance = terms.principal_minor;
        for due in &due {
            balance -= due.principal_minor;
            prop_assert_eq!(due.balance_minor, balance);
            prop_assert_eq!(due.payment_minor, due.interest_minor + due.principal_minor);
            prop_assert!(due.interest_minor >= 0 && due.principal_minor >= 0);
        }
        prop_assert_eq!(balance, 0);
    }

    #[test]
    fn instalments_are_equal_and_the_last_is_not_greater(terms in any_terms()) {
        let Ok(priced) = price(&terms) else { return Ok(()) };
        let payments: Vec<i64> = priced.schedule().map(|due| due.payment_minor).collect();
        prop_assert_eq!(payments[0], priced.instalment_minor());
        // One kobo more per instalment can outweigh the last ones (a loan of a few kobo, a rate of hundreds of
        // percent). Then the loan is repaid early: one payment is short and the rest are 0. Loans of usual size are
        // never affected.
        let full = payments.iter().take_while(|payment| **payment == payments[0]).count();
        prop_assert!(payments[full..].iter().skip(1).all(|payment| *payment == 0));
        prop_assert!(payments[full..].iter().all(|payment| *payment < payments[0]));
        let is_usual_rate = terms.rate <= Rate::parse("10").expect("a rate");
        if terms.principal_minor >= 1_000_000 && terms.instalments <= 24 && is_usual_rate {
            prop_assert!(full + 1 >= payments.len());
        }
    }

    #[test]
    fn the_reducing_instalment_is_the_least_that_repays(terms in any_terms()) {
        let terms = Terms { method: Method::Reducing, ..terms };
        let Ok(priced) = price(&terms) else { return Ok(()) };
        let left = |instalment: i64| {
            priced_balance(terms.principal_minor, &terms.rate.to_string(), terms.instalments, instalment)
        };
        prop_assert_eq!(left(priced.instalment_minor()), 0);
        prop_assert!(left(priced.instalment_minor() - 1) > 0);
    }

    #[test]
    fn more_principal_or_a_higher_rate_never_costs_less(
        terms in any_terms(), more in 0i64..1_000_000, higher in any_rate(),
    ) {
        let Some(principal_minor) = terms.principal_minor.checked_add(more) else { return Ok(()) };
        let dearer = [Terms { principal_minor, ..terms }, Terms { rate: terms.rate.max(higher), ..terms }];
        for other in dearer {
            let (Ok(base), Ok(other)) = (price(&terms), price(&other)) else { continue };
            prop_assert!(base.instalment_minor() <= other.instalment_minor());
            // An annuity's total depends on how short the last instalment is, which jumps as the instalment does.
            prop_assert!(terms.method == Method::Reducing || base.interest_minor() <= other.interest_minor());
        }
    }

    #[test]
    fn what_has_a_price_can_be_priced(
        terms in any_terms(), principal_minor in prop_oneof![i64::MIN..=0, i64::MAX - 200..=i64::MAX, any_principal()],
        instalments in prop_oneof![Just(0), any_instalments(), Just(MAX_INSTALMENTS + 1)],
        fee_minor in prop_oneof![-2i64..2, any_principal()], fee_mode in prop::sample::select(vec![
            FeeMode::Added, FeeMode::Deducted,
        ]),
    ) {
        for terms in [
            terms,
            Terms { principal_minor, ..terms },
            Terms { instalments, ..terms },
            Terms { fee_minor, fee_mode, ..terms },
            Terms { principal_minor, instalments, fee_minor, fee_mode, ..terms },
        ] {
            prop_assert_eq!(has_price(&terms), price(&terms).is_ok(), "{:?}", terms);
        }
    }

    /// From a principal that has a price to one that has none, as closely as can be.
    #[test]
    fn the_greatest_principal_with_a_price_is_found(terms in any_terms()) {
        let is_priced = |principal_minor| price(&Terms { principal_minor, fee_minor: 0, ..terms }).is_ok();
        let (mut priced, mut beyond) = (1_i64, i64::MAX);
        prop_assume!(is_priced(priced) && !is_priced(beyond));
        while beyond - priced > 1 {
            let middle = priced + (beyond - priced) / 2;
            if is_priced(middle) { priced = middle } else { beyond = middle }
        }
        let has_price = |principal_minor| has_price(&Terms { principal_minor, fee_minor: 0, ..terms });
        prop_assert_eq!([priced, beyond].map(has_price), [true, false]);
    }

    #[test]
    fn principal_for_is_the_exact_inverse(
        instalment in prop_oneof![1i64..500, 1i64..100_000_000, 1i64..=i64::MAX / 600],
        rate in any_rate(), instalments in any_instalments(), method in any_method(),
    ) {
        let found = principal_for(instalment, rate, instalments, method).expect("a principal");
        let needs = |principal_minor| {
            let terms = Terms { principal_minor, rate, instalments, fee_minor: 0, fee_mode: FeeMode::Added, method };
            price(&terms).map(|price| price.instalment_minor())
        };
        if found > 0 {
            prop_assert!(needs(found).expect("a price") <= instalment);
        }
        // The next principal needs more, or is so large that it has no price.
        let next = needs(found + 1);
        prop_assert!(next == Err(PricingError::Overflow) || next.is_ok_and(|next| next > instalment));
    }

    #[test]
    fn with_one_instalment_all_methods_agree(terms in any_terms()) {
        let one = |method| {
            let terms = Terms { method, instalments: 1, ..terms };
            price(&terms).map(|price| (price.amount_payable_minor(), rows(&price)))
        };
        prop_assert_eq!(one(Method::Flat), one(Method::Bullet));
        prop_assert_eq!(one(Method::Flat), one(Method::Reducing));
    }

    #[test]
    fn small_prices_agree_with_a_plain_reference(
        principal in 1i64..5_000, thousandths in 0i128..40_000, instalments in 1u32..=5,
    ) {
        let rate = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        let share = Share { numerator: thousandths, denominator: 100_000 };
        for method in METHODS {
            let priced = price(&terms(principal, &rate, instalments, method)).expect("a price");
            let reference = reference_interest(principal.into(), share, instalments, method);
            prop_assert_eq!(i128::from(priced.interest_minor()), reference, "{:?}", method);
        }
    }

    #[test]
    fn the_reducing_instalment_is_the_textbook_one_to_two_kobo(
        principal in 1i64..5_000_000, thousandths in 1i128..40_000, instalments in 1u32..=4,
    ) {
        let rate = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        let priced = price(&terms(principal, &rate, instalments, Method::Reducing)).expect("a price");
        // principal x r x (1+r)^n / ((1+r)^n - 1), with r = k/d: principal x k x (d+k)^n / (d x ((d+k)^n - d^n)).
        let (k, d) = (thousandths, 100_000i128);
        let (grown, base) = ((d + k).pow(instalments), d.pow(instalments));
        let (numerator, denominator) = (i128::from(principal) * k * grown, d * (grown - base));
        let difference = i128::from(priced.instalment_minor()) * denominator - numerator;
        prop_assert!(2 * difference >= -denominator && 2 * difference <= 3 * denominator);
    }
}

/// What is left after paying `instalment` every period: digits of the rate as they are written, no shared code.
fn priced_balance(principal: i64, rate: &str, instalments: u32, instalment: i64) -> i128 {
    let (whole, part) = rate.split_once('.').unwrap_or((rate, ""));
    let numerator: i128 = format!("{whole}{part}").parse().expect("digits");
    let share = Share { numerator, denominator: 100 * 10i128.pow(part.len() as u32) };
    let mut balance = i128::from(principal);
    for _ in 0..instalments {
        let before = balance;
        balance = (balance + share.of(balance) - i128::from(instalment)).max(0);
        if balance >= before && balance > 0 {
            return balance;
        }
    }
    balance
}

/// An exact fraction of one.
#[derive(Clone, Copy)]
struct Share {
    numerator: i128,
    denominator: i128,
}

impl Share {
    /// Rounded half away from zero, for amounts of zero or more.
    fn of(self, amount: i128) -> i128 {
        (2 * amount * self.numerator + self.denominator) / (2 * self.denominator)
    }
}

/// The definitions of `docs/reference/pricing.md`, word by word and slowly.
fn reference_interest(principal: i128, share: Share, instalments: u32, method: Method) -> i128 {
    match method {
        Method::Flat => Share { numerator: share.numerator * i128::from(instalments), ..share }.of(principal),
        Method::Bullet => (0..instalments).fold(principal, |balance, _| balance + share.of(balance)) - principal,
        Method::Reducing => {
            let run = |instalment: i128| {
                (0..instalments).fold((principal, 0), |(balance, paid): (i128, i128), _| {
                    let owed = balance + share.of(balance);
                    let payment = owed.min(instalment);
                    (owed - payment, paid + payment)
                })
            };
            let least = (1..).find(|instalment| run(*instalment).0 == 0).expect("some amount repays");
            run(least).1 - principal
        }
    }
}
