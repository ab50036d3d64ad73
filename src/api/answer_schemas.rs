//! What the answers are, as JSON Schema, so that generated clients have types for them. What a policy names, such as
//! its metrics, stays open.

use serde_json::{Map, Value, json};

/// A schema of every answer that is JSON, besides a decision, by the name that clients give it.
pub(super) fn describe_answer_schemas() -> Map<String, Value> {
    let schemas = [
        ("Health", describe_object(json!({ "status": { "type": "string", "const": "ok" } }), &[])),
        ("Metrics", describe_metrics()),
        ("PolicyList", describe_object(json!({ "engine": text(), "policies": list(refer_to("Policy")) }), &[])),
        ("Policy", describe_policy()),
        ("Parameter", describe_parameter()),
        ("Input", describe_input()),
        ("Explanation", describe_explanation()),
        ("Requirement", describe_requirement()),
        ("ScoreItem", describe_score_item()),
        ("Table", describe_table()),
        ("OfferExplained", describe_offer()),
        ("Number", describe_number()),
        ("NamedFigure", figure_with(json!({ "name": text() }), &[])),
        ("StatementRecord", describe_record()),
        ("StatementSummary", describe_summary()),
    ];
    schemas.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

/// The name of a schema of the document.
pub(super) fn refer_to(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn text_or_null() -> Value {
    json!({ "type": ["string", "null"] })
}

fn day_or_null() -> Value {
    json!({ "type": ["string", "null"], "format": "date" })
}

fn money() -> Value {
    json!({ "type": "integer", "description": "in minor units" })
}

fn money_or_null() -> Value {
    json!({ "type": ["integer", "null"], "description": "in minor units" })
}

fn whole() -> Value {
    json!({ "type": "integer" })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// A value of the policy: money in minor units, a day as text, null if it is unknown.
fn scalar() -> Value {
    json!({
        "type": ["string", "number", "boolean", "null"],
        "description": "money in minor units; null if unknown",
    })
}

/// Several of them, too, such as the days of payments.
fn scalar_or_list() -> Value {
    json!({ "anyOf": [scalar(), list(scalar())] })
}

fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

/// Objects with fields for people who look, not for programs that decide.
fn open() -> Value {
    json!({ "type": "object", "additionalProperties": true })
}

/// An object that has these fields, each of them always but those that are named as optional.
fn describe_object(fields: Value, optional: &[&str]) -> Value {
    let names = fields.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let required: Vec<String> = names.into_iter().filter(|name| !optional.contains(&name.as_str())).collect();
    json!({ "type": "object", "required": required, "properties": fields })
}

/// An object with a value, exact for programs and as text for people.
fn figure_with(mut fields: Value, optional: &[&str]) -> Value {
    for (name, schema) in [("value", scalar_or_list()), ("text", text()), ("approximate", flag())] {
        fields[name] = schema;
    }
    describe_object(fields, &[optional, &["approximate"]].concat())
}

fn describe_metrics() -> Value {
    let mut schema =
        describe_object(json!({ "customer": text_or_null(), "statement": text(), "as_of": day_or_null() }), &[]);
    schema["additionalProperties"] = scalar();
    schema
}

fn describe_policy() -> Value {
    let fields = json!({
        "name": text(), "version": text(), "digest": text(), "currency": text(), "time_zone": text(),
        "valid_from": day_or_null(), "valid_to": day_or_null(),
        "parameters": list(refer_to("Parameter")), "inputs": list(refer_to("Input")),
    });
    describe_object(fields, &[])
}

fn describe_parameter() -> Value {
    let value = describe_object(json!({ "from": day_or_null(), "value": text() }), &[]);
    describe_object(json!({ "name": text(), "unit": text(), "about": text(), "values": list(value) }), &[])
}

fn describe_input() -> Value {
    describe_object(json!({ "name": text(), "unit": text(), "required": flag(), "about": text() }), &[])
}

fn describe_explanation() -> Value {
    let day = json!({
        "day": { "type": "string", "format": "date" },
        "inflow": money(), "outflow": money(), "balance": money_or_null(),
    });
    let items = json!({ "base": { "type": "number" }, "items": list(refer_to("ScoreItem")) });
    let mut score = figure_with(items, &[]);
    score["type"] = json!(["object", "null"]);
    let fields = json!({
        "decision": refer_to("Decision"),
        "currency": { "type": "string", "description": "the ISO 4217 numeric code" },
        "requirements": list(refer_to("Requirement")),
        "score": score,
        "tables": list(refer_to("Table")),
        "offers": list(refer_to("OfferExplained")),
        "numbers": list(refer_to("Number")),
        "records": list(refer_to("StatementRecord")),
        "days": list(describe_object(day, &[])),
        "summary": refer_to("StatementSummary"),
        "own_transfers": list(open()),
    });
    describe_object(fields, &["own_transfers"])
}

fn describe_requirement() -> Value {
    let fields = json!({
        "id": text(), "title": text(), "asks": text(), "approximate": flag(),
        "state": { "type": "string", "enum": ["met", "not_met", "unknown", "not_asked"] },
        "effect": { "type": "string", "enum": ["pass", "refer", "decline"] },
        "reason": text_or_null(), "members": list(open()), "numbers": list(text()),
        "parameters": list(refer_to("NamedFigure")), "rows": list(whole()),
    });
    describe_object(fields, &["title", "approximate"])
}

fn describe_score_item() -> Value {
    let number_or_null = json!({ "type": ["number", "null"] });
    let fields = json!({
        "on": text(), "bin": text_or_null(), "points": figure_with(json!({}), &[]), "best": { "type": "number" },
        "lost": number_or_null, "code": text_or_null(), "reason": text_or_null(), "numbers": list(text()),
        "parameters": list(refer_to("NamedFigure")),
    });
    figure_with(fields, &[])
}

fn describe_table() -> Value {
    let fields = json!({
        "name": text(), "title": text(), "hit": text(), "inputs": list(refer_to("NamedFigure")), "rows": list(open()),
        "unknown": text_or_null(), "outputs": list(refer_to("NamedFigure")), "near": list(open()),
        "numbers": list(text()), "parameters": list(refer_to("NamedFigure")),
    });
    describe_object(fields, &["title"])
}

fn describe_offer() -> Value {
    let step = figure_with(json!({ "what": text(), "how": text() }), &[]);
    let due = json!({
        "period": whole(), "day": day_or_null(), "payment": money(), "interest": money(), "principal": money(),
        "balance": money(),
    });
    let fields = json!({
        "id": text(), "tenure": whole(), "tenure_unit": text(),
        "making": { "type": "string", "enum": ["made", "would_be_made", "not_made", "unknown"] },
        "summary": text(), "steps": list(step), "schedule": list(describe_object(due, &[])), "numbers": list(text()),
        "parameters": list(refer_to("NamedFigure")),
    });
    describe_object(fields, &[])
}

fn describe_number() -> Value {
    let kinds = ["metric", "score", "output", "input", "fact", "expression"];
    let fields = json!({
        "name": text(), "kind": { "type": "string", "enum": kinds }, "formula": text(),
        "parameters": list(refer_to("NamedFigure")), "made_of": list(text()), "counted": list(open()),
    });
    figure_with(fields, &["parameters"])
}

fn describe_record() -> Value {
    let fields = json!({
        "row": whole(), "id": text_or_null(), "day": day_or_null(), "credit": money_or_null(),
        "debit": money_or_null(), "balance": money_or_null(), "narration": text_or_null(),
    });
    describe_object(fields, &[])
}

fn describe_summary() -> Value {
    let fields = json!({
        "first_day": day_or_null(), "last_day": day_or_null(), "records": whole(), "later_records": whole(),
        "inflow": money(), "outflow": money_or_null(), "payers": { "type": ["integer", "null"] },
        "months_without_records": list(json!({ "type": "string", "format": "date" })),
    });
    describe_object(fields, &[])
}
