//! Rows of tables, collected customer by customer until there are enough for a unit.

use std::ops::Range;

use crate::run::batch::inputs::spool::format_bytes;

/// A row: the number of its table, its ordinal in the table, and where its bytes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowAt {
    pub(crate) table: u32,
    pub(crate) ordinal: u32,
    from: usize,
    length: u32,
}

/// A customer and their rows.
#[derive(Clone, Debug)]
pub(crate) struct CustomerRows {
    pub(crate) name: String,
    pub(crate) rows: Range<usize>,
    first_table: u32,
    /// Why the customer cannot be decided.
    pub(crate) failed: Option<String>,
}

/// All rows of several customers, in the order of the customers' names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Customers {
    bytes: Vec<u8>,
    rows: Vec<RowAt>,
    pub(crate) list: Vec<CustomerRows>,
}

impl Customers {
    /// Adds a row of the last customer, or of one who comes after.
    pub(crate) fn push(&mut self, customer: &str, table: u32, ordinal: u32, bytes: &[u8], max_bytes: u64) {
        if self.list.last().is_none_or(|last| last.name != customer) {
            self.end_customer();
            let at = self.rows.len();
            self.list.push(CustomerRows { name: customer.to_owned(), rows: at..at, first_table: table, failed: None });
        }
        let Some(last) = self.list.last_mut() else { return };
        if last.failed.is_some() {
            return;
        }
        let first = self.rows.get(last.rows.start).map_or(self.bytes.len(), |row| row.from);
        let (length, max_bytes) = (bytes.len() as u32, max_bytes.min(u64::from(u32::MAX)));
        if (self.bytes.len() - first + bytes.len()) as u64 > max_bytes {
            let more = if max_bytes < u64::from(u32::MAX) {
                "; allow more by --statement-max"
            } else {
                ", the most there can be"
            };
            let what = format!("the customer's records are larger than {}{more}", format_bytes(max_bytes));
            last.failed = Some(what);
            self.bytes.truncate(first);
            self.rows.truncate(last.rows.start);
            last.rows = self.rows.len()..self.rows.len();
            return;
        }
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.rows.push(RowAt { table, ordinal, from, length });
        last.rows.end = self.rows.len();
    }

    /// Sorts the last customer's rows into the order of the sources.
    pub(crate) fn end_customer(&mut self) {
        if let Some(rows) = self.list.last().and_then(|last| self.rows.get_mut(last.rows.clone())) {
            rows.sort_unstable_by_key(|row| (row.table, row.ordinal));
        }
    }

    /// The rows of a customer.
    pub(crate) fn rows(&self, customer: &CustomerRows) -> &[RowAt] {
        self.rows.get(customer.rows.clone()).expect("INVARIANT: `push` keeps the rows of listed customers")
    }

    /// A row's bytes.
    pub(crate) fn bytes(&self, row: &RowAt) -> &[u8] {
        let end = row.from + row.length as usize;
        self.bytes.get(row.from..end).expect("INVARIANT: `push` keeps the bytes of listed rows")
    }

    /// The tables that hold a customer's rows, in the order of the sources.
    pub(crate) fn tables(&self, customer: &CustomerRows) -> Vec<u32> {
        let mut tables: Vec<u32> = self.rows(customer).iter().map(|row| row.table).collect();
        tables.dedup();
        if tables.is_empty() {
            tables.push(customer.first_table);
        }
        tables
    }

    /// Bytes of memory in use.
    pub(crate) fn size(&self) -> u64 {
        (self.bytes.len() + self.rows.len() * size_of::<RowAt>() + self.list.len() * size_of::<CustomerRows>()) as u64
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
