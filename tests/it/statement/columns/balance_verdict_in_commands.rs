//! What the balances say, as users meet it: rules that ask for the verdict, `check`, `explain` and its page, the
//! summary of a batch, and the signs of forgery with the records behind them.

use serde_json::Value;

use crate::fixtures::desk::Desk;

const POLICY: &str = "[policy]\nuse = [\"metrics.toml\"]\nname = \"strict\"\nversion = \"1\"\ncurrency = \"566\"\n\
    time_zone = \"Africa/Lagos\"\n\n[[require]]\nid = \"BALANCES\"\nwhen = \"balance_verdict = 'verified'\"\n\
    else = \"refer\"\nreason = \"Verdict on the balances: {balance_verdict}\"\n\n[[offer]]\nid = \"A\"\ntenure = 30\n\
    amount = 1000\ninterest = 1\n";

/// K1 is verified, the second amount of K2 was changed, K3 has no balances.
const TABLE: &str = "customer,id,trans_date,credit,debit,balance,desc\n\
    K1,1,2026-06-01,1000,,1500,PAY\nK1,2,2026-06-03,,200,1300,SHOP\nK1,3,2026-06-09,55.50,,1355.50,GIFT\n\
    K2,1,2026-06-01,1000,,1500,PAY\nK2,2,2026-06-03,,20,1300,SHOP\nK2,3,2026-06-09,55.50,,1355.50,GIFT\n\
    K3,1,2026-06-01,1000,,,PAY\nK3,2,2026-06-03,,200,,SHOP\n";

fn desk() -> Desk {
    let desk = Desk::new();
    for file in ["metrics.toml", "words.toml"] {
        let path = format!("{}/rules/{file}", env!("CARGO_MANIFEST_DIR"));
        desk.write(file, &std::fs::read_to_string(path).unwrap());
    }
    desk.write("p.toml", POLICY);
    desk.write("t.csv", TABLE);
    desk
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_rule_asks_for_verified_balances() {
    let desk = desk();
    let said = desk.run(&["decide", "--policy", "p.toml", "--as-of", "2026-06-30", "t.csv"]);
    let decisions = lines(&said.out);
    let verdicts: Vec<_> = decisions.iter().map(|decision| decision["quality"]["balance_verdict"].clone()).collect();
    assert_eq!(verdicts, ["verified", "discrepancy", "unverifiable"], "{}", said.err);
    let reasons: Vec<_> = decisions.iter().map(|decision| decision["reasons"].clone()).collect();
    assert_eq!(reasons[0], serde_json::json!([]));
    for (reasons, word) in reasons[1..].iter().zip(["discrepancy", "unverifiable"]) {
        assert_eq!(reasons[0]["text"], format!("Verdict on the balances: {word}"));
    }
    assert_eq!(
        decisions[1]["quality"]["balance_discrepancy"],
        serde_json::json!({
            "day": "2026-06-03", "record": "2", "expected": 148_000, "found": 130_000, "difference": -18_000
        })
    );
}

#[test]
fn a_verdict_that_there_is_not_is_pointed_out() {
    let desk = desk();
    desk.write("p.toml", &POLICY.replace("'verified'", "'verifed'"));
    let said = desk.run(&["check", "p.toml"]);
    assert!(said.err.contains("it is never 'verifed'"), "{}", said.err);
    assert!(said.err.contains("it is one of discrepancy, failed, unverifiable, verified"), "{}", said.err);
    desk.write("p.toml", &POLICY.replace("= 'verified'", "IN ('verified', 'fine')"));
    let said = desk.run(&["check", "p.toml"]);
    assert!(said.err.contains("it is never 'fine'"), "{}", said.err);
}

#[test]
fn an_explanation_says_what_the_balances_say() {
    let desk = desk();
    let explained = |customer: &str| {
        let args = ["explain", "--policy", "p.toml", "--as-of", "2026-06-30", "t.csv", "--only-customer", customer];
        desk.run(&[&args[..], &["--html", "page.html"]].concat());
        desk.run(&args).out
    };
    let amounts = "stated NGN 1,300.00, computed NGN 1,480.00, off by NGN 180.00";
    let discrepancy = format!("balances: discrepancy, first on 2026-06-03, record 2: {amounts}");
    let sentences = [
        ("K1", "balances: verified", "verified", "every balance follows"),
        ("K2", &discrepancy, "discrepancy", amounts),
        (
            "K3",
            "balances: unverifiable (none, or too few to cover every record)",
            "unverifiable",
            "none, or too few to cover every record",
        ),
    ];
    for (customer, sentence, word, on_page) in sentences {
        let text = explained(customer);
        assert_eq!(text.lines().nth(1), Some(sentence));
        let page = desk.read("page.html");
        let badge = format!("<dt>Balances</dt><dd><span class=\"badge {word}\">{word}</span>");
        assert!(page.contains(&badge) && page.contains(on_page), "{customer}");
        // The day is marked in the wide picture and in the narrow one.
        assert_eq!(
            page.matches("<line class=\"off\"").count(),
            if word == "discrepancy" { 2 } else { 0 },
            "{customer}"
        );
        // Each warning of the text is on the page.
        let warnings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("warning: ")).collect();
        assert!(warnings.iter().all(|warning| page.contains(warning)), "{warnings:?}");
        assert_eq!(warnings.is_empty(), word == "verified" || word == "unverifiable", "{warnings:?}");
    }
}

#[test]
fn a_batch_counts_its_verdicts() {
    let desk = desk();
    let said = desk.run(&[
        "batch",
        "--policy",
        "p.toml",
        "--as-of",
        "2026-06-30",
        "--out",
        "out",
        "--as",
        "csv",
        "--write",
        "decisions",
        "t.csv",
    ]);
    let counts = "balances\n  verified               1   33.3%\n  unverifiable           1   33.3%\n  \
        discrepancy            1   33.3%\n";
    assert!(said.out.contains(counts), "{}{}", said.out, said.err);
    let manifest: Value = serde_json::from_str(&desk.read("out/manifest.json")).unwrap();
    assert_eq!(
        manifest["counts"]["balance_verdicts"],
        serde_json::json!({"discrepancy": 1, "unverifiable": 1, "verified": 1})
    );
    let table = desk.read("out/decisions.csv");
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let at = rows.headers().unwrap().iter().position(|name| name == "balance_verdict").unwrap();
    let verdicts: Vec<String> = rows.records().map(|row| row.unwrap()[at].to_owned()).collect();
    assert_eq!(verdicts, ["verified", "discrepancy", "unverifiable"]);
}

#[test]
fn signs_of_forgery_have_the_records_behind_them() {
    let desk = desk();
    let names = TABLE.lines().next().unwrap().split(',').map(|name| format!("{name} = \"{name}\"\n"));
    desk.write("c.toml", &format!("order = \"oldest_first\"\n[columns]\n{}", names.collect::<String>()));
    desk.write("t.csv", &TABLE.replace("K2,3,2026-06-09", "K2,3,2026-05-09"));
    let of_k2 = |args: &[&str], metric: &str| {
        let all = [&["metrics", "--policy", "p.toml", "--as-of", "2026-06-30", "t.csv"], args].concat();
        let said = desk.run(&all);
        lines(&said.out).into_iter().find(|line| line["customer"] == "K2").expect(&said.err)[metric].clone()
    };
    let declared = ["--columns", "c.toml"];
    assert_eq!(of_k2(&declared, "out_of_order_count"), 1);
    assert_eq!(of_k2(&[], "out_of_order_count"), Value::Null, "no order is declared");
    // 855.50 where the record in the wrong place stands, and the 180 of the changed amount.
    let [count, total] = ["balance_break_count", "balance_break_total"].map(|name| of_k2(&declared, name));
    assert_eq!((count, total), (2.into(), 103_550.into()));
    assert_eq!(of_k2(&declared, "round_amount_share"), 1.0 / 3.0);
    let said = desk.run(&[
        "explain",
        "--policy",
        "p.toml",
        "--as-of",
        "2026-06-30",
        "t.csv",
        "--only-customer",
        "K2",
        "--columns",
        "c.toml",
        "--metric",
        "out_of_order_count",
    ]);
    assert!(said.out.contains("2026-05-09") && said.out.contains("(3)"), "{}{}", said.out, said.err);
}
