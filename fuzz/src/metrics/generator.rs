//! Random rules and statements out of a tape of numbers. Smaller numbers make simpler things, so that failures shrink.

use super::calendar::first_day;
use super::expression::{Aggregate, Expression, Grain, Kind, Level};
use super::leaves::{constant, facts, group_leaves, record_leaves};
use super::statement::{Record, Rules};
use Expression as E;

/// Numbers to choose by, followed by zeros.
pub(crate) struct Tape<'t> {
    numbers: &'t [u32],
    at: usize,
}

/// Where an expression occurs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// In an aggregate over records, perhaps in a group's section, or under `[transaction]`.
    Record(Option<Level>),
    /// In an aggregate over groups.
    Row(Level),
    /// Under `[month]`, `[week]`, `[day]`, `[counterparty]`.
    Section(Level),
    /// Under `[metric]`.
    Metric,
}

pub(crate) const PARAMETERS: &str = "[words]\nwords = [\"salary\", \"pos\"]\n\n[list.texts]\nfile = \"texts.csv\"\n\
    key = \"text\"\nuntil = \"until\"\n\n[parameters]\n\
    step = { value = 750.25, unit = \"money\" }\nwhile = { value = 45, unit = \"days\" }\n";

const CODES: [&str; 3] = ["TRF", "POS", "csh"];
const NARRATIONS: [&str; 6] = [
    "Salary June",
    "NIP/ADA OBI/x_y 100%",
    "",
    "ÉCOLE ŁÓDŹ ΟΔΟΣΑ",
    "pos purchase",
    "a very long narration of nothing much, which goes on and on",
];
/// Narrations that name nobody: without a letter.
const NAMELESS: [&str; 2] = ["2024/01/31", "100%"];
const PEOPLE: [&str; 4] = ["Ada Obi", "ADA OBI", "Kuda", "Łódź Sp"];
/// `!` makes the next sign an ordinary letter.
const PATTERNS: [&str; 11] = ["%", "%a%", "S%e", "_OS%", "%O_I%", "", "%ó%", "%οδΟΣ%", "%!_%", "%0!%", "%x!_%!%!!"];

impl<'t> Tape<'t> {
    pub(crate) fn new(numbers: &'t [u32]) -> Self {
        Self { numbers, at: 0 }
    }

    fn next(&mut self) -> u32 {
        let number = self.numbers.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        number
    }

    /// A number below `count`.
    fn below(&mut self, count: usize) -> usize {
        self.next() as usize % count.max(1)
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// True now and then.
    fn seldom(&mut self) -> bool {
        self.below(4) == 3
    }
}

/// The kinds of the definitions so far.
#[derive(Default)]
struct Known {
    transactions: Vec<Kind>,
    groups: [Vec<Kind>; 4],
    metrics: Vec<Kind>,
}

struct Maker<'m, 't> {
    tape: &'m mut Tape<'t>,
    known: Known,
}

const OF_RECORDS: [Kind; 7] = [Kind::Money, Kind::Bool, Kind::Count, Kind::Date, Kind::Ratio, Kind::Text, Kind::Days];
const OF_GROUPS: [Kind; 7] =
    [Kind::Money, Kind::Count, Kind::MoneyMean, Kind::Ratio, Kind::Bool, Kind::Date, Kind::Text];
const OF_STATEMENTS: [Kind; 9] = [
    Kind::Money,
    Kind::Count,
    Kind::Bool,
    Kind::Ratio,
    Kind::MoneyMean,
    Kind::Date,
    Kind::Days,
    Kind::DaysMean,
    Kind::Text,
];

/// Definitions of transactions, of two sorts of groups, of transactions again, which may use the groups, and metrics.
pub(crate) fn rules(tape: &mut Tape<'_>) -> Rules {
    let mut maker = Maker { tape, known: Known::default() };
    let mut rules = Rules::default();
    let transaction = |maker: &mut Maker, rules: &mut Rules| {
        let kind = maker.tape.one(&OF_RECORDS);
        rules.transactions.push(maker.make(kind, Place::Record(None), 2));
        maker.known.transactions.push(kind);
    };
    (0..2).for_each(|_| transaction(&mut maker, &mut rules));
    let first = maker.tape.below(4);
    for at in [first, first, (first + 1 + maker.tape.below(3)) % 4] {
        let kind = maker.tape.one(&OF_GROUPS);
        rules.groups[at].push(maker.make(kind, Place::Section(Level::GROUPS[at]), 1));
        maker.known.groups[at].push(kind);
    }
    transaction(&mut maker, &mut rules);
    for _ in 0..3 {
        let kind = maker.tape.one(&OF_STATEMENTS);
        rules.metrics.push(maker.make(kind, Place::Metric, 2));
        maker.known.metrics.push(kind);
    }
    rules
}

impl Maker<'_, '_> {
    fn make(&mut self, kind: Kind, place: Place, depth: usize) -> Expression {
        if depth == 0 || self.tape.below(3) == 0 {
            return self.leaf(kind, place, depth);
        }
        let depth = depth - 1;
        match self.tape.below(12) {
            10 | 11 => self.among(kind, place, depth),
            9 if place == Place::Metric => E::NeedsMonths(self.tape.below(3) as i64, self.boxed(kind, place, depth)),
            0 | 1 => self.leaf(kind, place, depth),
            2 => {
                let arms = (0..1 + self.tape.below(2))
                    .map(|_| (self.make(Kind::Bool, place, depth), self.make(kind, place, depth)));
                let mut arms: Vec<_> = arms.collect();
                if self.tape.seldom() {
                    arms.insert(0, (self.make(Kind::Bool, place, depth), E::Null));
                }
                let otherwise = self.tape.seldom().then(|| Box::new(self.make(kind, place, depth)));
                E::Case(arms, otherwise)
            }
            3 => {
                let name = self.tape.one(&["coalesce", "nullif"]);
                E::Call(name, vec![self.make(kind, place, depth), self.make(kind, place, depth)])
            }
            4 if !matches!(kind, Kind::Bool | Kind::Text) => {
                let name = self.tape.one(&["least", "greatest"]);
                E::Call(name, (0..2 + self.tape.below(2)).map(|_| self.make(kind, place, depth)).collect())
            }
            _ => self.operation(kind, place, depth),
        }
    }

    fn boxed(&mut self, kind: Kind, place: Place, depth: usize) -> Box<Expression> {
        Box::new(self.make(kind, place, depth))
    }

    fn operation(&mut self, kind: Kind, place: Place, depth: usize) -> Expression {
        let arithmetic = |maker: &mut Self, sign: char, left: Kind, right: Kind| {
            E::Arithmetic(sign, maker.boxed(left, place, depth), maker.boxed(right, place, depth))
        };
        match (kind, self.tape.below(6)) {
            (Kind::Bool, choice) => self.test(choice, place, depth),
            (Kind::Money | Kind::Count | Kind::Days, 0) => arithmetic(self, '+', kind, kind),
            (Kind::Money | Kind::Count | Kind::Days, 1) => arithmetic(self, '-', kind, kind),
            (Kind::Money, 2) => arithmetic(self, '*', Kind::Money, Kind::Count),
            (Kind::Money, 3) => {
                let name = self.tape.one(&["round_down", "round_up"]);
                E::Call(name, vec![self.make(kind, place, depth), E::Parameter("step", 75_025)])
            }
            (Kind::Money, 4) => E::Arithmetic(
                '+',
                self.boxed(kind, place, depth),
                Box::new(E::BareMoney(self.tape.below(5_000) as i64)),
            ),
            (Kind::Money, _) if self.tape.below(2) == 0 => arithmetic(self, '%', kind, kind),
            (Kind::Money, _) => {
                let name = self.tape.one(&["round", "round_half_even", "floor", "ceil"]);
                E::Call(name, vec![self.make(Kind::MoneyMean, place, depth)])
            }
            (Kind::Count, 2) => arithmetic(self, '*', Kind::Count, Kind::Count),
            (Kind::Count, 3) => {
                let part = self.tape.one(&["year", "month", "day", "weekday", "day_of_year"]);
                E::Call(part, vec![self.make(Kind::Date, place, depth)])
            }
            (Kind::Count, 5) => E::Call("years_between", (0..2).map(|_| self.make(Kind::Date, place, depth)).collect()),
            (Kind::Count, 4) => E::Call("length", vec![self.make(Kind::Text, place, depth)]),
            (Kind::Count, _) => arithmetic(self, '%', kind, kind),
            (Kind::Days, 2 | 3) => arithmetic(self, '-', Kind::Date, Kind::Date),
            (Kind::Days, _) => E::Call("abs", vec![self.make(Kind::Days, place, depth)]),
            (Kind::Date, 0 | 1) => {
                E::Shift('+', self.boxed(Kind::Date, place, depth), self.boxed(Kind::Days, place, depth))
            }
            (Kind::Date, 2) => {
                E::Shift('-', self.boxed(Kind::Date, place, depth), self.boxed(Kind::Days, place, depth))
            }
            (Kind::Date, 3) => E::Call("month_start_of", vec![self.make(Kind::Date, place, depth)]),
            (Kind::Date, _) => {
                E::Call("add_months", vec![self.make(Kind::Date, place, depth), E::Bare(self.tape.below(30) as i64)])
            }
            (Kind::MoneyMean, 0) => arithmetic(self, '/', Kind::Money, Kind::Count),
            (Kind::MoneyMean, 1) => arithmetic(self, '+', Kind::MoneyMean, Kind::Money),
            (Kind::MoneyMean, 2) => arithmetic(self, '*', Kind::Ratio, Kind::Money),
            (Kind::MoneyMean | Kind::DaysMean, _) => E::Negate(self.boxed(kind, place, depth)),
            (Kind::Ratio, 0 | 1) => arithmetic(self, '/', Kind::Money, Kind::Money),
            (Kind::Ratio, 2) => arithmetic(self, '/', Kind::Count, Kind::Count),
            (Kind::Ratio, 3) => arithmetic(self, '*', Kind::Ratio, Kind::Ratio),
            (Kind::Ratio, 4) => {
                E::Arithmetic('-', Box::new(E::BareRatio("1.0")), self.boxed(Kind::Ratio, place, depth))
            }
            (Kind::Ratio, _) => match self.tape.below(4) {
                0 => arithmetic(self, '/', Kind::Days, Kind::Days),
                1 => E::Call("to_number", vec![self.make(Kind::Text, place, depth)]),
                _ => {
                    let name = self.tape.one(&["sqrt", "ln", "exp"]);
                    let of = self.tape.one(&[Kind::Ratio, Kind::Count]);
                    E::Call(name, vec![self.make(of, place, depth)])
                }
            },
            (Kind::Text, choice) => self.text(choice, place, depth),
        }
    }

    fn text(&mut self, choice: usize, place: Place, depth: usize) -> Expression {
        let mut arguments = vec![self.make(Kind::Text, place, depth)];
        let part = |maker: &mut Self| match maker.tape.below(3) {
            0 => maker.make(Kind::Text, place, depth),
            _ => E::Text(maker.tape.one(&["a", "ry", " ", "O", "100", "Σ"])),
        };
        let name = match choice {
            0 => "lower",
            1 => "upper",
            2 => "trim",
            3 => {
                arguments.extend((0..2).map(|_| part(self)));
                "replace"
            }
            _ => {
                // From nowhere, from the beginning, from within, from beyond the end.
                let start = match self.tape.below(4) {
                    0 => self.make(Kind::Count, place, depth),
                    start => E::Bare([1, 2, 9][start - 1]),
                };
                let length = (self.tape.below(2) == 0).then(|| match self.tape.below(4) {
                    0 => self.make(Kind::Count, place, depth),
                    length => E::Bare([0, 1, 4][length - 1]),
                });
                arguments.push(start);
                arguments.extend(length);
                "substring"
            }
        };
        E::Call(name, arguments)
    }

    /// A condition on a part of a text, or on the time between two dates.
    fn within_text_or_time(&mut self, place: Place, depth: usize) -> Expression {
        if self.tape.below(3) == 0 {
            let between = E::Call("months_between", (0..2).map(|_| self.make(Kind::Date, place, depth)).collect());
            let months = E::Bare([0, 1, 2, 12][self.tape.below(4)]);
            return E::Compare(self.tape.one(&["=", ">", "<="]), Box::new(between), Box::new(months));
        }
        let part = match self.tape.below(3) {
            0 => self.make(Kind::Text, place, depth),
            _ => E::Text(self.tape.one(&["Sal", "e", "OBI", "100%", "se"])),
        };
        let name = self.tape.one(&["starts_with", "ends_with", "contains", "in_list"]);
        if name == "in_list" {
            return E::InList(self.boxed(Kind::Text, place, depth));
        }
        E::Call(name, vec![self.make(Kind::Text, place, depth), part])
    }

    fn test(&mut self, choice: usize, place: Place, depth: usize) -> Expression {
        let any =
            [Kind::Money, Kind::Count, Kind::Date, Kind::Ratio, Kind::MoneyMean, Kind::Days, Kind::Text, Kind::Bool];
        match choice {
            0 => {
                let kind = self.tape.one(&any);
                let sign = self.tape.one(&["=", "<>", "<", "<=", ">", ">="]);
                E::Compare(sign, self.boxed(kind, place, depth), self.boxed(kind, place, depth))
            }
            1 => E::And(self.boxed(Kind::Bool, place, depth), self.boxed(Kind::Bool, place, depth)),
            2 => E::Or(self.boxed(Kind::Bool, place, depth), self.boxed(Kind::Bool, place, depth)),
            3 => match self.tape.below(3) {
                0 => E::Not(self.boxed(Kind::Bool, place, depth)),
                1 => E::IsTruth(self.boxed(Kind::Bool, place, depth), self.tape.below(2) == 0),
                _ if self.tape.seldom() => {
                    let kind = self.tape.one(&any);
                    E::Call("is_unknown", vec![self.make(kind, place, depth)])
                }
                _ => {
                    let kind = self.tape.one(&any);
                    E::IsNull(self.boxed(kind, place, depth), self.tape.below(2) == 0)
                }
            },
            4 => {
                let kind = self.tape.one(&[Kind::Money, Kind::Count, Kind::Date]);
                let [value, low, high] = [(); 3].map(|()| self.boxed(kind, place, depth));
                E::Between(value, low, high)
            }
            _ => match self.tape.below(4) {
                3 => self.within_text_or_time(place, depth),
                0 => E::Like(self.boxed(Kind::Text, place, depth), self.tape.one(&PATTERNS), self.tape.below(2) == 1),
                1 => {
                    let items = (0..1 + self.tape.below(3)).map(|_| E::Bare(self.tape.below(13) as i64));
                    let items = items.collect();
                    // A bare number next to bare numbers would mean something else.
                    E::In(Box::new(self.leaf(Kind::Count, place, depth)), items)
                }
                _ => {
                    let items = (0..1 + self.tape.below(3)).map(|_| E::Text(self.tape.one(&CODES))).collect();
                    E::In(self.boxed(Kind::Text, place, depth), items)
                }
            },
        }
    }

    /// Expressions that look from one row at others.
    fn among(&mut self, kind: Kind, place: Place, depth: usize) -> Expression {
        let own = if let Place::Section(level) = place { Grain::Group(level) } else { Grain::Coarse };
        if matches!(place, Place::Record(_))
            && matches!(kind, Kind::Money | Kind::Count | Kind::Days)
            && self.tape.below(2) == 0
        {
            let name = self.tape.one(&["sum_after", "sum_before"]);
            let inner = self.boxed(kind, place, depth);
            let days = match self.tape.below(4) {
                3 => self
                    .known
                    .metrics
                    .iter()
                    .position(|known| *known == Kind::Days)
                    .map(|at| E::Defined(Level::Metric, at)),
                2 => None,
                days => Some(E::Bare([7, 1][days])),
            };
            return E::SumNear(name, inner, Box::new(days.unwrap_or(E::Parameter("while", 45))));
        }
        if kind == Kind::Count && self.tape.below(2) == 0 {
            let of = self.tape.one(&[Kind::Money, Kind::Count, Kind::Date, Kind::MoneyMean, Kind::Days]);
            let inner = self.make(of, place, depth);
            if inner.grain(own) != Grain::Coarse {
                return E::Among("rank", Box::new(inner));
            }
        }
        let inner = self.make(kind, place, depth);
        match inner.grain(own).is_ordered() {
            true => E::Among(self.tape.one(&["previous", "next", "carried"]), Box::new(inner)),
            false => inner,
        }
    }

    fn leaf(&mut self, kind: Kind, place: Place, depth: usize) -> Expression {
        let of = |kinds: &[Kind], level: Level| {
            let fitting = kinds.iter().enumerate().filter(|(_, known)| **known == kind);
            fitting.map(|(number, _)| E::Defined(level, number)).collect::<Vec<_>>()
        };
        let of_group = |known: &Known, level: Level| {
            let mut leaves = group_leaves(level, kind);
            leaves.extend(of(&known.groups[level.index()], level));
            leaves
        };
        let mut leaves = Vec::new();
        match place {
            Place::Record(section) => {
                leaves = record_leaves(kind);
                leaves.extend(of(&self.known.transactions, Level::Transaction));
                if self.tape.seldom() {
                    let level = self.tape.one(&Level::GROUPS);
                    let of_other = of_group(&self.known, level);
                    // Alone, so that sometimes the whole expression is of groups.
                    if Some(level) != section && !of_other.is_empty() {
                        leaves = of_other;
                    }
                }
            }
            Place::Row(level) | Place::Section(level) => leaves = of_group(&self.known, level),
            Place::Metric => {}
        }
        leaves.extend(facts(kind));
        leaves.extend(of(&self.known.metrics, Level::Metric));
        let aggregates = matches!(place, Place::Section(_) | Place::Metric);
        if aggregates && (leaves.is_empty() || !self.tape.seldom()) {
            return self.aggregate(kind, place, depth);
        }
        if leaves.is_empty() {
            return constant(kind);
        }
        let at = self.tape.below(leaves.len());
        leaves.swap_remove(at)
    }

    fn aggregate(&mut self, kind: Kind, place: Place, depth: usize) -> Expression {
        let inner = match place {
            Place::Section(level) => Place::Record(Some(level)),
            _ if self.tape.below(2) == 1 => {
                let made = Level::GROUPS.into_iter().filter(|level| !self.known.groups[level.index()].is_empty());
                let made: Vec<Level> = made.collect();
                if self.tape.seldom() {
                    Place::Row(self.tape.one(&Level::GROUPS))
                } else {
                    Place::Row(self.tape.one(&made))
                }
            }
            _ => Place::Record(None),
        };
        let any = [Kind::Money, Kind::Date, Kind::Text, Kind::Count, Kind::Bool];
        let means = ["avg", "median", "quantile", "stddev", "regr_slope"];
        let picks = ["min", "max", "first", "last", "arg_max", "arg_min", "mode"];
        let (name, argument) = match kind {
            Kind::Money => {
                (self.tape.one(&["sum", "min", "max", "first", "last", "arg_max", "mode"]), Some(Kind::Money))
            }
            Kind::Count if self.tape.below(3) > 0 => (self.tape.one(&["sum", "max", "mode"]), Some(Kind::Count)),
            Kind::Count => ("count", if self.tape.below(2) == 0 { None } else { Some(self.tape.one(&any)) }),
            Kind::MoneyMean => (self.tape.one(&means), Some(Kind::Money)),
            Kind::Ratio if self.tape.seldom() => ("benford", Some(Kind::Money)),
            Kind::Ratio => {
                (self.tape.one(&["avg", "max", "median", "sum", "stddev", "quantile", "regr_slope"]), Some(Kind::Ratio))
            }
            Kind::Date => (self.tape.one(&picks), Some(Kind::Date)),
            Kind::Days if self.tape.below(2) == 0 => ("max_gap", Some(Kind::Date)),
            Kind::Days => (self.tape.one(&["sum", "max", "min"]), Some(Kind::Days)),
            Kind::DaysMean if self.tape.below(2) == 0 => ("avg_gap", Some(Kind::Date)),
            Kind::DaysMean => (self.tape.one(&["avg", "median", "stddev"]), Some(Kind::Days)),
            Kind::Bool => (self.tape.one(&["first", "last", "mode"]), Some(Kind::Bool)),
            Kind::Text => (self.tape.one(&["first", "last", "arg_max", "mode"]), Some(Kind::Text)),
        };
        let mut arguments: Vec<Expression> =
            argument.iter().map(|kind| self.make(*kind, inner, depth.min(1))).collect();
        if name.starts_with("arg_") || name == "regr_slope" {
            let by = self.tape.one(&[Kind::Money, Kind::Count]);
            arguments.push(self.make(by, inner, depth.min(1)));
        }
        let fraction = (name == "quantile").then(|| self.tape.one(&["0.9", "0.1", "0.25", "0.0", "1.0"]));
        let distinct = name == "count" && argument.is_some() && self.tape.below(2) == 0;
        let filter = (self.tape.below(2) == 1).then(|| self.boxed(Kind::Bool, inner, depth.max(1)));
        let of_fractions = argument == Some(Kind::Ratio);
        let mut aggregate = Aggregate { name, distinct, arguments, of_fractions, fraction, filter };
        // A group's value counted once for each of its records is refused; so are groups of another sort in a section.
        if aggregate.repeats_groups() {
            match place {
                Place::Section(_) => return constant(kind),
                _ if aggregate.grain() == Grain::Record => aggregate.filter = None,
                _ => {}
            }
        }
        E::Aggregate(aggregate)
    }
}

/// The records of one statement, and the day of the decision. Some records are later, and some amounts are as large as
/// possible.
pub(crate) fn statement(tape: &mut Tape<'_>) -> (Vec<Record>, Option<i64>) {
    let mut day = first_day(2024 * 12) + tape.below(60) as i64;
    let mut records = Vec::new();
    let count = tape.below(14);
    // Enough records for first digits to be meaningful.
    let is_long = tape.below(40) == 39;
    for number in 0..if is_long { 101 + count } else { count } {
        day += if is_long { tape.one(&[0, 1]) } else { tape.one(&[1, 0, 3, 20, 45]) };
        let amount = |tape: &mut Tape<'_>| match tape.below(12) {
            _ if is_long => (number * number * 37 + tape.below(900)) as i64 % 40_000 + 1,
            11 => i64::MAX - tape.below(3) as i64,
            10 => 4_000_000_000_000_000_000,
            // Often the same amount, so that there are equals and mirrors.
            5..=9 => 75_025,
            _ => tape.below(200_000) as i64,
        };
        let debit = tape.seldom();
        // Some sources fill in the other side.
        let other = count.is_multiple_of(3).then_some(0);
        let value = amount(tape);
        let person = (!tape.seldom()).then(|| tape.one(&PEOPLE));
        let narrations: &[&'static str] = if person.is_some() { &NARRATIONS } else { &NAMELESS };
        records.push(Record {
            id: format!("{number:03}"),
            date: day,
            cleared: tape.seldom().then(|| day + tape.below(4) as i64),
            credit: (!debit).then_some(value),
            debit: if debit { Some(value) } else { other },
            balance: tape.seldom().then(|| amount(tape) - 50_000),
            code: (tape.below(2) == 0).then(|| tape.one(&CODES)),
            desc: (!tape.seldom()).then(|| tape.one(narrations)).filter(|text| !text.is_empty()),
            person,
        });
    }
    let as_of = (tape.below(2) == 0).then(|| day - tape.below(50) as i64);
    (records, as_of)
}
