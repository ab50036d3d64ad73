//! A policy judges only statements that were read as it reads statements. Amounts of another unit, or days of another
//! time zone, look the same and mean something else.

use lendwright::decision::{Request, VerdictsAsked, decide, explain, merge, reading, verdicts};
use lendwright::metrics;
use lendwright::rules::{Policy, compile};
use lendwright::statement::{Columns, Merging, Statements, read_csv};

const POLICY: &str = r#"
[policy]
name = "test"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[transaction]
is_large = "credit > 1000"

[metric]
income = "SUM(credit)"
"#;

const TABLE: &str = "customer,id,trans_date,credit\nc1,1,2026-06-30,2500\n";

/// The policy with a line changed or added to its header.
fn policy(line: &str) -> Policy {
    let (key, _) = line.split_once(" =").unwrap_or((line, ""));
    let kept: Vec<&str> = POLICY.lines().filter(|known| key.is_empty() || !known.starts_with(key)).collect();
    let text = kept.join("\n").replacen("[policy]", &format!("[policy]\n{line}"), 1);
    compile("test.toml", &text, &mut |_| Err("no other files".into()), &[]).expect("the policy compiles")
}

fn statements(read_for: &Policy, columns: &str) -> Statements {
    let columns = Columns::parse(columns).expect("the columns file is right");
    read_csv(TABLE.as_bytes(), "table", &reading(read_for), &columns).expect("the table is right")
}

#[test]
fn statements_that_were_read_for_another_policy_are_refused() {
    for (line, what) in [
        ("currency = \"392\"", "with currency = \"392\", but the policy says currency = \"566\""),
        (
            "statement_unit = \"minor\"",
            "with statement_unit = \"minor\", but the policy says statement_unit = \"major\"",
        ),
        ("time_zone = \"Asia/Tokyo\"", "with time_zone = \"Asia/Tokyo\", but"),
        ("record_day = \"cleared_date\"", "with record_day = \"cleared_date\", but"),
        ("date_conflict = \"prefer_iso\"", "with date_conflict = \"prefer_iso\", but"),
        ("negative_amount = \"swap_sides\"", "with negative_amount = \"swap_sides\", but"),
        ("empty_amount = \"drop\"", "with empty_amount = \"drop\", but"),
    ] {
        let (own, other) = (policy(""), policy(line));
        let read = statements(&other, "");
        let request = Request::default();
        let said = [
            decide(&own, &read, &request).map(drop).map_err(|error| error.to_string()),
            explain(&own, &read, &request).map(drop).map_err(|error| error.to_string()),
            metrics::table(&own, &read, None).map(drop).map_err(|error| error.to_string()),
            metrics::values(&own, &read, None).map(drop).map_err(|error| error.to_string()),
            verdicts(&own, &read, &VerdictsAsked::default()).map(drop).map_err(|error| error.to_string()),
        ];
        for said in said {
            let said = said.expect_err(what);
            assert!(said.contains(what), "{said}");
        }
        decide(&other, &read, &request).expect("it was read for this policy");
    }
}

#[test]
fn a_declared_unit_or_sign_needs_no_equal_policy() {
    let read =
        statements(&policy("statement_unit = \"minor\""), "[amount]\nunit = \"major\"\nnegative = \"swap_sides\"\n");
    for own in [policy(""), policy("statement_unit = \"minor\""), policy("negative_amount = \"same_side\"")] {
        let values = metrics::values(&own, &read, None).expect("the file says what its amounts are");
        assert_eq!(values[0].values["income"], Ok(lendwright::rules::Value::Int(250_000)));
    }
    assert!(decide(&policy("currency = \"392\""), &read, &Request::default()).is_err());
}

#[test]
fn a_challenger_that_reads_otherwise_is_refused_too() {
    let own = policy("");
    let merged = merge(&own, &[statements(&own, "")], &Merging::default()).expect("it merges");
    assert!(decide(&own, &merged, &Request::default()).is_ok());
    assert!(decide(&policy("statement_unit = \"minor\""), &merged, &Request::default()).is_err());
}

#[test]
fn accounts_that_were_read_in_two_ways_are_not_merged() {
    let own = policy("");
    let parts = [statements(&own, ""), statements(&policy("time_zone = \"UTC\""), "")];
    let said = merge(&own, &parts, &Merging::default()).expect_err("the days are not the same days").to_string();
    assert!(said.contains("one with time_zone = \"Africa/Lagos\" and one with time_zone = \"UTC\""), "{said}");
    // One file declares its unit; the other was read by the policy's.
    let parts = [statements(&own, "[amount]\nunit = \"minor\"\n"), statements(&own, "")];
    let merged = merge(&own, &parts, &Merging::default()).expect("each says what its amounts are");
    assert!(decide(&own, &merged, &Request::default()).is_ok());
    assert!(decide(&policy("statement_unit = \"minor\""), &merged, &Request::default()).is_err());
}
