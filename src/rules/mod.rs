//! Floor 1: the rule language. Rule files become a checked program; data is known only by the names of its columns.
//! Knows no statement, no file system and no clock.

mod built_in;
mod check;
mod compile;
mod constant;
mod definitions;
mod expression;
mod file;
pub(crate) mod header;
mod inputs;
pub(crate) mod ir;
mod judgement;
mod name_words;
mod parameters;
mod policies;
mod policy;
pub(crate) mod program;
mod roots;
pub(crate) mod schedule;
mod split;
mod tolerance;
pub(crate) mod turned;
mod words;
pub(crate) mod written;

pub use built_in::taken_names;
pub(crate) use check::is_name;
pub use compile::compile;
pub(crate) use compile::{Inspected, compile_shared, inspect, inspect_shared, is_for_use};
pub(crate) use expression::ast::Binary;
pub use expression::functions::{AGGREGATES, FUNCTIONS};
pub(crate) use expression::{names, said};
pub(crate) use file::toml_reader::toml_mistakes;
pub use file::uses::UsedFile;
pub(crate) use file::{Section, sections};
pub use ir::{Repr, Type, Unit};
pub(crate) use judgement::{axis, grid, index, property};
pub use policies::{Policies, PolicySet, VersionError};
pub use policy::{Challenger, DateConflictRule, EmptyAmountRule, Header, NegativeAmountRule, Policy, RecordDayRule};
pub use program::{Effect, Input, InputSource, Parameter, ParameterValue, Value};
pub use split::{Arm, Split};
