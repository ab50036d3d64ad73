//! E6, E8 and E9: money that moves, and its outcome. Knows nothing of how money is kept.

use super::base::{
    place_route_fields, provider_code_field, response_code_field, response_word_fields, route_with_defaults,
};
use crate::provider::sandbox::contract::{BodyShape, ContractField, Endpoint, FieldKind, Form, RefusalShape, Route};
use crate::provider::wire::lending::LOANS_PATH;
use crate::provider::wire::{Method, Settings};

pub(super) fn money_routes_of(settings: &Settings) -> Vec<Route> {
    vec![fund_loan_route(settings), debit_customer_route(settings), requery_route_of(settings)]
}

fn transaction_id() -> ContractField {
    ContractField::formed(
        "transactionId",
        Form::Visible,
        1,
        128,
        "identifies the transaction; the same id moves money once",
    )
}

fn money_receipt_fields() -> Vec<ContractField> {
    let mut reply = response_word_fields();
    reply.push(ContractField::text("transactionRef", "the provider's reference: segments between pipes"));
    reply.push(transaction_id());
    reply
}

fn fund_loan_route(settings: &Settings) -> Route {
    Route {
        body: BodyShape::Fields(vec![
            ContractField::text("customerId", "who is credited"),
            ContractField::text("loanId", "the same as in the path"),
            ContractField::new("amount", FieldKind::Amount, "what is paid out"),
            provider_code_field(settings, "providerCode"),
            ContractField::formed("currencyCode", Form::Digits, 3, 3, "ISO 4217, numeric"),
            transaction_id(),
            ContractField::text(&settings.money.channel_terminal_field, "the channel's terminal"),
            ContractField::text("loanReferenceId", "the reference under which the offer was accepted"),
        ]),
        reply: money_receipt_fields(),
        ..route_with_defaults(Endpoint::FundLoan, Method::Post, &format!("{LOANS_PATH}/{{loanId}}/fund"))
    }
}

fn debit_customer_route(settings: &Settings) -> Route {
    Route {
        body: BodyShape::Fields(vec![
            ContractField::text("customerId", "who is debited"),
            ContractField::text("loanId", "the same as in the path"),
            ContractField::new("amount", FieldKind::Amount, "what is collected; at most what remains"),
            provider_code_field(settings, "providerCode"),
            transaction_id(),
        ]),
        reply: money_receipt_fields(),
        ..route_with_defaults(Endpoint::DebitCustomer, Method::Post, &format!("{LOANS_PATH}/{{loanId}}/debit"))
    }
}

fn requery_route_of(settings: &Settings) -> Route {
    let names = &settings.requery;
    let mut fields = vec![provider_code_field(settings, &names.provider_field)];
    for (name, about) in [(&names.transaction_field, "the transaction"), (&names.loan_field, "the loan it belongs to")]
    {
        fields.push(ContractField::text(name, about));
    }
    fields.retain(|field| !field.name.is_empty());
    let mut reply = vec![
        response_code_field(&names.code_field),
        ContractField::words(&names.message_field, "in words"),
        ContractField::text(&names.status_field, "the outcome"),
        ContractField::text(&names.answer_transaction_field, "the transaction"),
        ContractField::text(&names.answer_loan_field, "the loan, where the request names it").optional(),
        ContractField::text(&names.answer_reference_field, "the provider's reference, where the money has moved")
            .optional(),
    ];
    reply.retain(|field| !field.name.is_empty());
    let refusal = RefusalShape::Code { code: names.code_field.clone(), message: names.message_field.clone() };
    Route {
        reply,
        refusal,
        ..place_route_fields(route_with_defaults(Endpoint::Requery, names.method, &names.path), fields)
    }
}
