//! What the checker keeps about names and expressions: symbols, types and contexts. Checks nothing itself.

use crate::rules::graph::{Fact, Grain, Group, GroupColumn, NodeId, TransactionColumn};
use crate::rules::types::Type;
use crate::rules::value::Value;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(in crate::rules) enum Symbol {
    Column(TransactionColumn, Type),
    GroupColumn(Group, GroupColumn, Type),
    Fact(Fact, Type),
    Definition(usize),
    /// An input given with the statement.
    Input(usize),
    /// A list of entries given with the statement, and the field of its entries; without one, their number.
    Entry(usize, Option<usize>),
    /// The score or a table's output, not checked yet.
    Later(Later),
    /// A known node: outputs of tables, the score, an offer's own names.
    Node(NodeId),
}

/// A name that is declared before it is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::rules) enum Later {
    Score,
    /// The table's index in the order of the files.
    Table(usize),
}

/// A parameter as expressions see it.
#[derive(Clone, Debug)]
pub(in crate::rules) enum Known {
    Constant(Value, Type),
    /// Its value depends on the day; its index among all parameters.
    Dated(usize, Type),
    /// Anywhere within its bounds: its value as written, and its index.
    Anywhere(Value, usize, Type),
}

/// The tolerance of a policy that declares one.
#[derive(Clone, Debug)]
pub(in crate::rules) struct Tolerance {
    /// The parameter's whole name.
    pub name: String,
    /// `None` if its value is invalid, which was reported.
    pub thousandths: Option<u32>,
}

/// A checked expression.
#[derive(Clone, Debug)]
pub(in crate::rules) struct Typed {
    pub node: NodeId,
    pub ty: Type,
    pub grain: Grain,
    /// The digits of a bare number, which takes the unit of its other operand.
    pub bare: Option<String>,
}

/// The context of an expression.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) struct ExpressionContext {
    /// The grain of the wanted value.
    pub target: Grain,
    pub in_aggregate: bool,
    /// Whether values of counterparties and streams are evaluated per record. A record without a group has an unknown
    /// one.
    pub by_record: bool,
    /// The pricing method of the offer around it.
    pub method: Option<crate::base::pricing::Method>,
}

impl ExpressionContext {
    pub(in crate::rules) const STATEMENT: ExpressionContext =
        ExpressionContext { target: Grain::Statement, in_aggregate: false, by_record: false, method: None };
}

/// A mistake was reported, and there is no result.
pub(in crate::rules) struct Reported;
pub(in crate::rules) type Checked<T> = Result<T, Reported>;
