//! Changes between policies, printed by section: the old value, then the new one. Knows nothing of how they are found.

use crate::authoring::diff::PolicyChange;
use crate::report::aligned::measure_text_width;

/// The width of a line. Longer texts are wrapped, or go on lines of their own.
const WIDTH: usize = 110;

/// All changes, under headings.
pub(super) fn format_all_changes(changes: &[PolicyChange]) -> String {
    if changes.is_empty() {
        return "they say the same".to_owned();
    }
    let mut lines = Vec::new();
    for policy in changes.chunk_by(|one, other| policy_key(one) == policy_key(other)) {
        let heading = heading_of_changes(policy);
        let indent = if heading.is_empty() { 0 } else { 2 };
        lines.extend((!heading.is_empty()).then_some(heading));
        let changes: Vec<&PolicyChange> = policy.iter().filter(|change| !is_version(change)).collect();
        for section in changes.chunk_by(|one, other| section_title_of(one) == section_title_of(other)) {
            lines.push(format!("{:indent$}{}", "", section_title_of(section[0])));
            for same in section.chunk_by(|one, other| is_word(one) && word_key(one) == word_key(other)) {
                lines.extend(describe_changes(same, indent + 2));
            }
        }
    }
    lines.join("\n")
}

/// Changes with the same key belong to the same policy.
fn policy_key(change: &PolicyChange) -> (Option<&String>, bool) {
    (change.version.as_ref(), change.challenger)
}

/// Whether a whole version was added or removed.
fn is_version(change: &PolicyChange) -> bool {
    (change.section, change.what.as_str()) == ("policy", "version")
        && (change.before.is_none() || change.after.is_none())
}

/// The policy that the changes belong to. Empty for the policy named on the command line.
fn heading_of_changes(changes: &[PolicyChange]) -> String {
    let Some(first) = changes.first() else { return String::new() };
    let challenger = first.challenger.then_some("challenger".to_owned());
    let version = first.version.as_ref().map(|version| match (is_version(first), &first.before, &first.against) {
        (true, Some(_), _) => format!("version {version} is gone"),
        (true, None, None) => format!("version {version} is new"),
        (true, None, Some(against)) if changes.len() == 1 => {
            format!("version {version} is new; it says the same as version {against}")
        }
        (true, None, Some(against)) => format!("version {version} is new; compared with version {against}:"),
        _ => format!("version {version}"),
    });
    version.into_iter().chain(challenger).collect::<Vec<_>>().join(", ")
}

/// The section, as written in the rule file.
fn section_title_of(change: &PolicyChange) -> String {
    match change.section {
        "require" | "offer" | "property" => format!("[[{}]]", change.section),
        "table" => format!("[table.{}]", change.name),
        section => format!("[{section}]"),
    }
}

fn is_word(change: &PolicyChange) -> bool {
    change.what == "word"
}

/// Changes with the same key are added words of one list, or removed words of it.
fn word_key(change: &PolicyChange) -> (&str, bool) {
    (&change.name, change.before.is_none())
}

/// Describes one change, or several changes of words.
fn describe_changes(changes: &[&PolicyChange], indent: usize) -> Vec<String> {
    let Some(change) = changes.first() else { return Vec::new() };
    let name = if change.section == "table" { "" } else { change.name.as_str() };
    let what = if is_word(change) { "" } else { change.what.as_str() };
    let subject: Vec<&str> = [name, what].into_iter().filter(|word| !word.is_empty()).collect();
    let subject = subject.join(", ");
    let with_verb = |verb: &str| match subject.as_str() {
        "" => verb.to_owned(),
        subject => format!("{subject} {verb}"),
    };
    match (&change.before, &change.after) {
        (Some(before), Some(after)) if what == "name" && change.section != "policy" => {
            vec![format!("{:indent$}{before} renamed to {after}", "")]
        }
        (Some(before), Some(after)) if before == after => lines_of_listed_text(&subject, &one_line(before), indent),
        (Some(before), Some(after)) => lines_of_replacement(&subject, before, after, indent),
        (Some(_), None) | (None, Some(_)) if is_word(change) => {
            let words = changes.iter().filter_map(|change| change.after.as_ref().or(change.before.as_ref()));
            let words: Vec<&str> = words.map(String::as_str).collect();
            let verb = if change.after.is_some() { "new words" } else { "words removed" };
            lines_of_listed_text(&format!("{subject}, {verb}"), &words.join(", "), indent)
        }
        (None, Some(text)) => with_content(&with_verb("added"), text, indent),
        (Some(text), None) => with_content(&with_verb("removed"), text, indent),
        (None, None) => Vec::new(),
    }
}

fn lines_of_replacement(subject: &str, before: &str, after: &str, indent: usize) -> Vec<String> {
    let (mut old, mut new) = (one_line(before), one_line(after));
    if old == new {
        // Only white space differs: show it.
        (old, new) = (format!("{before:?}"), format!("{after:?}"));
    }
    let line = format!("{:indent$}{subject}: {old} -> {new}", "");
    if measure_text_width(&line) <= WIDTH {
        return vec![line];
    }
    let mut lines = vec![format!("{:indent$}{subject}:", "")];
    lines.extend(wrap_between_words("before  ", &old, indent + 2));
    lines.extend(wrap_between_words("after   ", &new, indent + 2));
    lines
}

/// Something added or removed, with its content: on the same line if it fits, else below.
fn with_content(subject: &str, text: &str, indent: usize) -> Vec<String> {
    let content: Vec<String> = text.lines().map(one_line).collect();
    let line = format!("{:indent$}{subject}: {}", "", content.join("; "));
    if measure_text_width(&line) <= WIDTH && content.len() <= 4 {
        return vec![line];
    }
    let mut lines = vec![format!("{:indent$}{subject}:", "")];
    lines.extend(content.iter().flat_map(|line| wrap_between_words("", line, indent + 2)));
    lines
}

fn lines_of_listed_text(subject: &str, text: &str, indent: usize) -> Vec<String> {
    let line = format!("{:indent$}{subject}: {text}", "");
    if measure_text_width(&line) <= WIDTH {
        return vec![line];
    }
    let mut lines = vec![format!("{:indent$}{subject}:", "")];
    lines.extend(wrap_between_words("", text, indent + 2));
    lines
}

/// The text on one line, with single spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Wraps the text between words.
fn wrap_between_words(label: &str, text: &str, indent: usize) -> Vec<String> {
    let width = WIDTH.saturating_sub(indent + label.len().max(4)).max(40);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && measure_text_width(&line) + 1 + measure_text_width(word) > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines.push(line);
    // Continuation lines are indented further.
    let margin = " ".repeat(if label.is_empty() { 4 } else { label.len() });
    let lead = |at: usize| if at == 0 { label } else { margin.as_str() };
    lines.iter().enumerate().map(|(at, line)| format!("{:indent$}{}{line}", "", lead(at))).collect()
}
