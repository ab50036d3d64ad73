//! Which words of the word lists a record mentions, and its counterparty's name holds: every list in one pass over each text. Knows no other operation.

use std::borrow::Cow;

use super::Error;
use super::column::{Column, Data};
use super::evaluate::Run;
use crate::rules::Lists;

impl<'a> Run<'a, '_> {
    /// For each row the lists that it mentions; looked for once.
    fn masks(&self) -> Result<&[Lists], Error> {
        if let Some(masks) = self.masks.get() {
            return Ok(masks);
        }
        let (description, topics) = (self.view.frame.column("desc")?.str()?, self.view.frame.column("topics")?.str()?);
        let mask = |text: Option<&str>| text.map_or(0, |text| self.program.words.mask(text));
        let masks = description.iter().zip(topics.iter()).map(|(desc, topics)| mask(desc) | mask(topics)).collect();
        Ok(self.masks.get_or_init(|| masks))
    }

    pub(super) fn mentions(&self, list: usize) -> Result<Column<'a>, Error> {
        let bit: Lists = 1 << list;
        Ok(Column::known(Data::Boolean(self.masks()?.iter().map(|mask| mask & bit != 0).collect())))
    }

    /// Each name is searched once, however many records it is of; who has no name is in no list.
    pub(super) fn named(&self, list: usize) -> Result<Column<'a>, Error> {
        let counterparties = self.groups.counterparties()?;
        let mask = |name: &String| self.program.words.mask(name);
        let masks = self.name_masks.get_or_init(|| counterparties.names.iter().map(mask).collect());
        let bit: Lists = 1 << list;
        let is_named = |of: &usize| masks.get(*of).is_some_and(|mask| mask & bit != 0);
        Ok(Column::known(Data::Boolean(counterparties.of_rows.iter().map(is_named).collect())))
    }

    /// The word itself is looked for only where the list is known to be mentioned.
    pub(super) fn mentioned(&self, list: usize) -> Result<Column<'a>, Error> {
        let bit: Lists = 1 << list;
        let program = self.program;
        let (description, topics) = (self.view.frame.column("desc")?.str()?, self.view.frame.column("topics")?.str()?);
        let texts = description.iter().zip(topics.iter()).zip(self.masks()?);
        let word = |((desc, topics), mask): ((Option<&str>, Option<&str>), &Lists)| {
            let first = |text: Option<&str>| program.words.first(list, text?);
            if mask & bit != 0 { first(desc).or_else(|| first(topics)) } else { None }
        };
        let words: Vec<Option<&'a str>> = texts.map(word).collect();
        let valid: Vec<bool> = words.iter().map(Option::is_some).collect();
        let data = Data::Text(words.into_iter().map(|word| Cow::Borrowed(word.unwrap_or(""))).collect());
        Ok(Column { valid: valid.contains(&false).then_some(valid), ..Column::known(data) })
    }
}
