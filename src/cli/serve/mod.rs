//! `serve`: the lender's service, from its configuration file until it is asked to stop. Does what the library's parts
//! do; prints what is served.

pub(crate) mod database;
mod decisions;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::connection::read_settings;
use super::output::{self, Failure};
use super::signals::{Signal, Signals};
use crate::lender::config::{Config, ConfigMistake};
use crate::lender::process::{self, Daemon, Prepared};
use crate::provider::wire::Settings;
use database::Opened;
use decisions::{DecisionService, RunningDecisions, describe_decision_settings};

/// The configuration with every key, its default, and what it means.
const SAMPLE: &str = include_str!("../../../docs/guides/serve.toml");

/// The command line of `serve`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright serve --sample > lender.toml
      a configuration with every key, to be filled in
  lendwright serve --config lender.toml --init
      makes the database, once: a later start never makes one, so that a lost database does not
      become an empty one
  lendwright serve --config lender.toml --check
      checks the file and everything it names, and shows what would be served
  lendwright serve --config lender.toml
      serves until it is interrupted

The service answers the provider's requests, decides, pays out, collects and notifies. It logs to
standard error; `--log-format json` makes that one JSON object per line. SIGTERM and SIGINT stop
it: it takes no more requests, lets running ones end, and exits with 0. A second signal ends it at
once; the next start finds out what became of every call. A mistake in the configuration, a
database that fails for good, or a lost lease ends it with 1.")]
pub struct ServeArgs {
    /// The configuration, a TOML file. Relative paths in it count from its folder
    #[arg(long, value_name = "FILE", required_unless_present = "sample")]
    pub config: Option<PathBuf>,
    /// Check the configuration and everything it names, show what would be served, and serve nothing
    #[arg(long, requires = "config")]
    pub check: bool,
    /// Make the database, which is new and empty, and serve nothing
    #[arg(long, requires = "config", conflicts_with = "check")]
    pub init: bool,
    /// Print a configuration with every key, its default and what it means
    #[arg(long, conflicts_with_all = ["config", "check", "init"])]
    pub sample: bool,
}

impl ServeArgs {
    /// Whether the command runs until it is stopped, and so logs.
    pub(super) fn serves(&self) -> bool {
        !self.sample && !self.check && !self.init
    }
}

/// Serves until a signal.
pub fn run(args: &ServeArgs) -> Result<ExitCode, Failure> {
    let Some(path) = &args.config else {
        output::write_stdout_bytes(SAMPLE.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    };
    let config = read_service_config(path)?;
    if args.init {
        return make_database(&config, path);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime for the service: {error}"))?;
    let settings = match &config.provider.settings {
        Some(path) => read_settings(path),
        None => Ok(Settings::default()),
    };
    let store = config.store.clone();
    let prepared = runtime.block_on(process::prepare_service(config, settings, &environment_variable));
    if args.check {
        let examined = database::examine_named_database(&store, &environment_variable);
        return report_service_check(prepared, examined, path);
    }
    let mut prepared = prepared.map_err(|mistakes| list_config_mistakes(path, &mistakes))?;
    let Opened { database, name } = database::open_named_database(&store, &environment_variable)
        .map_err(|error| format!("{}: `store`: {error}", path.display()))?;
    let provider = process::connect_provider(&prepared.config, Ok(prepared.settings.clone()), &environment_variable);
    let provider = runtime.block_on(provider).map_err(|mistakes| list_config_mistakes(path, &mistakes))?;
    let decisions = DecisionService::prepare(&mut prepared, provider)?;
    // A connection to PostgreSQL must not end inside the runtime, so these outlive it.
    let kept = (Arc::clone(&database), decisions.as_ref().map(DecisionService::keep_book));
    let served = runtime.block_on(async {
        // Before anything starts, so that no signal is missed.
        let mut signals = Signals::new().map_err(|error| format!("cannot wait for signals: {error}"))?;
        let about = describe_service(&prepared, &name);
        let clock = process::loan_clock(&prepared.config);
        let daemon = Daemon::start(prepared, database, Arc::clone(&clock)).await.map_err(Failure::message)?;
        let decisions = match decisions {
            Some(decisions) => Some(decisions.start(&daemon, clock).await?),
            None => None,
        };
        let more = decisions.as_ref().map_or(String::new(), RunningDecisions::describe);
        output::write_stdout_bytes(introduce_service(&daemon, &about, &more).as_bytes())?;
        until_stopped(daemon, decisions, &mut signals).await
    });
    // What still runs now has had its time.
    runtime.shutdown_timeout(Duration::from_millis(100));
    drop(kept);
    served
}

fn make_database(config: &Config, path: &Path) -> Result<ExitCode, Failure> {
    let made = database::make_named_database(&config.store, &environment_variable)
        .map_err(|error| format!("{}: `store`: {error}", path.display()))?;
    output::write_stdout_line(format!("made {made}, without any loan; start without `--init` from now on"))?;
    Ok(ExitCode::SUCCESS)
}

async fn until_stopped(
    mut daemon: Daemon,
    decisions: Option<RunningDecisions>,
    signals: &mut Signals,
) -> Result<ExitCode, Failure> {
    let failed = tokio::select! {
        signal = signals.next() => {
            tracing::info!(signal = signal_name(signal), "stopping: running requests and steps end");
            None
        }
        why = daemon.wait_for_failure() => {
            tracing::error!("stopping: {why}");
            Some(why)
        }
    };
    tokio::select! {
        stopped = stop_all(daemon, decisions) => stopped?,
        signal = signals.next() => return Ok(ExitCode::from(signal.status())),
    }
    tracing::info!("stopped");
    match failed {
        None => Ok(ExitCode::SUCCESS),
        Some(why) => Err(Failure::Message(why)),
    }
}

/// What decides last is still kept.
async fn stop_all(daemon: Daemon, decisions: Option<RunningDecisions>) -> Result<(), Failure> {
    let stopped = daemon.stop().await.map_err(Failure::message);
    if let Some(decisions) = decisions {
        decisions.stop().await;
    }
    stopped
}

fn signal_name(signal: Signal) -> &'static str {
    match signal {
        Signal::Hangup => "SIGHUP",
        Signal::Interrupt => "SIGINT",
        Signal::Terminate => "SIGTERM",
    }
}

pub(crate) fn environment_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Reads a configuration file. Its relative paths count from its folder.
pub(crate) fn read_service_config(path: &Path) -> Result<Config, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let config = Config::read(&text).map_err(|mistakes| list_config_mistakes(path, &mistakes))?;
    Ok(config.below(path.parent().unwrap_or(Path::new(""))))
}

pub(crate) fn list_config_mistakes(path: &Path, mistakes: &[ConfigMistake]) -> String {
    let line = |mistake: &ConfigMistake| format!("  {}", mistake.to_string().replace('\n', "\n    "));
    let lines: Vec<String> = mistakes.iter().map(line).collect();
    let count = if mistakes.len() == 1 { "1 mistake".to_owned() } else { format!("{} mistakes", mistakes.len()) };
    format!("{}: {count}\n{}", path.display(), lines.join("\n"))
}

fn report_service_check(
    prepared: Result<Prepared, Vec<ConfigMistake>>,
    examined: Result<String, String>,
    path: &Path,
) -> Result<ExitCode, Failure> {
    let (prepared, mut mistakes) = match prepared {
        Ok(prepared) => (Some(prepared), Vec::new()),
        Err(mistakes) => (None, mistakes),
    };
    let store =
        examined.map_err(|error| mistakes.push(ConfigMistake::new("store", format!("cannot be used: {error}"))));
    match (prepared, store) {
        (Some(prepared), Ok(store)) => {
            let (listen, operations) = configured_addresses(&prepared.config);
            output::write_stdout_bytes(
                format_served_addresses(&listen, &operations, &describe_service(&prepared, &store)).as_bytes(),
            )?;
            Ok(ExitCode::SUCCESS)
        }
        _ => Err(Failure::Message(list_config_mistakes(path, &mistakes))),
    }
}

fn configured_addresses(config: &Config) -> (String, String) {
    let operations =
        if config.operations.on_listen_address { config.listen.address } else { config.operations.address };
    (config.listen.address.to_string(), operations.to_string())
}

/// What is served, apart from where.
fn describe_service(prepared: &Prepared, store: &str) -> Vec<(&'static str, String)> {
    let encryption = match prepared.config.store.encryption {
        crate::lender::config::Encryption::Keys => "personal data is encrypted",
        crate::lender::config::Encryption::None => "personal data is stored readable",
    };
    let mut about = vec![
        ("store", format!("{store}; {encryption}")),
        ("policy", process::describe_policies(&prepared.live.in_force())),
        ("loans", format!("{}, {}", prepared.locale.currency.alphabetic(), prepared.locale.zone.name())),
        ("provider", prepared.settings.base_url.clone()),
    ];
    about.extend(describe_decision_settings(&prepared.config.decisions));
    about
}

fn introduce_service(daemon: &Daemon, about: &[(&'static str, String)], more: &str) -> String {
    let running = daemon.running();
    let (listen, operations) = (running.address().to_string(), running.operations_address().to_string());
    format!("{}{more}ctrl-c or SIGTERM stops it\n", format_served_addresses(&listen, &operations, about))
}

fn format_served_addresses(listen: &str, operations: &str, about: &[(&'static str, String)]) -> String {
    let mut text = format!("{:<11}http://{listen}\n{:<11}http://{operations}\n", "endpoints", "operations");
    for (name, value) in about {
        text.push_str(&format!("{name:<11}{value}\n"));
    }
    text
}
