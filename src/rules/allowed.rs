//! Warnings that a comment allows where they stand: `# check allow price-order: the first loan is a gift`.

use std::collections::HashMap;

use toml_parser::lexer::TokenKind;

use crate::base::diagnostic::{Diagnostic, Severity, Source, Sources, Span};

const DIRECTIVE: &str = "check allow ";

/// A comment that allows warnings of one code, on its line or on the next line that is no comment.
struct Allowed<'s> {
    code: &'s str,
    reason: &'s str,
    span: Span,
    /// The line on which it allows them, from 0.
    line: usize,
    was_needed: bool,
}

/// The comments of all files that allow warnings, and where the lines of each file begin.
struct Comments<'s> {
    allowed: Vec<Allowed<'s>>,
    starts: HashMap<u32, Vec<usize>>,
}

/// A file, and what is found of it elsewhere.
type Reported<'r> = (u32, &'r dyn Fn() -> Vec<Diagnostic>);

/// Removes the warnings that a comment allows. With `report`, also warns of comments in its file that give no reason,
/// or allow what is found neither here nor elsewhere, which is asked only if there is such a comment.
pub(crate) fn remove_allowed_warnings(found: &mut Vec<Diagnostic>, sources: &Sources, report: Option<Reported<'_>>) {
    let mut comments = Comments::read(sources);
    comments.remove(found);
    let Some((own, elsewhere)) = report else { return };
    comments.allowed.retain(|comment| comment.span.source == own);
    let is_idle = |comment: &&Allowed| !comment.reason.is_empty() && !comment.was_needed;
    if comments.allowed.iter().any(|comment| is_idle(&comment)) {
        comments.remove(&mut elsewhere());
    }
    for comment in &comments.allowed {
        let code = comment.code;
        if comment.reason.is_empty() {
            let message = format!("`{code}` is allowed without a reason");
            let help = format!("say why: # {DIRECTIVE}{code}: ...");
            found.push(Diagnostic::warning("allow", comment.span, message).label("no reason").help(help));
        } else if is_idle(&comment) {
            let message = format!("`{code}` is allowed, but is not found here");
            let help = "delete the comment, or put it on the warning's line or above it";
            found.push(Diagnostic::warning("allow", comment.span, message).label("allows nothing").help(help));
        }
    }
}

impl<'s> Comments<'s> {
    fn read(sources: &'s Sources) -> Comments<'s> {
        let (mut allowed, mut starts) = (Vec::new(), HashMap::new());
        for (source, number) in sources.iter().zip(0..).filter(|(source, _)| source.text.contains(DIRECTIVE)) {
            let ends = source.text.match_indices('\n').map(|(at, _)| at + 1);
            let lines: Vec<usize> = std::iter::once(0).chain(ends).collect();
            allowed.extend(in_source(source, number, &lines));
            starts.insert(number, lines);
        }
        Comments { allowed, starts }
    }

    fn remove(&mut self, found: &mut Vec<Diagnostic>) {
        found.retain(|warning| {
            let Some(starts) = self.starts.get(&warning.span.source).filter(|_| warning.severity != Severity::Error)
            else {
                return true;
            };
            let line = line_of(starts, warning.span.start as usize);
            let mut is_allowed = false;
            for comment in &mut self.allowed {
                let fits = comment.code == warning.code
                    && (comment.span.source, comment.line) == (warning.span.source, line)
                    && !comment.reason.is_empty();
                comment.was_needed |= fits;
                is_allowed |= fits;
            }
            !is_allowed
        });
    }
}

/// The line at a byte, from 0.
fn line_of(starts: &[usize], at: usize) -> usize {
    starts.partition_point(|start| *start <= at).saturating_sub(1)
}

fn in_source<'s>(source: &'s Source, number: u32, starts: &[usize]) -> Vec<Allowed<'s>> {
    let text = source.text.as_str();
    let mut found: Vec<Allowed<'s>> = Vec::new();
    // The comments above a line stand for it, if nothing else is between.
    let mut waiting = 0;
    let mut is_alone = true;
    for token in toml_parser::Source::new(text).lex() {
        let (start, end) = (token.span().start(), token.span().end());
        match token.kind() {
            TokenKind::Newline => is_alone = true,
            TokenKind::Whitespace => {}
            TokenKind::Comment => {
                let said = text.get(start..end).unwrap_or_default().trim_start_matches('#').trim();
                let Some(said) = said.strip_prefix(DIRECTIVE) else { continue };
                let (code, reason) = said.split_once(':').unwrap_or((said, ""));
                let line = if is_alone { usize::MAX } else { line_of(starts, start) };
                let span = Span::new(number, start, end);
                found.push(Allowed { code: code.trim(), reason: reason.trim(), span, line, was_needed: false });
            }
            _ => {
                is_alone = false;
                let line = line_of(starts, start);
                for comment in found[waiting..].iter_mut().filter(|comment| comment.line == usize::MAX) {
                    comment.line = line;
                }
                waiting = found.len();
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Sources, Span, remove_allowed_warnings};

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
        remove_allowed_warnings(&mut found, &sources, Some((0, &Vec::new)));
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
    fn comments_within_texts_allow_nothing() {
        let wrong = ("gap", "wrong".to_owned());
        assert_eq!(left("a = \"# check allow gap: why\"\n", &[("gap", "a =")]).len(), 1);
        assert_eq!(left("a = \"\"\"\n# check allow gap: why\nb\"\"\"\n", &[("gap", "b\"")]), [wrong]);
        assert_eq!(left("a = \"#\" #check allow gap: why\n", &[("gap", "a =")]), []);
    }

    #[test]
    fn what_is_found_elsewhere_is_no_idle_comment() {
        let (warning, sources) = found("# check allow gap: why\na = 1\n", &[("gap", "a = 1")]);
        let mut here = Vec::new();
        remove_allowed_warnings(&mut here, &sources, Some((0, &|| warning.clone())));
        assert_eq!(here, []);
    }

    #[test]
    fn errors_are_never_allowed() {
        let (_, sources) = found("a = 1 # check allow gap: why\n", &[]);
        let mut found = vec![Diagnostic::error("gap", Span::new(0, 0, 1), "wrong")];
        remove_allowed_warnings(&mut found, &sources, None);
        assert_eq!(found.len(), 1);
    }
}
