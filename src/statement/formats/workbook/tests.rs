//! Workbooks of the tests' own making: the same sheet in each format, layouts, and damage.

use std::io::Write;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

/// A cell of a test.
#[derive(Clone, Copy)]
enum Is {
    Text(&'static str),
    Number(f64),
    /// A serial number with the format of a date.
    Serial(f64),
    /// A formula with its stored value.
    Formula(Option<f64>),
    /// The first cell of a formula for two cells.
    Array,
}

use Is::{Array, Formula, Number, Serial, Text};

type Rows = [(u32, &'static [(u32, Is)])];

/// A preamble, a header in row 4, two rows, a comment, a blank row and a footer.
const STATEMENT: &Rows = &[
    (0, &[(0, Text("Account:")), (2, Text("0012"))]),
    (3, &[(1, Text("Value\nDate")), (2, Text("Details")), (3, Text(" Amount "))]),
    (4, &[(1, Serial(46_143.0)), (2, Text("SALARY & MORE")), (3, Number(1_337.25))]),
    (5, &[(1, Text("# a note"))]),
    (8, &[(1, Serial(46_144.5)), (3, Number(-13.37)), (5, Text("aside"))]),
    (9, &[(0, Text("Total")), (3, Number(1_323.88))]),
];

const READ: &str = "row 5: [Empty, Day(20574), Text(\"SALARY & MORE\"), Number(1337.25)]\n\
    row 9: [Empty, Moment(1777723200), Empty, Number(-13.37)]\n\
    row 10: [Text(\"Total\"), Empty, Empty, Number(1323.88)]\n";

fn zipped(parts: &[(&str, String)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a part");
        zip.write_all(text.as_bytes()).expect("written");
    }
    zip.finish().expect("a zip").into_inner()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn xlsx(sheets: &[(&str, &Rows)]) -> Vec<u8> {
    xlsx_of(sheets, "")
}

/// The same, with a property of the workbook and texts in a table of their own.
fn xlsx_of(sheets: &[(&str, &Rows)], properties: &str) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let document = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let mut strings: Vec<&str> = Vec::new();
    let mut parts = Vec::new();
    let (mut list, mut relations) = (String::new(), String::new());
    for (at, (name, rows)) in sheets.iter().enumerate() {
        list += &format!("<sheet name=\"{name}\" sheetId=\"{}\" r:id=\"s{at}\"/>", at + 1);
        relations += &format!("<Relationship Id=\"s{at}\" Type=\"{document}/worksheet\" Target=\"s{at}.xml\"/>");
        let mut text = String::new();
        for (row, cells) in rows.iter() {
            text += &format!("<row r=\"{}\" hidden=\"1\">", row + 1);
            for (column, cell) in cells.iter() {
                let place = format!("{}{}", char::from(b'A' + *column as u8), row + 1);
                text += &match cell {
                    Text(content) => {
                        strings.push(content);
                        format!("<c r=\"{place}\" t=\"s\"><v>{}</v></c>", strings.len() - 1)
                    }
                    Number(number) => format!("<c r=\"{place}\" s=\"0\"><v>{number}</v></c>"),
                    Serial(number) => format!("<c r=\"{place}\" s=\"1\"><v>{number}</v></c>"),
                    Array => {
                        let cells = format!("{place}:{}{}", char::from(b'A' + *column as u8), row + 2);
                        format!("<c r=\"{place}\"><f t=\"array\" ref=\"{cells}\">A1*2</f><v>0</v></c>")
                    }
                    Formula(None) => format!("<c r=\"{place}\"><f>1+2</f><v/></c>"),
                    Formula(Some(number)) => format!("<c r=\"{place}\"><f>1+2</f><v>{number}</v></c>"),
                };
            }
            text += "</row>";
        }
        parts.push((
            format!("xl/s{at}.xml"),
            format!("<worksheet xmlns=\"{main}\"><sheetData>{text}</sheetData></worksheet>"),
        ));
    }
    for (id, kind) in [("styles", "styles"), ("strings", "sharedStrings")] {
        relations += &format!("<Relationship Id=\"{id}\" Type=\"{document}/{kind}\" Target=\"{kind}.xml\"/>");
    }
    let count = strings.len();
    let strings: String = strings.iter().map(|text| format!("<si><t>{}</t></si>", escaped(text))).collect();
    let book =
        format!("<workbook xmlns=\"{main}\" xmlns:r=\"{document}\">{properties}<sheets>{list}</sheets></workbook>");
    let mut whole = vec![
        ("[Content_Types].xml", "<Types/>".to_owned()),
        (
            "_rels/.rels",
            format!(
                "<Relationships><Relationship Id=\"b\" Type=\"{document}/officeDocument\" \
                 Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", format!("<Relationships>{relations}</Relationships>")),
        (
            "xl/styles.xml",
            format!(
                "<styleSheet xmlns=\"{main}\"><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"
            ),
        ),
        ("xl/sharedStrings.xml", format!("<sst xmlns=\"{main}\" uniqueCount=\"{count}\">{strings}</sst>")),
    ];
    whole.extend(parts.iter().map(|(name, text)| (name.as_str(), text.clone())));
    zipped(&whole)
}

/// An OpenDocument workbook of these rows in XML.
fn ods_of(sheets: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\"><office:body>\
         <office:spreadsheet>{sheets}</office:spreadsheet></office:body></office:document-content>"
    );
    let mime = "application/vnd.oasis.opendocument.spreadsheet".to_owned();
    zipped(&[("mimetype", mime), ("META-INF/manifest.xml", "<m/>".to_owned()), ("content.xml", content)])
}

fn ods(name: &str, rows: &Rows) -> Vec<u8> {
    let mut text = String::new();
    let mut next = 0;
    for (row, cells) in rows {
        if *row > next {
            text += &format!(
                "<table:table-row table:number-rows-repeated=\"{}\"><table:table-cell/></table:table-row>",
                row - next
            );
        }
        next = row + 1;
        text += "<table:table-row>";
        let mut after = 0;
        for (column, cell) in *cells {
            if *column > after {
                text += &format!("<table:table-cell table:number-columns-repeated=\"{}\"/>", column - after);
            }
            after = column + 1;
            text += &match cell {
                Text(content) => {
                    let paragraphs: String =
                        content.split('\n').map(|line| format!("<text:p>{}</text:p>", escaped(line))).collect();
                    format!("<table:table-cell office:value-type=\"string\">{paragraphs}</table:table-cell>")
                }
                Number(number) => format!("<table:table-cell office:value-type=\"float\" office:value=\"{number}\"/>"),
                Array => String::new(),
                Formula(value) => {
                    let value = value.map(|number| format!("office:value-type=\"float\" office:value=\"{number}\""));
                    format!("<table:table-cell table:formula=\"of:=1+2\" {}/>", value.unwrap_or_default())
                }
                Serial(number) => format!(
                    "<table:table-cell office:value-type=\"date\" office:date-value=\"2026-05-{:02}{}\"/>",
                    number.floor() - 46_142.0,
                    if number.fract() > 0.0 { "T12:00:00" } else { "" }
                ),
            };
        }
        text += "</table:table-row>";
    }
    text += "<table:table-row table:number-rows-repeated=\"1048000\">\
        <table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row>";
    ods_of(&format!("<table:table table:name=\"{name}\">{text}</table:table>"))
}

fn record(kind: u16, content: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(content.len() as u16).to_le_bytes(), content].concat()
}

/// A workbook of Excel 97 with one sheet.
fn xls(name: &str, rows: &Rows) -> Vec<u8> {
    xls_of(name, rows, &[])
}

/// One with further records at the end of its sheet.
fn xls_of(name: &str, rows: &Rows, own: &[u8]) -> Vec<u8> {
    let begin = |kind: u16| record(0x0809, &[&0x0600_u16.to_le_bytes()[..], &kind.to_le_bytes(), &[0; 12]].concat());
    let format = |number: u16| record(0x00e0, &[&[0, 0][..], &number.to_le_bytes(), &[0; 16]].concat());
    let sheet_record =
        |at: u32| record(0x0085, &[&at.to_le_bytes()[..], &[0, 0, name.len() as u8, 0], name.as_bytes()].concat());
    let globals = |at: u32| [begin(5), format(0), format(14), sheet_record(at), record(0x000a, &[])].concat();
    let mut stream = globals(globals(0).len() as u32);
    stream.extend(begin(0x10));
    for (row, cells) in rows {
        for (column, cell) in *cells {
            let place = |style: u16| [*row as u16, *column as u16, style].map(u16::to_le_bytes).concat();
            stream.extend(match cell {
                Text(text) => {
                    let length = (text.len() as u16).to_le_bytes();
                    record(0x0204, &[&place(0)[..], &length, &[0], text.as_bytes()].concat())
                }
                Number(number) => record(0x0203, &[&place(0)[..], &number.to_le_bytes()].concat()),
                Serial(number) => record(0x0203, &[&place(1)[..], &number.to_le_bytes()].concat()),
                Formula(value) => {
                    let value = value.map_or([3, 0, 0, 0, 0, 0, 0xff, 0xff], f64::to_le_bytes);
                    record(0x0006, &[&place(0)[..], &value, &[0; 6], &[3, 0, 0x1e, 1, 0]].concat())
                }
                Array => Vec::new(),
            });
        }
    }
    stream.extend(own);
    stream.extend(record(0x000a, &[]));
    compound("Workbook", stream)
}

/// A compound file with one stream: the table of chains, the directory, the stream.
fn compound(name: &str, mut stream: Vec<u8>) -> Vec<u8> {
    stream.resize(stream.len().next_multiple_of(512).max(4_096), 0);
    let sectors = stream.len() / 512;
    let mut header = vec![0; 512];
    header[..8].copy_from_slice(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    for (at, number) in [(24, 0x3e), (26, 3), (28, 0xfffe), (30, 9), (32, 6), (44, 1), (48, 1), (56, 4_096)] {
        header[at..at + 2].copy_from_slice(&(number as u16).to_le_bytes());
    }
    for at in [60, 68] {
        header[at..at + 4].copy_from_slice(&END.to_le_bytes());
    }
    header[76..].fill(0xff);
    header[76..80].copy_from_slice(&0_u32.to_le_bytes());
    const END: u32 = 0xffff_fffe;
    let mut chains = vec![0xffff_fffd_u32, END];
    chains.extend((0..sectors as u32).map(|at| if at + 1 == sectors as u32 { END } else { at + 3 }));
    chains.resize(128, u32::MAX);
    let entry = |name: &str, kind: u8, start: u32, length: u32| {
        let mut entry = vec![0; 128];
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        entry[..units.len()].copy_from_slice(&units);
        (entry[64], entry[66]) = (units.len() as u8 + 2, kind);
        entry[116..120].copy_from_slice(&start.to_le_bytes());
        entry[120..124].copy_from_slice(&length.to_le_bytes());
        entry
    };
    let mut directory = [entry("Root Entry", 5, END, 0), entry(name, 2, 2, stream.len() as u32)].concat();
    directory.resize(512, 0);
    [header, chains.into_iter().flat_map(u32::to_le_bytes).collect(), directory, stream].concat()
}

fn layout(text: &str) -> Layout {
    toml::from_str(text).expect("a layout")
}

/// The rows as a text, or the fault.
fn read(bytes: &[u8], text: &str) -> Result<String, Fault> {
    let mut rows = String::new();
    let layout = layout(text);
    open_workbook_sheet(bytes, &layout)?.read(&mut |row, values| {
        rows += &format!("row {}: {values:?}\n", row + 1);
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

fn each_format() -> [(&'static str, Vec<u8>); 3] {
    [("xlsx", xlsx(&[("May", STATEMENT)])), ("ods", ods("May", STATEMENT)), ("xls", xls("May", STATEMENT))]
}

const NAMED: &str = "header = [\"Value Date\", \"Amount\"]\ncomment = \"#\"";

#[test]
fn the_same_sheet_in_each_format() {
    for (format, bytes) in each_format() {
        assert_eq!(read(&bytes, NAMED).as_deref(), Ok(READ), "{format}");
        assert_eq!(read(&bytes, "skip_lines = 1\ncomment = \"#\"").as_deref(), Ok(READ), "{format}");
        assert_eq!(read(&bytes, "skip_lines = 3\ncomment = \"#\"\nsheet = \"May\"").as_deref(), Ok(READ), "{format}");
        let layout = layout(NAMED);
        let mut reader = open_workbook_sheet(&bytes, &layout).expect(format);
        assert_eq!(reader.names(), ["", "Value Date", "Details", "Amount"], "{format}");
        assert_eq!(reader.cells_after("Account:"), ["0012"], "{format}");
        assert_eq!(reader.cells_after("IBAN"), [""; 0], "{format}");
        let mut rows = 0;
        let stopped = reader.read(&mut |_, _| {
            rows += 1;
            ControlFlow::Break(())
        });
        assert_eq!((stopped, rows), (Ok(()), 1), "{format}");
        let undeclared = super::Layout::DEFAULT;
        let mut reader = open_workbook_sheet(&bytes, &undeclared).expect(format);
        assert_eq!(reader.row_with(&["Details", "Amount", "Other"]), Some(3), "{format}");
        assert_eq!(reader.row_with(&["Other"]), None, "{format}");
    }
}

#[test]
fn days_follow_the_workbooks_epoch() {
    let rows: &Rows = &[(0, &[(0, Text("day"))]), (1, &[(0, Serial(44_711.0))])];
    let bytes = xlsx_of(&[("May", rows)], "<workbookPr date1904=\"1\"/>");
    assert_eq!(read(&bytes, "").as_deref(), Ok("row 2: [Day(20604)]\n"));
}

#[test]
fn a_formula_counts_by_its_value_if_a_program_calculated_it() {
    let rows: &Rows = &[
        (0, &[(0, Text("a")), (1, Text("b"))]),
        (1, &[(0, Formula(Some(3.0))), (1, Number(0.0))]),
        (2, &[(0, Formula(None)), (1, Number(5.0))]),
        (3, &[(0, Formula(None))]),
    ];
    let wanted = "row 2: [Number(3.0), Number(0.0)]\nrow 3: [Uncalculated, Number(5.0)]\n\
        row 4: [Uncalculated, Empty]\n";
    assert_eq!(read(&xlsx(&[("May", rows)]), "").as_deref(), Ok(wanted));
    assert_eq!(read(&ods("May", rows), "").as_deref(), Ok(wanted));
    let blank: &Rows = &[rows[0], (1, &[(0, Formula(None)), (1, Number(0.0))]), rows[2], rows[3]];
    assert_eq!(read(&xls("May", blank), ""), Ok(wanted.replacen("Number(3.0)", "Uncalculated", 1)));
    // A program that calculates writes an empty text as no value.
    let calculated = wanted.replace("row 4: [Uncalculated, Empty]\n", "").replace("Uncalculated", "Empty");
    assert_eq!(read(&xls("May", rows), ""), Ok(calculated));
    let said = read(&xls_of("May", rows, &record(0x005e, &[0, 0])), "");
    assert_eq!(said, Ok(wanted.replacen("Number(3.0)", "Uncalculated", 1)));
    // The stored value is not to be used. Cells without a formula are as they are.
    for property in ["<calcPr calcId=\"1\" fullCalcOnLoad=\"1\"/>", "<x:calcPr xmlns:x=\"m\" fullCalcOnLoad='true'/>"] {
        let bytes = xlsx_of(&[("May", rows)], property);
        let wanted = wanted.replacen("Number(3.0)", "Uncalculated", 1);
        assert_eq!(read(&bytes, ""), Ok(wanted), "{property}");
    }
    // Of a formula for several cells, only the first one says so.
    let array: &Rows = &[(0, &[(0, Text("a"))]), (1, &[(0, Array)]), (2, &[(0, Number(0.0))])];
    let wrong = read(&xlsx_of(&[("May", array)], "<calcPr fullCalcOnLoad=\"1\"/>"), "").expect_err("a fault");
    assert!(wrong.place.is_some_and(|place| place.ends_with("cells A2:A3")), "{}", wrong.what);
    assert!(read(&xlsx(&[("May", array)]), "").is_ok());
    let bytes = xlsx_of(&[("May", rows)], "<calcPr calcId=\"1\" fullCalcOnLoad=\"0\"/>");
    assert_eq!(read(&bytes, "").as_deref(), Ok(wanted));
    // A formula that gives an empty text says so.
    let cell = "<table:table-cell table:formula=\"of:=&quot;&quot;\" office:value-type=\"string\"/>";
    let header = "<table:table-row><table:table-cell office:value-type=\"string\"><text:p>a</text:p>\
        </table:table-cell></table:table-row>";
    let sheet =
        format!("<table:table table:name=\"a\">{header}<table:table-row>{cell}</table:table-row></table:table>");
    assert_eq!(read(&ods_of(&sheet), "").as_deref(), Ok(""));
    let error = "<table:table-cell table:formula=\"of:=a\" office:value-type=\"string\" office:string-value=\"\" \
        calcext:value-type=\"error\"><text:p>#NAME?</text:p></table:table-cell>";
    let sheet =
        format!("<table:table table:name=\"a\">{header}<table:table-row>{error}</table:table-row></table:table>");
    assert_eq!(read(&ods_of(&sheet), "").as_deref(), Ok("row 2: [Text(\"#NAME?\")]\n"));
    let styled = styled::read_styled_sheet(&xlsx(&[("May", rows)]), "May").expect("a sheet");
    let errors = styled.cells.iter().filter(|(.., cell)| matches!(cell, styled::Styled::Error(_)));
    assert_eq!(errors.map(|(row, column, _)| (*row, *column)).collect::<Vec<_>>(), [(2, 0), (3, 0)]);
}

#[test]
fn a_moment_before_midnight_stays_within_its_day() {
    let rows: &Rows = &[(0, &[(0, Text("day"))]), (1, &[(0, Serial(46_112.999_995_4))]), (2, &[(0, Serial(46_113.0))])];
    assert_eq!(read(&xlsx(&[("May", rows)]), "").as_deref(), Ok("row 2: [Moment(1775001599)]\nrow 3: [Day(20544)]\n"));
}

#[test]
fn the_sheet_is_declared_or_the_only_one_with_cells() {
    let (one, empty): (&Rows, &Rows) = (&[(0, &[(0, Text("a"))]), (1, &[(0, Number(1.0))])], &[]);
    let bytes = xlsx(&[("Empty", empty), ("May", one)]);
    assert_eq!(read(&bytes, "").as_deref(), Ok("row 2: [Number(1.0)]\n"));
    let bytes = xlsx(&[("April", one), ("Empty", empty), ("May", one)]);
    assert_eq!(read(&bytes, "sheet = \"May\"").as_deref(), Ok("row 2: [Number(1.0)]\n"));
    for (bytes, layout, says) in [
        (
            bytes.clone(),
            "",
            "2 sheets with cells; say in a columns file which one to read: [file] sheet = one of \"April\", \"May\"",
        ),
        (
            bytes.clone(),
            "sheet = \"June\"",
            "no sheet \"June\", which [file] declares; it has \"April\", \"Empty\", \"May\"",
        ),
        (bytes.clone(), "sheet = \"Empty\"", "it has no header"),
        (xlsx(&[("Empty", empty)]), "", "the workbook has no cells"),
        (bytes, "sheet = \"May\"\nheader = [\"a\", \"b\"]", "row 1 has all but `b`"),
    ] {
        let wrong = read(&bytes, layout).expect_err(says);
        assert!(wrong.what.contains(says), "{wrong:?}");
    }
}

#[test]
fn what_is_no_workbook_is_explained() {
    let part = |name: &str, text: &str| zipped(&[(name, text.to_owned())]);
    let locked = "<m:encryption-data/>".to_owned();
    let far: &Rows = &[(0, &[(0, Text("a"))]), (60_000, &[(20, Number(1.0))])];
    let beyond: &Rows = &[(0, &[(0, Text("a"))]), (1, &[(300, Number(1.0))])];
    for (bytes, says) in [
        (b"<html><table>".to_vec(), "the file is no workbook"),
        (Vec::new(), "the file is no workbook"),
        (part("readme.txt", "x"), "a zip without a sheet"),
        (part("xl/workbook.bin", "x"), "XLSB are not read"),
        (zipped(&[("META-INF/manifest.xml", locked), ("content.xml", String::new())]), "encrypted"),
        (compound("EncryptedPackage", Vec::new()), "encrypted"),
        (compound("WordDocument", Vec::new()), "no workbook in it"),
        (part("content.xml", "<office:text/>"), "no sheets"),
        (
            zipped(&[
                ("[Content_Types].xml", String::new()),
                ("xl/x.xml", "<sst uniqueCount = '99999999999'/>".into()),
            ]),
            "damaged",
        ),
        (
            ods_of("<table:table table:name=\"a\"><table:table-row table:number-rows-repeated=\"x\"/></table:table>"),
            "is no count",
        ),
        (
            ods_of(
                "<table:table table:name=\"a\"><table:table-row table:number-rows-repeated=\"1000000\">\
                 <table:table-cell office:value-type=\"float\" office:value=\"1\" \
                 table:number-columns-repeated=\"20000\"/></table:table-row></table:table>",
            ),
            "more cells than any sheet",
        ),
        (xls("a", beyond), "damaged"),
        (xls("a", far), ""),
    ] {
        if says.is_empty() {
            assert!(read(&bytes, "").is_ok());
            continue;
        }
        let wrong = read(&bytes, "").expect_err(says);
        assert!(wrong.what.contains(says), "{wrong:?}");
    }
}

#[test]
fn texts_of_documents_are_whole() {
    let cell = |inside: &str| {
        let header = "<table:table-row><table:table-cell office:value-type=\"string\"><text:p>a</text:p>\
            </table:table-cell></table:table-row>";
        let sheet = format!(
            "<table:table table:name=\"a\">{header}<table:table-row><table:table-cell office:value-type=\"string\">\
             {inside}</table:table-cell></table:table-row></table:table>"
        );
        read(&ods_of(&sheet), "")
    };
    for (inside, wanted) in [
        ("<text:p>a &amp; b &#233;</text:p>", "a & b é"),
        ("<text:p>a<text:s text:c=\"2\"/>b<text:tab/>c</text:p>", "a  b\\tc"),
        ("<text:p>a <text:span>b</text:span></text:p><text:p/><text:p>c</text:p>", "a b\\n\\nc"),
        ("<office:annotation><text:p>note</text:p></office:annotation><text:p>a</text:p>", "a"),
    ] {
        assert_eq!(cell(inside), Ok(format!("row 2: [Text(\"{wanted}\")]\n")), "{inside}");
    }
    assert!(cell("<text:p>&unknown;</text:p>").is_err());
}

#[test]
fn damage_is_an_error_or_changes_nothing_that_is_read() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut refused = 0;
    for (format, bytes) in each_format() {
        for _ in 0..2_000 {
            let mut damaged = bytes.clone();
            let how = draw(4);
            match how {
                0 => damaged.truncate(draw(bytes.len())),
                1 => drop(damaged.drain(draw(bytes.len())..).take(1 + draw(8)).count()),
                _ => (0..=draw(3)).for_each(|_| damaged[draw(bytes.len())] ^= 1 << draw(8)),
            }
            match read(&damaged, NAMED) {
                Err(_) => refused += 1,
                // A zip has checksums; the old format has none, but a part of it is refused.
                Ok(read) => assert!(read == READ || format == "xls" && how > 0, "{format}: {read}"),
            }
        }
    }
    assert!(refused > 2_000, "{refused}");
}
