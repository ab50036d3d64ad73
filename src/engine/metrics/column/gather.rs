//! Gathers rows of a column by index; some rows have no source. Knows no operation.

use super::{Bits, Data, Few, ValueColumn, some_unknown};

/// The index that means no row: a row without a group, or without a neighbour.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// The row that each value is taken from.
#[derive(Debug)]
pub(crate) struct RowIndices {
    /// [`NO_ROW`] for values without a source.
    pub rows: Vec<u32>,
    /// Which values have a source; `None` if all have.
    present: Option<Bits>,
}

impl RowIndices {
    pub(crate) fn new(rows: Vec<u32>) -> Self {
        let present = some_unknown(Bits::from_values(&rows, |row| row != NO_ROW));
        Self { rows, present }
    }
}

/// The values of these rows, unknown where there is no source.
pub(crate) fn gather_rows<'a>(column: &ValueColumn<'a>, source: &RowIndices) -> ValueColumn<'a> {
    let (rows, present) = (source.rows.as_slice(), &source.present);
    let data = match &column.data {
        Data::Int(values) => Data::Int(each(values, rows).into()),
        Data::Rational(values) => Data::Rational(each(values, rows).into()),
        Data::Decimals(values) => Data::Decimals(each(values, rows).into()),
        Data::Float(values) => Data::Float(each(values, rows).into()),
        Data::Boolean(values) => Data::Boolean(bits(values, rows)),
        Data::Text(texts) if texts.len() == 1 => {
            let first = |row: &u32| if *row == NO_ROW { NO_ROW } else { 0 };
            Data::Text(texts.gather(&rows.iter().map(first).collect::<Vec<_>>(), NO_ROW))
        }
        Data::Text(texts) => Data::Text(texts.gather(rows, NO_ROW)),
        Data::List(values) => Data::List(each(values, rows)),
    };
    let valid = match (&column.valid, present) {
        (None, present) => present.clone(),
        (Some(valid), _) => some_unknown(bits(valid, rows)),
    };
    let reasons = match column.reasons.is_empty() || valid.is_none() {
        true => Few::new(),
        false => each(&column.reasons, rows).into(),
    };
    ValueColumn { data, valid, reasons, failed: column.failed.clone() }
}

fn each<T: Clone + Default>(values: &[T], rows: &[u32]) -> Vec<T> {
    let value = |row: &u32| match values {
        _ if *row == NO_ROW => T::default(),
        [one] => one.clone(),
        _ => values[*row as usize].clone(),
    };
    rows.iter().map(value).collect()
}

fn bits(values: &Bits, rows: &[u32]) -> Bits {
    match values.len() {
        1 if values.get(0) => Bits::from_values(rows, |row| row != NO_ROW),
        1 => Bits::all(rows.len(), false),
        // `NO_ROW` is past the last row.
        _ => values.gather(rows),
    }
}
