//! E1 to E5 and E7. Knows nothing of money that moves.

use serde_json::{Value, json};

use super::answer::{EndpointAnswer, EndpointRequest, put_answer_field, success_word_fields};
use crate::provider::sandbox::behaviour::AcceptAnswer;
use crate::provider::sandbox::forward::{self, Acceptance};
use crate::provider::sandbox::store::{Accepting, Account, OfferRequest, Refusal, SandboxState};
use crate::provider::wire::{ListedOffer, Offer, ReceivedOffers};

/// The response header in which E1 returns the reference of the offer request. The real provider passes it to the
/// lender in a way that the interface does not show.
pub const REFERENCE_HEADER: &str = "x-offer-request-reference";

/// E1: the customer asks for offers. The list is empty until the lender has called E3, or has answered at once where
/// requests are forwarded to it.
pub(super) async fn get_offers(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
    let given = asked.given;
    let (customer_id, born) = (given.text("customerId").to_owned(), given.text("dateOfBirth"));
    if !state.people().iter().any(|person| person.customer_id == customer_id && person.date_of_birth == born) {
        return Err(Refusal::unknown("no customer with this `customerId` and `dateOfBirth`"));
    }
    let (reference, answered, offers) = Default::default();
    let mut request = state.request(OfferRequest {
        reference,
        customer_id,
        channel_code: given.text("channelCode").to_owned(),
        amount: given.whole("amount"),
        service_type: given.text("serviceType").to_owned(),
        answered,
        offers,
    });
    if state.config().behaviour.forwards_to_lender && !request.answered {
        forward::forward_offer_request(state, &request, born).await?;
        request = state.request(request);
    }
    let listed = request.offers.iter().map(ListedOffer::from);
    let message = match (request.answered, request.offers.is_empty()) {
        (false, _) => "Offers will be sent to the customer",
        (true, true) => "No offer",
        (true, false) => "Successful",
    };
    let mut fields = success_word_fields(state, message);
    put_answer_field(&mut fields, "offers", json!(listed.collect::<Vec<_>>()));
    Ok(EndpointAnswer { header: Some((REFERENCE_HEADER, request.reference)), ..EndpointAnswer::ok(fields) })
}

/// E2: the statement behind an offer request, or one page of it.
pub(super) fn transaction_records(
    state: &SandboxState,
    asked: &EndpointRequest<'_>,
) -> Result<EndpointAnswer, Refusal> {
    let given = asked.given;
    let reference = given.text("offerRequestReference");
    if given.in_query("offerRequestReference") != reference {
        return Err(Refusal::bad("`offerRequestReference` differs from the path"));
    }
    let page = usize::try_from(given.whole(&state.config().settings.records.page_parameter)).unwrap_or_default();
    match state.statement(reference) {
        None => Err(Refusal::unknown("no offer request with this reference")),
        Some(Err(_)) => {
            Err(Refusal { status: 500, message: "the statement made for this person is invalid".to_owned() })
        }
        // The first page by default.
        Some(Ok(pages)) => match pages.get(page.saturating_sub(1)) {
            Some(body) => Ok(EndpointAnswer { status: 200, body: body.clone(), header: None }),
            None => Err(Refusal::unknown("no such page")),
        },
    }
}

/// E3: the lender's answer.
pub(super) fn send_offers(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
    let settings = &state.config().settings;
    let answer = ReceivedOffers::read(asked.given.text("segment"), asked.pairs, settings)
        .map_err(|problem| Refusal::bad(problem.to_string()))?;
    if answer.provider_code != settings.provider_code {
        return Err(Refusal::bad("`providerCode` is not the lender's"));
    }
    if answer.offers.iter().any(is_beyond_bounds) {
        return Err(Refusal::bad(
            "an offer has an amount above 1000000000000000, or a text of more than 128 characters",
        ));
    }
    let message = match answer.offers.is_empty() {
        true => "The customer will be notified",
        false => "Offers will be sent to the customer",
    };
    state.receive(asked.raw_query, answer)?;
    Ok(EndpointAnswer::ok(success_word_fields(state, message)))
}

/// Whether E1 could not list an offer within the bounds of its fields.
fn is_beyond_bounds(offer: &Offer) -> bool {
    let amounts = [offer.amount_offered, offer.amount_payable, offer.fee];
    let texts = [&offer.offer_id, &offer.expiry_date];
    amounts.iter().any(|amount| *amount > 1_000_000_000_000_000) || texts.iter().any(|text| text.chars().count() > 128)
}

/// E4: accepts an offer. The sandbox's behaviour chooses one of the three success bodies.
pub(super) async fn accept_offer(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
    let given = asked.given;
    let offer_id = given.text("offerId");
    if given.in_body("offerId") != offer_id {
        return Err(Refusal::bad("`offerId` differs from the path"));
    }
    let asked = Accepting {
        offer_id,
        customer_id: given.in_body("customerId"),
        loan_reference_id: given.in_body("loanReferenceId"),
        account: Account {
            number: given.in_body("destinationAccountNumber"),
            bank_code: given.in_body("destinationBankCode"),
        },
        fingerprint: given.fingerprint(),
    };
    let loan = match state.config().behaviour.forwards_to_lender {
        false => state.accept(asked, None)?,
        // Outside the lock, because the lender may be slow: what it answers twice is one loan all the same.
        true => match state.check_acceptance(&asked)? {
            Some(loan) => loan,
            None => {
                let forwarded = Acceptance {
                    offer_id,
                    customer_id: asked.customer_id,
                    account_number: asked.account.number,
                    bank_code: asked.account.bank_code,
                    token: given.in_body("token"),
                    loan_reference_id: asked.loan_reference_id,
                };
                let loan_id = forward::forward_acceptance(state, &forwarded).await?;
                state.accept(asked, Some(loan_id))?
            }
        },
    };
    let phrases = &state.config().settings.accept_offer;
    let fields = match state.config().behaviour.accept {
        AcceptAnswer::Loan => {
            let mut fields = success_word_fields(state, "The offer has been accepted");
            put_answer_field(&mut fields, "loanId", loan.loan_id);
            fields
        }
        AcceptAnswer::OffersWillBeSent => {
            success_word_fields(state, &join_into_sentence(&phrases.offers_phrase, "to the customer"))
        }
        AcceptAnswer::CustomerWillBeNotified => {
            success_word_fields(state, &join_into_sentence("the customer will be", &phrases.notified_phrase))
        }
    };
    Ok(EndpointAnswer::ok(fields))
}

fn join_into_sentence(first: &str, second: &str) -> String {
    let text = format!("{first} {second}");
    let mut characters = text.chars();
    let upper = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{upper}{}", characters.as_str())
}

/// E5: finds the owner of an account. If the settings name a field for the customer, another customer's account is
/// refused like one that does not exist.
pub(super) fn verify_account(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
    let names = &state.config().settings.verify_account;
    let text = |name: &str| if name.is_empty() { "" } else { asked.given.text(name) };
    let account = Account { number: text(&names.account_field), bank_code: text(&names.bank_field) };
    let owner = state.owner(account, text(&names.customer_field))?;
    let mut fields = success_word_fields(state, "Successful");
    put_answer_field(&mut fields, &names.name_field, Value::from(owner.name.clone()));
    Ok(EndpointAnswer::ok(fields))
}

/// E7: sends a message to the customer.
pub(super) fn send_sms(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
    let given = asked.given;
    if given.in_query("customerId") != given.in_body("customerId") {
        return Err(Refusal::bad("`customerId` differs between query and body"));
    }
    state.message(given.in_body("loanId"), given.in_body("customerId"), given.in_body("message"))?;
    Ok(EndpointAnswer::ok(success_word_fields(state, "The message will be sent")))
}
