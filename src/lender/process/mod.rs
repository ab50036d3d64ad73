//! The lender's service as one process: from a configuration and a database to everything that runs, and to
//! its end. Knows nothing of arguments, of printing, or of which database it is.
//!
//! [`prepare_service`] checks all that a configuration names, [`Daemon::start`] starts it, [`Daemon::wait_for_failure`]
//! waits until it cannot go on, and [`Daemon::stop`] ends it.

mod blocking;
mod book;
mod clock;
mod observation;
mod observed_database;
mod pay_bill;
mod plan;
mod prepare;
mod referrals;
mod reload;
mod vault;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) use book::prepare_book;
pub(crate) use clock::{system_now, system_now_plus};
pub(crate) use plan::build_plan;
pub(crate) use prepare::{Prepared, connect_provider, prepare_desk, prepare_service};
pub(crate) use referrals::build_referral_desk;
pub(crate) use reload::describe_policies;
pub(crate) use vault::BookVault;

use self::blocking::run_blocking;
use self::observation::Observation;
use self::reload::Locale;
use crate::base::date::Zone;
use crate::base::digest::Hasher;
use crate::base::engine::describe_engine;
use crate::engine::decision::PolicyRecord;
use crate::lender::config::{Answers, Config, PolicySettings, StoreSettings, Verification};
use crate::lender::hosted::{BindError, ExtraRoutes, Hosted, Options, Running};
use crate::lender::loan_book::LoanBook;
use crate::lender::operations::{self, Pages, ReferralDesk};
use crate::lender::runner::{Clock, Decisions, LiveProvider, Runner, RunnerParts, Servicer, Vault};
use crate::lender::store::database::{Database, InstanceId};
use crate::lender::store::error::StoreError;
use crate::lender::webhooks::Receiver;
use crate::provider::wire::Settings;
use crate::run::decision_pool::{self, Bounds, Workers};

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// The database cannot be used, or another process serves from it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An address cannot be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The threads that decide cannot be started.
    #[error(transparent)]
    Workers(#[from] decision_pool::Error),
    /// A setting by which the endpoints cannot be served.
    #[error("{0}")]
    Setting(String),
}

/// The running service. Dropping it ends it at once.
pub(crate) struct Daemon {
    running: Running,
    runner: Runner,
    database: Arc<dyn Database>,
    works: Ending,
    reloads: Ending,
    watches: Ending,
    webhooks: Option<Ending>,
    failure: oneshot::Receiver<String>,
}

/// A task that ends with this value.
struct Ending(JoinHandle<()>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The system's clock, moved ahead if the configuration says so.
pub(crate) fn loan_clock(config: &Config) -> Clock {
    let clock_ahead = config.testing.clock_ahead.map_or(0, |ahead| ahead.milliseconds());
    Arc::new(move || system_now_plus(clock_ahead))
}

/// The book, and this process's registration as one that serves from it.
fn open_book(
    database: &Arc<dyn Database>,
    locale: &Locale,
    vault: &dyn Vault,
    settings: &StoreSettings,
) -> Result<(LoanBook, InstanceId), StoreError> {
    let book = LoanBook::open(Arc::clone(database), &random_text()?, system_now())?;
    let book = prepare_book(book, vault, settings)?;
    if let Some(at) = book.copied_at()? {
        return Err(StoreError::Unsuitable(format!(
            "it is a copy that `service backup` made at {at}, and what was sent since is not in it: run \
             `lendwright service loans restored` first"
        )));
    }
    book.check_seen()?;
    book.check_currency(locale.currency.numeric())?;
    book.set_zone(locale.zone.name())?;
    let instance = database.enlist(system_now().milliseconds())?;
    Ok((book, instance))
}

/// The threads that decide.
fn start_workers(policy: &PolicySettings) -> Result<Workers, StartError> {
    let threads = std::num::NonZeroUsize::new(policy.threads);
    Ok(Workers::new(Bounds { threads, waiting_max: policy.waiting_max })?)
}

impl Daemon {
    /// Starts the service on a database that has all migrations. Must be called inside a tokio runtime.
    ///
    /// `clock` is what time it is for loans.
    pub(crate) async fn start(
        prepared: Prepared,
        database: Arc<dyn Database>,
        clock: Clock,
    ) -> Result<Daemon, StartError> {
        let config = prepared.config;
        let workers = start_workers(&config.policy)?;
        let mut observation = Observation::new(prepared.sources.as_ref());
        let database = observation.observe_database(database);
        let Observation { registry, conditions, http, servicing, calls } = observation;
        let vault: Arc<dyn Vault> = prepared.vault;
        let (book, instance) = run_blocking(&database, {
            let (locale, vault, settings) = (prepared.locale.clone(), Arc::clone(&vault), config.store.clone());
            move |database| open_book(&database, &locale, &*vault, &settings)
        })
        .await?;
        let provider = LiveProvider {
            book: book.clone(),
            client: prepared.client.observed_by(Arc::new(calls.clone())),
            decisions: Decisions::new(Arc::clone(&prepared.live), workers),
            vault: Arc::clone(&vault),
            clock: Arc::clone(&clock),
            keeper: prepared.keeper,
            sources: prepared.sources,
            channel_terminal_id: config.provider.channel_terminal_id.clone(),
        };
        let runner = Runner::new(RunnerParts {
            book,
            vault,
            provider: Arc::new(provider),
            plan: Arc::new(build_plan(&config, prepared.locale.zone.clone())),
            texts: plan::build_texts(&config.messages),
            clock,
            instance,
            settings: plan::build_runner_settings(&config.calls),
            metrics: servicing,
            conditions: conditions.clone(),
        });
        let servicer = build_servicer(&config, &prepared.settings, &runner);
        let options = Options {
            settings: prepared.settings,
            currency: prepared.locale.currency,
            limits: config.limits.clone(),
            credentials: prepared.credentials,
            conditions,
        };
        let hosted = Hosted::new(options, Arc::new(servicer), http.clone()).map_err(StartError::Setting)?;
        record_start(&database, runner.book().clone(), &prepared.live.in_force()).await?;
        let bills = prepared.bills.map(|client| client.observed_by(calls.of_bills()));
        let receiver = bills.map(|client| pay_bill::build_receiver(&config.pay_bill, client, runner.book()));
        let receiver = receiver.transpose().map_err(|error| StartError::Setting(error.to_string()))?;
        let desk = referrals::build_service_desk(&config, Arc::clone(runner.vault()), Arc::clone(&prepared.live));
        let extra = build_extra_routes(&config, &runner, desk, receiver.as_ref())?;
        let running = Running::start_with(&config, hosted, http, Arc::new(registry), extra).await?;
        let checks_every = Duration::from_millis(config.pay_bill.check_every_ms);
        let webhooks =
            receiver.map(|receiver| Ending(tokio::spawn(pay_bill::check_waiting_events(receiver, checks_every))));
        let patience = Duration::from_millis(config.limits.shutdown_timeout_ms);
        let works = tokio::spawn({
            let runner = runner.clone();
            async move { runner.run(patience).await }
        });
        let every = Duration::from_millis(config.policy.reload_ms);
        let reloads = reload::reload_policy(prepared.live, runner.clone(), every, prepared.locale);
        let (sender, failure) = oneshot::channel();
        let watches = watch::watch_database(Arc::clone(&database), runner.clone(), sender);
        let (reloads, watches) = (Ending(tokio::spawn(reloads)), Ending(tokio::spawn(watches)));
        Ok(Daemon { running, runner, database, works: Ending(works), reloads, watches, webhooks, failure })
    }

    /// The book of its loans.
    pub(crate) fn loan_book(&self) -> &LoanBook {
        self.runner.book()
    }

    /// The time zone of its loans.
    pub(crate) fn zone(&self) -> &Zone {
        &self.runner.plan().zone
    }

    /// The running endpoints.
    pub(crate) fn running(&self) -> &Running {
        &self.running
    }

    /// Waits until the service cannot go on, and returns why.
    pub(crate) async fn wait_for_failure(&mut self) -> String {
        tokio::select! {
            _ = &mut self.works.0 => "the work on loans ended, which is a bug; please report it".to_owned(),
            why = &mut self.failure => {
                why.unwrap_or_else(|_| "the watch on the database ended, which is a bug; please report it".to_owned())
            }
        }
    }

    /// Stops: accepts nothing more, lets running requests and steps end within `limits.shutdown_timeout_ms`, and gives
    /// the database free for the next process.
    pub(crate) async fn stop(mut self) -> Result<(), StoreError> {
        drop((self.reloads, self.watches, self.webhooks));
        self.runner.stop();
        let worked = async {
            // It may have ended before.
            if !self.works.0.is_finished() {
                let _ = (&mut self.works.0).await;
            }
        };
        tokio::join!(self.running.shutdown(), worked);
        run_blocking(&self.database, |database| database.withdraw()).await
    }
}

/// Notes in the audit that this program serves by these policies.
async fn record_start(
    database: &Arc<dyn Database>,
    book: LoanBook,
    policies: &[PolicyRecord],
) -> Result<(), StoreError> {
    let policies = reload::policies_as_json(policies);
    let started = json!({ "engine": describe_engine(), "policies": policies });
    run_blocking(database, move |_| {
        book.record_event(system_now(), "service", "started", &started)?;
        book.note_seen()
    })
    .await
}

/// What is served besides the endpoints: webhooks, and pages for people.
fn build_extra_routes(
    config: &Config,
    runner: &Runner,
    desk: ReferralDesk,
    receiver: Option<&Receiver>,
) -> Result<ExtraRoutes, StoreError> {
    let pages = operations::build_routes(Pages {
        book: runner.book().clone(),
        plan: Arc::clone(runner.plan()),
        clock: runner.clock(),
        desk,
        has_actions: config.operations.actions,
    })?;
    Ok(ExtraRoutes { webhooks: receiver.map(Receiver::router), pages })
}

/// The lender behind the endpoints.
fn build_servicer(config: &Config, settings: &Settings, runner: &Runner) -> Servicer {
    Servicer {
        runner: runner.clone(),
        answer_within: match config.answers.offers {
            Answers::Now => Duration::from_millis(config.answers.deadline_ms),
            Answers::Later => Duration::ZERO,
        },
        loans_max: config.acceptance.open_loans_max.into(),
        verify_within: match config.acceptance.verify_account {
            Verification::Now => Duration::from_millis(config.acceptance.deadline_ms),
            Verification::Later => Duration::ZERO,
        },
        amount_unit: settings.lender.amount_unit,
    }
}

/// A random text.
pub(crate) fn random_text() -> Result<String, StoreError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| StoreError::Unavailable(format!("the system has no random numbers: {error}")))?;
    Ok(Hasher::new().update(&bytes).finish().to_string())
}
