//! Bills are made (P1), found (P2) and paid. Knows nothing of pages.

use crate::provider::sandbox::store::bills::{Bill, NewBill};
use crate::provider::sandbox::store::refusal::Refusal;
use crate::provider::sandbox::store::state::SandboxState;

impl SandboxState {
    /// Makes a bill. A repeated call with the merchant's own reference returns the same bill.
    pub(crate) fn create_bill(&self, asked: NewBill, fingerprint: String) -> Result<Bill, Refusal> {
        let mut store = self.store_to_change();
        let own = asked.merchant_reference();
        if let Some(bill) = own.as_ref().and_then(|own| store.bills.by_merchant_reference(own)) {
            return match bill.fingerprint == fingerprint {
                true => Ok(bill.clone()),
                false => Err(Refusal::conflict("`transactionReference` has been used with another body")),
            };
        }
        let number = store.bills.all.len() + 1;
        let reference = self.id("BL", &["bill", &number.to_string()]);
        // Beyond 32 bits: the interface declares a long.
        let id = 4_294_967_296 + number as i64;
        let bill = Bill { id, reference, asked, paid: None, paid_at: None, fingerprint };
        store.bills.add(bill.clone());
        Ok(bill)
    }

    /// A bill by its reference on the service.
    pub(crate) fn bill_by_reference(&self, reference: &str) -> Option<Bill> {
        self.store().bills.all.get(reference).cloned()
    }

    /// A merchant's bill by its reference on the service, or by the merchant's own.
    pub(crate) fn merchant_bill(&self, merchant_code: &str, reference: &str) -> Option<Bill> {
        let store = self.store();
        let by_service = store.bills.all.get(reference).filter(|bill| bill.asked.merchant_code == merchant_code);
        let own = || store.bills.by_merchant_reference(&(merchant_code.to_owned(), reference.to_owned()));
        by_service.or_else(own).cloned()
    }

    /// Pays a bill once: in full, or with another amount on request.
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
