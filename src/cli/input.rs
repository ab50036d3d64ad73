//! Inputs of the commands that decide: a policy with its parameters, statements with a columns file, a request. Knows
//! nothing of what is done with them.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use polars::prelude::DataFrame;

use super::diagnostics::{self, DiagnosticFormat};
use super::distinct::{Repeat, distinct_input_files};
use super::output::{Failure, print_error_message, print_stderr_remark};
use super::shipped;
use crate::base::date::Day;
use crate::base::diagnostic::{Diagnostic, Refused, Severity};
use crate::base::text::escape_terminal;
use crate::engine::decision::{self, Request};
use crate::engine::metrics;
use crate::portfolio::metrics_table::BookPlan;
use crate::rules::graph::{Fact, GroupColumn, Op};
use crate::rules::{Policies, Policy, PolicySet, allowed};
use crate::run::files::{
    PolicyError, is_table, load_policies, load_policies_with, read_columns, read_parts, read_rules, read_statements,
    read_stream,
};
use crate::statement::{Columns, Merging, Reading, Statements, customer_name};

/// The label of a statement from standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Printed once if no day of the decision is given.
pub(crate) const NO_DAY: &str = "note: no day of the decision was given: windows end on the last record of each \
                                 statement, and what depends on today is unknown (needs_as_of); give the day, such as \
                                 --as-of 2026-10-31\n";

/// How many repeated files a warning lists.
const REPEATS_SHOWN: usize = 10;

/// The policy and its parameters.
#[derive(Debug, Clone, Args)]
pub struct PolicyArgs {
    /// The rule file, or a folder with the versions of one policy; the day of each decision selects the version
    #[arg(long, value_name = "FILE|FOLDER")]
    pub policy: PathBuf,
    /// Set a parameter of the policy to another value; may be given several times
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    pub parameters: Vec<(String, String)>,
    /// The format of mistakes in the rule file; results are the same either way
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
}

/// The request that goes with the statements.
#[derive(Debug, Clone, Default, Args)]
pub struct RequestArgs {
    /// The day of the decision, such as 2026-10-31; without it, windows end on the statement's last day, and what
    /// depends on today is unknown
    #[arg(long, value_name = "DATE", value_parser = parse_day_argument)]
    pub as_of: Option<Day>,
    /// A file with the request: `as_of`, `customer`, and the fields that the policy declares; in .toml, for people,
    /// money is in major units; in .json, for programs, in minor units
    #[arg(long, value_name = "FILE")]
    pub request: Option<PathBuf>,
}

/// How tables are read.
#[derive(Debug, Clone, Default, Args)]
pub struct TableArgs {
    /// A TOML file that maps the columns of a table, or the name of one that ships, such as `plaid`
    #[arg(long, value_name = "FILE")]
    pub columns: Option<PathBuf>,
    /// Whose statement every file is, for files that do not name their customer; a file that names another is refused
    #[arg(long, value_name = "NAME", value_parser = parse_customer_name)]
    pub customer: Option<String>,
}

/// The days that the statements cover.
#[derive(Debug, Clone, Default, Args)]
pub struct PeriodArgs {
    /// The first day that each statement covers; a record outside of the period is refused
    #[arg(long, value_name = "DATE", requires = "to", value_parser = parse_day_argument)]
    pub from: Option<Day>,
    /// The last day that each statement covers
    #[arg(long, value_name = "DATE", requires = "from", value_parser = parse_day_argument)]
    pub to: Option<Day>,
}

impl PeriodArgs {
    /// The statements with the period, if one is stated.
    fn apply(&self, statements: Statements) -> Result<Statements, Failure> {
        match self.from.zip(self.to) {
            None => Ok(statements),
            Some((from, to)) => statements.with_period(from, to).map_err(Failure::message),
        }
    }
}

/// Whether a customer's statements are merged into one.
#[derive(Debug, Clone, Default, Args)]
pub struct MergeArgs {
    /// Merge all statements of a customer into one: exports of one account without the overlap, several accounts
    /// without the transfers between them; files that name no customer count as one customer
    #[arg(long)]
    pub merge: bool,
    /// The most bank days that a transfer between two accounts of a customer takes; by default 2
    #[arg(long, value_name = "DAYS", requires = "merge", value_parser = clap::value_parser!(u32).range(0..=30))]
    pub transfer_days: Option<u32>,
}

/// How inputs become statements.
#[derive(Debug, Clone, Default, Args)]
pub struct ReadingArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub table: TableArgs,
    /// Take only this customer's statements out of files that name several customers
    #[arg(long, value_name = "NAME", value_parser = parse_customer_name)]
    pub only_customer: Option<String>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub merge: MergeArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub period: PeriodArgs,
}

impl MergeArgs {
    /// How to merge. `None` without `--merge`.
    pub(crate) fn merging(&self) -> Option<Merging> {
        let default = Merging::default();
        self.merge.then(|| Merging { transfer_days: self.transfer_days.unwrap_or(default.transfer_days), ..default })
    }
}

impl PolicyArgs {
    /// Loads the policy, or its versions. Prints mistakes before it fails.
    pub(crate) fn load(&self) -> Result<Policies, Failure> {
        self.load_reading(&mut read_rules)
    }

    /// As [`PolicyArgs::load`], but reads every file with `read`.
    pub(crate) fn load_reading(
        &self,
        read: &mut dyn FnMut(&Path) -> std::io::Result<String>,
    ) -> Result<Policies, Failure> {
        match load_policies_with(&self.policy, &self.parameters, read) {
            Ok(policies) => {
                for policy in policies.versions() {
                    tracing::info!(digest = %policy.digest, "policy loaded");
                    let mut warnings = policy.warnings().to_vec();
                    warnings.retain(|warning| warning.severity != Severity::Note);
                    allowed::remove_allowed_warnings(&mut warnings, policy.sources(), None);
                    diagnostics::print_diagnostics(&warnings, policy.sources(), self.format);
                }
                Ok(policies)
            }
            Err(PolicyError::Refused(refused)) => {
                if self.format == DiagnosticFormat::Text && self.only_parameters_are_wrong() {
                    return Err(self.parameter_failure(refused));
                }
                diagnostics::print_diagnostics(&refused.diagnostics, &refused.sources, self.format);
                match self.format {
                    DiagnosticFormat::Text => {
                        Err(Failure::Message(format!("`{}` has mistakes; nothing was done", self.policy.display())))
                    }
                    DiagnosticFormat::Json => Err(Failure::Shown),
                }
            }
            Err(error) => Err(Failure::message(error)),
        }
    }

    /// Whether the policy is valid without `--param`.
    fn only_parameters_are_wrong(&self) -> bool {
        !self.parameters.is_empty() && load_policies(&self.policy, &[]).is_ok()
    }

    /// Reports mistakes in `--param`. These have no place in a file; mistakes that follow from them do.
    fn parameter_failure(&self, refused: Refused) -> Failure {
        let is_own = |wrong: &Diagnostic| ["parameter", "unknown-parameter"].contains(&wrong.code);
        let (own, others): (Vec<_>, Vec<_>) = refused.diagnostics.into_iter().partition(is_own);
        diagnostics::print_diagnostics(&others, &refused.sources, self.format);
        let messages = own.iter().map(|wrong| {
            let help = wrong.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            format!("--param: {}{help}\n", wrong.message)
        });
        let (messages, file) = (messages.collect::<String>(), self.policy.display());
        Failure::Message(format!("{messages}nothing was done: `--param` makes `{file}` invalid"))
    }
}

impl RequestArgs {
    /// Loads the request. `--as-of` overrides the file. Says that no day is given if the policy asks for it.
    pub(crate) fn load(&self, policies: &Policies) -> Result<Request, Failure> {
        let request = self.load_without_note(policies)?;
        if request.as_of.is_none() && policies.policies().into_iter().any(asks_for_day) {
            print_stderr_remark(NO_DAY);
        }
        Ok(request)
    }

    /// As [`RequestArgs::load`], but says nothing about a missing day.
    pub(crate) fn load_without_note(&self, policies: &Policies) -> Result<Request, Failure> {
        let mut request = match &self.request {
            None => Request::default(),
            Some(path) => {
                let bytes = read_input_bytes(path)?;
                let is_toml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
                let request = match (is_toml, str::from_utf8(&bytes)) {
                    (true, Ok(text)) => Request::from_toml(policies, text.trim_start_matches('\u{feff}')),
                    (true, Err(_)) => return Err(Failure::Message(format!("{}: not valid UTF-8", path.display()))),
                    (false, _) => Request::from_json(policies, &bytes),
                };
                request.map_err(|error| Failure::Message(format!("{}: {error}", path.display())))?
            }
        };
        request.as_of = self.as_of.or(request.as_of);
        Ok(request)
    }
}

impl TableArgs {
    /// Loads the columns file and the customer, if one of them is given.
    pub(crate) fn load(&self) -> Result<Option<Columns>, Failure> {
        let columns = self.load_columns()?;
        Ok(match &self.customer {
            Some(customer) => Some(columns.unwrap_or_default().with_customer(customer)),
            None => columns,
        })
    }

    /// A file goes before one that ships under the same name.
    fn load_columns(&self) -> Result<Option<Columns>, Failure> {
        let Some(path) = self.columns.as_deref() else { return Ok(None) };
        let name = path.to_str().filter(|name| !name.contains(['/', '\\', '.']) && !path.exists());
        match name.map(|name| (name, shipped::shipped_columns_file(name))) {
            None => read_columns(path).map_err(Failure::message).map(Some),
            Some((_, Some(text))) => Columns::parse(text).map_err(Failure::message).map(Some),
            Some((name, None)) => Err(Failure::message(format!(
                "{}: there is no such file, and none of the columns files that ship has this name: {}",
                escape_terminal(name),
                shipped::columns_names().collect::<Vec<_>>().join(", ")
            ))),
        }
    }
}

impl ReadingArgs {
    /// Reads the inputs and passes each to `take`. With `--merge`, passes all of them at once, merged into one
    /// statement per customer.
    ///
    /// An input that cannot be read is reported and skipped. With `--merge` nothing is passed on then, because any
    /// customer may lack an account. Returns whether all inputs were read.
    pub(crate) fn each(
        &self,
        paths: &[PathBuf],
        policies: &dyn PolicySet,
        mut take: impl FnMut(&Statements) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let (columns, reading) = (self.table.load()?, decision::reading(policies));
        let only = OnlyCustomer::new(self.only_customer.as_deref());
        let all = match self.merge.merging() {
            Some(merging) => read_merged_statements(paths, policies, columns.as_ref(), &merging, |statements| {
                only.select(statements)?.map_or(Ok(()), |own| take(&self.period.apply(own)?))
            }),
            None => each_file(paths, columns.as_ref(), |path| {
                let read = read_input_statements(path, &reading, columns.as_ref())?;
                only.select(read)?.map_or(Ok(()), |own| take(&in_file(path, self.period.apply(own))?))
            }),
        }?;
        only.check_found(paths, all).map(|()| all)
    }

    /// As [`Self::each`], but calls `work` on parts of an input, which are whole statements, on several threads. Then
    /// passes all results of the input to `take`, in order.
    pub(crate) fn each_in_parts<T: Send>(
        &self,
        paths: &[PathBuf],
        policies: &dyn PolicySet,
        work: impl Fn(Statements) -> T + Sync,
        mut take: impl FnMut(Vec<T>) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let (columns, reading) = (self.table.load()?, decision::reading(policies));
        let only = OnlyCustomer::new(self.only_customer.as_deref());
        let work = |part| {
            let own = only.select(part)?.map(|own| self.period.apply(own)).transpose()?;
            Ok(own.map(&work))
        };
        let mut take = |parts: Vec<Result<Option<T>, Failure>>| {
            let parts: Vec<T> = parts.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
            // A file without a statement of the customer has nothing to take.
            if parts.is_empty() && self.only_customer.is_some() { Ok(()) } else { take(parts) }
        };
        let all = match self.merge.merging() {
            Some(merging) => read_merged_statements(paths, policies, columns.as_ref(), &merging, |statements| {
                take(vec![work(statements)])
            }),
            None => each_file(paths, columns.as_ref(), |path| {
                let parts = work_on_file_parts(path, &reading, columns.as_ref(), &work)?;
                take(parts.into_iter().map(|part| in_file(path, part)).collect())
            }),
        }?;
        only.check_found(paths, all).map(|()| all)
    }
}

impl ReadingArgs {
    /// The metrics that a plan computes, of all statements; `None` if none could be read. Also returns whether all
    /// inputs were read. `look` looks at the statements of a part, and `seen` gets what it saw in each input.
    pub(crate) fn metrics<T: Send>(
        &self,
        (paths, policies): (&[PathBuf], &dyn PolicySet),
        (plan, as_of): (&BookPlan, Option<Day>),
        look: impl Fn(&Statements) -> T + Sync,
        mut seen: impl FnMut(Vec<T>),
    ) -> Result<(Option<DataFrame>, bool), Failure> {
        let mut table: Option<DataFrame> = None;
        let work = |part| (look(&part), plan.table(&part, as_of));
        let all = self.each_in_parts(paths, policies, work, |parts| {
            let (found, tables): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
            seen(found);
            let rows =
                tables.into_iter().collect::<Result<_, _>>().and_then(metrics::stack).map_err(Failure::message)?;
            match &mut table {
                None => table = Some(rows),
                Some(table) => {
                    table.vstack_mut(&rows).map_err(Failure::message)?;
                }
            }
            Ok(())
        })?;
        if let Some(table) = &mut table {
            table.rechunk_mut();
        }
        Ok((table, all))
    }
}

/// The result of work on a file; a message names the file.
fn in_file<T>(path: &Path, result: Result<T, Failure>) -> Result<T, Failure> {
    result.map_err(|failure| match failure {
        Failure::Message(what) => Failure::Message(format!("{}: {what}", path.display())),
        other => other,
    })
}

/// The only customer that is taken, if one was named.
struct OnlyCustomer<'n> {
    name: Option<&'n str>,
    is_found: AtomicBool,
}

impl<'n> OnlyCustomer<'n> {
    fn new(name: Option<&'n str>) -> OnlyCustomer<'n> {
        OnlyCustomer { name, is_found: AtomicBool::new(false) }
    }

    /// The statements that are taken; `None` if none of them is the customer's.
    fn select(&self, statements: Statements) -> Result<Option<Statements>, Failure> {
        let Some(name) = self.name else { return Ok(Some(statements)) };
        let own = statements.of_customer(name).map_err(Failure::message)?;
        self.is_found.fetch_or(!own.is_empty(), Ordering::Relaxed);
        Ok(Some(own).filter(|own| !own.is_empty()))
    }

    /// Refuses a customer of whom nothing was found, once all files were read.
    fn check_found(&self, files: &[PathBuf], all_were_read: bool) -> Result<(), Failure> {
        let is_missing = all_were_read && !self.is_found.load(Ordering::Relaxed);
        let Some(name) = self.name.filter(|_| is_missing) else { return Ok(()) };
        Err(Failure::Message(match files {
            [file] => format!("`{}` has no statement of the customer `{name}`", file.display()),
            files => format!("none of the {} files has a statement of the customer `{name}`", files.len()),
        }))
    }
}

fn read_merged_statements(
    paths: &[PathBuf],
    policies: &dyn PolicySet,
    columns: Option<&Columns>,
    merging: &Merging,
    take: impl FnOnce(Statements) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    match read_merged(paths, policies, columns, merging)? {
        Some(statements) => take(statements).map(|()| true),
        None => Ok(false),
    }
}

/// Calls `take` for each file, and reports errors. Returns whether there were none.
fn each_file(
    paths: &[PathBuf],
    columns: Option<&Columns>,
    mut take: impl FnMut(&Path) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let mut all = true;
    for path in without_repeats(paths, columns, |path| is_table(path, columns))? {
        match take(path) {
            Ok(()) => {}
            Err(Failure::Message(message)) => {
                print_error_message(message);
                all = false;
            }
            Err(other) => return Err(other),
        }
    }
    Ok(all)
}

/// Each file once, by whatever paths it is named. A warning lists the repeats. If `by_content` accepts a file, copies
/// of it are dropped too. That is right for a table, because it names its customers. A file of one statement does not,
/// so its copy may belong to another customer.
fn without_repeats<'p>(
    paths: &'p [PathBuf],
    columns: Option<&Columns>,
    by_content: impl Fn(&Path) -> bool,
) -> Result<Vec<&'p Path>, Failure> {
    let (files, repeats) = distinct_input_files(paths, columns, by_content);
    if let Some(columns) = columns {
        let labels: Vec<_> = files.iter().map(|path| path.to_string_lossy()).collect();
        columns.refuse_shared_file_names(labels.iter().map(|label| &**label)).map_err(Failure::message)?;
    }
    let more = repeats.len().saturating_sub(REPEATS_SHOWN);
    for Repeat { path, first, is_copy } in repeats.into_iter().take(REPEATS_SHOWN) {
        let same = if is_copy { "content" } else { "file" };
        print_stderr_remark(format!(
            "warning: {}: the same {same} as {}, which is read once\n",
            path.display(),
            first.display()
        ));
    }
    if more > 0 {
        print_stderr_remark(format!("warning: and {more} more repeated files\n"));
    }
    Ok(files)
}

/// Merges all files into one statement per customer. `None` if a file cannot be read, which is reported.
pub(crate) fn read_merged(
    paths: &[PathBuf],
    policies: &dyn PolicySet,
    columns: Option<&Columns>,
    merging: &Merging,
) -> Result<Option<Statements>, Failure> {
    let reading = decision::reading(policies);
    let mut parts = Vec::with_capacity(paths.len());
    let paths = without_repeats(paths, columns, |_| true)?;
    for path in &paths {
        match read_input_statements(path, &reading, columns) {
            Ok(part) => parts.push(part),
            Err(Failure::Message(message)) => print_error_message(message),
            Err(other) => return Err(other),
        }
    }
    let missing = paths.len() - parts.len();
    if missing > 0 {
        print_error_message(format!(
            "nothing was merged: {missing} of {} files cannot be read, so accounts of any customer may be missing",
            paths.len()
        ));
        return Ok(None);
    }
    decision::merge(policies, &parts, merging).map(Some).map_err(Failure::message)
}

/// Reads the statements of a file, or of standard input for `-`. Warns if a table has no rows.
pub(crate) fn read_input_statements(
    path: &Path,
    reading: &Reading,
    columns: Option<&Columns>,
) -> Result<Statements, Failure> {
    if path.as_os_str() != STANDARD_INPUT {
        let statements = read_statements(path, reading, columns).map_err(Failure::message)?;
        warn_if_none(path, statements.len());
        return Ok(statements);
    }
    let bytes = read_input_bytes(path)?;
    let statements = read_stream(bytes, STANDARD_INPUT, reading, columns)
        .map_err(|error| Failure::Message(format!("standard input: {error}")))?;
    warn_if_none(path, statements.len());
    Ok(statements)
}

/// Calls `work` on parts of a file, which are whole statements.
fn work_on_file_parts<T: Send>(
    path: &Path,
    reading: &Reading,
    columns: Option<&Columns>,
    work: &(impl Fn(Statements) -> T + Sync),
) -> Result<Vec<T>, Failure> {
    if path.as_os_str() == STANDARD_INPUT {
        return read_input_statements(path, reading, columns).map(|statements| vec![work(statements)]);
    }
    let counted = |statements: Statements| (statements.len(), work(statements));
    let results = read_parts(path, reading, columns, counted).map_err(Failure::message)?;
    warn_if_none(path, results.iter().map(|(count, _)| count).sum());
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

fn warn_if_none(path: &Path, statements: usize) {
    if statements == 0 {
        print_stderr_remark(format!("warning: {}: no records, so no statement\n", path.display()));
    }
}

/// The bytes of a file; `-` is standard input.
pub(crate) fn read_input_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.as_os_str() != STANDARD_INPUT {
        return std::fs::read(path)
            .map_err(|error| Failure::Message(format!("cannot read `{}`: {error}", path.display())));
    }
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::Message(format!("cannot read standard input: {error}"))),
    }
}

pub(crate) fn parse_parameter(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

/// Parses the name of a customer.
fn parse_customer_name(text: &str) -> Result<String, String> {
    customer_name(text).map(Cow::into_owned).ok_or_else(|| {
        "no name of a customer: it is blank, what programs write for a missing value, or a number that one rewrote"
            .to_owned()
    })
}

/// Parses a day of the command line.
pub(crate) fn parse_day_argument(text: &str) -> Result<Day, String> {
    Day::parse_iso(text).ok_or_else(|| "no such day; write it as 2026-10-31".to_owned())
}

/// Whether what a policy decides depends on the day of the decision.
pub(crate) fn asks_for_day(policy: &Policy) -> bool {
    let (header, program) = (policy.header(), &policy.program);
    let asks = |op: &Op| {
        matches!(
            op,
            Op::Fact(Fact::AsOf | Fact::WindowEnd)
                | Op::GroupColumn(GroupColumn::Full | GroupColumn::FullAgo | GroupColumn::Stream(_))
        )
    };
    let is_asked = program.graph.nodes().iter().zip(&program.schedule.live).any(|(node, live)| *live && asks(&node.op));
    is_asked || header.requires_as_of || header.valid_from.is_some() || header.valid_to.is_some()
}
