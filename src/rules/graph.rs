//! The checked form of a rule file: one arena of typed nodes, each stored once however often it is used, in
//! topological order. Knows no TOML, no SQL text and no data.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::rules::syntax::ast::Binary;
pub use crate::rules::types::{Repr, Type, Unit};
use crate::words::pricing::Method;
use crate::words::rational::{Rational, Rounding};

/// How fine a value is: one for everything, one a statement, one a group of its transactions, one a transaction.
///
/// Grains are ordered from coarse to fine; two sorts of groups are neither finer nor coarser than one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grain {
    /// The same value everywhere: a literal, a parameter.
    Constant,
    /// One value a statement.
    Statement,
    /// One value a group of the statement's transactions.
    Group(Group),
    /// One value a transaction.
    Transaction,
}

/// The sorts of groups that a statement's transactions make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Calendar months, from that of the first transaction to that of the last; those without transactions too.
    Month,
    /// Weeks from Monday to Sunday, likewise.
    Week,
    /// Calendar days, likewise.
    Day,
    /// All transactions with one counterparty.
    Counterparty,
    /// The transactions of a recurring stream; most transactions are in none.
    Stream,
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
    /// Who is on the other side: of `people`, or of the narration.
    Counterparty,
    /// By how much the record changes the balance: its credit, or its debit below zero.
    Change,
}

/// Columns of a group; the grain of the node says of which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupColumn {
    /// First day of a month, a week, a day.
    Start,
    /// 0 for the first of the statement, then 1, 2, ...
    Number,
    /// The statement covers the whole month, the whole week.
    Full,
    /// 0 for the latest full month, 1 for the one before, ...; unknown for a month that is not full.
    FullAgo,
    /// Records in the group.
    Records,
    Stream(StreamColumn),
}

/// What is known of a recurring stream beside its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamColumn {
    IsCredit,
    /// `weekly`, `fortnightly`, `semimonthly`, `four_weekly`, `monthly`, `quarterly`.
    Period,
    /// The median amount.
    Amount,
    /// What comes of it in a month.
    MonthAmount,
    First,
    Last,
    Next,
    /// Cycles missed since the last one, as of the day that is looked back from.
    Missed,
    Regularity,
    IsLive,
}

/// What is known of a statement before any rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// The day of the decision; unknown where nobody gave it.
    AsOf,
    /// The day that windows look back from: the day of the decision, else that of the last record.
    WindowEnd,
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
    /// Narrations.
    pub narration: bool,
    /// Narrations or people: who is on the other side.
    pub names: bool,
}

impl Needs {
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            debit: self.debit || other.debit,
            balance: self.balance || other.balance,
            narration: self.narration || other.narration,
            names: self.names || other.names,
        }
    }

    /// Whether this asks for something that a statement without `lacks` does not have.
    pub fn meets(self, lacks: Needs) -> bool {
        let both = |asked: bool, lacking: bool| asked && lacking;
        both(self.debit, lacks.debit)
            || both(self.balance, lacks.balance)
            || both(self.narration, lacks.narration)
            || both(self.names, lacks.names)
    }

    fn for_op(op: &Op, grain: Grain) -> Needs {
        let none = Needs::default();
        let needs = match op {
            Op::Column(Column::Debit) => Needs { debit: true, ..none },
            Op::Column(Column::Balance) => Needs { balance: true, ..none },
            Op::Column(Column::Description) | Op::Mentions(_) | Op::Mentioned(_) => Needs { narration: true, ..none },
            Op::Column(Column::Counterparty) | Op::Named(_) => Needs { names: true, ..none },
            Op::Mirrored => Needs { debit: true, names: true, ..none },
            _ => none,
        };
        // The groups themselves are made of names.
        if grain == Grain::Group(Group::Counterparty) { Needs { names: true, ..needs } } else { needs }
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

/// What a moment is where the policy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalPart {
    Day,
    Time,
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
    /// Linear interpolation at a fraction of the values: a whole number over another.
    Quantile(u64, u64),
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
    /// The most frequent value, the least of equals.
    Mode,
    /// Total variation distance of first digits from Benford's law; unknown below [`BENFORD_LEAST`] values.
    Benford,
}

/// Fewer amounts than this say nothing about their first digits.
pub(crate) const BENFORD_LEAST: u16 = 100;

/// Another row of the same statement, for rows that stand in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbour {
    /// The row before.
    Previous,
    /// The row after.
    Next,
    /// This row, or the latest before it that is known.
    Carried,
}

/// What a node does with its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Column(Column),
    GroupColumn(GroupColumn),
    Fact(Fact),
    /// A value given beside the statement, by its index.
    Input(usize),
    /// A parameter whose value depends on the day, by its index; the input is `as_of`.
    Dated(usize),
    Int(i64),
    Rational(Rational),
    Boolean(bool),
    Text(String),
    /// The narration mentions a word of this list.
    Mentions(usize),
    /// The first word of this list that the narration mentions.
    Mentioned(usize),
    /// The counterparty's name holds a word of this list.
    Named(usize),
    /// The value of another row.
    Neighbour(Neighbour),
    /// Place of the value among the statement's rows, the greatest first, equals in their order.
    Rank,
    /// Value, days: its sum over the records behind this one up to so many days later; true for those before.
    SumNear {
        before: bool,
    },
    /// Days: a record of the other side has the same amount and counterparty, so many days off at most.
    Mirrored,
    /// A coarser value at every row of a finer grain.
    Spread,
    /// A whole number as it is, an approximate one as the shortest decimal that reads back as it.
    ToRational,
    /// The nearest double.
    ToFloat,
    Negate,
    Abs,
    Not,
    /// So many of the inputs hold.
    AtLeast(usize),
    IsNull,
    /// The code of the reason for which a statement's value is unknown; empty where it is known.
    Why,
    IsBoolean(bool),
    /// Add, subtract, multiply, divide, remainder; both inputs of one representation. Division is of fractions or
    /// floats.
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
    /// A value of this unit in letters and digits.
    ToText(Unit),
    /// Base, exponent.
    Power,
    DatePart(DatePart),
    /// Of a timestamp, in the policy's time zone.
    Local(LocalPart),
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
    /// Constants and values of the statement that a finer node uses, in the order in which it says them.
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

    /// The finest grain among nodes, as far as one is finer than all.
    pub(crate) fn finest(&self, nodes: &[NodeId]) -> Grain {
        nodes.iter().fold(Grain::Constant, |finest, node| finest.meet(self.node(*node).grain))
    }

    /// The node whose value this one only carries on: held otherwise, or at a finer grain.
    pub(crate) fn carried(&self, node: NodeId) -> NodeId {
        let mut node = node;
        while let (Op::ToRational | Op::ToFloat | Op::Spread, [input]) =
            (&self.node(node).op, self.node(node).inputs.as_slice())
        {
            node = *input;
        }
        node
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
        let mut needs = Needs::for_op(op, grain);
        // A statement's value has met its needs already: they became its reason for being unknown.
        if grain <= Grain::Statement {
            return (Needs::default(), Vec::new());
        }
        let mut spreads = Vec::new();
        for input in inputs {
            let node = self.node(*input);
            // That a record has no narration is known where no record has one.
            let asked = *op == Op::IsNull && node.op == Op::Column(Column::Description);
            needs = needs.and(Needs { narration: node.needs.narration && !asked, ..node.needs });
            spreads.extend(node.spreads.iter().copied());
            let is_literal = matches!(node.op, Op::Int(_) | Op::Rational(_) | Op::Boolean(_) | Op::Text(_));
            if (node.grain == Grain::Constant && !is_literal) || (*op == Op::Spread && node.grain == Grain::Statement) {
                spreads.push(*input);
            }
        }
        (needs, each_once(spreads))
    }
}

/// Each node where it stands first: not in the order of their numbers, which is that of the lines of a file.
fn each_once(mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    let mut seen = HashSet::with_capacity(nodes.len());
    nodes.retain(|node| seen.insert(*node));
    nodes
}

impl PartialOrd for Grain {
    fn partial_cmp(&self, other: &Grain) -> Option<Ordering> {
        match self.level().cmp(&other.level()) {
            Ordering::Equal if self != other => None,
            order => Some(order),
        }
    }
}

impl Grain {
    fn level(self) -> u8 {
        match self {
            Grain::Constant => 0,
            Grain::Statement => 1,
            Grain::Group(_) => 2,
            Grain::Transaction => 3,
        }
    }

    /// The coarsest grain at which values of both have a value each: two sorts of groups meet at the transactions.
    pub(crate) fn meet(self, other: Grain) -> Grain {
        match self.partial_cmp(&other) {
            Some(Ordering::Less) => other,
            Some(_) => self,
            None => Grain::Transaction,
        }
    }

    /// Whether a value of this grain has one value for each of `other`.
    pub(crate) fn serves(self, other: Grain) -> bool {
        self <= other
    }

    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Grain::Constant => "constant",
            Grain::Statement => "statement",
            Grain::Group(group) => group.word(),
            Grain::Transaction => "transaction",
        }
    }
}

impl Group {
    /// Every sort of group.
    pub(crate) const ALL: [Group; 5] = [Group::Month, Group::Week, Group::Day, Group::Counterparty, Group::Stream];

    /// Whether such groups are made by who is on the other side.
    pub(crate) const fn is_by_name(self) -> bool {
        matches!(self, Group::Counterparty | Group::Stream)
    }

    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Group::Month => "month",
            Group::Week => "week",
            Group::Day => "day",
            Group::Counterparty => "counterparty",
            Group::Stream => "stream",
        }
    }

    /// Whether one comes after the other, as months do and counterparties do not.
    pub(crate) fn is_ordered(self) -> bool {
        matches!(self, Group::Month | Group::Week | Group::Day)
    }
}
