//! The inputs of a policy: fields of the request and of the bureau's report.

use crate::rules::program::inputs::Input;
use crate::rules::types::Type;

/// InputList, in the order of their indexes.
#[derive(Default)]
pub(in crate::rules) struct InputList {
    all: Vec<Input>,
}

impl InputList {
    pub(in crate::rules) fn all(&self) -> &[Input] {
        &self.all
    }

    /// The index that the next input gets.
    pub(in crate::rules) fn next_index(&self) -> usize {
        self.all.len()
    }

    pub(in crate::rules) fn add(&mut self, input: Input) {
        self.all.push(input);
    }

    /// Whether the same declaration was already made, whatever it says for people.
    pub(in crate::rules) fn has_same(&self, input: &Input) -> bool {
        self.all.iter().any(|known| {
            (known.source, &known.name, known.ty, known.required)
                == (input.source, &input.name, input.ty, input.required)
                && (&known.fields, &known.column) == (&input.fields, &input.column)
        })
    }

    pub(in crate::rules) fn type_of(&self, index: usize) -> Type {
        self.all[index].ty
    }

    /// The type of a field of a list's entries; without a field, of their number.
    pub(in crate::rules) fn type_of_entry(&self, index: usize, field: Option<usize>) -> Type {
        field.map_or(Type::COUNT, |field| self.all[index].fields[field].ty)
    }
}
