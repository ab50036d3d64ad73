//! Room on the stack for deep expressions.

/// The stack that the longest expression needs: a thousand nested terms. A build without optimization has frames of
/// several kilobytes.
const NEEDED_BYTES: usize = if cfg!(debug_assertions) { 7 << 20 } else { 1 << 20 };
const GROWN_BYTES: usize = 16 << 20;

/// Runs `work`, which recurses into expressions, on a stack of its own if too little is left of the thread's.
pub(crate) fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(NEEDED_BYTES, GROWN_BYTES, work)
}
