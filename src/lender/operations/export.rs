//! The book as tables, for accountants and auditors: loans, transactions of money, payments, messages, the audit.
//! Personal data comes only on request. Knows nothing of files.

use serde_json::{Value as Json, json};

use crate::lender::loan_book::{AuditRow, BookError, LoanBook, LoanRow, MessageRow, OrderRow, PaymentRow, TimeSpan};
use crate::lender::runner::{Private, Vault};
use crate::lender::store::error::StoreError;

/// The tables.
pub(crate) const EXPORT_TABLES: [&str; 5] = ["loans", "orders", "payments", "messages", "audit"];

const LOANS: &[&str] = &[
    "number",
    "reference",
    "loan_id",
    "loan_reference_id",
    "customer_id",
    "state",
    "cause",
    "offer_id",
    "currency",
    "paid_out_minor",
    "payable_minor",
    "paid_minor",
    "owed_minor",
    "overpaid_minor",
    "created_at",
    "changed_at",
];
const PERSONAL: &[&str] = &["account_number", "bank_code", "msisdn", "request"];
const ORDERS: &[&str] = &[
    "loan",
    "kind",
    "instalment",
    "attempt",
    "transaction_id",
    "amount_minor",
    "outcome",
    "transaction_ref",
    "planned_at",
    "sent_at",
    "settled_at",
];
const PAYMENTS: &[&str] =
    &["loan", "loan_id", "customer_id", "payment_ref", "amount_minor", "standing", "reason", "received_at"];
const MESSAGES: &[&str] = &["number", "loan", "message", "standing", "reason", "tries", "planned_at", "settled_at"];
const AUDIT: &[&str] = &["seq", "at", "loan", "actor", "event", "detail", "hash"];

/// The columns of a table.
pub(crate) fn list_columns(table: &str, is_personal: bool) -> Vec<&'static str> {
    let (columns, personal): (&[&str], &[&str]) = match table {
        "loans" if is_personal => (LOANS, PERSONAL),
        "loans" => (LOANS, &[]),
        "orders" => (ORDERS, &[]),
        "payments" => (PAYMENTS, &[]),
        "messages" => (MESSAGES, &[]),
        _ => (AUDIT, &[]),
    };
    [columns, personal].concat()
}

/// A row, in the order of its table's columns.
pub(crate) type Exported = Vec<Json>;

/// How many rows are read at a time.
const PAGE: i64 = 1_000;

/// Every row of a table in a span of time. With a vault, personal data comes with it.
///
/// # Errors
/// Of the book, or of `write`.
pub(crate) fn export_table<E: From<BookError>>(
    book: &LoanBook,
    table: &str,
    span: TimeSpan,
    vault: Option<&dyn Vault>,
    write: &mut dyn FnMut(Exported) -> Result<(), E>,
) -> Result<u64, E> {
    let (mut after, mut count) = (0, 0);
    loop {
        let (rows, last) = export_page_of_rows(book, table, span, after, vault)?;
        let Some(last) = last else { return Ok(count) };
        count += rows.len() as u64;
        rows.into_iter().try_for_each(&mut *write)?;
        after = last;
    }
}

/// Some rows after a place, and the last place.
fn export_page_of_rows(
    book: &LoanBook,
    table: &str,
    span: TimeSpan,
    after: i64,
    vault: Option<&dyn Vault>,
) -> Result<(Vec<Exported>, Option<i64>), BookError> {
    Ok(match table {
        "loans" => {
            let rows = book.page_loans(span, after, PAGE)?;
            let all = rows.iter().map(|row| export_loan_row(book, row, vault)).collect::<Result<_, _>>()?;
            (all, rows.last().map(|row| row.id))
        }
        "orders" => {
            let rows = book.page_orders(span, after, PAGE)?;
            (rows.iter().map(export_order_row).collect(), rows.last().map(|row| row.loan))
        }
        // Their number is bounded by the span; their keys are texts.
        "payments" if after > 0 => (Vec::new(), None),
        "payments" => {
            (book.list_payments_between(span.from, span.to)?.iter().map(export_payment_row).collect(), Some(1))
        }
        "messages" => {
            let rows = book.page_messages(span, after, PAGE)?;
            (rows.iter().map(export_message_row).collect(), rows.last().map(|row| row.id))
        }
        _ => {
            let rows = book.page_audit(span, after, PAGE)?;
            (rows.iter().map(export_audit_row).collect(), rows.last().map(|row| row.seq))
        }
    })
}

fn export_order_row(row: &OrderRow) -> Exported {
    vec![
        json!(row.loan),
        json!(row.kind),
        json!(row.instalment),
        json!(row.attempt),
        json!(row.transaction_id),
        json!(row.amount_minor),
        json!(row.outcome),
        json!(row.transaction_ref),
        json!(row.planned_at),
        json!(row.sent_at),
        json!(row.settled_at),
    ]
}

fn export_payment_row(row: &PaymentRow) -> Exported {
    vec![
        json!(row.loan),
        json!(row.loan_id),
        json!(row.customer_id),
        json!(row.payment_ref),
        json!(row.amount_minor),
        json!(row.status.word()),
        json!(row.reason),
        json!(row.received_at),
    ]
}

fn export_message_row(row: &MessageRow) -> Exported {
    vec![
        json!(row.id),
        json!(row.loan),
        json!(row.message),
        json!(row.standing),
        json!(row.reason),
        json!(row.tries),
        json!(row.planned_at),
        json!(row.settled_at),
    ]
}

fn export_audit_row(row: &AuditRow) -> Exported {
    let detail: Json = serde_json::from_str(&row.detail).unwrap_or(Json::Null);
    vec![json!(row.seq), json!(row.at), json!(row.loan), json!(row.actor), json!(row.event), detail, json!(row.hash)]
}

fn export_loan_row(book: &LoanBook, row: &LoanRow, vault: Option<&dyn Vault>) -> Result<Exported, BookError> {
    let (loan, terms) = (&row.loan, row.loan.terms.as_ref());
    let mut values = vec![
        json!(row.id),
        json!(row.reference),
        json!(row.loan_id),
        json!(row.loan_reference_id),
        json!(row.customer_id),
        json!(loan.state),
        json!(loan.cause),
        json!(row.offer_id),
        json!(terms.map(|terms| &terms.currency)),
        json!(terms.map(|terms| terms.paid_out_minor)),
        json!(terms.map(crate::lender::loan::Terms::payable_minor)),
        json!(loan.paid_minor()),
        json!(loan.owed_minor()),
        json!(loan.overpaid_minor),
        json!(row.created_at),
        json!(row.changed_at),
    ];
    if let Some(vault) = vault {
        let private = load_personal(book, row, vault)?;
        let part = |part: fn(&Private) -> Json| private.as_ref().map_or(Json::Null, part);
        values.extend([
            part(|private| json!(private.account_number)),
            part(|private| json!(private.bank_code)),
            part(|private| json!(private.msisdn)),
            row.request.clone(),
        ]);
    }
    Ok(values)
}

/// The personal data of an acceptance, if there is any.
pub(crate) fn load_personal(book: &LoanBook, row: &LoanRow, vault: &dyn Vault) -> Result<Option<Private>, BookError> {
    let (Some(sealed), Some(reference)) = (book.load_private(row.id)?, &row.loan_reference_id) else { return Ok(None) };
    let opened = Private::open(vault, reference, &sealed).map_err(StoreError::Sealed)?;
    Ok(Some(opened))
}
