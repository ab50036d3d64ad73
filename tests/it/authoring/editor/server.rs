//! The language server as an editor meets it: the program itself, spoken to over its standard input and output.

use std::collections::BTreeMap;

use lendwright::editor::format::format_rule_file;
use serde_json::{Value, json};

use super::client::{Client, apply, byte_of, file_name, position_of, slice};

fn labels(items: &Value) -> Vec<String> {
    items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

fn markdown(hover: &Value) -> &str {
    hover["contents"]["value"].as_str().unwrap_or_default()
}

#[test]
fn the_server_comes_and_goes_as_the_protocol_says() {
    let mut client = Client::new();
    client.open("starter.toml");
    assert_eq!(client.codes("starter.toml"), [""; 0]);
    let unknown = client.try_ask("textDocument/inlayHint", json!({}));
    assert_eq!(unknown, Err("unknown method `textDocument/inlayHint`".to_owned()));
    let senseless = client.try_ask("textDocument/hover", json!({"nothing": 1}));
    assert!(senseless.unwrap_err().contains("textDocument"));
    assert_eq!(client.goodbye(), 0);
    assert_eq!(Client::new().leave(), 1);
}

/// Every diagnostic of `check`, at the same bytes.
#[test]
fn mistakes_are_those_of_check() {
    let mut client = Client::new();
    let mut seen = 0;
    for path in super::toml_files("testdata/rules/errors") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(client.path(&name), &text).unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_lendwright"))
            .args(["check", "--format", "json"])
            .arg(client.path(&name))
            .output()
            .unwrap();
        let mut checked: Vec<(String, u64, String)> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|said| said["file"].as_str().unwrap().ends_with(&name))
            .map(|said| {
                let message = match said["help"].as_str() {
                    Some(help) => format!("{}\nhelp: {help}", said["message"].as_str().unwrap()),
                    None => said["message"].as_str().unwrap().to_owned(),
                };
                (said["code"].as_str().unwrap().to_owned(), said["start"].as_u64().unwrap(), message)
            })
            .collect();
        client.open_as(&name, &text);
        let told = client.mistakes(&name);
        let told = told["diagnostics"].as_array().unwrap().iter();
        let mut told: Vec<(String, u64, String)> = told
            .map(|one| {
                let start = byte_of(&text, &one["range"]["start"]) as u64;
                (one["code"].as_str().unwrap().to_owned(), start, one["message"].as_str().unwrap().to_owned())
            })
            .collect();
        checked.sort();
        told.sort();
        assert_eq!(told, checked, "{name}");
        seen += told.len();
        client.note("textDocument/didClose", json!({"textDocument": {"uri": client.uri(&name)}}));
    }
    assert!(seen > 100, "{seen}");
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn an_edit_of_a_used_file_reaches_its_users() {
    let mut client = Client::new();
    client.open("starter.toml");
    assert_eq!(client.codes("starter.toml"), [""; 0]);
    let shared = client.open("metrics.toml");
    assert_eq!(client.codes("metrics.toml"), [""; 0]);
    client.replace("metrics.toml", &shared.replace("full_months =", "whole_months ="));
    let told = client.codes("starter.toml");
    assert!(!told.is_empty() && told.iter().all(|code| code == "unknown-name"), "{told:?}");
    // A mistake in a file that is not open is reported at that file.
    client.replace("metrics.toml", &shared);
    assert_eq!(client.codes("starter.toml"), [""; 0]);
    std::fs::write(client.path("metrics.toml"), shared.replace("MIN(trans_date)", "MINI(trans_date)")).unwrap();
    client.note("textDocument/didClose", json!({"textDocument": {"uri": client.uri("metrics.toml")}}));
    // A file that is not open has no version.
    let told = loop {
        let told = client.mistakes("metrics.toml");
        if told.get("version").is_none() {
            break told;
        }
    };
    assert_eq!(told["diagnostics"][0]["code"], "unknown-function", "{told}");
    // And withdrawn once no file uses it any more.
    client.note("textDocument/didClose", json!({"textDocument": {"uri": client.uri("starter.toml")}}));
    assert_eq!(client.codes("metrics.toml"), [""; 0]);
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn hover_says_what_a_name_is() {
    let mut client = Client::new();
    let text = client.open("starter.toml");
    let mut hover = |marked: &str| {
        let said = client.ask_at("textDocument/hover", "starter.toml", &text, marked).unwrap();
        match said.is_null() {
            true => "nothing".to_owned(),
            false => format!("`{}`\n{}", slice(&text, &said["range"]), markdown(&said)),
        }
    };
    let marks = [
        "when = \"full_mon|ths >=",
        "when = \"full_months >= $min_full|_months",
        "shown, {$min_|full_months} are needed",
        "COALESCE(request.am|ount, cap)",
        "LEAST(ca|p, $income_multiple",
        "principal|_for(instalment_left",
        "inputs = [\"sco|re\"",
        "|when = \"full_months",
        "else = \"dec|line\"",
        "hit = \"fi|rst\"",
        "commitment|_share = \"known",
        "fee = \"0.01 * amou|nt\"",
        "use = [\"metrics|.toml\"]",
        "grade IN ('|A', 'B', 'C'",
        "# A first| policy",
        "max_stale|ness = {",
    ];
    let said: Vec<String> = marks.iter().map(|marked| format!("{marked}\n{}\n", hover(marked))).collect();
    insta::assert_snapshot!(said.join("\n"));
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn hover_shows_the_comment_above_and_the_doc() {
    let mut client = Client::new();
    let text = client.open("metrics.toml");
    let said = client.ask_at("textDocument/hover", "metrics.toml", &text, "(WHERE is_re|versal)").unwrap();
    assert!(markdown(&said).contains("A purchase on the side of credits"), "{said}");
    let said = client.ask_at("textDocument/hover", "metrics.toml", &text, "\"$max_|dti * ").unwrap();
    assert!(markdown(&said).contains("share of income that may go into instalments"), "{said}");
    let said = client.ask_at("textDocument/hover", "metrics.toml", &text, "mentions(pen|sion)").unwrap();
    assert!(markdown(&said).contains("\"gratuity\""), "{said}");
    assert_eq!(client.goodbye(), 0);
}

/// The completions at the end of a text that is typed at the end of the starter policy.
fn proposed(client: &mut Client, text: &str, typed: &str) -> (String, Value) {
    let whole = format!("{text}\n{typed}");
    let version = client.replace("starter.toml", &whole);
    client.mistakes_of("starter.toml", version);
    let at = position_of(&whole, whole.len());
    let params = json!({"textDocument": {"uri": client.uri("starter.toml")}, "position": at});
    (whole, client.ask("textDocument/completion", params))
}

#[test]
fn completion_knows_the_section_the_key_and_the_grain() {
    let mut client = Client::new();
    let text = client.open("starter.toml");
    let mut labels_at = |typed: &str| labels(&proposed(&mut client, &text, typed).1);
    let at = labels_at("[[require]]\nunk");
    assert_eq!(at, ["id", "title", "when", "all", "any", "at_least", "of", "else", "unknown", "reason"]);
    assert_eq!(labels_at("[[require]]\nelse = \""), ["decline", "refer"]);
    assert_eq!(labels_at("[table.x]\nhit = ").len(), 11);
    let keys = ["value", "values", "min", "max", "unit", "currency", "override", "doc"];
    assert_eq!(labels_at("[parameters]\nx = { value = 3, "), keys);
    assert!(labels_at("[[").contains(&"score.item".to_owned()));
    // A half-written expression: names of the statement, not of records; inside an aggregate those too.
    let metric = labels_at("[metric]\nx = \"fu");
    assert!(metric.contains(&"full_months".to_owned()) && !metric.contains(&"credit".to_owned()), "{metric:?}");
    assert!(metric.contains(&"$min_full_months".to_owned()) && metric.contains(&"sum".to_owned()));
    let within = labels_at("[metric]\nx = \"SUM(credit) FILTER (WHERE is_");
    assert!(within.contains(&"is_income".to_owned()) && !within.contains(&"sum".to_owned()), "{within:?}");
    assert!(labels_at("[transaction]\nx = \"cre").contains(&"credit".to_owned()));
    assert!(labels_at("[month]\nx = \"inf").contains(&"inflow".to_owned()));
    // Under a sort of group its own values and columns, and no other group's.
    let week = labels_at("[week]\nx = \"we");
    assert!(week.contains(&"week_records".to_owned()) && !week.contains(&"month_records".to_owned()), "{week:?}");
    assert!(labels_at("[stream]\nx = \"st").contains(&"stream_amount".to_owned()));
    let of_records = labels_at("[transaction]\nx = \"co");
    assert!(
        ["counterparty", "counterparty_records", "day_records"]
            .iter()
            .all(|name| of_records.contains(&(*name).to_owned()))
    );
    assert!(["week", "day", "counterparty", "stream"].iter().all(|name| labels_at("[").contains(&(*name).to_owned())));
    assert!(labels_at("[transaction]\nx = \"mentioned(sa").contains(&"salary".to_owned()));
    assert!(labels_at("[transaction]\nx = \"mentions(").iter().all(|label| !label.contains("credit")));
    assert!(labels_at("[transaction]\nx = \"mentions(sa").contains(&"salary".to_owned()));
    assert_eq!(labels_at("[metric]\nx = \"request."), ["request.amount", "request.obligations"]);
    assert!(labels_at("[metric]\nx = \"1 + $").iter().all(|label| label.starts_with('$')));
    assert!(labels_at("[[offer]]\nfee = \"0.01 * am").contains(&"amount".to_owned()));
    assert!(!labels_at("[[require]]\nwhen = \"am").contains(&"tenure".to_owned()));
    assert!(labels_at("[[require]]\nreason = \"only {rec").contains(&"record_count".to_owned()));
    assert_eq!(labels_at("[[require]]\nreason = \"only rec"), [""; 0]);
    assert_eq!(labels_at("[transaction]\nx = \"desc = 'sal"), [""; 0]);
    assert_eq!(labels_at("# full_"), [""; 0]);
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn what_is_completed_fits_in() {
    let mut client = Client::new();
    let text = client.open("starter.toml");
    for (typed, label, wanted) in [
        ("[metric]\nx = \"1 + full_m", "full_months", "[metric]\nx = \"1 + full_months"),
        ("[metric]\nx = \"1 + $min", "$min_full_months", "[metric]\nx = \"1 + $min_full_months"),
        ("[metric]\nx = \"co", "coalesce", "[metric]\nx = \"coalesce("),
        ("[[require]]\nelse = ", "refer", "[[require]]\nelse = \"refer\""),
        ("[[require]]\nelse = \"re", "refer", "[[require]]\nelse = \"refer"),
        ("[[require]]\nwh", "when", "[[require]]\nwhen = "),
    ] {
        let (whole, items) = proposed(&mut client, &text, typed);
        let item = items.as_array().unwrap().iter().find(|item| item["label"] == label).expect(label);
        assert!(apply(&whole, &json!([item["textEdit"]])).ends_with(wanted), "{typed}: {item}");
    }
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn definitions_are_found_across_files() {
    let mut client = Client::new();
    let text = client.open("starter.toml");
    let shared = std::fs::read_to_string(client.path("metrics.toml")).unwrap();
    for (marked, file, line) in [
        ("when = \"full_mon|ths >=", "metrics.toml", "full_months = {"),
        ("when = \"full_months >= $min_full|_months", "starter.toml", "min_full_months = {"),
        ("income of {counted_|income} a month", "metrics.toml", "counted_income = "),
        ("COALESCE(request.am|ount, cap)", "starter.toml", "amount = \"money\""),
        ("principal_for(instalment_left / 1.01, ra|te", "starter.toml", "rate = \"number\", cap"),
    ] {
        let found = client.ask_at("textDocument/definition", "starter.toml", &text, marked).unwrap();
        assert_eq!(file_name(found["uri"].as_str().unwrap()), file, "{marked}: {found}");
        let there = if file == "metrics.toml" { &shared } else { &text };
        let at = byte_of(there, &found["range"]["start"]);
        assert!(there[at..].starts_with(line), "{marked}: {}", &there[at..at + 30]);
    }
    let found = client.ask_at("textDocument/definition", "starter.toml", &text, "use = [\"metrics|.toml\"]").unwrap();
    assert_eq!(file_name(found["uri"].as_str().unwrap()), "metrics.toml");
    assert_eq!(client.ask_at("textDocument/definition", "starter.toml", &text, "# A first| policy"), Ok(Value::Null));
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn a_half_written_file_keeps_what_was_known() {
    let mut client = Client::new();
    let text = client.open("starter.toml");
    assert_eq!(client.codes("starter.toml"), [""; 0]);
    let broken = format!("x = \"\n{text}");
    let version = client.replace("starter.toml", &broken);
    let told = client.mistakes_of("starter.toml", version);
    assert_eq!((told[0]["code"].as_str(), told.as_array().unwrap().len()), (Some("toml"), 1));
    let said = client.ask_at("textDocument/hover", "starter.toml", &broken, "when = \"full_mon|ths >=").unwrap();
    assert!(markdown(&said).contains("count, one per statement"), "{said}");
    let marked = "when = \"full_months >= $min_full|_months";
    let found = client.ask_at("textDocument/definition", "starter.toml", &broken, marked).unwrap();
    let at = byte_of(&broken, &found["range"]["start"]);
    assert!(broken[at..].starts_with("min_full_months = {"), "{found}");
    let refused = client.try_ask(
        "textDocument/rename",
        json!({"textDocument": {"uri": client.uri("starter.toml")},
            "position": super::client::position(&broken, marked), "newName": "low"}),
    );
    assert!(refused.unwrap_err().contains("fix them first"));
    assert_eq!(client.goodbye(), 0);
}

/// The texts after a rename, by file.
fn renamed(client: &mut Client, name: &str, marked: &str, new: &str) -> Result<BTreeMap<String, String>, String> {
    let text = std::fs::read_to_string(client.path(name)).unwrap();
    let at = super::client::position(&text, marked);
    let params = json!({"textDocument": {"uri": client.uri(name)}, "position": at, "newName": new});
    let answer = client.try_ask("textDocument/rename", params)?;
    let changes = answer["changes"].as_object().unwrap().iter();
    Ok(changes
        .map(|(uri, edits)| {
            let name = file_name(uri);
            let text = std::fs::read_to_string(client.path(&name)).unwrap();
            (name, apply(&text, edits))
        })
        .collect())
}

#[test]
fn a_rename_reaches_every_use_in_every_file() {
    let mut client = Client::new();
    client.open("starter.toml");
    // Other files use the metric too, though they are not open.
    let texts = renamed(&mut client, "starter.toml", "when = \"full_mon|ths >=", "whole_months").unwrap();
    assert_eq!(
        texts.keys().collect::<Vec<_>>(),
        ["metrics.toml", "salary-advance.toml", "small-business.toml", "starter.toml"]
    );
    for (name, text) in &texts {
        std::fs::write(client.path(name), text).unwrap();
    }
    for (name, text) in &texts {
        let lone = text
            .match_indices("full_months")
            .filter(|(at, _)| !text[..*at].ends_with(|c: char| c == '_' || c.is_alphanumeric()));
        let left: Vec<&str> =
            lone.map(|(at, _)| &text[at..]).filter(|rest| !rest.starts_with("full_months_ago")).collect();
        assert!(left.is_empty(), "{name}: {left:?}");
        if name != "metrics.toml" {
            assert!(lendwright::load_policy(client.path(name), &[]).is_ok(), "{name}");
        }
    }
    let text = &texts["starter.toml"];
    assert!(
        text.contains("\"whole_months >= $min_full_months OR") && text.contains("Only {whole_months} whole months")
    );
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn parameters_word_lists_and_outputs_are_renamed() {
    let mut client = Client::new();
    client.open("starter.toml");
    client.open("metrics.toml");
    let texts = renamed(&mut client, "starter.toml", "$min_full|_months\"", "months_wanted").unwrap();
    assert!(texts["starter.toml"].contains("months_wanted = { value = 3"), "{texts:?}");
    assert!(texts["starter.toml"].contains("shown, {$months_wanted} are needed"));
    let texts = renamed(&mut client, "metrics.toml", "mentions(lo|an)", "loans").unwrap();
    assert!(
        texts["words.toml"].contains("\nloans = [")
            && texts["metrics.toml"].contains("mentions(loans) AND (has_legal_form")
    );
    let texts = renamed(&mut client, "starter.toml", "LEAST(ca|p, $income_multiple", "most").unwrap();
    assert!(
        texts["starter.toml"].contains("most = \"money\"")
            && texts["starter.toml"].contains("COALESCE(request.amount, most)")
    );
    let texts = renamed(&mut client, "starter.toml", "COALESCE(request.am|ount, cap)", "asked");
    let text = &texts.unwrap()["starter.toml"];
    assert!(text.contains("COALESCE(request.asked, cap)") && text.contains("asked = \"money\""));
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn a_rename_that_would_do_harm_is_refused() {
    let mut client = Client::new();
    client.open("starter.toml");
    let mut refusal = |marked: &str, new: &str| renamed(&mut client, "starter.toml", marked, new).unwrap_err();
    let name = "when = \"full_mon|ths >=";
    assert_eq!(refusal(name, "salary_cv"), "`salary_cv` is already taken");
    assert_eq!(refusal(name, "credit"), "`credit` is already taken");
    for new in ["Months", "3m", "", "a b", "case"] {
        assert!(refusal(name, new).contains("cannot be a name"), "{new}");
    }
    assert_eq!(refusal("# A first| policy", "x"), "there is no name here that can be renamed");
    assert_eq!(refusal("else = \"dec|line\"", "x"), "there is no name here that can be renamed");
    // An offer's own names are not available.
    assert_eq!(refusal(name, "tenure"), "`tenure` is already taken");
    let text = std::fs::read_to_string(client.path("metrics.toml")).unwrap();
    client.open("metrics.toml");
    let refused = client.ask_at("textDocument/prepareRename", "metrics.toml", &text, "\"SUM(cre|dit)\"");
    assert_eq!(refused, Err("`credit` is built in and keeps its name".to_owned()));
    let range = client.ask_at("textDocument/prepareRename", "metrics.toml", &text, "AVG(infl|ow)\"").unwrap();
    assert_eq!(slice(&text, &range), "inflow");
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn references_are_listed_across_the_open_policies() {
    let mut client = Client::new();
    let text = client.open("starter.toml");
    client.open("small-business.toml");
    let at = super::client::position(&text, "when = \"full_mon|ths >=");
    let mut ask = |with: bool| {
        let params = json!({"textDocument": {"uri": client.uri("starter.toml")}, "position": at,
            "context": {"includeDeclaration": with}});
        let found = client.ask("textDocument/references", params);
        found.as_array().unwrap().iter().map(|one| file_name(one["uri"].as_str().unwrap())).collect::<Vec<_>>()
    };
    let uses = ask(false);
    let count = |name: &str, files: &[String]| files.iter().filter(|file| *file == name).count();
    assert_eq!(
        (count("starter.toml", &uses), count("small-business.toml", &uses), count("metrics.toml", &uses)),
        (6, 4, 1)
    );
    assert_eq!(count("metrics.toml", &ask(true)), 2);
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn formatting_is_that_of_fmt_and_touches_no_other_line() {
    let mut client = Client::new();
    let text = client.open("starter.toml");
    let untidy = text.replace("version = ", "version=").replace("₦", "N");
    client.replace("starter.toml", &untidy);
    let params = json!({"textDocument": {"uri": client.uri("starter.toml")},
        "options": {"tabSize": 4, "insertSpaces": true}});
    let edits = client.ask("textDocument/formatting", params.clone());
    assert_eq!(apply(&untidy, &edits), format_rule_file(&untidy).unwrap());
    let range = &edits[0]["range"];
    assert_eq!(range["end"]["line"].as_u64().unwrap() - range["start"]["line"].as_u64().unwrap(), 1);
    client.replace("starter.toml", &text);
    assert_eq!(client.ask("textDocument/formatting", params.clone()), json!([]));
    client.replace("starter.toml", "a = \"");
    assert_eq!(client.ask("textDocument/formatting", params), Value::Null);
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn an_output_is_shown_with_the_title_of_its_table() {
    let table = |title: &str| {
        let head = "[metric]\nn = \"COUNT(*)\"\n\n[table.grade]\n";
        let rest = "hit = \"first\"\ninputs = [\"n\"]\noutputs = { letter = \"text\" }\nrows = [[\"-\", \"A\"]]\n";
        let require = "\n[[require]]\nid = \"R1\"\nwhen = \"letter = 'A'\"\nreason = \"{letter}\"\n";
        format!("{HEADER}\n{head}{title}{rest}{require}")
    };
    for (title, shown) in [("title = \"Grade and price\"\n", true), ("", false)] {
        let (mut client, text) = (Client::new(), table(title));
        client.open_as("own.toml", &text);
        let said = client.ask_at("textDocument/hover", "own.toml", &text, "when = \"let|ter").unwrap();
        assert_eq!(markdown(&said).contains("in `[table.grade]`: Grade and price"), shown, "{said}");
        assert_eq!(client.goodbye(), 0);
    }
}

#[test]
fn symbols_are_the_sections_with_their_keys() {
    let mut client = Client::new();
    client.open("starter.toml");
    let found = client.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": client.uri("starter.toml")}}));
    let line = |symbol: &Value| {
        let children = labels_of(&symbol["children"]);
        format!("{} {}: {children}", symbol["name"].as_str().unwrap(), symbol["detail"].as_str().unwrap_or("-"))
    };
    let lines: Vec<String> = found.as_array().unwrap().iter().map(line).collect();
    insta::assert_snapshot!(lines.join("\n"));
    assert_eq!(client.goodbye(), 0);
}

fn labels_of(children: &Value) -> String {
    children.as_array().unwrap().iter().map(|child| child["name"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_cases_file_is_completed_and_checked_for_its_form() {
    let mut client = Client::new();
    let text = client.open("starter.cases.toml");
    assert_eq!(client.codes("starter.cases.toml"), [""; 0]);
    let typed = format!("{text}\n[[case]]\nna");
    client.replace("starter.cases.toml", &typed);
    assert_eq!(client.codes("starter.cases.toml"), ["toml"]);
    let at = position_of(&typed, typed.len());
    let params = json!({"textDocument": {"uri": client.uri("starter.cases.toml")}, "position": at});
    assert!(labels(&client.ask("textDocument/completion", params)).contains(&"name".to_owned()));
    assert_eq!(client.goodbye(), 0);
}

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
    use = [{ file = \"b.toml\", as = \"b\" }]\n";

#[test]
fn names_of_a_file_with_a_space_of_its_own() {
    let mut client = Client::new();
    let own = format!("{HEADER}\n[metric]\ntotal = \"SUM(credit)\"\nshare = \"b.paid / total * $b.factor\"\n");
    let used = "[parameters]\nfactor = 2\n\n[metric]\npaid = \"SUM(debit) + 0 * total\"\ntwice = \"paid * $factor\"\n";
    std::fs::write(client.path("own.toml"), &own).unwrap();
    std::fs::write(client.path("b.toml"), used).unwrap();
    client.open("own.toml");
    assert_eq!(client.codes("own.toml"), [""; 0]);
    client.open("b.toml");
    assert_eq!(client.codes("b.toml"), [""; 0]);
    let said = client.ask_at("textDocument/hover", "own.toml", &own, "\"b.pa|id /").unwrap();
    assert!(markdown(&said).contains("`b.paid`: money, one per statement"), "{said}");
    let found = client.ask_at("textDocument/definition", "own.toml", &own, "$b.fac|tor").unwrap();
    assert_eq!(file_name(found["uri"].as_str().unwrap()), "b.toml");
    let found = client.ask_at("textDocument/definition", "b.toml", used, "0 * to|tal").unwrap();
    assert_eq!(file_name(found["uri"].as_str().unwrap()), "own.toml");
    let items = client.ask_at("textDocument/completion", "own.toml", &own, "\"b.|paid /").unwrap();
    assert_eq!(labels(&items), ["b.paid", "b.twice"]);
    // From either side, each file with its own form of the name.
    for (name, marked) in [("own.toml", "\"b.pa|id /"), ("b.toml", "\"pa|id * ")] {
        let texts = renamed(&mut client, name, marked, "spent").unwrap();
        assert!(texts["own.toml"].contains("\"b.spent / total"), "{texts:?}");
        assert!(
            texts["b.toml"].contains("spent = \"SUM") && texts["b.toml"].contains("\"spent * $factor\""),
            "{texts:?}"
        );
    }
    let texts = renamed(&mut client, "own.toml", "$b.fac|tor", "times").unwrap();
    assert!(texts["own.toml"].contains("$b.times") && texts["b.toml"].contains("times = 2"), "{texts:?}");
    // `total` would then be the file's own, and no longer the policy's.
    let refused = renamed(&mut client, "b.toml", "twi|ce = ", "total").unwrap_err();
    assert!(refused.starts_with("the new name would cause a mistake: "), "{refused}");
    assert_eq!(client.goodbye(), 0);
}
