//! What somebody probably meant to write. Must not know what the names stand for.

/// The name nearest to what was written, if it is near enough to be a slip of the fingers.
pub(crate) fn nearest<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let written = written.to_ascii_lowercase();
    names
        .into_iter()
        .map(|name| (distance(&written, name), name))
        .filter(|(steps, name)| *steps <= (name.len() / 3).min(2))
        .min()
        .map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbours between two short texts.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().take(64).collect(), right.chars().take(64).collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, r) in right.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let mut steps = (at(&last, j) + usize::from(l != r)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && left.get(i - 1) == Some(r) && right.get(j - 1) == Some(l);
            if swapped {
                steps = steps.min(at(&before, j - 1) + 1);
            }
            row.push(steps);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        let names = ["id", "trans_date", "credit", "debit"];
        assert_eq!(nearest("crediit", names), Some("credit"));
        assert_eq!(nearest("Credit", names), Some("credit"));
        assert_eq!(nearest("tras_dtae", names), Some("trans_date"));
        assert_eq!(nearest("deibt", names), Some("debit"));
        assert_eq!(nearest("manual", names), None);
        assert_eq!(nearest("ID", names), Some("id"));
        assert_eq!(nearest("ix", names), None);
    }
}
