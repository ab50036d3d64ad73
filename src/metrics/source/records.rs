//! The columns of the frame, one value per record.

use super::statement_slice::View;
use crate::metrics::Error;
use crate::metrics::column::{Bits, Column, Data, Ints, Texts, known};
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
        Source::DateRepaired | Source::DateConflict => "flags",
        // Worked out of several.
        Source::Counterparty => "people",
        Source::Change => "credit",
    }
}

/// A column of transactions.
pub(crate) fn transaction<'a>(view: &'a View, source: Source) -> Result<Column<'a>, Error> {
    let column = view.frame.column(name(source))?;
    match source {
        Source::Change => {
            let debits = transaction(view, Source::Debit)?;
            let credits = transaction(view, Source::Credit)?;
            let (debit, credit) = (debits.known_ints(), credits.known_ints());
            let change = |row| credit(row).unwrap_or(0).saturating_sub(debit(row).unwrap_or(0));
            Ok(Column::known(Data::Int((0..view.row_count).map(change).collect())))
        }
        Source::Credit | Source::Debit | Source::Balance => {
            let values = column.i64()?;
            let ints = match single(values.downcast_iter()) {
                Some(chunk) => Ints::Lent(chunk.values().as_slice()),
                None => values.iter().map(Option::unwrap_or_default).collect(),
            };
            Ok(Column { valid: known(values), ..Column::known(Data::Int(ints)) })
        }
        Source::TransDate => Ok(Column::known(Data::Int(view.dates.iter().map(|day| i64::from(*day)).collect()))),
        Source::ClearedDate => {
            let physical = column.to_physical_repr();
            let days = physical.i32()?;
            let ints = match single(days.downcast_iter()) {
                Some(chunk) => chunk.values().iter().map(|day| i64::from(*day)).collect(),
                None => days.iter().map(|day| day.map_or(0, i64::from)).collect(),
            };
            Ok(Column { valid: known(days), ..Column::known(Data::Int(ints)) })
        }
        Source::DateRepaired | Source::DateConflict => {
            let bit = if source == Source::DateRepaired { flag::DATE_REPAIRED } else { flag::DATE_CONFLICT };
            let flags: Vec<u32> = column.u32()?.into_no_null_iter().collect();
            Ok(Column::known(Data::Boolean(Bits::of_values(&flags, |flags| flags & bit != 0))))
        }
        _ => {
            let texts = column.str()?;
            Ok(Column { valid: known(texts), ..Column::known(Data::Text(Texts::of(texts))) })
        }
    }
}

/// The one chunk that a column of the frame has.
fn single<T>(mut chunks: impl Iterator<Item = T>) -> Option<T> {
    let first = chunks.next()?;
    chunks.next().is_none().then_some(first)
}
