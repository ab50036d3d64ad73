//! SQLite's errors as those of the store.

use rusqlite::ffi;

use crate::lender::store::error::StoreError;

/// An error before the commit: nothing happened.
pub(super) fn translate_error(error: rusqlite::Error) -> StoreError {
    match error {
        rusqlite::Error::SqliteFailure(code, message) => {
            translate_code(code, message.unwrap_or_else(|| code.to_string()))
        }
        // `Display` would add the statement, which may be long.
        rusqlite::Error::SqlInputError { error, msg, .. } => translate_code(error, msg),
        other => StoreError::Programming(format!("SQLite was used wrongly: {other}")),
    }
}

/// An error of the commit itself. If the disk failed, the transaction may be found after the next start.
pub(super) fn during_commit(error: rusqlite::Error) -> StoreError {
    match translate_error(error) {
        StoreError::Unavailable(message) | StoreError::Damaged(message) => StoreError::OutcomeUnknown(message),
        other => other,
    }
}

fn translate_code(error: ffi::Error, message: String) -> StoreError {
    match error.extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            return unique_violation_error(&message);
        }
        ffi::SQLITE_CONSTRAINT_TRIGGER if message.starts_with("append-only") => return StoreError::AppendOnly(message),
        _ => {}
    }
    match error.extended_code & 0xff {
        ffi::SQLITE_CONSTRAINT => StoreError::Constraint(message),
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => StoreError::Busy(message),
        ffi::SQLITE_FULL => StoreError::DiskFull,
        ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => StoreError::Damaged(message),
        ffi::SQLITE_IOERR
        | ffi::SQLITE_CANTOPEN
        | ffi::SQLITE_READONLY
        | ffi::SQLITE_PERM
        | ffi::SQLITE_AUTH
        | ffi::SQLITE_NOMEM
        | ffi::SQLITE_NOLFS
        | ffi::SQLITE_PROTOCOL => StoreError::Unavailable(message),
        _ => StoreError::Programming(format!("SQLite refused a statement: {message}")),
    }
}

/// `UNIQUE constraint failed: loans.lender, loans.reference`, or `... failed: index 'name'` for one over expressions.
fn unique_violation_error(message: &str) -> StoreError {
    let key = message.split_once(": ").map_or(message, |(_, key)| key);
    let mut table = "";
    let columns: Vec<&str> = key
        .split(", ")
        .map(|part| match part.split_once('.') {
            Some((before, column)) => {
                table = before;
                column
            }
            None => part,
        })
        .collect();
    StoreError::Duplicate { table: table.to_string(), columns: columns.join(", ") }
}
