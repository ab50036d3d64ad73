//! Whether a file of JSON lines is one statement or a table.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use super::compression::decompress_stream;
use super::kinds::SourceKind;
use super::source::{BatchSource, STANDARD_INPUT};
use crate::run::files::kinds::{BEGINNING, FileContent, json_kind};
use crate::statement::{Columns, FirstLine, TableFormat, first_line, may_name_customer};

const BUFFER_BYTES: usize = 1 << 16;

/// Marks a file of lines as one statement, as `decide` reads it: an envelope, or lines whose first record and folder
/// name no customer. If a later line names one, it is a table after all. Members of archives are examined when they are
/// listed.
pub(crate) fn detect_statement(source: &mut BatchSource) {
    if source.kind == SourceKind::Table(TableFormat::Lines)
        && source.member.is_none()
        && let Ok(stored) = File::open(&source.path)
    {
        detect_statement_in(source, stored);
    }
}

/// Marks a JSON document as a table whose columns are paths into it, as a columns file declares them, unless it is the
/// provider's envelope. Members of archives are examined when they are listed.
pub(crate) fn detect_paths(source: &mut BatchSource, columns: &Columns) {
    if source.kind == SourceKind::Document
        && source.member.is_none()
        && !source.path.ends_with(STANDARD_INPUT)
        && let Ok(stored) = File::open(&source.path)
    {
        detect_paths_in(source, stored, columns);
    }
}

/// Like [`detect_paths`], for a document with these bytes.
pub(crate) fn detect_paths_in(source: &mut BatchSource, stored: impl Read, columns: &Columns) {
    let mut beginning = Vec::new();
    // What cannot be read is a table: any customer may be in it.
    let _ = decompress_stream(stored, source.compression)
        .and_then(|bytes| bytes.take(BEGINNING).read_to_end(&mut beginning));
    if let FileContent::Table(format) = json_kind(&beginning, Some(columns)) {
        source.kind = SourceKind::Table(format);
    }
}

/// Like [`detect_statement`], for a source of lines with these bytes.
pub(crate) fn detect_statement_in(source: &mut BatchSource, stored: impl Read) {
    let Ok(bytes) = decompress_stream(stored, source.compression) else { return };
    let mut lines = FilledLines { bytes: BufReader::with_capacity(BUFFER_BYTES, bytes), line: Vec::new() };
    let is_document = match lines.next().and_then(|(line, is_cut)| first_line(line, is_cut)) {
        Some(FirstLine::Envelope) => true,
        Some(FirstLine::Named) => false,
        Some(FirstLine::Nameless) => source.customer(&["customer"]).is_none(),
        // Standard input has no name, only bytes: an envelope over several lines is not a table either.
        None if source.path.ends_with(STANDARD_INPUT) => {
            source.kind = SourceKind::Document;
            return;
        }
        None => false,
    };
    if is_document && !lines.any_may_name_customer() {
        source.kind = SourceKind::Document;
    }
}

/// The lines that are not blank, each cut at one mebibyte.
struct FilledLines<R> {
    bytes: BufReader<R>,
    line: Vec<u8>,
}

impl<R: Read> FilledLines<R> {
    /// The next line, and whether it was cut.
    fn next(&mut self) -> Option<(&[u8], bool)> {
        const LINE_BYTES: u64 = 1 << 20;
        loop {
            self.line.clear();
            let read = (&mut self.bytes).take(LINE_BYTES).read_until(b'\n', &mut self.line).ok()?;
            let is_cut = read as u64 == LINE_BYTES && self.line.last() != Some(&b'\n');
            if is_cut {
                self.bytes.skip_until(b'\n').ok()?;
            }
            if read == 0 {
                return None;
            }
            if !self.line.trim_ascii().is_empty() {
                return Some((self.line.as_slice(), is_cut));
            }
        }
    }

    /// A read error here counts as the end: the source fails later, when it is read as the kind it has.
    fn any_may_name_customer(&mut self) -> bool {
        while let Some((line, _)) = self.next() {
            if may_name_customer(line) {
                return true;
            }
        }
        false
    }
}
