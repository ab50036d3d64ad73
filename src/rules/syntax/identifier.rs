//! The rules for names in rule files.

/// Whether a text can be a name: lowercase ASCII letters, digits and `_`, beginning with a letter.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// `limitIncomes` as limit_incomes.
pub(in crate::rules) fn snake_case(text: &str) -> Option<String> {
    let mut better = String::new();
    for letter in text.chars() {
        match letter {
            'A'..='Z' if better.ends_with(|last: char| last.is_ascii_lowercase() || last.is_ascii_digit()) => {
                better.push('_');
                better.push(letter.to_ascii_lowercase());
            }
            ' ' | '-' => better.push('_'),
            letter => better.push(letter.to_ascii_lowercase()),
        }
    }
    is_name(&better).then_some(better)
}
