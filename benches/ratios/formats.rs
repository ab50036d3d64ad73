//! Files in the formats of banks and spreadsheets: a CSV with quotes and decimal commas beside a plain one, entries of
//! camt.053 per second, and a sheet beside the library that opens it.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{Cursor, Write as _};

use calamine::{Reader, Xlsx};
use lendwright::base::date::Zone;
use lendwright::base::money::Currency;
use lendwright::statement::{
    Columns, LaidRow, Next, RowsRequest, TableBytes, TableFormat, Tables, each_row, read_csv, statements_of,
};
use lendwright_benches::turns::{alternate, quantile};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::{Found, put};

const ROWS: usize = 100_000;

pub fn formats(rounds: usize, found: &mut Found) {
    csv(rounds, found);
    camt(rounds, found);
    sheet(rounds, found);
}

fn reading() -> lendwright::statement::Reading {
    let currency = Currency::from_numeric("566").expect("a currency");
    lendwright::statement::Reading::new(currency, Zone::parse("Africa/Lagos").expect("a zone"))
}

/// The amount of a row in kobo, and the day of June.
fn row(at: usize) -> (u64, usize) {
    ((at as u64).wrapping_mul(2_654_435_761) % 90_000_000 + 1, at * 30 / ROWS + 1)
}

/// Both tables have the same customers, days and amounts.
fn csv(rounds: usize, found: &mut Found) {
    let (mut plain, mut quoted) = ("customer,trans_date,credit,desc\n".to_owned(), "acct;date;in;text\n".to_owned());
    for at in 0..ROWS {
        let (minor, day) = row(at);
        let (whole, kobo, customer) = (minor / 100, minor % 100, at / 1_000);
        writeln!(plain, "C{customer},2026-06-{day:02},{whole}.{kobo:02},TRANSFER FROM A NEIGHBOUR").expect("text");
        let grouped = match whole {
            0..1_000 => whole.to_string(),
            _ => format!("{}.{:03}", whole / 1_000, whole % 1_000),
        };
        writeln!(quoted, "\"C{customer}\";\"{day:02}.06.2026\";\"{grouped},{kobo:02}\";\"TRANSFER FROM A NEIGHBOUR\"")
            .expect("text");
    }
    let columns = Columns::parse(
        "[file]\ndelimiter = \";\"\n[columns]\ncustomer = \"acct\"\ntrans_date = \"date\"\ncredit = \"in\"\n\
         desc = \"text\"\n[amount]\ndecimal = \",\"\nthousands = [\".\"]\n[dates]\ntrans_date = \"DD.MM.YYYY\"\n",
    );
    let (columns, own, reading) = (columns.expect("columns"), Columns::default(), reading());
    let read = |bytes: &str, columns: &Columns| {
        let statements = read_csv(black_box(bytes.as_bytes()), "table", &reading, columns).expect("statements");
        assert_eq!(statements.frame().height(), ROWS);
        drop(black_box(statements));
    };
    let mut quotes = || read(&quoted, &columns);
    let mut commas = || read(&plain, &own);
    let took = alternate(rounds, &mut [&mut quotes, &mut commas]);
    put(found, "formats_csv_quoted_s", quantile(&took[0], 0.5));
    put(found, "formats_csv_plain_s", quantile(&took[1], 0.5));
}

/// Reads a file as every command does: row by row, then statements.
fn read(format: TableFormat, bytes: &[u8], columns: &Columns) -> usize {
    let asked = RowsRequest { label: "file", columns, given: &[], rows: &|_| true, memory: u64::MAX };
    let mut rows: Vec<(String, u32, Vec<u8>)> = Vec::new();
    let mut content = Cursor::new(bytes);
    let table = each_row(format, TableBytes::Seekable(&mut content), &asked, |row| {
        rows.push((row.customer.to_owned(), row.ordinal, row.bytes.to_vec()));
        Next::Row
    });
    let (table, reading) = (table.expect("a table"), reading());
    let tables = Tables { tables: &[table], columns, reading: &reading, name_tables: false };
    let laid = rows.iter().map(|(_, ordinal, bytes)| LaidRow { table: 0, ordinal: *ordinal, bytes });
    statements_of(laid, &tables, |_| "file".to_owned()).expect("statements").frame().height()
}

/// Rows of a file, and no more.
fn rows(format: TableFormat, bytes: &[u8], columns: &Columns) -> usize {
    let asked = RowsRequest { label: "file", columns, given: &[], rows: &|_| true, memory: u64::MAX };
    let (mut count, mut content) = (0, Cursor::new(bytes));
    let take = |_: lendwright::statement::SeenRow<'_>| {
        count += 1;
        Next::Row
    };
    each_row(format, TableBytes::Seekable(&mut content), &asked, take).expect("a table");
    count
}

fn camt(rounds: usize, found: &mut Found) {
    let bytes = camt_file();
    let columns = Columns::default();
    let mut entries = || assert!(black_box(rows(TableFormat::Camt, &bytes, &columns)) >= ROWS);
    let mut whole = || assert_eq!(black_box(read(TableFormat::Camt, &bytes, &columns)), ROWS);
    let took = alternate(rounds, &mut [&mut entries, &mut whole]);
    put(found, "formats_camt_entry_ns", quantile(&took[0], 0.5) * 1e9 / ROWS as f64);
    put(found, "formats_camt_record_ns", quantile(&took[1], 0.5) * 1e9 / ROWS as f64);
}

fn camt_file() -> Vec<u8> {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
        <Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\"><BkToCstmrStmt><Stmt><Id>1</Id><Acct><Id>\
        <Othr><Id>0012345678</Id></Othr></Id><Ccy>NGN</Ccy></Acct>\n"
        .to_owned();
    let total: u64 = (0..ROWS).map(|at| row(at).0).sum();
    for (code, day, minor) in [("OPBD", "2026-06-01", 0), ("CLBD", "2026-06-30", total)] {
        writeln!(
            text,
            "<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy=\"NGN\">{}.{:02}</Amt>\
             <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>{day}</Dt></Dt></Bal>",
            minor / 100,
            minor % 100
        )
        .expect("text");
    }
    for at in 0..ROWS {
        let (minor, day) = row(at);
        writeln!(
            text,
            "<Ntry>\n  <NtryRef>{at}</NtryRef>\n  <Amt Ccy=\"NGN\">{}.{:02}</Amt>\n  <CdtDbtInd>CRDT</CdtDbtInd>\n  \
             <Sts><Cd>BOOK</Cd></Sts>\n  <BookgDt><Dt>2026-06-{day:02}</Dt></BookgDt>\n  \
             <ValDt><Dt>2026-06-{day:02}</Dt></ValDt>\n  <AcctSvcrRef>R{at}</AcctSvcrRef>\n  <NtryDtls><TxDtls>\
             <Refs><EndToEndId>E{at}</EndToEndId></Refs><RltdPties><Dbtr><Pty><Nm>A NEIGHBOUR</Nm></Pty></Dbtr>\
             </RltdPties><RmtInf><Ustrd>TRANSFER FROM A NEIGHBOUR</Ustrd></RmtInf></TxDtls></NtryDtls>\n</Ntry>",
            minor / 100,
            minor % 100
        )
        .expect("text");
    }
    text.push_str("</Stmt></BkToCstmrStmt></Document>\n");
    text.into_bytes()
}

fn sheet(rounds: usize, found: &mut Found) {
    let bytes = sheet_file();
    let columns = Columns::parse("[dates]\ntrans_date = \"EXCEL\"\n").expect("columns");
    let mut ours = || assert_eq!(black_box(rows(TableFormat::Workbook, &bytes, &columns)), ROWS);
    let mut theirs = || {
        let mut book: Xlsx<_> = Xlsx::new(Cursor::new(&bytes)).expect("a workbook");
        let range = book.worksheet_range("June").expect("a sheet");
        assert_eq!(black_box(range).rows().count(), ROWS + 1);
    };
    let took = alternate(rounds, &mut [&mut ours, &mut theirs]);
    put(found, "formats_sheet_s", quantile(&took[0], 0.5));
    put(found, "formats_sheet_library_s", quantile(&took[1], 0.5));
}

fn sheet_file() -> Vec<u8> {
    let text = |at: String, text: &str| format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let names = ["customer", "trans_date", "credit", "desc"];
    let header: String =
        names.iter().zip("ABCD".chars()).map(|(name, column)| text(format!("{column}1"), name)).collect();
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let mut sheet = format!("<worksheet xmlns=\"{main}\"><sheetData><row r=\"1\">{header}</row>");
    for at in 0..ROWS {
        let ((minor, day), line) = (row(at), at + 2);
        write!(
            sheet,
            "<row r=\"{line}\">{}<c r=\"B{line}\"><v>{}</v></c><c r=\"C{line}\"><v>{}.{:02}</v></c>{}</row>",
            text(format!("A{line}"), &format!("C{}", at / 1_000)),
            46_173 + day,
            minor / 100,
            minor % 100,
            text(format!("D{line}"), "TRANSFER FROM A NEIGHBOUR")
        )
        .expect("text");
    }
    sheet.push_str("</sheetData></worksheet>");
    let document = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let book = format!(
        "<workbook xmlns=\"{main}\" xmlns:r=\"{document}\"><sheets><sheet name=\"June\" sheetId=\"1\" \
         r:id=\"r\"/></sheets></workbook>"
    );
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let relation = |kind: &str, target: &str| {
        format!(
            "<Relationships xmlns=\"{package}\"><Relationship Id=\"r\" Type=\"{document}/{kind}\" \
             Target=\"{target}\"/></Relationships>"
        )
    };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let parts = [
        ("_rels/.rels", relation("officeDocument", "xl/workbook.xml")),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")),
        ("xl/worksheets/sheet1.xml", sheet),
    ];
    for (name, text) in parts {
        zip.start_file(name, SimpleFileOptions::default()).expect("a part");
        zip.write_all(text.as_bytes()).expect("written");
    }
    zip.finish().expect("a zip").into_inner()
}
