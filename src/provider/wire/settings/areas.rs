//! What the interface leaves open about E4 to E11, iQR issuing and Pay Bill. Each field has an entry in
//! `docs/reference/assumptions.md`. Knows nothing of files.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::base::money::AmountUnit;
use crate::base::secret::{Secret, refuse_arguments, refuse_to_serialize, refuse_values};
use crate::provider::wire::method::Method;

/// How a call authenticates itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Authentication {
    /// `Authorization: Bearer`, with the access token.
    Bearer,
    /// Nothing.
    None,
}

/// Where the access token comes from, if the program fetches it itself.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TokenSettings {
    /// From a file, which is read again when the token expires.
    File {
        /// The file.
        path: PathBuf,
    },
    /// From what a program prints.
    Command {
        /// The program and its arguments, run without a shell.
        #[serde(serialize_with = "refuse_arguments")]
        command: Vec<String>,
        /// How long its token is valid; for ever by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lifetime_s: Option<u64>,
    },
    /// From an OAuth 2 token endpoint, with the grant `client_credentials`.
    ClientCredentials {
        /// The endpoint.
        url: String,
        /// The client's id.
        client_id: String,
        /// The client's secret.
        #[serde(serialize_with = "refuse_to_serialize")]
        client_secret: Secret,
        /// The scope, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<String>,
        /// How the client authenticates itself.
        #[serde(default)]
        authentication: ClientAuthentication,
        /// Further fields of the request, such as `audience` or `resource`.
        #[serde(default)]
        parameters: BTreeMap<String, String>,
    },
}

/// How a client authenticates itself at a token endpoint (RFC 6749, section 2.3.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientAuthentication {
    /// Id and secret in the header `Authorization: Basic`, which every endpoint must support.
    #[default]
    ClientSecretBasic,
    /// Id and secret as fields of the request, which some endpoints require.
    ClientSecretPost,
}

/// Further headers of each call to a host, by name, such as an API key or a tenant. Values are never shown.
pub type Headers = BTreeMap<String, Secret>;

/// Shows only the kind, because paths, arguments and addresses may hold secrets.
impl fmt::Debug for TokenSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            TokenSettings::File { .. } => "File",
            TokenSettings::Command { .. } => "Command",
            TokenSettings::ClientCredentials { .. } => "ClientCredentials",
        })
    }
}

/// What the interface leaves open about E4.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AcceptOfferSettings {
    /// A message with these words, in any case, says that offers will be sent.
    pub offers_phrase: String,
    /// A message with these words, in any case, says that the customer will be notified.
    pub notified_phrase: String,
}

impl Default for AcceptOfferSettings {
    fn default() -> Self {
        AcceptOfferSettings { offers_phrase: "offers will be sent".to_owned(), notified_phrase: "notified".to_owned() }
    }
}

/// What the interface leaves open about E5: all of it. A field whose name is empty is not sent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifyAccountSettings {
    /// With `get` the fields are query parameters, with `post` a JSON body.
    pub method: Method,
    /// The path below `base_url`, with `{customerId}`, `{accountNumber}`, `{bankCode}` and `{providerCode}` filled in.
    pub path: String,
    /// The field of the customer.
    pub customer_field: String,
    /// The field of the account's number.
    pub account_field: String,
    /// The field of the bank.
    pub bank_field: String,
    /// The field of the lender.
    pub provider_field: String,
    /// The field of the answer that holds the account's name.
    pub name_field: String,
    /// The codes that say something is wrong with the account. Empty: each code other than success does, unless its
    /// HTTP status says that the call itself failed.
    pub refusal_codes: Vec<String>,
}

impl Default for VerifyAccountSettings {
    fn default() -> Self {
        VerifyAccountSettings {
            method: Method::Post,
            path: "lending-service/api/v1/accounts/verify".to_owned(),
            customer_field: "customerId".to_owned(),
            account_field: "destinationAccountNumber".to_owned(),
            bank_field: "destinationBankCode".to_owned(),
            provider_field: "providerCode".to_owned(),
            name_field: "accountName".to_owned(),
            refusal_codes: Vec::new(),
        }
    }
}

/// What the interface leaves open about E6 and E8.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct MoneySettings {
    /// The unit of `amount`.
    pub amount_unit: AmountUnit,
    /// The name of the terminal's field, which has a vendor's prefix in the original.
    pub channel_terminal_field: String,
    /// Whether a success repeats the request's `transactionId`. If so, one that does not is uncertain.
    pub transaction_id_is_echoed: bool,
    /// Response codes for a transaction that is not finished: uncertain, to be requeried.
    pub unfinished_codes: Vec<String>,
    /// Response codes with which the provider guarantees that no money moved and none will. Without that guarantee the
    /// list is empty, and every code other than success leaves the outcome unknown.
    pub refused_codes: Vec<String>,
    /// HTTP statuses with which the provider guarantees that nothing was done, so that the same id may be sent again:
    /// any of 307, 308, 401, 407 and 429. Without that guarantee the list is empty, and they are uncertain like all
    /// redirects.
    pub not_done_statuses: Vec<u16>,
}

impl Default for MoneySettings {
    fn default() -> Self {
        MoneySettings {
            amount_unit: AmountUnit::Minor,
            channel_terminal_field: "channelTerminalId".to_owned(),
            transaction_id_is_echoed: true,
            unfinished_codes: Vec::new(),
            refused_codes: Vec::new(),
            not_done_statuses: Vec::new(),
        }
    }
}

/// What the interface leaves open about E9: all of it. A field of the request whose name is empty is not sent. Dots in
/// the name of a field of the answer lead into nested objects, as in `data.status`. Case does not matter in the words
/// of a status.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequerySettings {
    /// With `get` the fields are query parameters, with `post` a JSON body.
    pub method: Method,
    /// The path below `base_url`, with `{transactionId}` and `{loanId}` filled in.
    pub path: String,
    /// The field of the transaction.
    pub transaction_field: String,
    /// The field of the loan.
    pub loan_field: String,
    /// The field of the lender.
    pub provider_field: String,
    /// The field of the answer that holds its code.
    pub code_field: String,
    /// The field of the answer that holds its message.
    pub message_field: String,
    /// The field of the answer that holds the status; empty if only the code gives the outcome.
    pub status_field: String,
    /// The field of the answer that names the transaction. An answer about another one is refused.
    pub answer_transaction_field: String,
    /// The field of the answer that names the loan. An answer about another one is refused.
    pub answer_loan_field: String,
    /// The field of the answer that holds the provider's own reference of the transaction.
    pub answer_reference_field: String,
    /// The field of the answer that holds the amount, in the unit of `money.amount_unit`. An answer about another
    /// amount than was sent is refused. Empty if it is not compared.
    pub answer_amount_field: String,
    /// Words for: the money has moved.
    pub succeeded: Vec<String>,
    /// Words for: the money has not moved and never will.
    pub failed: Vec<String>,
    /// Words for: not finished.
    pub pending: Vec<String>,
    /// Words for: unknown.
    pub not_found: Vec<String>,
    /// Response codes for: the money has moved.
    pub succeeded_codes: Vec<String>,
    /// Response codes for: the money has not moved and never will.
    pub failed_codes: Vec<String>,
    /// Response codes for: not finished.
    pub pending_codes: Vec<String>,
    /// Response codes for: unknown.
    pub not_found_codes: Vec<String>,
}

impl Default for RequerySettings {
    fn default() -> Self {
        let one = |word: &str| vec![word.to_owned()];
        RequerySettings {
            method: Method::Get,
            path: "lending-service/api/v1/transactions/{transactionId}".to_owned(),
            transaction_field: String::new(),
            loan_field: "loanId".to_owned(),
            provider_field: "providerCode".to_owned(),
            code_field: "responseCode".to_owned(),
            message_field: "responseMessage".to_owned(),
            status_field: "status".to_owned(),
            answer_transaction_field: "transactionId".to_owned(),
            answer_loan_field: "loanId".to_owned(),
            answer_reference_field: "transactionRef".to_owned(),
            answer_amount_field: "amount".to_owned(),
            succeeded: one("SUCCESSFUL"),
            failed: one("FAILED"),
            pending: one("PENDING"),
            not_found: one("NOT_FOUND"),
            succeeded_codes: Vec::new(),
            failed_codes: Vec::new(),
            pending_codes: Vec::new(),
            not_found_codes: Vec::new(),
        }
    }
}

/// iQR issuing: where it is, and what the interface leaves open about it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct IqrSettings {
    /// The address of iQR issuing.
    pub base_url: String,
    /// The caller's aggregator id, sent with each call.
    pub aggregator_id: String,
    /// The field of an answer that holds its code.
    pub code_field: String,
    /// The field of an answer that holds its message.
    pub message_field: String,
    /// The codes that mean success.
    pub success_codes: Vec<String>,
    /// How many iQRs one bulk request may ask for.
    pub bulk_quantity_max: u32,
    /// Headers of each call of I1 to I5.
    #[serde(skip_serializing_if = "Headers::is_empty", serialize_with = "refuse_values")]
    pub headers: Headers,
}

impl Default for IqrSettings {
    fn default() -> Self {
        IqrSettings {
            base_url: String::new(),
            aggregator_id: String::new(),
            code_field: "responseCode".to_owned(),
            message_field: "responseMessage".to_owned(),
            success_codes: vec!["00".to_owned()],
            bulk_quantity_max: 1_000,
            headers: Headers::new(),
        }
    }
}

/// Pay Bill: where it is, and what the interface leaves open about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct BillSettings {
    /// The address of transaction statuses: the host for tests, or the live one.
    pub base_url: String,
    /// P1, creating a bill.
    pub create: CreateBillSettings,
    /// P2, the status of its payment.
    pub status: PaymentStatusSettings,
    /// The format of a webhook's event.
    pub webhook: WebhookSettings,
}

/// What the interface leaves open about P1.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct CreateBillSettings {
    /// The address, if it differs from `bill.base_url`.
    pub base_url: String,
    /// The path below it, with `{merchantCode}` filled in.
    pub path: String,
    /// How the call authenticates itself.
    pub authentication: Authentication,
    /// The codes that mean success.
    pub success_codes: Vec<String>,
    /// Headers of the call.
    #[serde(skip_serializing_if = "Headers::is_empty", serialize_with = "refuse_values")]
    pub headers: Headers,
}

impl Default for CreateBillSettings {
    fn default() -> Self {
        CreateBillSettings {
            base_url: String::new(),
            path: "collections/api/v1/pay-bill".to_owned(),
            authentication: Authentication::Bearer,
            success_codes: vec!["200".to_owned()],
            headers: Headers::new(),
        }
    }
}

/// What the interface leaves open about P2.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PaymentStatusSettings {
    /// How the call authenticates itself.
    pub authentication: Authentication,
    /// The field of the answer that holds its code.
    pub code_field: String,
    /// The field that holds its message.
    pub message_field: String,
    /// The field that holds the amount paid.
    pub amount_field: String,
    /// The unit of that amount. In major units it has the decimals of the bill's currency.
    pub amount_unit: AmountUnit,
    /// Which reference identifies the payment in the request.
    pub reference: PaymentReference,
    /// The field that holds the reference. An answer about another one is refused.
    pub reference_field: String,
    /// The field that names the merchant. An answer about another one is refused.
    pub merchant_field: String,
    /// The field that holds the currency.
    pub currency_field: String,
    /// The codes that mean that the bill has been paid.
    pub paid_codes: Vec<String>,
    /// The codes that mean that the bill has not been paid yet and may still be.
    pub pending_codes: Vec<String>,
    /// The codes that mean that the bill has not been paid and never will be. A code in none of the lists is no payment
    /// either, but not final.
    pub not_paid_codes: Vec<String>,
    /// The codes that mean that the service does not know the bill, or does not know it yet.
    pub not_found_codes: Vec<String>,
    /// Headers of the call.
    #[serde(skip_serializing_if = "Headers::is_empty", serialize_with = "refuse_values")]
    pub headers: Headers,
}

/// Which reference P2 takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentReference {
    /// The bill's own, which the service assigned.
    Bill,
    /// The merchant's own, from the request P1.
    Transaction,
}

impl Default for PaymentStatusSettings {
    fn default() -> Self {
        PaymentStatusSettings {
            authentication: Authentication::None,
            code_field: "responseCode".to_owned(),
            message_field: "responseMessage".to_owned(),
            amount_field: "amount".to_owned(),
            amount_unit: AmountUnit::Minor,
            reference: PaymentReference::Bill,
            reference_field: "transactionReference".to_owned(),
            merchant_field: "merchantCode".to_owned(),
            currency_field: "currencyCode".to_owned(),
            paid_codes: vec!["00".to_owned()],
            pending_codes: vec!["01".to_owned()],
            not_paid_codes: Vec::new(),
            not_found_codes: Vec::new(),
            headers: Headers::new(),
        }
    }
}

/// What the interface leaves open about webhooks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookSettings {
    /// Where an event names the bill: field names from the outermost object inwards, separated by dots.
    pub reference_field: String,
}

impl Default for WebhookSettings {
    fn default() -> Self {
        WebhookSettings { reference_field: "reference".to_owned() }
    }
}
