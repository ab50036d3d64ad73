//! Expressions of the reference: a typed tree, and its text in a rule file.

/// The type of a value. Means and ratios need not be whole.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Level {
    Transaction,
    Month,
    Week,
    Day,
    Counterparty,
    Metric,
}

/// What an expression has one value for each of: its grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Grain {
    /// The statement as a whole, or constant.
    Coarse,
    Group(Level),
    Record,
}

#[derive(Clone, Debug)]
pub(crate) enum Expression {
    /// A column of a transaction or a month, or a fact of the statement.
    Name(&'static str),
    /// A definition of a rule file, by its index.
    Defined(Level, usize),
    /// A parameter and its value.
    Parameter(&'static str, i64),
    Bare(i64),
    /// By its digits.
    BareRatio(&'static str),
    /// Major units, beside money.
    BareMoney(i64),
    Truth(bool),
    /// The result of an arm of a CASE.
    Null,
    Text(&'static str),
    Date(&'static str, i64),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Compare(&'static str, Box<Expression>, Box<Expression>),
    Arithmetic(char, Box<Expression>, Box<Expression>),
    /// A date plus (`+`) or minus (`-`) a number of days.
    Shift(char, Box<Expression>, Box<Expression>),
    Between(Box<Expression>, Box<Expression>, Box<Expression>),
    In(Box<Expression>, Vec<Expression>),
    Like(Box<Expression>, &'static str, bool),
    IsNull(Box<Expression>, bool),
    IsTruth(Box<Expression>, bool),
    Case(Vec<(Expression, Expression)>, Option<Box<Expression>>),
    Call(&'static str, Vec<Expression>),
    Within(i64),
    /// Whether the narration has a word of the list.
    Mentions,
    /// That word.
    Mentioned,
    /// Whether the counterparty's name has a word of the list.
    Named,
    /// Whether a text is on the list.
    InList(Box<Expression>),
    /// `previous`, `next`, `carried`, `rank`.
    Among(&'static str, Box<Expression>),
    /// `sum_after`, `sum_before`: what, within how many days.
    SumNear(&'static str, Box<Expression>, Box<Expression>),
    Mirrored(Box<Expression>),
    /// Unknown if there are fewer full months.
    NeedsMonths(i64, Box<Expression>),
    Aggregate(Aggregate),
}

#[derive(Clone, Debug)]
pub(crate) struct Aggregate {
    pub(crate) name: &'static str,
    pub(crate) distinct: bool,
    /// None of them is `*`.
    pub(crate) arguments: Vec<Expression>,
    /// Whether the first argument is a mean or a ratio: a sum over no rows has no type.
    pub(crate) of_fractions: bool,
    /// Of a quantile, by its digits.
    pub(crate) fraction: Option<&'static str>,
    pub(crate) filter: Option<Box<Expression>>,
}

impl Level {
    /// The sorts of groups.
    pub(crate) const GROUPS: [Level; 4] = [Level::Month, Level::Week, Level::Day, Level::Counterparty];

    pub(crate) fn name(self, number: usize) -> String {
        let letter = match self {
            Level::Transaction => 't',
            Level::Month => 'm',
            Level::Week => 'w',
            Level::Day => 'd',
            Level::Counterparty => 'c',
            Level::Metric => 'k',
        };
        format!("{letter}{number}")
    }

    /// Its place among the groups.
    pub(crate) fn index(self) -> usize {
        Level::GROUPS.iter().position(|group| *group == self).expect("a group")
    }

    pub(crate) fn grain(self) -> Grain {
        match self {
            Level::Transaction => Grain::Record,
            Level::Metric => Grain::Coarse,
            group => Grain::Group(group),
        }
    }
}

impl Grain {
    /// The grain where two sorts of groups meet: the records.
    pub(crate) fn meet(self, other: Grain) -> Grain {
        match (self, other) {
            (Grain::Coarse, other) | (other, Grain::Coarse) => other,
            (one, other) if one == other => one,
            _ => Grain::Record,
        }
    }

    pub(crate) fn of_name(name: &str) -> Grain {
        match name {
            "as_of" | "has_debit" | "has_balance" | "balance_verdict" => Grain::Coarse,
            "month_start" | "month_number" | "month_is_full" | "full_months_ago" | "month_records" => {
                Grain::Group(Level::Month)
            }
            "week_start" | "week_number" | "week_is_full" | "week_records" => Grain::Group(Level::Week),
            "day_date" | "day_number" | "day_records" => Grain::Group(Level::Day),
            "counterparty_records" => Grain::Group(Level::Counterparty),
            _ => Grain::Record,
        }
    }

    /// Whether its rows are in sequence.
    pub(crate) fn is_ordered(self) -> bool {
        !matches!(self, Grain::Coarse | Grain::Group(Level::Counterparty))
    }
}

impl Expression {
    /// As in a rule file, with brackets around every part: other tests cover operator precedence.
    pub(crate) fn sql(&self) -> String {
        use Expression as E;
        match self {
            E::Name(name) => (*name).to_owned(),
            E::Defined(level, number) => level.name(*number),
            E::Parameter(name, _) => format!("${name}"),
            E::Bare(number) | E::BareMoney(number) => number.to_string(),
            E::BareRatio(digits) => (*digits).to_owned(),
            E::Truth(truth) => truth.to_string().to_uppercase(),
            E::Null => "NULL".to_owned(),
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
                let escape = if pattern.contains('!') { " ESCAPE '!'" } else { "" };
                format!("({} {} '{pattern}'{escape})", text.sql(), if *any_case { "ILIKE" } else { "LIKE" })
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
            E::Mentioned => "mentioned(words)".to_owned(),
            E::Named => "named(words)".to_owned(),
            E::InList(text) => format!("in_list(texts, {})", text.sql()),
            E::Among(name, inner) => format!("{name}({})", inner.sql()),
            E::SumNear(name, inner, days) => format!("{name}({}, {})", inner.sql(), days.sql()),
            E::Mirrored(days) => format!("mirrored({})", days.sql()),
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
            | E::Among(_, inner)
            | E::InList(inner)
            | E::Mirrored(inner)
            | E::NeedsMonths(_, inner) => vec![inner],
            E::And(left, right)
            | E::Or(left, right)
            | E::Compare(_, left, right)
            | E::Arithmetic(_, left, right)
            | E::Shift(_, left, right)
            | E::SumNear(_, left, right) => vec![left, right],
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

    /// The grain; aggregates have the grain `own`.
    pub(crate) fn grain(&self, own: Grain) -> Grain {
        use Expression as E;
        match self {
            E::Name(name) => Grain::of_name(name),
            E::Defined(level, _) => level.grain(),
            E::Within(_) | E::Mentions | E::Mentioned | E::Named | E::SumNear(..) | E::Mirrored(_) => Grain::Record,
            E::Aggregate(_) => own,
            _ => self.parts().into_iter().fold(Grain::Coarse, |grain, part| grain.meet(part.grain(own))),
        }
    }

    /// Calls `visit` with this expression and every part of it.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(&Expression)) {
        visit(self);
        self.parts().into_iter().for_each(|part| part.each(visit));
    }
}

impl Aggregate {
    /// The grain of its arguments and its filter.
    pub(crate) fn grain(&self) -> Grain {
        self.parts().fold(Grain::Coarse, |grain, part| grain.meet(part.grain(Grain::Coarse)))
    }

    /// Whether repeated values change the result, so that a group's value would count once for each of its records.
    pub(crate) fn repeats_groups(&self) -> bool {
        let twice_is_once = ["min", "max", "first", "last", "arg_max", "arg_min", "max_gap", "avg_gap"];
        let given = self.arguments.iter().fold(Grain::Coarse, |grain, part| grain.meet(part.grain(Grain::Coarse)));
        matches!(given, Grain::Group(_)) && !self.distinct && !twice_is_once.contains(&self.name)
    }

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
            inside.push_str(&format!(", {fraction}"));
        }
        let distinct = if self.distinct { "DISTINCT " } else { "" };
        let filter = self.filter.as_ref().map(|filter| format!(" FILTER (WHERE {})", filter.sql())).unwrap_or_default();
        format!("{}({distinct}{inside}){filter}", self.name)
    }
}

fn list_sql(list: &[Expression]) -> String {
    list.iter().map(Expression::sql).collect::<Vec<_>>().join(", ")
}
