//! Signals that ask a command to end: the first lets it finish what is in hand, the second ends it at once. Knows
//! nothing of what a command does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::output::remark;

/// A signal that asks for an end, by its number on Unix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Signal {
    Hangup = 1,
    Interrupt = 2,
    #[cfg_attr(not(unix), allow(dead_code, reason = "only Unix sends it"))]
    Terminate = 15,
}

impl Signal {
    /// The exit status by which shells tell that a command ended by it.
    pub(crate) fn status(self) -> u8 {
        128 + self as u8
    }
}

/// Whether somebody asked for an end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked(Arc<AtomicU8>);

impl Asked {
    /// Listens from now on. What is in hand is finished after the first signal; the second ends the program at once.
    pub(crate) fn listen() -> Asked {
        let asked = Asked::default();
        let set = asked.clone();
        let (ready, is_ready) = std::sync::mpsc::channel::<()>();
        std::thread::spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
            runtime.block_on(async {
                let Ok(mut signals) = Signals::new() else { return };
                drop(ready);
                let first = signals.next().await;
                set.0.store(first as u8, Ordering::Relaxed);
                remark("\nfinishing what is in hand; once more to end at once\n");
                let second = signals.next().await;
                end_at_once(second);
            });
        });
        // Whoever begins afterwards is not ended without a word. The channel closes when the thread listens, or cannot.
        let _ = is_ready.recv();
        asked
    }

    /// The signal that asked, if one did.
    pub(crate) fn by(&self) -> Option<Signal> {
        [Signal::Hangup, Signal::Interrupt, Signal::Terminate]
            .into_iter()
            .find(|signal| *signal as u8 == self.0.load(Ordering::Relaxed))
    }
}

/// Checkpoints are whole at any moment, so that nothing is lost by not closing anything.
#[allow(clippy::disallowed_methods, reason = "whoever asks twice does not want to wait for what would be closed")]
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
    /// Listens to an interrupt, a request to terminate, and a hangup unless that is ignored, as `nohup` asks for.
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

/// Linux says which signals a process was started to ignore; elsewhere a hangup is taken as one.
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

    /// The next one.
    pub(crate) async fn next(&mut self) -> Signal {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}
