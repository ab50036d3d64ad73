//! What a lender's own table says: customers, inputs, and what is refused.

use serde_json::{Value as Json, json};

use super::*;
use crate::rules::compile;

const POLICY: &str = r#"
[policy]
name = "own"
version = "1"
currency = "566"
statement_unit = "major"
time_zone = "Africa/Lagos"
tenure_unit = "days"

[request]
amount = "money"
[bureau]
score = "count"
amount = "money"

[metric]
fico = { given = "count", column = "FICO score", doc = "the score of a bureau" }
own_balance = { given = "money", column = "balance" }
is_owner = { given = "boolean" }

[[require]]
id = "FICO"
when = "fico >= 600 AND own_balance > 0 AND is_owner AND bureau.score > 0 AND bureau.amount > 0"
unknown = "refer"
reason = "{fico}"

[[offer]]
id = "o"
tenure = [30]
amount = "request.amount"
interest = 5
"#;

fn policy() -> Policy {
    let mut read = |_: &str| Err("no other file".to_owned());
    compile("own.toml", POLICY, &mut read, &[]).expect("it compiles")
}

fn columns(columns: &[(&str, Json)]) -> ColumnTable {
    let values = |values: &Json| values.as_array().expect("an array of cells").clone();
    columns.iter().map(|(name, cells)| ((*name).to_owned(), values(cells))).collect()
}

/// What a table has of an input for these customers.
fn values(table: &CustomerTable, path: &str, customers: &[&str], request: &Request) -> Result<Option<Series>, String> {
    let policy = policy();
    let input = policy.inputs().iter().find(|input| input.path() == path).expect("it is declared");
    let customers: Vec<String> = customers.iter().map(|customer| (*customer).to_owned()).collect();
    table.values_for(&policy, input, &customers, request)
}

#[test]
fn a_column_is_of_the_source_of_its_table_or_of_its_prefix() {
    let table = columns(&[
        ("customer", json!(["a", "b"])),
        ("amount", json!(["1250.50", ""])),
        ("bureau.amount", json!([7, 8])),
        ("FICO score", json!([700, null])),
        ("balance", json!(["1.05", "-2"])),
        ("is_owner", json!(["yes", "0"])),
    ]);
    let cases = [
        // A plain name in a table of requests is a field of the request; another source needs its prefix.
        (InputSource::Request, "request.amount", Some([Some(125_050), None])),
        (InputSource::Request, "bureau.amount", Some([Some(700), Some(800)])),
        (InputSource::Request, "given.fico", None),
        (InputSource::Request, "given.own_balance", None),
        (InputSource::Given, "request.amount", None),
        (InputSource::Given, "bureau.amount", Some([Some(700), Some(800)])),
        (InputSource::Given, "given.fico", Some([Some(700), None])),
        (InputSource::Given, "given.own_balance", Some([Some(105), Some(-200)])),
        (InputSource::Given, "bureau.score", None),
    ];
    for (plain, path, wanted) in cases {
        let table = CustomerTable::new(table.clone(), plain).expect("a table");
        let found = values(&table, path, &["a", "b"], &Request::default()).expect("they are values");
        let found = found.map(|column| column.i64().expect("whole numbers").iter().collect::<Vec<_>>());
        assert_eq!(found, wanted.map(Vec::from), "{plain:?} {path}");
    }
}

#[test]
fn rows_are_found_by_customer_and_the_rest_has_what_the_request_says() {
    let table = columns(&[("customer", json!(["a", "b"])), ("bureau.score", json!([1, null]))]);
    let table = CustomerTable::new(table, InputSource::Request).expect("a table");
    let mut request = Request::default();
    let policies = crate::rules::Policies::from(policy());
    request.set(&policies, "bureau", json!({"score": 9})).expect("it is declared");
    for (request, wanted) in [(Request::default(), [None, None, Some(1)]), (request, [Some(9), None, Some(1)])] {
        let found = values(&table, "bureau.score", &["c", "b", "a"], &request).expect("values").expect("a column");
        assert_eq!(found.i64().expect("whole numbers").iter().collect::<Vec<_>>(), wanted);
    }
}

#[test]
fn a_table_without_clear_rows_is_refused() {
    for (table, wanted) in [
        (columns(&[("id", json!(["a"]))]), "no column `customer`"),
        (columns(&[("customer", json!([]))]), "no rows"),
        (columns(&[("customer", json!(["a", "b", "a"]))]), "row 3: its customer is in an earlier row too"),
        (columns(&[("customer", json!(["a", ""]))]), "row 2: "),
        (columns(&[("customer", json!(["a", null]))]), "row 2: "),
        (columns(&[("customer", json!(["a"])), ("as_of", json!(["31/10/2026"]))]), "row 1: `as_of` cannot be read"),
    ] {
        let error = CustomerTable::new(table, InputSource::Given).expect_err(wanted);
        assert!(error.contains(wanted), "{error}");
        assert!(!error.contains("31/10"), "{error}");
    }
}

#[test]
fn a_missing_column_and_one_that_nobody_declares_are_named_with_the_nearest() {
    let all = [("FICO score", json!([1])), ("balance", json!([1])), ("is_owner", json!([1]))];
    let with = |but: &str, more: &[(&str, Json)]| {
        let kept = all.iter().filter(|(name, _)| *name != but).cloned();
        columns(&[&[("customer", json!(["a"]))], &kept.collect::<Vec<_>>()[..], more].concat())
    };
    let (policy, given) = (policy(), InputSource::Given);
    for (plain, table, wanted) in [
        (given, with("", &[("grade", json!(["A"]))]), None),
        (given, with("balance", &[]), Some("no column `balance` for the given metric `own_balance`")),
        (
            given,
            with("FICO score", &[("FICO_score", json!([1]))]),
            Some("did you mean `FICO_score`? to use another column, write fico = {"),
        ),
        (given, with("", &[("bureau.scor", json!([1]))]), Some("did you mean `bureau.score`?")),
        // What a table of requests does not have, another table or the request for all may have.
        (InputSource::Request, columns(&[("customer", json!(["a"])), ("amount", json!([1]))]), None),
        (
            InputSource::Request,
            columns(&[("customer", json!(["a"])), ("given.fic", json!([1]))]),
            Some("nothing for the column `given.fic`; did you mean `given.fico`?"),
        ),
        (
            InputSource::Request,
            columns(&[("customer", json!(["a"])), ("amuont", json!([1]))]),
            Some("nothing for the column `amuont`; did you mean `amount`?"),
        ),
    ] {
        let found = CustomerTable::new(table, plain).expect("a table").check_columns(&[&policy]);
        match wanted {
            None => assert_eq!(found, Ok(())),
            Some(wanted) => assert!(found.clone().is_err_and(|error| error.contains(wanted)), "{found:?}"),
        }
    }
}

#[test]
fn a_wrong_cell_is_named_by_its_row_and_column_and_not_shown() {
    for (path, name, cell) in [
        ("request.amount", "amount", json!("833.3333")),
        ("request.amount", "amount", json!("plenty")),
        ("bureau.score", "bureau.score", json!("7,12")),
        ("given.is_owner", "given.is_owner", json!("perhaps")),
    ] {
        let table = columns(&[("customer", json!(["a", "b"])), (name, json!([null, cell]))]);
        let table = CustomerTable::new(table, InputSource::Request).expect("a table");
        let error = values(&table, path, &["a", "b"], &Request::default()).expect_err("no such value");
        assert!(error.contains(&format!("row 2: the column `{name}`")), "{error}");
        assert!(!error.contains(cell.as_str().expect("a text")), "{error}");
    }
}

#[test]
fn other_columns_divide_customers_as_numbers_only_if_all_are() {
    for (cells, wanted) in [
        (json!(["1", "2", ""]), DataType::Int64),
        (json!([1, null, 2.5]), DataType::Float64),
        (json!(["A", "2", null]), DataType::String),
        (json!(["007", "12", null]), DataType::String),
    ] {
        let table = columns(&[("customer", json!(["a", "b", "c"])), ("grade", cells)]);
        let frame =
            CustomerTable::new(table, InputSource::Given).and_then(|table| table.plain_columns()).expect("columns");
        let grade = frame.column("grade").expect("it is there");
        assert_eq!(grade.dtype(), &wanted);
    }
}
