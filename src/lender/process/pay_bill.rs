//! Receives the webhooks of Pay Bill: finds the bill in a folder, and records in the audit that it was paid, at most
//! once. Knows nothing of how a payment is proved.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::clock::system_now;
use crate::base::money::Money;
use crate::lender::config::PayBillSettings;
use crate::lender::loan_book::LoanBook;
use crate::lender::webhooks::{BillsError, Checked, Inbox, InboxError, Receiver};
use crate::provider::client::bill::{Client, Difference, NotPaid, Paid, StoredBill};

/// Between tries to record a payment.
const PAUSE: Duration = Duration::from_secs(1);

/// The receiver for a configuration that has one.
pub(super) fn build_receiver(
    settings: &PayBillSettings,
    client: Client,
    book: &LoanBook,
) -> Result<Receiver, InboxError> {
    let inbox = Inbox::open(&settings.inbox, settings.inbox_bytes_max)?;
    let (folder, book) = (settings.bills.clone(), book.clone());
    let handler = move |checked| handle_checked_bill(checked, book.clone());
    Ok(Receiver::new(inbox, client, move |reference: &str| find_bill(&folder, reference), handler))
}

/// Checks waiting events, all the time.
pub(super) async fn check_waiting_events(receiver: Receiver, every: Duration) {
    loop {
        if let Err(error) = receiver.resume().await {
            tracing::error!(%error, "the inbox of webhooks cannot be read");
        }
        tokio::time::sleep(every).await;
    }
}

async fn handle_checked_bill(checked: Checked, book: LoanBook) {
    match checked {
        Checked::Paid(paid) => record(paid, book).await,
        Checked::NotPaid { bill, why: NotPaid::Differs(difference) } => {
            tracing::warn!(reference = bill.reference, %difference, "a bill was paid otherwise than it was made");
            record_difference(&bill.reference, &difference, book).await;
        }
        Checked::NotPaid { bill, .. } => {
            tracing::info!(reference = bill.reference, "a webhook names a bill that has not been paid");
        }
        Checked::NoBill => tracing::warn!("a webhook names no known bill; it stays in the inbox"),
    }
}

/// Records a payment that does not match its bill. A person looks into it: nothing is given for it.
async fn record_difference(reference: &str, difference: &Difference, book: LoanBook) {
    let detail = match difference {
        Difference::Amount { expected, returned } => json!({
            "reference": reference, "because": difference.to_string(),
            "amount_minor": expected.minor(), "paid_minor": returned.minor(),
        }),
        _ => json!({ "reference": reference, "because": difference.to_string() }),
    };
    let recorded =
        tokio::task::spawn_blocking(move || book.record_event(system_now(), "provider", "bill_differs", &detail));
    if !matches!(recorded.await, Ok(Ok(_))) {
        tracing::error!(reference, "a payment that does not match its bill could not be recorded in the audit");
    }
}

/// Tries until it is recorded. The receiver ends that after a while, and checks the event again later.
async fn record(paid: Paid, book: LoanBook) {
    let bill = paid.bill();
    let detail = json!({
        "reference": bill.reference, "merchant_code": bill.merchant_code, "amount_minor": Money::minor(bill.amount),
        "currency": bill.currency.numeric(),
    });
    loop {
        let (book, detail, reference) = (book.clone(), detail.clone(), bill.reference.clone());
        let noted = tokio::task::spawn_blocking(move || book.record_paid_bill(&reference, system_now(), &detail)).await;
        match noted {
            Ok(Ok(true)) => {
                tracing::info!(reference = bill.reference, "a bill has been paid");
                return;
            }
            // The event came again.
            Ok(Ok(false)) => return,
            Ok(Err(error)) => tracing::error!(%error, "a paid bill could not be recorded yet"),
            Err(_) => tracing::error!("the record of a paid bill panicked, which is a bug"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The bill with this reference. A file that cannot be read may be it, so it is not passed over.
fn find_bill(folder: &Path, reference: &str) -> Result<Option<StoredBill>, BillsError> {
    let mut is_sure = true;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        match serde_json::from_slice::<StoredBill>(&std::fs::read(&path)?) {
            Ok(bill) if bill.reference == reference => return Ok(Some(bill)),
            Ok(_) => {}
            Err(_) => is_sure = false,
        }
    }
    match is_sure {
        true => Ok(None),
        false => Err("a file in the folder of bills has no reference".into()),
    }
}
