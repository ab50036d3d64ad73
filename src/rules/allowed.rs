//! Warnings that a comment allows where they stand: `# check allow price-order: the first loan is a gift`. Must not
//! know what is warned of.

use std::collections::HashMap;

use crate::words::diagnostic::{Diagnostic, Severity, Source, Sources, Span};

const DIRECTIVE: &str = "# check allow ";

/// A comment that allows warnings of one code, on its line or on the next line that is no comment.
struct Allowed<'s> {
    code: &'s str,
    reason: &'s str,
    span: Span,
    /// The line on which it allows them, from 0.
    line: usize,
    was_needed: bool,
}

/// Removes the warnings that a comment allows.
pub(crate) fn remove(found: &mut Vec<Diagnostic>, sources: &Sources) {
    let mut allowed = Vec::new();
    remove_and_note(found, sources, &mut allowed);
}

/// As [`remove`]. Also warns of comments in the first file that give no reason, or allow what is not found.
pub(crate) fn remove_and_report(found: &mut Vec<Diagnostic>, sources: &Sources) {
    let mut allowed = Vec::new();
    remove_and_note(found, sources, &mut allowed);
    for comment in allowed.iter().filter(|comment| comment.span.source == 0) {
        let code = comment.code;
        if comment.reason.is_empty() {
            let help = format!("say why: {DIRECTIVE}{code}: ...");
            let message = format!("`{code}` is allowed without a reason");
            found.push(Diagnostic::warning("allow", comment.span, message).label("no reason").help(help));
        } else if !comment.was_needed {
            let message = format!("`{code}` is allowed, but is not found here");
            let help = "delete the comment, or put it on the warning's line or above it";
            found.push(Diagnostic::warning("allow", comment.span, message).label("allows nothing").help(help));
        }
    }
}

fn remove_and_note<'s>(found: &mut Vec<Diagnostic>, sources: &'s Sources, allowed: &mut Vec<Allowed<'s>>) {
    let mut starts: HashMap<u32, Vec<usize>> = HashMap::new();
    for (source, number) in sources.iter().zip(0..) {
        let before = allowed.len();
        comments(source, number, allowed);
        if allowed.len() > before {
            let lines = source.text.match_indices('\n').map(|(at, _)| at + 1);
            starts.insert(number, std::iter::once(0).chain(lines).collect());
        }
    }
    found.retain(|warning| {
        let Some(starts) = starts.get(&warning.span.source).filter(|_| warning.severity == Severity::Warning) else {
            return true;
        };
        let line = starts.partition_point(|start| *start <= warning.span.start as usize).saturating_sub(1);
        let mut is_allowed = false;
        for comment in &mut *allowed {
            let fits = comment.code == warning.code
                && (comment.span.source, comment.line) == (warning.span.source, line)
                && !comment.reason.is_empty();
            comment.was_needed |= fits;
            is_allowed |= fits;
        }
        !is_allowed
    });
}

fn comments<'s>(source: &'s Source, number: u32, allowed: &mut Vec<Allowed<'s>>) {
    let (mut start, from) = (0, allowed.len());
    for (line, text) in source.text.split('\n').enumerate() {
        let is_comment = text.trim_start().starts_with('#');
        if !is_comment {
            // Comments just above stand for this line.
            for comment in allowed[from..].iter_mut().filter(|comment| comment.line == usize::MAX) {
                comment.line = line;
            }
        }
        if let Some(at) = text.find(DIRECTIVE) {
            let said = text[at + DIRECTIVE.len()..].trim();
            let (code, reason) = said.split_once(':').unwrap_or((said, ""));
            let span = Span::new(number, start + at, start + text.trim_end().len());
            let line = if is_comment { usize::MAX } else { line };
            allowed.push(Allowed { code: code.trim(), reason: reason.trim(), span, line, was_needed: false });
        }
        start += text.len() + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Sources, Span, remove, remove_and_report};

    fn found(text: &str, codes: &[(&'static str, &str)]) -> (Vec<Diagnostic>, Sources) {
        let mut sources = Sources::default();
        let number = sources.add("a.toml", text);
        let at = |place: &str| {
            let start = text.find(place).expect("it is there");
            Span::new(number, start, start + place.len())
        };
        let found = codes.iter().map(|(code, place)| Diagnostic::warning(code, at(place), "wrong")).collect();
        (found, sources)
    }

    fn left(text: &str, codes: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        let (mut found, sources) = found(text, codes);
        remove_and_report(&mut found, &sources);
        found.into_iter().map(|left| (left.code, left.message)).collect()
    }

    #[test]
    fn a_comment_allows_what_stands_on_its_line_or_below() {
        assert_eq!(left("a = 1 # check allow gap: why\n", &[("gap", "a = 1")]), []);
        assert_eq!(left("# check allow gap: why\n# more\na = 1\n", &[("gap", "a = 1")]), []);
        let both = "# check allow gap: why\n# check allow unused: why\n  a = 1\r\n";
        assert_eq!(left(both, &[("gap", "a = 1"), ("unused", "a = 1")]), []);
        let several = left("# check allow gap: why\na = 1\nb = 1\n", &[("gap", "a = 1"), ("gap", "b = 1")]);
        assert_eq!(several, [("gap", "wrong".to_owned())]);
    }

    #[test]
    fn what_allows_nothing_or_gives_no_reason_is_a_warning() {
        let unused = "`gap` is allowed, but is not found here".to_owned();
        assert_eq!(left("# check allow gap: why\na = 1\n", &[]), [("allow", unused.clone())]);
        assert_eq!(left("a = 1\n# check allow gap: why", &[("gap", "a = 1")]).len(), 2);
        let no_reason = "`gap` is allowed without a reason".to_owned();
        let wrong = ("gap", "wrong".to_owned());
        assert_eq!(left("a = 1 # check allow gap:\n", &[("gap", "a")]), [wrong.clone(), ("allow", no_reason.clone())]);
        assert_eq!(left("a = 1 # check allow gap\n", &[("gap", "a")]), [wrong, ("allow", no_reason)]);
    }

    #[test]
    fn errors_are_never_allowed() {
        let (_, sources) = found("a = 1 # check allow gap: why\n", &[]);
        let mut found = vec![Diagnostic::error("gap", Span::new(0, 0, 1), "wrong")];
        remove(&mut found, &sources);
        assert_eq!(found.len(), 1);
    }
}
