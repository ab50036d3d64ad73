//! Signals that ask a command to stop. After the first, it finishes its current work. The second ends it at once. Knows
//! nothing of what a command does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::output::print_stderr_remark;

/// A signal that asks a command to stop, by its number on Unix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Signal {
    Hangup = 1,
    Interrupt = 2,
    #[cfg_attr(not(unix), allow(dead_code, reason = "only Unix sends it"))]
    Terminate = 15,
}

impl Signal {
    /// The exit status of a command that this signal ended, as shells define it.
    pub(crate) fn status(self) -> u8 {
        128 + self as u8
    }
}

/// Whether a signal asked the command to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopRequest(Arc<AtomicU8>);

impl StopRequest {
    /// Listens to signals from now on. The first is stored, the second ends the program at once.
    pub(crate) fn listen() -> StopRequest {
        let request = StopRequest::default();
        let shared = request.clone();
        let (ready, is_ready) = std::sync::mpsc::channel::<()>();
        std::thread::spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
            runtime.block_on(async {
                let Ok(mut signals) = Signals::new() else { return };
                drop(ready);
                let first = signals.next().await;
                shared.0.store(first as u8, Ordering::Relaxed);
                print_stderr_remark("\nfinishing the current work; interrupt again to stop at once\n");
                let second = signals.next().await;
                end_at_once(second);
            });
        });
        // Waits until the thread listens, or fails to: then the channel closes. So no signal ends the work that follows
        // without notice.
        let _ = is_ready.recv();
        request
    }

    /// The signal that came, if any.
    pub(crate) fn signal(&self) -> Option<Signal> {
        [Signal::Hangup, Signal::Interrupt, Signal::Terminate]
            .into_iter()
            .find(|signal| *signal as u8 == self.0.load(Ordering::Relaxed))
    }
}

/// Ends the program without closing anything. Checkpoints are complete at any moment, so nothing is lost.
#[allow(clippy::disallowed_methods, reason = "a second signal means that the user does not want to wait")]
fn end_at_once(signal: Signal) {
    std::process::exit(i32::from(signal.status()));
}

/// The signals, one after the other.
pub(crate) struct Signals {
    #[cfg(unix)]
    streams: Vec<(Signal, tokio::signal::unix::Signal)>,
}

#[cfg(unix)]
impl Signals {
    /// Listens to an interrupt, a request to terminate, and a hangup unless it is ignored, as `nohup` does.
    pub(crate) fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut streams = vec![
            (Signal::Interrupt, signal(SignalKind::interrupt())?),
            (Signal::Terminate, signal(SignalKind::terminate())?),
        ];
        if !ignores_hangup() {
            streams.push((Signal::Hangup, signal(SignalKind::hangup())?));
        }
        Ok(Signals { streams })
    }

    /// The next signal.
    pub(crate) async fn next(&mut self) -> Signal {
        std::future::poll_fn(|context| {
            for (signal, stream) in &mut self.streams {
                if stream.poll_recv(context).is_ready() {
                    return std::task::Poll::Ready(*signal);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}

/// Whether this process ignores hangups. Only Linux says so; elsewhere a hangup counts.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(not(unix))]
impl Signals {
    /// Listens to Ctrl-C.
    pub(crate) fn new() -> std::io::Result<Signals> {
        Ok(Signals {})
    }

    /// The next signal.
    pub(crate) async fn next(&mut self) -> Signal {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}
