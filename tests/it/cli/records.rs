//! `records`: what a policy finds in each record, and why.

use std::collections::BTreeMap;
use std::path::Path;

use lendwright::decision::{VerdictsAsked, reading, verdicts};
use lendwright::generate::{Options, Plan, csv_header};
use lendwright::rules::Value;
use lendwright::statement::{Columns, read_csv};
use lendwright::{PolicySet, Statements, load_policy, metrics};

use crate::fixtures::campaign;
use crate::fixtures::desk::Desk;

/// A policy of its own, so that a change of the shipped rules changes nothing here.
const POLICY: &str = r#"
[policy]
name = "told"
version = "1"
currency = "566"
statement_unit = "major"
time_zone = "Africa/Lagos"

[words]
salary = ["salary", "payroll"]
firms = ["ltd", "plc"]
lenders = ["quickcred"]
loan = ["loan"]
reversal = ["rvsl"]
fees = ["sms fee"]
banks = []
wallets = []
forwarders = []
lending_banks = []
narration_channels = ["nip", "cr", "rvsl"]
narration_remarks = ["food", "salary", "jan", "feb", "mar", "apr", "loan", "disbursed", "disbursement", "repayment"]
narration_extras = ["ltd"]
narration_places = ["yaba"]
narration_codes = []
narration_headings = []
narration_terminals = ["pos", "prch"]

[transaction]
says_salary = "credit > 0 AND mentions(salary)"
is_reversal = { is = "credit > 0 AND mentions(reversal)", doc = "the bank gave it back" }
is_of_lender = { is = "named(lenders) OR COALESCE(lends, FALSE)", doc = "the other side lends" }
is_loan_credit = "credit > 0 AND is_of_lender AND NOT is_reversal"
is_loan_repayment = "debit > 0 AND is_of_lender"
is_income = { is = "credit > 0 AND NOT (is_loan_credit OR is_reversal)", doc = "it came in for good" }
is_salary = "is_income AND (COALESCE(pays_salary, FALSE) OR (says_salary AND mentions(firms)))"
is_bank_charges = "debit > 0 AND mentions(fees)"
is_small = "credit < 1000 OR debit < 1000"
before = "PREVIOUS(credit)"
half = "credit / 2"

[counterparty]
lends = "COUNT(*) FILTER (WHERE credit > 0 AND mentions(loan)) > 0"

[stream]
says_pay = "COUNT(*) FILTER (WHERE says_salary) / stream_records >= 0.2"
pays_salary = { is = "stream_is_credit AND says_pay", doc = "it is a stream of pay" }
"#;

/// Two customers; the second one's bank shows no balance. Amounts have kobo, narrations quotes and commas.
const TABLE: &str = "\
customer,id,trans_date,credit,debit,balance,desc
ada,a01,2026-01-26,250000.50,,250000.50,NIP/ACME FOODS LTD/SALARY JAN
ada,a02,2026-01-28,,1500,248500.50,\"POS PRCH KIOSK, YABA\"
ada,a03,2026-02-25,250000.50,,498501.00,NIP/ACME FOODS LTD/FEB
ada,a04,2026-03-02,60000,,558501.00,NIP/SWIFTLEND/LOAN DISBURSED
ada,a05,2026-03-25,250000.50,,808501.50,NIP/ACME FOODS LTD/MAR
ada,a06,2026-04-02,,22000,786501.50,NIP CR/SWIFTLEND/REPAYMENT
ada,a07,2026-04-03,900,,787401.50,RVSL POS PRCH KIOSK
ada,a08,2026-04-24,250000.50,,1037402.00,NIP/ACME FOODS LTD/APR
ada,a09,2026-04-30,,4,1037398.00,SMS FEE APR
bayo,b01,2026-04-01,5000,,,NIP/OKON EFFIONG/FOOD
bayo,b02,2026-04-02,30000,,,QUICKCRED DISBURSEMENT
bayo,b03,2026-04-03,700,,,
";

const LABELS: &str = "\
customer,id,label
ada,a01,salary
ada,a02,
ada,a03,salary
ada,a04,loan_proceeds
ada,a05,salary
ada,a06,loan_repayment
ada,a07,refund
ada,a08,salary
ada,a09,charge
bayo,b01,gift
bayo,b02,loan_proceeds
bayo,b03,salary
";

pub(crate) fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("told.toml", POLICY);
    desk.write("people.csv", TABLE);
    desk.write("labels.csv", LABELS);
    desk
}

/// Runs `records` on the table with further arguments.
pub(crate) fn run(desk: &Desk, more: &[&str]) -> String {
    let mut args = vec!["records", "--policy", "told.toml", "people.csv", "--as-of", "2026-04-30"];
    args.extend(more);
    let said = desk.run(&args);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{more:?}");
    said.out
}

#[test]
fn records_are_a_table_with_reasons() {
    let desk = desk();
    insta::assert_snapshot!("records_text", run(&desk, &[]));
    insta::assert_snapshot!("records_why", run(&desk, &["--why", "is_salary", "--only-customer", "ada"]));
}

#[test]
fn files_have_every_flag() {
    let desk = desk();
    assert_eq!(run(&desk, &["--out", "records.csv"]), "");
    insta::assert_snapshot!("records_csv", desk.read("records.csv"));
    run(&desk, &["--out", "records.ndjson", "--flag", "before", "--flag", "is_small"]);
    let lines = desk.read("records.ndjson");
    assert_eq!(lines, run(&desk, &["--format", "json", "--flag", "before", "--flag", "is_small"]));
    insta::assert_snapshot!("records_json", lines.lines().skip(2).take(2).collect::<Vec<_>>().join("\n"));
    run(&desk, &["--out", "major.csv", "--flag", "before"]);
    assert!(desk.read("major.csv").contains(",250000.50\n"), "{}", desk.read("major.csv"));
    run(&desk, &["--out", "half.csv", "--flag", "half"]);
    assert!(desk.read("half.csv").contains(",125000.25\n"), "{}", desk.read("half.csv"));
}

#[test]
fn mistakes_are_named_and_nothing_personal_is() {
    let desk = desk();
    desk.write("twice.csv", "customer,id,label\nada,a01,salary\nada,a01,gift\n");
    desk.write("none.csv", "customer,id,label\nchidi,a01,salary\n");
    let cases: [(&[&str], &str); 7] = [
        (&["--flag", "is_salery"], "the policy has no value of records `is_salery`; did you mean `is_salary`?"),
        (&["--kind", "before"], "`before` is not true or false"),
        (&["--labels", "people.csv"], "people.csv: there is no column `label`"),
        (&["--labels", "twice.csv"], "twice.csv: line 3: this record has another label on line 2"),
        (&["--labels", "none.csv"], "no record has a label"),
        (&["--labels", "labels.csv", "--truth", "is_pay=salary"], "`is_pay` is not among the flags"),
        (&["--out", "people.csv"], "would overwrite the input"),
    ];
    for (more, wanted) in cases {
        let mut args = vec!["records", "--policy", "told.toml", "people.csv"];
        args.extend(more);
        let said = desk.run(&args);
        assert_eq!(said.status, 1, "{more:?}");
        assert!(said.err.contains(wanted), "{more:?}: {}", said.err);
        assert!(!["ACME", "ada", "250000"].iter().any(|personal| said.err.contains(personal)), "{}", said.err);
    }
}

#[test]
fn a_statement_without_narrations_leaves_flags_unknown() {
    let desk = desk();
    desk.write("silent.csv", "customer,id,trans_date,credit,debit\nc,1,2026-04-01,5000,\nc,2,2026-04-02,,70\n");
    let said = desk.run(&["records", "--policy", "told.toml", "silent.csv", "--format", "json"]);
    let rows: Vec<serde_json::Value> = said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows[0]["kind"], serde_json::Value::Null);
    assert_eq!(rows[0]["is_salary"], serde_json::Value::Null);
    // No narration makes a credit a repayment.
    assert_eq!(rows[0]["is_loan_repayment"], false);
    assert!(rows[0]["unknown"].as_str().expect("a reason").starts_with("needs_narration: is_reversal"), "{}", rows[0]);
}

fn generated(policy: &dyn PolicySet, seeds: std::ops::Range<u64>) -> Statements {
    let options = Options { records: 250, debits: true, noise: 0.2, ..Options::default() };
    let mut table = csv_header(&options).into_bytes();
    for seed in seeds {
        Plan::new(seed, 0, &options).expect("options").write_csv(&mut table).expect("memory");
    }
    read_csv(&table[..], "table", &reading(policy), &Columns::default()).expect("a table")
}

/// Flags are those that the policy's own aggregates count, and every one can be explained.
#[test]
fn flags_are_what_the_metrics_count() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/rules/detected.toml");
    let policy = load_policy(rules, &[]).expect("the policy");
    let statements = generated(&policy, 700..campaign::size(703, 712));
    let counted = metrics::values(&policy, &statements, None).expect("metrics");
    let pairs = [
        ("is_salary", "told_salary"),
        ("is_bonus", "told_bonus"),
        ("is_income", "told_income"),
        ("is_loan_credit", "told_loan_proceeds"),
        ("is_betting_credit", "told_winnings"),
        ("is_reversal", "told_reversal"),
        ("is_refund", "told_refund"),
        ("is_own_transfer", "told_own_transfer"),
        ("is_loan_repayment", "told_repayment"),
        ("is_betting_debit", "told_stake"),
    ];
    for (flag, metric) in pairs {
        let mut asked = VerdictsAsked::default();
        asked.flags = vec![flag.to_owned()];
        asked.why = Some(flag.to_owned());
        let found = verdicts(&policy, &statements, &asked).expect("verdicts");
        let mut counts: BTreeMap<Option<String>, i64> = BTreeMap::new();
        for record in &found.records {
            let holds = record.values[0] == Some(Value::Boolean(true));
            *counts.entry(record.customer.clone()).or_default() += i64::from(holds);
            assert!(!record.why.is_empty(), "{flag}: {record:?}");
        }
        for one in &counted {
            assert_eq!(one.values[metric], Ok(Value::Int(counts[&one.customer])), "{metric}");
        }
    }
}
