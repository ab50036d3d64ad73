//! Reads an edited spreadsheet back into its rule file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::{ImportArgs, is_workbook, load_table_policy};
use crate::authoring::analysis::all_findings;
use crate::authoring::diff::compare_policies;
use crate::authoring::spreadsheets::{Edit, Grid, Sheet, SheetMistake, import_edited_sheet};
use crate::base::diagnostic::{Diagnostic, Severity, Sources};
use crate::cli::output::{self, Failure, print_error_message};
use crate::cli::table_file::lowercase_extension;
use crate::cli::{changes, check};
use crate::rules::Policy;
use crate::run::files::{PolicyError, read_rules, write_text};

/// A larger file is no table that people edit.
const BYTES_MAX: u64 = 64 << 20;

pub(super) fn run(args: &ImportArgs) -> Result<ExitCode, Failure> {
    let what = &args.what;
    let shown = what.policy.display();
    if lowercase_extension(&what.file) == "pmml" {
        let path = what.file.display();
        return Err(Failure::Message(format!("`{path}` is PMML: `lendwright import scorecard` reads it")));
    }
    let (policy, is_shared) = load_table_policy(&what.policy)?;
    let sheet = Sheet::new(&policy, &what.table).map_err(|error| Failure::Message(format!("{shown}: {error}")))?;
    let edit = read_sheet_grid(&what.file, &sheet)
        .map_err(|mistake| vec![mistake])
        .and_then(|grid| import_edited_sheet(&sheet, &grid))
        .map_err(|format_flag_mistakes| report_sheet_mistakes(&what.file, &what.policy, &format_flag_mistakes))?;
    if edit.summary.is_empty() {
        output::write_stdout_line(format!("{shown}: {}, no change", sheet.section))?;
        return Ok(ExitCode::SUCCESS);
    }
    let before = all_findings(&policy, is_shared, false);
    let changed = check_edited_policy(args, &edit, is_shared, &before)?;
    output::write_stdout_line(format!("{shown}: {}, {}", sheet.section, edit.summary))?;
    if args.dry_run {
        let changes = compare_policies(&policy, &changed);
        output::write_stdout_line(if changes.is_empty() {
            "only comments change".to_owned()
        } else {
            changes::format_all_changes(&changes)
        })?;
        output::print_stderr_remark("nothing was written\n");
        return Ok(ExitCode::SUCCESS);
    }
    for (path, text) in &edit.files {
        write_text(text, path).map_err(Failure::message)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read_sheet_grid(path: &Path, sheet: &Sheet) -> Result<Grid, SheetMistake> {
    let failed = |what: &dyn std::fmt::Display| SheetMistake {
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
fn report_sheet_mistakes(file: &Path, policy: &Path, mistakes: &[SheetMistake]) -> Failure {
    for mistake in mistakes {
        let place = mistake.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        print_error_message(format!("{}{place}: {}\n  help: {}", file.display(), mistake.message, mistake.help));
    }
    nothing_imported_failure(policy)
}

fn nothing_imported_failure(policy: &Path) -> Failure {
    Failure::Message(format!("nothing was imported; `{}` is as it was", policy.display()))
}

/// The policy with the new rows, if `check` finds no mistake in it. Shows warnings about the sheet's cells, and others
/// that were not found `before`, such as a gap that the rows open.
fn check_edited_policy(
    args: &ImportArgs,
    edit: &Edit,
    is_shared: bool,
    before: &[Diagnostic],
) -> Result<Policy, Failure> {
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
            // Behind the colon are the values that were found, which the rows may change.
            let said_of = |found: &Diagnostic| found.message.split(": ").next().unwrap_or_default().to_owned();
            let was_there =
                |new: &Diagnostic| before.iter().any(|old| old.code == new.code && said_of(old) == said_of(new));
            for warning in &warnings {
                let said = match sheet_place_of_finding(edit, policy.sources(), warning) {
                    Some(place) => describe_cell_mistake(&what.file, &place, warning),
                    None if was_there(warning) => continue,
                    None => describe_finding_at_line(policy.sources(), warning),
                };
                output::print_stderr_remark(format!("warning: {said}\n"));
            }
            if errors.is_empty() {
                Ok(policy)
            } else {
                Err(report_policy_mistakes(args, edit, &errors, policy.sources()))
            }
        }
        Err(PolicyError::Refused(report_sheet_mistakes)) => {
            Err(report_policy_mistakes(args, edit, &report_sheet_mistakes.diagnostics, &report_sheet_mistakes.sources))
        }
        Err(error) => Err(Failure::message(error)),
    }
}

fn sheet_place_of_finding(edit: &Edit, sources: &Sources, found: &Diagnostic) -> Option<String> {
    let source = sources.get(found.span)?;
    edit.place(&source.name, &source.text, found.span)
}

/// Prints what `check` refuses, at the cell if it is one of the table's.
fn report_policy_mistakes(args: &ImportArgs, edit: &Edit, found: &[Diagnostic], sources: &Sources) -> Failure {
    for wrong in found.iter().filter(|wrong| wrong.severity == Severity::Error) {
        match sheet_place_of_finding(edit, sources, wrong) {
            Some(sheet_place_of_finding) => {
                print_error_message(describe_cell_mistake(&args.what.file, &sheet_place_of_finding, wrong))
            }
            None => print_error_message(describe_finding_at_line(sources, wrong)),
        }
    }
    nothing_imported_failure(&args.what.policy)
}

fn describe_finding_at_line(sources: &Sources, found: &Diagnostic) -> String {
    let name = sources.get(found.span).map_or("", |source| source.name.as_str());
    describe_cell_mistake(Path::new(name), &format!("line {}", sources.line_column(found.span).0), found)
}

fn describe_cell_mistake(file: &Path, place: &str, found: &Diagnostic) -> String {
    let help = found.help.as_ref().map(|help| format!("\n  help: {help}")).unwrap_or_default();
    format!("{}, {place}: {} [{}]{help}", file.display(), found.message, found.code)
}
