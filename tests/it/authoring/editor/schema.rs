//! The schema against rule files, and against the reader: neither knows a key that the other does not.

use std::collections::BTreeSet;
use std::fs;

use lendwright::compile;
use lendwright::editor::schema;
use serde_json::Value;

use super::toml_files;
use crate::fixtures::desk::Desk;

/// Why `value` does not match `schema`; `None` if it does. Supports only the keywords of JSON Schema that ours uses.
fn misfit(schema: &Value, value: &Value, root: &Value, at: &str) -> Option<String> {
    let rules = schema.as_object().expect("a schema is an object");
    for (word, rule) in rules {
        let wrong = match word.as_str() {
            "$schema" | "title" | "description" | "$defs" | "format" => None,
            "type" => {
                let kinds = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                (!kinds.iter().any(|kind| is_of(kind.as_str().unwrap(), value))).then(|| format!("{at}: not {rule}"))
            }
            "enum" => (!rule.as_array().unwrap().contains(value)).then(|| format!("{at}: {value} is none of {rule}")),
            "$ref" => misfit(root.pointer(rule.as_str().unwrap().trim_start_matches('#')).unwrap(), value, root, at),
            "anyOf" => {
                let all: Vec<_> = rule.as_array().unwrap().iter().map(|one| misfit(one, value, root, at)).collect();
                all.iter().all(Option::is_some).then(|| all.into_iter().flatten().collect::<Vec<_>>().join(" or "))
            }
            "required" => {
                rule.as_array().unwrap().iter().find_map(|key| {
                    value.get(key.as_str().unwrap()).is_none().then(|| format!("{at}: {key} is missing"))
                })
            }
            "properties" => value.as_object().into_iter().flatten().find_map(|(key, value)| {
                rule.get(key).and_then(|rule| misfit(rule, value, root, &format!("{at}.{key}")))
            }),
            "additionalProperties" => value.as_object().into_iter().flatten().find_map(|(key, value)| {
                let known = rules.get("properties").and_then(|known| known.get(key)).is_some();
                match rule {
                    _ if known => None,
                    Value::Bool(false) => Some(format!("{at}: unknown key {key}")),
                    rule => misfit(rule, value, root, &format!("{at}.{key}")),
                }
            }),
            "items" => {
                let values = value.as_array().into_iter().flatten().enumerate();
                values.into_iter().find_map(|(index, value)| misfit(rule, value, root, &format!("{at}[{index}]")))
            }
            "maxItems" => {
                (value.as_array().unwrap().len() > rule.as_u64().unwrap() as usize).then(|| format!("{at}: too many"))
            }
            "minItems" => {
                (value.as_array().unwrap().len() < rule.as_u64().unwrap() as usize).then(|| format!("{at}: too few"))
            }
            other => panic!("the test does not know `{other}`"),
        };
        if wrong.is_some() {
            return wrong;
        }
    }
    None
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other}"),
    }
}

fn fits(schema: &Value, text: &str) -> Result<(), String> {
    let value: Value = toml::from_str(text).map_err(|error| error.to_string())?;
    misfit(schema, &value, schema, "").map_or(Ok(()), Err)
}

#[test]
fn what_ships_fits() {
    let (rules, cases) = (schema::rule_file_schema(), schema::cases_file_schema());
    for path in toml_files("rules") {
        let text = fs::read_to_string(&path).unwrap();
        let schema = if path.to_string_lossy().ends_with(".cases.toml") { &cases } else { &rules };
        fits(schema, &text).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
    }
}

/// An unfinished case is a case; `counter_offer = true` would have no meaning, and is refused.
#[test]
fn what_cases_expect_fits_as_it_is_read() {
    let cases = schema::cases_file_schema();
    for (expect, right) in [
        ("{}", true),
        ("{ score = 300 }", true),
        ("{ outcome = \"offer\", counter_offer = false }", true),
        ("{ outcome = \"offer\", counter_offer = {} }", true),
        ("{ outcome = \"offer\", counter_offer = true }", false),
        ("{ outcome = \"yes\" }", false),
    ] {
        assert_eq!(fits(&cases, &format!("[[case]]\nname = \"a\"\nexpect = {expect}\n")).is_ok(), right, "{expect}");
    }
}

/// Policies that compile match, and those with unknown keys or words do not.
#[test]
fn the_schema_and_the_checker_agree_on_files_of_the_tests() {
    let rules = schema::rule_file_schema();
    let mut refused = 0;
    for path in toml_files("testdata/rules") {
        let text = fs::read_to_string(&path).unwrap();
        let Ok(_) = toml::from_str::<Value>(&text) else { continue };
        let codes: BTreeSet<_> = match compile("x", &text, &mut |_| Err("none".into()), &[]) {
            Ok(_) => BTreeSet::new(),
            Err(refused) => refused.diagnostics.iter().map(|diagnostic| diagnostic.code).collect(),
        };
        let fit = fits(&rules, &text);
        if codes.contains("unknown-key") {
            assert!(fit.is_err(), "{}", path.display());
            refused += 1;
        } else if !["missing-key", "shape", "unknown-word", "bad-name"].iter().any(|code| codes.contains(code)) {
            assert_eq!(fit, Ok(()), "{}: {codes:?}", path.display());
        }
    }
    assert!(refused >= 2, "{refused}");
}

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
    use = [{ file = \"f\", @use }]\nchallenger = { file = \"c\", share = 0.1, salt = \"s\", @challenger }\n@policy\n";

/// A policy with a marker wherever the schema has a section: the path of the section, and the text with the markers.
const SECTIONS: &str = r#"
[market]
@market
[list.l]
file = "l.csv"
@list
[kind]
k = { credit = [], @kind }
[parameters]
p = { value = 1, @parameter }
[words]
w = { add = ["x"], @words }
[request]
amount = { type = "money", @input }
[input]
@entries
[input.bureau.loans]
open = { type = "boolean", @field }
[transaction]
t = { is = "credit", @definition }
[metric]
m = { is = "1", @metric }
[[require]]
id = "R"
reason = "r"
all = [{ when = "TRUE", @condition }]
@require
[score]
base = 1
scale = { points = 600, odds = 50, pdo = 20, @scale }
@score
[[score.item]]
on = "COUNT(*)"
points = [["-", 1]]
@item
[table.t]
hit = "first"
inputs = ["1"]
outputs = { o = { type = "text", @output } }
@table
[[offer]]
id = "o"
tenure = 30
amount = "1"
interest = 1
@offer
[exposure]
limit = "1"
@exposure
[ask]
amount = "1"
@ask
[[property]]
of = "1"
@property
"#;

/// The policy with `line` at a marker, and all other markers removed.
fn policy_with(section: &str, line: &str) -> String {
    let whole = format!("{}{HEADER}{SECTIONS}", if section == "rules" { format!("{line}\n") } else { String::new() });
    let words = whole.split('@').enumerate().map(|(index, part)| {
        if index == 0 {
            return part.to_owned();
        }
        let end = part.find(|c: char| !c.is_ascii_lowercase()).unwrap();
        let (name, rest) = part.split_at(end);
        format!("{}{rest}", if name == section { line } else { "" })
    });
    words.collect()
}

/// The checker's message on a policy in which only the given line is wrong.
fn told(section: &str, line: &str, code: &str) -> String {
    let text = policy_with(section, line);
    let refused = compile("x", &text, &mut |_| Err("none".into()), &[]).expect_err(&text);
    let found = refused.diagnostics.iter().find(|diagnostic| diagnostic.code == code);
    found.unwrap_or_else(|| panic!("{section}: {refused}\n{text}")).help.clone().unwrap_or_default()
}

fn sections() -> Vec<(String, Value)> {
    let whole = schema::rule_file_schema();
    let mut sections: Vec<(String, Value)> = vec![("rules".to_owned(), whole.clone())];
    sections.extend(whole["$defs"].as_object().unwrap().iter().map(|(name, part)| (name.clone(), part.clone())));
    sections
}

/// The reader lists its keys when it meets an unknown one.
#[test]
fn the_schema_has_the_keys_that_the_reader_asks_for() {
    for (name, section) in sections() {
        let help = told(&name, "zzzzzzzzzzzzzzzzzz = 1", "unknown-key");
        let asked: BTreeSet<&str> = help.strip_prefix("known here: ").expect(&help).split(", ").collect();
        let known: BTreeSet<&str> = section["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(known, asked, "{name}: left: src/authoring/editor/keys/rules.rs, right: the reader");
    }
}

/// And the words that a key accepts when it meets another.
#[test]
fn the_schema_has_the_words_that_the_checker_knows() {
    let mut seen = 0;
    for (name, section) in sections() {
        for (key, property) in section["properties"].as_object().unwrap() {
            let Some(words) = property.get("enum") else { continue };
            let text = policy_with(&name, &format!("{key} = \"zzzzzzzzzzzzzz\""));
            // A required key is there already, so it is replaced.
            let text = match toml::from_str::<Value>(&text) {
                Ok(_) => text,
                Err(_) => {
                    let (written, wrong) = match name.as_str() {
                        "table" => ("hit = \"first\"", "hit = \"zzzzzzzzzzzz\""),
                        "output" => ("type = \"text\"", "type = \"zzzzzzzzzzzz\""),
                        "field" => ("type = \"boolean\"", "type = \"zzzzzzzzzzzz\""),
                        "input" => ("type = \"money\"", "type = \"zzzzzzzzzzzz\""),
                        other => panic!("{other}.{key} is required: say how to replace it"),
                    };
                    policy_with("", "").replace(written, wrong)
                }
            };
            let refused = compile("x", &text, &mut |_| Err("none".into()), &[]).expect_err(&text);
            let found = refused.diagnostics.iter().find(|diagnostic| diagnostic.code == "unknown-word");
            let help = found.unwrap_or_else(|| panic!("{name}.{key}: {refused}")).help.clone().unwrap();
            let known: Vec<&str> = help.strip_prefix("one of: ").expect(&help).split(", ").collect();
            let listed: Vec<&str> = words.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
            assert_eq!(listed, known, "{name}.{key}: left: src/authoring/editor/keys/rules.rs, right: the checker");
            seen += 1;
        }
    }
    assert!(seen >= 12, "{seen}");
}

#[test]
fn every_key_is_explained() {
    for whole in [schema::rule_file_schema(), schema::cases_file_schema()] {
        let parts: Vec<&Value> = whole["$defs"].as_object().unwrap().values().chain([&whole]).collect();
        for (key, property) in parts.iter().flat_map(|part| part["properties"].as_object().unwrap()) {
            let said = property["description"].as_str().unwrap();
            assert!(said.len() > 5 && said.ends_with(|c: char| c != ' '), "{key}: {said}");
        }
    }
}

#[test]
fn the_command_writes_both() {
    let desk = Desk::new();
    for (args, schema) in
        [(&["schema"][..], schema::rule_file_schema()), (&["schema", "--cases"], schema::cases_file_schema())]
    {
        let said = desk.run(args);
        assert_eq!((said.status, said.err.as_str()), (0, ""));
        assert_eq!(serde_json::from_str::<Value>(&said.out).unwrap(), schema);
    }
}

/// Cases have another reader, which lists its keys in its own way.
#[test]
fn the_schema_of_cases_has_the_keys_that_their_reader_asks_for() {
    let whole = schema::cases_file_schema();
    let texts = [
        ("cases", "zzzz = 1\n"),
        ("record", "[[records.r]]\nzzzz = 1\n"),
        ("case", "[[case]]\nzzzz = 1\n"),
        ("expect", "[[case]]\nname = \"x\"\n[case.expect]\nzzzz = 1\n"),
        ("counter_offer", "[[case]]\nname = \"x\"\n[case.expect]\ncounter_offer = { zzzz = 1 }\n"),
    ];
    for (name, text) in texts {
        let said = toml::from_str::<lendwright::portfolio::Cases>(text).expect_err(name).to_string();
        let (_, known) = said.split_once("unknown field `zzzz`, expected ").expect(&said);
        let known: BTreeSet<&str> = known.split('`').skip(1).step_by(2).collect();
        let part = if name == "cases" { &whole } else { &whole["$defs"][name] };
        let listed: BTreeSet<&str> = part["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(listed, known, "{name}: left: src/authoring/editor/keys/cases.rs, right: the reader of cases");
    }
    assert_eq!(whole["$defs"].as_object().unwrap().len() + 1, texts.len());
}

/// The settings that the page shows are JSON and name both schemas.
#[test]
fn the_settings_of_the_page_are_well_formed() {
    let page = fs::read_to_string(super::root().join("docs/guides/editor.md")).unwrap();
    let block = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let settings: Value = serde_json::from_str(block).unwrap();
    let names: Vec<&str> = settings["evenBetterToml.schema.associations"]
        .as_object()
        .unwrap()
        .values()
        .map(|at| at.as_str().unwrap())
        .collect();
    assert!(names[0].ends_with("/rules.schema.json") && names[1].ends_with("/cases.schema.json"));
    for command in ["lendwright schema > rules.schema.json", "lendwright schema --cases > cases.schema.json"] {
        assert!(page.contains(command), "{command}");
    }
}

#[test]
fn cases_with_a_typo_do_not_fit() {
    let cases = schema::cases_file_schema();
    let text = "[[case]]\nname = \"x\"\n[case.expect]\noutcome = \"offer\"\n";
    assert_eq!(fits(&cases, text), Ok(()));
    for wrong in ["oucome = 1", "offers = [[1, 2]]", "score = \"many\""] {
        assert!(fits(&cases, &format!("{text}{wrong}\n")).is_err(), "{wrong}");
    }
}
