//! Decides a unit: reads its statements, decides on them, and writes their rows to memory.

use std::sync::OnceLock;

use serde_json::Value;

use super::unit::{Unit, Work};
use crate::base::digest::Digest;
use crate::engine::decision::decide_each::decide_each;
use crate::engine::decision::{Decision, decide, merge, reading};
use crate::run::batch::error::Error;
use crate::run::batch::inputs::kinds::SourceKind;
use crate::run::batch::inputs::source::BatchSource;
use crate::run::batch::inputs::spool::{self, Content};
use crate::run::batch::job::{Job, OutputTable, Shard};
use crate::run::batch::output::decided::{Decided, Page};
use crate::run::batch::output::result_rows::{ResultColumn, RowFormat, result_rows_of_decision, write_row};
use crate::run::batch::tables::customers::{CustomerRows, Customers};
use crate::run::batch::tables::table_scan::{Survey, SurveyedTable};
use crate::run::batch::tally::{FailedStatement, PassedOver};
use crate::run::files::advise_on_json_shape;
use crate::statement::{self, Columns, Head, LaidRow, Reading, Statements, Table, Tables, read_json, statements_of};

/// An output: its table, columns and row format.
pub(crate) struct OutputSpec {
    /// `None` for the list of inputs.
    pub(crate) table: Option<OutputTable>,
    pub(crate) columns: Vec<ResultColumn>,
    pub(crate) row_format: RowFormat,
}

/// Decides units.
pub(crate) struct Decider<'a> {
    job: &'a Job,
    sources: &'a [BatchSource],
    outputs: &'a [OutputSpec],
    survey: &'a OnceLock<Survey>,
    tables: OnceLock<Vec<Table>>,
    reading: Reading,
    own_names: Columns,
    /// Bytes of memory that a thread keeps for later statements.
    buffer_kept: usize,
}

/// The name of a source at which the decider panics, for tests.
#[cfg(test)]
pub(crate) const PANICS: &str = "panics.json";

/// A row of the list of inputs.
struct Input<'s> {
    source: &'s BatchSource,
    digest: Option<Digest>,
    statements: Option<u64>,
    records: u64,
}

impl<'a> Decider<'a> {
    pub(crate) fn new(
        job: &'a Job,
        sources: &'a [BatchSource],
        outputs: &'a [OutputSpec],
        survey: &'a OnceLock<Survey>,
        buffer_kept: usize,
    ) -> Self {
        let (reading, own_names) = (reading(&job.policies), Columns::default());
        Decider { job, sources, outputs, survey, tables: OnceLock::new(), reading, own_names, buffer_kept }
    }

    /// Decides a unit. `buffer` is memory for a statement's bytes, kept from one unit to the next.
    pub(crate) fn decide_unit(&self, unit: Unit, buffer: &mut Vec<u8>) -> Result<Decided, Error> {
        let mut builder = UnitBuilder {
            decider: self,
            buffer,
            decided: Decided {
                index: unit.index,
                resume_at: unit.resume_at,
                cost: unit.cost,
                source_bytes: unit.source_bytes,
                pages: vec![Page::default(); self.outputs.len()],
                tally: Default::default(),
            },
        };
        match unit.work {
            Work::Documents(documents) => {
                for source in documents.into_iter().filter_map(|at| self.sources.get(at)) {
                    let content = match &source.kind {
                        SourceKind::Unreadable(what) | SourceKind::Refused(what) => Err(what.clone()),
                        _ => spool::read_statement(source, self.job.statement_max, std::mem::take(builder.buffer)),
                    };
                    builder.document(source, content)?;
                }
            }
            Work::Loaded(documents) => {
                for (at, content) in documents {
                    if let Some(source) = self.sources.get(at) {
                        builder.document(source, content)?;
                    }
                }
            }
            Work::Tables => builder.tables(),
            Work::Customers(customers) => builder.customers(&customers)?,
        }
        Ok(builder.decided)
    }

    fn tables(&self) -> &[Table] {
        self.tables.get_or_init(|| {
            let tables = self.survey.get().map(|survey| survey.tables.as_slice()).unwrap_or_default();
            tables.iter().map(|table| table.table.clone().unwrap_or_else(|| Table::unread(&table.label))).collect()
        })
    }
}

/// The result of a unit under construction.
struct UnitBuilder<'d, 'a> {
    decider: &'d Decider<'a>,
    decided: Decided,
    buffer: &'d mut Vec<u8>,
}

impl UnitBuilder<'_, '_> {
    fn document(&mut self, source: &BatchSource, content: Result<Content, String>) -> Result<(), Error> {
        self.decided.tally.sources += 1;
        let label = source.label();
        #[cfg(test)]
        assert!(!label.ends_with(PANICS), "as asked");
        let mut input = Input { source, digest: None, statements: Some(0), records: 0 };
        match content {
            Err(what) => self.add_failure(FailedStatement { source: label, customer: None, place: None, what }),
            Ok(content) => {
                input.digest = Some(content.digest);
                let read = read_json(&content.bytes, &label, &self.decider.reading)
                    .map_err(|wrong| advise_on_json_shape(wrong, &content.bytes));
                let read = match &self.decider.job.columns {
                    Some(columns) => read.and_then(|statements| columns.name_customer(statements)),
                    None => read,
                };
                self.keep_buffer(content.bytes);
                match read {
                    Err(wrong) => self.add_failure(failed_statement_of(label, None, &wrong)),
                    Ok(statements) => {
                        input.statements = Some(statements.len() as u64);
                        input.records = statements.heads().iter().map(|head| head.quality.records).sum();
                        self.decide(&statements)?;
                    }
                }
            }
        }
        self.add_input(&input);
        Ok(())
    }

    /// Keeps the memory of a statement's bytes for the next one, unless it is too large.
    fn keep_buffer(&mut self, bytes: Vec<u8>) {
        *self.buffer = if bytes.capacity() <= self.decider.buffer_kept { bytes } else { Vec::new() };
    }

    fn decide(&mut self, statements: &Statements) -> Result<(), Error> {
        let job = self.decider.job;
        let own = |head: &Head| head.customer.as_ref().and_then(|customer| job.requests.get(customer));
        let decisions = match job.requests.is_empty() {
            true => decide(&job.policies, statements, &job.request)?,
            false => decide_each(&job.policies, statements, &|head| own(head).unwrap_or(&job.request))?,
        };
        for decision in decisions {
            self.decision(&decision);
        }
        Ok(())
    }

    fn decision(&mut self, decision: &Decision) {
        self.decided.tally.decided(decision);
        for (output, page) in self.decider.outputs.iter().zip(&mut self.decided.pages) {
            let Some(table) = output.table else { continue };
            if (table, output.row_format) == (OutputTable::Decisions, RowFormat::Objects) {
                page.bytes.extend_from_slice(decision.to_line().as_bytes());
                page.bytes.push(b'\n');
                page.rows += 1;
                continue;
            }
            for row in result_rows_of_decision(table, &output.columns, decision) {
                write_row(&output.columns, &row, output.row_format, &mut page.bytes);
                page.rows += 1;
            }
        }
    }

    fn add_failure(&mut self, failure: FailedStatement) {
        let row: [Value; 4] = [
            failure.source.as_str().into(),
            failure.customer.clone().into(),
            failure.place.clone().into(),
            failure.what.as_str().into(),
        ];
        self.add_row(|table| table == Some(OutputTable::Failures), &row);
        self.decided.tally.failed(failure);
    }

    fn add_input(&mut self, input: &Input<'_>) {
        let table = if input.source.is_document() { "statement" } else { "table" };
        let row: [Value; 6] = [
            input.source.label().into(),
            table.into(),
            input.source.bytes.into(),
            input.digest.map(|digest| digest.to_string()).into(),
            input.statements.into(),
            input.records.into(),
        ];
        self.add_row(|table| table.is_none(), &row);
    }

    fn add_row(&mut self, is_meant: impl Fn(Option<OutputTable>) -> bool, row: &[Value]) {
        for (output, page) in self.decider.outputs.iter().zip(&mut self.decided.pages) {
            if is_meant(output.table) {
                write_row(&output.columns, row, output.row_format, &mut page.bytes);
                page.rows += 1;
            }
        }
    }

    /// Lists the tables themselves: as inputs, and those that cannot be read as failures.
    fn tables(&mut self) {
        let decider = self.decider;
        let Some(survey) = decider.survey.get() else { return };
        let lacking: Vec<String> = survey.lacks_rows().map(|table| table.label.clone()).collect();
        self.decided.tally.unread_tables = lacking.len() as u64;
        let is_blocked = !lacking.is_empty() && !decider.job.apart;
        for table in &survey.tables {
            let Some(source) = decider.sources.get(table.source).filter(|source| !source.is_document()) else {
                continue;
            };
            if !table.left {
                self.decided.tally.sources += 1;
                let records = if table.same_as.is_none() { table.rows } else { 0 };
                self.add_input(&Input { source, digest: table.digest, statements: None, records });
            }
            let is_empty_failure = table.has_no_bytes() && !decider.job.allow_empty;
            if let Some(why) = passed_over(table).filter(|_| !is_empty_failure) {
                self.decided.tally.passed_over_tables.push(PassedOver { source: table.label.clone(), why });
            }
            // Every shard has the same sources; only one shard lists the failures of a source.
            if !Shard::holds(decider.job.shard, &source.shard_key()) {
                continue;
            }
            let (customer, place, what) = match &table.failed {
                Some(failed) if failed.customer.is_none() => {
                    let what = format!(
                        "{}; it cannot be told whose records that leaves out, so none of its customers is decided",
                        failed.what
                    );
                    (None, failed.place.clone(), what)
                }
                // Its customer fails at their place among the others, but there is no such place in a blocked run.
                Some(failed) if is_blocked => (failed.customer.clone(), failed.place.clone(), failed.what.clone()),
                None if is_empty_failure => (None, None, NO_BYTES.to_owned()),
                None if is_blocked => (None, None, blocked_by(&lacking)),
                _ => continue,
            };
            self.add_failure(FailedStatement { source: table.label.clone(), customer, place, what });
        }
    }

    fn customers(&mut self, customers: &Customers) -> Result<(), Error> {
        let sound: Vec<&CustomerRows> =
            customers.list.iter().filter(|customer| self.refusal(customers, customer).is_none()).collect();
        // Nearly always all customers can be read together. If one cannot, each is read alone.
        if sound.len() == customers.list.len()
            && let Ok(statements) = self.statements(customers, &sound)
        {
            return self.decide(&statements);
        }
        for customer in &customers.list {
            let labels = self.labels(customers, customer);
            if let Some(what) = self.refusal(customers, customer) {
                self.add_failure(FailedStatement {
                    source: labels,
                    customer: Some(customer.name.clone()),
                    place: None,
                    what,
                });
                continue;
            }
            match self.statements(customers, &[customer]) {
                Ok(statements) => self.decide(&statements)?,
                Err(wrong) => self.add_failure(failed_statement_of(labels, Some(customer.name.clone()), &wrong)),
            }
        }
        Ok(())
    }

    /// Why a customer is not read at all.
    fn refusal(&self, customers: &Customers, customer: &CustomerRows) -> Option<String> {
        let apart = self.decider.job.apart && customers.tables(customer).len() > 1;
        let several = || "the customer has records in several tables, and --apart says that nobody has".to_owned();
        customer.failed.clone().or_else(|| apart.then(several))
    }

    fn statements(&self, customers: &Customers, some: &[&CustomerRows]) -> Result<Statements, statement::Error> {
        let decider = self.decider;
        let name_tables = matches!(some, [one] if customers.tables(one).len() > 1);
        let tables = Tables {
            tables: decider.tables(),
            columns: decider.job.columns.as_ref().unwrap_or(&decider.own_names),
            reading: &decider.reading,
            name_tables,
        };
        let rows = some.iter().flat_map(|customer| customers.rows(customer));
        let rows = rows.map(|row| LaidRow { table: row.table, ordinal: row.ordinal, bytes: customers.bytes(row) });
        let label = |name: Option<&str>| {
            let at = some.binary_search_by(|customer| Some(customer.name.as_str()).cmp(&name));
            at.ok().and_then(|at| some.get(at)).map(|customer| self.labels(customers, customer)).unwrap_or_default()
        };
        let statements = statements_of(rows, &tables, label)?;
        match &decider.job.merging {
            None => Ok(statements),
            Some(merging) => merge(&decider.job.policies, &[statements], merging),
        }
    }

    /// The names of the tables that hold a customer's records.
    fn labels(&self, customers: &Customers, customer: &CustomerRows) -> String {
        let tables = self.decider.tables();
        let label = |table: &u32| tables.get(*table as usize).map(|table| table.label.as_str()).unwrap_or_default();
        let all: Vec<&str> = customers.tables(customer).iter().map(label).collect();
        match all.as_slice() {
            [first, _, _, _, rest @ ..] => format!("{first} + {} more", rest.len() + 3),
            few => few.join(" + "),
        }
    }
}

/// Why a table that was read to its end has no rows of its own to decide.
fn passed_over(table: &SurveyedTable) -> Option<String> {
    match &table.same_as {
        Some(first) => Some(format!("the same content as {first}, which is taken once")),
        None if table.is_without_rows() => Some("it has no rows of a customer".to_owned()),
        None => None,
    }
}

/// Why an empty file of a table is a failure: rows may be missing.
const NO_BYTES: &str = "the file has no bytes: if rows belong there, write it again; if it is an empty part of a \
    table, use --allow-empty. Customers are decided by the other tables";

fn blocked_by(lacking: &[String]) -> String {
    let first = lacking.first().map(String::as_str).unwrap_or_default();
    let more = if lacking.len() > 1 { format!(" and {} more", lacking.len() - 1) } else { String::new() };
    format!(
        "not decided: records of its customers may stand in {first}{more}, which cannot be read; mend or leave out \
         that table, or say --apart where each table holds all records of its customers"
    )
}

fn failed_statement_of(source: String, customer: Option<String>, wrong: &statement::Error) -> FailedStatement {
    let (place, what) = wrong.parts();
    FailedStatement { source, customer, place, what }
}
