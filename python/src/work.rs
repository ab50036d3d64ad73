//! Long work without Python's lock, on as many threads as asked, while Python hears of progress and of interrupts. Must
//! not know what the work is.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use lendwright::arrow::Error;
use pyo3::prelude::*;

use crate::errors;

/// How often Python is asked for signals, and hears of progress.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How far the work is, and whether it is to go on.
#[derive(Clone, Default)]
pub(crate) struct Watcher {
    done: Arc<AtomicU64>,
    stopped: Arc<AtomicBool>,
}

impl Watcher {
    /// Counts rows; false if the work is to stop.
    pub(crate) fn count(&self, rows: u64) -> bool {
        self.done.fetch_add(rows, Relaxed);
        !self.stopped.load(Relaxed)
    }
}

/// How work is done.
#[derive(Default)]
pub(crate) struct How<'a, 'py> {
    pub(crate) threads: Option<usize>,
    /// Called with the rows done and the rows in all.
    pub(crate) progress: Option<&'a Bound<'py, PyAny>>,
    pub(crate) rows: u64,
}

/// The process whose threads the engine has used; 0 before.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Refuses a process that was forked off after the engine was used: the threads that it would wait for are only in the
/// parent.
pub(crate) fn refuse_forked(py: Python<'_>) -> PyResult<()> {
    let own = std::process::id();
    match PROCESS.compare_exchange(0, own, Relaxed, Relaxed) {
        Err(used) if used != own => {
            let what = "this process was forked off after lendwright was used, and its threads did not come along; \
                        start workers by `multiprocessing.get_context(\"spawn\")`, or use lendwright in them alone";
            Err(errors::other(py, "forked", what))
        }
        _ => Ok(()),
    }
}

/// Does the work. After an interrupt it ends at once for Python; what still runs stops by itself, and its result is
/// dropped.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    how: &How<'_, '_>,
    work: impl FnOnce(&Watcher) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    refuse_forked(py)?;
    let threads = how.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| errors::other(py, "threads", &format!("cannot start threads: {error}")))?;
    let watcher = Watcher::default();
    let (send, receive) = channel();
    let receive = Mutex::new(receive);
    let worker = {
        let watcher = watcher.clone();
        move || {
            let done = catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&watcher))));
            // Nobody waits after an interrupt.
            let _ = send.send(done);
        }
    };
    let started = thread::Builder::new().name("lendwright".to_owned()).spawn(worker);
    started.map_err(|error| errors::other(py, "threads", &format!("cannot start a thread: {error}")))?;
    let mut shown = 0;
    loop {
        match py.detach(|| receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK_EVERY)) {
            Ok(Ok(Ok(done))) => {
                report(how, how.rows, &mut shown)?;
                return Ok(done);
            }
            Ok(Ok(Err(error))) => return Err(errors::work(py, &error)),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                return Err(errors::other(py, "internal", "internal error, please report it: the engine panicked"));
            }
            Err(RecvTimeoutError::Timeout) => {
                let done = watcher.done.load(Relaxed);
                if let Err(error) = py.check_signals().and_then(|()| report(how, done, &mut shown)) {
                    watcher.stopped.store(true, Relaxed);
                    return Err(error);
                }
            }
        }
    }
}

fn report(how: &How<'_, '_>, done: u64, shown: &mut u64) -> PyResult<()> {
    if let Some(progress) = how.progress.filter(|_| done > *shown || how.rows == 0) {
        progress.call1((done, how.rows))?;
        *shown = done;
    }
    Ok(())
}
