//! The parts of a zipped workbook: their sizes and checksums, before anything is read from them.

use std::borrow::Cow;
use std::io::{Cursor, Read, Write};

use quick_xml::escape::unescape;
use quick_xml::events::Event;
use zip::ZipArchive;
use zip::result::ZipError;

use super::sheet::{DAMAGED, LOCKED, UNCALCULATED};
use crate::statement::formats::Fault;

/// The most bytes that all parts together may have when they are unpacked.
const UNPACKED_MAX: u64 = 2 << 30;

const CONTENT: &str = "content.xml";
const MANIFEST: &str = "META-INF/manifest.xml";
/// How the name of the part ends that lists the sheets.
const BOOK: &str = "workbook.xml";

pub(super) enum WorkbookKind {
    OpenXml {
        /// Whether the values of formulas are not to be used, because no program has calculated them.
        is_uncalculated: bool,
    },
    /// With its content.
    OpenDocument(String),
}

/// Checks a zip's parts of XML: none is damaged, and all fit in memory. A part is read only as far as a sheet needs it,
/// so that damage further on would otherwise not be seen.
pub(super) fn check_zip_parts(bytes: &[u8]) -> Result<WorkbookKind, Fault> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(zip_error_fault)?;
    let mut rest = UNPACKED_MAX;
    let (mut content, mut needed, mut arrays, mut is_uncalculated) = (None, Vec::new(), Vec::new(), false);
    for at in 0..archive.len() {
        let part = archive.by_index(at).map_err(zip_error_fault)?;
        let name = part.name().map_err(zip_error_fault)?.into_owned();
        if part.size() > rest {
            return Err(too_large());
        }
        if !is_read(&name) {
            continue;
        }
        // The size in the zip is only a claim.
        let mut part = Read::take(part, rest + 1);
        let mut seen = Seen { into: None, size: 0, tail: Vec::new(), claim: 0, has_array: false };
        let is_book = name.to_ascii_lowercase().ends_with(BOOK);
        if matches!(name.as_str(), CONTENT | MANIFEST) || name.ends_with(".rels") || is_book {
            seen.into = Some(Vec::new());
        }
        std::io::copy(&mut part, &mut seen).map_err(|wrong| in_part(&name, &wrong))?;
        rest = rest.checked_sub(seen.size).ok_or_else(too_large)?;
        if seen.claim > seen.size {
            return Err(Fault::at(describe_part_place(&name), DAMAGED));
        }
        arrays.extend(seen.has_array.then_some(at));
        match (name.as_str(), seen.into) {
            (CONTENT, Some(text)) => {
                content = Some(
                    String::from_utf8(text).map_err(|_| Fault::at(describe_part_place(&name), "it is not UTF-8"))?,
                );
            }
            (MANIFEST, Some(text)) if memchr::memmem::find(&text, b"encryption-data").is_some() => {
                return Err(Fault::new(LOCKED));
            }
            (_, Some(text)) if is_book => is_uncalculated |= asks_for_calculation(&text),
            (_, Some(text)) => needed.extend(needed_parts(&name, &text)),
            _ => {}
        }
    }
    if is_uncalculated {
        refuse_array_formulas(&mut archive, &arrays)?;
    }
    // The library reads on without a part that is missing: without styles, days would be numbers.
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap_or_default().to_ascii_lowercase()).collect();
    if let Some(missing) = needed.iter().find(|part| !names.contains(part)) {
        return Err(Fault::at(describe_part_place(missing), format!("{DAMAGED}: it lacks this part")));
    }
    let has = |name: &str| archive.index_for_name(name).is_some();
    match content {
        _ if has("xl/workbook.bin") => {
            Err(Fault::new("workbooks in the format XLSB are not read; save it as XLSX in a spreadsheet program"))
        }
        Some(content) if !has("[Content_Types].xml") => Ok(WorkbookKind::OpenDocument(content)),
        _ if has("xl/workbook.xml") || has("[Content_Types].xml") => Ok(WorkbookKind::OpenXml { is_uncalculated }),
        _ => Err(Fault::new("the file is a zip without a sheet; if a workbook is in it, unpack it first")),
    }
}

/// Whether a workbook asks the program that opens it to calculate its formulas. Their stored values do not count then.
fn asks_for_calculation(text: &[u8]) -> bool {
    let mut xml = quick_xml::Reader::from_reader(text);
    let mut buffer = Vec::new();
    while let Ok(event) = xml.read_event_into(&mut buffer) {
        match event {
            Event::Start(element) | Event::Empty(element) if element.local_name().as_ref() == "calcPr" => {
                let mut attributes = element.attributes().flatten();
                return attributes.any(|attribute| {
                    attribute.key.as_ref() == "fullCalcOnLoad" && matches!(&*attribute.value, "1" | "true")
                });
            }
            Event::Eof => break,
            _ => {}
        }
        buffer.clear();
    }
    false
}

/// Refuses formulas for several cells in these parts: only the first of the cells says that it is a formula.
fn refuse_array_formulas(archive: &mut ZipArchive<Cursor<&[u8]>>, parts: &[usize]) -> Result<(), Fault> {
    for at in parts {
        let part = archive.by_index(*at).map_err(zip_error_fault)?;
        let name = part.name().map_err(zip_error_fault)?.into_owned();
        let mut xml = quick_xml::Reader::from_reader(std::io::BufReader::new(part));
        let mut buffer = Vec::new();
        while let Ok(event) = xml.read_event_into(&mut buffer) {
            match event {
                Event::Start(element) | Event::Empty(element) if element.local_name().as_ref() == "f" => {
                    let value = |name: &str| {
                        let attribute =
                            element.attributes().flatten().find(|attribute| attribute.key.as_ref() == name)?;
                        Some(attribute.value.into_owned())
                    };
                    let cells = value("ref").filter(|cells| cells.contains(':'));
                    if let Some(cells) = cells.filter(|_| value("t").as_deref() == Some("array")) {
                        let place = format!("{}, cells {cells}", describe_part_place(&name));
                        return Err(Fault::at(place, UNCALCULATED));
                    }
                }
                Event::Eof => break,
                _ => {}
            }
            buffer.clear();
        }
    }
    Ok(())
}

/// The parts that a part of relationships says the cells are in, in lower case.
fn needed_parts(name: &str, text: &[u8]) -> Vec<String> {
    // `xl/_rels/workbook.xml.rels` is about `xl/workbook.xml`.
    let folder = name.rsplit_once("_rels/").map_or("", |(folder, _)| folder);
    let mut xml = quick_xml::Reader::from_reader(text);
    let (mut needed, mut buffer) = (Vec::new(), Vec::new());
    // Whatever is wrong with its XML is for the library to say.
    while let Ok(event) = xml.read_event_into(&mut buffer) {
        match event {
            Event::Start(element) | Event::Empty(element) => {
                let value = |name: &str| {
                    let attribute = element.attributes().flatten().find(|attribute| attribute.key.as_ref() == name)?;
                    unescape(&attribute.value).ok().map(Cow::into_owned)
                };
                let kind = value("Type").unwrap_or_default();
                let is_needed = ["/worksheet", "/sharedStrings", "/styles"].iter().any(|needed| kind.ends_with(needed));
                if let Some(target) = value("Target").filter(|_| is_needed) {
                    needed.push(resolve_part_name(folder, &target).to_ascii_lowercase());
                }
            }
            Event::Eof => break,
            _ => {}
        }
        buffer.clear();
    }
    needed
}

/// The name of a part that is given relative to a folder.
fn resolve_part_name(folder: &str, target: &str) -> String {
    let path = target.strip_prefix('/').map_or_else(|| format!("{folder}{target}"), str::to_owned);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether a part says anything about cells.
fn is_read(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    ["xml", "rels"].iter().any(|wanted| ending.eq_ignore_ascii_case(wanted))
}

fn in_part(name: &str, wrong: &std::io::Error) -> Fault {
    Fault::at(describe_part_place(name), format!("{DAMAGED}: {wrong}"))
}

fn describe_part_place(name: &str) -> String {
    format!("part \"{}\"", name.escape_debug())
}

fn too_large() -> Fault {
    Fault::new("the workbook takes more than 2 GiB when it is unpacked; save the sheet as CSV")
}

/// How many texts a part says that it has. The library makes room for as many, before it reads them.
const CLAIM: &[u8] = b"uniqueCount";
/// How a formula for several cells says so. Programs write 0 into all of them, and the formula into the first.
const ARRAY: &[u8] = b"\"array\"";
/// The most bytes of such a claim.
const CLAIM_BYTES: usize = 64;

/// Counts the bytes of a part, looks for a claim, and keeps the part if it is wanted.
struct Seen {
    into: Option<Vec<u8>>,
    size: u64,
    /// The last bytes and the next ones, where a claim may be cut.
    tail: Vec<u8>,
    claim: u64,
    /// Whether a formula for several cells may be in it.
    has_array: bool,
}

impl Seen {
    fn look(&mut self, bytes: &[u8]) {
        self.has_array |= memchr::memmem::find(bytes, ARRAY).is_some();
        for at in memchr::memmem::find_iter(bytes, CLAIM) {
            let after = bytes.get(at + CLAIM.len()..).unwrap_or_default().iter().take(CLAIM_BYTES);
            let digits =
                after.skip_while(|byte| b" \t\r\n=\"'".contains(byte)).take_while(|byte| byte.is_ascii_digit());
            let claim = digits.fold(0_u64, |number, digit| {
                number.saturating_mul(10).saturating_add(u64::from(digit.saturating_sub(b'0')))
            });
            self.claim = self.claim.max(claim);
        }
    }
}

impl Write for Seen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.size == 0 && (bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")) {
            return Err(std::io::Error::other("it is not UTF-8"));
        }
        self.size += bytes.len() as u64;
        self.look(bytes);
        let mut seam = std::mem::take(&mut self.tail);
        seam.extend_from_slice(bytes.get(..CLAIM_BYTES).unwrap_or(bytes));
        self.look(&seam);
        seam.extend_from_slice(
            bytes
                .get(CLAIM_BYTES..)
                .unwrap_or_default()
                .last_chunk::<CLAIM_BYTES>()
                .map_or(bytes.get(CLAIM_BYTES..).unwrap_or_default(), |last| last.as_slice()),
        );
        let kept = seam.len().saturating_sub(CLAIM_BYTES);
        seam.drain(..kept);
        self.tail = seam;
        if let Some(into) = &mut self.into {
            into.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn zip_error_fault(wrong: ZipError) -> Fault {
    match wrong {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => Fault::new(LOCKED),
        other => Fault::new(format!("{DAMAGED}, or is cut short: {other}")),
    }
}
