//! Which constructs the tables of docs/reference/rules.md list, with the names of [`super::coverage`]. Knows only the
//! page.

use std::collections::BTreeSet;

use super::coverage::of_cell;

/// Everything listed on the page.
pub fn of_reference(page: &str) -> BTreeSet<String> {
    let mut listed = BTreeSet::new();
    let (mut section, mut head) = ("", "");
    for line in page.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            section = name;
        }
        let Some(row) = line.strip_prefix("| ") else {
            if !line.starts_with('|') {
                head = "";
            }
            continue;
        };
        let (first, rest) = row.split_once(" |").unwrap_or((row, ""));
        if head.is_empty() {
            head = line;
        } else {
            listed.extend(of_row(section, head, first, rest));
        }
    }
    // The paragraph opens with all operators, up to its first sentence about one.
    let operators_of = page.split_once("## Operators").and_then(|(_, rest)| rest.split_once("A division"));
    listed.extend(operators_of.into_iter().flat_map(|(opens, _)| codes(opens)).flat_map(operators));
    listed
}

/// The reasons for unknown values on the page, without their explanations.
pub fn reasons_of_reference(page: &str) -> BTreeSet<String> {
    let table = page.split_once("| reason | because |").map_or("", |(_, rest)| rest);
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let said = rows.filter_map(|row| Some(row.strip_prefix("| ")?.split(" |").next().unwrap_or_default()));
    let reason = |code: &str| {
        code.split("_NAME").next().unwrap_or(code).trim_end_matches("_for").trim_end_matches("_in").to_owned()
    };
    said.flat_map(codes).map(reason).collect()
}

/// What one row of a table lists.
fn of_row(section: &str, head: &str, first: &str, rest: &str) -> Vec<String> {
    let named = |what: &str| codes(first).into_iter().map(|code| format!("{what} {code}")).collect();
    match section {
        "The sections of a file" if head.starts_with("| key") => named("key [policy]"),
        "The sections of a file" => codes(first).into_iter().map(|code| format!("section {code}")).collect(),
        "Types and units" if first.starts_with("list") => vec!["type list".to_owned()],
        "Types and units" => named("type"),
        "Names that are there already" => named("name"),
        "Functions" | "Aggregates" => codes(first).into_iter().map(function).collect(),
        "Requirements" => codes(first)
            .into_iter()
            .filter_map(|code| Some(format!("key [[require]] {}", code.split_once(" =")?.0)))
            .collect(),
        "Score" if first.ends_with("of an item") => named("key [[score.item]]"),
        "Score" => named("key [score]"),
        "Tables" if head.starts_with("| cell") => {
            let more = codes(rest).into_iter().filter(|code| code.contains(".."));
            codes(first).into_iter().chain(more).map(|code| format!("cell {}", of_cell(code))).collect()
        }
        "Tables" => named("hit"),
        "Offers" => named("key [[offer]]"),
        _ => Vec::new(),
    }
}

/// The text between backticks.
fn codes(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// A call as shown: its number of arguments.
fn function(shown: &str) -> String {
    let (name, arguments) = shown.split_once('(').unwrap_or((shown, ")"));
    let arguments = arguments.trim_end_matches(')');
    match arguments {
        "*" => format!("function {name}(*)"),
        _ if arguments.starts_with("DISTINCT") => format!("function {name}(DISTINCT)"),
        // However many, two are among them.
        _ if arguments.ends_with("...") => format!("function {name}/2"),
        _ => format!("function {name}/{}", arguments.split(',').count()),
    }
}

/// `+ - * / %`, `IS [NOT] NULL` and the like.
fn operators(shown: &str) -> Vec<String> {
    let words: Vec<&str> = shown.split_whitespace().collect();
    let operators = match words.as_slice() {
        ["IS", "[NOT]", what] => vec![format!("IS {what}"), format!("IS NOT {what}")],
        ["CASE", "WHEN", ..] => vec!["CASE WHEN".to_owned(), "ELSE".to_owned()],
        ["CASE", ..] => vec!["CASE x WHEN".to_owned()],
        ["BETWEEN", ..] => vec!["BETWEEN".to_owned()],
        ["IN", ..] => vec!["IN".to_owned()],
        // What LIKE takes.
        ["_"] => Vec::new(),
        words => words.iter().map(|word| (*word).to_owned()).collect(),
    };
    operators.into_iter().map(|operator| format!("operator {operator}")).collect()
}
