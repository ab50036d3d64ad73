//! The rows of a statement: its balances, and a row per booking with the balance after it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use foldhash::fast::RandomState;
use smallvec::SmallVec;

use super::entry::{CamtEntry, Details, format_signed_amount};
use super::spans::split_into_spans;
use super::statement::{Balance, Statement};
use crate::base::date::Day;
use crate::statement::formats::entry::{
    CLOSING, ENTRY_COLUMNS, INFORMATION, OPENING, PENDING, REPORT, at, last_day_until,
};
use crate::statement::formats::{Fault, RowValue, TakeRow};

pub(super) fn pass_statement_rows(
    statement: &Statement,
    ordinal: &mut u32,
    take: &mut TakeRow<'_>,
) -> Result<ControlFlow<()>, Fault> {
    let repeated = repeated_references(statement);
    let period = stated_period(statement).map(|(from, to)| (from.to_string(), to.to_string()));
    let mut rows = StatementRows { statement, ordinal, take, repeated, period };
    for span in split_into_spans(statement) {
        let balances = span.running();
        if let Some(balance) = span.opening
            && rows.balance(balance, OPENING)? == ControlFlow::Break(())
        {
            return Ok(ControlFlow::Break(()));
        }
        for (at, entry) in span.entries.iter().enumerate() {
            let after = balances.as_ref().and_then(|balances| balances.get(at)).copied().flatten();
            if rows.entry(entry, after)? == ControlFlow::Break(()) {
                return Ok(ControlFlow::Break(()));
            }
        }
        if let Some(balance) = span.closing.filter(|_| span.is_stated)
            && rows.balance(balance, CLOSING)? == ControlFlow::Break(())
        {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The day on which an entry counts.
pub(super) fn entry_booking_day(entry: &CamtEntry) -> &str {
    as_written(if entry.booked.is_empty() { &entry.valued } else { &entry.booked })
}

/// The day of a date or of a moment as the bank wrote it, whatever its zone.
pub(super) fn as_written(date: &str) -> &str {
    date.get(..10).unwrap_or(date)
}

/// References that the bank gave to several entries, and so identify none.
fn repeated_references(statement: &Statement) -> HashSet<&str, RandomState> {
    let mut counts: HashMap<&str, u32, RandomState> = HashMap::default();
    let all = statement.entries.iter().flat_map(|entry| {
        let own = std::iter::once(entry.own.servicer_reference.as_str());
        let parts = entry.parts.iter().filter(|_| entry.is_batch() || entry.parts.len() == 1);
        // A single part may repeat the entry's own reference.
        let is_own = |reference: &&str| entry.parts.len() == 1 && *reference == entry.own.servicer_reference;
        own.chain(parts.map(part_reference).filter(move |reference| !is_own(reference)))
    });
    for reference in all.filter(|reference| !reference.is_empty()) {
        *counts.entry(reference).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(reference, _)| reference).collect()
}

fn part_reference(part: &Details) -> &str {
    if part.servicer_reference.is_empty() { &part.transaction_id } else { &part.servicer_reference }
}

struct StatementRows<'s, 't, 'f> {
    statement: &'s Statement,
    ordinal: &'t mut u32,
    take: &'t mut TakeRow<'f>,
    repeated: HashSet<&'s str, RandomState>,
    /// The first and the last day that it covers.
    period: Option<(String, String)>,
}

type EntryValues<'r> = [RowValue<'r>; ENTRY_COLUMNS.len()];

fn text_or_empty_value(text: &str) -> RowValue<'_> {
    if text.is_empty() { RowValue::Empty } else { RowValue::Text(text) }
}

/// The period that a statement states with both its days.
fn stated_period(statement: &Statement) -> Option<(Day, Day)> {
    let from = Day::parse_iso(as_written(&statement.from))?;
    let to = last_day_until(Day::parse_iso(as_written(&statement.to))?, statement.to.get(11..).unwrap_or_default());
    (from <= to).then_some((from, to))
}

impl StatementRows<'_, '_, '_> {
    fn take(&mut self, row: &EntryValues<'_>) -> Result<ControlFlow<()>, Fault> {
        let mut row = *row;
        if let Some((from, to)) = &self.period {
            row[at::PERIOD_FROM] = RowValue::Text(from);
            row[at::PERIOD_TO] = RowValue::Text(to);
        }
        let flow = (self.take)(*self.ordinal, &row);
        *self.ordinal = self.ordinal.checked_add(1).ok_or_else(|| Fault::new("too many entries; split the file"))?;
        Ok(flow)
    }

    fn balance(&mut self, balance: &Balance, which: &'static str) -> Result<ControlFlow<()>, Fault> {
        // What cannot be read is passed on as it is: then the statement's balances have failed.
        let unread = || format!("{} {}", balance.amount, balance.side);
        let amount = balance.value().map(format_signed_amount);
        let (amount, is_read) = (amount.clone().unwrap_or_else(unread), amount.is_some());
        let mut row: EntryValues<'_> = [RowValue::Empty; ENTRY_COLUMNS.len()];
        row[at::ACCOUNT] = text_or_empty_value(&self.statement.account);
        row[at::TRANS_DATE] = text_or_empty_value(as_written(&balance.day));
        row[at::BALANCE] = if is_read { RowValue::Digits(&amount) } else { RowValue::Text(&amount) };
        row[at::CURRENCY] = text_or_empty_value(&balance.currency);
        row[at::STATED_BALANCE] = RowValue::Text(which);
        self.take(&row)
    }

    fn entry(&mut self, entry: &CamtEntry, after: Option<i64>) -> Result<ControlFlow<()>, Fault> {
        if !entry.is_batch() {
            return self.row(entry, None, after);
        }
        // Balances of the parts follow one another up to that of the entry.
        let mut balance = after.zip(entry.movement()).map(|(after, moved)| after - moved);
        for part in &entry.parts {
            balance = balance.zip(entry.part_movement(part)).and_then(|(balance, moved)| balance.checked_add(moved));
            if self.row(entry, Some(part), balance)? == ControlFlow::Break(()) {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The row of an entry, or of one part of it.
    fn row(&mut self, entry: &CamtEntry, part: Option<&Details>, after: Option<i64>) -> Result<ControlFlow<()>, Fault> {
        let own = part.unwrap_or(&entry.own);
        let (amount, is_credit) = (&own.amount, entry.side(own) == "CRDT");
        let details = part.map_or(entry.parts.as_slice(), std::slice::from_ref);
        let narration = narration_of_entry(entry, details);
        let people = list_distinct_names(details, |part| if is_credit { &part.debtor } else { &part.creditor });
        let bank = first_filled_detail(details, |part| if is_credit { &part.debtor_bank } else { &part.creditor_bank });
        let reference = match part {
            Some(part) => part_reference(part),
            None if entry.own.servicer_reference.is_empty() && details.len() == 1 => {
                first_filled_detail(details, part_reference)
            }
            None => &entry.own.servicer_reference,
        };
        let id = if self.repeated.contains(reference) { "" } else { reference };
        let code = if own.code.is_empty() { first_filled_detail(details, |part| &part.code) } else { &own.code };
        let balance = after.map(format_signed_amount);
        let mut row: EntryValues<'_> = [RowValue::Empty; ENTRY_COLUMNS.len()];
        row[at::ACCOUNT] = text_or_empty_value(&self.statement.account);
        row[at::ID] = text_or_empty_value(id);
        row[at::TRANS_DATE] = text_or_empty_value(entry_booking_day(entry));
        row[at::CLEARED_DATE] = text_or_empty_value(as_written(&entry.valued));
        row[if is_credit { at::CREDIT } else { at::DEBIT }] = RowValue::Digits(amount);
        row[at::BALANCE] = balance.as_deref().map_or(RowValue::Empty, RowValue::Digits);
        let named = &entry.own.currency;
        row[at::CURRENCY] = text_or_empty_value(if named.is_empty() { &self.statement.currency } else { named });
        row[at::STATUS] = RowValue::Text(match entry.status.as_str() {
            "BOOK" => "booked",
            "INFO" => INFORMATION,
            _ => PENDING,
        });
        row[at::CODE] = text_or_empty_value(code);
        row[at::BANK] = text_or_empty_value(bank);
        row[at::REFERENCE] = text_or_empty_value(first_filled_detail(details, |part| &part.end_to_end));
        row[at::DESC] = text_or_empty_value(&narration);
        row[at::PEOPLE] = text_or_empty_value(&people);
        row[at::INTERIM] = text_or_empty_value(if self.statement.is_report { REPORT } else { "" });
        self.take(&row)
    }
}

/// What is said of the payment: the remittance, and what the bank adds.
fn narration_of_entry<'e>(entry: &'e CamtEntry, parts: &'e [Details]) -> Cow<'e, str> {
    let all = parts.iter().flat_map(|part| &part.narration).chain([&entry.remark]);
    join_distinct_texts(all.map(|text| Cow::Borrowed(text.as_str())), " ")
}

/// The distinct names, as a list of the product's.
fn list_distinct_names<'d>(parts: &'d [Details], name: impl Fn(&'d Details) -> &'d str) -> Cow<'d, str> {
    let names = parts.iter().map(|part| match name(part) {
        name if name.contains('|') => Cow::Owned(name.replace('|', " ")),
        name => Cow::Borrowed(name),
    });
    join_distinct_texts(names, "|")
}

/// The distinct texts, as one. Most often there is only one.
fn join_distinct_texts<'d>(texts: impl Iterator<Item = Cow<'d, str>>, separator: &str) -> Cow<'d, str> {
    let mut distinct: SmallVec<[Cow<'d, str>; 2]> = SmallVec::new();
    for text in texts {
        if !text.is_empty() && !distinct.contains(&text) {
            distinct.push(text);
        }
    }
    match distinct.len() {
        0 | 1 => distinct.pop().unwrap_or_default(),
        _ => Cow::Owned(distinct.join(separator)),
    }
}

fn first_filled_detail<'d>(parts: &'d [Details], text: impl Fn(&'d Details) -> &'d str) -> &'d str {
    parts.iter().map(text).find(|text| !text.is_empty()).unwrap_or_default()
}
