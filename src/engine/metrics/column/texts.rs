//! A column of texts: borrowed from the frame, numbers of names, or owned. Knows no operation and no validity.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use polars::prelude::{PolarsDataType, StringChunked, StringType};
use polars_arrow::array::{Array as _, View};

use super::Bits;

/// A text column of the frame.
pub(crate) type Array = <StringType as PolarsDataType>::Array;

/// Slots of the cache of short texts, as a power of two.
const SLOTS_LOG2: u32 = 6;

/// The number that means no name.
pub(crate) const NAMELESS: u32 = u32::MAX;

/// Texts by row. Where a value is unknown, its slot is meaningless.
#[derive(Clone, Debug)]
pub(crate) enum Texts<'a> {
    Frame(&'a Array),
    /// For each row the number of its name or [`NAMELESS`], and the names.
    Named(Cow<'a, [u32]>, Arc<[Cow<'a, str>]>),
    Owned(Vec<Cow<'a, str>>),
}

/// Distinct texts with their numbers.
#[derive(Default)]
struct Distinct(RefCell<HashMap<String, u32, foldhash::fast::RandomState>>);

impl Distinct {
    fn number(&self, text: &str) -> u32 {
        let mut numbers = self.0.borrow_mut();
        if let Some(number) = numbers.get(text) {
            return *number;
        }
        let number = numbers.len() as u32;
        numbers.insert(text.to_owned(), number);
        number
    }

    /// The texts in the order of their numbers.
    fn names(self) -> Arc<[Cow<'static, str>]> {
        let mut names: Vec<(String, u32)> = self.0.into_inner().into_iter().collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        names.into_iter().map(|(name, _)| Cow::Owned(name)).collect()
    }
}

impl<'a> Texts<'a> {
    /// Borrows a column of the frame; null becomes empty.
    pub(crate) fn from_column(column: &'a StringChunked) -> Self {
        let mut chunks = column.downcast_iter();
        match (chunks.next(), chunks.next()) {
            (Some(array), None) => Texts::Frame(array),
            _ => Texts::Owned(column.iter().map(|text| Cow::Borrowed(text.unwrap_or_default())).collect()),
        }
    }

    /// Texts that borrow nothing: each distinct one is stored once.
    pub(crate) fn into_owned(self) -> Texts<'static> {
        let distinct = Distinct::default();
        let of_rows = self.numbered(|text| distinct.number(text));
        Texts::Named(Cow::Owned(of_rows), distinct.names())
    }

    /// Numbers for the texts of two columns: equal for equal texts.
    pub(crate) fn numbered_alike(one: &Self, other: &Self) -> [Vec<u32>; 2] {
        let distinct = Distinct::default();
        [one, other].map(|texts| texts.numbered(|text| distinct.number(text)))
    }

    /// Whether the frame says that every row is null.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Texts::Frame(array) if array.null_count() == array.len())
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Texts::Frame(array) => array.len(),
            Texts::Named(numbers, _) => numbers.len(),
            Texts::Owned(texts) => texts.len(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> &str {
        match self {
            Texts::Frame(array) => array.get(row).unwrap_or_default(),
            Texts::Named(numbers, names) => names.get(numbers[row] as usize).map_or("", AsRef::as_ref),
            Texts::Owned(texts) => &texts[row],
        }
    }

    /// The text of a row, borrowed where possible.
    pub(crate) fn cow(&self, row: usize) -> Cow<'a, str> {
        match self {
            Texts::Frame(array) => Cow::Borrowed(array.get(row).unwrap_or_default()),
            Texts::Named(numbers, names) => names.get(numbers[row] as usize).cloned().unwrap_or_default(),
            Texts::Owned(texts) => texts[row].clone(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// Calls `truth` for each text, or once per name.
    pub(crate) fn bits(&self, truth: impl Fn(&str) -> bool) -> Bits {
        match self {
            Texts::Named(numbers, names) if names.len() < numbers.len() => {
                let of_names = Bits::from_fn(names.len(), |name| truth(&names[name]));
                let named = of_names.gather(numbers);
                if truth("") { named.or(&Bits::from_values(numbers, |name| name == NAMELESS)) } else { named }
            }
            _ => Bits::from_fn(self.len(), |row| truth(self.get(row))),
        }
    }

    /// A number for each text. Calls `number` once per name, and mostly once for a short text that recurs.
    pub(crate) fn numbered(&self, number: impl Fn(&str) -> u32) -> Vec<u32> {
        match self {
            Texts::Named(numbers, names) if names.len() < numbers.len() => {
                let of_names: Vec<u32> = names.iter().map(|name| number(name)).collect();
                let of_nameless = number("");
                numbers.iter().map(|name| of_names.get(*name as usize).copied().unwrap_or(of_nameless)).collect()
            }
            Texts::Frame(array) => {
                // A short text is stored in its view: equal views mean equal texts.
                let mut known = [(View::default(), number("")); 1 << SLOTS_LOG2];
                let views = array.views().iter().enumerate();
                let of_view = |(row, view): (usize, &View)| {
                    if !view.is_inline() {
                        return number(array.value(row));
                    }
                    let mixed =
                        (view.length ^ view.prefix.rotate_left(8) ^ view.buffer_idx ^ view.offset.rotate_left(16))
                            .wrapping_mul(0x9e37_79b1);
                    let slot = &mut known[(mixed >> (u32::BITS - SLOTS_LOG2)) as usize];
                    if slot.0 != *view {
                        *slot = (*view, number(array.value(row)));
                    }
                    slot.1
                };
                views.map(of_view).collect()
            }
            texts => texts.iter().map(number).collect(),
        }
    }

    /// One of these rows per name.
    pub(crate) fn one_of_each(&self, rows: &[u32]) -> Vec<u32> {
        let Texts::Named(numbers, names) = self else { return rows.to_vec() };
        let mut seen = Bits::all(names.len() + 1, false);
        let mut is_new = |row: &u32| {
            let name = (numbers[*row as usize] as usize).min(names.len());
            let is_new = !seen.get(name);
            seen.set(name);
            is_new
        };
        rows.iter().copied().filter(|row| is_new(row)).collect()
    }

    /// The texts of these rows; empty where the row is `none`.
    pub(crate) fn gather(&self, rows: &[u32], none: u32) -> Texts<'a> {
        match self {
            Texts::Named(numbers, names) => {
                let number = |row: &u32| if *row == none { NAMELESS } else { numbers[*row as usize] };
                Texts::Named(rows.iter().map(number).collect(), names.clone())
            }
            Texts::Owned(texts) => {
                let number = |row: &u32| if *row == none { NAMELESS } else { *row };
                Texts::Named(rows.iter().map(number).collect(), texts.as_slice().into())
            }
            Texts::Frame(_) => {
                let text = |row: &u32| if *row == none { Cow::Borrowed("") } else { self.cow(*row as usize) };
                Texts::Owned(rows.iter().map(text).collect())
            }
        }
    }
}
