//! Merges a customer's statements into one. Records in several exports of one account are kept once, and transfers
//! between accounts are dropped. Must not know how statements were read, nor what words in a narration mean.
//!
//! `fingerprint` finds equal records, `accounts` groups exports by account, `reports` finds entries of interim reports
//! that a statement lists again, and `overlap` joins an account's exports.
//! `merged_row` sorts the records of all accounts, `transfers` finds what moved between them, and `named` finds the
//! customer's own names. `balances` computes the balance of all accounts, and `warnings` lists what a person should
//! see, and `verdict` judges the balances.

mod accounts;
mod balances;
mod columns;
mod customer;
mod fingerprint;
mod merged_row;
mod named;
mod other_side;
mod overlap;
mod reports;
mod transfers;
mod verdict;
mod warnings;

use std::collections::BTreeMap;

use polars::prelude::PolarsResult;
use rayon::prelude::*;

use self::accounts::Account;
use self::customer::{MergedStatement, Opened};
pub use self::other_side::{OtherSide, RecordParties};
use crate::statement::base::error::Error;
use crate::statement::base::quality::Merging;
use crate::statement::columns::assemble;
use crate::statement::columns::balance_order;
use crate::statement::columns::frame::{Head, Statements};
use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::columns::shared_days;

impl Statements {
    /// One statement per customer: [`Statements::merge`] for one source.
    ///
    /// # Errors
    /// See [`Statements::merge`].
    pub fn merged(&self, merging: &Merging) -> Result<Statements, Error> {
        Statements::merge(std::slice::from_ref(self), merging)
    }

    /// One statement per customer, from statements of any number of sources in any order. Statements that name no
    /// customer are taken to belong to one. A customer's only statement stays as it is.
    ///
    /// - Exports of one account are joined. A record in several of them is kept as often as in the export that has it
    ///   most often.
    /// - A debit of one account and a credit of the same amount in another, at most [`Merging::transfer_days`] bank
    ///   days later, count as a transfer. Both are dropped; see [`OwnTransfer`](crate::statement::OwnTransfer).
    /// - A balance is that of all accounts together. It is unknown wherever that of one account is.
    ///
    /// `docs/guides/accounts.md` gives each rule in full.
    ///
    /// ```
    /// use lendwright::statement::{Columns, Merging, Reading, read_csv};
    /// use lendwright::base::{date::Zone, money::Currency};
    /// let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("Africa/Lagos").unwrap());
    /// let table = "customer,account,trans_date,credit,debit\n\
    ///     c1,current,2026-10-01,250000,\n\
    ///     c1,current,2026-10-02,,40000\n\
    ///     c1,savings,2026-10-02,40000,\n";
    /// let accounts = read_csv(table.as_bytes(), "table", &reading, &Columns::default()).unwrap();
    /// assert_eq!(accounts.len(), 2);
    /// let customer = accounts.merged(&Merging::default()).unwrap();
    /// assert_eq!((customer.len(), customer.frame().height()), (1, 1));
    /// assert_eq!(customer.heads()[0].transfers[0].amount, 4_000_000);
    /// ```
    ///
    /// Without the counterparty of a record, only numbers in the texts and statistics can show a transfer. To pass the
    /// counterparty, use [`Statements::merge_knowing`].
    ///
    /// # Errors
    /// [`Error::Duplicate`] if two exports of one account have the same id for two different records; [`Error::Merge`]
    /// if a customer's accounts are in two currencies.
    pub fn merge(parts: &[Statements], merging: &Merging) -> Result<Statements, Error> {
        Statements::merge_knowing(parts, merging, &|_, _, _| RecordParties::default())
    }

    /// Like [`Statements::merge`], given the names in each record. A debit and a credit that both name the customer are
    /// a transfer between own accounts. Those that name someone else are not.
    ///
    /// # Errors
    /// See [`Statements::merge`].
    pub fn merge_knowing(
        parts: &[Statements],
        merging: &Merging,
        other_side: &OtherSide<'_>,
    ) -> Result<Statements, Error> {
        let merging = Merging { transfer_days: merging.transfer_days.min(TRANSFER_DAYS_MAX), ..*merging };
        let all = concatenate_statements(parts).map_err(Error::table)?;
        let mut by_customer: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
        for (index, head) in all.heads.iter().enumerate() {
            by_customer.entry(head.customer.as_deref()).or_default().push(index);
        }
        let customers: Vec<Vec<usize>> = by_customer.into_values().collect();
        if u32::try_from(all.frame.height()).is_err() {
            return Err(Error::Merge {
                what: "more than 4,294,967,295 records; merge fewer customers at a time".into(),
            });
        }
        let mut columns = columns::from_frame(&all.frame).map_err(Error::table)?;
        let opened: Vec<Option<Opened>> = {
            let view = columns.view();
            let open = |heads: &Vec<usize>| match heads.as_slice() {
                [_] => Ok(None),
                several => customer::open_customer_accounts(&all, several, &columns, &view).map(Some),
            };
            // Collected first, so that the same one of several errors is always reported.
            let opened: Vec<Result<Option<Opened>, Error>> = customers.par_iter().map(open).collect();
            opened.into_iter().collect::<Result<_, Error>>()?
        };
        let opened = in_order(opened, &all.heads, &mut columns);
        let view = columns.view();
        let done: Vec<MergedStatement> = customers
            .par_iter()
            .zip(opened)
            .map(|(heads, opened)| match opened {
                Some(opened) => {
                    customer::merge_customer_accounts(opened, &all.heads, &columns, &view, &merging, other_side)
                }
                // A customer has at least one statement, and only several of them are opened.
                None => MergedStatement::alone(&all, heads[0], &columns),
            })
            .collect();

        put_together(columns, done).map_err(Error::table)
    }
}

/// The largest `transfer_days` that takes effect: longer transfers are implausible.
const TRANSFER_DAYS_MAX: u32 = 30;

/// Concatenates all parts into one frame.
fn concatenate_statements(parts: &[Statements]) -> PolarsResult<Statements> {
    let mut parts = parts.iter();
    let Some(first) = parts.next() else {
        return Ok(Statements::new(Default::default(), Vec::new()));
    };
    let mut all = first.clone();
    for part in parts {
        let from = all.frame.height();
        all.frame.vstack_mut(&part.frame)?;
        let moved =
            part.heads.iter().map(|head| Head { rows: head.rows.start + from..head.rows.end + from, ..head.clone() });
        all.heads.extend(moved);
        all.digests.extend_from_slice(&part.digests);
    }
    all.frame.rechunk_mut();
    Ok(all)
}

/// Orders the days of accounts that were joined from several exports: a day may chain only now that it is complete.
/// Where each export gave an order, only the days that several of them share.
fn in_order(mut opened: Vec<Option<Opened>>, heads: &[Head], columns: &mut RecordColumns) -> Vec<Option<Opened>> {
    let mut several: Vec<&mut Account> = opened
        .iter_mut()
        .flatten()
        .flat_map(|opened| &mut opened.accounts)
        .filter(|account| account.exports.len() > 1)
        .collect();
    // Balances less than a major unit apart count as equal, and that unit differs between currencies.
    let exponent =
        |account: &Account| account.origin(heads).map(|origin| origin.currency().exponent()).max().unwrap_or_default();
    let key = |account: &Account| (exponent(account), account.is_ordered(heads));
    several.sort_by_key(|account| key(account));
    for alike in several.chunk_by_mut(|one, other| key(one) == key(other)) {
        let (exponent, is_ordered) = alike.first().map(|account| key(account)).unwrap_or_default();
        order_days(alike, columns, 10_i64.pow(exponent), is_ordered.then_some(heads));
    }
    opened
}

/// Like [`in_order`], for accounts in currencies with the same decimals. `major` is one major unit in minor units. The
/// heads of the exports are given if those have an order of their own.
fn order_days(accounts: &mut [&mut Account], columns: &mut RecordColumns, major: i64, ordered: Option<&[Head]>) {
    let mut rows = Vec::new();
    for (number, account) in accounts.iter().enumerate() {
        for row in &account.rows {
            columns.groups[*row as usize] = number as u32;
        }
        rows.extend_from_slice(&account.rows);
    }
    let mut order = Some(rows);
    match ordered {
        None => balance_order::order_by_balances(columns, &mut order, major),
        Some(heads) => {
            let owner = |account: &Account, row: u32| {
                let has_row = |at: &usize| heads.get(*at).is_some_and(|head| head.rows.contains(&(row as usize)));
                account.exports.iter().copied().find(has_row).unwrap_or_default()
            };
            let rows = accounts.iter().flat_map(|account| account.rows.iter().map(move |row| (account, *row)));
            let days =
                rows.map(|(account, row)| (shared_days::numbered_day(columns, row as usize), owner(account, row)));
            let shared = shared_days::list_days_of_several(days);
            balance_order::order_shared_days(columns, &mut order, major, &shared);
        }
    }
    let mut moved = order.unwrap_or_else(|| (0..columns.len() as u32).collect()).into_iter();
    for account in accounts {
        for row in &mut account.rows {
            // The rows of the accounts are only reordered.
            *row = moved.next().expect("INVARIANT: ordering keeps every row");
        }
    }
}

/// Assembles the frame and the heads from the customers' merged statements.
fn put_together(columns: RecordColumns, done: Vec<MergedStatement>) -> PolarsResult<Statements> {
    let order: Vec<u32> = done.iter().flat_map(|one| one.rows.iter().copied()).collect();
    let mut ordered = assemble::reorder_columns(columns, Some(order))?;
    ordered.orders = done.iter().flat_map(|one| one.orders.iter().copied()).collect();
    ordered.balances = done.iter().flat_map(|one| one.balances.iter().copied()).collect();
    ordered.groups =
        done.iter().enumerate().flat_map(|(at, one)| std::iter::repeat_n(at as u32, one.rows.len())).collect();
    let mut from = 0;
    let placed: Vec<(MergedStatement, std::ops::Range<usize>)> = done
        .into_iter()
        .map(|one| {
            let rows = from..from + one.rows.len();
            from = rows.end;
            (one, rows)
        })
        .collect();
    let (heads, digests) = placed.into_par_iter().map(|(one, rows)| one.head(rows, &ordered)).unzip();
    Ok(Statements { frame: assemble::build_records_frame(ordered)?, heads, digests })
}
