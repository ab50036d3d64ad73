//! What a columns file declares beside names holds in every format, and for rows that are read one by one: notations of
//! amounts, fees, dates, cells that mean nothing, and rows that are no records.

use lendwright::statement::{Columns, TableFormat, read_csv, read_frame, read_ndjson_table, read_parquet};
use polars::prelude::{Column, DataFrame, ParquetWriter};
use serde_json::{Map, Value};

use super::conformance::by_row;
use crate::statement::*;

type Read = Result<Statements, String>;

/// Reads a table of texts as CSV, lines, Parquet and frame, whole and row by row. Empty cells are null.
fn read_everywhere(columns: &str, header: &[&str], rows: &[&[&str]]) -> Vec<(&'static str, Read)> {
    let columns = Columns::parse(columns).expect(columns);
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(header).expect("memory");
    rows.iter().for_each(|row| csv.write_record(*row).expect("memory"));
    let csv = csv.into_inner().expect("memory");
    let filled = |cell: &str| Some(cell.to_owned()).filter(|cell| !cell.is_empty());
    let object = |row: &&[&str]| -> Map<String, Value> {
        header.iter().zip(*row).map(|(name, cell)| ((*name).to_owned(), Value::from(filled(cell)))).collect()
    };
    let lines: String = rows.iter().map(|row| Value::from(object(row)).to_string() + "\n").collect();
    let column = |(at, name): (usize, &&str)| {
        Column::new((*name).into(), rows.iter().map(|row| filled(row[at])).collect::<Vec<_>>())
    };
    let mut frame = DataFrame::new(rows.len(), header.iter().enumerate().map(column).collect()).expect("a frame");
    let mut parquet = Vec::new();
    ParquetWriter::new(&mut parquet).finish(&mut frame).expect("memory");
    let reading = lagos();
    let by_row = |format, bytes: &[u8]| by_row(format, bytes, &reading, &columns);
    let read = [
        ("CSV", read_csv(&csv, "t", &reading, &columns)),
        ("CSV by row", by_row(TableFormat::Csv, &csv)),
        ("lines", read_ndjson_table(lines.as_bytes(), "t", &reading, &columns)),
        ("lines by row", by_row(TableFormat::Lines, lines.as_bytes())),
        ("Parquet", read_parquet(parquet.clone(), "t", &reading, &columns)),
        ("Parquet by row", by_row(TableFormat::Parquet, &parquet)),
        ("frame", read_frame(&frame, "t", &reading, &columns)),
    ];
    read.into_iter().map(|(way, read)| (way, read.map_err(|wrong| wrong.to_string()))).collect()
}

const SIGNED: &str = "[columns]\ncustomer = \"acct\"\ntrans_date = \"date\"\namount = \"amount\"\n";
const SIDES: &str = "[columns]\ncustomer = \"acct\"\ntrans_date = \"date\"\ncredit = \"in\"\ndebit = \"out\"\n";

/// Credits and debits of a table with the columns `acct`, `date` and `amount`, or why nothing was read, by the way of
/// reading.
type Outcomes = Vec<(&'static str, Result<[Vec<Option<i64>>; 2], String>)>;

fn amounts(declared: &str, amounts: &[&str]) -> Outcomes {
    let days = ["2026-03-02", "2026-03-03", "2026-03-04"];
    let rows: Vec<[&str; 3]> = days.iter().zip(amounts).map(|(day, amount)| ["K1", day, amount]).collect();
    let rows: Vec<&[&str]> = rows.iter().map(|row| row.as_slice()).collect();
    let read = read_everywhere(&format!("{SIGNED}{declared}"), &["acct", "date", "amount"], &rows);
    let sides = |read: Statements| ["credit", "debit"].map(|side| numbers(&read, side));
    read.into_iter().map(|(way, read)| (way, read.map(sides))).collect()
}

#[test]
fn amounts_are_read_as_declared_in_every_format() {
    let minus = "[amount]\npositive = \"credit\"\n";
    for (declared, text, minor) in [
        ("", "+337.00", 33_700),
        ("", "\u{a0}337.00 ", 33_700),
        ("", "\u{2212}13.37", -1_337),
        ("thousands = [\",\"]", "1,337.00", 133_700),
        ("thousands = [\"space\"]", "1\u{a0}337.00", 133_700),
        ("thousands = [\"space\"]\ndecimal = \",\"", "1\u{202f}337,5", 133_750),
        ("thousands = [\".\", \"'\"]\ndecimal = \",\"", "-1.337.000,50", -133_700_050),
        ("thousands = [\",\"]\ngrouping = \"lakh\"", "1,33,700.00", 13_370_000),
        ("minus = [\"parentheses\"]", "(13.37)", -1_337),
        ("minus = [\"trailing\"]", "13.37-", -1_337),
        ("marks = [\"NGN\", \"₦\"]", "-₦13.37", -1_337),
        ("decimal = \".\"", "1.500", 150),
        ("decimal = \",\"\nthousands = [\".\"]", "1.500", 150_000),
        // No thousands are grouped so.
        ("", "1500.000", 150_000),
        ("", "0.500", 50),
    ] {
        for (way, read) in amounts(&format!("{minus}{declared}\n"), &[text]) {
            let wanted = if minor < 0 { [vec![None], vec![Some(-minor)]] } else { [vec![Some(minor)], vec![None]] };
            assert_eq!(read, Ok(wanted), "{way}: {text}");
        }
    }
    for (declared, text, advice) in [
        ("", "1,337.00", "declare thousands = [\",\"] under [amount] of a columns file"),
        ("", "(13.37)", "declare minus = [\"parentheses\"] under"),
        ("", "13.37 DR", "declare credit_suffix = [\"CR\"] and debit_suffix = [\"DR\"] under"),
        ("", "-", "declare empty = [\"-\"] in a columns file"),
        ("thousands = [\",\"]", "1,33,700.00", "declare grouping = \"lakh\" under"),
        ("thousands = [\",\"]", "1,33.700", "(amounts are in NGN)"),
        ("decimal = \",\"", "13.37", "declare"),
    ] {
        for (way, read) in amounts(&format!("{minus}{declared}\n"), &[text]) {
            let wrong = read.expect_err(text);
            let what = format!("`{text}` is not a plain decimal number");
            assert!(wrong.contains("amount") && wrong.contains(&what) && wrong.contains(advice), "{way}: {wrong}");
        }
    }
}

#[test]
fn a_point_before_three_digits_is_declared_and_never_guessed() {
    for (declared, text) in
        [("", "1.500"), ("", "-250.000"), ("marks = [\"NGN\"]", "NGN 2.000"), ("minus = [\"trailing\"]", "12.340-")]
    {
        for (way, read) in amounts(&format!("[amount]\npositive = \"credit\"\n{declared}\n"), &[text]) {
            let wrong = read.expect_err(text);
            let what =
                format!("`{text}` may have a point before thousands or before decimals; declare decimal = \".\"");
            assert!(wrong.contains(&what), "{way}: {wrong}");
        }
    }
}

#[test]
fn a_suffix_says_the_side_and_must_not_contradict() {
    let suffixes = "credit_suffix = [\"CR\"]\ndebit_suffix = [\"DR\"]\n";
    let sides = Ok([vec![Some(33_700), None, Some(0)], vec![None, Some(1_337), None]]);
    for declared in ["", "positive = \"credit\"\n", "positive = \"debit\"\n"] {
        for (way, read) in amounts(&format!("[amount]\n{suffixes}{declared}"), &["337.00 CR", "13.37DR", "0.00"]) {
            assert_eq!(read, sides, "{way}: {declared}");
        }
    }
    let rest = "[amount]\ncredit_suffix = [\"\"]\ndebit_suffix = [\"DR\"]\n";
    for (way, read) in amounts(rest, &["337.00", "13.37 DR", "0.00"]) {
        assert_eq!(read, sides, "{way}");
    }
    for (declared, amount, what) in [
        ("", "5.00", "`5.00` has none of the suffixes"),
        ("positive = \"credit\"\n", "-5.00 CR", "`-5.00 CR` has the suffix of the other side"),
        ("", "-5.00 DR", "declare `negative_amount`"),
    ] {
        for (way, read) in amounts(&format!("[amount]\n{suffixes}{declared}"), &[amount]) {
            let wrong = read.expect_err(amount);
            assert!(wrong.contains(what), "{way}: {wrong}");
        }
    }
    let columns = format!("{SIDES}balance = \"bal\"\n[amount]\n{suffixes}");
    let header = ["acct", "date", "in", "out", "bal"];
    for (way, read) in read_everywhere(
        &columns,
        &header,
        &[&["K1", "2026-03-02", "5.00 CR", "", "4.00 DR"], &["K1", "2026-03-03", "", "1.00", "5.00 DR"]],
    ) {
        assert_eq!(numbers(&read.expect(way), "balance"), [Some(-400), Some(-500)], "{way}");
    }
    for (row, what) in [
        (["K1", "2026-03-02", "5.00 DR", "", ""], "`5.00 DR` has the suffix of a debit"),
        (["K1", "2026-03-02", "", "5.00 CR", ""], "`5.00 CR` has the suffix of a credit"),
        (["K1", "2026-03-02", "5.00", "", "-4.00 DR"], "`-4.00 DR` has a minus and a suffix"),
    ] {
        for (way, read) in read_everywhere(&columns, &header, &[&row]) {
            let wrong = read.expect_err(way);
            assert!(wrong.contains(what), "{way}: {wrong}");
        }
    }
}

#[test]
fn a_fee_is_a_debit_beside_the_amount() {
    let header = ["acct", "date", "amount", "fee"];
    let columns = format!("{SIGNED}fee = \"fee\"\n[amount]\npositive = \"credit\"\n");
    for (way, read) in read_everywhere(
        &columns,
        &header,
        &[
            &["K1", "2026-03-02", "1000.00", "0.00"],
            &["K1", "2026-03-03", "-100.00", "5.00"],
            &["K1", "2026-03-04", "400.00", "1.50"],
            &["K1", "2026-03-05", "0.00", "2.00"],
            &["K1", "2026-03-06", "", "3.00"],
            &["K1", "2026-03-07", "7.00", ""],
        ],
    ) {
        let read = read.expect(way);
        let credits = [Some(100_000), None, Some(40_000), Some(0), None, Some(700)];
        assert_eq!(numbers(&read, "credit"), credits, "{way}");
        assert_eq!(numbers(&read, "debit"), [None, Some(10_500), Some(150), Some(200), Some(300), None], "{way}");
        assert_eq!((read.heads()[0].quality.both_amounts, read.heads()[0].quality.zero_amounts), (1, 0), "{way}");
    }
    let negative = format!("{columns}fee = \"negative\"\n");
    let row = |fee| vec![vec!["K1", "2026-03-02", "-100.00", fee]];
    for (columns, fee, wanted) in [
        (&columns, "-5.00", Err("`-5.00` is negative; declare [amount] fee = \"negative\"")),
        (&negative, "5.00", Err("`5.00` has no minus, but [amount] fee is \"negative\"")),
        (&negative, "-5.00", Ok(10_500)),
        (&columns, "five", Err("`five` is not a plain decimal number")),
        (&columns, "92233720368547758.00", Err("are together too large")),
    ] {
        let rows = row(fee);
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        for (way, read) in read_everywhere(columns, &header, &rows) {
            match wanted {
                Ok(debit) => assert_eq!(numbers(&read.expect(way), "debit"), [Some(debit)], "{way}"),
                Err(what) => {
                    let wrong = read.expect_err(way);
                    assert!(wrong.contains("fee") && wrong.contains(what), "{way}: {wrong}");
                }
            }
        }
    }
}

#[test]
fn a_mark_for_nothing_is_nothing_in_every_column() {
    let columns = format!(
        "empty = [\"-\", \"NULL\"]\n{SIDES}id = \"id\"\ncleared_date = \"cleared\"\nbalance = \"bal\"\n\
         desc = [\"what\", \"more\"]\ntopics = \"topics\"\n[dates]\ncleared_date = \"DD/MM/YYYY\"\n"
    );
    let header = ["acct", "date", "in", "out", "id", "cleared", "bal", "what", "more", "topics"];
    for (way, read) in read_everywhere(
        &columns,
        &header,
        &[
            &["K1", "2026-03-02", "-", "5.00", "-", "-", "NULL", "-", "SHOP", "-"],
            &["K1", "2026-03-03", "6.00", " - ", "7", "04/03/2026", "1.00", "A", "NULL", "x|y"],
        ],
    ) {
        let read = read.expect(way);
        assert_eq!(numbers(&read, "credit"), [None, Some(600)], "{way}");
        assert_eq!(numbers(&read, "debit"), [Some(500), None], "{way}");
        assert_eq!(numbers(&read, "balance"), [None, Some(100)], "{way}");
        assert_eq!(texts(&read, "id"), [None, Some("7".into())], "{way}");
        assert_eq!(days(&read, "cleared_date"), [None, Some("2026-03-04".into())], "{way}");
        assert_eq!(texts(&read, "desc"), [Some("SHOP".into()), Some("A".into())], "{way}");
        assert_eq!(read.heads()[0].quality.placeholder_text, 0, "{way}");
    }
}

#[test]
fn dates_are_read_as_declared_in_every_format() {
    let header = ["acct", "date", "amount"];
    for (declared, dates, wanted) in [
        ("trans_date = \"DD-MMM-YYYY\"", ["02-Mar-2026", "03-MARCH-2026"], ["2026-03-02", "2026-03-03"]),
        ("trans_date = \"D/M/YYYY\"", ["2/3/2026", "12/3/2026"], ["2026-03-02", "2026-03-12"]),
        // The time gives the order within the day.
        ("trans_date = \"DD/MM/YYYY h:mm AM\"", ["02/03/2026 2:22 PM", "02/03/2026 9:05 AM"], ["2026-03-02"; 2]),
        ("trans_date = \"EXCEL\"", ["46083", "46083.5"], ["2026-03-02"; 2]),
        // In Lagos the second is the next day.
        ("trans_date = \"ISO day\"", ["2026-03-02T00:00:00.000Z", "2026-03-02T23:30:00Z"], ["2026-03-02"; 2]),
        (
            "trans_date = \"D MMM YYYY\"\nmonths = [[\"ene\", \"enero\"], \"feb\", \"mar\", \"abr\", \"may\", \"jun\", \
             \"jul\", \"ago\", \"sep\", \"oct\", \"nov\", \"dic\"]",
            ["5 ENE. 2026", "6 enero 2026"],
            ["2026-01-05", "2026-01-06"],
        ),
    ] {
        let columns = format!("{SIGNED}[amount]\npositive = \"credit\"\n[dates]\n{declared}\n");
        let rows = [["K1", dates[0], "1.00"], ["K1", dates[1], "2.00"]];
        for (way, read) in read_everywhere(&columns, &header, &[&rows[0], &rows[1]]) {
            let read = read.expect(way);
            assert_eq!(days(&read, "trans_date"), wanted.map(|day| Some(day.to_owned())), "{way}: {declared}");
            let first = if dates[1].contains("9:05") { 200 } else { 100 };
            assert_eq!(numbers(&read, "credit")[0], Some(first), "{way}: {declared}");
        }
    }
    let columns = format!("{SIGNED}[amount]\npositive = \"credit\"\n[dates]\ntrans_date = \"DD/MM/YYYY\"\n");
    for (way, read) in read_everywhere(&columns, &header, &[&["K1", "2/3/2026", "1.00"]]) {
        let wrong = read.expect_err(way);
        assert!(wrong.contains("`2/3/2026` is not a day from 1900 to 2200 in the pattern `DD/MM/YYYY`"), "{wrong}");
    }
    for (dates, what) in [
        ("trans_date = \"DD/mm/YYYY\"", "[dates] trans_date: date pattern `DD/mm/YYYY` has minutes"),
        ("months = [\"ene\"]", "[dates] months lists 1 months; list all twelve"),
    ] {
        let wrong = Columns::parse(&format!("{SIDES}[dates]\n{dates}\n")).expect_err(dates).to_string();
        assert!(wrong.contains(what), "{wrong}");
    }
}

/// The skipped rows of each statement, by customer.
fn skipped(read: &Statements) -> Vec<(String, u64)> {
    read.heads().iter().map(|head| (head.label.clone(), head.quality.skipped_rows)).collect()
}

#[test]
fn rows_that_are_no_records_are_left_out_and_counted() {
    let columns = "skip = \"state IN ('PENDING', 'REVERTED') OR \\\"Post Date\\\" IS NULL\"\n\
        [columns]\ncustomer = \"acct\"\naccount = \"number\"\ntrans_date = \"Post Date\"\ncredit = \"in\"\n";
    let header = ["acct", "number", "Post Date", "in", "state"];
    let rows: [&[&str]; 9] = [
        // Before any other row, and without an account.
        &["K1", "", "2026-03-01", "1.00", "PENDING"],
        &["K1", "A", "2026-03-02", "2.00", "DONE"],
        &["K1", "B", "2026-03-02", "3.00", ""],
        // Nothing of it can be read.
        &["K1", "B", "soon", "many", "REVERTED"],
        &["K1", "B", "", "many", "DONE"],
        &["", "", "", "", "DONE"],
        &["N/A", "A", "2026-03-02", "2.00", "PENDING"],
        &["17.0", "A", "2026-03-02", "2.00", "PENDING"],
        // All that the customer has.
        &["K2", "C", "2026-03-02", "2.00", "PENDING"],
    ];
    let wanted = [("t#A", 1), ("t#B", 2), ("t#C", 1)].map(|(label, count)| (label.to_owned(), count));
    let mut digests = Vec::new();
    for (way, read) in read_everywhere(columns, &header, &rows) {
        let read = read.unwrap_or_else(|wrong| panic!("{way}: {wrong}"));
        let found: Vec<(String, u64)> =
            skipped(&read).into_iter().map(|(label, count)| (label.replace("test", "t"), count)).collect();
        assert_eq!(found, wanted, "{way}");
        assert_eq!(numbers(&read, "credit"), [Some(200), Some(300)], "{way}");
        let warnings = &read.heads()[1].quality.warnings;
        assert!(
            warnings.contains(&"2 rows were left out by the columns file's `skip`".to_owned()),
            "{way}: {warnings:?}"
        );
        digests.push(crate::statement::digests(&read));
    }
    assert!(digests.iter().all(|digest| *digest == digests[0]));
}

#[test]
fn a_row_that_is_kept_is_checked_as_ever() {
    let columns = format!("skip = \"state = 'PENDING'\"\n{SIDES}");
    let header = ["acct", "date", "in", "out", "state"];
    for (row, what) in [
        (["", "2026-03-02", "1.00", "", ""], "the customer is missing"),
        (["K1", "2026-03-02", "many", "", "pending"], "`many` is not a plain decimal number"),
    ] {
        for (way, read) in read_everywhere(&columns, &header, &[&row]) {
            let wrong = read.expect_err(way);
            assert!(wrong.contains(what), "{way}: {wrong}");
        }
    }
    let kept: [&[&str]; 1] = [&["K1", "2026-03-02", "1.00", "", ""]];
    for (condition, name) in [("stat = 'PENDING'", "stat"), ("\\\"State\\\" = 'x'", "State")] {
        let columns = format!("skip = \"{condition}\"\n{SIDES}");
        for (way, read) in read_everywhere(&columns, &header, &kept) {
            let wrong = read.expect_err(way);
            let names =
                format!("has no column `{name}`, which `skip` of the columns file reads; did you mean `state`?");
            let lines = format!("no line has `{name}`, which `skip` of the columns file reads; did you mean `state`?");
            assert!(wrong.contains(&names) || wrong.contains(&lines), "{way}: {wrong}");
        }
    }
    let wrong = Columns::parse(&format!("skip = \"state = PENDING\"\n{SIDES}")).expect_err("no text").to_string();
    assert!(wrong.contains("skip, character 9: `PENDING` stands where a text or a number belongs"), "{wrong}");
}

#[test]
fn numbers_of_json_are_in_no_notation() {
    let columns = format!(
        "skip = \"amount > 1000.5\"\n{SIGNED}desc = \"what\"\n[amount]\npositive = \"credit\"\ndecimal = \",\"\n\
         thousands = [\".\"]\n"
    );
    let columns = Columns::parse(&columns).expect("a columns file");
    let lines = "{\"acct\":7,\"date\":\"2026-03-02\",\"amount\":13.37,\"what\":null}\n\
        {\"acct\":7,\"date\":\"2026-03-03\",\"amount\":1.337}\n";
    let read =
        |lines: &str| read_ndjson_table(lines.as_bytes(), "t", &lagos(), &columns).map_err(|wrong| wrong.to_string());
    // Neither 1,337 nor rounded.
    let wrong = read(lines).expect_err("three decimals");
    assert!(wrong.contains("line 2, amount: `1.337` has more decimals"), "{wrong}");
    let lines = "{\"acct\":7,\"date\":\"2026-03-02\",\"amount\":13.37,\"what\":7.50}\n\
        {\"acct\":7,\"date\":\"2026-03-03\",\"amount\":\"1.337,00\"}\n\
        {\"acct\":7,\"date\":\"2026-03-04\",\"amount\":\"-3,50\",\"what\":12}\n";
    let read = read(lines).expect("a statement");
    assert_eq!(texts(&read, "desc"), [Some("7.50".into()), Some("12".into())]);
    assert_eq!(numbers(&read, "credit"), [Some(1_337), None]);
    assert_eq!(numbers(&read, "debit"), [None, Some(350)]);
    assert_eq!(read.heads()[0].quality.skipped_rows, 1);
}
