//! Numbers for the names of counterparties.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::metrics::column::NAMELESS;

/// Names and their numbers.
#[derive(Default)]
pub(in crate::engine::metrics) struct NumberedNames {
    numbers: HashMap<Arc<str>, u32, foldhash::fast::RandomState>,
    pub list: Vec<Arc<str>>,
}

impl NumberedNames {
    /// Names that have the numbers of their places.
    pub fn of_names(list: Vec<Arc<str>>) -> Self {
        let mut names = Self::default();
        names.numbers.extend(list.iter().cloned().zip(0..));
        Self { list, ..names }
    }

    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.list.len() as u32;
        let name: Arc<str> = name.into();
        self.list.push(name.clone());
        self.numbers.insert(name, number);
        number
    }

    /// Renumbers chunks that were numbered separately.
    pub fn numbers_of(&mut self, chunks: Vec<(Vec<u32>, NumberedNames)>) -> Vec<u32> {
        let mut all = Vec::new();
        for (numbers, of_chunk) in chunks {
            if self.list.is_empty() {
                *self = of_chunk;
                all.extend(numbers);
                continue;
            }
            let known: Vec<u32> = of_chunk.list.iter().map(|name| self.number(name)).collect();
            all.extend(numbers.into_iter().map(|number| known.get(number as usize).copied().unwrap_or(NAMELESS)));
        }
        all
    }
}
