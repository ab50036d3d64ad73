//! Duplicates dropped or refused, and one order for every order in which records may come. Must not know formats.

use std::cmp::Ordering;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::ops::Range;

use rayon::prelude::*;

use crate::statement::assemble::{Source, assemble};
use crate::statement::chain;
use crate::statement::error::{Error, show};
use crate::statement::frame::Statements;
use crate::statement::intake::Intake;
use crate::statement::rows::Group;
use crate::statement::settled::{SHARED, Settled, View};

/// Rows of a run at least, on average, where there is more than one: short ones are sorted row by row.
const RUN_ROWS: usize = 32;

/// Everything that is done once all records are in.
pub(crate) fn arrange(mut intake: Intake<'_>, label: &str) -> Result<Statements, Error> {
    let stretches = intake.take_rows();
    let ordinals: Vec<Vec<u32>> = stretches.iter().map(|rows| rows.ordinals.clone()).collect();
    let mut columns = Settled::of_stretches(stretches).map_err(Error::table)?;
    let dropped = match duplicates(&columns.view()) {
        Ok(dropped) => dropped,
        Err(clash) => {
            intake.rows.ordinals = ordinals.concat();
            return Err(refuse(&clash, &columns.view(), &intake));
        }
    };
    drop(ordinals);
    let groups = rank_groups(&mut columns, intake.groups);
    let mut duplicates_of = vec![0_u64; groups.len()];
    for row in &dropped {
        let group = columns.groups.get(*row as usize).and_then(|group| duplicates_of.get_mut(*group as usize));
        if let Some(count) = group {
            *count += 1;
        }
    }
    let mut order = sorted(&columns, &dropped);
    if !intake.ordered {
        let major = 10_i64.pow(intake.reading.currency.exponent());
        chain::order_by_balances(&mut columns, &mut order, major);
    }
    let counted = groups.into_iter().zip(duplicates_of).collect();
    let source =
        Source { label, currency: intake.reading.currency, ordered: intake.ordered, shows_debits: intake.shows_debits };
    assemble(columns, order, counted, &source)
}

/// Two records with one id that are not the same.
struct Clash {
    first: usize,
    second: usize,
    column: &'static str,
}

fn refuse(clash: &Clash, view: &View<'_>, intake: &Intake<'_>) -> Error {
    Error::Duplicate {
        id: show(view.id(clash.first).unwrap_or_default()),
        first: intake.place_of(clash.first),
        second: intake.place_of(clash.second),
        column: clash.column.to_owned(),
    }
}

/// The rows to drop because a record of the same statement has the same id and the same content.
fn duplicates(view: &View<'_>) -> Result<Vec<u32>, Clash> {
    let rows = view.len();
    // Providers number their records one way or the other.
    let steps = |order| {
        move |row: usize| (view.group(row), view.id(row)).cmp(&(view.group(row + 1), view.id(row + 1))) == order
    };
    let go = |order| all_pairs(rows, steps(order));
    if !view.has_ids() || go(Ordering::Less) || go(Ordering::Greater) {
        return Ok(Vec::new());
    }
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let with_id =
        (0..rows).filter_map(|row| view.id(row).map(|id| (hasher.hash_one((view.group(row), id)), row as u32)));
    let mut hashed: Vec<(u64, u32)> = with_id.collect();
    hashed.sort_unstable();
    let mut dropped = Vec::new();
    for same_hash in hashed.chunk_by_mut(|left, right| left.0 == right.0) {
        if same_hash.len() < 2 {
            continue;
        }
        let key = |entry: &(u64, u32)| (view.group(entry.1 as usize), view.id(entry.1 as usize), entry.1);
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
fn rank_groups(columns: &mut Settled, groups: Vec<Group>) -> Vec<Group> {
    let mut ranked: Vec<(usize, Group)> = groups.into_iter().enumerate().collect();
    ranked.sort_by(|left, right| (&left.1.customer, &left.1.account).cmp(&(&right.1.customer, &right.1.account)));
    let mut rank_of = vec![0_u32; ranked.len()];
    for (rank, (old, _)) in ranked.iter().enumerate() {
        if let Some(slot) = rank_of.get_mut(*old) {
            *slot = rank as u32;
        }
    }
    for group in &mut columns.groups {
        *group = rank_of.get(*group as usize).copied().unwrap_or_default();
    }
    ranked.into_iter().map(|(_, group)| group).collect()
}

/// Whether something holds for each row that has one behind it.
fn all_pairs(rows: usize, holds: impl Fn(usize) -> bool + Sync + Send) -> bool {
    let firsts = 0..rows.saturating_sub(1);
    if rows < SHARED {
        return firsts.into_iter().all(holds);
    }
    firsts.into_par_iter().with_min_len(SHARED / 8).all(holds)
}

/// The rows in their order; nothing if they are all there and in order as they came.
fn sorted(columns: &Settled, dropped: &[u32]) -> Option<Vec<u32>> {
    let view = columns.view();
    let rows = columns.len();
    let in_order = |row: usize| view.by_place(row, row + 1).then_with(|| view.by_content(row, row + 1)).is_le();
    if dropped.is_empty() && all_pairs(rows, in_order) {
        return None;
    }
    if dropped.is_empty()
        && let Some(mut order) = runs_in_order(&view)
    {
        let same_place = |left: &u32, right: &u32| view.by_place(*left as usize, *right as usize).is_eq();
        let by_content = |rows: &mut [u32]| {
            rows.sort_by(|left, right| view.by_content(*left as usize, *right as usize));
        };
        match rows < SHARED {
            true => order.chunk_by_mut(same_place).filter(|rows| rows.len() > 1).for_each(by_content),
            false => order.par_chunk_by_mut(same_place).filter(|rows| rows.len() > 1).for_each(by_content),
        }
        return Some(order);
    }
    let mut dropped = dropped.iter().copied().peekable();
    let places = columns.groups.iter().zip(&columns.days).zip(ranks(&columns.orders)).enumerate();
    // One number for each row, its place in its upper 96 bits: numbers sort faster than tuples of them.
    let mut keys: Vec<u128> = places
        .filter(|(row, _)| dropped.next_if_eq(&(*row as u32)).is_none())
        .map(|(row, ((group, day), rank))| {
            let day = day.wrapping_sub(i32::MIN) as u32;
            u128::from(*group) << 96 | u128::from(day) << 64 | u128::from(rank) << 32 | row as u128
        })
        .collect();
    match keys.len() < SHARED {
        true => keys.sort_unstable(),
        false => keys.par_sort_unstable(),
    }
    let row_of = |key: &u128| *key as u32;
    let mut order: Vec<u32> = Vec::with_capacity(keys.len());
    for same_place in keys.chunk_by(|left, right| left >> 32 == right >> 32) {
        let from = order.len();
        order.extend(same_place.iter().map(row_of));
        if let Some(same_place) = order.get_mut(from..).filter(|rows| rows.len() > 1) {
            same_place.sort_by(|left, right| view.by_content(*left as usize, *right as usize));
        }
    }
    Some(order)
}

/// The rows by their place where they come in few runs that stand apart: the statements of a table, each in its order, one after the other.
fn runs_in_order(view: &View<'_>) -> Option<Vec<u32>> {
    let rows = view.len();
    let begins = |row: &usize| view.by_place(row - 1, *row).is_gt();
    let mut starts: Vec<usize> = match rows < SHARED {
        true => (1..rows).filter(begins).collect(),
        false => (1..rows).into_par_iter().with_min_len(SHARED / 8).filter(begins).collect(),
    };
    if starts.len() > rows / RUN_ROWS {
        return None;
    }
    starts.insert(0, 0);
    let ends = starts.iter().skip(1).copied().chain([rows]);
    let mut runs: Vec<Range<usize>> = starts.iter().zip(ends).map(|(start, end)| *start..end).collect();
    runs.sort_by(|left, right| view.by_place(left.start, right.start));
    let apart = runs.iter().zip(runs.iter().skip(1)).all(|(one, next)| view.by_place(one.end - 1, next.start).is_lt());
    apart.then(|| runs.into_iter().flat_map(|run| run.start as u32..run.end as u32).collect())
}

/// Orders within a day as numbers of 32 bits that sort the same way.
fn ranks(orders: &[i64]) -> Vec<u32> {
    let small: Option<Vec<u32>> = orders.iter().map(|order| u32::try_from(*order).ok()).collect();
    small.unwrap_or_else(|| {
        let mut distinct = orders.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        orders.iter().map(|order| distinct.partition_point(|other| other < order) as u32).collect()
    })
}
