//! Bills: made by P1, paid on their page, asked about by P2. Knows nothing of pages.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Refusal, State};

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
        self.book().bills.clone()
    }

    /// Makes a bill. With the merchant's own reference, the same call again gives the same bill.
    pub(crate) fn bill(&self, asked: NewBill, fingerprint: String) -> Result<Bill, Refusal> {
        let mut book = self.changed();
        let same = |bill: &&Bill| {
            asked.transaction_reference.is_some()
                && bill.asked.transaction_reference == asked.transaction_reference
                && bill.asked.merchant_code == asked.merchant_code
        };
        if let Some(bill) = book.bills.iter().find(same) {
            return match bill.fingerprint == fingerprint {
                true => Ok(bill.clone()),
                false => Err(Refusal::conflict("`transactionReference` has been used with another body")),
            };
        }
        let number = book.bills.len() + 1;
        let reference = self.id("BL", &["bill", &number.to_string()]);
        // Larger than what fits 32 bits: the interface declares a long.
        let id = 4_294_967_296 + number as i64;
        let bill = Bill { id, reference, asked, paid: None, paid_at: None, fingerprint };
        book.bills.push(bill.clone());
        Ok(bill)
    }

    /// A bill by its reference on the service.
    pub(crate) fn bill_of(&self, reference: &str) -> Option<Bill> {
        self.book().bills.iter().find(|bill| bill.reference == reference).cloned()
    }

    /// A merchant's bill by its reference on the service, or by the merchant's own.
    pub(crate) fn bill_of_merchant(&self, merchant_code: &str, reference: &str) -> Option<Bill> {
        let is_asked = |bill: &&Bill| {
            let own = bill.asked.transaction_reference.as_deref();
            bill.asked.merchant_code == merchant_code && (bill.reference == reference || own == Some(reference))
        };
        self.book().bills.iter().find(is_asked).cloned()
    }

    /// Pays a bill once, with what the customer pays: all of it, or another amount on request.
    pub(crate) fn pay(&self, reference: &str, amount: Option<i64>) -> Result<Bill, Refusal> {
        let at = self.now();
        let mut book = self.changed();
        let bill = book.bills.iter_mut().find(|bill| bill.reference == reference);
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
        self.announce_payment(&mut book, &bill, amount);
        Ok(bill)
    }
}
