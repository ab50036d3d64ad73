//! Completion of values in the cells of tables and beside a comparison, and hovers over cells.

use serde_json::{Value, json};

use super::client::{Client, apply, position};

const POLICY: &str = r#"[policy]
name = "x"
version = "1"
currency = "566"
time_zone = "UTC"

[parameters]
rate = { value = 3, min = 1, max = 9, doc = "what most people pay" }

[request]
sector = "text"
married = "boolean"
age = "count"

[metric]
# How many there are.
records = { is = "COUNT(*)", doc = "records of the statement" }

[table.grade]
hit = "first"
inputs = ["request.sector", "request.married", "records > 3", "request.age"]
outputs = { grade = { type = "text", values = ["A", "B"] }, kind = "text", call = "boolean" }
rows = [
  ["private, public", "-", "-", "-", "A", "new", true],
  ["'a, b'", "-", "-", "-", "B", "old, very", true],
  ["", "", "", "", "", "", ""],
]
otherwise = ["", "", ""]

[table.tier]
hit = "first"
inputs = ["grade", "balance_verdict"]
outputs = { tier = "number" }
rows = [["", "", ""]]

[score]
base = 1

[[score.item]]
on = "records"
points = [["-", 1]]

[[score.item]]
on = "balance_verdict"
points = [["", 1]]

[[require]]
id = "R01"
when = "grade = '' OR balance_verdict IN ('verified', '')"
reason = "no"
"#;

/// The text with a `|` removed, and the completions there.
fn completed(client: &mut Client, marked: &str, instead: &str) -> (String, Value) {
    let text = POLICY.replacen(&marked.replace('|', ""), &instead.replace('|', ""), 1);
    assert!(text.contains(&instead.replace('|', "")), "{instead}");
    let version = client.replace("x.toml", &text);
    client.mistakes_of("x.toml", version);
    let at = position(&text, instead);
    let params = json!({"textDocument": {"uri": client.uri("x.toml")}, "position": at});
    (text, client.ask("textDocument/completion", params))
}

fn labels(items: &Value) -> String {
    let labels = items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap());
    labels.collect::<Vec<_>>().join(" / ")
}

const ROW: &str = "[\"\", \"\", \"\", \"\", \"\", \"\", \"\"]";

#[test]
fn a_cell_offers_the_values_of_its_column() {
    let mut client = Client::new();
    client.write("x.toml", POLICY);
    client.open("x.toml");
    let mut shown = String::new();
    let cases = [
        (ROW, "[\"|\", \"\", \"\", \"\", \"\", \"\", \"\"]"),
        (ROW, "[\"private, |\", \"\", \"\", \"\", \"\", \"\", \"\"]"),
        (ROW, "[\"not(pri|)\", \"\", \"\", \"\", \"\", \"\", \"\"]"),
        (ROW, "[\"\", \"|\", \"\", \"\", \"\", \"\", \"\"]"),
        (ROW, "[\"\", \"\", \"|\", \"\", \"\", \"\", \"\"]"),
        (ROW, "[\"\", \"\", \"\", \"|\", \"\", \"\", \"\"]"),
        (ROW, "[\"\", \"\", \"\", \">= |\", \"\", \"\", \"\"]"),
        (ROW, "[\"\", \"\", \"\", \">= $|\", \"\", \"\", \"\"]"),
        (ROW, "[\"\", \"\", \"\", \"\", \"|\", \"\", \"\"]"),
        (ROW, "[\"\", \"\", \"\", \"\", \"\", \"|\", \"\"]"),
        (ROW, "[\"\", \"\", \"\", \"\", \"\", \"\", |]"),
        ("otherwise = [\"\"", "otherwise = [\"|\""),
        ("rows = [[\"\", \"\", \"\"]]", "rows = [[\"|\", \"\", \"\"]]"),
        ("rows = [[\"\", \"\", \"\"]]", "rows = [[\"\", \"|\", \"\"]]"),
        ("rows = [[\"\", \"\", \"\"]]", "rows = [[\"\", \"\", \"|\"]]"),
        ("points = [[\"-\", 1]]", "points = [[\"|\", 1]]"),
        ("points = [[\"\", 1]]", "points = [[\"|\", 1]]"),
        ("grade = ''", "grade = '|'"),
        ("grade = ''", "grade <> 'A|'"),
        ("('verified', '')", "('verified', '|')"),
        ("grade = ''", "request.sector = '|'"),
    ];
    for (marked, instead) in cases {
        let (_, items) = completed(&mut client, marked, instead);
        shown += &format!("{instead}\n    {}\n", labels(&items));
    }
    insta::assert_snapshot!(shown);
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn a_value_is_inserted_as_the_cell_needs_it() {
    let mut client = Client::new();
    client.write("x.toml", POLICY);
    client.open("x.toml");
    for (marked, instead, label, wanted) in [
        (ROW, "[\"private, pu|\", \"\", \"\", \"\", \"\", \"\", \"\"]", "public", "[\"private, public\", \"\","),
        (ROW, "[\"not(pri|)\", \"\", \"\", \"\", \"\", \"\", \"\"]", "private", "[\"not(private)\", \"\","),
        (ROW, "[\"un|\", \"\", \"\", \"\", \"\", \"\", \"\"]", "unknown", "[\"unknown\", \"\","),
        (ROW, "[\"\", \"\", \"\", \"\", \"|\", \"\", \"\"]", "A", "\"A\", \"\", \"\"]"),
        (ROW, "[\"\", \"\", \"\", \"\", \"\", \"|\", \"\"]", "old, very", "\"old, very\", \"\"]"),
        (ROW, "[\"\", \"\", \"\", \"\", |]", "B", "\"\", \"B\"]"),
        ("grade = ''", "grade = 'x|y'", "B", "when = \"grade = 'B' OR"),
        ("grade = ''", "grade = 'x|", "B", "when = \"grade = 'B"),
    ] {
        let (text, items) = completed(&mut client, marked, instead);
        let item = items.as_array().unwrap().iter().find(|item| item["label"] == label);
        let item = item.unwrap_or_else(|| panic!("{instead}: {}", labels(&items)));
        let after = apply(&text, &json!([item["textEdit"]]));
        assert!(after.contains(wanted), "{instead}: {wanted}\n{after}");
    }
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn completions_say_what_they_are() {
    let mut client = Client::new();
    client.write("x.toml", POLICY);
    client.open("x.toml");
    let (_, items) = completed(&mut client, "grade = ''", "|grade = ''");
    let shown: Vec<String> = ["records", "request.age", "$rate", "grade", "balance_verdict", "sum", "TRUE"]
        .iter()
        .map(|label| {
            let item = items.as_array().unwrap().iter().find(|item| item["label"] == *label);
            let item = item.unwrap_or_else(|| panic!("{label}: {}", labels(&items)));
            format!("{label}: {}\n{}\n", item["detail"], item["documentation"]["value"].as_str().unwrap_or("-"))
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn hover_says_the_truth_of_hit_policies_and_cells() {
    let mut client = Client::new();
    let mut shown = String::new();
    let policies = "unique any first priority rule_order output_order collect collect_sum collect_min collect_max \
                    collect_count";
    for policy in policies.split_whitespace() {
        let text = POLICY.replacen("hit = \"first\"", &format!("hit = \"{policy}\""), 1);
        client.write("x.toml", &text);
        client.open("x.toml");
        let hover = client.ask_at("textDocument/hover", "x.toml", &text, "[table.grade]\nhit = \"|").unwrap();
        let first = hover["contents"]["value"].as_str().unwrap().lines().next().unwrap().to_owned();
        shown += &format!("{first}\n");
    }
    let text = POLICY
        .replace(ROW, "[\"-\", \"unknown\", \"true\", \">= $rate\", \"A\", \"= grade\", true]")
        .replace("rows = [[\"\", \"\", \"\"]]", "rows = \"tier.csv\"");
    client.write("x.toml", &text);
    client.write("tier.csv", "grade,balance_verdict,tier\n-,-,1\n");
    client.open("x.toml");
    for marked in [
        "\"pri|vate, public\"",
        "[\"|-\", \"unknown\"",
        "\"un|known\", \"true\"",
        "\"tr|ue\"",
        "\">= $ra|te\"",
        "\"A\", \"= gr|ade\"",
        "\"ti|er.csv\"",
        "\"num|ber\"",
    ] {
        let hover = client.ask_at("textDocument/hover", "x.toml", &text, marked).unwrap();
        let said = hover["contents"]["value"].as_str().unwrap_or("nothing");
        shown += &format!("{marked}: {}\n", said.lines().next().unwrap());
        let found = client.ask_at("textDocument/definition", "x.toml", &text, marked).unwrap();
        let is_file = found["uri"].as_str().is_some_and(|uri| !uri.ends_with("/x.toml"));
        assert_eq!(is_file, marked.contains("csv"), "{marked}: {found}");
    }
    insta::assert_snapshot!(shown);
    assert_eq!(client.goodbye(), 0);
}
