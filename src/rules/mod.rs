//! Floor 1: the rule language. Rule files become a checked program; data is known only by the names of its columns.
//! Knows no statement, no file system and no clock.

mod ast;
mod cell;
mod check;
mod compile;
mod csv;
mod file;
mod front;
mod functions;
mod header;
mod index;
mod inputs;
pub(crate) mod ir;
mod judgement;
pub(crate) mod names;
mod offer;
mod overlap;
mod parameters;
mod parse;
mod policies;
mod policy;
pub(crate) mod program;
mod requirement;
mod roots;
mod score;
mod source;
mod split;
mod table;
mod template;
mod toml_reader;
mod typing;
mod uses;
mod words;

pub(crate) use ast::Binary;
pub use compile::compile;
pub(crate) use compile::{Inspected, compile_shared, inspect, inspect_shared};
pub use functions::{AGGREGATES, FUNCTIONS};
pub use ir::{Repr, Type, Unit};
pub use policies::{Policies, PolicySet, VersionError};
pub use policy::{Challenger, DateConflictRule, EmptyAmountRule, Header, NegativeAmountRule, Policy};
pub use program::{Effect, Input, InputSource, Parameter, ParameterValue, Value};
pub use split::{Arm, Split};
pub(crate) use toml_reader::toml_mistakes;
pub use uses::UsedFile;
