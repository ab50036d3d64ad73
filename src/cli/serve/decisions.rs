//! What `[decisions]` adds to the service: the book of decisions, the shadows, reports on loans, and the interface for
//! the lender's own systems. Does what the library's parts do.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use super::super::api::{erase_old_decisions, limit_bodies, read_keys, read_named_columns};
use super::super::decision_book::open_book_with_vault;
use super::super::output::Failure;
use crate::api::{Api, ApiParts, BadLoanRule, LoanReports, RunningApi, Shadow, reload_policy};
use crate::decision_book::DecisionBook;
use crate::lender::config::DecisionSettings;
use crate::lender::process::{Daemon, Prepared};
use crate::lender::runner::{Clock, Vault};
use crate::provider::client::Client;
use crate::run::decision_pool::Bounds;
use crate::run::live_policy::LivePolicy;

/// How often loans are looked at. What becomes of them is a matter of days.
const REPORT_EVERY: Duration = Duration::from_secs(3_600);
/// The largest body of an application, as of `lendwright api`.
const BODY_BYTES_MAX: usize = 16_000_000;

/// What keeps decisions, before it is started. The database must outlive the runtime.
pub(super) struct DecisionService {
    api: Api,
    book: Option<DecisionBook>,
    shadows: Vec<Arc<LivePolicy>>,
    settings: DecisionSettings,
    reload_every: Duration,
}

/// What keeps decisions, while it runs.
pub(super) struct RunningDecisions {
    api: Api,
    running: Option<RunningApi>,
    tasks: JoinSet<()>,
}

impl DecisionService {
    /// Opens the book, and makes the service that decides and keeps; `provider` is where it pulls statements. `None`
    /// without `[decisions]`.
    pub(super) fn prepare(prepared: &mut Prepared, provider: Client) -> Result<Option<DecisionService>, Failure> {
        let settings = prepared.config.decisions.clone();
        if settings.book.is_none() && settings.api_address.is_none() {
            return Ok(None);
        }
        let vault: Arc<dyn Vault> = Arc::clone(&prepared.vault) as Arc<dyn Vault>;
        let book = settings.book.as_ref().map(|book| open_book_with_vault(book, vault, true)).transpose()?;
        let shadows = prepared.shadows.iter();
        let shadows = shadows.map(|(name, live)| Shadow { name: name.clone(), live: Arc::clone(live) }).collect();
        let policy = &prepared.config.policy;
        let threads = std::num::NonZeroUsize::new(policy.threads);
        let api = Api::new(ApiParts {
            live: Arc::clone(&prepared.live),
            keys: settings.api_keys_file.as_deref().map(read_keys).transpose()?,
            columns: read_named_columns(&[])?,
            bounds: Bounds { threads, waiting_max: policy.waiting_max },
            limits: limit_bodies(BODY_BYTES_MAX),
            book: book.clone(),
            shadows,
            sources: prepared.sources.clone(),
            provider: settings.api_address.map(|_| Arc::new(provider)),
        })
        .map_err(Failure::Message)?;
        prepared.keeper = book.as_ref().map(|_| Arc::new(api.clone()) as _);
        let shadows = prepared.shadows.iter().map(|(_, live)| Arc::clone(live)).collect();
        let reload_every = Duration::from_millis(policy.reload_ms);
        Ok(Some(DecisionService { api, book, shadows, settings, reload_every }))
    }

    /// The database of the book, to be kept until the runtime has ended.
    pub(super) fn keep_book(&self) -> Option<DecisionBook> {
        self.book.clone()
    }

    /// Starts it. Must be called inside a tokio runtime.
    pub(super) async fn start(self, daemon: &Daemon, clock: Clock) -> Result<RunningDecisions, Failure> {
        let DecisionService { api, book, shadows, settings, reload_every } = self;
        let running = match settings.api_address {
            Some(address) => Some(RunningApi::start(address, api.clone()).await.map_err(Failure::Message)?),
            None => None,
        };
        let mut tasks = JoinSet::new();
        shadows.into_iter().for_each(|live| drop(tasks.spawn(reload_policy(live, reload_every))));
        if let Some(book) = book {
            let rule = BadLoanRule { after_days: settings.bad_after_days, within_days: settings.bad_within_days };
            let reports = LoanReports { loans: daemon.loan_book().clone(), rule, zone: daemon.zone().clone(), clock };
            tasks.spawn(api.clone().report_loans(reports, REPORT_EVERY));
            if settings.keep_days > 0 {
                tasks.spawn(erase_old_decisions(book, settings.keep_days));
            }
        }
        Ok(RunningDecisions { api, running, tasks })
    }
}

impl RunningDecisions {
    /// The line about the interface; nothing without one.
    pub(super) fn describe(&self) -> String {
        let line = |running: &RunningApi| format!("{:<11}http://{}/v1/decisions\n", "decisions", running.address());
        self.running.as_ref().map_or(String::new(), line)
    }

    /// Ends it: after the service, so that what that decides last is still kept.
    pub(super) async fn stop(mut self) {
        self.tasks.abort_all();
        match self.running.take() {
            Some(running) => running.stop().await,
            None => self.api.close().await,
        }
    }
}

/// The lines of `describe_service` about `[decisions]`.
pub(super) fn describe_decision_settings(settings: &DecisionSettings) -> Vec<(&'static str, String)> {
    let book = settings.book.as_deref().map(Path::display).map(|book| ("book", format!("{book}; decisions are kept")));
    let shadows: Vec<&str> = settings.shadows.keys().map(String::as_str).collect();
    let shadows = (!shadows.is_empty()).then(|| ("shadows", shadows.join(", ")));
    book.into_iter().chain(shadows).collect()
}
