//! Points of the score, the minimum of months, and the principal for an instalment. An unknown never becomes a pass.

use super::cells::{NO_TEST, Tested, first_passing_tests};
use crate::base::pricing::{MAX_INSTALMENTS, Method, Rate, principal_for};
use crate::base::rational::{Rational, Rounding};
use crate::engine::metrics::column::{
    Data, Few, Reason, ValueColumn, collect_few, first_unknown, from_values, with_failures,
};
use crate::rules::Repr;
use crate::rules::program::{Bin, ScoreItem, Value};

/// The first bin that contains a value. A bin for `unknown` says what an unknown gains. Without one an unknown has no
/// bin, which is the error.
pub(crate) fn find_score_bin(item: &ScoreItem, value: Option<&Value>) -> Result<Option<usize>, ()> {
    let expected = item.bins.iter().any(|bin| bin.test.expects_unknown());
    for (index, Bin { test, .. }) in item.bins.iter().enumerate() {
        match test.passes(value) {
            Some(true) => return Ok(Some(index)),
            None if !expected => return Err(()),
            _ => {}
        }
    }
    Ok(None)
}

/// The points of one item, by its bin.
pub(crate) fn compute_item_points<'a>(
    item: &ScoreItem,
    index: usize,
    on: &ValueColumn,
    rows: usize,
) -> ValueColumn<'a> {
    let repr = item.best().repr();
    let tested = Some(item.index.as_ref()).filter(|intervals| rows > 1 && intervals.is_exact());
    let placed = tested.and_then(|intervals| Tested::new(intervals, on));
    let placed = placed.map(|tested| first_passing_tests(&[tested], item.bins.len(), rows));
    let of_row = |row| {
        let value = on.value(row);
        match find_score_bin(item, value.as_ref().ok()) {
            Ok(Some(bin)) => Ok(bin),
            Ok(None) => Err(Reason::NoBin(index as u16)),
            Err(()) => Err(value.err().unwrap_or_default()),
        }
    };
    if rows == 1 {
        return from_values([of_row(0).map(|bin| item.bins[bin].gain.clone())], repr);
    }
    let mut bins = placed.unwrap_or_else(|| vec![NO_TEST; rows]);
    let mut failures = Vec::new();
    for (row, place) in bins.iter_mut().enumerate() {
        if *place == NO_TEST || !on.is_known(row) {
            match of_row(row) {
                Ok(bin) => *place = bin as u32,
                Err(reason) => failures.push((row, reason)),
            }
        }
    }
    with_failures(ValueColumn::known(points_of_bins(item, &bins, repr)), failures)
}

/// The points of the bin of each row; a meaningless number where there is none.
fn points_of_bins<'a>(item: &ScoreItem, bins: &[u32], repr: Repr) -> Data<'a> {
    let gains = || item.bins.iter().map(|bin| &bin.gain);
    if repr == Repr::Float {
        let gains: Vec<f64> = gains().map(|gain| gain.float().unwrap_or_default()).collect();
        return Data::Float(of_bins(&gains, bins));
    }
    let gains: Vec<Rational> = gains().map(|gain| gain.rational().unwrap_or_default()).collect();
    // For few rows, finding the doubles would cost more.
    let doubles = || gains.iter().map(Rational::as_f64).collect::<Option<Vec<f64>>>();
    match (bins.len() > gains.len()).then(doubles).flatten() {
        Some(doubles) => Data::Decimals(of_bins(&doubles, bins)),
        None => Data::Rational(of_bins(&gains, bins)),
    }
}

fn of_bins<T: Clone + Default>(gains: &[T], bins: &[u32]) -> Few<T> {
    collect_few(bins.iter().map(|bin| gains.get(*bin as usize).cloned().unwrap_or_default()))
}

/// The base plus the points of all items; exact, except on a scale.
pub(crate) fn sum_score_points<'a>(base: &Value, items: &[&ValueColumn], rows: usize) -> ValueColumn<'a> {
    match base {
        Value::Float(base) => sum_scaled_points(*base, items, rows),
        base => sum_exact_points(&base.rational().unwrap_or_default(), items, rows),
    }
}

fn sum_scaled_points<'a>(base: f64, items: &[&ValueColumn], rows: usize) -> ValueColumn<'a> {
    if items.iter().all(|item| item.valid.is_none()) {
        let mut sums = Few::from_elem(base, rows);
        for item in items {
            let points = item.floats();
            sums.iter_mut().enumerate().for_each(|(row, sum)| *sum += points[item.at(row)]);
        }
        return ValueColumn::known(Data::Float(sums));
    }
    let values = (0..rows).map(|row| {
        let mut sum = base;
        for item in items {
            sum += item.value(row)?.float().unwrap_or_default();
        }
        Ok(Value::Float(sum))
    });
    from_values(values, Repr::Float)
}

fn sum_exact_points<'a>(base: &Rational, items: &[&ValueColumn], rows: usize) -> ValueColumn<'a> {
    if let Some(sums) = whole_sums(base, items, rows) {
        return with_failures(ValueColumn::known(Data::Decimals(sums)), first_unknown(items, rows));
    }
    let points: Vec<_> = items.iter().map(|item| item.rationals()).collect();
    let values = (0..rows).map(|row| {
        if let Some(unknown) = items.iter().find(|item| !item.is_known(row)) {
            return Err(unknown.reason(row));
        }
        let mut of_row = items.iter().zip(&points).map(|(item, points)| &points[item.at(row)]);
        of_row.try_fold(base.clone(), |sum, points| sum.plus(points)).ok_or(Reason::Overflow)
    });
    column_of_rationals(values.collect())
}

/// The sums of whole points, which doubles add exactly. `None` if some are not whole, too large or of one row.
fn whole_sums(base: &Rational, items: &[&ValueColumn], rows: usize) -> Option<Few<f64>> {
    /// So many of the greatest points stay far below the whole numbers that a double skips.
    const LARGEST: f64 = (1_u64 << 40) as f64;
    const MOST: usize = 1 << 12;
    let is_small = |points: f64| (-LARGEST..=LARGEST).contains(&points) && (points as i64) as f64 == points;
    let base = base.as_f64().filter(|base| is_small(*base) && rows > 1 && items.len() <= MOST)?;
    let mut sums = Few::from_elem(base, rows);
    for item in items {
        let Data::Decimals(points) = &item.data else { return None };
        match points.as_slice() {
            points if !points.iter().copied().all(is_small) => return None,
            [points] => sums.iter_mut().for_each(|sum| *sum += points),
            points => sums.iter_mut().zip(points).for_each(|(sum, points)| *sum += points),
        }
    }
    Some(sums)
}

fn column_of_rationals<'a>(values: Vec<Result<Rational, Reason>>) -> ValueColumn<'a> {
    if values.iter().all(Result::is_ok) {
        return ValueColumn::known(Data::Rational(collect_few(values.into_iter().map(Result::unwrap_or_default))));
    }
    from_values(values.into_iter().map(|value| value.map(Value::Rational)), Repr::Rational)
}

/// Unknown with fewer full months than `months`.
pub(crate) fn needs_months<'a>(
    months: u16,
    full: &ValueColumn,
    value: &ValueColumn,
    rows: usize,
    repr: Repr,
) -> ValueColumn<'a> {
    let values = (0..rows).map(|row| match full.value(row)? {
        Value::Int(full) if full >= i64::from(months) => value.value(row),
        _ => Err(Reason::NeedsMonths(months)),
    });
    from_values(values, repr)
}

/// The greatest principal with an affordable instalment.
pub(crate) fn affordable_principals<'a>(method: Method, inputs: &[&ValueColumn], rows: usize) -> ValueColumn<'a> {
    let mut failures = Vec::new();
    let mut principals = Few::from_elem(0, rows);
    for (row, principal) in principals.iter_mut().enumerate() {
        let numbers = || Ok([inputs[0].rational(row)?, inputs[1].rational(row)?, inputs[2].rational(row)?]);
        match numbers().and_then(|numbers| affordable_principal(method, &numbers).ok_or(Reason::NoPrice)) {
            Ok(found) => *principal = found,
            Err(reason) => failures.push((row, reason)),
        }
    }
    with_failures(ValueColumn::known(Data::Int(principals.into())), failures)
}

/// The greatest principal for an instalment, a rate and a number of instalments. `None` without a price.
fn affordable_principal(method: Method, [instalment, rate, count]: &[Rational; 3]) -> Option<i64> {
    const INSTALMENT_MAX: i64 = 9_000_000_000_000_000_000;
    let instalment = instalment.rounded(Rounding::Down);
    // A negative instalment pays nothing. One beyond 64 bits has no price.
    let instalment = if instalment.signum() <= 0 { 0 } else { instalment.to_i64()? };
    let rate = Rate::rounded(rate).ok()?;
    let count = count.to_i64().and_then(|count| u32::try_from(count).ok());
    let count = count.filter(|count| (1..=MAX_INSTALMENTS).contains(count))?;
    (instalment <= INSTALMENT_MAX).then(|| principal_for(instalment, rate, count, method).ok())?
}
