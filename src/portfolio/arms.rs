//! What a live comparison of two policies says: customers were split between a champion and a challenger, and each arm
//! has offers and outcomes. Whether the arms differ, and how small a difference their sizes can show.

use serde::Serialize;
use serde_json::Value;

use crate::statement::customer_of;

use super::outcomes::{ColumnTable, Outcomes};
use super::statistics::special::{fisher_exact, normal_quantile};
use super::statistics::{Level, Proportion, StatisticsError, intervals::difference_of_rates};

/// The columns that are read of decisions.
pub const DECISION_COLUMNS: [&str; 3] = ["customer", "arm", "outcome"];

/// The chance of finding a difference that is there, by which sizes are planned.
const POWER: f64 = 0.8;

/// Why the arms cannot be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArmsError {
    /// A column is missing.
    #[error("the column `{0}` is missing; decisions have customer, arm and outcome, as `batch` writes them")]
    Column(&'static str),
    /// A value of a row.
    #[error("row {row}: {what}")]
    Row {
        /// The row, from 1.
        row: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// Somebody is in both arms.
    #[error(
        "row {0}: its customer has an earlier row in the other arm; a customer who saw both policies belongs to neither"
    )]
    BothArms(usize),
    /// An arm without customers.
    #[error("no customer is in the arm `{0}`; is the policy split, with `challenger` in [policy]?")]
    Empty(&'static str),
    /// A number.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
}

/// A rate of both arms, and whether they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ComparedRate {
    /// Of the champion: how many, and of how many.
    pub champion: (u64, u64),
    /// Of the challenger.
    pub challenger: (u64, u64),
    /// The challenger's rate less the champion's, with Newcombe's interval at 95%; `None` if an arm is empty.
    pub difference: Option<(f64, f64, f64)>,
    /// The p value of Fisher's exact test.
    pub p: Option<f64>,
    /// The smallest difference that arms of these sizes show four times in five, at 5%.
    pub smallest_shown: Option<f64>,
}

/// Both arms.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ArmsSummary {
    /// Customers of the champion and of the challenger.
    pub customers: (u64, u64),
    /// The share of the challenger that was meant, and the p value of the one seen. A small one says that the split
    /// went wrong, and then nothing else here can be trusted.
    pub split: Option<(f64, f64)>,
    /// Offers among customers.
    pub offers: ComparedRate,
    /// Bad loans among offers with an outcome.
    pub bad: ComparedRate,
    /// How many offers with an outcome each arm needs to show a difference in bad rates, four times in five at 5%: the
    /// difference, and the size.
    pub needed: Option<(f64, u64)>,
}

/// Compares the arms. `share` is the meant share of the challenger, `detect` a difference in bad rates to plan for.
///
/// # Errors
/// If a column or a value is missing, somebody is in both arms, or an arm is empty.
pub fn compare_arms(
    decisions: &ColumnTable,
    outcomes: Option<&Outcomes>,
    share: Option<f64>,
    detect: Option<f64>,
) -> Result<ArmsSummary, ArmsError> {
    let rows = read_decisions(decisions)?;
    let count = |arm: bool, counts: &dyn Fn(&Decided) -> bool| {
        rows.values().filter(|row| row.is_challenger == arm && counts(row)).count() as u64
    };
    let customers = (count(false, &|_| true), count(true, &|_| true));
    for (size, name) in [(customers.0, "champion"), (customers.1, "challenger")] {
        if size == 0 {
            return Err(ArmsError::Empty(name));
        }
    }
    let known = |row: &Decided| outcomes?.by_customer.get(&row.customer);
    let bad_of = |row: &Decided| known(row).filter(|_| row.is_offered).map(|outcome| outcome.bad);
    let both = |counts: &dyn Fn(&Decided) -> bool| (count(false, counts), count(true, counts));
    let offers = both(&|row| row.is_offered);
    let (loans, bad) = (both(&|row| bad_of(row).is_some()), both(&|row| bad_of(row) == Some(true)));
    let bad = compare_rates(Proportion::new(bad.0, loans.0)?, Proportion::new(bad.1, loans.1)?);
    let rate = bad.champion.0 as f64 / bad.champion.1.max(1) as f64;
    Ok(ArmsSummary {
        customers,
        split: share.map(|share| (share, split_p(customers.0, customers.1, share))),
        offers: compare_rates(Proportion::new(offers.0, customers.0)?, Proportion::new(offers.1, customers.1)?),
        bad,
        needed: detect
            .filter(|detect| bad.champion.1 > 0 && rate + detect < 1.0)
            .map(|detect| (detect, needed_size(rate, detect))),
    })
}

/// One customer's decision.
struct Decided {
    customer: String,
    is_challenger: bool,
    is_offered: bool,
}

/// The latest row of each customer.
fn read_decisions(table: &ColumnTable) -> Result<std::collections::BTreeMap<String, Decided>, ArmsError> {
    let column = |name: &'static str| {
        table.iter().find(|(known, _)| known == name).map(|(_, values)| values).ok_or(ArmsError::Column(name))
    };
    let (customers, arms, outcomes) = (column("customer")?, column("arm")?, column("outcome")?);
    let mut found = std::collections::BTreeMap::new();
    for row in 0..customers.len() {
        let text =
            |values: &[Value]| values[row].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let wrong = |what| ArmsError::Row { row: row + 1, what };
        // Whoever no policy was split for belongs to no arm.
        let Some(arm) = text(arms) else { continue };
        let is_challenger = match arm.as_str() {
            "champion" => false,
            "challenger" => true,
            _ => return Err(wrong("`arm` is neither `champion` nor `challenger`")),
        };
        let customer = customer_of(&customers[row]).map_err(wrong)?;
        let is_offered = match text(outcomes).as_deref() {
            Some("offer") => true,
            Some("refer" | "decline") => false,
            _ => return Err(wrong("`outcome` is not `offer`, `refer` or `decline`")),
        };
        let decided = Decided { customer: customer.clone(), is_challenger, is_offered };
        let before: Option<Decided> = found.insert(customer, decided);
        if before.is_some_and(|before| before.is_challenger != is_challenger) {
            return Err(ArmsError::BothArms(row + 1));
        }
    }
    Ok(found)
}

fn compare_rates(champion: Proportion, challenger: Proportion) -> ComparedRate {
    let difference = difference_of_rates(challenger, champion, Level::NINETY_FIVE);
    let has_both = champion.n() > 0 && challenger.n() > 0;
    ComparedRate {
        champion: (champion.hits(), champion.n()),
        challenger: (challenger.hits(), challenger.n()),
        difference: difference.map(|found| (found.difference, found.interval.low, found.interval.high)),
        p: has_both.then(|| fisher_exact(challenger.hits(), challenger.n(), champion.hits(), champion.n())),
        smallest_shown: has_both.then(|| smallest_shown(champion, challenger)).flatten(),
    }
}

/// The smallest difference that two samples show:
///
/// ```text
/// (z(1 - 0.05/2) + z(0.8)) × √(p (1 - p) (1/n1 + 1/n2)), p the rate of both together
/// ```
///
/// Fleiss, Levin & Paik 2003, "Statistical Methods for Rates and Proportions", chapter 4, without continuity
/// correction.
///
/// `None` where both are nothing or all, of which the formula says nothing, or where no difference is large enough.
fn smallest_shown(champion: Proportion, challenger: Proportion) -> Option<f64> {
    let (n1, n2) = (champion.n() as f64, challenger.n() as f64);
    let rate = (champion.hits() + challenger.hits()) as f64 / (n1 + n2);
    let error = (rate * (1.0 - rate) * (1.0 / n1 + 1.0 / n2)).sqrt();
    Some((Level::NINETY_FIVE.z() + normal_quantile(POWER)) * error).filter(|least| *least > 0.0 && *least < 1.0)
}

/// The size of each of two equal samples that shows a difference from a rate:
///
/// ```text
/// n = (z(1 - 0.05/2) √(2 p (1 - p)) + z(0.8) √(p1 (1 - p1) + p2 (1 - p2)))² / (p2 - p1)², p = (p1 + p2) / 2
/// ```
///
/// Fleiss, Levin & Paik 2003, chapter 4, without continuity correction.
fn needed_size(rate: f64, detect: f64) -> u64 {
    let other = rate + detect;
    let (mean, gap) = ((rate + other) / 2.0, other - rate);
    let spread = |rate: f64| rate * (1.0 - rate);
    let null = Level::NINETY_FIVE.z() * (2.0 * spread(mean)).sqrt();
    let alternative = normal_quantile(POWER) * (spread(rate) + spread(other)).sqrt();
    ((null + alternative).powi(2) / (gap * gap)).ceil() as u64
}

/// The two-sided p value of a split, by the normal approximation of the binomial.
fn split_p(champion: u64, challenger: u64, share: f64) -> f64 {
    let all = (champion + challenger) as f64;
    let deviation = (all * share * (1.0 - share)).sqrt();
    let excess = challenger as f64 - all * share;
    match deviation > 0.0 {
        true => super::statistics::special::two_sided_p(excess / deviation),
        false => f64::from(u8::from(excess == 0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, &str, &str)]) -> ColumnTable {
        let column = |value: &dyn Fn(&(&str, &str, &str)) -> Value| rows.iter().map(value).collect::<Vec<_>>();
        vec![
            ("customer".to_owned(), column(&|row| row.0.into())),
            ("arm".to_owned(), column(&|row| row.1.into())),
            ("outcome".to_owned(), column(&|row| row.2.into())),
        ]
    }

    #[test]
    fn arms_are_compared_by_hand() {
        // 30 of 100 and 45 of 100: R's fisher.test gives p = 0.04057.
        let found = compare_rates(Proportion::new(30, 100).expect("a rate"), Proportion::new(45, 100).expect("a rate"));
        assert!((found.p.expect("a p value") - 0.040_57).abs() < 5e-5, "{found:?}");
        let (difference, low, high) = found.difference.expect("a difference");
        assert!((difference - 0.15).abs() < 1e-12 && low > 0.0 && high < 0.3);
        // 2.8016 × √(0.375 × 0.625 × 0.02)
        assert!((found.smallest_shown.expect("a size") - 0.191_81).abs() < 5e-5, "{found:?}");
        // R's power.prop.test(p1 = .1, p2 = .15, power = .8) gives n = 685.6.
        assert_eq!(needed_size(0.10, 0.05), 686);
        assert!((split_p(80, 20, 0.2) - 1.0).abs() < 1e-12);
        assert!(split_p(500, 600, 0.5) < 0.003);
    }

    #[test]
    fn decisions_are_read_by_arm_and_the_latest_counts() {
        let rows = [
            ("a", "champion", "offer"),
            ("b", "champion", "decline"),
            ("b", "champion", "offer"),
            ("c", "challenger", "refer"),
            ("d", "", "offer"),
        ];
        let found = compare_arms(&table(&rows), None, Some(0.5), None).expect("arms");
        assert_eq!((found.customers, found.offers.champion, found.offers.challenger), ((2, 1), (2, 2), (0, 1)));
        assert_eq!((found.bad.p, found.needed), (None, None));
        for (row, wrong) in [
            (("a", "challenger", "offer"), "row 5: its customer has an earlier row in the other arm"),
            (("e", "control", "offer"), "row 5: `arm` is neither"),
            (("e", "champion", "yes"), "row 5: `outcome` is not"),
            (("", "champion", "offer"), "row 5: "),
        ] {
            let mut rows = rows;
            rows[4] = row;
            let error = compare_arms(&table(&rows), None, None, None).expect_err(wrong).to_string();
            assert!(error.starts_with(wrong), "{error}");
        }
        let error = compare_arms(&table(&rows[..3]), None, None, None).expect_err("one arm");
        assert!(error.to_string().contains("no customer is in the arm `challenger`"), "{error}");
    }
}
