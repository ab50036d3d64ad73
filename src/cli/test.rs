//! `test`: the cases beside rule files, tried and told. Knows nothing of how a case is compared.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::diagnostics::{self, DiagnosticFormat};
use super::output::{self, Failure, complain};
use crate::decision::Part;
use crate::files::PolicyError;
use crate::portfolio::{CaseError, Cases, Trial, Tried, try_cases};

/// The command line of `test`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright test rules/starter.toml
      tries the cases of rules/starter.cases.toml, and says which parts of the policy none of them reaches
  lendwright test rules/*.toml --format json
      one JSON object a case; files without cases are passed over when several are named

Exit status: 0 when every case comes out as it says, 1 when one does not, or a file is at fault.")]
pub struct TestArgs {
    /// Rule files; the cases of NAME.toml are in NAME.cases.toml beside it
    #[arg(value_name = "POLICY", required = true)]
    pub policies: Vec<PathBuf>,
    /// How results are shown
    #[arg(long, value_enum, default_value_t)]
    pub format: DiagnosticFormat,
}

/// Tries all cases of all files.
pub fn run(args: &TestArgs) -> Result<ExitCode, Failure> {
    let mut all = true;
    for path in args.policies.iter().filter(|path| !path.to_string_lossy().ends_with(".cases.toml")) {
        let file = Cases::beside(path);
        if args.policies.len() > 1 && !file.exists() {
            output::remark(format!("{}: passed over, it has no {}\n", path.display(), file.display()));
            continue;
        }
        match Cases::read(&file).and_then(|cases| try_cases(path, &file, &cases)) {
            Ok(trial) => {
                all &= trial.tried.iter().all(|tried| tried.differences.is_empty());
                match args.format {
                    DiagnosticFormat::Text => output::line(text(path, &trial))?,
                    DiagnosticFormat::Json => trial.tried.iter().try_for_each(|tried| json_line(path, tried))?,
                }
            }
            Err(CaseError::Policy(PolicyError::Refused(refused))) => {
                all = false;
                diagnostics::remark(&refused.diagnostics, &refused.sources, args.format);
            }
            Err(error) => {
                all = false;
                complain(error);
            }
        }
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn json_line(path: &Path, tried: &Tried) -> Result<(), Failure> {
    let differences = tried
        .differences
        .iter()
        .map(|difference| json!({"what": difference.what, "expected": difference.expected, "found": difference.found}));
    output::line(json!({
        "policy": path.display().to_string(),
        "case": tried.name,
        "ok": tried.differences.is_empty(),
        "differences": differences.collect::<Vec<_>>(),
    }))
}

fn text(path: &Path, trial: &Trial) -> String {
    let wrong = trial.tried.iter().filter(|tried| !tried.differences.is_empty());
    let count = wrong.clone().count();
    let cases = trial.tried.len();
    let said = if count == 0 { "all as expected".to_owned() } else { format!("{count} not as expected") };
    let mut lines = vec![format!("{}: {cases} cases, {said}", path.display())];
    wrong.for_each(|tried| lines.extend(case(tried)));
    lines.extend(coverage(trial));
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
        let of_kind: Vec<&Part> = trial.parts.iter().filter(|part| is(part)).collect();
        if of_kind.is_empty() {
            continue;
        }
        let missing: Vec<String> =
            of_kind.iter().filter(|part| !trial.reached.contains(part)).map(|part| part.to_string()).collect();
        let never = if missing.is_empty() { String::new() } else { format!("; no case has {}", missing.join(", ")) };
        lines.push(format!("  {:>3} of {:<3} {name}{never}", of_kind.len() - missing.len(), of_kind.len()));
    }
    lines
}
