//! What the checker keeps about names and expressions: symbols, types and places of expressions. Checks nothing itself.

use crate::rules::graph::{Column, Fact, Grain, Group, GroupColumn, NodeId};
use crate::rules::types::Type;
use crate::rules::value::Value;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(in crate::rules) enum Symbol {
    Column(Column, Type),
    GroupColumn(Group, GroupColumn, Type),
    Fact(Fact, Type),
    Definition(usize),
    /// A value given beside the statement.
    Input(usize),
    /// The score or an output of a table that is not checked yet.
    Later(Later),
    /// Known by its node: outputs of tables, the score, an offer's own names.
    Node(NodeId),
}

/// What is named before it is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::rules) enum Later {
    Score,
    /// By its number among all tables as they are written.
    Table(usize),
}

/// What a parameter is to an expression.
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
    /// Nothing where it is not what it may be, which was reported.
    pub thousandths: Option<u32>,
}

/// A checked expression.
#[derive(Clone, Debug)]
pub(in crate::rules) struct Typed {
    pub node: NodeId,
    pub ty: Type,
    pub grain: Grain,
    /// The digits of a bare number, which takes the unit of what it stands beside.
    pub bare: Option<String>,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) struct Place {
    /// The grain of the value wanted.
    pub target: Grain,
    pub in_aggregate: bool,
    /// Values of groups that not all records belong to are taken record by record: what is asked of a record without
    /// one is asked of an unknown.
    pub by_record: bool,
    /// The pricing method of the offer around it.
    pub method: Option<crate::words::pricing::Method>,
}

impl Place {
    pub(in crate::rules) const STATEMENT: Place =
        Place { target: Grain::Statement, in_aggregate: false, by_record: false, method: None };
}

/// A mistake was reported; there is nothing to go on with.
pub(in crate::rules) struct Reported;
pub(in crate::rules) type Checked<T> = Result<T, Reported>;
