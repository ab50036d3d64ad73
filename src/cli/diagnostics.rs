//! Prints mistakes in rule files: for people with a mark under the place, for programs as JSON lines. Knows nothing of
//! the rule language.

use std::io::IsTerminal;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, Report};
use serde::Serialize;

use super::excerpt::{Excerpt, make_sentence_harmless};
use super::output::{Failure, print_stderr_remark, write_stdout_bytes, write_stdout_line};
use crate::base::diagnostic::{Diagnostic, Replacement, Severity, Sources, Span};

/// The format of mistakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DiagnosticFormat {
    /// For people: each mistake with its line, a mark under the place, and what to do.
    #[default]
    Text,
    /// For programs: each mistake as one JSON object on a line.
    Json,
}

/// Prints the result of a command: as text for people, or with every number as JSON.
pub(super) fn write_result<T: Serialize>(
    format: DiagnosticFormat,
    result: &T,
    text: impl FnOnce(&T) -> String,
) -> Result<(), Failure> {
    match format {
        DiagnosticFormat::Json => {
            write_stdout_line(format!("{:#}", serde_json::to_value(result).map_err(Failure::message)?))
        }
        DiagnosticFormat::Text => write_stdout_bytes(text(result).as_bytes()),
    }
}

/// One mistake as JSON. Lines and columns count from 1, columns in characters. `start` and `end` are bytes and count
/// from 0.
#[derive(Serialize)]
struct JsonMistake<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    start: u32,
    end: u32,
    severity: Severity,
    code: &'a str,
    message: &'a str,
    label: &'a str,
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<JsonReplacement<'a>>,
}

/// What to write instead of the bytes from `start` to `end`.
#[derive(Serialize)]
struct JsonReplacement<'a> {
    start: u32,
    end: u32,
    text: &'a str,
}

/// Prints diagnostics to standard error.
pub(crate) fn print_diagnostics(diagnostics: &[Diagnostic], sources: &Sources, format: DiagnosticFormat) {
    let text = match format {
        DiagnosticFormat::Text => {
            diagnostics_as_text(diagnostics, sources, is_coloured(std::io::stderr().is_terminal()))
        }
        DiagnosticFormat::Json => diagnostics_as_json(diagnostics, sources),
    };
    print_stderr_remark(text);
}

/// Whether to use colours: the output is a terminal with colours, and `NO_COLOR` is not set (<https://no-color.org>).
pub(crate) fn is_coloured(is_terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    is_terminal && set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
}

/// One JSON object per line.
pub(crate) fn diagnostics_as_json(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut lines = String::new();
    for diagnostic in diagnostics {
        let (line, column) = sources.line_column(diagnostic.span);
        let entry = JsonMistake {
            file: sources.get(diagnostic.span).map_or("", |source| &source.name),
            line,
            column,
            start: diagnostic.span.start,
            end: diagnostic.span.end,
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: &diagnostic.message,
            label: &diagnostic.label,
            help: diagnostic.help.as_deref(),
            replacement: diagnostic.replacement.as_deref().and_then(|meant| json_replacement(meant, sources)),
        };
        // An entry has only texts and numbers, so its JSON always exists.
        lines.push_str(&serde_json::to_string(&entry).expect("INVARIANT: an entry can be written as JSON"));
        lines.push('\n');
    }
    lines
}

/// What to write instead, if the place holds what was read there: a string with escapes may not.
fn json_replacement<'d>(meant: &'d Replacement, sources: &Sources) -> Option<JsonReplacement<'d>> {
    let Span { start, end, .. } = meant.span;
    let written = sources.get(meant.span)?.text.get(start as usize..end as usize)?;
    (written == meant.old).then_some(JsonReplacement { start, end, text: &meant.new })
}

/// Each mistake with its line and a mark under the place.
pub(crate) fn diagnostics_as_text(diagnostics: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(110).with_links(false);
    let mut shown = String::new();
    for diagnostic in diagnostics {
        let report = report_of_diagnostic(diagnostic, sources);
        if handler.render_report(&mut shown, report.as_ref()).is_err() {
            shown.push_str(&diagnostic.message);
        }
        shown.push('\n');
    }
    shown
}

fn report_of_diagnostic(diagnostic: &Diagnostic, sources: &Sources) -> Report {
    let severity = match diagnostic.severity {
        Severity::Error => miette::Severity::Error,
        Severity::Warning => miette::Severity::Warning,
        Severity::Note => miette::Severity::Advice,
    };
    let message = make_sentence_harmless(&diagnostic.message);
    let mut shown = MietteDiagnostic::new(message).with_code(diagnostic.code).with_severity(severity);
    if let Some(help) = &diagnostic.help {
        shown = shown.with_help(make_sentence_harmless(help));
    }
    let Some(source) = sources.get(diagnostic.span) else { return Report::new(shown) };
    let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
    let start = start.min(source.text.len());
    let length = end.clamp(start, source.text.len()) - start;
    let (line, column) = sources.line_column(diagnostic.span);
    let (excerpt, place) = Excerpt::new(source, (start, length), (line, column));
    let label = LabeledSpan::new_primary_with_span(Some(make_sentence_harmless(&diagnostic.label)), place);
    Report::new(shown.with_label(label)).with_source_code(excerpt)
}
