//! Columns of a workbook in which some days are texts and others are days of the spreadsheet. A program that takes the
//! month first makes days of texts such as `05/04/2026`, exchanged, and leaves `13/04/2026` as it is.

use crate::statement::base::column::Column;
use crate::statement::base::error::show_source_text;
use crate::statement::cells::date_pattern::Pattern;
use crate::statement::formats::RowValue;
use crate::statement::tables::row_mapper::RowMapper;

/// Counts the days of a table's columns by their kind.
pub(crate) struct MixedDays {
    columns: Vec<MixedColumn>,
}

struct MixedColumn {
    at: usize,
    name: String,
    pattern: Pattern,
    texts: u64,
    days: u64,
}

impl MixedDays {
    /// Follows the columns of days for which a pattern is declared.
    pub(crate) fn new(mapper: &RowMapper<'_>) -> MixedDays {
        let column = |column: Column| {
            let pattern = mapper.columns.patterns.get(column.name())?;
            let at = mapper.source(column)?.at;
            let name = mapper.name_at(at).to_owned();
            Some(MixedColumn { at, name, pattern: pattern.clone(), texts: 0, days: 0 })
        };
        MixedDays { columns: [Column::TransDate, Column::ClearedDate].into_iter().filter_map(column).collect() }
    }

    /// Counts a row.
    pub(crate) fn look_at(&mut self, values: &[RowValue<'_>]) {
        for column in &mut self.columns {
            match values.get(column.at) {
                Some(RowValue::Text(text)) if column.pattern.read(text).is_some() => column.texts += 1,
                Some(RowValue::Day(_) | RowValue::Moment(_)) => column.days += 1,
                _ => {}
            }
        }
    }

    /// What a person should know.
    pub(crate) fn warnings(self) -> Vec<String> {
        let mixed = self.columns.into_iter().filter(|column| column.texts > 0 && column.days > 0);
        let warning = |column: MixedColumn| {
            format!(
                "`{}` has {} days of the spreadsheet and {} texts in the pattern `{}`: a spreadsheet program that \
                 takes the month first makes days of the texts that it can, with day and month exchanged; compare them \
                 with the bank's own file",
                show_source_text(&column.name),
                column.days,
                column.texts,
                show_source_text(column.pattern.text())
            )
        };
        mixed.map(warning).collect()
    }
}
