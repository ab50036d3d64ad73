//! Reads rows of a table column by column, if every cell is ordinary: text in columns of text, and numbers in columns
//! of numbers. The result must be that of [`RowMapper::take`] on any table. Everything unusual is left to it, and so
//! are all errors.

use std::ops::Range;

use polars_arrow::array::{Array, Utf8ViewArray, View};
use polars_arrow::bitmap::BitmapBuilder;

use crate::statement::base::column::{self, Column};
use crate::statement::cells::cell::Cell;
use crate::statement::cells::identity::{check_identity_name, may_be_missing, record_id};
use crate::statement::normalize::amount_sides::{self, Sides};
use crate::statement::rows::builder::{ColumnBuilder, NO_DAY, NO_VALUE};
use crate::statement::rows::collector::Collector;
use crate::statement::rows::texts::TextColumn;
use crate::statement::tables::parquet_cells::Chunks;
use crate::statement::tables::row_mapper::{RowMapper, is_unsplit, join_list_items};

/// The columns that a table may have here, besides those of text.
const ORDINARY: [Column; 7] = [
    Column::Customer,
    Column::Id,
    Column::TransDate,
    Column::ClearedDate,
    Column::Credit,
    Column::Debit,
    Column::Balance,
];

/// Adds these rows to the collector. `first` is the first row's ordinal; returns the ordinal after the last. `None` if
/// some cell is not ordinary; then no row was added.
pub(crate) fn take_columns(
    mapper: &RowMapper<'_>,
    columns: &[Option<Chunks>],
    rows: Range<usize>,
    first: u32,
    collector: &mut Collector<'_>,
) -> Option<u32> {
    let length = rows.len();
    let end = first.checked_add(u32::try_from(length).ok()?)?;
    let is_ordinary = |column: Column| ORDINARY.contains(&column) || mapper.source(column).is_none();
    let declares =
        mapper.columns.skip.is_some() || !mapper.columns.empty.is_empty() || mapper.columns.fixed_period.is_some();
    if length == 0 || declares || !Column::VALUES.into_iter().all(is_ordinary) {
        return None;
    }
    let table = RowBlock { mapper, columns, rows };
    let mut placeholders = Vec::new();
    // Checks that reject whole tables come first.
    let Money { credits, debits, balances, flags } = table.money(collector)?;
    let ids = match table.column(Column::Id) {
        None => TextColumn::default(),
        Some(column) => {
            let ids = table.without_placeholders(column, &mut placeholders)?;
            // The normalizer reports what is wrong with other ids.
            if !ids.iter().flatten().all(|id| record_id(id) == Ok(id)) {
                return None;
            }
            TextColumn::whole(ids)
        }
    };
    let (texts, printed) = table.texts(&mut placeholders)?;
    let trans = table.days(Column::TransDate, collector)?;
    if trans.days.contains(&NO_DAY) {
        return None;
    }
    let cleared = table.days(Column::ClearedDate, collector)?.days;
    // INVARIANT: if this finds no group, the table is refused with an error. So it does no harm that groups were
    // opened.
    let groups = table.groups(collector)?;
    add_column_counts(mapper.unknown, &groups, &placeholders, collector);
    collector.records += length as u64;
    collector.take_chunk(ColumnBuilder {
        ordinals: (first..end).collect(),
        groups,
        ids,
        days: trans.days,
        orders: trans.seconds,
        cleared,
        credits,
        debits,
        balances,
        texts,
        printed,
        created: vec![NO_VALUE; length],
        updated: vec![NO_VALUE; length],
        flags,
    });
    Some(end)
}

/// Adds the counts beside the columns. `placeholders` holds a row for each placeholder.
fn add_column_counts(unknown: u64, groups: &[u32], placeholders: &[usize], collector: &mut Collector<'_>) {
    for run in groups.chunk_by(|left, right| left == right) {
        // A run has at least one row.
        collector.counters(run[0]).unknown_fields += unknown * run.len() as u64;
    }
    for row in placeholders {
        let group = groups.get(*row).expect("INVARIANT: a placeholder is in one of the rows");
        collector.counters(*group).placeholder_text += 1;
    }
}

/// Rows of a row group, with the meaning of its columns.
struct RowBlock<'t> {
    mapper: &'t RowMapper<'t>,
    columns: &'t [Option<Chunks>],
    rows: Range<usize>,
}

struct Days {
    days: Vec<i32>,
    /// The seconds of the days.
    seconds: Vec<i64>,
}

struct Money {
    credits: Vec<i64>,
    debits: Vec<i64>,
    balances: Vec<i64>,
    flags: Vec<u32>,
}

impl<'t> RowBlock<'t> {
    fn column(&self, column: Column) -> Option<&'t Chunks> {
        self.columns.get(self.mapper.source(column)?.at)?.as_ref()
    }

    /// The statement of each row.
    fn groups(&self, collector: &mut Collector<'_>) -> Option<Vec<u32>> {
        let customers = self.column(Column::Customer)?.text(self.rows.clone())?;
        if customers.null_count() > 0 {
            return None;
        }
        let mut groups = Vec::with_capacity(self.rows.len());
        let (mut last, mut group) = (None, 0);
        for (row, view) in customers.views().iter().enumerate() {
            // Equal views have equal texts.
            if last != Some(view.as_u128()) {
                let customer = customers.get(row)?;
                // The normalizer reports what is wrong with other names.
                let name = check_identity_name(customer).ok().filter(|name| !name.is_empty() && *name == customer)?;
                group = collector.group(Some(&name)).ok()?;
                last = Some(view.as_u128());
            }
            groups.push(group);
        }
        Some(groups)
    }

    fn days(&self, meaning: Column, collector: &Collector<'_>) -> Option<Days> {
        let Some(column) = self.column(meaning) else {
            return Some(Days { days: vec![NO_DAY; self.rows.len()], seconds: Vec::new() });
        };
        let (pattern, zone) = (self.mapper.columns.patterns.get(meaning.name()), &collector.reading.zone);
        let mut seconds = Vec::with_capacity(self.rows.len());
        let days = column.each(self.rows.clone(), |cell| {
            if cell == Cell::Null {
                seconds.push(0);
                return Some(NO_DAY);
            }
            let date = cell.date(pattern, zone)?;
            seconds.push(date.local_second);
            Some(date.local.days())
        });
        Some(Days { days: days?, seconds })
    }

    fn amounts(&self, meaning: Column, collector: &Collector<'_>) -> Option<Vec<i64>> {
        let Some(column) = self.column(meaning) else { return Some(vec![NO_VALUE; self.rows.len()]) };
        let (unit, exponent) = (collector.reading.unit, collector.reading.currency.exponent());
        column.each(self.rows.clone(), |cell| match cell {
            Cell::Null => Some(NO_VALUE),
            // May be a placeholder.
            Cell::Text(_) => None,
            cell => cell.amount(unit, exponent).ok(),
        })
    }

    fn money(&self, collector: &Collector<'_>) -> Option<Money> {
        let (mut credits, mut debits) =
            (self.amounts(Column::Credit, collector)?, self.amounts(Column::Debit, collector)?);
        let mut flags = Vec::with_capacity(self.rows.len());
        let known = |minor: i64| Some(minor).filter(|minor| *minor != NO_VALUE);
        for (credit, debit) in credits.iter_mut().zip(&mut debits) {
            let Sides { credit: credited, debit: debited, flags: of_row } =
                amount_sides::resolve_amount_sides(known(*credit), known(*debit), collector.reading.negative).ok()?;
            (*credit, *debit) = (credited.unwrap_or(NO_VALUE), debited.unwrap_or(NO_VALUE));
            flags.push(of_row);
        }
        Some(Money { credits, debits, balances: self.amounts(Column::Balance, collector)?, flags })
    }

    /// The column with null in place of placeholders. Adds a row to `placeholders` for each of them.
    fn without_placeholders(&self, column: &Chunks, placeholders: &mut Vec<usize>) -> Option<Utf8ViewArray> {
        Some(without_placeholders(column.text(self.rows.clone())?, placeholders))
    }

    /// The texts, and the narrations as they were printed.
    fn texts(&self, placeholders: &mut Vec<usize>) -> Option<([TextColumn; column::TEXTS], TextColumn)> {
        let mut texts = [const { None }; column::TEXTS];
        let mut printed = TextColumn::default();
        for ((column, sources), slot) in Column::TEXTS.into_iter().zip(&self.mapper.texts).zip(&mut texts) {
            *slot = match sources.as_slice() {
                [] => None,
                [source] => {
                    let without_placeholders =
                        self.without_placeholders(self.columns.get(source.at)?.as_ref()?, placeholders)?;
                    let (clean, as_printed) = match column.is_list() {
                        false => TextColumn::clean_whole(without_placeholders),
                        true => (self.lists(&without_placeholders, placeholders)?, TextColumn::default()),
                    };
                    if column == Column::Desc {
                        printed = as_printed;
                    }
                    Some(clean)
                }
                _ => return None,
            };
        }
        Some((texts.map(Option::unwrap_or_default), printed))
    }

    /// The lists in the frame's form. `None` if one may need another separator.
    fn lists(&self, column: &Utf8ViewArray, placeholders: &mut Vec<usize>) -> Option<TextColumn> {
        let separator = self.mapper.columns.separator();
        let mut lists = TextColumn::default();
        for (row, list) in column.iter().enumerate() {
            match list {
                Some(list) if list.contains(separator) => {
                    let (joined, silent) = join_list_items(list, separator);
                    if is_unsplit(&joined) {
                        return None;
                    }
                    placeholders.extend(std::iter::repeat_n(row, silent as usize));
                    lists.push_list(row, Some(joined.as_str()).filter(|joined| !joined.is_empty()));
                }
                Some(list) if is_unsplit(list) => return None,
                list => lists.push_list(row, list),
            }
        }
        Some(lists)
    }
}

fn without_placeholders(column: Utf8ViewArray, placeholders: &mut Vec<usize>) -> Utf8ViewArray {
    // The first bytes, without the text itself, show which texts may be placeholders.
    let may_be_placeholder = |view: &View| match (view.length, view.prefix.to_le_bytes()) {
        (0, _) => true,
        (length, [first, ..]) => may_be_missing(length as usize, first),
    };
    let silent = |row: usize| column.get(row).and_then(|text| Cell::Text(text).missing_text());
    let views = column.views().iter().enumerate();
    let silent: Vec<(usize, bool)> = views
        .filter(|(_, view)| may_be_placeholder(view))
        .filter_map(|(row, _)| silent(row).map(|in_words| (row, in_words)))
        .collect();
    placeholders.extend(silent.iter().filter(|(_, in_words)| *in_words).map(|(row, _)| *row));
    if silent.is_empty() {
        return column;
    }
    let mut silent = silent.into_iter().map(|(row, _)| row).peekable();
    let mut validity = BitmapBuilder::with_capacity(column.len());
    for row in 0..column.len() {
        let speaks = silent.next_if_eq(&row).is_none();
        validity.push(speaks && column.is_valid(row));
    }
    column.with_validity(validity.into_opt_validity())
}

#[cfg(test)]
mod tests {
    use polars_arrow::array::PrimitiveArray;
    use polars_arrow::datatypes::ArrowDataType;

    use super::*;
    use crate::base::date::Zone;
    use crate::base::money::Currency;
    use crate::statement::rows::collector::{Grouping, Places};
    use crate::statement::{Columns, Reading};

    /// Other tests compare the two ways of reading. They prove nothing if one of them is never used.
    #[test]
    fn an_ordinary_table_is_taken_column_by_column() {
        let text = |values: [&str; 2]| Utf8ViewArray::from_slice(values.map(Some)).boxed();
        let days = PrimitiveArray::from_vec(vec![20_000, 20_001]).to(ArrowDataType::Date32).boxed();
        let credits = |values: [f64; 2]| PrimitiveArray::from_vec(values.to_vec()).boxed();
        let names = ["customer", "trans_date", "credit", "desc", "topics", "balance"];
        let taken = |credit: [f64; 2]| {
            let arrays = [text(["a", "b"]), days.clone(), credits(credit), text(["N/A", "PAY"]), text(["x|y", ""])];
            let columns = arrays.iter().map(|array| Chunks::from_arrays(std::slice::from_ref(array)));
            let columns: Vec<Option<Chunks>> = columns.chain([Some(Chunks::nothing(2))]).collect();
            let declared = Columns::default();
            let mapper = RowMapper::new(&declared, &names).expect("columns");
            let (currency, zone) = (Currency::from_numeric("566"), Zone::parse("Africa/Lagos"));
            let reading = Reading::new(currency.expect("the naira"), zone.expect("Lagos"));
            let mut collector = Collector::new(&reading, Grouping::Many);
            collector.start_places(Places::Rows);
            take_columns(&mapper, &columns, 0..2, 7, &mut collector)
        };
        assert_eq!(taken([1.0, 2.5]), Some(9));
        assert_eq!(taken([1.0, 0.001]), None, "a fault is left to the normalizer");
    }
}
