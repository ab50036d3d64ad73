//! `decisions erase`: the personal part of decisions goes, what is counted of them stays.

use std::process::ExitCode;

use clap::Args;

use super::super::decision_book::DecisionBookArgs;
use super::super::input::parse_day_argument;
use super::super::output::{self, Failure};
use super::span::begin_of_day;
use crate::base::date::Day;
use crate::decision_book::Erased;

/// The command line of `decisions erase`.
#[derive(Debug, Clone, Args)]
#[group(id = "what", required = true, multiple = false)]
pub(crate) struct EraseArgs {
    /// Erase the decisions on this customer, also those of shadows
    #[arg(long, value_name = "NAME", group = "what")]
    customer: Option<String>,
    /// Erase decisions that were made before this day, in UTC
    #[arg(long, value_name = "DAY", group = "what", value_parser = parse_day_argument)]
    before: Option<Day>,
    #[command(flatten)]
    book: DecisionBookArgs,
}

/// Erases.
pub(crate) fn erase_decisions(args: &EraseArgs) -> Result<ExitCode, Failure> {
    let book = args.book.open()?;
    let moment = args.before.and_then(begin_of_day);
    let erased = match (&args.customer, moment) {
        (Some(customer), _) => book.erase_customer(customer),
        (None, Some(moment)) => book.erase_before(moment),
        (None, None) => return Err(Failure::message("give `--customer NAME` or `--before DAY`")),
    };
    let Erased { decisions: erased, is_scrubbed } = erased.map_err(Failure::message)?;
    let (noun, them) = if erased == 1 { ("decision", "it") } else { ("decisions", "them") };
    output::write_stdout_line(format!("{erased} {noun} erased; what is counted of {them} remains"))?;
    if is_scrubbed {
        return Ok(ExitCode::SUCCESS);
    }
    output::print_error_message(
        "the log of the book still has what was erased, because somebody reads it; run this again when they are done",
    );
    Ok(ExitCode::FAILURE)
}
