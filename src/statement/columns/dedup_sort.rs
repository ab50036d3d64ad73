//! Drops or refuses duplicates, and sorts records into one order, whatever order they came in.

use std::cmp::Ordering;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use rayon::prelude::*;

use crate::statement::base::error::{Error, show_source_text};
use crate::statement::base::reading::RecordDay;
use crate::statement::columns::assemble::{RecordsSource, assemble_statements};
use crate::statement::columns::balance_order;
use crate::statement::columns::balance_rows::{self, BalanceLines};
use crate::statement::columns::frame::Statements;
use crate::statement::columns::id_order::IdOrder;
use crate::statement::columns::interim_reports::{self, ReportRows, UNLISTED_ADVICE, UnlistedRow};
use crate::statement::columns::record_columns::{RecordColumns, SHARED, View};
use crate::statement::columns::row_order;
use crate::statement::columns::shared_days;
use crate::statement::columns::signs;
use crate::statement::columns::stated_balances;
use crate::statement::rows::builder::Group;
use crate::statement::rows::collector::Collector;

/// The statements of all collected records: deduplicated, sorted, checked and assembled.
pub(crate) fn arrange_statements(collector: Collector<'_>, label: &str) -> Result<Statements, Error> {
    match collector.records < SHARED as u64 {
        true => arrange_collected_rows(collector, label),
        // Runs inside the thread pool, so that each parallel step need not enter it again.
        false => rayon::scope(|_| arrange_collected_rows(collector, label)),
    }
}

fn arrange_collected_rows(mut collector: Collector<'_>, label: &str) -> Result<Statements, Error> {
    collector.settle_left_out();
    let mut chunks = collector.take_rows();
    let ordinals: Vec<Vec<u32>> = chunks.iter_mut().map(|rows| std::mem::take(&mut rows.ordinals)).collect();
    let mut columns = RecordColumns::from_chunks(chunks).map_err(Error::table)?;
    let found = find_rows_to_drop(&mut columns, &collector.groups);
    let (reports, mut dropped) = match found {
        Ok(rows) => rows,
        Err(twofold) => {
            collector.rows.ordinals = ordinals.concat();
            return Err(twofold.refuse(&columns.view(), &collector));
        }
    };
    drop(ordinals);
    let part_starts = collector.part_starts();
    let source = describe_source(&collector, label);
    let mut groups = rank_groups(&mut columns, collector.groups);
    let without_record_day = collector.reading.record_day.apply(&mut columns, &dropped);
    let mut duplicates_of = vec![0_u64; groups.len()];
    // Statements are numbered by their place in `groups`.
    let group_of = |row: &u32| columns.group(*row as usize) as usize;
    for row in &dropped {
        duplicates_of[group_of(row)] += 1;
    }
    note_report_days(&columns, &reports.left, &mut groups);
    let BalanceLines { no_movement, doubtful } = balance_rows::find_balance_rows(&columns, &dropped);
    let mut counted = |rows: &[u32], count: fn(&mut Group) -> &mut u64| {
        for row in rows {
            *count(&mut groups[group_of(row)]) += 1;
        }
    };
    counted(&no_movement, |group| &mut group.balance_rows);
    counted(&doubtful, |group| &mut group.doubtful_rows);
    counted(&without_record_day, |group| &mut group.without_record_day);
    let uncounted = joined_in_order(&no_movement, &reports.repeated);
    stated_balances::resolve_stated_sections(&columns, &mut groups, &uncounted);
    let forward = balance_rows::carried_forward(&columns, &no_movement);
    dropped.extend(no_movement);
    dropped.sort_unstable();
    if let Some(declared) = collector.row_order {
        declared.apply(&mut columns, &groups, &part_starts)?;
        if source.marks_order {
            declared.mark_out_of_order(&mut columns, &part_starts, &dropped);
        }
    }
    let mut order = sort_record_rows(&columns, &dropped);
    let major = 10_i64.pow(collector.reading.currency.exponent());
    if collector.ordered {
        let is_numbered = collector.row_order.is_none();
        let shared = shared_days::find_shared_days(&columns, &part_starts, &dropped, is_numbered);
        balance_order::order_shared_days(&mut columns, &mut order, major, &shared);
    }
    if let Some(declared) = collector.row_order {
        declared.check_balances(&columns, order.as_deref(), &groups)?;
        row_order::number_days(&mut columns, order.as_deref());
    }
    if !collector.ordered {
        balance_order::order_by_balances(&mut columns, &mut order, major);
    }
    signs::check_negative_amounts(&columns, order.as_deref(), &groups, collector.reading)?;
    balance_rows::set_ends(&columns, order.as_deref(), &forward, &mut groups);
    groups.iter_mut().for_each(|group| group.unread.add_all(&collector.unread));
    let counted = groups.into_iter().zip(duplicates_of).collect();
    assemble_statements(columns, order, counted, &source)
}

fn describe_source<'s>(collector: &Collector<'_>, label: &'s str) -> RecordsSource<'s> {
    RecordsSource {
        label,
        reading: Arc::new(collector.reading.clone()),
        declared: collector.declared,
        // The order of one table's rows says nothing about another's.
        ordered: collector.ordered && collector.row_order.is_none(),
        keeps_days: collector.ordered,
        // Rows in the order of one date say nothing about another.
        marks_order: collector.row_order.is_some() && collector.reading.record_day == RecordDay::TransDate,
        shows_debits: collector.shows_debits,
    }
}

/// Gives each statement the days of its reports' entries.
fn note_report_days(columns: &RecordColumns, of_reports: &[u32], groups: &mut [Group]) {
    for row in of_reports.iter().map(|row| *row as usize) {
        groups[columns.group(row) as usize].report_days.insert(columns.day(row));
    }
}

fn joined_in_order(one: &[u32], other: &[u32]) -> Vec<u32> {
    let mut all = [one, other].concat();
    all.sort_unstable();
    all
}

/// Why records that may be one are refused.
enum Twofold {
    Clash(Clash),
    Unlisted(UnlistedRow),
}

/// Two different records with the same id.
struct Clash {
    first: usize,
    second: usize,
    column: &'static str,
}

/// The rows of interim reports, and all rows to drop.
fn find_rows_to_drop(columns: &mut RecordColumns, groups: &[Group]) -> Result<(ReportRows, Vec<u32>), Twofold> {
    let reports = interim_reports::take_repeated_reports(columns, groups).map_err(Twofold::Unlisted)?;
    let dropped = find_duplicate_rows(&columns.view(), &reports.repeated).map_err(Twofold::Clash)?;
    Ok((reports, dropped))
}

impl Twofold {
    fn refuse(&self, view: &View<'_>, collector: &Collector<'_>) -> Error {
        match self {
            Twofold::Clash(clash) => Error::Duplicate {
                id: show_source_text(view.id(clash.first).unwrap_or_default()),
                first: collector.place_of(clash.first),
                second: collector.place_of(clash.second),
                column: clash.column.to_owned(),
            },
            Twofold::Unlisted(unlisted) => Error::table(format!(
                "{} is of an interim report, and the statement of that day{} does not list it: {UNLISTED_ADVICE}",
                collector.place_of(unlisted.of_report),
                unlisted.of_statement.map_or(String::new(), |row| format!(" ({})", collector.place_of(row)))
            )),
        }
    }
}

/// The rows to drop: those that are `repeated` already, and those with the id and the content of another record of the
/// same statement.
fn find_duplicate_rows(view: &View<'_>, repeated: &[u32]) -> Result<Vec<u32>, Clash> {
    let rows = view.len();
    // Most providers number their records in ascending or descending order: then there are no duplicates.
    let key = |row: usize| (view.group(row), view.id(row));
    let go = |order| match rows < SHARED {
        // Computes each row's key once.
        true => (1..rows).map(key).try_fold(key(0), |last, next| (last.cmp(&next) == order).then_some(next)).is_some(),
        false => all_pairs(rows, |row| key(row).cmp(&key(row + 1)) == order),
    };
    if rows == 0 || !view.has_ids() || go(Ordering::Less) || go(Ordering::Greater) {
        return Ok(repeated.to_vec());
    }
    let is_left = |row: &usize| repeated.is_empty() || repeated.binary_search(&(*row as u32)).is_err();
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let with_id = (0..rows)
        .filter(is_left)
        .filter_map(|row| view.id(row).map(|id| (hasher.hash_one((view.group(row), id)), row as u32)));
    let mut hashed: Vec<(u64, u32)> = with_id.collect();
    hashed.sort_unstable();
    let mut dropped = repeated.to_vec();
    for same_hash in hashed.chunk_by_mut(|left, right| left.0 == right.0) {
        if same_hash.len() < 2 {
            continue;
        }
        let key = |entry: &(u64, u32)| {
            let row = entry.1 as usize;
            (view.group(row), view.id(row), view.printed(row), entry.1)
        };
        same_hash.sort_unstable_by(|left, right| key(left).cmp(&key(right)));
        for pair in same_hash.windows(2) {
            let [(_, first), (_, second)] = pair else { continue };
            let (first, second) = (*first as usize, *second as usize);
            if (view.group(first), view.id(first)) != (view.group(second), view.id(second)) {
                continue;
            }
            if let Some((column, _)) = view.difference(first, second) {
                return Err(Clash { first, second, column });
            }
            dropped.push(second as u32);
        }
    }
    dropped.sort_unstable();
    Ok(dropped)
}

/// Renumbers the statements by customer.
fn rank_groups(columns: &mut RecordColumns, groups: Vec<Group>) -> Vec<Group> {
    let mut ranked: Vec<(usize, Group)> = groups.into_iter().enumerate().collect();
    ranked.sort_by(|left, right| (&left.1.customer, &left.1.account).cmp(&(&right.1.customer, &right.1.account)));
    let mut rank_of = vec![0_u32; ranked.len()];
    for (rank, (old, _)) in ranked.iter().enumerate() {
        rank_of[*old] = rank as u32;
    }
    for group in &mut columns.groups {
        // Records get their number from the collector. A default would give them to the first customer.
        *group = *rank_of.get(*group as usize).expect("INVARIANT: each number is that of a statement");
    }
    ranked.into_iter().map(|(_, group)| group).collect()
}

/// Whether something holds for each row that has a next one.
fn all_pairs(rows: usize, holds: impl Fn(usize) -> bool + Sync + Send) -> bool {
    let firsts = 0..rows.saturating_sub(1);
    if rows < SHARED {
        return firsts.into_iter().all(holds);
    }
    firsts.into_par_iter().with_min_len(SHARED / 8).all(holds)
}

/// The rows in their order. `None` if all are kept and they came in order.
fn sort_record_rows(columns: &RecordColumns, dropped: &[u32]) -> Option<Vec<u32>> {
    let view = columns.view();
    let ids = id_orders(&view);
    let id_order = |row: usize| ids.get(view.group(row) as usize).copied().unwrap_or(IdOrder::Written);
    let with_next = |row: usize| view.by_place(row, row + 1).then_with(|| view.by_content(id_order(row), row, row + 1));
    if dropped.is_empty() && all_pairs(columns.len(), |row| with_next(row).is_le()) {
        return None;
    }
    // Many sources list the newest records first. Rows that compare equal are equal in every column, so their order
    // does not matter.
    if dropped.is_empty() && all_pairs(columns.len(), |row| with_next(row).is_ge()) {
        return Some((0..columns.len() as u32).rev().collect());
    }
    let mut keys = by_statement(columns, dropped);
    let row_of = |key: &u128| *key as u32 as usize;
    let of_one = |left: &u128, right: &u128| left >> 96 == right >> 96;
    let same_place = |left: &u128, right: &u128| left >> 32 == right >> 32;
    let sort = |keys: &mut [u128]| {
        match keys.len() < SHARED {
            true => keys.sort_unstable(),
            false => keys.par_sort_unstable(),
        }
        for same in keys.chunk_by_mut(same_place).filter(|same| same.len() > 1) {
            let ids = same.first().map_or(IdOrder::Written, |key| id_order(row_of(key)));
            same.sort_by(|left, right| view.by_content(ids, row_of(left), row_of(right)));
        }
    };
    match keys.len() < SHARED {
        true => keys.chunk_by_mut(of_one).for_each(sort),
        false => keys.par_chunk_by_mut(of_one).for_each(sort),
    }
    Some(keys.iter().map(|key| *key as u32).collect())
}

/// The order of the ids of each statement.
fn id_orders(view: &View<'_>) -> Vec<IdOrder> {
    // Most providers' ids have the same length.
    if view.ids_have_one_length() {
        return Vec::new();
    }
    let mut orders: Vec<(Option<usize>, IdOrder)> = Vec::new();
    for (group, id) in (0..view.len()).filter_map(|row| Some((view.group(row) as usize, view.id(row)?))) {
        if orders.len() <= group {
            orders.resize(group + 1, (None, IdOrder::Written));
        }
        if let Some((length, order)) = orders.get_mut(group)
            && *length.get_or_insert(id.len()) != id.len()
        {
            *order = IdOrder::Numbered;
        }
    }
    orders.into_iter().map(|(_, order)| order).collect()
}

/// A sort key for each kept row: statement, day and order in the upper 96 bits, and the row below. A single number
/// sorts faster than a tuple. Keys are grouped by statement, and otherwise in the order in which the rows came.
fn by_statement(columns: &RecordColumns, dropped: &[u32]) -> Vec<u128> {
    let statements = columns.groups.iter().max().map_or(0, |last| *last as usize + 1);
    // Where the keys of each statement begin, and later where its next key goes.
    let mut next = vec![0_usize; statements + 1];
    for group in &columns.groups {
        next[*group as usize + 1] += 1;
    }
    for row in dropped {
        next[columns.group(*row as usize) as usize + 1] -= 1;
    }
    next.iter_mut().fold(0, |before, rows| {
        *rows += before;
        *rows
    });
    let mut keys = vec![0_u128; columns.len() - dropped.len()];
    let mut dropped = dropped.iter().copied().peekable();
    let places = columns.groups.iter().zip(&columns.days).zip(rank_day_orders(&columns.orders)).enumerate();
    for (row, ((group, day), rank)) in places {
        if dropped.next_if_eq(&(row as u32)).is_some() {
            continue;
        }
        let day = day.wrapping_sub(i32::MIN) as u32;
        let place = &mut next[*group as usize];
        // `next` was counted from the same rows, so that each has a place of its own.
        let key = keys.get_mut(*place).expect("INVARIANT: each kept row has a place");
        *key = u128::from(*group) << 96 | u128::from(day) << 64 | u128::from(rank) << 32 | row as u128;
        *place += 1;
    }
    keys
}

/// Orders within a day as 32-bit numbers that sort the same way.
fn rank_day_orders(orders: &[i64]) -> Vec<u32> {
    let small: Option<Vec<u32>> = orders.iter().map(|order| u32::try_from(*order).ok()).collect();
    small.unwrap_or_else(|| {
        let mut distinct = orders.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        orders.iter().map(|order| distinct.partition_point(|other| other < order) as u32).collect()
    })
}
