//! Statements as the rest of the engine sees them: one frame at the grain of transactions, and a head for each statement.
//! Must not know how they were read.

use std::ops::Range;
use std::sync::OnceLock;

use polars::prelude::{Column, DataFrame, PolarsResult, polars_err};

use serde::{Deserialize, Serialize};

use crate::statement::base::quality::Quality;
use crate::statement::base::unread::Unread;
use crate::statement::columns::digest;
use crate::words::date::Day;
use crate::words::digest::Digest;
use crate::words::money::Currency;

/// Statements read from one source.
///
/// The frame holds every record of every statement, one chunk a column, sorted by (statement, `trans_date`, `order`,
/// `id`, in which numbers are numbers where its ids have several lengths, then every other column), so that a
/// permutation of the source's records gives the same frame. Its columns are always all present:
///
/// | column | type | meaning |
/// |---|---|---|
/// | `statement` | UInt32 | index of the head |
/// | `id` | String? | the record's identifier |
/// | `trans_date` | Date | the day in the statement's time zone |
/// | `order` | Int64 | a place within the day: the source's own sequence, the chain of balances, the second of the local day, or 0 |
/// | `cleared_date` | Date? | |
/// | `credit`, `debit`, `balance` | Int64? | minor units; `balance` after the record |
/// | `code`, `branch`, `bank`, `env`, `reference`, `desc` | String? | |
/// | `topics`, `people`, `places`, `actions`, `subjects`, `prepositions`, `owner`, `record`, `fetched` | String? | items joined by U+001F; null when there is none |
/// | `created_at`, `last_updated` | Int64? | milliseconds since 1970-01-01 UTC |
/// | `flags` | UInt32 | bits of [`flag`](crate::statement::flag) |
#[derive(Clone, Debug)]
pub struct Statements {
    pub(crate) frame: DataFrame,
    pub(crate) heads: Vec<Head>,
    /// Of each statement, once it was asked for.
    pub(crate) digests: Vec<OnceLock<Digest>>,
}

impl Statements {
    pub(crate) fn new(frame: DataFrame, heads: Vec<Head>) -> Statements {
        let digests = heads.iter().map(|_| OnceLock::new()).collect();
        Statements { frame, heads, digests }
    }

    /// The records of all statements.
    pub fn frame(&self) -> &DataFrame {
        &self.frame
    }

    /// One head a statement, sorted by customer and account where there are several.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// How many statements there are.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is no statement at all; an empty statement is one.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Stands for the content of the statement of this head: the same for any order of the source's records and for any format that says as much.
    /// It is worked out when it is first asked for, and once.
    ///
    /// # Errors
    /// Where there is no such head. Else only where the frame lacks a column of the table above.
    pub fn digest(&self, head: usize) -> PolarsResult<Digest> {
        let (Some(of_head), Some(known)) = (self.heads.get(head), self.digests.get(head)) else {
            return Err(polars_err!(OutOfBounds: "head {head} of {}", self.heads.len()));
        };
        if let Some(known) = known.get() {
            return Ok(*known);
        }
        let found = digest::digest(&self.frame, of_head)?;
        Ok(*known.get_or_init(|| found))
    }

    /// The statements of one customer alone.
    ///
    /// # Errors
    /// Only where the frame lacks a column of the table above.
    pub fn of_customer(&self, customer: &str) -> PolarsResult<Statements> {
        let mut frame = self.frame.clear();
        let (mut heads, mut indexes) = (Vec::new(), Vec::new());
        for head in self.heads.iter().filter(|head| head.customer.as_deref() == Some(customer)) {
            let rows = frame.height()..frame.height() + head.rows.len();
            frame.vstack_mut(&self.frame.slice(head.rows.start as i64, head.rows.len()))?;
            indexes.extend(std::iter::repeat_n(heads.len() as u32, head.rows.len()));
            heads.push(Head { rows, ..head.clone() });
        }
        frame.with_column(Column::new("statement".into(), indexes))?;
        frame.rechunk_mut();
        Ok(Statements::new(frame, heads))
    }
}

/// What is known of one statement beside its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The customer, where the source names one.
    pub customer: Option<String>,
    /// The account, where the source tells a customer's accounts apart.
    pub account: Option<String>,
    /// Where the statement came from, in the caller's words.
    pub label: String,
    /// The offer request that it was pulled for, where the source says it.
    pub reference: Option<String>,
    /// Its rows in the frame.
    pub rows: Range<usize>,
    /// Whether debits are known to be listed, so that none there means none. Elsewhere only a debit itself shows that they are; one of 0
    /// is none.
    pub shows_debits: bool,
    /// Whether debits are known to be missing, whatever debits there are: another of the merged accounts lists none.
    pub lacks_debits: bool,
    /// Whether narrations are known to be missing, whatever narrations there are: another of the merged accounts has
    /// none.
    pub lacks_narrations: bool,
    /// What was repaired, dropped or odd.
    pub quality: Quality,
    /// What was left out as moved between the customer's own accounts, in the order of its days.
    pub transfers: Vec<OwnTransfer>,
    /// How the records were read; nothing where there are none to read.
    pub(crate) origin: Option<Origin>,
    /// The columns and fields that nothing was read from.
    pub(crate) unread: Unread,
}

impl Head {
    /// A statement of which no record is known.
    pub(crate) fn without_records(customer: Option<&str>, label: &str) -> Head {
        Head {
            customer: customer.map(str::to_owned),
            account: None,
            label: label.to_owned(),
            reference: None,
            rows: 0..0,
            shows_debits: false,
            lacks_debits: false,
            lacks_narrations: false,
            quality: Quality::default(),
            transfers: Vec::new(),
            origin: None,
            unread: Unread::default(),
        }
    }

    /// Whether every debit is known, where these are the debits of the records that count. A source that fills in 0 on every credit
    /// shows no debit.
    pub(crate) fn knows_debits(&self, debits: impl IntoIterator<Item = i64>) -> bool {
        !self.lacks_debits && (self.shows_debits || debits.into_iter().any(|debit| debit > 0))
    }
}

/// How records were read, as far as it matters to what is done with them later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) currency: Currency,
    /// Whether the source gave the order within a day itself.
    pub(crate) ordered: bool,
}

/// Money that went from one account of a customer to another: a debit there and a credit here, both left out of the merged statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnTransfer {
    /// The day of the debit.
    pub day: Day,
    /// The day of the credit.
    pub arrived: Day,
    /// How much, in minor units.
    pub amount: i64,
    /// The account that it left, where it has a name.
    pub from: Option<String>,
    /// The account that it reached, where it has a name.
    pub to: Option<String>,
    /// The debit's identifier.
    pub debit_id: Option<String>,
    /// The credit's identifier.
    pub credit_id: Option<String>,
}
