//! `send`: sends the offers of a recorded decision by E3. Knows nothing of how the decision was made.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chrono::{DateTime, Utc};
use clap::Args;
use serde::Deserialize;

use super::connection::ConnectionArgs;
use super::output::{self, Failure};
use crate::engine::decision::OfferRecord;
use crate::provider::wire::{Offer, SendOffers};

/// The command line of `send`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider send decision.json --reference REF-1 \\
      --settings provider.toml --dry-run
      prints the exact request, secrets masked, and sends nothing
  lendwright provider send decision.json --reference REF-1 \\
      --settings provider.toml
      sends it, with the access token from LENDWRIGHT_TOKEN, and prints the provider's answer
  lendwright provider pull REF-1 \\
      && lendwright decide --policy p.toml REF-1.json > d.json \\
      && lendwright provider send d.json
      `pull` writes the reference into the statement, and the decision copies it from there
  lendwright provider send decision.json --reference REF-1 \\
      --settings provider.toml --offer 30d-1f2e
      sends only this offer of the decision

An expired offer is still sent, with a warning. `lendwright decide --as-of` makes offers as of
another day. A decision to decline is sent with its code and message and no offer. A decision to
refer is for a person and is not sent. Sending is never retried: if the outcome is unknown, ask
the provider before sending again.")]
pub struct SendArgs {
    /// A decision as `decide` prints it, one JSON object
    #[arg(value_name = "DECISION.json")]
    pub decision: PathBuf,
    /// The reference of the offer request to answer; by default, the one that `pull` wrote into the statement
    #[arg(long, value_name = "REF")]
    pub reference: Option<String>,
    /// Send only the offer with this id; may be given several times
    #[arg(long = "offer", value_name = "ID")]
    pub offers: Vec<String>,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// The part of a decision that sending needs. The rest is ignored.
#[derive(Debug, Deserialize)]
struct Decision {
    #[serde(default)]
    reference: Option<String>,
    outcome: RecordedOutcome,
    offers: Vec<OfferRecord>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordedOutcome {
    Offer,
    Decline,
    Refer,
}

/// Sends the decision. With `--dry-run`, prints the requests instead.
pub fn run(args: SendArgs) -> Result<ExitCode, Failure> {
    let answer = read_answer(&args.decision, args.reference.as_deref(), &args.offers)?;
    args.connection.check_lender()?;
    output::print_stderr_remark(expiry_warnings(&answer.offers, Utc::now()));
    if args.dry_run {
        let client = args.connection.dry_client()?;
        let settings = args.connection.settings()?;
        for call in answer.calls(&settings) {
            output::print_prepared_request(client.prepare(&call))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let acknowledgement = args.connection.client()?.send(&answer).map_err(|error| error.to_string())?;
    output::print_reply_json(&acknowledgement)
}

/// A warning for each expired offer: the decision is old, or as of a day in the past.
fn expiry_warnings(offers: &[Offer], now: DateTime<Utc>) -> String {
    let mut text = String::new();
    for offer in offers {
        if DateTime::parse_from_rfc3339(&offer.expiry_date).is_ok_and(|expiry| expiry <= now) {
            let _ = writeln!(
                text,
                "warning: offer `{}` expired on {}; it is sent anyway. To make offers that can be accepted, decide \
                 again: lendwright decide --as-of {}",
                offer.offer_id,
                offer.expiry_date,
                now.format("%Y-%m-%d")
            );
        }
    }
    text
}

fn read_answer(path: &Path, reference: Option<&str>, chosen: &[String]) -> Result<SendOffers, String> {
    let place = path.display();
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read `{place}`: {error}"))?;
    // The parser's message may quote personal data of the decision, so only the place is reported.
    let decision: Decision = serde_json::from_slice(&bytes).map_err(|error| {
        let problem = match error.classify() {
            serde_json::error::Category::Data => "not a decision with `outcome` and whole `offers`",
            _ => "not a single JSON object; send takes one decision",
        };
        format!("{place}:{}:{}: {problem}", error.line(), error.column())
    })?;
    let Decision { reference: decided, outcome, mut offers } = decision;
    match (outcome, offers.is_empty()) {
        (RecordedOutcome::Refer, _) => {
            return Err(format!("`{place}` refers the case to a person; nothing is sent"));
        }
        (RecordedOutcome::Offer, true) => return Err(format!("`{place}` says `offer` but holds none")),
        (RecordedOutcome::Decline, false) => {
            return Err(format!("`{place}` says `decline` but holds offers"));
        }
        (RecordedOutcome::Offer, false) | (RecordedOutcome::Decline, true) => {}
    }
    if let Some(missing) = chosen.iter().find(|id| !offers.iter().any(|offer| offer.offer_id == **id)) {
        return Err(format!("`{place}` has no offer `{missing}`"));
    }
    if !chosen.is_empty() {
        offers.retain(|offer| chosen.contains(&offer.offer_id));
    }
    let reference = match (reference, decided) {
        (Some(given), Some(decided)) if given != decided => {
            return Err(format!("`{place}` answers the offer request `{decided}`, but --reference is `{given}`"));
        }
        (Some(given), _) => given.to_owned(),
        (None, Some(decided)) => decided,
        (None, None) => {
            return Err(format!("`{place}` does not say which offer request it answers; give --reference REF"));
        }
    };
    Ok(SendOffers::new(&reference, offers))
}
