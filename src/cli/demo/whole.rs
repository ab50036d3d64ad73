//! `demo --whole`: one loan's whole life on one screen: the real service against the simulated provider, both on this
//! machine, with a clock that is moved to the due date. The provider loses the answer of the payout, so that the
//! service has to ask. Knows nothing of how a loan is carried through.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use chrono::DateTime;
use tempfile::TempDir;

use super::{offer_request, show_whole};
use crate::base::date::Day;
use crate::base::secret::Secret;
use crate::base::time::{DAY, Timestamp};
use crate::cli::output::{self, Failure};
use crate::cli::{people, shipped};
use crate::lender::config::Config as ServiceConfig;
use crate::lender::loan::LoanState;
use crate::lender::loan_book::{LoanBook, LoanRow, MIGRATIONS};
use crate::lender::process::{Daemon, prepare_service};
use crate::lender::store::database::Database;
use crate::lender::store::sqlite;
use crate::provider::client::Client;
use crate::provider::generate::DEFAULT_END;
use crate::provider::sandbox::{Behaviour, Config, Fault, Faults, Lender, Person, Sandbox, Story};
use crate::provider::wire::lending::{AcceptOffer, Acceptance};
use crate::provider::wire::{ListedOffer, Settings};

/// How long a step may take at most.
const PATIENCE: Duration = Duration::from_secs(60);
const PASSWORD: &str = "demo-password";

/// What happened, to be shown.
pub(super) struct Whole {
    pub(super) provider: String,
    pub(super) lender: String,
    pub(super) person: Person,
    pub(super) offers: Vec<ListedOffer>,
    pub(super) accepted: ListedOffer,
    pub(super) loan_id: String,
    pub(super) row: LoanRow,
    pub(super) book: LoanBook,
    /// The provider's own account of the loan.
    pub(super) ledger: crate::provider::sandbox::Loan,
    /// How many messages the provider got for the customer.
    pub(super) messages: usize,
}

/// A clock that both sides share, that runs, and that is moved.
#[derive(Clone)]
struct Clock {
    began: Instant,
    /// What it showed when it began, moved since by as much as the clock was.
    base_ms: Arc<AtomicI64>,
}

impl Clock {
    /// 10:00 UTC on the day after the last day of the statements, so that the demo says the same on any day.
    fn new() -> Clock {
        let last = Day::parse_iso(DEFAULT_END).map_or(0, |day| i64::from(day.days()));
        let base_ms = (last + 1) * DAY + DAY * 10 / 24;
        Clock { began: Instant::now(), base_ms: Arc::new(AtomicI64::new(base_ms)) }
    }

    fn now(&self) -> Timestamp {
        let now = self.base_ms.load(Ordering::Relaxed) + self.elapsed_ms();
        Timestamp::from_milliseconds(now).expect("INVARIANT: a day of the calendar")
    }

    fn move_to(&self, moment: Timestamp) {
        self.base_ms.store(moment.milliseconds() - self.elapsed_ms(), Ordering::Relaxed);
    }

    fn elapsed_ms(&self) -> i64 {
        i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}

/// A folder for the rules and the book, closed to others and removed when the demo ends.
fn make_demo_folder() -> Result<TempDir, Failure> {
    let made = tempfile::Builder::new().prefix("lendwright-demo-").tempdir().and_then(|folder| {
        let written = |(name, text): (&str, String)| std::fs::write(folder.path().join(name), text);
        shipped::starter_files()?.into_iter().try_for_each(written).map(|()| folder)
    });
    made.map_err(|error| Failure::Message(format!("cannot use a temporary folder: {error}")))
}

/// Runs the demo.
pub(super) async fn run_whole_demo(seed: u64) -> Result<(), Failure> {
    let folder = make_demo_folder()?;
    let clock = Clock::new();
    let port = free_port()?;
    let sandbox = start_demo_sandbox(seed, &clock, port).await?;
    let (daemon, book) = start_demo_service(folder.path(), &sandbox, &clock, port).await?;
    let whole = live_through_loan(&sandbox, &book, &clock).await;
    let ended = daemon.stop().await;
    sandbox.shutdown().await;
    output::write_stdout_line(show_whole::format_whole_loan(&whole?)?)?;
    ended.map_err(Failure::message)
}

/// A port that is free now. Provider and lender have to know each other's address before either starts.
fn free_port() -> Result<u16, String> {
    let free = std::net::TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    free.map(|address| address.port()).map_err(|error| format!("no port is free: {error}"))
}

async fn start_demo_sandbox(seed: u64, clock: &Clock, port: u16) -> Result<Sandbox, Failure> {
    let theirs = clock.clone();
    let mut config = Config::new(seed, people::statements_of_people(None).map_err(Failure::message)?);
    config.clock = Arc::new(move || DateTime::from_timestamp_millis(theirs.now().milliseconds()).unwrap_or_default());
    config.behaviour = Behaviour { forwards_to_lender: true, ..Behaviour::default() };
    config.faults = Faults {
        fund_loan: Some(Fault { times: Some(1), lost_after_commit: true, ..Fault::default() }),
        ..Faults::default()
    };
    config.lender = Some(Lender {
        url: format!("http://127.0.0.1:{port}"),
        username: "provider".to_owned(),
        password: Secret::new(PASSWORD),
    });
    Sandbox::start(config).await.map_err(Failure::message)
}

async fn start_demo_service(
    folder: &Path,
    sandbox: &Sandbox,
    clock: &Clock,
    port: u16,
) -> Result<(Daemon, LoanBook), Failure> {
    let text = format!(
        "[store]\npath = \"unused\"\nencryption = \"none\"\n[policy]\npath = \"starter.toml\"\n[provider]\n\
         base_url = \"{}\"\nprovider_code = \"{}\"\ntoken = {{ env = \"TOKEN\" }}\nchannel_terminal_id = \"TERM1\"\n\
         [[credentials]]\nusername = \"provider\"\npassword = {{ env = \"PASSWORD\" }}\n\
         [listen]\naddress = \"127.0.0.1:{port}\"\n[operations]\naddress = \"127.0.0.1:0\"\n\
         [answers]\noffers = \"now\"\ndeadline_ms = 20000\n[money]\nrequery_first_ms = 50\n\
         [calls]\nlook_every_ms = 20\n",
        sandbox.base_url(),
        sandbox.state().config().settings.provider_code,
    );
    let mistakes = |mistakes: Vec<crate::lender::config::ConfigMistake>| {
        let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        Failure::Message(lines.join("\n"))
    };
    let config = ServiceConfig::read(&text).map_err(mistakes)?.below(folder);
    let token = sandbox.token().expose().to_owned();
    let variable = |name: &str| match name {
        "TOKEN" => Some(token.clone()),
        "PASSWORD" => Some(PASSWORD.to_owned()),
        _ => None,
    };
    let prepared = prepare_service(config, Ok(Settings::default()), &variable).await.map_err(mistakes)?;
    let at = clock.now();
    let database = sqlite::open_memory_database(MIGRATIONS, at.milliseconds()).map_err(Failure::message)?;
    let database: Arc<dyn Database> = Arc::new(database);
    let theirs = clock.clone();
    let daemon = Daemon::start(prepared, Arc::clone(&database), Arc::new(move || theirs.now()));
    let daemon = daemon.await.map_err(Failure::message)?;
    let book = LoanBook::open(database, "", at).map_err(Failure::message)?;
    Ok((daemon, book))
}

/// The customer's way, and the clock's.
async fn live_through_loan(sandbox: &Sandbox, book: &LoanBook, clock: &Clock) -> Result<Whole, Failure> {
    let settings = sandbox.state().config().settings.clone();
    let settings = Settings { base_url: sandbox.base_url(), ..settings };
    let client = Client::new(settings, sandbox.token().clone()).map_err(Failure::message)?;
    let person = sandbox.people().iter().find(|person| person.story == Story::SteadySalary);
    let person = person.ok_or_else(|| demo_part_missing("the sandbox has nobody with a steady salary"))?.clone();
    let offers = client.offers(&offer_request(&person)).await.map_err(Failure::message)?.offers;
    let accepted = offers.iter().min_by_key(|offer| offer.tenure).cloned();
    let accepted = accepted.ok_or_else(|| demo_part_missing("the policy made no offer; try another `--seed`"))?;
    let acceptance = AcceptOffer {
        customer_id: person.customer_id.clone(),
        offer_id: accepted.offer_id.clone(),
        destination_account_number: person.account_number.clone(),
        destination_bank_code: person.bank_code.clone(),
        token: Secret::new("customer-token"),
        loan_reference_id: "DEMO-1".to_owned(),
    };
    let Acceptance::Loan { loan_id, .. } = client.accept(&acceptance).await.map_err(Failure::message)? else {
        return Err(Failure::Message("the acceptance was answered without a loan".to_owned()));
    };
    let open = wait_for_loan_state(book, &loan_id, |row| row.loan.state == LoanState::Open).await?;
    // Money does not wait for messages; the demo does.
    wait_until_true("the message of the payout is not sent", || Ok(!sandbox.state().messages().is_empty())).await?;
    clock.move_to(open.loan.wake.ok_or_else(|| demo_part_missing("the loan has no due date"))?);
    let row = wait_for_loan_state(book, &loan_id, |row| row.loan.state == LoanState::Closed).await?;
    let is_notified = || Ok(!book.list_payments(Some(row.id)).map_err(Failure::message)?.is_empty());
    wait_until_true("the provider notifies no payment", is_notified).await?;
    wait_until_true("the last message is not sent", || Ok(sandbox.state().messages().len() > 1)).await?;
    let ledger =
        sandbox.state().loan(&loan_id).ok_or_else(|| demo_part_missing("the provider does not know the loan"))?;
    Ok(Whole {
        provider: sandbox.base_url(),
        lender: sandbox.state().config().lender.as_ref().map(|lender| lender.url.clone()).unwrap_or_default(),
        person,
        offers,
        accepted,
        loan_id,
        row,
        book: book.clone(),
        ledger,
        messages: sandbox.state().messages().len(),
    })
}

/// Waits until the loan is as far as that.
async fn wait_for_loan_state(
    book: &LoanBook,
    loan_id: &str,
    is_there: impl Fn(&LoanRow) -> bool,
) -> Result<LoanRow, Failure> {
    let find = || book.find_loan(loan_id).map_err(Failure::message);
    wait_until_true("the loan does not go on", || Ok(find()?.is_some_and(|row| is_there(&row)))).await?;
    find()?.ok_or_else(|| Failure::Message("the loan is no longer in the book".to_owned()))
}

/// Waits until something is so.
async fn wait_until_true(problem: &str, is_so: impl Fn() -> Result<bool, Failure>) -> Result<(), Failure> {
    let began = Instant::now();
    while !is_so()? {
        if began.elapsed() > PATIENCE {
            return Err(Failure::Message(problem.to_owned()));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

pub(super) fn demo_part_missing(problem: &str) -> Failure {
    Failure::Message(problem.to_owned())
}
