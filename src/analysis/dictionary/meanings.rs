//! The reason for an unknown as its code and its meaning. Must not know which value has which reason.

use crate::analysis::dictionary::Unknown;
use crate::metrics::Reason;
use crate::rules::program::Program;

/// `program` knows the names in the reason.
pub(in crate::analysis) fn describe(program: &Program, reason: Reason) -> Unknown {
    Unknown { code: reason.code(program), because: reason.meaning(program) }
}
