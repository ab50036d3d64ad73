//! `learn`: a scorecard proposed from metrics and outcomes.

use super::{A, B, C, D, POLICY, desk, done, failed, json, outcomes};

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

/// What a metric cannot do without decides, not what its formula looks at where it is shown.
#[test]
fn credits_alone_keep_what_is_known_without_debits() {
    let desk = desk();
    outcomes(&desk);
    let more = "income = \"SUM(credit)\"\nspent = \"SUM(debit)\"\nleft = \"SUM(balance)\"\n\
                rises = \"COUNT(*) FILTER (WHERE change > 0)\"\n\
                free = \"income - COALESCE(spent, 0)\"\n";
    desk.write("more.toml", &POLICY.replace("income = \"SUM(credit)\"\n", more));
    done(&desk, &["metrics", "--policy", "more.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "more.parquet"]);
    let learn = ["learn", "--policy", "more.toml", "--outcomes", "loans.csv", "more.parquet", "--format", "json"];
    let proposal = json(&done(&desk, &[&learn[..], &["--credits-alone"]].concat()));
    let left_out = proposal["left_out"].to_string();
    for (name, is_kept) in [("income", true), ("rises", true), ("free", true), ("spent", false), ("left", false)] {
        assert_eq!(!left_out.contains(&format!("[\"{name}\",\"needs")), is_kept, "{name}: {left_out}");
    }
}

/// Where loans have dates, these decide what the months are, and the header says when time was not checked.
#[test]
fn months_are_those_of_loan_dates() {
    let desk = desk();
    outcomes(&desk);
    let learn = ["learn", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet", "--format", "json"];
    let months = |proposal: &serde_json::Value| [0, 1].map(|at| proposal["months"][at].as_i64());
    // All statements are of one day, the loans of January and February 2026.
    assert_eq!(months(&json(&done(&desk, &learn))), [Some(2026 * 12), Some(2026 * 12 + 1)]);
    let undated = desk.read("loans.csv").replace("loan_date", "paid_out").replace("bad_date", "went_bad");
    desk.write("loans.csv", &undated);
    // One day that was given for all is the month of no loan.
    assert_eq!(months(&json(&done(&desk, &learn))), [None; 2]);
    let text = done(&desk, &learn[..6]).out;
    assert!(text.contains("# Stability over time was not checked: no two months are known."), "{text}");
    assert!(text.contains(" of them bad.\n") && !text.contains("2026-10"), "{text}");
}

/// A refusal of everything lists each metric with its reason.
#[test]
fn a_list_of_refusals_is_printed() {
    let desk = desk();
    outcomes(&desk);
    let learn = ["learn", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet", "--leaking-auc", "0.5"];
    let said = failed(&desk, &[&learn[..], &["--only", "payments"]].concat());
    assert!(said.contains("payments  leaking: check that it is known before the loan; AUC"), "{said}");
    assert!(said.contains("none of 1 metrics was kept: the list says why"), "{said}");
}

/// Later loans are kept for the test, and the header compares the score in force.
#[test]
fn later_loans_are_a_test_and_the_present_score_is_compared() {
    let desk = desk();
    outcomes(&desk);
    let learn = ["learn", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet"];
    let more = ["--keep", "payments", "--keep", "largest", "--method", "ridge"];
    let after = |day: &'static str| [&learn[..], &more, &["--test-after"], &[day]].concat();
    let text = done(&desk, &after("2026-01-31")).out;
    assert!(text.contains(" later rows that nothing was learned from, "), "{text}");
    assert!(text.contains(" of them bad, of 2026-02."), "{text}");
    let proposal = json(&done(&desk, &[&after("2026-01-31")[..], &["--format", "json"]].concat()));
    let all = json(&done(&desk, &[&learn[..], &more, &["--format", "json"]].concat()));
    let [learned, later] = [&proposal["rows"], &proposal["later"]["rows"]].map(|rows| rows.as_u64().expect("rows"));
    assert_eq!(learned + later, all["rows"].as_u64().expect("rows"));
    assert!(all["later"].is_null() && all["validation"]["beside_present"]["present"].as_f64() > Some(0.0), "{all}");
    let said = failed(&desk, &after("2030-01-01"));
    assert!(said.contains("--test-after: no loan is after 2030-01-01, so there is nothing to test on"), "{said}");
    let said = failed(&desk, &after("2020-01-01"));
    assert!(said.contains("--test-after: all loans are after 2020-01-01"), "{said}");
}

/// An order must fit the metric.
#[test]
fn an_order_that_does_not_fit_is_refused() {
    let desk = desk();
    outcomes(&desk);
    let learn = ["learn", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet", "--order"];
    for (order, why) in [
        ("payments", "--order: `payments` is not METRIC=A,B,C with two texts or more"),
        ("paymnts=A,B", "--order: the policy has no metric `paymnts`; did you mean `payments`?"),
        ("payments=A,B", "the order of `payments`: its values are not texts, and have an order already"),
    ] {
        let said = failed(&desk, &[&learn[..], &[order]].concat());
        assert!(said.contains(why), "{said}");
    }
}

/// The points of a score that went out as PMML and came back.
#[test]
fn a_scorecard_goes_out_as_pmml_and_comes_back_with_the_same_points() {
    let desk = desk();
    outcomes(&desk);
    let learn = ["learn", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet", "--keep", "payments"];
    done(&desk, &[&learn[..], &["--keep", "largest_share", "--out", "score.toml"]].concat());
    let (before, rest) = POLICY.split_once("[score]").expect("a score");
    let (_, after) = rest.split_once("[table.grade]").expect("a table");
    let with_score = |score: &str| format!("{before}{score}\n[table.grade]{after}");
    desk.write("learned.toml", &with_score(&desk.read("score.toml")));
    done(&desk, &["table", "export", "learned.toml", "score", "score.pmml"]);
    assert!(desk.read("score.pmml").contains("<Scorecard modelName=\"shop\""), "{}", desk.read("score.pmml"));
    done(&desk, &["import", "scorecard", "score.pmml", "--out", "back.toml"]);
    desk.write("returned.toml", &with_score(&desk.read("back.toml")));
    done(&desk, &["check", "returned.toml"]);
    let scores = |policy: &str| -> Vec<String> {
        let said = done(&desk, &["decide", "--policy", policy, "--as-of", "2026-10-31", A, B, C, D]);
        let score = |line: &str| {
            let decision: serde_json::Value = serde_json::from_str(line).expect("a decision");
            decision["score"].to_string()
        };
        said.out.lines().map(score).collect()
    };
    let [learned, returned] = ["learned.toml", "returned.toml"].map(scores);
    assert_eq!(learned, returned);
    let distinct: std::collections::BTreeSet<&String> = learned.iter().collect();
    assert!(learned.len() == 40 && distinct.len() > 1, "{learned:?}");
    let said = failed(&desk, &["table", "export", "learned.toml", "grade", "grade.pmml"]);
    assert!(said.contains("only `score` can be PMML"), "{said}");
    let said = failed(&desk, &["table", "import", "learned.toml", "score", "score.pmml"]);
    assert!(said.contains("`lendwright import scorecard` reads it"), "{said}");
}

/// The document in its three formats; from the held-out scores of the JSON the AUC in it is computed again.
#[test]
fn a_model_document_has_what_its_figures_come_from() {
    let desk = desk();
    outcomes(&desk);
    let learn = ["learn", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet", "--keep", "payments"];
    let groups = ["--attributes", "people.csv", "--protected", "region", "--out", "score.toml"];
    let documents = ["--document", "m.html", "--document", "m.md", "--document", "m.json"];
    done(&desk, &[&learn[..], &groups, &documents].concat());
    let (page, text) = (desk.read("m.html"), desk.read("m.md"));
    for title in [
        "Purpose and use",
        "Population and exclusions",
        "Method and assumptions",
        "What was tried",
        "Items, bins and points",
        "Correlation",
        "Discrimination",
        "Calibration",
        "Stability over time",
        "Fairness",
        "Limits",
        "Monitoring, and how to redo the figures",
    ] {
        assert!(page.contains(&format!("{title}</h2>")) && text.contains(&format!(". {title}\n")), "{title}");
    }
    assert!(page.contains("<svg class=\"curve\"") && page.contains("Groups of region"), "{page}");
    let document: serde_json::Value = serde_json::from_str(&desk.read("m.json")).expect("JSON");
    let scores = document["evidence"]["held_out"]["scores"].as_array().expect("scores");
    let of = |bad: bool| -> Vec<f64> {
        let rows = scores.iter().filter(|one| one["bad"] == bad);
        rows.map(|one| one["place"].as_f64().expect("a number")).collect()
    };
    let (bads, goods) = (of(true), of(false));
    let beats = |bad: f64, good: f64| if good > bad { 1.0 } else { f64::from(u8::from(good == bad)) / 2.0 };
    let mut wins = 0.0;
    for bad in &bads {
        wins += goods.iter().map(|good| beats(*bad, *good)).sum::<f64>();
    }
    let auc = document["proposal"]["validation"]["auc"]["auc"].as_f64().expect("an AUC");
    assert!((wins / (bads.len() * goods.len()) as f64 - auc).abs() < 1e-12, "{wins} {auc}");
    assert_eq!(scores.len() as u64, document["proposal"]["rows"].as_u64().expect("rows"));
    let groups = document["evidence"]["groups"][0]["groups"].as_array().expect("groups");
    // Fourteen and thirteen customers are too few to be groups of their own.
    let names: Vec<_> = groups.iter().map(|group| group["group"].as_str()).collect();
    assert_eq!(names, [Some("fewer than 30 each (2 values)")]);
    let rows: u64 = groups.iter().filter_map(|group| group["rows"].as_u64()).sum();
    assert_eq!(rows, scores.len() as u64);
    let said = failed(&desk, &[&learn[..], &["--document", "m.pdf"]].concat());
    assert!(said.contains("unknown kind of document; name it .html, .md or .json"), "{said}");
    let wrong = ["--attributes", "people.csv", "--protected", "sex", "--document", "m.md"];
    let said = failed(&desk, &[&learn[..], &wrong].concat());
    assert!(said.contains("--protected: the table of --attributes has no column `sex`"), "{said}");
}

/// What the figures are of: the data with their digests and days, what was chosen by hand, and which repeats.
#[test]
fn a_model_document_names_its_data_and_choices() {
    let desk = desk();
    outcomes(&desk);
    let named = desk.read("people.csv").replace("customer,region\n", "customer,region,Payments\n");
    let (header, rows) = named.split_once('\n').expect("a header");
    let rows: String = rows.lines().map(|row| format!("{row},many\n")).collect();
    desk.write("people.csv", &format!("{header}\n{rows}"));
    let learn = ["learn", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet", "--repeats", "3"];
    let choices = ["--only", "payments", "--keep", "payments", "--attributes", "people.csv", "--out", "score.toml"];
    let groups = ["--protected", "Payments", "--protected", "region"];
    let documents = ["--document", "m.html", "--document", "m.md", "--document", "m.json"];
    let said = done(&desk, &[&learn[..], &choices, &groups, &documents].concat());
    assert!(said.out.contains("; 1 metric looked at, 1 item\n"), "{}", said.out);
    let document: serde_json::Value = serde_json::from_str(&desk.read("m.json")).expect("JSON");
    let source = &document["evidence"]["source"];
    let inputs = source["inputs"].as_array().expect("inputs");
    let names: Vec<_> = inputs.iter().map(|input| input["name"].as_str()).collect();
    assert_eq!(names, [Some("book.parquet"), Some("loans.csv"), Some("people.csv")]);
    assert!(inputs.iter().all(|input| input["digest"].as_str().is_some_and(|digest| !digest.is_empty())), "{source}");
    assert_eq!(source["loan_dates"], serde_json::json!(["2026-01-10", "2026-02-10"]));
    assert_eq!(source["chosen"]["only"], serde_json::json!(["payments"]));
    assert_eq!(source["chosen"]["left_out"], 5);
    assert_eq!(document["proposal"]["months"], serde_json::json!(["2026-01", "2026-02"]));
    assert_eq!(document["evidence"]["months"][0]["month"], "2026-01");
    let held_out = &document["evidence"]["held_out"];
    assert_eq!(held_out["repeats"], 3);
    assert_eq!(held_out["figures_of_repeat"], 1);
    let groups = &document["evidence"]["groups"];
    assert_eq!(groups[0]["read_by"], serde_json::json!(["payments"]));
    assert_eq!(groups[1]["read_by"], serde_json::json!([]));
    let (page, text) = (desk.read("m.html"), desk.read("m.md"));
    assert!(!page.contains('`') && page.contains("<code>bad</code>"), "{page}");
    for said in [
        "superseded by SR 26-2 in April 2026",
        "are of all 3 repeats",
        "The scorecard reads it: of its items, payments is computed from",
        "Settings or metrics were chosen by hand",
        "That leaves 5 metrics out.",
        "months with fewer than 100 customers do not count",
        "Known from credits alone.",
    ] {
        assert!(page.contains(said) && text.contains(said), "{said}: {text}");
    }
}

/// The scores of later loans are in the document: their AUC is computed again.
#[test]
fn a_model_document_has_the_scores_of_later_loans() {
    let desk = desk();
    outcomes(&desk);
    let learn = ["learn", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet", "--keep", "payments"];
    let settings = ["--keep", "largest", "--method", "ridge", "--test-after", "2026-01-31"];
    done(&desk, &[&learn[..], &settings, &["--document", "m.json", "--out", "score.toml"]].concat());
    let document: serde_json::Value = serde_json::from_str(&desk.read("m.json")).expect("JSON");
    let later = document["evidence"]["later"].as_array().expect("later loans");
    assert_eq!(later.len() as u64, document["proposal"]["later"]["rows"].as_u64().expect("rows"));
    assert!(later.iter().all(|one| one["customer"].is_string() && one["month"] == "2026-02"), "{later:?}");
    let of = |bad: bool| -> Vec<i64> {
        later.iter().filter(|one| one["bad"] == bad).map(|one| one["score"].as_i64().expect("a score")).collect()
    };
    let (bads, goods) = (of(true), of(false));
    let beats = |bad: i64, good: i64| if good > bad { 1.0 } else { f64::from(u8::from(good == bad)) / 2.0 };
    let wins: f64 = bads.iter().map(|bad| goods.iter().map(|good| beats(*bad, *good)).sum::<f64>()).sum();
    let auc = document["proposal"]["later"]["auc"]["auc"].as_f64().expect("an AUC");
    assert!((wins / (bads.len() * goods.len()) as f64 - auc).abs() < 1e-12, "{wins} {auc}");
}

/// The check looks at the command line alone, so it holds for every command.
#[test]
fn results_never_replace_what_is_read() {
    let desk = desk();
    outcomes(&desk);
    let (loans, policy) = (desk.read("loans.csv"), desk.read("old.toml"));
    let inputs = ["--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet"];
    for (command, more) in [
        ("learn", &["--out", "loans.csv"][..]),
        ("learn", &["--out", "old.toml"]),
        ("learn", &["--out", "./loans.csv"]),
        ("learn", &["--out", "m.json", "--document", "m.json"]),
        ("backtest", &["--report", "old.toml"]),
        ("backtest", &["--flips", "book.parquet", "--against", "new.toml"]),
        ("sweep", &["--vary", "least", "--report", "loans.csv"]),
    ] {
        let said = desk.run(&[&[command], &inputs[..], more].concat());
        assert_eq!((said.status, said.out.as_str()), (1, ""), "{command} {more:?}");
        assert!(said.err.contains("nothing was done: name another file"), "{}", said.err);
    }
    assert_eq!((desk.read("loans.csv"), desk.read("old.toml")), (loans, policy));
}
