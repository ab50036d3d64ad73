//! What a file is, by its name or, if that is not enough, by its first bytes. Must not know where files come from.

use super::compression::Compression;
use crate::statement::TableFormat;

/// What a source holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourceKind {
    /// One statement, as `decide` reads it.
    Document,
    /// Rows of many statements.
    Table(TableFormat),
    /// Cannot be read, and why. Records may be missing because of it.
    Unreadable(String),
    /// Not read, and why. No records are missing because of it.
    Refused(String),
}

/// The format of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveKind {
    Tar,
    Zip,
}

/// What a file is, as far as its name or first bytes show.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Source(SourceKind, Compression),
    Archive(ArchiveKind, Compression),
    /// Statements in a format that is not supported, and what to do.
    Unsupported(String),
    /// The name has no ending; the first bytes decide.
    NoEnding,
    /// Not a file of statements.
    Other,
}

/// Bytes that [`kind_by_first_bytes`] looks at.
pub(crate) const FIRST_BYTES: usize = 8;

/// The endings that are supported, as advice.
pub(crate) const KNOWN: &str = "name it .csv, .tsv, .json, .ndjson, .parquet, .xlsx, .xls, .ods, .xml (camt), .sta (MT940), .ofx, .qif, .tar, \
     .tar.gz, .tar.zst or .zip";

/// What to do with a document for people.
pub(crate) const PDF: &str = "a PDF is a document for people; ask the bank for CSV, camt.053 or MT940, or turn its \
    tables into CSV (`pdftotext -layout`, Tabula, Camelot) and check the balances";

/// Endings of compressions, supported or not.
const OTHER_PACKINGS: [&str; 14] =
    ["bz2", "xz", "lz4", "lzma", "lzo", "br", "snappy", "sz", "deflate", "z", "gz", "zst", "zstd", "gzip"];

/// Endings of tables and archives, supported or not.
const TABLES: [&str; 17] = [
    "json", "ndjson", "jsonl", "csv", "parquet", "tar", "zip", "orc", "avro", "tsv", "xlsx", "xls", "ods", "xml",
    "sta", "ofx", "qif",
];

/// Other endings of supported formats, with the ending to use instead.
const OTHER_NAMES: [(&str, &str); 6] = [
    ("pq", "parquet"),
    ("parq", "parquet"),
    ("jsonlines", "ndjson"),
    ("ldjson", "ndjson"),
    ("tzst", "tar.zst"),
    ("tzstd", "tar.zst"),
];

/// By the file's ending, and by the one before it where the file is compressed.
pub(crate) fn kind_by_name(name: &str) -> FileKind {
    let name = name.to_ascii_lowercase();
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let (stem, compression) = match file.rsplit_once('.') {
        Some((stem, "gz")) => (stem, Compression::Gzip),
        Some((stem, "zst" | "zstd")) => (stem, Compression::Zstd),
        Some((_, "tgz")) => return FileKind::Archive(ArchiveKind::Tar, Compression::Gzip),
        _ => (file, Compression::Plain),
    };
    match (ending(stem), compression) {
        ("json", _) => FileKind::Source(SourceKind::Document, compression),
        ("tar", _) => FileKind::Archive(ArchiveKind::Tar, compression),
        ("zip", Compression::Plain) => FileKind::Archive(ArchiveKind::Zip, compression),
        // Parquet within another compression cannot be read at any place.
        ("parquet", Compression::Gzip | Compression::Zstd) => unsupported(file),
        ("txt", Compression::Plain) => FileKind::NoEnding,
        (ending, _) => match TableFormat::from_ending(ending) {
            Some(format) => FileKind::Source(SourceKind::Table(format), compression),
            None => unsupported(file),
        },
    }
}

fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Hidden files and names that begin with `_`: what other programs keep beside their data.
pub(crate) fn is_aside(name: &str) -> bool {
    name.starts_with(['.', '_'])
}

/// Names that are not supported: known formats get advice, others are passed over.
fn unsupported(file: &str) -> FileKind {
    let (stem, last) = file.rsplit_once('.').unwrap_or((file, ""));
    let unpack = |last: &str| {
        FileKind::Unsupported(format!("a file packed as .{last} is not read; unpack it, or pack it by gzip or zstd"))
    };
    match last {
        "" if is_part(stem) || !file.contains('.') => FileKind::NoEnding,
        "tbz" | "tbz2" | "txz" | "7z" | "rar" => FileKind::Unsupported(format!(
            "an archive of the kind .{last} is not read; unpack it, or pack it as .tar.gz, .tar.zst or .zip"
        )),
        "orc" | "avro" | "arrow" | "feather" => FileKind::Unsupported(format!(
            "a table of the kind .{last} is not read; write it as .parquet, .ndjson or .csv"
        )),
        "xlsb" | "numbers" => FileKind::Unsupported(format!(
            "a workbook of the kind .{last} is not read; save it as .xlsx, or each of its sheets as .csv"
        )),
        "pdf" => FileKind::Unsupported(PDF.to_owned()),
        "gz" | "zst" | "zstd" | "gzip" if matches!(ending(stem), "parquet" | "pq" | "parq") => FileKind::Unsupported(
            "Parquet within another compression is not read; unpack it, for Parquet has its own".to_owned(),
        ),
        _ if OTHER_PACKINGS.contains(&last) => {
            let is_table = TABLES.contains(&ending(stem)) || other_name(ending(stem)).is_some();
            if is_table || is_part(stem) {
                unpack(last)
            } else if has_no_ending(stem) {
                FileKind::Unsupported(format!("its name does not say what is packed in it; {KNOWN}"))
            } else {
                FileKind::Other
            }
        }
        _ => match other_name(last) {
            Some(known) => {
                FileKind::Unsupported(format!("files are not read under the ending .{last}; name it .{known}"))
            }
            None => FileKind::Other,
        },
    }
}

fn other_name(ending: &str) -> Option<&'static str> {
    OTHER_NAMES.iter().find(|(name, _)| *name == ending).map(|(_, known)| *known)
}

/// Whether a name has no ending, or one that begins with a number, such as a date.
fn has_no_ending(stem: &str) -> bool {
    ending(stem).starts_with(|letter: char| !letter.is_alphabetic()) || !stem.contains('.')
}

/// Whether the name is one that Hive, Athena, Spark or Hadoop give a part of a table: `000000_0`,
/// `20260301_101500_00001_ab`, `part-00000`, `part-m-00000`.
fn is_part(stem: &str) -> bool {
    let digits = stem.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits >= 6 && stem.get(digits..).is_some_and(|rest| rest.starts_with('_'));
    let part = stem.strip_prefix("part-").is_some_and(|rest| rest.bytes().any(|byte| byte.is_ascii_digit()));
    numbered || part
}

/// What a file without an ending is. Programs that write tables create such files. A file named like theirs that cannot
/// be identified is refused, not passed over.
pub(crate) fn kind_by_first_bytes(name: &str, first: &[u8]) -> FileKind {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let packed: [(&[u8], &str); 8] = [
        (&[0x1f, 0x8b], "gzip"),
        (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
        (b"BZh", "bzip2"),
        (&[0xfd, b'7', b'z', b'X', b'Z'], "xz"),
        (&[0x04, 0x22, 0x4d, 0x18], "lz4"),
        (b"PK\x03\x04", "zip"),
        (b"ORC", "ORC"),
        (b"Obj\x01", "Avro"),
    ];
    let table = |format| FileKind::Source(SourceKind::Table(format), Compression::Plain);
    if first.starts_with(b"PAR1") {
        return table(TableFormat::Parquet);
    }
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    if text.trim_ascii_start().starts_with(b":20:") || text.trim_ascii_start().starts_with(b"{1:") {
        return table(TableFormat::Mt940);
    }
    if name.ends_with(".txt") {
        return FileKind::Other;
    }
    if text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{') {
        return table(TableFormat::Lines);
    }
    if let Some((_, kind)) = packed.iter().find(|(magic, _)| first.starts_with(magic)) {
        return FileKind::Unsupported(format!("by its first bytes it is {kind}, and its name has no ending; {KNOWN}"));
    }
    match is_part(&name) && !first.is_empty() {
        true => {
            FileKind::Unsupported(format!("its name is that of a part of a table and does not say which kind; {KNOWN}"))
        }
        false => FileKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_what_is_read_refused_and_passed_over() {
        let kind = |name: &str| match kind_by_name(name) {
            FileKind::Source(..) => "source",
            FileKind::Archive(..) => "archive",
            FileKind::Unsupported(_) => "unsupported",
            FileKind::NoEnding => "first bytes",
            FileKind::Other => "other",
        };
        for (names, wanted) in [
            ("a.json A.CSV a.csv.gz in.d/a.ndjson.zst a.jsonl a.parquet part-0.c000.snappy.parquet", "source"),
            ("a.tar a.tgz a.tar.zst a.zip a.csv.zip", "archive"),
            (
                "a.csv.bz2 a.csv.xz a.parquet.gz a.parquet.zst a.json.lz4 a.tar.xz a.tbz2 a.7z a.orc a.tsv",
                "unsupported",
            ),
            ("part-00000.gz 000000_0.snappy 000000_0.gz a.zip.gz part-r-00001.deflate", "unsupported"),
            ("000000_0 part-00000 20260301_101500_00001_ab README a.d/LICENSE", "first bytes"),
            (
                "a.xlsx a.xls a.ods a.pq a.parq a.jsonlines a.tzst t.gz t.zst t.zstd t.2026-03.gz letter.xz",
                "unsupported",
            ),
            ("a.pq.gz a.jsonlines.zst a.csv.gzip a.xlsx.gz", "unsupported"),
            ("a.txt a.pdf a.txt.gz a.csv.crc .x", "other"),
        ] {
            for name in names.split(' ') {
                assert_eq!(kind(name), wanted, "{name}");
            }
        }
    }

    #[test]
    fn first_bytes_say_what_a_name_does_not() {
        let lines = FileKind::Source(SourceKind::Table(TableFormat::Lines), Compression::Plain);
        let parquet = FileKind::Source(SourceKind::Table(TableFormat::Parquet), Compression::Plain);
        assert_eq!(kind_by_first_bytes("000000_0", b"PAR1\x15\0"), parquet);
        assert_eq!(kind_by_first_bytes("in/x", b"\xef\xbb\xbf {\"a"), lines);
        for (name, first) in
            [("x", &b"\x1f\x8b\x08"[..]), ("x", b"ORC\x01"), ("000000_0", b"K1\x01337"), ("part-00000", b"a,b")]
        {
            assert!(matches!(kind_by_first_bytes(name, first), FileKind::Unsupported(_)), "{name}");
        }
        for (name, first) in [("README", &b"Read me"[..]), ("000000_0", b""), ("x", b"")] {
            assert_eq!(kind_by_first_bytes(name, first), FileKind::Other, "{name}");
        }
    }
}
