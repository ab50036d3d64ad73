//! Which rows of a frame's column have a value, as bits.

use polars::prelude::{ChunkedArray, PolarsDataType};

use super::{Bits, Few};

/// Which rows have a value; `None` if all have.
pub(crate) fn validity_bits<T: PolarsDataType>(values: &ChunkedArray<T>) -> Option<Bits> {
    if values.null_count() == 0 {
        return None;
    }
    let mut words = Few::with_capacity(values.len().div_ceil(64));
    let chunks = values.chunks();
    if let [chunk] = chunks.as_slice()
        && let Some(bitmap) = chunk.validity()
    {
        let mut whole = bitmap.fast_iter_u64();
        words.extend(whole.by_ref());
        let (rest, rows) = whole.remainder();
        words.extend(rest.iter().copied().take(rows.div_ceil(64)));
        return Some(Bits::from_raw(words, values.len()));
    }
    let known = values.is_not_null();
    Some(Bits::from_fn(values.len(), |row| known.get(row) == Some(true)))
}
