//! Tables in any order and in any parts give what one table in order gives.

use std::sync::Arc;

use polars_arrow::array::{PrimitiveArray, Utf8Array};
use polars_arrow::datatypes::ArrowDataType;
use proptest::prelude::*;

use super::*;
use crate::engine::decision::Request;
use crate::rules::{Policies, compile};
use crate::run::batch::OutputTable;
use crate::statement::Columns;

const RULES: &str = r#"
[policy]
name = "small"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[request]
amount = "money"

[metric]
income = "SUM(credit)"
last = "MAX(trans_date)"

[[require]]
id = "INCOME"
when = "income >= 1000"
reason = "too little"

[[offer]]
id = "loan"
tenure = 30
amount = "0.5 * income"
interest = 3
"#;

/// Customer, day, minor units.
type Row = (&'static str, i32, i64);

fn asked() -> TableRequest {
    let policy = compile("small.toml", RULES, &mut |_| Err("none".into()), &[]).expect("a policy");
    let tables = vec![OutputTable::Decisions, OutputTable::Offers];
    TableRequest::new(Arc::new(Policies::from(policy)), Wanted::Decisions { tables, json: true })
}

fn columns(rows: &[Row]) -> Vec<GivenColumn> {
    let customers = Utf8Array::<i32>::from_slice(rows.iter().map(|row| row.0).collect::<Vec<_>>());
    let days = PrimitiveArray::from_vec(rows.iter().map(|row| 20_000 + row.1).collect()).to(ArrowDataType::Date32);
    let digits = rows.iter().map(|row| i128::from(row.2)).collect();
    let credits = PrimitiveArray::from_vec(digits).to(ArrowDataType::Decimal(38, 2));
    vec![
        ("customer".to_owned(), Ok(customers.boxed())),
        ("trans_date".to_owned(), Ok(days.boxed())),
        ("credit".to_owned(), Ok(credits.boxed())),
    ]
}

/// The lines of all decisions, and who failed, with the reason.
type Found = (Vec<String>, Vec<(Option<String>, String)>);

fn decide(asked: TableRequest, parts: &[&[Row]], memory: u64) -> Result<Found, Error> {
    let mut stream = CustomerStream::new(asked, memory, None)?;
    let mut found = Vec::new();
    for part in parts {
        found.extend(stream.push(columns(part), part.len(), &mut |_| true)?);
    }
    stream.finish(&mut |_| true, &mut |results| {
        found.push(results);
        Ok(())
    })?;
    let (mut lines, mut failures) = (Vec::new(), Vec::new());
    for results in found {
        let decisions = results.tables[0].column("decision").unwrap().str().unwrap();
        lines.extend(decisions.iter().map(|line| line.unwrap().to_owned()));
        failures.extend(results.failures.into_iter().map(|failure| (failure.customer, failure.what)));
    }
    Ok((lines, failures))
}

const NAMES: [&str; 5] = ["ada", "bola", "chi", "dayo", "efe"];

proptest! {
    /// One table, several, in order, in none, in memory and on disk: the same decisions. In the same order, too, unless
    /// a customer comes after later ones had to be decided.
    #[test]
    fn the_order_and_the_parts_of_rows_change_nothing(
        rows in proptest::collection::vec((0..NAMES.len(), 0..90_i32, 1..100_000_i64), 1..60),
        cuts in proptest::collection::vec(0..60_usize, 0..4),
        memory in prop_oneof![Just(0_u64), Just(200), Just(u64::MAX)],
    ) {
        let rows: Vec<Row> = rows.into_iter().map(|(name, day, amount)| (NAMES[name], day, amount)).collect();
        let mut sorted = rows.clone();
        sorted.sort_by_key(|row| row.0);
        let expected = decide(asked(), &[&sorted], u64::MAX).expect("decisions");
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(rows.len())).chain([0, rows.len()]).collect();
        cuts.sort_unstable();
        for rows in [&rows, &sorted] {
            let parts: Vec<&[Row]> = cuts.windows(2).map(|cut| &rows[cut[0]..cut[1]]).collect();
            match decide(asked(), &parts, memory) {
                Ok(mut found) => {
                    if memory < u64::MAX && rows != &sorted {
                        // Each begins with its customer.
                        found.0.sort();
                    }
                    prop_assert_eq!(&found, &expected);
                }
                // Nothing else may go wrong, and nothing in order may.
                Err(Error::Again(_)) => prop_assert!(memory < u64::MAX && rows != &sorted),
                Err(other) => prop_assert!(false, "{}", other),
            }
        }
    }
}

#[test]
fn a_customer_that_comes_again_after_it_was_decided_is_an_error() {
    let parts: [&[Row]; 3] = [&[("ada", 1, 5), ("bola", 1, 5)], &[("chi", 1, 5)], &[("ada", 2, 5)]];
    let error = decide(asked(), &parts, 0).expect_err("ada was decided");
    assert_eq!(
        error.to_string(),
        "customer `ada` has rows again after it was decided: the rows do not come in the order of customers, and more \
         of them came than the memory for sorting holds; sort them by customer, or allow more memory"
    );
    assert_eq!(decide(asked(), &parts, u64::MAX).expect("enough memory").0.len(), 3);
}

#[test]
fn a_customer_that_comes_late_is_decided_late() {
    let parts: [&[Row]; 2] = [&[("bola", 1, 5), ("chi", 1, 5)], &[("ada", 1, 5)]];
    let customers = |memory| -> Vec<String> {
        let (lines, failures) = decide(asked(), &parts, memory).expect("decisions");
        assert_eq!(failures, []);
        lines.iter().map(|line| line.split('"').nth(3).expect("a customer").to_owned()).collect()
    };
    assert_eq!(customers(u64::MAX), ["ada", "bola", "chi"]);
    // Bola had to be decided before Ada came.
    assert_eq!(customers(0), ["bola", "ada", "chi"]);
}

#[test]
fn a_customer_that_cannot_be_read_is_listed_and_the_others_are_decided() {
    // A record in the year 7495 is no record.
    let rows: [Row; 3] = [("ada", 1, 200_000), ("bola", 2_000_000, 5), ("chi", 1, 5)];
    let (lines, failures) = decide(asked(), &[&rows], u64::MAX).expect("decisions");
    assert_eq!(lines.len(), 2);
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].0.as_deref(), Some("bola"));

    let as_rows = TableRequest { failures_are_rows: true, ..asked() };
    let mut stream = CustomerStream::new(as_rows, u64::MAX, None).expect("a stream");
    assert!(stream.push(columns(&rows), rows.len(), &mut |_| true).expect("a table").is_empty());
    let mut failed = Vec::new();
    stream
        .finish(&mut |_| true, &mut |results| {
            assert!(results.failures.is_empty());
            let table = &results.tables[0];
            let names: Vec<_> = table.get_column_names().iter().map(|name| name.to_string()).collect();
            assert_eq!(names.last().map(String::as_str), Some("failure"));
            for row in 0..table.height() {
                let text = |name: &str| table.column(name).unwrap().str().unwrap().get(row).map(str::to_owned);
                assert!(text("policy_digest").is_some());
                assert_eq!(text("failure").is_some(), text("outcome").is_none());
                failed.extend(text("failure").and(text("customer")));
            }
            Ok(())
        })
        .expect("decisions");
    assert_eq!(failed, ["bola"]);
}

#[test]
fn each_customer_has_the_request_of_its_own() {
    let mut asked = asked();
    asked.requests = Requests::same(Request::on("2024-12-31".parse().expect("a day")));
    let table = vec![
        ("customer".to_owned(), Ok(Utf8Array::<i64>::from_slice(["chi", "ada", "zik"]).boxed())),
        ("amount".to_owned(), Ok(PrimitiveArray::from_vec(vec![1_000_i64, 2_000, 3_000]).boxed())),
    ];
    let policies = Arc::clone(&asked.policies);
    asked.requests.add_table(policies.as_ref(), table.clone(), 3).expect("requests");
    let again = asked.requests.add_table(policies.as_ref(), table, 3).expect_err("twice");
    assert_eq!(again.to_string(), "requests: row 1: its customer has a request in an earlier row");

    let rows: [Row; 3] = [("ada", 1, 200_000), ("bola", 1, 200_000), ("chi", 1, 200_000)];
    let (lines, failures) = decide(asked, &[&rows], u64::MAX).expect("decisions");
    let amount = |line: &String| {
        let decision: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(decision["as_of"], "2024-12-31");
        decision["request"]["amount"].as_i64()
    };
    assert_eq!(lines.iter().map(amount).collect::<Vec<_>>(), [Some(2_000), None, Some(1_000)]);
    let unmet = "a request without records: the table has no row of this customer";
    assert_eq!(failures, [(Some("zik".to_owned()), unmet.to_owned())]);
}

#[test]
fn a_table_of_records_has_the_days_of_a_stated_period() {
    let zone = crate::base::date::Zone::parse("Africa/Lagos").expect("Lagos");
    let naira = crate::base::money::Currency::from_numeric("566").expect("the naira");
    let reading = crate::statement::Reading::new(naira, zone);
    let names = |text: &str| {
        let read = crate::statement::read_csv(text.as_bytes(), "t", &reading, &Columns::default());
        let table = records_as_table(&read.expect("statements"), &reading).expect("a table");
        let ArrowDataType::Struct(fields) = table.field.dtype() else { panic!("a table of columns") };
        fields.iter().map(|field| field.name.to_string()).filter(|name| name.starts_with("period")).collect::<Vec<_>>()
    };
    assert_eq!(names("customer,trans_date,credit\nK1,2026-08-03,5\n"), [""; 0]);
    let stated = "customer,trans_date,credit,period_from,period_to\nK1,2026-08-03,5,2026-08-01,2026-10-31\n";
    assert_eq!(names(stated), ["period_from", "period_to"]);
}

#[test]
fn a_declared_order_of_rows_is_refused() {
    let columns = "order = \"oldest_first\"\n\n\
                   [columns]\ncustomer = \"customer\"\ntrans_date = \"trans_date\"\ncredit = \"credit\"\n";
    let columns = Columns::parse(columns).expect("a columns file");
    let asked = TableRequest { columns: Arc::new(columns), ..asked() };
    assert!(matches!(CustomerStream::new(asked, 0, None), Err(Error::Order)));
}

#[test]
fn work_that_is_asked_to_stop_stops() {
    let rows: [Row; 2] = [("ada", 1, 200_000), ("bola", 1, 5)];
    let mut stream = CustomerStream::new(asked(), u64::MAX, None).expect("a stream");
    stream.push(columns(&rows), rows.len(), &mut |_| true).expect("a table");
    assert!(matches!(stream.finish(&mut |_| false, &mut |_| Ok(())), Err(Error::Interrupted)));
}
