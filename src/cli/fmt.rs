//! `fmt`: formats rule files and cases files in place. Knows nothing of how they are formatted.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::diagnostics::{self, DiagnosticFormat};
use super::input::{self, STANDARD_INPUT};
use super::output::{self, Failure, print_error_message};
use crate::authoring::editor::format::{FormatError, format_rule_file};
use crate::base::diagnostic::Sources;
use crate::run::files::write_text;

/// The command line of `fmt`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright fmt rules/*.toml
      one blank line between sections, cells of tables aligned; comments and meaning stay the same
  lendwright fmt --check rules/*.toml
      changes nothing, and lists the files that would change
  lendwright fmt - < my.toml
      standard input to standard output, for editors

Exit status: 0 if all files are formatted; 1 if a file cannot be read or is not TOML, or with
--check if one would change.")]
pub struct FmtArgs {
    /// Rule files and cases files; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing; list the files that would change
    #[arg(long)]
    pub check: bool,
}

/// Formats every file.
pub fn run(args: &FmtArgs) -> Result<ExitCode, Failure> {
    let mut all = true;
    for path in &args.files {
        match format_file(path, args.check) {
            Ok(is_formatted) => all &= is_formatted,
            Err(Failure::Message(message)) => {
                print_error_message(message);
                all = false;
            }
            Err(Failure::Shown) => all = false,
            Err(gone) => return Err(gone),
        }
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Formats one file. Returns whether it is now formatted.
fn format_file(path: &Path, check: bool) -> Result<bool, Failure> {
    let from_input = path.as_os_str() == STANDARD_INPUT;
    let shown = if from_input { "standard input".into() } else { path.display().to_string() };
    let text = String::from_utf8(input::read_input_bytes(path)?)
        .map_err(|error| Failure::Message(format!("`{shown}` is not text: {}", error.utf8_error())))?;
    let formatted = format_rule_file(&text).map_err(|error| report_unformatted_file(&shown, &text, error))?;
    if check {
        if formatted != text {
            output::write_stdout_line(shown)?;
        }
        return Ok(formatted == text);
    }
    if from_input {
        output::write_stdout_bytes(formatted.as_bytes())?;
    } else if formatted != text {
        write_text(&formatted, path).map_err(Failure::message)?;
    }
    Ok(true)
}

fn report_unformatted_file(shown: &str, text: &str, error: FormatError) -> Failure {
    match error {
        FormatError::Toml(mistakes) => {
            let mut sources = Sources::default();
            sources.add(shown, text);
            diagnostics::print_diagnostics(&mistakes, &sources, DiagnosticFormat::Text);
            Failure::Shown
        }
        FormatError::Changed => Failure::Message(format!("`{shown}`: {error}")),
    }
}
