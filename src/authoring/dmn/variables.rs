//! Names that a model uses without declaring them, as models for process engines do: a process variable in an input
//! expression, or the result of a required decision by its id or by the output name of its table.

use super::model::{DmnDecision, Logic, Model, Variable};
use super::value::Ty;

/// Keywords of FEEL.
const WORDS: [&str; 16] = [
    "true", "false", "null", "not", "and", "or", "if", "then", "else", "for", "in", "return", "some", "every",
    "between", "function",
];

/// The undeclared variables in input expressions, each with the type given there, or the reason why it has none.
pub(super) fn undeclared_variables(model: &Model) -> Vec<(String, Result<Variable, String>)> {
    let mut found: Vec<(String, Result<Variable, String>)> = Vec::new();
    for decision in &model.decisions {
        let Some(Logic::Table(table)) = &decision.logic else { continue };
        let aliases: Vec<String> =
            required_decisions(model, decision).into_iter().flat_map(decision_aliases).map(|(name, _)| name).collect();
        for (text, of) in &table.inputs {
            let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if !is_name(&name) || is_declared(model, &name) || aliases.contains(&name) {
                continue;
            }
            let variable = Variable { name: name.clone(), of: of.clone() };
            match found.iter_mut().find(|(known, _)| *known == name) {
                None => found.push((name, Ok(variable))),
                Some((_, known @ Ok(Variable { of: None, .. }))) => *known = Ok(variable),
                Some((_, known)) => {
                    if let (Ok(Variable { of: Some(before), .. }), Some(now)) = (&*known, of)
                        && Ty::of_model(before) != Ty::of_model(now)
                    {
                        *known = Err(format!("the input `{name}` is of type `{before}` and of type `{now}`"));
                    }
                }
            }
        }
    }
    for (name, variable) in &mut found {
        if matches!(variable, Ok(Variable { of: None, .. })) {
            *variable = Err(format!("`{name}` is not declared, and its inputExpression has no typeRef"));
        }
    }
    found
}

/// The decisions that a decision says it requires.
pub(super) fn required_decisions<'m>(model: &'m Model, decision: &DmnDecision) -> Vec<&'m DmnDecision> {
    let by_id = |id: &String| model.decisions.iter().find(|other| other.id.as_ref() == Some(id));
    decision.requires.iter().filter_map(by_id).collect()
}

/// Other names of a decision's result. If its table has several outputs, also the output that each name means.
pub(super) fn decision_aliases(decision: &DmnDecision) -> Vec<(String, Option<String>)> {
    let mut names: Vec<(String, Option<String>)> = decision.id.iter().map(|id| (id.clone(), None)).collect();
    if let Some(Logic::Table(table)) = &decision.logic {
        let is_single = table.outputs.len() == 1;
        let outputs = table.outputs.iter().filter_map(|output| output.name.clone());
        names.extend(outputs.map(|name| (name.clone(), (!is_single).then_some(name))));
    }
    names.retain(|(name, _)| *name != decision.variable.name);
    names
}

pub(super) fn is_declared(model: &Model, name: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    let inputs = model.inputs.iter().any(|input| input.name == name || input.name == first);
    let decisions = model.decisions.iter().any(|other| other.variable.name == name || other.variable.name == first);
    let imports = model.imports.iter().any(|(prefix, _)| prefix == first);
    inputs || decisions || imports || model.functions.iter().any(|function| function.name == name)
}

fn is_name(text: &str) -> bool {
    let sign = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '.');
    let begins = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    begins && text.chars().all(sign) && !text.split([' ', '.']).any(|word| WORDS.contains(&word))
}
