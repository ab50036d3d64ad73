//! Salary twice a month and every four weeks, from a statement to its metrics: the month's amount and the next pay day.

use lendwright::base::date::Day;
use serde_json::Value;

use crate::fixtures::desk::Desk;

const STREAMS: &str = r#"
[policy]
name = "streams"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"
use = ["metrics.toml"]

[metric]
streams = "COUNT(*) FILTER (WHERE stream_is_credit)"
semimonthly = "COUNT(*) FILTER (WHERE stream_is_credit AND stream_period = 'semimonthly')"
four_weekly = "COUNT(*) FILTER (WHERE stream_is_credit AND stream_period = 'four_weekly')"
records = "SUM(stream_records) FILTER (WHERE stream_is_credit)"
month = "SUM(stream_month_amount) FILTER (WHERE stream_is_credit)"

[[require]]
id = "R01"
when = "streams > 0"
unknown = "pass"
reason = "{semimonthly} {four_weekly} {records} {month} {credit_stream_month_total} {debit_stream_month_total}"

[[require]]
id = "R02"
when = "salary_count >= 0"
unknown = "pass"
reason = "{salary_next_date} {salary_confidence} {loan_stream_month_total}"

[[offer]]
id = "o"
tenure = 30
amount = "1000"
interest = 1
"#;

/// The working day before a Saturday or a Sunday, else the day itself.
fn working(day: Day) -> Day {
    Day::from_days(day.days() - ((day.days() + 3).rem_euclid(7) - 4).max(0))
}

/// A year of pay on the 15th and the last day of the month from September 2025, or on the working day before.
fn twice_a_month(first: u32, second: u32) -> Vec<(Day, u32, &'static str)> {
    let month = |at: i32| (2025 + (at + 8) / 12, ((at + 8) % 12 + 1) as u32);
    let days = |at: i32| {
        let (year, month) = month(at);
        let last = (28..=31).rev().find_map(|day| Day::from_ymd(year, month, day)).unwrap();
        [(Day::from_ymd(year, month, 15).unwrap(), first), (last, second)]
    };
    let pay = |(day, amount): (Day, u32)| (working(day), amount, "ACME MILLS LTD PAYROLL SALARY");
    (0..12).flat_map(days).map(pay).collect()
}

/// Every four weeks from 5 September 2025.
fn every_four_weeks(amount: u32, narration: &'static str) -> Vec<(Day, u32, &'static str)> {
    let first = Day::parse_iso("2025-09-05").unwrap().days();
    (0..13).map(|time| (Day::from_days(first + 28 * time), amount, narration)).collect()
}

/// Metrics of payments on one side, among irregular gifts and purchases.
fn metrics(side: &str, payments: &[(Day, u32, &str)], as_of: &str) -> Value {
    let desk = Desk::new();
    let rules = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/metrics.toml")).unwrap();
    let words = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/words.toml")).unwrap();
    desk.write("metrics.toml", &rules);
    desk.write("words.toml", &words);
    desk.write("streams.toml", STREAMS);
    let mut rows: Vec<(Day, String)> = Vec::new();
    for (day, amount, narration) in payments {
        let amounts = if side == "credit" { format!("{amount},0") } else { format!("0,{amount}") };
        rows.push((*day, format!("{amounts},{narration}")));
    }
    let names = ["BOLA ADE", "CHI OKE", "DAN UDO", "EZE OBI"];
    let first = payments[0].0.days();
    for at in 0..8_i32 {
        let day = Day::from_days(first + at * at * 5);
        let amount = 3_000 + at * 7_919 % 19_000;
        rows.push((day, format!("{amount},0,TRF FROM {} GIFT", names[at as usize % 4])));
        rows.push((day, format!("0,{},POS PURCHASE MEGA STORE {at}", amount / 3)));
    }
    rows.sort();
    let rows = rows.iter().zip(0..).map(|((day, row), at)| format!("K1,t{at},{day},{row}\n"));
    desk.write("t.csv", &format!("customer,id,trans_date,credit,debit,desc\n{}", rows.collect::<String>()));
    let said = desk.run(&["decide", "--policy", "streams.toml", "--as-of", as_of, "t.csv"]);
    assert_eq!(said.status, 0, "{}", said.err);
    serde_json::from_str::<Value>(&said.out).unwrap()["metrics"].take()
}

fn told(metrics: &Value, names: &[&str]) -> String {
    names.iter().map(|name| format!("{name} {}", metrics[name])).collect::<Vec<String>>().join(", ")
}

const OF_PAY: [&str; 8] = [
    "streams",
    "semimonthly",
    "four_weekly",
    "records",
    "month",
    "salary_next_date",
    "salary_confidence",
    "credit_stream_month_total",
];

#[test]
fn equal_pay_twice_a_month_is_one_stream_of_all_records() {
    assert_eq!(
        told(&metrics("credit", &twice_a_month(100_000, 100_000), "2026-08-31"), &OF_PAY),
        "streams 1, semimonthly 1, four_weekly 0, records 24, month 20000000, salary_next_date \"2026-09-15\", \
         salary_confidence 1.0, credit_stream_month_total 20000000"
    );
}

#[test]
fn unequal_pay_twice_a_month_is_two_streams() {
    let metrics = metrics("credit", &twice_a_month(120_000, 80_000), "2026-08-31");
    assert_eq!(
        told(
            &metrics,
            &["streams", "semimonthly", "records", "month", "salary_next_date", "credit_stream_month_total"]
        ),
        "streams 2, semimonthly 0, records 24, month 20000000, salary_next_date \"2026-09-15\", \
         credit_stream_month_total 20000000"
    );
}

#[test]
fn pay_every_four_weeks_brings_thirteen_twelfths_a_month() {
    let pay = every_four_weeks(200_000, "ACME MILLS LTD PAYROLL SALARY");
    assert_eq!(
        told(&metrics("credit", &pay, "2026-08-27"), &OF_PAY),
        "streams 1, semimonthly 0, four_weekly 1, records 13, month 21666667, salary_next_date \"2026-09-04\", \
         salary_confidence 1.0, credit_stream_month_total 21666667"
    );
}

/// Pay from an employer who does not say so is pay by the month's rule.
#[test]
fn an_employer_who_does_not_say_salary_pays_every_four_weeks() {
    let pay = every_four_weeks(200_000, "NIP/GTB/ACME STEEL NIGERIA LTD /MILLS");
    assert_eq!(
        told(&metrics("credit", &pay, "2026-08-27"), &["four_weekly", "salary_count", "salary_next_date"]),
        "four_weekly 1, salary_count 13, salary_next_date \"2026-09-04\""
    );
}

#[test]
fn a_loan_repaid_every_four_weeks_takes_thirteen_twelfths_a_month() {
    let repaid = every_four_weeks(12_000, "CREDIT DIRECT LTD LOAN REPAYMENT");
    let metrics = metrics("debit", &repaid, "2026-08-27");
    assert_eq!(
        told(&metrics, &["debit_stream_month_total", "loan_stream_month_total"]),
        "debit_stream_month_total 1300000, loan_stream_month_total 1300000"
    );
}
