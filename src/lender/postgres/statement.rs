//! A transaction on PostgreSQL: its statements with their parameters and rows, and its commit.

use std::error::Error;
use std::sync::Arc;

use bytes::BytesMut;
use postgres::Statement;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::connection::Connection;
use super::error::{during_commit, is_outdated, may_run_again, translate_error};
use crate::lender::store::database::{Dialect, Health, Transaction, check_statement, check_values, writes_in_a_read};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::{QueryRow, SqlValue};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl Access {
    pub(super) fn begin(self) -> &'static str {
        match self {
            // One snapshot for all queries.
            Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Access::Write => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        }
    }
}

pub(super) struct PostgresTransaction<'a> {
    connection: &'a mut Connection,
    access: Access,
    health: Health,
    must_run_again: bool,
    is_over: bool,
}

impl<'a> PostgresTransaction<'a> {
    pub(super) fn new(connection: &'a mut Connection, access: Access) -> PostgresTransaction<'a> {
        PostgresTransaction { connection, access, health: Health::default(), must_run_again: false, is_over: false }
    }

    /// Whether all statements have succeeded.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.health.check()
    }

    /// Whether a statement failed only because of others' transactions.
    pub(super) fn must_run_again(&self) -> bool {
        self.must_run_again
    }

    /// `None` if it did not happen because of others' transactions.
    pub(super) fn commit(mut self) -> Result<Option<()>, StoreError> {
        self.is_over = true;
        match self.connection.client().batch_execute("COMMIT") {
            Ok(()) => Ok(Some(())),
            Err(error) if may_run_again(&error) => Ok(None),
            Err(error) => {
                self.connection.mark_broken();
                match (self.access, during_commit(&error)) {
                    // A read has nothing to lose.
                    (Access::Read, _) => Err(translate_error(&error)),
                    (Access::Write, error) => Err(error),
                }
            }
        }
    }

    fn run<T>(&mut self, statement: impl FnOnce(&mut Connection) -> Result<T, Failure>) -> Result<T, StoreError> {
        let PostgresTransaction { connection, access, health, must_run_again, .. } = self;
        health.run(|| {
            statement(connection).map_err(|failure| match failure {
                Failure::Store(error) => error,
                Failure::Server(error) => {
                    *must_run_again = may_run_again(&error);
                    if is_outdated(&error) {
                        connection.forget_statements();
                    }
                    match translate_error(&error) {
                        // The server says only that the transaction is read-only.
                        StoreError::Unavailable(_) if *access == Access::Read && is_read_only(&error) => {
                            writes_in_a_read()
                        }
                        error => error,
                    }
                }
            })
        })
    }
}

fn is_read_only(error: &postgres::Error) -> bool {
    error.code().is_some_and(|code| code.code() == "25006")
}

/// Rolls back what is not committed: after an error, and while a panic unwinds.
impl Drop for PostgresTransaction<'_> {
    fn drop(&mut self) {
        if !self.is_over && self.connection.run("ROLLBACK").is_err() {
            self.connection.mark_broken();
        }
    }
}

enum Failure {
    Store(StoreError),
    Server(postgres::Error),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Store(error)
    }
}

impl From<postgres::Error> for Failure {
    fn from(error: postgres::Error) -> Failure {
        Failure::Server(error)
    }
}

impl Transaction for PostgresTransaction<'_> {
    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, StoreError> {
        self.run(|connection| {
            check_statement(sql)?;
            let statement = connection.prepare(sql)?;
            if !statement.columns().is_empty() {
                return Err(StoreError::Programming("a statement that returns rows is a query".to_string()).into());
            }
            let parameters = check_parameter_types(&statement, values)?;
            Ok(connection.client().execute(&statement, &borrow_parameters(&parameters))?)
        })
    }

    fn query(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<QueryRow>, StoreError> {
        self.run(|connection| {
            check_statement(sql)?;
            let statement = connection.prepare(sql)?;
            let columns: Arc<[String]> = statement.columns().iter().map(|column| column.name().to_string()).collect();
            if columns.is_empty() {
                return Err(StoreError::Programming("a query returns no columns".to_string()).into());
            }
            let parameters = check_parameter_types(&statement, values)?;
            let mut rows = Vec::new();
            for row in connection.client().query(&statement, &borrow_parameters(&parameters))? {
                let cells = (0..columns.len()).map(|at| read_cell(&row, at));
                rows.push(QueryRow::new(columns.clone(), cells.collect::<Result<_, _>>()?));
            }
            Ok(rows)
        })
    }

    fn script(&mut self, sql: &str) -> Result<(), StoreError> {
        let access = self.access;
        self.run(|connection| {
            if access == Access::Read {
                return Err(writes_in_a_read().into());
            }
            check_statement(sql)?;
            Ok(connection.client().batch_execute(sql)?)
        })
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }
}

/// Checks the values against the types that the server expects: the client would panic at a wrong number of them.
fn check_parameter_types<'a>(statement: &Statement, values: &'a [SqlValue]) -> Result<Vec<Parameter<'a>>, StoreError> {
    let types = statement.params();
    check_values(1..=types.len(), values)?;
    for (number, (value, expected)) in (1..).zip(values.iter().zip(types)) {
        if !fits_expected_type(value, expected) {
            return Err(StoreError::Programming(format!(
                "`${number}` is {}, and PostgreSQL expects {expected}: cast it in the statement",
                value.kind()
            )));
        }
    }
    Ok(values.iter().map(Parameter).collect())
}

fn borrow_parameters<'a>(parameters: &'a [Parameter<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    parameters.iter().map(|parameter| parameter as &(dyn ToSql + Sync)).collect()
}

fn fits_expected_type(value: &SqlValue, expected: &Type) -> bool {
    match value {
        SqlValue::Null => true,
        SqlValue::Integer(value) => {
            *expected == Type::INT8 || (*expected == Type::INT4 && i32::try_from(*value).is_ok())
        }
        SqlValue::Text(_) => [Type::TEXT, Type::VARCHAR].contains(expected),
        SqlValue::Bytes(_) => *expected == Type::BYTEA,
    }
}

/// A value in the type that the server expects.
#[derive(Debug)]
struct Parameter<'a>(&'a SqlValue);

impl ToSql for Parameter<'_> {
    fn to_sql(&self, expected: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self.0 {
            SqlValue::Null => Ok(IsNull::Yes),
            SqlValue::Integer(value) if *expected == Type::INT4 => i32::try_from(*value)?.to_sql(expected, out),
            SqlValue::Integer(value) => value.to_sql(expected, out),
            SqlValue::Text(value) => value.to_sql(expected, out),
            SqlValue::Bytes(value) => value.to_sql(expected, out),
        }
    }

    /// `parameters` has checked it, because a null fits every type.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A cell as it came, of a type that is read below.
struct Raw(SqlValue);

impl<'a> FromSql<'a> for Raw {
    fn from_sql(kind: &Type, bytes: &'a [u8]) -> Result<Raw, Box<dyn Error + Sync + Send>> {
        Ok(Raw(match *kind {
            Type::INT2 => SqlValue::Integer(i16::from_sql(kind, bytes)?.into()),
            Type::INT4 => SqlValue::Integer(i32::from_sql(kind, bytes)?.into()),
            Type::INT8 => SqlValue::Integer(i64::from_sql(kind, bytes)?),
            Type::BYTEA => SqlValue::Bytes(bytes.to_vec()),
            _ => SqlValue::Text(String::from_sql(kind, bytes)?),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Raw, Box<dyn Error + Sync + Send>> {
        Ok(Raw(SqlValue::Null))
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT2, Type::INT4, Type::INT8, Type::BYTEA, Type::TEXT, Type::VARCHAR].contains(kind)
    }
}

fn read_cell(row: &postgres::Row, at: usize) -> Result<SqlValue, StoreError> {
    row.try_get(at).map(|Raw(value)| value).map_err(|_| {
        let column = row.columns().get(at);
        StoreError::Programming(format!(
            "column `{}` is {}, which is not read: cast it in the statement",
            column.map_or("?", |column| column.name()),
            column.map_or("?", |column| column.type_().name())
        ))
    })
}
