//! The register of all keys of rule files and cases files, with their values and descriptions. The schema,
//! completion and hover read it; a test compares it with the reader. Knows no text of a file.

mod cases;
mod rules;

pub(super) use cases::CASES;
pub(super) use rules::RULES;

/// One key.
#[derive(Debug)]
pub(super) struct Key {
    pub name: &'static str,
    pub shape: ValueShape,
    pub doc: &'static str,
    pub needed: bool,
}

/// A table whose keys are known.
#[derive(Debug)]
pub(super) struct KeySection {
    /// What the schema calls it.
    pub name: &'static str,
    pub keys: &'static [Key],
}

/// A word, and what it means.
pub(super) type Word = (&'static str, &'static str);

/// The shape of a key's value.
#[derive(Debug)]
pub(super) enum ValueShape {
    Text,
    /// Text with `{name}` in it.
    Sentence,
    /// Text, or a bare number, date, time or boolean.
    Expression,
    /// A test or a value in a row.
    Cell,
    Number,
    Whole,
    Boolean,
    /// `false`; `true` would mean nothing.
    False,
    Date,
    Words(&'static [Word]),
    List(&'static ValueShape),
    /// A list of exactly this length.
    Row(usize, &'static ValueShape),
    Either(&'static [ValueShape]),
    Table(&'static KeySection),
    /// `[[section]]`
    Tables(&'static KeySection),
    /// A table whose keys are names.
    Names(&'static ValueShape),
    Anything,
}

const fn key(name: &'static str, shape: ValueShape, doc: &'static str) -> Key {
    Key { name, shape, doc, needed: false }
}

const fn needed(name: &'static str, shape: ValueShape, doc: &'static str) -> Key {
    Key { name, shape, doc, needed: true }
}

impl KeySection {
    /// The key of this name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}
