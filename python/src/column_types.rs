//! Types of columns that programs add to Arrow's own: what they are stored as, and what the engine reads them as. Must
//! not know how a column came here.

use lendwright::arrow::texts_of_identifiers;
use polars_arrow::array::Array;
use polars_arrow::datatypes::{ArrowDataType, Field};

/// A type that can be read.
pub(crate) struct Readable {
    /// What the values are stored as.
    pub(crate) data_type: ArrowDataType,
    /// Whether they are identifiers of sixteen bytes.
    are_identifiers: bool,
}

const IDENTIFIERS: &str = "arrow.uuid";

/// What a type is stored as.
pub(crate) fn readable(mut data_type: ArrowDataType) -> Readable {
    let mut are_identifiers = false;
    while let ArrowDataType::Extension(extension) = data_type {
        are_identifiers |= extension.name.as_str() == IDENTIFIERS;
        data_type = extension.inner;
    }
    Readable { data_type: stored(data_type), are_identifiers }
}

/// The type, without names that programs gave to fields within it.
fn stored(data_type: ArrowDataType) -> ArrowDataType {
    match data_type {
        ArrowDataType::Extension(extension) => stored(extension.inner),
        ArrowDataType::Struct(fields) => {
            let field = |field: Field| Field::new(field.name, stored(field.dtype), field.is_nullable);
            ArrowDataType::Struct(fields.into_iter().map(field).collect())
        }
        ArrowDataType::Dictionary(keys, values, is_sorted) => {
            ArrowDataType::Dictionary(keys, Box::new(stored(*values)), is_sorted)
        }
        other => other,
    }
}

impl Readable {
    /// The array as the engine reads it.
    pub(crate) fn as_read(&self, array: Box<dyn Array>) -> Box<dyn Array> {
        match self.are_identifiers {
            true => texts_of_identifiers(array.as_ref()).unwrap_or(array),
            false => array,
        }
    }
}
