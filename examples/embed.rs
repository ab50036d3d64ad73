//! A service that embeds lendwright: the policy is compiled once, statements are decided as they come.
//!
//! `cargo run --example embed`

use std::error::Error;

use lendwright::generate::{Options, statement_json};
use lendwright::{Day, Money, Outcome, Request, decide, load_policy, read_json, reading};

fn main() -> Result<(), Box<dyn Error>> {
    // Once, when the service starts. A mistake in the file is an error that lists each mistake with its place.
    let policy = load_policy("rules/starter.toml", &[])?;
    let reading = reading(&policy);
    let today = Day::parse_iso("2026-10-31").ok_or("not a day")?;

    for index in 0..5 {
        // In a service these bytes come from the provider: `client::Client::pull`, or your own store.
        let bytes = statement_json(2, index, &Options::default())?;
        let statements = read_json(&bytes, &format!("statement {index}"), &reading)?;

        let mut request = Request::on(today);
        request.set(&policy, "amount", 20_000_000.into())?;

        for decision in decide(&policy, &statements, &request)? {
            match decision.outcome {
                Outcome::Offer => println!("{}: {} offers", decision.statement, decision.offers.len()),
                Outcome::Refer => println!("{}: a person decides", decision.statement),
                Outcome::Decline => println!("{}: no offer", decision.statement),
            }
            for reason in &decision.reasons {
                println!("    {} {}", reason.id, reason.text);
            }
            for offer in &decision.offers {
                let [lent, back] = [offer.amount_offered, offer.amount_payable]
                    .map(|minor| Money::from_minor(minor).display(&policy.header().currency).to_string());
                println!("    {lent} for {} days, {back} to pay back", offer.tenure);
            }
            // What to keep: `lendwright replay` decides again from this line and the statement.
            let _record = decision.to_line();
        }
    }
    Ok(())
}
