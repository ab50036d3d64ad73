//! Finds where the table begins in the text of a CSV file: after a line `sep=;`, after a count of lines, or at the line
//! that has the names of the header. Must not read rows.

use csv::{ByteRecord, ReaderBuilder};

use crate::statement::base::error::{Error, show_source_text};
use crate::statement::formats::layout::{HEADER_WITHIN, Layout, cells_after, delimiter_of_byte, is_blank};
use crate::statement::tables::csv_text::{CHUNK, CsvText};

/// The most text before the header.
const PREAMBLE_BYTES: usize = 1 << 20;

/// What comes before the header.
pub(crate) struct Preamble {
    /// What separates the fields.
    pub(crate) delimiter: u8,
    /// How many lines come before the header.
    pub(crate) lines: usize,
    text: String,
}

impl Preamble {
    /// The cells of each line.
    pub(crate) fn cell_lines(&self) -> Vec<Vec<String>> {
        let lines = self.text.split(['\n', '\r']).filter(|line| !line.is_empty());
        lines.map(|line| split_csv_line(line.as_bytes(), self.delimiter)).collect()
    }

    /// The cells after a label, once for each place of it.
    pub(crate) fn cells_after(&self, label: &str) -> Vec<String> {
        let cells = self.text.split(['\n', '\r']).flat_map(|line| {
            let cells = split_csv_line(line.as_bytes(), self.delimiter);
            cells_after(label, cells.iter().map(String::as_str)).into_iter().map(str::to_owned).collect::<Vec<_>>()
        });
        cells.collect()
    }
}

/// Reads a text up to its header, which is then the first that is not blank. `by_ending` is the delimiter that the
/// file's name tells, if it tells one.
pub(crate) fn pass_over_preamble(
    text: &mut CsvText<'_>,
    layout: &Layout,
    by_ending: Option<u8>,
) -> Result<Preamble, Error> {
    let declared = layout.delimiter_byte().map_err(Error::columns)?;
    let mut lines = PreambleLines { text, at: 0, number: 0 };
    let first = lines.next()?;
    let noted = first.as_deref().and_then(separator_note);
    if let (Some(noted), Some(declared)) = (noted, declared)
        && noted != declared
    {
        return Err(Error::columns(format!(
            "the file's first line says that `{}` separates its fields, but [file] declares delimiter = \"{}\"",
            char::from(noted).escape_default(),
            char::from(declared).escape_default()
        )));
    }
    let delimiter = noted.or(declared).or(by_ending).unwrap_or(b',');
    if noted.is_none() {
        (lines.at, lines.number) = (0, 0);
    }
    match layout.skip_lines {
        Some(count) => lines.skip(count as usize)?,
        None if layout.header.is_empty() => {}
        None => lines.skip_to_header(layout, delimiter)?,
    }
    let (at, number) = (lines.at, lines.number);
    let before = String::from_utf8_lossy(text.ahead().get(..at).unwrap_or_default()).into_owned();
    text.pass_over(at);
    if let Some(mark) = &layout.comment {
        text.leave_out(mark, delimiter);
    }
    Ok(Preamble { delimiter, lines: number, text: before })
}

/// The cells of a line, or of a record that begins there and spans lines.
pub(crate) fn split_csv_line(text: &[u8], delimiter: u8) -> Vec<String> {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(delimiter);
    let mut record = ByteRecord::new();
    match builder.from_reader(text).read_byte_record(&mut record) {
        Ok(true) => record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect(),
        _ => Vec::new(),
    }
}

/// The delimiter that a line such as `sep=;` names for spreadsheets.
pub(crate) fn separator_note(line: &str) -> Option<u8> {
    let line = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or(line);
    let (key, mark) = line.split_at_checked(4)?;
    match mark.as_bytes() {
        [byte] if key.eq_ignore_ascii_case("sep=") => delimiter_of_byte(*byte),
        _ => None,
    }
}

/// The lines at the beginning of a text.
struct PreambleLines<'t, 'r> {
    text: &'t mut CsvText<'r>,
    /// Where the next line begins, and how many came before.
    at: usize,
    number: usize,
}

impl PreambleLines<'_, '_> {
    /// The text from a place on.
    fn from(&self, at: usize) -> &[u8] {
        self.text.ahead().get(at..).unwrap_or_default()
    }

    /// The next line without its line break. `None` at the end of the file.
    fn next(&mut self) -> Result<Option<String>, Error> {
        loop {
            let rest = self.from(self.at);
            let end = memchr::memchr2(b'\n', b'\r', rest);
            // A line feed may follow that is not read yet.
            let is_cut = end.is_none_or(|end| rest.get(end) == Some(&b'\r') && end + 1 == rest.len());
            if is_cut && rest.len() <= PREAMBLE_BYTES && self.text.fill().map_err(Error::table)? {
                continue;
            }
            let rest = self.from(self.at);
            if rest.is_empty() {
                return Ok(None);
            }
            let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
            let line_break = if after.starts_with(b"\r\n") { 2 } else { usize::from(!after.is_empty()) };
            let text = String::from_utf8_lossy(line).into_owned();
            self.at += line.len() + line_break;
            self.number += 1;
            return Ok(Some(text));
        }
    }

    /// Passes over lines until so many came before.
    fn skip(&mut self, count: usize) -> Result<(), Error> {
        while self.number < count {
            self.check_length()?;
            if self.next()?.is_none() {
                return Err(Error::columns(format!(
                    "[file] declares skip_lines = {count}, but the file has only {} lines",
                    self.number
                )));
            }
        }
        Ok(())
    }

    fn check_length(&self) -> Result<(), Error> {
        match self.at > PREAMBLE_BYTES {
            true => Err(Error::columns("[file]: more than 1 MiB comes before the header")),
            false => Ok(()),
        }
    }

    /// Passes over the lines before the one that has all names of the header.
    fn skip_to_header(&mut self, layout: &Layout, delimiter: u8) -> Result<(), Error> {
        // The line that has the most of the names.
        let mut best: Option<(usize, usize, Vec<&str>)> = None;
        for _ in 0..HEADER_WITHIN {
            self.check_length()?;
            let (at, number) = (self.at, self.number);
            let Some(line) = self.next()? else { break };
            let is_comment = layout.comment.as_deref().is_some_and(|mark| line.starts_with(mark));
            if is_blank(&line) || is_comment {
                continue;
            }
            // A name in quotes may span lines.
            let is_quoted = line.contains('"');
            while is_quoted && self.from(at).len() < CHUNK && self.text.fill().map_err(Error::table)? {}
            let rest = self.from(at);
            let record = if is_quoted { rest.get(..CHUNK).unwrap_or(rest) } else { line.as_bytes() };
            let cells = split_csv_line(record, delimiter);
            let missing = layout.missing_names(cells.iter().map(String::as_str));
            if missing.is_empty() {
                (self.at, self.number) = (at, number);
                return Ok(());
            }
            let found = layout.header.len().saturating_sub(missing.len());
            if found > best.as_ref().map_or(0, |(most, ..)| *most) {
                best = Some((found, number + 1, missing));
            }
        }
        Err(no_header(layout, delimiter, best))
    }
}

fn no_header(layout: &Layout, delimiter: u8, best: Option<(usize, usize, Vec<&str>)>) -> Error {
    let names: Vec<String> = layout.header.iter().map(|name| format!("`{}`", show_source_text(name))).collect();
    let nearest = match best {
        Some((_, line, missing)) => {
            let missing: Vec<String> = missing.iter().map(|name| format!("`{}`", show_source_text(name))).collect();
            format!("; line {line} has all but {}", missing.join(", "))
        }
        None => format!(
            "; its fields are separated by {}, if that is right",
            match delimiter {
                b',' => "commas".to_owned(),
                b'\t' => "tabs".to_owned(),
                other => format!("`{}`", char::from(other)),
            }
        ),
    };
    Error::columns(format!(
        "none of the first {HEADER_WITHIN} lines has all names of [file] header: {}{nearest}; `lendwright columns \
         FILE` shows the file's lines and writes a columns file",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn begun(text: &str, layout: &str) -> Result<(char, usize, String), String> {
        let layout: Layout = toml::from_str(layout).expect("a layout");
        let mut bytes = text.as_bytes();
        let mut text = CsvText::open(&mut bytes, None, 1 << 20).map_err(|wrong| wrong.to_string())?;
        let preamble = pass_over_preamble(&mut text, &layout, None).map_err(|wrong| wrong.to_string())?;
        let mut rest = String::new();
        text.read_to_string(&mut rest).map_err(|wrong| wrong.to_string())?;
        Ok((char::from(preamble.delimiter), preamble.lines, rest))
    }

    #[test]
    fn the_table_begins_where_it_is_declared() {
        for (text, layout, wanted) in [
            ("a,b\n1,2\n", "", (',', 0, "a,b\n1,2\n")),
            ("a;b\n", "delimiter = \";\"", (';', 0, "a;b\n")),
            ("sep=;\r\na;b\n", "", (';', 1, "a;b\n")),
            ("\"SEP=;\"\na;b\n", "", (';', 1, "a;b\n")),
            ("sep=\t\na\tb\n", "delimiter = \"tab\"", ('\t', 1, "a\tb\n")),
            ("sep=;\nx\n\na;b\n", "skip_lines = 3", (';', 3, "a;b\n")),
            ("sep=;\na;b\n", "skip_lines = 0", (';', 1, "a;b\n")),
            ("x\ry\r\nz\na,b\n", "skip_lines = 3", (',', 3, "a,b\n")),
            ("x \"y\nz\na,b\n", "skip_lines = 2", (',', 2, "a,b\n")),
            (
                "x\n\nA;a;b\na;x;\" b \"\n1;2\n",
                "header = [\"b\", \"a\"]\ndelimiter = \";\"",
                (';', 2, "A;a;b\na;x;\" b \"\n1;2\n"),
            ),
            ("x,\"\ny\n\"a\nb\",c\n1,2\n", "header = [\"a b\"]", (',', 2, "\"a\nb\",c\n1,2\n")),
            ("#a,b\na,b\n", "header = [\"b\"]\ncomment = \"#\"", (',', 1, "a,b\n")),
            ("x\n#y\na,b\n#c\n1,2", "skip_lines = 2\ncomment = \"#\"", (',', 2, "a,b\n1,2")),
        ] {
            let (delimiter, lines, rest) = wanted;
            assert_eq!(begun(text, layout), Ok((delimiter, lines, rest.to_owned())), "{text:?} {layout}");
        }
    }

    #[test]
    fn a_declaration_that_does_not_fit_is_explained() {
        for (text, layout, says) in [
            ("sep=;\na;b\n", "delimiter = \",\"", "first line says that `;` separates its fields"),
            ("a,b\n1,2\n", "skip_lines = 3", "skip_lines = 3, but the file has only 2 lines"),
            ("x\na,b,d\n", "header = [\"a\", \"b\", \"c\"]", "line 2 has all but `c`"),
            ("x\na;b\n", "header = [\"a\", \"b\"]", "separated by commas, if that is right"),
        ] {
            let wrong = begun(text, layout).expect_err(says);
            assert!(wrong.contains(says), "{wrong}");
        }
    }

    #[test]
    fn a_label_above_the_header_names_the_customer() {
        let layout: Layout = toml::from_str("skip_lines = 3").expect("a layout");
        let mut bytes = &b"Account holder,Mary\r\n\"Account:\",,\"0012\"\r\nFrom: 1 March\r\na,b\n1,2\n"[..];
        let mut text = CsvText::open(&mut bytes, None, 1 << 20).expect("text");
        let preamble = pass_over_preamble(&mut text, &layout, None).expect("a preamble");
        for (label, wanted) in [("Account:", Some("0012")), ("From:", Some("1 March")), ("a", None), ("Account", None)]
        {
            assert_eq!(preamble.cells_after(label), wanted.into_iter().collect::<Vec<_>>(), "{label}");
        }
    }
}
