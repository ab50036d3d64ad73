//! Where the rows of a table stand in the text of a rule file: each row, each cell, and what is written there.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The value of a cell, and its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub range: Range<usize>,
    pub value: String,
    /// Whether it is in quotes.
    pub is_text: bool,
}

/// A row and its place.
#[derive(Clone, Debug)]
pub(super) struct WrittenRow {
    pub range: Range<usize>,
    pub tokens: Vec<Token>,
}

/// A list of rows and its place.
#[derive(Clone, Debug)]
pub(super) struct WrittenRows {
    pub range: Range<usize>,
    pub rows: Vec<WrittenRow>,
}

/// An output of a table: its name, its unit, and the values that it may have.
#[derive(Clone, Debug)]
pub(super) struct WrittenOutput {
    pub name: String,
    pub unit: String,
    pub values: Vec<String>,
}

/// A decision table.
#[derive(Clone, Debug)]
pub(super) struct WrittenTable {
    pub inputs: Vec<String>,
    pub outputs: Vec<WrittenOutput>,
    /// The value of `rows`: where it stands, and the rows if they are here.
    pub place: Range<usize>,
    pub rows: Option<WrittenRows>,
    pub otherwise: Option<WrittenRow>,
}

/// An item of the scorecard.
#[derive(Clone, Debug)]
pub(super) struct WrittenItem {
    pub on: String,
    pub weight: String,
    pub code: String,
    pub reason: String,
    pub bins: WrittenRows,
}

/// The table of that name.
pub(super) fn locate_table_rows(text: &str, name: &str) -> Option<WrittenTable> {
    let root = DeTable::parse(text).ok()?;
    let table = get(get(root.get_ref(), "table")?.get_ref().as_table()?, name)?.get_ref().as_table()?;
    let inputs = get(table, "inputs")?.get_ref().as_array()?.iter().map(|input| token(input).value).collect();
    let outputs =
        get(table, "outputs")?.get_ref().as_table()?.iter().map(|(name, value)| output(name.get_ref(), value));
    let rows = get(table, "rows")?;
    let otherwise = get(table, "otherwise").map(row);
    Some(WrittenTable { inputs, outputs: outputs.collect(), place: rows.span(), rows: self::rows(rows), otherwise })
}

/// The items of the scorecard.
pub(super) fn locate_score_items(text: &str) -> Option<Vec<WrittenItem>> {
    let root = DeTable::parse(text).ok()?;
    let items = get(get(root.get_ref(), "score")?.get_ref().as_table()?, "item")?.get_ref().as_array()?;
    let item = |item: &Spanned<DeValue<'_>>| {
        let item = item.get_ref().as_table()?;
        let text = |key: &str| get(item, key).map(|value| token(value).value).unwrap_or_default();
        let bins = rows(get(item, "points")?)?;
        Some(WrittenItem { on: text("on"), weight: text("weight"), code: text("code"), reason: text("reason"), bins })
    };
    items.iter().map(item).collect()
}

fn get<'t, 'a>(table: &'t DeTable<'a>, key: &str) -> Option<&'t Spanned<DeValue<'a>>> {
    table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
}

fn output(name: &str, value: &Spanned<DeValue<'_>>) -> WrittenOutput {
    let Some(table) = value.get_ref().as_table() else {
        return WrittenOutput { name: name.to_owned(), unit: token(value).value, values: Vec::new() };
    };
    let values = get(table, "values").and_then(|values| values.get_ref().as_array());
    let values = values.map(|values| values.iter().map(|value| token(value).value).collect());
    let unit = get(table, "type").map(|unit| token(unit).value);
    WrittenOutput { name: name.to_owned(), unit: unit.unwrap_or_default(), values: values.unwrap_or_default() }
}

fn rows(value: &Spanned<DeValue<'_>>) -> Option<WrittenRows> {
    let rows = value.get_ref().as_array()?.iter().map(row).collect();
    Some(WrittenRows { range: value.span(), rows })
}

fn row(value: &Spanned<DeValue<'_>>) -> WrittenRow {
    let cells = value.get_ref().as_array().into_iter().flat_map(|cells| cells.iter());
    WrittenRow { range: value.span(), tokens: cells.map(token).collect() }
}

/// A value as rule files read it.
fn token(value: &Spanned<DeValue<'_>>) -> Token {
    let (text, is_text) = match value.get_ref() {
        DeValue::String(text) => (text.to_string(), true),
        DeValue::Integer(number) => (number.as_str().to_owned(), false),
        DeValue::Float(number) => (number.as_str().to_owned(), false),
        DeValue::Boolean(truth) => (truth.to_string(), false),
        DeValue::Datetime(moment) => (moment.to_string(), false),
        DeValue::Array(_) | DeValue::Table(_) => (String::new(), false),
    };
    Token { range: value.span(), value: text, is_text }
}
