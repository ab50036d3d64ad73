//! A rule file as it was written: TOML -> sections with the place of every value. Understands no expression.
//! Reads on after a mistake, so that one look shows all of them.

use super::judgement::{self, Ask, DecisionTable, Exposure, Offer, Require, Score};
use super::source::{Name, Text};
use super::toml_reader::{Reader, Table, Value};
use crate::words::diagnostic::{Diagnostic, Span};

/// `[policy]`
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub span: Span,
    pub name: Option<Text>,
    pub version: Option<Text>,
    pub currency: Option<Text>,
    pub statement_unit: Option<Text>,
    pub time_zone: Option<Text>,
    pub tenure_unit: Option<Text>,
    pub valid_from: Option<Text>,
    pub valid_to: Option<Text>,
    pub date_conflict: Option<Text>,
    pub negative_amount: Option<Text>,
    pub empty_amount: Option<Text>,
    pub fee_mode: Option<Text>,
    pub uses: Vec<Text>,
    /// Needed keys with a slip in them, which is told where they stand.
    pub misspelt: Vec<&'static str>,
}

/// One entry of `[parameters]`.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub name: Name,
    pub value: Text,
    pub min: Option<Text>,
    pub max: Option<Text>,
    pub unit: Option<Text>,
}

/// The grain a definition is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Transaction,
    Month,
    Metric,
}

/// One entry of `[transaction]`, `[month]` or `[metric]`.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub section: Section,
    pub name: Name,
    pub expression: Text,
}

/// One rule file.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleFile {
    /// The name that `use` names it by; empty for the policy itself.
    pub name: String,
    pub header: Option<Header>,
    /// What it says could not be made out as a whole: what seems to be missing may be there.
    pub unread: bool,
    pub parameters: Vec<Parameter>,
    pub words: Vec<(Name, Vec<Text>)>,
    /// Name and type of each request field.
    pub request: Vec<(Name, Text)>,
    pub definitions: Vec<Definition>,
    pub requires: Vec<Require>,
    pub score: Option<Score>,
    pub tables: Vec<DecisionTable>,
    pub offers: Vec<Offer>,
    pub exposure: Option<Exposure>,
    pub ask: Option<Ask>,
}

/// Reads the file; what is wrong goes to `diagnostics`, what could be read comes back.
pub(crate) fn read(source: u32, text: &str, diagnostics: &mut Vec<Diagnostic>) -> RuleFile {
    let mut file = RuleFile::default();
    let mut reader = Reader::new(source, text, diagnostics);
    let Some(mut root) = reader.document() else {
        file.unread = true;
        return file;
    };
    if let Some(mut table) = root.table("policy", &mut reader) {
        file.header = Some(header(&mut table, &mut reader));
        table.finish(&mut reader);
    }
    for (name, entry) in root.entries("parameters", &mut reader) {
        file.parameters.extend(parameter(name, entry, &mut reader));
    }
    for (name, list) in root.entries("words", &mut reader) {
        file.words.push((name, reader.texts_of(list)));
    }
    for (name, kind) in root.entries("request", &mut reader) {
        file.request.extend(reader.text_of(kind).map(|kind| (name, kind)));
    }
    let sections = [("transaction", Section::Transaction), ("month", Section::Month), ("metric", Section::Metric)];
    for (key, section) in sections {
        for (name, entry) in root.entries(key, &mut reader) {
            file.definitions.extend(definition(section, name, entry, &mut reader));
        }
    }
    judgement::read(&mut root, &mut reader, &mut file);
    let sections = ["policy", "parameters", "words", "request", "transaction", "month", "metric", "score", "table"];
    file.unread = sections.into_iter().any(|section| root.has_misspelt(section));
    root.finish(&mut reader);
    file
}

fn header<'a>(table: &mut Table<'a>, reader: &mut Reader<'a>) -> Header {
    let mut header = Header {
        span: table.span(),
        name: table.text("name", reader),
        version: table.text("version", reader),
        currency: table.text("currency", reader),
        statement_unit: table.text("statement_unit", reader),
        time_zone: table.text("time_zone", reader),
        tenure_unit: table.text("tenure_unit", reader),
        valid_from: table.date("valid_from", reader),
        valid_to: table.date("valid_to", reader),
        date_conflict: table.text("date_conflict", reader),
        negative_amount: table.text("negative_amount", reader),
        empty_amount: table.text("empty_amount", reader),
        fee_mode: table.text("fee_mode", reader),
        uses: {
            table.text("description", reader);
            table.texts("use", reader)
        },
        misspelt: Vec::new(),
    };
    let needed = ["name", "version", "currency", "time_zone"];
    header.misspelt = needed.into_iter().filter(|key| table.has_misspelt(key)).collect();
    header
}

fn parameter<'a>(name: Name, entry: Value<'a>, reader: &mut Reader<'a>) -> Option<Parameter> {
    if !entry.is_table() {
        let value = reader.literal_of(entry)?;
        return Some(Parameter { name, value, min: None, max: None, unit: None });
    }
    let mut table = reader.table_of(entry)?;
    let value = table.required("value", reader, |value, reader| reader.literal_of(value));
    let min = table.literal("min", reader);
    let max = table.literal("max", reader);
    let unit = table.text("unit", reader);
    table.text("doc", reader);
    table.finish(reader);
    Some(Parameter { name, value: value?, min, max, unit })
}

fn definition<'a>(section: Section, name: Name, entry: Value<'a>, reader: &mut Reader<'a>) -> Option<Definition> {
    if !entry.is_table() {
        let expression = reader.literal_of(entry)?;
        return Some(Definition { section, name, expression });
    }
    let mut table = reader.table_of(entry)?;
    let expression = table.required("is", reader, |value, reader| reader.literal_of(value));
    table.text("doc", reader);
    table.finish(reader);
    Some(Definition { section, name, expression: expression? })
}
