//! Checks definitions, each after those it names, whatever their order in the files. Does not recurse through
//! names, so chains of any length are fine.

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::built_in::TABLE_NAMES;
use crate::rules::check::checker::Checker;
use crate::rules::check::definition_list::{Open, State};
use crate::rules::check::symbols::{Checked, ExpressionContext, Reported, Symbol};
use crate::rules::graph::{Grain, Group, NodeId};
use crate::rules::program::Metric;
use crate::rules::syntax::ast::Expr;
use crate::rules::syntax::file::{Definition, RuleFile, Section};
use crate::rules::syntax::mentioned_names::mentioned_names;
use crate::rules::syntax::parse;

/// Most values of the statement that one value of a record or a group may depend on. Each carries a list of them, which
/// would fill the memory in a long chain.
const SPREADS_MAX: usize = 1_000;

impl Checker<'_> {
    pub(in crate::rules) fn define(&mut self, file: &RuleFile) {
        for definition in &file.definitions {
            let index = self.definitions.all.len();
            self.definitions.all.push((definition.clone(), State::Waiting));
            self.declare(&definition.name, Symbol::Definition(index));
            if definition.section == Section::Metric {
                self.reserve(&definition.name, &TABLE_NAMES, "a column of tables of metrics");
            }
        }
    }

    /// Checks every definition, and returns the metrics in the order of the files.
    pub(in crate::rules) fn check_definitions(&mut self) -> Vec<Metric> {
        let mut metrics = Vec::new();
        for index in 0..self.definitions.all.len() {
            let node = self.definition(index);
            let (definition, _) = &self.definitions.all[index];
            let references = self.definitions.references.remove(&index).unwrap_or_default();
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
                references: references.clone(),
                node,
                span: definition.name.span,
            });
            if definition.section != Section::Metric {
                self.places.references.insert(name.clone(), references);
                self.places.finer.extend(defined);
                continue;
            }
            metrics.extend(defined);
        }
        metrics
    }

    /// The node of a definition. Checks it first if needed, after everything it depends on.
    pub(in crate::rules) fn definition(&mut self, index: usize) -> Checked<NodeId> {
        match self.definitions.all[index].1 {
            State::Done(node) => return node.ok_or(Reported),
            State::Open(context) => return self.cycle(index, context),
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
            self.visit_symbols(index, expr, &mut |symbol| {
                if let Symbol::Definition(index) = symbol {
                    needs.push(*index);
                }
            });
        }
        needs.reverse();
        self.definitions.all[index].1 = State::Open(self.definitions.open.len());
        self.definitions.open.push(Open { index, expr, needs });
    }

    /// Parses a definition, unless it was already parsed and kept.
    pub(in crate::rules) fn parse_definition(&mut self, index: usize) -> Option<Expr> {
        if let Some(parsed) = self.definitions.parsed.remove(&index) {
            return parsed;
        }
        let parsed = parse::expression(&self.definitions.all[index].0.expression);
        parsed.map_err(|diagnostic| self.diagnostics.push(diagnostic)).ok()
    }

    /// Visits the symbol of each name that a definition mentions, resolved in its own namespace.
    pub(in crate::rules) fn visit_symbols(&mut self, index: usize, expr: &Expr, visit: &mut impl FnMut(&Symbol)) {
        let space = self.enter(self.definitions.name(index).span);
        mentioned_names(expr, &mut |name| self.symbol(name).into_iter().for_each(&mut *visit));
        self.leave(space);
    }

    /// Checks the last open definition. Those it names are done, or open because they need this one.
    fn finish(&mut self) {
        let Some(open) = self.definitions.open.last_mut() else { return };
        let (index, expr) = (open.index, open.expr.take());
        let node = expr.and_then(|expr| {
            let definition = &self.definitions.all[index].0;
            let (target, span) = (definition.section.grain(), definition.name.span);
            let space = self.enter(span);
            let (typed, references) = self.collecting_references(|checker| {
                if target == Grain::Group(Group::Stream) {
                    checker.looks_at_streams();
                }
                checker.expr(&expr, ExpressionContext { target, ..ExpressionContext::STATEMENT })
            });
            self.definitions.references.insert(index, references);
            self.leave(space);
            // A value has one row per item of its section's grain, even if all are equal. So COUNT of a [month] value
            // counts months.
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
        let message = format!("`{}` depends on more than {SPREADS_MAX} values of the statement", name.text);
        let help = format!("use fewer of them in a value per {}", section.grain().word());
        self.report(Diagnostic::error("too-deep", name.span, message).help(help))
    }

    fn cycle<T>(&mut self, index: usize, place: usize) -> Checked<T> {
        let name = self.definitions.all[index].0.name.clone();
        // Reports it once.
        self.definitions.all[index].1 = State::Done(None);
        let chain = self.definitions.chain(place);
        let help = match chain.len() {
            1 => "a definition cannot use its own value".to_string(),
            _ => format!("each needs the next: {}, `{}`", chain.join(", "), name.text),
        };
        let message = format!("`{}` depends on itself", name.text);
        self.report(Diagnostic::error("cycle", name.span, message).help(help))
    }
}
