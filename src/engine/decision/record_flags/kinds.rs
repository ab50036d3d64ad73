//! Which flags give a record its kind, and in which order. The flags themselves, such as `is_salary`,
//! are the policy's; `rules/metrics.toml` has those that ship.

/// The flags that give a record its kind, the strongest first, with the word. Flags that a policy lacks are skipped.
///
/// First what is not income: given back, one's own, borrowed, won. Then pay and other income by its source. Then what
/// went out: obligations and charges, then purposes, then the channel. `is_income` is what remains of the credits.
pub const KINDS: [(&str, &str); 36] = [
    ("is_reversal", "reversal"),
    ("is_refund", "refund"),
    ("is_bounce_charge", "bounce_charge"),
    ("is_bounce", "bounce"),
    ("is_own_transfer", "own_transfer"),
    ("is_own", "own_transfer"),
    ("is_loan_credit", "loan"),
    ("is_loan_repayment", "repayment"),
    ("is_betting_credit", "betting"),
    ("is_betting_debit", "betting"),
    ("is_bonus", "bonus"),
    ("is_salary", "salary"),
    ("is_gig", "gig"),
    ("is_benefit", "benefit"),
    ("is_sale", "sale"),
    ("is_gift", "gift"),
    ("is_cash_deposit", "cash_deposit"),
    ("is_bank_charges", "charge"),
    ("is_airtime", "airtime"),
    ("is_utilities", "utilities"),
    ("is_rent", "rent"),
    ("is_insurance", "insurance"),
    ("is_education", "education"),
    ("is_health", "health"),
    ("is_groceries", "groceries"),
    ("is_transport", "transport"),
    ("is_entertainment", "entertainment"),
    ("is_travel", "travel"),
    ("is_savings", "savings"),
    ("is_international", "international"),
    ("is_atm", "atm"),
    ("is_pos", "pos"),
    ("is_web", "web"),
    ("is_ussd", "ussd"),
    ("is_transfer_out", "transfer_out"),
    ("is_income", "income"),
];

/// The kind of a record of which no flag of a kind holds.
pub(super) const OTHER: &str = "other";

/// The word of a flag that gives a kind.
pub(super) fn kind_word_of_flag(flag: &str) -> String {
    let known = KINDS.iter().find(|(name, _)| *name == flag).map(|(_, word)| (*word).to_owned());
    known.unwrap_or_else(|| flag.strip_prefix("is_").unwrap_or(flag).to_owned())
}

#[cfg(test)]
mod tests {
    use super::KINDS;

    #[test]
    fn the_shipped_rules_have_every_flag() {
        let rules = include_str!("../../../../rules/metrics.toml");
        for (flag, _) in KINDS {
            assert!(rules.contains(&format!("\n{flag} = ")), "{flag}");
        }
    }
}
