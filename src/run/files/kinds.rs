//! What a file is, by its ending and its first bytes, alike for every command.

use crate::statement::formats::xml_root::{XmlRoot, xml_root};
use crate::statement::{Columns, FirstLine, TableFormat, first_line};

/// The bytes at the beginning of a file that say what it is, at most.
pub(crate) const BEGINNING: u64 = 1 << 16;

/// The endings that are read, as advice.
pub(crate) const KNOWN: &str = "name it .csv, .tsv, .json, .ndjson, .parquet, .xlsx, .xls, .ods, .xml or .camt (camt), \
    .sta or .mt940 (MT940), .ofx or .qif";

const DOCUMENT_FOR_PEOPLE: &str = "is for people; ask the bank for CSV, camt.053 or MT940, or turn its tables into CSV \
    (`pdftotext -layout`, Tabula, Camelot) and let the balances prove them (quality.balance_verdict)";

/// The text at the beginning of a file, without a byte order mark and blanks.
fn text_at(beginning: &[u8]) -> &[u8] {
    beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start()
}

/// Whether a text begins with a mark, in any case.
fn begins_with_mark(text: &[u8], mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark.as_bytes()))
}

/// What a file is whose first bytes belong to no format of statements, whatever its name says.
pub(crate) fn describe_foreign_file(beginning: &[u8]) -> Option<String> {
    let text = text_at(beginning);
    if begins_with_mark(text, "%PDF-") {
        return Some(format!("by its first bytes it is a PDF, which {DOCUMENT_FOR_PEOPLE}"));
    }
    let is_page = begins_with_mark(text, "<!doctype html") || begins_with_mark(text, "<html");
    is_page.then(|| {
        "by its first bytes it is a web page (HTML), such as an error or a login in place of a statement; if it is a \
         bank's table under another name, save it as XLSX or CSV in a spreadsheet program"
            .to_owned()
    })
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileContent {
    /// The provider's JSON.
    Document,
    Table(TableFormat),
}

/// What an ending says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Is(FileContent),
    /// The first bytes decide.
    Open,
    /// Statements in a format that is not read, and what to do.
    Unread(String),
    /// Seldom statements, and never read; what to do if they are.
    Aside(String),
    Unknown,
}

/// Other endings of formats that are read, with the ending to use instead.
const OTHER_NAMES: [(&str, &str); 6] = [
    ("pq", "parquet"),
    ("parq", "parquet"),
    ("jsonlines", "ndjson"),
    ("ldjson", "ndjson"),
    ("tzst", "tar.zst"),
    ("tzstd", "tar.zst"),
];

/// What an ending in lower case says.
pub(crate) fn by_ending(ending: &str) -> Ending {
    if let Some((_, known)) = OTHER_NAMES.iter().find(|(name, _)| *name == ending) {
        return Ending::Unread(format!("files are not read under the ending .{ending}; name it .{known}"));
    }
    match ending {
        "json" => Ending::Is(FileContent::Document),
        "" | "txt" | "xml" => Ending::Open,
        "orc" | "avro" | "arrow" | "feather" => {
            Ending::Unread(format!("a table of the kind .{ending} is not read; write it as .parquet, .ndjson or .csv"))
        }
        "xlsb" | "numbers" => Ending::Unread(format!(
            "a workbook of the kind .{ending} is not read; save it as .xlsx, or each of its sheets as .csv"
        )),
        "pdf" => Ending::Aside(format!("a PDF {DOCUMENT_FOR_PEOPLE}")),
        "doc" | "docx" | "rtf" | "odt" => Ending::Aside(format!("a text document {DOCUMENT_FOR_PEOPLE}")),
        _ => TableFormat::from_ending(ending).map_or(Ending::Unknown, |format| Ending::Is(FileContent::Table(format))),
    }
}

/// What a file with an ending that is read or open is, by its beginning; otherwise why it is no statement.
pub(crate) fn by_ending_and_content(
    ending: &str,
    beginning: &[u8],
    columns: Option<&Columns>,
) -> Result<FileContent, String> {
    let Ending::Is(kind) = by_ending(ending) else { return by_content(ending, beginning, columns) };
    match (describe_foreign_file(beginning), kind) {
        (Some(what), _) => Err(what),
        (None, FileContent::Document) => Ok(json_kind(beginning, columns)),
        (None, kind) => Ok(kind),
    }
}

/// What a file is whose ending leaves it open, by its first bytes; otherwise why it is no statement.
pub(crate) fn by_content(ending: &str, beginning: &[u8], columns: Option<&Columns>) -> Result<FileContent, String> {
    if let Some(what) = describe_foreign_file(beginning) {
        return Err(what);
    }
    match (ending, by_first_bytes(beginning)) {
        ("xml", Some(kind @ FileContent::Table(TableFormat::Ofx))) => Ok(kind),
        ("xml", _) => match xml_root(beginning) {
            Some(XmlRoot::Other(root)) => {
                Err(format!("XML of another kind than camt.052, camt.053 and OFX: its root is {root}"))
            }
            _ => Ok(FileContent::Table(TableFormat::Camt)),
        },
        ("txt", Some(kind @ FileContent::Table(TableFormat::Mt940))) => Ok(kind),
        ("txt", _) if columns.is_some_and(Columns::declares_layout) => Ok(FileContent::Table(TableFormat::Csv)),
        ("txt", _) => Err("a text that does not begin as MT940 does; if it is a table, declare under [file] of a \
            columns file how it is laid out, such as delimiter = \"tab\", or name it .csv"
            .to_owned()),
        (_, Some(kind)) => Ok(kind),
        (_, None) => Err(format!("unknown kind of file; {KNOWN}")),
    }
}

/// What bytes without a name are, as far as their beginning says.
pub(crate) fn by_first_bytes(beginning: &[u8]) -> Option<FileContent> {
    const ZIP: &[u8] = b"PK\x03\x04";
    const OLE: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0];
    let text = text_at(beginning);
    let begins = |mark| begins_with_mark(text, mark);
    let format = match text {
        _ if beginning.starts_with(b"PAR1") => TableFormat::Parquet,
        _ if beginning.starts_with(ZIP) || beginning.starts_with(OLE) => TableFormat::Workbook,
        _ if begins(":20:") || begins("{1:") => TableFormat::Mt940,
        _ if begins("OFXHEADER:") => TableFormat::Ofx,
        _ if begins("!Type:") || begins("!Account") || begins("!Option:") => TableFormat::Qif,
        [b'<', ..] if xml_root(text) == Some(XmlRoot::Ofx) => TableFormat::Ofx,
        [b'<', ..] => TableFormat::Camt,
        [b'{', ..] => TableFormat::Lines,
        [b'[', ..] => return Some(FileContent::Document),
        _ => return None,
    };
    Some(FileContent::Table(format))
}

/// What standard input is, by its beginning.
pub(crate) fn stream_kind(beginning: &[u8], columns: Option<&Columns>) -> Result<FileContent, String> {
    if let Some(what) = describe_foreign_file(beginning) {
        return Err(what);
    }
    let is_declared = columns.is_some_and(Columns::names_columns);
    Ok(match by_first_bytes(beginning) {
        Some(FileContent::Table(TableFormat::Parquet)) => {
            return Err("Parquet has its index at the end: name the file instead".to_owned());
        }
        Some(FileContent::Table(TableFormat::Lines))
            if is_declared && json_kind(beginning, columns) != FileContent::Document =>
        {
            let mut lines = beginning.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
            let first = lines.next().unwrap_or_default();
            // An object over several lines is no table of lines.
            let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(first).is_ok();
            let is_cut = beginning.len() as u64 >= BEGINNING && first.len() == beginning.len();
            FileContent::Table(if is_whole || is_cut { TableFormat::Lines } else { TableFormat::Json })
        }
        Some(FileContent::Document) => json_kind(beginning, columns),
        Some(kind) => kind,
        None if beginning.trim_ascii().is_empty() => FileContent::Document,
        None => FileContent::Table(TableFormat::Csv),
    })
}

/// What a `.json` is: under a columns file, rows by paths. The provider's envelope is itself, unless the paths lead
/// into lists, because other answers have its keys, too.
pub(crate) fn json_kind(beginning: &[u8], columns: Option<&Columns>) -> FileContent {
    let is_named = columns.is_some_and(Columns::names_columns);
    match is_named && (columns.is_some_and(Columns::names_lists) || !is_envelope(beginning)) {
        true => FileContent::Table(TableFormat::Json),
        false => FileContent::Document,
    }
}

/// Whether JSON is the provider's envelope, as its beginning shows.
fn is_envelope(beginning: &[u8]) -> bool {
    let beginning = beginning.get(..BEGINNING as usize).unwrap_or(beginning);
    matches!(first_line(beginning, beginning.len() as u64 == BEGINNING), Some(FirstLine::Envelope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_say_what_has_no_name() {
        let table = |format| Some(FileContent::Table(format));
        for (beginning, wanted) in [
            (&b"PAR1\x15\0"[..], table(TableFormat::Parquet)),
            (b"PK\x03\x04", table(TableFormat::Workbook)),
            (b"\xd0\xcf\x11\xe0", table(TableFormat::Workbook)),
            (b"\r\n\n:20:START", table(TableFormat::Mt940)),
            (b"{1:F01BANK", table(TableFormat::Mt940)),
            (b"\xef\xbb\xbf {\"a\"", table(TableFormat::Lines)),
            (b" [", Some(FileContent::Document)),
            (b"OFXHEADER:100", table(TableFormat::Ofx)),
            (b"<OFX>", table(TableFormat::Ofx)),
            (b"<Document>", table(TableFormat::Camt)),
            (b"!type:bank", table(TableFormat::Qif)),
            (b"date,amount", None),
            (b"", None),
        ] {
            assert_eq!(by_first_bytes(beginning), wanted, "{:?}", String::from_utf8_lossy(beginning));
        }
    }

    #[test]
    fn a_text_is_csv_where_its_layout_is_declared() {
        let laid_out = Columns::parse("[file]\ndelimiter = \"tab\"").expect("columns");
        let kind = |bytes: &[u8], columns| by_content("txt", bytes, columns).ok();
        assert_eq!(kind(b"date\tamount", Some(&laid_out)), Some(FileContent::Table(TableFormat::Csv)));
        let own = Columns::default();
        assert_eq!(kind(b"date\tamount", Some(&own)), None);
        assert_eq!(kind(b"\n:20:X", Some(&laid_out)), Some(FileContent::Table(TableFormat::Mt940)));
    }

    #[test]
    fn xml_is_told_apart_by_its_root() {
        let kind = |bytes: &[u8]| by_content("xml", bytes, None);
        assert_eq!(kind(b"<a:Document><a:BkToCstmrStmt>"), Ok(FileContent::Table(TableFormat::Camt)));
        assert_eq!(kind(b"<?xml version='1.0'?><OFX>"), Ok(FileContent::Table(TableFormat::Ofx)));
        assert!(kind(b"<project>").is_err_and(|what| what.contains("project")));
        // UTF-16 and damage are the reader's matter.
        assert_eq!(kind(b"\xff\xfe<\0"), Ok(FileContent::Table(TableFormat::Camt)));
    }

    #[test]
    fn json_is_rows_under_a_columns_file_unless_it_is_the_providers() {
        let columns = Columns::parse("[columns]\ntrans_date = \"d\"\ncredit = \"c\"").expect("columns");
        let kind = |text: &str| stream_kind(text.as_bytes(), Some(&columns));
        assert_eq!(kind("[{\"d\": 1}]"), Ok(FileContent::Table(TableFormat::Json)));
        assert_eq!(kind("{\"d\": 1}\n{\"d\": 2}"), Ok(FileContent::Table(TableFormat::Lines)));
        assert_eq!(kind("{\n\"d\": 1}"), Ok(FileContent::Table(TableFormat::Json)));
        assert_eq!(kind("d,c"), Ok(FileContent::Table(TableFormat::Csv)));
        let envelope = "{\"status\": \"success\", \"data\": {\"transactions\": []}}";
        assert_eq!(json_kind(envelope.as_bytes(), Some(&columns)), FileContent::Document);
        assert_eq!(json_kind(b"[{}]", None), FileContent::Document);
    }
}
