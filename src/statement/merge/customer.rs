//! Merges one customer's statements: the exports of each account first, then the accounts.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::accounts::{Account, group_by_account, list_account_exports};
use super::balances;
use super::merged_row::{MergedRow, build_timeline, by_day};
use super::other_side::OtherSide;
use super::overlap::{Union, union_of_exports};
use super::reports;
use super::transfers::{self, Netting};
use super::verdict;
use super::warnings::{self, AccountsSummary};
use crate::base::date::Day;
use crate::base::digest::Digest;
use crate::statement::base::error::Error;
use crate::statement::base::period::PeriodParts;
use crate::statement::base::quality::{Merged, Merging, Quality};
use crate::statement::base::reading::Declared;
use crate::statement::base::unread::Unread;
use crate::statement::columns::assemble::{self, ACCOUNT_MARK, Counts};
use crate::statement::columns::balance_verdict::Finding;
use crate::statement::columns::frame::{Head, Origin, OwnTransfer, Statements};
use crate::statement::columns::id_order::IdOrder;
use crate::statement::columns::record_columns::{RecordColumns, View};
use crate::statement::rows::builder::{Group, known_at_row};

/// The accounts, each without repeated records, in an order that does not depend on the order of the statements.
pub(super) struct Opened {
    pub(super) accounts: Vec<Account>,
    heads: Vec<usize>,
    merged: Merged,
    undecided: u64,
}

/// The accounts of a customer's statements.
pub(super) fn open_customer_accounts(
    all: &Statements,
    several: &[usize],
    columns: &RecordColumns,
    view: &View<'_>,
) -> Result<Opened, Error> {
    let heads = all.heads();
    check_alike(heads, several)?;
    let mut exports = list_account_exports(all, several, columns, view).map_err(Error::table)?;
    let grouped = group_by_account(&exports, columns);
    let mut merged = Merged { inputs: several.len() as u64, ..Merged::default() };
    let mut accounts = Vec::new();
    for indexes in grouped.accounts {
        // Exports are grouped by their index.
        let of: Vec<_> = indexes.iter().map(|index| &exports[*index]).collect();
        let listed = reports::find_listed_rows(&of, heads, columns, view)?;
        merged.overlapping += listed.len() as u64;
        for index in &indexes {
            exports[*index].leave_out(&listed);
        }
        // Again, because rows were left out of them.
        let of: Vec<_> = indexes.iter().map(|index| &exports[*index]).collect();
        let Union { mut rows, dropped, conflicts } = union_of_exports(&of, heads, view)?;
        merged.overlapping += dropped;
        merged.id_conflicts += conflicts;
        let ids = view.id_order(rows.iter().map(|row| *row as usize));
        rows.sort_unstable_by(|left, right| {
            let (left, right) = (*left as usize, *right as usize);
            by_day(columns, left).cmp(&by_day(columns, right)).then_with(|| view.by_content(ids, left, right))
        });
        accounts.push(Account {
            name: of.iter().find_map(|export| export.name.clone()),
            exports: of.iter().map(|export| export.head).collect(),
            lists_debits: of.iter().filter(|export| !export.rows.is_empty()).all(|export| export.lists_debits),
            rows,
        });
    }
    // A statement without records belongs to no known account.
    let filled = accounts.iter().filter(|account| !account.rows.is_empty()).count();
    if filled > 0 {
        accounts.retain(|account| !account.rows.is_empty());
    } else {
        accounts.truncate(1);
    }
    merged.accounts = accounts.len() as u64;
    accounts.sort_by(|left, right| {
        let pairs = left.rows.iter().zip(&right.rows).map(|(left, right)| (*left as usize, *right as usize));
        let mut orders = pairs.map(|(left, right)| {
            let by_content = || view.by_content(IdOrder::Written, left, right);
            by_day(columns, left).cmp(&by_day(columns, right)).then_with(by_content)
        });
        let by_rows = || orders.find(|order| order.is_ne()).unwrap_or_else(|| left.rows.len().cmp(&right.rows.len()));
        left.name.cmp(&right.name).then_with(by_rows)
    });
    Ok(Opened { accounts, heads: several.to_vec(), merged, undecided: grouped.undecided })
}

/// Amounts in two currencies cannot be added, and days of two time zones are not the same days.
fn check_alike(heads: &[Head], several: &[usize]) -> Result<(), Error> {
    check_one_currency(heads, several)?;
    let mut origins = several.iter().filter_map(|index| heads.get(*index)?.origin.as_ref());
    let Some(first) = origins.next() else { return Ok(()) };
    for other in origins {
        let either = Declared {
            unit: first.declared.unit || other.declared.unit,
            signs: first.declared.signs || other.declared.signs,
        };
        if let Some(mismatch) = first.reading.mismatch(&other.reading, either) {
            let what = format!("a customer's accounts were read in two ways: {}", mismatch.between_sources());
            return Err(Error::Merge { what });
        }
    }
    Ok(())
}

fn check_one_currency(heads: &[Head], several: &[usize]) -> Result<(), Error> {
    let mut currencies: Vec<&str> = several
        .iter()
        .filter_map(|index| heads.get(*index)?.origin.as_ref().map(|origin| origin.currency().alphabetic()))
        .collect();
    currencies.sort_unstable();
    currencies.dedup();
    match currencies.as_slice() {
        [] | [_] => Ok(()),
        several => Err(Error::Merge {
            what: format!(
                "a customer has accounts in {}, which cannot be added; merge those of one currency",
                several.join(" and ")
            ),
        }),
    }
}

/// A customer's merged statement, before the frame is assembled.
pub(super) struct MergedStatement {
    pub(super) rows: Vec<u32>,
    pub(super) orders: Vec<i64>,
    pub(super) balances: Vec<i64>,
    head: Head,
    /// The digest, if the statement stays as it is and its digest was requested before.
    digest: OnceLock<Digest>,
    /// The counts from reading the records, and their duplicates. `None` if the only statement stays as it is.
    counted: Option<(Group, u64)>,
    /// What the balances of the inputs say.
    finding: Finding,
    warnings: Vec<String>,
}

impl MergedStatement {
    /// The customer's only statement.
    pub(super) fn alone(all: &Statements, index: usize, columns: &RecordColumns) -> MergedStatement {
        let head = all.heads.get(index).cloned().expect("INVARIANT: each index is that of a head");
        let digest = all.digests.get(index).cloned().unwrap_or_default();
        let values = |column: &[i64]| {
            // The columns were read from the frame of these heads.
            column.get(head.rows.clone()).expect("INVARIANT: a head's rows are rows of the columns").to_vec()
        };
        MergedStatement {
            rows: head.rows.clone().map(|row| row as u32).collect(),
            orders: values(&columns.orders),
            balances: values(&columns.balances),
            head,
            digest,
            counted: None,
            finding: Finding::default(),
            warnings: Vec::new(),
        }
    }

    /// The head, once the columns are in their final order, and the digest if it is known.
    pub(super) fn head(self, rows: Range<usize>, columns: &RecordColumns) -> (Head, OnceLock<Digest>) {
        let mut head = Head { rows, ..self.head };
        if let Some((group, duplicates)) = &self.counted {
            let merged = head.quality.merged.take();
            let currency = head.origin.as_ref().map(Origin::currency);
            let counts = Counts {
                group,
                duplicates: *duplicates,
                is_ordered: head.origin.as_ref().is_some_and(|origin| origin.ordered),
                marks_order: head.quality.out_of_order.is_some(),
            };
            let mut counted = assemble::measure_quality(columns, &head.rows, &counts, currency);
            let mut finding = self.finding;
            counted.warnings.append(&mut finding.warnings);
            counted.warnings.extend(self.warnings);
            // The sum of balances that follow from each other does so too, but it may be unknown for some days.
            if let Some(first) = counted.balance_discrepancy.take() {
                let verdict = counted.balance_verdict;
                finding.join(Finding { verdict, first: Some(first), warnings: Vec::new() });
            }
            let (balance_verdict, balance_discrepancy) = (finding.verdict, finding.first);
            head.quality = Quality { merged, balance_verdict, balance_discrepancy, ..counted };
        }
        (head, self.digest)
    }
}

/// The accounts as one statement.
pub(super) fn merge_customer_accounts(
    opened: Opened,
    heads: &[Head],
    columns: &RecordColumns,
    view: &View<'_>,
    merging: &Merging,
    other_side: &OtherSide<'_>,
) -> MergedStatement {
    let accounts = &opened.accounts;
    let timeline = build_timeline(accounts, columns);
    let netting = transfers::find_own_transfers(accounts, &timeline, columns, view, merging.transfer_days, other_side);
    let left_out = netting.left_out(timeline.len());
    let together =
        balances::combine_balances(accounts, &timeline, &left_out, columns, merging.quiet_days, opened.undecided > 0);
    let kept = || timeline.iter().zip(&left_out).enumerate().filter(|(_, (_, left_out))| !**left_out);
    let several = accounts.len() > 1;
    let summary = AccountsSummary::new(accounts, columns);
    let warnings = warnings::list_merge_warnings(&summary, &opened.merged, opened.undecided, netting.unclear);
    let mut merged = opened.merged;
    merged.transfers_netted = netting.pairs.len() as u64;
    merged.transfers_unclear = netting.unclear;
    let transfers: Vec<OwnTransfer> =
        netting.pairs.iter().map(|pair| own_transfer(*pair, &timeline, accounts, columns, view)).collect();
    merged.netted_amount = transfers.iter().fold(0, |sum: i64, transfer| sum.saturating_add(transfer.amount));
    merged.rule = *merging;
    let shown: Vec<&Head> = opened.heads.iter().filter_map(|index| heads.get(*index)).collect();
    let shows = shown.iter().all(|head| head.shows_debits) || (several && summary.without_debits == 0);
    let marks_order = shown.iter().all(|head| head.quality.out_of_order.is_some());
    let head = Head {
        customer: shown.iter().find_map(|head| head.customer.clone()),
        account: accounts.first().filter(|_| !several).and_then(|account| account.name.clone()),
        label: merge_source_labels(&shown),
        // Statements of several offer requests together answer none of them.
        reference: shown
            .first()
            .and_then(|head| head.reference.clone())
            .filter(|reference| shown.iter().all(|head| head.reference.as_ref() == Some(reference))),
        rows: 0..0,
        shows_debits: shows,
        lacks_debits: summary.without_debits > 0 && summary.without_debits < summary.accounts,
        lacks_narrations: summary.without_narrations > 0 && summary.without_narrations < summary.accounts,
        quality: Quality {
            merged: Some(Box::new(merged)),
            out_of_order: marks_order.then_some(0),
            ..Quality::default()
        },
        transfers,
        origin: merge_statement_origins(&shown),
        unread: Unread::default(),
        stated: verdict::stated_balances_of_only(accounts, heads),
        report_days: shown.iter().flat_map(|head| &head.report_days).copied().collect(),
    };
    let mut orders: Vec<i64> = kept().map(|(_, (record, _))| record.order).collect();
    if several {
        number_days(kept().map(|(_, (record, _))| record.day), &mut orders);
    }
    MergedStatement {
        rows: kept().map(|(_, (record, _))| record.row).collect(),
        orders,
        // There is one balance per row of the timeline.
        balances: kept().map(|(at, _)| together[at]).collect(),
        head,
        digest: OnceLock::new(),
        counted: Some(sum_statement_counts(&shown)),
        finding: verdict::judge_merged_balances(accounts, &shown, heads, columns, opened.undecided > 0),
        warnings,
    }
}

/// Numbers the records of each day from 0: the orders of two accounts do not relate to each other.
fn number_days(days: impl Iterator<Item = i32>, orders: &mut [i64]) {
    let (mut last, mut number) = (None, 0);
    for (day, order) in days.zip(orders) {
        number = if last == Some(day) { number + 1 } else { 0 };
        last = Some(day);
        *order = number;
    }
}

fn own_transfer(
    (debit, credit): (usize, usize),
    timeline: &[MergedRow],
    accounts: &[Account],
    columns: &RecordColumns,
    view: &View<'_>,
) -> OwnTransfer {
    // Pairs are positions in the timeline.
    let (debit, credit) = (timeline[debit], timeline[credit]);
    let name = |record: &MergedRow| accounts.get(record.account as usize).and_then(|account| account.name.clone());
    let id = |record: &MergedRow| view.id(record.row as usize).map(str::to_owned);
    OwnTransfer {
        day: Day::from_days(debit.day),
        arrived: Day::from_days(credit.day),
        amount: known_at_row(&columns.debits, debit.row).expect("INVARIANT: the debit of a pair has an amount"),
        from: name(&debit),
        to: name(&credit),
        debit_id: id(&debit),
        credit_id: id(&credit),
    }
}

fn merge_statement_origins(heads: &[&Head]) -> Option<Origin> {
    let mut origins = heads.iter().filter_map(|head| head.origin.as_ref());
    let mut merged = origins.next()?.clone();
    for one in origins {
        merged.ordered &= one.ordered;
        // What one account's columns file declares says nothing of the others.
        let (reading, declared) = (Arc::make_mut(&mut merged.reading), one.declared);
        if merged.declared.unit && !declared.unit {
            (reading.unit, merged.declared.unit) = (one.reading.unit, false);
        }
        if merged.declared.signs && !declared.signs {
            (reading.negative, merged.declared.signs) = (one.reading.negative, false);
        }
    }
    Some(merged)
}

/// The sources' labels, each once.
fn merge_source_labels(heads: &[&Head]) -> String {
    let source = |head: &&Head| {
        let account = head.account.as_ref().map(|account| format!("{ACCOUNT_MARK}{account}"));
        account.and_then(|end| head.label.strip_suffix(&end).map(str::to_owned)).unwrap_or_else(|| head.label.clone())
    };
    let mut labels: Vec<String> = heads.iter().map(source).collect();
    labels.sort_unstable();
    labels.dedup();
    labels.join(" + ")
}

/// The summed counts of all statements, and their duplicates.
fn sum_statement_counts(heads: &[&Head]) -> (Group, u64) {
    let mut all = Group { customer: None, account: None, ..Group::default() };
    let mut duplicates = 0;
    for Head { quality, unread, .. } in heads {
        all.unread.add_all(unread);
        all.unknown_fields += quality.unknown_fields;
        all.text_repaired += quality.text_repaired;
        all.dropped_empty += quality.dropped_empty;
        all.balance_rows += quality.balance_rows;
        all.skipped_rows += quality.skipped_rows;
        all.placeholder_text += quality.placeholder_text;
        duplicates += quality.duplicates;
    }
    all.period = period_of_parts(heads);
    (all, duplicates)
}

/// The period of all statements together. Records of one that states none may be of any days.
fn period_of_parts(heads: &[&Head]) -> PeriodParts {
    let mut all = PeriodParts::default();
    for Quality { records, period, .. } in heads.iter().map(|head| &head.quality) {
        match period {
            Some(period) => all.add(PeriodParts::of_records(*period, u64::from(u32::MAX))),
            None if *records > 0 => return PeriodParts::default(),
            None => {}
        }
    }
    all
}

impl Netting {
    /// For each row of the timeline, whether it is left out.
    fn left_out(&self, rows: usize) -> Vec<bool> {
        let mut left_out = vec![false; rows];
        for row in self.pairs.iter().flat_map(|(debit, credit)| [debit, credit]) {
            left_out[*row] = true;
        }
        left_out
    }
}
