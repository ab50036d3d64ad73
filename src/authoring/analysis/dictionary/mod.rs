//! The dictionary of a policy: what each name is, what it is made of, what it needs, and why it may be unknown. Must
//! not know how it is displayed.

mod missing_columns;
pub(in crate::authoring::analysis) mod unknown_reasons;

use std::collections::HashMap;

use serde::Serialize;

use crate::authoring::analysis::dictionary::missing_columns::never_known;
use crate::authoring::analysis::dictionary::unknown_reasons::Reasons;
use crate::authoring::editor::described;
use crate::base::diagnostic::Span;
use crate::engine::metrics::Reason;
use crate::rules::axis::format_typed_value;
use crate::rules::graph::{Grain, Needs, NodeId};
use crate::rules::key_list::KeyList;
use crate::rules::names::{NamedSymbol, Sort};
use crate::rules::program::{Input, Metric, Parameter, Program};
use crate::rules::references::{References, on_one_line};
use crate::rules::{Policy, Repr, Type, Value, inspect_shared};

/// A description of each name of a policy.
#[derive(Clone, Debug, Serialize)]
pub struct Dictionary {
    /// The policy's name and version.
    pub title: String,
    /// The metrics in the order of the files, then the values of months and records, then everything these depend on.
    pub entries: Vec<Entry>,
}

/// The kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A definition under `[metric]`.
    Metric,
    /// A definition finer than a statement: of months, of records.
    Value,
    /// An output of a decision table.
    Output,
    /// The score.
    Score,
    /// A parameter.
    Parameter,
    /// A word list.
    Words,
    /// A list of keys.
    List,
    /// A value given with the statement.
    Input,
    /// A name that needs no definition.
    BuiltIn,
}

/// One name.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// As rules write it: `credit_total`, `$max_dti`, `mentions(salary)`.
    pub name: String,
    /// The kind of name.
    pub kind: Kind,
    /// The comment heading above it, such as `# --- Income ---`; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// For people; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// `money`, `count`, `days`, `list of text` ...; `None` for a word list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Whether it is a whole number; for money, of minor units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<bool>,
    /// The grain: `statement`, `month`, `transaction`, or `constant`.
    pub grain: &'static str,
    /// The formula as written, on one line; empty for names without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub formula: String,
    /// A parameter's values, the earliest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Valid>,
    /// A parameter's lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<String>,
    /// A parameter's upper bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<String>,
    /// The words of a word list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The names in the formula, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<String>,
    /// Optional columns without which it is unknown: `debit`, `balance`, `narration`. Empty if credits suffice.
    pub needs: Vec<&'static str>,
    /// Why it may be unknown, in the order of the formula, without `overflow`, which may affect any number.
    pub unknown: Vec<Unknown>,
}

/// A parameter's value and the day from which it is valid.
#[derive(Clone, Debug, Serialize)]
pub struct Valid {
    /// The first day, as 2026-07-01; `None` if it is valid from the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// As written.
    pub value: String,
}

/// A reason why a value may be unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unknown {
    /// The code in decisions and in `why`.
    pub code: String,
    /// The same in words.
    pub because: String,
}

impl Unknown {
    /// `program` knows the names in the reason.
    fn new(program: &Program, reason: Reason) -> Unknown {
        Unknown { code: reason.code(program), because: reason.meaning(program) }
    }
}

/// The dictionary of a policy: its metrics, the values of months and records, and all that these depend on.
pub fn dictionary(policy: &Policy) -> Dictionary {
    let program = &policy.program;
    let (none, without) = (Needs::default(), |lacks| never_known(program, lacks));
    let builder = Builder {
        policy,
        reasons: Reasons::new(program),
        without_debit: without(Needs { debit: true, ..none }),
        without_balance: without(Needs { balance: true, ..none }),
        without_narration: without(Needs { narration: true, names: true, ..none }),
    };
    let mut entries: Vec<Entry> = policy.program.metrics.iter().map(|metric| builder.definition(metric)).collect();
    entries.extend(policy.program.places.finer.iter().map(|value| builder.definition(value)));
    entries.extend(builder.judged());
    let parameters = policy.program.parameters.iter().enumerate();
    entries.extend(parameters.map(|(index, parameter)| builder.parameter(index, parameter)));
    entries.extend(policy.program.word_lists.iter().map(word_list));
    entries.extend(policy.program.lists.iter().map(key_list));
    entries.extend(policy.program.inputs.iter().enumerate().map(|(index, input)| builder.input(index, input)));
    entries.extend(built_in().iter().map(|named| builder.built_in(named)));
    Dictionary { title: format!("{} {}", policy.header.name, policy.header.version), entries }
}

impl Dictionary {
    /// The entry of a name as written in rules. Parameters and word lists are also found without `$` and `mentions`.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        let marked = [name.to_owned(), format!("${name}"), format!("mentions({name})"), format!("in_list({name})")];
        marked.iter().find_map(|name| self.entries.iter().find(|entry| entry.name == *name))
    }

    /// The entry of a name, followed by everything it depends on, each once, in reading order of the formulas.
    pub fn about(&self, name: &str) -> Option<Dictionary> {
        let by_name: HashMap<&str, &Entry> = self.entries.iter().map(|entry| (entry.name.as_str(), entry)).collect();
        let mut open = vec![self.entry(name)?];
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some(entry) = open.pop() {
            if seen.insert(entry.name.as_str()) {
                entries.push(entry.clone());
                open.extend(entry.says.iter().rev().filter_map(|name| by_name.get(name.as_str()).copied()));
            }
        }
        Some(Dictionary { title: self.title.clone(), entries })
    }

    /// The metrics only.
    pub fn metrics(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.kind == Kind::Metric)
    }
}

struct Builder<'p> {
    policy: &'p Policy,
    reasons: Reasons<'p>,
    /// Which nodes are never known for statements without debits, balances or narrations.
    without_debit: Vec<bool>,
    without_balance: Vec<bool>,
    without_narration: Vec<bool>,
}

impl Builder<'_> {
    fn entry(&self, name: &str, kind: Kind, (ty, grain): (Type, Grain)) -> Entry {
        let list = if ty.repr == Repr::List { "list of " } else { "" };
        Entry {
            unit: Some(format!("{list}{}", ty.unit.word())),
            whole: match ty.repr {
                Repr::Int => Some(true),
                Repr::Rational | Repr::Float => Some(false),
                _ => None,
            },
            ..new_empty_entry(name, kind, grain)
        }
    }

    /// An entry of a computed value, with its needs and why it may be unknown.
    fn computed(&self, name: &str, kind: Kind, node: NodeId) -> Entry {
        let found = self.policy.program.graph.node(node);
        let reasons = self.reasons.at(node);
        let needs = [
            ("debit", found.needs.debit || self.without_debit[node.index()]),
            ("balance", found.needs.balance || self.without_balance[node.index()]),
            ("narration", found.needs.narration || found.needs.names || self.without_narration[node.index()]),
        ];
        Entry {
            needs: needs.into_iter().filter(|(_, needed)| *needed).map(|(name, _)| name).collect(),
            unknown: reasons.iter().map(|reason| Unknown::new(&self.policy.program, *reason)).collect(),
            ..self.entry(name, kind, (found.ty, found.grain))
        }
    }

    fn definition(&self, defined: &Metric) -> Entry {
        let grain = self.policy.program.graph.node(defined.node).grain;
        let kind = if grain <= Grain::Statement { Kind::Metric } else { Kind::Value };
        Entry {
            group: nearest_heading_above(self.policy, defined.span),
            doc: defined.doc.clone(),
            formula: on_one_line(&defined.text),
            says: all_names(&[&defined.references]),
            ..self.computed(&defined.name, kind, defined.node)
        }
    }

    /// The outputs of tables, and the score.
    fn judged(&self) -> Vec<Entry> {
        let program = &self.policy.program;
        let mut entries = Vec::new();
        for table in &program.tables {
            let rows = table.rows.iter().filter_map(|row| row.references.as_deref());
            let references: Vec<&References> = std::iter::once(&table.references).chain(rows).collect();
            for output in &table.outputs {
                let title = table.title.as_ref().map(|title| format!(" ({title})")).unwrap_or_default();
                let doc = format!("what the table `{}`{title} gives", table.name);
                entries.push(Entry {
                    doc,
                    says: all_names(&references),
                    ..self.computed(&output.name, Kind::Output, output.node)
                });
            }
        }
        if let Some(score) = &program.score {
            let references: Vec<&References> = program.score_items.iter().map(|item| &item.references).collect();
            let doc = "the points of all items of `[score]`".to_owned();
            entries.push(Entry {
                doc,
                says: all_names(&references),
                ..self.computed("score", Kind::Score, score.node)
            });
        }
        entries
    }

    fn parameter(&self, index: usize, parameter: &Parameter) -> Entry {
        let currency = &self.policy.header.currency;
        let bound =
            |bound: &Option<Value>| bound.as_ref().map(|bound| format_typed_value(bound, parameter.ty, currency));
        let valid = |value: &crate::rules::ParameterValue| Valid {
            from: value.from.map(|day| day.to_string()),
            value: value.text.clone(),
        };
        Entry {
            doc: parameter.doc.clone(),
            values: parameter.values.iter().map(valid).collect(),
            min: bound(&parameter.min),
            max: bound(&parameter.max),
            unknown: self.not_yet(index, parameter),
            ..self.entry(&format!("${}", parameter.name), Kind::Parameter, (parameter.ty, Grain::Constant))
        }
    }

    /// The reason that the day is before the parameter's first value, if that is possible.
    fn not_yet(&self, index: usize, parameter: &Parameter) -> Vec<Unknown> {
        let late = parameter.values.first().is_some_and(|first| first.from.is_some());
        let reason = late.then(|| Unknown::new(&self.policy.program, Reason::NotYet(index as u16)));
        reason.into_iter().collect()
    }

    fn input(&self, index: usize, input: &Input) -> Entry {
        Entry {
            doc: input.doc.clone(),
            unknown: vec![Unknown::new(&self.policy.program, Reason::MissingInput(index as u16))],
            ..self.entry(&input.path(), Kind::Input, (input.ty, Grain::Statement))
        }
    }

    fn built_in(&self, named: &NamedSymbol) -> Entry {
        let doc = described::built_in(&named.name).unwrap_or_default().to_owned();
        let entry = match named.ty {
            Some(ty) => self.entry(&named.name, Kind::BuiltIn, (ty, named.grain)),
            None => new_empty_entry(&named.name, Kind::BuiltIn, named.grain),
        };
        let needs = ["debit", "balance"].into_iter().filter(|column| named.name == *column).collect();
        Entry { doc, needs, ..entry }
    }
}

/// The built-in names, which are all names of an empty file.
fn built_in() -> Vec<NamedSymbol> {
    let nothing = inspect_shared(std::path::Path::new("nothing"), "", &mut |_| Err(String::new()));
    let names = nothing.names.map(|names| names.defined).unwrap_or_default();
    names.into_iter().filter(|named| named.sort == Sort::Value && named.span.is_none()).collect()
}

fn new_empty_entry(name: &str, kind: Kind, grain: Grain) -> Entry {
    Entry {
        name: name.to_owned(),
        kind,
        group: String::new(),
        doc: String::new(),
        unit: None,
        whole: None,
        grain: grain.word(),
        formula: String::new(),
        values: Vec::new(),
        min: None,
        max: None,
        words: Vec::new(),
        says: Vec::new(),
        needs: Vec::new(),
        unknown: Vec::new(),
    }
}

fn word_list((name, words): &(String, Vec<String>)) -> Entry {
    Entry { words: words.clone(), ..new_empty_entry(&format!("mentions({name})"), Kind::Words, Grain::Transaction) }
}

/// A list of keys, which are personal.
fn key_list(list: &KeyList) -> Entry {
    let formula = format!("{} keys of {}", list.keys.count(), list.path);
    let name = format!("in_list({})", list.name);
    Entry { formula, doc: list.doc.clone(), ..new_empty_entry(&name, Kind::List, Grain::Constant) }
}

/// All names that expressions refer to, in the form of entries.
fn all_names(references: &[&References]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for references in references {
        all.extend(references.names.iter().cloned());
        all.extend(references.parameters.iter().map(|name| format!("${name}")));
        all.extend(references.words.iter().map(|name| format!("mentions({name})")));
        all.extend(references.lists.iter().map(|name| format!("in_list({name})")));
    }
    let mut seen = std::collections::HashSet::new();
    all.retain(|name| seen.insert(name.clone()));
    all
}

/// The nearest heading above a definition: a comment line such as `# --- Income ---` in the same section.
fn nearest_heading_above(policy: &Policy, span: Span) -> String {
    let text = policy.sources.get(span).and_then(|source| source.text.get(..span.start as usize)).unwrap_or_default();
    for line in text.lines().rev().map(str::trim) {
        if let Some(title) = line.strip_prefix('#').map(str::trim).and_then(|line| line.strip_prefix("---")) {
            return title.trim_matches(['-', ' ']).to_owned();
        }
        if line.starts_with('[') {
            break;
        }
    }
    String::new()
}
