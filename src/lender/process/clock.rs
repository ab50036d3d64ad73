//! The clock of the service. Knows nothing of loans.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::base::time::Timestamp;

/// The moment now, by the system's clock.
pub(crate) fn system_now() -> Timestamp {
    system_now_plus(0)
}

/// So many milliseconds after now.
pub(crate) fn system_now_plus(milliseconds: i64) -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let sum = i64::try_from(since.as_millis()).unwrap_or(i64::MAX).saturating_add(milliseconds);
    // The calendar reaches further than any clock of a computer.
    Timestamp::from_milliseconds(sum).expect("INVARIANT: the system's clock is within the calendar")
}
