//! A scorecard as PMML 4.4 (<https://dmg.org/pmml/v4-4-1/Scorecard.html>).

use std::fmt::Write;

use super::model::{Scorecard, ScorecardCell, ScorecardItem, ScorecardKind, ScorecardRange};
use super::pmml_predicates::escape_xml;

/// Writes a scorecard. Reasons are those of rule files: the points lost against the best row of an item, the most
/// first.
pub fn write_pmml_scorecard(scorecard: &Scorecard) -> String {
    let fields = distinct_fields(scorecard);
    let has_codes = scorecard.items.iter().all(|item| item.code.is_some()) && !scorecard.items.is_empty();
    let name = escape_xml(scorecard.name.as_deref().unwrap_or("score"));
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "<PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">");
    let _ = writeln!(text, "  <Header description=\"The scorecard of {name}\">");
    let _ = writeln!(text, "    <Application name=\"lendwright\" version=\"{}\"/>", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(text, "  </Header>\n  <DataDictionary numberOfFields=\"{}\">", fields.len());
    for (metric, kind) in &fields {
        let (optype, data) = match kind {
            ScorecardKind::Number => ("continuous", "double"),
            ScorecardKind::Boolean => ("categorical", "boolean"),
            ScorecardKind::Text => ("categorical", "string"),
        };
        let metric = escape_xml(metric);
        let _ = writeln!(text, "    <DataField name=\"{metric}\" optype=\"{optype}\" dataType=\"{data}\"/>");
    }
    let _ = writeln!(text, "  </DataDictionary>");
    let reasons = match has_codes {
        true => "useReasonCodes=\"true\" reasonCodeAlgorithm=\"pointsBelow\" baselineMethod=\"max\"",
        false => "useReasonCodes=\"false\"",
    };
    let _ = writeln!(
        text,
        "  <Scorecard modelName=\"{name}\" functionName=\"regression\" initialScore=\"{}\" {reasons}>\n    \
         <MiningSchema>",
        scorecard.base
    );
    for (metric, _) in &fields {
        let _ = writeln!(text, "      <MiningField name=\"{}\" usageType=\"active\"/>", escape_xml(metric));
    }
    let _ = writeln!(text, "    </MiningSchema>\n    <Output>");
    let _ = writeln!(
        text,
        "      <OutputField name=\"score\" feature=\"predictedValue\" optype=\"continuous\" dataType=\"double\"/>"
    );
    for rank in 1..=if has_codes { scorecard.reasons.min(scorecard.items.len()) } else { 0 } {
        let _ = writeln!(
            text,
            "      <OutputField name=\"reason_{rank}\" feature=\"reasonCode\" rank=\"{rank}\" optype=\"categorical\" \
             dataType=\"string\"/>"
        );
    }
    let _ = writeln!(text, "    </Output>\n    <Characteristics>");
    scorecard.items.iter().for_each(|item| write_characteristic(&mut text, item, has_codes));
    let _ = writeln!(text, "    </Characteristics>\n  </Scorecard>\n</PMML>");
    text
}

/// The metrics, each once, in the order of the items.
fn distinct_fields(scorecard: &Scorecard) -> Vec<(&str, ScorecardKind)> {
    let mut fields: Vec<(&str, ScorecardKind)> = Vec::new();
    for item in &scorecard.items {
        if !fields.iter().any(|(metric, _)| *metric == item.metric) {
            fields.push((&item.metric, item.kind));
        }
    }
    fields
}

fn write_characteristic(text: &mut String, item: &ScorecardItem, has_codes: bool) {
    let best = item.rows.iter().map(|row| row.points).fold(f64::NEG_INFINITY, f64::max);
    let metric = escape_xml(&item.metric);
    let _ = write!(text, "      <Characteristic name=\"{metric}\"");
    if let Some(code) = item.code.as_ref().filter(|_| has_codes) {
        let _ = write!(text, " reasonCode=\"{}\" baselineScore=\"{best}\"", escape_xml(code));
    }
    let _ = writeln!(text, ">");
    let (mut tests, mut knows_unknown) = (false, false);
    for row in &item.rows {
        let _ = writeln!(text, "        <Attribute partialScore=\"{}\">", row.points);
        // In rule files `-` after a test does not match an unknown value, unless a row before it does.
        let is_known_only = row.cell == ScorecardCell::Other && tests && !knows_unknown;
        let predicate = match is_known_only {
            true => simple_predicate(&metric, "isNotMissing", None),
            false => predicate_of_cell(&metric, &row.cell),
        };
        let _ = writeln!(text, "          {predicate}\n        </Attribute>");
        tests |= !matches!(row.cell, ScorecardCell::Other | ScorecardCell::Unknown);
        knows_unknown |= row.cell == ScorecardCell::Unknown;
    }
    let _ = writeln!(text, "      </Characteristic>");
}

fn simple_predicate(metric: &str, operator: &str, value: Option<&str>) -> String {
    let value = value.map_or_else(String::new, |value| format!(" value=\"{}\"", escape_xml(value)));
    format!("<SimplePredicate field=\"{metric}\" operator=\"{operator}\"{value}/>")
}

fn predicate_of_cell(metric: &str, cell: &ScorecardCell) -> String {
    match cell {
        ScorecardCell::Range(range) => predicate_of_range(metric, range),
        ScorecardCell::Truth(truth) => simple_predicate(metric, "equal", Some(&truth.to_string())),
        ScorecardCell::Texts(texts) => match &texts[..] {
            [text] => simple_predicate(metric, "equal", Some(text)),
            texts => {
                let quoted =
                    texts.iter().map(|text| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")));
                let list = escape_xml(&quoted.collect::<Vec<_>>().join(" "));
                format!(
                    "<SimpleSetPredicate field=\"{metric}\" booleanOperator=\"isIn\"><Array n=\"{}\" \
                     type=\"string\">{list}</Array></SimpleSetPredicate>",
                    texts.len()
                )
            }
        },
        ScorecardCell::Unknown => simple_predicate(metric, "isMissing", None),
        ScorecardCell::Other => "<True/>".to_owned(),
    }
}

fn predicate_of_range(metric: &str, range: &ScorecardRange) -> String {
    let low = range.low.map(|(low, belongs)| (if belongs { "greaterOrEqual" } else { "greaterThan" }, low));
    let high = range.high.map(|(high, belongs)| (if belongs { "lessOrEqual" } else { "lessThan" }, high));
    let one = |(operator, end): (&str, f64)| simple_predicate(metric, operator, Some(&end.to_string()));
    match (low, high) {
        (None, None) => simple_predicate(metric, "isNotMissing", None),
        (Some(end), None) | (None, Some(end)) => one(end),
        (Some(low), Some(high)) if low.1 == high.1 => simple_predicate(metric, "equal", Some(&low.1.to_string())),
        (Some(low), Some(high)) => {
            format!("<CompoundPredicate booleanOperator=\"and\">{}{}</CompoundPredicate>", one(low), one(high))
        }
    }
}
