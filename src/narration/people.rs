//! Keys from the names that a tagger found. Knows nothing of how narrations are built.

/// What stands between the names.
const SEPARATOR: char = '\u{1f}';

/// Letters of a name that are read.
const NAME_MAX: usize = 128;

/// Names in a key at most.
const NAMES_MAX: usize = 3;

/// The one name there is. Of several the one that the narration has in the other side's place: the account holder's own
/// name is often among them. Where that does not tell, all of them in the order of the alphabet: the tagger's order
/// means nothing. It is added to `key`. Returns whether there is one.
pub(super) fn key(people: Option<&str>, of_narration: impl Fn() -> Option<String>, key: &mut String) -> bool {
    let Some(people) = people else { return false };
    if !people.contains(SEPARATOR) {
        write_plain(people, key);
        return is_name(key);
    }
    let mut names: Vec<String> = people.split(SEPARATOR).map(plain).filter(|name| is_name(name)).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() > 1
        && let Some(named) = of_narration()
    {
        let mut fitting = names.iter().filter(|name| name.starts_with(&named) || named.starts_with(name.as_str()));
        if let (Some(name), None) = (fitting.next(), fitting.next()) {
            key.push_str(name);
            return true;
        }
    }
    names.truncate(NAMES_MAX);
    key.push_str(&names.join(" "));
    !names.is_empty()
}

/// In lower case, with single blanks.
fn plain(name: &str) -> String {
    let mut text = String::with_capacity(name.len().min(NAME_MAX));
    write_plain(name, &mut text);
    text
}

fn write_plain(name: &str, text: &mut String) {
    for word in name.split_whitespace() {
        if text.len() >= NAME_MAX {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        if word.is_ascii() {
            let from = text.len();
            text.push_str(word.get(..NAME_MAX).unwrap_or(word));
            if let Some(added) = text.get_mut(from..) {
                added.make_ascii_lowercase();
            }
        } else {
            text.extend(word.chars().take(NAME_MAX).flat_map(char::to_lowercase));
        }
    }
}

/// `N/A` is how some exports write nothing.
fn is_name(name: &str) -> bool {
    name.chars().any(char::is_alphabetic) && !matches!(name, "n/a" | "null" | "none")
}
