//! What is kept of a decision, sealed: the decision itself, and where a person decides also what would be offered, how
//! it came about, and the statement. Knows nothing of who looks at it.

use std::collections::BTreeSet;
use std::io::Read;

use serde::{Deserialize, Serialize};

use super::private::{Vault, record_context};
use crate::engine::decision::approval::IfApproved;
use crate::engine::decision::{Decision, Explanation, Record, RequirementExplained};

/// A decision as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DecisionRecord {
    /// The decision.
    pub(crate) decision: Decision,
    /// What a person needs to decide; only where the policy referred to one.
    pub(crate) case: Option<CaseRecord>,
}

/// What a person needs to decide.
#[derive(Clone, PartialEq)]
pub(crate) struct CaseRecord {
    /// The facts.
    pub(crate) facts: CaseFacts,
    /// The statement as the provider gave it: another amount is priced on it.
    pub(crate) statement: Vec<u8>,
}

impl std::fmt::Debug for CaseRecord {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("[personal]")
    }
}

/// The facts of a case.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CaseFacts {
    /// How the decision came about.
    pub(crate) explanation: Explanation,
    /// The offers that would be made.
    pub(crate) if_approved: IfApproved,
    /// The records of the statement that count.
    pub(crate) records: Vec<Record>,
}

impl CaseFacts {
    /// Whether a requirement is a reason of the decision. One that is not known may be none.
    pub(crate) fn is_reason(&self, requirement: &RequirementExplained) -> bool {
        self.explanation.decision.reasons.iter().any(|reason| reason.id == requirement.id)
    }

    /// The records behind the reasons, by their rows.
    pub(crate) fn list_flagged_rows(&self) -> BTreeSet<usize> {
        let reasons = self.explanation.requirements.iter().filter(|requirement| self.is_reason(requirement));
        reasons.flat_map(|requirement| requirement.rows.iter().copied()).collect()
    }
}

/// The first bytes of a case, which is compressed. A decision alone begins with a brace.
const COMPRESSED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The most bytes of a case.
const CASE_BYTES_MAX: u64 = 512 << 20;
const UNREADABLE: &str = "the record of the decision cannot be read";

impl DecisionRecord {
    /// The bytes to be sealed.
    ///
    /// # Errors
    /// If they cannot be written, which is a bug.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let Some(case) = &self.case else { return Ok(self.decision.to_line().into_bytes()) };
        let mut plain = serde_json::to_vec(&case.facts).map_err(|error| error.to_string())?;
        plain.push(b'\n');
        plain.extend_from_slice(&case.statement);
        zstd::encode_all(plain.as_slice(), 0).map_err(|error| error.to_string())
    }

    fn from_bytes(bytes: &[u8]) -> Option<DecisionRecord> {
        if !bytes.starts_with(&COMPRESSED) {
            return Some(DecisionRecord { decision: serde_json::from_slice(bytes).ok()?, case: None });
        }
        let mut plain = Vec::new();
        zstd::stream::read::Decoder::new(bytes).ok()?.take(CASE_BYTES_MAX).read_to_end(&mut plain).ok()?;
        // JSON on one line has no line break of its own.
        let end = plain.iter().position(|byte| *byte == b'\n')?;
        let statement = plain.split_off(end + 1);
        let facts: CaseFacts = serde_json::from_slice(plain.get(..end)?).ok()?;
        let decision = facts.explanation.decision.clone();
        Some(DecisionRecord { decision, case: Some(CaseRecord { facts, statement }) })
    }

    /// Opens the sealed record of an offer request.
    ///
    /// # Errors
    /// A key that is not known, or a record that was changed or moved. Nothing of its content.
    pub(crate) fn open(vault: &dyn Vault, reference: &str, sealed: &[u8]) -> Result<DecisionRecord, String> {
        let bytes = vault.open(&record_context(reference), sealed)?;
        DecisionRecord::from_bytes(&bytes).ok_or_else(|| UNREADABLE.to_owned())
    }
}
