//! Floor 4: what a lender or merchant serves: the lender's endpoints that the provider calls, and the receiver of Pay
//! Bill's webhooks. Knows nothing of statements, rules and decisions, or of where loans and bills are kept: the caller
//! passes that in.

#[doc(hidden)]
pub mod config;
#[doc(hidden)]
pub mod hosted;
mod pay_bill;

pub use pay_bill::{Bills, BillsError, Checked, Inbox, InboxError, Receiver, Standing};
