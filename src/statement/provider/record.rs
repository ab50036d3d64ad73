//! Reads one record of the provider's interface from its JSON object, with keys in any order. Flat records of tables
//! are read too.

use crate::statement::base::error::show_source_text;
use crate::statement::formats::json::scanner::{Flaw, Scanner};
use crate::statement::formats::json::text::RawJsonString;
use crate::statement::provider::field::{Field, FieldShape, Level, is_passed_over};
use crate::statement::provider::json_record::{JsonRecord, Placed};
use crate::statement::rows::builder::SEPARATOR;

/// Why a record was refused: the JSON is wrong, or one of the record's values.
#[derive(Debug)]
pub(crate) enum RecordFault {
    Flaw(Box<Flaw>),
    Value(Box<ValueFault>),
}

/// A wrong value: its path within the record, its place, and what is wrong.
#[derive(Debug)]
pub(crate) struct ValueFault {
    pub(crate) path: String,
    pub(crate) at: usize,
    pub(crate) what: String,
}

impl From<Box<Flaw>> for RecordFault {
    fn from(flaw: Box<Flaw>) -> RecordFault {
        RecordFault::Flaw(flaw)
    }
}

pub(crate) fn value_fault<T>(path: impl Into<String>, at: usize, what: impl Into<String>) -> Result<T, RecordFault> {
    Err(RecordFault::Value(Box::new(ValueFault { path: path.into(), at, what: what.into() })))
}

/// Reads a record into `record`, replacing what it held.
pub(crate) fn read_record<'s>(scanner: &mut Scanner<'s>, record: &mut JsonRecord<'s>) -> Result<(), RecordFault> {
    record.clear();
    if scanner.peek()? != b'{' {
        let (first, at) = (scanner.peek()?, scanner.at());
        // If it is not JSON at all, that is reported first.
        scanner.skip_value()?;
        return value_fault("", at, format!("a record is an object, not {}", kind_of(first)));
    }
    read_fields(scanner, record, Level::Record)
}

/// The path of a key.
fn path_of_record_key(level: Level, key: &str) -> String {
    match level {
        Level::Record => show_source_text(key),
        Level::Notes => format!("notes.{}", show_source_text(key)),
    }
}

fn read_fields<'s>(scanner: &mut Scanner<'s>, record: &mut JsonRecord<'s>, level: Level) -> Result<(), RecordFault> {
    let mut object = scanner.open_object()?;
    while let Some(key) = scanner.next_key(&mut object)? {
        let known = if key.escaped { level.field(&key.decode(&mut 0)) } else { level.field(key.raw) };
        match known {
            Some((field, _)) if record.has(field) => return Ok(scanner.twice(key)?),
            Some((field, shape)) => {
                scanner.peek()?;
                record.layout.push(Placed { field, shape, level, at: scanner.at() });
                read_value(scanner, record, level, key.raw, field, shape)?;
            }
            None => {
                if !is_passed_over(&key.decode(&mut 0)) {
                    record.unknown.push(key.raw);
                }
                scanner.watch(key);
                scanner.skip_value()?;
            }
        }
    }
    Ok(())
}

/// Reads the value of a field that a template knows by its position.
#[inline]
pub(crate) fn read_placed<'s>(
    scanner: &mut Scanner<'s>,
    record: &mut JsonRecord<'s>,
    placed: Placed,
) -> Result<(), RecordFault> {
    read_value(scanner, record, placed.level, "", placed.field, placed.shape)
}

#[inline]
fn read_value<'s>(
    scanner: &mut Scanner<'s>,
    record: &mut JsonRecord<'s>,
    level: Level,
    key: &str,
    field: Field,
    shape: FieldShape,
) -> Result<(), RecordFault> {
    let first = scanner.peek()?;
    let at = scanner.at();
    match (first, shape) {
        (b'"', FieldShape::List | FieldShape::FlatList) if level == Level::Record => {
            record.set_null(field, at);
            let text = scanner.string()?;
            read_items(record, field, at, text);
        }
        (b'"', shape) if shape != FieldShape::Notes => {
            let text = scanner.string()?;
            set_string(record, field, at, text, shape == FieldShape::List);
        }
        (b'-' | b'0'..=b'9', shape) if shape.takes_numbers() => {
            record.set_text(field, at, scanner.number()?);
        }
        (b'n', _) => {
            scanner.literal()?;
            record.set_null(field, at);
        }
        (b'[', FieldShape::List | FieldShape::FlatList) => {
            record.set_null(field, at);
            read_list(scanner, record, level, key, field, shape)?;
        }
        (b'{', FieldShape::Identity) => {
            record.set_null(field, at);
            read_identity(scanner, record, field, || path_of_record_key(level, key), false)?;
        }
        (b'{', FieldShape::Notes) => {
            record.set_null(field, at);
            read_fields(scanner, record, Level::Notes)?;
        }
        (_, FieldShape::FlatList | FieldShape::FlatText) => {
            record.misshapen(field);
            record.set_null(field, at);
            scanner.skip_value()?;
        }
        (_, FieldShape::Account) => {
            record.set_null(field, at);
            scanner.skip_value()?;
        }
        (other, shape) => {
            // If it is not JSON at all, that is reported first.
            scanner.skip_value()?;
            return value_fault(
                path_of_record_key(level, key),
                at,
                format!("expected {}, found {}", describe_wanted_shape(shape), kind_of(other)),
            );
        }
    }
    Ok(())
}

#[inline]
fn set_string<'s>(record: &mut JsonRecord<'s>, field: Field, at: usize, text: RawJsonString<'s>, item: bool) {
    if !text.escaped {
        return record.set_text(field, at, text.raw);
    }
    let mut repaired = 0;
    let decoded = text.decode(&mut repaired);
    record.text_repaired += repaired;
    if item {
        record.set_null(field, at);
        add_escaped_item(record, field, &decoded);
    } else {
        record.set_new_text(field, at, &decoded);
    }
}

/// Reads the items of a list that a table's record holds in one text.
fn read_items<'s>(record: &mut JsonRecord<'s>, field: Field, at: usize, text: RawJsonString<'s>) {
    if !text.raw.contains(ITEMS_END) && !text.escaped {
        return set_string(record, field, at, text, true);
    }
    let mut repaired = 0;
    let decoded = text.decode(&mut repaired);
    record.text_repaired += repaired;
    add_items(record, field, &decoded);
}

fn add_items(record: &mut JsonRecord<'_>, field: Field, list: &str) {
    for item in list.split(ITEMS_END).filter(|item| !item.is_empty()) {
        add_escaped_item(record, field, item);
    }
}

/// Adds a value that is known from elsewhere under one of the record's own keys, unless the record has that key.
pub(crate) fn add_given(record: &mut JsonRecord<'_>, name: &str, value: &str, at: usize) {
    match Field::from_record_key(name) {
        Some((field, _)) if record.has(field) => {}
        Some((field, FieldShape::List | FieldShape::FlatList)) => {
            record.set_null(field, at);
            add_items(record, field, value);
        }
        Some((field, _)) => record.set_new_text(field, at, value),
        None => {}
    }
}

/// Separates items in one text, as in a table without a columns file.
const ITEMS_END: char = '|';

fn read_list<'s>(
    scanner: &mut Scanner<'s>,
    record: &mut JsonRecord<'s>,
    level: Level,
    key: &str,
    field: Field,
    shape: FieldShape,
) -> Result<(), RecordFault> {
    let mut array = scanner.open_array()?;
    let mut index = 0_usize;
    while scanner.next_item(&mut array)? {
        let first = scanner.peek()?;
        let at = scanner.at();
        match first {
            b'"' => add_item(record, field, scanner.string()?),
            b'{' => read_identity(scanner, record, field, || path_of_record_key(level, key), true)?,
            b'n' => {
                scanner.literal()?;
            }
            b'-' | b'0'..=b'9' if shape == FieldShape::FlatList => {
                let digits = scanner.number()?;
                record.add_item(field, digits, Some(digits));
            }
            _ if shape == FieldShape::FlatList => {
                record.misshapen(field);
                scanner.skip_value()?;
            }
            other => {
                scanner.skip_value()?;
                let path = format!("{}[{index}]", path_of_record_key(level, key));
                return value_fault(path, at, format!("expected text, found {}", kind_of(other)));
            }
        }
        index += 1;
    }
    Ok(())
}

#[inline]
fn add_item<'s>(record: &mut JsonRecord<'s>, field: Field, text: RawJsonString<'s>) {
    if !text.escaped {
        return record.add_item(field, text.raw, Some(text.raw));
    }
    let mut repaired = 0;
    let decoded = text.decode(&mut repaired);
    record.text_repaired += repaired;
    add_escaped_item(record, field, &decoded);
}

/// Adds an item after replacing and counting separators in it. Only escaped text can contain the separator.
fn add_escaped_item(record: &mut JsonRecord<'_>, field: Field, decoded: &str) {
    let separators = decoded.matches(SEPARATOR).count();
    record.text_repaired += separators as u64;
    match separators {
        0 => record.add_item(field, decoded, None),
        _ => record.add_item(field, &decoded.replace(SEPARATOR, "\u{fffd}"), None),
    }
}

/// Reads the identifier of an object that is in place of an id. `path` names the value if it must have one.
fn read_identity<'s>(
    scanner: &mut Scanner<'s>,
    record: &mut JsonRecord<'s>,
    field: Field,
    path: impl FnOnce() -> String,
    item: bool,
) -> Result<(), RecordFault> {
    let from = scanner.at();
    match read_identifier(scanner)? {
        Some((_, Identifier::Text(text))) if item => add_item(record, field, text),
        Some((_, Identifier::Number(digits))) if item => record.add_item(field, digits, Some(digits)),
        Some((at, Identifier::Text(text))) => set_string(record, field, at, text, false),
        Some((at, Identifier::Number(digits))) => record.set_text(field, at, digits),
        // Without an identifier, different customers would become one.
        None if matches!(field, Field::Id | Field::OtherId | Field::Customer) => {
            return value_fault(path(), from, NO_IDENTIFIER);
        }
        None => {}
    }
    Ok(())
}

/// The text or the number of an `_id`.
#[derive(Clone, Copy)]
pub(crate) enum Identifier<'s> {
    Text(RawJsonString<'s>),
    Number(&'s str),
}

/// What is wrong with an object in place of an id, if it has no identifier.
pub(crate) const NO_IDENTIFIER: &str =
    "the object has neither `_id` nor `id` as text or number, so nobody can tell whom it names";

/// The `_id`, or else the `id`, of the object that begins here, and its place.
pub(crate) fn read_identifier<'s>(scanner: &mut Scanner<'s>) -> Result<Option<(usize, Identifier<'s>)>, Box<Flaw>> {
    let mut object = scanner.open_object()?;
    let mut found: Option<(bool, usize, Identifier<'s>)> = None;
    while let Some(key) = scanner.next_key(&mut object)? {
        scanner.watch(key);
        let first = scanner.peek()?;
        let at = scanner.at();
        let name = key.decode(&mut 0);
        let preferred = name == "_id";
        let identifier = match first {
            b'"' if preferred || name == "id" => Identifier::Text(scanner.string()?),
            b'-' | b'0'..=b'9' if preferred || name == "id" => Identifier::Number(scanner.number()?),
            _ => {
                scanner.skip_value()?;
                continue;
            }
        };
        if found.is_none_or(|(before, ..)| !before) {
            found = Some((preferred, at, identifier));
        }
    }
    Ok(found.map(|(_, at, identifier)| (at, identifier)))
}

fn describe_wanted_shape(shape: FieldShape) -> &'static str {
    match shape {
        FieldShape::Text | FieldShape::FlatText | FieldShape::Account => "text",
        FieldShape::Code => "text or a number",
        FieldShape::Identity => "an id, or an object with `_id`",
        FieldShape::List | FieldShape::FlatList => "a list of texts",
        FieldShape::Amount => "a number",
        FieldShape::Date => "a date as text",
        FieldShape::Notes => "an object",
    }
}

/// The kind of a value, by its first byte.
pub(crate) fn kind_of(first: u8) -> &'static str {
    match first {
        b'"' => "text",
        b'{' => "an object",
        b'[' => "a list",
        b't' | b'f' => "true or false",
        b'n' => "null",
        _ => "a number",
    }
}
