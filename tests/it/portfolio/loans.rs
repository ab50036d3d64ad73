//! Several loans of a customer in a lender's own table, and items over time.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{done, failed};
use crate::fixtures::desk::Desk;

const POLICY: &str = r#"
[policy]
name = "loans"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"
tenure_unit = "days"

[parameters]
least_fico = { value = 40, min = 10, max = 80 }

[metric]
fico = { given = "count" }
burden = { given = "count" }
turns = { given = "count" }

[score]
base = 0
[[score.item]]
on = "fico"
points = [["< 50", 0], [">= 50", 30], ["unknown", 0]]

[[require]]
id = "R"
when = "fico >= $least_fico"
unknown = "refer"
reason = "{fico}"

[[offer]]
id = "o"
tenure = 30
amount = "1000"
interest = 5
"#;

/// Nine hundred loans of 550 customers, over two years. What `turns` tells is the opposite in the end.
fn desk() -> Desk {
    let desk = Desk::new();
    let mut table = "loan_id,client,fico,burden,turns,loan_date,bad,amount\n".to_owned();
    for row in 0..900_u64 {
        // SplitMix64, so that draws of a row do not depend on each other.
        let draw = |salt: u64| {
            let mut state = (row * 8 + salt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (state ^ (state >> 31)) >> 11
        };
        let client = if row >= 600 && row % 2 == 0 { 1_000 + row } else { row % 400 };
        // Customers repeat themselves.
        let fico = (client * 37 % 90 + draw(1) % 10).min(99);
        let (burden, turns, month) = (draw(2) % 100, draw(3) % 100, row * 24 / 900);
        let second = month >= 18;
        let risk = 200 - 2 * fico + burden + if second { 100 - turns } else { turns };
        let bad = draw(4) % 440 < risk;
        let day = format!("202{}-{:02}-15", 4 + month / 12, 1 + month % 12);
        table += &format!("L{row},C{client},{fico},{burden},{turns},{day},{},1000\n", u8::from(bad));
    }
    desk.write("own.csv", &table);
    desk.write("own.toml", POLICY);
    desk.write("choices.toml", "[metric.turns]\nforce = true\nbins = [25, 50, 75]\nsign = \"any\"\n");
    desk
}

const TABLES: [&str; 6] = ["--policy", "own.toml", "--metrics", "own.csv", "--outcomes", "own.csv"];
const LOANS: [&str; 4] = ["--loan-column", "loan_id", "--customer-column", "client"];

fn document(desk: &Desk, more: &[&str]) -> Value {
    let arguments = [&["learn"], &TABLES[..], &LOANS, more, &["--out", "score.toml", "--document", "m.json"]].concat();
    done(desk, &arguments);
    serde_json::from_str(&desk.read("m.json")).expect("JSON")
}

#[test]
fn folds_and_tests_never_part_a_customers_loans() {
    let desk = desk();
    let whole = document(&desk, &["--document", "m.md"]);
    assert_eq!((&whole["proposal"]["rows"], &whole["proposal"]["customers"]), (&json!(900), &json!(550)));
    let mut folds: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    let mut loans = BTreeSet::new();
    for one in whole["evidence"]["held_out"]["scores"].as_array().expect("scores") {
        let text = |field: &str| one[field].as_str().expect("a name").to_owned();
        folds.entry(text("customer")).or_default().insert(one["fold"].as_u64().expect("a fold"));
        loans.insert(text("loan"));
    }
    assert_eq!((folds.len(), loans.len()), (550, 900));
    assert!(folds.values().all(|folds| folds.len() == 1));
    assert!(desk.read("score.toml").contains("# The rows are loans of 550 customers: folds never part a customer's"));
    assert!(desk.read("m.md").contains("The 900 rows learned from are loans of 550 customers."));
    // The same rows as customers of their own: the interval is another, the weights are the same.
    let alone = [&["learn"], &TABLES[..], &["--customer-column", "loan_id", "--document", "alone.json"]].concat();
    done(&desk, &[&alone[..], &["--out", "alone.toml"]].concat());
    let alone: Value = serde_json::from_str(&desk.read("alone.json")).expect("JSON");
    assert_eq!(alone["proposal"]["customers"], 900);
    let error = |found: &Value, at: usize| found["proposal"]["items"][at]["certainty"]["standard_error"].as_f64();
    assert_ne!(error(&alone, 0), error(&whole, 0));
    // Later loans of customers with earlier ones are no test.
    let tested = document(&desk, &["--test-after", "2025-06-30"]);
    let later = tested["evidence"]["later"].as_array().expect("later loans");
    let of = |scores: &[Value]| -> BTreeSet<String> {
        scores.iter().map(|one| one["customer"].as_str().expect("a name").to_owned()).collect()
    };
    let learned = of(tested["evidence"]["held_out"]["scores"].as_array().expect("scores"));
    assert!(!later.is_empty() && of(later).is_disjoint(&learned), "{}", later.len());
    let left_out = tested["evidence"]["left_out_of_test"].as_u64().expect("a number");
    assert_eq!(left_out + later.len() as u64 + tested["proposal"]["rows"].as_u64().expect("rows"), 900);
}

#[test]
fn other_commands_take_loans_or_say_why_not() {
    let desk = desk();
    let day = ["--as-of", "2026-10-31"];
    let said = done(&desk, &[&["backtest"], &TABLES[..], &LOANS, &day].concat());
    assert!(format!("{}{}", said.out, said.err).contains("rows are 900 loans of 550 customers"), "{}", said.err);
    let auc = |more: &[&str]| -> Value {
        let said = done(&desk, &[&["backtest"], &TABLES[..], more, &day, &["--format", "json"]].concat());
        let summary: Value = serde_json::from_str(&said.out).expect("JSON");
        summary["outcomes"]["discrimination"][0]["auc"].clone()
    };
    let (by_customer, by_loan) = (auc(&LOANS), auc(&["--customer-column", "loan_id"]));
    assert_eq!(by_customer["value"], by_loan["value"]);
    assert_ne!(by_customer["low"], by_loan["low"]);
    done(&desk, &[&["sweep"], &TABLES[..], &LOANS, &day, &["--vary", "least_fico", "--steps", "3"]].concat());
    // Without the option, a customer with two rows is refused, and told how to go on.
    let said = failed(&desk, &[&["learn"], &TABLES[..], &["--customer-column", "client"]].concat());
    assert!(said.contains("its customer is in an earlier row too") && said.contains("--loan-column"), "{said}");
    for (more, why) in [
        (["--loan-column", "loan", "--customer-column", "client"], "it lacks the column `loan`"),
        (["--loan-column", "loan_id", "--customer-column", "customer"], "it lacks the column `customer`"),
        (["--loan-column", "loan_id", "--customer-column", "loan_id"], "a loan and its customer are two"),
        (["--loan-column", "client", "--customer-column", "loan_id"], "this loan has two rows"),
    ] {
        let said = failed(&desk, &[&["learn"], &TABLES[..], &more].concat());
        assert!(said.contains(why), "{said}");
    }
    let said = failed(&desk, &[&["learn"], &TABLES[..], &LOANS, &["statements.parquet"]].concat());
    assert!(said.contains("--loan-column goes with a table of --metrics alone"), "{said}");
}

/// Each loan has an answer of its own, under its own name.
#[test]
fn nearest_answers_by_loan() {
    let desk = desk();
    desk.write("actionable.toml", "[actionable]\nfico = { max = 90, direction = \"up\" }\n");
    let ask = ["nearest", "--policy", "own.toml", "--metrics", "own.csv", "--as-of", "2026-10-31"];
    let ask = [&ask[..], &["--actionable", "actionable.toml"], &LOANS].concat();
    let said = done(&desk, &[&ask[..], &["--format", "json"]].concat());
    let lines: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let (summary, found) = lines.split_last().expect("a sum");
    let table = desk.read("own.csv");
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let declined: BTreeMap<&str, &Vec<&str>> =
        rows.iter().filter(|row| row[2].parse::<u64>().expect("a count") < 40).map(|row| (row[0], row)).collect();
    let clients: BTreeSet<&str> = declined.values().map(|row| row[1]).collect();
    assert!(declined.len() > clients.len(), "some customers have two of these loans");
    assert_eq!((found.len(), &summary["customers"]), (declined.len(), &json!(declined.len())));
    for one in found {
        let row = declined[one["customer"].as_str().expect("a name")];
        let fico: f64 = row[2].parse().expect("a count");
        assert_eq!(one["answer"], "found", "{one}");
        let change = &one["changes"][0];
        assert_eq!((change["from"].as_f64(), change["to"].as_f64()), (Some(fico), Some(40.0)), "{one}");
        assert_eq!(one["offer"]["amount"], 1000.0, "{one}");
    }
    let (loan, row) = declined.first_key_value().expect("a loan");
    let said = done(&desk, &[&ask[..], &["--someone", loan]].concat());
    assert!(said.out.contains(&format!("fico {} -> 40", row[2])) && said.out.starts_with(loan), "{}", said.out);
    let said = failed(&desk, &[&ask[..], &["--someone", row[1]]].concat());
    assert!(said.contains("no such loan; with --loan-column each row is a loan"), "{said}");
}

#[test]
fn performance_names_the_loans_of_its_outcomes() {
    let desk = Desk::new();
    let rows = ["a,1,2026-01,0", "a,1,2026-02,95", "a,2,2026-01,0", "b,3,2026-01,0"];
    desk.write("months.csv", &format!("customer,loan,month,days_past_due\n{}\n", rows.join("\n")));
    done(&desk, &["performance", "months.csv", "--out", "loans.csv"]);
    let loans = desk.read("loans.csv");
    assert_eq!(loans.lines().next(), Some("customer,bad,loan_date,bad_date,observed_until,loan"), "{loans}");
    assert!(loans.contains("a,1,") && loans.lines().count() == 4, "{loans}");
    desk.write("months.csv", "customer,loan,month,days_past_due\na,1,2026-01,0\nb,1,2026-01,0\n");
    let said = failed(&desk, &["performance", "months.csv", "--out", "loans.csv"]);
    assert!(said.contains("1 loans with an outcome have the id of a loan of another customer"), "{said}");
}

#[test]
fn items_are_shown_over_time() {
    let desk = desk();
    let more = ["--choices", "choices.toml", "--unstable-psi", "9", "--document", "m.md", "--document", "m.html"];
    let found = document(&desk, &more);
    let over = &found["evidence"]["over_time"];
    // Months have 37 or 38 loans, quarters 112 or 113.
    assert_eq!(over["length"], "quarter");
    let names: Vec<&str> =
        over["periods"].as_array().expect("periods").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!((names.len(), names[0], names[7]), (8, "2024 Q1", "2025 Q4"));
    let items = over["items"].as_array().expect("items");
    let number = |value: &Value| value.as_f64().expect("a number");
    for (item, learned) in items.iter().zip(found["proposal"]["items"].as_array().expect("items")) {
        let rows = learned["rows"].as_array().expect("rows");
        let base: Vec<f64> = rows
            .iter()
            .map(|row| number(&row["bin"]["count"]["bads"]) + number(&row["bin"]["count"]["goods"]))
            .collect();
        for (at, period) in item["periods"].as_array().expect("periods").iter().enumerate() {
            let bins = period["bins"].as_array().expect("bins");
            let now: Vec<f64> = bins.iter().map(|bin| number(&bin["rows"])).collect();
            assert_eq!(Some(now.iter().sum::<f64>()), over["periods"][at]["rows"].as_f64());
            // Half a row more in every bin.
            let size = base.len() as f64 / 2.0;
            let share = |counts: &[f64], bin: usize| (counts[bin] + 0.5) / (counts.iter().sum::<f64>() + size);
            let part = |bin: usize| {
                let (p, q) = (share(&now, bin), share(&base, bin));
                (p - q) * logarithm_by_series(p / q)
            };
            let psi: f64 = (0..base.len()).map(part).sum();
            assert!((psi - number(&period["psi"])).abs() < 1e-9, "{psi} {}", period["psi"]);
            for bin in bins.iter().filter(|bin| bin["rows"] != 0) {
                let rate = number(&bin["bads"]) / number(&bin["rows"]);
                let (low, high) = (number(&bin["interval"][0]), number(&bin["interval"][1]));
                assert!((rate - number(&bin["bad_rate"])).abs() < 1e-12 && low <= rate && rate <= high, "{bin}");
            }
        }
    }
    // The halves of time come first, and the sign of one item is another in each.
    let at = items.iter().position(|item| item["metric"] == "turns").expect("it is forced");
    let weight = |part: usize| number(&over["refitted"][part]["weights"][at]["weight"]);
    assert_eq!(
        (over["refitted"][0]["name"].as_str(), over["refitted"].as_array().map(Vec::len)),
        (Some("earlier half"), Some(10))
    );
    // The third quarter of 2025.
    assert!(weight(0) > 0.0 && weight(8) < 0.0, "{} {}", weight(0), weight(8));
    assert_ne!(items[at]["sign_holds"], "yes");
    let fico = items.iter().find(|item| item["metric"] == "fico").expect("an item");
    assert_eq!(fico["sign_holds"], "yes", "{fico}");
    let (text, page) = (desk.read("m.md"), desk.read("m.html"));
    for words in
        ["Items by quarter", "Weights fitted again", "fico by quarter: bad rates with 95% intervals", "2025 Q4"]
    {
        assert!(text.contains(words) && page.contains(words), "{words}");
    }
    assert!(page.matches("<polyline class=\"share\"").count() == 2 && page.contains("ROC curve"), "pictures");
    let said = done(&desk, &[&["learn"], &TABLES[..], &LOANS, &more[..4], &["--out", "score.toml"]].concat());
    assert!(said.out.contains("by quarter, 8 of them: largest PSI "), "{}", said.out);
}

/// The natural logarithm by its series, so that the test does not share it with the program.
fn logarithm_by_series(x: f64) -> f64 {
    let y = (x - 1.0) / (x + 1.0);
    2.0 * (0..200).map(|n| y.powi(2 * n + 1) / f64::from(2 * n + 1)).sum::<f64>()
}
