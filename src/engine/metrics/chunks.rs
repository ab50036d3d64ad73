//! Splits the work on one large statement among threads. Knows no operation.

use std::ops::Range;

use rayon::prelude::*;

/// Rows of a chunk: whole words of bits.
const ROWS: usize = 16_384;
/// From this number of rows, handing work to another thread pays.
const ROWS_SHARED: usize = 512;

/// Whether a statement is large enough to split.
pub(super) fn is_large(rows: usize) -> bool {
    rows >= 2 * ROWS
}

/// Whether a second thread pays for the most expensive work, and there is one.
pub(super) fn is_worth_sharing(rows: usize) -> bool {
    rows >= ROWS_SHARED && rayon::current_num_threads() > 1
}

/// Runs `work` on chunks of rows and returns the results in row order. Chunk boundaries never change the result.
pub(super) fn map_rows<T: Send>(rows: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    if !is_large(rows) {
        return vec![work(0..rows)];
    }
    let chunks: Vec<Range<usize>> = (0..rows).step_by(ROWS).map(|start| start..rows.min(start + ROWS)).collect();
    chunks.into_par_iter().map(&work).collect()
}

/// Runs `work` on at most `count` chunks of `items`, which belong to a statement of `rows` rows. Results are in the
/// order of the items. Chunk boundaries never change the result.
pub(super) fn map_items<T: Sync, U: Send>(
    rows: usize,
    items: &[T],
    count: usize,
    work: impl Fn(&[T]) -> U + Sync,
) -> Vec<U> {
    if !is_large(rows) {
        return vec![work(items)];
    }
    items.par_chunks(items.len().div_ceil(count).max(1)).map(&work).collect()
}
