//! The columns of the frame, one value per record.

use super::statement_slice::StatementSlice;
use crate::engine::metrics::Error;
use crate::engine::metrics::column::{Bits, Column, Data, Ints, Texts, validity};
use crate::rules::graph::Column as Source;
use crate::statement::flag;

fn name(source: Source) -> &'static str {
    match source {
        Source::Id => "id",
        Source::TransDate => "trans_date",
        Source::ClearedDate => "cleared_date",
        Source::Credit => "credit",
        Source::Debit => "debit",
        Source::Balance => "balance",
        Source::Code => "code",
        Source::Branch => "branch",
        Source::Bank => "bank",
        Source::Description => "desc",
        Source::Topics => "topics",
        Source::People => "people",
        Source::Places => "places",
        Source::Actions => "actions",
        Source::Reference => "reference",
        Source::DateRepaired | Source::DateConflict | Source::DateOutOfOrder => "flags",
        // Computed from several columns.
        Source::Counterparty => "people",
        Source::Change => "credit",
    }
}

/// A column of records.
pub(crate) fn transaction<'a>(slice: &'a StatementSlice, source: Source) -> Result<Column<'a>, Error> {
    let column = slice.frame.column(name(source))?;
    match source {
        Source::Change => {
            let debits = transaction(slice, Source::Debit)?;
            let credits = transaction(slice, Source::Credit)?;
            let (debit, credit) = (debits.known_ints(), credits.known_ints());
            let change = |row| credit(row).unwrap_or(0).saturating_sub(debit(row).unwrap_or(0));
            Ok(Column::known(Data::Int((0..slice.row_count).map(change).collect())))
        }
        Source::Credit | Source::Debit | Source::Balance => {
            let values = column.i64()?;
            let ints = match single(values.downcast_iter()) {
                Some(chunk) => Ints::Borrowed(chunk.values().as_slice()),
                None => values.iter().map(Option::unwrap_or_default).collect(),
            };
            Ok(Column { valid: validity(values), ..Column::known(Data::Int(ints)) })
        }
        Source::TransDate => Ok(Column::known(Data::Int(slice.dates.iter().map(|day| i64::from(*day)).collect()))),
        Source::ClearedDate => {
            let physical = column.to_physical_repr();
            let days = physical.i32()?;
            let ints = match single(days.downcast_iter()) {
                Some(chunk) => chunk.values().iter().map(|day| i64::from(*day)).collect(),
                None => days.iter().map(|day| day.map_or(0, i64::from)).collect(),
            };
            Ok(Column { valid: validity(days), ..Column::known(Data::Int(ints)) })
        }
        Source::DateRepaired | Source::DateConflict | Source::DateOutOfOrder => {
            let bit = match source {
                Source::DateRepaired => flag::DATE_REPAIRED,
                Source::DateConflict => flag::DATE_CONFLICT,
                _ => flag::OUT_OF_ORDER,
            };
            let flags: Vec<u32> = column.u32()?.into_no_null_iter().collect();
            Ok(Column::known(Data::Boolean(Bits::from_values(&flags, |flags| flags & bit != 0))))
        }
        _ => {
            let texts = column.str()?;
            Ok(Column { valid: validity(texts), ..Column::known(Data::Text(Texts::from_column(texts))) })
        }
    }
}

/// The only chunk of a column, if it has one.
fn single<T>(mut chunks: impl Iterator<Item = T>) -> Option<T> {
    let first = chunks.next()?;
    chunks.next().is_none().then_some(first)
}
