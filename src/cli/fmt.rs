//! `fmt`: rule files and cases files laid out anew, in place. Knows nothing of how a layout is made.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::diagnostics::{self, DiagnosticFormat};
use super::input::{self, STANDARD_INPUT};
use super::output::{self, Failure, complain};
use crate::editor::format::{FormatError, format};
use crate::words::diagnostic::Sources;

/// The command line of `fmt`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright fmt rules/*.toml
      one blank line between sections, cells of tables under each other; comments stay, and so does what the file says
  lendwright fmt --check rules/*.toml
      changes nothing, names the files that would change
  lendwright fmt - < my.toml
      standard input to standard output, for editors

Exit status: 0 when all is laid out, 1 when a file is no TOML or cannot be read, or with --check when one would change.")]
pub struct FmtArgs {
    /// Rule files and cases files; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing; name the files that would change
    #[arg(long)]
    pub check: bool,
}

/// Lays every file out.
pub fn run(args: &FmtArgs) -> Result<ExitCode, Failure> {
    let mut all = true;
    for path in &args.files {
        match one(path, args.check) {
            Ok(fine) => all &= fine,
            Err(Failure::Said(message)) => {
                complain(message);
                all = false;
            }
            Err(Failure::Shown) => all = false,
            Err(gone) => return Err(gone),
        }
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether the file is as it should be by now.
fn one(path: &Path, check: bool) -> Result<bool, Failure> {
    let from_input = path.as_os_str() == STANDARD_INPUT;
    let shown = if from_input { "standard input".into() } else { path.display().to_string() };
    let text = String::from_utf8(input::read(path)?)
        .map_err(|error| Failure::Said(format!("`{shown}` is no text: {}", error.utf8_error())))?;
    let formatted = format(&text).map_err(|error| refused(&shown, &text, error))?;
    if check {
        if formatted != text {
            output::line(shown)?;
        }
        return Ok(formatted == text);
    }
    if from_input {
        output::bytes(formatted.as_bytes())?;
    } else if formatted != text {
        replace(path, &formatted)?;
    }
    Ok(true)
}

fn refused(shown: &str, text: &str, error: FormatError) -> Failure {
    match error {
        FormatError::Toml(mistakes) => {
            let mut sources = Sources::default();
            sources.add(shown, text);
            diagnostics::remark(&mistakes, &sources, DiagnosticFormat::Text);
            Failure::Shown
        }
        FormatError::Changed => Failure::Said(format!("`{shown}`: {error}")),
    }
}

/// The new text first lies beside the file, so that no moment has half of it.
fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| Failure::Said(format!("cannot write `{}`: {error}", path.display()));
    // A link stays one: what it leads to is replaced.
    let path = std::fs::canonicalize(path).map_err(cannot)?;
    let mut beside = path.clone().into_os_string();
    beside.push(".formatted");
    let beside = PathBuf::from(beside);
    std::fs::write(&beside, text).map_err(cannot)?;
    let permissions = std::fs::metadata(&path).map_err(cannot)?.permissions();
    std::fs::set_permissions(&beside, permissions).map_err(cannot)?;
    std::fs::rename(&beside, &path).map_err(cannot)
}
