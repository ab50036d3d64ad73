//! `schema`: prints the JSON Schema of rule files, cases files or decisions. Knows none of their keys.

use std::process::ExitCode;

use clap::Args;

use super::output::{self, Failure};
use crate::authoring::editor::schema;
use crate::engine::decision::decision_schema;

/// The command line of `schema`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright schema > rules.schema.json
      editors complete rule files with it; docs/guides/editor.md explains the setup
  lendwright schema --cases > cases.schema.json
      the same for NAME.cases.toml
  lendwright schema --decision > decision.schema.json
      for programs that read decisions; it says the unit of every amount")]
pub struct SchemaArgs {
    /// Print the schema of cases files instead of rule files
    #[arg(long)]
    pub cases: bool,
    /// Print the schema of decisions, as `decide` prints them
    #[arg(long, conflicts_with = "cases")]
    pub decision: bool,
}

/// Writes the schema.
pub fn run(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let schema = match (args.decision, args.cases) {
        (true, _) => decision_schema(),
        (false, true) => schema::cases_file_schema(),
        (false, false) => schema::rule_file_schema(),
    };
    output::write_stdout_line(format!("{schema:#}"))?;
    Ok(ExitCode::SUCCESS)
}
