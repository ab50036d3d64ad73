//! Statements as the rest of the engine sees them: one frame at the grain of transactions, and a head per statement.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use polars::prelude::{Column, DataFrame, PolarsResult, polars_err};

use serde::{Deserialize, Serialize};

use crate::base::date::Day;
use crate::base::digest::Digest;
use crate::base::money::Currency;
use crate::statement::base::error::{Error, show_source_text, tell_names_apart};
use crate::statement::base::quality::Quality;
use crate::statement::base::reading::{Declared, Reading, ReadingMismatch};
use crate::statement::base::unread::Unread;
use crate::statement::columns::digest;
use crate::statement::rows::stated::Stated;

/// Statements read from one source.
///
/// The frame holds every record of every statement, with one chunk per column. It is sorted by statement, `trans_date`,
/// `order`, `id`, then every other column, so that a permutation of the source's records gives the same frame. Ids of
/// different lengths are compared by the numbers in them. All of these columns are always present:
///
/// | column | type | meaning |
/// |---|---|---|
/// | `statement` | UInt32 | index of the head |
/// | `id` | String? | the record's identifier |
/// | `trans_date` | Date | the day in the statement's time zone |
/// | `order` | Int64 | position within the day: the source's sequence, the chain of balances, the local second, or 0 |
/// | `cleared_date` | Date? | |
/// | `credit`, `debit`, `balance` | Int64? | minor units; `balance` after the record |
/// | `code`, `branch`, `bank`, `env`, `reference`, `desc` | String? | |
/// | `topics`, `people`, `places`, `actions`, `subjects`, `prepositions` | String? | items joined by U+001F, or null |
/// | `owner`, `record`, `fetched` | String? | items joined by U+001F, or null |
/// | `created_at`, `last_updated` | Int64? | milliseconds since 1970-01-01 UTC |
/// | `flags` | UInt32 | bits of [`flag`](crate::statement::flag) |
/// | `printed_desc` | String? | the narration as the source has it, where `desc` is without blanks and the like |
///
/// [`read_json`](crate::statement::read_json) and its siblings for CSV, Parquet and Polars frames make statements.
///
/// ```
/// use lendwright::statement::{Reading, read_json};
/// use lendwright::base::{date::Zone, money::Currency};
///
/// let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("Africa/Lagos").unwrap());
/// let body = br#"[{"id": "1", "credit": 2500.50, "trans_date": "2026-06-30"},
///                 {"id": "2", "debit": 99, "trans_date": "2026-07-01"}]"#;
/// let statements = read_json(body, "reference 1", &reading)?;
/// let credits = statements.frame().column("credit")?.i64()?;
/// assert_eq!(credits.get(0), Some(250_050));
/// assert_eq!(statements.heads()[0].quality.records, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Statements {
    pub(crate) frame: DataFrame,
    pub(crate) heads: Vec<Head>,
    /// The digest of each statement, once it was requested.
    pub(crate) digests: Vec<OnceLock<Digest>>,
}

impl Statements {
    /// The same statements, of this customer. One that names another is refused.
    pub(crate) fn for_customer(mut self, customer: &str) -> Result<Statements, Error> {
        for head in &mut self.heads {
            match &head.customer {
                Some(named) if named != customer => {
                    return Err(Error::columns(format!(
                        "the statement is of customer `{}`, but the file is said to be of `{}`{}",
                        show_source_text(named),
                        show_source_text(customer),
                        tell_names_apart(named, customer)
                    )));
                }
                _ => head.customer = Some(customer.to_owned()),
            }
        }
        Ok(self)
    }

    pub(crate) fn new(frame: DataFrame, heads: Vec<Head>) -> Statements {
        let digests = heads.iter().map(|_| OnceLock::new()).collect();
        Statements { frame, heads, digests }
    }

    /// The records of all statements.
    pub fn frame(&self) -> &DataFrame {
        &self.frame
    }

    /// One head per statement, sorted by customer and account.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// The number of statements.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is no statement at all; an empty statement is one.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Refuses statements that were read otherwise than `expected`, such as in another currency. What a columns file
    /// declares, the unit of amounts and the signs, may differ.
    ///
    /// Whatever judges statements by a policy checks this first, so that amounts and days mean what the policy takes
    /// them for.
    ///
    /// ```
    /// use lendwright::{load_policy, read_json, reading};
    /// use lendwright::base::{date::Zone, money::Currency};
    /// use lendwright::statement::Reading;
    ///
    /// let policy = load_policy("rules/starter.toml", &[])?;
    /// let yen = Reading::new(Currency::from_alphabetic("JPY").unwrap(), Zone::parse("Asia/Tokyo").unwrap());
    /// let body = br#"[{"id": "1", "credit": 2500, "trans_date": "2026-06-30"}]"#;
    /// let statements = read_json(body, "reference 1", &yen)?;
    /// assert!(statements.check_reading(&yen).is_ok());
    /// assert!(statements.check_reading(&reading(&policy)).is_err());
    /// assert!(lendwright::decide(&policy, &statements, &Default::default()).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first part in which the readings differ.
    pub fn check_reading(&self, expected: &Reading) -> Result<(), ReadingMismatch> {
        check_reading_of(&self.heads, expected)
    }

    /// The digest of a statement's content: the same for any order of the source's records, and for any format that
    /// holds the same data. It is computed once, when it is first requested.
    ///
    /// # Errors
    /// If there is no such head, or if the frame lacks a column of the table above.
    pub fn digest(&self, head: usize) -> PolarsResult<Digest> {
        let (Some(of_head), Some(known)) = (self.heads.get(head), self.digests.get(head)) else {
            return Err(polars_err!(OutOfBounds: "head {head} of {}", self.heads.len()));
        };
        if let Some(known) = known.get() {
            return Ok(*known);
        }
        let found = digest::digest_statement(&self.frame, of_head)?;
        Ok(*known.get_or_init(|| found))
    }

    /// The statements of one customer.
    ///
    /// # Errors
    /// Only if the frame lacks a column of the table above.
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

/// The narrations of a frame's records as the source printed them.
pub(crate) fn printed_narrations(frame: &DataFrame) -> PolarsResult<Vec<Option<String>>> {
    let (printed, clean) = (frame.column(PRINTED)?.str()?, frame.column("desc")?.str()?);
    Ok(printed.iter().zip(clean.iter()).map(|(printed, clean)| printed.or(clean).map(str::to_owned)).collect())
}

/// The frame's column of narrations as they were printed.
pub(crate) const PRINTED: &str = "printed_desc";

/// What is known about one statement beside its records.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Head {
    /// The customer, if the source names one.
    pub customer: Option<String>,
    /// The account, if the source distinguishes a customer's accounts.
    pub account: Option<String>,
    /// Where the statement came from, in the caller's words.
    pub label: String,
    /// The offer request that it was pulled for, if the source names it.
    pub reference: Option<String>,
    /// Its rows in the frame.
    pub rows: Range<usize>,
    /// Whether debits are known to be listed, so that the absence of debits means that there were none. Otherwise only
    /// a debit above 0 proves that they are listed.
    pub shows_debits: bool,
    /// Whether debits are known to be missing, even if there are some: another of the merged accounts lists none.
    pub lacks_debits: bool,
    /// Whether narrations are known to be missing, even if there are some: another of the merged accounts has none, or
    /// another table with records of the statement.
    pub lacks_narrations: bool,
    /// What was repaired, dropped or odd.
    pub quality: Quality,
    /// Dropped transfers between the customer's own accounts, by day.
    pub transfers: Vec<OwnTransfer>,
    /// How the records were read. `None` if there were none to read.
    pub(crate) origin: Option<Origin>,
    /// The unread columns and fields.
    pub(crate) unread: Unread,
    /// The balances that the source states beside the records.
    pub(crate) stated: Stated,
    /// The days with entries of interim reports that no statement of its source lists.
    pub(crate) report_days: BTreeSet<i32>,
}

impl Head {
    /// A statement without any known record.
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
            stated: Stated::default(),
            report_days: BTreeSet::new(),
        }
    }

    /// Whether every debit is known, given the debits of the records that count. A source that writes 0 beside every
    /// credit shows no debit.
    pub(crate) fn knows_debits(&self, debits: impl IntoIterator<Item = i64>) -> bool {
        !self.lacks_debits && (self.shows_debits || debits.into_iter().any(|debit| debit > 0))
    }
}

/// How records were read, as far as later steps need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The reading, with what the columns file declares in place of its own.
    pub(crate) reading: Arc<Reading>,
    pub(crate) declared: Declared,
    /// Whether the source gave the order within a day itself.
    pub(crate) ordered: bool,
}

/// [`Statements::check_reading`] for some of the statements: work that is cut into ranges looks at each of them once.
pub(crate) fn check_reading_of(heads: &[Head], expected: &Reading) -> Result<(), ReadingMismatch> {
    let mut last: Option<&Origin> = None;
    for origin in heads.iter().filter_map(|head| head.origin.as_ref()) {
        // Statements of one source share their reading.
        if last.is_some_and(|last| Arc::ptr_eq(&last.reading, &origin.reading)) {
            continue;
        }
        if let Some(mismatch) = origin.reading.mismatch(expected, origin.declared) {
            return Err(mismatch);
        }
        last = Some(origin);
    }
    Ok(())
}

impl Origin {
    pub(crate) fn currency(&self) -> Currency {
        self.reading.currency
    }
}

/// Money that moved from one of a customer's accounts to another: a debit and a credit, both dropped from the merged
/// statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OwnTransfer {
    /// The day of the debit.
    pub day: Day,
    /// The day of the credit.
    pub arrived: Day,
    /// The amount, in minor units.
    pub amount: i64,
    /// The account that it left, if it has a name.
    pub from: Option<String>,
    /// The account that it reached, if it has a name.
    pub to: Option<String>,
    /// The debit's identifier.
    pub debit_id: Option<String>,
    /// The credit's identifier.
    pub credit_id: Option<String>,
}
