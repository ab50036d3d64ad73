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
    pub all: Vec<(Definition, State)>,
    /// Each one is needed by the one before.
    pub open: Vec<Open>,
    /// The references of each definition.
    pub references: HashMap<usize, References>,
    /// Expressions parsed before they are checked; `None` if parsing failed.
    pub parsed: HashMap<usize, Option<Expr>>,
}

#[derive(Clone, Copy)]
pub(in crate::rules) enum State {
    Waiting,
    /// Its index among the open ones.
    Open(usize),
    Done(Option<NodeId>),
}

/// A parsed definition that waits for those it names.
pub(in crate::rules) struct Open {
    pub index: usize,
    /// `None` if it could not be parsed.
    pub expr: Option<Expr>,
    /// Definitions still to be examined, in reverse order of their names.
    pub needs: Vec<usize>,
}

impl Definitions {
    /// The node of a definition that was checked without a mistake.
    pub(in crate::rules) fn node(&self, index: usize) -> Option<NodeId> {
        if let State::Done(node) = self.all[index].1 { node } else { None }
    }

    /// The grain that a definition is written for.
    pub(in crate::rules) fn grain(&self, index: usize) -> Grain {
        self.all[index].0.section.grain()
    }

    /// Keeps a parsed expression until it is checked.
    pub(in crate::rules) fn keep(&mut self, index: usize, parsed: Option<Expr>) {
        self.parsed.insert(index, parsed);
    }

    pub(in crate::rules) fn name(&self, index: usize) -> &Name {
        &self.all[index].0.name
    }

    /// The names from one open definition to the last.
    pub(in crate::rules) fn chain(&self, from: usize) -> Vec<String> {
        let open = &self.open[from..];
        shortened(open.len(), |at| format!("`{}`", self.name(open[at].index).text))
    }
}

/// The names of a chain, without the middle of a long one.
pub(in crate::rules) fn shortened(count: usize, named: impl Fn(usize) -> String) -> Vec<String> {
    if count <= 7 {
        return (0..count).map(named).collect();
    }
    let (first, last) = ((0..4).map(&named), (count - 2..count).map(&named));
    first.chain(["...".to_owned()]).chain(last).collect()
}
