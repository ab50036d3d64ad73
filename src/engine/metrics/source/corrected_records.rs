//! Which correction gives each record its kind, and which its counterparty. Computes no metric.

use std::collections::HashMap;
use std::sync::Arc;

use super::names::NumberedNames;
use super::records::read_record_column;
use super::statement_slice::StatementSlice;
use crate::base::narration::{Scratch, Standing};
use crate::engine::metrics::Error;
use crate::engine::metrics::column::{NAMELESS, Texts};
use crate::rules::corrections::{CorrectedRecord, Correction};
use crate::rules::graph::TransactionColumn;
use crate::rules::program::Program;

/// No correction, in [`CorrectedRecords`].
const NONE: u32 = u32::MAX;

/// The corrections of records by row; empty if the policy has none.
#[derive(Debug, Default)]
pub(crate) struct CorrectedRecords {
    kinds: Vec<u32>,
    counterparties: Vec<u32>,
}

impl CorrectedRecords {
    /// The correction that gives a record its kind.
    pub(crate) fn kind_by(&self, row: usize) -> Option<usize> {
        self.kinds.get(row).filter(|found| **found != NONE).map(|found| *found as usize)
    }

    /// The correction that gives a record its counterparty.
    pub(crate) fn counterparty_by(&self, row: usize) -> Option<usize> {
        self.counterparties.get(row).filter(|found| **found != NONE).map(|found| *found as usize)
    }
}

/// The counterparties of records as narrations name them, and then as corrections do.
pub(super) struct NamesOfRows<'n> {
    pub names: &'n mut Vec<Arc<str>>,
    pub name_of_rows: &'n mut [u32],
    pub standing_of_rows: &'n mut [Standing],
}

/// Finds the corrections of each record, and gives corrected records their counterparties.
pub(super) fn correct_records(
    slice: &StatementSlice,
    program: &Program,
    of_rows: NamesOfRows<'_>,
) -> Result<CorrectedRecords, Error> {
    let Some(corrections) = program.corrections.as_ref().filter(|corrections| !corrections.all().is_empty()) else {
        return Ok(CorrectedRecords::default());
    };
    let column = |name: &str| Ok::<_, Error>(Texts::from_column(slice.frame.column(name)?.str()?));
    let (ids, narrations) = (column("id")?, column("desc")?);
    let credits = read_record_column(slice, TransactionColumn::Credit)?;
    let is_credit = credits.is_positive();
    let mut numbered = NumberedNames::of_names(std::mem::take(of_rows.names));
    let mut given: HashMap<(usize, bool), (u32, Standing)> = HashMap::new();
    let mut found =
        CorrectedRecords { kinds: vec![NONE; slice.row_count], counterparties: vec![NONE; slice.row_count] };
    let first = slice.heads.first().map_or(0, |head| head.rows.start);
    for head in slice.heads {
        for row in head.rows.start - first..head.rows.end - first {
            let name = |number: u32| numbered.list.get(number as usize).filter(|_| number != NAMELESS).cloned();
            let before = name(of_rows.name_of_rows[row]);
            let mut record = CorrectedRecord {
                customer: head.customer.as_deref(),
                id: Some(ids.get(row)).filter(|id| !id.is_empty()),
                payers: [before.as_deref(), None],
                narration: Some(narrations.get(row)).filter(|narration| !narration.is_empty()),
            };
            let mut about = corrections.about(record);
            let renamed = corrections.first_with_counterparty(&about);
            let after: Option<Arc<str>>;
            if let Some(number) = renamed {
                let side = is_credit(row);
                let (name_number, standing) = *given
                    .entry((number, side))
                    .or_insert_with(|| read_given_name(program, &mut numbered, &corrections.all()[number], side));
                of_rows.name_of_rows[row] = name_number;
                of_rows.standing_of_rows[row] = standing;
                found.counterparties[row] = number as u32;
                after = numbered.list.get(name_number as usize).cloned();
                record.payers[1] = after.as_deref();
                about = corrections.about(record);
            }
            if let Some(number) = corrections.first_with_kind(&about) {
                found.kinds[row] = number as u32;
            }
        }
    }
    *of_rows.names = numbered.list;
    Ok(found)
}

/// The number of the name that a correction gives, and what goes with it.
fn read_given_name(
    program: &Program,
    names: &mut NumberedNames,
    correction: &Correction,
    is_credit: bool,
) -> (u32, Standing) {
    let mut scratch = Scratch::default();
    let reading = program.normaliser.key_in(&mut scratch, None, correction.counterparty.as_deref(), is_credit);
    reading.map_or((NAMELESS, Standing::default()), |reading| (names.number(reading.key), reading.standing))
}
