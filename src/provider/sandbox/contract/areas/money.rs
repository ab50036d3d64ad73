//! E6, E8 and E9: money that moves, and its outcome. Knows nothing of how money is kept.

use super::base::{code, placed, provider, route, words};
use crate::provider::sandbox::contract::{BodyShape, Endpoint, Field, Form, Kind, RefusalShape, Route};
use crate::provider::wire::lending::LOANS_PATH;
use crate::provider::wire::{Method, Settings};

pub(super) fn routes(settings: &Settings) -> Vec<Route> {
    vec![fund(settings), debit(settings), requery(settings)]
}

fn transaction_id() -> Field {
    Field::formed("transactionId", Form::Visible, 1, 128, "identifies the transaction; the same id moves money once")
}

fn receipt() -> Vec<Field> {
    let mut reply = words();
    reply.push(Field::text("transactionRef", "the provider's reference: segments between pipes"));
    reply.push(transaction_id());
    reply
}

fn fund(settings: &Settings) -> Route {
    Route {
        body: BodyShape::Fields(vec![
            Field::text("customerId", "who is credited"),
            Field::text("loanId", "the same as in the path"),
            Field::new("amount", Kind::Amount, "what is paid out"),
            provider(settings, "providerCode"),
            Field::formed("currencyCode", Form::Digits, 3, 3, "ISO 4217, numeric"),
            transaction_id(),
            Field::text(&settings.money.channel_terminal_field, "the channel's terminal"),
            Field::text("loanReferenceId", "the reference under which the offer was accepted"),
        ]),
        reply: receipt(),
        ..route(Endpoint::FundLoan, Method::Post, &format!("{LOANS_PATH}/{{loanId}}/fund"))
    }
}

fn debit(settings: &Settings) -> Route {
    Route {
        body: BodyShape::Fields(vec![
            Field::text("customerId", "who is debited"),
            Field::text("loanId", "the same as in the path"),
            Field::new("amount", Kind::Amount, "what is collected; at most what remains"),
            provider(settings, "providerCode"),
            transaction_id(),
        ]),
        reply: receipt(),
        ..route(Endpoint::DebitCustomer, Method::Post, &format!("{LOANS_PATH}/{{loanId}}/debit"))
    }
}

fn requery(settings: &Settings) -> Route {
    let names = &settings.requery;
    let mut fields = vec![provider(settings, &names.provider_field)];
    for (name, about) in [(&names.transaction_field, "the transaction"), (&names.loan_field, "the loan it belongs to")]
    {
        fields.push(Field::text(name, about));
    }
    fields.retain(|field| !field.name.is_empty());
    let mut reply = vec![
        code(&names.code_field),
        Field::words(&names.message_field, "in words"),
        Field::text(&names.status_field, "the outcome"),
        Field::text(&names.answer_transaction_field, "the transaction"),
        Field::text(&names.answer_loan_field, "the loan, where the request names it").optional(),
        Field::text(&names.answer_reference_field, "the provider's reference, where the money has moved").optional(),
    ];
    reply.retain(|field| !field.name.is_empty());
    let refusal = RefusalShape::Code { code: names.code_field.clone(), message: names.message_field.clone() };
    Route { reply, refusal, ..placed(route(Endpoint::Requery, names.method, &names.path), fields) }
}
