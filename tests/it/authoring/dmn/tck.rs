//! The public test cases of DMN: each model is imported, each case decided as a request, and the results compared.
//! docs/guides/dmn.md has the table of passes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lendwright::dmn::{DecisionShape, HeaderWords, Imported, import_dmn_model};
use lendwright::rules::Policy;
use lendwright::statement::read_json;
use lendwright::{Request, compile, decide, reading};
use roxmltree::{Document, Node};
use serde_json::{Map, Value, json};

/// The folder of cases, which is not part of the project; `None` if missing.
fn folder() -> Option<PathBuf> {
    let data = match std::env::var_os("LENDWRIGHT_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
    };
    let cases = data.join("dmn-tck");
    if cases.is_dir() {
        return Some(cases);
    }
    println!("skipped: no cases at {} (set LENDWRIGHT_DATA)", cases.display());
    None
}

fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

fn named(node: Node) -> String {
    node.attribute("name").unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value as written in the cases: text by its type, a list, or components.
fn value(node: Node) -> Value {
    let mut parts = Map::new();
    for child in elements(node) {
        match child.tag_name().name() {
            "value" => return scalar(child),
            "list" => {
                let items = elements(child).filter(|item| item.tag_name().name() == "item");
                return items.map(value).collect();
            }
            "component" => drop(parts.insert(named(child), value(child))),
            _ => {}
        }
    }
    if parts.is_empty() { Value::Null } else { Value::Object(parts) }
}

fn scalar(node: Node) -> Value {
    let attribute =
        |name: &str| node.attributes().find(|attribute| attribute.name() == name).map(|found| found.value());
    if attribute("nil") == Some("true") {
        return Value::Null;
    }
    let text = node.text().unwrap_or("");
    match attribute("type").map(|of| of.rsplit(':').next().unwrap_or(of)) {
        Some("double" | "decimal" | "integer" | "float" | "int" | "long") => {
            text.trim().parse::<f64>().map_or(Value::Null, |number| json!(number))
        }
        Some("boolean") => json!(text.trim() == "true"),
        Some(_) => json!(text),
        None => text.trim().parse::<f64>().map_or(json!(text), |number| json!(number)),
    }
}

/// Puts a case's input into the request, by the paths of the model's inputs.
fn give(imported: &Imported, path: &mut Vec<String>, value: &Value, request: &mut Map<String, Value>) {
    if let Some(field) = imported.fields.iter().find(|field| field.path == *path) {
        request.insert(field.name.clone(), value.clone());
    }
    if let Value::Object(parts) = value {
        for (name, part) in parts {
            path.push(name.clone());
            give(imported, path, part, request);
            path.pop();
        }
    }
}

fn found(shape: &DecisionShape, decided: &BTreeMap<String, Value>) -> Value {
    let of = |name: &String| decided.get(name).cloned().unwrap_or(Value::Null);
    match shape {
        DecisionShape::Named(name) => of(name),
        DecisionShape::Parts(parts) => {
            let parts: Map<String, Value> =
                parts.iter().map(|(name, shape)| (name.clone(), found(shape, decided))).collect();
            if parts.values().all(Value::is_null) { Value::Null } else { parts.into() }
        }
        DecisionShape::List(items) => items.iter().map(|item| found(item, decided)).collect(),
        DecisionShape::Rows(parts) => {
            let columns: Vec<(String, Value)> = parts.iter().map(|(name, list)| (name.clone(), of(list))).collect();
            let Some(rows) = columns.first().and_then(|(_, list)| list.as_array()).map(Vec::len) else {
                return Value::Null;
            };
            let row = |row: usize| {
                columns.iter().map(|(name, list)| (name.clone(), list[row].clone())).collect::<Map<_, _>>()
            };
            (0..rows).map(|index| Value::Object(row(index))).collect()
        }
        DecisionShape::Nothing => Value::Null,
    }
}

fn same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Number(left), Value::Number(right)) => {
            let (left, right) = (left.as_f64().unwrap_or(f64::NAN), right.as_f64().unwrap_or(f64::NAN));
            (left - right).abs() <= 1e-8 * left.abs().max(1.0)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        // No row matches: DMN gives null for the list, a rule file an empty one.
        (Value::Null, Value::Array(list)) => list.is_empty(),
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| same(left, right)))
        }
        _ => expected == found,
    }
}

/// The failure of one case; `None` if it passes.
fn try_case(imported: &Imported, policy: &Policy, case: Node) -> Option<String> {
    let mut request = Map::new();
    for node in elements(case).filter(|node| node.tag_name().name() == "inputNode") {
        give(imported, &mut vec![named(node)], &value(node), &mut request);
    }
    let request = match Request::from_json(policy, Value::Object(request).to_string().as_bytes()) {
        Ok(request) => request,
        Err(error) => return Some(error.to_string()),
    };
    let statements = read_json(b"[]", "case", &reading(policy)).expect("an empty statement");
    let decision = decide(policy, &statements, &request).expect("a decision").remove(0);
    let decided: BTreeMap<String, Value> = decision.grade.into_iter().chain(decision.metrics).collect();
    for node in elements(case).filter(|node| node.tag_name().name() == "resultNode") {
        let name = named(node);
        let expected = elements(node).find(|child| child.tag_name().name() == "expected").map_or(Value::Null, value);
        let Some((_, shape)) = imported.decisions.iter().find(|(known, _)| *known == name) else {
            let why = imported.left_out.iter().find(|why| why.contains(&format!("`{name}`")));
            return Some(why.cloned().unwrap_or_else(|| format!("no decision `{name}`")));
        };
        let found = found(shape, &decided);
        if !same(&expected, &found) {
            return Some(format!("`{name}` is {found}, expected {expected}"));
        }
    }
    None
}

/// How many cases of a folder pass, of how many, and why the first one fails.
fn try_folder(folder: &Path) -> (usize, usize, Option<String>) {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut passed, mut all, mut why) = (0, 0, None);
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "xml")) {
        let text = std::fs::read_to_string(file).unwrap();
        let document = Document::parse(&text).unwrap();
        let root = document.root_element();
        let model =
            elements(root).find(|node| node.tag_name().name() == "modelName").and_then(|node| node.text()).unwrap();
        let model = folder.join(model.trim());
        let others: Vec<String> = files
            .iter()
            .filter(|other| other.extension().is_some_and(|end| end == "dmn") && **other != model)
            .map(|other| std::fs::read_to_string(other).unwrap())
            .collect();
        let header = HeaderWords { currency: "566".into(), time_zone: "Africa/Lagos".into() };
        let cases: Vec<Node> = elements(root).filter(|node| node.tag_name().name() == "testCase").collect();
        all += cases.len();
        let imported = match import_dmn_model(&std::fs::read_to_string(&model).unwrap(), &others, &header) {
            Ok(imported) => imported,
            Err(error) => {
                why.get_or_insert(error.to_string());
                continue;
            }
        };
        let policy = match compile("model.toml", &imported.rules, &mut |_| Err("none".into()), &[]) {
            Ok(policy) => policy,
            Err(refused) => {
                if std::env::var_os("DMN_SHOW").is_some() {
                    println!("{}\n{refused}", imported.rules);
                }
                why.get_or_insert(refused.to_string());
                continue;
            }
        };
        for case in cases {
            match try_case(&imported, &policy, case) {
                None => passed += 1,
                Some(reason) => drop(why.get_or_insert(reason)),
            }
        }
    }
    (passed, all, why)
}

#[test]
fn the_cases_pass_that_the_page_says_pass() {
    let Some(cases) = folder() else { return };
    let mut folders = Vec::new();
    for level in ["compliance-level-2", "compliance-level-3", "non-compliant"] {
        let entries = std::fs::read_dir(cases.join(level)).unwrap();
        folders
            .extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).map(|path| (level, path)));
    }
    folders.sort();
    let (mut passed, mut all) = (0, 0);
    let mut table = String::from("| folder | cases | pass | why not |\n|---|---|---|---|\n");
    for (_, folder) in &folders {
        let (ok, cases, why) = try_folder(folder);
        (passed, all) = (passed + ok, all + cases);
        let name = folder.file_name().unwrap().to_string_lossy();
        let why = why.unwrap_or_default().replace(['\n', '|'], " ");
        table += &format!("| {name} | {cases} | {ok} | {} |\n", why.trim());
    }
    table += &format!("| **all** | {all} | {passed} | |\n");
    if std::env::var_os("DMN_SHOW").is_some() {
        println!("{table}");
    }
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/dmn.md")).unwrap_or_default();
    assert!(page.contains(&table), "docs/guides/dmn.md must hold this table:\n{table}");
}
