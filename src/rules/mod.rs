//! The rule language. Rule files become a checked program, which knows data only by the names of its columns.
//! Must not know statements, files or clocks.

pub(crate) mod allowed;
pub(crate) mod canonical;
mod check;
mod compile;
pub(crate) mod corrections;
pub(crate) mod given_metrics;
mod grain;
pub(crate) mod graph;
pub(crate) mod key_list;
pub(crate) mod names;
pub(crate) mod node_keys;
pub(crate) mod parameter_variant;
pub(crate) mod policy;
pub(crate) mod program;
pub(crate) mod references;
mod syntax;
mod types;
mod value;

#[doc(hidden)]
pub use self::check::functions::function_names::{AGGREGATES, FUNCTIONS};
pub(crate) use self::check::symbols::built_in::built_in_name;
#[doc(hidden)]
pub use self::check::symbols::built_in::taken_names;
pub use self::compile::compile;
pub(crate) use self::compile::{
    Inspected, compile_shared, inspect_rule_file, inspect_shared, is_for_use, with_parameters,
};
pub use self::policy::policies::{Policies, PolicySet, VersionError};
pub use self::policy::split::{Arm, Split};
pub use self::policy::{
    AprRate, Challenger, DateConflictRule, EmptyAmountRule, Header, NegativeAmountRule, Policy, RecordDayRule,
};
pub use self::program::Effect;
pub use self::program::inputs::{EntryField, Input, InputSource, Parameter, ParameterValue};
pub(crate) use self::program::{axis, grid, index, property};
pub(crate) use self::syntax::ast::{Binary, Expr, ExprKind, Like, Unary};
pub(crate) use self::syntax::corrections::CORRECTION_KEYS;
pub(crate) use self::syntax::csv::read_csv_lines as csv_lines;
pub(crate) use self::syntax::file::{DefinitionSection, RuleFile, read_rule_file as read_file, rule_file_sections};
pub(crate) use self::syntax::identifier::is_name;
pub(crate) use self::syntax::judgement::{DecisionTable, TableRowsSource};
pub(crate) use self::syntax::parse::row_condition;
pub(crate) use self::syntax::source::Text;
pub(crate) use self::syntax::toml_reader::toml_mistakes;
pub use self::syntax::uses::UsedFile;
pub(crate) use self::types::type_of_unit_word;
pub use self::types::{Repr, Type, Unit};
pub use self::value::Value;
