//! Random expressions with correct types. Knows nothing of their purpose.

use super::entries;
use super::model::{Bound, Expr, INPUTS, Kind, Op, TEXTS, Value};
use crate::exact;
use crate::random::Source;

/// What an expression may use at its place.
#[derive(Clone, Default)]
pub struct Scope {
    pub parameters: Vec<Kind>,
    pub metrics: Vec<Kind>,
    /// Table, output, its kind.
    pub outputs: Vec<(usize, usize, Kind)>,
    pub score: bool,
    pub own: Vec<(&'static str, Kind)>,
    pub principal_for: bool,
}

/// Makes expressions, and remembers their constants, so that people can be placed near them.
pub struct Maker<'m, 'b> {
    /// Whether people bring ready metrics.
    pub is_ready: bool,
    pub source: &'m mut Source<'b>,
    pub constants: Vec<(Kind, Value)>,
    /// What the cells of the table in hand may compare with.
    pub compared: Option<Scope>,
    /// Parameters with one value for all days, which cells may use.
    pub fixed: Vec<(usize, Kind, Value)>,
}

pub fn decimal(text: &str) -> Value {
    Value::Exact(exact::decimal(text))
}

const NUMBERS: [Kind; 6] = [Kind::Money, Kind::MoneyMean, Kind::Count, Kind::Days, Kind::Number, Kind::Ratio];

impl Maker<'_, '_> {
    pub fn kind(&mut self) -> Kind {
        let kinds = [
            Kind::Money,
            Kind::Count,
            Kind::Ratio,
            Kind::MoneyMean,
            Kind::Days,
            Kind::Number,
            Kind::Date,
            Kind::Text,
            Kind::Truth,
        ];
        self.source.one(&kinds)
    }

    /// A constant of a kind.
    pub fn constant(&mut self, kind: Kind) -> Value {
        let value = match kind {
            Kind::Money => Value::Whole(self.source.one(&[0, 100, 12_345, 500_000, 1_000_000, 25_000_000, -5_000])),
            // Nobody writes less than a minor unit.
            Kind::MoneyMean => Value::Whole(self.source.one(&[0, 100, 12_345, 500_000, 1_000_000])),
            Kind::Count => Value::Whole(self.source.one(&[0, 1, 2, 3, 5, 10])),
            Kind::Days => Value::Whole(self.source.one(&[0, 1, 7, 30, 45, 90])),
            Kind::Number => decimal(self.source.one(&["0", "0.5", "1", "1.5", "2.5", "4.35", "100"])),
            Kind::Ratio => decimal(self.source.one(&["0", "0.1", "0.25", "0.3", "0.5", "1"])),
            Kind::Date => Value::Whole(self.source.one(&[20_453, 20_634, 19_782, 20_454])),
            Kind::Text => Value::Text(self.source.one(&TEXTS).to_owned()),
            Kind::Truth => Value::Truth(self.source.below(2) == 0),
            Kind::List(_) => panic!("a list is made by list_of"),
        };
        self.constants.push((kind, value.clone()));
        value
    }

    /// A bound for cells, and its value.
    pub fn bound(&mut self, kind: Kind) -> (Bound, Value) {
        let money = |known: Kind| kind == Kind::MoneyMean && known == Kind::Money;
        let fits = |(_, known, _): &&(usize, Kind, Value)| *known == kind || money(*known);
        let fitting: Vec<(usize, Kind, Value)> = self.fixed.iter().filter(fits).cloned().collect();
        if !fitting.is_empty() && self.source.once_in(3) {
            let (at, _, value) = self.source.one(&fitting);
            return (Bound::Parameter(at), value);
        }
        let value = self.constant(kind);
        (Bound::Here(value.clone()), value)
    }

    fn literal(&mut self, kind: Kind) -> Expr {
        match self.constant(kind) {
            // Next to a mean, bare numbers are money.
            value if kind == Kind::MoneyMean => Expr::new(Kind::Money, Op::Literal(value)),
            value => Expr::new(kind, Op::Literal(value)),
        }
    }

    /// An expression that is not a bare constant.
    pub fn make(&mut self, kind: Kind, scope: &Scope, depth: usize) -> Expr {
        if let Kind::List(item) = kind {
            return self.list(*item, scope, depth);
        }
        if depth == 0 || self.source.below(4) == 0 {
            return self.leaf(kind, scope);
        }
        if !self.is_ready
            && depth > 1
            && self.source.once_in(8)
            && let Some(aggregate) = entries::aggregate(self, kind, scope)
        {
            return aggregate;
        }
        if kind != Kind::Truth && self.source.below(4) == 0 {
            return self.chosen(kind, scope, depth);
        }
        let op = match kind {
            Kind::Truth => return self.truth(scope, depth),
            Kind::Text => self.text(scope, depth),
            Kind::Date => self.date(scope, depth),
            kind => return self.number(kind, scope, depth),
        };
        Expr::new(kind, op)
    }

    /// As [`Maker::make`], or a constant: for the other side of an operator.
    fn beside(&mut self, kind: Kind, scope: &Scope, depth: usize) -> Expr {
        if self.source.below(2) == 0 { self.literal(kind) } else { self.make(kind, scope, depth) }
    }

    fn leaf(&mut self, kind: Kind, scope: &Scope) -> Expr {
        let mut leaves = self.leaves(kind, scope);
        if kind == Kind::MoneyMean {
            let input = if self.is_ready { Op::Given } else { Op::Input };
            let money = Expr::new(Kind::Money, input(self.source.below(2)));
            let share = Expr::new(Kind::Ratio, input(6 + self.source.below(2)));
            leaves.push(Op::Arithmetic('*', vec![money, share]));
        }
        let op = self.source.one(&leaves);
        Expr::new(kind, op)
    }

    /// The names available for a kind.
    fn leaves(&self, kind: Kind, scope: &Scope) -> Vec<Op> {
        let mut leaves: Vec<Op> = Vec::new();
        let named = |list: &[Kind], op: &dyn Fn(usize) -> Op, leaves: &mut Vec<Op>| {
            leaves.extend(list.iter().enumerate().filter(|(_, known)| **known == kind).map(|(at, _)| op(at)));
        };
        let inputs: Vec<Kind> = INPUTS.iter().map(|(_, kind)| *kind).collect();
        named(&inputs, if self.is_ready { &Op::Given } else { &Op::Input }, &mut leaves);
        named(&scope.parameters, &Op::Parameter, &mut leaves);
        named(&scope.metrics, &Op::Metric, &mut leaves);
        let outputs = scope.outputs.iter().filter(|(.., known)| *known == kind);
        leaves.extend(outputs.map(|(table, column, _)| Op::Output(*table, *column)));
        leaves.extend(scope.own.iter().filter(|(_, known)| *known == kind).map(|(name, _)| Op::Own(name)));
        if scope.score && kind == Kind::Number {
            leaves.extend([Op::Score, Op::Score]);
        }
        if kind == Kind::Date {
            leaves.push(Op::AsOf);
        }
        leaves
    }

    /// An available list, or one made of values and lists of one kind.
    fn list(&mut self, item: Kind, scope: &Scope, depth: usize) -> Expr {
        let kind = item.listed();
        let known = self.leaves(kind, scope);
        if !known.is_empty() && (depth == 0 || self.source.below(2) == 0) {
            return Expr::new(kind, self.source.one(&known));
        }
        let below = depth.saturating_sub(1);
        let mut parts = vec![self.make(item, scope, below)];
        for _ in 0..self.source.below(3) {
            parts.push(match self.source.below(3) {
                0 if depth > 0 => self.list(item, scope, below),
                // Numbers of several kinds are numbers.
                1 if item == Kind::Number => {
                    let kind = self.source.one(&[Kind::Count, Kind::Ratio]);
                    self.make(kind, scope, below)
                }
                _ => self.beside(item, scope, below),
            });
        }
        Expr::new(kind, Op::Call("list_of", parts))
    }

    fn text(&mut self, scope: &Scope, depth: usize) -> Op {
        match self.source.below(5) {
            4 => {
                let kind = self.kind();
                Op::Call("why", vec![self.make(kind, scope, depth - 1)])
            }
            0 => {
                let name = self.source.one(&["lower", "upper", "trim", "replace", "substring"]);
                let mut parts = vec![self.make(Kind::Text, scope, depth - 1)];
                match name {
                    "replace" => parts.extend((0..2).map(|_| self.beside(Kind::Text, scope, depth - 1))),
                    "substring" => {
                        parts.extend((0..1 + self.source.below(2)).map(|_| self.make(Kind::Count, scope, depth - 1)));
                    }
                    _ => {}
                }
                Op::Call(name, parts)
            }
            1 => Op::Call(
                "concat",
                (0..1 + self.source.below(3)).map(|_| self.beside(Kind::Text, scope, depth - 1)).collect(),
            ),
            _ => {
                let kinds = [Kind::Count, Kind::Days, Kind::Number, Kind::Ratio, Kind::Date, Kind::Text, Kind::Truth];
                let kind = self.source.one(&kinds);
                Op::Call("text_of", vec![self.make(kind, scope, depth - 1)])
            }
        }
    }

    fn pair(&mut self, kind: Kind, scope: &Scope, depth: usize) -> Vec<Expr> {
        vec![self.make(kind, scope, depth - 1), self.beside(kind, scope, depth - 1)]
    }

    /// A choice among values of one kind.
    fn chosen(&mut self, kind: Kind, scope: &Scope, depth: usize) -> Expr {
        let is_number = NUMBERS.contains(&kind);
        let op = match self.source.below(if is_number { 5 } else { 3 }) {
            0 => {
                let mut parts = self.pair(kind, scope, depth);
                if self.source.below(3) == 0 {
                    parts.push(self.beside(kind, scope, depth - 1));
                }
                Op::Call("coalesce", parts)
            }
            1 => {
                if self.source.below(3) == 0 {
                    return Expr::new(kind, self.switch(kind, scope, depth));
                }
                let mut arms = vec![(self.make(Kind::Truth, scope, depth - 1), self.make(kind, scope, depth - 1))];
                if self.source.once_in(5) {
                    arms.push((self.make(Kind::Truth, scope, depth - 1), Expr::new(kind, Op::Null)));
                }
                if self.source.below(3) == 0 {
                    arms.push((self.make(Kind::Truth, scope, depth - 1), self.beside(kind, scope, depth - 1)));
                }
                let otherwise = self.source.below(3) > 0;
                Op::Case(arms, otherwise.then(|| Box::new(self.beside(kind, scope, depth - 1))))
            }
            2 => Op::Call("nullif", self.pair(kind, scope, depth)),
            3 => Op::Call("least", self.pair(kind, scope, depth)),
            _ => Op::Call("greatest", self.pair(kind, scope, depth)),
        };
        Expr::new(kind, op)
    }

    /// `CASE x WHEN value THEN ...`
    fn switch(&mut self, kind: Kind, scope: &Scope, depth: usize) -> Op {
        let of = self.source.one(&[Kind::Text, Kind::Count, Kind::Money, Kind::Days, Kind::Date, Kind::Ratio]);
        let what = self.make(of, scope, depth - 1);
        let mut arms = Vec::new();
        for at in 0..1 + self.source.below(3) {
            let when = if at == 0 { self.literal(of) } else { self.beside(of, scope, depth - 1) };
            let then = if at == 0 { self.make(kind, scope, depth - 1) } else { self.beside(kind, scope, depth - 1) };
            arms.push((when, then));
        }
        let otherwise = self.source.below(3) > 0;
        Op::Switch(Box::new(what), arms, otherwise.then(|| Box::new(self.beside(kind, scope, depth - 1))))
    }

    fn date(&mut self, scope: &Scope, depth: usize) -> Op {
        let day = self.make(Kind::Date, scope, depth - 1);
        match self.source.below(4) {
            0 => Op::Arithmetic('+', vec![day, self.beside(Kind::Days, scope, depth - 1)]),
            1 => Op::Arithmetic('-', vec![day, self.beside(Kind::Days, scope, depth - 1)]),
            2 => Op::Call("add_months", vec![day, self.beside(Kind::Count, scope, depth - 1)]),
            _ => Op::Call("month_start_of", vec![day]),
        }
    }

    fn number(&mut self, kind: Kind, scope: &Scope, depth: usize) -> Expr {
        use Kind::{Count, Days, Money, MoneyMean, Number, Ratio};
        let below = depth - 1;
        let mixed = |maker: &mut Self, left: Kind, sign: char, right: Kind| {
            let left = maker.make(left, scope, below);
            let right = maker.make(right, scope, below);
            Op::Arithmetic(sign, vec![left, right])
        };
        let op = match (kind, self.source.below(6)) {
            (Money, 5) if scope.principal_for => {
                let count = match scope.own.iter().find(|(name, _)| *name == "instalments") {
                    Some((name, kind)) => Expr::new(*kind, Op::Own(name)),
                    None => self.literal(Count),
                };
                let instalment = self.source.one(&[Money, MoneyMean]);
                let instalment = self.make(instalment, scope, below);
                Op::Call("principal_for", vec![instalment, self.beside(Number, scope, below), count])
            }
            (Money, 4..) => {
                let name = self.source.one(&["round_down", "round", "round_half_even", "round_up", "floor", "ceil"]);
                let of = self.source.one(&[MoneyMean, Money]);
                let mut parts = vec![self.make(of, scope, below)];
                if name.starts_with("round") && self.source.below(2) == 0 {
                    parts.push(self.beside(Money, scope, below));
                }
                Op::Call(name, parts)
            }
            (Money | Days, 3) => mixed(self, kind, '*', Count),
            (Count, 3) => {
                let name = self.source.one(&["year", "month", "day", "weekday", "day_of_year", "years_between"]);
                let dates = if name == "years_between" { 2 } else { 1 };
                Op::Call(name, (0..dates).map(|_| self.make(Kind::Date, scope, below)).collect())
            }
            (Count, 4) if self.source.below(2) == 0 => {
                let list = self.kind().listed();
                Op::Call("list_length", vec![self.make(list, scope, below)])
            }
            (Count, 4) => Op::Call("length", vec![self.make(Kind::Text, scope, below)]),
            (Count, 5) => {
                let name = self.source.one(&["round_down", "round", "round_half_even", "round_up", "floor", "ceil"]);
                let of = self.source.one(&[Number, Ratio]);
                Op::Call(name, vec![self.make(of, scope, below)])
            }
            (Days, 4..) => mixed(self, Kind::Date, '-', Kind::Date),
            (MoneyMean, 0 | 1) => mixed(self, Money, '*', Ratio),
            (MoneyMean, 2) => mixed(self, Money, '/', Count),
            (MoneyMean, 3) => mixed(self, MoneyMean, '+', Money),
            (Number, 0) => mixed(self, Count, '*', Number),
            (Number, 1) => mixed(self, Count, '+', Ratio),
            (Number, 3) => {
                let name = self.source.one(&["sqrt", "ln", "exp", "to_number"]);
                let of = if name == "to_number" { Kind::Text } else { self.source.one(&[Number, Ratio, Count]) };
                Op::Call(name, vec![self.make(of, scope, below)])
            }
            (Number, 2) => {
                let [base, exponent] =
                    [self.source.one(&[Number, Ratio, Count]), self.source.one(&[Number, Ratio, Count])];
                let base = self.make(base, scope, below);
                Op::Call("power", vec![base, self.beside(exponent, scope, below)])
            }
            (Ratio, 0) => mixed(self, Money, '/', Money),
            (Ratio, 1) => mixed(self, Count, '/', Count),
            (Ratio, 2) => mixed(self, MoneyMean, '/', Money),
            (Ratio, 3) => mixed(self, Days, '/', Days),
            (kind, choice) if choice < 3 || kind.is_fraction() => self.same(kind, scope, depth),
            (kind, _) => Op::Arithmetic('%', self.pair(kind, scope, depth)),
        };
        Expr::new(kind, op)
    }

    /// Two expressions of the same kind.
    fn same(&mut self, kind: Kind, scope: &Scope, depth: usize) -> Op {
        match self.source.below(5) {
            0 => Op::Negate(Box::new(self.make(kind, scope, depth - 1))),
            1 => Op::Call("abs", vec![self.make(kind, scope, depth - 1)]),
            2 => {
                let mut parts = self.pair(kind, scope, depth);
                parts.reverse();
                Op::Arithmetic('-', parts)
            }
            sign => Op::Arithmetic(if sign == 3 { '+' } else { '-' }, self.pair(kind, scope, depth)),
        }
    }

    fn truth(&mut self, scope: &Scope, depth: usize) -> Expr {
        let below = depth - 1;
        let any = self.kind();
        let ordered = if any == Kind::Truth { Kind::Money } else { any };
        let op = match self.source.below(16) {
            14 => {
                let name = self.source.one(&["starts_with", "ends_with", "contains"]);
                Op::Call(name, self.pair(Kind::Text, scope, depth))
            }
            15 => {
                let between = Op::Call("months_between", self.pair(Kind::Date, scope, depth));
                // Months are beside a bare number, which counts months.
                let parts = vec![Expr::new(Kind::Count, between), self.literal(Kind::Count)];
                Op::Compare(self.source.one(&["<", "<=", ">", ">="]), parts)
            }
            0 => Op::And(self.truths(scope, depth)),
            1 => Op::Or(self.truths(scope, depth)),
            2 => Op::Not(Box::new(self.make(Kind::Truth, scope, below))),
            3 => {
                let mut parts = self.pair(ordered, scope, depth);
                parts.push(self.beside(ordered, scope, below));
                Op::Between(parts)
            }
            4 => {
                let kind = self.source.one(&[Kind::Text, Kind::Count, Kind::Money, Kind::Date]);
                let mut parts = self.pair(kind, scope, depth);
                parts.push(self.literal(kind));
                Op::In(parts)
            }
            5 => {
                let patterns = ["%o%", "s%", "_e%t", "%", "KUDA", "a_b", "%k", "", "a!_b", "%!%", "%n!_%"];
                let pattern = self.source.one(&patterns);
                let any_case = self.source.below(2) == 0;
                Op::Like(Box::new(self.make(Kind::Text, scope, below)), pattern, any_case)
            }
            6 => {
                let kind = if self.source.once_in(5) { any.listed() } else { any };
                Op::IsNull(Box::new(self.make(kind, scope, below)), self.source.below(2) == 0)
            }
            7 => Op::IsTruth(Box::new(self.make(Kind::Truth, scope, below)), self.source.below(2) == 0),
            8 => Op::Call("is_unknown", vec![self.make(any, scope, below)]),
            9 => {
                let item = if any == Kind::Truth { Kind::Text } else { any };
                let list = self.make(item.listed(), scope, below);
                Op::Call("list_contains", vec![list, self.beside(item, scope, below)])
            }
            _ => {
                let signs: &[&'static str] =
                    if any == Kind::Truth { &["=", "!="] } else { &["<", "<=", ">", ">=", "=", "!=", "<>"] };
                Op::Compare(self.source.one(signs), self.pair(any, scope, depth))
            }
        };
        Expr::new(Kind::Truth, op)
    }

    fn truths(&mut self, scope: &Scope, depth: usize) -> Vec<Expr> {
        let count = 2 + self.source.below(2);
        (0..count).map(|_| self.make(Kind::Truth, scope, depth - 1)).collect()
    }
}
