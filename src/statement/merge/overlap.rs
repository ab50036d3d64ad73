//! Joins exports of one account that overlap: each record is kept as often as in the export that has it most often.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use super::accounts::{Export, shared_ids};
use super::fingerprint::Fingerprint;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::columns::frame::Head;
use crate::statement::columns::id_order::IdOrder;
use crate::statement::columns::record_columns::View;
use crate::statement::rows::builder::NO_VALUE;

/// The records of one account.
pub(super) struct Union {
    pub(super) rows: Vec<u32>,
    /// Records dropped because another export has them.
    pub(super) dropped: u64,
    /// Ids that stand for different records in two exports.
    pub(super) conflicts: u64,
}

/// Joins the exports of one account.
pub(super) fn union_of_exports(exports: &[&Export], heads: &[Head], view: &View<'_>) -> Result<Union, Error> {
    if let [only] = exports {
        let rows = only.rows.clone().map(|row| row as u32).collect();
        return Ok(Union { rows, dropped: 0, conflicts: 0 });
    }
    let all: usize = exports.iter().map(|export| export.fingerprints.len()).sum();
    let (classes, conflicts) = classes_of_exports(exports);
    let mut records = once_each(exports, &classes, heads, view)?;
    // If every record has a balance, balances tell repeated records apart. Otherwise only their number does.
    let balanced = exports.iter().all(|export| export.balanced);
    let key =
        |record: &ExportRecord| (record.fingerprint.content, if balanced { record.fingerprint.balance } else { 0 });
    records.sort_unstable_by_key(|record| (key(record), record.class, record.export, record.fingerprint.row));
    let mut rows = Vec::with_capacity(records.len());
    for same in records.chunk_by(|left, right| key(left) == key(right)) {
        keep_equal_records(same, view, &mut rows);
    }
    let dropped = (all - rows.len()) as u64;
    Ok(Union { rows, dropped, conflicts })
}

/// The class of each export, and the number of conflicting ids. In exports of one class, an id stands for the same
/// record.
fn classes_of_exports(exports: &[&Export]) -> (Vec<usize>, u64) {
    let mut classes: Vec<usize> = (0..exports.len()).collect();
    let mut conflicts = 0;
    for (left, one) in exports.iter().enumerate() {
        for (right, other) in exports.iter().enumerate().skip(left + 1) {
            let ids = shared_ids(one, other);
            if !ids.hold() {
                conflicts += ids.shared - ids.agreeing;
                continue;
            }
            if let (Some(&low), Some(&high)) = (classes.get(left), classes.get(right)) {
                classes.iter_mut().filter(|class| **class == high).for_each(|class| *class = low);
            }
        }
    }
    (classes, conflicts)
}

#[derive(Clone, Copy)]
struct ExportRecord {
    class: usize,
    export: usize,
    fingerprint: Fingerprint,
}

/// All records, but only one for each id of a class.
fn once_each(
    exports: &[&Export],
    classes: &[usize],
    heads: &[Head],
    view: &View<'_>,
) -> Result<Vec<ExportRecord>, Error> {
    let mut kept: Vec<ExportRecord> = Vec::new();
    let mut by_id: HashMap<(usize, u128), usize> = HashMap::new();
    for (export, (of, class)) in exports.iter().zip(classes).enumerate() {
        for fingerprint in &of.fingerprints {
            let record = ExportRecord { class: *class, export, fingerprint: *fingerprint };
            let Some(id) = fingerprint.id else {
                kept.push(record);
                continue;
            };
            let at = *by_id.entry((*class, id)).or_insert(kept.len());
            let Some(before) = kept.get_mut(at) else {
                kept.push(record);
                continue;
            };
            if !before.fingerprint.agrees(fingerprint) {
                return Err(clash_of_records(before, &record, exports, heads, view));
            }
            if compare_record_richness(&record, before, view).is_lt() {
                *before = record;
            }
        }
    }
    Ok(kept)
}

/// Orders records with more data first, and equal ones by content.
fn compare_record_richness(one: &ExportRecord, other: &ExportRecord, view: &View<'_>) -> Ordering {
    let unknown = |record: &ExportRecord| record.fingerprint.balance == NO_VALUE;
    let [row, than] = [one, other].map(|record| record.fingerprint.row as usize);
    unknown(one).cmp(&unknown(other)).then_with(|| view.by_content(IdOrder::Written, row, than))
}

fn clash_of_records(
    one: &ExportRecord,
    other: &ExportRecord,
    exports: &[&Export],
    heads: &[Head],
    view: &View<'_>,
) -> Error {
    let place = |record: &ExportRecord| {
        let head = exports.get(record.export).and_then(|export| heads.get(export.head));
        head.map(|head| show_source_text(&head.label)).unwrap_or_default()
    };
    let (first, second) = (one.fingerprint.row as usize, other.fingerprint.row as usize);
    let mut places = [place(one), place(other)];
    places.sort();
    let [before, after] = places;
    Error::Duplicate {
        id: show_source_text(view.id(first).unwrap_or_default()),
        first: before,
        second: after,
        column: view.differing_column(first, second).to_owned(),
    }
}

/// Keeps as many of these equal records as the class that has the most.
fn keep_equal_records(same: &[ExportRecord], view: &View<'_>, rows: &mut Vec<u32>) {
    if let [only] = same {
        return rows.push(only.fingerprint.row);
    }
    let mut classes: Vec<Vec<ExportRecord>> =
        same.chunk_by(|left, right| left.class == right.class).map(of_class).collect();
    for class in &mut classes {
        class.sort_by(|left, right| compare_record_richness(left, right, view));
    }
    let known =
        |class: &Vec<ExportRecord>| class.iter().filter(|record| record.fingerprint.balance != NO_VALUE).count();
    classes.sort_by(|left, right| {
        let most = (Reverse(known(left)), Reverse(left.len())).cmp(&(Reverse(known(right)), Reverse(right.len())));
        let pairs = left.iter().zip(right);
        most.then_with(|| {
            pairs
                .map(|(one, other)| compare_record_richness(one, other, view))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        })
    });
    let mut kept = 0;
    for class in &classes {
        rows.extend(class.iter().skip(kept).map(|record| record.fingerprint.row));
        kept = kept.max(class.len());
    }
}

/// The records of a class: all with an id, and those without an id from the export that has the most.
fn of_class(same: &[ExportRecord]) -> Vec<ExportRecord> {
    let mut kept: Vec<ExportRecord> = same.iter().filter(|record| record.fingerprint.id.is_some()).copied().collect();
    let nameless: Vec<ExportRecord> = same.iter().filter(|record| record.fingerprint.id.is_none()).copied().collect();
    let most = nameless.chunk_by(|left, right| left.export == right.export).max_by_key(|records| records.len());
    kept.extend_from_slice(most.unwrap_or_default());
    kept
}
