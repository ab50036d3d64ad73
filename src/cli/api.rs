//! `api`: decisions over HTTP until a signal stops it. Does what the library's parts do; prints what is served.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::connection::ConnectionArgs;
use super::decision_book::{BookKeysArgs, open_decision_book};
use super::diagnostics::DiagnosticFormat;
use super::input::{PolicyArgs, parse_parameter};
use super::output::{self, Failure};
use super::serve::list_config_mistakes;
use super::shipped;
use super::signals::Signals;
use crate::api::{Api, ApiKeys, ApiParts, RunningApi, Scope, Shadow, new_key, reload_policy};
use crate::base::time::{DAY, Timestamp};
use crate::decision_book::{DecisionBook, Erased};
use crate::lender::config::{ConfigMistake, LimitSettings, read_sources};
use crate::lender::process::{describe_policies, system_now};
use crate::lender::sources::Sources;
use crate::provider::client::Client;
use crate::rules::Policies;
use crate::run::decision_pool::{Bounds, count_threads};
use crate::run::files::read_columns;
use crate::run::live_policy::LivePolicy;
use crate::statement::Columns;

/// How often the files of the policy are compared with the one in force.
const RELOAD_EVERY: Duration = Duration::from_secs(2);

/// How often old decisions are erased.
const ERASE_EVERY: Duration = Duration::from_secs(3600);

/// How many requests wait for each thread by default: with more, each waits longer than it is worth.
const WAITING_PER_THREAD: usize = 4;

/// How many connections may be open: each may hold a body.
const CONNECTIONS_MAX: usize = 256;

/// How long a body may take, in milliseconds: one of 16 MB comes over a slow line.
const BODY_TIMEOUT_MS: u64 = 30_000;

/// The command line of `api`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright api --policy starter
      decisions on http://127.0.0.1:8080, for this machine; then, elsewhere:
  curl http://127.0.0.1:8080/v1/decisions -H 'content-type: text/csv' \\
      --data-binary @statement.csv
  lendwright api --new-key till --scopes decide >> keys.txt
      makes a key, which standard error shows once, and adds its line to a file
  lendwright api --policy rules/starter.toml --listen 0.0.0.0:8080 \\
      --keys keys.txt
      for callers elsewhere, who send `Authorization: Bearer KEY`; put TLS in front of it
  lendwright api --policy rules/salary/ --columns bank=bank.toml \\
      --queue 64 --body-limit 4
      a folder of versions, a columns file that requests may name, and narrower limits
  lendwright api --policy rules/starter.toml --book decisions.sqlite \\
      --book-keys book.keys --shadow strict=rules/strict.toml
      keeps every decision, and lets another policy decide in the shadow

Paths: POST /v1/decisions, /v1/explanations, /v1/metrics, /v1/records and /v1/batches; GET
/v1/policies, /v1/health, /v1/openapi.json and /metrics; with a book also GET /v1/decisions/ID and
POST /v1/outcomes. The answer to /v1/decisions is the line
that `lendwright decide` prints. An edited policy is in force a few seconds later; one with
mistakes changes nothing. SIGTERM and SIGINT stop the service: it lets running requests end, and
exits with 0. docs/guides/api.md shows the rest.")]
pub struct ApiArgs {
    /// The rule file, a folder with the versions of one policy, or the name of a policy that ships, such as `starter`
    #[arg(long, value_name = "FILE|FOLDER", required_unless_present = "new_key")]
    pub policy: Option<PathBuf>,
    /// Set a parameter of the policy to another value; may be given several times
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    pub parameters: Vec<(String, String)>,
    /// The address; one that others reach needs `--keys`, because a statement is private and whoever may ask is told
    /// what the policy says
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// A file of keys, a line each: name, scopes, SHA-256. Without it every program on this machine may ask
    #[arg(long, value_name = "FILE")]
    pub keys: Option<PathBuf>,
    /// A columns file that requests may name, besides those that ship; may be given several times
    #[arg(long = "columns", value_name = "NAME=FILE", value_parser = parse_named_file)]
    pub columns: Vec<(String, PathBuf)>,
    /// Keep every decision in this book before it is answered: a file of SQLite, made if there is none, or `postgres`
    /// for PostgreSQL, with its address in the environment variable LENDWRIGHT_BOOK_URL
    #[arg(long, value_name = "FILE|postgres")]
    pub book: Option<PathBuf>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub book_keys: BookKeysArgs,
    /// Let this policy decide too, in the shadow: its decisions are kept to be compared, and not answered; may be given
    /// several times
    #[arg(long = "shadow", value_name = "NAME=FILE", value_parser = parse_named_file, requires = "book")]
    pub shadows: Vec<(String, PathBuf)>,
    /// Ask the sources of this file, such as a bureau, for inputs that a policy declares and a request lacks
    #[arg(long, value_name = "FILE")]
    pub sources: Option<PathBuf>,
    /// Erase what is personal in decisions this many days after they were made; counts of them remain
    #[arg(long, value_name = "DAYS", requires = "book", value_parser = clap::value_parser!(u32).range(1..=36500))]
    pub keep_days: Option<u32>,
    /// Where the provider is that has the statements which applications name by `pull`
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// The largest body, and the longest line of a batch, in megabytes
    #[arg(long, value_name = "MB", default_value = "16", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub body_limit: u32,
    /// How many threads decide; by default one per core
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<NonZeroUsize>,
    /// How many requests may wait for a thread; further ones are refused at once with 503. By default 4 for each
    /// thread, so that what is taken is answered soon
    #[arg(long, value_name = "COUNT")]
    pub queue: Option<usize>,
    /// Make a key with this name: standard error shows it once, and standard output gets the line for `--keys`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["policy", "keys", "columns"])]
    pub new_key: Option<String>,
    /// What the new key may be used for: decide, explain, read
    #[arg(long, value_name = "SCOPE", value_delimiter = ',', value_parser = parse_scope, requires = "new_key")]
    pub scopes: Vec<&'static str>,
}

impl ApiArgs {
    /// Whether the command runs until it is stopped, and so logs.
    pub(super) fn serves(&self) -> bool {
        self.new_key.is_none()
    }
}

/// Serves until a signal.
pub fn serve_api(args: &ApiArgs) -> Result<ExitCode, Failure> {
    if let Some(name) = &args.new_key {
        return make_key(name, &args.scopes);
    }
    let Some(path) = &args.policy else { return Err(Failure::message("no policy; give `--policy FILE`")) };
    let keys = args.keys.as_deref().map(read_keys).transpose()?;
    if keys.is_none() && !args.listen.ip().is_loopback() {
        return Err(Failure::Message(format!(
            "`{}` can be reached from other machines, so callers need keys: give `--keys FILE`, which `lendwright api \
             --new-key NAME` helps to write; without keys listen on 127.0.0.1",
            args.listen
        )));
    }
    // Loaded by itself first, so that mistakes are shown as everywhere else.
    let parameters = args.parameters.clone();
    PolicyArgs { policy: path.clone(), parameters, format: DiagnosticFormat::Text }.load()?;
    let live = Arc::new(LivePolicy::load(path, &args.parameters).map_err(Failure::message)?);
    let limits = limit_bodies(args.body_limit as usize * 1_000_000);
    let bounds = Bounds {
        threads: args.threads,
        waiting_max: args.queue.unwrap_or_else(|| WAITING_PER_THREAD * count_threads(args.threads).get()),
    };
    let book = args.book.as_ref().map(|book| open_decision_book(book, &args.book_keys, true)).transpose()?;
    let shadows = load_shadows(&args.shadows)?;
    let all = [&live].into_iter().chain(shadows.iter().map(|shadow| &shadow.live));
    let policies: Vec<_> = all.map(|live| live.current()).collect();
    let sources = args.sources.as_deref().map(|path| load_sources(path, &policies)).transpose()?;
    let parts = ApiParts {
        live: Arc::clone(&live),
        keys,
        columns: read_named_columns(&args.columns)?,
        bounds,
        limits,
        book,
        shadows,
        sources,
        provider: connect_provider(&args.connection)?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime for the service: {error}"))?;
    let served = runtime.block_on(serve_until_signal(args, parts, live));
    // What still runs now has had its time.
    runtime.shutdown_timeout(Duration::from_millis(100));
    served
}

/// The limits of the interface, with bodies of at most so many bytes.
pub(super) fn limit_bodies(body_bytes_max: usize) -> LimitSettings {
    LimitSettings {
        connections_max: CONNECTIONS_MAX,
        body_bytes_max,
        body_timeout_ms: BODY_TIMEOUT_MS,
        ..LimitSettings::default()
    }
}

/// The provider that has the statements which applications name, if the options say where it is.
fn connect_provider(connection: &ConnectionArgs) -> Result<Option<Arc<Client>>, Failure> {
    if connection.base_url.is_none() && connection.settings.is_none() {
        return Ok(None);
    }
    let settings = connection.settings()?;
    let token = connection.token(&settings)?;
    Ok(Some(Arc::new(Client::new(settings, token).map_err(Failure::message)?)))
}

/// The sources of a file, held against the policies that decide.
fn load_sources(path: &Path, policies: &[Arc<Policies>]) -> Result<Sources, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let told = |mistakes: Vec<ConfigMistake>| Failure::Message(list_config_mistakes(path, &mistakes));
    let mut settings = read_sources(&text).map_err(told)?;
    settings.values_mut().for_each(|source| source.below(path.parent().unwrap_or(Path::new(""))));
    let sources = Sources::new(&settings, system_now).map_err(told)?;
    sources.check(policies).map_err(told)?;
    Ok(sources)
}

/// The policies of the shadows, each with its name.
fn load_shadows(named: &[(String, PathBuf)]) -> Result<Vec<Shadow>, Failure> {
    let mut shadows: Vec<Shadow> = Vec::new();
    for (name, path) in named {
        if shadows.iter().any(|shadow| shadow.name == *name) {
            return Err(Failure::Message(format!("two shadows are called `{name}`; give each its own name")));
        }
        PolicyArgs { policy: path.clone(), parameters: Vec::new(), format: DiagnosticFormat::Text }.load()?;
        let live = LivePolicy::load(path, &[]).map_err(Failure::message)?;
        shadows.push(Shadow { name: name.clone(), live: Arc::new(live) });
    }
    Ok(shadows)
}

async fn serve_until_signal(args: &ApiArgs, parts: ApiParts, live: Arc<LivePolicy>) -> Result<ExitCode, Failure> {
    // Before anything starts, so that no signal is missed.
    let mut signals = Signals::new().map_err(|error| format!("cannot wait for signals: {error}"))?;
    let shadows: Vec<Arc<LivePolicy>> = parts.shadows.iter().map(|shadow| Arc::clone(&shadow.live)).collect();
    let (has_keys, book) = (parts.keys.is_some(), parts.book.clone());
    let api = Api::new(parts).map_err(Failure::Message)?;
    let running = RunningApi::start(args.listen, api).await.map_err(Failure::Message)?;
    let mut tasks = tokio::task::JoinSet::new();
    for live in shadows.into_iter().chain([Arc::clone(&live)]) {
        tasks.spawn(reload_policy(live, RELOAD_EVERY));
    }
    if let (Some(book), Some(days)) = (book, args.keep_days) {
        tasks.spawn(erase_old_decisions(book, days));
    }
    let callers = if has_keys { "callers with a key" } else { "programs on this machine, without a key" };
    output::write_stdout_bytes(
        format!(
            "{:<11}http://{}/v1/decisions\n{:<11}{}\n{}{:<11}{callers}\nctrl-c or SIGTERM stops it\n",
            "decisions",
            running.address(),
            "policy",
            describe_policies(&live.in_force()),
            describe_book(args),
            "for",
        )
        .as_bytes(),
    )?;
    signals.next().await;
    tracing::info!("stopping: running requests end");
    tasks.abort_all();
    let status = tokio::select! {
        () = running.stop() => ExitCode::SUCCESS,
        signal = signals.next() => ExitCode::from(signal.status()),
    };
    tracing::info!("stopped");
    Ok(status)
}

/// The lines about the book and the shadows; none without a book.
fn describe_book(args: &ApiArgs) -> String {
    let Some(book) = &args.book else { return String::new() };
    let shadows: Vec<&str> = args.shadows.iter().map(|(name, _)| name.as_str()).collect();
    let shadows = match shadows.is_empty() {
        true => String::new(),
        false => format!("{:<11}{}\n", "shadows", shadows.join(", ")),
    };
    format!("{:<11}{}\n{shadows}", "book", book.display())
}

/// Erases what is personal in old decisions, now and every hour.
pub(super) async fn erase_old_decisions(book: DecisionBook, days: u32) {
    loop {
        let book = book.clone();
        let erased = tokio::task::spawn_blocking(move || {
            let before = system_now().milliseconds().saturating_sub(i64::from(days) * DAY);
            let nothing = Erased { decisions: 0, is_scrubbed: true };
            Timestamp::from_milliseconds(before).map_or(Ok(nothing), |moment| book.erase_before(moment))
        });
        match erased.await {
            Ok(Ok(Erased { decisions: 0, is_scrubbed: true })) => {}
            Ok(Ok(Erased { decisions, is_scrubbed: true })) => {
                tracing::info!(decisions, "old decisions were erased; counts of them remain");
            }
            Ok(Ok(Erased { decisions, is_scrubbed: false })) => {
                tracing::warn!(
                    decisions,
                    "old decisions were erased, but the log of the book, which is in use, has them"
                );
            }
            Ok(Err(error)) => tracing::error!("old decisions could not be erased: {error}"),
            Err(_) => tracing::error!("the erasure of old decisions panicked, which is a bug; please report it"),
        }
        tokio::time::sleep(ERASE_EVERY).await;
    }
}

fn make_key(name: &str, scopes: &[&'static str]) -> Result<ExitCode, Failure> {
    let named: Vec<Scope> = scopes.iter().filter_map(|word| Scope::parse(word)).collect();
    let (key, line) = new_key(name, if named.is_empty() { &Scope::ALL } else { &named }).map_err(Failure::Message)?;
    output::write_stdout_line(line)?;
    output::print_stderr_remark(format!("the key, which is shown once: {key}\n"));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn read_keys(path: &Path) -> Result<ApiKeys, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    ApiKeys::parse(&text).map_err(|what| Failure::Message(format!("{}: {what}", path.display())))
}

/// The columns files that ship, and those of the command line.
pub(super) fn read_named_columns(declared: &[(String, PathBuf)]) -> Result<BTreeMap<String, Columns>, Failure> {
    let mut columns = BTreeMap::new();
    for name in shipped::columns_names() {
        let text = shipped::shipped_columns_file(name).unwrap_or_default();
        columns.insert(name.to_owned(), Columns::parse(text).map_err(Failure::message)?);
    }
    for (name, path) in declared {
        columns.insert(name.clone(), read_columns(path).map_err(Failure::message)?);
    }
    Ok(columns)
}

fn parse_named_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.trim().is_empty() && !path.is_empty() => {
            Ok((name.trim().to_owned(), PathBuf::from(path)))
        }
        _ => Err("write it as NAME=FILE".to_owned()),
    }
}

fn parse_scope(text: &str) -> Result<&'static str, String> {
    let found = Scope::parse(text.trim()).map(Scope::word);
    found.ok_or_else(|| "scopes are decide, explain and read".to_owned())
}
