//! Quick fixes: what was meant, offered where there is little doubt.

use serde_json::{Value, json};

use super::client::{Client, apply, position};

const POLICY: &str = r#"[policy]
name = "x"
version = "1"
currency = "NGN"
time_zone = "Lagos"

[parameters]
least = 3

[words]
salary = ["salary"]

[request]
sector = "text"
amount = "money"

[transaction]
is_pay = "mentions(salry) OR mentions(salary)"

[metric]
income = "SUMM(credit) + request.amout"
records = "COUNT(*) + $leest + least"
half = "incme / 2"

[table.grade]
hit = "frist"
inputs = ["records"]
outputs = { grade = "text" }
rows = [["< 5", "low"], ["-", "high"]]

[[require]]
id = "R01"
whn = "grade = 'hihg'"
reason = "no"
"#;

/// The quick fixes at the `|`, each as its title and the text after it.
fn fixes(client: &mut Client, name: &str, text: &str, marked: &str) -> Vec<(String, String)> {
    let at = position(text, marked);
    let params = json!({"textDocument": {"uri": client.uri(name)}, "range": {"start": at, "end": at},
        "context": {"diagnostics": []}});
    let answer = client.ask("textDocument/codeAction", params);
    let actions = answer.as_array().unwrap().iter().map(|action| {
        assert_eq!((&action["kind"], &action["isPreferred"]), (&json!("quickfix"), &json!(true)));
        assert_eq!(action["diagnostics"][0]["source"], "lendwright");
        let edits = &action["edit"]["changes"][client.uri(name)];
        (action["title"].as_str().unwrap().to_owned(), apply(text, edits))
    });
    actions.collect()
}

#[test]
fn what_was_meant_is_offered_until_nothing_is_wrong() {
    let mut client = Client::new();
    client.write("x.toml", POLICY);
    let mut text = client.open("x.toml");
    let mut titles = Vec::new();
    let marks = [
        "\"N|GN\"",
        "\"La|gos\"",
        "mentions(sal|ry)",
        "SU|MM(",
        "request.am|out",
        "inc|me /",
        "$le|est",
        "+ le|ast",
        "\"fr|ist\"",
        "|whn = ",
        "'hi|hg'",
    ];
    for marked in marks {
        let found = fixes(&mut client, "x.toml", &text, marked);
        let [(title, fixed)] = found.as_slice() else { panic!("{marked}: {found:?}") };
        titles.push(title.clone());
        text.clone_from(fixed);
        client.replace("x.toml", &text);
    }
    insta::assert_snapshot!(titles.join("\n"));
    let errors = |client: &mut Client, version: i64| -> Vec<Value> {
        let found = client.mistakes_of("x.toml", version);
        found.as_array().unwrap().iter().filter(|one| one["severity"] == 1).cloned().collect()
    };
    let version = client.replace("x.toml", &text);
    assert_eq!(errors(&mut client, version), [""; 0].map(Value::from), "{text}");
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn nothing_is_offered_where_nothing_is_certain() {
    let mut client = Client::new();
    // A name that is like no other; a name in a text with escapes, whose place is not known.
    let text = POLICY.replace("incme", "zzzzzz").replace("\"grade = 'hihg'\"", "\"grad\\u0065 = 'x' OR recrds > 3\"");
    client.write("x.toml", &text);
    client.open("x.toml");
    for marked in ["zz|zzzz", "re|crds > 3", "name = |\"x\"", "[tab|le.grade]"] {
        assert_eq!(fixes(&mut client, "x.toml", &text, marked), [], "{marked}");
    }
    // Another kind of action is asked for.
    let at = position(&text, "\"fr|ist\"");
    let params = |only: &str| {
        json!({"textDocument": {"uri": client.uri("x.toml")}, "range": {"start": at, "end": at},
            "context": {"diagnostics": [], "only": [only]}})
    };
    let (other, own) = (params("refactor"), params("quickfix"));
    assert_eq!(client.ask("textDocument/codeAction", other), Value::Null);
    assert_eq!(client.ask("textDocument/codeAction", own).as_array().unwrap().len(), 1);
    assert_eq!(client.goodbye(), 0);
}

/// Every replacement that `check` knows is one that its help names.
#[test]
fn each_fix_is_what_the_help_says() {
    let mut client = Client::new();
    let mut seen = 0;
    for path in super::toml_files("testdata/rules/errors") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(client.path(&name), &text).unwrap();
        client.open_as(&name, &text);
        let end = super::client::position_of(&text, text.len());
        let whole = json!({"start": {"line": 0, "character": 0}, "end": end});
        let params =
            json!({"textDocument": {"uri": client.uri(&name)}, "range": whole, "context": {"diagnostics": []}});
        for action in client.ask("textDocument/codeAction", params).as_array().unwrap() {
            let message = action["diagnostics"][0]["message"].as_str().unwrap();
            let edit = &action["edit"]["changes"][client.uri(&name)][0];
            let new = edit["newText"].as_str().unwrap();
            assert!(
                message.to_lowercase().contains(&new.trim_matches('\'').to_lowercase()),
                "{name}: {message}: {new}"
            );
            assert_ne!(apply(&text, &json!([edit])), text);
            seen += 1;
        }
        client.note("textDocument/didClose", json!({"textDocument": {"uri": client.uri(&name)}}));
    }
    assert!(seen > 20, "{seen}");
    assert_eq!(client.goodbye(), 0);
}
