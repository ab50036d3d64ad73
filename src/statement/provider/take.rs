//! The JSON record as a raw record: both flat records of tables and nested ones of the provider.

use std::borrow::Cow;

use crate::base::text_search::suggest::suggest_near_name;
use crate::statement::base::column::Column;
use crate::statement::base::error::{Error, Place, show_source_text};
use crate::statement::base::unread::Unread;
use crate::statement::cells::cell::Cell;
use crate::statement::columns_file::UNDECLARED;
use crate::statement::normalize::raw_record::RawRecord;
use crate::statement::normalize::record::normalize_record;
use crate::statement::provider::field::{FLAT, FLAT_FIELDS, Field, REQUIRED};
use crate::statement::provider::json_record::JsonRecord;
use crate::statement::provider::record::{RecordFault, ValueFault};
use crate::statement::rows::builder::Group;
use crate::statement::rows::collector::{Collector, Places};

/// Adds one record to the collector. Returns whether it was kept. `start` is where its object begins.
#[inline]
pub(crate) fn take_json_record(
    record: &mut JsonRecord<'_>,
    collector: &mut Collector<'_>,
    ordinal: u32,
    start: usize,
) -> Result<bool, RecordFault> {
    record.is_flat = flatten_table_record(record);
    if record.has(Field::OtherPrepositions) {
        record.merge(Field::Prepositions, Field::OtherPrepositions);
    }
    normalize_record(record, &UNDECLARED, collector, ordinal).map_err(|fault| {
        let path = record.name(fault.column).to_owned();
        let at = Field::for_column(fault.column).and_then(|field| record.at(field)).unwrap_or(start);
        RecordFault::Value(Box::new(ValueFault { path, at, what: fault.what }))
    })
}

impl RawRecord for JsonRecord<'_> {
    #[inline(always)]
    fn cell(&self, column: Column) -> Cell<'_> {
        let text = match (column, Field::for_column(column)) {
            (Column::Id, _) => self.get(Field::Id).or_else(|| self.get(Field::OtherId)),
            (_, Some(field)) => self.get(field),
            (_, None) => None,
        };
        text.map_or(Cell::Null, Cell::Text)
    }

    #[inline(always)]
    fn has(&self, column: Column) -> bool {
        Field::for_column(column).is_some_and(|field| JsonRecord::has(self, field))
    }

    fn name(&self, column: Column) -> &str {
        column.name()
    }

    #[inline(always)]
    fn is_fresh(&self, column: Column) -> bool {
        Field::for_column(column).is_some_and(|field| JsonRecord::is_fresh(self, field))
    }

    fn requires(&self, column: Column) -> bool {
        column == Column::Id && (!self.is_flat || self.misspelt(&[Column::Id]).is_some())
    }

    fn misspelt(&self, missing: &[Column]) -> Option<(Cow<'_, str>, &'static str)> {
        let is_missing = |name: &str| {
            let name = if name == "_id" { "id" } else { name };
            missing.iter().any(|column| column.name() == name)
        };
        let slips = self
            .unknown
            .iter()
            .filter_map(|key| suggest_near_name(key, REQUIRED).map(|name| (Cow::Borrowed(*key), name)));
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

/// Whether the record is a table's flat one, with `desc`, `topics` and so on beside the amounts. Moves their values to
/// their columns. A record with none of these is the provider's if it has the bank's own form of the date.
fn flatten_table_record(record: &mut JsonRecord<'_>) -> bool {
    if record.has(Field::Notes) {
        return false;
    }
    let mut is_flat = !record.has(Field::TransBank);
    for (flat, field, _) in FLAT {
        is_flat |= record.has(flat);
        if record.has(flat) && record.get(field).is_none() {
            record.merge(field, flat);
        }
    }
    is_flat
}

/// Counts flat fields that are not read. Beside `notes` they repeat the same data: `notes` is read, and they count as
/// unknown fields. So does a `reference` beside a different `ref`.
fn unused_flat(record: &JsonRecord<'_>, unread: &mut Unread) -> u64 {
    let reference = record.get(Field::FlatReference);
    let is_other = reference.is_some() && reference != record.get(Field::Reference);
    let (unused, count) = match record.has(Field::Notes) {
        true => (FLAT_FIELDS, record.count_of(FLAT_FIELDS)),
        false if is_other => (record.misshapen_fields | Field::FlatReference.bit(), record.misshapen + 1),
        false => (record.misshapen_fields, record.misshapen),
    };
    if count > 0 {
        let names = FLAT.iter().filter(|(flat, ..)| unused & flat.bit() != 0 && record.has(*flat));
        names.for_each(|(.., name)| unread.add(name));
    }
    count
}

/// The fault as an error of the whole source, with the record's place and id.
pub(crate) fn locate_record_fault(fault: RecordFault, record: &JsonRecord<'_>, places: &Places, ordinal: u32) -> Error {
    match fault {
        RecordFault::Flaw(flaw) => flaw.into(),
        RecordFault::Value(fault) => {
            let path = if fault.path.is_empty() { places.name(ordinal) } else { places.field(ordinal, &fault.path) };
            let record = record.get(Field::Id).or_else(|| record.get(Field::OtherId)).map(show_source_text);
            Error::Value { place: Box::new(Place { path, byte: Some(fault.at), record }), what: fault.what }
        }
    }
}
