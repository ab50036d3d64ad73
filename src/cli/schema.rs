//! `schema`: prints the JSON Schema of rule files or of cases files. Knows none of their keys.

use std::process::ExitCode;

use clap::Args;

use super::output::{self, Failure};
use crate::editor::schema;

/// The command line of `schema`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright schema > rules.schema.json
      editors complete rule files with it; docs/guides/editor.md explains the setup
  lendwright schema --cases > cases.schema.json
      the same for NAME.cases.toml")]
pub struct SchemaArgs {
    /// Print the schema of cases files instead of rule files
    #[arg(long)]
    pub cases: bool,
}

/// Writes the schema.
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let schema = if args.cases { schema::cases() } else { schema::rules() };
    output::line(format!("{schema:#}"))?;
    Ok(ExitCode::SUCCESS)
}
