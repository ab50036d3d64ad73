//! A policy and a person's values as plain data. Knows neither TOML nor how anything is worked out.

/// What a value is, and whether it is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Whole minor units.
    Money,
    /// Minor units that need not be whole.
    MoneyMean,
    Count,
    Days,
    /// A float.
    Number,
    /// A float.
    Ratio,
    Date,
    Text,
    Truth,
}

/// A known value; dates are days since 1970-01-01.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Whole(i64),
    Float(f64),
    Truth(bool),
    Text(String),
}

/// An expression and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: Kind,
    pub op: Op,
}

/// What an expression does.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// One of [`INPUTS`].
    Input(usize),
    Metric(usize),
    Output(usize, usize),
    Score,
    Parameter(usize),
    AsOf,
    /// A name that only an offer knows.
    Own(&'static str),
    Literal(Value),
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
    Call(&'static str, Vec<Expr>),
}

impl Expr {
    pub fn new(kind: Kind, op: Op) -> Self {
        Self { kind, op }
    }
}

impl Kind {
    /// Held as a float.
    pub fn is_float(self) -> bool {
        matches!(self, Kind::MoneyMean | Kind::Number | Kind::Ratio)
    }
}

/// What each person brings: the fields of the request. Every policy declares all of them.
pub const INPUTS: [(&str, Kind); 12] = [
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
    ("bank", Kind::Text),
    ("agreed", Kind::Truth),
];

/// The texts that people bring and rules ask about.
pub const TEXTS: [&str; 5] = ["rent", "school", "Stock", "KUDA", "a b"];

/// A short test of one value, as cells of tables and bins of scores have it.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Anything,
    Unknown,
    /// `= 5`, `!= 5`, `< 5` and their like.
    Sign(&'static str, Value),
    /// Low, whether it belongs, high, whether it belongs.
    Range(Value, bool, Value, bool),
    Any(Vec<Cell>),
    None(Vec<Cell>),
}

/// What follows where a requirement is not met, or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    Pass,
    Refer,
    Decline,
}

#[derive(Clone, Debug)]
pub struct Requirement {
    pub when: Expr,
    /// Not written where it is the default.
    pub otherwise: Option<Effect>,
    pub unknown: Option<Effect>,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub on: Expr,
    pub bins: Vec<(Cell, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hit {
    First,
    Unique,
    Any,
}

#[derive(Clone, Debug)]
pub struct Table {
    pub hit: Hit,
    pub inputs: Vec<Expr>,
    pub outputs: Vec<Kind>,
    pub rows: Vec<(Vec<Cell>, Vec<Value>)>,
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
    pub interest: Expr,
    pub method: Method,
    pub fee: Option<Expr>,
    pub valid_for_days: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct Policy {
    pub valid_from: Option<i64>,
    pub valid_to: Option<i64>,
    pub tenure_in_days: bool,
    pub fee_deducted: bool,
    pub parameters: Vec<(Kind, Value)>,
    pub metrics: Vec<Expr>,
    pub requirements: Vec<Requirement>,
    pub score: Option<(f64, Vec<Item>)>,
    pub tables: Vec<Table>,
    pub offers: Vec<Offer>,
}

/// A person: the day, and a value for each input, if it is known.
#[derive(Clone, Debug)]
pub struct Person {
    pub as_of: Option<i64>,
    pub inputs: Vec<Option<Value>>,
}
