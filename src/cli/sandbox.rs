//! `sandbox`: runs the simulated provider until it is interrupted. Knows nothing of how statements are made: the caller
//! passes that in.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::connection::{TOKEN_VARIABLE, parse_toml, read_settings};
use super::generate::parse_generator_day;
use super::output::{self, Failure};
use super::signals;
use crate::base::date::Day;
use crate::base::secret::Secret;
use crate::provider::generate;
use crate::provider::sandbox::{Config, Error, Lender, Person, Sandbox, StatementSource};

/// The environment variable that holds the lender's password.
const PASSWORD_VARIABLE: &str = "LENDWRIGHT_LENDER_PASSWORD";

/// The command line of `sandbox`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright sandbox
      listens on a free port of this machine, and prints its address, its token and a walkthrough
      of the interface
  lendwright sandbox --listen 127.0.0.1:8080 --seed 7
      then open http://127.0.0.1:8080/sandbox: people, loans, bills, every exchange as it happens
  lendwright sandbox --last-day $(date +%F)
      statements up to today, so that offers for them can be accepted today
  lendwright sandbox --lender-url http://127.0.0.1:9000/lender \\
      --lender-username provider
      calls the lender back: payment notifications (E11) when a loan is paid, loan status (E10) at
      the press of a button
  lendwright sandbox --faults faults.toml --behaviour behaviour.toml
      where faults.toml makes, for instance, the first two pulls fail and loses the answer of the first payout:
          [transaction_records]
          times = 2
          status = 503
          [fund_loan]
          times = 1
          lost_after_commit = true
      and behaviour.toml makes requeries pending twice and sends notifications twice:
          requery_pending = 2
          [notifications]
          copies = 2

The tables of a faults file: get_offers, transaction_records, send_offers, accept_offer,
verify_account, fund_loan, send_sms, debit_customer, requery, validate_card, request_iqr,
link_iqr, iqr_reference, create_bill, payment_status. Each may hold: after, times, latency_ms,
status, retry_after_s, redirect_to, after_commit, duplicate, reset_before, lost_after_commit, body
(html, empty, garbled), wrong_status, content_type, oversize_mb, gzip_bomb_mb, truncate_at,
drip_bytes_per_second. A behaviour file: accept (loan, offers_will_be_sent,
customer_will_be_notified), forwards_to_lender (E1 and E4 ask the lender's own endpoints),
requery_not_found, requery_pending, requery_failed, debits_refused, and the table notifications: suppressed,
copies, reversed_in, delay_ms, attempts_max, wait_ms. The token is LENDWRIGHT_TOKEN if that is
set, else it is made from the seed. The lender's password is LENDWRIGHT_LENDER_PASSWORD.")]
pub struct SandboxArgs {
    /// The address to listen on, on this machine only; port 0 takes a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// The seed of the people and their statements
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// The last day of the statements, such as 2026-10-31; the same day and seed give the same statements
    #[arg(long, value_name = "DATE", value_parser = parse_generator_day)]
    pub last_day: Option<Day>,
    /// A TOML file with faults, by endpoint
    #[arg(long, value_name = "FILE")]
    pub faults: Option<PathBuf>,
    /// A TOML file that says how the sandbox behaves where a provider has a choice
    #[arg(long, value_name = "FILE")]
    pub behaviour: Option<PathBuf>,
    /// A TOML file with the settings of the connection, so that the sandbox uses the same layouts as the client
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// Serve statements in pages of this many records
    #[arg(long, value_name = "N")]
    pub page_records: Option<std::num::NonZeroUsize>,
    /// The address of the lender's own endpoints, for callbacks: https, or on this machine
    #[arg(long, value_name = "URL")]
    pub lender_url: Option<String>,
    /// The user name for the lender's endpoints
    #[arg(long, value_name = "NAME", default_value = "sandbox")]
    pub lender_username: String,
    /// Where to post an event when a bill is paid: https, or on this machine
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,
}

/// Runs the sandbox until it is interrupted.
pub fn run(
    args: SandboxArgs,
    statements: impl FnOnce(Option<Day>) -> Result<StatementSource, generate::Error>,
) -> Result<ExitCode, Failure> {
    let statements = statements(args.last_day).map_err(|error| format!("`--last-day`: {error}"))?;
    let config = sandbox_config_of(args, statements)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime for the sandbox: {error}"))?;
    runtime.block_on(async {
        let provider_code = config.settings.provider_code.clone();
        let sandbox = Sandbox::start(config).await.map_err(describe_error)?;
        output::write_stdout_bytes(introduce_sandbox(&sandbox, &provider_code).as_bytes())?;
        let cannot = |error| format!("cannot wait for an interrupt: {error}");
        signals::Signals::new().map_err(cannot)?.next().await;
        sandbox.shutdown().await;
        Ok(ExitCode::SUCCESS)
    })
}

/// Describes an error with the option or environment variable that causes it.
fn describe_error(error: Error) -> String {
    let Error::Setting { setting, problem } = &error else { return error.to_string() };
    let given = match setting.as_str() {
        "lender.url" => "the address of `--lender-url`",
        "webhook_url" => "the address of `--webhook-url`",
        "lender.username" => "the name of `--lender-username`",
        "lender.password" => PASSWORD_VARIABLE,
        "token" => TOKEN_VARIABLE,
        _ => return error.to_string(),
    };
    format!("{given} {problem}")
}

fn sandbox_config_of(args: SandboxArgs, statements: StatementSource) -> Result<Config, String> {
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
    if let Some(path) = &args.behaviour {
        config.behaviour = parse_toml(path)?;
    }
    let password = Secret::new(std::env::var(PASSWORD_VARIABLE).unwrap_or_else(|_| "sandbox".to_owned()));
    config.lender = args.lender_url.map(|url| Lender { url, username: args.lender_username, password });
    config.webhook_url = args.webhook_url;
    if let Ok(token) = std::env::var(TOKEN_VARIABLE)
        && !token.trim().is_empty()
    {
        config.token = Secret::new(token.trim());
    }
    Ok(config)
}

/// What a person needs to call the sandbox. A token from the seed is printed, because it opens nothing else. A token
/// from the environment is not.
fn introduce_sandbox(sandbox: &Sandbox, provider_code: &str) -> String {
    let base = sandbox.base_url();
    let own = sandbox.token().expose().starts_with("sandbox-token-");
    let token = if own { sandbox.token().expose().to_owned() } else { format!("${TOKEN_VARIABLE}") };
    let mut text =
        format!("sandbox  {base}\npages    {base}/sandbox\ntoken    {token}\nlender   {provider_code}\n\npeople\n");
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
        text.push_str(&walkthrough_by_hand(&base, &token, provider_code, person));
    }
    text
}

/// Commands from an offer to a payment, to run by hand.
fn walkthrough_by_hand(base: &str, token: &str, lender: &str, person: &Person) -> String {
    let Person { customer_id, date_of_birth, account_number, bank_code, .. } = person;
    format!(
        "
a walkthrough by hand, in another terminal:
  export BASE={base} AUTH='Authorization: Bearer {token}' JSON='Content-Type: application/json'
ask for offers as a customer, and see the reference of the request:
  curl -H \"$AUTH\" \"$BASE/lending-service/api/v3/offers?\
customerId={customer_id}&channelCode=WEB&amount=5000000&serviceType=LOAN&\
dateOfBirth={date_of_birth}&providerCode={lender}\"
  REF=$(curl -s $BASE/sandbox/requests | sed 's/.*\"reference\":\"\\([^\"]*\\)\".*/\\1/')
pull the statement:
  {TOKEN_VARIABLE}={token} lendwright provider pull $REF --base-url $BASE
offer, accept, fund, debit:
  curl -H \"$AUTH\" -X POST \"$BASE/lending-service/api/v1/offers/$REF/send-offers?\
code=00&message=Successful&providerCode={lender}&offers=1&offerId=O1&amountOffered=5000000&interest=3&\
amountPayable=5200000&fee=0&tenure=30&terms=none&\
expiryDate=2099-01-01T00:00:00Z&currency=566&isPartPaymentAllowed=true\"
  curl -H \"$AUTH\" -H \"$JSON\" $BASE/lending-service/api/v1/offers/O1/accept -d '\
{{\"customerId\":\"{customer_id}\",\"offerId\":\"O1\",\
\"destinationAccountNumber\":\"{account_number}\",\"destinationBankCode\":\"{bank_code}\",\
\"token\":\"customer-token\",\"loanReferenceId\":\"R1\"}}'
  LOAN=$(curl -s $BASE/sandbox/loans | sed 's/.*\"loanId\":\"\\([^\"]*\\)\".*/\\1/')
  curl -H \"$AUTH\" -H \"$JSON\" $BASE/lending-service/api/v1/loans/$LOAN/fund -d '\
{{\"customerId\":\"{customer_id}\",\"loanId\":\"'$LOAN'\",\
\"amount\":5000000,\"providerCode\":\"{lender}\",\"currencyCode\":\"566\",\
\"transactionId\":\"T1\",\"channelTerminalId\":\"TERM1\",\"loanReferenceId\":\"R1\"}}'
  curl -H \"$AUTH\" -H \"$JSON\" $BASE/lending-service/api/v1/loans/$LOAN/debit -d '\
{{\"customerId\":\"{customer_id}\",\"loanId\":\"'$LOAN'\",\
\"amount\":5200000,\"providerCode\":\"{lender}\",\"transactionId\":\"T2\"}}'
a bill, paid at once, and what its status says:
  curl -H \"$AUTH\" -H \"$JSON\" $BASE/collections/api/v1/pay-bill -d '\
{{\"merchantCode\":\"M1\",\"payableCode\":\"P1\",\"amount\":150000,\
\"redirectUrl\":\"http://localhost/done\",\"customerId\":\"C1\",\
\"currencyCode\":566,\"transactionReference\":\"B1\"}}'
  BILL=$(curl -s $BASE/sandbox/bills | sed 's/.*\"reference\":\"\\([^\"]*\\)\".*/\\1/')
  curl $BASE/sandbox/pay/$BILL/now
  curl -H \"$JSON\" \"$BASE/collections/api/v1/gettransaction.json?\
merchantcode=M1&transactionreference=B1&amount=150000\"

ctrl-c stops it
"
    )
}
