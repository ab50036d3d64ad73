//! What the values of a statement are compared with by conditions, rows and bins: a value is told closely enough that it does not look
//! like its bound. Knows no text.

use std::collections::BTreeMap;

use crate::decision::case::Case;
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::program::{Test, Value};
use crate::words::rational::Rational;

/// For each node that is compared with something its nearest bounds below and above it.
#[derive(Default)]
pub(super) struct RoundingBounds(BTreeMap<NodeId, Vec<Rational>>);

impl RoundingBounds {
    pub(super) fn of(case: &Case) -> Self {
        let program = &case.policy.program;
        let graph = &program.graph;
        let mut beside = Self::default();
        let mut partners = Vec::new();
        for (at, (node, live)) in graph.nodes().iter().zip(&program.schedule.live).enumerate() {
            if !*live || node.grain > Grain::Statement {
                continue;
            }
            match (&node.op, node.inputs.as_slice()) {
                (Op::Compare(_), [left, right]) => partners.push((graph.carried(*left), graph.carried(*right))),
                (Op::Least | Op::Greatest, [first, others @ ..]) => {
                    partners.extend(others.iter().map(|other| (graph.carried(*first), graph.carried(*other))));
                }
                // What is rounded must not look like what it was rounded from, or past.
                (Op::Round(_), [value, step]) => {
                    let rounded = number(case, NodeId(at as u32));
                    let step = number(case, *step).unwrap_or_default();
                    let ends =
                        rounded.map(|rounded| [rounded.minus(&step), Some(rounded.clone()), rounded.plus(&step)]);
                    beside.note(case, graph.carried(*value), ends.into_iter().flatten().flatten());
                }
                _ => {}
            }
        }
        for (left, right) in &partners {
            beside.note(case, *left, number(case, *right));
            beside.note(case, *right, number(case, *left));
        }
        for table in &program.tables {
            for (at, (_, node)) in table.inputs.iter().enumerate() {
                let ends = table.rows.iter().filter_map(|row| row.tests.get(at)).flat_map(Test::ends);
                beside.note(case, graph.carried(*node), ends);
            }
        }
        for item in &program.score_items {
            beside.note(case, graph.carried(item.on), item.bins.iter().flat_map(|bin| bin.test.ends()));
        }
        // Equal ones are told alike.
        for (left, right) in partners.into_iter().filter(|(left, right)| number(case, *left) == number(case, *right)) {
            let both: Vec<Rational> = [left, right].iter().flat_map(|node| beside.neighbours(*node).to_vec()).collect();
            beside.note(case, left, both.iter().cloned());
            beside.note(case, right, both);
        }
        beside
    }

    pub(super) fn neighbours(&self, node: NodeId) -> &[Rational] {
        self.0.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Where the nearest keep their sides in rounding, those further away do.
    fn note(&mut self, case: &Case, node: NodeId, bounds: impl IntoIterator<Item = Rational>) {
        // Whole numbers are told to their last digit.
        let Ok(value @ (Value::Rational(_) | Value::Float(_))) = case.value(node) else { return };
        let Some(value) = value.rational() else { return };
        let known = self.0.entry(node).or_default();
        known.extend(bounds);
        let below = known.iter().filter(|bound| **bound < value).max().cloned();
        let above = known.iter().filter(|bound| **bound > value).min().cloned();
        let equal = known.iter().find(|bound| **bound == value).cloned();
        *known = below.into_iter().chain(equal).chain(above).collect();
    }
}

fn number(case: &Case, node: NodeId) -> Option<Rational> {
    case.value(node).ok()?.rational()
}
