//! Tables of many statements: CSV, Parquet, and records line by line.

pub(crate) mod berka;
mod columnar;
mod columns_file;
mod csv;
mod csv_layouts;
mod data_frame;
mod declared_names;
mod parquet_checksums;
mod parquet_parts;
mod parquet_row_groups;
mod parquet_values;

use std::path::Path;

use lendwright::files::{read_statements, write_csv, write_ndjson, write_parquet};
use lendwright::statement::{Columns, read_csv, read_ndjson_table, read_parquet};
use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::*;

fn csv(text: &str) -> Result<Statements, String> {
    read_csv(text.as_bytes(), "table", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())
}

#[test]
fn a_cell_at_fault_is_named_by_row_and_column() {
    let cases = [
        (
            "c,1,2024-03-05,\"1,000.00\",\n",
            "row 1, column `credit` (record `1`): `1,000.00` is not a plain decimal number (amounts are in NGN); if it \
             is an amount, declare thousands = [\",\"] under [amount] of a columns file",
        ),
        (
            "c,1,2024-03-05,5,\nc,2,2024-03-05,1e400,\n",
            "row 2, column `credit` (record `2`): `1e400` is too large for an exact amount (amounts are in NGN)",
        ),
        (
            "c,1,05-03-2024,5,\n",
            "row 1, column `trans_date` (record `1`): `05-03-2024` is not an ISO 8601 date from 1900 to 2200, \
             such as 2026-06-30 or 2026-06-30T00:00:00.000Z; a table in another pattern declares it \
             under [dates] of a columns file",
        ),
        (
            "c,1,2024-03-05,,\n",
            "row 1, column `credit` (record `1`): neither credit nor debit is filled, and null is not 0; \
             leave such records out by `empty_amount` in the policy, or in a table by `skip`",
        ),
        (
            "c,1,2024-03-05,-5,\n",
            "row 1, column `credit` (record `1`): `-5` is negative; declare `negative_amount = \"swap_sides\"` \
             if a negative credit is a debit (its balance is then lower than the one before)",
        ),
        (",1,2024-03-05,5,\n", "row 1, column `customer` (record `1`): the customer is missing"),
        ("c,1,2024-03-05\n", "the table cannot be read: row 1: 3 fields where the header has 5"),
        (
            "c,1,2024-03-05,5,\nc,1,2024-03-05,6,\n",
            "row 1 and row 2 have the same id `1` and differ in `credit`: one of them must be wrong, \
             so neither is taken",
        ),
    ];
    for (rows, wanted) in cases {
        assert_eq!(csv(&format!("customer,id,trans_date,credit,debit\n{rows}")).expect_err(rows), wanted);
    }
}

const TYPED: &str = r#"
[columns]
customer = "account"
trans_date = "day"
amount = "sum"
type = "kind"
seq = "no"
[type]
credit = ["in"]
debit = ["out", "cash"]
[dates]
trans_date = "YYMMDD"
pivot = 70
"#;

#[test]
fn an_amount_beyond_all_bounds_is_refused() {
    let columns = Columns::parse("[columns]\ncustomer = \"who\"\ntrans_date = \"day\"\ncredit = \"sum\"\n");
    let columns = columns.expect("a columns file");
    for sum in [i128::MIN, i128::MAX] {
        let row = format!("{{\"who\": \"a\", \"day\": \"2024-03-05\", \"sum\": {sum}}}\n");
        let wrong = read_ndjson_table(row.as_bytes(), "rows", &lagos(), &columns).expect_err("too large").to_string();
        assert!(wrong.starts_with(&format!("line 1, sum: `{sum}` is ")), "{wrong}");
    }
}

#[test]
fn items_of_lists_that_say_nothing_are_left_out_in_every_format() {
    let header = "customer,trans_date,credit,topics";
    let rows = format!("{header}\nA7,2024-03-05,10,pay|N/A|fee\nA7,2024-03-06,20,n/a| |\nA7,2024-03-07,30,a\n");
    let line = |day: u32, topics: &str| {
        format!(r#"{{"customer":"A7","trans_date":"2024-03-0{day}","credit":{day}0,"topics":{topics}}}"#)
            .replace(&format!(":{day}0"), &format!(":{}", 10 * (day - 4)))
    };
    let lists = [line(5, r#"["pay","N/A","fee"]"#), line(6, r#"["n/a"," ",""]"#), line(7, r#"["a"]"#)].join("\n");
    let texts_of = [line(5, r#""pay|N/A|fee""#), line(6, r#""n/a| |""#), line(7, r#""a""#)].join("\n");
    let columnar = parquet(vec![
        Series::new("customer".into(), ["A7"; 3]),
        Series::new("trans_date".into(), ["2024-03-05", "2024-03-06", "2024-03-07"]),
        Series::new("credit".into(), [10_i64, 20, 30]),
        Series::new("topics".into(), ["pay|N/A|fee", "n/a| |", "a"]),
    ]);
    // Columns of valid days are read column by column.
    let days = Series::new("trans_date".into(), [19_787_i32, 19_788, 19_789]);
    let quick = parquet(vec![
        Series::new("customer".into(), ["A7"; 3]),
        days.cast(&polars::prelude::DataType::Date).expect("days"),
        Series::new("credit".into(), [10_i64, 20, 30]),
        Series::new("topics".into(), ["pay|N/A|fee", "n/a| |", "a"]),
    ]);
    for (case, read) in [
        ("csv", csv(&rows)),
        ("lists", read_body(&lagos(), lists.as_bytes())),
        ("texts", read_body(&lagos(), texts_of.as_bytes())),
        ("parquet", read_parquet(columnar, "t", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())),
        ("columns", read_parquet(quick, "t", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())),
    ] {
        let read = read.expect(case);
        assert_eq!(texts(&read, "topics"), [Some("pay\u{1f}fee".into()), None, Some("a".into())], "{case}");
        assert_eq!(read.heads()[0].quality.placeholder_text, 3, "{case}");
    }
}

pub(crate) fn parquet(columns: Vec<Series>) -> Vec<u8> {
    let height = columns[0].len();
    let mut frame = DataFrame::new(height, columns.into_iter().map(Column::from).collect()).expect("a frame");
    let mut bytes = Vec::new();
    polars::prelude::ParquetWriter::new(&mut bytes)
        .with_compression(polars::prelude::ParquetCompression::Uncompressed)
        .finish(&mut frame)
        .expect("a file");
    bytes
}

fn table(credit: Series) -> Vec<Series> {
    let days = Series::new("trans_date".into(), vec![19_787_i32; credit.len()])
        .cast(&polars::prelude::DataType::Date)
        .expect("days");
    vec![Series::new("customer".into(), vec![7_i64; credit.len()]), days, credit]
}

/// Whatever the column holds.
#[test]
fn a_row_in_another_currency_is_refused() {
    let read = |currency: Series| {
        let mut columns = table(Series::new("credit".into(), vec![10.5; currency.len()]));
        columns.push(currency.with_name("currency".into()));
        read_parquet(parquet(columns), "table", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())
    };
    let other = |code: &str| format!("row 2, column `currency`: the record is in {code}, the statement is read as NGN");
    let name = || "".into();
    assert_eq!(read(Series::new(name(), [566_i64, 840])).expect_err("dollars"), other("USD"));
    assert_eq!(read(Series::new(name(), [566_i32, 36])).expect_err("dollars"), other("AUD"));
    // A column with gaps is often one of floats.
    assert_eq!(read(Series::new(name(), [Some(566.0), Some(840.0), None])).expect_err("dollars"), other("USD"));
    assert_eq!(read(Series::new(name(), ["NGN ", "USD "])).expect_err("dollars"), other("USD"));
    assert_eq!(read(Series::new(name(), ["566", "036"])).expect_err("dollars"), other("AUD"));
    assert!(read(Series::new(name(), [566_i32, 566])).is_ok());
    assert!(read(Series::new(name(), [Some(" ngn"), Some(" "), None])).is_ok());
    for word in ["XAU", "GHC", "BTC", "₦", "naira notes"] {
        let wrong = read(Series::new(name(), ["NGN", word])).expect_err(word);
        assert!(wrong.starts_with("row 2, column `currency`: the currency is neither NGN nor 566"), "{wrong}");
    }
    let day = Series::new(name(), [840_i32]).cast(&polars::prelude::DataType::Date).expect("days");
    assert_eq!(
        read(day).expect_err("a day"),
        "row 1, column `currency`: `1972-04-20` is not a currency: expected a currency code"
    );
    let columns = Columns::parse(&format!("{TYPED}\n").replace("[columns]\n", "[columns]\ncurrency = \"ccy\"\n"));
    let row = r#"{"account": 7, "day": "000102", "sum": 10.5, "kind": "in", "no": 2, "ccy": 840}"#;
    let wrong = read_ndjson_table(row.as_bytes(), "rows", &lagos(), &columns.expect("a columns file"));
    let wrong = wrong.expect_err("dollars").to_string();
    assert!(wrong.ends_with("ccy: the record is in USD, the statement is read as NGN"), "{wrong}");
    let wrong = csv("customer,trans_date,credit,currency\nc,2024-03-05,1,\nc,2024-03-05,1, 840\n");
    assert_eq!(wrong.expect_err("dollars"), other("USD"));
}

/// A sound Parquet file of 300 rows.
pub(crate) fn of_300_rows() -> Vec<u8> {
    parquet(table(Series::new("credit".into(), vec![10.5; 300])))
}

/// The file with 2 to the power of 45 in place of 300: in the number of values of its columns, or of all its rows too.
pub(crate) fn claims_too_much(whole: &[u8], rows_too: bool) -> Vec<u8> {
    let (rest, end) = whole.split_at(whole.len() - 8);
    let length = u32::from_le_bytes(end[..4].try_into().expect("a length")) as usize;
    let (data, footer) = rest.split_at(rest.len() - length);
    // A 64-bit field after the field before it, zigzag in groups of seven bits; after `codec` comes the number of
    // values.
    let (before, rows, many) = ([0x15, 0x00], [0x16, 0xd8, 0x04], [0x16, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]);
    let (mut claims, mut at, mut claimed) = (Vec::new(), 0, 0);
    while at < footer.len() {
        if footer[at..].starts_with(&rows) && (rows_too || footer[..at].ends_with(&before)) {
            claims.extend_from_slice(&many);
            at += rows.len();
            claimed += 1;
        } else {
            claims.push(footer[at]);
            at += 1;
        }
    }
    assert_eq!(claimed, if rows_too { 5 } else { 3 });
    [data, &claims, &(claims.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

#[test]
fn every_format_of_one_table_is_the_same_statement() {
    let folder = tempfile::tempdir().expect("a folder");
    let frame = DataFrame::new(
        3,
        vec![
            Column::from(Series::new("customer".into(), ["c1", "c1", "c2"])),
            Column::from(Series::new("id".into(), ["1", "2", "3"])),
            Column::from(
                Series::new("trans_date".into(), [19_787_i32, 19_788, 19_789])
                    .cast(&polars::prelude::DataType::Date)
                    .expect("days"),
            ),
            Column::from(Series::new("credit".into(), [Some(10.5), None, Some(3.0)])),
            Column::from(Series::new("debit".into(), [None, Some(4_i64), None])),
            Column::from(Series::new("desc".into(), [Some("a, \"b\"\nc"), None, Some("d\u{202e}")])),
        ],
    )
    .expect("a frame");
    let paths = ["table.csv", "table.parquet", "table.ndjson"].map(|name| folder.path().join(name));
    write_csv(&frame, &paths[0]).expect("written");
    write_parquet(&frame, &paths[1]).expect("written");
    write_ndjson(&frame, &paths[2]).expect("written");
    let read = |path: &Path| read_statements(path, &lagos(), None).expect("statements");
    let first = read(&paths[0]);
    for path in &paths[1..] {
        assert!(read(path).frame().equals_missing(first.frame()), "{}", path.display());
    }
    assert_eq!(first.heads()[0].label, paths[0].to_string_lossy());
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 3, "nothing is left beside the files");
}

#[test]
fn the_same_records_are_the_same_statement_nested_flat_and_in_a_table() {
    let nested = envelope(
        r#"{"id":"a","customer":"c1","trans_date":"2026-01-01","credit":5,"ref":"R/1",
            "notes":{"desc":"one","topics":["t","u"],"people":["ANN XU","BOB YO"],"places":["Lagos"],"actions":["pay"],
            "subjects":["s"],"prepositions":["to"]}},
           {"id":"b","customer":"c1","trans_date":"2026-01-02","debit":6,
            "notes":{"desc":"a | b","topics":[],"people":["ANN XU"]}}"#,
    );
    let flat = concat!(
        r#"{"customer":"c1","id":"a","trans_date":"2026-01-01","credit":"5","reference":"R/1","desc":"one","#,
        r#""topics":"t|u","people":"ANN XU|BOB YO","places":"Lagos","actions":"pay","subjects":"|s","#,
        r#""prepositions":"to"}"#,
        "\n",
        r#"{"customer":"c1","id":"b","trans_date":"2026-01-02","debit":"6","desc":"a | b","people":"ANN XU","#,
        r#""places":"","actions":null}"#,
        "\n"
    );
    let lists = flat.replace("\"t|u\"", "[\"t\",\"u\"]").replace("\"ANN XU|BOB YO\"", "[\"ANN XU\",\"BOB YO\"]");
    let escaped = flat.replace("t|u", "t\\u007cu");
    let rows = "customer,id,trans_date,credit,debit,reference,desc,topics,people,places,actions,subjects,prepositions\n\
         c1,a,2026-01-01,5,,R/1,one,t|u,ANN XU|BOB YO,Lagos,pay,|s,to\nc1,b,2026-01-02,,6,,a | b,,ANN XU,,,,\n";
    let wanted = read_body(&lagos(), nested.as_bytes()).expect("a statement");
    let people = [Some("ANN XU\u{1f}BOB YO".to_owned()), Some("ANN XU".to_owned())];
    assert_eq!(texts(&wanted, "people"), people);
    for (case, read) in [
        ("table", csv(rows)),
        ("lines", read_body(&lagos(), flat.as_bytes())),
        ("lists", read_body(&lagos(), lists.as_bytes())),
        ("escaped", read_body(&lagos(), escaped.as_bytes())),
        ("list", read_body(&lagos(), format!("[{}]", flat.trim().replace('\n', ",")).as_bytes())),
    ] {
        let read = read.expect(case);
        assert!(read.frame().equals_missing(wanted.frame()), "{case}: {:?}", read.frame());
        assert_eq!(read.heads()[0].quality.unknown_fields, 0, "{case}");
        assert_eq!(digests(&read), digests(&wanted), "{case}");
    }
}

#[test]
fn what_stands_beside_the_notes_is_counted_and_not_read() {
    let record = record(
        "a",
        r#""credit":10,"people":{"a":1},"places":[1,true],"reference":["x"],"desc":"twice",
            "notes":{"people":["ANN XU"]}"#,
    );
    let one = read(&record).expect("a statement");
    assert_eq!((texts(&one, "people"), texts(&one, "places")), (vec![Some("ANN XU".into())], vec![None]));
    assert_eq!(one.heads()[0].quality.unknown_fields, 4);
    let named = ["nothing is read from `desc`, `people`, `places`, `reference`"];
    assert_eq!(one.heads()[0].quality.warnings, named);
    // In a flat record too, what has no shape that is read is counted; of two references the first name is read.
    let flat = concat!(
        r#"{"customer":"c1","trans_date":"2026-01-01","credit":"5","people":{"a":1},"places":[7,true],"#,
        r#""ref":"R1","reference":"R2"}"#
    );
    let one = read_body(&lagos(), flat.as_bytes()).expect("a statement");
    assert_eq!((texts(&one, "reference"), texts(&one, "places")), (vec![Some("R1".into())], vec![Some("7".into())]));
    assert_eq!(one.heads()[0].quality.unknown_fields, 3);
    assert_eq!(one.heads()[0].quality.warnings, ["nothing is read from `people`, `places`, `reference`"]);
    let twice = r#"{"customer":"c1","trans_date":"2026-01-01","credit":"5","people":"a","people":"b"}"#;
    assert!(read_body(&lagos(), twice.as_bytes()).expect_err("twice").contains("occurs twice"));
}

#[test]
fn a_file_at_fault_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one.json");
    std::fs::write(&path, "[").expect("written");
    let wrong = read_statements(&path, &lagos(), None).expect_err("malformed").to_string();
    assert_eq!(wrong, format!("{}: malformed JSON at byte 1: the text ends inside an array", path.display()));
    for (name, what) in [
        (
            "one.txt",
            "not a statement: a text that does not begin as MT940 does; if it is a table, declare under [file]",
        ),
        ("one.odd", "unknown kind of file; name it .csv, .tsv, .json, .ndjson, .parquet, .xlsx"),
        ("one.xlsb", "a workbook of the kind .xlsb is not read; save it as .xlsx, or each of its sheets as .csv"),
        ("one.csv.gz", "it is packed; unpack it first, or let `lendwright batch` read it as it is"),
        ("one.pdf", "a PDF is for people; ask the bank for CSV, camt.053 or MT940"),
    ] {
        let other = folder.path().join(name);
        std::fs::write(&other, "x").expect("written");
        let wrong = read_statements(&other, &lagos(), None).expect_err("no such kind").to_string();
        assert!(wrong.starts_with(&format!("{}: {what}", other.display())), "{wrong}");
    }
}
