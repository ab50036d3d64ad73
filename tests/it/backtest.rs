//! `metrics` as a table for backtests, `backtest`, `sweep`, `learn` and `nearest`, as people run them.

use serde_json::Value;

use crate::cli::{Desk, Said};

/// A policy with a score, a table and parameters that declare their ranges.
const POLICY: &str = r#"
[policy]
name = "shop"
version = "1"
currency = "566"
statement_unit = "major"
time_zone = "Africa/Lagos"
tenure_unit = "days"

[parameters]
least_income = { value = 300_000, min = 100_000, max = 900_000, unit = "money" }
least_score = { value = 20, min = 0, max = 60 }
share = { value = 0.1, min = 0.05, max = 0.5 }
step = { value = 500, unit = "money" }

[metric]
income = "SUM(credit)"
payments = "COUNT(*)"
largest = "MAX(credit)"
largest_share = "largest / income"
constant = "0 * COUNT(*)"
chance = "1 / (1 + EXP(score / 20))"

[[require]]
id = "INCOME"
title = "enough income"
when = "income >= $least_income"
unknown = "refer"
reason = "{income} is too little"

[[require]]
id = "SCORE"
when = "score >= $least_score"
else = "refer"
unknown = "refer"
reason = "{score} points"

[score]
base = 5
[[score.item]]
on = "payments"
points = [["< 20", 0], ["20..35", 10], [">= 35", 30]]
[[score.item]]
on = "largest_share"
points = [["< 0.2", 20], [">= 0.2", 0], ["unknown", 0]]

[table.grade]
hit = "first"
inputs = ["score"]
outputs = { grade = "text", cap = "money" }
rows = [[">= 50", "A", 90_000], [">= 25", "B", 50_000], ["-", "C", 20_000]]

[[offer]]
id = "o"
tenure = [30, 60]
amount = "round_down(LEAST(cap, income * $share), $step)"
interest = 5
"#;

/// Forty people with one statement each, and the table of their metrics.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("old.toml", POLICY);
    desk.write("new.toml", &POLICY.replace("[\">= 35\", 30]", "[\">= 35\", 25]").replace("300_000", "350_000"));
    for (records, seed, folder) in [("15", "1", "a"), ("30", "2", "b"), ("40", "3", "c"), ("60", "4", "d")] {
        let more = ["--records", records, "--seed", seed, "--format", "parquet", "--out", folder];
        done(&desk, &[&["generate", "--statements", "10"][..], &more].concat());
    }
    done(&desk, &["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "book.parquet"]);
    desk
}

const A: &str = "a/statements.parquet";
const B: &str = "b/statements.parquet";
const C: &str = "c/statements.parquet";
const D: &str = "d/statements.parquet";

fn done(desk: &Desk, arguments: &[&str]) -> Said {
    let said = desk.run(arguments);
    assert_eq!(said.status, 0, "{arguments:?}: {}", said.err);
    said
}

fn failed(desk: &Desk, arguments: &[&str]) -> String {
    let said = desk.run(arguments);
    assert_ne!(said.status, 0, "{arguments:?}: {}", said.out);
    said.err
}

fn json(said: &Said) -> Value {
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {}", said.out))
}

/// Outcomes and attributes; every third customer has no outcome.
fn outcomes(desk: &Desk) {
    done(desk, &["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "all.csv"]);
    let all = desk.read("all.csv");
    let (header, rows) = all.split_once('\n').expect("a header");
    let payments = header.split(',').position(|name| name == "payments").expect("a column");
    let people: Vec<(String, u32)> = rows
        .lines()
        .map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            (cells[0].to_owned(), cells[payments].parse().expect("a count"))
        })
        .collect();
    let mut table = "customer,bad,loan_date,bad_date,observed_until,amount\n".to_owned();
    for (at, (name, payments)) in people.iter().enumerate().filter(|(at, _)| at % 3 != 2) {
        // Few payments go with bad loans, but not always.
        let bad = u8::from((*payments < 32) != (at % 5 == 0));
        let bad_date = if bad == 1 { "2026-03-15" } else { "" };
        table += &format!("{name},{bad},2026-0{}-10,{bad_date},2026-09-30,{}\n", 1 + at % 2, 10_000 + at * 100);
    }
    desk.write("loans.csv", &table);
    let attributes =
        people.iter().enumerate().map(|(at, (name, _))| format!("{name},{}\n", ["north", "south"][at % 2]));
    desk.write("people.csv", &format!("customer,region\n{}", attributes.collect::<String>()));
}

#[test]
fn a_table_of_metrics_is_kept_as_long_as_nothing_changes() {
    let desk = desk();
    let again = ["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "book.parquet"];
    assert!(done(&desk, &again).err.contains("nothing changed since it was made"));
    desk.write("old.toml", &POLICY.replace("MAX(credit)", "MAX(credit) FILTER (WHERE credit > 5)"));
    let said = done(&desk, &again);
    // The metric, its share, and the chance, which follows from the score.
    assert!(said.err.contains("3 of 9 columns were computed"), "{}", said.err);
    // A policy of before can still be judged: its columns stay.
    desk.write("before.toml", POLICY);
    done(&desk, &["backtest", "--policy", "before.toml", "book.parquet"]);
    // Another day is another table.
    let other = failed(&desk, &["backtest", "--policy", "old.toml", "--as-of", "2026-09-30", "book.parquet"]);
    assert!(other.contains("its metrics are as of 2026-10-31, and --as-of asks for 2026-09-30"), "{other}");
    desk.write("old.toml", &POLICY.replace("SUM(credit)", "SUM(credit) FILTER (WHERE credit > 5)"));
    let changed = failed(&desk, &["backtest", "--policy", "old.toml", "book.parquet"]);
    assert!(changed.contains("cannot be judged from metrics: `income`"), "{changed}");
    assert!(changed.contains("which computes only what changed"), "{changed}");
}

#[test]
fn metrics_of_one_formula_are_kept_each_under_its_name() {
    let desk = desk();
    let run = |more: &str| {
        desk.write("old.toml", &POLICY.replace("[metric]\n", &format!("[metric]\n{more}")));
        done(&desk, &["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "book.parquet"])
    };
    // One is taken from the column of the other; it is not computed.
    let said = run("received = \"SUM(credit)\"\n").err;
    assert!(said.contains("0 of 7 columns were computed"), "{said}");
    assert!(run("received = \"SUM(credit)\"\n").err.contains("nothing changed since it was made"));
    let said = run("received = \"SUM(credit)\"\nearned = \"income\"\n").err;
    assert!(said.contains("0 of 8 columns were computed"), "{said}");
    done(&desk, &["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "all.csv"]);
    assert_eq!(desk.read("all.csv").lines().count(), 41);
    done(&desk, &["backtest", "--policy", "old.toml", "book.parquet"]);
}

#[test]
fn the_file_of_values_replaces_no_other_file() {
    let desk = desk();
    // It asks for a value of the records that has no name.
    desk.write(
        "unnamed.toml",
        &POLICY.replace("income >= $least_income", "income >= $least_income AND MIN(credit) > 0"),
    );
    let made = ["metrics", "--policy", "unnamed.toml", A, "--out", "fresh.parquet"];
    desk.write("fresh.values.parquet", "mine");
    let said = failed(&desk, &made);
    assert!(said.contains("fresh.values.parquet: this name is for the values of `fresh.parquet`"), "{said}");
    assert_eq!(std::fs::read(desk.path().join("fresh.values.parquet")).expect("a file"), b"mine");
    done(&desk, &["metrics", "--policy", "unnamed.toml", B, "--out", "other.parquet"]);
    let copy =
        |from: &str, to: &str| std::fs::copy(desk.path().join(from), desk.path().join(to)).expect("it is copied");
    // Earlier values are replaced.
    copy("other.values.parquet", "fresh.values.parquet");
    done(&desk, &made);
    done(&desk, &["backtest", "--policy", "unnamed.toml", "fresh.parquet"]);
    let values = failed(&desk, &["backtest", "--policy", "unnamed.toml", "fresh.values.parquet"]);
    assert!(values.contains("these are the values beside a table of metrics; name the table"), "{values}");
    // Without its values, or with those of another table, a table serves no such policy.
    copy("fresh.parquet", "alone.parquet");
    for _ in ["no values", "those of another table"] {
        let alone = failed(&desk, &["backtest", "--policy", "unnamed.toml", "alone.parquet"]);
        assert!(alone.contains("or its `.values.parquet` is not beside it"), "{alone}");
        copy("other.values.parquet", "alone.values.parquet");
    }
    // A table of that name is no file of values. Old values go with the rules that needed them.
    copy("book.parquet", "table.values.parquet");
    let table = failed(&desk, &["metrics", "--policy", "unnamed.toml", A, "--out", "table.parquet"]);
    assert!(table.contains("this name is for the values of `table.parquet`"), "{table}");
    copy("other.values.parquet", "plain.values.parquet");
    done(&desk, &["metrics", "--policy", "old.toml", A, "--out", "plain.parquet"]);
    assert!(!desk.path().join("plain.values.parquet").exists());
}

#[test]
fn a_change_is_shown_with_its_causes() {
    let desk = desk();
    let compare = ["backtest", "--policy", "new.toml", "--against", "old.toml", "book.parquet", "--by", "grade"];
    let said = done(&desk, &[&compare[..], &["--flips", "flips.csv", "--tables", "tables"]].concat());
    let shown: String = said
        .out
        .lines()
        .map(|line| match line.split_once(" (").filter(|_| line.starts_with("cha") && line.contains(": shop")) {
            Some((name, _)) => format!("{name} (DIGEST)\n"),
            None => format!("{line}\n"),
        })
        .collect();
    insta::assert_snapshot!(shown);
    let flips = desk.read("flips.csv");
    assert!(flips.starts_with("customer,champion,challenger,champion_amount,challenger_amount,"), "{flips}");
    let found = json(&done(&desk, &[&compare[..], &["--format", "json"]].concat()));
    let changed = found["swap_set"]["changed"].as_u64().expect("a count");
    assert_eq!(flips.lines().count() as u64, changed + 1);
    let cells = found["swap_set"]["cells"].as_array().expect("cells");
    assert_eq!(cells.iter().map(|cell| cell["customers"].as_u64().unwrap_or(0)).sum::<u64>(), 40);
    for name in ["outcomes", "reasons", "segments", "table_rows", "swap_set", "causes"] {
        assert!(desk.path().join(format!("tables/{name}.parquet")).is_file(), "{name}");
    }
}

#[test]
fn statements_and_their_table_give_the_same() {
    let desk = desk();
    let of = |inputs: &[&str]| {
        let policies = ["backtest", "--policy", "new.toml", "--against", "old.toml", "--format", "json"];
        let day = if inputs.len() > 1 { &["--as-of", "2026-10-31"][..] } else { &[] };
        let mut found = json(&done(&desk, &[&policies[..], day, inputs].concat()));
        found.as_object_mut().expect("an object").remove("inputs");
        // The order of customers is that of the inputs.
        let swap = found["swap_set"].as_object_mut().expect("two policies");
        let mut flips = swap.remove("flips").and_then(|flips| flips.as_array().cloned()).expect("flips");
        flips.sort_by_key(|flip| flip["customer"].as_str().map(str::to_owned));
        (found, flips)
    };
    assert_eq!(of(&["book.parquet"]), of(&[A, B, C, D]));
}

#[test]
fn the_bytes_are_the_same_on_any_number_of_threads() {
    let desk = desk();
    outcomes(&desk);
    let with = |threads: &str| {
        let arguments = [
            "backtest",
            "--policy",
            "new.toml",
            "--against",
            "old.toml",
            "--outcomes",
            "loans.csv",
            "book.parquet",
            "--format",
            "json",
        ];
        let said = desk.run_on_threads(&arguments, threads);
        assert_eq!(said.status, 0, "{}", said.err);
        said.out
    };
    assert_eq!(with("1"), with("4"));
    let learned = |threads: &str| {
        let arguments =
            ["learn", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet", "--format", "json"];
        desk.run_on_threads(&arguments, threads).out
    };
    assert_eq!(learned("1"), learned("3"));
}

#[test]
fn outcomes_add_bad_rates_profit_and_more() {
    let desk = desk();
    outcomes(&desk);
    let arguments = [
        "backtest",
        "--policy",
        "new.toml",
        "--against",
        "old.toml",
        "--outcomes",
        "loans.csv",
        "--economics",
        "lgd=0.6,margin=0.1,loan=100",
        "--predicts",
        "chance",
        "--attributes",
        "people.csv",
        "--protected",
        "region",
        "--bands",
        "4",
        "book.parquet",
    ];
    let said = done(&desk, &arguments);
    let from = said.out.find("Outcomes:").expect("outcomes");
    insta::assert_snapshot!(&said.out[from..]);
    let found = json(&done(&desk, &[&arguments[..], &["--format", "json"]].concat()));
    assert_eq!(found["outcomes"]["known"], 27);
    let moved =
        found["swap_set"]["cells"].as_array().expect("cells").iter().filter(|cell| {
            cell["champion"] != cell["challenger"] && cell["customers"].as_u64() > cell["known"].as_u64()
        });
    for cell in moved {
        let (low, high) = (cell["bad_rate_bounds"][0].as_f64(), cell["bad_rate_bounds"][1].as_f64());
        assert!(low < high, "customers without an outcome may be good or bad: {cell}");
    }
}

#[test]
fn an_aim_turns_a_parameter() {
    let desk = desk();
    outcomes(&desk);
    let base = ["backtest", "--policy", "new.toml", "--against", "old.toml", "book.parquet", "--format", "json"];
    let same = json(&done(&desk, &[&base[..], &["--aim", "same-approvals", "--turn", "least_income"]].concat()));
    let (one, other) = (same["aim"]["reached"][0].as_f64(), same["aim"]["reached"][1].as_f64());
    assert!((one.expect("a rate") - other.expect("a rate")).abs() < 0.03, "{}", same["aim"]);
    let rate = ["--aim", "same-bad-rate", "--turn", "least_income", "--outcomes", "loans.csv"];
    let rate = json(&done(&desk, &[&base[..], &rate].concat()));
    assert!(rate["aim"]["reached"][1].as_f64() <= rate["aim"]["reached"][0].as_f64(), "{}", rate["aim"]);
    let error = failed(&desk, &[&base[..], &["--aim", "same-approvals"]].concat());
    assert!(error.contains("name the parameter to turn"), "{error}");
    let error = failed(&desk, &[&base[..], &["--aim", "same-bad-rate", "--turn", "least_income"]].concat());
    assert!(error.contains("same-bad-rate needs outcomes"), "{error}");
}

#[test]
fn a_sweep_tries_every_value_and_marks_the_files_own() {
    let desk = desk();
    outcomes(&desk);
    let sweep = [
        "sweep",
        "--policy",
        "old.toml",
        "--vary",
        "least_income",
        "--steps",
        "5",
        "--outcomes",
        "loans.csv",
        "--economics",
        "lgd=0.6,margin=0.1",
        "--tornado",
        "book.parquet",
    ];
    insta::assert_snapshot!(done(&desk, &[&sweep[..], &["--report", "sweep.html"]].concat()).out);
    assert!(desk.read("sweep.html").contains("<svg"));
    let random = [
        "sweep",
        "--policy",
        "old.toml",
        "--vary",
        "least_income",
        "--vary",
        "share",
        "--search",
        "random",
        "--tries",
        "6",
        "--seed",
        "3",
        "book.parquet",
        "--format",
        "json",
    ];
    let (one, other) = (done(&desk, &random).out, done(&desk, &random).out);
    assert_eq!(one, other);
    let points = serde_json::from_str::<Value>(&one).expect("JSON")["points"].as_array().map(Vec::len);
    assert_eq!(points, Some(6));
}

#[test]
fn a_tornado_of_a_shipped_policy_names_what_a_table_cannot_tell() {
    let desk = desk();
    let starter = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/starter.toml");
    let starter = starter.to_str().expect("a path");
    done(&desk, &["metrics", "--policy", starter, A, "--out", "starter.parquet"]);
    let said = done(&desk, &["sweep", "--policy", starter, "--tornado", "starter.parquet"]);
    assert!(said.out.contains("min_full_months"), "{}", said.out);
    assert!(said.out.contains("not tried, because values over records depend on them: "), "{}", said.out);
    let error = failed(&desk, &["sweep", "--policy", starter, "--vary", "swept_share", "starter.parquet"]);
    assert!(error.contains("values over records depend on swept_share"), "{error}");
}

#[test]
fn customers_of_two_periods_are_compared() {
    let desk = desk();
    outcomes(&desk);
    let base = ["backtest", "--policy", "old.toml", "book.parquet"];
    let said = done(&desk, &[&base[..], &["--since", "2026-02-01", "--outcomes", "loans.csv"]].concat());
    assert!(said.out.contains("PSI of score: "), "{}", said.out);
    let said = done(&desk, &[&base[..], &["--since", "2026-02-01"]].concat());
    assert!(said.out.contains("all customers are on one side of that day"), "{}", said.out);
}

#[test]
fn a_scorecard_is_proposed_that_a_policy_can_use() {
    let desk = desk();
    outcomes(&desk);
    let said = done(
        &desk,
        &[
            "learn",
            "--policy",
            "old.toml",
            "--outcomes",
            "loans.csv",
            "book.parquet",
            "--only",
            "payments",
            "--only",
            "income",
            "--only",
            "largest_share",
            "--out",
            "score.toml",
        ],
    );
    assert!(said.out.contains("customers with an outcome"), "{}", said.out);
    let score = desk.read("score.toml");
    assert!(score.starts_with("# A proposal, never applied by itself"), "{score}");
    let (before, rest) = POLICY.split_once("[score]").expect("a score");
    let (_, after) = rest.split_once("[table.grade]").expect("a table");
    desk.write("learned.toml", &format!("{before}{score}\n[table.grade]{after}"));
    done(&desk, &["backtest", "--policy", "learned.toml", "--against", "old.toml", "book.parquet"]);
}

#[test]
fn the_nearest_offer_is_one_that_the_engine_makes() {
    let desk = desk();
    desk.write(
        "actionable.toml",
        "[actionable]\nincome = { max = 2_000_000, step = 10_000, direction = \"up\" }\n\
         payments = { max = 80, direction = \"up\" }\n",
    );
    let ask = ["nearest", "--policy", "new.toml", "--actionable", "actionable.toml", "book.parquet"];
    let said = done(&desk, &[&ask[..], &["--format", "json"]].concat());
    let lines: Vec<Value> =
        said.out.lines().map(|line| serde_json::from_str(line).expect("an object per line")).collect();
    let (summary, people) = lines.split_last().expect("a sum");
    assert!(!people.is_empty() && summary["customers"].as_u64() == Some(people.len() as u64));
    for one in people.iter().filter(|one| one["answer"] == "found") {
        assert!(one["offer"][0].as_i64() > Some(0), "{one}");
        let changes = one["changes"].as_array().expect("changes");
        assert!(changes.iter().all(|change| ["income", "payments"].iter().any(|name| change["metric"] == *name)));
    }
    let customer = people[0]["customer"].as_str().expect("a customer");
    let text = done(&desk, &[&ask[..], &["--someone", customer]].concat()).out;
    assert!(text.contains("nearest offer: "), "{text}");
}

#[test]
fn mistakes_say_what_to_do() {
    let desk = desk();
    outcomes(&desk);
    desk.write("empty.csv", "customer,bad\n");
    desk.write("nobody.csv", "customer,bad\nnobody,0\n");
    desk.write("no-bad.csv", "customer,good\nx,0\n");
    desk.write("twice.csv", "customer,bad\nx,0\nx,1\n");
    desk.write("odd.csv", "customer,bad\nx,maybe\n");
    desk.write("rounded.ndjson", "{\"customer\":12.0,\"bad\":1}\n");
    desk.write("both.csv", "customer,bad,bad\nx,0,1\n");
    desk.write("blank.csv", "customer,bad\n,\n");
    desk.write("large.ndjson", "{\"customer\":\"x\",\"bad\":1,\"amount\":1000.0}\n");
    desk.write("strangers.csv", "customer,gender\nnobody,f\n");
    desk.write("poor.csv", &desk.read("loans.csv").replace(",amount", ",sum"));
    desk.write("wrong.toml", "[actionable]\nincom = { max = 1 }\n");
    let backtest = ["backtest", "--policy", "old.toml", "book.parquet"];
    let sweep = ["sweep", "--policy", "old.toml", "book.parquet"];
    let mut shown = String::new();
    for (base, more) in [
        (&backtest, &["--by", "incom"][..]),
        (&backtest, &["--outcomes", "nobody.csv"]),
        (&backtest, &["--outcomes", "no-bad.csv"]),
        (&backtest, &["--outcomes", "twice.csv"]),
        (&backtest, &["--outcomes", "odd.csv"]),
        (&backtest, &["--outcomes", "rounded.ndjson"]),
        (&backtest, &["--outcomes", "both.csv"]),
        (&backtest, &["--outcomes", "blank.csv"]),
        (&backtest, &["--outcomes", "large.ndjson"]),
        (&backtest, &["--attributes", "both.csv", "--by", "bad"]),
        (&backtest, &["--attributes", "empty.csv", "--by", "bad"]),
        (&backtest, &["--attributes", "rounded.ndjson", "--by", "bad"]),
        (&backtest, &["--attributes", "strangers.csv", "--by", "gender"]),
        (&backtest, &["--outcomes", "poor.csv", "--economics", "lgd=0.5,margin=0.1"]),
        (&backtest, &["--outcomes", "loans.csv", "--economics", "lgd=0.5"]),
        (&backtest, &["--outcomes", "loans.csv", "--predicts", "nothing"]),
        (&backtest, &["--attributes", "people.csv", "--protected", "gender"]),
        (&backtest, &["--outcomes", "empty.csv"]),
        (&backtest, &["--against", "new.toml", "--turn", "least_score"]),
        (&sweep, &["--vary", "least_incom"]),
        (&sweep, &["--vary", "least_score=0..100"]),
        (&sweep, &["--vary", "step"]),
        (&sweep, &["--vary", "share", "--vary", "share"]),
    ] {
        let error = failed(&desk, &[&base[..], more].concat());
        shown += &format!("{} {}\n{error}\n", base[0], more.join(" "));
    }
    for metric in ["incme", "constant"] {
        let learn = ["learn", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet", "--only", metric];
        shown += &failed(&desk, &learn);
    }
    shown += &failed(&desk, &["nearest", "--policy", "old.toml", "--actionable", "wrong.toml", "book.parquet"]);
    insta::assert_snapshot!(shown);
}

/// The outcomes of real loans as a table; `None` where the data is not there.
fn real_loans(desk: &Desk) -> Option<std::path::PathBuf> {
    let folder = crate::statement::berka::data()?;
    let loans = std::fs::read_to_string(folder.join("loan.csv")).expect("the loans");
    let mut table = "customer,bad,amount\n".to_owned();
    for line in loans.lines().skip(1) {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let [_, account, _, amount, _, _, status] = cells[..] else { panic!("seven columns: {line}") };
        if !status.is_empty() {
            table += &format!("{account},{},{amount}\n", u8::from(status == "B" || status == "D"));
        }
    }
    desk.write("real.csv", &table);
    Some(folder.join("trans_preloan.parquet"))
}

#[test]
fn real_loans_are_backtested_and_learned_from() {
    let desk = Desk::new();
    let Some(records) = real_loans(&desk) else { return };
    let rules = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/examples");
    let (policy, columns) = (rules.join("berka.toml"), rules.join("berka.columns.toml"));
    let (policy, columns) = (policy.to_str().expect("a path"), columns.to_str().expect("a path"));
    let records = records.to_str().expect("a path");
    done(&desk, &["metrics", "--policy", policy, "--columns", columns, records, "--out", "book.parquet"]);
    let found = json(&done(
        &desk,
        &["backtest", "--policy", policy, "--outcomes", "real.csv", "book.parquet", "--format", "json"],
    ));
    assert_eq!(
        (&found["customers"], &found["outcomes"]["known"], &found["outcomes"]["bad"]),
        (&682.into(), &344.into(), &40.into())
    );
    // On the loans that the points were found on; docs/explanation/berka.md says what it is worth on others.
    let auc = found["outcomes"]["discrimination"][0]["auc"]["value"].as_f64().expect("an AUC");
    assert!((auc - 0.921).abs() < 0.001, "{auc}");
    let learned = json(&done(
        &desk,
        &["learn", "--policy", policy, "--outcomes", "real.csv", "book.parquet", "--format", "json"],
    ));
    let auc = learned["validation"]["auc"]["auc"].as_f64().expect("an AUC");
    assert!(auc >= 0.878, "cross-validated AUC {auc} is worse than that of the hand-made card");
    let verdict = |name: &str| {
        let screened = learned["screened"].as_array().expect("metrics");
        screened.iter().find(|one| one["name"] == name).map(|one| one["verdict"].clone()).expect("a verdict")
    };
    assert_eq!(verdict("penalties"), "too_few_events");
    let left_out = learned["left_out"].to_string();
    assert!(left_out.contains("chance_bad") && left_out.contains("follows from the score"), "{left_out}");
}
