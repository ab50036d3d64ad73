//! What a file is, by its name or, if that is not enough, by its first bytes.

use super::compression::Compression;
use crate::run::files::kinds::{Ending, FileContent, KNOWN, by_content, by_ending};
use crate::statement::{Columns, TableFormat};

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
    /// The first bytes decide, once decompressed.
    ByContent(Compression),
    /// Not a file of statements, with the reason if there is more to say than that its name is none of theirs.
    Other(Option<String>),
}

/// The endings of archives and of packed files, as advice.
const PACKED: &str = ", each also .gz or .zst but for .parquet, or pack them as .tar, .tar.gz, .tar.zst or .zip";

/// Endings of compressions, supported or not.
const OTHER_PACKINGS: [&str; 14] =
    ["bz2", "xz", "lz4", "lzma", "lzo", "br", "snappy", "sz", "deflate", "z", "gz", "zst", "zstd", "gzip"];

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
    match (file_name_ending(stem), compression) {
        ("tar", _) => FileKind::Archive(ArchiveKind::Tar, compression),
        ("zip", Compression::Plain) => FileKind::Archive(ArchiveKind::Zip, compression),
        // Parquet within another compression cannot be read at any place.
        ("parquet", Compression::Gzip | Compression::Zstd) | ("", _) => advise_unsupported_file(file),
        (ending, _) => match by_ending(ending) {
            Ending::Is(kind) => FileKind::source(kind, compression),
            Ending::Open => FileKind::ByContent(compression),
            Ending::Unread(what) if compression == Compression::Plain => FileKind::Unsupported(what),
            Ending::Aside(what) => FileKind::Other(Some(what)),
            Ending::Unread(_) | Ending::Unknown => advise_unsupported_file(file),
        },
    }
}

impl FileKind {
    fn source(kind: FileContent, compression: Compression) -> FileKind {
        let kind = match kind {
            FileContent::Document => SourceKind::Document,
            FileContent::Table(format) => SourceKind::Table(format),
        };
        FileKind::Source(kind, compression)
    }

    /// Why a file of [`FileKind::Other`] that was named is refused.
    pub(crate) fn refusal(why: Option<String>) -> String {
        why.unwrap_or_else(|| format!("unknown kind of file; {KNOWN}{PACKED}"))
    }

    /// Why a file of [`FileKind::Other`] that was found is passed over.
    pub(crate) fn reason(why: Option<String>) -> String {
        why.unwrap_or_else(|| "no statements by its name".to_owned())
    }
}

fn file_name_ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Hidden files and names that begin with `_`: what other programs keep beside their data.
pub(crate) fn is_aside(name: &str) -> bool {
    name.starts_with(['.', '_'])
}

/// Names that are not supported: known formats get advice, others are passed over.
fn advise_unsupported_file(file: &str) -> FileKind {
    let (stem, last) = file.rsplit_once('.').unwrap_or((file, ""));
    let unpack = |last: &str| {
        FileKind::Unsupported(format!("a file packed as .{last} is not read; unpack it, or pack it by gzip or zstd"))
    };
    match last {
        "" if is_part(stem) || !file.contains('.') => FileKind::ByContent(Compression::Plain),
        "tbz" | "tbz2" | "txz" | "7z" | "rar" => FileKind::Unsupported(format!(
            "an archive of the kind .{last} is not read; unpack it, or pack it as .tar.gz, .tar.zst or .zip"
        )),
        "gz" | "zst" | "zstd" | "gzip" if matches!(file_name_ending(stem), "parquet" | "pq" | "parq") => {
            FileKind::Unsupported(
                "Parquet within another compression is not read; unpack it, for Parquet has its own".to_owned(),
            )
        }
        _ if OTHER_PACKINGS.contains(&last) => {
            if is_statements(file_name_ending(stem)) || is_part(stem) {
                unpack(last)
            } else if has_no_ending(stem) {
                FileKind::Unsupported(format!("its name does not say what is packed in it; {KNOWN}{PACKED}"))
            } else {
                FileKind::Other(None)
            }
        }
        _ => FileKind::Other(None),
    }
}

/// Whether files with this ending hold statements or archives of them, read or not.
fn is_statements(ending: &str) -> bool {
    matches!(ending, "tar" | "zip") || matches!(by_ending(ending), Ending::Is(_) | Ending::Unread(_))
}

/// Whether a name has no ending, or one that begins with a number, such as a date.
fn has_no_ending(stem: &str) -> bool {
    file_name_ending(stem).starts_with(|letter: char| !letter.is_alphabetic()) || !stem.contains('.')
}

/// Whether the name is one that Hive, Athena, Spark or Hadoop give a part of a table: `000000_0`,
/// `20260301_101500_00001_ab`, `part-00000`, `part-m-00000`.
fn is_part(stem: &str) -> bool {
    let digits = stem.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits >= 6 && stem.get(digits..).is_some_and(|rest| rest.starts_with('_'));
    let part = stem.strip_prefix("part-").is_some_and(|rest| rest.bytes().any(|byte| byte.is_ascii_digit()));
    numbered || part
}

/// What a file is whose name does not say it, by its first bytes. Programs that write tables create such files. A file
/// named like theirs that cannot be identified is refused, not passed over.
pub(crate) fn kind_by_first_bytes(
    name: &str,
    (first, compression): (&[u8], Compression),
    columns: Option<&Columns>,
) -> FileKind {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let packed = [".gz", ".zst", ".zstd"].into_iter().find_map(|ending| name.strip_suffix(ending));
    let stem = packed.unwrap_or(&name);
    match (file_name_ending(stem), by_content(file_name_ending(stem), first, columns)) {
        ("", kind) => without_ending(stem, first, kind),
        (_, Ok(kind)) => FileKind::source(kind, compression),
        (_, Err(what)) => FileKind::Other(Some(what)),
    }
}

fn without_ending(name: &str, first: &[u8], kind: Result<FileContent, String>) -> FileKind {
    const PACKED_AS: [(&[u8], &str); 8] = [
        (&[0x1f, 0x8b], "gzip"),
        (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
        (b"BZh", "bzip2"),
        (&[0xfd, b'7', b'z', b'X', b'Z'], "xz"),
        (&[0x04, 0x22, 0x4d, 0x18], "lz4"),
        (b"PK\x03\x04", "zip"),
        (b"ORC", "ORC"),
        (b"Obj\x01", "Avro"),
    ];
    if let Some((_, kind)) = PACKED_AS.iter().find(|(magic, _)| first.starts_with(magic)) {
        return FileKind::Unsupported(format!(
            "by its first bytes it is {kind}, and its name has no ending; {KNOWN}{PACKED}"
        ));
    }
    match kind {
        Ok(kind @ FileContent::Table(_)) => FileKind::source(kind, Compression::Plain),
        _ if is_part(name) && !first.is_empty() => FileKind::Unsupported(format!(
            "its name is that of a part of a table and does not say which kind; {KNOWN}{PACKED}"
        )),
        _ => FileKind::Other(None),
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
            FileKind::ByContent(_) => "first bytes",
            FileKind::Other(_) => "other",
        };
        for (names, wanted) in [
            ("a.json A.CSV a.csv.gz in.d/a.ndjson.zst a.jsonl a.parquet part-0.c000.snappy.parquet", "source"),
            ("a.tsv a.xlsx a.XLS a.ods a.camt a.c53.gz a.sta a.mt940.zst a.940 a.ofx a.qfx a.qif a.xlsx.gz", "source"),
            ("a.tar a.tgz a.tar.zst a.zip a.csv.zip", "archive"),
            ("a.csv.bz2 a.csv.xz a.parquet.gz a.parquet.zst a.json.lz4 a.tar.xz a.tbz2 a.7z a.orc", "unsupported"),
            ("part-00000.gz 000000_0.snappy 000000_0.gz a.zip.gz part-r-00001.deflate a.xlsb", "unsupported"),
            ("000000_0 part-00000 20260301_101500_00001_ab README a.d/LICENSE", "first bytes"),
            ("a.xml a.xml.gz a.txt a.txt.zst", "first bytes"),
            ("a.numbers a.pq a.parq a.jsonlines a.tzst t.gz t.zst t.zstd t.2026-03.gz letter.xz", "unsupported"),
            ("a.pq.gz a.jsonlines.zst a.csv.gzip a.sta.bz2", "unsupported"),
            ("a.pdf a.docx a.csv.crc .x a.md", "other"),
        ] {
            for name in names.split(' ') {
                assert_eq!(kind(name), wanted, "{name}");
            }
        }
    }

    #[test]
    fn first_bytes_say_what_a_name_does_not() {
        let table = |format, compression| FileKind::Source(SourceKind::Table(format), compression);
        let kind = |name: &str, first: &[u8]| kind_by_first_bytes(name, (first, Compression::Plain), None);
        assert_eq!(kind("000000_0", b"PAR1\x15\0"), table(TableFormat::Parquet, Compression::Plain));
        assert_eq!(kind("in/x", b"\xef\xbb\xbf {\"a"), table(TableFormat::Lines, Compression::Plain));
        let camt = kind_by_first_bytes("a.xml.gz", (b"<Document><BkToCstmrStmt>", Compression::Gzip), None);
        assert_eq!(camt, table(TableFormat::Camt, Compression::Gzip));
        for (name, first) in
            [("x", &b"\x1f\x8b\x08"[..]), ("x", b"ORC\x01"), ("000000_0", b"K1\x01337"), ("part-00000", b"a,b")]
        {
            assert!(matches!(kind(name, first), FileKind::Unsupported(_)), "{name}");
        }
        for (name, first) in [
            ("README", &b"Read me"[..]),
            ("000000_0", b""),
            ("x", b""),
            ("x.txt", b"Dear customer"),
            ("pom.xml", b"<project>"),
        ] {
            assert!(matches!(kind(name, first), FileKind::Other(_)), "{name}");
        }
    }
}
