//! What people say of records: which correction counts, what it sets, and that nothing else changes.

use lendwright::decision::{Verdict, VerdictsAsked, decide, reading, verdicts};
use lendwright::rules::{Policy, Value, compile};
use lendwright::statement::{Columns, read_csv};
use lendwright::{Request, Statements};

const RULES: &str = r#"
[policy]
name = "corrected"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"
corrections = "said/corrections.toml"

[words]
salary = ["salary"]
narration_channels = ["nip"]

[kind]
salary = { credit = ["is_salary", "is_income"] }
gift = { credit = ["is_income"], debit = ["is_given"] }
other = { debit = [] }

[transaction]
is_salary = "credit > 0 AND mentions(salary)"
is_income = "credit > 0 AND mentions(salary)"
is_given = "debit > 0 AND mentions(salary)"

[counterparty]
paid = "SUM(credit)"

[metric]
salaries = "COUNT(*) FILTER (WHERE is_salary)"
income = "SUM(credit) FILTER (WHERE is_income)"
most_paid = "MAX(paid)"
payers = "COUNT(DISTINCT counterparty)"
"#;

const TABLE: &str = "\
customer,id,trans_date,credit,debit,desc
ada,a1,2026-01-05,100,,NIP/ADA OBI/SALARY
ada,a2,2026-02-05,200,,NIP/BAYO OKON/SALARY
ada,a3,2026-02-06,400,,NIP/BAYO OKON/FOOD
ada,a4,2026-02-07,,50,NIP/BAYO OKON/SALARY
obi,a1,2026-01-05,1000,,NIP/ADA OBI/SALARY
obi,o2,2026-01-06,2000,,NIP/ZED STORES/FOOD STUFF
";

fn policy(corrections: &str) -> Policy {
    let rules =
        if corrections == "none" { RULES.replace("corrections = ", "description = ") } else { RULES.to_owned() };
    let mut read = |path: &str| match path {
        "said/corrections.toml" => Ok(corrections.to_owned()),
        _ => Err("no other file".to_owned()),
    };
    compile("corrected.toml", &rules, &mut read, &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

fn statements(policy: &Policy) -> Statements {
    read_csv(TABLE.as_bytes(), "table", &reading(policy), &Columns::default()).unwrap()
}

fn entry(text: &str) -> String {
    format!("[[correction]]\n{}\nby = \"amina\"\non = 2026-11-02\nwhy = \"seen\"\n\n", text.replace("; ", "\n"))
}

fn records(corrections: &str) -> Vec<Verdict> {
    let policy = policy(corrections);
    verdicts(&policy, &statements(&policy), &VerdictsAsked::default()).unwrap().records
}

/// The flags of each record, in the order of the rules: `1`, `0` or `-` where it is unknown.
fn flags(records: &[Verdict]) -> Vec<String> {
    let flag = |value: &Option<Value>| match value {
        Some(Value::Boolean(true)) => '1',
        Some(Value::Boolean(false)) => '0',
        _ => '-',
    };
    records.iter().map(|record| record.values.iter().map(flag).collect()).collect()
}

#[test]
fn a_policy_without_corrections_decides_the_same_bytes() {
    let none = policy("none");
    let plain = decide(&none, &statements(&none), &Request::default()).unwrap();
    for empty in ["", "# nothing was said yet\n"] {
        let empty = policy(empty);
        let decided = decide(&empty, &statements(&empty), &Request::default()).unwrap();
        for (plain, decided) in plain.iter().zip(&decided) {
            assert_eq!((&plain.metrics, plain.outcome), (&decided.metrics, decided.outcome));
            assert!(plain.policy.corrections.is_none() && decided.policy.corrections.is_some());
        }
    }
    assert_eq!(flags(&records("none")), ["110", "110", "000", "001", "110", "000"]);
}

/// The records that a correction is about, by customer and id, in the order of the table.
#[test]
fn a_correction_is_of_an_id_a_payer_or_words() {
    let cases: [(&str, [&str; 6]); 9] = [
        ("id = \"a1\"; kind = \"gift\"", ["010", "110", "000", "001", "010", "000"]),
        ("id = \"a1\"; customer = \"obi\"; kind = \"gift\"", ["110", "110", "000", "001", "010", "000"]),
        ("payer = \"Bayo Okon\"; kind = \"salary\"", ["110", "110", "110", "001", "110", "000"]),
        ("payer = \"BAYO OKON\"; kind = \"gift\"", ["110", "010", "010", "001", "110", "000"]),
        ("narration = \"food\"; kind = \"salary\"", ["110", "110", "110", "001", "110", "110"]),
        // Words are whole.
        ("narration = \"food stuff\"; kind = \"salary\"", ["110", "110", "000", "001", "110", "110"]),
        ("narration = \"foo\"; kind = \"salary\"", ["110", "110", "000", "001", "110", "000"]),
        // A kind of the other side says nothing; one without flags says that none holds.
        ("id = \"a4\"; kind = \"salary\"", ["110", "110", "000", "001", "110", "000"]),
        ("id = \"a4\"; kind = \"other\"", ["110", "110", "000", "000", "110", "000"]),
    ];
    for (said, wanted) in cases {
        assert_eq!(flags(&records(&entry(said))), wanted, "{said}");
    }
}

/// The narrower correction counts, whatever the order of the file; among equals the later one.
#[test]
fn one_correction_counts() {
    let said = [
        "id = \"a2\"; customer = \"ada\"; kind = \"gift\"",
        "id = \"a2\"; kind = \"salary\"",
        "payer = \"bayo okon\"; kind = \"gift\"",
        "narration = \"salary\"; kind = \"gift\"",
    ];
    let kinds = |said: &[&str]| flags(&records(&said.iter().map(|said| entry(said)).collect::<String>()));
    let reversed: Vec<&str> = said.iter().rev().copied().collect();
    assert_eq!(kinds(&said), kinds(&reversed));
    assert_eq!(kinds(&said)[1], "010");
    assert_eq!(kinds(&said[1..])[1], "110");
    assert_eq!(kinds(&said[2..])[1], "010");
    let later = ["narration = \"food\"; kind = \"gift\"", "narration = \"food stuff\"; kind = \"salary\""];
    assert_eq!(kinds(&later)[5], "110");
    assert_eq!(kinds(&[later[1], later[0]])[5], "010");
}

#[test]
fn a_counterparty_that_is_corrected_is_one_everywhere() {
    let of = |records: &[Verdict]| -> Vec<String> {
        records.iter().map(|record| record.counterparty.clone().unwrap_or_default()).collect()
    };
    let said = entry("payer = \"bayo okon\"; counterparty = \"Ada Obi\"");
    let records_of = records(&said);
    assert_eq!(of(&records_of)[..4], ["ada obi"; 4]);
    assert!(records_of[1].why.contains("the counterparty is corrected by amina on 2026-11-02: seen"), "{records_of:?}");
    let decided = |corrections: &str| {
        let policy = policy(corrections);
        decide(&policy, &statements(&policy), &Request::default()).unwrap().remove(0)
    };
    let (plain, corrected) = (decided("none"), decided(&said));
    assert_eq!((plain.metrics["payers"].as_i64(), corrected.metrics["payers"].as_i64()), (Some(2), Some(1)));
    assert_eq!(
        (plain.metrics["most_paid"].as_i64(), corrected.metrics["most_paid"].as_i64()),
        (Some(60_000), Some(70_000))
    );
    // Both of one correction, and a kind by the name that another one gave.
    let both = entry("payer = \"bayo okon\"; counterparty = \"Ada Obi\"; kind = \"salary\"");
    assert_eq!(flags(&records(&both))[2], "110");
    let chained = said.clone() + &entry("payer = \"ada obi\"; kind = \"salary\"");
    assert_eq!(flags(&records(&chained))[2], "110");
    // One record, by its id, in one statement.
    let one = records(&entry("id = \"a3\"; counterparty = \"Zed Stores Ltd\""));
    assert_eq!(of(&one)[..4], ["ada obi", "bayo okon", "zed stores ltd", "bayo okon"]);
}

#[test]
fn the_reason_names_who_said_so() {
    let mut wanted = VerdictsAsked::default();
    wanted.why = Some("is_salary".to_owned());
    let policy = policy(&entry("id = \"a1\"; kind = \"gift\""));
    let found = verdicts(&policy, &statements(&policy), &wanted).unwrap();
    assert_eq!(found.records[0].why, "corrected to gift by amina on 2026-11-02: seen");
    assert!(!found.records[1].why.contains("corrected"), "{}", found.records[1].why);
}

#[test]
fn a_digest_of_the_corrections_is_in_the_decision() {
    let (one, other) =
        (policy(&entry("id = \"a1\"; kind = \"gift\"")), policy(&entry("id = \"a1\"; kind = \"salary\"")));
    assert_ne!(one.corrections_digest(), other.corrections_digest());
    assert_ne!(one.digest(), other.digest());
    let decided = decide(&one, &statements(&one), &Request::default()).unwrap();
    let line: serde_json::Value = serde_json::from_str(&decided[0].to_line()).unwrap();
    assert_eq!(line["policy"]["corrections"], serde_json::to_value(one.corrections_digest()).unwrap());
}

/// Each kind of the shipped rules, of both sides, on a record that says something else: what follows from it is that
/// kind and no other.
#[test]
fn every_shipped_kind_is_what_it_says() {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/metrics.toml");
    let text = std::fs::read_to_string(rules).unwrap();
    let document: toml_edit::DocumentMut = text.parse().unwrap();
    let kinds = document["kind"].as_table().unwrap();
    assert!(kinds.len() > 25, "{}", kinds.len());
    let income = [
        "salary",
        "bonus",
        "gig",
        "pension",
        "benefit",
        "dividend",
        "interest",
        "sale",
        "gift",
        "cash_deposit",
        "income",
        "rent",
    ];
    let mut told = String::new();
    for (kind, entry) in kinds {
        for side in ["credit", "debit"] {
            if entry.get(side).is_none() {
                continue;
            }
            for said in
                ["NIP/BET9JA/WINNINGS", "FASTLOAN BOOKING", "NIP/ACME FOODS LTD/SALARY JAN", "POS PRCH SHOPRITE"]
            {
                let record = corrected(kind, side, said);
                let is = |flag: &str| record.contains(&flag.to_owned());
                let counts = side == "credit" && income.contains(&kind);
                assert_eq!(is("is_income"), counts, "{kind} {side} {said}: {record:?}");
                if said.starts_with("FASTLOAN") {
                    told += &format!("{kind} {side}: {}\n", record.join(" "));
                }
            }
        }
    }
    insta::assert_snapshot!("shipped_kinds", told);
}

/// The flags that hold of a record which a correction gives a kind.
fn corrected(kind: &str, side: &str, narration: &str) -> Vec<String> {
    use std::sync::OnceLock;
    static TEXTS: OnceLock<(String, String)> = OnceLock::new();
    let read = |name: &str| {
        std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(name)).unwrap()
    };
    let (metrics, words) = TEXTS.get_or_init(|| (read("metrics.toml"), read("words.toml")));
    let rules = "[policy]\nname = 'k'\nversion = '1'\ncurrency = '566'\ntime_zone = 'Africa/Lagos'\n\
                 use = ['metrics.toml']\ncorrections = 'c.toml'\n";
    let said = format!("[[correction]]\nid = 'x'\nkind = '{kind}'\nby = 'a'\non = 2026-11-02\nwhy = 'w'\n");
    let mut texts = |path: &str| match path {
        "metrics.toml" => Ok(metrics.clone()),
        "words.toml" => Ok(words.clone()),
        "c.toml" => Ok(said.clone()),
        _ => Err("no other file".to_owned()),
    };
    let policy = compile("k.toml", rules, &mut texts, &[]).unwrap_or_else(|refused| panic!("{refused}"));
    let (credit, debit) = if side == "credit" { ("5000", "") } else { ("", "5000") };
    let table = format!("customer,id,trans_date,credit,debit,desc\nc,x,2026-01-05,{credit},{debit},{narration}\n");
    let statements = read_csv(table.as_bytes(), "table", &reading(&policy), &Columns::default()).unwrap();
    let found = verdicts(&policy, &statements, &VerdictsAsked::default()).unwrap();
    let flags = found.flags.iter().zip(&found.records[0].values);
    let held = flags.filter(|(flag, value)| {
        **value == Some(Value::Boolean(true))
            && !["is_credit", "is_bank_text", "is_sent", "is_pos"].contains(&&*flag.name)
    });
    held.map(|(flag, _)| flag.name.clone()).collect()
}
