//! `[parameters]`: what analysts turn. Reads each value, holds it within its bounds, and makes it known to rules as `$name`.
//! Knows nothing of the expressions that use it.

use super::check::{Checker, constant};
use super::file::{self, RuleFile};
use super::ir::Unit;
use super::program::Parameter;
use super::source::word;
use crate::words::diagnostic::{Diagnostic, Span, nearest};

/// Makes every parameter known; `main` is the source of the policy itself.
pub(super) fn declare(
    checker: &mut Checker,
    files: &[RuleFile],
    overrides: &[(String, String)],
    main: u32,
) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for written in files.iter().flat_map(|file| &file.parameters) {
        parameters.extend(parameter(checker, written, overrides));
    }
    for (name, _) in overrides {
        if !checker.parameters.contains_key(name) {
            let near = nearest(name, checker.parameters.keys().map(String::as_str));
            let help =
                near.map_or("the policy has no such parameter".to_string(), |near| format!("did you mean `{near}`?"));
            let message = format!("unknown parameter `{name}` given from outside");
            checker.diagnostics.push(Diagnostic::error("unknown-parameter", Span::new(main, 0, 0), message).help(help));
        }
    }
    parameters
}

fn parameter(checker: &mut Checker, written: &file::Parameter, overrides: &[(String, String)]) -> Option<Parameter> {
    let name = written.name.text.clone();
    if checker.parameters.contains_key(&name) {
        let message = format!("the parameter `{name}` is defined already");
        let diagnostic = Diagnostic::error("shadowing", written.name.span, message);
        let first = checker.first_places.get(&format!("${name}")).copied().unwrap_or_default();
        checker.diagnostics.push(diagnostic.elsewhere(first));
        return None;
    }
    checker.first_places.insert(format!("${name}"), written.name.span);
    let unit = written.unit.as_ref().and_then(|unit| {
        let units = Unit::ALL.map(|unit| (unit.word(), Some(unit)));
        word(Some(unit), &units, None, checker.diagnostics)
    });
    let given = overrides.iter().rev().find(|(known, _)| *known == name).map(|(_, text)| text.as_str());
    let text = given.unwrap_or(written.value.value());
    let mut bad = |span: Span, message: String| {
        checker.diagnostics.push(Diagnostic::error("parameter", span, format!("parameter `{name}`: {message}")));
    };
    let parsed = constant(checker.currency, text, unit);
    let (value, ty) = match parsed {
        Ok(parsed) => parsed,
        Err(message) => {
            bad(written.value.span(), message);
            checker.broken_parameters.insert(name);
            return None;
        }
    };
    // What is given from outside is of the kind that the policy wrote, or the mistake would show somewhere else.
    if let (Some(_), Ok((own, _))) = (given, constant(checker.currency, written.value.value(), unit))
        && super::program::compare(&value, &own).is_none()
    {
        bad(
            written.value.span(),
            format!("`{text}`, given from outside, is not of the kind of {}", written.value.value()),
        );
        checker.broken_parameters.insert(name);
        return None;
    }
    if let (Some(min), Some(max)) = (&written.min, &written.max)
        && let (Ok((low, _)), Ok((high, _))) =
            (constant(checker.currency, min.value(), unit), constant(checker.currency, max.value(), unit))
        && super::program::compare(&low, &high) == Some(std::cmp::Ordering::Greater)
    {
        bad(min.span(), format!("its min {} lies above its max {}", min.value(), max.value()));
        checker.broken_parameters.insert(name);
        return None;
    }
    for (bound, wrong, says) in [
        (&written.min, std::cmp::Ordering::Less, "below its min"),
        (&written.max, std::cmp::Ordering::Greater, "above its max"),
    ] {
        let Some(bound) = bound else { continue };
        match constant(checker.currency, bound.value(), unit) {
            Ok((limit, _)) if super::program::compare(&value, &limit) == Some(wrong) => {
                bad(bound.span(), format!("{text} is {says} {}", bound.value()));
            }
            Ok(_) => {}
            Err(message) => bad(bound.span(), message),
        }
    }
    checker.parameters.insert(name.clone(), (value.clone(), ty));
    Some(Parameter { name, value, ty, text: text.to_string() })
}
