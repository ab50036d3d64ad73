//! The kinds of records of a policy, and the flags that they name.

use std::collections::HashMap;

use crate::rules::corrections::RecordKind;

/// The kinds in the order of the files. A flag is a definition of a record's value, by its index.
#[derive(Default)]
pub(in crate::rules) struct KindList {
    kinds: Vec<RecordKind>,
    /// The number of each flag.
    numbers: HashMap<usize, usize>,
    /// Whether corrections may set the flags.
    are_corrected: bool,
}

impl KindList {
    pub(in crate::rules) fn add(&mut self, kind: RecordKind) {
        self.kinds.push(kind);
    }

    /// The number of the flag that this definition is from now on.
    pub(in crate::rules) fn number_flag(&mut self, definition: usize) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(definition).or_insert(next)
    }

    /// The number of the flag that a definition is, if some kind names it.
    pub(in crate::rules) fn flag(&self, definition: usize) -> Option<usize> {
        self.numbers.get(&definition).copied()
    }

    pub(in crate::rules) fn note_corrections(&mut self) {
        self.are_corrected = true;
    }

    pub(in crate::rules) fn are_corrected(&self) -> bool {
        self.are_corrected
    }

    pub(in crate::rules) fn take_kinds(&mut self) -> Vec<RecordKind> {
        std::mem::take(&mut self.kinds)
    }
}
