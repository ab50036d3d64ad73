//! The bounds that conditions, rows and bins compare values with. A value is shown with enough decimals that it does
//! not look like its bound. Formats nothing.

use std::collections::BTreeMap;

use crate::base::rational::Rational;
use crate::engine::decision::case::StatementCase;
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::program::{Test, Value};

/// For each compared node its nearest bounds, below and above.
#[derive(Default)]
pub(super) struct RoundingBounds(BTreeMap<NodeId, Vec<Rational>>);

impl RoundingBounds {
    pub(super) fn for_case(case: &StatementCase) -> Self {
        let program = &case.policy.program;
        let graph = &program.graph;
        let mut found = Self::default();
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
                // A value must not look as if it were rounded already, or beyond the result.
                (Op::Round(_), [value, step]) => {
                    let rounded = number(case, NodeId(at as u32));
                    let step = number(case, *step).unwrap_or_default();
                    let ends =
                        rounded.map(|rounded| [rounded.minus(&step), Some(rounded.clone()), rounded.plus(&step)]);
                    found.note(case, graph.carried(*value), ends.into_iter().flatten().flatten());
                }
                _ => {}
            }
        }
        for (left, right) in &partners {
            found.note(case, *left, number(case, *right));
            found.note(case, *right, number(case, *left));
        }
        for table in &program.tables {
            for (at, (_, node)) in table.inputs.iter().enumerate() {
                let ends = table.rows.iter().filter_map(|row| row.tests.get(at)).flat_map(Test::ends);
                found.note(case, graph.carried(*node), ends);
            }
        }
        for item in &program.score_items {
            found.note(case, graph.carried(item.on), item.bins.iter().flat_map(|bin| bin.test.ends()));
        }
        // Equal values are shown alike.
        for (left, right) in partners.into_iter().filter(|(left, right)| number(case, *left) == number(case, *right)) {
            let both: Vec<Rational> = [left, right].iter().flat_map(|node| found.bounds_of(*node).to_vec()).collect();
            found.note(case, left, both.iter().cloned());
            found.note(case, right, both);
        }
        found
    }

    pub(super) fn bounds_of(&self, node: NodeId) -> &[Rational] {
        self.0.get(&node).map_or(&[], Vec::as_slice)
    }

    /// If the nearest bounds keep their sides in rounding, further ones do.
    fn note(&mut self, case: &StatementCase, node: NodeId, bounds: impl IntoIterator<Item = Rational>) {
        // Integers are shown in full.
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

fn number(case: &StatementCase, node: NodeId) -> Option<Rational> {
    case.value(node).ok()?.rational()
}
