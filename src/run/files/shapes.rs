//! The answers of aggregators and banks for which a columns file ships, recognised by their keys, and what to say of a
//! JSON file that is no statement of the provider.

use serde_json::Value;

use super::kinds::describe_foreign_file;
use crate::statement::Error;

/// A shape: the name of its columns file, where its list of records or one of its objects is, and keys of that object.
type AnswerShape = (&'static str, &'static str, &'static [&'static str]);

const SHAPES: [AnswerShape; 11] = [
    ("account-aggregator-in", "/fips/0", &["accounts"]),
    ("belvo", "/results/0", &["value_date", "amount", "type"]),
    ("berlin-group", "/transactions", &["booked"]),
    ("mono", "/data/0", &["narration", "amount", "type", "date"]),
    ("open-banking-uk", "/Data", &["Transaction"]),
    ("plaid", "/transactions/0", &["account_id", "transaction_id", "amount"]),
    ("plaid", "/added/0", &["account_id", "transaction_id", "amount"]),
    ("plaid", "/modified/0", &["account_id", "transaction_id", "amount"]),
    ("stitch", "/data/node/transactions", &["edges"]),
    ("truelayer", "/results/0", &["transaction_id", "timestamp", "amount"]),
    ("yodlee", "/transaction/0", &["CONTAINER", "baseType"]),
];

/// A larger document is not looked at.
const BYTES_MAX: usize = 64 << 20;

/// The name of the columns file that ships for this JSON. Only its first document is looked at.
pub(crate) fn shipped_shape(bytes: &[u8]) -> Option<&'static str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = Some(bytes).filter(|bytes| bytes.len() <= BYTES_MAX)?;
    let first = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>().next()?.ok()?;
    let fits = |(_, at, keys): &&AnswerShape| {
        let object = first.pointer(at).and_then(Value::as_object);
        object.is_some_and(|object| keys.iter().all(|key| object.contains_key(*key)))
    };
    SHAPES.iter().find(fits).map(|(name, ..)| *name)
}

/// The error for JSON that is not the provider's statement, with what the file is instead.
pub(crate) fn advise_on_json_shape(wrong: Error, bytes: &[u8]) -> Error {
    if bytes.trim_ascii().is_empty() {
        return Error::empty_file();
    }
    if let Some(what) = describe_foreign_file(bytes) {
        return Error::not_a_statement(what);
    }
    match shipped_shape(bytes) {
        Some(name) => Error::not_a_statement(format!(
            "it is the JSON of an aggregator or a bank, not the provider's: read it with --columns {name}, and say \
             whose it is, such as by --customer NAME"
        )),
        None => wrong,
    }
}
