//! A portfolio that policies are judged on: its customers, their metrics, and what was counted of the judgements
//! before. Must not know how a policy is judged.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use polars::prelude::{DataFrame, DataType};

use super::policy::CountedPolicy;
use crate::base::date::Day;
use crate::base::digest::Digest;
use crate::engine::decision::{MetricSource, MetricsCache, Request};
use crate::portfolio::customer_table::CustomerTable;
use crate::portfolio::metrics_table::{Book, BookError, FileSource, HEAD, MemorySource, OtherColumns};
use crate::rules::Policy;
use crate::rules::node_keys::NodeKey;

/// A portfolio ready to be judged: who its customers are, and their metrics.
pub struct Portfolio {
    /// The customer of each row; the loan, if rows are loans.
    pub customers: Vec<String>,
    /// The customer of each loan. Empty: rows are customers.
    pub borrowers: Vec<String>,
    /// Their metrics.
    pub cache: MetricsCache,
    /// What was read.
    pub inputs: Vec<(String, String)>,
    /// Reads other columns: segments.
    pub columns: OtherColumns,
    /// What was counted of the latest judgements.
    pub summaries: Vec<CountedPolicy>,
}

impl Portfolio {
    /// Opens a table of metrics; `None` if the file is none. Columns are read when a policy needs them.
    ///
    /// # Errors
    /// If it cannot be read, another engine made it, or a customer comes twice.
    pub fn open(path: &Path) -> Result<Option<Portfolio>, BookError> {
        Book::open(path)?.map(Portfolio::from_book).transpose()
    }

    /// The customer of a row, also if rows are loans.
    pub fn borrower(&self, row: usize) -> &str {
        self.borrowers.get(row).or(self.customers.get(row)).map_or("", String::as_str)
    }

    /// A number for the borrower of each row; empty if rows are customers.
    pub fn borrower_keys(&self) -> Vec<u64> {
        self.borrowers.iter().map(|name| key_of_name(name)).collect()
    }

    /// About how many bytes the metrics in memory take, with what was computed from them.
    pub fn bytes(&self) -> usize {
        self.cache.bytes()
    }

    /// The portfolio in a table of metrics.
    ///
    /// # Errors
    /// If its columns cannot be read, or a customer comes twice.
    pub fn from_book(book: Book) -> Result<Portfolio, BookError> {
        let head = book.columns(&HEAD)?;
        let inputs = vec![(book.path.display().to_string(), book.digest()?)];
        let (path, given) = (book.path.clone(), book.note.as_of.is_some() || book.note.days_are_given);
        let source = FileSource::new(book);
        let columns = OtherColumns::File(path.clone());
        Portfolio::new(&head, given, Box::new(source), inputs, columns)
            .map_err(|what| BookError::Content { path, what })
    }

    /// The portfolio of a frame with the columns of [`HEAD`] and one for each key.
    ///
    /// # Errors
    /// If a customer comes twice, or has no name.
    pub fn from_frame(
        frame: DataFrame,
        keys: BTreeMap<NodeKey, String>,
        as_of: Option<Day>,
        inputs: Vec<(String, String)>,
    ) -> Result<Portfolio, String> {
        let head = frame.select(HEAD).map_err(|error| error.to_string())?;
        let columns = OtherColumns::Frame(frame.clone());
        let source = MemorySource { frame, keys };
        Portfolio::new(&head, as_of.is_some(), Box::new(source), inputs, columns)
    }

    /// The portfolio of a lender's own table, with what the policies read of it. Values that need records are missing.
    /// A row without a day of its own has that of the request.
    ///
    /// # Errors
    /// If a cell holds something else than the policy declares.
    pub fn from_customer_table(
        table: &CustomerTable,
        policies: &[&Policy],
        request: &Request,
        inputs: Vec<(String, String)>,
    ) -> Result<Portfolio, String> {
        let head = table.head(request.as_of)?;
        let days_are_given = request.as_of.is_some() || table.days().is_some();
        let columns = OtherColumns::Frame(table.plain_columns()?);
        let source = MemorySource { frame: head.clone(), keys: BTreeMap::new() };
        let mut portfolio = Portfolio::new(&head, days_are_given, Box::new(source), inputs, columns)?;
        portfolio.add_customer_table(table, policies, request)?;
        Ok(portfolio)
    }

    /// Adds what policies read of a lender's own table to the metrics of its customers. A customer without a row has
    /// what the request says.
    ///
    /// # Errors
    /// If a cell holds something else than a policy declares.
    pub fn add_customer_table(
        &mut self,
        table: &CustomerTable,
        policies: &[&Policy],
        request: &Request,
    ) -> Result<(), String> {
        for policy in policies {
            for input in policy.inputs() {
                if let Some(values) = table.values_for(policy, input, &self.customers, request)? {
                    self.cache.add_input(input, values);
                }
            }
        }
        Ok(())
    }

    fn new(
        head: &DataFrame,
        days_are_given: bool,
        source: Box<dyn MetricSource>,
        inputs: Vec<(String, String)>,
        columns: OtherColumns,
    ) -> Result<Portfolio, String> {
        let customers = customer_of_each_row(head)?;
        let days = days(head)?;
        Ok(Portfolio {
            borrowers: Vec::new(),
            customers,
            cache: MetricsCache::new(days, days_are_given, source),
            inputs,
            columns,
            summaries: Vec::new(),
        })
    }
}

/// Who each row is, by its customer, or else by its statement.
fn customer_of_each_row(head: &DataFrame) -> Result<Vec<String>, String> {
    let column = |name: &str| head.column(name).and_then(|column| column.str().cloned()).map_err(|e| e.to_string());
    let (customers, statements) = (column("customer")?, column("statement")?);
    let mut names = Vec::with_capacity(head.height());
    for (customer, statement) in customers.iter().zip(statements.iter()) {
        let name = customer.or(statement).filter(|name| !name.is_empty());
        names.push(name.ok_or("a row names neither its customer nor its statement")?.to_owned());
    }
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!(
            "customer `{}` has several rows, and a backtest counts customers; merge the accounts of a customer \
             (`lendwright metrics --merge`)",
            pair[0]
        )),
        None => Ok(names),
    }
}

fn days(head: &DataFrame) -> Result<Vec<Option<Day>>, String> {
    let column = head.column("as_of").map_err(|error| error.to_string())?;
    if *column.dtype() == DataType::Null {
        return Ok(vec![None; head.height()]);
    }
    if *column.dtype() != DataType::Date {
        return Err("the column `as_of` does not hold dates".to_owned());
    }
    let days = column.to_physical_repr();
    let days = days.i32().map_err(|error| error.to_string())?;
    let day = |day: Option<i32>| match day.map(Day::checked_from_days) {
        Some(None) => Err("the column `as_of` has a day outside the supported years".to_owned()),
        Some(day) => Ok(day),
        None => Ok(None),
    };
    days.iter().map(day).collect()
}

/// A number for a name, that of the beginning of its digest.
pub(crate) fn key_of_name(name: &str) -> u64 {
    let digest = Digest::compute(name.as_bytes());
    digest.as_bytes().iter().take(8).fold(0_u64, |key, byte| key << 8 | u64::from(*byte))
}
