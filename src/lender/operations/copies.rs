//! Whether a backup can be used: it has the schema, its audit is whole, and it is a part of the book's. Knows nothing
//! of files.

use crate::lender::loan_book::{LoanBook, MIGRATIONS, TABLES, Verified};
use crate::lender::store::error::StoreError;
use crate::lender::store::migrate::count_applied;

/// What is known of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CopyCheck {
    /// How many rows each table has.
    pub(crate) counts: Vec<(&'static str, i64)>,
    /// The hash of the audit's last row.
    pub(crate) hash: String,
    /// What is wrong; none if the copy can be used.
    pub(crate) problems: Vec<String>,
}

/// Checks a copy of a book that others may have changed since.
pub(crate) fn check_copy(book: &LoanBook, copy: &LoanBook) -> Result<CopyCheck, StoreError> {
    let mut problems = Vec::new();
    let (last, found) = (MIGRATIONS.last().map_or(0, |last| last.number), count_applied(&**copy.database())?);
    if last != found {
        problems.push(format!("it is at migration {found}, and this program at {last}"));
    }
    let (counts, now) = (copy.count_rows()?, book.count_rows()?);
    // Offers may be replaced by fewer; of everything else there are only more.
    for ((table, copied), now) in TABLES.iter().zip(&counts).zip(&now).filter(|((table, _), _)| **table != "offers") {
        if copied > now {
            problems.push(format!("its table `{table}` has {copied} rows, and the book {now}"));
        }
    }
    let hash = match copy.verify_audit()? {
        Verified::Whole { hash, .. } => hash,
        Verified::Broken { seq, how } => {
            problems.push(format!("row {seq} of its audit {how}"));
            String::new()
        }
    };
    if !hash.is_empty() && book.find_audit_row(&hash)?.is_none() {
        problems.push("its audit is not the book's".to_owned());
    }
    Ok(CopyCheck { counts: TABLES.into_iter().zip(counts).collect(), hash, problems })
}
