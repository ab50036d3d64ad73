//! Keys out of the names that a tagger found. Knows nothing of how narrations are built.

/// What stands between the names.
const SEPARATOR: char = '\u{1f}';

/// Letters of a name that are read.
const NAME_MAX: usize = 128;

/// Names in a key at most.
const NAMES_MAX: usize = 3;

/// The one name there is. Of several the one that the narration has in the other side's place: the account holder's own name is often among them.
/// Where that does not tell, all of them in the order of the alphabet: the tagger's order means nothing.
pub(super) fn key(people: Option<&str>, of_narration: impl Fn() -> Option<String>) -> Option<String> {
    let mut names: Vec<String> = people?.split(SEPARATOR).map(plain).filter(|name| is_name(name)).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() < 2 {
        return names.pop();
    }
    if let Some(said) = of_narration() {
        let mut fitting = names.iter().filter(|name| name.starts_with(&said) || said.starts_with(name.as_str()));
        if let (Some(name), None) = (fitting.next(), fitting.next()) {
            return Some(name.clone());
        }
    }
    names.truncate(NAMES_MAX);
    Some(names.join(" "))
}

/// In lower case, with single blanks.
fn plain(name: &str) -> String {
    let mut text = String::with_capacity(name.len().min(NAME_MAX));
    for word in name.split_whitespace() {
        if text.len() >= NAME_MAX {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.extend(word.chars().take(NAME_MAX).flat_map(char::to_lowercase));
    }
    text
}

/// `N/A` is how some exports write nothing.
fn is_name(name: &str) -> bool {
    name.chars().any(char::is_alphabetic) && !matches!(name, "n/a" | "null" | "none")
}
