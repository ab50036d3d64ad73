//! The cells of tables and the bins of scores, tested over whole columns. Each row of data gets the tests that its
//! value may pass, as bits. Knows neither hit policies nor points.

use crate::base::rational::Rational;
use crate::engine::metrics::column::{Data, Texts, ValueColumn};
use crate::rules::index::IntervalIndex;
use crate::rules::program::Value;

/// The index that means no test.
pub(in crate::engine::metrics) const NO_TEST: u32 = u32::MAX;

/// A column and the tests of one input.
pub(in crate::engine::metrics) struct Tested<'t> {
    sets: &'t [u64],
    words: usize,
    /// For each row of data the number of its set; a single number serves all.
    numbers: Vec<u32>,
}

impl<'t> Tested<'t> {
    /// `None` if the column is of another type than the tests.
    pub(in crate::engine::metrics) fn new(index: &'t IntervalIndex, column: &ValueColumn) -> Option<Self> {
        let (sets, words) = index.sets();
        let mut numbers = numbers(index, column)?;
        if let Some(valid) = &column.valid {
            let of_unknown = (sets.len() / words.max(1)).saturating_sub(1) as u32;
            valid.not().ones(0..valid.len()).for_each(|row| numbers[row] = of_unknown);
        }
        Some(Self { sets, words, numbers })
    }

    fn number(&self, row: usize) -> usize {
        self.numbers[if self.numbers.len() == 1 { 0 } else { row }] as usize
    }

    /// The tests that a row's value may pass.
    pub(in crate::engine::metrics) fn set(&self, row: usize) -> &'t [u64] {
        let start = self.number(row) * self.words;
        &self.sets[start..start + self.words]
    }
}

/// For each row the first of `count` tests that all its values may pass.
pub(in crate::engine::metrics) fn first_passing_tests(tested: &[Tested], count: usize, rows: usize) -> Vec<u32> {
    if count == 0 || count > 64 {
        let first = |row| {
            let sets: Vec<&[u64]> = tested.iter().map(|tested| tested.set(row)).collect();
            crate::rules::index::each_of_all(&sets, count, |number| Some(number as u32)).unwrap_or(NO_TEST)
        };
        return (0..rows).map(first).collect();
    }
    let mut left = vec![!0u64 >> (64 - count); rows];
    for Tested { sets, numbers, .. } in tested {
        match numbers.as_slice() {
            [number] => left.iter_mut().for_each(|left| *left &= sets[*number as usize]),
            numbers => left.iter_mut().zip(numbers).for_each(|(left, number)| *left &= sets[*number as usize]),
        }
    }
    left.into_iter().map(|left| if left == 0 { NO_TEST } else { left.trailing_zeros() }).collect()
}

/// The number of the interval that contains each value; any number where the value is unknown.
fn numbers(index: &IntervalIndex, column: &ValueColumn) -> Option<Vec<u32>> {
    let breaks = index.breaks();
    // For few rows, copying the breaks would cost more.
    if column.len() <= breaks.len() && !matches!(column.data, Data::List(_)) {
        let number = |row| match column.value(row) {
            Ok(value) => index.interval(&value).map(|interval| interval as u32),
            Err(_) => Some(0),
        };
        return (0..column.len()).map(number).collect();
    }
    match &column.data {
        Data::Int(values) => {
            let breaks: Option<Vec<i64>> = breaks.iter().map(Value::int).collect();
            Some(each(values, &breaks?))
        }
        Data::Float(values) => {
            let breaks: Option<Vec<f64>> = breaks.iter().map(Value::float).collect();
            Some(each(values, &breaks?))
        }
        Data::Rational(values) => {
            let breaks: Option<Vec<Rational>> = breaks.iter().map(Value::rational).collect();
            Some(each_rational(values, &breaks?))
        }
        Data::Decimals(values) => {
            let breaks: Option<Vec<Rational>> = breaks.iter().map(Value::rational).collect();
            Some(each_decimal(values, &breaks?))
        }
        Data::Boolean(truths) => {
            let [no, yes] = [false, true].map(|truth| index.interval(&Value::Boolean(truth)));
            let (no, yes) = (no? as u32, yes? as u32);
            Some((0..truths.len()).map(|row| if truths.get(row) { yes } else { no }).collect())
        }
        Data::Text(texts) => {
            let text = |value: &Value| if let Value::Text(text) = value { Some(text.clone()) } else { None };
            let breaks: Vec<String> = breaks.iter().map(text).collect::<Option<_>>()?;
            Some(of_texts(texts, &breaks))
        }
        Data::List(_) => None,
    }
}

/// Counts two for each break below the value, and one more if the value is the next break.
fn each<T: PartialOrd>(values: &[T], breaks: &[T]) -> Vec<u32> {
    /// Up to this number of breaks, comparing with each is faster than searching.
    const FEW: usize = 12;
    if breaks.len() <= FEW {
        let mut numbers = vec![0; values.len()];
        for at in breaks {
            for (number, value) in numbers.iter_mut().zip(values) {
                *number += u32::from(*at < *value) + u32::from(*at <= *value);
            }
        }
        return numbers;
    }
    values.iter().map(|value| of_one(value, breaks)).collect()
}

/// As [`each`], for fractions, where comparisons are expensive.
fn each_rational(values: &[Rational], breaks: &[Rational]) -> Vec<u32> {
    values.iter().map(|value| of_one(value, breaks)).collect()
}

/// As [`each`], for decimals stored as doubles. Compares with the double nearest to each break, then corrects values
/// that equal a double which is not its break.
fn each_decimal(values: &[f64], breaks: &[Rational]) -> Vec<u32> {
    let doubles: Vec<f64> = breaks.iter().map(Rational::to_f64).collect();
    let mut numbers = each(values, &doubles);
    for (double, limit) in doubles.iter().zip(breaks) {
        let Some(decimal) = Rational::from_f64(*double).filter(|decimal| decimal != limit) else { continue };
        // Few breaks differ from their nearest double, and hardly any value equals that double.
        let number = of_one(&decimal, breaks);
        let same = values.iter().zip(&mut numbers).filter(|(value, _)| *value == double);
        same.for_each(|(_, known)| *known = number);
    }
    numbers
}

/// As [`each`], for one value.
fn of_one<T: PartialOrd>(value: &T, breaks: &[T]) -> u32 {
    let below = breaks.partition_point(|at| at < value);
    2 * below as u32 + u32::from(breaks.get(below).is_some_and(|at| at == value))
}

fn of_texts(texts: &Texts, breaks: &[String]) -> Vec<u32> {
    texts.numbered(|text| {
        let below = breaks.partition_point(|at| at.as_str() < text);
        2 * below as u32 + u32::from(breaks.get(below).is_some_and(|at| at == text))
    })
}
