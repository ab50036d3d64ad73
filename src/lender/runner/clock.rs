//! The clock that servicing goes by. It is a value, so that a test or a demonstration sets it.

use std::sync::Arc;

use crate::base::time::Timestamp;

/// The time now.
pub(crate) type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;
