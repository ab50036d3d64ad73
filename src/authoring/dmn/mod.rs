//! Translates DMN decision models into rule files. XML text in, rule file text out. Reports what cannot be
//! translated. Must not know files, policies or statements.

mod expression;
mod feel;
mod model;
mod tables;
mod times;
mod translate;
mod value;
mod variables;

use model::Model;
pub use translate::RequestField;
use translate::Translator;
use value::Val;

use crate::base::toml_text::quote_toml_text;

/// What a decision of the model becomes in the rule file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionShape {
    /// A metric, or an output of a table.
    Named(String),
    /// A structure.
    Parts(Vec<(String, DecisionShape)>),
    /// A list of separate values.
    List(Vec<DecisionShape>),
    /// A list of structures, from lists of their parts.
    Rows(Vec<(String, String)>),
    /// Nothing.
    Nothing,
}

/// A model as a rule file.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The rule file.
    pub rules: String,
    /// The request fields for the model's inputs.
    pub fields: Vec<RequestField>,
    /// The decisions that were carried over.
    pub decisions: Vec<(String, DecisionShape)>,
    /// What was not carried over, and why.
    pub left_out: Vec<String>,
}

/// Why there is no rule file at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DmnError {
    /// The text is no DMN model.
    #[error("not a DMN model: {0}")]
    Model(String),
    /// Nothing of it can be expressed in a rule file.
    #[error("nothing of the model can be carried over:{}", list(.0))]
    Nothing(Vec<String>),
}

fn list(all: &[String]) -> String {
    all.iter().map(|one| format!("\n  {one}")).collect()
}

/// Values of the rule file's header that a model does not have.
#[derive(Clone, Debug)]
pub struct HeaderWords {
    /// ISO 4217 numeric.
    pub currency: String,
    /// An IANA name.
    pub time_zone: String,
}

/// Turns the model `text` into a rule file. `others` are models that it may import. Without a header the result is a
/// file for policies to use.
///
/// # Errors
/// If it is no model, or nothing of it can be expressed in a rule file.
pub fn import_dmn_model<'h>(
    text: &str,
    others: &[String],
    header: impl Into<Option<&'h HeaderWords>>,
) -> Result<Imported, DmnError> {
    let model = model::read_dmn_model(text).map_err(|why| DmnError::Model(shorten_dmn_message(&why)))?;
    // Other texts may be no models; those are not imported.
    let others: Vec<Model> = others.iter().filter_map(|text| model::read_dmn_model(text).ok()).collect();
    let mut models = vec![(String::new(), &model)];
    let mut left_out = Vec::new();
    for (name, namespace) in &model.imports {
        match others.iter().find(|other| other.namespace == *namespace) {
            Some(other) => models.push((name.clone(), other)),
            None => left_out.push(format!("the model `{name}` that it imports was not found ({namespace})")),
        }
    }
    let mut translator = Translator::new(models, &crate::rules::taken_names());
    translator.left_out = left_out;
    for input in &model.inputs {
        translator.input(&input.name, input.of.as_deref());
    }
    for (name, variable) in variables::undeclared_variables(&model) {
        translator.undeclared(&name, variable);
    }
    let mut decisions = Vec::new();
    for decision in &model.decisions {
        let name = &decision.variable.name;
        let before = (translator.tables.len(), translator.metrics.len());
        match translator.decision(name) {
            Ok(value) => decisions.push((name.clone(), shape(value))),
            Err(why) => {
                translator.tables.truncate(before.0);
                translator.metrics.truncate(before.1);
                translator.left_out.push(format!("the decision `{name}`: {why}"));
            }
        }
    }
    translator.left_out.iter_mut().for_each(|why| *why = shorten_dmn_message(why));
    if model.decisions.is_empty() {
        translator.left_out.push("it has no decisions".to_owned());
    }
    if decisions.is_empty() {
        return Err(DmnError::Nothing(translator.left_out));
    }
    let rules = write_rule_file(&model.name, header.into(), &translator);
    Ok(Imported { rules, fields: translator.fields, decisions, left_out: translator.left_out })
}

/// Shortens a message and everything it quotes to a readable length.
fn shorten_dmn_message(message: &str) -> String {
    const QUOTED_MAX: usize = 100;
    // Our own words, or a quoted text that contains backticks.
    const UNQUOTED_MAX: usize = 200;
    const WHOLE_MAX: usize = 1_000;
    let cut = |text: &str, most: usize| match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    };
    let pieces = message.split('`').enumerate();
    let pieces: Vec<String> =
        pieces.map(|(at, piece)| cut(piece, if at % 2 == 1 { QUOTED_MAX } else { UNQUOTED_MAX })).collect();
    cut(&pieces.join("`"), WHOLE_MAX)
}

fn shape(value: Val) -> DecisionShape {
    match value {
        Val::Scalar(scalar) => DecisionShape::Named(scalar.text),
        Val::ListOf(text, _) => DecisionShape::Named(text),
        Val::Context(parts) => {
            DecisionShape::Parts(parts.into_iter().map(|(name, value)| (name, shape(value))).collect())
        }
        Val::List(items) => DecisionShape::List(items.into_iter().map(shape).collect()),
        Val::Rows(parts) => DecisionShape::Rows(parts),
        Val::Null | Val::Untranslatable(_) => DecisionShape::Nothing,
    }
}

fn write_rule_file(name: &str, header: Option<&HeaderWords>, translator: &Translator) -> String {
    let mut text = format!("# From the DMN model {}.\n", quote_toml_text(name));
    for left_out in &translator.left_out {
        text += &format!("# Not carried over: {}\n", left_out.replace('\n', " "));
    }
    text += match header {
        Some(_) => {
            "# It has no requirements and no offers: until they are added, everybody is declined with NO_OFFER.\n"
        }
        None => "# It has no [policy]: one that is written by hand uses this file, and adds requirements and offers.\n",
    };
    if let Some(header) = header {
        text += &format!(
            "\n[policy]\nname = {}\nversion = \"1\"\ncurrency = {}\ntime_zone = {}\n",
            quote_toml_text(&value::to_snake_case(name).replace('_', "-")),
            quote_toml_text(&header.currency),
            quote_toml_text(&header.time_zone)
        );
    }
    if !translator.fields.is_empty() {
        text += "\n[request]\n";
        translator.fields.iter().for_each(|field| text += &format!("{} = \"{}\"\n", field.name, field.kind));
    }
    if !translator.metrics.is_empty() {
        text += "\n[metric]\n";
        translator
            .metrics
            .iter()
            .for_each(|(name, formula)| text += &format!("{name} = {}\n", quote_toml_text(formula)));
    }
    for table in &translator.tables {
        text += "\n";
        text += table;
    }
    text
}
