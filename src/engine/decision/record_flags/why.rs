//! Why a record has a flag: walks the flag's compiled expression and collects the leaves that decided. Has no rules of
//! its own, so the answer changes with the policy.

use std::collections::{HashMap, HashSet};

use super::row::{DEPTH_MAX, FlaggedRow};
use crate::rules::Binary;
use crate::rules::graph::{Grain, NodeId, Op, TransactionColumn};
use crate::rules::program::Value;

/// The most absences that are listed for one definition; beyond this its name says it.
const ABSENCES_MAX: usize = 4;

/// How often the only definition that fails is looked into.
const OPENED_MAX: usize = 8;

/// How much a clause says, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// A word of a list, a stream, what other records of the counterparty say.
    Evidence,
    /// Another condition that holds.
    Fact,
    /// What is not there.
    Absence,
    /// That money came in, or went out.
    Side,
}

/// One thing that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    pub rank: Rank,
    /// A leaf, or the node of a definition.
    pub node: NodeId,
    /// Whether the definition of the node speaks for it, and not its operation.
    pub by_name: bool,
    /// The definition that holds because of this, and so excludes the flag.
    pub excludes: Option<NodeId>,
}

type Clauses = smallvec::SmallVec<[Clause; 4]>;

/// The clauses that decided a boolean node at a row, the most telling first. Empty if it is unknown.
pub(super) fn find_deciding_clauses(row: &FlaggedRow, root: NodeId) -> Vec<Clause> {
    let mut clauses = found(row, root);
    for _ in 0..OPENED_MAX {
        // A flag that fails by one definition alone fails by what is in that.
        let [Clause { rank: Rank::Absence, node, by_name: true, .. }] = clauses.as_slice() else { break };
        let is_of_record = row.policy.program.graph.node(*node).grain == Grain::Transaction;
        let opened = if is_of_record && row.truth(root) == Some(false) { found(row, *node) } else { Vec::new() };
        if opened.is_empty() || opened.contains(&clauses[0]) {
            break;
        }
        clauses = opened;
    }
    clauses
}

fn found(row: &FlaggedRow, root: NodeId) -> Vec<Clause> {
    let mut search = ClauseSearch { row, root, seen: HashMap::new() };
    let mut clauses: Vec<Clause> = Vec::new();
    for clause in search.clauses(root, 0) {
        if !clauses.contains(&clause) {
            clauses.push(clause);
        }
    }
    // Stable: equals stay in the order of the expression.
    clauses.sort_by_key(|clause| clause.rank);
    clauses
}

/// The leaves that leave a node unknown.
pub(super) fn why_unknown(row: &FlaggedRow, root: NodeId) -> Vec<NodeId> {
    let (mut leaves, mut seen, mut next) = (Vec::new(), Vec::new(), vec![root]);
    let graph = &row.policy.program.graph;
    while let Some(node) = next.pop() {
        if seen.contains(&node) {
            continue;
        }
        seen.push(node);
        let inputs = &graph.node(node).inputs;
        let unknown: Vec<NodeId> = inputs.iter().rev().copied().filter(|input| row.value(*input).is_err()).collect();
        let is_own = graph.node(node).grain < Grain::Transaction || unknown.is_empty();
        match is_own {
            true if leaves.contains(&node) => {}
            true => leaves.push(node),
            false => next.extend(unknown),
        }
    }
    leaves
}

struct ClauseSearch<'s, 'r> {
    row: &'s FlaggedRow<'r>,
    root: NodeId,
    /// What was found for a node: a shared one is walked once.
    seen: HashMap<NodeId, Clauses>,
}

impl ClauseSearch<'_, '_> {
    fn clauses(&mut self, node: NodeId, depth: usize) -> Clauses {
        if let Some(known) = self.seen.get(&node) {
            return known.clone();
        }
        let Some(truth) = self.row.truth(node).filter(|_| depth < DEPTH_MAX) else { return Clauses::new() };
        let mut found = self.within(node, truth, depth);
        if node != self.root && self.row.names.contains_key(&node) {
            found = self.of_definition(node, truth, found);
        }
        self.seen.insert(node, found.clone());
        found
    }

    /// A definition speaks for itself where its parts say little.
    fn of_definition(&self, node: NodeId, truth: bool, found: Clauses) -> Clauses {
        let is_of_group = matches!(self.row.policy.program.graph.node(node).grain, Grain::Group(_));
        let best = found.iter().map(|clause| clause.rank).min();
        let own = |rank| Clauses::from_slice(&[Clause { rank, node, by_name: true, excludes: None }]);
        match (truth, best) {
            (true, _) if is_of_group => own(Rank::Evidence),
            (false, _) if is_of_group => own(Rank::Absence),
            (_, Some(Rank::Evidence | Rank::Side)) => found,
            (true, Some(Rank::Fact)) if !self.row.has_doc(node) => found,
            (true, _) => own(Rank::Fact),
            (false, _) if found.len() <= ABSENCES_MAX => found,
            (false, _) => own(Rank::Absence),
        }
    }

    fn within(&mut self, node: NodeId, truth: bool, depth: usize) -> Clauses {
        let at = self.row.policy.program.graph.node(node);
        match &at.op {
            Op::And | Op::Or => {
                let operands = self.operands(node);
                match truth == (at.op == Op::And) {
                    true => self.all(&operands, depth),
                    false => self.deciding(&operands, truth, depth),
                }
            }
            Op::AtLeast(_) => {
                let same = |input: &NodeId| self.row.truth(*input) == Some(truth);
                let same: Vec<NodeId> = at.inputs.iter().copied().filter(same).collect();
                self.all(&same, depth)
            }
            Op::Not => self.negated(at.inputs[0], truth, depth),
            Op::IsBoolean(_) => match self.row.truth(at.inputs[0]) {
                Some(_) => self.clauses(at.inputs[0], depth + 1),
                None => self.leaf(at.inputs[0], Rank::Absence),
            },
            Op::Coalesce => {
                let known = at.inputs.iter().copied().find(|input| self.row.truth(*input).is_some());
                let first = at.inputs[0];
                match known {
                    Some(known) if known == first => self.clauses(first, depth + 1),
                    // Most records have no correction, which says nothing.
                    Some(known) if matches!(self.row.policy.program.graph.node(first).op, Op::Corrected(_)) => {
                        self.clauses(known, depth + 1)
                    }
                    known => {
                        let mut found = self.leaf(first, Rank::Absence);
                        found.extend(known.into_iter().flat_map(|known| self.clauses(known, depth + 1)));
                        found
                    }
                }
            }
            Op::Choose => self.chosen(&at.inputs, depth),
            Op::Spread | Op::ToRational | Op::ToFloat => self.clauses(at.inputs[0], depth + 1),
            Op::Boolean(_) => Clauses::new(),
            Op::Corrected(_) => self.leaf(node, Rank::Evidence),
            Op::Mentions(_) | Op::Named(_) | Op::InList(_) => {
                self.leaf(node, if truth { Rank::Evidence } else { Rank::Absence })
            }
            Op::Compare(_) if self.is_side(node) => self.leaf(node, Rank::Side),
            Op::Compare(_) if truth && self.uses_group(node) => self.leaf(node, Rank::Evidence),
            _ => self.leaf(node, if truth { Rank::Fact } else { Rank::Absence }),
        }
    }

    fn leaf(&self, node: NodeId, rank: Rank) -> Clauses {
        Clauses::from_slice(&[Clause { rank, node, by_name: false, excludes: None }])
    }

    /// The operands of nested ANDs, or ORs, up to the definitions among them.
    fn operands(&self, node: NodeId) -> Vec<NodeId> {
        let graph = &self.row.policy.program.graph;
        let op = &graph.node(node).op;
        let (mut operands, mut open) = (Vec::new(), vec![node]);
        while let Some(next) = open.pop() {
            let is_part = next == node || graph.node(next).op == *op && !self.row.names.contains_key(&next);
            match is_part {
                true => open.extend(graph.node(next).inputs.iter().rev()),
                false => operands.push(next),
            }
        }
        operands
    }

    /// What all of them say.
    fn all(&mut self, nodes: &[NodeId], depth: usize) -> Clauses {
        nodes.iter().flat_map(|node| self.clauses(*node, depth + 1)).collect()
    }

    /// What the operands say that decided alone: all the evidence for a truth, else the best one.
    fn deciding(&mut self, operands: &[NodeId], truth: bool, depth: usize) -> Clauses {
        let mut best: Option<(u8, Clauses)> = None;
        let mut evidence = Clauses::new();
        for operand in operands {
            if self.row.truth(*operand) != Some(truth) {
                continue;
            }
            let found = self.clauses(*operand, depth + 1);
            let rank = found.iter().map(|clause| clause.rank).min();
            if truth {
                evidence.extend(found.iter().copied().filter(|clause| clause.rank == Rank::Evidence));
            }
            let order = match rank {
                Some(Rank::Evidence) => 0,
                Some(Rank::Side) => 1,
                // The first of the expression.
                Some(Rank::Fact | Rank::Absence) => 2,
                None => 3,
            };
            if best.as_ref().is_none_or(|(before, _)| order < *before) {
                best = Some((order, found));
            }
        }
        if evidence.is_empty() { best.map(|(_, found)| found).unwrap_or_default() } else { evidence }
    }

    /// What is under a NOT tells against. Where it does not hold, that is only an exclusion that does not apply.
    fn negated(&mut self, input: NodeId, truth: bool, depth: usize) -> Clauses {
        let mut found = self.clauses(input, depth + 1);
        if truth {
            found.iter_mut().for_each(|clause| clause.rank = clause.rank.max(Rank::Absence));
        } else if self.row.names.contains_key(&input) {
            found.iter_mut().for_each(|clause| clause.excludes = clause.excludes.or(Some(input)));
        }
        found
    }

    /// The condition of a CASE that held, and its result.
    fn chosen(&mut self, inputs: &[NodeId], depth: usize) -> Clauses {
        let mut pairs = inputs.chunks_exact(2);
        for pair in pairs.by_ref() {
            if self.row.truth(pair[0]) == Some(true) {
                return self.all(pair, depth);
            }
        }
        self.all(pairs.remainder(), depth)
    }

    /// Whether a node compares an amount with 0: that money came in or went out.
    fn is_side(&self, node: NodeId) -> bool {
        let graph = &self.row.policy.program.graph;
        let at = graph.node(node);
        let [left, right] = at.inputs.as_slice() else { return false };
        let is_amount = matches!(
            graph.node(graph.carried(*left)).op,
            Op::Column(TransactionColumn::Credit | TransactionColumn::Debit)
        );
        let is_greater = at.op == Op::Compare(Binary::Greater);
        is_greater && is_amount && self.row.value(*right).is_ok_and(|value| value == Value::Int(0))
    }

    /// Whether a node uses a value of a stream, a counterparty or another group.
    fn uses_group(&self, node: NodeId) -> bool {
        let graph = &self.row.policy.program.graph;
        let (mut open, mut seen) = (vec![node], HashSet::new());
        while let Some(next) = open.pop() {
            let at = graph.node(next);
            if matches!(at.grain, Grain::Group(_)) {
                return true;
            }
            if seen.insert(next) {
                open.extend(&at.inputs);
            }
        }
        false
    }
}
