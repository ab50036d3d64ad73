//! A CSV table: its header, and its records with their source text. Every command reads CSV through it, so that a
//! layout means the same to all.

use std::borrow::Cow;
use std::io::Read;

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::base::csv_line::unguarded_text;
use crate::base::date::Zone;
use crate::statement::base::error::Error;
use crate::statement::cells::cell::Cell;
use crate::statement::columns_file::Columns;
use crate::statement::columns_file::period_source::period_columns_above;
use crate::statement::formats::layout::{Layout, is_blank, normal_name};
use crate::statement::rows::collector::Places;
use crate::statement::tables::csv_misfit;
use crate::statement::tables::csv_preamble::{Preamble, pass_over_preamble};
use crate::statement::tables::csv_quotes;
use crate::statement::tables::csv_text::{CHUNK, CsvText};
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_end::TableEnd;
use crate::statement::tables::table_source::ROW_BYTES_MAX;
use crate::statement::tables::table_start::{csv_error, next_row_ordinal};

/// An open table, before its first record.
pub(crate) struct CsvTable<'r> {
    source: Reader<CsvText<'r>>,
    preamble: Preamble,
    /// The names of the columns.
    pub(crate) names: Vec<String>,
    end: TableEnd,
    record: StringRecord,
    ordinal: u32,
    /// Where the last record begins, and where it ends.
    before: u64,
    from: u64,
}

impl<'r> CsvTable<'r> {
    /// Reads up to the end of the header. The label's ending `.tsv` says that tabs separate the fields.
    pub(crate) fn open(bytes: &'r mut dyn Read, layout: &Layout, label: &str) -> Result<CsvTable<'r>, Error> {
        let declared = layout.declared_encoding().map_err(Error::columns)?;
        let mut text = CsvText::open(bytes, declared, ROW_BYTES_MAX).map_err(Error::table)?;
        let preamble = pass_over_preamble(&mut text, layout, delimiter_by_ending(label))?;
        let mut builder = ReaderBuilder::new();
        builder.buffer_capacity(CHUNK).delimiter(preamble.delimiter).flexible(true);
        let mut source = builder.from_reader(text);
        let header = source.headers().map_err(csv_error)?;
        let names: Vec<String> = header.iter().map(|name| normal_name(name).into_owned()).collect();
        let from = source.position().byte();
        if names.iter().all(|name| name.is_empty()) {
            return Err(Error::not_a_statement("the table is empty: it has no header"));
        }
        if let Some(what) =
            csv_quotes::find_quote_fault(source.get_ref().between(0, from), preamble.delimiter, |_, _| false)
        {
            return Err(Error::table(format!("the header: {what}")));
        }
        let (end, record) = (TableEnd::new(&layout.footer), StringRecord::new());
        Ok(CsvTable { source, preamble, names, end, record, ordinal: 0, before: 0, from })
    }

    /// The cells after a label, above the header.
    pub(crate) fn cells_after(&self, label: &str) -> Vec<String> {
        self.preamble.cells_after(label)
    }

    /// The period that is stated above the header, as columns of each row.
    pub(crate) fn period_above(&self, columns: &Columns) -> Result<Option<[(String, String); 2]>, Error> {
        period_columns_above(columns, &self.preamble.cell_lines())
    }

    /// What is to be said of a table that was read to its end, and whose declared end was not found.
    pub(crate) fn unfound_end(&self) -> Option<String> {
        self.end.unfound()
    }

    /// The meaning of the columns. The error says why the text may not be the table that was declared.
    pub(crate) fn mapper<'c>(&self, columns: &'c Columns, names: &[&str]) -> Result<RowMapper<'c>, Error> {
        let mapper = RowMapper::with_added(columns, names, self.names.len()).map_err(|wrong| {
            let text = self.source.get_ref().between(0, u64::MAX);
            csv_misfit::explain_csv_misfit(wrong, columns, names, text, &self.preamble)
        })?;
        mapper.refuse_repeated_names(names)?;
        Ok(mapper)
    }

    /// The next record, with its position from 0 and one field for each name. `None` at the end of the table.
    pub(crate) fn next_record(
        &mut self,
        mapper: &RowMapper<'_>,
        zone: &Zone,
    ) -> Result<Option<(u32, &StringRecord)>, Error> {
        loop {
            let read = self.source.read_record(&mut self.record);
            let to = self.source.position().byte();
            self.check_quotes(&read, to, mapper, zone)?;
            if !read.map_err(csv_error)? {
                return Ok(None);
            }
            let ordinal = self.ordinal;
            (self.before, self.from) = (self.from, to);
            self.ordinal = next_row_ordinal(ordinal)?;
            self.source.get_mut().forget(self.before);
            if memchr::memchr(b'\'', self.record.as_slice().as_bytes()).is_some() {
                self.record = self.record.iter().map(unguarded_text).collect();
            }
            // A row of nothing but delimiters is no record; spreadsheets write such rows.
            if is_blank(self.record.as_slice()) {
                continue;
            }
            if self.end.is_declared() {
                let cells: Vec<Cell<'_>> = self.record.iter().map(Cell::Text).collect();
                if !self.end.includes(&cells, (&Places::Rows, ordinal), mapper, zone)? {
                    continue;
                }
            }
            if self.record.len() != self.names.len() {
                self.fit(ordinal)?;
            }
            return Ok(Some((ordinal, &self.record)));
        }
    }

    /// Refuses a record whose quotes swallowed others.
    fn check_quotes(
        &self,
        read: &csv::Result<bool>,
        to: u64,
        mapper: &RowMapper<'_>,
        zone: &Zone,
    ) -> Result<(), Error> {
        let has_ended = matches!(read, Ok(false));
        // Only such a record can have swallowed others. The last one is checked once no other follows.
        if !has_ended && read.is_ok() && memchr::memchr2(b'\r', b'\n', self.record.as_slice().as_bytes()).is_none() {
            return Ok(());
        }
        let (from, to) = if has_ended { (self.before, self.from) } else { (self.from, to) };
        let delimiter = self.preamble.delimiter;
        let row_in = |column: usize, line: &str| mapper.reads_as_row(column, line, char::from(delimiter), zone);
        match csv_quotes::find_quote_fault(self.source.get_ref().between(from, to), delimiter, row_in) {
            None => Ok(()),
            Some(what) => {
                let row = if has_ended { self.ordinal.saturating_sub(1) } else { self.ordinal };
                Err(Error::table(format!("{}: {what}", Places::Rows.name(row))))
            }
        }
    }

    /// Gives a record as many fields as the header has, where only blank fields are too many, or only columns without a
    /// name have none.
    fn fit(&mut self, ordinal: u32) -> Result<(), Error> {
        let (has, wants) = (self.record.len(), self.names.len());
        let is_fit = match has > wants {
            true => self.record.iter().skip(wants).all(is_blank),
            false => self.names.iter().skip(has).all(String::is_empty),
        };
        if !is_fit {
            let row = Places::Rows.name(ordinal);
            return Err(Error::table(format!("{row}: {has} fields where the header has {wants}")));
        }
        self.record.truncate(wants);
        (has..wants).for_each(|_| self.record.push_field(""));
        Ok(())
    }
}

/// The delimiter of a file by the ending of its name, also where the file is packed.
fn delimiter_by_ending(label: &str) -> Option<u8> {
    let mut name = Cow::Borrowed(label);
    name.to_mut().make_ascii_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    name.ends_with(".tsv").then_some(b'\t')
}
