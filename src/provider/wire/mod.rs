//! The provider's interface as values, one type per endpoint: the request, the answer, and whether the call
//! may be retried. Knows nothing of sockets, of tokens, or of how an offer came about.

pub mod bill;
mod body;
mod call;
mod error;
pub mod iqr;
pub mod lender;
pub mod lending;
mod method;
mod parse;
mod path;
pub(crate) use parse::{Scalar, tidy_provider_message};
#[doc(hidden)]
pub use path::{match_template, path_segments, varying_segment};
mod settings;
mod skim;

pub use body::Body;
pub(crate) use body::{PERSONAL, SECRET};
pub(crate) use call::shows_only;
pub use call::{Call, Effect, Host};
pub use error::{Unsendable, Unusable};
#[doc(no_inline)]
pub use lending::{
    Acknowledgement, GET_OFFERS_PATH, GetOffers, ListedOffer, Offer, OffersReply, ReceivedOffers, RecordsPage,
    SendOffers, TRANSACTION_RECORDS_PATH, TransactionRecords,
};
#[doc(hidden)]
pub use lending::{merge_pages, split_pages};
pub use method::Method;
pub use settings::{
    AcceptOfferSettings, Authentication, BillSettings, ClientAuthentication, CreateBillSettings, Headers, IqrSettings,
    Layout, LenderCodes, LenderSettings, Limits, MoneySettings, PaymentReference, PaymentStatusSettings,
    RecordsSettings, RequerySettings, Segment, SendOffersSettings, Settings, TokenSettings, VerifyAccountSettings,
    WebhookSettings,
};
#[doc(hidden)]
pub use skim::Skim;
