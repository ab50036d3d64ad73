//! Faults on request: what an endpoint does wrong, how often, and when. Knows nothing of what the endpoint means, nor
//! of how an answer is corrupted.

use std::sync::atomic::{AtomicU32, Ordering};

use serde::Deserialize;

use super::contract::Endpoint;

/// The faults of each endpoint; `None` for an endpoint without a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// E1.
    pub get_offers: Option<Fault>,
    /// E2.
    pub transaction_records: Option<Fault>,
    /// E3.
    pub send_offers: Option<Fault>,
    /// E4.
    pub accept_offer: Option<Fault>,
    /// E5.
    pub verify_account: Option<Fault>,
    /// E6.
    pub fund_loan: Option<Fault>,
    /// E7.
    pub send_sms: Option<Fault>,
    /// E8.
    pub debit_customer: Option<Fault>,
    /// E9.
    pub requery: Option<Fault>,
    /// I1.
    pub validate_card: Option<Fault>,
    /// I2 and I3.
    pub request_iqr: Option<Fault>,
    /// I4.
    pub link_iqr: Option<Fault>,
    /// I5.
    pub iqr_reference: Option<Fault>,
    /// P1.
    pub create_bill: Option<Fault>,
    /// P2.
    pub payment_status: Option<Fault>,
}

impl Faults {
    /// The fault of an endpoint.
    pub fn for_endpoint(&self, endpoint: Endpoint) -> Option<&Fault> {
        match endpoint {
            Endpoint::GetOffers => &self.get_offers,
            Endpoint::TransactionRecords => &self.transaction_records,
            Endpoint::SendOffers => &self.send_offers,
            Endpoint::AcceptOffer => &self.accept_offer,
            Endpoint::VerifyAccount => &self.verify_account,
            Endpoint::FundLoan => &self.fund_loan,
            Endpoint::SendSms => &self.send_sms,
            Endpoint::DebitCustomer => &self.debit_customer,
            Endpoint::Requery => &self.requery,
            Endpoint::ValidateCard => &self.validate_card,
            Endpoint::RequestIqr => &self.request_iqr,
            Endpoint::LinkIqr => &self.link_iqr,
            Endpoint::IqrReference => &self.iqr_reference,
            Endpoint::CreateBill => &self.create_bill,
            Endpoint::PaymentStatus => &self.payment_status,
        }
        .as_ref()
    }

    /// The fault of an endpoint, to replace it.
    pub(crate) fn slot(&mut self, endpoint: Endpoint) -> &mut Option<Fault> {
        match endpoint {
            Endpoint::GetOffers => &mut self.get_offers,
            Endpoint::TransactionRecords => &mut self.transaction_records,
            Endpoint::SendOffers => &mut self.send_offers,
            Endpoint::AcceptOffer => &mut self.accept_offer,
            Endpoint::VerifyAccount => &mut self.verify_account,
            Endpoint::FundLoan => &mut self.fund_loan,
            Endpoint::SendSms => &mut self.send_sms,
            Endpoint::DebitCustomer => &mut self.debit_customer,
            Endpoint::Requery => &mut self.requery,
            Endpoint::ValidateCard => &mut self.validate_card,
            Endpoint::RequestIqr => &mut self.request_iqr,
            Endpoint::LinkIqr => &mut self.link_iqr,
            Endpoint::IqrReference => &mut self.iqr_reference,
            Endpoint::CreateBill => &mut self.create_bill,
            Endpoint::PaymentStatus => &mut self.payment_status,
        }
    }
}

/// What goes wrong with an endpoint's calls. Faults can be combined. `reset_before`, and `status` or `redirect_to`
/// without `after_commit`, answer in place of the endpoint, which then does nothing. All others apply after the
/// endpoint has done its work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fault {
    /// How many calls are unaffected at first.
    pub after: u32,
    /// How many calls are affected after that; all by default.
    pub times: Option<u32>,
    /// Waits before the endpoint does its work, so a caller who gives up meanwhile has caused nothing. With
    /// `after_commit` only the answer waits.
    pub latency_ms: u64,
    /// Answers with this HTTP status.
    pub status: Option<u16>,
    /// The header `Retry-After`, in seconds.
    pub retry_after_s: Option<u64>,
    /// Redirects the caller to this address, with `status`, or 302.
    pub redirect_to: Option<String>,
    /// `latency_ms`, `status` and `redirect_to` apply after the endpoint has done its work.
    pub after_commit: bool,
    /// Carries the request out twice, as a proxy may. The second answer is sent.
    pub duplicate: bool,
    /// Resets the connection before the endpoint does its work.
    pub reset_before: bool,
    /// Resets the connection in place of the answer, after the endpoint has done its work.
    #[serde(alias = "reset")]
    pub lost_after_commit: bool,
    /// Answers with a body of another kind.
    pub body: Option<FaultBody>,
    /// Answers with the endpoint's own refusal, under HTTP status 200.
    pub wrong_status: bool,
    /// Sends a content type other than the body's.
    pub content_type: Option<String>,
    /// Puts this many megabytes of spaces before the answer.
    pub oversize_mb: u64,
    /// The same, compressed to about a thousandth.
    pub gzip_bomb_mb: u64,
    /// Breaks off after this many bytes, although the whole length was announced.
    pub truncate_at: Option<usize>,
    /// Sends this many bytes per second.
    pub drip_bytes_per_second: Option<u64>,
}

/// A wrong body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultBody {
    /// A web page.
    Html,
    /// Nothing.
    Empty,
    /// The answer with its second half scrambled.
    Garbled,
}

/// Whether a status is final, and not informational.
pub(crate) fn is_final_status(status: u16) -> bool {
    (200..600).contains(&status)
}

impl Fault {
    /// Whether it answers in place of the endpoint.
    pub(crate) fn answers(&self) -> bool {
        self.status.is_some() || self.redirect_to.is_some()
    }

    /// The HTTP status of its own answer.
    pub(crate) fn own_status(&self) -> u16 {
        let otherwise = if self.redirect_to.is_some() { 302 } else { 500 };
        // Any other status would close the connection.
        self.status.filter(|status| is_final_status(*status)).unwrap_or(otherwise)
    }

    /// Its effects, by their names in a file of faults.
    pub(crate) fn in_words(&self) -> String {
        let mut words = Vec::new();
        let mut word = |yes: bool, text: &str| {
            if yes {
                words.push(text.to_owned());
            }
        };
        word(self.latency_ms > 0, "latency");
        word(self.duplicate, "duplicate");
        word(self.reset_before, "reset_before");
        word(self.redirect_to.is_some(), "redirect");
        word(self.status.is_some(), "status");
        word(self.after_commit, "after_commit");
        word(self.lost_after_commit, "lost_after_commit");
        word(self.body.is_some(), "body");
        word(self.wrong_status, "wrong_status");
        word(self.content_type.is_some(), "content_type");
        word(self.oversize_mb > 0, "oversize");
        word(self.gzip_bomb_mb > 0, "gzip_bomb");
        word(self.truncate_at.is_some(), "truncate");
        word(self.drip_bytes_per_second.is_some(), "drip");
        words.join(", ")
    }
}

/// How many calls each endpoint has had.
#[derive(Debug, Default)]
pub(crate) struct Counters([AtomicU32; Endpoint::ALL.len()]);

impl Counters {
    /// Counts a call and returns whether the fault affects it.
    pub(crate) fn affects(&self, endpoint: Endpoint, fault: Option<&Fault>) -> bool {
        let earlier = self.0.get(endpoint as usize).map_or(0, |calls| calls.fetch_add(1, Ordering::Relaxed));
        fault.is_some_and(|fault| {
            let since = earlier.checked_sub(fault.after);
            since.is_some_and(|since| fault.times.is_none_or(|times| since < times))
        })
    }

    /// Resets the count of one endpoint.
    pub(crate) fn clear_one(&self, endpoint: Endpoint) {
        if let Some(calls) = self.0.get(endpoint as usize) {
            calls.store(0, Ordering::Relaxed);
        }
    }

    /// Resets all counts.
    pub(crate) fn clear(&self) {
        self.0.iter().for_each(|calls| calls.store(0, Ordering::Relaxed));
    }
}
