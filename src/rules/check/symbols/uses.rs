//! The uses of names: all of them for editors, and those of the expression being checked for explanations.

use std::collections::HashMap;

use crate::base::diagnostic::Span;
use crate::rules::names::{NamedSymbol, Names, Sort};
use crate::rules::references::References;

/// Collects the uses of names.
#[derive(Default)]
pub(in crate::rules) struct Uses {
    names: Names,
    /// The references of the expression being checked.
    references: References,
}

impl Uses {
    /// Notes the use of a name.
    pub(in crate::rules) fn note(&mut self, sort: Sort, name: &str, span: Span) {
        self.names.used(sort, name, span);
        self.references.note(sort, name);
    }

    /// Notes the place of a use outside of expressions.
    pub(in crate::rules) fn note_place(&mut self, sort: Sort, name: &str, span: Span) {
        self.names.used(sort, name, span);
    }

    /// Notes a reference without a place: the expression being checked depends on it.
    pub(in crate::rules) fn note_reference(&mut self, sort: Sort, name: &str) {
        self.references.note(sort, name);
    }

    /// Begins to collect the references of another expression, and returns those of the one around it.
    pub(in crate::rules) fn begin_expression(&mut self) -> References {
        std::mem::take(&mut self.references)
    }

    /// Returns to the expression around, and gives the references of the one that ends.
    pub(in crate::rules) fn end_expression(&mut self, outer: References) -> References {
        std::mem::replace(&mut self.references, outer)
    }

    /// Adds the defined names after everything was checked.
    pub(in crate::rules) fn complete(&mut self, defined: Vec<NamedSymbol>, spaces: HashMap<u32, String>) {
        self.names.defined = defined;
        self.names.spaces = spaces;
        self.names.sort();
    }

    pub(in crate::rules) fn take_names(&mut self) -> Names {
        std::mem::take(&mut self.names)
    }
}
