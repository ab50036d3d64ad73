//! Where values come from: the records of some statements, the groups that they make, and what was given beside them.

mod codes;
pub(super) mod columns;
mod corrected_records;
mod counterparties;
mod given_inputs;
mod grouping;
mod groups;
mod morsels;
mod names;
mod narration_dedup;
mod period;
mod policy_reading;
pub(super) mod records;
mod statement_slice;

pub(crate) use self::corrected_records::CorrectedRecords;
pub(crate) use self::given_inputs::GivenInputs;
pub(crate) use self::grouping::Grouping;
pub(crate) use self::groups::Groups;
pub(crate) use self::morsels::cut_into_morsels;
pub(crate) use self::period::CoveredPeriod;
pub use self::policy_reading::reading;
pub(crate) use self::statement_slice::StatementSlice;
