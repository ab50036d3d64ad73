//! PostgreSQL's errors as those of the store. Messages of the server may quote values, and are shown only where they
//! cannot.

use std::error::Error as _;
use std::fmt;

use postgres::error::{DbError, SqlState};

use crate::lender::store::error::StoreError;

/// Whether the same work may succeed if it runs again: the transaction could not be ordered among others, or a prepared
/// statement no longer fits a changed schema.
pub(super) fn may_run_again(error: &postgres::Error) -> bool {
    error
        .code()
        .is_some_and(|code| [&SqlState::T_R_SERIALIZATION_FAILURE, &SqlState::T_R_DEADLOCK_DETECTED].contains(&code))
        || is_outdated(error)
}

/// `cached plan must not change result type` has this code.
pub(super) fn is_outdated(error: &postgres::Error) -> bool {
    error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED)
        && error.as_db_error().and_then(DbError::routine) == Some("RevalidateCachedQuery")
}

/// An error before the commit was sent: nothing happened.
pub(super) fn translate_error(error: &postgres::Error) -> StoreError {
    match error.as_db_error() {
        Some(refusal) => translate_refusal(refusal),
        None if is_connection(error) => StoreError::Unavailable(format!("the connection broke: {}", Shown(error))),
        None => StoreError::Programming(format!("PostgreSQL was used wrongly: {}", Shown(error))),
    }
}

/// An error of the commit itself. Only an answer of the server that says so means that it did not happen.
pub(super) fn during_commit(error: &postgres::Error) -> StoreError {
    let refused = error.as_db_error().filter(|refusal| {
        let code = refusal.code();
        ["23", "40"].contains(&class_of_sqlstate(code.code())) && *code != SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
    });
    match refused {
        Some(refusal) => translate_refusal(refusal),
        None => StoreError::OutcomeUnknown(translate_error(error).to_string()),
    }
}

/// The first two characters of an SQLSTATE.
fn class_of_sqlstate(code: &str) -> &str {
    code.get(..2).unwrap_or_default()
}

fn is_connection(error: &postgres::Error) -> bool {
    error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>())
}

/// An error with its cause. Those of the client quote no values.
pub(super) struct Shown<'a>(pub(super) &'a postgres::Error);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)?;
        match self.0.source() {
            Some(cause) if !self.0.to_string().contains(&cause.to_string()) => write!(out, ": {cause}"),
            _ => Ok(()),
        }
    }
}

fn translate_refusal(refusal: &DbError) -> StoreError {
    let code = refusal.code().code();
    let message = refusal.message();
    if *refusal.code() == SqlState::UNIQUE_VIOLATION {
        return duplicate_key_error(refusal);
    }
    match (code, class_of_sqlstate(code)) {
        (_, "23") => StoreError::Constraint(describe_constraint(refusal)),
        ("P0001", _) if message.starts_with("append-only") => StoreError::AppendOnly(message.to_string()),
        ("P0001", _) => StoreError::Constraint(message.to_string()),
        // Statement and lock timeouts, and too many connections.
        ("57014" | "55P03" | "53300", _) | (_, "40") => StoreError::Busy(message.to_string()),
        ("53100", _) => StoreError::DiskFull,
        ("25006" | "25P03" | "25P04", _) | (_, "08" | "53" | "57" | "58") => {
            StoreError::Unavailable(message.to_string())
        }
        ("XX001" | "XX002", _) => StoreError::Damaged(message.to_string()),
        // Values that do not fit are quoted in the message.
        (_, "22") => StoreError::Programming(format!("PostgreSQL refused a value (SQLSTATE {code})")),
        _ => StoreError::Programming(format!("PostgreSQL refused a statement (SQLSTATE {code}): {message}")),
    }
}

/// The columns stand in the detail, `Key (lender, reference)=(...) already exists.` in any language. Values follow.
fn duplicate_key_error(refusal: &DbError) -> StoreError {
    let named = refusal.detail().and_then(|detail| Some(detail.split_once('(')?.1.split_once(")=(")?.0));
    let columns = named.or(refusal.constraint()).unwrap_or_default();
    StoreError::Duplicate { table: refusal.table().unwrap_or_default().to_string(), columns: columns.replace('"', "") }
}

fn describe_constraint(refusal: &DbError) -> String {
    let kind = match refusal.code() {
        code if *code == SqlState::FOREIGN_KEY_VIOLATION => "FOREIGN KEY",
        code if *code == SqlState::CHECK_VIOLATION => "CHECK",
        code if *code == SqlState::NOT_NULL_VIOLATION => "NOT NULL",
        _ => "constraint",
    };
    let part = refusal.constraint().or(refusal.column()).unwrap_or_default();
    format!("{kind} `{part}` of `{}`", refusal.table().unwrap_or_default())
}
