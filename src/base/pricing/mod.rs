//! The price of a loan: interest, instalments and the amount payable, to the minor unit, by `flat`, `reducing` or
//! `bullet`.
//!
//! Each method is defined in `docs/reference/pricing.md`, whose examples are tests. Arithmetic is in checked integers.
//! A float is only ever the first guess of a search. Must not know currencies, offers or rules. A price knows no days:
//! the caller defines what an instalment period is, and a [`Tenure`] how long it is.

mod annual;
mod least;
mod rate;
mod schedule;
mod search;
mod tenure;

pub use annual::{AnnualCost, NoAnnualCost};
pub use rate::Rate;
pub use schedule::{Instalment, Schedule};
pub use tenure::{Tenure, TenureUnit};

use serde::{Deserialize, Serialize};

use rate::Fraction;

/// The most instalments a loan may have: fifty years of months.
pub const MAX_INSTALMENTS: u32 = 600;

/// How interest is computed and when it is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Interest on the whole principal for every period; equal instalments of the total.
    Flat,
    /// Interest on what is still owed; equal instalments (an annuity).
    Reducing,
    /// Interest is added to the balance each period; everything is repaid once, at the end.
    Bullet,
}

impl Method {
    /// The method of this name in a rule file.
    ///
    /// ```
    /// # use lendwright::base::pricing::Method;
    /// assert_eq!(Method::from_name("flat"), Some(Method::Flat));
    /// assert_eq!(Method::from_name("annuity"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Method> {
        match name {
            "flat" => Some(Method::Flat),
            "reducing" => Some(Method::Reducing),
            "bullet" => Some(Method::Bullet),
            _ => None,
        }
    }

    /// What a rule file calls it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Flat => "flat",
            Method::Reducing => "reducing",
            Method::Bullet => "bullet",
        }
    }
}

/// How the fee is paid (the interface does not show it: `docs/reference/assumptions.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FeeMode {
    /// The customer receives the whole principal and repays the fee on top.
    #[default]
    Added,
    /// The customer receives the principal less the fee; the amount payable excludes it.
    Deducted,
}

impl FeeMode {
    /// The mode of this name in a rule file.
    pub fn from_name(name: &str) -> Option<FeeMode> {
        match name {
            "added" => Some(FeeMode::Added),
            "deducted" => Some(FeeMode::Deducted),
            _ => None,
        }
    }

    /// What a rule file calls it.
    pub fn name(self) -> &'static str {
        match self {
            FeeMode::Added => "added",
            FeeMode::Deducted => "deducted",
        }
    }
}

/// Why a loan has no price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PricingError {
    /// The principal is zero or less.
    #[error("the principal must be above 0")]
    PrincipalNotPositive,
    /// Not between 1 and [`MAX_INSTALMENTS`].
    #[error("the number of instalments must be between 1 and {MAX_INSTALMENTS}")]
    InstalmentsOutOfRange,
    /// Not between 0 and 1000 percent a period, or not a number.
    #[error("the rate must be a number between 0 and 1000 percent per period")]
    RateOutOfRange,
    /// More than nine decimals: it could not be kept exactly.
    #[error("the rate has more than 9 decimals; round it first")]
    RateTooPrecise,
    /// A fee below zero.
    #[error("the fee must not be below 0")]
    FeeNegative,
    /// A deducted fee that leaves nothing to pay out.
    #[error("the fee deducted must be less than the principal")]
    FeeTakesAll,
    /// An amount does not fit in 64 bits of minor units.
    #[error("the amount is too large to be counted in minor units")]
    Overflow,
}

/// The terms of a loan: principal, rate, number of instalments, fee and method.
///
/// ```
/// use lendwright::base::pricing::{FeeMode, Method, Rate, Terms, price};
///
/// let price = price(&Terms {
///     principal_minor: 10_000_000, // 100,000 naira
///     rate: Rate::parse("5")?,     // percent per instalment period
///     instalments: 3,
///     fee_minor: 100_000,
///     fee_mode: FeeMode::Added,
///     method: Method::Reducing,
/// })?;
/// assert_eq!(price.instalment_minor(), 3_672_086);
/// assert_eq!(price.interest_minor(), 1_016_257);
/// assert_eq!(price.amount_payable_minor(), 11_116_257);
/// let last = price.schedule().last().expect("three instalments");
/// assert_eq!((last.payment_minor, last.balance_minor), (3_672_085, 0));
/// # Ok::<(), lendwright::base::pricing::PricingError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The amount lent.
    pub principal_minor: i64,
    /// Percent per instalment period.
    pub rate: Rate,
    /// The number of instalment periods; for `bullet`, the periods until everything is due.
    pub instalments: u32,
    /// The fee, zero or more.
    pub fee_minor: i64,
    /// How the fee is paid.
    pub fee_mode: FeeMode,
    /// How interest is computed.
    pub method: Method,
}

/// A loan with its price. Only [`price`] creates it, so its figures always agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    terms: Terms,
    interest_minor: i64,
    amount_payable_minor: i64,
    instalment_minor: i64,
}

impl Price {
    /// The terms that were priced.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The total interest.
    pub fn interest_minor(&self) -> i64 {
        self.interest_minor
    }

    /// Principal and interest, and the fee if it is added.
    pub fn amount_payable_minor(&self) -> i64 {
        self.amount_payable_minor
    }

    /// The first instalment, which is the largest: principal and interest, without the fee.
    pub fn instalment_minor(&self) -> i64 {
        self.instalment_minor
    }

    /// What the customer receives: the principal, less the fee if it is deducted.
    pub fn disbursed_minor(&self) -> i64 {
        match self.terms.fee_mode {
            FeeMode::Added => self.terms.principal_minor,
            FeeMode::Deducted => self.terms.principal_minor - self.terms.fee_minor,
        }
    }

    /// The instalments and their periods: principal and interest, without the fee.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self)
    }

    /// What the loan costs in a year if it lasts this long. An added fee is paid with the first payment.
    ///
    /// ```
    /// use lendwright::base::pricing::{FeeMode, Method, Rate, Tenure, TenureUnit, Terms, price};
    ///
    /// let terms = Terms {
    ///     principal_minor: 10_000_000, // 100,000 naira
    ///     rate: Rate::parse("4.5")?,
    ///     instalments: 1,
    ///     fee_minor: 100_000,
    ///     fee_mode: FeeMode::Added,
    ///     method: Method::Flat,
    /// };
    /// let cost = price(&terms)?.annual_cost(30, TenureUnit::Days)?;
    /// assert_eq!((cost.apr(), cost.effective()), (66.94, 91.82));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the loan has no such rate: see [`NoAnnualCost`].
    pub fn annual_cost(&self, length: u32, unit: TenureUnit) -> Result<AnnualCost, NoAnnualCost> {
        let tenure = self.tenure(length, unit);
        let mut fee = if self.terms.fee_mode == FeeMode::Added { self.terms.fee_minor.unsigned_abs() } else { 0 };
        let payment = |due: Instalment| annual::Payment {
            parts: tenure.moment(due.number).parts,
            amount_minor: due.payment_minor.unsigned_abs() + std::mem::take(&mut fee),
        };
        let payments: Vec<annual::Payment> = self.schedule().map(payment).collect();
        annual::annual_cost(self.disbursed_minor(), &payments, tenure.moment(1).per_month)
    }

    /// The tenure of this length with the price's instalment periods.
    pub fn tenure(&self, length: u32, unit: TenureUnit) -> Tenure {
        Tenure { length, unit, instalments: self.terms.instalments }
    }
}

/// Prices a loan.
pub fn price(terms: &Terms) -> Result<Price, PricingError> {
    check_terms(terms)?;
    let principal = u128::from(terms.principal_minor.unsigned_abs());
    let fraction = terms.rate.fraction();
    let periods = terms.instalments;
    let (interest, instalment) = match terms.method {
        Method::Flat => {
            let interest = fraction.repeated_share_of(principal, periods);
            (interest, (principal + interest).div_ceil(u128::from(periods)))
        }
        Method::Reducing => {
            let instalment = search::least_instalment(principal, fraction, periods);
            (search::annuity_interest(principal, fraction, periods, instalment), instalment)
        }
        Method::Bullet => {
            let total = search::compound_debt(principal, fraction, periods).ok_or(PricingError::Overflow)?;
            (total - principal, total)
        }
    };
    let total = to_minor(principal + interest)?;
    let added = if terms.fee_mode == FeeMode::Added { terms.fee_minor } else { 0 };
    Ok(Price {
        terms: *terms,
        interest_minor: to_minor(interest)?,
        amount_payable_minor: total.checked_add(added).ok_or(PricingError::Overflow)?,
        instalment_minor: to_minor(instalment)?,
    })
}

/// Whether [`price`] gives a price. Much cheaper, because it is worked out only for amounts near the greatest one.
///
/// ```
/// # use lendwright::base::pricing::{FeeMode, Method, Rate, Terms, has_price};
/// # let mut terms = Terms {
/// #     principal_minor: 10_000_000,
/// #     rate: Rate::parse("5")?,
/// #     instalments: 3,
/// #     fee_minor: 0,
/// #     fee_mode: FeeMode::Added,
/// #     method: Method::Flat,
/// # };
/// assert!(has_price(&terms));
/// terms.principal_minor = i64::MAX;
/// assert!(!has_price(&terms), "the interest does not fit");
/// # Ok::<(), lendwright::base::pricing::PricingError>(())
/// ```
pub fn has_price(terms: &Terms) -> bool {
    check_terms(terms).is_ok() && (is_far_from_overflow(terms) || price(terms).is_ok())
}

/// Whether everything fits although each period had interest on the whole principal, rounded up.
fn is_far_from_overflow(terms: &Terms) -> bool {
    let principal = u128::from(terms.principal_minor.unsigned_abs());
    let interest = u128::from(terms.instalments) * (terms.rate.fraction().share_of(principal) + 1);
    let fee = u128::from(terms.fee_minor.unsigned_abs());
    // The interest of a bullet loan compounds.
    terms.method != Method::Bullet && to_minor(principal + interest + fee).is_ok()
}

/// The errors that terms have without a price being worked out.
fn check_terms(terms: &Terms) -> Result<(), PricingError> {
    if terms.principal_minor <= 0 {
        return Err(PricingError::PrincipalNotPositive);
    }
    check_instalments(terms.instalments)?;
    if terms.fee_minor < 0 {
        return Err(PricingError::FeeNegative);
    }
    if terms.fee_mode == FeeMode::Deducted && terms.fee_minor >= terms.principal_minor {
        return Err(PricingError::FeeTakesAll);
    }
    Ok(())
}

/// The greatest principal whose largest instalment is at most `instalment_minor`: the exact inverse of [`price`]. Zero
/// if even one minor unit is too much. Fees do not matter, because they are not part of an instalment.
///
/// ```
/// # use lendwright::base::pricing::{Method, Rate, principal_for};
/// let rate = Rate::parse("5")?;
/// assert_eq!(principal_for(3_672_086, rate, 3, Method::Reducing)?, 10_000_001);
/// assert_eq!(principal_for(0, rate, 3, Method::Reducing)?, 0);
/// # Ok::<(), lendwright::base::pricing::PricingError>(())
/// ```
pub fn principal_for(instalment_minor: i64, rate: Rate, instalments: u32, method: Method) -> Result<i64, PricingError> {
    check_instalments(instalments)?;
    if instalment_minor <= 0 {
        return Ok(0);
    }
    let instalment = u128::from(instalment_minor.unsigned_abs());
    // The total repayment must fit an amount, or the principal found would have no price.
    to_minor(if method == Method::Bullet { instalment } else { instalment * u128::from(instalments) })?;
    to_minor(search::greatest_principal(instalment, rate.fraction(), instalments, method))
}

fn check_instalments(instalments: u32) -> Result<(), PricingError> {
    if (1..=MAX_INSTALMENTS).contains(&instalments) { Ok(()) } else { Err(PricingError::InstalmentsOutOfRange) }
}

fn to_minor(amount: u128) -> Result<i64, PricingError> {
    i64::try_from(amount).map_err(|_| PricingError::Overflow)
}
