//! Real bank records: totals and last balances agree to the cent with the table's own columns, read by other means.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use lendwright::files::{read_columns, read_statements};
use lendwright::statement::{Reading, Statements};
use lendwright::words::date::{Day, Zone};
use lendwright::words::money::Currency;
use polars_arrow::array::{Array, PrimitiveArray, Utf8ViewArray};
use polars_parquet::read::{BasicDecompressor, PageReader, column_iter_to_arrays, infer_schema, read_metadata};

use super::numbers;

/// The folder of data that is not part of the project, if it is there.
fn data() -> Option<PathBuf> {
    let folder = match std::env::var_os("LENDWRIGHT_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
    };
    let berka = folder.join("berka");
    if berka.is_dir() {
        return Some(berka);
    }
    println!("skipped: no data at {} (set LENDWRIGHT_DATA)", folder.display());
    None
}

fn koruna() -> Reading {
    Reading::new(Currency::from_numeric("203").expect("the koruna"), Zone::parse("Europe/Prague").expect("Prague"))
}

/// What the table's own columns say of one account.
#[derive(Debug, Default, PartialEq, Eq)]
struct Account {
    records: u64,
    credits: i128,
    debits: i128,
    /// Day and sequence of the last record, and its balance.
    last: (i128, i128, i128),
}

/// Every column as exact numbers, and the texts of `type`: neither the columns file nor the reader has a part in it.
fn truth(path: &Path) -> BTreeMap<String, Account> {
    let bytes = std::fs::read(path).expect("the table");
    let metadata = read_metadata(&mut Cursor::new(&bytes[..])).expect("metadata");
    let schema = infer_schema(&metadata).expect("a schema");
    let mut accounts: BTreeMap<String, Account> = BTreeMap::new();
    for group in &metadata.row_groups {
        let column = |name: &str| {
            let part = group.columns_under_root_iter(name).expect("the column").next().expect("its part");
            let range = part.byte_range();
            let chunk = polars_buffer::Buffer::from(bytes[range.start as usize..range.end as usize].to_vec());
            let pages = BasicDecompressor::new(PageReader::new(Cursor::new(chunk), part, vec![], usize::MAX), vec![]);
            let kind = &part.descriptor().descriptor.primitive_type;
            let field = schema.get(name).expect("its field").clone();
            column_iter_to_arrays(vec![pages], vec![kind], field, None).expect("its values").0.remove(0)
        };
        let wholes = |name: &str| {
            let array = column(name);
            let any = array.as_any();
            let values: Vec<i128> = match (any.downcast_ref::<PrimitiveArray<i64>>(), any.downcast_ref::<PrimitiveArray<i128>>(), any.downcast_ref::<PrimitiveArray<i32>>()) {
                (Some(array), ..) => array.values().iter().map(|value| i128::from(*value)).collect(),
                (_, Some(array), _) => array.values().iter().copied().collect(),
                (.., Some(array)) => array.values().iter().map(|value| i128::from(*value)).collect(),
                _ => panic!("`{name}` holds {:?}", array.dtype()),
            };
            values
        };
        let kinds = column("type");
        let kinds = kinds.as_any().downcast_ref::<Utf8ViewArray>().expect("texts");
        let (ids, days, orders, amounts, balances) = (wholes("account_id"), wholes("date"), wholes("seq"), wholes("amount"), wholes("balance"));
        for row in 0..kinds.len() {
            let account = accounts.entry(ids[row].to_string()).or_default();
            account.records += 1;
            match kinds.value(row) {
                "PRIJEM" => account.credits += amounts[row],
                "VYDAJ" | "VYBER" => account.debits += amounts[row],
                other => panic!("`{other}`"),
            }
            account.last = account.last.max((days[row], orders[row], balances[row]));
        }
    }
    accounts
}

fn read(table: &Path, columns: &str) -> Statements {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/statement").join(columns);
    read_statements(table, &koruna(), Some(&read_columns(&file).expect("the columns file"))).expect("the statements")
}

fn agrees(table: &str, accounts: usize, records: usize) {
    let Some(folder) = data() else { return };
    let path = folder.join(table);
    let truth = truth(&path);
    let read = read(&path, "berka.columns.toml");
    assert_eq!((read.len(), read.frame().height()), (accounts, records));
    assert_eq!(truth.len(), accounts);
    let (credits, debits, balances) = (numbers(&read, "credit"), numbers(&read, "debit"), numbers(&read, "balance"));
    let dates = super::days(&read, "trans_date");
    for head in read.heads() {
        let customer = head.customer.as_deref().expect("a customer");
        let sum = |column: &[Option<i64>]| column[head.rows.clone()].iter().flatten().map(|minor| i128::from(*minor)).sum::<i128>();
        let last = head.rows.end - 1;
        let day = Day::parse_iso(dates[last].as_deref().expect("a day")).expect("a day").ymd();
        let day = i128::from(day.0 - 1900) * 10_000 + i128::from(day.1) * 100 + i128::from(day.2);
        let order = numbers(&read, "order")[last].expect("an order");
        let found = Account {
            records: head.quality.records,
            credits: sum(&credits),
            debits: sum(&debits),
            last: (day, i128::from(order), i128::from(balances[last].expect("a balance"))),
        };
        assert_eq!(Some(&found), truth.get(customer), "account {customer}");
    }
}

#[test]
fn every_loan_account_agrees_to_the_cent() {
    agrees("trans_preloan.parquet", 682, 54_694);
}

#[test]
fn every_account_of_the_first_year_agrees_to_the_cent() {
    agrees("trans_1993_1994q1.parquet", 1_229, 49_102);
}

#[test]
fn without_a_sequence_the_balances_give_the_order() {
    let Some(folder) = data() else { return };
    let table = folder.join("trans_preloan.parquet");
    let with = read(&table, "berka.columns.toml");
    let without = read(&table, "berka_no_seq.columns.toml");
    let breaks = |statements: &Statements| {
        let columns = ["credit", "debit", "balance"].map(|name| numbers(statements, name));
        let [credits, debits, balances] = &columns;
        let mut breaks = 0;
        for head in statements.heads() {
            let mut before = 0;
            for row in head.rows.clone() {
                let balance = balances[row].expect("a balance");
                breaks += u32::from(before + credits[row].unwrap_or(0) - debits[row].unwrap_or(0) != balance);
                before = balance;
            }
        }
        breaks
    };
    assert_eq!(breaks(&with), 0);
    assert_eq!(breaks(&without), 0);
}
