//! Shows in the metrics what the book holds, and whether the work on it is late. Knows nothing of when that is measured.

use super::metrics::Contents;
use super::worker::Runner;
use crate::base::time::Timestamp;
use crate::lender::hosted::Condition;
use crate::lender::loan_book::BookError;

/// How long a loan may be due before the queue counts as full. A service that keeps up begins within a second.
const LATE_AFTER_SECONDS: i64 = 60;

impl Runner {
    /// Shows how many loans there are in each state, and whether the work on them is late.
    pub(crate) async fn update_metrics(&self) -> Result<(), BookError> {
        let contents = self.run_blocking(|runner| {
            let book = runner.book();
            Ok(Contents {
                loans: book.count_loans()?,
                oldest_due_seconds: seconds_since(book.next_wake()?, runner.now()),
                messages_waiting: book.count_waiting_messages()?,
            })
        });
        let contents = contents.await?;
        self.metrics().show_contents(&contents);
        self.conditions().set(Condition::QueueFull, contents.oldest_due_seconds > LATE_AFTER_SECONDS);
        Ok(())
    }
}

/// The seconds since a moment; 0 if there is none, or if it is yet to come.
fn seconds_since(moment: Option<Timestamp>, now: Timestamp) -> i64 {
    moment.map_or(0, |moment| (now.milliseconds() - moment.milliseconds()).max(0) / 1_000)
}
