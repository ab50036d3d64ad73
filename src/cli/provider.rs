//! `provider`: every call to the provider, one subcommand each.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::output::Failure;
use super::{bill, iqr, lending, pull, send};

/// The command line of `provider`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lendwright provider pull REF-1 --settings provider.toml
      writes the statement to REF-1.json
  lendwright provider send decision.json --settings provider.toml --dry-run
      prints the exact request and sends nothing
  lendwright sandbox
      runs a simulated provider on this machine, to call without risk

Codes in brackets, such as E2, are the names of the calls in docs/reference/interface.md. Each
command also works without `provider`: `lendwright pull REF-1`.")]
pub(super) struct ProviderArgs {
    #[command(subcommand)]
    call: ProviderCall,
}

#[derive(Debug, Subcommand)]
enum ProviderCall {
    /// Ask for offers as a customer does (E1)
    Offers(lending::OffersArgs),
    /// Pull a customer's statement (E2)
    Pull(pull::PullArgs),
    /// Send a decision's offers (E3)
    Send(send::SendArgs),
    /// Accept an offer for a customer (E4)
    Accept(lending::AcceptArgs),
    /// Ask whether an account exists, and who owns it (E5)
    VerifyAccount(lending::VerifyAccountArgs),
    /// Pay out a loan, at most once (E6)
    Fund(lending::FundArgs),
    /// Send a customer a message about a loan (E7)
    Sms(lending::SmsArgs),
    /// Collect a payment from a customer, at most once (E8)
    Debit(lending::DebitArgs),
    /// Ask what became of a payout or a collection (E9)
    Requery(lending::RequeryArgs),
    /// Issue iQR codes: validate a card, request, link (I1 to I5)
    Iqr(iqr::IqrArgs),
    /// Make a link for a payment, and confirm that it was paid (P1, P2)
    Bill(bill::BillArgs),
}

/// Makes the call.
pub(super) fn run(args: ProviderArgs) -> Result<ExitCode, Failure> {
    match args.call {
        ProviderCall::Offers(args) => lending::request_offers(args),
        ProviderCall::Pull(args) => pull::run(args),
        ProviderCall::Send(args) => send::run(args),
        ProviderCall::Accept(args) => lending::accept_offer_as_customer(args),
        ProviderCall::VerifyAccount(args) => lending::verify_account(args),
        ProviderCall::Fund(args) => lending::pay_out_loan(args),
        ProviderCall::Sms(args) => lending::send_customer_sms(args),
        ProviderCall::Debit(args) => lending::collect_payment(args),
        ProviderCall::Requery(args) => lending::requery_transaction(args),
        ProviderCall::Iqr(args) => iqr::run(args),
        ProviderCall::Bill(args) => bill::run(args),
    }
}
