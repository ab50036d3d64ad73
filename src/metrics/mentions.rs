//! Which words of the word lists a record mentions, and its counterparty's name holds: every list in one pass over each text. Knows no other operation.

use std::borrow::Cow;
use std::sync::Arc;

use super::Error;
use super::bits::Bits;
use super::column::{Column, Data};
use super::evaluate::Run;
use super::pieces;
use super::texts::{NAMELESS, Texts};
use super::values::Few;
use crate::narration::ascii::ones;
use crate::rules::Lists;

impl<'a> Run<'a, '_> {
    /// For each list the rows that mention it; looked for once.
    pub(super) fn lists(&self) -> Result<&[Bits], Error> {
        if let Some(lists) = self.lists.get() {
            return Ok(lists);
        }
        let column = |name: &str| Ok::<_, Error>(Texts::of(self.view.frame.column(name)?.str()?));
        let (description, topics) = (column("desc")?, column("topics")?);
        let words = &self.program.words;
        let is_silent = topics.is_silent();
        let (alike, serves) = (self.groups.alike()?, !words.heeds_numbers());
        let pieces = pieces::of_rows(self.view.row_count, |rows| {
            let mut masks = alike.each(rows.clone(), |_, _| serves, |row| words.mask(description.get(row)));
            if !is_silent {
                masks.iter_mut().zip(rows).for_each(|(mask, row)| *mask |= words.mask(topics.get(row)));
            }
            by_list(&masks, self.program.word_lists.len())
        });
        let lists = pieces.into_iter().reduce(|mut lists, piece| {
            lists.iter_mut().zip(piece).for_each(|(list, piece)| list.append(piece));
            lists
        });
        Ok(self.lists.get_or_init(|| lists.unwrap_or_default()))
    }

    pub(super) fn mentions(&self, list: usize) -> Result<Column<'a>, Error> {
        Ok(Column::known(Data::Boolean(self.lists()?[list].clone())))
    }

    /// Each name is searched once, however many records it is of; who has no name is in no list.
    pub(super) fn named(&self, list: usize) -> Result<Column<'a>, Error> {
        let counterparties = self.groups.counterparties()?;
        let mask = |name: &Arc<str>| self.program.words.mask(name);
        let masks = self.name_masks.get_or_init(|| counterparties.names.iter().map(mask).collect());
        let bit: Lists = 1 << list;
        let of_names = Bits::of_values(masks, |mask| mask & bit != 0);
        // Who has no name lies behind all names.
        Ok(Column::known(Data::Boolean(of_names.picked(&counterparties.of_rows))))
    }

    /// The word itself is looked for only where the list is known to be mentioned.
    pub(super) fn mentioned(&self, list: usize) -> Result<Column<'a>, Error> {
        let program = self.program;
        let (description, topics) = (self.view.frame.column("desc")?.str()?, self.view.frame.column("topics")?.str()?);
        let (mut names, mut numbers): (Vec<Cow<'a, str>>, _) = (Vec::new(), vec![NAMELESS; self.view.row_count]);
        for row in self.lists()?[list].ones(0..self.view.row_count) {
            let first = |text: Option<&str>| program.words.first(list, text?);
            let Some(word) = first(description.get(row)).or_else(|| first(topics.get(row))) else { continue };
            let known = names.iter().position(|known| *known == word);
            numbers[row] = known.unwrap_or(names.len()) as u32;
            if known.is_none() {
                names.push(Cow::Borrowed(word));
            }
        }
        let valid = Bits::of_values(&numbers, |number| number != NAMELESS);
        Ok(Column::partly(Data::Text(Texts::Named(numbers.into(), names.into())), valid))
    }
}

/// For each of so many lists the rows whose mask has it.
fn by_list(masks: &[Lists], count: usize) -> Vec<Bits> {
    let mut lists: Vec<Few<u64>> = (0..count).map(|_| Few::with_capacity(masks.len().div_ceil(ROWS))).collect();
    for masks in masks.chunks(ROWS) {
        let mut words = [0_u64; Lists::BITS as usize];
        for (row, mask) in masks.iter().enumerate() {
            for (half, from) in [(*mask as u64, 0), ((*mask >> u64::BITS) as u64, u64::BITS as usize)] {
                ones(half).for_each(|list| words[from + list] |= 1 << row);
            }
        }
        lists.iter_mut().zip(words).for_each(|(list, word)| list.push(word));
    }
    lists.into_iter().map(|words| Bits::from_raw(words, masks.len())).collect()
}

/// Rows of a word of bits.
const ROWS: usize = u64::BITS as usize;
