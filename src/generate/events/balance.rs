//! Settles a day's events against the balance: spending shrinks where money is short, grows where much lies idle, and what cannot be paid at all
//! becomes a returned payment's charge. Knows nothing of where the events came from.

use super::event::{Event, Give, Label, Side};

/// Below this a debit is not worth making: 50 naira.
const LEAST: i64 = 5_000;

/// Fixes the amounts of a day's events in their order and gives the balance after them. `idle` is the balance beyond which spending grows;
/// `kept` is what promised debits of this day and the next ones need, which nothing else may spend.
pub(crate) fn settle(events: &mut [Event], opening: i64, idle: i64, mut kept: i64) -> i64 {
    let mut balance = opening;
    let mut before = 0;
    for event in events {
        if event.give == Give::Echo {
            event.amount = before;
        }
        match event.side {
            Side::Credit => balance += event.amount,
            Side::Debit => {
                if event.give == Give::Promised {
                    kept -= event.amount;
                } else {
                    afford(event, balance - kept, idle);
                }
                balance -= event.amount;
            }
        }
        before = event.amount;
    }
    balance
}

fn afford(event: &mut Event, balance: i64, idle: i64) {
    if balance > idle && event.give == Give::Elastic && matches!(event.label, Label::TransferOut | Label::Supplies) {
        event.amount = event.amount.saturating_mul((balance / idle.max(1)).clamp(1, 20) + 1).min(balance / 2);
    }
    if event.amount <= balance || (event.label == Label::Charge || (event.give == Give::Firm && event.amount < 300_000))
    {
        return;
    }
    let share = if event.give == Give::Elastic { balance / 3 } else { balance / 10 * 9 };
    if share >= LEAST {
        event.amount = share / 5_000 * 5_000;
        return;
    }
    let (words, amount) = if event.give == Give::Elastic {
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
