//! The loan book of a configuration, opened for a command. Knows nothing of what is done with it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tokio::runtime::Runtime;

use crate::base::time::Timestamp;
use crate::cli::connection::read_settings;
use crate::cli::output::Failure;
use crate::cli::serve::{database, listed, read, variable};
use crate::lender::config::Config;
use crate::lender::loan::Plan;
use crate::lender::loan_book::{LoanBook, LoanRow};
use crate::lender::operations::{Answer, Asks, LocalTime};
use crate::lender::process;
use crate::lender::runner::Vault;
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
    pub(crate) plan: Plan,
    pub(crate) time: LocalTime,
    pub(crate) now: Timestamp,
}

impl Desk {
    /// Opens the book. It must exist: a command on loans makes no database.
    pub(crate) fn open(args: &BookArgs) -> Result<Desk, Failure> {
        let path = &args.config;
        let config = read(path)?;
        if let Some(file) = config.store.path.as_ref().filter(|file| !file.exists()) {
            let problem = format!("there is no database `{}` yet; `lendwright serve` makes it", file.display());
            return Err(Failure::Message(problem));
        }
        let opened = database::open(&config.store, &variable)
            .map_err(|error| format!("{}: `store`: {error}", path.display()))?;
        let now = process::ahead(config.testing.clock_ahead.map_or(0, |ahead| ahead.milliseconds()));
        let book = LoanBook::open(opened.database, &process::chance().map_err(Failure::message)?, now);
        let book = book.map_err(Failure::message)?;
        let zone = book.zone().map_err(Failure::message)?;
        let prepared = process::for_people(&config, zone.as_deref());
        let (vault, zone) = prepared.map_err(|mistakes| listed(path, &mistakes))?;
        Ok(Desk {
            book,
            vault: Arc::new(vault),
            time: LocalTime(zone.clone()),
            plan: process::plan(&config, zone),
            now,
        })
    }

    /// A loan by any of its names.
    pub(crate) fn find(&self, name: &str) -> Result<LoanRow, Failure> {
        self.book.find(name).map_err(Failure::message)?.ok_or_else(|| {
            let problem = "no loan has this id, reference or number; `lendwright service loans list` shows them";
            Failure::Message(format!("`{name}`: {problem}"))
        })
    }
}

/// The provider of a configuration, and a runtime to ask it.
pub(crate) fn provider(args: &BookArgs) -> Result<(Runtime, Client), Failure> {
    let path = &args.config;
    let config: Config = read(path)?;
    let settings = match &config.provider.settings {
        Some(path) => read_settings(path),
        None => Ok(Settings::default()),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime for calls: {error}"))?;
    let client = runtime
        .block_on(process::provider(&config, settings, &variable))
        .map_err(|mistakes| listed(path, &mistakes))?;
    Ok((runtime, client))
}

/// Asks the provider about a transaction of money.
pub(super) fn ask(args: &BookArgs, transaction: &str, loan: &str) -> Result<Answer, Failure> {
    let (runtime, client) = provider(args)?;
    Ok(runtime.block_on(client.ask(transaction, loan)))
}
