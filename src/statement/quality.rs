//! What was repaired, dropped or odd in a statement, counted. Must not depend on the order in which records came.

use serde::{Deserialize, Serialize};

/// The bits of the frame's column `flags`.
pub mod flag {
    /// The day is the one both forms agree on once the time zone is applied; the ISO form alone names another.
    pub const DATE_REPAIRED: u32 = 1;
    /// The two forms of `trans_date` disagree, and the declared rule chose.
    pub const DATE_CONFLICT: u32 = 1 << 1;
    /// As [`DATE_REPAIRED`], of `cleared_date`.
    pub const CLEARED_REPAIRED: u32 = 1 << 2;
    /// As [`DATE_CONFLICT`], of `cleared_date`.
    pub const CLEARED_CONFLICT: u32 = 1 << 3;
    /// A negative amount was read as the other side.
    pub const SIDES_SWAPPED: u32 = 1 << 4;
    /// Credit and debit are both other than zero.
    pub const BOTH_AMOUNTS: u32 = 1 << 5;
    /// The record moves no money: what is filled is zero.
    pub const ZERO_AMOUNT: u32 = 1 << 6;
    /// The place within the day comes from the chain of balances; `order` counts it from 0.
    pub const BALANCE_ORDER: u32 = 1 << 7;
}

/// Counts of everything in one statement that was not plain. Records that were dropped as duplicates count in `duplicates`,
/// `unknown_fields`, `text_repaired` and `placeholder_text` alone; everything else speaks of the records kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quality {
    /// Records kept.
    pub records: u64,
    /// Records dropped because the same id came before with the same content.
    pub duplicates: u64,
    /// Records whose day was repaired: UTC had shifted the ISO form to the day before or after.
    pub date_repaired: u64,
    /// Records whose two dates disagree beyond the time zone; the declared rule chose.
    pub date_conflicts: u64,
    /// Fields that the reader does not know, over all records.
    pub unknown_fields: u64,
    /// Records without a description.
    pub missing_desc: u64,
    /// Characters replaced because they stand for nothing: halves of surrogate pairs, and separators inside list items.
    pub text_repaired: u64,
    /// Records with a credit and a debit, both other than zero.
    pub both_amounts: u64,
    /// Records dropped because credit and debit were both null and the declared rule drops such.
    pub dropped_empty: u64,
    /// Records with a negative amount, read as the other side by the declared rule.
    pub negative_swapped: u64,
    /// Texts that say nothing (`N/A`, a space), read as missing.
    pub placeholder_text: u64,
    /// Records that move no money.
    pub zero_amounts: u64,
    /// As `date_repaired`, of `cleared_date`.
    pub cleared_repaired: u64,
    /// As `date_conflicts`, of `cleared_date`.
    pub cleared_conflicts: u64,
    /// What a person should look at, in a fixed order.
    pub warnings: Vec<String>,
}
