//! `test`: the cases beside rule files, tried and told. Knows nothing of how a case is compared.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::diagnostics::{self, DiagnosticFormat};
use super::output::{self, Failure, complain};
use crate::decision::{Part, PartOf};
use crate::files::{self, PolicyError};
use crate::portfolio::{CaseError, Cases, Found, Trial, Tried, lcov, percent, try_cases, try_for_update, updated};

/// The command line of `test`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright test rules/starter.toml
      tries the cases of rules/starter.cases.toml, and says which parts of the policy none of them reaches
  lendwright test rules/starter.toml --update
      the cases now expect what came out: look at the change before you keep it; an empty `expect = {}` is filled in
  lendwright test rules/starter.toml --coverage --lcov starter.info --min-coverage 90
  lendwright test rules/*.toml --format json
      one JSON object a case; files without cases are passed over when several are named

Exit status: 0 when every case comes out as it says, 1 when one does not, a file is at fault, or nothing was tested.")]
pub struct TestArgs {
    /// Rule files; the cases of NAME.toml are in NAME.cases.toml beside it, which may be named instead
    #[arg(value_name = "POLICY", required = true)]
    pub policies: Vec<PathBuf>,
    /// Cases whose name holds this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Write what came out into the cases files, in the place of what was expected
    #[arg(long)]
    pub update: bool,
    /// List every part of the policy with how many cases came through it
    #[arg(long)]
    pub coverage: bool,
    /// Write what the cases came through as LCOV, by the lines of the rule files
    #[arg(long, value_name = "FILE")]
    pub lcov: Option<PathBuf>,
    /// Fail where less of a policy is reached
    #[arg(long, value_name = "PERCENT")]
    pub min_coverage: Option<f64>,
    /// How results are shown, and mistakes in the files: `json` is one object a case and line
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
}

/// What came of the files so far.
struct Sum {
    all: bool,
    tested: bool,
    /// Policies of which no case has such a name, with the files of their cases.
    unnamed: Vec<(PathBuf, PathBuf)>,
    tracefile: String,
}

impl Sum {
    /// One policy cannot be tried.
    fn fails(&mut self, args: &TestArgs, path: &Path, why: impl std::fmt::Display) -> Result<(), Failure> {
        self.all = false;
        if args.format == DiagnosticFormat::Json {
            let why = why.to_string();
            output::line(json!({"policy": path.display().to_string(), "ok": false, "error": why}))?;
        }
        complain(why);
        Ok(())
    }
}

/// Tries all cases of all files.
pub fn run(args: &TestArgs) -> Result<ExitCode, Failure> {
    let mut sum = Sum { all: true, tested: false, unnamed: Vec::new(), tracefile: String::new() };
    for (path, file) in policies(args, &mut sum)? {
        policy(args, &path, &file, &mut sum)?;
    }
    if let (false, Some(filter)) = (sum.tested, &args.filter) {
        for (path, file) in std::mem::take(&mut sum.unnamed) {
            sum.fails(args, &path, format!("{}: no case's name holds `{filter}`", file.display()))?;
        }
    }
    if sum.all && !sum.tested {
        complain("nothing was tested: none of the files named has cases (docs/guides/cases.md)");
        sum.all = false;
    }
    if let Some(path) = &args.lcov {
        std::fs::write(path, &sum.tracefile)
            .map_err(|error| Failure::Said(format!("cannot write `{}`: {error}", path.display())))?;
    }
    Ok(if sum.all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The policies to be tried, each once, and where their cases are. A cases file stands for its policy.
fn policies(args: &TestArgs, sum: &mut Sum) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in &args.policies {
        let name = path.to_string_lossy();
        let policy = match name.strip_suffix(".cases.toml").map(|stem| (format!("{stem}.toml"), stem)) {
            None => path.clone(),
            Some((file, _)) if Path::new(&file).is_file() => file.into(),
            Some((_, folder)) if Path::new(folder).is_dir() => folder.into(),
            Some((file, _)) => {
                let help = format!(
                    "the policy that it belongs to, `{file}`, is not there: a cases file has its policy's name"
                );
                sum.fails(args, path, format!("`{name}` cannot be tried: {help}"))?;
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

/// Tries the cases of one policy.
fn policy(args: &TestArgs, path: &Path, file: &Path, sum: &mut Sum) -> Result<(), Failure> {
    let (shown, cases) = (path.display(), file.display());
    if !path.exists() {
        return sum.fails(args, path, format!("cannot read `{shown}`: there is no such file"));
    }
    if !file.exists() && args.policies.len() > 1 {
        output::remark(format!("{shown}: passed over, it has no {cases}\n"));
        return Ok(());
    }
    if !file.exists() {
        let help = "or copy those of the policy it came from (docs/guides/cases.md)";
        return sum.fails(args, path, format!("`{shown}` has no cases: write them into `{cases}` beside it, {help}"));
    }
    let read = Cases::read(file).map(|cases| named(cases, args.filter.as_deref()));
    if read.as_ref().is_ok_and(|read| read.case.is_empty()) {
        // Told once all are read: another file may have one.
        sum.unnamed.push((path.to_owned(), file.to_owned()));
        return Ok(());
    }
    let try_them = if args.update { try_for_update } else { try_cases };
    match read.and_then(|read| try_them(path, file, &read)) {
        Ok(trial) => tried(args, path, file, &trial, sum),
        Err(CaseError::Policy(PolicyError::Refused(refused))) => {
            sum.all = false;
            diagnostics::remark(&refused.diagnostics, &refused.sources, args.format);
            Ok(())
        }
        Err(CaseError::Refused(refused)) => {
            sum.all = false;
            if args.format == DiagnosticFormat::Json {
                output::line(json!({"policy": path.display().to_string(), "ok": false, "error": refused.to_string()}))?;
            }
            diagnostics::remark(&refused.diagnostics, &refused.sources, args.format);
            Ok(())
        }
        Err(error) => sum.fails(args, path, error),
    }
}

/// Tells what came out, or writes it.
fn tried(args: &TestArgs, path: &Path, file: &Path, trial: &Trial, sum: &mut Sum) -> Result<(), Failure> {
    sum.tested = true;
    let written = args.update && update(file, trial)?;
    if !args.update {
        sum.all &= trial.tried.iter().all(|tried| tried.differences.is_empty());
    }
    sum.tracefile += &lcov(trial);
    let reached = percent(trial);
    if let Some(least) = args.min_coverage.filter(|least| reached < *least) {
        // Rounded down: what is below the bar must not look as if it were on it.
        let reached = (10.0 * reached).floor() / 10.0;
        let asked = format!("less than the {least} % asked for");
        complain(format!("{}: {reached:.1} % of the policy is reached by its cases, {asked}", path.display()));
        sum.all = false;
    }
    match args.format {
        _ if written => Ok(()),
        DiagnosticFormat::Text => output::line(text(path, trial, args.coverage)),
        DiagnosticFormat::Json => trial.tried.iter().try_for_each(|tried| json_line(path, tried)),
    }
}

/// The cases that are meant.
fn named(mut cases: Cases, filter: Option<&str>) -> Cases {
    cases.case.retain(|case| filter.is_none_or(|filter| case.name.contains(filter)));
    cases
}

/// Writes what came out into the cases file; whether there was something to write.
fn update(file: &Path, trial: &Trial) -> Result<bool, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Said(format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
    let new = updated(&text, &trial.tried).map_err(|error| wrong(&error))?;
    if new == text {
        return Ok(false);
    }
    files::write_text(&new, file).map_err(|error| wrong(&error))?;
    let changed = trial.tried.iter().filter(|tried| !tried.differences.is_empty()).count();
    let cases = if changed == 1 { "case" } else { "cases" };
    output::remark(format!("{}: {changed} {cases} written anew\n", file.display()));
    Ok(true)
}

fn json_line(path: &Path, tried: &Tried) -> Result<(), Failure> {
    let differences = tried
        .differences
        .iter()
        .map(|difference| json!({"what": difference.what, "expected": difference.expected, "found": found(&difference.found)}));
    output::line(json!({
        "policy": path.display().to_string(),
        "case": tried.name,
        "ok": tried.differences.is_empty(),
        "differences": differences.collect::<Vec<_>>(),
    }))
}

fn found(found: &Found) -> serde_json::Value {
    match found {
        Found::Value(value) => value.clone(),
        Found::Nothing(_) => serde_json::Value::Null,
    }
}

fn text(path: &Path, trial: &Trial, every: bool) -> String {
    let wrong = trial.tried.iter().filter(|tried| !tried.differences.is_empty());
    let count = wrong.clone().count();
    let cases = match trial.tried.len() {
        1 => "1 case".to_owned(),
        count => format!("{count} cases"),
    };
    let said = if count == 0 { "all as expected".to_owned() } else { format!("{count} not as expected") };
    let mut lines = vec![format!("{}: {cases}, {said}", path.display())];
    wrong.for_each(|tried| lines.extend(case(tried)));
    lines.extend(coverage(trial));
    if every {
        lines.extend(trial.places.iter().map(|(part, file, line)| {
            let reached = trial.reached.get(part).copied().unwrap_or(0);
            format!("  {reached:>5}  {}  ({file}:{line})", trial.said(part))
        }));
    }
    lines.join("\n")
}

/// What is expected and what came out, side by side.
fn case(tried: &Tried) -> Vec<String> {
    let rows: Vec<[String; 3]> = tried
        .differences
        .iter()
        .map(|difference| [difference.what.clone(), difference.expected.to_string(), difference.found.to_string()])
        .collect();
    let width = |column: usize, title: &str| {
        rows.iter().map(|row| row[column].chars().count()).chain([title.len()]).max().unwrap_or(0)
    };
    let (first, second) = (width(0, ""), width(1, "expected"));
    let line = |row: &[String; 3]| format!("    {:first$}  {:second$}  {}", row[0], row[1], row[2]);
    let head = ["".to_owned(), "expected".to_owned(), "came out".to_owned()];
    let mut lines = vec![format!("  {}", tried.name)];
    lines.extend(std::iter::once(&head).chain(&rows).map(|row| line(row).trim_end().to_owned()));
    lines
}

/// How much of the policy the cases came through, and what they did not.
fn coverage(trial: &Trial) -> Vec<String> {
    type Kind = (&'static str, fn(&Part) -> bool);
    let kinds: [Kind; 4] = [
        ("requirements, met and not", |part| matches!(part, Part::Met(_) | Part::NotMet(_))),
        ("bins of the score", |part| matches!(part, Part::Bin(..))),
        ("rows of tables", |part| matches!(part, Part::Row(..))),
        ("offers", |part| matches!(part, Part::Offer(..))),
    ];
    let mut lines = Vec::new();
    for (name, is) in kinds {
        let of_kind: Vec<&PartOf> = trial.parts.iter().filter(|of| is(&of.part)).collect();
        if of_kind.is_empty() {
            continue;
        }
        let missing: Vec<String> =
            of_kind.iter().filter(|part| !trial.reached.contains_key(part)).map(|part| trial.said(part)).collect();
        let never = if missing.is_empty() { String::new() } else { format!("; no case has {}", missing.join(", ")) };
        lines.push(format!("  {:>3} of {:<3} {name}{never}", of_kind.len() - missing.len(), of_kind.len()));
    }
    lines
}
