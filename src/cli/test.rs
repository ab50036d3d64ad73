//! `test`: runs the cases beside rule files and prints the results. Knows nothing of how a case is compared.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::diagnostics::{self, DiagnosticFormat};
use super::output::{self, Failure, print_error_message};
use crate::engine::decision::{CoveredPart, PartOf};
use crate::portfolio::{
    ActualValue, CaseError, Cases, Trial, Tried, coverage_percent, try_cases, try_for_update, update_cases_file,
    write_lcov_tracefile,
};
use crate::report::aligned::{measure_text_width, pad_text_end};
use crate::run::files::{self, PolicyError};

/// The command line of `test`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright test rules/starter.toml
      runs the cases of rules/starter.cases.toml, and lists the parts of the policy that none of
      them reaches
  lendwright test rules/starter.toml --update
      makes the cases expect the actual results, and fills in `expect = {}`; review the change
      before you keep it
  lendwright test rules/starter.toml --coverage --lcov starter.info \\
      --min-coverage 90
  lendwright test rules/*.toml --format json
      one JSON object per case; if several files are named, those without cases are skipped

Exit status: 0 if every case has the expected result; 1 if one does not, a file is invalid, or
nothing was tested.")]
pub struct TestArgs {
    /// Rule files; the cases of NAME.toml are in NAME.cases.toml beside it, which may be named instead
    #[arg(value_name = "POLICY", required = true)]
    pub policies: Vec<PathBuf>,
    /// Run only cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Replace the expected results in the cases files by the actual results
    #[arg(long)]
    pub update: bool,
    /// List every part of the policy with the number of cases that reach it
    #[arg(long)]
    pub coverage: bool,
    /// Write the coverage as LCOV, by lines of the rule files
    #[arg(long, value_name = "FILE")]
    pub lcov: Option<PathBuf>,
    /// Fail if the cases of a policy reach less of it than this
    #[arg(long, value_name = "PERCENT")]
    pub min_coverage: Option<f64>,
    /// The format of results, and of mistakes in the files: `json` is one object per case, one per line
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
}

/// The results of all files so far.
struct Results {
    all_passed: bool,
    has_tested: bool,
    /// Policies without a case that `--filter` selects, with their cases files.
    without_match: Vec<(PathBuf, PathBuf)>,
    tracefile: String,
}

impl Results {
    /// Reports that a policy cannot be tested.
    fn fail(&mut self, args: &TestArgs, path: &Path, why: impl std::fmt::Display) -> Result<(), Failure> {
        self.all_passed = false;
        if args.format == DiagnosticFormat::Json {
            let why = why.to_string();
            output::write_stdout_line(json!({"policy": path.display().to_string(), "ok": false, "error": why}))?;
        }
        print_error_message(why);
        Ok(())
    }
}

/// Runs all cases of all files.
pub fn run(args: &TestArgs) -> Result<ExitCode, Failure> {
    let mut results =
        Results { all_passed: true, has_tested: false, without_match: Vec::new(), tracefile: String::new() };
    for (path, file) in list_tested_policies(args, &mut results)? {
        test_policy(args, &path, &file, &mut results)?;
    }
    if let (false, Some(filter)) = (results.has_tested, &args.filter) {
        for (path, file) in std::mem::take(&mut results.without_match) {
            results.fail(args, &path, format!("{}: no case's name contains `{filter}`", file.display()))?;
        }
    }
    if results.all_passed && !results.has_tested {
        print_error_message("nothing was tested: none of the named files has cases (docs/guides/cases.md)");
        results.all_passed = false;
    }
    if let Some(path) = &args.lcov {
        files::write_text(&results.tracefile, path).map_err(Failure::message)?;
    }
    Ok(if results.all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The policies to test, each once, with their cases files. A cases file may be named instead of its policy.
fn list_tested_policies(args: &TestArgs, results: &mut Results) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in &args.policies {
        let name = path.to_string_lossy();
        let policy = match name.strip_suffix(".cases.toml").map(|stem| (format!("{stem}.toml"), stem)) {
            None => path.clone(),
            Some((file, _)) if Path::new(&file).is_file() => file.into(),
            Some((_, folder)) if Path::new(folder).is_dir() => folder.into(),
            Some((file, _)) => {
                let help = format!("its policy `{file}` does not exist; a cases file is named after its policy");
                results.fail(args, path, format!("`{name}` cannot be tested: {help}"))?;
                continue;
            }
        };
        let cases = Cases::beside(&policy);
        if !found.iter().any(|(_, known)| *known == cases) {
            found.push((policy, cases));
        }
    }
    Ok(found)
}

/// Tests one policy with its cases.
fn test_policy(args: &TestArgs, path: &Path, file: &Path, results: &mut Results) -> Result<(), Failure> {
    let (shown, cases) = (path.display(), file.display());
    if !path.exists() {
        return results.fail(args, path, format!("cannot read `{shown}`: there is no such file"));
    }
    if !file.exists() && args.policies.len() > 1 {
        output::print_stderr_remark(format!("{shown}: passed over, it has no {cases}\n"));
        return Ok(());
    }
    if !file.exists() {
        let help = "or copy those of the policy it came from (docs/guides/cases.md)";
        return results.fail(
            args,
            path,
            format!("`{shown}` has no cases: write them into `{cases}` beside it, {help}"),
        );
    }
    let read = Cases::read(file).map(|cases| filter_cases_by_name(cases, args.filter.as_deref()));
    if read.as_ref().is_ok_and(|read| read.case.is_empty()) {
        // Reported after all files are read, because another file may have a match.
        results.without_match.push((path.to_owned(), file.to_owned()));
        return Ok(());
    }
    let try_them = if args.update { try_for_update } else { try_cases };
    match read.and_then(|read| try_them(path, file, &read)) {
        Ok(trial) => report_trial_result(args, path, file, &trial, results),
        Err(CaseError::Policy(PolicyError::Refused(refused))) => {
            results.all_passed = false;
            diagnostics::print_diagnostics(&refused.diagnostics, &refused.sources, args.format);
            Ok(())
        }
        Err(CaseError::Refused(refused)) => {
            results.all_passed = false;
            if args.format == DiagnosticFormat::Json {
                output::write_stdout_line(
                    json!({"policy": path.display().to_string(), "ok": false, "error": refused.to_string()}),
                )?;
            }
            diagnostics::print_diagnostics(&refused.diagnostics, &refused.sources, args.format);
            Ok(())
        }
        Err(error) => results.fail(args, path, error),
    }
}

/// Prints the results, or writes them into the cases file.
fn report_trial_result(
    args: &TestArgs,
    path: &Path,
    file: &Path,
    trial: &Trial,
    results: &mut Results,
) -> Result<(), Failure> {
    results.has_tested = true;
    let written = args.update && write_actual_results(file, trial)?;
    if !args.update {
        results.all_passed &= trial.tried.iter().all(|tried| tried.differences.is_empty());
    }
    results.tracefile += &write_lcov_tracefile(trial);
    let reached = coverage_percent(trial);
    if let Some(least) = args.min_coverage.filter(|least| reached < *least) {
        // Rounded down, so that a value below the limit never looks equal to it.
        let reached = (10.0 * reached).floor() / 10.0;
        let wanted = format!("less than the {least} % asked for");
        print_error_message(format!(
            "{}: {reached:.1} % of the policy is reached by its cases, {wanted}",
            path.display()
        ));
        results.all_passed = false;
    }
    match args.format {
        _ if written => Ok(()),
        DiagnosticFormat::Text => output::write_stdout_line(format_trial_text(path, trial, args.coverage)),
        DiagnosticFormat::Json => trial.tried.iter().try_for_each(|tried| json_line(path, tried)),
    }
}

/// The cases that the filter selects.
fn filter_cases_by_name(mut cases: Cases, filter: Option<&str>) -> Cases {
    cases.case.retain(|case| filter.is_none_or(|filter| case.name.contains(filter)));
    cases
}

/// Writes the actual results into the cases file. Returns whether the file changed.
fn write_actual_results(file: &Path, trial: &Trial) -> Result<bool, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Message(format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
    let new = update_cases_file(&text, &trial.tried).map_err(|error| wrong(&error))?;
    if new == text {
        return Ok(false);
    }
    files::write_text(&new, file).map_err(|error| wrong(&error))?;
    let changed = trial.tried.iter().filter(|tried| !tried.differences.is_empty()).count();
    let cases = if changed == 1 { "case" } else { "cases" };
    output::print_stderr_remark(format!("{}: {changed} {cases} updated\n", file.display()));
    Ok(true)
}

fn json_line(path: &Path, tried: &Tried) -> Result<(), Failure> {
    let differences = tried.differences.iter().map(|difference| {
        let found = found_value_as_json(&difference.found);
        json!({"what": difference.what, "expected": difference.expected, "found": found})
    });
    output::write_stdout_line(json!({
        "policy": path.display().to_string(),
        "case": tried.name,
        "ok": tried.differences.is_empty(),
        "differences": differences.collect::<Vec<_>>(),
    }))
}

fn found_value_as_json(found: &ActualValue) -> serde_json::Value {
    match found {
        ActualValue::Value(value) => value.clone(),
        ActualValue::Nothing(_) => serde_json::Value::Null,
    }
}

fn format_trial_text(path: &Path, trial: &Trial, every: bool) -> String {
    let wrong = trial.tried.iter().filter(|tried| !tried.differences.is_empty());
    let count = wrong.clone().count();
    let cases = match trial.tried.len() {
        1 => "1 case".to_owned(),
        count => format!("{count} cases"),
    };
    let summary = if count == 0 { "all as expected".to_owned() } else { format!("{count} not as expected") };
    let mut lines = vec![format!("{}: {cases}, {summary}", path.display())];
    wrong.for_each(|tried| lines.extend(format_tried_case(tried)));
    lines.extend(format_coverage_lines(trial));
    if every {
        lines.extend(trial.places.iter().map(|(part, file, line)| {
            let reached = trial.reached.get(part).copied().unwrap_or(0);
            format!("  {reached:>5}  {}  ({file}:{line})", trial.label(part))
        }));
    }
    lines.join("\n")
}

/// The expected and the actual results, side by side.
fn format_tried_case(tried: &Tried) -> Vec<String> {
    let rows: Vec<[String; 3]> = tried
        .differences
        .iter()
        .map(|difference| [difference.what.clone(), difference.expected.to_string(), difference.found.to_string()])
        .collect();
    let width = |column: usize, title: &str| {
        rows.iter().map(|row| measure_text_width(&row[column])).chain([title.len()]).max().unwrap_or(0)
    };
    let (first, second) = (width(0, ""), width(1, "expected"));
    let line = |row: &[String; 3]| {
        format!("    {}  {}  {}", pad_text_end(&row[0], first), pad_text_end(&row[1], second), row[2])
    };
    let head = ["".to_owned(), "expected".to_owned(), "came out".to_owned()];
    let mut lines = vec![format!("  {}", tried.name)];
    lines.extend(std::iter::once(&head).chain(&rows).map(|row| line(row).trim_end().to_owned()));
    lines
}

/// How much of the policy the cases reach, and which parts they do not.
fn format_coverage_lines(trial: &Trial) -> Vec<String> {
    type Kind = (&'static str, fn(&CoveredPart) -> bool);
    let kinds: [Kind; 4] = [
        ("requirements, met and not", |part| matches!(part, CoveredPart::Met(_) | CoveredPart::NotMet(_))),
        ("bins of the score", |part| matches!(part, CoveredPart::Bin(..))),
        ("rows of tables", |part| matches!(part, CoveredPart::Row(..))),
        ("offers", |part| matches!(part, CoveredPart::Offer(..))),
    ];
    let mut lines = Vec::new();
    for (name, is_kind) in kinds {
        let of_kind: Vec<&PartOf> = trial.parts.iter().filter(|of| is_kind(&of.part)).collect();
        if of_kind.is_empty() {
            continue;
        }
        let missing: Vec<String> =
            of_kind.iter().filter(|part| !trial.reached.contains_key(part)).map(|part| trial.label(part)).collect();
        let never = if missing.is_empty() { String::new() } else { format!("; no case has {}", missing.join(", ")) };
        lines.push(format!("  {:>3} of {:<3} {name}{never}", of_kind.len() - missing.len(), of_kind.len()));
    }
    lines
}
