//! A lender's own table: given metrics, requests and bureaus' reports by customer, in every command on a portfolio.

use polars::prelude::{Column, DataFrame, ParquetWriter};
use rust_xlsxwriter::Workbook;
use serde_json::{Value, json};

use super::{A, done, failed, json as read_json};
use crate::fixtures::desk::Desk;

const POLICY: &str = r#"
[policy]
name = "own"
version = "1"
currency = "566"
statement_unit = "major"
time_zone = "Africa/Lagos"
tenure_unit = "days"

[parameters]
least_fico = { value = 600, min = 500, max = 800 }

[metric]
fico = { given = "count", column = "FICO score" }
income = { given = "money" }
is_owner = { given = "boolean" }
region = { given = "text" }
since = { given = "date" }
burden = "COALESCE(request.amount, 20000) / income"

[request]
amount = "money"
[bureau]
open_loans = "count"

[[require]]
id = "FICO"
when = "fico >= $least_fico"
unknown = "refer"
reason = "{fico}"
[[require]]
id = "REGION"
when = "region = 'north' OR is_owner"
unknown = "refer"
reason = "{region}"
[[require]]
id = "LOANS"
when = "bureau.open_loans < 4"
unknown = "pass"
reason = "{bureau.open_loans}"
[[require]]
id = "SINCE"
when = "since <= DATE '2026-01-01'"
unknown = "refer"
reason = "{since}"

[[offer]]
id = "o"
tenure = [30]
amount = "LEAST(COALESCE(request.amount, 20000), round_down(income * 0.1, 500))"
interest = 5
"#;

/// The lender's table: column by column, as texts; an empty one is unknown.
fn cells(row: usize) -> [String; 6] {
    let empty_every = |every: usize, text: String| if row % every == every - 1 { String::new() } else { text };
    [
        format!("C{row}"),
        empty_every(11, (560 + row * 7 % 200).to_string()),
        empty_every(13, format!("{}.{:02}", 40_000 + row * 1_733 % 90_000, row * 37 % 100)),
        empty_every(17, ["yes", "no"][row % 2].to_owned()),
        empty_every(19, ["north", "south", "east"][row % 3].to_owned()),
        empty_every(23, format!("2025-{:02}-11", 1 + row % 12)),
    ]
}

const COLUMNS: [&str; 6] = ["customer", "FICO score", "income", "is_owner", "region", "since"];
const ROWS: usize = 120;

pub(super) fn csv() -> String {
    let rows = (0..ROWS).map(|row| cells(row).join(",") + "\n");
    COLUMNS.join(",") + "\n" + &rows.collect::<String>()
}

/// What some customers ask for and what the bureau says of them.
fn requests() -> String {
    let row = |row: usize| {
        let loans = if row % 5 == 4 { String::new() } else { (row % 6).to_string() };
        format!("C{row},{}.50,{loans}\n", 3_000 + row * 91)
    };
    "customer,amount,bureau.open_loans\n".to_owned() + &(0..ROWS).map(row).collect::<String>()
}

pub(super) fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("own.toml", POLICY);
    desk.write("new.toml", &POLICY.replace("value = 600", "value = 640"));
    desk.write("table.csv", &csv());
    desk.write("requests.csv", &requests());
    // A score that told all would be left out as leaking.
    let is_bad = |row: usize| (row * 7 % 200 < 70) != row.is_multiple_of(9);
    let outcome = |row: usize| format!("C{row},{},{}\n", u8::from(is_bad(row)), 3_000 + row);
    desk.write("loans.csv", &format!("customer,bad,amount\n{}", (0..ROWS).map(outcome).collect::<String>()));
    desk
}

const BACKTEST: [&str; 4] = ["backtest", "--policy", "own.toml", "--format=json"];
pub(super) const OWN: [&str; 4] = ["--metrics", "table.csv", "--as-of", DAY];
const DAY: &str = "2026-10-31";
const REQUESTS: [&str; 2] = ["--requests", "requests.csv"];

/// What a backtest found, without the names and digests of what was read.
pub(super) fn backtest(desk: &Desk, more: &[&str]) -> Value {
    let mut found = read_json(&done(desk, &[&BACKTEST[..], more].concat()));
    found.as_object_mut().expect("an object").remove("inputs");
    found
}

/// Every customer is decided as by `decide` with a request that holds the same.
#[test]
fn a_row_is_decided_as_a_request_that_holds_the_same() {
    let desk = desk();
    desk.write("none.toml", &POLICY.replace("amount = \"LEAST", "when = \"FALSE\"\namount = \"LEAST"));
    let flips = ["--against", "none.toml", "--flips", "flips.csv"];
    done(&desk, &[&BACKTEST[..], &OWN, &REQUESTS, &flips].concat());
    let flips = desk.read("flips.csv");
    let offered = |row: usize| {
        let line = flips.lines().find(|line| line.starts_with(&format!("C{row},")))?;
        line.split(',').nth(4).map(str::to_owned).filter(|amount| !amount.is_empty())
    };
    let statement = "in/statement-000001.json";
    let (mut offers, mut others) = (0, 0);
    for row in (0..ROWS).step_by(3) {
        let [_, fico, income, is_owner, region, since] = cells(row);
        let known = |text: &str, value: Value| if text.is_empty() { Value::Null } else { value };
        let minor: i64 = income.replace('.', "").parse().unwrap_or_default();
        let mut request = json!({
            "amount": (3_000 + row as i64 * 91) * 100 + 50,
            "given": {
                "fico": known(&fico, json!(fico.parse::<i64>().unwrap_or_default())),
                "income": known(&income, json!(minor)),
                "is_owner": known(&is_owner, json!(is_owner == "yes")),
                "region": known(&region, json!(region)),
                "since": known(&since, json!(since)),
            }
        });
        if row % 5 != 4 {
            request["bureau"] = json!({ "open_loans": row % 6 });
        }
        desk.write("request.json", &request.to_string());
        let decided =
            done(&desk, &["decide", "--policy", "own.toml", "--as-of", DAY, "--request", "request.json", statement]);
        let decided: Value = serde_json::from_str(decided.out.lines().next().expect("a line")).expect("JSON");
        let amount = decided["offers"][0]["amountOffered"].as_i64();
        let wanted = amount.map(|minor| format!("{}.{:02}", minor / 100, minor % 100));
        assert_eq!(offered(row), wanted, "row {row}: {decided}");
        if amount.is_some() { offers += 1 } else { others += 1 }
    }
    assert!(offers > 5 && others > 5, "{offers} {others}");
}

/// One table may be given as metrics and as outcomes: its amounts have one unit.
#[test]
fn amounts_of_outcomes_are_in_major_units_in_every_format() {
    let desk = desk();
    let sweep = ["sweep", "--policy", "own.toml", "--format=json", "--vary", "least_fico"];
    let economics = ["--economics", "lgd=0.6,margin=0.12,amount=lent"];
    let profit = |loans: &str| -> Value {
        let mut found = read_json(&done(&desk, &[&sweep[..], &OWN, &economics, &["--outcomes", loans]].concat()));
        found.as_object_mut().expect("an object").remove("inputs");
        found
    };
    let wanted = profit("loans.csv");
    assert!(wanted.to_string().contains("profit"), "{wanted}");
    let lines = desk.read("loans.csv");
    let rows: Vec<Vec<&str>> = lines.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let line =
        |row: &Vec<&str>| format!("{{\"customer\":\"{}\",\"bad\":{},\"amount\":{}.0}}\n", row[0], row[1], row[2]);
    desk.write("loans.ndjson", &rows.iter().map(line).collect::<String>());
    let column = |at: usize| rows.iter().map(|row| row[at].parse::<i64>().expect("a number")).collect::<Vec<_>>();
    let customers: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let columns = vec![
        Column::new("customer".into(), customers),
        Column::new("bad".into(), column(1)),
        Column::new("amount".into(), column(2)),
    ];
    let mut frame = DataFrame::new(rows.len(), columns).expect("a frame");
    let file = std::fs::File::create(desk.path().join("loans.parquet")).expect("a file");
    ParquetWriter::new(file).finish(&mut frame).expect("a table");
    for loans in ["loans.ndjson", "loans.parquet"] {
        assert_eq!(profit(loans), wanted, "{loans}");
    }
}

#[test]
fn a_table_says_the_same_in_every_format() {
    let desk = desk();
    let wanted = backtest(&desk, &[&OWN[..], &REQUESTS, &["--by", "region"]].concat());
    assert!(wanted["segments"].to_string().contains("north"), "{wanted}");
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    let mut lines = String::new();
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); COLUMNS.len()];
    for (at, name) in COLUMNS.iter().enumerate() {
        sheet.write_string(0, at as u16, *name).expect("a cell");
    }
    for row in 0..ROWS {
        let mut object = serde_json::Map::new();
        for (at, cell) in cells(row).into_iter().enumerate() {
            match cell.parse::<f64>().ok().filter(|_| at > 0) {
                Some(number) => {
                    sheet.write_number(row as u32 + 1, at as u16, number).expect("a cell");
                    object.insert(COLUMNS[at].to_owned(), json!(number));
                }
                None if cell.is_empty() => drop(object.insert(COLUMNS[at].to_owned(), Value::Null)),
                None => {
                    sheet.write_string(row as u32 + 1, at as u16, &cell).expect("a cell");
                    object.insert(COLUMNS[at].to_owned(), json!(cell));
                }
            }
            columns[at].push(cell);
        }
        lines += &format!("{}\n", Value::Object(object));
    }
    book.save(desk.path().join("table.xlsx")).expect("a workbook");
    desk.write("table.ndjson", &lines);
    let column = |(at, texts): (usize, Vec<String>)| match at {
        1 | 2 => Column::new(COLUMNS[at].into(), texts.iter().map(|text| text.parse::<f64>().ok()).collect::<Vec<_>>()),
        _ => Column::new(
            COLUMNS[at].into(),
            texts.into_iter().map(Some).map(|text| text.filter(|text| !text.is_empty())).collect::<Vec<_>>(),
        ),
    };
    let mut frame = DataFrame::new(ROWS, columns.into_iter().enumerate().map(column).collect()).expect("a frame");
    let file = std::fs::File::create(desk.path().join("table.parquet")).expect("a file");
    ParquetWriter::new(file).finish(&mut frame).expect("it is written");
    for name in ["table.xlsx", "table.ndjson", "table.parquet"] {
        let found =
            backtest(&desk, &[&["--metrics", name, "--as-of", DAY][..], &REQUESTS, &["--by", "region"]].concat());
        assert_eq!(found, wanted, "{name}");
    }
}

#[test]
fn every_command_on_a_portfolio_takes_the_tables() {
    let desk = desk();
    let outcomes = ["--outcomes", "loans.csv"];
    desk.write("actionable.toml", "[actionable]\nfico = { max = 800, step = 10, direction = \"up\" }\n");
    let own = [&OWN[..], &REQUESTS].concat();
    let policy = ["--policy", "own.toml"];
    let nearest = done(&desk, &[&["nearest", "--actionable", "actionable.toml"][..], &policy, &own].concat());
    assert!(nearest.out.contains("fico"), "{}", nearest.out);
    let swept = ["sweep", "--vary", "least_fico", "--steps", "5", "--format", "json"];
    let swept = read_json(&done(&desk, &[&swept[..], &policy, &outcomes, &own].concat()));
    let rates = swept["points"].as_array().expect("points").iter().filter_map(|point| point["approval_rate"].as_f64());
    let rates: Vec<f64> = rates.collect();
    assert!(rates.windows(2).all(|pair| pair[0] >= pair[1]) && rates.first() > rates.last(), "{rates:?}");
    let learned = done(&desk, &[&["learn"][..], &policy, &outcomes, &own].concat()).out;
    assert!(learned.contains("on = \"fico\"") || learned.contains("fico"), "{learned}");
    // Without the requests, the amount is the largest one.
    let (with, without) = (backtest(&desk, &own), backtest(&desk, &OWN));
    assert_ne!(with["policies"], without["policies"]);
}

/// Statements, their table of metrics, and a table of the lender's together.
#[test]
fn given_metrics_stand_beside_those_of_statements() {
    let desk = Desk::new();
    let policy = POLICY.replace("[metric]\n", "[metric]\npayments = \"COUNT(*)\"\nboth = \"payments * fico\"\n");
    let policy = policy.replace(
        "\n[[offer]]",
        "[[require]]\nid = \"BOTH\"\nwhen = \"both > 20000\"\nunknown = \"refer\"\nreason = \"{both}\"\n\n[[offer]]",
    );
    desk.write("own.toml", &policy);
    for (records, seed, folder) in [("15", "1", "a"), ("60", "4", "b")] {
        let more = ["--records", records, "--seed", seed, "--format", "parquet", "--out", folder];
        done(&desk, &[&["generate", "--statements", "10"][..], &more].concat());
    }
    let statements = [A, "b/statements.parquet"];
    let day = ["--as-of", "2026-10-31"];
    done(&desk, &[&["metrics", "--policy", "own.toml", "--out", "book.parquet"][..], &day, &statements].concat());
    done(&desk, &[&["metrics", "--policy", "own.toml", "--out", "book.csv"][..], &day, &statements].concat());
    let book = desk.read("book.csv");
    let (header, rows) = book.split_once('\n').expect("a header");
    assert!(header.contains("payments"), "{header}");
    for name in ["fico", "income", "burden", "both"] {
        assert!(!header.split(',').any(|column| column.starts_with(name)), "no record gives {name}: {header}");
    }
    let customers: Vec<&str> = rows.lines().filter_map(|line| line.split(',').next()).collect();
    let line = |(at, customer): (usize, &&str)| format!("{customer},{}\n", cells(at)[1..].join(","));
    let table: Vec<String> = customers.iter().enumerate().map(line).collect();
    desk.write("table.csv", &format!("{}\n{}", COLUMNS.join(","), table.concat()));
    let of_book = backtest(&desk, &[&OWN[..], &["book.parquet"]].concat());
    let of_statements = backtest(&desk, &[&OWN[..], &statements].concat());
    assert_eq!(of_book, of_statements);
    let offers = of_book["policies"][0].to_string();
    assert!(offers.contains("BOTH"), "{offers}");
    // A customer without a row, and a row without a customer, are said.
    desk.write("table.csv", &format!("{}\n{}stranger,,,,,\n", COLUMNS.join(","), table[1..].concat()));
    let said = done(&desk, &[&BACKTEST[..], &OWN, &["book.parquet"]].concat());
    let warned = format!("{}{}", said.out, said.err);
    assert!(warned.contains("1 customers have no row in `table.csv`"), "{warned}");
    assert!(warned.contains("1 rows of `table.csv` belong to customers"), "{warned}");
    // Without the table, what it gives is missing; nothing is guessed.
    let error = failed(&desk, &[&BACKTEST[..], &["book.parquet"]].concat());
    assert!(
        error.contains("no table gives") && error.contains("`fico`") && error.contains("--metrics FILE"),
        "{error}"
    );
}

#[test]
fn mistakes_in_own_tables_say_what_to_do() {
    let desk = desk();
    desk.write("twice.csv", &format!("{}C0,700,1.00,yes,north,2025-01-11\n", csv()));
    desk.write("short.csv", &csv().replace("income", "incme"));
    desk.write("cell.csv", &csv().replace("C1,567", "C1,a lot"));
    desk.write("unnamed.csv", "name,amount\nC1,2\n");
    desk.write("precise.csv", "customer,amount\nC1,2.555\n");
    desk.write("strange.csv", "customer,amuont\nC1,2\n");
    desk.write("strangers.csv", "customer,amount\nD1,2\n");
    desk.write("both.csv", "customer,request.amount,given.fico\nC1,2,700\n");
    desk.write("table.txt", &csv());
    let own = [&BACKTEST[..], &OWN].concat();
    let mut shown = String::new();
    for (base, more) in [
        (&BACKTEST[..], &["table.csv"][..]),
        (&BACKTEST, &["--metrics", "twice.csv"]),
        (&BACKTEST, &["--metrics", "short.csv"]),
        (&BACKTEST, &["--metrics", "cell.csv"]),
        (&BACKTEST, &["--metrics", "table.txt"]),
        (&BACKTEST, &["--metrics", "table.csv", "--customer-column", "loan"]),
        (&BACKTEST, &["--metrics", "table.csv", "--outcomes", "loans.csv", "--bad-column", "bda"]),
        (&own, &["--requests", "unnamed.csv"]),
        (&own, &["--requests", "precise.csv"]),
        (&own, &["--requests", "strange.csv"]),
        (&own, &["--requests", "strangers.csv"]),
        (&own, &["--requests", "both.csv"]),
        (&["backtest", "--policy", "own.toml"], &[]),
        (&["backtest", "--policy", "own.toml"], &["--requests", "requests.csv"]),
    ] {
        let error = failed(&desk, &[base, more].concat());
        shown += &format!("{}\n{error}\n", more.join(" "));
    }
    insta::assert_snapshot!(shown);
}

/// Tables of one formula may hold other values: the digest says which were read.
#[test]
fn the_digests_of_inputs_cover_their_bytes() {
    let desk = super::desk();
    let inputs = |more: &[&str]| {
        let found =
            read_json(&done(&desk, &[&["backtest", "--policy", "old.toml", "--format", "json"], more].concat()));
        found["inputs"].to_string()
    };
    let first = inputs(&["book.parquet"]);
    // The same formulas, of other people.
    let day = ["--as-of", "2026-10-31"];
    done(&desk, &[&["metrics", "--policy", "old.toml", A, "--out", "other.parquet"][..], &day].concat());
    std::fs::copy(desk.path().join("other.parquet"), desk.path().join("book.parquet")).expect("it is copied");
    let values = ["other.values.parquet", "book.values.parquet"].map(|name| desk.path().join(name));
    if values[0].is_file() {
        std::fs::copy(&values[0], &values[1]).expect("it is copied");
    }
    assert_ne!(inputs(&["book.parquet"]), first);
    let own = self::desk();
    let inputs = || read_json(&done(&own, &[&BACKTEST[..], &OWN, &REQUESTS].concat()))["inputs"].to_string();
    let first = inputs();
    assert!(first.contains("table.csv") && first.contains("requests.csv"), "{first}");
    own.write("requests.csv", &requests().replace("C1,3091", "C1,3092"));
    assert_ne!(inputs(), first);
}

/// Offers count from the day, so judging needs one. The note that none was given is for policies that ask for it.
#[test]
fn a_missing_day_is_refused_or_noted_where_a_policy_asks_for_it() {
    let desk = desk();
    let table = ["--metrics", "table.csv"];
    for command in [&BACKTEST[..], &["sweep", "--policy", "own.toml", "--vary", "least_fico"]] {
        let error = failed(&desk, &[command, &table].concat());
        assert!(error.contains("no day of the decision is given; give the day, such as --as-of"), "{error}");
    }
    let learn = ["learn", "--policy", "own.toml", "--outcomes", "loans.csv", "--metrics", "table.csv"];
    assert_eq!(done(&desk, &learn).err, "");
    desk.write("own.toml", &POLICY.replace("DATE '2026-01-01'", "as_of"));
    let said = done(&desk, &learn);
    assert!(said.err.starts_with("note: no day of the decision is given"), "{}", said.err);
    assert_eq!(done(&desk, &[&learn[..], &["--as-of", DAY]].concat()).err, "");
    // Each row may have its own.
    let days = csv().replace('\n', ",2026-10-31\n").replacen("2026-10-31", "as_of", 1);
    desk.write("days.csv", &days);
    let own = backtest(&desk, &["--metrics", "days.csv"]);
    assert_eq!(own["policies"], backtest(&desk, &OWN)["policies"]);
    desk.write("days.csv", &days.replace(",2026-10-31", ",2025-03-31"));
    assert_ne!(backtest(&desk, &["--metrics", "days.csv"])["policies"], own["policies"]);
    let error = failed(&desk, &[&BACKTEST[..], &["--metrics", "days.csv", "--as-of", DAY]].concat());
    assert!(error.contains("both say the day"), "{error}");
}

#[test]
fn columns_may_have_names_of_the_lenders_own() {
    let desk = desk();
    let wanted = backtest(&desk, &[&OWN[..], &["--outcomes", "loans.csv"]].concat());
    desk.write("table.csv", &csv().replace("customer,", "Loan No,"));
    let loans = desk.read("loans.csv").replace("customer,bad", "Loan No,Charged off");
    // A column of that name which means something else is not read.
    desk.write(
        "loans.csv",
        &loans.replace("amount", "amount,customer,bad").replace("\n", ",shop,9\n").replacen(",shop,9", "", 1),
    );
    let names = ["--customer-column", "Loan No", "--bad-column", "Charged off"];
    assert_eq!(backtest(&desk, &[&OWN[..], &["--outcomes", "loans.csv"], &names].concat()), wanted);
}

/// A batch decides each customer as `decide` does with their request, and resumes with the same requests only.
#[test]
fn a_batch_takes_a_request_for_each_customer() {
    let desk = Desk::new();
    desk.write("own.toml", POLICY);
    done(&desk, &["generate", "--statements", "10", "--seed", "1", "--format", "parquet", "--out", "a"]);
    done(&desk, &["batch", "--policy", "own.toml", "--out", "plain", "a"]);
    let line = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
    let plain = desk.read("plain/decisions.ndjson");
    let customers: Vec<String> =
        plain.lines().filter_map(|text| line(text)["customer"].as_str().map(str::to_owned)).collect();
    assert!(customers.len() == 10 && plain.lines().all(|line| line.contains("INPUT_MISSING")), "{plain}");
    let mut table =
        "Who,amount,bureau.open_loans,given.fico,given.income,given.is_owner,given.region,given.since\n".to_owned();
    // The last customer has no row.
    for (at, customer) in customers.iter().enumerate().take(9) {
        let [_, fico, income, is_owner, region, since] = cells(at * 11 + 1);
        table += &format!("{customer},{}.50,{at},{fico},{income},{is_owner},{region},{since}\n", 4_000 + at);
    }
    desk.write("requests.csv", &table);
    let batch = ["batch", "--policy", "own.toml", "--requests", "requests.csv", "--customer-column", "Who", "a"];
    done(&desk, &[&batch[..], &["--out", "out"]].concat());
    let decided = desk.read("out/decisions.ndjson");
    let mut outcomes = std::collections::BTreeSet::new();
    for (at, (text, customer)) in decided.lines().zip(&customers).enumerate().take(9) {
        let [_, fico, income, is_owner, region, since] = cells(at * 11 + 1);
        let known = |text: &str, value: Value| if text.is_empty() { Value::Null } else { value };
        let request = json!({
            "amount": (4_000 + at as i64) * 100 + 50,
            "bureau": { "open_loans": at },
            "given": {
                "fico": known(&fico, json!(fico.parse::<i64>().unwrap_or_default())),
                "income": known(&income, json!(income.replace('.', "").parse::<i64>().unwrap_or_default())),
                "is_owner": known(&is_owner, json!(is_owner == "yes")),
                "region": known(&region, json!(region)),
                "since": known(&since, json!(since)),
            }
        });
        desk.write("request.json", &request.to_string());
        let one = ["decide", "--policy", "own.toml", "--request", "request.json", "--only-customer", customer];
        let said = done(&desk, &[&one[..], &["a/statements.parquet"]].concat());
        assert_eq!(line(text), line(said.out.trim()), "{customer}");
        outcomes.insert(line(text)["outcome"].to_string());
    }
    assert!(outcomes.len() > 1, "{outcomes:?}");
    assert!(decided.lines().last().expect("a line").contains("INPUT_MISSING"), "{decided}");
    desk.write("requests.csv", &table.replace(",4000.50,", ",4000.51,"));
    let error = failed(&desk, &[&batch[..], &["--out", "out"]].concat());
    assert!(error.contains("requests of customers"), "{error}");
    desk.write("one.json", "{\"customer\": \"x\"}");
    let error = failed(&desk, &[&batch[..], &["--request", "one.json", "--out", "other"]].concat());
    assert!(error.contains("--request names one customer"), "{error}");
}

/// A policy with one text, and a bin for a name with an apostrophe.
const NAMED: &str = "[policy]\nname = 'n'\nversion = '1'\ncurrency = '566'\ntime_zone = 'Africa/Lagos'\n\
    [metric]\njob = { given = 'text' }\n[[require]]\nid = 'R1'\nwhen = 'score > 3'\nreason = 'few points'\n\
    [score]\nbase = 0\n[[score.item]]\non = 'job'\npoints = [[\"'O''Neil'\", 10], ['unknown', 1], ['-', 2]]\n\
    [[offer]]\nid = 'o'\ntenure = 30\namount = '1000'\ninterest = 5\n";

#[test]
fn a_quote_within_a_text_of_a_cell_is_doubled() {
    let desk = Desk::new();
    desk.write("named.toml", NAMED);
    desk.write("named.csv", "customer,job,bad\nA,O'Neil,1.0\nB,other,no\nC,O'Neil,\nD,,0\n");
    let own = ["--metrics", "named.csv", "--as-of", DAY, "--outcomes", "named.csv", "--format", "json"];
    let found = read_json(&done(&desk, &[&["backtest", "--policy", "named.toml"][..], &own].concat()));
    assert_eq!(found["policies"][0]["outcomes"][0]["customers"], 2, "{found}");
    // An empty cell is a customer without an outcome.
    assert_eq!((&found["outcomes"]["known"], &found["outcomes"]["bad"]), (&3.into(), &1.into()));
    desk.write("named.csv", "customer,job,given.job\nA,x,y\n");
    let error = failed(&desk, &["backtest", "--policy", "named.toml", "--metrics", "named.csv", "--as-of", DAY]);
    assert!(error.contains("the columns `given.job` and `job` are both `given.job`; leave one out"), "{error}");
}
