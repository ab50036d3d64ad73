//! iQRs: issued for a customer or in bulk, linked once, found again. Knows nothing of cards: encrypted card data is not
//! kept.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Serialize;

use super::refusal::Refusal;

#[derive(Default)]
pub(super) struct Iqrs {
    pub(super) all: IndexMap<String, Iqr>,
    /// Each call's body, as a fingerprint, and its result, by endpoint and `transactionRef`.
    pub(super) done: BTreeMap<(&'static str, String), (String, Vec<Iqr>)>,
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
    pub(super) mobile_number: Option<String>,
}

impl Iqrs {
    /// Links an iQR to a customer, once.
    pub(super) fn link(&mut self, qr_id: &str, qr_ref: &str, mobile_number: Option<&str>) -> Result<Iqr, Refusal> {
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
