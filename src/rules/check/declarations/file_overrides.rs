//! Values that a file gives to parameters of the files it uses: `living_floor = { override = 650 }`. Reads no value.

use std::collections::BTreeMap;

use crate::base::diagnostic::{Diagnostic, nearest_candidate};
use crate::base::money::Currency;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::parameter_list::{ForeignAmount, Parameters};
use crate::rules::check::symbols::uses::Uses;
use crate::rules::names::Sort;
use crate::rules::syntax::file::{Parameter, RuleFile};
use crate::rules::syntax::source::Text;

/// The parameters of all files, with the values that other files give them. The policy's own file, `main`, has the last
/// word; of the others only one may change a parameter.
pub(in crate::rules) fn apply_overrides(
    mistakes: &mut Mistakes,
    uses: &mut Uses,
    currency: Currency,
    files: &[RuleFile],
    main: u32,
) -> Vec<Parameter> {
    let all = || files.iter().flat_map(|file| &file.parameters);
    let mut chosen: BTreeMap<&str, &Parameter> = BTreeMap::new();
    for other in all().filter(|parameter| parameter.overrides) {
        let name = other.name.text.as_str();
        let declared: Vec<&str> = all().filter(|one| !one.overrides).map(|one| one.name.text.as_str()).collect();
        if !declared.contains(&name) {
            report_nothing_to_override(mistakes, other, &declared);
            continue;
        }
        uses.note_place(Sort::Parameter, name, other.own_name_span());
        let earlier = chosen.insert(name, other).filter(|_| other.name.span.source != main);
        if let Some(earlier) = earlier {
            let message = format!("two used files override the parameter `{name}`");
            let help = "keep one of the two, or override it in the policy itself";
            let diagnostic = Diagnostic::error("shadowing", other.name.span, message).help(help);
            mistakes.push(diagnostic.elsewhere(earlier.name.span));
        }
    }
    let merged = |declared: &Parameter| match chosen.get(declared.name.text.as_str()) {
        Some(other) => with_override(declared, other, currency),
        None => declared.clone(),
    };
    all().filter(|parameter| !parameter.overrides).map(merged).collect()
}

/// The parameter with another value. Bounds in another currency say nothing about an amount in the policy's.
fn with_override(declared: &Parameter, other: &Parameter, currency: Currency) -> Parameter {
    let is_foreign = declared.currency.as_ref().is_some_and(|text| text.value() != currency.numeric());
    let bound =
        |own: &Option<Text>, declared: &Option<Text>| own.clone().or_else(|| declared.clone().filter(|_| !is_foreign));
    Parameter {
        value: other.value.clone(),
        dated: other.dated.clone(),
        min: bound(&other.min, &declared.min),
        max: bound(&other.max, &declared.max),
        doc: other.doc.clone().or_else(|| declared.doc.clone()),
        currency: declared.currency.clone().filter(|_| !is_foreign),
        ..declared.clone()
    }
}

/// Warns of amounts in another currency than the policy's, at the policy's `currency`.
pub(in crate::rules) fn warn_of_foreign_amounts(
    mistakes: &mut Mistakes,
    parameters: &Parameters,
    currency: Currency,
    written: Option<&Text>,
) {
    let Some(written) = written else { return };
    let code = currency.alphabetic();
    // An amount of the policy's own file needs no override.
    let is_own = |amount: &&ForeignAmount| amount.span.source == written.span().source;
    let used = parameters.foreign_amounts().iter().filter(|amount| parameters.was_used(&amount.name));
    let (own, others): (Vec<_>, Vec<_>) = used.partition(is_own);
    let names = others.iter().map(|one| format!("{} = {{ override = ... }}", one.name)).collect::<Vec<_>>().join(", ");
    let numeric = currency.numeric();
    for (amounts, help) in [
        (own, format!("write amounts in {code}, with currency = \"{numeric}\"")),
        (others, format!("give amounts in {code} under [parameters]: {names}")),
    ] {
        let Some(first) = amounts.first() else { continue };
        let listed = amounts.iter().map(|one| format!("`${}` ({} {})", one.name, one.currency, one.values));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let are = if amounts.len() == 1 { "is an amount" } else { "are amounts" };
        let message = format!("{listed} {are} in another currency than the policy's, {code}");
        let warning = Diagnostic::warning("currency", written.span(), message).label("another currency").help(help);
        mistakes.push(warning.elsewhere(first.span));
    }
}

fn report_nothing_to_override(mistakes: &mut Mistakes, other: &Parameter, declared: &[&str]) {
    let name = &other.name.text;
    let own = format!(".{name}");
    let in_space = declared.iter().find(|known| known.ends_with(&own)).copied();
    let near = in_space.or_else(|| nearest_candidate(name, declared.iter().copied()));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "no used file has it: declare it without `override`".to_owned(),
    };
    let message = format!("there is no parameter `{name}` to override");
    let wrong = Diagnostic::error("unknown-parameter", other.name.span, message).help(help);
    mistakes.push(wrong.meant_at(other.own_name_span(), name, near));
}

#[cfg(test)]
mod tests {
    use crate::base::diagnostic::Severity;
    use crate::rules::compile;

    const HEAD: &str = "[policy]\nname = \"line\"\nversion = \"1\"\ncurrency = \"826\"\ntime_zone = \"UTC\"\n";
    const USED: &str = "[parameters]\nfloor = { value = 50_000, min = 10_000, unit = \"money\", currency = \"566\" }\n\
                        [metric]\nliving = \"GREATEST(SUM(debit), $floor)\"\n";

    /// Compiles a policy that uses one file, and gives the parameter's value and the codes of what was found.
    fn try_policy(used_as: &str, parameters: &str, given: &[(String, String)]) -> (Option<String>, Vec<&'static str>) {
        let text = format!("{HEAD}use = [{used_as}]\n[parameters]\n{parameters}\n");
        match compile("line.toml", &text, &mut |_| Ok(USED.to_owned()), given) {
            Ok(policy) => {
                let values = &policy.program.parameters[0].values;
                (values.first().map(|value| value.text.clone()), policy.warnings().iter().map(|one| one.code).collect())
            }
            Err(refused) => {
                let errors = refused.diagnostics.iter().filter(|one| one.severity == Severity::Error);
                (None, errors.map(|one| one.code).collect())
            }
        }
    }

    #[test]
    fn a_policy_overrides_a_parameter_of_a_used_file() {
        for (used_as, parameters, value, codes) in [
            ("\"used.toml\"", "", Some("50000"), vec!["currency"]),
            ("\"used.toml\"", "floor = { override = 650 }", Some("650"), vec![]),
            ("\"used.toml\"", "floor = { override = { 2020-01-01 = 640, 2026-01-01 = 650 } }", Some("640"), vec![]),
            ("\"used.toml\"", "floor = { override = 650, max = 500 }", None, vec!["parameter"]),
            ("\"used.toml\"", "floor = { override = 650, unit = \"days\" }", None, vec!["unknown-key"]),
            ("\"used.toml\"", "floor = { override = \"much\" }", None, vec!["parameter"]),
            ("\"used.toml\"", "floor = 650", None, vec!["shadowing"]),
            ("\"used.toml\"", "flor = { override = 650 }", None, vec!["unknown-parameter"]),
            ("{ file = \"used.toml\", as = \"us\" }", "us.floor = { override = 650 }", Some("650"), vec![]),
            ("{ file = \"used.toml\", as = \"us\" }", "\"us.floor\" = { override = 650 }", Some("650"), vec![]),
            ("{ file = \"used.toml\", as = \"us\" }", "floor = { override = 650 }", None, vec!["unknown-parameter"]),
        ] {
            assert_eq!(
                try_policy(used_as, parameters, &[]),
                (value.map(str::to_owned), codes),
                "{used_as} {parameters}"
            );
        }
        let given = [("floor".to_owned(), "700".to_owned())];
        assert_eq!(try_policy("\"used.toml\"", "", &given), (Some("700".to_owned()), vec![]));
        assert_eq!(try_policy("\"used.toml\"", "floor = { override = 650 }", &given), (Some("700".to_owned()), vec![]));
    }
}
