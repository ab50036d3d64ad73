//! One large statement in pieces: work on each row by itself, done by several threads at once. Knows no operation.

use std::ops::Range;

use rayon::prelude::*;

/// Rows of a piece: whole words of bits.
const ROWS: usize = 16_384;
/// From so many rows on handing work to another thread costs little beside it.
const ROWS_SHARED: usize = 512;

/// Whether a statement of so many rows is large enough.
pub(super) fn are_worth_it(rows: usize) -> bool {
    rows >= 2 * ROWS
}

/// Whether what takes most of the time is worth a second thread, where there is one.
pub(super) fn are_worth_sharing(rows: usize) -> bool {
    rows >= ROWS_SHARED && rayon::current_num_threads() > 1
}

/// What `work` makes of each piece, in the order of the rows. Where pieces are cut must change no result.
pub(super) fn of_rows<T: Send>(rows: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    if !are_worth_it(rows) {
        return vec![work(0..rows)];
    }
    let pieces: Vec<Range<usize>> = (0..rows).step_by(ROWS).map(|start| start..rows.min(start + ROWS)).collect();
    pieces.into_par_iter().map(&work).collect()
}

/// What `work` makes of each of so many parts of what there is of a statement of so many rows, in its order. Where parts are cut must change no result.
pub(super) fn of_all<T: Sync, U: Send>(
    rows: usize,
    all: &[T],
    parts: usize,
    work: impl Fn(&[T]) -> U + Sync,
) -> Vec<U> {
    if !are_worth_it(rows) {
        return vec![work(all)];
    }
    all.par_chunks(all.len().div_ceil(parts).max(1)).map(&work).collect()
}
