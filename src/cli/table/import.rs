//! Reads an edited spreadsheet back into its rule file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::{ImportArgs, is_workbook, load};
use crate::authoring::analysis::all_findings;
use crate::authoring::diff::compare;
use crate::authoring::spreadsheets::{Edit, Grid, Mistake, Sheet, import};
use crate::base::diagnostic::{Diagnostic, Severity, Sources};
use crate::cli::output::{self, Failure, complain};
use crate::cli::{changes, check};
use crate::rules::Policy;
use crate::run::files::{PolicyError, read_rules, write_text};

/// A larger file is no table that people edit.
const BYTES_MAX: u64 = 64 << 20;

pub(super) fn run(args: &ImportArgs) -> Result<ExitCode, Failure> {
    let what = &args.what;
    let shown = what.policy.display();
    let (policy, is_shared) = load(&what.policy)?;
    let sheet = Sheet::new(&policy, &what.table).map_err(|error| Failure::Message(format!("{shown}: {error}")))?;
    let edit = grid(&what.file, &sheet)
        .map_err(|mistake| vec![mistake])
        .and_then(|grid| import(&sheet, &grid))
        .map_err(|mistakes| refused(&what.file, &what.policy, &mistakes))?;
    if edit.summary.is_empty() {
        output::line(format!("{shown}: {}, no change", sheet.section))?;
        return Ok(ExitCode::SUCCESS);
    }
    let changed = checked(args, &edit, is_shared)?;
    output::line(format!("{shown}: {}, {}", sheet.section, edit.summary))?;
    if args.dry_run {
        let changes = compare(&policy, &changed);
        output::line(if changes.is_empty() { "only comments change".to_owned() } else { changes::text(&changes) })?;
        output::remark("nothing was written\n");
        return Ok(ExitCode::SUCCESS);
    }
    for (path, text) in &edit.files {
        write_text(text, path).map_err(Failure::message)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn grid(path: &Path, sheet: &Sheet) -> Result<Grid, Mistake> {
    let failed = |what: &dyn std::fmt::Display| Mistake {
        place: None,
        message: format!("it cannot be read: {what}"),
        help: "name the file that was exported and edited".to_owned(),
    };
    if std::fs::metadata(path).map_err(|error| failed(&error))?.len() > BYTES_MAX {
        return Err(failed(&"it is larger than 64 MiB, which no table is"));
    }
    let bytes = std::fs::read(path).map_err(|error| failed(&error))?;
    if is_workbook(path) { Grid::from_workbook(&bytes, &sheet.tab()) } else { Grid::from_csv(&bytes) }
}

/// Prints every mistake with its cell.
fn refused(file: &Path, policy: &Path, mistakes: &[Mistake]) -> Failure {
    for mistake in mistakes {
        let place = mistake.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        complain(format!("{}{place}: {}\n  help: {}", file.display(), mistake.message, mistake.help));
    }
    unchanged(policy)
}

fn unchanged(policy: &Path) -> Failure {
    Failure::Message(format!("nothing was imported; `{}` is as it was", policy.display()))
}

/// The policy with the new rows, if `check` finds no mistake in it.
fn checked(args: &ImportArgs, edit: &Edit, is_shared: bool) -> Result<Policy, Failure> {
    let what = &args.what;
    let new: BTreeMap<&PathBuf, &String> = edit.files.iter().map(|(path, text)| (path, text)).collect();
    let mut read = |path: &Path| match new.get(&path.to_path_buf()) {
        Some(text) => Ok((*text).clone()),
        None => read_rules(path),
    };
    match check::load_with(&what.policy, &mut read) {
        Ok((policy, _)) => {
            let found = all_findings(&policy, is_shared, false);
            let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) =
                found.into_iter().partition(|found| found.severity == Severity::Error);
            for warning in &warnings {
                // Warnings of other parts were there before.
                if let Some(place) = place(edit, policy.sources(), warning) {
                    output::remark(format!("warning: {}\n", described(&what.file, &place, warning)));
                }
            }
            if errors.is_empty() { Ok(policy) } else { Err(mistaken(args, edit, &errors, policy.sources())) }
        }
        Err(PolicyError::Refused(refused)) => Err(mistaken(args, edit, &refused.diagnostics, &refused.sources)),
        Err(error) => Err(Failure::message(error)),
    }
}

fn place(edit: &Edit, sources: &Sources, found: &Diagnostic) -> Option<String> {
    let source = sources.get(found.span)?;
    edit.place(&source.name, &source.text, found.span)
}

/// Prints what `check` refuses, at the cell if it is one of the table's.
fn mistaken(args: &ImportArgs, edit: &Edit, found: &[Diagnostic], sources: &Sources) -> Failure {
    for wrong in found.iter().filter(|wrong| wrong.severity == Severity::Error) {
        match place(edit, sources, wrong) {
            Some(place) => complain(described(&args.what.file, &place, wrong)),
            None => {
                let name = sources.get(wrong.span).map_or("", |source| source.name.as_str());
                let place = sources.line_column(wrong.span).0.to_string();
                complain(described(Path::new(name), &format!("line {place}"), wrong));
            }
        }
    }
    unchanged(&args.what.policy)
}

fn described(file: &Path, place: &str, found: &Diagnostic) -> String {
    let help = found.help.as_ref().map(|help| format!("\n  help: {help}")).unwrap_or_default();
    format!("{}, {place}: {} [{}]{help}", file.display(), found.message, found.code)
}
