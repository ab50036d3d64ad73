//! Watches the database: a lost lease, or a database that cannot be used any more, ends the service. Also measures what
//! the book holds. Knows nothing of how the service ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::blocking::run_blocking;
use crate::lender::runner::Runner;
use crate::lender::store::database::Database;
use crate::lender::store::error::StoreError;

const EVERY: Duration = Duration::from_secs(1);
/// How long the database may be away, for instance for a restart of its server.
const AWAY_MAX: Duration = Duration::from_secs(60);

/// Watches until the service cannot go on, and then reports why.
pub(super) async fn watch_database(database: Arc<dyn Database>, runner: Runner, failure: oneshot::Sender<String>) {
    let mut away: Option<Instant> = None;
    let why = loop {
        let looked = run_blocking(&database, {
            let book = runner.book().clone();
            move |database| database.check_lease().and_then(|()| book.note_seen())
        });
        let looked = looked.await;
        let measured = runner.update_metrics().await;
        let failed = match looked {
            Err(error) if !may_pass(&error) => break error.to_string(),
            Err(error) => Some(error.to_string()),
            Ok(()) => measured.err().map(|error| error.to_string()),
        };
        let failed = failed.or_else(|| runner.find_failure());
        match failed {
            None => away = None,
            Some(error) => {
                let since = away.get_or_insert_with(Instant::now);
                if since.elapsed() >= AWAY_MAX {
                    break format!("the database could not be used for {} s: {error}", AWAY_MAX.as_secs());
                }
            }
        }
        tokio::time::sleep(EVERY).await;
    };
    // Fails only if the service has ended.
    let _ = failure.send(why);
}

/// Whether the same may succeed a moment later.
fn may_pass(error: &StoreError) -> bool {
    matches!(error, StoreError::Busy(_) | StoreError::Unavailable(_) | StoreError::DiskFull | StoreError::File { .. })
}
