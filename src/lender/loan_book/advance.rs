//! One step of a loan, whole or not at all: the loan by its table, the effects, the payments that waited for it, and
//! the audit. Must not know which event follows from what.

use serde_json::json;

use super::audit::{self, Entry};
use super::claims::{Claim, lock, lock_any};
use super::payments::{self, Standing};
use super::rows::LoanRow;
use super::{BookError, LoanBook, OfferRow, Outcome};
use crate::base::time::Timestamp;
use crate::lender::loan::{Cause, Effect, Event, Kind, Loan, Order, Plan, Recorded, Refused, step};
use crate::lender::store::database::{Transaction, write};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::Value;

/// Who makes a change, as the audit names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    /// The service by itself.
    Service,
    /// The provider, by a call.
    Provider,
    /// A person, by name.
    Person {
        /// The name.
        name: String,
        /// Why.
        note: String,
    },
}

impl Actor {
    pub(super) fn name(&self) -> &str {
        match self {
            Actor::Service => "service",
            Actor::Provider => "provider",
            Actor::Person { name, .. } => name,
        }
    }

    /// Why, if it is a person.
    pub(super) fn note(&self) -> Option<&str> {
        match self {
            Actor::Service | Actor::Provider => None,
            Actor::Person { note, .. } => Some(note),
        }
    }
}

/// What is recorded with an event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// The provider's own reference of a transaction of money.
    pub(crate) transaction_ref: Option<String>,
    /// A decision, and the offers it makes.
    pub(crate) decision: Option<Decided>,
    /// Why, in words without personal data.
    pub(crate) note: Option<String>,
    /// The version of the loan that a person saw. If it has changed since, nothing is done.
    pub(crate) seen_version: Option<i64>,
}

/// A decision as it is recorded.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    /// `offer`, `refer` or `decline`.
    pub(crate) outcome: String,
    /// The policy's name, version and digest.
    pub(crate) policy: [String; 3],
    /// The whole record, sealed.
    pub(crate) record: Option<Vec<u8>>,
    /// The offers.
    pub(crate) offers: Vec<OfferRow>,
}

/// Whether the claim is kept after the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// The same process goes on.
    Keep,
    /// Anybody may go on.
    Release,
}

/// Everything that a step needs to know.
pub(super) struct Change<'c> {
    pub(super) event: &'c Event,
    pub(super) facts: &'c Facts,
    pub(super) actor: &'c Actor,
    pub(super) now: Timestamp,
    pub(super) plan: &'c Plan,
}

impl LoanBook {
    /// Carries out an event of a claimed loan.
    ///
    /// # Errors
    /// [`BookError::Lost`] if the claim no longer holds, [`BookError::Refused`] if the table has no such line.
    pub(crate) fn advance(
        &self,
        claim: &Claim,
        event: &Event,
        facts: &Facts,
        hold: Hold,
        (now, plan): (Timestamp, &Plan),
    ) -> Result<LoanRow, BookError> {
        let change = Change { event, facts, actor: &Actor::Service, now, plan };
        write(&*self.database, |tx| {
            let row = match lock(tx, claim)? {
                Ok(row) => row,
                Err(error) => return Ok(Err(error)),
            };
            let keep = (hold == Hold::Keep).then_some(claim.instance.0);
            self.carry_out(tx, row, &change, keep)
        })?
    }

    /// Carries out what a person asks for. A call that is under way for the loan loses its claim.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if the outcome of a call that moves money is being waited for.
    pub(crate) fn decide(
        &self,
        loan: i64,
        event: &Event,
        facts: &Facts,
        actor: &Actor,
        (now, plan): (Timestamp, &Plan),
    ) -> Result<LoanRow, BookError> {
        let change = Change { event, facts, actor, now, plan };
        write(&*self.database, |tx| {
            let row = match lock_any(tx, loan)? {
                Ok(row) => row,
                Err(error) => return Ok(Err(error)),
            };
            // Looking at it is a version of its own.
            if facts.seen_version.is_some_and(|seen| seen + 1 != row.version) {
                return Ok(Err(BookError::Conflict("the loan has changed since it was looked at; look again")));
            }
            if matches!(actor, Actor::Person { name, .. } if matches!(name.as_str(), "service" | "provider")) {
                return Ok(Err(BookError::Conflict("a person cannot be called `service` or `provider`")));
            }
            if row.instance.is_some() {
                return Ok(Err(BookError::Conflict("the service is working on the loan; try again in a moment")));
            }
            self.carry_out(tx, row, &change, None)
        })?
    }

    /// The step of a locked loan. `keep` is the process that keeps its claim; otherwise nobody has one afterwards.
    pub(super) fn carry_out(
        &self,
        tx: &mut dyn Transaction,
        mut row: LoanRow,
        change: &Change<'_>,
        keep: Option<i64>,
    ) -> Outcome<LoanRow> {
        let before = row.loan.clone();
        let (loan, effects) = match step(&row.loan, change.event, change.now, change.plan) {
            Ok(stepped) => stepped,
            Err(refused) => return Ok(Err(refused.into())),
        };
        row.loan = loan;
        if let Some(decision) = &change.facts.decision {
            record_decision(tx, row.id, decision, change.now)?;
        }
        for effect in &effects {
            self.record(tx, &row, effect, change)?;
        }
        let posted = self.post_waiting(tx, &mut row, change)?;
        self.write_row(tx, &mut row, change.now, keep)?;
        let detail = detail(&before, &row.loan, &effects, change);
        let entry = Entry {
            at: change.now,
            loan: Some(row.id),
            actor: change.actor.name(),
            event: change.event.word(),
            detail,
        };
        audit::add(tx, &entry)?;
        for entry in &posted {
            audit::add(tx, entry)?;
        }
        Ok(Ok(row))
    }

    fn record(
        &self,
        tx: &mut dyn Transaction,
        row: &LoanRow,
        effect: &Effect,
        change: &Change<'_>,
    ) -> Result<(), StoreError> {
        match effect {
            Effect::Plan(order) => self.plan_order(tx, row, order, change.now),
            Effect::Settle(order, recorded) => {
                settle(tx, row.id, order, *recorded, change.facts.transaction_ref.as_deref(), change.now)
            }
            Effect::Tell(message) => {
                let sql = "INSERT INTO messages (loan, message, step, standing, wake_at, planned_at) \
                           VALUES ($1, $2, $3, 'waiting', $4, $4)";
                let values =
                    [row.id.into(), message.word().into(), row.version.into(), change.now.milliseconds().into()];
                tx.execute(sql, &values).map(drop)
            }
        }
    }

    fn plan_order(
        &self,
        tx: &mut dyn Transaction,
        row: &LoanRow,
        order: &Order,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO orders (loan, kind, instalment, attempt, transaction_id, amount_minor, outcome, \
                   planned_at) VALUES ($1, $2, $3, $4, $5, $6, 'planned', $7)";
        let [loan_value, kind, instalment, attempt] = key(row.id, order);
        let values = [
            loan_value,
            kind,
            instalment,
            attempt,
            self.transaction_id(row, order).into(),
            order.amount_minor.into(),
            now.milliseconds().into(),
        ];
        tx.execute(sql, &values).map(drop)
    }

    /// Posts the payments that came while a transaction of money was under way, unless one still is.
    fn post_waiting<'e>(
        &self,
        tx: &mut dyn Transaction,
        row: &mut LoanRow,
        change: &Change<'_>,
    ) -> Result<Vec<Entry<'e>>, StoreError> {
        let mut entries = Vec::new();
        for payment in payments::waiting(tx, row.id)? {
            let (standing, reason) = match payments::matched(tx, row.id, &payment)? {
                Some((Standing::Waiting, _)) => continue,
                Some(matched) => matched,
                None => {
                    let event = Event::Paid { amount_minor: payment.amount_minor };
                    match step(&row.loan, &event, change.now, change.plan) {
                        Ok((loan, effects)) => {
                            row.loan = loan;
                            for effect in &effects {
                                self.record(tx, row, effect, change)?;
                            }
                            (Standing::Posted, None)
                        }
                        Err(Refused::Busy { .. }) => continue,
                        Err(Refused::Impossible { state, .. }) if payments::may_come(state) => continue,
                        Err(Refused::Impossible { .. }) => (Standing::Parked, Some("the loan takes no payments")),
                    }
                }
            };
            if reason == Some(payments::REPORTS_FAILED) {
                self.stop_collecting(tx, row, change)?;
            }
            payments::settle(tx, &payment, standing, reason, row.id, change.now)?;
            entries.push(payments::entry(&payment, standing, reason, row, change.now));
        }
        Ok(entries)
    }

    /// Keeps a debit from being tried again that the provider says failed and was made.
    fn stop_collecting(
        &self,
        tx: &mut dyn Transaction,
        row: &mut LoanRow,
        change: &Change<'_>,
    ) -> Result<(), StoreError> {
        let event = Event::Impossible(Cause::Contradicted);
        // Where nothing is to be collected, nothing needs to be stopped.
        let Ok((loan, effects)) = step(&row.loan, &event, change.now, change.plan) else { return Ok(()) };
        row.loan = loan;
        effects.iter().try_for_each(|effect| self.record(tx, row, effect, change))
    }

    pub(super) fn write_row(
        &self,
        tx: &mut dyn Transaction,
        row: &mut LoanRow,
        now: Timestamp,
        keep: Option<i64>,
    ) -> Result<(), StoreError> {
        let body = serde_json::to_string(&row.loan).map_err(|error| StoreError::Programming(error.to_string()))?;
        let due = row.loan.next_instalment().or(row.loan.instalments.last()).map(|next| i64::from(next.due.days()));
        let sql = "UPDATE loans SET state = $1, wake_at = $2, body = $3, owed_minor = $4, due_at = $5, instance = $6, \
                   changed_at = $7, currency = $8 WHERE id = $9";
        let values: [Value; 9] = [
            row.loan.state.word().into(),
            row.loan.wake.map(Timestamp::milliseconds).into(),
            body.into(),
            row.loan.owed_minor().into(),
            due.into(),
            keep.into(),
            now.milliseconds().into(),
            row.loan.terms.as_ref().map(|terms| terms.currency.clone()).into(),
            row.id.into(),
        ];
        tx.execute(sql, &values)?;
        (row.instance, row.changed_at) = (keep, now);
        Ok(())
    }
}

fn key(loan: i64, order: &Order) -> [Value; 4] {
    let [instalment, attempt] = [order.instalment, order.attempt].map(|number| Value::Integer(number.into()));
    [loan.into(), order.kind.word().into(), instalment, attempt]
}

/// Records the outcome of a transaction. One that is final never changes again.
pub(super) fn settle(
    tx: &mut dyn Transaction,
    loan: i64,
    order: &Order,
    recorded: Recorded,
    reference: Option<&str>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (from, set) = match recorded {
        Recorded::Sent => ("planned", "sent_at = $1"),
        Recorded::Planned => ("sent", "sent_at = NULL, planned_at = COALESCE(planned_at, $1)"),
        Recorded::Moved | Recorded::NotMoved => ("sent", "settled_at = $1"),
        Recorded::Withdrawn => ("planned", "settled_at = $1"),
    };
    let sql = format!(
        "UPDATE orders SET {set}, outcome = $2, transaction_ref = COALESCE($3, transaction_ref) WHERE loan = $4 AND \
         kind = $5 AND instalment = $6 AND attempt = $7 AND outcome = $8"
    );
    let [loan, kind, instalment, attempt] = key(loan, order);
    let values = [
        now.milliseconds().into(),
        recorded.word().into(),
        reference.into(),
        loan,
        kind,
        instalment,
        attempt,
        from.into(),
    ];
    match tx.execute(&sql, &values)? {
        1 => Ok(()),
        _ => Err(StoreError::Programming(format!("a transaction that is not `{from}` became `{}`", recorded.word()))),
    }
}

fn record_decision(tx: &mut dyn Transaction, loan: i64, decided: &Decided, now: Timestamp) -> Result<(), StoreError> {
    let rows = tx.query("SELECT COUNT(*) AS decisions FROM decisions WHERE loan = $1", &[loan.into()])?;
    let number = rows.first().map_or(Ok(0), |row| row.integer("decisions"))? + 1;
    let [name, version, digest] = &decided.policy;
    let sql = "INSERT INTO decisions (loan, number, at, outcome, policy_name, policy_version, policy_digest, record) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let values = [
        loan.into(),
        number.into(),
        now.milliseconds().into(),
        decided.outcome.as_str().into(),
        name.as_str().into(),
        version.as_str().into(),
        digest.as_str().into(),
        decided.record.clone().into(),
    ];
    tx.execute(sql, &values)?;
    // A later decision replaces the offers of an earlier one.
    tx.execute("DELETE FROM offers WHERE loan = $1", &[loan.into()])?;
    let text = |json: serde_json::Result<String>| json.map_err(|error| StoreError::Programming(error.to_string()));
    for (place, row) in (1_i64..).zip(&decided.offers) {
        let sql =
            "INSERT INTO offers (loan, offer_id, place, offer, terms, expires_at) VALUES ($1, $2, $3, $4, $5, $6)";
        let values = [
            loan.into(),
            row.offer.offer_id.as_str().into(),
            place.into(),
            text(serde_json::to_string(&row.offer))?.into(),
            text(serde_json::to_string(&row.terms))?.into(),
            row.expires_at.milliseconds().into(),
        ];
        tx.execute(sql, &values)?;
    }
    Ok(())
}

/// The facts of a step for the audit: nothing personal.
fn detail(before: &Loan, after: &Loan, effects: &[Effect], change: &Change<'_>) -> serde_json::Value {
    let mut detail = json!({ "from": before.state.word(), "to": after.state.word() });
    let mut put = |name: &str, value: serde_json::Value| detail[name] = value;
    for effect in effects {
        match effect {
            Effect::Plan(order) => put("planned", describe(order)),
            Effect::Settle(order, recorded) => put(recorded.word(), describe(order)),
            Effect::Tell(message) => put("message", message.word().into()),
        }
    }
    match change.event {
        Event::Paid { amount_minor } => put("amount_minor", (*amount_minor).into()),
        Event::Refunded => put("amount_minor", before.overpaid_minor.into()),
        Event::WriteOff => put("amount_minor", before.owed_minor().into()),
        _ => {}
    }
    if let Some(cause) = after.cause {
        put("cause", json!(cause));
    }
    if let Some(decision) = &change.facts.decision {
        let [name, version, digest] = &decision.policy;
        let offers: Vec<&str> = decision.offers.iter().map(|row| row.offer.offer_id.as_str()).collect();
        put(
            "decision",
            json!({
                "outcome": decision.outcome, "policy": name, "version": version, "digest": digest, "offers": offers,
            }),
        );
    }
    if let Some(reference) = &change.facts.transaction_ref {
        put("transaction_ref", reference.as_str().into());
    }
    if let Some(note) = &change.facts.note {
        put("note", note.as_str().into());
    }
    if let Some(note) = change.actor.note() {
        put("note", note.into());
    }
    detail
}

fn describe(order: &Order) -> serde_json::Value {
    let part = match order.kind {
        Kind::Fund => format!("fund, attempt {}", order.attempt),
        Kind::Debit => format!("debit of payment {}, attempt {}", order.instalment, order.attempt),
    };
    json!({ "order": part, "amount_minor": order.amount_minor })
}
