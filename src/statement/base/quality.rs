//! What was repaired, dropped or odd in a statement, counted. Must not depend on the order in which records came.

use serde::{Deserialize, Serialize};

use crate::base::date::Day;
use crate::statement::base::period::StatementPeriod;

/// The bits of the frame's column `flags`.
pub mod flag {
    /// Both forms agree on the day once the time zone is applied, but the ISO form alone names another.
    pub const DATE_REPAIRED: u32 = 1;
    /// The two forms of `trans_date` disagree, and the declared rule chose.
    pub const DATE_CONFLICT: u32 = 1 << 1;
    /// Like [`DATE_REPAIRED`], for `cleared_date`.
    pub const CLEARED_REPAIRED: u32 = 1 << 2;
    /// Like [`DATE_CONFLICT`], for `cleared_date`.
    pub const CLEARED_CONFLICT: u32 = 1 << 3;
    /// A negative amount was read as the other side.
    pub const SIDES_SWAPPED: u32 = 1 << 4;
    /// Neither credit nor debit is zero.
    pub const BOTH_AMOUNTS: u32 = 1 << 5;
    /// The record moves no money: its amounts are zero.
    pub const ZERO_AMOUNT: u32 = 1 << 6;
    /// The position within the day comes from the chain of balances; `order` counts it from 0.
    pub const BALANCE_ORDER: u32 = 1 << 7;
    /// A negative debit was read as a debit, by the declared rule.
    pub const MINUS_REPEATED: u32 = 1 << 8;
    /// The record stands against the declared order of the table's rows.
    pub const OUT_OF_ORDER: u32 = 1 << 9;
}

/// What the balances of a statement say about its records. `docs/explanation/balances.md` says how it is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BalanceVerdict {
    /// Opening balance, credits and debits make the closing balance, and every balance follows from the one before.
    Verified,
    /// Some balance does not follow.
    Discrepancy,
    /// There are no balances, or too few to cover every record.
    #[default]
    Unverifiable,
    /// An opening or closing balance that the source states cannot be read.
    Failed,
}

impl BalanceVerdict {
    /// All of them, the best first.
    pub const ALL: [BalanceVerdict; 4] =
        [BalanceVerdict::Verified, BalanceVerdict::Unverifiable, BalanceVerdict::Discrepancy, BalanceVerdict::Failed];

    /// The word that `quality` and rules use.
    pub const fn word(self) -> &'static str {
        match self {
            BalanceVerdict::Verified => "verified",
            BalanceVerdict::Discrepancy => "discrepancy",
            BalanceVerdict::Unverifiable => "unverifiable",
            BalanceVerdict::Failed => "failed",
        }
    }

    /// The verdict on two parts of what becomes one statement: that on the worse part.
    pub(crate) fn worse(self, other: BalanceVerdict) -> BalanceVerdict {
        let place = |verdict: &BalanceVerdict| BalanceVerdict::ALL.iter().position(|of_all| of_all == verdict);
        std::cmp::max_by_key(self, other, place)
    }
}

/// The first balance that does not follow. Amounts are in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BalanceDiscrepancy {
    /// The day of the record, or of the stated balance.
    pub day: Day,
    /// The identifier of the record with the balance, if it has one. Opening and closing balances have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The balance that follows from the one before and the records between.
    pub expected: i64,
    /// The balance that the source gives.
    pub found: i64,
    /// `found` less `expected`.
    pub difference: i64,
}

/// Counts of everything unusual in one statement. Dropped duplicates count only in `duplicates`, `unknown_fields`,
/// `text_repaired` and `placeholder_text`. `dropped_empty`, `balance_rows` and `skipped_rows` count others that are not
/// kept. All other counts are about the records kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Quality {
    /// Records kept.
    pub records: u64,
    /// Records dropped because an earlier record has the same id and the same content.
    pub duplicates: u64,
    /// Records whose day was repaired: UTC had shifted the ISO form to the day before or after.
    pub date_repaired: u64,
    /// Records whose two dates disagree beyond the time zone, where the declared rule chose one.
    pub date_conflicts: u64,
    /// Unknown fields, over all records.
    pub unknown_fields: u64,
    /// Records without a description.
    pub missing_desc: u64,
    /// Replaced characters: halves of surrogate pairs, and separators inside list items.
    pub text_repaired: u64,
    /// Records with a credit and a debit, neither of them zero.
    pub both_amounts: u64,
    /// Records dropped by the declared rule because credit and debit were both null.
    pub dropped_empty: u64,
    /// Records dropped because they are no movements: opening and closing balances, and totals.
    #[serde(skip_serializing_if = "is_zero")]
    pub balance_rows: u64,
    /// Rows that are no records: by `skip` of the columns file, or entries of a bank's file that are not booked.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped_rows: u64,
    /// Records with a negative amount, read as the other side by the declared rule.
    pub negative_swapped: u64,
    /// Placeholder texts (`N/A`, a space), read as missing.
    pub placeholder_text: u64,
    /// Records that move no money.
    pub zero_amounts: u64,
    /// Like `date_repaired`, for `cleared_date`.
    pub cleared_repaired: u64,
    /// Like `date_conflicts`, for `cleared_date`.
    pub cleared_conflicts: u64,
    /// Records that stand against the declared order of the table's rows. `None` if no order is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_order: Option<u64>,
    /// The days that the statement covers. In a statement as it was read, only if the caller or the file states them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<StatementPeriod>,
    /// What the balances say.
    pub balance_verdict: BalanceVerdict,
    /// The first balance that does not follow, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance_discrepancy: Option<Box<BalanceDiscrepancy>>,
    /// What a person should look at, in a fixed order.
    pub warnings: Vec<String>,
    /// How several statements became this one. `None` for a statement as it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<Box<Merged>>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Counts of a merge of several statements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Merged {
    /// Statements that went in.
    pub inputs: u64,
    /// Accounts that they belong to.
    pub accounts: u64,
    /// Records dropped because another export of the same account has them.
    pub overlapping: u64,
    /// Identifiers that stand for different records in different exports of one account, and so prove nothing.
    pub id_conflicts: u64,
    /// Transfers between the accounts: a debit and a credit each, both dropped.
    pub transfers_netted: u64,
    /// How much they moved, in minor units.
    pub netted_amount: i64,
    /// Debits that could be such transfers, but were kept because chance alone produces as many.
    pub transfers_unclear: u64,
    /// How they were merged.
    pub rule: Merging,
}

/// How the accounts of a customer become one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merging {
    /// The most bank days, Monday to Friday, that a transfer takes from one account to the other. 2 unless declared,
    /// and at most 30.
    pub transfer_days: u32,
    /// For how many days an account's balance is assumed before its first record and after its last. 31 unless
    /// declared.
    pub quiet_days: u32,
}

impl Default for Merging {
    fn default() -> Merging {
        Merging { transfer_days: 2, quiet_days: 31 }
    }
}
