//! Reads a file of corrections: TOML with a `[[correction]]` for each, or CSV with a line for each. Checks only its
//! shape.

use crate::base::date::Day;
use crate::base::diagnostic::{Diagnostic, Span, nearest_candidate};
use crate::rules::syntax::csv::read_csv_lines;
use crate::rules::syntax::source::Text;
use crate::rules::syntax::toml_reader::{TomlReader, TomlTable};

/// The keys of a correction in TOML, which are its columns in CSV.
pub(crate) const CORRECTION_KEYS: [&str; 9] =
    ["id", "payer", "narration", "customer", "kind", "counterparty", "by", "on", "why"];

/// The keys of which a correction has one: which records it is about.
const TARGETS: [&str; 3] = ["id", "payer", "narration"];

/// A correction as written; every part that it must have is there.
#[derive(Clone, Debug)]
pub(in crate::rules) struct WrittenCorrection {
    /// The key that says which records, and its text.
    pub target: (&'static str, Text),
    pub customer: Option<Text>,
    pub kind: Option<Text>,
    pub counterparty: Option<Text>,
    pub by: Text,
    pub on: Day,
    pub why: Text,
    pub span: Span,
}

/// The parts of a correction by their keys, in the order of [`CORRECTION_KEYS`].
type CorrectionParts = [Option<Text>; CORRECTION_KEYS.len()];

/// The corrections of a file, in its order. A name that ends in `.csv` is that of a CSV file.
pub(in crate::rules) fn read_corrections(
    name: &str,
    source: u32,
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<WrittenCorrection> {
    let rows = match name.to_ascii_lowercase().ends_with(".csv") {
        true => rows_of_csv(source, text, diagnostics),
        false => rows_of_toml(source, text, diagnostics),
    };
    rows.into_iter().filter_map(|(parts, span)| whole_correction(parts, span, diagnostics)).collect()
}

fn rows_of_toml(source: u32, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<(CorrectionParts, Span)> {
    let mut reader = TomlReader::new(source, text, diagnostics);
    let Some(mut root) = reader.document() else { return Vec::new() };
    let mut rows = Vec::new();
    for mut table in root.tables("correction", &mut reader) {
        rows.push((parts_of_table(&mut table, &mut reader), table.span()));
        table.finish(&mut reader);
    }
    root.finish(&mut reader);
    rows
}

fn parts_of_table<'a>(table: &mut TomlTable<'a>, reader: &mut TomlReader<'a>) -> CorrectionParts {
    // An identifier may be a number, and a day may be a date.
    CORRECTION_KEYS.map(|key| match key {
        "id" | "customer" | "on" => table.literal(key, reader),
        key => table.text(key, reader),
    })
}

fn rows_of_csv(source: u32, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<(CorrectionParts, Span)> {
    let lines = match read_csv_lines(source, text) {
        Ok(lines) => lines,
        Err(mistake) => {
            diagnostics.push(*mistake);
            return Vec::new();
        }
    };
    let mut lines = lines.into_iter().filter(|(cells, _)| cells.iter().any(|cell| !cell.value().trim().is_empty()));
    let Some((titles, titles_span)) = lines.next() else { return Vec::new() };
    let unknown = |title: &&Text| !CORRECTION_KEYS.contains(&title.value().trim());
    if let Some(title) = titles.iter().find(unknown) {
        let near = nearest_candidate(title.value().trim(), CORRECTION_KEYS);
        let help = near.map_or(format!("the columns are {}", CORRECTION_KEYS.join(", ")), |near| {
            format!("did you mean `{near}`?")
        });
        let message = format!("unknown column `{}`", title.value().trim());
        diagnostics.push(Diagnostic::error("correction", title.span(), message).help(help));
        return Vec::new();
    }
    let mut rows = Vec::new();
    for (cells, span) in lines {
        if cells.len() != titles.len() {
            let message = format!("this line has {} columns, but the first has {}", cells.len(), titles.len());
            let wrong = Diagnostic::error("correction", span, message).elsewhere(titles_span);
            diagnostics.push(wrong.help("put a text with a comma in quotes"));
            continue;
        }
        let cell = |key: &str| {
            let at = titles.iter().position(|title| title.value().trim() == key)?;
            Some(cells[at].clone()).filter(|cell| !cell.value().trim().is_empty())
        };
        rows.push((CORRECTION_KEYS.map(cell), span));
    }
    rows
}

/// The correction, or every mistake in it.
fn whole_correction(
    parts: CorrectionParts,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<WrittenCorrection> {
    let [id, payer, narration, customer, kind, counterparty, by, on, why] = parts;
    let before = diagnostics.len();
    let mut wrong = |span: Span, message: String, help: &str| {
        diagnostics.push(Diagnostic::error("correction", span, message).help(help));
    };
    let targets = TARGETS.into_iter().zip([id, payer, narration]);
    let mut targets: Vec<(&'static str, Text)> = targets.filter_map(|(key, text)| Some((key, text?))).collect();
    match targets.as_slice() {
        [] => wrong(
            span,
            "this correction does not say which records it is about".to_owned(),
            "give the `id` of a record, a `payer`, or words of a `narration`",
        ),
        [_] => {}
        [_, (key, text), ..] => wrong(
            text.span(),
            format!("this correction has `{}` and `{key}`", targets[0].0),
            "a correction is about one: write two corrections",
        ),
    }
    if kind.is_none() && counterparty.is_none() {
        let help = "give the `kind` that the records are, the `counterparty` that they are of, or both";
        wrong(span, "this correction changes nothing".to_owned(), help);
    }
    let told = [("by", &by, "who says so"), ("on", &on, "the day, such as 2026-11-02"), ("why", &why, "the reason")];
    for (key, text, meaning) in told {
        if text.as_ref().is_none_or(|text| text.value().trim().is_empty()) {
            wrong(span, format!("`{key}` is missing"), meaning);
        }
    }
    let empty = [&customer, &kind, &counterparty].into_iter().flatten().chain(targets.iter().map(|(_, text)| text));
    for text in empty.filter(|text| text.value().trim().is_empty()) {
        wrong(text.span(), "this text is empty".to_owned(), "write it, or leave the key out");
    }
    let day = on.as_ref().and_then(|text| Day::parse_iso(text.value().trim()));
    if let (Some(text), None) = (&on, day) {
        wrong(text.span(), format!("`{}` is not a date", text.value()), "such as 2026-11-02");
    }
    if diagnostics.len() > before {
        return None;
    }
    let (target, by, on, why) = (targets.pop()?, by?, day?, why?);
    Some(WrittenCorrection { target, customer, kind, counterparty, by, on, why, span })
}
