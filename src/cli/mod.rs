//! The command line, one file per command. Knows nothing that a user of the library would need.

pub mod api;
pub mod audit;
mod backtest;
pub mod backup;
pub mod batch;
pub mod bill;
pub mod check;
mod column_table;
pub mod columns;
mod command_groups;
mod completions;
pub mod connection;
pub mod corrections;
mod csv_notation;
pub mod decide;
mod decision_book;
mod decisions;
pub mod demo;
pub mod diff;
pub mod excerpt;
mod explain;
pub mod export;
pub mod fmt;
mod former_names;
pub mod generate;
mod help_paragraphs;
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

pub mod arms;
mod changes;
pub mod diagnostics;
mod distinct;
mod exit_status;
pub mod input;
mod ledger;
mod logging;
pub mod nearest;
mod output;
mod overwriting;
mod people;
pub mod performance;
mod policy_report;
mod portfolio;
mod provider;
mod sarif;
mod service;
mod shipped;
mod signals;
mod table_file;
mod welcome;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::base::engine::name_time_zones;
use output::Failure;

/// Bank statements in, loan offers out.
///
/// A policy is a TOML file that says what is computed from a statement, what is required, how it scores, and what is
/// offered. The same statement, policy, parameters, request and day give the same decision, to the byte.
#[derive(Debug, Parser)]
#[command(name = "lendwright", version = VERSION, long_version = LONG_VERSION.as_str())]
struct Cli {
    #[command(flatten)]
    log: logging::LogArgs,
    #[command(subcommand)]
    command: Command,
}

/// The version, with the commit of the build if it is known.
const VERSION: &str = env!("LENDWRIGHT_VERSION");

/// The version as scripts read it, and on a line of its own the release of the time zones.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| format!("{VERSION}\ntime zones {}", name_time_zones()));

const EXIT_STATUS: &str = "\
Exit status: 0 done, whatever the decision; 1 the input or a file is invalid;
2 wrong usage; 3 some items of a batch failed and are listed; 129, 130, 143
ended by a hangup, an interrupt, a request to terminate. `provider requery` and
`provider bill confirm` have further statuses: see their help. Results go to
standard output, everything else to standard error.";

// In the order of the groups in `command_groups`. The first paragraph of each description is one line of
// `lendwright --help`.
#[derive(Debug, Subcommand)]
enum Command {
    /// Show the whole path, from request to offers, on this machine
    Demo(demo::DemoArgs),
    /// Decide statements: one JSON line each, with reasons and offers
    Decide(decide::DecideArgs),
    /// Decide many files and tables into a folder, and resume if stopped
    Batch(batch::BatchArgs),
    /// Explain how a decision was made, rule by rule
    Explain(explain::ExplainArgs),
    /// Show what a policy finds in each record, and why: one row each
    Records(records::RecordsArgs),
    /// Show what each correction of records changes
    Corrections(corrections::CorrectionsArgs),
    /// Compute the metrics of statements: one row each
    Metrics(metrics::MetricsArgs),
    /// Look at an export once and write its columns file
    Columns(columns::ColumnsArgs),
    /// Check rule files and show every mistake
    Check(check::CheckArgs),
    /// Run the cases of rule files, and list what they do not cover
    Test(test::TestArgs),
    /// Describe what changed between two policies
    Diff(diff::DiffArgs),
    /// Format rule files; comments and meaning stay the same
    Fmt(fmt::FmtArgs),
    /// Edit decision tables and scorecards in a spreadsheet
    ///
    /// `export` writes them to .xlsx or .csv, and `import` reads the edited file back.
    Table(table::TableArgs),
    /// Turn decision models of other tools into rule files
    Import(import::ImportArgs),
    /// Write the JSON Schema of rule files or cases files, for editors
    Schema(schema::SchemaArgs),
    /// Serve editors over the Language Server Protocol
    ///
    /// Editors show mistakes as you type, descriptions on hover and completions, and rename metrics everywhere.
    Lsp(lsp::LspArgs),
    /// Count what a policy, or a change to it, does to a portfolio
    Backtest(backtest::BacktestArgs),
    /// Count what a policy does over a range of its parameters
    Sweep(sweep::SweepArgs),
    /// Find the smallest change of metrics that makes an offer
    Nearest(nearest::NearestArgs),
    /// Count how loans go bad, month by month
    Performance(performance::PerformanceArgs),
    /// Compare the champion's and the challenger's arm of a live split
    Arms(arms::ArmsArgs),
    /// Propose a scorecard from metrics and outcomes
    ///
    /// Nothing applies the proposal by itself.
    Learn(learn::LearnArgs),
    /// Repeat a recorded decision and compare it byte by byte
    Replay(replay::ReplayArgs),
    /// Call the provider: pull statements, send offers, pay out, collect
    Provider(provider::ProviderArgs),
    /// Run the simulated provider until it is interrupted
    Sandbox(sandbox::SandboxArgs),
    /// Run the lender's service, from the offer to the last payment
    ///
    /// It serves the lender's endpoints to the provider, and carries out what each loan needs next.
    Serve(serve::ServeArgs),
    /// Decide over HTTP: statements in, decisions out
    ///
    /// It runs on this machine with nothing but a policy, for programs in any language.
    Api(api::ApiArgs),
    /// Export, compare and erase the decisions that `api` keeps
    Decisions(decisions::DecisionsArgs),
    /// Look after the service: loans, reconciliation, audit, backup
    Service(service::ServiceArgs),
    /// Write realistic statements from a seed
    Generate(generate::Args),
    /// Write completions for a shell
    Completions(completions::CompletionsArgs),
    /// Write the manual pages
    Man(completions::ManArgs),
}

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    run_arguments(std::env::args_os().collect())
}

/// Runs the program and returns its exit status. The first argument is the program's name.
pub fn run_with(arguments: impl IntoIterator<Item = String>) -> u8 {
    let status = run_arguments(arguments.into_iter().map(OsString::from).collect());
    // A status has no other way to become a number.
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == status).unwrap_or(u8::MAX)
}

fn run_arguments(arguments: Vec<OsString>) -> ExitCode {
    if arguments.len() <= 1 {
        return welcome::run();
    }
    // Wrong usage ends here, with status 2 and the usage on standard error.
    let (cli, matches) = parse(arguments).unwrap_or_else(|error| error.exit());
    match overwriting::refuse_overwriting(&matches) {
        Ok(()) => run_parsed(cli),
        Err(refused) => exit_with(Err(refused)),
    }
}

/// The program as clap parses and describes it.
fn program() -> clap::Command {
    let program = Cli::command().after_help(format!(
        "{}\n`lendwright help COMMAND` shows the options and examples of a command.\n\n{EXIT_STATUS}",
        welcome::FIRST_STEPS
    ));
    command_groups::with_grouped_help(help_paragraphs::join_paragraph_lines(program))
}

fn parse(arguments: Vec<OsString>) -> Result<(Cli, clap::ArgMatches), clap::Error> {
    let mut program = program();
    let arguments = former_names::insert_group(arguments);
    let parsed =
        program.try_get_matches_from_mut(&arguments).and_then(|matches| match Cli::from_arg_matches(&matches) {
            Ok(cli) => Ok((cli, matches)),
            Err(error) => Err(error.format(&mut program)),
        });
    parsed.map_err(|error| former_names::suggest_moved(error, &arguments, &program))
}

fn run_parsed(mut cli: Cli) -> ExitCode {
    let serves = match &cli.command {
        Command::Serve(args) => args.serves(),
        Command::Api(args) => args.serves(),
        _ => false,
    };
    if serves {
        // Nobody watches a service: it logs without being asked.
        cli.log.verbose = cli.log.verbose.max(1);
    }
    cli.log.apply();
    exit_with(dispatch_command(cli.command))
}

fn exit_with(result: Result<ExitCode, Failure>) -> ExitCode {
    match result {
        Ok(status) => status,
        Err(Failure::Message(message)) => {
            output::print_error_message(message);
            ExitCode::FAILURE
        }
        Err(Failure::Shown) => ExitCode::FAILURE,
        Err(Failure::ReaderGone) => ExitCode::SUCCESS,
    }
}

/// The columns file that ships under this name.
pub fn shipped_columns(name: &str) -> Option<&'static str> {
    shipped::shipped_columns_file(name)
}

/// The parameters of a policy as people write them: name, value in force, the least and the most.
pub fn parameters_in_words(policy: &crate::rules::Policy) -> Vec<policy_report::InWords> {
    policy_report::parameters_in_words(policy)
}

fn dispatch_command(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Demo(args) => demo::run(&args),
        Command::Decide(args) => decide::run(&args),
        Command::Batch(args) => batch::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Records(args) => records::run(&args),
        Command::Corrections(args) => corrections::show_corrections(&args),
        Command::Metrics(args) => metrics::run(&args),
        Command::Columns(args) => columns::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Table(args) => table::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Backtest(args) => backtest::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Nearest(args) => nearest::run(&args),
        Command::Performance(args) => performance::run(&args),
        Command::Arms(args) => arms::run(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Provider(args) => provider::run(args),
        Command::Sandbox(args) => sandbox::run(args, people::statements_of_people),
        Command::Serve(args) => serve::run(&args),
        Command::Api(args) => api::serve_api(&args),
        Command::Decisions(args) => decisions::run_task(&args),
        Command::Service(args) => service::run(&args),
        Command::Generate(args) => Ok(generate::run(&args)?),
        Command::Completions(args) => completions::print_completions(&args, program()),
        Command::Man(args) => completions::write_manual_pages(&args, program()),
    }
}
