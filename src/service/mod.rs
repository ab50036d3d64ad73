//! Floor 4: what a lender or merchant itself serves; so far the receiver of Pay Bill's webhooks. Knows nothing of statements,
//! rules and decisions, and nothing of where bills are kept: that is handed in.

mod inbox;
mod keyed_mutex;
mod webhook;

pub use inbox::{Inbox, InboxError, Standing};
pub use webhook::{Bills, BillsError, Checked, Receiver};
