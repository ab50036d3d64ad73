//! What a loan costs in a year: the rate at which its payments are worth what is paid out, as a nominal and an
//! effective rate, each rounded once and rightly (`docs/reference/pricing.md`).
//!
//! Floats give the starting point and never the result: a rate is compared to the two rounding boundaries around it
//! between integer bounds, which are narrowed until they decide.

mod bounded;

use std::cmp::Ordering;

use num_integer::Integer;

use bounded::{Bounded, Point};

use super::least::{find_least_holding, guess_power};

/// A time, as a fraction of a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub parts: u64,
    pub per_month: u64,
}

/// A payment by the customer, and when after the paying out, in parts of a month.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payment {
    pub parts: u64,
    pub amount_minor: u64,
}

/// What a loan costs in a year, in percent, rounded to two decimals and half up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnnualCost {
    apr_hundredths: i64,
    effective_hundredths: i64,
}

impl AnnualCost {
    /// Twelve times the monthly rate: the APR, in percent.
    pub fn apr(&self) -> f64 {
        percent(self.apr_hundredths)
    }

    /// The monthly rate over twelve months with interest on interest: the effective rate, in percent.
    pub fn effective(&self) -> f64 {
        percent(self.effective_hundredths)
    }
}

/// Hundredths are below 10^15 and their decimal is the shortest text of the nearest double.
fn percent(hundredths: i64) -> f64 {
    hundredths as f64 / 100.0
}

/// Why a loan has no annual rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoAnnualCost {
    /// Nothing is paid out, so that there is nothing that payments could be compared to.
    #[error("nothing is paid out")]
    NothingPaidOut,
    /// A payment is due at once, so that nothing is lent until then.
    #[error("a payment is due at once")]
    DueAtOnce,
    /// Less is paid back than paid out.
    #[error("less is paid back than paid out")]
    PaidBackLess,
    /// The effective rate is 10 million million percent or more.
    #[error("the effective rate is above 10,000,000,000,000 percent")]
    TooHigh,
}

/// Effective rates are below this: doubles hold all hundredths of it.
const HUNDREDTHS_MAX: u64 = 1_000_000_000_000_000;

/// The annual cost of a loan of `paid_out` minor units that is repaid by `payments`, in order of time. Their times are
/// in parts of a month, `per_month` of them.
pub(super) fn annual_cost(paid_out: i64, payments: &[Payment], per_month: u64) -> Result<AnnualCost, NoAnnualCost> {
    let paid_out = u64::try_from(paid_out).ok().filter(|paid| *paid > 0).ok_or(NoAnnualCost::NothingPaidOut)?;
    let payments: Vec<Payment> = payments.iter().filter(|payment| payment.amount_minor > 0).copied().collect();
    let sum: u128 = payments.iter().map(|payment| u128::from(payment.amount_minor)).sum();
    if payments.iter().any(|payment| payment.parts == 0) {
        return Err(NoAnnualCost::DueAtOnce);
    }
    if sum < u128::from(paid_out) {
        return Err(NoAnnualCost::PaidBackLess);
    }
    if sum == u128::from(paid_out) {
        return Ok(AnnualCost { apr_hundredths: 0, effective_hundredths: 0 });
    }
    let loan = Loan::new(paid_out, payments, per_month);
    let coarse = Bracket::<2>::new(&loan).and_then(|mut bracket| bracket.cost(&loan));
    // 128 bits decide unless the rate is at a boundary to about 30 digits. A boundary that 512 bits cannot tell from
    // the rate is the rate, which is rounded up.
    let fine = || Bracket::<8>::new(&loan)?.settling_ties().cost(&loan);
    coarse.or_else(fine).unwrap_or(Err(NoAnnualCost::TooHigh))
}

/// A loan with payments above what is paid out.
struct Loan {
    paid_out: u64,
    /// In order of time, which is counted in steps.
    payments: Vec<Payment>,
    /// Parts of a month in a step.
    step: u64,
    /// Parts in a month.
    per_month: u64,
}

impl Loan {
    fn new(paid_out: u64, mut payments: Vec<Payment>, per_month: u64) -> Loan {
        // The longest step keeps the powers small: payments every 30 days have the powers 1, 2, 3.
        let step = payments.iter().fold(0_u64, |step, payment| step.gcd(&payment.parts)).max(1);
        payments.iter_mut().for_each(|payment| payment.parts /= step);
        Loan { paid_out, payments, step, per_month }
    }

    /// Approximately the discount of one step at which the payments are worth what is paid out.
    fn guess(&self) -> f64 {
        const TRIALS_MAX: usize = 100;
        let mut discount = 1.0;
        // The worth grows ever faster with the discount, so that Newton's steps from 1 never go beyond the solution.
        for _ in 0..TRIALS_MAX {
            let (mut worth, mut slope) = (0.0, 0.0);
            for payment in &self.payments {
                let value = payment.amount_minor as f64 * guess_power(discount, payment.parts as f64);
                worth += value;
                slope += value * payment.parts as f64 / discount;
            }
            let next = discount - (worth - self.paid_out as f64) / slope;
            if !(next > 0.0 && next < discount) {
                break;
            }
            discount = next;
        }
        discount
    }

    /// What the payments are worth when paid out, at this discount of one step.
    fn worth<const N: usize>(&self, discount: Bounded<N>) -> Option<Bounded<N>> {
        let (mut later, mut worth): (u64, Option<Bounded<N>>) = (0, None);
        // Most payments are equally far apart.
        let (mut gap, mut over_gap) = (1, discount);
        let mut discounted = |worth: Bounded<N>, steps: u64| {
            if steps != gap {
                (gap, over_gap) = (steps, discount.power(steps));
            }
            worth.times(&over_gap)
        };
        for payment in self.payments.iter().rev() {
            let amount = Bounded::exactly(Point::whole(payment.amount_minor));
            worth = Some(match worth {
                Some(worth) => discounted(worth, later - payment.parts).plus(&amount),
                None => amount,
            });
            later = payment.parts;
        }
        Some(discounted(worth?, later))
    }
}

/// The two rates that are stated.
#[derive(Clone, Copy)]
enum Stated {
    Apr,
    Effective,
}

impl Stated {
    /// Half a hundredth of a percent of the rate is one part of this many, for the growth that it compounds.
    fn parts(self) -> u64 {
        match self {
            // One part of 20,000 a year is one of 240,000 a month.
            Stated::Apr => 240_000,
            Stated::Effective => 20_000,
        }
    }

    /// The months after which the rate compounds.
    fn months(self) -> u64 {
        match self {
            Stated::Apr => 1,
            Stated::Effective => 12,
        }
    }
}

/// Two discounts of one step, of which the solution is between.
struct Bracket<const N: usize> {
    low: Point<N>,
    high: Point<N>,
    /// Whether a boundary that cannot be told from the rate is the rate.
    settles_ties: bool,
}

impl<const N: usize> Bracket<N> {
    fn new(loan: &Loan) -> Option<Bracket<N>> {
        const TRIALS_MAX: usize = 200;
        const NEAR_BITS: u32 = 40;
        let guess = Point::from_f64(loan.guess())?;
        let widths = || (0..TRIALS_MAX).map(|trial| (NEAR_BITS >> trial.min(31)).max(1));
        // At a discount of 1 the payments are worth their sum, which is above what is paid out.
        let (one, mut high, mut low) = (Point::whole(1), guess, guess);
        for bits in widths() {
            high = high.scaled((1 << bits) + 1, bits.into()).min(one);
            if high == one || side(loan, high) == Some(Ordering::Greater) {
                break;
            }
        }
        for bits in widths() {
            low = low.scaled((1 << bits) - 1, bits.into());
            if side(loan, low) == Some(Ordering::Less) {
                return Some(Bracket { low, high, settles_ties: false });
            }
        }
        None
    }

    fn settling_ties(mut self) -> Bracket<N> {
        self.settles_ties = true;
        self
    }

    /// Both rates; `None` if this precision does not decide.
    fn cost(&mut self, loan: &Loan) -> Option<Result<AnnualCost, NoAnnualCost>> {
        if self.is_at_least(loan, Stated::Effective, HUNDREDTHS_MAX)? {
            return Some(Err(NoAnnualCost::TooHigh));
        }
        let apr_hundredths = self.hundredths(loan, Stated::Apr)?;
        let effective_hundredths = self.hundredths(loan, Stated::Effective)?;
        Some(Ok(AnnualCost { apr_hundredths, effective_hundredths }))
    }

    /// The rate in hundredths of a percent: the greatest number whose lower boundary it reaches.
    fn hundredths(&mut self, loan: &Loan, stated: Stated) -> Option<i64> {
        let months = stated.months() as f64 * loan.per_month as f64 / loan.step as f64;
        let guess = (guess_power(loan.guess(), -months) - 1.0) * stated.parts() as f64 / 2.0;
        let mut is_decided = true;
        let hundredths = find_least_holding(0, HUNDREDTHS_MAX.into(), guess.round() as u128, |hundredths| {
            let next = u64::try_from(hundredths + 1).unwrap_or(u64::MAX);
            let reached = self.is_at_least(loan, stated, next);
            is_decided &= reached.is_some();
            reached == Some(false)
        });
        if is_decided { i64::try_from(hundredths).ok() } else { None }
    }

    /// Whether the rate is at least `hundredths` less a half, which is rounded to `hundredths`.
    fn is_at_least(&mut self, loan: &Loan, stated: Stated, hundredths: u64) -> Option<bool> {
        // 1 + rate = 1 / discount ^ (months in steps): both sides to the power that makes the exponents whole.
        let parts = stated.months() * loan.per_month;
        let common = parts.gcd(&loan.step);
        let power = |number: u64| Bounded::exactly(Point::whole(number)).power(loan.step / common);
        let (boundary, base) = (power(stated.parts() + 2 * hundredths - 1), power(stated.parts()));
        loop {
            let discount = Bounded { low: self.low, high: self.high }.power(parts / common);
            match discount.times(&boundary).compared_to(&base) {
                Some(order) => return Some(order.is_le()),
                None if !self.halve(loan) => return self.settles_ties.then_some(true),
                None => {}
            }
        }
    }

    /// Halves the bracket, if it can be told in which half the solution is.
    fn halve(&mut self, loan: &Loan) -> bool {
        let middle = self.low.middle(&self.high);
        if middle <= self.low || middle >= self.high {
            return false;
        }
        match side(loan, middle) {
            Some(Ordering::Less) => self.low = middle,
            Some(Ordering::Greater) => self.high = middle,
            _ => return false,
        }
        true
    }
}

/// How what the payments are worth at this discount compares to what is paid out.
fn side<const N: usize>(loan: &Loan, discount: Point<N>) -> Option<Ordering> {
    loan.worth(Bounded::exactly(discount))?.compared_to(&Bounded::exactly(Point::whole(loan.paid_out)))
}
