//! Changes between policies as people read them: by section, with what was before what is. Knows nothing of how they are found.

use crate::comparison::Change;

/// What fits a line; a text that does not is broken, or stands on a line of its own.
const WIDTH: usize = 110;

/// All changes, under headings.
pub(super) fn text(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "nothing that they say differs".to_owned();
    }
    let mut lines = Vec::new();
    for policy in changes.chunk_by(|one, other| whose(one) == whose(other)) {
        let heading = heading(policy);
        let indent = if heading.is_empty() { 0 } else { 2 };
        lines.extend((!heading.is_empty()).then_some(heading));
        let told: Vec<&Change> = policy.iter().filter(|change| !is_version(change)).collect();
        for section in told.chunk_by(|one, other| title(one) == title(other)) {
            lines.push(format!("{:indent$}{}", "", title(section[0])));
            for same in section.chunk_by(|one, other| is_word(one) && word_of(one) == word_of(other)) {
                lines.extend(told_of(same, indent + 2));
            }
        }
    }
    lines.join("\n")
}

fn whose(change: &Change) -> (Option<&String>, bool) {
    (change.version.as_ref(), change.challenger)
}

/// A version that is there as a whole, or is not.
fn is_version(change: &Change) -> bool {
    (change.section, change.what.as_str()) == ("policy", "version")
        && (change.before.is_none() || change.after.is_none())
}

/// Which policy the changes are of; empty for the one that was given.
fn heading(changes: &[Change]) -> String {
    let Some(first) = changes.first() else { return String::new() };
    let challenger = first.challenger.then_some("challenger".to_owned());
    let version = first.version.as_ref().map(|version| match (is_version(first), &first.before, &first.against) {
        (true, Some(_), _) => format!("version {version} is gone"),
        (true, None, None) => format!("version {version} is new"),
        (true, None, Some(against)) if changes.len() == 1 => {
            format!("version {version} is new; it says what version {against} says")
        }
        (true, None, Some(against)) => format!("version {version} is new; against version {against}:"),
        _ => format!("version {version}"),
    });
    version.into_iter().chain(challenger).collect::<Vec<_>>().join(", ")
}

/// The section as the file writes it.
fn title(change: &Change) -> String {
    match change.section {
        "require" | "offer" | "property" => format!("[[{}]]", change.section),
        "table" => format!("[table.{}]", change.name),
        section => format!("[{section}]"),
    }
}

fn is_word(change: &Change) -> bool {
    change.what == "word"
}

/// Words of one list that came, or that went.
fn word_of(change: &Change) -> (&str, bool) {
    (&change.name, change.before.is_none())
}

/// What one change says; of words, several.
fn told_of(changes: &[&Change], indent: usize) -> Vec<String> {
    let Some(change) = changes.first() else { return Vec::new() };
    let name = if change.section == "table" { "" } else { change.name.as_str() };
    let what = if is_word(change) { "" } else { change.what.as_str() };
    let subject: Vec<&str> = [name, what].into_iter().filter(|word| !word.is_empty()).collect();
    let subject = subject.join(", ");
    let happened = |verb: &str| match subject.as_str() {
        "" => verb.to_owned(),
        subject => format!("{subject} {verb}"),
    };
    match (&change.before, &change.after) {
        (Some(before), Some(after)) if what == "name" && change.section != "policy" => {
            vec![format!("{:indent$}{before} is called {after} now", "")]
        }
        (Some(before), Some(after)) if before == after => short(&subject, &folded(before), indent),
        (Some(before), Some(after)) => replaced(&subject, before, after, indent),
        (Some(_), None) | (None, Some(_)) if is_word(change) => {
            let words = changes.iter().filter_map(|change| change.after.as_ref().or(change.before.as_ref()));
            let words: Vec<&str> = words.map(String::as_str).collect();
            let verb = if change.after.is_some() { "new words" } else { "words removed" };
            short(&format!("{subject}, {verb}"), &words.join(", "), indent)
        }
        (None, Some(text)) => whole(&happened("added"), text, indent),
        (Some(text), None) => whole(&happened("removed"), text, indent),
        (None, None) => Vec::new(),
    }
}

fn replaced(subject: &str, before: &str, after: &str, indent: usize) -> Vec<String> {
    let (mut was, mut is) = (folded(before), folded(after));
    if was == is {
        // Nothing but white space differs, which must be seen to be believed.
        (was, is) = (format!("{before:?}"), format!("{after:?}"));
    }
    let line = format!("{:indent$}{subject}: {was} -> {is}", "");
    if line.chars().count() <= WIDTH {
        return vec![line];
    }
    let mut lines = vec![format!("{:indent$}{subject}:", "")];
    lines.extend(wrapped("before  ", &was, indent + 2));
    lines.extend(wrapped("after   ", &is, indent + 2));
    lines
}

/// What is new or gone, with what it says: beside it if that is little, else below it.
fn whole(subject: &str, text: &str, indent: usize) -> Vec<String> {
    let said: Vec<String> = text.lines().map(folded).collect();
    let line = format!("{:indent$}{subject}: {}", "", said.join("; "));
    if line.chars().count() <= WIDTH && said.len() <= 4 {
        return vec![line];
    }
    let mut lines = vec![format!("{:indent$}{subject}:", "")];
    lines.extend(said.iter().flat_map(|said| wrapped("", said, indent + 2)));
    lines
}

fn short(subject: &str, text: &str, indent: usize) -> Vec<String> {
    let line = format!("{:indent$}{subject}: {text}", "");
    if line.chars().count() <= WIDTH {
        return vec![line];
    }
    let mut lines = vec![format!("{:indent$}{subject}:", "")];
    lines.extend(wrapped("", text, indent + 2));
    lines
}

/// On one line, whatever it was written on.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Broken between words where it does not fit.
fn wrapped(label: &str, text: &str, indent: usize) -> Vec<String> {
    let room = WIDTH.saturating_sub(indent + label.len().max(4)).max(40);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines.push(line);
    // What goes on is seen to: it stands further in.
    let margin = " ".repeat(if label.is_empty() { 4 } else { label.len() });
    let lead = |at: usize| if at == 0 { label } else { margin.as_str() };
    lines.iter().enumerate().map(|(at, line)| format!("{:indent$}{}{line}", "", lead(at))).collect()
}
