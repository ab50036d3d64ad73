//! A rule file as it was written: TOML -> sections with the place of every value. Understands no expression.
//! Reads on after a mistake, so that one look shows all of them.

use super::front;
pub(crate) use super::front::{Header, Input, Parameter, Use};
use super::source::{Name, Text};
use super::toml_reader::{Reader, Table, Value};
use crate::words::diagnostic::{Diagnostic, Span};

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
    /// What it uses, be it a policy or not.
    pub uses: Vec<Use>,
    pub parameters: Vec<Parameter>,
    pub words: Vec<(Name, Vec<Text>)>,
    pub inputs: Vec<Input>,
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
    front::read(&mut root, &mut file, &mut reader);
    for (name, list) in root.entries("words", &mut reader) {
        file.words.push((name, reader.texts_of(list)));
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
