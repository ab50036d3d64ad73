//! What the commands that decide take in: a policy with its parameters, statements with a columns file, a request.
//! Knows nothing of what is done with them.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::Args;

use super::diagnostics::{self, DiagnosticFormat};
use super::distinct::{Again, distinct};
use super::output::{Failure, complain, remark};
use crate::decision::{self, Request};
use crate::files::{PolicyError, load_policies, read_columns, read_parts, read_statements};
use crate::rules::{Policies, PolicySet};
use crate::statement::{Columns, FirstLine, Merging, Reading, Statements, first_line, read_json};
use crate::words::date::Day;
use crate::words::diagnostic::{Diagnostic, Refused};

/// The label of a statement that came by standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Printed once where no day of the decision is given.
pub(crate) const NO_DAY: &str = "note: no day of the decision was given: windows end on the last record of each statement, and what depends on today is \
                      unknown (needs_as_of); give the day, such as --as-of 2026-10-31\n";

/// Names of files that were named before, as many as are shown.
const AGAIN_SHOWN: usize = 10;

/// Which policy, with which parameters.
#[derive(Debug, Clone, Args)]
pub struct PolicyArgs {
    /// The rule file, or a folder of the versions of one policy, of which the day of each decision picks one
    #[arg(long, value_name = "FILE|FOLDER")]
    pub policy: PathBuf,
    /// Give a parameter of the policy another value; may be given several times
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    pub parameters: Vec<(String, String)>,
    /// How mistakes in the rule file are shown; results are the same either way
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
}

/// What is asked beside the statement.
#[derive(Debug, Clone, Default, Args)]
pub struct RequestArgs {
    /// The day of the decision, as 2026-10-31; without it windows end on the statement's last day, and what depends on
    /// today is unknown
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub as_of: Option<Day>,
    /// A JSON file with the request: `as_of`, `customer`, and the fields that the policy declares
    #[arg(long, value_name = "FILE")]
    pub request: Option<PathBuf>,
}

/// How tables are to be read.
#[derive(Debug, Clone, Default, Args)]
pub struct TableArgs {
    /// A TOML file that says which columns of a table mean what
    #[arg(long, value_name = "FILE")]
    pub columns: Option<PathBuf>,
}

/// Whether a customer's statements are one.
#[derive(Debug, Clone, Default, Args)]
pub struct MergeArgs {
    /// Make one statement of all that a customer has in the inputs: exports of one account without what overlaps, accounts together without
    /// the transfers between them; files that name no customer are taken to be of one
    #[arg(long)]
    pub merge: bool,
    /// Bank days that a transfer takes at most from one account of a customer to another; 2 unless given
    #[arg(long, value_name = "DAYS", requires = "merge", value_parser = clap::value_parser!(u32).range(0..=30))]
    pub transfer_days: Option<u32>,
}

/// How inputs become statements.
#[derive(Debug, Clone, Default, Args)]
pub struct ReadingArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub table: TableArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub merge: MergeArgs,
}

impl MergeArgs {
    /// How to merge, where that is asked for.
    pub(crate) fn merging(&self) -> Option<Merging> {
        let usual = Merging::default();
        self.merge.then(|| Merging { transfer_days: self.transfer_days.unwrap_or(usual.transfer_days), ..usual })
    }
}

impl PolicyArgs {
    /// The policy, or its versions; mistakes have been shown when this fails.
    pub(crate) fn load(&self) -> Result<Policies, Failure> {
        match load_policies(&self.policy, &self.parameters) {
            Ok(policies) => {
                for policy in policies.versions() {
                    tracing::info!(digest = %policy.digest, "policy loaded");
                    diagnostics::remark(policy.warnings(), policy.sources(), self.format);
                }
                Ok(policies)
            }
            Err(PolicyError::Refused(refused)) => {
                if self.format == DiagnosticFormat::Text && self.is_of_parameters() {
                    return Err(self.outside(refused));
                }
                diagnostics::remark(&refused.diagnostics, &refused.sources, self.format);
                match self.format {
                    DiagnosticFormat::Text => {
                        Err(Failure::Said(format!("`{}` has mistakes; nothing was done", self.policy.display())))
                    }
                    DiagnosticFormat::Json => Err(Failure::Shown),
                }
            }
            Err(error) => Err(Failure::said(error)),
        }
    }

    /// Whether the files are without mistakes, and only `--param` makes some.
    fn is_of_parameters(&self) -> bool {
        !self.parameters.is_empty() && load_policies(&self.policy, &[]).is_ok()
    }

    /// Mistakes at the command line have no place in a file; what follows from them has.
    fn outside(&self, refused: Refused) -> Failure {
        let is_own = |wrong: &Diagnostic| ["parameter", "unknown-parameter"].contains(&wrong.code);
        let (own, others): (Vec<_>, Vec<_>) = refused.diagnostics.into_iter().partition(is_own);
        diagnostics::remark(&others, &refused.sources, self.format);
        let said = own.iter().map(|wrong| {
            let help = wrong.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            format!("--param: {}{help}\n", wrong.message)
        });
        let (said, file) = (said.collect::<String>(), self.policy.display());
        Failure::Said(format!("{said}nothing was done: `{file}` has no mistakes but with --param"))
    }
}

impl RequestArgs {
    /// The request; the option `--as-of` goes before the file.
    pub(crate) fn load(&self, policies: &Policies) -> Result<Request, Failure> {
        let mut request = match &self.request {
            None => Request::default(),
            Some(path) => {
                let bytes = read(path)?;
                Request::from_json(policies, &bytes)
                    .map_err(|error| Failure::Said(format!("{}: {error}", path.display())))?
            }
        };
        request.as_of = self.as_of.or(request.as_of);
        if request.as_of.is_none() {
            remark(NO_DAY);
        }
        Ok(request)
    }
}

impl TableArgs {
    /// The columns file, where one is given.
    pub(crate) fn load(&self) -> Result<Option<Columns>, Failure> {
        self.columns.as_deref().map(|path| read_columns(path).map_err(Failure::said)).transpose()
    }
}

impl ReadingArgs {
    /// Reads each input in turn and hands it on, or all of them as one statement a customer. One that cannot be read is said and passed over;
    /// where they are merged, nothing is done then, for nobody can tell whose account is missing.
    ///
    /// Gives whether all of them were read.
    pub(crate) fn each(
        &self,
        paths: &[PathBuf],
        policies: &dyn PolicySet,
        mut take: impl FnMut(&Statements) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let (columns, reading) = (self.table.load()?, decision::reading(policies));
        match self.merge.merging() {
            Some(merging) => merged(paths, policies, columns.as_ref(), &merging, |statements| take(&statements)),
            None => one_by_one(paths, |path| take(&statements(path, &reading, columns.as_ref())?)),
        }
    }

    /// Likewise, but hands on some whole statements of an input at a time, by several threads, and then what `work` made of them all, in their order.
    pub(crate) fn each_in_parts<T: Send>(
        &self,
        paths: &[PathBuf],
        policies: &dyn PolicySet,
        work: impl Fn(Statements) -> T + Sync,
        mut take: impl FnMut(Vec<T>) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let (columns, reading) = (self.table.load()?, decision::reading(policies));
        match self.merge.merging() {
            Some(merging) => {
                merged(paths, policies, columns.as_ref(), &merging, |statements| take(vec![work(statements)]))
            }
            None => one_by_one(paths, |path| take(parts(path, &reading, columns.as_ref(), &work)?)),
        }
    }
}

fn merged(
    paths: &[PathBuf],
    policies: &dyn PolicySet,
    columns: Option<&Columns>,
    merging: &Merging,
    take: impl FnOnce(Statements) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    match together(paths, policies, columns, merging)? {
        Some(statements) => take(statements).map(|()| true),
        None => Ok(false),
    }
}

/// Whether all of them could be taken; what is wrong with one is said.
fn one_by_one(paths: &[PathBuf], mut take: impl FnMut(&Path) -> Result<(), Failure>) -> Result<bool, Failure> {
    let mut all = true;
    for path in once(paths, is_table) {
        match take(path) {
            Ok(()) => {}
            Err(Failure::Said(message)) => {
                complain(message);
                all = false;
            }
            Err(other) => return Err(other),
        }
    }
    Ok(all)
}

/// Each file once, whatever names lead to it; a warning lists the other names. Where `by_content` holds, copies are left
/// out too: a table names its customers, so a copy adds nothing. A file of one statement names nobody, and its copy may be
/// somebody else's.
fn once(paths: &[PathBuf], by_content: impl Fn(&Path) -> bool) -> Vec<&Path> {
    let (once, again) = distinct(paths, by_content);
    let more = again.len().saturating_sub(AGAIN_SHOWN);
    for Again { path, first, is_copy } in again.into_iter().take(AGAIN_SHOWN) {
        let same = if is_copy { "content" } else { "file" };
        remark(format!("warning: {}: the same {same} as {}, which is taken once\n", path.display(), first.display()));
    }
    if more > 0 {
        remark(format!("warning: and {more} more names of files that were named before\n"));
    }
    once
}

/// Whether a file names its customers: lines may be one statement, which names nobody.
fn is_table(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    let is_named = || {
        let mut line = Vec::new();
        let file = std::fs::File::open(path).map(|file| BufReader::new(file.take(1 << 20)));
        let read = file.and_then(|mut file| file.read_until(b'\n', &mut line));
        read.is_ok() && matches!(first_line(&line, false), Some(FirstLine::Named))
    };
    match ending.as_str() {
        "csv" | "parquet" => true,
        "ndjson" | "jsonl" => is_named(),
        _ => false,
    }
}

/// One statement a customer out of all files; nothing where one of them cannot be read, which has been said.
pub(crate) fn together(
    paths: &[PathBuf],
    policies: &dyn PolicySet,
    columns: Option<&Columns>,
    merging: &Merging,
) -> Result<Option<Statements>, Failure> {
    let reading = decision::reading(policies);
    let mut parts = Vec::with_capacity(paths.len());
    let paths = once(paths, |_| true);
    for path in &paths {
        match statements(path, &reading, columns) {
            Ok(part) => parts.push(part),
            Err(Failure::Said(message)) => complain(message),
            Err(other) => return Err(other),
        }
    }
    let missing = paths.len() - parts.len();
    if missing > 0 {
        complain(format!(
            "nothing was merged: without {missing} of {} files nobody can tell whose accounts are missing",
            paths.len()
        ));
        return Ok(None);
    }
    decision::merge(policies, &parts, merging).map(Some).map_err(Failure::said)
}

/// The statements of a file; `-` is the provider's JSON on standard input. A table without a row has none, which is said.
pub(crate) fn statements(path: &Path, reading: &Reading, columns: Option<&Columns>) -> Result<Statements, Failure> {
    if path.as_os_str() != STANDARD_INPUT {
        let statements = read_statements(path, reading, columns).map_err(Failure::said)?;
        warn_if_none(path, statements.len());
        return Ok(statements);
    }
    let bytes = read(path)?;
    read_json(&bytes, STANDARD_INPUT, reading).map_err(|error| Failure::Said(format!("standard input: {error}")))
}

/// What `work` makes of the statements of a file, some whole ones at a time.
fn parts<T: Send>(
    path: &Path,
    reading: &Reading,
    columns: Option<&Columns>,
    work: &(impl Fn(Statements) -> T + Sync),
) -> Result<Vec<T>, Failure> {
    if path.as_os_str() == STANDARD_INPUT {
        return statements(path, reading, columns).map(|statements| vec![work(statements)]);
    }
    let counted = |statements: Statements| (statements.len(), work(statements));
    let made = read_parts(path, reading, columns, counted).map_err(Failure::said)?;
    warn_if_none(path, made.iter().map(|(count, _)| count).sum());
    Ok(made.into_iter().map(|(_, made)| made).collect())
}

fn warn_if_none(path: &Path, statements: usize) {
    if statements == 0 {
        remark(format!("warning: {}: no records, and so no statement\n", path.display()));
    }
}

/// The bytes of a file; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.as_os_str() != STANDARD_INPUT {
        return std::fs::read(path)
            .map_err(|error| Failure::Said(format!("cannot read `{}`: {error}", path.display())));
    }
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::Said(format!("cannot read standard input: {error}"))),
    }
}

pub(crate) fn parameter(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

/// Reads a day on the command line.
pub(crate) fn day(text: &str) -> Result<Day, String> {
    Day::parse_iso(text).ok_or_else(|| "no such day; write it as 2026-10-31".to_owned())
}
