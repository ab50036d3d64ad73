//! A policy and a person's values as plain data. Knows neither TOML nor evaluation.

use super::names::{File, Homes, Names};
use crate::exact::Exact;

/// The kind of a value, and whether it is whole. For others, the expression says whether they are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Whole minor units.
    Money,
    /// Minor units that need not be whole.
    MoneyMean,
    Count,
    Days,
    /// Need not be whole, nor a ratio.
    Number,
    Ratio,
    Date,
    Text,
    Truth,
    /// A list of one of the others.
    List(&'static Kind),
}

/// A known value; dates are days since 1970-01-01.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Whole(i64),
    /// A fraction.
    Exact(Exact),
    /// A double: approximate by its type.
    Double(f64),
    Truth(bool),
    Text(String),
    /// A list: collected by a table, given in a request, or made by `list_of`.
    List(Vec<Value>),
}

/// An expression and its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: Kind,
    pub op: Op,
    /// Approximate by its type, as [`super::doubles`] says.
    pub is_double: bool,
}

/// The operation of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// One of [`INPUTS`], as a field of the request or of the bureau.
    Input(usize),
    /// One of [`INPUTS`], as a given metric.
    Given(usize),
    Metric(usize),
    Output(usize, usize),
    Score,
    Parameter(usize),
    AsOf,
    /// A field of an entry, within an aggregate over entries.
    Field(usize),
    /// An aggregate over entries: its arguments, none for `*`, and its filter.
    Over(&'static str, Vec<Expr>, Option<Box<Expr>>),
    /// A name that exists only in an offer.
    Own(&'static str),
    Literal(Value),
    /// `NULL`
    Null,
    Arithmetic(char, Vec<Expr>),
    Negate(Box<Expr>),
    Compare(&'static str, Vec<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    /// Value, low, high.
    Between(Vec<Expr>),
    /// Value, then the list.
    In(Vec<Expr>),
    Like(Box<Expr>, &'static str, bool),
    /// True for IS NULL, false for IS NOT NULL.
    IsNull(Box<Expr>, bool),
    IsTruth(Box<Expr>, bool),
    /// Condition, result, ..., and the ELSE.
    Case(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    /// What is compared; a value, its result, ..., and the ELSE.
    Switch(Box<Expr>, Vec<(Expr, Expr)>, Option<Box<Expr>>),
    Call(&'static str, Vec<Expr>),
}

impl Expr {
    pub fn new(kind: Kind, op: Op) -> Self {
        Self { kind, op, is_double: false }
    }
}

impl Kind {
    /// Whether it need not be whole.
    pub fn is_fraction(self) -> bool {
        matches!(self, Kind::MoneyMean | Kind::Number | Kind::Ratio)
    }

    /// A list of it.
    pub fn listed(self) -> Kind {
        Kind::List(match self {
            Kind::Money => &Kind::Money,
            Kind::MoneyMean => &Kind::MoneyMean,
            Kind::Count => &Kind::Count,
            Kind::Days => &Kind::Days,
            Kind::Number => &Kind::Number,
            Kind::Ratio => &Kind::Ratio,
            Kind::Date => &Kind::Date,
            Kind::Text => &Kind::Text,
            Kind::Truth => &Kind::Truth,
            Kind::List(_) => panic!("no list holds lists"),
        })
    }

    /// The kind of its items.
    pub fn item(self) -> Option<Kind> {
        match self {
            Kind::List(item) => Some(*item),
            _ => None,
        }
    }
}

/// The inputs of each person, as fields of the request or of the bureau, or as metrics.
pub const INPUTS: [(&str, Kind); 14] = [
    ("paid", Kind::Money),
    ("owed", Kind::Money),
    ("times", Kind::Count),
    ("loans", Kind::Count),
    ("idle", Kind::Days),
    ("factor", Kind::Number),
    ("share", Kind::Ratio),
    ("spread", Kind::Ratio),
    ("since", Kind::Date),
    ("purpose", Kind::Text),
    ("lender", Kind::Text),
    ("agreed", Kind::Truth),
    ("marks", Kind::List(&Kind::Text)),
    ("scores", Kind::List(&Kind::Count)),
];

/// The texts in people's inputs and in rules.
pub const TEXTS: [&str; 5] = ["rent", "school", "Stock", "KUDA", "a b"];

/// What a cell compares with.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    Here(Value),
    /// A parameter with one value for all days.
    Parameter(usize),
    /// An expression that names values.
    Worked(Box<Expr>),
}

/// A short test of one value, in cells of tables and bins of scores.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Anything,
    Unknown,
    /// `= 5`, `!= 5`, `< 5` and so on.
    Sign(&'static str, Bound),
    /// Low, whether it is included, high, whether it is included.
    Range(Bound, bool, Bound, bool),
    Any(Vec<Cell>),
    None(Vec<Cell>),
    /// `contains(x)` of a text or a list, `starts_with(x)`, `ends_with(x)`.
    Has(&'static str, Bound),
}

/// The effect of a requirement that is not met, or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    Pass,
    Refer,
    Decline,
}

impl Effect {
    /// As written.
    pub fn word(self) -> &'static str {
        match self {
            Effect::Pass => "pass",
            Effect::Refer => "refer",
            Effect::Decline => "decline",
        }
    }
}

/// A condition, or a block of them.
#[derive(Clone, Debug)]
pub enum Condition {
    When(Expr),
    /// How many members must hold, how that is written, the members.
    Block(usize, Quota, Vec<Member>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quota {
    All,
    Any,
    AtLeast,
}

/// A member of a block; true if an unknown counts as holding.
#[derive(Clone, Debug)]
pub struct Member {
    pub condition: Condition,
    pub unknown_holds: Option<bool>,
}

#[derive(Clone, Debug)]
pub struct Requirement {
    pub condition: Condition,
    /// Omitted if it is the default.
    pub otherwise: Option<Effect>,
    pub unknown: Option<Effect>,
    /// The reason shows both sides of a comparison of names.
    pub is_told: bool,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub on: Expr,
    pub weight: Option<Exact>,
    /// Whether points lost here are reported.
    pub has_code: bool,
    pub bins: Vec<(Cell, Exact)>,
}

#[derive(Clone, Debug)]
pub struct Score {
    pub base: Exact,
    /// Points, odds, points that double them.
    pub scale: Option<(f64, f64, f64)>,
    pub reasons: Option<usize>,
    pub items: Vec<Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HitPolicy {
    First,
    Unique,
    Any,
    Priority,
    RuleOrder,
    OutputOrder,
    Collect,
    CollectSum,
    CollectMin,
    CollectMax,
    CollectCount,
}

impl HitPolicy {
    pub const ALL: [HitPolicy; 11] = [
        HitPolicy::First,
        HitPolicy::Unique,
        HitPolicy::Any,
        HitPolicy::Priority,
        HitPolicy::RuleOrder,
        HitPolicy::OutputOrder,
        HitPolicy::Collect,
        HitPolicy::CollectSum,
        HitPolicy::CollectMin,
        HitPolicy::CollectMax,
        HitPolicy::CollectCount,
    ];

    /// As written.
    pub fn word(self) -> &'static str {
        match self {
            HitPolicy::First => "first",
            HitPolicy::Unique => "unique",
            HitPolicy::Any => "any",
            HitPolicy::Priority => "priority",
            HitPolicy::RuleOrder => "rule_order",
            HitPolicy::OutputOrder => "output_order",
            HitPolicy::Collect => "collect",
            HitPolicy::CollectSum => "collect_sum",
            HitPolicy::CollectMin => "collect_min",
            HitPolicy::CollectMax => "collect_max",
            HitPolicy::CollectCount => "collect_count",
        }
    }

    /// Each output is a list.
    pub fn is_list(self) -> bool {
        matches!(self, HitPolicy::RuleOrder | HitPolicy::OutputOrder | HitPolicy::Collect)
    }

    /// Whether all matching rows count.
    pub fn is_many(self) -> bool {
        self.is_list()
            || matches!(
                self,
                HitPolicy::CollectSum | HitPolicy::CollectMin | HitPolicy::CollectMax | HitPolicy::CollectCount
            )
    }
}

#[derive(Clone, Debug)]
pub struct Output {
    /// The kind of its cells.
    pub kind: Kind,
    /// From the first in rank to the last; empty if none are listed.
    pub values: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    Value(Value),
    /// `= expression`
    Worked(Expr),
}

#[derive(Clone, Debug)]
pub struct Table {
    pub hit: HitPolicy,
    pub inputs: Vec<Expr>,
    pub outputs: Vec<Output>,
    pub rows: Vec<(Vec<Cell>, Vec<Said>)>,
    pub otherwise: Option<Vec<Said>>,
    /// Its rows are in a file of their own.
    pub in_csv: bool,
}

impl Table {
    /// The kind of an output outside of its table.
    pub fn kind(&self, column: usize) -> Kind {
        match self.hit {
            HitPolicy::CollectCount => Kind::Count,
            hit if hit.is_list() => self.outputs[column].kind.listed(),
            _ => self.outputs[column].kind,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Flat,
    Reducing,
    Bullet,
}

#[derive(Clone, Debug)]
pub struct Offer {
    pub when: Option<Expr>,
    pub tenures: Vec<u32>,
    pub instalments: Option<Expr>,
    pub amount: Expr,
    pub caps: Vec<Expr>,
    pub step: Option<Expr>,
    pub floor: Option<Expr>,
    pub interest: Expr,
    pub method: Method,
    pub fee: Option<Expr>,
    pub valid_for_days: Option<i64>,
    pub part_payment: bool,
    /// Empty if there are none.
    pub terms: &'static str,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub kind: Kind,
    /// The value for all days, or for those before the first of `dated`.
    pub value: Option<Value>,
    /// Each from its day on, in any order.
    pub dated: Vec<(i64, Value)>,
    /// Its minimum and maximum.
    pub bounds: Option<(Value, Value)>,
    /// Given from outside, for all days.
    pub given: Option<Value>,
    /// Whether the policy overrides the value of its own file, if that is another.
    pub is_overridden: bool,
}

#[derive(Clone, Debug)]
pub struct Policy {
    /// Whether people bring ready metrics, many at a time; otherwise fields of a request, one at a time.
    pub is_ready: bool,
    /// The policy itself, then the files it uses.
    pub files: Vec<File>,
    pub homes: Homes,
    pub names: Names,
    pub version: String,
    pub valid_from: Option<i64>,
    pub valid_to: Option<i64>,
    /// `days`, `weeks` or `months`.
    pub tenure_unit: &'static str,
    pub fee_deducted: bool,
    /// Which of [`INPUTS`] are declared, which come from the bureau, and which are required.
    pub declared: Vec<bool>,
    pub bureau: Vec<bool>,
    pub required: Vec<bool>,
    pub parameters: Vec<Parameter>,
    pub metrics: Vec<Expr>,
    pub requirements: Vec<Requirement>,
    pub score: Option<Score>,
    pub tables: Vec<Table>,
    /// The limit, and the existing debt.
    pub exposure: Option<(Expr, Option<Expr>)>,
    /// Amount and tenure asked for.
    pub ask: Option<(Option<Expr>, Option<Expr>)>,
    pub offers: Vec<Offer>,
}

/// A person: the day, the customer, and a value for each input, if known.
#[derive(Clone, Debug)]
pub struct Person {
    pub as_of: Option<i64>,
    pub customer: Option<String>,
    pub inputs: Vec<Option<Value>>,
    /// The entries of [`super::entries::LIST`], if the report has it.
    pub debts: Option<Vec<super::entries::Entry>>,
}
