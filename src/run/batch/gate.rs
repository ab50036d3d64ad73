//! Bounds the bytes in flight: units enter with their bytes, and leave when they are written.

use std::sync::{Condvar, Mutex, PoisonError};

/// Admits units while their bytes fit.
pub(crate) struct Gate {
    max_bytes: u64,
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    inside: u64,
    closed: bool,
}

impl Gate {
    pub(crate) fn new(max_bytes: u64) -> Gate {
        Gate { max_bytes, state: Mutex::new(GateState::default()), changed: Condvar::new() }
    }

    /// Waits until the bytes fit; a unit alone always fits. False once the gate is closed.
    pub(crate) fn enter(&self, bytes: u64) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |state: &mut GateState| {
            !state.closed && state.inside > 0 && state.inside.saturating_add(bytes) > self.max_bytes
        };
        let mut state = self.changed.wait_while(state, full).unwrap_or_else(PoisonError::into_inner);
        state.inside = state.inside.saturating_add(bytes);
        !state.closed
    }

    pub(crate) fn leave(&self, bytes: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.inside = state.inside.saturating_sub(bytes);
        self.changed.notify_all();
    }

    /// Admits nothing more, and wakes all who wait.
    pub(crate) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed
    }
}
