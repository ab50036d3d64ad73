//! What users rely on when a statement is read.

mod base;
mod columns;
pub(crate) mod formats;
mod infer_columns;
mod merge;
mod normalize;
mod provider;
pub(crate) mod tables;

use lendwright::base::date::Zone;
use lendwright::base::digest::Digest;
use lendwright::base::money::Currency;
use lendwright::statement::{Reading, Statements, read_json};

/// Naira in major units, Lagos days, the strictest rules.
pub fn lagos() -> Reading {
    Reading::new(Currency::from_numeric("566").expect("the naira"), Zone::parse("Africa/Lagos").expect("Lagos"))
}

/// The envelope around these records.
pub fn envelope(records: &str) -> String {
    format!(r#"{{"_id":"e1","status":"success","message":"ok","data":{{"transactions":[{records}]}}}}"#)
}

/// A record with this id and these further fields.
pub fn record(id: &str, fields: &str) -> String {
    format!(r#"{{"id":"{id}","customer":"c1","trans_date":"2024-03-04T23:00:00.000Z",{fields}}}"#)
}

/// Reads records in an envelope with the strictest rules.
pub fn read(records: &str) -> Result<Statements, String> {
    read_with(&lagos(), records)
}

/// Reads records in an envelope.
pub fn read_with(reading: &Reading, records: &str) -> Result<Statements, String> {
    read_body(reading, envelope(records).as_bytes())
}

/// Reads a whole body.
pub fn read_body(reading: &Reading, body: &[u8]) -> Result<Statements, String> {
    read_json(body, "test", reading).map_err(|wrong| wrong.to_string())
}

/// The content digest of each statement.
pub fn digests(statements: &Statements) -> Vec<Digest> {
    (0..statements.len()).map(|head| statements.digest(head).expect("a digest")).collect()
}

/// The error for records in an envelope, under the strictest rules, with each byte offset shown as the text there.
pub fn error(records: &str) -> String {
    error_with(&lagos(), records)
}

/// As [`error`], under other rules.
pub fn error_with(reading: &Reading, records: &str) -> String {
    let body = envelope(records);
    point(&body, read_with(reading, records).map(|_| "it was read").expect_err("it must be refused"))
}

/// Replaces `byte 12` by `byte <what stands there>`, so that a reader sees that the offset is right.
pub fn point(body: &str, message: String) -> String {
    let Some((before, after)) = message.split_once("byte ") else { return message };
    let end = after.find(|character: char| !character.is_ascii_digit()).unwrap_or(after.len());
    let at: usize = after[..end].parse().expect("an offset");
    let there = if at == body.len() { "end" } else { start_of(&body[at..]) };
    format!("{before}byte <{there}>{}", &after[end..])
}

/// The first characters of a text, up to a comma or a closing bracket.
pub fn start_of(text: &str) -> &str {
    let end = text.find([',', '}', ']']).unwrap_or(text.len());
    &text[..end.min(12)]
}

/// A column of whole numbers.
pub fn numbers(statements: &Statements, column: &str) -> Vec<Option<i64>> {
    statements.frame().column(column).expect("a column").i64().expect("numbers").iter().collect()
}

/// A column of text.
pub fn texts(statements: &Statements, column: &str) -> Vec<Option<String>> {
    statements
        .frame()
        .column(column)
        .expect("a column")
        .str()
        .expect("text")
        .iter()
        .map(|text| text.map(str::to_owned))
        .collect()
}

/// A column of days, as ISO dates.
pub fn days(statements: &Statements, column: &str) -> Vec<Option<String>> {
    let column = statements.frame().column(column).expect("a column").date().expect("days").physical().clone();
    column.iter().map(|day| day.map(|day| lendwright::base::date::Day::from_days(day).to_string())).collect()
}
