//! Expressions as the reference knows them: a tree with types, and how it is written in a rule file.

/// What a value is. The float forms are means and ratios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Money,
    MoneyMean,
    Count,
    Ratio,
    Date,
    Days,
    DaysMean,
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Transaction,
    Month,
    Metric,
}

#[derive(Clone, Debug)]
pub(crate) enum Expression {
    /// A column of a transaction or a month, or a fact of the statement.
    Name(&'static str),
    /// A definition of a rule file, by its number.
    Defined(Level, usize),
    /// A parameter and its value.
    Parameter(&'static str, i64),
    Bare(i64),
    BareRatio(f64),
    /// Major units, beside money.
    BareMoney(i64),
    Truth(bool),
    Text(&'static str),
    Date(&'static str, i64),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Compare(&'static str, Box<Expression>, Box<Expression>),
    Arithmetic(char, Box<Expression>, Box<Expression>),
    /// A date, so many days on (`+`) or back (`-`).
    Shift(char, Box<Expression>, Box<Expression>),
    Between(Box<Expression>, Box<Expression>, Box<Expression>),
    In(Box<Expression>, Vec<Expression>),
    Like(Box<Expression>, &'static str, bool),
    IsNull(Box<Expression>, bool),
    IsTruth(Box<Expression>, bool),
    Case(Vec<(Expression, Expression)>, Option<Box<Expression>>),
    Call(&'static str, Vec<Expression>),
    Within(i64),
    /// The narration has a word of the list.
    Mentions,
    /// Unknown with fewer full months.
    NeedsMonths(i64, Box<Expression>),
    Aggregate(Aggregate),
}

#[derive(Clone, Debug)]
pub(crate) struct Aggregate {
    pub(crate) name: &'static str,
    pub(crate) distinct: bool,
    /// None of them is `*`.
    pub(crate) arguments: Vec<Expression>,
    /// Whether the first argument is a mean or a ratio: a sum over no rows cannot tell.
    pub(crate) floats: bool,
    /// Of a quantile.
    pub(crate) fraction: Option<f64>,
    pub(crate) filter: Option<Box<Expression>>,
}

impl Level {
    pub(crate) fn name(self, number: usize) -> String {
        let letter = match self {
            Level::Transaction => 't',
            Level::Month => 'm',
            Level::Metric => 'k',
        };
        format!("{letter}{number}")
    }
}

impl Expression {
    /// As a rule file says it. Every part is in brackets: how tightly operators bind is tested elsewhere.
    pub(crate) fn sql(&self) -> String {
        use Expression as E;
        match self {
            E::Name(name) => (*name).to_owned(),
            E::Defined(level, number) => level.name(*number),
            E::Parameter(name, _) => format!("${name}"),
            E::Bare(number) | E::BareMoney(number) => number.to_string(),
            E::BareRatio(number) => format!("{number:?}"),
            E::Truth(truth) => truth.to_string().to_uppercase(),
            E::Text(text) => format!("'{}'", text.replace('\'', "''")),
            E::Date(text, _) => format!("DATE '{text}'"),
            E::Not(inner) => format!("(NOT {})", inner.sql()),
            E::Negate(inner) => format!("(- {})", inner.sql()),
            E::And(left, right) => format!("({} AND {})", left.sql(), right.sql()),
            E::Or(left, right) => format!("({} OR {})", left.sql(), right.sql()),
            E::Compare(sign, left, right) => format!("({} {sign} {})", left.sql(), right.sql()),
            E::Arithmetic(sign, left, right) | E::Shift(sign, left, right) => {
                format!("({} {sign} {})", left.sql(), right.sql())
            }
            E::Between(value, low, high) => format!("({} BETWEEN {} AND {})", value.sql(), low.sql(), high.sql()),
            E::In(value, list) => format!("({} IN ({}))", value.sql(), list_sql(list)),
            E::Like(text, pattern, any_case) => {
                format!("({} {} '{pattern}')", text.sql(), if *any_case { "ILIKE" } else { "LIKE" })
            }
            E::IsNull(inner, wanted) => format!("({} IS {}NULL)", inner.sql(), if *wanted { "" } else { "NOT " }),
            E::IsTruth(inner, truth) => format!("({} IS {})", inner.sql(), truth.to_string().to_uppercase()),
            E::Case(arms, otherwise) => {
                let arms = arms.iter().map(|(test, value)| format!(" WHEN {} THEN {}", test.sql(), value.sql()));
                let otherwise = otherwise.as_ref().map(|value| format!(" ELSE {}", value.sql())).unwrap_or_default();
                format!("(CASE{}{otherwise} END)", arms.collect::<String>())
            }
            E::Call(name, arguments) => format!("{name}({})", list_sql(arguments)),
            E::Within(days) => format!("within({days})"),
            E::Mentions => "mentions(words)".to_owned(),
            E::NeedsMonths(months, inner) => format!("needs_months({months}, {})", inner.sql()),
            E::Aggregate(aggregate) => aggregate.sql(),
        }
    }

    /// What it is made of, one level down.
    pub(crate) fn parts(&self) -> Vec<&Expression> {
        use Expression as E;
        match self {
            E::Not(inner)
            | E::Negate(inner)
            | E::Like(inner, ..)
            | E::IsNull(inner, _)
            | E::IsTruth(inner, _)
            | E::NeedsMonths(_, inner) => vec![inner],
            E::And(left, right)
            | E::Or(left, right)
            | E::Compare(_, left, right)
            | E::Arithmetic(_, left, right)
            | E::Shift(_, left, right) => vec![left, right],
            E::Between(value, low, high) => vec![value, low, high],
            E::In(value, list) => std::iter::once(&**value).chain(list).collect(),
            E::Case(arms, otherwise) => {
                arms.iter().flat_map(|(test, value)| [test, value]).chain(otherwise.as_deref()).collect()
            }
            E::Call(_, arguments) => arguments.iter().collect(),
            E::Aggregate(aggregate) => aggregate.parts().collect(),
            _ => Vec::new(),
        }
    }

    /// Calls `visit` with this expression and every part of it.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(&Expression)) {
        visit(self);
        self.parts().into_iter().for_each(|part| part.each(visit));
    }
}

impl Aggregate {
    /// Arguments and filter.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Expression> {
        self.arguments.iter().chain(self.filter.as_deref())
    }

    fn sql(&self) -> String {
        let mut inside = list_sql(&self.arguments);
        if self.arguments.is_empty() {
            inside.push('*');
        }
        if let Some(fraction) = self.fraction {
            inside.push_str(&format!(", {fraction:?}"));
        }
        let distinct = if self.distinct { "DISTINCT " } else { "" };
        let filter = self.filter.as_ref().map(|filter| format!(" FILTER (WHERE {})", filter.sql())).unwrap_or_default();
        format!("{}({distinct}{inside}){filter}", self.name)
    }
}

fn list_sql(list: &[Expression]) -> String {
    list.iter().map(Expression::sql).collect::<Vec<_>>().join(", ")
}
