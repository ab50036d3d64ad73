//! The rows of a table as boxes over the pieces of its columns: which rows overlap, and which part of a box no row
//! covers. Looks only at cells. Every search is bounded and reports giving up.

use crate::rules::program::DecisionTableRow;
use crate::rules::program::axis::{Axis, Fits, intersect_pieces, subtract_pieces};
use crate::rules::types::Type;

/// Most comparisons of cells and notes of rows per column. Beyond this the search gives up.
const PAIRS_MAX: usize = 100_000_000;

/// A table's columns and how many rows it has.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub axes: Vec<Axis>,
    pub rows: usize,
}

/// The search gave up, so what it did not find may still exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GaveUp;

/// The remaining steps of a search.
#[derive(Debug)]
pub(crate) struct Budget(pub usize);

impl Budget {
    fn spend(&mut self, steps: usize) -> Result<(), GaveUp> {
        self.0 = self.0.checked_sub(steps).ok_or(GaveUp)?;
        Ok(())
    }
}

impl Grid {
    pub(crate) fn new(types: impl Iterator<Item = Type>, rows: &[DecisionTableRow]) -> Grid {
        let column = |index: usize| {
            rows.iter().filter_map(move |row| Some((row.texts.get(index)?.as_str(), row.tests.get(index)?)))
        };
        Grid { axes: types.enumerate().map(|(index, ty)| Axis::new(ty, column(index))).collect(), rows: rows.len() }
    }

    /// For every row, the rows that overlap it.
    pub(crate) fn meetings(&self) -> Result<Meetings, GaveUp> {
        let columns = self.axes.iter().map(|axis| Ok((column_meetings(axis, self.rows)?, axis.of_row.clone())));
        Ok(Meetings { columns: columns.collect::<Result<_, GaveUp>>()?, rows: self.rows })
    }

    /// A point of `target`, one piece per column, that none of `rows` fits.
    pub(crate) fn left_over(
        &self,
        target: &[Fits],
        rows: &[u32],
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, GaveUp> {
        if target.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        budget.spend(rows.len())?;
        let covers_from = rows.iter().map(|row| self.covers_from(target, *row as usize)).collect();
        let mut search = GapSearch { grid: self, target, rows, covers_from, budget, point: Vec::new() };
        let active: Vec<u32> = (0..rows.len() as u32).collect();
        Ok(search.column(0, &active)?.then_some(search.point))
    }

    /// The first column from which the row fits all of the target.
    fn covers_from(&self, target: &[Fits], row: usize) -> usize {
        let covers = |column: usize| subtract_pieces(&target[column], self.axes[column].row(row)).is_empty();
        (0..target.len()).rev().find(|column| !covers(*column)).map_or(0, |column| column + 1)
    }
}

struct GapSearch<'g> {
    grid: &'g Grid,
    target: &'g [Fits],
    rows: &'g [u32],
    covers_from: Vec<usize>,
    budget: &'g mut Budget,
    point: Vec<u32>,
}

impl GapSearch<'_> {
    /// Searches this column and those after it for pieces that none of the active rows fits.
    fn column(&mut self, column: usize, active: &[u32]) -> Result<bool, GaveUp> {
        if active.is_empty() {
            self.point.extend(self.target[column..].iter().map(|fits| fits[0].0));
            return Ok(true);
        }
        if active.iter().any(|row| self.covers_from[*row as usize] <= column) {
            return Ok(false);
        }
        let (mut events, mut present, mut before) = (Vec::new(), Vec::new(), None);
        for row in active {
            let fits = self.grid.axes[column].row(self.rows[*row as usize] as usize);
            for (start, end) in intersect_pieces(fits, &self.target[column]) {
                events.extend([(start, true, *row), (end, false, *row)]);
            }
        }
        events.sort_unstable();
        self.budget.spend(events.len() + 1)?;
        let mut next = 0;
        for (start, end) in self.target[column].clone() {
            let mut at = start;
            while at < end {
                while let Some((_, begins, row)) = events.get(next).filter(|(place, ..)| *place <= at) {
                    note_row_boundary(&mut present, *row, *begins);
                    next += 1;
                }
                if before.as_ref() != Some(&present) {
                    self.budget.spend(present.len() + 1)?;
                    self.point.push(at);
                    let mut inner: Vec<u32> = present.clone();
                    inner.sort_unstable();
                    if self.column(column + 1, &inner)? {
                        return Ok(true);
                    }
                    self.point.pop();
                    before = Some(present.clone());
                }
                at = events.get(next).map_or(end, |(place, ..)| (*place).min(end));
            }
        }
        Ok(false)
    }
}

/// A row begins or ends. It may do both at one place, if one of its ranges ends where another begins.
fn note_row_boundary(present: &mut Vec<u32>, row: u32, begins: bool) {
    if begins {
        present.push(row);
    } else if let Some(at) = present.iter().rposition(|there| *there == row) {
        present.swap_remove(at);
    }
}

/// Sets of rows as bits.
type Bits = Vec<u64>;

/// Which rows overlap which.
pub(crate) struct Meetings {
    /// For each column, the rows that overlap each of its cells, and the cell of each row.
    columns: Vec<(Vec<Bits>, Vec<u32>)>,
    rows: usize,
}

impl Meetings {
    /// The rows before `row` that overlap it, in order.
    pub(crate) fn before(&self, row: usize) -> Vec<u32> {
        let words = row / 64 + 1;
        let mut met: Bits = vec![u64::MAX; words.min(self.rows.div_ceil(64))];
        for (cells, of_row) in &self.columns {
            let rows = &cells[of_row[row] as usize];
            met.iter_mut().zip(rows).for_each(|(all, more)| *all &= more);
        }
        let mut found = Vec::new();
        for (index, mut word) in met.into_iter().enumerate() {
            while word != 0 {
                let other = index as u32 * 64 + word.trailing_zeros();
                if other as usize >= row {
                    break;
                }
                found.push(other);
                word &= word - 1;
            }
        }
        found
    }
}

/// For each cell of the column, the rows whose cell overlaps it.
fn column_meetings(axis: &Axis, rows: usize) -> Result<Vec<Bits>, GaveUp> {
    if axis.cells.len().saturating_mul(rows) > PAIRS_MAX {
        return Err(GaveUp);
    }
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); axis.cells.len()];
    for (row, cell) in axis.of_row.iter().enumerate() {
        rows_of[*cell as usize].push(row as u32);
    }
    let mut meetings = vec![vec![0u64; rows.div_ceil(64)]; axis.cells.len()];
    // Sorted by their starts, because a cell that starts after the end of another does not overlap it.
    let hull = |cell: usize| {
        (axis.cells[cell].first().map_or(0, |first| first.0), axis.cells[cell].last().map_or(0, |last| last.1))
    };
    let mut order: Vec<usize> = (0..axis.cells.len()).filter(|cell| !axis.cells[*cell].is_empty()).collect();
    order.sort_unstable_by_key(|cell| hull(*cell).0);
    for (index, cell) in order.iter().copied().enumerate() {
        let end = hull(cell).1;
        for other in order[index..].iter().copied().take_while(|other| hull(*other).0 < end) {
            if intersect_pieces(&axis.cells[cell], &axis.cells[other]).is_empty() {
                continue;
            }
            mark_row_bits(&mut meetings[cell], &rows_of[other]);
            mark_row_bits(&mut meetings[other], &rows_of[cell]);
        }
    }
    Ok(meetings)
}

fn mark_row_bits(bits: &mut Bits, rows: &[u32]) {
    for row in rows {
        bits[*row as usize / 64] |= 1 << (row % 64);
    }
}
