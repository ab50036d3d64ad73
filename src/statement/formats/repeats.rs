//! Statements that a file holds twice: without identifiers, their entries would count twice.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;

/// The message about the second one, after its place.
pub(super) const COUNTS_TWICE: &str = "with the same balances and entries, which would count twice; remove one of them";

/// The statements so far, each with its place.
#[derive(Default)]
pub(super) struct Repeats {
    places: HashMap<u64, u64>,
    state: FixedState,
}

impl Repeats {
    /// Takes the content of a statement, and returns the place of the one before with the same content.
    pub(super) fn before(&mut self, content: &impl Hash, place: u64) -> Option<u64> {
        self.places.insert(self.state.hash_one(content), place)
    }
}
