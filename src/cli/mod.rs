//! Floor 5: the command line, one file per command. Knows nothing that a user of the library would need.

pub mod audit;
mod backtest;
pub mod backup;
pub mod batch;
pub mod bill;
pub mod check;
pub mod columns;
mod completions;
pub mod connection;
pub mod decide;
pub mod demo;
pub mod diff;
pub mod excerpt;
mod explain;
pub mod export;
pub mod fmt;
pub mod generate;
pub mod import;
pub mod iqr;
pub mod learn;
mod lending;
pub mod loans;
pub mod lsp;
pub mod metrics;
pub mod pull;
pub mod reconcile;
pub mod records;
pub mod replay;
pub mod sandbox;
pub mod schema;
pub mod send;
pub mod serve;
pub mod sweep;
mod table;
pub mod test;

mod changes;
pub mod diagnostics;
mod distinct;
mod exit_status;
pub mod input;
mod ledger;
mod logging;
pub mod nearest;
mod output;
mod people;
mod policy_report;
mod portfolio;
mod sarif;
mod shipped;
mod signals;
mod table_file;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use output::Failure;

/// Bank statements in, loan offers out.
///
/// A policy is a TOML file that says what is computed from a statement, what is required, how it scores, and what is
/// offered. The same statement, policy, parameters, request and day give the same decision, to the byte.
#[derive(Debug, Parser)]
#[command(
    name = "lendwright",
    version = VERSION,
    after_help = "\
Begin here:
  lendwright demo
      the whole path in one screen, against a simulated provider on this machine
  lendwright generate --out statements
  lendwright decide --policy rules/starter.toml --as-of 2026-10-31 statements/*.json

Exit status: 0 done, whatever the decision; 1 the input or a file is invalid; 2 wrong usage; 3
some items of a batch failed and are listed; 129, 130, 143 ended by a hangup, an interrupt, a
request to terminate. `requery` and `bill confirm` have further statuses: see their help. Results
go to standard output, everything else to standard error."
)]
struct Cli {
    #[command(flatten)]
    log: logging::LogArgs,
    #[command(subcommand)]
    command: Command,
}

/// The version, with the commit of the build if it is known.
const VERSION: &str = env!("LENDWRIGHT_VERSION");

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the whole path, from offer request to offers, against a simulated provider
    Demo(demo::DemoArgs),
    /// Decide statements: one JSON line each, with reasons, score and offers
    Decide(decide::DecideArgs),
    /// Decide many statements into a folder: any number of files and tables, resumable
    Batch(batch::BatchArgs),
    /// Look at an export once and write its columns file
    Columns(columns::ColumnsArgs),
    /// Compute the metrics of statements: one row each
    Metrics(metrics::MetricsArgs),
    /// Count what a policy would have done on a portfolio, and what a change changes
    Backtest(backtest::BacktestArgs),
    /// Find the smallest change of metrics that makes an offer
    Nearest(nearest::NearestArgs),
    /// Propose a scorecard from metrics and outcomes; nothing applies it by itself
    Learn(learn::LearnArgs),
    /// Count what a policy does over a range of its parameters
    Sweep(sweep::SweepArgs),
    /// Show what a policy finds in each record, and why: one row each
    Records(records::RecordsArgs),
    /// Explain how a decision was made, rule by rule
    Explain(explain::ExplainArgs),
    /// Check rule files and show every mistake
    Check(check::CheckArgs),
    /// Describe what changed between two policies
    Diff(diff::DiffArgs),
    /// Format rule files; comments and meaning stay the same
    Fmt(fmt::FmtArgs),
    /// Write the JSON Schema of rule files or cases files, for editors
    Schema(schema::SchemaArgs),
    /// Serve editors over the Language Server Protocol: mistakes as you type, hover, completion, rename
    Lsp(lsp::LspArgs),
    /// Turn decision models of other tools into rule files
    Import(import::ImportArgs),
    /// Edit decision tables and scorecards in a spreadsheet: export to .xlsx or .csv, import the edited file
    Table(table::TableArgs),
    /// Run the cases beside rule files, and list what they do not cover
    Test(test::TestArgs),
    /// Repeat a recorded decision and compare it byte by byte
    Replay(replay::ReplayArgs),
    /// Pull a customer's statement from the provider (E2)
    Pull(pull::PullArgs),
    /// Send a decision's offers to the provider (E3)
    Send(send::SendArgs),
    /// Ask for offers as a customer does (E1)
    Offers(lending::OffersArgs),
    /// Accept an offer for a customer (E4)
    Accept(lending::AcceptArgs),
    /// Ask whether an account exists, and whose it is (E5)
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
    /// Run the simulated provider until it is interrupted
    Sandbox(sandbox::SandboxArgs),
    /// Serve the lender's endpoints, and carry loans from the offer to the last payment
    Serve(serve::ServeArgs),
    /// List and show the service's loans, and decide what waits for a person
    Loans(loans::LoansArgs),
    /// Compare the record with the provider, day by day (E9)
    Reconcile(reconcile::ReconcileArgs),
    /// Check that nobody has changed the audit
    Audit(audit::AuditArgs),
    /// Copy the service's database to a new file, and check the copy
    Backup(backup::BackupArgs),
    /// Export loans, transactions of money, payments, messages and the audit as tables
    Export(export::ExportArgs),
    /// Write realistic statements from a seed
    Generate(generate::Args),
    /// Write completions for a shell
    Completions(completions::CompletionsArgs),
    /// Write the manual pages
    Man(completions::ManArgs),
}

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    // Wrong usage ends here, with status 2 and help on standard error.
    run_parsed(Cli::parse())
}

/// Runs the program and returns its exit status. The first argument is the program's name.
pub fn run_with(arguments: impl IntoIterator<Item = String>) -> u8 {
    let status = run_parsed(Cli::parse_from(arguments));
    // A status has no other way to become a number.
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == status).unwrap_or(u8::MAX)
}

fn run_parsed(mut cli: Cli) -> ExitCode {
    if matches!(&cli.command, Command::Serve(args) if args.serves()) {
        // Nobody watches a service: it logs without being asked.
        cli.log.verbose = cli.log.verbose.max(1);
    }
    cli.log.apply();
    match dispatch(cli.command) {
        Ok(status) => status,
        Err(Failure::Message(message)) => {
            output::complain(message);
            ExitCode::FAILURE
        }
        Err(Failure::Shown) => ExitCode::FAILURE,
        Err(Failure::ReaderGone) => ExitCode::SUCCESS,
    }
}

/// The columns file that ships under this name.
pub fn shipped_columns(name: &str) -> Option<&'static str> {
    shipped::columns(name)
}

/// The parameters of a policy as people write them: name, value in force, the least and the most.
pub fn parameters_in_words(policy: &crate::rules::Policy) -> Vec<policy_report::InWords> {
    policy_report::parameters_in_words(policy)
}

fn dispatch(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Demo(args) => demo::run(&args),
        Command::Decide(args) => decide::run(&args),
        Command::Batch(args) => batch::run(&args),
        Command::Columns(args) => columns::run(&args),
        Command::Metrics(args) => metrics::run(&args),
        Command::Backtest(args) => backtest::run(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Nearest(args) => nearest::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Records(args) => records::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Table(args) => table::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Pull(args) => pull::run(args),
        Command::Send(args) => send::run(args),
        Command::Offers(args) => lending::offers(args),
        Command::Accept(args) => lending::accept(args),
        Command::VerifyAccount(args) => lending::verify_account(args),
        Command::Fund(args) => lending::fund(args),
        Command::Sms(args) => lending::sms(args),
        Command::Debit(args) => lending::debit(args),
        Command::Requery(args) => lending::requery(args),
        Command::Iqr(args) => iqr::run(args),
        Command::Bill(args) => bill::run(args),
        Command::Sandbox(args) => sandbox::run(args, people::statements),
        Command::Serve(args) => serve::run(&args),
        Command::Loans(args) => loans::run(&args),
        Command::Reconcile(args) => reconcile::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Backup(args) => backup::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Generate(args) => Ok(generate::run(&args)?),
        Command::Completions(args) => completions::completions(&args, Cli::command()),
        Command::Man(args) => completions::man(&args, Cli::command()),
    }
}
