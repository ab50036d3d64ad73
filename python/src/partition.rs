//! A partition of a distributed table: batches in, results out, in bounded memory. Must not know which engine sends it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use lendwright::arrow::{CustomerStream, Error, Results, arrow_table};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::policy::{Policy, Question};
use crate::statements::columns_of_text;
use crate::table::Table;
use crate::work::refuse_forked;
use crate::{border, errors};

/// Receives the batches of a partition, in any order of rows, and gives results customer by customer. One that cannot
/// be decided is a row with `failure`.
#[pyclass(frozen, module = "lendwright._engine")]
pub(crate) struct Partition {
    /// `None` once it has ended.
    stream: Mutex<Option<CustomerStream>>,
    /// One thread: the engine around it runs as many partitions at once as there are cores.
    pool: ThreadPool,
}

#[pymethods]
impl Partition {
    #[new]
    #[pyo3(signature = (policy, table, *, as_of, request_json, columns, flags, json, memory, temp))]
    #[allow(clippy::too_many_arguments, reason = "Python calls it by names")]
    fn new(
        py: Python<'_>,
        policy: &Bound<'_, Policy>,
        table: &str,
        as_of: Option<&str>,
        request_json: Option<&str>,
        columns: Option<&str>,
        flags: Option<Vec<String>>,
        json: bool,
        memory: u64,
        temp: Option<PathBuf>,
    ) -> PyResult<Partition> {
        refuse_forked(py)?;
        let mut asked = policy.get().asked(py, Question { table, json, flags, as_of, request_json })?;
        asked.failures_are_rows = true;
        "partition".clone_into(&mut asked.label);
        if let Some(text) = columns {
            asked.columns = Arc::new(columns_of_text(py, text)?);
        }
        let stream = CustomerStream::new(asked, memory, temp).map_err(|error| errors::work(py, &error))?;
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| errors::other(py, "threads", &format!("cannot start a thread: {error}")))?;
        Ok(Partition { stream: Mutex::new(Some(stream)), pool })
    }

    /// Takes a batch; returns what is found about customers whose rows are all there.
    fn push(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<Vec<Table>> {
        let parts = border::import(batch)?;
        let found = py.detach(|| -> Option<Result<Vec<Results>, Error>> {
            let mut held = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
            let stream = held.as_mut()?;
            let push = |part: border::Part| stream.push(part.columns, part.rows, &mut |_| true);
            let found: Result<Vec<Vec<Results>>, Error> = self.pool.install(|| parts.into_iter().map(push).collect());
            Some(found.map(|found| found.into_iter().flatten().collect()))
        });
        tables(py, found.ok_or_else(|| ended(py))?.map_err(|error| errors::work(py, &error))?)
    }

    /// Returns what is found about the customers that are left.
    fn finish(&self, py: Python<'_>) -> PyResult<Vec<Table>> {
        let stream = py.detach(|| self.stream.lock().unwrap_or_else(PoisonError::into_inner).take());
        let stream = stream.ok_or_else(|| ended(py))?;
        let finish = || {
            let mut found = Vec::new();
            let mut take = |results| {
                found.push(results);
                Ok(())
            };
            stream.finish(&mut |_| true, &mut take).map(|()| found)
        };
        let found = py.detach(|| self.pool.install(finish));
        tables(py, found.map_err(|error| errors::work(py, &error))?)
    }
}

fn ended(py: Python<'_>) -> PyErr {
    errors::other(py, "partition", "the partition has ended; make another one")
}

fn tables(py: Python<'_>, found: Vec<Results>) -> PyResult<Vec<Table>> {
    let first = found.into_iter().filter_map(|results| results.tables.into_iter().next());
    first.map(|table| arrow_table(&[table]).map(Table).map_err(|error| errors::work(py, &error))).collect()
}
