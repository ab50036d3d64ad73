//! `loans reverse`: a person records that money which had moved was taken back. Knows nothing of what follows.

use std::process::ExitCode;

use clap::Args;

use super::review::{PersonArgs, describe_decision};
use super::{BookArgs, Desk};
use crate::cli::output::{self, Failure};
use crate::lender::loan_book::Reversal;
use crate::lender::operations::reverse;

/// The command line of `loans reverse`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans reverse L-1 --payout --sure \\
      --note \"account closed\" --config lender.toml
  lendwright service loans reverse L-1 --debit LW-DEBIT-9e06d4a8 \\
      --note \"disputed\" --config lender.toml
  lendwright service loans reverse L-1 --payment PAY-17 \\
      --note \"it was for loan 12\" --config lender.toml

  --payout   what the customer has paid back is owed to the customer: --refunded follows. Without such
             payments, --retry makes another payout, and --cancel none
  --debit    the amount is owed again. If it is due, the loan waits in `review`: --retry collects it
  --payment  the payment is parked again: `post` it to the right loan, or `dismiss` it

Have it from the provider in writing. The provider still says that a reversed transaction moved;
`service reconcile` then counts both as agreeing.")]
pub(super) struct ReverseArgs {
    /// The loan: its id, the reference of its offer request or of its acceptance, or its number in the book
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    what: ReversedArgs,
    /// With --payout: the customer does not have the money, as you know for sure. It cannot be taken back
    #[arg(long)]
    sure: bool,
    #[command(flatten)]
    person: PersonArgs,
    #[command(flatten)]
    book: BookArgs,
}

#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
struct ReversedArgs {
    /// The payout was taken back
    #[arg(long)]
    payout: bool,
    /// This debit was taken back, by its id or the provider's reference
    #[arg(long, value_name = "TRANSACTION")]
    debit: Option<String>,
    /// This payment is taken off the loan again, by its `paymentRef`
    #[arg(long, value_name = "PAYMENT")]
    payment: Option<String>,
}

impl ReversedArgs {
    fn reversal(&self) -> Reversal {
        match (&self.debit, &self.payment) {
            (Some(debit), _) => Reversal::Debit(debit.clone()),
            (None, Some(payment)) => Reversal::Payment(payment.clone()),
            (None, None) => Reversal::Payout,
        }
    }
}

pub(super) fn run_reverse(args: &ReverseArgs) -> Result<ExitCode, Failure> {
    output::write_stdout_line(record_reversal(args, &Desk::open(&args.book)?)?)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn record_reversal(args: &ReverseArgs, desk: &Desk) -> Result<String, Failure> {
    let (row, person) = (desk.find(&args.id)?, args.person.person()?);
    if args.what.payout && !args.sure {
        let problem = "a payout that is recorded as taken back may be made once more; nothing was done. If the \
                       customer does not have the money, add --sure";
        return Err(Failure::Message(problem.to_owned()));
    }
    let after = reverse(&desk.book, &row, &args.what.reversal(), &person, desk.at_now()).map_err(Failure::message)?;
    Ok(describe_decision(&row, &after, &person))
}
