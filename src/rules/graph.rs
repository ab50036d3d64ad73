//! The checked form of a rule file: one arena of typed nodes, each stored once however often it is used, in
//! topological order. Knows no TOML, no SQL text and no data.

use std::collections::{HashMap, HashSet};

use crate::base::narration::Standing;
use crate::base::pricing::Method;
use crate::base::rational::{Rational, Rounding};
use crate::base::text_search::lower::{lowercase_each_letter, uppercase_each_letter};
pub use crate::rules::grain::{Grain, Group};
use crate::rules::syntax::ast::{Binary, Like};
pub use crate::rules::types::{Repr, Type, Unit};

/// Columns of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransactionColumn {
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
    /// The record stands against the declared order of the table's rows.
    DateOutOfOrder,
    /// The counterparty, from `people` or the narration.
    Counterparty,
    /// A truth about the counterparty's name.
    Standing(Standing),
    /// The change of the balance: the credit, or the negated debit.
    Change,
}

impl TransactionColumn {
    /// Whether it is found by reading who is named.
    pub(crate) fn is_of_counterparty(self) -> bool {
        matches!(self, Self::Counterparty | Self::Standing(_))
    }
}

/// Columns of a group. The grain of the node says of which kind.
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

/// Columns of a recurring stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamColumn {
    IsCredit,
    /// `weekly`, `fortnightly`, `semimonthly`, `four_weekly`, `monthly`, `quarterly`.
    Period,
    /// The median amount.
    Amount,
    /// The expected amount per month.
    MonthAmount,
    First,
    Last,
    Next,
    /// Cycles missed since the last one, as of the day that windows look back from.
    Missed,
    Regularity,
    IsLive,
}

/// Facts about a statement, known before any rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// The day of the decision; unknown if not given.
    AsOf,
    /// The day that windows look back from: the day of the decision, else the day of the last record.
    WindowEnd,
    Duplicates,
    DateConflicts,
    DateRepaired,
    /// Some record has a debit.
    HasDebit,
    /// Some record has a balance.
    HasBalance,
    /// The order of the table's rows is declared, so that records out of order are known.
    HasRowOrder,
    /// What the balances say.
    BalanceVerdict,
    /// The first and the last day that the statement covers.
    PeriodStart,
    PeriodEnd,
}

/// The values of [`StreamColumn::Period`].
pub(crate) const STREAM_PERIODS: [&str; 6] =
    ["weekly", "fortnightly", "semimonthly", "four_weekly", "monthly", "quarterly"];

/// The values of [`Fact::BalanceVerdict`].
pub(crate) const BALANCE_VERDICTS: [&str; 4] = ["verified", "unverifiable", "discrepancy", "failed"];

/// Columns that a statement may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Needs {
    pub debit: bool,
    pub balance: bool,
    /// Narrations.
    pub narration: bool,
    /// Narrations or people, which name the counterparty.
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

    /// Whether this needs something of `lacks`.
    pub fn meets(self, lacks: Needs) -> bool {
        let both = |asked: bool, lacking: bool| asked && lacking;
        both(self.debit, lacks.debit)
            || both(self.balance, lacks.balance)
            || both(self.narration, lacks.narration)
            || both(self.names, lacks.names)
    }

    fn for_column(column: TransactionColumn) -> Needs {
        let none = Needs::default();
        match column {
            TransactionColumn::Debit => Needs { debit: true, ..none },
            TransactionColumn::Balance => Needs { balance: true, ..none },
            TransactionColumn::Description => Needs { narration: true, ..none },
            TransactionColumn::Counterparty | TransactionColumn::Standing(_) => Needs { names: true, ..none },
            TransactionColumn::Id
            | TransactionColumn::TransDate
            | TransactionColumn::ClearedDate
            | TransactionColumn::Credit
            | TransactionColumn::Change => none,
            TransactionColumn::Code
            | TransactionColumn::Branch
            | TransactionColumn::Bank
            | TransactionColumn::Reference
            | TransactionColumn::Topics => none,
            TransactionColumn::People | TransactionColumn::Places | TransactionColumn::Actions => none,
            TransactionColumn::DateRepaired | TransactionColumn::DateConflict | TransactionColumn::DateOutOfOrder => {
                none
            }
        }
    }

    fn for_op(op: &Op, grain: Grain) -> Needs {
        let none = Needs::default();
        let needs = match op {
            Op::Column(column) => Needs::for_column(*column),
            Op::Mentions(_) | Op::Mentioned(_) => Needs { narration: true, ..none },
            Op::Named(_) => Needs { names: true, ..none },
            Op::Mirrored => Needs { debit: true, names: true, ..none },
            Op::Corrected(_) => none,
            Op::GroupColumn(_) | Op::Fact(_) | Op::Input(_) | Op::Entry(..) | Op::Dated(_) => none,
            Op::Int(_) | Op::Rational(_) | Op::Boolean(_) | Op::Text(_) | Op::Unknown => none,
            // The rest needs only what its inputs need.
            Op::Neighbour(_) | Op::Rank | Op::SumNear { .. } | Op::Spread | Op::ToRational | Op::ToFloat => none,
            Op::Negate | Op::Abs | Op::Not | Op::AtLeast(_) | Op::IsNull | Op::Why | Op::IsBoolean(_) => none,
            Op::Arithmetic(_) | Op::Compare(_) | Op::And | Op::Or | Op::Choose | Op::Coalesce => none,
            Op::Least | Op::Greatest | Op::Like(..) | Op::Letters(_) | Op::Length | Op::HasText(_) => none,
            Op::Substring | Op::Replace | Op::ToNumber | Op::Approximate(_) | Op::Elapsed(_) => none,
            Op::InList(_) | Op::ListLength | Op::ListContains | Op::ListOf | Op::Concat | Op::ToText(_) | Op::Power => {
                none
            }
            Op::DatePart(_) | Op::Local(_) | Op::AddMonths | Op::Round(_) | Op::Aggregate { .. } => none,
            Op::NeedsMonths(_) | Op::PrincipalFor(_) | Op::Points(_) | Op::Score | Op::Hit(_) | Op::Output(..) => none,
        };
        // Counterparties are made from names.
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
    /// 1 = 1 January.
    DayOfYear,
    /// The first day of the date's month.
    MonthStart,
}

/// Full lengths of time between two dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elapsed {
    Months,
    Years,
}

/// A text, letter by letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Letters {
    Lower,
    Upper,
    /// Without the blanks at both ends.
    Trim,
}

impl Letters {
    /// The text with its letters changed.
    pub(crate) fn of(self, text: &str) -> String {
        match self {
            Letters::Lower => lowercase_each_letter(text).into_owned(),
            Letters::Upper => uppercase_each_letter(text),
            Letters::Trim => text.trim().to_owned(),
        }
    }
}

/// Where a text has another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextPlace {
    Start,
    End,
    Anywhere,
}

/// Functions of one number whose results are doubles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Approximate {
    Exp,
    Ln,
    Sqrt,
}

/// Parts of a timestamp in the policy's time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalPart {
    Day,
    Time,
}

/// What an aggregate computes over the rows its filter keeps. Unknown arguments are skipped, as in SQL.
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
    /// Total variation distance of first digits from Benford's law; unknown below [`BENFORD_VALUES_MIN`] values.
    Benford,
}

impl Aggregate {
    /// Whether the result is one of the values of the first argument.
    pub(crate) fn is_one_of_values(self) -> bool {
        use Aggregate::{ArgMax, ArgMin, First, Last, Max, Min, Mode};
        matches!(self, Min | Max | First | Last | Mode | ArgMax | ArgMin)
    }
}

/// The fewest amounts whose first digits mean anything.
pub(crate) const BENFORD_VALUES_MIN: u16 = 100;

/// Another row of the same statement, for rows that have an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbour {
    /// The row before.
    Previous,
    /// The row after.
    Next,
    /// This row, or the latest row before it with a known value.
    Carried,
}

/// What a node does with its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Column(TransactionColumn),
    GroupColumn(GroupColumn),
    Fact(Fact),
    /// An input given with the statement, by its index.
    Input(usize),
    /// A list of entries, by the input's index, and the field of its entries; without one, their number.
    Entry(usize, Option<usize>),
    /// A parameter whose value depends on the day, by its index; the input is `as_of`.
    Dated(usize),
    Int(i64),
    Rational(Rational),
    Boolean(bool),
    Text(String),
    /// `NULL`: no value of the node's type.
    Unknown,
    /// The narration mentions a word of this list.
    Mentions(usize),
    /// The first word of this list that the narration mentions.
    Mentioned(usize),
    /// The counterparty's name holds a word of this list.
    Named(usize),
    /// Value, and the day of the decision if entries have a last day: whether the value is on this list of keys.
    InList(usize),
    /// Whether a correction says that this flag of kinds holds; unknown if no correction is about the record.
    Corrected(usize),
    /// The value of another row.
    Neighbour(Neighbour),
    /// The value's rank among the statement's rows, the greatest first, equals in order.
    Rank,
    /// Value, days: its sum over the records after this one, up to that many days later, or before it.
    SumNear {
        before: bool,
    },
    /// Days: a record in the other direction has the same amount and counterparty, at most that many days away.
    Mirrored,
    /// A coarser value at every row of a finer grain.
    Spread,
    /// The exact value of a whole number; for a float, the shortest decimal that reads back as it.
    ToRational,
    /// The nearest double.
    ToFloat,
    Negate,
    Abs,
    Not,
    /// At least this many inputs hold.
    AtLeast(usize),
    IsNull,
    /// The code of the reason why a statement's value is unknown; empty if it is known.
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
    Like(Like),
    Letters(Letters),
    Length,
    /// Text, part: whether the text has the part there.
    HasText(TextPlace),
    /// Text, start, and how many characters unless to the end.
    Substring,
    /// Text, what to replace, what with.
    Replace,
    /// The number that a text writes.
    ToNumber,
    ListLength,
    /// List, value.
    ListContains,
    /// Values and lists of one unit, joined into one list.
    ListOf,
    /// Texts, joined.
    Concat,
    /// A value of this unit as text.
    ToText(Unit),
    /// Base, exponent.
    Power,
    Approximate(Approximate),
    DatePart(DatePart),
    /// Of a timestamp, in the policy's time zone.
    Local(LocalPart),
    AddMonths,
    /// From, to.
    Elapsed(Elapsed),
    /// Value, step.
    Round(Rounding),
    /// Arguments, then the filter if there is one. Unknown if a constant or a statement's value used inside is unknown,
    /// or if something in the statement's records overflows.
    Aggregate {
        function: Aggregate,
        arguments: usize,
        filtered: bool,
    },
    /// Full months of the statement, value; unknown with fewer months than this.
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
    /// Constants and values of the statement that a finer node uses, in the order of its expression.
    pub spreads: Vec<NodeId>,
}

/// All nodes, each after its inputs, without duplicates.
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

    /// For each node, in order, whether one of the roots follows from it or is it.
    pub(crate) fn behind(&self, roots: &[NodeId]) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = roots.to_vec();
        while let Some(next) = stack.pop() {
            if !std::mem::replace(&mut seen[next.index()], true) {
                let next = self.node(next);
                stack.extend(next.inputs.iter().chain(&next.spreads));
            }
        }
        seen
    }

    /// The finest grain among nodes, as far as one is finer than all.
    pub(crate) fn finest(&self, nodes: &[NodeId]) -> Grain {
        nodes.iter().fold(Grain::Constant, |finest, node| finest.meet(self.node(*node).grain))
    }

    /// The node whose value this one only passes on, in another representation or at a finer grain.
    pub(crate) fn carried(&self, node: NodeId) -> NodeId {
        let mut node = node;
        while let (Op::ToRational | Op::ToFloat | Op::Spread, [input]) =
            (&self.node(node).op, self.node(node).inputs.as_slice())
        {
            node = *input;
        }
        node
    }

    /// The node with this operation and these inputs, added if missing. Needs and spreads follow from the inputs.
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
        // Needs of a statement's value have already become reasons for being unknown.
        if grain <= Grain::Statement {
            return (Needs::default(), Vec::new());
        }
        let mut spreads = Vec::new();
        for input in inputs {
            let node = self.node(*input);
            // Whether a narration is missing is known even if the statement has none.
            let asked = *op == Op::IsNull && node.op == Op::Column(TransactionColumn::Description);
            needs = needs.and(Needs { narration: node.needs.narration && !asked, ..node.needs });
            spreads.extend(node.spreads.iter().copied());
            let is_literal =
                matches!(node.op, Op::Int(_) | Op::Rational(_) | Op::Boolean(_) | Op::Text(_) | Op::Unknown);
            if (node.grain == Grain::Constant && !is_literal) || (*op == Op::Spread && node.grain == Grain::Statement) {
                spreads.push(*input);
            }
        }
        (needs, each_once(spreads))
    }
}

/// Each node once, at its first place. Not sorted by number, because that is the order of lines in a file.
fn each_once(mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    let mut seen = HashSet::with_capacity(nodes.len());
    nodes.retain(|node| seen.insert(*node));
    nodes
}
