//! Findings as SARIF 2.1.0, for code scanning: one run, one rule per code, one result per finding.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use crate::base::diagnostic::{Diagnostic, Severity, Sources};
use crate::base::digest::Digest;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const DOCUMENTATION: &str = "docs/reference/check.md";

/// The document for all files. `failures` says why files could not be read.
pub(crate) fn build_sarif_document<'d>(
    files: impl Iterator<Item = (&'d [Diagnostic], &'d Sources)>,
    failures: &[&str],
) -> String {
    let (mut results, mut codes, mut fingerprints) = (Vec::new(), BTreeSet::new(), Fingerprints::default());
    for (found, sources) in files {
        codes.extend(found.iter().map(|diagnostic| diagnostic.code));
        for diagnostic in found {
            let mut result = sarif_result_of(diagnostic, sources);
            result["partialFingerprints"] =
                json!({"primaryLocationLineHash": fingerprints.fingerprint(diagnostic, sources)});
            results.push((diagnostic.code, result));
        }
    }
    let codes: Vec<&str> = codes.into_iter().collect();
    let results: Vec<Value> = results
        .into_iter()
        .map(|(code, mut result)| {
            result["ruleIndex"] = json!(codes.iter().position(|known| *known == code));
            result
        })
        .collect();
    let rules: Vec<Value> = codes.iter().map(|code| sarif_rule_of_code(code)).collect();
    let driver = json!({"name": "lendwright", "version": env!("CARGO_PKG_VERSION"), "rules": rules});
    let failed = |why: &&str| json!({"level": "error", "message": {"text": why}});
    let notifications: Vec<Value> = failures.iter().map(failed).collect();
    let invocation = json!({"executionSuccessful": failures.is_empty(), "toolExecutionNotifications": notifications});
    let run = json!({"tool": {"driver": driver}, "invocations": [invocation], "columnKind": "unicodeCodePoints",
        "results": results});
    format!("{:#}\n", json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}))
}

/// Fingerprints of findings, which stay the same if lines are added above: a hash of the code, the file and the line's
/// text, and a number among equal ones.
#[derive(Default)]
struct Fingerprints(HashMap<String, usize>);

impl Fingerprints {
    fn fingerprint(&mut self, diagnostic: &Diagnostic, sources: &Sources) -> String {
        let source = sources.get(diagnostic.span);
        let line = source.and_then(|source| source.text.lines().nth(sources.line_column(diagnostic.span).0 - 1));
        let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
        let name = source.map_or("", |source| source.name.as_str());
        let whole = Digest::compute(format!("{}\n{name}\n{}", diagnostic.code, words.join(" ")).as_bytes()).to_string();
        let short: String = whole.chars().take(16).collect();
        let count = self.0.entry(short.clone()).or_default();
        *count += 1;
        format!("{short}:{count}")
    }
}

fn sarif_rule_of_code(code: &str) -> Value {
    let help = format!("`lendwright check --explain {code}` explains it; {DOCUMENTATION} lists all codes.");
    json!({"id": code, "name": code, "shortDescription": {"text": code}, "help": {"text": help}})
}

fn sarif_result_of(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let text = match &diagnostic.help {
        Some(help) => format!("{}; {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut result = json!({"ruleId": diagnostic.code, "level": level, "message": {"text": text}});
    if let Some(source) = sources.get(diagnostic.span) {
        let place =
            |at: u32| sources.line_column(crate::base::diagnostic::Span { start: at, end: at, ..diagnostic.span });
        let ((line, column), (end_line, end_column)) = (place(diagnostic.span.start), place(diagnostic.span.end));
        let region = json!({"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column});
        let uri = file_name_as_uri(&source.name);
        let location = json!({"artifactLocation": {"uri": uri}, "region": region});
        result["locations"] = json!([{"physicalLocation": location}]);
    }
    result
}

/// A file name as a URI: characters that a URI must not contain are percent-encoded.
fn file_name_as_uri(name: &str) -> String {
    // An absolute path is not a relative URI.
    let mut uri = if name.starts_with('/') { "file://".to_string() } else { String::new() };
    for byte in name.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
