//! The order of one day's records in which their balances chain: each balance is the last one plus credit minus debit.
//! Must not know what the records are about.

use crate::statement::quality::flag;
use crate::statement::rows::NO_VALUE;
use crate::statement::settled::Settled;

/// A day with more records than this keeps its order: the work for a day is bounded.
const MOST_RECORDS: usize = 256;

/// Puts every day whose balances chain in full into that order, and numbers it. A day that does not chain stays as it is.
pub(crate) fn order_by_balances(columns: &mut Settled, order: &mut Option<Vec<u32>>) {
    if columns.balances.iter().all(|balance| *balance == NO_VALUE) {
        return;
    }
    let rows: Vec<u32> = order.take().unwrap_or_else(|| (0..columns.len() as u32).collect());
    let mut moved = Vec::with_capacity(rows.len());
    let mut closing: Option<(u32, i64)> = None;
    let day_of = |columns: &Settled, row: u32| (columns.groups.get(row as usize).copied(), columns.days.get(row as usize).copied());
    let mut from = 0;
    while let Some(&first) = rows.get(from) {
        let day = day_of(columns, first);
        let length = rows.iter().skip(from).take_while(|row| day_of(columns, **row) == day).count();
        let records = rows.get(from..from + length).unwrap_or_default();
        from += length;
        let group = day.0.unwrap_or_default();
        let opening = closing.filter(|(of, _)| *of == group).map(|(_, balance)| balance);
        let steps: Option<Vec<Step>> = if length > MOST_RECORDS { None } else { records.iter().map(|row| step(columns, *row)).collect() };
        let path = steps.as_deref().map(|steps| chain(steps, opening));
        closing = match (&path, &steps) {
            (Some(Chain::Kept(end) | Chain::Ordered(_, end)), Some(_)) => Some((group, *end)),
            _ => None,
        };
        match path {
            Some(Chain::Ordered(path, _)) => {
                for (rank, step) in path.into_iter().enumerate() {
                    let Some(&row) = records.get(step) else { continue };
                    moved.push(row);
                    if let (Some(order), Some(flags)) = (columns.orders.get_mut(row as usize), columns.flags.get_mut(row as usize)) {
                        *order = rank as i64;
                        *flags |= flag::BALANCE_ORDER;
                    }
                }
            }
            _ => moved.extend_from_slice(records),
        }
    }
    let unmoved = moved.len() == columns.len() && moved.iter().enumerate().all(|(at, row)| at == *row as usize);
    *order = if unmoved { None } else { Some(moved) };
}

/// The balances before and after one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    before: i64,
    after: i64,
}

fn step(columns: &Settled, row: u32) -> Option<Step> {
    let value = |column: &[i64]| column.get(row as usize).copied().filter(|value| *value != NO_VALUE);
    let after = value(&columns.balances)?;
    let credit = value(&columns.credits).unwrap_or(0);
    let debit = value(&columns.debits).unwrap_or(0);
    Some(Step { before: after.checked_sub(credit)?.checked_add(debit)?, after })
}

#[derive(Debug, PartialEq, Eq)]
enum Chain {
    /// The records chain as they stand; the balance at the end is known.
    Kept(i64),
    /// They chain in this order.
    Ordered(Vec<usize>, i64),
    /// They do not chain.
    None,
}

/// Each record is an edge from the balance before to the balance after, and a full chain is a walk over every edge once (Euler's). The
/// walk depends on the records and their canonical order alone, so the order in which they came does not matter.
fn chain(steps: &[Step], opening: Option<i64>) -> Chain {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return Chain::None };
    let chained = steps.iter().zip(steps.iter().skip(1)).all(|(one, next)| one.after == next.before);
    let returns = first.before == last.after;
    if chained && (!returns || opening.is_none_or(|opening| opening == first.before)) {
        return Chain::Kept(last.after);
    }
    let mut nodes: Vec<i64> = steps.iter().flat_map(|step| [step.before, step.after]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let node_of = |balance: i64| nodes.binary_search(&balance).unwrap_or_default();
    let Some(start) = start_node(steps, opening, &nodes) else { return Chain::None };
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (index, step) in steps.iter().enumerate().rev() {
        if let Some(edges) = leaving.get_mut(node_of(step.before)) {
            edges.push(index);
        }
    }
    // Hierholzer: walk until stuck, then take back edges while looking for detours; the walk comes out last edge first.
    let mut walk = Vec::with_capacity(steps.len());
    let mut stack: Vec<(usize, Option<usize>)> = vec![(start, None)];
    while let Some(&(node, edge)) = stack.last() {
        match leaving.get_mut(node).and_then(Vec::pop) {
            Some(next) => stack.push((steps.get(next).map_or(node, |step| node_of(step.after)), Some(next))),
            None => {
                walk.extend(edge);
                stack.pop();
            }
        }
    }
    walk.reverse();
    let joined = walk.iter().zip(walk.iter().skip(1)).all(|(one, next)| steps.get(*one).map(|s| s.after) == steps.get(*next).map(|s| s.before));
    match walk.last().and_then(|last| steps.get(*last)) {
        Some(last) if walk.len() == steps.len() && joined => Chain::Ordered(walk, last.after),
        _ => Chain::None,
    }
}

/// Where a full walk must begin, if there can be one. A walk that returns to its beginning may begin at the balance that the day before
/// closed with, else at 0 as an account opens, else where the first record begins.
fn start_node(steps: &[Step], opening: Option<i64>, nodes: &[i64]) -> Option<usize> {
    let mut surplus = vec![0_i64; nodes.len()];
    for step in steps {
        for (balance, sign) in [(step.before, 1), (step.after, -1)] {
            let node = nodes.binary_search(&balance).ok()?;
            *surplus.get_mut(node)? += sign;
        }
    }
    let out: Vec<usize> = surplus.iter().enumerate().filter(|(_, surplus)| **surplus > 0).map(|(node, _)| node).collect();
    match out.as_slice() {
        [] => {
            let known = [opening, Some(0)].into_iter().flatten().find_map(|balance| nodes.binary_search(&balance).ok());
            known.or_else(|| nodes.binary_search(&steps.first()?.before).ok())
        }
        [start] if surplus.get(*start) == Some(&1) => Some(*start),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(pairs: &[(i64, i64)]) -> Vec<Step> {
        pairs.iter().map(|(before, after)| Step { before: *before, after: *after }).collect()
    }

    #[test]
    fn a_day_is_walked_from_its_opening_balance() {
        assert_eq!(chain(&steps(&[(5, 9), (0, 5)]), None), Chain::Ordered(vec![1, 0], 9));
        assert_eq!(chain(&steps(&[(0, 5), (5, 9)]), None), Chain::Kept(9));
        // A day that returns to its beginning begins where the last one closed.
        assert_eq!(chain(&steps(&[(5, 9), (9, 5)]), Some(9)), Chain::Ordered(vec![1, 0], 9));
        assert_eq!(chain(&steps(&[(5, 9), (9, 5)]), None), Chain::Kept(5));
    }

    #[test]
    fn a_day_with_a_gap_does_not_chain() {
        assert_eq!(chain(&steps(&[(5, 9), (1, 2)]), None), Chain::None);
        assert_eq!(chain(&steps(&[(1, 2), (2, 1), (7, 8), (8, 7)]), None), Chain::None);
        assert_eq!(chain(&[], None), Chain::None);
    }

    #[test]
    fn detours_are_walked_too() {
        let day = steps(&[(0, 5), (5, 7), (5, 6), (6, 5), (7, 7)]);
        let Chain::Ordered(walk, end) = chain(&day, None) else { panic!("the day chains") };
        assert_eq!((walk.len(), end), (5, 7));
    }
}
