//! A rule file as it was written: TOML -> sections with the place of every value. Understands no expression.
//! Reads on after a mistake, so that one look shows all of them.

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

/// One `[[require]]`.
#[derive(Clone, Debug)]
pub(crate) struct Require {
    pub id: Text,
    pub when: Text,
    pub otherwise: Option<Text>,
    pub unknown: Option<Text>,
    pub reason: Text,
}

/// `[score]`
#[derive(Clone, Debug)]
pub(crate) struct Score {
    pub base: Text,
    pub items: Vec<ScoreItem>,
}

/// One `[[score.item]]`.
#[derive(Clone, Debug)]
pub(crate) struct ScoreItem {
    pub on: Text,
    /// Cell and points.
    pub points: Vec<(Text, Text)>,
    pub span: Span,
}

/// One `[table.NAME]`.
#[derive(Clone, Debug)]
pub(crate) struct DecisionTable {
    pub name: Name,
    pub hit: Option<Text>,
    pub inputs: Vec<Text>,
    /// Name and type.
    pub outputs: Vec<(Name, Text)>,
    pub rows: Vec<(Vec<Text>, Span)>,
}

/// One `[[offer]]`.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub span: Span,
    pub id: Text,
    pub when: Option<Text>,
    pub tenures: Vec<Text>,
    pub instalments: Option<Text>,
    pub amount: Text,
    pub interest: Text,
    pub method: Option<Text>,
    pub fee: Option<Text>,
    pub valid_for_days: Option<Text>,
    pub part_payment: Option<bool>,
    pub terms: Option<Text>,
}

/// One rule file.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleFile {
    pub header: Option<Header>,
    pub parameters: Vec<Parameter>,
    pub words: Vec<(Name, Vec<Text>)>,
    /// Name and type of each request field.
    pub request: Vec<(Name, Text)>,
    pub definitions: Vec<Definition>,
    pub requires: Vec<Require>,
    pub score: Option<Score>,
    pub tables: Vec<DecisionTable>,
    pub offers: Vec<Offer>,
}

/// Reads the file; what is wrong goes to `diagnostics`, what could be read comes back.
pub(crate) fn read(source: u32, text: &str, diagnostics: &mut Vec<Diagnostic>) -> RuleFile {
    let mut file = RuleFile::default();
    let mut reader = Reader::new(source, text, diagnostics);
    let Some(mut root) = reader.document() else { return file };
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
    for mut table in root.tables("require", &mut reader) {
        file.requires.extend(require(&mut table, &mut reader));
        table.finish(&mut reader);
    }
    if let Some(mut table) = root.table("score", &mut reader) {
        file.score = score(&mut table, &mut reader);
        table.finish(&mut reader);
    }
    for (name, entry) in root.entries("table", &mut reader) {
        if let Some(mut table) = reader.table_of(entry) {
            file.tables.extend(decision_table(name, &mut table, &mut reader));
            table.finish(&mut reader);
        }
    }
    for mut table in root.tables("offer", &mut reader) {
        file.offers.extend(offer(&mut table, &mut reader));
        table.finish(&mut reader);
    }
    root.finish(&mut reader);
    file
}

fn header<'a>(table: &mut Table<'a>, reader: &mut Reader<'a>) -> Header {
    Header {
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
    }
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

fn require<'a>(table: &mut Table<'a>, reader: &mut Reader<'a>) -> Option<Require> {
    let id = table.required_text("id", reader);
    let when = table.required_text("when", reader);
    let otherwise = table.text("else", reader);
    let unknown = table.text("unknown", reader);
    let reason = table.required_text("reason", reader);
    Some(Require { id: id?, when: when?, otherwise, unknown, reason: reason? })
}

fn score<'a>(table: &mut Table<'a>, reader: &mut Reader<'a>) -> Option<Score> {
    let base = table.required("base", reader, |value, reader| reader.literal_of(value));
    let mut items = Vec::new();
    for mut item in table.tables("item", reader) {
        let span = item.span();
        let on = item.required_text("on", reader);
        let mut points = Vec::new();
        for row in item.arrays("points", reader) {
            let row_span = row.1;
            let cells: Vec<Text> = row.0.into_iter().filter_map(|cell| reader.literal_of(cell)).collect();
            match <[Text; 2]>::try_from(cells) {
                Ok([cell, gained]) => points.push((cell, gained)),
                Err(_) => reader.error(
                    "shape",
                    row_span,
                    "a row of points is [condition, points]",
                    "such as [\">= 0.30\", 40]",
                ),
            }
        }
        item.finish(reader);
        items.extend(on.map(|on| ScoreItem { on, points, span }));
    }
    Some(Score { base: base?, items })
}

fn decision_table<'a>(name: Name, table: &mut Table<'a>, reader: &mut Reader<'a>) -> Option<DecisionTable> {
    let hit = table.text("hit", reader);
    let inputs = table.texts("inputs", reader);
    let mut outputs = Vec::new();
    for (output, kind) in table.entries("outputs", reader) {
        outputs.extend(reader.text_of(kind).map(|kind| (output, kind)));
    }
    let mut rows = Vec::new();
    for (row, span) in table.arrays("rows", reader) {
        rows.push((row.into_iter().filter_map(|cell| reader.literal_of(cell)).collect(), span));
    }
    Some(DecisionTable { name, hit, inputs, outputs, rows })
}

fn offer<'a>(table: &mut Table<'a>, reader: &mut Reader<'a>) -> Option<Offer> {
    let span = table.span();
    let id = table.required_text("id", reader);
    let when = table.literal("when", reader);
    let tenures = table.required("tenure", reader, |value, reader| Some(reader.literals_of(value)));
    let instalments = table.literal("instalments", reader);
    let amount = table.required("amount", reader, |value, reader| reader.literal_of(value));
    let interest = table.required("interest", reader, |value, reader| reader.literal_of(value));
    let method = table.text("method", reader);
    let fee = table.literal("fee", reader);
    let valid_for_days = table.literal("valid_for_days", reader);
    let part_payment = table.boolean("part_payment", reader);
    let terms = table.text("terms", reader);
    Some(Offer {
        span,
        id: id?,
        when,
        tenures: tenures?,
        instalments,
        amount: amount?,
        interest: interest?,
        method,
        fee,
        valid_for_days,
        part_payment,
        terms,
    })
}
