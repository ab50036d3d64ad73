//! Aggregates over slices of rows: one result a slice. Unknown arguments are passed over; sums of integers are exact.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::bits::Bits;
use super::column::{Column, Data};
use super::reason::Reason;
use super::texts::Texts;
use crate::rules::ir::{Aggregate, BENFORD_LEAST};
use crate::rules::program::Value;

/// What is aggregated.
pub(crate) struct Input<'c, 'a> {
    pub function: Aggregate,
    pub arguments: &'c [&'c Column<'a>],
    /// Rows that count: the filter is true and every argument known. `None` where all do.
    pub mask: Option<Bits>,
}

/// Some rows in their order.
pub(crate) enum Slice<'s> {
    /// These, as far as they count.
    Range(Range<usize>),
    /// These, which all count.
    Listed(&'s [u32]),
}

/// The rows that count, `None` for all of them.
pub(crate) fn mask(filter: Option<&Column>, arguments: &[&Column], rows: usize) -> Option<Bits> {
    let filter = filter.map(|filter| filter.holds(rows));
    let known = arguments.iter().filter_map(|argument| argument.valid.as_ref()).map(|valid| valid.spread(rows));
    known.chain(filter).reduce(|all, more| Cow::Owned(all.and(&more))).map(Cow::into_owned)
}

impl Input<'_, '_> {
    /// Calls `take` with every row of a slice that counts.
    #[inline]
    fn each(&self, slice: &Slice, mut take: impl FnMut(usize)) {
        match (slice, &self.mask) {
            (Slice::Range(range), None) => range.clone().for_each(take),
            (Slice::Range(range), Some(mask)) => mask.ones(range.clone()).for_each(take),
            (Slice::Listed(rows), _) => rows.iter().for_each(|row| take(*row as usize)),
        }
    }

    /// What `value` makes of every row that counts.
    #[inline]
    fn collect<T>(&self, slice: &Slice, value: impl Fn(usize) -> T) -> Vec<T> {
        let mut values = Vec::with_capacity(self.count(slice));
        self.each(slice, |row| values.push(value(row)));
        values
    }

    /// The values of the rows that count; a single one serves every row.
    #[inline]
    fn values<T: Copy, V: Copy>(&self, values: &[T], slice: &Slice, value: impl Fn(T) -> V) -> Vec<V> {
        match values {
            [one] => vec![value(*one); self.count(slice)],
            _ => self.collect(slice, |row| value(values[row])),
        }
    }

    fn first(&self, slice: &Slice) -> Option<usize> {
        match (slice, &self.mask) {
            (Slice::Range(range), None) => range.clone().next(),
            (Slice::Range(range), Some(mask)) => mask.ones(range.clone()).next(),
            (Slice::Listed(rows), _) => rows.first().map(|row| *row as usize),
        }
    }

    fn last(&self, slice: &Slice) -> Option<usize> {
        match (slice, &self.mask) {
            (Slice::Range(range), None) => range.clone().next_back(),
            (Slice::Range(range), Some(mask)) => mask.last(range.clone()),
            (Slice::Listed(rows), _) => rows.last().map(|row| *row as usize),
        }
    }

    fn count(&self, slice: &Slice) -> usize {
        match (slice, &self.mask) {
            (Slice::Range(range), None) => range.len(),
            (Slice::Range(range), Some(mask)) => mask.count(range.clone()),
            (Slice::Listed(rows), _) => rows.len(),
        }
    }

    /// The result over one slice.
    pub(crate) fn over(&self, slice: &Slice) -> Result<Value, Reason> {
        let value = |row: Option<usize>| row.map_or(Err(Reason::NoRecords), |row| self.arguments[0].value(row));
        match self.function {
            Aggregate::Count => Ok(Value::Int(self.count(slice) as i64)),
            Aggregate::CountDistinct => Ok(Value::Int(self.distinct(slice))),
            Aggregate::Sum => match self.arguments.first().map(|argument| &argument.data) {
                Some(Data::Int(values)) => {
                    i64::try_from(self.sum(values, slice)).map(Value::Int).or(Err(Reason::Overflow))
                }
                _ => finite(self.floats(0, slice).iter().sum()),
            },
            Aggregate::Avg => self.mean(slice).and_then(finite),
            Aggregate::Min => self.extreme(slice, std::cmp::Ordering::Less),
            Aggregate::Max => self.extreme(slice, std::cmp::Ordering::Greater),
            Aggregate::Quantile(fraction) => self.quantile(slice, f64::from_bits(fraction)),
            Aggregate::StdDev => self.deviation(slice),
            Aggregate::First => value(self.first(slice)),
            Aggregate::Last => value(self.last(slice)),
            Aggregate::ArgMax => value(self.arg_extreme(slice, std::cmp::Ordering::Greater)),
            Aggregate::ArgMin => value(self.arg_extreme(slice, std::cmp::Ordering::Less)),
            Aggregate::RegrSlope => self.slope(slice),
            Aggregate::MaxGap => self.gaps(slice).map(|gaps| Value::Int(gaps.into_iter().max().unwrap_or(0))),
            Aggregate::AvgGap => {
                self.gaps(slice).map(|gaps| Value::Float(gaps.iter().sum::<i64>() as f64 / gaps.len() as f64))
            }
            Aggregate::Mode => self.mode(slice),
            Aggregate::Benford => self.benford(slice),
        }
    }

    fn distinct(&self, slice: &Slice) -> i64 {
        let argument = self.arguments[0];
        match &argument.data {
            Data::Int(values) => ascending(self.values(values, slice, |value| value)).len() as i64,
            Data::Float(values) => {
                let mut seen = self.values(values, slice, |value| value);
                seen.sort_unstable_by(f64::total_cmp);
                seen.dedup();
                seen.len() as i64
            }
            Data::Boolean(values) => {
                let mut seen = [false; 2];
                self.each(slice, |row| seen[usize::from(values.get(argument.at(row)))] = true);
                seen.iter().filter(|seen| **seen).count() as i64
            }
            // The checker lets no list into an aggregate.
            Data::List(_) => 0,
            Data::Text(texts) => {
                let numbers = match texts {
                    // Each name is looked at once.
                    Texts::Named(..) => texts.one_of_each(&self.collect(slice, |row| argument.at(row) as u32)),
                    _ => self.collect(slice, |row| argument.at(row) as u32),
                };
                let seen: HashSet<&str, foldhash::fast::RandomState> =
                    numbers.iter().map(|row| texts.get(*row as usize)).collect();
                seen.len() as i64
            }
        }
    }

    /// Exact: no sum over a statement leaves 128 bits.
    fn sum(&self, values: &[i64], slice: &Slice) -> i128 {
        let mut sum = 0;
        match values {
            [one] => return i128::from(*one) * self.count(slice) as i128,
            _ => self.each(slice, |row| sum += i128::from(values[row])),
        }
        sum
    }

    /// The values that count, as floats.
    fn floats(&self, argument: usize, slice: &Slice) -> Vec<f64> {
        let argument = self.arguments[argument];
        match &argument.data {
            Data::Int(values) => self.values(values, slice, |value| value as f64),
            _ => self.values(argument.floats(), slice, |value| value),
        }
    }

    /// From the exact sum where the values are integers.
    fn mean(&self, slice: &Slice) -> Result<f64, Reason> {
        let count = self.count(slice);
        if count == 0 {
            return Err(Reason::NoRecords);
        }
        let sum = match &self.arguments[0].data {
            Data::Int(values) => self.sum(values, slice) as f64,
            _ => self.floats(0, slice).iter().sum(),
        };
        Ok(sum / count as f64)
    }

    fn extreme(&self, slice: &Slice, wanted: std::cmp::Ordering) -> Result<Value, Reason> {
        let argument = self.arguments[0];
        if let Data::Int(values) = &argument.data {
            let values: &[i64] = values;
            let first = self.first(slice).map(|row| values[argument.at(row)]).ok_or(Reason::NoRecords)?;
            let mut best = first;
            match (values, wanted.is_lt()) {
                ([_], _) => {}
                (_, true) => self.each(slice, |row| best = best.min(values[row])),
                (_, false) => self.each(slice, |row| best = best.max(values[row])),
            }
            return Ok(Value::Int(best));
        }
        let mut best: Option<Value> = None;
        for row in self.collect(slice, |row| row) {
            let value = argument.value(row)?;
            if best.as_ref().is_none_or(|best| crate::rules::program::compare(&value, best) == Some(wanted)) {
                best = Some(value);
            }
        }
        best.ok_or(Reason::NoRecords)
    }

    /// Linear interpolation between the two nearest ranks.
    fn quantile(&self, slice: &Slice, fraction: f64) -> Result<Value, Reason> {
        let argument = self.arguments[0];
        let (low, high, place) = match &argument.data {
            Data::Int(values) => {
                let values = self.values(values, slice, |value| value);
                let (low, high, place) = ranked(values, fraction, i64::cmp)?;
                (low as f64, high as f64, place)
            }
            _ => ranked(self.floats(0, slice), fraction, f64::total_cmp)?,
        };
        finite(low + (high - low) * (place - place.floor()))
    }

    fn deviation(&self, slice: &Slice) -> Result<Value, Reason> {
        let values = self.floats(0, slice);
        if values.len() < 2 {
            return Err(if values.is_empty() { Reason::NoRecords } else { Reason::NeedsValues(2) });
        }
        let mean = self.mean(slice)?;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        finite((squares / (values.len() - 1) as f64).sqrt())
    }

    fn arg_extreme(&self, slice: &Slice, wanted: std::cmp::Ordering) -> Option<usize> {
        let by = self.arguments[1];
        let order = |row: usize, best: usize| match &by.data {
            Data::Int(values) => Some(values[by.at(row)].cmp(&values[by.at(best)])),
            _ => by.floats()[by.at(row)].partial_cmp(&by.floats()[by.at(best)]),
        };
        let better = |best: usize, row: usize| if order(row, best) == Some(wanted) { row } else { best };
        self.collect(slice, |row| row).into_iter().reduce(better)
    }

    fn slope(&self, slice: &Slice) -> Result<Value, Reason> {
        let (y, x) = (self.floats(0, slice), self.floats(1, slice));
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

    fn gaps(&self, slice: &Slice) -> Result<Vec<i64>, Reason> {
        let argument = self.arguments[0];
        let days = ascending(self.values(argument.ints(), slice, |day| day));
        match days.len() {
            0 => Err(Reason::NoRecords),
            1 => Err(Reason::NeedsValues(2)),
            _ => Ok(days.windows(2).map(|pair| pair[1] - pair[0]).collect()),
        }
    }

    /// The most frequent value, the least of equals.
    fn mode(&self, slice: &Slice) -> Result<Value, Reason> {
        let argument = self.arguments[0];
        if let Data::Int(values) = &argument.data {
            let mut values = self.values(values, slice, |value| value);
            values.sort_unstable();
            let run = values.chunk_by(|one, other| one == other).reduce(longer);
            return run.map_or(Err(Reason::NoRecords), |run| Ok(Value::Int(run[0])));
        }
        let mut rows = self.collect(slice, |row| argument.at(row));
        let row = match &argument.data {
            Data::Text(texts) => {
                rows.sort_unstable_by(|a, b| texts.get(*a).cmp(texts.get(*b)));
                rows.chunk_by(|a, b| texts.get(*a) == texts.get(*b)).reduce(longer)
            }
            Data::Boolean(values) => {
                rows.sort_unstable_by_key(|row| values.get(*row));
                rows.chunk_by(|a, b| values.get(*a) == values.get(*b)).reduce(longer)
            }
            // The checker lets no list into an aggregate.
            _ => {
                let values = argument.floats();
                rows.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
                rows.chunk_by(|a, b| values[*a] == values[*b]).reduce(longer)
            }
        };
        row.map_or(Err(Reason::NoRecords), |run| argument.value(run[0]))
    }

    /// Half the sum of how far the share of each first digit is from log10(1 + 1/digit).
    fn benford(&self, slice: &Slice) -> Result<Value, Reason> {
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
        self.each(slice, |row| {
            let amount = argument.ints()[argument.at(row)].unsigned_abs();
            let first = amount.checked_ilog10().map(|digits| amount / 10_u64.pow(digits));
            if let Some(count) = first.and_then(|digit| counts.get_mut(digit as usize - 1)) {
                *count += 1;
            }
        });
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

/// Each value once, from the least. Days of records ascend as they are.
fn ascending(mut values: Vec<i64>) -> Vec<i64> {
    if !values.is_sorted() {
        values.sort_unstable();
    }
    values.dedup();
    values
}

/// The longer of two runs, the first of equals.
fn longer<'r, T>(best: &'r [T], run: &'r [T]) -> &'r [T] {
    if run.len() > best.len() { run } else { best }
}

/// The values below and above the place of a fraction, and that place. Only those are brought to their places.
fn ranked<T: Copy>(
    mut values: Vec<T>,
    fraction: f64,
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
) -> Result<(T, T, f64), Reason> {
    let last = values.len().checked_sub(1).ok_or(Reason::NoRecords)?;
    let place = fraction * last as f64;
    let (_, low, above) = values.select_nth_unstable_by(place.floor() as usize, &order);
    let high = if place.ceil() > place.floor() { above.iter().copied().min_by(&order) } else { None };
    Ok((*low, high.unwrap_or(*low), place))
}
