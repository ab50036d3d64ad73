//! Shows in the metrics what the book holds, and what of it is late or needs a person. Knows nothing of when that is
//! measured.

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

    /// Shows what is late or needs a person. It looks at more rows than [`Runner::update_metrics`], so it is for every
    /// few seconds.
    pub(crate) async fn update_troubles(&self) -> Result<(), BookError> {
        let troubles = self.run_blocking(|runner| Ok(runner.book().measure_troubles(runner.now())?)).await?;
        let unknown_seconds = seconds_since(troubles.unknown_since, self.now());
        self.metrics().show_troubles(&troubles, unknown_seconds);
        Ok(())
    }
}

/// The seconds since a moment; 0 if there is none, or if it is yet to come.
fn seconds_since(moment: Option<Timestamp>, now: Timestamp) -> i64 {
    moment.map_or(0, |moment| (now.milliseconds() - moment.milliseconds()).max(0) / 1_000)
}
