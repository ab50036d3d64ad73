//! Work on the database from async code. Knows nothing of what it does.

use std::sync::Arc;

use crate::lender::store::database::Database;
use crate::lender::store::error::StoreError;

/// Runs something on the database off the async runtime.
pub(super) async fn run_blocking<T: Send + 'static>(
    database: &Arc<dyn Database>,
    work: impl FnOnce(Arc<dyn Database>) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let database = Arc::clone(database);
    let done = tokio::task::spawn_blocking(move || work(database)).await;
    done.unwrap_or_else(|_| Err(StoreError::Programming("work on the database panicked".to_owned())))
}
