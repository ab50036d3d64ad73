//! Lists of entries: a bureau's debts, expressions over their fields, and what an aggregate makes of them. Knows
//! nothing of the rest of a policy.

use super::evaluate::{Case, Known, Why};
use super::expressions::{Maker, Scope};
use super::model::{Expr, Kind, Op, TEXTS, Value};
use super::numbers::{exactly, holds, order};
use super::values::json;
use super::walk;
use crate::exact::Exact;
use crate::random::Source;

/// The list, in rules.
pub const LIST: &str = "bureau.debts";

/// The fields of an entry.
pub const FIELDS: [(&str, Kind); 5] =
    [("owed", Kind::Money), ("late", Kind::Days), ("lender", Kind::Text), ("open", Kind::Truth), ("since", Kind::Date)];

/// An entry: a value for each field, if known.
pub type Entry = Vec<Option<Value>>;

/// What a report has; `None` if there is none.
pub fn debts(source: &mut Source) -> Option<Vec<Entry>> {
    let one = |source: &mut Source| {
        let value = |source: &mut Source, kind: Kind| match kind {
            Kind::Money => Value::Whole(source.one(&[0, 100, 12_345, 500_000, 1_000_000, 999_999])),
            Kind::Days => Value::Whole(source.below(90) as i64),
            Kind::Text => Value::Text(source.one(&TEXTS).to_owned()),
            Kind::Truth => Value::Truth(source.below(2) == 0),
            _ => Value::Whole(20_300 + source.below(300) as i64),
        };
        FIELDS.iter().map(|(_, kind)| (!source.once_in(6)).then(|| value(source, *kind))).collect()
    };
    (!source.once_in(8)).then(|| (0..source.below(6)).map(|_| one(source)).collect())
}

/// As a request has them.
pub fn written(debts: &[Entry]) -> String {
    let entry = |entry: &Entry| {
        let known = FIELDS.iter().zip(entry).filter_map(|((name, kind), value)| {
            value.as_ref().map(|value| format!("\"{name}\":{}", json(*kind, value)))
        });
        format!("{{{}}}", known.collect::<Vec<_>>().join(","))
    };
    format!("[{}]", debts.iter().map(entry).collect::<Vec<_>>().join(","))
}

/// An aggregate of a kind over the entries, if there is one.
pub fn aggregate(maker: &mut Maker, kind: Kind, scope: &Scope) -> Option<Expr> {
    let names: &[&str] = match kind {
        Kind::Money => &["sum", "min", "max", "first", "last", "arg_max"],
        Kind::MoneyMean => &["avg", "median"],
        Kind::Count => &["count", "count_distinct"],
        Kind::Days => &["sum", "max", "arg_min"],
        Kind::Date => &["min", "max", "last"],
        Kind::Text => &["first", "last", "mode", "arg_max"],
        Kind::Truth => &["first", "last"],
        _ => return None,
    };
    let name = maker.source.one(names);
    let of = match kind {
        Kind::MoneyMean => Kind::Money,
        Kind::Count => maker.source.one(&[Kind::Money, Kind::Text, Kind::Truth]),
        kind => kind,
    };
    let mut arguments = vec![argument(maker, of, scope)];
    if name.starts_with("arg_") {
        let by = maker.source.one(&[Kind::Money, Kind::Days]);
        arguments.push(field(by));
    }
    let mut filter = (maker.source.below(2) == 0).then(|| Box::new(condition(maker, scope, 2)));
    if name == "count" && maker.source.below(2) == 0 {
        arguments.clear();
        filter = Some(Box::new(condition(maker, scope, 2)));
    }
    Some(Expr::new(kind, Op::Over(name, arguments, filter)))
}

fn field(kind: Kind) -> Expr {
    let at = FIELDS.iter().position(|(_, known)| *known == kind).expect("a field of each kind");
    Expr::new(kind, Op::Field(at))
}

/// A field, or a choice between it and another value.
fn argument(maker: &mut Maker, kind: Kind, scope: &Scope) -> Expr {
    if maker.source.below(3) > 0 {
        return field(kind);
    }
    let other = if maker.source.below(2) == 0 { field(kind) } else { Expr::new(kind, Op::Null) };
    Expr::new(kind, Op::Case(vec![(condition(maker, scope, 1), field(kind))], Some(Box::new(other))))
}

/// A condition that mentions a field.
fn condition(maker: &mut Maker, scope: &Scope, depth: usize) -> Expr {
    let op = match maker.source.below(if depth > 0 { 7 } else { 4 }) {
        0 => Op::IsTruth(Box::new(field(Kind::Truth)), maker.source.below(2) == 0),
        1 => {
            let of = maker.source.one(&[Kind::Money, Kind::Text, Kind::Date]);
            Op::IsNull(Box::new(field(of)), maker.source.below(2) == 0)
        }
        2 | 3 => {
            let kind = maker.source.one(&[Kind::Money, Kind::Days, Kind::Date, Kind::Text]);
            let sign = maker.source.one(&["<", "<=", ">", ">=", "=", "!="]);
            let other = match maker.source.below(3) {
                0 => maker.make(kind, scope, 1),
                _ => Expr::new(kind, Op::Literal(maker.constant(kind))),
            };
            Op::Compare(sign, vec![field(kind), other])
        }
        4 => Op::Not(Box::new(condition(maker, scope, depth - 1))),
        at => {
            let parts = vec![condition(maker, scope, depth - 1), condition(maker, scope, depth - 1)];
            if at == 5 { Op::And(parts) } else { Op::Or(parts) }
        }
    };
    Expr::new(Kind::Truth, op)
}

impl Case<'_> {
    /// The value of an aggregate over the entries.
    pub fn over(&self, name: &str, arguments: &[Expr], filter: Option<&Expr>) -> Known<Value> {
        let debts = self.person.debts.as_ref().ok_or(Why::Said("missing_bureau_debts"))?;
        // Whatever is not of the entries must be known: dropping entries for lack of it would be a guess.
        for part in arguments.iter().chain(filter) {
            self.known_around(part)?;
        }
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for entry in debts {
            let case = Case { entry: Some(entry), ..self.clone() };
            let counts = filter.is_none_or(|filter| case.truth(filter) == Ok(true));
            let values: Known<Vec<Value>> = arguments.iter().map(|argument| case.value(argument)).collect();
            if let (true, Ok(values)) = (counts, values) {
                rows.push(values);
            }
        }
        let first = |row: &Vec<Value>| row[0].clone();
        let none = || Why::Said("no_records");
        let by = |wanted: std::cmp::Ordering, at: usize| {
            let better = |next: &Vec<Value>, best: &Vec<Value>| order(&next[at], &best[at]) == wanted;
            rows.iter().cloned().reduce(|best, next| if better(&next, &best) { next } else { best })
        };
        use std::cmp::Ordering::{Greater, Less};
        match name {
            "count" => Ok(Value::Whole(rows.len() as i64)),
            "count_distinct" => {
                let mut different: Vec<Value> = Vec::new();
                for value in rows.iter().map(first) {
                    if !different.iter().any(|known| holds("=", known, &value)) {
                        different.push(value);
                    }
                }
                Ok(Value::Whole(different.len() as i64))
            }
            "sum" => Ok(Value::Whole(rows.iter().map(|row| whole(&row[0])).sum())),
            "avg" => match rows.len() {
                0 => Err(none()),
                count => {
                    let sum: i64 = rows.iter().map(|row| whole(&row[0])).sum();
                    Ok(Value::Exact(Exact::from(sum) / Exact::from(count)))
                }
            },
            "median" => {
                let mut values: Vec<Exact> = rows.iter().map(|row| exactly(&row[0])).collect();
                values.sort();
                let count = values.len();
                if count == 0 {
                    return Err(none());
                }
                Ok(Value::Exact((&values[(count - 1) / 2] + &values[count / 2]) / Exact::from(2)))
            }
            "min" => by(Less, 0).as_ref().map(first).ok_or_else(none),
            "max" => by(Greater, 0).as_ref().map(first).ok_or_else(none),
            "arg_min" => by(Less, 1).as_ref().map(first).ok_or_else(none),
            "arg_max" => by(Greater, 1).as_ref().map(first).ok_or_else(none),
            "first" => rows.first().map(first).ok_or_else(none),
            "last" => rows.last().map(first).ok_or_else(none),
            _ => {
                // The most frequent; of equals the least.
                let count = |value: &Value| rows.iter().filter(|row| holds("=", &row[0], value)).count();
                let better = |next: &Value, best: &Value| {
                    (count(next), order(best, next)) > (count(best), std::cmp::Ordering::Equal)
                };
                let values = rows.iter().map(first);
                values.reduce(|best, next| if better(&next, &best) { next } else { best }).ok_or_else(none)
            }
        }
    }

    /// The first unknown among the parts that mention no field.
    fn known_around(&self, expr: &Expr) -> Known<()> {
        let mentions = walk::all(expr).iter().any(|part| matches!(part.op, Op::Field(_)));
        match expr.op {
            Op::Literal(_) | Op::Null => Ok(()),
            _ if !mentions => self.value(expr).map(|_| ()),
            _ => walk::parts(expr).into_iter().try_for_each(|part| self.known_around(part)),
        }
    }
}

fn whole(value: &Value) -> i64 {
    match value {
        Value::Whole(value) => *value,
        other => panic!("{other:?} is not whole"),
    }
}
