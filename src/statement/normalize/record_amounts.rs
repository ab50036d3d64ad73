//! The amounts of a record: which side they are on, its fee and its balance, by the rules of the reading and of the
//! columns file.

use crate::base::money::{AmountError, AmountUnit};
use crate::statement::base::column::Column;
use crate::statement::base::quality::flag;
use crate::statement::base::reading::EmptyAmount;
use crate::statement::cells::amount_advice::{advise_amount_notation, float_advice};
use crate::statement::cells::amount_notation::{FeeSign, Suffix, has_lossy_exponent};
use crate::statement::cells::balance_names::names_balance;
use crate::statement::cells::cell::Cell;
use crate::statement::columns_file::{AccountSide, Columns};
use crate::statement::normalize::amount_sides::{self, Sides, SidesFault};
use crate::statement::normalize::raw_record::{RawRecord, fail_at_column};
use crate::statement::normalize::record::{Normalized, fail_missing_column};
use crate::statement::rows::collector::Collector;

const SINGLE_MONEY: &str = "a 32-bit float holds only seven digits, so it has lost decimals of the amount that was put \
    into it; write amounts as DECIMAL, 64-bit float or text";

/// Both sides by the declared rules. `None` for a record to drop.
#[inline(always)]
pub(crate) fn read_amount_sides(
    record: &mut impl RawRecord,
    columns: &Columns,
    collector: &Collector<'_>,
) -> Normalized<Option<Sides>> {
    let (credit, debit) = match record.has(Column::Amount) {
        false => (
            side_amount(record, columns, collector, Column::Credit)?,
            side_amount(record, columns, collector, Column::Debit)?,
        ),
        true => {
            let (amount, suffix) = read_record_amount(record, columns, collector, Column::Amount)?;
            // Where there is nothing, a missing type is no fault.
            let is_nothing = amount.is_none() && record.has(Column::Type) && record.cell(Column::Type) == Cell::Null;
            match if is_nothing { AccountSide::Credit } else { side_of_amount(record, columns, amount, suffix)? } {
                AccountSide::Credit if columns.positive.is_none() => (amount, None),
                AccountSide::Debit if columns.positive.is_none() => (None, amount),
                AccountSide::Credit => (amount.map(i64::abs), None),
                AccountSide::Debit => (None, amount.map(i64::abs)),
            }
        }
    };
    let sides = amount_sides::resolve_amount_sides(credit, debit, collector.reading.negative);
    let fee = if record.has(Column::Fee) { read_record_fee(record, columns, collector)? } else { 0 };
    match sides {
        Ok(sides) if fee == 0 => Ok(Some(sides)),
        Ok(sides) => with_fee(record, sides, fee).map(Some),
        // The fee alone is money that moved.
        Err(SidesFault::Empty) if fee != 0 => Ok(Some(Sides { credit: None, debit: Some(fee), flags: 0 })),
        Err(wrong) => sides_fault(record, collector, wrong, credit, debit),
    }
}

/// The amount of a credit or debit column, whose suffix must not contradict it.
#[inline(always)]
fn side_amount(
    record: &impl RawRecord,
    columns: &Columns,
    collector: &Collector<'_>,
    column: Column,
) -> Normalized<Option<i64>> {
    let (amount, suffix) = read_record_amount(record, columns, collector, column)?;
    match suffix {
        Some(Suffix::Credit) if column == Column::Debit => {
            fail_at_column(column, format!("`{}` has the suffix of a credit", record.cell(column).display()))
        }
        Some(Suffix::Debit) if column == Column::Credit => {
            fail_at_column(column, format!("`{}` has the suffix of a debit", record.cell(column).display()))
        }
        _ => Ok(amount),
    }
}

/// The balance after the record. One with the suffix of a debit is below zero.
#[inline(always)]
pub(crate) fn read_record_balance(
    record: &impl RawRecord,
    columns: &Columns,
    collector: &Collector<'_>,
) -> Normalized<Option<i64>> {
    let (balance, suffix) = read_record_amount(record, columns, collector, Column::Balance)?;
    match (balance, suffix) {
        (Some(minor), Some(_)) if minor < 0 => {
            let cell = record.cell(Column::Balance).display();
            fail_at_column(
                Column::Balance,
                format!("`{cell}` has a minus and a suffix; only one of them can say the side"),
            )
        }
        (Some(minor), Some(Suffix::Debit)) => Ok(Some(-minor)),
        _ => Ok(balance),
    }
}

/// The fee, without its sign.
fn read_record_fee(record: &impl RawRecord, columns: &Columns, collector: &Collector<'_>) -> Normalized<i64> {
    let (fee, suffix) = read_record_amount(record, columns, collector, Column::Fee)?;
    let cell = || record.cell(Column::Fee).display();
    if suffix == Some(Suffix::Credit) {
        return fail_at_column(Column::Fee, format!("`{}` has the suffix of a credit, but a fee is a debit", cell()));
    }
    match (columns.notation.fee, fee.unwrap_or(0)) {
        (FeeSign::Positive, fee) if fee < 0 => {
            let advice = "declare [amount] fee = \"negative\" if this bank writes fees with a minus";
            fail_at_column(Column::Fee, format!("`{}` is negative; {advice}", cell()))
        }
        (FeeSign::Negative, fee) if fee > 0 => {
            fail_at_column(Column::Fee, format!("`{}` has no minus, but [amount] fee is \"negative\"", cell()))
        }
        (_, fee) => Ok(fee.abs()),
    }
}

/// The sides with the fee among the debits.
fn with_fee(record: &impl RawRecord, sides: Sides, fee: i64) -> Normalized<Sides> {
    let Some(debit) = sides.debit.unwrap_or(0).checked_add(fee) else {
        let cell = record.cell(Column::Fee).display();
        return fail_at_column(
            Column::Fee,
            format!("`{cell}` and the amount are together too large for an exact amount"),
        );
    };
    let both = if sides.credit.unwrap_or(0) != 0 { flag::BOTH_AMOUNTS } else { 0 };
    Ok(Sides { credit: sides.credit, debit: Some(debit), flags: sides.flags & !flag::ZERO_AMOUNT | both })
}

/// Whether a row without an amount only shows the balance that it is named for, such as `OPENING BALANCE`. Documents of
/// the provider have no such rows.
fn shows_balance(record: &mut impl RawRecord) -> Normalized<bool> {
    if !record.splits_accounts() || record.cell(Column::Balance) == Cell::Null {
        return Ok(false);
    }
    record.read_texts()?;
    let desc = record.texts().find(|(column, _)| *column == Column::Desc.index()).and_then(|(_, text)| text);
    Ok(desc.is_some_and(names_balance))
}

#[cold]
fn sides_fault(
    record: &mut impl RawRecord,
    collector: &Collector<'_>,
    wrong: SidesFault,
    credit: Option<i64>,
    debit: Option<i64>,
) -> Normalized<Option<Sides>> {
    let is_signed = record.has(Column::Amount);
    let column = |side: Column| if is_signed { Column::Amount } else { side };
    let both = [Column::Credit, Column::Debit];
    let has_none = ![Column::Amount, Column::Credit, Column::Debit].iter().any(|column| record.has(*column));
    match wrong {
        SidesFault::NegativeCredit => refuse_negative_side(record, column(Column::Credit), &wrong, debit),
        SidesFault::NegativeDebit => refuse_negative_side(record, column(Column::Debit), &wrong, credit),
        SidesFault::Empty if has_none || record.misspelt(&both).is_some() => {
            fail_missing_column(record, "a record needs `credit` or `debit`", Column::Credit, &both)
        }
        SidesFault::Empty if collector.reading.empty_amount == EmptyAmount::Drop => Ok(None),
        SidesFault::Empty if shows_balance(record)? => {
            Ok(Some(Sides { credit: Some(0), debit: None, flags: flag::ZERO_AMOUNT }))
        }
        SidesFault::Empty => fail_at_column(
            column(if record.has(Column::Credit) { Column::Credit } else { Column::Debit }),
            "neither credit nor debit is filled, and null is not 0; leave such records out by `empty_amount` in the \
             policy, or in a table by `skip`",
        ),
    }
}

fn refuse_negative_side<T>(
    record: &impl RawRecord,
    column: Column,
    wrong: &SidesFault,
    other: Option<i64>,
) -> Normalized<T> {
    fail_at_column(column, format!("`{}` {}", record.cell(column).display(), wrong.describe_negative(other)))
}

/// Which side an amount is on, by its suffix, its type or its sign.
fn side_of_amount(
    record: &impl RawRecord,
    columns: &Columns,
    amount: Option<i64>,
    suffix: Option<Suffix>,
) -> Normalized<AccountSide> {
    let suffix = match suffix {
        Some(suffix) => Some(suffix),
        // Nothing needs no side: the record is refused or dropped, or moves no money.
        None if amount.unwrap_or(0) == 0 && columns.notation.has_suffixes() => Some(Suffix::Credit),
        None => columns.notation.side_without_suffix(),
    };
    let cell = || record.cell(Column::Amount).display();
    let Some(by_suffix) = suffix.map(Suffix::side) else {
        if columns.positive.is_none() && !record.has(Column::Type) {
            return fail_at_column(
                Column::Amount,
                format!(
                    "`{}` has none of the suffixes that [amount] declares; if amounts without one are credits, add \
                     \"\" to credit_suffix",
                    cell()
                ),
            );
        }
        return declared_side(record, columns, amount);
    };
    let is_silent = amount.unwrap_or(0) == 0 || columns.positive.is_some() && amount > Some(0);
    if is_silent || columns.positive.is_none() && !record.has(Column::Type) {
        return Ok(by_suffix);
    }
    match declared_side(record, columns, amount)? == by_suffix {
        true => Ok(by_suffix),
        false => fail_at_column(
            Column::Amount,
            format!("`{}` has the suffix of the other side than its type or minus", cell()),
        ),
    }
}

/// Which side an amount is on, by its sign or its type.
fn declared_side(record: &impl RawRecord, columns: &Columns, amount: Option<i64>) -> Normalized<AccountSide> {
    if let Some(positive) = columns.positive {
        let negative = amount.is_some_and(|minor| minor < 0);
        return Ok(if negative == (positive == AccountSide::Debit) { AccountSide::Credit } else { AccountSide::Debit });
    }
    let cell = record.cell(Column::Type);
    if cell == Cell::Null {
        return fail_at_column(Column::Type, "the type is missing, so the side of the amount is unknown");
    }
    let mut text = String::new();
    cell.write_text(&mut text);
    if columns.credit_values.contains(&text) {
        Ok(AccountSide::Credit)
    } else if columns.debit_values.contains(&text) {
        Ok(AccountSide::Debit)
    } else {
        fail_at_column(
            Column::Type,
            format!("`{}` is listed neither as credit nor as debit under [type]", cell.display()),
        )
    }
}

impl Suffix {
    fn side(self) -> AccountSide {
        match self {
            Suffix::Credit => AccountSide::Credit,
            Suffix::Debit => AccountSide::Debit,
        }
    }
}

/// An amount in minor units, and what its suffix says.
#[inline(always)]
fn read_record_amount(
    record: &impl RawRecord,
    columns: &Columns,
    collector: &Collector<'_>,
    column: Column,
) -> Normalized<(Option<i64>, Option<Suffix>)> {
    let reading = collector.reading;
    let cell = record.cell(column);
    let read = match cell {
        Cell::Null => return Ok((None, None)),
        Cell::Text(text) if columns.reads_notation => {
            let written = columns.notation.read(text, reading.unit, reading.currency.exponent());
            written.map(|written| (Some(written.minor), written.suffix))
        }
        Cell::Text(text) if record.splits_accounts() && has_lossy_exponent(text) => Err(AmountError::NotANumber),
        cell => cell.amount(reading.unit, reading.currency.exponent()).map(|minor| (Some(minor), None)),
    };
    match read {
        _ if matches!(cell, Cell::Single(_)) => fail_at_column(column, SINGLE_MONEY),
        Ok(_) if record.splits_accounts() && may_have_thousands(&cell, columns, collector) => fail_at_column(
            column,
            format!(
                "`{}` may have a point before thousands or before decimals; {THOUSANDS_OR_DECIMALS}",
                cell.display()
            ),
        ),
        Ok(amount) => Ok(amount),
        Err(wrong) => amount_fault(record, columns, collector, column, &wrong),
    }
}

/// Whether a text could be an amount of whole thousands, as `1.500`, and nothing declares which mark its point is.
#[inline]
fn may_have_thousands(cell: &Cell<'_>, columns: &Columns, collector: &Collector<'_>) -> bool {
    let Cell::Text(text) = cell else { return false };
    let text = text.trim_end_matches(|letter: char| !letter.is_ascii_digit()).as_bytes();
    let Some((whole, [b'.', decimals @ ..])) = text.split_last_chunk::<4>() else { return false };
    let digits = whole.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let before = whole.len().checked_sub(digits + 1).and_then(|at| whole.get(at));
    let reading = collector.reading;
    decimals.iter().all(u8::is_ascii_digit)
        && (1..=3).contains(&digits)
        && whole.get(whole.len() - digits) != Some(&b'0')
        && !matches!(before, Some(b'.' | b',' | b'\''))
        && columns.notation.decimal.is_none()
        && reading.unit == AmountUnit::Major
        && reading.currency.exponent() < 3
}

const THOUSANDS_OR_DECIMALS: &str = "declare decimal = \".\", or decimal = \",\" and thousands = [\".\"], under \
    [amount] of a columns file";

#[cold]
fn amount_fault<T>(
    record: &impl RawRecord,
    columns: &Columns,
    collector: &Collector<'_>,
    column: Column,
    wrong: &AmountError,
) -> Normalized<T> {
    let cell = record.cell(column);
    let advice = match cell {
        // Only tables have columns files.
        Cell::Text(text) if record.splits_accounts() => advise_amount_notation(&columns.notation, text, wrong),
        Cell::Float(_) => float_advice(&cell.display()),
        _ => None,
    };
    let advice = advice.map(|advice| format!("; {advice}")).unwrap_or_default();
    fail_at_column(
        column,
        format!("`{}` {wrong} (amounts are in {}){advice}", cell.display(), collector.reading.amounts_in()),
    )
}
