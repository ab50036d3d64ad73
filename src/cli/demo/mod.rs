//! `demo`: the whole path against a simulated provider on this machine: offer request, statement, decision, offers.
//! Does what the separate commands do. `show` prints it.

mod show;
mod show_whole;
mod whole;

use std::process::ExitCode;

use clap::Args;

use super::output::{self, Failure};
use super::{people, shipped};
use crate::base::date::Day;
use crate::engine::decision::{self, Decision, Outcome, Request};
use crate::provider::client::{Client, Prepared};
use crate::provider::generate::DEFAULT_END;
use crate::provider::sandbox::{Config, Person, Sandbox, Story};
use crate::provider::wire::{GetOffers, SendOffers, Settings};
use crate::rules::Policy;
use crate::statement::{Statements, read_json};

/// The people who apply, chosen so that the decisions differ.
const STORIES: [Story; 4] = [Story::SteadySalary, Story::Indebted, Story::NewAccount, Story::Betting];
/// The amount that each applies for, in minor units: more than some can afford.
const WANTED: i64 = 40_000_000;

/// The command line of `demo`.
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = "\
Examples:
  lendwright demo
      four people; needs no network and no files
  lendwright demo --seed 7
      other people with the same stories
  lendwright demo --whole
      one loan with the lender's service: offers, acceptance, payout, a lost answer, debit, the end

The sandbox is a real HTTP server on a free port of this machine. The calls are those
of `provider pull` and `provider send`.")]
pub struct DemoArgs {
    /// The seed of the people and their statements
    #[arg(long, value_name = "S", default_value_t = 10)]
    pub seed: u64,
    /// Show one loan's whole life, from the offer request to the last payment
    #[arg(long)]
    pub whole: bool,
}

/// One person's application, from request to offers.
struct Journey {
    person: Person,
    reference: String,
    statements: Statements,
    decision: Decision,
    /// What was sent. `None` if a person must look at the case first.
    sent: Option<Sent>,
}

struct Sent {
    request: Prepared,
    acknowledged: String,
}

/// Runs the demo.
pub fn run(args: &DemoArgs) -> Result<ExitCode, Failure> {
    let policy = shipped::compile_starter_policy().map_err(Failure::message)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::Message(format!("no runtime for the sandbox: {error}")))?;
    if args.whole {
        runtime.block_on(whole::run_whole_demo(args.seed))?;
        return Ok(ExitCode::SUCCESS);
    }
    runtime.block_on(async {
        let config = Config::new(args.seed, people::statements_of_people(None).map_err(Failure::message)?);
        let settings = config.settings.clone();
        let sandbox = Sandbox::start(config).await.map_err(Failure::message)?;
        let settings = Settings { base_url: sandbox.base_url(), ..settings };
        let client = Client::new(settings, sandbox.token().clone()).map_err(Failure::message)?;
        output::write_stdout_line(show::demo_opening_lines(&policy, &sandbox))?;
        let mut request = None;
        for story in STORIES {
            let Some(person) = sandbox.people().iter().find(|person| person.story == story) else { continue };
            let journey = take_person_through(&policy, &sandbox, &client, person).await?;
            output::write_stdout_line(show::demo_person_lines(&policy, &journey, &sandbox.received()))?;
            let offered = journey.decision.outcome == Outcome::Offer;
            if request.is_none() && offered {
                request = journey.sent.map(|sent| sent.request);
            }
        }
        output::write_stdout_line(show::demo_closing_lines(request.as_ref()))?;
        sandbox.shutdown().await;
        Ok(ExitCode::SUCCESS)
    })
}

async fn take_person_through(
    policy: &Policy,
    sandbox: &Sandbox,
    client: &Client,
    person: &Person,
) -> Result<Journey, Failure> {
    let reference = request_demo_offers(sandbox, client, person).await?;
    let pulled = client.pull(&reference).await.map_err(Failure::message)?;
    let bytes = pulled.into_statement().map_err(Failure::message)?;
    let statements = read_json(&bytes, &reference, &decision::reading(policy)).map_err(Failure::message)?;
    // The day after the last day of the statements, so that a demo prints the same on any day.
    let today = Day::parse_iso(DEFAULT_END).map(|last| Day::from_days(last.days() + 1));
    let mut request = Request { as_of: today, customer: Some(person.customer_id.clone()), ..Request::default() };
    request.set(policy, "amount", WANTED.into()).map_err(Failure::message)?;
    let decisions = decision::decide(policy, &statements, &request).map_err(Failure::message)?;
    let none = || Failure::Message("the statement gave no decision".to_owned());
    let decision = decisions.into_iter().next().ok_or_else(none)?;
    let sent = match decision.outcome {
        Outcome::Refer => None,
        Outcome::Offer | Outcome::Decline => Some(send_demo_offers(client, &reference, &decision).await?),
    };
    Ok(Journey { person: person.clone(), reference, statements, decision, sent })
}

/// The request for offers that a person makes.
fn offer_request(person: &Person) -> GetOffers {
    GetOffers {
        customer_id: person.customer_id.clone(),
        channel_code: "WEB".to_owned(),
        amount: WANTED,
        service_type: "LOAN".to_owned(),
        date_of_birth: person.date_of_birth.clone(),
    }
}

/// Asks for offers as the customer would. Returns the reference of the request.
async fn request_demo_offers(sandbox: &Sandbox, client: &Client, person: &Person) -> Result<String, Failure> {
    client.offers(&offer_request(person)).await.map_err(Failure::message)?;
    let requests = sandbox.requests();
    let mine = requests.into_iter().find(|request| request.customer_id == person.customer_id);
    mine.map(|request| request.reference)
        .ok_or_else(|| Failure::Message("the sandbox knows of no offer request".to_owned()))
}

async fn send_demo_offers(client: &Client, reference: &str, decision: &Decision) -> Result<Sent, Failure> {
    let answer = SendOffers::new(reference, decision.offers.clone());
    let request = client.prepare(&answer).map_err(Failure::message)?;
    let reply = client.send(&answer).await.map_err(Failure::message)?;
    Ok(Sent { request, acknowledged: format!("{} {}", reply.response_code, reply.response_message) })
}
