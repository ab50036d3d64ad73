//! Lists of keys in the commands: they decide, and no output shows a key that the request does not bring.

use crate::fixtures::desk::Desk;

const POLICY: &str = r#"[policy]
name = "listed"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[list.blocked]
file = "lists/blocked.csv"
key = "phone"
until = "until"

[list.partners]
file = "lists/partners.parquet"
ignore_case = true

[parameters]
for_partners = { value = 20000, unit = "money" }
for_all = { value = 10000, unit = "money" }

[request]
phone = "text"
employer = "text"

[metric]
works_for_partner = "in_list(partners, request.employer)"

[[require]]
id = "B01"
when = "NOT in_list(blocked, request.phone)"
reason = "This phone is blocked"

[[offer]]
id = "any"
tenure = 30
amount = "CASE WHEN works_for_partner THEN $for_partners ELSE $for_all END"
interest = 1
"#;

const PHONE: &str = "08031234567";
const DECIDE: [&str; 5] = ["decide", "--policy", "rules/listed.toml", "--as-of", "2026-06-30"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("rules/listed.toml", POLICY);
    desk.write("rules/lists/blocked.csv", &format!("phone,until,why\n{PHONE},2026-06-30,fraud\n0900,,\n"));
    write_partners(&desk, &["ACME Ltd", "Shell"]);
    desk.write("blocked.json", &format!(r#"{{"phone": "{PHONE}", "employer": "acme ltd"}}"#));
    desk.write("free.json", r#"{"phone": "0901", "employer": " shell "}"#);
    desk
}

fn write_partners(desk: &Desk, names: &[&str]) {
    use polars::prelude::{DataFrame, NamedFrom, ParquetWriter, Series};
    let column = Series::new("name".into(), names).into();
    let mut frame = DataFrame::new(names.len(), vec![column]).unwrap();
    let file = std::fs::File::create(desk.path().join("rules/lists/partners.parquet")).unwrap();
    ParquetWriter::new(file).finish(&mut frame).unwrap();
}

fn decided(desk: &Desk, request: &str) -> serde_json::Value {
    let said = desk.run(&[&DECIDE[..], &["--request", request, "in/statement-000001.json"]].concat());
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn a_list_decides_and_its_digest_is_in_the_decision() {
    let desk = desk();
    let (blocked, free) = (decided(&desk, "blocked.json"), decided(&desk, "free.json"));
    assert_eq!((&blocked["outcome"], &blocked["reasons"][0]["id"]), (&"decline".into(), &"B01".into()));
    assert_eq!((&free["outcome"], &free["offers"][0]["amountOffered"]), (&"offer".into(), &2_000_000.into()), "{free}");
    let lists = |decision: &serde_json::Value| decision["policy"]["lists"].clone();
    assert_eq!(lists(&free).as_object().unwrap().keys().collect::<Vec<_>>(), ["blocked", "partners"]);
    desk.write("decision.json", &free.to_string());
    let text = desk.read("rules/lists/blocked.csv");
    desk.write("rules/lists/blocked.csv", &format!("{text}0901,,\n"));
    let after = decided(&desk, "free.json");
    assert_eq!(after["outcome"], "decline");
    assert_ne!(lists(&free)["blocked"], lists(&after)["blocked"]);
    assert_eq!(lists(&free)["partners"], lists(&after)["partners"]);
    assert_ne!(free["policy"]["digest"], after["policy"]["digest"]);
}

#[test]
fn a_replay_names_the_list_that_changed() {
    let desk = desk();
    let said = desk.run(&[&DECIDE[..], &["--request", "free.json", "in/statement-000001.json"]].concat());
    desk.write("decision.json", &said.out);
    let replay = || desk.run(&["replay", "decision.json", "in/statement-000001.json"]);
    assert_eq!((replay().status, replay().err.as_str()), (0, ""));
    write_partners(&desk, &["ACME Ltd", "Shell", "Dangote"]);
    let said = replay();
    assert_eq!(said.status, 1);
    assert!(said.err.ends_with("changed since then: the list `partners`\n"), "{}", said.err);
    let said = desk.run(&["replay", "decision.json", "in/statement-000001.json", "--policy", "rules/listed.toml"]);
    assert!(said.err.contains("`policy.lists.partners`"), "{}", said.err);
}

#[test]
fn a_batch_asks_the_lists_for_each_customer() {
    let desk = desk();
    desk.write("table.csv", "customer,id,trans_date,credit\nada,1,2026-05-01,500\nbola,2,2026-05-02,700\n");
    desk.write("requests.csv", &format!("customer,phone,employer\nada,{PHONE},Acme LTD\nbola,0901,none\n"));
    let args = ["batch", "--policy", "rules/listed.toml", "--as-of", "2026-06-30", "--requests", "requests.csv"];
    let said = desk.run(&[&args[..], &["--out", "out", "table.csv"]].concat());
    assert_eq!(said.status, 0, "{}", said.err);
    let outcomes: Vec<String> = desk
        .read("out/decisions.ndjson")
        .lines()
        .map(|line| {
            let decision: serde_json::Value = serde_json::from_str(line).unwrap();
            format!("{} {} {}", decision["customer"], decision["outcome"], decision["metrics"]["works_for_partner"])
        })
        .collect();
    assert_eq!(outcomes, ["\"ada\" \"decline\" true", "\"bola\" \"offer\" false"]);
}

#[test]
fn explanations_say_what_a_list_says_and_not_the_key() {
    let desk = desk();
    let explain = ["explain", "--policy", "rules/listed.toml", "--as-of", "2026-06-30", "--request"];
    for (request, answer) in [("blocked.json", "yes"), ("free.json", "no")] {
        let said = desk.run(&[&explain[..], &[request, "in/statement-000001.json"]].concat());
        assert_eq!(said.status, 0, "{}", said.err);
        let sentence = format!("`request.phone` is on the list `blocked` = {answer}\n");
        assert!(said.out.contains(&sentence), "{}", said.out);
        assert!(!said.out.contains(PHONE) && !said.out.contains("0901"), "{}", said.out);
    }
}

#[test]
fn check_and_diff_show_no_key() {
    let desk = desk();
    let said = desk.run(&["check", "--digests", "rules/listed.toml"]);
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("  # list blocked, lists/blocked.csv: "), "{}", said.out);
    desk.write("before/listed.toml", POLICY);
    desk.write("before/lists/blocked.csv", "phone,until\n0900,\n");
    std::fs::copy(desk.path().join("rules/lists/partners.parquet"), desk.path().join("before/lists/partners.parquet"))
        .unwrap();
    let said = desk.run(&["diff", "before/listed.toml", "rules/listed.toml"]);
    assert!(said.out.contains("list") && said.out.contains("blocked") && !said.out.contains(PHONE), "{}", said.out);
    assert!(said.out.contains('1') && said.out.contains('2') && !said.out.contains("partners"), "{}", said.out);
    desk.write("rules/lists/blocked.csv", &format!("phone,until\n{PHONE},soon\n"));
    let said = desk.run(&["check", "rules/listed.toml"]);
    assert_eq!(said.status, 1);
    assert!(said.err.contains("line 2") && said.err.contains("until = ") && !said.err.contains(PHONE), "{}", said.err);
}

#[test]
fn cases_and_the_dictionary_ask_lists() {
    let desk = desk();
    desk.write(
        "rules/listed.cases.toml",
        &format!(
            "[[case]]\nname = \"blocked\"\nas_of = \"2026-06-30\"\n\
             request = {{ phone = \"{PHONE}\", employer = \"a\" }}\n\
             [[case.also]]\non = \"2026-06-30\"\ncredit = 1\n[case.expect]\noutcome = \"decline\"\n\
             reasons = [\"B01\"]\n\n[[case]]\nname = \"in time\"\nas_of = \"2026-07-01\"\n\
             request = {{ phone = \"{PHONE}\", employer = \"SHELL\" }}\n[[case.also]]\non = \"2026-07-01\"\n\
             credit = 1\n[case.expect]\noutcome = \"offer\"\noffers = [[30, 20_000, 20_200]]\n\
             metrics = {{ works_for_partner = true }}\n"
        ),
    );
    let said = desk.run(&["test", "rules/listed.toml"]);
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let said = desk.run(&["metrics", "--policy", "rules/listed.toml", "--describe", "works_for_partner"]);
    assert!(said.out.contains("in_list(partners)") && said.out.contains("2 keys of"), "{}", said.out);
    let said = desk.run(&["fmt", "--check", "rules/listed.toml"]);
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
}

#[test]
fn a_backtest_counts_what_an_edited_list_does() {
    let desk = desk();
    desk.write("table.csv", "customer,id,trans_date,credit\nada,1,2026-05-01,500\nbola,2,2026-05-02,700\n");
    desk.write("requests.csv", "customer,phone,employer\nada,0902,none\nbola,0901,none\n");
    desk.write("after/listed.toml", POLICY);
    desk.write("after/lists/blocked.csv", "phone,until\n0902,\n");
    std::fs::copy(desk.path().join("rules/lists/partners.parquet"), desk.path().join("after/lists/partners.parquet"))
        .unwrap();
    let args = ["backtest", "--policy", "after/listed.toml", "--against", "rules/listed.toml", "--as-of", "2026-06-30"];
    let said = desk.run(&[&args[..], &["--requests", "requests.csv", "table.csv"]].concat());
    assert_eq!(said.status, 0, "{}", said.err);
    let row = said.out.lines().find(|line| line.starts_with("lists/blocked.csv")).unwrap_or_default();
    assert!(row.contains("+0 -1"), "{}", said.out);
    assert!(said.out.contains("B01 applies now"), "{}", said.out);
}
