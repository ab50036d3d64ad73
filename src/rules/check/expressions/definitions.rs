//! Checks definitions, each after those it names, whatever their order in the files. Does not recurse through
//! names, so chains of any length are fine.

use std::collections::HashMap;

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::checker::Checker;
use crate::rules::check::symbols::built_in::TABLE_NAMES;
use crate::rules::check::symbols::definition_list::DefinitionState;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Reported, Symbol};
use crate::rules::check::symbols::symbol_table::refuse_reserved;
use crate::rules::graph::{Grain, Group, NodeId, Op};
use crate::rules::program::Metric;
use crate::rules::references::References;
use crate::rules::syntax::ast::Expr;
use crate::rules::syntax::file::{Definition, DefinitionSection, RuleFile};
use crate::rules::syntax::mentioned_names::mentioned_names;
use crate::rules::syntax::parse;
use crate::rules::types::Type;

/// Most values of the statement that one value of a record or a group may depend on. Each carries a list of them, which
/// would fill the memory in a long chain.
const SPREADS_MAX: usize = 1_000;

/// The definitions after they were checked, without those that have a mistake.
#[derive(Default)]
pub(in crate::rules) struct CheckedDefinitions {
    /// In the order of the files.
    pub metrics: Vec<Metric>,
    /// The values of groups, by name.
    pub of_groups: Vec<(String, NodeId)>,
    /// The values that are finer than a statement's, in the order of the files.
    pub finer: Vec<Metric>,
    /// The references of each finer value.
    pub references: HashMap<String, References>,
}

impl Checker<'_> {
    pub(in crate::rules) fn define(&mut self, file: &RuleFile) {
        for definition in &file.definitions {
            let index = self.definitions.add(definition);
            self.symbols.declare(&mut self.mistakes, &definition.name, Symbol::Definition(index));
            if definition.section == DefinitionSection::Metric {
                refuse_reserved(&mut self.mistakes, &definition.name, &TABLE_NAMES, "a column of tables of metrics");
            }
        }
    }

    /// Checks every definition.
    pub(in crate::rules) fn check_definitions(&mut self) -> CheckedDefinitions {
        let mut checked = CheckedDefinitions::default();
        for index in 0..self.definitions.count() {
            let node = self.definition(index);
            let references = self.definitions.take_references(index);
            let definition = self.definitions.get(index);
            let name = &definition.name.text;
            let doc = definition.doc.as_ref().map(|doc| doc.value().to_owned()).unwrap_or_default();
            let text = definition.expression.value().to_owned();
            if let (DefinitionSection::Group(_), Ok(node)) = (definition.section, &node) {
                checked.of_groups.push((name.clone(), *node));
            }
            let defined = node.map(|node| Metric {
                name: name.clone(),
                text,
                doc,
                references: references.clone(),
                node,
                span: definition.name.span,
            });
            if definition.section != DefinitionSection::Metric {
                checked.references.insert(name.clone(), references);
                checked.finer.extend(defined);
                continue;
            }
            checked.metrics.extend(defined);
        }
        checked
    }

    /// The node of a definition. Checks it first if needed, after everything it depends on.
    pub(in crate::rules) fn definition(&mut self, index: usize) -> Checked<NodeId> {
        match self.definitions.state(index) {
            DefinitionState::Done(node) => return node.ok_or(Reported),
            DefinitionState::Open(context) => return self.cycle(index, context),
            DefinitionState::Waiting => {}
        }
        let around = self.definitions.count_open();
        self.begin(index);
        while self.definitions.count_open() > around {
            match self.definitions.next_need() {
                Some(need) if matches!(self.definitions.state(need), DefinitionState::Waiting) => self.begin(need),
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
        self.definitions.open(index, expr, needs);
    }

    /// Parses a definition, unless it was already parsed and kept.
    pub(in crate::rules) fn parse_definition(&mut self, index: usize) -> Option<Expr> {
        if let Some(parsed) = self.definitions.take_parsed(index) {
            return parsed;
        }
        let parsed = parse::parse_rule_expression(&self.definitions.get(index).expression);
        parsed.map_err(|diagnostic| self.mistakes.push(diagnostic)).ok()
    }

    /// Visits the symbol of each name that a definition mentions, resolved in its own namespace.
    pub(in crate::rules) fn visit_symbols(&mut self, index: usize, expr: &Expr, visit: &mut impl FnMut(&Symbol)) {
        let space = self.spaces.enter(self.definitions.name(index).span);
        mentioned_names(expr, &mut |name| self.find_symbol(name).into_iter().for_each(&mut *visit));
        self.spaces.leave(space);
    }

    /// Checks the last open definition. Those it names are done, or open because they need this one.
    fn finish(&mut self) {
        let Some((index, expr)) = self.definitions.take_last_open() else { return };
        let node = expr.and_then(|expr| {
            let definition = self.definitions.get(index);
            let (target, span) = (definition.section.grain(), definition.name.span);
            let space = self.spaces.enter(span);
            let (typed, references) = self.collecting_references(|checker| {
                if target == Grain::Group(Group::Stream) {
                    checker.parameters.note_streams(&mut checker.uses);
                }
                checker.expr(&expr, ExpressionContext { target, ..ExpressionContext::STATEMENT })
            });
            self.definitions.keep_references(index, references);
            self.spaces.leave(space);
            // A value has one row per item of its section's grain, even if all are equal. So COUNT of a [month] value
            // counts months.
            let node = self.nodes.at_least(typed.ok()?, target);
            let node = self.with_corrections(index, node).ok()?;
            self.within_reason(index, node).ok()
        });
        self.definitions.close(index, node);
    }

    /// The value of a flag of kinds: what a correction says, or else the definition's own.
    fn with_corrections(&mut self, index: usize, node: NodeId) -> Checked<NodeId> {
        let Some(flag) = self.kinds.flag(index) else { return Ok(node) };
        if self.nodes.node(node).ty != Type::BOOLEAN {
            let name = self.definitions.name(index);
            let message = format!("`{}` is a flag of [kind], but no condition", name.text);
            let help = "a kind says which conditions hold: name one, or write this as a condition";
            return self.mistakes.report(Diagnostic::error("kind", name.span, message).help(help));
        }
        if !self.kinds.are_corrected() {
            return Ok(node);
        }
        let corrected = self.nodes.add(Op::Corrected(flag), Vec::new(), Type::BOOLEAN, Grain::Transaction);
        Ok(self.nodes.add(Op::Coalesce, vec![corrected, node], Type::BOOLEAN, Grain::Transaction))
    }

    fn within_reason(&mut self, index: usize, node: NodeId) -> Checked<NodeId> {
        if self.nodes.node(node).spreads.len() <= SPREADS_MAX {
            return Ok(node);
        }
        let Definition { section, name, .. } = self.definitions.get(index);
        let message = format!("`{}` depends on more than {SPREADS_MAX} values of the statement", name.text);
        let help = format!("use fewer of them in a value per {}", section.grain().word());
        self.mistakes.report(Diagnostic::error("too-deep", name.span, message).help(help))
    }

    fn cycle<T>(&mut self, index: usize, place: usize) -> Checked<T> {
        let name = self.definitions.name(index).clone();
        // Reports it once.
        self.definitions.give_up(index);
        let chain = self.definitions.chain(place);
        let help = match chain.len() {
            1 => "a definition cannot use its own value".to_string(),
            _ => format!("each needs the next: {}, `{}`", chain.join(", "), name.text),
        };
        let message = format!("`{}` depends on itself", name.text);
        self.mistakes.report(Diagnostic::error("cycle", name.span, message).help(help))
    }
}
