//! Orders a day with missing records: records that chain stay together, and the pieces begin and end with the balances
//! of the days around it.

use crate::statement::columns::balance_order::{BalanceStep, Nodes, walk_all_edges};

/// The records in the order with the fewest gaps, and the balance at its end. `opening` and `ending` are the balances
/// that the day begins and ends with, if known. Balances less than `tolerance` from each other count as equal.
///
/// Each record is an edge from the balance before to the balance after. The gaps are the missing edges, from the end of
/// one piece to the beginning of another. With them, the whole is a walk over every edge once. Returns `None` if there
/// are too many gaps for the joins: then the balances prove nothing about the order.
pub(crate) fn order_pieces(
    steps: &[BalanceStep],
    opening: Option<i64>,
    ending: Option<i64>,
    tolerance: i64,
) -> Option<(Vec<usize>, i64)> {
    let nodes = Nodes::new(steps, tolerance);
    let surplus = nodes.surplus(steps);
    let near = |balance: Option<i64>, of: fn(&BalanceStep) -> i64| {
        let balance = balance?;
        let found = steps.iter().map(of).find(|other| other.abs_diff(balance) < tolerance.unsigned_abs());
        found.map(|other| nodes.node(other))
    };
    let begins = near(opening, |step| step.before);
    let ends = near(ending, |step| step.after);
    let anchors = usize::from(begins.is_some()) + usize::from(ends.is_some());
    if anchors == 0 {
        return None;
    }
    // Each end that is tried closes one of these gaps at most. Days of unrelated balances have far too many.
    let gaps = surplus.iter().filter(|surplus| **surplus > 0).sum::<i64>().unsigned_abs() as usize;
    if 2 * gaps.saturating_sub(1) + 1 > steps.len() + anchors {
        return None;
    }
    // If a side is not known, candidates are tried in the order of the records, until one leaves a single walk.
    let is_spare = |node: &usize, sign: i64| surplus.get(*node).is_some_and(|surplus| surplus * sign > 0);
    let firsts = steps.iter().map(|step| nodes.node(step.before)).filter(|node| is_spare(node, 1));
    let lasts = steps.iter().rev().map(|step| nodes.node(step.after)).filter(|node| is_spare(node, -1));
    let starts: Vec<usize> = begins.map_or_else(|| firsts.take(TRIED_MAX).collect(), |node| vec![node]);
    let ends: Vec<usize> = ends.map_or_else(|| lasts.take(TRIED_MAX).collect(), |node| vec![node]);
    let mut pairs = starts.iter().flat_map(|start| ends.iter().map(move |end| (*start, *end)));
    pairs.find_map(|(start, end)| walk_between(steps, &nodes, surplus.clone(), (start, end), anchors))
}

/// How many ends of pieces are tried if a side of the day is not known.
const TRIED_MAX: usize = 8;

/// The records in one walk from a node to another, and the balance at its end.
fn walk_between(
    steps: &[BalanceStep],
    nodes: &Nodes,
    mut surplus: Vec<i64>,
    (start, end): (usize, usize),
    anchors: usize,
) -> Option<(Vec<usize>, i64)> {
    *surplus.get_mut(start)? -= 1;
    *surplus.get_mut(end)? += 1;
    let gaps = pair_balance_gaps(steps, nodes, surplus);
    if gaps.len() > steps.len().checked_sub(1 + gaps.len())? + anchors {
        return None;
    }
    // All edges from node to node, the gaps after the records.
    let of_steps = steps.iter().map(|step| (nodes.node(step.before), nodes.node(step.after)));
    let edges: Vec<(usize, usize)> = of_steps.chain(gaps).collect();
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    // The last edge is taken first: records before gaps, and records in their current order.
    for at in (steps.len()..edges.len()).chain((0..steps.len()).rev()) {
        leaving.get_mut(edges.get(at)?.0)?.push(at);
    }
    let walked = walk_all_edges(start, leaving, |at| edges[at].1);
    let mut here = start;
    let is_walk =
        walked.iter().filter_map(|at| edges.get(*at)).all(|(from, to)| *from == std::mem::replace(&mut here, *to));
    let is_whole = walked.len() == edges.len() && is_walk && here == end;
    let order: Vec<usize> = walked.into_iter().filter(|at| *at < steps.len()).collect();
    let closing = steps.get(*order.last()?)?.after;
    is_whole.then_some((order, closing))
}

/// The gaps, from where pieces end to where others begin, both in the order of the records.
fn pair_balance_gaps(steps: &[BalanceStep], nodes: &Nodes, mut surplus: Vec<i64>) -> Vec<(usize, usize)> {
    let mut take = |node: usize, sign: i64| {
        let left = surplus.get_mut(node).filter(|left| **left * sign > 0)?;
        *left -= sign;
        Some(node)
    };
    let ends: Vec<usize> = steps.iter().filter_map(|step| take(nodes.node(step.after), -1)).collect();
    let begins = steps.iter().filter_map(|step| take(nodes.node(step.before), 1));
    ends.into_iter().zip(begins).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::columns::balance_order::tests::steps as day;

    #[test]
    fn pieces_are_placed_by_the_days_around() {
        // The account stands at 0 before and at 50 after; a record from 500 to 100 is missing.
        let gap = day(&[(100, 50), (0, 100), (100, 500)]);
        assert_eq!(order_pieces(&gap, Some(0), Some(50), 1), Some((vec![1, 2, 0], 50)));
        // With no day before, the first piece is the one that stands first.
        assert_eq!(order_pieces(&gap, None, Some(50), 1), Some((vec![2, 1, 0], 50)));
        // Newest first, two pieces of two.
        let two = day(&[(70, 60), (90, 70), (15, 20), (10, 15)]);
        assert_eq!(order_pieces(&two, Some(10), Some(60), 1), Some((vec![3, 2, 1, 0], 60)));
        assert_eq!(order_pieces(&two, Some(90), Some(20), 1), Some((vec![1, 0, 3, 2], 20)));
        assert_eq!(order_pieces(&two, Some(10), None, 1), Some((vec![3, 2, 1, 0], 60)));
    }

    #[test]
    fn unrelated_balances_order_nothing() {
        let gap = day(&[(100, 50), (0, 100), (100, 500)]);
        assert_eq!(order_pieces(&gap, None, None, 1), None);
        assert_eq!(order_pieces(&gap, Some(7), Some(8), 1), None);
        let strangers = day(&[(1, 2), (30, 40), (500, 600), (7_000, 8_000)]);
        assert_eq!(order_pieces(&strangers, Some(500), None, 1), None);
    }

    #[test]
    fn rounded_balances_join_when_small_gaps_are_ignored() {
        let rounded = day(&[(2_820, 4_000), (1_000, 2_810), (9_000, 9_500)]);
        assert_eq!(order_pieces(&rounded, Some(1_010), Some(9_500), 100), Some((vec![1, 0, 2], 9_500)));
        assert_eq!(order_pieces(&rounded, Some(1_010), Some(9_500), 1), None);
    }
}
