//! The loan book of a configuration, opened for a command. Knows nothing of what is done with it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tokio::runtime::Runtime;

use crate::base::time::Timestamp;
use crate::cli::connection::read_settings;
use crate::cli::output::{self, Failure};
use crate::cli::serve::{database, environment_variable, list_config_mistakes, read_service_config};
use crate::lender::config::Config;
use crate::lender::loan::{At, Plan};
use crate::lender::loan_book::{BookError, LoanBook, LoanRow};
use crate::lender::operations::{LocalTime, ProviderAnswer, ReferralDesk, TransactionLookup};
use crate::lender::process;
use crate::lender::runner::Vault;
use crate::lender::runner::call::TransactionQuery;
use crate::provider::client::Client;
use crate::provider::wire::Settings;

/// Which service's book.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Service")]
pub struct BookArgs {
    /// The configuration of the service, as `serve` reads it
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
}

/// The book, and what is needed to work on it.
pub(crate) struct Desk {
    pub(crate) book: LoanBook,
    pub(crate) vault: Arc<dyn Vault>,
    /// For decisions on referrals.
    pub(crate) referrals: ReferralDesk,
    pub(crate) plan: Plan,
    pub(crate) time: LocalTime,
    pub(crate) now: Timestamp,
}

impl Desk {
    /// Opens the book. It must exist: a command on loans makes no database.
    pub(crate) fn open(args: &BookArgs) -> Result<Desk, Failure> {
        let path = &args.config;
        let config = read_service_config(path)?;
        let opened = database::open_named_database(&config.store, &environment_variable)
            .map_err(|error| format!("{}: `store`: {error}", path.display()))?;
        let now = process::system_now_plus(config.testing.clock_ahead.map_or(0, |ahead| ahead.milliseconds()));
        let book = LoanBook::open(opened.database, &process::random_text().map_err(Failure::message)?, now);
        let book = book.map_err(Failure::message)?;
        let zone = book.load_zone().map_err(Failure::message)?;
        let prepared = process::prepare_desk(&config, zone.as_deref());
        let (vault, zone) = prepared.map_err(|mistakes| list_config_mistakes(path, &mistakes))?;
        let book = process::prepare_book(book, &vault, &config.store).map_err(Failure::message)?;
        let vault: Arc<dyn Vault> = Arc::new(vault);
        Ok(Desk {
            book,
            referrals: process::build_referral_desk(&config, Arc::clone(&vault)),
            vault,
            time: LocalTime(zone.clone()),
            plan: process::build_plan(&config, zone),
            now,
        })
    }

    /// This moment, and the settings of a loan's life.
    pub(crate) fn at_now(&self) -> At<'_> {
        self.plan.at(self.now)
    }

    /// A loan by any of its names.
    pub(crate) fn find(&self, name: &str) -> Result<LoanRow, Failure> {
        let of_name = |error| Failure::Message(format!("`{name}`: {error}"));
        let Some(row) = self.book.find_loan(name).map_err(of_name)? else {
            let problem = "no loan has this number, id or reference; `lendwright service loans list` shows them";
            return Err(Failure::Message(format!("`{name}`: {problem}")));
        };
        let is_other = row.id.to_string() == name
            && match self.book.find_referenced_loan(name) {
                Ok(other) => other.is_some_and(|other| other.id != row.id),
                Err(BookError::Conflict(_)) => true,
                Err(error) => return Err(of_name(error)),
            };
        if is_other {
            output::print_stderr_remark(format!(
                "note: this is loan {name}; another loan has `{name}` as its reference or id\n"
            ));
        }
        Ok(row)
    }
}

/// The provider of a configuration, and a runtime to ask it.
pub(crate) fn connect_to_provider(args: &BookArgs) -> Result<(Runtime, Client), Failure> {
    let path = &args.config;
    let config: Config = read_service_config(path)?;
    let settings = match &config.provider.settings {
        Some(path) => read_settings(path),
        None => Ok(Settings::default()),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime for calls: {error}"))?;
    let client = runtime
        .block_on(process::connect_provider(&config, settings, &environment_variable))
        .map_err(|mistakes| list_config_mistakes(path, &mistakes))?;
    Ok((runtime, client))
}

/// Asks the provider about a transaction of money.
pub(super) fn ask_about_transaction(args: &BookArgs, query: &TransactionQuery) -> Result<ProviderAnswer, Failure> {
    let (runtime, client) = connect_to_provider(args)?;
    Ok(runtime.block_on(client.look_up(query)))
}
