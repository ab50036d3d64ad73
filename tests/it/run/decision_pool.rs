//! Decisions off an async runtime: the runtime continues meanwhile, requests beyond the queue are refused, and a
//! failure affects nothing else.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use lendwright::decision_pool::{Bounds, Decider, Error, Workers};
use lendwright::live_policy::Reloaded;
use lendwright::{Decision, LivePolicy, Request, decide, read_json, reading};
use tokio::task::JoinHandle;

use super::{put, rules, statement, version};

/// A runtime with one thread: blocking it blocks everything.
fn on_one_thread(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

fn bounds(threads: usize, waiting_max: usize) -> Bounds {
    Bounds { threads: NonZeroUsize::new(threads), waiting_max }
}

/// Work that has begun and continues until the gate is dropped.
async fn hold(workers: &Workers) -> (mpsc::Sender<()>, JoinHandle<Result<(), Error>>) {
    let (gate, closed) = mpsc::channel::<()>();
    let (begun, begins) = tokio::sync::oneshot::channel();
    let workers = workers.clone();
    let held = tokio::spawn(async move {
        let work = move || {
            let _ = begun.send(());
            let _ = closed.recv();
        };
        workers.run(work).await
    });
    begins.await.unwrap();
    (gate, held)
}

/// Work that only counts, queued and waiting.
async fn count(workers: &Workers, counter: &Arc<AtomicUsize>) -> JoinHandle<Result<usize, Error>> {
    let (before, counter, theirs) = (workers.load().waiting, Arc::clone(counter), workers.clone());
    let counting = tokio::spawn(async move { theirs.run(move || counter.fetch_add(1, Ordering::SeqCst)).await });
    while workers.load().waiting == before {
        tokio::task::yield_now().await;
    }
    counting
}

#[test]
fn the_runtime_goes_on_while_a_large_statement_is_decided() {
    let live = LivePolicy::load(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/starter.toml"), &[]).unwrap();
    let body = statement(2, 100_000);
    let statements = read_json(&body, "large", &reading(&*live.current())).unwrap();
    let expected = decide(&*live.current(), &statements, &Request::default()).unwrap().remove(0);
    let decider = Decider::new(Arc::new(live), bounds(2, 4)).unwrap();
    on_one_thread(async {
        let mut ticks = tokio::time::interval(Duration::from_millis(1));
        let mut counted = 0;
        let deciding = decider.decide("large", body, Request::default());
        tokio::pin!(deciding);
        let decision = loop {
            tokio::select! {
                decided = &mut deciding => break decided.unwrap(),
                _ = ticks.tick() => counted += 1,
            }
        };
        assert!(counted > 3, "{counted} ticks");
        assert_eq!(decision.to_line(), expected.to_line());
    });
}

#[test]
fn more_than_may_wait_is_refused_at_once() {
    on_one_thread(async {
        let workers = Workers::new(bounds(2, 2)).unwrap();
        let counter = Arc::default();
        let (gates, helds): (Vec<_>, Vec<_>) = [hold(&workers).await, hold(&workers).await].into_iter().unzip();
        let waiting = [count(&workers, &counter).await, count(&workers, &counter).await];
        let refused = workers.run(|| ()).await.unwrap_err();
        assert!(refused.is_busy());
        assert_eq!(
            refused.to_string(),
            "busy: 2 calls are already waiting; answer that the service is busy, and try again later"
        );
        assert_eq!((workers.load().running, workers.load().waiting), (2, 2));
        drop(gates);
        for held in helds {
            held.await.unwrap().unwrap();
        }
        let mut order = Vec::new();
        for waiting in waiting {
            order.push(waiting.await.unwrap().unwrap());
        }
        order.sort_unstable();
        assert_eq!(order, [0, 1]);
        assert_eq!(workers.run(|| 5).await.unwrap(), 5);
    });
}

#[test]
fn work_nobody_waits_for_any_more_is_not_begun() {
    on_one_thread(async {
        let workers = Workers::new(bounds(1, 2)).unwrap();
        let counter = Arc::default();
        let (gate, held) = hold(&workers).await;
        let dropped = count(&workers, &counter).await;
        let kept = count(&workers, &counter).await;
        assert!(workers.run(|| ()).await.unwrap_err().is_busy());
        dropped.abort();
        assert!(dropped.await.unwrap_err().is_cancelled());
        // It takes no place in the queue either.
        let later = tokio::spawn({
            let (workers, counter) = (workers.clone(), Arc::clone(&counter));
            async move { workers.run(move || counter.fetch_add(1, Ordering::SeqCst)).await }
        });
        tokio::task::yield_now().await;
        drop(gate);
        held.await.unwrap().unwrap();
        assert_eq!((kept.await.unwrap().unwrap(), later.await.unwrap().unwrap()), (0, 1));
        workers.close().await;
        assert_eq!(counter.load(Ordering::SeqCst), 2);
    });
}

#[test]
fn work_that_is_begun_is_done_though_nobody_waits() {
    on_one_thread(async {
        let workers = Workers::new(bounds(1, 2)).unwrap();
        let (gate, held) = hold(&workers).await;
        held.abort();
        assert!(held.await.unwrap_err().is_cancelled());
        assert_eq!(workers.load().running, 1);
        drop(gate);
        workers.close().await;
        assert_eq!(workers.load().running, 0);
    });
}

#[test]
fn a_panic_is_an_error_of_its_own_work_alone() {
    on_one_thread(async {
        let workers = Workers::new(bounds(2, 300)).unwrap();
        let all: Vec<_> = (0..200)
            .map(|at: u32| {
                let workers = workers.clone();
                // A panic has already printed its message; here it would only fill the test's output.
                let work = move || if at.is_multiple_of(2) { at } else { std::panic::resume_unwind(Box::new(at)) };
                tokio::spawn(async move { workers.run(work).await })
            })
            .collect();
        for (at, one) in (0..).zip(all) {
            match one.await.unwrap() {
                Ok(said) => assert_eq!((said, said % 2), (at, 0)),
                Err(wrong) => assert!(matches!(wrong, Error::Panicked) && at % 2 == 1, "{at}: {wrong}"),
            }
        }
        // Inside the threads' own parallel work too.
        let parts = workers.run(|| rayon::join(|| 1, || std::panic::resume_unwind(Box::new(2)))).await;
        assert!(matches!(parts, Err(Error::Panicked)));
        assert_eq!(workers.run(|| 5).await.unwrap(), 5);
    });
}

#[test]
fn closed_workers_end_what_they_took_and_take_no_more() {
    on_one_thread(async {
        let workers = Workers::new(bounds(1, 2)).unwrap();
        let counter = Arc::default();
        let (gate, held) = hold(&workers).await;
        let waiting = count(&workers, &counter).await;
        let closing = tokio::spawn({
            let workers = workers.clone();
            async move { workers.close().await }
        });
        loop {
            tokio::task::yield_now().await;
            match workers.run(|| ()).await {
                Err(Error::Closed) => break,
                other => assert!(matches!(other, Err(Error::Busy { .. })), "{other:?}"),
            }
        }
        assert!(!closing.is_finished());
        drop(gate);
        closing.await.unwrap();
        assert_eq!((held.await.unwrap().is_ok(), waiting.await.unwrap().unwrap()), (true, 0));
        assert!(matches!(workers.run(|| ()).await, Err(Error::Closed)));
        workers.close().await;
    });
}

#[test]
fn what_waits_is_not_begun_once_the_runtime_is_gone() {
    let workers = Workers::new(bounds(1, 2)).unwrap();
    let (counter, mut gate) = (Arc::default(), None);
    on_one_thread(async {
        gate = Some(hold(&workers).await.0);
        count(&workers, &counter).await;
    });
    assert_eq!((workers.load().running, workers.load().waiting), (1, 1));
    drop(gate);
    on_one_thread(workers.close());
    assert_eq!(counter.load(Ordering::SeqCst), 0);
}

#[test]
fn a_policy_is_replaced_while_requests_are_under_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.toml");
    put(&file, &rules("1"));
    let live = Arc::new(LivePolicy::load(&file, &[]).unwrap());
    let decider = Decider::new(Arc::clone(&live), bounds(2, 100)).unwrap();
    let body: Arc<[u8]> = statement(1, 5).into();
    on_one_thread(async {
        let ask = || {
            let (decider, body) = (decider.clone(), Arc::clone(&body));
            tokio::spawn(async move { decider.decide("one", body, Request::default()).await })
        };
        for reload in 0..40 {
            let under_way: Vec<JoinHandle<Result<Decision, Error>>> = (0..10).map(|_| ask()).collect();
            tokio::task::yield_now().await;
            let now = ["2", "1"][reload % 2];
            put(&file, &rules(now));
            assert!(matches!(live.reload(), Ok(Reloaded::Swapped { .. })));
            assert_eq!(version(&ask().await.unwrap().unwrap()), now);
            for one in under_way {
                version(&one.await.unwrap().unwrap());
            }
        }
    });
}

#[test]
fn a_damaged_statement_is_the_application_s_fault() {
    let live = Arc::new(LivePolicy::load(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/starter.toml"), &[]).unwrap());
    let decider = Decider::new(live, Bounds::default()).unwrap();
    on_one_thread(async {
        let wrong = decider.decide("one", b"{\"status\"", Request::default()).await.unwrap_err();
        assert!(wrong.is_application() && !wrong.is_busy(), "{wrong}");
    });
}
