//! `check`: all mistakes in rule files, and what is odd about the policies. Knows nothing of the rule language.

mod codes;
mod ranges;
mod watch;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use clap::Args;

use super::diagnostics::{self, DiagnosticFormat};
use super::output::{self, Failure, print_error_message};
use super::{input, policy_report, sarif};
use crate::authoring::analysis::all_findings;
use crate::base::date::Day;
use crate::base::diagnostic::{Diagnostic, Severity, Sources};
use crate::rules::{Policy, allowed, is_for_use};
use crate::run::files::{self, PolicyError, load_policy_with, load_shared_with, read_rules};

/// The command line of `check`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright check rules/starter.toml
      prints `ok` if there are no mistakes; else every mistake with its place and what to do
  lendwright check rules/*.toml --deny warnings --format sarif > check.sarif
      for a pipeline: warnings fail too, and code scanning shows them at their lines
  lendwright check rules/*.toml --deny gap,price-order
      only these warnings fail
  lendwright check --explain gap
      explains a code, with a wrong and a right example
  lendwright check rules/salary
      a folder: checks each of its files, and whether they are consecutive versions of one policy
  lendwright check --params --as-of 2026-10-31 rules/starter.toml
      also prints the parameters on that day, with unit, min, max and dates
  lendwright check --bounds rules/starter.toml
      also checks the policy with all values of its parameters between their min and max
  lendwright check --digests rules/starter.toml
      also prints what to write under `use` to lock the files that it uses
  lendwright check --watch my.toml
      checks again at every change, until interrupted

Exit status: 0 if there are no errors (warnings may be there); 1 if there are errors, or warnings
that are denied.")]
pub struct CheckArgs {
    /// Rule files, or folders with the versions of one policy
    #[arg(value_name = "POLICY", required_unless_present = "explain")]
    pub policies: Vec<PathBuf>,
    /// The format of mistakes: text goes to standard error, JSON lines and SARIF to standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: CheckFormat,
    /// Fail on warnings too: `warnings` for all of them, or codes such as `gap,price-order`
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub deny: Vec<Deny>,
    /// Print the range of every metric, the score, the outputs and the amounts of offers
    #[arg(long, conflicts_with = "watch")]
    pub ranges: bool,
    /// Also check with all values of the parameters from their min to their max
    #[arg(long)]
    pub bounds: bool,
    /// Print the parameters
    #[arg(long)]
    pub params: bool,
    /// The day for which parameters are printed, such as 2026-10-31
    #[arg(long, value_name = "DATE", value_parser = input::parse_day_argument, requires = "params")]
    pub as_of: Option<Day>,
    /// Print the digests of the files that each policy uses
    #[arg(long)]
    pub digests: bool,
    /// Check again whenever a file changes, until interrupted
    #[arg(long)]
    pub watch: bool,
    /// Explain one code, such as `gap`, or `all` of them
    #[arg(long, value_name = "CODE", conflicts_with_all = ["policies", "watch", "ranges", "deny"])]
    pub explain: Option<String>,
}

/// The format of the findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum CheckFormat {
    /// For people: the line, a mark under the place, and what to do
    #[default]
    Text,
    /// For programs: one JSON object per line, for each finding
    Json,
    /// For code scanning: SARIF 2.1.0, all files in one document
    Sarif,
}

/// What fails in addition to errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deny {
    /// All warnings.
    Warnings,
    /// Warnings of one code.
    Code(&'static str),
}

impl FromStr for Deny {
    type Err = String;

    fn from_str(text: &str) -> Result<Deny, String> {
        if text == "warnings" { Ok(Deny::Warnings) } else { codes::find_known_code(text).map(Deny::Code) }
    }
}

/// Checks every file.
pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if let Some(code) = &args.explain {
        return codes::print_code_section(code);
    }
    if args.format == CheckFormat::Sarif && (args.ranges || args.params || args.digests) {
        let help = "use --ranges, --params and --digests with text or json";
        return Err(Failure::message(format!("SARIF holds only findings; {help}")));
    }
    if args.watch {
        return watch::recheck_on_change(args);
    }
    let checked = check_all(args)?;
    Ok(if checked.iter().all(|file| file.passes(args)) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks every file and prints the findings.
fn check_all(args: &CheckArgs) -> Result<Vec<Checked>, Failure> {
    let mut all = Vec::new();
    for path in &args.policies {
        if path.is_dir() { check_whole_folder(path, args, &mut all)? } else { check_one_file(path, args, &mut all)? }
    }
    match args.format {
        CheckFormat::Sarif => {
            let found = all.iter().map(|file| (&file.found[..], &file.sources));
            let failures: Vec<&str> = all.iter().filter_map(|file| file.unread.as_deref()).collect();
            output::write_stdout_bytes(sarif::build_sarif_document(found, &failures).as_bytes())?;
        }
        CheckFormat::Text if all.len() > 1 => {
            output::write_stdout_line(format!("{} files: {}", all.len(), summarize_checks(&all)))?
        }
        _ => {}
    }
    Ok(all)
}

fn check_one_file(path: &Path, args: &CheckArgs, all: &mut Vec<Checked>) -> Result<(), Failure> {
    if path.to_string_lossy().ends_with(".cases.toml") {
        // Cases files are beside the rule files, so `check rules/*.toml` names them too.
        output::print_stderr_remark(format!("{}: passed over, it holds cases\n", path.display()));
        return Ok(());
    }
    let checked = check_rule_file(path, args.bounds);
    checked.show(args)?;
    all.push(checked);
    Ok(())
}

/// Checks every file of a folder, then all of them as versions of one policy.
fn check_whole_folder(path: &Path, args: &CheckArgs, all: &mut Vec<Checked>) -> Result<(), Failure> {
    let from = all.len();
    match files::rule_files(path) {
        Ok(files) => files.iter().try_for_each(|found| check_one_file(found, args, all))?,
        Err(error) => all.push(Checked::unread(path, format!("cannot read `{}`: {error}", path.display()))),
    }
    let versions = all[from..].iter().filter(|file| file.kind.is_empty()).filter_map(|file| file.policy.clone());
    if all[from..].iter().all(|file| file.policy.is_some())
        && let Err(error) = files::versions_of_one_policy(path, versions.collect())
    {
        all.push(Checked::unread(path, error.to_string()));
    }
    Ok(())
}

/// The result of checking one file.
struct Checked {
    path: PathBuf,
    found: Vec<Diagnostic>,
    sources: Sources,
    policy: Option<Policy>,
    /// Why the file cannot be read at all.
    unread: Option<String>,
    /// Printed after `ok`. Empty for a policy.
    kind: &'static str,
}

fn check_rule_file(path: &Path, bounds: bool) -> Checked {
    match load_rules_or_shared(path) {
        Ok((policy, kind)) => {
            let found = all_findings(&policy, !kind.is_empty(), bounds);
            Checked {
                path: path.to_owned(),
                found,
                sources: policy.sources().clone(),
                policy: Some(policy),
                unread: None,
                kind,
            }
        }
        Err(PolicyError::Refused(refused)) => {
            let (mut found, sources) = (refused.diagnostics, refused.sources);
            allowed::remove_allowed_warnings(&mut found, &sources, None);
            Checked { path: path.to_owned(), found, sources, policy: None, unread: None, kind: "" }
        }
        Err(error) => Checked::unread(path, error.to_string()),
    }
}

/// Loads a policy, or a file without `[policy]` that policies use.
fn load_rules_or_shared(path: &Path) -> Result<(Policy, &'static str), PolicyError> {
    load_with(path, &mut read_rules)
}

/// As [`load_rules_or_shared`], but reads every file with `read`.
pub(super) fn load_with(
    path: &Path,
    read: &mut dyn FnMut(&Path) -> io::Result<String>,
) -> Result<(Policy, &'static str), PolicyError> {
    match load_policy_with(path, &[], read) {
        Err(PolicyError::Refused(refused))
            if refused.diagnostics.iter().any(|wrong| wrong.code == "missing-policy") =>
        {
            let shared = load_shared_with(path, read)?;
            if !refused.sources.iter().next().is_some_and(|file| is_for_use(&file.text)) {
                return Err(PolicyError::Refused(refused));
            }
            Ok((shared, ", for policies to use"))
        }
        loaded => Ok((loaded?, "")),
    }
}

impl Checked {
    /// The result for a file that cannot be read. Prints why.
    fn unread(path: &Path, why: String) -> Checked {
        print_error_message(&why);
        let (found, sources) = (Vec::new(), Sources::default());
        Checked { path: path.to_owned(), found, sources, policy: None, unread: Some(why), kind: "" }
    }

    fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|wrong| wrong.severity == severity).count()
    }

    fn passes(&self, args: &CheckArgs) -> bool {
        let is_denied = |warning: &Diagnostic| {
            let is_note = warning.severity == Severity::Note;
            args.deny.iter().any(|deny| match deny {
                Deny::Warnings => !is_note,
                Deny::Code(code) => *code == warning.code,
            })
        };
        self.unread.is_none() && self.count(Severity::Error) == 0 && !self.found.iter().any(is_denied)
    }

    fn show(&self, args: &CheckArgs) -> Result<(), Failure> {
        match args.format {
            CheckFormat::Sarif => return Ok(()),
            CheckFormat::Json => {
                output::write_stdout_bytes(diagnostics::diagnostics_as_json(&self.found, &self.sources).as_bytes())?
            }
            CheckFormat::Text => {
                diagnostics::print_diagnostics(&self.found, &self.sources, DiagnosticFormat::Text);
                if self.unread.is_none() {
                    let ok = if self.count(Severity::Error) == 0 { format!("ok{}", self.kind) } else { String::new() };
                    output::write_stdout_line(format!(
                        "{}: {}",
                        self.path.display(),
                        join_with_comma(ok, &count_by_severity(&[self]))
                    ))?;
                }
            }
        }
        let Some(policy) = &self.policy else { return Ok(()) };
        let mut lines = Vec::new();
        if args.params {
            let format = if args.format == CheckFormat::Json { DiagnosticFormat::Json } else { DiagnosticFormat::Text };
            lines.extend(policy_report::format_parameter_lines(policy, args.as_of, format));
        }
        if args.digests {
            lines.extend(policy_report::lines_to_lock_files(policy));
        }
        if !lines.is_empty() {
            output::write_stdout_line(lines.join("\n"))?;
        }
        if args.ranges { ranges::print_value_ranges(policy, args) } else { Ok(()) }
    }
}

/// Summarizes all files in a few words.
fn summarize_checks(all: &[Checked]) -> String {
    let unread = all.iter().filter(|file| file.unread.is_some()).count();
    let counted = count_by_severity(&all.iter().collect::<Vec<_>>());
    let failed = if unread > 0 { format!("{unread} cannot be read") } else { String::new() };
    match join_with_comma(failed, &counted) {
        text if text.is_empty() => "all ok".to_string(),
        text => text,
    }
}

fn count_by_severity(files: &[&Checked]) -> String {
    let count = |severity| files.iter().map(|file| file.count(severity)).sum::<usize>();
    let plural = |count: usize, what: &str| match count {
        0 => String::new(),
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let errors = join_with_comma(plural(count(Severity::Error), "error"), &plural(count(Severity::Warning), "warning"));
    join_with_comma(errors, &plural(count(Severity::Note), "note"))
}

fn join_with_comma(left: String, right: &str) -> String {
    if left.is_empty() || right.is_empty() { left + right } else { format!("{left}, {right}") }
}
