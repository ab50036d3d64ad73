//! Watches the database: a lost lease, or a database that cannot be used any more, ends the service. Also measures what
//! the book holds, and tries whether it can be written again after a write failed. Knows nothing of how the service
//! ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::oneshot;

use super::blocking::run_blocking;
use super::clock::system_now;
use crate::lender::hosted::{Condition, Conditions};
use crate::lender::runner::Runner;
use crate::lender::store::database::Database;
use crate::lender::store::error::StoreError;

const EVERY: Duration = Duration::from_secs(1);
/// Every how many looks it is measured what is late or needs a person.
const TROUBLES_EVERY: u64 = 5;
/// How long the database may be away, for instance for a restart of its server.
const AWAY_MAX: Duration = Duration::from_secs(60);

/// Watches until the service cannot go on, and then reports why.
pub(super) async fn watch_database(database: Arc<dyn Database>, runner: Runner, failure: oneshot::Sender<String>) {
    let conditions = runner.conditions();
    let mut absence = Absence::default();
    let mut rounds = 0_u64;
    let why = loop {
        let looked = run_blocking(&database, |database| database.check_lease()).await;
        let is_noted = note_seen(&runner).await;
        let mut measured = runner.update_metrics().await;
        if measured.is_ok() && rounds.is_multiple_of(TROUBLES_EVERY) {
            measured = runner.update_troubles().await;
        }
        rounds += 1;
        let failed = match looked {
            Err(error) if !may_pass(&error) => break error.to_string(),
            Err(error) => Some(error.to_string()),
            Ok(()) => measured.err().map(|error| error.to_string()),
        };
        let failed = failed.or_else(|| runner.find_failure());
        let is_there = failed.is_none();
        if let Some(why) = absence.note_look(failed, conditions, Instant::now()) {
            break why;
        }
        if is_there && is_noted && conditions.is_raised(Condition::WritesFail) {
            try_to_write(&runner).await;
        }
        tokio::time::sleep(EVERY).await;
    };
    // Fails only if the service has ended.
    let _ = failure.send(why);
}

/// How long the database has been away.
#[derive(Default)]
struct Absence {
    since: Option<Instant>,
}

impl Absence {
    /// Notes a look at the database, and shows whether it is away. `failed` is why it could not be used. Returns why
    /// the service cannot go on.
    fn note_look(&mut self, failed: Option<String>, conditions: &Conditions, now: Instant) -> Option<String> {
        let Some(error) = failed else {
            self.since = None;
            conditions.clear(Condition::DatabaseAway);
            return None;
        };
        if conditions.raise(Condition::DatabaseAway) {
            tracing::error!(error, "the database cannot be used");
        }
        let since = *self.since.get_or_insert(now);
        let is_over = now.duration_since(since) >= AWAY_MAX;
        is_over.then(|| format!("the database could not be used for {} s: {error}", AWAY_MAX.as_secs()))
    }
}

/// Notes how far the book has come. A file that cannot be written, as on a full disk, is a failed write: no order of
/// money leaves without it, and the service goes on.
async fn note_seen(runner: &Runner) -> bool {
    let noted = runner.run_blocking(|runner| Ok(runner.book().note_seen()?)).await;
    if let Err(error) = &noted
        && runner.conditions().raise(Condition::WritesFail)
    {
        tracing::error!(%error, "how far the loan book has come cannot be written down");
    }
    noted.is_ok()
}

/// After a failed write the service gets no requests, so it tries by itself whether the book can be written again. What
/// it writes is the record that it can: an entry of the audit, which needs as much room as any other write.
async fn try_to_write(runner: &Runner) {
    let detail = json!({ "condition": Condition::WritesFail.name() });
    let written = runner.run_blocking(move |runner| {
        Ok(runner.book().record_event(system_now(), "service", "writes_resumed", &detail)?)
    });
    if let Err(error) = written.await {
        tracing::debug!(%error, "the loan book still cannot be written");
    }
}

/// Whether the same may succeed a moment later.
fn may_pass(error: &StoreError) -> bool {
    matches!(error, StoreError::Busy(_) | StoreError::Unavailable(_) | StoreError::DiskFull | StoreError::File { .. })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{AWAY_MAX, Absence, EVERY};
    use crate::lender::hosted::{Condition, Conditions};

    #[test]
    fn a_database_that_is_away_is_a_condition_and_in_the_end_the_end() {
        let (conditions, mut absence, start) = (Conditions::default(), Absence::default(), Instant::now());
        let away = || Some("no connection".to_owned());
        assert_eq!(absence.note_look(away(), &conditions, start), None);
        assert!(conditions.is_raised(Condition::DatabaseAway) && !conditions.is_ready());
        // It comes back, and another absence counts from its own begin.
        assert_eq!(absence.note_look(None, &conditions, start + AWAY_MAX), None);
        assert!(conditions.is_ready());
        let again = start + AWAY_MAX + EVERY;
        assert_eq!(absence.note_look(away(), &conditions, again), None);
        let why = absence.note_look(away(), &conditions, again + AWAY_MAX).expect("it ends");
        assert!(why.contains("for 60 s: no connection"), "{why}");
    }
}
