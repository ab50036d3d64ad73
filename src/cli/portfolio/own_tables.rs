//! The lender's own tables of a command on a portfolio: given metrics, and requests, by customer. Counts nothing.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::column_table::read_column_table;
use super::super::output::Failure;
use super::super::table_file::lowercase_extension;
use super::PortfolioArgs;
use super::column_names::ColumnNames;
use super::outcomes::refuse_of_nobody;
use crate::base::date::Day;
use crate::base::text::escape_terminal;
use crate::engine::decision::Request;
use crate::portfolio::{CustomerTable, Portfolio};
use crate::rules::{InputSource, Policies, Policy, PolicySet, compile};
use crate::run::files::digest_file;

/// A table of customers in a file.
struct OwnTable {
    path: PathBuf,
    digest: String,
    table: CustomerTable,
    /// The customer of each loan, if rows are loans.
    borrowers: Option<HashMap<String, String>>,
}

/// The tables of a command.
pub(super) struct OwnTables {
    metrics: Option<OwnTable>,
    requests: Option<OwnTable>,
}

impl OwnTables {
    /// Reads the tables that were named.
    pub(super) fn read(args: &PortfolioArgs, policies: &[&Policy]) -> Result<OwnTables, Failure> {
        let names = args.column_names();
        let read = |path: &Option<PathBuf>, plain| {
            path.as_ref().map(|path| OwnTable::read(path, names, policies, plain)).transpose()
        };
        let metrics = read(&args.metrics, InputSource::Given)?;
        let requests = read(&args.requests, InputSource::Request)?;
        if let (Some(metrics), Some(requests)) = (&metrics, &requests)
            && let Some(input) = policies
                .iter()
                .flat_map(|policy| policy.inputs())
                .find(|input| metrics.table.has_input(input) && requests.table.has_input(input))
        {
            let path = input.path();
            return Err(Failure::Message(format!(
                "--metrics and --requests both have `{path}`; leave one of them out"
            )));
        }
        Ok(OwnTables { metrics, requests })
    }

    /// The portfolio of the customers in the table of metrics.
    pub(super) fn portfolio(&self, policies: &[&Policy], request: &Request) -> Result<Portfolio, Failure> {
        let Some(own) = &self.metrics else { return Err(Failure::message("no input; name one, or `--metrics FILE`")) };
        let inputs = vec![(own.path.display().to_string(), own.digest.clone())];
        let mut portfolio =
            Portfolio::from_customer_table(&own.table, policies, request, inputs).map_err(|what| own.wrong(what))?;
        if let Some(borrowers) = &own.borrowers {
            let borrower = |loan: &String| borrowers.get(loan).cloned().unwrap_or_default();
            portfolio.borrowers = portfolio.customers.iter().map(borrower).collect();
        }
        Ok(portfolio)
    }

    /// Adds what the tables have to a portfolio; the table of metrics only if the portfolio was not made of it.
    /// Returns what a reader must know.
    pub(super) fn add_to(
        &self,
        portfolio: &mut Portfolio,
        policies: &[&Policy],
        request: &Request,
        with_metrics: bool,
    ) -> Result<Vec<String>, Failure> {
        let mut warnings = Vec::new();
        for own in self.metrics.iter().filter(|_| with_metrics).chain(&self.requests) {
            let met = portfolio.customers.iter().filter(|customer| own.table.has_customer(customer)).count();
            refuse_of_nobody(own.table.customers().len(), met).map_err(|what| own.wrong(what))?;
            if own.table.days().is_some() {
                return Err(own.wrong(
                    "the day of each customer is that of the portfolio, so this table cannot say another; leave its \
                     column `as_of` out"
                        .to_owned(),
                ));
            }
            portfolio.add_customer_table(&own.table, policies, request).map_err(|what| own.wrong(what))?;
            portfolio.inputs.push((own.path.display().to_string(), own.digest.clone()));
            let (path, without) = (own.path.display(), portfolio.customers.len() - met);
            let unmet = own.table.customers().len() - met;
            if without > 0 {
                warnings
                    .push(format!("{without} customers have no row in `{path}`, so what it gives is unknown for them"));
            }
            if unmet > 0 {
                warnings.push(format!("{unmet} rows of `{path}` belong to customers that the portfolio does not have"));
            }
        }
        Ok(warnings)
    }
}

impl OwnTable {
    fn read(path: &Path, names: ColumnNames, policies: &[&Policy], plain: InputSource) -> Result<OwnTable, Failure> {
        let wrong = |what: String| Failure::Message(format!("{}: {what}", path.display()));
        // Of a table of requests every column has a meaning; one of metrics has others, by which customers are divided.
        let columns = read_column_table(path, &|_| true)?;
        let borrowers = match plain {
            InputSource::Given => names.name_borrowers(&columns).map_err(wrong)?,
            _ => None,
        };
        let columns = names.name_customer(columns, path).map_err(wrong)?;
        let table = CustomerTable::new(columns, plain).map_err(wrong)?;
        table.check_columns(policies).map_err(wrong)?;
        let digest = digest_file(path).map_err(|error| wrong(error.to_string()))?.to_string();
        Ok(OwnTable { path: path.to_owned(), digest, table, borrowers })
    }

    fn wrong(&self, what: String) -> Failure {
        Failure::Message(format!("{}: {what}", self.path.display()))
    }
}

/// The request of each customer in a table; `all` is that for everybody.
pub(in crate::cli) fn requests(
    path: &Path,
    customer: &str,
    policies: &Policies,
    all: &Request,
) -> Result<BTreeMap<String, Request>, Failure> {
    if all.customer.is_some() {
        return Err(Failure::message("--request names one customer, and --requests has many; leave one of them out"));
    }
    let names = ColumnNames { customer, bad: "bad", loan: None, tables: [None; 4] };
    let own = OwnTable::read(path, names, &policies.policies(), InputSource::Request)?;
    own.table.requests(policies, all).map_err(|what| own.wrong(what))
}

/// How many columns an example shows.
const SHOWN: usize = 3;

/// What to do if the only input is a table of the lender's own; `None` if it does not look like one.
pub(super) fn advise_on_own_table(inputs: &[PathBuf], names: ColumnNames) -> Option<String> {
    let [path] = inputs else { return None };
    if !["csv", "xlsx", "ndjson", "jsonl", "parquet"].contains(&lowercase_extension(path).as_str()) {
        return None;
    }
    let table = read_column_table(path, &|_| true).ok()?;
    let has_customer = table.iter().any(|(name, _)| name == names.customer);
    let is_other = |name: &str| ![names.customer, "as_of"].contains(&name) && !names.may_be_outcome(name);
    let others = table.iter().filter(|(name, _)| is_other(name));
    let lines = others.filter_map(|(name, values)| declare_given_metric(name, values));
    let lines: Vec<String> = lines.take(SHOWN).collect();
    let (shown, lines) = (path.display(), lines.join("\n  "));
    let option = if has_customer { "" } else { "; `--customer-column` says which column names the customer" };
    Some(format!(
        "\nif `{shown}` is a table of your own, with a row for each customer, declare what the policy reads of it \
         (amounts as `money`), as in\n  [metric]\n  {lines}\nand name it with `--metrics {shown}`{option}"
    ))
}

/// The line of a rule file that declares a column of a table as a metric; `None` if no name for it comes to mind.
fn declare_given_metric(column: &str, values: &[Value]) -> Option<String> {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = column.chars().map(letter).collect();
    let name = name.trim_matches('_');
    let kind = guess_type(values);
    // `balance` and others have a meaning in rules already.
    let names = [name.to_owned(), format!("own_{name}")];
    let name = names.into_iter().find(|name| is_name_for_metric(name, kind))?;
    let own = if name == column { String::new() } else { format!(", column = {}", Value::from(column)) };
    Some(escape_terminal(&format!("{name} = {{ given = \"{kind}\"{own} }}")).into_owned())
}

fn is_name_for_metric(name: &str, kind: &str) -> bool {
    let header = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n";
    let text = format!("{header}[metric]\n{name} = {{ given = \"{kind}\" }}\n");
    compile("x", &text, &mut |_| Err(String::new()), &[]).is_ok()
}

fn guess_type(values: &[Value]) -> &'static str {
    let texts =
        values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned()));
    let texts: Vec<String> = texts.filter(|text| !["", "null", "NA", "NaN"].contains(&text.as_str())).collect();
    let all = |is: &dyn Fn(&str) -> bool| !texts.is_empty() && texts.iter().all(|text| is(text));
    if all(&|text| text.parse::<i64>().is_ok()) {
        "count"
    } else if all(&|text| text.parse::<f64>().is_ok()) {
        "number"
    } else if all(&|text| text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")) {
        "boolean"
    } else if all(&|text| Day::parse_iso(text).is_some()) {
        "date"
    } else {
        "text"
    }
}
