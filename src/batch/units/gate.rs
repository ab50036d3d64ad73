//! How much is under way at once: units enter by their bytes and leave when they are written. Must not know what a unit is.

use std::sync::{Condvar, Mutex, PoisonError};

/// Lets units in as long as their bytes fit.
pub(crate) struct Gate {
    most: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    inside: u64,
    closed: bool,
}

impl Gate {
    pub(crate) fn new(most: u64) -> Gate {
        Gate { most, state: Mutex::new(State::default()), changed: Condvar::new() }
    }

    /// Waits for room; one alone always has it. False once the gate is closed.
    pub(crate) fn enter(&self, bytes: u64) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let full =
            |state: &mut State| !state.closed && state.inside > 0 && state.inside.saturating_add(bytes) > self.most;
        let mut state = self.changed.wait_while(state, full).unwrap_or_else(PoisonError::into_inner);
        state.inside = state.inside.saturating_add(bytes);
        !state.closed
    }

    pub(crate) fn leave(&self, bytes: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.inside = state.inside.saturating_sub(bytes);
        self.changed.notify_all();
    }

    /// Nobody enters any more, and whoever waits is sent away.
    pub(crate) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed
    }
}
