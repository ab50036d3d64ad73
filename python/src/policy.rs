//! A policy for Python: loaded once, immutable, and the same after it was pickled. Must not know where tables come
//! from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lendwright::Request;
use lendwright::analysis::all_findings;
use lendwright::arrow::{
    Error, Outcomes, Requests, Results, TableRequest, Wanted, arrow_table, backtest_tables, check_columns,
    columns_for_policy, policies_digest, request_for_all, result_columns,
};
use lendwright::base::date::Day;
use lendwright::base::digest::Digest;
use lendwright::batch::{FailedStatement, OutputTable};
use lendwright::decision::{VerdictsAsked, explain, reading};
use lendwright::files::PolicyTexts;
use lendwright::report::{self, Listing};
use lendwright::rules::{Policies, PolicySet};
use lendwright::statement::{Columns, Merging, Reading};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::source::Source;
use crate::statements::{columns_file, columns_of_text};
use crate::table::Table;
use crate::work::{self, How};
use crate::{border, errors};

/// The tables that a decision gives, in the order in which Python gets them.
const DECISION_TABLES: [OutputTable; 3] = [OutputTable::Decisions, OutputTable::Offers, OutputTable::Reasons];

/// A policy, or the versions of one.
#[pyclass(frozen, module = "lendwright._engine")]
pub(crate) struct Policy {
    policies: Arc<Policies>,
    texts: PolicyTexts,
    parameters: Vec<(String, String)>,
}

/// What Python asks a policy for.
#[derive(Default)]
pub(crate) struct Question<'q> {
    pub(crate) table: &'q str,
    pub(crate) json: bool,
    pub(crate) flags: Option<Vec<String>>,
    pub(crate) as_of: Option<&'q str>,
    pub(crate) request_json: Option<&'q str>,
}

/// Policies that this process has compiled, by the digest of their texts, and parameters: a worker gets the same one
/// with every task.
type Compiled = Mutex<BTreeMap<(Digest, Vec<(String, String)>), Arc<Policies>>>;
static COMPILED: OnceLock<Compiled> = OnceLock::new();

impl Policy {
    pub(crate) fn reading(&self) -> Reading {
        reading(self.policies.as_ref())
    }

    fn digest_text(&self) -> String {
        policies_digest(&self.policies).to_string()
    }

    /// What is asked for one of the tables.
    pub(crate) fn asked(
        &self,
        py: Python<'_>,
        Question { table, json, flags, as_of, request_json }: Question<'_>,
    ) -> PyResult<TableRequest> {
        let day = as_of.map(|text| day(py, text)).transpose()?;
        let wanted = match table {
            "metrics" => Wanted::Metrics,
            "records" => {
                let mut asked = VerdictsAsked::default();
                (asked.as_of, asked.flags) = (day, flags.unwrap_or_default());
                Wanted::Records(asked)
            }
            name => {
                let table = DECISION_TABLES.into_iter().find(|table| table.name() == name).ok_or_else(|| {
                    let help = "write decisions, offers, reasons, metrics or records";
                    errors::other(py, "table", &format!("there is no table `{name}`; {help}"))
                })?;
                Wanted::Decisions { tables: vec![table], json }
            }
        };
        let mut asked = TableRequest::new(Arc::clone(&self.policies), wanted);
        asked.requests = Requests::same(self.request(py, day, request_json)?);
        Ok(asked)
    }

    fn request(&self, py: Python<'_>, day: Option<Day>, json: Option<&str>) -> PyResult<Request> {
        let mut request = match json {
            None => Request::default(),
            Some(json) => request_for_all(self.policies.as_ref(), json).map_err(|error| errors::work(py, &error))?,
        };
        if let (Some(day), Some(own)) = (day, request.as_of)
            && day != own
        {
            let what = format!("`as_of` is {day}, and the request says {own}; give one of them");
            return Err(errors::request(py, &what));
        }
        request.as_of = day.or(request.as_of);
        Ok(request)
    }

    fn policy_error<T>(py: Python<'_>, loaded: Result<T, lendwright::files::PolicyError>) -> PyResult<T> {
        loaded.map_err(|error| errors::policy(py, &error))
    }
}

fn day(py: Python<'_>, text: &str) -> PyResult<Day> {
    let wrong = || errors::request(py, &format!("as_of: `{text}` is no day; write it as 2026-10-31"));
    Day::parse_iso(text).ok_or_else(wrong)
}

#[pymethods]
impl Policy {
    /// Loads a rule file, or a folder with the versions of a policy.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, parameters: Vec<(String, String)>) -> PyResult<Policy> {
        let loaded = py.detach(|| PolicyTexts::load(&path, &parameters));
        let (texts, policies) = Policy::policy_error(py, loaded)?;
        Ok(Policy { policies: Arc::new(policies), texts, parameters })
    }

    /// A policy from the texts of its files, which must be the policy with this digest.
    #[staticmethod]
    fn from_texts(
        py: Python<'_>,
        path: PathBuf,
        versions: Option<Vec<PathBuf>>,
        texts: BTreeMap<PathBuf, String>,
        parameters: Vec<(String, String)>,
        digest: String,
    ) -> PyResult<Policy> {
        let texts = PolicyTexts { path, versions, texts };
        let compiled = COMPILED.get_or_init(Compiled::default);
        let key = (texts.digest(), parameters);
        let known = compiled.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let policies = match known {
            Some(policies) => policies,
            None => Arc::new(Policy::policy_error(py, py.detach(|| texts.compile(&key.1)))?),
        };
        let found = policies_digest(&policies).to_string();
        if found != digest {
            let what = format!(
                "the policy here has the digest {found}, and that of the caller {digest}; use one version of \
                 lendwright on all machines"
            );
            return Err(errors::other(py, "digest", &what));
        }
        compiled.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), Arc::clone(&policies));
        Ok(Policy { policies, texts, parameters: key.1 })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let make = py.get_type::<Policy>().getattr("from_texts")?;
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        let PolicyTexts { path, versions, texts, .. } = &self.texts;
        let versions: Option<Vec<String>> = versions.as_ref().map(|files| files.iter().map(text).collect());
        let texts: BTreeMap<String, String> = texts.iter().map(|(path, file)| (text(path), file.clone())).collect();
        let arguments = (text(path), versions, texts, self.parameters.clone(), self.digest_text());
        PyTuple::new(py, [make, arguments.into_pyobject(py)?.into_any()])
    }

    /// The name of the latest version.
    #[getter]
    fn name(&self) -> String {
        self.policies.latest().header().name.clone()
    }

    /// The latest version.
    #[getter]
    fn version(&self) -> String {
        self.policies.latest().header().version.clone()
    }

    /// The digest of its files; of all its versions, if there are several.
    #[getter]
    fn digest(&self) -> String {
        self.digest_text()
    }

    /// The currency, as letters.
    #[getter]
    fn currency(&self) -> String {
        self.policies.latest().header().currency.alphabetic().to_owned()
    }

    /// Its parameters: name, value in force, the least and the most, as rule files write them.
    fn parameters(&self) -> Vec<(String, String, Option<String>, Option<String>)> {
        lendwright::cli::parameters_in_words(self.policies.latest())
    }

    /// Decisions, offers and reasons; then who could not be decided.
    #[pyo3(signature = (source, *, as_of, request_json, requests, columns, label, merge, json, threads, progress))]
    #[allow(clippy::too_many_arguments, reason = "Python calls it by names")]
    fn decide(
        &self,
        source: &Bound<'_, PyAny>,
        as_of: Option<&str>,
        request_json: Option<&str>,
        requests: Option<&Bound<'_, PyAny>>,
        columns: Option<PathBuf>,
        label: &str,
        merge: bool,
        json: bool,
        threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Found> {
        let py = source.py();
        let mut asked =
            self.asked(py, Question { table: "decisions", json, as_of, request_json, ..Question::default() })?;
        asked.wanted = Wanted::Decisions { tables: DECISION_TABLES.to_vec(), json };
        if let Some(requests) = requests {
            for part in border::import(requests)? {
                let added = asked.requests.add_table(self.policies.as_ref(), part.columns, part.rows);
                added.map_err(|error| errors::work(py, &error))?;
            }
        }
        self.find(source, asked, (columns, label, merge), threads, progress)
    }

    /// Metrics, or verdicts on records; then who could not be read.
    #[pyo3(signature = (source, table, *, as_of, flags, columns, label, merge, threads, progress))]
    #[allow(clippy::too_many_arguments, reason = "Python calls it by names")]
    fn table(
        &self,
        source: &Bound<'_, PyAny>,
        table: &str,
        as_of: Option<&str>,
        flags: Option<Vec<String>>,
        columns: Option<PathBuf>,
        label: &str,
        merge: bool,
        threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Found> {
        let asked = self.asked(source.py(), Question { table, flags, as_of, ..Question::default() })?;
        self.find(source, asked, (columns, label, merge), threads, progress)
    }

    /// What the policy would have done, beside a champion if there is one: outcomes, reasons, swap set, flips; then who
    /// could not be decided.
    #[pyo3(signature = (
        source, *, champion, outcomes, as_of, request_json, requests, columns, merge, threads, progress
    ))]
    #[allow(clippy::too_many_arguments, reason = "Python calls it by names")]
    fn backtest(
        &self,
        source: &Bound<'_, PyAny>,
        champion: Option<&Bound<'_, Policy>>,
        outcomes: Option<&Bound<'_, PyAny>>,
        as_of: Option<&str>,
        request_json: Option<&str>,
        requests: Option<&Bound<'_, PyAny>>,
        columns: Option<PathBuf>,
        merge: bool,
        threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Found> {
        let py = source.py();
        let mut known = Outcomes::default();
        let (mut decided, mut failures) = (Vec::new(), Vec::<FailedStatement>::new());
        let columns = columns_file(py, columns)?;
        // Read once: some tables can be read only once, and both policies must see the same rows.
        let source = Source::from_python(source, &self.reading(), columns.as_ref())?;
        let outcomes = outcomes.map(border::import).transpose()?.unwrap_or_default();
        let requests = requests.map(border::import).transpose()?.unwrap_or_default();
        let columns = Arc::new(columns.unwrap_or_default());
        let champion_policies = champion.map(|champion| champion.get().policies.as_ref());
        for policy in [Some(self), champion.map(Bound::get)].into_iter().flatten() {
            let mut asked =
                policy.asked(py, Question { table: "decisions", as_of, request_json, ..Question::default() })?;
            for part in requests.clone() {
                let beside = if std::ptr::eq(policy, self) { champion_policies } else { Some(self.policies.as_ref()) };
                let own = policy.policies.as_ref();
                let columns = columns_for_policy(own, beside.unwrap_or(own), part.columns);
                let added = asked.requests.add_table(own, columns, part.rows);
                added.map_err(|error| errors::work(py, &error))?;
            }
            known = Outcomes::default();
            for part in outcomes.clone() {
                let added = known.add_table(part.columns, part.rows, &mut asked.requests);
                added.map_err(|error| errors::work(py, &error))?;
            }
            asked.columns = Arc::clone(&columns);
            asked.merging = merge.then(Merging::default);
            let mut found = source.clone().find(py, asked, threads, progress)?;
            for failed in found.iter_mut().flat_map(|results| std::mem::take(&mut results.failures)) {
                if !failures.contains(&failed) {
                    failures.push(failed);
                }
            }
            decided.push(found);
        }
        let mut decided = decided.iter();
        let (own, before) = (decided.next().map(Vec::as_slice), decided.next().map(Vec::as_slice));
        let tested =
            backtest_tables(own.unwrap_or_default(), before, &known).map_err(|error| errors::work(py, &error))?;
        // With a day of the loan, a customer without records already failed as one with a request.
        let listed: BTreeSet<_> = failures.iter().filter_map(|failed| failed.customer.clone()).collect();
        failures.extend(
            tested.unmet.into_iter().filter(|one| one.customer.as_ref().is_none_or(|name| !listed.contains(name))),
        );
        let tables = [Some(tested.outcomes), Some(tested.reasons), tested.swap_set, tested.flips];
        let table = |table| arrow_table(&[table]).map(Table).map_err(|error| errors::work(py, &error));
        let tables = tables.into_iter().flatten().map(table).collect::<PyResult<_>>()?;
        Ok(Found(tables, failures.into_iter().map(failure).collect()))
    }

    /// How decisions came about: for each statement the customer, text, page and JSON.
    #[pyo3(signature = (source, *, as_of, request_json, columns, customer))]
    fn explain(
        &self,
        source: &Bound<'_, PyAny>,
        as_of: Option<&str>,
        request_json: Option<&str>,
        columns: Option<PathBuf>,
        customer: Option<&str>,
    ) -> PyResult<Vec<Explained>> {
        let py = source.py();
        let columns = columns_file(py, columns)?;
        let source = Source::from_python(source, &self.reading(), columns.as_ref())?;
        let day = as_of.map(|text| day(py, text)).transpose()?;
        let request = self.request(py, day, request_json)?;
        let (policies, reading) = (Arc::clone(&self.policies), self.reading());
        let customer = customer.map(str::to_owned);
        work::run(py, &How::default(), move |_| {
            let columns = columns.unwrap_or_default();
            let statements = source.statements(&reading, columns, customer.as_deref())?;
            let explained = explain(policies.as_ref(), &statements, &request)?;
            let shown = explained.into_iter().map(|one| {
                let json = serde_json::to_string(&one).map_err(|_| Error::Internal("no JSON of an explanation"))?;
                let text = report::render_explanation_text(&one, Listing::Problems(3));
                let customer = one.decision.customer.clone();
                Ok((customer, text, report::render_explanation_page(&[one]), json))
            });
            shown.collect()
        })
    }

    /// What is odd about the policy, as `lendwright check` says it.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        for policy in self.policies.versions() {
            let found = py.detach(|| all_findings(policy, false, false));
            for finding in errors::findings(py, &found, policy.sources())? {
                all.append(finding)?;
            }
        }
        Ok(all)
    }

    /// Names and types of the columns of a table whose failures are rows.
    #[pyo3(signature = (table, *, json, flags))]
    fn _result_columns(
        &self,
        py: Python<'_>,
        table: &str,
        json: bool,
        flags: Option<Vec<String>>,
    ) -> PyResult<Vec<(String, &'static str)>> {
        let mut asked = self.asked(py, Question { table, json, flags, ..Question::default() })?;
        asked.failures_are_rows = true;
        let columns = result_columns(&asked).map_err(|error| errors::work(py, &error))?;
        Ok(columns.into_iter().map(|(name, data_type)| (name, lendwright::arrow::type_word(&data_type))).collect())
    }

    /// Checks that a table has the columns that records need, and returns the one with the customer.
    #[pyo3(signature = (table, columns))]
    fn _check_columns(&self, table: &Bound<'_, PyAny>, columns: Option<&str>) -> PyResult<String> {
        let py = table.py();
        let columns = Arc::new(columns.map(|text| columns_of_text(py, text)).transpose()?.unwrap_or_default());
        let mut customer = String::new();
        for part in border::import(table)? {
            let checked = check_columns(part.columns, part.rows, &columns, "table");
            customer = checked.map_err(|error| errors::work(py, &error))?;
        }
        Ok(customer)
    }
}

impl Policy {
    fn find(
        &self,
        source: &Bound<'_, PyAny>,
        mut asked: TableRequest,
        (columns, label, merge): (Option<PathBuf>, &str, bool),
        threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Found> {
        let py = source.py();
        let columns: Option<Columns> = columns_file(py, columns)?;
        let source = Source::from_python(source, &self.reading(), columns.as_ref())?;
        label.clone_into(&mut asked.label);
        asked.merging = merge.then(Merging::default);
        asked.columns = Arc::new(columns.unwrap_or_default());
        let found = source.find(py, asked, threads, progress)?;
        Found::new(py, found)
    }
}

/// The customer, text, page and JSON of an explanation.
type Explained = (Option<String>, String, String, String);

/// Tables, then the failures as `(source, customer, place, what)`.
type Failure = (String, Option<String>, Option<String>, String);

fn failure(failed: FailedStatement) -> Failure {
    let FailedStatement { source, customer, place, what, .. } = failed;
    (source, customer, place, what)
}

#[derive(IntoPyObject)]
pub(crate) struct Found(Vec<Table>, Vec<Failure>);

impl Found {
    fn new(py: Python<'_>, found: Vec<Results>) -> PyResult<Found> {
        let count = found.first().map_or(0, |first| first.tables.len());
        let (mut tables, mut failures) = (vec![Vec::new(); count], Vec::new());
        for results in found {
            for (table, part) in tables.iter_mut().zip(results.tables) {
                table.push(part);
            }
            failures.extend(results.failures.into_iter().map(failure));
        }
        let table = |parts: Vec<_>| arrow_table(&parts).map(Table).map_err(|error| errors::work(py, &error));
        Ok(Found(tables.into_iter().map(table).collect::<PyResult<_>>()?, failures))
    }
}
