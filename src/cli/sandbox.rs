//! `sandbox`: the simulated provider until it is interrupted. Knows nothing of how statements are made: the caller
//! hands that in.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::connection::{TOKEN_VARIABLE, parse_toml, read_settings};
use super::output::{self, Failure};
use crate::sandbox::{Config, Sandbox, StatementSource};
use crate::words::secret::Secret;

/// The command line of `sandbox`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright sandbox
      listens on a free port of this machine and prints its address, its token and how to call it
  lendwright sandbox --listen 127.0.0.1:8080 --seed 7
  lendwright sandbox --faults faults.toml
      where faults.toml says, for instance, that the first two pulls fail and every answer to a POST is lost:
          [transaction_records]
          times = 2
          status = 503
          [send_offers]
          reset = true

Each table of a faults file ([get_offers], [transaction_records], [send_offers]) may hold: times, latency_ms, status,
retry_after_s, body (html, empty, garbled), wrong_status, oversize_mb, gzip_bomb_mb, truncate_at, reset,
drip_bytes_per_second.
The token is that of LENDWRIGHT_TOKEN if it is set, else one made from the seed.")]
pub struct SandboxArgs {
    /// Where to listen, on this machine alone; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// The seed of the people and their statements
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// A TOML file of faults, by endpoint
    #[arg(long, value_name = "FILE")]
    pub faults: Option<PathBuf>,
    /// A TOML file with the connection's settings, so that the sandbox speaks the same layouts as the client
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// Serve statements in pages of this many records
    #[arg(long, value_name = "N")]
    pub page_records: Option<std::num::NonZeroUsize>,
}

/// Runs the sandbox until it is interrupted.
pub fn run(args: SandboxArgs, statements: StatementSource) -> Result<ExitCode, Failure> {
    let config = config(args, statements)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime for the sandbox: {error}"))?;
    runtime.block_on(async {
        let provider_code = config.settings.provider_code.clone();
        let sandbox = Sandbox::start(config).await.map_err(|error| error.to_string())?;
        output::bytes(introduction(&sandbox, &provider_code).as_bytes())?;
        tokio::signal::ctrl_c().await.map_err(|error| format!("cannot wait for an interrupt: {error}"))?;
        sandbox.shutdown().await;
        Ok(ExitCode::SUCCESS)
    })
}

fn config(args: SandboxArgs, statements: StatementSource) -> Result<Config, String> {
    let mut config = Config::new(args.seed, statements);
    config.listen = args.listen;
    config.page_records = args.page_records.map(std::num::NonZeroUsize::get);
    if let Some(path) = &args.settings {
        let provider_code = std::mem::take(&mut config.settings.provider_code);
        config.settings = read_settings(path)?;
        if config.settings.provider_code.is_empty() {
            config.settings.provider_code = provider_code;
        }
    }
    if let Some(path) = &args.faults {
        config.faults = parse_toml(path)?;
    }
    if let Ok(token) = std::env::var(TOKEN_VARIABLE)
        && !token.trim().is_empty()
    {
        config.token = Secret::new(token.trim());
    }
    Ok(config)
}

/// What a person needs to call the sandbox. Its token opens nothing else, unless it was given from outside.
fn introduction(sandbox: &Sandbox, provider_code: &str) -> String {
    let base = sandbox.base_url();
    let own = sandbox.token().expose().starts_with("sandbox-token-");
    let token = if own { sandbox.token().expose().to_owned() } else { format!("${TOKEN_VARIABLE}") };
    let mut text = format!("sandbox  {base}\ntoken    {token}\nlender   {provider_code}\n\npeople\n");
    for person in sandbox.people() {
        text.push_str(&format!(
            "  {}  born {}  {:<20} {}\n",
            person.customer_id,
            person.date_of_birth,
            person.name,
            person.story.about()
        ));
    }
    if let Some(person) = sandbox.people().first() {
        text.push_str(&format!(
            "\nask for offers as a customer, then see the reference of the request:\n  \
             curl -i -H \"Authorization: Bearer {token}\" '{base}/lending-service/api/v3/offers?customerId={}&channelCode=WEB\
             &amount=5000000&serviceType=LOAN&dateOfBirth={}&providerCode={provider_code}'\n  \
             curl {base}/sandbox/requests\n\
             pull the statement, and later see what the sandbox received:\n  \
             {TOKEN_VARIABLE}={token} lendwright pull REFERENCE --base-url {base}\n  curl {base}/sandbox/received\n\
             \nctrl-c stops it\n",
            person.customer_id, person.date_of_birth
        ));
    }
    text
}
