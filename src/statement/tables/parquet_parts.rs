//! Reads a Parquet table part by part, if the rows of each customer are contiguous. One thread reads a row group and
//! cuts it into parts of whole statements that fit into a processor's cache. The statements must be those of
//! [`read_parquet`](crate::statement::read_parquet), which reads any unusual table as a single part.

use std::collections::HashSet;
use std::io::SeekFrom;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

use polars_arrow::array::Array;
use polars_parquet::read::RowGroupMetadata;
use rayon::prelude::*;

use crate::statement::base::error::Error;
use crate::statement::base::reading::Reading;
use crate::statement::columns::dedup_sort::arrange_statements;
use crate::statement::columns::frame::Statements;
use crate::statement::columns_file::Columns;
use crate::statement::rows::collector::Places;
use crate::statement::tables::columnar::take_columns;
use crate::statement::tables::parquet::{Content, ParquetFile};
use crate::statement::tables::parquet_cells::Chunks;
use crate::statement::tables::parquet_rows::fetch_column_bytes;
use crate::statement::tables::read::read_parquet;
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_source::ReadSeek;
use crate::statement::tables::table_start::{apply_declarations, start_collector};

/// The rows of a part, at least. The last statement may add more.
const PART_ROWS: usize = 1 << 14;

/// The least average number of rows per row group. Smaller groups would make too many parts.
const GROUP_ROWS: usize = 1 << 9;

/// Reads a Parquet table like [`read_parquet`](crate::statement::read_parquet), but from a file and in parts. Several
/// threads pass whole statements to `work`. Returns the results of `work` in the order of the table.
///
/// So the table is never in memory as a whole, as long as each customer's rows are contiguous and ordinary. Any other
/// table is a single part, and so is one with small row groups. If an unusual row is found late, `work` has already
/// seen some statements, and its results are dropped. A table without rows is one part without a statement. The file
/// must not change meanwhile.
///
/// # Errors
/// Those of [`read_parquet`](crate::statement::read_parquet), for the whole file: an error discards all results.
pub fn read_parquet_parts<T: Send>(
    mut file: impl ReadSeek,
    label: &str,
    reading: &Reading,
    columns: &Columns,
    work: impl Fn(Statements) -> T + Sync,
) -> Result<Vec<T>, Error> {
    if columns.gives_customer() {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes)).map_err(Error::table)?;
        return Ok(vec![work(read_parquet(bytes, label, reading, columns)?)]);
    }
    let reading = apply_declarations(reading, columns);
    let content = Content::read(&mut file)?;
    let length = file.seek(SeekFrom::End(0)).map_err(Error::table)?;
    let names = content.names(columns);
    let file = Mutex::new(file);
    let fetch = |chunk| {
        // A thread that panicked may have left the file at any position, which does no harm: each fetch seeks first.
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        fetch_column_bytes(&mut *file, length, chunk)
    };
    let file = ParquetFile::new(&fetch, &content, &names, columns)?;
    match in_parts(&file, label, &reading, &work) {
        Some(parts) => Ok(parts),
        None => Ok(vec![work(file.read(label, &reading)?)]),
    }
}

/// `None` if the table must be read as a whole.
fn in_parts<T: Send>(
    file: &ParquetFile<'_>,
    label: &str,
    reading: &Reading,
    work: &(impl Fn(Statements) -> T + Sync),
) -> Option<Vec<T>> {
    let spans = spans_of_row_groups(file)?;
    let seams = spans.iter().map(|_| Mutex::new(None)).collect();
    let reader = PartReader { file, label, reading, work, seams, gave_up: AtomicBool::new(false) };
    let found: Vec<Vec<PartResult<T>>> = spans
        .into_par_iter()
        .enumerate()
        .map(|(at, span)| {
            if reader.gave_up.load(Relaxed) {
                return None;
            }
            let parts = reader.span(at, &span);
            reader.gave_up.fetch_or(parts.is_none(), Relaxed);
            parts
        })
        .collect::<Option<_>>()?;
    let mut found: Vec<PartResult<T>> = found.into_iter().flatten().collect();
    found.sort_by_key(|part| part.first);
    Some(found.into_iter().map(|part| part.made).collect())
}

/// The result for a part.
struct PartResult<T> {
    /// The ordinal of its first row.
    first: u32,
    made: T,
}

/// A row group, divided by its customers.
struct RowGroupSpan<'f> {
    group: &'f RowGroupMetadata,
    /// The ordinal of its first row.
    first: u32,
    /// Where each customer begins.
    begins: Vec<usize>,
    /// The rows of customers who have none in another group.
    whole: Range<usize>,
}

/// All row groups, if there are several and the rows of each customer are contiguous.
fn spans_of_row_groups<'f>(file: &ParquetFile<'f>) -> Option<Vec<RowGroupSpan<'f>>> {
    let customer_at = file.mapper().ok()?.customer_at();
    let groups = file.numbered().filter(|groups| groups.len() > 1)?;
    let rows: usize = groups.iter().map(|(group, _)| group.num_rows()).sum();
    // The last one may be short.
    if rows / (groups.len() - 1) < GROUP_ROWS {
        return None;
    }
    let runs: Vec<Runs> = groups
        .par_iter()
        .map(|(group, _)| {
            let columns = file.columns_of(group, &|at| at == customer_at).ok()?;
            runs_of_customers(columns.get(customer_at)?.as_ref()?, group.num_rows())
        })
        .collect::<Option<_>>()?;
    let continues = groups_that_continue(&runs)?;
    let is_seam = |at: usize| continues.get(at).copied().unwrap_or(false);
    let spans = groups.into_iter().zip(runs).enumerate().map(|(at, ((group, first), Runs { begins, .. }))| {
        let rows = group.num_rows();
        let from = if is_seam(at) { begins.get(1).copied().unwrap_or(rows) } else { 0 };
        let to = if is_seam(at + 1) { begins.last().copied()? } else { rows };
        // If a customer fills a group and continues on both sides, the table is read as a whole.
        (from <= to).then_some(RowGroupSpan { group, first, begins, whole: from..to })
    });
    spans.collect()
}

/// For each row group, whether its first customer has rows in the one before. `None` if a customer's rows are not
/// contiguous.
fn groups_that_continue(runs: &[Runs]) -> Option<Vec<bool>> {
    let (mut seen, mut last) = (HashSet::new(), None);
    let continues = runs.iter().map(|Runs { customers, .. }| {
        let is_same = last == Some(customers.first()?);
        last = customers.last();
        customers.iter().skip(usize::from(is_same)).all(|customer| seen.insert(customer)).then_some(is_same)
    });
    continues.collect()
}

/// The customers of a row group, and where each begins.
struct Runs {
    customers: Vec<String>,
    begins: Vec<usize>,
}

/// `None` if a customer's rows are not contiguous, or if a row has no customer.
fn runs_of_customers(column: &Chunks, rows: usize) -> Option<Runs> {
    let column = column.text(0..rows)?;
    if column.null_count() > 0 {
        return None;
    }
    let (mut runs, mut seen) = (Runs { customers: Vec::new(), begins: Vec::new() }, HashSet::new());
    let mut last: Option<(u128, &str)> = None;
    for (row, view) in column.views().iter().enumerate() {
        // Equal views have equal texts.
        if last.is_some_and(|(same, _)| same == view.as_u128()) {
            continue;
        }
        let customer = column.get(row)?;
        if last.is_none_or(|(_, last)| last != customer) {
            if !seen.insert(customer) {
                return None;
            }
            runs.customers.push(customer.to_owned());
            runs.begins.push(row);
        }
        last = Some((view.as_u128(), customer));
    }
    Some(runs)
}

/// Rows of a row group.
struct GroupRows {
    columns: Arc<Vec<Option<Chunks>>>,
    rows: Range<usize>,
    /// The ordinal of the first of them.
    first: u32,
}

struct PartReader<'f, 'r, W> {
    file: &'f ParquetFile<'f>,
    label: &'r str,
    reading: &'r Reading,
    work: &'r W,
    /// For each pair of neighbouring row groups that share a customer: that customer's rows in the group that was read
    /// first.
    seams: Vec<Mutex<Option<GroupRows>>>,
    /// Whether some thread has found that the table must be read as a whole.
    gave_up: AtomicBool,
}

impl<T, W: Fn(Statements) -> T> PartReader<'_, '_, W> {
    /// The parts of a row group, and those that it shares with groups that were read before.
    fn span(&self, at: usize, span: &RowGroupSpan<'_>) -> Option<Vec<PartResult<T>>> {
        let mapper = self.file.mapper().ok()?;
        let columns = Arc::new(self.file.columns_of(span.group, &|at| mapper.uses(at)).ok()?);
        let group_rows = |rows: Range<usize>| {
            let first = span.first.checked_add(u32::try_from(rows.start).ok()?)?;
            Some(GroupRows { columns: Arc::clone(&columns), rows, first })
        };
        let (from, to, rows) = (span.whole.start, span.whole.end, span.group.num_rows());
        let mut parts = Vec::new();
        for rows in cut_where_customers_begin(&span.begins, span.whole.clone()) {
            parts.push(self.part(&mapper, &[group_rows(rows)?])?);
        }
        if from > 0 {
            parts.extend(self.meet(&mapper, at.checked_sub(1)?, group_rows(0..from)?)?);
        }
        if to < rows {
            parts.extend(self.meet(&mapper, at, group_rows(to..rows)?)?);
        }
        Some(parts)
    }

    /// The part across a seam, once both sides are read.
    fn meet(&self, mapper: &RowMapper<'_>, seam: usize, rows: GroupRows) -> Option<Option<PartResult<T>>> {
        let other = {
            let mut waiting = self.seams.get(seam)?.lock().ok()?;
            match waiting.take() {
                Some(other) => other,
                None => {
                    *waiting = Some(rows);
                    return Some(None);
                }
            }
        };
        let both = if other.first < rows.first { [other, rows] } else { [rows, other] };
        self.part(mapper, &both).map(Some)
    }

    fn part(&self, mapper: &RowMapper<'_>, pieces: &[GroupRows]) -> Option<PartResult<T>> {
        let mut collector = start_collector(self.reading, mapper, Places::Rows);
        for GroupRows { columns, rows, first } in pieces {
            take_columns(mapper, columns, rows.clone(), *first, &mut collector)?;
        }
        // Reading the whole table then reports the error.
        let statements = arrange_statements(collector, self.label).ok()?;
        Some(PartResult { first: pieces.first()?.first, made: (self.work)(statements) })
    }
}

/// Cuts these rows where a customer begins, into pieces that are long enough.
fn cut_where_customers_begin(begins: &[usize], rows: Range<usize>) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    let mut from = rows.start;
    for begin in begins.iter().copied().filter(|begin| rows.contains(begin)) {
        if begin - from >= PART_ROWS {
            cuts.push(from..begin);
            from = begin;
        }
    }
    if from < rows.end {
        cuts.push(from..rows.end);
    }
    cuts
}
