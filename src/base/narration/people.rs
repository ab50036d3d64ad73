//! Keys from the names that a tagger found.

/// Separates the names.
const SEPARATOR: char = '\u{1f}';

/// Most bytes of a name that are read.
const NAME_MAX: usize = 128;

/// Most names in a key.
const NAMES_MAX: usize = 3;

/// Appends the name of the counterparty to `key`, and returns whether there is one. The account holder's own name is
/// often among several, so this picks the one that the narration has at the counterparty's place. If that does not
/// decide, it takes all names in alphabetical order, because the tagger's order means nothing.
pub(super) fn append_tagged_name_key(
    people: Option<&str>,
    narration_key: impl Fn() -> Option<String>,
    key: &mut String,
) -> bool {
    let Some(people) = people else { return false };
    if !people.contains(SEPARATOR) {
        write_plain(people, key);
        return is_name(key);
    }
    let mut names: Vec<String> = people.split(SEPARATOR).map(plain).filter(|name| is_name(name)).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() > 1
        && let Some(named) = narration_key()
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

/// The name in lower case, with single blanks.
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

/// Whether it is a name. Some exports write `N/A` for none.
fn is_name(name: &str) -> bool {
    name.chars().any(char::is_alphabetic) && !matches!(name, "n/a" | "null" | "none")
}
