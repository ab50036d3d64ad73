//! Where the values of a table lie in memory, by which a caller sees that nothing was copied.

use polars_arrow::array::{Array, BinaryViewArray, PrimitiveArray, Utf8ViewArray};
use polars_arrow::types::NativeType;

use crate::statement::tables::arrow_columns::{ArrowColumn, GivenColumn, add_column};

/// Where the values of each column are, in the form in which cells are read from them.
pub(crate) fn shared_memory(columns: Vec<GivenColumn>) -> Vec<(String, Vec<usize>)> {
    let mut found = Vec::new();
    columns.into_iter().for_each(|column| add_column(column, &mut found));
    let address = |column: ArrowColumn| {
        let places = column.values.as_deref().map(values_at).unwrap_or_default();
        (column.path().to_owned(), places)
    };
    found.into_iter().map(address).collect()
}

fn values_at(array: &dyn Array) -> Vec<usize> {
    fn numbers<T: NativeType>(array: &dyn Array) -> Option<usize> {
        array.as_any().downcast_ref::<PrimitiveArray<T>>().map(|array| array.values().as_ptr() as usize)
    }
    let texts = array
        .as_any()
        .downcast_ref::<BinaryViewArray>()
        .map(BinaryViewArray::data_buffers)
        .or_else(|| array.as_any().downcast_ref::<Utf8ViewArray>().map(Utf8ViewArray::data_buffers));
    match texts {
        Some(buffers) => buffers.iter().map(|buffer| buffer.as_ptr() as usize).collect(),
        None => [numbers::<i64>(array), numbers::<i32>(array), numbers::<f64>(array), numbers::<i128>(array)]
            .into_iter()
            .flatten()
            .collect(),
    }
}
