//! Compares rows, bins and conditions by content. An inserted line is one change, however many lines follow it. A line
//! at another position has moved.

use std::collections::HashMap;

use crate::rules::canonical::{PartCell, PartLine};

/// Most pairs compared for similarity. Beyond this, lines are paired by place only.
const COMPARED_MAX: usize = 1_000_000;

/// A line that changed, moved, or both.
pub(super) struct Edit<'l> {
    pub before: Option<&'l PartLine>,
    pub after: Option<&'l PartLine>,
    /// Where it is or was, counted from 1, and whether it moved.
    pub place: String,
}

/// The changes from one list to another, in the order of the new one. Removed lines come where they were.
pub(super) fn compare_lines<'l>(old: &'l [PartLine], new: &'l [PartLine]) -> Vec<Edit<'l>> {
    let mut partner = pair_equal_lines(old, new);
    // Prefers to keep unchanged lines in place, then changed ones.
    let weights: Vec<usize> = partner.iter().map(|to| if to.is_some() { old.len() + 1 } else { 1 }).collect();
    pair_by(old, new, &mut partner, asks);
    pair_similar(old, new, &mut partner, &weights);
    pair_by_place(&mut partner, new.len(), &weights);
    let stay = in_place(&partner, &weights);
    let mut edits: Vec<((usize, usize), Edit<'l>)> = Vec::new();
    let mut next = 0;
    for (at, line) in old.iter().enumerate() {
        let Some(to) = partner[at] else {
            edits.push(((next, 0), Edit { before: Some(line), after: None, place: (at + 1).to_string() }));
            continue;
        };
        if stay[at] {
            next = to + 1;
        }
        let (moved, after) = (!stay[at], new.get(to));
        let place = match moved {
            true if at == to => format!("{} moved", to + 1),
            true => format!("{} moved to {}", at + 1, to + 1),
            false => (to + 1).to_string(),
        };
        if moved || after.is_some_and(|after| differing_cells(line, after).next().is_some()) {
            edits.push(((to, 1), Edit { before: Some(line), after, place }));
        }
    }
    let taken = taken(&partner, new.len());
    for (at, line) in new.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        edits.push(((at, 1), Edit { before: None, after: Some(line), place: (at + 1).to_string() }));
    }
    edits.sort_by_key(|(order, _)| *order);
    edits.into_iter().map(|(_, edit)| edit).collect()
}

/// The cells in which two lines differ, before and after. A missing column equals one that tests nothing.
pub(super) fn differing_cells<'l>(
    old: &'l PartLine,
    new: &'l PartLine,
) -> impl Iterator<Item = (Option<&'l PartCell>, Option<&'l PartCell>)> {
    let both = new.cells.iter().map(|cell| (cell_of(old, cell), Some(cell)));
    let gone = old.cells.iter().filter(|cell| cell_of(new, cell).is_none()).map(|cell| (Some(cell), None));
    both.chain(gone).filter(|pair| match pair {
        (Some(before), Some(after)) => !before.value.same(&after.value),
        (one, other) => !one.or(*other).is_some_and(PartCell::is_open),
    })
}

fn cell_of<'l>(line: &'l PartLine, like: &PartCell) -> Option<&'l PartCell> {
    line.cells.iter().find(|cell| cell.is_test == like.is_test && cell.column.same(&like.column))
}

/// Which places can stay when the others move to bring all in order: the heaviest increasing subsequence.
pub(super) fn keep_in_order(places: &[usize], weights: &[usize]) -> Vec<bool> {
    let end = places.iter().max().map_or(0, |last| last + 2);
    // A Fenwick tree of the heaviest run that ends at or before a place.
    let mut best: Vec<(usize, Option<usize>)> = vec![(0, None); end];
    let mut from: Vec<Option<usize>> = Vec::with_capacity(places.len());
    for (at, (place, weight)) in places.iter().zip(weights).enumerate() {
        let mut run = (0, None);
        let mut span = *place;
        while span > 0 {
            run = if best[span].0 > run.0 { best[span] } else { run };
            span &= span - 1;
        }
        from.push(run.1);
        let mut span = place + 1;
        while span < end {
            if best[span].0 < run.0 + weight {
                best[span] = (run.0 + weight, Some(at));
            }
            span += span & span.wrapping_neg();
        }
    }
    let mut stay = vec![false; places.len()];
    let mut next = best.iter().max_by_key(|(weight, _)| *weight).and_then(|(_, at)| *at);
    while let Some(at) = next {
        stay[at] = true;
        next = from[at];
    }
    stay
}

/// For each old line, whether it is still there and has not moved.
fn in_place(partner: &[Option<usize>], weights: &[usize]) -> Vec<bool> {
    let there = partner.iter().zip(weights).filter_map(|(to, weight)| to.map(|to| (to, *weight)));
    let (places, weights): (Vec<usize>, Vec<usize>) = there.unzip();
    let mut stay = keep_in_order(&places, &weights).into_iter();
    partner.iter().map(|to| to.is_some() && stay.next().unwrap_or(false)).collect()
}

/// Pairs equal lines, from both ends inwards first. Among several equal lines it pairs in order.
fn pair_equal_lines(old: &[PartLine], new: &[PartLine]) -> Vec<Option<usize>> {
    let keys = |lines: &[PartLine]| lines.iter().map(|line| says(line.cells.iter())).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(old), keys(new));
    let head = old_keys.iter().zip(&new_keys).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (&old_keys[head..], &new_keys[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let mut partner = vec![None; old.len()];
    (0..head).for_each(|at| partner[at] = Some(at));
    (1..=tail).for_each(|at| partner[old.len() - at] = Some(new.len() - at));
    pair_by(old, new, &mut partner, |line| Some(says(line.cells.iter())));
    partner
}

fn says<'l>(cells: impl Iterator<Item = &'l PartCell>) -> String {
    let cells = cells.filter(|cell| !cell.is_open());
    let mut cells: Vec<String> =
        cells.map(|cell| format!("{}\u{1f}{}\u{1e}", cell.column.meaning(), cell.value.meaning())).collect();
    cells.sort();
    cells.concat()
}

/// What a line tests, if anything. Lines with the same tests apply to the same people, whatever they give.
fn asks(line: &PartLine) -> Option<String> {
    let asked = says(line.cells.iter().filter(|cell| cell.is_test));
    (!asked.is_empty()).then_some(asked)
}

/// Pairs the lines that have no partner yet and have the same key.
fn pair_by(
    old: &[PartLine],
    new: &[PartLine],
    partner: &mut [Option<usize>],
    key: impl Fn(&PartLine) -> Option<String>,
) {
    let taken = taken(partner, new.len());
    let mut waiting: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, line) in new.iter().enumerate().rev().filter(|(at, _)| !taken[*at]) {
        if let Some(key) = key(line) {
            waiting.entry(key).or_default().push(at);
        }
    }
    for (at, line) in old.iter().enumerate() {
        if partner[at].is_none() {
            partner[at] = key(line).and_then(|key| waiting.get_mut(&key)).and_then(Vec::pop);
        }
    }
}

fn taken(partner: &[Option<usize>], length: usize) -> Vec<bool> {
    let mut taken = vec![false; length];
    partner.iter().flatten().for_each(|at| taken[*at] = true);
    taken
}

/// Pairs lines that have at least half of their cells in common: the most similar first, and of these the nearest.
fn pair_similar(old: &[PartLine], new: &[PartLine], partner: &mut [Option<usize>], weights: &[usize]) {
    let mut taken = taken(partner, new.len());
    let gone: Vec<usize> = (0..old.len()).filter(|at| partner[*at].is_none()).collect();
    let come: Vec<usize> = (0..new.len()).filter(|at| !taken[*at]).collect();
    if gone.len().saturating_mul(come.len()) > COMPARED_MAX {
        return;
    }
    let (old_gaps, new_gaps) = gaps(partner, &in_place(partner, weights), new.len());
    let mut tried = Vec::new();
    for from in &gone {
        for to in &come {
            let (line, other) = (&old[*from], &new[*to]);
            let all = line.cells.len().max(other.cells.len());
            let differ = differing_cells(line, other).count();
            if differ < all && 2 * differ <= all {
                let apart = (old_gaps[*from].abs_diff(new_gaps[*to]), from.abs_diff(*to));
                tried.push(((1000 * differ / all, apart), *from, *to));
            }
        }
    }
    tried.sort();
    for (_, from, to) in tried {
        if partner[from].is_none() && !taken[to] {
            partner[from] = Some(to);
            taken[to] = true;
        }
    }
}

/// Pairs lines in order where, between two lines that stay, as many were added as removed.
fn pair_by_place(partner: &mut [Option<usize>], length: usize, weights: &[usize]) {
    let (old_gaps, new_gaps) = gaps(partner, &in_place(partner, weights), length);
    let taken = taken(partner, length);
    let mut gaps: HashMap<usize, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for at in (0..partner.len()).filter(|at| partner[*at].is_none()) {
        gaps.entry(old_gaps[at]).or_default().0.push(at);
    }
    for at in (0..length).filter(|at| !taken[*at]) {
        gaps.entry(new_gaps[at]).or_default().1.push(at);
    }
    for (gone, come) in gaps.into_values().filter(|(gone, come)| gone.len() == come.len()) {
        gone.into_iter().zip(come).for_each(|(from, to)| partner[from] = Some(to));
    }
}

/// For each line of both lists, the number of staying lines up to it.
fn gaps(partner: &[Option<usize>], stay: &[bool], length: usize) -> (Vec<usize>, Vec<usize>) {
    let mut stays = vec![false; length];
    partner.iter().zip(stay).filter(|(_, stay)| **stay).flat_map(|(to, _)| to).for_each(|to| stays[*to] = true);
    let count = |stays: &[bool]| {
        let mut before = 0;
        let gap = |stays: &bool| {
            before += usize::from(*stays);
            before
        };
        stays.iter().map(gap).collect()
    };
    (count(stay), count(&stays))
}

#[cfg(test)]
mod tests {
    use super::keep_in_order;

    #[test]
    fn as_little_as_can_be_is_moved() {
        assert_eq!(keep_in_order(&[], &[]), Vec::<bool>::new());
        assert_eq!(keep_in_order(&[0, 1, 2], &[1; 3]), [true; 3]);
        assert_eq!(keep_in_order(&[3, 0, 1, 2], &[1; 4]), [false, true, true, true]);
        assert_eq!(keep_in_order(&[1, 0], &[5, 1]), [true, false]);
        assert_eq!(keep_in_order(&[1, 0], &[1, 5]), [false, true]);
        // Compared with every possible choice.
        let places = [4, 0, 6, 2, 5, 1, 3];
        let weights = [3, 1, 1, 4, 1, 5, 1];
        let weight = |stay: &dyn Fn(usize) -> bool| (0..7).filter(|at| stay(*at)).map(|at| weights[at]).sum::<usize>();
        let in_order = |mask: &usize| (0..7).filter(|at| mask >> at & 1 == 1).map(|at| places[at]).is_sorted();
        let best = (0_usize..128).filter(in_order).map(|mask| weight(&|at| mask >> at & 1 == 1)).max();
        let stay = keep_in_order(&places, &weights);
        assert_eq!(Some(weight(&|at| stay[at])), best);
    }
}
