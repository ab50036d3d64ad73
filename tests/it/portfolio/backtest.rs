//! `backtest`: champion and challenger, what the change does to customers, and how known outcomes lie over it.

use super::{A, B, C, D, desk, done, failed, json, outcomes};
use crate::fixtures::desk::Desk;

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
    // CSV is for people: amounts are in major units, and the names of the columns say so.
    assert!(flips.starts_with("customer,champion,challenger,champion_amount_ngn,challenger_amount_ngn,"), "{flips}");
    let mut amounts = flips.lines().skip(1).filter_map(|line| line.split(',').nth(3)).filter(|cell| !cell.is_empty());
    assert!(amounts.all(|amount| amount.split_once('.').is_some_and(|(_, kobo)| kobo.len() == 2)), "{flips}");
    done(&desk, &[&compare[..], &["--report", "change.html"]].concat());
    assert!(desk.read("change.html").contains("--as-of</span> 2026-10-31 STATEMENT"));
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
fn an_aim_holds_whatever_became_of_customers_without_an_outcome() {
    let desk = desk();
    outcomes(&desk);
    let base = ["backtest", "--policy", "old.toml", "--against", "old.toml", "book.parquet", "--format", "json"];
    let rate = ["--aim", "same-bad-rate", "--turn", "least_score", "--outcomes", "loans.csv"];
    let found = json(&done(&desk, &[&base[..], &rate].concat()));
    // The present value is as bad as itself; a looser one adds customers without an outcome.
    let offers = |policy: usize| found["policies"][policy]["outcomes"][0]["customers"].as_u64().expect("a count");
    let known = |policy: usize| found["policies"][policy]["outcomes"][0]["known"].as_u64().expect("a count");
    assert!(offers(1) >= offers(0), "{}", found["aim"]);
    if offers(1) > offers(0) {
        assert!(offers(1) - known(1) <= offers(0) - known(0), "{}", found["aim"]);
    }
    assert!(found["aim"]["reached_bounds"][1][1].as_f64() >= found["aim"]["reached"][1].as_f64());
    // The champion's own value is tried, wherever it lies between those of the grid.
    let against = ["--against-param", "least_income=287654", "--aim", "same-bad-rate", "--turn", "least_income"];
    let own = json(&done(&desk, &[&base[..], &against, &["--outcomes", "loans.csv"]].concat()));
    assert!(
        own["aim"]["reached_bounds"][1][1].as_f64() <= own["aim"]["reached_bounds"][0][1].as_f64(),
        "{}",
        own["aim"]
    );
    // Whole numbers are tried one by one at the end.
    let to = found["aim"]["to"].as_str().and_then(|to| to.parse::<f64>().ok()).expect("a number");
    assert_eq!(to.fract(), 0.0);
}

#[test]
fn each_change_is_told_alone_and_left_out() {
    let desk = desk();
    let base = ["backtest", "--policy", "new.toml", "--against", "old.toml", "book.parquet"];
    let found = json(&done(&desk, &[&base[..], &["--format", "json"]].concat()));
    let effects = &found["swap_set"]["effects"];
    let changes: Vec<&str> =
        effects["changes"].as_array().expect("changes").iter().filter_map(|one| one["change"].as_str()).collect();
    assert_eq!(changes, ["parameters.least_income", "score.item payments"]);
    // The whole is what the swap set counts.
    let lost: u64 = found["swap_set"]["cells"]
        .as_array()
        .expect("cells")
        .iter()
        .filter(|cell| cell["champion"] == "offer" && cell["challenger"] != "offer")
        .filter_map(|cell| cell["customers"].as_u64())
        .sum();
    assert_eq!(effects["whole"]["lost"].as_u64(), Some(lost));
    // Alone is what a run with that change alone says.
    let alone = ["--policy", "old.toml", "--param", "least_income=350000", "--against", "old.toml"];
    let alone = [&["backtest"], &alone[..], &["book.parquet", "--format", "json"]].concat();
    let alone = json(&done(&desk, &alone));
    assert_eq!(alone["swap_set"]["effects"]["whole"], effects["changes"][0]["alone"]);
    assert_eq!(alone["swap_set"]["effects"]["changes"][0]["change"], "parameters.least_income");
    // A requirement that needs a new metric compiles alone, because definitions are in every mixture.
    let text = desk.read("new.toml").replace("constant = ", "most = \"MAX(credit)\"\nconstant = ");
    let text = text.replace("when = \"income >=", "when = \"most > 0 AND income >=");
    desk.write("more.toml", &text);
    let more = json(&done(&desk, &[&base[..2], &["more.toml"], &base[3..], &["--format", "json"]].concat()));
    let effects = more["swap_set"]["effects"]["changes"].as_array().expect("changes");
    assert!(effects.iter().any(|one| one["change"] == "require INCOME" && !one["alone"].is_null()), "{effects:?}");
}

#[test]
fn several_challengers_stand_side_by_side() {
    let desk = desk();
    outcomes(&desk);
    desk.write("strict.toml", &desk.read("old.toml").replace("300_000", "600_000"));
    let base = ["backtest", "--policy", "new.toml", "--against", "old.toml", "--also", "strict.toml", "book.parquet"];
    let found = json(&done(&desk, &[&base[..], &["--outcomes", "loans.csv", "--format", "json"]].concat()));
    let contenders = found["contenders"].as_array().expect("contenders");
    let roles: Vec<&str> = contenders.iter().filter_map(|one| one["role"].as_str()).collect();
    assert_eq!(roles, ["champion", "challenger", "strict.toml"]);
    for (at, policy) in found["policies"].as_array().expect("policies").iter().enumerate() {
        assert_eq!(contenders[at]["offered"]["customers"], policy["outcomes"][0]["customers"]);
        let auc = &found["outcomes"]["discrimination"][at]["auc"];
        assert_eq!(&contenders[at]["auc"], auc);
    }
    let strict = json(&done(&desk, &["backtest", "--policy", "strict.toml", "book.parquet", "--format", "json"]));
    assert_eq!(contenders[2]["offered"]["customers"], strict["policies"][0]["outcomes"][0]["customers"]);
    let text = done(&desk, &[&base[..], &["--report", "all.html"]].concat()).out;
    assert!(text.contains("strict.toml"), "{text}");
    assert!(desk.read("all.html").contains("All policies side by side"));
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
    // The table is of one day, so that the days of loans count; a third of the customers has none.
    let all = ["--since", "2026-02-01", "--outcomes", "loans.csv", "--format", "json"];
    let all = json(&done(&desk, &[&base[..], &all].concat()));
    let bins = all["stability"][0]["bins"].as_array().expect("bins");
    let counted: u64 = bins.iter().map(|bin| bin[1].as_u64().unwrap_or(0) + bin[2].as_u64().unwrap_or(0)).sum();
    assert_eq!(counted, 27, "{bins:?}");
    assert!(all["warnings"].to_string().contains("13 customers have no day"), "{}", all["warnings"]);
    // `--by month` has the same days.
    let by = ["--by", "month", "--outcomes", "loans.csv", "--format", "json"];
    let by = json(&done(&desk, &[&base[..], &by].concat()));
    let months = by["segments"][0]["rows"].as_array().expect("months");
    let months: Vec<(&str, u64)> = months
        .iter()
        .map(|row| (row["value"].as_str().expect("a month"), row["customers"].as_u64().unwrap_or(0)))
        .collect();
    assert_eq!(months.iter().map(|(month, _)| *month).collect::<Vec<_>>(), ["2026-01", "2026-02", "unknown"]);
    assert_eq!(months[2].1, 13);
    let read: Vec<&str> =
        by["inputs"].as_array().expect("inputs").iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(read.contains(&"loans.csv"), "{read:?}");
    assert!(by["inputs"].as_array().expect("inputs").iter().all(|one| one["digest"] != ""), "{}", by["inputs"]);
}

/// An item or a table that only one policy has was not unknown in the other.
#[test]
fn a_new_item_is_called_new() {
    let desk = desk();
    let item = "[[score.item]]\non = \"largest\"\npoints = [[\"-\", 99]]\n";
    let policy = desk.read("new.toml").replacen("[[score.item]]", &format!("{item}\n[[score.item]]"), 1);
    desk.write("more.toml", &policy);
    let compare = |new: &str, old: &str| {
        done(&desk, &["backtest", "--policy", new, "--against", old, "book.parquet", "--format", "json"]).out
    };
    let there = compare("more.toml", "new.toml");
    assert!(there.contains("score, largest: new, 99 points") && !there.contains("unknown -> "), "{there}");
    let back = compare("new.toml", "more.toml");
    assert!(back.contains("score, largest: gone, 99 points before"), "{back}");
}

#[test]
fn money_is_divided_in_major_units_and_the_policy_whose_value_it_is_is_named() {
    let desk = desk();
    let base = ["backtest", "--policy", "new.toml", "--against", "old.toml", "book.parquet", "--by", "income"];
    let by = json(&done(&desk, &[&base[..], &["--by", "score", "--format", "json"]].concat()))["segments"].clone();
    let values: Vec<&str> =
        by[0]["rows"].as_array().expect("rows").iter().filter_map(|row| row["value"].as_str()).collect();
    let least = |value: &&str| value.trim_start_matches(">= ").split("..").next()?.parse::<f64>().ok();
    let least: Vec<f64> = values.iter().filter_map(least).collect();
    assert!(least.len() > 2 && least.iter().all(|amount| *amount < 20_000_000.0), "{values:?}");
    // The income of a customer is the same under both, and the score is not.
    assert_eq!((by[0]["value_of"].as_str(), by[1]["value_of"].as_str()), (None, Some("challenger")));
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
    let folder = crate::statement::tables::berka::data()?;
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
