//! The policies in force as JSON: names, digests, parameters and what a request may bring. Knows nothing of HTTP.

use serde_json::{Value, json};

use crate::rules::{Input, Parameter, Policies, Policy, PolicySet};

/// Every policy that may decide now.
pub(super) fn list_policies(policies: &Policies) -> Value {
    let listed: Vec<Value> = policies.policies().into_iter().map(describe_policy).collect();
    json!({ "engine": crate::base::engine::describe_engine(), "policies": listed })
}

fn describe_policy(policy: &Policy) -> Value {
    let header = policy.header();
    json!({
        "name": header.name,
        "version": header.version,
        "digest": policy.digest().to_string(),
        "currency": header.currency.alphabetic(),
        "time_zone": header.zone.name(),
        "valid_from": header.valid_from.map(|day| day.to_string()),
        "valid_to": header.valid_to.map(|day| day.to_string()),
        "parameters": policy.parameters().iter().map(describe_parameter).collect::<Vec<_>>(),
        "inputs": policy.inputs().iter().map(describe_input).collect::<Vec<_>>(),
    })
}

fn describe_parameter(parameter: &Parameter) -> Value {
    let values = parameter.values.iter();
    let values = values.map(|value| json!({ "from": value.from.map(|from| from.to_string()), "value": value.text }));
    let values: Vec<Value> = values.collect();
    json!({ "name": parameter.name, "unit": parameter.ty.unit.word(), "values": values, "about": parameter.doc })
}

fn describe_input(input: &Input) -> Value {
    json!({
        "name": input.path(),
        "unit": input.ty.unit.word(),
        "required": input.required,
        "about": input.doc,
    })
}
