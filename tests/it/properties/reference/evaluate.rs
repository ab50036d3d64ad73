//! One expression at one place of one statement.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::data::{Statement, days};
use super::expression::{Definition, Grain, Node, Op, PARAMETERS, WORDS};
use super::{Out, Val, Why, all, scalar, text};

/// Where an expression is asked for its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    Statement,
    Month(usize),
    Row(usize),
}

/// A statement and the names defined over it.
pub struct World<'a> {
    pub defined: &'a [Definition],
    pub statement: &'a Statement,
    /// Something hung on the last bits of a float whose rounding is not prescribed.
    pub fragile: Cell<bool>,
    seen: RefCell<HashMap<(usize, At), Out>>,
}

impl<'a> World<'a> {
    pub fn new(defined: &'a [Definition], statement: &'a Statement) -> Self {
        Self { defined, statement, fragile: Cell::new(false), seen: RefCell::default() }
    }

    pub fn grain(&self, node: &Node) -> Grain {
        node.grain(self.defined)
    }

    pub fn month_of(&self, at: At) -> usize {
        match at {
            At::Month(month) => month,
            At::Row(row) => self.statement.months.iter().position(|month| month.rows.contains(&row)).unwrap(),
            At::Statement => panic!("a month is asked of a statement"),
        }
    }

    fn defined(&self, index: usize, at: At) -> Out {
        let Definition { node, grain, .. } = &self.defined[index];
        let at = match grain {
            Grain::Constant | Grain::Statement => At::Statement,
            Grain::Month => At::Month(self.month_of(at)),
            Grain::Row => at,
        };
        if let Some(seen) = self.seen.borrow().get(&(index, at)) {
            return seen.clone();
        }
        let value = self.value(node, at);
        self.seen.borrow_mut().insert((index, at), value.clone());
        value
    }

    pub fn value(&self, node: &Node, at: At) -> Out {
        let arg = |index: usize| self.value(&node.args[index], at);
        let every = || all(node.args.iter().map(|arg| self.value(arg, at)));
        match &node.op {
            Op::Literal(_, value) => Ok(value.clone()),
            Op::Leaf(name, _) => self.leaf(name, at),
            Op::Defined(index) => self.defined(*index, at),
            Op::Parameter(name) => Ok(Val::Int(PARAMETERS.iter().find(|known| known.0 == *name).unwrap().3)),
            Op::Neg => scalar::negate(arg(0)?),
            Op::Not => Ok(Val::Bool(arg(0)? != Val::Bool(true))),
            Op::Arithmetic(sign) => {
                let sides = every()?;
                scalar::arithmetic(*sign, &sides[0], &sides[1], node.ty, &self.fragile)
            }
            Op::Compare(sign) => Ok(Val::Bool(self.compare(sign, &every()?))),
            Op::And => both(arg(0), arg(1), false),
            Op::Or => both(arg(0), arg(1), true),
            Op::IsNull(turned) => Ok(Val::Bool(arg(0).is_err() != *turned)),
            Op::IsBool(wanted, turned) => Ok(Val::Bool((arg(0) == Ok(Val::Bool(*wanted))) != *turned)),
            Op::In(turned) => {
                let mut found = Ok(Val::Bool(false));
                for item in &node.args[1..] {
                    let sides = all([arg(0), self.value(item, at)]);
                    found = both(found, sides.map(|sides| Val::Bool(self.compare("=", &sides))), true);
                }
                turn(found, *turned)
            }
            Op::Between(turned) => {
                let above = all([arg(0), arg(1)]).map(|sides| Val::Bool(self.compare(">=", &sides)));
                let below = all([arg(0), arg(2)]).map(|sides| Val::Bool(self.compare("<=", &sides)));
                turn(both(above, below, false), *turned)
            }
            Op::Like(pattern, any_case, turned) => {
                let found = arg(0)?;
                let found = text::like(&text::chars(pattern, *any_case), &text::chars(found.text(), *any_case));
                Ok(Val::Bool(found != *turned))
            }
            Op::Case(operand, otherwise) => self.case(node, *operand, *otherwise, at),
            Op::Call(name) => self.call(name, node, at),
            Op::Within => {
                let (as_of, span) = (arg(0)?.int(), arg(1)?.int());
                let At::Row(row) = at else { panic!("within outside of a row") };
                Ok(Val::Bool(i128::from(self.statement.rows[row].date) > i128::from(as_of) - i128::from(span)))
            }
            Op::Mentions(list) => {
                let At::Row(row) = at else { panic!("mentions outside of a row") };
                let words = WORDS.iter().find(|known| known.0 == *list).unwrap().1;
                let texts = self.statement.rows[row].texts.iter();
                let mut texts = texts.filter(|(name, _)| ["desc", "topics"].contains(name));
                Ok(Val::Bool(texts.any(|(_, found)| found.as_ref().is_some_and(|found| text::mentions(words, found)))))
            }
            Op::NeedsMonths(months) => {
                let full = self.statement.months.iter().filter(|month| month.full).count();
                if (full as i64) < *months { Err(Why::Unknown) } else { arg(0) }
            }
            Op::Aggregate(aggregate) => self.aggregate(node, aggregate, at),
        }
    }

    pub fn compare(&self, sign: &str, sides: &[Val]) -> bool {
        let order = scalar::order(&sides[0], &sides[1], &self.fragile);
        match sign {
            "=" => order.is_eq(),
            "<>" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        }
    }

    fn case(&self, node: &Node, operand: bool, otherwise: bool, at: At) -> Out {
        let arms = &node.args[usize::from(operand)..node.args.len() - usize::from(otherwise)];
        for arm in arms.chunks(2) {
            let test = match operand {
                true => all([self.value(&node.args[0], at), self.value(&arm[0], at)])
                    .map(|sides| Val::Bool(self.compare("=", &sides))),
                false => self.value(&arm[0], at),
            };
            if test == Ok(Val::Bool(true)) {
                return self.value(&arm[1], at).map(|value| like(node, value));
            }
        }
        if !otherwise {
            return Err(Why::Unknown);
        }
        self.value(node.args.last().unwrap(), at).map(|value| like(node, value))
    }

    fn call(&self, name: &str, node: &Node, at: At) -> Out {
        let values: Vec<Out> = node.args.iter().map(|arg| self.value(arg, at)).collect();
        match name {
            "coalesce" => {
                let first = values.iter().find(|value| value.is_ok()).cloned();
                first.unwrap_or_else(|| all(values).map(|_| Val::Bool(false))).map(|value| like(node, value))
            }
            "is_unknown" => Ok(Val::Bool(values[0].is_err())),
            "nullif" => match (&values[0], &values[1]) {
                (Ok(left), Ok(right)) if self.compare("=", &[left.clone(), right.clone()]) => Err(Why::Unknown),
                (left, _) => left.clone(),
            },
            "least" | "greatest" => {
                let values = all(values)?.into_iter().map(|value| like(node, value));
                let sign = if name == "least" { "<" } else { ">" };
                let better = |best: Val, value: Val| match self.compare(sign, &[value.clone(), best.clone()]) {
                    true => value,
                    false => best,
                };
                Ok(values.reduce(better).unwrap())
            }
            "round" | "round_down" | "round_up" | "floor" | "ceil" => {
                let values = all(values)?;
                let whole = node.args.len() == 1 || !node.is_float();
                scalar::round(name, &values[0], values.get(1).unwrap_or(&Val::Int(1)), whole, &self.fragile)
            }
            _ => scalar::call(name, &all(values)?),
        }
    }

    fn leaf(&self, name: &str, at: At) -> Out {
        let whole = |value: Option<i64>| value.map(Val::Int).ok_or(Why::Unknown);
        let statement = self.statement;
        match name {
            "as_of" => return whole(statement.as_of),
            "duplicates_dropped" => return Ok(Val::Int(statement.duplicates)),
            "has_debit" => return Ok(Val::Bool(statement.rows.iter().any(|row| row.debit.is_some()))),
            "has_balance" => return Ok(Val::Bool(statement.rows.iter().any(|row| row.balance.is_some()))),
            _ => {}
        }
        if ["month_start", "month_number", "month_is_full", "full_months_ago", "month_records"].contains(&name) {
            let month = &statement.months[self.month_of(at)];
            return match name {
                "month_start" => Ok(Val::Int(days(month.start))),
                "month_number" => Ok(Val::Int(month.number)),
                "month_is_full" => Ok(Val::Bool(month.full)),
                "month_records" => Ok(Val::Int(month.rows.len() as i64)),
                _ => whole(month.full_months_ago),
            };
        }
        let At::Row(row) = at else { panic!("{name} outside of a row") };
        let row = &statement.rows[row];
        match name {
            "trans_date" => Ok(Val::Int(row.date)),
            "cleared_date" => whole(row.cleared),
            "credit" => whole(row.credit),
            "debit" => whole(row.debit),
            "balance" => whole(row.balance),
            "date_was_repaired" => Ok(Val::Bool(row.repaired)),
            "date_was_in_conflict" => Ok(Val::Bool(row.conflict)),
            _ => {
                let (_, found) = row.texts.iter().find(|(known, _)| *known == name).unwrap();
                found.clone().map(Val::Text).ok_or(Why::Unknown)
            }
        }
    }
}

/// As the expression holds it: an integer among floats is one.
fn like(node: &Node, value: Val) -> Val {
    match (&value, node.is_float()) {
        (Val::Int(whole), true) => Val::Float(*whole as f64, 0.0),
        _ => value,
    }
}

/// AND where `decides` is false, OR where it is true.
fn both(left: Out, right: Out, decides: bool) -> Out {
    let decided = Ok(Val::Bool(decides));
    if left == decided || right == decided {
        return decided;
    }
    all([left, right]).map(|_| Val::Bool(!decides))
}

fn turn(value: Out, turned: bool) -> Out {
    value.map(|value| Val::Bool((value == Val::Bool(true)) != turned))
}
