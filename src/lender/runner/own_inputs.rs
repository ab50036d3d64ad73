//! What policies may read of the lender's own book, and what of it a decision is given. Knows nothing of SQL.

use serde_json::{Map, Value as Json};

use crate::base::diagnostic::nearest_candidate;
use crate::lender::loan_book::{OWN_FIELDS, OWN_LOAN_FIELDS, OWN_LOANS, OwnHistory};
use crate::rules::{Input, InputSource, Policies, PolicySet};

/// The inputs that policies declare under `own`.
fn own_inputs(policies: &Policies) -> impl Iterator<Item = &Input> {
    let all = policies.policies().into_iter().flat_map(|policy| policy.inputs());
    all.filter(|input| input.source == InputSource::Own)
}

/// Whether a policy reads the book.
pub(crate) fn reads_own_book(policies: &Policies) -> bool {
    own_inputs(policies).next().is_some()
}

/// Refuses policies that read under `own` what the book does not know, or as something else than it is.
pub(crate) fn refuse_unknown_own_inputs(policies: &Policies) -> Result<(), String> {
    own_inputs(policies).try_for_each(|input| match input.fields.is_empty() {
        true => check_field(&format!("own.{}", input.name), input.ty.unit.word(), &input.name, &OWN_FIELDS),
        false if input.name == OWN_LOANS => input.fields.iter().try_for_each(|field| {
            let path = format!("own.{OWN_LOANS}.{}", field.name);
            check_field(&path, field.ty.unit.word(), &field.name, &OWN_LOAN_FIELDS)
        }),
        false => Err(format!("declares the list `own.{}`; the only list of the book is `own.{OWN_LOANS}`", input.name)),
    })
}

fn check_field(path: &str, declared: &str, name: &str, known: &[(&str, &str)]) -> Result<(), String> {
    match known.iter().find(|(field, _)| *field == name) {
        Some((_, measures)) if *measures == declared => Ok(()),
        Some((_, measures)) => Err(format!("declares `{path}` as {declared}, and it is {measures}")),
        None => {
            let names: Vec<&str> = known.iter().map(|(field, _)| *field).collect();
            let near = nearest_candidate(name, names.iter().copied());
            let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
            Err(format!("declares `{path}`, which the book does not know; {near}it knows {}", names.join(", ")))
        }
    }
}

/// What of a customer's history the policies declare, as a request brings it; `None` if they declare nothing.
pub(crate) fn declared_history(policies: &Policies, history: &OwnHistory) -> Option<Json> {
    if !reads_own_book(policies) {
        return None;
    }
    let mut given = Map::new();
    for input in own_inputs(policies) {
        let Some(value) = history.0.get(&input.name) else { continue };
        let is_declared = |name: &String| input.fields.iter().any(|field| field.name == *name);
        let value = match value {
            Json::Array(entries) => entries.iter().map(|entry| keep_fields(entry, &is_declared)).collect(),
            other => other.clone(),
        };
        given.insert(input.name.clone(), value);
    }
    Some(Json::Object(given))
}

fn keep_fields(entry: &Json, is_declared: &dyn Fn(&String) -> bool) -> Json {
    let fields = entry.as_object().into_iter().flatten();
    let kept = fields.filter(|(name, value)| is_declared(name) && !value.is_null());
    Json::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::compile;

    fn policies(sections: &str) -> Policies {
        let head = "[policy]\nname = 'p'\nversion = '1'\ncurrency = '566'\ntime_zone = 'Africa/Lagos'\n";
        compile("p.toml", &format!("{head}{sections}"), &mut |_| Err("no files".into()), &[]).unwrap().into()
    }

    #[test]
    fn a_policy_reads_what_the_book_knows_as_what_it_is() {
        let refused = |sections: &str| refuse_unknown_own_inputs(&policies(sections)).err().unwrap_or_default();
        assert_eq!(refused("[own]\nloans_repaid = 'count'\nexposure = 'money'\n"), "");
        assert_eq!(refused("[input.own.loans]\namount = 'money'\nstate = 'text'\n"), "");
        assert!(refused("[own]\nloans_repaid = 'money'\n").contains("as money, and it is count"));
        assert!(refused("[own]\nloans_repayed = 'count'\n").contains("did you mean `loans_repaid`?"));
        assert!(refused("[input.own.loans]\nrate = 'ratio'\n").contains("own.loans.rate"));
        assert!(refused("[input.own.cards]\namount = 'money'\n").contains("own.cards"));
    }

    #[test]
    fn only_what_is_declared_is_given() {
        let own = "[own]\nloans_repaid = 'count'\n[input.own.loans]\namount = 'money'\n";
        let loans = serde_json::json!([{ "amount": 500, "closed": null, "state": "open" }]);
        let known = serde_json::json!({ "loans_repaid": 2, "exposure": 9, "loans": loans });
        let history = OwnHistory(known.as_object().unwrap().clone());
        let wanted = serde_json::json!({ "loans_repaid": 2, "loans": [{ "amount": 500 }] });
        assert_eq!(declared_history(&policies(own), &history), Some(wanted));
        assert_eq!(declared_history(&policies(""), &history), None);
    }
}
