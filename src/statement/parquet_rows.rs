//! The rows of a Parquet table, a stretch of a row group at a time. Must not know what a row means beyond its customer.

use std::io::SeekFrom;
use std::ops::Range;

use polars::prelude::PolarsResult;
use polars_arrow::datatypes::Field;
use polars_buffer::Buffer;
use polars_parquet::read::{RowGroupMetadata, infer_schema, read_metadata};

use crate::statement::cell::Cell;
use crate::statement::error::Error;
use crate::statement::intake::Places;
use crate::statement::parquet::{guarded, read_group};
use crate::statement::rows_read::{Asked, LOST, Next, ReadSeek, SeenRow, Table, Take, pack_row};
use crate::statement::sheet::Sheet;
use crate::statement::table::next;

/// Rows whose columns are held at once: those of a large row group are read in several stretches.
const STRETCH_ROWS: usize = 1 << 17;

pub(crate) fn each(mut file: &mut dyn ReadSeek, asked: &Asked<'_>, take: &mut Take<'_>) -> Result<Table, Error> {
    let length = file.seek(SeekFrom::End(0)).map_err(Error::table)?;
    let (metadata, fields) = guarded(|| {
        let metadata = read_metadata(&mut file)?;
        let fields: Vec<Field> = infer_schema(&metadata)?.iter_values().cloned().collect();
        Ok((metadata, fields))
    })?;
    let mut names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let added = asked.added(&names);
    names.extend(added.iter().map(|(name, _)| name.as_str()));
    let sheet = Sheet::new(asked.columns, &names)?;
    let mut rows = Rows { sheet: &sheet, fields: &fields, added, asked, ordinal: 0, packed: Vec::new() };
    'groups: for group in &metadata.row_groups {
        for from in (0..group.num_rows()).step_by(STRETCH_ROWS) {
            let stretch = from..group.num_rows().min(from + STRETCH_ROWS);
            if rows.stretch(file, length, group, stretch, take)? == Next::Stop {
                break 'groups;
            }
        }
    }
    let names = names.into_iter().map(str::to_owned).collect();
    Ok(Table { label: asked.label.to_owned(), names, given: Vec::new(), places: Places::Rows })
}

struct Rows<'a> {
    sheet: &'a Sheet<'a>,
    fields: &'a [Field],
    added: Vec<&'a (String, String)>,
    asked: &'a Asked<'a>,
    ordinal: u32,
    packed: Vec<u8>,
}

impl Rows<'_> {
    fn stretch(
        &mut self,
        file: &mut dyn ReadSeek,
        length: u64,
        group: &RowGroupMetadata,
        stretch: Range<usize>,
        take: &mut Take<'_>,
    ) -> Result<Next, Error> {
        let mut fetch = |chunk: Range<u64>| fetch(file, length, chunk);
        let customer_at = self.sheet.customer_at();
        // A stretch that is a whole row group is read without counting.
        let some = (stretch.len() < group.num_rows()).then(|| stretch.clone());
        let whose = |at: usize| Some(at) == customer_at;
        let all = |at: usize| self.sheet.uses(at);
        let wanted: &dyn Fn(usize) -> bool = if self.asked.rows { &all } else { &whose };
        let (columns, lost) = match read_group(&mut fetch, group, self.fields, wanted, some.clone()) {
            Ok(columns) => (columns, None),
            // Whose the rows are is known as long as that column can be read.
            Err(wrong) => (read_group(&mut fetch, group, self.fields, &whose, some)?, Some(wrong.to_string())),
        };
        let mut cells = Vec::with_capacity(columns.len() + self.added.len());
        for row in 0..stretch.len() {
            cells.clear();
            cells.extend(columns.iter().map(|column| column.as_ref().map_or(Cell::Null, |column| column.cell(row))));
            cells.extend(self.added.iter().map(|(_, value)| Cell::Text(value)));
            if self.row(&cells, lost.as_deref(), take)? == Next::Stop {
                return Ok(Next::Stop);
            }
        }
        Ok(Next::Row)
    }

    fn row(&mut self, cells: &[Cell<'_>], lost: Option<&str>, take: &mut Take<'_>) -> Result<Next, Error> {
        let customer = self.sheet.customer(cells, &Places::Rows, self.ordinal)?;
        match lost {
            _ if !self.asked.rows => {}
            None => pack_row(cells, self.sheet, &mut self.packed),
            Some(what) => {
                self.packed.clear();
                self.packed.push(LOST);
                self.packed.extend_from_slice(what.as_bytes());
            }
        }
        let ordinal = self.ordinal;
        self.ordinal = next(ordinal)?;
        Ok(take(SeenRow { customer: &customer, ordinal, bytes: &self.packed }))
    }
}

fn fetch(file: &mut dyn ReadSeek, length: u64, chunk: Range<u64>) -> PolarsResult<Buffer<u8>> {
    if chunk.start > chunk.end || chunk.end > length {
        polars::prelude::polars_bail!(ComputeError: "a column lies beyond the file's end");
    }
    let mut bytes = vec![0; (chunk.end - chunk.start) as usize];
    file.seek(SeekFrom::Start(chunk.start))?;
    file.read_exact(&mut bytes)?;
    Ok(Buffer::from(bytes))
}
