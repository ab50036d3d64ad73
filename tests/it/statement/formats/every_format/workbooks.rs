//! The statement as sheets of workbooks.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::Way;
use super::truth::{CUSTOMER, Record, plain, records, serial};

const COLUMNS: &str = "[columns]\ncustomer = \"acct\"\nid = \"id\"\ntrans_date = \"date\"\ndesc = \"details\"\n\
    debit = \"out\"\ncredit = \"in\"\nbalance = \"bal\"\n";

pub(crate) fn ways() -> Vec<Way> {
    let preamble = format!("{COLUMNS}[file]\nheader = [\"date\", \"bal\"]\nfooter = [\"Total\"]\n");
    vec![
        Way::new("xlsx with real days", "t.xlsx", xlsx(true)).columns(preamble.clone()),
        Way::new("xlsx with serial days", "t.xlsx", xlsx(false))
            .columns(format!("{preamble}[dates]\ntrans_date = \"EXCEL\"\n")),
        Way::new("ods", "t.ods", ods()).columns(preamble),
    ]
}

fn zipped(parts: &[(&str, String)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a part");
        zip.write_all(text.as_bytes()).expect("written");
    }
    zip.finish().expect("a zip").into_inner()
}

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DOCUMENT: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

/// A workbook with a preamble and a footer around the table. Days are numbers, with or without the format of a date.
pub(crate) fn xlsx(is_formatted: bool) -> Vec<u8> {
    let text = |at: &str, text: &str| format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let number = |at: &str, style: u32, number: &str| format!("<c r=\"{at}\" s=\"{style}\"><v>{number}</v></c>");
    let mut rows = vec![format!("<row r=\"1\">{}{}</row>", text("A1", "Account"), text("B1", "0012"))];
    let names = ["acct", "id", "date", "details", "out", "in", "bal"];
    let header: String =
        names.iter().zip("ABCDEFG".chars()).map(|(name, column)| text(&format!("{column}4"), name)).collect();
    rows.push(format!("<row r=\"4\">{header}</row>"));
    let mut last = 4;
    for record in records() {
        last += 1;
        let mut cells = text(&format!("A{last}"), CUSTOMER) + &text(&format!("B{last}"), &record.id);
        cells += &number(&format!("C{last}"), u32::from(is_formatted), &serial(&record).to_string());
        cells += &text(&format!("D{last}"), record.desc);
        if record.debit > 0 {
            cells += &number(&format!("E{last}"), 0, &plain(record.debit));
        }
        if record.credit > 0 {
            cells += &number(&format!("F{last}"), 0, &plain(record.credit));
        }
        cells += &number(&format!("G{last}"), 0, &plain(record.balance));
        rows.push(format!("<row r=\"{last}\">{cells}</row>"));
    }
    last += 1;
    rows.push(format!("<row r=\"{last}\">{}</row>", text(&format!("A{last}"), "Total of the page")));
    let sheet = format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{}</sheetData></worksheet>", rows.concat());
    let kind = "application/vnd.openxmlformats-officedocument.spreadsheetml";
    let types = format!(
        "<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" \
         ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Override PartName=\"/xl/workbook.xml\" ContentType=\"{kind}.sheet.main+xml\"/>\
         <Override PartName=\"/xl/styles.xml\" ContentType=\"{kind}.styles+xml\"/>\
         <Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"{kind}.worksheet+xml\"/></Types>"
    );
    let relation = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{DOCUMENT}/{kind}\" Target=\"{target}\"/>")
    };
    let relations =
        |inside: String| format!("<Relationships xmlns=\"{PACKAGE}/relationships\">{inside}</Relationships>");
    let book = format!(
        "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{DOCUMENT}\"><sheets><sheet name=\"June\" sheetId=\"1\" r:id=\"rId1\"/>\
         </sheets></workbook>"
    );
    let styles = format!(
        "<styleSheet xmlns=\"{MAIN}\"><fonts count=\"1\"><font/></fonts><fills count=\"1\"><fill/></fills>\
         <borders count=\"1\"><border/></borders><cellStyleXfs count=\"1\"><xf/></cellStyleXfs>\
         <cellXfs count=\"2\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\" applyNumberFormat=\"1\"/></cellXfs></styleSheet>"
    );
    let of_book = relation("rId1", "worksheet", "worksheets/sheet1.xml") + &relation("rId2", "styles", "styles.xml");
    zipped(&[
        ("[Content_Types].xml", types),
        ("_rels/.rels", relations(relation("rId1", "officeDocument", "xl/workbook.xml"))),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", relations(of_book)),
        ("xl/styles.xml", styles),
        ("xl/worksheets/sheet1.xml", sheet),
    ])
}

const OASIS: &str = "urn:oasis:names:tc:opendocument:xmlns";

fn ods() -> Vec<u8> {
    let text = |text: &str| {
        format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
    };
    let number = |minor: i64| match minor {
        0 => "<table:table-cell/>".to_owned(),
        minor => format!("<table:table-cell office:value-type=\"float\" office:value=\"{}\"/>", plain(minor)),
    };
    let day = |record: &Record| {
        format!("<table:table-cell office:value-type=\"date\" office:date-value=\"{}\"/>", record.iso())
    };
    let row = |cells: String| format!("<table:table-row>{cells}</table:table-row>");
    let names = ["acct", "id", "date", "details", "out", "in", "bal"];
    let mut rows = vec![row(text("Account")), row(names.iter().map(|name| text(name)).collect())];
    for record in records() {
        let texts = text(CUSTOMER) + &text(&record.id) + &day(&record) + &text(record.desc);
        rows.push(row(texts + &number(record.debit) + &number(record.credit) + &number(record.balance)));
    }
    rows.push(row(text("Total")));
    let content = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document-content xmlns:office=\"{OASIS}:office:1.0\" \
         xmlns:table=\"{OASIS}:table:1.0\" xmlns:text=\"{OASIS}:text:1.0\" office:version=\"1.2\"><office:body>\
         <office:spreadsheet><table:table table:name=\"June\">{}</table:table></office:spreadsheet></office:body>\
         </office:document-content>",
        rows.concat()
    );
    let kind = "application/vnd.oasis.opendocument.spreadsheet";
    let manifest = format!(
        "<manifest:manifest xmlns:manifest=\"{OASIS}:manifest:1.0\"><manifest:file-entry manifest:full-path=\"/\" \
         manifest:media-type=\"{kind}\"/><manifest:file-entry manifest:full-path=\"content.xml\" \
         manifest:media-type=\"text/xml\"/></manifest:manifest>"
    );
    zipped(&[("mimetype", kind.to_owned()), ("META-INF/manifest.xml", manifest), ("content.xml", content)])
}
