//! Rows, bins and words compared by what they say: one that was put in is one change, however many follow it.

/// One row that changed, with its place, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub before: Option<String>,
    pub after: Option<String>,
    old: usize,
    new: usize,
}

impl Line {
    /// Where it is, or was.
    pub(super) fn place(&self) -> String {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) if before == after => format!("{} moved to {}", self.old + 1, self.new + 1),
            (_, Some(_)) => (self.new + 1).to_string(),
            _ => (self.old + 1).to_string(),
        }
    }
}

/// What changed from one list to the other.
pub(super) fn compare(old: &[String], new: &[String]) -> Vec<Line> {
    let kept = longest_common(old, new);
    let mut lines = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    for (at_old, at_new) in kept.into_iter().chain([(old.len(), new.len())]) {
        // Between two rows that stayed: what stands in the place of another is a change of it.
        let (gone, come) = (from_old..at_old, from_new..at_new);
        let both = gone.len().min(come.len());
        let here = |index: usize| (gone.start + index, come.start + index);
        for (old_at, new_at) in (0..both).map(here) {
            lines.push(Line {
                before: Some(old[old_at].clone()),
                after: Some(new[new_at].clone()),
                old: old_at,
                new: new_at,
            });
        }
        lines.extend(gone.clone().skip(both).map(|at| Line {
            before: Some(old[at].clone()),
            after: None,
            old: at,
            new: come.end,
        }));
        lines.extend(come.clone().skip(both).map(|at| Line {
            before: None,
            after: Some(new[at].clone()),
            old: gone.end,
            new: at,
        }));
        (from_old, from_new) = (at_old + 1, at_new + 1);
    }
    moved(&mut lines);
    lines
}

/// What is gone in one place and there in another has moved.
fn moved(lines: &mut Vec<Line>) {
    let mut at = 0;
    while at < lines.len() {
        let other = match &lines[at] {
            Line { before: Some(gone), after: None, .. } => {
                lines.iter().position(|other| other.before.is_none() && other.after.as_ref() == Some(gone))
            }
            _ => None,
        };
        if let Some(other) = other {
            let (after, new) = (lines[other].after.clone(), lines[other].new);
            lines[at].after = after;
            lines[at].new = new;
            lines.remove(other);
            at = at.saturating_sub(usize::from(other < at));
        }
        at += 1;
    }
}

/// The places of the rows that stayed, in both lists. Beyond a bound only what is alike at both ends counts: the time grows with
/// the product of the lengths.
fn longest_common(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    const CELLS_MAX: usize = 4_000_000;
    let head = old.iter().zip(new).take_while(|(left, right)| left == right).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(left, right)| left == right).count();
    let (inner_old, inner_new) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut kept: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    if inner_old.len() * inner_new.len() <= CELLS_MAX {
        let width = inner_new.len() + 1;
        let mut length = vec![0u32; (inner_old.len() + 1) * width];
        for left in (0..inner_old.len()).rev() {
            for right in (0..inner_new.len()).rev() {
                length[left * width + right] = match inner_old[left] == inner_new[right] {
                    true => length[(left + 1) * width + right + 1] + 1,
                    false => length[(left + 1) * width + right].max(length[left * width + right + 1]),
                };
            }
        }
        let (mut left, mut right) = (0, 0);
        while left < inner_old.len() && right < inner_new.len() {
            if inner_old[left] == inner_new[right] {
                kept.push((head + left, head + right));
                (left, right) = (left + 1, right + 1);
            } else if length[(left + 1) * width + right] >= length[left * width + right + 1] {
                left += 1;
            } else {
                right += 1;
            }
        }
    }
    kept.extend((0..tail).map(|at| (old.len() - tail + at, new.len() - tail + at)));
    kept
}
