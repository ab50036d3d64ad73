//! Orders one day's records by their running balance: each balance is the previous one plus credit minus debit. Such
//! records chain.
//!
//! Banks round: interest with hidden decimals leaves gaps of a few minor units between one balance and the next. If a
//! day does not chain exactly, balances less than one major unit apart count as equal. If it does not chain at all,
//! because records are missing, its pieces are placed by the days around it ([`balance_pieces`]).

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use crate::statement::base::quality::flag;
use crate::statement::columns::balance_pieces;
use crate::statement::columns::record_columns::{RecordColumns, SHARED};
use crate::statement::columns::shared_days::StatementDay;
use crate::statement::rows::builder::{NO_VALUE, known_at_row};

/// Puts every day whose balances chain, as a whole or in pieces, into that order, and numbers its rows. Other days stay
/// as they are. `major` is one major unit in minor units. The rows of a statement are contiguous.
pub(crate) fn order_by_balances(columns: &mut RecordColumns, order: &mut Option<Vec<u32>>, major: i64) {
    order_days(columns, order, major, None);
}

/// Likewise, but for these days only: the rows of the others have an order of their own.
pub(crate) fn order_shared_days(
    columns: &mut RecordColumns,
    order: &mut Option<Vec<u32>>,
    major: i64,
    shared: &HashSet<StatementDay>,
) {
    if !shared.is_empty() {
        order_days(columns, order, major, Some(shared));
    }
}

fn order_days(
    columns: &mut RecordColumns,
    order: &mut Option<Vec<u32>>,
    major: i64,
    only: Option<&HashSet<StatementDay>>,
) {
    if columns.balances.iter().all(|balance| *balance == NO_VALUE) {
        return;
    }
    let mut rows: Vec<u32> = order.take().unwrap_or_else(|| (0..columns.len() as u32).collect());
    let group = |row: &u32| columns.groups.get(*row as usize);
    let of_one = |left: &u32, right: &u32| group(left) == group(right);
    let by_trans_date = |row: u32| columns.days.get(row as usize).copied();
    let may_move = |day: &Moved| match (only, day.rows.first()) {
        (Some(only), Some(row)) => only.contains(&(columns.group(*row as usize), columns.day(*row as usize))),
        (only, _) => only.is_none(),
    };
    let moved = |rows: &[u32]| {
        let mut days = moved_days(columns, by_trans_date, rows, major);
        days.retain(may_move);
        (rows.len(), days)
    };
    let statements: Vec<(usize, Vec<Moved>)> = match rows.len() < SHARED {
        true => rows.chunk_by(of_one).map(moved).collect(),
        false => rows.par_chunk_by(of_one).map(moved).collect(),
    };
    let mut from = 0;
    for (length, days) in statements {
        for day in days {
            let places = rows.iter_mut().skip(from + day.from);
            for (rank, (place, row)) in places.zip(day.rows).enumerate() {
                *place = row;
                columns.orders[row as usize] = rank as i64;
                columns.flags[row as usize] |= flag::BALANCE_ORDER;
            }
        }
        from += length;
    }
    let unmoved = rows.len() == columns.len() && rows.iter().enumerate().all(|(at, row)| at == *row as usize);
    *order = if unmoved { None } else { Some(rows) };
}

/// The rows of a statement sorted by other days than their own. Each day is in the order in which its balances chain.
pub(crate) fn by_other_days(columns: &RecordColumns, day: impl Fn(u32) -> Option<i32>, mut rows: Vec<u32>) -> Vec<u32> {
    rows.sort_by_key(|row| day(*row));
    for day in moved_days(columns, day, &rows, 1) {
        for (place, row) in rows.iter_mut().skip(day.from).zip(day.rows) {
            *place = row;
        }
    }
    rows
}

/// A day's rows in the order of their balances. `from` is the position of its first row in the statement.
struct Moved {
    from: usize,
    rows: Vec<u32>,
}

/// The days of a statement that chain in another order than their current one.
fn moved_days(columns: &RecordColumns, day: impl Fn(u32) -> Option<i32>, rows: &[u32], major: i64) -> Vec<Moved> {
    let mut moved = Vec::new();
    let mut steps = Vec::new();
    let (mut from, mut closing) = (0, None);
    let mut days = rows.chunk_by(|left, right| day(*left) == day(*right)).peekable();
    while let Some(records) = days.next() {
        let opening = closing.take();
        if steps_of(columns, records, &mut steps) {
            let opening = opening.or_else(|| {
                let next = days.peek().filter(|_| ends_at_opening(&steps))?;
                let mut of_next = Vec::new();
                steps_of(columns, next, &mut of_next).then(|| next_opening(&steps, &of_next, major)).flatten()
            });
            let path = chain_exact_or_near(&steps, opening, major);
            let mut ending = || {
                let mut next = Vec::new();
                let known = days.peek().filter(|records| steps_of(columns, records, &mut next));
                known.and_then(|_| opening_of(&next, major))
            };
            let joins_opening =
                path.opening(&steps).zip(opening).is_none_or(|(begins, opening)| is_near(begins, opening, major));
            let path = match path {
                Chain::None => in_pieces(&steps, opening, ending(), major),
                whole if joins_opening => whole,
                // It chains by chance, or the missing records came before it.
                whole => fewest_breaks(&steps, whole, opening, ending(), major),
            };
            closing = match path {
                Chain::Kept(end) => Some(end),
                Chain::Ordered(path, end) if path.is_sorted() => Some(end),
                Chain::Ordered(path, end) => {
                    // A path lists each of the day's records once.
                    let rows = path.into_iter().map(|step| records[step]).collect();
                    moved.push(Moved { from, rows });
                    Some(end)
                }
                Chain::None => None,
            };
        }
        from += records.len();
    }
    moved
}

/// The exact chain, or else one in which balances less than a major unit apart count as equal.
fn chain_exact_or_near(steps: &[BalanceStep], opening: Option<i64>, major: i64) -> Chain {
    match chain_balance_steps(steps, opening, 1) {
        Chain::None => chain_balance_steps(steps, opening, major),
        exact => exact,
    }
}

fn is_near(one: i64, other: i64, major: i64) -> bool {
    one.abs_diff(other) < major.unsigned_abs()
}

fn in_pieces(steps: &[BalanceStep], opening: Option<i64>, ending: Option<i64>, major: i64) -> Chain {
    balance_pieces::order_pieces(steps, opening, ending, 1)
        .or_else(|| balance_pieces::order_pieces(steps, opening, ending, major))
        .map_or(Chain::None, |(path, end)| Chain::Ordered(path, end))
}

/// The best order of a day that does not chain with the day before. Candidates are its current order, its pieces, and
/// the order in which it chains by itself. The one with the fewest breaks wins, including breaks with the days around
/// it. Of equals, the first wins.
fn fewest_breaks(steps: &[BalanceStep], whole: Chain, opening: Option<i64>, ending: Option<i64>, major: i64) -> Chain {
    let breaks = |order: &mut dyn Iterator<Item = usize>| {
        let mut found = 0;
        let last = order.filter_map(|at| steps.get(at)).fold(opening, |before, step| {
            found += usize::from(before.is_some_and(|before| !is_near(before, step.before, major)));
            Some(step.after)
        });
        found + usize::from(last.zip(ending).is_some_and(|(last, ending)| !is_near(last, ending, major)))
    };
    let of = |chain: &Chain| match chain {
        Chain::Ordered(path, _) => breaks(&mut path.iter().copied()),
        Chain::Kept(_) => breaks(&mut (0..steps.len())),
        Chain::None => usize::MAX,
    };
    let kept = steps.last().map_or(Chain::None, |last| Chain::Kept(last.after));
    let pieces = in_pieces(steps, opening, ending, major);
    [kept, pieces, whole].into_iter().min_by_key(of).unwrap_or(Chain::None)
}

/// Fills in the steps of a day's records. False if a record has none.
fn steps_of(columns: &RecordColumns, records: &[u32], steps: &mut Vec<BalanceStep>) -> bool {
    steps.clear();
    steps.extend(records.iter().map_while(|row| balance_step_of_row(columns, *row)));
    steps.len() == records.len()
}

/// The balance that a day begins with, if its own records determine it.
fn opening_of(steps: &[BalanceStep], major: i64) -> Option<i64> {
    let (first, end) = match chain_exact_or_near(steps, None, major) {
        Chain::Kept(end) => (steps.first()?, end),
        Chain::Ordered(path, end) => (steps.get(*path.first()?)?, end),
        Chain::None => return None,
    };
    // A day that returns to its opening balance may begin at any of its balances.
    (steps.len() == 1 || first.before.abs_diff(end) >= major.unsigned_abs()).then_some(first.before)
}

/// Whether a day of several records would end with its opening balance, if it chains.
fn ends_at_opening(steps: &[BalanceStep]) -> bool {
    steps.len() > 1 && steps.iter().map(|step| i128::from(step.after) - i128::from(step.before)).sum::<i128>() == 0
}

/// The only balance with which the next day may begin, after a day that returns to its opening balance.
fn next_opening(steps: &[BalanceStep], next: &[BalanceStep], major: i64) -> Option<i64> {
    let befores: HashSet<i64> = steps.iter().map(|step| step.before).collect();
    if let Some(opening) = opening_of(next, major) {
        return Some(opening).filter(|opening| befores.contains(opening));
    }
    // How many more of the next day's records begin with a balance than end with it.
    let mut surplus: HashMap<i64, i64> = HashMap::new();
    for step in next {
        *surplus.entry(step.before).or_default() += 1;
        *surplus.entry(step.after).or_default() -= 1;
    }
    let mut found = surplus.into_iter().filter(|(balance, surplus)| *surplus > 0 && befores.contains(balance));
    let only = found.next().map(|(balance, _)| balance);
    only.filter(|_| found.next().is_none())
}

/// The balances before and after one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BalanceStep {
    pub(crate) before: i64,
    pub(crate) after: i64,
}

fn balance_step_of_row(columns: &RecordColumns, row: u32) -> Option<BalanceStep> {
    let value = |column: &[i64]| known_at_row(column, row);
    let after = value(&columns.balances)?;
    let credit = value(&columns.credits).unwrap_or(0);
    let debit = value(&columns.debits).unwrap_or(0);
    Some(BalanceStep { before: after.checked_sub(credit)?.checked_add(debit)?, after })
}

#[derive(Debug, PartialEq, Eq)]
enum Chain {
    /// The records chain in their current order, to this closing balance.
    Kept(i64),
    /// They chain in this order, to this closing balance.
    Ordered(Vec<usize>, i64),
    /// They do not chain.
    None,
}

impl Chain {
    /// The balance before the first record in this order.
    fn opening(&self, steps: &[BalanceStep]) -> Option<i64> {
        let first = match self {
            Chain::Kept(_) => 0,
            Chain::Ordered(path, _) => *path.first()?,
            Chain::None => return None,
        };
        steps.get(first).map(|step| step.before)
    }
}

/// The distinct balances of a day, grouped into nodes. Neighbours less than `tolerance` from each other are one node.
pub(crate) struct Nodes {
    balances: Vec<i64>,
    groups: Vec<usize>,
}

impl Nodes {
    pub(crate) fn new(steps: &[BalanceStep], tolerance: i64) -> Nodes {
        let mut balances: Vec<i64> = steps.iter().flat_map(|step| [step.before, step.after]).collect();
        balances.sort_unstable();
        balances.dedup();
        let mut group = 0;
        let gaps = balances.iter().zip(balances.iter().skip(1)).map(|(low, high)| high.saturating_sub(*low));
        let groups = std::iter::once(0).chain(gaps.map(|gap| {
            group += usize::from(gap >= tolerance);
            group
        }));
        Nodes { groups: groups.collect(), balances }
    }

    pub(crate) fn len(&self) -> usize {
        self.groups.last().map_or(0, |last| last + 1)
    }

    /// The node of one of the balances.
    pub(crate) fn node(&self, balance: i64) -> usize {
        // Only balances of the steps are looked up, and all of them are listed.
        self.find(balance).expect("INVARIANT: the balance is that of a step")
    }

    /// How many more of these steps leave each node than reach it.
    pub(crate) fn surplus(&self, steps: &[BalanceStep]) -> Vec<i64> {
        let mut surplus = vec![0; self.len()];
        for (balance, by) in steps.iter().flat_map(|step| [(step.before, 1), (step.after, -1)]) {
            surplus[self.node(balance)] += by;
        }
        surplus
    }

    fn find(&self, balance: i64) -> Option<usize> {
        self.balances.binary_search(&balance).ok().and_then(|at| self.groups.get(at).copied())
    }
}

/// Each record is an edge from the balance before to the balance after. A full chain is a walk over every edge once: an
/// Eulerian path. It depends only on the records and their canonical order, not on the order in which they came.
fn chain_balance_steps(steps: &[BalanceStep], opening: Option<i64>, tolerance: i64) -> Chain {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return Chain::None };
    // Most days are already in order, with exact balances.
    let begins_there = opening.is_none_or(|opening| opening == first.before);
    if steps.windows(2).all(|pair| pair[0].after == pair[1].before)
        && (first.before != last.after && tolerance == 1 || begins_there)
    {
        return Chain::Kept(last.after);
    }
    if tolerance == 1
        && let Some(path) = only_path(steps)
    {
        let end = path.last().map_or(last.after, |step| steps[*step].after);
        return Chain::Ordered(path, end);
    }
    walk_every_record(steps, opening, tolerance)
}

/// The walk over every record, even if balances repeat.
fn walk_every_record(steps: &[BalanceStep], opening: Option<i64>, tolerance: i64) -> Chain {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return Chain::None };
    let begins_there = opening.is_none_or(|opening| opening == first.before);
    let nodes = Nodes::new(steps, tolerance);
    let joins = |one: &BalanceStep, next: &BalanceStep| nodes.node(one.after) == nodes.node(next.before);
    let returns = nodes.node(first.before) == nodes.node(last.after);
    let chained = steps.iter().zip(steps.iter().skip(1)).all(|(one, next)| joins(one, next));
    if chained && (!returns || begins_there) {
        return Chain::Kept(last.after);
    }
    let Some(start) = start_node(steps, opening, &nodes) else { return Chain::None };
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (index, step) in steps.iter().enumerate().rev() {
        leaving[nodes.node(step.before)].push(index);
    }
    let walk = walk_all_edges(start, leaving, |edge| nodes.node(steps[edge].after));
    let walked: Vec<&BalanceStep> = walk.iter().filter_map(|index| steps.get(*index)).collect();
    let joined = walked.iter().zip(walked.iter().skip(1)).all(|(one, next)| joins(one, next));
    match walked.last() {
        Some(last) if walk.len() == steps.len() && joined => Chain::Ordered(walk, last.after),
        _ => Chain::None,
    }
}

/// Hierholzer's algorithm: walk until stuck, then step back and look for detours. The walk comes out last edge first.
/// Of the edges that leave a node, the last is taken first. `end` is the node where an edge ends.
pub(crate) fn walk_all_edges(start: usize, mut leaving: Vec<Vec<usize>>, end: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut walk = Vec::new();
    let mut stack: Vec<(usize, Option<usize>)> = vec![(start, None)];
    while let Some(&(node, edge)) = stack.last() {
        match leaving[node].pop() {
            Some(next) => stack.push((end(next), Some(next))),
            None => {
                walk.extend(edge);
                stack.pop();
            }
        }
    }
    walk.reverse();
    walk
}

/// Only a day with at most this many records is searched pairwise for its only path.
const PAIRWISE_MAX: usize = 16;

/// The only order in which a few records chain, if no balance repeats.
fn only_path(steps: &[BalanceStep]) -> Option<Vec<usize>> {
    if steps.len() > PAIRWISE_MAX {
        return None;
    }
    let only = |found: &mut dyn Iterator<Item = usize>| match (found.next(), found.next()) {
        (found, None) => Ok(found),
        _ => Err(()),
    };
    let all = || steps.iter().enumerate();
    let mut next = [None; PAIRWISE_MAX];
    let mut start = None;
    for (at, step) in all() {
        let follows = |other: &(usize, &BalanceStep)| other.1.before == step.after;
        let precedes = |other: &(usize, &BalanceStep)| other.1.after == step.before;
        next[at] = only(&mut all().filter(follows).map(|(at, _)| at)).ok()?;
        if only(&mut all().filter(precedes).map(|(at, _)| at)).ok()?.is_none() && start.replace(at).is_some() {
            return None;
        }
    }
    let path: Vec<usize> = std::iter::successors(start, |at| next[*at]).take(steps.len()).collect();
    (path.len() == steps.len()).then_some(path)
}

/// Where a full walk must begin, if there can be one. A walk that returns to its start begins at the closing balance of
/// the day before, or else at 0, as a new account does, or else at the first record.
fn start_node(steps: &[BalanceStep], opening: Option<i64>, nodes: &Nodes) -> Option<usize> {
    let surplus = nodes.surplus(steps);
    let out: Vec<usize> =
        surplus.iter().enumerate().filter(|(_, surplus)| **surplus > 0).map(|(node, _)| node).collect();
    match out.as_slice() {
        [] => [opening, Some(0)]
            .into_iter()
            .flatten()
            .find_map(|balance| nodes.find(balance))
            .or_else(|| nodes.find(steps.first()?.before)),
        [start] if surplus.get(*start) == Some(&1) => Some(*start),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn steps(pairs: &[(i64, i64)]) -> Vec<BalanceStep> {
        pairs.iter().map(|(before, after)| BalanceStep { before: *before, after: *after }).collect()
    }

    #[test]
    fn a_day_is_walked_from_its_opening_balance() {
        assert_eq!(chain_balance_steps(&steps(&[(5, 9), (0, 5)]), None, 1), Chain::Ordered(vec![1, 0], 9));
        assert_eq!(chain_balance_steps(&steps(&[(0, 5), (5, 9)]), None, 1), Chain::Kept(9));
        // A day that returns to its opening balance begins where the last one closed.
        assert_eq!(chain_balance_steps(&steps(&[(5, 9), (9, 5)]), Some(9), 1), Chain::Ordered(vec![1, 0], 9));
        assert_eq!(chain_balance_steps(&steps(&[(5, 9), (9, 5)]), None, 1), Chain::Kept(5));
    }

    #[test]
    fn a_day_with_a_gap_does_not_chain() {
        assert_eq!(chain_balance_steps(&steps(&[(5, 9), (1, 2)]), None, 1), Chain::None);
        assert_eq!(chain_balance_steps(&steps(&[(1, 2), (2, 1), (7, 8), (8, 7)]), None, 1), Chain::None);
        assert_eq!(chain_balance_steps(&[], None, 1), Chain::None);
    }

    #[test]
    fn rounded_balances_chain_when_small_gaps_are_ignored() {
        let day = steps(&[(2_820, 4_000), (1_000, 2_810)]);
        assert_eq!(chain_balance_steps(&day, Some(1_000), 1), Chain::None);
        assert_eq!(chain_balance_steps(&day, Some(1_000), 100), Chain::Ordered(vec![1, 0], 4_000));
    }

    #[test]
    fn the_only_path_is_the_walk() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut draw = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) % below
        };
        let mut found = 0;
        for _ in 0..20_000 {
            let mut balances: Vec<i64> = (0..2 + draw(9)).map(|_| draw(40) as i64).collect();
            if draw(2) == 0 {
                balances.sort_unstable();
                balances.dedup();
            }
            let mut day: Vec<BalanceStep> =
                balances.windows(2).map(|pair| BalanceStep { before: pair[0], after: pair[1] }).collect();
            for _ in 0..draw(6) {
                let (one, other) = (draw(day.len().max(1) as u64) as usize, draw(day.len().max(1) as u64) as usize);
                if one < day.len() && other < day.len() {
                    day.swap(one, other);
                }
            }
            let opening = (draw(3) == 0).then(|| draw(40) as i64);
            if let (false, Some(path)) = (day.windows(2).all(|pair| pair[0].after == pair[1].before), only_path(&day)) {
                let end = day[path[path.len() - 1]].after;
                assert_eq!(walk_every_record(&day, opening, 1), Chain::Ordered(path, end), "{day:?}");
                found += 1;
            }
        }
        assert!(found > 1_000, "{found}");
    }

    #[test]
    fn a_day_of_any_length_is_walked() {
        // Credits of 3 and debits of 2 in turns, so that balances repeat; the records come in another order.
        let amounts = |at: i64| if at % 2 == 0 { 3 } else { -2 };
        let mut balance = 10;
        let day: Vec<BalanceStep> = (0..30_000)
            .map(|at| {
                let before = balance;
                balance += amounts(at);
                BalanceStep { before, after: balance }
            })
            .collect();
        assert_eq!(chain_balance_steps(&day, None, 1), Chain::Kept(balance));
        let mut shuffled = day.clone();
        shuffled.sort_by_key(|step| (step.after - step.before, -step.before));
        let Chain::Ordered(walk, end) = chain_balance_steps(&shuffled, None, 1) else { panic!("the day chains") };
        assert_eq!((walk.len(), end), (day.len(), balance));
        assert_eq!(shuffled[walk[0]].before, 10);
    }

    #[test]
    fn detours_are_walked_too() {
        let day = steps(&[(0, 5), (5, 7), (5, 6), (6, 5), (7, 7)]);
        let Chain::Ordered(walk, end) = chain_balance_steps(&day, None, 1) else { panic!("the day chains") };
        assert_eq!((walk.len(), end), (5, 7));
    }
}
