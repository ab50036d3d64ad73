//! Aggregates over slices of rows: one result per slice. Unknown arguments are skipped; sums of integers are exact.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;

use crate::base::rational::Rational;
use crate::engine::metrics::column::{Bits, Data, Reason, Texts, ValueColumn};
use crate::rules::graph::{Aggregate, BENFORD_VALUES_MIN};
use crate::rules::program::Value;

/// What to aggregate.
pub(crate) struct Input<'c, 'a> {
    pub function: Aggregate,
    pub arguments: &'c [&'c ValueColumn<'a>],
    /// Rows that count: the filter is true and every argument known. `None` if all count.
    pub mask: Option<Bits>,
}

/// Some rows, in order.
pub(crate) enum Slice<'s> {
    /// The rows of a range that count.
    Range(Range<usize>),
    /// These rows, which all count.
    Listed(&'s [u32]),
}

/// The rows that count; `None` if all do.
pub(crate) fn mask_counted_rows(filter: Option<&ValueColumn>, arguments: &[&ValueColumn], rows: usize) -> Option<Bits> {
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

    /// Calls `value` for every row that counts.
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
                Some(Data::Float(_)) => finite(self.floats(0, slice).iter().sum()),
                _ => Rational::sum(&self.rationals(0, slice)).map(Value::Rational).ok_or(Reason::Overflow),
            },
            Aggregate::Avg => self.mean(slice),
            Aggregate::Min => self.extreme(slice, Ordering::Less),
            Aggregate::Max => self.extreme(slice, Ordering::Greater),
            Aggregate::Quantile(over, under) => self.quantile(slice, (over, under)),
            Aggregate::StdDev => self.deviation(slice),
            Aggregate::First => value(self.first(slice)),
            Aggregate::Last => value(self.last(slice)),
            Aggregate::ArgMax => value(self.arg_extreme(slice, Ordering::Greater)),
            Aggregate::ArgMin => value(self.arg_extreme(slice, Ordering::Less)),
            Aggregate::RegrSlope => self.slope(slice),
            Aggregate::MaxGap => self.gaps(slice).map(|gaps| Value::Int(gaps.into_iter().max().unwrap_or(0))),
            Aggregate::AvgGap => {
                let gaps = self.gaps(slice)?;
                let sum = gaps.iter().map(|gap| i128::from(*gap)).sum();
                Rational::mean(sum, gaps.len()).map(Value::Rational).ok_or(Reason::NoRecords)
            }
            Aggregate::Mode => self.mode(slice),
            Aggregate::Benford => self.benford(slice),
        }
    }

    fn distinct(&self, slice: &Slice) -> i64 {
        let argument = self.arguments[0];
        match &argument.data {
            Data::Int(values) => sort_unique_values(self.values(values, slice, |value| value)).len() as i64,
            Data::Float(values) => {
                let mut seen = self.values(values, slice, |value| value);
                seen.sort_unstable_by(f64::total_cmp);
                seen.dedup();
                seen.len() as i64
            }
            Data::Rational(_) | Data::Decimals(_) => {
                let mut seen = self.rationals(0, slice);
                seen.sort_unstable();
                seen.dedup();
                seen.len() as i64
            }
            Data::Boolean(values) => {
                let mut seen = [false; 2];
                self.each(slice, |row| seen[usize::from(values.get(argument.at(row)))] = true);
                seen.iter().filter(|seen| **seen).count() as i64
            }
            // The checker admits no list to an aggregate.
            Data::List(_) => 0,
            Data::Text(texts) => {
                let numbers = match texts {
                    // One row per name is enough.
                    Texts::Named(..) => texts.one_of_each(&self.collect(slice, |row| argument.at(row) as u32)),
                    _ => self.collect(slice, |row| argument.at(row) as u32),
                };
                let seen: HashSet<&str, foldhash::fast::RandomState> =
                    numbers.iter().map(|row| texts.get(*row as usize)).collect();
                seen.len() as i64
            }
        }
    }

    /// Exact: no sum over a statement exceeds 128 bits.
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
        self.values(self.arguments[argument].floats(), slice, |value| value)
    }

    /// The values that count, exactly.
    fn rationals(&self, argument: usize, slice: &Slice) -> Vec<Rational> {
        match &*self.arguments[argument].rationals() {
            [one] => vec![one.clone(); self.count(slice)],
            values => self.collect(slice, |row| values[row].clone()),
        }
    }

    fn mean(&self, slice: &Slice) -> Result<Value, Reason> {
        let count = self.count(slice);
        if count == 0 {
            return Err(Reason::NoRecords);
        }
        let mean = match &self.arguments[0].data {
            Data::Int(values) => Rational::mean(self.sum(values, slice), count),
            Data::Float(_) => return finite(self.floats(0, slice).iter().sum::<f64>() / count as f64),
            _ => {
                Rational::sum(&self.rationals(0, slice)).and_then(|sum| sum.divided_by(&Rational::whole(count as i128)))
            }
        };
        mean.map(Value::Rational).ok_or(Reason::Overflow)
    }

    fn extreme(&self, slice: &Slice, wanted: Ordering) -> Result<Value, Reason> {
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
        if let Data::Rational(values) = &argument.data {
            let rows = self.collect(slice, |row| argument.at(row)).into_iter();
            let better = |best: usize, row: usize| if values[row].cmp(&values[best]) == wanted { row } else { best };
            return rows.reduce(better).map(|row| Value::Rational(values[row].clone())).ok_or(Reason::NoRecords);
        }
        let mut best: Option<Value> = None;
        for row in self.collect(slice, |row| row) {
            let value = argument.value(row)?;
            if best.as_ref().is_none_or(|best| crate::rules::program::compare_values(&value, best) == Some(wanted)) {
                best = Some(value);
            }
        }
        best.ok_or(Reason::NoRecords)
    }

    /// Linear interpolation between the two nearest ranks.
    fn quantile(&self, slice: &Slice, fraction: (u64, u64)) -> Result<Value, Reason> {
        let argument = self.arguments[0];
        match &argument.data {
            Data::Int(values) => {
                let values = self.values(values, slice, |value| value);
                let (low, high, (over, under)) = select_quantile_values(values, fraction, i64::cmp)?;
                interpolate_between(&low.into(), &high.into(), over, under)
            }
            Data::Float(_) => {
                let (low, high, (over, under)) =
                    select_quantile_values(self.floats(0, slice), fraction, f64::total_cmp)?;
                finite(low + (high - low) * (over as f64 / under as f64))
            }
            _ => {
                let (low, high, (over, under)) =
                    select_quantile_values(self.rationals(0, slice), fraction, Rational::cmp)?;
                interpolate_between(&low, &high, over, under)
            }
        }
    }

    /// The variance is exact, its root approximate.
    fn deviation(&self, slice: &Slice) -> Result<Value, Reason> {
        let count = self.count(slice);
        if count < 2 {
            return Err(if count == 0 { Reason::NoRecords } else { Reason::NeedsValues(2) });
        }
        if let Data::Float(_) = &self.arguments[0].data {
            let values = self.floats(0, slice);
            let mean = values.iter().sum::<f64>() / count as f64;
            let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
            return finite((squares / (count - 1) as f64).sqrt());
        }
        let variance = self
            .products(slice, [0, 0])
            .and_then(|Products { apart, count, .. }| apart.divided_by(&count.times(&count.minus(&Rational::ONE)?)?));
        finite(variance.ok_or(Reason::Overflow)?.to_f64().sqrt())
    }

    /// Sums over two arguments, which may be the same.
    fn products(&self, slice: &Slice, [left, right]: [usize; 2]) -> Option<Products> {
        let count = Rational::whole(self.count(slice) as i128);
        if let (Data::Int(lefts), Data::Int(rights)) = (&self.arguments[left].data, &self.arguments[right].data) {
            let mut product = Some(0_i128);
            let (lefts, rights): (&[i64], &[i64]) = (lefts, rights);
            let at = |values: &[i64], row: usize| i128::from(if values.len() == 1 { values[0] } else { values[row] });
            self.each(slice, |row| {
                product = product.and_then(|sum| sum.checked_add(at(lefts, row) * at(rights, row)));
            });
            if let Some(product) = product {
                let sums = [lefts, rights].map(|values| Rational::whole(self.sum(values, slice)));
                return Products::new(count, &Rational::whole(product), sums);
            }
        }
        let (lefts, rights) = (self.rationals(left, slice), self.rationals(right, slice));
        let products: Option<Vec<Rational>> =
            lefts.iter().zip(&rights).map(|(left, right)| left.times(right)).collect();
        let sums = [Rational::sum(&lefts)?, Rational::sum(&rights)?];
        Products::new(count, &Rational::sum(&products?)?, sums)
    }

    fn arg_extreme(&self, slice: &Slice, wanted: Ordering) -> Option<usize> {
        let by = self.arguments[1];
        let order = |row: usize, best: usize| match &by.data {
            Data::Int(values) => Some(values[by.at(row)].cmp(&values[by.at(best)])),
            Data::Rational(values) => Some(values[by.at(row)].cmp(&values[by.at(best)])),
            Data::Float(values) | Data::Decimals(values) => values[by.at(row)].partial_cmp(&values[by.at(best)]),
            // The checker admits nothing else to order rows.
            _ => None,
        };
        let better = |best: usize, row: usize| if order(row, best) == Some(wanted) { row } else { best };
        self.collect(slice, |row| row).into_iter().reduce(better)
    }

    fn slope(&self, slice: &Slice) -> Result<Value, Reason> {
        let count = self.count(slice);
        if count < 2 {
            return Err(if count == 0 { Reason::NoRecords } else { Reason::NeedsValues(2) });
        }
        if !matches!(self.arguments[0].data, Data::Float(_)) {
            let across = self.products(slice, [0, 1]).ok_or(Reason::Overflow)?.apart;
            let along = self.products(slice, [1, 1]).ok_or(Reason::Overflow)?.apart;
            return match along.signum() {
                0 => Err(Reason::ZeroDenominator),
                _ => across.divided_by(&along).map(Value::Rational).ok_or(Reason::Overflow),
            };
        }
        let (y, x) = (self.floats(0, slice), self.floats(1, slice));
        // Compares the values themselves: their mean may differ from them in the last bits.
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
        let days = sort_unique_values(self.values(argument.ints(), slice, |day| day));
        match days.len() {
            0 => Err(Reason::NoRecords),
            1 => Err(Reason::NeedsValues(2)),
            _ => Ok(days.windows(2).map(|pair| pair[1] - pair[0]).collect()),
        }
    }

    /// The most frequent value; the least of equally frequent ones.
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
            Data::Rational(values) => {
                rows.sort_unstable_by(|a, b| values[*a].cmp(&values[*b]));
                rows.chunk_by(|a, b| values[*a] == values[*b]).reduce(longer)
            }
            // Doubles are ordered as their shortest decimals.
            Data::Float(values) | Data::Decimals(values) => {
                rows.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
                rows.chunk_by(|a, b| values[*a] == values[*b]).reduce(longer)
            }
            // Integers are counted above, and the checker admits no list to an aggregate.
            Data::Int(_) | Data::List(_) => None,
        };
        row.map_or(Err(Reason::NoRecords), |run| argument.value(run[0]))
    }

    /// Half the sum of the distances between each first digit's share and log10(1 + 1/digit).
    fn benford(&self, slice: &Slice) -> Result<Value, Reason> {
        /// log10(1 + 1/digit) as constants: a machine's own logarithm may differ in the last bit.
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
        if all < u64::from(BENFORD_VALUES_MIN) {
            return Err(Reason::NeedsValues(BENFORD_VALUES_MIN));
        }
        let apart = counts.iter().zip(EXPECTED).map(|(count, expected)| (*count as f64 / all as f64 - expected).abs());
        finite(apart.sum::<f64>() / 2.0)
    }
}

fn finite(value: f64) -> Result<Value, Reason> {
    if value.is_finite() { Ok(Value::Float(value)) } else { Err(Reason::Overflow) }
}

/// Each value once, ascending. Days of records are mostly sorted already.
fn sort_unique_values(mut values: Vec<i64>) -> Vec<i64> {
    if !values.is_sorted() {
        values.sort_unstable();
    }
    values.dedup();
    values
}

/// The longer of two runs; the first if they are equally long.
fn longer<'r, T>(best: &'r [T], run: &'r [T]) -> &'r [T] {
    if run.len() > best.len() { run } else { best }
}

/// The values below and above the rank of a fraction, and how far between them it is. Only these two are selected.
fn select_quantile_values<T: Clone>(
    mut values: Vec<T>,
    (over, under): (u64, u64),
    order: impl Fn(&T, &T) -> Ordering,
) -> Result<(T, T, (u64, u64)), Reason> {
    let last = values.len().checked_sub(1).ok_or(Reason::NoRecords)?;
    let place = u128::from(over) * last as u128;
    let (whole, rest) = ((place / u128::from(under)) as usize, (place % u128::from(under)) as u64);
    let (_, low, above) = values.select_nth_unstable_by(whole, &order);
    let high = if rest > 0 { above.iter().min_by(|one, other| order(one, other)).cloned() } else { None };
    Ok((low.clone(), high.unwrap_or_else(|| low.clone()), (rest, under)))
}

/// Interpolates between `low` and `high`.
fn interpolate_between(low: &Rational, high: &Rational, over: u64, under: u64) -> Result<Value, Reason> {
    if over == 0 {
        return Ok(Value::Rational(low.clone()));
    }
    let share = Rational::whole(i128::from(over)).divided_by(&Rational::whole(i128::from(under)));
    let between = high.minus(low).and_then(|apart| low.plus(&apart.times(&share?)?));
    between.map(Value::Rational).ok_or(Reason::Overflow)
}

/// The co-variation of two arguments over `count` rows.
struct Products {
    count: Rational,
    /// The count times the sum of products, less the product of sums.
    apart: Rational,
}

impl Products {
    fn new(count: Rational, products: &Rational, [left, right]: [Rational; 2]) -> Option<Self> {
        let apart = count.times(products)?.minus(&left.times(&right)?)?;
        Some(Self { count, apart })
    }
}
