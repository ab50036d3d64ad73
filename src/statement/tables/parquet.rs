//! Reads Parquet tables of many statements, column by column, without Polars' logical types: decimals, days and moments
//! come as stored.

use std::io::Cursor;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use polars::prelude::PolarsResult;
use polars_arrow::array::{Array, StructArray};
use polars_arrow::compute::utils::combine_validities_and;
use polars_buffer::Buffer;
use polars_parquet::parquet::read::PageMetaData;
use polars_parquet::parquet::schema::types::PhysicalType;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, Filter, PageReader, RowGroupMetadata, column_iter_to_arrays, read_metadata,
};
use rayon::prelude::*;

use crate::statement::base::error::{Error, show_source_text};
use crate::statement::base::reading::Reading;
use crate::statement::cells::cell::Cell;
use crate::statement::columns::dedup_sort::arrange_statements;
use crate::statement::columns::frame::Statements;
use crate::statement::columns_file::Columns;
use crate::statement::rows::collector::{Collector, Grouping, Places};
use crate::statement::tables::columnar::take_columns;
use crate::statement::tables::parquet_cells::{Chunks, format_uuid_values, texts_of_bytes};
use crate::statement::tables::parquet_checksums;
use crate::statement::tables::parquet_schema::{Form, Leaf, Reads, list_schema_leaves};
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_source::ReadSeek;
use crate::statement::tables::table_start::{apply_declarations, next_row_ordinal, start_collector};

/// Reads a table from its bytes.
pub(crate) fn read_whole_parquet(
    bytes: Vec<u8>,
    label: &str,
    reading: &Reading,
    columns: &Columns,
) -> Result<Statements, Error> {
    let bytes = Buffer::from(bytes);
    let content = Content::read(&mut Cursor::new(&bytes[..]))?;
    let names = content.names(columns);
    let fetch = |chunk| slice_column_chunk(&bytes, chunk);
    ParquetFile::new(&fetch, &content, &names, columns)?.read(label, &apply_declarations(reading, columns))
}

/// The metadata of a file.
pub(crate) struct Content {
    pub(crate) groups: Vec<RowGroupMetadata>,
    pub(crate) leaves: Vec<Leaf>,
}

impl Content {
    pub(crate) fn read(mut file: &mut dyn ReadSeek) -> Result<Content, Error> {
        catch_parquet_panic(|| {
            let metadata = read_metadata(&mut file)?;
            let leaves = list_schema_leaves(&metadata);
            Ok(Content { groups: metadata.row_groups, leaves })
        })
    }

    /// The names of the columns, as a columns file or the product itself refers to them.
    pub(crate) fn names(&self, columns: &Columns) -> Vec<&str> {
        let names = self.leaves.iter();
        names.map(|leaf| if columns.declared { leaf.name.as_str() } else { leaf.known_as.as_str() }).collect()
    }
}

/// Fetches bytes of the file, on any thread.
pub(crate) type Fetch<'f> = dyn Fn(Range<u64>) -> PolarsResult<Buffer<u8>> + Sync + 'f;

/// A Parquet file, with the columns to read.
pub(crate) struct ParquetFile<'f> {
    fetch: &'f Fetch<'f>,
    groups: &'f [RowGroupMetadata],
    leaves: &'f [Leaf],
    names: &'f [&'f str],
    columns: &'f Columns,
}

impl<'f> ParquetFile<'f> {
    pub(crate) fn new(
        fetch: &'f Fetch<'f>,
        content: &'f Content,
        names: &'f [&'f str],
        columns: &'f Columns,
    ) -> Result<ParquetFile<'f>, Error> {
        RowMapper::new(columns, names)?.refuse_repeated_names(names)?;
        Ok(ParquetFile { fetch, groups: &content.groups, leaves: &content.leaves, names, columns })
    }

    /// All statements.
    pub(crate) fn read(&self, label: &str, reading: &Reading) -> Result<Statements, Error> {
        if let Some(collector) = self.by_threads(reading) {
            return arrange_statements(collector, label);
        }
        let mut collector = start_collector(reading, &self.mapper()?, Places::Rows);
        let mut ordinal = 0;
        for group in self.groups {
            ordinal = self.take_group(group, ordinal, &mut collector)?;
        }
        arrange_statements(collector, label)
    }

    pub(crate) fn mapper(&self) -> Result<RowMapper<'f>, Error> {
        RowMapper::new(self.columns, self.names)
    }

    /// The row groups, each with the ordinal of its first row. `None` if there are too many rows.
    pub(crate) fn numbered(&self) -> Option<Vec<(&'f RowGroupMetadata, u32)>> {
        let mut first = 0_u32;
        let numbered = self.groups.iter().map(|group| {
            let of_group = first;
            first = first.checked_add(u32::try_from(group.num_rows()).ok()?)?;
            Some((group, of_group))
        });
        numbered.collect()
    }

    /// The wanted columns of a row group.
    pub(crate) fn columns_of(
        &self,
        group: &RowGroupMetadata,
        wanted: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<Option<Chunks>>, Error> {
        read_group(&mut |chunk| (self.fetch)(chunk), group, self.leaves, wanted)
    }

    /// All rows, with the row groups read in parallel. `None` if something is wrong: reading row by row then reports
    /// it.
    fn by_threads<'r>(&self, reading: &'r Reading) -> Option<Collector<'r>> {
        if self.groups.len() < 2 || rayon::current_num_threads() < 2 {
            return None;
        }
        let mut whole = start_collector(reading, &self.mapper().ok()?, Places::Rows);
        let parts: Vec<Collector<'_>> = self
            .numbered()?
            .into_par_iter()
            .map(|(group, first)| {
                let mut collector = Collector::new(reading, Grouping::Many);
                self.take_group(group, first, &mut collector).ok().map(|_| collector)
            })
            .collect::<Option<_>>()?;
        parts.into_iter().try_for_each(|part| whole.take_next(part))?;
        Some(whole)
    }

    /// Adds the rows of a row group. `first` is the first row's ordinal; returns the ordinal after the last.
    fn take_group(&self, group: &RowGroupMetadata, first: u32, collector: &mut Collector<'_>) -> Result<u32, Error> {
        let mapper = self.mapper()?;
        let columns = self.columns_of(group, &|at| mapper.uses(at))?;
        match take_columns(&mapper, &columns, 0..group.num_rows(), first, collector) {
            Some(next) => Ok(next),
            None => take_some(mapper, &columns, 0..group.num_rows(), first, collector),
        }
    }
}

/// Adds these rows one by one. `first` is the first one's ordinal.
pub(crate) fn take_some(
    mut mapper: RowMapper<'_>,
    columns: &[Option<Chunks>],
    rows: Range<usize>,
    first: u32,
    collector: &mut Collector<'_>,
) -> Result<u32, Error> {
    let (mut ordinal, mut cells) = (first, Vec::with_capacity(columns.len()));
    collector.rows.reserve(rows.len());
    for row in rows {
        cells.clear();
        cells.extend(columns.iter().map(|column| column.as_ref().map_or(Cell::Null, |column| column.cell(row))));
        mapper.take(&cells, ordinal, &Places::Rows, collector)?;
        ordinal = next_row_ordinal(ordinal)?;
    }
    Ok(ordinal)
}

/// Turns a panic of the library into an error: damaged files can cause one.
pub(crate) fn catch_parquet_panic<T>(read: impl FnOnce() -> PolarsResult<T>) -> Result<T, Error> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(wrong)) => Err(Error::table(format!("as Parquet: {wrong}"))),
        Err(_) => Err(Error::table("as Parquet: the file is damaged")),
    }
}

/// Fetches the bytes of a column of a row group.
pub(crate) type FetchColumn<'f> = dyn FnMut(Range<u64>) -> PolarsResult<Buffer<u8>> + 'f;

pub(crate) fn slice_column_chunk(bytes: &Buffer<u8>, chunk: Range<u64>) -> PolarsResult<Buffer<u8>> {
    let chunk = chunk.start as usize..chunk.end as usize;
    if chunk.start > chunk.end || chunk.end > bytes.len() {
        polars::prelude::polars_bail!(ComputeError: "a column lies beyond the file's end");
    }
    Ok(bytes.clone().sliced(chunk))
}

/// The wanted columns of one row group, by their index among the leaves.
pub(crate) fn read_group(
    fetch: &mut FetchColumn<'_>,
    group: &RowGroupMetadata,
    leaves: &[Leaf],
    wanted: &dyn Fn(usize) -> bool,
) -> Result<Vec<Option<Chunks>>, Error> {
    let column = |(at, leaf)| if wanted(at) { read_column(fetch, group, leaf).map(Some) } else { Ok(None) };
    leaves.iter().enumerate().map(column).collect()
}

fn read_column(fetch: &mut FetchColumn<'_>, group: &RowGroupMetadata, leaf: &Leaf) -> Result<Chunks, Error> {
    let (reads, part) = find_column(group, leaf)?;
    check_memory(group.num_rows())?;
    if reads.form == Form::Nothing {
        return Ok(Chunks::nothing(group.num_rows()));
    }
    let bytes = catch_parquet_panic(|| fetch(part.byte_range()))?;
    parquet_checksums::verify_page_checksums(&bytes, part.num_values()).map_err(|what| {
        Error::table(format!("as Parquet: the file is damaged: column `{}`: {what}", show_source_text(&leaf.name)))
    })?;
    decode_parquet_pages(bytes, (reads, part), group.num_rows(), None, &leaf.name)
}

/// How a column is read, and its part of the row group.
pub(crate) fn find_column<'c>(
    group: &'c RowGroupMetadata,
    leaf: &'c Leaf,
) -> Result<(&'c Reads, &'c ColumnChunkMetadata), Error> {
    let name = show_source_text(&leaf.name);
    let reads = leaf.kind.as_ref().map_err(|held| {
        let instead = "write it as text, integer, DECIMAL of up to 38 digits, 64-bit float, DATE or TIMESTAMP";
        Error::table(format!("column `{name}` holds {held}, which is not read; {instead}"))
    })?;
    let part = group.parquet_columns().get(reads.at);
    let part = part.ok_or_else(|| Error::table(format!("as Parquet: the file is damaged: no column `{name}`")))?;
    let (values, rows) = (part.num_values(), group.num_rows());
    if usize::try_from(values) != Ok(rows) {
        let what = format!("column `{name}` says that it has {values} values for {rows} rows");
        return Err(Error::table(format!("as Parquet: the file is damaged: {what}")));
    }
    Ok((reads, part))
}

/// Decodes pages with this number of rows: all of them, or those that pass the filter.
pub(crate) fn decode_parquet_pages(
    bytes: Buffer<u8>,
    (reads, part): (&Reads, &ColumnChunkMetadata),
    rows: usize,
    some: Option<Filter>,
    name: &str,
) -> Result<Chunks, Error> {
    let wanted = some.as_ref().map_or(rows, |some| some.num_rows(rows));
    let first = match &some {
        Some(Filter::Range(range)) => range.start,
        _ => 0,
    };
    let meta = PageMetaData { num_values: rows as i64, ..PageMetaData::from(part) };
    let arrays = catch_parquet_panic(|| {
        let pages = PageReader::new_with_page_meta(Cursor::new(bytes), meta, vec![], usize::MAX);
        let kind = &part.descriptor().descriptor.primitive_type;
        column_iter_to_arrays(vec![BasicDecompressor::new(pages, vec![])], vec![kind], reads.field.clone(), some)
            .map(|(arrays, _)| arrays)
    })
    .map_err(|wrong| name_undecoded_column(wrong, part, name))?;
    let arrays: Option<Vec<Box<dyn Array>>> = arrays.into_iter().map(innermost_struct_values).collect();
    let unread =
        || Error::table(format!("column `{}` was not decoded to what it is declared as", show_source_text(name)));
    let arrays = arrays.ok_or_else(unread)?;
    let rows: usize = arrays.iter().map(|array| array.len()).sum();
    if rows != wanted {
        return Err(Error::table(format!("column `{}` has {rows} of {wanted} rows", show_source_text(name))));
    }
    let arrays = match reads.form {
        Form::Uuid => {
            arrays.iter().map(|array| format_uuid_values(array.as_ref())).collect::<Option<_>>().ok_or_else(unread)?
        }
        Form::Bytes => texts_of_bytes(&arrays, first).map_err(|row| {
            let row = row.map_or_else(String::new, |row| format!(" in row {} of its row group", row + 1));
            Error::table(format!(
                "column `{}` holds bytes that are no UTF-8 text{row}; write it as text",
                show_source_text(name)
            ))
        })?,
        Form::AsStored | Form::Nothing => arrays,
    };
    Chunks::from_arrays(&arrays).ok_or_else(unread)
}

/// The error of the library with the column, and with what to do where a type is written in a way of its own.
fn name_undecoded_column(wrong: Error, part: &ColumnChunkMetadata, name: &str) -> Error {
    let what = match &wrong {
        Error::Table { what } => what.strip_prefix("as Parquet: ").unwrap_or(what),
        _ => return wrong,
    };
    let is_int96 = part.descriptor().descriptor.primitive_type.physical_type == PhysicalType::Int96;
    let instead = if is_int96 { "; it is an INT96, an old form of moments: write it as TIMESTAMP" } else { "" };
    Error::table(format!("as Parquet: column `{}`: {what}{instead}", show_source_text(name)))
}

/// The values within structs. They are null where a struct around them is.
fn innermost_struct_values(mut array: Box<dyn Array>) -> Option<Box<dyn Array>> {
    while let Some(outer) = array.as_any().downcast_ref::<StructArray>() {
        let inner = outer.values().first()?.clone();
        let validity = combine_validities_and(inner.validity(), outer.validity());
        array = inner.with_validity(validity);
    }
    Some(array)
}

/// Checks that there is memory for a row group. The library reserves room for as many values as the file announces, and
/// the program would abort without that memory.
fn check_memory(rows: usize) -> Result<(), Error> {
    // The widest value has 16 bytes.
    match Vec::<i128>::new().try_reserve_exact(rows) {
        Ok(()) => Ok(()),
        Err(_) => Err(Error::table(format!(
            "as Parquet: a row group says that it has {rows} rows, which do not fit into memory; \
             write smaller row groups"
        ))),
    }
}
