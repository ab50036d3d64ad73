//! The checked form of a rule file: one arena of typed nodes, each written once however often it is used, in an
//! order in which every node stands after its inputs. Knows no TOML, no SQL text and no data.

use std::collections::HashMap;

use super::ast::Binary;
use crate::words::pricing::Method;

/// How fine a value is: one for everything, one a statement, one a month, one a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grain {
    /// The same value everywhere: a literal, a parameter.
    Constant,
    /// One value a statement.
    Statement,
    /// One value a calendar month of a statement.
    Month,
    /// One value a transaction.
    Transaction,
}

/// What a value measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Minor units of the policy's currency.
    Money,
    /// A plain number.
    Number,
    /// How many.
    Count,
    /// One quantity over another of its kind.
    Ratio,
    /// A length of time.
    Days,
    /// A calendar day.
    Date,
    /// Text.
    Text,
    /// True or false.
    Boolean,
}

/// How a value is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repr {
    /// Exact 64-bit integer: money, counts, days; a date is its days since 1970-01-01.
    Int,
    /// 64-bit float: means and ratios.
    Float,
    /// True or false.
    Boolean,
    /// Text.
    Text,
    /// Several values of one unit.
    List,
}

/// Unit and representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// What is measured.
    pub unit: Unit,
    /// How it is held.
    pub repr: Repr,
}

/// Columns of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    Id,
    TransDate,
    ClearedDate,
    Credit,
    Debit,
    Balance,
    Code,
    Branch,
    Bank,
    Description,
    Topics,
    People,
    Places,
    Actions,
    Reference,
    DateRepaired,
    DateConflict,
}

/// Columns of a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MonthColumn {
    /// First day of the month.
    Start,
    /// 0 for the first month of the statement, then 1, 2, ...
    Number,
    /// The statement covers the whole month.
    Full,
    /// 0 for the latest full month, 1 for the one before, ...; unknown for a month that is not full.
    FullMonthsAgo,
    /// Records in the month.
    Records,
}

/// What is known of a statement before any rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    AsOf,
    Duplicates,
    DateConflicts,
    DateRepaired,
    /// Some record has a debit.
    HasDebit,
    /// Some record has a balance.
    HasBalance,
}

/// Columns that a statement may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Needs {
    pub debit: bool,
    pub balance: bool,
}

impl Needs {
    pub fn and(self, other: Needs) -> Needs {
        Needs { debit: self.debit || other.debit, balance: self.balance || other.balance }
    }
}

/// Parts of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DatePart {
    Year,
    Month,
    Day,
    /// 1 = Monday ... 7 = Sunday.
    Weekday,
    /// The first day of the date's month.
    MonthStart,
}

/// Rounding to a step; its name says which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// Toward minus infinity.
    Down,
    /// Toward plus infinity.
    Up,
    /// To the nearest, halves away from zero.
    HalfAway,
}

/// What an aggregate computes over the rows its filter keeps. Unknown arguments are passed over, as in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// Rows, or rows whose argument is known.
    Count,
    CountDistinct,
    /// Zero over no rows.
    Sum,
    Avg,
    Min,
    Max,
    /// Linear interpolation; the bits of the fraction.
    Quantile(u64),
    /// Sample standard deviation, n-1.
    StdDev,
    First,
    Last,
    /// First argument where the second is greatest, the earliest of equals.
    ArgMax,
    ArgMin,
    /// Slope of the least-squares line of the first argument over the second.
    RegrSlope,
    /// Greatest, mean difference between consecutive distinct values.
    MaxGap,
    AvgGap,
}

/// What a node does with its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Column(Column),
    MonthColumn(MonthColumn),
    Fact(Fact),
    /// A value given beside the statement, by its index.
    Input(usize),
    /// A parameter whose value depends on the day, by its index; the input is `as_of`.
    Dated(usize),
    Int(i64),
    /// The bits of the float.
    Float(u64),
    Boolean(bool),
    Text(String),
    /// The narration mentions a word of this list.
    Mentions(usize),
    /// A coarser value at every row of a finer grain.
    Spread,
    ToFloat,
    Negate,
    Abs,
    Not,
    /// So many of the inputs hold.
    AtLeast(usize),
    IsNull,
    IsBoolean(bool),
    /// Add, subtract, multiply, divide, remainder; both inputs of one representation. Division is of floats.
    Arithmetic(Binary),
    Compare(Binary),
    And,
    Or,
    /// Condition, result, condition, result, ..., otherwise.
    Choose,
    Coalesce,
    Least,
    Greatest,
    /// SQL pattern; true where letter case does not matter.
    Like(String, bool),
    Lower,
    Length,
    ListLength,
    /// List, value.
    ListContains,
    /// Values and lists of one unit, one after the other.
    ListOf,
    /// Texts, one after the other.
    Concat,
    /// A value in letters and digits.
    ToText,
    /// Base, exponent.
    Power,
    DatePart(DatePart),
    AddMonths,
    /// Value, step.
    Round(Rounding),
    /// Arguments, then the filter if there is one. The constants and the statement's values used inside must all be
    /// known, and nothing in the statement's records too large to hold.
    Aggregate {
        function: Aggregate,
        arguments: usize,
        filtered: bool,
    },
    /// Full months of the statement, value; unknown with fewer than so many.
    NeedsMonths(u16),
    /// Instalment, rate, number of instalments.
    PrincipalFor(Method),
    /// Points of a score item, by its index.
    Points(usize),
    /// The points of all items.
    Score,
    /// Index of the row of a table that hit.
    Hit(usize),
    /// Table, output; the inputs are the hit and the expressions of its cells.
    Output(usize, usize),
}

/// Index of a node in its [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Node {
    pub op: Op,
    pub inputs: Vec<NodeId>,
    pub ty: Type,
    pub grain: Grain,
    pub needs: Needs,
    /// Constants and values of the statement that a finer node uses.
    pub spreads: Vec<NodeId>,
}

/// All nodes, each after its inputs, no two alike.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    known: HashMap<(Op, Vec<NodeId>, Grain, Type), NodeId>,
}

impl Graph {
    /// The nodes in order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The node that does this, made if there is none yet. Needs and spreads follow from the inputs.
    pub(crate) fn add(&mut self, op: Op, inputs: Vec<NodeId>, ty: Type, grain: Grain) -> NodeId {
        let key = (op.clone(), inputs.clone(), grain, ty);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let (needs, spreads) = self.dependencies(&op, &inputs, grain);
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { op, inputs, ty, grain, needs, spreads });
        self.known.insert(key, id);
        id
    }

    fn dependencies(&self, op: &Op, inputs: &[NodeId], grain: Grain) -> (Needs, Vec<NodeId>) {
        let mut needs = match op {
            Op::Column(Column::Debit) => Needs { debit: true, balance: false },
            Op::Column(Column::Balance) => Needs { debit: false, balance: true },
            _ => Needs::default(),
        };
        // A statement's value has met its needs already: they became its reason for being unknown.
        if grain <= Grain::Statement {
            return (Needs::default(), Vec::new());
        }
        let mut spreads = Vec::new();
        for input in inputs {
            let node = self.node(*input);
            needs = needs.and(node.needs);
            spreads.extend(node.spreads.iter().copied());
            let is_literal = matches!(node.op, Op::Int(_) | Op::Float(_) | Op::Boolean(_) | Op::Text(_));
            if (node.grain == Grain::Constant && !is_literal) || (*op == Op::Spread && node.grain == Grain::Statement) {
                spreads.push(*input);
            }
        }
        spreads.sort_unstable();
        spreads.dedup();
        (needs, spreads)
    }
}

impl Type {
    pub(crate) const BOOLEAN: Type = Type { unit: Unit::Boolean, repr: Repr::Boolean };
    pub(crate) const TEXT: Type = Type { unit: Unit::Text, repr: Repr::Text };
    pub(crate) const DATE: Type = Type { unit: Unit::Date, repr: Repr::Int };
    pub(crate) const MONEY: Type = Type { unit: Unit::Money, repr: Repr::Int };
    pub(crate) const COUNT: Type = Type { unit: Unit::Count, repr: Repr::Int };
    pub(crate) const DAYS: Type = Type { unit: Unit::Days, repr: Repr::Int };
    pub(crate) const RATIO: Type = Type { unit: Unit::Ratio, repr: Repr::Float };
    pub(crate) const NUMBER: Type = Type { unit: Unit::Number, repr: Repr::Float };

    /// How a value of a declared unit is held.
    pub(crate) fn declared(unit: Unit) -> Type {
        match unit {
            Unit::Money => Type::MONEY,
            Unit::Number => Type::NUMBER,
            Unit::Count => Type::COUNT,
            Unit::Ratio => Type::RATIO,
            Unit::Days => Type::DAYS,
            Unit::Date => Type::DATE,
            Unit::Text => Type::TEXT,
            Unit::Boolean => Type::BOOLEAN,
        }
    }

    pub(crate) fn is_numeric(self) -> bool {
        matches!(self.repr, Repr::Int | Repr::Float) && self.unit != Unit::Date
    }

    pub(crate) fn with(self, repr: Repr) -> Type {
        Type { repr, ..self }
    }
}

impl Unit {
    /// The word used in rule files.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Money => "money",
            Unit::Number => "number",
            Unit::Count => "count",
            Unit::Ratio => "ratio",
            Unit::Days => "days",
            Unit::Date => "date",
            Unit::Text => "text",
            Unit::Boolean => "boolean",
        }
    }

    /// All units by their words.
    pub const ALL: [Unit; 8] =
        [Unit::Money, Unit::Number, Unit::Count, Unit::Ratio, Unit::Days, Unit::Date, Unit::Text, Unit::Boolean];

    /// Counts, ratios and plain numbers may stand beside each other.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Unit::Number | Unit::Count | Unit::Ratio)
    }
}

impl Grain {
    /// As said to a person.
    pub fn word(self) -> &'static str {
        match self {
            Grain::Constant => "constant",
            Grain::Statement => "statement",
            Grain::Month => "month",
            Grain::Transaction => "transaction",
        }
    }
}
