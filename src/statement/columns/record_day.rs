//! Applies the declared choice of a record's day.

use crate::statement::base::reading::RecordDay;
use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::rows::builder::NO_DAY;

impl RecordDay {
    /// Makes the declared date each row's day. Returns the rows that lack it, without those in `dropped`, which is
    /// sorted. They keep the day of the transaction.
    pub(crate) fn apply(self, columns: &mut RecordColumns, dropped: &[u32]) -> Vec<u32> {
        let mut lacking = Vec::new();
        if self == RecordDay::TransDate {
            return lacking;
        }
        let mut dropped = dropped.iter().copied().peekable();
        let orders = columns.days.iter_mut().zip(&mut columns.orders);
        for (row, ((day, order), cleared)) in orders.zip(&columns.cleared).enumerate() {
            let is_kept = dropped.next_if_eq(&(row as u32)).is_none();
            if *cleared == NO_DAY {
                if is_kept {
                    lacking.push(row as u32);
                }
            } else if *cleared != *day {
                // The time of day belongs to the other day.
                (*day, *order) = (*cleared, 0);
            }
        }
        lacking
    }
}
