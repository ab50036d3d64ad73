//! How a policy reads and merges statements. Judges nothing.

use crate::base::narration::Parties;
use crate::rules::{DateConflictRule, EmptyAmountRule, NegativeAmountRule, PolicySet, RecordDayRule};
use crate::statement::{
    DateConflict, EmptyAmount, Merging, NegativeRule, Reading, RecordDay, RecordParties, Statements,
};

/// Merges statements into one per customer with [`Statements::merge_knowing`]. The policy's word lists find the
/// counterparty of a record; of several versions, the latest one's lists do.
///
/// # Errors
/// As [`Statements::merge_knowing`].
pub fn merge(
    policies: &dyn PolicySet,
    parts: &[Statements],
    merging: &Merging,
) -> Result<Statements, crate::statement::Error> {
    let normaliser = &policies.latest().program.normaliser;
    let named = |narration: Option<&str>, people: Option<&str>, is_credit| {
        let Parties { other, own } = normaliser.parties(narration, people, is_credit);
        RecordParties { other, own }
    };
    Statements::merge_knowing(parts, merging, &named)
}

/// How the policy reads statements; the same for all its versions.
///
/// ```
/// use lendwright::{load_policy, read_json, reading};
///
/// let policy = load_policy("rules/starter.toml", &[])?;
/// let statements = read_json(br#"{"data": {"transactions": []}}"#, "reference 17", &reading(&policy))?;
/// assert_eq!(statements.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reading(policies: &dyn PolicySet) -> Reading {
    let header = policies.latest().header();
    Reading {
        unit: header.statement_unit,
        date_conflict: match header.date_conflict {
            DateConflictRule::Error => DateConflict::Error,
            DateConflictRule::PreferIso => DateConflict::PreferIso,
            DateConflictRule::PreferUnformatted => DateConflict::PreferUnformatted,
        },
        record_day: match header.record_day {
            RecordDayRule::TransDate => RecordDay::TransDate,
            RecordDayRule::ClearedDate => RecordDay::ClearedDate,
        },
        negative: match header.negative_amount {
            NegativeAmountRule::Error => NegativeRule::Error,
            NegativeAmountRule::SwapSides => NegativeRule::SwapSides,
            NegativeAmountRule::SameSide => NegativeRule::SameSide,
        },
        empty_amount: match header.empty_amount {
            EmptyAmountRule::Error => EmptyAmount::Error,
            EmptyAmountRule::Drop => EmptyAmount::Drop,
        },
        ..Reading::new(header.currency, header.zone.clone())
    }
}
