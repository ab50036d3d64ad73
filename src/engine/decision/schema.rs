//! The JSON Schema of a decision, for programs that read one. It says the unit of every amount.

use serde_json::{Map, Value, json};

/// The JSON Schema of one line that `decide` prints.
pub fn decision_schema() -> Value {
    let text = |what: &str| json!({"type": "string", "description": what});
    let by_name = |of: Value, what: &str| json!({"type": "object", "additionalProperties": of, "description": what});
    let value = |what: &str| by_name(json!(true), what);
    let list = |of: Value, what: &str| json!({"type": "array", "items": of, "description": what});
    let texts = |required: &[&str], optional: &[&str]| {
        let names = required.iter().chain(optional);
        let fields: Map<String, Value> = names.map(|name| ((*name).into(), json!({"type": "string"}))).collect();
        json!({"type": "object", "required": required, "properties": fields})
    };
    let mut lost = texts(&["id", "text", "lost"], &[]);
    lost["properties"]["lost"] = json!({"type": "number"});
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A decision of lendwright",
        "description": "All money is in minor units of the policy's currency: 5000000 is NGN 50,000.00.",
        "type": "object",
        "required": [
            "customer", "statement", "as_of", "policy", "engine", "outcome", "reasons", "score", "grade", "metrics",
            "unknown", "quality", "offers", "request", "parameters", "digests"
        ],
        "properties": {
            "customer": {"type": ["string", "null"], "description": "from the request, else from the statement"},
            "statement": text("the file or reference, as given"),
            "reference": text("the offer request that the statement was pulled for, if its file names it"),
            "as_of": {"type": ["string", "null"], "format": "date", "description": "the day of the decision"},
            "as_of_given": {
                "type": "boolean",
                "const": false,
                "description": "there if no day was given: `as_of` is the last record's"
            },
            "policy": texts(&["name", "version", "digest", "file"], &["corrections"]),
            "arm": {
                "type": "string",
                "enum": ["champion", "challenger"],
                "description": "if customers are split between two policies"
            },
            "engine": text("the version of lendwright, and the release of its time zones"),
            "outcome": {"type": "string", "enum": ["offer", "refer", "decline"]},
            "reasons": list(texts(&["id", "effect", "text"], &["title"]), "every requirement that is not met"),
            "score": {"type": ["number", "null"]},
            "points_lost": list(lost, "items of the score that lost most points"),
            "grade": value("outputs of tables; money in minor units, null where unknown"),
            "metrics": value("metrics; money in minor units, null where unknown"),
            "unknown": by_name(json!({"type": "string"}), "why a null is unknown"),
            "quality": value("what was repaired, dropped or odd in the statement; money in minor units"),
            "offers": list(offer_schema(), "empty unless the outcome is `offer`"),
            "counter_offer": value("what is offered instead of what was requested; money in minor units"),
            "request": value("the request's fields as given; money in minor units"),
            "parameters": by_name(json!({"type": "string"}), "parameters that were overridden, as written"),
            "digests": by_name(json!({"type": "string"}), "of the statement and of all parameters")
        }
    })
}

fn offer_schema() -> Value {
    let text = |what: &str| json!({"type": "string", "description": what});
    let money = |what: &str| json!({"type": "integer", "description": format!("{what}, in minor units")});
    let percent = |what: &str| json!({"type": ["number", "null"], "description": format!("{what}, in percent")});
    json!({
        "type": "object",
        "description": "the first ten fields are sent by E3",
        "required": [
            "offerId", "amountOffered", "interest", "amountPayable", "fee", "tenure", "terms", "expiryDate", "currency",
            "isPartPaymentAllowed"
        ],
        "properties": {
            "offerId": text("the same for the same inputs"),
            "amountOffered": money("the principal"),
            "interest": {"type": "number", "description": "percent per instalment period"},
            "amountPayable": money("all that the customer pays back"),
            "fee": money("the fee"),
            "tenure": {"type": "integer", "description": "the length, in the policy's `tenure_unit`"},
            "terms": text("the terms in words"),
            "expiryDate": {"type": "string", "format": "date-time"},
            "currency": text("the ISO 4217 numeric code"),
            "isPartPaymentAllowed": {"type": "boolean"},
            "rule": text("the id of the policy's offer"),
            "instalment": money("the largest payment, without an added fee, which is due with the first payment"),
            "instalments": {"type": "integer", "description": "the number of payments"},
            "dueDates": {
                "type": ["array", "null"],
                "items": {"type": "string", "format": "date"},
                "description": "the day of each payment; null if unknown"
            },
            "ratePeriod": {
                "type": ["string", "null"],
                "description": "what `interest` is for, as an ISO 8601 period; null if it is no whole number of units"
            },
            "apr": percent("the nominal rate of a year; null if there is none"),
            "effectiveRate": percent("the effective rate of a year; null if there is none")
        }
    })
}
