//! The JSON record as a raw record: flat records of tables and nested ones of the provider alike. Must not know what a
//! value means.

use std::borrow::Cow;

use crate::statement::cell::Cell;
use crate::statement::column::Column;
use crate::statement::columns::UNDECLARED;
use crate::statement::draft::Draft;
use crate::statement::error::{Error, Place, show};
use crate::statement::field::{FLAT, FLAT_FIELDS, Field, REQUIRED};
use crate::statement::intake::{Intake, Places};
use crate::statement::near::nearest;
use crate::statement::normalize::normalize;
use crate::statement::raw_record::RawRecord;
use crate::statement::record::{RecordFault, ValueFault};
use crate::statement::rows::Group;
use crate::statement::unread::Unread;

/// Takes one record into the intake. Returns whether it was kept. `start` is where its object begins.
#[inline]
pub(crate) fn take(
    draft: &mut Draft<'_>,
    intake: &mut Intake<'_>,
    ordinal: u32,
    start: usize,
) -> Result<bool, RecordFault> {
    draft.is_flat = flatten(draft);
    if draft.has(Field::OtherPrepositions) {
        draft.merge(Field::Prepositions, Field::OtherPrepositions);
    }
    normalize(draft, &UNDECLARED, intake, ordinal).map_err(|fault| {
        let path = draft.name(fault.column).to_owned();
        let at = Field::of_column(fault.column).and_then(|field| draft.at(field)).unwrap_or(start);
        RecordFault::Value(Box::new(ValueFault { path, at, what: fault.what }))
    })
}

impl RawRecord for Draft<'_> {
    #[inline]
    fn cell(&self, column: Column) -> Cell<'_> {
        let text = match (column, Field::of_column(column)) {
            (Column::Id, _) => self.get(Field::Id).or_else(|| self.get(Field::OtherId)),
            (_, Some(field)) => self.get(field),
            (_, None) => None,
        };
        text.map_or(Cell::Null, Cell::Text)
    }

    #[inline]
    fn has(&self, column: Column) -> bool {
        Field::of_column(column).is_some_and(|field| Draft::has(self, field))
    }

    fn name(&self, column: Column) -> &str {
        column.name()
    }

    #[inline]
    fn is_fresh(&self, column: Column) -> bool {
        Field::of_column(column).is_some_and(|field| Draft::is_fresh(self, field))
    }

    fn requires(&self, column: Column) -> bool {
        column == Column::Id && (!self.is_flat || self.misspelt(&[Column::Id]).is_some())
    }

    fn misspelt(&self, missing: &[Column]) -> Option<(Cow<'_, str>, &'static str)> {
        let is_missing = |name: &str| {
            let name = if name == "_id" { "id" } else { name };
            missing.iter().any(|column| column.name() == name)
        };
        let slips =
            self.unknown.iter().filter_map(|key| nearest(key, REQUIRED).map(|name| (Cow::Borrowed(*key), name)));
        slips.into_iter().find(|(_, name)| is_missing(name))
    }

    #[inline]
    fn texts(&self) -> impl Iterator<Item = (usize, Option<&str>)> {
        self.fresh_texts()
    }

    #[inline]
    fn count(&self, counters: &mut Group) {
        counters.unknown_fields += self.unknown.len() as u64 + unused_flat(self, &mut counters.unread);
        self.unknown.iter().for_each(|key| counters.unread.add(key));
        counters.text_repaired += self.text_repaired;
        counters.placeholder_text += self.placeholder_text;
    }
}

/// Whether the record is a table's flat one, with `desc`, `topics` and so on beside the amounts; what it says goes to their columns. One that has
/// none of these is the provider's where it has a date as the bank wrote it.
fn flatten(draft: &mut Draft<'_>) -> bool {
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
