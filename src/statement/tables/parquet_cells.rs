//! A column of a Parquet row group, cell by cell, by its stored type.

use std::fmt::Write;
use std::ops::Range;

use polars_arrow::array::{Array, BinaryViewArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, Utf8ViewArray};
use polars_arrow::datatypes::{ArrowDataType, TimeUnit};
use polars_arrow::types::NativeType;

use crate::statement::cells::cell::Cell;

/// A column of a row group; nearly always one array.
pub(crate) struct Chunks {
    arrays: Vec<Values>,
}

impl Chunks {
    /// `None` if an array has a type that is not read.
    pub(crate) fn from_arrays(arrays: &[Box<dyn Array>]) -> Option<Chunks> {
        let arrays = arrays.iter().map(|array| Values::from_array(array.as_ref()));
        Some(Chunks { arrays: arrays.collect::<Option<_>>()? })
    }

    /// A column of nulls, as text.
    pub(crate) fn nothing(rows: usize) -> Chunks {
        let kind = StoredArray::Text(Utf8ViewArray::new_null(ArrowDataType::Utf8View, rows));
        Chunks { arrays: vec![Values { length: rows, kind }] }
    }

    /// The same column, with its texts compacted.
    pub(crate) fn compact(self) -> Chunks {
        let compact = |values: Values| match values.kind {
            StoredArray::Text(array) => Values { kind: StoredArray::Text(array.gc()), ..values },
            _ => values,
        };
        Chunks { arrays: self.arrays.into_iter().map(compact).collect() }
    }

    /// These rows as one array of text, if the column is one.
    pub(crate) fn text(&self, rows: Range<usize>) -> Option<Utf8ViewArray> {
        match self.arrays.as_slice() {
            [Values { kind: StoredArray::Text(array), length }] if rows.end <= *length => {
                Some(array.clone().sliced(rows.start, rows.len()))
            }
            _ => None,
        }
    }

    /// The results of `take` for the cells of these rows, or `None` as soon as one result is `None`.
    #[inline]
    pub(crate) fn each<'c, T>(
        &'c self,
        rows: Range<usize>,
        mut take: impl FnMut(Cell<'c>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let (mut taken, mut before) = (Vec::with_capacity(rows.len()), 0);
        for array in &self.arrays {
            let rows = rows.start.saturating_sub(before)..rows.end.saturating_sub(before).min(array.length);
            before += array.length;
            // The types of most long columns have their own loops.
            match &array.kind {
                StoredArray::Float64(floats) => {
                    for row in rows {
                        taken.push(take(value_unless_null(floats, row).map_or(Cell::Null, Cell::Float))?);
                    }
                }
                StoredArray::Day(days) => {
                    for row in rows {
                        taken.push(take(value_unless_null(days, row).map_or(Cell::Null, Cell::Day))?);
                    }
                }
                _ => {
                    for row in rows {
                        taken.push(take(array.cell(row))?);
                    }
                }
            }
        }
        Some(taken)
    }

    pub(crate) fn cell(&self, mut row: usize) -> Cell<'_> {
        for array in &self.arrays {
            if row < array.length {
                return array.cell(row);
            }
            row -= array.length;
        }
        Cell::Null
    }
}

/// An array with its type, which is resolved once because a table has many cells.
struct Values {
    length: usize,
    kind: StoredArray,
}

enum StoredArray {
    Text(Utf8ViewArray),
    /// As the texts `true` and `false`.
    Boolean(BooleanArray),
    Int8(PrimitiveArray<i8>),
    Int16(PrimitiveArray<i16>),
    Int32(PrimitiveArray<i32>),
    Int64(PrimitiveArray<i64>),
    UInt8(PrimitiveArray<u8>),
    UInt16(PrimitiveArray<u16>),
    UInt32(PrimitiveArray<u32>),
    UInt64(PrimitiveArray<u64>),
    Float32(PrimitiveArray<f32>),
    Float64(PrimitiveArray<f64>),
    Day(PrimitiveArray<i32>),
    Decimal {
        digits: PrimitiveArray<i128>,
        scale: u32,
    },
    Moment {
        counts: PrimitiveArray<i64>,
        a_second: i64,
        utc: bool,
    },
}

impl Values {
    /// `None` for a type that is not read.
    fn from_array(array: &dyn Array) -> Option<Self> {
        use ArrowDataType as Stored;
        let kind = match array.dtype() {
            Stored::Utf8View => StoredArray::Text(array.as_any().downcast_ref::<Utf8ViewArray>()?.clone()),
            Stored::Boolean => StoredArray::Boolean(array.as_any().downcast_ref::<BooleanArray>()?.clone()),
            Stored::Int8 => StoredArray::Int8(downcast_to_numbers(array)?),
            Stored::Int16 => StoredArray::Int16(downcast_to_numbers(array)?),
            Stored::Int32 => StoredArray::Int32(downcast_to_numbers(array)?),
            Stored::Int64 => StoredArray::Int64(downcast_to_numbers(array)?),
            Stored::UInt8 => StoredArray::UInt8(downcast_to_numbers(array)?),
            Stored::UInt16 => StoredArray::UInt16(downcast_to_numbers(array)?),
            Stored::UInt32 => StoredArray::UInt32(downcast_to_numbers(array)?),
            Stored::UInt64 => StoredArray::UInt64(downcast_to_numbers(array)?),
            Stored::Float32 => StoredArray::Float32(downcast_to_numbers(array)?),
            Stored::Float64 => StoredArray::Float64(downcast_to_numbers(array)?),
            Stored::Date32 => StoredArray::Day(downcast_to_numbers(array)?),
            Stored::Decimal(_, scale) => StoredArray::Decimal {
                digits: downcast_to_numbers(array)?,
                scale: u32::try_from(*scale).unwrap_or(u32::MAX),
            },
            Stored::Timestamp(unit, zone) => {
                let a_second = match unit {
                    TimeUnit::Second => 1,
                    TimeUnit::Millisecond => 1_000,
                    TimeUnit::Microsecond => 1_000_000,
                    TimeUnit::Nanosecond => 1_000_000_000,
                };
                StoredArray::Moment { counts: downcast_to_numbers(array)?, a_second, utc: zone.is_some() }
            }
            _ => return None,
        };
        Some(Self { length: array.len(), kind })
    }

    fn cell(&self, row: usize) -> Cell<'_> {
        match &self.kind {
            StoredArray::Text(array) => array.get(row).map_or(Cell::Null, Cell::Text),
            StoredArray::Boolean(array) => match array.get(row) {
                Some(true) => Cell::Text("true"),
                Some(false) => Cell::Text("false"),
                None => Cell::Null,
            },
            StoredArray::Int8(array) => whole_number_cell(array, row),
            StoredArray::Int16(array) => whole_number_cell(array, row),
            StoredArray::Int32(array) => whole_number_cell(array, row),
            StoredArray::Int64(array) => whole_number_cell(array, row),
            StoredArray::UInt8(array) => whole_number_cell(array, row),
            StoredArray::UInt16(array) => whole_number_cell(array, row),
            StoredArray::UInt32(array) => whole_number_cell(array, row),
            StoredArray::UInt64(array) => whole_number_cell(array, row),
            StoredArray::Float32(array) => value_unless_null(array, row).map_or(Cell::Null, Cell::Single),
            StoredArray::Float64(array) => value_unless_null(array, row).map_or(Cell::Null, Cell::Float),
            StoredArray::Day(array) => value_unless_null(array, row).map_or(Cell::Null, Cell::Day),
            StoredArray::Decimal { digits, scale } => {
                value_unless_null(digits, row).map_or(Cell::Null, |digits| Cell::Decimal { digits, scale: *scale })
            }
            StoredArray::Moment { counts, a_second, utc } => {
                value_unless_null(counts, row).map_or(Cell::Null, |count| Cell::Moment {
                    seconds: count.div_euclid(*a_second),
                    milliseconds: (count.rem_euclid(*a_second) * 1_000 / a_second) as u32,
                    utc: *utc,
                })
            }
        }
    }
}

/// Values of sixteen bytes as text, in the usual form of UUIDs.
pub(crate) fn format_uuid_values(array: &dyn Array) -> Option<Box<dyn Array>> {
    let values = array.as_any().downcast_ref::<FixedSizeBinaryArray>()?;
    let written = |bytes: &[u8]| {
        let mut text = String::with_capacity(36);
        for (at, byte) in bytes.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            let _ = write!(text, "{byte:02x}");
        }
        text
    };
    let texts: Vec<Option<String>> = values.iter().map(|value| value.map(written)).collect();
    Some(Utf8ViewArray::from_slice(texts).boxed())
}

/// The texts of columns of bytes. The error is the first row that is no text, counted from `first`, where it is known.
pub(crate) fn texts_of_bytes(arrays: &[Box<dyn Array>], first: usize) -> Result<Vec<Box<dyn Array>>, Option<usize>> {
    let mut before = first;
    let texts = arrays.iter().map(|array| {
        let bytes = array.as_any().downcast_ref::<BinaryViewArray>().ok_or(None)?;
        let texts = bytes.to_utf8view().map_err(|_| {
            let is_text = |value: Option<&[u8]>| value.is_none_or(|value| std::str::from_utf8(value).is_ok());
            bytes.iter().position(|value| !is_text(value)).map(|row| before + row)
        })?;
        before += bytes.len();
        Ok(texts.boxed())
    });
    texts.collect()
}

fn downcast_to_numbers<T: NativeType>(array: &dyn Array) -> Option<PrimitiveArray<T>> {
    array.as_any().downcast_ref::<PrimitiveArray<T>>().cloned()
}

fn value_unless_null<T: NativeType>(array: &PrimitiveArray<T>, row: usize) -> Option<T> {
    let null = array.validity().is_some_and(|validity| !validity.get(row).unwrap_or(false));
    if null { None } else { array.values().get(row).copied() }
}

fn whole_number_cell<T: NativeType + Into<i128>>(array: &PrimitiveArray<T>, row: usize) -> Cell<'_> {
    value_unless_null(array, row).map_or(Cell::Null, |number| Cell::Whole(number.into()))
}
