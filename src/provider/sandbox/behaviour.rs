//! What the sandbox does where the interface leaves a choice. Users set it in a file of its own, beside that of faults.
//! Knows nothing of how it is done.

use serde::Deserialize;

use crate::base::secret::Secret;

/// How the sandbox behaves. All fields have defaults; unknown ones are refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Behaviour {
    /// Which of the three success bodies E4 answers with. Each of them makes the loan.
    pub accept: AcceptAnswer,
    /// Whether E1 asks the lender's Get Offers for offers, and E4 passes the acceptance to its Accept Offers.
    pub forwards_to_lender: bool,
    /// For how many requeries a transaction is unknown at first.
    pub requery_not_found: u32,
    /// For how many requeries after these it is pending.
    pub requery_pending: u32,
    /// For how many requeries after these it is reported as failed, whatever became of it.
    pub requery_failed: u32,
    /// How many debits fail at first, because the customer's account holds too little.
    pub debits_refused: u32,
    /// How payment notifications (E11) arrive at the lender.
    pub notifications: Notifications,
}

/// The success bodies of E4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AcceptAnswer {
    /// One with a `loanId`.
    #[default]
    Loan,
    /// One whose message says that offers will be sent.
    OffersWillBeSent,
    /// One whose message says that the customer will be notified.
    CustomerWillBeNotified,
}

/// The most copies of a notification.
pub(crate) const COPIES_MAX: u32 = 100;
/// The most attempts at one notification.
pub(crate) const ATTEMPTS_MAX: u32 = 20;

/// How payment notifications arrive.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Notifications {
    /// Sends none.
    pub suppressed: bool,
    /// How often each is sent.
    pub copies: u32,
    /// Collects this many and sends them last one first; 0 and 1 keep the order.
    pub reversed_in: u32,
    /// The delay before each is sent.
    pub delay_ms: u64,
    /// How often one is tried until the lender accepts it.
    pub attempts_max: u32,
    /// The wait before the second attempt. It doubles with each further attempt.
    pub wait_ms: u64,
}

impl Default for Notifications {
    fn default() -> Self {
        Notifications { suppressed: false, copies: 1, reversed_in: 0, delay_ms: 0, attempts_max: 3, wait_ms: 200 }
    }
}

/// The lender's own endpoints.
#[derive(Debug, Clone)]
pub struct Lender {
    /// The address, `{lender_url}`; the paths below it are settings.
    pub url: String,
    /// The user name, sent with each call.
    pub username: String,
    /// The password, sent with each call.
    pub password: Secret,
}
