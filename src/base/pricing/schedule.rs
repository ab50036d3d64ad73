//! The amortization schedule: the instalments of a loan, one after the other. Works from a finished price and cannot
//! fail.

use super::{Fraction, Method, Price};

/// One payment that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instalment {
    /// The period at whose end it is due, counted from 1.
    pub number: u32,
    /// The part of the payment that is interest.
    pub interest_minor: i64,
    /// The part that repays principal.
    pub principal_minor: i64,
    /// The whole payment.
    pub payment_minor: i64,
    /// The principal still owed afterwards.
    pub balance_minor: i64,
}

/// The instalments of a [`Price`], in order: one per period, or for [`Method::Bullet`] a single one at the end.
#[derive(Clone, Debug)]
pub struct Schedule {
    method: Method,
    fraction: Fraction,
    periods: u32,
    instalment: u128,
    interest: u128,
    total: u128,
    /// The number of the instalment that comes next.
    next: u32,
    balance: u128,
    paid: u128,
}

impl Schedule {
    pub(super) fn new(price: &Price) -> Schedule {
        let terms = price.terms();
        let principal = u128::from(terms.principal_minor.unsigned_abs());
        let interest = u128::from(price.interest_minor().unsigned_abs());
        Schedule {
            method: terms.method,
            fraction: terms.rate.fraction(),
            periods: terms.instalments,
            instalment: u128::from(price.instalment_minor().unsigned_abs()),
            interest,
            total: principal + interest,
            next: if terms.method == Method::Bullet { terms.instalments } else { 1 },
            balance: principal,
            paid: 0,
        }
    }

    /// The interest that is due once `paid` of the total has been paid: its share so far, rounded down.
    fn flat_interest(&self, paid: u128) -> u128 {
        self.interest * paid / self.total
    }
}

impl Iterator for Schedule {
    type Item = Instalment;

    fn next(&mut self) -> Option<Instalment> {
        if self.next > self.periods {
            return None;
        }
        let (interest, payment) = match self.method {
            Method::Flat => {
                let payment = self.instalment.min(self.total - self.paid);
                (self.flat_interest(self.paid + payment) - self.flat_interest(self.paid), payment)
            }
            Method::Reducing => {
                let interest = self.fraction.share_of(self.balance);
                (interest, self.instalment.min(self.balance + interest))
            }
            Method::Bullet => (self.interest, self.total),
        };
        let principal = payment - interest;
        self.paid += payment;
        self.balance -= principal;
        let due = Instalment {
            number: self.next,
            interest_minor: minor(interest),
            principal_minor: minor(principal),
            payment_minor: minor(payment),
            balance_minor: minor(self.balance),
        };
        self.next += 1;
        Some(due)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.periods + 1 - self.next) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Schedule {}

/// Every part of a schedule is at most the total of its price, which is an `i64`.
fn minor(amount: u128) -> i64 {
    i64::try_from(amount).expect("INVARIANT: a part is at most the total")
}
