//! iQRs: issued for a customer or in bulk, linked once, found again. Knows nothing of cards: what came encrypted is not kept.

use std::collections::BTreeMap;

use serde::Serialize;

use super::keyed_list::KeyedList;
use super::{Newest, Refusal, State};

#[derive(Default)]
pub(super) struct Iqrs {
    all: KeyedList<Iqr>,
    /// What each call did, by endpoint and `transactionRef`.
    done: BTreeMap<(&'static str, String), (String, Issued)>,
}

/// An iQR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Iqr {
    /// Identifies it.
    pub qr_id: String,
    /// Its reference.
    pub qr_ref: String,
    /// Whether it belongs to a customer.
    pub linked: bool,
    #[serde(skip)]
    mobile_number: Option<String>,
}

/// What a call asks for.
pub(crate) enum IqrCall<'a> {
    /// I1.
    Validate,
    /// I2.
    ForCustomer { mobile_number: Option<&'a str> },
    /// I3.
    Unassigned { quantity: i64 },
    /// I4.
    Link { qr_id: &'a str, qr_ref: &'a str, mobile_number: Option<&'a str> },
}

/// What a call brought about: no iQR, one, or several.
pub(crate) type Issued = Vec<Iqr>;

impl State {
    /// The iQRs so far.
    pub fn iqrs(&self) -> Vec<Iqr> {
        self.newest_iqrs(usize::MAX).rows
    }

    pub(crate) fn newest_iqrs(&self, most: usize) -> Newest<Iqr> {
        self.store().iqrs.all.newest(most)
    }

    /// Does what a call asks for, once for a `transactionRef`: the same call again gets the same answer.
    pub(crate) fn iqr_call(
        &self,
        call: &IqrCall<'_>,
        transaction_ref: &str,
        fingerprint: String,
    ) -> Result<Issued, Refusal> {
        let name = match call {
            IqrCall::Validate => "validate",
            IqrCall::ForCustomer { .. } | IqrCall::Unassigned { .. } => "request",
            IqrCall::Link { .. } => "link",
        };
        let mut store = self.store_to_change();
        let key = (name, transaction_ref.to_owned());
        if let Some((known, issued)) = store.iqrs.done.get(&key) {
            return match *known == fingerprint {
                true => Ok(issued.clone()),
                false => Err(Refusal::conflict("`transactionRef` has been used with another body")),
            };
        }
        let issued = match call {
            IqrCall::Validate => Vec::new(),
            IqrCall::ForCustomer { mobile_number } => vec![self.make(&mut store.iqrs, true, *mobile_number)],
            IqrCall::Unassigned { quantity } => {
                (0..*quantity).map(|_| self.make(&mut store.iqrs, false, None)).collect()
            }
            IqrCall::Link { qr_id, qr_ref, mobile_number } => {
                vec![store.iqrs.link(qr_id, qr_ref, *mobile_number)?]
            }
        };
        store.iqrs.done.insert(key, (fingerprint, issued.clone()));
        Ok(issued)
    }

    fn make(&self, iqrs: &mut Iqrs, linked: bool, mobile_number: Option<&str>) -> Iqr {
        let number = (iqrs.all.len() + 1).to_string();
        let iqr = Iqr {
            qr_id: self.id("QR", &["id", &number]),
            qr_ref: self.id("QF", &["ref", &number]),
            linked,
            mobile_number: mobile_number.map(str::to_owned),
        };
        iqrs.all.add(&iqr.qr_id, iqr.clone());
        iqr
    }

    /// Finds an iQR (I5); with a telephone number, only that customer's.
    pub(crate) fn iqr(&self, qr_id: &str, mobile_number: Option<&str>) -> Result<Iqr, Refusal> {
        let store = self.store();
        let is_customers = |iqr: &&Iqr| match (&iqr.mobile_number, mobile_number) {
            (Some(known), Some(given)) => known == given,
            _ => true,
        };
        let found = store.iqrs.all.get(qr_id).filter(is_customers);
        found.cloned().ok_or_else(|| Refusal::unknown("no iQR with this `qrId` for this customer"))
    }
}

impl Iqrs {
    /// Links an iQR to a customer, once.
    fn link(&mut self, qr_id: &str, qr_ref: &str, mobile_number: Option<&str>) -> Result<Iqr, Refusal> {
        let iqr = self.all.get_mut(qr_id).filter(|iqr| iqr.qr_ref == qr_ref);
        let iqr = iqr.ok_or_else(|| Refusal::unknown("no iQR with this `qrId` and `qrRef`"))?;
        if iqr.linked {
            return Err(Refusal::conflict("the iQR belongs to a customer already"));
        }
        iqr.linked = true;
        iqr.mobile_number = mobile_number.map(str::to_owned);
        Ok(iqr.clone())
    }
}
