//! Decisions as the book has them.

use std::io::Read;

use super::{DecisionBook, KeptPolicy, record_context};
use crate::base::date::Day;
use crate::base::digest::Digest;
use crate::base::time::Timestamp;
use crate::engine::decision::Decision;
use crate::lender::sources::SourceNote;
use crate::lender::store::database::read_transaction;
use crate::lender::store::error::StoreError;
use crate::lender::store::value::{QueryRow, SqlValue};
use crate::portfolio::LoanOutcome;
use crate::portfolio::decision_table::DecisionFacts;

/// A decision of the book.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeptDecision {
    /// What is counted of it.
    pub facts: DecisionFacts,
    /// How sources were queried for inputs.
    pub sources: Vec<SourceNote>,
    number: i64,
    /// The digest of the request, if it had an idempotency key.
    request: Option<Vec<u8>>,
    /// The sealed record; `None` once it is erased.
    record: Option<Vec<u8>>,
}

/// Which decisions are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DecisionFilter {
    /// From this moment on.
    pub from: Option<Timestamp>,
    /// Before this moment.
    pub before: Option<Timestamp>,
}

/// The longest record.
const RECORD_BYTES_MAX: u64 = 64 << 20;
/// How many decisions are read at once.
const PAGE: i64 = 1_000;

const SELECT: &str = "SELECT decisions.number, decisions.id, decisions.at, shadow, answer, caller, customer, as_of, \
    policy_name, policy_version, policy_digest, parameters, engine, arm, outcome, reasons, \
    decisions.amount_minor, currency, took_us, request_digest, record, sources, bad, loan_date, bad_date, \
    observed_until, outcomes.amount_minor AS lent_minor \
    FROM decisions LEFT JOIN outcomes ON outcomes.decision = decisions.id ";

impl DecisionBook {
    /// The decision with an id.
    pub(crate) fn find(&self, id: &str) -> Result<Option<KeptDecision>, StoreError> {
        self.find_where("WHERE decisions.id = $1", id.into())
    }

    /// The latest answer on a statement with this reference.
    pub(crate) fn find_by_reference(&self, reference: &str) -> Result<Option<KeptDecision>, StoreError> {
        let sql = "WHERE reference = $1 AND answer IS NULL ORDER BY decisions.number DESC LIMIT 1";
        self.find_where(sql, self.digest_name("decisions.reference", reference).into())
    }

    /// The answer to the request with this key.
    pub(crate) fn find_by_request(&self, key: &[u8; 32]) -> Result<Option<KeptDecision>, StoreError> {
        self.find_where("WHERE request_key = $1", key.to_vec().into())
    }

    fn find_where(&self, condition: &str, value: SqlValue) -> Result<Option<KeptDecision>, StoreError> {
        let sql = format!("{SELECT}{condition}");
        read_transaction(&*self.database, |tx| {
            tx.query(&sql, std::slice::from_ref(&value))?.first().map(read_row).transpose()
        })
    }

    /// Gives each decision of a filter to `take`, the earliest first.
    ///
    /// # Errors
    /// Of the book, or of `take`.
    pub(crate) fn for_each<E: From<StoreError>>(
        &self,
        filter: &DecisionFilter,
        take: &mut dyn FnMut(KeptDecision) -> Result<(), E>,
    ) -> Result<(), E> {
        let edge = |moment: Option<Timestamp>, open: i64| moment.map_or(open, Timestamp::milliseconds);
        let (from, before) = (edge(filter.from, i64::MIN), edge(filter.before, i64::MAX));
        let sql = format!(
            "{SELECT}WHERE decisions.at >= $1 AND decisions.at < $2 AND decisions.number > $3 ORDER BY \
             decisions.number LIMIT {PAGE}"
        );
        let mut after = 0;
        loop {
            let page: Vec<KeptDecision> = read_transaction(&*self.database, |tx| {
                tx.query(&sql, &[from.into(), before.into(), after.into()])?.iter().map(read_row).collect()
            })?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.number;
            page.into_iter().try_for_each(&mut *take)?;
        }
    }

    /// The policies by which decisions were made, the earliest first.
    pub(crate) fn list_policies(&self) -> Result<Vec<KeptPolicy>, StoreError> {
        let sql = "SELECT digest, parameters, engine, name, version, about FROM policies ORDER BY first_at, digest";
        read_transaction(&*self.database, |tx| {
            let read = |row: &QueryRow| {
                let text = |column| row.text(column).map(str::to_owned);
                Ok(KeptPolicy {
                    digest: text("digest")?,
                    parameters: text("parameters")?,
                    engine: text("engine")?,
                    name: text("name")?,
                    version: text("version")?,
                    about: text("about")?,
                })
            };
            tx.query(sql, &[])?.iter().map(read).collect()
        })
    }

    /// The bytes of a decision as it was answered, without the end of the line; `None` if they were erased.
    ///
    /// # Errors
    /// If they were changed, or sealed by a key that is not given.
    pub(crate) fn open_line(&self, kept: &KeptDecision) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(sealed) = &kept.record else { return Ok(None) };
        let plain = self.vault.open(&record_context(&kept.facts.id), sealed);
        let plain = plain.map_err(|why| StoreError::Damaged(format!("decision `{}`: {why}", kept.facts.id)))?;
        let unreadable = || StoreError::Damaged(format!("the record of decision `{}` cannot be read", kept.facts.id));
        let mut line = Vec::new();
        let decoder = zstd::stream::read::Decoder::new(&plain[..]).map_err(|_| unreadable())?;
        decoder.take(RECORD_BYTES_MAX).read_to_end(&mut line).map_err(|_| unreadable())?;
        Ok(Some(line))
    }

    /// The decision; `None` if it was erased.
    ///
    /// # Errors
    /// As [`DecisionBook::open_line`].
    pub(crate) fn open_decision(&self, kept: &KeptDecision) -> Result<Option<Decision>, StoreError> {
        let Some(line) = self.open_line(kept)? else { return Ok(None) };
        let unreadable = |_| StoreError::Damaged(format!("the record of decision `{}` cannot be read", kept.facts.id));
        serde_json::from_slice(&line).map(Some).map_err(unreadable)
    }
}

impl KeptDecision {
    /// Whether it answered the request with this digest.
    pub(crate) fn answers(&self, request: &Digest) -> bool {
        self.request.as_deref() == Some(request.as_bytes())
    }
}

fn read_row(row: &QueryRow) -> Result<KeptDecision, StoreError> {
    let text = |column| row.text(column).map(str::to_owned);
    let text_if_any = |column| Ok::<_, StoreError>(row.text_if_any(column)?.map(str::to_owned));
    let bytes_if_any = |column| Ok::<_, StoreError>(row.bytes_if_any(column)?.map(<[u8]>::to_vec));
    let day = |column| -> Result<Option<Day>, StoreError> {
        let days = row.integer_if_any(column)?.and_then(|days| i32::try_from(days).ok());
        Ok(days.and_then(Day::checked_from_days))
    };
    let reasons = row.text("reasons")?;
    let at = Timestamp::from_milliseconds(row.integer("at")?);
    let loan = match row.integer_if_any("bad")? {
        None => None,
        Some(bad) => Some(LoanOutcome {
            bad: bad != 0,
            loan_date: day("loan_date")?,
            bad_date: day("bad_date")?,
            observed_until: day("observed_until")?,
            amount: row.integer_if_any("lent_minor")?,
        }),
    };
    let facts = DecisionFacts {
        id: text("id")?,
        at: at.ok_or_else(|| StoreError::Damaged("a decision's moment is outside the calendar".to_owned()))?,
        shadow: text_if_any("shadow")?,
        answer: text_if_any("answer")?,
        caller: text("caller")?,
        customer: bytes_if_any("customer")?,
        as_of: day("as_of")?,
        policy: [text("policy_name")?, text("policy_version")?, text("policy_digest")?],
        parameters: text("parameters")?,
        engine: text("engine")?,
        arm: text_if_any("arm")?,
        outcome: text("outcome")?,
        reasons: reasons.split(';').filter(|id| !id.is_empty()).map(str::to_owned).collect(),
        amount_minor: row.integer_if_any("amount_minor")?,
        currency: text_if_any("currency")?,
        took_us: row.integer("took_us")?,
        loan,
    };
    let (number, request, record) = (row.integer("number")?, bytes_if_any("request_digest")?, bytes_if_any("record")?);
    let damaged = |_| StoreError::Damaged(format!("the sources of decision `{}` cannot be read", facts.id));
    let sources = row.text_if_any("sources")?.map_or(Ok(Vec::new()), serde_json::from_str).map_err(damaged)?;
    Ok(KeptDecision { facts, sources, number, request, record })
}
