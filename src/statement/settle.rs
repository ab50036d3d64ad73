//! What a record's values mean: the draft becomes a row, or an error that says where and why.
//! Must not know how the values were found.

use crate::statement::currency;
use crate::statement::draft::Draft;
use crate::statement::error::{Error, Place, show};
use crate::statement::field::{FLAT, FLAT_FIELDS, Field, REQUIRED};
use crate::statement::identity::identity;
use crate::statement::intake::{Intake, Places};
use crate::statement::minute::LastMinute;
use crate::statement::near::nearest;
use crate::statement::quality::flag;
use crate::statement::reading::EmptyAmount;
use crate::statement::record::{RecordFault, value_fault};
use crate::statement::rows::{Entry, NO_DAY, NO_VALUE};
use crate::statement::sides::{self, SidesFault};
use crate::statement::unread::Unread;
use crate::statement::when::{When, WhenFault};
use crate::words::money::parse_amount;

/// Takes one record into the intake, and says whether it is kept. `start` is where its object begins.
pub(crate) fn settle(
    draft: &mut Draft<'_>,
    intake: &mut Intake<'_>,
    ordinal: u32,
    start: usize,
) -> Result<bool, RecordFault> {
    let flat = settle_flat(draft);
    if draft.has(Field::OtherPrepositions) {
        draft.merge(Field::Prepositions, Field::OtherPrepositions);
    }
    let draft = &*draft;
    let id = draft.get(Field::Id).or_else(|| draft.get(Field::OtherId));
    if id.is_none() && (!flat || misspelt(draft, &["id", "_id"]).is_some()) {
        return missing(draft, "id", start, &["id", "_id"]);
    }
    if draft.is_fresh(Field::Currency) {
        check_currency(draft, intake)?;
    }
    let trans = settle_date(draft, intake, [Field::TransIso, Field::TransBank])?;
    let Some(trans) = trans else {
        return missing(draft, "trans_date", start, &["trans_date", "unformatted_trans_date"]);
    };
    let cleared = settle_date(draft, intake, [Field::ClearedIso, Field::ClearedBank])?;
    intake.last_dates = [Some(trans), cleared];
    let group = match draft.get(Field::Customer) {
        _ if !draft.is_fresh(Field::Customer) => intake.last_group(),
        customer => match group_of(customer, intake) {
            Ok(group) => group,
            Err(what) => return value_fault("customer", draft.at(Field::Customer).unwrap_or(start), what),
        },
    };
    let sides = settle_sides(draft, intake, start)?;
    intake.records += 1;
    if let Some(counters) = intake.counters(group) {
        counters.unknown_fields += draft.unknown.len() as u64 + unused_flat(draft, &mut counters.unread);
        draft.unknown.iter().for_each(|key| counters.unread.add(key));
        counters.text_repaired += draft.text_repaired;
        counters.placeholder_text += draft.placeholder_text;
        counters.dropped_empty += u64::from(sides.is_none());
    }
    let Some(sides) = sides else { return Ok(false) };
    let entry = Entry {
        group,
        ordinal,
        id,
        day: trans.day.days(),
        order: trans.second,
        cleared: cleared.map_or(NO_DAY, |when| when.day.days()),
        credit: sides.credit.unwrap_or(NO_VALUE),
        debit: sides.debit.unwrap_or(NO_VALUE),
        balance: amount(draft, intake, Field::Balance)?.unwrap_or(NO_VALUE),
        created: moment(draft, Field::CreatedAt, &intake.rows.created, &mut intake.last_minutes[0])?,
        updated: moment(draft, Field::LastUpdated, &intake.rows.updated, &mut intake.last_minutes[1])?,
        flags: sides.flags
            | trans.verdict.flag(flag::DATE_REPAIRED, flag::DATE_CONFLICT)
            | cleared.map_or(0, |when| when.verdict.flag(flag::CLEARED_REPAIRED, flag::CLEARED_CONFLICT)),
    };
    intake.rows.push(&entry, draft.fresh_texts());
    Ok(true)
}

/// The statement of a record of this customer, or why there is none.
fn group_of(customer: Option<&str>, intake: &mut Intake<'_>) -> Result<u32, String> {
    let name = customer.map(identity).transpose()?;
    intake.group(name.filter(|name| !name.is_empty()))
}

/// Whether the record is a table's flat one, with `desc`, `topics` and so on beside the amounts; what it says goes to their columns. One that has
/// none of these is the provider's where it has a date as the bank wrote it.
fn settle_flat(draft: &mut Draft<'_>) -> bool {
    if draft.has(Field::Notes) {
        return false;
    }
    let mut is_flat = !draft.has(Field::TransBank);
    for (flat, field, _) in FLAT {
        is_flat |= draft.has(flat);
        if draft.has(flat) && draft.get(field).is_none() {
            draft.merge(field, flat);
        }
    }
    is_flat
}

/// Flat fields beside `notes` say the same things twice; `notes` counts, and the others are fields that nobody knows. So is a `reference`
/// beside another `ref`.
fn unused_flat(draft: &Draft<'_>, unread: &mut Unread) -> u64 {
    let reference = draft.get(Field::FlatReference);
    let is_other = reference.is_some() && reference != draft.get(Field::Reference);
    let (unused, count) = match draft.has(Field::Notes) {
        true => (FLAT_FIELDS, draft.count_of(FLAT_FIELDS)),
        false if is_other => (draft.misshapen_fields | Field::FlatReference.bit(), draft.misshapen + 1),
        false => (draft.misshapen_fields, draft.misshapen),
    };
    if count > 0 {
        let names = FLAT.iter().filter(|(flat, ..)| unused & flat.bit() != 0 && draft.has(*flat));
        names.for_each(|(.., name)| unread.add(name));
    }
    count
}

fn misspelt<'d>(draft: &'d Draft<'_>, names: &[&'static str]) -> Option<(&'d str, &'static str)> {
    let slips = draft.unknown.iter().filter_map(|key| nearest(key, REQUIRED).map(|name| (*key, name)));
    let mut slips = slips.filter(|(_, name)| names.contains(name));
    slips.next()
}

fn missing<T>(draft: &Draft<'_>, path: &str, start: usize, names: &[&'static str]) -> Result<T, RecordFault> {
    let help = misspelt(draft, names)
        .map(|(key, name)| format!("; there is `{}`, which may be meant for `{name}`", show(key)))
        .unwrap_or_default();
    let what = match path {
        "trans_date" => "a record needs `trans_date` or `unformatted_trans_date`",
        "credit" => "a record needs `credit` or `debit`",
        _ => "a record needs an id, `id` or `_id`",
    };
    value_fault(path, start, format!("{what}{help}"))
}

fn check_currency(draft: &Draft<'_>, intake: &Intake<'_>) -> Result<(), RecordFault> {
    match draft.get(Field::Currency).and_then(|said| currency::fault(intake.reading.currency, said, &[])) {
        Some(what) => value_fault("currency", draft.at(Field::Currency).unwrap_or_default(), what),
        None => Ok(()),
    }
}

fn settle_date(
    draft: &Draft<'_>,
    intake: &mut Intake<'_>,
    [iso, bank]: [Field; 2],
) -> Result<Option<When>, RecordFault> {
    if !draft.is_fresh(iso) && !draft.is_fresh(bank) {
        let [trans, cleared] = intake.last_dates;
        return Ok(if iso == Field::TransIso { trans } else { cleared });
    }
    let (iso_text, bank_text) = (draft.get(iso), draft.get(bank));
    let reading = intake.reading;
    let fault = match intake.recent.reconcile(iso_text, bank_text, &reading.zone, reading.date_conflict) {
        Ok(when) => return Ok(when),
        Err(fault) => fault,
    };
    let name = if iso == Field::TransIso { "trans_date" } else { "cleared_date" };
    let at = |field| draft.at(field).unwrap_or_default();
    let (iso_text, bank_text) = (show(iso_text.unwrap_or_default()), show(bank_text.unwrap_or_default()));
    match fault {
        WhenFault::Iso => value_fault(
            name,
            at(iso),
            format!(
                "`{iso_text}` is not an ISO 8601 date from 1900 to 2200, such as 2026-06-30T00:00:00.000Z or 2026-06-30"
            ),
        ),
        WhenFault::Unformatted => value_fault(
            format!("unformatted_{name}"),
            at(bank),
            format!("`{bank_text}` is not a day from 1900 to 2200 written DD-MM-YYYY, such as 30-06-2026"),
        ),
        WhenFault::Conflict(local) => value_fault(
            name,
            at(iso),
            format!(
                "`{iso_text}` is {local} in {}, but `unformatted_{name}` is `{bank_text}`; declare `prefer_iso` or `prefer_unformatted` to choose one",
                reading.zone.name()
            ),
        ),
    }
}

/// Both sides by the declared rules; `None` for a record that is to be dropped.
fn settle_sides(draft: &Draft<'_>, intake: &Intake<'_>, start: usize) -> Result<Option<sides::Sides>, RecordFault> {
    let credit = amount(draft, intake, Field::Credit)?;
    let debit = amount(draft, intake, Field::Debit)?;
    let fault = match sides::resolve(credit, debit, intake.reading.negative) {
        Ok(sides) => return Ok(Some(sides)),
        Err(fault) => fault,
    };
    let negative = |name: &str, field, other: Option<i64>| {
        let what = format!("`{}` {}", show(draft.get(field).unwrap_or_default()), fault.of_negative(other));
        value_fault(name, draft.at(field).unwrap_or(start), what)
    };
    match fault {
        SidesFault::NegativeCredit => negative("credit", Field::Credit, debit),
        SidesFault::NegativeDebit => negative("debit", Field::Debit, credit),
        SidesFault::Empty if !draft.has(Field::Credit) && !draft.has(Field::Debit) => {
            missing(draft, "credit", start, &["credit", "debit"])
        }
        SidesFault::Empty if misspelt(draft, &["credit", "debit"]).is_some() => {
            missing(draft, "credit", start, &["credit", "debit"])
        }
        SidesFault::Empty if intake.reading.empty_amount == EmptyAmount::Drop => Ok(None),
        SidesFault::Empty => {
            let field = if draft.has(Field::Credit) { Field::Credit } else { Field::Debit };
            let name = if field == Field::Credit { "credit" } else { "debit" };
            value_fault(
                name,
                draft.at(field).unwrap_or(start),
                "neither credit nor debit is filled, and null is not 0; declare `drop` to leave such records out",
            )
        }
    }
}

fn amount(draft: &Draft<'_>, intake: &Intake<'_>, field: Field) -> Result<Option<i64>, RecordFault> {
    let Some(text) = draft.get(field) else { return Ok(None) };
    let reading = intake.reading;
    match parse_amount(text.as_bytes(), reading.unit, reading.currency.exponent()) {
        Ok(minor) => Ok(Some(minor)),
        Err(wrong) => {
            let name = match field {
                Field::Credit => "credit",
                Field::Debit => "debit",
                _ => "balance",
            };
            value_fault(
                name,
                draft.at(field).unwrap_or_default(),
                format!("`{}` {wrong} (amounts are in {})", show(text), reading.amounts_in()),
            )
        }
    }
}

fn moment(draft: &Draft<'_>, field: Field, before: &[i64], last_minute: &mut LastMinute) -> Result<i64, RecordFault> {
    // What is not fresh is as in the record before, which is the last row: where a record was left out, all of the next one is fresh.
    if let Some(as_before) = before.last().filter(|_| !draft.is_fresh(field)) {
        return Ok(*as_before);
    }
    let Some(text) = draft.get(field) else { return Ok(NO_VALUE) };
    match last_minute.milliseconds(text) {
        Some(milliseconds) => Ok(milliseconds),
        None => {
            let name = if field == Field::CreatedAt { "created_at" } else { "last_updated" };
            let what = format!("`{}` is not an ISO 8601 moment, such as 2026-06-30T12:00:00.000Z", show(text));
            value_fault(name, draft.at(field).unwrap_or_default(), what)
        }
    }
}

/// The fault as the reader of the whole source reports it, with the record's place and id.
pub(crate) fn located(fault: RecordFault, draft: &Draft<'_>, places: &Places, ordinal: u32) -> Error {
    match fault {
        RecordFault::Flaw(flaw) => flaw.into(),
        RecordFault::Value(fault) => {
            let path = if fault.path.is_empty() { places.name(ordinal) } else { places.field(ordinal, &fault.path) };
            let record = draft.get(Field::Id).or_else(|| draft.get(Field::OtherId)).map(show);
            Error::Value { place: Box::new(Place { path, byte: Some(fault.at), record }), what: fault.what }
        }
    }
}
