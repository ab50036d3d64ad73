//! One step of a loan, whole or not at all: the loan by its table, the effects, the payments that waited for it, and
//! the audit. The table is looked up once, for the loan as it was read under the lock of the same transaction.

use serde_json::json;

use super::actor::Actor;
use super::audit::{self, AuditEntry};
use super::claims::{Claim, LockedLoan, lock_claimed, lock_loan};
use super::decisions::{NewDecision, Override, describe_override, name_override, record_decision};
use super::orders::{record_outcome, reopen_order};
use super::payment_match::{PaymentContext, PaymentMatch, match_payment};
use super::payment_rows::{self, PaymentOutcome, PaymentStatus};
use super::rows::LoanRow;
use super::step_log::BeforeStep;
use super::{BookError, BookResult, LoanBook};
use crate::base::time::Timestamp;
use crate::lender::loan::{At, Effect, Event, Loan, Order, OrderKind, Refused, Transition, step_loan_state};
use crate::lender::store::database::{Transaction, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::SqlValue;

/// What is recorded with an event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// The provider's own reference of a transaction of money.
    pub(crate) transaction_ref: Option<String>,
    /// A decision, and the offers it makes.
    pub(crate) decision: Option<NewDecision>,
    /// A person's decision in the place of the policy's.
    pub(crate) overridden: Option<Override>,
    /// Why, in words without personal data.
    pub(crate) note: Option<String>,
    /// The version of the loan that a person saw. If it has changed since, nothing is done.
    pub(crate) seen_version: Option<i64>,
    /// The transaction or payment that was taken back.
    pub(crate) reversed: Option<String>,
}

/// What becomes of the claim after the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimAfter {
    /// The same process keeps it.
    Kept,
    /// Any process may claim the loan.
    Released,
}

/// Everything that a step needs to know.
pub(super) struct StepContext<'c> {
    pub(super) event: &'c Event,
    pub(super) facts: &'c Facts,
    pub(super) actor: &'c Actor,
    pub(super) at: At<'c>,
}

/// A step that the table allows, of a loan that is locked. Not written yet.
pub(super) struct Step {
    /// The loan after the step.
    row: LoanRow,
    before: Loan,
    effects: Vec<Effect>,
}

impl LockedLoan {
    /// The step that the table makes of a change.
    pub(super) fn step(self, change: &StepContext<'_>) -> Result<Step, Refused> {
        let mut row = self.into_row();
        let Transition { loan, effects } = step_loan_state(&row.loan, change.event, change.at)?;
        let before = std::mem::replace(&mut row.loan, loan);
        Ok(Step { row, before, effects })
    }
}

impl LoanBook {
    /// Carries out an event of a claimed loan.
    ///
    /// # Errors
    /// [`BookError::Lost`] if the claim no longer holds, [`BookError::Refused`] if the table has no such line.
    pub(crate) fn advance_loan(
        &self,
        claim: &Claim,
        event: &Event,
        facts: &Facts,
        after: ClaimAfter,
        at: At<'_>,
    ) -> Result<LoanRow, BookError> {
        let change = StepContext { event, facts, actor: &Actor::Service, at };
        let mut before = None;
        let row = write_transaction(&*self.database, |tx| {
            let locked = match lock_claimed(tx, claim)? {
                Ok(locked) => locked,
                Err(error) => return Ok(Err(error)),
            };
            let keep = (after == ClaimAfter::Kept).then_some(claim.instance.0);
            before = Some(BeforeStep::note(&locked));
            self.make_step(tx, locked, &change, keep)
        })??;
        if let Some(before) = before {
            before.log(event, &row);
        }
        Ok(row)
    }

    /// Carries out what a person decides. A call that is under way for the loan loses its claim.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if the outcome of a call that moves money is being waited for.
    pub(crate) fn decide_loan(
        &self,
        loan: i64,
        event: &Event,
        facts: &Facts,
        actor: &Actor,
        at: At<'_>,
    ) -> Result<LoanRow, BookError> {
        let change = StepContext { event, facts, actor, at };
        let mut before = None;
        let row = write_transaction(&*self.database, |tx| {
            let locked = match lock_loan(tx, loan)? {
                Ok(locked) => locked,
                Err(error) => return Ok(Err(error)),
            };
            if let Some(refused) = refuse_person(&locked, facts, actor) {
                return Ok(Err(refused));
            }
            before = Some(BeforeStep::note(&locked));
            self.make_step(tx, locked, &change, None)
        })??;
        if let Some(before) = before {
            before.log(event, &row);
        }
        Ok(row)
    }

    /// Makes the step of a locked loan and writes it. `keep` is the process that keeps its claim; otherwise the loan is
    /// free afterwards.
    pub(super) fn make_step(
        &self,
        tx: &mut dyn Transaction,
        locked: LockedLoan,
        change: &StepContext<'_>,
        keep: Option<i64>,
    ) -> BookResult<LoanRow> {
        let locked = locked.with_failed_order(tx)?;
        match locked.step(change) {
            Ok(step) => self.write_step(tx, step, change, keep).map(Ok),
            Err(refused) => Ok(Err(refused.into())),
        }
    }

    /// Writes a step, in the transaction that locked the loan. `keep` as for [`LoanBook::make_step`].
    pub(super) fn write_step(
        &self,
        tx: &mut dyn Transaction,
        step: Step,
        change: &StepContext<'_>,
        keep: Option<i64>,
    ) -> Result<LoanRow, StoreError> {
        let Step { mut row, before, effects } = step;
        if let Some(decision) = &change.facts.decision {
            record_decision(tx, row.id, decision, change.at.now)?;
        }
        for effect in &effects {
            self.record(tx, &row, effect, change)?;
        }
        let posted = self.post_waiting(tx, &mut row, change)?;
        write_row(tx, &mut row, change.at.now, keep)?;
        let detail = audit_detail_of_step(&before, &row.loan, &effects, change);
        let event = match &change.facts.overridden {
            Some(_) => name_override(change.event),
            None => change.event.word(),
        };
        let actor = change.actor.name();
        audit::add_entry(tx, &AuditEntry { at: change.at.now, loan: Some(row.id), actor, event, detail })?;
        for entry in &posted {
            audit::add_entry(tx, entry)?;
        }
        Ok(row)
    }

    fn record(
        &self,
        tx: &mut dyn Transaction,
        row: &LoanRow,
        effect: &Effect,
        change: &StepContext<'_>,
    ) -> Result<(), StoreError> {
        match effect {
            Effect::Plan(order) => self.record_plan(tx, row, order, change.at.now),
            Effect::Settle(order, recorded) => {
                let reference = change.facts.transaction_ref.as_deref();
                record_outcome(tx, row.id, order, *recorded, reference, change.at.now)
            }
            Effect::RefuseAcceptance => remove_acceptance(tx, row),
            Effect::Reopen(order) => reopen_order(tx, row.id, order, change.facts.transaction_ref.as_deref()),
            Effect::Tell(message) => {
                let sql = "INSERT INTO messages (loan, message, step, standing, wake_at, planned_at) \
                           VALUES ($1, $2, $3, 'waiting', $4, $4)";
                let values =
                    [row.id.into(), message.word().into(), row.version.into(), change.at.now.milliseconds().into()];
                tx.execute(sql, &values).map(drop)
            }
        }
    }

    /// Posts the payments that came while a transaction of money was under way, unless one still is.
    fn post_waiting<'e>(
        &self,
        tx: &mut dyn Transaction,
        row: &mut LoanRow,
        change: &StepContext<'_>,
    ) -> Result<Vec<AuditEntry<'e>>, StoreError> {
        let mut entries = Vec::new();
        for payment in payment_rows::list_waiting(tx, row.id)? {
            let matched = match_payment(tx, &PaymentContext { loan: row, payment: &payment, at: change.at })?;
            if let Some(event) = matched.event_of_debit() {
                self.carry_out_along(tx, row, &event, change)?;
            }
            let outcome = match matched {
                PaymentMatch::Waits | PaymentMatch::DoubtsFailed | PaymentMatch::FailedMoved => continue,
                PaymentMatch::Ours(outcome) => outcome,
                PaymentMatch::Customers => {
                    let event = Event::Paid { amount_minor: payment.amount_minor };
                    match step_loan_state(&row.loan, &event, change.at) {
                        Ok(Transition { loan, effects }) => {
                            row.loan = loan;
                            for effect in &effects {
                                self.record(tx, row, effect, change)?;
                            }
                            PaymentOutcome::new(PaymentStatus::Posted)
                        }
                        Err(Refused::Busy { .. }) => continue,
                        Err(Refused::Impossible { state, .. }) if payment_rows::may_take_payments_later(state) => {
                            continue;
                        }
                        Err(Refused::Impossible { .. }) => PaymentOutcome::parked(payment_rows::TAKES_NONE),
                    }
                }
            };
            payment_rows::settle_payment(tx, &payment, outcome, row.id, change.at.now)?;
            entries.push(payment_rows::audit_entry(&payment, outcome, row, change.at.now));
        }
        Ok(entries)
    }

    /// Carries out what a payment says about a debit, with the step that it waited for. Where the table has no line,
    /// nothing is to be collected, and nothing needs to be stopped.
    fn carry_out_along(
        &self,
        tx: &mut dyn Transaction,
        row: &mut LoanRow,
        event: &Event,
        change: &StepContext<'_>,
    ) -> Result<(), StoreError> {
        let Ok(Transition { loan, effects }) = step_loan_state(&row.loan, event, change.at) else { return Ok(()) };
        row.loan = loan;
        effects.iter().try_for_each(|effect| self.record(tx, row, effect, change))
    }
}

/// Removes an acceptance after its reply refused the account, so that a corrected one may follow. What is left is what
/// an earlier acceptance made known, if one was answered.
fn remove_acceptance(tx: &mut dyn Transaction, row: &LoanRow) -> Result<(), StoreError> {
    let sql = "DELETE FROM acceptances WHERE loan = $1 AND loan_reference_id = $2";
    tx.execute(sql, &[row.id.into(), row.loan_reference_id.clone().into()])?;
    let sql = "UPDATE loans SET private = NULL, loan_reference_id = (SELECT MAX(loan_reference_id) FROM acceptances \
               WHERE loan = $1) WHERE id = $1";
    tx.execute(sql, &[row.id.into()])?;
    let sql = "UPDATE loans SET offer_id = NULL, loan_id = NULL WHERE id = $1 AND loan_reference_id IS NULL";
    tx.execute(sql, &[row.id.into()]).map(drop)
}

/// Why a person cannot decide about a loan now, whatever they decide.
pub(super) fn refuse_person(locked: &LockedLoan, facts: &Facts, actor: &Actor) -> Option<BookError> {
    // Looking at it is a version of its own.
    if facts.seen_version.is_some_and(|seen| seen + 1 != locked.row().version) {
        return Some(BookError::Conflict("the loan has changed since it was looked at; look again"));
    }
    if matches!(actor, Actor::Person(person) if matches!(person.name.as_str(), "service" | "provider")) {
        return Some(BookError::Conflict("a person cannot be called `service` or `provider`"));
    }
    let is_busy = locked.row().instance.is_some();
    is_busy.then_some(BookError::Conflict("the service is working on the loan; try again in a moment"))
}

fn write_row(tx: &mut dyn Transaction, row: &mut LoanRow, now: Timestamp, keep: Option<i64>) -> Result<(), StoreError> {
    let body = serde_json::to_string(&row.loan).map_err(|error| StoreError::Programming(error.to_string()))?;
    let due = row.loan.next_instalment().or(row.loan.instalments.last()).map(|next| i64::from(next.due.days()));
    let sql = "UPDATE loans SET state = $1, wake_at = $2, body = $3, owed_minor = $4, due_at = $5, instance = $6, \
               changed_at = $7, currency = $8 WHERE id = $9";
    let values: [SqlValue; 9] = [
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

/// The facts of a step for the audit: nothing personal.
fn audit_detail_of_step(
    before: &Loan,
    after: &Loan,
    effects: &[Effect],
    change: &StepContext<'_>,
) -> serde_json::Value {
    let mut detail = json!({ "from": before.state.word(), "to": after.state.word() });
    let mut put = |name: &str, value: serde_json::Value| detail[name] = value;
    for effect in effects {
        match effect {
            Effect::Plan(order) => put("planned", describe_order_in_audit(order)),
            Effect::Settle(order, recorded) => put(recorded.word(), describe_order_in_audit(order)),
            Effect::Reopen(order) => put("reopened", describe_order_in_audit(order)),
            Effect::Tell(message) => put("message", message.word().into()),
            Effect::RefuseAcceptance => put("reply", "account_refused".into()),
        }
    }
    match change.event {
        Event::Paid { amount_minor } => put("amount_minor", (*amount_minor).into()),
        Event::PayoutReversed { amount_minor }
        | Event::DebitReversed { amount_minor }
        | Event::PaymentReversed { amount_minor } => put("amount_minor", (*amount_minor).into()),
        Event::Refunded => put("amount_minor", before.overpaid_minor.into()),
        Event::WriteOff => put("amount_minor", before.owed_minor().into()),
        _ => {}
    }
    if let Some(cause) = after.cause {
        put("cause", json!(cause));
    }
    if let Some(overridden) = &change.facts.overridden {
        let made = change.facts.decision.as_ref().map(|decision| decision.offers.as_slice()).unwrap_or_default();
        put("override", describe_override(overridden, made));
    } else if let Some(decision) = &change.facts.decision {
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
    if let Some(reversed) = &change.facts.reversed {
        put("reversed", reversed.as_str().into());
    }
    if let Some(note) = &change.facts.note {
        put("note", note.as_str().into());
    }
    if let Some(note) = change.actor.note() {
        put("note", note.into());
    }
    detail
}

fn describe_order_in_audit(order: &Order) -> serde_json::Value {
    let part = match order.kind {
        OrderKind::Fund => format!("fund, attempt {}", order.attempt),
        OrderKind::Debit => format!("debit of payment {}, attempt {}", order.instalment, order.attempt),
    };
    json!({ "order": part, "amount_minor": order.amount_minor })
}
