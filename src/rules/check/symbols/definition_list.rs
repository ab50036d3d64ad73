//! The definitions of a policy and the state of checking each. Checks none of them.

use std::collections::HashMap;

use crate::rules::graph::{Grain, NodeId};
use crate::rules::references::References;
use crate::rules::syntax::ast::Expr;
use crate::rules::syntax::file::Definition;
use crate::rules::syntax::source::Name;

/// All definitions, and those that are being checked.
#[derive(Default)]
pub(in crate::rules) struct Definitions {
    all: Vec<(Definition, DefinitionState)>,
    /// Each one is needed by the one before.
    open: Vec<OpenDefinition>,
    /// The references of each definition.
    references: HashMap<usize, References>,
    /// Expressions parsed before they are checked; `None` if parsing failed.
    parsed: HashMap<usize, Option<Expr>>,
}

#[derive(Clone, Copy)]
pub(in crate::rules) enum DefinitionState {
    Waiting,
    /// Its index among the open ones.
    Open(usize),
    Done(Option<NodeId>),
}

/// A parsed definition that waits for those it names.
struct OpenDefinition {
    index: usize,
    /// `None` if it could not be parsed.
    expr: Option<Expr>,
    /// Definitions still to be examined, in reverse order of their names.
    needs: Vec<usize>,
}

impl Definitions {
    /// Adds a definition, and returns its index.
    pub(in crate::rules) fn add(&mut self, definition: &Definition) -> usize {
        self.all.push((definition.clone(), DefinitionState::Waiting));
        self.all.len() - 1
    }

    pub(in crate::rules) fn count(&self) -> usize {
        self.all.len()
    }

    pub(in crate::rules) fn get(&self, index: usize) -> &Definition {
        &self.all[index].0
    }

    pub(in crate::rules) fn state(&self, index: usize) -> DefinitionState {
        self.all[index].1
    }

    /// The node of a definition that was checked without a mistake.
    pub(in crate::rules) fn node(&self, index: usize) -> Option<NodeId> {
        if let DefinitionState::Done(node) = self.all[index].1 { node } else { None }
    }

    /// The grain that a definition is written for.
    pub(in crate::rules) fn grain(&self, index: usize) -> Grain {
        self.all[index].0.section.grain()
    }

    pub(in crate::rules) fn name(&self, index: usize) -> &Name {
        &self.all[index].0.name
    }

    /// Keeps a parsed expression until it is checked.
    pub(in crate::rules) fn keep_parsed(&mut self, index: usize, parsed: Option<Expr>) {
        self.parsed.insert(index, parsed);
    }

    /// The expression that was parsed and kept; `Some(None)` if parsing failed.
    pub(in crate::rules) fn take_parsed(&mut self, index: usize) -> Option<Option<Expr>> {
        self.parsed.remove(&index)
    }

    pub(in crate::rules) fn keep_references(&mut self, index: usize, references: References) {
        self.references.insert(index, references);
    }

    pub(in crate::rules) fn take_references(&mut self, index: usize) -> References {
        self.references.remove(&index).unwrap_or_default()
    }

    /// Opens a definition. `needs` are those it names, in reverse order.
    pub(in crate::rules) fn open(&mut self, index: usize, expr: Option<Expr>, needs: Vec<usize>) {
        self.all[index].1 = DefinitionState::Open(self.open.len());
        self.open.push(OpenDefinition { index, expr, needs });
    }

    pub(in crate::rules) fn count_open(&self) -> usize {
        self.open.len()
    }

    /// The next definition that the last open one needs.
    pub(in crate::rules) fn next_need(&mut self) -> Option<usize> {
        self.open.last_mut().and_then(|open| open.needs.pop())
    }

    /// The index of the last open definition, and its expression, which is taken.
    pub(in crate::rules) fn take_last_open(&mut self) -> Option<(usize, Option<Expr>)> {
        self.open.last_mut().map(|open| (open.index, open.expr.take()))
    }

    /// Closes the last open definition.
    pub(in crate::rules) fn close(&mut self, index: usize, node: Option<NodeId>) {
        self.open.pop();
        self.all[index].1 = DefinitionState::Done(node);
    }

    /// Gives an open definition up, because it depends on itself.
    pub(in crate::rules) fn give_up(&mut self, index: usize) {
        self.all[index].1 = DefinitionState::Done(None);
    }

    /// The names from one open definition to the last.
    pub(in crate::rules) fn chain(&self, from: usize) -> Vec<String> {
        let open = &self.open[from..];
        shorten_name_chain(open.len(), |at| format!("`{}`", self.name(open[at].index).text))
    }
}

/// The names of a chain, without the middle of a long one.
pub(in crate::rules) fn shorten_name_chain(count: usize, named: impl Fn(usize) -> String) -> Vec<String> {
    if count <= 7 {
        return (0..count).map(named).collect();
    }
    let (first, last) = ((0..4).map(&named), (count - 2..count).map(&named));
    first.chain(["...".to_owned()]).chain(last).collect()
}
