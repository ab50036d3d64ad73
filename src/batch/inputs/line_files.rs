//! Whether a file of JSON lines is one statement or a table. Must not know how sources are found.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use super::kinds::Kind;
use super::packing::unpacked;
use super::source::{STANDARD_INPUT, Source};
use crate::statement::{FirstLine, TableFormat, first_line, may_name_customer};

const BUFFER_BYTES: usize = 1 << 16;

/// Lines whose first record names no customer, nor does their folder, are one statement, as `decide` reads them; so is an envelope. Where a line behind
/// it names one they are a table after all. Members of archives are settled as these are listed.
pub(crate) fn settle_kind(source: &mut Source) {
    if source.kind == Kind::Table(TableFormat::Lines)
        && source.member.is_none()
        && let Ok(stored) = File::open(&source.path)
    {
        settle_kind_of(source, stored);
    }
}

/// As [`settle_kind`], of a source of lines with these bytes.
pub(crate) fn settle_kind_of(source: &mut Source, stored: impl Read) {
    let Ok(bytes) = unpacked(stored, source.packing) else { return };
    let mut lines = Lines { bytes: BufReader::with_capacity(BUFFER_BYTES, bytes), line: Vec::new() };
    let is_document = match lines.next().and_then(|(line, is_cut)| first_line(line, is_cut)) {
        Some(FirstLine::Envelope) => true,
        Some(FirstLine::Named) => false,
        Some(FirstLine::Nameless) => source.customer(&["customer"]).is_none(),
        // Nothing but its bytes says what standard input is: an envelope over several lines is no table either.
        None if source.path.ends_with(STANDARD_INPUT) => {
            source.kind = Kind::Document;
            return;
        }
        None => false,
    };
    if is_document && !lines.any_may_name_customer() {
        source.kind = Kind::Document;
    }
}

/// The lines that say anything, each as far as a megabyte.
struct Lines<R> {
    bytes: BufReader<R>,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    /// The next one, and whether it goes on.
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

    /// What cannot be read to its end fails as what it has been taken for.
    fn any_may_name_customer(&mut self) -> bool {
        while let Some((line, _)) = self.next() {
            if may_name_customer(line) {
                return true;
            }
        }
        false
    }
}
