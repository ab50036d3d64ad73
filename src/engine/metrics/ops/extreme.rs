//! The least and the greatest of several columns, row by row. Knows neither grains nor statements.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::base::rational::Rational;
use crate::engine::metrics::column::{Data, Few, ValueColumn, from_values};
use crate::rules::Repr;
use crate::rules::program::compare_values;

/// The least or greatest of inputs of one kind; meaningless where one is unknown. `None` where doubles must be
/// compared, and for a single row, whose values need no columns.
pub(crate) fn of_one_kind<'a>(
    greatest: bool,
    inputs: &[&ValueColumn<'a>],
    rows: usize,
    repr: Repr,
) -> Option<Data<'a>> {
    let wanted = if greatest { Ordering::Greater } else { Ordering::Less };
    let all_are = |is: fn(&Data) -> bool| rows > 1 && inputs.iter().all(|input| is(&input.data));
    match repr {
        Repr::Int if all_are(|data| matches!(data, Data::Int(_))) => {
            let columns: Vec<&[i64]> = inputs.iter().map(|input| input.ints()).collect();
            Some(Data::Int(extremes(wanted, &columns, rows).into()))
        }
        Repr::Rational if all_are(|data| matches!(data, Data::Rational(_) | Data::Decimals(_))) => {
            let columns: Vec<Cow<[Rational]>> = inputs.iter().map(|input| input.rationals()).collect();
            let columns: Vec<&[Rational]> = columns.iter().map(|column| &**column).collect();
            Some(Data::Rational(Few::from_vec(extremes(wanted, &columns, rows))))
        }
        _ => None,
    }
}

/// For each row the first of the least or greatest values.
fn extremes<T: Clone + Ord>(wanted: Ordering, columns: &[&[T]], rows: usize) -> Vec<T> {
    let at = |column: usize, row: usize| &columns[column][if columns[column].len() == 1 { 0 } else { row }];
    let best = |row| {
        let mut best = at(0, row);
        for column in 1..columns.len() {
            let value = at(column, row);
            if value.cmp(best) == wanted {
                best = value;
            }
        }
        best.clone()
    };
    (0..rows).map(best).collect()
}

/// The least or greatest input; unknown if one is unknown, with its reason at the grain of statements.
pub(crate) fn of_values<'a>(
    greatest: bool,
    inputs: &[&ValueColumn<'a>],
    rows: usize,
    repr: Repr,
    with_reasons: bool,
) -> ValueColumn<'a> {
    let wanted = if greatest { Ordering::Greater } else { Ordering::Less };
    let values = (0..rows).map(|row| {
        let mut best = inputs[0].value(row)?;
        for input in &inputs[1..] {
            let value = input.value(row)?;
            if compare_values(&value, &best) == Some(wanted) {
                best = value;
            }
        }
        Ok(best)
    });
    let column = from_values(values, repr);
    if with_reasons { column } else { ValueColumn { reasons: Few::new(), ..column } }
}
