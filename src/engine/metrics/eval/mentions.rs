//! Which word lists a record mentions, and which its counterparty's name matches. One pass over each text searches all
//! lists.

use std::borrow::Cow;
use std::sync::Arc;

use super::evaluate::Run;
use crate::base::text_search::word_matcher::Lists;
use crate::engine::metrics::column::{Bits, Data, NAMELESS, Texts, ValueColumn};
use crate::engine::metrics::source::records::read_record_column;
use crate::engine::metrics::{Error, chunks};
use crate::rules::graph::TransactionColumn;

/// The number of chunks in which threads search the names of a large statement.
const PARTS: usize = 8;

impl<'a> Run<'a, '_> {
    /// For each list the rows that mention it; computed once.
    pub(in crate::engine::metrics) fn lists(&self) -> Result<&[Bits], Error> {
        if let Some(lists) = self.lists.get() {
            return Ok(lists);
        }
        let column = |name: &str| Ok::<_, Error>(Texts::from_column(self.slice.frame.column(name)?.str()?));
        let (description, topics) = (column("desc")?, column("topics")?);
        let words = &self.program.words;
        let is_silent = topics.is_silent();
        let of_topics = |row| if is_silent { 0 } else { words.mask(topics.get(row)) };
        let mask = |row| words.mask(description.get(row));
        let lists = match self.program.quick.finds_alike && !words.number_sensitive() {
            true => {
                let kinds = self.groups.narration_kinds()?;
                let masks = kinds.map_kinds(mask);
                self.by_list(|row| masks[kinds.kind_of_rows()[row] as usize] | of_topics(row))
            }
            false => self.by_list(|row| mask(row) | of_topics(row)),
        };
        Ok(self.lists.get_or_init(|| lists))
    }

    /// For each list the rows whose mask has its bit.
    fn by_list(&self, mask: impl Fn(usize) -> Lists + Sync) -> Vec<Bits> {
        let chunks = chunks::map_rows(self.slice.row_count, |rows| {
            Bits::by_bit(&rows.map(&mask).collect::<Vec<Lists>>(), self.program.word_lists.len())
        });
        let lists = chunks.into_iter().reduce(|mut lists, chunk| {
            lists.iter_mut().zip(chunk).for_each(|(list, chunk)| list.append(chunk));
            lists
        });
        lists.unwrap_or_default()
    }

    pub(in crate::engine::metrics) fn mentions(&self, list: usize) -> Result<ValueColumn<'a>, Error> {
        Ok(ValueColumn::known(Data::Boolean(self.lists()?[list].clone())))
    }

    /// For each list the rows whose counterparty's name contains one of its words; computed once. Each name is searched
    /// once, whatever its number of records. A record without a name is in no list.
    pub(in crate::engine::metrics) fn named_lists(&self) -> Result<&[Bits], Error> {
        if let Some(named) = self.named.get() {
            return Ok(named);
        }
        let counterparties = self.groups.counterparties()?;
        let mask = |name: &Arc<str>| self.program.words.mask(name);
        let masks = chunks::map_items(self.slice.row_count, &counterparties.names, PARTS, |names| {
            names.iter().map(mask).collect::<Vec<Lists>>()
        });
        let masks = masks.concat();
        // `NAMELESS` is past the last name.
        let named = self.by_list(|row| masks.get(counterparties.name_of_rows[row] as usize).copied().unwrap_or(0));
        Ok(self.named.get_or_init(|| named))
    }

    pub(in crate::engine::metrics) fn named(&self, list: usize) -> Result<ValueColumn<'a>, Error> {
        Ok(ValueColumn::known(Data::Boolean(self.named_lists()?[list].clone())))
    }

    /// Whether the kind that a correction gives each record has a flag, on the record's side.
    pub(in crate::engine::metrics) fn corrected(&self, flag: usize) -> Result<ValueColumn<'a>, Error> {
        let credits = read_record_column(self.slice, TransactionColumn::Credit)?;
        let is_credit = credits.is_positive();
        let corrected = &self.groups.counterparties()?.corrected;
        let rows = self.slice.row_count;
        let flags = |row: usize| self.program.corrected_flags(corrected.kind_by(row)?, is_credit(row));
        let valid = Bits::from_fn(rows, |row| flags(row).is_some());
        let data = Bits::from_fn(rows, |row| flags(row).is_some_and(|flags| flags.contains(&flag)));
        Ok(ValueColumn::partly(Data::Boolean(data), valid))
    }

    /// Searches for the word only where the list is known to be mentioned.
    pub(in crate::engine::metrics) fn mentioned(&self, list: usize) -> Result<ValueColumn<'a>, Error> {
        let program = self.program;
        let (description, topics) =
            (self.slice.frame.column("desc")?.str()?, self.slice.frame.column("topics")?.str()?);
        let (mut names, mut numbers): (Vec<Cow<'a, str>>, _) = (Vec::new(), vec![NAMELESS; self.slice.row_count]);
        for row in self.lists()?[list].ones(0..self.slice.row_count) {
            let first = |text: Option<&str>| program.words.first(list, text?);
            let Some(word) = first(description.get(row)).or_else(|| first(topics.get(row))) else { continue };
            let known = names.iter().position(|known| *known == word);
            numbers[row] = known.unwrap_or(names.len()) as u32;
            if known.is_none() {
                names.push(Cow::Borrowed(word));
            }
        }
        let valid = Bits::from_values(&numbers, |number| number != NAMELESS);
        Ok(ValueColumn::partly(Data::Text(Texts::Named(numbers.into(), names.into())), valid))
    }
}
