//! Reads `[[require]]`, `[score]`, `[table]`, `[[offer]]`, `[exposure]` and `[ask]`.

use crate::base::diagnostic::Span;
use crate::rules::syntax::source::{Name, Text};
use crate::rules::syntax::toml_reader::{TomlReader, TomlTable, TomlValue};

/// One `[[require]]`.
#[derive(Clone, Debug)]
pub(crate) struct Require {
    pub id: Text,
    /// For people, next to the id.
    pub title: Option<Text>,
    pub condition: Condition,
    pub otherwise: Option<Text>,
    pub unknown: Option<Text>,
    pub reason: Text,
}

/// The condition of a requirement or of a member of its block.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    When(Text),
    Block(Block),
}

/// `all = [...]`, `any = [...]`, or `at_least = 2` with `of = [...]`.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub quota: Quota,
    pub members: Vec<Member>,
    pub span: Span,
}

/// How many members of a block must hold.
#[derive(Clone, Debug)]
pub(crate) enum Quota {
    All,
    Any,
    AtLeast(Text),
}

/// One member of a block.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub condition: Condition,
    /// `holds` or `fails`.
    pub unknown: Option<Text>,
}

/// `[score]`
#[derive(Clone, Debug)]
pub(crate) struct Score {
    pub base: Text,
    /// How many reasons of items with the most lost points are reported.
    pub reasons: Option<Text>,
    pub scale: Option<Scale>,
    pub items: Vec<ScoreItem>,
}

impl Score {
    /// Its word in rule files.
    pub(crate) fn name(&self) -> Name {
        Name { text: "score".into(), span: self.base.span() }
    }
}

/// `scale = { points, odds, pdo }`
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    pub points: Text,
    pub odds: Text,
    pub pdo: Text,
}

/// One `[[score.item]]`.
#[derive(Clone, Debug)]
pub(crate) struct ScoreItem {
    pub on: Text,
    pub weight: Option<Text>,
    pub code: Option<Text>,
    pub reason: Option<Text>,
    /// Cell and points.
    pub points: Vec<(Text, Text)>,
    pub span: Span,
}

/// One `[table.NAME]`.
#[derive(Clone, Debug)]
pub(crate) struct DecisionTable {
    pub name: Name,
    /// For people, next to the name.
    pub title: Option<Text>,
    pub hit: Option<Text>,
    pub inputs: Vec<Text>,
    pub outputs: Vec<Output>,
    pub rows: TableRowsSource,
    /// A required key is misspelt, which is reported at its place.
    pub misspelt: bool,
    /// The outputs if no row fits.
    pub otherwise: Option<(Vec<Text>, Span)>,
}

/// An output of a table: `grade = "text"`, or with its `values` from the first in rank to the last.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub name: Name,
    pub kind: Text,
    pub values: Vec<Text>,
}

/// The rows of a table: here, or in a CSV file beside the rule file.
#[derive(Clone, Debug)]
pub(crate) enum TableRowsSource {
    Here(Vec<(Vec<Text>, Span)>),
    File(Text),
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
    /// Each an upper bound of the amount.
    pub caps: Vec<Text>,
    pub floor: Option<Text>,
    pub step: Option<Text>,
    pub interest: Text,
    pub method: Option<Text>,
    pub fee: Option<Text>,
    pub valid_for_days: Option<Text>,
    pub part_payment: Option<bool>,
    pub terms: Option<Text>,
}

/// `[exposure]`: how much one customer may owe in total.
#[derive(Clone, Debug)]
pub(crate) struct Exposure {
    pub limit: Text,
    pub existing: Option<Text>,
}

/// `[ask]`: what the customer asked for.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub span: Span,
    pub amount: Option<Text>,
    pub tenure: Option<Text>,
}

/// The judging sections of a rule file.
#[derive(Debug, Default)]
pub(in crate::rules) struct Judgement {
    pub requires: Vec<Require>,
    pub score: Option<Score>,
    pub tables: Vec<DecisionTable>,
    pub offers: Vec<Offer>,
    pub exposure: Option<Exposure>,
    pub ask: Option<Ask>,
}

/// Reads these sections from the document.
pub(in crate::rules) fn read_judgement_sections<'a>(
    root: &mut TomlTable<'a>,
    reader: &mut TomlReader<'a>,
) -> Judgement {
    let mut file = Judgement::default();
    for mut table in root.tables("require", reader) {
        file.requires.extend(read_require_section(&mut table, reader));
        table.finish(reader);
    }
    if let Some(mut table) = root.table("score", reader) {
        file.score = read_score_section(&mut table, reader);
        table.finish(reader);
    }
    for (name, entry) in root.entries("table", reader) {
        if let Some(mut table) = reader.table_of(entry) {
            file.tables.push(decision_table(name, &mut table, reader));
            table.finish(reader);
        }
    }
    for mut table in root.tables("offer", reader) {
        file.offers.extend(read_offer_section(&mut table, reader));
        table.finish(reader);
    }
    if let Some(mut table) = root.table("exposure", reader) {
        let limit = table.required("limit", reader, |value, reader| reader.literal_of(value));
        let existing = table.literal("existing", reader);
        file.exposure = limit.map(|limit| Exposure { limit, existing });
        table.finish(reader);
    }
    if let Some(mut table) = root.table("ask", reader) {
        let span = table.span();
        file.ask = Some(Ask { span, amount: table.literal("amount", reader), tenure: table.literal("tenure", reader) });
        table.finish(reader);
    }
    file
}

fn read_require_section<'a>(table: &mut TomlTable<'a>, reader: &mut TomlReader<'a>) -> Option<Require> {
    let id = table.required_text("id", reader);
    let title = read_title_line(table, reader);
    let condition = read_condition(table, reader);
    let otherwise = table.text("else", reader);
    let unknown = table.text("unknown", reader);
    let reason = table.required_text("reason", reader);
    Some(Require { id: id?, title, condition: condition?, otherwise, unknown, reason: reason? })
}

/// A title. It is printed beside an id, so it is one line that says something.
fn read_title_line<'a>(table: &mut TomlTable<'a>, reader: &mut TomlReader<'a>) -> Option<Text> {
    let title = table.text("title", reader)?;
    if title.value().trim().is_empty() || title.value().contains(char::is_control) {
        reader.error("shape", title.span(), "a title is one line of text", "such as title = \"Enough history\"");
        return None;
    }
    Some(title)
}

/// One of `when`, `all`, `any`, and `at_least` with `of`.
fn read_condition<'a>(table: &mut TomlTable<'a>, reader: &mut TomlReader<'a>) -> Option<Condition> {
    let when = table.take("when");
    let all = table.take("all").map(|list| (Quota::All, list));
    let any = table.take("any").map(|list| (Quota::Any, list));
    let least = table.literal("at_least", reader);
    let of = table.take("of");
    let span = table.span();
    let help = "one of: when = \"...\", all = [...], any = [...], at_least = 2 with of = [...]";
    let counted = match (least, of) {
        (Some(least), Some(of)) => Some((Quota::AtLeast(least), of)),
        (None, None) => None,
        _ => {
            reader.error("missing-key", span, "`at_least` and `of` belong together", help);
            return None;
        }
    };
    let mut blocks: Vec<(Quota, TomlValue<'a>)> = [all, any, counted].into_iter().flatten().collect();
    match (when, blocks.pop(), blocks.pop()) {
        (Some(when), None, _) => reader.text_of(when).map(Condition::When),
        (None, Some((quota, list)), None) => {
            let span = reader.place(&list);
            let members = reader
                .items_of(list)
                .into_iter()
                .filter_map(|member| self::read_block_member(member, reader))
                .collect();
            Some(Condition::Block(Block { quota, members, span }))
        }
        (None, None, _) => {
            table.missing("when", help);
            None
        }
        _ => {
            reader.error("shape", span, "more than one condition", help);
            None
        }
    }
}

fn read_block_member<'a>(value: TomlValue<'a>, reader: &mut TomlReader<'a>) -> Option<Member> {
    if value.is_text() {
        let when = reader.text_of(value)?;
        return Some(Member { condition: Condition::When(when), unknown: None });
    }
    let mut table = reader.table_of(value)?;
    let condition = read_condition(&mut table, reader);
    let unknown = table.text("unknown", reader);
    table.finish(reader);
    Some(Member { condition: condition?, unknown })
}

fn read_score_section<'a>(table: &mut TomlTable<'a>, reader: &mut TomlReader<'a>) -> Option<Score> {
    let base = table.required("base", reader, |value, reader| reader.literal_of(value));
    let reasons = table.literal("reasons", reader);
    let scale = table.table("scale", reader).and_then(|mut table| {
        let mut part = |key| table.required(key, reader, |value, reader| reader.literal_of(value));
        let (points, odds, pdo) = (part("points"), part("odds"), part("pdo"));
        table.finish(reader);
        Some(Scale { points: points?, odds: odds?, pdo: pdo? })
    });
    let items = table.tables("item", reader).into_iter().filter_map(|item| score_item(item, reader)).collect();
    Some(Score { base: base?, reasons, scale, items })
}

fn score_item<'a>(mut item: TomlTable<'a>, reader: &mut TomlReader<'a>) -> Option<ScoreItem> {
    let span = item.span();
    let on = item.required_text("on", reader);
    let weight = item.literal("weight", reader);
    let code = item.text("code", reader);
    let reason = item.text("reason", reader);
    let mut points = Vec::new();
    for row in item.arrays("points", reader) {
        let row_span = row.1;
        let cells: Vec<Text> = row.0.into_iter().filter_map(|cell| reader.literal_of(cell)).collect();
        match <[Text; 2]>::try_from(cells) {
            Ok([cell, gained]) => points.push((cell, gained)),
            Err(_) => {
                let help = "such as [\">= 0.30\", 40]";
                reader.error("shape", row_span, "a row of points is [condition, points]", help);
            }
        }
    }
    let misspelt = item.has_misspelt("points");
    item.finish(reader);
    if misspelt {
        return None;
    }
    Some(ScoreItem { on: on?, weight, code, reason, points, span })
}

fn decision_table<'a>(name: Name, table: &mut TomlTable<'a>, reader: &mut TomlReader<'a>) -> DecisionTable {
    let title = read_title_line(table, reader);
    let hit = table.text("hit", reader);
    let inputs = table.texts("inputs", reader);
    let mut outputs = Vec::new();
    for (name, entry) in table.entries("outputs", reader) {
        outputs.extend(read_table_output(name, entry, reader));
    }
    let rows = match table.take("rows") {
        Some(value) if value.is_text() => reader.text_of(value).map(TableRowsSource::File),
        Some(value) => Some(TableRowsSource::Here(
            reader.arrays_of(value).into_iter().map(|row| read_cell_texts(row, reader)).collect(),
        )),
        None => None,
    };
    let otherwise = table.take("otherwise").map(|value| {
        let span = reader.place(&value);
        read_cell_texts((reader.items_of(value), span), reader)
    });
    let misspelt = ["hit", "inputs", "outputs"].into_iter().any(|key| table.has_misspelt(key));
    let rows = rows.unwrap_or(TableRowsSource::Here(Vec::new()));
    DecisionTable { name, title, hit, inputs, outputs, rows, misspelt, otherwise }
}

fn read_cell_texts<'a>((row, span): (Vec<TomlValue<'a>>, Span), reader: &mut TomlReader<'a>) -> (Vec<Text>, Span) {
    (row.into_iter().filter_map(|cell| reader.literal_of(cell)).collect(), span)
}

fn read_table_output<'a>(name: Name, entry: TomlValue<'a>, reader: &mut TomlReader<'a>) -> Option<Output> {
    if !entry.is_table() {
        return reader.text_of(entry).map(|kind| Output { name, kind, values: Vec::new() });
    }
    let mut table = reader.table_of(entry)?;
    let kind = table.required_text("type", reader);
    let values = table.take("values").map(|values| reader.literals_of(values)).unwrap_or_default();
    table.finish(reader);
    Some(Output { name, kind: kind?, values })
}

fn read_offer_section<'a>(table: &mut TomlTable<'a>, reader: &mut TomlReader<'a>) -> Option<Offer> {
    let span = table.span();
    let id = table.required_text("id", reader);
    let when = table.literal("when", reader);
    let tenures = table.required("tenure", reader, |value, reader| Some(reader.literals_of(value)));
    let instalments = table.literal("instalments", reader);
    let amount = table.required("amount", reader, |value, reader| reader.literal_of(value));
    let caps = table.take("cap").map(|value| reader.literals_of(value)).unwrap_or_default();
    let floor = table.literal("floor", reader);
    let step = table.literal("step", reader);
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
        caps,
        floor,
        step,
        interest: interest?,
        method,
        fee,
        valid_for_days,
        part_payment,
        terms,
    })
}
