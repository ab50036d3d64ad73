//! Decides some customers. If one of them cannot be read, each is read alone, and that one is listed.

use super::error::Error;
use super::request::TableRequest;
use super::results::Results;
use crate::engine::decision::merge;
use crate::run::batch::FailedStatement;
use crate::run::batch::tables::customers::{CustomerRows, Customers};
use crate::statement::arrow_tables::{ArrowPiece, statements_of_pieces};
use crate::statement::{self, Columns, LaidRow, Statements, Table, Tables, statements_of};

/// A customer, and the rows that are theirs.
pub(crate) struct CustomerPieces {
    pub(crate) name: String,
    pub(crate) pieces: Vec<ArrowPiece>,
}

impl CustomerPieces {
    pub(crate) fn rows(&self) -> usize {
        self.pieces.iter().map(|piece| piece.rows.len()).sum()
    }
}

/// Decides customers whose rows are in memory.
pub(crate) fn decide_pieces(asked: &TableRequest, customers: &[CustomerPieces]) -> Result<Results, Error> {
    let named = customers.iter().map(|customer| (customer.name.as_str(), None)).collect::<Vec<_>>();
    let rows = customers.iter().map(CustomerPieces::rows).sum::<usize>() as u64;
    decide_read_customers(asked, &named, rows, &|range| {
        let some = customers.get(range).unwrap_or_default();
        statements_of_pieces(&join_adjacent_pieces(some), &asked.label, &asked.reading)
    })
}

/// Decides statements that were read from elsewhere.
///
/// # Errors
/// If the policy reads statements in another way.
pub fn decide_statements(asked: &TableRequest, statements: &Statements) -> Result<Results, Error> {
    statements.check_reading(&asked.reading)?;
    let merged = match &asked.merging {
        Some(merging) => Some(merge(asked.policies.as_ref(), std::slice::from_ref(statements), merging)?),
        None => None,
    };
    let statements = merged.as_ref().unwrap_or(statements);
    let mut results = Results::from_statements(asked, statements)?;
    let met = statements.heads().iter().filter_map(|head| head.customer.clone()).collect();
    results.failures = asked.requests.without_records(&met);
    results.with_failures(asked)
}

/// The pieces of all customers; those that follow each other in one table are one.
fn join_adjacent_pieces(customers: &[CustomerPieces]) -> Vec<ArrowPiece> {
    let mut joined: Vec<ArrowPiece> = Vec::new();
    for piece in customers.iter().flat_map(|customer| &customer.pieces) {
        match joined.last_mut() {
            Some(last) if std::sync::Arc::ptr_eq(&last.of, &piece.of) && last.rows.end == piece.rows.start => {
                last.rows.end = piece.rows.end;
            }
            _ => joined.push(piece.clone()),
        }
    }
    joined
}

/// Decides customers whose rows were sorted on disk.
pub(crate) fn decide_sorted(asked: &TableRequest, table: &Table, customers: &Customers) -> Result<Results, Error> {
    let list: Vec<&CustomerRows> = customers.list.iter().collect();
    let named = list.iter().map(|customer| (customer.name.as_str(), customer.failed.as_deref())).collect::<Vec<_>>();
    let rows = list.iter().map(|customer| customer.rows.len()).sum::<usize>() as u64;
    let columns: &Columns = &asked.columns;
    let tables = Tables { tables: std::slice::from_ref(table), columns, reading: &asked.reading, name_tables: false };
    decide_read_customers(asked, &named, rows, &|range| {
        let some = list.get(range).unwrap_or_default();
        let rows = some.iter().flat_map(|customer| customers.rows(customer));
        let rows = rows.map(|row| LaidRow { table: row.table, ordinal: row.ordinal, bytes: customers.bytes(row) });
        columns.name_customer(statements_of(rows, &tables, |_| asked.label.clone())?)
    })
}

/// Reads all customers together, or each alone if that fails, and decides them. `named` has each customer's name, and
/// why it cannot be read if that is known.
fn decide_read_customers(
    asked: &TableRequest,
    named: &[(&str, Option<&str>)],
    rows: u64,
    read: &dyn Fn(std::ops::Range<usize>) -> Result<Statements, statement::Error>,
) -> Result<Results, Error> {
    let read = |range| match (read(range), &asked.merging) {
        (Ok(statements), Some(merging)) => merge(asked.policies.as_ref(), &[statements], merging),
        (read, _) => read,
    };
    let is_sound = named.iter().all(|(_, failed)| failed.is_none());
    let together = if is_sound { read(0..named.len()).ok() } else { None };
    let mut results = match together {
        Some(statements) => Results::from_statements(asked, &statements)?,
        None => {
            let mut all = Results::default();
            for (at, (name, failed)) in named.iter().enumerate() {
                let alone = match failed {
                    Some(what) => Err((None, (*what).to_owned())),
                    None => read(at..at + 1).map_err(|wrong| wrong.parts()),
                };
                match alone {
                    Ok(statements) => all.add(Results::from_statements(asked, &statements)?)?,
                    Err((place, what)) => {
                        let (source, customer) = (asked.label.clone(), Some((*name).to_owned()));
                        all.failures.push(FailedStatement { source, customer, place, what });
                    }
                }
            }
            if all.tables.is_empty() {
                all.tables = Results::empty_tables(asked)?;
            }
            all
        }
    };
    results.customers = named.iter().map(|(name, _)| (*name).to_owned()).collect();
    results.rows = rows;
    results.with_failures(asked)
}

impl Results {
    /// Adds the rows of further customers.
    fn add(&mut self, more: Results) -> Result<(), Error> {
        if self.tables.is_empty() {
            self.tables = more.tables;
            return Ok(());
        }
        for (table, more) in self.tables.iter_mut().zip(&more.tables) {
            table.vstack_mut(more)?;
        }
        Ok(())
    }
}
