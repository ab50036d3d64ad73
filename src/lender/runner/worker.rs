//! Works on loans all the time: claims those that are due, and carries each a step further. Bounds how many are worked
//! on at once, and lets only a process that is not taken for dead send money. Knows nothing of what a step does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;

use super::call::{Call, CallOutcome};
use super::clock::Clock;
use super::messages::{Texts, prepare_message, schedule_retry, send_message};
use super::metrics::ServicingMetrics;
use super::private::Vault;
use super::provider::Provider;
use super::steps::{BegunStep, begin_step, finish_step};
use crate::base::time::Timestamp;
use crate::lender::hosted::Conditions;
use crate::lender::loan::{At, Event, Plan};
use crate::lender::loan_book::{BookError, Claimed, Claims, LoanBook, LoanRow, MessageClaim, MessageOutcome};
use crate::lender::store::database::InstanceId;
use crate::lender::store::error::StoreError;

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

/// Something that is being worked on, until this is dropped.
pub(super) struct Working {
    runner: Runner,
    loan: Option<(i64, i64)>,
    message: Option<i64>,
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut working = lock_ignoring_poison(&self.runner.0.working);
        if let Some(loan) = self.loan {
            working.loans.remove(&loan);
        }
        if let Some(message) = self.message {
            working.messages.remove(&message);
        }
    }
}

/// Each change under these locks is whole, so a panic elsewhere does no harm.
fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Carries loans through their lives. Clones share everything.
#[derive(Clone)]
pub(crate) struct Runner(Arc<WorkerParts>);

/// What a runner works with.
pub(crate) struct RunnerParts {
    pub(crate) book: LoanBook,
    pub(crate) vault: Arc<dyn Vault>,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) texts: Texts,
    pub(crate) clock: Clock,
    /// This process, as it is enlisted.
    pub(crate) instance: InstanceId,
    pub(crate) settings: RunnerSettings,
    pub(crate) metrics: ServicingMetrics,
    pub(crate) conditions: Conditions,
}

struct WorkerParts {
    parts: RunnerParts,
    /// Fires when there may be work at once.
    work: Notify,
    permits: Arc<Semaphore>,
    /// Messages have permits of their own: one that hangs must not delay money.
    message_permits: Arc<Semaphore>,
    /// What is being worked on.
    working: Mutex<Claims>,
    /// What was claimed at the last sweep and not worked on.
    suspects: Mutex<Claims>,
    /// When the last sweep was.
    swept: Mutex<Option<Instant>>,
    stopping: AtomicBool,
    /// Why the book failed at the last look.
    failing: Mutex<Option<String>>,
}

impl Runner {
    /// A runner for this process.
    pub(crate) fn new(parts: RunnerParts) -> Runner {
        let permits = Arc::new(Semaphore::new(parts.settings.in_flight_max.max(1)));
        Runner(Arc::new(WorkerParts {
            parts,
            work: Notify::new(),
            permits,
            message_permits: Arc::new(Semaphore::new(MESSAGES_AT_ONCE)),
            working: Mutex::default(),
            suspects: Mutex::default(),
            swept: Mutex::default(),
            stopping: AtomicBool::new(false),
            failing: Mutex::default(),
        }))
    }

    pub(crate) fn book(&self) -> &LoanBook {
        &self.0.parts.book
    }

    pub(crate) fn vault(&self) -> &Arc<dyn Vault> {
        &self.0.parts.vault
    }

    pub(crate) fn provider(&self) -> &Arc<dyn Provider> {
        &self.0.parts.provider
    }

    pub(crate) fn plan(&self) -> &Arc<Plan> {
        &self.0.parts.plan
    }

    pub(crate) fn conditions(&self) -> &Conditions {
        &self.0.parts.conditions
    }

    pub(super) fn metrics(&self) -> &ServicingMetrics {
        &self.0.parts.metrics
    }

    pub(crate) fn clock(&self) -> Clock {
        Arc::clone(&self.0.parts.clock)
    }

    pub(crate) fn instance(&self) -> InstanceId {
        self.0.parts.instance
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.0.parts.clock)()
    }

    /// This moment, and the settings of a loan's life.
    pub(crate) fn at(&self) -> At<'_> {
        self.plan().at(self.now())
    }

    /// How many loans and messages are being worked on.
    fn count_running(&self) -> usize {
        let working = lock_ignoring_poison(&self.0.working);
        working.loans.len() + working.messages.len()
    }

    /// Why the book could not be used at the last look.
    pub(crate) fn find_failure(&self) -> Option<String> {
        lock_ignoring_poison(&self.0.failing).clone()
    }

    /// Signals that there may be work at once.
    pub(crate) fn wake(&self) {
        self.0.work.notify_one();
    }

    /// Runs something that waits for the book, off the async runtime.
    pub(crate) async fn run_blocking<T: Send + 'static>(
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
            let pause = match self.look(&mut tasks).await {
                Ok(0) => self.compute_pause().await,
                Ok(_) => continue,
                // The book is not read again at once: it may be what is wrong.
                Err(()) => self.0.parts.settings.look_every.max(PAUSE_AFTER_ERROR),
            };
            let _ = tokio::time::timeout(pause, self.0.work.notified()).await;
        }
        let rest = async {
            while tasks.join_next().await.is_some() {}
            while self.count_running() > 0 {
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
        // Waits for the first permit, and takes what else is free.
        let first = Arc::clone(&self.0.permits).acquire_owned();
        let Ok(first) = tokio::time::timeout(self.0.parts.settings.look_every, first).await else { return Ok(0) };
        drop(first);
        let free = |permits: &Semaphore| i64::try_from(permits.available_permits()).unwrap_or(i64::MAX);
        let (loans_max, messages_max) = (free(&self.0.permits).max(1), free(&self.0.message_permits));
        let found = self.run_blocking(move |runner| {
            let (book, now) = (runner.book(), runner.now());
            book.database().check_lease()?;
            runner.sweep(now)?;
            let loans = book.claim_loans(runner.instance(), now, loans_max)?;
            let loans = loans.into_iter().map(|claimed| (runner.track_loan(&claimed), claimed)).collect::<Vec<_>>();
            let messages = if messages_max > 0 {
                book.claim_messages(runner.instance(), now, messages_max).unwrap_or_else(|error| {
                    tracing::error!(%error, "messages cannot be claimed");
                    Vec::new()
                })
            } else {
                Vec::new()
            };
            let messages = messages.into_iter().map(|claim| (runner.track_message(&claim), claim));
            Ok((loans, messages.collect::<Vec<_>>()))
        });
        let found = found.await;
        *lock_ignoring_poison(&self.0.failing) = found.as_ref().err().map(ToString::to_string);
        let (loans, messages) = found.map_err(|error| tracing::error!(%error, "the loan book cannot be used"))?;
        let count = loans.len() + messages.len();
        for (working, claimed) in loans {
            let runner = self.clone();
            tasks.spawn(async move {
                let _working = working;
                runner.step_loan_permitted(claimed).await;
            });
        }
        for (working, claim) in messages {
            let runner = self.clone();
            tasks.spawn(async move {
                let _working = working;
                runner.run_permitted(&runner.0.message_permits, runner.process_message(claim)).await;
            });
        }
        Ok(count)
    }

    /// From time to time: takes over what ended processes had claimed, looks at payments that were only stored, and
    /// frees what this process claimed and does not work on. The last comes of a failure after a claim; it is freed
    /// once two sweeps have found it.
    fn sweep(&self, now: Timestamp) -> Result<(), BookError> {
        let mut swept = lock_ignoring_poison(&self.0.swept);
        if swept.is_some_and(|last| last.elapsed() < SWEEP_EVERY) {
            return Ok(());
        }
        let book = self.book();
        if book.free_ended_claims(now)? > 0 {
            tracing::info!("loans of a process that ended are taken over");
        }
        if book.wake_after_clock_set_back(now)? > 0 {
            tracing::warn!("the clock was set back: orders with an unknown outcome are queried at once");
        }
        if let Err(error) = book.post_received_payments(self.plan().at(now)) {
            tracing::error!(%error, "a stored payment cannot be looked at");
        }
        let claimed = book.list_claims(self.instance())?;
        let working = lock_ignoring_poison(&self.0.working);
        let idle = Claims {
            loans: claimed.loans.difference(&working.loans).copied().collect(),
            messages: claimed.messages.difference(&working.messages).copied().collect(),
        };
        drop(working);
        let mut suspects = lock_ignoring_poison(&self.0.suspects);
        let forgotten = Claims {
            loans: idle.loans.intersection(&suspects.loans).copied().collect(),
            messages: idle.messages.intersection(&suspects.messages).copied().collect(),
        };
        if forgotten != Claims::default() {
            tracing::warn!(
                loans = forgotten.loans.len(),
                messages = forgotten.messages.len(),
                "taken up again: they were claimed, and a failure kept them from being worked on"
            );
            book.free_claims(self.instance(), &forgotten, now)?;
        }
        *suspects = idle;
        *swept = Some(Instant::now());
        Ok(())
    }

    /// Notes that a claimed loan is being worked on, until the result is dropped. [`Runner::run`] waits for it at its
    /// end.
    pub(super) fn track_loan(&self, claimed: &Claimed) -> Working {
        let what = (claimed.claim.loan, claimed.claim.epoch);
        lock_ignoring_poison(&self.0.working).loans.insert(what);
        Working { runner: self.clone(), loan: Some(what), message: None }
    }

    fn track_message(&self, claim: &MessageClaim) -> Working {
        lock_ignoring_poison(&self.0.working).messages.insert(claim.id);
        Working { runner: self.clone(), loan: None, message: Some(claim.id) }
    }

    async fn run_permitted(&self, permits: &Semaphore, work: impl Future<Output = ()>) {
        // The semaphore is never closed.
        let _permit = permits.acquire().await;
        work.await;
    }

    /// How long there is nothing to do.
    async fn compute_pause(&self) -> Duration {
        let longest = self.0.parts.settings.look_every;
        let next = self.run_blocking(|runner| {
            let (loans, messages) = (runner.book().next_wake()?, runner.book().next_message_wake()?);
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

    /// One step of a claimed loan, once few enough are worked on.
    pub(super) async fn step_loan_permitted(&self, claimed: Claimed) {
        self.run_permitted(&self.0.permits, self.step_loan(claimed)).await;
    }

    /// One step of a claimed loan. If it fails, the next sweep frees the loan, and it is taken up again: the book knows
    /// what may have been done.
    async fn step_loan(&self, claimed: Claimed) {
        match self.step_once(&claimed).await {
            Ok(_) => self.wake(),
            Err(BookError::Lost) => {}
            Err(error) => {
                self.0.parts.metrics.count_failure();
                tracing::error!(%error, loan = claimed.row.id, "a step of a loan failed; it is taken up again");
            }
        }
    }

    async fn step_once(&self, claimed: &Claimed) -> Result<LoanRow, BookError> {
        let before = claimed.clone();
        let (began, at) = (Instant::now(), self.now());
        let begun = self.run_blocking(move |runner| begin_step(runner.book(), &**runner.vault(), &before, runner.at()));
        let call: Box<Call> = match begun.await? {
            BegunStep::Done(row) => return Ok(*row),
            BegunStep::Call(call) => call,
        };
        let outcome = match &*call {
            Call::Move(_) if !self.may_send(began, at).await => {
                CallOutcome::with_note(Event::NotSent, "it was not certain that this process may send")
            }
            call => self.provider().make_call(call).await,
        };
        self.record_outcome(claimed, outcome).await
    }

    /// Whether an order that was just stored as sent may leave. A process that paused since, in a debugger or on a
    /// suspended machine, may have been taken for dead, and others query the order. How far the book has come is noted
    /// first: a copy of the database from before this order must be recognised.
    async fn may_send(&self, began: Instant, at: Timestamp) -> bool {
        let by_clock = Duration::from_millis((self.now().milliseconds() - at.milliseconds()).unsigned_abs());
        let is_prompt = began.elapsed() < SEND_WITHIN && by_clock < SEND_WITHIN;
        let check = |runner: &Runner| {
            runner.book().note_seen()?;
            Ok(runner.book().database().check_lease()?)
        };
        is_prompt && self.run_blocking(check).await.is_ok()
    }

    /// Records what came of a call. An answer may come only once, so the book is tried for a while.
    pub(crate) async fn record_outcome(&self, claimed: &Claimed, outcome: CallOutcome) -> Result<LoanRow, BookError> {
        let (mut tried, event) = (0, outcome.event.clone());
        loop {
            let (claimed, outcome) = (claimed.clone(), outcome.clone());
            let done = self.run_blocking(move |runner| finish_step(runner.book(), &claimed, &outcome, runner.at()));
            match done.await {
                Err(BookError::Store(error)) if tried < TRIES_MAX => {
                    tracing::error!(%error, "the outcome of a call cannot be recorded yet");
                    tried += 1;
                    tokio::time::sleep(PAUSE_AFTER_ERROR).await;
                }
                done => {
                    if done.is_ok() {
                        self.0.parts.metrics.count_step(&event);
                    }
                    return done;
                }
            }
        }
    }

    async fn process_message(&self, claim: MessageClaim) {
        let before = claim.clone();
        let prepared = self.run_blocking(move |runner| {
            prepare_message(runner.book(), &**runner.vault(), &runner.0.parts.texts, &before)
        });
        let outcome = match prepared.await {
            Ok(prepared) => send_message(&**self.provider(), prepared).await,
            Err(BookError::Store(error @ StoreError::Damaged(_))) => MessageOutcome::Failed(error.to_string()),
            // It has not left, and may be sent once the book can be read.
            Err(_) => MessageOutcome::Again(self.now()),
        };
        let outcome = schedule_retry(outcome, &claim, self.at());
        self.metrics().count_message(&outcome);
        let settled =
            self.run_blocking(move |runner| Ok(runner.book().settle_message(&claim, &outcome, runner.now())?));
        if let Err(error) = settled.await {
            tracing::error!(%error, "the outcome of a message cannot be recorded");
        }
    }
}

/// Between looks whether all work has ended.
const PAUSE_AT_THE_END: Duration = Duration::from_millis(20);
/// How often a record is tried before the step begins anew from the book.
const TRIES_MAX: u32 = 10;
/// How many messages are sent at once.
const MESSAGES_AT_ONCE: usize = 8;
/// How often ended processes and forgotten claims are looked for.
const SWEEP_EVERY: Duration = Duration::from_secs(2);
/// An order that has not left this long after it was stored is not sent.
const SEND_WITHIN: Duration = Duration::from_secs(10);
/// How long the book is left alone after it failed.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(500);
