//! Room on the stack for deep expressions. Must not know what needs it.

/// Stack that the deepest expression may need in a build without optimization: a thousand nested terms.
const NEEDED_BYTES: usize = 16 << 20;
/// Only touched pages take memory.
const GROWN_BYTES: usize = 64 << 20;

/// Runs `work`, which recurses into expressions, on a stack of its own if the thread's is too small.
pub(crate) fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(NEEDED_BYTES, GROWN_BYTES, work)
}
