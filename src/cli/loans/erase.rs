//! `loans erase`, `loans retain` and `loans reseal`: personal data at its end. Knows nothing of what is personal.

use std::process::ExitCode;

use clap::Args;

use super::review::PersonArgs;
use super::{BookArgs, Desk};
use crate::base::date::Day;
use crate::base::time::{DAY, Duration, Timestamp, months};
use crate::cli::output::{self, Failure};
use crate::lender::operations as office;

/// The command line of `loans erase`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans erase L-1 --note \"asked for by the customer\" \\
      --by Ada --config lender.toml

Erases the account, the telephone number, what was asked for, and the records of decisions. A keyed
digest takes the place of the customer's id, the same for all loans of a customer. Amounts, days and
the audit stay, and the audit stays verifiable. Only for loans that are declined, expired, cancelled
or closed. Backups still have the data until they are deleted.")]
pub(super) struct EraseArgs {
    /// The loan: its id, the reference of its offer request or of its acceptance, or its number in the book
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    person: PersonArgs,
    #[command(flatten)]
    book: BookArgs,
}

/// The command line of `loans retain`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans retain --older-than P7Y --dry-run \\
      --note \"retention\" --config lender.toml
      lists what would be erased
  lendwright service loans retain --older-than P7Y --note \"retention\" --by Ada \\
      --config lender.toml

As `service loans erase`, for all loans that have been at an end for so long.")]
pub(super) struct RetainArgs {
    /// How long a loan must have been at an end, such as P7Y, P18M or P90D
    #[arg(long, value_name = "PERIOD", value_parser = parse_period)]
    older_than: Period,
    /// List the loans, and erase nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    person: PersonArgs,
    #[command(flatten)]
    book: BookArgs,
}

/// The command line of `loans reseal`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans reseal --config lender.toml
      after a new key has been added to the keys; then the old one can be removed

May run while the service does, and may be interrupted: another run goes on where it stopped.")]
pub(super) struct ResealArgs {
    #[command(flatten)]
    book: BookArgs,
}

/// A span of the calendar, or of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    Months(i64),
    Time(Duration),
}

fn parse_period(text: &str) -> Result<Period, String> {
    let months = months(text).filter(|months| (1..=12_000).contains(months)).map(Period::Months);
    let time = || Duration::parse_iso(text).filter(|time| (1..=DAY * 366_000).contains(&time.milliseconds()));
    let problem = "give a period above zero, such as P7Y, P18M or P90D";
    months.or_else(|| time().map(Period::Time)).ok_or_else(|| problem.to_owned())
}

/// The moment that long before another.
fn moment_before_now(desk: &Desk, period: Period) -> Timestamp {
    let earlier = match period {
        Period::Time(time) => Timestamp::from_milliseconds(desk.now.milliseconds() - time.milliseconds()),
        Period::Months(months) => {
            let (year, month, day) = desk.time.day(desk.now).ymd();
            let index = i64::from(year) * 12 + i64::from(month) - 1 - months;
            let (year, month) = (index.div_euclid(12), index.rem_euclid(12) + 1);
            let (year, month) = (i32::try_from(year).unwrap_or(0), u32::try_from(month).unwrap_or(1));
            // The last day of a shorter month.
            let found = (1..=day).rev().find_map(|day| Day::from_ymd(year, month, day));
            found.map(|day| desk.time.begin(day))
        }
    };
    // Nothing is older than the begin of the calendar.
    earlier.unwrap_or_else(|| desk.time.begin(Day::from_days(i32::MIN)))
}

pub(super) fn erase_one_loan(args: &EraseArgs) -> Result<ExitCode, Failure> {
    let desk = Desk::open(&args.book)?;
    let (row, person) = (desk.find(&args.id)?, args.person.person()?);
    let erased = office::erase_loan(&desk.book, &*desk.vault, &row, &person, desk.now).map_err(Failure::message)?;
    output::write_stdout_line(match erased.had_any {
        true => format!("loan {}: personal data is erased, by {}", erased.loan, person.name),
        false => format!("loan {}: personal data was erased before", erased.loan),
    })?;
    scrub_old_values(&desk)
}

pub(super) fn erase_loans_past_age(args: &RetainArgs) -> Result<ExitCode, Failure> {
    let desk = Desk::open(&args.book)?;
    let person = args.person.person()?;
    let (limit, by) = (moment_before_now(&desk, args.older_than), (!args.dry_run).then_some(&person));
    let loans = office::erase_old_loans(&desk.book, &*desk.vault, limit, by, desk.now).map_err(Failure::message)?;
    let what = if args.dry_run { "would be erased" } else { "erased" };
    for loan in &loans {
        output::write_stdout_line(format!("loan {loan}: {what}"))?;
    }
    output::print_stderr_remark(format!("{} loans at an end since before {}\n", loans.len(), desk.time.show(limit)));
    if args.dry_run { Ok(ExitCode::SUCCESS) } else { scrub_old_values(&desk) }
}

pub(super) fn reseal_with_current_key(args: &ResealArgs) -> Result<ExitCode, Failure> {
    let desk = Desk::open(&args.book)?;
    let resealed = office::reseal_book(&desk.book, &*desk.vault).map_err(Failure::message)?;
    output::write_stdout_line(format!(
        "{} values encrypted again, {} had the current key",
        resealed.done, resealed.current
    ))?;
    scrub_old_values(&desk)
}

/// Overwrites what is left of the old values.
fn scrub_old_values(desk: &Desk) -> Result<ExitCode, Failure> {
    if !desk.book.database().scrub().map_err(Failure::message)? {
        output::print_stderr_remark(
            "the log of the database still has the old values, because it is in use; it is overwritten soon\n",
        );
    }
    Ok(ExitCode::SUCCESS)
}
