//! Passes offer requests and acceptances on to the lender's own Get Offers and Accept Offers, as the real provider
//! does. Knows nothing of how the sandbox answers its own caller.

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::outgoing::Outgoing;
use super::store::{OfferRequest, Refusal, SandboxState};
use crate::provider::wire::lender::AcceptanceReply;
use crate::provider::wire::{ListedOffer, Offer, SECRET, varying_segment};

/// The answer of the lender's Get Offers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OffersAnswer {
    response_code: String,
    #[serde(default)]
    offers: Vec<ListedOffer>,
}

/// What the lender answered to an offer request.
enum Offers {
    Made(Vec<Offer>),
    Later,
}

/// Asks the lender for offers, and records those that its answer has. Without any, they may follow by E3.
pub(crate) async fn forward_offer_request(
    state: &SandboxState,
    request: &OfferRequest,
    date_of_birth: &str,
) -> Result<(), Refusal> {
    let settings = &state.config().settings;
    let names = &settings.lender;
    let path = names.get_offers_path.trim_matches('/').split('/');
    let mut call = Outgoing::to_lender(state, Method::GET, path).map_err(|problem| Refusal::lender(&problem))?;
    let amount = request.amount.to_string();
    let pairs = [
        ("customerId", request.customer_id.as_str()),
        ("channelCode", &request.channel_code),
        ("amount", &amount),
        ("serviceType", &request.service_type),
        ("dateOfBirth", date_of_birth),
        ("providerCode", &settings.provider_code),
        (&names.reference_parameter, &request.reference),
    ];
    call.url.query_pairs_mut().extend_pairs(pairs.into_iter().filter(|(name, _)| !name.is_empty()));
    if !names.reference_header.is_empty() {
        call.header = Some((names.reference_header.clone(), request.reference.clone()));
    }
    let judged = |status: u16, body: &[u8]| {
        let judged = judge_offers(state, status, body);
        let words = match &judged {
            Ok(Offers::Made(offers)) => format!("{} offers", offers.len()),
            Ok(Offers::Later) => "the offers follow".to_owned(),
            Err(refusal) => refusal.message.clone(),
        };
        (judged, words)
    };
    let answered = call.send(state, "lender: Get Offers", judged).await;
    match answered.map_err(|problem| Refusal::lender(&problem))?? {
        Offers::Made(offers) => state.receive_at_once(&request.reference, &offers),
        Offers::Later => Ok(()),
    }
}

fn judge_offers(state: &SandboxState, status: u16, body: &[u8]) -> Result<Offers, Refusal> {
    let settings = &state.config().settings;
    if !(200..300).contains(&status) {
        return Err(refusal_by_lender(status, body));
    }
    let Ok(answer) = serde_json::from_slice::<OffersAnswer>(body) else {
        return Err(Refusal::lender("it is not the answer of Get Offers"));
    };
    let codes = &settings.lender.codes;
    match answer.response_code {
        code if code == codes.no_offer => Ok(Offers::Made(Vec::new())),
        code if code == settings.success_code && !answer.offers.is_empty() => {
            let offers: Vec<Offer> = answer
                .offers
                .into_iter()
                .map(offer_of_listed_fields)
                .collect::<Option<_>>()
                .ok_or_else(unfit_offer_refusal)?;
            match offers.iter().all(|offer| offer.check().is_ok()) {
                true => Ok(Offers::Made(offers)),
                false => Err(unfit_offer_refusal()),
            }
        }
        code if code == codes.later || code == settings.success_code => Ok(Offers::Later),
        _ => Err(Refusal::lender("its code is neither success nor one of `lender.codes`")),
    }
}

fn unfit_offer_refusal() -> Refusal {
    Refusal::lender("an offer has an amount, a date or a currency that cannot be one")
}

/// A listed offer has fewer fields than E3 sends: no fee, no terms, and it may be paid back in parts.
fn offer_of_listed_fields(listed: ListedOffer) -> Option<Offer> {
    Some(Offer {
        offer_id: Some(listed.offer_id).filter(|id| id.chars().count() <= 128)?,
        amount_offered: listed.amount_offered,
        interest: listed.interest,
        amount_payable: listed.amount_payable,
        fee: 0,
        tenure: u32::try_from(listed.tenure).ok()?,
        terms: "none".to_owned(),
        expiry_date: listed.expiry_date,
        currency: listed.currency,
        is_part_payment_allowed: true,
    })
}

/// An acceptance as E4 has it.
pub(crate) struct Acceptance<'a> {
    pub offer_id: &'a str,
    pub customer_id: &'a str,
    pub account_number: &'a str,
    pub bank_code: &'a str,
    pub token: &'a str,
    pub loan_reference_id: &'a str,
}

/// Passes an acceptance on. Returns the lender's id of the loan.
pub(crate) async fn forward_acceptance(state: &SandboxState, asked: &Acceptance<'_>) -> Result<String, Refusal> {
    let names = &state.config().settings.lender;
    let template = names.accept_offer_path.trim_matches('/').split('/');
    let path: Vec<String> = template
        .map(|segment| match varying_segment(segment) {
            Some((before, "offerId", behind)) => format!("{before}{}{behind}", asked.offer_id),
            _ => segment.to_owned(),
        })
        .collect();
    let path = path.iter().map(String::as_str);
    let mut call = Outgoing::to_lender(state, Method::POST, path).map_err(|problem| Refusal::lender(&problem))?;
    let person = state.people().iter().find(|person| person.customer_id == asked.customer_id);
    let msisdn = person.map(|person| person.msisdn()).unwrap_or_default();
    let fields = [
        ("customerId", asked.customer_id),
        ("offerId", asked.offer_id),
        ("destinationAccountNumber", asked.account_number),
        ("destinationBankCode", asked.bank_code),
        ("token", asked.token),
        ("loanReferenceId", asked.loan_reference_id),
        (&names.msisdn_field, &msisdn),
    ];
    let named = |mask: &dyn Fn(&str, &str) -> String| -> Value {
        let given = fields.into_iter().filter(|(name, _)| !name.is_empty());
        Value::Object(given.map(|(name, value)| (name.to_owned(), mask(name, value).into())).collect::<Map<_, _>>())
    };
    call.body = Some(named(&|_, value| value.to_owned()));
    // The same fields are masked as in E4, and the number that is added.
    let is_open = ["customerId", "offerId", "destinationBankCode", "loanReferenceId"];
    call.shown = Some(named(&|name, value| if is_open.contains(&name) { value } else { SECRET }.to_owned()));
    let judged = |status: u16, body: &[u8]| {
        let judged = judge_acceptance(state, status, body);
        let words = judged.as_ref().map_or_else(|refusal| refusal.message.clone(), |loan_id| format!("loan {loan_id}"));
        (judged, words)
    };
    let answered = call.send(state, "lender: Accept Offers", judged).await;
    answered.map_err(|problem| Refusal::lender(&problem))?
}

fn judge_acceptance(state: &SandboxState, status: u16, body: &[u8]) -> Result<String, Refusal> {
    if !(200..300).contains(&status) {
        return Err(refusal_by_lender(status, body));
    }
    let Ok(reply) = serde_json::from_slice::<AcceptanceReply>(body) else {
        return Err(Refusal::lender("it is not the answer of Accept Offers"));
    };
    if reply.response_code != state.config().settings.success_code {
        return Err(Refusal::lender("its code is not success"));
    }
    let is_id = |id: &String| (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    reply.loan_id.filter(is_id).ok_or_else(|| Refusal::lender("it has no `loanId` that could be an id"))
}

/// A refusal of the lender. One that it will repeat is the caller's; any other is a failure of the lender.
fn refusal_by_lender(status: u16, body: &[u8]) -> Refusal {
    // Only a code: a message may echo what the lender was sent.
    let is_code =
        |code: &String| (1..=8).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let code = serde_json::from_slice::<AcceptanceReply>(body).ok().map(|reply| reply.response_code).filter(is_code);
    let code = code.map(|code| format!(", code {code}")).unwrap_or_default();
    match status {
        400 | 404 | 409 | 422 => Refusal::conflict(format!("the lender refused it: HTTP {status}{code}")),
        _ => Refusal::lender(&format!("HTTP {status}{code}")),
    }
}
