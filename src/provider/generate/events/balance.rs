//! Fits a day's events to the balance. Spending shrinks if money is short, and grows with a large idle balance. A debit
//! that cannot be paid becomes a charge.

use super::event::{AmountRule, Event, EventSide, Label};
use super::scene::Scene;

/// A due debit below this many kobo leaves the account even if the balance does not cover it.
const SMALL_DEBIT: i64 = 300_000;

/// What a day's events may spend. Amounts are minor units of the market.
pub(crate) struct Means<'a> {
    /// The balance beyond which spending grows.
    pub(crate) idle: i64,
    /// What is reserved for promised debits of this day and the next ones.
    pub(crate) kept: i64,
    pub(crate) scene: &'a Scene<'a>,
}

impl Means<'_> {
    /// Fixes the amounts of a day's events, in their order, and returns the balance after them.
    pub(crate) fn fit_events(mut self, events: &mut [Event], opening: i64) -> i64 {
        let mut balance = opening;
        let mut before = 0;
        for event in events {
            if event.amount_rule == AmountRule::Echo {
                event.amount = before;
            }
            match event.side {
                EventSide::Credit => balance += event.amount,
                EventSide::Debit => {
                    if event.amount_rule == AmountRule::Promised {
                        self.kept -= event.amount;
                    } else {
                        self.fit_debit(event, balance - self.kept);
                    }
                    balance -= event.amount;
                }
            }
            before = event.amount;
        }
        balance
    }

    fn fit_debit(&self, event: &mut Event, balance: i64) {
        let is_elastic = event.amount_rule == AmountRule::Elastic;
        let scale = self.scene.facts().scale;
        if balance > self.idle && is_elastic && matches!(event.label, Label::TransferOut | Label::Supplies) {
            let times = (balance / self.idle.max(1)).clamp(1, 20) + 1;
            event.amount = event.amount.saturating_mul(times).min(balance / 2);
        }
        let is_small = event.amount_rule == AmountRule::Fixed && event.amount < scale.minor_of(SMALL_DEBIT);
        if event.amount <= balance || event.label == Label::Charge || is_small {
            return;
        }
        let share = if is_elastic { balance / 3 } else { balance / 10 * 9 };
        if share >= scale.spending_step {
            event.amount = share / scale.spending_step * scale.spending_step;
        } else {
            self.refuse_debit(event, is_elastic);
        }
    }

    /// Puts the bank's charge in the place of a debit.
    fn refuse_debit(&self, event: &mut Event, is_elastic: bool) {
        let forms = &self.scene.facts().forms;
        let list = if is_elastic { forms.small_charge } else { forms.returned_charge };
        let Some(charge) = self.scene.closest_forms(list, "").next() else { return };
        event.amount = charge.amount;
        event.label = Label::Charge;
        event.desc = charge.form.text.into();
        event.who = None;
        event.other = None;
        event.stream = None;
        event.period = "";
        event.link = None;
        event.code = "FEE";
    }
}
