//! Which labels make a flag true. The labels are those of `lendwright generate`, or the names of flags themselves.

use std::collections::HashSet;

use super::read::Labels;
use crate::engine::decision::{FlagColumn, Verdict};
use crate::rules::Type;

/// Which records a flag can be true of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelSide {
    Both,
    Credits,
    Debits,
}

/// The labels that make a flag true.
const LABELS: [(&str, LabelSide, &[&str]); 20] = [
    ("is_salary", LabelSide::Credits, &["salary"]),
    ("is_bonus", LabelSide::Credits, &["bonus"]),
    ("is_gig", LabelSide::Credits, &["gig"]),
    ("is_sale", LabelSide::Credits, &["business"]),
    ("is_gift", LabelSide::Credits, &["gift"]),
    ("is_cash_deposit", LabelSide::Credits, &["cash_deposit"]),
    ("is_loan_credit", LabelSide::Credits, &["loan_proceeds"]),
    ("is_betting_credit", LabelSide::Credits, &["betting_win"]),
    ("is_reversal", LabelSide::Credits, &["reversal"]),
    ("is_refund", LabelSide::Credits, &["refund"]),
    ("is_own_transfer", LabelSide::Credits, &["own_transfer"]),
    ("is_own", LabelSide::Both, &["own_transfer"]),
    ("is_betting", LabelSide::Both, &["betting_win", "betting_stake"]),
    ("is_loan_repayment", LabelSide::Debits, &["loan_repayment"]),
    ("is_betting_debit", LabelSide::Debits, &["betting_stake"]),
    ("is_bank_charges", LabelSide::Debits, &["charge"]),
    ("is_airtime", LabelSide::Debits, &["airtime"]),
    ("is_utilities", LabelSide::Debits, &["utilities"]),
    ("is_rent", LabelSide::Debits, &["rent_paid"]),
    ("is_education", LabelSide::Debits, &["school_fees"]),
];

/// Flags of channels: one record may have several beside its kind, so a label that names one of them says nothing of
/// the others.
const CHANNELS: [&str; 7] =
    ["is_atm", "is_pos", "is_web", "is_ussd", "is_transfer_out", "is_international", "is_savings"];

/// The flag of everything that came in for good, and the labels that are not that.
const INCOME: &str = "is_income";
const NO_INCOME: [&str; 5] = ["loan_proceeds", "betting_win", "reversal", "refund", "own_transfer"];

/// Why a truth cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write it as FLAG=LABEL, or FLAG=LABEL,LABEL")]
pub struct TruthError;

/// When a flag is true, by label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// The flag.
    pub flag: String,
    /// The flag's place among those of the verdicts.
    pub(super) column: usize,
    side: LabelSide,
    labels: Vec<String>,
    /// Every label but these makes it true.
    is_except: bool,
}

impl Truth {
    /// Parses `FLAG=LABEL,LABEL`.
    ///
    /// # Errors
    /// If it is written in another way.
    pub fn parse(text: &str) -> Result<Truth, TruthError> {
        let (flag, labels) = text.split_once('=').ok_or(TruthError)?;
        let labels: Vec<String> = labels.split(',').map(|label| label.trim().to_owned()).collect();
        if flag.trim().is_empty() || labels.iter().any(String::is_empty) {
            return Err(TruthError);
        }
        Ok(Truth { flag: flag.trim().to_owned(), column: 0, side: LabelSide::Both, labels, is_except: false })
    }

    /// The truths of these flags: those given, those of the generator's labels, and labels with the flag's own name.
    /// A flag without a truth is not scored, nor is one of a channel unless its truth is given.
    pub fn of_flags(flags: &[FlagColumn], labels: &Labels, given: &[Truth]) -> Vec<Truth> {
        let seen: HashSet<&str> = labels.all().collect();
        let truth = |(column, flag): (usize, &FlagColumn)| match given.iter().find(|truth| truth.flag == flag.name) {
            _ if flag.ty != Type::BOOLEAN => None,
            Some(given) => Some(Truth { column, ..given.clone() }),
            None => Truth::known(&flag.name, column, &seen),
        };
        flags.iter().enumerate().filter_map(truth).collect()
    }

    fn known(flag: &str, column: usize, seen: &HashSet<&str>) -> Option<Truth> {
        let make = |side, labels, is_except| Truth { flag: flag.to_owned(), column, side, labels, is_except };
        if CHANNELS.contains(&flag) {
            return None;
        }
        if flag == INCOME {
            return Some(make(LabelSide::Credits, NO_INCOME.map(str::to_owned).to_vec(), true));
        }
        let known = LABELS.iter().find(|(name, ..)| *name == flag);
        let side = known.map_or(LabelSide::Both, |(_, side, _)| *side);
        let mut labels: Vec<&str> = known.map_or_else(Vec::new, |(.., labels)| labels.to_vec());
        let own = [flag, flag.strip_prefix("is_").unwrap_or(flag)];
        labels.extend(own.into_iter().filter(|name| seen.contains(name)));
        labels.sort_unstable();
        labels.dedup();
        let labels: Vec<String> = labels.into_iter().map(str::to_owned).collect();
        (!labels.is_empty()).then(|| make(side, labels, false))
    }

    /// Whether a labelled record has the flag in truth.
    pub fn holds(&self, record: &Verdict, label: &str) -> bool {
        let came_in = record.credit.is_some_and(|credit| credit > 0);
        let on_side = match self.side {
            LabelSide::Both => true,
            LabelSide::Credits => came_in,
            LabelSide::Debits => !came_in,
        };
        on_side && self.labels.iter().any(|own| own == label) != self.is_except
    }

    /// The labels that make it true, in words.
    pub fn labels(&self) -> String {
        let labels = self.labels.join(", ");
        if self.is_except { format!("all but {labels}") } else { labels }
    }
}

#[cfg(test)]
mod tests {
    use super::{CHANNELS, INCOME, LABELS};

    #[test]
    fn the_shipped_rules_have_every_flag() {
        let rules = include_str!("../../../rules/metrics.toml");
        let labelled = LABELS.iter().map(|(flag, ..)| *flag);
        for flag in labelled.chain(CHANNELS).chain([INCOME]) {
            assert!(rules.contains(&format!("\n{flag} = ")), "{flag}");
        }
    }
}
