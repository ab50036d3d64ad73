//! `loans payments`, `loans post`, `loans dismiss`: payments that fit nothing, and what a person does with them. Must
//! not know which loans take payments.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::review::PersonArgs;
use super::{BookArgs, Desk, LoanFormat};
use crate::cli::output::{self, Failure};
use crate::lender::loan_book::{LoanRow, PaymentRow, Placing, is_out_of_proportion};
use crate::lender::operations::{format_state, place_payment};
use crate::report::aligned::{format_aligned_table, one_line};

/// The command line of `loans payments`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans payments --config lender.toml
  lendwright service loans payments --format json --config lender.toml
      one JSON object per line

A payment is parked if it names no loan or another customer's, if its loan takes no payments, if it
may report one of our own debits, if it is more than ten times what the loan comes to, or if its
reference came before with another content.")]
pub(super) struct PaymentsArgs {
    /// The format of the list
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: LoanFormat,
    #[command(flatten)]
    pub(super) book: BookArgs,
}

/// The command line of `loans post`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans post PAY-17 --to L-1 --note \"named the wrong loan\" \\
      --config lender.toml
  lendwright service loans post PAY-17 --content 9f31 --to L-1 \\
      --note \"by e-mail\" --config lender.toml
      where several payments of this reference are parked

Post a payment only if the money is yours and is not one of your own debits: it counts as paid by the
customer. One that names another customer, or is more than ten times what the loan comes to, needs
--sure.")]
pub(super) struct PostArgs {
    #[command(flatten)]
    pub(super) payment: PaymentArgs,
    /// The loan: its id, the reference of its offer request or of its acceptance, or its number in the book
    #[arg(long, value_name = "ID")]
    pub(super) to: String,
    /// Post it although it names another customer, or is out of proportion to the loan
    #[arg(long)]
    pub(super) sure: bool,
    #[command(flatten)]
    pub(super) person: PersonArgs,
    #[command(flatten)]
    pub(super) book: BookArgs,
}

/// The command line of `loans dismiss`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans dismiss PAY-17 --note \"not ours, sent back\" \\
      --config lender.toml")]
pub(super) struct DismissArgs {
    #[command(flatten)]
    pub(super) payment: PaymentArgs,
    #[command(flatten)]
    pub(super) person: PersonArgs,
    #[command(flatten)]
    pub(super) book: BookArgs,
}

/// Which payment.
#[derive(Debug, Clone, Args)]
pub(super) struct PaymentArgs {
    /// The reference of the payment, `paymentRef`
    #[arg(value_name = "PAYMENT")]
    reference: String,
    /// How the payment's content begins, as `service loans payments` shows it
    #[arg(long, value_name = "DIGITS", default_value = "", hide_default_value = true)]
    content: String,
}

impl PaymentArgs {
    fn find(&self, desk: &Desk) -> Result<PaymentRow, Failure> {
        let mut found = desk.book.list_parked(&self.reference).map_err(Failure::message)?;
        found.retain(|payment| payment.digest.starts_with(&self.content));
        let name = &self.reference;
        match (found.pop(), found.is_empty()) {
            (Some(payment), true) => Ok(payment),
            (Some(_), false) => Err(Failure::Message(format!(
                "`{name}`: several payments of this reference are parked; say which one by --content"
            ))),
            (None, _) => Err(Failure::Message(format!(
                "`{name}`: no such payment is parked; `lendwright service loans payments` shows them"
            ))),
        }
    }
}

/// How much of a content's digest is shown.
const SHOWN: usize = 8;

fn short_payment_digest(payment: &PaymentRow) -> &str {
    payment.digest.get(..SHOWN).unwrap_or(&payment.digest)
}

pub(super) fn print_parked_payments(args: &PaymentsArgs) -> Result<ExitCode, Failure> {
    let text = format_parked_payments(args, &Desk::open(&args.book)?)?;
    output::write_stdout_bytes(text.as_bytes())?;
    output::print_stderr_remark(if text.is_empty() { "no payment is parked\n" } else { "" });
    Ok(ExitCode::SUCCESS)
}

pub(super) fn format_parked_payments(args: &PaymentsArgs, desk: &Desk) -> Result<String, Failure> {
    let parked = desk.book.list_payments(None).map_err(Failure::message)?;
    Ok(match args.format {
        LoanFormat::Json => parked.iter().map(|payment| format!("{}\n", as_json(payment))).collect(),
        LoanFormat::Text if parked.is_empty() => String::new(),
        LoanFormat::Text => {
            let titles = ["payment", "content", "came", "for the loan", "customer", ">minor units", "because"];
            format_aligned_table(
                &titles,
                &parked.iter().map(|payment| parked_payment_line(payment, desk)).collect::<Vec<_>>(),
            )
        }
    })
}

fn parked_payment_line(payment: &PaymentRow, desk: &Desk) -> Vec<String> {
    vec![
        one_line(&payment.payment_ref),
        short_payment_digest(payment).to_owned(),
        desk.time.show(payment.received_at),
        one_line(&payment.loan_id),
        one_line(&payment.customer_id),
        payment.amount_minor.to_string(),
        payment.reason.clone().unwrap_or_default(),
    ]
}

fn as_json(payment: &PaymentRow) -> Json {
    json!({
        "payment_ref": payment.payment_ref, "content": payment.digest, "loan_id": payment.loan_id,
        "customer_id": payment.customer_id, "amount_minor": payment.amount_minor,
        "received_at": payment.received_at, "reason": payment.reason,
    })
}

pub(super) fn run_post_payment(args: &PostArgs) -> Result<ExitCode, Failure> {
    output::write_stdout_line(post_parked_payment(args, &Desk::open(&args.book)?)?)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn post_parked_payment(args: &PostArgs, desk: &Desk) -> Result<String, Failure> {
    let (payment, loan, person) = (args.payment.find(desk)?, desk.find(&args.to)?, args.person.person()?);
    if let Some(doubt) = doubt_posting(&payment, &loan).filter(|_| !args.sure) {
        return Err(Failure::Message(format!("{doubt}; nothing was done. If it is right all the same, add --sure")));
    }
    place_payment(&desk.book, &payment, Placing::Post(loan.id), &person, desk.at_now()).map_err(Failure::message)?;
    let after = desk.book.load_loan(loan.id).map_err(Failure::message)?.unwrap_or(loan);
    Ok(format!(
        "payment {}: posted to loan {}, which is {}, by {}",
        payment.payment_ref,
        after.id,
        format_state(after.loan.state),
        person.name
    ))
}

/// Why a payment probably does not belong to a loan.
fn doubt_posting(payment: &PaymentRow, loan: &LoanRow) -> Option<String> {
    if payment.customer_id != loan.customer_id {
        return Some(format!("the payment names another customer than loan {}", loan.id));
    }
    if is_out_of_proportion(loan, payment) {
        return Some(format!("the payment is more than ten times what loan {} comes to", loan.id));
    }
    None
}

pub(super) fn run_dismiss_payment(args: &DismissArgs) -> Result<ExitCode, Failure> {
    output::write_stdout_line(dismiss_parked_payment(args, &Desk::open(&args.book)?)?)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn dismiss_parked_payment(args: &DismissArgs, desk: &Desk) -> Result<String, Failure> {
    let (payment, person) = (args.payment.find(desk)?, args.person.person()?);
    place_payment(&desk.book, &payment, Placing::Dismiss, &person, desk.at_now()).map_err(Failure::message)?;
    Ok(format!("payment {}: dismissed, by {}", payment.payment_ref, person.name))
}
