//! The calls I1 to I5. Knows nothing of cards.

use crate::provider::sandbox::store::iqrs::{Iqr, Iqrs};
use crate::provider::sandbox::store::refusal::Refusal;
use crate::provider::sandbox::store::state::SandboxState;

/// A call of iQR issuing.
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

impl SandboxState {
    /// Carries out a call once for each `transactionRef`: a repeated call gets the same iQRs.
    pub(crate) fn iqr_call(
        &self,
        call: &IqrCall<'_>,
        transaction_ref: &str,
        fingerprint: String,
    ) -> Result<Vec<Iqr>, Refusal> {
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
        iqrs.all.insert(iqr.qr_id.clone(), iqr.clone());
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
