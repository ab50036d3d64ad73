//! Diagnostics of cases files, in the form that `check` uses for rule files.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, Item};

use crate::base::diagnostic::{Diagnostic, Refused, Sources, Span, nearest_candidate};
use crate::rules::toml_mistakes;

/// What is wrong with a case.
#[derive(Clone, Debug)]
pub(super) struct Slip {
    /// Index of the case in the file, from 0.
    pub case: usize,
    /// The name of the case.
    pub name: String,
    /// The path within the case: keys, and indexes of lists.
    pub keys: Vec<String>,
    pub message: String,
    pub help: Option<String>,
}

/// Turns the slips of a parsed file into diagnostics.
pub(super) fn slips_as_diagnostics(file: &Path, text: &str, slips: Vec<Slip>) -> Refused {
    let mut sources = Sources::default();
    sources.add(file.display().to_string(), text);
    let document = Document::parse(text).ok();
    let diagnostics = slips.into_iter().map(|slip| {
        let place =
            document.as_ref().and_then(|document| innermost_key_place(document.as_item(), &slip)).unwrap_or(0..0);
        let message = format!("case `{}`: {}", slip.name, slip.message);
        let wrong = Diagnostic::error("case", span_of_first_line(text, place), message);
        Diagnostic { help: slip.help, ..wrong }
    });
    Refused { diagnostics: diagnostics.collect(), sources }
}

/// The innermost key that exists, or the case's name if none does.
fn innermost_key_place(root: &Item, slip: &Slip) -> Option<Range<usize>> {
    let mut item = root.get("case")?.get(slip.case)?;
    let mut found = item.get("name").and_then(Item::span);
    for key in &slip.keys {
        let below = match key.parse::<usize>() {
            Ok(number) if item.is_array() => item.get(number),
            _ => item.get(key),
        };
        let Some(below) = below else { break };
        item = below;
        found = item.span().or(found);
    }
    found
}

/// Cuts a place at the end of its first line, because a table would mark half the file.
fn span_of_first_line(text: &str, place: Range<usize>) -> Span {
    let end =
        text.get(place.clone()).and_then(|text| text.find(['\n', '\r'])).map_or(place.end, |end| place.start + end);
    Span::new(0, place.start, end)
}

/// Explains why a text cannot be parsed as a cases file.
pub(super) fn unreadable_cases_file(file: &Path, text: &str, wrong: &toml::de::Error) -> Refused {
    let mut sources = Sources::default();
    sources.add(file.display().to_string(), text);
    let mut diagnostics = toml_mistakes(text);
    for wrong in &mut diagnostics {
        // The help of rule files is about expressions.
        let bare = wrong.message.contains("must be quoted");
        wrong.help = bare.then(|| "put text in double quotes".to_owned());
    }
    if diagnostics.is_empty() {
        diagnostics.extend(single_values(text));
    }
    if diagnostics.is_empty() {
        let at = span_of_first_line(text, wrong.span().unwrap_or(0..0));
        diagnostics.push(from_toml_error(wrong.message().trim(), at));
    }
    Refused { diagnostics, sources }
}

/// What an expectation lists by name, with an example.
const BY_NAME: [(&str, &str, &str); 3] = [
    ("grade", "the outputs of tables", "\"A\""),
    ("metrics", "metrics", "0.31"),
    ("unknown", "unknown metrics", "\"needs_debit\""),
];

/// One value where names and values belong, such as `grade = "A"`.
fn single_values(text: &str) -> Vec<Diagnostic> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let case = |number: usize| document.as_item().get("case").and_then(|cases| cases.get(number));
    let cases = (0..).map_while(case);
    let expected = cases.filter_map(|case| case.get("expect"));
    let single = |expect: &Item| {
        let wrong = BY_NAME.iter().filter_map(|(key, what, example)| {
            let value = expect.get(key).filter(|value| !value.is_table_like())?;
            let message = format!("`{key}` holds {what} by their names, not one value");
            // What is written is the best example of a value.
            let written = value.span().and_then(|place| text.get(place)).filter(|_| !value.is_array());
            let name = if *key == "grade" { "grade" } else { "NAME" };
            let help = format!("write {key} = {{ {name} = {} }}", written.unwrap_or(example));
            let help = if *key == "grade" { format!("{help} for the output called `grade`") } else { help };
            let place = span_of_first_line(text, value.span().unwrap_or(0..0));
            Some(Diagnostic::error("shape", place, message).help(help))
        });
        wrong.collect::<Vec<_>>()
    };
    expected.flat_map(single).collect()
}

/// Rewords an error of the TOML reader in the words of `check`.
fn from_toml_error(message: &str, at: Span) -> Diagnostic {
    let mut names = message.split('`').skip(1).step_by(2);
    let name = names.next().unwrap_or_default();
    if message.starts_with("unknown field") {
        let known: Vec<&str> = names.collect();
        let near = nearest_candidate(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        // In `expect`, where people write the name of an output or of a metric.
        let is_expect = ["outcome", "grade", "metrics"].iter().all(|key| known.contains(key));
        let help = near.unwrap_or_else(|| match is_expect {
            true => format!(
                "an output of a table is written grade = {{ {name} = ... }}, a metric metrics = {{ {name} = ... }}; \
                 known here: {}",
                known.join(", ")
            ),
            false => format!("known here: {}", known.join(", ")),
        });
        return Diagnostic::error("unknown-key", at, format!("unknown key `{name}`")).help(help);
    }
    if message.starts_with("missing field") {
        let help = match name {
            "case" => "write each person as a [[case]]: docs/guides/cases.md",
            "expect" => "add it; `expect = {}` is filled in by `lendwright test --update`",
            _ => "add it",
        };
        return Diagnostic::error("missing-key", at, format!("`{name}` is missing")).help(help);
    }
    Diagnostic::error("shape", at, message)
}

/// A file without a case.
pub(super) fn empty_cases_file(file: &Path, text: &str) -> Refused {
    let mut sources = Sources::default();
    sources.add(file.display().to_string(), text);
    let wrong = Diagnostic::error("missing-key", Span::new(0, 0, 0), "there is no [[case]] in it");
    Refused { diagnostics: vec![wrong.help("write each person as a [[case]]: docs/guides/cases.md")], sources }
}
