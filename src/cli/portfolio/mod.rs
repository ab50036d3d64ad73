//! What the commands on a whole portfolio share: their inputs, outcomes, attributes and economics. Counts nothing.

mod column_names;
mod from_decisions;
mod load;
pub(super) mod outcomes;
pub(super) mod own_tables;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use polars::prelude::{Column, DataFrame};
use tempfile::TempDir;

use self::column_names::ColumnNames;
pub use self::from_decisions::DecisionInputArgs;
use self::outcomes::OutcomesFound;
use self::own_tables::OwnTables;
use super::input::{PolicyArgs, ReadingArgs, RequestArgs};
use super::output::{Failure, print_error_message};
use crate::base::date::Day;
use crate::base::diagnostic::nearest_candidate;
use crate::base::money::AmountUnit;
use crate::engine::decision::{CacheError, Request, minor_units_of_value};
use crate::portfolio::sweep::Compile;
use crate::portfolio::{Declared, Judged, KnownRows, LoanOutcome, Portfolio, Segments};
use crate::rules::{Policies, Policy, PolicySet};

/// The inputs of a command on a portfolio.
#[derive(Debug, Clone, Args)]
pub struct PortfolioArgs {
    /// What became of loans: a table (.csv, .xlsx, .ndjson, .parquet) with the columns customer and bad (0 or 1, true
    /// or false, yes or no); perhaps loan_date, bad_date, observed_until and amount
    #[arg(long, value_name = "FILE")]
    pub outcomes: Option<PathBuf>,
    /// What lending earns and costs: lgd and margin as shares of the amount; perhaps funding (a year), years,
    /// application and loan (costs in major units). `backtest` counts on the amounts of the outcomes, `sweep` on what
    /// the policy offers, or with amount=lent on those too
    #[arg(long, value_name = "lgd=0.6,margin=0.1", requires = "outcomes")]
    pub economics: Option<String>,
    /// A table with the column customer and others that no rule can read, for `--by` and `--protected`
    #[arg(long, value_name = "FILE")]
    pub attributes: Option<PathBuf>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub request: RequestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// A table of your own (.csv, .xlsx, .ndjson, .parquet) with a row for each customer: the column customer, perhaps
    /// as_of, and one for each metric that the policy declares as given; money in major units
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// A table with what each customer asks for and what a bureau reports: the column customer, and one for each field,
    /// such as amount and bureau.score; money in major units
    #[arg(long, value_name = "FILE")]
    pub requests: Option<PathBuf>,
    /// The column that names the customer of each row in the tables of --metrics, --requests, --outcomes and
    /// --attributes, such as loan_id; a table without it may have customer instead
    #[arg(long, value_name = "COLUMN", default_value = "customer")]
    pub customer_column: String,
    /// The column that names the loan of each row in these tables, where a customer has several loans. Rows are then
    /// loans, and --customer-column names the customer of each in the table of --metrics: a cross-validation and a test
    /// never part the loans of a customer
    #[arg(long, value_name = "COLUMN", requires = "metrics")]
    pub loan_column: Option<String>,
    /// The column of --outcomes that says whether a loan went bad, such as defaulted; or the column and its value that
    /// means bad, such as status=default or approved=0
    #[arg(long, value_name = "COLUMN[=VALUE]", default_value = "bad")]
    pub bad_column: String,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub decisions: DecisionInputArgs,
    /// A table of metrics (`lendwright metrics --out book.parquet`), or statements as `metrics` reads them; not needed
    /// with --metrics
    #[arg(value_name = "INPUT", required_unless_present_any = ["metrics", "decisions"])]
    pub inputs: Vec<PathBuf>,
}

/// A portfolio with its request, outcomes, attributes and economics.
pub(super) struct Loaded {
    pub portfolio: Portfolio,
    pub request: Request,
    /// Whether all inputs could be read.
    pub is_all: bool,
    /// The outcome of each customer; all `None` without outcomes.
    pub outcomes: Vec<Option<LoanOutcome>>,
    pub has_outcomes: bool,
    pub economics: Option<Declared>,
    pub warnings: Vec<String>,
    attributes: Option<DataFrame>,
    /// The folder with the tables of a book of decisions; it is removed when this is dropped.
    _exported: Option<TempDir>,
}

impl PortfolioArgs {
    /// Loads everything to judge customers; the policies say which metrics statements must give.
    pub(super) fn load(&self, policies: &Policies, both: &[&Policy]) -> Result<Loaded, Failure> {
        let loaded = self.load_values(policies, both)?;
        if self.inputs.is_empty() {
            load::refuse_offers_without_day(both, &loaded.portfolio)?;
        }
        load::remark_missing_day(both, &loaded.portfolio, self.inputs.is_empty());
        Ok(loaded)
    }

    /// As [`PortfolioArgs::load`], to look at metrics alone: offers need no day.
    pub(super) fn load_to_learn(&self, policies: &Policies, policy: &Policy) -> Result<Loaded, Failure> {
        let loaded = self.load_values(policies, &[policy])?;
        load::remark_missing_day(&[policy], &loaded.portfolio, self.inputs.is_empty());
        Ok(loaded)
    }

    fn load_values(&self, policies: &Policies, both: &[&Policy]) -> Result<Loaded, Failure> {
        if let Some(exported) = self.export_decisions()? {
            let loaded = exported.args.load_values(policies, both)?;
            return Ok(Loaded { _exported: Some(exported.folder), ..loaded });
        }
        let policy = both.first().ok_or_else(|| Failure::message("no policy"))?;
        if self.loan_column.is_some() && !self.inputs.is_empty() {
            return Err(Failure::message(
                "--loan-column goes with a table of --metrics alone: statements and tables of `lendwright metrics` \
                 have a row for each customer, as of one day",
            ));
        }
        let book = load::open_metrics_book(&self.inputs)?;
        let mut request = self.request.clone();
        if let Some(book) = &book {
            // The table knows its day.
            load::check_day(book, request.as_of)?;
            request.as_of = request.as_of.or(book.note.as_of);
        }
        let request = request.load_without_note(policies)?;
        let own = OwnTables::read(self, both)?;
        let (mut portfolio, is_all) = match book {
            Some(book) => (Portfolio::from_book(book).map_err(Failure::message)?, true),
            None if self.inputs.is_empty() => (own.portfolio(both, &request)?, true),
            None => load::from_statements(self, both, request.as_of)?,
        };
        let own_warnings = own.add_to(&mut portfolio, both, &request, !self.inputs.is_empty())?;
        let names = self.column_names();
        // A table of one's own has one unit, also where it is given as outcomes and as metrics.
        let numbers = if self.metrics.is_some() { AmountUnit::Major } else { AmountUnit::Minor };
        let customers = &portfolio.customers;
        let found = outcomes::read_outcome_table(self.outcomes.as_deref(), names, policy, customers, numbers)?;
        let currency = &policy.header().currency;
        let economics = self.economics.as_ref().map(|text| Declared::parse(text, currency)).transpose();
        let economics = economics.map_err(|what| Failure::Message(format!("--economics: {what}")))?;
        let has_outcomes = found.is_some();
        let mut warnings = own_warnings;
        warnings.extend(remark_on_loans(&portfolio));
        warnings.extend(found.iter().filter_map(OutcomesFound::warning));
        let outcomes = found.map_or_else(|| vec![None; portfolio.customers.len()], |found| found.rows);
        let read = |path: &Path| outcomes::read_attribute_table(path, names, &portfolio.customers);
        let attributes = self.attributes.as_deref().map(read).transpose()?;
        let _exported = None;
        Ok(Loaded { portfolio, request, is_all, outcomes, has_outcomes, economics, warnings, attributes, _exported })
    }
}

impl PortfolioArgs {
    /// The weight of each customer's outcome, from a column of the outcomes.
    pub(super) fn read_outcome_weights(&self, column: &str, customers: &[String]) -> Result<Vec<Option<f64>>, Failure> {
        let path = self.outcomes.as_deref().ok_or_else(|| Failure::message("weights are a column of --outcomes"))?;
        outcomes::read_weights(path, self.column_names(), column, customers)
    }

    fn column_names(&self) -> ColumnNames<'_> {
        let tables = [&self.metrics, &self.requests, &self.outcomes, &self.attributes].map(Option::as_deref);
        ColumnNames {
            customer: &self.customer_column,
            bad: &self.bad_column,
            loan: self.loan_column.as_deref(),
            tables,
        }
    }
}

/// Says that rows are loans, and of how many customers.
fn remark_on_loans(portfolio: &Portfolio) -> Option<String> {
    let borrowers: HashSet<&String> = portfolio.borrowers.iter().collect();
    (!borrowers.is_empty()).then(|| {
        format!(
            "rows are {} loans of {} customers: intervals of AUC count customers, and those of bad rates count loans",
            portfolio.customers.len(),
            borrowers.len()
        )
    })
}

impl Loaded {
    /// Which customers have an outcome.
    pub(super) fn known(&self) -> KnownRows {
        crate::portfolio::known_rows(&self.outcomes)
    }

    /// Refuses to count profit on loans without an amount.
    pub(super) fn require_lent_amounts(&self) -> Result<(), Failure> {
        if self.economics.is_some() && self.outcomes.iter().flatten().any(|outcome| outcome.amount.is_none()) {
            return Err(Failure::Message(
                "--economics: some outcomes have no amount, so profit cannot be counted; give every row of \
                 --outcomes an `amount`"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// The day of each customer: that of the metrics; or if it is one for all, as in a table that was made for a day,
    /// that of the loan, where outcomes have one. The two clocks are never mixed.
    pub(super) fn days(&self) -> Vec<Option<Day>> {
        let days = self.portfolio.cache.days();
        let has_loans = self.outcomes.iter().flatten().any(|outcome| outcome.loan_date.is_some());
        let is_one_day = days.windows(2).all(|pair| pair[0] == pair[1]);
        match has_loans && is_one_day {
            true => self.outcomes.iter().map(|outcome| outcome.as_ref()?.loan_date).collect(),
            false => days.to_vec(),
        }
    }

    /// Judges every customer.
    pub(super) fn judge<'p>(&mut self, policy: &'p Policy) -> Result<Judged<'p>, Failure> {
        Judged::new(policy, &mut self.portfolio.cache, &self.request)
            .map_err(|error| cannot_judge_policy(policy, &error))
    }

    /// Customers divided by a column: of the attributes, of the policy, of the table.
    pub(super) fn segments(&mut self, by: &str, policy: &Policy) -> Result<Segments, Failure> {
        if by == "month" {
            return Ok(Segments::by_month(&self.days()));
        }
        let (column, minor) = match self.attribute(by) {
            Some(column) => (Some(column), 1.0),
            None => (self.value(by, policy)?, minor_units_of_value(policy, by)),
        };
        match column {
            Some(column) => Segments::by_column(by, &column, minor).map_err(Failure::Message),
            None => {
                let mut names = self.portfolio.columns.names().map_err(Failure::Message)?;
                names.extend(self.attributes.iter().flat_map(|frame| frame.get_column_names_owned()).map(String::from));
                let near = nearest_candidate(by, names.iter().map(String::as_str));
                let help = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                print_error_message(format!("--by: neither the policy nor the table has a column `{by}`{help}"));
                Err(Failure::Shown)
            }
        }
    }

    /// A column of the attributes.
    pub(super) fn attribute(&self, name: &str) -> Option<Column> {
        self.attributes.as_ref()?.column(name).ok().cloned()
    }

    /// A value of the policy, or else a column of the table.
    pub(super) fn value(&mut self, name: &str, policy: &Policy) -> Result<Option<Column>, Failure> {
        let found = self.portfolio.cache.series(policy, &self.request, &[name]);
        match found.map_err(|error| cannot_judge_policy(policy, &error))?.pop().flatten() {
            Some(column) => Ok(Some(column)),
            None => self.portfolio.columns.get(name).map_err(Failure::Message),
        }
    }
}

/// Why a policy cannot be judged, and what to do.
pub(super) fn cannot_judge_policy(policy: &Policy, error: &CacheError) -> Failure {
    let help = match error {
        CacheError::NeedsRecords(_) => format!(
            "; the table of metrics was made by other rules, or its `.values.parquet` is not beside it: make it again \
             with `lendwright metrics --policy {} INPUT... --out BOOK.parquet`, which computes only what changed. What \
             no statement gives, declare as given: `[metric] NAME = {{ given = \"count\" }}`",
            policy.file()
        ),
        CacheError::NotGiven(_) => "; name the table that has them: `--metrics FILE`".to_owned(),
        CacheError::Source(_) | CacheError::Engine(_) => String::new(),
    };
    Failure::Message(format!("{}: {error}{help}", policy.file()))
}

/// The one version of a policy. Which of several is in force depends on the day, and these commands are about one text.
pub(super) fn require_one_version<'p>(policies: &'p Policies, path: &Path) -> Result<&'p Policy, Failure> {
    match policies.versions() {
        [policy] => Ok(policy),
        versions => Err(Failure::Message(format!(
            "`{}` has {} versions of a policy, and this command is about one: name its file",
            path.display(),
            versions.len()
        ))),
    }
}

/// The policy of some arguments again, with other parameters: compiled from the same texts each time.
pub(super) fn compiler_with_overrides(args: &PolicyArgs) -> Result<Box<Compile<'static>>, Failure> {
    let (texts, _) = crate::run::files::PolicyTexts::load(&args.policy, &args.parameters).map_err(Failure::message)?;
    let parameters = args.parameters.clone();
    Ok(Box::new(move |overrides: &[(String, String)]| {
        let is_set = |name: &String| overrides.iter().any(|(set, _)| set == name);
        let kept = parameters.iter().filter(|(name, _)| !is_set(name));
        let all: Vec<(String, String)> = kept.chain(overrides).cloned().collect();
        let policies = texts.compile(&all).map_err(|error| error.to_string())?;
        Ok(policies.versions()[0].clone())
    }))
}
