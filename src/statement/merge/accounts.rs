//! Groups a customer's statements by account: by the account's name, or else by shared records. Must not drop a record.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use polars::prelude::PolarsResult;

use super::fingerprint::{self, Fingerprint};
use crate::base::digest::Digest;
use crate::statement::columns::frame::{Head, Origin, Statements};
use crate::statement::columns::record_columns::{RecordColumns, View};
use crate::statement::rows::builder::NO_VALUE;

/// One statement to merge.
pub(super) struct Export {
    /// Its head's index.
    pub(super) head: usize,
    pub(super) rows: Range<usize>,
    pub(super) name: Option<String>,
    /// Sorted by content. Empty if no comparison is needed: every account is named, and this one has only one export.
    pub(super) fingerprints: Vec<Fingerprint>,
    /// Whether every record has a balance.
    pub(super) balanced: bool,
    pub(super) lists_debits: bool,
    first: i32,
    last: i32,
    opening: Option<i64>,
    closing: Option<i64>,
}

impl Export {
    /// Leaves out some of its records; `rows` is in ascending order.
    pub(super) fn leave_out(&mut self, rows: &[u32]) {
        if !rows.is_empty() {
            self.fingerprints.retain(|record| rows.binary_search(&record.row).is_err());
        }
    }
}

/// An account and its records.
pub(super) struct Account {
    pub(super) name: Option<String>,
    /// Indexes of heads.
    pub(super) exports: Vec<usize>,
    /// In their order.
    pub(super) rows: Vec<u32>,
    /// Whether every export lists debits.
    pub(super) lists_debits: bool,
}

impl Account {
    pub(super) fn origin<'h>(&'h self, heads: &'h [Head]) -> impl Iterator<Item = &'h Origin> + 'h {
        self.exports.iter().filter_map(|index| heads.get(*index)?.origin.as_ref())
    }

    /// Whether all its sources gave the order within a day.
    pub(super) fn is_ordered(&self, heads: &[Head]) -> bool {
        self.origin(heads).all(|origin| origin.ordered)
    }
}

/// The exports of these heads, in an order that does not depend on that of the heads.
pub(super) fn list_account_exports(
    all: &Statements,
    several: &[usize],
    columns: &RecordColumns,
    view: &View<'_>,
) -> PolarsResult<Vec<Export>> {
    let mut chosen: Vec<(usize, &Head, Digest)> = Vec::with_capacity(several.len());
    for index in several {
        let digest = all.digest(*index)?;
        chosen.extend(all.heads.get(*index).map(|head| (*index, head, digest)));
    }
    chosen.sort_by(|(_, left, left_digest), (_, right, right_digest)| {
        (&left.account, left_digest, &left.label).cmp(&(&right.account, right_digest, &right.label))
    });
    let mut named: HashMap<&str, usize> = HashMap::new();
    for (_, head, _) in &chosen {
        *named.entry(head.account.as_deref().unwrap_or_default()).or_default() += 1;
    }
    let unnamed = chosen.iter().any(|(_, head, _)| head.account.is_none());
    let export = |(index, head, _): &(usize, &Head, Digest)| {
        let rows = head.rows.clone();
        let alone = !unnamed && head.account.as_deref().is_some_and(|name| named.get(name) == Some(&1));
        let value = |column: &[i64], row: usize| column.get(row).copied().filter(|value| *value != NO_VALUE);
        let first_row = rows.start;
        let last_row = rows.end.saturating_sub(1);
        // The columns were read from the frame of these heads.
        let balances = &columns.balances[rows.clone()];
        let debits = &columns.debits[rows.clone()];
        let any = !rows.is_empty();
        Export {
            head: *index,
            name: head.account.clone(),
            fingerprints: if alone { Vec::new() } else { fingerprint::fingerprint_records(columns, view, &rows) },
            balanced: balances.iter().all(|balance| *balance != NO_VALUE),
            lists_debits: head.knows_debits(debits.iter().copied().filter(|debit| *debit != NO_VALUE)),
            first: columns.days.get(first_row).copied().filter(|_| any).unwrap_or(i32::MAX),
            last: columns.days.get(last_row).copied().filter(|_| any).unwrap_or(i32::MIN),
            opening: value(&columns.balances, first_row).filter(|_| any).and_then(|balance| {
                let (credit, debit) = (value(&columns.credits, first_row), value(&columns.debits, first_row));
                balance.checked_sub(credit.unwrap_or(0))?.checked_add(debit.unwrap_or(0))
            }),
            closing: value(&columns.balances, last_row).filter(|_| any),
            rows,
        }
    };
    Ok(chosen.iter().map(export).collect())
}

/// A customer's exports, grouped by account.
pub(super) struct Grouped {
    /// Indexes of exports, account by account.
    pub(super) accounts: Vec<Vec<usize>>,
    /// Exports that may or may not belong to the same account: some have no name, and they share no day.
    pub(super) undecided: u64,
}

/// Groups exports by account.
pub(super) fn group_by_account(exports: &[Export], columns: &RecordColumns) -> Grouped {
    let mut groups: Vec<usize> = (0..exports.len()).collect();
    let mut names: Vec<Option<&str>> = exports.iter().map(|export| export.name.as_deref()).collect();
    for (left, one) in exports.iter().enumerate() {
        for (right, other) in exports.iter().enumerate().skip(left + 1) {
            let (low, high) = match (groups.get(left), groups.get(right)) {
                (Some(low), Some(high)) if low != high => (*low.min(high), *low.max(high)),
                _ => continue,
            };
            let name = match (names.get(low).copied().flatten(), names.get(high).copied().flatten()) {
                (Some(one), Some(other)) if one != other => continue,
                (one, other) => one.or(other),
            };
            let same_name = one.name.is_some() && one.name == other.name;
            if same_name || same_account(one, other, columns) {
                groups.iter_mut().filter(|group| **group == high).for_each(|group| *group = low);
                if let Some(slot) = names.get_mut(low) {
                    *slot = name;
                }
            }
        }
    }
    let mut accounts: Vec<Vec<usize>> = Vec::new();
    let mut seen: Vec<usize> = Vec::new();
    for (export, group) in groups.iter().enumerate() {
        match seen.iter().position(|other| other == group).and_then(|at| accounts.get_mut(at)) {
            Some(account) => account.push(export),
            None => {
                seen.push(*group);
                accounts.push(vec![export]);
            }
        }
    }
    let undecided = count_undecided(exports, &accounts);
    Grouped { accounts, undecided }
}

/// Counts the exports of accounts that may be the same as another one: at least one of the two has no name, and no
/// common day proves that they differ.
fn count_undecided(exports: &[Export], accounts: &[Vec<usize>]) -> u64 {
    let of = |account: &Vec<usize>| -> Vec<&Export> {
        let exports = account.iter().filter_map(|index| exports.get(*index));
        exports.filter(|export| !export.rows.is_empty()).collect()
    };
    let all: Vec<Vec<&Export>> = accounts.iter().map(of).filter(|account| !account.is_empty()).collect();
    let named = |account: &[&Export]| account.iter().any(|export| export.name.is_some());
    let apart = |one: &[&Export], other: &[&Export]| {
        let meet = |one: &Export, other: &Export| one.first <= other.last && other.first <= one.last;
        !one.iter().any(|one| other.iter().any(|other| meet(one, other)))
    };
    let undecided = all.iter().enumerate().filter(|(at, one)| {
        let mut others = all.iter().enumerate().filter(|(other, _)| other != at);
        others.any(|(_, other)| !(named(one) && named(other)) && apart(one, other))
    });
    undecided.map(|(_, account)| account.len() as u64).sum()
}

/// How many ids two exports share, and how many of these stand for records that agree.
pub(super) struct SharedIds {
    pub(super) shared: u64,
    pub(super) agreeing: u64,
}

impl SharedIds {
    /// Whether an id stands for the same record in both.
    pub(super) fn hold(&self) -> bool {
        self.agreeing * 2 > self.shared
    }
}

pub(super) fn shared_ids(one: &Export, other: &Export) -> SharedIds {
    let (few, many) = if one.fingerprints.len() < other.fingerprints.len() { (one, other) } else { (other, one) };
    let by_id: HashMap<u128, &Fingerprint> =
        few.fingerprints.iter().filter_map(|fingerprint| Some((fingerprint.id?, fingerprint))).collect();
    let mut found = SharedIds { shared: 0, agreeing: 0 };
    if by_id.is_empty() {
        return found;
    }
    for fingerprint in &many.fingerprints {
        if let Some(same) = fingerprint.id.and_then(|id| by_id.get(&id)) {
            found.shared += 1;
            found.agreeing += u64::from(same.agrees(fingerprint));
        }
    }
    found
}

/// Whether two exports, one of them without a name, belong to one account.
fn same_account(one: &Export, other: &Export, columns: &RecordColumns) -> bool {
    if one.rows.is_empty() || other.rows.is_empty() {
        return false;
    }
    let ids = shared_ids(one, other);
    if ids.hold() || exports_agree(one, other, columns) {
        return true;
    }
    let (early, late) = if one.last <= other.first { (one, other) } else { (other, one) };
    // One continues where the other ended. A balance of 0 proves nothing: two empty accounts match too.
    early.last <= late.first && early.closing.is_some_and(|closing| closing != 0) && early.closing == late.opening
}

/// How many equal records two accounts never have by chance.
const EQUAL_RECORDS_MIN: usize = 3;

/// Whether two exports agree on most records of the days that both cover. Only credits count if one lists no debits.
fn exports_agree(one: &Export, other: &Export, columns: &RecordColumns) -> bool {
    let (mut from, mut to) = (one.first.max(other.first), one.last.min(other.last));
    if from > to {
        return false;
    }
    let balanced = one.balanced && other.balanced;
    // An export may begin or end within a day. If enough days remain, only whole days are compared.
    if !balanced && to - from >= 3 {
        (from, to) = (from + 1, to - 1);
    }
    let credits_only = !(one.lists_debits && other.lists_debits);
    let counts = |fingerprint: &&Fingerprint| {
        let row = fingerprint.row as usize;
        (from..=to).contains(&columns.day(row)) && (!credits_only || columns.credits[row] > 0)
    };
    let [left, right] = [one, other].map(|export| export.fingerprints.iter().filter(counts).collect::<Vec<_>>());
    let matched = count_matching_records(&left, &right, balanced);
    // Balances prove more than days and amounts, and so do several records. With either, it is enough to match most of
    // the smaller export, since the two may overlap only within a day.
    let all = if balanced || matched >= EQUAL_RECORDS_MIN {
        left.len().min(right.len())
    } else {
        left.len().max(right.len())
    };
    matched * 2 > all
}

/// The number of pairs of equal records in two sorted lists.
fn count_matching_records(left: &[&Fingerprint], right: &[&Fingerprint], balanced: bool) -> usize {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let key = |fingerprint: &Fingerprint| (fingerprint.content, if balanced { fingerprint.balance } else { 0 });
    let mut pairs = 0;
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        match key(one).cmp(&key(other)) {
            Ordering::Less => drop(left.next()),
            Ordering::Greater => drop(right.next()),
            Ordering::Equal => {
                pairs += 1;
                left.next();
                right.next();
            }
        }
    }
    pairs
}
