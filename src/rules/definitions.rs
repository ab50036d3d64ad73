//! Definitions in an order in which each is checked after those that it names, whatever the order of their lines. Nothing here recurses
//! through names: any number of them may stand on each other.

use std::collections::HashMap;

use super::check::{Checked, Checker, Place, Reported, Symbol};
use super::expression::ast::{Call, Expr, Kind};
use super::expression::parse;
use super::expression::said::Said;
use super::file::source::Name;
use super::file::{Definition, RuleFile, Section};
use super::ir::{Grain, Group, NodeId};
use super::program::Metric;
use crate::words::diagnostic::Diagnostic;

/// Each value of a record or a group carries a list of the statement's values that it stands on: of a long chain these would fill the memory.
const SPREADS_MAX: usize = 1_000;

/// All definitions, and those that are being checked.
#[derive(Default)]
pub(super) struct Definitions {
    all: Vec<(Definition, State)>,
    /// Each is needed by the one before.
    open: Vec<Open>,
    /// What each says.
    say: HashMap<usize, Said>,
    /// What was parsed before it is checked; nothing where it could not be.
    parsed: HashMap<usize, Option<Expr>>,
}

#[derive(Clone, Copy)]
enum State {
    Waiting,
    /// Its place among the open ones.
    Open(usize),
    Done(Option<NodeId>),
}

/// A definition that was parsed and waits for those that it names.
struct Open {
    index: usize,
    /// Nothing where it could not be parsed.
    expr: Option<Expr>,
    /// Those that are still to be looked at, the first to be named last.
    needs: Vec<usize>,
}

impl Section {
    /// The grain of what is defined in it.
    pub(crate) fn grain(self) -> Grain {
        match self {
            Section::Transaction => Grain::Transaction,
            Section::Group(group) => Grain::Group(group),
            Section::Metric => Grain::Statement,
        }
    }
}

impl Definitions {
    /// The node of a definition that was checked and has no mistake.
    pub(super) fn node(&self, index: usize) -> Option<NodeId> {
        if let State::Done(node) = self.all[index].1 { node } else { None }
    }

    /// The grain that a definition is written for.
    pub(super) fn grain(&self, index: usize) -> Grain {
        self.all[index].0.section.grain()
    }

    /// Keeps what was parsed until it is checked.
    pub(super) fn keep(&mut self, index: usize, parsed: Option<Expr>) {
        self.parsed.insert(index, parsed);
    }

    pub(super) fn name(&self, index: usize) -> &Name {
        &self.all[index].0.name
    }

    /// The names from one open definition to the last.
    fn chain(&self, from: usize) -> Vec<String> {
        let open = &self.open[from..];
        shortened(open.len(), |at| format!("`{}`", self.name(open[at].index).text))
    }
}

/// So many names, without the middle of a long chain, which says nothing.
pub(super) fn shortened(count: usize, named: impl Fn(usize) -> String) -> Vec<String> {
    if count <= 7 {
        return (0..count).map(named).collect();
    }
    let (first, last) = ((0..4).map(&named), (count - 2..count).map(&named));
    first.chain(["...".to_owned()]).chain(last).collect()
}

impl Checker<'_> {
    pub(super) fn define(&mut self, file: &RuleFile) {
        for definition in &file.definitions {
            let index = self.definitions.all.len();
            self.definitions.all.push((definition.clone(), State::Waiting));
            self.declare(&definition.name, Symbol::Definition(index));
        }
    }

    /// Checks every definition; the metrics come back in the order of the files.
    pub(super) fn check_definitions(&mut self) -> Vec<Metric> {
        let mut metrics = Vec::new();
        for index in 0..self.definitions.all.len() {
            let node = self.definition(index);
            let (definition, _) = &self.definitions.all[index];
            let said = self.definitions.say.remove(&index).unwrap_or_default();
            let name = &definition.name.text;
            let doc = definition.doc.as_ref().map(|doc| doc.value().to_owned()).unwrap_or_default();
            let text = definition.expression.value().to_owned();
            if let (Section::Group(_), Ok(node)) = (definition.section, &node) {
                self.places.of_groups.push((name.clone(), *node));
            }
            let defined = node.map(|node| Metric {
                name: name.clone(),
                text,
                doc,
                said: said.clone(),
                node,
                span: definition.name.span,
            });
            if definition.section != Section::Metric {
                self.places.said.insert(name.clone(), said);
                self.places.finer.extend(defined);
                continue;
            }
            metrics.extend(defined);
        }
        metrics
    }

    /// The node of a definition, which is checked first where it was not yet, and before it all that it stands on.
    pub(super) fn definition(&mut self, index: usize) -> Checked<NodeId> {
        match self.definitions.all[index].1 {
            State::Done(node) => return node.ok_or(Reported),
            State::Open(place) => return self.cycle(index, place),
            State::Waiting => {}
        }
        let around = self.definitions.open.len();
        self.begin(index);
        while self.definitions.open.len() > around {
            match self.definitions.open.last_mut().and_then(|open| open.needs.pop()) {
                Some(need) if matches!(self.definitions.all[need].1, State::Waiting) => self.begin(need),
                Some(_) => {}
                None => self.finish(),
            }
        }
        self.definitions.node(index).ok_or(Reported)
    }

    fn begin(&mut self, index: usize) {
        let expr = self.parse_definition(index);
        let mut needs = Vec::new();
        if let Some(expr) = &expr {
            self.said_in(index, expr, &mut |symbol| {
                if let Symbol::Definition(index) = symbol {
                    needs.push(*index);
                }
            });
        }
        needs.reverse();
        self.definitions.all[index].1 = State::Open(self.definitions.open.len());
        self.definitions.open.push(Open { index, expr, needs });
    }

    /// A definition, parsed once: whoever parses it before it is checked keeps it for then.
    pub(super) fn parse_definition(&mut self, index: usize) -> Option<Expr> {
        if let Some(parsed) = self.definitions.parsed.remove(&index) {
            return parsed;
        }
        let parsed = parse::expression(&self.definitions.all[index].0.expression);
        parsed.map_err(|diagnostic| self.diagnostics.push(diagnostic)).ok()
    }

    /// Tells what stands behind each name that a definition says, where it is said.
    pub(super) fn said_in(&mut self, index: usize, expr: &Expr, tell: &mut impl FnMut(&Symbol)) {
        let space = self.enter(self.definitions.name(index).span);
        said(expr, &mut |name| self.symbol(name).into_iter().for_each(&mut *tell));
        self.leave(space);
    }

    /// Checks the last of the open ones: what it names is done, or open because it needs this one.
    fn finish(&mut self) {
        let Some(open) = self.definitions.open.last_mut() else { return };
        let (index, expr) = (open.index, open.expr.take());
        let node = expr.and_then(|expr| {
            let definition = &self.definitions.all[index].0;
            let (target, span) = (definition.section.grain(), definition.name.span);
            let space = self.enter(span);
            let (typed, said) = self.saying(|checker| {
                if target == Grain::Group(Group::Stream) {
                    checker.looks_at_streams();
                }
                checker.expr(&expr, Place { target, ..Place::STATEMENT })
            });
            self.definitions.say.insert(index, said);
            self.leave(space);
            // A value has a row for each of what its section says it is about, also where it is the same for all: COUNT counts months
            // when a [month] value is counted.
            let node = self.at_least(typed.ok()?, target);
            self.within_reason(index, node).ok()
        });
        self.definitions.open.pop();
        self.definitions.all[index].1 = State::Done(node);
    }

    fn within_reason(&mut self, index: usize, node: NodeId) -> Checked<NodeId> {
        if self.graph.node(node).spreads.len() <= SPREADS_MAX {
            return Ok(node);
        }
        let Definition { section, name, .. } = &self.definitions.all[index].0;
        let message = format!("`{}` stands on more than {SPREADS_MAX} values of the statement", name.text);
        let help = format!("a value of each {} asks for few of them", section.grain().word());
        self.report(Diagnostic::error("too-deep", name.span, message).help(help))
    }

    fn cycle<T>(&mut self, index: usize, place: usize) -> Checked<T> {
        let name = self.definitions.all[index].0.name.clone();
        // It is told once.
        self.definitions.all[index].1 = State::Done(None);
        let chain = self.definitions.chain(place);
        let help = match chain.len() {
            1 => "a name may not need its own value".to_string(),
            _ => format!("each needs the next: {}, `{}`", chain.join(", "), name.text),
        };
        let message = format!("`{}` is defined by itself", name.text);
        self.report(Diagnostic::error("cycle", name.span, message).help(help))
    }
}

/// Every name of a value in an expression, from left to right.
pub(super) fn said(expr: &Expr, tell: &mut impl FnMut(&str)) {
    match &expr.kind {
        Kind::Name(name) => tell(name),
        Kind::Qualified(space, name) => tell(&format!("{space}.{name}")),
        Kind::Unary(_, inner) | Kind::IsNull(inner) | Kind::IsBoolean(inner, _) | Kind::Like(inner, ..) => {
            said(inner, tell)
        }
        Kind::Binary(_, left, right) => [left, right].into_iter().for_each(|part| said(part, tell)),
        Kind::In(value, list) => std::iter::once(&**value).chain(list).for_each(|part| said(part, tell)),
        Kind::Case(arms, otherwise) => {
            let arms = arms.iter().flat_map(|(condition, result)| [condition, result]);
            arms.chain(otherwise.as_deref()).for_each(|part| said(part, tell));
        }
        Kind::Call(call) => said_in_call(call, tell),
        Kind::Parameter(_) | Kind::Number(_) | Kind::Text(_) | Kind::Boolean(_) | Kind::Null => {}
        Kind::Date(_) | Kind::Time(_) | Kind::Timestamp(_) | Kind::Interval(_) => {}
    }
}

fn said_in_call(call: &Call, tell: &mut impl FnMut(&str)) {
    match call.name.as_str() {
        // It takes the name of a word list.
        "mentioned" | "mentions" | "named" => return,
        "within" => tell("trans_date"),
        _ => {}
    }
    call.args.iter().chain(call.filter.as_deref()).for_each(|part| said(part, tell));
}
