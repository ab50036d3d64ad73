//! A worked example, the best cut-off by trying all, and edges.

use super::*;

const ECONOMICS: Economics = Economics {
    loss_given_default: 0.5,
    income: Income::Margin(0.2),
    funding_rate: 0.1,
    cost_per_application: 10,
    cost_per_loan: 100,
};

fn loan(score: f64, bad: Option<bool>) -> Loan {
    Loan { score, amount: 10_000, years: 0.5, income: 0, predicted: Some(0.1), bad }
}

/// The page's example: good at 700, 650 and 550, bad at 600 and 500, unknown at 400.
fn example() -> Vec<Loan> {
    let rows =
        [(700.0, Some(false)), (650.0, Some(false)), (600.0, Some(true)), (550.0, Some(false)), (500.0, Some(true))];
    rows.iter().map(|(score, bad)| loan(*score, *bad)).chain([loan(400.0, None)]).collect()
}

#[test]
fn expected_loss_by_hand() {
    // docs/reference/statistics/expected-loss-profit.md
    assert_eq!(expected_loss(0.04, 0.6, 1_000_000), Ok(24_000));
    assert_eq!(expected_loss(0.5, 0.5, 2), Ok(1));
    assert!(expected_loss(1.1, 0.5, 2).is_err());
    assert!(expected_loss(0.1, f64::NAN, 2).is_err());
    assert!(expected_loss(0.1, 0.5, -2).is_err());
}

#[test]
fn profit_by_hand() {
    // docs/reference/statistics/expected-loss-profit.md
    assert_eq!(ECONOMICS.profit(&loan(0.0, None), false), 2_000 - 500 - 100);
    assert_eq!(ECONOMICS.profit(&loan(0.0, None), true), -5_000 - 500 - 100);
    let found = profit_curve(&example(), &ECONOMICS, 100).unwrap();
    assert_eq!((found.counted, found.without_outcome), (5, 1));
    let profits: Vec<_> = found.points.iter().map(|point| (point.score, point.profit)).collect();
    let expected =
        [(None, -50), (Some(700.0), 1_350), (Some(650.0), 2_750), (Some(600.0), -2_850), (Some(550.0), -1_450)];
    assert_eq!(profits[..5], expected);
    assert_eq!(profits[5], (Some(500.0), -7_050));
    let best = found.best;
    assert_eq!((best.score, best.approvals, best.approval_rate, best.bad_rate), (Some(650.0), 2, Some(0.4), Some(0.0)));
    let third = found.points[3];
    assert_eq!((third.bad, third.loss, third.expected_loss), (1, 5_000, Some(1_500)));
}

#[test]
fn income_can_be_that_of_the_loan() {
    let economics = Economics { income: Income::OfLoan, ..ECONOMICS };
    let one = Loan { income: 777, ..loan(1.0, Some(false)) };
    assert_eq!(economics.profit(&one, false), 777 - 500 - 100);
    // Half a minor unit is rounded away from zero: funding of 0.5 costs 1.
    let tiny = Loan { amount: 10, ..one };
    assert_eq!(economics.profit(&tiny, false), 777 - 1 - 100);
}

#[test]
fn the_best_cut_off_is_that_of_all() {
    let loans: Vec<_> = (0..300_u32)
        .map(|row| {
            let score = f64::from(row * 37 % 101);
            let known = row % 9 != 0;
            Loan { amount: i64::from(row) * 10, ..loan(score, known.then_some(row * 53 % 97 > 40 + row * 37 % 101)) }
        })
        .collect();
    let full = profit_curve(&loans, &ECONOMICS, 1_000).unwrap();
    for point in &full.points {
        let approved = loans.iter().filter(|loan| point.score.is_some_and(|score| loan.score >= score));
        let profit: i128 = approved.filter_map(|loan| loan.bad.map(|bad| ECONOMICS.profit(loan, bad))).sum();
        assert_eq!(point.profit, profit - 10 * i128::from(full.counted));
        assert!(point.profit <= full.best.profit);
    }
    for most in [3, 4, 10, 50] {
        let thin = profit_curve(&loans, &ECONOMICS, most).unwrap();
        assert_eq!((thin.points.len(), thin.best), (most, full.best));
        assert!(thin.points.contains(&full.best));
        assert_eq!((thin.points.first(), thin.points.last()), (full.points.first(), full.points.last()));
        assert!(thin.points.windows(2).all(|pair| pair[0].approvals < pair[1].approvals));
    }
}

#[test]
fn rounding_is_that_of_the_standard_library() {
    let halves = (-20..20).map(|half| f64::from(half) / 2.0);
    let large = [0.499_999_999_999_999_94, 4.5e15, 4.503_599_627_370_495_5e15, 9.1e19, -9.1e19];
    for amount in halves.chain(large) {
        assert_eq!(round_to_minor_unit(amount), amount.round() as i128, "{amount}");
    }
}

#[test]
fn edges() {
    let nothing = profit_curve(&[], &ECONOMICS, 3).unwrap();
    assert_eq!((nothing.points.len(), nothing.best.score, nothing.best.approval_rate), (1, None, None));
    let unknown = profit_curve(&[loan(1.0, None)], &ECONOMICS, 3).unwrap();
    assert_eq!((unknown.counted, unknown.without_outcome, unknown.best.profit), (0, 1, 0));
    let ties = profit_curve(&[loan(1.0, Some(true)), loan(1.0, Some(false))], &ECONOMICS, 3).unwrap();
    assert_eq!((ties.points.len(), ties.points[1].bad_rate), (2, Some(0.5)));
    let blind = profit_curve(&[Loan { predicted: None, ..loan(1.0, Some(true)) }], &ECONOMICS, 3).unwrap();
    assert_eq!((blind.points[0].expected_loss, blind.points[1].expected_loss), (Some(0), None));
    let largest = Loan { amount: 1 << 53, years: 100.0, ..loan(1.0, Some(true)) };
    let dear = Economics { funding_rate: 100.0, ..ECONOMICS };
    assert!(profit_curve(&[largest; 3], &dear, 3).unwrap().points[1].profit < -100_000_000_000_000_000_000);
}

#[test]
fn nonsense_is_refused() {
    let refused = |loan| profit_curve(&[loan], &ECONOMICS, 3).is_err();
    let sound = loan(1.0, Some(true));
    assert!(refused(Loan { score: f64::NAN, ..sound }));
    assert!(refused(Loan { amount: -1, ..sound }));
    assert!(refused(Loan { years: -1.0, ..sound }));
    assert!(refused(Loan { predicted: Some(2.0), ..sound }));
    assert!(profit_curve(&[], &ECONOMICS, 2).is_err());
    assert!(profit_curve(&[], &Economics { loss_given_default: 1.1, ..ECONOMICS }, 3).is_err());
    assert!(profit_curve(&[], &Economics { funding_rate: f64::NAN, ..ECONOMICS }, 3).is_err());
    assert!(profit_curve(&[], &Economics { income: Income::Margin(-0.1), ..ECONOMICS }, 3).is_err());
}
