//! Floor 4: what a lender or merchant serves. So far that is the receiver of Pay Bill's webhooks. Knows nothing of
//! statements, rules and decisions, or of where bills are kept: the caller passes that in.

mod inbox;
mod keyed_mutex;
mod webhook;

pub use inbox::{Inbox, InboxError, Standing};
pub use webhook::{Bills, BillsError, Checked, Receiver};
