//! Floor 1: the provider's interface as values, one type an endpoint: what is asked, what is answered, and whether the
//! call may be repeated. Knows nothing of sockets, of tokens, or of how an offer came about.

mod call;
mod get_offers;
mod offer;
mod parse;
mod query;
mod records;
mod send_offers;
mod settings;

pub use call::{Call, Method, Unsendable, Unusable};
pub use get_offers::{GetOffers, ListedOffer, OffersReply};
pub use offer::Offer;
pub use records::{RecordsPage, TransactionRecords, merge_pages, split_pages};
pub use send_offers::{Acknowledgement, ReceivedOffers, SendOffers};
pub use settings::{Layout, Limits, RecordsSettings, Segment, SendOffersSettings, Settings};

/// The path of E1 below the base address.
pub const GET_OFFERS_PATH: &str = "lending-service/api/v3/offers";
/// The path of E2 below the base address, without the reference.
pub const TRANSACTION_RECORDS_PATH: &str = "lending-service-data-service/api/v1/customer-details/transactions";
/// The path of E3 below the base address, before its segment.
pub const SEND_OFFERS_PATH: &str = "lending-service/api/v1/offers";
