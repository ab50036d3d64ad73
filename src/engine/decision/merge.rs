//! How a policy merges statements. Judges nothing.

use crate::base::narration::Parties;
use crate::rules::PolicySet;
use crate::statement::{Merging, RecordParties, Statements};

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
