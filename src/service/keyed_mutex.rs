//! One at a time by name: whoever comes while another has the turn makes that one go once more. Knows nothing of what is done in a turn.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Who has a turn, and whether it is to go once more.
#[derive(Default)]
pub(super) struct Turns(Mutex<HashMap<String, bool>>);

/// The turn of a name, until it is over or dropped.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    name: String,
    is_over: bool,
}

impl Turns {
    /// The turn of this name; nothing where another has it, who then goes once more.
    pub(super) fn take(&self, name: &str) -> Option<Turn<'_>> {
        let mut under_way = self.under_way();
        if let Some(again) = under_way.get_mut(name) {
            *again = true;
            return None;
        }
        under_way.insert(name.to_owned(), false);
        Some(Turn { turns: self, name: name.to_owned(), is_over: false })
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<String, bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// From here on: who came before sees what is done now.
    pub(super) fn begins(&self) {
        if let Some(again) = self.turns.under_way().get_mut(&self.name) {
            *again = false;
        }
    }

    /// Whether another came meanwhile.
    pub(super) fn is_asked_again(&self) -> bool {
        self.turns.under_way().get(&self.name).is_some_and(|again| *again)
    }

    /// Whether to go once more, because another came meanwhile. If not, the turn is over.
    pub(super) fn goes_again(&mut self) -> bool {
        let mut under_way = self.turns.under_way();
        let again = under_way.get_mut(&self.name).is_some_and(std::mem::take);
        if !again {
            under_way.remove(&self.name);
            self.is_over = true;
        }
        again
    }
}

impl Drop for Turn<'_> {
    /// Whoever panicked has no turn any more.
    fn drop(&mut self) {
        if !self.is_over {
            self.turns.under_way().remove(&self.name);
        }
    }
}
