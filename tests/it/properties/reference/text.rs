//! Text tests of the reference: the shortest definitions there are.

/// SQL's LIKE by its definition: `%` is any run, `_` any one character.
pub fn like(pattern: &[char], text: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('%', rest)) => (0..=text.len()).any(|skip| like(rest, &text[skip..])),
        Some(('_', rest)) => !text.is_empty() && like(rest, &text[1..]),
        Some((wanted, rest)) => text.first() == Some(wanted) && like(rest, &text[1..]),
    }
}

pub fn chars(text: &str, any_case: bool) -> Vec<char> {
    if any_case { text.to_lowercase().chars().collect() } else { text.chars().collect() }
}

/// Whether one of the words stands in the text on its own, in any ASCII case: no letter or digit beside it.
pub fn mentions(words: &[&str], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let is_letter = |at: Option<&char>| at.is_some_and(|c| c.is_alphanumeric());
    words.iter().map(|word| word.chars().collect::<Vec<char>>()).any(|word| {
        (0..text.len()).any(|start| {
            let Some(part) = text.get(start..start + word.len()) else { return false };
            let same = part.iter().zip(&word).all(|(a, b)| a.eq_ignore_ascii_case(b));
            same && !is_letter(start.checked_sub(1).and_then(|at| text.get(at)))
                && !is_letter(text.get(start + word.len()))
        })
    })
}
