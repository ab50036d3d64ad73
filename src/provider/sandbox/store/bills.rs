//! Bills: made by P1, paid on their page, asked about by P2. Knows nothing of pages.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use indexmap::IndexMap;
use serde::Serialize;

#[derive(Default)]
pub(super) struct Bills {
    pub(super) all: IndexMap<String, Bill>,
    /// References on the service, by merchant and the merchant's own reference.
    by_merchant: HashMap<(String, String), String>,
}

/// A bill.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bill {
    /// Identifies the bill.
    pub id: i64,
    /// The reference on the service.
    pub reference: String,
    /// The request, P1.
    #[serde(flatten)]
    pub asked: NewBill,
    /// The amount paid, in minor units; `None` while unpaid.
    pub paid: Option<i64>,
    /// When it was paid.
    pub paid_at: Option<DateTime<Utc>>,
    #[serde(skip)]
    pub(super) fingerprint: String,
}

/// The request P1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewBill {
    /// The merchant.
    pub merchant_code: String,
    /// The merchant's payment item.
    pub payable_code: String,
    /// The amount to pay, in minor units.
    pub amount: i64,
    /// The currency's number, three digits.
    pub currency_code: String,
    /// Where the customer goes after paying.
    pub redirect_url: String,
    /// The customer on the merchant's system.
    pub customer_id: String,
    /// The customer's e-mail address.
    pub customer_email: Option<String>,
    /// The merchant's own reference.
    pub transaction_reference: Option<String>,
}

impl NewBill {
    /// The merchant with its own reference, where it gave one.
    pub(super) fn merchant_reference(&self) -> Option<(String, String)> {
        self.transaction_reference.clone().map(|own| (self.merchant_code.clone(), own))
    }
}

impl Bills {
    /// Adds a bill. The caller has checked that neither reference is taken.
    pub(super) fn add(&mut self, bill: Bill) {
        if let Some(own) = bill.asked.merchant_reference() {
            self.by_merchant.insert(own, bill.reference.clone());
        }
        self.all.insert(bill.reference.clone(), bill);
    }

    /// A bill by its merchant and the merchant's own reference.
    pub(super) fn by_merchant_reference(&self, own: &(String, String)) -> Option<&Bill> {
        self.by_merchant.get(own).and_then(|reference| self.all.get(reference))
    }
}
