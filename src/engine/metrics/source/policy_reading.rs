//! How a policy reads statements. Computes no metric.

use crate::rules::{DateConflictRule, EmptyAmountRule, NegativeAmountRule, PolicySet, RecordDayRule};
use crate::statement::{DateConflict, EmptyAmount, NegativeRule, Reading, RecordDay};

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
