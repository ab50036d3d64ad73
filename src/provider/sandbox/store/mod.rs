//! What the sandbox remembers, and how it stays consistent: each change is made as a whole under one lock. Knows
//! nothing of HTTP.
//!
//! One file for each kind of thing that is kept, and `state` around them. `actions` change it, `lists` show it.

mod actions;
mod bills;
mod callbacks;
mod exchanges;
mod iqrs;
mod lists;
mod loans;
mod newest;
mod offers;
mod refusal;
mod state;
mod transactions;

pub use bills::{Bill, NewBill};
pub use callbacks::{Callback, CallbackKind, CallbackState};
pub use exchanges::{Exchange, Seen};
pub use iqrs::Iqr;
pub use loans::{EntryKind, Loan, LoanLedgerEntry, SandboxLoanState};
pub use offers::{OfferRequest, Received};
pub use state::SandboxState;
pub use transactions::{Sms, StoredOutcome, Transaction, TransactionKind};

pub(crate) use actions::{Accepting, Account, IqrCall, Moving, Requeried};
pub(crate) use callbacks::{Delivery, Lane};
pub(crate) use newest::Newest;
pub(crate) use refusal::Refusal;
pub(crate) use state::format_rfc3339_moment;
