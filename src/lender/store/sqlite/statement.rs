//! Statements of a transaction on SQLite, with their parameters and rows.

use std::sync::Arc;

use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
use rusqlite::{CachedStatement, Connection, Statement};

use super::error::translate_error;
use crate::lender::store::database::{Dialect, Health, Transaction, check_statement, check_values, writes_in_a_read};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::{QueryRow, SqlValue};

pub(super) struct SqliteTransaction<'a> {
    connection: &'a Connection,
    access: Access,
    health: Health,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl<'a> SqliteTransaction<'a> {
    pub(super) fn new(connection: &'a Connection, access: Access) -> SqliteTransaction<'a> {
        SqliteTransaction { connection, access, health: Health::default() }
    }

    /// Whether all statements have succeeded.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.health.check()
    }
}

impl Transaction for SqliteTransaction<'_> {
    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, StoreError> {
        self.health.run(|| {
            check_statement(sql)?;
            let mut statement = prepare_checked_statement(self.connection, self.access, sql)?;
            if statement.column_count() > 0 {
                return Err(StoreError::Programming("a statement that returns rows is a query".to_string()));
            }
            bind_numbered_values(&mut statement, values)?;
            let changed = statement.raw_execute().map_err(translate_error)?;
            Ok(changed as u64)
        })
    }

    fn query(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<QueryRow>, StoreError> {
        self.health.run(|| {
            check_statement(sql)?;
            let mut statement = prepare_checked_statement(self.connection, self.access, sql)?;
            let columns: Arc<[String]> = statement.column_names().map(str::to_string).collect();
            if columns.is_empty() {
                return Err(StoreError::Programming("a query returns no columns".to_string()));
            }
            bind_numbered_values(&mut statement, values)?;
            let mut found = statement.raw_query();
            let mut rows = Vec::new();
            while let Some(row) = found.next().map_err(translate_error)? {
                let cells = columns.iter().enumerate().map(|(at, name)| {
                    let cell = row.get_ref(at).map_err(translate_error)?;
                    read_cell(cell, name)
                });
                rows.push(QueryRow::new(columns.clone(), cells.collect::<Result<_, _>>()?));
            }
            Ok(rows)
        })
    }

    fn script(&mut self, sql: &str) -> Result<(), StoreError> {
        self.health.run(|| match self.access {
            Access::Read => Err(writes_in_a_read()),
            Access::Write => {
                check_statement(sql)?;
                self.connection.execute_batch(sql).map_err(translate_error)
            }
        })
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }
}

fn prepare_checked_statement<'a>(
    connection: &'a Connection,
    access: Access,
    sql: &str,
) -> Result<CachedStatement<'a>, StoreError> {
    let statement = connection.prepare_cached(sql).map_err(translate_error)?;
    if access == Access::Read && !statement.readonly() { Err(writes_in_a_read()) } else { Ok(statement) }
}

/// Binds by name. To SQLite `$2` is a name, which it numbers by its first appearance.
fn bind_numbered_values(statement: &mut Statement<'_>, values: &[SqlValue]) -> Result<(), StoreError> {
    let numbers: Result<Vec<usize>, StoreError> = (1..=statement.parameter_count())
        .map(|at| {
            let number = statement.parameter_name(at).and_then(|name| name.strip_prefix('$')?.parse().ok());
            number.ok_or_else(|| StoreError::Programming("a placeholder is not `$` and a number".to_string()))
        })
        .collect();
    let numbers = numbers?;
    check_values(numbers.iter().copied(), values)?;
    for (at, number) in (1..).zip(numbers) {
        let value = number
            .checked_sub(1)
            .and_then(|at| values.get(at))
            .map_or(ToSqlOutput::Owned(Owned::Null), borrow_sql_value);
        statement.raw_bind_parameter(at, value).map_err(translate_error)?;
    }
    Ok(())
}

fn borrow_sql_value(value: &SqlValue) -> ToSqlOutput<'_> {
    match value {
        SqlValue::Null => ToSqlOutput::Owned(Owned::Null),
        SqlValue::Integer(value) => ToSqlOutput::Owned(Owned::Integer(*value)),
        SqlValue::Text(value) => ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes())),
        SqlValue::Bytes(value) => ToSqlOutput::Borrowed(ValueRef::Blob(value)),
    }
}

fn read_cell(cell: ValueRef<'_>, column: &str) -> Result<SqlValue, StoreError> {
    match cell {
        ValueRef::Null => Ok(SqlValue::Null),
        ValueRef::Integer(value) => Ok(SqlValue::Integer(value)),
        ValueRef::Text(value) => match std::str::from_utf8(value) {
            Ok(value) => Ok(SqlValue::Text(value.to_string())),
            Err(_) => Err(StoreError::Damaged(format!("column `{column}` holds text that is not UTF-8"))),
        },
        ValueRef::Blob(value) => Ok(SqlValue::Bytes(value.to_vec())),
        ValueRef::Real(_) => Err(StoreError::Programming(format!("column `{column}` is a real number"))),
    }
}
