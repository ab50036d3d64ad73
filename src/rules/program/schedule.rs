//! The order of evaluation of a graph: which nodes must be computed, which patterns are matched together, and after
//! which node each value can be dropped.

use std::sync::Arc;

use crate::base::text_search::like::{Pattern, Patterns};
use crate::base::text_search::number_masking::pattern_is_number_sensitive;
use crate::rules::graph::{Grain, Graph, Group, Node, NodeId, Op};

/// The order of evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schedule {
    /// Whether a node is needed at all.
    pub live: Vec<bool>,
    /// The needed nodes in order, each after those it needs.
    pub order: Vec<NodeId>,
    /// How many of them come first because they need no names. One thread can evaluate them while another finds names.
    pub nameless: usize,
    /// How many come first because they need no streams. One thread can evaluate them while another finds streams.
    pub streamless: usize,
    /// For each node, the finer values that are not needed after it.
    pub release: Vec<Vec<NodeId>>,
    /// The nodes that are patterns of one text joined by OR, which are matched together.
    pub any_like: Vec<Option<AnyLike>>,
    /// Whether narrations are used so much that finding similar ones first pays off.
    pub finds_alike: bool,
}

/// Fewest nodes with patterns on narrations for which finding similar narrations pays off. All word lists together are
/// one search, which takes as long as two patterns. A name takes longer than all of them.
const ASKED: usize = 4;
const LISTS: usize = 2;

/// Alternative patterns for a text; usually one.
#[derive(Clone, Debug)]
pub(crate) struct AnyLike {
    pub text: NodeId,
    pub patterns: Arc<Patterns>,
    /// Whether only one of two texts that differ in their numbers may match.
    pub number_sensitive: bool,
}

impl Schedule {
    /// The schedule of everything that `roots` need, each node by itself.
    pub(crate) fn new(graph: &Graph, roots: impl IntoIterator<Item = NodeId>) -> Self {
        Self::from_roots(graph, roots, |_| None)
    }

    /// As [`Schedule::new`], but with compiled patterns that are matched together, without the values in between.
    pub(crate) fn quick(graph: &Graph, roots: impl IntoIterator<Item = NodeId>) -> Self {
        Self::from_roots(graph, roots, |node| any_like(graph, node))
    }

    fn from_roots(
        graph: &Graph,
        roots: impl IntoIterator<Item = NodeId>,
        together: impl Fn(NodeId) -> Option<AnyLike>,
    ) -> Self {
        let nodes = graph.nodes();
        let mut live = vec![false; nodes.len()];
        for root in roots {
            live[root.index()] = true;
        }
        // First nodes that need no names, then those that need no streams, then all others.
        let mut turns: [Vec<usize>; 3] = Default::default();
        let mut turn_of = vec![0; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let needed = node.inputs.iter().chain(&node.spreads).map(|input| turn_of[input.index()]);
            turn_of[index] = needed.fold(earliest_turn_of(node), usize::max);
            turns[turn_of[index]].push(index);
        }
        let (mut release, mut any) = (vec![Vec::new(); nodes.len()], vec![None; nodes.len()]);
        let mut kept = vec![false; nodes.len()];
        for index in turns.concat().into_iter().rev() {
            let node = &nodes[index];
            if !live[index] {
                continue;
            }
            any[index] = together(NodeId(index as u32));
            let inputs = any[index].as_ref().map_or(node.inputs.as_slice(), |any| std::slice::from_ref(&any.text));
            for input in inputs.iter().chain(&node.spreads) {
                live[input.index()] = true;
                if !kept[input.index()] && graph.node(*input).grain > Grain::Statement {
                    kept[input.index()] = true;
                    release[index].push(*input);
                }
            }
        }
        turns.iter_mut().for_each(|turn| turn.retain(|index| live[*index]));
        let [nameless, named, _] = turns.each_ref().map(Vec::len);
        let order: Vec<NodeId> = turns.concat().into_iter().map(|index| NodeId(index as u32)).collect();
        let is_asked = |asks: fn(&Node) -> bool| live.iter().zip(nodes).any(|(is_live, node)| *is_live && asks(node));
        let patterns = any.iter().flatten().count() + if is_asked(asks_words) { LISTS } else { 0 };
        let finds_alike = patterns >= ASKED || is_asked(asks_names);
        let streamless = nameless + named;
        Self { live, order, nameless, streamless, release, any_like: any, finds_alike }
    }
}

/// Whether a node searches word lists.
pub(crate) fn asks_words(node: &Node) -> bool {
    matches!(node.op, Op::Mentions(_) | Op::Mentioned(_))
}

/// Whether a node needs counterparties, or groups made from them.
pub(crate) fn asks_names(node: &Node) -> bool {
    let by_name = matches!(node.grain, Grain::Group(group) if group.is_by_name());
    let reads_name = matches!(node.op, Op::Column(column) if column.is_of_counterparty());
    by_name || reads_name || matches!(node.op, Op::Named(_) | Op::Mirrored | Op::Corrected(_))
}

/// The earliest turn of a node by itself: at once (0), after names (1), or after streams (2).
fn earliest_turn_of(node: &Node) -> usize {
    match node.grain {
        Grain::Group(Group::Stream) => 2,
        Grain::Constant
        | Grain::Statement
        | Grain::Transaction
        | Grain::Entry(_)
        | Grain::Apart
        | Grain::Group(Group::Month | Group::Week | Group::Day | Group::Counterparty) => usize::from(asks_names(node)),
    }
}

/// The patterns of a node that consists only of patterns of one text joined by OR.
fn any_like(graph: &Graph, node: NodeId) -> Option<AnyLike> {
    let (mut patterns, mut open) = (Vec::new(), vec![node]);
    let mut text = None;
    while let Some(next) = open.pop() {
        let node = graph.node(next);
        match &node.op {
            Op::Or => open.extend(node.inputs.iter().rev()),
            Op::Like(like) => {
                let of = *node.inputs.first()?;
                if *text.get_or_insert(of) != of {
                    return None;
                }
                patterns.push(like);
            }
            _ => return None,
        }
    }
    let number_sensitive = patterns.iter().any(|like| pattern_is_number_sensitive(&like.pattern));
    let patterns = patterns.into_iter().map(|like| Pattern::new(&like.pattern, like.escape, like.any_case));
    Some(AnyLike { text: text?, patterns: Arc::new(Patterns::new(patterns.collect())), number_sensitive })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::text_search::number_masking::tests::pair;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn numbers_make_no_difference_to_a_pattern_that_heeds_none(
            (one, other) in pair(),
            pattern in "[0-9]?[%_]?[-/ A-Z%]{0,3}[0-9]?%?",
        ) {
            let like = Pattern::new(&pattern, None, true);
            if !pattern_is_number_sensitive(&pattern) {
                prop_assert_eq!(like.matches(&one), like.matches(&other));
                let patterns = Patterns::new(vec![like, Pattern::new("%word%", None, false)]);
                prop_assert_eq!(patterns.any_fits(&one), patterns.any_fits(&other));
            }
        }
    }

    fn compiled(text: &str) -> crate::rules::Policy {
        let mut used = |name: &str| match name.rsplit('/').next() {
            Some("metrics.toml") => Ok(include_str!("../../../rules/metrics.toml").to_owned()),
            Some("words.toml") => Ok(include_str!("../../../rules/words.toml").to_owned()),
            _ => Err(format!("no {name} here")),
        };
        crate::rules::compile("policy.toml", text, &mut used, &[]).expect("a policy")
    }

    #[test]
    fn narrations_that_are_alike_are_looked_for_where_much_is_asked_of_narrations() {
        let head = concat!(
            "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\nstatement_unit = \"major\"\n",
            "time_zone = \"Africa/Lagos\"\n[words]\nfees = [\"vat\"]\n[metric]\n",
        );
        let like = |count: usize| -> String {
            (0..count).map(|n| format!("m{n} = \"COUNT(*) FILTER (WHERE desc LIKE '%word{n}%')\"\n")).collect()
        };
        let words = "fees = \"COUNT(*) FILTER (WHERE mentions(fees))\"\n";
        let names = "names = \"COUNT(DISTINCT counterparty)\"\n";
        let cases = [
            ("records = \"COUNT(*)\"\n".to_owned(), false),
            (like(3), false),
            (like(4), true),
            (like(1) + words, false),
            (like(2) + words, true),
            (names.to_owned(), true),
        ];
        for (metrics, expected) in cases {
            assert_eq!(compiled(&format!("{head}{metrics}")).program.quick.finds_alike, expected, "{metrics}");
        }
        assert!(compiled(include_str!("../../../rules/starter.toml")).program.quick.finds_alike);
    }

    /// Of the whole catalogue.
    #[test]
    fn each_node_comes_after_what_it_needs_and_before_that_is_let_go() {
        let policy = compiled(include_str!("../../../rules/starter.toml"));
        let nodes = policy.program.graph.nodes();
        for schedule in [&policy.program.schedule, &policy.program.quick] {
            let (mut there, mut released) = (vec![false; nodes.len()], 0);
            for (place, node) in schedule.order.iter().map(|node| node.index()).enumerate() {
                let any = schedule.any_like[node].as_ref();
                let inputs = any.map_or(nodes[node].inputs.as_slice(), |any| std::slice::from_ref(&any.text));
                assert!(inputs.iter().chain(&nodes[node].spreads).all(|input| there[input.index()]), "{node}");
                assert!(place >= schedule.nameless || earliest_turn_of(&nodes[node]) == 0, "{node}");
                assert!(place >= schedule.streamless || earliest_turn_of(&nodes[node]) < 2, "{node}");
                there[node] = true;
                for value in &schedule.release[node] {
                    assert!(std::mem::take(&mut there[value.index()]), "{node}");
                    released += 1;
                }
            }
            let live = schedule.live.iter().filter(|live| **live).count();
            assert_eq!(schedule.order.len(), live);
            assert!(
                schedule.nameless > live / 4 && schedule.nameless < schedule.streamless && released > 100,
                "{released}"
            );
            assert!(schedule.streamless < live);
        }
    }
}
