//! A few connections, opened when first needed and lent to one caller at a time.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::error::StoreError;

pub(crate) struct Pool<T> {
    state: Mutex<PoolState<T>>,
    returned: Condvar,
    size_max: usize,
    wait_max: Duration,
}

struct PoolState<T> {
    idle: Vec<T>,
    /// Idle, lent and being opened.
    open: usize,
}

impl<T> Pool<T> {
    pub(crate) fn new(size_max: usize, wait_max: Duration) -> Pool<T> {
        Pool {
            state: Mutex::new(PoolState { idle: Vec::new(), open: 0 }),
            returned: Condvar::new(),
            size_max,
            wait_max,
        }
    }

    /// An idle connection, or a new one by `open`, or the next that is returned.
    ///
    /// # Errors
    /// `Busy` if none is returned in time, and the errors of `open`.
    pub(crate) fn take(&self, open: impl FnOnce() -> Result<T, StoreError>) -> Result<Lent<'_, T>, StoreError> {
        let deadline = Instant::now() + self.wait_max;
        let mut state = self.state();
        loop {
            if let Some(connection) = state.idle.pop() {
                return Ok(Lent { pool: self, connection: Some(connection) });
            }
            if state.open < self.size_max {
                state.open += 1;
                drop(state);
                // Dropped without a connection, it makes room for another.
                let mut lent = Lent { pool: self, connection: None };
                lent.connection = Some(open()?);
                return Ok(lent);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(StoreError::Busy(format!(
                    "all {} connections were in use for {} s",
                    self.size_max,
                    self.wait_max.as_secs()
                )));
            }
            state = self.returned.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, PoolState<T>> {
        // Every change below is complete before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection on loan. It goes back to the pool when dropped.
pub(crate) struct Lent<'a, T> {
    pool: &'a Pool<T>,
    connection: Option<T>,
}

impl<T> Lent<'_, T> {
    /// Closes a connection that is broken.
    pub(crate) fn discard(mut self) {
        self.connection = None;
    }
}

impl<T> Deref for Lent<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // Only `take` and `discard` see it without one, and neither hands it out.
        self.connection.as_ref().expect("INVARIANT: a connection on loan is open")
    }
}

impl<T> DerefMut for Lent<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // As above.
        self.connection.as_mut().expect("INVARIANT: a connection on loan is open")
    }
}

impl<T> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        match self.connection.take() {
            Some(connection) => state.idle.push(connection),
            None => state.open -= 1,
        }
        drop(state);
        self.pool.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Pool;
    use crate::lender::store::error::StoreError;

    #[test]
    fn connections_are_lent_once_each_and_kept() {
        let pool = Pool::new(2, Duration::from_millis(20));
        let mut opened = 0;
        let mut open = || {
            opened += 1;
            Ok(opened)
        };
        let (first, second) = (pool.take(&mut open).unwrap(), pool.take(&mut open).unwrap());
        assert_eq!((*first, *second), (1, 2));
        assert!(matches!(pool.take(&mut open), Err(StoreError::Busy(_))));
        drop(first);
        assert_eq!(*pool.take(&mut open).unwrap(), 1);
        // A broken one makes room, and so does one that could not be opened.
        second.discard();
        let kept = pool.take(&mut open).unwrap();
        for _ in 0..3 {
            assert!(matches!(pool.take(|| Err(StoreError::DiskFull)), Err(StoreError::DiskFull)));
        }
        assert_eq!((*kept, *pool.take(&mut open).unwrap()), (1, 3));
    }

    #[test]
    fn who_waits_gets_the_next_one() {
        let pool = Pool::new(1, Duration::from_secs(20));
        let mut lent = pool.take(|| Ok(1)).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| *pool.take(|| Ok(9)).unwrap());
            *lent = 2;
            drop(lent);
            assert_eq!(waiting.join().unwrap(), 2);
        });
    }
}
