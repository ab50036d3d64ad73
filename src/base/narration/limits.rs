//! How much of a narration is read, and how much of it makes a name.

/// Most words in a key; longer names are cut.
pub(super) const KEY_WORDS: usize = 6;

/// Fewest letters in a name.
pub(super) const NAME_LETTERS: usize = 3;

/// Most bytes of a narration that are read. Banks print 30 to 150, and no name comes after a thousand.
pub(super) const READ_BYTES: usize = 1024;
