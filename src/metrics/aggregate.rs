//! Aggregates over contiguous rows: one result a slice. Unknown arguments are passed over; sums of integers are exact.

use std::ops::Range;

use super::column::{Column, Data};
use super::reason::Reason;
use crate::rules::ir::{Aggregate, BENFORD_LEAST};
use crate::rules::program::Value;

/// What is aggregated.
pub(crate) struct Input<'c, 'a> {
    pub function: Aggregate,
    pub arguments: Vec<&'c Column<'a>>,
    /// Rows that count: the filter is true and every argument known. `None` where all do.
    pub mask: Option<Vec<bool>>,
}

/// The rows that count, `None` for all of them.
pub(crate) fn mask(filter: Option<&Column>, arguments: &[&Column], rows: usize) -> Option<Vec<bool>> {
    let mut mask: Option<Vec<bool>> = None;
    let mut and = |more: &[bool]| match &mut mask {
        None => mask = Some(if more.len() == rows { more.to_vec() } else { vec![more.first() == Some(&true); rows] }),
        Some(mask) if more.len() == rows => mask.iter_mut().zip(more).for_each(|(all, more)| *all &= more),
        Some(mask) => mask.iter_mut().for_each(|all| *all &= more.first() == Some(&true)),
    };
    if let Some(filter) = filter {
        and(filter.booleans());
        filter.valid.iter().for_each(|valid| and(valid));
    }
    for argument in arguments {
        argument.valid.iter().for_each(|valid| and(valid));
    }
    mask
}

impl Input<'_, '_> {
    fn rows(&self, range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        range.filter(|row| self.mask.as_ref().is_none_or(|mask| mask[*row]))
    }

    /// The result over one slice.
    pub(crate) fn over(&self, range: Range<usize>) -> Result<Value, Reason> {
        let argument = self.arguments.first();
        match self.function {
            Aggregate::Count => Ok(Value::Int(self.count(range))),
            Aggregate::CountDistinct => Ok(Value::Int(self.distinct(range))),
            Aggregate::Sum => match argument.map(|argument| &argument.data) {
                Some(Data::Int(values)) => self.sum_int(values, range),
                _ => finite(self.floats(0, range).iter().sum()),
            },
            Aggregate::Avg => self.mean(range).and_then(finite),
            Aggregate::Min => self.extreme(range, std::cmp::Ordering::Less),
            Aggregate::Max => self.extreme(range, std::cmp::Ordering::Greater),
            Aggregate::Quantile(fraction) => self.quantile(range, f64::from_bits(fraction)),
            Aggregate::StdDev => self.deviation(range),
            Aggregate::First => {
                self.rows(range).next().map_or(Err(Reason::NoRecords), |row| self.arguments[0].value(row))
            }
            Aggregate::Last => self.last(range),
            Aggregate::ArgMax => self.arg_extreme(range, std::cmp::Ordering::Greater),
            Aggregate::ArgMin => self.arg_extreme(range, std::cmp::Ordering::Less),
            Aggregate::RegrSlope => self.slope(range),
            Aggregate::MaxGap => self.gaps(range).map(|gaps| Value::Int(gaps.into_iter().max().unwrap_or(0))),
            Aggregate::AvgGap => {
                self.gaps(range).map(|gaps| Value::Float(gaps.iter().sum::<i64>() as f64 / gaps.len() as f64))
            }
            Aggregate::Mode => self.mode(range),
            Aggregate::Benford => self.benford(range),
        }
    }

    fn count(&self, range: Range<usize>) -> i64 {
        match &self.mask {
            Some(mask) => mask[range].iter().filter(|counts| **counts).count() as i64,
            None => range.len() as i64,
        }
    }

    fn distinct(&self, range: Range<usize>) -> i64 {
        let argument = self.arguments[0];
        match &argument.data {
            Data::Int(values) => {
                let mut seen: Vec<i64> = self.rows(range).map(|row| values[argument.at(row)]).collect();
                seen.sort_unstable();
                seen.dedup();
                seen.len() as i64
            }
            Data::Float(values) => {
                let mut seen: Vec<f64> = self.rows(range).map(|row| values[argument.at(row)]).collect();
                seen.sort_unstable_by(f64::total_cmp);
                seen.dedup();
                seen.len() as i64
            }
            Data::Boolean(values) => {
                let mut seen = [false; 2];
                self.rows(range).for_each(|row| seen[usize::from(values[argument.at(row)])] = true);
                seen.iter().filter(|seen| **seen).count() as i64
            }
            // The checker lets no list into an aggregate.
            Data::List(_) => 0,
            Data::Text(values) => {
                let seen: std::collections::HashSet<&str> =
                    self.rows(range).map(|row| values[argument.at(row)].as_ref()).collect();
                seen.len() as i64
            }
        }
    }

    fn sum_int(&self, values: &[i64], range: Range<usize>) -> Result<Value, Reason> {
        let total: i128 = if values.len() == 1 {
            i128::from(values[0]) * i128::from(self.count(range))
        } else {
            match &self.mask {
                Some(mask) => {
                    let pairs = values[range.clone()].iter().zip(&mask[range]);
                    pairs.map(|(value, counts)| if *counts { i128::from(*value) } else { 0 }).sum()
                }
                None => values[range].iter().map(|value| i128::from(*value)).sum(),
            }
        };
        i64::try_from(total).map(Value::Int).map_err(|_| Reason::Overflow)
    }

    /// The values that count, as floats.
    fn floats(&self, argument: usize, range: Range<usize>) -> Vec<f64> {
        let argument = self.arguments[argument];
        match &argument.data {
            Data::Int(values) => self.rows(range).map(|row| values[argument.at(row)] as f64).collect(),
            _ => self.rows(range).map(|row| argument.floats()[argument.at(row)]).collect(),
        }
    }

    /// From the exact sum where the values are integers.
    fn mean(&self, range: Range<usize>) -> Result<f64, Reason> {
        let count = self.count(range.clone());
        if count == 0 {
            return Err(Reason::NoRecords);
        }
        let argument = self.arguments[0];
        let sum = match &argument.data {
            Data::Int(values) => self.rows(range).map(|row| i128::from(values[argument.at(row)])).sum::<i128>() as f64,
            _ => self.floats(0, range).iter().sum(),
        };
        Ok(sum / count as f64)
    }

    fn extreme(&self, range: Range<usize>, wanted: std::cmp::Ordering) -> Result<Value, Reason> {
        let argument = self.arguments[0];
        if let Data::Int(values) = &argument.data {
            let rows = self.rows(range).map(|row| values[argument.at(row)]);
            let best = if wanted.is_lt() { rows.min() } else { rows.max() };
            return best.map(Value::Int).ok_or(Reason::NoRecords);
        }
        let mut best: Option<Value> = None;
        for row in self.rows(range) {
            let value = argument.value(row)?;
            if best.as_ref().is_none_or(|best| crate::rules::program::compare(&value, best) == Some(wanted)) {
                best = Some(value);
            }
        }
        best.ok_or(Reason::NoRecords)
    }

    /// Linear interpolation between the two nearest ranks.
    fn quantile(&self, range: Range<usize>, fraction: f64) -> Result<Value, Reason> {
        let mut values = self.floats(0, range);
        if values.is_empty() {
            return Err(Reason::NoRecords);
        }
        values.sort_unstable_by(f64::total_cmp);
        let place = fraction * (values.len() - 1) as f64;
        let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
        finite(low + (high - low) * (place - place.floor()))
    }

    fn deviation(&self, range: Range<usize>) -> Result<Value, Reason> {
        let values = self.floats(0, range.clone());
        if values.len() < 2 {
            return Err(if values.is_empty() { Reason::NoRecords } else { Reason::NeedsValues(2) });
        }
        let mean = self.mean(range)?;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        finite((squares / (values.len() - 1) as f64).sqrt())
    }

    fn last(&self, range: Range<usize>) -> Result<Value, Reason> {
        let row = range.rev().find(|row| self.mask.as_ref().is_none_or(|mask| mask[*row]));
        row.map_or(Err(Reason::NoRecords), |row| self.arguments[0].value(row))
    }

    fn arg_extreme(&self, range: Range<usize>, wanted: std::cmp::Ordering) -> Result<Value, Reason> {
        let by = self.arguments[1];
        let order = |row: usize, best: usize| match &by.data {
            Data::Int(values) => Some(values[by.at(row)].cmp(&values[by.at(best)])),
            _ => by.floats()[by.at(row)].partial_cmp(&by.floats()[by.at(best)]),
        };
        let better = |best: usize, row: usize| if order(row, best) == Some(wanted) { row } else { best };
        self.rows(range).reduce(better).map_or(Err(Reason::NoRecords), |row| self.arguments[0].value(row))
    }

    fn slope(&self, range: Range<usize>) -> Result<Value, Reason> {
        let (y, x) = (self.floats(0, range.clone()), self.floats(1, range));
        if y.len() < 2 {
            return Err(if y.is_empty() { Reason::NoRecords } else { Reason::NeedsValues(2) });
        }
        // Asked of the values themselves: their mean may differ from them in the last bits.
        if x.iter().all(|value| *value == x[0]) {
            return Err(Reason::ZeroDenominator);
        }
        let count = y.len() as f64;
        let (mean_y, mean_x) = (y.iter().sum::<f64>() / count, x.iter().sum::<f64>() / count);
        let across: f64 = x.iter().zip(&y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let along: f64 = x.iter().map(|x| (x - mean_x) * (x - mean_x)).sum();
        if along == 0.0 {
            return Err(Reason::ZeroDenominator);
        }
        finite(across / along)
    }

    fn gaps(&self, range: Range<usize>) -> Result<Vec<i64>, Reason> {
        let argument = self.arguments[0];
        let mut days: Vec<i64> = self.rows(range).map(|row| argument.ints()[argument.at(row)]).collect();
        days.sort_unstable();
        days.dedup();
        match days.len() {
            0 => Err(Reason::NoRecords),
            1 => Err(Reason::NeedsValues(2)),
            _ => Ok(days.windows(2).map(|pair| pair[1] - pair[0]).collect()),
        }
    }

    /// The most frequent value, the least of equals.
    fn mode(&self, range: Range<usize>) -> Result<Value, Reason> {
        let argument = self.arguments[0];
        let longest = |sorted: &[usize], same: &dyn Fn(usize, usize) -> bool| {
            let runs = sorted.chunk_by(|a, b| same(*a, *b));
            // The first of equals wins: they are sorted.
            let longest = runs.reduce(|best, run| if run.len() > best.len() { run } else { best });
            longest.and_then(|run| run.first().copied())
        };
        let mut rows: Vec<usize> = self.rows(range).map(|row| argument.at(row)).collect();
        let row = match &argument.data {
            Data::Int(values) => {
                rows.sort_unstable_by_key(|row| values[*row]);
                longest(&rows, &|a, b| values[a] == values[b])
            }
            Data::Text(values) => {
                rows.sort_unstable_by(|a, b| values[*a].cmp(&values[*b]));
                longest(&rows, &|a, b| values[a] == values[b])
            }
            Data::Boolean(values) => {
                rows.sort_unstable_by_key(|row| values[*row]);
                longest(&rows, &|a, b| values[a] == values[b])
            }
            // The checker lets no list into an aggregate.
            _ => {
                let values = argument.floats();
                rows.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
                longest(&rows, &|a, b| values[a] == values[b])
            }
        };
        row.map_or(Err(Reason::NoRecords), |row| argument.value(row))
    }

    /// Half the sum of how far the share of each first digit is from log10(1 + 1/digit).
    fn benford(&self, range: Range<usize>) -> Result<Value, Reason> {
        /// log10(1 + 1/digit), written out: what a machine's own logarithm gives may differ in the last bit.
        const EXPECTED: [f64; 9] = [
            std::f64::consts::LOG10_2,
            0.176_091_259_055_681_24,
            0.124_938_736_608_299_95,
            0.096_910_013_008_056_42,
            0.079_181_246_047_624_82,
            0.066_946_789_630_613_22,
            0.057_991_946_977_686_75,
            0.051_152_522_447_381_29,
            0.045_757_490_560_675_12,
        ];
        let argument = self.arguments[0];
        let mut counts = [0_u64; 9];
        for row in self.rows(range) {
            let mut left = argument.ints()[argument.at(row)].unsigned_abs();
            while left >= 10 {
                left /= 10;
            }
            if let Some(count) = left.checked_sub(1).and_then(|digit| counts.get_mut(digit as usize)) {
                *count += 1;
            }
        }
        let all: u64 = counts.iter().sum();
        if all < u64::from(BENFORD_LEAST) {
            return Err(Reason::NeedsValues(BENFORD_LEAST));
        }
        let apart = counts.iter().zip(EXPECTED).map(|(count, expected)| (*count as f64 / all as f64 - expected).abs());
        finite(apart.sum::<f64>() / 2.0)
    }
}

fn finite(value: f64) -> Result<Value, Reason> {
    if value.is_finite() { Ok(Value::Float(value)) } else { Err(Reason::Overflow) }
}
