//! Random expressions whose values meet one another: percentages of amounts, quotients, sums of decimals, rounded
//! values. Computes no values.

use crate::exact::{self, Exact};
use crate::policy::model::{Expr, INPUTS, Kind, Op, Parameter, Value};
use crate::random::Source;

/// Makes expressions, and the parameters in them.
pub struct Terms<'t, 'b> {
    pub source: &'t mut Source<'b>,
    /// Whether people bring ready metrics.
    pub is_ready: bool,
    pub parameters: Vec<Parameter>,
}

/// The inputs by kind, from [`INPUTS`].
const MONEY: [usize; 2] = [0, 1];
const COUNTS: [usize; 2] = [2, 3];
const IDLE: usize = 4;
const FACTOR: usize = 5;
const SHARES: [usize; 2] = [6, 7];

/// Common shares.
const USUAL: [&str; 12] =
    ["0.35", "0.1", "0.3", "0.29", "1.15", "0.07", "0.005", "0.333333", "2.675", "0.57", "1.005", "0.0000125"];

/// Common rounding steps, and some unusual ones.
const STEPS: [&str; 8] = ["0.05", "0.01", "0.1", "0.25", "0.5", "0.3", "1.5", "0.0007"];

pub fn literal(kind: Kind, value: Exact) -> Expr {
    Expr::new(kind, Op::Literal(Value::Exact(value)))
}

pub fn whole(kind: Kind, value: i64) -> Expr {
    Expr::new(kind, Op::Literal(Value::Whole(value)))
}

pub fn of(kind: Kind, sign: char, left: Expr, right: Expr) -> Expr {
    Expr::new(kind, Op::Arithmetic(sign, vec![left, right]))
}

pub fn call(kind: Kind, name: &'static str, parts: Vec<Expr>) -> Expr {
    Expr::new(kind, Op::Call(name, parts))
}

impl Terms<'_, '_> {
    pub fn input(&self, at: usize) -> Expr {
        Expr::new(INPUTS[at].1, if self.is_ready { Op::Given(at) } else { Op::Input(at) })
    }

    /// A share with one to six decimals, mostly below one.
    pub fn percent(&mut self) -> Exact {
        if self.source.below(3) == 0 {
            return exact::decimal(self.source.one(&USUAL));
        }
        let parts = 10_usize.pow(1 + self.source.below(6) as u32);
        let most = if self.source.once_in(5) { 3 * parts } else { parts };
        let share = Exact::from(1 + self.source.below(most)) / Exact::from(parts);
        // Next to a decimal that is a double, and beyond the precision of doubles.
        let little = exact::decimal(self.source.one(&["1e-19", "-1e-19", "3e-17", "-2.5e-18"]));
        if self.source.once_in(12) { share + little } else { share }
    }

    /// A share, as a literal or as a parameter.
    fn share(&mut self) -> Expr {
        if self.source.once_in(12) {
            let [over, under] = [(); 2].map(|()| whole(Kind::Count, 1 + self.source.below(12) as i64));
            return of(Kind::Ratio, '/', over, under);
        }
        let value = self.percent();
        let kind = self.source.one(&[Kind::Ratio, Kind::Number]);
        if self.source.once_in(3) {
            return self.parameter(kind, Value::Exact(value));
        }
        literal(Kind::Ratio, value)
    }

    /// A new parameter.
    pub fn parameter(&mut self, kind: Kind, value: Value) -> Expr {
        let dated = Vec::new();
        self.parameters.push(Parameter {
            kind,
            value: Some(value),
            dated,
            bounds: None,
            given: None,
            is_overridden: false,
        });
        Expr::new(kind, Op::Parameter(self.parameters.len() - 1))
    }

    /// An amount up to 10^15 minor units, whole in major units now and then.
    pub fn amount(&mut self) -> i64 {
        let size = 10_usize.pow(1 + self.source.below(15) as u32);
        let amount = 1 + self.source.below(size) as i64;
        if self.source.once_in(3) { amount / 100 * 100 } else { amount }
    }

    pub fn money(&mut self, depth: usize) -> Expr {
        match self.source.below(if depth > 0 { 4 } else { 2 }) {
            2 => {
                let name = self.source.one(&["round", "round_half_even", "round_down", "round_up", "floor", "ceil"]);
                let mut parts = vec![self.scaled(depth - 1)];
                if name.starts_with("round") && self.source.below(2) == 0 {
                    parts.push(self.step());
                }
                call(Kind::Money, name, parts)
            }
            3 => {
                let (left, right) = (self.money(depth - 1), self.money(depth - 1));
                let sign = self.source.one(&['+', '-', '%']);
                of(Kind::Money, sign, left, right)
            }
            _ => {
                let at = self.source.one(&MONEY);
                self.input(at)
            }
        }
    }

    /// Some whole minor units, or a part of an amount.
    pub fn step(&mut self) -> Expr {
        match self.source.below(3) {
            0 => {
                let (share, money) = (self.share(), self.money(0));
                of(Kind::MoneyMean, '*', share, money)
            }
            _ => whole(Kind::Money, self.source.one(&[1, 3, 50, 100, 12_345, 50_000])),
        }
    }

    /// Money that need not be whole.
    pub fn scaled(&mut self, depth: usize) -> Expr {
        let below = depth.saturating_sub(1);
        let (share, money) = (self.share(), self.money(below));
        let plain = of(Kind::MoneyMean, '*', share, money.clone());
        match self.source.below(if depth > 0 { 12 } else { 3 }) {
            1 => {
                let at = self.source.one(&SHARES);
                of(Kind::MoneyMean, '*', money, self.input(at))
            }
            2 => {
                let count = whole(Kind::Count, self.source.one(&[2, 3, 7, 12, 30]));
                of(Kind::MoneyMean, '/', money, count)
            }
            3 | 4 => of(Kind::MoneyMean, '+', plain, self.scaled(below)),
            5 => of(Kind::MoneyMean, '-', money, plain),
            6 => {
                let at = self.source.one(&COUNTS);
                of(Kind::MoneyMean, '/', money, self.input(at))
            }
            7 => {
                let grows = call(
                    Kind::Number,
                    "power",
                    vec![self.share(), whole(Kind::Count, 2 + self.source.below(11) as i64)],
                );
                of(Kind::MoneyMean, '*', money, grows)
            }
            8 => {
                let name = self.source.one(&["least", "greatest", "coalesce"]);
                call(Kind::MoneyMean, name, vec![plain, self.scaled(below)])
            }
            9 => {
                let when = self.test(below);
                let otherwise = self.scaled(below);
                Expr::new(Kind::MoneyMean, Op::Case(vec![(when, plain)], Some(Box::new(otherwise))))
            }
            10 => {
                let by = self.scaled(below);
                of(Kind::MoneyMean, '%', plain, by)
            }
            _ => plain,
        }
    }

    /// Values other than money: quotients, shares and their sums.
    pub fn ratio(&mut self, depth: usize) -> Expr {
        let below = depth.saturating_sub(1);
        let (one, other) = (self.source.one(&SHARES), self.source.below(2));
        let share = self.input(one);
        match self.source.below(if depth > 0 { 14 } else { 4 }) {
            1 | 2 => {
                let (over, under) = (self.input(MONEY[other]), self.input(MONEY[1 - other]));
                of(Kind::Ratio, '/', over, under)
            }
            3 => {
                let (over, under) = (self.input(COUNTS[other]), self.input(COUNTS[1 - other]));
                of(Kind::Ratio, '/', over, under)
            }
            4 => {
                let sum = of(Kind::Ratio, '+', share, self.share());
                of(Kind::Ratio, '+', sum, self.share())
            }
            5 => of(Kind::Ratio, '*', self.input(SHARES[0]), self.input(SHARES[1])),
            6 => of(Kind::Ratio, '-', literal(Kind::Ratio, Exact::ONE), share),
            7 => of(Kind::Number, '*', self.share(), self.input(FACTOR)),
            8 => {
                let whole = whole(Kind::Count, self.source.one(&[2, 3, -1, -2]));
                call(Kind::Number, "power", vec![self.input(FACTOR), whole])
            }
            9 => {
                let (over, under) = (self.scaled(below), self.money(0));
                of(Kind::Ratio, '/', over, under)
            }
            10 | 11 => {
                let name = self.source.one(&["round", "round_half_even", "round_down", "round_up"]);
                let step = literal(Kind::Ratio, exact::decimal(self.source.one(&STEPS)));
                let inner = self.ratio(below);
                call(inner.kind, name, vec![inner, step])
            }
            // Approximate throughout.
            12 => call(Kind::Number, "power", vec![share, literal(Kind::Number, exact::decimal("0.5"))]),
            13 => {
                let idle = self.input(IDLE);
                let days = self.source.one(&[7, 30, 90]);
                // A bare number would not be days.
                of(Kind::Ratio, '/', idle, self.parameter(Kind::Days, Value::Whole(days)))
            }
            _ => share,
        }
    }

    /// A comparison that a person can be brought to.
    pub fn test(&mut self, depth: usize) -> Expr {
        let signs = ["<", "<=", ">", ">=", "=", "!=", "<="];
        let sign = self.source.one(&signs);
        let compare = |sign, left, right| Expr::new(Kind::Truth, Op::Compare(sign, vec![left, right]));
        match self.source.below(8) {
            0 | 1 => {
                let (left, right) = (self.money(depth), self.scaled(depth));
                if self.source.below(2) == 0 { compare(sign, left, right) } else { compare(sign, right, left) }
            }
            2 => {
                let (left, amount) = (self.scaled(depth), self.amount());
                let right = match self.source.below(2) {
                    0 => self.parameter(Kind::Money, Value::Whole(amount)),
                    _ => whole(Kind::Money, amount),
                };
                compare(sign, left, right)
            }
            3 => {
                let (left, right) = (self.scaled(depth), self.scaled(depth));
                compare(sign, left, right)
            }
            4 => {
                let (left, right) = (self.ratio(depth), self.ratio(depth));
                compare(sign, left, right)
            }
            5 => {
                let (value, low) = (self.ratio(depth), self.percent());
                let high = &low + self.percent();
                let [low, high] = [low, high].map(|value| literal(Kind::Ratio, value));
                Expr::new(Kind::Truth, Op::Between(vec![value, low, high]))
            }
            // The input itself.
            6 => {
                let at = self.source.one(&[SHARES[0], SHARES[1], FACTOR]);
                compare(sign, self.input(at), self.share())
            }
            _ => {
                let (left, right) = (self.ratio(depth), self.share());
                compare(sign, left, right)
            }
        }
    }
}
