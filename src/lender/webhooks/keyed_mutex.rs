//! A mutex per key without waiting: if a key is locked, its holder runs once more. Knows nothing of
//! what runs under the lock.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The locked keys, and for each whether its holder is to run once more.
#[derive(Default)]
pub(super) struct KeyedMutex(Mutex<HashMap<String, bool>>);

/// The lock of one key, until it is unlocked or dropped.
pub(super) struct KeyGuard<'m> {
    mutex: &'m KeyedMutex,
    key: String,
    is_unlocked: bool,
}

impl KeyedMutex {
    /// Locks a key. If it is locked already, returns `None`, and its holder may run once more.
    pub(super) fn lock_or_rerun(&self, key: &str) -> Option<KeyGuard<'_>> {
        let mut locked = self.locked();
        if let Some(rerun) = locked.get_mut(key) {
            *rerun = true;
            return None;
        }
        locked.insert(key.to_owned(), false);
        Some(KeyGuard { mutex: self, key: key.to_owned(), is_unlocked: false })
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<String, bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyGuard<'_> {
    /// Starts a run: it serves all requests to run that came before.
    pub(super) fn begin_run(&self) {
        if let Some(rerun) = self.mutex.locked().get_mut(&self.key) {
            *rerun = false;
        }
    }

    /// Whether another run was requested meanwhile.
    pub(super) fn is_rerun_requested(&self) -> bool {
        self.mutex.locked().get(&self.key).is_some_and(|rerun| *rerun)
    }

    /// Whether to run once more, because that was requested meanwhile. If not, unlocks the key.
    pub(super) fn rerun_or_unlock(&mut self) -> bool {
        let mut locked = self.mutex.locked();
        let rerun = locked.get_mut(&self.key).is_some_and(std::mem::take);
        if !rerun {
            locked.remove(&self.key);
            self.is_unlocked = true;
        }
        rerun
    }
}

impl Drop for KeyGuard<'_> {
    /// Unlocks after a panic or an early return.
    fn drop(&mut self) {
        if !self.is_unlocked {
            self.mutex.locked().remove(&self.key);
        }
    }
}
