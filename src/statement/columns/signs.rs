//! Whether a declared rule for negative amounts is right for a statement, by its balances and by its other amounts.
//! Must not change a record.

use std::cmp::Ordering;

use crate::base::date::Day;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::base::quality::flag;
use crate::statement::base::reading::{NegativeRule, Reading};
use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::rows::builder::{Group, known_at_row};

/// The flags of amounts that were written with a minus.
const SIGNED: u32 = flag::SIDES_SWAPPED | flag::MINUS_REPEATED;

/// What a statement shows about its negative amounts.
#[derive(Default)]
struct Evidence {
    /// Negative amounts whose balances agree with the rule.
    agree: usize,
    /// Negative debits whose balances follow only on the other side, and the same for negative credits.
    against: usize,
    credits_against: usize,
    /// The day of the first amount that contradicts.
    first: Option<i32>,
    /// Debits written with a minus, debits written without one, and those of the latter that contradict their balances.
    minus: usize,
    plain: usize,
    plain_against: usize,
}

/// Refuses a statement whose negative amounts contradict the rule. `order` lists the rows by statement and day; `None`
/// means as they are.
pub(crate) fn check_negative_amounts(
    columns: &RecordColumns,
    order: Option<&[u32]>,
    groups: &[Group],
    reading: &Reading,
) -> Result<(), Error> {
    let (rule, major) = (reading.negative, 10_i64.pow(reading.currency.exponent()));
    if rule == NegativeRule::Error || columns.flags.iter().all(|flags| flags & SIGNED == 0) {
        return Ok(());
    }
    let group = |row: &u32| columns.group(*row as usize);
    let rows = columns.rows(order);
    for statement in rows.chunk_by(|left, right| group(left) == group(right)) {
        let what = gather_sign_evidence(columns, statement, major).fault(rule);
        if let Some(what) = what {
            let customer = statement.first().and_then(|row| groups.get(group(row) as usize)?.customer.as_deref());
            let whose =
                customer.map(|customer| format!("customer `{}`: ", show_source_text(customer))).unwrap_or_default();
            return Err(Error::Signs { what: format!("{whose}{what}") });
        }
    }
    Ok(())
}

impl Evidence {
    fn fault(&self, rule: NegativeRule) -> Option<String> {
        let against = self.against + self.credits_against;
        // A missing record may make one of many look wrong.
        if against * 4 > self.agree && against > 0 {
            return Some(self.contradiction(rule));
        }
        let is_proven = self.agree > 0 && against == 0 && self.plain_against == 0;
        match rule {
            NegativeRule::SameSide if self.minus > 0 && self.plain > 0 && !is_proven => Some(
                "some debits have a minus and some have none, so the minus does more than mark debits; \
                 `same_side` is for exports where every debit has one"
                    .to_owned(),
            ),
            NegativeRule::SwapSides if self.minus > 0 && self.plain == 0 && !is_proven => Some(
                "every debit has a minus, so `swap_sides` would make all of them credits, and no balance shows that \
                 they are; declare `negative_amount = \"same_side\"` if this bank writes its debits with a minus, and \
                 write a reversal that stands alone as a credit"
                    .to_owned(),
            ),
            NegativeRule::SameSide | NegativeRule::SwapSides | NegativeRule::Error => None,
        }
    }

    fn contradiction(&self, rule: NegativeRule) -> String {
        let (read, help) = match (rule, self.credits_against, self.agree) {
            (NegativeRule::SameSide, ..) => {
                ("same_side", "declare `negative_amount = \"swap_sides\"` if they are right")
            }
            // Without a rule, there are no negative amounts to contradict.
            (NegativeRule::SwapSides | NegativeRule::Error, 0, 0) => {
                ("swap_sides", "declare `negative_amount = \"same_side\"` if they are right")
            }
            (NegativeRule::SwapSides | NegativeRule::Error, 0, _) => {
                ("swap_sides", "others agree, so the minus means two things: correct the source")
            }
            (NegativeRule::SwapSides | NegativeRule::Error, ..) => {
                ("swap_sides", "no rule reads a negative credit that came in: correct the source")
            }
        };
        format!(
            "`{read}` contradicts the balances at {} of the negative amounts, first on {}; {help}",
            self.against + self.credits_against,
            Day::from_days(self.first.unwrap_or_default())
        )
    }
}

/// Balances in ascending order.
struct Balances(Vec<i64>);

impl Balances {
    fn new(balances: impl Iterator<Item = i64>) -> Balances {
        let mut balances: Vec<i64> = balances.collect();
        balances.sort_unstable();
        Balances(balances)
    }

    /// The distance from `balance` to the nearest of these balances.
    fn distance(&self, balance: i64) -> u64 {
        let at = self.0.partition_point(|other| *other < balance);
        let near = [at.checked_sub(1), Some(at)].into_iter().flatten().filter_map(|at| self.0.get(at));
        near.map(|other| other.abs_diff(balance)).min().unwrap_or(u64::MAX)
    }
}

fn gather_sign_evidence(columns: &RecordColumns, rows: &[u32], major: i64) -> Evidence {
    let day = |row: &u32| columns.days.get(*row as usize).copied();
    let mut evidence = Evidence::default();
    // The order within a day may be wrong, so any balance of this day or of the last one may be the preceding balance.
    let mut before = Balances(Vec::new());
    for records in rows.chunk_by(|left, right| day(left) == day(right)) {
        let of_day = Balances::new(records.iter().filter_map(|row| known_at_row(&columns.balances, *row)));
        for row in records {
            let flags = columns.flags[*row as usize];
            let (credit, debit) = (known_at_row(&columns.credits, *row), known_at_row(&columns.debits, *row));
            let swapped = flags & flag::SIDES_SWAPPED != 0;
            let is_debit = flags & flag::MINUS_REPEATED != 0 || swapped && credit.is_some();
            evidence.minus += usize::from(is_debit);
            let is_plain = flags & SIGNED == 0;
            if is_plain && debit.unwrap_or(0) == 0 {
                continue;
            }
            evidence.plain += usize::from(is_plain);
            let Some(balance) = known_at_row(&columns.balances, *row) else { continue };
            let moved = credit.unwrap_or(0).saturating_sub(debit.unwrap_or(0));
            let distance = |from: i64| of_day.distance(from).min(before.distance(from));
            // Banks round balances: the nearer one counts if it is less than a major unit away.
            let (as_read, otherwise) =
                (distance(balance.saturating_sub(moved)), distance(balance.saturating_add(moved)));
            let is_near = as_read.min(otherwise) < major.unsigned_abs();
            match (is_plain, is_near, as_read.cmp(&otherwise)) {
                (_, false, _) | (_, _, Ordering::Equal) => {}
                (true, _, Ordering::Greater) => evidence.plain_against += 1,
                (true, ..) => {}
                (false, _, Ordering::Less) => evidence.agree += 1,
                (false, _, Ordering::Greater) => {
                    evidence.first = evidence.first.or(day(row));
                    let count = if is_debit { &mut evidence.against } else { &mut evidence.credits_against };
                    *count += 1;
                }
            }
        }
        if !of_day.0.is_empty() {
            before = of_day;
        }
    }
    evidence
}
