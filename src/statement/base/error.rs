//! What can be wrong with a statement's bytes: what, where, and what to do. Must not hold narrations, nor any amount
//! but the faulty one.

use std::fmt;

use crate::base::text::escape_terminal;
use crate::statement::formats::json::scanner::{Flaw, FlawKind};
use crate::statement::formats::json::text::shorten_quoted_text;

/// The message about a file without content, in any format.
const EMPTY_FILE: &str = "the file is empty";

/// Why a source was refused. A statement is read whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not JSON. Most often the body was cut short.
    #[error("malformed JSON at byte {at}: {what}")]
    Malformed {
        /// Offset of the first byte that does not fit.
        at: usize,
        /// What was expected.
        what: String,
    },
    /// The bytes are JSON without a single meaning or a bound: a repeated key, or values that nest too deep.
    #[error("refused JSON at byte {at}: {what}")]
    Refused {
        /// Offset of the byte where it was found.
        at: usize,
        /// What was found.
        what: String,
    },
    /// The bytes hold no statement: an empty body, a web page, an envelope without a list.
    #[error("not a statement: {what}")]
    NotAStatement {
        /// What was found.
        what: String,
    },
    /// The provider reports that it has no statement.
    #[error("the provider answered with status `{status}`{}", message_part(.message))]
    Status {
        /// The envelope's status.
        status: String,
        /// The envelope's message.
        message: Option<String>,
    },
    /// Announced records are missing.
    #[error("the statement is not complete: {what}")]
    Incomplete {
        /// What is missing and how to get it.
        what: String,
    },
    /// A value is wrong or missing.
    #[error("{place}: {what}")]
    Value {
        /// Where.
        place: Box<Place>,
        /// What is wrong and what to do.
        what: String,
    },
    /// Two different records have the same id.
    #[error(
        "{first} and {second} have the same id `{id}` and differ in `{column}`: \
         one of them must be wrong, so neither is taken"
    )]
    Duplicate {
        /// The id.
        id: String,
        /// One of the two records.
        first: String,
        /// The other.
        second: String,
        /// The first column in which they differ.
        column: String,
    },
    /// A columns file is wrong, or does not fit this table.
    #[error("columns: {what}")]
    Columns {
        /// What is wrong and what to do.
        what: String,
    },
    /// The declared rule for negative amounts is wrong for this statement.
    #[error("negative amounts: {what}")]
    Signs {
        /// Whose statement, what shows it, and what to declare.
        what: String,
    },
    /// Statements that cannot be merged.
    #[error("cannot merge: {what}")]
    Merge {
        /// What is wrong and what to do.
        what: String,
    },
    /// The stated period contradicts the records.
    #[error("period: {what}")]
    Period {
        /// What is wrong and what to do.
        what: String,
    },
    /// Reading on would take more memory than allowed.
    #[error("{what} takes about {bytes} bytes")]
    Memory {
        /// Which part of which source.
        what: String,
        /// The memory it takes.
        bytes: u64,
    },
    /// The table's file format is at fault.
    #[error("the table cannot be read: {what}")]
    Table {
        /// What is wrong.
        what: String,
    },
}

impl Error {
    /// Whether the bytes are damaged, so that fetching them again may help.
    pub fn is_malformed(&self) -> bool {
        matches!(self, Error::Malformed { .. })
    }

    /// Whether reading on would take too much memory.
    pub(crate) fn is_memory(&self) -> bool {
        matches!(self, Error::Memory { .. })
    }

    /// Whether the provider reports that it has no statement.
    pub fn is_status(&self) -> bool {
        matches!(self, Error::Status { .. })
    }

    /// What is wrong without the place, and the place where it is known.
    pub fn parts(&self) -> (Option<String>, String) {
        match self {
            Error::Value { place, what } => (Some(place.to_string()), what.clone()),
            Error::Malformed { at, what } => (Some(format!("byte {at}")), format!("malformed JSON: {what}")),
            Error::Refused { at, what } => (Some(format!("byte {at}")), format!("refused JSON: {what}")),
            other => (None, other.to_string()),
        }
    }

    /// The same error for bytes that begin `by` bytes after the source's first.
    pub(crate) fn moved(self, by: u64) -> Error {
        let by = usize::try_from(by).unwrap_or(usize::MAX);
        match self {
            Error::Malformed { at, what } => Error::Malformed { at: at.saturating_add(by), what },
            Error::Refused { at, what } => Error::Refused { at: at.saturating_add(by), what },
            Error::Value { mut place, what } => {
                place.byte = place.byte.map(|byte| byte.saturating_add(by));
                Error::Value { place, what }
            }
            Error::NotAStatement { .. }
            | Error::Status { .. }
            | Error::Incomplete { .. }
            | Error::Duplicate { .. }
            | Error::Columns { .. }
            | Error::Signs { .. }
            | Error::Merge { .. }
            | Error::Period { .. }
            | Error::Memory { .. }
            | Error::Table { .. } => self,
        }
    }

    /// What is wrong, for a message that names the row itself.
    pub(crate) fn describe(&self) -> String {
        match self {
            Error::Table { what } => what.clone(),
            other => other.to_string(),
        }
    }

    pub(crate) fn not_a_statement(what: impl Into<String>) -> Error {
        Error::NotAStatement { what: what.into() }
    }

    pub(crate) fn empty_file() -> Error {
        Error::not_a_statement(EMPTY_FILE)
    }

    pub(crate) fn columns(what: impl Into<String>) -> Error {
        Error::Columns { what: what.into() }
    }

    pub(crate) fn table(what: impl fmt::Display) -> Error {
        Error::Table { what: what.to_string() }
    }
}

impl From<Box<Flaw>> for Error {
    fn from(flaw: Box<Flaw>) -> Error {
        let what = show_source_text(&flaw.what);
        match flaw.kind {
            FlawKind::Malformed => Error::Malformed { at: flaw.at, what },
            FlawKind::Refused => Error::Refused { at: flaw.at, what },
        }
    }
}

fn message_part(message: &Option<String>) -> String {
    message.as_ref().map(|message| format!(": {message}")).unwrap_or_default()
}

/// Where a value is in its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// JSON path, or row and column.
    pub path: String,
    /// Offset in the source, where the source is JSON.
    pub byte: Option<usize>,
    /// The record's id, where it has one.
    pub record: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.path)?;
        match (self.byte, &self.record) {
            (Some(byte), Some(record)) => write!(out, " (byte {byte}, record `{record}`)"),
            (Some(byte), None) => write!(out, " (byte {byte})"),
            (None, Some(record)) => write!(out, " (record `{record}`)"),
            (None, None) => Ok(()),
        }
    }
}

/// How two names differ that may look alike, for the end of a message; empty if anybody sees it.
pub(crate) fn tell_names_apart(one: &str, other: &str) -> String {
    let letters = one.chars().zip(other.chars());
    let differing = (1..).zip(letters).find(|(_, (left, right))| left != right);
    match differing {
        Some((at, (left, right))) if !left.is_ascii() || !right.is_ascii() => format!(
            "; letter {at} is U+{:04X} in the first name and U+{:04X} in the second",
            u32::from(left),
            u32::from(right)
        ),
        _ => String::new(),
    }
}

/// A text from the source, fit for an error message: shortened, and without terminal control sequences.
pub(crate) fn show_source_text(text: &str) -> String {
    escape_terminal(&shorten_quoted_text(text)).into_owned()
}
