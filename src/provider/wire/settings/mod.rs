//! What the interface leaves open, and the limits of every call, as settings with defaults. Each field for something
//! that the interface does not show has an entry in `docs/reference/assumptions.md`. Knows nothing of files or of the
//! environment.

mod areas;
mod lender;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use areas::{
    AcceptOfferSettings, Authentication, BillSettings, ClientAuthentication, CreateBillSettings, Headers, IqrSettings,
    MoneySettings, PaymentReference, PaymentStatusSettings, RequerySettings, TokenSettings, VerifyAccountSettings,
    WebhookSettings,
};
pub use lender::{LenderCodes, LenderSettings};

use crate::base::secret::{Secret, refuse_some, refuse_values};

/// How the provider is reached and called. All fields have defaults; unknown ones are refused.
///
/// Settings are read from any format of `serde` and can be written to it again. Those that hold a secret are not
/// written: it would end up where nobody expects it.
///
/// ```
/// use lendwright::{Secret, Settings};
/// let mut settings: Settings = serde_json::from_str(r#"{"base_url": "https://provider.example"}"#)?;
/// let again: Settings = serde_json::from_str(&serde_json::to_string(&settings)?)?;
/// assert_eq!(again.base_url, "https://provider.example");
///
/// settings.headers.insert("X-Api-Key".to_owned(), Secret::new("abc"));
/// assert!(serde_json::to_string(&settings).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The provider's address, such as `https://provider.example`. A path in it is put before every call's path.
    pub base_url: String,
    /// The lender's `providerCode`.
    pub provider_code: String,
    /// The response code that means success.
    pub success_code: String,
    /// Allows plain `http` to a host that is not this machine. The token is then sent readable.
    pub allow_plain_http: bool,
    /// Where the access token comes from; `None` if the program supplies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<TokenSettings>,
    /// An HTTP proxy for all calls. The environment's proxy variables are not read.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "refuse_some")]
    pub proxy: Option<Secret>,
    /// A PEM file of certificates to trust in addition to the system's, for a provider or a proxy with its own
    /// authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_certificates: Option<PathBuf>,
    /// Headers of each call of E2 to E9.
    #[serde(skip_serializing_if = "Headers::is_empty", serialize_with = "refuse_values")]
    pub headers: Headers,
    /// E2, the customer's transaction records.
    pub records: RecordsSettings,
    /// E3, the offers.
    pub send_offers: SendOffersSettings,
    /// E4, accepting an offer.
    pub accept_offer: AcceptOfferSettings,
    /// E5, verifying an account.
    pub verify_account: VerifyAccountSettings,
    /// E6 and E8, which move money.
    pub money: MoneySettings,
    /// E9, asking for the outcome of a transaction.
    pub requery: RequerySettings,
    /// The endpoints that the lender hosts: Get Offers, Accept Offers, E10 and E11.
    pub lender: LenderSettings,
    /// I1 to I5, iQR issuing.
    pub iqr: IqrSettings,
    /// P1 and P2, Pay Bill.
    pub bill: BillSettings,
    /// Timeouts, sizes and retries.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            base_url: String::new(),
            provider_code: String::new(),
            success_code: "00".to_owned(),
            allow_plain_http: false,
            token: None,
            proxy: None,
            root_certificates: None,
            headers: Headers::new(),
            records: RecordsSettings::default(),
            send_offers: SendOffersSettings::default(),
            accept_offer: AcceptOfferSettings::default(),
            verify_account: VerifyAccountSettings::default(),
            money: MoneySettings::default(),
            requery: RequerySettings::default(),
            lender: LenderSettings::default(),
            iqr: IqrSettings::default(),
            bill: BillSettings::default(),
            limits: Limits::default(),
        }
    }
}

/// What the interface leaves open about E2.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordsSettings {
    /// The envelope's `status` that means success, in any case.
    pub success_status: String,
    /// The query parameter that asks for a further page, with the value of `data.pagination.nextPage`.
    pub page_parameter: String,
    /// How many pages one pull may have.
    pub pages_max: u32,
}

impl Default for RecordsSettings {
    fn default() -> Self {
        RecordsSettings { success_status: "success".to_owned(), page_parameter: "page".to_owned(), pages_max: 1_000 }
    }
}

/// What the interface leaves open about E3.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SendOffersSettings {
    /// What the path segment after `offers` is.
    pub segment: Segment,
    /// How several offers become query parameters.
    pub layout: Layout,
    /// The `code` sent with offers.
    pub success_code: String,
    /// The `message` sent with offers.
    pub success_message: String,
    /// The `code` sent without an offer.
    pub decline_code: String,
    /// The `message` sent without an offer.
    pub decline_message: String,
}

impl Default for SendOffersSettings {
    fn default() -> Self {
        SendOffersSettings {
            segment: Segment::OfferRequestReference,
            layout: Layout::Repeated,
            success_code: "00".to_owned(),
            success_message: "Successful".to_owned(),
            decline_code: "01".to_owned(),
            decline_message: "No offer".to_owned(),
        }
    }
}

/// What the path segment of E3 is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    /// The reference of the offer request.
    OfferRequestReference,
    /// The id of the (first) offer. An answer without an offer then cannot be sent.
    OfferId,
    /// The lender's provider code.
    ProviderCode,
    /// Always this text.
    Fixed(String),
}

/// How several offers become query parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// `offers` is their number, followed by one group of parameters per offer.
    Repeated,
    /// `offers[0].offerId=…`, and so on.
    Indexed,
    /// `offers` is a JSON array.
    Json,
    /// One call per offer, each with `offers=1`.
    OneCallEach,
}

/// The limits of every call. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// How long connecting may take, including name lookup and TLS.
    pub connect_timeout_ms: u64,
    /// How long the provider may be silent, before an answer or within it.
    pub read_timeout_ms: u64,
    /// How long one attempt may take, from connecting to the last byte of the answer.
    pub total_timeout_ms: u64,
    /// How many decoded bytes are read at most, of one answer, or of all pages of one pull together.
    pub body_bytes_max: u64,
    /// How many calls of one client may be in flight together, and how many pulls. Further ones wait, except calls that
    /// move money. Together with `body_bytes_max` this bounds the memory for answers.
    pub in_flight_max: usize,
    /// How often a repeatable call is tried in total; 1 means no retries.
    pub attempts_max: u32,
    /// How long a repeatable call may take, with all its attempts and waits.
    pub retry_budget_ms: u64,
    /// The wait before the second attempt is random, up to this. The bound doubles with each further attempt.
    pub retry_wait_ms: u64,
    /// The largest bound.
    pub retry_wait_ms_max: u64,
    /// The longest `Retry-After` that is waited for. With a longer one the error is returned at once.
    pub retry_after_ms_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connect_timeout_ms: 5_000,
            read_timeout_ms: 15_000,
            total_timeout_ms: 60_000,
            body_bytes_max: 50_000_000,
            in_flight_max: 64,
            attempts_max: 4,
            retry_budget_ms: 90_000,
            retry_wait_ms: 250,
            retry_wait_ms_max: 10_000,
            retry_after_ms_max: 30_000,
        }
    }
}
