//! Aggregates of the reference: the rows that count, one by one, then one result over them.

use super::evaluate::{At, World};
use super::expression::{Aggregate, Grain, Node, Op};
use super::{Out, Val, Why, finite, fits};

#[derive(Default)]
struct Reads {
    debit: bool,
    balance: bool,
    known: Vec<Node>,
}

impl World<'_> {
    /// What an aggregate over `node` needs: columns that the statement must have, and coarser values that must be known.
    fn reads(&self, node: &Node, reads: &mut Reads) {
        if self.grain(node) <= Grain::Statement {
            return match node.op {
                Op::Literal(..) | Op::Parameter(_) => {}
                _ => reads.known.push(node.clone()),
            };
        }
        match &node.op {
            Op::Leaf("debit", _) => reads.debit = true,
            Op::Leaf("balance", _) => reads.balance = true,
            Op::Defined(index) => self.reads(&self.defined[*index].node, reads),
            _ => node.args.iter().for_each(|arg| self.reads(arg, reads)),
        }
    }

    pub fn aggregate(&self, node: &Node, aggregate: &Aggregate, at: At) -> Out {
        let finest = node.args.iter().map(|arg| self.grain(arg)).max().unwrap_or(Grain::Row);
        let over_months = finest == Grain::Month;
        let places: Vec<At> = match (aggregate.target, over_months) {
            (Grain::Month, _) => {
                self.statement.months[self.month_of(at)].rows.iter().map(|row| At::Row(*row)).collect()
            }
            (_, true) => (0..self.statement.months.len()).map(At::Month).collect(),
            (_, false) => (0..self.statement.rows.len()).map(At::Row).collect(),
        };
        if aggregate.target == Grain::Statement {
            let mut reads = Reads::default();
            node.args.iter().for_each(|arg| self.reads(arg, &mut reads));
            let lacks = |name: &str| {
                let rows = self.statement.rows.iter();
                !rows.map(|row| if name == "debit" { row.debit } else { row.balance }).any(|value| value.is_some())
            };
            let unknown = reads.known.iter().any(|node| self.value(node, At::Statement).is_err());
            if unknown || (reads.debit && lacks("debit")) || (reads.balance && lacks("balance")) {
                return Err(Why::Unknown);
            }
            if node.args.iter().any(|arg| self.overflows(arg)) {
                return Err(Why::Overflow);
            }
        }
        let given = node.args.len() - usize::from(aggregate.filtered);
        let mut rows = Vec::new();
        for place in places {
            if aggregate.filtered && self.value(&node.args[given], place) != Ok(Val::Bool(true)) {
                continue;
            }
            if let Ok(values) = super::all(node.args[..given].iter().map(|arg| self.value(arg, place))) {
                rows.push(values);
            }
        }
        self.over(aggregate, &rows, node.is_float())
    }

    /// Whether any part of an expression is too large to hold in any record or month.
    fn overflows(&self, node: &Node) -> bool {
        let mut places: Box<dyn Iterator<Item = At>> = match self.grain(node) {
            Grain::Row => Box::new((0..self.statement.rows.len()).map(At::Row)),
            Grain::Month => Box::new((0..self.statement.months.len()).map(At::Month)),
            _ => return false,
        };
        if places.any(|place| self.value(node, place) == Err(Why::Overflow)) {
            return true;
        }
        match &node.op {
            Op::Defined(index) => self.overflows(&self.defined[*index].node),
            _ => node.args.iter().any(|arg| self.overflows(arg)),
        }
    }

    fn over(&self, aggregate: &Aggregate, rows: &[Vec<Val>], is_float: bool) -> Out {
        let first = || rows.iter().map(|row| row[0].clone());
        let fewest = |least: usize| if rows.len() < least { Err(Why::Unknown) } else { Ok(()) };
        match aggregate.name {
            "count" if aggregate.distinct => {
                let mut seen: Vec<Val> = Vec::new();
                for value in first() {
                    if !seen.iter().any(|known| self.compare("=", &[known.clone(), value.clone()])) {
                        seen.push(value);
                    }
                }
                fits(seen.len() as i128)
            }
            "count" => fits(rows.len() as i128),
            "sum" if is_float => {
                let (mut sum, mut error, mut size) = (0.0, 0.0, 0.0);
                for (value, blur) in first().map(|value| value.float()) {
                    (sum, error, size) = (sum + value, error + blur, size + value.abs());
                }
                finite(sum, error + size * 1e-15 * rows.len() as f64)
            }
            "sum" => fits(first().map(|value| i128::from(value.int())).sum()),
            "avg" => {
                fewest(1)?;
                mean(first())
            }
            "min" | "max" => {
                fewest(1)?;
                let sign = if aggregate.name == "min" { "<" } else { ">" };
                let mut best = rows[0][0].clone();
                for value in first().skip(1) {
                    if self.compare(sign, &[value.clone(), best.clone()]) {
                        best = value;
                    }
                }
                Ok(best)
            }
            "median" => self.quantile(rows, 0.5),
            "quantile" => self.quantile(rows, aggregate.fraction.parse().unwrap()),
            "stddev" => {
                fewest(2)?;
                deviation(first())
            }
            "first" => rows.first().map(|row| row[0].clone()).ok_or(Why::Unknown),
            "last" => rows.last().map(|row| row[0].clone()).ok_or(Why::Unknown),
            "arg_max" | "arg_min" => {
                fewest(1)?;
                let sign = if aggregate.name == "arg_min" { "<" } else { ">" };
                let mut best = &rows[0];
                for row in &rows[1..] {
                    if self.compare(sign, &[row[1].clone(), best[1].clone()]) {
                        best = row;
                    }
                }
                Ok(best[0].clone())
            }
            "regr_slope" => {
                fewest(2)?;
                self.slope(rows)
            }
            name => gap(name, first()),
        }
    }

    fn quantile(&self, rows: &[Vec<Val>], fraction: f64) -> Out {
        let mut values: Vec<(f64, f64)> = rows.iter().map(|row| row[0].float()).collect();
        if values.is_empty() {
            return Err(Why::Unknown);
        }
        values.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap());
        let place = fraction * (values.len() - 1) as f64;
        let (low, part) = (place as usize, place - (place as usize) as f64);
        let (a, b) = (values[low], values[(low + 1).min(values.len() - 1)]);
        let error = values.iter().map(|value| value.1).fold(0.0, f64::max) * 2.0;
        finite(a.0 * (1.0 - part) + b.0 * part, error + (a.0.abs() + b.0.abs()) * 1e-14)
    }

    fn slope(&self, rows: &[Vec<Val>]) -> Out {
        if rows.iter().any(|row| row[1].float().1 > 0.0) {
            self.fragile.set(true);
        }
        if rows.iter().all(|row| row[1].float().0 == rows[0][1].float().0) {
            return Err(Why::Unknown);
        }
        let pairs: Vec<(f64, f64)> = rows.iter().map(|row| (row[1].float().0, row[0].float().0)).collect();
        let ((x0, y0), count) = (pairs[0], pairs.len() as f64);
        let mean_x = pairs.iter().map(|pair| pair.0 - x0).sum::<f64>() / count;
        let mean_y = pairs.iter().map(|pair| pair.1 - y0).sum::<f64>() / count;
        let off: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.0 - x0 - mean_x, pair.1 - y0 - mean_y)).collect();
        let along: f64 = off.iter().map(|pair| pair.0 * pair.0).sum();
        let across: f64 = off.iter().map(|pair| pair.0 * pair.1).sum();
        let far = |of: fn(&(f64, f64)) -> f64, all: &[(f64, f64)]| all.iter().map(of).fold(0.0, f64::max);
        let (far_x, far_y) = (far(|pair| pair.0.abs(), &pairs), far(|pair| pair.1.abs(), &pairs));
        let (off_x, off_y) = (far(|pair| pair.0.abs(), &off), far(|pair| pair.1.abs(), &off));
        let blur = rows.iter().map(|row| row[0].float().1).fold(0.0, f64::max);
        let error = (off_x * (far_y * 1e-14 + 2.0 * blur) + off_y * far_x * 1e-14) * count / along;
        if !(far_y < 1e150 && far_x < 1e15) {
            self.fragile.set(true);
        }
        finite(across / along, error + (across / along).abs() * 1e-9)
    }
}

/// From the exact sum where the values are whole.
fn mean(values: impl Iterator<Item = Val>) -> Out {
    let values: Vec<Val> = values.collect();
    let count = values.len();
    if values.iter().all(|value| matches!(value, Val::Int(_))) {
        let sum: i128 = values.iter().map(|value| i128::from(value.int())).sum();
        let (whole, rest) = (sum / count as i128, sum % count as i128);
        let mean = whole as f64 + rest as f64 / count as f64;
        return finite(mean, mean.abs() * 1e-15);
    }
    let size: f64 = values.iter().map(|value| value.float().0.abs()).sum();
    let error: f64 = values.iter().map(|value| value.float().1).sum::<f64>() + size * 1e-15 * count as f64;
    finite(values.iter().map(|value| value.float().0).sum::<f64>() / count as f64, error / count as f64)
}

/// The root of the mean square distance from the mean, over one less than there are.
fn deviation(values: impl Iterator<Item = Val>) -> Out {
    let values: Vec<(f64, f64)> = values.map(|value| value.float()).collect();
    let origin = values[0].0;
    let mean = values.iter().map(|value| value.0 - origin).sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value.0 - origin - mean).powi(2)).sum();
    let result = (squares / (values.len() - 1) as f64).sqrt();
    let far = values.iter().map(|value| value.0.abs()).fold(0.0, f64::max);
    let blur = values.iter().map(|value| value.1).fold(0.0, f64::max);
    finite(result, far * 1e-13 + result * 1e-12 + blur * 4.0)
}

/// The days between one date and the next: the greatest, or all of them shared out.
fn gap(name: &str, dates: impl Iterator<Item = Val>) -> Out {
    let mut days: Vec<i64> = dates.map(|value| value.int()).collect();
    days.sort();
    days.dedup();
    if days.len() < 2 {
        return Err(Why::Unknown);
    }
    match name {
        "max_gap" => Ok(Val::Int(days.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap())),
        _ => finite((days[days.len() - 1] - days[0]) as f64 / (days.len() - 1) as f64, 1e-9),
    }
}
