//! Findings as SARIF 2.1.0, which code scanning reads: one run, a rule for every code that was found, a result a finding.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::words::diagnostic::{Diagnostic, Severity, Sources};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const DOCUMENTATION: &str = "docs/rules/check.md";

/// The document for all files.
pub(crate) fn document<'d>(files: impl Iterator<Item = (&'d [Diagnostic], &'d Sources)>) -> String {
    let (mut results, mut codes) = (Vec::new(), BTreeSet::new());
    for (found, sources) in files {
        codes.extend(found.iter().map(|diagnostic| diagnostic.code));
        results.extend(found.iter().map(|diagnostic| (diagnostic.code, result(diagnostic, sources))));
    }
    let codes: Vec<&str> = codes.into_iter().collect();
    let results: Vec<Value> = results
        .into_iter()
        .map(|(code, mut result)| {
            result["ruleIndex"] = json!(codes.iter().position(|known| *known == code));
            result
        })
        .collect();
    let rules: Vec<Value> = codes.iter().map(|code| rule(code)).collect();
    let driver = json!({"name": "lendwright", "version": env!("CARGO_PKG_VERSION"), "rules": rules});
    let run = json!({"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results});
    format!("{:#}\n", json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}))
}

fn rule(code: &str) -> Value {
    let help = format!("`lendwright check --explain {code}` says what it means; {DOCUMENTATION} has all codes.");
    json!({"id": code, "name": code, "shortDescription": {"text": code}, "help": {"text": help}})
}

fn result(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let text = match &diagnostic.help {
        Some(help) => format!("{}; {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut result = json!({"ruleId": diagnostic.code, "level": level, "message": {"text": text}});
    if let Some(source) = sources.of(diagnostic.span) {
        let place =
            |at: u32| sources.line_column(crate::words::diagnostic::Span { start: at, end: at, ..diagnostic.span });
        let ((line, column), (end_line, end_column)) = (place(diagnostic.span.start), place(diagnostic.span.end));
        let region = json!({"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column});
        let uri = uri(&source.name);
        let location = json!({"artifactLocation": {"uri": uri}, "region": region});
        result["locations"] = json!([{"physicalLocation": location}]);
    }
    result
}

/// A file name as part of an address: what may not stand there is written as its bytes.
fn uri(name: &str) -> String {
    let mut uri = String::new();
    for byte in name.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
