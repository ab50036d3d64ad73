//! The whole path against the simulated provider: pull a statement, decide, send the answer.
//!
//! `cargo run --example provider`. Against a real provider only the settings and the token differ.

use std::error::Error;
use std::sync::Arc;

use lendwright::generate::{Options, statement_json};
use lendwright::sandbox::{Config, Sandbox};
use lendwright::wire::GetOffers;
use lendwright::{Client, Day, Outcome, Request, SendOffers, Settings, decide, load_policy, read_json, reading};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let policy = load_policy("rules/starter.toml", &[])?;
    let statements = Arc::new(|person: &lendwright::sandbox::Person| {
        statement_json(person.seed, 0, &Options::default()).unwrap_or_default()
    });
    let config = Config::new(1, statements);
    let settings = config.settings.clone();
    let sandbox = Sandbox::start(config).await?;

    // One client for the whole service: it keeps its connections.
    let client = Client::new(Settings { base_url: sandbox.base_url(), ..settings }, sandbox.token().clone())?;

    // The customer asks the provider, and the provider gives the lender the reference of the request.
    let Some(person) = sandbox.people().first().cloned() else { return Ok(()) };
    client
        .offers(&GetOffers {
            customer_id: person.customer_id.clone(),
            channel_code: "WEB".to_owned(),
            amount: 20_000_000,
            service_type: "LOAN".to_owned(),
            date_of_birth: person.date_of_birth.clone(),
        })
        .await?;
    let Some(reference) = sandbox.requests().first().map(|request| request.reference.clone()) else { return Ok(()) };

    let bytes = client.pull(&reference).await?.into_statement()?;
    let statements = read_json(&bytes, &reference, &reading(&policy))?;
    let today = Day::parse_iso("2026-10-31").ok_or("not a day")?;
    let request = Request::on(today).with_customer(person.customer_id);
    for decision in decide(&policy, &statements, &request)? {
        if decision.outcome == Outcome::Refer {
            println!("{reference}: a person looks at it first; nothing is sent");
            continue;
        }
        // The client never repeats it by itself. An uncertain error means that the offers may have arrived.
        let reply = client.send(&SendOffers::new(&reference, decision.offers)).await?;
        println!("{reference}: {:?}, answered {} {}", decision.outcome, reply.response_code, reply.response_message);
    }
    sandbox.shutdown().await;
    Ok(())
}
