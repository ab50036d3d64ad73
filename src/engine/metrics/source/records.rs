//! The columns of the frame, one value per record.

use super::statement_slice::StatementSlice;
use crate::engine::metrics::Error;
use crate::engine::metrics::column::{Bits, Data, Ints, Texts, ValueColumn, validity_bits};
use crate::rules::graph::TransactionColumn;
use crate::statement::flag;

fn record_column_name(source: TransactionColumn) -> &'static str {
    match source {
        TransactionColumn::Id => "id",
        TransactionColumn::TransDate => "trans_date",
        TransactionColumn::ClearedDate => "cleared_date",
        TransactionColumn::Credit => "credit",
        TransactionColumn::Debit => "debit",
        TransactionColumn::Balance => "balance",
        TransactionColumn::Code => "code",
        TransactionColumn::Branch => "branch",
        TransactionColumn::Bank => "bank",
        TransactionColumn::Description => "desc",
        TransactionColumn::Topics => "topics",
        TransactionColumn::People => "people",
        TransactionColumn::Places => "places",
        TransactionColumn::Actions => "actions",
        TransactionColumn::Reference => "reference",
        TransactionColumn::DateRepaired | TransactionColumn::DateConflict | TransactionColumn::DateOutOfOrder => {
            "flags"
        }
        // Computed from several columns.
        TransactionColumn::Counterparty | TransactionColumn::Standing(_) => "people",
        TransactionColumn::Change => "credit",
    }
}

/// A column of records.
pub(crate) fn read_record_column<'a>(
    slice: &'a StatementSlice,
    source: TransactionColumn,
) -> Result<ValueColumn<'a>, Error> {
    let column = slice.frame.column(record_column_name(source))?;
    match source {
        TransactionColumn::Change => {
            let debits = read_record_column(slice, TransactionColumn::Debit)?;
            let credits = read_record_column(slice, TransactionColumn::Credit)?;
            let (debit, credit) = (debits.known_ints(), credits.known_ints());
            let change = |row| credit(row).unwrap_or(0).saturating_sub(debit(row).unwrap_or(0));
            Ok(ValueColumn::known(Data::Int((0..slice.row_count).map(change).collect())))
        }
        TransactionColumn::Credit | TransactionColumn::Debit | TransactionColumn::Balance => {
            let values = column.i64()?;
            let ints = match single(values.downcast_iter()) {
                Some(chunk) => Ints::Borrowed(chunk.values().as_slice()),
                None => values.iter().map(Option::unwrap_or_default).collect(),
            };
            Ok(ValueColumn { valid: validity_bits(values), ..ValueColumn::known(Data::Int(ints)) })
        }
        TransactionColumn::TransDate => {
            Ok(ValueColumn::known(Data::Int(slice.dates.iter().map(|day| i64::from(*day)).collect())))
        }
        TransactionColumn::ClearedDate => {
            let physical = column.to_physical_repr();
            let days = physical.i32()?;
            let ints = match single(days.downcast_iter()) {
                Some(chunk) => chunk.values().iter().map(|day| i64::from(*day)).collect(),
                None => days.iter().map(|day| day.map_or(0, i64::from)).collect(),
            };
            Ok(ValueColumn { valid: validity_bits(days), ..ValueColumn::known(Data::Int(ints)) })
        }
        TransactionColumn::DateRepaired | TransactionColumn::DateConflict | TransactionColumn::DateOutOfOrder => {
            let bit = match source {
                TransactionColumn::DateRepaired => flag::DATE_REPAIRED,
                TransactionColumn::DateConflict => flag::DATE_CONFLICT,
                _ => flag::OUT_OF_ORDER,
            };
            let flags: Vec<u32> = column.u32()?.into_no_null_iter().collect();
            Ok(ValueColumn::known(Data::Boolean(Bits::from_values(&flags, |flags| flags & bit != 0))))
        }
        _ => {
            let texts = column.str()?;
            Ok(ValueColumn { valid: validity_bits(texts), ..ValueColumn::known(Data::Text(Texts::from_column(texts))) })
        }
    }
}

/// The only chunk of a column, if it has one.
fn single<T>(mut chunks: impl Iterator<Item = T>) -> Option<T> {
    let first = chunks.next()?;
    chunks.next().is_none().then_some(first)
}
