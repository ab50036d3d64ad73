//! The endpoints that the lender hosts and the provider calls. Knows nothing of how offers come about or where loans
//! are kept.

mod lender;

pub use lender::{Accepted, BoxFuture, Lender, OffersAnswer, Refusal};
