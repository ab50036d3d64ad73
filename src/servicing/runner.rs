//! Works on loans all the time: claims those whose moment has come, and carries each a step further. Knows nothing of
//! what a step does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;

use super::call::Call;
use super::messages::{self, Texts};
use super::metrics::{Contents, ServicingMetrics};
use super::private::Vault;
use super::provider::Provider;
use super::steps::{Begun, begin, finish};
use crate::loan::Plan;
use crate::store::book::{BookError, Claimed, LoanBook, LoanRow, MessageClaim};
use crate::store::database::InstanceId;
use crate::store::error::StoreError;
use crate::words::time::Timestamp;

/// What time it is.
pub(crate) type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The runner's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunnerSettings {
    /// How many loans are worked on at once.
    pub(crate) in_flight_max: usize,
    /// The longest pause between two looks at the book: others may have put work there.
    pub(crate) look_every: Duration,
}

impl Default for RunnerSettings {
    fn default() -> Self {
        RunnerSettings { in_flight_max: 32, look_every: Duration::from_millis(500) }
    }
}

/// Carries loans through their lives. Clones share everything.
#[derive(Clone)]
pub(crate) struct Runner(Arc<Inner>);

struct Inner {
    book: LoanBook,
    vault: Arc<dyn Vault>,
    plan: Arc<Plan>,
    provider: Arc<dyn Provider>,
    texts: Texts,
    clock: Clock,
    instance: InstanceId,
    settings: RunnerSettings,
    metrics: ServicingMetrics,
    /// Fires when there may be work at once.
    work: Notify,
    permits: Arc<Semaphore>,
    running: AtomicUsize,
    stopping: AtomicBool,
    /// Whether the book failed at the last look.
    failing: AtomicBool,
}

impl Runner {
    /// A runner for this process, which is enlisted as `instance`.
    pub(crate) fn new(
        book: LoanBook,
        (vault, provider): (Arc<dyn Vault>, Arc<dyn Provider>),
        (plan, texts): (Arc<Plan>, Texts),
        clock: Clock,
        instance: InstanceId,
        (settings, metrics): (RunnerSettings, ServicingMetrics),
    ) -> Runner {
        let permits = Arc::new(Semaphore::new(settings.in_flight_max.max(1)));
        Runner(Arc::new(Inner {
            book,
            vault,
            plan,
            provider,
            texts,
            clock,
            instance,
            settings,
            metrics,
            work: Notify::new(),
            permits,
            running: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            failing: AtomicBool::new(false),
        }))
    }

    pub(crate) fn book(&self) -> &LoanBook {
        &self.0.book
    }

    pub(crate) fn vault(&self) -> &Arc<dyn Vault> {
        &self.0.vault
    }

    pub(crate) fn provider(&self) -> &Arc<dyn Provider> {
        &self.0.provider
    }

    pub(crate) fn plan(&self) -> &Arc<Plan> {
        &self.0.plan
    }

    pub(crate) fn clock(&self) -> Clock {
        Arc::clone(&self.0.clock)
    }

    pub(crate) fn instance(&self) -> InstanceId {
        self.0.instance
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.0.clock)()
    }

    /// How many loans are being worked on.
    pub(crate) fn running(&self) -> usize {
        self.0.running.load(Ordering::Relaxed)
    }

    /// Whether the book could be used at the last look.
    pub(crate) fn is_failing(&self) -> bool {
        self.0.failing.load(Ordering::Relaxed)
    }

    /// Says that there may be work at once.
    pub(crate) fn wake(&self) {
        self.0.work.notify_one();
    }

    /// Runs something that waits for the book, off the async runtime.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Runner) -> Result<T, BookError> + Send + 'static,
    ) -> Result<T, BookError> {
        let runner = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&runner)).await;
        done.unwrap_or_else(|_| Err(StoreError::Programming("work on the book panicked".to_owned()).into()))
    }

    /// Works until [`Runner::stop`] is called, then lets what is running come to its end, at most for `patience`. What
    /// is cut off is found by the next process.
    pub(crate) async fn run(&self, patience: Duration) {
        let mut tasks = JoinSet::new();
        while !self.0.stopping.load(Ordering::Acquire) {
            while tasks.try_join_next().is_some() {}
            let found = self.look(&mut tasks).await;
            if found.is_ok_and(|found| found > 0) {
                continue;
            }
            let pause = self.pause().await;
            let _ = tokio::time::timeout(pause, self.0.work.notified()).await;
        }
        let rest = async {
            while tasks.join_next().await.is_some() {}
            while self.running() > 0 {
                tokio::time::sleep(PAUSE_AT_THE_END).await;
            }
        };
        if tokio::time::timeout(patience, rest).await.is_err() {
            tracing::warn!("some calls did not end in time; the next process asks what became of them");
        }
    }

    /// Ends [`Runner::run`].
    pub(crate) fn stop(&self) {
        self.0.stopping.store(true, Ordering::Release);
        self.0.work.notify_one();
    }

    /// One look at the book. Returns how much was begun.
    async fn look(&self, tasks: &mut JoinSet<()>) -> Result<usize, ()> {
        // Waits for the first permit and takes what else is free.
        let Ok(first) = Arc::clone(&self.0.permits).acquire_owned().await else { return Err(()) };
        let free = self.0.permits.available_permits() + 1;
        drop(first);
        let most = i64::try_from(free).unwrap_or(i64::MAX);
        let found = self.blocking(move |runner| {
            let (book, now) = (runner.book(), runner.now());
            book.database().check_lease()?;
            if book.adopt(now)? > 0 {
                tracing::info!("loans of a process that ended are taken over");
            }
            book.look_at_received(now, runner.plan())?;
            let loans = book.claim(runner.instance(), now, most)?;
            let messages = book.claim_messages(runner.instance(), now, most)?;
            Ok((loans, messages))
        });
        let found = found.await;
        self.0.failing.store(found.is_err(), Ordering::Relaxed);
        let (loans, messages) = found.map_err(|error| tracing::error!(%error, "the loan book cannot be used"))?;
        let count = loans.len() + messages.len();
        for claimed in loans {
            let runner = self.clone();
            tasks.spawn(async move { runner.permitted(runner.step(claimed)).await });
        }
        for claim in messages {
            let runner = self.clone();
            tasks.spawn(async move { runner.permitted(runner.message(claim)).await });
        }
        Ok(count)
    }

    async fn permitted(&self, work: impl Future<Output = ()>) {
        // The semaphore is never closed.
        let _permit = self.0.permits.acquire().await;
        let _counted = self.counted();
        work.await;
    }

    /// Counts as running until it is dropped. [`Runner::run`] waits for it at its end.
    pub(super) fn counted(&self) -> Counted {
        self.0.running.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }

    /// How long there is nothing to do.
    async fn pause(&self) -> Duration {
        let longest = self.0.settings.look_every;
        let next = self.blocking(|runner| {
            let (loans, messages) = (runner.book().next_wake()?, runner.book().next_message()?);
            Ok([loans, messages].into_iter().flatten().min())
        });
        match next.await {
            Ok(Some(next)) => {
                let wait = next.milliseconds() - self.now().milliseconds();
                Duration::from_millis(u64::try_from(wait).unwrap_or(0)).clamp(Duration::from_millis(1), longest)
            }
            _ => longest,
        }
    }

    /// One step of a claimed loan. If the book fails, the step is taken up again: nobody else takes the loan over while
    /// this process lives.
    pub(crate) async fn step(&self, claimed: Claimed) {
        let (mut claimed, mut rest) = (claimed, PAUSE_AFTER_ERROR);
        loop {
            match self.step_once(&claimed).await {
                Ok(_) => return self.wake(),
                Err(BookError::Lost) => return,
                Err(error) => {
                    self.0.metrics.failed();
                    tracing::error!(%error, loan = claimed.row.id, "a step of a loan failed");
                }
            }
            tokio::time::sleep(rest).await;
            rest = (rest * 2).min(LONGEST_PAUSE);
            // The book knows what may have been done.
            match self.still_claimed(&claimed).await {
                Ok(Some(again)) => claimed = again,
                Ok(None) => return,
                Err(error) => tracing::error!(%error, loan = claimed.row.id, "a loan cannot be looked up"),
            }
        }
    }

    async fn still_claimed(&self, claimed: &Claimed) -> Result<Option<Claimed>, BookError> {
        let claim = claimed.claim;
        let row = self.blocking(move |runner| Ok(runner.book().loan(claim.loan)?)).await?;
        let ours = row.filter(|row| row.instance == Some(claim.instance.0) && row.epoch == claim.epoch);
        Ok(ours.map(|row| Claimed { claim, row }))
    }

    async fn step_once(&self, claimed: &Claimed) -> Result<LoanRow, BookError> {
        let before = claimed.clone();
        let begun =
            self.blocking(move |runner| begin(runner.book(), &*runner.0.vault, &before, (runner.now(), runner.plan())));
        let call: Box<Call> = match begun.await? {
            Begun::Done(row) => return Ok(*row),
            Begun::Call(call) => call,
        };
        let heard = self.0.provider.make(&call).await;
        self.record(claimed, heard).await
    }

    /// Records what was heard. What is heard once may never be heard again, so the book is tried for a while.
    pub(crate) async fn record(&self, claimed: &Claimed, heard: super::Heard) -> Result<LoanRow, BookError> {
        let (mut tried, event) = (0, heard.event.clone());
        loop {
            let (claimed, heard) = (claimed.clone(), heard.clone());
            let done = self
                .blocking(move |runner| finish(runner.book(), &claimed, &heard, (runner.now(), runner.plan())))
                .await;
            match done {
                Err(BookError::Store(error)) if tried < TRIES_MAX => {
                    tracing::error!(%error, "the outcome of a call cannot be recorded yet");
                    tried += 1;
                    tokio::time::sleep(PAUSE_AFTER_ERROR).await;
                }
                done => {
                    if done.is_ok() {
                        self.0.metrics.heard(&event);
                    }
                    return done;
                }
            }
        }
    }

    /// Shows in the metrics what the book holds now.
    pub(crate) async fn measure(&self) -> Result<(), BookError> {
        let contents = self.blocking(|runner| {
            let (book, now) = (runner.book(), runner.now());
            let waited = book.next_wake()?.map_or(0, |due| now.milliseconds() - due.milliseconds());
            Ok(Contents {
                loans: book.counts()?,
                oldest_due_seconds: waited.max(0) / 1_000,
                messages_waiting: book.messages_waiting()?,
            })
        });
        self.0.metrics.show(&contents.await?);
        Ok(())
    }

    async fn message(&self, claim: MessageClaim) {
        let before = claim.clone();
        let prepared =
            self.blocking(move |runner| messages::prepare(runner.book(), &*runner.0.vault, &runner.0.texts, &before));
        let outcome = match prepared.await {
            Ok(prepared) => messages::send(&*self.0.provider, prepared).await,
            Err(error) => crate::store::book::MessageOutcome::Failed(error.to_string()),
        };
        let outcome = messages::paced(outcome, &claim, self.now(), &self.0.plan);
        let settled = self.blocking(move |runner| Ok(runner.book().settle_message(&claim, &outcome, runner.now())?));
        if let Err(error) = settled.await {
            tracing::error!(%error, "the outcome of a message cannot be recorded");
        }
    }
}

/// Work that has not ended.
pub(super) struct Counted(Runner);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Between looks whether all work has ended.
const PAUSE_AT_THE_END: Duration = Duration::from_millis(20);
/// How often a record is tried before the step begins anew from the book.
const TRIES_MAX: u32 = 10;
/// How long a step rests after the book failed, at first.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(500);
/// How long it rests at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
