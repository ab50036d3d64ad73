//! Policies that decide what was answered once more. Their decisions are kept and compared, and never answered. They
//! have a thread of their own, wait while requests do, and whatever fails in them fails there alone.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

use super::kept_decisions::{KeptDecisions, new_id};
use crate::base::time::Timestamp;
use crate::decision_book::{DecisionRole, NewDecision};
use crate::engine::decision::{Decision, PolicyRecord};
use crate::lender::hosted::Registry;
use crate::rules::{Policies, PolicySet};
use crate::run::decision_pool::Workers;
use crate::run::live_policy::LivePolicy;

/// A policy that decides in the shadow.
#[derive(Clone)]
pub(crate) struct Shadow {
    /// Its name in the book and in counters.
    pub(crate) name: String,
    pub(crate) live: Arc<LivePolicy>,
}

/// Decides one application by any policies.
type DecideByPolicies = Box<dyn Fn(&Policies) -> Result<Box<Decision>, ShadowFault> + Send>;

/// An application that was answered, for the shadows.
pub(super) struct ShadowCase {
    /// Decides it by policies.
    pub decide: DecideByPolicies,
    /// How much memory it holds.
    pub bytes: usize,
    pub caller: Arc<str>,
    /// The id of the answer.
    pub id: String,
    pub at: Timestamp,
}

/// Why a shadow made no decision: a code, without anything of the application.
pub(super) struct ShadowFault(pub Cow<'static, str>);

/// The most bytes of applications that wait for the shadows. Further ones are not decided by them, and counted.
const WAITING_BYTES_MAX: usize = 64 << 20;
/// How long a shadow waits at most for the requests before it.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(1);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ShadowLabels {
    shadow: String,
    outcome: &'static str,
}

/// The shadows and their thread.
pub(super) struct Shadows {
    list: Arc<[Shadow]>,
    sender: Mutex<Option<Sender<ShadowCase>>>,
    waiting_bytes: Arc<AtomicUsize>,
    dropped: Counter,
    is_stopping: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the thread has.
struct ShadowWork {
    list: Arc<[Shadow]>,
    kept: KeptDecisions,
    workers: Workers,
    decided: Family<ShadowLabels, Counter>,
    waiting_bytes: Arc<AtomicUsize>,
    dropped: Counter,
    is_stopping: Arc<AtomicBool>,
}

/// What the shadows need of the service.
pub(super) struct ShadowParts {
    pub list: Vec<Shadow>,
    pub kept: KeptDecisions,
    pub workers: Workers,
}

impl Shadows {
    /// Starts the thread.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(super) fn start(parts: ShadowParts, registry: &mut Registry) -> Result<Shadows, String> {
        let ShadowParts { list, kept, workers } = parts;
        let list: Arc<[Shadow]> = list.into();
        let (decided, dropped) = (Family::default(), Counter::default());
        let (waiting_bytes, is_stopping) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let about = "Decisions of shadows by outcome; `failed` made none";
        registry.register("lendwright_api_shadow_decisions", about, Family::clone(&decided));
        let about = "Applications that shadows did not decide because too many waited";
        registry.register("lendwright_api_shadow_dropped", about, dropped.clone());
        let work = ShadowWork {
            list: Arc::clone(&list),
            kept,
            workers,
            decided,
            waiting_bytes: Arc::clone(&waiting_bytes),
            dropped: dropped.clone(),
            is_stopping: Arc::clone(&is_stopping),
        };
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("shadows".to_owned()).spawn(move || work.run(&receiver));
        let thread = thread.map_err(|error| format!("no thread for the shadows: {error}"))?;
        Ok(Shadows {
            list,
            sender: Mutex::new(Some(sender)),
            waiting_bytes,
            dropped,
            is_stopping,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// The policies that decide in the shadow now.
    pub(super) fn policies(&self) -> Vec<Arc<Policies>> {
        self.list.iter().map(|shadow| shadow.live.current()).collect()
    }

    /// Takes an application, unless too many wait.
    pub(super) fn hand_over(&self, case: ShadowCase) {
        let bytes = case.bytes;
        // A poisoned lock is usable: it holds a sender or none.
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = self.waiting_bytes.load(Ordering::Relaxed) + bytes <= WAITING_BYTES_MAX;
        match sender.as_ref().filter(|_| has_room) {
            Some(sender) => {
                self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
                // The thread ends after its last sender.
                let _ = sender.send(case);
            }
            None => drop(self.dropped.inc()),
        }
    }

    /// Takes no more, and returns when all that waited is decided, or at the end of this time. Blocks.
    pub(super) fn close(&self, patience: Duration) {
        drop(self.sender.lock().unwrap_or_else(PoisonError::into_inner).take());
        let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let until = Instant::now() + patience;
        while !thread.is_finished() && Instant::now() < until {
            std::thread::sleep(PAUSE);
        }
        self.is_stopping.store(true, Ordering::Relaxed);
        if thread.join().is_err() {
            tracing::error!("the thread of the shadows panicked, which is a bug; please report it");
        }
    }
}

impl ShadowWork {
    fn run(&self, cases: &Receiver<ShadowCase>) {
        while let Ok(case) = cases.recv() {
            if self.is_stopping.load(Ordering::Relaxed) {
                self.dropped.inc();
                continue;
            }
            for shadow in &*self.list {
                self.wait_for_requests();
                self.decide(shadow, &case);
            }
            self.waiting_bytes.fetch_sub(case.bytes, Ordering::Relaxed);
        }
    }

    /// Requests come first, but not for ever.
    fn wait_for_requests(&self) {
        let until = Instant::now() + PATIENCE;
        let is_busy = || {
            let load = self.workers.load();
            load.waiting + load.running > 0
        };
        while is_busy() && Instant::now() < until {
            std::thread::sleep(PAUSE);
        }
    }

    fn decide(&self, shadow: &Shadow, case: &ShadowCase) {
        let (began, policies) = (Instant::now(), shadow.live.current());
        let decided = catch_unwind(AssertUnwindSafe(|| (case.decide)(&policies)));
        let took = began.elapsed();
        let decided = match decided {
            Ok(Ok(decision)) => Ok(decision),
            Ok(Err(ShadowFault(code))) => {
                tracing::warn!(shadow = shadow.name, %code, "a shadow made no decision");
                Err(name_policy(&policies))
            }
            Err(_) => {
                tracing::error!(shadow = shadow.name, "a shadow panicked, which is a bug; please report it");
                Err(name_policy(&policies))
            }
        };
        let outcome = decided.as_ref().map_or("failed", |decision| decision.outcome.word());
        self.decided.get_or_create(&ShadowLabels { shadow: shadow.name.clone(), outcome }).inc();
        let Ok(id) = new_id() else { return };
        let role = DecisionRole::Shadow { name: shadow.name.clone(), answer: case.id.clone() };
        let caller = case.caller.to_string();
        let new = NewDecision { id, at: case.at, role, caller, mark: None, took, sources: Vec::new(), decided };
        if let Err(error) = self.kept.keep_now(&new, &policies) {
            tracing::error!(shadow = shadow.name, "a decision of a shadow is not kept: {error}");
        }
    }
}

/// Name, version and digest of the policy that was to decide.
fn name_policy(policies: &Policies) -> [String; 3] {
    let policy = PolicyRecord::from_policy(&policies.versions()[0]);
    [policy.name, policy.version, policy.digest.to_string()]
}
