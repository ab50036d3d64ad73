//! Writes a table as a spreadsheet.

use std::path::Path;
use std::process::ExitCode;

use super::{ExportArgs, is_workbook, load_table_policy, workbook};
use crate::authoring::scorecards::{scorecard_of_policy, write_pmml_scorecard};
use crate::authoring::spreadsheets::{Sheet, to_csv};
use crate::cli::output::{self, Failure};
use crate::cli::table_file::lowercase_extension;
use crate::rules::Policy;
use crate::run::files::write_bytes;

pub(super) fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let path = &args.what.file;
    let (policy, _) = load_table_policy(&args.what.policy)?;
    let named = |error: String| Failure::Message(format!("{}: {error}", args.what.policy.display()));
    // `--force` does not overwrite a file of rows.
    if is_part_of(&policy, path) {
        let message = format!("`{}` is a file of the policy itself: give another name", path.display());
        return Err(Failure::Message(message));
    }
    if !args.force && path.exists() {
        let path = path.display();
        return Err(Failure::Message(format!("`{path}` already exists; give another name, or --force")));
    }
    if lowercase_extension(path) == "pmml" {
        if args.what.table != "score" {
            return Err(Failure::Message(format!(
                "`{}` is not the scorecard: only `score` can be PMML",
                args.what.table
            )));
        }
        let scorecard = scorecard_of_policy(&policy).map_err(named)?;
        write_bytes(write_pmml_scorecard(&scorecard).as_bytes(), path).map_err(Failure::message)?;
        output::print_stderr_remark(format!("{}: score, {} characteristics\n", path.display(), scorecard.items.len()));
        return Ok(ExitCode::SUCCESS);
    }
    let sheet = Sheet::new(&policy, &args.what.table).map_err(named)?;
    let bytes = if is_workbook(path) {
        workbook::sheet_as_workbook(&sheet)
            .map_err(|error| Failure::Message(format!("cannot write `{}`: {error}", path.display())))?
    } else {
        to_csv(&sheet).into_bytes()
    };
    write_bytes(&bytes, path).map_err(Failure::message)?;
    let rows = if sheet.lines.len() == 1 { "row" } else { "rows" };
    output::print_stderr_remark(format!("{}: {}, {} {rows}\n", path.display(), sheet.section, sheet.lines.len()));
    Ok(ExitCode::SUCCESS)
}

fn is_part_of(policy: &Policy, path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    policy.sources().iter().any(|source| Path::new(&source.name).canonicalize().is_ok_and(|source| source == path))
}
