//! A column of text, while it grows and when it is complete. Most of a statement's columns hold a single value or none,
//! and are stored as that value.

use std::ops::Range;

use polars::prelude::{
    ChunkFull, ChunkFullNull, ChunkTake, Column, DataType, IdxCa, IntoColumn, PlSmallStr, PolarsDataType, PolarsResult,
    Scalar, StringChunked, StringType,
};
use polars_arrow::array::{Array, MutablePlString};

use crate::base::clean_text::{clean_list, clean_text};
use crate::statement::cells::identity::is_missing;
use crate::statement::formats::json::prefix_compare::same_bytes;

type TextArray = <StringType as PolarsDataType>::Array;

/// A column of text as it grows. The last value holds for all rows until another one comes, so a repeated value costs
/// only a comparison, or nothing if the caller knows that it repeats.
#[derive(Default)]
pub(crate) struct TextColumn {
    /// The rows up to and including the last change.
    changes: MutablePlString,
    last_is_null: bool,
    /// Reused for each gap, so that filling it does not allocate.
    repeated: String,
    /// All rows, if the column came complete.
    whole: Option<TextArray>,
}

impl TextColumn {
    /// A complete column, with a value or null for each row. It does not grow.
    pub(crate) fn whole(column: TextArray) -> TextColumn {
        TextColumn { whole: Some(column), ..TextColumn::default() }
    }

    /// The texts of a complete column as they are compared, and those that this changes as they were.
    pub(crate) fn clean_whole(column: TextArray) -> (TextColumn, TextColumn) {
        // Equal views have equal texts, and many columns repeat theirs. The view of a null may be any.
        let is_unclean = |row: usize, view: u128, last: &mut u128| {
            column.get(row).is_some_and(|text| std::mem::replace(last, view) != view && clean_text(text).is_some())
        };
        let mut last = 0;
        let mut views = column.views().iter().enumerate();
        let Some(first) = views.position(|(row, view)| is_unclean(row, view.as_u128(), &mut last)) else {
            return (TextColumn::whole(column), TextColumn::default());
        };
        let (mut texts, mut printed) = (MutablePlString::with_capacity(column.len()), TextColumn::default());
        for (row, text) in column.iter().enumerate() {
            match text.filter(|_| row >= first).and_then(clean_text) {
                None => {
                    texts.push(text);
                    printed.push(row, None);
                }
                Some(clean) => {
                    texts.push(Some(clean.as_str()).filter(|clean| !is_missing(clean)));
                    printed.push(row, text);
                }
            }
        }
        (TextColumn::whole(texts.freeze()), printed)
    }

    /// Like [`TextColumn::push`], for the items of a list as they are compared.
    pub(crate) fn push_list(&mut self, row: usize, items: Option<&str>) {
        match items.and_then(clean_list) {
            None => self.push(row, items),
            Some(clean) => self.push(row, Some(clean.as_str()).filter(|clean| !is_missing(clean))),
        }
    }

    /// Sets the value of row `row`. Rows that were skipped have the last value, or null before the first value.
    #[inline]
    pub(crate) fn push(&mut self, row: usize, value: Option<&str>) {
        if self.repeats(value) {
            return;
        }
        self.fill(row);
        self.last_is_null = value.is_none();
        self.changes.push(value);
    }

    /// Whether it has a value for some row.
    #[inline]
    pub(crate) fn has_rows(&self) -> bool {
        self.changes.len() > 0
    }

    /// Whether the last value is this one.
    #[inline]
    pub(crate) fn repeats(&self, value: Option<&str>) -> bool {
        match (self.changes.len().checked_sub(1), value) {
            (None, _) => false,
            (Some(_), None) => self.last_is_null,
            (Some(last), Some(value)) => {
                !self.last_is_null && same_bytes(self.changes.value(last).as_bytes(), value.as_bytes())
            }
        }
    }

    /// Writes the last value for the skipped rows before `rows`.
    #[inline]
    fn fill(&mut self, rows: usize) {
        let Some(gap) = rows.checked_sub(self.changes.len()).filter(|gap| *gap > 0) else { return };
        let Some(last) = self.changes.len().checked_sub(1) else { return self.changes.extend_null(gap) };
        // `extend_constant` marks nulls without making room for them, so `extend_null` is used.
        if self.last_is_null {
            return self.changes.extend_null(gap);
        }
        self.repeated.clear();
        self.repeated.push_str(self.changes.value(last));
        match gap {
            1 => self.changes.push_value(&self.repeated),
            gap => self.changes.extend_constant(gap, Some(&self.repeated)),
        }
    }

    /// The complete column, with this number of rows.
    pub(crate) fn finish(mut self, rows: usize) -> Texts {
        if let Some(whole) = self.whole {
            return match whole.null_count() == whole.len() {
                true => Texts::Same(None),
                false => Texts::Each(StringChunked::with_chunk(PlSmallStr::EMPTY, whole)),
            };
        }
        match self.changes.len() {
            0 => Texts::Same(None),
            1 if self.last_is_null => Texts::Same(None),
            1 => Texts::Same(Some(self.changes.value(0).to_owned())),
            _ => {
                self.fill(rows);
                Texts::Each(StringChunked::with_chunk(PlSmallStr::EMPTY, self.changes.freeze()))
            }
        }
    }
}

/// A complete column of text.
#[derive(Clone, Debug)]
pub(crate) enum Texts {
    /// One value, or none, for every row.
    Same(Option<String>),
    /// In one chunk.
    Each(StringChunked),
}

impl Default for Texts {
    fn default() -> Self {
        Texts::Same(None)
    }
}

/// Access to a column by row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TextRows<'c> {
    Same(Option<&'c str>),
    Each(&'c TextArray),
}

impl Texts {
    /// The texts of a frame's column.
    pub(crate) fn from_column(column: &Column) -> PolarsResult<Texts> {
        // Not expanded row by row: one value says it all.
        if let Column::Scalar(same) = column
            && *same.dtype() == DataType::String
        {
            return Ok(Texts::Same(same.scalar().value().get_str().map(str::to_owned)));
        }
        let column = column.str()?;
        let is_empty = column.null_count() == column.len();
        Ok(if is_empty { Texts::Same(None) } else { Texts::Each(column.rechunk().into_owned()) })
    }

    pub(crate) fn rows(&self) -> TextRows<'_> {
        match self {
            Texts::Same(value) => TextRows::Same(value.as_deref()),
            // A column is never without a chunk, even if it has no rows.
            Texts::Each(column) => {
                TextRows::Each(column.downcast_get(0).expect("INVARIANT: a column of text has one chunk"))
            }
        }
    }

    /// The rows in another order, each at most once. Only the views move; the texts stay in place.
    pub(crate) fn reordered(self, order: Option<&IdxCa>) -> PolarsResult<Texts> {
        match (self, order) {
            (Texts::Each(column), Some(order)) => column.take(order).map(Texts::Each),
            (same, _) => Ok(same),
        }
    }

    /// Concatenates columns with these numbers of rows.
    pub(crate) fn joined(parts: Vec<Texts>, lengths: &[usize]) -> PolarsResult<Texts> {
        let parts = parts.into_iter().zip(lengths).filter(|(_, rows)| **rows > 0);
        let mut all: Vec<(Texts, usize)> = Vec::new();
        for (part, rows) in parts {
            match (&part, all.last_mut()) {
                (Texts::Same(value), Some((Texts::Same(last), count))) if value == last => *count += rows,
                _ => all.push((part, *rows)),
            }
        }
        if all.len() < 2 {
            return Ok(all.pop().map(|(texts, _)| texts).unwrap_or_default());
        }
        let mut all = all.into_iter().map(|(texts, rows)| texts.written_out(rows));
        let mut whole = all.next().expect("INVARIANT: there are at least two parts");
        for part in all {
            whole.append(&part)?;
        }
        Ok(Texts::Each(whole.rechunk().into_owned()))
    }

    fn written_out(self, rows: usize) -> StringChunked {
        match self {
            Texts::Same(None) => StringChunked::full_null(PlSmallStr::EMPTY, rows),
            Texts::Same(Some(value)) => StringChunked::full(PlSmallStr::EMPTY, &value, rows),
            Texts::Each(column) => column,
        }
    }

    /// The frame's column. A single value for all rows stays a scalar until its rows are read.
    pub(crate) fn into_column(self, name: &str, rows: usize) -> Column {
        match self {
            Texts::Same(None) => Column::new_scalar(name.into(), Scalar::null(DataType::String), rows),
            Texts::Same(Some(value)) => {
                Column::new_scalar(name.into(), Scalar::from(PlSmallStr::from_string(value)), rows)
            }
            Texts::Each(column) => column.with_name(name.into()).into_column(),
        }
    }
}

impl<'c> TextRows<'c> {
    #[inline]
    pub(crate) fn get(self, row: usize) -> Option<&'c str> {
        match self {
            TextRows::Same(value) => value,
            TextRows::Each(column) => match column.validity() {
                None => (row < column.len()).then(|| column.value(row)),
                Some(_) => column.get(row),
            },
        }
    }

    /// The first bytes of a row's text, padded with 0 after its end, or all 0 for null. The column's views hold them.
    #[inline]
    pub(crate) fn head(self, row: usize) -> [u8; 4] {
        match self {
            TextRows::Same(value) => {
                let mut bytes = value.unwrap_or_default().bytes();
                [0; 4].map(|end| bytes.next().unwrap_or(end))
            }
            TextRows::Each(column) => column.views().get(row).map_or([0; 4], |view| view.prefix.to_le_bytes()),
        }
    }

    /// Whether all texts have the same length.
    pub(crate) fn has_one_length(self) -> bool {
        match self {
            TextRows::Same(_) => true,
            TextRows::Each(column) if column.validity().is_some() => {
                let mut lengths = column.iter().flatten().map(str::len);
                let first = lengths.next();
                lengths.all(|length| Some(length) == first)
            }
            TextRows::Each(column) => {
                let views = column.views().as_slice();
                let first = views.first().map(|view| view.length);
                views.iter().all(|view| Some(view.length) == first)
            }
        }
    }

    /// How many of these rows have no value.
    pub(crate) fn missing(self, rows: &Range<usize>) -> usize {
        match self {
            TextRows::Same(None) => rows.len(),
            TextRows::Same(Some(_)) => 0,
            TextRows::Each(column) => {
                column.validity().map_or(0, |valid| valid.null_count_range(rows.start, rows.len()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_lengths_are_those_of_the_texts() {
        let cases: [(&[Option<&str>], bool); 5] = [
            (&[None, Some("ab"), Some("cd"), None, Some("ef")], true),
            (&[Some("Opening balance"), Some("Closing balance")], true),
            (&[Some("ab"), Some("abc"), Some(""), Some("é1234567890123")], false),
            (&[Some("same"), Some("same")], true),
            (&[None], true),
        ];
        for (rows, has_one_length) in cases {
            let mut column = TextColumn::default();
            rows.iter().enumerate().for_each(|(row, text)| column.push(row, *text));
            let texts = column.finish(rows.len());
            assert_eq!(texts.rows().has_one_length(), has_one_length, "{rows:?}");
            for (row, text) in rows.iter().enumerate() {
                let mut wanted = [0; 4];
                wanted.iter_mut().zip(text.unwrap_or_default().bytes()).for_each(|(head, byte)| *head = byte);
                assert_eq!(texts.rows().head(row), wanted, "{text:?}");
            }
        }
    }

    #[test]
    fn rows_before_the_first_value_are_null() {
        let mut column = TextColumn::default();
        column.push(2, Some("a"));
        column.push(5, Some("b"));
        let texts = column.finish(7);
        let rows: Vec<Option<&str>> = (0..7).map(|row| texts.rows().get(row)).collect();
        assert_eq!(rows, [None, None, Some("a"), Some("a"), Some("a"), Some("b"), Some("b")]);
        for from in 0..7 {
            for to in from..=7 {
                let missing = rows[from..to].iter().filter(|value| value.is_none()).count();
                assert_eq!(texts.rows().missing(&(from..to)), missing, "{from}..{to}");
            }
        }
    }
}
