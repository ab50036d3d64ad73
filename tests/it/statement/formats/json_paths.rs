//! JSON of any shape under a columns file, and the columns files that ship for the answers of aggregators and banks.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use lendwright::base::date::Zone;
use lendwright::base::money::Currency;
use lendwright::statement::{
    Columns, LaidRow, Next, Reading, RowsRequest, Statements, TableBytes, TableFormat, Tables, each_row, read_csv,
    statements_of,
};

use crate::statement::*;

/// An answer in `testdata/columns`, the columns file for it, the currency and the zone, and how many rows are left out.
/// The records are in the CSV beside the answer, under the product's own names.
const ANSWERS: [(&str, &str, &str, &str, u64); 10] = [
    ("plaid", "plaid", "840", "America/New_York", 2),
    ("plaid-sync", "plaid", "840", "America/New_York", 0),
    ("truelayer", "truelayer", "826", "Europe/London", 0),
    ("mono", "mono", "566", "Africa/Lagos", 0),
    ("open-banking-uk", "open-banking-uk", "826", "Europe/London", 1),
    ("berlin-group", "berlin-group", "978", "Europe/Berlin", 1),
    ("yodlee", "yodlee", "840", "America/New_York", 1),
    ("belvo", "belvo", "484", "America/Mexico_City", 1),
    ("account-aggregator-in", "account-aggregator-in", "356", "Asia/Kolkata", 0),
    ("stitch", "stitch", "710", "Africa/Johannesburg", 0),
];

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn json(bytes: &[u8], declared: &str, reading: &Reading) -> Result<Statements, String> {
    let columns = Columns::parse(declared).map_err(|wrong| wrong.to_string())?;
    // Of shapes that do not name the customer.
    let given =
        if declared.contains("customer = ") { Vec::new() } else { vec![("customer".to_owned(), "K1".to_owned())] };
    let asked = RowsRequest { label: "test", columns: &columns, given: &given, rows: &|_| true, memory: 1 << 30 };
    let mut laid: Vec<(String, u32, Vec<u8>)> = Vec::new();
    let table = each_row(TableFormat::Json, TableBytes::Seekable(&mut Cursor::new(bytes)), &asked, |row| {
        laid.push((row.customer.to_owned(), row.ordinal, row.bytes.to_vec()));
        Next::Row
    })
    .map_err(|wrong| wrong.to_string())?;
    laid.sort_by(|left, right| left.0.cmp(&right.0));
    let tables = Tables { tables: &[table], columns: &columns, reading, name_tables: false };
    let rows = laid.iter().map(|(_, ordinal, bytes)| LaidRow { table: 0, ordinal: *ordinal, bytes });
    statements_of(rows, &tables, |_| "test".to_owned()).map_err(|wrong| wrong.to_string())
}

fn in_lagos(bytes: &str, columns: &str) -> Result<Statements, String> {
    json(bytes.as_bytes(), columns, &lagos())
}

#[test]
fn the_columns_files_that_ship_read_the_answers_that_they_are_for() {
    let mut shipped = Vec::new();
    for entry in fs::read_dir(at("rules/columns")).expect("the folder") {
        let path = entry.expect("an entry").path();
        shipped.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
    }
    shipped.sort();
    let mut tried: Vec<&str> = ANSWERS.iter().map(|(_, columns, ..)| *columns).collect();
    tried.sort_unstable();
    tried.dedup();
    assert_eq!(tried, shipped, "left: in this test, right: in rules/columns");
    for (name, columns, currency, zone, left_out) in ANSWERS {
        let columns = fs::read_to_string(at(&format!("rules/columns/{columns}.toml"))).expect("a columns file");
        let answer = fs::read(at(&format!("testdata/columns/{name}.json"))).expect("an answer");
        let records = fs::read(at(&format!("testdata/columns/{name}.csv"))).expect("records");
        let reading =
            Reading::new(Currency::from_numeric(currency).expect("a currency"), Zone::parse(zone).expect("a zone"));
        let read = json(&answer, &columns, &reading).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        let expected = read_csv(&records, "test", &reading, &Columns::default()).expect("records");
        let heads = |statements: &Statements| {
            let heads =
                statements.heads().iter().map(|head| (head.customer.clone(), head.account.clone(), head.rows.clone()));
            heads.collect::<Vec<_>>()
        };
        assert_eq!(heads(&read), heads(&expected), "{name}");
        // A minus that repeats the side has a flag, which a CSV with two columns lacks.
        for column in expected.frame().columns().iter().filter(|column| column.name() != "flags") {
            let other = read.frame().column(column.name()).expect("the same columns");
            assert!(column.equals_missing(other), "{name}: {column:?} {other:?}");
        }
        let skipped: u64 = read.heads().iter().map(|head| head.quality.skipped_rows).sum();
        assert_eq!(skipped, left_out, "{name}");
    }
}

/// What is no answer with records is refused by every file that ships, however it was damaged.
#[test]
fn the_columns_files_that_ship_refuse_what_is_no_answer() {
    for (name, columns, currency, zone, _) in ANSWERS {
        let columns = fs::read_to_string(at(&format!("rules/columns/{columns}.toml"))).expect("a columns file");
        let answer = fs::read_to_string(at(&format!("testdata/columns/{name}.json"))).expect("an answer");
        let reading =
            Reading::new(Currency::from_numeric(currency).expect("a currency"), Zone::parse(zone).expect("a zone"));
        let pages =
            ["{}", "[]", "null", "", r#"{"error": {"message": "expired"}}"#, r#"{"status": "failed", "data": null}"#];
        for page in pages {
            assert!(json(page.as_bytes(), &columns, &reading).is_err(), "{name}: {page}");
        }
        // One document: where it is cut, it is not whole. Of several, whole ones before the cut are.
        let end = answer.find("\n{").map_or(answer.trim_end().len(), |second| second);
        for cut in (0..end).step_by(7) {
            assert!(json(&answer.as_bytes()[..cut], &columns, &reading).is_err(), "{name}, cut at {cut}");
        }
        let before = json(answer.as_bytes(), &columns, &reading).expect("the answer").frame().height();
        for (turn, at) in (0..answer.len()).step_by(5).enumerate() {
            let byte = [b'"', b'\\', b'7', 0xff, b' ', b'[', b'}'][turn % 7];
            let mut damaged = answer.clone().into_bytes();
            damaged[at] = byte;
            let Ok(read) = json(&damaged, &columns, &reading) else { continue };
            // A damaged status is another status: only there a record may come or go.
            let line = line_around(&answer, at);
            let is_status = ["tatus", "pending", "unofficial"].iter().any(|word| line.contains(word));
            assert!(is_status || read.frame().height() == before, "{name}, {byte} at {at}");
        }
    }
}

/// The answers with a mark of another page, and the same without it. Under each columns file that has marks.
const ANNOUNCED: [(&str, &str, &str); 8] = [
    ("belvo", "\"next\": null", "\"next\": \"https://api.example/?page=2\""),
    ("belvo", "\"previous\": null", "\"previous\": \"https://api.example/?page=1\""),
    ("belvo", "\"count\": 3", "\"count\": 130"),
    ("mono", "\"next\": null", "\"next\": \"https://api.example/?page=2\""),
    ("mono", "\"total\": 2", "\"total\": 200"),
    ("open-banking-uk", "\"TotalPages\": 1", "\"TotalPages\": 3"),
    ("plaid", "\"total_transactions\": 4", "\"total_transactions\": 40"),
    ("stitch", "\"hasNextPage\": false", "\"hasNextPage\": true"),
];

#[test]
fn a_page_of_an_answer_is_not_the_whole() {
    for (name, whole, announced) in ANNOUNCED {
        let (_, columns, currency, zone, _) = ANSWERS.into_iter().find(|answer| answer.0 == name).expect("an answer");
        let columns = fs::read_to_string(at(&format!("rules/columns/{columns}.toml"))).expect("a columns file");
        let answer = fs::read_to_string(at(&format!("testdata/columns/{name}.json"))).expect("an answer");
        let reading =
            Reading::new(Currency::from_numeric(currency).expect("a currency"), Zone::parse(zone).expect("a zone"));
        assert!(answer.contains(whole), "{name}: {whole}");
        let page = answer.replace(whole, announced);
        let refused = json(page.as_bytes(), &columns, &reading).expect_err(announced);
        assert!(refused.contains("the answer is not complete"), "{name}: {refused}");
        // With the last page behind it, the answer is whole.
        if announced.contains("page=2") || announced.contains("hasNextPage") {
            let both = format!("{}\n{}", page.trim_end(), answer);
            assert!(json(both.as_bytes(), &columns, &reading).is_ok(), "{name}");
        }
    }
    let page = |marks: &str, rows: &str| format!("{{{marks}\"rows\": [{rows}]}}");
    let columns = "[columns]\ncustomer = \"rows[].who\"\ntrans_date = \"rows[].day\"\ncredit = \"rows[].in\"\n\
        [pages]\nnext = \"links.next\"\nprevious = \"links.back?\"\nrows = \"all\"\npages = \"of\"\n";
    let row = "{\"who\": \"K1\", \"day\": \"2026-03-01\", \"in\": 5}";
    let wrong = |text: &str| in_lagos(text, columns).err().unwrap_or_default();
    for silent in
        ["", "\"links\": {}, ", "\"links\": {\"next\": \"\"}, ", "\"links\": {\"next\": false, \"back\": 0}, "]
    {
        assert_eq!(wrong(&page(silent, row)), "", "{silent}");
    }
    for next in ["\"p2\"", "true", "7", "{\"href\": \"p2\"}"] {
        let said = wrong(&page(&format!("\"links\": {{\"next\": {next}}}, "), row));
        assert!(said.contains("`links.next` says that another page follows the last one"), "{next}: {said}");
    }
    assert!(
        wrong(&page("\"links\": {\"back\": \"p1\"}, ", row)).contains("`links.back` says that a page comes before")
    );
    assert!(wrong(&page("\"all\": 2, ", row)).contains("`all` announces 2 rows, and there are 1"));
    assert!(wrong(&page("\"of\": \"2\", ", row)).contains("`of` announces 2 pages, and there are 1"));
    assert_eq!(wrong(&page("\"all\": 2, ", &format!("{row}, {row}"))), "");
    assert!(wrong(&page("\"links\": {\"next\": \"p2\"}, ", "")).contains("another page"), "a page without rows");
    let declared = columns.replace("links.next", "rows[].next");
    assert!(
        Columns::parse(&declared).expect_err("a list").to_string().contains("[pages] next: `rows[].next` leads into")
    );
}

#[test]
fn two_accounts_of_one_masked_number_are_refused() {
    let answer = |first: &str, second: &str| {
        let account = |id: &str| {
            format!("{{\"id\": \"{id}\", \"rows\": [{{\"id\": \"{id}\", \"day\": \"2026-03-01\", \"value\": 5}}]}}")
        };
        format!("{{\"owner\": {{\"id\": \"K1\"}}, \"accounts\": [{}, {}]}}", account(first), account(second))
    };
    let refused = in_lagos(&answer("XXXX4373", "XXXX4373"), PATHS).expect_err("one number");
    assert!(refused.contains("two accounts have the masked number `XXXX4373`"), "{refused}");
    assert_eq!(in_lagos(&answer("XXXX4373", "XXXX4374"), PATHS).map(|read| read.len()), Ok(2));
}

fn line_around(text: &str, at: usize) -> &str {
    let bytes = text.as_bytes();
    let from = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |line| line + 1);
    let to = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |line| at + line);
    &text[from..to]
}

const PATHS: &str = "[columns]\ncustomer = \"owner.id\"\naccount = \"accounts[].id\"\nid = \"accounts[].rows[].id\"\n\
    trans_date = \"accounts[].rows[].day\"\namount = \"accounts[].rows[].value\"\n\
    topics = \"accounts[].rows[].tags[]?\"\ndesc = \"accounts[].rows[].lines[]?\"\n[amount]\npositive = \"credit\"\n";

#[test]
fn lists_within_a_row_are_items_of_a_list_or_words_of_a_text() {
    let read = in_lagos(
        r#"{"accounts": [{"rows": [
                {"id": 1, "day": "2026-03-02", "value": 5.50, "tags": ["a", "b"], "lines": ["two", "words"]},
            {"id": 2, "day": "2026-03-03", "value": -1, "tags": []}], "id": "A"}], "owner": {"id": "C"}}"#,
        PATHS,
    )
    .expect("a statement");
    assert_eq!(read.heads()[0].customer.as_deref(), Some("C"));
    assert_eq!(texts(&read, "topics"), [Some("a\u{1f}b".into()), None]);
    assert_eq!(texts(&read, "desc"), [Some("two words".into()), None]);
    assert_eq!((numbers(&read, "credit"), numbers(&read, "debit")), (vec![Some(550), None], vec![None, Some(100)]));
}

#[test]
fn a_value_at_fault_is_named_by_row_and_path() {
    let rows = |row: &str| {
        let text = format!(r#"{{"owner": {{"id": "C"}}, "accounts": [{{"id": "A", "rows": [{row}]}}]}}"#);
        in_lagos(&text, PATHS).expect_err(row)
    };
    let good = r#"{"id": 1, "day": "2026-03-02", "value": 5}"#;
    for (row, expected) in [
        (
            r#"{"id": 2, "day": "2026-03-02", "value": "5,00"}"#,
            "row 2, column `accounts[].rows[].value` (record `2`): `5,00` is not a plain decimal number \
             (amounts are in NGN)",
        ),
        (
            r#"{"id": 2, "day": "2 March", "value": 5}"#,
            "row 2, column `accounts[].rows[].day` (record `2`): `2 March` is not an ISO 8601 date",
        ),
        (
            r#"{"id": 2, "day": {"d": 1}, "value": 5}"#,
            "the table cannot be read: byte 118: `accounts[].rows[].day`: \
            expected text or a number, found an object",
        ),
        (
            r#"{"id": 2, "day": "2026-03-02", "value": 5, "value": 5}"#,
            "the table cannot be read: byte 144: refused JSON: \
            the key `value` occurs twice in one object",
        ),
    ] {
        let found = rows(&format!("{good}, {row}"));
        assert!(found.starts_with(expected), "{found}");
    }
    let found = rows(r#"{"id": 2, "date": "2026-03-02", "value": 5}"#);
    assert_eq!(
        found,
        "the table cannot be read: nothing in the file has `accounts[].rows[].day`; there is `accounts[].rows[].date`; \
         write `accounts[].rows[].day?` if it may be missing in every row"
    );
}

/// An amount beside a list of its parties would count once for each of them.
#[test]
fn an_amount_around_the_rows_is_refused() {
    let columns = "[columns]\ntrans_date = \"t[].day\"\namount = \"t[].value\"\npeople = \"t[].parties[].name\"\n\
        [amount]\npositive = \"credit\"\n";
    let found = in_lagos(r#"{"t": []}"#, columns).expect_err("refused");
    assert!(found.contains("`t[].value` would count once for each item of `t[].parties[]`"), "{found}");
}
