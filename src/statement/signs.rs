//! Whether a declared rule for negative amounts is right for a statement, by its balances and by its other amounts.
//! Must not change a record.

use crate::statement::error::{Error, show};
use crate::statement::quality::flag;
use crate::statement::reading::NegativeRule;
use crate::statement::rows::{Group, NO_VALUE};
use crate::statement::settled::Settled;
use crate::words::date::Day;

/// The flags of amounts that were written with a minus.
const SIGNED: u32 = flag::SIDES_SWAPPED | flag::MINUS_REPEATED;

/// What a statement says of its negative amounts.
#[derive(Default)]
struct Evidence {
    /// Negative amounts whose balances follow as the rule reads them.
    agree: usize,
    /// Negative amounts whose balances follow only on the other side, and the day of the first.
    against: usize,
    first: i32,
    /// Debits written with a minus, and without.
    minus: usize,
    plain: usize,
}

/// Refuses a statement whose negative amounts mean something else than the rule says. `rows` are the rows by statement and day.
pub(crate) fn check(columns: &Settled, rows: &[u32], groups: &[Group], rule: NegativeRule) -> Result<(), Error> {
    if rule == NegativeRule::Error || columns.flags.iter().all(|flags| flags & SIGNED == 0) {
        return Ok(());
    }
    let group = |row: &u32| columns.groups.get(*row as usize).copied().unwrap_or_default();
    for statement in rows.chunk_by(|left, right| group(left) == group(right)) {
        let what = evidence(columns, statement).fault(rule);
        if let Some(what) = what {
            let customer = statement.first().and_then(|row| groups.get(group(row) as usize)?.customer.as_deref());
            let whose = customer.map(|customer| format!("customer `{}`: ", show(customer))).unwrap_or_default();
            return Err(Error::Signs { what: format!("{whose}{what}") });
        }
    }
    Ok(())
}

impl Evidence {
    fn fault(&self, rule: NegativeRule) -> Option<String> {
        if self.against > self.agree {
            let (read, other) = match rule {
                NegativeRule::SameSide => ("same_side", "swap_sides"),
                _ => ("swap_sides", "same_side"),
            };
            return Some(format!(
                "`{read}` contradicts the balances at {} of the negative amounts, first on {}; \
                 declare `negative_amount = \"{other}\"` if these balances are right",
                self.against,
                Day::from_days(self.first)
            ));
        }
        let is_proven = self.agree > 0 && self.against == 0;
        match rule {
            NegativeRule::SameSide if self.minus > 0 && self.plain > 0 && !is_proven => Some(
                "some debits have a minus and some have none, so the minus says more than that they are debits; \
                 `same_side` is for exports where every debit has one"
                    .to_owned(),
            ),
            NegativeRule::SwapSides if self.minus > 0 && self.plain == 0 && !is_proven => Some(
                "every debit has a minus, so `swap_sides` would make all of them credits, and no balance shows that they are; \
                 declare `negative_amount = \"same_side\"` if this bank writes its debits with a minus"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

fn evidence(columns: &Settled, rows: &[u32]) -> Evidence {
    let value = |column: &[i64], row: u32| column.get(row as usize).copied().filter(|value| *value != NO_VALUE);
    let day = |row: &u32| columns.days.get(*row as usize).copied();
    let mut evidence = Evidence::default();
    // The order within a day may be wrong, so any balance of the day and the last ones before may be the one that comes first.
    let mut before: Vec<i64> = Vec::new();
    for records in rows.chunk_by(|left, right| day(left) == day(right)) {
        let balances: Vec<i64> = records.iter().filter_map(|row| value(&columns.balances, *row)).collect();
        let is_before = |balance: i64| balances.contains(&balance) || before.contains(&balance);
        for row in records {
            let flags = columns.flags.get(*row as usize).copied().unwrap_or_default();
            let (credit, debit) = (value(&columns.credits, *row), value(&columns.debits, *row));
            let swapped = flags & flag::SIDES_SWAPPED != 0;
            evidence.minus += usize::from(flags & flag::MINUS_REPEATED != 0 || swapped && credit.is_some());
            if flags & SIGNED == 0 {
                evidence.plain += usize::from(debit.unwrap_or(0) > 0);
                continue;
            }
            let Some(balance) = value(&columns.balances, *row) else { continue };
            let moved = credit.unwrap_or(0).saturating_sub(debit.unwrap_or(0));
            match (is_before(balance.saturating_sub(moved)), is_before(balance.saturating_add(moved))) {
                (true, false) => evidence.agree += 1,
                (false, true) => {
                    evidence.first = if evidence.against == 0 { day(row).unwrap_or_default() } else { evidence.first };
                    evidence.against += 1;
                }
                _ => {}
            }
        }
        if !balances.is_empty() {
            before = balances;
        }
    }
    evidence
}
