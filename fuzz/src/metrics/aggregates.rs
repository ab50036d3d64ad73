//! The reference for aggregates: all rows, which of them count, and their result. Knows no other expression.

use std::cell::Cell;

use super::evaluator::{Place, Run, Value, int_of, truth};
use super::expression::{Aggregate, Expression, Grain};
use super::numbers::{compare, double_of, exact_of};
use crate::exact::{self, Exact, Way};

impl Run<'_> {
    pub(super) fn aggregate(&self, aggregate: &Aggregate, place: Place) -> Option<Value> {
        let statement = self.statement;
        if let Place::Statement = place {
            let uses = |found: &dyn Fn(&Expression) -> bool| aggregate.parts().any(|part| statement.uses(part, found));
            let lacks = |fact: &str| self.name(fact, place) == Some(Value::Truth(false));
            let is_debit = |part: &Expression| matches!(part, Expression::Name("debit") | Expression::Mirrored(_));
            let is_balance = |part: &Expression| matches!(part, Expression::Name("balance"));
            if uses(&is_debit) && lacks("has_debit") || uses(&is_balance) && lacks("has_balance") {
                return None;
            }
            if aggregate.parts().any(|part| statement.lacks_narrations(part)) {
                return None;
            }
            if aggregate.parts().any(|part| self.asks_unknown(part)) {
                return None;
            }
        }
        // A value that is too large inside makes the aggregate unknown. Only groups also pass that on.
        let inner = Run { statement, too_large: Cell::new(false) };
        let records = || (0..statement.records.len()).map(Place::Record);
        let places: Vec<Place> = match (place, aggregate.grain()) {
            (Place::Statement, Grain::Group(level)) => {
                (0..statement.groups(level).len()).map(|group| Place::Group(level, group)).collect()
            }
            (Place::Group(level, group), _) => {
                records().filter(|record| statement.group_at(level, *record) == Some(group)).collect()
            }
            _ => records().collect(),
        };
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for place in places {
            let kept = aggregate.filter.as_ref().map(|filter| truth(inner.value(filter, place)));
            let values: Vec<_> = aggregate.arguments.iter().map(|argument| inner.value(argument, place)).collect();
            if kept.unwrap_or(Some(true)) == Some(true) && values.iter().all(Option::is_some) {
                rows.push(values.into_iter().flatten().collect());
            }
        }
        if let Place::Group(level, _) = place {
            // A value that is too large in a record counts, even if the record is in none of the groups.
            for record in records().filter(|record| statement.group_at(level, *record).is_none()) {
                aggregate.parts().for_each(|part| drop(inner.value(part, record)));
            }
        }
        let result = inner.over(aggregate, &rows);
        if inner.too_large.get() {
            if let Place::Group(..) = place {
                self.too_large.set(true);
            }
            return None;
        }
        result
    }

    fn over(&self, aggregate: &Aggregate, rows: &[Vec<Value>]) -> Option<Value> {
        let firsts = || rows.iter().map(|row| row[0].clone());
        if rows.iter().flatten().any(|value| matches!(value, Value::Double(_)))
            && ["sum", "avg", "median", "quantile", "stddev", "regr_slope"].contains(&aggregate.name)
        {
            return self.over_doubles(aggregate, rows);
        }
        let exact = |at: usize| rows.iter().map(|row| exact_of(&row[at])).collect::<Vec<Exact>>();
        match aggregate.name {
            "count" if aggregate.distinct => {
                let mut seen: Vec<Value> = Vec::new();
                firsts().for_each(|value| {
                    if !seen.contains(&value) {
                        seen.push(value);
                    }
                });
                Some(Value::Int(seen.len() as i64))
            }
            "count" => Some(Value::Int(rows.len() as i64)),
            "sum" => match aggregate.of_fractions {
                true => self.exact(sum(&exact(0))),
                false => self.whole(firsts().map(|value| i128::from(int_of(&value))).sum()),
            },
            _ if rows.is_empty() => None,
            "avg" => self.exact(mean(&exact(0))),
            "min" | "max" => {
                let sign = if aggregate.name == "min" { "<" } else { ">" };
                firsts().reduce(|best, next| {
                    if compare(sign, Some(next.clone()), Some(best.clone())) == Some(true) { next } else { best }
                })
            }
            "mode" => mode(firsts().collect()),
            "benford" => benford(&firsts().map(|value| int_of(&value)).collect::<Vec<_>>()),
            "first" => firsts().next(),
            "last" => firsts().next_back(),
            "arg_max" | "arg_min" => {
                let sign = if aggregate.name == "arg_max" { ">" } else { "<" };
                let better = |best: &'_ Vec<Value>, next: &'_ Vec<Value>| {
                    compare(sign, Some(next[1].clone()), Some(best[1].clone())) == Some(true)
                };
                let best = rows.iter().reduce(|best, next| if better(best, next) { next } else { best });
                best.map(|row| row[0].clone())
            }
            "median" | "quantile" => {
                let mut values = exact(0);
                values.sort();
                let (low, between) = place(aggregate, values.len());
                let high = if between.is_zero() { low } else { low + 1 };
                self.exact(&values[low] + (&values[high] - &values[low]) * between)
            }
            _ if rows.len() < 2 => None,
            "stddev" => {
                // Exact up to the root.
                let values = exact(0);
                let mean = mean(&values);
                let squares: Vec<Exact> = values.iter().map(|value| (value - &mean).sqr()).collect();
                self.double(exact::nearest(&(sum(&squares) / Exact::from(rows.len() - 1))).sqrt())
            }
            "regr_slope" => {
                let (y, x) = (exact(0), exact(1));
                let (mean_y, mean_x) = (mean(&y), mean(&x));
                let along: Vec<Exact> = x.iter().map(|x| (x - &mean_x).sqr()).collect();
                let across: Vec<Exact> = x.iter().zip(&y).map(|(x, y)| (x - &mean_x) * (y - &mean_y)).collect();
                let along = sum(&along);
                if along.is_zero() { None } else { self.exact(sum(&across) / along) }
            }
            "max_gap" | "avg_gap" => gaps(aggregate.name, firsts().map(|value| int_of(&value)).collect()),
            other => panic!("no aggregate {other}"),
        }
    }

    /// Over approximate values, in sequence.
    fn over_doubles(&self, aggregate: &Aggregate, rows: &[Vec<Value>]) -> Option<Value> {
        let doubles = |at: usize| rows.iter().map(|row| double_of(&row[at])).collect::<Vec<f64>>();
        let sum = |values: &[f64]| values.iter().fold(0.0, |sum, value| sum + value);
        let mean = |values: &[f64]| sum(values) / values.len() as f64;
        let mut values = doubles(0);
        match aggregate.name {
            "sum" => self.double(sum(&values)),
            "avg" => self.double(mean(&values)),
            "median" | "quantile" => {
                values.sort_by(f64::total_cmp);
                let (low, between) = place(aggregate, values.len());
                let high = if between.is_zero() { low } else { low + 1 };
                self.double(values[low] + (values[high] - values[low]) * exact::nearest(&between))
            }
            _ if values.len() < 2 => None,
            "stddev" => {
                let squares: Vec<f64> = values.iter().map(|value| (value - mean(&values)).powi(2)).collect();
                self.double((sum(&squares) / (values.len() - 1) as f64).sqrt())
            }
            _ => {
                let x = doubles(1);
                let (mean_y, mean_x) = (mean(&values), mean(&x));
                let along: Vec<f64> = x.iter().map(|x| (x - mean_x).powi(2)).collect();
                let across: Vec<f64> = x.iter().zip(&values).map(|(x, y)| (x - mean_x) * (y - mean_y)).collect();
                let one_place = x.iter().all(|value| *value == x[0]);
                if one_place || sum(&along) == 0.0 { None } else { self.double(sum(&across) / sum(&along)) }
            }
        }
    }
}

fn sum(values: &[Exact]) -> Exact {
    values.iter().fold(Exact::ZERO, |sum, value| sum + value)
}

fn mean(values: &[Exact]) -> Exact {
    sum(values) / Exact::from(values.len())
}

/// For `count` sorted values: after which one a median or a quantile lies, and how far towards the next.
fn place(aggregate: &Aggregate, count: usize) -> (usize, Exact) {
    let place = exact::decimal(aggregate.fraction.unwrap_or("0.5")) * Exact::from(count - 1);
    let low = exact::whole(&place, Way::Down);
    (exact::int(&low).expect("one of the values") as usize, place - low)
}

/// The most frequent value; the least of several.
fn mode(values: Vec<Value>) -> Option<Value> {
    let count = |value: &Value| values.iter().filter(|other| *other == value).count();
    let is_better = |best: &Value, next: &Value| {
        let (known, found) = (count(best), count(next));
        found > known || found == known && compare("<", Some(next.clone()), Some(best.clone())) == Some(true)
    };
    values.iter().cloned().reduce(|best, next| if is_better(&best, &next) { next } else { best })
}

/// Half the sum of the distances between the shares of first digits and those of Benford's law.
fn benford(values: &[i64]) -> Option<Value> {
    let digits: Vec<char> = values
        .iter()
        .filter(|value| **value != 0)
        .filter_map(|value| value.unsigned_abs().to_string().chars().next())
        .collect();
    if digits.len() < 100 {
        return None;
    }
    #[expect(clippy::disallowed_methods, reason = "a reference, compared with room for the last digits")]
    let apart = ('1'..='9').zip(1..).map(|(letter, digit)| {
        let share = digits.iter().filter(|first| **first == letter).count() as f64 / digits.len() as f64;
        (share - (1.0 + 1.0 / f64::from(digit)).log10()).abs()
    });
    Some(Value::Double(apart.sum::<f64>() / 2.0))
}

fn gaps(name: &str, mut days: Vec<i64>) -> Option<Value> {
    days.sort_unstable();
    days.dedup();
    let gaps: Vec<i64> = days.windows(2).map(|pair| pair[1] - pair[0]).collect();
    match (gaps.is_empty(), name) {
        (true, _) => None,
        (false, "max_gap") => gaps.into_iter().max().map(Value::Int),
        (false, _) => Some(Value::Exact(Exact::from(gaps.iter().sum::<i64>()) / Exact::from(gaps.len()))),
    }
}
