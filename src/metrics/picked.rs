//! Rows of a column in another order, some of them from nowhere. Knows no operation.

use super::bits::Bits;
use super::column::{Column, Data, some_unknown};
use super::groups::NONE;
use super::values::Few;

/// Where the value of each row comes from.
#[derive(Debug)]
pub(crate) struct Source {
    /// [`NONE`] for rows that have none.
    pub rows: Vec<u32>,
    /// The rows that have one, where not all have.
    there: Option<Bits>,
}

impl Source {
    pub(crate) fn new(rows: Vec<u32>) -> Self {
        let there = some_unknown(Bits::of_values(&rows, |row| row != NONE));
        Self { rows, there }
    }
}

/// The values of these rows, unknown where there is none.
pub(super) fn picked<'a>(column: &Column<'a>, source: &Source) -> Column<'a> {
    let (rows, there) = (source.rows.as_slice(), &source.there);
    let data = match &column.data {
        Data::Int(values) => Data::Int(each(values, rows).into()),
        Data::Rational(values) => Data::Rational(each(values, rows).into()),
        Data::Decimals(values) => Data::Decimals(each(values, rows).into()),
        Data::Float(values) => Data::Float(each(values, rows).into()),
        Data::Boolean(values) => Data::Boolean(bits(values, rows)),
        Data::Text(texts) if texts.len() == 1 => {
            let first = |row: &u32| if *row == NONE { NONE } else { 0 };
            Data::Text(texts.picked(&rows.iter().map(first).collect::<Vec<_>>(), NONE))
        }
        Data::Text(texts) => Data::Text(texts.picked(rows, NONE)),
        Data::List(values) => Data::List(each(values, rows)),
    };
    let valid = match (&column.valid, there) {
        (None, there) => there.clone(),
        (Some(valid), _) => some_unknown(bits(valid, rows)),
    };
    let reasons = match column.reasons.is_empty() || valid.is_none() {
        true => Few::new(),
        false => each(&column.reasons, rows).into(),
    };
    Column { data, valid, reasons, failed: column.failed.clone() }
}

fn each<T: Clone + Default>(values: &[T], rows: &[u32]) -> Vec<T> {
    let value = |row: &u32| match values {
        _ if *row == NONE => T::default(),
        [one] => one.clone(),
        _ => values[*row as usize].clone(),
    };
    rows.iter().map(value).collect()
}

fn bits(values: &Bits, rows: &[u32]) -> Bits {
    match values.len() {
        1 if values.get(0) => Bits::of_values(rows, |row| row != NONE),
        1 => Bits::all(rows.len(), false),
        // What has none lies behind all rows.
        _ => values.picked(rows),
    }
}
