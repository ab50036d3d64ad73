//! A portfolio out of a book of decisions: their metrics, requests, and what became of the loans.

use std::path::PathBuf;

use clap::Args;
use tempfile::TempDir;

use super::PortfolioArgs;
use crate::base::date::Day;
use crate::cli::decision_book::{BookKeysArgs, DecisionBookArgs};
use crate::cli::decisions::export::{ExportArgs, write_tables};
use crate::cli::decisions::span::SpanArgs;
use crate::cli::input::parse_day_argument;
use crate::cli::output::{self, Failure};

/// The book of decisions that a portfolio is made of.
#[derive(Debug, Clone, Args)]
pub struct DecisionInputArgs {
    /// Take the decisions of this book of `lendwright api` or `serve` in the place of INPUT, with their requests, and
    /// with what became of their loans unless --outcomes says it: a file of SQLite, or `postgres`
    #[arg(long, value_name = "FILE|postgres", conflicts_with_all = ["inputs", "metrics", "requests"])]
    pub decisions: Option<PathBuf>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub keys: BookKeysArgs,
    /// The first day on which decisions of --decisions were made, in UTC
    #[arg(long, value_name = "DAY", value_parser = parse_day_argument, requires = "decisions")]
    pub decided_from: Option<Day>,
    /// The last day
    #[arg(long, value_name = "DAY", value_parser = parse_day_argument, requires = "decisions")]
    pub decided_to: Option<Day>,
}

/// The tables of a book, and the arguments that name them.
pub(super) struct ExportedDecisions {
    pub(super) args: PortfolioArgs,
    pub(super) folder: TempDir,
}

impl PortfolioArgs {
    /// Writes the tables of the book into a folder that only its owner can open; `None` without a book.
    pub(super) fn export_decisions(&self) -> Result<Option<ExportedDecisions>, Failure> {
        let Some(book) = &self.decisions.decisions else { return Ok(None) };
        let folder = tempfile::tempdir().map_err(|error| format!("no folder for the tables of the book: {error}"))?;
        let tables = folder.path().join("tables");
        let book = DecisionBookArgs { book: book.clone(), keys: self.decisions.keys.clone() };
        let span = SpanArgs { from: self.decisions.decided_from, to: self.decisions.decided_to };
        let (exported, told) = write_tables(&ExportArgs::new(tables.clone(), book, span))?;
        let of_the_book = told.split_once("; ").map_or(told.as_str(), |(_, counts)| counts);
        output::print_stderr_remark(format!("of the book: {of_the_book}\n"));
        let mut args = PortfolioArgs {
            inputs: vec![tables.join("book.parquet")],
            requests: exported.has_requests.then(|| tables.join("requests.csv")),
            ..self.clone()
        };
        args.decisions.decisions = None;
        if args.outcomes.is_none() && exported.loans > 0 {
            args.outcomes = Some(tables.join("outcomes.csv"));
        }
        Ok(Some(ExportedDecisions { args, folder }))
    }
}
