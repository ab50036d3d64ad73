//! `loans`: lists loans, shows one, and carries out what a person decides. Knows nothing of which decision is possible.

mod case;
mod desk;
mod erase;
mod list;
mod payments;
mod person;
mod restored;
mod reverse;
mod review;
mod show;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use super::output::Failure;

pub(crate) use desk::{BookArgs, Desk, connect_to_provider};

/// The command line of `loans`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans list --needs-person --config lender.toml
      what waits for a person, and why
  lendwright service loans show L-1 --config lender.toml
  lendwright service loans review 7 --decline --note \"income not proven\" \\
      --config lender.toml

Every decision needs a note and a name. Both are kept in the audit for ever, so leave personal data
of customers out of them. The name is that of --by, of the environment variable LENDWRIGHT_BY, or of
the system's user, in this order.")]
pub struct LoansArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// List loans
    List(list::ListArgs),
    /// Show everything about a loan
    Show(show::ShowArgs),
    /// Approve or decline what the policy refers to a person
    Review(review::ReviewArgs),
    /// Decide where the service cannot go on by itself
    Resolve(review::ResolveArgs),
    /// Record that a payout or debit was taken back, or take a payment off a loan
    Reverse(reverse::ReverseArgs),
    /// List the payments that fit nothing
    Payments(payments::PaymentsArgs),
    /// Post a payment that fits nothing to a loan
    Post(payments::PostArgs),
    /// Record that a payment counts for no loan
    Dismiss(payments::DismissArgs),
    /// Mark the book as restored from a backup
    Restored(restored::RestoredArgs),
    /// Erase the personal data of a loan that is at an end
    Erase(erase::EraseArgs),
    /// Erase the personal data of all loans that have been at an end for long
    Retain(erase::RetainArgs),
    /// Encrypt all personal data again with the current key
    Reseal(erase::ResealArgs),
}

/// The format of results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LoanFormat {
    /// For people: aligned columns, amounts in major units, moments in the lender's time zone
    #[default]
    Text,
    /// For programs: JSON with amounts in minor units and moments in UTC
    Json,
}

/// Runs the command.
pub fn run(args: &LoansArgs) -> Result<ExitCode, Failure> {
    match &args.action {
        Action::List(args) => list::run(args),
        Action::Show(args) => show::run(args),
        Action::Review(args) => review::run_review_loan(args),
        Action::Resolve(args) => review::run_resolve_loan(args),
        Action::Reverse(args) => reverse::run_reverse(args),
        Action::Payments(args) => payments::print_parked_payments(args),
        Action::Post(args) => payments::run_post_payment(args),
        Action::Dismiss(args) => payments::run_dismiss_payment(args),
        Action::Restored(args) => restored::run(args),
        Action::Erase(args) => erase::erase_one_loan(args),
        Action::Retain(args) => erase::erase_loans_past_age(args),
        Action::Reseal(args) => erase::reseal_with_current_key(args),
    }
}
