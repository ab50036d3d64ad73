//! The receiver of Pay Bill's webhooks. Knows nothing of loans, or of where bills are kept: the caller passes that in.

mod inbox;
mod keyed_mutex;
mod webhook;

pub use inbox::{Inbox, InboxError, Standing};
pub use webhook::{Bills, BillsError, Checked, Receiver};
