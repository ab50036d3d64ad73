//! Fits a day's events to the balance. Spending shrinks if money is short, and grows with a large idle balance. A debit
//! that cannot be paid becomes a charge.

use super::event::{AmountRule, Event, EventSide, Label};

/// The smallest debit that is worth making: 50 naira.
const DEBIT_MIN: i64 = 5_000;

/// Fixes the amounts of a day's events, in their order, and returns the balance after them. `idle` is the balance
/// beyond which spending grows. `kept` is reserved for promised debits of this day and the next ones.
pub(crate) fn fit_to_balance(events: &mut [Event], opening: i64, idle: i64, mut kept: i64) -> i64 {
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
                    kept -= event.amount;
                } else {
                    fit_debit(event, balance - kept, idle);
                }
                balance -= event.amount;
            }
        }
        before = event.amount;
    }
    balance
}

fn fit_debit(event: &mut Event, balance: i64, idle: i64) {
    if balance > idle
        && event.amount_rule == AmountRule::Elastic
        && matches!(event.label, Label::TransferOut | Label::Supplies)
    {
        event.amount = event.amount.saturating_mul((balance / idle.max(1)).clamp(1, 20) + 1).min(balance / 2);
    }
    if event.amount <= balance
        || (event.label == Label::Charge || (event.amount_rule == AmountRule::Fixed && event.amount < 300_000))
    {
        return;
    }
    let share = if event.amount_rule == AmountRule::Elastic { balance / 3 } else { balance / 10 * 9 };
    if share >= DEBIT_MIN {
        event.amount = share / 5_000 * 5_000;
        return;
    }
    let (words, amount) = if event.amount_rule == AmountRule::Elastic {
        ("SAC SMS Alert Fee", 400)
    } else {
        ("DD RETURN CHARGE INSUFFICIENT FUNDS", 10_000)
    };
    event.amount = amount;
    event.label = Label::Charge;
    event.desc = words.into();
    event.who = None;
    event.other = None;
    event.stream = None;
    event.period = "";
    event.link = None;
    event.code = "FEE";
}
