//! Why each value of a statement may be unknown, computed once from the leaves up. Sound: the evaluator gives no reason
//! that is missing here. Ignores overflow, which may affect any number.

use std::collections::HashMap;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::assumptions::Assumed;
use crate::engine::metrics::Reason;
use crate::rules::Binary;
use crate::rules::graph::{Aggregate, Approximate, BENFORD_VALUES_MIN, Fact, Grain, Node, NodeId, Op};
use crate::rules::program::{Collected, HitPolicy, Program};

/// A branch that depends on more values than this is not analysed again under its condition.
const BRANCH_MAX: usize = 500;

/// The reasons of all nodes, each in the order in which an expression would meet them.
pub(crate) struct Reasons<'p> {
    program: &'p Program,
    eval: AbstractEval,
    all: Vec<Vec<Reason>>,
}

/// Looks up the reasons of a node's inputs.
type ReasonLookup<'f> = &'f dyn Fn(NodeId) -> &'f [Reason];

impl<'p> Reasons<'p> {
    /// Analyses the whole graph.
    pub(crate) fn new(program: &'p Program) -> Self {
        let eval = AbstractEval::new(program, None);
        let mut reasons = Reasons { program, eval, all: Vec::new() };
        for (index, node) in program.graph.nodes().iter().enumerate() {
            let mut found = match &node.op {
                Op::Choose if node.grain <= Grain::Statement => reasons.branches(node),
                _ => reasons.node(node, &|input| reasons.at(input), &Assumed::default()),
            };
            if !reasons.eval.at(NodeId(index as u32)).unknown {
                found.clear();
            }
            reasons.all.push(found);
        }
        reasons
    }

    /// Why a value of a statement may be unknown. Empty for finer values, which have no reasons of their own.
    pub(crate) fn at(&self, node: NodeId) -> &[Reason] {
        &self.all[node.index()]
    }

    fn node<'f>(&self, node: &Node, found: ReasonLookup<'f>, assumed: &Assumed) -> Vec<Reason> {
        if node.grain > Grain::Statement {
            return Vec::new();
        }
        let mut all = List::default();
        let inputs = |all: &mut List| node.inputs.iter().for_each(|input| all.extend(found(*input)));
        match &node.op {
            Op::IsNull | Op::IsBoolean(_) | Op::Int(_) | Op::Rational(_) | Op::Boolean(_) | Op::Text(_) => {}
            Op::Column(_) | Op::GroupColumn(_) | Op::Mentions(_) | Op::Mentioned(_) | Op::Named(_) | Op::Why => {}
            Op::Corrected(_) | Op::Neighbour(_) | Op::Rank | Op::SumNear { .. } | Op::Mirrored => {}
            Op::Fact(Fact::AsOf) => all.push(Reason::NeedsAsOf),
            Op::Fact(Fact::WindowEnd | Fact::PeriodStart | Fact::PeriodEnd) => all.push(Reason::NoRecords),
            Op::Fact(_) => {}
            Op::Input(index) => all.push(Reason::MissingInput(*index as u16)),
            Op::Dated(index) => {
                inputs(&mut all);
                let first = self.program.parameters[*index].values.first();
                all.push_if(first.is_none_or(|first| first.from.is_some()), Reason::NotYet(*index as u16));
            }
            Op::Coalesce => {
                // If none is known, the reason is that of the first.
                if !node.inputs.iter().any(|input| found(*input).is_empty()) {
                    all.extend(found(node.inputs[0]));
                }
            }
            Op::Choose => {
                let results = node.inputs.chunks_exact(2).map(|arm| arm[1]);
                let otherwise = node.inputs.chunks_exact(2).remainder().first();
                results.chain(otherwise.copied()).for_each(|result| all.extend(found(result)));
                all.push_if(otherwise.is_none(), Reason::NoValue);
            }
            Op::Arithmetic(op) => {
                inputs(&mut all);
                let divides = matches!(op, Binary::Divide | Binary::Remainder);
                all.push_if(divides && self.may_be_zero(node.inputs[1], assumed), Reason::ZeroDenominator);
            }
            Op::Round(_) => {
                inputs(&mut all);
                let step = self.eval.at(node.inputs[1]).interval();
                all.push_if(step.is_none_or(|step| step.low <= 0.0), Reason::ZeroDenominator);
            }
            Op::Aggregate { function, .. } => self.aggregate(node, *function, (found, assumed), &mut all),
            Op::NeedsMonths(months) => {
                all.extend(found(node.inputs[0]));
                all.push(Reason::NeedsMonths(*months));
                all.extend(found(node.inputs[1]));
            }
            Op::Entry(..) => all.push(Reason::NoValue),
            Op::Unknown | Op::Substring | Op::ToNumber | Op::Approximate(_) => {
                inputs(&mut all);
                all.push_if(self.may_be_refused(node), Reason::NoValue);
            }
            Op::PrincipalFor(_) => {
                inputs(&mut all);
                all.push(Reason::NoPrice);
            }
            Op::Points(_) | Op::Hit(_) | Op::Output(..) => self.judged(node, found, &mut all),
            // Unknown only if an input is.
            Op::Spread | Op::ToRational | Op::ToFloat | Op::Negate | Op::Abs => inputs(&mut all),
            Op::Not | Op::AtLeast(_) | Op::Compare(_) => inputs(&mut all),
            Op::And | Op::Or | Op::Least | Op::Greatest | Op::Like(..) | Op::Length => inputs(&mut all),
            Op::Letters(_) | Op::HasText(_) | Op::Replace | Op::Elapsed(_) => inputs(&mut all),
            Op::InList(_) | Op::ListLength | Op::ListContains | Op::ListOf | Op::Concat | Op::ToText(_) => {
                inputs(&mut all)
            }
            Op::Power | Op::DatePart(_) | Op::Local(_) | Op::AddMonths | Op::Score => inputs(&mut all),
        }
        all.0
    }

    /// Whether a function may get a value that it has no result for.
    fn may_be_refused(&self, node: &Node) -> bool {
        let low = |input: usize| self.eval.at(node.inputs[input]).interval().map_or(f64::NEG_INFINITY, |it| it.low);
        match node.op {
            Op::Substring => low(1) < 1.0 || (node.inputs.len() > 2 && low(2) < 0.0),
            Op::Approximate(Approximate::Exp) => false,
            Op::Approximate(Approximate::Ln) => low(0) <= 0.0,
            Op::Approximate(Approximate::Sqrt) => low(0) < 0.0,
            _ => true,
        }
    }

    fn may_be_zero(&self, node: NodeId, assumed: &Assumed) -> bool {
        let zero = self.eval.at(node).interval().is_none_or(|under| under.contains(0.0));
        zero && !assumed.is_not_zero(&self.program.graph, node)
    }

    fn aggregate(&self, node: &Node, function: Aggregate, (found, assumed): (ReasonLookup, &Assumed), all: &mut List) {
        let graph = &self.program.graph;
        let sources = || node.inputs.iter().map(|input| graph.node(*input));
        if let Grain::Entry(input) = graph.finest(&node.inputs) {
            all.push(Reason::MissingInput(input as u16));
        }
        all.push_if(!assumed.debit && sources().any(|source| source.needs.debit), Reason::NeedsDebit);
        all.push_if(!assumed.balance && sources().any(|source| source.needs.balance), Reason::NeedsBalance);
        let asks = |source: &Node| source.needs.narration && !assumed.narration || source.needs.names && !assumed.names;
        all.push_if(sources().any(asks), Reason::NeedsNarration);
        // The statement's values that it uses must be known.
        let of_statement = node.inputs.iter().filter(|input| graph.node(**input).grain <= Grain::Statement);
        of_statement.chain(sources().flat_map(|source| &source.spreads)).for_each(|asked| all.extend(found(*asked)));
        match function {
            Aggregate::Count | Aggregate::CountDistinct | Aggregate::Sum => {}
            Aggregate::Avg | Aggregate::Min | Aggregate::Max | Aggregate::Quantile(..) => all.push(Reason::NoRecords),
            Aggregate::First | Aggregate::Last => all.push(Reason::NoRecords),
            Aggregate::ArgMax | Aggregate::ArgMin | Aggregate::Mode => all.push(Reason::NoRecords),
            Aggregate::Benford => all.push(Reason::NeedsValues(BENFORD_VALUES_MIN)),
            Aggregate::StdDev | Aggregate::MaxGap | Aggregate::AvgGap => {
                all.extend(&[Reason::NoRecords, Reason::NeedsValues(2)]);
            }
            Aggregate::RegrSlope => {
                all.extend(&[Reason::NoRecords, Reason::NeedsValues(2), Reason::ZeroDenominator]);
            }
        }
    }

    /// The reasons of score items and tables.
    fn judged(&self, node: &Node, found: ReasonLookup, all: &mut List) {
        let inputs = |all: &mut List| node.inputs.iter().for_each(|input| all.extend(found(*input)));
        match node.op {
            Op::Points(index) => {
                // A bin for unknowns gives them points.
                let bins = &self.program.score_items[index].bins;
                if !bins.iter().any(|bin| bin.test.expects_unknown()) {
                    inputs(all);
                }
                all.push(Reason::NoBin(index as u16));
            }
            Op::Hit(index) => {
                let table = &self.program.tables[index];
                for (input, expected) in node.inputs.iter().zip(&table.expected) {
                    // If a cell of the column mentions unknowns, an unknown input is not a reason.
                    if !expected {
                        all.extend(found(*input));
                    }
                }
                all.push_if(
                    matches!(table.hit_policy, HitPolicy::Unique | HitPolicy::Any),
                    Reason::ManyRows(index as u16),
                );
                all.push_if(table.otherwise.is_none() && !table.hit_policy.is_many(), Reason::NoRow(index as u16));
            }
            Op::Output(index, _) => {
                inputs(all);
                let policy = self.program.tables[index].hit_policy;
                let of_none = matches!(policy, HitPolicy::Collect(Collected::Min | Collected::Max));
                all.push_if(of_none, Reason::NoValue);
            }
            _ => {}
        }
    }

    /// The reasons of `CASE`: each result, assuming that its condition holds and those before do not.
    fn branches(&self, node: &Node) -> Vec<Reason> {
        let graph = &self.program.graph;
        let (mut all, mut before) = (List::default(), Assumed::default());
        let arms = node.inputs.chunks_exact(2);
        let otherwise = arms.remainder().first();
        for arm in arms {
            let condition = self.eval.at(arm[0]);
            let (yes, no) = condition.may_be();
            if yes {
                let mut assumed = before.clone();
                assumed.add(graph, &self.eval, arm[0], true);
                all.extend(&self.under(arm[1], &assumed));
            }
            if !no && !condition.unknown {
                return all.0;
            }
            if !condition.unknown {
                before.add(graph, &self.eval, arm[0], false);
            }
        }
        match otherwise {
            Some(otherwise) => all.extend(&self.under(*otherwise, &before)),
            None => all.push(Reason::NoValue),
        }
        all.0
    }

    /// A value's reasons under assumptions.
    fn under(&self, node: NodeId, assumed: &Assumed) -> Vec<Reason> {
        let graph = &self.program.graph;
        let mut below: Vec<NodeId> = Vec::new();
        let mut updated: HashMap<NodeId, Vec<Reason>> = HashMap::new();
        let mut open = if assumed.is_empty() { Vec::new() } else { vec![node] };
        while let Some(id) = open.pop() {
            if assumed.is_known(graph, id) {
                updated.insert(id, Vec::new());
            } else if !self.at(id).is_empty() && !updated.contains_key(&id) {
                updated.insert(id, self.at(id).to_vec());
                below.push(id);
                let found = graph.node(id);
                let of_records = found.inputs.iter().flat_map(|input| &graph.node(*input).spreads);
                open.extend(
                    found.inputs.iter().chain(of_records).filter(|id| graph.node(**id).grain <= Grain::Statement),
                );
            }
            if below.len() > BRANCH_MAX {
                return self.at(node).to_vec();
            }
        }
        below.sort_unstable();
        for id in below {
            let found = |input: NodeId| updated.get(&input).map_or(self.at(input), Vec::as_slice);
            let mut found = self.node(graph.node(id), &found, assumed);
            found.retain(|reason| self.at(id).contains(reason));
            updated.insert(id, found);
        }
        updated.remove(&node).unwrap_or_else(|| self.at(node).to_vec())
    }
}

/// A list without duplicates.
#[derive(Default)]
struct List(Vec<Reason>);

impl List {
    fn push(&mut self, reason: Reason) {
        if !self.0.contains(&reason) {
            self.0.push(reason);
        }
    }

    fn push_if(&mut self, is_so: bool, reason: Reason) {
        if is_so {
            self.push(reason);
        }
    }

    fn extend(&mut self, reasons: &[Reason]) {
        reasons.iter().for_each(|reason| self.push(*reason));
    }
}
