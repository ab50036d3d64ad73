//! Translates a model's logic: inputs become request fields, decisions become metrics and tables, functions are
//! inlined. What a rule file cannot express is an error with its reason, never an approximation.

use std::collections::{BTreeMap, HashSet};

use super::feel::{self, InputEntry, Test};
use super::model::{DmnDecision, Function, ItemDefinition, Logic, Model, Variable};
use super::value::{Scalar, Ty, Val, to_snake_case};
use super::variables;

/// Deepest nesting of tables and functions; deeper nesting is a cycle.
const DEPTH_MAX: usize = 40;
/// Most tables and metrics. Functions are inlined at each call, so there could be very many.
const PIECES_MAX: usize = 2_000;

pub(super) type Translated<T> = Result<T, String>;
pub(super) type Scope = Vec<(String, Val)>;

/// A field of the request, and its path in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestField {
    /// The name of the input, then of the parts.
    pub path: Vec<String>,
    /// `request.NAME`
    pub name: String,
    /// Its type in the rule file.
    pub kind: String,
}

pub(super) struct Translator<'m> {
    /// The model and its imports, each with the prefix of its names.
    pub models: Vec<(String, &'m Model)>,
    pub fields: Vec<RequestField>,
    pub metrics: Vec<(String, String)>,
    pub tables: Vec<String>,
    pub left_out: Vec<String>,
    used: HashSet<String>,
    decided: BTreeMap<String, Option<Translated<Val>>>,
    given: BTreeMap<String, Val>,
    depth: usize,
    /// Names in scope of any expression: inputs, decisions, functions, parts.
    names: Vec<String>,
}

impl<'m> Translator<'m> {
    pub fn new(models: Vec<(String, &'m Model)>, taken: &[&str]) -> Self {
        let mut names = Vec::new();
        for (prefix, model) in &models {
            let whole = |name: &str| if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
            names.extend(model.inputs.iter().map(|input| whole(&input.name)));
            names.extend(model.decisions.iter().map(|decision| whole(&decision.variable.name)));
            names.extend(model.functions.iter().map(|function| whole(&function.name)));
            model.items.iter().for_each(|item| parts(item, &mut names));
            for decision in &model.decisions {
                decision.logic.iter().for_each(|logic| named_in(logic, &mut names));
            }
            for function in &model.functions {
                names.extend(function.parameters.iter().cloned());
                function.body.iter().for_each(|logic| named_in(logic, &mut names));
            }
        }
        names.sort();
        names.dedup();
        names.retain(|name| !name.is_empty());
        Self {
            models,
            fields: Vec::new(),
            metrics: Vec::new(),
            tables: Vec::new(),
            left_out: Vec::new(),
            used: taken.iter().map(|name| (*name).to_owned()).collect(),
            decided: BTreeMap::new(),
            given: BTreeMap::new(),
            depth: 0,
            names,
        }
    }

    /// A name that no other metric, table or output has.
    pub fn unique(&mut self, wanted: &str) -> String {
        let name = find_free_name(&to_snake_case(wanted), |name| self.used.contains(name));
        self.used.insert(name.clone());
        name
    }

    /// Declares an input of the model.
    pub fn input(&mut self, name: &str, of: Option<&str>) {
        let value = self.typed(&[name.to_owned()], of.unwrap_or("Any"), false, 0);
        self.given.insert(name.to_owned(), value);
    }

    /// Declares an input that the model names without declaring it.
    pub fn undeclared(&mut self, name: &str, variable: Translated<Variable>) {
        self.names.push(name.to_owned());
        match variable {
            Ok(variable) => self.input(name, variable.of.as_deref()),
            Err(why) => drop(self.given.insert(name.to_owned(), Val::Untranslatable(why))),
        }
    }

    fn typed(&mut self, path: &[String], of: &str, is_list: bool, depth: usize) -> Val {
        if let Some(ty) = Ty::of_model(of) {
            return self.field(path, ty, is_list);
        }
        if depth > DEPTH_MAX {
            return Val::Untranslatable(format!("the type `{of}` contains itself"));
        }
        let Some(item) = self.item(of) else {
            let why = format!("the input `{}` is of type `{of}`, which a request cannot have", path.join("."));
            self.left_out.push(why.clone());
            return Val::Untranslatable(why);
        };
        self.of_item(path, &item, is_list, depth)
    }

    fn of_item(&mut self, path: &[String], item: &ItemDefinition, is_list: bool, depth: usize) -> Val {
        let is_list = is_list || item.is_list;
        if item.parts.is_empty() {
            return self.typed(path, item.of.as_deref().unwrap_or("Any"), is_list, depth + 1);
        }
        if is_list {
            let why = format!("the input `{}` is a list of structures, which a request cannot have", path.join("."));
            self.left_out.push(why.clone());
            return Val::Untranslatable(why);
        }
        let part = |part: &ItemDefinition| {
            let path: Vec<String> = path.iter().cloned().chain([part.name.clone()]).collect();
            (part.name.clone(), self.of_item(&path, part, false, depth + 1))
        };
        Val::Context(item.parts.iter().map(part).collect())
    }

    fn field(&mut self, path: &[String], ty: Ty, is_list: bool) -> Val {
        // Fields are called `request.NAME`, so they may share names with metrics.
        let names = ["as_of", "customer", "bureau", "own"];
        let taken = |name: &str| names.contains(&name) || self.fields.iter().any(|field| field.name == name);
        let name = find_free_name(&to_snake_case(&path.join(" ")), taken);
        let kind = if is_list { format!("list of {}", ty.word()) } else { ty.word().to_owned() };
        self.fields.push(RequestField { path: path.to_vec(), name: name.clone(), kind });
        let text = format!("request.{name}");
        if is_list { Val::ListOf(text, ty) } else { Val::Scalar(Scalar::named(text, ty)) }
    }

    fn item(&self, of: &str) -> Option<ItemDefinition> {
        self.models.iter().find_map(|(prefix, model)| {
            let own = if prefix.is_empty() {
                Some(of)
            } else {
                of.strip_prefix(prefix.as_str()).and_then(|rest| rest.strip_prefix('.'))
            };
            model.items.iter().find(|item| own.is_some_and(|own| own == item.name)).cloned()
        })
    }

    /// Translates a decision.
    pub fn decision(&mut self, name: &str) -> Translated<Val> {
        match self.decided.get(name) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return Err(format!("the decision `{name}` depends on itself")),
            None => {}
        }
        self.decided.insert(name.to_owned(), None);
        let found = self.models.iter().find_map(|(prefix, model)| {
            let own = own_name(prefix, name)?;
            let decision = model.decisions.iter().find(|decision| decision.variable.name == own)?;
            Some((prefix.clone(), *model, decision))
        });
        let value = match found {
            Some((prefix, model, decision @ DmnDecision { logic: Some(logic), .. })) => {
                let scope = self.required(&prefix, model, decision);
                self.logic(logic, &scope, name)
            }
            // A decision without logic is made elsewhere, so the request supplies it.
            Some((_, _, DmnDecision { variable, .. })) => {
                if variable.of.is_none() {
                    let supplied = "the request must supply it, as text";
                    self.left_out.push(format!("the decision `{name}` has no logic and no type: {supplied}"));
                }
                match self.typed(&[name.to_owned()], variable.of.as_deref().unwrap_or("string"), false, 0) {
                    Val::Untranslatable(why) => Err(why),
                    value => Ok(value),
                }
            }
            None => Err(format!("`{name}` is not known")),
        };
        let value = value.map(|value| self.define(value, name));
        self.decided.insert(name.to_owned(), Some(value.clone()));
        value
    }

    /// The results of required decisions, under the names that process engines use for them.
    fn required(&mut self, prefix: &str, model: &'m Model, decision: &DmnDecision) -> Scope {
        let mut scope = Scope::new();
        for other in variables::required_decisions(model, decision) {
            let names = variables::decision_aliases(other);
            let names: Vec<_> = names.into_iter().filter(|(name, _)| !variables::is_declared(model, name)).collect();
            if names.is_empty() || self.depth >= DEPTH_MAX {
                continue;
            }
            let own = &other.variable.name;
            let whole = if prefix.is_empty() { own.clone() } else { format!("{prefix}.{own}") };
            self.depth += 1;
            let value = self.decision(&whole).unwrap_or_else(Val::Untranslatable);
            self.depth -= 1;
            for (name, part) in names {
                let value = match (&part, &value) {
                    (None, value) => value.clone(),
                    (Some(part), Val::Context(parts)) => match parts.iter().find(|(known, _)| known == part) {
                        Some((_, value)) => value.clone(),
                        None => continue,
                    },
                    (Some(_), Val::Untranslatable(why)) => Val::Untranslatable(why.clone()),
                    (Some(_), _) => continue,
                };
                scope.push((name, value));
            }
        }
        scope
    }

    /// Defines a metric for a computed value, so that it is in the decision and written only once.
    fn define(&mut self, value: Val, name: &str) -> Val {
        let is_name = |text: &str| self.used.contains(text);
        match value {
            Val::Scalar(scalar) if is_name(&scalar.text) => Val::Scalar(scalar),
            Val::Scalar(scalar) => {
                let own = self.unique(name);
                self.metrics.push((own.clone(), scalar.bare().to_owned()));
                Val::Scalar(Scalar { text: own, ..scalar })
            }
            Val::ListOf(text, ty) if is_name(&text) => Val::ListOf(text, ty),
            Val::ListOf(text, ty) => {
                let own = self.unique(name);
                self.metrics.push((own.clone(), text));
                Val::ListOf(own, ty)
            }
            Val::List(items) => match list_of(&items) {
                Some((text, ty)) => self.define(Val::ListOf(text, ty), name),
                None => {
                    let items = items.into_iter().enumerate();
                    Val::List(items.map(|(index, item)| self.define(item, &format!("{name} {}", index + 1))).collect())
                }
            },
            Val::Context(parts) => {
                let part = |(key, value): (String, Val)| {
                    let value = self.define(value, &format!("{name} {key}"));
                    (key, value)
                };
                Val::Context(parts.into_iter().map(part).collect())
            }
            other => other,
        }
    }

    /// Translates a boxed expression.
    pub fn logic(&mut self, logic: &Logic, scope: &Scope, hint: &str) -> Translated<Val> {
        self.depth += 1;
        if self.depth > DEPTH_MAX || self.tables.len() + self.metrics.len() > PIECES_MAX {
            return Err("functions call each other too deeply, or too often".to_owned());
        }
        let value = match logic {
            Logic::Literal(text) => self.text(text, scope, hint),
            Logic::Table(table) => super::tables::translate_dmn_table(self, table, scope, hint),
            Logic::Invocation(callee, bindings) => {
                let mut arguments = Vec::new();
                for (name, logic) in bindings {
                    arguments.push((Some(name.clone()), self.logic(logic, scope, &format!("{hint} {name}"))?));
                }
                self.call(callee.trim(), arguments, hint)
            }
            Logic::Context(entries) => self.context(entries, scope, hint),
            Logic::List(items) => {
                let items = items.iter().map(|item| self.logic(item, scope, hint));
                items.collect::<Translated<_>>().map(Val::List)
            }
            Logic::Other(what) => Err(format!("{what} cannot be expressed in a rule file")),
        };
        self.depth -= 1;
        value
    }

    fn context(&mut self, entries: &[(Option<String>, Logic)], scope: &Scope, hint: &str) -> Translated<Val> {
        let mut inner = scope.clone();
        let mut parts = Vec::new();
        for (name, logic) in entries {
            let hint = name.as_ref().map_or(hint.to_owned(), |name| format!("{hint} {name}"));
            let value = self.logic(logic, &inner, &hint)?;
            let Some(name) = name else { return Ok(value) };
            inner.push((name.clone(), value.clone()));
            parts.push((name.clone(), value));
        }
        Ok(Val::Context(parts))
    }

    /// Translates the text of an expression.
    pub fn text(&mut self, text: &str, scope: &Scope, hint: &str) -> Translated<Val> {
        let names = self.names_with(scope);
        let parsed = feel::parse_feel_expression(text, &names).map_err(|error| format!("`{text}`: {error}"))?;
        super::expression::translate_expression(self, &parsed, scope, hint)
    }

    pub fn entry(&mut self, text: &str, scope: &Scope) -> Translated<InputEntry> {
        let names = self.names_with(scope);
        feel::parse_input_entry(text, &names).map_err(|error| format!("`{text}`: {error}"))
    }

    fn names_with(&self, scope: &Scope) -> Vec<String> {
        self.names.iter().cloned().chain(scope.iter().map(|(name, _)| name.clone())).collect()
    }

    /// Resolves a name.
    pub fn named(&mut self, name: &str, scope: &Scope) -> Translated<Val> {
        let in_scope = scope.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value);
        if let Some(value) = in_scope.or_else(|| self.given.get(name)) {
            return match value {
                Val::Untranslatable(why) => Err(why.clone()),
                value => Ok(value.clone()),
            };
        }
        // A parameter elsewhere may have the name of a path here.
        if let Some((whole, part)) = name.rsplit_once('.')
            && let Ok(Val::Context(parts)) = self.named(whole, scope)
            && let Some((_, value)) = parts.into_iter().find(|(known, _)| known == part)
        {
            return Ok(value);
        }
        let decides = self.models.iter().any(|(prefix, model)| {
            own_name(prefix, name)
                .is_some_and(|own| model.decisions.iter().any(|decision| decision.variable.name == own))
        });
        if decides { self.decision(name) } else { Err(format!("`{name}` is not known")) }
    }

    /// Inlines a call of one of the model's functions.
    pub fn call(&mut self, name: &str, arguments: Vec<(Option<String>, Val)>, hint: &str) -> Translated<Val> {
        let found = self.models.iter().find_map(|(prefix, model)| {
            let own = own_name(prefix, name)?;
            model.functions.iter().find(|function| function.name == own).cloned()
        });
        let Some(Function { parameters, body: Some(body), .. }) = found else {
            return Err(format!("the function `{name}` is not known"));
        };
        let mut scope = Scope::new();
        for (index, (named, value)) in arguments.into_iter().enumerate() {
            let parameter = named.or_else(|| parameters.get(index).cloned());
            scope.push((parameter.ok_or_else(|| format!("`{name}` takes {} values", parameters.len()))?, value));
        }
        self.logic(&body, &scope, hint)
    }

    /// The tests of an entry on a value, as one condition.
    pub fn tests(&mut self, value: &Val, tests: &[Test], scope: &Scope) -> Translated<Scalar> {
        let mut inner = scope.clone();
        inner.push(("?".to_owned(), value.clone()));
        let mut conditions = Vec::new();
        for test in tests {
            conditions.push(super::expression::translate_test(self, value, test, &inner)?.text);
        }
        Ok(match conditions.len() {
            1 => Scalar::named(conditions.remove(0), Ty::Boolean),
            _ => Scalar::made(conditions.join(" OR "), Ty::Boolean),
        })
    }
}

/// The name itself if free, else with the first number that makes it free.
fn find_free_name(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_default()
}

fn own_name<'n>(prefix: &str, name: &'n str) -> Option<&'n str> {
    if prefix.is_empty() { Some(name) } else { name.strip_prefix(prefix)?.strip_prefix('.') }
}

fn parts(item: &ItemDefinition, names: &mut Vec<String>) {
    for part in &item.parts {
        names.push(part.name.clone());
        parts(part, names);
    }
}

/// The names that boxed contexts and outputs define.
fn named_in(logic: &Logic, names: &mut Vec<String>) {
    match logic {
        Logic::Context(entries) => {
            for (name, logic) in entries {
                names.extend(name.clone());
                named_in(logic, names);
            }
        }
        Logic::Table(table) => names.extend(table.outputs.iter().filter_map(|output| output.name.clone())),
        Logic::Invocation(_, bindings) => bindings.iter().for_each(|(_, logic)| named_in(logic, names)),
        Logic::List(items) => items.iter().for_each(|logic| named_in(logic, names)),
        Logic::Literal(_) | Logic::Other(_) => {}
    }
}

/// Scalars and lists of one type as one list.
pub(super) fn list_of(items: &[Val]) -> Option<(String, Ty)> {
    let mut texts = Vec::new();
    let mut types = Vec::new();
    for item in items {
        let (text, ty) = match item {
            Val::Scalar(scalar) => (scalar.bare().to_owned(), scalar.ty),
            Val::ListOf(text, ty) => (text.clone(), *ty),
            _ => return None,
        };
        texts.push(text);
        types.push(ty);
    }
    let first = *types.first()?;
    types.iter().all(|ty| *ty == first).then(|| (format!("list_of({})", texts.join(", ")), first))
}
