//! Bills: made by P1, paid on their page, asked about by P2. Knows nothing of pages.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::keyed_list::KeyedList;
use super::{Newest, Refusal, State};

#[derive(Default)]
pub(super) struct Bills {
    all: KeyedList<Bill>,
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
    /// What P1 said.
    #[serde(flatten)]
    pub asked: NewBill,
    /// What was paid, in minor units, where something was.
    pub paid: Option<i64>,
    /// When.
    pub paid_at: Option<DateTime<Utc>>,
    #[serde(skip)]
    fingerprint: String,
}

/// What P1 says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewBill {
    /// The merchant.
    pub merchant_code: String,
    /// The merchant's payment item.
    pub payable_code: String,
    /// What is to be paid, in minor units.
    pub amount: i64,
    /// The currency's number, three digits.
    pub currency_code: String,
    /// Where the customer goes after paying.
    pub redirect_url: String,
    /// The customer on the merchant's system.
    pub customer_id: String,
    /// The customer's address.
    pub customer_email: Option<String>,
    /// The merchant's own reference.
    pub transaction_reference: Option<String>,
}

impl State {
    /// The bills so far.
    pub fn bills(&self) -> Vec<Bill> {
        self.newest_bills(usize::MAX).rows
    }

    pub(crate) fn newest_bills(&self, most: usize) -> Newest<Bill> {
        self.store().bills.all.newest(most)
    }

    /// Makes a bill. With the merchant's own reference, the same call again gives the same bill.
    pub(crate) fn bill(&self, asked: NewBill, fingerprint: String) -> Result<Bill, Refusal> {
        let mut store = self.store_to_change();
        let own = asked.transaction_reference.clone().map(|own| (asked.merchant_code.clone(), own));
        if let Some(bill) = own.as_ref().and_then(|own| store.bills.of_merchant(own)) {
            return match bill.fingerprint == fingerprint {
                true => Ok(bill.clone()),
                false => Err(Refusal::conflict("`transactionReference` has been used with another body")),
            };
        }
        let number = store.bills.all.len() + 1;
        let reference = self.id("BL", &["bill", &number.to_string()]);
        // Larger than what fits 32 bits: the interface declares a long.
        let id = 4_294_967_296 + number as i64;
        if let Some(own) = own {
            store.bills.by_merchant.insert(own, reference.clone());
        }
        let bill = Bill { id, reference, asked, paid: None, paid_at: None, fingerprint };
        store.bills.all.add(&bill.reference, bill.clone());
        Ok(bill)
    }

    /// A bill by its reference on the service.
    pub(crate) fn bill_of(&self, reference: &str) -> Option<Bill> {
        self.store().bills.all.get(reference).cloned()
    }

    /// A merchant's bill by its reference on the service, or by the merchant's own.
    pub(crate) fn bill_of_merchant(&self, merchant_code: &str, reference: &str) -> Option<Bill> {
        let store = self.store();
        let by_service = store.bills.all.get(reference).filter(|bill| bill.asked.merchant_code == merchant_code);
        let own = || store.bills.of_merchant(&(merchant_code.to_owned(), reference.to_owned()));
        by_service.or_else(own).cloned()
    }

    /// Pays a bill once, with what the customer pays: all of it, or another amount on request.
    pub(crate) fn pay(&self, reference: &str, amount: Option<i64>) -> Result<Bill, Refusal> {
        let at = self.now();
        let mut store = self.store_to_change();
        let bill = store.bills.all.get_mut(reference);
        let bill = bill.ok_or_else(|| Refusal::unknown("no bill with this reference"))?;
        if bill.paid.is_some() {
            return Err(Refusal::conflict("the bill has been paid"));
        }
        let amount = amount.unwrap_or(bill.asked.amount);
        if !(1..=1_000_000_000_000_000).contains(&amount) {
            return Err(Refusal::bad("the amount is not from 1 to 1000000000000000 minor units"));
        }
        (bill.paid, bill.paid_at) = (Some(amount), Some(at));
        let bill = bill.clone();
        self.announce_payment(&mut store.callbacks, &bill, amount);
        Ok(bill)
    }
}

impl Bills {
    /// A bill by its merchant and the merchant's own reference.
    fn of_merchant(&self, own: &(String, String)) -> Option<&Bill> {
        self.by_merchant.get(own).and_then(|reference| self.all.get(reference))
    }
}
